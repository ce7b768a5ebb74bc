"""docs/instructor.md, played with the class of its first paragraph: every command on the page prints what stands below it."""

import re
import shlex
import shutil
import subprocess
import zipfile

import pytest

from autograder import course as courses
from tests import user
from tests.classroom import SANDBOXED, Classroom
from tests.conftest import ROOT
from tests.machinery.conftest import make_in

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SANDBOXED, reason="bubblewrap is not installed, or not allowed here"),
]

PAGE = (ROOT / "docs" / "instructor.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TERMS = next(text for text in BLOCKS if text.startswith("late:"))
RECEIVED = next(text for text in BLOCKS if text.startswith("student,"))
PRINTED = dict(text.split("\n", 1) for text in BLOCKS if text not in (TERMS, RECEIVED))


@pytest.fixture(scope="module")
def term(tmp_path_factory, course_in_words):
    """The course of the page, kept by git, what all but Cleo have handed in, and a way to type a command of the page."""
    room = Classroom(tmp_path_factory.mktemp("term") / "course", course_in_words)
    make = make_in(room, **user.process(room.root.parent))  # where it writes the class's copy
    for name in ("README.md", ".gitignore"):
        shutil.copy(ROOT / name, room.root)
    for command in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=room.root, check=True)
    (room.root / "autograder").mkdir(exist_ok=True)
    (room.root / "autograder" / "terms.yaml").write_text(TERMS, encoding="utf-8")
    (room.root / "autograder" / "received.csv").write_text(RECEIVED, encoding="utf-8")
    known = "#| export\ndef quadruple(x): return np.array([4, 8])"
    handed_in = {
        "ada": (room.solution, "2026-09-30 14:04:50 UTC"),
        "bob": (
            room.change(quadruple="#| export\ndef quadruple(x): return double(x)"),
            "2026-09-30 16:40:00 UTC",
        ),
        "dan": (room.solution, "2026-10-02 11:58:20 UTC"),
        "eve": (room.solution, "2026-09-28 12:00:00 UTC"),  # which nobody believes
        "finn": (room.solution[:-40], "2026-09-30 12:00:00 UTC"),
        "gus": (room.change(quadruple=known), "2026-09-30 18:00:00 UTC"),
    }
    for student, (notebook, when) in handed_in.items():
        room.submit(student, notebook).with_name("timestamp.txt").write_text(when, encoding="utf-8")
    git = {f"GIT_{who}_{what}": "teacher" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

    def typed(command: str) -> str:
        program, *arguments = shlex.split(command)
        if program != "make":
            return subprocess.run([program, *arguments], cwd=room.root, capture_output=True, text=True).stdout
        known = {name: room.environment()[name] for name in ("PYTHONPATH", "HOME")}
        done = make(*arguments, **known, **git)
        said = [line for line in done.stderr.splitlines() if not line.startswith("make: ***")]
        return "\n".join([done.stdout, *said])

    room.typed = typed
    return room


def test_every_command_prints_what_stands_below_it(term):
    """In the page's order, for each goes on from the one before."""
    found = {}
    for command in PRINTED:
        found[command] = term.typed(command)
        if command == "make submit 2":
            packed = term.root / found[command].splitlines()[-1].partition(":")[0]
            with zipfile.ZipFile(packed) as file:
                file.extractall(term.root / "autograder" / "submitted" / "cleo")
            own = term.place("cleo").with_name("timestamp.txt")
            assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n", own.read_text(encoding="utf-8"))
            own.write_text("2026-09-30 23:58:30 UTC\n", encoding="utf-8")  # the page's day, not today
    lessons = {root: len(courses.load(root).with_solutions()) for root in (ROOT, term.root)}
    for command, text in PRINTED.items():
        wanted = text.replace(f"{lessons[ROOT]} modules, without", f"{lessons[term.root]} modules, without")
        assert lines(found[command]) == lines(wanted), (
            f"docs/instructor.md tells what {command} prints; it is {found[command]}"
        )


def lines(text: str) -> list[str]:
    """What is to be the same on the page and on the screen: all but the date of a packed notebook, and its size, for dates shrink differently."""
    packed = re.compile(r"\d{4}-\d\d-\d\d-\d{6}|[\d,]+ bytes")
    return [packed.sub("...", line.rstrip()) for line in text.strip().splitlines()]
