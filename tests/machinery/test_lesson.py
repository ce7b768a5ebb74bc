"""Lessons: how a source is read, and that each mistake of an author is one line with file and line."""

import pytest

from autograder import lesson as lessons
from autograder.lesson import LessonError

SOURCE = "solutions/03_layers/layers.py"


def test_a_lesson_is_cells_stubs_tests_and_mistakes(lesson):
    read = lessons.read(lesson.course.find(3))
    assert [cell.kind for cell in read.cells] == [
        "prose", "export", "given", "export",
        "prose", "stub", "test", "mistake", "mistake", "mistake",
        "prose", "stub", "test", "mistake", "mistake", "mistake",
        "prose", "export",
    ]  # fmt: skip
    assert [(stub.name, stub.points) for stub in read.stubs] == [("linear-forward", 5), ("linear-class", 3)]
    assert read.points == 8
    forward, layer = read.stubs
    assert forward.tests == ("test_linear_is_a_product", "test_linear_adds_the_bias")
    assert forward.hints[1] == "The matrix product with <code>weight</code> turned over."
    assert forward.regions[0].splitlines()[0] == "    output = input @ weight.T"
    assert [mistake.sentence for mistake in forward.mistakes][1] == "The bias is added twice."
    assert list(layer.mistakes[0].functions) == ["Linear.__call__"]


def test_cells_know_their_lines(lesson):
    text = (lesson.root / SOURCE).read_text().splitlines()
    for cell in lessons.read(lesson.course.find(3)).cells:
        assert text[cell.line - 1].endswith(cell.source.splitlines()[0])


def test_a_lesson_is_read_by_jupytext_once_and_again_when_it_changes(lesson):
    module = lesson.course.find(3)
    lessons.read(module)
    memory = lesson.root / "build" / "lessons" / "03_layers.json"
    before = memory.stat().st_mtime_ns
    lessons.read(module)
    assert memory.stat().st_mtime_ns == before
    lesson.edit(SOURCE, "points=3", "points=4")
    assert lessons.read(module).points == 9


FORWARD = '# %% stub="linear-forward"\n'
SECOND_TEST = '# %% test="linear-class" points=3\n'
BROKEN = [
    (SECOND_TEST, '# %% test="linear-klass" points=3\n', "a test of 'linear-klass', which is no stub above it"),
    (SECOND_TEST, "# %%\n", "the stub 'linear-class' is not followed by its test"),
    (SECOND_TEST, '# %% test="linear-class"\n', "the test of 'linear-class' carries points, a whole number above 0"),
    (SECOND_TEST, '# %% test="linear-class" points=0\n', "the test of 'linear-class' carries points"),
    (SECOND_TEST, '# %% test="linear-class" points="3"\n', "the test of 'linear-class' carries points"),
    (SECOND_TEST, '# %% test="linear-class" pionts=3\n', "a cell is marked stub, test (with points) or mistake"),
    (FORWARD, '# %% stub="linear-forward" points=5\n', "only a test carries points"),
    (FORWARD, '# %% stub="linear-forward" test="linear-forward"\n', "a cell is marked stub, test (with points) or mistake"),
    (FORWARD, '# %% stub="Linear forward"\n', "a stub's name is made of lower-case words and dashes"),
    (FORWARD, '# %% [markdown] stub="linear-forward"\n', "a markdown cell cannot stand here"),
    ("# ## The rest", '# %% mistake="other"\ndef f():\n    """X."""\n', "a mistake of 'other', which is no stub above it"),
    ("# ## The rest", '# %% test="other" points=1\ndef test_f():\n    pass\n', "a test of 'other', which is no stub above it"),
    ('"""The weight is squared."""', "", "has no sentence: its docstring says what is wrong"),
    ("    def __call__(self, input):\n        \"\"\"The sign", "    def call(self, input):\n        \"\"\"The sign",
     "the mistake restates Linear.call, which the stub 'linear-class' does not define"),
    ("<details><summary>Hint</summary>Call <code>linear</code>.</details>", "Nothing.", "no hints (<details>) in the prose"),
    ("        ### BEGIN SOLUTION\n        return linear", "        return linear", "### END SOLUTION has no partner"),
    ("weight)\n        ### END SOLUTION", "weight)", "### BEGIN SOLUTION has no partner"),
    ("        ### BEGIN SOLUTION\n        return linear(input, self.weight)\n        ### END SOLUTION\n", "        pass\n",
     "the stub 'linear-class' has no solution region"),
    ("_registry = OrderedDict()", "### BEGIN SOLUTION", "a solution region outside a stub"),
    ("def test_linear_uses_its_weight()", "def test_linear_uses_its_weight(layer)", "takes no arguments"),
    ("def test_linear_uses_its_weight()", "def check_linear()", "defines no function test_..."),
    ("def test_linear_uses_its_weight()", "def test_linear_is_a_product()", "a second test function 'test_linear_is_a_product'"),
    ("[[2, 2]], rtol=1e-6)\n", "[[2, 2]], rtol=1e-6)\n\n\ntest_linear_uses_its_weight()\n",
     "a test cell only defines; the release step adds the calls"),
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


def test_fewer_than_three_mistakes_are_too_few(lesson):
    lesson.edit(
        SOURCE,
        '"""The sign is turned."""\n        return -linear(input, self.weight)',
        '"""Same."""\n        pass',
    )
    text = (lesson.root / SOURCE).read_text()
    cells = text.split("\n\n\n# %% ")
    lesson.write(SOURCE, "\n\n\n# %% ".join(cell for cell in cells if "Same." not in cell))
    with pytest.raises(LessonError, match=r"2 planted mistakes of 'linear-class', at least 3 wanted"):
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
