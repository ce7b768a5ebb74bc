"""What a learner is told about a stub, by `make test-module` and below a notebook's test cell."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder import files, notebook_stubs
from autograder.course import Course, CourseError, Module
from autograder.notebook_stubs import Stub
from autograder.recognition import recognise
from autograder.testrunner import WIDTH, Failure, Outcomes, Place

PROGRESS = Path("build", "progress.json")


@dataclass(frozen=True)
class Result:
    """The state of a stub: done, failing, not started, not run, or `needs another first`."""

    stub: str
    points: int
    state: str
    failure: Failure | None = None
    because: str | None = None  # an earlier stub that this one rests on, and that fails too
    printed: str = ""  # by what its tests ran

    @property
    def reached(self) -> int:
        return self.points if self.state == "done" else 0


@dataclass(frozen=True)
class Desk:
    """What feedback looks at: a module, and its stubs as the notebook has them, or as they were last run."""

    course: Course
    module: Module
    stubs: Mapping[str, Stub]

    @cached_property
    def points(self) -> dict[str, int]:
        """The points of each stub."""
        return notebook_stubs.points_of(self.module)

    def owner(self, place: Place) -> tuple[Module, str, Stub] | None:
        """The stub that a line of the learner's code belongs to, and its module."""
        function = place.function.partition(".<locals>")[0]
        for module in self.course.modules:
            if module.slug == place.module:
                here = self.stubs if module == self.module else notebook_stubs.read(module)
                for name, stub in here.items():
                    if function in stub.functions:
                        return module, name, stub
        return None

    def judge(self, stub: str, points: int, outcomes: Outcomes, untouched: bool = False) -> Result:
        """Decide the state of a stub from the results of its tests."""
        if untouched and not outcomes.broken:
            return Result(stub, points, "not started")
        failures = [outcomes.broken] if outcomes.broken else outcomes.failures.get(stub, [])
        if not failures:
            return Result(stub, points, "done")
        unwritten = [self.owner(failure.places[-1]) if failure.unwritten else None for failure in failures]
        for failure, needed in zip(failures, unwritten, strict=True):
            if needed is None:
                return Result(stub, points, "not run" if outcomes.broken else "failing", failure)
        if (self.module, stub) in [needed[:2] for needed in unwritten]:
            return Result(stub, points, "not started")
        other, name, _ = unwritten[0]
        return Result(stub, points, f"needs {name}{self._of(other)} first")

    def explain(self, result: Result) -> list[tuple[str, str]]:
        """What failed, what was expected, what was returned, where, and which hint to open, each with its label."""
        failure, stub = result.failure, self.stubs.get(result.stub)
        if result.state == "not run":
            rows = [
                ("not run", f"tinytorch/{self.module.slug}.py cannot be imported, so its tests did not run")
            ]
        else:
            test = failure.test.removeprefix("test_").replace("_", " ")
            rows = [("fails", f"{result.stub}: {test}")]
        rows.append(("asked", failure.asked) if failure.asked else ("ran", failure.ran))
        rows.append(("came back", failure.came_back))
        if failure.places and failure.error not in ("AssertionError", "Failed"):
            rows.append(("where", self.where(failure.places)))
        unknown = re.match(r"NameError: name '(\w+)' is not defined", failure.came_back)
        if unknown and (cell := notebook_stubs.kept_back(self.module, unknown[1])):
            advice = f"{unknown[1]} is in {cell}, which is not exported: import or define it in the stub's cell too"
            rows.append(("perhaps", advice))
        if stub and re.search(r"\bNone(Type)?\b", failure.came_back):
            forgetful = stub.returning_nothing()
            rows += (("perhaps", f"{name} returned None: is a return missing?") for name in forgetful)
        mistake, helps = ("", None) if result.because else recognise(self.module, result.stub, failure)
        rows.append(("perhaps", mistake))
        if result.because:
            rows.append(("perhaps", f"because of {result.because}, which fails too: fix that first"))
        elif stub and stub.hints and result.state == "failing":
            number = min(helps or 1, stub.hints)
            which = f"hint {number} of" if helps or stub.hints == 1 else "the next of the"
            rows.append(("hint", f"open {which} {stub.hints}, above {stub.cell}"))
        return [(label, text) for label, text in rows if text]

    def where(self, places: Sequence[Place]) -> str:
        """The deepest place in a stub, of this module if possible, otherwise of any; by its cell if it has one."""
        deepest = sorted(places, key=lambda place: place.module == self.module.slug)[::-1]
        for place in deepest:
            if found := self.owner(place):
                other, _, stub = found
                return f"{place.function}, {stub.cell}{self._of(other)}: {place.line}"
        place = deepest[0]
        cell = (
            notebook_stubs.cell_with(self.module, place.statement) if place.module == self.module.slug else ""
        )
        file = f"tinytorch/{place.module}.py"
        return f"{cell or place.function + ' in ' + file}: {place.line}"

    def _of(self, module: Module) -> str:
        return "" if module == self.module else f" of {module.slug}"


def in_a_line(result: Result) -> str:
    """Why a stub fails, in a line."""
    if result.because:
        return f"perhaps because of {result.because}, which fails too"
    said = filter(None, (result.failure.asked, result.failure.came_back))
    return "; ".join(text.splitlines()[0] for text in said)[:WIDTH]


def remember(module: Module, results: Sequence[Result], here: Mapping[str, Stub]) -> None:
    """Record the state of each stub, and which code was tested."""
    notes = remembered(module.root)
    known = notes.get(module.slug, {})
    for result in results:
        code = here[result.stub].digest if result.stub in here else None
        known[result.stub] = known.get(result.stub, {}) | {"state": result.state, "code": code}
    files.write(module.root / PROGRESS, json.dumps(notes | {module.slug: known}, indent=1))


def hints_shown(module: Module, stub: str) -> list[int]:
    """The numbers of the hints that were shown, in their order; those of another release may be higher than there are."""
    return remembered(module.root).get(module.slug, {}).get(stub, {}).get("hints", [])


def remember_hint(module: Module, stub: str, number: int) -> None:
    """Record that a hint was shown."""
    notes = remembered(module.root)
    note = notes.setdefault(module.slug, {}).setdefault(stub, {})
    note["hints"] = list(dict.fromkeys([*note.get("hints", []), number]))
    files.write(module.root / PROGRESS, json.dumps(notes, indent=1))


def state(note: Mapping | None, stub: Stub | None) -> str:
    """The state of a stub when it was last tested, if its code is the same; else "changed", or "" if it never was."""
    if not note or "state" not in note:
        return ""
    return note["state"] if stub and note.get("code") == stub.digest else "changed"


def remembered(root: Path) -> dict[str, dict]:
    """What the last tests of each module gave, by slug and stub."""
    try:
        return json.loads((root / PROGRESS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        raise CourseError(f"{PROGRESS} cannot be read: delete it, and test your modules again") from None
