"""What importing tinytorch changes outside itself: the last of Python's finders, and nothing else."""

import json
import os
import subprocess
import sys

import pytest

from autograder import course as courses
from autograder import reference
from tests.conftest import ROOT

EVERYTHING = """
import importlib, json, pkgutil, sys
import tinytorch
from tinytorch._lookup import modules

def import_everything():
    for slug in modules():
        importlib.import_module(f"tinytorch.{slug}")
    for module in pkgutil.walk_packages(tinytorch.__path__, "tinytorch."):
        importlib.import_module(module.name)
"""
LIBRARIES = (
    EVERYTHING
    + "import_everything()\nprint(json.dumps([n for n in sys.modules if not n.startswith('tinytorch')]))"
)
BEFORE_AND_AFTER = (
    """
import importlib, json, locale, os, signal, sys, warnings
import numpy as np

for name in json.load(sys.stdin):
    try:
        importlib.import_module(name)
    except Exception:  # what a library has made itself, or asks for first
        pass

def state():
    return {
        "finders": [str(finder) for finder in sys.meta_path],
        "hooks and paths": [str(sys.path_hooks), sys.path],
        "errors of NumPy": [np.geterr(), str(np.geterrcall())],
        "printing of NumPy": str(np.get_printoptions()),
        "warnings": [str(each) for each in warnings.filters],
        "environment": dict(os.environ),
        "locale": locale.setlocale(locale.LC_ALL),
        "signals": [str(signal.getsignal(each)) for each in sorted(signal.valid_signals())],
        "others": sorted(name for name in sys.modules if not name.startswith("tinytorch")),
        "threads": [str(each) for each in sys.modules["threading"].enumerate()],
        "memory": int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE") >> 20,
    }

before = state()
"""
    + EVERYTHING
    + "import_everything()\nprint(json.dumps([before, state()]))"
)


@pytest.fixture(scope="module")
def states():
    """The state of a process that has the libraries, before and after everything of tinytorch is imported."""
    libraries = run(LIBRARIES)
    return run(BEFORE_AND_AFTER, json.dumps(libraries))


def run(code, given=None):
    environment = os.environ | {"PYTHONPATH": str(reference.build(courses.load(ROOT)))}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], input=given, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_nothing_else_is_changed(states):
    before, after = states
    assert after.pop("finders") == [*before.pop("finders"), "<class 'tinytorch._lookup._Places'>"]
    assert after.pop("memory") - before.pop("memory") < 60
    for what, found in before.items():
        assert after[what] == found, what
    assert "torch" not in after["others"]


def test_threads_are_those_of_the_blas_and_of_kernels():
    code = """
import json, sys
import tinytorch as torch, numpy as np
from threadpoolctl import threadpool_info
blas = lambda: sorted({each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"})
torch.set_num_threads(3)
found = [blas(), torch.get_num_threads(), "numba" in sys.modules]
torch.set_num_threads(1)
import tinytorch.acceleration, numba
found += [blas(), torch.get_num_threads(), numba.get_num_threads()]
torch.set_num_threads(2)
found += [numba.get_num_threads() == min(2, numba.config.NUMBA_NUM_THREADS)]
for wrong in (0, -1, 1.5, True):
    try:
        torch.set_num_threads(wrong)
    except RuntimeError as error:
        found.append(str(error))
print(json.dumps([*found, torch.get_num_threads()]))
"""
    positive = "set_num_threads expects a positive integer"
    expects = "set_num_threads expects an int, but got "
    wanted = [[3], 3, False, [1], 1, 1, True, positive, positive, f"{expects}float", f"{expects}bool", 2]
    assert run(code) == wanted
