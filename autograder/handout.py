"""`make release-students DEST=...`: the course as a class may have it, in a repository of its own."""

import re
import shutil
import subprocess
from pathlib import Path

from autograder import release
from autograder.console import say
from autograder.course import Course, CourseError, load

# What only teachers and authors need, answers and history above all.
WITHHELD = (
    "solutions",
    "tests",
    "benchmarks",
    ".ci",
    "docs",
    "CONTRIBUTING.md",
    "autograder/grading",
    "autograder/terms.yaml",
)
TEACHERS = "catch-up demo release release-students grade feedback grades formgrader reference mutants lint test parity bench bench-gpu bench-grading test-gpu"
SECTIONS = ("## To teach", "## To write")  # of the README


def release_students(dest: str | None = None) -> None:
    """Write the course without answers into a new folder, and make that a git repository with one commit."""
    if not dest:
        raise CourseError("release-students takes a folder: make release-students DEST=../course-2026")
    course, folder = load(), Path(dest).expanduser().resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CourseError(f"{dest} is there already: name a folder that is new or empty")
    if folder.is_relative_to(course.root) and not folder.is_relative_to(course.root / "build"):
        raise CourseError(f"{dest} lies in the course itself: name a folder beside it")
    if problems := release.check(course):
        raise CourseError("\n".join(problems))
    for place in _handed_out(course):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(course.root / place, folder / place)
    for name, shortened in (("README.md", _readme), ("Makefile", _makefile)):
        path = folder / name
        path.write_text(shortened(path.read_text(encoding="utf-8")), encoding="utf-8")
    say(
        f"{dest}: {len(course.with_solutions())} modules, without solutions, mistakes, probes, tests and history"
    )
    _commit(folder)


def _handed_out(course: Course) -> list[str]:
    """The files that git keeps, but for what is withheld."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=course.root, capture_output=True, text=True)
    if listed.returncode:
        raise CourseError("release-students copies what git keeps, and this is no git repository")
    places = [place for place in listed.stdout.split("\0") if place and (course.root / place).exists()]
    return [place for place in places if not any(Path(place).is_relative_to(part) for part in WITHHELD)]


def _readme(text: str) -> str:
    """The README without the sections and sentences that are not for learners."""
    title, *sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    kept = [section for section in sections if not section.startswith(SECTIONS)]
    title = re.sub(r"^```\nmake demo.*?```\n\n", "", title, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"If you skip [^.]*\. |; `make test-gpu` [^.]*", "", title + "".join(kept))


def _makefile(text: str) -> str:
    """The Makefile without the goals that are not for learners."""
    goals = "|".join(TEACHERS.split())
    text = re.sub(rf"^({goals}):.*\n(\t.*\n)*", "", text, flags=re.MULTILINE)
    return re.sub(
        r"^\.PHONY.*", lambda line: re.sub(rf" ({goals})\b(?!-)", "", line[0]), text, flags=re.MULTILINE
    )


def _commit(folder: Path) -> None:
    """Make it a repository with one commit, by whoever git says this is."""

    def git(*command: str) -> bool:
        return subprocess.run(["git", *command], cwd=folder, capture_output=True).returncode == 0

    git("init", "--quiet")
    git("add", "--all")
    if git("commit", "--quiet", "--message", "The course"):
        say("one commit: `git remote add origin ...` and `git push` give it to the class")
    else:
        say(
            "not committed, for git does not know your name: `git config user.name`, user.email, `git commit`"
        )
