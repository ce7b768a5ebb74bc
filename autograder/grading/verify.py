"""The verdict on a submission: a stub has its points when its tests pass in the sandbox, and its probes agree with the reference's.

The tests are the release's, whatever was submitted. Code that runs in the same process can cheat a test but
not a probe, whose results are compared here. One mistake costs one stub, and the answer to a stub is never in
the process that runs its code:

1. The student's module runs as it is.
2. What fails there is tried once more, in the lesson's order: the stubs that have been graded are the reference's,
   and the others are as they were released. Nothing printed there is passed on, because it is about the reference.
3. Now all points are fixed, and stubs can only become doubtful, which is reported to the instructor: those that
   passed in 2 but do not pass together, with the reference's others, and those that pass only with the reference's
   version of a later stub.

How a stub fails by itself is kept for the instructor: as in 2 if it fails there, else as in 1.
"""

import ast
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from autograder.grading import intake, probes
from autograder.grading.intake import Cell
from autograder.grading.probes import Probe
from autograder.grading.sandbox import Ended, Sandbox, SandboxError, sandbox
from autograder.lesson import Function
from autograder.limits import DAY, MESSAGE, PATIENCE, SAID, SECONDS, START, Limits
from autograder.notebook import bound_names, parsed
from autograder.testrunner import Failure, Timeout

UNTRIED = "its tests did not run"
UNASKED = "its tests pass, but its process ended before it was tried with other numbers"
CHEAT = "its tests pass, but with other numbers it does not give what they ask for"
RESTS = "it is right only with the reference's other stubs, not with your own"
DOUBTS = {
    CHEAT: "the tests pass, the probes do not",
    RESTS: "right with the reference's other stubs, not with their own",
}


@dataclass(frozen=True)
class Job:
    """What must be known about a module to grade submissions of it."""

    slug: str
    folder: Path  # with the reference of the modules before
    released: dict  # the notebook
    reference: tuple[Cell, ...]  # the solution's exported cells
    tests: str
    stubs: Mapping[str, Sequence[str]]  # the names of their tests
    points: Mapping[str, int]  # of each stub
    probes: tuple[Probe, ...]
    limits: Limits
    digest: str = ""  # of all this, and the modules before

    @cached_property
    def blank(self) -> dict[str, Cell]:
        """The cells as they were released, by name."""
        return {cell.name: cell for cell in intake.restored(self.released, self.released)}

    @cached_property
    def names(self) -> set[str]:
        """What the reference's cells define, assign or import."""
        return {name for cell in self.reference for name in bound_names(_tree(cell))}


@dataclass
class Outcome:
    """The state of a stub: done, failing, not started, or in doubt, which is reported to the instructor by name."""

    state: str
    said: str = ""
    failure: Failure | None = None  # of the first test that fails, or of the stub's cell; for the instructor


@dataclass
class Verdict:
    stubs: dict[str, Outcome]
    cells: list[Cell]
    seconds: float


class Reference:
    """The reference in a sandbox of its own, which answers the probes of every submission that a thread grades."""

    running = threading.local()

    def __init__(self, job: Job):
        self.of = job.digest
        self.worker = Sandbox(job.folder, Limits(DAY, job.limits.megabytes), SECONDS)
        begin(self.worker, _order(job, job.reference, {}))
        if (first := self.ask(None)) != {"ready": True}:
            raise SandboxError(f"the reference of {job.slug} does not run: {first}")

    def ask(self, question: dict | None) -> dict:
        self.worker.renew(PATIENCE * SECONDS)
        try:
            if question:
                self.worker.send(question)
            return self.worker.receive()
        except Ended as ended:
            raise SandboxError(f"the reference does not answer: {ended}") from None

    @classmethod
    def answer(cls, job: Job, question: dict) -> dict:
        """What the reference gives; it is started for the first question, and again if it has ended."""
        known = getattr(cls.running, "reference", None)
        if known is None or known.worker.process.poll() is not None or known.of != job.digest:
            if known:
                known.worker.close()
            cls.running.reference = known = cls(job)
        return known.ask(question)


def verify(job: Job, notebook: dict) -> Verdict:
    """Grade one notebook, as `intake.read` gives it."""
    started, cells = time.monotonic(), intake.restored(notebook, job.released)
    written = [cell.name for cell in cells if cell.is_stub and cell.is_written]
    elsewhere = any(cell.is_own and cell.is_exported for cell in cells)  # where a stub may be written too
    stubs = {stub: Outcome("not started") for stub in job.stubs}
    if written or elsewhere:
        seed = secrets.randbits(63)
        tried = list(job.stubs) if elsewhere else written
        exported = [cell for cell in cells if cell.is_exported]
        found = run(job, exported, tried, seed, PATIENCE * job.limits.seconds)
        stubs |= {stub: found[stub] for stub in tried if stub in written or found[stub].state != "failing"}
        failing = {stub: stubs[stub] for stub in job.stubs if stub in written and stubs[stub].state != "done"}
        stubs |= _tried_again(job, cells, failing, seed)
    return Verdict(stubs, cells, time.monotonic() - started)


def _tried_again(
    job: Job, cells: Sequence[Cell], failing: Mapping[str, Outcome], seed: int
) -> dict[str, Outcome]:
    """The outcome of stubs that fail in their own module, once what they depend on is right."""
    tried, alone = list(failing), dict(failing)

    def passing(own: Sequence[str], blank: Sequence[str], wall: float) -> list[str]:
        found = run(job, _among(job, cells, own, blank), own, seed, wall)
        for stub in own if len(own) == 1 else ():
            if found[stub].failure and found[stub].failure.error != NotImplementedError.__name__:
                alone[stub] = replace(failing[stub], failure=found[stub].failure)
        return [stub for stub in own if found[stub].state == "done"]

    done, rests = [], []
    for at, (stub, share) in enumerate(_shares(job, tried)):
        if at == 0 and _is_endless(failing[stub]) and not _calls(job, cells, stub, tried[1:]):
            continue  # what it depends on is right already, and it would take as long again
        done += passing([stub], tried[at + 1 :], share)
    for at, (stub, share) in enumerate(_shares(job, tried)):
        if stub not in done and _calls(job, cells, stub, tried[at + 1 :]):
            rests += passing([stub], [], share)
    own = [*done, *rests]
    together = passing(own, [], PATIENCE * job.limits.seconds) if len(own) > 1 else own
    sure = [stub for stub in done if stub in together]
    return alone | {stub: Outcome("done") if stub in sure else Outcome("in doubt", RESTS) for stub in own}


def _is_endless(outcome: Outcome) -> bool:
    return outcome.failure is not None and outcome.failure.error == Timeout.__name__


def _shares(job: Job, stubs: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Each stub with its share of the time that they have together, by the clock."""
    end = time.monotonic() + PATIENCE * job.limits.seconds
    for at, stub in enumerate(stubs):
        yield stub, (end - time.monotonic()) / (len(stubs) - at)


def _among(job: Job, cells: Sequence[Cell], own: Sequence[str], blank: Sequence[str]) -> list[Cell]:
    """The reference's cells with these stubs of the student's, and others as they were released.

    What a student has added to the notebook comes before the first of them; what was added to a stub's cell
    stays in its place.
    """
    theirs = {cell.name: cell for cell in cells if cell.is_exported}
    added = [cell for cell in theirs.values() if cell.is_own]
    found = []
    for cell in job.reference:
        if cell.name in own:
            found += [*added, theirs[cell.name]] if cell.name in theirs else added
            added = []
        elif cell.name in blank:
            found.append(job.blank[cell.name])
        else:
            found += [_helpers(theirs[cell.name], job.names), cell] if cell.name in theirs else [cell]
    return found


def _helpers(cell: Cell, known: Set[str]) -> Cell:
    """The plain functions of a student's cell that the reference does not have; the student's other stubs may call them."""
    functions = [
        node
        for node in _tree(cell).body
        if isinstance(node, ast.FunctionDef) and node.name not in known and not node.decorator_list
        and not any(isinstance(part, ast.Call) for part in ast.walk(node.args))
    ]  # fmt: skip
    return replace(cell, source="\n\n".join(map(ast.unparse, functions)))


def _calls(job: Job, cells: Sequence[Cell], stub: str, others: Sequence[str]) -> bool:
    """Whether a stub's code, or what the student has added to the notebook, has a name that others define."""
    defined = {
        node.name
        for cell in job.reference
        if cell.name in others
        for node in ast.walk(_tree(cell))
        if isinstance(node, Function | ast.ClassDef)
    }
    theirs = (cell for cell in cells if cell.name == stub or cell.is_own)
    used = (node for cell in theirs for node in ast.walk(_tree(cell)))
    return not defined.isdisjoint(getattr(node, "id", getattr(node, "attr", "")) for node in used)


def _tree(cell: Cell) -> ast.Module:
    return parsed(cell.code) or ast.Module([], [])


def run(job: Job, cells: Sequence[Cell], stubs: Sequence[str], seed: int, wall: float) -> dict[str, Outcome]:
    """Run a module with the tests of some of its stubs, and the probes of those whose tests pass."""
    outcomes = {stub: Outcome("failing", UNTRIED) for stub in stubs}
    with sandbox(job.folder, job.limits, SECONDS, wall) as worker:
        begin(worker, _order(job, cells, {stub: job.stubs[stub] for stub in stubs}))
        passed = []
        try:
            passed = _test(worker, job, outcomes, len(cells))
            for stub in passed:
                outcomes[stub] = Outcome("in doubt", CHEAT)
                if all(_agrees(worker, job, probe, seed) for probe in job.probes if probe.stub == stub):
                    outcomes[stub] = Outcome("done")
        except Ended as ended:
            for stub, outcome in outcomes.items():
                if outcome.said == UNTRIED:  # how it ended after it had seen a probe is not reported
                    outcome.said = UNASKED if stub in passed else str(ended)
    return outcomes


def _order(job: Job, cells: Sequence[Cell], stubs: Mapping[str, Sequence[str]]) -> dict:
    sources = [{"name": cell.name, "source": cell.code} for cell in cells]
    return {"slug": job.slug, "cells": sources, "tests": job.tests if stubs else "", "stubs": stubs}


def begin(worker: Sandbox, order: Mapping) -> None:
    """Give a worker its job, and wait until it is ready: what fails before a student's code runs is our fault."""
    worker.renew(START)
    try:
        worker.send(order)
        worker.receive()
    except Ended as ended:
        raise SandboxError(f"a worker does not start: {worker.logged() or ended}") from None
    worker.renew(worker.wall)


def _test(worker: Sandbox, job: Job, outcomes: dict[str, Outcome], cells: int) -> list[str]:
    """Read the results of the tests, and return the stubs that passed all of theirs. They may be too long, or false."""
    passed, broken = {stub: set() for stub in outcomes}, []
    for _ in range(cells + 2 + sum(len(job.stubs[stub]) for stub in outcomes)):
        if (said := worker.receive()).get("ready"):
            break
        stub, test, failure = said.get("stub"), said.get("test"), said.get("failure")
        if "cell" in said:
            cell = _text(said, "cell")
            broken.append(f"{cell}: {_text(said, 'came_back')}")
            if cell in outcomes and not outcomes[cell].failure:
                outcomes[cell].failure = _failure("", said)
        elif isinstance(stub, str) and stub in outcomes and test in job.stubs[stub]:
            if failure is None:
                passed[stub].add(test)
            elif isinstance(failure, dict) and outcomes[stub].said == UNTRIED:
                outcomes[stub].said = _explained(test, failure)
                outcomes[stub].failure = outcomes[stub].failure or _failure(test, failure)
    else:
        raise Ended("it answered too much")
    for outcome in outcomes.values():
        if broken and outcome.said == UNTRIED:
            outcome.said = broken[0]
    return [stub for stub in outcomes if passed[stub] == set(job.stubs[stub])]


def _explained(test: str, failure: Mapping) -> str:
    """Why a test failed, in the words of `make test-module`."""
    rows = {"fails": test.removeprefix("test_").replace("_", " ")}
    rows |= {"asked": _text(failure, "asked") or _text(failure, "ran")}
    rows |= {label: _text(failure, label.replace(" ", "_")) for label in ("came back", "where")}
    return "\n".join(f"{label}: {text}" for label, text in rows.items() if text)[:SAID]


def _failure(test: str, said: Mapping) -> Failure:
    """What a worker says of a failure, as text of limited length, by which mistakes are recognised."""
    return Failure(test, *(_text(said, key, MESSAGE) for key in ("error", "asked", "came_back")))


def _agrees(worker: Sandbox, job: Job, probe: Probe, seed: int) -> bool:
    question = {"source": probe.source, "name": probe.name, "seed": seed}
    worker.send(question)
    theirs, ours = worker.receive(), Reference.answer(job, question)
    if "value" not in ours:
        raise SandboxError(f"the probe {probe.name} fails on the reference: {ours}")
    wanted = probes.decoded(ours["value"])
    try:
        given = probes.decoded(theirs.get("value"))
    except (ValueError, RecursionError, MemoryError):
        return False
    return "value" in theirs and probes.agree(given, wanted)


def _text(said: Mapping, key: str, most: int = SAID) -> str:
    text = said.get(key, "")
    return intake.clean(text[:most]) if isinstance(text, str) else ""
