"""Who is in the class: `autograder/roster.csv`, made of what a learning management system exports; `make roster FILE`.

`student` is the name of a person's folders and rows, and stays when the others change. Canvas: Grades, Export. Moodle: the
participants' table, or the grading worksheet of an assignment. Any other CSV with the columns of COLUMNS will do.
"""

import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, fields, replace
from io import StringIO
from pathlib import Path

from autograder import files
from autograder.console import printable, say
from autograder.course import Course, CourseError, load
from autograder.grading import tables
from autograder.grading.student_names import name_fault

PLACE = "autograder/roster.csv"
# The names that exports give to a column, in the order in which they are preferred.
HEADS = {
    "student": ("student", "SIS Login ID", "Username"),
    "name": ("name", "Student", "Full name"),
    "id": ("id", "ID", "Identifier", "ID number"),
    "section": ("section", "Section", "Groups"),
    "email": ("email", "Email address", "Email"),
}
NOT_PEOPLE = re.compile(r"\s*points possible|student, test", re.IGNORECASE)  # rows of Canvas's


@dataclass(frozen=True)
class Person:
    student: str
    name: str = ""
    id: str = ""  # the system's own
    section: str = ""
    email: str = ""


COLUMNS = [field.name for field in fields(Person)]


def roster(file: str | None = None) -> int:
    """Take over who is in the class, and say who is new, who changed and who is gone; 1 if rows could not be read."""
    if file is None:
        raise CourseError("roster takes a file: make roster FILE=gradebook.csv")
    course = load()
    people, doubts = read(Path(file))
    before = {person.student: person for person in of(course)}
    by_id = {person.id: person.student for person in before.values() if person.id}
    now = {}
    for person in people:
        kept = replace(person, student=by_id.get(person.id, person.student))  # whoever was renamed
        if fault := name_fault(kept.student):
            doubts.append(f"{printable(kept.name or kept.student)}: not taken: {fault}")
        elif kept.student in now:
            doubts.append(f"{kept.student}: in two rows: the first is taken")
        else:
            now[kept.student] = kept
    if not now:
        raise CourseError(f"{file}: there is nobody in it")
    place = course.root / PLACE
    if copy := files.replace(place, tables.text(COLUMNS, map(asdict, sorted(now.values(), key=astuple)))):
        say(f"kept {copy.relative_to(course.root)}: the class before")
    for student in sorted(now.keys() - before.keys()):
        say(f"new: {student}, {printable(now[student].name)}")
    for student in sorted(before.keys() - now.keys()):
        say(f"gone: {student}; what was submitted stays, and is graded as before")
    for student in sorted(now.keys() & before.keys()):
        if now[student] != before[student]:
            say(f"changed: {student}, {printable(now[student].name)}")
    for line in doubts:
        say(line)
    say(f"{PLACE}: {len(now)} students")
    return 1 if doubts else 0


def of(course: Course) -> list[Person]:
    """The class, in the order of the file; nobody where there is none."""
    place = course.root / PLACE
    if not place.exists():
        return []
    people, doubts = read(place)
    if doubts:
        raise CourseError(f"{PLACE}: {doubts[0]}")
    return people


def read(path: Path) -> tuple[list[Person], list[str]]:
    """The people of an export, and a line for each row that is none."""
    people, doubts = [], []
    for number, row in enumerate(rows(path), 2):
        if None in row:
            doubts.append(f"line {number}: more cells than the first line has")
            continue
        person = person_of(row)
        if not any(astuple(person)) or NOT_PEOPLE.fullmatch(person.name):
            continue
        if person.student:
            people.append(person)
        else:
            doubts.append(f"line {number}: no login, no address and no name")
    return people, doubts


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of an exported table, by the names in its first line."""
    try:
        found = list(csv.DictReader(StringIO(path.read_text(encoding="utf-8-sig"), newline=""), strict=True))
    except FileNotFoundError:
        raise CourseError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"{path}: it cannot be read as a table in UTF-8: {error}") from None
    known = dict.fromkeys(head for heads in HEADS.values() for head in heads)
    if not found or not any(head in known for head in found[0]):
        raise CourseError(f"{path}: its first line has none of the columns {', '.join(known)}")
    return found


def person_of(row: Mapping[str, str | None]) -> Person:
    """One row, by whichever of its columns is there; who has no login is called by the address, then by the name."""
    row = {head: (cell or "").strip() for head, cell in row.items() if head}
    cells = {
        field: next((row[head] for head in heads if row.get(head)), "") for field, heads in HEADS.items()
    }
    if not cells["name"] and row.get("Last name"):
        cells["name"] = f"{row.get('First name', '')} {row['Last name']}".strip()
    login = cells["student"] or cells["email"]
    cells["student"] = login.partition("@")[0] or cells["name"]
    return Person(**cells)


def plain(name: str) -> str:
    """A name as names are compared: letters and digits alone, without accents, small."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in letters if letter.isalnum())


class Class:
    """Looks people up by whatever a system calls them."""

    def __init__(self, people: Iterable[Person]):
        self.people = list(people)
        self.names = {}
        for person in self.people:
            first, _, last = person.name.rpartition(" ")
            if "," in person.name:  # "Lovelace, Ada"
                last, _, first = person.name.partition(",")
            spellings = {plain(first + last), plain(last + first), plain(person.student), plain(person.email)}
            for each in spellings - {""}:
                self.names.setdefault(each, []).append(person)
        self.ids = Counter(person.id for person in self.people)

    def find(self, name: str, number: str = "") -> tuple[Person | None, str]:
        """The person of this name or number; None and why, where that is nobody or more than one."""
        if not self.people:
            return Person(name), ""
        if number and self.ids[number] == 1:
            return next(person for person in self.people if person.id == number), ""
        found = self.names.get(plain(name), [])
        if len(found) == 1:
            return found[0], ""
        if found:
            return None, f"{len(found)} students are called so: {', '.join(one.student for one in found)}"
        return None, f"nobody in {PLACE} is called so"
