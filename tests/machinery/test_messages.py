"""What the tests of the lessons say where they fail: a sentence each, with what came back, and nothing that is false.

`python -m tests.machinery.test_messages` lists what is found.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder import course as courses
from autograder import lesson as lessons
from autograder import testrunner
from autograder.lesson import Lesson

ROOT = Path(__file__).parents[2]
SOLVED = courses.load(ROOT).with_solutions()

COPIES = {"Tensor", "tensor", "Context", "window_over"}  # which do nothing to what they are made of
CODE = ("given", "export", "stub", "test")
FACTS = {"dtype", "shape", "ndim", "size", "nbytes"}  # of an array, which no call changes
WANTED = re.compile(r"expected|want|right$|formula|reference$")


def findings(lesson: Lesson) -> Iterator[str]:
    """What is to be mended in the tests of a lesson, by line."""
    place = lesson.module.source.relative_to(lesson.module.root)
    tests = [(cell, lessons.parse(lesson.module, cell)) for cell in lesson.cells if cell.kind == "test"]
    called = under_test(lesson)
    for cell, tree in tests:
        for node in tree.body:
            for line, sentence in sorted({*_mute(node), *_late(node, called)}):
                yield f"{place}:{cell.line + line - 1}: {cell.name}: {sentence}"


def under_test(lesson: Lesson) -> set[str]:
    """The functions and classes of the module, and the helpers of its tests that call one of them."""
    trees = {cell: lessons.parse(lesson.module, cell) for cell in lesson.cells if cell.kind in CODE}
    defined = [
        (cell.kind in ("export", "stub"), node)
        for cell, tree in trees.items()
        for node in tree.body
        if isinstance(node, lessons.Function | ast.ClassDef)
    ]
    known = {node.name for is_module, node in defined if is_module} - COPIES
    return known | {node.name for is_module, node in defined if not is_module and _calls(node, known)}


def _mute(tree: ast.stmt) -> Iterator[tuple[int, str]]:
    """Assertions that say no sentence, or nothing of what came back."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            if node.msg is None:
                yield node.lineno, f"no sentence: {ast.unparse(node)[:90]}"
            elif _hides(node.test) and not any(
                isinstance(part, ast.FormattedValue) for part in ast.walk(node.msg)
            ):
                yield node.lineno, f"shows nothing of what came back: {ast.unparse(node.test)[:90]}"
        elif isinstance(node, ast.Call) and "testing.assert_" in ast.unparse(node.func):
            words = {word.arg for word in node.keywords}
            if "err_msg" not in words and "raises" not in ast.unparse(node.func):
                yield node.lineno, f"no sentence: {ast.unparse(node)[:90]}"


def _hides(test: ast.expr) -> bool:
    """Whether an assertion is about values of which it shows none."""
    if testrunner._compared(test)[0] is not None:
        return False
    values = (ast.Compare, ast.BoolOp)
    functions = ("all", "any", "allclose", "isclose", "array_equal", "startswith", "endswith")
    called = {ast.unparse(n.func).rpartition(".")[2] for n in ast.walk(test) if isinstance(n, ast.Call)}
    return (isinstance(test, values) and not _is_plain(test)) or not called.isdisjoint(functions)


def _is_plain(test: ast.expr) -> bool:
    """Whether a comparison leaves nothing to be shown: `a is not b`, `a in b`, `a != b`."""
    return isinstance(test, ast.Compare) and all(
        isinstance(op, ast.IsNot | ast.Is | ast.In | ast.NotIn | ast.NotEq) for op in test.ops
    )


def _late(tree: ast.stmt, learners: set[str]) -> Iterator[tuple[int, str]]:
    """What is wanted, computed from a variable that the code under test has had in its hands before."""
    if not isinstance(tree, lessons.Function):
        return
    touched, plain, found = set(), set(), []

    def wanted(node: ast.AST, what: str) -> None:
        if isinstance(node, ast.Name):  # itself: a list of what was seen, or the very same object
            return
        facts = [n.value for n in ast.walk(node) if isinstance(n, ast.Attribute) and n.attr in FACTS]
        if names := (_names(node) - set().union(*map(_names, facts))) & touched - plain:
            sentence = f"{what} is computed after the call, from {', '.join(sorted(names))}"
            found.append((node.lineno, f"{sentence}: {ast.unparse(node)[:70]}"))

    def bound(target: ast.AST, value: ast.AST) -> None:
        touched.difference_update(_names(target))
        (plain.difference_update if _makes(value) else plain.update)(_names(target))

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Call) and "testing.assert_" in ast.unparse(node.func) and len(node.args) > 1:
            visit(node.args[0])
            if not _calls(node.args[0], learners):  # it is the input that is looked at
                touched.difference_update(_names(node.args[0]))
            visit(node.args[1])
            wanted(node.args[1], "what is wanted")
        elif isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            visit(node.test)
            wanted(node.test.comparators[-1], "what is wanted")
        elif isinstance(node, ast.Assign):
            for target, value in _pairs(node):
                if WANTED.search(ast.unparse(target)):
                    wanted(value, ast.unparse(target))
                visit(value)
            for target in node.targets:
                bound(target, node.value)
        else:
            if isinstance(node, ast.For):
                bound(node.target, node.iter)
            for child in ast.iter_child_nodes(node):
                visit(child)
            if isinstance(node, ast.Call) and ast.unparse(node.func).partition(".")[0] in learners:
                touched.update(name for argument in node.args for name in _shared(argument))

    visit(tree)
    yield from found


def _pairs(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """What an assignment gives to what, one by one, in the order in which it is computed."""
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts))
    return [(target, value)]


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _makes(value: ast.AST) -> bool:
    """Whether a value may be an array: it is not made of constants alone."""
    made = ast.Call | ast.BinOp | ast.Subscript | ast.ListComp
    return isinstance(value, ast.Name | ast.Attribute) or any(isinstance(n, made) for n in ast.walk(value))


def _calls(node: ast.AST, names: set[str]) -> bool:
    return any(
        isinstance(n, ast.Call) and ast.unparse(n.func).partition(".")[0] in names for n in ast.walk(node)
    )


def _shared(argument: ast.expr) -> Iterator[str]:
    """The variables whose memory a call gets: as they are, in a tuple, or wrapped by Tensor, which copies nothing."""
    if isinstance(argument, ast.Name):
        yield argument.id
    elif isinstance(argument, ast.Starred):
        yield from _shared(argument.value)
    elif isinstance(argument, ast.Tuple | ast.List):
        for part in argument.elts:
            yield from _shared(part)
    elif isinstance(argument, ast.Call) and ast.unparse(argument.func) in ("Tensor", "from_numpy", "wrap"):
        for part in argument.args:
            yield from _shared(part)


@pytest.mark.parametrize("module", SOLVED, ids=lambda module: module.slug)
def test_every_assertion_says_what_was_wanted(module):
    found = list(findings(lessons.read(module)))
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("assert f(x) == 2", "no sentence"),
        ("np.testing.assert_array_equal(f(x), 2)", "no sentence"),
        ("assert all(f(n) for n in x), 'all'", "shows nothing"),
        ("assert 1 < f(x) < 2, 'between'", "shows nothing"),
        ("np.testing.assert_array_equal(f(x), 2 * x, err_msg='twice')", "computed after the call, from x"),
        ("y = f(Tensor(x))\n    expected = 2 * x\n    assert y == expected, 'twice'", "computed after the call, from x"),
        ("y = f((x,))\n    assert y == x + 1, 'more'", "computed after the call, from x"),
    ],
)  # fmt: skip
def test_what_is_to_be_mended_is_found(body, kind):
    tree = ast.parse(f"def test_it():\n    x = np.ones(3)\n    {body}").body[0]
    ((_, sentence),) = [*_mute(tree), *_late(tree, {"f"})]
    assert kind in sentence


@pytest.mark.parametrize(
    "body",
    [
        "assert all(f(n) for n in x), f'all of {x}'",
        "assert np.allclose(f(x), 2), 'two'",
        "assert f(x) is not x, 'another'",
        "expected = 2 * x\n    np.testing.assert_array_equal(f(x), expected, err_msg='twice')",
        "wanted, found = 2 * x, f(x)\n    assert found == wanted, 'twice'",
        "y = f(x)\n    np.testing.assert_array_equal(x, 1, err_msg='as it was')\n    assert y == 2 * x, 'twice'",
        "assert f(x) == x.shape, 'the shape'",
        "assert f(tensor(x)) == 2 * x, 'of a copy'",
    ],
)
def test_what_is_right_is_not(body):
    tree = ast.parse(f"def test_it():\n    x = np.ones(3)\n    {body}").body[0]
    assert [*_mute(tree), *_late(tree, {"f"})] == []


if __name__ == "__main__":
    for each in SOLVED:
        print(f"## {each.name}", *findings(lessons.read(each)), sep="\n")
