"""`make figures`: how much of the framework a learner writes, and how much is given, in lines that are not empty."""

from collections.abc import Iterable
from pathlib import Path

from autograder import lesson, reference
from autograder.console import say
from autograder.course import Course, load


def run() -> None:
    found = counted(load())
    say(f"what a learner writes: {found['stubs']} stubs, {found['written']:,} lines")
    say(f"given in the notebooks, to read: {found['shown']:,} lines")
    say(f"given in tinytorch/given: {found['given']:,} lines")
    say(f"given as PyTorch's places, in the rest of tinytorch: {found['places']:,} lines")


def counted(course: Course) -> dict[str, int]:
    """The figures by name."""
    lessons = [lesson.read(module) for module in course.with_solutions()]
    stubs = [stub for each in lessons for stub in each.stubs]
    shown = [cell.source for each in lessons for cell in each.cells if cell.kind == "export"]
    package = reference.build(course) / "tinytorch"
    written = {module.package.name for module in course.modules}
    places = [path for path in package.rglob("*.py") if path.parent != package or path.name not in written]
    given = [path for path in places if path.is_relative_to(package / "given")]
    return {
        "stubs": len(stubs),
        "written": lines(region for stub in stubs for region in stub.regions),
        "shown": lines(shown),
        "given": lines(map(read, given)),
        "places": lines(map(read, set(places) - set(given))),
    }


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def lines(texts: Iterable[str]) -> int:
    return sum(bool(line.strip()) for text in texts for line in text.splitlines())
