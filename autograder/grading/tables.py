"""Tables as CSV, for spreadsheets, for learning management systems, and for these tools themselves."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from autograder import files

MOST = "    Points Possible"  # the row by which Canvas knows how many points there are


def text(columns: Sequence[str], rows: Iterable[Mapping]) -> str:
    """A table of rows as CSV; text that others wrote is made `harmless` before, where a spreadsheet will open it."""
    written = io.StringIO(newline="")
    writer = csv.DictWriter(written, columns)
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()


def write(path: Path, columns: Sequence[str], rows: Iterable[Mapping]) -> None:
    files.write(path, text(columns, rows))


def harmless_row(row: Mapping[str, str]) -> dict[str, str]:
    """A person's name as plain text in any spreadsheet: never a formula, nor one of Canvas's own rows."""
    return {key: harmless(value) for key, value in row.items()}


def harmless(value: str) -> str:
    """Text that no spreadsheet takes for a formula, nor Canvas for one of its own rows."""
    if (
        re.match(r"[\t\r\n]|[\s\ufeff\u200b]*[=+\-@＝＋－＠]", value)
        or value.strip().casefold() == MOST.strip().casefold()
    ):
        value = f"'{value}"
    return re.sub(r"([;|\t\r\n][\s\ufeff\u200b]*)([=+\-@＝＋－＠])", r"\1'\2", value)
