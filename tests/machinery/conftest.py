"""A learner's course for the tests of the tools: three small lessons, released, a way to fill their stubs, and make."""

import os
import shutil
import subprocess
import sys

import nbformat
import pytest

from tests.conftest import ROOT


@pytest.fixture
def learner(scratch, released_samples):
    """A course with three lessons, released, nothing of them written."""
    for folder in ("solutions", "modules"):
        shutil.copytree(released_samples / folder, scratch.root / folder)
    return scratch


@pytest.fixture
def write_stub(learner):
    """Write a stub of the learner's notebook: a body in place of `raise NotImplementedError`, or a whole cell."""

    def write(key: str, stub: str, body: str | None = None, cell: str | None = None) -> None:
        module = learner.course.find(key)
        notebook = nbformat.read(module.notebook, as_version=4)
        solution = nbformat.read(module.source.with_suffix(".ipynb"), as_version=4)
        sources = {cell.id: cell.source for cell in solution.cells}
        place = next(cell for cell in notebook.cells if cell.id == stub)
        if body is not None:
            place.source = place.source.replace("raise NotImplementedError", body)
        else:
            place.source = sources[stub] if cell is None else cell
        nbformat.write(notebook, module.notebook)

    return write


@pytest.fixture
def solve(learner, write_stub):
    """Write every stub of a module as the solution has it, and export it."""

    def write(key: str) -> None:
        module = learner.course.find(key)
        shutil.copy(module.source.with_suffix(".ipynb"), module.notebook)
        assert learner.tool("export", key).returncode == 0

    return write


@pytest.fixture
def make(scratch):
    """Run make in the scratch course."""
    return make_in(scratch)


def make_in(course, **options):
    """A way to run make in the folder of a course, as if everything were installed there; with options of `subprocess`."""
    root = course.root
    python = root / ".venv" / "bin" / "python"
    for folder in (python.parent, root / "autograder" / "class"):
        folder.mkdir(parents=True)
    for name in ("Makefile", "autograder/class/Makefile"):
        shutil.copy(ROOT / name, root / name)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    for name in ("requirements.lock", ".venv/.installed"):
        (root / name).touch()

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess:
        above = {"MAKELEVEL", "MAKEFLAGS", "MFLAGS"}  # of the make that runs these tests, if one does
        environment = {key: value for key, value in os.environ.items() if key not in above}
        environment |= {"PYTHONPATH": str(ROOT)} | variables
        return subprocess.run(
            ["make", *arguments], cwd=root, env=environment, capture_output=True, text=True, **options
        )

    run.scratch = course
    return run
