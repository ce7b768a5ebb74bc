"""`make student`: who is added, renamed or deleted, in every file and in the gradebook."""

import json

import pytest

from autograder.course import CourseError
from autograder.grading import batch, gradebook, marks, roster, students
from tests.classroom import NAME, Classroom, judged

RIGHT = {"scale": 4, "quadruple": 1}
FILES = {
    "autograder/roster.csv": 'student,name,id,section,email\nyvonne,"Lovelace, Ada",7,A,\nbob,Bob,8,A,\n',
    "autograder/roster.2026-09-01-120000.csv": "student,name,id,section,email\nyvonne,Ada,7,A,\n",
    "autograder/received.csv": f"student,module,time\nyvonne,{NAME},2026-09-30 14:05\nbob,{NAME},2026-09-30 14:05\n",
    "autograder/terms.yaml": "late: {percent_a_day: 10, days: 5}\nextensions:\n  yvonne: {2: 2026-10-02}\n",
}


@pytest.fixture
def room(tmp_path, course_to_grade, monkeypatch):
    """Ada and Bob are graded, and Ada has a mark by hand."""
    room = Classroom(tmp_path, course_to_grade)
    monkeypatch.chdir(room.root)
    monkeypatch.setattr(batch, "judge", judged)
    for place, text in FILES.items():
        (room.root / place).write_text(text, encoding="utf-8")
    for student in ("yvonne", "bob"):
        room.submit(student, room.solution)
    assert batch.grade(room.module) == 0
    with room.gradebook() as book:
        book.find_grade("test-quadruple", "activations", NAME, "yvonne").manual_score = 0.5
        book.db.commit()
    marks.grades()
    mark = {
        "module": NAME,
        "stub": "scale",
        "points": 4.0,
        "before": None,
        "reason": "by word",
        "undoes": False,
    }
    entries = [
        mark | {"student": student, "time": "2026-10-01T12:00:00+00:00"} for student in ("yvonne", "bob")
    ]
    log = "".join(json.dumps(entry) + "\n" for entry in entries)
    (room.root / "autograder/marks.jsonl").write_text(log, encoding="utf-8")
    return room


def about(room: Classroom, student: str) -> set[str]:
    """The files and folders that have a name in their path or their text."""
    folder = room.root / "autograder"
    found = {path.relative_to(folder).parts[0] for path in folder.rglob(student)}
    return found | {
        path.name for path in folder.glob("*.*") if student in path.read_bytes().decode(errors="replace")
    }


def test_a_student_who_is_removed_is_nowhere_but_where_it_is_said(room, capfd):
    students.student(remove="yvonne")
    assert room.all_points() == {"bob": RIGHT}
    assert about(room, "yvonne") == {"terms.yaml"}
    lines = capfd.readouterr().out.splitlines()
    assert "autograder/terms.yaml: line 3 is about yvonne: change it yourself" in lines
    assert lines[-1] == "made before, delete them or make them again: autograder/grades"
    assert [person.student for person in roster.of(room.course)] == ["bob"]
    (room.root / "autograder/terms.yaml").unlink()
    marks.grades()
    assert "yvonne" not in (room.root / "autograder/grades/grades.csv").read_text(encoding="utf-8")


def test_a_student_who_is_renamed_keeps_everything_and_is_not_graded_again(room, monkeypatch):
    students.student(rename="yvonne", to="lovelace")
    assert room.all_points() == {"bob": RIGHT, "lovelace": {"scale": 4, "quadruple": 0.5}}
    assert about(room, "yvonne") == {"terms.yaml"}
    assert {person.student: person.id for person in roster.of(room.course)} == {"lovelace": "7", "bob": "8"}
    monkeypatch.setattr(batch, "judge", lambda *_: pytest.fail("it is graded again"))
    assert batch.grade(room.module) == 0
    with room.gradebook() as book:
        assert gradebook.came(book, room.module)["lovelace"].hour == 14
        assert {student.id for student in book.students} == {"bob", "lovelace"}


def test_a_student_is_added_once(room):
    students.student(add="eve", named="Moneypenny, Eve")
    assert [person.name for person in roster.of(room.course)] == ["Bob", "Moneypenny, Eve", "Lovelace, Ada"]
    with pytest.raises(CourseError, match=r"^eve is in autograder/roster.csv already$"):
        students.student(add="eve")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "student takes ADD=ada"),
        ({"rename": "yvonne"}, "student takes ADD=ada"),
        ({"remove": "yvonne", "named": "Ada"}, "student takes ADD=ada"),
        ({"remove": "nobody"}, "^there is no student nobody$"),
        ({"rename": "yvonne", "to": "bob"}, "^bob is somebody else's name: submitted, "),
        ({"rename": "yvonne", "to": "../bob"}, "^../bob is no name of a folder$"),
        ({"remove": ".."}, "^.. is no name of a folder$"),
        ({"add": "<b>"}, "a student's folder has a < in its name"),
    ],
)
def test_what_cannot_be_is_one_line_and_changes_nothing(room, options, said):
    with pytest.raises(CourseError, match=said):
        students.student(**options)
    assert set(room.all_points()) == {"yvonne", "bob"}
    assert (room.root / "autograder" / "submitted").exists()
