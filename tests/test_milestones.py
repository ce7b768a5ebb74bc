"""The milestones run on the reference: they learn what they are to learn, and draw it."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NAMES = sorted(path.stem for path in (ROOT / "milestones").glob("[a-z]*.py"))
WANTED = {
    "perceptron": 90,
    "xor": 95,
    "mlp_digits": 95,
    "lenet": 97,
    "gpt": 10,
    "torchperf": 100,
}  # percent right, or less than bigrams
SECONDS = 600  # on a machine that is busy


def milestone(*arguments, path=ROOT / "build" / "reference"):
    return subprocess.run(
        [sys.executable, "-P", "-m", "milestones", *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(path), str(ROOT)]), "OPENBLAS_NUM_THREADS": "1"},
        cwd=ROOT, capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip


@pytest.fixture(scope="module", params=WANTED)
def done(request):
    picture = ROOT / "build" / "milestones" / f"{request.param}.png"
    picture.unlink(missing_ok=True)
    done = milestone(request.param)
    assert done.returncode == 0, done.stderr
    done.name, done.picture = request.param, picture
    return done


def test_a_milestone_draws_what_it_learned(done):
    assert done.stdout.splitlines()[-1] == f"picture: {done.picture}"
    picture = done.picture.read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 10_000


def test_a_milestone_learns(done):
    percentages = [float(number) for number in re.findall(r"([\d.]+)%", done.stdout)]
    assert percentages[-1] >= WANTED[done.name]
    if done.name == "xor":
        assert percentages[0] < 75, "one layer cannot learn it"


def test_of_every_milestone_it_is_known_what_it_is_to_learn():
    assert sorted(WANTED) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_milestone_imports_tinytorch_and_what_draws_and_nothing_else(name):
    tree = ast.parse((ROOT / "milestones" / f"{name}.py").read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {place.partition(".")[0] for place in imported} <= {"tinytorch", "matplotlib", "pathlib", "sys"}


@pytest.mark.parametrize("arguments", [[], ["chess"], ["xor", "perceptron"], ["__main__"]])
def test_a_name_that_is_none_is_one_line_that_lists_them(arguments):
    done = milestone(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"milestone takes one of {' '.join(NAMES)}\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_module_that_is_not_built_yet_is_one_line(scratch, name):
    done = milestone(name, path=scratch.root)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"{name}: tinytorch\.[\w.]+ is built in module \d\d \(\w+\)\n", done.stderr)
