"""Files as all of the course's tools write them: whole or not at all."""

import os
from importlib.util import cache_from_source
from pathlib import Path


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
