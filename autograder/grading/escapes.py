"""What must be impossible in the sandbox, tried inside it: prints what was possible, as a JSON list."""

import contextlib
import importlib.util
import json
import os
import signal
import socket
import sys
import tempfile
from pathlib import Path


def find(places: dict):
    """Each thing that is possible, in words."""
    if os.getuid() == 0:
        yield "be root"
    if any(name.isdigit() and int(name) > 20 for name in os.listdir("/proc")):
        yield "see processes outside"
    for place in places["hidden"]:
        with contextlib.suppress(OSError):
            os.stat(place)
            yield f"see {place}"
    for place in places["fixed"]:
        with contextlib.suppress(OSError), tempfile.NamedTemporaryFile(dir=place):
            yield f"write in {place}"
    for place in places["scratch"]:
        room = os.statvfs(place)
        if (size := room.f_blocks * room.f_frsize) > places["bytes"]:
            yield f"hold {size / 1e9:.0f} GB of files in {place}"
    for family, address in ((socket.AF_INET, ("1.1.1.1", 53)), (socket.AF_INET, ("127.0.0.1", 22))):
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as network:
            network.connect(address)
            network.send(b"x")
            if address[0] != "127.0.0.1":
                yield "use the network"
    with contextlib.suppress(MemoryError):
        bytearray(8 << 30)
        yield "take 8 GiB of memory"
    with contextlib.suppress(OSError):
        os.kill(1, signal.SIGKILL)
        os.kill(os.getppid(), 0)
        os.listdir(f"/proc/{os.getppid()}/cwd")
        yield "reach the process that started it"
    with contextlib.suppress(OSError), tempfile.TemporaryFile() as file:
        for _ in range(1024):
            file.write(bytes(1 << 20))
        yield "write a file of 1 GiB"
    yield from forks()


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
    module.confine(options["uid"], options["limits"])
    print(json.dumps(list(find(options["places"]))))


if __name__ == "__main__":
    main()
