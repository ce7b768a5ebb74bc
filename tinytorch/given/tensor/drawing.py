"""Two pictures: what views look at in memory, and how far the numbers of a type are apart."""

import numpy as np

__all__ = ["draw_spacing", "draw_views"]


def draw_views(layouts, cells=12):
    """Draw one strip of memory for each layout, with the order in which its view reads the cells.

    Args:
        layouts: a dict from the label of a strip to a `Layout`.
        cells: how many elements of memory a strip shows.

    Returns:
        A matplotlib Figure.
    """
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(9, 0.6 * len(layouts)), layout="constrained")
    for row, (name, layout) in enumerate(layouts.items()):
        order = [[] for _ in range(cells)]
        for number, index in enumerate(np.ndindex(layout.shape)):
            step = sum(i * stride for i, stride in zip(index, layout.strides))
            order[layout.offset + step].append(str(number))
        for cell, numbers in enumerate(order):
            color = "#8fbbdd" if numbers else "0.93"
            axis.barh(-row, 0.94, 0.7, cell - 0.47, color=color)
            axis.text(cell, -row, ", ".join(numbers), ha="center", va="center", fontsize=9)
        said = f"shape {layout.shape}  strides {layout.strides}  offset {layout.offset}"
        axis.text(-0.8, -row + 0.17, name, ha="right", va="center", family="monospace", fontsize=9)
        axis.text(-0.8, -row - 0.2, said, ha="right", va="center", fontsize=8, color="0.35")
    axis.set_xlim(-5.4, cells - 0.4)
    axis.axis("off")
    plt.close(figure)
    return figure


def draw_spacing(powers=range(-12, 26)):
    """Draw the distance from 2 to each power, in each floating point type, to the next number of the type.

    Returns:
        A matplotlib Figure.
    """
    import matplotlib.pyplot as plt

    figure, (near, axis) = plt.subplots(2, 1, figsize=(8, 5), layout="constrained", height_ratios=(1, 4))
    small = [m * 2.0**e / 4 for e in range(-2, 3) for m in range(4, 8)]
    near.plot(small, np.zeros(len(small)), "|", markersize=14)
    near.set_yticks([])
    near.set_xlim(-0.1, 8)
    near.set_title("the numbers of a type with 2 bits after the leading one", fontsize=10)
    for kind in (np.float16, np.float32, np.float64):
        numbers = [2.0**p for p in powers if 2.0**p < float(np.finfo(kind).max)]
        steps = [float(np.spacing(kind(x))) for x in numbers]
        axis.loglog(numbers, steps, drawstyle="steps-post", base=2, label=kind.__name__)
    axis.axhline(1, color="0.8", zorder=0, label="a distance of 1")
    axis.set_xlabel("number")
    axis.set_ylabel("distance to the next one")
    axis.legend()
    plt.close(figure)
    return figure
