"""The verdict on a submission: a stub has its points when its tests pass in the sandbox, and its probes agree with the reference's.

The tests are the release's, whatever was submitted. They run on the student's module, and where they fail there, or a probe
does, once more on the reference's module with only this stub put in: so one mistake costs one stub. A test can be
cheated by code that runs beside it; a probe cannot, for what it gives is compared here.
"""

import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.grading import intake, probes
from autograder.grading.intake import Cell
from autograder.grading.probes import Probe
from autograder.grading.sandbox import Ended, Limits, Sandbox, SandboxError, sandbox

SECONDS = 20  # for one cell, test or probe
LONGEST = 2000  # characters of what a student is told of one stub


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


@dataclass
class Outcome:
    """Where a stub stands: done, failing, not started, or `in doubt`, which only the instructor is told."""

    state: str
    said: str = ""


@dataclass
class Verdict:
    stubs: dict[str, Outcome]
    cells: list[Cell]
    seconds: float
    probed: dict[str, bool] = field(default_factory=dict)


class Reference:
    """The reference in a sandbox of its own, which answers the probes of every submission."""

    running: dict[str, "Reference"] = {}  # by slug, in this process

    def __init__(self, job: Job):
        self.worker = Sandbox(job.folder, Limits(86400, job.limits.megabytes), SECONDS)
        self.worker.send(_order(job, job.reference, {}))
        started(self.worker)
        if (first := self.ask(None)) != {"ready": True}:
            raise SandboxError(f"the reference of {job.slug} does not run: {first}")

    def ask(self, question: dict | None) -> dict:
        self.worker.deadline = time.monotonic() + 2 * SECONDS
        try:
            if question:
                self.worker.send(question)
            return self.worker.receive()
        except Ended as ended:
            raise SandboxError(f"the reference does not answer: {ended}") from None

    @classmethod
    def of(cls, job: Job) -> "Reference":
        known = cls.running.get(job.slug)
        if known is None or known.worker.process.poll() is not None or known.job != job.reference:
            known = cls.running[job.slug] = cls(job)
            known.job = job.reference
        return known


def verify(job: Job, notebook: dict) -> Verdict:
    """Grade one notebook, as `intake.read` gives it."""
    started, cells = time.perf_counter(), intake.restored(notebook, job.released)
    written = [cell.name for cell in cells if cell.is_stub and cell.is_written]
    stubs = {stub: Outcome("not started") for stub in job.stubs}
    if written:
        seed = secrets.randbits(63)
        stubs |= run(job, [cell for cell in cells if cell.is_exported], written, seed)
        for stub in written:
            if stubs[stub].state != "done":
                alone = run(job, _alone(job, cells, stub), [stub], seed)[stub]
                if alone.state == "done" or stubs[stub].state == "failing":
                    stubs[stub] = alone if alone.state == "done" else stubs[stub]
    return Verdict(stubs, cells, time.perf_counter() - started)


def _alone(job: Job, cells: Sequence[Cell], stub: str) -> list[Cell]:
    """The reference's cells with only this stub of the student's, and before it the cells that the student has added."""
    theirs = next(cell for cell in cells if cell.name == stub)
    own = [cell for cell in cells if cell.is_own and cell.is_exported]
    return [part for cell in job.reference for part in ((*own, theirs) if cell.name == stub else (cell,))]


def run(job: Job, cells: Sequence[Cell], stubs: Sequence[str], seed: int) -> dict[str, Outcome]:
    """Run a module with the tests of some of its stubs, and the probes of those whose tests pass."""
    outcomes = {stub: Outcome("failing", "its tests did not run") for stub in stubs}
    with sandbox(job.folder, job.limits, SECONDS) as worker:
        try:
            worker.send(_order(job, cells, {stub: job.stubs[stub] for stub in stubs}))
            passed = _test(worker, job, outcomes)
            for stub in passed:
                outcomes[stub] = Outcome(
                    "in doubt", "its tests pass, but it does not compute what they ask for"
                )
                if all(_agrees(worker, job, probe, seed) for probe in job.probes if probe.stub == stub):
                    outcomes[stub] = Outcome("done")
        except Ended as ended:
            for outcome in outcomes.values():
                if outcome.state == "failing":
                    outcome.said = outcome.said if "tests did not run" not in outcome.said else str(ended)
    return outcomes


def _order(job: Job, cells: Sequence[Cell], stubs: Mapping[str, Sequence[str]]) -> dict:
    sources = [{"name": cell.name, "source": cell.code} for cell in cells]
    return {"slug": job.slug, "cells": sources, "tests": job.tests if stubs else "", "stubs": stubs}


def started(worker: Sandbox) -> None:
    """Wait until the worker stands, before anything of a student's runs in it: what fails until then is the machinery's."""
    try:
        worker.receive()
    except Ended as ended:
        raise SandboxError(f"a worker does not start: {ended}") from None


def _test(worker: Sandbox, job: Job, outcomes: dict[str, Outcome]) -> list[str]:
    """Read how the tests went, and return the stubs that passed all of theirs."""
    started(worker)
    passed, broken = {stub: set() for stub in outcomes}, []
    while not (said := worker.receive()).get("ready"):
        stub, test, failure = said.get("stub"), said.get("test"), said.get("failure")
        if "cell" in said:
            broken.append(f"{_text(said, 'cell')} raised {_text(said, 'error')}: {_text(said, 'message')}")
        elif stub in outcomes and test in job.stubs[stub]:
            if failure is None:
                passed[stub].add(test)
            elif isinstance(failure, dict) and "did not run" in outcomes[stub].said:
                title = test.removeprefix("test_").replace("_", " ")
                came = ": ".join(filter(None, (_text(failure, "error"), _text(failure, "message"))))
                outcomes[stub].said = "\n".join([title, came, _text(failure, "where")]).strip()
    for stub, outcome in outcomes.items():
        if broken and "did not run" in outcome.said:
            outcome.said = broken[0]
    return [stub for stub in outcomes if passed[stub] == set(job.stubs[stub])]


def _agrees(worker: Sandbox, job: Job, probe: Probe, seed: int) -> bool:
    question = {"source": probe.source, "name": probe.name, "seed": seed}
    worker.send(question)
    theirs, ours = worker.receive(), Reference.of(job).ask(question)
    if "value" not in ours:
        raise SandboxError(f"the probe {probe.name} fails on the reference: {ours}")
    try:
        return "value" in theirs and probes.agree(
            probes.decoded(theirs["value"]), probes.decoded(ours["value"])
        )
    except (ValueError, TypeError, RecursionError, MemoryError):
        return False


def _text(said: Mapping, key: str) -> str:
    return str(said.get(key, ""))[:LONGEST]
