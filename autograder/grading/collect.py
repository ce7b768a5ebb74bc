"""`make collect N FROM=download.zip [TIMES=worksheet.csv]`: a download of all submissions into place.

It is what Canvas or Moodle gives as "all submissions", or a folder of folders.

Canvas names a file `lovelaceada_LATE_1234_5678_activations-1.ipynb`: the name, whether late, the person's number, the
attachment's, and the file's name. Moodle makes a folder `Ada Lovelace_1234_assignsubmission_file`, or puts that before the
file's name; its grading worksheet calls the same person Participant 1234, and in no other assignment. What else there is
belongs to whom the outermost folder names. An archive within is opened, one level deep.
Nothing is passed over in silence, and no submission is replaced without a copy.

When each came in stands in no such download. TIMES is a table that has it, as Moodle's grading worksheet: its times go to
received.csv.
"""

import io
import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from zoneinfo import ZoneInfo

from autograder import files, notebook
from autograder.console import printable, say
from autograder.course import Course, CourseError, Module, load
from autograder.grading import feedback_zip, intake, received, tables
from autograder.grading.roster import Class, Person, of, person_of, rows
from autograder.grading.student_names import name_fault
from autograder.limits import NOTEBOOK

CANVAS = re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<number>\d+)_(?P<order>\d+)_(?P<file>.+)")
MOODLE = re.compile(r"(?P<name>.+?)_(?P<order>\d*)_?assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?")
TIMES = "time", "Last modified (submission)"  # what a column of times is called
TYPED = "text was typed into the page of the assignment: it is no notebook"
LEFT_BEHIND = re.compile(r"(^|/)(__MACOSX|\.|~\$|Thumbs\.db|desktop\.ini)")  # by systems, not by people


@dataclass(frozen=True)
class Found:
    """A file that was handed in."""

    path: str  # as the download has it
    owners: tuple[str, ...]  # what the system calls the person: the first of these that is known
    number: str  # the person's there, or ""
    order: int  # the larger, the later
    file: str  # its own name
    content: bytes | str  # or why it cannot be read
    is_late: bool = False
    origin: tuple[str, str] | None = None  # the system, and how it finds whose it is, see feedback_zip.Origin


def collect(module: Module, source: str | None = None, times: str | None = None) -> int:
    """Put each student's notebook in its place, and say who handed in, who did not, and what could not be placed."""
    if source is None:
        raise CourseError(f"collect takes a download: make collect {module.number} FROM=submissions.zip")
    course = load(module.root)
    people, released = Class(of(course)), notebook.released(module)
    theirs, refused, new = {}, [], 0
    for found in sorted(_all(Path(source)), key=lambda each: (each.order, each.path)):
        try:
            person = _owner(people, found)
            if isinstance(found.content, str):
                raise intake.Refused(found.content)
            _of_this_module(found, module, released)
        except (intake.Refused, notebook.NotebookError) as error:
            refused.append((found, f"{printable(found.path)}: not placed: {error}"))
        else:
            theirs.setdefault(person.student, []).append(found)
    placed = {(one.owners, one.number) for several in theirs.values() for one in several}
    problems = [
        line
        for found, line in refused
        if found.content is not TYPED or (found.owners, found.number) not in placed
    ]
    if not theirs and not problems:
        raise CourseError(f"{source}: there is no notebook and no archive in it")
    for student, several in sorted(theirs.items()):
        last = several[-1]
        is_new = _put(module, student, last)
        new += is_new
        said = [f"the last of {len(several)}"] * (len(several) > 1) + ["LATE"] * last.is_late
        state = "" if is_new else "as before"
        say(f"{student}: {printable(last.path)}{''.join(f', {one}' for one in [*said, state] if one)}")
    last = {student: several[-1].origin for student, several in theirs.items()}
    feedback_zip.note(module, {student: origin for student, origin in last.items() if origin})
    missing = [one.student for one in people.people if one.student not in theirs]
    if missing:
        say(f"not handed in: {', '.join(missing)}")
    if not people.people:
        say(
            "there is no autograder/roster.csv: students are called as in the download; `make roster` takes an export"
        )
    if times:
        problems += _take_times(course, module, Path(times), people)
    elif late := [student for student, several in theirs.items() if several[-1].is_late]:
        say(
            f"late, and the download does not say when: {', '.join(sorted(late))}: write it into {received.PLACE}"
        )
    for line in problems:
        say(line)
    say(f"{module.name}: {len(theirs)} handed in, {new} of them new, {len(problems)} not placed")
    return 1 if problems else 0


def _owner(people: Class, found: Found) -> Person:
    """Whose file it is; Refused, and why, where that is not known."""
    for owner in found.owners:
        person, why = people.find(owner, found.number)
        if person and (fault := name_fault(person.student)):
            raise intake.Refused(fault)
        if person:
            return person
    raise intake.Refused(why)


def _of_this_module(found: Found, module: Module, released: dict) -> None:
    """Refuse what is not this module's notebook, and why."""
    if found.file.lower().endswith(".zip"):
        raise intake.Refused("it is a zip in a zip, and not opened")
    if not found.file.lower().endswith(".ipynb"):
        raise intake.Refused(f"it is neither a notebook nor a zip of {module.notebook.name}")
    if len(found.content) > NOTEBOOK:
        raise intake.Refused(f"it has {len(found.content) >> 20} MB, and {NOTEBOOK >> 20} are accepted")
    notebook.put_together(notebook.load(found.content), released)


def _put(module: Module, student: str, found: Found) -> bool:
    """Write a notebook where it is graded, and keep what was there; whether it is new."""
    place = module.root / "autograder" / "submitted" / student / module.name / module.notebook.name
    if place.exists() and place.read_bytes() == found.content:
        return False
    if place.exists():
        copy = files.keep(place, module.root / "autograder" / "replaced" / student / module.name)
        say(f"kept {copy.relative_to(module.root)}: what {student} had handed in before")
    files.write(place, found.content)
    return True


def _take_times(course: Course, module: Module, table: Path, people: Class) -> list[str]:
    """Write a table's times into received.csv, in place of those it has for these students; a line for each that cannot be."""
    times, problems = dict(received.collected(course).times), []
    for row in rows(table):
        text = next((row[head] for head in TIMES if (row.get(head) or "").strip(" -")), "")
        if not text:
            continue
        theirs = person_of(row)
        try:
            person, why = people.find(row.get("student") or theirs.name, theirs.id)
            if person is None:
                raise CourseError(why)
            times[person.student, module.name] = _moment(text, course.zone)
        except CourseError as error:
            problems.append(f"{table.name}: {printable(theirs.name or theirs.student)}: no time: {error}")
    lines = [(*key, f"{time:%Y-%m-%d %H:%M:%S} UTC") for key, time in sorted(times.items())]
    written = tables.text(received.COLUMNS, (dict(zip(received.COLUMNS, line)) for line in lines))
    if copy := files.replace(course.root / received.PLACE, written):
        say(f"kept {copy.relative_to(course.root)}: the times before")
    return problems


def _moment(text: str, zone: ZoneInfo) -> datetime:
    """A time as `received` reads it, or as Moodle writes it in English."""
    with suppress(ValueError):
        return datetime.strptime(text, "%A, %d %B %Y, %I:%M %p").replace(tzinfo=zone).astimezone(UTC)
    return received.moment(text, zone)


def _all(source: Path) -> Iterator[Found]:
    """Every file of a download, each with the name of its owner."""
    try:
        if source.is_dir():
            for path in sorted(source.rglob("*")):
                if path.is_file() and not path.is_symlink():
                    yield from _named(path.relative_to(source).as_posix(), _read_file(path))
        else:
            with zipfile.ZipFile(source) as archive:
                for name, content in _members(archive):
                    yield from _named(name, content)
    except FileNotFoundError:
        raise CourseError(f"{source}: there is no such file or folder") from None
    except (OSError, zipfile.BadZipFile) as error:
        raise CourseError(f"{source}: it cannot be read as a zip: {error}") from None


def _read_file(path: Path) -> bytes | str:
    return path.read_bytes() if path.stat().st_size <= 4 * NOTEBOOK else "it is too large for a submission"


def _members(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes | str]]:
    """What is in a zip, or why it cannot be had: a member's size is what it says, or nothing of it is taken."""
    for member in archive.infolist():
        if member.is_dir() or LEFT_BEHIND.search(member.filename):
            continue
        if stat.S_ISLNK(member.external_attr >> 16):
            yield member.filename, "a link was handed in, not a file"
        elif member.file_size > 4 * NOTEBOOK:
            yield member.filename, "it is too large for a submission"
        else:
            try:
                yield member.filename, archive.read(member)
            except (RuntimeError, NotImplementedError, zipfile.BadZipFile, OSError, EOFError) as error:
                yield member.filename, f"it cannot be unpacked: {error}"


def _named(path: str, content: bytes | str) -> Iterator[Found]:
    """A file with what its path says of its owner; a zip's notebooks in its stead."""
    if LEFT_BEHIND.search(path):
        return
    parts = PurePosixPath(path).parts
    owners, number, order, name, late, origin = parts[:-1], "", 0, parts[-1], False, None
    if match := next(filter(None, map(MOODLE.fullmatch, parts)), None):
        if match["kind"] != "file":
            content = TYPED
        owners, order, name = (match["name"],), int(match["order"] or 0), match["file"] or parts[-1]
        number, is_folder = f"Participant {order}", match.string != parts[-1]
        origin = "moodle", f"{match.string}/" if is_folder else match.string.removesuffix(match["file"] or "")
    elif match := CANVAS.fullmatch(parts[-1]):
        owners, number, order = (match["name"],), match["number"], int(match["order"])
        name, late, origin = match["file"], bool(match["late"]), ("canvas", parts[-1])
    elif len(parts) == 1:
        owners = (PurePosixPath(path).stem,)
    if not name.lower().endswith(".zip") or isinstance(content, str):
        yield Found(path, owners, number, order, name, content, late, origin)
        return
    inner = []
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            inner = [
                (each, read)
                for each, read in _members(archive)
                if PurePosixPath(each).name != "timestamp.txt"
            ]
    except zipfile.BadZipFile as error:
        yield Found(path, owners, number, order, name, f"it is not a zip: {error}", late, origin)
    else:
        if not inner:
            yield Found(path, owners, number, order, name, "there is no file in the zip", late, origin)
    for each, read in inner:
        yield Found(f"{path}/{each}", owners, number, order, PurePosixPath(each).name, read, late, origin)
