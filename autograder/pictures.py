"""`make pictures`: what commands print and notebooks show, times, and the map, as pictures for the README: docs/pictures/NAME.svg.

Each is made by running what it shows, but for the times, which are in benchmarks/results. The conversation is drawn anew only where the
language model's file is (`make milestone chat`).
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from rich import box
from rich.console import Console, RenderableType
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from autograder import EXPORT, check, demo, files, lesson, reference, release
from autograder.console import say
from autograder.course import Course, Module, load
from docs import course_map

WIDTH = 100
FOLDER = Path("docs", "pictures")
STUB, MISTAKE, WRITTEN = "contiguous-strides", "A length of zero makes strides of zero.", 8
QUESTIONS = ["Name three programming languages.", "Explain attention in a transformer in one sentence."]
TYPED = """
import builtins, sys
from milestones import chat
questions = iter(sys.argv.pop().splitlines())
def typed(prompt):
    for question in questions:
        print(prompt + question)
        return question
    raise EOFError
sys.stdin.isatty, builtins.input = lambda: True, typed
chat.main()
"""
COLOURS = {"text-base": "#1f2328", "text-muted": "#57606a", "surface": "#f6f8fa"}
SHOWN = {
    "test-module": ["test-module", "1"],
    "hint": ["hint", "1"],
    "progress": ["progress"],
}
# Results, and how the rows begin that are shown.
MEASURED = {
    "training": ["GPT", "CNN", "MLP"],
    "speed": [
        "kernels: GPT: 256 tokens",
        "linear 1024 x 1024, batch 256",
        "kernels: attention",
        "kernels: layer norm",
        "kernels: gelu (1024",
        "kernels: cross-entropy (8192",
        "kernels: conv 16 to 32",
        "kernels: AdamW, 4,194,304",
    ],
}


def run() -> None:
    """Play a learner who has made a mistake in module 01, and draw what is printed and shown; ask the model, and draw the map."""
    course = load()
    pictures = {
        "map": map_of(course),
        "speed": drawn("make bench-training, make bench", speeds(course)),
    }
    with tempfile.TemporaryDirectory() as folder:
        module = _half_written(course, Path(folder, "course"))
        for name, command in SHOWN.items():
            printed = Text.from_ansi(_printed(module, command).rstrip())
            pictures[name] = drawn(f"make {shlex.join(command)}", printed)
        pictures["cells"] = drawn(f"{module.notebook.name}, in JupyterLab", *_cells(module))
    if answers := _answers(course):
        pictures["chat"] = drawn("make milestone chat", Text(answers))
    for name, picture in pictures.items():
        place = course.root / FOLDER / f"{name}.svg"
        files.write(place, picture)
        say(f"{place.relative_to(course.root).as_posix()}: written")
    if not answers:
        say(
            "docs/pictures/chat.svg: stays, for the model's file is not here (`make milestone chat` fetches it)"
        )


def drawn(title: str, *shown: RenderableType) -> str:
    """A terminal that shows this, as SVG, with no font that is fetched from elsewhere."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True)
        console.print(*shown, sep="\n")
    picture = console.export_svg(title=title, unique_id=re.sub(r"\W+", "-", title))
    without = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)
    return "\n".join(filter(str.strip, without.split("\n"))) + "\n"


def map_of(course: Course) -> str:
    """The map of the book as a picture of its own: no links, and the style sheet's colours by light."""
    sheet = (course.root / "docs" / "static" / "book.css").read_text(encoding="utf-8")
    rules = "\n".join(re.findall(r"^\.course-map (?:text|path|marker|rect|\.\w+) .*", sheet, re.MULTILINE))
    style = re.sub(r"var\(--pst-color-([\w-]+)\)", lambda found: COLOURS[found[1]], rules)
    picture = re.sub(r'<a href="[^"]*"', "<g", course_map.picture(course)).replace("</a>", "</g>")
    head, svg, rest = picture.partition(">")
    width, height = re.search(r'viewBox="0 0 (\d+) (\d+)"', head).groups()
    as_file = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif"'
    )
    opened = head.replace("<svg", as_file)
    ground = '<rect width="100%" height="100%" style="fill: #ffffff"/>'
    return f"{opened}{svg}<style>\n{style}\n</style>{ground}{rest}\n"


def speeds(course: Course) -> Table:
    """Our times beside PyTorch's, of models and of operations, as they were measured last."""
    table = Table("on a processor, float32", box=box.SIMPLE)
    for head in ("tinytorch", "PyTorch", "ratio"):
        table.add_column(head, justify="right")
    for name, rows in MEASURED.items():
        text = (course.root / "benchmarks" / "results" / f"{name}.md").read_text(encoding="utf-8")
        measured = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
        for title, *cells in measured:
            if title.startswith(tuple(rows)):
                ours, theirs, *rest = cells
                theirs, _, ratio = theirs.partition(", ")
                style = "green" if float(ratio or rest[0]) < 1 else "default"
                table.add_row(title.removeprefix("kernels: "), ours, theirs, ratio or rest[0], style=style)
        table.add_section()
    return table


def _cells(module: Module) -> list[RenderableType]:
    """The stub that is wrong, its test below it, and the test of the next, as the notebook shows them when they are run."""
    notebook = nbformat.read(module.notebook, as_version=4)
    places = {cell.id: index for index, cell in enumerate(notebook.cells)}
    following = next(stub.name for stub in lesson.read(module).stubs if stub.name != STUB)
    tests = [f"test-{name}" for name in (STUB, following)]
    notebook.cells = notebook.cells[: places[tests[-1]] + 1]
    folder = {"metadata": {"path": str(module.notebook.parent)}}
    client = NotebookClient(
        notebook, resources=folder, allow_errors=True, extra_arguments=["--log-level=ERROR"]
    )
    client.execute(env=check.environment(module))
    shown = [_code(notebook.cells[places[STUB]].source)]
    for test in tests:
        cell = notebook.cells[places[test]]
        shown.append(_code(cell.source.partition("\n")[0]))
        lines = ["\n".join(output.get("traceback", [output.get("text", "")])) for output in cell.outputs]
        shown.append(Text.from_ansi("\n".join(lines).rstrip()))
    return shown


def _code(source: str) -> Panel:
    """A cell of code."""
    return Panel(Syntax(source, "python", background_color="default"), box=box.ROUNDED, border_style="dim")


def _answers(course: Course) -> str:
    """A conversation with the language model on the reference, or nothing where its file is not."""
    if not [*(course.root / "build" / "milestones").glob("SmolLM2*.gguf")]:
        return ""
    path = os.pathsep.join([str(reference.build(course)), str(course.root)])
    done = subprocess.run(
        [sys.executable, "-P", "-c", TYPED, "\n".join(QUESTIONS)], cwd=course.root, check=True,
        env=os.environ | {"PYTHONPATH": path}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip
    return done.stdout.strip()


def _half_written(course: Course, root: Path) -> Module:
    """Module 01 in a copy of the course, with its first stubs written, one of them wrong."""
    course = demo.scratch(course, root, "tinytorch", "milestones", "modules", "solutions")
    module = course.find(1)
    release.release(course, [module])
    read = lesson.read(module)
    answers = {stub.name: stub.cell.source for stub in read.stubs[:WRITTEN]}
    wrong = next(stub for stub in read.stubs if stub.name == STUB)
    mistake = next(each for each in wrong.mistakes if each.sentence == MISTAKE)
    answers[STUB] = mistake.put_into(wrong.cell.source)
    notebook = json.loads(module.notebook.read_text(encoding="utf-8"))
    check.keep_released(course, module)
    for cell in notebook["cells"]:
        if cell["id"] in answers:
            _, label, *_ = "".join(cell["source"]).splitlines()
            written = re.sub(r" *### (BEGIN|END) SOLUTION\n?", "", answers[cell["id"]])
            cell["source"] = written.replace(EXPORT, f"{EXPORT}\n{label}", 1).rstrip()
    files.write(module.notebook, json.dumps(notebook))
    return module


def _printed(module: Module, command: list[str]) -> str:
    """What a command prints on a terminal, in colours."""
    terminal = {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": str(WIDTH)}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "autograder", *command], cwd=module.root, capture_output=True, text=True,
        env=check.environment(module) | terminal, encoding="utf-8",
    )  # fmt: skip
    lines = re.sub(r"\x1b\[(\?\d+[hl]|\d*[AKGJ])", "", done.stdout).replace("\r", "\n").split("\n")
    return "\n".join(
        line for line in lines if "running the tests of" not in line and "importing tiny" not in line
    )
