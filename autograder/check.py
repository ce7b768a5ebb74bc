"""`make test-module N`: export the notebook, run its tests, and say of each stub where it stands."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder import export, outcomes, remarks, stubs
from autograder.course import Course, CourseError, Module, load
from autograder.feedback import Desk, Result, in_a_line, remember
from autograder.limits import SECONDS, limit_memory
from autograder.notebook import NotebookError

TOOLS = Path(__file__).resolve().parents[1]
STYLES = {"done": "green", "failing": "red", "not run": "red", "not started": "dim"}  # the others are yellow


class EndedError(CourseError):
    """Tests that ended their process, as a crash or `sys.exit` does."""

    exit_code = 1


def check(module: Module, stub: str | None = None) -> int:
    """Export the learner's notebook, run its tests, and show each stub; 1 if one is not done.

    The first stub that fails is explained, or the one that is named.
    """
    course, console = load(module.root), Console(highlight=False)
    if stub and stub not in stubs.points_of(module):
        raise CourseError(f"module {module.label} has no stub {stub}: {', '.join(stubs.points_of(module))}")
    keep_released(course, module)
    require_earlier(course, module)
    said = []
    try:
        reading = stubs.reading(module)
        said = [remark for remark in remarks.of(reading) if remark.is_tested]
        export.put(module, reading)
        refused = None
    except (NotebookError, export.ExportError) as error:
        if not is_learners(module.package):
            raise
        refused = error
        now = "Below is the last good export, not the notebook as it is now."
        console.print(f"{error}\n{now}", markup=False, soft_wrap=True)
    results = run(course, module)
    console.print(table(module, results))
    for remark in said:
        console.print(f"{remark.said}.", markup=False, soft_wrap=True)
    if refused:
        console.print(f"Next: mend {_brief(module, refused)}", markup=False, soft_wrap=True)
        return refused.exit_code
    shown = explanation(Desk(course, module, stubs.read(module)), results, stub)
    console.print(shown, soft_wrap=isinstance(shown, str))
    return int(any(result.state != "done" for result in results))


def keep_released(course: Course, module: Module) -> None:
    """Keep a copy of each notebook while nothing has been written in it; this module has to be released."""
    stubs.keep(module, stubs.points_of(module))
    for other in course.modules:
        if other.tests.exists() and not stubs.kept(other).exists():
            stubs.keep(other, stubs.points_of(other))


def require_earlier(course: Course, module: Module) -> None:
    """Refuse a module while one that it builds on, directly or not, has not been exported."""
    needed, missing = {module.slug}, []
    for earlier in reversed((*course.before(module), module)):
        if earlier.slug in needed:
            needed.update(earlier.requires)
            if earlier != module and not earlier.package.exists():
                missing.insert(0, earlier)
    if missing:
        names = " and ".join(f"{earlier.label} ({earlier.slug})" for earlier in missing)
        own = ", ".join(f"`make test-module {earlier.number}`" for earlier in missing)
        if all(earlier.source.exists() for earlier in missing):  # not so in what a class gets
            own += f" for your own, or `make catch-up {module.number}` for the reference"
        raise CourseError(f"module {module.label} ({module.slug}) builds on {names}, not exported yet: {own}")


def is_learners(package: Path) -> bool:
    """Whether an exported module came from the learner's own notebook."""
    return package.exists() and package.read_text(encoding="utf-8").startswith("# Written from modules/")


def run(course: Course, module: Module) -> list[Result]:
    """Run the tests of a module in a process of their own, against what is exported in tinytorch."""
    points = stubs.points_of(module)
    here = stubs.read(module)
    untouched = [stub for stub in points if stubs.is_untouched(module, stub, here.get(stub))]
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "outcomes.json")
        command = [sys.executable, "-P", "-m", "autograder.outcomes", module.tests, written, str(SECONDS)]
        path = os.pathsep.join([str(course.root), str(TOOLS)])
        try:
            process = subprocess.run(
                [*command, *untouched], env=os.environ | {"PYTHONPATH": path}, cwd=course.root,
                capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=module.limits["seconds"],
                preexec_fn=partial(limit_memory, module.limits["megabytes"] << 20),
            )  # fmt: skip
        except subprocess.TimeoutExpired as expired:
            raise EndedError(
                f"the tests of module {module.label} ({module.slug}) were still running after "
                f"{expired.timeout:g} seconds: is there a loop that never ends, around an `except:`?"
            ) from None
        if not written.exists():
            said = (process.stderr or process.stdout).strip().splitlines()
            begun = outcomes.in_test(written)
            among = f", in those of {begun.read_text(encoding='utf-8')}" if begun.exists() else ""
            raise EndedError(
                f"the tests of module {module.label} ({module.slug}) ended before their end{among}, "
                f"with exit status {process.returncode}{': ' + said[-1] if said else ''}"
            )
        found = outcomes.read(written.read_text(encoding="utf-8"))
    desk = Desk(course, module, here)
    results = [desk.judge(stub, points[stub], found, stub in untouched) for stub in points]
    failing = [result.stub for result in results if result.state == "failing"]
    return [replace(result, because=stubs.rests_on(here, result.stub, failing)) for result in results]


def table(module: Module, results: list[Result]) -> Table:
    """Each stub, where it stands, and its points."""
    shown = Table(
        title=f"{module.label} {module.title}", title_justify="left", title_style="bold",
        box=box.SIMPLE_HEAD, show_footer=True,
    )  # fmt: skip
    reached, total = sum(result.reached for result in results), sum(result.points for result in results)
    done = sum(result.state == "done" for result in results)
    shown.add_column("stub", f"{done} of {len(results)} done")
    shown.add_column("")
    shown.add_column("points", f"{reached} of {total}", justify="right")
    for result in results:
        state = Text(result.state, STYLES.get(result.state, "yellow"))
        shown.add_row(result.stub, state, f"{result.reached} of {result.points}")
    return shown


def explanation(desk: Desk, results: Sequence[Result], wanted: str | None = None) -> str | Table:
    """Explain the first stub that fails, or the wanted one; the others that fail have a line each."""
    module, attempts = desk.module, remember(desk.module, results, desk.stubs, exported=True)
    failing = [result for result in results if result.failure]
    failing.sort(key=lambda result: (result.stub != wanted, result.because is not None))
    if not failing:
        return next_step(desk.course, module, results)
    if lost := stubs.lost(module, [result.stub for result in results if result.state != "done"]):
        return "\n".join(f"Next: {sentence}." for sentence in lost)
    first, *others = failing
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold")
    for label, text in desk.explain(first, attempts[first.stub]):
        rows.add_row(label, Text(f"{text} in {_place(module)}" if label == "hint" else text))
    for other in others if first.state != "not run" else ():
        rows.add_row("also", Text(f"{other.stub}: {in_a_line(other)}"))
    return rows


def next_step(course: Course, module: Module, results: list[Result]) -> str:
    """Say what to write next, where nothing that has been written is wrong."""
    open_stubs = [result for result in results if result.state != "done"]
    if open_stubs:
        first = next((result for result in open_stubs if result.state == "not started"), open_stubs[0])
        what = f"write {first.stub}" if first.state == "not started" else f"{first.stub} {first.state}"
        return f"Next: {what}, in {_place(module)}."
    if module == course.modules[-1]:
        return "All done: this was the last module."
    following = course.modules[course.modules.index(module) + 1]
    return f"All done. Next: `make start {following.number}`."


def _place(module: Module) -> str:
    return str(module.notebook.relative_to(module.root))


def _brief(module: Module, refused: CourseError) -> str:
    """Why a notebook was refused, without its name where a cell is named."""
    if isinstance(refused, export.CompileError):
        return str(refused).removeprefix(f"{_place(module)}, ")
    return f"{refused}; `make reset {module.number}` gives a fresh one, and keeps this one beside it"
