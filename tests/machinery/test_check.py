"""`make test-module`: what a learner reads of each stub, and every way in which it can go wrong."""

import json
import re

import pytest

from autograder import check

NOTEBOOK = "modules/01_tensor/tensor.ipynb"


def states(done):
    """Stub, state and points, as the table shows them."""
    rows = re.findall(r"^  ([a-z][\w-]*) +([a-z][\w ,-]*?) +(\d+ of \d+) *$", done.stdout, re.MULTILINE)
    return {stub: (state, points) for stub, state, points in rows}


def test_an_untouched_module_is_not_started(learner):
    done = learner.tool("test-module", "1")
    assert done.returncode == 1
    assert states(done) == {"double": ("not started", "0 of 3"), "triple": ("not started", "0 of 2")}
    assert re.search(r"0 of 2 done +0 of 5", done.stdout)
    assert done.stdout.rstrip().endswith(f"Next: write double, in {NOTEBOOK}.")
    assert done.stderr == ""


def test_a_stub_that_rests_on_another_names_it(learner, write_stub):
    write_stub("tensor", "triple")
    done = learner.tool("test-module", "tensor")
    assert done.returncode == 1
    assert states(done)["triple"] == ("needs double first", "0 of 2")
    assert f"Next: write double, in {NOTEBOOK}." in done.stdout


def test_a_stub_of_an_earlier_module_is_named_with_it(learner, write_stub):
    learner.tool("export", "1")
    write_stub("activations", "quadruple")
    done = learner.tool("test-module", "2")
    assert states(done)["quadruple"] == ("needs double of tensor first", "0 of 1")


def test_a_solved_module_passes_and_the_next_one_is_named(learner, solve):
    solve("1")
    done = learner.tool("test-module", "01_tensor")
    assert done.returncode == 0
    assert states(done) == {"double": ("done", "3 of 3"), "triple": ("done", "2 of 2")}
    assert done.stdout.rstrip().endswith("All done. Next: `make start 2`.")


def test_a_failure_says_what_was_asked_what_came_back_and_which_hint_to_open(learner, write_stub):
    write_stub("1", "double", "return np.asarray(x) ** 2")
    done = learner.tool("test-module", "1")
    assert done.returncode == 1
    assert states(done) == {"double": ("failing", "0 of 3"), "triple": ("not started", "0 of 2")}
    said = done.stdout.partition("fails")[2]
    assert [line.strip() for line in said.splitlines()] == [
        "double: double of an array",
        "asked      twice each number",
        "came back  Mismatched elements: 1 / 2 (50%)",
        "got: array([1, 4])",
        "wanted: array([2, 4])",
        f"hint       open hint 1 of 2, above double in {NOTEBOOK}",
    ]


def test_the_hint_moves_on_with_each_new_attempt_and_stays_for_the_same_code(learner, write_stub):
    def hint():
        return re.search(r"open hint (\d) of 2", learner.tool("test-module", "1").stdout)[1]

    write_stub("1", "double", "return x")
    assert [hint(), hint()] == ["1", "1"]
    for body in ("return np.asarray(x)", "return 3 * np.asarray(x)"):
        write_stub("1", "double", cell=f"#| export\ndef double(x):\n    {body}")
        assert hint() == "2"
    note = json.loads((learner.root / "build/progress.json").read_text())["tensor"]["double"]
    assert (note["state"], note["attempts"]) == ("failing", 3)


@pytest.mark.parametrize(
    ("body", "came_back", "where"),
    [
        ("return x.nothing", "AttributeError: 'list' object has no attribute 'nothing'", "double in tinytorch/tensor.py: return x.nothing"),
        ("return missing(x)", "NameError: name 'missing' is not defined", "double in tinytorch/tensor.py: return missing(x)"),
        ("return double(x)", "RecursionError: maximum recursion depth exceeded", "double in tinytorch/tensor.py: return double(x)"),
        ("import sys\n    sys.exit(3)", "SystemExit: 3", "double in tinytorch/tensor.py: sys.exit(3)"),
        ("raise NotImplementedError('later')", "NotImplementedError: later", "raise NotImplementedError"),
    ],
)  # fmt: skip
def test_an_error_in_a_stub_says_where_it_came_from(learner, write_stub, body, came_back, where):
    write_stub("1", "double", body)
    done = learner.tool("test-module", "1")
    assert done.returncode == 1
    assert states(done)["double"] == ("failing", "0 of 3")
    assert f"came back  {came_back}" in done.stdout
    assert where in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_an_endless_loop_is_stopped(learner, write_stub, monkeypatch):
    monkeypatch.setattr(check, "SECONDS", 1)
    write_stub("1", "double", "while True: pass")
    learner.tool("export", "1")
    double, triple = check.run(learner.course, learner.course.find(1))
    assert (double.state, triple.state) == ("failing", "not started")
    assert (
        check.split(double.failure)[1]
        == "TimeoutError: still running after 1 seconds: is there a loop that never ends?"
    )


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("import os\nos._exit(7)", "ended before their end, with exit status 7"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "ended before their end, with exit status -9"),
        ("import sys\nsys.exit(0)", "ended before their end, with exit status 3"),
    ],
)  # fmt: skip
def test_a_module_that_ends_the_process_is_one_line(learner, write_stub, cell, line):
    write_stub("1", "double", cell=f"#| export\n{cell}\ndef double(x): return x")
    done = learner.tool("test-module", "1")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"the tests of module 01 (tensor) {line}")
    assert done.stderr.count("\n") == 1


def test_a_module_that_cannot_be_imported_says_why(learner, write_stub):
    write_stub("1", "triple", cell="#| export\ntriple = undefined + 1")
    done = learner.tool("test-module", "1")
    assert done.returncode == 1
    assert states(done) == {"double": ("not run", "0 of 3"), "triple": ("not run", "0 of 2")}
    assert "came back  NameError: name 'undefined' is not defined" in done.stdout
    assert "where      <module> in tinytorch/tensor.py: triple = undefined + 1" in done.stdout


def test_a_name_that_the_tests_want_and_the_notebook_lacks_is_named(learner, write_stub):
    write_stub("1", "triple", cell="#| export\ndef tripple(x): return x")
    done = learner.tool("test-module", "1")
    assert done.returncode == 1
    assert "came back  ImportError: cannot import name 'triple' from 'tinytorch.tensor'" in done.stdout


def test_a_module_that_calls_an_unwritten_stub_when_imported_needs_it_first(learner, write_stub):
    write_stub("1", "triple", cell="#| export\nsix = double(3)\ndef triple(x): return x")
    done = learner.tool("test-module", "1")
    assert states(done) == {"double": ("not started", "0 of 3"), "triple": ("needs double first", "0 of 2")}


def test_code_that_does_not_compile_is_one_line(learner, write_stub):
    write_stub("1", "double", cell="#| export\ndef double(x:\n    return x")
    done = learner.tool("test-module", "1")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"{NOTEBOOK}, cell 5 (double), line 2: ")
    assert done.stderr.count("\n") == 1


def test_code_that_does_not_compile_shows_the_last_good_export_and_says_so(learner, solve, write_stub):
    solve("1")
    exported = (learner.root / "tinytorch/tensor.py").read_text()
    write_stub("1", "double", cell="#| export\ndef double(x:\n    return x")
    done = learner.tool("test-module", "1")
    assert done.returncode == 1
    first, second = done.stdout.splitlines()[:2]
    assert first.startswith(f"{NOTEBOOK}, cell 5 (double), line 2: ")
    assert second == "Below is the last good export, not the notebook as it is now."
    assert states(done) == {"double": ("done", "3 of 3"), "triple": ("done", "2 of 2")}
    assert (learner.root / "tinytorch/tensor.py").read_text() == exported
    assert not (learner.root / "build/progress.json").exists()


@pytest.mark.parametrize("text", ["", "{", '{"cells": 3}', '{"cells": [{}]}', "\0"])
def test_a_notebook_that_is_none_is_one_line(learner, text):
    learner.write(NOTEBOOK, text)
    done = learner.tool("test-module", "1")
    assert done.returncode == 2
    assert done.stderr.startswith(NOTEBOOK)
    assert done.stderr.endswith(": this is not a notebook\n")
    assert done.stderr.count("\n") == 1


def test_a_missing_notebook_is_one_line(learner):
    (learner.root / NOTEBOOK).unlink()
    done = learner.tool("test-module", "1")
    assert (done.returncode, done.stderr) == (2, f"{NOTEBOOK}: no such notebook\n")


def test_the_reference_is_not_taken_for_the_last_good_export(learner):
    learner.tool("catch-up", "2")
    (learner.root / NOTEBOOK).unlink()
    done = learner.tool("test-module", "1")
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize(
    ("missing", "names", "own"),
    [
        (["tensor"], "01 (tensor)", "`make test-module 1`"),
        (["tensor", "activations"], "01 (tensor) and 02 (activations)", "`make test-module 1`, `make test-module 2`"),
    ],
)  # fmt: skip
def test_missing_earlier_modules_are_named_with_the_two_ways_on(learner, missing, names, own):
    for slug in {"tensor", "activations"} - {*missing}:
        learner.tool("export", slug)
    done = learner.tool("test-module", "3")
    assert done.returncode == 2
    assert done.stderr == (
        f"module 03 (layers) builds on {names}, not exported yet: "
        f"{own} for your own, or `make catch-up 3` for the reference\n"
    )


def test_what_an_earlier_module_builds_on_is_needed_too(learner):
    learner.write("modules/10_tokenizer/test_tokenizer.py", "")
    learner.write("tinytorch/dataloader.py", "")
    done = learner.tool("test-module", "10")  # builds on dataloader, which builds on tensor
    assert "module 10 (tokenizer) builds on 01 (tensor), not exported yet" in done.stderr


def test_a_module_that_has_not_been_released_is_one_line(learner):
    done = learner.tool("test-module", "4")
    assert (done.returncode, done.stderr) == (2, "module 04 (losses) has not been released\n")


def test_unreadable_notes_are_one_line(learner):
    learner.write("build/progress.json", "{")
    done = learner.tool("test-module", "1")
    assert done.returncode == 2
    assert done.stderr == "build/progress.json cannot be read: delete it, and test your modules again\n"


def test_the_tests_see_the_learners_package_and_no_other(learner, solve, write_stub):
    solve("1")
    other = learner.root / "other"
    learner.write("other/tinytorch/__init__.py", "raise RuntimeError('the wrong tinytorch')")
    done = learner.python("-m", "autograder", "test-module", "1", PYTHONPATH=f"{check.TOOLS}:{other}")
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("test", "asked", "came_back"),
    [
        ("assert 1 + 1 == 3, 'a sum'", "a sum", "assert (1 + 1) == 3"),
        ("assert 1 + 1 == 3", "assert 1 + 1 == 3", "assert (1 + 1) == 3"),
        ("with pytest.raises(IndexError):\n        len('')", "with pytest.raises(IndexError):", "it did not raise IndexError"),
        ("np.testing.assert_equal(3, 4, err_msg='a number')", "a number", "got: 3\nwanted: 4"),
        ("np.testing.assert_allclose([1.0], [2.0])", "np.testing.assert_allclose([1.0], [2.0])", "got: array([1.])"),
        ("np.testing.assert_array_equal(np.ones(2), np.ones(3), err_msg='a shape')", "a shape", "(shapes (2,), (3,) mismatch)"),
        ("np.testing.assert_allclose([np.nan], [2.0], err_msg='no NaN')", "no NaN", "nan location mismatch"),
        ("raise ValueError('one\\ntwo')", "raise ValueError('one\\ntwo')", "ValueError: one\ntwo"),
    ],
)  # fmt: skip
def test_every_kind_of_failure_is_taken_apart(learner, solve, test, asked, came_back):
    solve("1")
    mark = '@pytest.mark.stub("double", points=3)'
    learner.write(
        "modules/01_tensor/test_tensor.py",
        f"import numpy as np\nimport pytest\n\n\n{mark}\ndef test_it():\n    {test}\n",
    )
    course = learner.course
    (result,) = check.run(course, course.find(1))
    said = check.split(result.failure)
    assert said[0].startswith(asked)
    assert came_back in said[1]
    assert "ACTUAL" not in said[1]


def test_long_answers_are_cut(learner, solve):
    failure = {"error": "ValueError", "message": "\n".join(["x" * 1000] * 50), "asked": "", "code": None}
    came_back = check.split(failure)[1].splitlines()
    assert len(came_back) == check.LINES + 1
    assert max(map(len, came_back)) <= check.WIDTH + len("ValueError: ")
