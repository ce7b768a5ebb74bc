"""The pictures of the lesson: grid-stride loop, tiles and registers of a product, banks, the ladder."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

__all__ = []

COLORS = plt.get_cmap("tab10").colors


def draw_blocks(blocks, threads, size):
    """Which thread takes which number in a grid-stride loop: one row for each round."""
    grid = blocks * threads
    _figure, axes = plt.subplots(figsize=(0.75 * grid + 1, 0.55 * -(-size // grid) + 1))
    for i in range(-(-size // grid) * grid):
        row, column = divmod(i, grid)
        inside = i < size
        color = (*COLORS[column // threads], 0.35) if inside else (1, 1, 1)
        axes.add_patch(Rectangle((column, -row), 0.92, 0.8, facecolor=color, edgecolor="0.6"))
        axes.text(column + 0.46, 0.4 - row, str(i) if inside else "", ha="center", va="center")
    for block in range(blocks):
        axes.text(block * threads, 1.45, f"block {block}", color=COLORS[block], fontsize=9)
    for column in range(grid):
        axes.text(column + 0.46, 1.05, f"thread {column % threads}", ha="center", fontsize=8)
    for row in range(-(-size // grid)):
        axes.text(-0.15, 0.4 - row, f"round {row + 1}", ha="right", va="center", fontsize=9)
    axes.set(xlim=(-1, grid), ylim=(-(-(-size // grid) - 1) - 0.2, 1.8))
    axes.axis("off")
    plt.show()


def draw_tiles():
    """One block of the tiled product: its tile of the result, and the pairs of tiles it goes through."""
    _figure, axes = plt.subplots(1, 3, figsize=(9, 3.2))
    rounds = [COLORS[0], COLORS[1], COLORS[2], COLORS[4]]
    titles = "a: one row of tiles", "b: one column of tiles", "out: the block's tile"
    for number, (ax, title) in enumerate(zip(axes, titles)):
        for row in range(4):
            for column in range(4):
                used = (row == 1, column == 2, row == 1 and column == 2)[number]
                round_ = (column, row, None)[number]
                color = rounds[round_] if used and round_ is not None else "0.35" if used else "1"
                ax.add_patch(Rectangle((column, 3 - row), 1, 1, facecolor=color, edgecolor="0.6", alpha=0.8))
                if used:
                    text = "sum" if round_ is None else f"round {round_ + 1}"
                    ax.text(
                        column + 0.5, 3.5 - row, text, ha="center", va="center", fontsize=8, color="white"
                    )
        ax.set(xlim=(-0.1, 4.1), ylim=(-0.1, 4.1), aspect="equal", title=title)
        ax.axis("off")
    plt.show()


def draw_registers():
    """What one thread has of the product: its rows of a, its columns of b, its totals; with TILE = 2."""
    tile, work, depth, x, y = 2, 4, 3, 1, 0
    side = tile * work
    _figure, axes = plt.subplots(figsize=(6, 4.6))

    def cells(left, top, rows, columns, chosen, text):
        for row in range(rows):
            for column in range(columns):
                color = (*COLORS[chosen(row, column)], 0.8) if chosen(row, column) is not None else "1"
                axes.add_patch(Rectangle((left + column, top - row), 1, 1, facecolor=color, edgecolor="0.7"))
        axes.text(left + columns / 2, top + 1.25, text, ha="center", fontsize=9)

    mine = lambda row, column: 2 if row % tile == y and column % tile == x else None
    cells(0, 0, side, depth, lambda row, d: 0 if row % tile == y and d == 1 else None, "a_slab, turned")
    cells(depth + 1, depth + 2, depth, side, lambda d, c: 1 if c % tile == x and d == 1 else None, "b_slab")
    cells(depth + 1, 0, side, side, mine, f"the numbers of thread x, y = {x}, {y}")
    axes.set(xlim=(-0.2, depth + side + 1.2), ylim=(-side + 0.8, depth + 3.9), aspect="equal")
    axes.axis("off")
    plt.show()


def draw_lines():
    """The banks of a tile 8 wide and one 9 wide, with 8 banks: where the words of a column stand."""
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.6))
    for ax, width in zip(axes, (8, 9)):
        words = np.arange(8 * width).reshape(8, width)
        for (row, column), word in np.ndenumerate(words):
            unused, chosen = column == 8, column == 3
            color = "0.9" if unused else (*plt.get_cmap("hsv")(word % 8 / 8)[:3], 0.85 if chosen else 0.2)
            ax.add_patch(
                Rectangle((column, 7 - row), 1, 1, facecolor=color, edgecolor="black" if chosen else "0.7")
            )
            if not unused:
                ax.text(column + 0.5, 7.5 - row, str(word % 8), ha="center", va="center", fontsize=8)
        banks = len(set(words[:, 3] % 8))
        ax.set(xlim=(-0.1, 9.1), ylim=(-0.1, 8.1), aspect="equal")
        ax.set_title(f"tile 8 x {width}: column 3 is in {banks} bank{'s' * (banks > 1)}", fontsize=10)
        ax.axis("off")
    figure.suptitle("the bank of each word, with 8 banks in place of 32", fontsize=10, y=0.02)
    plt.show()


def draw_ladder(steps, products):
    """Kernels of a product, for each multiply-add: bytes, words of shared memory, instructions; the roofline.

    steps: name -> (what the simulator saw, instructions or None). An H100 has 67 Tflop/s and 3.35 TB/s.
    """
    figure, axes = plt.subplots(1, 4, figsize=(11, 2.8))
    bytes_read = [4 * seen.loads / products for seen, _ in steps.values()]
    panels = (
        ("bytes read from memory", bytes_read),
        (
            "words to and from\nshared memory",
            [32 * seen.shared_requests / products for seen, _ in steps.values()],
        ),
        ("instructions", [instructions for _, instructions in steps.values()]),
        (
            "share of 67 Tflop/s that the\nmemory allows, in %",
            [100 * min(1, 2 / b * 3.35 / 67) for b in bytes_read],
        ),
    )
    for ax, (title, values) in zip(axes, panels):
        if None in values:
            ax.text(0.5, 0.5, "no compiler is installed", ha="center", va="center", transform=ax.transAxes)
        else:
            bars = ax.bar(list(steps), values, color=COLORS[: len(steps)])
            ax.bar_label(bars, fmt="%.3g", fontsize=8)
            ax.margins(y=0.15)
        ax.set_title(title, fontsize=9)
        ax.set_yticks([])
        ax.tick_params(labelsize=8)
        ax.spines[["top", "right", "left"]].set_visible(False)
    figure.suptitle("for each multiply-add", fontsize=10, x=0.4, y=1.02)
    figure.tight_layout()
    plt.show()
