"""Every command that the README, the book and other documents name is run by a test: most elsewhere, as listed here, and the rest here."""

import re
import shlex
import subprocess

import pytest

from tests.conftest import ROOT
from tests.machinery import test_docs as documents
from tests.machinery.conftest import make_in
from tests.machinery.test_collect import CANVAS, zipped

NOT_RUN = {
    "gpu": "it downloads what runs kernels on a GPU; what it would install, test_makefile looks at",
    "test": "it is what runs the tests",
    "test-all": "it is what runs the tests",
    "test-lessons": "continuous integration runs it, .ci/run",
    "test-python": "continuous integration runs it, .ci/second-python",
    "parity": "it needs PyTorch; without that it is refused, below",
    "bench-gpu": "it needs a GPU; without one it is refused, below",
    "bench-grading": "it waits for endless loops, minutes even for a class of two",
    "kit": "test_kit looks at the pages, without the command",
    "gradescope": "test_gradescope looks at the zip, without the command",
}
RUN_ELSEWHERE = {
    "setup": "test_release_students::test_what_it_installs_is_what_notebooks_tests_and_milestones_need",
    "start": "test_browser::test_the_first_ten_minutes",
    "test-module": "test_browser::test_the_first_ten_minutes",
    "watch": "test_watch::test_each_save_is_exported_and_tested_what_changed_first",
    "hint": "test_hint::test_a_stub_may_be_named_and_what_is_done_needs_none",
    "quiz": "test_quiz::test_answers_come_from_a_pipe_and_wrong_ones_come_again_first",
    "hunt": "test_quiz::test_a_hunt_shows_a_symptom_and_hides_another_change_the_next_time",
    "progress": "test_release_students::test_a_learner_can_work_in_it",
    "export": "test_export::test_an_export_says_what_it_wrote",
    "reset": "test_release_students::test_a_learner_can_work_in_it",
    "milestone": "../test_milestones::test_a_milestone_learns",
    "catch-up": "test_browser::test_a_learner_sees_below_the_tests_what_passes_and_what_fails_and_nothing_of_nbgraders",
    "demo": "test_demo::test_a_learner_solves_trains_and_is_graded_beside_two_others",
    **dict.fromkeys(
        ("submit", "release-students", "grade", "mark", "report", "similar", "feedback", "grades"),
        "test_instructor::test_every_command_prints_what_stands_below_it",
    ),
    "formgrader": "test_browser::test_a_mark_and_a_comment_saved_in_the_formgrader_are_in_the_feedback",
    "mutants": "test_browser::test_a_learner_sees_below_the_tests_what_passes_and_what_fails_and_nothing_of_nbgraders",
    "lint": "test_makefile::test_what_is_exported_changes_nothing_in_the_lint",
    "docs": "test_book::test_no_page_names_a_place_of_this_machine",
    "kernels": "../reference/test_kernel_table::test_the_table_is_what_is_compiled_now",
}
RUN_HERE = {  # what is typed: the exit status, and what it prints
    "figures": (0, r"what a learner writes: \d+ stubs, [\d,]+ lines"),
    "bench ROWS=linear": (0, r"forward and backward, float32, one thread +ours"),
    "bench-training": (0, r"one thread|step"),
    "bench-gpu": (2, "There is no GPU here"),
    "test-gpu": (0, "There is no GPU here|passed"),
    "parity": (2, "torch is not installed here"),
    "types": (0, ""),
    "pictures": (0, r"docs/pictures/test-module\.svg: written"),
    "reference": (0, ""),
    "release 2": (0, r"modules/02_activations: \d+ stubs, \d+ points"),
}
PROGRAMS = {
    command
    for document in documents.DOCUMENTS
    for line in document.read_text(encoding="utf-8").splitlines()
    for command in documents.commands(line)
    if "python -P -c " in command
}


def test_every_target_of_make_is_run_by_some_test():
    here = {command.split()[0] for command in RUN_HERE} | {"roster", "student", "collect"}
    assert here | RUN_ELSEWHERE.keys() | NOT_RUN.keys() == documents.TARGETS
    assert not RUN_ELSEWHERE.keys() & (here | NOT_RUN.keys()), "each is listed once"
    for place in RUN_ELSEWHERE.values():
        file, name = place.split("::")
        path = ROOT / "tests" / "machinery" / f"{file}.py"
        assert f"def {name}(" in path.read_text(encoding="utf-8"), place


@pytest.mark.slow
@pytest.mark.parametrize("command", RUN_HERE)
def test_a_command_prints_what_it_says(repository, command):
    status, printed = RUN_HERE[command]
    done = repository.make(*command.split())
    assert done.returncode == status, done.stdout + done.stderr
    assert re.search(printed, done.stdout + done.stderr), done.stdout + done.stderr


def test_a_class_and_what_it_handed_in_are_taken_over(learner):
    make = make_in(learner)
    roster = learner.write("class.csv", CANVAS)
    solved = learner.course.find(2).source.with_suffix(".ipynb").read_text(encoding="utf-8")
    downloaded = zipped(learner.root / "submissions.zip", {"lovelaceada_101_7_activations.ipynb": solved})
    done = make("roster", f"FILE={roster}")
    assert (done.returncode, done.stderr) == (0, "")
    assert "new: ada, Lovelace, Ada" in done.stdout
    done = make("student", "ADD=eve")
    assert (done.returncode, done.stderr) == (0, "")
    done = make("collect", "2", f"FROM={downloaded}")
    assert (done.returncode, done.stderr) == (0, "")
    assert "not handed in: bob, bob2, eve, zoe" in done.stdout
    place = learner.root / "autograder/submitted/ada/02_activations/activations.ipynb"
    assert place.read_text(encoding="utf-8") == solved


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(PROGRAMS))
def test_a_program_of_a_line_runs(repository, command):
    *variables, python, _, _, program = shlex.split(command)
    assert (variables, python) == (["PYTHONPATH=build/reference:."], ".venv/bin/python")
    done = subprocess.run(["sh", "-c", command], cwd=repository.root, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), program
    assert done.stdout.strip() or (repository.root / "build" / "graph.png").stat().st_size > 1000
