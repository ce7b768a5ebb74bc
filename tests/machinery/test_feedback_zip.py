"""Feedback as a zip that Canvas or Moodle takes back: by the names of the download, and only what has changed since the last one.

How the two systems find whose a file is, is written here from their sources: `infer_comment_context_from_filename` of Canvas's
assignments, and `is_valid_filename_for_import` of Moodle's feedback files.
"""

import io
import json
import zipfile

import nbformat
import pytest

from autograder import __main__ as program
from autograder.course import CourseError
from autograder.grading import batch, feedback_zip, marks, marks_by_hand, roster, students
from autograder.grading.collect import collect
from tests.classroom import NAME, Classroom
from tests.machinery.test_collect import bytes_of, zipped
from tests.machinery.test_marks_by_hand import right

CLASS = """student,name,id
ada,"Lovelace, Ada",101
zoe,"O'Neil, Zoë",102
=1+1,"=1+1 <b>",103
bob,Bob Müller,104
eve,Eve,105
finn,Finn,106
"""
CANVAS = {
    "lovelaceada_101_900_activations-2.ipynb": None,
    "oneilzoe_LATE_102_901_02_activations.2026-11-22-180718.zip": "zip",
    "11b_103_902_activations.ipynb": None,
}
MOODLE = {
    "Bob Müller_12_assignsubmission_file/activations.ipynb": None,  # Moodle 4.1 and later
    "Eve_13_assignsubmission_file_/work/activations.ipynb": None,  # 3.1 to 4.0
    "Finn_14_assignsubmission_file_activations (1).ipynb": None,  # without folders
}


def canvas_finds(name: str) -> tuple[str, str]:
    """The numbers of the student and of the file that was submitted."""
    numbers = [part for part in name.split("/")[-1].split("_") if part.isdecimal()]
    return tuple(numbers[:2])


def moodle_finds(name: str) -> tuple[str, str]:
    """The number of the participant, and the name of the feedback file."""
    parts = ["", "import", *name.split("/")]
    while parts:
        info = parts.pop(0).split("_", 4)
        if len(info) >= 4 and info[1].isdecimal() and info[2:4] == ["assignsubmission", "file"]:
            return info[1], "/".join([*info[4:], *parts]).removeprefix("/")
    raise AssertionError(f"Moodle does not take {name}")


@pytest.fixture(scope="module")
def collected_course(tmp_path_factory, course_to_grade):
    """A course that was collected from both systems and graded; Gus was not collected."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SANDBOX", "none")
        patch.setattr(batch, "judge", right)
        room = Classroom(tmp_path_factory.mktemp("collected") / "course", course_to_grade)
        (room.root / "autograder").mkdir(exist_ok=True)
        (room.root / roster.PLACE).write_text(CLASS, encoding="utf-8")
        packed = bytes_of({f"{NAME}/activations.ipynb": room.solution})
        for source, names in (("canvas.zip", CANVAS), ("moodle.zip", MOODLE)):
            files = {name: packed if kind else room.solution for name, kind in names.items()}
            assert collect(room.module, zipped(room.root.parent / source, files)) == 0
        room.submit("gus", room.solution)
        assert batch.grade(room.module) == 0
    return room.root


@pytest.fixture
def room(tmp_path, collected_course, monkeypatch):
    monkeypatch.setenv("SANDBOX", "none")
    monkeypatch.chdir(tmp_path)
    return Classroom(tmp_path, collected_course)


def made(room, capsys, asked="1", student=None) -> tuple[dict[str, dict[str, bytes]], list[str]]:
    """The files of the zips that this writes, by system, and what it says of them."""
    folder = room.root / "autograder" / "returned"
    before = set(folder.glob("*"))
    capsys.readouterr()
    assert marks.feedback(room.module, student, asked) == 0
    found = {}
    for place in set(folder.glob("*")) - before:
        with zipfile.ZipFile(place) as archive:
            found[place.name.split(".")[1]] = {name: archive.read(name) for name in archive.namelist()}
    said = capsys.readouterr().out
    return found, said[said.index("feedback: ") :].splitlines()[1:]


def page(room, student: str) -> bytes:
    return (room.root / "autograder" / "feedback" / student / NAME / "activations.html").read_bytes()


def test_each_system_finds_whose_a_file_is(room, capsys):
    found, said = made(room, capsys)
    assert found["canvas"].keys() == CANVAS.keys()
    assert [canvas_finds(name) for name in sorted(found["canvas"])] == [
        ("103", "902"),
        ("101", "900"),
        ("102", "901"),
    ]
    assert {moodle_finds(name) for name in found["moodle"]} == {
        (number, "activations.html") for number in ("12", "13", "14")
    }
    by_number = {moodle_finds(name)[0]: content for name, content in found["moodle"].items()}
    assert by_number == {"12": page(room, "bob"), "13": page(room, "eve"), "14": page(room, "finn")}
    assert [line.partition(": ")[2] for line in said] == ["3 of 3, for Canvas", "3 of 3, for Moodle", "gus"]
    assert said[2] == "in no zip, for `make collect` did not place them: gus"


def test_what_goes_back_to_canvas_is_of_the_kind_of_which_it_keeps_the_name(room, capsys):
    marks_by_hand.mark(room.module, "ada", "scale", "2", "Not <b>your</b> own idea.")
    with room.gradebook() as book:
        book.find_comment("quadruple", "activations", NAME, "ada").manual_comment = "Call <double> twice."
        book.db.commit()
    found, _ = made(room, capsys)
    (inner,) = (content for name, content in found["canvas"].items() if name.endswith(".zip"))
    with zipfile.ZipFile(io.BytesIO(inner)) as archive:
        assert archive.namelist() == ["activations.html"]
        assert archive.read("activations.html") == page(room, "zoe")
    notebook = nbformat.reads(
        found["canvas"]["lovelaceada_101_900_activations-2.ipynb"].decode(), as_version=4
    )
    nbformat.validate(notebook)
    told, *rest = notebook.cells
    assert told.cell_type == "markdown"
    assert "3 of 5 points before lateness." in told.source
    assert "<p>scale: 2 of 4, by hand: Not &lt;b&gt;your&lt;/b&gt; own idea.</p>" in told.source
    assert "<td>quadruple</td><td>1 of 1</td><td>Call &lt;double&gt; twice.</td>" in told.source
    assert [cell.id for cell in rest] == [cell["id"] for cell in json.loads(room.page("ada"))["cells"]]


def test_only_what_changed_since_the_last_zip_of_a_system_goes_into_the_next(room, capsys):
    made(room, capsys)
    found, said = made(room, capsys)
    assert found == {}
    assert said[:2] == [
        "nothing has changed since the last zip for Canvas",
        "nothing has changed since the last zip for Moodle",
    ]
    marks_by_hand.mark(room.module, "eve", "scale", "2", "Late.")
    found, said = made(room, capsys)
    assert {system: len(files) for system, files in found.items()} == {"moodle": 1}
    assert moodle_finds(*found["moodle"]) == ("13", "activations.html")
    assert b"Late." in next(iter(found["moodle"].values()))
    found, _ = made(room, capsys, "all")
    assert {system: len(files) for system, files in found.items()} == {"canvas": 3, "moodle": 3}
    assert len(list((room.root / "autograder" / "returned").iterdir())) == 5


def test_one_students_zip_leaves_the_others_for_the_next(room, capsys):
    found, _ = made(room, capsys, student="ada")
    assert list(found) == ["canvas"]
    found, _ = made(room, capsys)
    assert {system: len(files) for system, files in found.items()} == {"canvas": 2, "moodle": 3}


def test_a_file_that_was_handed_in_again_gets_its_feedback_under_the_new_name(room, capsys, monkeypatch):
    monkeypatch.setattr(batch, "judge", right)
    made(room, capsys)
    changed = room.change(quadruple="#| export\ndef quadruple(x): return 4 * x")
    collect(
        room.module, zipped(room.root / "again.zip", {"lovelaceada_101_950_activations-3.ipynb": changed})
    )
    batch.grade(room.module)
    found, _ = made(room, capsys)
    assert {system: list(files) for system, files in found.items()} == {
        "canvas": ["lovelaceada_101_950_activations-3.ipynb"]
    }


def test_a_student_who_is_renamed_or_deleted_is_so_in_marks_and_in_what_goes_back(room, capsys):
    for student in ("ada", "eve"):
        marks_by_hand.mark(room.module, student, "scale", "2", "Late.")
    students.student(rename="ada", to="lovelace")
    students.student(remove="eve")
    assert "autograder/marks.jsonl: ada now lovelace" in capsys.readouterr().out
    assert "ada" not in feedback_zip.origins(room.module)
    assert "eve" not in (room.root / marks_by_hand.PLACE).read_text(encoding="utf-8")
    found, _ = made(room, capsys)
    assert found["canvas"].keys() == CANVAS.keys()
    assert len(found["moodle"]) == 2
    marks_by_hand.mark(room.module, "lovelace", "scale", undo=True)
    assert room.points("lovelace")["scale"] == 4


def test_bad_input_is_one_line_and_no_zip(room, capsys):
    with pytest.raises(CourseError, match=r"^ZIP=yes: expected 1, for what has changed, or all$"):
        marks.feedback(room.module, zip="yes")
    assert program.main(["feedback", "2", "--zip=2"]) == 2
    (room.root / "autograder" / "downloads" / f"{NAME}.json").write_text('{"ada": 1}')
    line = (
        rf"^autograder/downloads/{NAME}\.json cannot be read: delete it, and `make collect 2` makes it again$"
    )
    with pytest.raises(CourseError, match=line):
        feedback_zip.origins(room.module)
    assert not (room.root / "autograder" / "returned").exists()
