"""What comes out of the gradebook: feedback for students, grades for the registrar, and the formgrader for marks by hand."""

import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import UTC

from nbgrader.api import Gradebook, Student, SubmittedAssignment
from tornado.web import OutputTransform

from autograder import files
from autograder.console import printable, say
from autograder.course import CourseError, Module, load
from autograder.grading import (
    feedback_pages,
    feedback_zip,
    gradebook,
    marks_by_hand,
    received,
    roster,
    tables,
)
from autograder.grading.late import Late, Terms, terms
from autograder.grading.marks_by_hand import Mark
from autograder.grading.roster import Person
from autograder.grading.student_names import name_fault
from autograder.learner import serve

CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
MOODLE = ["Full name", "Email address"]


def feedback(module: Module, student: str | None = None, zip: str | None = None) -> int:
    """Write what each student gets back for a module, with the comments made by hand, and on request as a zip for Canvas
    or Moodle; 1 if some could not be written.
    """
    if zip is not None:
        feedback_zip.check(zip)
    course = load(module.root)
    config, agreed, found = gradebook.configuration(course), terms(course), {}
    with gradebook.gradebook(config) as book:
        gradebook.follow(book, course, received.collected(course).times)
        for each in book.assignment_submissions(module.name) if _has(book, module) else ():
            found[each.student_id] = _late(agreed, module, each), each.score, each.max_score
        by_hand = list(marks_by_hand.marks(book, course, module))
    if student is not None and student not in found:
        raise CourseError(
            f"{student} has no graded submission of {module.name}: `make grade {module.number}` first"
        )
    if not found:
        raise CourseError(f"nothing of {module.name} is graded: `make grade {module.number}` first")
    asked = sorted(found) if student is None else [student]
    new, failed, places = 0, 0, {}
    for name, page, fault in feedback_pages.pages(module, asked):
        place = course.root / "autograder" / "feedback" / name / module.name / f"{module.slug}.html"
        if fault:
            failed += 1
            say(f"{name}: no feedback: {fault}")
            continue
        page = explained(named(page), module, *found[name])
        page = reasoned(page, [each for each in by_hand if each.student == name])
        if not place.exists() or place.read_text(encoding="utf-8") != page:
            files.write(place, page)
            new += 1
            say(str(place.relative_to(course.root)))
        places[name] = place
    say(f"feedback: {new} new, {len(asked) - new - failed} as before")
    if zip is not None:
        with gradebook.gradebook(config) as book:

            def notebook_of(name: str) -> str:
                mine = [each for each in by_hand if each.student == name]
                return _notebook(book, module, name, mine, *found[name])

            feedback_zip.make(module, places, zip, notebook_of)
    return 1 if failed else 0


def _notebook(
    book: Gradebook, module: Module, student: str, by_hand: Iterable[Mark], late: Late | None, points: float, most: float
) -> str:  # fmt: skip
    """A student's graded notebook, with what the page says above it."""
    graded = module.root / "autograder" / "autograded" / student / module.name / module.notebook.name
    (submitted,) = book.find_submission(module.name, student).notebooks
    comments, table = {each.name: each.comment or "" for each in submitted.comments}, []
    for grade in submitted.grades:
        stub = grade.name.removeprefix("test-")
        table.append((stub, grade.score, grade.max_score, comments.get(stub) or comments.get(grade.name, "")))
    said = _lateness(module, late, points, most) or [f"{points:g} of {most:g} points."]
    return feedback_zip.notebook(
        graded.read_text(encoding="utf-8"), [" ".join(said), *_reasons(by_hand)], table
    )


def _late(agreed: Terms, module: Module, submission: SubmittedAssignment) -> Late | None:
    """How late a submission is; None if there is no deadline, or it is unknown when it was received."""
    when = submission.timestamp
    return agreed.late(module, submission.student_id, when.replace(tzinfo=UTC)) if when else None


def explained(page: str, module: Module, late: Late | None, points: float, most: float) -> str:
    """A feedback page that says, if there is a deadline, how many of its points are lost to lateness, and why."""
    text = html.escape(" ".join(_lateness(module, late, points, most)))
    return _above_the_list(page, f'<p class="lateness">{text}</p>') if text else page


def _lateness(module: Module, late: Late | None, points: float, most: float) -> list[str]:
    """How many points are lost to lateness, and why; nothing without a deadline."""
    if late is None:
        return []
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
    return said if late.days else said[:2]


def reasoned(page: str, marks: Iterable[Mark]) -> str:
    """A feedback page with the reasons for marks by hand that have one."""
    items = "".join(f"<li>{html.escape(reason)}</li>" for reason in _reasons(marks))
    return _above_the_list(page, f'<ul class="by-hand">{items}</ul>') if items else page


def _reasons(marks: Iterable[Mark]) -> list[str]:
    return [
        f"{each.stub}: {each.points:g} of {each.most:g}, by hand: {each.reason}"
        for each in marks
        if each.reason
    ]


def _above_the_list(page: str, text: str) -> str:
    """A feedback page with more above its list of stubs and points."""
    return page.replace('<div id="toc">', f'{text}\n        <div id="toc">', 1)


def named(page: str) -> str:
    """A feedback page that lists stubs by their names; nbgrader's lists a "Test cell" for each."""
    return re.sub(r'(<a href="#test-([\w-]+)">)Test cell', r"\1\2", page)


def grades() -> None:
    """Write the points of all students in all modules, minus what lateness costs: a general table, and one each for Canvas and Moodle."""
    course = load()
    agreed, collected = terms(course), received.collected(course)
    with gradebook.gradebook(gradebook.configuration(course)) as book:
        gradebook.follow(book, course, collected.times)
        modules = [module for module in course.modules if _has(book, module)]
        if not modules:
            raise CourseError("nothing has been graded yet: `make grade N` first")
        table, canvas, moodle, gone, here = [], [], [], [], received.students(course)
        people = {person.student: person for person in roster.of(course)}
        graded = {student.id: student for student in book.students}
        for name in sorted(people.keys() | graded.keys()):
            student, person = graded.get(name), people.get(name)
            points = dict(_points(agreed, student, modules))
            person = person or Person(name, _name(student), student.lms_user_id or "")
            table.append(tables.harmless_row({"student": name, "name": person.name}) | points)
            known = [person.name, person.id, "", name, person.section]
            canvas.append(tables.harmless_row(dict(zip(CANVAS, known, strict=True))) | points)
            moodle.append(
                tables.harmless_row(dict(zip(MOODLE, (person.name, person.email), strict=True))) | points
            )
            if student and student.submissions and name not in here:
                gone.append(name)
        most = {module.name: book.find_assignment(module.name).max_score for module in modules}
        by_hand = [vars(each) for each in marks_by_hand.marks(book, course, *modules)]
        doubts = [each.doubts(gradebook.known(book, course)) for each in (agreed, collected)]
    folder = course.root / "autograder" / "grades"
    tables.write(folder / "grades.csv", ["student", "name", *most], table)
    tables.write(
        folder / "canvas.csv",
        [*CANVAS, *most],
        [dict.fromkeys(CANVAS, "") | {"Student": tables.MOST} | most, *canvas],
    )
    tables.write(folder / "moodle.csv", [*MOODLE, *most], moodle)
    safe = [row | tables.harmless_row({key: row[key] for key in ("student", "reason")}) for row in by_hand]
    tables.write(folder / "marks.csv", [field.name for field in fields(Mark)], safe)
    say(f"students: {len(table)}, modules: {len(most)}")
    say("autograder/grades/grades.csv, canvas.csv for Canvas to import, and moodle.csv for Moodle")
    if by_hand:
        say(f"marks by hand: {len(by_hand)}, with their reasons in autograder/grades/marks.csv")
    for line in (line for lines in doubts for line in lines):
        say(line)
    if gone:
        say(
            f"without a folder in autograder/submitted, and still in both tables: {', '.join(map(printable, gone))}"
        )


def _points(
    agreed: Terms, student: Student | None, modules: list[Module]
) -> Iterator[tuple[str, float | str]]:
    """A student's points by module, minus what lateness costs; empty where nothing was submitted."""
    submitted = {one.assignment.name: one for one in (student.submissions if student else ())}
    for module in modules:
        found = submitted.get(module.name)
        late = _late(agreed, module, found) if found else None
        yield module.name, late.left(found.score) if late else round(found.score, 2) if found else ""


def _name(student) -> str:
    """As registrars sort them: "Lovelace, Ada"; the id if no name is known."""
    return ", ".join(filter(None, (student.last_name, student.first_name))) or student.id


def _has(book: Gradebook, module: Module) -> bool:
    return any(assignment.name == module.name for assignment in book.assignments)


def formgrader() -> None:
    """Open nbgrader's formgrader on the gradebook, until Ctrl-C."""
    course = load()
    is_anonymous = terms(course).anonymous_marking
    with gradebook.gradebook(gradebook.configuration(course)) as book:
        gradebook.follow(book, course, received.collected(course).times)
        for student in book.students:  # whose names the formgrader's pages show as they are
            if name_fault(student.id) or re.search("[<>]", f"{student.first_name}{student.last_name}"):
                raise CourseError(
                    f"the formgrader is not opened: a student in the gradebook is called {_name(student)!r}, "
                    "which its pages would take for a part of them"
                )

    def prepare(server) -> None:
        _without_markup(server)
        if is_anonymous:
            _without_names(server)

    serve(course.root, "/formgrader", prepare=prepare)


def _without_markup(server) -> None:
    """Keep the formgrader's pages from showing text from their address as markup: nbgrader writes it unescaped."""
    templates = server.web_app.settings["nbgrader_jinja2_env"]
    templates.finalize = lambda value: re.sub(r'[<>"&\\]', "", value) if isinstance(value, str) else value


def _without_names(server) -> None:
    """Keep students' names off the list of submissions to mark and off the page on which one is marked."""
    nobody = {"student": "names are hidden", "first_name": None, "last_name": None}

    class WithoutNames(OutputTransform):
        def __init__(self, request):
            self.told = re.search("/formgrader/api/(submitted_notebook|grade|comment)", request.path)

        def transform_first_chunk(self, status_code, headers, chunk, finishing):
            if self.told and status_code == 200:
                found = json.loads(chunk)
                for row in found if isinstance(found, list) else [found]:
                    row |= {key: nobody[key] for key in nobody.keys() & row.keys()}
                chunk = json.dumps(found).encode()
                headers["Content-Length"] = str(len(chunk))
            return status_code, headers, chunk

    server.web_app.transforms.insert(0, WithoutNames)  # before what compresses
    exporter = server.web_app.settings["nbgrader_exporter"]
    exporter.register_preprocessor(
        lambda notebook, resources: (notebook, resources | nobody | {"notebook_path": ""})
    )
