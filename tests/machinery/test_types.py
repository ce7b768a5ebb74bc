"""The types of tinytorch's names: current, right about programs that run, and enough to find a mistake and to complete a name."""

import inspect
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jedi
import pytest
from cases import AREAS
from golden import Input

ROOT = Path(__file__).parents[2]
MISTAKES = """import tinytorch as torch
from tinytorch import nn
import tinytorch.nn.functional as F
x = torch.randn(2, 3)
torch.sqare(x)
x.sqare()
nn.Liner(3, 4)
F.rellu(x)
torch.optim.SDG([x], lr=0.1)
torch.zeros(2, dtyp=torch.float32)
torch.zeros(2, dtype="float32")
x.sum(0, keep=True)
torch.cat(x)
torch.softmax("x", 0)
"""
PROGRAMS = ROOT / "tests/reference/programs"


@pytest.fixture(scope="module")
def nothing_exported(tmp_path_factory):
    """What git has of tinytorch, of which no module has been exported."""
    folder = tmp_path_factory.mktemp("fresh")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard", "tinytorch"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for place in filter(None, listed.stdout.split("\0")):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / place, folder / place)
    (folder / "torch").symlink_to(folder / "tinytorch", target_is_directory=True)
    return folder


def mistakes(folder, *paths):
    """What a type checker finds in files: their names, lines and messages."""
    command = [sys.executable, "-m", "pyrefly", "check", "--preset=default", "--output-format=json"]
    command += [f"--search-path={folder}", f"--python-interpreter-path={sys.executable}"]
    command += ["--replace-imports-with-any=matplotlib.*", "--ignore=unbound-name", "--summary=none"]
    done = subprocess.run([*command, *map(str, paths)], cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return [
        (Path(one["path"]).name, one["line"], one["concise_description"])
        for one in json.loads(done.stdout)["errors"]
        if one["severity"] == "error"
    ]


# What the checker does not follow, or the types do not say, in what PyTorch takes.
NOT_SAID = r"`size` in function|\*\[|\*F\.|\*torch\.|__new__|Variable|\._base|np\.from_dlpack"
NOT_SAID += r"|\.(add|sub)\w*\((x, )?(0\.5|2), "  # numbers before tensors, an order of old


def test_the_types_and_the_list_of_operations_are_current():
    command = [sys.executable, "-m", "autograder", "types", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_mistake_on_each_line_is_found_where_nothing_is_exported(nothing_exported):
    program = nothing_exported / "program.py"
    program.write_text(MISTAKES, encoding="utf-8")
    found = mistakes(nothing_exported, program)
    assert {line for _, line, _ in found} == set(range(5, 15)), found


def test_the_milestones_and_programs_written_for_pytorch_have_no_mistakes(nothing_exported):
    found = mistakes(nothing_exported, *(ROOT / "milestones").glob("*.py"), *PROGRAMS.glob("*.py"))
    built = [
        one for one in found if re.search(r"Cannot find module `tinytorch\.\w+`", one[2])
    ]  # when it is exported
    assert [one for one in found if one not in built] == []


def test_what_pytorch_takes_is_no_mistake(nothing_exported):
    """The recorded cases that are one expression each, as a program."""
    lines = [
        "import numpy as np",
        "from typing import Any",
        "import tinytorch as torch",
        "from tinytorch import nn",
    ]
    lines += ["import tinytorch.nn.functional as F"]
    for case in (case for area in AREAS.values() for case in area.cases.values() if not case.raises):
        made = inspect.getclosurevars(case.program).nonlocals
        if made.keys() >= {"code", "names", "given"} and made["given"].__name__ == "nothing":
            kinds = [
                "torch.Tensor" if all(isinstance(one, Input) for one in column) else "Any"
                for column in zip(*case.examples)
            ]
            inputs = ", ".join(f"{name}: {kind}" for name, kind in zip(made["names"], kinds))
            lines.append(f"def case({inputs}): return ({made['code'].co_filename[1:-1]})")
    assert len(lines) > 3000
    program = nothing_exported / "cases.py"
    program.write_text("\n".join(lines), encoding="utf-8")
    found = [(message, lines[line - 1]) for _, line, message in mistakes(nothing_exported, program)]
    refused = [" in ".join(one) for one in found if not re.search(NOT_SAID, " ".join(one))]
    assert not refused, "\n".join(refused)


def test_the_types_themselves_have_no_mistakes(nothing_exported):
    found = mistakes(nothing_exported, *(nothing_exported / "tinytorch").rglob("*.pyi"))
    assert [one for one in found if "overrides parent class" not in one[2]] == []


@pytest.mark.parametrize(
    "text, name",
    [
        ("torch.nn.func", "functional"),
        ("torch.nn.functional.leaky", "leaky_relu"),
        ("torch.optim.lr_scheduler.Cos", "CosineAnnealingLR"),
        ("torch.zeros(2).unsq", "unsqueeze"),
        ("torch.nn.Linear(2, 3).wei", "weight"),
        ("torch.nn.Linear(2, 3).load_st", "load_state_dict"),
    ],
)
def test_names_complete_where_nothing_is_exported(nothing_exported, text, name):
    script = jedi.Script(f"import tinytorch as torch\n{text}", project=jedi.Project(nothing_exported))
    assert name in [each.name for each in script.complete()]
