"""To have a kernel compiled, as for a device, while it runs in numba's simulator.

The simulator runs a kernel as Python, and Python does more than a device can. So `reply` sends a kernel, with
the functions that it calls, to a program beside (`compiler.py`). It is started once, for this process and
those that are forked from it; what has been compiled is remembered by its source, in `build/compiled`.
"""

import hashlib
import json
import marshal
import os
import pickle
import socket
import sys
import types
from contextlib import suppress
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from tinytorch.given.kernels import compiler, device
from tinytorch.given.kernels.simulator import used

__all__ = []

ROOT = Path(__file__).parents[3]
ADDRESS = "KERNEL_COMPILER"  # in the environment: where a compiler answers that another process has started
WAIT = 120  # seconds for an answer: the first has to import numba's compiler
PARTS = {"numba_cuda": "numba-cuda", "nvidia": "nvidia-nvvm"}  # what compiles, and where it comes from
known, why = {}, []  # replies, by the digest of what was asked; why the last kernel was not compiled
running = []  # the compiler, if this process has started it, which ends when this and its forks have


class NoCompiler(Exception):
    """There is nothing here that compiles kernels; the message says why."""


def missing():
    """Why kernels cannot be compiled here, in a few words, or ""."""
    if sys.platform != "linux":
        return "that is done on Linux alone"
    lacking = [name for package, name in PARTS.items() if not find_spec(package)]
    return f"{' and '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} not installed" if lacking else ""


def remark():
    """A sentence for who tests kernels that were not compiled, or ""."""
    if why:
        return f"Kernels ran in the simulator and were not compiled: {why[0]}."
    if reason := device.failure():
        return f"Kernels ran in the simulator, for the GPU here runs none: {reason}."
    return ""


@cache
def version(name):
    """The version of a distribution, or "" where that is not known."""
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(name)
    return ""


def start():
    """Start the compiler, if there is one and it does not run yet; it takes a second or two to be ready."""
    if ADDRESS not in os.environ and not missing():
        program, os.environ[ADDRESS] = compiler.start(device.has_device_beside())
        running.append(program)


def ask(question):
    """What the compiler says to a question; NoCompiler where it cannot be asked."""
    why[:] = filter(None, [missing()])
    for _ in range(0 if why else 2):
        start()
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(WAIT)
                connection.connect("\0" + os.environ[ADDRESS])
                with connection.makefile("rwb") as file:
                    pickle.dump(question, file)
                    file.flush()
                    said = json.loads(file.read())
            if "unable" not in said:
                return said
            why[:] = [said["unable"]]
        except (OSError, ValueError):
            why[:] = ["the compiler does not answer"]
            del os.environ[ADDRESS]  # that of another process may have ended
    raise NoCompiler(why[0])


def graph(kernel):
    """A kernel's function and those that it calls, in parts that another process can put together again."""
    parts, numbers = [], {}

    def number(function, kind):
        if function not in numbers:
            numbers[function] = len(parts)
            parts.append({})
            names = function.__globals__
            parts[numbers[function]] |= {
                "kind": kind,
                "code": marshal.dumps(function.__code__),
                "defaults": function.__defaults__,
                "names": {
                    name: part(names[name]) for name in sorted(used(function.__code__)) if name in names
                },
                "cells": [part(cell.cell_contents) for cell in function.__closure__ or ()],
            }
        return numbers[function]

    def part(value):
        if hasattr(value, "py_func"):
            return "function", number(value.py_func, "device")
        if isinstance(value, types.FunctionType):
            return "function", number(value, "plain")
        if isinstance(value, types.ModuleType):
            return "module", value.__name__.replace("numba.cuda.simulator", "numba.cuda")
        try:
            return "value", pickle.dumps(value)
        except (pickle.PicklingError, TypeError, AttributeError):
            return "unknown", type(value).__name__

    number(kernel.py_func, "kernel")
    return parts, list(numbers)


def sample(value):
    """A value of the type that an argument of a kernel has: of an array, one that holds nothing."""
    if hasattr(value, "copy_to_host"):
        return np.empty((0,) * value.ndim, value.dtype)
    return tuple(map(sample, value)) if isinstance(value, tuple) else type(value)(1)


def reply(kernel, arguments, target=(8, 0)):
    """What becomes of a kernel for arguments of these types, by `compiler.compiled`, and its functions."""
    parts, functions = graph(kernel)
    arguments = tuple(map(sample, arguments))
    asked = digest(parts, functions, arguments, target)
    kept = ROOT / "build" / "compiled" / f"{asked}.json"
    if asked not in known:
        with suppress(OSError, ValueError):
            known[asked] = json.loads(kept.read_text(encoding="utf-8"))
    if asked not in known:
        known[asked] = ask({"graph": parts, "arguments": arguments, "target": target})
        if (ROOT / "course.yaml").exists():
            with suppress(OSError):  # a folder that cannot be written
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_text(json.dumps(known[asked]), encoding="utf-8")
    return known[asked], functions


def beside(kernel, launch, arguments):
    """The arrays among the arguments of a kernel as a launch on the GPU leaves them; None without a GPU."""
    if not device.has_device_beside():
        return None
    said = ask({"graph": graph(kernel)[0], "arguments": arguments, "launch": launch})
    if "error" in said:
        raise RuntimeError(f"on the GPU: {said['said']}")
    return [np.array(values).reshape(shape) for values, shape in zip(said["found"], said["shapes"])]


def digest(parts, functions, arguments, target):
    """A name for what is compiled, the same in every process: source, what it uses, types, and compilers."""
    codes = [
        (plain(function.__code__), each["kind"], each["defaults"], each["names"], each["cells"])
        for each, function in zip(parts, functions)
    ]
    asked = repr(
        (
            codes,
            arguments,
            target,
            list(map(version, PARTS.values())),
            Path(compiler.__file__).stat().st_mtime_ns,
        )
    )
    return hashlib.sha256(asked.encode()).hexdigest()[:32]


def plain(code):
    """A code as what can be printed: marshal writes the same code in more than one way."""
    inner = [plain(each) if isinstance(each, types.CodeType) else repr(each) for each in code.co_consts]
    own = code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_filename, code.co_linetable
    return code.co_firstlineno, own, inner
