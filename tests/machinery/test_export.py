"""The exporter: a notebook becomes a module that reads as if written by hand, or nothing changes."""

import ast
import compileall
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ruff.__main__ import find_ruff_bin

from autograder import course as courses
from autograder import files, reference

ROOT = Path(__file__).parents[2]

NOTEBOOK = "modules/03_layers/layers.ipynb"
PACKAGE = "tinytorch/layers.py"
CELLS = [
    ("markdown", "# 03 Layers\n\nWhat a layer is: \\alpha times\nwhat comes in.\n\nMore."),
    ("code", "%load_ext tinytorch.notebook\n%module layers"),
    ("code", "#| export\nimport numpy as np\nfrom tinytorch.tensor import Tensor\nimport math\n\nHALF = math.pi / 2"),
    ("code", "print(HALF)"),
    ("code", "#| export\nimport numpy as np\nfrom tinytorch.tensor import (\n    Function,\n)\n\ndef linear( x ):\n    # the learner's own words\n    return np.sin(x)\n\n\n#| export\nclass Linear(Function):\n    pass"),
    ("code", "#|export\n_hidden, (shown, also) = 1, (2, 3)\nannotated: int = 4\ndef stub():\n    raise NotImplementedError"),
]  # fmt: skip
EXPORTED = '''# Written from modules/03_layers/layers.ipynb, by `make export 3`: change it there.
r"""Layers.

What a layer is: \\alpha times what comes in.
"""

import math

import numpy as np

from tinytorch.tensor import (
    Function,
    Tensor,
)

__all__ = [
    "HALF", "linear", "Linear", "shown", "also", "annotated", "stub",
]

HALF = math.pi / 2


def linear(x):
    # the learner's own words
    return np.sin(x)


class Linear(Function):
    pass


_hidden, (shown, also) = 1, (2, 3)
annotated: int = 4


def stub():
    raise NotImplementedError
'''


def notebook(*cells: tuple[str, str]) -> str:
    made = [
        {
            "cell_type": kind,
            "metadata": {"nbgrader": {"grade_id": f"cell-{number}"}},
            "source": source.splitlines(True),
        }
        for number, (kind, source) in enumerate(cells, 1)
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_an_export_reads_as_if_written_by_hand(scratch):
    scratch.write(NOTEBOOK, notebook(*CELLS))
    done = scratch.tool("export", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert (scratch.root / PACKAGE).read_text() == EXPORTED


def test_exporting_twice_gives_the_same_bytes_and_leaves_nothing_else(scratch):
    scratch.write(NOTEBOOK, notebook(*CELLS))
    scratch.tool("export", "3")
    first, files = (scratch.root / PACKAGE).read_bytes(), sorted((scratch.root / "tinytorch").iterdir())
    scratch.tool("export", "3")
    assert (scratch.root / PACKAGE).read_bytes() == first
    assert sorted((scratch.root / "tinytorch").iterdir()) == files


def test_an_export_says_what_it_wrote(scratch):
    scratch.write(NOTEBOOK, notebook(*CELLS))
    assert scratch.tool("export", "3").stdout == f"{PACKAGE}: written from {NOTEBOOK}\n"


def kept(scratch) -> list[str]:
    """The copies of the export, oldest first, with their content."""
    return [path.read_text() for path in sorted((scratch.root / "tinytorch").glob("layers.*-*.py"))]


def test_what_was_changed_by_hand_in_an_export_is_kept_beside_it_and_said(scratch):
    scratch.write(NOTEBOOK, notebook(*CELLS))
    scratch.tool("export", "3")
    scratch.write(PACKAGE, f"{EXPORTED}mine = 1\n")
    first, second = scratch.tool("export", "3").stdout.splitlines()
    assert re.fullmatch(
        r"kept tinytorch/layers\.\d{4}-\d\d-\d\d-\d{6}\.py: what you had changed in layers\.py", first
    )
    assert second == f"{PACKAGE}: written from {NOTEBOOK}"
    assert ((scratch.root / PACKAGE).read_text(), kept(scratch)) == (EXPORTED, [f"{EXPORTED}mine = 1\n"])
    scratch.write(NOTEBOOK, notebook(*CELLS, ("code", "#| export\nmore = 1")))
    assert "kept" not in scratch.tool("export", "3").stdout, (
        "nothing was changed by hand since the last export"
    )
    assert len(kept(scratch)) == 1


@pytest.mark.parametrize("record", [None, "{", "{}"])
def test_an_export_that_no_record_knows_is_kept(scratch, record):
    scratch.write(NOTEBOOK, notebook(*CELLS))
    scratch.write(PACKAGE, "mine = 1\n")
    if record:
        scratch.write("build/written.json", record)
    scratch.tool("export", "3")
    assert kept(scratch) == ["mine = 1\n"]


def test_no_copy_takes_the_place_of_another(tmp_path):
    path = tmp_path / "layers.py"
    for number in range(3):
        files.write(path, str(number))
        files.keep(path)
    assert sorted(copy.read_text() for copy in tmp_path.glob("layers.*-*.py")) == ["0", "1", "2"]


def test_what_is_kept_is_no_part_of_the_reference_nor_of_what_git_keeps(lesson):
    copy = files.keep(lesson.write(PACKAGE, "mine = 1\n"))
    assert not (reference.build(lesson.course) / "tinytorch" / copy.name).exists()
    command = ["git", "check-ignore", "-q", f"tinytorch/{copy.name}"]
    assert subprocess.run(command, cwd=ROOT).returncode == 0


def test_what_was_written_in_the_same_second_is_what_is_imported(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    path, printed = tmp_path / "answer.py", []
    for value in ("1", "2"):
        files.write(path, f"print({value})\n")
        os.utime(path, (10**9, 10**9))  # bytecode is known by its source's second and length
        command = [sys.executable, "-c", "import answer"]
        printed.append(subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout.strip())
    assert printed == ["1", "2"]


def test_an_import_that_shares_its_line_stays_where_it_is(scratch):
    scratch.write(NOTEBOOK, notebook(("code", "#| export\nimport os; os.environ['A'] = '1'\nimport sys")))
    assert scratch.tool("export", "3").returncode == 0
    lines = (scratch.root / PACKAGE).read_text().splitlines()
    assert lines.index("import sys") < lines.index("__all__ = []") < lines.index("import os")


REFUSED = [
    (notebook(*CELLS, ("code", "#| export\n\ndef broken(:\n    pass")), 1, f"{NOTEBOOK}, cell 7 (cell-7), line 3: "),
    (notebook(("code", "#| export\nreturn 3")), 1, f"{NOTEBOOK}, cell 1 (cell-1), line 2: 'return' outside function"),
    (notebook(("code", "#| export\nx = 1\ny = %time x")), 1, f"{NOTEBOOK}, cell 1 (cell-1), line 3: a magic or shell line"),
    (notebook(("code", "#| export\n%%bash\nls")), 1, f"{NOTEBOOK}, cell 1 (cell-1), line 2: a magic or shell line"),
    (notebook(("code", "#| export\nx = '\0'")), 1, f"{NOTEBOOK}, cell 1 (cell-1)"),
    (notebook(("code", "x = 1")), 2, f"{NOTEBOOK}: no cell is marked #| export"),
    ("{", 2, f"{NOTEBOOK}: this is not a notebook"),
    ("", 2, f"{NOTEBOOK}: this is not a notebook"),
    ("[1, 2]", 2, f"{NOTEBOOK}: this is not a notebook"),
    ('{"cells": 3}', 2, f"{NOTEBOOK}: this is not a notebook"),
    ('{"cells": [{"metadata": {}, "source": "", "cell_type": "code"}, {}]}', 2, f"{NOTEBOOK}: this is not a notebook: cell 2 is none"),
    ('{"cells": [{"metadata": {}, "source": 3, "cell_type": "code"}]}', 2, f"{NOTEBOOK}: this is not a notebook: cell 1 has no source"),
    (None, 2, f"{NOTEBOOK}: no such notebook"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "code", "line"), REFUSED)
def test_what_cannot_be_exported_is_one_line_and_the_last_good_export_stays(scratch, content, code, line):
    scratch.write(PACKAGE, "good = 1\n")
    if content is not None:
        scratch.write(NOTEBOOK, content)
    done = scratch.tool("export", "3")
    assert done.returncode == code
    assert done.stderr.startswith(line)
    assert done.stderr.count("\n") == 1
    assert (scratch.root / PACKAGE).read_text() == "good = 1\n"


def test_the_reference_is_the_solutions_beside_the_faces(lesson):
    assert lesson.tool("reference").returncode == 0
    reference = lesson.root / "build" / "reference"
    text = (reference / "tinytorch" / "layers.py").read_text()
    assert text.startswith(
        "# Written from solutions/03_layers/layers.py, by `make reference`: change it there.\n"
    )
    assert "SOLUTION" not in text
    assert "#| export" not in text
    assert "The bias is left out" not in text
    names = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    assert names == ["linear", "Linear", "Identity"]
    for face in ("course.yaml", "tinytorch/__init__.py", "tinytorch/nn/functional.py"):
        assert (reference / face).read_bytes() == (lesson.root / face).read_bytes()


def test_the_reference_is_written_again_only_where_a_solution_changed(lesson):
    lesson.write("solutions/01_tensor/tensor.py", "# %%\n#| export\nx = 1\n")
    lesson.tool("reference")
    built = {path: path.stat().st_mtime_ns for path in (lesson.root / "build/reference").rglob("*.py")}
    lesson.edit("solutions/01_tensor/tensor.py", "x = 1", "x = 2")
    lesson.tool("reference")
    changed = [path.name for path, then in built.items() if path.stat().st_mtime_ns != then]
    assert changed == ["tensor.py"]


def test_the_reference_loses_a_module_whose_solution_is_gone(lesson):
    lesson.tool("reference")
    (lesson.root / "solutions/03_layers/layers.py").unlink()
    lesson.tool("reference")
    assert not (lesson.root / "build/reference/tinytorch/layers.py").exists()


def test_the_reference_forgets_a_given_file_that_is_gone_with_its_bytecode(lesson):
    for name in ("topic", "other"):
        lesson.write(f"tinytorch/given/layers/{name}.py", "x = 1\n")
    lesson.write("tinytorch/given/layers/words.txt", "one\n")
    lesson.write("tinytorch/given/layers/__init__.py", "")
    lesson.write("tinytorch/old/__init__.py", "x = 1\n")
    lesson.tool("reference")
    built = lesson.root / "build" / "reference"
    compileall.compile_dir(built, quiet=2)
    kept = {path for path in built.rglob("*") if not {"topic", "words", "old"} & {*names_in(path, built)}}
    shutil.rmtree(lesson.root / "tinytorch" / "old")
    for name in ("topic.py", "words.txt"):
        (lesson.root / "tinytorch/given/layers" / name).unlink()
    assert lesson.tool("reference").returncode == 0
    assert set(built.rglob("*")) == kept


def names_in(path, root):
    """The names of a path's parts below the root, without what follows their first point."""
    return [part.partition(".")[0] for part in path.relative_to(root).parts]


def test_the_reference_never_touches_a_learners_exports(lesson):
    lesson.write(PACKAGE, "mine = 1\n")
    lesson.tool("reference")
    assert (lesson.root / PACKAGE).read_text() == "mine = 1\n"


def test_the_reference_can_stop_below_a_module(lesson):
    lesson.write("solutions/01_tensor/tensor.py", "# %%\n#| export\nx = 1\n")
    lesson.write("tinytorch/given/layers/__init__.py", "")
    built = reference.before(lesson.course, lesson.course.find(3))
    assert (built / "tinytorch/tensor.pyc").exists()
    assert not (built / "tinytorch/tensor.py").exists(), "a submission has no source to quote"
    assert (built / "tinytorch/given/layers").exists()
    assert not [path for path in built.glob("tinytorch/**/layers.*") if path.parent.name != "given"]


def test_one_broken_solution_is_one_line_and_the_others_are_built(lesson):
    lesson.write("solutions/01_tensor/tensor.py", "# %%\n#| export\nx = = 1\n")
    done = lesson.tool("reference")
    assert done.returncode == 2
    assert done.stderr.startswith("solutions/01_tensor/tensor.py:2, line 2: invalid syntax")
    assert done.stderr.count("\n") == 1
    assert (lesson.root / "build/reference/tinytorch/layers.py").exists()


def test_the_reference_uses_no_name_that_it_does_not_define():
    package = reference.build(courses.load(ROOT)) / "tinytorch"
    command = [
        find_ruff_bin(),
        "check",
        "--isolated",
        "--select=F821,F811,F63,F7",
        "--output-format=concise",
        package,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
