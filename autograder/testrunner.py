"""Run the tests of stubs, and report for each failure what was expected and what was returned.

`make test-module`, a notebook's `%%test` cells and `make mutants` all run tests with this, each in the same
way: with a time limit, from the same random numbers, and keeping what an assertion compares for the
explanation.
"""

import ast
import ctypes
import io
import json
import linecache
import os
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from traceback import walk_tb
from types import CodeType, FrameType, ModuleType, SimpleNamespace

from autograder import EXPORT
from autograder.limits import PATIENCE, PRINTED, SECONDS, limit_memory

BLANK = "raise NotImplementedError"  # what a stub holds before it is written
AGAIN = 1  # second after which a loop that swallows what stops it is stopped again
LINES, WIDTH = 12, 160  # of what is shown
THEIRS = "AssertionError of the module"  # and not of a test
SKIPPED = "what a test ran has skipped it, and only a test that passes counts"

# What an assertion compares, as it says what was wanted; of `is` only what reads differently helps.
WANTED = {
    ast.Eq: "",
    ast.Is: "",
    ast.Lt: "less than ",
    ast.LtE: "at most ",
    ast.Gt: "more than ",
    ast.GtE: "at least ",
}
COMPARING = ("array_equal", "allclose", "isclose", "equal")  # functions of what came and what was wanted

# How NumPy's assertions and pytest's begin to say what came back, and which of their lines help nobody.
CAME_BACK = re.compile(
    r"Mismatch|First \d+ mismatch|\(shapes|.*location mismatch| ?ACTUAL:| ?DESIRED:|Regex pattern"
)
NOISE = re.compile(r"Mismatch at|First \d+ mismatch| \[[\d, ]+\]: |Max (absolute|relative)")
TITLE = re.compile(r"(Not equal to tolerance|Arrays are not|Items are not equal:).*")


class Timeout(BaseException):
    """A test runs for too long. `except Exception` around an endless loop does not catch it."""


@dataclass(frozen=True)
class Place:
    """A line of the learner's code that a failing test went through."""

    module: str
    function: str
    line: str
    statement: str


@dataclass(frozen=True)
class Failure:
    """Why a test failed, or why its module could not be imported (then it has no name)."""

    test: str
    error: str  # the type of what was raised
    asked: str  # what was wanted, where the test says it
    came_back: str
    ran: str = ""  # the statement of the test
    places: tuple[Place, ...] = ()  # on the way into the learner's code, the deepest last
    unwritten: bool = False  # the deepest is a stub that has not been written

    def __str__(self):
        said = "; ".join(filter(None, (self.asked, self.came_back))).replace("\n", " ")
        return f"{self.error}: {said} in {self.test or 'the module'}"


@dataclass(frozen=True)
class Outcomes:
    """What the tests of a module gave: the failures of each stub, or why the module could not be imported."""

    broken: Failure | None
    failures: dict[str, list[Failure]]
    printed: dict[str, str] = field(default_factory=dict)  # by the stub whose tests ran; "" for the import
    remark: str = ""  # by what the tests ran with


def read(text: str) -> Outcomes:
    """What `main` has written."""
    found = json.loads(text)
    failures = {stub: list(map(_failure, failures)) for stub, failures in found["failures"].items()}
    broken = _failure(found["broken"]) if found["broken"] else None
    return Outcomes(broken, failures, found["printed"], found["remark"])


def _failure(fields: dict) -> Failure:
    return Failure(**fields | {"places": tuple(Place(**place) for place in fields["places"])})


def main(path: str, target: str, seconds: str, megabytes: str, *left_out: str) -> None:
    """Run a file of tests except those of some stubs, and write the results as JSON.

    A kernel that writes out of bounds ends the process, so the name of the tested stub is written to a file
    first, and what it prints is written at once.
    """
    limit_memory(int(megabytes) << 20)
    source, found = Path(path).read_text(encoding="utf-8"), Outcomes(None, {})
    tests = ModuleType(Path(path).stem)
    sys.modules[tests.__name__], sys.modules["pytest"] = tests, marks_only()
    with Printed(target) as printed, redirect_stdout(printed):
        broken = attempt("", lambda: exec(compiled(source, path), vars(tests)), SECONDS, path)
        if broken:
            found = replace(found, broken=broken, printed={"": printed_in(target)})
        for stub, functions in by_stub(vars(tests)).items():
            if stub not in left_out and not broken:
                in_test(target).write_text(stub, encoding="utf-8")
                printed.begin()
                found.failures[stub] = list(failures(functions, float(seconds), path))
                found.printed[stub] = printed_in(target)
                if any(failure.error == Timeout.__name__ for failure in found.failures[stub]):
                    seconds = float(seconds) / 4  # once a loop has been met, wait less for the next
    found = replace(found, remark=remark())
    Path(target).write_text(json.dumps(asdict(found)), encoding="utf-8")


def wait(*slugs: str) -> None:
    """Import what the tests will import, and be told by a line what `main` is to do: a process that starts before it is needed."""
    for name in ("numpy.testing", "pytest", *(f"tinytorch.{slug}" for slug in slugs)):
        with suppress(Exception):  # the tests will meet it again, and say so
            import_module(name)
    if line := sys.stdin.readline():
        os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())
        main(*json.loads(line))


def remark() -> str:
    """What is to be said of how kernels were tested, where module 17b's have been."""
    compiling = sys.modules.get("tinytorch.given.kernels.compiling")
    return compiling.remark() if compiling else ""


def marks_only() -> ModuleType:
    """What tests use of pytest: its marks at once, the rest on demand, because the import takes a third of a second."""
    module = ModuleType("pytest")

    def stub(name: str, points: int) -> Callable:
        def mark(test: Callable) -> Callable:
            test.pytestmark = [SimpleNamespace(args=(name,), kwargs={"points": points})]
            return test

        return mark

    def whole(name: str) -> object:
        if sys.modules.get("pytest") is module:
            del sys.modules["pytest"]
        real = import_module("pytest")
        vars(module).update(vars(real))
        return getattr(real, name)

    module.mark = SimpleNamespace(stub=stub)
    module.__getattr__ = whole
    return module


def in_test(target: str | Path) -> Path:
    """Where `main` keeps the name of the stub whose tests are running."""
    return Path(target).with_suffix(".stub")


def printed_in(target: str | Path) -> str:
    """The beginning of what was printed since the tests of the stub in test began."""
    path = Path(target).with_suffix(".printed")
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


class Printed(io.TextIOWrapper):
    """The beginning of what is printed, in a file, at once: what ends the process may come next."""

    def __init__(self, target: str):
        file = Path(target).with_suffix(".printed").open("wb", buffering=0)
        super().__init__(file, encoding="utf-8", errors="backslashreplace", write_through=True)
        self.left = PRINTED

    def begin(self) -> None:
        """Forget what was printed until now."""
        self.seek(0)
        self.truncate()
        self.left = PRINTED

    def write(self, text: str) -> int:
        super().write(text[: self.left])
        self.left -= min(len(text), self.left)
        return len(text)


def by_stub(namespace: dict) -> dict[str, list[Callable]]:
    """The tests of a file by the stub that they are marked with, in their order."""
    found = {}
    for value in filter(callable, namespace.values()):
        for mark in getattr(value, "pytestmark", ()):
            found.setdefault(mark.args[0], []).append(value)
    return found


def failures(tests: Iterable[Callable], seconds: float, path: str) -> Iterator[Failure]:
    """Run the tests of one stub, and describe those that fail; after one that does not end, no other is run."""
    for test in tests:
        if failure := attempt(test.__name__, test, seconds, path):
            yield failure
            if failure.error == Timeout.__name__:
                return


def attempt(name: str, test: Callable, seconds: float, path: str) -> Failure | None:
    """Run one test of the file `path`, and describe why it failed, if it did.

    Warnings are not shown, and what is written to stderr goes to stdout, because nbgrader takes it for a
    failure.
    """
    try:
        quiet = warnings.catch_warnings(action="ignore")
        with quiet, redirect_stderr(sys.stdout), same_numbers(), limit(seconds):
            test()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # `sys.exit` and pytest's own outcomes too
        if isinstance(error, MemoryError) and not error.args:
            error.args = ("no memory is left: does something grow without end?",)
        return describe(name, error, path)


def compiled(source: str, path: str) -> CodeType:
    """Compile tests so that a failing assertion leaves the values that it compared in its frame."""
    linecache.cache[path] = len(source), None, source.splitlines(keepends=True), path
    tree = ast.parse(source, path)
    return compile(ast.fix_missing_locations(_Keeping().visit(tree)), path, "exec")


class _Keeping(ast.NodeTransformer):
    """From `assert a == b, c` to `assert (@got := a) == (@wanted := b), c`, and after it nothing is kept."""

    def visit_Assert(self, node):
        part, _ = _compared(node.test)
        if part is None:
            return node
        if isinstance(part, ast.Compare):
            part.left = ast.NamedExpr(_name("@got"), part.left)
            part.comparators[0] = ast.NamedExpr(_name("@wanted"), part.comparators[0])
        else:
            part.args[0] = ast.NamedExpr(_name("@got"), part.args[0])
            part.args[1] = ast.NamedExpr(_name("@wanted"), part.args[1])
        forget = ast.Assign([_name("@got"), _name("@wanted")], ast.Constant(None))
        return [node, ast.copy_location(forget, node)]


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def _compared(test: ast.expr) -> tuple[ast.Compare | ast.Call | None, str]:
    """The comparison of what came with what was wanted in an assertion, and how the latter is introduced."""
    while isinstance(test, ast.Call) and ast.unparse(test).endswith(".all()"):
        test = test.func.value
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in WANTED:
        return test, WANTED[type(test.ops[0])]
    if isinstance(test, ast.Call) and len(test.args) > 1 and ast.unparse(test.func).endswith(COMPARING):
        return test, ""
    return None, ""


def describe(test: str, error: BaseException, path: str) -> Failure:
    """What the test of a file expected and ran, what was returned, and the path through the learner's code."""
    way = [
        (frame, line) for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename != __file__
    ]
    kinds = [(_kind(frame, path), frame, line) for frame, line in way]
    own = [
        (frame, _statements(frame.f_code.co_filename, line)) for kind, frame, line in kinds if kind == "test"
    ]
    own = [(frame, statements) for frame, statements in own if statements]
    inside = [(kind, frame.f_code, line) for kind, frame, line in kinds if kind not in ("test", "")]
    places = tuple(_place(*place) for place in dict.fromkeys(inside))
    theirs = bool(kinds) and kinds[-1][0] not in ("test", "")
    unwritten = theirs and places[-1].line == BLANK
    asked = next(filter(None, (_message(frame, statements[-1]) for frame, statements in own)), "")
    ran = _ran(own[0]) if own else ""
    failed = own[-1] if own and own[-1][0] is way[-1][0] else None
    if isinstance(error, AssertionError) and failed and isinstance(failed[1][-1], ast.Assert):
        asked, came_back = str(error), _came_back(failed[0], failed[1][-1])
    else:
        asked, came_back = _split(error, asked, theirs)
    kind = THEIRS if theirs and isinstance(error, AssertionError) else type(error).__name__
    return Failure(test, kind, cut(asked), cut(came_back), cut(ran), places, unwritten)


def _kind(frame: FrameType, path: str) -> str:
    """Where a frame is: in a "test" or its helpers, in the learner's module of this slug, or elsewhere: ""."""
    file = frame.f_code.co_filename
    if file == path:
        return "test"
    known = frame.f_globals.get(
        "__globals__", frame.f_globals
    )  # a simulated kernel has its own, made of these
    name = known.get("__name__", "")
    if name == "__main__":  # a notebook that stands for its module, with the helpers of the tests in it
        names = [key for key, module in list(sys.modules.items()) if getattr(module, "__dict__", 0) is known]
        if EXPORT not in map(str.strip, linecache.getlines(file)):
            return "test" if len(names) > 1 else ""
        name = next((key for key in names if key.startswith("tinytorch.")), "")
    package, _, slug = name.partition(".")
    return slug if package == "tinytorch" and "." not in slug and not slug.startswith("_") else ""


def _place(module: str, code: CodeType, line: int) -> Place:
    statements = _statements(code.co_filename, line)
    statement = ast.unparse(statements[-1]) if statements else ""
    return Place(module, code.co_qualname, linecache.getline(code.co_filename, line).strip(), statement)


def _statements(path: str, line: int) -> list[ast.stmt]:
    """The statements around a line, outer ones first."""
    return [s for s in statements(path) if s.lineno <= line <= s.end_lineno]


def statements(path: str) -> list[ast.stmt]:
    """All statements of a file, which is parsed once, and not again in a fork of a process that has parsed it."""
    return _parsed("".join(linecache.getlines(path)))


@cache
def _parsed(source: str) -> list[ast.stmt]:
    with suppress(SyntaxError):
        return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    return []


def _ran(own: tuple[FrameType, list[ast.stmt]]) -> str:
    """What a test ran: the innermost statement, with the `pytest.raises` around it."""
    frame, statements = own
    raises = (s for s in statements if isinstance(s, ast.With) and "pytest.raises" in ast.unparse(s.items[0]))
    statement = next(raises, statements[-1])
    if isinstance(statement, ast.Assert):
        return f"assert {ast.unparse(statement.test)}"
    lines = linecache.getlines(frame.f_code.co_filename)[statement.lineno - 1 : statement.end_lineno]
    return dedent("".join(lines)).strip()


def _message(frame: FrameType, statement: ast.stmt) -> str:
    """What a statement of a test says where it fails, unless saying it would run code."""
    calls = [part for part in ast.walk(statement) if isinstance(part, ast.Call)]
    words = {word.arg: word.value for call in calls for word in call.keywords}
    said = statement.msg if isinstance(statement, ast.Assert) else words.get("err_msg")
    if said is None or hasattr(statement, "body") or any(isinstance(n, ast.Call) for n in ast.walk(said)):
        return ""
    with suppress(Exception):  # a name that has no value yet
        return str(eval(compile(ast.Expression(said), "", "eval"), frame.f_globals, frame.f_locals))
    return ""


def _came_back(frame: FrameType, statement: ast.Assert) -> str:
    """What an assertion compared, or nothing if that is not informative."""
    part, introduced = _compared(statement.test)
    if part is None:
        return ""
    got, wanted = ((frame.f_locals | frame.f_globals).get(name) for name in ("@got", "@wanted"))
    with suppress(Exception):  # a learner's __repr__ may raise anything
        shown = _shown("got: ", got), _shown("wanted: ", wanted, introduced)
        different = _shown("", got) != _shown("", wanted, introduced)
        return "\n".join([*(shown if different else ()), *_first_difference(got, wanted)])
    return ""


def _shown(label: str, value: object, introduced: str = "") -> str:
    """A value with its label: text of several lines as it is, anything else as Python writes it, shortened."""
    if isinstance(value, str) and "\n" in value:
        return f"{label.strip()}\n{value}"
    return cut(f"{label}{introduced}{value!r}")


def _first_difference(got: object, wanted: object) -> Iterator[str]:
    """Where two sequences that are too long to be shown begin to differ."""
    if type(got) is type(wanted) and isinstance(got, list | tuple | str) and len(repr(got)) > WIDTH:
        for index, (one, other) in enumerate(zip(got, wanted)):
            if one != other:
                yield f"first difference, at {index}: got {one!r}, wanted {other!r}"
                return
        yield f"lengths: got {len(got)}, wanted {len(wanted)}"


def _split(error: BaseException, asked: str, theirs: bool) -> tuple[str, str]:
    """What was expected, if the assertion of a test says it, NumPy's or pytest's, and what was returned."""
    kind, lines = type(error).__name__, [line.rstrip() for line in str(error).splitlines() if line.strip()]
    if isinstance(error, AssertionError) and not theirs:
        said = []
        while lines and not CAME_BACK.match(lines[0]):
            said.append(lines.pop(0).removeprefix("Items are not equal:").strip())
        asked = "\n".join(line for line in said if line and not TITLE.match(line)) or asked
        lines = [line for line in lines if not NOISE.match(line)]
        lines = [line.replace(" ACTUAL:", "got:").replace(" DESIRED:", "wanted:") for line in lines]
    elif kind in ("Skipped", "SkipTest"):
        lines = [SKIPPED]
    elif kind == "Failed":  # pytest's
        lines = [line.replace("DID NOT RAISE", "it did not raise") for line in lines]
    else:
        lines[:1] = [": ".join([kind, *lines[:1]])]
    return asked, "\n".join(lines)


def cut(text: str, most: int = LINES) -> str:
    """The first lines of a text, none too long for a screen."""
    lines = [line.removesuffix(" ...") for line in text.splitlines()]
    cut = [line if len(line) <= WIDTH else f"{line[:WIDTH]} ..." for line in lines[:most]]
    return "\n".join([*cut, "..."] if len(lines) > most else cut)


@contextmanager
def same_numbers() -> Iterator[None]:
    """Start tinytorch's random numbers from a fixed seed, so that a test draws the same ones on every machine."""
    randomness = sys.modules.get("tinytorch.given.tensor.randomness")
    generator = getattr(randomness, "default_generator", None)
    if generator is None:  # which module 01 gives at its end
        yield
        return
    before = vars(generator).copy()
    generator.manual_seed(0)
    try:
        yield
    finally:
        vars(generator).update(before)


@contextmanager
def limit(seconds: float, patience: float = PATIENCE) -> Iterator[None]:
    """Stop code that takes more processor time, or many times more wall-clock time, because the machine may be busy."""

    said = f"still running after {seconds:g} seconds: is there a loop that never ends?"
    with (_alarms if hasattr(signal, "setitimer") else _watched)(seconds, patience, said):
        yield


@contextmanager
def _alarms(seconds: float, patience: float, said: str) -> Iterator[None]:
    """A limit by the system's timers, which interrupt what waits too."""

    def stop(*_):
        raise Timeout(said)

    clocks = {signal.ITIMER_PROF: (signal.SIGPROF, 1), signal.ITIMER_REAL: (signal.SIGALRM, patience)}
    before = {sent: signal.signal(sent, stop) for sent, _ in clocks.values()}
    for clock, (_, times) in clocks.items():
        signal.setitimer(clock, times * seconds, AGAIN)
    try:
        yield
    finally:
        for clock in clocks:
            signal.setitimer(clock, 0)
        for sent, handler in before.items():
            signal.signal(sent, handler)


@contextmanager
def _watched(seconds: float, patience: float, said: str) -> Iterator[None]:
    """A limit by a thread, where the system has no timers: on Windows. It stops Python code, not a call into a library."""
    stopped = type(Timeout.__name__, (Timeout,), {"__init__": lambda self: Timeout.__init__(self, said)})
    ours, ended, begun = threading.get_ident(), threading.Event(), (time.process_time(), time.monotonic())
    sent = threading.Event()

    def watch():
        while not ended.wait(min(AGAIN, seconds / 10)):
            if time.process_time() - begun[0] > seconds or time.monotonic() - begun[1] > patience * seconds:
                sent.set()
                _raise_in(ours, stopped)
                ended.wait(AGAIN)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
        if (
            sent.is_set()
        ):  # what was to be raised still is replaced and taken: removed, it would leave Python 3.11 in a loop
            with suppress(Timeout):
                _raise_in(ours, stopped)


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))


if __name__ == "__main__":
    main(*sys.argv[1:]) if sys.argv[1] != "wait" else wait(*sys.argv[2:])
