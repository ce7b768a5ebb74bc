"""The tests of the GPU kernels on a device, where there is one, and what they take there: `make test-gpu`.

In a class's copy they are those of module 17b, on what the learner has exported. Where the solutions are, they run with these, and so
does what is marked `gpu` in tests/reference. Where compute-sanitizer is installed, the notebook's run once more under its memory
check, and once under its race check.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from autograder import reference
from autograder.course import CourseError, Module, load

FIND = "from tinytorch.given.kernels import device; print(device.driver()); print(device.failure())"
TOOLS = "memcheck", "racecheck"


def run() -> int:
    """Run the tests on the GPU, and return 1 if one fails; say in one line why that cannot be, where it cannot."""
    module = load().find("17b")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(framework(module)), str(module.root), *filter(None, sys.path)])
    }
    python = [sys.executable, "-P"]
    found = subprocess.run(
        [*python, "-c", FIND], env=environment, capture_output=True, text=True, check=False
    )
    driver, reason = [*found.stdout.splitlines(), "0", ""][:2]
    if driver == "0" or reason:
        why = f"The GPU here runs no kernel: {reason}." if reason else "There is no GPU here."
        print(f"{why} `make test-module 17b` runs the kernels in numba's simulator, and compiles them.")
        return 0
    environment |= {"NUMBA_ENABLE_CUDASIM": "0", "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0"}
    codes = [
        subprocess.run(each, env=environment, cwd=module.root, check=False).returncode
        for each in commands(module, python)
    ]
    return int(any(codes))


def framework(module: Module) -> Path:
    """Where the package stands whose kernels are tested: the reference, or where there is none what was exported."""
    if module.source.exists():
        return reference.build(load())
    if not module.package.exists():
        raise CourseError("your kernels are not exported yet: `make test-module 17b` does it")
    return module.root


def commands(module: Module, python: list[str]) -> list[list[str]]:
    """The lesson's tests, those of the reference where it is, the times, and the tests under compute-sanitizer."""
    pytest = [*python, "-m", "pytest", "-q"]
    lesson = [*pytest, str(module.tests.relative_to(module.root))]
    found = [lesson]
    if module.source.exists():
        found.append([*pytest, "-m", "gpu", "tests/reference"])
    found.append([*python, "-m", "tinytorch.given.kernels.measuring"])
    if sanitizer := shutil.which("compute-sanitizer"):
        found += [[sanitizer, "--tool", tool, "--error-exitcode", "1", *lesson] for tool in TOOLS]
    else:
        print(
            "compute-sanitizer is not installed: the simulator alone looks for races and for what is out of bounds."
        )
    return found
