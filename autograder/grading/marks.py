"""What comes out of the gradebook: feedback for students, grades for the registrar, and the formgrader for marks by hand."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI

from autograder import files
from autograder.console import say
from autograder.course import CourseError, Module, load
from autograder.grading import gradebook
from autograder.learner import serve

CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]


def feedback(module: Module, student: str | None = None) -> int:
    """Write what each student gets back for a module, with the comments made by hand; 1 if some could not be."""
    course = load(module.root)
    config = gradebook.configuration(course)
    with gradebook.gradebook(config) as book:
        graded = (
            [one.student_id for one in book.assignment_submissions(module.name)] if _has(book, module) else []
        )
    if student is not None and student not in graded:
        raise CourseError(
            f"{student} has no graded submission of {module.name}: `make grade {module.number}` first"
        )
    if not graded:
        raise CourseError(f"nothing of {module.name} is graded: `make grade {module.number}` first")
    api, failed = NbGraderAPI(config=config), 0
    for name in sorted(graded) if student is None else [student]:
        done = api.generate_feedback(module.name, name, force=True)
        page = course.root / "autograder" / "feedback" / name / module.name / f"{module.slug}.html"
        if done["success"] and page.exists():
            files.write(page, named(page.read_text(encoding="utf-8")))
            say(str(page.relative_to(course.root)))
        else:
            failed += 1
            said = (done.get("error") or done.get("log") or "").strip().splitlines()
            say(f"{name}: no feedback: {said[-1] if said else 'nbgrader did not say why'}")
    return 1 if failed else 0


def named(page: str) -> str:
    """A feedback page that lists stubs by their names; nbgrader's lists a "Test cell" for each."""
    return re.sub(r'(<a href="#test-([\w-]+)">)Test cell', r"\1\2", page)


def grades() -> None:
    """Write the points of all students in all modules: a table for anyone, and one that Canvas imports."""
    course = load()
    with gradebook.gradebook(gradebook.configuration(course)) as book:
        modules = [module for module in course.modules if _has(book, module)]
        if not modules:
            raise CourseError("nothing has been graded yet: `make grade N` first")
        students = sorted(book.students, key=lambda student: student.id)
        table = [{"student": s.id, "name": _name(s)} | dict(_points(book, s, modules)) for s in students]
        most = {module.name: book.find_assignment(module.name).max_score for module in modules}
        canvas = [dict.fromkeys(CANVAS, "") | {"Student": "    Points Possible"} | most]
        canvas += [
            {
                "Student": _name(s),
                "ID": s.lms_user_id or "",
                "SIS User ID": "",
                "SIS Login ID": s.id,
                "Section": "",
            }
            | dict(_points(book, s, modules))
            for s in students
        ]
    folder = course.root / "autograder" / "grades"
    _write(folder / "grades.csv", ["student", "name", *most], table)
    _write(folder / "canvas.csv", [*CANVAS, *most], canvas)
    say(f"students: {len(table)}, modules: {len(most)}")
    say("autograder/grades/grades.csv, and canvas.csv for Canvas to import")


def _points(book: Gradebook, student, modules: list[Module]) -> Iterator[tuple[str, float | str]]:
    """A student's points by module, less what lateness costs; nothing where nothing was submitted."""
    submitted = {one.assignment.name: one for one in student.submissions}
    for module in modules:
        found = submitted.get(module.name)
        late = sum(notebook.late_submission_penalty or 0 for notebook in found.notebooks) if found else 0
        yield module.name, round(found.score - late, 2) if found else ""


def _name(student) -> str:
    """As registrars sort them: "Lovelace, Ada"; the id where no name is known."""
    return ", ".join(filter(None, (student.last_name, student.first_name))) or student.id


def _has(book: Gradebook, module: Module) -> bool:
    return any(assignment.name == module.name for assignment in book.assignments)


def _write(path: Path, columns: list[str], rows: list[dict]) -> None:
    """Write a table; a formula in a name is text, not something that a spreadsheet runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows({key: _harmless(value) for key, value in row.items()} for row in rows)


def _harmless(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def formgrader() -> None:
    """Open nbgrader's formgrader on the gradebook, until Ctrl-C."""
    serve(load().root, "/formgrader")
