"""The sandbox: bubblewrap with nothing in it but Python, the modules before, and the worker. Its argv is built here only.

Two submissions on one machine can still see how busy it is and how much memory is free, how long it takes to
read a file that was dropped from the cache when memory was short, and the numbers that the kernel gives to
successive pipes.
"""

import compileall
import itertools
import json
import os
import random
import selectors
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from typing import ClassVar

import psutil

import autograder
from autograder.course import CourseError
from autograder.grading import mounts, seccomp
from autograder.limits import ANSWERS, BUFFER, INODE, LINE, PATIENCE, SCRATCH, SPARE, START, WATCH, Limits

WORKER = Path(__file__).with_name("worker.py")
ESCAPES = Path(__file__).with_name("escapes.py")
COMPILED = (
    "numba_cuda",
    "cuda",
)  # packages with so many files that to compile them in each sandbox takes seconds
TELLING = ("__init__", "limits", "testrunner")  # of the autograder: what tells why a test fails
PYTHON = os.path.abspath(sys.executable)  # sandboxes are started elsewhere than here
# What the kernel counts for the whole machine, and what all processes lock: one sandbox could leave a number there for the next.
COUNTERS = (
    "buddyinfo", "diskstats", "interrupts", "key-users", "keys", "loadavg", "locks", "pagetypeinfo", "schedstat", "slabinfo",
    "softirqs", "stat", "timer_list", "uptime", "vmstat", "zoneinfo", "fs", "pressure", "sys",
)  # fmt: skip
COURSE, GRADER = "/course", "/grader"  # where the earlier modules and the worker's folder are inside
USERS = range(1 << 20, 1 << 30)  # of whom one is drawn for each sandbox that root starts
CONTAINED = itertools.cycle(
    range(20_000, 60_000)
)  # the same without bubblewrap; some containers have no more
SETTING = "SANDBOX"  # `SANDBOX=none make grade 3` runs submissions unprotected; `user` is for a container (container.py)


class SandboxError(CourseError):
    """The machinery failed, not the submission."""


def is_off() -> bool:
    return os.environ.get(SETTING) == "none"


def is_user() -> bool:
    """Whether another user's rights and the filter are all that holds a submission, in a container of its own."""
    return os.environ.get(SETTING) == "user"


def is_root() -> bool:
    """Whether a sandbox may become any user; in a container of an ordinary user's, root has only a few."""
    _, _, users = Path("/proc/self/uid_map").read_text(encoding="ascii").split()[:3]
    return os.geteuid() == 0 and int(users) > USERS[-1]


def command(folder: Path, program: Path, options: Mapping, calls: int, home: int) -> list[str]:
    """The argv that runs a program on the modules in `folder`; two open files have the filter, and where Python is."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxError(
            "submissions run in bubblewrap, which is not installed: `apt install bubblewrap`, "
            f"or `{SETTING}=none make grade ...` to let them read and write what you can"
        )
    if is_root():  # the worker becomes another user: root is not held by a limit of processes
        user = ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        user = ["--unshare-user"]
    inside = [*mounts.mounts().values(), f"{mounts.PYTHON}/bin/python", f"{GRADER}/autograder/limits.py"]
    parents = dict.fromkeys(str(parent) for place in inside for parent in reversed(Path(place).parents[:-1]))
    open_to_all = [part for parent in parents for part in ("--perms", "0755", "--dir", parent)]
    seen = [part for place, inside in mounts.mounts().items() for part in ("--ro-bind", place, inside)]
    empty = [part for place in mounts.emptied() for part in _emptied(place)]
    files = {path.name: path for path in (WORKER, ESCAPES)}
    files |= {f"autograder/{name}.py": Path(autograder.__path__[0], f"{name}.py") for name in TELLING}
    grader = [part for name, path in files.items() for part in ("--ro-bind", path, f"{GRADER}/{name}")]
    python = f"{mounts.PYTHON}/bin/python"
    scratch = ["--perms", "1777", "--size", SCRATCH, "--tmpfs"]
    counters = [part for name in COUNTERS for part in _emptied(Path("/proc", name))]
    argv = [
        bwrap, *user, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
        "--die-with-parent", "--new-session", "--hostname", "sandbox", "--seccomp", calls,
        *scratch, "/tmp", *open_to_all, *seen, *empty, "--symlink", mounts.BASE, python,
        "--perms", "0444", "--ro-bind-data", home, f"{mounts.PYTHON}/pyvenv.cfg",
        "--proc", "/proc", *counters, "--dev", "/dev", *scratch, "/dev/shm", "--remount-ro", "/dev",
        "--ro-bind", folder, COURSE, *grader, "--remount-ro", "/",
        "--chdir", "/tmp", python, "-P", f"{GRADER}/{program.name}", json.dumps(dict(options)),
    ]  # fmt: skip
    return list(map(str, argv))


def start(folder: Path, program: Path, options: Mapping, scratch: str | None = None, **streams) -> Popen:
    """Run a program on the modules in `folder`, in bubblewrap; without it if that is the setting, in a folder of its own."""
    streams |= {"env": environment(folder, scratch or "/tmp"), "start_new_session": True}
    if is_off() or is_user():
        return Popen([PYTHON, "-P", program, json.dumps(dict(options))], cwd=scratch, **streams)
    with _holding(seccomp.program()) as calls, _holding(mounts.HOME) as home:
        argv = command(folder, program, options, calls, home)
        return Popen(argv, cwd="/", pass_fds=[calls, home], **streams)


def _emptied(path: Path) -> list:
    if path.is_dir():
        return ["--tmpfs", path, "--remount-ro", path]
    return ["--ro-bind", "/dev/null", path] if path.exists() else []


@contextmanager
def _holding(data: bytes) -> Iterator[int]:
    """The number of an open file without a name, to be read from its beginning."""
    with open(os.memfd_create("held"), "r+b", buffering=0) as file:
        file.write(data)
        file.seek(0)
        yield file.fileno()


def environment(folder: Path, scratch: str = "/tmp") -> dict[str, str]:
    places = [str(folder), str(WORKER.parents[2])] if is_off() or is_user() else [COURSE, GRADER]
    return {
        "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(places),
        "HOME": scratch, "TMPDIR": scratch, "MPLCONFIGDIR": scratch, "NUMBA_CACHE_DIR": scratch,
        "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore", "MPLBACKEND": "Agg",
        "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1",
        "NUMBA_ENABLE_CUDASIM": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }  # fmt: skip


class Ended(Exception):
    """The worker no longer answers: why, in a few words for the student."""


class Sandbox:
    """A worker in its sandbox: send it JSON, and read its answers as long as limits hold.

    The code in it may lie, say too much or say nothing: `send` and `receive` never wait longer than `wall`
    seconds in all, or hold more than a few answers. The thread that made a sandbox is its parent, and the
    sandbox dies with it.
    """

    running: ClassVar[set["Sandbox"]] = set()
    stopped = threading.Event()

    def __init__(self, folder: Path, limits: Limits, seconds: float, wall: float | None = None):
        if self.stopped.is_set():
            raise SandboxError("grading was broken off")
        self.wall = PATIENCE * limits.seconds if wall is None else wall
        self.folder, self.limits, self.killed_before = folder, limits, _killed_for_memory()
        options = confinement(limits) | {"seconds": seconds, "patience": PATIENCE}
        self.uid = options["uid"] if is_user() else None  # to whom all of its processes belong
        self.log = tempfile.TemporaryFile()  # noqa: SIM115  of its start; nothing of a student reaches it
        self.scratch = scratch(self.uid)
        try:
            self.process = start(
                folder, WORKER, options, self.scratch, bufsize=0, stdin=PIPE, stdout=PIPE, stderr=self.log
            )
        except OSError as error:
            raise SandboxError(f"a sandbox cannot be started: {error.strerror}") from None
        self.running.add(self)
        if self.stopped.is_set():  # while it was started
            self.close()
            raise SandboxError("grading was broken off")
        self.renew(self.wall)
        self.spent: dict[psutil.Process, float] = {}
        self.look, self.answered, self.rest, self.lines = time.monotonic() + WATCH, 0, bytearray(), []
        self.asked, self.told = self.process.stdin.fileno(), self.process.stdout.fileno()
        for pipe in (self.asked, self.told):
            os.set_blocking(pipe, False)

    def renew(self, wall: float) -> None:
        """Let it run for this many seconds from now, and start its allowance of answers again."""
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
        """The next answer, which is a JSON object; the caller checks what it holds."""
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
                    held, spent = self.used()
                    if held > 2 * self.limits.megabytes << 20:
                        raise Ended(f"it took more than {self.limits.megabytes} MB")
                    if spent > self.limits.seconds:
                        raise Ended(f"it took more than {self.limits.seconds} seconds of processor time")
                    if psutil.virtual_memory().available < SPARE:  # files in memory belong to no process
                        raise SandboxError("this machine has hardly any memory left")
                    self.look = time.monotonic() + WATCH
                if found:
                    return

    def used(self) -> tuple[int, float]:
        """Bytes that all processes of the sandbox hold together, and seconds that they have worked, those that ended too."""
        held = 0
        with suppress(psutil.Error):
            outside = psutil.Process(self.process.pid)
            inside = outside.children(recursive=True) if self.uid is None else _of(self.uid)
            for process in {outside, *inside}:
                with suppress(psutil.Error):  # it has just ended
                    self.spent[process] = sum(process.cpu_times()[:2])
                    held += max((_held(thread.id) for thread in process.threads()), default=0)
            with suppress(OSError):
                for place in () if self.scratch or not inside else ("/tmp", "/dev/shm"):
                    files = os.statvfs(f"/proc/{inside[0].pid}/root{place}")
                    held += (files.f_blocks - files.f_bfree) * files.f_frsize
                    held += (files.f_files - files.f_ffree) * INODE
        return held, sum(self.spent.values())

    def ending(self) -> str:
        """Why the worker has ended; its exit status is never repeated, because it could carry a letter of an answer."""
        try:
            status = self.process.wait(timeout=2)
        except TimeoutExpired:
            return "it closed the pipe on which it answers"
        killed = -signal.SIGKILL if self.scratch else 128 + signal.SIGKILL
        if status == -signal.SIGKILL and not self.scratch:
            raise SandboxError("its sandbox was killed from outside")
        if status == killed and _killed_for_memory() > self.killed_before:
            raise SandboxError("this machine ran out of memory")
        return "it ended its process"

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
        if self.uid is not None:
            end_user(self.uid)

    @classmethod
    def end(cls, folder: Path) -> None:
        """Close all that run in this process on the modules in `folder`: the references, when a batch is done."""
        for each in list(cls.running):
            if each.folder == folder:
                each.close()

    @classmethod
    def stop(cls) -> None:
        """End all that run in this process, and let no other begin: grading is cancelled."""
        cls.stopped.set()
        for each in list(cls.running):
            each.kill()


def confinement(limits: Limits) -> dict:
    """What `worker.confine` is told: whose rights a program takes, its limits, and the filter, which bubblewrap brings itself."""
    allowed = asdict(limits) | ({"processes": None} if is_off() else {})  # there it would count all of yours
    if is_user():
        return {"uid": next(CONTAINED), "limits": allowed, "filter": seccomp.program().hex()}
    uid = random.choice(USERS) if is_root() and not is_off() else None
    return {"uid": uid, "limits": allowed, "filter": ""}


def scratch(uid: int | None) -> str | None:
    """A folder of a submission's own where there is no bubblewrap, in which /tmp is its own."""
    if not is_off() and uid is None:
        return None
    folder = tempfile.mkdtemp(prefix="submission-")
    if uid is not None:
        os.chown(folder, uid, uid)
    return folder


def end_user(uid: int) -> None:
    """Kill every process of a user, all at once, so that none can start another meanwhile, and wait until they have ended."""
    if (child := os.fork()) == 0:
        try:
            os.setresuid(uid, uid, uid)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    deadline = time.monotonic() + START
    while _of(uid):
        if time.monotonic() > deadline:
            raise SandboxError("a submission's processes do not end")
        time.sleep(0.01)


def _of(uid: int) -> list[psutil.Process]:
    """The processes of a user, but for those that have ended and that nobody has asked about."""
    found = []
    for process in psutil.process_iter(["uids", "status"]):
        uids, status = process.info["uids"], process.info["status"]
        if uids and uids.real == uid and status != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


def _held(thread: int) -> int:
    """Bytes of a thread's process and its open files; of a process whose first thread has ended, only the others know."""
    with suppress(psutil.Error):
        process = psutil.Process(thread)
        return process.memory_info().rss + process.num_fds() * BUFFER
    return 0


def _killed_for_memory() -> int:
    """How many processes this machine has killed because its memory was full; 0 if it does not say."""
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


def check(folder: Path, secret: Sequence[Path] = ()) -> None:
    """Try inside a sandbox what must be impossible there, once per process; one that lets something through is refused.

    `secret` are folders of which nothing may be seen, besides all that is around `folder`.
    """
    root = folder.parents[1]
    with _checking:
        if is_off() or root in _checked:
            return
        if is_user() and os.geteuid() != 0:
            raise SandboxError(
                f"{SETTING}=user gives submissions another user's rights, which only root can do"
            )
        for package in mounts.installed():  # a sandbox writes none of what is compiled
            if package.name in COMPILED:
                compileall.compile_dir(package, quiet=2)
        if not is_user():
            _read([*mounts.mounts(), folder])
        seen = shared(folder, secret) if is_user() else places(root, secret)
        options = confinement(Limits(seconds=60, megabytes=1024)) | {
            "calls": seccomp.numbers(),
            "places": seen,
        }
        own = scratch(options["uid"] if is_user() else None)
        with start(folder, ESCAPES, options, own, stdout=PIPE, stderr=PIPE, text=True) as process:
            try:
                told, said = process.communicate(timeout=START)
                escaped = json.loads(told)
            except TimeoutExpired:
                process.kill()
                raise SandboxError("the sandbox does not start: it took more than two minutes") from None
            except ValueError:
                last = (said.strip() or f"status {process.returncode}").splitlines()[-1]
                raise SandboxError(f"the sandbox does not start: {forbidden() or last}") from None
            finally:
                if own:
                    end_user(options["uid"])
                    shutil.rmtree(own, ignore_errors=True)
        if escaped:
            raise SandboxError(f"the sandbox does not hold: what runs in it can {'; '.join(escaped)}")
        _checked.add(root)


_checked: set[Path] = set()
_checking = threading.Lock()
# What keeps ordinary users from namespaces, without which there is no sandbox, and the value that does.
SETTINGS = {
    "kernel.unprivileged_userns_clone": (0, 1),
    "user.max_user_namespaces": (0, 15000),
    "kernel.apparmor_restrict_unprivileged_userns": (1, 0),
}


def forbidden(settings: Path = Path("/proc/sys")) -> str:
    """The setting of this machine that forbids sandboxes, and how it is changed; or nothing."""
    for name, (forbids, allows) in {} if is_root() else SETTINGS.items():
        with suppress(OSError, ValueError):
            if int(settings.joinpath(*name.split(".")).read_text(encoding="ascii")) == forbids:
                return f"this machine forbids user namespaces to its users: `sudo sysctl -w {name}={allows}` allows them"
    return ""


def _read(places: Iterable[str | Path]) -> None:
    """Bring everything mounted into memory: a first read takes longer, which could reveal earlier readers."""
    for place in map(Path, places):
        for folder, _, names in os.walk(place) if place.is_dir() else [(place.parent, [], [place.name])]:
            for name in names:
                with suppress(OSError), open(os.path.join(folder, name), "rb", buffering=0) as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)


def places(root: Path, secret: Sequence[Path] = ()) -> dict[str, object]:
    """What exists outside but must not be seen inside, what is seen there but must not be written, and what is small."""
    folders = [folder for folder in (root, Path.home(), *secret) if os.access(folder, os.R_OK)]
    beside = [path for folder in folders for path in folder.iterdir()]
    seen = [*mounts.mounts().values(), mounts.PYTHON, COURSE, GRADER, "/tmp", "/proc", "/dev"]
    return {
        "hidden": [path for path in map(str, beside) if not _leads(path, seen)],
        "seen": seen,
        "empty": [*map(str, mounts.emptied()), *(f"/proc/{name}" for name in COUNTERS)],
        "fixed": [COURSE, GRADER, mounts.PYTHON, mounts.PACKAGES, *map(str, mounts.emptied()), "/", "/dev"],
        "scratch": ["/tmp", "/dev/shm"],
        "bytes": SCRATCH,
    }


def shared(folder: Path, secret: Sequence[Path]) -> dict[str, object]:
    """The same where a submission sees the whole container: what is secret, and what must not be written."""
    hidden = [str(path) for place in secret for path in place.iterdir()]
    fixed = [
        str(place) for place in (*secret, folder, folder / "tinytorch", sys.prefix, Path.home(), "/", "/etc")
    ]
    return {"hidden": hidden, "seen": None, "empty": [], "fixed": fixed, "scratch": [], "bytes": SCRATCH}


def _leads(path: str, places: Sequence[str]) -> bool:
    """Whether something that is seen lies in a folder."""
    return any(place == path or place.startswith(f"{path}/") for place in places)
