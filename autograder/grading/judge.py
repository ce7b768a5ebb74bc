"""The result of one submission, as JSON: the marks, the record, the graded notebook and Gradescope's table are made from it."""

from collections.abc import Mapping
from pathlib import Path
from time import perf_counter

import nbformat

from autograder.grading import intake, pages, sandbox, verify
from autograder.grading.sandbox import SandboxError
from autograder.grading.verify import Job, Outcome


def judge(todo: Job, folder: Path, path: Path) -> dict:
    """Grade the submission at `path`, which is in `folder`.

    The result has the stubs with their states and points, which answers in words are written, and the graded notebook;
    or why there is none: `refused` if that is the submission's fault, `fault` if it is the machinery's.
    """
    try:
        sandbox.check(todo.folder)  # of this machine
        started = perf_counter()
        verdict = verify.verify(todo, intake.read(path, folder))
    except intake.Refused as refused:
        return {"refused": str(refused)}
    except (SandboxError, OSError) as error:
        return {"fault": f"the machinery failed, not the submission: {error}"}
    answers = {
        cell.name: cell.is_written
        for cell in verdict.cells
        if cell.type == "markdown" and cell.metadata.get("nbgrader", {}).get("grade")
    }
    stubs = {stub: _kept(outcome, todo.points[stub]) for stub, outcome in verdict.stubs.items()}
    page = nbformat.writes(pages.notebook(verdict, todo.released))
    return {"stubs": stubs, "answers": answers, "seconds": round(perf_counter() - started, 2), "page": page}


def _kept(outcome: Outcome, points: int) -> dict:
    """What is recorded of a stub; how it fails is for `make report`, which recognises mistakes by it."""
    reached = points if outcome.state == "done" else 0
    kept = {"state": outcome.state, "said": outcome.said, "points": reached, "of": points}
    if outcome.state == "failing" and (failure := outcome.failure):
        kept["failure"] = {key: getattr(failure, key) for key in ("test", "error", "asked", "came_back")}
    return kept


def doubts(student: str, result: Mapping) -> list[str]:
    """What an instructor should look at: what passes, but may not be what was asked for."""
    found = {}
    for stub, outcome in result["stubs"].items():
        if outcome["state"] == "in doubt":
            found.setdefault(verify.DOUBTS[outcome["said"]], []).append(stub)
    return [f"{student}: in doubt: {', '.join(stubs)}: {why}" for why, stubs in found.items()]
