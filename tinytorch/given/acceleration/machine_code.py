"""What numba makes of a kernel, in the language of LLVM, and how wide its vectors are."""

import re

import numba

__all__ = []


def llvm(compiled, *arguments):
    """The code that numba makes of a function for such arguments.

    What comes from the disk has no code, so it is compiled once more, with the same options.
    """
    signature = tuple(map(numba.typeof, arguments))
    if signature not in compiled.overloads or signature in compiled.stats.cache_hits:
        options = {name: value for name, value in compiled.targetoptions.items() if name != "nopython"}
        compiled = numba.njit(**options)(compiled.py_func)
        compiled.compile(signature)
    return compiled.inspect_llvm(signature)


def vectors(compiled, *arguments, kind="float"):
    """How many multiplications and additions take so many numbers at a time, as a dict.

    Args:
        compiled, arguments: a kernel, and what it is called with.
        kind: "float" for float32; or "i16" for int16, of which multiplications alone are counted.

    >>> import numpy as np
    >>> @numba.njit
    ... def half(x):
    ...     return x * np.float32(0.5)
    >>> vectors(half, np.float32(1))
    {1: 1}
    """
    code = llvm(compiled, *arguments)
    operations = "f(?:mul|add|sub)" if kind == "float" else "mul"
    found = re.findall(rf"= {operations} [a-z ]*(?:<(\d+) x {kind}>|({kind}) )", code)
    widths = [int(wide or 1) for wide, _ in found]
    return {width: widths.count(width) for width in sorted(set(widths))}
