"""The pictures of the lesson: which positions a step sees, and what a token costs at each length."""

import numpy as np

__all__ = []


def draw_windows(axes, seen, title):
    """Colour the tokens that each step sees, from `seen`: the first and the last + 1 of every step."""
    picture = np.zeros((len(seen), max(last for _, last in seen)))
    for step, (first, last) in enumerate(seen):
        picture[step, first:last] = 1
        picture[step, last - 1] = 2
    axes.imshow(picture, cmap="Blues", aspect="auto", interpolation="nearest", vmin=0, vmax=2.6)
    axes.set_title(title, fontsize=10)
    axes.set_xlabel("token of the text")
    axes.set_ylabel("step")


def draw_times(axes, lengths, times, title):
    """Plot milliseconds for a token, a dict from names to lists, against the tokens before it."""
    for (name, values), colour, mark in zip(times.items(), ("tab:red", "tab:blue", "tab:green"), "osv"):
        axes.plot(lengths, np.array(values) * 1e3, color=colour, marker=mark, label=name)
    axes.set_xticks(lengths[::2], [f"{length:,}" for length in lengths[::2]])
    axes.set_ylim(bottom=0)
    axes.set_xlabel("tokens so far")
    axes.set_ylabel("ms for the next token")
    axes.set_title(title, fontsize=10)
    axes.legend(frameon=False, fontsize=9)
