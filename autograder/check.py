"""`make test-module N`: export the notebook, run its tests, and say of each stub where it stands."""

import ast
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder import export, lesson
from autograder.course import Course, CourseError, Module, load

LINES = 6  # of what came back
STYLES = {"done": "green", "failing": "red", "not started": "dim", "not run": "red"}


@dataclass(frozen=True)
class Stub:
    """A stub in the learner's notebook."""

    source: str
    hints: int


@dataclass(frozen=True)
class Result:
    """Where a stub stands: done, failing, not started, not run, or `needs another first`."""

    stub: str
    points: int
    state: str
    failure: dict | None = None

    @property
    def reached(self) -> int:
        return self.points if self.state == "done" else 0


def test_module(module: Module) -> int:
    """Export the learner's notebook, run the module's tests against it, and show each stub; 1 if any fails."""
    course, console = load(module.root), Console(highlight=False)
    require_earlier(course, module)
    points_of(module)
    refused = None
    try:
        export.export(module)
    except export.ExportError as error:
        if not is_learners(module.package):
            raise
        refused = error
    results = run(course, module)
    if refused:
        console.print(f"{refused}\nWhat follows is about the last good export, not about the notebook as it is.")
        attempts = dict.fromkeys(points_of(module), 0)
    else:
        attempts = remember(module, results)
    console.print(table(module, results))
    console.print(explanation(course, module, results, attempts))
    if refused:
        return refused.exit_code
    return int(any(result.state != "done" for result in results))


def require_earlier(course: Course, module: Module) -> None:
    """Refuse a module while one that it builds on, directly or not, has not been exported."""
    needed, missing = [module.slug], []
    for earlier in reversed(course.modules[: module.number]):
        if earlier.slug in needed:
            needed += earlier.requires
            if earlier is not module and not earlier.package.exists():
                missing.insert(0, earlier)
    if missing:
        names = " and ".join(f"{earlier.number:02} ({earlier.slug})" for earlier in missing)
        own = ", ".join(f"`make test-module {earlier.number}`" for earlier in missing)
        raise CourseError(
            f"module {module.number:02} ({module.slug}) builds on {names}, not exported yet: "
            f"{own} for your own, or `make catch-up {module.number}` for the reference"
        )


def points_of(module: Module) -> dict[str, int]:
    """The stubs of a module with their points, in order, as its released tests list them."""
    try:
        tree = ast.parse(module.tests.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"module {module.number:02} ({module.slug}) has not been released") from None
    marks = [mark for node in tree.body for mark in getattr(node, "decorator_list", ())]
    return {mark.args[0].value: mark.keywords[0].value.value for mark in marks}


def is_learners(package: Path) -> bool:
    """Whether an exported module came from the learner's own notebook."""
    return package.exists() and package.read_text(encoding="utf-8").startswith("# Written from modules/")


def run(course: Course, module: Module) -> list[Result]:
    """Run the tests of a module in a process of their own, against what is exported in tinytorch."""
    tools = Path(__file__).resolve().parents[1]
    with tempfile.TemporaryDirectory() as folder:
        outcomes = Path(folder, "outcomes.json")
        options = [f"-c{os.devnull}", f"--rootdir={course.root}", "--import-mode=importlib", "--noconftest"]
        plugins = ["-pautograder.outcomes", "-pno:cacheprovider", "-pno:warnings", f"--outcomes={outcomes}"]
        command = [sys.executable, "-m", "pytest", "-q", "--tb=no", *options, *plugins, str(module.tests)]
        paths = {"PYTHONPATH": f"{course.root}{os.pathsep}{tools}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        process = subprocess.run(command, cwd=course.root, env=os.environ | paths, capture_output=True, text=True)
        if not outcomes.exists():
            said = (process.stderr or process.stdout).strip().splitlines()[-1:] or ["nothing was said"]
            raise CourseError(f"the tests of module {module.number:02} ended without a result: {said[0]}")
        found = json.loads(outcomes.read_text(encoding="utf-8"))
    return [judge(course, module, stub, points, found) for stub, points in points_of(module).items()]


def judge(course: Course, module: Module, stub: str, points: int, found: dict) -> Result:
    """Say where a stub stands, from what its tests gave."""
    if found["broken"]:
        failures, otherwise = found["broken"], "not run"
    else:
        failures = [test for test in found["tests"] if test["stub"] == stub and "failure" in test]
        failures, otherwise = [test["failure"] | {"test": test["test"]} for test in failures], "failing"
    if not failures:
        return Result(stub, points, "done")
    owners = [owner(course, failure["unwritten"]) for failure in failures]
    for failure, (other, name) in zip(failures, owners, strict=True):
        if other is None:
            return Result(stub, points, otherwise, failure)
    if (module, stub) in owners:
        return Result(stub, points, "not started", failures[0])
    other, name = owners[0]
    where = "" if other is module else f" of {other.number:02}"
    return Result(stub, points, f"needs {name}{where} first", failures[0])


def owner(course: Course, place: dict | None) -> tuple[Module | None, str]:
    """The stub, not written yet, that a NotImplementedError came from."""
    if place is None:
        return None, ""
    module = course.find(place["module"])
    for name, stub in stubs_in(module).items():
        if place["function"].partition(".<locals>")[0] in _defined(stub.source):
            return module, name
    return None, ""
