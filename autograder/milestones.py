"""The milestones' programs, and with which module each begins to run."""

import ast
from collections.abc import Iterator, Mapping

from autograder.course import Course, Module


def needed(course: Course) -> dict[str, Module]:
    """Each milestone by name with the last module whose names it uses, in the order of the modules."""
    found, owners = {}, {f"{place}.{name}": module for module in course.modules
                         for place, names in module.exports.items() for name in names}  # fmt: skip
    for path in sorted((course.root / "milestones").glob("[a-z]*.py")):
        used = [*_used(course, owners, ast.parse(path.read_text(encoding="utf-8")))]
        if used:
            found[path.stem] = max(used, key=course.modules.index)
    return dict(sorted(found.items(), key=lambda item: course.modules.index(item[1])))


def runnable(course: Course, needed: Mapping[str, Module]) -> Iterator[str]:
    """Those whose modules are all exported."""
    for name, last in needed.items():
        slugs = {last.slug}
        for module in reversed((*course.before(last), last)):
            if module.slug in slugs:
                slugs.update(module.requires)
        if all(module.package.exists() for module in course.modules if module.slug in slugs):
            yield name


def _used(course: Course, owners: Mapping[str, Module], tree: ast.Module) -> Iterator[Module]:
    """The modules that wrote what a program imports, or looks up in what it imports; `owners` of each name."""
    slugs, aliases = {module.slug: module for module in course.modules}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            aliases |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tinytorch"):
            yield from (slugs[word] for word in node.module.split(".")[1:3] if word in slugs)
            aliases |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    yield from (owners[name] for name in aliases.values() if name in owners)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, _, rest = ast.unparse(node).partition(".")
            name = f"{aliases.get(first, '')}.{rest}"
            if name in owners:
                yield owners[name]
