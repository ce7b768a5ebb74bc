"""The reference framework: the faces and the exported solutions, in a separate folder."""

import compileall
import contextlib
import hashlib
import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from autograder import export, files, lesson
from autograder.course import Course, CourseError, Module, load
from autograder.lesson import Cell


def before(course: Course, module: Module) -> Path:
    """The reference of the modules before one, compiled, in a new separate folder.

    It has only compiled solutions, so that a submission has no source to quote.
    """
    built = build(course)
    compileall.compile_dir(built / "tinytorch", quiet=2)
    later = [other.slug for other in course.modules[course.modules.index(module) :]]

    def hidden(folder: str, names: list[str]) -> list[str]:
        top = Path(folder).relative_to(built) in (Path("tinytorch"), Path("tinytorch/__pycache__"))
        return [
            name
            for name in names
            if name.endswith(".pyi")  # which only editors read
            or (top and name.endswith((".py", ".pyc")) and name.partition(".")[0] in later)
        ]

    folder = course.root / "build" / f"before-{module.name}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(built, folder, ignore=hidden)
    for solved in course.before(module):
        source = folder / "tinytorch" / f"{solved.slug}.py"
        if source.exists():
            files.keep_compiled(source, f"/course/tinytorch/{source.name}")
    return folder


def build(course: Course) -> Path:
    """Bring build/reference up to date, and return it: course.yaml, and tinytorch with every module that is solved.

    Only what has changed is written; what is no longer made is removed.
    """
    folder = course.root / "build" / "reference"
    stamps = folder / "stamps.json"
    before = json.loads(stamps.read_text()) if stamps.exists() else {}
    stamp, broken = {}, []
    faces = _faces(course)
    _sweep(folder / "tinytorch", {folder / name for name in faces}, course)
    for name, source in faces.items():
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
    if stamp != before:
        files.write(stamps, json.dumps(stamp, indent=1))
    if broken:
        raise CourseError("\n".join(broken))
    return folder


def run() -> None:
    build(load())


def assemble(module: Module, cells: Iterable[Cell], tidy: bool = True) -> str:
    """A solution's module as the exporter writes it."""
    name = module.source.relative_to(module.root).as_posix()
    kinds = ("prose", "export", "stub")
    sources = [
        export.Source(f"{name}:{cell.line}", cell.source, cell.kind != "prose")
        for cell in cells
        if cell.kind in kinds
    ]
    return export.assemble(module, sources, f"{name}, by `make reference`", tidy)


def _faces(course: Course) -> dict[str, Path]:
    """The hand-written files of tinytorch, by their paths relative to course.yaml."""
    folder = course.root / "tinytorch"
    exported = {
        path for module in course.modules for path in folder.glob(f"{module.slug}.*py")
    }  # kept ones too
    files = [path for path in folder.rglob("*") if path.is_file() and path not in exported]
    kept = [path for path in files if "__pycache__" not in path.parts and not path.name.startswith(".")]
    return {path.relative_to(course.root).as_posix(): path for path in [course.root / "course.yaml", *kept]}


def _sweep(package: Path, faces: set[Path], course: Course) -> None:
    """Remove what is neither a face nor a solved module, with its compiled file and its folder."""
    made = faces | {package / f"{module.slug}.py" for module in course.with_solutions()}
    made |= {folder for path in made for folder in path.parents}
    for path in sorted(package.rglob("*"), reverse=True):  # what is in a folder before the folder
        if _made_from(path) in made or path.name.startswith("."):  # which another process is writing
            continue
        with contextlib.suppress(OSError):  # another process was first
            path.rmdir() if path.is_dir() else path.unlink()


def _made_from(path: Path) -> Path:
    """What this is made from: the source of what Python and numba keep in a __pycache__, and its folder."""
    if path.name == "__pycache__":
        return path.parent
    if path.parent.name == "__pycache__":
        return path.parents[1] / f"{path.name.partition('.')[0]}.py"
    return path


def _copy(source: Path, target: Path) -> None:
    content = source.read_bytes()
    if not target.exists() or target.read_bytes() != content:
        files.write(target, content)


def _digest(*paths: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
