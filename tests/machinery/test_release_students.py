"""What a class is given, and what a learner hands in: tried by using it."""

import ast
import os
import re
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import nbformat
import pytest

from autograder import release_students, submit
from autograder.__main__ import GROUPS
from autograder.course import CourseError, load
from tests.conftest import Scratch, index_is_reached

ROOT = Path(__file__).parents[2]
AUTHORS = "playwright|mutmut|libcst|psycopg|tokenizers|tiktoken|distributed|dask|torch(?!-by-hand$)|nbgrader"


def make(given, *arguments):
    """Run make in the repository of a class."""
    above = {"MAKELEVEL", "MAKEFLAGS", "MFLAGS", "PYTHONPATH"}  # of what runs these tests
    environment = {key: value for key, value in os.environ.items() if key not in above}
    return subprocess.run(
        ["make", *arguments], cwd=given.root, env=environment, capture_output=True, text=True
    )


def test_it_holds_no_answers_and_no_history(given):
    log = subprocess.run(["git", "log", "--oneline"], cwd=given.root, capture_output=True, text=True).stdout
    assert len(log.splitlines()) == 1
    places = {
        path.relative_to(given.root).as_posix() for path in given.root.rglob("*") if ".git" not in path.parts
    }
    assert not [
        place for place in places if place.split("/")[0] in ("solutions", "tests", "benchmarks", "docs")
    ]
    assert {"tinytorch/py.typed", "tinytorch/__init__.pyi"} <= places
    names = {Path(place).name for place in places}
    assert names.isdisjoint({"mistakes.py", "probes.py", "equivalent.py", "batch.py", "gradebook.db"})
    for lesson in load(ROOT).modules:
        assert f"modules/{lesson.name}/{lesson.slug}.ipynb" in places
    told = (given.root / "README.md").read_text() + make(given, "help").stdout
    assert "make start 1" in told
    assert not [
        word for word in ("catch-up", "make grade", "demo", "make test ", "solutions") if word in told
    ]


@pytest.mark.parametrize("page", ["README.md", "RULES.md", "AGENTS.md"])
def test_its_pages_name_its_own_commands_and_files(given, page):
    text = (given.root / page).read_text(encoding="utf-8")
    makefile = (given.root / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):.*##", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE))
    assert named, f"{page} names no command"
    assert not named - targets
    links = re.findall(r"\]\(([^)#]+)\)", text)
    folders = [path for path in re.findall(r"`([\w/]+/|[\w/]+\.yaml)`", text) if "NN_slug" not in path]
    assert not [path for path in links + folders if not (given.root / path).exists()]


def test_an_assistants_example_has_the_rows_that_are_printed(given, tmp_path):
    copy = Scratch(shutil.copytree(given.root, tmp_path / "copy", ignore=shutil.ignore_patterns(".venv")))
    module = copy.course.find("tensor")
    notebook = nbformat.read(module.notebook, as_version=4)
    stub = next(cell for cell in notebook.cells if "#| stub: contiguous-strides" in cell.source)
    body = "return tuple(int(np.prod(shape[d + 1 :])) for d in range(len(shape)))"
    stub.source = stub.source.replace("raise NotImplementedError", body)
    nbformat.write(notebook, module.notebook)
    done = copy.python("-m", "autograder", "test-module", "1", "--stub=contiguous-strides", COLUMNS="200")
    printed = [line.rstrip() for line in done.stdout.splitlines()]
    page = (copy.root / "AGENTS.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^ *```\n(.*?)^ *```$", page, re.MULTILINE | re.DOTALL)
    shown = textwrap.dedent(example).splitlines()
    assert [line[:11].rstrip() for line in shown] == [line[:11].rstrip() for line in printed[-len(shown) :]]
    assert shown[0].startswith("fails      contiguous-strides: ")


def test_its_tools_import_nothing_that_it_lacks(given):
    for path in (given.root / "autograder").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autograder"):
                for name in [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]:
                    place = f"{name.replace('.', '/')}.py"
                    assert not (ROOT / place).exists() or (given.root / place).exists(), (
                        f"{path.name}: {name}"
                    )


@pytest.mark.parametrize("verb", [verb for title in GROUPS if title != "to learn" for verb in GROUPS[title]])
def test_a_command_that_is_not_a_learners_is_refused_in_a_line(given, verb):
    for done in (
        make(given, verb, "3"),
        given.python("-m", "autograder", verb, "3", PYTHONPATH=str(given.root)),
    ):
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert f"'{verb}'" in done.stderr
    helped = given.python("-m", "autograder", "-h", PYTHONPATH=str(given.root)).stdout
    assert f"  {verb} " not in helped


def test_what_it_installs_is_what_notebooks_tests_and_milestones_need(given):
    done = make(given, "setup", f"PYTHON={sys.executable}", "GROUPS=")
    if done.returncode and not index_is_reached():
        pytest.skip("the package index cannot be reached, from which a class's copy is set up")
    assert done.returncode == 0, done.stderr
    listing = (
        "from importlib.metadata import distributions\nfor d in distributions(): print(d.name, d.version)"
    )
    python = [given.root / ".venv/bin/python", "-P"]

    def printed(*command):
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(ROOT / "build/reference"), str(given.root)])
        }
        done = subprocess.run([*python, *command], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    installed = dict(line.lower().replace("_", "-").split() for line in printed("-c", listing).splitlines())
    assert {"numpy", "numba", "jupyterlab", "matplotlib", "pytest"} <= installed.keys()
    assert not [name for name in installed if re.match(AUTHORS, name)]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = set(re.findall(r"^([\w.-]+)==([^ \n]+)", lock, re.MULTILINE))
    assert {name: version for name, version in installed.items() if (name, version) not in locked}.keys() == {
        "torch-by-hand"
    }
    printed("-c", "from milestones import gpt, lenet, mlp_digits, perceptron, torchperf, xor")
    done = make(given, "test-module", "1")
    assert (done.returncode, done.stderr) == (1, "")
    assert "0 of 15 done" in done.stdout


def test_a_learner_can_work_in_it(given):
    done = given.tool("test-module", "1")
    assert (done.returncode, done.stderr) == (1, "")
    assert "0 of 15 done" in done.stdout
    assert given.tool("progress").returncode == 0
    asked = given.tool("quiz", "1")
    assert (asked.returncode, asked.stderr.count("\n")) == (1, 1)
    later = given.tool("test-module", "3")
    assert later.returncode == 2
    assert later.stderr.endswith("not exported yet: `make test-module 2`\n")
    notebook = given.root / "modules" / "01_tensor" / "tensor.ipynb"
    fresh = notebook.read_text()
    notebook.write_text("{")
    done = given.tool("submit", "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "modules/01_tensor/tensor.ipynb: this is not a notebook: it is not JSON\n"
    assert given.tool("reset", "1").returncode == 0
    assert notebook.read_text() == fresh


@pytest.mark.parametrize("place", [None, ".", "modules"])
def test_a_folder_that_is_there_is_not_touched(place, monkeypatch):
    monkeypatch.chdir(ROOT)
    with pytest.raises(CourseError):
        release_students.release_students(place)


def test_what_is_handed_in_is_the_notebook_and_the_time(learner, write_stub, capsys):
    write_stub("activations", "scale")
    module = learner.course.find("activations")
    submit.submit(module)
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("02 Activations: 1 of 2 stubs written, 0 of them passed their tests")
    assert said[1:3] == ["  scale: not known to pass", "  quadruple: not written"]
    pack = learner.root / said[-1].partition(":")[0]
    with zipfile.ZipFile(pack) as archive:
        assert sorted(archive.namelist()) == [
            "02_activations/activations.ipynb",
            "02_activations/timestamp.txt",
        ]
        assert archive.read("02_activations/activations.ipynb") == module.notebook.read_bytes()
        archive.extractall(learner.root / "autograder" / "submitted" / "ada")
    shutil.rmtree(learner.root / "autograder")


def test_a_notebook_that_does_not_compile_is_not_packed(learner, write_stub):
    write_stub("activations", "scale", cell="#| export\nclass Scale(:")
    with pytest.raises(CourseError, match=r"cell \d+ \(scale\), line 2: invalid syntax"):
        submit.submit(learner.course.find("activations"))
    assert not (learner.root / "build" / "submissions").exists()
