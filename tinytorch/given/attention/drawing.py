"""Pictures of what heads look at."""

__all__ = ["attention_map"]


def attention_map(weights, queries=None, keys=None, titles=None):
    """Draw weights as heat maps: a row for each query, a column for each key, a picture for each head.

    Args:
        weights: attention weights (T, S) or (H, T, S), a Tensor.
        queries, keys: labels of the rows and columns, such as the tokens; keys left out are the queries.
        titles: one for each head.

    Returns:
        A matplotlib Figure.
    """
    import matplotlib.pyplot as plt

    maps = weights.detach().numpy()
    maps = maps[None] if maps.ndim == 2 else maps
    keys = queries if keys is None else keys
    side = max(2.4, 0.16 * max(maps.shape[1:]))
    size = side * len(maps), side + 0.4
    figure, places = plt.subplots(1, len(maps), figsize=size, squeeze=False, layout="constrained")
    plt.close(figure)  # shown by whoever gets it, once
    for number, (axes, head) in enumerate(zip(places[0], maps)):
        axes.imshow(
            head, cmap="viridis", vmin=0, vmax=max(head.max(initial=0), 1e-9), interpolation="nearest"
        )
        axes.set_title(titles[number] if titles else f"head {number}", fontsize=9)
        for labels, axis in ((keys, axes.xaxis), (queries, axes.yaxis)):
            if labels is not None:
                axis.set_ticks(range(len(labels)), labels=list(labels), fontsize=7)
        axes.tick_params(axis="x", labelrotation=90 if keys is not None and max(map(len, keys)) > 1 else 0)
    return figure
