"""The pictures of the lesson: losses while training, chances of the next token, stacks of several depths."""

__all__ = []


def draw_losses(runs, baseline):
    """Plot losses on held-out text, of each run a dict from steps to nats, over that of the bigrams."""
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(figsize=(5, 3))
    for name, losses in runs.items():
        axes.plot(losses.keys(), losses.values(), "o-", label=name)
    axes.axhline(baseline, color="tab:red", label="bigram")
    axes.set(xlabel="step", ylabel="held-out loss, nats for a character")
    axes.set_ylim(2.3, 3.2)  # before the first step it is near ln 128 = 4.85
    axes.legend(fontsize=8, loc="upper right")


def draw_chances(ways, shown=12):
    """Draw the chances (V,) of the likeliest characters as learned, for each way to change them."""
    import matplotlib.pyplot as plt

    order = (-ways["as learned"]).argsort(kind="stable")[:shown]
    _, places = plt.subplots(1, len(ways), figsize=(10, 2.2), sharey=True, layout="constrained")
    for axes, (name, chances) in zip(places, ways.items()):
        axes.bar(range(shown), chances[order])
        axes.set_xticks(range(shown), [chr(token) for token in order], size=8)
        axes.set_title(name, size=9)
    places[0].set_ylabel("chance")


def draw_depths(runs):
    """Plot each run's losses, and what arrives at each layer of the deepest ones; post-norm is red."""
    import matplotlib.pyplot as plt

    _, (left, right) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
    deepest = max(len(arrived) for _, arrived in runs.values())
    for name, (losses, arrived) in runs.items():
        colour, deep = "tab:red" if name.startswith("post") else "tab:blue", len(arrived) == deepest
        left.plot(losses, "-" if deep else ":", color=colour, label=name)
        if deep:
            right.semilogy(range(1, deepest + 1), arrived, "o-", color=colour, label=name)
    left.set(xlabel="step", ylabel="loss, nats", ylim=(0, 3))
    right.set(xlabel="layer", ylabel="gradient of its weights, last step")
    for axes in (left, right):
        axes.legend(fontsize=8)
