"""The verdict on a submission: a stub has its points when its tests pass in the sandbox, and its probes agree with the reference's.

The tests are the release's, whatever was submitted. A test can be cheated by code that runs beside it; a probe cannot, for what
it gives is compared here. One mistake costs one stub, and no stub's answer is where the code runs that is asked for it:

1. The student's module runs as it is.
2. What fails there is tried once more, in the lesson's order: the stubs that have been graded are the reference's, those that
   have not are as they were released. Nothing that is said there is handed out, for it speaks of the reference.
3. Then all points are given, and from here on stubs can only become doubtful, which an instructor is told: those that passed in
   2 and do not pass together, the others being the reference's, and those that pass only beside the reference's of a later stub.
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
from autograder.limits import DAY, PATIENCE, SAID, SECONDS, START, Limits
from autograder.notebook import bound_names, parsed

UNTRIED = "its tests did not run"
UNASKED = "its tests pass, but its process ended before it was asked for other numbers"
CHEAT = "its tests pass, but with other numbers it does not give what they ask for"
RESTS = "it is right only beside the reference's other stubs, and not with your own"
DOUBTS = {
    CHEAT: "the tests pass, the probes do not",
    RESTS: "right beside the reference's other stubs, not beside their own",
}


@dataclass(frozen=True)
class Job:
    """What is to be known of a module to grade submissions of it."""

    slug: str
    folder: Path  # with the reference of the modules before
    released: dict  # the notebook
    reference: tuple[Cell, ...]  # the solution's exported cells
    tests: str
    stubs: Mapping[str, Sequence[str]]  # the names of their tests
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
    """Where a stub stands: done, failing, not started, or in doubt, which the instructor is told by name."""

    state: str
    said: str = ""


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
        """What the reference gives; it is started when it is first asked, and again if it has ended."""
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
        failing = [stub for stub in job.stubs if stub in written and stubs[stub].state != "done"]
        stubs |= _tried_again(job, cells, failing, seed)
    return Verdict(stubs, cells, time.monotonic() - started)


def _tried_again(job: Job, cells: Sequence[Cell], failing: list[str], seed: int) -> dict[str, Outcome]:
    """What becomes of stubs that fail in their own module, when what they rest on is right."""

    def passing(own: Sequence[str], blank: Sequence[str], wall: float) -> list[str]:
        found = run(job, _among(job, cells, own, blank), own, seed, wall)
        return [stub for stub in own if found[stub].state == "done"]

    done, rests = [], []
    for at, (stub, share) in enumerate(_shares(job, failing)):
        done += passing([stub], failing[at + 1 :], share)
    for at, (stub, share) in enumerate(_shares(job, failing)):
        if stub not in done and _calls(job, cells, stub, failing[at + 1 :]):
            rests += passing([stub], [], share)
    own = [*done, *rests]
    together = passing(own, [], PATIENCE * job.limits.seconds) if len(own) > 1 else own
    sure = [stub for stub in done if stub in together]
    return {stub: Outcome("done") if stub in sure else Outcome("in doubt", RESTS) for stub in own}


def _shares(job: Job, stubs: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Each stub with its share of the time that they have together, by the clock."""
    end = time.monotonic() + PATIENCE * job.limits.seconds
    for at, stub in enumerate(stubs):
        yield stub, (end - time.monotonic()) / (len(stubs) - at)


def _among(job: Job, cells: Sequence[Cell], own: Sequence[str], blank: Sequence[str]) -> list[Cell]:
    """The reference's cells with these stubs of the student's, and others as they were released.

    What a student has added to the notebook stands before the first of them, and what was added to a stub's cell in its place.
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
    """The plain functions of a student's cell that the reference does without, for the student's other stubs may call them."""
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
                if outcome.said == UNTRIED:  # how it ended when it had seen a probe is told nobody
                    outcome.said = UNASKED if stub in passed else str(ended)
    return outcomes


def _order(job: Job, cells: Sequence[Cell], stubs: Mapping[str, Sequence[str]]) -> dict:
    sources = [{"name": cell.name, "source": cell.code} for cell in cells]
    return {"slug": job.slug, "cells": sources, "tests": job.tests if stubs else "", "stubs": stubs}


def begin(worker: Sandbox, order: Mapping) -> None:
    """Give a worker its job, and wait until it stands: what fails until then, before a student's code runs, is ours."""
    worker.renew(START)
    try:
        worker.send(order)
        worker.receive()
    except Ended as ended:
        raise SandboxError(f"a worker does not start: {worker.logged() or ended}") from None
    worker.renew(worker.wall)


def _test(worker: Sandbox, job: Job, outcomes: dict[str, Outcome], cells: int) -> list[str]:
    """Read how the tests went, and return the stubs that passed all of theirs. It may say too much, and false things."""
    passed, broken = {stub: set() for stub in outcomes}, []
    for _ in range(cells + 2 + sum(len(job.stubs[stub]) for stub in outcomes)):
        if (said := worker.receive()).get("ready"):
            break
        stub, test, failure = said.get("stub"), said.get("test"), said.get("failure")
        if "cell" in said:
            broken.append(f"{_text(said, 'cell')}: {_text(said, 'came_back')}")
        elif isinstance(stub, str) and stub in outcomes and test in job.stubs[stub]:
            if failure is None:
                passed[stub].add(test)
            elif isinstance(failure, dict) and outcomes[stub].said == UNTRIED:
                outcomes[stub].said = _explained(test, failure)
    else:
        raise Ended("it answered too much")
    for outcome in outcomes.values():
        if broken and outcome.said == UNTRIED:
            outcome.said = broken[0]
    return [stub for stub in outcomes if passed[stub] == set(job.stubs[stub])]


def _explained(test: str, failure: Mapping) -> str:
    """Why a test failed, in the words of `make test-module`."""
    rows = {"fails": test.removeprefix("test_").replace("_", " ")}
    rows |= {label: _text(failure, label.replace(" ", "_")) for label in ("asked", "came back", "where")}
    return "\n".join(f"{label}: {text}" for label, text in rows.items() if text)[:SAID]


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


def _text(said: Mapping, key: str) -> str:
    text = said.get(key, "")
    return intake.clean(text[:SAID]) if isinstance(text, str) else ""
