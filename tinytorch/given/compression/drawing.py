"""The pictures of the lesson: a mask and what it leaves of each pixel, a schedule, and fronts."""

import numpy as np

__all__ = []

COLOURS = ("black", "tab:gray", "tab:blue", "tab:cyan", "tab:green", "tab:orange", "tab:purple", "tab:red")
MARKS = "osDdv^P*"


def draw_masks(axes, layer, other):
    """The mask of a layer that sees 8 x 8 pixels; how many units see each, there and in another."""
    masks = layer.weight_mask.numpy(), other.weight_mask.numpy()
    axes[0].imshow(masks[0].T, cmap="Blues", aspect="auto", interpolation="nearest")
    axes[0].set(xlabel="unit", ylabel="pixel", title="weights that are left (dark)")
    for axis, mask, title in zip(axes[1:], masks, ("by magnitude", "by magnitude times input")):
        picture = axis.imshow(mask.sum(0).reshape(8, 8), cmap="Blues", vmin=0)
        axis.set_title(f"units that see a pixel,\n{title}", fontsize=9)
        axis.set(xticks=[], yticks=[])
        axis.figure.colorbar(picture, ax=axis)


def draw_schedule(axes, schedule, steps):
    """The share of zeros that a schedule wants, and where it prunes."""
    t = np.arange(steps + 1)
    axes.plot(t, [100 * schedule.share_at(step) for step in t], color="tab:blue")
    regular = (t > schedule.begin) & (t < schedule.end) & ((t - schedule.begin) % schedule.every == 0)
    due = t[regular | (t == schedule.end)]
    axes.plot(due, [100 * schedule.share_at(step) for step in due], ".", color="tab:blue")
    axes.set(xlabel="step", ylabel="% zeros", ylim=(0, 100))


def draw_front(axes, rows, in_front):
    """Accuracy against size and against time; a ring and a name for what nothing beats."""
    families = list(dict.fromkeys(family for family, *_ in rows))
    for axis, column, label in zip(axes, (2, 3), ("bytes in a file", "ms for 360 images")):
        for family, colour, mark in zip(families, COLOURS, MARKS):
            x, y = zip(*((row[column], row[4]) for row in rows if row[0] == family))
            axis.scatter(x, y, color=colour, marker=mark, label=family)
        named = sorted((row for row, front in zip(rows, in_front) if front), key=lambda row: row[4])
        for number, row in enumerate(named):  # neighbours have their names on different sides
            place, (offset, side) = (row[column], row[4]), ((8, "left"), (-8, "right"))[number % 2]
            axis.scatter(*place, s=130, facecolors="none", edgecolors="black", linewidths=0.8)
            text = {"xytext": (offset, 0), "textcoords": "offset points", "fontsize": 7}
            axis.annotate(row[1], place, ha=side, va="center", **text)
        costs = [row[column] for row in rows]
        ticks = [digit * 10.0**power for power in range(-3, 6) for digit in (1, 2, 5)]
        axis.set_xscale("log")
        axis.margins(x=0.1)
        ticks = [tick for tick in ticks if min(costs) * 0.8 < tick < max(costs) * 1.25]
        axis.set_xticks(ticks, [f"{tick:,.10g}" for tick in ticks])
        axis.set_xticks([], minor=True)
        axis.set(xlabel=label, ylabel="% right", ylim=(max(min(row[4] for row in rows) - 2, 75), 100))
    axes[1].legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
