"""Variants of a stub's answer, as patches: `solutions/NN_slug/mistakes.py` has what learners get wrong,
`answers.py` other right answers.

    MISTAKES = {
        "softmax": '''
            No shift, so exp overflows at 89. (hint 2)
            - exps = np.exp(x - x.max(axis=dim, keepdims=True))
            + exps = np.exp(x)

            Takes the whole array for one row.
            + exps = np.exp(x - x.max())
            + ctx.save_for_backward(exps / exps.sum())
            + return exps / exps.sum()
        ''',
    }

A line that begins with `-`, or with two spaces, is in the stub's cell once and in this order; the first is
removed, the second stays for orientation, and `+` lines are added. `...` begins another place. Only `+` lines
are a whole new answer, which replaces everything between the solution markers. `(hint 2)` names the hint that
helps against a mistake.
"""

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from autograder.course import CourseError, Module

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


class LessonError(CourseError):
    """What the author of a lesson or its variants did wrong, with file and line."""


@dataclass(frozen=True)
class Variant:
    sentence: str
    line: int  # of the sentence in its file
    patch: tuple[str, ...]
    hint: int | None = None

    def put_into(self, source: str) -> str:
        """The stub's cell with this in it; ValueError if the patch does not fit."""
        lines = source.splitlines()
        if all(line.startswith("+") for line in self.patch):
            begin, end = [[i for i, line in enumerate(lines) if mark in line] for mark in (BEGIN, END)]
            if len(begin) != 1:
                raise ValueError("another answer needs one solution region; patch its lines")
            margin = lines[begin[0]].partition("#")[0]
            lines[begin[0] + 1 : end[0]] = [margin + line[2:] for line in self.patch]
            return "\n".join(lines)
        changes = []
        for place in _places(self.patch):
            old = [line[2:] for line in place if not line.startswith("+")]
            found = [start for start in range(len(lines)) if _margin(lines, start, old) is not None]
            if len(found) != 1:
                raise ValueError(f"{old[0].strip()!r} and what follows stands {len(found)} times in the stub")
            margin = _margin(lines, found[0], old)
            new = [margin + line[2:] for line in place if not line.startswith("-")]
            changes.append((found[0], found[0] + len(old), new))
        for start, end, new in sorted(changes, reverse=True):
            lines[start:end] = new
        return "\n".join(lines)


def read(module: Module, path: Path) -> dict[str, list[Variant]]:
    """The variants that a file of the module's holds, by stub."""
    where = path.relative_to(module.root)
    if not path.exists():
        raise LessonError(f"{where}: not written yet")
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        table = next(node.value for node in tree.body if isinstance(node, ast.Assign))
        texts = {key.value: (value.value, value.lineno) for key, value in zip(table.keys, table.values)}
        return {stub: list(_variants(text, line)) for stub, (text, line) in texts.items()}
    except SyntaxError as error:
        raise LessonError(f"{where}:{error.lineno}: {error.msg}") from None
    except (StopIteration, AttributeError, TypeError):
        raise LessonError(f"{where}:1: it holds one dictionary, from stubs' names to text") from None
    except ValueError as error:
        line, sentence = error.args
        raise LessonError(f"{where}:{line}: {sentence}") from None


def _variants(text: str, line: int) -> Iterator[Variant]:
    """Blocks of a sentence and its patch, with an empty line between one and the next."""
    numbered = enumerate(textwrap.dedent(text).splitlines(), line)
    for filled, block in groupby(numbered, key=lambda numbered: bool(numbered[1].strip())):
        if filled:
            (number, sentence), *patch = block
            if sentence[0] in "+- ." or not patch:
                raise ValueError(number, "a sentence, and below it the lines of its patch, are wanted")
            for where, each in patch:
                if each[:2].strip() not in ("+", "-", "") and each != "...":
                    raise ValueError(
                        where, f"a line of a patch begins with `+ `, `- ` or two spaces, not {each!r}"
                    )
            said, hint = re.fullmatch(r"(.*?)(?: \(hint (\d+)\))?", sentence.strip()).groups()
            if "(hint" in said:
                raise ValueError(number, f"a sentence ends in `(hint 2)` or has none, not {said!r}")
            yield Variant(said, number, tuple(each for _, each in patch), int(hint) if hint else None)


def _places(patch: tuple[str, ...]) -> Iterator[list[str]]:
    """The parts of a patch between lines of dots."""
    for dots, place in groupby(patch, key=lambda line: line == "..."):
        if not dots:
            yield list(place)


def _margin(lines: list[str], start: int, old: list[str]) -> str | None:
    """The margin before the old lines if they are found from `start` on."""
    margin = lines[start][: len(lines[start]) - len(old[0])]
    here = [line.rstrip() for line in lines[start : start + len(old)]]
    return margin if not margin.strip() and here == [(margin + line).rstrip() for line in old] else None
