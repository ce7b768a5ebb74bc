"""What lateness costs, and who has longer: `autograder/terms.yaml`, which an instructor writes.

late: {percent_a_day: 10, days: 5}      # of what was reached; after so many days nothing counts
extensions:
  ada: {03_layers: 2026-10-12}          # the new last day
"""

import math
from collections.abc import Callable
from datetime import date

import yaml

from autograder.course import Course, CourseError, Module


def terms(course: Course) -> dict:
    """The terms as they are written, checked; without a file nothing is taken off."""
    path = course.root / "autograder" / "terms.yaml"
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except FileNotFoundError:
        return {"late": None, "extensions": {}}
    except yaml.YAMLError as error:
        raise CourseError(f"autograder/terms.yaml: {getattr(error, 'problem', error)}") from None
    late, extensions = found.get("late"), found.get("extensions") or {}
    if set(found) - {"late", "extensions"} or not isinstance(extensions, dict):
        raise CourseError("autograder/terms.yaml: it holds `late` and `extensions`")
    numbers = late.values() if isinstance(late, dict) and set(late) == {"percent_a_day", "days"} else [None]
    if late is not None and not all(type(n) in (int, float) for n in numbers):
        raise CourseError("autograder/terms.yaml: late: expected percent_a_day and days, two numbers")
    for student, dates in extensions.items():
        if not isinstance(dates, dict) or not all(type(day) is date for day in dates.values()):
            raise CourseError(f"autograder/terms.yaml: extensions.{student}: expected modules with dates")
        for key in dates:
            course.find(key)
    return {"late": late, "extensions": extensions}


def penalty(course: Course, module: Module, agreed: dict) -> Callable[[str, float, float], float]:
    """The points that a student loses, of a score, for so many seconds after the deadline, by these terms."""
    longer = {
        student: day
        for student, dates in agreed["extensions"].items()
        for key, day in dates.items()
        if course.find(key) == module
    }

    def lost(student: str, score: float, seconds: float) -> float:
        if module.deadline and student in longer:
            seconds -= (longer[student] - module.deadline).total_seconds()
        if agreed["late"] is None or seconds <= 0:
            return 0.0
        days = math.ceil(seconds / 86400)
        if days > agreed["late"]["days"]:
            return score
        return round(score * min(1.0, agreed["late"]["percent_a_day"] / 100 * days), 2)

    return lost
