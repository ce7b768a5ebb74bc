"""Files as all of the course's tools write them: whole or not at all, and without losing a user's work."""

import hashlib
import json
import os
import py_compile
import subprocess
from contextlib import suppress
from datetime import datetime
from importlib.util import cache_from_source
from itertools import chain, count
from pathlib import Path

WRITTEN = Path("build", "written.json")  # digests of what `install` wrote last, by place


def write(path: Path, content: str | bytes) -> None:
    """Write a temporary file and rename it, so that half a file is never read.

    Python knows bytecode by its source's second and length, and would take what it kept of a file written a moment ago.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)
        beside.replace(path)
        if path.suffix == ".py":
            Path(cache_from_source(path)).unlink(missing_ok=True)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def install(root: Path, path: Path, text: str) -> None:
    """Write a file that its user may have changed: a version that neither `install` wrote last nor git has is kept as a copy."""
    place, digest, written = path.relative_to(root).as_posix(), _digest(text.encode()), {}
    with suppress(FileNotFoundError, ValueError):
        written = json.loads((root / WRITTEN).read_text(encoding="utf-8"))
    before = _digest(path.read_bytes()) if path.exists() else digest
    if before not in (digest, written.get(place)) and not _git_knows(path):
        from autograder.console import say  # rich, without which a notebook's tests start sooner

        say(f"kept {keep(path).relative_to(root).as_posix()}: what you had changed in {path.name}")
    if before != digest or not path.exists():
        write(path, text)
    if written.get(place) != digest:
        write(root / WRITTEN, json.dumps(written | {place: digest}, indent=1))


def replace(path: Path, content: str) -> Path | None:
    """Write a file; what it had, if that was something else, is kept as a copy, which is returned."""
    copy = keep(path) if path.exists() and path.read_bytes() != content.encode() else None
    write(path, content)
    return copy


def keep(path: Path, folder: Path | None = None) -> Path:
    """Copy a file, with the date and time in the copy's name, and return the copy; no copy replaces another.

    The copy is beside the file, or in another folder, which is made.
    """
    folder = folder or path.parent
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{path.stem}.{datetime.now():%Y-%m-%d-%H%M%S}"
    names = (f"{stem}{again}{path.suffix}" for again in chain([""], (f"-{number}" for number in count(2))))
    copy = next(copy for copy in map(folder.joinpath, names) if not copy.exists())
    with copy.open("xb") as file:
        file.write(path.read_bytes())
    return copy


def keep_compiled(source: Path, name: str) -> None:
    """Leave only the compiled file of a module, which names this as its source."""
    py_compile.compile(source, source.with_suffix(".pyc"), name, doraise=True)
    source.unlink()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _git_knows(path: Path) -> bool:
    def git(*command):
        return subprocess.run(["git", *command], cwd=path.parent, capture_output=True, text=True)

    with suppress(FileNotFoundError):  # no git
        return git("cat-file", "-e", git("hash-object", path.name).stdout.strip() or "none").returncode == 0
    return False
