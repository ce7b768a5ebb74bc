"""Questions about a learner's stub, made from what changes of its code do to calls (`trials.py`)."""

import ast
import hashlib
import itertools
import random
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder import lesson, notebook

OPTIONS = 4  # of a question, at most
LONG = 150  # characters, for a call among options
SAME = "the same"


@dataclass
class Question:
    """A question about a stub's code: options are a text, whether it is right, and what running it has shown."""

    stub: str
    code: str  # the digest of the stub that it is about
    asked: str
    options: list[tuple[str, bool, str]]
    several: bool

    @property
    def key(self) -> str:
        return digest(self.stub, self.asked)


def after(found: dict, code: str) -> Iterator[Question]:
    """What a call gives after a change: beside it what it gives now, and what it gives with other changes."""
    for change, (number, program) in _shuffled(
        itertools.product(found["changes"], enumerate(found["programs"]))
    ):
        now = change["outcomes"][number]
        if now["kind"] != "value" or not _noticed(program, now) or not _is_clear(program, now):
            continue
        values = {now["shown"]: "", program["outcome"]["shown"]: "what it gives without the change"}
        for other in _shuffled(found["changes"]):
            outcome = other["outcomes"][number]
            if outcome["kind"] == "value" and len(values) < OPTIONS:
                values.setdefault(outcome["shown"], f"what it would give where {became(other)}")
        if len(values) > 2:
            options = [(shown, shown == now["shown"], why) for shown, why in values.items()]
            asked = f"{became(change)}\n\nWhat does this give then?\n{indented(program['text'])}"
            yield Question(found["stub"], code, asked, options, several=False)


def which_changes(found: dict, code: str) -> Iterator[Question]:
    """Which of four changes a call notices."""
    for number, program in _shuffled(enumerate(found["programs"])):
        options = {}
        for change in _shuffled(found["changes"]):
            now = change["outcomes"][number]
            if _is_clear(program, now):
                options[became(change)] = (
                    _noticed(program, now),
                    f"gives {said(now, program['outcome'])}",
                    now["kind"],
                )
        asked = f"This gives {program['outcome']['shown']}\n{indented(program['text'])}\n\n"
        asked += "With which of these changes would it give something else?"
        if chosen := _mixed(options):
            yield Question(found["stub"], code, asked, chosen, several=True)


def which_calls(found: dict, code: str) -> Iterator[Question]:
    """For which of four calls a change makes no difference."""
    for change in _shuffled(found["changes"]):
        options = {}
        for program, now in _shuffled(zip(found["programs"], change["outcomes"])):
            if _is_clear(program, now) and "\n" not in program["text"] and len(program["text"]) < LONG:
                before, after = program["outcome"]["shown"], said(now, program["outcome"])
                told = f"gives {after}" if after == SAME else f"gave {before}, gives {after}"
                options[program["text"]] = not _noticed(program, now), told, now["kind"]
        asked = f"{became(change)}\n\nWhich of these calls give the same as before?"
        if chosen := _mixed(options):
            yield Question(found["stub"], code, asked, chosen, several=True)


KINDS = [after, which_changes, which_calls]


def _mixed(options: dict[str, tuple[bool, str, str]]) -> list[tuple[str, bool, str]]:
    """Four of the options: right ones and wrong ones, one of which at most ends in an error; or none."""
    in_order = sorted(options, key=lambda text: options[text][2] != "value")
    values = sum(kind == "value" for *_, kind in options.values())
    able = [(text, *options[text][:2]) for text in in_order[: values + 1]]
    sides = [option for option in able if option[1]], [option for option in able if not option[1]]
    if len(able) < OPTIONS or not all(side and options[side[0][0]][2] == "value" for side in sides):
        return []
    many = random.choice([n for n in (1, 2, 3) if n <= len(sides[0]) and OPTIONS - n <= len(sides[1])])
    return [*sides[0][:many], *sides[1][: OPTIONS - many]]


def _noticed(program: dict, now: dict) -> bool:
    return now != program["outcome"]


def _is_clear(program: dict, now: dict) -> bool:
    """Whether what is shown tells a change that makes a difference from one that makes none."""
    return now["kind"] != "unknown" and (
        not _noticed(program, now) or now.get("shown") != program["outcome"]["shown"]
    )


def said(now: dict, before: dict) -> str:
    return SAME if now == before else now.get("shown", "nothing: it does not end")


def became(change: dict) -> str:
    """A change in words and lines."""
    lines = (
        f"line {change['line']}"
        if change["line"] == change["last"]
        else f"lines {change['line']}-{change['last']}"
    )
    if change["new"] == "pass":
        return f"{lines} left out: {change['old']}"
    return f"{lines} changed to: {change['new']}"


def listing(source: str) -> str:
    """A stub's code with the numbers of its lines, without docstrings."""
    lines, tree = source.split("\n"), ast.parse(notebook.runnable(source)[0])
    for node in ast.walk(tree):
        if isinstance(node, lesson.Function | ast.ClassDef) and ast.get_docstring(node) is not None:
            told = node.body[0]
            lines[told.lineno - 1 : told.end_lineno] = [None] * (told.end_lineno - told.lineno + 1)
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line is not None and line.strip()]
    return "\n".join(f"{number:4}  {line}" for number, line in numbered if not line.startswith("#|"))


def indented(text: str) -> str:
    return textwrap.indent(text, "    ")


def symptoms(found: dict, change: dict) -> list[tuple[dict, dict]]:
    """The calls with what they give after a change, if one of them gives another value: those first."""
    pairs = list(zip(found["programs"], change["outcomes"]))
    rank = {
        pair[0]["text"]: _noticed(*pair) and pair[1]["kind"] == "value" for pair in pairs if _is_clear(*pair)
    }
    clear = [pair for pair in pairs if pair[0]["text"] in rank]
    return sorted(clear, key=lambda pair: not rank[pair[0]["text"]]) if any(rank.values()) else []


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _shuffled(things: Iterable) -> list:
    things = list(things)
    return random.sample(things, len(things))
