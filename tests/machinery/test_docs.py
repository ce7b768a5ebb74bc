"""What the documents tell a reader to type: every path, test, target, milestone and row that they name is there."""

import ast
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from cases import AREAS

from autograder import figures, mutants, variants
from autograder import lesson as lessons
from autograder.course import CourseError, load
from autograder.files import write
from autograder.grading import probes, worker
from autograder.grading.probes import Probe
from autograder.lesson import Stub
from benchmarks import speed

ROOT = Path(__file__).parents[2]
CLASS = ROOT / "autograder" / "class"
LEARNERS = CLASS / "README.md"
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(CLASS.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
MAKEFILES = [ROOT / "Makefile", *(ROOT / "autograder").rglob("Makefile")]
MAKEFILE = "\n".join(path.read_text(encoding="utf-8") for path in MAKEFILES)
TARGETS = set(re.findall(r"^([a-z-]+):.*##", MAKEFILE, re.MULTILINE))
MILESTONES = {path.stem for path in (ROOT / "milestones").glob("[a-z]*.py")}
COURSE = load(ROOT)
ONE = COURSE.find(2)


def commands(line: str) -> list[str]:
    """What stands in backticks, and the first column of a line that begins with make."""
    return re.findall(r"`([^`]+)`", line) + re.findall(r"^(make .+?)(?:  |$)", line)


def paths(line: str) -> list[str]:
    """Links and the words in backticks that are paths of this repository.

    A path with a commit after it, `FILE@COMMIT`, is another repository's; one with a {} or TOPIC in it stands for many.
    """
    links = [link for link in re.findall(r"\]\(([^)#]+)", line) if not link.startswith("http")]
    words = [word for command in commands(line) if '"' not in command for word in command.split()]
    paths = [word for word in words if re.fullmatch(r"[\w.{}/-]+(/|\.(py|md|lock|toml|yaml|db))", word)]
    return links + [path for path in paths if "{" not in path and "TOPIC" not in path]


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


def test_paths_exist_or_are_made_by_the_course():
    missing = told(missing_paths)
    assert not missing, "\n".join(missing)


def missing_paths(document: Path, line: str) -> Iterator[str]:
    """Paths that are not there; `NN_slug` and `slug` stand for any module's, and a name alone for what is beside a lesson."""
    for path in paths(line.replace("NN_slug", ONE.name).replace("slug", ONE.slug)):
        place = (document.parent if f"]({path}" in line else ROOT) / path
        beside = "/" not in path and ONE.source.with_name(path).exists()
        if (
            not place.exists()
            and not beside
            and subprocess.run(["git", "check-ignore", "-q", path], cwd=ROOT).returncode
        ):
            yield f"{path} is not there"


def test_make_has_the_targets_and_they_have_what_they_are_given():
    missing = told(missing_targets)
    assert not missing, "\n".join(missing)


def missing_targets(_, line: str) -> Iterator[str]:
    for command in commands(line):
        verb, *words = shlex.split(command)[1:] if command.startswith("make ") else ["VERB"]
        if verb not in TARGETS | {"VERB"} or not all(_is_given(verb, word) for word in words):
            yield command


def _is_given(verb: str, word: str) -> bool:
    """Whether a target can be given a word."""
    if word.startswith("ROWS="):
        return any(word[5:] in row.name for row in speed.ROWS)
    if verb == "milestone" and word != "NAME":
        return word in MILESTONES
    if "=" in word:
        name = word.partition("=")[0]
        return f"$({name})" in MAKEFILE or f"$(call text,{name}," in MAKEFILE
    with suppress(CourseError):
        return word.isupper() or bool(COURSE.find(word))
    return False


def test_commands_of_python_find_what_they_run():
    missing = told(missing_programs)
    assert not missing, "\n".join(missing)


def missing_programs(_, line: str) -> Iterator[str]:
    for command in commands(line):
        words = shlex.split(command) if command.startswith((".venv/bin/python", "PYTHONPATH=")) else []
        if "pytest" in words:
            file, *options = words[words.index("pytest") + 1 :]
            if not (ROOT / file).exists() or options[:1] not in ([], ["-k"]):
                yield command
            for word in options[1].split(" or ") if options else ():
                if not any(word.lower() in name.lower() for name in names(ROOT / file)):
                    yield f"{file}: {word}"
        elif "milestones" in words and words[-1] not in MILESTONES:
            yield command


def told(check: Callable[[Path, str], Iterator[str]]) -> list[str]:
    """All that a check finds missing in the documents, with document and line."""
    return [
        f"{document.name}:{number}: {missing}"
        for document in DOCUMENTS
        for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), start=1)
        for missing in check(document, line)
    ]


@pytest.mark.parametrize(
    ("check", "line"),
    [
        (missing_paths, "`docs/nothing.md`"),
        (missing_paths, "[a](nothing.md)"),
        (missing_targets, "`make tset`"),
        (missing_targets, "make export 42  write it"),
        (missing_targets, "`make bench ROWS=nothing`"),
        (missing_targets, "`make milestone chess`"),
        (missing_targets, "`make grade 3 STUDNET=ada`"),
        (missing_programs, "`.venv/bin/python -m pytest tests/nothing`"),
        (missing_programs, "`.venv/bin/python -m pytest tests/golden -k chess`"),
        (missing_programs, "`.venv/bin/python -m milestones chess`"),
    ],
)
def test_what_is_missing_is_found(check, line):
    assert list(check(DOCUMENTS[0], line))


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


EXAMPLES = {
    "MISTAKES": "mistakes.py",
    "ANSWERS": "answers.py",
    "EQUIVALENT": "equivalent.py",
    "@probe": "probes.py",
}


def test_the_examples_for_authors_are_what_they_are_said_to_be(tmp_path):
    text, module = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), replace(ONE, root=tmp_path)
    for example in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        (file,) = (file for start, file in EXAMPLES.items() if example.startswith(start))
        write(module.source.with_name(file), example)
    (probe,) = probes.read(module)
    stub = next(stub for stub in lessons.read(ONE).stubs if stub.name == probe.stub)
    passed, wanted = tried(stub, probe, stub.cell.source)
    assert passed
    for file, is_right in {"mistakes.py": False, "answers.py": True, "equivalent.py": True}.items():
        (variant,) = variants.read(module, module.source.with_name(file))[stub.name]
        passed, answer = tried(stub, probe, variant.put_into(stub.cell.source))
        assert (passed, not is_right or probes.agree(answer, wanted)) == (is_right, True), file
    assert tried(stub, probe, mutants.blank(stub.cell).source) == (False, None)


def tried(stub: Stub, probe: Probe, source: str) -> tuple[bool, object]:
    """Whether a cell in its stub's place passes the stub's tests, and what the probe gets of it."""
    namespace = vars(import_module(f"tinytorch.{ONE.slug}")) | {"probe": lambda _: lambda function: function}
    for code in (ONE.tests.read_text(encoding="utf-8"), source, probe.source):
        exec(code, namespace)
    passed, answer = False, None
    with suppress(AssertionError, NotImplementedError):
        for test in stub.tests:
            namespace[test]()
        passed = True
    with suppress(NotImplementedError):
        answer = probes.decoded(worker.plain(namespace[probe.name](np.random.default_rng(1))))
    return passed, answer


def test_every_drawing_of_the_book_takes_the_place_of_one_diagram_of_its_lesson():
    from docs import diagrams

    course = load(ROOT)
    for slug, drawings in diagrams.DIAGRAMS.items():
        cells = [cell.source for cell in lessons.read(course.find(slug)).cells if cell.kind == "prose"]
        found = sum(diagrams.drawn(slug, source).count("<svg ") for source in cells)
        assert found == len(drawings), f"{slug}: {found} of its text diagrams are drawn"
        for begin in drawings:
            assert sum(source.count(begin) for source in cells) == 1, f"{slug}: {begin!r} is in one diagram"
