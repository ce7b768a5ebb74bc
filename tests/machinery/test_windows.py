"""A learner's commands where the system is not POSIX: simulated, by a Python without what Windows lacks."""

import itertools
import os
import subprocess
import sys

import pytest

from autograder import testrunner
from tests.conftest import ROOT

LACKS = """
import os, signal, sys
for name in ("fork", "forkpty", "killpg", "setsid", "memfd_create", "sched_getaffinity"):
    if hasattr(os, name):
        delattr(os, name)
for name in [name for name in vars(signal) if name.startswith(("ITIMER", "SIGALRM", "SIGPROF", "setitimer", "alarm"))]:
    delattr(signal, name)
sys.modules |= dict.fromkeys(("resource", "fcntl", "pwd", "grp", "termios"))
"""
PROFILED = f"""{LACKS}
import itertools
from autograder import testrunner
for numbers in (range(10), itertools.count(), range(10)):
    try:
        with testrunner.limit(0.2):
            sum(number for number in numbers)
    except testrunner.Timeout:
        print("stopped")
    sys.setprofile(lambda *_: None)
    (lambda: None)()
    sys.setprofile(None)
    print("goes on", flush=True)
"""


@pytest.fixture
def windows(learner):
    """Run a learner's command there; what it prints has the code page of Western Europe."""
    place = learner.write("windows/sitecustomize.py", LACKS).parent
    path = os.pathsep.join(
        [str(place), str(learner.root), str(testrunner.__file__).partition("autograder")[0]]
    )

    def run(*arguments):
        settings = {"PYTHONPATH": path, "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252", "LC_ALL": "C.UTF-8"}
        return learner.python("-m", "autograder", *arguments, **settings)

    return run


def test_a_learners_commands_work(windows, learner, write_stub):
    write_stub("1", "double", cell="#| export\ndef double(x):\n    return 2 * x  # ∑")
    for arguments, status, said in [
        (("hint", "1"), 1, "double, failing: hint 1 of 2"),
        (("export", "1"), 0, "tinytorch/tensor.py: written from modules/01_tensor/tensor.ipynb"),
        (("progress",), 0, "Next: 01 Tensor"),
        (("submit", "1"), 0, "build/submissions/01_tensor."),
        (("quiz", "1"), 1, ""),
    ]:
        done = windows(*arguments)
        assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stdout + done.stderr
        assert said in done.stdout, done.stdout


def test_a_quiz_is_refused_in_a_line(windows, solve):
    solve("1")
    assert windows("test-module", "1").returncode == 0
    done = windows("quiz", "1")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "WSL" in done.stderr


def test_a_loop_is_stopped_by_a_thread_and_what_comes_after_is_not(monkeypatch):
    monkeypatch.delattr(testrunner.signal, "setitimer")
    with pytest.raises(testrunner.Timeout, match="still running after 0.2 seconds"), testrunner.limit(0.2):
        sum(number for number in itertools.count())
    with testrunner.limit(5):
        sum(range(100_000))
    assert sum(range(1_000_000)) == 499_999_500_000


def test_what_counts_calls_goes_on_after_a_limit_by_a_thread():
    done = subprocess.run(
        [sys.executable, "-c", PROFILED], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines() == ["goes on", "stopped", "goes on", "goes on"], done.stderr
