"""What changes of a learner's code do to small calls: found by running them, in processes that may hang or die.

The calls are those that a stub's tests make of it, and the examples of its docstrings. Each is kept as the text that is shown,
its numbers rounded, and that text is what runs: on the code as it is, and on the code with each change.
"""

import doctest
import inspect
import json
import os
import random
import re
import select
import signal
import sys
import time
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module

import numpy as np

from autograder import changes, lesson, testrunner
from autograder.limits import limit_memory

NUMBERS, CHARACTERS, ITEMS = 12, 160, 8  # in a value that is shown
SAME_VALUE = 2  # programs that give one and the same
PROGRAMS, CHANGES, RECORDED = 10, 24, 60  # of a stub
QUICK, SECONDS, RECORDING = (
    0.1,
    0.3,
    3,
)  # of the processor's time, for a program as it is, and changed; for the tests
PATIENCE, BY_THE_CLOCK = 10, 15  # so many times longer for a program, and so long for what a fork does
FULL, SHOWN = 12, 4  # digits
PLAIN = {np.dtype(kind) for kind in ("float64", "int64", "bool")}


class Unshowable(Exception):
    """A value that a line of code does not show."""


class Enough(BaseException):
    """As many calls as are wanted have been recorded."""


def main() -> None:
    """Read a job, and write for each of its stubs a line: its programs, and what they give with each change."""
    job = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    limit_memory(job["megabytes"] << 20)
    warnings.simplefilter("ignore")
    random.seed(job["seed"])
    sys.modules["pytest"], tests = testrunner.marks_only(), types.ModuleType("tests")
    sys.modules["tests"] = tests
    try:
        with open(job["tests"], encoding="utf-8") as file:
            exec(compile(file.read(), job["tests"], "exec"), vars(tests))
        learners = import_module(f"tinytorch.{job['slug']}")
    except BaseException as error:
        answers.write(json.dumps({"broken": f"{type(error).__name__}: {error}"}))
        return
    by_stub = testrunner.by_stub(vars(tests))
    for name, source in job["stubs"].items():
        found = Trials(learners, source, by_stub.get(name, [])).found()
        answers.write(json.dumps({"stub": name} | found) + "\n")
        answers.flush()


class Trials:
    """A stub, the calls of its functions, and what comes of them."""

    def __init__(self, learners: types.ModuleType, source: str, tests: Iterable[Callable]):
        self.source, self.tests = source, tests
        defined = {name: _function(learners, name) for name in lesson.definitions(changes.ast.parse(source))}
        self.functions = {name: function for name, function in defined.items() if function}
        self.namespace = vars(import_module("tinytorch.tensor")) | vars(learners) | {"np": np}
        self.namespace |= {"inf": np.inf, "nan": np.nan}

    def found(self) -> dict:
        """The programs with what they give, and the changes with what they give then: an outcome for each program."""
        texts = list(dict.fromkeys([*self.examples(), *forked(self.recorded, BY_THE_CLOCK)]))
        before, again = (list(self.given(self.source, texts, seed)) for seed in (0, 1))
        kept, seen = [], []
        for text, outcome, other in sorted(zip(texts, before, again), key=lambda each: len(each[0])):
            if outcome == other and outcome["kind"] == "value" and seen.count(outcome["shown"]) < SAME_VALUE:
                seen.append(outcome["shown"])
                kept.append((text, outcome))
        kept = sorted(
            random.sample(kept[: 2 * PROGRAMS], min(PROGRAMS, len(kept))), key=lambda each: len(each[0])
        )
        possible = [change for change in changes.changes(self.source) if change.function in self.functions]
        made = []
        programs = [text for text, _ in kept]
        for change in random.sample(possible, min(CHANGES, len(possible))) if kept else ():
            outcomes = list(self.given(change.source, programs))
            outcomes += [{"kind": "unknown"}] * (len(programs) - len(outcomes))
            fields = {key: getattr(change, key) for key in ("function", "line", "last", "old", "new")}
            made.append(fields | {"outcomes": outcomes})
        programs = [{"text": text, "outcome": outcome} for text, outcome in kept]
        return {"programs": programs, "changes": made, "possible": len(possible)}

    def given(self, source: str, programs: Sequence[str], seed: int | None = None) -> Iterator[dict]:
        """What programs give, until one does not end or ends its process."""
        yield from forked(partial(self.outcomes, source, programs, seed), BY_THE_CLOCK)

    def examples(self) -> list[str]:
        """The examples of the docstrings that end in a value, each with the lines above it."""
        found = []
        for function in lesson.definitions(changes.ast.parse(self.source)).values():
            lines = []
            for example in doctest.DocTestParser().get_examples(changes.ast.get_docstring(function) or ""):
                lines.append(example.source.strip())
                if (
                    example.want
                    and example.exc_msg is None
                    and len(lines) <= 4
                    and len(lines[-1].split("\n")) == 1
                ):
                    found.append("\n".join(lines))
        return found

    def recorded(self) -> Iterator[str]:
        """The calls that the tests make of the functions, as programs."""
        names, found = {function.__code__: name for name, function in self.functions.items()}, {}

        def note(frame, event, _):
            if event == "call" and frame.f_code in names:
                name = names[frame.f_code]
                with suppress(Exception):
                    for text in self.programs(name, self.functions[name], frame):
                        found.setdefault(text)
                if len(found) >= RECORDED:
                    raise Enough

        with suppress(BaseException), testrunner.same_numbers(), testrunner.limit(RECORDING):
            for test in self.tests:
                sys.setprofile(note)
                with suppress(Exception):
                    test()
        sys.setprofile(None)
        yield from found

    def programs(self, name: str, function: types.FunctionType, frame: types.FrameType) -> Iterator[str]:
        """The call that begins in a frame, and a second program that looks at its arguments afterwards."""
        lines, written, objects = [], [], []
        skipped, arguments = False, list(inspect.signature(function).parameters.values())
        owner, _, method = name.rpartition(".")
        bound = bool(owner) and arguments[:1] and arguments[0].name == "self"
        for argument in arguments:
            value = frame.f_locals[argument.name]
            if argument.kind is argument.VAR_POSITIONAL:
                written += [self.show(each, 1) for each in value]
            elif argument.kind is argument.VAR_KEYWORD:
                written += [f"{key}={self.show(each, 1)}" for key, each in value.items()]
            elif type(value).__name__ == "Context":
                made, state = self.context(value)
                lines += [f"ctx = {made}", *state] if state else []
                written.append("ctx" if state else made)
            elif argument.default is not argument.empty and value is argument.default:
                skipped = True
            else:
                shown = self.show(value, 1)
                if isinstance(value, np.ndarray | list | dict) or hasattr(value, "array"):
                    objects.append((argument.name, shown))
                keyword = skipped or argument.kind is argument.KEYWORD_ONLY
                written.append(f"{argument.name}={shown}" if keyword else shown)
        called = f"{written.pop(0)}.{method}" if bound else name
        whole = f"{called}({', '.join(written)})"
        if inspect.isgeneratorfunction(function):
            whole = f"list({whole})"
        yield "\n".join([*lines, whole])
        if objects and "return" not in re.sub(r"return\s*$", "", inspect.getsource(function), flags=re.M):
            for key, shown in objects:
                whole = whole.replace(shown, key, 1)
            values = ", ".join(key for key, _ in objects)
            before = [*lines, *(f"{key} = {shown}" for key, shown in objects)]
            changed, same = (
                self.outcome("\n".join(each), 0) for each in ([*before, whole, values], [*before, values])
            )
            if changed != same:
                yield "\n".join([*before, whole, values])

    def context(self, ctx: object) -> tuple[str, list[str]]:
        """What makes a Context, and the lines that give it what it holds; an edge is only there or not."""
        edges = tuple(None if edge is None else True for edge in ctx.edges)
        saved = ", ".join(self.show(each, 1) for each in ctx.saved)
        state = [f"ctx.save_for_backward({saved})"] if saved else []
        for key in dict.fromkeys(re.findall(r"\bctx\.(\w+)", self.source)):  # what the code reads
            if key in vars(ctx) and key not in ("edges", "saved"):
                state.append(f"ctx.{key} = {self.show(vars(ctx)[key], 1)}")
        return f"Context(edges={edges})" if edges and state else "Context()", state

    def outcomes(self, source: str, programs: Iterable[str], seed: int | None) -> Iterator[dict]:
        """What programs give while the functions are those of this source; with a change, nothing more after one without end."""
        codes = {code.co_qualname: code for code in _codes(compile(source, "<stub>", "exec"))}
        for name, function in self.functions.items():
            function.__code__ = codes[name]
        for program in programs:
            yield (outcome := self.outcome(program, seed))
            if outcome["kind"] == "ends" and seed is None:
                return

    def outcome(self, program: str, seed: int | None) -> dict:
        """A value as it is shown and in full, or the error that came."""
        namespace, tree = dict(self.namespace), changes.ast.parse(program)
        last = changes.ast.Expression(tree.body.pop().value)
        try:
            with testrunner.same_numbers(), testrunner.limit(SECONDS if seed is None else QUICK, PATIENCE):
                if seed and "tinytorch.given.tensor.randomness" in sys.modules:
                    sys.modules["tinytorch.given.tensor.randomness"].default_generator.manual_seed(seed)
                exec(compile(tree, "<program>", "exec"), namespace)
                value = eval(compile(last, "<program>", "eval"), namespace)
                if value is None:
                    return {"kind": "nothing", "shown": "None"}
                return {
                    "kind": "value",
                    "shown": self.show(value, SHOWN, False),
                    "full": self.show(value, FULL, False),
                }
        except Unshowable as error:
            return {"kind": "unknown", "shown": str(error)}
        except testrunner.Timeout:
            return {"kind": "ends"}
        except BaseException as error:
            said = (str(error).splitlines() or [""])[0]
            return {"kind": "error", "shown": f"{type(error).__name__}: {said}"[:CHARACTERS]}

    def show(self, value: object, digits: int, is_argument: bool = True) -> str:
        """A value as code that makes it; numbers of an argument's arrays have so many digits after the point."""
        text = self._show(value, digits, is_argument)
        if len(text) > CHARACTERS:
            raise Unshowable
        return text

    def _show(self, value: object, digits: int, given: bool) -> str:
        def show(each):
            return self._show(each, digits, given)

        kind = type(value)
        if kind in (bool, int, str, bytes, types.NoneType, range, slice):
            return repr(value)
        if kind is float:
            return repr(value if given and len(repr(value)) < 8 else float(f"{value:.{max(3, digits)}g}"))
        if isinstance(value, np.generic):
            return f"np.{value.dtype.name}({show(value.item())})"
        if isinstance(value, np.ndarray):
            kept = "" if value.dtype in PLAIN else f", np.{value.dtype.name}"
            return f"np.array({_numbers(value, digits, given)}{kept})"
        if kind.__name__ in ("Tensor", "Parameter") and isinstance(value.array, np.ndarray):
            kept = (
                ""
                if value.array.dtype.name in ("float32", "int64", "bool")
                else f", dtype={value.array.dtype.name}"
            )
            kept += ", requires_grad=True" if value.requires_grad and kind.__name__ == "Tensor" else ""
            text = f"tensor({_numbers(value.array, digits, given)}{kept})"
            return f"Parameter({text})" if kind.__name__ == "Parameter" else text
        if isinstance(value, tuple | list | set | frozenset) and len(value) > ITEMS:
            raise Unshowable
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return (
                f"{kind.__name__}({', '.join(f'{key}={show(getattr(value, key))}' for key in value._fields)})"
            )
        if isinstance(value, tuple):
            return f"({', '.join(map(show, value))}{',' * (len(value) == 1)})"
        if kind is list:
            return f"[{', '.join(map(show, value))}]"
        if isinstance(value, dict) and len(value) <= ITEMS:
            return f"{{{', '.join(f'{show(key)}: {show(each)}' for key, each in value.items())}}}"
        if isinstance(value, set | frozenset) and value:
            return f"{{{', '.join(sorted(map(show, value)))}}}"
        if isinstance(value, Iterator) and not given:
            return f"iter([{', '.join(show(each) for each, _ in zip(value, range(ITEMS + 1)))}])"
        name = getattr(value, "__name__", str(value).rpartition(".")[2])
        if self.namespace.get(name) is value:
            return name
        if getattr(np, name, None) is value:
            return f"np.{name}"
        if self.namespace.get(kind.__name__) is kind and isinstance(
            vars(kind).get("__init__"), types.FunctionType
        ):
            wanted = list(inspect.signature(kind).parameters)
            if vars(value).keys() != set(wanted):  # it has a state of its own
                raise Unshowable(f"a value of type {kind.__name__}")
            return f"{kind.__name__}({', '.join(f'{key}={show(vars(value)[key])}' for key in wanted)})"
        raise Unshowable(f"a value of type {kind.__name__}")


def _numbers(array: np.ndarray, digits: int, given: bool) -> str:
    """The numbers of a small array as nested lists."""
    if not (1 if given else 0) <= array.size <= NUMBERS or array.dtype.kind not in "biuf":
        raise Unshowable
    if array.dtype.kind != "f":
        return str(array.tolist())
    wide = array.astype(float)
    if given:  # what one can compute with by hand
        rounded = (2 * wide).round() / 2 if np.abs(wide).max() > 1 else wide.round(digits)
        wide = rounded if (rounded != 0).any() or not wide.any() else wide.round(6)
    elif digits == SHOWN:
        wide = wide.round(digits)
    else:  # of float32 and float16 not more than they have
        wide = (
            np.vectorize(
                lambda x: float(f"{x:.{3 if array.itemsize == 2 else 6 if array.itemsize == 4 else digits}g}")
            )(wide)
            if wide.size
            else wide
        )
    return re.sub(r"\.0(?=[,\]]|$)", ".", str((wide + 0.0).tolist()))


def _function(learners: types.ModuleType, name: str) -> types.FunctionType | None:
    """A function or method of plain Python, by qualified name: not one that was compiled or wrapped."""
    value = learners
    for part in name.split("."):
        value = inspect.getattr_static(value, part, None)
    value = getattr(value, "__func__", getattr(value, "fget", value))
    is_own = isinstance(value, types.FunctionType) and value.__code__.co_qualname == name
    return value if is_own and value.__module__ == learners.__name__ else None


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


def forked(task: Callable[[], Iterable], seconds: float) -> Iterator:
    """What a task yields in a process of its own, until that ends, dies, or has taken too long."""
    receive, send = os.pipe()
    process = os.fork()
    if process == 0:
        with suppress(BaseException), os.fdopen(send, "w", encoding="utf-8") as file:
            for each in task():
                file.write(json.dumps(each) + "\n")
                file.flush()
        os._exit(0)
    os.close(send)
    deadline, text = time.monotonic() + seconds, b""
    while (left := deadline - time.monotonic()) > 0 and select.select([receive], [], [], left)[0]:
        if not (part := os.read(receive, 1 << 16)):
            break
        text += part
    os.close(receive)
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    yield from map(json.loads, text.decode().splitlines(keepends=False)[: text.count(b"\n")])


if __name__ == "__main__":
    main()
