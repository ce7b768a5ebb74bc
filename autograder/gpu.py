"""The tests of the GPU kernels on a device, where there is one: `make test-gpu`.

The tests are those of the simulator: of module 17b's notebook, with its solutions, and what is marked `gpu` in tests/reference.
Where compute-sanitizer is installed, the notebook's run once more under its memory check, and once under its race check.
"""

import os
import shutil
import subprocess
import sys

from autograder import reference
from autograder.course import load

FIND = "from tinytorch.given.kernels.simulator import SIMULATED; print(SIMULATED)"
TOOLS = "memcheck", "racecheck"


def run() -> int:
    """Run the tests on the GPU, and return 1 if one fails; say in one line that there is none otherwise."""
    course = load()
    path = [str(reference.build(course)), str(course.root), *filter(None, sys.path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    found = subprocess.run(
        [sys.executable, "-P", "-c", FIND], env=environment, capture_output=True, text=True, check=False
    )
    if found.stdout.strip() != "False":
        print("There is no GPU here: `make test` runs the kernels in numba's simulator, and compiles them.")
        return 0
    lesson = course.find("17b").tests.relative_to(course.root)
    pytest = [sys.executable, "-P", "-m", "pytest", "-q"]
    commands = [[*pytest, str(lesson)], [*pytest, "-m", "gpu", "tests/reference"]]
    if sanitizer := shutil.which("compute-sanitizer"):
        commands += [[sanitizer, "--tool", tool, "--error-exitcode", "1", *commands[0]] for tool in TOOLS]
    else:
        print("compute-sanitizer is not installed: memory and races go unchecked.")
    environment |= {"NUMBA_ENABLE_CUDASIM": "0"}
    codes = [
        subprocess.run(each, env=environment, cwd=course.root, check=False).returncode for each in commands
    ]
    return int(any(codes))
