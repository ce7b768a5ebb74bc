"""A course of three small lessons with students who submit module 02, for the tests of grading."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from nbgrader.api import Gradebook

from autograder import course as courses
from autograder.grading import sandbox
from tests import user

ROOT = Path(__file__).parents[1]
NAME = "02_activations"


def is_sandboxed() -> bool:
    """Whether ordinary users can run submissions in bubblewrap here; a container may have it and not allow it."""
    if shutil.which("bwrap") is None:
        return False
    tried = ["bwrap", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    with tempfile.TemporaryDirectory() as own, suppress(subprocess.SubprocessError):
        return subprocess.run(tried, capture_output=True, **user.process(Path(own))).returncode == 0
    return False


SANDBOXED = is_sandboxed()
if not SANDBOXED:
    os.environ[sandbox.SETTING] = "none"


def judged(todo, folder, path) -> dict:
    """In place of `batch.judge`, where nothing needs to run: everything is right."""
    stubs = {
        stub: {"state": "done", "said": "", "points": points, "of": points}
        for stub, points in todo.points.items()
    }
    return {"stubs": stubs, "answers": {}, "seconds": 0, "page": "{}"}


class Classroom:
    """A course with students who submit, and what `make grade` makes of it."""

    def __init__(self, root: Path, samples: Path, limits: str = "{seconds: 6, megabytes: 512}"):
        self.root = root
        shutil.copytree(samples, root, dirs_exist_ok=True)
        sandbox._checked.add(root)  # what is tried in every course's sandbox, test_grade_faults tries
        text = (root / "course.yaml").read_text(encoding="utf-8")
        text = text.replace("limits: {seconds: 120, megabytes: 2048}", f"limits: {limits}")
        text = text.replace("deadline: null", "deadline: 2026-09-30")
        (root / "course.yaml").write_text(text, encoding="utf-8")
        self.course = courses.load(root)
        self.module = self.course.find(NAME)
        self.solution = self.module.source.with_suffix(".ipynb").read_text(encoding="utf-8")
        self.release = self.module.notebook.read_text(encoding="utf-8")

    def place(self, student: str) -> Path:
        return self.root / "autograder" / "submitted" / student / NAME / "activations.ipynb"

    def submit(self, student: str, text: str | bytes) -> Path:
        path = self.place(student)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def change(self, drop=(), **sources: str) -> str:
        """The solution with other sources of some cells, by their names with underscores, and without others."""
        notebook = json.loads(self.solution)
        for cell in notebook["cells"]:
            cell["source"] = sources.get(cell["id"].replace("-", "_"), cell["source"])
        notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] not in drop]
        return json.dumps(notebook)

    def grade(self, *keys: str, **environment: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-P", "-m", "autograder", "grade", *(keys or ("2",))]
        return subprocess.run(
            command, cwd=self.root, env=self.environment() | environment, capture_output=True, text=True,
            **user.process(self.root),
        )  # fmt: skip

    def run(self, function: Callable, *arguments, **words) -> object:
        """What a function gives when an ordinary user calls it, whose this course is."""
        return user.run(self.root, function, *arguments, **words)

    def environment(self) -> dict[str, str]:
        places = {"PYTHONPATH": os.pathsep.join([str(self.root), str(ROOT)]), "HOME": str(self.root)}
        return os.environ | places

    def gradebook(self, url: str = "") -> Gradebook:
        return Gradebook(url or f"sqlite:///{self.root}/autograder/gradebook.db", "tinytorch")

    def points(self, student: str, url: str = "") -> dict[str, float]:
        """A student's points for each test."""
        return self.all_points(url)[student]

    def all_points(self, url: str = "") -> dict[str, dict[str, float]]:
        with self.gradebook(url) as book:
            return {
                submission.student_id: {
                    grade.name.removeprefix("test-"): grade.score for grade in submission.notebooks[0].grades
                }
                for submission in book.assignment_submissions(NAME)
            }

    def record(self, student: str) -> dict:
        path = self.root / "autograder" / "graded" / student / f"{NAME}.json"
        return json.loads(path.read_text(encoding="utf-8"))

    def page(self, student: str) -> str:
        path = self.root / "autograder" / "autograded" / student / NAME / "activations.ipynb"
        return path.read_text(encoding="utf-8")
