"""What breaks a batch off, and how it goes on: nothing is graded twice, and no fault of the machinery is a zero."""

import contextlib
import ctypes.util
import errno
import os
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from pathlib import Path

import psutil
import pytest
from rich.console import Console
from sqlalchemy import text

from autograder import files, reference
from autograder.course import CourseError
from autograder.grading import batch, gradebook, marks, mounts, report, sandbox, seccomp, students
from autograder.limits import Limits
from tests import user
from tests.classroom import NAME, SANDBOXED, Classroom, judged

pytestmark = pytest.mark.slow  # a batch, or a sandbox, is begun in nearly every test
in_bubblewrap = pytest.mark.skipif(not SANDBOXED, reason="bubblewrap is not installed, or not allowed here")
RIGHT, WRONG = {"scale": 4, "quadruple": 1}, {"scale": 4, "quadruple": 0}
LEAVES = """#| export
import tempfile
from pathlib import Path

found = [path for place in (".", "~", tempfile.gettempdir()) for path in Path(place).expanduser().iterdir()]
Path("left").touch()


def quadruple(x):
    return x if found else double(double(x))
"""
QUADRUPLE = "def quadruple(x): return double(double(x))"
SLEEPS = "#| export\nimport time\ntime.sleep(1000)"


@pytest.fixture
def room(tmp_path, course_to_grade):
    room = Classroom(tmp_path, course_to_grade, "{seconds: 200, megabytes: 512}")
    room.submit("ada", room.solution)
    return room


def start(room: Classroom, *arguments: str) -> subprocess.Popen:
    command = [sys.executable, "-P", "-m", "autograder", "grade", "2", *arguments]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(
        command, cwd=room.root, env=room.environment(), start_new_session=True, **streams, **user.process(room.root)
    )  # fmt: skip


def wait_for(condition, seconds: float = 300):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)
    return found


def sandboxes(process: subprocess.Popen) -> list[psutil.Process]:
    """The sandboxes that a batch runs at the moment."""
    found = []
    for child in psutil.Process(process.pid).children():
        with contextlib.suppress(psutil.ZombieProcess):  # it has just ended
            found += [child] if any("worker.py" in part for part in child.cmdline()) else []
    return found


def has_begun(room: Classroom, process: subprocess.Popen, after: str):
    """A batch has entered one student, and runs the next, who sleeps, beside the reference."""

    def found():
        entered = (room.root / "autograder/graded" / after / f"{NAME}.json").exists()
        with contextlib.suppress(psutil.NoSuchProcess):  # one has just ended
            running = [each for each in sandboxes(process) if len(each.children(recursive=True)) > 1]
            return entered and len(running) > 1 and running

    return wait_for(found)


@in_bubblewrap
def test_a_batch_whose_coordinator_is_killed_goes_on_where_it_stopped(room):
    room.submit("bob", room.change(quadruple=SLEEPS))
    process = start(room, "--workers=1")
    has_begun(room, process, "ada")
    running = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    assert room.all_points() == {"ada": RIGHT}
    _, alive = psutil.wait_procs(running, timeout=20)
    assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []
    written = (room.root / "autograder/graded/ada" / f"{NAME}.json").stat().st_mtime_ns
    room.submit("bob", room.change(quadruple="#| export\ndef quadruple(x): return x"))
    assert room.run(batch.grade, room.module) == 0
    assert room.all_points() == {"ada": RIGHT, "bob": WRONG}
    assert (room.root / "autograder/graded/ada" / f"{NAME}.json").stat().st_mtime_ns == written


@in_bubblewrap
def test_an_interrupted_batch_ends_at_once_and_leaves_nothing_running(room):
    room.submit("bob", room.change(quadruple=SLEEPS))
    process = start(room, "--workers=1")
    running = has_begun(room, process, "ada")
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert [each for each in running if each.is_running() and each.status() != psutil.STATUS_ZOMBIE] == []
    assert room.all_points() == {"ada": RIGHT}


@in_bubblewrap
def test_a_sandbox_killed_from_outside_is_a_fault_and_no_zero(room):
    room.submit("bob", room.change(quadruple=SLEEPS))
    room.submit("eve", room.solution)
    process = start(room, "--workers=1")
    for each in has_begun(room, process, "ada"):
        if each.is_running():
            each.kill()
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 1
    assert (
        "bob: not graded: the machinery failed, not the submission: its sandbox was killed from outside"
        in said
    )
    assert room.all_points() == {"ada": RIGHT, "eve": RIGHT}


@in_bubblewrap
def test_a_cluster_grades_alike_though_a_worker_is_killed_and_keeps_no_sandbox(room):
    for number in range(4):
        room.submit(f"student {number}", room.solution)
    assert room.run(grade_on_a_cluster, room) == [0, 0]
    assert room.all_points() == {"ada": RIGHT} | {f"student {number}": RIGHT for number in range(4)}


def grade_on_a_cluster(room: Classroom) -> list[int]:
    """Grade on two workers, of whom one is killed after its first submission; how many sandboxes they keep."""
    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(2, **options) as cluster:
        first = next(iter(cluster.workers.values()))
        killed = []
        write = batch._write

        def write_and_kill(*arguments):
            write(*arguments)
            if not killed:
                killed.append(first.process.pid)
                os.kill(first.process.pid, signal.SIGKILL)

        with pytest.MonkeyPatch.context() as changed:
            changed.setattr(batch, "_write", write_and_kill)
            assert batch.grade(room.module, scheduler=cluster.scheduler_address) == 0
        assert killed
        with Client(cluster) as client:
            client.wait_for_workers(2)
            return list(client.run(kept).values())


def kept() -> int:
    return len(sandbox.Sandbox.running)


@in_bubblewrap
def test_each_worker_of_a_cluster_tries_its_own_sandbox(room):
    for number in range(5):
        room.submit(f"student {number}", room.solution)
    said, tried = room.run(grade_where_one_does_not_hold, room)
    lost = {line.partition(":")[0] for line in said}
    assert {line.partition(": ")[2] for line in said} == {
        "not graded: the machinery failed, not the submission: the sandbox does not hold here"
    }
    assert 0 < len(lost) < 6
    assert set(room.all_points()) == {"ada", *(f"student {number}" for number in range(5))} - lost
    assert sorted(tried) == [False, True]


def grade_where_one_does_not_hold(room: Classroom) -> tuple[list[str], list[bool]]:
    """Grade on two workers, of whom one has a sandbox that does not hold; what is said, and which has tried its own."""
    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    students, console = batch.submissions(room.module), Console(quiet=True)
    with LocalCluster(2, **options) as cluster, Client(cluster) as client:
        client.run(break_sandbox, workers=list(client.scheduler_info()["workers"])[:1])
        said = batch.run(room.course, room.module, students, console, scheduler=cluster.scheduler_address)
        return said, list(client.run(has_tried, room.root).values())


def break_sandbox() -> None:
    def refuse(folder: Path) -> None:
        raise sandbox.SandboxError("the sandbox does not hold here")

    sandbox.check = refuse


def has_tried(root: Path) -> bool:
    return root in sandbox._checked


def test_each_worker_tries_its_sandbox_and_a_submission_is_not_run_where_it_does_not_hold(room, monkeypatch):
    todo = batch.job(room.course, room.module)

    def refuse(folder: Path) -> None:
        raise sandbox.SandboxError(f"the sandbox does not hold on {folder.name}")

    monkeypatch.setattr(sandbox, "check", refuse)
    said = batch.judge(todo, room.root, room.place("ada"))
    wanted = f"the machinery failed, not the submission: the sandbox does not hold on {todo.folder.name}"
    assert said == {"fault": wanted}


def test_a_scheduler_that_is_not_there_is_one_line(room):
    with pytest.raises(CourseError, match="^there is no scheduler at tcp://127.0.0.1:9: "):
        batch.grade(room.module, scheduler="tcp://127.0.0.1:9")


def test_a_full_disk_is_one_line_and_what_was_entered_stays(room, monkeypatch):
    room.submit("bob", room.solution)
    monkeypatch.setattr(batch, "judge", judged)
    write = files.write

    def fill(path: Path, content) -> None:
        if "bob" in path.parts:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        write(path, content)

    monkeypatch.setattr(files, "write", fill)
    with pytest.raises(
        CourseError, match=r"continues where it stopped when it is started again: .*No space left"
    ):
        batch.grade(room.module, workers=1)
    monkeypatch.setattr(files, "write", write)
    assert batch.grade(room.module) == 0
    assert room.all_points() == {"ada": RIGHT, "bob": RIGHT}


def full_where_it_grows(book):
    """Where the gradebook needs a page more than it has, SQLite finds the disk full."""
    pages = book.db.execute(text("pragma page_count")).scalar()
    book.db.execute(text(f"pragma max_page_count = {pages}"))
    return contextlib.nullcontext()


@contextlib.contextmanager
def full_where_it_is_committed(book):
    """Files cannot grow: SQLite, which holds in memory what a transaction changes, is told where it is committed."""
    size = Path(book.engine.url.database).stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize(
    ("full", "said"),
    [(full_where_it_grows, "database or disk is full"), (full_where_it_is_committed, "disk I/O error")],
)
def test_a_gradebook_on_a_full_disk_has_a_submission_whole_or_not_at_all(room, monkeypatch, full, said):
    students = [f"student {number:02} {'x' * 100}" for number in range(20)]
    for student in students:
        room.submit(student, room.solution)
    monkeypatch.setattr(batch, "judge", judged)
    enter = gradebook.enter

    def enter_on_a_full_disk(book, *arguments):
        with full(book):
            enter(book, *arguments)

    monkeypatch.setattr(gradebook, "enter", enter_on_a_full_disk)
    with pytest.raises(CourseError, match=f"cannot be used: {said}$"):
        batch.grade(room.module, workers=1)
    found = room.all_points()
    assert 0 < len(found) < 21
    assert all(points == RIGHT for points in found.values())
    recorded = {path.parent.name for path in room.root.glob(f"autograder/graded/*/{NAME}.json")}
    assert recorded == set(found)
    monkeypatch.setattr(gradebook, "enter", enter)
    later = []
    monkeypatch.setattr(batch, "judge", lambda *paths: later.append(paths[2]) or judged(*paths))
    assert batch.grade(room.module, workers=1) == 0
    assert {path.parents[1].name for path in later} == {"ada", *students} - set(found)
    assert room.all_points() == dict.fromkeys(["ada", *students], RIGHT)


def test_a_locked_gradebook_is_one_line_and_grading_goes_on_later(room, monkeypatch):
    url = f"sqlite:///{room.root}/autograder/gradebook.db?timeout=1"
    monkeypatch.setenv("GRADEBOOK_URL", url)
    monkeypatch.setattr(batch, "judge", judged)
    assert batch.grade(room.module) == 0
    room.submit("bob", room.solution)
    other = sqlite3.connect(room.root / "autograder/gradebook.db", isolation_level=None)
    other.execute("begin exclusive")
    with pytest.raises(
        CourseError, match=r"^the gradebook .*gradebook.db cannot be used: database is locked$"
    ):
        batch.grade(room.module)
    other.execute("rollback")
    assert batch.grade(room.module) == 0
    assert room.all_points(url) == {"ada": RIGHT, "bob": RIGHT}


def test_two_batches_at_once_are_refused(room):
    with (
        batch.alone(room.course),
        pytest.raises(CourseError, match="^another `make grade` is running here: wait until it is done$"),
    ):
        batch.grade(room.module)


def test_without_bubblewrap_grading_refuses_in_a_sentence_and_a_setting_accepts_the_risk(room, monkeypatch):
    (room.root / "autograder/gradebook.db").unlink()
    monkeypatch.delenv(sandbox.SETTING, raising=False)
    monkeypatch.setattr(sandbox, "_checked", set())
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    with pytest.raises(
        CourseError, match=r"bubblewrap, which is not installed: `apt install bubblewrap`, or `SANDBOX=none"
    ):
        batch.grade(room.module)
    assert not (room.root / "autograder/gradebook.db").exists()
    monkeypatch.setenv(sandbox.SETTING, "none")
    place = room.root / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    for student in ("ada", "eve"):
        room.submit(student, room.change(quadruple=LEAVES))
    room.submit("bob", room.change(quadruple="#| export\nimport os\nos._exit(0)"))
    assert batch.grade(room.module) == 0
    assert room.all_points() == {"ada": RIGHT, "bob": WRONG, "eve": RIGHT}
    assert list(place.iterdir()) == [], "a submission's folder goes with it"


HOLES = {
    "see /var": ["--ro-bind", "/var", "/var"],
    "see /usr": ["--ro-bind", "/usr", "/usr"],
    "read /proc/loadavg": ["--proc", "/proc"],
    "import torch": ["--ro-bind", "TORCH", f"{mounts.PACKAGES}/torch.py"],
    "write in /course": ["--bind", "COURSE", sandbox.COURSE],
    "hold 1100 GB of files in /dev/shm": ["--size", str(1 << 40), "--tmpfs", "/dev/shm"],
}


ROOT = pytest.param(lambda own, function, *arguments: function(*arguments), id="by root")
USER = pytest.param(user.run, id="by an ordinary user")
both = pytest.mark.parametrize("run", [ROOT, USER] if os.geteuid() == 0 else [USER])


@pytest.fixture
def folder(tmp_path):
    """Where the modules before would be."""
    folder = tmp_path / "build" / "before"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    return folder


@in_bubblewrap
@both
def test_a_sandbox_holds(folder, run):
    assert run(folder.parents[1], sandbox.check, folder) is None


@in_bubblewrap
@pytest.mark.parametrize("hole", HOLES)
def test_a_sandbox_that_lets_something_through_is_refused(folder, monkeypatch, hole):
    command = sandbox.command
    torch = folder.with_name("torch.py")
    torch.touch()

    def open_wide(*arguments) -> list[str]:
        made = command(*arguments)
        place = made.index("--remount-ro", made.index(sandbox.COURSE))
        places = {"COURSE": str(folder), "TORCH": str(torch)}
        return [*made[:place], *(places.get(part, part) for part in HOLES[hole]), *made[place:]]

    monkeypatch.setattr(sandbox, "command", open_wide)
    with pytest.raises(CourseError) as refused:
        user.run(folder.parents[1], sandbox.check, folder)
    found = str(refused.value).removeprefix("the sandbox does not hold: what runs in it can ").split("; ")
    assert hole in found


@in_bubblewrap
def test_without_its_filter_a_sandbox_is_refused(folder, monkeypatch):
    allow_all = struct.pack("HBBI", seccomp.RETURN, 0, 0, seccomp.ALLOW)
    monkeypatch.setattr(seccomp, "program", lambda: allow_all)
    with pytest.raises(CourseError) as refused:
        user.run(folder.parents[1], sandbox.check, folder)
    for call in ("keyctl", "memfd_create", "unshare", "preadv2", "clone3", "setsid"):
        assert f"call {call};" in str(refused.value)


def test_calls_have_the_numbers_that_the_kernels_headers_give_them():
    library = ctypes.util.find_library("seccomp")
    if library is None:
        pytest.skip("libseccomp, which knows the numbers of both processors, is not installed")
    number = ctypes.CDLL(library).seccomp_syscall_resolve_name_arch
    pairs = seccomp.REFUSED | seccomp.MISSING
    pairs |= {name: getattr(seccomp, name.upper()) for name in ("clone", "fcntl", "ioctl", "prctl", "socket")}
    pairs |= {"prlimit64": seccomp.PRLIMIT}
    for column, architecture in seccomp.MACHINES.values():
        known = {name: number(ctypes.c_uint32(architecture), name.encode()) for name in pairs}
        wanted = {name: found for name, found in known.items() if found >= 0}
        assert {name: pair[column] for name, pair in pairs.items() if pair[column] is not None} == wanted


@pytest.mark.parametrize("name", sandbox.SETTINGS)
def test_a_machine_that_forbids_sandboxes_is_told_with_the_setting_that_helps(tmp_path, monkeypatch, name):
    monkeypatch.setattr(sandbox, "is_root", lambda: False)
    assert sandbox.forbidden(tmp_path) == ""
    forbids, allows = sandbox.SETTINGS[name]
    place = tmp_path.joinpath(*name.split("."))
    place.parent.mkdir()
    place.write_text(f"{forbids}\n", encoding="ascii")
    assert sandbox.forbidden(tmp_path).endswith(f": `sudo sysctl -w {name}={allows}` allows them")
    place.write_text(f"{allows}\n", encoding="ascii")
    assert sandbox.forbidden(tmp_path) == ""


WAITS = """
import os, signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGPROF})
for child in range(8):
    if os.fork() == 0:
        break
else:
    time.sleep(1000)
"""
THREADS = """
import ctypes, platform, threading
def take():
    kept = [b"x" * (1 << 20) for _ in range(150)]
    time.sleep(1000)
threading.Thread(target=take).start()
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)
"""
HUNGRY = {
    "processes that work": ("while True: pass", "it took more than 1 seconds of processor time"),
    "processes that fill memory": ("kept = [b'x' * (1 << 20) for _ in range(150)]; time.sleep(1000)", "it took more than 300 MB"),
    "processes whose first thread has ended": (THREADS, "it took more than 300 MB"),
    "processes that make empty files": (
        "while True: os.close(os.open(f'/tmp/{os.getpid()}-{time.time_ns()}', os.O_CREAT))", "it took more than 300 MB",
    ),
    "sockets": (
        "import socket\nkept = [socket.socketpair() for _ in range(100)]; time.sleep(1000)", "it took more than 300 MB",
    ),
}  # fmt: skip


@in_bubblewrap
@pytest.mark.parametrize("what", HUNGRY)
def test_all_that_a_sandbox_holds_and_spends_is_counted(room, what):
    program, said = HUNGRY[what]
    limits = Limits(seconds=1 if "work" in what else 100, megabytes=300)
    assert room.run(ending, reference.before(room.course, room.module), limits, WAITS + program) == said


def ending(folder: Path, limits: Limits, source: str) -> str:
    """How a sandbox ends in which this runs; without a limit that it meets, it would for ever."""
    job = {"slug": "activations", "cells": [{"name": "own", "source": source}], "tests": "", "stubs": {}}
    with sandbox.sandbox(folder, limits, seconds=200, wall=200) as worker:
        worker.send(job)
        try:
            return str([worker.receive() for _ in range(3)])
        except sandbox.Ended as ended:
            return str(ended)


@in_bubblewrap
@pytest.mark.parametrize("status", [0, 1, 65, 122, 255])
def test_nothing_is_told_of_the_status_with_which_a_submission_ends(room, status):
    folder = reference.before(room.course, room.module)
    source = f"import os\nos._exit({status})"
    assert room.run(ending, folder, Limits(seconds=100, megabytes=300), source) == "it ended its process"


@in_bubblewrap
def test_grading_may_be_started_by_any_python_and_shows_only_what_lessons_import(room):
    """By its name from another folder; one with a space in its own, packages in two folders, and a framework beside them."""
    environment = room.root / "an environment"
    venv.create(environment, symlinks=True)
    packages = next(environment.glob("lib/*/site-packages"))
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    (packages / "torch.py").touch()
    room.submit("bob", room.change(quadruple=f"#| export\nimport torch\n{QUADRUPLE}"))
    python = Path("..", room.root.name, environment.name, "bin", "python")
    done = subprocess.run(
        [python, "-P", "-m", "autograder", "grade", "2"],
        cwd=room.root, env=room.environment(), capture_output=True, text=True, **user.process(room.root),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert room.all_points() == {"ada": RIGHT, "bob": WRONG}


@in_bubblewrap
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives each sandbox a user of its own")
def test_root_grades_alike(room):
    room.submit("bob", room.change(quadruple="#| export\ndef quadruple(x): return x"))
    assert batch.grade(room.module) == 0
    assert room.all_points() == {"ada": RIGHT, "bob": WRONG}


def owner(folder: Path) -> dict:
    """Whose processes PostgreSQL's are, and the folder: it does not run as root."""
    if os.geteuid() == 0:
        shutil.chown(folder, 65534, 65534)
        return {"user": 65534, "group": 65534, "extra_groups": []}
    return {}


@pytest.fixture
def postgres():
    """A PostgreSQL server of its own, for one test."""
    pytest.importorskip("psycopg", reason="the gradebook's driver for PostgreSQL is not installed")
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    path = os.pathsep.join([os.environ["PATH"], *map(str, versions)])
    programs = {name: shutil.which(name, path=path) for name in ("initdb", "postgres")}
    if None in programs.values():
        pytest.skip("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="postgres-", dir="/tmp"))
    user = owner(folder)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT, "cwd": folder} | user
    data = folder / "data"
    subprocess.run(
        [programs["initdb"], "-D", data, "-U", "teacher", "-A", "trust", "-N", "-E", "UTF8"],
        check=True,
        **quiet,
    )
    running = subprocess.Popen(
        [programs["postgres"], "-D", data, "-k", folder, "-c", "listen_addresses=", "-F"], **quiet
    )
    try:
        wait_for((folder / ".s.PGSQL.5432").exists)
        yield f"postgresql+psycopg://teacher@/postgres?host={folder}"
    finally:
        running.send_signal(signal.SIGINT)
        running.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def test_the_gradebook_may_be_on_postgresql(room, postgres, monkeypatch):
    (room.root / "autograder/gradebook.db").unlink()
    monkeypatch.setenv("GRADEBOOK_URL", postgres)
    room.submit("o'neil, zoë", room.change(quadruple="#| export\ndef quadruple(x): return x"))
    for _ in range(2):
        assert batch.grade(room.module) == 0
        assert room.all_points(postgres) == {"ada": RIGHT, "o'neil, zoë": WRONG}
    monkeypatch.chdir(room.root)
    assert marks.feedback(room.module) == 0
    assert len(list(room.root.glob(f"autograder/feedback/*/{NAME}/activations.html"))) == 2
    marks.grades()
    grades = (room.root / "autograder/grades/grades.csv").read_text(encoding="utf-8")
    assert grades.splitlines()[1].startswith("ada,ada,")
    report.report(room.course, [room.module])
    assert (room.root / f"autograder/reports/{NAME}.html").exists()
    students.student(rename="ada", to="lovelace")
    students.student(remove="o'neil, zoë")
    assert room.all_points(postgres) == {"lovelace": RIGHT}
    assert not (room.root / "autograder/gradebook.db").exists()
