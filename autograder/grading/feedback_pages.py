"""Students' feedback pages, as nbgrader's GenerateFeedback makes them but does not write them; many by as many processes as cores."""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory

from autograder.course import CourseError, Module, load
from autograder.grading import gradebook

FEW = 8  # are made sooner than processes start
AT_ONCE = 64  # of half a megabyte each
page_of: Callable[[str], str]  # in this process


def pages(module: Module, students: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Of each student the name, the page, and why there is none."""
    if len(students) <= FEW:
        _begin(module)
        yield from map(_page, students)
        return
    processes = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(os.cpu_count(), processes, _begin, (module,))
    try:
        for start in range(0, len(students), AT_ONCE):
            yield from pool.map(_page, students[start : start + AT_ONCE])
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(module: Module) -> None:
    global page_of
    course = load(module.root)
    config = gradebook.configuration(course)
    converter = GenerateFeedback(coursedir=CourseDirectory(config=config), config=config)
    exporter = converter.exporter_class(parent=converter, config=converter.config)
    for step in converter.preprocessors:
        exporter.register_preprocessor(step)

    def page_of(student: str) -> str:
        graded = course.root / "autograder" / "autograded" / student / module.name / module.notebook.name
        names = {"student": student, "assignment": module.name, "notebook": module.slug}
        resources = {"nbgrader": names | {"db_url": config.CourseDirectory.db_url}}
        try:
            return exporter.from_filename(str(graded), resources=resources)[0]
        except FileNotFoundError:
            raise CourseError(
                f"the graded notebook is gone, and `make grade {module.number}` makes it again"
            ) from None


def _page(student: str) -> tuple[str, str, str]:
    try:
        return student, page_of(student), ""
    except Exception as error:  # whatever nbgrader reports for one page, the others are made
        said = str(error).strip().splitlines()
        return student, "", said[-1] if said else type(error).__name__
