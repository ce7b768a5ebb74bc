"""`make demo`: its parts on small lessons; the whole is what the demo itself shows."""

import json
import re

import pytest

from autograder import demo

MILESTONE = """
from pathlib import Path

import tinytorch.activations as own

print("exported from", Path(own.__file__).read_text().split()[3])
print(own.quadruple(2) / 2, "of 4")
"""


@pytest.fixture
def course(learner):
    learner.write("milestones/__init__.py", "")
    learner.write("milestones/__main__.py", "import milestones.mlp_digits\n")
    learner.write("milestones/mlp_digits.py", MILESTONE)
    learner.write("modules/01_tensor/tensor.ipynb", "mine")
    learner.write("tinytorch/tensor.py", "raise RuntimeError('mine')")
    learner.write("build/demo/old", "of the last time")
    return learner


@pytest.mark.slow
def test_a_learner_solves_trains_and_is_graded_beside_two_others(course):
    done = course.tool("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^01 Tensors +2 of 2 stubs done, +5 of 5 points", done.stdout, re.MULTILINE)
    assert re.search(r"^03 Layers +2 of 2 stubs done, +8 of 8 points", done.stdout, re.MULTILINE)
    assert "exported from modules/02_activations/activations.ipynb,\n4.0 of 4\n" in done.stdout
    assert "`make milestone chat` fetches the model, 93 MB, once; then it is asked here too" in done.stdout
    rows = {
        line.split()[0]: line.split()[2:] for line in done.stdout.splitlines() if re.match(r"  \d\d ", line)
    }
    assert rows == {"01": ["5", "3", "0", "5"], "02": ["5", "4", "0", "5"], "03": ["8", "5", "0", "8"]}
    assert "gradebook: build/demo/autograder/gradebook.db" in done.stdout
    for student in demo.SHARES:
        record = course.root / "build/demo/autograder/graded" / student / "03_layers.json"
        assert len(json.loads(record.read_text())["stubs"]) == 2
    assert (course.root / "build/demo/autograder/gradebook.db").exists()
    # What is the learner's own stays as it was.
    assert (course.root / "modules/01_tensor/tensor.ipynb").read_text() == "mine"
    assert (course.root / "tinytorch/tensor.py").read_text() == "raise RuntimeError('mine')"
    assert not (course.root / "build/demo/old").exists()
    assert not (course.root / "autograder").exists()


@pytest.mark.parametrize(
    ("milestone", "graded", "code"), [("", True, 0), ("exit(1)", True, 1), ("", False, 1)]
)
def test_what_does_not_come_out_as_it_should_is_the_exit_status(course, monkeypatch, milestone, graded, code):
    course.write("milestones/mlp_digits.py", milestone)
    monkeypatch.setattr(demo, "grade", lambda *arguments: graded)
    monkeypatch.chdir(course.root)
    assert demo.run() == code


def test_a_stub_that_its_tests_refuse_is_the_exit_status(course, monkeypatch):
    course.edit("solutions/01_tensor/tensor.py", "return double(x) + np.asarray(x)", "return double(x)")
    monkeypatch.setattr(demo, "grade", lambda *arguments: True)
    monkeypatch.chdir(course.root)
    assert demo.run() == 1


def test_the_model_is_asked_where_its_file_is(course, monkeypatch, capfd):
    course.write("build/milestones/SmolLM2-small.gguf", "")
    course.write("milestones/__main__.py", "import sys\nprint(*sys.argv[1:])\n")
    monkeypatch.setattr(demo, "grade", lambda *arguments: True)
    monkeypatch.chdir(course.root)
    assert demo.run() == 0
    assert f"chat --max-tokens 60 {demo.QUESTION}" in capfd.readouterr().out


def test_without_solutions_the_demo_is_one_line(scratch):
    done = scratch.tool("demo")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "the demo solves the modules from solutions/, and there is none here\n"
