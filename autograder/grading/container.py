"""In Gradescope's container, which holds one submission: `prepare`, once, and for each submission `grade`, which writes results.json.

Bubblewrap holds the submission where the container lets it, as in `make grade`. Elsewhere each of its processes has
another user's rights, the filter of calls, and the limits; so probes, tests and reference, which only root may read, are as
hidden from it as root's processes are, and results.json is written when its own have ended.
"""

import compileall
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from autograder import files
from autograder.course import CourseError
from autograder.grading import mounts, sandbox, verify
from autograder.grading.intake import Cell, Refused
from autograder.grading.judge import judge
from autograder.grading.probes import Probe
from autograder.grading.sandbox import Sandbox, SandboxError
from autograder.grading.verify import Job
from autograder.limits import Limits

# What is installed in the container: what lessons import, and what grades them.
INSTALLED = (*mounts.IMPORTED, "numpy<2.5", "nbformat", "packaging", "psutil")
COURSE, JOB = "course", "job.json"  # in the zip


def packed(todo: Job, before: list[str]) -> str:
    """What the container has to know, as JSON; `before` are the modules whose sources are hidden."""
    return json.dumps(asdict(replace(todo, folder=Path())) | {"folder": "", "before": before})


def unpacked(text: str, folder: Path) -> Job:
    """What `packed` gave, with the modules before in `folder`."""
    found = json.loads(text)
    del found["before"]
    found["reference"] = tuple(Cell(**cell) for cell in found["reference"])
    found["probes"] = tuple(Probe(**probe) for probe in found["probes"])
    return Job(**found | {"folder": folder, "limits": Limits(**found["limits"])})


def prepare(source: Path) -> None:
    """Compile what is imported, by the Python that will import it; of the modules before, nothing else stays."""
    before = json.loads((source / JOB).read_text(encoding="utf-8"))["before"]
    compileall.compile_dir(source / COURSE, quiet=1)
    for slug in before:
        name = f"tinytorch/{slug}.py"
        files.keep_compiled(source / COURSE / name, f"/course/{name}")


def grade(place: Path) -> int:
    """Grade the submission in `place`, and write its results; 1 without any if the machinery fails."""
    source, submission, results = (place / name for name in ("source", "submission", "results"))
    for folder in (source, submission, results):
        folder.chmod(0o700)
    with readable(source / COURSE) as folder:
        todo = unpacked((source / JOB).read_text(encoding="utf-8"), folder)
        try:
            hold(folder, (source, submission, results))
            path = submitted(submission, f"{todo.slug}.ipynb")
        except Refused as refused:
            result = {"refused": str(refused)}
        except SandboxError as error:
            result = {"fault": str(error)}
        else:
            result = judge(todo, submission, path)
        finally:
            Sandbox.end(folder)
    if "fault" in result:
        print(result["fault"])
        return 1
    (results / "results.json").write_text(json.dumps(table(result), indent=1), encoding="utf-8")
    return 0


@contextmanager
def readable(course: Path) -> Iterator[Path]:
    """A copy of the modules before that everybody may read, and only root write."""
    folder = Path(tempfile.mkdtemp(prefix="tinytorch-", dir="/tmp"))
    try:
        copy = shutil.copytree(course, folder / "build" / COURSE)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield copy
    finally:
        shutil.rmtree(folder)


def hold(folder: Path, secret: tuple[Path, ...]) -> None:
    """Try whether bubblewrap can hold a submission here; if not, see that another user's rights do."""
    try:
        sandbox.check(folder, secret)
    except SandboxError as error:
        print(f"without bubblewrap, as another user: {error}")
        os.environ[sandbox.SETTING] = "user"
        sandbox.check(folder, secret)


def submitted(folder: Path, name: str) -> Path:
    """The notebook that was handed in, alone, in a folder, or beside others with another name."""
    found = [path for path in sorted(folder.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts]
    named = [path for path in found if path.name == name]
    if len(named or found) != 1:
        count = len(named or found) or "no"
        raise Refused(
            f"there {'are' if found else 'is'} {count} notebook{'s' if found else ''}: hand in {name}, once"
        )
    return (named or found)[0]


def table(result: Mapping) -> dict:
    """A result as Gradescope reads it; what is in doubt is also told to instructors, who alone see what is hidden."""
    if "refused" in result:
        return {"score": 0, "output": f"Not graded: {result['refused']}", "stdout_visibility": "hidden"}
    tests = [
        {
            "name": stub, "score": found["points"], "max_score": found["of"],
            "status": "passed" if found["state"] == "done" else "failed",
            "output": found["said"] or found["state"], "visibility": "visible",
        }
        for stub, found in result["stubs"].items()
    ]  # fmt: skip
    for stub, found in result["stubs"].items():
        if found["state"] == "in doubt":
            doubt = {"name": f"in doubt: {stub}", "score": 0, "max_score": 0, "visibility": "hidden"}
            tests.append(doubt | {"output": verify.DOUBTS[found["said"]]})
    return {"tests": tests, "execution_time": result["seconds"], "stdout_visibility": "hidden"}


def main(verb: str, place: str) -> int:
    os.umask(0o077)
    try:
        return {"prepare": prepare, "grade": grade}[verb](Path(place)) or 0
    except CourseError as error:
        print(error)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
