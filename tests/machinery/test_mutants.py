"""Planted mistakes: the ones that survive are named, and so are tests that cannot fail."""

import os
from pathlib import Path

from autograder import mutants

SOURCE = "solutions/03_layers/layers.py"
MISTAKES = "solutions/03_layers/mistakes.py"
TURNED = "+ return -linear(input, self.weight)"


def test_every_mistake_of_the_sample_is_caught(lesson):
    done = lesson.tool("mutants", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("03_layers: 6 mistakes in 2 stubs, every one caught")
    assert done.stdout.count("\n") == 1


def test_a_mistake_that_survives_is_named_with_its_stub_and_sentence(lesson):
    lesson.edit(MISTAKES, "output + 2 * bias", "bias + output")
    done = lesson.tool("mutants")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("03_layers: linear-forward: survives: line ")
    assert lines[0].endswith(": The bias is added twice.")
    assert lines[1].startswith("03_layers: 6 mistakes in 2 stubs, 1 problems")


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
    assert done.stdout.count("linear-class: survives: line ") == 3


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
    assert lesson.tool("mutants", "3").returncode == 0


def test_another_right_answer_passes_and_a_wrong_one_is_named(lesson):
    answers = 'ANSWERS = {\n    "linear-forward": """\n        By einsum.\n        + %s\n    """,\n}\n'
    right = 'return np.einsum("...i,oi->...o", input, weight) + (0 if bias is None else bias)'
    lesson.write("solutions/03_layers/answers.py", answers % right)
    assert lesson.tool("mutants", "3").returncode == 0
    lesson.write("solutions/03_layers/answers.py", answers % right.replace("0 if", "1 if"))
    done = lesson.tool("mutants", "3")
    assert done.returncode == 1
    assert "03_layers: linear-forward: line 3 of the answers: By einsum. fails " in done.stdout
