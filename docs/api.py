"""The names of tinytorch, a page for each module: PyTorch's counterpart, who writes it, and its docstring.

Names and places are course.yaml's, docstrings and signatures the reference's.
"""

import inspect
import json
import re
from importlib import import_module

from autograder import lesson
from autograder.course import Course, Module
from autograder.notebook import defined_names

PYTORCH = "tests/golden/recorded/names.json"  # the names of PyTorch's places, as recorded
HEAD = """# API: {label} {title}

{count} public names come with [{label} {title}](../lessons/{name}.ipynb). Where it says *you write it*, a stub of that notebook
asks for it; *to read* is shown in the notebook; *given* is in `tinytorch/given/{slug}/`, and calls what you wrote.
"""


def page(course: Course, module: Module) -> str:
    """The public names of a module, by the places where PyTorch has them, as Markdown."""
    theirs = json.loads((course.root / PYTORCH).read_text(encoding="utf-8"))
    origins = written(module)
    count = sum(map(len, module.exports.values()))
    parts = [
        HEAD.format(count=count, title=module.title, label=module.label, name=module.name, slug=module.slug)
    ]
    for place, names in module.exports.items():
        known = set(theirs.get(place.removeprefix("tinytorch"), names))  # others are PyTorch's as a whole
        parts.append(f"## {place}\n")
        for name in sorted(names, key=str.lower):
            torch = (
                f"PyTorch's `{place.replace('tiny', '', 1)}.{name}`" if name in known else "not in PyTorch"
            )
            origin = origins.get(name, "given")
            parts.append(entry(place, name, getattr(import_module(place), name), f"{torch}; {origin}"))
    return "\n".join(parts)


def written(module: Module) -> dict[str, str]:
    """Where the names of a lesson come from that it defines itself: a stub, or a cell to read."""
    cells = [cell for cell in lesson.read_cells(module) if cell.kind in ("stub", "export")]
    return {
        name: f"you write it, stub `{cell.name}`" if cell.kind == "stub" else "to read"
        for cell in cells
        for name in defined_names(lesson.parse(module, cell))
    }


def entry(place: str, name: str, value: object, line: str) -> str:
    """A name as Sphinx's Python domain describes it, with its docstring as it is written."""
    kind = "class" if isinstance(value, type) else "function" if callable(value) else "data"
    first, _, more = (
        inspect.cleandoc(value.__doc__ or "").partition("\n\n") if kind != "data" else ("", "", "")
    )
    body = f"\n{plain(first)}\n" + (f"\n````text\n{more}\n````\n" if more else "")
    return f"`````{{py:{kind}}} {place}.{name}{signature(value) if kind != 'data' else ''}\n{line}\n{body}`````\n"


def plain(text: str) -> str:
    """A paragraph whose only markup is code in backticks, as Markdown."""
    parts = re.split(r"(`[^`]+`)", text)
    parts[::2] = [re.sub(r"([\\*_$<>\[\]{}#|~`+>.()-])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def signature(value: object) -> str:
    """The parameters, with defaults that are objects as dots."""
    try:
        found = str(inspect.signature(value))
    except (TypeError, ValueError):
        return "()"
    return re.sub(r"<[^<>]*(<[^<>]*>)?[^<>]*>", "...", found)


def overview(course: Course) -> str:
    """The list of the pages, with the count of names that a learner writes in each."""
    rows = ["| module | names | of them yours to write | places |", "|---|---|---|---|"]
    for module in course.modules:
        names = [name for names in module.exports.values() for name in names]
        origins = written(module)
        own = sum("stub" in origins.get(name, "") for name in names)
        places = ", ".join(f"`{place}`" for place in module.exports)
        rows.append(
            f"| [{module.label} {module.title}](api/{module.name}.md) | {len(names)} | {own} | {places} |"
        )
    return "\n".join(rows) + "\n"
