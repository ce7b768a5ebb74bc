"""`make submit N`: check a notebook as the grader will read it, and pack it."""

import zipfile
from datetime import UTC, datetime
from pathlib import Path

from autograder import export, feedback, files, notebook_changes, notebook_stubs
from autograder.console import say
from autograder.course import CourseError, Module
from autograder.limits import NOTEBOOK

FRESH = "a fresh notebook, with all cells as they were released, and keeps a copy of yours"


def submit(module: Module) -> None:
    """Pack a module's notebook with the time, and report its stubs. An earlier pack is kept."""
    points, reading = notebook_stubs.points_of(module), notebook_stubs.reading(module)
    if module.notebook.stat().st_size > NOTEBOOK:
        raise CourseError(
            f"{module.notebook.name} has more than {NOTEBOOK >> 20} MB: clear its outputs, and save it"
        )
    for cell in export.sources(module, reading):
        if cell.is_code:
            export.check(cell)
    here = notebook_stubs.stubs_of(reading)
    states = _states(module, points, here)
    pack = _packed(module)
    written = [name for name in points if states[name] not in ("not written", "missing")]
    done = [name for name in written if states[name] == "done"]
    say(f"{module.label} {module.title}: {len(written)} of {len(points)} stubs written, "
         f"{len(done)} of them passed their tests when `make test-module {module.number}` last ran")  # fmt: skip
    for name in points:
        if name not in done:
            say(f"  {name}: {_in_words(states[name], module)}")
    found = notebook_changes.of(reading)
    for remark in found:
        say(f"  {remark.said}")
    if any(remark.is_lost for remark in found) or "missing" in states.values():
        say(f"  `make reset {module.number}` gives {FRESH}: copy into it what you wrote")
    say(
        f"{pack.relative_to(module.root).as_posix()}: {module.notebook.name} as it is saved, "
        f"{pack.stat().st_size:,} bytes; hand this file in"
    )


def _states(module: Module, names: dict, here: dict[str, notebook_stubs.Stub]) -> dict[str, str]:
    """The state of each stub: missing, not written, or the last test result of the same code."""
    notes, states = feedback.remembered(module.root).get(module.slug, {}), {}
    untouched = notebook_stubs.untouched(module, here)
    for name in names:
        stub = here.get(name)
        blank = stub and (stub.is_blank or name in untouched)
        states[name] = (
            "not written" if blank else feedback.state(notes.get(name), stub) if stub else "missing"
        )
    return states


def _in_words(state: str, module: Module) -> str:
    tests = f"`make test-module {module.number}`"
    return {
        "": "not known to pass",
        "missing": "the notebook has no cell of it any more, so it is not graded",
        "changed": f"changed since {tests} last ran, so not known to pass",
        "failing": f"failed its tests when {tests} last ran",
    }.get(state, state)


def _packed(module: Module) -> Path:
    """Write the pack: the notebook, and the time."""
    now = datetime.now(UTC).replace(microsecond=0, tzinfo=None)
    pack = module.root / "build" / "submissions" / f"{module.name}.{now:%Y-%m-%d-%H%M%S}.zip"
    files.write(pack, b"")
    with zipfile.ZipFile(pack, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{module.name}/{module.notebook.name}", module.notebook.read_bytes())
        archive.writestr(f"{module.name}/timestamp.txt", f"{now} UTC\n")
    return pack
