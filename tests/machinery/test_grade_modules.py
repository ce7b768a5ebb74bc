"""Every module, graded by nbgrader: all points for the reference, none for the release."""

import json
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from autograder import course as courses
from autograder import grade, lesson, release

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("slug", [module.slug for module in courses.load(ROOT).with_solutions()])
def test_what_is_right_is_what_is_paid(scratch, slug):
    for module in courses.load(ROOT).with_solutions():
        place = scratch.root / "solutions" / module.name
        shutil.copytree(module.source.parent, place, ignore=shutil.ignore_patterns("*.ipynb"))
    course = scratch.course
    module = course.find(slug)
    stubs = lesson.read(module).stubs
    made = release.build(course, [lesson.read(module)], scratch.root / "build")
    solution = made[module.source.with_suffix(".ipynb")]
    broken = json.loads(solution)
    next(cell for cell in broken["cells"] if cell["id"] == stubs[-1].name)["source"] = "def half(\n"
    submissions = {"reference": solution, "untouched": made[module.notebook], "syntax": json.dumps(broken)}
    for student, text in submissions.items():
        scratch.write(f"autograder/submitted/{student}/{module.name}/{slug}.ipynb", text)
    config = grade.configuration(course)
    assert grade.autograde(course, module, list(submissions), config, Console(quiet=True)) == []
    found = {student: grade.score(module, student, config)[0] for student in submissions}
    points = sum(stub.points for stub in stubs)
    assert found == {"reference": points, "untouched": 0, "syntax": points - stubs[-1].points}
