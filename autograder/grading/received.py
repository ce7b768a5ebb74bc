"""When a submission came in: by its collector's record, or by its file's time when it was first seen; a
student's clock does not count.

`autograder/received.csv` is a table of student, module and time, which the collector writes. It lies outside the folders
that submissions are unpacked into, so that none can bring its own.
"""

import csv
import hashlib
import json
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from autograder import files
from autograder.course import Course, CourseError, Module
from autograder.grading import intake
from autograder.limits import AHEAD

PLACE = "autograder/received.csv"
COLUMNS = ["student", "module", "time"]


@dataclass(frozen=True)
class Received:
    """The collector's times, by student and the folder's name of a module."""

    times: Mapping[tuple[str, str], datetime]
    lines: Mapping[tuple[str, str], int]

    def doubts(self, students: Set[str]) -> Iterator[str]:
        """The rows of unknown students."""
        for (student, name), line in self.lines.items():
            if student not in students:
                yield (
                    f"{PLACE}: line {line}: {student}, {name}: "
                    "there is no such student in autograder/submitted or in the gradebook"
                )


def collected(course: Course) -> Received:
    """Read the collector's times; a time without a zone is by the course's."""
    times, lines = {}, {}
    try:
        with open(course.root / PLACE, newline="", encoding="utf-8-sig") as file:
            rows = csv.reader(file, strict=True)
            for row in rows:
                if rows.line_num == 1 and [cell.strip() for cell in row] != COLUMNS:
                    raise CourseError(f"{PLACE}: line 1: expected the columns {','.join(COLUMNS)}")
                if rows.line_num == 1 or not any(row):
                    continue
                where = f"{PLACE}: line {rows.line_num}"
                if len(row) != len(COLUMNS):
                    raise CourseError(f"{where}: expected {', '.join(COLUMNS)}, found {len(row)} cells")
                student, key, text = (cell.strip() for cell in row)
                try:
                    name, time = course.find(key).name, moment(text, course.zone)
                except CourseError as error:
                    raise CourseError(f"{where}: {error}") from None
                if (student, name) in times:
                    raise CourseError(f"{where}: {student}, {name}: written twice")
                times[student, name], lines[student, name] = time, rows.line_num
    except FileNotFoundError:
        pass
    except csv.Error as error:
        raise CourseError(f"{PLACE}: line {rows.line_num}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{PLACE}: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from None
    return Received(times, lines)


def moment(text: str, zone: ZoneInfo) -> datetime:
    """A time as written by people and machines, `2026-10-02 11:59`, `... UTC`, `...+02:00`, in UTC."""
    try:
        when = datetime.fromisoformat(text.strip().removesuffix(" UTC"))
        when = when.replace(tzinfo=when.tzinfo or (UTC if text.strip().endswith(" UTC") else zone))
        return when.astimezone(UTC)
    except (ValueError, OverflowError):
        raise CourseError(f"expected a time such as 2026-10-02 11:59, found {text!r}") from None


def when(module: Module, student: str, content: bytes, collected: Received) -> datetime:
    """When this notebook came in, in UTC: by the collector, otherwise by its file's time when it was first
    seen here.

    What was seen is remembered by its content, so copying the file or touching it does not change its time.
    """
    place = module.root / "autograder" / "graded" / student / f"{module.name}.seen.json"
    digest, seen = hashlib.sha256(content).hexdigest(), _seen(place)
    if digest not in seen:
        changed = datetime.fromtimestamp(_notebook(module, student).stat().st_mtime, UTC)
        seen[digest] = min(changed, datetime.now(UTC)).isoformat()
        files.write(place, json.dumps(seen, indent=1) + "\n")
    return collected.times.get((student, module.name)) or moment(seen[digest], UTC)


def _seen(place: Path) -> dict[str, str]:
    try:
        seen = json.loads(place.read_text(encoding="utf-8"))
        for time in seen.values():
            moment(time, UTC)
        return seen
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, CourseError):
        name = place.relative_to(place.parents[3])
        raise intake.Refused(
            f"{name}, which says when it came in, cannot be read: restore it, or delete it"
        ) from None


def note(module: Module, student: str, when: datetime) -> None:
    """Write the time it came in next to the graded notebook, which tells nbgrader's formgrader that it is graded."""
    folder = module.root / "autograder" / "autograded" / student / module.name
    if folder.is_dir():
        files.write(folder / "timestamp.txt", f"{when.astimezone(UTC).replace(tzinfo=None)} UTC\n")


def students(course: Course) -> set[str]:
    """Everyone who has a folder of submissions."""
    folder = course.root / "autograder" / "submitted"
    return {path.name for path in folder.iterdir() if path.is_dir()} if folder.is_dir() else set()


def own_time(module: Module, student: str) -> datetime | None:
    """What the student's clock said, if that is a time."""
    try:
        return stamp(module, student)
    except CourseError:
        return None


def stamp(module: Module, student: str) -> datetime | None:
    """What the student's own clock said, by timestamp.txt; None without one."""
    folder = module.root / "autograder" / "submitted"
    place = _notebook(module, student).with_name("timestamp.txt")
    if not place.exists():
        return None
    text = intake.content(place, folder, most=100).decode(errors="replace")
    return moment(text, UTC)


def stamp_doubts(module: Module, student: str, when: datetime) -> Iterator[str]:
    """What is odd about a student's own time; it does not count, but may show that something else is wrong."""
    try:
        own = stamp(module, student)
    except CourseError as error:
        yield f"{student}: timestamp.txt is not a time, and does not count: {error}"
    else:
        if own and own > when + timedelta(seconds=AHEAD):
            yield (
                f"{student}: timestamp.txt says {own:%Y-%m-%d %H:%M} UTC, later than it came in, "
                f"{when:%Y-%m-%d %H:%M} UTC: look at one of the two clocks"
            )


def _notebook(module: Module, student: str) -> Path:
    return module.root / "autograder" / "submitted" / student / module.name / module.notebook.name
