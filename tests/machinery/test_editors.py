"""What opens the course in an editor, a container or a browser elsewhere: as far as it can be checked without one."""

import json
import re
from pathlib import Path

from autograder.__main__ import VERBS
from tests.machinery.test_docs import TARGETS

ROOT = Path(__file__).parents[2]
PYTHON = "${command:python.interpreterPath} -m autograder "


def read(place):
    return json.loads((ROOT / place).read_text(encoding="utf-8"))


def test_the_tasks_of_an_editor_are_commands_of_the_course():
    tasks, asked = read(".vscode/tasks.json"), set()
    for task in tasks["tasks"]:
        assert task["command"].startswith(PYTHON), task
        verb, *words = task["command"].removeprefix(PYTHON).split()
        assert verb in VERBS
        asked.update(re.findall(r"\$\{input:(\w+)\}", " ".join(words)))
    assert asked == {each["id"] for each in tasks["inputs"]}


def test_an_editor_is_pointed_to_the_environment_that_is_made():
    settings = read(".vscode/settings.json")
    assert settings["python.defaultInterpreterPath"] == "${workspaceFolder}/.venv"
    makefile = (ROOT / "autograder/class/Makefile").read_text(encoding="utf-8")
    assert re.search(r"^VENV := \.venv$", makefile, re.MULTILINE)
    wanted = read(".devcontainer/devcontainer.json")["customizations"]["vscode"]["extensions"]
    assert read(".vscode/extensions.json")["recommendations"] == wanted


def test_a_container_is_made_of_what_is_there_and_runs_commands_that_are():
    settings = read(".devcontainer/devcontainer.json")
    lines = (
        (ROOT / ".devcontainer" / settings["build"]["dockerfile"]).read_text(encoding="utf-8").splitlines()
    )
    assert {line.split()[0] for line in lines} <= {"FROM", "RUN", "EXPOSE", "CMD"}
    program, target = settings["postCreateCommand"].split()
    assert program == "make"
    assert target in TARGETS
    version = re.fullmatch(r"FROM python:3\.(\d+)-slim-\w+", lines[0])
    assert 11 <= int(version[1]) <= 14, "a Python for which the lock holds"
    assert "git make" in lines[1], "what the first command needs beside Python"
    assert f"EXPOSE {settings['forwardPorts'][0]}" in lines


def test_a_checkout_has_the_line_endings_of_the_repository_on_windows_too():
    assert (ROOT / ".gitattributes").read_text(encoding="utf-8") == "* text=auto eol=lf\n"
