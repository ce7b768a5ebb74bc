"""The program of a child process in which an entry is built, or answers: `python runner.py FD build|answer`.

It is given the entry's source, the model and, to build with, the data for training, as bytes over a
socket; it knows nothing of held-back labels. Before the entry's first line runs, an audit hook (PEP
578) is put in place that ends the process when anything but code is opened, a file is written, another
process is started, a signal sent or a connection made. That stops what a Python program does in the
usual ways; it is no prison for machine code, for which one takes a container.
"""

import io
import json
import os
import pickle
import resource
import sys
import traceback
from multiprocessing.connection import Connection
from types import ModuleType

__all__ = []

REFUSED = 77  # how the process exits when it is ended by the hook
CODE = (
    ".py",
    ".pyc",
    ".nbc",
    ".so",
    ".pyd",
    ".dylib",
    ".dll",
    ".pth",
    ".yaml",
)  # what may be opened, wherever it is
PLAIN = (
    "/dev/null",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/self/maps",
    "/proc/self/status",
)
HELD_BACK = ("pydoc_data", "digits.npz")  # in the names of files and modules: the data behind the tasks
ALONE = (
    "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "os.kill", "pty.",
    "socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "urllib.", "ftplib.", "smtplib.",
    "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.truncate",
    "os.utime", "shutil.", "sqlite3.",
)  # fmt: skip
BYTES = 10_000_000  # the longest file, and so the longest log


def confine():
    """Let the hook watch from now on; the functions that it needs are its own, whatever is replaced."""

    def hook(
        event, arguments, str=str, bytes=bytes, isinstance=isinstance, any=any, write=os.write, exit=os._exit
    ):
        said = None
        if event == "open":
            path, mode, flags = arguments
            path = path.decode() if isinstance(path, bytes) else path
            if isinstance(path, str):
                writes = isinstance(mode, str) and any(letter in mode for letter in "wax+")
                writes = writes or (mode is None and flags & 3)
                plain = path.startswith(PLAIN)
                if any(word in path for word in HELD_BACK):
                    said = f"it reads held-back data: {path}"
                elif writes and not plain:
                    said = f"it writes a file: {path}"
                elif not plain and not path.endswith(CODE) and ".dist-info/" not in path:
                    said = f"it reads a file that is not code: {path}"
        elif event == "import" and any(word in arguments[0] for word in HELD_BACK):
            said = f"it reads held-back data: {arguments[0]}"
        elif event.startswith(ALONE):
            said = f"it reaches out of its process: {event}"
        if said:
            write(2, b"\n" + said.encode(errors="replace"))
            exit(77)

    sys.addaudithook(hook)


def read(message):
    return pickle_free(io.BytesIO(message))


def pickle_free(file):
    return np.load(file, allow_pickle=False)


def written(array):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def build(connection, entry, model, function):
    """Call the entry with the model and the data for training; send what it returns."""
    count = json.loads(connection.recv_bytes())
    data = [torch.from_numpy(read(connection.recv_bytes()).copy()) for _ in range(count)]
    better = getattr(entry, function)(model, *data)
    if not isinstance(better, torch.nn.Module):
        raise TypeError(f"{function} returns a {type(better).__name__}, and a Module is wanted")
    better.eval()
    for parameter in better.parameters():
        parameter.grad = None
    connection.send_bytes(pickle.dumps(better))


def answer(connection, model):
    """Answer one array after the other: logits of images, or of the character that comes next."""
    connection.send_bytes(b"ready")
    while True:
        x = torch.from_numpy(read(connection.recv_bytes()).copy())
        with torch.no_grad():
            output = model(x)
        output = output.numpy() if isinstance(output, torch.Tensor) else np.asarray(output)
        connection.send_bytes(written(output[:, -1] if output.ndim == 3 else output))


def main(number, role):
    connection = Connection(int(number))
    resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES, BYTES))
    source, function, seed = json.loads(connection.recv_bytes())
    entry = sys.modules["entry"] = ModuleType("entry")
    torch.manual_seed(seed)
    np.random.seed(seed)
    sys.path[:] = filter(os.path.exists, sys.path)  # what is not there would be opened as an archive
    confine()
    try:
        exec(compile(source, "entry.py", "exec"), vars(entry))
        model = pickle.loads(connection.recv_bytes())
        if role == "build":
            build(connection, entry, model, function)
        else:
            answer(connection, model)
    except EOFError:  # there are no more requests
        pass
    except BaseException as error:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == "entry.py"]
        where = f" (line {lines[-1]} of the entry)" if lines else ""
        message = f"\n{type(error).__name__}: {' '.join(str(error).split())}{where}"
        os.write(2, message.encode(errors="replace"))
        os._exit(1)


if __name__ == "__main__":
    import numpy as np

    import tinytorch as torch

    torch.nn.Module, torch.from_numpy, torch.no_grad  # noqa: B018 (so that these are loaded before the hook)
    main(*sys.argv[1:])
