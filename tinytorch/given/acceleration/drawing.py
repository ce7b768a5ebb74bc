"""The pictures of the lesson: errors of two polynomials, and kernels under the machine's roof."""

import numpy as np

__all__ = []


def draw_errors(polynomials):
    """Draw the relative errors of 1 + c1 r + c2 r² + ... as exp(r): a dict from names to c1, c2, ..."""
    from matplotlib import pyplot as plt

    _, axes = plt.subplots(1, len(polynomials), figsize=(8, 2.6), layout="constrained")
    r = np.linspace(-np.log(2) / 2, np.log(2) / 2, 20001)
    for axis, (name, coefficients) in zip(axes, polynomials.items()):
        error = np.polynomial.Polynomial([1, *coefficients])(r) / np.exp(r) - 1
        axis.plot(r, error, lw=1.5)
        axis.axhline(0, color="gray", lw=0.7)
        axis.set_title(f"{name}: at most {abs(error).max():.1e}", fontsize=10)
        axis.set_xlabel("r")
    axes[0].set_ylabel("relative error")
    plt.show()


def draw_kernels(machine, points):
    """Draw the machine's roof, and under it kernels: a dict from names to (FLOPs for a byte, FLOP/s)."""
    from matplotlib import pyplot as plt

    _, axis = plt.subplots(figsize=(8, 4), layout="constrained")
    left = min(intensity for intensity, _ in points.values()) / 2
    right = 3 * max(machine.balance, *(intensity for intensity, _ in points.values()))
    edges = [left, machine.balance, right]
    roof = [min(machine.flops_per_second, x * machine.bytes_per_second) / 1e9 for x in edges]
    axis.loglog(edges, roof, "k-", lw=1.5)
    peak, slope = f"peak {roof[1]:.0f} GFLOP/s", f"memory {machine.bytes_per_second / 1e9:.0f} GB/s"
    axis.text(right * 0.95, roof[1] * 0.9, peak, fontsize=8, color="gray", va="top", ha="right")
    axis.text(left * 1.1, roof[0] * 0.6, slope, fontsize=8, color="gray")
    ordered = sorted(points.items(), key=lambda item: -item[1][1])
    for number, (name, (intensity, reached)) in enumerate(ordered, 1):
        place = intensity, reached / 1e9
        axis.plot(*place, "o", color="tab:blue", ms=5, label=f"{number}  {name}")
        axis.annotate(str(number), place, (5, 3), textcoords="offset points", fontsize=8)
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5), handlelength=0, markerscale=0, frameon=False)
    limits = {"xlim": (left, right), "ylim": (roof[0] / 3, roof[1] * 1.5)}
    axis.set(xlabel="FLOPs for each byte", ylabel="GFLOP/s", **limits)
    plt.show()
