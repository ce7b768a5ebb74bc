"""`make test-module N`: export the notebook, run its tests, and say of each stub where it stands."""

import ast
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder import export, lesson
from autograder.course import Course, CourseError, Module, load

TOOLS = Path(__file__).resolve().parents[1]
PROGRESS = Path("build", "progress.json")
SECONDS = 20  # for one test; then it is stopped
LINES, WIDTH = 8, 160  # of what came back
STYLES = {"done": "green", "failing": "red", "not run": "red", "not started": "dim"}  # the others are yellow

# How NumPy's assertions and pytest's begin to say what came back, and which of these lines help nobody.
CAME_BACK = re.compile(
    r"assert |Mismatch|First \d+ mismatch|\(shapes|.*location mismatch| ?ACTUAL:| ?DESIRED:|Regex pattern"
)
NOISE = re.compile(r"Mismatch at|First \d+ mismatch| \[[\d, ]+\]: |Max (absolute|relative)|  Use -v")
TITLE = re.compile(r"(Not equal to tolerance|Arrays are not|Items are not equal:).*")


class EndedError(CourseError):
    """Tests that ended their process, as a crash or `sys.exit` does."""

    exit_code = 1


@dataclass(frozen=True)
class Stub:
    """A stub as the learner's notebook has it."""

    source: str
    defines: frozenset[str]  # qualified names
    hints: int


@dataclass(frozen=True)
class Result:
    """Where a stub stands: done, failing, not started, not run, or `needs another first`."""

    stub: str
    points: int
    state: str
    failure: dict | None = None

    @property
    def reached(self) -> int:
        return self.points if self.state == "done" else 0


def test_module(module: Module) -> int:
    """Export the learner's notebook, run its tests, and show each stub; 1 if one is not done."""
    course, console = load(module.root), Console(highlight=False)
    points_of(module)
    require_earlier(course, module)
    try:
        export.export(module)
        refused = None
    except export.ExportError as error:
        if not is_learners(module.package):
            raise
        refused = error
        now = "Below is the last good export, not the notebook as it is now."
        console.print(f"{error}\n{now}", markup=False, soft_wrap=True)
    results = run(course, module)
    notes = remembered(course.root).get(module.slug, {}) if refused else remember(module, results)
    console.print(table(module, results))
    console.print(explanation(course, module, results, notes))
    if refused:
        return refused.exit_code
    return int(any(result.state != "done" for result in results))


def require_earlier(course: Course, module: Module) -> None:
    """Refuse a module while one that it builds on, directly or not, has not been exported."""
    needed, missing = {module.slug}, []
    for earlier in reversed(course.modules[: module.number]):
        if earlier.slug in needed:
            needed.update(earlier.requires)
            if earlier != module and not earlier.package.exists():
                missing.insert(0, earlier)
    if missing:
        names = " and ".join(f"{earlier.number:02} ({earlier.slug})" for earlier in missing)
        own = ", ".join(f"`make test-module {earlier.number}`" for earlier in missing)
        raise CourseError(
            f"module {module.number:02} ({module.slug}) builds on {names}, not exported yet: "
            f"{own} for your own, or `make catch-up {module.number}` for the reference"
        )


def points_of(module: Module) -> dict[str, int]:
    """The stubs of a module with their points, in order, as its released tests list them."""
    try:
        tree = ast.parse(module.tests.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"module {module.number:02} ({module.slug}) has not been released") from None
    marks = [mark for node in tree.body for mark in getattr(node, "decorator_list", ())]
    marks = [mark for mark in marks if ast.unparse(mark).startswith("pytest.mark.stub(")]
    return {mark.args[0].value: mark.keywords[0].value.value for mark in marks}


def is_learners(package: Path) -> bool:
    """Whether an exported module came from the learner's own notebook."""
    return package.exists() and package.read_text(encoding="utf-8").startswith("# Written from modules/")


def run(course: Course, module: Module) -> list[Result]:
    """Run the tests of a module in a process of their own, against what is exported in tinytorch."""
    with tempfile.TemporaryDirectory() as folder:
        outcomes = Path(folder, "outcomes.json")
        options = ["-q", "--tb=no", f"-c{os.devnull}", f"--rootdir={course.root}", "--noconftest"]
        options += ["--import-mode=importlib", "-pno:cacheprovider", "-pno:warnings", "-pautograder.outcomes"]
        options += [f"--outcomes={outcomes}", f"--seconds={SECONDS}", str(module.tests)]
        path = os.pathsep.join([str(course.root), str(TOOLS)])
        process = subprocess.run(
            [sys.executable, "-m", "pytest", *options],
            env=os.environ | {"PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            cwd=course.root, capture_output=True, text=True, encoding="utf-8", errors="replace",
        )  # fmt: skip
        found = json.loads(outcomes.read_text(encoding="utf-8")) if outcomes.exists() else {"broken": []}
    if process.returncode not in (0, 1) and not found["broken"]:
        said = (process.stderr or process.stdout).strip().splitlines()
        raise EndedError(
            f"the tests of module {module.number:02} ({module.slug}) ended before their end, "
            f"with exit status {process.returncode}{': ' + said[-1] if said else ''}"
        )
    return [judge(course, module, stub, points, found) for stub, points in points_of(module).items()]


def judge(course: Course, module: Module, stub: str, points: int, found: dict) -> Result:
    """Say where a stub stands, from what the tests gave."""
    own = [test for test in found["tests"] if test["stub"] == stub and test["failure"]]
    failures = found["broken"] or [test["failure"] | {"test": test["test"]} for test in own]
    if not failures:
        return Result(stub, points, "done")
    owners = [owner(course, failure["unwritten"]) for failure in failures]
    for failure, unwritten in zip(failures, owners, strict=True):
        if unwritten is None:
            return Result(stub, points, "not run" if found["broken"] else "failing", failure)
    if (module, stub) in owners:
        return Result(stub, points, "not started")
    other, name = owners[0]
    return Result(stub, points, f"needs {name}{'' if other == module else f' of {other.slug}'} first")


def owner(course: Course, place: dict | None) -> tuple[Module, str] | None:
    """The stub, not written yet, that a NotImplementedError came from."""
    if place is None:
        return None
    module = course.find(place["module"])
    function = place["function"].partition(".<locals>")[0]
    return next(((module, name) for name, stub in stubs_in(module).items() if function in stub.defines), None)


def stubs_in(module: Module) -> dict[str, Stub]:
    """The stubs of the learner's notebook, as far as it can be read."""
    try:
        cells = json.loads(module.notebook.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError):
        return {}
    stubs, hints = {}, 0
    for cell in cells:
        source, marks = "".join(cell["source"]), cell["metadata"].get("nbgrader", {})
        if marks.get("solution"):
            try:
                defines = frozenset(lesson.definitions(ast.parse(source)))
            except SyntaxError:
                defines = frozenset()
            stubs[marks["grade_id"]] = Stub(source, defines, hints)
        hints = len(lesson.hints_in(source)) if cell["cell_type"] == "markdown" else 0
    return stubs


def remember(module: Module, results: list[Result]) -> dict[str, dict]:
    """Note where each stub stands, and how often it has failed with code that was not the same as before."""
    notes, stubs = remembered(module.root), stubs_in(module)
    before, now = notes.get(module.slug, {}), {}
    for result in results:
        note = {"attempts": 0, "failed": None} | before.get(result.stub, {}) | {"state": result.state}
        if result.state == "failing" and result.stub in stubs:
            code = hashlib.sha256(stubs[result.stub].source.encode()).hexdigest()
            note |= {"attempts": note["attempts"] + (code != note["failed"]), "failed": code}
        now[result.stub] = note
    lesson.write(module.root / PROGRESS, json.dumps(notes | {module.slug: now}, indent=1))
    return now


def remembered(root: Path) -> dict[str, dict]:
    """What the last tests of each module gave, by slug and stub."""
    try:
        return json.loads((root / PROGRESS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        raise CourseError(f"{PROGRESS} cannot be read: delete it, and test your modules again") from None


def table(module: Module, results: list[Result]) -> Table:
    """Each stub, where it stands, and its points."""
    shown = Table(
        title=f"{module.number:02} {module.title}", title_justify="left", title_style="bold",
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


def explanation(course: Course, module: Module, results: list[Result], notes: dict[str, dict]) -> str | Table:
    """Explain the first stub that fails: what was asked, what came back, which hint to open."""
    wrong = next((result for result in results if result.failure), None)
    if wrong is None:
        return next_step(course, module, results)
    asked, came_back = split(wrong.failure)
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold")
    if wrong.state == "not run":
        rows.add_row("not run", f"tinytorch/{module.slug}.py cannot be imported, so its tests did not run")
    else:
        test = wrong.failure["test"].removeprefix("test_").replace("_", " ")
        rows.add_row("fails", f"{wrong.stub}: {test}")
    rows.add_row("asked", Text(asked))
    rows.add_row("came back", Text(came_back))
    place = wrong.failure["code"]
    if place and wrong.failure["error"] not in ("AssertionError", "Failed"):
        line = place["statement"].partition("\n")[0]
        rows.add_row("where", Text(f"{place['function']} in tinytorch/{place['module']}.py: {line}"))
    hints = getattr(stubs_in(module).get(wrong.stub), "hints", 0)
    if hints and wrong.state == "failing":
        hint = min(max(notes.get(wrong.stub, {}).get("attempts", 0), 1), hints)
        rows.add_row("hint", f"open hint {hint} of {hints}, above {wrong.stub} in {_place(module)}")
    return rows


def split(failure: dict) -> tuple[str, str]:
    """What was asked and what came back, from the statement that failed and what it raised."""
    lines = [line[:WIDTH] for line in failure["message"].splitlines() if line.strip()]
    asked = []
    if failure["error"] == "AssertionError":
        while lines and not CAME_BACK.match(lines[0]):
            line = lines.pop(0)
            asked.append(line.removeprefix("Items are not equal:").strip() if TITLE.match(line) else line)
        lines = [line for line in lines if not NOISE.match(line)]
        lines = [line.replace(" ACTUAL:", "got:").replace(" DESIRED:", "wanted:") for line in lines]
        asked = [line for line in asked if not TITLE.match(line)]
    elif failure["error"] == "Failed":
        lines = [line.replace("DID NOT RAISE", "it did not raise") for line in lines]
    else:
        lines[:1] = [": ".join([failure["error"], *lines[:1]])]
    more = ["..."] if len(lines) > LINES else []
    return "\n".join(filter(None, asked)) or failure["asked"], "\n".join(lines[:LINES] + more)


def next_step(course: Course, module: Module, results: list[Result]) -> str:
    """Say what to write next, where nothing that has been written is wrong."""
    open_stubs = [result for result in results if result.state != "done"]
    if open_stubs:
        first = next((result for result in open_stubs if result.state == "not started"), open_stubs[0])
        what = f"write {first.stub}" if first.state == "not started" else f"{first.stub} {first.state}"
        return f"Next: {what}, in {_place(module)}."
    if module == course.modules[-1]:
        return "All done: this was the last module."
    return f"All done. Next: `make start {module.number + 1}`."


def _place(module: Module) -> str:
    return str(module.notebook.relative_to(module.root))
