"""What comes out of the gradebook: feedback by the stubs' names, grades as tables that survive any name, the formgrader."""

import csv
import json

import pytest

from autograder.grading import batch, gradebook, late, marks
from tests.classroom import NAME, Classroom


@pytest.fixture
def room(tmp_path, course_to_grade, monkeypatch):
    """Two students, graded; one has a name with a comma and quotes."""
    monkeypatch.setenv("SANDBOX", "none")
    room = Classroom(tmp_path, course_to_grade)
    room.submit("ada", room.change(quadruple="def quadruple(x): return x"))
    room.submit("bob", room.solution)
    assert batch.grade(room.module) == 0
    with room.gradebook() as book:
        book.update_or_create_student(
            "ada", first_name='Ada "A."', last_name="King, Countess", lms_user_id="17"
        )
    monkeypatch.chdir(room.root)
    return room


def rows(room, name):
    with open(room.root / "autograder" / "grades" / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_feedback_lists_stubs_by_name_and_shows_comments(room, capsys):
    with room.gradebook() as book:
        book.find_comment("quadruple", "activations", NAME, "ada").manual_comment = "Call double twice."
        book.db.commit()
    assert marks.feedback(room.module, "ada") == 0
    line = f"autograder/feedback/ada/{NAME}/activations.html"
    assert capsys.readouterr().out.splitlines()[-1] == line
    page = (room.root / line).read_text(encoding="utf-8")
    assert '<a href="#test-quadruple">quadruple</a> (Score: 0.0 / 1.0)' in page
    assert "Test cell" not in page
    assert "Call double twice." in page
    assert not (room.root / "autograder" / "feedback" / "bob").exists()
    assert marks.feedback(room.module) == 0
    assert (room.root / "autograder" / "feedback" / "bob").exists()


def test_feedback_for_somebody_who_is_not_graded_is_one_line(room):
    with pytest.raises(
        batch.CourseError, match=rf"^eve has no graded submission of {NAME}: `make grade 2` first$"
    ):
        marks.feedback(room.module, "eve")


def test_names_with_commas_and_quotes_survive(room):
    marks.grades()
    assert [row["name"] for row in rows(room, "grades.csv")] == ['King, Countess, Ada "A."', "bob"]
    assert [row[NAME] for row in rows(room, "grades.csv")] == ["4.0", "5.0"]
    most, ada, bob = rows(room, "canvas.csv")
    assert most["Student"].strip() == "Points Possible"
    assert (most[NAME], ada[NAME], bob[NAME]) == ("5.0", "4.0", "5.0")
    assert (ada["ID"], ada["SIS Login ID"]) == ("17", "ada")


def test_a_name_that_a_spreadsheet_would_run_is_text(room):
    with room.gradebook() as book:
        book.update_or_create_student("bob", last_name="=HYPERLINK(1)")
    marks.grades()
    assert rows(room, "grades.csv")[1]["name"] == "'=HYPERLINK(1)"


def test_lateness_costs_by_the_day_and_an_extension_is_for_one(room):
    """The deadline is 2026-09-30: both are two days late, and ada has two days more."""
    for student in ("ada", "bob"):
        path = room.root / "autograder" / "submitted" / student / NAME / "timestamp.txt"
        path.write_text("2026-10-02 12:00:00 UTC", encoding="utf-8")
    terms = f"late: {{percent_a_day: 10, days: 5}}\nextensions: {{ada: {{{NAME}: 2026-10-02}}}}\n"
    (room.root / "autograder" / "terms.yaml").write_text(terms, encoding="utf-8")
    assert batch.grade(room.module) == 0
    marks.grades()
    assert [row[NAME] for row in rows(room, "grades.csv")] == ["4.0", "4.0"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("late: 3", "late: expected percent_a_day and days, two numbers"),
        ("latest: 3", "it holds `late` and `extensions`"),
        ("extensions: {ada: 3}", "extensions.ada: expected modules with dates"),
    ],
)
def test_terms_that_are_wrong_are_one_line(scratch, text, said):
    scratch.write("autograder/terms.yaml", text)
    with pytest.raises(batch.CourseError) as refused:
        late.terms(scratch.course)
    assert str(refused.value) == f"autograder/terms.yaml: {said}"


def test_nothing_graded_is_one_line(scratch, monkeypatch):
    scratch.write("autograder/terms.yaml", "")
    monkeypatch.chdir(scratch.root)
    with pytest.raises(batch.CourseError, match=r"^nothing has been graded yet: `make grade N` first$"):
        marks.grades()
    with pytest.raises(
        batch.CourseError, match=r"^nothing of 02_activations is graded: `make grade 2` first$"
    ):
        marks.feedback(scratch.course.find(2))


def test_regrading_keeps_marks_given_by_hand(room):
    with room.gradebook() as book:
        book.find_grade("test-quadruple", "activations", NAME, "ada").manual_score = 0.5
        book.db.commit()
    room.submit("ada", json.dumps(json.loads(room.solution)))
    batch.grade(room.module)
    with gradebook.gradebook(gradebook.configuration(batch.load(room.root))) as book:
        assert gradebook.score(book, room.module, "ada") == (4.5, 5)
