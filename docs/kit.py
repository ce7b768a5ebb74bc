"""What an instructor's pages list, as Markdown: schedules from course.yaml, questions that are marked by hand, and named mistakes."""

import re
from functools import cache
from itertools import pairwise

from autograder import lesson as lessons
from autograder.course import Course, Module
from docs import course_map


def weeks(course: Course, count: int) -> list[tuple[Module, ...]]:
    """The modules in their order, in so many weeks whose hours differ as little as possible: the sum of squares is least."""
    modules = course.modules

    @cache
    def best(start: int, left: int) -> tuple[float, tuple[int, ...]]:
        if left == 1:
            return sum(module.hours for module in modules[start:]) ** 2, (len(modules),)
        found = []
        for end in range(start + 1, len(modules) - left + 2):
            rest, ends = best(end, left - 1)
            found.append((sum(module.hours for module in modules[start:end]) ** 2 + rest, (end, *ends)))
        return min(found)

    ends = best(0, count)[1]
    return [modules[start:end] for start, end in zip((0, *ends), ends, strict=False)]


def schedule(course: Course, count: int) -> str:
    """A table of so many weeks, with their hours and the milestones that then run."""
    runs = course_map.dated(course)
    rows = ["| week | modules | hours | milestones that then run |", "|---|---|---|---|"]
    for number, modules in enumerate(weeks(course, count), 1):
        titles = ", ".join(f"{module.label} {module.title}" for module in modules)
        ends = ", ".join(f"`{name}`" for _, name, last in runs if last in modules)
        rows.append(f"| {number} | {titles} | {sum(module.hours for module in modules):g} | {ends} |")
    rows.append(f"| | all | {sum(module.hours for module in course.modules):g} | |")
    return "\n".join(rows) + "\n"


def rubrics(course: Course) -> str:
    """Every question that is answered in words, with its sample answer, which ends with what the points are for."""
    parts = []
    for module in course.with_solutions():
        cells = lessons.read(module).cells
        for before, cell in pairwise(cells):
            if cell.kind == "answer":
                question = re.split(r"^#+ .*$", before.source, flags=re.MULTILINE)[-1].strip()
                title = f"## {module.label} {module.title}: {cell.name}, {cell.points} points"
                parts += [title, f"**Question.** {question}", f"**A sample answer.** {cell.source}"]
    return "\n\n".join(parts) + "\n"


def struggles(course: Course) -> str:
    """For each module and stub, the mistakes that have a name, in the sentences that learners read."""
    parts = []
    for module in course.with_solutions():
        read = lessons.read(module)
        count = sum(len(stub.mistakes) for stub in read.stubs)
        rows = ["| stub | what goes wrong | hint |", "|---|---|---|"]
        for stub in read.stubs:
            for mistake in stub.mistakes:
                sentence = mistake.sentence.replace("|", "\\|")
                rows.append(f"| `{stub.name}` | {sentence} | {mistake.hint or ''} |")
        title = f"## {module.label} {module.title}"
        parts += [title, f"{len(read.stubs)} stubs, {count} named mistakes.", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"
