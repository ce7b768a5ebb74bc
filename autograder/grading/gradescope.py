"""`make gradescope N`: the autograder of a module as the zip that Gradescope takes, in build/gradescope."""

import io
import stat
import zipfile
from pathlib import Path
from string import Template

import autograder
from autograder import files, reference
from autograder import lesson as lessons
from autograder.console import say
from autograder.course import Course, Module, load
from autograder.grading import batch, container

FILES = Path(autograder.__path__[0]) / "gradescope"
PROGRAMS = ("setup.sh", "run_autograder")


def gradescope(module: Module) -> None:
    """Write the zip of a module; nothing in it is for students."""
    course = load(module.root)
    place = course.root / "build" / "gradescope" / f"{module.name}.zip"
    files.write(place, zipped(contents(course, module)))
    say(
        f"{place.relative_to(course.root)}: upload it as the autograder; its README.md says how, and what it protects"
    )


def contents(course: Course, module: Module) -> dict[str, bytes]:
    """The files of the zip, by their places in it."""
    todo, read = batch.job(course, module), lessons.read(module)
    before = [solved.slug for solved in course.before(module) if solved.source.exists()]
    made = {path.name: path.read_bytes() for path in FILES.iterdir()}
    values = {
        "module": f"{module.label} {module.title}", "notebook": module.notebook.name, "points": read.points,
        "by_hand": by_hand(read), "seconds": 6 * module.limits["seconds"], "megabytes": 2 * module.limits["megabytes"],
    }  # fmt: skip
    made["README.md"] = Template(made["README.md"].decode()).substitute(values).encode()
    made[container.JOB] = container.packed(todo, before).encode()
    made["requirements.txt"] = "".join(f"{name}\n" for name in container.INSTALLED).encode()
    made["requirements.lock"] = (course.root / "requirements.lock").read_bytes()
    package = Path(autograder.__path__[0])
    for path in (*package.glob("*.py"), *(package / "grading").glob("*.py")):
        made[f"autograder/{path.relative_to(package).as_posix()}"] = path.read_bytes()
    built = reference.build(course)
    sources = [path for path in todo.folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    names = {path.relative_to(todo.folder) for path in sources}
    for name in names | {Path("tinytorch", f"{slug}.py") for slug in before}:
        if (built / name).exists():
            made[f"{container.COURSE}/{name.as_posix()}"] = (built / name).read_bytes()
    return made


def by_hand(read: lessons.Lesson) -> str:
    """What the zip's README says about the answers in words."""
    answers = [f"`{cell.name}`, {cell.points} points" for cell in read.cells if cell.kind == "answer"]
    if not answers:
        return "Nothing in this module is marked by hand."
    return f"Answers in words are marked by hand, in a question for each that you add in Gradescope: {'; '.join(answers)}."


def zipped(made: dict[str, bytes]) -> bytes:
    """A zip with these files; programs are marked as such, and its dates never change."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(made.items()):
            member = zipfile.ZipInfo(name)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (stat.S_IFREG | (0o700 if name in PROGRAMS else 0o600)) << 16
            archive.writestr(member, content)
    return file.getvalue()
