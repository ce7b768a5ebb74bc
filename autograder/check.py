"""`make test-module N`: export the notebook, run its tests, and say of each stub where it stands."""

import ast
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder import export, lesson, stubs
from autograder.course import Course, CourseError, Module, load

TOOLS = Path(__file__).resolve().parents[1]
PROGRESS = Path("build", "progress.json")
ENDS_WELL = (0, 1, 5)  # all passed, some failed, there was none to run
SECONDS = 20  # for one test; then it is stopped
LINES, WIDTH = 12, 160  # of what came back
STYLES = {"done": "green", "failing": "red", "not run": "red", "not started": "dim"}  # the others are yellow

# How NumPy's assertions and pytest's begin to say what came back, and which of these lines help nobody.
CAME_BACK = re.compile(
    r"assert |Mismatch|First \d+ mismatch|\(shapes|.*location mismatch| ?ACTUAL:| ?DESIRED:|Regex pattern"
)
NOISE = re.compile(
    r"Mismatch at|First \d+ mismatch| \[[\d, ]+\]: |Max (absolute|relative)|  Use -v| *\+ +(where|and) "
)
SAYS_NOTHING = re.compile(r"(not )?(np\.)?(False|True|None)_?$|.*( at 0x|\bgot: )")
TITLE = re.compile(r"(Not equal to tolerance|Arrays are not|Items are not equal:).*")


class EndedError(CourseError):
    """Tests that ended their process, as a crash or `sys.exit` does."""

    exit_code = 1


@dataclass(frozen=True)
class Result:
    """Where a stub stands: done, failing, not started, not run, or `needs another first`."""

    stub: str
    points: int
    state: str
    failure: dict | None = None
    because: str | None = None  # an earlier stub that this one rests on, and that fails too

    @property
    def reached(self) -> int:
        return self.points if self.state == "done" else 0


def check(module: Module, stub: str | None = None) -> int:
    """Export the learner's notebook, run its tests, and show each stub; 1 if one is not done.

    The first stub that fails is explained, or the one that is named.
    """
    course, console = load(module.root), Console(highlight=False)
    if stub and stub not in points_of(module):
        raise CourseError(f"module {module.label} has no stub {stub}: {', '.join(points_of(module))}")
    keep_released(course, module)
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
    console.print(table(module, results))
    if refused:
        console.print(f"Next: mend {_brief(module, refused)}", markup=False, soft_wrap=True)
        return refused.exit_code
    said = explanation(course, module, results, remember(module, results), stub)
    console.print(said, soft_wrap=isinstance(said, str))
    return int(any(result.state != "done" for result in results))


def keep_released(course: Course, module: Module) -> None:
    """Keep a copy of each notebook while nothing has been written in it; this module has to be released."""
    stubs.keep(module, points_of(module))
    for other in course.modules:
        if other.tests.exists() and not stubs.kept(other).exists():
            stubs.keep(other, points_of(other))


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
        raise CourseError(
            f"module {module.label} ({module.slug}) builds on {names}, not exported yet: "
            f"{own} for your own, or `make catch-up {module.number}` for the reference"
        )


def points_of(module: Module) -> dict[str, int]:
    """The stubs of a module with their points, in order, as its released tests list them."""
    try:
        tree = ast.parse(module.tests.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"module {module.label} ({module.slug}) has not been released") from None
    marks = [mark for node in tree.body for mark in getattr(node, "decorator_list", ())]
    marks = [mark for mark in marks if ast.unparse(mark).startswith("pytest.mark.stub(")]
    return {mark.args[0].value: mark.keywords[0].value.value for mark in marks}


def is_learners(package: Path) -> bool:
    """Whether an exported module came from the learner's own notebook."""
    return package.exists() and package.read_text(encoding="utf-8").startswith("# Written from modules/")


def run(course: Course, module: Module) -> list[Result]:
    """Run the tests of a module in a process of their own, against what is exported in tinytorch."""
    points = points_of(module)
    untouched = [stub for stub in points if stubs.is_untouched(module, stub)]
    with tempfile.TemporaryDirectory() as folder:
        outcomes = Path(folder, "outcomes.json")
        options = ["-q", "--tb=no", f"-c{os.devnull}", f"--rootdir={course.root}", "--noconftest"]
        options += ["--import-mode=importlib", "-pno:cacheprovider", "-pno:warnings", "-pautograder.outcomes"]
        options += [f"--outcomes={outcomes}", f"--seconds={SECONDS}", f"--without={' '.join(untouched)}"]
        path = os.pathsep.join([str(course.root), str(TOOLS)])
        try:
            process = subprocess.run(
                [sys.executable, "-m", "pytest", *options, str(module.tests)],
                env=os.environ | {"PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
                cwd=course.root, capture_output=True, text=True, encoding="utf-8", errors="replace",
                timeout=module.limits["seconds"],
            )  # fmt: skip
        except subprocess.TimeoutExpired as expired:
            raise EndedError(
                f"the tests of module {module.label} ({module.slug}) were still running after "
                f"{expired.timeout:g} seconds: is there a loop that never ends, around an `except:`?"
            ) from None
        found = json.loads(outcomes.read_text(encoding="utf-8")) if outcomes.exists() else {"broken": []}
    if process.returncode not in ENDS_WELL and not found["broken"]:
        said = (process.stderr or process.stdout).strip().splitlines()
        raise EndedError(
            f"the tests of module {module.label} ({module.slug}) ended before their end, "
            f"with exit status {process.returncode}{': ' + said[-1] if said else ''}"
        )
    results = [judge(course, module, stub, points[stub], found, stub in untouched) for stub in points]
    failing = [result.stub for result in results if result.state == "failing"]
    return [replace(result, because=stubs.rests_on(module, result.stub, failing)) for result in results]


def judge(
    course: Course, module: Module, stub: str, points: int, found: dict, untouched: bool = False
) -> Result:
    """Say where a stub stands, from what the tests gave."""
    if untouched and not found["broken"]:
        return Result(stub, points, "not started")
    own = [test for test in found["tests"] if test["stub"] == stub and test["failure"]]
    failures = found["broken"] or [test["failure"] | {"test": test["test"]} for test in own]
    if not failures:
        return Result(stub, points, "done")
    unwritten = [
        owner(course, failure["places"][-1]) if failure["unwritten"] else None for failure in failures
    ]
    for failure, needed in zip(failures, unwritten, strict=True):
        if needed is None:
            return Result(stub, points, "not run" if found["broken"] else "failing", failure)
    if (module, stub) in unwritten:
        return Result(stub, points, "not started")
    other, name = unwritten[0]
    return Result(stub, points, f"needs {name}{'' if other == module else f' of {other.slug}'} first")


def owner(course: Course, place: dict) -> tuple[Module, str] | None:
    """The stub that a place in tinytorch belongs to."""
    function = place["function"].partition(".<locals>")[0]
    for module in course.modules:
        if module.slug == place["module"]:
            for name, stub in stubs.read(module.notebook).items():
                if function in stub.functions:
                    return module, name
    return None


def remember(module: Module, results: list[Result]) -> dict[str, dict]:
    """Note where each stub stands, and how often it has failed with code that was not the same as before."""
    notes, here = remembered(module.root), stubs.read(module.notebook)
    before, now = notes.get(module.slug, {}), {}
    for result in results:
        note = {"attempts": 0, "failed": None} | before.get(result.stub, {}) | {"state": result.state}
        if result.state == "failing" and not result.because and result.stub in here:
            code = hashlib.sha256(here[result.stub].code.encode()).hexdigest()
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


def explanation(
    course: Course, module: Module, results: list[Result], notes: dict[str, dict], wanted: str | None = None
) -> str | Table:
    """Explain the first stub that fails, or the wanted one: what was asked, what came back, which hint to open.

    The others that fail have a line each.
    """
    failing = [result for result in results if result.failure]
    failing.sort(key=lambda result: (result.stub != wanted, result.because is not None))
    if not failing:
        return next_step(course, module, results)
    if lost := stubs.lost(module, [result.stub for result in results if result.state != "done"]):
        return "\n".join(f"Next: {sentence}." for sentence in lost)
    wrong, here = failing[0], stubs.read(module.notebook)
    failure, stub = wrong.failure, here.get(wrong.stub)
    asked, came_back = split(failure)
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold")
    if wrong.state == "not run":
        rows.add_row("not run", f"tinytorch/{module.slug}.py cannot be imported, so its tests did not run")
    else:
        test = failure["test"].removeprefix("test_").replace("_", " ")
        rows.add_row("fails", f"{wrong.stub}: {test}")
        rows.add_row(*(("asked", Text(asked)) if asked else ("ran", Text(_cut(failure["ran"])))))
    rows.add_row("came back", Text(came_back))
    if failure["places"] and failure["error"] not in ("AssertionError", "Failed"):
        rows.add_row("where", Text(where(course, module, failure["places"])))
    forgetful = stub.returning_nothing() if stub and re.search(r"\bNone(Type)?\b", came_back) else ()
    for function in forgetful:
        rows.add_row("perhaps", f"{function} returned None: is a return missing?")
    if stub and stub.hints and wrong.state == "failing":
        hint = min(max(notes.get(wrong.stub, {}).get("attempts", 0), 1), stub.hints)
        rows.add_row("hint", f"open hint {hint} of {stub.hints}, above {stub.cell} in {_place(module)}")
    if wrong.because:
        rows.add_row("perhaps", f"because of {wrong.because}, which fails too: mend that first")
    for other in failing[1:] if wrong.state != "not run" else ():
        rows.add_row("also", Text(f"{other.stub}: {_in_a_line(other)}"))
    return rows


def _in_a_line(result: Result) -> str:
    """Why a stub fails, in a line."""
    if result.because:
        return f"perhaps because of {result.because}, which fails too"
    asked, came_back = split(result.failure)
    return "; ".join(text.splitlines()[0] for text in (asked, came_back) if text)[:WIDTH]


def where(course: Course, module: Module, places: list[dict]) -> str:
    """The deepest place in a stub, of this module if there is one; else the deepest, by its cell if it has one."""
    deepest = sorted(places, key=lambda place: place["module"] == module.slug)[::-1]
    for place in deepest:
        if found := owner(course, place):
            other, name = found
            cell = stubs.read(other.notebook)[name].cell
            return f"{place['function']}, {cell}{'' if other == module else f' of {other.slug}'}: {place['line']}"
    place = deepest[0]
    cell = stubs.cell_with(module, place["statement"]) if place["module"] == module.slug else ""
    file = f"tinytorch/{place['module']}.py"
    return f"{cell or place['function'] + ' in ' + file}: {place['line']}"


def split(failure: dict) -> tuple[str, str]:
    """What was asked, where the test says it, and what came back."""
    lines = [line.rstrip() for line in failure["message"].splitlines() if line.strip()]
    asked = []
    if failure["error"] == "AssertionError":
        while lines and not CAME_BACK.match(lines[0]):
            asked.append(lines.pop(0).removeprefix("Items are not equal:").strip())
        asked = [line for line in asked if not TITLE.match(line)]
        lines = [line for line in lines if not NOISE.match(line)]
        lines = [line.replace(" ACTUAL:", "got:").replace(" DESIRED:", "wanted:") for line in lines]
        if lines and lines[0].startswith("assert got:"):
            lines = [line.removeprefix("assert ").removeprefix("  ") for line in lines]
        elif lines and lines[0].startswith("assert "):
            seen = lines[0].removeprefix("assert ")
            lines = [f"not so: {failure['untrue'] if SAYS_NOTHING.match(seen) else seen}"]
    elif failure["error"] == "Failed":
        lines = [line.replace("DID NOT RAISE", "it did not raise") for line in lines]
    else:
        lines[:1] = [": ".join([failure["error"], *lines[:1]])]
    return _cut("\n".join(filter(None, asked)) or failure["asked"]), _cut("\n".join(lines))


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


def _cut(text: str) -> str:
    """The first lines of a text, none too long for a screen."""
    lines = text.splitlines()
    cut = [line if len(line) <= WIDTH else f"{line[:WIDTH]} ..." for line in lines[:LINES]]
    return "\n".join([*cut, "..."] if len(lines) > LINES else cut)
