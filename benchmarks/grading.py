"""How fast a class is graded: `make bench-grading [STUDENTS=1000] [MODULE=2]`, on a machine that does nothing else.

The class is simulated: of ten students four have everything right, four have made a planted mistake, one has written half, and one
nothing. Two workers grade it, and one a tenth of it; what is measured is printed and kept in results/grading.md.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from autograder import files, lesson, mutants, release
from autograder.course import Course, Module, load
from autograder.grading import batch

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "grading.md"


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
    blank = {cell["id"]: cell["source"] for cell in untouched["cells"]}
    for number in range(students):
        notebook, kind = json.loads(json.dumps(solved)), number % 10
        stub = read.stubs[number % len(read.stubs)]
        changed = {}
        if 4 <= kind < 8:
            mistake = stub.mistakes[number // len(read.stubs) % len(stub.mistakes)]
            changed = {stub.name: mutants.mutated(stub, mistake).source}
        elif kind >= 8:
            changed = {
                each.name: blank[each.name] for each in read.stubs[len(read.stubs) // 2 if kind == 8 else 0 :]
            }
        for cell in notebook["cells"]:
            cell["source"] = changed.get(cell["id"], cell["source"])
        place = (
            folder / "autograder" / "submitted" / f"student{number:04}" / module.name / module.notebook.name
        )
        files.write(place, json.dumps(notebook))
    return course, module


def busy() -> float:
    """Seconds of processor time that the machine has been busy."""
    user, nice, system, *_ = map(int, Path("/proc/stat").read_text().split()[1:4])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK")


def measure(course: Course, module: Module, students: list[str], workers: int) -> tuple[float, float, float]:
    """Seconds by the clock, of processor time, and of this process's own, for so many students."""
    for name in ("graded", "autograded", "gradebook.db"):
        path = course.root / "autograder" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    begun = time.perf_counter(), busy(), time.process_time()
    said = batch.run(course, module, students, Console(), workers=workers)
    if said:
        sys.exit("\n".join(said))
    return tuple(now - then for now, then in zip((time.perf_counter(), busy(), time.process_time()), begun))


def main(students: int, key: str) -> None:
    lines = [
        "| workers | submissions | a minute | seconds in all | processor seconds each | of them the coordinator's |",
        "|" + "---|" * 6,
    ]
    with tempfile.TemporaryDirectory() as folder:
        course, module = classroom(Path(folder), key, students)
        everyone = batch.submissions(module)
        for workers, some in ((1, everyone[: students // 10]), (2, everyone)):
            count = len(some)
            clock, processor, own = measure(course, module, some, workers)
            row = [60 * count / clock, clock, processor / count, own / count]
            lines.append(
                f"| {workers} | {count} | {row[0]:.0f} | {row[1]:.0f} | {row[2]:.2f} | {row[3]:.3f} |"
            )
    text = (
        f"# Grading\n\n{students} simulated submissions of module {module.label} on {os.cpu_count()} cores.\n\n"
        + "\n".join(lines)
    )
    print(text)
    RESULTS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, sys.argv[2] if len(sys.argv) > 2 else "2")
