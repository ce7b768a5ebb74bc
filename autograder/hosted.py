"""A notebook that is not a file of the course, as in Colab: `%make` saves it there, where every command finds it."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from autograder import course, files, notebook, notebook_stubs
from autograder.course import CourseError, Module


def save(root: Path, slug: str, history: Iterable[str]) -> None:
    """Write the notebook of a kernel in its place in the course, as Colab's page has it or, elsewhere, by what was run."""
    module = course.load(root).find(slug)
    notebook_stubs.keep(module, notebook_stubs.points_of(module))
    theirs = _in_colab() or _from_history(module, history)
    files.install(module.root, module.notebook, json.dumps(theirs, ensure_ascii=False, indent=1) + "\n")


def _in_colab() -> dict | None:
    """The notebook as Colab's page in the browser has it, saved or not; None where this is not Colab."""
    try:
        from google.colab import _message
    except ImportError:
        return None
    reply = _message.blocking_request("get_ipynb", timeout_sec=60)
    if not reply:
        raise CourseError("the browser has not sent the notebook: run the cell again")
    return reply["ipynb"]


def _from_history(module: Module, history: Iterable[str]) -> dict:
    """The notebook as it was last saved, in it each stub as it was last run, and below it the other exported cells that were run."""
    theirs = notebook.load(module.notebook.read_bytes())
    stubs = {name: cell for cell in theirs["cells"] for name in notebook.STUB.findall(notebook.text(cell))}
    there = {notebook.plain(notebook.text(cell)) for cell in theirs["cells"]}
    for source in filter(notebook.is_exported, history):
        name = next(iter(notebook.STUB.findall(source)), None)
        if name in stubs:
            stubs[name]["source"] = source
        elif notebook.plain(source) not in there:
            there.add(notebook.plain(source))
            cell = {"cell_type": "code", "id": f"own-{len(theirs['cells'])}", "source": source}
            theirs["cells"].append(cell | {"execution_count": None, "metadata": {}, "outputs": []})
    return theirs


def make(root: Path, line: str) -> None:
    """Run a command as `make` does, and print what it says: `test-module 3 stub=relu`, `milestone xor`."""
    verb, *words = shlex.split(line)
    tool = ["milestones"] if verb == "milestone" else ["autograder", verb]
    command = [sys.executable, "-m", *tool, *(f"--{word}" if "=" in word else word for word in words)]
    # a kernel asks for colours, by which a command takes its output for a terminal
    plain = {"TERM": "dumb", "FORCE_COLOR": "", "COLUMNS": "95", "PYTHONUNBUFFERED": "1"}
    environment = os.environ | plain
    with subprocess.Popen(
        command, cwd=root, env=environment, text=True, encoding="utf-8",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        try:
            for printed in process.stdout:
                print(printed, end="")
        except KeyboardInterrupt:
            process.terminate()
