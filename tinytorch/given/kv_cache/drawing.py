"""The pictures of the lesson: which positions a step sees, and what a token costs at each length."""

import numpy as np
from matplotlib.colors import ListedColormap

__all__ = []


def draw_windows(axes, seen, title):
    """Colour the tokens that each step sees: of each its first, its last + 1, and whether it starts again."""
    picture = np.zeros((len(seen), max(last for _, last, _ in seen)))
    for step, (first, last, _) in enumerate(seen):
        picture[step, first:last] = 1
        picture[step, last - 1] = 2
    colours = ListedColormap(["white", "lightsteelblue", "tab:blue"])
    axes.imshow(picture, cmap=colours, aspect="auto", interpolation="nearest", vmin=0, vmax=2)
    for colour, label in (("lightsteelblue", "seen"), ("tab:blue", "the newest token")):
        axes.plot([], [], "s", color=colour, label=label)
    steps = [step for step, (_, _, again) in enumerate(seen) if again]
    axes.plot(
        [seen[step][0] - 1 for step in steps], steps, ">", color="tab:red", markersize=4, label="starts again"
    )
    axes.legend(frameon=False, fontsize=8, loc="upper right")
    axes.set_title(title, fontsize=10)
    axes.set_xlabel("token of the text")
    axes.set_ylabel("step")


def draw_times(axes, lengths, times, title):
    """Plot milliseconds for a token, a dict from names to lists, against the tokens before it."""
    for (name, values), colour, mark in zip(times.items(), ("tab:red", "tab:blue", "tab:green"), "osv"):
        axes.plot(lengths, np.array(values) * 1e3, color=colour, marker=mark, label=name)
    axes.set(xscale="log", yscale="log")
    axes.set_xticks(lengths, [f"{length:,}" for length in lengths])
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("tokens so far")
    axes.set_ylabel("ms for the next token")
    axes.set_title(title, fontsize=10)
    axes.legend(frameon=False, fontsize=9)
