"""`make gradescope`: its zip, unpacked in a tree such as a Gradescope container has, grades one submission as `make grade` does."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from autograder.grading import container, gradescope, mounts
from tests.classroom import Classroom

pytestmark = [
    pytest.mark.slow,  # sandboxes are begun in nearly every test
    pytest.mark.skipif(os.geteuid() != 0, reason="in a container of Gradescope's one is root"),
]
contained = pytest.mark.parametrize("is_contained", [False, True], ids=["in bubblewrap", "as another user"])
CHEATS = """#| export
import os, signal, socket
from pathlib import Path

tried, parent, place = [], os.getppid(), Path("/autograder")


def attempt(what, function):
    try:
        tried.append(f"{what}: {function()!r}"[:60])
    except BaseException:
        pass


attempt("job", lambda: (place / "source" / "job.json").read_text())
attempt("list", lambda: os.listdir(place / "source"))
attempt("code", lambda: os.listdir(place / "source" / "autograder"))
attempt("others", lambda: os.listdir(place / "submission"))
attempt("results", lambda: (place / "results" / "results.json").write_text('{"score": 99}'))
attempt("replace", lambda: os.rename(place / "results", place / "old"))
for other in filter(str.isdigit, os.listdir("/proc")):
    if int(other) != os.getpid():
        attempt("kill", lambda: os.kill(int(other), signal.SIGKILL))
        attempt("environ", lambda: Path("/proc", other, "environ").read_bytes())
        attempt("memory", lambda: Path("/proc", other, "mem").read_bytes())
attempt("network", lambda: socket.socket(socket.AF_INET))
if os.fork() == 0:  # it stays, and waits for the result to be written
    while True:
        attempt("later", lambda: (place / "results" / "results.json").write_text('{"score": 99}'))


def quadruple(x):
    assert not tried, tried
    return double(double(x))
"""


class Container:
    """A folder with what is in Gradescope's /autograder, and ways to run its programs."""

    def __init__(self, place: Path, archive: Path, python: Path):
        self.place, self.python = place, python
        for name in ("submission", "results"):
            (place / name).mkdir(parents=True)
        shutil.unpack_archive(archive, place / "source")
        shutil.copy(place / "source" / "run_autograder", place)
        for path in (place / "source").glob("*[!.]*"):
            path.chmod(0o755)  # an archive's modes may be lost on the way
        self.module("prepare", place / "source")

    def module(self, *arguments) -> None:
        command = [self.python, "-P", "-m", "autograder.grading.container", *arguments]
        subprocess.run(command, env={"PYTHONPATH": str(self.place / "source")}, check=True)

    def hand_in(self, text: str, name: str = "activations.ipynb") -> None:
        path = self.place / "submission" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, is_contained: bool = False) -> subprocess.CompletedProcess:
        place = Path("/autograder") if is_contained else self.place
        known = {"AUTOGRADER": str(place), "PYTHON": str(self.python), "PATH": os.environ["PATH"]}
        program = [*(in_a_container(self) if is_contained else ()), "sh", place / "run_autograder"]
        return subprocess.run(program, env=known, capture_output=True, text=True, timeout=300)

    @property
    def results(self) -> dict:
        return json.loads((self.place / "results" / "results.json").read_text(encoding="utf-8"))

    def points(self) -> dict[str, float]:
        return {test["name"]: test["score"] for test in self.results["tests"]}


@pytest.fixture(scope="module")
def room(tmp_path_factory, course_to_grade):
    return Classroom(tmp_path_factory.mktemp("classroom"), course_to_grade, "{seconds: 6, megabytes: 1024}")


@pytest.fixture(scope="module")
def archive(room):
    shutil.copy(Path(__file__).parents[2] / "requirements.lock", room.root)
    with pytest.MonkeyPatch.context() as changed:
        changed.chdir(room.root)
        gradescope.gradescope(room.module)
    return room.root / "build" / "gradescope" / "02_activations.zip"


@pytest.fixture(scope="module")
def python():
    """An environment with nothing but what setup.sh installs, which every user can read."""
    folder = Path(tempfile.mkdtemp(prefix="environment-", dir="/tmp"))
    folder.chmod(0o755)
    venv.create(folder, symlinks=True)
    packages = next(folder.glob("lib/*/site-packages"))
    waiting, found = [Requirement(name).name for name in container.INSTALLED], set()
    while waiting:
        name = waiting.pop().lower()
        if name in found:
            continue
        found.add(name)
        distribution = metadata.distribution(name)
        for part in (*mounts.parts(distribution), distribution._path):
            copy = packages / part.name
            if not copy.exists():  # no link: where this checkout lies is not in the container
                shutil.copytree(part, copy) if part.is_dir() else shutil.copy2(part, copy)
        for required in map(Requirement, distribution.requires or []):
            if required.marker is None or required.marker.evaluate({"extra": ""}):
                waiting.append(required.name)
    yield folder / "bin" / "python"
    shutil.rmtree(folder)


@pytest.fixture
def unpacked(tmp_path, archive, python):
    return Container(tmp_path / "autograder", archive, python)


def in_a_container(unpacked: Container) -> tuple:
    """Its own root with /autograder in it, for a root who may not mount, as in Docker: there bubblewrap does not run."""
    own = {"proc", "dev", "tmp", "autograder", Path.home().name}
    tops = [path for path in Path("/").iterdir() if path.name not in own]
    seen = [
        part
        for path in tops
        for part in (
            ("--symlink", os.readlink(path), path) if path.is_symlink() else ("--ro-bind", path, path)
        )
    ]
    base, environment = Path(sys.base_prefix), unpacked.python.parents[1]
    above = [part for path in reversed(base.parents[:-1]) for part in ("--perms", "0755", "--dir", path)]
    if base.is_relative_to(Path.home()):  # which other users may not enter
        seen += [*above, "--ro-bind", base, base]
    return (
        "bwrap", "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--cap-drop", "CAP_SYS_ADMIN", *seen,
        "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp",
        "--ro-bind", environment, environment, "--bind", unpacked.place, "/autograder",
    )  # fmt: skip


def in_python(unpacked: Container, program: str) -> str:
    """What a program prints in a container."""
    command = [*in_a_container(unpacked), unpacked.python, "-P", "-c", program]
    environment = {"PYTHONPATH": "/autograder/source", "SANDBOX": "user", "PATH": os.environ["PATH"]}
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def test_results_are_what_gradescope_reads(room, unpacked):
    unpacked.hand_in(room.change(quadruple="#| export\ndef quadruple(x): return double(x)"))
    done = unpacked.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert set(unpacked.results) == {"tests", "execution_time", "stdout_visibility"}
    right, wrong = unpacked.results["tests"]
    assert right == {
        "name": "scale", "score": 4, "max_score": 4, "status": "passed", "output": "done", "visibility": "visible",
    }  # fmt: skip
    said = wrong.pop("output").splitlines()
    assert wrong == {
        "name": "quadruple",
        "score": 0,
        "max_score": 1,
        "status": "failed",
        "visibility": "visible",
    }
    assert said[0].startswith("fails: ")


def test_what_is_in_doubt_is_told_to_instructors_alone(room, unpacked):
    unpacked.hand_in(room.change(quadruple="#| export\ndef quadruple(x): return np.array([4, 8])"))
    assert unpacked.run().returncode == 0
    scale, quadruple, doubt = unpacked.results["tests"]
    assert (scale["score"], quadruple["score"], quadruple["status"]) == (4, 0, "failed")
    assert doubt == {
        "name": "in doubt: quadruple", "score": 0, "max_score": 0, "visibility": "hidden",
        "output": "the tests pass, the probes do not",
    }  # fmt: skip


def test_without_bubblewrap_another_users_rights_hold_a_cheat(room, unpacked):
    unpacked.hand_in(room.change(quadruple=CHEATS))
    done = unpacked.run(is_contained=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("without bubblewrap, as another user: ")
    assert unpacked.points() == {"scale": 4, "quadruple": 1}, "whatever it attempted failed"


@contained
def test_an_endless_loop_costs_its_stub(room, unpacked, is_contained):
    endless = "#| export\ndef quadruple(x):\n    while True:\n        pass"
    unpacked.hand_in(room.change(quadruple=endless))
    assert unpacked.run(is_contained).returncode == 0
    assert unpacked.points() == {"scale": 4, "quadruple": 0}


LEAVES = """
import os, time
if os.fork() == 0:
    os.setpgid(0, 0)
    if os.fork() == 0:
        WORKS
    os._exit(0)
time.sleep(1000)
"""
HELD = """
import psutil
from pathlib import Path
from autograder.grading import container, sandbox
from autograder.limits import Limits
job = {"slug": "activations", "cells": [{"name": "own", "source": SOURCE}], "tests": "", "stubs": {}}
with container.readable(Path("/autograder/source/course")) as folder:
    with sandbox.sandbox(folder, Limits(seconds=SECONDS, megabytes=300), 200, 200) as worker:
        worker.send(job)
        try:
            print([worker.receive() for _ in range(3)])
        except sandbox.Ended as ended:
            print(ended)
    print([each.pid for each in psutil.process_iter() if each.uids().real and each.status() != "zombie"])
"""


@pytest.mark.parametrize(
    ("works", "seconds", "said"),
    [
        ("while True: pass", 3, "it took more than 3 seconds of processor time"),
        (
            "kept = b'x' * (100 << 20); [os.fork() for _ in range(3)]; time.sleep(1000)",
            100,
            "it took more than 300 MB",
        ),
    ],
)
def test_a_process_that_leaves_its_group_and_its_parent_is_counted_and_ended(unpacked, works, seconds, said):
    program = HELD.replace("SOURCE", repr(LEAVES.replace("WORKS", works))).replace("SECONDS", str(seconds))
    assert in_python(unpacked, program) == f"{said}\n[]\n"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], "Not graded: there is no notebook: hand in activations.ipynb, once"),
        (["a.ipynb", "b.ipynb"], "Not graded: there are 2 notebooks: hand in activations.ipynb, once"),
        (["activations.ipynb"], "Not graded: activations.ipynb is not a notebook: it is not JSON"),
    ],
)
def test_what_is_not_graded_has_no_points_and_the_reason(unpacked, names, said):
    for name in names:
        unpacked.hand_in("{", name)
    assert unpacked.run().returncode == 0
    assert unpacked.results == {"score": 0, "output": said, "stdout_visibility": "hidden"}


def test_a_failure_of_the_machinery_is_no_zero(room, unpacked):
    unpacked.hand_in(room.solution)
    (unpacked.place / "source" / "course" / "tinytorch" / "tensor.pyc").unlink()
    done = unpacked.run()
    assert done.returncode == 1
    assert "the machinery failed, not the submission" in done.stdout
    assert not (unpacked.place / "results" / "results.json").exists()


OPEN = """
from pathlib import Path
from autograder.grading import container, sandbox
with container.readable(Path("/autograder/source/course")) as folder:
    try:
        sandbox.check(folder, [Path("/autograder/submission"), Path("/autograder/results")])
    except sandbox.SandboxError as error:
        print(error)
"""


def test_where_something_secret_can_be_read_or_written_nothing_is_graded(unpacked):
    unpacked.hand_in("", "probes")
    (unpacked.place / "results").chmod(0o777)
    assert in_python(unpacked, OPEN) == (
        "the sandbox does not hold: what runs in it can see /autograder/submission/probes; write in /autograder/results\n"
    )


def test_the_zip_has_no_solution_but_the_jobs_and_says_what_it_protects(archive, room):
    with zipfile.ZipFile(archive) as file:
        names = set(file.namelist())
        readme = file.read("README.md").decode()
        job = file.read("job.json").decode()
        modes = {member.filename: member.external_attr >> 16 & 0o777 for member in file.infolist()}
    assert {"setup.sh", "run_autograder", "requirements.lock", "course/tinytorch/tensor.py"} <= names
    assert "course/tinytorch/activations.py" not in names
    assert not [name for name in names if name.startswith(("solutions", "modules", "tests"))]
    assert (modes["setup.sh"], modes["job.json"]) == (0o700, 0o600)
    assert "02 Activations" in readme
    assert "with 5 points" in readme
    assert "$" not in readme
    assert container.unpacked(job, room.root).points == {"scale": 4, "quadruple": 1}


def test_programs_are_shell_scripts():
    for name in gradescope.PROGRAMS:
        subprocess.run(["sh", "-n", gradescope.FILES / name], check=True)
    assert sys.version_info >= (3, 11)
