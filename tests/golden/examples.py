"""PyTorch's own examples, read out of its docstrings where it is installed, and run on both frameworks.

A docstring counts where all of its statements run on PyTorch, give the same twice, and need nothing that tinytorch leaves out.
What they print and what the names they bind are at the end is compared with what PyTorch gave here, from the same seed.
"""

import contextlib
import doctest
import importlib
import inspect
import io
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from types import ModuleType
from typing import Any, NamedTuple

import golden
import numpy as np

from tinytorch._namespaces import needs

PLACES = (
    "torch.Tensor",  # whose methods the older types repeat
    "torch",
    "torch.nn",
    "torch.nn.functional",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.linalg",
)
FURTHER = (
    "torch.special",
    "torch.distributions",
    "torch.nn.utils",
    "torch.nn.init",
    "torch.utils.data",
    "torch.autograd",
)
SECONDS = 10
MOST = 10_007  # elements of a tensor that are compared; a prime, so that a sample keeps to no column
NEAR_ZERO = 1e-5  # below this a print shows rounding errors
SURROUNDINGS = """
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
input, target, loss_fn = torch.randn(4, 3), torch.randn(4, 2), nn.MSELoss()
dataset = [(input, target)]
train = validate = lambda *args, **kwargs: None
"""  # what examples of optimizers and schedulers take as known
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|inf|nan)(?![\w])")


class Ran(NamedTuple):
    """What the examples of a docstring printed, one text for each, and what they bound; or why they stopped."""

    printed: list[str]
    bound: dict[str, Any]
    error: str | None = None


# Reading --------------------------------------------------------------------------------------------------
def docstrings(framework, places) -> dict[str, str]:
    """The docstrings with examples of what a place has, and of the methods of its classes, each text once."""
    found = {}
    for place in places:
        home = (
            getattr(framework, place.partition(".")[2])
            if place == "torch.Tensor"
            else importlib.import_module(place)
        )
        for name, value in members(home):
            inside = members(value) if inspect.isclass(value) and name != "Tensor" else ()
            for path, one in [(name, value), *((f"{name}.{method}", of) for method, of in inside)]:
                text = getattr(one, "__doc__", None)
                if isinstance(text, str) and ">>>" in text and text not in found.values():
                    found[f"{place}.{path}"] = text
    return found


def members(home) -> Iterator[tuple[str, Any]]:
    """The public names of a module or a class that are no modules, and none of another library's."""
    for name in dir(home):
        value = None if name[0] == "_" or name.endswith("Storage") else getattr(home, name, None)
        library = (getattr(value, "__module__", None) or "torch").partition(".")[0]
        if not isinstance(value, ModuleType) and library not in ("typing", "collections"):
            yield name, value


def statements(text: str) -> list[str]:
    """The examples of a docstring, also where `>>>` stands before the lines of a block; none where they cannot be read."""
    text = re.sub(r"(?m)^(\s*)>>>(?=  )", r"\1...", text)
    try:
        return [example.source for example in doctest.DocTestParser().get_examples(text)]
    except ValueError:
        return []


# Running --------------------------------------------------------------------------------------------------
def run(framework, text: str, place: str = "torch") -> Ran:
    """Run the examples of a docstring, from a seed, as they would be typed beside the names of a place."""
    framework.manual_seed(0)
    np.random.seed(0)
    home = importlib.import_module(place) if place not in ("torch", "torch.Tensor") else None
    scope = {name: getattr(home, name) for name in dir(home) if name[0] != "_" and hasattr(home, name)}
    scope |= {"torch": framework, "nn": framework.nn, "F": framework.nn.functional, "np": np}
    scope["__name__"] = "__main__"
    exec(SURROUNDINGS, scope)
    given, printed = dict(scope), []
    for source in statements(text):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            try:
                exec(compile(source, "<example>", "single"), scope)
            except BaseException as error:  # an example may also exit, or take too long
                reason = traceback.format_exception_only(error)[-1].strip()
                return Ran(printed, {}, f"{source.strip().splitlines()[0]}: {reason.splitlines()[0]}")
        printed.append(output.getvalue())
    bound = {name: of for name, of in scope.items() if name[0] != "_" and given.get(name) is not of}
    return Ran(printed, {name: settled(framework, value) for name, value in bound.items() if compared(value)})


def compared(value) -> bool:
    """Whether a value can be laid beside another framework's."""
    return (
        not isinstance(value, ModuleType | type)
        and not inspect.isroutine(value)
        and not inspect.isgenerator(value)
    )


def settled(framework, value):
    """A value with nothing of its framework left in it."""
    try:
        return thinned(golden.plain(framework, value))
    except (TypeError, RuntimeError):  # PyTorch's tensors that NumPy cannot hold
        return str(value)


def thinned(tree):
    """The same values, with a sample in place of the elements of a large tensor: some examples have 100 MB."""
    if isinstance(tree, golden.Leaf) and tree.array.size > MOST:
        sample = tree.array.ravel()[:: tree.array.size // MOST].copy()
        return {"shape": list(tree.array.shape), "some elements": golden.Leaf(sample, tree.requires_grad)}
    if isinstance(tree, dict):
        return {name: thinned(item) for name, item in tree.items()}
    return [thinned(item) for item in tree] if type(tree) is list else tree


def alone(text: str, place: str, litter: bool) -> Ran:
    """Run the examples in a process of their own, where what they set, break or wait for ends with them."""
    framework = importlib.import_module("torch")
    receiving, sending = multiprocessing.Pipe(duplex=False)
    if (child := os.fork()) == 0:
        with open(os.devnull, "w") as nowhere, warnings.catch_warnings():
            os.dup2(nowhere.fileno(), 2)
            warnings.simplefilter("ignore")
            os.chdir(tempfile.mkdtemp())
            signal.signal(signal.SIGALRM, interrupt)
            signal.alarm(SECONDS)
            if litter:  # memory that nobody filled then holds something else than the first time
                [framework.full((count,), 7.25) for count in range(1, 300)]
            try:
                sending.send(run(framework, text, place))
            finally:
                os._exit(0)
    sending.close()
    try:
        if receiving.poll(SECONDS + 1):
            return receiving.recv()
        os.kill(child, signal.SIGKILL)  # what waits in C is not interrupted
        return Ran([], {}, f"took more than {SECONDS} seconds")
    except (EOFError, OSError):  # it ended before it had sent, or while it did
        return Ran([], {}, "the process ended")
    finally:
        os.waitpid(child, 0)


def all_alone(texts: dict[str, str], places, litter: bool = False) -> dict[str, Ran]:
    return {name: alone(text, place_of(name, places), litter) for name, text in texts.items()}


def place_of(name: str, places) -> str:
    return max((place for place in places if name.startswith(f"{place}.")), key=len)


def interrupt(*_):
    raise TimeoutError(f"took more than {SECONDS} seconds")


def bind(name: str) -> None:
    """Let `import torch` give this framework in this process."""
    framework = importlib.import_module(name)
    sys.modules["torch"] = framework
    for place in ("torch.nn.functional", *PLACES, *FURTHER):
        if place not in ("torch", "torch.Tensor"):
            importlib.import_module(place)
    run(framework, ">>> optimizer.step()")  # what that imports, every process below then has


def all_docstrings(places) -> dict[str, str]:
    return docstrings(importlib.import_module("torch"), places)


def process(name: str) -> ProcessPoolExecutor:
    """A process in which `torch` is this framework."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=bind, initargs=(name,))


# Comparing ------------------------------------------------------------------------------------------------
def difference(wanted: Ran, got: Ran) -> str | None:
    """The first difference between two runs of a docstring, in one line."""
    if got.error:
        return got.error
    for theirs, ours in zip(wanted.printed, got.printed, strict=True):
        if not same_print(theirs, ours):
            return f"prints {' '.join(ours.split())!r}, PyTorch {' '.join(theirs.split())!r}"
    for name, theirs in wanted.bound.items():
        if name not in got.bound:
            return f"binds no {name}"
        ours = got.bound[name]
        if isinstance(theirs, str) and isinstance(ours, str):
            if not same_print(theirs, ours):
                return f"{name} is {ours!r}, PyTorch's {theirs!r}"
        elif found := next(golden.differences(theirs, ours, 100, name), None):
            return found
    return None


def same_print(theirs: str, ours: str) -> bool:
    """Equal texts, but for the numbers' last digits, how they are set in columns, and addresses."""
    pair = [re.sub(r"<[\w.]*?(\w+) object at 0x\w+>", r"<\1>", text) for text in (theirs, ours)]
    pair = [text.replace("tinytorch.", "torch.") for text in pair]
    if len({"".join(NUMBER.sub("#", text).split()) for text in pair}) > 1:
        return False
    theirs, ours = ([found.group() for found in NUMBER.finditer(text)] for text in pair)
    return all(map(close, theirs, ours))


def close(theirs: str, ours: str) -> bool:
    """Whether two printed numbers are the same but for the last digits printed."""
    if not {".", "e"} & set(theirs):
        return float(theirs) == float(ours) or theirs == ours
    digits = len(theirs.partition("e")[0].partition(".")[2])
    last = 0 if "e" in theirs else 2 * 10.0**-digits * (digits > 2)
    return bool(np.isclose(float(ours), float(theirs), rtol=1e-3, atol=max(last, NEAR_ZERO), equal_nan=True))


def examine(places=PLACES + FURTHER, names=()) -> dict[str, list[tuple[str, str, str | None]]]:
    """What became of each docstring of each place, or of these: its name, the kind of end, the first difference."""
    with process("torch") as theirs, process("tinytorch") as ours:
        texts = theirs.submit(all_docstrings, places).result()
        texts = {name: text for name, text in texts.items() if name in names or not names}
        rows = {place: [] for place in places}
        ran = theirs.submit(all_alone, texts, places).result()
        wanted = {name: one for name, one in ran.items() if not one.error}
        chosen = {name: texts[name] for name in wanted}
        second = theirs.submit(all_alone, chosen, places, True)
        got, again = ours.submit(all_alone, chosen, places).result(), second.result()
    for name in texts:
        place = place_of(name, places)
        if name not in wanted:
            rows[place].append((name, "not run", None))
        elif reason := needs("".join(statements(texts[name]) + wanted[name].printed)):
            rows[place].append((name, "out", reason))
        elif difference(wanted[name], again[name]):
            rows[place].append((name, "unsettled", None))
        else:
            found = difference(wanted[name], got[name])
            rows[place].append((name, "differs" if found else "same", found))
    return rows


def report(rows) -> list[str]:
    """A line for each place, and one for each docstring that gives something else here."""
    lines = []
    for place, found in rows.items():
        count = Counter(kind for _, kind, _ in found)
        counted = count["same"] + count["differs"]
        lines.append(
            f"{place:24} {len(found):4} with examples, {len(found) - count['not run']:4} run on PyTorch, "
            f"{count['out']:3} need what stays out, {count['unsettled']:2} settle on nothing, "
            f"{count['same']:4} of {counted:4} are the same here ({100 * count['same'] / max(1, counted):.1f} %)"
        )
    differing = [(name, line) for found in rows.values() for name, kind, line in found if kind == "differs"]
    return lines + [f"    {name}: {line[:160]}" for name, line in differing]


if __name__ == "__main__":
    asked = sys.argv[1:]  # places, or names of docstrings such as torch.linalg.inv
    places = [one for one in asked if one in PLACES + FURTHER] or PLACES + FURTHER
    print(*report(examine(places, set(asked).difference(places))), sep="\n")
