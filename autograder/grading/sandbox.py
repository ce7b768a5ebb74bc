"""The sandbox: bubblewrap with nothing in it but Python, the modules before, and the worker. Its argv is built here only."""

import json
import os
import random
import selectors
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from autograder.course import CourseError

WORKER = Path(__file__).with_name("worker.py")
ESCAPES = Path(__file__).with_name("escapes.py")
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives")
COURSE, GRADER = "/course", "/grader"  # where the modules before and the worker's folder stand inside
SETTING = "SANDBOX"  # `SANDBOX=none make grade 3` runs submissions unprotected
SCRATCH = 256 << 20  # bytes of /tmp and of /dev/shm
ANSWERS = 64 << 20  # bytes that one worker may answer with
WATCH = 0.25  # seconds between two looks at the memory of a sandbox


class SandboxError(CourseError):
    """The machinery failed, not the submission."""


@dataclass(frozen=True)
class Limits:
    """What one run of a submission may use."""

    seconds: int
    megabytes: int
    processes: int = 64
    file_megabytes: int = 64


def is_off() -> bool:
    return os.environ.get(SETTING) == "none"


def command(folder: Path, program: Path, options: Mapping[str, object]) -> list[str]:
    """The argv that runs a program on the modules in `folder`."""
    if is_off():
        return [sys.executable, "-P", str(program), json.dumps(dict(options))]
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxError(
            "submissions run in bubblewrap, which is not installed: `apt install bubblewrap`, "
            f"or `{SETTING}=none make grade ...` to let them read and write what you can"
        )
    if os.geteuid() == 0:  # the worker becomes another user: root is not held by a limit of processes
        user = ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        user = ["--unshare-user"]
    places = dict.fromkeys([*SYSTEM, sys.base_prefix, sys.prefix])
    parents = dict.fromkeys(str(parent) for place in places for parent in reversed(Path(place).parents))
    open_to_all = [
        part for parent in parents if parent != "/" for part in ("--perms", "0755", "--dir", parent)
    ]
    mounts = [part for place in places for part in ("--ro-bind-try", place, place)]
    return [
        bwrap, *user, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
        "--die-with-parent", "--new-session", "--hostname", "sandbox",
        "--perms", "1777", "--size", str(SCRATCH), "--tmpfs", "/tmp", *open_to_all, *mounts, "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", str(SCRATCH), "--tmpfs", "/dev/shm",
        "--remount-ro", "/dev",
        "--ro-bind", str(folder), COURSE, "--ro-bind", str(program.parent), GRADER, "--remount-ro", "/",
        "--chdir", "/tmp", sys.executable, "-P", f"{GRADER}/{program.name}", json.dumps(dict(options)),
    ]  # fmt: skip


def environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin", "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8", "PYTHONPATH": str(folder) if is_off() else COURSE,
        "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore", "MPLBACKEND": "Agg", "MPLCONFIGDIR": "/tmp",
        "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "NUMBA_CACHE_DIR": "/tmp",
        "NUMBA_ENABLE_CUDASIM": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }  # fmt: skip


class Ended(Exception):
    """The worker answers no more: why, in a few words for the student."""


class Sandbox:
    """A worker in its sandbox: send it JSON, and read its answers as long as limits hold."""

    def __init__(self, folder: Path, limits: Limits, seconds: float):
        uid = random.randrange(1 << 20, 1 << 30) if os.geteuid() == 0 and not is_off() else None
        options = {"uid": uid, "limits": asdict(limits), "seconds": seconds}
        self.process = subprocess.Popen(
            command(folder, WORKER, options), env=environment(folder), cwd="/",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self.limits, self.deadline = limits, time.monotonic() + limits.seconds
        self.look, self.answered, self.buffer = time.monotonic() + WATCH, 0, b""
        os.set_blocking(self.process.stdout.fileno(), False)
        self.ready = selectors.DefaultSelector()
        self.ready.register(self.process.stdout, selectors.EVENT_READ)

    def send(self, message: Mapping[str, object]) -> None:
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise Ended(self.ending()) from None

    def receive(self) -> dict:
        """The next answer, which is an object of JSON; what it holds, the caller checks."""
        while b"\n" not in self.buffer:
            left = self.deadline - time.monotonic()
            if left < 0:
                raise Ended(f"still running after {self.limits.seconds} seconds")
            if self.ready.select(min(left, WATCH)):
                chunk = os.read(self.process.stdout.fileno(), 1 << 20)
                if not chunk:
                    raise Ended(self.ending())
                self.buffer += chunk
                self.answered += len(chunk)
            if self.answered > ANSWERS:
                raise Ended("it answered too much")
            if time.monotonic() > self.look:
                self.look = time.monotonic() + WATCH
                if self.used() > 2 * self.limits.megabytes << 20:
                    raise Ended(f"it took more than {self.limits.megabytes} MB")
        line, _, self.buffer = self.buffer.partition(b"\n")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            raise Ended("it answered with something else than an answer") from None
        if not isinstance(answer, dict):
            raise Ended("it answered with something else than an answer")
        return answer

    def used(self) -> int:
        """Bytes that all processes of the sandbox hold together."""
        total = 0
        try:
            first = psutil.Process(self.process.pid)
            for process in (first, *first.children(recursive=True)):
                total += process.memory_info().rss
        except psutil.Error:  # one has just ended
            pass
        return total

    def ending(self) -> str:
        """Why the worker has ended, by its exit status."""
        status = self.process.wait(timeout=5)
        return f"it ended its process, with status {status}"

    def close(self) -> None:
        with self.process:
            self.process.kill()  # with bubblewrap goes every process in it
        self.ready.close()


def check(folder: Path) -> None:
    """Try inside what must be impossible there; a sandbox that lets something through is refused."""
    if is_off():
        return
    limits = Limits(seconds=60, megabytes=1024)
    options = {
        "uid": 1 << 20 if os.geteuid() == 0 else None,
        "limits": asdict(limits),
        "places": _secrets(folder),
    }
    done = subprocess.run(
        command(folder, ESCAPES, options), env=environment(folder), cwd="/", capture_output=True, text=True,
        timeout=60,
    )  # fmt: skip
    try:
        escaped = json.loads(done.stdout)
    except ValueError:
        said = (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1]
        raise SandboxError(f"the sandbox does not start: {said}") from None
    if escaped:
        raise SandboxError(f"the sandbox does not hold: what runs in it can {'; '.join(escaped)}")


def _secrets(folder: Path) -> dict[str, list[str]]:
    """What exists outside and must not be seen inside, and what is seen there and must not be written."""
    root = folder.parents[1]
    hidden = [
        root / "solutions",
        root / ".git",
        root / "autograder" / "gradebook.db",
        Path("/var"),
        Path("/proc/1/root/var"),
    ]
    return {
        "hidden": [str(path) for path in hidden],
        "fixed": [COURSE, GRADER, sys.prefix, "/usr", "/", "/dev"],
    }


@contextmanager
def sandbox(folder: Path, limits: Limits, seconds: float) -> Iterator[Sandbox]:
    opened = Sandbox(folder, limits, seconds)
    try:
        yield opened
    finally:
        opened.close()
