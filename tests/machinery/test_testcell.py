"""`%%test` in a notebook, shown with real kernels and with nbgrader's own Validate button."""

import json
import os
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbgrader.utils import determine_grade
from nbgrader.validator import Validator

from autograder import check, feedback, testcell
from autograder import course as courses
from tests.conftest import Scratch

ROOT = Path(__file__).parents[2]
NOTEBOOK = "modules/01_tensor/tensor.ipynb"
START = "%load_ext tinytorch.notebook\n%module tensor\nimport numpy as np"


class Kernel:
    """Run cells in a kernel beside the notebook of module 01, as JupyterLab does."""

    def __init__(self, folder, *paths):
        self.folder, self.paths = folder, os.pathsep.join(map(str, paths))

    def run(self, *cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTHONPATH", self.paths)
            resources = {"metadata": {"path": str(self.folder)}}
            NotebookClient(
                notebook, timeout=300, startup_timeout=300, resources=resources, allow_errors=True
            ).execute()
        return [cell.outputs for cell in notebook.cells]


def stub(body, name="double", label="double, 3 points"):
    return f"#| export\n#| stub: {label}\ndef {name}(x):\n    {body}"


def said(outputs):
    """What stands below a cell, in lines, and whether it is an error."""
    texts = ["\n".join(o.get("traceback", ())) or o.get("text", "") for o in outputs]
    return "".join(texts).strip().splitlines(), any(o.output_type == "error" for o in outputs)


@pytest.fixture(scope="module")
def course(tmp_path_factory, released_samples) -> Scratch:
    """A course with three lessons, released, of which the first notebook has been opened."""
    scratch = Scratch(tmp_path_factory.mktemp("course"))
    scratch.take("tinytorch")
    for folder in ("solutions", "modules"):
        shutil.copytree(released_samples / folder, scratch.root / folder)
    check.keep_released(scratch.course, scratch.course.find(1))
    return scratch


CELLS = [  # what is run, what is said then, and whether the cell ends in an error
    ("{test}", ["double: run the stub's cell first, which defines double"], True),
    (stub("raise NotImplementedError"), [], False),
    ("{test}", ["double: not started"], True),
    (stub("return np.asarray(x) ** 2"), [], False),
    ("{test}", [
        "fails      double: double of an array",
        "asked      twice each number",
        "came back  Mismatched elements: 1 / 2 (50%)",
        "           got: array([1, 4])",
        "           wanted: array([2, 4])",
        "hint       open the next of the 2, above cell 5 (double)",
    ], True),
    (stub("return np.asarray(x) ** 3"), [], False),
    ("{test}", [..., "hint       open the next of the 2, above cell 5 (double)"], True),
    (stub("return x.nothing"), [], False),
    ("{test}", [
        "fails      double: double of an array",
        "asked      twice each number",
        "came back  AttributeError: 'list' object has no attribute 'nothing'",
        "where      double, cell 5 (double): return x.nothing",
        "hint       open the next of the 2, above cell 5 (double)",
    ], True),
    (stub("return double(x)", "triple", "triple, 2 points"), [], False),
    ("{other}", [..., "perhaps    because of double, which fails too: fix that first"], True),
    (stub("from time import sleep\n    while True:\n        try: sleep(1)\n        except Exception: pass"), [], False),
    ("import autograder.limits; autograder.limits.SECONDS = 1", [], False),
    ("{test}", [..., "came back  Timeout: still running after 1 seconds: is there a loop that never ends?", ..., ...], True),
    ("autograder.limits.SECONDS = 20", [], False),
    (stub("import pytest; pytest.skip()"), [], False),
    ("{test}", [..., "came back  what a test ran has skipped it, and only a test that passes counts", ..., ...], True),
    (stub("import sys; sys.exit(3)"), [], False),
    ("{test}", [..., "came back  SystemExit: 3", ..., ...], True),
    (stub("import warnings, logging; warnings.warn('w'); logging.warning('l'); return 2 * np.asarray(x) / np.float64(1)"), [], False),
    ("np.log(np.zeros(1)); import warnings; warnings.simplefilter('error')", [...], False),
    ("{test}", [..., ..., "double: done, 3 of 3 points"], False),
    (stub("import os, signal\n    os.kill(os.getpid(), signal.SIGINT)"), [], False),  # as JupyterLab's stop button does
    ("{test}", [
        "interrupted while the tests of double ran",
        "where      double, cell 5 (double): os.kill(os.getpid(), signal.SIGINT)",
    ], True),
    (stub("print('mine')\n    return x"), [], False),
    ("{test}", ["mine", "mine", "fails      double: double of an array", ..., ..., ..., ..., ...], True),
    (stub("return 2 *"), [...], True),
    ("{test}", ["double: the stub's cell is not valid Python yet: fix the error shown below it first"], True),
    (stub("return 2 * np.asarray(x)"), [], False),
    ("{test}", ["double: done, 3 of 3 points"], False),
    ("{test}\n    pass\n\ndef test_more(): pass", [
        "double: done, 3 of 3 points",
        "The tests in this cell are not the released ones, which are what counts.",
    ], False),
    ("%%test double\npass", ["%%test double: this cell has no tests any more"], True),
    ("%%test double\ndef test_it(:\n    pass", ["%%test double: line 2 of this cell: invalid syntax"], True),
    ("%%test duoble\npass", ["%%test duoble: there is no such stub; of module 01 there are double, triple"], True),
    ("%%tets double\npass", ["UsageError: Cell magic `%%tets` not found."], False),
    ("test_double_of_an_array()", [], False),
    ("import sys; print('rich' in sys.modules, 'nbgrader' in sys.modules)", ["False False"], False),
]  # fmt: skip


@pytest.fixture(scope="module")
def outputs(course):
    """The outputs of each of the cells, run in one kernel one after the other."""
    cells = nbformat.read(course.root / NOTEBOOK, as_version=4).cells
    tests = {cell.id: cell.source for cell in cells if cell.id.startswith("test-")}
    sources = [
        cell.replace("{test}", tests["test-double"]).replace("{other}", tests["test-triple"])
        for cell, *_ in CELLS
    ]
    kernel = Kernel((course.root / NOTEBOOK).parent, course.root, ROOT)
    return kernel.run(START, *sources)[1:]


@pytest.fixture(scope="module")
def told(outputs):
    """What stands below each of the cells, and whether it is an error."""
    return list(map(said, outputs))


@pytest.mark.parametrize(
    ("number", "lines", "is_error"),
    [(number, lines, is_error) for number, (_, lines, is_error) in enumerate(CELLS)],
)
def test_a_test_cell_says_what_make_test_module_says_and_ends_in_an_error(told, number, lines, is_error):
    found, ended = told[number]
    assert ended == is_error, "\n".join(found)
    if lines[:1] == [...]:
        found = found[len(found) - len(lines) :]
    assert len(found) == len(lines), "\n".join(found)
    assert [line for line, wanted in zip(found, lines) if wanted not in (line, ...)] == []


def test_a_cell_notes_nothing_for_points_come_from_what_is_exported(course, outputs):
    assert feedback.remembered(course.root) == {}


def test_nbgrader_gives_all_points_for_a_stub_that_is_done_and_none_for_others(course, outputs):
    cells = nbformat.read(course.root / NOTEBOOK, as_version=4).cells
    cell = next(cell for cell in cells if cell.id == "test-double")
    for (source, _, is_error), below in zip(CELLS, outputs):
        if source == "{test}":
            cell.outputs = below
            assert determine_grade(cell) == (0 if is_error else 3, 3)


def test_both_say_the_same(told, course):
    notebook = nbformat.read(course.root / NOTEBOOK, as_version=4)
    place = next(cell for cell in notebook.cells if cell.id == "double")
    place.source = stub("return x.nothing")
    nbformat.write(notebook, course.root / NOTEBOOK)
    shown = course.tool("test-module", "1").stdout.partition("fails")[2].splitlines()
    lines = [
        re.sub(r"^fails +| in( modules.*)?$", "", line.rstrip()) for line in (f"fails{shown[0]}", *shown[1:])
    ]
    below = next(lines for lines, _ in told if any("nothing" in line for line in lines))
    assert [line.strip() for line in lines[:5]] == [
        re.sub("^fails +", "", line.rstrip()).strip() for line in below
    ]


def test_where_there_are_no_notebooks_beside_it_a_cell_is_tested_all_the_same(course, tmp_path):
    """As in the kernel that grades, which finds the earlier modules, and no notebook of this one."""
    shutil.copytree(course.root / "tinytorch", tmp_path / "before" / "tinytorch")
    shutil.copy(course.root / "course.yaml", tmp_path / "before")
    test = "%%test double\ndef test_it():\n    assert double(1) == 2, 'two'"
    cells = [
        START,
        stub("return 2 * x"),
        test,
        stub("return x"),
        test,
        stub("raise NotImplementedError"),
        test,
    ]
    shown = Kernel(tmp_path, tmp_path / "before", ROOT).run(*cells)
    assert said(shown[2]) == (["double: done"], False)
    assert said(shown[4]) == (
        ["fails      double: it", "asked      two", "came back  got: 1", "           wanted: 2"],
        True,
    )
    assert said(shown[6]) == (["double: not started"], True)
    assert not (tmp_path / "build").exists()


def test_without_the_tools_and_without_a_module_it_is_one_line(course, tmp_path):
    course.write("none/autograder/__init__.py", "raise ModuleNotFoundError(\"No module named 'autograder'\")")
    test = "%%test double\npass"
    shown = Kernel(tmp_path, course.root / "none", course.root, ROOT).run(
        "%load_ext tinytorch.notebook", test, START, test
    )
    assert said(shown[1]) == (["%%test double: which module is this? Run `%module NAME` first"], True)
    line = "%%test double: No module named 'autograder'. Start the notebook by `make start`"
    assert said(shown[3]) == ([line], True)


def test_nbgraders_validate_names_the_stubs_that_fail(course, tmp_path, monkeypatch, released_samples):
    monkeypatch.setenv("PYTHONPATH", f"{course.root}{os.pathsep}{ROOT}")
    module = courses.load(released_samples).find(1)
    notebook = json.loads(module.source.with_suffix(".ipynb").read_text())
    path = tmp_path / "tensor.ipynb"
    path.write_text(json.dumps(notebook))
    assert "failed" not in Validator().validate(str(path))
    for cell in notebook["cells"]:
        if cell["id"] == "double":
            cell["source"] = stub("return x")
    path.write_text(json.dumps(notebook))
    first, second = Validator().validate(str(path))["failed"]
    assert "asked      twice each number" in first["error"]
    assert "fails      triple: triple of an array" in second["error"]


@pytest.mark.parametrize("module", courses.load(ROOT).with_solutions(), ids=lambda module: module.slug)
def test_released_cells_are_taken_for_the_released_tests(module):
    """Formatting, which differs between notebook and file, changes nothing."""
    cells = json.loads(module.notebook.read_text(encoding="utf-8"))["cells"]
    sources = {cell["id"]: "".join(cell["source"]) for cell in cells}
    released = testcell._released(module.tests.read_text(encoding="utf-8"))
    assert released
    for name, tests in released.items():
        magic, _, source = sources[f"test-{name}"[:64]].partition("\n")
        assert magic == f"%%test {name}"
        assert testcell._dump(source) == tests
