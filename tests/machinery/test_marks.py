"""What comes out of the gradebook: feedback by the stubs' names, grades as tables that survive any name, the formgrader."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from nbgrader.apps import NbGraderAPI
from traitlets import TraitError

from autograder.grading import batch, feedback_pages, gradebook, marks, roster
from tests.classroom import NAME, ROOT, Classroom


@pytest.fixture(scope="module")
def graded_course(tmp_path_factory, course_to_grade):
    """A course in which two students are graded; one has a name with a comma and quotes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SANDBOX", "none")
        room = Classroom(tmp_path_factory.mktemp("graded"), course_to_grade)
        room.submit("ada", room.change(quadruple="def quadruple(x): return x"))
        room.submit("bob", room.solution)
        assert batch.grade(room.module) == 0
    with room.gradebook() as book:
        book.update_or_create_student(
            "ada", first_name='Ada "A."', last_name="King, Countess", lms_user_id="17"
        )
    return room.root


@pytest.fixture
def room(tmp_path, graded_course, monkeypatch):
    monkeypatch.setenv("SANDBOX", "none")
    monkeypatch.chdir(tmp_path)
    return Classroom(tmp_path, graded_course)


def rows(room, name):
    with open(room.root / "autograder" / "grades" / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_feedback_lists_stubs_by_name_and_shows_comments(room, capsys):
    with room.gradebook() as book:
        book.find_comment("quadruple", "activations", NAME, "ada").manual_comment = "Call double twice."
        book.db.commit()
    assert marks.feedback(room.module, "ada") == 0
    line = f"autograder/feedback/ada/{NAME}/activations.html"
    assert capsys.readouterr().out.splitlines()[-2:] == [line, "feedback: 1 new, 0 as before"]
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


def test_the_class_s_names_and_numbers_go_back_to_where_they_came_from(room):
    (room.root / roster.PLACE).write_text(
        'student,name,id,section,email\nada,"Lovelace, Ada",101,A,ada@example.org\neve,"Eve",105,B,eve@example.org\n',
        encoding="utf-8",
    )
    marks.grades()
    _, ada, bob, eve = rows(room, "canvas.csv")
    assert [ada[head] for head in marks.CANVAS] == ["Lovelace, Ada", "101", "", "ada", "A"]
    assert (ada[NAME], bob["Student"], eve["Section"], eve[NAME]) == ("4.0", "bob", "B", "")
    moodle = rows(room, "moodle.csv")
    assert [(row["Email address"], row[NAME]) for row in moodle] == [
        ("ada@example.org", "4.0"),
        ("", "5.0"),
        ("eve@example.org", ""),
    ]


def test_a_name_that_a_spreadsheet_would_run_is_text(room):
    with room.gradebook() as book:
        book.update_or_create_student("bob", last_name="=HYPERLINK(1)")
    marks.grades()
    assert rows(room, "grades.csv")[1]["name"] == "'=HYPERLINK(1)"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("=1+1", "'=1+1"),
        (" =1+1", "' =1+1"),
        ("\u00a0=1+1", "'\u00a0=1+1"),
        ("x;=1+1", "x;'=1+1"),
        ("x; @SUM(1)", "x; '@SUM(1)"),
        ("x\t-1", "x\t'-1"),
        ("＝1+1", "'＝1+1"),
        ("＋1", "'＋1"),
        ("－1", "'－1"),
        ("＠x", "'＠x"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("x\r\n+1", "x\r\n'+1"),
        ("    Points Possible", "'    Points Possible"),
        ("points possible", "'points possible"),
        ("Anne-Marie", "Anne-Marie"),
        ("ada@example.org", "ada@example.org"),
    ],
)
def test_no_name_is_a_formula_or_a_row_of_canvas_own(room, name, written):
    with room.gradebook() as book:
        book.update_or_create_student("bob", last_name=name)
    marks.grades()
    assert rows(room, "grades.csv")[1]["name"] == written
    table = rows(room, "canvas.csv")
    assert table[2]["Student"] == written
    assert [row["Student"].strip() for row in table].count("Points Possible") == 1


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


def test_feedback_is_written_where_something_has_changed(room, capsys):
    """A comment, a mark, the terms and the graded notebook; nothing else is written anew."""
    folder = room.root / "autograder"
    pages = {name: folder / "feedback" / name / NAME / "activations.html" for name in ("ada", "bob")}

    def written_by_feedback():
        before = {name: page.stat().st_ino if page.exists() else 0 for name, page in pages.items()}
        capsys.readouterr()
        assert marks.feedback(room.module) == 0
        new = {name for name, page in pages.items() if page.stat().st_ino != before[name]}
        said = capsys.readouterr().out.splitlines()
        assert said[-1] == f"feedback: {len(new)} new, {2 - len(new)} as before"
        return new

    assert written_by_feedback() == {"ada", "bob"}
    assert written_by_feedback() == set()
    with room.gradebook() as book:
        book.find_comment("quadruple", "activations", NAME, "ada").manual_comment = "Call double twice."
        book.db.commit()
    assert written_by_feedback() == {"ada"}
    with room.gradebook() as book:
        book.find_grade("test-quadruple", "activations", NAME, "bob").manual_score = 0.5
        book.db.commit()
    assert written_by_feedback() == {"bob"}
    (folder / "received.csv").write_text(
        f"student,module,time\nada,{NAME},2026-09-30\nbob,{NAME},2026-10-02\n", encoding="utf-8"
    )
    assert written_by_feedback() == {"ada", "bob"}
    (folder / "terms.yaml").write_text("late: {percent_a_day: 10, days: 5}", encoding="utf-8")
    assert written_by_feedback() == {"bob"}


def test_feedback_says_what_lateness_took_and_why_after_the_points_before_it(room):
    folder = room.root / "autograder"
    (folder / "received.csv").write_text(
        f"student,module,time\nada,{NAME},2026-10-01 09:30\nbob,{NAME},2026-10-02 23:59:59 UTC\n",
        encoding="utf-8",
    )
    terms = f"late: {{percent_a_day: 15, days: 5}}\nextensions: {{ada: {{2: 2026-10-01}}, bob: {{{NAME}: 2026-10-01}}}}"
    (folder / "terms.yaml").write_text(terms + "\ntime_zone: America/New_York\n", encoding="utf-8")
    marks.feedback(room.module)
    pages = [folder / "feedback" / name / NAME / "activations.html" for name in ("ada", "bob")]
    ada, bob = (page.read_text(encoding="utf-8") for page in pages)
    assert "activations (Score: 5.0 / 5.0)" in bob
    assert (
        "5 of 5 points before lateness. Received 2026-10-02 19:59:59, the deadline was 2026-09-30, and with your "
        "extension 2026-10-01 (America/New_York): 1 day late. Lateness takes 15 %, which is 0.75. Result: 4.25 of 5."
    ) in bob
    assert (
        "4 of 5 points before lateness. Received 2026-10-01 05:30:00, the deadline was 2026-09-30, and with your "
        "extension 2026-10-01 (America/New_York): in time.</p>"
    ) in ada
    assert "Late submission penalty" not in ada + bob


def test_feedback_of_a_graded_notebook_that_is_gone_is_one_line_and_grading_makes_it_again(room, capsys):
    with room.gradebook() as book:
        book.find_grade("test-quadruple", "activations", NAME, "ada").manual_score = 0.5
        book.db.commit()
    shutil.rmtree(room.root / "autograder" / "autograded")
    assert marks.feedback(room.module) == 1
    line = "ada: no feedback: the graded notebook is gone, and `make grade 2` makes it again"
    assert line in capsys.readouterr().out.splitlines()
    assert batch.grade(room.module) == 0
    assert marks.feedback(room.module) == 0
    assert room.points("ada") == {"scale": 4, "quadruple": 0.5}


def test_pages_by_several_processes_are_those_of_one(room, monkeypatch):
    students = ["ada", "nobody", "bob"]
    wanted = list(feedback_pages.pages(room.module, students))
    assert [(name, bool(page), fault) for name, page, fault in wanted] == [
        ("ada", True, ""),
        ("nobody", False, "the graded notebook is gone, and `make grade 2` makes it again"),
        ("bob", True, ""),
    ]
    monkeypatch.setattr(feedback_pages, "FEW", 0)
    monkeypatch.setattr(feedback_pages, "AT_ONCE", 2)
    assert list(feedback_pages.pages(room.module, students)) == wanted


def test_a_student_who_was_renamed_is_named_and_keeps_the_marks(room, capsys):
    submitted = room.root / "autograder" / "submitted"
    (submitted / "bob").rename(submitted / "robert")
    batch.grade(room.module)
    capsys.readouterr()
    marks.grades()
    assert capsys.readouterr().out.splitlines()[-1] == (
        "without a folder in autograder/submitted, and still in both tables: bob"
    )
    assert [row["student"] for row in rows(room, "grades.csv")] == ["ada", "bob", "robert"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("nonsense", "GRADEBOOK_URL is not the address of a database"),
        ("", "GRADEBOOK_URL is not the address of a database"),
        ("nothing://teacher:secret@host/database", "GRADEBOOK_URL is not the address of a database"),
        (
            "mysql://teacher:secret@host/database",
            "GRADEBOOK_URL asks for a driver that is not installed: MySQLdb",
        ),
        (
            "sqlite:////nowhere/gradebook.db",
            "the gradebook sqlite:////nowhere/gradebook.db cannot be used: unable",
        ),
    ],
)
def test_a_gradebook_that_cannot_be_opened_is_one_line_without_its_password(room, monkeypatch, address, said):
    monkeypatch.setenv("GRADEBOOK_URL", address)
    before = os.environ["PATH"]
    for verb in (
        lambda: batch.grade(room.module),
        marks.grades,
        lambda: marks.feedback(room.module),
        marks.formgrader,
    ):
        with pytest.raises(batch.CourseError) as refused:
            verb()
        assert str(refused.value).startswith(said)
        assert "\n" not in str(refused.value)
        assert "secret" not in str(refused.value)
    assert os.environ["PATH"] == before


def test_the_formgrader_lists_no_folder_but_the_graded_ones_and_knows_that_they_are_graded(room):
    (room.root / "autograder" / "submitted" / "<img src=x onerror=alert(1)>" / NAME).mkdir(parents=True)
    room.place("ada").with_name("timestamp.txt").write_text("yesterday", encoding="utf-8")
    batch.grade(room.module)
    api = NbGraderAPI(config=gradebook.configuration(room.course))
    assert [each["id"] for each in api.get_students()] == ["ada", "bob"]
    assert [(each["student"], each["autograded"]) for each in api.get_submissions(NAME)] == [
        ("ada", True),
        ("bob", True),
    ]
    (room.root / "autograder" / "received.csv").write_text(
        f"student,module,time\nada,{NAME},2026-10-02", encoding="utf-8"
    )
    marks.grades()
    assert api.get_autograded_students(NAME) == {"ada", "bob"}


@pytest.mark.parametrize("names", [{"last_name": "<script>"}, {"first_name": "x>"}])
def test_the_formgrader_is_not_opened_on_a_name_that_is_markup(room, monkeypatch, names):
    monkeypatch.setattr(marks, "serve", lambda *place, **options: pytest.fail("it is opened"))
    with room.gradebook() as book:
        book.update_or_create_student("bob", **names)
    with pytest.raises(
        batch.CourseError, match=r"^the formgrader is not opened: a student in the gradebook is called "
    ):
        marks.formgrader()


def test_the_formgraders_own_autograding_does_nothing_for_it_would_run_outside_the_sandbox(room):
    before = room.all_points(), room.page("ada")
    api = NbGraderAPI(config=gradebook.configuration(room.course))
    with pytest.raises(TraitError):
        api.autograde(NAME, "ada", force=True)
    assert (room.all_points(), room.page("ada")) == before


def answered(address):
    """A page of a server that may not have begun to listen."""
    for _ in range(60):
        try:
            with urlopen(address, timeout=60) as page:
                return page.read().decode()
        except URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError):
                raise
            time.sleep(0.5)
    return ""


@contextmanager
def formgrader_of(room):
    """The address of a formgrader's page by its path, served until the end."""
    kept = shutil.ignore_patterns(
        "__pycache__", "submitted", "autograded", "feedback", "graded", "gradebook.db*"
    )
    shutil.copytree(ROOT / "autograder", room.root / "autograder", ignore=kept, dirs_exist_ok=True)
    command = [sys.executable, "-P", "-m", "autograder", "formgrader"]
    environment = room.environment() | {"BROWSER": "true"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, cwd=room.root, env=environment, **pipes) as server:
        try:
            first, _, token = server.stdout.readline().split()[0].partition("?")
            yield lambda path: f"{first}/{path}?{token}"
        finally:
            server.terminate()


def test_no_page_of_the_formgrader_takes_its_address_for_markup(room):
    shown = {}
    with formgrader_of(room) as address:
        for name in ("%3Cscript%3Ealert(1)", "%22;alert(1);%22", "o'neil"):
            page = answered(address(f"manage_students/{name}"))
            shown[name] = re.findall('student_id = "(.*)";$', page, re.MULTILINE)
    assert list(shown.values()) == [["scriptalert(1)"], [";alert(1);"], ["o'neil"]]


@pytest.mark.parametrize("is_anonymous", [True, False])
def test_marking_is_anonymous_where_the_terms_say_so(room, is_anonymous):
    (room.root / "autograder" / "terms.yaml").write_text(f"anonymous_marking: {str(is_anonymous).lower()}")
    with formgrader_of(room) as address:
        listed = json.loads(answered(address(f"api/submitted_notebooks/{NAME}/activations")))
        grades = json.loads(answered(address("api/grades") + f"&submission_id={listed[0]['id']}"))
        comments = json.loads(answered(address("api/comments") + f"&submission_id={listed[0]['id']}"))
        page = answered(address(f"submissions/{listed[0]['id']}/"))
    assert [row["index"] for row in listed] == [0, 1]
    assert {row["score"] for row in listed} == {4, 5}
    assert len(grades) == 2
    assert "quadruple" in page
    told = [*listed, *grades, *comments]
    if is_anonymous:
        assert {row["student"] for row in told} == {"names are hidden"}
        assert {row["last_name"] for row in listed} == {None}
        assert "names are hidden" in page
        assert not re.search(r"\b(ada|bob|King)\b", page + json.dumps(told))
    else:
        assert {row["student"] for row in listed} == {"ada", "bob"}
        assert re.search(r"\b(ada|bob|King)\b", page)
