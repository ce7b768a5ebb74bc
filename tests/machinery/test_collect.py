"""Who is in the class, and what a learning management system hands over: nothing is passed over in silence."""

import io
import json
import zipfile

import pytest

from autograder.course import CourseError
from autograder.grading import received, roster
from autograder.grading.collect import collect
from tests.classroom import Classroom

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,02 (77)
    Points Possible,,,,,8
"Lovelace, Ada",101,,ada,A,
"O'Neil, Zoë",102,,zoe,A,
"Müller, Bob",103,,bob,B,
"Müller, Bob",104,,bob2,B,
"Student, Test",999,,test,A,
"""
MOODLE = """Identifier,Full name,Email address,Last modified (submission)
Participant 7,Ada Lovelace,ada@example.org,"Wednesday, 30 September 2026, 2:05 PM"
Participant 8,Zoë O'Neil,zoe@example.org,-
Participant 9,Bob Müller,bob@example.org,2026-10-02 12:00
"""


@pytest.fixture
def room(tmp_path, course_to_grade, monkeypatch):
    room = Classroom(tmp_path / "course", course_to_grade)
    monkeypatch.chdir(room.root)
    monkeypatch.setattr(roster, "load", lambda: room.course)
    return room


def enroll(room, text, name="class.csv"):
    path = room.root.parent / name
    path.write_text(text, encoding="utf-8-sig")
    return roster.roster(str(path))


def zipped(place, files):
    with zipfile.ZipFile(place, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return str(place)


def bytes_of(files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return held.getvalue()


def test_a_roster_is_canvas_s_without_what_is_no_person(room, capsys):
    assert enroll(room, CANVAS) == 0
    people = {person.student: person for person in roster.of(room.course)}
    assert people.keys() == {"ada", "zoe", "bob", "bob2"}
    assert (people["ada"].name, people["ada"].id, people["ada"].section) == ("Lovelace, Ada", "101", "A")
    assert "new: zoe, O'Neil, Zoë" in capsys.readouterr().out


def test_who_is_renamed_added_or_gone_is_told_and_keeps_the_folder_s_name(room, capsys):
    enroll(room, CANVAS)
    capsys.readouterr()
    text = CANVAS.replace('"Lovelace, Ada",101,,ada', '"King, Ada",101,,aking').replace(
        '"Müller, Bob",104,,bob2,B,\n', '"Eve",105,,eve,B,\n'
    )
    assert enroll(room, text) == 0
    told = capsys.readouterr().out
    assert "changed: ada, King, Ada" in told
    assert "new: eve, Eve" in told
    assert "gone: bob2; what was submitted stays" in told
    assert "kept autograder/roster." in told


@pytest.mark.parametrize(
    "text, why",
    [
        ("a,b\n1,2\n", "none of the columns"),
        ("", "none of the columns"),
        ("student,name\n", "none of the columns|nobody"),
        ('student\n"ada\n', "cannot be read as a table"),
    ],
)
def test_what_is_no_roster_is_refused_in_a_line(room, text, why):
    with pytest.raises(CourseError, match=why):
        enroll(room, text)


def test_a_row_that_names_nobody_or_somebody_twice_is_told(room, capsys):
    assert enroll(room, "student,name,section\nada,Ada,A\n,,B\nada,Other,A\na<b,Eve,A\nx,y,z,1\n") == 1
    told = capsys.readouterr().out
    assert "line 3: no login, no address and no name" in told
    assert "line 6: more cells" in told
    assert "ada: in two rows" in told
    assert "Eve: not taken: a < in its name" in told


def test_what_canvas_gives_is_put_in_place_by_the_person_s_number(room, capsys):
    enroll(room, CANVAS)
    other = json.loads(room.solution)
    other["cells"] = []
    files = {
        "lovelaceada_101_900_activations.ipynb": room.release,
        "lovelaceada_LATE_101_901_activations-1.ipynb": room.solution,
        "mullerbob_104_902_02_activations.zip": bytes_of(
            {
                "02_activations/activations.ipynb": room.solution,
                "02_activations/timestamp.txt": "2026-09-30 12:00:00 UTC\n",
                "__MACOSX/02_activations/._activations.ipynb": "x",
            }
        ),
        "mullerbob_903_904_activations.ipynb": room.solution,
        "strangereve_105_905_activations.ipynb": room.solution,
        "oneilzoe_102_906_essay.pdf": b"%PDF",
        "oneilzoe_102_907_activations.ipynb": json.dumps(other),
        "oneilzoe_102_908_work.zip": b"no zip",
        "oneilzoe_102_910_twice.zip": bytes_of({"a.zip": bytes_of({"activations.ipynb": room.solution})}),
        "oneilzoe_102_909_nothing.zip": bytes_of({"__MACOSX/02_activations/._activations.ipynb": "x"}),
    }
    assert collect(room.module, zipped(room.root.parent / "submissions.zip", files)) == 1
    told = capsys.readouterr().out
    assert room.place("ada").read_text() == room.solution, "the later of the two"
    assert room.place("bob2").read_text() == room.solution, "out of the zip"
    assert "ada: lovelaceada_LATE_101_901_activations-1.ipynb, the last of 2, LATE" in told
    assert "mullerbob_903_904_activations.ipynb: not placed: 2 students are called so: bob, bob2" in told
    assert (
        "strangereve_105_905_activations.ipynb: not placed: nobody in autograder/roster.csv is called so"
        in told
    )
    assert "essay.pdf: not placed: it is neither a notebook nor a zip" in told
    assert "oneilzoe_102_907_activations.ipynb: not placed: " in told
    assert "oneilzoe_102_908_work.zip: not placed: it is not a zip" in told
    assert "oneilzoe_102_910_twice.zip/a.zip: not placed: it is a zip in a zip, and not opened" in told
    assert "oneilzoe_102_909_nothing.zip: not placed: there is no file in the zip" in told
    assert "not handed in: bob, zoe" in told
    assert "late, and the download does not say when: ada" in told
    assert "2 handed in, 2 of them new, 7 not placed" in told


def test_collecting_again_changes_nothing_and_a_new_version_keeps_the_old(room, capsys):
    enroll(room, CANVAS)
    place = room.root.parent / "s.zip"
    source = zipped(place, {"lovelaceada_101_900_activations.ipynb": room.solution})
    assert collect(room.module, source) == 0
    capsys.readouterr()
    assert collect(room.module, source) == 0
    assert "as before" in capsys.readouterr().out
    assert collect(room.module, zipped(place, {"lovelaceada_101_950_activations-2.ipynb": room.release})) == 0
    (kept,) = (room.root / "autograder/replaced/ada/02_activations").iterdir()
    assert kept.read_text() == room.solution
    assert f"kept {kept.relative_to(room.root)}" in capsys.readouterr().out
    assert room.place("ada").read_text() == room.release


def test_what_moodle_gives_is_put_in_place_with_its_times(room, capsys):
    enroll(room, MOODLE.replace("Last modified (submission)", "Status"))
    (room.root / received.PLACE).write_text("student,module,time\nzoe,2,2026-09-01 10:00\n")
    files = {
        "Ada Lovelace_11_assignsubmission_file/activations.ipynb": room.solution,
        "Ada Lovelace_11_assignsubmission_onlinetext/onlinetext.html": "<p>",
        "Zoë O'Neil_13_assignsubmission_onlinetext/onlinetext.html": "<p>",
        "Bob Müller_12_assignsubmission_file_activations (1).ipynb": room.release,
    }
    times = room.root.parent / "worksheet.csv"
    times.write_text(MOODLE, encoding="utf-8")
    assert collect(room.module, zipped(room.root.parent / "m.zip", files), str(times)) == 1
    told = capsys.readouterr().out
    assert room.place("ada").read_text() == room.solution
    assert room.place("bob").read_text() == room.release
    assert "not handed in: zoe" in told
    assert "Zoë O'Neil_13_assignsubmission_onlinetext/onlinetext.html: not placed: text was typed" in told
    assert "2 handed in, 2 of them new, 1 not placed" in told
    found = received.collected(room.course).times
    assert {student: f"{time:%m-%d %H:%M}" for (student, _), time in found.items()} == {
        "ada": "09-30 14:05",
        "bob": "10-02 12:00",
        "zoe": "09-01 10:00",
    }
    assert "kept autograder/received." in told


def test_two_of_one_name_are_told_apart_by_the_worksheet_of_the_assignment(room, capsys):
    enroll(room, MOODLE.replace("Ada Lovelace", "Bob Müller"))
    files = {
        "Bob Müller_9_assignsubmission_file_/activations.ipynb": room.solution,
        "Bob Müller_7_assignsubmission_file/activations.ipynb": room.release,
        "Bob Müller_70_assignsubmission_file/activations.ipynb": room.release,
    }
    assert collect(room.module, zipped(room.root.parent / "m.zip", files)) == 1
    assert room.place("bob").read_text() == room.solution
    assert room.place("ada").read_text() == room.release
    assert (
        "70_assignsubmission_file/activations.ipynb: not placed: 2 students are called so"
        in capsys.readouterr().out
    )


def test_a_folder_of_folders_is_taken_at_any_depth_and_without_a_roster(room, capsys):
    source = room.root.parent / "downloads"
    for place in ("ada/activations.ipynb", "finn/02_activations/deeper/activations-1.ipynb"):
        path = source / place
        path.parent.mkdir(parents=True)
        path.write_text(room.solution)
    assert collect(room.module, str(source)) == 0
    assert room.place("finn").read_text() == room.solution
    assert "there is no autograder/roster.csv" in capsys.readouterr().out
    enroll(room, CANVAS)
    capsys.readouterr()
    assert collect(room.module, str(source.parent / "downloads")) == 1
    assert "finn/02_activations/deeper/activations-1.ipynb: not placed: nobody" in capsys.readouterr().out


def test_hostile_archives_write_nothing_elsewhere(room, capsys):
    link = zipfile.ZipInfo("ada/activations.ipynb")
    link.external_attr = 0o120777 << 16
    place = room.root.parent / "bad.zip"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("../../evil/activations.ipynb", room.solution)
        archive.writestr("/etc/activations.ipynb", room.solution)
        archive.writestr(link, "/etc/passwd")
        archive.writestr("eve/big.ipynb", b" " * (40 << 20))
    before = {path for path in room.root.parent.rglob("*") if path.is_file()}
    assert collect(room.module, str(place)) == 1
    told = capsys.readouterr().out
    assert "a link was handed in" in told
    assert "eve/big.ipynb: not placed: it is too large" in told
    new = {path for path in room.root.parent.rglob("*") if path.is_file()} - before
    submitted = room.root / "autograder" / "submitted"
    assert all(submitted in path.resolve().parents for path in new), new


def test_what_is_no_download_is_refused_in_a_line(room):
    (room.root.parent / "no.zip").write_bytes(b"no zip")
    for source, why in (
        (None, "takes a download"),
        ("missing.zip", "no such file"),
        (str(room.root.parent / "no.zip"), "as a zip"),
    ):
        with pytest.raises(CourseError, match=why):
            collect(room.module, source)


def test_without_the_released_notebook_a_line_says_how_to_make_it(room):
    room.module.notebook.unlink()
    with pytest.raises(CourseError, match="activations.ipynb: it is not there: `make release 2` makes it"):
        collect(room.module, zipped(room.root.parent / "s.zip", {"a.ipynb": room.solution}))
