"""`make mark N STUDENT=ada STUB=relu POINTS=3 REASON='...'`: points in place of those of grading, with the reason for them.

They are nbgrader's manual score, as if entered in the formgrader: grading again leaves them, and they count in feedback and grades.
`autograder/marks.jsonl` has a line for each mark and each one that is undone, with the reason and what was there before. Lines are
only added, but for a student who is renamed or deleted.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.api import Grade, Gradebook, MissingEntry

from autograder import files
from autograder import lesson as lessons
from autograder.console import printable, say
from autograder.course import Course, CourseError, Module, load
from autograder.grading import gradebook
from autograder.grading.intake import clean

PLACE = Path("autograder", "marks.jsonl")
ASKED = "mark takes STUDENT=, STUB=, POINTS= and REASON=, or STUDENT=, STUB= and UNDO=1, or nothing, to list what was marked"


@dataclass(frozen=True)
class Entry:
    """A line of the log: points that were given, or taken back."""

    student: str
    module: str
    stub: str
    points: float | None  # None where this leaves it to grading
    before: float | None
    reason: str
    time: str
    undoes: bool = False


@dataclass(frozen=True)
class Mark:
    """Points that count in place of those of grading."""

    student: str
    module: str
    stub: str
    points: float
    most: float
    graded: float | None  # None for an answer in words
    reason: str  # "" if they were entered in the formgrader

    def __str__(self) -> str:
        graded = "" if self.graded is None else f", graded {self.graded:g}"
        return f"{self.stub}: {self.points:g} of {self.most:g}{graded}: {self.reason or 'entered in the formgrader'}"


def mark(
    module: Module, student: str | None = None, stub: str | None = None, points: str | None = None,
    reason: str | None = None, undo: bool = False,
) -> None:  # fmt: skip
    """Give points by hand, take the last ones back, or list what was given."""
    course = load(module.root)
    reason = " ".join(clean(reason or "").split())
    given = student is not None, stub is not None, points is not None, bool(reason), undo
    if given not in ((False,) * 5, (True, True, True, True, False), (True, True, False, False, True)):
        raise CourseError(ASKED)
    with gradebook.gradebook(gradebook.configuration(course)) as book:
        if student is None:
            _list(book, course, module)
            return
        grade, past = (
            _grade(book, module, student, stub),
            _standing(course).get((student, module.name, stub), []),
        )
        if undo:
            if not past:
                raise CourseError(f"{student}: {stub}: there is no mark of this command to be undone")
            if grade.manual_score != past[-1].points:
                now = "removed" if grade.manual_score is None else f"changed to {grade.manual_score:g}"
                raise CourseError(
                    f"{student}: {stub}: the mark was {now} in the formgrader since then: undo it there"
                )
            new, reason = past[-1].before, past[-1].reason
        else:
            new = _points(points, grade, stub)
        entry = Entry(
            student,
            module.name,
            stub,
            new,
            grade.manual_score,
            reason,
            f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
            undo,
        )
        score = grade.score
        grade.manual_score = new
        grade.needs_manual_grade = new is None and grade.auto_score is None
        book.db.flush()  # so that what cannot be entered is not in the log
        _append(course, entry)
        book.db.commit()
        say(f"{printable(student)}: {stub}: {grade.score:g} of {grade.max_score:g}, before {score:g}")


def _points(text: str, grade: Grade, stub: str) -> float:
    try:
        points = float(text)
    except ValueError:
        points = math.nan
    if not 0 <= points <= grade.max_score:
        raise CourseError(
            f"{stub}: POINTS={printable(text)}: expected a number from 0 to {grade.max_score:g}"
        )
    return points


def _grade(book: Gradebook, module: Module, student: str, stub: str) -> Grade:
    """What the gradebook has of a student's stub, or answer in words."""
    names = _names(module)
    if stub not in names:
        raise CourseError(f"{module.name} has no stub {printable(stub)}: {', '.join(names)}")
    try:
        return book.find_grade(names[stub], module.slug, module.name, student)
    except MissingEntry:
        raise CourseError(
            f"{printable(student)} has no graded submission of {module.name}: `make grade {module.number}` first"
        ) from None


def _names(module: Module) -> dict[str, str]:
    """What the gradebook calls each stub, and each answer in words."""
    lesson = lessons.read(module)
    answers = {cell.name: cell.name for cell in lesson.cells if cell.kind == "answer"}
    return {stub.name: f"test-{stub.name}" for stub in lesson.stubs} | answers


def _append(course: Course, entry: Entry) -> None:
    place = course.root / PLACE
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(entry), ensure_ascii=False) + "\n")


def _standing(course: Course) -> Mapping[tuple[str, str, str], list[Entry]]:
    """The marks of the log that were not undone, the last one last."""
    try:
        text = (course.root / PLACE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{PLACE}: it cannot be read: {error}") from None
    if not text:
        return {}
    found = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        try:
            entry = Entry(**json.loads(line))
            past = found.setdefault((entry.student, entry.module, entry.stub), [])
            if entry.undoes:
                past.pop()
            else:
                past.append(entry)
        except (ValueError, TypeError, IndexError):
            raise CourseError(f"{PLACE}: line {number} is none of `make mark`") from None
    return found


def rename(course: Course, old: str, new: str | None) -> bool:
    """Give a student's lines of the log another name, or delete them; whether there were any."""
    _standing(course)  # which refuses a log that is broken
    place = course.root / PLACE
    text = place.read_text(encoding="utf-8") if place.exists() else ""
    entries = [json.loads(line) for line in text.split("\n") if line]
    if all(entry["student"] != old for entry in entries):
        return False
    entries = [entry | {"student": new} if entry["student"] == old else entry for entry in entries]
    kept = [json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries if entry["student"] is not None]
    files.write(place, "".join(kept))
    return True


def marks(book: Gradebook, course: Course, *modules: Module) -> Iterator[Mark]:
    """The marks that stand in place of grading's, and those that have a reason, by module, student and stub."""
    past, wanted = _standing(course), {module.name for module in modules}
    found = []
    for grade in book.db.query(Grade).filter(Grade.manual_score.is_not(None)):
        module, student, stub = grade.assignment.name, grade.student.id, grade.name.removeprefix("test-")
        given = past.get((student, module, stub))
        reason = given[-1].reason if given and given[-1].points == grade.manual_score else ""
        if module in wanted and (reason or grade.auto_score not in (None, grade.manual_score)):
            found.append(
                Mark(student, module, stub, grade.manual_score, grade.max_score, grade.auto_score, reason)
            )
    return iter(sorted(found, key=lambda each: (each.module, each.student, each.stub)))


def _list(book: Gradebook, course: Course, module: Module) -> None:
    found = list(marks(book, course, module))
    for each in found:
        say(f"{printable(each.student)}: {each}")
    say(f"{module.name}: {len(found)} mark{'s' * (len(found) != 1)} in place of grading's, or with a reason")
