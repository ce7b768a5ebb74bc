"""`%%test softmax` in a notebook: run the tests of the cell, and say below it what `make test-module` says."""

import ast
import textwrap
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from autograder import course as courses
from autograder import lesson, limits, notebook_stubs, testrunner
from autograder.course import CourseError
from autograder.feedback import Desk, Result
from autograder.notebook_stubs import Stub
from autograder.testrunner import Outcomes

WIDTH = 95  # of what a cell shows on a screen of 1280 pixels

course = cache(courses.load)
failing = set()  # the stubs that failed when they were last tested in this session


def run(root: Path, namespace: dict, slug: str, name: str, source: str, ran: dict[str, str]) -> list[str]:
    """Test a stub of a module of the course in `root`, and print that it is done, or return an explanation of
    why it is not.

    `ran` has the sources of the stubs that were run in the kernel, which may not have been saved yet.
    """
    try:
        desk = _desk(root, slug, ran)
        is_released = desk.module.tests.exists()
        functions = _tests(desk, namespace, name, source)
        points = desk.points.get(name, 0) if is_released else 0
    except CourseError as error:
        return [str(error)]
    path = _path(name)
    try:
        found = Outcomes(None, {name: list(testrunner.failures(functions, limits.SECONDS, path))})
    except KeyboardInterrupt as error:
        places = testrunner.describe("", error, path).places
        said = [f"interrupted while the tests of {name} ran"]
        return said + (_row("where", desk.where(places)) if places else [])
    result = desk.judge(
        name, points, found, name in notebook_stubs.untouched(desk.module, {name: desk.stubs[name]})
    )
    said = _told(desk, result)
    if is_released and _dump(source) != _released(desk.module.tests.read_text("utf-8")).get(name):
        said.append("The tests in this cell are not the released ones, which are what counts.")
    if result.state != "done":
        return said
    print("\n".join(said))
    return []


def _desk(root: Path, slug: str, ran: dict[str, str]) -> Desk:
    """The stubs of a module with their sources as they were last run, and their hints as they were saved."""
    module = course(root).find(slug)
    here = notebook_stubs.read(module) or notebook_stubs.released(module)
    last = {
        name: replace(here.get(name, Stub("the stub", "", 0)), source=source) for name, source in ran.items()
    }
    return Desk(course(module.root), module, here | last)


def _tests(desk: Desk, namespace: dict, name: str, source: str) -> list[Callable]:
    """The tests of a cell, defined in the notebook; CourseError if they or what they test cannot be run."""
    if name not in desk.stubs:
        known = f"of module {desk.module.label} there are {', '.join(desk.stubs)}"
        raise CourseError(f"%%test {name}: there is no such stub; {known}")
    stub = desk.stubs[name]
    if not stub.is_python:
        raise CourseError(
            f"{name}: the stub's cell is not valid Python yet: fix the error shown below it first"
        )
    if stub.functions and not any(function.partition(".")[0] in namespace for function in stub.functions):
        raise CourseError(f"{name}: run the stub's cell first, which defines {', '.join(stub.functions)}")
    try:
        exec(testrunner.compiled(source, _path(name)), namespace)
    except SyntaxError as error:
        raise CourseError(f"%%test {name}: line {error.lineno + 1} of this cell: {error.msg}") from None
    tests = [node.name for node in lesson.tests_in(ast.parse(source))]
    if not tests:
        raise CourseError(f"%%test {name}: this cell has no tests any more")
    return [namespace[test] for test in tests]


def _path(name: str) -> str:
    """Stands for the file of a cell's tests."""
    return f"<tests of {name}>"


def _told(desk: Desk, result: Result) -> list[str]:
    """The lines that report the state of a stub."""
    name = result.stub
    (failing.add if result.state == "failing" else failing.discard)(name)
    result = replace(result, because=notebook_stubs.rests_on(desk.stubs, name, {*failing}))
    if result.failure:
        return [line for label, text in desk.explain(result) for line in _row(label, text)]
    if result.state == "done" and result.points:
        return [f"{name}: done, {result.points} of {result.points} points"]
    return [f"{name}: {result.state}"]


def _row(label: str, text: str) -> list[str]:
    """A label and its text, in lines of a cell's width."""
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, WIDTH - 11) or [""]]
    return [f"{label:9}  {lines[0]}", *(f"{'':9}  {line}" for line in lines[1:])]


@cache
def _released(text: str) -> dict[str, list[str]]:
    """The tests of each stub in a file of released tests, to be compared."""
    found = {}
    for node in lesson.tests_in(ast.parse(text)):
        mark, node.decorator_list = node.decorator_list[0], []
        found.setdefault(mark.args[0].value, []).append(ast.dump(node))
    return found


def _dump(source: str) -> list[str]:
    return [ast.dump(node) for node in lesson.tests_in(ast.parse(source))]
