"""Tables and pictures of results: runs in their order, ratios with intervals, and the coverage of rules."""

import numpy as np

from tinytorch.given.benchmarking.units import unit_of

__all__ = ["draw_benchmarks", "draw_comparisons", "table"]


def table(results):
    """A table of Benchmarks by name, as text; the longer of a row's warnings appear only in `str()`.

    Args:
        results: a dict from names to Benchmarks.
    """
    width = max(map(len, ["program", *results]))
    unit, scale = unit_of(min(found.median for found in results.values()))
    rows = [
        f"{'program':{width}} {'median':>10} {'95% interval':>23} {'mean':>10} {'sd':>9} {'runs':>6} ({unit})"
    ]
    for name, found in results.items():
        ends = " to ".join(f"{end * scale:.4g}" for end in found.interval)
        told = ", ".join(sentence.partition(":")[0] for sentence in found.warnings)
        rows.append(
            f"{name:{width}} {found.median * scale:10.4g} {ends:>23} {found.mean * scale:10.4g} "
            f"{found.sd * scale:9.2g} {len(found.times):6}  {told}"
        )
    return "\n".join(row.rstrip() for row in rows)


def draw_benchmarks(results):
    """Draw the runs of Benchmarks by name, in their order, with the median and its interval."""
    from matplotlib import pyplot as plt

    _, axes = plt.subplots(
        1, len(results), figsize=(1 + 3.6 * len(results), 2.8), layout="constrained", squeeze=False
    )
    for axis, (name, found) in zip(axes[0], results.items()):
        unit, scale = unit_of(found.median)
        axis.plot(np.arange(1, len(found.times) + 1), found.times * scale, ".", ms=4, color="tab:blue")
        axis.axhline(found.median * scale, color="tab:red", lw=1)
        if np.isfinite(found.interval[1]):
            axis.axhspan(*(end * scale for end in found.interval), color="tab:red", alpha=0.2, lw=0)
        top = min(found.times.max() * 1.02, found.median * 1.5) * scale
        bottom = found.times.min() * 0.98 * scale
        beyond = int((found.times * scale > top).sum())
        axis.set(
            title=name, xlabel=f"run ({beyond} above)" if beyond else "run", ylabel=unit, ylim=(bottom, top)
        )
    plt.show()


def draw_comparisons(comparisons):
    """Draw the ratio of each Comparison as a point with its interval, with a line for no difference."""
    from matplotlib import pyplot as plt

    _, axis = plt.subplots(figsize=(6.5, 0.8 + 0.45 * len(comparisons)), layout="constrained")
    axis.axvline(1, color="gray", lw=1, ls=":")
    colours = {"faster": "tab:green", "slower": "tab:red"}
    for row, found in enumerate(comparisons):
        colour = colours.get(found.verdict, "black")
        axis.plot([found.ratio], [row], "o", color=colour, ms=4)
        if np.isfinite(found.interval[1]):
            axis.plot(found.interval, [row, row], "|-", color=colour, lw=1.5, ms=12)
    axis.set_yticks(
        range(len(comparisons)), [f"{a} over {b}" for a, b in (found.names for found in comparisons)]
    )
    axis.set(xlabel="ratio of their times", xscale="log", ylim=(len(comparisons) - 0.5, -0.5))
    ends = [x for found in comparisons for x in (found.ratio, *found.interval) if 0 < x < np.inf]
    left, right = min(*ends, 1) / 1.1, max(*ends, 1) * 1.1
    ticks = [t for e in range(-3, 4) for t in (10**e, 2 * 10**e, 5 * 10**e) if left <= t <= right]
    axis.set_xlim(left, right)
    axis.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axis.minorticks_off()
    plt.show()


def draw_coverage(coverages, sizes):
    """Draw the coverage of rules by kind of machine: `coverages[rule][kind]` has one share for each size."""
    from matplotlib import pyplot as plt

    _, axes = plt.subplots(
        1, len(coverages), figsize=(1.6 + 2.6 * len(coverages), 2.9), layout="constrained", sharey=True
    )
    for axis, (rule, shares) in zip(axes, coverages.items()):
        values = np.array(list(shares.values()))
        axis.imshow(values, cmap="RdYlGn", vmin=0.8, vmax=1, aspect="auto")
        for (row, column), share in np.ndenumerate(values):
            colour = "white" if share < 0.82 else "black"
            axis.text(column, row, f"{share:.0%}", ha="center", va="center", fontsize=9, color=colour)
        axis.set_title(rule, fontsize=10)
        axis.set_xticks(range(len(sizes)), sizes)
        axis.set_yticks(range(len(shares)), list(shares))
        axis.set_xlabel("runs")
    plt.show()
