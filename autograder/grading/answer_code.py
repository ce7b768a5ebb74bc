"""Students' answers as code to be compared and shown: without comments and docstrings, and without the names of people."""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from autograder import testrunner
from autograder.notebook import runnable

NOBODY = "NAME"
LEAST = 3  # letters of a part of a name: shorter ones are in every text
LINES = 40
DIRECTIONS = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")  # which make text look like another


@dataclass(frozen=True)
class Names:
    """The names of the people of a class, to be removed from what is shown."""

    pattern: re.Pattern | None

    @classmethod
    def of(cls, people: Iterable[str], code: str) -> "Names":
        """Names and their parts, except words of the code that is handed out, which give nobody away."""
        known = set(re.findall(r"[^\W\d_]+", code.lower()))
        parts = {part for name in people for part in [name, *re.findall(r"[^\W\d_]+|\d+", name)]}
        told = {part for part in parts if len(part) >= LEAST and part.lower() not in known}
        if not told:
            return cls(None)
        longest = sorted(map(re.escape, told), key=len, reverse=True)
        return cls(re.compile(rf"(?<![^\W_])({'|'.join(longest)})(?![^\W_])", re.IGNORECASE))

    def removed(self, text: str) -> str:
        text = DIRECTIONS.sub("\ufffd", text)
        return self.pattern.sub(NOBODY, text) if self.pattern else text


def shown(source: str, names: Names) -> str:
    """An answer as it may be shown to others."""
    code = written(bare(source))
    if code is None:  # no Python: what may be a comment goes
        code = re.sub(r"#.*", "", source)
    return testrunner.cut(names.removed(code), LINES)


def alike(source: str) -> str:
    """What is the same for two answers that differ only in layout, comments and the names of their variables."""
    tree, names = bare(source), {}
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.arg):
            names.setdefault(node.arg, f"v{len(names)}")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id, f"v{len(names)}")
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = names[node.arg]
    return written(tree) or " ".join(source.split())


def bare(source: str) -> ast.Module | None:
    """The tree of a cell without the texts that stand alone, docstrings too; None if it is not Python."""
    try:
        tree = ast.parse(runnable(source)[0])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(tree):
        for part in ("body", "orelse", "finalbody"):
            if isinstance(body := getattr(node, part, None), list):
                kept = [each for each in body if not _is_text(each)]
                setattr(node, part, kept or [ast.Pass()] * (part == "body"))
    return tree


def _is_text(node: ast.stmt) -> bool:
    text = node.value if isinstance(node, ast.Expr) else None
    return isinstance(text, ast.JoinedStr) or isinstance(getattr(text, "value", None), str | bytes)


def written(tree: ast.Module | None) -> str | None:
    """Its code in plain layout; None if it is not Python, or too deep."""
    try:
        return tree and ast.unparse(tree)
    except (ValueError, RecursionError, MemoryError):
        return None
