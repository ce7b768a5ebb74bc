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
def test_the_reference_has_all_points_though_a_cell_does_not_compile_and_the_release_none(scratch, slug):
    for module in courses.load(ROOT).with_solutions():
        place = scratch.root / "solutions" / module.name
        shutil.copytree(module.source.parent, place, ignore=shutil.ignore_patterns("*.ipynb"))
    course = scratch.course
    module = course.find(slug)
    made = release.build(course, [lesson.read(module)], scratch.root / "build")
    reference = json.loads(made[module.source.with_suffix(".ipynb")])
    scrap = {"cell_type": "code", "id": "scrap", "metadata": {}, "outputs": [], "execution_count": None}
    reference["cells"].insert(2, scrap | {"source": "def half("})
    submissions = {"reference": json.dumps(reference), "untouched": made[module.notebook]}
    for student, text in submissions.items():
        scratch.write(f"autograder/submitted/{student}/{module.name}/{slug}.ipynb", text)
    config = grade.configuration(course)
    assert grade.autograde(course, module, list(submissions), config, Console(quiet=True)) == []
    found = {student: grade.score(module, student, config)[0] for student in submissions}
    assert found == {"reference": sum(stub.points for stub in lesson.read(module).stubs), "untouched": 0}
