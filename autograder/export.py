"""A notebook's exported cells, put together as one module that reads as if written by hand."""

import ast
import json
import re
import subprocess
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ruff.__main__ import find_ruff_bin

from autograder import files
from autograder.course import CourseError, Module
from autograder.variants import BEGIN, END

WIDTH, OURS = 110, ["tinytorch"]
EXPORTED = re.compile(r"^#\|\s*export\s*$", re.MULTILINE)
MARK = re.compile(rf"^#\||{BEGIN}|{END}")


class ExportError(CourseError):
    """A notebook that cannot be read, or whose code does not compile."""


class CompileError(ExportError):
    exit_code = 1


@dataclass(frozen=True)
class Source:
    """A cell's source and what to call the cell when something is wrong with it."""

    where: str
    source: str
    is_code: bool


def export(module: Module) -> None:
    """Write the learner's notebook of a module as `tinytorch/slug.py`, and say so."""
    from autograder.console import say  # rich, without which a notebook's tests start sooner

    put(module)
    package, notebook = (path.relative_to(module.root) for path in (module.package, module.notebook))
    say(f"{package}: written from {notebook}")


def put(module: Module) -> None:
    """Write the learner's notebook of a module as `tinytorch/slug.py`."""
    origin = f"{module.notebook.relative_to(module.root)}, by `make export {module.number}`"
    files.install(module.root, module.package, assemble(module, read(module.notebook, module.root), origin))


def read(notebook: Path, root: Path) -> list[Source]:
    """Read the cells of a notebook. As plain JSON: importing nbformat takes longer than running the tests."""
    name, where = notebook.relative_to(root), ""
    try:
        cells = []
        for number, cell in enumerate(json.loads(notebook.read_text(encoding="utf-8"))["cells"], 1):
            where = f", cell {number}"
            grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
            title = f"{name}, cell {number}" + (f" ({grade_id})" if grade_id else "")
            cells.append(Source(title, "".join(cell["source"]), cell["cell_type"] == "code"))
        return cells
    except FileNotFoundError:
        raise ExportError(f"{name}: no such notebook") from None
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        raise ExportError(f"{name}{where}: this is not a notebook") from None


def assemble(module: Module, cells: Sequence[Source], origin: str, tidy: bool = True) -> str:
    """Put the exported cells together: docstring, imports, `__all__`, then the cells in their order."""
    exported = [cell for cell in cells if cell.is_code and is_exported(cell.source)]
    if not exported:
        raise ExportError(f"{origin.partition(',')[0]}: no cell is marked #| export")
    imports, names, bodies = [], [], []
    for cell in exported:
        check(cell)
        lines = [line for line in cell.source.splitlines() if not MARK.search(line)]
        tree = ast.parse("\n".join(lines))
        names += (name for name in defined_names(tree) if not name.startswith("_"))
        for node in hoisted(tree):
            imports.append("\n".join(lines[node.lineno - 1 : node.end_lineno]))
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
        bodies.append("\n".join(lines).strip())
    head = [f"# Written from {origin}: change it there.", _docstring(module, cells), *imports]
    code = "\n\n".join(["\n".join(head), "__all__ = []", *filter(None, bodies)]) + "\n"
    listed = textwrap.fill(", ".join(f'"{name}"' for name in dict.fromkeys(names)), WIDTH - 4)
    listed = f"__all__ = [\n{textwrap.indent(listed, '    ')},\n]" if listed else "__all__ = []"
    return (format_code(code) if tidy else code).replace("__all__ = []", listed, 1)


def is_exported(source: str) -> bool:
    return EXPORTED.search(source) is not None


def check(cell: Source) -> None:
    """Compile a cell, or say where in the notebook it goes wrong."""
    try:
        compile(cell.source, cell.where, "exec")
    except SyntaxError as error:
        bad = (error.text or "").strip()
        message = "a magic or shell line cannot be exported" if bad[:1] in ("%", "!", "?") else error.msg
        raise CompileError(f"{cell.where}, line {error.lineno}: {message}: {bad}") from None
    except ValueError as error:  # a null byte
        raise CompileError(f"{cell.where}: {error}") from None


def defined_names(tree: ast.Module) -> Iterable[str]:
    """The names that the top level defines or assigns, imports apart."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from (
                    name.id for name in ast.walk(target) if isinstance(name, ast.Name) and _stored(name)
                )


def hoisted(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """The imports at the top level that share a line with nothing else; what is given is imported where it stands."""
    lines = [line for node in tree.body for line in range(node.lineno, node.end_lineno + 1)]
    return [
        node
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        and not is_given(node)
        and lines.count(node.lineno) == lines.count(node.end_lineno) == 1
    ]


def is_given(node: ast.stmt) -> bool:
    """Whether a statement imports a given part."""
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tinytorch.given.")


def format_code(code: str) -> str:
    """Sort the imports and lay the code out, by ruff, with no configuration but ours."""
    imports = ["check", "--select=I", "--fix", "--exit-zero", f"--config=lint.isort.known-first-party={OURS}"]
    for command in (imports, ["format"]):
        command = [find_ruff_bin(), *command, "--isolated", "--quiet", f"--config=line-length={WIDTH}", "-"]
        code = subprocess.run(command, input=code.encode(), capture_output=True, check=True).stdout.decode()
    return code


def _stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _docstring(module: Module, cells: Sequence[Source]) -> str:
    """The lesson's title and first paragraph."""
    text = next((cell.source for cell in cells if not cell.is_code), "")
    title, _, rest = text.strip().lstrip("#0123456789. ").partition("\n")
    paragraph = rest.strip().partition("\n\n")[0]
    paragraph = "" if paragraph.startswith(("#", "|", "<", "```")) else textwrap.fill(paragraph, 100)
    body = (title or module.title).rstrip(".") + "." + (f"\n\n{paragraph}\n" if paragraph else "")
    quoted = body.replace('"""', "'''")
    return f'{"r" if chr(92) in quoted else ""}"""{quoted}"""'
