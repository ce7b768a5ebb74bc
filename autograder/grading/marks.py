"""What comes out of the gradebook: feedback for students, grades for the registrar, and the formgrader for marks by hand."""

import csv
import html
import io
import re
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path

from nbgrader.api import Gradebook, Student, SubmittedAssignment
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory

from autograder import files
from autograder.console import printable, say
from autograder.course import Course, CourseError, Module, load
from autograder.grading import gradebook, received
from autograder.grading.late import Late, Terms, terms
from autograder.grading.student_names import name_fault
from autograder.learner import serve

CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
MOST = "    Points Possible"  # the row by which Canvas knows how many points there are


def feedback(module: Module, student: str | None = None) -> int:
    """Write what each student gets back for a module, with the comments made by hand; 1 if some could not be."""
    course = load(module.root)
    config, agreed, found = gradebook.configuration(course), terms(course), {}
    with gradebook.gradebook(config) as book:
        gradebook.follow(book, course, received.collected(course).times)
        for each in book.assignment_submissions(module.name) if _has(book, module) else ():
            found[each.student_id] = _late(agreed, module, each), each.score, each.max_score
    if student is not None and student not in found:
        raise CourseError(
            f"{student} has no graded submission of {module.name}: `make grade {module.number}` first"
        )
    if not found:
        raise CourseError(f"nothing of {module.name} is graded: `make grade {module.number}` first")
    asked = sorted(found) if student is None else [student]
    page_of, new, failed = _pages(course, config, module), 0, 0
    for name in asked:
        place = course.root / "autograder" / "feedback" / name / module.name / f"{module.slug}.html"
        try:
            page = explained(named(page_of(name)), module, *found[name])
        except FileNotFoundError:
            failed += 1
            say(
                f"{name}: no feedback: the graded notebook is gone, and `make grade {module.number}` makes it again"
            )
        except Exception as error:  # whatever nbgrader says of one page, the others are written
            failed += 1
            said = str(error).strip().splitlines()
            say(f"{name}: no feedback: {said[-1] if said else type(error).__name__}")
        else:
            if not place.exists() or place.read_text(encoding="utf-8") != page:
                files.write(place, page)
                new += 1
                say(str(place.relative_to(course.root)))
    say(f"feedback: {new} new, {len(asked) - new - failed} as before")
    return 1 if failed else 0


def _pages(course: Course, config, module: Module) -> Callable[[str], str]:
    """What makes a student's page, as nbgrader's GenerateFeedback does, but for writing it."""
    converter = GenerateFeedback(coursedir=CourseDirectory(config=config), config=config)
    exporter = converter.exporter_class(parent=converter, config=converter.config)
    for step in converter.preprocessors:
        exporter.register_preprocessor(step)

    def page(student: str) -> str:
        graded = course.root / "autograder" / "autograded" / student / module.name / module.notebook.name
        names = {"student": student, "assignment": module.name, "notebook": module.slug}
        resources = {"nbgrader": names | {"db_url": config.CourseDirectory.db_url}}
        return exporter.from_filename(str(graded), resources=resources)[0]

    return page


def _late(agreed: Terms, module: Module, submission: SubmittedAssignment) -> Late | None:
    """How late a submission is; None where there is no deadline, or nobody knows when it came in."""
    when = submission.timestamp
    return agreed.late(module, submission.student_id, when.replace(tzinfo=UTC)) if when else None


def explained(page: str, module: Module, late: Late | None, points: float, most: float) -> str:
    """A feedback page that says, where there is a deadline, what lateness takes of the points that it shows, and why."""
    if late is None:
        return page
    zone, last = late.deadline.zone, f"{module.deadline}"
    if late.is_extended:
        last += f", and with your extension {late.deadline.day}"
    days = f"{late.days} day{'s' * (late.days > 1)} late" if late.days else "in time"
    said = [
        f"{points:g} of {most:g} points before lateness.",
        f"Received {late.received.astimezone(zone):%Y-%m-%d %H:%M:%S}, the deadline was {last} ({zone.key}): {days}.",
        f"Lateness takes {100 * late.share:.4g} %, which is {late.lost(points):g}.",
        f"Result: {late.left(points):g} of {most:g}.",
    ]
    text = html.escape(" ".join(said if late.days else said[:2]))
    return page.replace('<div id="toc">', f'<p class="lateness">{text}</p>\n        <div id="toc">', 1)


def named(page: str) -> str:
    """A feedback page that lists stubs by their names; nbgrader's lists a "Test cell" for each."""
    return re.sub(r'(<a href="#test-([\w-]+)">)Test cell', r"\1\2", page)


def grades() -> None:
    """Write the points of all students in all modules, less what lateness costs: a table for anyone, and one for Canvas."""
    course = load()
    agreed, collected = terms(course), received.collected(course)
    with gradebook.gradebook(gradebook.configuration(course)) as book:
        gradebook.follow(book, course, collected.times)
        modules = [module for module in course.modules if _has(book, module)]
        if not modules:
            raise CourseError("nothing has been graded yet: `make grade N` first")
        table, canvas, gone, here = [], [], [], received.students(course)
        for student in sorted(book.students, key=lambda student: student.id):
            points = dict(_points(agreed, student, modules))
            table.append(_text({"student": student.id, "name": _name(student)}) | points)
            known = [_name(student), student.lms_user_id or "", "", student.id, ""]
            canvas.append(_text(dict(zip(CANVAS, known, strict=True))) | points)
            if student.submissions and student.id not in here:
                gone.append(student.id)
        most = {module.name: book.find_assignment(module.name).max_score for module in modules}
        doubts = [each.doubts(gradebook.known(book, course)) for each in (agreed, collected)]
    folder = course.root / "autograder" / "grades"
    _write(folder / "grades.csv", ["student", "name", *most], table)
    _write(
        folder / "canvas.csv",
        [*CANVAS, *most],
        [dict.fromkeys(CANVAS, "") | {"Student": MOST} | most, *canvas],
    )
    say(f"students: {len(table)}, modules: {len(most)}")
    say("autograder/grades/grades.csv, and canvas.csv for Canvas to import")
    for line in (line for lines in doubts for line in lines):
        say(line)
    if gone:
        say(
            f"without a folder in autograder/submitted, and still in both tables: {', '.join(map(printable, gone))}"
        )


def _points(agreed: Terms, student: Student, modules: list[Module]) -> Iterator[tuple[str, float | str]]:
    """A student's points by module, less what lateness costs; nothing where nothing was submitted."""
    submitted = {one.assignment.name: one for one in student.submissions}
    for module in modules:
        found = submitted.get(module.name)
        late = _late(agreed, module, found) if found else None
        yield module.name, late.left(found.score) if late else round(found.score, 2) if found else ""


def _name(student) -> str:
    """As registrars sort them: "Lovelace, Ada"; the id where no name is known."""
    return ", ".join(filter(None, (student.last_name, student.first_name))) or student.id


def _has(book: Gradebook, module: Module) -> bool:
    return any(assignment.name == module.name for assignment in book.assignments)


def _write(path: Path, columns: list[str], rows: list[dict]) -> None:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(rows)
    files.write(path, text.getvalue())


def _text(row: dict[str, str]) -> dict[str, str]:
    """What people are called, as text in every spreadsheet: no formula, in whatever way the line is parted, and no row of Canvas' own."""
    return {key: _harmless(value) for key, value in row.items()}


def _harmless(value: str) -> str:
    if (
        re.match(r"[\t\r\n]|[\s\ufeff\u200b]*[=+\-@＝＋－＠]", value)
        or value.strip().casefold() == MOST.strip().casefold()
    ):
        value = f"'{value}"
    return re.sub(r"([;|\t\r\n][\s\ufeff\u200b]*)([=+\-@＝＋－＠])", r"\1'\2", value)


def formgrader() -> None:
    """Open nbgrader's formgrader on the gradebook, until Ctrl-C."""
    course = load()
    with gradebook.gradebook(gradebook.configuration(course)) as book:
        gradebook.follow(book, course, received.collected(course).times)
        for student in book.students:  # whose names the formgrader's pages show as they are
            if name_fault(student.id) or re.search("[<>]", f"{student.first_name}{student.last_name}"):
                raise CourseError(
                    f"the formgrader is not opened: a student in the gradebook is called {_name(student)!r}, "
                    "which its pages would take for a part of them"
                )
    serve(course.root, "/formgrader", prepare=_without_markup)


def _without_markup(server) -> None:
    """Let no page of the formgrader show what its address says as markup: nbgrader writes it as it is."""
    templates = server.web_app.settings["nbgrader_jinja2_env"]
    templates.finalize = lambda value: re.sub(r'[<>"&\\]', "", value) if isinstance(value, str) else value
