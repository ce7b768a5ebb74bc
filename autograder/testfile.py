"""The tests of a lesson as a file for pytest, with what they need of the lesson and nothing else."""

import ast
import builtins
from functools import lru_cache

from autograder import lesson as lessons
from autograder.course import Module
from autograder.export import format_code, is_given
from autograder.lesson import Lesson, LessonError
from autograder.notebook import bound_names, defined_names, global_names


@lru_cache(maxsize=1)
def test_file(lesson: Lesson) -> str:
    """Write the imports, the lesson's own helpers, then each test with its stub and points."""
    module = lesson.module
    top, helpers, tests = _statements(lesson)
    used = _used(lesson, top, helpers, tests)
    called = f"`make release {module.number}`"
    title = f'"""Tests of module {module.label}, which {called} makes from {module.source.name}."""'
    imports = [used[name] for name in used if name not in helpers]
    marked = [mark + text for text, (mark, _) in tests.items()]
    copied = dict.fromkeys(helpers[name] for name in helpers if name in used)
    return format_code("\n".join([title, "import pytest", *sorted({*imports}), *copied, *marked]))


def is_used(lesson: Lesson) -> list[bool]:
    """For each cell of a lesson, whether the tests need it: not what only shows something, or measures it."""
    used = _used(lesson, *_statements(lesson))
    return [
        cell.kind != "given" or not used.keys().isdisjoint(bound_names(lessons.parse(lesson.module, cell)))
        for cell in lesson.cells
    ]


def _used(lesson: Lesson, top: dict, helpers: dict, tests: dict) -> dict[str, str]:
    """What the tests use, directly or not: an import or a definition for each name."""
    own = {name for _, names in tests.values() for name in names}
    used, wanted = {}, list(global_names("\n".join(tests)))
    while wanted:
        name = wanted.pop()
        if name in used or name in own or name.startswith("__"):
            continue
        if name in helpers:
            wanted += global_names(helpers[name])
        elif name not in top and not hasattr(builtins, name):
            where = lesson.module.source.relative_to(lesson.module.root)
            raise LessonError(f"{where}: the tests use {name}, which the lesson does not define")
        used[name] = helpers.get(name) or top.get(name, "")
    return used


def _statements(lesson: Lesson) -> tuple[dict[str, str], dict[str, str], dict[str, tuple[str, list[str]]]]:
    """What gives each name: an import, or given code that is not exported; and the tests, marks and names."""
    top, helpers, tests, slug = {}, {}, {}, lesson.module.slug
    for cell in lesson.cells:
        if not cell.is_code:
            continue
        lines = cell.source.splitlines()
        for node in lessons.parse(lesson.module, cell).body:
            if is_given(node) and cell.kind != "given":  # exported with the module
                top |= {
                    name: f"from tinytorch.{slug} import {name}" for name in given_names(lesson.module, node)
                }
            elif isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    top.setdefault(alias.asname or alias.name.partition(".")[0], _alone(node, alias))
            if isinstance(node, ast.Import | ast.ImportFrom):
                continue
            names = list(defined_names(ast.Module([node], [])))
            text = "\n".join(lines[_first_line(node) - 1 : node.end_lineno])
            if cell.kind == "test":
                is_test = isinstance(node, lessons.Function) and node.name.startswith("test_")
                mark = f'@pytest.mark.stub("{cell.name}", points={cell.points})\n' if is_test else ""
                tests[text] = (mark, names)
            elif cell.kind == "given":
                helpers |= dict.fromkeys(names, text)
            else:
                top |= {name: f"from tinytorch.{slug} import {name}" for name in names}
    return top, {name: text for name, text in helpers.items() if name not in top}, tests


def given_names(module: Module, node: ast.ImportFrom) -> list[str]:
    """What a given file says that it holds, in its `__all__`."""
    path = module.root.joinpath(*node.module.split(".")).with_suffix(".py")
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            return ast.literal_eval(statement.value)
    raise LessonError(f"{path.relative_to(module.root)}:1: a given file lists its names in __all__")


def _alone(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """An import statement of this name alone."""
    if isinstance(node, ast.Import):
        return ast.unparse(ast.Import([alias]))
    return ast.unparse(ast.ImportFrom(node.module, [alias], node.level))


def _first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
