"""`make grade`: a real nbgrader and real kernels, and what each kind of submission is given."""

import json
import os
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder import course as courses
from autograder import grade, lesson, mutants, release
from autograder.course import CourseError

ROOT = Path(__file__).parents[2]
NAME = "02_activations"
UNGRADED = {
    "broken": "autograder/submitted/broken/02_activations/activations.ipynb: this is not a notebook",
    "empty": "autograder/submitted/empty/02_activations/activations.ipynb: no such notebook",
    "a folder": "autograder/submitted/a folder/02_activations/activations.ipynb: this is not a notebook",
    "a[b]": "a student's folder has no [, * or ? in its name",
    "dead": "nbgrader could not grade it: nbclient.exceptions.DeadKernelError: Kernel died",
}


class Classroom:
    """A course with students who submit, and what `make grade` makes of it."""

    def __init__(self, root, samples):
        self.root = root
        slugs = [f"{module.slug}.py" for module in courses.load(ROOT).modules]
        faces = shutil.ignore_patterns("__pycache__", *slugs)
        shutil.copytree(ROOT / "tinytorch", root / "tinytorch", ignore=faces)
        shutil.copytree(samples, root, dirs_exist_ok=True)
        text = (root / "course.yaml").read_text(encoding="utf-8")
        text = text.replace("limits: {seconds: 120", "limits: {seconds: 4")
        text = text.replace("deadline: null", "deadline: 2026-09-30")
        (root / "course.yaml").write_text(text, encoding="utf-8")
        self.module = courses.load(root).find(NAME)
        self.solution = self.module.source.with_suffix(".ipynb").read_text(encoding="utf-8")
        self.release = self.module.notebook.read_text(encoding="utf-8")

    def submit(self, student, text):
        path = self.root / "autograder" / "submitted" / student / NAME / "activations.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def change(self, drop=(), **sources):
        """The solution with other sources of some cells, by their names with underscores, and without others."""
        notebook = json.loads(self.solution)
        for cell in notebook["cells"]:
            cell["source"] = sources.get(cell["id"].replace("-", "_"), cell["source"])
        notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] not in drop]
        return json.dumps(notebook)

    def grade(self, *keys, **environment):
        command = [sys.executable, "-P", "-m", "autograder", "grade", *(keys or ("2",))]
        paths = {"PYTHONPATH": os.pathsep.join([str(self.root), str(ROOT)])}
        return subprocess.run(
            command, cwd=self.root, env=os.environ | paths | environment, capture_output=True, text=True
        )

    def gradebook(self, name="gradebook.db"):
        return Gradebook(f"sqlite:///{self.root}/autograder/{name}", "tinytorch")

    def points(self, student, name="gradebook.db"):
        """A student's points for each test."""
        with self.gradebook(name) as book:
            grades = book.find_submission(NAME, student).notebooks[0].grades
            return {grade.name.removeprefix("test-"): grade.score for grade in grades}


@pytest.fixture(scope="module")
def graded(tmp_path_factory, released_samples):
    """A whole class, graded once: each kernel takes a second or two."""
    room = Classroom(tmp_path_factory.mktemp("classroom"), released_samples)
    room.submit("reference", room.solution)
    room.submit("untouched", room.release)
    lessons = lesson.read(room.module)
    for stub in lessons.stubs:
        room.submit(
            f"mistaken in {stub.name}",
            room.change(**{stub.name: mutants.mutated(stub, stub.mistakes[0]).source}),
        )
    room.submit("syntax", room.change(quadruple="def quadruple(x:\n    return"))
    room.submit("loop", room.change(quadruple="def quadruple(x):\n    while True: pass"))
    room.submit(
        "warns",
        room.change(
            quadruple="import warnings\ndef quadruple(x):\n    warnings.warn('slow')\n    return double(double(x))"
        ),
    )
    room.submit(
        "peeks",
        room.change(
            quadruple="from tinytorch.layers import Linear\ndef quadruple(x): return double(double(x))"
        ),
    )
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
    bare = json.loads(room.solution)
    for cell in bare["cells"]:
        cell["metadata"] = {}
    room.submit("no marks", json.dumps(bare))
    room.submit("broken", room.solution[:-40])
    room.submit("empty", "").unlink()
    room.submit("a folder", "").unlink()
    (room.root / "autograder/submitted/a folder" / NAME / "activations.ipynb").mkdir()
    room.submit("a[b]", room.solution)
    room.submit("dead", room.change(quadruple="import os\nos._exit(0)"))
    # What the instructor has in tinytorch/ is nobody's business here.
    (room.root / "tinytorch/tensor.py").write_text("raise RuntimeError", encoding="utf-8")
    room.done = room.grade()
    return room


@pytest.mark.parametrize(
    ("student", "scale", "quadruple"),
    [
        ("reference", 4, 1),
        ("untouched", 0, 0),
        ("mistaken in scale", 0, 1),
        ("mistaken in quadruple", 4, 0),
        ("syntax", 4, 0),
        ("loop", 4, 0),
        ("warns", 4, 1),
        ("peeks", 4, 0),
        ("no tests", 0, 1),
        ("other tests", 0, 0),
        ("neither", 4, 0),
        ("no imports", 4, 1),
        ("pasted", 4, 1),
        ("no marks", 4, 1),
    ],
)
def test_a_submission_gets_the_points_of_what_is_right(graded, student, scale, quadruple):
    assert graded.points(student) == {"scale": scale, "quadruple": quadruple}


def test_the_table_shows_the_points_and_a_line_where_the_feedback_lies(graded):
    lines = [line.split() for line in graded.done.stdout.splitlines()]
    assert ["syntax", "4", "of", "5"] in lines
    assert ["dead", "not", "graded"] in lines
    assert lines[-1] == ["feedback:", f"autograder/feedback/STUDENT/{NAME}/activations.html"]
    feedback = graded.root / "autograder/feedback/mistaken in scale" / NAME / "activations.html"
    assert "three times each number" in feedback.read_text(encoding="utf-8")


@pytest.mark.parametrize("student", UNGRADED)
def test_what_cannot_be_graded_is_one_line_and_stops_nobody(graded, student):
    assert graded.done.returncode == 1
    assert graded.done.stderr == ""
    assert f"{student}: {UNGRADED[student]}" in graded.done.stdout.splitlines()
    with graded.gradebook() as book:
        assert student not in [submission.student_id for submission in book.assignment_submissions(NAME)]


def test_a_deadline_ends_with_its_day(graded):
    with graded.gradebook() as book:
        assert book.find_assignment(NAME).duedate == datetime(2026, 9, 30, 23, 59, 59)


def test_submissions_are_left_as_they_are(graded):
    path = graded.root / "autograder/submitted/no tests" / NAME / "activations.ipynb"
    assert "test-scale" not in path.read_text(encoding="utf-8")


@pytest.fixture
def room(tmp_path, released_samples):
    room = Classroom(tmp_path, released_samples)
    room.submit("ada", room.change(quadruple="def quadruple(x): return x"))
    return room


def test_grading_again_follows_a_new_submission_and_loses_nothing(room, capsys):
    room.submit("bob", room.solution)
    assert grade.grade(room.module) == 0
    with room.gradebook() as book:
        book.find_grade("test-quadruple", "activations", NAME, "ada").manual_score = 0.5
        book.db.commit()
    room.submit("ada", room.solution)
    room.submit("bob", "{")
    assert grade.grade(room.module) == 1
    assert room.points("bob") == {"scale": 4, "quadruple": 1}
    assert room.points("ada") == {"scale": 4, "quadruple": 0.5}
    with room.gradebook() as book:
        assert book.find_grade("test-quadruple", "activations", NAME, "ada").auto_score == 1
    line = "bob: autograder/submitted/bob/02_activations/activations.ipynb: this is not a notebook"
    assert line in capsys.readouterr().out.splitlines()


def test_given_code_may_change_between_gradings_but_stubs_may_not(room, monkeypatch):
    monkeypatch.setenv("GRADEBOOK_URL", f"sqlite:///{room.root}/autograder/other.db")
    points = {"scale": 4, "quadruple": 0}
    assert grade.grade(room.module) == 0
    assert room.points("ada", "other.db") == points
    assert not (room.root / "autograder/gradebook.db").exists()
    text = room.module.source.read_text(encoding="utf-8")
    changed = text.replace("import numpy as np\n", "import math\n\nimport numpy as np\n")
    room.module.source.write_text(changed, encoding="utf-8")
    assert grade.grade(room.module) == 0
    for path in (room.module.source, room.module.mistakes):
        renamed = path.read_text(encoding="utf-8").replace('"quadruple"', '"fourfold"')
        path.write_text(renamed, encoding="utf-8")
    with pytest.raises(
        CourseError, match=r"^02_activations has other stubs than when submissions .*GRADEBOOK_URL$"
    ):
        grade.grade(room.module)
    assert room.points("ada", "other.db") == points


def test_nobody_having_submitted_is_one_line(room):
    done = room.grade("1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "nobody has submitted: there is no autograder/submitted/STUDENT/01_tensor\n"


def test_a_module_that_has_no_lesson_is_one_line(room):
    (room.root / "autograder/submitted/ada/04_losses").mkdir()
    with pytest.raises(CourseError, match=r"^solutions/04_losses/losses.py: not written yet$"):
        grade.grade(courses.load(room.root).find(4))


def test_limits_are_those_of_one_submission_and_never_nothing(monkeypatch):
    now = iter([100, 101, 109, 500])
    monkeypatch.setattr(grade.time, "monotonic", lambda: next(now))
    allowed = grade.allowance(20)
    assert [allowed(None) for _ in range(3)] == [19, 11, grade.LEAST]


IN_WORDS = """

# %% [markdown]
# What does a scale of 0 lose?

# %% [markdown] answer="what-is-lost" points=3
# Everything: two inputs can no longer be told apart.
"""


def test_an_answer_in_words_waits_for_its_mark_and_changes_no_other(tmp_path, released_samples):
    samples = shutil.copytree(released_samples, tmp_path / "samples")
    module = courses.load(samples).find(NAME)
    with module.source.open("a", encoding="utf-8") as source:
        source.write(IN_WORDS)
    release.release(courses.load(samples), [module])
    room = Classroom(tmp_path / "room", samples)
    room.submit("solved", room.solution)
    blank = json.loads(room.release)
    blank["cells"] = [cell for cell in blank["cells"] if cell["id"] != "what-is-lost"]
    room.submit("without the place", json.dumps(blank))
    room.submit("in words alone", json.dumps(answered(room.release, "Nothing.")))
    done = room.grade()
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    said = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "in words alone 0 of 8, with answers to mark by hand" in said
    assert "solved 5 of 8, with answers to mark by hand" in said
    assert "without the place 0 of 8" in said
    with room.gradebook() as book:
        for student, points in (("in words alone", 1), ("solved", 3)):
            grade_of = book.find_grade("what-is-lost", "activations", NAME, student)
            assert (grade_of.auto_score, grade_of.needs_manual_grade) == (None, True)
            grade_of.manual_score, grade_of.needs_manual_grade = points, False  # as the formgrader does
        book.db.commit()
    config = grade.configuration(courses.load(room.root))
    found = {student: grade.score(room.module, student, config) for student in ("in words alone", "solved")}
    assert found == {"in words alone": (1, 8), "solved": (8, 8)}


def answered(notebook, text):
    """A notebook with this answer in words."""
    notebook = json.loads(notebook)
    for cell in notebook["cells"]:
        if cell["id"] == "what-is-lost":
            cell["source"] = text
    return notebook
