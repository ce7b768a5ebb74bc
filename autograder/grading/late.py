"""What lateness costs, and who has longer: `autograder/terms.yaml`, which an instructor writes.

late: {percent_a_day: 10, days: 5}      # of what was reached; after so many days nothing counts
extensions:
  ada: {03_layers: 2026-10-12}          # the new last day
time_zone: America/New_York             # where these days end, if not where the course's do
anonymous_marking: true                 # the formgrader names nobody where it lists and shows what is to be marked

Nothing of it is ever stored: what lateness takes is reckoned where points are read.
"""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import date, datetime

from autograder.course import Course, CourseError, Deadline, Key, Module, is_day, read_yaml, zone

PLACE = "autograder/terms.yaml"
KEYS = "late", "extensions", "time_zone", "anonymous_marking"


@dataclass(frozen=True)
class Late:
    """How late a submission is, by the deadline that its student has, and what share of its points that takes."""

    received: datetime
    deadline: Deadline
    is_extended: bool
    days: int
    share: float

    def lost(self, points: float) -> float:
        """The penalty for that many points."""
        return round(max(points, 0) * self.share, 2)

    def left(self, points: float) -> float:
        """What is left of them."""
        return round(points - self.lost(points), 2)


@dataclass(frozen=True)
class Terms:
    """The terms as they are written, checked."""

    course: Course
    percent_a_day: float
    days: float
    extensions: Mapping[tuple[str, str], Deadline]  # of a student, and of a module by its folder's name
    lines: Mapping[tuple[str, str], int]  # the line of each extension in the file
    anonymous_marking: bool = False

    def late(self, module: Module, student: str, received: datetime) -> Late | None:
        """How late this is; None where the module has no deadline."""
        if (deadline := self.course.deadline(module)) is None:
            return None
        longer = self.extensions.get((student, module.name), deadline)
        is_extended = longer.end > deadline.end
        deadline = longer if is_extended else deadline
        days = deadline.days_late(received)
        share = 1.0 if days > self.days else min(1.0, self.percent_a_day / 100 * days)
        return Late(received, deadline, is_extended, days, share)

    def doubts(self, students: Set[str]) -> Iterator[str]:
        """Extensions without effect: for unknown students, for modules that all may submit later."""
        for (student, name), longer in self.extensions.items():
            deadline = self.course.deadline(self.course.find(name))
            where = f"{PLACE}: line {self.lines[student, name]}: extensions.{student}"
            if student not in students:
                yield f"{where}: there is no such student in autograder/submitted or in the gradebook"
            if deadline is None:
                yield f"{where}.{name}: the module has no deadline"
            elif longer.end <= deadline.end:
                yield f"{where}.{name}: the deadline, {deadline.day}, is as late"


def terms(course: Course) -> Terms:
    """Read the terms; without a file nothing is taken off."""
    try:
        found = read_yaml(course.root, PLACE)
    except FileNotFoundError:
        found = None
    found = {} if found is None else found
    if not isinstance(found, dict):
        raise _wrong("", ", ".join(KEYS), found)
    for key in found:
        if key not in KEYS:
            raise CourseError(f"{PLACE}: line {key.line}: {key}: unknown key")
    here = course.zone if found.get("time_zone") is None else zone(found["time_zone"])
    if here is None:
        raise _wrong(_key(found, "time_zone"), "a zone's name such as Europe/Berlin", found["time_zone"])
    extensions, lines = {}, {}
    for module, student, key, day in _extensions(course, found):
        if (student, module.name) in extensions:
            raise CourseError(
                f"{PLACE}: line {key.line}: extensions.{student}: {module.name} is written twice"
            )
        extensions[student, module.name] = Deadline(day, here)
        lines[student, module.name] = key.line
    is_anonymous = found.get("anonymous_marking") or False
    if is_anonymous not in (True, False):
        raise _wrong(_key(found, "anonymous_marking"), "true or false", is_anonymous)
    return Terms(course, *_rule(found), extensions, lines, is_anonymous)


def _rule(found: Mapping) -> tuple[float, float]:
    """The percentage that each day takes, and the days after which nothing counts."""
    rule, where = found.get("late"), _key(found, "late")
    if rule is None:
        return 0.0, float("inf")
    if not isinstance(rule, dict) or set(rule) != {"percent_a_day", "days"}:
        raise _wrong(where, "percent_a_day and days, two numbers", rule)
    for key, most, wanted in (
        ("percent_a_day", 100, "a number from 0 to 100"),
        ("days", 1000, "a number of days, from 0 to 1000"),
    ):
        number = rule[key]
        if type(number) not in (int, float) or not 0 <= number <= most:
            raise _wrong(_key(rule, key), wanted, number, "late.")
    return rule["percent_a_day"], rule["days"]


def _extensions(course: Course, found: Mapping) -> Iterator[tuple[Module, str, Key, object]]:
    """Each extension as it is written: the module, the student, the module's key, the day."""
    extensions = {} if found.get("extensions") is None else found["extensions"]
    if not isinstance(extensions, dict):
        raise _wrong(_key(found, "extensions"), "students with modules and dates", extensions)
    for student, dates in extensions.items():
        if not isinstance(dates, dict):
            raise _wrong(student, "modules with dates", dates, "extensions.")
        for key, day in dates.items():
            try:
                module = course.find(key)
            except CourseError as error:
                raise CourseError(f"{PLACE}: line {key.line}: extensions.{student}: {error}") from None
            if not is_day(day):
                raise _wrong(key, "a date", day, f"extensions.{student}.")
            yield module, student, key, day


def _key(table: Mapping, name: str) -> Key | str:
    """A key as it is written in the file, with its line."""
    return next((key for key in table if key == name), name)


def _wrong(key: Key | str, wanted: str, value: object, within: str = "") -> CourseError:
    where = f"line {key.line}: {within}{key}: " if isinstance(key, Key) else ""
    found = "nothing" if value is None else str(value) if isinstance(value, date) else repr(value)
    return CourseError(f"{PLACE}: {where}expected {wanted}, found {found}")
