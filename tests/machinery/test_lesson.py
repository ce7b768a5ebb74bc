"""Lessons: how a source is read, and that each mistake of an author is one line with file and line."""

from pathlib import Path

import jupytext
import pytest

from autograder import course as courses
from autograder import lesson as lessons
from autograder.lesson import LessonError
from autograder.variants import Variant

ROOT = Path(__file__).parents[2]
SOURCE = "solutions/03_layers/layers.py"
MISTAKES = "solutions/03_layers/mistakes.py"


def test_a_lesson_is_cells_stubs_tests_and_mistakes(lesson):
    read = lessons.read(lesson.course.find(3))
    assert [cell.kind for cell in read.cells] == [
        "prose", "export", "given", "export",
        "prose", "stub", "test",
        "prose", "stub", "test",
        "prose", "export",
    ]  # fmt: skip
    assert [(stub.name, stub.points) for stub in read.stubs] == [("linear-forward", 5), ("linear-class", 3)]
    assert read.points == 8
    forward, layer = read.stubs
    assert forward.tests == ("test_linear_is_a_product", "test_linear_adds_the_bias")
    assert forward.hints[1] == "The matrix product with <code>weight</code> turned over."
    assert forward.regions[0].splitlines()[0] == "    output = input @ weight.T"
    assert [mistake.sentence for mistake in forward.mistakes][1] == "The bias is added twice."
    assert len(layer.mistakes) == 3


def test_cells_know_their_lines(lesson):
    text = (lesson.root / SOURCE).read_text().splitlines()
    for cell in lessons.read(lesson.course.find(3)).cells:
        assert text[cell.line - 1].endswith(cell.source.splitlines()[0])


@pytest.mark.parametrize("module", courses.load(ROOT).with_solutions(), ids=lambda module: module.slug)
def test_cells_are_those_that_jupytext_reads(module):
    read = jupytext.reads(module.source.read_text(encoding="utf-8"), fmt="py:percent").cells
    ours = lessons.read_cells(module)
    assert [cell.source for cell in ours] == [cell.source for cell in read]
    for cell, theirs in zip(ours, read, strict=True):
        assert cell.is_code == (theirs.cell_type == "code")
        keys = {key: value for key, value in theirs.metadata.items() if key != "lines_to_next_cell"}
        named = {cell.kind: cell.name} if cell.name else {}
        assert keys == named | ({"points": cell.points} if cell.points else {})


FORWARD = '# %% stub="linear-forward"\n'
SECOND_TEST = '# %% test="linear-class" points=3\n'
BROKEN = [
    (SECOND_TEST, '# %% test="linear-klass" points=3\n', "a test of 'linear-klass', which is not a stub above it"),
    (SECOND_TEST, "# %%\n", "the stub 'linear-class' is not followed by its test"),
    (SECOND_TEST, '# %% test="linear-class"\n', "the test of 'linear-class' carries points, a whole number above 0"),
    (SECOND_TEST, '# %% test="linear-class" points=0\n', "the test of 'linear-class' carries points"),
    (SECOND_TEST, '# %% test="linear-class" points="3"\n', "the test of 'linear-class' carries points"),
    (SECOND_TEST, '# %% test="linear-class" pionts=3\n', "a cell is marked stub, or test or answer with points"),
    (FORWARD, '# %% stub="linear-forward" points=5\n', "only a test or an answer carries points"),
    (FORWARD, '# %% stub="linear-forward" test="linear-forward"\n', "a cell is marked stub, or test or answer with points"),
    ("# ## The rest", '# Why?\n\n# %% [markdown] answer="why"\n# So.\n', "the answer 'why' carries points, a whole number above 0"),
    ("# ## The rest", '# Why?\n\n# %% answer="why" points=2\n# So.\n', "a code cell cannot be here"),
    ("# ## The rest", '# Why?\n\n# %% [markdown] answer="linear-class" points=2\n# So.\n', "a second stub or answer 'linear-class'"),
    (SECOND_TEST, '# %% [markdown] answer="why" points=2\n# So.\n\n' + SECOND_TEST, "no question in prose before the answer 'why'"),
    (FORWARD, '# %% stub="Linear forward"\n', "a stub's name is made of lower-case words and dashes"),
    (FORWARD, '# %% [markdown] stub="linear-forward"\n', "a markdown cell cannot be here"),
    ("# ## The rest", '# %% test="other" points=1\ndef test_f():\n    pass\n', "a test of 'other', which is not a stub above it"),
    ("<details><summary>Hint</summary>Call <code>linear</code>.</details>", "Nothing.", "no hints (<details>) in the prose"),
    ("Call <code>linear</code>.", "Call `linear`.", "folded text with a formula or backquotes begins with a blank line"),
    ("        ### BEGIN SOLUTION\n        return linear", "        return linear", "### END SOLUTION has no partner"),
    ("weight)\n        ### END SOLUTION", "weight)", "### BEGIN SOLUTION has no partner"),
    ("        ### BEGIN SOLUTION\n        return linear(input, self.weight)\n        ### END SOLUTION\n", "        pass\n",
     "the stub 'linear-class' has no solution region"),
    ("_registry = OrderedDict()", "### BEGIN SOLUTION", "a solution region outside a stub"),
    ("def test_linear_uses_its_weight()", "def test_linear_uses_its_weight(layer)", "takes no arguments"),
    ("def test_linear_uses_its_weight()", "def check_linear()", "defines no function test_..."),
    ("def test_linear_uses_its_weight()", "def test_linear_is_a_product()", "a second test function 'test_linear_is_a_product'"),
    ("[[2, 2]], rtol=1e-6)\n", "[[2, 2]], rtol=1e-6)\n\n\ntest_linear_uses_its_weight()\n",
     "a test cell only defines; `%%test` runs its tests"),
    ("class Identity:", "class Identity", "expected ':'"),
    ("def linear(input, weight, bias=None):\n    \"\"\"Apply", "def linear(input weight):\n    \"\"\"Apply", "invalid syntax"),
    ('stub="linear-class"\n#| export\n', 'stub="linear-class"\n', "the stub 'linear-class' is not marked #| export"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "sentence"), BROKEN)
def test_an_authors_mistake_is_one_line_with_file_and_line(lesson, old, new, sentence):
    lesson.edit(SOURCE, old, new)
    with pytest.raises(LessonError) as caught:
        lessons.read(lesson.course.find(3))
    place, _, said = str(caught.value).partition(": ")
    assert sentence in said
    assert place.startswith(f"{SOURCE}:")
    assert 0 < int(place.rpartition(":")[2]) <= len((lesson.root / SOURCE).read_text().splitlines())
    assert "\n" not in said


PLANTED = [
    ('"linear-class": """', '"linear-klass": """', 1, "'linear-klass' is no stub of the lesson"),
    ("+ return input\n", "return input\n", 17, "a line of a patch begins with `+ `, `- ` or two spaces, not 'return input'"),
    ("        + return input\n", "", 16, "a sentence, and below it the lines of its patch, are wanted"),
    ("        The input comes back.\n", "", 16, "a sentence, and below it the lines of its patch, are wanted"),
    ("- return output", "- return outputs", 8, "'return outputs if bias is None else output + bias' and what follows stands 0 times in the stub"),
    ("self.weight**2)", "self.weight**2", 19, "'(' was never closed"),
    ("comes back.", "comes back. (hint 2)", 16, "hint 2 of 'linear-class', which has 1"),
    ("left out.", "left out. (hint 0)", 5, "hint 0 of 'linear-forward', which has 2"),
    ("left out.", "left out. (hint two)", 5, "a sentence ends in `(hint 2)` or has none, not 'The bias is left out. (hint two)'"),
    ("left out.", "left (hint 1) out.", 5, "a sentence ends in `(hint 2)` or has none, not 'The bias is left (hint 1) out.'"),
    ("MISTAKES = {", "MISTAKES = [", 3, "closing parenthesis '}' does not match opening parenthesis '['"),
    ("MISTAKES = {", "MISTAKES == {", 1, "it holds one dictionary, from stubs' names to text"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "sentence"), PLANTED)
def test_a_planted_mistake_that_cannot_be_planted_is_one_line_with_file_and_line(
    lesson, old, new, line, sentence
):
    lesson.edit(MISTAKES, old, new)
    with pytest.raises(LessonError) as caught:
        lessons.read(lesson.course.find(3))
    place, _, said = str(caught.value).partition(": ")
    assert said.startswith(sentence)
    assert place.rpartition(":")[0] == MISTAKES
    if "parenthesis" not in sentence:
        assert int(place.rpartition(":")[2]) == line


def test_a_patch_changes_its_lines_where_they_stand_and_no_others():
    cell = "class A:\n    def f(self):\n        a = 1\n\n        b = 2\n        return a\n\n    def g(self):\n        return 2"

    def patched(*patch):
        return Variant("", 1, patch).put_into(cell)

    assert patched("- a = 1", "+ a = 3") == cell.replace("a = 1", "a = 3")
    assert patched("  a = 1", "-", "- b = 2", "+ if a:", "+     b = 3") == cell.replace(
        "a = 1\n\n        b = 2", "a = 1\n        if a:\n            b = 3"
    )
    both = patched("- return 2", "+ return 1", "...", "- a = 1", "+ return 2")
    assert both == cell.replace("return 2", "return 1").replace("a = 1", "return 2")
    with pytest.raises(ValueError, match="stands 0 times"):
        patched("- a = 1", "- b = 2", "+ b = 3")
    with pytest.raises(ValueError, match="another answer needs one solution region"):
        patched("+ return 1")


def test_fewer_than_three_mistakes_are_too_few(lesson):
    lesson.edit(MISTAKES, "        The sign is turned.\n        + return -linear(input, self.weight)\n", "")
    with pytest.raises(LessonError, match=r"2 planted mistakes of 'linear-class', at least 3 wanted"):
        lessons.read(lesson.course.find(3))


def test_mistakes_that_are_not_written_are_one_line(lesson):
    (lesson.root / MISTAKES).unlink()
    with pytest.raises(LessonError, match=r"solutions/03_layers/mistakes.py: not written yet"):
        lessons.read(lesson.course.find(3))


def test_two_stubs_of_one_name_are_refused(lesson):
    text = (lesson.root / SOURCE).read_text()
    lesson.write(SOURCE, text.replace('"linear-class"', '"linear-forward"'))
    with pytest.raises(LessonError, match=r"a second stub 'linear-forward'"):
        lessons.read(lesson.course.find(3))


def test_a_lesson_that_is_not_written_is_one_line(scratch):
    with pytest.raises(LessonError, match=r"solutions/03_layers/layers.py: not written yet"):
        lessons.read(scratch.course.find(3))


def test_text_before_the_first_cell_is_refused(lesson):
    lesson.write(SOURCE, "import os\n\n" + (lesson.root / SOURCE).read_text())
    with pytest.raises(LessonError, match=r"layers.py:1: a lesson begins with a cell"):
        lessons.read(lesson.course.find(3))
