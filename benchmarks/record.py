"""What was measured is kept in results/NAME.md, which the commands write and the book shows."""

import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder import files

FOLDER = Path(__file__).with_name("results")
PACKAGES = {"numpy": "NumPy", "numba": "Numba", "torch": "PyTorch"}


def write(name: str, *parts: str) -> str:
    """Write a file of results; where it is, from the folder of the course."""
    path = FOLDER / f"{name}.md"
    files.write(path, "\n\n".join(parts) + "\n")
    return path.relative_to(FOLDER.parents[1]).as_posix()


def machine() -> str:
    """The processor, and the versions of Python and of the packages that are compared."""
    from tinytorch.given.benchmarking.surroundings import installed, processor

    versions = [f"Python {platform.python_version()}"]
    versions += [f"{title} {found}" for name, title in PACKAGES.items() if (found := installed(name))]
    return f"{processor()}, {os.cpu_count()} cores; {', '.join(versions)}."


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in (heads, ["---"] * len(heads), *rows))
