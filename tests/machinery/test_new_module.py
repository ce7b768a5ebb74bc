"""A module 21, added by the files that CONTRIBUTING.md names: released, tried by wrong answers, solved, imported, graded."""

import json
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from autograder import lesson
from autograder.grading import batch, gradebook
from tests import user
from tests.conftest import Scratch

NEW = Path(__file__).with_name("new_module")


@pytest.mark.slow
def test_a_module_is_its_entry_and_its_folder(tmp_path):
    course = Scratch(tmp_path / "course")
    course.take("tinytorch", "solutions", "build/reference")
    with (course.root / "course.yaml").open("a", encoding="utf-8") as entries:
        entries.write((NEW / "course.yaml").read_text(encoding="utf-8"))
    module = course.course.find(21)
    shutil.copytree(NEW / module.name, module.source.parent)

    def typed(*command: str) -> str:
        done = course.tool(*command)
        assert (done.returncode, done.stderr) == (0, ""), (
            f"{command} ended with {done.returncode}: {done.stdout}"
        )
        return done.stdout

    assert "modules/21_experts: 2 stubs, 5 points" in typed("release", "21")
    tried = typed("mutants", "21")
    assert "6 mistakes in 2 stubs, every one caught, 6 recognised" in tried
    assert "3 of 3 mechanical changes caught, 1 listed as making no difference" in tried
    typed("catch-up", "21")
    released = module.notebook.read_text(encoding="utf-8")
    solved = module.source.with_suffix(".ipynb").read_text(encoding="utf-8")
    module.notebook.write_text(solved, encoding="utf-8")
    assert "2 of 2 done" in typed("test-module", "21")
    program = "import tinytorch as torch; print(torch.top_experts(torch.tensor([[1., 3., 2.]]), 1)[1].item())"
    assert course.python("-c", program).stdout == "1\n", "the name is found where course.yaml has it"

    first = lesson.read(module).stubs[0]
    half = json.loads(released)
    for cell in half["cells"]:
        if cell["id"] == first.name:
            cell["source"] = first.cell.source
    handed_in = {"all": solved, "half": json.dumps(half), "nothing": released}
    for student, text in handed_in.items():
        course.write(f"autograder/submitted/{student}/21_experts/experts.ipynb", text)
    arguments = (course.course, module, list(handed_in), Console(quiet=True))
    assert user.run(course.root, batch.run, *arguments, workers=1) == []
    with gradebook.gradebook(gradebook.configuration(course.course)) as book:
        assert gradebook.scores(book, module)[0] == {"all": 5, "half": 3, "nothing": 0}
