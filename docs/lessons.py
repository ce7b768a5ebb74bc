"""The lessons as pages: the notebook that a class is given, with what its experiments print and draw once its stubs are right.

A lesson with its answers is run from top to bottom beside the reference framework; then its outputs are put into the
notebook without answers. That takes minutes for all of them, so `build/lessons/` keeps each until one of the files that it
was made from changes.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from autograder import lesson as lessons
from autograder import reference, release
from autograder.course import Course, CourseError, Module
from autograder.files import write
from docs import diagrams

SECONDS = 600  # for a cell, on a machine that is busy
# In the kernel: what a plot says in words, which becomes the page's text alternative of its picture.
IN_WORDS = """
import matplotlib.pyplot
from matplotlib.figure import Figure
from matplotlib.text import Text

def in_words(figure, printer, cycle):
    texts = figure.findobj(lambda artist: isinstance(artist, Text) and artist.get_visible())
    words = [" ".join(text.get_text().replace("$", "").split()) for text in texts]
    printer.text("; ".join(dict.fromkeys(word for word in words if any(map(str.isalpha, word)))))

matplotlib.pyplot.close(matplotlib.pyplot.figure())  # the backend is set up now: it removes what was registered before
get_ipython().display_formatter.formatters["text/plain"].for_type(Figure, in_words)
"""


def page(course: Course, module: Module, is_run: bool = True) -> str:
    """The notebook of a lesson, as JSON; with outputs that were kept, or new ones where a source has changed."""
    kept = course.root / "build" / "lessons" / f"{module.name}.{digest(course, module)}.ipynb"
    if is_run and not kept.exists():
        for old in kept.parent.glob(f"{module.name}.*.ipynb"):
            old.unlink()
        write(kept, nbformat.writes(run(course, module)) + "\n")
    notebook = nbformat.read(kept if kept.exists() else module.notebook, as_version=4)
    notebook.cells = [*cells(course, module, notebook)]
    printed = "\n".join(
        output.text for cell in notebook.cells for output in cell.get("outputs", []) if "text" in output
    )
    if leaks := release.leaks(lessons.read(module), printed):
        raise CourseError(f"{module.name}: an output {leaks[0]}")
    return nbformat.writes(notebook) + "\n"


def digest(course: Course, module: Module) -> str:
    """A hash of what a page is made from: this file, the address, the lesson, those that it requires, directly or not, and given parts."""
    found = hashlib.sha256(course.repository.encode())
    for path in sorted({Path(__file__), *sources(course, module)}):
        found.update(path.relative_to(course.root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


def sources(course: Course, module: Module) -> set[Path]:
    given = course.root / "tinytorch" / "given" / module.slug
    before = (sources(course, course.find(slug)) for slug in module.requires)
    return {module.source, *given.rglob("*.py")}.union(*before)


def run(course: Course, module: Module) -> nbformat.NotebookNode:
    """Run a lesson with its answers, and put its outputs into the notebook without them."""
    with tempfile.TemporaryDirectory() as folder:
        made = release.build(course, [lessons.read(module)], Path(folder))
        solved, blank = (
            nbformat.reads(made[path], as_version=4)
            for path in (module.source.with_suffix(".ipynb"), module.notebook)
        )
        environment = os.environ | {
            "PYTHONPATH": f"{reference.build(course)}{os.pathsep}{course.root}",
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        }
        place = {"metadata": {"path": folder}}
        solved.cells.insert(0, nbformat.v4.new_code_cell(IN_WORDS, id="in-words"))
        quiet = ["--log-level=ERROR"]  # no warning that the kernel is reached by TCP
        NotebookClient(solved, timeout=SECONDS, resources=place, extra_arguments=quiet).execute(
            env=environment
        )
    outputs = {cell.id: cell.outputs for cell in solved.cells if cell.cell_type == "code"}
    for cell in blank.cells:
        if cell.cell_type == "code":
            cell.outputs = outputs[cell.id]
    return blank


def cells(course: Course, module: Module, notebook: nbformat.NotebookNode) -> Iterator[nbformat.NotebookNode]:
    """The cells as the page shows them: tests folded up, diagrams drawn, and nothing of what grading and Jupyter alone need."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            is_test = cell.metadata.get("nbgrader", {}).get("grade", False)
            cell.metadata = nbformat.NotebookNode(tags=["hide-cell"] if is_test else [])
            cell.source = re.sub(r"^#\| export\n", "", cell.source)
            for output in cell.outputs:
                if "text" in output:
                    output.text = shown(output.text, str(course.root))
            pictures = [output.data for output in cell.outputs if "image/png" in output.get("data", {})]
            if pictures:
                alt = f"Plot: {pictures[0]['text/plain'] or 'pictures without words'}"
                cell.metadata["mystnb"] = {"image": {"alt": alt}}
        else:
            cell.source = diagrams.drawn(module.slug, cell.source)
        yield cell


def shown(text: str, root: str) -> str:
    """What a cell prints, without the lines of code that a traceback quotes, and the places of files on this machine."""
    text = re.sub(r"""(File "[^"]*", line \d+, in .*\n)    .*\n(?:[ ~^]+\n)?""", r"\1", text)
    return re.sub(r"/\S*/ipykernel_\d+/\d+\.py", "a cell", text.replace(f"{root}/build/reference/", ""))


def anchor(title: str) -> str:
    """The anchor of a section, without its number, so that links stay right when one is added before it."""
    return re.sub(r"\W+", "-", re.sub(r"^[\d.]+ ", "", title.lower())).strip("-")
