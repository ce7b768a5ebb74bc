"""Every module, graded by nbgrader: all points for the reference, none for the release."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from autograder import course as courses
from autograder import grade, lesson, release
from tests.conftest import Scratch

ROOT = Path(__file__).parents[2]
SCRAP = {"cell_type": "code", "id": "scrap", "metadata": {}, "outputs": [], "execution_count": None}


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Scratch:
    """A course with every lesson and one gradebook, which takes nbgrader seconds to make."""
    scratch = Scratch(tmp_path_factory.mktemp("course"))
    scratch.take("tinytorch", "solutions")
    return scratch


@pytest.mark.parametrize("slug", [module.slug for module in courses.load(ROOT).with_solutions()])
def test_the_reference_has_all_points_though_a_cell_does_not_compile_and_the_release_none(course, slug):
    module = course.course.find(slug)
    read = lesson.read(module)
    made = release.build(course.course, [read], course.root / "build" / slug)
    reference = json.loads(made[module.source.with_suffix(".ipynb")])
    reference["cells"].insert(2, SCRAP | {"source": "def half("})
    submissions = {"reference": json.dumps(reference), "untouched": made[module.notebook]}
    for student, text in submissions.items():
        course.write(f"autograder/submitted/{student}/{module.name}/{slug}.ipynb", text)
    config = grade.configuration(course.course)
    assert grade.autograde(course.course, module, list(submissions), config, Console(quiet=True)) == []
    found = {student: grade.score(module, student, config)[0] for student in submissions}
    assert found == {"reference": read.points, "untouched": 0}
