"""Planted mistakes: each is put into its stub, and the stub's tests must fail; with other right answers they
must pass.

How each of them fails is written to `modules/NN_slug/mistakes.json`, from which a learner's failure is
recognised.

This runs in a process of its own with the reference on the path, two lessons at a time. NumPy, pytest and the modules
before are imported once, and every mutant is a fork of that. Kernels run in numba's simulator, which detects
what a GPU would not.
"""

import ast
import contextlib
import gc
import itertools
import math
import multiprocessing
import os
import re
import resource
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from autograder import lesson as lessons
from autograder import limits, recognition, reference, testrunner
from autograder.console import say
from autograder.course import Course, Module, load
from autograder.lesson import Cell, Lesson, Stub
from autograder.testfile import test_file
from autograder.testrunner import Failure
from autograder.variants import Variant

if TYPE_CHECKING:
    from autograder.mechanical_mutants import Change

AT_ONCE = 2  # lessons, and mutants of each: where one waits or hangs, others go on
SECONDS = 8  # for one mutant; one that hangs is caught
PATIENCE = 25  # times as long for what is to pass: the first to run compiles kernels
TESTED = 0.75  # of that for one test: an endless loop is recognised too
RECOGNISED, MISTAKEN = 0.95, 0.03  # at least so many are told by their sentence, at most so many by another's


@dataclass(frozen=True)
class Trial:
    """A lesson with other cells in it, and the stubs whose tests it has to fail, or to pass."""

    title: str
    changed: tuple[Cell, ...]
    stubs: tuple[Stub, ...]
    mistake: Variant | None = None
    passes: bool = False  # the tests are to pass
    imports: bool = True  # importing it, and the tests with it, is to succeed
    again: float | None = None  # what is changed is run once more in the module as it is, for so many seconds

    @property
    def seconds(self) -> int:
        return SECONDS * PATIENCE if self.passes else SECONDS


def run(course: Course, modules: Sequence[Module], all: bool = False, check: bool = False) -> int:
    """Try the planted mistakes of the modules, and mechanical changes, all or a sample; 1 if one of them survives.

    Fingerprints of an earlier lesson are renewed, or are a problem when checking.
    """
    path = [str(reference.build(course)), *filter(None, sys.path)]
    environment = {"PYTHONPATH": os.pathsep.join(path), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    environment["NUMBA_ENABLE_CUDASIM"] = "1"
    command = [sys.executable, "-P", "-m", "autograder.mutants", *(module.slug for module in modules)]
    command += [*["--all"] * all, *["--check"] * check]
    return subprocess.run(command, env=os.environ | environment, cwd=course.root).returncode


def main(slugs: Sequence[str], everything: bool = False, check: bool = False) -> int:
    course, wrong = load(), 0
    modules = sorted(map(course.find, slugs), key=course.modules.index)
    for library in (
        "pytest",
        "numpy.testing",
        "autograder.mechanical_mutants",
    ):  # once, for all processes below
        import_module(library)
    with ProcessPoolExecutor(AT_ONCE, multiprocessing.get_context("fork")) as pool:
        for lines, found in pool.map(partial(judge, course, everything=everything, check=check), modules):
            for line in lines:
                say(line)
            wrong += found
    return 1 if wrong else 0


def judge(course: Course, module: Module, everything: bool, check: bool) -> tuple[list[str], int]:
    """What to report about a module's mistakes and mechanical changes, and how many things are wrong."""
    for earlier in course.before(module):
        if earlier.source.exists():
            import_module(f"tinytorch.{earlier.slug}")
    started, lesson = time.perf_counter(), lessons.read(module)
    for library in sorted(_libraries(lesson)):
        with contextlib.suppress(ImportError):  # a name in a module, not a module
            import_module(library)
    compiler = module.root / "tinytorch" / "given" / module.slug / "compiler.py"
    if compiler.exists():  # one for all mutants, for it takes seconds to start
        _compiler, os.environ["KERNEL_COMPILER"] = runpy.run_path(str(compiler))["start"]()
    if numba := sys.modules.get("numba"):
        numba.njit(lambda: None)()  # what it loads when it first compiles takes a second
    results = list(_settled(lesson, list(_trials(lesson))))
    problems = [problem for trial, result in results for problem in _problems(trial, result)]
    failed, told, misled = recognised(lesson, results, write=not problems and not check)
    if check and not recognition.is_current(lesson):
        problems.append(f"mistakes.json was made from an earlier lesson: `make mutants {module.number}`")
    if not problems and (told < RECOGNISED * failed or misled >= max(1, MISTAKEN * failed)):
        problems.append(f"only {told} mistakes are recognised by their own sentence, {misled} by another's")
    mistakes, seconds = sum(len(stub.mistakes) for stub in lesson.stubs), time.perf_counter() - started
    outcome = f"{len(problems)} problems" if problems else f"every one caught, {told} recognised"
    summary = f"{mistakes} mistakes in {len(lesson.stubs)} stubs, {outcome} ({seconds:.1f} s)"
    mechanical = import_module(
        "autograder.mechanical_mutants"
    )  # takes a second, which the process that starts this saves
    changes = list(mechanical.every(lesson) if everything else mechanical.sample(lesson))
    verdict = mechanical.judge(lesson, changes, _survivors(lesson, changes), everything)
    lines = [f"{module.name}: {line}" for line in (*problems, summary, *verdict.lines)]
    return lines, len(problems) + verdict.wrong


def _libraries(lesson: Lesson) -> set[str]:
    """What the lesson, its tests and its given files import from other packages, which takes seconds."""
    given = (lesson.module.root / "tinytorch" / "given" / lesson.module.slug).glob("*.py")
    run = [cell for cell in lesson.cells if cell.kind in ("export", "stub", "test")]  # and nothing that draws
    trees = [lessons.parse(lesson.module, cell) for cell in run]
    trees += [ast.parse(path.read_text(encoding="utf-8")) for path in given if path.stem != "drawing"]
    found = set()
    for node in itertools.chain.from_iterable(map(ast.walk, trees)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if not name.startswith("tinytorch")}


def mutated(stub: Stub, variant: Variant) -> Cell:
    """The stub's cell with the variant in it."""
    return replace(stub.cell, source=variant.put_into(stub.cell.source))


def blank(cell: Cell) -> Cell:
    """The stub's cell as a learner gets it."""
    region = rf"^( *){lessons.BEGIN}$.*?{lessons.END}"
    return replace(
        cell, source=re.sub(region, rf"\1{testrunner.BLANK}", cell.source, flags=re.MULTILINE | re.DOTALL)
    )


def _trials(lesson: Lesson) -> Iterator[Trial]:
    yield Trial("the solution", (), lesson.stubs, passes=True)
    yield Trial("untouched", tuple(blank(stub.cell) for stub in lesson.stubs), lesson.stubs)
    for stub in lesson.stubs:
        yield Trial("untouched alone", (blank(stub.cell),), (stub,), imports=False)
        for mistake in stub.mistakes:
            title = f"line {mistake.line}: {mistake.sentence}"
            yield Trial(title, (mutated(stub, mistake),), (stub,), mistake, imports=False)
        for answer in stub.answers:
            title = f"line {answer.line} of the answers: {answer.sentence}"
            yield Trial(title, (mutated(stub, answer),), (stub,), passes=True)


def _problems(trial: Trial, result: dict[str, Failure | None] | None) -> Iterator[str]:
    """What did not go as it should; a result of None is a process that died or hung."""
    if result is None:
        if trial.passes or trial.imports:
            yield f"{trial.title}: died, or took more than {trial.seconds} s"
        return
    imported = result.get("import")
    if imported and trial.imports:
        yield f"{trial.title}: cannot be imported: {imported}"
        return
    for stub in trial.stubs:
        failure = imported or result[stub.name]
        if trial.passes and failure:
            yield f"{stub.name}: {trial.title} fails {failure}"
        elif not trial.passes and not failure:
            yield f"{stub.name}: survives: {trial.title}"
        elif not trial.passes and failure.error == "NameError":
            yield f"{stub.name}: is broken, not wrong: {trial.title} ({failure})"


def recognised(
    lesson: Lesson, results: Sequence[tuple[Trial, dict | None]], write: bool
) -> tuple[int, int, int]:
    """How many mistakes fail with a message, are explained by their own sentence, and by another's.

    If the lesson has changed since the fingerprints were made, they are made again; otherwise the mistakes
    are recognised by those of another process, and perhaps of another machine.
    """
    module, found, told, misled = lesson.module, [], 0, 0
    for trial, result in results:
        (stub, *_), mistake = trial.stubs, trial.mistake
        if mistake and result and (failure := result.get("import") or result[stub.name]):
            found.append((mistake, stub.name, failure))
    found.sort(key=lambda failed: failed[0].line)  # which one is done first is chance
    if write and not recognition.is_current(lesson):
        recognition.write(
            lesson,
            recognition.entries(
                (recognition.fingerprint(module, stub, failure), mistake.sentence, mistake.hint)
                for mistake, stub, failure in found
            ),
        )
    for mistake, stub, failure in found:
        sentence, _ = recognition.recognise(module, stub, failure)
        told += mistake.sentence in sentence
        misled += bool(sentence) and mistake.sentence not in sentence
    return len(found), told, misled


def _settled(lesson: Lesson, trials: Sequence[Trial]) -> Iterator[tuple[Trial, dict | None]]:
    """Every trial with what its process reported.

    If a mistake fails in its recorded way when only its cell is run again, that is enough: it failed like
    this when the whole module was run with it, and neither has changed since. Everything else is run whole.
    """
    alone = [trial for trial in trials if not trial.imports]
    found = dict(_again(lesson, alone, together=True)) if recognition.is_current(lesson) else {}
    known = {number: result for number, result in found.items() if _is_known(lesson, alone[number], result)}
    yield from ((alone[number], result) for number, result in known.items())
    yield from _results(lesson, [trial for trial in trials if trial.imports])
    yield from _results(lesson, [trial for number, trial in enumerate(alone) if number not in known])


def _is_known(lesson: Lesson, trial: Trial, result: dict | None) -> bool:
    """Whether a blank stub says that it is blank, or a mistake is explained by its sentence."""
    failure = (result or {}).get(trial.stubs[0].name)
    if failure is None or trial.mistake is None:
        return failure is not None and failure.error == NotImplementedError.__name__
    return trial.mistake.sentence in recognition.recognise(lesson.module, trial.stubs[0].name, failure)[0]


def _results(
    lesson: Lesson, trials: Iterable[Trial], together: bool = False
) -> Iterator[tuple[Trial, dict | None]]:
    """Every trial with what its process reported, a few at a time, each with its limit of time; None if it died.

    A process has one trial, or all those of a stub if `together`; when it dies, another takes what is left.
    """
    gc.freeze()  # what is there is not looked through in each fork, and so not copied
    fork = multiprocessing.get_context("fork")
    tests = testrunner.compiled(test_file(lesson), str(lesson.module.tests))
    for path in (lesson.module.tests, place(lesson.module)):
        testrunner.statements(str(path))
    parts = itertools.groupby(trials, key=lambda trial: trial.stubs[0].name if together else id(trial))
    waiting, running = [list(part) for _, part in parts][::-1], {}
    while waiting or running:
        while waiting and len(running) < AT_ONCE:
            part = waiting.pop()
            receive, send = fork.Pipe(duplex=False)
            process = fork.Process(target=_try_all, args=(lesson, part, tests, send))
            process.start()
            send.close()
            running[receive] = part, process, _deadline(part)
        first = min(deadline for *_, deadline in running.values())
        ready = wait(list(running), timeout=max(0.0, first - time.monotonic()))
        for receive in [*ready, *(r for r in running if r not in ready and running[r][2] < time.monotonic())]:
            (trial, *left), process, _ = running.pop(receive)
            result = None
            if receive in ready:
                with contextlib.suppress(EOFError):
                    result = receive.recv()
            yield trial, result
            if result and left:
                running[receive] = left, process, _deadline(left)
                continue
            waiting += [left] if left else []
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.join()
            receive.close()


def _deadline(trials: Sequence[Trial]) -> float:
    return time.monotonic() + limits.PATIENCE * trials[0].seconds


def place(module: Module) -> Path:
    """Where the module is in the reference; compiled kernels are kept next to it."""
    return Path(import_module("tinytorch").__file__).with_name(f"{module.slug}.py")


def _try_all(lesson: Lesson, trials: Sequence[Trial], tests, send: Connection) -> None:
    """In the fork: one trial after another, with the original cells run in between."""
    os.setsid()
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    original = {cell.name: cell for cell in lesson.cells if cell.kind == "stub"}
    for number, trial in enumerate(trials):
        if number:
            _run_cells(lesson.module, [original[cell.name] for cell in trials[number - 1].changed])
        send.send(_try(lesson, trial, tests))


def _run_cells(module: Module, cells: Iterable[Cell]) -> None:
    """Run cells once more in the module as it is, like in a notebook."""
    for cell in cells:
        exec(compile(cell.source, place(module), "exec"), vars(sys.modules[f"tinytorch.{module.slug}"]))


def _try(lesson: Lesson, trial: Trial, tests) -> dict:
    """Make the variant the module, and run the tests of its stubs until one fails."""
    module, name = lesson.module, f"tinytorch.{lesson.module.slug}"
    variant, namespace, result = ModuleType(name), {"__name__": f"test_{module.slug}"}, {}
    path, seconds = str(module.tests), TESTED * trial.seconds
    changed = {cell.name: cell for cell in trial.changed}
    if trial.again:
        most = math.ceil(time.process_time() + trial.again)
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
        seconds = trial.again if trial.mistake else seconds
    try:
        if trial.again:
            _run_cells(module, trial.changed)
        else:
            cells = [changed.get(cell.name, cell) if cell.kind == "stub" else cell for cell in lesson.cells]
            import_module("tinytorch._lookup").stand_for(module.slug, variant)
            exec(compile(reference.assemble(module, cells, tidy=False), place(module), "exec"), vars(variant))
        exec(tests, namespace)
        for stub in trial.stubs:
            found = testrunner.failures((namespace[test] for test in stub.tests), seconds, path)
            result[stub.name] = next(found, None)
    except BaseException as error:
        result["import"] = testrunner.describe("", error, path)
    return result | {"seconds": time.process_time()}


def _survivors(lesson: Lesson, changes: Sequence["Change"]) -> set["Change"]:
    """The changes that no test notices: they pass when only their cell is run again, and also in a new module."""
    trials = [Trial(str(number), (change.cell,), (change.stub,)) for number, change in enumerate(changes)]
    found = dict(_again(lesson, trials))
    left = [
        trial for number, trial in enumerate(trials) if number not in found or _passes(trial, found[number])
    ]
    return {changes[int(trial.title)] for trial, result in _results(lesson, left) if _passes(trial, result)}


def _again(lesson: Lesson, trials: Sequence[Trial], together: bool = False) -> list[tuple[int, dict | None]]:
    """What trials report, by their numbers, when only the changed cell is run again in the module: a tenth of
    the work.

    That says nothing about a stub whose unchanged cell cannot be run twice; its trials are left out. Those of
    a stub may share one process (`together`) if it is enough to know what some of them report.
    """
    receive, send = multiprocessing.Pipe(duplex=False)
    arguments = (lesson, trials, send, together)
    process = multiprocessing.get_context("fork").Process(target=_run_again, args=arguments)
    process.start()
    send.close()
    found = receive.recv()
    process.join()
    return found


def _run_again(lesson: Lesson, trials: Sequence[Trial], send: Connection, together: bool) -> None:
    """In a fork, with the module imported."""
    import_module(f"tinytorch.{lesson.module.slug}")
    stubs = {trial.stubs[0].name: trial.stubs[0] for trial in trials}
    unchanged = [Trial(name, (stub.cell,), (stub,), again=SECONDS * PATIENCE) for name, stub in stubs.items()]
    seconds = {
        trial.title: 2 + 5 * result["seconds"]
        for trial, result in _results(lesson, unchanged)
        if _passes(trial, result)
    }
    again = [
        replace(trial, title=str(number), again=seconds[trial.stubs[0].name])
        for number, trial in enumerate(trials)
        if trial.stubs[0].name in seconds
    ]
    send.send([(int(trial.title), result) for trial, result in _results(lesson, again, together)])


def _passes(trial: Trial, result: dict | None) -> bool:
    return result is not None and not any(result.get(stub.name, "not run") for stub in trial.stubs)


if __name__ == "__main__":
    slugs = [name for name in sys.argv[1:] if not name.startswith("--")]
    sys.exit(main(slugs, "--all" in sys.argv, "--check" in sys.argv))
