"""What a worker answers: taken apart without being believed, and compared with what the reference gives.

The lessons' own probes are run in forks of one process. `python -P tests/machinery/test_probes.py 3 --mistakes`, with
build/reference and this repository on PYTHONPATH, tries every stub of a lesson and all its answers with MANY seeds, for
what fails once in a hundred times fails in every class; and shows how long its probes take, and how many of the planted
mistakes they notice.
"""

import base64
import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module

import numpy as np
import pytest

from autograder import lesson as lessons
from autograder import mutants, reference
from autograder.course import load
from autograder.grading import probes, worker
from autograder.grading.probes import Probe
from autograder.lesson import Cell, Lesson

SEEDS, MANY = (1, 2, 3), 200
SAMPLE = {"acceleration": 4}  # of its stubs every fourth, for each is compiled anew; else every second
ALLOWED = (20, 30)  # seconds of processor time for a cell or a probe, and by the clock so many times more
TOLD = os.dup(1)  # where what is counted is written from a fork, whose own output goes nowhere

VALUES = [
    np.arange(6, dtype=np.float32).reshape(2, 3),
    np.array(3, dtype=np.int64),
    np.zeros((0, 4)),
    np.array([True, False]),
    np.array([1 + 2j]),
    np.float16([0.5, np.nan, np.inf]),
    [1, 2.5, "text", None, True, [float("nan")]],
    {"shape": (2, 3), 1: np.ones(2)},
]


def sent(value: object) -> object:
    """A value as it comes out of a sandbox."""
    return probes.decoded(json.loads(json.dumps(worker.plain(value))))


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_a_value_comes_through_and_agrees_with_itself(value):
    assert probes.agree(sent(value), sent(value))
    others = [sent(other) for other in VALUES if other is not value]
    assert not any(probes.agree(sent(value), other) or probes.agree(other, sent(value)) for other in others)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (np.float32([1, 1000]), np.float32([1, 1000.01]), True),
        (np.float32([1, 2]), np.float32([1, 2.1]), False),
        (np.float64([1, 2]), np.float64([1, 2 + 1e-9]), True),
        (np.float64([1, 2]), np.float64([1, 2.001]), False),
        (np.float64([0, 1e-9]), np.float64([0, 2e-9]), False),
        (np.float32([1]), np.float64([1]), False),
        (np.ones((1, 2)), np.ones(2), False),
        (np.int64([1]), np.int64([2]), False),
        (np.float64([np.nan, 1]), np.float64([np.nan, 1]), True),
        (np.float64([np.nan, 1]), np.float64([1, 1]), False),
        (np.float64([np.inf, 1]), np.float64([-np.inf, 1]), False),
        (1, True, False),
        (1, 1.0, False),
        (0.1 + 0.2, 0.3, True),
        ("a", "b", False),
        ([1, 2], [1], False),
        ({"a": 1}, {"b": 1}, False),
        (None, 0, False),
    ],
)
def test_types_and_shapes_agree_exactly_and_numbers_closely(one, other, same):
    assert probes.agree(sent(one), sent(other)) == same
    assert probes.agree(sent(other), sent(one)) == same


LIE = base64.b64encode(bytes(40)).decode()


@pytest.mark.parametrize(
    "lie",
    [
        {"array": ["O", [5], LIE]},
        {"array": ["f8,f8", [5], LIE]},
        {"array": [{"names": ["a"], "formats": ["f8"]}, [5], LIE]},
        {"array": ["V8", [5], LIE]},
        {"array": ["<U10", [1], LIE]},
        {"array": [["<f8"], [5], LIE]},
        {"array": ["<f8" * 100_000, [5], LIE]},
        {"array": ["<f8", [-1], LIE]},
        {"array": ["<f8", [1 << 80], LIE]},
        {"array": ["<f8", [5, 0], LIE]},
        {"array": ["<f8", [True], LIE]},
        {"array": ["<f8", [1] * 60 + [5], LIE]},
        {"array": ["<f8", "5", LIE]},
        {"array": ["<f8", [5], 5]},
        {"array": ["<f8", [5], "é" * 8]},
        {"array": ["<f8", [5], "A" * (8 << 20)]},
        {"array": ["<f8", [5]]},
        {"array": 3},
        {"list": {"a": 1}},
        {"dict": [[1]]},
        {"dict": [1]},
        {"array": [], "list": []},
        {"other": 1},
        [1],
    ],
    ids=range(24),
)
def test_what_is_no_answer_is_refused_before_anything_of_its_size_is_made(lie):
    with pytest.raises(ValueError, match=r"."):
        probes.decoded(lie)


@pytest.mark.slow
def test_every_stub_has_probes_and_those_of_a_sample_tell_wrong_from_right():
    course = load()
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(reference.build(course)), str(course.root)])
    }
    environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, "-P", __file__]
    done = subprocess.run(command, env=environment, cwd=course.root, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def main(slugs: Sequence[str], counted: bool) -> int:
    """Try the probes of some lessons, or of all; where it is to be counted, on their planted mistakes too."""
    course, wrong = load(), 0
    modules = sorted(map(course.find, slugs), key=course.modules.index) if slugs else course.with_solutions()
    for module in modules:
        for earlier in course.before(module):
            import_module(f"tinytorch.{earlier.slug}")
        lesson = lessons.read(module)
        for library in sorted(mutants._libraries(lesson)):
            with contextlib.suppress(ImportError):
                import_module(library)
        gc.freeze()  # what is there is not looked through in each fork, and so not copied
        for problem in problems(lesson, counted):
            print(f"{module.name}: {problem}", flush=True)
            wrong += 1
    return 1 if wrong else 0


def problems(lesson: Lesson, counted: bool) -> list[str]:
    """What is wrong with the probes of a lesson; where it is to be counted, print what they notice."""
    found, names = probes.read(lesson.module), {stub.name for stub in lesson.stubs}
    wrong = [
        f"no stub {probe.stub!r}, which {probe.name} is to try" for probe in found if probe.stub not in names
    ]
    wrong += [f"no probe of {name}" for name in sorted(names - {probe.stub for probe in found})]
    wrong += forked(lambda: list(_problems(lesson, found, counted))) or ["they end the process"]
    return [problem for problem in wrong if problem]


def _problems(lesson: Lesson, found: Sequence[Probe], counted: bool) -> Iterator[str]:
    """What `problems` finds where the reference stands, into which one variant after the other is put, each in a fork.

    Of the stubs a sample is tried, with the first of the other answers of each; where it is to be counted, all of both.
    What a stub's own cell changes is seen by the cells after it, for they look its names up. Where that is in doubt, the
    whole module is run anew with the variant in it.
    """
    yield ""  # so that there is an answer
    standing = stand(lesson, lesson.cells)
    if standing is None:
        yield "the reference does not run"
        return
    many = tuple(range(1, MANY + 1)) if counted else SEEDS
    ours = asked(standing, found, many + SEEDS)
    for probe in found:
        first, again = ours[probe.name][: len(many)], ours[probe.name][len(many) :]
        if failures := [answer["came_back"] for answer in first if "value" not in answer]:
            yield f"{probe.name} fails on the reference: {failures[0]}"
        elif not same(again, first[: len(SEEDS)]):
            yield f"{probe.name} answers one seed in two ways"
        elif all(same([answer], first[:1]) for answer in first[1:]):
            yield f"{probe.name} answers all seeds alike"
    for stub in lesson.stubs if counted else lesson.stubs[:: SAMPLE.get(lesson.module.slug, 2)]:
        own = [probe for probe in found if probe.stub == stub.name]

        def noticed(cell: Cell, expected: bool, seeds=SEEDS, own=own, stub=stub) -> set[str]:
            """The names of the stub's probes that do not agree where this cell stands in its place."""
            cells = [cell if each is stub.cell else each for each in lesson.cells]
            ways = (lambda: standing if run_cells(standing, [cell]) else None), (lambda: stand(lesson, cells))
            for way in ways:
                theirs = forked(lambda way=way: (given := way()) and asked(given, own, seeds)) or {}
                unlike = {p.name for p in own if not same(theirs.get(p.name, []), ours[p.name][: len(seeds)])}
                if unlike == {p.name for p in own if expected}:
                    break
            return unlike

        for name in {probe.name for probe in own} - noticed(mutants.blank(stub.cell), True, SEEDS[:1]):
            yield f"{name} agrees where {stub.name} is not written"
        for answer in stub.answers if counted else stub.answers[:1]:
            for name in noticed(mutants.mutated(stub, answer), False, many):
                yield f"{name} does not agree with line {answer.line} of the answers: {answer.sentence}"
        if counted:
            missed = [m for m in stub.mistakes if not noticed(mutants.mutated(stub, m), True)]
            told = "".join(f"\n    line {mistake.line}: {mistake.sentence}" for mistake in missed)
            slowest = max((answer["took"] for probe in own for answer in ours[probe.name]), default=0)
            count = f"{len(stub.mistakes) - len(missed)} of {len(stub.mistakes)} mistakes"
            os.write(
                TOLD, f"{lesson.module.label} {stub.name}: {count}, {slowest * 1000:.0f} ms{told}\n".encode()
            )


def same(theirs: list[dict], ours: list[dict]) -> bool:
    """Whether answers agree, one by one, as they do when a submission is graded."""
    given = [answer.get("value") for answer in theirs]
    wanted = [answer.get("value") for answer in ours]
    return len(given) == len(wanted) and all(
        their is not None and probes.agree(probes.decoded(their), probes.decoded(our))
        for their, our in zip(given, wanted)
    )


def stand(lesson: Lesson, cells: Sequence[Cell]) -> dict | None:
    """The namespace of the module that these cells make; None where one of them fails."""
    namespace = worker.module_for(lesson.module.slug)
    return namespace if run_cells(namespace, cells) else None


def run_cells(namespace: dict, cells: Sequence[Cell]) -> bool:
    return not any(
        worker.attempt(ALLOWED, worker.run_cell, namespace, cell.source, cell.name or cell.kind)
        for cell in cells
        if cell.kind in ("export", "stub")
    )


def asked(namespace: dict, found: Sequence[Probe], seeds: Sequence[int]) -> dict[str, list[dict]]:
    """What probes answer in a module, seed by seed."""
    answers = {probe.name: [] for probe in found}
    for seed in seeds:
        for probe in found:
            question, started = (
                {"source": probe.source, "name": probe.name, "seed": seed},
                time.process_time(),
            )
            answer = worker.answer(ALLOWED, namespace, question)
            answers[probe.name].append(answer | {"took": time.process_time() - started})
            if answer.get("error") == "Timeout":
                return answers
    return answers


def forked(run: Callable[[], object]) -> object:
    """What a function returns in a fork, whose output goes nowhere and whose children go with it."""
    receive, send = os.pipe()
    process = os.fork()
    if not process:
        os.setsid()
        with open(os.devnull, "w") as nothing, os.fdopen(send, "w") as told:
            for standard in (1, 2):
                os.dup2(nothing.fileno(), standard)
            json.dump(run(), told)
        os._exit(0)
    os.close(send)
    with os.fdopen(receive) as told:
        text = told.read()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return json.loads(text or "null")


if __name__ == "__main__":
    sys.exit(main([key for key in sys.argv[1:] if key != "--mistakes"], "--mistakes" in sys.argv))
