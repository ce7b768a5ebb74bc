"""Every module, graded: all points for the reference, none for the release, and of a mistake only what its stub is worth."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from autograder import course as courses
from autograder import lesson, mutants, release
from autograder.grading import batch, gradebook
from tests.conftest import Scratch

ROOT = Path(__file__).parents[2]
SCRAP = {"cell_type": "code", "id": "scrap", "metadata": {}, "outputs": [], "execution_count": None}


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Scratch:
    """A course with every lesson, the reference built, and one gradebook."""
    scratch = Scratch(tmp_path_factory.mktemp("course"))
    scratch.take("tinytorch", "solutions", "build/reference")
    return scratch


@pytest.mark.parametrize("slug", [module.slug for module in courses.load(ROOT).with_solutions()])
def test_a_module_gives_all_points_to_its_reference_and_takes_a_mistake_once(course, slug):
    module = course.course.find(slug)
    read = lesson.read(module)
    made = release.build(course.course, [read], course.root / "build" / slug)
    reference = json.loads(made[module.source.with_suffix(".ipynb")])
    first = read.stubs[0]  # which most of the others use
    mistaken = json.loads(json.dumps(reference))
    cell = next(cell for cell in mistaken["cells"] if cell["id"] == first.name)
    cell["source"] = mutants.mutated(first, first.mistakes[0]).source
    reference["cells"].insert(2, SCRAP | {"source": "#| export\ndef half("})
    submissions = {
        "reference, a cell of it broken": json.dumps(reference),
        "untouched": made[module.notebook],
        "mistaken once": json.dumps(mistaken),
    }
    for student, text in submissions.items():
        course.write(f"autograder/submitted/{student}/{module.name}/{slug}.ipynb", text)
    assert batch.run(course.course, module, list(submissions), Console(quiet=True)) == []
    with gradebook.gradebook(gradebook.configuration(course.course)) as book:
        found, most = gradebook.scores(book, module)
    assert most == read.points + read.points_by_hand
    wanted = {"untouched": 0, "mistaken once": read.points - first.points}
    assert found == wanted | {"reference, a cell of it broken": read.points}
