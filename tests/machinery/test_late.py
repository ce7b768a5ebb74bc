"""Terms and times: lateness follows the deadline, the terms and the collector whenever points are read, with nothing graded again."""

import csv
import json
import os
import shutil
from datetime import UTC, datetime

import pytest
from nbgrader.api import Gradebook

from autograder.course import CourseError, load
from autograder.grading import batch, late, marks, misplaced, received
from tests.classroom import NAME, Classroom, judged


@pytest.fixture
def room(tmp_path, course_to_grade, monkeypatch):
    """A course in which whatever is submitted is right: 5 points."""
    monkeypatch.setenv("SANDBOX", "none")
    monkeypatch.setattr(batch, "judge", judged)
    room = Classroom(tmp_path, course_to_grade)
    monkeypatch.chdir(room.root)
    return room


def write(room, name, text):
    (room.root / "autograder").mkdir(exist_ok=True)
    (room.root / "autograder" / name).write_text(text, encoding="utf-8")


def collect(room, **times):
    write(
        room,
        "received.csv",
        "\n".join(["student,module,time", *(f"{each},2,{when}" for each, when in times.items())]),
    )


def points(room):
    marks.grades()
    with open(room.root / "autograder" / "grades" / "grades.csv", newline="", encoding="utf-8") as file:
        return {row["student"]: float(row[NAME]) for row in csv.DictReader(file)}


def edit(room, old, new):
    path = room.root / "course.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


RULE = "late: {percent_a_day: 10, days: 5}\n"


def test_points_follow_deadline_terms_extensions_marks_and_times_and_nothing_is_graded_again(
    room, monkeypatch
):
    """By hand: of 5 points, two days late take 1; of 5.5, with a mark of 1.5 for quadruple, 1.1."""
    collect(room, ada="2026-10-02 12:00")
    room.submit("ada", room.solution)
    batch.grade(room.module)
    monkeypatch.setattr(batch, "judge", lambda *paths: pytest.fail("graded again"))
    assert points(room) == {"ada": 5.0}
    write(room, "terms.yaml", RULE)
    assert points(room) == {"ada": 4.0}
    with room.gradebook() as book:
        book.find_grade("test-quadruple", "activations", NAME, "ada").manual_score = 1.5
        book.db.commit()
    assert points(room) == {"ada": 4.4}
    write(room, "terms.yaml", RULE + "extensions: {ada: {activations: 2026-10-01}}")
    assert points(room) == {"ada": 4.95}
    write(room, "terms.yaml", "late: {percent_a_day: 25, days: 1}")
    assert points(room) == {"ada": 0.0}
    edit(room, "deadline: 2026-09-30", "deadline: 2026-10-01")
    assert points(room) == {"ada": 4.12}
    with room.gradebook() as book:
        assert book.find_assignment(NAME).duedate == datetime(2026, 10, 2)
    edit(room, "deadline: 2026-10-01", "deadline: null")
    assert points(room) == {"ada": 5.5}
    with room.gradebook() as book:
        assert book.find_assignment(NAME).duedate is None
    edit(room, "deadline: null", "deadline: 2026-10-01")
    collect(room, ada="2026-10-02 01:00+02:00")
    assert points(room) == {"ada": 5.5}
    edit(room, "time_zone: UTC", "time_zone: Europe/Berlin")
    assert points(room) == {"ada": 4.12}
    batch.grade(load(room.root).find(2))


def test_days_are_counted_by_the_zone_of_the_deadline_that_counts(room):
    """By hand: 04:30 UTC of October 3 is October 2 in Los Angeles and October 3 in Berlin."""
    edit(room, "time_zone: UTC", "time_zone: America/Los_Angeles")
    for student in ("ada", "bob"):
        room.submit(student, room.solution)
    collect(room, ada="2026-10-03 04:30 UTC", bob="2026-10-03 04:30 UTC")
    write(room, "terms.yaml", RULE + "extensions: {bob: {2: 2026-10-01}}\ntime_zone: Europe/Berlin")
    batch.grade(load(room.root).find(2))
    assert points(room) == {"ada": 4.0, "bob": 4.0}
    write(room, "terms.yaml", RULE + "extensions: {bob: {2: 2026-10-01}}")
    assert points(room) == {"ada": 4.0, "bob": 4.5}


@pytest.mark.parametrize(
    ("when", "lost"),
    [
        ("2026-09-30 23:59:59.999", 0),
        ("2026-10-01 00:00", 1),
        ("2026-10-05 23:59:59", 5),
        ("2026-10-06 00:00", 10),
        ("2026-10-12 12:00", 10),
    ],
)
def test_after_the_days_that_are_granted_nothing_counts(room, when, lost):
    write(room, "terms.yaml", RULE)
    agreed = late.terms(room.course)
    found = agreed.late(room.module, "ada", received.moment(when, UTC))
    assert (found.lost(10), found.left(10)) == (lost, 10 - lost)
    assert (found.lost(0), found.left(-1)) == (0, -1)


def test_an_extension_that_ends_before_the_deadline_takes_nothing_from_anybody(room, capsys):
    room.submit("ada", room.solution)
    collect(room, ada="2026-09-30 12:00")
    write(room, "terms.yaml", RULE + "extensions:\n  ada: {2: 2026-09-20}\n")
    assert batch.grade(room.module) == 0
    line = f"autograder/terms.yaml: line 3: extensions.ada.{NAME}: the deadline, 2026-09-30, is as late"
    assert line in capsys.readouterr().out.splitlines()
    assert points(room) == {"ada": 5.0}


def test_a_penalty_that_an_earlier_version_has_stored_is_cleared(room):
    room.submit("ada", room.solution)
    batch.grade(room.module)
    with room.gradebook() as book:
        book.find_submission(NAME, "ada").notebooks[0].late_submission_penalty = 2
        book.db.commit()
    assert points(room) == {"ada": 5.0}
    with room.gradebook() as book:
        assert book.find_submission(NAME, "ada").late_submission_penalty == 0


IDS = ["12345", "00123", "1e5", "0x10", "on", "2026-10-01", "~", "1_000", "010", "1:30"]


def test_ids_are_the_text_that_is_written(room):
    text = "extensions:\n" + "".join(f"  {each}: {{02: 2026-10-12}}\n" for each in IDS)
    write(room, "terms.yaml", text)
    assert [student for student, _ in late.terms(room.course).extensions] == IDS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("late", "expected late, extensions, time_zone, anonymous_marking, found 'late'"),
        ("anonymous_marking: 3", "line 1: anonymous_marking: expected true or false, found 3"),
        ("[late]", "expected late, extensions, time_zone, anonymous_marking, found ['late']"),
        ("late: 3", "line 1: late: expected percent_a_day and days, two numbers, found 3"),
        ("late: {percent_a_day: 10}", "line 1: late: expected percent_a_day and days, two numbers, found {"),
        ("late: {percent_a_day: ten, days: 5}", "line 1: late.percent_a_day: expected a number from 0 to 100, found 'ten'"),
        ("late: {percent_a_day: 101, days: 5}", "line 1: late.percent_a_day: expected a number from 0 to 100, found 101"),
        ("late: {percent_a_day: -1, days: 5}", "line 1: late.percent_a_day: expected a number from 0 to 100, found -1"),
        ("late: {percent_a_day: yes, days: 5}", "line 1: late.percent_a_day: expected a number from 0 to 100, found True"),
        ("late: {percent_a_day: .nan, days: 5}", "line 1: late.percent_a_day: expected a number from 0 to 100, found nan"),
        ("late:\n  percent_a_day: 5\n  days: -1", "line 3: late.days: expected a number of days, from 0 to 1000, found -1"),
        ("late: {percent_a_day: 5, days: .inf}", "line 1: late.days: expected a number of days, from 0 to 1000, found inf"),
        ("\nlatest: 3", "line 2: latest: unknown key"),
        ("extensions: 3", "line 1: extensions: expected students with modules and dates, found 3"),
        ("extensions: {ada: 3}", "line 1: extensions.ada: expected modules with dates, found 3"),
        ("extensions:\n  ada:\n", "line 2: extensions.ada: expected modules with dates, found nothing"),
        ("extensions:\n  ada: {2: soon}", "line 2: extensions.ada.2: expected a date, found 'soon'"),
        ("extensions:\n  ada: {2: 2026-10-01 12:00:00}", "line 2: extensions.ada.2: expected a date, found 2026-10-01 12:00:00"),
        ("extensions:\n  ada: {2: 2026-10-32}", "line 2: 2026-10-32 cannot be read: day is out of range for month"),
        ("extensions:\n  ada: {42: 2026-10-01}", "line 2: extensions.ada: there is no module 42: 1 tensor, "),
        ("extensions:\n  ada: {2: 2026-10-01}\n  ada: {3: 2026-10-01}", "line 3: duplicate key ada"),
        ("extensions:\n  1: {2: 2026-10-01}\n  '1': {3: 2026-10-01}", "line 3: duplicate key 1"),
        ("extensions:\n  ada:\n    2: 2026-10-01\n    2: 2026-10-02", "line 4: duplicate key 2"),
        ("extensions:\n  ada:\n    2: 2026-10-01\n    activations: 2026-10-02", "line 4: extensions.ada: 02_activations is written twice"),
        ("time_zone: Mars", "line 1: time_zone: expected a zone's name such as Europe/Berlin, found 'Mars'"),
        ("late: }", "line 1: did not find expected node content"),
    ],
)  # fmt: skip
def test_terms_that_are_wrong_are_one_line_with_its_number(room, text, said):
    write(room, "terms.yaml", text)
    for verb in (lambda: late.terms(room.course), lambda: batch.grade(room.module), marks.grades):
        with pytest.raises(CourseError) as refused:
            verb()
        assert str(refused.value).startswith(f"autograder/terms.yaml: {said}")
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "# nothing yet", "late:\nextensions:\n", "late: null"])
def test_terms_that_say_nothing_take_nothing(room, text):
    write(room, "terms.yaml", text)
    assert late.terms(room.course).late(room.module, "ada", received.moment("2027-01-01", UTC)).lost(10) == 0


def test_terms_and_times_of_nobody_and_of_no_deadline_are_named_by_grade_and_grades(room, capsys):
    text = (room.root / "course.yaml").read_text(encoding="utf-8")
    head, _, tail = text.partition("  - number: 3\n")
    (room.root / "course.yaml").write_text(
        f"{head}  - number: 3\n{tail.replace('deadline: 2026-09-30', 'deadline: null', 1)}", encoding="utf-8"
    )
    room.submit("ada", room.solution)
    collect(room, ada="2026-09-30", eva="2026-09-30")
    write(room, "terms.yaml", "extensions:\n  eve: {2: 2026-10-12}\n  ada: {3: 2026-10-12}\n")
    wanted = [
        "autograder/terms.yaml: line 2: extensions.eve: there is no such student in autograder/submitted or in the gradebook",
        "autograder/terms.yaml: line 3: extensions.ada.03_layers: the module has no deadline",
        f"autograder/received.csv: line 3: eva, {NAME}: there is no such student in autograder/submitted or in the gradebook",
    ]
    assert batch.grade(room.module) == 0
    assert capsys.readouterr().out.splitlines()[-3:] == wanted
    marks.grades()
    assert capsys.readouterr().out.splitlines()[-3:] == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ada,2,2026-10-01", "line 1: expected the columns student,module,time"),
        ("student;module;time\n", "line 1: expected the columns student,module,time"),
        ("student,module,time\nada,2", "line 2: expected student, module, time, found 2 cells"),
        ("student,module,time\n\nada,42,2026-10-01", "line 3: there is no module 42: 1 tensor"),
        ("student,module,time\nada,2,soon", "line 2: expected a time such as 2026-10-02 11:59, found 'soon'"),
        ("student,module,time\nada,2,", "line 2: expected a time such as 2026-10-02 11:59, found ''"),
        ("student,module,time\nada,2,0001-01-01 00:00+14:00", "line 2: expected a time such as"),
        ("student,module,time\nada,2,2026-10-01\nada,activations,2026-10-01", "line 3: ada, 02_activations: written twice"),
        ('student,module,time\n"ada,2', "line 2: unexpected end of data"),
    ],
)  # fmt: skip
def test_times_that_are_wrong_are_one_line_with_its_number(room, text, said):
    write(room, "received.csv", text)
    for verb in (lambda: received.collected(room.course), lambda: batch.grade(room.module), marks.grades):
        with pytest.raises(CourseError) as refused:
            verb()
        assert str(refused.value).startswith(f"autograder/received.csv: {said}")
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-10-25 01:30", "2026-10-24 23:30"),  # summer time
        ("2026-10-25 03:30", "2026-10-25 02:30"),  # winter time
        ("2026-10-25T03:30:00Z", "2026-10-25 03:30"),
        ("2026-10-25 03:30:00 UTC", "2026-10-25 03:30"),
        ("2026-10-25 03:30-07:00", "2026-10-25 10:30"),
        (" 2026-10-25 ", "2026-10-24 22:00"),
    ],
)
def test_a_time_without_a_zone_is_by_the_course_and_with_one_by_that(room, text, utc):
    edit(room, "time_zone: UTC", "time_zone: Europe/Berlin")
    collect(room, ada=f"{text}")
    found = received.collected(load(room.root)).times["ada", NAME]
    assert f"{found:%Y-%m-%d %H:%M}" == utc


def came(room, student="ada"):
    with room.gradebook() as book:
        return f"{book.find_submission(NAME, student).timestamp:%Y-%m-%d %H:%M:%S}"


def at(path, when):
    seconds = received.moment(when, UTC).timestamp()
    os.utime(path, (seconds, seconds))


def test_a_submission_came_in_by_its_file_when_it_was_first_seen_whatever_is_copied_later(room, tmp_path):
    at(room.submit("ada", room.solution), "2026-09-29 10:00")
    batch.grade(room.module)
    assert came(room) == "2026-09-29 10:00:00"
    at(room.place("ada"), "2026-10-20 10:00")  # copied
    (room.root / "autograder/graded/ada" / f"{NAME}.json").unlink()  # and graded again
    batch.grade(room.module)
    assert came(room) == "2026-09-29 10:00:00"
    at(room.submit("ada", room.change(quadruple="pass")), "2026-10-01 10:00")
    batch.grade(room.module)
    assert came(room) == "2026-10-01 10:00:00"
    at(room.submit("ada", room.solution), "2026-10-21 10:00")  # the first one, put back
    batch.grade(room.module)
    assert came(room) == "2026-09-29 10:00:00"


def test_a_file_is_not_from_the_future(room):
    at(room.submit("ada", room.solution), "2999-01-01")
    batch.grade(room.module)
    assert came(room) < "2999"


def test_the_time_is_kept_of_what_could_not_be_graded_too(room, monkeypatch):
    at(room.submit("ada", room.solution), "2026-09-29 10:00")
    monkeypatch.setattr(batch, "judge", lambda *paths: {"fault": "the machinery failed"})
    assert batch.grade(room.module) == 1
    at(room.place("ada"), "2026-10-20 10:00")
    monkeypatch.setattr(batch, "judge", judged)
    batch.grade(room.module)
    assert came(room) == "2026-09-29 10:00:00"


def test_the_collector_is_believed_before_the_file_and_before_what_lies_in_the_folder(room):
    path = room.submit("ada", room.solution)
    at(path, "2026-10-05 10:00")
    for name in ("received.csv", "../received.csv", "received.json", "received.txt"):
        (path.parent / name).write_text(f"student,module,time\nada,{NAME},2026-09-01\n", encoding="utf-8")
    path.with_name("timestamp.txt").write_text("2026-09-02 10:00:00 UTC", encoding="utf-8")
    batch.grade(room.module)
    assert came(room) == "2026-10-05 10:00:00"
    collect(room, ada="2026-10-01 08:00")
    batch.grade(room.module)
    assert came(room) == "2026-10-01 08:00:00"
    (room.root / "autograder/received.csv").unlink()
    batch.grade(room.module)
    assert came(room) == "2026-10-05 10:00:00"


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ("2026-10-01 10:00:00 UTC", None),
        ("2026-10-01 12:10:00+02:00", None),
        ("2026-10-01 10:11:00 UTC", "ada: timestamp.txt says 2026-10-01 10:11 UTC, later than it came in, 2026-10-01 10:00 UTC: "),
        ("2062-10-01", "ada: timestamp.txt says 2062-10-01 00:00 UTC, later than it came in, 2026-10-01 10:00 UTC: "),
        ("yesterday", "ada: timestamp.txt is not a time, and does not count: expected a time such as 2026-10-02 11:59, found 'yesterday'"),
        ("\x00\ud800", "ada: timestamp.txt is not a time, and does not count: expected a time such as "),
    ],
)  # fmt: skip
def test_the_students_own_time_is_shown_and_never_believed(room, capsys, own, said):
    path = room.submit("ada", room.solution).with_name("timestamp.txt")
    path.write_bytes(own.encode(errors="surrogatepass"))
    collect(room, ada="2026-10-01 10:00")
    assert batch.grade(room.module) == 0
    out = capsys.readouterr().out.splitlines()
    assert came(room) == "2026-10-01 10:00:00"
    shown = next(line.split() for line in out if line.split()[:1] == ["ada"])
    assert shown[4:6] == ["2026-10-01", "10:00"]
    assert len(shown) == (8 if own.startswith("2") else 6)
    assert [line for line in out if line.startswith("ada: ")] == [
        line for line in out if said and line.startswith(said)
    ]
    assert any(line.startswith("ada: ") for line in out) is bool(said)


@pytest.mark.parametrize("text", ["[]", '{"stubs": ', "3", "\udcff", "{}"])
def test_a_record_that_is_broken_is_one_line_and_graded_again(room, capsys, text):
    room.submit("ada", room.solution)
    batch.grade(room.module)
    capsys.readouterr()
    record = room.root / "autograder/graded/ada" / f"{NAME}.json"
    record.write_bytes(text.encode(errors="surrogateescape"))
    assert batch.grade(room.module) == 0
    said = f"autograder/graded/ada/{NAME}.json cannot be read: ada is graded again"
    assert (said in capsys.readouterr().out.splitlines()) is (text != "{}")
    assert room.record("ada")["stubs"]


@pytest.mark.parametrize("text", ["[]", '{"a": ', '{"a": 3}', '{"a": "soon"}'])
def test_a_note_of_when_it_came_in_that_is_broken_is_one_line_and_kept(room, capsys, text):
    room.submit("ada", room.solution)
    room.submit("bob", room.solution)
    place = room.root / "autograder/graded/ada" / f"{NAME}.seen.json"
    place.parent.mkdir(parents=True)
    place.write_text(text, encoding="utf-8")
    assert batch.grade(room.module) == 1
    said = f"ada: not graded: autograder/graded/ada/{NAME}.seen.json, which says when it came in, cannot be read: restore it, or delete it"
    assert capsys.readouterr().out.splitlines()[-1] == said
    assert place.read_text(encoding="utf-8") == text
    assert set(room.all_points()) == {"bob"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("<img src=x onerror=alert(1)>", "a < in its name"),
        ('x" onload="alert(1)', 'a " in its name'),
        ("a&amp;b", "a & in its name"),
        ("x\\", "a \\ in its name"),
        ("x\ny", "characters in its name that cannot be printed"),
        ("x\u202ey", "characters in its name that cannot be printed"),
        (" ada", "a blank at the beginning or the end of its name"),
        ("ada ", "a blank at the beginning or the end of its name"),
        ("    Points Possible", "a blank at the beginning or the end of its name"),
        ("x" * 129, "a name of more than 128 characters"),
    ],
)
def test_a_name_that_is_no_name_is_refused_in_a_sentence(room, capsys, name, said):
    room.submit(name, room.solution)
    room.submit("o'neil, zoë", room.solution)
    assert batch.grade(room.module) == 1
    line = capsys.readouterr().out.splitlines()[-1]
    shown = name if name.isprintable() else ascii(name)
    assert line == f"{shown}: not graded: a student's folder has {said}: rename it"
    assert set(room.all_points()) == {"o'neil, zoë"}
    assert not (room.root / "autograder/graded" / name).exists()


PLACES = {
    f"ada/ada/{NAME}/activations.ipynb": True,  # one folder too deep
    f"ada/{NAME}/{NAME}/activations.ipynb": True,
    f"ada/{NAME}.2026-11-22-180718/{NAME}/activations.ipynb": True,
    f"ada/{NAME}.2026-11-22-180718.zip": True,
    f"{NAME}.2026-11-22-180718.ZIP": True,
    "class.tar.gz": True,
    "ada/02_activation/activations.ipynb": True,
    "ada/activations/activations.ipynb": True,
    "ada/02_Activations/activations.ipynb": True,
    "ada/activations.ipynb": True,
    "activations.ipynb": True,
    "ada_123_456_activations-1.ipynb": True,
    f"ada/{NAME}/activations-1.ipynb": True,
    f"ada/{NAME}/activations.ipynb.json": True,
    f"ada/{NAME}/homework.ipynb": True,
    "ada/03_layers/activations.ipynb": True,
    "ada/homework.ipynb": True,
    "layers/homework.ipynb": True,  # a student's name says nothing
    "ada/3_layers/layers.ipynb": False,  # another module's
    "ada/03_layers/layers.ipynb": False,
    "ada/03_layers/03_layers/layers.ipynb": False,
    f"ada/{NAME}/timestamp.txt": False,
    f"ada/{NAME}/test_activations.py": False,
    f"ada/{NAME}/.ipynb_checkpoints/activations-checkpoint.ipynb": False,
    f"ada/__MACOSX/{NAME}/._activations.ipynb": False,
}


@pytest.mark.parametrize("place", PLACES)
def test_work_that_lies_where_nothing_is_looked_for_is_named(room, place):
    room.submit("bob", room.solution)
    path = room.root / "autograder" / "submitted" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(room.solution, encoding="utf-8")
    said = misplaced.passed_over(room.course, room.module)
    archive = place.lower().endswith((".zip", ".gz"))
    what = "unpack it, so that there is" if archive else "what is graded is"
    line = f"autograder/submitted/{place}: passed over: {what} autograder/submitted/STUDENT/{NAME}/activations.ipynb"
    assert said == ([line] if PLACES[place] else [])


def test_what_is_passed_over_is_said_below_the_table_and_where_nobody_has_submitted(room, capsys):
    room.submit("ada", room.solution)
    submitted = room.root / "autograder" / "submitted"
    shutil.copytree(submitted / "ada", submitted / "bob" / "ada")
    assert batch.grade(room.module) == 1
    line = f"autograder/submitted/bob/ada/{NAME}/activations.ipynb: passed over: "
    assert capsys.readouterr().out.splitlines()[-1].startswith(line)
    assert batch.grade(room.module, student="ada") == 0
    shutil.rmtree(submitted / "ada")
    with pytest.raises(CourseError, match="^nobody has submitted"):
        batch.grade(room.module)
    assert capsys.readouterr().out.splitlines()[-1].startswith(line)


def test_the_class_is_not_graded_again_for_a_change_of_terms_or_a_touched_file(room, monkeypatch):
    room.submit("ada", room.solution)
    batch.grade(room.module)
    monkeypatch.setattr(batch, "judge", lambda *paths: pytest.fail("graded again"))
    write(room, "terms.yaml", RULE + "extensions: {ada: {2: 2026-10-12}}")
    room.place("ada").touch()
    room.place("ada").with_name("timestamp.txt").write_text("2026-10-01", encoding="utf-8")
    assert batch.grade(room.module) == 0
    assert json.loads((room.root / "autograder/graded/ada" / f"{NAME}.seen.json").read_text())


@pytest.mark.parametrize("step", ["update_or_create_student", "add_submission"])
def test_a_submission_is_entered_whole_or_not_at_all_wherever_it_is_broken_off(room, monkeypatch, step):
    """nbgrader commits after each of these; what ends the process then leaves nothing of the student."""
    room.submit("ada", room.solution)
    done = getattr(Gradebook, step)

    def interrupted(*arguments, **options):
        done(*arguments, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as changed:
        changed.setattr(Gradebook, step, interrupted)
        with pytest.raises(KeyboardInterrupt):
            batch.grade(room.module)
    with room.gradebook() as book:
        assert (book.students, book.assignment_submissions(NAME)) == ([], [])
    assert batch.grade(room.module) == 0
    assert room.all_points() == {"ada": {"scale": 4, "quadruple": 1}}
