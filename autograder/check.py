"""`make test-module N`: export the notebook, run its tests, and report the state of each stub."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder import export, milestones, notebook_changes, notebook_stubs, testrunner
from autograder.course import Course, CourseError, Module, load
from autograder.feedback import Desk, Result, in_a_line, remember
from autograder.limits import SECONDS
from autograder.notebook import NotebookError
from autograder.notebook_stubs import Stub
from autograder.testrunner import LINES, Outcomes, cut

FEW = 3  # lines of what was printed, of a stub that is not the one explained
TOOLS = Path(__file__).resolve().parents[1]
RUNNER = [sys.executable, "-P", "-m", "autograder.testrunner"]
STYLES = {"done": "green", "failing": "red", "not run": "red", "not started": "dim"}  # the others are yellow


class EndedError(CourseError):
    """Tests that ended their process, as a crash or `sys.exit` does."""

    exit_code = 1


class StoppedError(CourseError):
    """Tests that were stopped by Ctrl-C."""

    exit_code = 130


def check(module: Module, stub: str | None = None) -> int:
    """Export the learner's notebook, run its tests, and show each stub; 1 if one is not done.

    The first stub that fails is explained. If one is named, only its state is reported.
    """
    course, console = load(module.root), Console(highlight=False)
    keep_released(course, module)
    desk = Desk(course, module, notebook_stubs.read(module))
    if stub and stub not in desk.points:
        raise CourseError(f"module {module.label} has no stub {stub}: {', '.join(desk.points)}")
    require_earlier(course, module)
    remarked, refused = exported(module)
    if refused and stub:
        raise refused
    if refused:
        now = "Below is the last good export, not the notebook as it is now."
        console.print(f"{refused}\n{now}", markup=False, soft_wrap=True)
    results = run(desk, stub)
    if not stub:
        console.print(table(module, results))
    for remark in remarked:
        console.print(f"{remark}.", markup=False, soft_wrap=True)
    said = f"Next: fix {_brief(module, refused)}" if refused else explanation(desk, results, stub)
    console.print(said, markup=False, soft_wrap=isinstance(said, str))
    asked = [result for result in results if stub in (None, result.stub)]
    return refused.exit_code if refused else int(any(result.state != "done" for result in asked))


def exported(module: Module) -> tuple[list[str], CourseError | None]:
    """Export the learner's notebook: return remarks, and why it cannot be exported, if an earlier export can be tested."""
    said = []
    try:
        reading = notebook_stubs.reading(module)
        said = [remark.said for remark in notebook_changes.of(reading) if remark.is_tested]
        export.put(module, reading)
    except (NotebookError, export.ExportError) as error:
        if not is_learners(module.package):
            raise
        return said, error
    return said, None


def keep_released(course: Course, module: Module) -> None:
    """Keep a copy of each notebook while nothing has been written in it; this module has to be released."""
    notebook_stubs.keep(module, notebook_stubs.points_of(module))
    for other in course.modules:
        if other.tests.exists() and not notebook_stubs.kept(other).exists():
            notebook_stubs.keep(other, notebook_stubs.points_of(other))


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


def run(desk: Desk, wanted: str | None = None) -> list[Result]:
    """The state of a module's stubs, by what is exported in tinytorch; or of the wanted one and those that it depends on."""
    module, here = desk.module, desk.stubs
    tried = [stub for stub in desk.points if wanted in (None, stub) or _rests_on(here, wanted, stub)]
    untouched = notebook_stubs.untouched(module, here)
    found = run_tests(module, [stub for stub in desk.points if stub not in tried or stub in untouched])
    if found.remark:
        Console(highlight=False).print(found.remark, markup=False, soft_wrap=True)
    return judged(desk, tried, untouched, found)


def judged(desk: Desk, tried: Iterable[str], untouched: Container[str], found: Outcomes) -> list[Result]:
    """The state of the stubs that were tried, or that are untouched, by what their tests gave."""
    results = [desk.judge(stub, desk.points[stub], found, stub in untouched) for stub in tried]
    failing = [result.stub for result in results if result.state == "failing"]
    return [
        replace(
            result,
            because=notebook_stubs.rests_on(desk.stubs, result.stub, failing),
            printed=found.printed.get("" if result.state == "not run" else result.stub, ""),
        )
        for result in results
    ]


def _rests_on(here: Mapping[str, Stub], stub: str, other: str) -> bool:
    return notebook_stubs.rests_on(here, stub, {stub, other}) == other


def run_tests(module: Module, left_out: Sequence[str]) -> Outcomes:
    """Run the tests of a module, except of some stubs, in a separate process; a terminal shows which are running."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "outcomes.json")
        command = [*RUNNER, *told(module, written, left_out)]
        try:
            with Console().status(_Running(module, written)):
                process = subprocess.run(
                    command, env=environment(module), cwd=module.root,
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                    text=True, encoding="utf-8", errors="replace", timeout=module.limits["seconds"],
                )  # fmt: skip
        except (subprocess.TimeoutExpired, KeyboardInterrupt) as stopped:
            error = end(module, written, stopped)
        else:
            if written.exists():
                return testrunner.read(written.read_text(encoding="utf-8"))
            error = end(module, written, process)
        if printed := testrunner.printed_in(written):
            said = f"printed {_printed(_tested(written), printed)}"
            Console(highlight=False).print(said, markup=False, soft_wrap=True)
        raise error


def told(module: Module, written: Path, left_out: Sequence[str]) -> list[str]:
    """What a process that runs the tests of a module is told: `testrunner.main` has the words."""
    return [str(module.tests), str(written), str(SECONDS), str(module.limits["megabytes"]), *left_out]


def environment(module: Module) -> dict[str, str]:
    """The environment of a process that runs the tests of a module: it imports the learner's package and these tools."""
    path = os.pathsep.join([str(module.root), str(TOOLS)])
    return os.environ | {"PYTHONPATH": path} | simulating(module)


def simulating(module: Module) -> dict[str, str]:
    """What lets a module's kernels run in the simulator, which sees what a GPU does not, where there is a GPU too."""
    given = module.root / "tinytorch" / "given" / module.slug / "simulator.py"
    asked = os.environ.get("NUMBA_ENABLE_CUDASIM") or "1"
    return {"NUMBA_ENABLE_CUDASIM": asked} if given.exists() else {}


def end(module: Module, written: Path, how: subprocess.CompletedProcess | BaseException) -> CourseError:
    """Why there are no outcomes: the process ended too early, ran for too long, or was stopped by Ctrl-C."""
    name, stub = f"the tests of module {module.label} ({module.slug})", _tested(written)
    among = f", in those of {stub}" if stub else ""
    if isinstance(how, KeyboardInterrupt):
        return StoppedError(f"interrupted while {f'the tests of {stub}' if stub else name} ran")
    if isinstance(how, subprocess.TimeoutExpired):
        return EndedError(
            f"{name} were still running after {how.timeout:g} seconds{among}: "
            "is there a loop that never ends, around an `except:`?"
        )
    said = how.stderr.strip().splitlines()
    return EndedError(
        f"{name} ended before their end{among}, with exit status {how.returncode}{': ' + said[-1] if said else ''}"
    )


@dataclass(frozen=True)
class _Running:
    """What a terminal shows while tests run."""

    module: Module
    written: Path

    def __rich__(self) -> Text:
        stub = _tested(self.written)
        return Text(f"running the tests of {stub}" if stub else f"importing tinytorch/{self.module.slug}.py")


def _tested(written: Path) -> str:
    """The stub whose tests run, or ran at the end; "" before the first."""
    begun = testrunner.in_test(written)
    return begun.read_text(encoding="utf-8") if begun.exists() else ""


def _printed(stub: str, text: str, lines: int = LINES) -> str:
    """What was printed while the tests of a stub ran, or before any did."""
    when = f"the tests of {stub} ran" if stub else "the module was imported"
    return f"while {when}:\n{cut(text, lines)}"


def table(module: Module, results: Sequence[Result], waiting: Collection[str] = ()) -> Table:
    """Each stub, its state, and its points; of those that wait for their tests, what it was before."""
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
        if result.stub in waiting:
            state = Text(f"{result.state}, testing", "dim")
        shown.add_row(result.stub, state, f"{result.reached} of {result.points}")
    return shown


def explanation(desk: Desk, results: Sequence[Result], wanted: str | None = None) -> str | Table:
    """Explain the first stub that fails, with a line for each other one; or report the state of the wanted one."""
    module = desk.module
    remember(module, results, desk.stubs)
    asked = [result for result in results if wanted in (None, result.stub)]
    failing = sorted((result for result in asked if result.failure), key=lambda result: bool(result.because))
    if not failing:
        return next_step(desk.course, module, asked) if wanted is None else _standing(desk, *asked)
    if lost := notebook_stubs.lost(module, [result.stub for result in asked if result.state != "done"]):
        return "\n".join(f"Next: {sentence}." for sentence in lost)
    first, *others = failing
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold")
    for label, text in desk.explain(first):
        rows.add_row(label, Text(f"{text} in {_place(module)}" if label == "hint" else text))
    if first.printed:
        rows.add_row("printed", Text(_printed("" if first.state == "not run" else first.stub, first.printed)))
    for other in others if first.state != "not run" else ():
        rows.add_row("also", Text(f"{other.stub}: {in_a_line(other)}"))
        if other.printed:
            rows.add_row("printed", Text(_printed(other.stub, other.printed, FEW)))
    return rows


def _standing(desk: Desk, result: Result) -> str:
    """The state of a stub that does not fail."""
    if result.state != "done":
        return next_step(desk.course, desk.module, [result])
    said = f"{result.stub}: done, {result.points} of {result.points} points"
    return f"{said}\nprinted {_printed(result.stub, result.printed)}" if result.printed else said


def next_step(course: Course, module: Module, results: list[Result]) -> str:
    """Say what to write next, where nothing that has been written is wrong."""
    open_stubs = [result for result in results if result.state != "done"]
    if open_stubs:
        first = next((result for result in open_stubs if result.state == "not started"), open_stubs[0])
        what = f"write {first.stub}" if first.state == "not started" else f"{first.stub} {first.state}"
        deadline = course.deadline(module)
        return f"Next: {what}, in {_place(module)}{f', {deadline.left}' if deadline else ''}."
    needed = {name: last for name, last in milestones.needed(course).items() if last == module}
    runs = [*milestones.runnable(course, needed)]
    unlocked = f" It unlocks {', '.join(f'`make milestone {name}`' for name in runs)}." if runs else ""
    if module == course.modules[-1]:
        return f"All done: this was the last module.{unlocked}"
    following = course.modules[course.modules.index(module) + 1]
    return f"All done.{unlocked} Next: `make start {following.number}`."


def _place(module: Module) -> str:
    return module.notebook.relative_to(module.root).as_posix()


def _brief(module: Module, refused: CourseError) -> str:
    """Why a notebook was refused, without its name where a cell is named."""
    if isinstance(refused, export.CompileError):
        return str(refused).removeprefix(f"{_place(module)}, ")
    return f"{refused}; `make reset {module.number}` gives a fresh one, and keeps a copy of this one"
