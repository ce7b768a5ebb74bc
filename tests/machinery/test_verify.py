"""The verdict on stubs that use each other: a mistake costs once, a circle is told, and no answer lies beside who is asked for it."""

import json

import pytest

from autograder import lesson
from autograder.grading import batch, verify
from tests.classroom import Classroom

SCALE_BY_QUADRUPLE = """#| export
class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return quadruple(x) / 4 * self.factor
"""
QUADRUPLE_BY_SCALE = "#| export\ndef quadruple(x): return Scale(4)(x)"
WRONG_SCALE = """#| export
def as_array(x):
    return np.asarray(x)


class Scale:
    def __init__(self, factor):
        self.factor = factor + 1

    def __call__(self, x):
        return self.factor * as_array(x)
"""
WRONG_QUADRUPLE = "#| export\ndef quadruple(x): return double(x)"


@pytest.fixture
def room(tmp_path, course_to_grade, monkeypatch):
    monkeypatch.setenv("SANDBOX", "none")
    return Classroom(tmp_path, course_to_grade)


@pytest.fixture
def states(room):
    """Where the stubs stand when these are their cells."""
    todo = batch.job(room.course, room.module)

    def graded(**sources: str) -> dict[str, str]:
        verdict = verify.verify(todo, json.loads(room.change(**sources)))
        return {stub: outcome.state for stub, outcome in verdict.stubs.items()}

    return graded


def test_stubs_that_call_each_other_are_in_doubt(states):
    found = states(scale=SCALE_BY_QUADRUPLE, quadruple=QUADRUPLE_BY_SCALE)
    assert found == {"scale": "in doubt", "quadruple": "in doubt"}


def test_an_endless_loop_takes_its_time_once(room, states, monkeypatch):
    monkeypatch.setattr(verify, "SECONDS", 1)
    ran, run = [], verify.run
    monkeypatch.setattr(verify, "run", lambda *rest: ran.append(rest[2]) or run(*rest))
    endless = "#| export\ndef quadruple(x):\n    while True:\n        pass"
    assert states(quadruple=endless) == {"scale": "done", "quadruple": "failing"}
    assert ran == [["scale", "quadruple"]]
    loops = "#| export\ndef quadruple(x):\n    while Scale(1)(1) != 1:\n        pass\n    return double(double(x))"
    assert states(scale=WRONG_SCALE, quadruple=loops) == {"scale": "failing", "quadruple": "done"}


def test_what_rests_on_a_mistake_loses_nothing(states):
    assert states(scale=WRONG_SCALE, quadruple=QUADRUPLE_BY_SCALE) == {
        "scale": "failing",
        "quadruple": "done",
    }


def test_a_function_beside_a_mistake_may_be_used_elsewhere(states):
    uses = "#| export\ndef quadruple(x): return Scale(4)(as_array(x))"
    assert states(scale=WRONG_SCALE, quadruple=uses) == {"scale": "failing", "quadruple": "done"}


def test_what_rests_on_a_later_mistake_is_in_doubt(states):
    found = states(scale=SCALE_BY_QUADRUPLE, quadruple=WRONG_QUADRUPLE)
    assert found == {"scale": "in doubt", "quadruple": "failing"}


def test_how_a_stub_fails_by_itself_is_kept_and_what_its_student_is_told_is_not_of_the_reference(room):
    wrong = "#| export\ndef quadruple(x): return Scale(4)(x) + 1"
    notebook = json.loads(room.change(scale=WRONG_SCALE, quadruple=wrong))
    outcome = verify.verify(batch.job(room.course, room.module), notebook).stubs["quadruple"]
    assert outcome.state == "failing"
    assert "got: array([ 6, 11])" in outcome.said
    assert "got: array([5, 9])" in outcome.failure.came_back


def test_a_doubt_is_said_and_gives_no_point(room, capsys):
    room.submit("ada", room.change(scale=SCALE_BY_QUADRUPLE, quadruple=QUADRUPLE_BY_SCALE))
    assert batch.grade(room.module) == 1
    assert room.points("ada") == {"scale": 0, "quadruple": 0}
    said = "ada: in doubt: scale, quadruple: right with the reference's other stubs, not with their own"
    for _ in range(2):  # the second time from the record
        assert said in capsys.readouterr().out.splitlines()
        assert batch.grade(room.module) == 1
    output = next(
        cell["outputs"][0] for cell in json.loads(room.page("ada"))["cells"] if cell["id"] == "test-scale"
    )
    assert output["traceback"] == ["failing", verify.RESTS]


def test_no_answer_is_where_the_code_runs_that_is_still_asked_for_it(room, states, monkeypatch):
    """Whatever gives points: beside a student's code stands no reference of a stub that is graded later."""
    answers = {stub.name: stub.regions[0].strip() for stub in lesson.read(room.module).stubs}
    graded, run = [], verify.run

    def watched(todo, cells, stubs, *rest):
        text = "\n".join(cell.code for cell in cells)
        seen = {name for name, answer in answers.items() if answer in text}
        found = run(todo, cells, stubs, *rest)
        graded.append((list(stubs), seen))
        return found

    monkeypatch.setattr(verify, "run", watched)
    assert states(scale=WRONG_SCALE, quadruple=WRONG_QUADRUPLE) == {
        "scale": "failing",
        "quadruple": "failing",
    }
    assert graded == [(["scale", "quadruple"], set()), (["scale"], set()), (["quadruple"], {"scale"})]


def test_what_a_student_is_told_is_short(states, room):
    """It is the student's own text: it may hold what the sandbox has and the student has not."""
    raises = "#| export\ndef quadruple(x): raise AssertionError(('secret ' * 20 + chr(10)) * 12)"
    verdict = verify.verify(batch.job(room.course, room.module), json.loads(room.change(quadruple=raises)))
    assert "secret" in verdict.stubs["quadruple"].said
    assert len(verdict.stubs["quadruple"].said) <= 500
