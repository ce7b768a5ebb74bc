"""Pictures of a profile: its timeline, from the events of a trace file; the roof, and what is under it."""

import math

from tinytorch.given.profiling.tables import group_events

__all__ = ["draw_roofline", "draw_timeline"]

COLOURS = {"forward": "tab:blue", "backward": "tab:orange", "module": "lightgray", "record": "tab:green"}


def draw_timeline(events, depth=6):
    """Draw the events of a trace as bars under one another, as deep as they are nested."""
    from matplotlib import pyplot as plt
    from matplotlib.patches import Patch

    _, axis = plt.subplots(figsize=(9, 0.5 + 0.42 * depth), layout="constrained")
    running, bars = [], {}
    complete = [event for event in events if event["ph"] == "X"]
    whole = max(event["ts"] + event["dur"] for event in complete) / 1e3
    for event in sorted(complete, key=lambda event: (event["ts"], -event["dur"])):
        start, length = event["ts"] / 1e3, event["dur"] / 1e3
        while running and running[-1] <= start:
            running.pop()
        level = len(running)
        running.append(start + length)
        bars.setdefault((level, event["cat"]), []).append((start, length))
        if level < depth and length > 0.06 * whole:
            axis.text(start + length / 2, level + 0.45, event["name"], ha="center", va="center", size=7)
    for (level, category), spans in bars.items():
        if level < depth:
            axis.broken_barh(spans, (level, 0.9), facecolor=COLOURS[category], edgecolor="white", lw=0.3)
    axis.set(xlabel="ms", ylim=(depth, 0), yticks=[])
    axis.legend(
        handles=[Patch(color=c, label=k) for k, c in COLOURS.items()],
        ncols=4,
        fontsize=7,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        frameon=False,
    )
    plt.show()


def draw_roofline(machine, prof, names=6):
    """Draw the machine's roof, and under it the operations of a profile, the longest named in the legend."""
    from matplotlib import pyplot as plt

    groups = group_events((e.name, e) for e in prof.events() if e.kind in ("forward", "backward"))
    groups = {name: t for name, t in groups.items() if t.bytes and t.self_time}
    longest = sorted(groups, key=lambda name: -groups[name].self_time)[:names]
    _, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
    left = 1 / 16
    edges = [left, machine.balance, max(256, 8 * machine.balance)]
    roof = [min(machine.flops_per_second, x * machine.bytes_per_second) / 1e9 for x in edges]
    axis.loglog(edges, roof, "k-", lw=1.5)
    axis.axvline(machine.balance, color="gray", lw=0.7, ls=":")
    axis.text(machine.balance, roof[0], f" balance {machine.balance:.1f}", fontsize=8, color="gray")
    floor = math.inf
    for name, totals in groups.items():
        intensity = totals.flops / totals.bytes
        reached = totals.flops / totals.self_time / 1e9
        if totals.flops:
            floor = min(floor, reached)
            named = name in longest
            style = {"label": name} if named else {"color": "lightgray", "zorder": 1}
            axis.plot(max(intensity, left), reached, "o", ms=5, **style)
    axis.legend(fontsize=7, loc="upper left")
    axis.set(xlabel="FLOPs for each byte", ylabel="GFLOP/s", ylim=(min(roof[0], floor) / 2, roof[1] * 2))
    plt.show()
