"""`make report N`: a page about what a class got right and wrong in a module, for its instructor before the lecture.

The page is one file without scripts, which shows offline. Everything on it is escaped by the template's engine; students are
not named.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder import files
from autograder import lesson as lessons
from autograder.console import say
from autograder.course import Course, CourseError, Module
from autograder.grading import class_report, gradebook, html_page, tables
from autograder.grading.answer_code import Names
from autograder.grading.class_report import Finding, ModuleReport, StubReport

PLACE = Path("autograder", "reports")
COLUMNS = ["module", "stub", "points", "kind", "text", "hint", "count", "of", "difficulty", "discrimination"]
KINDS = {
    "done": "done",
    "in doubt": "doubt",
    "failing": "failing",
    "not started": "blank",
}  # classes of the page
FREQUENT, HARD, STAY = 5, 20, 50


@dataclass
class Staying:
    """A named mistake over the term: where it is, and who has it."""

    places: list[tuple[ModuleReport, StubReport, Finding]] = field(default_factory=list)
    students: set[str] = field(default_factory=set)


def report(course: Course, modules: Sequence[Module]) -> None:
    """Write the report of one module, or of all that are graded and of the term."""
    found = list(_reports(course, modules))
    if not found:
        name = f"{modules[0].name} is graded: `make grade {modules[0].number}` first"
        raise CourseError(
            f"nothing of {name}" if len(modules) == 1 else "nothing has been graded yet: `make grade N` first"
        )
    for each in found:
        page = html_page.render("module.html", report=each, frequent=_frequent(each), kinds=KINDS, bars=_bars)
        _write(course, each.module.name, page, class_report.rows(each))
    if len(modules) > 1:
        mistakes = sorted(_staying(found).items(), key=lambda named: (-len(named[1].students), named[0]))
        stubs = [(each, stub) for each in found for stub in each.stubs]
        stubs.sort(key=lambda pair: pair[1].difficulty)
        page = html_page.render("term.html", reports=found, mistakes=mistakes[:STAY], hard=stubs[:HARD])
        _write(course, "term", page, (row for each in found for row in class_report.rows(each)))


def _reports(course: Course, modules: Sequence[Module]) -> Iterator[ModuleReport]:
    with gradebook.gradebook(gradebook.configuration(course)) as book:
        students = gradebook.known(book, course)
        people = {
            name for one in book.students for name in (one.first_name, one.last_name, one.email) if name
        }
    for module in modules:
        if class_report.records(module):
            code = "\n".join(cell.source for cell in lessons.read(module).cells if cell.is_code)
            if found := class_report.of_module(module, students, Names.of(students | people, code)):
                yield found


def _staying(reports: Sequence[ModuleReport]) -> dict[str, Staying]:
    """The named mistakes of all modules, by their sentences."""
    found = {}
    for each in reports:
        for stub in each.stubs:
            for mistake in stub.mistakes:
                staying = found.setdefault(mistake.text, Staying())
                staying.places.append((each, stub, mistake))
                staying.students |= set(mistake.students)
    return found


def _frequent(report: ModuleReport) -> list[tuple[StubReport, Finding]]:
    """The most frequent named mistakes of a module."""
    found = [(each, finding) for each in report.stubs for finding in each.mistakes]
    return sorted(found, key=lambda pair: -pair[1].count)[:FREQUENT]


def _bars(each: StubReport) -> Iterator[dict]:
    """The parts of a stub's bar, in per cent."""
    start = 0.0
    for state, kind in KINDS.items():
        width = 100 * each.counts[state] / each.graded
        if width:
            yield {"kind": kind, "start": f"{start:.2f}", "width": f"{width:.2f}"}
        start += width


def _write(course: Course, name: str, page: str, rows: Iterator[dict]) -> None:
    place = PLACE / f"{name}.html"
    files.write(course.root / place, page)
    table = [row | {"text": tables.harmless(row["text"])} for row in rows]
    tables.write(course.root / PLACE / f"{name}.csv", COLUMNS, table)
    say(f"{place}, and {name}.csv")
