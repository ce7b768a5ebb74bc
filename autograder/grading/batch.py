"""`make grade N`: a class on many workers, whose verdicts one process enters in the gradebook as they come.

A worker reads, runs and judges a submission; only the coordinator writes. What is graded is recorded, so that
a batch that was interrupted continues where it stopped, and nothing is graded twice.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder import files, reference, release, testfile
from autograder import lesson as lessons
from autograder.console import printable, say
from autograder.course import Course, CourseError, Module, load
from autograder.grading import gradebook, intake, late, misplaced, mounts, probes, received, sandbox
from autograder.grading.intake import Cell
from autograder.grading.judge import doubts, judge
from autograder.grading.sandbox import Sandbox
from autograder.grading.student_names import check_name
from autograder.grading.verify import Job
from autograder.limits import Limits


def grade(
    module: Module, student: str | None = None, scheduler: str | None = None, workers: int | None = None
) -> int:
    """Grade what was submitted for a module; 1 if something of it could not be graded, or is in doubt."""
    course, console = load(module.root), Console(highlight=False)
    terms, collected = late.terms(course), received.collected(course)
    passed_over = misplaced.passed_over(course, module, student)
    try:
        students = submissions(module, student)
    except CourseError:
        for line in passed_over:
            say(line)
        raise
    try:
        said = run(course, module, students, console, scheduler, workers)
        with gradebook.gradebook(gradebook.configuration(course)) as book:
            console.print(table(book, course, module, students))
            came, known = gradebook.came(book, module), gradebook.known(book, course)
    except OSError as error:
        raise CourseError(
            f"grading was interrupted, and continues where it stopped when it is started again: {error}"
        ) from None
    odd = [mounts.uncompiled(module.source.read_text(encoding="utf-8"))]
    odd += [*terms.doubts(known), *collected.doubts(known)]
    for each in students:
        odd += received.stamp_doubts(module, each, came[each]) if each in came else ()
    for line in filter(None, [*said, *passed_over, *odd]):
        say(line)
    return 1 if said or passed_over else 0


def submissions(module: Module, student: str | None = None) -> list[str]:
    """The students who have submitted a module, or the requested one."""
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
    read, asked = lessons.read(module), probes.read(module)
    if without := [stub.name for stub in read.stubs if stub.name not in {probe.stub for probe in asked}]:
        raise CourseError(
            f"{module.label} ({module.slug}) is not graded: tests alone can be cheated, "
            f"and {module.source.with_name('probes.py').relative_to(module.root)} has no probe of {', '.join(without)}"
        )
    folder = reference.before(course, module)
    text = release.build(course, [read], course.root / "build" / "graded" / module.name)[module.notebook]
    exported = [cell for cell in read.cells if cell.kind in ("export", "stub")]
    names = [cell.name or f"{cell.kind}-{number}" for number, cell in enumerate(exported)]
    made = Job(
        slug=module.slug,
        folder=folder,
        released=json.loads(text),
        reference=tuple(
            Cell(name, "code", cell.source, {}) for name, cell in zip(names, exported, strict=True)
        ),
        tests=testfile.test_file(read),
        stubs={stub.name: stub.tests for stub in read.stubs},
        points={stub.name: stub.points for stub in read.stubs},
        probes=tuple(asked),
        limits=Limits(**module.limits),
    )
    built = course.root / "build" / "reference"  # where the sources are of what is compiled there
    names = {path.relative_to(folder).with_suffix(".py") for path in folder.rglob("*.py*")}
    before = [(built / name).read_bytes() for name in sorted(names) if "__pycache__" not in name.parts]
    return replace(made, digest=_digest(asdict(replace(made, folder=Path())), *before))


def run(
    course: Course, module: Module, students: Sequence[str], console: Console, scheduler: str | None = None,
    workers: int | None = None,
) -> list[str]:  # fmt: skip
    """Grade students, and say in a line each what could not be graded, and what is in doubt."""
    with alone(course):
        config, todo = gradebook.configuration(course), job(course, module)
        sandbox.check(todo.folder)
        collected = received.collected(course)
        with gradebook.gradebook(config) as book:
            gradebook.register(book, config, course, module, todo.released)
            gradebook.follow(book, course, collected.times)
            entered, waiting, when, said = gradebook.came(book, module), {}, {}, []
            for student in students:
                try:
                    content = _submission(module, student)
                    when[student] = received.when(module, student, content, collected)
                except intake.Refused as refused:
                    said.append(f"{printable(student)}: not graded: {refused}")
                    continue
                digest, record = _digest(content, todo.digest), _record(module, student, console)
                if student in entered and record.get("digest") == digest and _page(module, student).exists():
                    said += doubts(student, record)
                    if entered[student] != when[student]:
                        gradebook.receive(book, module, student, when[student])
                else:
                    waiting[student] = digest
            with closing(_results(todo, module, list(waiting), console, scheduler, workers)) as results:
                for student, result in results:
                    if why := result.get("fault") or result.get("refused"):
                        said.append(f"{student}: not graded: {why}")
                        continue
                    marks = {f"test-{stub}": float(each["points"]) for stub, each in result["stubs"].items()}
                    marks |= {name: None if written else 0.0 for name, written in result["answers"].items()}
                    gradebook.enter(book, module, student, marks, when[student])
                    _write(module, student, result, waiting[student], when[student])
                    said += doubts(student, result)
    return sorted(said)


@contextmanager
def alone(course: Course) -> Iterator[None]:
    """Let one batch at a time write the gradebook of a course; a lock that a killed process does not keep."""
    place = course.root / "autograder" / "graded" / ".lock"
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CourseError("another `make grade` is running here: wait until it is done") from None
        yield


def _results(
    todo: Job, module: Module, students: Sequence[str], console: Console, scheduler: str | None, workers: int | None
) -> Iterator[tuple[str, dict]]:  # fmt: skip
    """What became of each submission, as the workers finish."""
    if not students:
        return
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
    with (
        _workers(todo, scheduler, min(workers or os.cpu_count() or 1, len(students))) as submit,
        Progress(*columns, console=console, transient=True) as bar,
    ):
        shown = bar.add_task(module.name, total=len(students))
        folder = module.root / "autograder" / "submitted"
        futures = {
            submit(folder, folder / student / module.name / module.notebook.name): student
            for student in students
        }
        for future in as_completed(futures):
            student = futures.pop(future)
            try:
                result = future.result()
            except Exception as error:  # of a worker: it died, or has another version of something
                result = {
                    "fault": f"the machinery failed, not the submission: {type(error).__name__}: {error}"
                }
            bar.advance(shown)
            yield student, result


@contextmanager
def _workers(todo: Job, scheduler: str | None, count: int) -> Iterator[Callable[..., Future]]:
    """What has a submission judged: by a cluster whose address is given, or by threads here, for sandboxes do the work."""
    if scheduler is None:
        Sandbox.stopped.clear()
        try:
            with ThreadPoolExecutor(count) as pool:
                try:
                    yield lambda *paths: pool.submit(judge, todo, *paths)
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    Sandbox.stop()
                    raise
        finally:
            Sandbox.end(todo.folder)  # the reference of each thread
        return
    from distributed import Client

    try:
        client = Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise CourseError(f"there is no scheduler at {scheduler}: {error}") from None
    with client, client.get_executor(pure=False) as pool:
        shared = client.scatter(todo, broadcast=True, hash=False)
        try:
            yield lambda *paths: pool.submit(judge, shared, *paths)
        finally:
            client.run(Sandbox.end, todo.folder, on_error="ignore")


def _write(module: Module, student: str, result: Mapping, digest: str, when: datetime) -> None:
    """Write the graded notebook where nbgrader looks for it, and the record of the grading."""
    files.write(_page(module, student), result["page"])
    received.note(module, student, when)
    kept = {key: value for key, value in result.items() if key != "page"}
    files.write(_place(module, student), json.dumps({"digest": digest} | kept, indent=1) + "\n")


def _page(module: Module, student: str) -> Path:
    return module.root / "autograder" / "autograded" / student / module.name / module.notebook.name


def _place(module: Module, student: str) -> Path:
    return module.root / "autograder" / "graded" / student / f"{module.name}.json"


def _record(module: Module, student: str, console: Console) -> dict:
    """What is noted of the grading; nothing where that cannot be read, so that it is graded again."""
    place = _place(module, student)
    try:
        record = json.loads(place.read_text(encoding="utf-8"))
        if isinstance(record, dict):
            return record
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        pass
    line = f"{place.relative_to(module.root)} cannot be read: {student} is graded again"
    console.print(line, markup=False, soft_wrap=True)
    return {}


def _digest(*parts: object) -> str:
    """What decides a verdict, in a few letters: where none of it has changed, nothing is graded again."""
    found = hashlib.sha256()
    for part in parts:
        found.update(part if isinstance(part, bytes) else json.dumps(part, default=str).encode())
    return found.hexdigest()


def _submission(module: Module, student: str) -> bytes:
    check_name(student)
    folder = module.root / "autograder" / "submitted"
    return intake.content(folder / student / module.name / module.notebook.name, folder)


def table(book, course: Course, module: Module, students: Sequence[str]) -> Table:
    """The students with their points before lateness, as the gradebook has them; where there is a deadline, with their times."""
    (found, most), to_mark = gradebook.scores(book, module), gradebook.to_mark(book, module)
    came = gradebook.came(book, module) if module.deadline else {}

    def clock(when: datetime | None) -> str:
        return f"{when.astimezone(course.zone):%Y-%m-%d %H:%M}" if when else ""

    columns = {
        "points": [f"{found[each]:g} of {most:g}" if each in found else "not graded" for each in students],
        "received": [clock(came.get(each)) for each in students],
        "own clock": [clock(received.own_time(module, each)) if each in came else "" for each in students],
        "by hand": ["to mark" if each in to_mark else "" for each in students],
    }
    columns = {name: cells for name, cells in columns.items() if any(cells)}
    shown = Table(
        title=f"{module.label} {module.title}", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD,
        caption=f"deadline {module.deadline}, times in {course.zone.key}\n" if came else None,
        caption_justify="left",
    )  # fmt: skip
    shown.add_column("student")
    for name in columns:
        shown.add_column(name, justify="right" if name == "points" else "left")
    for student, *cells in zip(students, *columns.values(), strict=True):
        shown.add_row(Text(printable(student)), *cells)
    return shown
