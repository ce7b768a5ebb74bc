"""What a student may be called: nbgrader's pages and a spreadsheet show names as they are."""

import re

from autograder.grading.intake import Refused
from autograder.limits import NAME


def check_name(student: str) -> None:
    """Refuse a folder's name that would not be shown as the name that it is."""
    if found := name_fault(student):
        raise Refused(f"a student's folder has {found}: rename it")


def name_fault(name: str) -> str:
    """What is wrong with a student's name, or nothing."""
    if len(name) > NAME:
        return f"a name of more than {NAME} characters"
    if not name.isprintable():
        return "characters in its name that cannot be printed"
    if found := re.search(r'[<>"&\\]', name):
        return f"a {found[0]} in its name"
    if name != name.strip():
        return "a blank at the beginning or the end of its name"
    return ""
