"""What binds each operation of a profile, as a table: the learner's `roofline`, for groups of events."""

from tinytorch.given.profiling.tables import group_events, in_columns, units
from tinytorch.profiling import roofline

__all__ = ["verdicts"]


def verdicts(prof, machine, row_limit=None):
    """What binds each operation of a profile that moves bytes on a machine, the longest first, as text."""
    events = [event for event in prof.events() if event.kind in ("forward", "backward")]
    if not prof.with_flops:
        raise ValueError("record with profile(with_flops=True): the verdict needs the FLOPs")
    groups = group_events((event.name, event) for event in events)
    moving = [item for item in groups.items() if item[1].bytes]
    lines = []
    for name, totals in sorted(moving, key=lambda item: -item[1].self_time)[:row_limit]:
        found = roofline(totals.flops, totals.bytes, machine)
        lines.append(
            [
                name,
                units(totals.self_time * 1e6),
                f"{found.intensity:.2f}",
                f"{totals.flops / totals.self_time / 1e9:.1f}",
                f"{found.attainable / 1e9:.1f}",
                f"{totals.bytes / totals.self_time / 1e9:.1f}",
                found.bound,
            ]
        )
    columns = ["Name", "Self CPU", "FLOPs/byte", "GFLOP/s", "attainable", "GB/s", "bound by"]
    return in_columns(columns, lines)
