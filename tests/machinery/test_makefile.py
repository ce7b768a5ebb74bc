"""The Makefile: a module by each of its names, and one line where there is none."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def make(scratch):
    """Run make in the scratch course, where everything is installed."""
    shutil.copy(ROOT / "Makefile", scratch.root)
    scratch.write("requirements.lock", "")
    scratch.write("milestones/1969_xor.py", "")
    scratch.write(".venv/.installed", "")

    def run(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(["make", *arguments], cwd=scratch.root, capture_output=True, text=True)

    run.scratch = scratch
    return run


def test_make_alone_prints_every_command_with_a_sentence(make):
    lines = make().stdout.splitlines()
    assert [line.split()[:2] for line in lines][:3] == [
        ["make", "setup"],
        ["make", "start"],
        ["make", "test-module"],
    ]
    assert len(lines) == 17
    assert all(len(line.split()) > 4 for line in lines)


@pytest.mark.parametrize("key", ["3", "03", "layers", "03_layers", "N=3"])
@pytest.mark.parametrize(
    "verb", ["test-module", "export", "catch-up", "reset", "start", "grade", "release", "mutants"]
)
def test_a_command_takes_a_module_by_each_of_its_names(make, verb, key):
    done = make("-n", verb, key)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == f".venv/bin/python -m autograder {verb} {key.removeprefix('N=')}"


@pytest.mark.parametrize("verb", ["test-module", "export", "catch-up", "reset", "start", "grade"])
@pytest.mark.parametrize("keys", [[], ["42"], ["foo"], ["cache"], ["N=42"], ["3", "4"], ["3", "test"], ["%"]])
def test_without_a_module_that_exists_one_line_lists_what_there_is(make, verb, keys):
    done = make(verb, *keys)
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"{verb} takes one of 1:tensor 2:activations" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("verb", ["release", "mutants"])
def test_a_command_for_all_needs_no_module_but_refuses_an_unknown_one(make, verb):
    assert make("-n", verb).stdout.split() == [".venv/bin/python", "-m", "autograder", verb]
    assert make(verb, "42").returncode == 2


def test_a_milestone_is_named(make):
    assert (
        make("-n", "milestone", "1969_xor").stdout.splitlines()[0]
        == ".venv/bin/python -m milestones 1969_xor"
    )
    done = make("milestone", "chess")
    assert done.returncode == 2
    assert "milestone takes one of 1969_xor" in done.stderr


def test_nothing_is_installed_again_until_the_lock_changes(make):
    assert "already" in make("setup").stdout or "Nothing to be done" in make("setup").stdout


def test_an_old_python_is_one_line(make):
    old = f"""#!/bin/sh
exec {sys.executable} -c 'import sys; sys.version_info = (3, 10); sys.version = "3.10.9 (old)"; exec(sys.argv[1])' "$2"
"""
    make.scratch.write("old", old).chmod(0o755)
    (make.scratch.root / ".venv/.installed").unlink()
    done = make("setup", "PYTHON=./old")
    assert done.returncode == 2
    first = done.stderr.splitlines()[0]
    assert first == "Python 3.11 or later is needed, and ./old is 3.10.9: make PYTHON=python3.12"
    assert not list(make.scratch.root.glob(".venv/bin"))
