"""The Makefile: a module by each of its names, and what it says where there is none."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ruff.__main__ import find_ruff_bin

from autograder.course import load
from benchmarks import memory

ROOT = Path(__file__).parents[2]
LISTED = re.compile(r"^(to .*):\n((?:  .*\n)+)", re.MULTILINE)


def test_make_alone_prints_every_command_with_a_sentence(make):
    lines = make().stdout.splitlines()
    assert [line.split()[:2] for line in lines][:3] == [["To", "learn"], ["make", "setup"], ["make", "start"]]
    makefiles = [
        (ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "autograder/class/Makefile")
    ]
    goals = " ".join(re.findall(r"^.PHONY: (.*)$", "\n".join(makefiles), re.MULTILINE)).split()
    listed = [line for line in lines if line.startswith("make ")]
    assert sorted(line.split()[1] for line in listed) == sorted({*goals} - {"help"})
    assert all(len(line.split()) > 4 for line in listed)
    assert [line for line in lines if line not in [*listed, ""]] == [
        "To learn",
        "To look ahead, with the solutions at hand",
        "To teach",
        "To write",
    ]


def test_the_tools_list_the_same_commands_in_the_same_groups(make):
    said = subprocess.run(
        [sys.executable, "-m", "autograder", "-h"], cwd=ROOT, capture_output=True, text=True
    )
    listed = {
        title: re.findall(r"^  (\S+)", text, re.MULTILINE) for title, text in LISTED.findall(said.stdout)
    }
    of_make, title = {}, ""
    for line in make().stdout.splitlines():
        if not line.startswith("make "):
            title = line.lower() or title
        elif any(line.split()[1] in verbs for verbs in listed.values()):  # the others are make's alone
            of_make.setdefault(title, []).append(line.split()[1])
    assert listed == of_make


@pytest.mark.parametrize("key", ["3", "03", "layers", "03_layers", "N=3"])
@pytest.mark.parametrize(
    "verb", ["test-module", "export", "catch-up", "reset", "start", "grade", "release", "mutants"]
)
def test_a_command_takes_a_module_by_each_of_its_names(make, verb, key):
    done = make("-n", verb, key)
    assert done.returncode == 0
    wanted = f".venv/bin/python -m autograder {verb} {key.removeprefix('N=')}"
    assert done.stdout.splitlines()[0].rstrip() == wanted


def test_the_stub_that_is_to_be_explained_may_be_named(make):
    assert make("-n", "test-module", "3", "stub=dropout").stdout.splitlines()[0].endswith(" 3 --stub=dropout")


def test_grading_takes_a_student_a_cluster_and_workers(make):
    line = make(
        "-n", "grade", "3", "STUDENT=o'neil, ann", "SCHEDULER=tcp://a:1", "WORKERS=2"
    ).stdout.splitlines()[0]
    assert line.endswith(r"""grade 3 --student='o'\''neil, ann' --scheduler=tcp://a:1 --workers=2""")


WRONG = [[], ["42"], ["foo"], ["cache"], ["N=42"], ["%"]]
VERBS = ["submit", "export", "catch-up", "reset", "start", "grade"]
CASES = [(verb, keys) for verb in VERBS for keys in [*WRONG, ["3", "4"], ["3", "test"]]]


@pytest.mark.parametrize(("verb", "keys"), [*CASES, *[("test-module", keys) for keys in WRONG]])
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


@pytest.mark.parametrize("verb", ["test-module", "hint"])
def test_a_second_word_is_the_stub_which_is_named_once(make, verb):
    for words in (["3", "module", "linear"], ["3", "module", "stub=linear"]):
        done = make(verb, *words)
        assert done.returncode == 2
        assert done.stderr.startswith(f"{verb} takes one module: 1 tensor, 2 activations, ")


@pytest.mark.parametrize("verb", ["release", "mutants"])
def test_a_command_for_all_needs_no_module_but_refuses_an_unknown_one(make, verb):
    assert make("-n", verb).stdout == f".venv/bin/python -m autograder {verb} \n"
    assert make(verb, "42").returncode == 2


def test_every_mechanical_change_may_be_asked_for(make):
    assert make("-n", "mutants", "3", "ALL=1").stdout.splitlines()[0].endswith(" mutants --all 3")


@pytest.mark.parametrize("flags", [[], ["-s"], ["-j2"], ["--no-print-directory"]])
@pytest.mark.parametrize("status", [0, 1, 2])
def test_a_status_is_makes_too_and_a_stub_that_is_not_done_is_no_error_of_makes(make, status, flags):
    script = f"#!/bin/sh\necho 0 of 13 done $MAKEFLAGS\nexit {status}\n"
    make.scratch.write(".venv/bin/python", script).chmod(0o755)
    done = make(*flags, "test-module", "3")
    assert (done.returncode, done.stdout) == (status, "0 of 13 done\n")
    assert done.stderr.endswith("test-module] Error 2\n") if status == 2 else done.stderr == ""


def test_what_is_not_installed_is_installed_first_for_a_command_that_takes_a_module_too(make):
    (make.scratch.root / ".venv/.installed").unlink()
    done = make("test-module", "3", "PYTHON=false")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(".installed] Error 2\n")


@pytest.mark.parametrize("verb", ["progress", "demo", "reference"])
@pytest.mark.parametrize("variables", [{"N": "5"}, {}])
def test_a_command_that_takes_no_module_is_given_none(make, verb, variables):
    for done in (make("-n", verb, **variables), make("-n", verb, "N=5")):
        assert done.stdout == f".venv/bin/python -m autograder {verb}\n"


def test_a_module_in_the_environment_is_not_meant(make):
    assert "takes one module" in make("export", N="5").stderr
    assert make("-n", "mutants", N="5").stdout == ".venv/bin/python -m autograder mutants \n"


def test_a_milestone_is_named(make):
    assert make("-n", "milestone", "xor").stdout.splitlines()[0] == ".venv/bin/python -m milestones xor"
    done = make("milestone", "chess")
    assert done.returncode == 2
    assert "milestone takes one of " in done.stderr


def test_an_unknown_command_is_none(make):
    assert make("tests", "3").returncode == 2


def test_nothing_is_installed_again_until_the_lock_changes(make):
    lock, installed = (make.scratch.root / name for name in ("requirements.lock", ".venv/.installed"))
    os.utime(lock, (10, 10)), os.utime(installed, (20, 20))
    assert "Nothing to be done" in make("-n", "setup").stdout
    os.utime(lock, (30, 30))
    assert "pip install" in make("-n", "setup").stdout


def test_the_set_up_names_no_folder_that_could_have_an_apostrophe_in_it(make):
    (make.scratch.root / ".venv/.installed").unlink()
    recipe = make("-n", "setup").stdout
    assert "--constraint requirements.lock --editable . --group dev" in recipe
    assert str(make.scratch.root) not in recipe


def test_a_gpu_gets_the_compilers_that_its_driver_knows(make):
    newest = make("-n", "gpu").stdout
    assert "--constraint requirements.lock --group gpu" in newest
    assert "uninstall" not in newest
    older = make("-n", "gpu", "CUDA=12").stdout
    assert "numba-cuda[cu12]" in older
    assert "--constraint" not in older
    assert "uninstall --quiet --yes nvidia-nvvm nvidia-cuda-nvrtc" in older, (
        "those of CUDA 13 would be found first"
    )


IMPORTS = """
import numpy as np

import tinytorch
from autograder import course
from tinytorch.layers import Linear

print(np, tinytorch, course, Linear)
"""


def test_what_is_exported_changes_nothing_in_the_lint(make):
    for name in (".gitignore", "pyproject.toml"):
        shutil.copy(ROOT / name, make.scratch.root)
    make.scratch.write(
        ".venv/bin/ruff", f'#!/bin/sh\nRUFF_NO_CACHE=true exec {find_ruff_bin()} "$@"\n'
    ).chmod(0o755)
    subprocess.run(["git", "init", "--quiet"], cwd=make.scratch.root, check=True)
    make.scratch.write("tests/test_imports.py", IMPORTS.strip() + "\n")
    assert (make("lint").returncode, make("lint").stdout) == (0, "")
    make.scratch.write("tinytorch/layers.py", "import sys, os\nclass Linear : x=lambda:0")
    assert (make("lint").returncode, make("lint").stdout) == (0, "")
    make.scratch.edit("tests/test_imports.py", "\nimport tinytorch\n", "import tinytorch\n")
    assert make("lint").returncode == 2


def test_the_benchmarks_measure_the_rows_asked_for(make):
    assert make("-n", "bench", "ROWS=linear").stdout.endswith(" -P -m benchmarks linear\n")
    assert make("-n", "bench").stdout.endswith(" -P -m benchmarks \n")


def test_the_import_that_is_measured_is_that_of_the_reference_and_brings_little(scratch):
    folder = ROOT / "build" / "reference"
    listed = (
        "import sys; before = set(sys.modules); %s; print(*(sys.modules.keys() - before), tinytorch.__file__)"
    )
    # The scratch folder is where it runs, and there nothing has been exported.
    *names, file = scratch.python("-c", listed % memory.IMPORT, PYTHONPATH=str(folder)).stdout.split()
    assert file == str(folder / "tinytorch" / "__init__.py")
    libraries = {name.partition(".")[0] for name in names if "cython" not in name} - sys.stdlib_module_names
    assert libraries <= {"tinytorch", "numpy", "yaml"}
    assert {f"tinytorch.{module.slug}" for module in load(ROOT).modules} & {*names} == {"tinytorch.tensor"}


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
