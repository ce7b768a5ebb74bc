"""Planted mistakes are told by their sentences, which stand in the release for nobody to read."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from autograder import course as courses
from autograder import files, mutants, recognition
from autograder import lesson as lessons
from autograder.testrunner import Failure

ROOT = Path(__file__).parents[2]
SOLVED = courses.load(ROOT).with_solutions()
FAILURE = Failure("test_it", "AssertionError", "what is wanted", "got: 0.51234567\nwanted: 1.0")


@pytest.mark.parametrize("module", SOLVED, ids=lambda module: module.slug)
def test_the_fingerprints_are_those_of_the_lesson(module):
    assert recognition.is_current(lessons.read(module)), f"made by `make mutants {module.number}`"


@pytest.mark.parametrize("module", SOLVED, ids=lambda module: module.slug)
def test_no_sentence_can_be_read_and_most_mistakes_have_an_entry(module):
    lesson, text = lessons.read(module), module.fingerprints.read_text(encoding="utf-8")
    mistakes = [mistake for stub in lesson.stubs for mistake in stub.mistakes]
    found = json.loads(text)["mistakes"]
    assert list(found) == sorted(found), "their order says nothing either"
    assert len(found) > 0.6 * len(mistakes), "several that fail alike have one entry"
    assert not [mistake.sentence for mistake in mistakes if mistake.sentence in text]
    assert not [stub.name for stub in lesson.stubs if stub.name in text and len(stub.name) > 6]


@pytest.fixture
def module(lesson):
    return lesson.course.find(3)


def of(module, came_back, **changes):
    return recognition.fingerprint(module, "linear", replace(FAILURE, came_back=came_back, **changes))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("got: 0.51234567", "got: 0.51234561"),  # the last digits are BLAS's
        ("got: array([0.125, 1e-17])", "got: array([0.12500001, -3.1e-16])"),
        ("got: array([ 1.,  2.])", "got: array([1., 2.])"),
        ("<f at 0x7f1234>", "<f at 0x7f99>"),
        ("got: <class '__main__.Linear'>", "got: <class 'tinytorch.layers.Linear'>"),
        ("test_layers.Thing()", "__main__.Thing()"),
        ("in /tmp/one/tinytorch/layers.py", "in /home/two/tinytorch/layers.py"),
    ],
)
def test_what_differs_between_machines_is_no_part_of_a_fingerprint(module, one, other):
    assert of(module, one) == of(module, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("got: 0.512", "got: 0.522"),
        ("got: 3", "got: 4"),
        ("got: nan", "got: inf"),
        ("got: -0.5", "got: 0.5"),
        ("got: torch.float32", "got: torch.float64"),
        ("got: (2, 3)", "got: (3, 2)"),
    ],
)
def test_what_came_back_is(module, one, other):
    assert of(module, one) != of(module, other)


def test_a_loop_is_the_same_wherever_it_is_stopped(module):
    assert of(module, "after 20 seconds", error="Timeout") == of(module, "after 15 seconds", error="Timeout")


def test_a_sentence_is_read_with_its_fingerprint_alone_and_mistakes_that_fail_alike_are_told_together(module):
    one, other = of(module, "got: 1"), of(module, "got: 2")
    made = recognition.entries([(one, "Left out.", None), (one, "Added twice.", 2), (other, "The sign.", 1)])
    text = json.dumps({"mistakes": made})
    assert "Left" not in text
    files.write(module.fingerprints, text)
    failure = replace(FAILURE, came_back="got: 1")
    assert recognition.recognise(module, "linear", failure) == ("Left out. Or: Added twice.", 2)
    assert recognition.recognise(module, "linear", replace(failure, came_back="got: 2")) == ("The sign.", 1)
    assert recognition.recognise(module, "linear", replace(failure, came_back="got: 3")) == ("", None)
    assert recognition.recognise(module, "bias", failure) == ("", None)


@pytest.mark.parametrize("text", [None, "{", "{}"])
def test_without_fingerprints_nothing_is_recognised(module, text):
    if text:
        files.write(module.fingerprints, text)
    assert recognition.recognise(module, "linear", FAILURE) == ("", None)


def test_a_changed_mistake_makes_them_anew_and_prose_does_not(lesson):
    assert lesson.tool("mutants", "3").stdout.startswith(
        "03_layers: 6 mistakes in 2 stubs, every one caught, 6 recognised"
    )
    path = lesson.root / "modules/03_layers/mistakes.json"
    before = path.read_text()
    lesson.edit("solutions/03_layers/layers.py", "The idea.", "Another idea.")
    assert recognition.is_current(lessons.read(lesson.course.find(3)))
    lesson.edit("solutions/03_layers/mistakes.py", "added twice", "added two times")
    assert not recognition.is_current(lessons.read(lesson.course.find(3)))
    assert lesson.tool("mutants", "3").returncode == 0
    assert path.read_text() != before


def test_fingerprints_that_no_longer_fit_are_named(lesson):
    lesson.tool("mutants", "3")
    path = lesson.root / "modules/03_layers/mistakes.json"
    text = json.loads(path.read_text())
    path.write_text(json.dumps(text | {"mistakes": {}}))
    done = lesson.tool("mutants", "3")
    assert done.returncode == 1
    assert "only 0 mistakes are recognised by their own sentence, 0 by another's" in done.stdout


def test_a_learner_is_told_the_mistake_and_the_hint_that_helps(learner, write_stub):
    source = learner.root / "solutions/01_tensor/mistakes.py"
    source.write_text(source.read_text().replace("The square.", "The square. (hint 2)"))
    assert learner.tool("mutants", "1").returncode == 0
    write_stub("1", "double", "return x * np.asarray(x)")  # in other words than the mistake's
    said = " ".join(learner.tool("test-module", "1").stdout.split())
    assert "perhaps The square. hint open hint 2 of 2" in said


SAMPLE = ["activations", "losses", "conv", "embeddings"]


@pytest.mark.parametrize("slug", SAMPLE)
def test_what_fails_in_a_process_of_its_own_is_told_as_in_make_mutants(scratch, slug):
    """Two mistakes of each of some modules, exported and tested as a learner's are."""
    course = courses.load(ROOT)
    real = course.find(slug)
    module = scratch.course.find(slug)
    lesson = lessons.read(real)
    shutil.copytree(real.notebook.parent, module.notebook.parent)
    shutil.copytree(
        ROOT / "build" / "reference" / "tinytorch", scratch.root / "tinytorch", dirs_exist_ok=True
    )
    notebook = json.loads(module.notebook.read_text(encoding="utf-8"))
    cells = {cell["id"]: cell for cell in notebook["cells"]}
    solved = {stub.name: stub.cell.source for stub in lesson.stubs}
    wrong = [lesson.stubs[0], lesson.stubs[-1]]
    for name, source in solved.items():
        cells[name]["source"] = source
    for stub in wrong:
        mistake = stub.mistakes[-1]
        cells[stub.name]["source"] = mutants.mutated(stub, mistake).source
        files.write(module.notebook, json.dumps(notebook))
        said = " ".join(scratch.tool("test-module", slug, f"--stub={stub.name}").stdout.split())
        assert " ".join(mistake.sentence.split()) in said, said
        cells[stub.name]["source"] = solved[stub.name]
