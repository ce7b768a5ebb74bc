"""`make test-module`: what a learner reads of each stub, and every way in which it can go wrong."""

import json
import os
import re
import subprocess
import sys
import warnings

import nbformat
import pytest

from autograder import check, feedback, limits, notebook_stubs, testrunner

NOTEBOOK = "modules/01_tensor/tensor.ipynb"


HELPERS = """
import numpy as np
import pytest

class Odd:
    def __repr__(self):
        raise ValueError

def helper(x):
    y = x / 0

def told(x):
    np.testing.assert_equal(x / 0 if x == 1 else helper(1), 1, err_msg=f"told {x!r}")
"""

ENDLESS = """
@pytest.mark.stub("double", points=3)
def test_that_must_not_run():
    import os
    os._exit(7)
"""


def states(done):
    """Stub, state and points, as the table shows them."""
    rows = re.findall(r"^  ([a-z][\w-]*) +([a-z][\w ,-]*?) +(\d+ of \d+) *$", done.stdout, re.MULTILINE)
    return {stub: (state, points) for stub, state, points in rows}


def run(learner, wanted=None):
    """The results of module 01's tests."""
    module = learner.course.find(1)
    return check.run(feedback.Desk(learner.course, module, notebook_stubs.read(module)), wanted)


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


def test_a_failure_says_what_was_asked_what_came_back_and_which_hints_help(learner, write_stub):
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
        "hint       open the next of the 2, above cell 5 (double) in",
        NOTEBOOK,
    ]


@pytest.mark.parametrize(
    ("body", "came_back", "where"),
    [
        ("return x.nothing", "AttributeError: 'list' object has no attribute 'nothing'", "double, cell 5 (double): return x.nothing"),
        ("return missing(x)", "NameError: name 'missing' is not defined", "double, cell 5 (double): return missing(x)"),
        ("return double(x)", "RecursionError: maximum recursion depth exceeded", "double, cell 5 (double): return double(x)"),
        ("import sys\n    sys.exit(3)", "SystemExit: 3", "double, cell 5 (double): sys.exit(3)"),
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


def test_a_name_that_only_the_notebook_has_is_told_from_one_that_nobody_has(learner, write_stub, solve):
    solve("1")
    solve("2")
    write_stub("3", "linear-forward", "return numbers(2)")
    said = " ".join(learner.tool("test-module", "3").stdout.split())
    assert "came back NameError: name 'numbers' is not defined" in said
    advice = "which is not exported: import or define it in the stub's cell too"
    assert re.search(rf"perhaps numbers is in cell \d+, {advice}", said)


@pytest.mark.parametrize(
    ("stub", "cell", "perhaps"),
    [
        ("double", "def double(x):\n    'Returns:\\n    twice x'\n    x + x", True),
        ("double", "def double(x):\n    'Returns:\\n    twice x'\n    return None if x else None", False),
        ("double", "def double(x):\n    'Change x.'\n    x + x", False),
    ],
)  # fmt: skip
def test_a_stub_that_returns_nothing_is_asked_whether_it_should(learner, write_stub, stub, cell, perhaps):
    write_stub("1", stub, cell=f"#| export\n{cell}")
    said = learner.tool("test-module", "1").stdout
    assert ("perhaps    double returned None: is a return missing?" in said) == perhaps


def test_where_is_the_deepest_stub_of_this_module_else_of_an_earlier_one(learner, solve, write_stub):
    solve("1")
    write_stub("2", "quadruple", "return double(x).nothing()")
    assert "where      quadruple, cell 8 (quadruple): return double(x).nothing()" in (
        learner.tool("test-module", "2").stdout
    )
    write_stub("1", "double", cell="#| export\ndef double(x): return x.nothing()")
    learner.tool("export", "1")
    places = [
        testrunner.Place("tensor", "double", "return x.nothing()", ""),
        testrunner.Place("tensor", "given", "return 1", ""),
    ]
    module = learner.course.find(2)
    desk = feedback.Desk(learner.course, module, notebook_stubs.read(module))
    assert desk.where(places) == "double, cell 5 (double) of tensor: return x.nothing()"
    assert desk.where(places[1:]) == "given in tinytorch/tensor.py: return 1"


@pytest.mark.parametrize("body", ["# what now\n    raise NotImplementedError", "raise   NotImplementedError"])
def test_a_stub_of_which_only_comments_changed_is_not_started_and_not_run(learner, write_stub, body):
    write_stub("1", "triple", "pass")
    learner.tool("test-module", "1")
    write_stub("1", "double", body)
    write_stub("1", "triple")
    tests = learner.root / "modules/01_tensor/test_tensor.py"
    accident = "def test_double_of_an_array():\n    return\n    "
    tests.write_text(tests.read_text().replace("def test_double_of_an_array():\n    ", accident))
    done = learner.tool("test-module", "1")
    assert states(done) == {"double": ("not started", "0 of 3"), "triple": ("needs double first", "0 of 2")}


LOOPS = ["while True: pass", "while True:\n        try: x * 2\n        except Exception: pass"]


@pytest.mark.parametrize("body", LOOPS)
def test_an_endless_loop_is_stopped_and_the_stub_with_it(learner, write_stub, monkeypatch, body):
    monkeypatch.setattr(check, "SECONDS", 1)
    write_stub("1", "double", body)
    learner.tool("export", "1")
    tests = learner.root / "modules/01_tensor/test_tensor.py"
    tests.write_text(tests.read_text() + "\n\n" + ENDLESS)
    double, triple = run(learner)
    assert (double.state, triple.state) == ("failing", "not started")
    assert double.failure.asked == "twice each number"
    assert (
        double.failure.came_back == "Timeout: still running after 1 seconds: is there a loop that never ends?"
    )


def test_what_would_take_all_memory_is_stopped_and_told(learner, write_stub):
    limits = "limits: {seconds: 120, megabytes: %s}\n    exports:\n      tinytorch: [\n        Context"
    learner.edit("course.yaml", limits % 2048, limits % 512)
    # One call in C, which no clock stops.
    write_stub("1", "double", "import itertools\n    return list(itertools.repeat(x))")
    learner.tool("export", "1")
    double, _ = run(learner)
    assert double.failure.came_back == "MemoryError: no memory is left: does something grow without end?"


def test_a_loop_that_catches_everything_ends_with_its_process(learner, write_stub, monkeypatch):
    monkeypatch.setattr(check, "SECONDS", 1)
    learner.edit(
        "course.yaml",
        "limits: {seconds: 120, megabytes: 2048}\n    exports:\n      tinytorch: [\n        Context",
        "limits: {seconds: 6, megabytes: 2048}\n    exports:\n      tinytorch: [\n        Context",
    )
    # One around the other: the second clock may ring while the inner one is in its `except`.
    loop = "while True:\n try:\n  while True:\n   try:\n    while True: pass\n   except: pass\n except: pass"
    write_stub("1", "double", loop.replace("\n", "\n    "))
    learner.tool("export", "1")
    with pytest.raises(
        check.EndedError, match="were still running after 6 seconds, in those of double: is there"
    ):
        run(learner)


def test_a_test_that_was_skipped_is_not_passed(learner, write_stub):
    write_stub("1", "double", "import unittest\n    raise unittest.SkipTest")
    done = learner.tool("test-module", "1")
    assert states(done)["double"] == ("failing", "0 of 3")
    assert "only a test that passes counts" in " ".join(done.stdout.split())


def test_what_rests_on_a_stub_that_fails_says_so_and_opens_no_hint(learner, write_stub):
    write_stub("1", "double", "return x")
    write_stub("1", "triple")
    done = learner.tool("test-module", "1")
    assert states(done) == {"double": ("failing", "0 of 3"), "triple": ("failing", "0 of 2")}
    assert re.search(r"^fails +double: ", done.stdout, re.MULTILINE)
    assert re.search(r"^also +triple: perhaps because of double, which fails too", done.stdout, re.MULTILINE)
    other = learner.tool("test-module", "1", "--stub=triple")
    assert re.search(r"^fails +triple: ", other.stdout, re.MULTILINE)
    assert re.search(
        r"^perhaps +because of double, which fails too: fix that first", other.stdout, re.MULTILINE
    )
    assert not re.search(r"^hint ", other.stdout, re.MULTILINE)
    assert "also" not in other.stdout


def test_of_a_stub_that_is_named_nothing_else_is_said_nor_run(learner, write_stub):
    write_stub("1", "double")
    write_stub("1", "triple", "import os; os._exit(7)")
    done = learner.tool("test-module", "1", "--stub=double")
    assert (done.returncode, done.stdout, done.stderr) == (0, "double: done, 3 of 3 points\n", "")
    write_stub("1", "triple", cell="#| export\ndef triple(x): return x")
    assert learner.tool("test-module", "1", "--stub=double").returncode == 0
    done = learner.tool("test-module", "1", "--stub=triple")
    assert (done.returncode, done.stdout.split()[:2]) == (1, ["fails", "triple:"])
    assert learner.tool("test-module", "1").returncode == 1


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({}, f"Next: write triple, in {NOTEBOOK}.\n"),
        ({"triple": None}, f"Next: triple needs double first, in {NOTEBOOK}.\n"),
        ({"triple": "#| export\ndef triple(x):\n    return x ="}, f"{NOTEBOOK}, cell 8 (triple), line 3: invalid syntax: return x =\n"),
        ({"triple": "#| export\ndef thrice(x):\n    return x"}, "Next: cell 8 (triple) no longer defines triple.\n"),
    ],
)  # fmt: skip
def test_a_stub_that_is_named_and_not_done_says_where_it_stands(learner, write_stub, written, said):
    learner.tool("test-module", "1")
    for stub, cell in written.items():
        write_stub("1", stub, cell=cell)
    done = learner.tool("test-module", "1", "--stub=triple")
    assert (done.returncode, done.stdout + done.stderr) == (1, said)


PRINTS = "print('x is', x)\n    for n in range(20): print('[/red]', n)"


def test_what_a_stub_prints_is_shown_where_it_fails_or_is_named(learner, write_stub):
    write_stub("1", "double", f"{PRINTS}\n    return x")
    write_stub("1", "triple", "import sys; print('tripled', file=sys.stderr)\n    return x")
    said = learner.tool("test-module", "1").stdout
    shown = [line.strip() for line in said[said.index("printed") :].splitlines()]
    numbers = [f"[/red] {number}" for number in range(testrunner.LINES - 1)]
    assert shown[: testrunner.LINES + 2] == [
        "printed    while the tests of double ran:",
        "x is [1, 2]",
        *numbers,
        "...",
    ]
    assert shown[-2:] == ["printed    while the tests of triple ran:", "tripled"]
    write_stub("1", "double", cell=f"#| export\ndef double(x):\n    {PRINTS}\n    return 2 * np.asarray(x)")
    assert "printed" not in learner.tool("test-module", "1", "--stub=triple").stdout.partition("tripled")[2]
    done = learner.tool("test-module", "1", "--stub=double")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "double: done, 3 of 3 points",
        "printed while the tests of double ran:",
        "x is [1, 2]",
        *numbers,
        "...",
    ]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("import os; print('there', flush=True); os._exit(7)", "while the tests of double ran:\nthere\n"),
        ("print('\\udc80', end=''); import os; os._exit(7)", "while the tests of double ran:\n\\udc80\n"),
        (None, "while the module was imported:\nthere\n"),
    ],
)
def test_what_was_printed_before_the_process_ended_is_shown_too(learner, write_stub, body, said):
    if body:
        write_stub("1", "double", body)
    else:
        write_stub(
            "1", "double", cell="#| export\nprint('there')\nimport os; os._exit(7)\ndef double(x): pass"
        )
    done = learner.tool("test-module", "1")
    assert (done.returncode, done.stdout) == (1, f"printed {said}")


def test_what_a_module_that_cannot_be_imported_prints_is_shown(learner, write_stub):
    write_stub("1", "double", cell="#| export\nprint('there')\n1 / 0\ndef double(x): return x")
    said = [line.strip() for line in learner.tool("test-module", "1").stdout.rstrip().splitlines()]
    assert said[-2:] == ["printed    while the module was imported:", "there"]


def test_a_loop_that_prints_takes_no_more_memory_and_says_only_its_beginning(
    learner, write_stub, monkeypatch
):
    monkeypatch.setattr(check, "SECONDS", 1)
    write_stub("1", "double", "while True: print('again')")
    learner.tool("export", "1")
    double, _ = run(learner)
    assert double.printed.startswith("again\nagain\n")
    assert len(double.printed) == limits.PRINTED


def test_a_stub_that_asks_for_input_gets_none(learner, write_stub):
    write_stub("1", "double", "return input('how many? ')")
    learner.tool("export", "1")
    double, _ = run(learner)
    assert double.failure.came_back == "EOFError: EOF when reading a line"


def test_a_terminal_shows_which_tests_are_running_and_a_pipe_does_not(learner, write_stub):
    write_stub(
        "1", "double", "import time\n    time.sleep(1)\n    return 2 * x"
    )  # longer than until it is drawn again
    on_a_terminal = {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "100"}
    shown = learner.python("-m", "autograder", "test-module", "1", **on_a_terminal).stdout
    assert "running the tests of double" in shown
    assert "running" not in learner.tool("test-module", "1").stdout


def test_ctrl_c_is_one_line(learner, write_stub):
    write_stub(
        "1",
        "double",
        "print('there')\n    import os, signal\n    os.killpg(0, signal.SIGINT)\n    while True: pass",
    )
    done = subprocess.run(
        [sys.executable, "-P", "-m", "autograder", "test-module", "1"], cwd=learner.root, start_new_session=True,
        env=os.environ | {"PYTHONPATH": f"{learner.root}{os.pathsep}{check.TOOLS}"}, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (130, "printed while the tests of double ran:\nthere\n")
    assert done.stderr == "interrupted while the tests of double ran\n"


def test_a_stub_that_is_none_is_one_line(learner):
    done = learner.tool("test-module", "1", "--stub=quadruple")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "module 01 has no stub quadruple: double, triple\n"


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("import os\nos._exit(7)", "ended before their end, with exit status 7"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "ended before their end, with exit status -9"),
        ("import os\nos._exit(0)", "ended before their end, with exit status 0"),
    ],
)  # fmt: skip
def test_a_module_that_ends_the_process_is_one_line(learner, write_stub, cell, line):
    write_stub("1", "double", cell=f"#| export\n{cell}\ndef double(x): return x")
    done = learner.tool("test-module", "1")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"the tests of module 01 (tensor) {line}")
    assert done.stderr.count("\n") == 1


def test_a_stub_that_ends_the_process_is_named(learner, write_stub):
    write_stub("1", "double")
    write_stub("1", "triple", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    done = learner.tool("test-module", "1")
    wanted = (
        "the tests of module 01 (tensor) ended before their end, in those of triple, with exit status -11"
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(wanted)
    assert done.stderr.count("\n") == 1


UNDEFINED = "NameError: name 'undefined' is not defined"


@pytest.mark.parametrize(
    ("statement", "came_back", "line"),
    [
        ("undefined + 1", UNDEFINED, "cell 8 (triple): six = undefined + 1"),
        ("sum([\n    1,\n    undefined,\n])", UNDEFINED, "cell 8 (triple): undefined,"),
        ("exit(3)", "SystemExit: 3", "cell 8 (triple): six = exit(3)"),
    ],
)
def test_a_module_that_cannot_be_imported_says_why_and_where(learner, write_stub, statement, came_back, line):
    write_stub("1", "triple", cell=f"#| export\nsix = {statement}\ndef triple(x): return x")
    done = learner.tool("test-module", "1")
    assert done.returncode == 1
    assert states(done) == {"double": ("not run", "0 of 3"), "triple": ("not run", "0 of 2")}
    said = [re.sub(" +", " ", said).strip() for said in done.stdout.splitlines()]
    assert "ran from tinytorch.tensor import double, triple" in said
    assert [line for line in said[-4:] if not line.startswith("ran ")] == [
        "not run tinytorch/tensor.py cannot be imported, so its tests did not run",
        f"came back {came_back}",
        f"where {line}",
    ]


def drop(learner, stub):
    """Take a stub's cell out of the notebook of module 01."""
    notebook = nbformat.read(learner.root / NOTEBOOK, as_version=4)
    notebook.cells = [cell for cell in notebook.cells if cell.id != stub]
    nbformat.write(notebook, learner.root / NOTEBOOK)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (None, "the notebook has no cell double any more: `make reset 1` gives a fresh one, and keeps a copy of yours"),
        ("#| export\ndef duoble(x): return x", "cell 5 (double) no longer defines double"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("known", [True, False])
def test_what_the_notebook_has_lost_is_named(learner, write_stub, cell, said, known):
    if known:
        learner.tool("test-module", "1")
    write_stub("1", "triple", "return double(x)")
    if cell is None:
        drop(learner, "double")
    else:
        write_stub("1", "double", cell=cell)
    done = learner.tool("test-module", "1")
    assert done.returncode == 1
    last = done.stdout.rstrip().splitlines()[-1]
    assert (last == f"Next: {said}.") == (known or "no longer" not in said)


def test_a_notebook_that_was_written_before_it_was_opened_here_is_compared_with_what_git_has(learner, solve):
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "modules"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *command], cwd=learner.root, check=True)
    write = json.loads((learner.root / NOTEBOOK).read_text())
    write["cells"] = [cell for cell in write["cells"] if not cell["id"].startswith("export")]
    for cell in write["cells"]:
        cell["source"] = "".join(cell["source"]).replace(
            "raise NotImplementedError", "return 2 * np.asarray(x)"
        )
    learner.write(NOTEBOOK, json.dumps(write))
    said = learner.tool("test-module", "1").stdout
    assert "(`import numpy as np`) is missing: the released one is used, here and in grading." in said
    assert "double        done" in said


def test_a_stub_is_exported_though_its_mark_is_gone(learner, write_stub):
    write_stub("1", "double", cell="def double(x): return 2 * np.asarray(x)")
    assert states(learner.tool("test-module", "1"))["double"] == ("done", "3 of 3")


def test_a_function_that_moved_to_another_cell_is_not_lost(learner, solve, write_stub):
    learner.tool("test-module", "1")
    write_stub("1", "triple", cell="#| export\ndef double(x): return x + x\ndef triple(x): return x")
    drop(learner, "double")
    said = learner.tool("test-module", "1").stdout
    assert "no cell" not in said
    assert "fails      double: double of an array" in said


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
    assert done.stdout.splitlines()[-1] == f"Next: fix {first.removeprefix(f'{NOTEBOOK}, ')}"
    assert states(done) == {"double": ("done", "3 of 3"), "triple": ("done", "2 of 2")}
    assert (learner.root / "tinytorch/tensor.py").read_text() == exported
    assert not (learner.root / "build/progress.json").exists()


@pytest.mark.parametrize("text", ["{", '{"cells": 3}', '{"cells": [{}]}'])
def test_a_notebook_that_is_none_any_more_shows_the_last_good_export_and_the_way_on(learner, solve, text):
    solve("1")
    learner.write(NOTEBOOK, text)
    done = learner.tool("test-module", "1")
    assert (done.returncode, done.stderr) == (2, "")
    assert states(done)["double"] == ("done", "3 of 3")
    last = done.stdout.splitlines()[-1]
    assert last.startswith(f"Next: fix {NOTEBOOK}")
    assert last.endswith("; `make reset 1` gives a fresh one, and keeps a copy of this one")


@pytest.mark.parametrize("text", ["", "{", '{"cells": 3}', '{"cells": [{}]}', "\0"])
def test_a_notebook_that_is_none_is_one_line(learner, text):
    learner.write(NOTEBOOK, text)
    done = learner.tool("test-module", "1")
    assert done.returncode == 2
    assert done.stderr.startswith(NOTEBOOK)
    assert ": this is not a notebook: " in done.stderr
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


KINDS = [  # a test, what it asks for, what it ran, what came back
    ("assert 1 + 1 == 3, 'a sum'", "a sum", "", "got: 2\nwanted: 3"),
    ("assert 1 + 1 == 3", "", "assert 1 + 1 == 3", "got: 2\nwanted: 3"),
    ("assert 'a\\nb' == 'a\\nc', 'two\\nlines'", "two\nlines", "", "got:\na\nb\nwanted:\na\nc"),
    ("assert 2 + 1 < 3, 'less'", "less", "", "got: 3\nwanted: less than 3"),
    ("assert np.ones(3).max() < 1", "", "assert np.ones(3).max() < 1", "got: np.float64(1.0)\nwanted: less than 1"),
    ("assert 3 >= 4, 'enough'", "enough", "", "got: 3\nwanted: at least 4"),
    ("assert (np.ones(3) == 2).all(), 'twos'", "twos", "", "got: array([1., 1., 1.])\nwanted: 2"),
    ("assert np.allclose(np.ones(3), 2), 'twos'", "twos", "", "got: array([1., 1., 1.])\nwanted: 2"),
    ("assert list(range(90)) == [*range(88), 3, 3], 'long'", "long", "", "first difference, at 88: got 88, wanted 3"),
    ("assert [0] * 90 == [0] * 91, 'long'", "long", "", "lengths: got 90, wanted 91"),
    ("assert np.ones(2) is np.ones(2), 'the very same'", "the very same", "", ""),
    ("x = np.zeros(1)\n    assert x.base is x, 'the input'", "the input", "", "got: None\nwanted: array([0.])"),
    ("assert all(n > 1 for n in (1, 2))", "", "assert all((n > 1 for n in (1, 2)))", ""),
    ("assert 1 == 1 and 1 == 2, 'both'", "both", "", ""),
    ("with pytest.raises(IndexError):\n        len('')", "", "with pytest.raises(IndexError):\n    len('')", "it did not raise IndexError"),
    ("with pytest.raises(IndexError):\n        [].nothing", "", "with pytest.raises(IndexError):\n    [].nothing", "AttributeError: 'list' object has no attribute 'nothing'"),
    ("with pytest.raises(IndexError, match='far'):\n        [][3]", "", "with pytest.raises(IndexError, match='far'):\n    [][3]", "Regex pattern did not match."),
    ("np.testing.assert_equal(3, 4, err_msg='a number')", "a number", "", "got: 3\nwanted: 4"),
    ("np.testing.assert_equal(missing, 4, err_msg='a number')", "a number", "", "NameError: name 'missing' is not defined"),
    ("where = 'a number'\n    assert missing, f'{where} is missing'", "a number is missing", "", "NameError: name 'missing' is not defined"),
    ("assert missing, f'not {missing}'", "", "assert missing", "NameError: name 'missing' is not defined"),
    ("assert missing, str(3)", "", "assert missing", "NameError: name 'missing' is not defined"),
    ("np.testing.assert_allclose([1.0], [2.0])", "", "np.testing.assert_allclose([1.0], [2.0])", "Mismatched elements: 1 / 1 (100%)\ngot: array([1.])\nwanted: array([2.])"),
    ("np.testing.assert_array_equal(np.ones(2), np.ones(3), err_msg='a shape')", "a shape", "", "(shapes (2,), (3,) mismatch)\ngot: array([1., 1.])\nwanted: array([1., 1., 1.])"),
    ("np.testing.assert_allclose([np.nan], [2.0], err_msg='no NaN')", "no NaN", "", "nan location mismatch:\ngot: array([nan])\nwanted: array([2.])"),
    ("raise ValueError('one\\ntwo')", "", "raise ValueError('one\\ntwo')", "ValueError: one\ntwo"),
    ("helper(1)", "", "helper(1)", "ZeroDivisionError: division by zero"),
    ("told(1)", "told 1", "", "ZeroDivisionError: division by zero"),
    ("told(Odd())", "", "told(Odd())", "ZeroDivisionError: division by zero"),
    ("assert Odd() == 3, 'odd'", "odd", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("body", "asked", "ran", "came_back"), KINDS, ids=[kind[0] for kind in KINDS])
def test_every_kind_of_failure_is_taken_apart(body, asked, ran, came_back):
    namespace = {}
    exec(testrunner.compiled(f"{HELPERS}\ndef test_it():\n    {body}\n", "<a test>"), namespace)
    failure = testrunner.attempt("test_it", namespace["test_it"], 20, "<a test>")
    assert failure.asked == asked
    assert asked or failure.ran == ran
    if "Regex" in came_back:
        assert failure.came_back.startswith(came_back)
    else:
        assert failure.came_back == came_back


def test_an_assertion_of_the_learners_own_came_back_and_was_not_asked():
    module, namespace = {"__name__": "tinytorch.layers"}, {}
    exec(compile("def half(x):\n    assert x == 2, f'two, and not {x}'\n", "<layers>", "exec"), module)
    exec(testrunner.compiled("def test_it():\n    half(3)\n", "<a test>"), namespace)
    namespace["half"] = module["half"]
    failure = testrunner.attempt("test_it", namespace["test_it"], 20, "<a test>")
    assert (failure.asked, failure.came_back) == ("", "AssertionError: two, and not 3")
    assert (failure.error, failure.places[-1].function) == (testrunner.THEIRS, "half")


def test_long_answers_are_cut():
    came_back = testrunner.cut("\n".join(["x" * 1000] * 50)).splitlines()
    assert len(came_back) == testrunner.LINES + 1
    assert max(map(len, came_back)) <= testrunner.WIDTH + len(" ...")


def test_an_assertion_keeps_alive_what_it_compares_no_longer_than_it_takes():
    namespace = {}
    source = (
        "import weakref\nclass Thing: pass\ndef test_it():\n    thing = Thing()\n    seen = weakref.ref(thing)\n"
        "    assert seen() is thing\n    del thing\n    assert seen() is None, 'it is gone'"
    )
    exec(testrunner.compiled(source, "<a test>"), namespace)
    assert testrunner.attempt("test_it", namespace["test_it"], 20, "<a test>") is None


def test_a_test_draws_the_same_numbers_wherever_it_runs(monkeypatch):
    import tinytorch as torch

    def drawn():
        numbers.append(torch.rand(2).tolist())

    numbers = []
    torch.manual_seed(7)
    expected = torch.rand(1).tolist()
    torch.manual_seed(7)
    testrunner.attempt("drawn", drawn, 20, "")
    assert torch.rand(1).tolist() == expected, "what comes after a test draws as if it had not run"
    testrunner.attempt("drawn", drawn, 20, "")
    assert numbers[0] == numbers[1]


def test_what_a_test_writes_to_stderr_goes_to_stdout(capsys):
    def speaks():
        print("hello", file=sys.stderr)
        warnings.warn("slow", stacklevel=1)

    assert testrunner.attempt("speaks", speaks, 20, "") is None
    assert capsys.readouterr() == ("hello\n", "")
