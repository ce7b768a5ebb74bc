"""`make student`: add someone to the class by hand, or rename or delete a student in everything that is kept here."""

import csv
import io
import shutil
from collections.abc import Iterator
from dataclasses import asdict, astuple
from pathlib import Path

from nbgrader.api import Gradebook, Student, SubmittedAssignment
from sqlalchemy import text

from autograder import files
from autograder.console import printable, say
from autograder.course import Course, CourseError, load
from autograder.grading import batch, feedback_zip, gradebook, marks_by_hand, roster, tables
from autograder.grading.roster import COLUMNS, Person
from autograder.grading.student_names import check_name

FOLDERS = ("submitted", "replaced", "graded", "autograded", "feedback")
MADE = ("grades", "reports", "similar", "returned")  # of all students
COPIED = ("first_name", "last_name", "email", "lms_user_id")  # of a student in the gradebook


def student(
    add: str | None = None, named: str | None = None, rename: str | None = None, to: str | None = None,
    remove: str | None = None,
) -> None:  # fmt: skip
    """Add, rename or remove one student."""
    course = load()
    if [add, rename, remove].count(None) != 2 or (rename is None) != (to is None) or (named and not add):
        raise CourseError(
            "student takes ADD=ada [NAMED='Lovelace, Ada'], or RENAME=ada TO=lovelace, or REMOVE=ada"
        )
    for each in filter(None, (add, rename, to, remove)):
        check_name(each)
        if "/" in each or each.startswith("."):
            raise CourseError(f"{each} is no name of a folder")
    with batch.alone(course):
        if add:
            _add(course, Person(add, named or ""))
            return
        with gradebook.gradebook(gradebook.configuration(course)) as book:
            _change(course, book, rename or remove, to)
    for line in _left(course, rename or remove):
        say(line)


def _add(course: Course, person: Person) -> None:
    people = {each.student: each for each in roster.of(course)}
    if person.student in people:
        raise CourseError(f"{person.student} is in {roster.PLACE} already")
    rows = map(asdict, sorted([*people.values(), person], key=astuple))
    files.write(course.root / roster.PLACE, tables.text(COLUMNS, rows))
    say(
        f"{roster.PLACE}: {person.student} added; `make roster` keeps only who is in the file that it takes over"
    )


def _change(course: Course, book: Gradebook, old: str, new: str | None) -> None:
    """Give everything of a student's another name, or delete it."""
    folder = course.root / "autograder"
    kept = [folder / name / old for name in FOLDERS if (folder / name / old).exists()]
    listed = [path for path in sorted(folder.glob("*.csv")) if old in _students(path)]
    entered = any(each.id == old for each in book.students)
    if not (kept or listed or entered):
        raise CourseError(f"there is no student {printable(old)}")
    if new is not None:
        taken = [name for name in FOLDERS if (folder / name / new).exists()]
        taken += [path.name for path in folder.glob("*.csv") if new in _students(path)]
        if taken or any(each.id == new for each in book.students):
            raise CourseError(f"{new} is somebody else's name: {', '.join(taken) or 'the gradebook has it'}")
    done = "deleted" if new is None else f"now {new}"
    if entered:
        with gradebook.whole(book):
            _enter(book, old, new)
        with book.engine.connect() as connection:  # which forgets what was deleted
            connection.execution_options(isolation_level="AUTOCOMMIT").execute(text("vacuum"))
        say(f"the gradebook: {old} {done}")
    for path in kept:
        shutil.rmtree(path) if new is None else path.rename(path.with_name(new))
        say(f"{path.relative_to(course.root)}: {done}")
    for path in listed:
        files.write(path, _rewritten(path, old, new))
        say(f"{path.relative_to(course.root)}: {old} {done}")
    for place, renamed in {
        marks_by_hand.PLACE: marks_by_hand.rename,
        feedback_zip.NOTES: feedback_zip.rename,
    }.items():
        if renamed(course, old, new):
            say(f"{place}: {old} {done}")


def _enter(book: Gradebook, old: str, new: str | None) -> None:
    """Rename or delete a student in the gradebook, with all submissions."""
    if new is None:
        book.remove_student(old)
        return
    before = book.find_student(old)
    book.db.add(Student(id=new, **{key: getattr(before, key) for key in COPIED}))
    book.db.flush()
    moved = book.db.query(SubmittedAssignment).filter(SubmittedAssignment.student_id == old)
    moved.update({"student_id": new}, synchronize_session=False)
    book.db.flush()
    book.db.expire_all()
    book.db.delete(book.find_student(old))


def _rows(path: Path) -> tuple[list[str], list[dict]]:
    try:
        reader = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""))
        return list(reader.fieldnames or []), list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"{path.name} cannot be read: {error}") from None


def _students(path: Path) -> set[str]:
    """Whom a table lists."""
    columns, rows = _rows(path)
    return {row["student"] for row in rows} if "student" in columns else set()


def _rewritten(path: Path, old: str, new: str | None) -> str:
    columns, rows = _rows(path)
    rows = [row | {"student": new} if row["student"] == old else row for row in rows]
    return tables.text(columns, [row for row in rows if row["student"] is not None])


def _left(course: Course, old: str) -> Iterator[str]:
    """What an instructor has written about a student, and what was made from all this before."""
    folder = course.root / "autograder"
    for path in sorted(folder.glob("*.yaml")):
        for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
            if line.strip().startswith((f"{old}:", f'"{old}":', f"'{old}':")):
                yield f"{path.relative_to(course.root)}: line {number} is about {old}: change it yourself"
    if made := [f"autograder/{name}" for name in MADE if (folder / name).exists()]:
        yield f"made before, delete them or make them again: {', '.join(made)}"
