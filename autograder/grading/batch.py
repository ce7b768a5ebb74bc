"""`make grade N`: a class on many workers, whose verdicts one process enters in the gradebook as they come.

A worker takes in, runs and judges a submission; the coordinator alone writes. What is graded is noted beside, so that a batch
that was broken off goes on where it stopped, and nothing is graded twice.
"""

import compileall
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import nbformat
from distributed import Client, LocalCluster, as_completed
from distributed.scheduler import KilledWorker
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from autograder import lesson as lessons
from autograder import reference, release, testfile
from autograder.course import Course, CourseError, Module, load
from autograder.grading import gradebook, intake, late, pages, probes, sandbox, verify
from autograder.grading.intake import Cell
from autograder.grading.sandbox import Limits, SandboxError
from autograder.grading.verify import Job


def grade(
    module: Module, student: str | None = None, scheduler: str | None = None, workers: int | None = None
) -> int:
    """Grade what was submitted for a module; 1 if something of it could not be graded."""
    course, console = load(module.root), Console(highlight=False)
    students = submissions(module, student)
    refused = run(course, module, students, console, scheduler, workers)
    with gradebook.gradebook(gradebook.configuration(course)) as book:
        console.print(table(book, module, students))
    for line in refused:
        console.print(line, markup=False, soft_wrap=True)
    return 1 if refused else 0


def submissions(module: Module, student: str | None = None) -> list[str]:
    """The students who have submitted a module, or the one who is asked for."""
    folder = module.root / "autograder" / "submitted"
    found = sorted(path.parent.name for path in folder.glob(f"*/{module.name}"))
    found = [name for name in found if not name.startswith(".") and student in (None, name)]
    if not found:
        raise CourseError(
            f"{student or 'nobody'} has {'not ' if student else ''}submitted: "
            f"there is no autograder/submitted/{student or 'STUDENT'}/{module.name}"
        )
    return found


def job(course: Course, module: Module) -> Job:
    """What workers need to grade a module, with the modules before it built and compiled."""
    read = lessons.read(module)
    folder = reference.build(course, course.root / "build" / f"before-{module.name}", below=module)
    compileall.compile_dir(folder, quiet=2)
    text = release.build(course, [read], course.root / "build" / "graded" / module.name)[module.notebook]
    exported = [cell for cell in read.cells if cell.kind in ("export", "stub")]
    names = [cell.name or f"{cell.kind}-{number}" for number, cell in enumerate(exported)]
    return Job(
        slug=module.slug,
        folder=folder,
        released=json.loads(text),
        reference=tuple(
            Cell(name, "code", cell.source, {}) for name, cell in zip(names, exported, strict=True)
        ),
        tests=testfile.test_file(read),
        stubs={stub.name: stub.tests for stub in read.stubs},
        probes=tuple(probes.read(module)),
        limits=Limits(**module.limits),
    )


def run(
    course: Course, module: Module, students: Sequence[str], console: Console, scheduler: str | None = None,
    workers: int | None = None,
) -> list[str]:  # fmt: skip
    """Grade students, and say in a line each what could not be graded."""
    config, todo, refused = gradebook.configuration(course), job(course, module), []
    sandbox.check(todo.folder)
    with gradebook.gradebook(config) as book:
        gradebook.register(book, config, module, todo.released)
        points = {stub.name: stub.points for stub in lessons.read(module).stubs}
        waiting = {s: _digest(module, s, todo) for s in students}
        waiting = {
            student: digest
            for student, digest in waiting.items()
            if digest is None
            or _record(module, student).get("digest") != digest
            or not gradebook.score(book, module, student)
        }
        for student, result in _results(todo, module, list(waiting), console, scheduler, workers):
            if "fault" in result:
                refused.append(f"{student}: not graded: {result['fault']}")
                continue
            marks = {
                f"test-{stub}": points[stub] if result["stubs"][stub]["state"] == "done" else 0.0
                for stub in points
            }
            marks |= {name: None if written else 0.0 for name, written in result["answers"].items()}
            gradebook.enter(
                book, module, student, marks, _submitted(module, student), late.penalty(course, module)
            )
            _write(module, student, result, waiting[student])
            refused += [f"{student}: {stub}: its tests pass, its probes do not" for stub, said in result["stubs"].items()
                        if said["state"] == "in doubt"]  # fmt: skip
    return refused


def _results(
    todo: Job, module: Module, students: Sequence[str], console: Console, scheduler: str | None, workers: int | None
) -> Iterator[tuple[str, dict]]:  # fmt: skip
    """What became of each submission, as the workers finish."""
    if not students:
        return
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
    with (
        _client(scheduler, workers, len(students)) as client,
        Progress(*columns, console=console, transient=True) as bar,
    ):
        shown = bar.add_task(module.name, total=len(students))
        shared = client.scatter(todo, broadcast=True)
        folder = module.root / "autograder" / "submitted"
        futures = {
            client.submit(
                judge, shared, folder, folder / student / module.name / module.notebook.name, pure=False
            ): student
            for student in students
        }
        for future in as_completed(futures):
            try:
                result = future.result()
            except KilledWorker:
                result = {"fault": "the workers that tried it were killed"}
            except CourseError as error:
                result = {"fault": str(error)}
            future.release()
            bar.advance(shown)
            yield futures[future], result


@contextmanager
def _client(scheduler: str | None, workers: int | None, most: int) -> Iterator[Client]:
    """The workers of a cluster's address, or some of this machine's."""
    if scheduler:
        with Client(scheduler, timeout=10) as client:
            yield client
        return
    count = min(workers or os.cpu_count() or 1, most)
    with (
        LocalCluster(count, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        yield client


def judge(todo: Job, folder: Path, path: Path) -> dict:
    """On a worker: the verdict on one submission, as JSON."""
    started = perf_counter()
    try:
        verdict = verify.verify(todo, intake.read(path, folder))
    except intake.Refused as refused:
        return {"fault": str(refused)}
    except SandboxError as error:
        return {"fault": f"the machinery failed, not the submission: {error}"}
    answers = {
        cell.name: cell.is_written
        for cell in verdict.cells
        if cell.type == "markdown" and cell.metadata.get("nbgrader", {}).get("grade")
    }
    stubs = {stub: {"state": outcome.state, "said": outcome.said} for stub, outcome in verdict.stubs.items()}
    page = nbformat.writes(pages.notebook(verdict, todo.released))
    return {"stubs": stubs, "answers": answers, "seconds": round(perf_counter() - started, 2), "page": page}


def _write(module: Module, student: str, result: Mapping, digest: str | None) -> None:
    """Write the graded notebook where nbgrader looks for it, and the record of the grading."""
    page = module.root / "autograder" / "autograded" / student / module.name / module.notebook.name
    lessons.write(page, result["page"])
    kept = {key: value for key, value in result.items() if key != "page"}
    lessons.write(_place(module, student), json.dumps({"digest": digest} | kept, indent=1))


def _place(module: Module, student: str) -> Path:
    return module.root / "autograder" / "graded" / student / f"{module.name}.json"


def _record(module: Module, student: str) -> dict:
    try:
        return json.loads(_place(module, student).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _digest(module: Module, student: str, todo: Job) -> str | None:
    """What decides a verdict, and when it was submitted: where none of it has changed, nothing is graded again."""
    path = module.root / "autograder" / "submitted" / student / module.name / module.notebook.name
    try:
        submitted = (
            path.read_bytes() if path.is_file() and path.stat().st_size <= intake.MEGABYTES << 20 else None
        )
    except OSError:
        submitted = None
    if submitted is None:
        return None
    parts = [
        todo.released,
        [cell.source for cell in todo.reference],
        todo.tests,
        [p.source for p in todo.probes],
    ]
    parts += [_submitted(module, student).isoformat(), late.terms(load(module.root), module)]
    return hashlib.sha256(json.dumps(parts, default=str).encode() + submitted).hexdigest()


def _submitted(module: Module, student: str) -> datetime:
    """When it was submitted: by its timestamp.txt, as nbgrader writes it, or the notebook's own time. UTC, without zone."""
    folder = module.root / "autograder" / "submitted" / student / module.name
    try:
        text = (folder / "timestamp.txt").read_text(encoding="utf-8").strip().removesuffix(" UTC")
        when = datetime.fromisoformat(text)
        return when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when
    except (OSError, ValueError):
        return datetime.fromtimestamp((folder / module.notebook.name).stat().st_mtime, UTC).replace(
            tzinfo=None, microsecond=0
        )


def table(book, module: Module, students: Sequence[str]) -> Table:
    """The students with their points, as the gradebook has them."""
    shown = Table(
        title=f"{module.label} {module.title}", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD
    )
    shown.add_column("student")
    shown.add_column("points", justify="right")
    for student in students:
        points = gradebook.score(book, module, student)
        shown.add_row(student, f"{points[0]:g} of {points[1]:g}" if points else "not graded")
    return shown
