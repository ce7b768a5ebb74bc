"""`make release-students DEST=...`: the course for a class, in a separate repository."""

import re
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from autograder import lesson, release
from autograder.console import say
from autograder.course import REPOSITORY, Course, CourseError, load

# All that a class gets, files and folders of what git keeps; its README and Makefile come from OWN.
OWN = "autograder/class"
FILES = ".gitattributes .gitignore LICENSE course.yaml hatch_build.py pyproject.toml requirements-colab.txt requirements.lock"
FOLDERS = ".devcontainer .vscode milestones modules tinytorch autograder/labconfig"
TOOLS = """__init__ __main__ changes check console course export feedback files gpu hint hosted learner lesson limits milestones notebook
notebook_changes notebook_stubs questions quiz recognition reference release submit testcell testfile testrunner trials variants
watch"""


def release_students(dest: str | None = None, repository: str = "") -> None:
    """Write the course without answers into a new folder, and make that a git repository with one commit.

    Its notebooks open in Colab from the repository in which the class finds it, owner/name on GitHub; this course's own address,
    where the answers are, is not handed out.
    """
    if not dest:
        raise CourseError("release-students takes a folder: make release-students DEST=../course-2026")
    course, folder = load(), Path(dest).expanduser().resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CourseError(f"{dest} is there already: name a folder that is new or empty")
    if folder.is_relative_to(course.root) and not folder.is_relative_to(course.root / "build"):
        raise CourseError(f"{dest} is inside the course itself: name a folder next to it")
    if not re.fullmatch(REPOSITORY, repository):
        raise CourseError(f"REPOSITORY is owner/name as on GitHub, and not {repository}")
    if problems := release.check(course):
        raise CourseError("\n".join(problems))
    for place, target in _handed_out(course).items():
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(course.root / place, folder / target)
    if repository != course.repository:
        _publish(replace(course, repository=repository), folder)
    say(
        f"{dest}: {len(course.with_solutions())} modules, without solutions, mistakes, probes, tests and history"
    )
    _commit(folder)


def _publish(course: Course, folder: Path) -> None:
    """Write the address of a class's repository into its list of modules and its notebooks."""
    listed = folder / "course.yaml"
    text = listed.read_text(encoding="utf-8")
    told = f"repository: {course.repository}".strip()
    listed.write_text(re.sub("^repository:.*", told, text, flags=re.MULTILINE), encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        made = release.build(course, list(map(lesson.read, course.with_solutions())), Path(scratch))
    for module in course.with_solutions():
        place = folder / module.notebook.relative_to(course.root)
        place.write_text(made[module.notebook], encoding="utf-8")


def _handed_out(course: Course) -> dict[str, Path]:
    """The files that git keeps and a class gets, with their places there."""
    given = [*FILES.split(), *FOLDERS.split(), *(f"autograder/{name}.py" for name in TOOLS.split()), OWN]
    command = ["git", "ls-files", "-z", *given]
    listed = subprocess.run(command, cwd=course.root, capture_output=True, text=True)
    if listed.returncode:
        raise CourseError("release-students copies what git tracks, and this is not a git repository")
    places = [Path(place) for place in listed.stdout.split("\0") if place and (course.root / place).exists()]
    return {str(place): Path(place.name) if place.is_relative_to(OWN) else place for place in places}


def _commit(folder: Path) -> None:
    """Make it a repository with one commit, by git's configured user."""

    def git(*command: str) -> bool:
        return subprocess.run(["git", *command], cwd=folder, capture_output=True).returncode == 0

    git("init", "--quiet")
    git("add", "--all")
    if git("commit", "--quiet", "--message", "The course"):
        say("one commit: `git remote add origin ...` and `git push` give it to the class")
    else:
        say(
            "not committed, because git does not know your name: `git config user.name`, user.email, `git commit`"
        )
