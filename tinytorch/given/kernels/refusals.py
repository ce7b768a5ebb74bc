"""Why a kernel is refused once it has been compiled: a sentence, raised from the line of Python to blame."""

import os
import re
from linecache import getline, getlines

from tinytorch.given.kernels.accesses import KernelError

__all__ = []

# What numba says, and what that means; a sentence may use what the pattern has caught.
SENTENCES = (
    ("CUDA kernel must have void return type", "a kernel returns nothing: it writes into the arrays that "
     "it is given"),
    (r"unsupported NumPy function 'numpy\.(\w+)'", "a device has no np.{0}"),
    (r"<ufunc '(\w+)'>", "a device has no np.{0}: `math` has such functions, of one number"),
    ("use of yield in a closure", "a device has no generators: write the loop that goes over the numbers"),
    (r"Function\(<function (shared|local)\.array", "the shape in cuda.{0}.array is known before the "
     "kernel runs: "
     "numbers, and names outside of it"),
    (r"of type list|list\(|build_list", "a device has no lists: cuda.local.array is memory of one thread"),
    ("DictType", "a device has no dictionaries"),
    (r"_ol_array_allocate|<built-in function (?:zeros|ones|empty|full|array)>|NRT required", "a kernel "
     "cannot ask for memory while it runs: no new arrays, "
     "no arithmetic with slices"),
    (r"Untyped global name '(\w+)': Cannot determine Numba type of <class 'function'>",
     "{0} is an ordinary function: what a kernel calls is decorated with @cuda.jit(device=True)"),
    (r"Untyped global name '(\w+)'", "{0} is nothing that a kernel can use: numbers, tuples of them, and "
     "device functions"),
    (r"NameError: (name '\w+' is not defined)", "{0}"),
    (r"module 'numba\.cuda' has no attribute '(\w+)'", "there is no cuda.{0}"),
    (r"Unknown attribute '(\w+)' of type (\S+)", "{1} has no `{0}` on a device"),
    (r"Storing double to ptr of i64 \('(\w+)", "{0} is an integer at first and then a float: on a device "
     "a variable "
     "keeps its type; `//` stays an integer"),
    (r"Storing (\S+) to ptr of (\S+) \('(\w+)", "{2} is {1} at first and becomes {0}: on a device a "
     "variable keeps its type"),
    (r"Cannot unify (\S+) and (\S+) for '(\w+)", "{2} is {0} at first and {1} later: on a device a "
     "variable keeps its type"),
    ("exception_match", "a device has no try and except"),
    (r">>> \w+\((none, \S+|\S+, none)\)", "one of the two is None here: on a device a variable keeps its "
     "type, a number's"),
    (r">>> (?:static_)?(?:get|set)item\((\w+\d+), ", "{0} is one number, and has no index"),
    ("unicode_type|printing unimplemented", "a device has no texts"),
    ("unsupported opcode", "numba does not compile this kind of statement"),
)  # fmt: skip
WHOLE = "a thread computes with one number at a time: write a loop over the array's numbers"
WIDE = (
    "{count} instructions are in float64 once it is compiled: an integer divided by `/` is one, and so is "
    "a float32 beside an "
    "integer or a Python number"
)
LOCAL = (
    "{count} bytes of a thread's memory are off the chip (local memory): an index there is known only "
    "when it runs"
)


def refuse(reply, functions, local):
    """KernelError, from the learner's line, for what does not compile, or has float64 or `local` memory."""
    if "error" in reply:
        function, line = place(reply["places"], functions)
        if "void return" in reply["said"]:
            function, line = functions[0], returns(functions[0]) or line
        code = getline(function.__code__.co_filename, line)
        raise_at(
            KernelError(f"it does not compile for a device: {sentence(reply['said'], code)}"), function, line
        )
    if reply["float64"]:
        said = WIDE.format(count=reply["float64 instructions"])
        raise_at(KernelError(said), *place(reply["float64"], functions))
    if reply["local bytes"] and not local:
        said = LOCAL.format(count=reply["local bytes"])
        raise_at(KernelError(said), *place(reply["local"], functions, kernel_first=True))


def sentence(said, code):
    """What numba's message means."""
    for pattern, meaning in SENTENCES:
        if found := re.search(pattern, said):
            if "ufunc" in pattern and f".{found[1]}" not in code:
                return WHOLE
            return meaning.format(*found.groups())
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith("Failed in")]
    return f"numba says {lines[0]!r}" if lines else "numba does not say why"


def place(places, functions, kernel_first=False):
    """The function that the first of these lines belongs to, and the line; else the kernel and its first.

    A function that a test brings is to blame last. With `kernel_first`, the kernel's own lines come first:
    one access by an index that is known only when it runs puts an array in local memory, for the functions
    that it is given to as well.
    """
    found = []
    for file, line in places:
        for function in functions:
            code = function.__code__
            lines = {number for *_, number in code.co_lines() if number}
            here = os.path.basename(file) == os.path.basename(code.co_filename)
            if here and line in lines and (line > code.co_firstlineno or len(lines) == 1):
                found.append((function, line))
    found.sort(key=lambda each: (is_brought(each[0]), kernel_first and each[0] is not functions[0]))
    return found[0] if found else (functions[0], functions[0].__code__.co_firstlineno)


def is_brought(function):
    """Whether a function is none of the lesson's: it stands in a test, or in a cell that exports nothing."""
    path = function.__code__.co_filename
    return f"{os.sep}tinytorch{os.sep}" not in path and "#| export" not in map(str.strip, getlines(path))


def returns(function):
    """The line in which a function returns something, if it does."""
    code = function.__code__
    lines = range(code.co_firstlineno, max(number or 0 for *_, number in code.co_lines()) + 1)
    for number in lines:
        if re.match(r"\s*return\b\s*[^\s#]", getline(code.co_filename, number)):
            return number
    return None


def raise_at(error, function, line):
    """Raise an error as if this line of a function had: so it is shown where it belongs."""
    code = compile("\n" * (line - 1) + "raise error", function.__code__.co_filename, "exec")
    code = code.replace(co_name=function.__name__, co_qualname=function.__code__.co_qualname)
    exec(code, function.__globals__, {"error": error})
