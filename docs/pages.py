"""`make docs`: the sources of the book, in build/book, and from them the site, in build/docs.

A page is a document of this repository, which keeps its place in git and only its links change; a lesson with its outputs
(`lessons.py`); or a list that is made from the course (`course_map.py`, `api.py`, `kit.py`). conf.py configures Sphinx.

`make kit` makes another site, in build/kit, for instructors alone: it has what the book does not tell the class.
"""

import posixpath
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from autograder import files
from autograder.course import Course, CourseError, load
from docs import api, course_map, kit, lessons

# The documents, and the pages that they become.
PAGES = {
    "docs/index.md": "index.md",
    "docs/lessons.md": "lessons.md",
    "docs/guides.md": "guides.md",
    "docs/reference.md": "reference.md",
    "README.md": "about.md",
    "autograder/class/README.md": "learner.md",
    "autograder/class/RULES.md": "rules.md",
    "autograder/class/AGENTS.md": "assistants.md",
    "docs/instructor.md": "instructor.md",
    "docs/schedules.md": "schedules.md",
    "docs/setup_day.md": "setup_day.md",
    "docs/gradescope.md": "gradescope.md",
    "docs/cluster.md": "cluster.md",
    "docs/privacy.md": "privacy.md",
    "CONTRIBUTING.md": "author.md",
    "docs/milestones.md": "milestones.md",
    "docs/glossary.md": "glossary.md",
    "docs/api.md": "api.md",
    "docs/operations.md": "operations.md",
    "docs/coverage.md": "coverage.md",
    "docs/measurements.md": "measurements.md",
}
# Those of the instructor's kit; rubrics and struggles, with sample answers and the sentences of mistakes, are not in the book.
SHARED = ("instructor", "schedules", "setup_day", "gradescope", "cluster", "privacy")
KIT = {f"docs/{name}.md": f"{name}.md" for name in ("rubrics", "struggles", *SHARED)} | {
    "docs/kit.md": "index.md"
}


def main(keys: Sequence[str]) -> int:
    """Build the site; the lessons of these modules are run, by default all."""
    course = load()
    modules = [course.find(key) for key in keys] or course.modules
    made = documents(course, places(course))
    for module in course.modules:
        made[f"lessons/{module.name}.ipynb"] = lessons.page(course, module, module in modules)
        made[f"api/{module.name}.md"] = api.page(course, module)
    return site(course, made, "book", "docs")


def site(course: Course, made: dict[str, str], source: str, target: str) -> int:
    """Build a site in build/ from these pages, whose sources are kept there too."""
    build = course.root / "build"
    put(build / source, made)
    options = ["-W", "--keep-going", "-q", "-c", "docs", "-d", f"build/doctrees-{source}"]
    return sphinx([*options, str(build / source), str(build / target)])


def instructors() -> int:
    """Build the instructor's kit."""
    course = load()
    return site(course, documents(course, KIT), "kit-pages", "kit")


def documents(course: Course, pages: dict[str, str]) -> dict[str, str]:
    """The pages that are documents of the repository, with the lists that they ask for put in, by their places."""
    lists = {
        "map": course_map.picture,
        "modules": course_map.table,
        "milestones": course_map.programs,
        "api": api.overview,
        "weeks10": partial(kit.schedule, count=10),
        "weeks14": partial(kit.schedule, count=14),
        "rubrics": kit.rubrics,
        "struggles": kit.struggles,
    }
    made = {}
    for place, page in pages.items():
        if place.endswith(".md"):
            text = linked((course.root / place).read_text(encoding="utf-8"), place, pages)
            made[page] = re.sub(r"(?m)^<!-- (\w+) -->$", lambda found: lists[found[1]](course), text)
        elif place.endswith(".svg"):
            made[page] = (course.root / place).read_text(encoding="utf-8")
    return made


def places(course: Course) -> dict[str, str]:
    """All pages and pictures by what they are made from; a lesson's is made from its source, and stands for its notebook too."""
    results = sorted((course.root / "benchmarks" / "results").glob("*.md"))
    lessons = {
        path.relative_to(course.root).as_posix(): f"lessons/{module.name}.ipynb"
        for module in course.modules
        for path in (module.source, module.notebook)
    }
    pictures = sorted((course.root / "docs" / "pictures").glob("*.svg"))
    return (
        PAGES
        | {f"docs/pictures/{path.name}": f"pictures/{path.name}" for path in pictures}
        | {f"benchmarks/results/{path.name}": f"measurements/{path.name}" for path in results}
        | lessons
    )


def linked(text: str, place: str, pages: dict[str, str]) -> str:
    """A document whose links lead to pages; what they say of other files of the repository stays, without a link."""
    here = posixpath.dirname(pages[place])
    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)

    def link(found: re.Match) -> str:
        said, target, anchor = found.groups(default="")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(place), target))
        return (
            f"[{said}]({posixpath.relpath(pages[target], here or '.')}{anchor})" if target in pages else said
        )

    parts[::2] = [re.sub(r"\[([^]]*)\]\((?!http|#)([^)#]+)(#[^)]*)?\)", link, part) for part in parts[::2]]
    return "".join(parts)


def put(folder: Path, made: dict[str, str]) -> None:
    """Write what has changed, and remove what is no longer made."""
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in made:
            path.unlink()
    for place, text in made.items():
        if not (folder / place).exists() or (folder / place).read_text(encoding="utf-8") != text:
            files.write(folder / place, text)


if __name__ == "__main__":
    try:
        sys.exit(instructors() if sys.argv[1:] == ["kit"] else main(sys.argv[1:]))
    except CourseError as error:
        sys.exit(str(error))
