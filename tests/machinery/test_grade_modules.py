"""Every module, graded: all points for the reference, none for the release, of a mistake only what its stub is worth, and half for half."""

import json
from pathlib import Path

import pytest
from rich.console import Console

from autograder import course as courses
from autograder import lesson, mutants
from autograder.grading import batch, gradebook
from tests import user
from tests.conftest import Scratch

ROOT = Path(__file__).parents[2]
SCRAP = {"cell_type": "code", "id": "scrap", "metadata": {}, "outputs": [], "execution_count": None}


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Scratch:
    """A course with every lesson, the reference built, and one gradebook."""
    scratch = Scratch(tmp_path_factory.mktemp("course"))
    scratch.take("tinytorch", "solutions", "build/reference")
    return scratch


@pytest.mark.slow
@pytest.mark.parametrize("slug", [module.slug for module in courses.load(ROOT).with_solutions()])
def test_a_module_gives_all_points_to_its_reference_and_takes_a_mistake_once(course, slug, monkeypatch):
    module = course.course.find(slug)
    read, todo = lesson.read(module), batch.job(course.course, module)
    monkeypatch.setattr(batch, "job", lambda course, module: todo)  # made once
    answers = {cell.name: cell.source for cell in todo.reference}
    first = read.stubs[0]  # which most of the others use
    half = read.stubs[: len(read.stubs) // 2]
    mistake = {first.name: mutants.mutated(first, first.mistakes[0]).source}

    def written(sources: dict[str, str], *own: dict) -> str:
        cells = [
            cell | {"source": sources.get(cell["id"], cell["source"])} for cell in todo.released["cells"]
        ]
        return json.dumps(todo.released | {"cells": [*cells[:2], *own, *cells[2:]]})

    submissions = {
        "reference, a cell of it broken": written(answers, SCRAP | {"source": "#| export\ndef half("}),
        "untouched": json.dumps(todo.released),
        "mistaken once": written(answers | mistake),
        "half written": written({stub.name: answers[stub.name] for stub in half}),
    }
    for student, text in submissions.items():
        course.write(f"autograder/submitted/{student}/{module.name}/{slug}.ipynb", text)
    arguments = (course.course, module, list(submissions), Console(quiet=True))
    assert user.run(course.root, batch.run, *arguments, workers=1) == []
    with gradebook.gradebook(gradebook.configuration(course.course)) as book:
        found, most = gradebook.scores(book, module)
    assert most == read.points + read.points_by_hand
    wanted = {"untouched": 0, "mistaken once": read.points - first.points}
    wanted["half written"] = sum(stub.points for stub in half)
    assert found == wanted | {"reference, a cell of it broken": read.points}
