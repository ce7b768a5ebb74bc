"""`make hint`: which hint is shown, and when the next one is."""

import json
import shutil

import pytest

from autograder.lesson import read
from tests.conftest import Scratch

NOTEBOOK = "modules/01_tensor/tensor.ipynb"
HINTS = [
    "<details><summary>Hint 1</summary>The first, with <code>x &lt; 0</code>.</details>",
    "<details><summary>Hint 2</summary>The <em>second</em>.</details>",
    "<details><summary>Hint 3</summary>The third.</details>",
]
SHOWN = ["The first, with `x < 0`.", "The second.", "The third."]


@pytest.fixture(scope="module")
def made(released_samples, tmp_path_factory):
    """A course whose stub `double` has three hints, and a mistake to which the second belongs."""
    made = Scratch(shutil.copytree(released_samples, tmp_path_factory.mktemp("hints") / "course"))
    made.take("tinytorch", given=False)
    module = made.course.find(1)
    (stub,) = (stub for stub in read(module).stubs if stub.name == "double")
    old = "\n".join(
        f"# <details><summary>Hint {n}</summary>{text}</details>" for n, text in enumerate(stub.hints, 1)
    )
    made.edit(str(module.source), old, "# " + "\n# ".join(HINTS))
    made.edit(str(module.mistakes), "The square.", "The square. (hint 2)")
    for verb in ("release", "mutants"):
        done = made.tool(verb, "1")
        assert done.returncode == 0, done.stdout + done.stderr
    return made


@pytest.fixture
def hinted(made, learner):
    shutil.copytree(made.root, learner.root, dirs_exist_ok=True)
    return learner


def hint(learner, *arguments):
    done = learner.tool("hint", "1", *arguments)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_hints_follow_by_number_while_nothing_is_known_and_the_last_stays(hinted):
    said = [hint(hinted) for _ in range(4)]
    assert [lines[0] for lines in said[:3]] == [f"double, not started: hint {n} of 3" for n in (1, 2, 3)]
    assert [lines[-1] for lines in said] == [*SHOWN, SHOWN[2]]
    assert said[3][0] == "double, not started: hint 3 of 3, again: there is no other"
    notes = json.loads((hinted.root / "build/progress.json").read_text("utf-8"))
    assert notes["tensor"]["double"]["hints"] == [1, 2, 3]


def test_the_hint_of_the_mistake_comes_first_and_then_those_that_were_passed_over(hinted, write_stub):
    write_stub("1", "double", body="return np.asarray(x) * np.asarray(x)")
    assert [hint(hinted)[-1] for _ in range(3)] == [SHOWN[1], SHOWN[0], SHOWN[2]]
    assert hint(hinted)[-1] == SHOWN[1], "when all were shown, that of the mistake again"


def test_a_stub_may_be_named_and_what_is_done_needs_none(hinted, write_stub):
    assert hint(hinted, "triple")[:2] == ["triple, not started: hint 1 of 1", ""]
    assert hint(hinted, "--stub=triple")[0] == "triple, not started: hint 1 of 1, again: there is no other"
    write_stub("1", "double")
    assert hint(hinted, "--stub=double") == ["double: done, no hint is needed"]
    assert hint(hinted)[0].startswith("triple, not started: hint 1 of 1")
    for word in ("--stub=quadruple", "quadruple"):
        done = hinted.tool("hint", "1", word)
        assert (done.returncode, done.stderr) == (2, "module 01 has no stub quadruple: double, triple\n")


def test_a_module_that_is_done_has_none_and_a_test_forgets_none(hinted, solve):
    assert hint(hinted)[-1] == SHOWN[0]
    solve("1")
    hinted.tool("test-module", "1")
    assert hint(hinted) == ["All done. Next: `make start 2`."]
    notes = json.loads((hinted.root / "build/progress.json").read_text("utf-8"))
    assert notes["tensor"]["double"]["hints"] == [1]


def test_what_rests_on_a_stub_that_fails_is_sent_there(hinted, write_stub):
    write_stub("1", "triple")
    assert hint(hinted, "--stub=triple") == ["triple rests on double, which is not done: begin there"]


def test_a_notebook_that_does_not_compile_is_one_line(learner, write_stub):
    write_stub("1", "double", "return (")
    done = learner.tool("hint", "1")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
