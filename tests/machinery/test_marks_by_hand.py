"""`make mark`: points by hand with a reason, which grading again leaves, feedback and grades show, and UNDO takes back."""

import csv
import json
import os
import re

import pytest

from autograder import __main__ as program
from autograder.course import CourseError
from autograder.grading import batch, marks, marks_by_hand
from tests.classroom import NAME, ROOT, Classroom, judged
from tests.machinery.conftest import make_in

REASON = "Right but for the shape: =1+1 <b> ä"


def right(todo, folder, path):
    """In place of `batch.judge`: all of it is right, and the graded notebook is the submitted one."""
    return judged(todo, folder, path) | {"page": path.read_text(encoding="utf-8")}


@pytest.fixture(scope="module")
def graded_course(tmp_path_factory, course_to_grade):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SANDBOX", "none")
        patch.setattr(batch, "judge", right)
        room = Classroom(tmp_path_factory.mktemp("graded"), course_to_grade)
        for student in ("ada", "bob", "=1+1 zoë"):
            room.submit(student, room.solution)
        assert batch.grade(room.module) == 0
    return room.root


@pytest.fixture
def room(tmp_path, graded_course, monkeypatch):
    monkeypatch.setenv("SANDBOX", "none")
    monkeypatch.setattr(batch, "judge", right)
    monkeypatch.chdir(tmp_path)
    return Classroom(tmp_path, graded_course)


def mark(room, points, reason=REASON, student="ada", stub="scale"):
    marks_by_hand.mark(room.module, student, stub, points, reason)


def log(room):
    text = (room.root / marks_by_hand.PLACE).read_text(encoding="utf-8")
    return [(line["before"], line["points"], line["undoes"]) for line in map(json.loads, text.splitlines())]


def by_formgrader(room, points):
    with room.gradebook() as book:
        book.find_grade("test-scale", "activations", NAME, "ada").manual_score = points
        book.db.commit()


def test_a_mark_counts_stays_when_graded_again_and_is_undone(room, capsys):
    mark(room, "2.5")
    assert capsys.readouterr().out == "ada: scale: 2.5 of 4, before 4\n"
    assert room.points("ada") == {"scale": 2.5, "quadruple": 1}
    room.submit("ada", json.dumps(json.loads(room.solution)))
    assert batch.grade(room.module) == 0
    assert room.points("ada") == {"scale": 2.5, "quadruple": 1}
    capsys.readouterr()
    marks_by_hand.mark(room.module, "ada", "scale", undo=True)
    assert capsys.readouterr().out == "ada: scale: 4 of 4, before 2.5\n"
    assert room.points("ada") == {"scale": 4, "quadruple": 1}
    with pytest.raises(CourseError, match="^ada: scale: there is no mark of this command to be undone$"):
        marks_by_hand.mark(room.module, "ada", "scale", undo=True)
    assert room.points("bob") == {"scale": 4, "quadruple": 1}


def test_marks_are_undone_one_by_one_down_to_what_the_formgrader_had_and_all_of_it_is_logged(room):
    by_formgrader(room, 3)
    for points in ("0", "1"):
        mark(room, points)
    for left in (0, 3):
        marks_by_hand.mark(room.module, "ada", "scale", undo=True)
        assert room.points("ada")["scale"] == left
    assert log(room) == [(3, 0, False), (0, 1, False), (1, 0, True), (0, 3, True)]


def test_a_mark_that_was_changed_in_the_formgrader_since_is_not_undone(room):
    mark(room, "1")
    by_formgrader(room, 2)
    with pytest.raises(
        CourseError, match="^ada: scale: the mark was changed to 2 in the formgrader since then"
    ):
        marks_by_hand.mark(room.module, "ada", "scale", undo=True)
    by_formgrader(room, None)
    with pytest.raises(CourseError, match="^ada: scale: the mark was removed in the formgrader since then"):
        marks_by_hand.mark(room.module, "ada", "scale", undo=True)
    assert log(room) == [(None, 1, False)]


def test_the_student_reads_the_reason_and_nobody_else_does(room):
    mark(room, "2.5")
    assert marks.feedback(room.module) == 0
    pages = [
        room.root / "autograder" / "feedback" / name / NAME / "activations.html" for name in ("ada", "bob")
    ]
    ada, bob = (page.read_text(encoding="utf-8") for page in pages)
    assert "<li>scale: 2.5 of 4, by hand: Right but for the shape: =1+1 &lt;b&gt; ä</li>" in ada
    assert "activations (Score: 3.5 / 5.0)" in ada
    assert "by hand" not in bob
    marks_by_hand.mark(room.module, "ada", "scale", undo=True)
    assert marks.feedback(room.module) == 0
    assert "by hand" not in pages[0].read_text(encoding="utf-8")


def test_grades_list_marks_with_their_reasons_and_those_of_the_formgrader(room, capsys):
    mark(room, "1", reason="=HYPERLINK(1)", student="=1+1 zoë")
    by_formgrader(room, 2)
    capsys.readouterr()
    marks.grades()
    assert "marks by hand: 2, with their reasons in autograder/grades/marks.csv" in capsys.readouterr().out
    with open(room.root / "autograder" / "grades" / "marks.csv", newline="", encoding="utf-8") as file:
        found = [tuple(row.values()) for row in csv.DictReader(file)]
    assert found == [
        ("'=1+1 zoë", NAME, "scale", "1.0", "4.0", "4.0", "'=HYPERLINK(1)"),
        ("ada", NAME, "scale", "2.0", "4.0", "4.0", ""),
    ]
    marks_by_hand.mark(room.module)
    assert capsys.readouterr().out.splitlines() == [
        "=1+1 zoë: scale: 1 of 4, graded 4: =HYPERLINK(1)",
        "ada: scale: 2 of 4, graded 4: entered in the formgrader",
        "02_activations: 2 marks in place of grading's, or with a reason",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"points": "5"}, "scale: POINTS=5: expected a number from 0 to 4"),
        ({"points": "-1"}, "scale: POINTS=-1: expected a number from 0 to 4"),
        ({"points": "nan"}, "scale: POINTS=nan: expected a number from 0 to 4"),
        ({"points": "two"}, "scale: POINTS=two: expected a number from 0 to 4"),
        ({"stub": "relu"}, "02_activations has no stub relu: scale, quadruple"),
        ({"student": "eve"}, "eve has no graded submission of 02_activations: `make grade 2` first"),
        ({"reason": None}, marks_by_hand.ASKED),
        ({"reason": " \n"}, marks_by_hand.ASKED),
        ({"points": None}, marks_by_hand.ASKED),
        ({"undo": True}, marks_by_hand.ASKED),
    ],
)
def test_what_cannot_be_marked_is_one_line_and_nothing_is_changed(room, words, said):
    asked = {"student": "ada", "stub": "scale", "points": "2", "reason": REASON} | words
    with pytest.raises(CourseError) as refused:
        marks_by_hand.mark(room.module, **asked)
    assert str(refused.value) == said
    assert room.points("ada") == {"scale": 4, "quadruple": 1}
    assert not (room.root / marks_by_hand.PLACE).exists()


def test_what_cannot_be_logged_is_not_entered(room):
    (room.root / marks_by_hand.PLACE).mkdir()
    with pytest.raises(CourseError, match=r"^autograder/marks\.jsonl: it cannot be read: "):
        mark(room, "2")
    assert room.points("ada") == {"scale": 4, "quadruple": 1}


@pytest.mark.parametrize("line", ["", "[]", "{}", '{"student": 1', '{"undoes": true}'])
def test_a_log_that_was_broken_is_one_line(room, line):
    mark(room, "2")
    with (room.root / marks_by_hand.PLACE).open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(CourseError, match=r"^autograder/marks\.jsonl: line 2 is none of `make mark`$"):
        mark(room, "3")


def test_the_command_takes_any_text_and_exits_2_for_bad_input(room, capsys):
    text = 'it\'s $5; "quoted" `ls` $(pwd) #1 %'
    make = make_in(room)
    place = {"PYTHONPATH": os.pathsep.join([str(ROOT)])}
    done = make("mark", "2", "STUDENT=ada", "STUB=scale", "POINTS=0", f"REASON={text}", **place)
    assert (done.returncode, done.stdout) == (0, "ada: scale: 0 of 4, before 4\n"), done.stderr
    assert json.loads((room.root / marks_by_hand.PLACE).read_text(encoding="utf-8"))["reason"] == text
    done = make("mark", "2", "STUDENT=ada", "STUB=scale", "UNDO=1", **place)
    assert done.stdout == "ada: scale: 4 of 4, before 0\n"
    assert program.main(["mark", "2", "--student=ada", "--stub=scale", "--points=9", "--reason=x"]) == 2
    assert re.fullmatch("scale: POINTS=9: expected .*\n", capsys.readouterr().err)


def test_an_answer_in_words_is_marked_too(tmp_path, course_in_words, monkeypatch, capsys):
    monkeypatch.setenv("SANDBOX", "none")
    monkeypatch.setattr(batch, "judge", lambda *paths: right(*paths) | {"answers": {"what-is-lost": True}})
    room = Classroom(tmp_path, course_in_words)
    monkeypatch.chdir(tmp_path)
    room.submit("ada", room.solution)
    batch.grade(room.module)
    mark(room, "2", stub="what-is-lost")
    capsys.readouterr()
    marks_by_hand.mark(room.module)
    assert capsys.readouterr().out.splitlines()[0] == f"ada: what-is-lost: 2 of 3: {REASON}"
