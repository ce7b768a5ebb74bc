"""Drawings in place of the text diagrams of lessons, on the pages of the book; a notebook keeps its text, which any editor shows.

Each is an SVG element in the theme's colours, of at most 480 units' width, so that its words can be read on a phone.
"""

import math
import re
from collections.abc import Iterable, Sequence
from html import escape

HEIGHT = 26  # of a box
LETTER = 7.2  # the width of one, on average


def drawn(slug: str, markdown: str) -> str:
    """The prose of a lesson, its text diagrams replaced by those drawings that there are."""

    def replaced(block: re.Match) -> str:
        draws = [draw() for text, draw in DIAGRAMS.get(slug, {}).items() if text in block[0]]
        return draws[0] if draws else block[0]

    return re.sub(r"^```(?:text)?\n.*?^```$", replaced, markdown, flags=re.MULTILINE | re.DOTALL)


def picture(height: int, said: str, *parts: str, width: int = 480) -> str:
    """An SVG element, and what it shows in words."""
    tips = "".join(
        f'<marker id="{kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path class="{kind}" d="M0 0 8 4 0 8z"/></marker>'
        for kind in ("forward", "backward")
    )
    return (
        f'<svg class="diagram" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(said)}">'
        f"<defs>{tips}</defs>{''.join(parts)}</svg>"
    )


def words(x: float, y: float, said: str, kind: str = "", anchor: str = "middle") -> str:
    """A text around, or beginning or ending at, a point."""
    return f'<text class="{kind}" x="{x:g}" y="{y + 4.5:g}" text-anchor="{anchor}">{escape(said)}</text>'


def box(x: float, y: float, said: str, kind: str = "", corner: float = 5, width: float = 0) -> str:
    """A box around a point, by default as wide as its text."""
    width = width or LETTER * len(said) + 18
    rect = f'<rect class="{kind}" x="{x - width / 2:g}" y="{y - HEIGHT / 2:g}" width="{width:g}" height="{HEIGHT}" rx="{corner}"/>'
    return rect + words(x, y, said)


def arrow(*points: tuple[float, float], kind: str = "forward", tip: bool = True) -> str:
    """A line through points, with a tip at its end."""
    path = "L".join(f"{x:g} {y:g}" for x, y in points)
    end = f' marker-end="url(#{kind})"' if tip else ""
    return f'<path class="{kind}" d="M{path}"{end}/>'


def tree() -> str:
    """Module 03: modules in modules, and the names that a walk over them finds."""
    parts, y = [box(50, 95, "Network", "accent")], 20
    for name, shape in (("first", "(128, 784)"), ("last", "(10, 128)")):
        middle = y + 25
        parts += [arrow((84, 95), (112, middle)), box(168, middle, f"{name}: Linear", "accent", width=112)]
        for leaf, size in (("weight", shape), ("bias", f"({shape[1:-1].split(', ')[0]},)")):
            parts += [arrow((224, middle), (243, y)), box(274, y, leaf, width=62)]
            parts.append(words(316, y, f"{name}.{leaf} {size}", "code", "start"))
            y += 50
    said = (
        "A tree: Network has first and last, both Linear; each has a weight and a bias. A walk over it finds "
    )
    said += "first.weight (128, 784), first.bias (128,), last.weight (10, 128), last.bias (10,)"
    return picture(190, said, *parts)


def walk() -> str:
    """Module 06: z = x * y, w = z + y, forward down, gradients up, and their sum at the leaf that is used twice."""
    x, y, mul, add, end = (110, 25), (330, 25), (180, 105), (250, 185), (250, 250)
    forward = [
        arrow((102, 39), (158, 91)), arrow((300, 39), (204, 91)), arrow((188, 119), (231, 171)),
        arrow((335, 39), (268, 171)), arrow((246, 199), (246, 237)),
    ]  # fmt: skip
    backward = [
        arrow((172, 91), (116, 39), kind="backward"), arrow((216, 91), (312, 39), kind="backward"),
        arrow((241, 171), (198, 119), kind="backward"), arrow((276, 171), (343, 39), kind="backward"),
        arrow((256, 237), (256, 199), kind="backward"),
    ]  # fmt: skip
    gradients = [
        words(272, 219, "1", "backward", "start"), words(230, 142, "1", "backward", "start"), words(320, 110, "1", "backward", "start"),
        words(156, 60, "y", "backward", "start"), words(282, 72, "x", "backward", "start"),
        words(410, 25, "gradient 1 + x", "backward"), words(40, 25, "gradient y", "backward"),
    ]  # fmt: skip
    boxes = [
        box(*x, "x", corner=13), box(*y, "y", corner=13), box(*mul, "Mul 0", "accent"), box(*add, "Add 1", "accent"), box(*end, "w"),
        words(120, 105, "z = x * y", "code", "end"), words(200, 185, "w = z + y", "code", "end"),
    ]  # fmt: skip
    said = "A graph: the leaves x and y go into Mul, number 0; its result z and y go into Add, number 1, which gives w. "
    said += "Backward begins with 1 at w; Add sends 1 to Mul and 1 to y; Mul sends y to x and x to y; so y's gradient is 1 + x"
    order = words(8, 250, "numbers: the order of the calls", anchor="start") + words(
        284, 185, "w.grad_fn", "code", "start"
    )
    return picture(275, said, *forward, *backward, *gradients, *boxes, order)


def workers() -> str:
    """Module 05: tasks to two workers in turn, and their batches back in the order of the tasks."""
    parts = [box(42, 70, "parent", "accent"), box(438, 70, "parent", "accent")]
    for number, (y, sent, back) in enumerate(
        ((30, "5: [4, 0, 7]   7: [3, 8, 6]", "batches 5, 7"), (110, "6: [2, 9, 1]", "batch 6"))
    ):
        side = -13 if number == 0 else 13
        parts += [
            arrow((42, 70 + side), (42, y), (262, y)), words(50, y + side, sent, "code", "start"),
            box(304, y, f"worker {number}", width=82), arrow((346, y), (438, y), (438, 70 + side)),
            words(392, y + side, back, "code"),
        ]  # fmt: skip
    parts.append(words(402, 70, "in order: 5, 6, 7", anchor="end"))
    said = "The parent sends tasks 5 and 7 to worker 0 and task 6 to worker 1, each a number with the places of its samples; "
    return picture(
        140, said + "their batches come back to the parent, which hands them out in the order 5, 6, 7", *parts
    )


def merges() -> str:
    """Module 10: the letters of a word, joined pair by pair in the order of the ranks."""
    top, parts = [(40 + 80 * place, 22) for place in range(6)], []
    joined = [("es", 0, 3, 4, 80), ("est", 1, 3, 5, 138), ("lo", 2, 0, 1, 80), ("low", 3, 0, 2, 138)]
    places = dict(enumerate(top))  # of what each letter has become a part of
    for text, rank, first, last, y in joined:
        x = (places[first][0] + places[last][0]) / 2
        parts += [arrow((px, py + 13), (x, y - 13)) for px, py in {places[first], places[last]}]
        parts += [box(x, y, text, "accent"), words(x + 26, y + 12, f"rank {rank}", "code", "start")]
        places |= dict.fromkeys(range(first, last + 1), (x, y))
    parts += [box(*place, letter) for place, letter in zip(top, "lowest")]
    said = "The letters of lowest: first e and s are joined, rank 0, then es and t, rank 1, l and o, rank 2, lo and w, rank 3; "
    return picture(165, said + "no pair of low and est has a rank", *parts)


def mixtures() -> str:
    """Module 12: scores of queries and keys, weights by a softmax of each row, and mixtures of the values."""
    scores = [[2, 0, 1, -1, 0], [-1, 3, 0, 1, 0], [0, 0, -1, 1, 2]]
    total = [sum(map(math.exp, row)) for row in scores]
    weights = [[math.exp(score) / whole for score in row] for row, whole in zip(scores, total)]
    plain = [[0.0] * 3] * 5
    parts = [
        words(112, 28, "keys (S)"), words(2, 78, "queries", anchor="start"), words(2, 94, "(T)", anchor="start"),
        grid(75, 50, [[0.0] * 5] * 3), words(112, 118, "scores (T, S)"),
        arrow((158, 78), (238, 78)), words(196, 64, "softmax"), words(196, 94, "of each row"),
        grid(248, 50, weights), words(285, 118, "weights (T, S)"), words(336, 75, "·"),
        grid(350, 35, plain), words(372, 18, "values (S, e)"), words(410, 75, "="),
        grid(424, 50, [[0.0] * 3] * 3), words(430, 118, "a mixture for"), words(430, 134, "each query"),
    ]  # fmt: skip
    said = "Scores of T queries and S keys, by a softmax of each row, become weights; times the values (S, e) they give a mixture of "
    return picture(148, said + "the values for each query", *parts)


def grid(x: float, y: float, shares: Sequence[Sequence[float]], side: float = 15) -> str:
    """A matrix of squares, each filled by its share."""
    return "".join(
        f'<rect x="{x + side * column:g}" y="{y + side * row:g}" width="{side}" height="{side}"/>'
        f'<rect class="share" x="{x + side * column:g}" y="{y + side * row:g}" width="{side}" height="{side}" opacity="{share:.2f}"/>'
        for row, line in enumerate(shares)
        for column, share in enumerate(line)
    )


def block() -> str:
    """Module 13: the stream, and the two parts that read it and add to it."""
    parts, x, y, below = [words(16, 30, "x")], 30, 30, 100
    for norm, layer in (("ln_1", "attention"), ("ln_2", "mlp")):
        end = x + 190
        parts += [
            arrow((x, y), (end - 12, y), tip=False), arrow((x + 15, y), (x + 15, below), (x + 30, below)),
            arrow((x + 80, below), (x + 95, below)), arrow((x + 130, below), (end, below), (end, y + 12)),
            box(x + 56, below, norm, width=50), box(x + 138, below, layer, "accent", width=84),
            f'<circle cx="{end}" cy="{y}" r="12"/>', words(end, y, "+"),
        ]  # fmt: skip
        x += 202
    said = "A stream from left to right. From it, ln_1 and attention branch off, and their result is added to it; then ln_2 and mlp"
    return picture(125, said, *parts, arrow((x, y), (x + 30, y)))


def times() -> str:
    """Module 14: nested events, the time that is an event's own filled."""
    events = [("Block", 0, 0, 10), ("attn", 1, 1, 6), ("MatMul", 2, 2.5, 4.5), ("mlp", 1, 6.5, 9.5)]
    unit, left, parts = 20, 70, []
    for row, (name, depth, start, end) in enumerate(events):
        inner = [(a, b) for _, deeper, a, b in events if deeper == depth + 1 and start <= a and b <= end]
        spans = [end - start, *(b - a for a, b in inner)]
        own = spans[0] - sum(spans[1:])
        shown = f"{' - '.join(f'{part:g}' for part in spans)} = " if inner else ""
        y = 30 + 36 * row
        parts += [
            words(8 + 8 * depth, y, name, "code", "start"),
            bar(left + unit * start, y, unit * (end - start), ""),
        ]
        parts += own_time(left, unit, y, start, end, inner)
        parts.append(words(284, y, f"total {end - start:g}, self {shown}{own:g}", anchor="start"))
    said = "Four nested events on an axis of time: Block, total 10, self 2; in it attn, total 5, self 3, with MatMul, total and "
    said += (
        "self 2; and mlp, total and self 3. What an event does not spend in those that it called is filled"
    )
    return picture(165, said, *parts)


def own_time(left: float, unit: float, y: float, start: float, end: float, inner: Iterable) -> list[str]:
    """The filled parts of an event's bar: where none of those that it called runs."""
    edges = [start, *(edge for pair in inner for edge in pair), end]
    pairs = zip(edges[::2], edges[1::2])
    return [bar(left + unit * a, y, unit * (b - a), "accent filled") for a, b in pairs if b > a]


def bar(x: float, y: float, width: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x:g}" y="{y - 9:g}" width="{width:g}" height="18"/>'


# By a lesson's slug, what a text diagram contains, and what is drawn for it.
DIAGRAMS = {
    "layers": {"|-- first: Linear": tree},
    "dataloader": {"worker 1:  fetch": workers},
    "autograd": {"[ Mul 0 ]": walk},
    "tokenizer": {"ranks   (e,s): 0": merges},
    "attention": {"| scores  |": mixtures},
    "transformer": {"ln_1 ─ attention": block},
    "profiling": {"total 10, self 10 - 5 - 3 = 2": times},
}
