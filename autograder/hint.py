"""`make hint N`: show one more hint of a stub, in this order: the one that helps with what fails, then the next in number."""

import textwrap
from collections.abc import Sequence

from autograder import check, feedback, notebook_stubs
from autograder.console import say
from autograder.course import CourseError, Module, load
from autograder.feedback import Desk, Result
from autograder.recognition import recognise

WIDTH = 95


def hint(module: Module, stub: str | None = None) -> int:
    """Show the next hint of a stub, by default of the first that fails, else of the first that is not written."""
    course = load(module.root)
    check.keep_released(course, module)
    desk = Desk(course, module, notebook_stubs.read(module))
    if stub and stub not in desk.points:
        raise CourseError(f"module {module.label} has no stub {stub}: {', '.join(desk.points)}")
    check.require_earlier(course, module)
    _, refused = check.exported(module)
    if refused:
        raise refused
    result = _wanted(check.run(desk, stub), stub)
    if result is None or result.state == "done":
        say(f"{stub}: done, no hint is needed" if stub else check.next_step(course, module, []))
        return 0
    if result.because or result.state.startswith("needs "):
        before = result.because or result.state.removeprefix("needs ").removesuffix(" first")
        say(f"{result.stub} rests on {before}, which is not done: begin there")
        return 1
    hints = notebook_stubs.hints_of(notebook_stubs.reading(module)).get(result.stub)
    if not hints:
        raise CourseError(f"{result.stub}: the notebook has no hints above its cell any more")
    shown = feedback.hints_shown(module, result.stub)
    number = _next(module, result, len(hints), shown)
    feedback.remember_hint(module, result.stub, number)
    of = f"hint {number} of {len(hints)}" + (", again: there is no other" if number in shown else "")
    say(f"{result.stub}, {result.state}: {of}\n")
    say(textwrap.fill(hints[number - 1], WIDTH, break_long_words=False, break_on_hyphens=False))
    return 1


def _wanted(results: Sequence[Result], stub: str | None) -> Result | None:
    """The stub named, or the first that fails of itself, or the first that is not written."""
    if stub:
        return next(result for result in results if result.stub == stub)
    ways = (
        lambda r: r.failure and not r.because,
        lambda r: r.state == "not started",
        lambda r: r.state != "done",
    )
    return next((result for way in ways for result in results if way(result)), None)


def _next(module: Module, result: Result, most: int, shown: Sequence[int]) -> int:
    """The number of the hint that goes with a failure, unless it was shown before; else the lowest that was not."""
    helps = recognise(module, result.stub, result.failure)[1] if result.failure else None
    left = [number for number in range(1, most + 1) if number not in shown]
    if helps and min(helps, most) in left:
        return min(helps, most)
    return left[0] if left else min(helps or most, most)
