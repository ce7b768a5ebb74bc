"""Mechanical mutants: changes of one place in a stub's answer, made by mutmut's operators and a few of the same form.

These mistakes were not thought of in advance. A change that no valid input can distinguish from the answer is
listed, with the reason, in `solutions/NN_slug/equivalent.py`, where statements are written as by
`ast.unparse`, each on one line:

    EQUIVALENT = {
        "softmax": '''
            Any shift that keeps exp from overflowing gives the same quotient.
            - exps = np.exp(x - x.max(axis=axis, keepdims=True))
            + exps = np.exp(x + -x.max(axis=axis, keepdims=True))
            + exps = np.exp(x - x.max(axis=axis, keepdims=1))
        ''',
    }

Below a line that is removed are the lines that may replace it; several lines are written as one, with ` / `
between them.
"""

import ast
import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

import libcst as cst
import libcst.matchers as m
from libcst.metadata import ExpressionContext, ExpressionContextProvider, MetadataWrapper, PositionProvider
from mutmut.mutation import mutators

from autograder import variants
from autograder.course import Module
from autograder.lesson import BEGIN, END, Cell, Lesson, Stub

SAMPLED_STUBS, SAMPLED_CHANGES = 4, 2  # of a lesson, of each of these stubs
WANTED = 0.99  # of the changes that differ from the answer


@dataclass(frozen=True)
class Change:
    """A stub's cell with one place changed; `old` and `new` are the lines that differ, as `ast.unparse` writes them."""

    stub: Stub
    cell: Cell
    line: int  # in the lesson
    old: str
    new: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.stub.name, self.old, self.new

    def __str__(self) -> str:
        return f"line {self.line}: {self.old} -> {self.new}"


def smaller(node: cst.Integer) -> Iterator[cst.BaseExpression]:
    """Numbers become smaller by one; mutmut makes them larger."""
    value = node.evaluated_value - 1
    yield cst.Integer(str(value)) if value >= 0 else cst.parse_expression(f"({value})")


def reversed_comparison(node: cst.ComparisonTarget) -> Iterator[cst.ComparisonTarget]:
    turned = {cst.LessThan: cst.GreaterThan, cst.GreaterThan: cst.LessThan}
    turned |= {cst.LessThanEqual: cst.GreaterThanEqual, cst.GreaterThanEqual: cst.LessThanEqual}
    if type(node.operator) in turned:
        yield node.with_changes(operator=turned[type(node.operator)]())


def one_side(node: cst.BooleanOperation) -> Iterator[cst.BaseExpression]:
    yield node.left
    yield node.right


def exchanged_operands(node: cst.BinaryOperation) -> Iterator[cst.BinaryOperation]:
    if not isinstance(node.operator, cst.Add | cst.Multiply):
        yield node.with_changes(
            left=node.right.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]),
            right=node.left.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]),
        )


def fewer_arguments(node: cst.Call) -> Iterator[cst.Call]:
    for index in range(len(node.args)):
        yield node.with_changes(args=[*node.args[:index], *node.args[index + 1 :]])


def exchanged_arguments(node: cst.Call) -> Iterator[cst.Call]:
    """Neighbouring arguments exchange their values."""
    for index, (one, other) in enumerate(zip(node.args, node.args[1:])):
        if not (one.star or other.star):
            pair = [one.with_changes(value=other.value), other.with_changes(value=one.value)]
            yield node.with_changes(args=[*node.args[:index], *pair, *node.args[index + 2 :]])


def always_or_never(node: cst.If) -> Iterator[cst.If]:
    for outcome in ("True", "False"):
        yield node.with_changes(test=cst.Name(outcome), whitespace_before_test=cst.SimpleWhitespace(" "))


def dropped(node: cst.BaseStatement) -> Iterator[cst.BaseStatement]:
    """The statement is removed; comments above it stay, because one of them may begin the solution."""
    kept = cst.FunctionDef | cst.ClassDef | cst.Try
    if not isinstance(node, kept) and not m.matches(node, m.SimpleStatementLine([m.Return() | m.Pass()])):
        yield cst.SimpleStatementLine([cst.Pass()], leading_lines=node.leading_lines)


def one_round(node: cst.For | cst.While) -> Iterator[cst.BaseStatement]:
    if isinstance(node.body, cst.IndentedBlock):
        once = [*node.body.body, cst.SimpleStatementLine([cst.Break()])]
        yield node.with_changes(body=node.body.with_changes(body=once))


OPERATORS = [
    (cst.BaseNumber, mutators.operator_number),
    (cst.Integer, smaller),
    (cst.Name, mutators.operator_name),  # True, False
    (cst.CSTNode, mutators.operator_swap_op),  # + and -, < and <=, and and or
    (cst.CSTNode, mutators.operator_keywords),  # is, in, break, continue
    (cst.ComparisonTarget, reversed_comparison),
    (cst.BinaryOperation, exchanged_operands),
    (cst.BooleanOperation, one_side),
    (cst.UnaryOperation, mutators.operator_remove_unary_ops),
    (cst.AugAssign, mutators.operator_augmented_assignment),
    (cst.IfExp, mutators.operator_if_exp),
    (cst.If, always_or_never),
    (cst.Call, fewer_arguments),
    (cst.Call, exchanged_arguments),
    (cst.Call, mutators.operator_symmetric_string_methods_swap),
    (cst.BaseStatement, dropped),
    (cst.For, one_round),
    (cst.While, one_round),
]


class _Places(cst.CSTVisitor):
    """Every node of a stub's answer with what an operator makes of it."""

    METADATA_DEPENDENCIES = (ExpressionContextProvider, PositionProvider)

    def __init__(self, cell: Cell) -> None:
        super().__init__()
        self.lines = _solution(cell)
        self.found: list[tuple[cst.CSTNode, cst.CSTNode]] = []
        self.functions: list[cst.FunctionDef] = []  # those around the node that is visited
        self.names: dict[
            cst.FunctionDef, dict[str, None]
        ] = {}  # of each outermost function, what it is given and assigns
        self.uses: list[tuple[cst.FunctionDef, cst.Name]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.FunctionDef):
            self.functions.append(node)
            self.names.setdefault(self.functions[0], {})
        elif isinstance(node, cst.Param):
            self.names[self.functions[0]][node.name.value] = None
        elif isinstance(node, cst.Name) and self.functions and node is not self.functions[-1].name:
            context = self.get_metadata(ExpressionContextProvider, node, None)
            if context is ExpressionContext.STORE:
                self.names[self.functions[0]][node.value] = None
            elif context is ExpressionContext.LOAD and self._inside(node):
                self.uses.append((self.functions[0], node))
        if self._inside(node):
            for kind, operator in OPERATORS:
                self.found += [(node, new) for new in operator(node)] if isinstance(node, kind) else []
        return not isinstance(node, cst.Annotation | cst.Decorator)

    def on_leave(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.FunctionDef):
            self.functions.pop()

    def _inside(self, node: cst.CSTNode) -> bool:
        position = self.get_metadata(PositionProvider, node, None)
        return position is not None and position.start.line in self.lines

    def other_names(self) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
        """Each use of a name with the one that appears before it in its function: often its neighbour among the arguments."""
        for function, node in self.uses:
            names = [name for name in self.names[function] if name != "_"]
            if node.value in names:
                yield node, node.with_changes(value=names[names.index(node.value) - 1])


def every(lesson: Lesson) -> Iterator[Change]:
    """Every change of a lesson's answers."""
    for stub in lesson.stubs:
        yield from changes(stub)


def sample(lesson: Lesson) -> Iterator[Change]:
    """A few changes of a few stubs, the same in every run."""
    for stub in sorted(lesson.stubs, key=lambda stub: _digest(stub.name))[:SAMPLED_STUBS]:
        yield from islice(changes(stub, shuffled=True), SAMPLED_CHANGES)


def changes(stub: Stub, shuffled: bool = False) -> Iterator[Change]:
    """The changes of a stub's answer, each once."""
    tree = MetadataWrapper(cst.parse_module(stub.cell.source), unsafe_skip_copy=True)
    places = _Places(stub.cell)
    tree.visit(places)
    numbered = list(enumerate([*places.found, *places.other_names()]))
    if shuffled:
        numbered.sort(key=lambda each: _digest(stub.name, str(each[0])))
    before = _normal(stub.cell.source)
    seen = {"\n".join(before)}
    for _, (old, new) in numbered:
        source = tree.module.deep_replace(old, new).code
        try:
            after = _normal(source)
        except SyntaxError:
            continue
        if "\n".join(after) not in seen:
            seen.add("\n".join(after))
            pairs = zip(stub.cell.source.splitlines(), source.splitlines())
            line = stub.cell.line + next(number for number, (one, other) in enumerate(pairs) if one != other)
            yield Change(stub, replace(stub.cell, source=source), line, *_difference(before, after))


def _difference(before: list[str], after: list[str]) -> tuple[str, str]:
    """The lines that differ, joined into one each; if lines are only added or removed, with the line above."""
    start = _shared(before, after)
    end = _shared(before[start:][::-1], after[start:][::-1])
    if start + end in (len(before), len(after)):
        start -= 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    return " / ".join(map(str.strip, old)), " / ".join(map(str.strip, new))


def _shared(one: list[str], other: list[str]) -> int:
    """How many lines two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other)))


def _solution(cell: Cell) -> set[int]:
    """The numbers of the lines between the solution markers."""
    shown, lines = False, set()
    for number, line in enumerate(cell.source.splitlines(), 1):
        shown = (shown or BEGIN in line) and END not in line
        lines |= {number} if shown else set()
    return lines


def _normal(source: str) -> list[str]:
    return ast.unparse(ast.parse(source)).splitlines()


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("/".join(parts).encode()).digest()


@dataclass(frozen=True)
class Verdict:
    lines: list[str]
    wrong: int


def judge(
    lesson: Lesson, tried: Sequence[Change], survivors: Collection[Change], everything: bool
) -> Verdict:
    """What to report about the changes that were tried, and about the list; how many things are wrong."""
    listed, alive = _listed(lesson.module), {change.key for change in survivors}
    unlisted = [change for change in tried if change in survivors and change.key not in listed]
    known = {change.key for change in tried}
    stale = [
        f"{key[0]}: equivalent.py:{line}: {'is caught' if key in known else 'is no change'}: {key[1]} -> {key[2]}"
        for key, line in listed.items()
        if key not in alive and (everything or key in known)
    ]
    told = sum(change not in survivors or change.key not in listed for change in tried)
    caught = told - len(unlisted)
    lines = [f"{change.stub.name}: survives: {change}" for change in unlisted] + stale
    lines.append(
        f"{caught} of {told} mechanical changes caught, {len(tried) - told or 'none'} listed as making no difference"
    )
    enough = everything and caught >= WANTED * told
    return Verdict(lines, len(stale) + (0 if enough else len(unlisted)))


def _listed(module: Module) -> dict[tuple[str, str, str], int]:
    """The changes that make no difference, each by its stub, the old line and the new one, with its line in the file."""
    listed = {}
    reasons_of = variants.read(module, module.equivalent) if module.equivalent.exists() else {}
    for stub, reasons in reasons_of.items():
        for reason in reasons:
            old = ""
            for line, text in enumerate(reason.patch, reason.line + 1):
                old = text[2:] if text.startswith("-") else old
                if text.startswith("+"):
                    listed[stub, old, text[2:]] = line
    return listed
