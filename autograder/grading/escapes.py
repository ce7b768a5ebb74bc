"""What must be impossible in the sandbox, tried inside it: prints what was possible, as a JSON list."""

import contextlib
import ctypes
import errno
import importlib.util
import json
import os
import signal
import socket
import sys
import tempfile
from pathlib import Path

# Frameworks and tokenizers that would answer what a lesson asks for.
ANSWERS = ("torch", "jax", "tensorflow", "tinygrad", "sklearn", "tokenizers", "tiktoken", "transformers")


def find(places: dict, calls: dict[str, int]):
    """Each thing that is possible, in words."""
    if os.getuid() == 0:
        yield "be root"
    if places["seen"] is None:  # the whole container
        yield from reached(os.getppid())
    elif any(name.isdigit() and int(name) > 20 for name in os.listdir("/proc")):
        yield "see processes outside"
    for place in places["hidden"]:
        with contextlib.suppress(OSError):
            os.stat(place)
            yield f"see {place}"
    for place in strays("/", places["seen"]) if places["seen"] is not None else ():
        yield f"see {place}"
    for place in places["empty"]:
        with contextlib.suppress(OSError):
            if os.listdir(place) if os.path.isdir(place) else Path(place).read_bytes():
                yield f"read {place}"
    for name in ANSWERS:
        if importlib.util.find_spec(name):
            yield f"import {name}"
    for place in places["fixed"]:
        with contextlib.suppress(OSError), tempfile.NamedTemporaryFile(dir=place):
            yield f"write in {place}"
    for place in places["scratch"]:
        room = os.statvfs(place)
        if (size := room.f_blocks * room.f_frsize) > places["bytes"]:
            yield f"hold {size / 1e9:.0f} GB of files in {place}"
    for family in range(socket.AF_UNIX + 1, 46):
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM):
            yield f"open a socket of family {family}"
    with contextlib.suppress(MemoryError):
        bytearray(8 << 30)
        yield "take 8 GiB of memory"
    yield from called(calls)
    with contextlib.suppress(OSError), tempfile.TemporaryFile() as file:
        for _ in range(1024):
            file.write(bytes(1 << 20))
        yield "write a file of 1 GiB"
    with contextlib.ExitStack() as files, contextlib.suppress(OSError):
        for _ in range(1000):
            files.enter_context(open(os.devnull))
        yield "open a thousand files"
    yield from forks()


def reached(process: int):
    """What can be done to another process, which must belong to another user."""
    with contextlib.suppress(OSError):
        os.kill(process, 0)
        yield "signal other processes"
    for name in ("environ", "mem"):
        with contextlib.suppress(OSError), open(f"/proc/{process}/{name}", "rb"):
            yield f"read {name} of other processes"
    for name in ("cwd", "root", "fd/0"):
        with contextlib.suppress(OSError):
            os.readlink(f"/proc/{process}/{name}")
            yield f"follow {name} of other processes"


def strays(folder: str, seen: list[str]):
    """What exists but is not mounted."""
    for name in os.listdir(folder):
        place = os.path.join(folder, name)
        if place in seen:
            continue
        if any(other.startswith(f"{place}/") for other in seen):
            yield from strays(place, seen)
        else:
            yield place


def called(calls: dict[str, int]):
    """The calls of the kernel that are not refused; without the filter, these arguments give another error."""
    import fcntl

    system = ctypes.CDLL(None, use_errno=True)
    for name, number in calls.items():
        answer = system.syscall(number, *[ctypes.c_long(-1)] * 6)
        if answer != -1 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
            yield f"call {name}"
    with open(os.devnull) as file, contextlib.suppress(OSError):
        fcntl.lockf(file, fcntl.LOCK_SH)
        yield "lock a file"
    if system.unshare(0x10000000) == 0:
        yield "make a namespace"


def forks():
    """Whether there may be a thousand processes at once."""
    children = []
    with contextlib.suppress(OSError):
        for _ in range(1000):
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
        yield "have a thousand processes"
    for child in children:
        os.kill(child, signal.SIGKILL)


def main() -> None:
    options = json.loads(sys.argv[1])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    worker = importlib.util.spec_from_file_location("worker", Path(__file__).with_name("worker.py"))
    module = importlib.util.module_from_spec(worker)
    worker.loader.exec_module(module)
    module.confine(options["uid"], options["limits"], options["filter"])
    print(json.dumps(list(find(options["places"], options["calls"]))))


if __name__ == "__main__":
    main()
