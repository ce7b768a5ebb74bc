"""Changes of one place in a learner's own stub: what `make quiz` and `make hunt` put into it.

They are edits of the text, so that the learner's layout and comments stay. `make mutants` makes its changes by mutmut, which
stands in no learner's environment (`mechanical_mutants.py`).
"""

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise

from autograder import lesson

SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not",
    ast.In: "in", ast.NotIn: "not in", ast.And: "and", ast.Or: "or",
}  # fmt: skip
EXCHANGED = {
    "+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "//", "**": "*", "<": "<= >", "<=": "< >=", ">": ">= <", ">=": "> <=",
    "==": "!=", "!=": "==", "and": "or", "or": "and",
} | {"is": "is not", "is not": "is", "in": "not in", "not in": "in"}  # fmt: skip
WHOLE = ("is", "is not", "in", "not in")  # whose partner is one symbol of two words
ALIKE = [("max", "min"), ("argmax", "argmin"), ("maximum", "minimum"), ("sum", "mean"), ("zeros", "ones")]
ALIKE += [
    ("zeros_like", "ones_like"),
    ("any", "all"),
    ("floor", "ceil"),
    ("sin", "cos"),
    ("insert", "append"),
]
PARTNERS = dict(ALIKE) | {other: one for one, other in ALIKE}
SIMPLE = ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Subscript


@dataclass(frozen=True)
class Change:
    """The stub's code with one place changed, and the lines in which the two differ."""

    function: str  # by qualified name; the outermost
    line: int  # the first and the last that goes
    last: int
    old: str
    new: str
    source: str


def changes(source: str) -> Iterator[Change]:
    """Every change of the functions and methods that a stub's code defines, each once."""
    text, before, seen = _Text(source), source.split("\n"), {ast.unparse(ast.parse(source))}
    for name, function in lesson.definitions(ast.parse(source)).items():
        for start, end, put in _edits(text, function):
            changed = (text.code[:start] + put.encode() + text.code[end:]).decode()
            try:
                normal = ast.unparse(ast.parse(changed))
            except SyntaxError:
                continue
            if normal in seen:
                continue
            seen.add(normal)
            after = changed.split("\n")
            first = _alike(before, after)
            rest = _alike(before[first:][::-1], after[first:][::-1])
            last = max(first + 1, len(before) - rest)
            gone, come = before[first:last], after[first : last + len(after) - len(before)]
            yield Change(name, first + 1, last, _block(gone), _block(come), changed)


def _alike(one: list[str], other: list[str]) -> int:
    """How many lines two texts begin with alike."""
    return next((n for n, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))


def _block(lines: list[str]) -> str:
    """Lines moved to the left as one block, without their comments at the end."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(re.sub(r"  # .*$", "", line[margin:]).rstrip() for line in lines)


class _Text:
    """Source whose nodes are found by their places in its bytes."""

    def __init__(self, source: str):
        self.code = source.encode()
        self.starts = [0, *accumulate(len(line) for line in self.code.splitlines(keepends=True))]

    def span(self, node: ast.AST) -> tuple[int, int]:
        start, end = self.starts[node.lineno - 1], self.starts[node.end_lineno - 1]
        return start + node.col_offset, end + node.end_col_offset

    def of(self, node: ast.AST, operand: bool = False) -> str:
        """The text of a node, in parentheses where an operand needs them."""
        start, end = self.span(node)
        written = self.code[start:end].decode()
        return f"({written})" if operand and not isinstance(node, SIMPLE) else written

    def between(self, left: ast.AST, symbol: str, right: ast.AST) -> tuple[int, int]:
        """Where an operator stands between its operands."""
        end, start = self.span(left)[1], self.span(right)[0]
        found = re.search(re.escape(symbol).replace(r"\ ", r"\s+").encode(), self.code[end:start])
        return (end + found.start(), end + found.end()) if found else (end, end)


def _edits(text: _Text, function: lesson.Function) -> Iterator[tuple[int, int, str]]:
    """What may be put in the place of what: start, end, text."""
    since = _assigned(function)
    for statement in function.body[ast.get_docstring(function) is not None :]:
        for node in ast.walk(statement):
            if isinstance(node, ast.expr | ast.stmt):
                names = [name for name, line in since.items() if line < node.lineno]
                yield from _expression(text, node, names)
                yield from _statement(text, node, names)


def _assigned(function: lesson.Function) -> dict[str, int]:
    """The names of a function, each with the line after which it has a value; not those of a comprehension."""
    since = {argument.arg: 0 for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    waiting = [*function.body]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            since.setdefault(node.id, node.lineno)
        if not isinstance(node, ast.comprehension | ast.Lambda | lesson.Function):
            waiting += ast.iter_child_nodes(node)
    return {name: line for name, line in since.items() if name not in ("_", "ctx", "self")}


def _expression(text: _Text, node: ast.AST, names: list[str]) -> Iterator[tuple[int, int, str]]:
    span = text.span(node)
    match node:
        case ast.BinOp(left, op, right):
            yield from _exchanged(text, left, op, right)
            if isinstance(op, ast.Sub | ast.Div | ast.MatMult):
                symbol = SYMBOLS[type(op)]
                yield *span, f"{text.of(right, operand=True)} {symbol} {text.of(left, operand=True)}"
        case ast.Compare(left, [op], [right]):
            yield from _exchanged(text, left, op, right)
        case ast.BoolOp(op, values):
            for left, right in pairwise(values):
                yield from _exchanged(text, left, op, right)
            yield from ((*span, text.of(value)) for value in values if len(values) == 2)
        case ast.Constant(bool()):
            yield *span, str(not node.value)
        case ast.Constant(int() | float()):
            yield *span, repr(node.value + 1)
            if isinstance(node.value, int) and (node.value != 1 or text.code[span[0] - 1 : span[0]] != b"-"):
                yield *span, str(node.value - 1) if node.value else "(-1)"
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield span[0], text.span(operand)[0], ""
        case ast.IfExp(test, body, orelse):
            yield *span, f"{text.of(orelse)} if {text.of(test)} else {text.of(body)}"
        case ast.Call(func, args, keywords):
            for one, other in pairwise(args):
                start, end = text.span(one)[0], text.span(other)[1]
                middle = text.code[text.span(one)[1] : text.span(other)[0]].decode()
                yield start, end, f"{text.of(other)}{middle}{text.of(one)}"
            for before, keyword in pairwise([*args[-1:], *keywords]):
                yield text.span(before)[1], text.span(keyword)[1], ""
            name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            if name in PARTNERS and (isinstance(func, ast.Attribute) or PARTNERS[name] in dir(builtins)):
                end = text.span(func)[1]
                yield end - len(name), end, PARTNERS[name]
        case ast.Name(name, ast.Load()) if name in names:
            yield *span, names[names.index(name) - 1]


def _statement(text: _Text, node: ast.AST, names: list[str]) -> Iterator[tuple[int, int, str]]:
    match node:
        case ast.AugAssign(target, op, value):
            symbol = SYMBOLS.get(type(op), "")
            place = text.between(target, f"{symbol}=", value)
            yield from ((*place, f"{put}=") for put in [*EXCHANGED.get(symbol, "").split(), ""])
        case ast.If(test=test) | ast.While(test=test) if not isinstance(test, ast.Compare | ast.UnaryOp):
            yield *text.span(test), f"not {text.of(test, operand=True)}"
    match node:  # dropped, unless a name would have no value then
        case ast.AugAssign() | ast.Expr() | ast.If(orelse=[]) | ast.For(orelse=[]) | ast.While(orelse=[]):
            yield *text.span(node), "pass"
        case ast.Assign([ast.Attribute() | ast.Subscript()]):
            yield *text.span(node), "pass"
        case ast.Assign([ast.Name(name)]) if name in names:
            yield *text.span(node), "pass"


def _exchanged(text: _Text, left: ast.AST, op: ast.AST, right: ast.AST) -> Iterator[tuple[int, int, str]]:
    symbol = SYMBOLS.get(type(op), "")
    partners = EXCHANGED.get(symbol, "")
    place = text.between(left, symbol, right)
    yield from ((*place, partner) for partner in ([partners] if symbol in WHOLE else partners.split()))
