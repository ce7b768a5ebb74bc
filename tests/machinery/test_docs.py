"""What the documents tell a reader to type: every path, test, target, milestone and row that they name is there."""

import ast
import re
import shlex
import subprocess
from functools import cache
from pathlib import Path

import pytest
from cases import AREAS

from autograder import figures
from autograder.course import load
from benchmarks import speed

ROOT = Path(__file__).parents[2]
LEARNERS = ROOT / "autograder" / "class" / "README.md"
DOCUMENTS = [ROOT / "README.md", LEARNERS, *sorted((ROOT / "docs").glob("*.md"))]
MAKEFILE = "\n".join(
    path.read_text(encoding="utf-8") for path in (ROOT / "Makefile", LEARNERS.with_name("Makefile"))
)
TARGETS = set(re.findall(r"^([a-z-]+):.*##", MAKEFILE, re.MULTILINE))
MILESTONES = {path.stem for path in (ROOT / "milestones").glob("[a-z]*.py")}
COURSE = load(ROOT)


LINES = [
    pytest.param(document, line, id=f"{document.relative_to(ROOT)}:{number}")
    for document in DOCUMENTS
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), start=1)
    if re.search(r"`|\]\(|^make ", line)
]


def commands(line: str) -> list[str]:
    """What stands in backticks, and the first column of a line that begins with make."""
    return re.findall(r"`([^`]+)`", line) + re.findall(r"^(make .+?)(?:  |$)", line)


def paths(line: str) -> list[str]:
    """Links and the words in backticks that are paths of this repository.

    A path with a commit after it, `FILE@COMMIT`, is another repository's; one with a {} in it stands for many.
    """
    links = [link for link in re.findall(r"\]\(([^)]+)\)", line) if not link.startswith(("http", "#"))]
    words = [word for command in commands(line) if '"' not in command for word in command.split()]
    paths = [word for word in words if re.fullmatch(r"[\w.{}/-]+(/|\.(py|md|lock|toml|yaml|db))", word)]
    return links + [path for path in paths if "{" not in path]


@cache
def names(path: Path) -> list[str]:
    """The names of a test file, or of a folder of them, as `-k` sees them."""
    files = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
    found = [
        f"{file.name} {node.name}"
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    if path.name == "golden":
        found += [f"{name}: {case}" for name, area in AREAS.items() for case in area.cases]
    return found


@pytest.mark.parametrize(("document", "line"), LINES)
def test_paths_exist_or_are_made_by_the_course(document, line):
    for path in paths(line):
        place = (document.parent if f"]({path})" in line else ROOT) / path
        if not place.exists():
            ignored = subprocess.run(["git", "check-ignore", "-q", path], cwd=ROOT).returncode == 0
            assert ignored, f"{path} is not there"


@pytest.mark.parametrize(("document", "line"), LINES)
def test_make_has_the_targets_and_they_have_what_they_are_given(document, line):
    for command in commands(line):
        words = command.split()[1:] if command.startswith("make ") else []
        assert set(words[:1]) <= TARGETS | {"VERB"}, command
        for word in words[1:]:
            if word.startswith("ROWS="):
                assert any(word[5:] in row.name for row in speed.ROWS), command
            elif words[0] == "milestone" and word != "NAME":
                assert word in MILESTONES, command
            elif "=" in word:
                assert f"$({word.partition('=')[0]})" in MAKEFILE, command
            elif not word.isupper():
                assert COURSE.find(word), command


@pytest.mark.parametrize(("document", "line"), LINES)
def test_commands_of_python_find_what_they_run(document, line):
    for command in commands(line):
        words = shlex.split(command) if command.startswith((".venv/bin/python", "PYTHONPATH=")) else []
        if "pytest" in words:
            file, *options = words[words.index("pytest") + 1 :]
            assert (ROOT / file).exists(), command
            if options:
                assert options[0] == "-k", command
                for word in options[1].split(" or "):
                    assert any(word.lower() in name.lower() for name in names(ROOT / file)), f"{file}: {word}"
        elif "milestones" in words:
            assert words[-1] in MILESTONES, command


def test_the_figures_of_the_readmes_are_those_that_are_counted():
    found = figures.counted(COURSE)
    given = [found[name] for name in ("shown", "given", "places")]
    hundreds = {f"{round(count, -2):,}" for count in (found["written"], sum(given), *given)}
    said = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "README.md", LEARNERS))
    assert set(re.findall(r"\d+,\d00", said)) == hundreds
    assert set(re.findall(r"some (\d+0) stubs", said)) == {f"{round(found['stubs'], -1)}"}


def test_all_that_a_document_names_is_looked_for():
    line = "`make test-module 9`, `tests/golden` [a](docs/no.md), `make bench ROWS=conv`, `src/a.py@abc`, `a/{b}/c.py` `d/`"
    assert commands("make reset 3   begin afresh") == ["make reset 3"]
    assert commands(line)[:3] == ["make test-module 9", "tests/golden", "make bench ROWS=conv"]
    assert paths(line) == ["docs/no.md", "d/"]
