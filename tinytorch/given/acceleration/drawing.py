"""The pictures of the lesson: errors of two polynomials, and kernels under the machine's roof."""

import math

__all__ = []


def draw_errors(curves):
    """Draw relative errors of polynomials, a dict from names to (r, error), one beside the other."""
    from matplotlib import pyplot as plt

    _, axes = plt.subplots(1, len(curves), figsize=(8, 2.6), layout="constrained")
    for axis, (name, (r, error)) in zip(axes, curves.items()):
        axis.plot(r, error, lw=1.5)
        axis.axhline(0, color="gray", lw=0.7)
        axis.set_title(f"{name}: at most {abs(error).max():.1e}", fontsize=10)
        axis.set_xlabel("r")
    axes[0].set_ylabel("relative error")
    plt.show()


def draw_kernels(machine, points):
    """Draw the machine's roof, and under it kernels: a dict from names to (FLOPs for a byte, FLOP/s)."""
    from matplotlib import pyplot as plt

    _, axis = plt.subplots(figsize=(8, 4.2), layout="constrained")
    left = min(intensity for intensity, _ in points.values()) / 2
    right = 4 * max(machine.balance, *(intensity for intensity, _ in points.values()))
    edges = [left, machine.balance, right]
    roof = [min(machine.flops_per_second, x * machine.bytes_per_second) / 1e9 for x in edges]
    axis.loglog(edges, roof, "k-", lw=1.5)
    axis.text(
        machine.balance * 1.1,
        roof[1] * 0.8,
        f"peak {roof[1]:.0f} GFLOP/s",
        fontsize=8,
        va="top",
        color="gray",
    )
    slope = f"memory {machine.bytes_per_second / 1e9:.0f} GB/s"
    axis.text(left * 1.3, roof[0] * 0.9, slope, fontsize=8, color="gray")
    ordered = sorted(points.items(), key=lambda item: item[1][1])
    lowest = math.log(ordered[0][1][1])
    step = (math.log(ordered[-1][1][1]) - lowest) / max(1, len(ordered) - 1)
    for place, (name, (intensity, reached)) in enumerate(ordered):  # names in a column, in the points' order
        axis.plot(intensity, reached / 1e9, "o", color="tab:blue", ms=5)
        beside = math.exp(lowest + place * step) / 1e9
        axis.annotate(
            name.strip(),
            (intensity, reached / 1e9),
            (right * 1.15, beside),
            fontsize=8,
            va="center",
            arrowprops={"arrowstyle": "-", "color": "lightgray", "lw": 0.6},
        )
    limits = {"xlim": (left, right * 12), "ylim": (ordered[0][1][1] / 2e9, roof[1] * 1.5)}
    axis.set(xlabel="FLOPs for each byte", ylabel="GFLOP/s", **limits)
    plt.show()
