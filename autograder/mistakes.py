"""Planted mistakes, `solutions/NN_slug/mistakes.py`: under each stub's name, what learners get wrong in it, as patches.

    MISTAKES = {
        "softmax": '''
            No shift, so exp overflows at 89.
            - exps = np.exp(x - x.max(axis=dim, keepdims=True))
            + exps = np.exp(x)

            Takes the whole array for one row.
            + exps = np.exp(x - x.max())
            + ctx.save_for_backward(exps / exps.sum())
            + return exps / exps.sum()
        ''',
    }

A line that begins with `-`, or with two spaces, stands in the stub's cell once and in this order; it goes, or stays for
orientation, and `+` lines come in. `...` begins another place. Nothing but `+` lines is another answer altogether, in place of
what stands between the solution markers.
"""

import ast
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from autograder.course import CourseError, Module

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


class LessonError(CourseError):
    """What its author did wrong in a lesson or its mistakes, with file and line."""


@dataclass(frozen=True)
class Mistake:
    sentence: str
    line: int  # of the sentence in mistakes.py
    patch: tuple[str, ...]

    def put_into(self, source: str) -> str:
        """The stub's cell with this mistake in it; ValueError where the patch does not fit."""
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


def read(module: Module) -> dict[str, list[Mistake]]:
    """The planted mistakes of a module by stub."""
    path = module.mistakes
    where = path.relative_to(module.root)
    if not path.exists():
        raise LessonError(f"{where}: not written yet")
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        table = next(node.value for node in tree.body if isinstance(node, ast.Assign))
        texts = {key.value: (value.value, value.lineno) for key, value in zip(table.keys, table.values)}
        return {stub: list(_mistakes(text, line)) for stub, (text, line) in texts.items()}
    except SyntaxError as error:
        raise LessonError(f"{where}:{error.lineno}: {error.msg}") from None
    except (StopIteration, AttributeError, TypeError):
        raise LessonError(f"{where}:1: MISTAKES is one dictionary, from stubs' names to text") from None
    except ValueError as error:
        line, sentence = error.args
        raise LessonError(f"{where}:{line}: {sentence}") from None


def _mistakes(text: str, line: int) -> Iterator[Mistake]:
    """Blocks of a sentence and its patch, with an empty line between one and the next."""
    numbered = enumerate(textwrap.dedent(text).splitlines(), line)
    for filled, block in groupby(numbered, key=lambda numbered: bool(numbered[1].strip())):
        if filled:
            (number, sentence), *patch = block
            if sentence[0] in "+- ." or not patch:
                raise ValueError(number, "a mistake is a sentence, and below it the lines of its patch")
            for where, each in patch:
                if each[:2].strip() not in ("+", "-", "") and each != "...":
                    raise ValueError(
                        where, f"a line of a patch begins with `+ `, `- ` or two spaces, not {each!r}"
                    )
            yield Mistake(sentence.strip(), number, tuple(each for _, each in patch))


def _places(patch: tuple[str, ...]) -> Iterator[list[str]]:
    """The parts of a patch between lines of dots."""
    for dots, place in groupby(patch, key=lambda line: line == "..."):
        if not dots:
            yield list(place)


def _margin(lines: list[str], start: int, old: list[str]) -> str | None:
    """What stands before the old lines if they are found from `start` on."""
    margin = lines[start][: len(lines[start]) - len(old[0])]
    here = [line.rstrip() for line in lines[start : start + len(old)]]
    return margin if not margin.strip() and here == [(margin + line).rstrip() for line in old] else None
