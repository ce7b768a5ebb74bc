"""From `solutions/` to `modules/`: the notebook that a learner opens, and its tests for pytest."""

import hashlib
import itertools
import json
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console

from autograder import EXPORT
from autograder import lesson as lessons
from autograder.course import Course, Module
from autograder.files import install, write
from autograder.lesson import Cell, Lesson, LessonError
from autograder.testfile import test_file

COLAB = "https://colab.research.google.com"
BADGE = """[![Open in Colab]({colab}/assets/colab-badge.svg)]({colab}/github/{repository}/blob/HEAD/{place})

In Colab, run the cell below first: it fetches the course, into your Google Drive if you have mounted it (the folder at the
left), where your exports stay for the next notebook. A command of the course is a cell there: `%make test-module {number}`."""
FETCH = """import importlib.util, os, sys

if not importlib.util.find_spec("tinytorch"):  # as in Colab; on your own computer the course is there
    folder = os.path.abspath("drive/MyDrive/{name}" if os.path.isdir("drive/MyDrive") else "{name}")
    ![ -d "{{folder}}" ] || git clone --quiet --depth 1 https://github.com/{repository} "{{folder}}"
    %pip install --quiet --requirement "{{folder}}/requirements-colab.txt"
    sys.path.insert(0, folder)"""
CONFIG = Path(__file__).with_name("nbgrader_config.py")
TRIVIAL = 12  # characters: a shorter line, `return x`, gives no answer away


def release(course: Course, modules: Sequence[Module]) -> None:
    """Make the notebook and the tests of each module, and keep copies of what a learner wrote there."""
    read = [lessons.read(module) for module in modules]
    (course.root / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=course.root / "build") as folder:
        made = build(course, read, Path(folder))
    for path, text in made.items():
        if path.suffix == ".ipynb" and "modules" in path.parts:
            install(course.root, path, text)
        else:
            write(path, text)
    for lesson in read:
        counts = f"{len(lesson.stubs)} stubs, {lesson.points} points"
        if lesson.points_by_hand:
            counts += f", and {lesson.points_by_hand} for answers in words"
        Console().print(f"modules/{lesson.module.name}: {counts}", highlight=False)


def build(course: Course, read: Sequence[Lesson], folder: Path) -> dict[Path, str]:
    """Make the files of the lessons in `folder`, and return them as texts by their places in the course.

    The gradebook is not touched: a module's points are entered when it is graded.
    """
    import nbformat
    from nbgrader.apps import NbGraderAPI
    from nbgrader.converters import GenerateAssignment
    from nbgrader.preprocessors import SaveCells

    config = configuration(folder)
    config.GenerateAssignment.no_database = True
    steps = GenerateAssignment.preprocessors.default_args[0]
    config.GenerateAssignment.preprocessors = [step for step in steps if step is not SaveCells]
    made = {}
    for lesson in read:
        module = lesson.module
        solution = nbformat.writes(notebook(lesson, course.repository)) + "\n"
        write(folder / "solutions" / module.name / module.notebook.name, solution)
        result = NbGraderAPI(config=config).generate_assignment(module.name)
        if not result["success"]:
            raise LessonError(f"{module.name}: nbgrader did not release it\n{result['log']}")
        released = folder / "modules" / module.name / module.notebook.name
        made[module.source.with_suffix(".ipynb")] = solution
        made[module.notebook] = released.read_text(encoding="utf-8")
        made[module.tests] = test_file(lesson)
    return made


def configuration(root: Path):
    """nbgrader's configuration for the course in `root`."""
    from traitlets.config import PyFileConfigLoader

    config = PyFileConfigLoader(str(CONFIG)).load_config()
    config.CourseDirectory.root = str(root)
    return config


def notebook(lesson: Lesson, repository: str = ""):
    """The lesson as a notebook with nbgrader's metadata, with its solutions, and with a way into Colab if it has an address."""
    from nbformat import v4

    slug = lesson.module.slug
    lead = Cell("given", f"%load_ext tinytorch.notebook\n%module {slug}", 0)
    stubs = {stub.name: stub for stub in lesson.stubs}
    headings = {
        before.line: f"{stub.name}, {stub.points} points"
        for stub in lesson.stubs
        for before, cell in itertools.pairwise(lesson.cells)
        if cell is stub.cell
    } | {
        before.line: f"{cell.name}, {cell.points} points, marked by your instructor"
        for before, cell in itertools.pairwise(lesson.cells)
        if cell.kind == "answer"
    }
    cells, seen, level = [], {}, 1
    title, *others = lesson.cells
    door = _door(lesson, repository) if repository else []
    for cell in (title, *door, lead, *others):
        digest = hashlib.sha256(cell.source.encode()).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        name = {"stub": cell.name, "answer": cell.name, "test": f"test-{cell.name}"}.get(
            cell.kind, f"{cell.kind}-{digest}-{seen[digest]}"
        )
        if cell.kind == "prose":
            level = levels(cell.source, level)[-1]
            cells.append(v4.new_markdown_cell(_headed(cell, headings, level), id=name))
            continue
        if cell.kind == "answer":  # nbgrader empties it, and leaves its marks to the instructor
            marks = {"grade_id": name, "grade": True, "solution": True, "locked": False, "task": False}
            marks |= {"points": cell.points, "schema_version": 3}
            cells.append(v4.new_markdown_cell(cell.source, id=name[:64], metadata={"nbgrader": marks}))
            continue
        source = cell.source
        if cell.kind == "stub":  # the name by which `make test-module` speaks of it
            label = f"#| stub: {cell.name}, {stubs[cell.name].points} points"
            source = source.replace(EXPORT, f"{EXPORT}\n{label}", 1)
        if cell.kind == "test":
            source = f"%%test {cell.name}\n{source}"
        flags = {"grade": cell.kind == "test", "solution": cell.kind == "stub", "locked": cell.kind != "stub"}
        metadata = {"grade_id": name, **flags, "task": False, "schema_version": 3}
        metadata = {"nbgrader": metadata}
        if cell.kind == "test":
            metadata["nbgrader"]["points"] = cell.points
            metadata["jupyter"] = {"source_hidden": True}
        cells.append(v4.new_code_cell(source, id=name[:64], metadata=metadata))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def _door(lesson: Lesson, repository: str) -> list[Cell]:
    """The button that opens the notebook in Colab, and the cell that fetches the course there."""
    module = lesson.module
    place = module.notebook.relative_to(module.root).as_posix()
    badge = BADGE.format(colab=COLAB, repository=repository, place=place, number=module.number)
    fetch = FETCH.format(repository=repository, name=repository.partition("/")[2])
    return [Cell("prose", badge, 0), Cell("given", fetch, 0)]


def levels(markdown: str, level: int) -> list[int]:
    """The level before the prose, and those of its headings: 2 for `## Two`; a comment in code is no heading."""
    outside = re.sub(r"^```.*?^```", "", markdown, flags=re.DOTALL | re.MULTILINE)
    return [level, *(len(marks) for marks in re.findall(r"^(#+) ", outside, re.MULTILINE))]


def _headed(cell: Cell, headings: dict[int, str], level: int) -> str:
    """Prose with the name and points of the stub below it, above its hints: the outline shows them."""
    if cell.line not in headings:
        return cell.source
    text, details, hints = cell.source.partition("<details>")
    if not details:
        text += "\n\n"
    return f"{text}{'#' * (level + 1)} {headings[cell.line]}\n{details}{hints}"


def check(course: Course, modules: Iterable[Module] | None = None) -> list[str]:
    """What is wrong with `modules/`: it differs from a fresh build, or gives a solution or a mistake away."""
    read = [lessons.read(module) for module in modules or course.with_solutions()]
    builds = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            builds.append(build(course, read, Path(folder)))
    first, second = builds
    problems = [f"{path.name}: two builds differ" for path in first if first[path] != second[path]]
    for lesson in read:
        module = lesson.module
        for path in (module.notebook, module.tests):
            if not path.exists() or path.read_text(encoding="utf-8") != first[path]:
                problems.append(
                    f"{path.relative_to(course.root)}: not what `make release {module.number}` makes"
                )
            problems += (f"{path.relative_to(course.root)}: {leak}" for leak in leaks(lesson, first[path]))
    return problems


def leaks(lesson: Lesson, text: str) -> list[str]:
    """Lines of solutions, and sentences of mistakes, that occur in a released notebook or test file."""
    if text.startswith("{"):
        cells = json.loads(text)["cells"]
        found = ["has outputs" for cell in cells if cell.get("outputs") or cell.get("execution_count")]
        text = "\n".join("".join(cell["source"]) for cell in cells)
    else:
        found = []
    answers = {
        line.strip() for stub in lesson.stubs for region in stub.regions for line in region.splitlines()
    }
    in_words = [cell for cell in lesson.cells if cell.kind == "answer"]
    answers |= {line.strip() for cell in in_words for line in cell.source.splitlines()}
    shown = {line.strip() for cell in lesson.cells if cell not in in_words for line in lessons.outside(cell)}
    lines = {line.strip() for line in text.splitlines()}
    found += [f"shows {line!r}" for line in sorted(answers & lines - shown) if len(line) >= TRIVIAL]
    sentences = [mistake.sentence for stub in lesson.stubs for mistake in stub.mistakes]
    return found + [f"tells {sentence!r}" for sentence in sentences if sentence in text]
