"""A notebook's exported cells, put together as one module that reads as if written by hand."""

import ast
import re
import subprocess
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from ruff.__main__ import find_ruff_bin

from autograder import files, notebook_stubs
from autograder.course import CourseError, Module
from autograder.notebook import MARK, Reading, defined_names, runnable

WIDTH, OURS = 110, ["tinytorch"]
IN_JUPYTER = re.compile(r"[%!?]|[\w., ]+=[ \t]*[%!]")


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
    places: tuple[
        tuple[int, int], ...
    ] = ()  # of each line, where it was put together: its cell, its number there

    def at(self, line: int | None) -> str:
        """What to call one of its lines."""
        cells = {number for number, _ in self.places}
        number, line = self.places[line - 1] if line and len(self.places) >= line else (0, line)
        return f"{self.where}, {f'in cell {number} ' if len(cells) > 1 else ''}line {line}"


def export(module: Module) -> None:
    """Write the learner's notebook of a module as `tinytorch/slug.py`, and say so."""
    from autograder import notebook_changes  # not in a kernel, which imports this file too, and waits
    from autograder.console import say

    reading = notebook_stubs.reading(module)
    put(module, reading)
    package, notebook = (
        path.relative_to(module.root).as_posix() for path in (module.package, module.notebook)
    )
    say(f"{package}: written from {notebook}")
    for remark in notebook_changes.of(reading):
        if remark.is_tested:
            say(f"{remark.said}.")


def put(module: Module, reading: Reading) -> None:
    """Write a notebook that has been read as `tinytorch/slug.py`."""
    origin = f"{module.notebook.relative_to(module.root).as_posix()}, by `make export {module.number}`"
    files.install(module.root, module.package, assemble(module, sources(module, reading), origin))


def sources(module: Module, reading: Reading) -> list[Source]:
    """The exported cells of a notebook that has been read, and its prose."""
    name = module.notebook.relative_to(module.root).as_posix()
    return [
        Source(f"{name}, {cell.label}", cell.source, cell.is_exported, cell.places)
        for cell in reading.cells
        if cell.is_exported or cell.type == "markdown"
    ]


def assemble(module: Module, cells: Sequence[Source], origin: str, tidy: bool = True) -> str:
    """Put the exported cells together: docstring, imports, `__all__`, then the cells in their order."""
    exported = [cell for cell in cells if cell.is_code]
    if not exported:
        raise ExportError(f"{origin.partition(',')[0]}: no cell is marked #| export")
    imports, names, bodies = [], [], []
    for cell in exported:
        check(cell)
        code, _ = runnable(cell.source)
        lines = [line for line in code.split("\n") if not MARK.search(line)]
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


def check(cell: Source) -> None:
    """Compile a cell, or say where in the notebook it goes wrong."""
    try:
        compile(runnable(cell.source)[0], cell.where, "exec")
    except SyntaxError as error:
        bad = (error.text or "").strip()
        message = "a magic or shell line cannot be exported" if IN_JUPYTER.match(bad) else error.msg
        raise CompileError(f"{cell.at(error.lineno)}: {message}: {bad}") from None
    except ValueError as error:  # a null byte
        raise CompileError(f"{cell.where}: {error}") from None


def hoisted(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """The imports at the top level that have a line to themselves; given parts are imported where they are."""
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


def _docstring(module: Module, cells: Sequence[Source]) -> str:
    """The lesson's title and first paragraph."""
    text = next((cell.source for cell in cells if not cell.is_code), "")
    title, _, rest = text.strip().lstrip("#0123456789. ").partition("\n")
    paragraph = rest.strip().partition("\n\n")[0]
    paragraph = "" if paragraph.startswith(("#", "|", "<", "```")) else textwrap.fill(paragraph, 100)
    body = (title or module.title).rstrip(".") + "." + (f"\n\n{paragraph}\n" if paragraph else "")
    quoted = body.replace('"""', "'''")
    return f'{"r" if chr(92) in quoted else ""}"""{quoted}"""'
