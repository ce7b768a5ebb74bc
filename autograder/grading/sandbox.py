"""The sandbox: bubblewrap with nothing in it but Python, the modules before, and the worker. Its argv is built here only."""

import json
import os
import random
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import ClassVar

import psutil

import autograder
from autograder.course import CourseError
from autograder.limits import ANSWERS, LINE, PATIENCE, SCRATCH, SPARE, WATCH, Limits

WORKER = Path(__file__).with_name("worker.py")
ESCAPES = Path(__file__).with_name("escapes.py")
TELLING = ("__init__", "limits", "outcomes")  # of the autograder: what tells why a test fails
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives")
# What an instructor may have beside the course, and a submission must not find.
ANSWERS_TO_EVERYTHING = ("torch", "jax", "tensorflow", "tinygrad")
COURSE, GRADER = "/course", "/grader"  # where the modules before and the worker's folder stand inside
SETTING = "SANDBOX"  # `SANDBOX=none make grade 3` runs submissions unprotected


class SandboxError(CourseError):
    """The machinery failed, not the submission."""


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
    python = Path(sys.executable).resolve().parents[1]
    places = dict.fromkeys([*SYSTEM, sys.base_prefix, str(python), sys.prefix])
    parents = dict.fromkeys(str(parent) for place in places for parent in reversed(Path(place).parents))
    parents |= dict.fromkeys([GRADER, f"{GRADER}/autograder"])
    open_to_all = [
        part for parent in parents if parent != "/" for part in ("--perms", "0755", "--dir", parent)
    ]
    mounts = [part for place in places for part in ("--ro-bind-try", place, place)]
    packages = [Path(place, name) for place in sys.path for name in ANSWERS_TO_EVERYTHING]
    hidden = [path for path in map(str, packages) if os.path.isdir(path)]
    hidden = [part for path in hidden for part in ("--tmpfs", path, "--remount-ro", path)]
    files = {path.name: path for path in (WORKER, ESCAPES)}
    files |= {f"autograder/{name}.py": Path(autograder.__path__[0], f"{name}.py") for name in TELLING}
    grader = [part for name, path in files.items() for part in ("--ro-bind", str(path), f"{GRADER}/{name}")]
    scratch = ["--perms", "1777", "--size", str(SCRATCH), "--tmpfs"]
    return [
        bwrap, *user, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
        "--die-with-parent", "--new-session", "--hostname", "sandbox",
        *scratch, "/tmp", *open_to_all, *mounts, *hidden,
        "--proc", "/proc", "--dev", "/dev", *scratch, "/dev/shm", "--remount-ro", "/dev",
        "--ro-bind", str(folder), COURSE, *grader, "--remount-ro", "/",
        "--chdir", "/tmp", sys.executable, "-P", f"{GRADER}/{program.name}", json.dumps(dict(options)),
    ]  # fmt: skip


def environment(folder: Path, scratch: str = "/tmp") -> dict[str, str]:
    places = [str(folder), str(WORKER.parents[2])] if is_off() else [COURSE, GRADER]
    return {
        "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(places),
        "HOME": scratch, "TMPDIR": scratch, "MPLCONFIGDIR": scratch, "NUMBA_CACHE_DIR": scratch,
        "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore", "MPLBACKEND": "Agg",
        "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1",
        "NUMBA_ENABLE_CUDASIM": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }  # fmt: skip


class Ended(Exception):
    """The worker answers no more: why, in a few words for the student."""


class Sandbox:
    """A worker in its sandbox: send it JSON, and read its answers as long as limits hold.

    What is in it may lie, say too much or nothing: neither `send` nor `receive` waits longer than `wall` seconds in all, or
    holds more than a few answers. The thread that has made a sandbox is its parent, with which it dies.
    """

    running: ClassVar[set["Sandbox"]] = set()
    stopped = threading.Event()

    def __init__(self, folder: Path, limits: Limits, seconds: float, wall: float | None = None):
        if self.stopped.is_set():
            raise SandboxError("grading was broken off")
        self.wall = PATIENCE * limits.seconds if wall is None else wall
        self.limits, self.killed_before = limits, _killed_for_memory()
        uid = random.randrange(1 << 20, 1 << 30) if os.geteuid() == 0 and not is_off() else None
        options = {"uid": uid, "limits": asdict(limits), "seconds": seconds, "patience": PATIENCE}
        if is_off():
            options["limits"] |= {"processes": None}  # there it would count all of yours
        self.log = tempfile.TemporaryFile()  # noqa: SIM115  of its start; nothing of a student reaches it
        self.scratch = tempfile.mkdtemp(prefix="submission-") if is_off() else None  # or /tmp is its own
        there = self.scratch or "/tmp"
        try:
            self.process = subprocess.Popen(
                command(folder, WORKER, options), env=environment(folder, there), cwd=self.scratch or "/", bufsize=0,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise SandboxError(f"a sandbox cannot be started: {error.strerror}") from None
        self.running.add(self)
        if self.stopped.is_set():  # while it was started
            self.close()
            raise SandboxError("grading was broken off")
        self.renew(self.wall)
        self.look, self.answered, self.rest, self.lines = time.monotonic() + WATCH, 0, bytearray(), []
        self.asked, self.told = self.process.stdin.fileno(), self.process.stdout.fileno()
        for pipe in (self.asked, self.told):
            os.set_blocking(pipe, False)

    def renew(self, wall: float) -> None:
        """Let it run for so many seconds from now, and answer as much again."""
        self.deadline, self.answered = time.monotonic() + wall, 0

    def send(self, message: Mapping[str, object]) -> None:
        data = json.dumps(message).encode() + b"\n"
        while data:
            self._wait(self.asked, selectors.EVENT_WRITE)
            try:
                data = data[os.write(self.asked, data) :]
            except BlockingIOError:
                continue
            except OSError:
                raise Ended(self.ending()) from None

    def receive(self) -> dict:
        """The next answer, which is an object of JSON; what it holds, the caller checks."""
        while not self.lines:
            self._wait(self.told, selectors.EVENT_READ)
            chunk = os.read(self.told, 1 << 16)
            if not chunk:
                raise Ended(self.ending())
            self.rest += chunk
            self.answered += len(chunk)
            if len(self.rest) > LINE or self.answered > ANSWERS:
                raise Ended("it answered too much")
            if b"\n" in chunk:
                *lines, self.rest = self.rest.split(b"\n")
                self.lines = lines[::-1]
        try:
            answer = json.loads(self.lines.pop())
        except (ValueError, RecursionError, MemoryError):
            answer = None
        if not isinstance(answer, dict):
            raise Ended("it answered with something else than an answer")
        return answer

    def _wait(self, pipe: int, event: int) -> None:
        """Until there is something to read, or room to write; and see that limits hold."""
        with selectors.DefaultSelector() as ready:
            ready.register(pipe, event)
            while True:
                if (left := self.deadline - time.monotonic()) < 0:
                    raise Ended("it took too long")
                found = ready.select(min(left, WATCH))
                if time.monotonic() > self.look:
                    if self.used() > 2 * self.limits.megabytes << 20:
                        raise Ended(f"it took more than {self.limits.megabytes} MB")
                    if psutil.virtual_memory().available < SPARE:  # files in memory belong to no process
                        raise SandboxError("this machine has hardly any memory left")
                    self.look = time.monotonic() + WATCH
                if found:
                    return

    def used(self) -> int:
        """Bytes that all processes of the sandbox hold together."""
        total = 0
        with suppress(psutil.Error):  # one has just ended
            first = psutil.Process(self.process.pid)
            for process in (first, *first.children(recursive=True)):
                total += process.memory_info().rss
        return total

    def ending(self) -> str:
        """Why the worker has ended, by its exit status; where it was not its own doing, that is an error of ours."""
        try:
            status = self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return "it closed the pipe on which it answers"
        killed = -signal.SIGKILL if is_off() else 128 + signal.SIGKILL
        if status == -signal.SIGKILL and not is_off():
            raise SandboxError("its sandbox was killed from outside")
        if status == killed and _killed_for_memory() > self.killed_before:
            raise SandboxError("this machine ran out of memory")
        return f"it ended its process, with status {status}"

    def logged(self) -> str:
        """The last line that bubblewrap or the worker has logged."""
        self.log.seek(0)
        return (self.log.read(1 << 16).decode(errors="replace").strip().splitlines() or [""])[-1]

    def close(self) -> None:
        if self not in self.running:
            return
        self.running.discard(self)
        self.kill()
        with self.process, self.log:
            pass
        if self.scratch:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def kill(self) -> None:
        if self.process.poll() is None or is_off():
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)  # with bubblewrap goes every process in it

    @classmethod
    def stop(cls) -> None:
        """End all that run in this process, and let no other begin: grading is broken off."""
        cls.stopped.set()
        for each in list(cls.running):
            each.kill()


def _killed_for_memory() -> int:
    """How many processes this machine has killed because its memory was full; where it does not say, none."""
    with suppress(OSError, ValueError):
        words = Path("/proc/vmstat").read_text(encoding="ascii").split()
        return int(words[words.index("oom_kill") + 1])
    return 0


@contextmanager
def sandbox(folder: Path, limits: Limits, seconds: float, wall: float | None = None) -> Iterator[Sandbox]:
    opened = Sandbox(folder, limits, seconds, wall)
    try:
        yield opened
    finally:
        opened.close()


def check(folder: Path) -> None:
    """Try inside what must be impossible there, once for each course; a sandbox that lets something through is refused."""
    root = folder.parents[1]
    if is_off() or root in _checked:
        return
    options = {
        "uid": 1 << 20 if os.geteuid() == 0 else None,
        "limits": asdict(Limits(seconds=60, megabytes=1024)),
        "places": places(root),
    }
    try:
        done = subprocess.run(
            command(folder, ESCAPES, options), env=environment(folder), cwd="/", capture_output=True, text=True,
            timeout=120,
        )  # fmt: skip
        escaped = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise SandboxError("the sandbox does not start: it took more than two minutes") from None
    except ValueError:
        said = (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1]
        raise SandboxError(f"the sandbox does not start: {said}") from None
    if escaped:
        raise SandboxError(f"the sandbox does not hold: what runs in it can {'; '.join(escaped)}")
    _checked.add(root)


_checked: set[Path] = set()


def places(root: Path) -> dict[str, object]:
    """What exists outside and must not be seen inside, what is seen there and must not be written, and what is small."""
    python = {Path(place) for place in (sys.prefix, sys.base_prefix, sys.executable)}
    ways = {part for place in python for path in (place, place.resolve()) for part in (path, *path.parents)}
    beside = [path for folder in (root, Path.home()) if folder.is_dir() for path in folder.iterdir()]
    hidden = [path for path in beside if path not in ways and not str(path).startswith("/usr/")]
    return {
        "hidden": [str(path) for path in [*hidden, Path("/var"), Path("/run"), Path("/proc/1/root/var")]],
        "fixed": [COURSE, GRADER, sys.prefix, "/usr", "/", "/dev"],
        "scratch": ["/tmp", "/dev/shm"],
        "bytes": SCRATCH,
    }
