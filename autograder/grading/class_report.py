"""What a class got right and wrong in a module, stub by stub, from what grading has recorded.

Mistakes are recognised by how stubs fail, when the report is made: a sentence that is added to a lesson's mistakes counts at
once. What the code of a submission has said of its failure is not trusted: it only chooses among the lesson's sentences, and
is shown as text.
"""

import json
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from autograder import lesson as lessons
from autograder import recognition, testrunner
from autograder.course import Module
from autograder.grading import verify
from autograder.grading.answer_code import Names, alike, shown
from autograder.lesson import Stub
from autograder.notebook_stubs import plain
from autograder.testrunner import Failure

STATES = ("done", "in doubt", "failing", "not started")
EXAMPLES = 2


@dataclass(frozen=True)
class Example:
    """An answer without its author, and how many others are the same but for names and layout."""

    code: str
    others: int


@dataclass
class Finding:
    """What some answers to a stub have in common: a named mistake, or how they fail where none is recognised."""

    text: str
    students: list[str] = field(default_factory=list)
    hint: int | None = None
    message: str = ""  # the whole message of one of them, where no mistake is named
    examples: list[Example] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.students)


@dataclass
class StubReport:
    """What became of one stub in a class."""

    stub: Stub
    counts: Mapping[str, int]  # of students, by state
    discrimination: float | None
    mistakes: list[Finding]
    others: list[Finding]  # that fail as no named mistake does
    doubts: list[Finding]

    @property
    def graded(self) -> int:
        return sum(self.counts.values())

    @property
    def written(self) -> int:
        return self.graded - self.counts["not started"]

    @property
    def difficulty(self) -> float:
        """The share of the graded who did it: the item difficulty of test theory, which is higher where a stub is easier."""
        return self.counts["done"] / self.graded

    def hint(self, finding: Finding) -> str:
        """The text of the hint that the mistakes file names."""
        return " ".join(plain(self.stub.hints[finding.hint - 1]).split()) if finding.hint else ""


@dataclass(frozen=True)
class ModuleReport:
    """What became of a module in a class."""

    module: Module
    stubs: list[StubReport]
    graded: int
    refused: int  # submissions that could not be graded
    missing: int  # students without a submission
    unread: int  # records that are not of the lesson as it is

    @cached_property
    def mistaken(self) -> int:
        """How many students have a named mistake in it."""
        return len({student for each in self.stubs for found in each.mistakes for student in found.students})

    @cached_property
    def points(self) -> float:
        """The mean share of the points of all stubs, before lateness and marks by hand."""
        most = sum(each.stub.points for each in self.stubs)
        return sum(each.stub.points * each.difficulty for each in self.stubs) / most


def records(module: Module) -> dict[str, dict | None]:
    """What grading recorded of each student, None where it cannot be read."""
    found = {}
    for path in sorted((module.root / "autograder" / "graded").glob(f"*/{module.name}.json")):
        try:
            stubs = json.loads(path.read_text(encoding="utf-8"))["stubs"]
            found[path.parent.name] = dict(stubs) if all(_is_whole(each) for each in stubs.values()) else None
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            found[path.parent.name] = None
    return found


def _is_whole(outcome: object) -> bool:
    return isinstance(outcome, dict) and outcome.get("state") in STATES


def of_module(module: Module, students: set[str], names: Names) -> ModuleReport | None:
    """The report of a module for a class; None if nothing of it is graded."""
    lesson, found = lessons.read(module), records(module)
    wanted = {stub.name for stub in lesson.stubs}
    whole = {student: stubs for student, stubs in found.items() if stubs and set(stubs) == wanted}
    if not whole:
        return None
    submitted = {
        path.parent.name for path in (module.root / "autograder" / "submitted").glob(f"*/{module.name}")
    }
    points = {
        student: {stub.name: stub.points * (stubs[stub.name]["state"] == "done") for stub in lesson.stubs}
        for student, stubs in whole.items()
    }
    answers = {student: answers_of(module, student) for student in whole}
    reports = []
    for stub in lesson.stubs:
        outcomes = {student: stubs[stub.name] for student, stubs in whole.items()}
        rest = [sum(each.values()) - each[stub.name] for each in points.values()]
        done = [outcome["state"] == "done" for outcome in outcomes.values()]
        found_here = _findings(module, stub, outcomes, names)
        for finding in (finding for kind in found_here for finding in kind):
            finding.examples = _examples(
                [answers[each].get(stub.name, "") for each in finding.students], names
            )
        counts = Counter(outcome["state"] for outcome in outcomes.values())
        reports.append(
            StubReport(
                stub, {state: counts[state] for state in STATES}, discrimination(done, rest), *found_here
            )
        )
    return ModuleReport(
        module,
        reports,
        graded=len(whole),
        refused=len(submitted - set(found)),
        missing=len(students - submitted - set(found)),
        unread=len(found) - len(whole),
    )


def discrimination(done: Sequence[bool], rest: Sequence[float]) -> float | None:
    """The point-biserial correlation of having done a stub with the points of the module's other stubs.

    r = (M1 - M0) / s * sqrt(p q), where M1 and M0 are the mean points of those who did it and of the others, s is the
    standard deviation of all, and p and q = 1 - p are the shares of the two groups. The stub's own points are left out
    of the sum, which would correlate with themselves (S. Henrysson, Correction of item-total correlations in item analysis,
    Psychometrika 28, 1963). None where a group is empty, or everyone has the same points.
    """
    groups = [[points for one, points in zip(done, rest, strict=True) if one == did] for did in (True, False)]
    spread = statistics.pstdev(rest)
    if not all(groups) or not spread:
        return None
    share = len(groups[0]) / len(rest)
    mean, others = map(statistics.fmean, groups)
    return (mean - others) / spread * math.sqrt(share * (1 - share))


def _findings(
    module: Module, stub: Stub, outcomes: Mapping[str, dict], names: Names
) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """Named mistakes, other ways to fail, and doubts, the most frequent first."""
    mistakes, others, doubts = {}, {}, {}
    for student, outcome in outcomes.items():
        if outcome["state"] == "in doubt":
            text = verify.DOUBTS.get(outcome.get("said"), "to be looked at")
            doubts.setdefault(text, Finding(text)).students.append(student)
        elif outcome["state"] == "failing":
            failure = _failure(outcome)
            sentence, hint = recognition.recognise(module, stub.name, failure) if failure else ("", None)
            if sentence:
                hint = hint if hint and hint <= len(stub.hints) else None
                mistakes.setdefault(sentence, Finding(sentence, hint=hint)).students.append(student)
            else:
                text, message = _in_words(failure, outcome, names)
                others.setdefault(_pattern(text), Finding(text, message=message)).students.append(student)
    return tuple(
        sorted(found.values(), key=lambda finding: (-finding.count, finding.text))
        for found in (mistakes, others, doubts)
    )


def _failure(outcome: Mapping) -> Failure | None:
    kept = outcome.get("failure")
    keys = ("test", "error", "asked", "came_back")
    if not isinstance(kept, dict) or not all(isinstance(kept.get(key), str) for key in keys):
        return None
    return Failure(*(kept[key] for key in keys))


def _in_words(failure: Failure | None, outcome: Mapping, names: Names) -> tuple[str, str]:
    """How an answer fails: test and first line of the message, and the whole message."""
    if failure is None:  # what ended it was no test
        said = names.removed(str(outcome.get("said", "")))
        return testrunner.cut(said, 1).removesuffix("\n..."), said
    test = failure.test.removeprefix("test_").replace("_", " ") or "the cell does not run"
    message = names.removed("\n".join(filter(None, (failure.asked, failure.came_back))))
    line = next(filter(str.strip, names.removed(failure.came_back).splitlines()), failure.error)
    return f"{test}: {line.strip()}"[: testrunner.WIDTH], message


def _pattern(text: str) -> str:
    """A first line without its numbers, by which failures are grouped."""
    return re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?", "0", text)


def answers_of(module: Module, student: str) -> dict[str, str]:
    """The sources of a student's cells by name, as they were graded."""
    path = module.root / "autograder" / "autograded" / student / module.name / module.notebook.name
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return {cell["id"]: joined(cell["source"]) for cell in cells if cell["cell_type"] == "code"}
    except (OSError, ValueError, TypeError, KeyError):
        return {}


def joined(source: str | Iterable[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def _examples(answers: Sequence[str], names: Names) -> list[Example]:
    """The commonest of some answers, each with how many are the same apart from names and layout."""
    groups = {}
    for answer in filter(str.strip, answers):
        groups.setdefault(alike(answer), []).append(answer)
    common = sorted(groups.values(), key=lambda group: (-len(group), len(group[0]), group[0]))
    return [Example(shown(min(group), names), len(group) - 1) for group in common[:EXAMPLES]]


def rows(report: ModuleReport) -> Iterator[dict[str, object]]:
    """The table beside the page: a row for each state of a stub, and for each finding."""
    for each in report.stubs:
        stub = {"module": report.module.name, "stub": each.stub.name, "points": each.stub.points}
        for state, count in each.counts.items():
            row = stub | {"kind": "state", "text": state, "count": count, "of": each.graded}
            if state == "done":
                row |= {"difficulty": f"{each.difficulty:.3f}"}
                row |= {"discrimination": "" if each.discrimination is None else f"{each.discrimination:.3f}"}
            yield row
        for kind, found in {
            "mistake": each.mistakes,
            "other failure": each.others,
            "in doubt": each.doubts,
        }.items():
            for finding in found:
                row = {"kind": kind, "text": finding.text, "hint": finding.hint or ""}
                yield stub | row | {"count": finding.count, "of": each.written}
