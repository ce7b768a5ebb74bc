"""Files as all of the course's tools write them: whole or not at all, and nobody's work lost."""

import hashlib
import json
import os
import subprocess
from contextlib import suppress
from datetime import datetime
from importlib.util import cache_from_source
from itertools import chain, count
from pathlib import Path

WRITTEN = Path("build", "written.json")  # digests of what `install` wrote last, by place


def write(path: Path, content: str | bytes) -> None:
    """Write beside and rename, so that nobody ever reads half a file.

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
    """Write a file that its reader may have changed: what neither `install` wrote last nor git knows is kept beside it."""
    place, digest, written = str(path.relative_to(root)), _digest(text.encode()), {}
    with suppress(FileNotFoundError, ValueError):
        written = json.loads((root / WRITTEN).read_text(encoding="utf-8"))
    before = _digest(path.read_bytes()) if path.exists() else digest
    if before not in (digest, written.get(place)) and not _git_knows(path):
        from autograder.console import say  # rich, without which a notebook's tests start sooner

        say(f"kept {keep(path).relative_to(root)}: what you had changed in {path.name}")
    if before != digest or not path.exists():
        write(path, text)
    if written.get(place) != digest:
        write(root / WRITTEN, json.dumps(written | {place: digest}, indent=1))


def keep(path: Path) -> Path:
    """Copy a file beside itself, under the date and time, and return the copy; no copy takes the place of another."""
    stem = f"{path.stem}.{datetime.now():%Y-%m-%d-%H%M%S}"
    names = (f"{stem}{again}{path.suffix}" for again in chain([""], (f"-{number}" for number in count(2))))
    copy = next(copy for copy in map(path.with_name, names) if not copy.exists())
    with copy.open("xb") as file:
        file.write(path.read_bytes())
    return copy


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _git_knows(path: Path) -> bool:
    def git(*command):
        return subprocess.run(["git", *command], cwd=path.parent, capture_output=True, text=True)

    with suppress(FileNotFoundError):  # no git
        return git("cat-file", "-e", git("hash-object", path.name).stdout.strip() or "none").returncode == 0
    return False
