"""`make watch`: what a learner reads when a notebook is saved, played by saving one."""

import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from autograder import watch
from tests.conftest import ROOT
from tests.machinery.test_check import states

NAME = "modules/02_activations/activations.ipynb"


class Screen:
    """What a watch draws: `next` is the table with what stands below it, once it is whole."""

    def __init__(self, process: subprocess.Popen):
        self.process, self.stdout = process, ""

    def next(self) -> dict:
        lines = []
        while not lines or "Watching" not in lines[-1]:
            lines.append(self.process.stdout.readline())
            assert lines[-1], f"it ended with {self.process.wait()}: {''.join(lines)}"
        self.stdout = "".join(lines)
        return states(self)

    def settled(self) -> dict:
        """The first table in which nothing waits for its tests."""
        while "testing the other" in str(self.next() and self.stdout):
            pass
        return states(self)


@pytest.fixture
def watching(learner):
    @contextmanager
    def begin(key):
        path = os.pathsep.join([str(learner.root), str(ROOT)])
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "autograder", "watch", key], cwd=learner.root, text=True,
            env=os.environ | {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        watchdog = threading.Timer(120, process.kill)
        watchdog.start()
        try:
            yield Screen(process)
        finally:
            watchdog.cancel()
            process.kill()
            process.wait()

    return begin


def test_each_save_is_exported_and_tested_what_changed_first(learner, write_stub, solve, watching):
    solve("1")
    with watching("2") as screen:
        fresh = {"scale": ("not started", "0 of 4"), "quadruple": ("not started", "0 of 1")}
        assert screen.settled() == fresh
        assert f"Next: write scale, in {NAME}." in screen.stdout
        write_stub("2", "scale")
        assert screen.settled() == fresh | {"scale": ("done", "4 of 4")}
        assert "Next: write quadruple" in screen.stdout
        write_stub("2", "quadruple", body="return double(x)")
        assert screen.next() == {"scale": ("done, testing", "4 of 4"), "quadruple": ("failing", "0 of 1")}
        assert re.search(r"^asked +four times each number", screen.stdout, re.MULTILINE)
        assert re.search(r"testing the other 1\. Watching", screen.stdout)
        assert screen.next() == {"scale": ("done", "4 of 4"), "quadruple": ("failing", "0 of 1")}
        write_stub("2", "quadruple", cell="#| export\ndef quadruple(x):\n    return (")
        screen.next()
        assert "cell 8 (quadruple), line 3: '(' was never closed" in screen.stdout, screen.stdout
        write_stub("2", "quadruple")
        assert screen.settled() == {"scale": ("done", "4 of 4"), "quadruple": ("done", "1 of 1")}
        assert "All done. Next: `make start 3`." in screen.stdout
        assert "return double(double(x))" in (learner.root / "tinytorch/activations.py").read_text("utf-8")
        learner.edit(
            "tinytorch/tensor.py", "return np.asarray(x) + np.asarray(x)", "return 3 * np.asarray(x)"
        )
        assert screen.settled() == {"scale": ("done", "4 of 4"), "quadruple": ("failing", "0 of 1")}
        screen.process.send_signal(signal.SIGINT)
        said, _ = screen.process.communicate(timeout=60)
        assert said == "ended: the module stays exported as it was saved last\n"
        assert screen.process.returncode == 0


def test_what_ends_its_process_is_said_and_the_watch_goes_on(learner, write_stub, solve, watching):
    solve("1")
    write_stub(
        "2",
        "scale",
        cell="#| export\nclass Scale:\n    def __init__(self, factor):\n        __import__('os')._exit(7)",
    )
    with watching("2") as screen:
        screen.next()
        assert "ended before their end, in those of scale, with exit status 7" in screen.stdout
        write_stub("2", "scale")
        assert screen.settled()["scale"] == ("done", "4 of 4")


def test_a_module_that_cannot_be_imported_is_not_run_as_a_whole(learner, write_stub, solve, watching):
    solve("1")
    write_stub("2", "quadruple")
    with watching("2") as screen:
        screen.settled()
        write_stub("2", "scale", cell="#| export\nraise OSError('no disk')\nclass Scale: pass")
        assert screen.next() == {"scale": ("not run", "0 of 4"), "quadruple": ("not run", "0 of 1")}
        assert "OSError: no disk" in screen.stdout


def test_what_other_programs_write_is_passed_over(learner):
    course = learner.course
    seen = watch.Watch(course, course.find(2))
    seen.stop()
    wanted = [NAME, "tinytorch/tensor.py", "tinytorch/given/tensor/shapes.py"]
    others = [
        "modules/02_activations/.ipynb_checkpoints/activations-checkpoint.ipynb",
        "modules/02_activations/.~activations.ipynb",
        "modules/02_activations/test_activations.py",
        "modules/02_activations/activations.2026-11-26-113000.ipynb",
        "tinytorch/activations.py",  # which the watch writes itself
        "tinytorch/.tensor.py.4711",
        "tinytorch/tensor.2026-11-26-113000.py",
        "tinytorch/__pycache__/tensor.cpython-312.pyc",
    ]
    for place in (*wanted, *others):
        assert seen.concerns(None, str(learner.root / place)) == (place in wanted), place


@pytest.mark.parametrize(
    ("key", "status", "said"), [("3", 2, "not exported yet"), ("42", 2, "there is no module 42")]
)
def test_a_module_that_cannot_be_tested_is_one_line(learner, key, status, said):
    done = learner.tool("watch", key)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (status, "", 1)
    assert said in done.stderr


def test_what_a_waiting_process_imports_is_not_yet_the_module_that_it_tests():
    names = "import sys, importlib\nfrom autograder import course\n"
    code = names + (
        "for module in course.load(sys.argv[1]).modules:\n"
        "    for slug in module.requires: importlib.import_module(f'tinytorch.{slug}')\n"
        "    assert f'tinytorch.{module.slug}' not in sys.modules, module.slug\n"
    )
    path = os.pathsep.join([str(ROOT / "build/reference"), str(ROOT)])
    environment = os.environ | {"PYTHONPATH": path, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, ROOT],
        env=environment,
        capture_output=True,
        text=True,
        cwd=Path.home(),
    )
    assert done.returncode == 0, done.stderr
