"""Notebooks that were split, merged, moved, copied, retyped or saved elsewhere, in the tests, the pack and the grading alike."""

import inspect
import json
import shutil
import sys
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

from autograder import check, export, files, notebook_changes, notebook_stubs, submit
from autograder.course import CourseError
from autograder.grading import batch, intake
from tests.classroom import SANDBOXED, Classroom
from tests.submissions.gestures import GESTURES, QUADRUPLE, cell, copied, first_given, in_texts, own, solved

RIGHT = {"scale": 4, "quadruple": 1}


def saved(room: Classroom, change) -> bytes:
    """A gesture's notebook as a file."""
    theirs, released = solved(json.loads(room.release)), in_texts(json.loads(room.release))
    result = change(theirs, released) if len(inspect.signature(change).parameters) == 2 else change(theirs)
    return result if isinstance(result, bytes) else json.dumps(result or theirs).encode()


@pytest.fixture(scope="module")
def graded(tmp_path_factory, course_to_grade):
    """A class in which each student makes one gesture."""
    room = Classroom(tmp_path_factory.mktemp("class"), course_to_grade)
    for name, (change, _) in GESTURES.items():
        room.submit(name, saved(room, change))
    room.said = batch.run(room.course, room.module, sorted(GESTURES), Console(quiet=True), workers=4)
    room.found = room.all_points()
    return room


@pytest.mark.skipif(not SANDBOXED, reason="bubblewrap is not installed, or not allowed here")
@pytest.mark.parametrize("name", GESTURES)
def test_a_gesture_costs_no_point(graded, name):
    assert graded.found.get(name) == RIGHT, [line for line in graded.said if line.startswith(name)]
    assert not [line for line in graded.said if line.startswith(f"{name}:")]


@pytest.fixture(scope="module")
def room(tmp_path_factory, course_to_grade):
    """A learner's course, in which module 02 was opened before it was written."""
    room = Classroom(tmp_path_factory.mktemp("learner"), course_to_grade, "{seconds: 60, megabytes: 2048}")
    first = room.course.find(1)
    shutil.copy(first.source.with_suffix(".ipynb"), first.notebook)
    files.write(first.package, "import numpy as np\ndef double(x): return 2 * np.asarray(x)\n")
    with first.package.open("a") as package:
        package.write("def triple(x): return 3 * np.asarray(x)\n")
    notebook_stubs.keep(room.module, notebook_stubs.points_of(room.module))
    return room


def said_by(capsys, command, *arguments) -> list[str]:
    """The lines that a command prints, whole, and without their indentation."""
    capsys.readouterr()
    command(*arguments)
    return [line.strip() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("name", GESTURES)
def test_the_export_and_the_pack_take_a_gesture_as_grading_does(room, name, capsys, monkeypatch):
    change, said = GESTURES[name]
    content = saved(room, change)
    files.write(room.module.notebook, content)
    export.export(room.module)
    tensor = {"double": lambda x: 2 * np.asarray(x), "triple": lambda x: 3 * np.asarray(x)}
    monkeypatch.setitem(sys.modules, "tinytorch.tensor", SimpleNamespace(**tensor))
    exec(room.module.package.read_text(encoding="utf-8"), found := {"__name__": "activations"})
    assert found["Scale"](3)([1, 2]).tolist() == [3, 6]
    assert found["quadruple"]([1, 2]).tolist() == [4, 8]
    lines = said_by(capsys, submit.submit, room.module)
    assert lines[0].startswith("02 Activations: 2 of 2 stubs written, ")
    assert not said or said in lines
    theirs = [each.code for each in notebook_stubs.reading(room.module).exported]
    ours = intake.restored(json.loads(content), json.loads(room.release))
    assert theirs == [each.code for each in ours if each.is_exported]
    with zipfile.ZipFile(room.root / lines[-1].partition(":")[0]) as pack:
        assert pack.read("02_activations/activations.ipynb") == content


@pytest.mark.parametrize(
    "name", ["split within a function", "pasted into a new notebook", "given cell broken", "test changed"]
)
def test_the_tests_run_what_a_gesture_has_left(room, name, capsys):
    change, _ = GESTURES[name]
    files.write(room.module.notebook, saved(room, change))
    assert check.check(room.module) == 0, capsys.readouterr().out


def foreign(room) -> dict:
    """The notebook of module 01."""
    return in_texts(json.loads(room.course.find(1).source.with_suffix(".ipynb").read_text(encoding="utf-8")))


def without_lead(room) -> dict:
    notebook = foreign(room)
    notebook["cells"] = [each for each in notebook["cells"] if "%module" not in each["source"]]
    return notebook


def of_nothing(room) -> dict:
    return solved(json.loads(room.release)) | {"cells": [own("x = 1"), own("#| export\ndef other(): pass")]}


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (foreign, "it is the notebook of another module: its first code says `%module tensor`"),
        (without_lead, "no cell of it is known as a stub or a test of this module"),
        (of_nothing, "no cell of it is known as a stub or a test of this module"),
        (
            lambda room: room.solution.encode("latin-1", "replace").replace(b"Scaling", b"Scaling \xe9"),
            "is not UTF-8",
        ),
    ],
)
def test_what_is_no_notebook_of_the_module_is_not_graded_and_said_to_the_learner(room, make, why):
    made = make(room)
    content = made if isinstance(made, bytes) else json.dumps(made).encode()
    room.submit("ada", content)
    with pytest.raises(intake.Refused) as refused:
        intake.restored(intake.read(room.place("ada"), room.root), json.loads(room.release))
    assert why in str(refused.value)
    files.write(room.module.notebook, content)
    for command in (submit.submit, check.check):
        (room.module.package).unlink(missing_ok=True)
        with pytest.raises(CourseError) as refused:
            command(room.module)
        assert why in str(refused.value)
        assert refused.value.exit_code == 2


def written(room, change) -> None:
    """Save a notebook that has been changed."""
    notebook = solved(json.loads(room.release))
    change(notebook)
    files.write(room.module.notebook, json.dumps(notebook))


def test_a_given_cell_that_is_gone_is_named_with_the_way_to_get_it_back(room, capsys):
    written(room, lambda notebook: notebook["cells"].remove(first_given(notebook)))
    gone = "(`import numpy as np`) is missing: the released one is used, here and in grading"
    assert [line for line in said_by(capsys, check.check, room.module) if f"{gone}." in line]
    lines = said_by(capsys, submit.submit, room.module)
    assert [line for line in lines if line.startswith("the given cell export-") and line.endswith(gone)]
    assert lines[-2] == (
        "`make reset 2` gives a fresh notebook, with all cells as they were released, and keeps a copy of yours: "
        "copy into it what you wrote"
    )


def test_what_has_changed_since_the_tests_ran_is_named(room, capsys):
    written(room, lambda notebook: None)
    check.check(room.module)

    def change(notebook):
        cell(notebook, "quadruple")["source"] += " + 1"
        cell(notebook, "scale")["source"] += "  # a comment"

    written(room, change)
    lines = said_by(capsys, submit.submit, room.module)
    assert lines[0].startswith("02 Activations: 2 of 2 stubs written, 1 of them passed")
    assert lines[1] == "quadruple: changed since `make test-module 2` last ran, so not known to pass"
    check.check(room.module)
    assert "quadruple: failed its tests when `make test-module 2` last ran" in said_by(
        capsys, submit.submit, room.module
    )


def test_a_stub_whose_cell_is_gone_is_said_and_the_others_are_packed(room, capsys):
    written(room, lambda notebook: notebook["cells"].remove(cell(notebook, "quadruple")))
    lines = said_by(capsys, submit.submit, room.module)
    assert "quadruple: the notebook has no cell of it any more, so it is not graded" in lines
    assert lines[-1].endswith("hand this file in")


def test_nothing_is_said_of_a_notebook_that_is_as_it_should_be(room):
    written(room, lambda notebook: notebook["cells"].append(own("quadruple(3)")))
    assert notebook_changes.of(notebook_stubs.reading(room.module)) == []


def test_where_a_put_together_stub_goes_wrong_is_told_by_cell_and_line(room):
    def change(notebook):
        cell(notebook, "quadruple")["source"] = QUADRUPLE.partition("\n\n\n")[0]
        notebook["cells"].append(copied(cell(notebook, "quadruple"), "def quadruple(x):\n    return twice(x"))

    written(room, change)
    with pytest.raises(
        CourseError, match=r"cells 8 and 10 \(quadruple\), in cell 10 line 2: '\(' was never closed"
    ):
        submit.submit(room.module)
