"""`make similar N`: pairs of students whose answers share what few others wrote, side by side, for a person to judge.

Answers are compared stub by stub, without comments, docstrings, layout, and the names that an answer gives. A piece is a run of
PIECE tokens (a k-gram, as in S. Schleimer, D. Wilkerson and A. Aiken, Winnowing, SIGMOD 2003; all are kept, for answers are short).
What the release and the reference have is nobody's piece, nor is what more than half of the class have. A piece that d of n answers
have weighs log((n + 1) / d): the inverse document frequency, with the reference as one more answer. In a stub two answers share the
square root of the sum of the squares of these weights, so that a short answer that is rare counts beside a long one; a pair's
stubs are added up.
"""

import ast
import io
import math
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path

import numpy as np

from autograder import files, notebook
from autograder import lesson as lessons
from autograder.console import say
from autograder.course import CourseError, Module, load
from autograder.grading import class_report, html_page, roster
from autograder.grading.answer_code import DIRECTIONS, bare, written

PLACE = Path("autograder", "similar")
PIECE = 8  # tokens
COMMON = 0.5  # of the answers, and all of them share it anyway
PAIRS = 30  # are shown

Piece = tuple[str | int, ...]


class Answer:
    """A student's answer to a stub in plain layout, and its pieces."""

    def __init__(self, source: str):
        tree = bare(source)
        code = written(tree)
        self.code = DIRECTIONS.sub("\ufffd", source if code is None else code)
        self._given = _names_given(tree) if tree else set()

    @cached_property
    def _tokens(self) -> list[tuple[str, bool, int, int]]:
        """Each token, whether it is a name that the answer gives, and its place in the code."""
        starts, found = [0, *accumulate(len(line) + 1 for line in self.code.split("\n"))], []
        try:
            for token in tokenize.generate_tokens(io.StringIO(self.code).readline):
                if token.string.strip() and token.type != tokenize.COMMENT:
                    (row, column), (last, end) = token.start, token.end
                    is_given = token.type == tokenize.NAME and token.string in self._given
                    found.append((token.string, is_given, starts[row - 1] + column, starts[last - 1] + end))
        except (tokenize.TokenError, SyntaxError):  # no Python from here on
            pass
        return found

    @cached_property
    def pieces(self) -> list[Piece]:
        """The runs of tokens, from each token on; a given name is told by where it was before in the run."""
        tokens, last, names = self._tokens, {}, []
        for place, (text, is_given, *_) in enumerate(tokens):
            names.append(place - last.get(text, -len(tokens)) if is_given else text)
            if is_given:
                last[text] = place
        return [
            tuple(
                name if isinstance(name, str) else name * (name <= back)
                for back, name in enumerate(names[start : start + PIECE])
            )
            for start in range(len(names) - PIECE + 1)
        ]

    def marked(self, shared: set[Piece]) -> list[tuple[str, bool]]:
        """The code in parts, each with whether it belongs to a shared piece."""
        covered = [False] * len(self.code)
        for start, piece in enumerate(self.pieces):
            if piece in shared:
                begin, end = self._tokens[start][2], self._tokens[start + PIECE - 1][3]
                covered[begin:end] = [True] * (end - begin)
        runs = groupby(zip(self.code, covered, strict=True), key=lambda each: each[1])
        return [("".join(letter for letter, _ in run), is_shared) for is_shared, run in runs]


def _names_given(tree: ast.Module) -> set[str]:
    """The names that code gives to variables, arguments, attributes, functions and classes."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case (
                ast.arg(arg=name)
                | ast.Name(id=name, ctx=ast.Store())
                | ast.Attribute(attr=name, ctx=ast.Store())
            ):
                found.add(name)
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.ExceptHandler(name=name)
            ):
                found.add(name)
            case ast.alias(asname=name) if name:
                found.add(name)
    return found - {None}


@dataclass(frozen=True)
class Shared:
    """What two answers to a stub share."""

    stub: str
    weight: float
    pieces: int
    fewest: int  # students who have one of the pieces
    most: int
    answers: int  # to the stub
    codes: tuple[list[tuple[str, bool]], list[tuple[str, bool]]]


@dataclass(frozen=True)
class Pair:
    students: tuple[str, str]
    weight: float
    shared: list[Shared]  # what weighs most first


class Stub:
    """The answers of a class to one stub."""

    def __init__(self, name: str, answers: Mapping[str, Answer], known: set[Piece]):
        self.name, self.answers = name, answers
        holders = {}
        for student, answer in answers.items():
            for piece in set(answer.pieces) - known:
                holders.setdefault(piece, []).append(student)
        most = max(2, COMMON * len(answers))
        self.holders = {piece: who for piece, who in holders.items() if 2 <= len(who) <= most}

    def weight(self, piece: Piece) -> float:
        return math.log((len(self.answers) + 1) / len(self.holders[piece]))

    def weights(self, number: Mapping[str, int]) -> np.ndarray:
        """How much each two students share here, by their numbers."""
        squares = np.zeros((len(number), len(number)))
        for piece, who in self.holders.items():
            places = [number[student] for student in who]
            squares[np.ix_(places, places)] += self.weight(piece) ** 2
        return np.sqrt(squares)

    def shared(self, pair: tuple[str, str]) -> Shared | None:
        """What the two share; None if that is nothing."""
        if not all(student in self.answers for student in pair):
            return None
        one, other = (self.answers[student] for student in pair)
        both = {piece for piece in {*one.pieces} & {*other.pieces} if piece in self.holders}
        if not both:
            return None
        holders = [len(self.holders[piece]) for piece in both]
        weight, codes = math.hypot(*map(self.weight, both)), (one.marked(both), other.marked(both))
        return Shared(self.name, weight, len(both), min(holders), max(holders), len(self.answers), codes)


def pairs(stubs: Sequence[Stub], most: int = PAIRS) -> tuple[list[Pair], np.ndarray]:
    """The pairs that share most, what weighs most first, and the weights of all pairs of two students."""
    students = sorted({student for stub in stubs for student in stub.answers})
    number = {student: place for place, student in enumerate(students)}
    weights = sum(stub.weights(number) for stub in stubs)
    first, second = np.triu_indices(len(students), 1)
    order, found = np.argsort(-weights[first, second], kind="stable")[:most], []
    for one, other in zip(first[order], second[order], strict=True):
        if weights[one, other]:
            pair = students[one], students[other]
            shared = filter(None, (stub.shared(pair) for stub in stubs))
            found.append(Pair(pair, weights[one, other], sorted(shared, key=lambda each: -each.weight)))
    return found, weights[first, second]


def similar(module: Module) -> None:
    """Write the page of a module, from the answers that were graded."""
    course = load(module.root)
    answers = {student: class_report.answers_of(module, student) for student in class_report.records(module)}
    answers = {student: cells for student, cells in answers.items() if cells}
    if not answers:
        raise CourseError(f"nothing of {module.name} is graded: `make grade {module.number}` first")
    found, weights = pairs(list(stubs_of(module, answers)))
    page = html_page.render(
        "similar.html",
        module=module,
        pairs=found,
        total=np.count_nonzero(weights),
        median=np.median(weights) if weights.size else 0,
        students=len(answers),
        names={person.student: person.name for person in roster.of(course) if person.name != person.student},
        tokens=PIECE,
    )
    place = PLACE / f"{module.name}.html"
    files.write(course.root / place, page)
    if found:
        said = f"{len(found)} pair{'s' * (len(found) > 1)} of {len(answers)} students, with their names: for you alone"
    else:
        said = f"no two of {len(answers)} students share what is rare in the class"
    say(f"{place}: {said}")


def stubs_of(module: Module, answers: Mapping[str, Mapping[str, str]]) -> Iterator[Stub]:
    released = notebook.released(module)["cells"]
    blank = {cell.get("id"): class_report.joined(cell["source"]) for cell in released}
    for stub in lessons.read(module).stubs:
        known = {
            piece for text in (stub.cell.source, blank.get(stub.name, "")) for piece in Answer(text).pieces
        }
        theirs = {
            student: Answer(cells[stub.name]) for student, cells in answers.items() if stub.name in cells
        }
        yield Stub(stub.name, theirs, known)
