"""A learner's course for the tests of the tools: three small lessons, released, a way to fill their stubs, and make."""

import os
import shutil
import subprocess
import sys
from functools import partial

import nbformat
import pytest

from autograder import release_students
from tests.conftest import ROOT, Scratch


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


@pytest.fixture(scope="session")
def given(tmp_path_factory):
    """The repository of a class, made from this one."""
    folder = tmp_path_factory.mktemp("class") / "a course"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setattr(
            release_students.release, "check", lambda course: []
        )  # which test_release does, for 20 seconds
        for who in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{who}_NAME", "A Teacher")
            patch.setenv(f"GIT_{who}_EMAIL", "teacher@example.org")
        release_students.release_students(str(folder))
    return Scratch(folder)


@pytest.fixture(scope="session")
def repository(tmp_path_factory):
    """A copy of this repository as it is now, with its reference, where commands may write; `make` runs one."""
    root = tmp_path_factory.mktemp("repository") / "a copy"
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for place in filter(None, listed.split("\0")):
        if (ROOT / place).is_file():
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / place, root / place)
    shutil.copytree(ROOT / "build" / "reference", root / "build" / "reference")
    copy = Scratch(root)
    copy.make = partial(make_in(copy), PYTHONPATH=str(root))
    return copy


@pytest.fixture
def make(scratch):
    """Run make in the scratch course."""
    return make_in(scratch)


def installed(root):
    """Let the Python that runs the tests stand for the one that `make setup` installs in a course."""
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    (root / ".venv" / ".installed").touch()


def make_in(course, **options):
    """A way to run make in the folder of a course, as if everything were installed there; with options of `subprocess`."""
    root = course.root
    (root / "autograder" / "class").mkdir(parents=True, exist_ok=True)
    for name in ("Makefile", "autograder/class/Makefile"):
        shutil.copy(ROOT / name, root / name)
    (root / "requirements.lock").touch()
    installed(root)

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess:
        above = {"MAKELEVEL", "MAKEFLAGS", "MFLAGS"}  # of the make that runs these tests, if one does
        environment = {key: value for key, value in os.environ.items() if key not in above}
        environment |= {"PYTHONPATH": str(ROOT)} | variables
        return subprocess.run(
            ["make", *arguments], cwd=root, env=environment, capture_output=True, text=True, **options
        )

    run.scratch = course
    return run
