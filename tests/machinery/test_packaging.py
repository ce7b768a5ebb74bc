"""What is installed: the wheel, used outside the repository, and the lock, asked for every Python and system."""

import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from uv import find_uv_bin

from tests.conftest import ROOT, index_is_reached

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PYTHONS, SYSTEMS = ("3.11", "3.12", "3.13", "3.14"), ("linux", "macos", "windows")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this repository, in which nothing is exported but a module of two lines."""
    root = tmp_path_factory.mktemp("wheel")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = (
        "tinytorch",
        "autograder",
        "milestones",
        "course.yaml",
        "hatch_build.py",
        "pyproject.toml",
        "README.md",
    )
    for place in filter(None, listed.stdout.split("\0")):
        if place.split("/")[0] in (*names, "LICENSE", ".gitignore") and (ROOT / place).exists():
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            (root / place).write_bytes((ROOT / place).read_bytes())
    (root / "tinytorch/layers.py").write_text("def linear():\n    return 'mine'\n", encoding="utf-8")
    (root / "tinytorch/layers.2026-11-22-180718.py").write_text("", encoding="utf-8")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", "dist"]
    done = subprocess.run(build, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return next((root / "dist").glob("*.whl"))


@pytest.mark.slow
def test_the_wheel_has_a_name_of_its_own_and_what_was_exported(wheel):
    assert wheel.name.startswith("torch_by_hand-")
    with zipfile.ZipFile(wheel) as archive:
        places = set(archive.namelist())
    assert {"tinytorch/layers.py", "tinytorch/course.yaml", "tinytorch/data/digits.npz"} <= places
    assert {"tinytorch/py.typed", "tinytorch/__init__.pyi", "tinytorch/nn/functional.pyi"} <= places
    assert {place.split("/")[0].partition("-")[0] for place in places} == {
        "tinytorch",
        "autograder",
        "milestones",
        "torch_by_hand",
    }
    assert not [place for place in places if "/layers.20" in place or "__pycache__" in place]


@pytest.mark.slow
def test_the_wheel_works_outside_the_repository(wheel, tmp_path):
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv/bin/python"
    install = ["-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel]
    done = subprocess.run([sys.executable, *install], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    code = "import tinytorch as torch; print(torch.__file__); print(torch.nn.functional.linear()); torch.zeros(2)"
    environment = {
        "PYTHONPATH": sysconfig.get_path("purelib")
    }  # the libraries, and nothing of this repository
    done = subprocess.run([python, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    place, said = done.stdout.splitlines()
    assert Path(place).is_relative_to(tmp_path)
    assert said == "mine"
    assert done.stderr.endswith("ImportError: tinytorch.zeros is built in module 01 (tensor)\n")


@pytest.mark.slow
def test_the_lock_holds_for_every_python_and_system():
    """Of wheels alone, as a learner installs; the first fills uv's cache for the others."""
    wanted = [(python, system) for python in PYTHONS for system in SYSTEMS]
    found = [resolved(*wanted[0])]
    with ThreadPoolExecutor(4) as pool:
        found += pool.map(lambda each: resolved(*each), wanted[1:])
    locked = set(re.findall(r"^[\w.-]+==[^ \n]+", LOCK, re.MULTILINE))
    for each, lines in zip(wanted, found, strict=True):
        assert {line.partition(" ")[0] for line in lines} <= locked, each
        assert len(lines) > 100, each


def resolved(python, system):
    """What everything of the course resolves to under the lock: from uv's cache, else from the index."""
    command = [
        find_uv_bin(),
        "pip",
        "compile",
        "--quiet",
        "--no-header",
        "--no-annotate",
        "--only-binary=:all:",
    ]
    command += ["--python-version", python, "--python-platform", system, "--group=dev"]
    command += ["--constraint", "requirements.lock", "pyproject.toml"]
    for options in (["--offline"], []):
        done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.splitlines()
    if not index_is_reached():
        pytest.skip("the package index cannot be reached, of which the lock is asked")
    return pytest.fail(f"Python {python} on {system}: {done.stderr}")


def test_the_lock_has_a_version_of_everything_that_is_named_and_names_no_host():
    named = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    beside = ("torch", "chat")  # installed beside the course, a model's package without what it requires
    groups = [each for group, each in named["dependency-groups"].items() if group not in beside]
    wanted = [name for each in (named["project"]["dependencies"], *groups) for name in each]
    names = {re.match(r"[\w.-]+", name)[0].lower() for name in wanted if isinstance(name, str)}
    assert names <= set(re.findall(r"^([a-z0-9_.-]+)==", LOCK, re.MULTILINE))
    assert "://" not in LOCK
