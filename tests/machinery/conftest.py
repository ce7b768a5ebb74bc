"""A learner's course for the tests of the tools: three small lessons, released, and a way to fill their stubs."""

import shutil

import nbformat
import pytest


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
