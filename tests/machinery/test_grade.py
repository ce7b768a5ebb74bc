"""`make grade`: what each kind of submission is given, and what an instructor is told. Attacks are in tests/submissions."""

import json
import re
from datetime import datetime

import pytest

from autograder import course as courses
from autograder import lesson, mutants, release
from autograder.course import CourseError
from autograder.grading import batch, gradebook, mounts
from tests.classroom import NAME, SANDBOXED, Classroom, judged

in_bubblewrap = pytest.mark.skipif(not SANDBOXED, reason="bubblewrap is not installed, or not allowed here")
RIGHT = {"scale": 4, "quadruple": 1}


@pytest.fixture(scope="module")
def graded(tmp_path_factory, course_to_grade):
    """A whole class, graded once."""
    room = Classroom(tmp_path_factory.mktemp("classroom"), course_to_grade)
    room.submit("reference", room.solution)
    room.submit("untouched", room.release)
    lessons = lesson.read(room.module)
    for stub in lessons.stubs:
        room.submit(
            f"mistaken in {stub.name}",
            room.change(**{stub.name: mutants.mutated(stub, stub.mistakes[0]).source}),
        )
    room.submit("syntax", room.change(quadruple="#| export\ndef quadruple(x:\n    return"))
    room.submit("not exported", room.change(quadruple="def quadruple(x): return 4 * np.asarray(x)"))
    peeks = "#| export\nfrom tinytorch.layers import Linear\ndef quadruple(x): return double(double(x))"
    room.submit("peeks", room.change(quadruple=peeks))
    untouched = {cell.name: mutants.blank(cell).source for cell in lessons.cells if cell.kind == "stub"}
    room.submit("no tests", room.change(drop=("test-scale", "test-quadruple"), scale=untouched["scale"]))
    room.submit("other tests", room.change(**untouched, test_scale="pass", test_quadruple="pass"))
    room.submit("neither", room.change(drop=("quadruple", "test-quadruple")))
    given = [cell["id"] for cell in json.loads(room.solution)["cells"] if cell["id"].startswith("export")]
    room.submit("no imports", room.change(drop=given))
    pasted = json.loads(room.solution)
    place = next(i for i, cell in enumerate(pasted["cells"]) if cell["id"] == "scale")
    pasted["cells"].insert(place, pasted["cells"][place] | {"id": "copy", "source": untouched["scale"]})
    room.submit("pasted", json.dumps(pasted))
    elsewhere = json.loads(room.change(scale=untouched["scale"]))
    own = {"cell_type": "code", "id": "mine", "metadata": {}, "outputs": [], "execution_count": 1}
    answer = next(cell["source"] for cell in json.loads(room.solution)["cells"] if cell["id"] == "scale")
    elsewhere["cells"].append(own | {"source": answer})
    room.submit("elsewhere", json.dumps(elsewhere))
    bare = json.loads(room.solution)
    for cell in bare["cells"]:
        cell["metadata"] = {}
    room.submit("no marks", json.dumps(bare))
    room.submit("broken", room.solution[:-40])
    # What the instructor has in tinytorch/ is nobody's business here.
    (room.root / "tinytorch/tensor.py").write_text("raise RuntimeError", encoding="utf-8")
    room.done = room.grade()
    room.found = room.all_points()
    return room


@pytest.mark.parametrize(
    ("student", "scale", "quadruple"),
    [
        ("reference", 4, 1),
        ("untouched", 0, 0),
        ("mistaken in scale", 0, 1),
        ("mistaken in quadruple", 4, 0),
        ("syntax", 4, 0),
        ("not exported", 4, 1),
        ("peeks", 4, 0),
        ("no tests", 0, 1),
        ("other tests", 0, 0),
        ("neither", 4, 0),
        ("no imports", 4, 1),
        ("pasted", 4, 1),
        ("elsewhere", 4, 1),
        ("no marks", 4, 1),
    ],
)
def test_a_submission_gets_the_points_of_what_is_right(graded, student, scale, quadruple):
    assert graded.found[student] == {"scale": scale, "quadruple": quadruple}


def test_the_table_shows_the_points_and_below_it_what_is_to_be_looked_at(graded):
    assert (graded.done.returncode, graded.done.stderr) == (1, "")
    lines = [line.split() for line in graded.done.stdout.splitlines()]
    assert ["syntax", "4", "of", "5"] in [line[:4] for line in lines]
    assert ["broken", "not", "graded"] in lines
    last = graded.done.stdout.splitlines()[-1]
    assert last == "broken: not graded: activations.ipynb is not a notebook: it is not JSON"


def test_each_submission_has_its_record_and_its_graded_notebook(graded):
    record = graded.record("mistaken in scale")
    assert record["stubs"]["quadruple"] == {"state": "done", "said": "", "points": 1, "of": 1}
    said = record["stubs"]["scale"]["said"].splitlines()
    assert said[:2] == ["fails: scale by three", "asked: three times each number"]
    assert [line.strip() for line in said if "got: " in line] == ["got: array([4, 5])"]
    outputs = {
        cell["id"]: cell.get("outputs") for cell in json.loads(graded.page("mistaken in scale"))["cells"]
    }
    assert outputs["test-scale"][0]["traceback"][:2] == ["failing", "fails: scale by three"]
    assert outputs["test-quadruple"] == []


def test_the_gradebook_has_the_deadline_and_no_penalty(graded):
    with graded.gradebook() as book:
        assert book.find_assignment(NAME).duedate == datetime(2026, 10, 1)
        penalties = [each.notebooks[0].late_submission_penalty for each in book.assignment_submissions(NAME)]
    assert set(penalties) == {None}


def test_submissions_are_left_as_they_are(graded):
    assert "test-scale" not in graded.place("no tests").read_text(encoding="utf-8")


@pytest.fixture
def room(tmp_path, course_to_grade):
    room = Classroom(tmp_path, course_to_grade)
    room.submit("ada", room.change(quadruple="#| export\ndef quadruple(x): return x"))
    return room


def test_grading_again_follows_a_new_submission_and_loses_nothing(room, capfd):
    room.submit("bob", room.solution)
    assert room.run(batch.grade, room.module) == 0
    with room.gradebook() as book:
        book.find_grade("test-quadruple", "activations", NAME, "ada").manual_score = 0.5
        book.db.commit()
    room.submit("ada", room.solution)
    room.submit("bob", "{")
    assert room.run(batch.grade, room.module) == 1
    assert room.all_points() == {"bob": RIGHT, "ada": {"scale": 4, "quadruple": 0.5}}
    with room.gradebook() as book:
        assert book.find_grade("test-quadruple", "activations", NAME, "ada").auto_score == 1
    line = "bob: not graded: activations.ipynb is not a notebook: it is not JSON"
    assert line in capfd.readouterr().out.splitlines()


def test_one_student_alone_is_graded(room):
    room.submit("o'neil", room.solution)
    assert room.run(batch.grade, room.module, student="o'neil") == 0
    assert room.all_points() == {"o'neil": RIGHT}
    with pytest.raises(CourseError, match=r"^eve has not submitted: there is no autograder/submitted/eve/02"):
        batch.grade(room.module, student="eve")


def test_nothing_is_graded_twice_until_something_that_decides_it_has_changed(room, monkeypatch):
    graded = []
    monkeypatch.setattr(batch, "judge", lambda *paths: graded.append(paths) or judged(*paths))
    for times in (1, 1):
        assert batch.grade(room.module) == 0
        assert len(graded) == times
    asked = room.module.source.with_name("probes.py")
    asked.write_text(asked.read_text(encoding="utf-8") + "\n\n# mended\n", encoding="utf-8")
    assert batch.grade(room.module) == 0
    assert len(graded) == 1
    asked.write_text(asked.read_text(encoding="utf-8").replace("size=5", "size=6"), encoding="utf-8")
    assert batch.grade(room.module) == 0
    assert len(graded) == 2
    before = room.course.find(1).source
    changed = before.read_text(encoding="utf-8").replace("np.asarray(x) + np.asarray(x)", "2 * np.asarray(x)")
    before.write_text(changed, encoding="utf-8")
    assert batch.grade(room.module) == 0
    assert len(graded) == 3


def test_a_test_that_was_mended_and_released_gives_the_points_back(room):
    room.submit("ada", room.solution)
    right = room.module.source.read_text(encoding="utf-8")
    for source, points in ((right.replace("[3, 6]", "[3, 7]"), {"scale": 0, "quadruple": 1}), (right, RIGHT)):
        room.module.source.write_text(source, encoding="utf-8")
        release.release(room.course, [room.module])
        assert room.run(batch.grade, room.module) == 0
        assert room.points("ada") == points


def test_given_code_may_change_between_gradings_but_stubs_may_not(room, monkeypatch):
    (room.root / "autograder/gradebook.db").unlink()
    url = f"sqlite:///{room.root}/autograder/other.db"
    monkeypatch.setenv("GRADEBOOK_URL", url)
    points = {"scale": 4, "quadruple": 0}
    assert room.run(batch.grade, room.module) == 0
    assert room.points("ada", url) == points
    assert not (room.root / "autograder/gradebook.db").exists()
    text = room.module.source.read_text(encoding="utf-8")
    changed = text.replace("import numpy as np\n", "import math\n\nimport numpy as np\n")
    room.module.source.write_text(changed, encoding="utf-8")
    assert room.run(batch.grade, room.module) == 0
    assert room.points("ada", url) == points
    probes = room.module.source.with_name("probes.py")
    for path in (room.module.source, room.module.mistakes, probes):
        text = path.read_text(encoding="utf-8").replace('"quadruple"', '"fourfold"')
        path.write_text(text, encoding="utf-8")
    with pytest.raises(CourseError, match="other stubs than when submissions were entered in the gradebook"):
        batch.grade(room.module)


def test_a_lesson_with_a_stub_without_a_probe_is_not_graded(room):
    probes = room.module.source.with_name("probes.py")
    probes.write_text(probes.read_text(encoding="utf-8").replace('@probe("scale")', ""), encoding="utf-8")
    with pytest.raises(
        CourseError, match=r"not graded: tests alone can be cheated, and .* no probe of scale$"
    ):
        batch.grade(room.module)


def test_without_a_submission_grading_is_one_line(room):
    with pytest.raises(CourseError) as refused:
        batch.grade(room.course.find(1))
    assert str(refused.value) == "nobody has submitted: there is no autograder/submitted/STUDENT/01_tensor"
    assert refused.value.exit_code == 2


def test_a_module_that_has_no_lesson_is_one_line(room):
    (room.root / "autograder/submitted/ada/04_losses").mkdir()
    with pytest.raises(CourseError, match=r"^solutions/04_losses/losses.py: not written yet$"):
        batch.grade(courses.load(room.root).find(4))


def test_an_answer_in_words_waits_for_its_mark_and_changes_no_other(tmp_path, course_in_words, capfd):
    room = Classroom(tmp_path, course_in_words)
    room.submit("solved", room.solution)
    blank = json.loads(room.release)
    blank["cells"] = [cell for cell in blank["cells"] if cell["id"] != "what-is-lost"]
    room.submit("without the place", json.dumps(blank))
    room.submit("in words alone", json.dumps(answered(room.release, "Nothing.")))
    assert room.run(batch.grade, room.module) == 0
    students = ("in words alone", "solved", "without the place")
    said = [" ".join(line.split()) for line in capfd.readouterr().out.splitlines()]
    shown = {student: next(line for line in said if line.startswith(student)) for student in students}
    assert re.match(r"in words alone 0 of 8 .* to mark$", shown["in words alone"])
    assert re.match(r"solved 5 of 8 .* to mark$", shown["solved"])
    assert re.match(r"without the place 0 of 8 [^a-z]*$", shown["without the place"])
    with room.gradebook() as book:
        for student, points in (("in words alone", 1), ("solved", 3)):
            grade_of = book.find_grade("what-is-lost", "activations", NAME, student)
            assert (grade_of.auto_score, grade_of.needs_manual_grade) == (None, True)
            grade_of.manual_score, grade_of.needs_manual_grade = points, False  # as the formgrader does
        book.db.commit()
    with room.gradebook() as book:
        found = {
            student: gradebook.score(book, room.module, student) for student in ("in words alone", "solved")
        }
    assert found == {"in words alone": (1, 8), "solved": (8, 8)}


def answered(notebook, text):
    """A notebook with this answer in words."""
    notebook = json.loads(notebook)
    for cell in notebook["cells"]:
        if cell["id"] == "what-is-lost":
            cell["source"] = text
    return notebook


def test_who_grades_kernels_where_none_can_be_compiled_is_told(monkeypatch):
    lesson_of_kernels = next(each for each in courses.load().modules if each.slug == "kernels")
    source = lesson_of_kernels.source.read_text(encoding="utf-8")
    monkeypatch.setattr(mounts, "COMPILING", ("numpy", "no-such-compiler"))
    said = "Kernels ran in the simulator and were not compiled: no-such-compiler is not installed."
    assert mounts.uncompiled(source) == said
    assert not mounts.uncompiled("import numpy")
    monkeypatch.setattr(mounts, "COMPILING", ("numpy",))
    assert not mounts.uncompiled(source)
