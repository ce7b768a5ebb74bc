"""The program in the sandbox: run a module cell by cell, then its tests, then the probes it is sent.

It reads JSON lines and answers with JSON lines: a job, then one probe after another. None of its answers is
trusted: the grader checks size and type, and compares values itself. The only other part of the autograder
that is mounted is the one with which `make test-module` explains why a test fails.
"""

import base64
import contextlib
import ctypes
import json
import linecache
import os
import random
import resource
import struct
import sys
import traceback
from importlib import import_module
from types import ModuleType

from autograder import testrunner
from autograder.limits import MESSAGE

TESTS = "<tests>"
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2  # of prctl


def confine(uid: int | None, limits: dict[str, int | None], filter: str = "") -> None:
    """Take the limits of the job and, where root has started the sandbox, another user's rights; then the filter, if it is given."""
    kinds = {
        "megabytes": (resource.RLIMIT_AS, 1 << 20),
        "seconds": (resource.RLIMIT_CPU, 1),
        "processes": (resource.RLIMIT_NPROC, 1),
        "file_megabytes": (resource.RLIMIT_FSIZE, 1 << 20),
        "open_files": (resource.RLIMIT_NOFILE, 1),
    }
    for name, (kind, unit) in kinds.items():
        if limits[name] is not None:
            resource.setrlimit(kind, (limits[name] * unit, limits[name] * unit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as first:
        first.write("1000")  # where memory runs out after all, this goes, and nothing else of the machine
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    if filter:
        load(bytes.fromhex(filter))


def load(program: bytes) -> None:
    """Have the kernel refuse calls from now on, here and in every child, by a program of `seccomp.py`."""
    system = ctypes.CDLL(None, use_errno=True)
    held = ctypes.create_string_buffer(program, len(program))
    instructions = struct.pack("HP", len(program) // 8, ctypes.addressof(held))  # struct sock_fprog
    numbers = [ctypes.c_ulong(number) for number in (1, 0, 0, 0)]
    for option, *rest in ((NO_NEW_PRIVILEGES, *numbers), (SECCOMP, FILTER, instructions, *numbers[2:])):
        if system.prctl(option, *rest) != 0:
            raise OSError(ctypes.get_errno(), "the filter of calls is not loaded")


def main() -> None:
    options = json.loads(sys.argv[1])
    confine(options["uid"], options["limits"], options["filter"])
    asked, told = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    job = json.loads(asked.readline())
    allowed = (options["seconds"], options["patience"])
    import_module("numpy.testing")  # here, where its time does not count
    module = module_for(job["slug"])
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):  # what a student prints, logs or warns goes nowhere
        os.dup2(nothing, standard)

    def tell(answer: dict) -> None:
        told.write(json.dumps(answer) + "\n")
        told.flush()

    tell({"started": True})
    for cell in job["cells"]:
        if failure := attempt(allowed, run_cell, module, **cell):
            tell({"cell": cell["name"]} | failure)
    sys.modules["pytest"] = testrunner.marks_only()
    tests = {"__name__": f"test_{job['slug']}"}
    broken = attempt(allowed, lambda: exec(testrunner.compiled(job["tests"], TESTS), tests))
    if broken:
        tell({"cell": "tests"} | broken)
    for stub, names in () if broken else job["stubs"].items():
        for name in names:
            failure = attempt(allowed, run_test, tests, name, describe=explain(name))
            tell({"stub": stub, "test": name, "failure": failure})
            if failure and failure["error"] == testrunner.Timeout.__name__:
                break
    tell({"ready": True})
    for line in asked:
        tell(answer(allowed, module, json.loads(line)))


def module_for(slug: str) -> dict:
    """The namespace of a new module that stands for `tinytorch.slug`."""
    module = ModuleType(f"tinytorch.{slug}")
    import_module("tinytorch._lookup").stand_for(slug, module)
    return vars(module)


def run_cell(namespace: dict, source: str, name: str) -> None:
    place = f"<{name}>"
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    exec(compile(source, place, "exec"), namespace)


def run_test(tests: dict, name: str) -> None:
    with testrunner.same_numbers():
        tests[name]()


def attempt(allowed: tuple[float, float], run, *arguments, describe=None, **words) -> dict | None:
    """Run something within its time: what it raised, or None."""
    try:
        with testrunner.limit(*allowed):
            run(*arguments, **words)
    except BaseException as error:  # a submission may raise anything, SystemExit and pytest's own too
        return told(error, describe or in_short)
    return None


def told(error: BaseException, describe) -> dict:
    """An error as text; a student's class may fail even at that, or never finish."""
    try:
        with testrunner.limit(5):
            return {key: str(text)[:MESSAGE] for key, text in describe(error).items()}
    except BaseException:
        return {"error": "an error", "came_back": "an error that cannot be shown"}


def in_short(error: BaseException) -> dict:
    places = [
        f"{frame.name}, {frame.filename.strip('<>')}" for frame in traceback.extract_tb(error.__traceback__)
    ]
    own = [place for place in places if not place.endswith(".py")]
    name = type(error).__name__
    return {"error": name, "came_back": f"{name}: {error}", "where": own[-1] if own else ""}


def explain(test: str):
    """What `make test-module` says about a failing test: what it expected, what was returned, and where."""

    def describe(error: BaseException) -> dict:
        failure = testrunner.describe(test, error, TESTS)
        own = [place for place in failure.places if place.line]  # of the modules before there is no source
        is_raised = failure.error not in ("AssertionError", "Failed")
        where = f"{own[-1].function}: {own[-1].line}" if own and is_raised else ""
        return {
            "error": failure.error,
            "asked": failure.asked,
            "ran": failure.ran,
            "came_back": failure.came_back,
            "where": where,
        }

    return describe


def answer(allowed: tuple[float, float], module: dict, probe: dict) -> dict:
    """The value that a probe gives in the module's namespace, for this seed."""
    import numpy as np

    found = {}

    def run() -> None:
        namespace = module | {"np": np, "probe": lambda stub: lambda function: function}
        run_cell(namespace, probe["source"], "probe")
        seed(probe["seed"] % (1 << 32))  # of what draws without being given a generator
        found["value"] = plain(namespace[probe["name"]](np.random.default_rng(probe["seed"])))

    return attempt(allowed, run) or found


def seed(number: int) -> None:
    import numpy as np

    random.seed(number)
    np.random.seed(number)
    with contextlib.suppress(AttributeError, ImportError):
        import_module("tinytorch").manual_seed(number)


def plain(value: object) -> object:
    """A probe's value as JSON: arrays as their bytes, numbers and text as they are, lists and dictionaries of these."""
    import numpy as np

    if hasattr(value, "cpu") and hasattr(value, "detach"):
        value = value.detach().cpu().array
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.kind not in "biufc":
            raise TypeError(f"a probe gives arrays of numbers, not of {array.dtype}")
        return {"array": [array.dtype.str, list(array.shape), base64.b64encode(array.tobytes()).decode()]}
    if isinstance(value, dict):
        return {"dict": [[plain(key), plain(item)] for key, item in value.items()]}
    if isinstance(value, list | tuple):
        return {"list": [plain(item) for item in value]}
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return float(value) if isinstance(value, float) else int(value)
    raise TypeError(f"a probe gives arrays, numbers and text, not {type(value).__name__}")


if __name__ == "__main__":
    main()
