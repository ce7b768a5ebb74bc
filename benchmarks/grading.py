"""How fast a class is graded: `make bench-grading`, on a machine that does nothing else; [STUDENTS=300] [MODULE=3] [SIMULATED=10000].

The class is simulated: of ten students four have everything right, four have made a planted mistake, one has written half, and one
nothing; one in a hundred has an endless loop in the last stub. Two workers grade a quarter of it, half, and all. Then a larger
class is entered whose verdicts are those of the first, without running anything: that is what the coordinator does alone, however many
workers there are. What is measured is printed and kept in results/grading.md, with GRADEBOOK_URL in a file for that database.
"""

import contextlib
import io
import itertools
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy
from rich.console import Console

from autograder import files, lesson, mutants, release
from autograder.course import Course, Module, load
from autograder.grading import batch, marks, report
from benchmarks import record

ROOT = Path(__file__).parents[1]
ENDLESS = "while True: pass"
KINDS = {"everything right": 4, "one planted mistake": 4, "half written": 1, "nothing written": 1}  # of ten
LOOPS = 100  # one of so many students has an endless loop


def classroom(folder: Path, key: str, students: int) -> tuple[Course, Module]:
    """A course in which so many students have submitted a module."""
    for name in ("tinytorch", "solutions", "build/reference"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "course.yaml", folder)
    course = load(folder)
    module = course.find(key)
    read = lesson.read(module)
    made = release.build(course, [read], folder / "build" / "made")
    solved, untouched = (
        json.loads(made[path]) for path in (module.source.with_suffix(".ipynb"), module.notebook)
    )
    blank = {cell["id"]: "".join(cell["source"]) for cell in untouched["cells"]}
    kinds = [kind for kind, count in KINDS.items() for _ in range(count)]
    for number in range(students):
        notebook, kind = json.loads(json.dumps(solved)), kinds[number % len(kinds)]
        stub = read.stubs[number % len(read.stubs)]
        changed = {}
        if number % LOOPS == 0:
            last = read.stubs[-1].name
            changed = {last: blank[last].replace("raise NotImplementedError", ENDLESS)}
        elif kind == "one planted mistake":
            mistake = stub.mistakes[number // len(read.stubs) % len(stub.mistakes)]
            changed = {stub.name: mutants.mutated(stub, mistake).source}
        elif kind in ("half written", "nothing written"):
            from_here = len(read.stubs) // 2 if kind == "half written" else 0
            changed = {each.name: blank[each.name] for each in read.stubs[from_here:]}
        for cell in notebook["cells"]:
            cell["source"] = changed.get(cell["id"], cell["source"])
        files.write(place(module, number), json.dumps(notebook))
    return course, module


def place(module: Module, number: int) -> Path:
    student = module.root / "autograder" / "submitted" / f"student{number:05}"
    return student / module.name / module.notebook.name


def busy() -> float:
    """Seconds of processor time that the machine has been busy."""
    user, nice, system, *_ = map(int, Path("/proc/stat").read_text().split()[1:4])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK")


def forget(course: Course) -> None:
    """Remove all that was graded, and empty the gradebook."""
    for name in ("graded", "autograded", "feedback", "gradebook.db"):
        path = course.root / "autograder" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    if url := os.environ.get("GRADEBOOK_URL"):
        engine, tables = sqlalchemy.create_engine(url), sqlalchemy.MetaData()
        tables.reflect(engine)
        tables.drop_all(engine)
        engine.dispose()


class Watched:
    """The batch's results, with the time that the coordinator takes for each before it wants the next."""

    def __init__(self) -> None:
        self.results, self.original, self.spent = {}, batch._results, []

    def __call__(self, *arguments) -> Iterator[tuple[str, dict]]:
        for student, result in self.original(*arguments):
            self.results[student] = json.loads(json.dumps(result))
            begun = time.perf_counter()
            yield student, result
            self.spent.append(time.perf_counter() - begun)


def measure(
    course: Course, module: Module, students: list[str], workers: int
) -> tuple[float, float, Watched]:
    """Seconds by the clock, and of processor time, to grade these students, and what became of each."""
    forget(course)
    watched = batch._results = Watched()
    begun = time.perf_counter(), busy()
    try:
        said = batch.run(course, module, students, Console(quiet=True), workers=workers)
    finally:
        batch._results = watched.original
    if said:
        sys.exit("\n".join(said))
    return time.perf_counter() - begun[0], busy() - begun[1], watched


def timed(function, *arguments) -> float:
    """Seconds that a command of the course takes, what it prints aside."""
    begun = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        function(*arguments)
    return time.perf_counter() - begun


def simulate(course: Course, module: Module, verdicts: list[dict], count: int) -> list[float]:
    """The coordinator's seconds for each of so many submissions, whose verdicts were reached before."""
    forget(course)
    there = len(batch.submissions(module))
    for number in range(there, count):
        place(module, number).parent.mkdir(parents=True)
        os.link(place(module, number % there), place(module, number))
    students = batch.submissions(module)[:count]
    watched = Watched()
    copies = zip(students, map(json.loads, itertools.cycle(map(json.dumps, verdicts))))
    watched.original = lambda *_: copies
    before, batch._results = batch._results, watched
    try:
        batch.run(course, module, students, Console(quiet=True))
    finally:
        batch._results = before
    return watched.spent


def main(students: int, key: str, simulated: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        course, module = classroom(Path(folder), key, students)
        everyone, rows = batch.submissions(module), []
        for share in (4, 2, 1):
            some = everyone[: max(students // share, 1)]
            clock, processor, watched = measure(course, module, some, 2)
            numbers = [60 * len(some) / clock, processor / len(some)]
            rows.append([len(some), f"{clock:.0f}", f"{numbers[0]:.0f}", f"{numbers[1]:.2f}"])
            print(f"{len(some)} submissions graded: {clock:.0f} s", flush=True)
        results, own = watched.results, statistics.mean(watched.spent)
        loops = [results[student]["seconds"] for student in everyone[::LOOPS]]
        others = [found["seconds"] for student, found in results.items() if student not in everyone[::LOOPS]]
        pages, again = (timed(marks.feedback, module) for _ in range(2))
        written = timed(report.report, course, [module])
        print(f"feedback: {pages:.0f} s, then {again:.0f}; report: {written:.1f} s", flush=True)
        spent = simulate(course, module, list(results.values()), simulated)
    alone, each = statistics.mean(spent), statistics.mean([*loops, *others])
    database = os.environ.get("GRADEBOOK_URL", "sqlite").partition(":")[0].partition("+")[0]
    tenth = max(1, len(spent) // 10)
    kinds = ", ".join(f"{count} in 10: {kind}" for kind, count in KINDS.items())
    parts = [
        "# Grading",
        f"{students} simulated submissions of module {module.label}, two workers on {os.cpu_count()} cores, the gradebook on "
        f"{database}. {kinds}; one in {LOOPS} has an endless loop.",
        record.table(["submissions", "seconds in all", "a minute", "processor seconds each"], rows),
        f"A submission takes a worker {statistics.median(others):.1f} s in the median and {max(others):.1f} s at most; one with an "
        f"endless loop {statistics.mean(loops):.1f} s, during which the other worker goes on.",
        record.table(["for the class of", "seconds"], [
            [f"`make feedback`, {students} pages", f"{pages:.0f}"],
            ["`make feedback` again, nothing new", f"{again:.0f}"],
            ["`make report`", f"{written:.1f}"],
        ]),
        f"The coordinator alone enters a submission in {1000 * alone:.1f} ms, over {len(spent):,} simulated ones "
        f"({1000 * statistics.mean(spent[:tenth]):.1f} ms in the first tenth, {1000 * statistics.mean(spent[-tenth:]):.1f} in the last; "
        f"{1000 * own:.1f} while two workers share its cores). So {len(spent):,} take it {sum(spent):.0f} s, it enters "
        f"{60 / alone:,.0f} a minute, and {each / alone:.0f} workers of {each:.1f} s a submission saturate it.",
    ]  # fmt: skip
    record.write("grading" if database == "sqlite" else f"grading-{database}", *parts)
    print(*parts, sep="\n\n")


if __name__ == "__main__":
    students, key, simulated = [*sys.argv[1:], *["300", "3", "10000"][len(sys.argv) - 1 :]]
    main(int(students), key, int(simulated))
