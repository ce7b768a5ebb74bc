"""The reference framework: the faces and the exported solutions, in a folder of their own."""

import compileall
import hashlib
import json
import py_compile
import shutil
from collections.abc import Iterable
from pathlib import Path

from autograder import export, files, lesson
from autograder.course import Course, CourseError, Module, load
from autograder.lesson import Cell


def before(course: Course, module: Module) -> Path:
    """The reference of the modules before one, in a folder of its own, which is made anew; compiled.

    Of the solutions there is nothing but what is compiled, so that a submission has no source to quote.
    """
    built = build(course)
    compileall.compile_dir(built / "tinytorch", quiet=2)
    later = [other.slug for other in course.modules[course.modules.index(module) :]]

    def hidden(folder: str, names: list[str]) -> list[str]:
        top = Path(folder).relative_to(built) in (Path("tinytorch"), Path("tinytorch/__pycache__"))
        return [
            name
            for name in names
            if top and name.endswith((".py", ".pyc")) and name.partition(".")[0] in later
        ]

    folder = course.root / "build" / f"before-{module.name}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(built, folder, ignore=hidden)
    for solved in course.before(module):
        source = folder / "tinytorch" / f"{solved.slug}.py"
        if source.exists():
            py_compile.compile(source, source.with_suffix(".pyc"), f"/course/tinytorch/{source.name}")
            source.unlink()
    return folder


def build(course: Course) -> Path:
    """Bring build/reference up to date, and return it: course.yaml, and tinytorch with every module that is solved.

    Only what has changed is written.
    """
    folder = course.root / "build" / "reference"
    stamps = folder / "stamps.json"
    before = json.loads(stamps.read_text()) if stamps.exists() else {}
    stamp, broken = {}, []
    for name, source in _faces(course).items():
        _copy(source, folder / name)
    for module in course.with_solutions():
        target = folder / "tinytorch" / f"{module.slug}.py"
        stamp[module.slug] = _digest(module.source, Path(export.__file__))
        if stamp[module.slug] != before.get(module.slug) or not target.exists():
            try:
                files.write(target, assemble(module, lesson.read_cells(module)))
            except CourseError as error:
                broken.append(str(error))
                del stamp[module.slug]
    for module in course.modules:
        if not module.source.exists():
            (folder / "tinytorch" / f"{module.slug}.py").unlink(missing_ok=True)
    if stamp != before:
        files.write(stamps, json.dumps(stamp, indent=1))
    if broken:
        raise CourseError("\n".join(broken))
    return folder


def run() -> None:
    build(load())


def assemble(module: Module, cells: Iterable[Cell], tidy: bool = True) -> str:
    """A solution's module as the exporter writes it."""
    name = module.source.relative_to(module.root)
    kinds = ("prose", "export", "stub")
    sources = [
        export.Source(f"{name}:{cell.line}", cell.source, cell.kind != "prose")
        for cell in cells
        if cell.kind in kinds
    ]
    return export.assemble(module, sources, f"{name}, by `make reference`", tidy)


def _faces(course: Course) -> dict[str, Path]:
    """What stands in tinytorch by hand, by its place beside course.yaml."""
    folder = course.root / "tinytorch"
    exported = {
        path for module in course.modules for path in folder.glob(f"{module.slug}.*")
    }  # kept ones too
    files = [path for path in folder.rglob("*") if path.is_file() and path not in exported]
    kept = [path for path in files if "__pycache__" not in path.parts and not path.name.startswith(".")]
    return {str(path.relative_to(course.root)): path for path in [course.root / "course.yaml", *kept]}


def _copy(source: Path, target: Path) -> None:
    content = source.read_bytes()
    if not target.exists() or target.read_bytes() != content:
        files.write(target, content)


def _digest(*paths: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
