"""A picture of the graph that `walk` follows."""

from tinytorch.tensor import Tensor

__all__ = ["draw_graph"]


def draw_graph(output, names=None):
    """Draw the graph that backward will walk from `output`: boxes for operations, ellipses for leaves.

    Args:
        output: a Tensor that requires a gradient.
        names: leaf Tensors by name, as in `dict(model.named_parameters())`; others show their shape.

    Returns:
        A matplotlib Figure, inputs at the top, the output at the bottom.
    """
    import matplotlib.pyplot as plt

    if not output.requires_grad:
        raise RuntimeError("the tensor does not require grad, so there is no graph to draw")
    labels = {id(x): name for name, x in (names or {}).items()}
    nodes, depth = [output.edge()[0]], {}
    for node in nodes:  # grows while it is walked
        children = [edge[0] for edge in getattr(node, "edges", ()) if edge is not None]
        nodes.extend(child for child in children if all(child is not n for n in nodes))
    for node in sorted(nodes, key=lambda n: getattr(n, "number", -1)):
        above = [depth[id(edge[0])] for edge in getattr(node, "edges", ()) if edge is not None]
        depth[id(node)] = max(above, default=-1) + 1
    levels = {}
    for node in nodes:
        levels.setdefault(depth[id(node)], []).append(node)
    place = {
        id(node): (2.2 * (i - (len(level) - 1) / 2), -row)
        for row, level in levels.items()
        for i, node in enumerate(level)
    }
    width, height = 2.2 * max(map(len, levels.values())), len(levels)
    figure, axes = plt.subplots(figsize=(max(width, 3), 0.75 * height), layout="constrained")
    plt.close(figure)  # shown by whoever gets it, once
    for node in nodes:
        leaf = isinstance(node, Tensor)
        text = labels.get(id(node), f"leaf {tuple(node.shape)}") if leaf else node.name()
        box = {"boxstyle": "round" if leaf else "square", "fc": "#d9ead3" if leaf else "#eeeeee", "ec": "0.4"}
        axes.text(*place[id(node)], text, ha="center", va="center", size=9, bbox=box)
        for edge in getattr(node, "edges", ()):
            if edge is not None:
                arrow = {"arrowstyle": "->", "color": "0.5", "shrinkA": 12, "shrinkB": 12}
                axes.annotate("", place[id(edge[0])], place[id(node)], arrowprops=arrow)
    axes.set(xlim=(-width / 2 - 0.3, width / 2 + 0.3), ylim=(-height + 0.4, 0.6))
    axes.axis("off")
    return figure
