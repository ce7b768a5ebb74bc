"""nbgrader's gradebook: the one place that writes marks, a submission in one transaction."""

import json
import os
import re
import sysconfig
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from subprocess import CalledProcessError

import nbformat
from nbgrader.api import Gradebook, InvalidEntry, SubmittedAssignment, SubmittedNotebook
from nbgrader.preprocessors import SaveCells
from sqlalchemy.exc import ArgumentError, DBAPIError, SAWarning

from autograder import release
from autograder.course import Course, CourseError, Module
from autograder.grading import received


def configuration(course: Course):
    """nbgrader's configuration, the gradebook in the course's own folder unless the environment names one."""
    config = release.configuration(course.root)
    if "GRADEBOOK_URL" not in os.environ:
        config.CourseDirectory.db_url = f"sqlite:///{course.root}/autograder/gradebook.db?timeout=60"
    return config


@contextmanager
def gradebook(config) -> Iterator[Gradebook]:
    """The gradebook, made by nbgrader if there is none yet."""
    url = config.CourseDirectory.db_url
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # of how nbgrader puts its rows together
            with _opened(url, config.CourseDirectory.course_id) as book:
                yield book
    except (DBAPIError, InvalidEntry, CalledProcessError) as error:  # nbgrader wraps some of SQLAlchemy's
        place = url.partition("?")[0].rpartition("@")[2]
        said = str(error).strip().partition("\n")[0]
        said = re.sub(r"^\([\w.]+\) ", "", said)
        raise CourseError(f"the gradebook {place} cannot be used: {said}") from None


def _opened(url: str, name: str) -> Gradebook:
    """nbgrader's gradebook; to make a new one, nbgrader calls alembic by its name, which is installed with this Python."""
    before = os.environ.get("PATH", os.defpath)
    os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), before])
    try:
        return Gradebook(url, name)
    except ArgumentError:  # its text has the address, and that may have a password
        raise CourseError(
            "GRADEBOOK_URL is not the address of a database, such as postgresql+psycopg://name@host/database"
        ) from None
    except ModuleNotFoundError as error:
        raise CourseError(f"GRADEBOOK_URL asks for a driver that is not installed: {error.name}") from None
    finally:
        os.environ["PATH"] = before


@contextmanager
def whole(book: Gradebook) -> Iterator[None]:
    """Enter everything that is done within, or nothing: nbgrader's own commits, step by step, do not reach the database."""
    book.db.remove()
    try:
        with book.engine.begin() as connection:
            book.db.configure(bind=connection, join_transaction_mode="rollback_only")
            yield
            book.db.flush()
    finally:
        book.db.remove()
        book.db.configure(bind=book.engine, join_transaction_mode="conditional_savepoint")


def register(book: Gradebook, config, course: Course, module: Module, released: dict) -> None:
    """Enter the release of a module: its stubs, its tests and their points."""
    notebook = nbformat.reads(json.dumps(released), as_version=4)
    notebook.cells = [cell for cell in notebook.cells if _is_graded(cell)]
    book.update_or_create_assignment(module.name, duedate=_end(course, module))
    names = {"notebook": module.slug, "assignment": module.name, "db_url": config.CourseDirectory.db_url}
    try:
        SaveCells().preprocess(notebook, {"nbgrader": names})
    except RuntimeError:
        raise CourseError(
            f"{module.name} has other stubs than when submissions were entered in the gradebook: "
            "restore them, or name another gradebook in GRADEBOOK_URL"
        ) from None


def follow(book: Gradebook, course: Course, times: Mapping[tuple[str, str], datetime]) -> None:
    """Update what the gradebook repeats: deadlines, and the times of submissions as their collector recorded
    them.

    The penalty for lateness is not part of it; one that an earlier version has entered is removed.
    """
    penalty = SubmittedNotebook.late_submission_penalty
    for notebook in book.db.query(SubmittedNotebook).filter(penalty.is_not(None)):
        notebook.late_submission_penalty = None
    for assignment in book.assignments:
        if module := next((each for each in course.modules if each.name == assignment.name), None):
            assignment.duedate = _end(course, module)
            for student, when in came(book, module).items():
                if (later := times.get((student, module.name), when)) != when:
                    receive(book, module, student, later)
    book.db.commit()


def _end(course: Course, module: Module) -> datetime | None:
    """The deadline as nbgrader writes times: UTC without a zone."""
    deadline = course.deadline(module)
    return deadline and _utc(deadline.end)


def _utc(when: datetime) -> datetime:
    return when.astimezone(UTC).replace(tzinfo=None)


def came(book: Gradebook, module: Module) -> dict[str, datetime]:
    """When the submission of each student came in."""
    assignment = book.find_assignment(module.name)
    found = book.db.query(SubmittedAssignment.student_id, SubmittedAssignment.timestamp)
    rows = found.filter(SubmittedAssignment.assignment_id == assignment.id).all()
    return {student: when.replace(tzinfo=UTC) for student, when in rows if when}


def receive(book: Gradebook, module: Module, student: str, when: datetime) -> None:
    """Record this time as when a submission that is entered came in."""
    book.find_submission(module.name, student).timestamp = _utc(when)
    book.db.commit()
    received.note(module, student, when)


def enter(
    book: Gradebook, module: Module, student: str, points: Mapping[str, float | None], when: datetime
) -> None:
    """Enter a student's points by test, None for an answer to be marked by hand; marks given by hand stay.

    All of it is one transaction: no submission is entered by half, and if this process is killed, the row
    stays as it was.
    """
    with whole(book):
        book.update_or_create_student(student)
        submission = book.update_or_create_submission(module.name, student, timestamp=_utc(when))
        for grade in submission.notebooks[0].grades:
            grade.auto_score = points[grade.name]
            grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None


def known(book: Gradebook, course: Course) -> set[str]:
    """Everyone who has a folder of submissions, or is in the gradebook."""
    return received.students(course) | {student.id for student in book.students}


def scores(book: Gradebook, module: Module) -> tuple[dict[str, float], float]:
    """The points of every student whose submission of a module is entered, and the most there are."""
    assignment = book.find_assignment(module.name)
    found = book.db.query(SubmittedAssignment.student_id, SubmittedAssignment.score)
    return dict(found.filter(SubmittedAssignment.assignment_id == assignment.id).all()), assignment.max_score


def to_mark(book: Gradebook, module: Module) -> set[str]:
    """The students with something still to be marked by hand, such as an answer in words."""
    assignment = book.find_assignment(module.name)
    found = book.db.query(SubmittedAssignment.student_id).filter(
        SubmittedAssignment.assignment_id == assignment.id, SubmittedAssignment.needs_manual_grade
    )
    return {student for (student,) in found}


def score(book: Gradebook, module: Module, student: str) -> tuple[float, float] | None:
    """The points of one student, and the most there are; None before any."""
    found, most = scores(book, module)
    return (found[student], most) if student in found else None


def _is_graded(cell) -> bool:
    marks = cell.metadata.get("nbgrader", {})
    return bool(marks.get("solution") or marks.get("grade"))
