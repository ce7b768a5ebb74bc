"""Planted mistakes: the ones that survive are named, and so are tests that cannot fail."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from autograder import lesson as lessons
from autograder import mechanical_mutants, mutants

pytestmark = pytest.mark.slow  # each grades a lesson several times
SOURCE = "solutions/03_layers/layers.py"
MISTAKES = "solutions/03_layers/mistakes.py"
TURNED = "+ return -linear(input, self.weight)"


def test_every_mistake_of_the_sample_is_caught(lesson):
    done = lesson.tool("mutants", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    mistakes, changes = done.stdout.splitlines()
    assert mistakes.startswith("03_layers: 6 mistakes in 2 stubs, every one caught")
    assert changes == "03_layers: 4 of 4 mechanical changes caught, none listed as making no difference"


def test_a_mistake_that_survives_is_named_with_its_stub_and_sentence(lesson):
    lesson.edit(MISTAKES, "output + 2 * bias", "bias + output")
    done = lesson.tool("mutants")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("03_layers: linear-forward: survives: line ")
    assert lines[0].endswith(": The bias is added twice.")
    assert lines[1].startswith("03_layers: 6 mistakes in 2 stubs, 1 problems")


def test_fingerprints_of_an_earlier_lesson_are_named_and_left_by_a_check(lesson):
    lesson.edit(MISTAKES, "The bias is added twice.", "The bias is counted twice.")
    path = lesson.root / "modules/03_layers/mistakes.json"
    checked = lesson.tool("mutants", "--check", "3")
    assert checked.returncode == 1
    assert not path.exists()
    assert "03_layers: mistakes.json was made from an earlier lesson: `make mutants 3`\n" in checked.stdout
    assert lesson.tool("mutants", "3").returncode == 0
    assert path.exists()
    assert lesson.tool("mutants", "--check", "3").returncode == 0
    written = path.read_bytes()
    lesson.edit(MISTAKES, "The bias is counted twice.", "The bias is added again.")
    assert lesson.tool("mutants", "--check", "3").returncode == 1
    assert path.read_bytes() == written


def test_a_mistake_that_hangs_is_caught(lesson):
    lesson.edit(MISTAKES, TURNED, "+ while True:\n        +     pass")
    lesson.tool("reference")
    path = os.pathsep.join([str(lesson.root / "build/reference"), str(Path(mutants.__file__).parents[1])])
    code = "from autograder import mutants; mutants.SECONDS = 1; mutants.main(['layers'])"
    done = lesson.python("-c", code, PYTHONPATH=path)
    assert done.stdout.startswith("03_layers: 6 mistakes in 2 stubs, every one caught"), (
        done.stdout + done.stderr
    )


def test_a_test_that_cannot_fail_is_named(lesson):
    lesson.edit(
        SOURCE,
        "    np.testing.assert_allclose(layer(np.ones((1, 4), SINGLE)), [[2, 2]], rtol=1e-6)",
        "    assert layer",
    )
    done = lesson.tool("mutants", "3")
    assert done.returncode == 1
    assert "03_layers: linear-class: survives: untouched\n" in done.stdout
    assert "03_layers: linear-class: survives: untouched alone\n" in done.stdout
    survivors = [line for line in done.stdout.splitlines() if "linear-class: survives: line " in line]
    assert len([line for line in survivors if " -> " not in line]) == 3  # the others are mechanical


def test_a_solution_that_fails_its_own_tests_is_named(lesson):
    lesson.edit(SOURCE, "[[2, 2]], rtol", "[[2, 3]], rtol")
    done = lesson.tool("mutants", "3")
    assert done.returncode == 1
    assert "03_layers: linear-class: the solution fails AssertionError: " in done.stdout


def test_a_mistake_that_is_broken_rather_than_wrong_is_named(lesson):
    lesson.edit(MISTAKES, TURNED, TURNED.replace("input", "inputs"))
    done = lesson.tool("mutants", "3")
    assert done.returncode == 1
    assert "03_layers: linear-class: is broken, not wrong: line " in done.stdout


def test_a_lesson_whose_untouched_notebook_cannot_be_imported_is_named(lesson):
    lesson.edit(SOURCE, "_registry = OrderedDict()", "_registry = linear(np.ones((1, 1)), np.ones((1, 1)))")
    done = lesson.tool("mutants", "3")
    assert done.returncode == 1
    assert "03_layers: untouched: cannot be imported: NotImplementedError" in done.stdout


def test_a_mistake_that_kills_its_process_is_caught(lesson):
    lesson.edit(MISTAKES, TURNED, "+ import os\n        +\n        + os._exit(0)")
    for _ in range(2):  # at first each in a process of its own; then those of a stub, which are known, in one
        done = lesson.tool("mutants", "3")
        assert done.stdout.startswith("03_layers: 6 mistakes in 2 stubs, every one caught, 5 recognised"), (
            done.stdout + done.stderr
        )


def test_another_right_answer_passes_and_a_wrong_one_is_named(lesson):
    answers = 'ANSWERS = {\n    "linear-forward": """\n        By einsum.\n        + %s\n    """,\n}\n'
    right = 'return np.einsum("...i,oi->...o", input, weight) + (0 if bias is None else bias)'
    lesson.write("solutions/03_layers/answers.py", answers % right)
    assert lesson.tool("mutants", "3").returncode == 0
    lesson.write("solutions/03_layers/answers.py", answers % right.replace("0 if", "1 if"))
    done = lesson.tool("mutants", "3")
    assert done.returncode == 1
    assert "03_layers: linear-forward: line 3 of the answers: By einsum. fails " in done.stdout


OLD = "return output if bias is None else output + bias"
LISTED = f'''EQUIVALENT = {{
    "linear-forward": """
        Only zeros are added.
        - {OLD}
        + {OLD.replace("+", "-")}
    """,
}}
'''


@pytest.fixture
def weak(lesson):
    """The tests try no bias but zeros, from which `output - bias` cannot be told."""
    lesson.edit(
        SOURCE,
        "np.arange(4)) - linear(x, w), [[0, 1, 2, 3]] * 2, atol=1e-5",
        "np.zeros(4)), x @ w.T, rtol=1e-5",
    )
    lesson.edit(MISTAKES, "output + 2 * bias", "output + bias + 1")
    lesson.edit(MISTAKES, "return input @ weight.T\n", "return input @ weight.T + 1\n")
    return lesson


def test_a_mechanical_change_that_survives_is_named_and_fails_the_command_unless_it_is_listed(weak):
    done = weak.tool("mutants", "3", "--all")
    assert done.returncode == 1
    survives = f"03_layers: linear-forward: survives: line 42: {OLD} -> {OLD.replace('+', '-')}\n"
    assert survives in done.stdout, done.stdout + done.stderr
    weak.write("solutions/03_layers/equivalent.py", LISTED)
    done = weak.tool("mutants", "3", "--all")
    assert survives not in done.stdout
    assert done.stdout.endswith(", 1 listed as making no difference\n")


@pytest.fixture
def layers(lesson):
    return lessons.read(lesson.course.find("3"))


def change_of(layers, new):
    return next(change for change in mechanical_mutants.every(layers) if change.new == new)


def test_of_all_changes_99_in_100_are_to_be_caught_and_of_a_sample_each(layers):
    changes = list(mechanical_mutants.every(layers))
    many = [replace(change, line=line) for line in range(200) for change in changes[:1]]
    for everything, alive, wrong in [(True, 2, 0), (True, 3, 3), (False, 1, 1), (False, 0, 0)]:
        found = mechanical_mutants.judge(layers, many, set(many[:alive]), everything)
        assert found.wrong == wrong, found.lines[-1]
        assert len(found.lines) == alive + 1, "each that survives, and the score"


def test_a_listed_change_that_is_caught_or_is_no_change_is_named(lesson, layers):
    lesson.write("solutions/03_layers/equivalent.py", LISTED)
    tried = list(mechanical_mutants.every(layers))
    survivor = change_of(layers, OLD.replace("+", "-"))
    assert mechanical_mutants.judge(layers, tried, {survivor}, True).wrong == 0
    found = mechanical_mutants.judge(layers, tried, set(), True)
    assert found.wrong == 1
    assert found.lines[0].startswith("linear-forward: equivalent.py:5: is caught: return output if bias ")
    lesson.write("solutions/03_layers/equivalent.py", LISTED.replace("output - bias", "output * bias"))
    found = mechanical_mutants.judge(layers, tried, set(), True)
    assert found.wrong == 1
    assert found.lines[0].startswith("linear-forward: equivalent.py:5: is no change: return output if bias ")


def test_the_sample_is_the_same_in_every_run_and_part_of_all(layers):
    sample = [change.key for change in mechanical_mutants.sample(layers)]
    assert len(set(sample)) == len(sample) == 4
    assert sample == [change.key for change in mechanical_mutants.sample(layers)]
    assert set(sample) < {change.key for change in mechanical_mutants.every(layers)}


def test_changes_stay_within_the_solution_and_give_another_program(layers):
    for change in mechanical_mutants.every(layers):
        assert lessons.outside(change.cell) == lessons.outside(change.stub.cell), change
        assert change.old != change.new


@pytest.mark.parametrize(
    "line, wanted",
    [
        ("a < b", {"a <= b", "a > b"}),
        ("a - 1", {"a + 1", "1 - a", "a - 2", "a - 0"}),
        ("a and b", {"a or b", "a", "b"}),
        ("f(a, key=2)", {"f(key=2)", "f(a)", "f(2, key=a)", "f(a, key=3)", "f(a, key=1)"}),
        ("x if a else b", {"x if a and False else b", "x if a or True else b"}),
    ],
)
def test_the_changes_of_a_line(line, wanted):
    source = f"#| export\ndef f():\n    ### BEGIN SOLUTION\n    return {line}\n    ### END SOLUTION"
    cell = lessons.Cell("stub", source, 1, "f")
    stub = lessons.Stub("f", cell, cell, (), 1, (), (), (), ())
    assert {
        change.new.removeprefix("return ").replace("(1) - (a)", "1 - a")
        for change in mechanical_mutants.changes(stub)
    } == wanted
