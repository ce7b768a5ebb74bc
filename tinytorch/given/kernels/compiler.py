"""A program that compiles kernels for a device, where there is none too: by numba-cuda and NVVM, to PTX.

It is a process of its own, for numba's simulator and its compiler do not go into one. `compiling.py` asks it,
over a socket, one kernel after another; it ends when nobody is left who could ask.
"""

import json
import marshal
import os
import pickle
import re
import select
import socket
import struct
import subprocess
import sys
import types
from collections import Counter
from contextlib import suppress
from importlib import import_module
from traceback import walk_tb
from unittest import mock

__all__ = []

TARGET = 8, 0  # the compute capability that is compiled for: an A100's
FILE = re.compile(r'\s*\.file\s+(\d+)\s+"(.*)"')
LOCATION = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)")
PLACE = re.compile(r'File "([^"]+)", line (\d+)|\b(?:at|from) (\S+) \((\d+)\)')
LOCAL = re.compile(r"\.local\b.*?\[(\d+)\]")
INSTRUCTION = re.compile(r"\t(?:@\S+\s+)?([a-z][\w.:]*)")


def made(graph, lines):
    """The functions of a graph, as `compiling.graph` takes them apart; the first is the kernel's."""
    from numba import cuda

    functions, stands_for, options = [], {}, {"lineinfo": True} if lines else {}
    for number, parts in enumerate(graph):
        code = marshal.loads(parts["code"])
        cells = tuple(types.CellType() for _ in parts["cells"])
        function = types.FunctionType(
            code, {"__builtins__": __builtins__}, code.co_name, parts["defaults"], cells
        )
        function.__qualname__, function.__module__ = code.co_qualname, "kernels"
        functions.append(function)
        is_device = parts["kind"] == "device"
        stands_for[number] = cuda.jit(device=True, **options)(function) if is_device else function

    def value(part):
        kind, what = part
        if kind == "function":
            return stands_for[what]
        if kind == "module":
            return import_module(what)
        return pickle.loads(what) if kind == "value" else object()

    for parts, function in zip(graph, functions):
        function.__globals__.update({name: value(part) for name, part in parts["names"].items()})
        for cell, part in zip(function.__closure__ or (), parts["cells"]):
            cell.cell_contents = value(part)
    return functions


def compiled(question):
    """What becomes of a kernel: what `read` finds in it, or {"error": its type, "said": text, "places":
    lines}; or {"unable": why} where something is missing here.

    Which lines of Python the instructions belong to costs time: it is asked for where one is not wanted.
    """
    try:
        if "launch" in question:
            return launched(question)
        text = ptx(question, lines=False)
        found = read(text)
        if found["float64"] or found["local"]:
            found = read(ptx(question, lines=True))
    except Exception as error:
        if isinstance(error, ImportError | OSError) or re.search(
            "Support|NotFound|Missing libdevice", f"{type(error).__name__} {error}"
        ):
            return {"unable": next(iter(str(error).strip().splitlines()), type(error).__name__)}
        return {"error": type(error).__name__, "said": str(error), "places": places(error)}
    return found | {"ptx": text} if question.get("text") else found


def launched(question):
    """What a kernel leaves in its arguments on a device, as lists, and the shape of each."""
    from numba import cuda

    kernel, *_ = made(question["graph"], lines=False)
    arguments = [cuda.to_device(each) if getattr(each, "ndim", 0) else each for each in question["arguments"]]
    cuda.jit(kernel)[question["launch"]](*arguments)
    found = [each.copy_to_host() for each in arguments if hasattr(each, "copy_to_host")]
    return {"found": [each.ravel().tolist() for each in found], "shapes": [each.shape for each in found]}


def ptx(question, lines):
    from numba import cuda, typeof

    kernel, *_ = made(question["graph"], lines)
    signature = tuple(map(typeof, question["arguments"]))
    return cuda.compile_ptx(kernel, signature, cc=question["target"], lineinfo=lines)[0]


def places(error):
    """The lines, as (file, number), that numba was at when it failed, innermost first, and those it names."""
    found, named = [], []
    while error:
        for frame, _ in walk_tb(error.__traceback__):
            for name in ("self", "constraint", "inst", "expr", "value"):
                at = getattr(frame.f_locals.get(name), "__dict__", {}).get("loc")
                if isinstance(getattr(at, "line", None), int):
                    found.insert(0, (at.filename, at.line))
        named += [(a or c, int(b or d)) for a, b, c, d in PLACE.findall(str(error))]
        error = error.__cause__ or error.__context__
    return list(dict.fromkeys([*found, *named]))


def read(text):
    """What PTX holds: instructions by name, bytes of local memory, and lines with float64 or local memory."""
    files, here, counts = {}, None, Counter()
    lines = {"float64": [], "local": []}
    for line in text.splitlines():
        if found := FILE.match(line):
            files[found[1]] = found[2]
        elif found := LOCATION.match(line):
            here = found[1], int(found[2])
        elif found := INSTRUCTION.match(line):
            counts[found[1]] += 1
            if ".f64" in line:
                lines["float64"].append(here)
            if ".local" in found[1]:
                lines["local"].append(here)
    found = {"instructions": dict(counts), "local bytes": sum(map(int, LOCAL.findall(text)))}
    for kind, places in lines.items():
        named = [(files.get(place[0], ""), place[1]) if place else ("", 0) for place in dict.fromkeys(places)]
        found |= {kind: named, f"{kind} instructions": len(places)}
    return found


def start(device=False):
    """Start the program: its process, and the name of the socket at which it answers this user."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind("")  # a name that Linux makes up, in no folder
    listening.listen(64)
    command = [sys.executable, "-P", __file__, str(listening.fileno()), *["device"] * device]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    program = subprocess.Popen(command, pass_fds=[listening.fileno()], **streams)
    with listening:
        return program, listening.getsockname()[1:].decode()


def main():
    """Answer who connects, until the standard input ends: the processes that could ask hold it open."""
    os.environ |= {"NUMBA_ENABLE_CUDASIM": "0", "NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0"}
    listening = socket.socket(fileno=int(sys.argv[1]))
    import_module("numba.cuda")
    if not sys.argv[
        2:
    ]:  # for device functions, which numba compiles for the device at hand, there has to be one
        device = mock.Mock(compute_capability=TARGET)
        mock.patch("numba.cuda.dispatcher.get_current_device", return_value=device).start()
    while True:
        ready, _, _ = select.select([listening, sys.stdin], [], [])
        if sys.stdin in ready:
            return
        connection, _ = listening.accept()
        with connection, connection.makefile("rwb") as file, suppress(OSError, EOFError):
            if user(connection) == os.getuid():  # what is unpickled may do anything
                file.write(json.dumps(compiled(pickle.load(file))).encode())


def user(connection):
    """Whose process has connected."""
    return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]


if __name__ == "__main__":
    main()
