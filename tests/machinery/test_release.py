"""The release: notebooks and tests for learners, deterministic, with nothing in them that gives an answer away."""

import itertools
import json
import subprocess
from pathlib import Path

import nbformat
import pytest

from autograder import course as courses
from autograder import files, notebook_stubs, release
from autograder import lesson as lessons
from autograder.lesson import LessonError

ROOT = Path(__file__).parents[2]
SOURCE = "solutions/03_layers/layers.py"
NOTEBOOK = "modules/03_layers/layers.ipynb"
TESTS = "modules/03_layers/test_layers.py"


@pytest.fixture
def released(lesson):
    release.release(lesson.course, [lesson.course.find(3)])
    return lesson


def cells(scratch, place=NOTEBOOK):
    return {cell.id: cell for cell in nbformat.read(scratch.root / place, as_version=4).cells}


def test_modules_are_what_release_makes_from_solutions():
    assert release.check(courses.load(ROOT)) == []


def test_a_released_notebook_is_valid_and_is_its_module_below_the_title(released):
    notebook = nbformat.read(released.root / NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert notebook.cells[0].source.startswith("# 03 Layers")
    assert notebook.cells[1].source == "%load_ext tinytorch.notebook\n%module layers"
    assert notebook.metadata.kernelspec.name == "python3"


def test_cells_carry_nbgraders_metadata(released):
    kinds = {
        name: {
            key: cell.metadata.nbgrader[key]
            for key in ("grade", "solution", "locked", "task", "schema_version")
        }
        for name, cell in cells(released).items()
        if cell.cell_type == "code"
    }
    common = {"task": False, "schema_version": 3}
    assert kinds["linear-forward"] == common | {"grade": False, "solution": True, "locked": False}
    assert kinds["test-linear-forward"] == common | {"grade": True, "solution": False, "locked": True}
    given = [kind for name, kind in kinds.items() if name.startswith(("given", "export"))]
    assert len(given) == 5
    assert all(kind == common | {"grade": False, "solution": False, "locked": True} for kind in given)
    points = {n: c.metadata.nbgrader.points for n, c in cells(released).items() if n.startswith("test-")}
    assert points == {"test-linear-forward": 5, "test-linear-class": 3}


def test_a_stub_is_blank_and_a_test_is_run_by_its_magic(released):
    found = cells(released)
    assert found["linear-forward"].source == (
        "#| export\n#| stub: linear-forward, 5 points\n"
        'def linear(input, weight, bias=None):\n    """Apply y = x Wᵀ + b."""\n    raise NotImplementedError'
    )
    test = found["test-linear-forward"].source
    assert test.startswith("%%test linear-forward\ndef test_linear_is_a_product():\n")
    assert not test.endswith(")()")


def test_the_outline_lists_each_stub_and_tests_are_folded(released):
    found = nbformat.read(released.root / NOTEBOOK, as_version=4).cells
    above = {cell.id: before.source for before, cell in itertools.pairwise(found)}
    hint = "<details><summary>Hint 1</summary>Which product turns rows into rows?</details>"
    assert f"\n## linear-forward, 5 points\n{hint}" in above["linear-forward"]
    assert "\n## linear-class, 3 points\n<details>" in above["linear-class"]
    folded = [cell.id for cell in found if cell.metadata.get("jupyter", {}).get("source_hidden")]
    assert folded == ["test-linear-forward", "test-linear-class"]


def test_no_heading_below_a_section_skips_a_level():
    for module in courses.load(ROOT).modules:
        level = 2
        for cell in nbformat.read(ROOT / module.notebook, as_version=4).cells:
            if cell.cell_type == "markdown":
                levels = release.levels(cell.source, level)
                jumps = [(a, b) for a, b in itertools.pairwise(levels) if b > max(a, 2) + 1]
                assert not jumps, f"{module.notebook}: {cell.source[:200]}"
                level = max(levels[-1], 2)


def test_the_solution_notebook_has_the_solutions_and_no_mistakes(released):
    found = cells(released, "solutions/03_layers/layers.ipynb")
    assert "output = input @ weight.T" in found["linear-forward"].source
    assert not any("left out" in cell.source for cell in found.values())


def test_nothing_gives_an_answer_or_a_mistake_away(released):
    for place in (NOTEBOOK, TESTS):
        text = (released.root / place).read_text()
        for secret in ("input @ weight", "SOLUTION", "left out", "mistake", "squared", "HIDDEN"):
            assert secret not in text, place
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells(released).values())


def test_the_test_file_has_what_its_tests_use_and_nothing_else(released):
    text = (released.root / TESTS).read_text()
    head = (
        '"""Tests of module 03, which `make release 3` makes from layers.py."""\n\n'
        "import numpy as np\nimport pytest\n\n"
        "from tinytorch.layers import SINGLE, Linear, linear\n\n"
        "generator = np.random.default_rng(0)\n\n\n"
        "def numbers(*shape):\n    return generator.standard_normal(shape).astype(SINGLE)\n\n\n"
        '@pytest.mark.stub("linear-forward", points=5)\ndef test_linear_is_a_product():\n'
    )
    assert text.startswith(head)
    assert text.count("@pytest.mark.stub") == 3
    assert "math" not in text


def test_the_test_file_passes_against_the_reference(released):
    released.tool("reference")
    reference = str(released.root / "build/reference")
    done = released.python("-m", "pytest", "-q", "-p", "no:cacheprovider", TESTS, PYTHONPATH=reference)
    assert "3 passed" in done.stdout, done.stdout


def test_releasing_twice_gives_the_same_bytes(released):
    places = (NOTEBOOK, TESTS, "solutions/03_layers/layers.ipynb")
    before = [(released.root / place).read_bytes() for place in places]
    release.release(released.course, [released.course.find(3)])
    assert [(released.root / place).read_bytes() for place in places] == before
    assert sorted(path.name for path in (released.root / "modules/03_layers").iterdir()) == [
        "layers.ipynb",
        "test_layers.py",
    ]
    assert not list(released.root.rglob("gradebook.db"))


def test_a_fresh_release_passes_the_check(released):
    assert release.check(released.course) == []


def test_the_check_names_a_source_that_changed(released):
    released.edit(SOURCE, "The idea.", "Another idea.")
    assert release.check(released.course) == [f"{NOTEBOOK}: not what `make release 3` makes"]


def test_the_check_names_a_missing_module(lesson):
    assert release.check(lesson.course) == [
        f"{NOTEBOOK}: not what `make release 3` makes",
        f"{TESTS}: not what `make release 3` makes",
    ]


def test_the_check_names_a_line_of_a_solution_and_a_mistake_that_stand_in_a_release(released):
    read = lessons.read(released.course.find(3))
    text = json.loads((released.root / NOTEBOOK).read_text())
    text["cells"][-1]["source"] = "    output = input @ weight.T\nreturn x"
    text["cells"][-2]["source"] = "Mind that The bias is left out. sometimes"
    text["cells"][-1]["execution_count"] = 1
    assert release.leaks(read, json.dumps(text)) == [
        "has outputs",
        "shows 'output = input @ weight.T'",
        "tells 'The bias is left out.'",
    ]
    assert release.leaks(read, "output = input @ weight.T\n") == ["shows 'output = input @ weight.T'"]


def test_a_line_that_the_lesson_shows_anyway_is_no_leak(released):
    released.edit(SOURCE, "The idea.", "The idea:\n#\n#     output = input @ weight.T\n#")
    read = lessons.read(released.course.find(3))
    assert release.leaks(read, "output = input @ weight.T\n") == []


def test_a_notebook_with_a_learners_work_is_kept_beside_the_new_one(released):
    notebook = released.root / NOTEBOOK
    mine = notebook.read_text().replace("raise NotImplementedError", "return 'mine'", 1)
    notebook.write_text(mine)
    release.release(released.course, [released.course.find(3)])
    (copy,) = notebook.parent.glob("layers.*-*.ipynb")
    assert copy.read_text() == mine
    assert "mine" not in notebook.read_text()


def test_a_notebook_that_git_knows_is_not_kept_twice(released):
    notebook = released.root / NOTEBOOK
    notebook.write_text(notebook.read_text().replace("The idea", "An older idea"))
    (released.root / files.WRITTEN).unlink()
    for command in (["init", "-q"], ["add", NOTEBOOK]):
        subprocess.run(["git", *command], cwd=released.root, check=True)
    release.release(released.course, [released.course.find(3)])
    assert sorted(path.name for path in notebook.parent.iterdir()) == ["layers.ipynb", "test_layers.py"]
    assert "older" not in notebook.read_text()


def test_tests_that_use_what_the_lesson_lacks_are_refused(lesson):
    lesson.edit(SOURCE, "[[2, 2]], rtol=1e-6", "[[2, 2]], rtol=tolerance")
    with pytest.raises(
        LessonError, match=r"layers.py: the tests use tolerance, which the lesson does not define"
    ):
        release.release(lesson.course, [lesson.course.find(3)])
    assert not (lesson.root / "modules").exists()


def test_a_release_of_a_lesson_that_is_not_written_is_one_line(scratch):
    done = scratch.tool("release", "4")
    assert (done.returncode, done.stderr) == (2, "solutions/04_losses/losses.py: not written yet\n")


def test_a_release_without_a_number_makes_every_module_that_is_solved(lesson):
    done = lesson.tool("release")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "modules/03_layers: 2 stubs, 8 points\n"
    assert [path.name for path in (lesson.root / "modules").iterdir()] == ["03_layers"]


IN_WORDS = """# ## Why
#
# Why is a bias added, and not multiplied?

# %% [markdown] answer="why-added" points=4
# Because a sum moves the plane, which a product cannot. One point for the plane.

# %% [markdown]
# ## The rest"""


def test_an_answer_in_words_is_an_empty_place_below_its_question(lesson):
    lesson.edit(SOURCE, "# ## The rest", IN_WORDS)
    read = lessons.read(lesson.course.find(3))
    assert (read.points, read.points_by_hand) == (8, 4)
    release.release(lesson.course, [read.module])
    assert release.check(lesson.course, [read.module]) == []
    found = nbformat.read(lesson.root / NOTEBOOK, as_version=4).cells
    question, place = next(pair for pair in itertools.pairwise(found) if pair[1].id == "why-added")
    assert question.source.endswith("not multiplied?\n\n### why-added, 4 points, marked by your instructor\n")
    assert place.cell_type == "markdown"
    assert place.source == "Write your answer here, in place of this sentence."
    marks = {
        "grade": True,
        "solution": True,
        "locked": False,
        "task": False,
        "points": 4,
        "schema_version": 3,
    }
    assert {key: place.metadata.nbgrader[key] for key in marks} == marks
    assert "moves the plane" in cells(lesson, "solutions/03_layers/layers.ipynb")["why-added"].source
    assert "why-added" not in (lesson.root / TESTS).read_text()
    assert list(notebook_stubs.read(read.module)) == ["linear-forward", "linear-class"]
    place.source = "Because a sum moves the plane, which a product cannot. One point for the plane."
    told = release.leaks(read, nbformat.writes(nbformat.v4.new_notebook(cells=[place])))
    assert told == [f"shows {place.source!r}"]
