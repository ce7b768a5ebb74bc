"""The Makefile: a module by each of its names, and what it says where there is none."""

import os
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
    scratch.write(".venv/.installed", "")
    scratch.write(".venv/bin/python", f'#!/bin/sh\nexec {sys.executable} "$@"\n').chmod(0o755)

    def run(*arguments: str) -> subprocess.CompletedProcess:
        above = {"MAKELEVEL", "MAKEFLAGS", "MFLAGS"}  # of the make that runs these tests, if one does
        environment = {key: value for key, value in os.environ.items() if key not in above}
        environment["PYTHONPATH"] = str(ROOT)
        return subprocess.run(
            ["make", *arguments], cwd=scratch.root, env=environment, capture_output=True, text=True
        )

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
    assert done.stdout.startswith(f".venv/bin/python -m autograder {verb} {key.removeprefix('N=')} ")


@pytest.mark.parametrize("verb", ["test-module", "export", "catch-up", "reset", "start", "grade"])
@pytest.mark.parametrize("keys", [[], ["42"], ["foo"], ["cache"], ["N=42"], ["3", "4"], ["3", "test"], ["%"]])
def test_without_a_module_that_exists_a_line_lists_what_there_is(make, verb, keys):
    done = make(verb, *keys)
    assert done.returncode == 2
    assert done.stdout == ""
    said, end = done.stderr.splitlines()
    wrong = (
        f"{verb} takes one module" if len(keys) != 1 else f"there is no module {keys[0].removeprefix('N=')}"
    )
    assert said.startswith(f"{wrong}: 1 tensor, 2 activations, ")
    assert end.startswith("make: *** ")
    assert end.endswith(" Error 2")


@pytest.mark.parametrize("verb", ["release", "mutants"])
def test_a_command_for_all_needs_no_module_but_refuses_an_unknown_one(make, verb):
    assert make("-n", verb).stdout.startswith(f".venv/bin/python -m autograder {verb}  ")
    assert make(verb, "42").returncode == 2


def test_make_adds_nothing_to_tests_that_failed(make):
    make.scratch.write(".venv/bin/python", "#!/bin/sh\necho 0 of 13 done\nexit 1\n").chmod(0o755)
    done = make("test-module", "3")
    assert (done.returncode, done.stdout, done.stderr) == (1, "0 of 13 done\n", "")


def test_a_milestone_is_named(make):
    assert make("-n", "milestone", "xor").stdout.splitlines()[0] == ".venv/bin/python -m milestones xor"
    done = make("milestone", "chess")
    assert done.returncode == 2
    assert "milestone takes one of " in done.stderr


def test_an_unknown_command_is_none(make):
    assert make("tests", "3").returncode == 2


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
    assert not list(make.scratch.root.glob(".venv/lib"))
