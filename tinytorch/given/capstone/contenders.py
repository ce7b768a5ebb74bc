"""The judge's side of a child process: it is asked, paused and ended, and nothing that it says is trusted.

All clocks, labels and verdicts are on this side. The child sends bytes: a model, of which the bytes are
counted and which is never opened here, and arrays of numbers.
"""

import io
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

import tinytorch

__all__ = ["Contender", "Refused", "build_entry", "clock_of", "to_bytes"]

RUNNER = Path(__file__).with_name("runner.py")
ROOT = Path(tinytorch.__file__).parents[1]
ENDED_BY_THE_HOOK = 77


class Refused(Exception):
    """An entry that cannot be judged, or must not be: the sentence says why."""


class Child:
    """A process of an entry's own: one thread for products, an empty folder."""

    def __init__(self, role, source, function, seed, seconds):
        self.seconds = seconds
        self.log, self.folder = tempfile.TemporaryFile(), tempfile.TemporaryDirectory()  # noqa: SIM115
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-W", "ignore", str(RUNNER), str(theirs.fileno()), role],
                stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, pass_fds=[theirs.fileno()],
                cwd=self.folder.name, env=environment_of(self.folder.name), start_new_session=True,
            )  # fmt: skip
        self.connection = Connection(ours.detach())
        self.send(json.dumps([source, function, seed]).encode())

    def send(self, message):
        try:
            self.connection.send_bytes(message)
        except OSError:
            raise self.ended() from None

    def receive(self):
        """The next message; Refused where none comes in time, or the process has ended."""
        if not self.connection.poll(self.seconds):
            raise Refused(f"no answer within {self.seconds:g} seconds")
        try:
            return self.connection.recv_bytes(2**30)
        except (EOFError, OSError):
            raise self.ended() from None

    def ended(self):
        """Why the process ended, from the last line that it wrote."""
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            return Refused("it closed its connection")
        size = self.log.seek(0, os.SEEK_END)
        self.log.seek(max(0, size - 4000))
        lines = self.log.read().decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), f"exit status {code}")
        return Refused(last if code == ENDED_BY_THE_HOOK else f"it stopped: {last[:300]}")

    @property
    def cpu_seconds(self):
        """The seconds for which processors have worked for this process, as Linux counts them."""
        return time.clock_gettime(~self.process.pid << 3 | 2)  # the number of another process's clock

    def signal(self, which):
        if self.process.poll() is None:
            os.killpg(self.process.pid, which)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.connection.close()
        self.signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()
        self.folder.cleanup()


def environment_of(folder):
    """The few variables that a child has."""
    one = dict.fromkeys(
        ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
    )
    places = {"PATH": os.environ.get("PATH", ""), "HOME": folder, "PYTHONPATH": str(ROOT)}
    memory = {
        "MALLOC_MMAP_THRESHOLD_": str(2**25),
        "MALLOC_TRIM_THRESHOLD_": str(2**28),
    }  # kept, not asked again
    nothing_written = {"PYTHONDONTWRITEBYTECODE": "1", "TINYTORCH_KEEP_KERNELS": "0"}
    return places | one | memory | nothing_written | {"PYTHONHASHSEED": "0"}


def clock_of(*contenders):
    """The judge's clock: the processor's seconds of the contenders, of whom one at most is running.

    How busy the machine is with other things disturbs that clock little. Other systems than Linux have none
    for another process, so there it is the clock on the wall.
    """

    def processor_seconds():
        return sum(contender.cpu_seconds for contender in contenders)

    return processor_seconds if sys.platform == "linux" else time.perf_counter


def to_bytes(array):
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(array), allow_pickle=False)
    return file.getvalue()


def from_bytes(message):
    """An array from what a child sent; Refused for anything else."""
    try:
        return np.load(io.BytesIO(message), allow_pickle=False)
    except (ValueError, OSError, EOFError):
        raise Refused("an answer is no array of numbers") from None


def build_entry(source, function, model, data, seed, seconds=120):
    """The bytes of the model that an entry makes from those of another, in a separate process."""
    with Child("build", source, function, seed, seconds) as child:
        child.send(model)
        child.send(json.dumps(len(data)).encode())
        for array in data:
            child.send(to_bytes(array))
        return child.receive()


class Contender(Child):
    """A model that answers in a separate process, on the first core, which is stopped while not asked."""

    def __init__(self, source, model, seed, seconds=120):
        super().__init__("answer", source, None, seed, seconds)
        if hasattr(os, "sched_setaffinity"):  # all contenders on one core: two are rarely equally fast
            os.sched_setaffinity(self.process.pid, [min(os.sched_getaffinity(0))])
        try:
            self.send(model)
            if self.receive() != b"ready":
                raise Refused("it does not begin with what the harness sends")
            self.signal(signal.SIGSTOP)
        except BaseException:
            self.__exit__()
            raise

    def ask(self, messages):
        """Send each of the messages after the answer to the one before; give the answers."""
        answers = []
        self.signal(signal.SIGCONT)
        for message in messages:
            self.send(message)
            answers.append(self.receive())
        self.signal(signal.SIGSTOP)
        return answers
