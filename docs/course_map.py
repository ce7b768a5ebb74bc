"""The map of the course: an SVG picture and a table, from course.yaml and the milestones' programs.

Modules stand in layers, each below all that it requires; a long arrow passes a layer at a place of its own. Within a layer
what is connected is brought close, by barycenters (Sugiyama, Tagawa and Toda, 1981).
"""

import ast
from functools import cache
from html import escape
from itertools import pairwise
from statistics import mean

from autograder import milestones
from autograder.course import Course, Module

# Of a box, between boxes, from layer to layer, around all.
WIDTH, HEIGHT, GAP, LAYER, MARGIN = 140, 44, 10, 84, 14
SWEEPS = 12


def dated(course: Course) -> list[tuple[str, str, Module]]:
    """What each milestone is, which begins with its year, its name, and the last module that it uses; by their years."""
    found = []
    for name, last in milestones.needed(course).items():
        text = (course.root / "milestones" / f"{name}.py").read_text(encoding="utf-8")
        found.append((ast.get_docstring(ast.parse(text)).partition("\n")[0], name, last))
    return sorted(found, key=lambda each: each[0])


def programs(course: Course) -> str:
    """The milestones with what each is, and its module, as Markdown."""
    return "\n".join(
        f"## {name}\n\n{said}\n\nIt runs once [{last.label} {last.title}](lessons/{last.name}.ipynb) is done: "
        f"`make milestone {name}`.\n"
        for said, name, last in dated(course)
    )


def arrows(course: Course) -> list[tuple[str, str]]:
    """From a module to one that requires it, but for what is required through another as well."""
    requires = {module.slug: module.requires for module in course.modules}

    @cache
    def before(slug: str) -> frozenset[str]:
        return frozenset(requires[slug]).union(*map(before, requires[slug]))

    return [
        (first, slug)
        for slug, firsts in requires.items()
        for first in firsts
        if not any(first in before(other) for other in firsts)
    ]


def layers(course: Course) -> tuple[list[list], list[tuple]]:
    """The layers from the top, in which long arrows have points (first, then, depth), and the arrows' single steps."""
    drawn, depth, steps = arrows(course), {}, []
    for module in course.modules:
        depth[module.slug] = max(
            (depth[first] + 1 for first, slug in drawn if slug == module.slug), default=0
        )
    rows = [[slug for slug in depth if depth[slug] == row] for row in range(max(depth.values()) + 1)]
    for first, then in drawn:
        path = [first, *((first, then, row) for row in range(depth[first] + 1, depth[then])), then]
        steps += pairwise(path)
        for point in path[1:-1]:
            rows[point[2]].append(point)
    place = {point: index for row in rows for index, point in enumerate(row)}
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 else reversed(rows):
            near = {
                point: [place[b if a == point else a] for a, b in steps if point in (a, b)] for point in row
            }
            row.sort(key=lambda point: mean(near[point] or [place[point]]))
            place |= {point: index - len(row) / 2 for index, point in enumerate(row)}
    return rows, steps


def picture(course: Course) -> str:
    """The map as an SVG element, whose boxes lead to the lessons."""
    rows, steps = layers(course)
    wide = {point: GAP if isinstance(point, tuple) else WIDTH for row in rows for point in row}
    width = max(sum(wide[point] + GAP for point in row) for row in rows) + 2 * MARGIN
    centre = {}
    for depth, row in enumerate(rows):
        x = (width - sum(wide[point] + GAP for point in row) + GAP) / 2
        for point in row:
            centre[point] = x + wide[point] / 2, MARGIN + HEIGHT / 2 + depth * LAYER
            x += wide[point] + GAP
    lines = "".join(
        map(line, ((centre[a], centre[b], isinstance(a, tuple), isinstance(b, tuple)) for a, b in steps))
    )
    ends = dated(course)
    boxes = "".join(
        box(module, *centre[module.slug], [name for _, name, last in ends if last == module])
        for module in course.modules
    )
    height = 2 * MARGIN + HEIGHT + (len(rows) - 1) * LAYER
    said = "Map of the course: an arrow leads from a module to one that uses it; the table below says the same in words"
    return (
        f'<svg class="course-map" viewBox="0 0 {width:.0f} {height:.0f}" role="group" aria-label="{said}">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 8 4 0 8z"/></marker></defs>{lines}{boxes}</svg>'
    )


def line(step: tuple) -> str:
    """A piece of an arrow, from the lower edge of a box to the upper edge of the next, or through a long arrow's point."""
    (x0, y0), (x1, y1), passes_first, passes_second = step
    y0, y1 = y0 + HEIGHT / 2, y1 - HEIGHT / 2
    through = f"M{x0:.0f} {y0 - HEIGHT:.0f}V{y0:.0f}" if passes_first else f"M{x0:.0f} {y0:.0f}"
    middle = (y0 + y1) / 2
    tip = "" if passes_second else ' marker-end="url(#tip)"'
    return f'<path d="{through}C{x0:.0f} {middle:.0f} {x1:.0f} {middle:.0f} {x1:.0f} {y1:.0f}"{tip}/>'


def box(module: Module, x: float, y: float, ends: list[str]) -> str:
    """A module's box, with the milestones that run once it is done."""
    title = f"{module.label} {module.title.partition(':')[0]}"
    below = (
        f'<text class="milestone" x="{x:.0f}" y="{y + 14:.0f}">⚑ {escape(", ".join(ends))}</text>'
        if ends
        else ""
    )
    return (
        f'<a href="lessons/{module.name}.html" class="{module.tier}">'
        f'<rect x="{x - WIDTH / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
        f'<text x="{x:.0f}" y="{y + (-3 if ends else 5):.0f}">{escape(title)}</text>{below}</a>'
    )


def table(course: Course) -> str:
    """The map in words, as Markdown: of each module its hours, and what it gives to which later one."""
    ends = dated(course)
    rows = ["| module | hours | uses | is used by | then runs |", "|---|---|---|---|---|"]

    def links(slugs):
        modules = map(course.find, slugs)
        return ", ".join(f"[{module.label}](lessons/{module.name}.ipynb)" for module in modules)

    for module in course.modules:
        later = [other.slug for other in course.modules if module.slug in other.requires]
        runs = ", ".join(f"[{name}](milestones.md#{name})" for _, name, last in ends if last == module)
        title = f"[{module.label} {module.title}](lessons/{module.name}.ipynb)"
        rows.append(f"| {title} | {module.hours:g} | {links(module.requires)} | {links(later)} | {runs} |")
    return "\n".join(rows) + "\n"
