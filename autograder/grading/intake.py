"""What is taken of a submission: the one notebook that is expected, as plain text, put back into the released one."""

import os
import re
import stat
from pathlib import Path

from autograder import notebook
from autograder.course import CourseError
from autograder.limits import NOTEBOOK
from autograder.notebook import Cell, NotebookError


class Refused(CourseError):
    """A submission that cannot be graded, and why."""


def read(path: Path, folder: Path) -> dict:
    """Read a submitted notebook that is in `folder` itself, not behind a link."""
    try:
        return notebook.load(content(path, folder))
    except NotebookError as error:
        raise Refused(f"{path.name} is not a notebook: {error}") from None


def content(path: Path, folder: Path, most: int = NOTEBOOK) -> bytes:
    """The bytes of a file in `folder`, if it is a plain one and not too large."""
    try:
        if path.resolve() != folder.resolve() / path.relative_to(folder):
            raise Refused("a link was submitted, not a notebook")
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise Refused(f"{path.name} is not a file")
            if found.st_size > most:
                raise Refused(f"{path.name} has {found.st_size >> 20} MB, and {most >> 20} are accepted")
            with open(descriptor, "rb", closefd=False) as file:
                return file.read(most)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise Refused(f"there is no {path.name}") from None
    except PermissionError:
        raise Refused(f"{path.name} cannot be read: its owner may not let you") from None
    except (OSError, RuntimeError) as error:  # the second for links that lead in a circle
        raise Refused(f"{path.name} cannot be read: {getattr(error, 'strerror', error)}") from None


def restored(submitted: dict, released: dict) -> list[Cell]:
    """The released cells in their order, with what the student wrote in them; the student's own cells where they stand."""
    try:
        return list(notebook.put_together(submitted, released).cells)
    except NotebookError as error:
        raise Refused(str(error)) from None


def clean(text: str) -> str:
    """Text without what no editor writes, and XML, HTML and files cannot hold."""
    return re.sub(r"[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]", "\ufffd", text)
