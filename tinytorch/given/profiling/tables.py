"""Events as tables: those of a group added up; by operation, in PyTorch's columns; by module."""

from dataclasses import dataclass

from tinytorch.given import methods_of
from tinytorch.profiling import Event

__all__ = ["Average", "EventList", "Totals", "group_events", "in_columns", "module_table", "units"]


@methods_of(Event)
class Named:
    """An event's times and memory under PyTorch's names, in microseconds and bytes."""

    count = 1
    key = property(lambda self: self.name)
    cpu_time_total = cpu_time = property(lambda self: self.time * 1e6)
    self_cpu_time_total = property(lambda self: self.self_time * 1e6)
    cpu_memory_usage = property(lambda self: self.memory)
    self_cpu_memory_usage = property(lambda self: self.self_memory)
    input_shapes = property(lambda self: [list(s) if s is not None else [] for s in self.shapes])
    is_user_annotation = property(lambda self: self.kind == "record")


@dataclass
class Totals:
    """What the events of a group have together."""

    count: int = 0
    time: float = 0.0
    self_time: float = 0.0
    flops: int = 0
    bytes: int = 0


def group_events(pairs):
    """Add up the events of each key: a dict from key to Totals, keys in the order in which they first came.

    Args:
        pairs: (key, event) for each event; an event may come under several keys.

    >>> events = [Event("Exp", "forward", "", 1.0, 3.0), Event("Exp", "forward", "", 4.0, 5.0)]
    >>> group_events((e.name, e) for e in events)["Exp"].time
    3.0
    """
    groups = {}
    for key, event in pairs:
        group = groups.setdefault(key, Totals())
        group.count += 1
        group.time += event.time
        group.self_time += event.self_time
        group.flops += event.flops
        group.bytes += event.bytes
    return groups


class Average:
    """The events of one name together, as PyTorch's FunctionEventAvg: times in microseconds."""

    def __init__(self, key, totals, events, shapes):
        self.key, self.count, self.flops, self.bytes = key, totals.count, totals.flops, totals.bytes
        self.cpu_time_total, self.self_cpu_time_total = totals.time * 1e6, totals.self_time * 1e6
        self.cpu_time = self.cpu_time_total / self.count
        self.cpu_memory_usage = sum(event.memory for event in events)
        self.self_cpu_memory_usage = sum(event.self_memory for event in events)
        self.input_shapes = events[0].input_shapes if shapes else ""
        self.is_user_annotation = events[0].is_user_annotation

    def __repr__(self):
        return (
            f"<Average {self.key}: {self.count} calls, {units(self.cpu_time_total)}, "
            f"self {units(self.self_cpu_time_total)}>"
        )


class EventList(list):
    """Events, or averages of them, that can be put in a table."""

    def __init__(self, items=(), memory=False, flops=False, shapes=False):
        super().__init__(items)
        self.memory, self.flops, self.shapes = memory, flops, shapes

    @property
    def self_cpu_time_total(self):
        """Microseconds of all rows together: self times add up to the whole."""
        return sum(item.self_cpu_time_total for item in self)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
        """The operations, rules and marked parts of one name together, and with equal shapes on request."""
        groups = {}
        for event in self:
            if event.kind != "module":
                shapes = str(event.input_shapes) if group_by_input_shapes else ""
                groups.setdefault((event.name, shapes), []).append(event)
        totals = group_events((key, event) for key, events in groups.items() for event in events)
        averages = [Average(key[0], totals[key], groups[key], group_by_input_shapes) for key in groups]
        return EventList(averages, self.memory, self.flops, group_by_input_shapes)

    def total_average(self):
        """All events in one."""
        events = [event for event in self if event.kind != "module"]
        return Average("Total", group_events(("Total", e) for e in events)["Total"], events, False)

    def table(
        self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
        max_shapes_column_width=80, header=None, top_level_events_only=False, time_unit=None,
    ):  # fmt: skip
        """The rows as text, the largest `sort_by` first: "self_cpu_time_total", "count", "flops", ..."""
        rows = sorted(self, key=lambda row: getattr(row, sort_by), reverse=True) if sort_by else list(self)
        if top_level_events_only:
            ends = -1.0
            rows, all_rows = [], rows
            for row in all_rows:
                if isinstance(row, Event) and row.start >= ends:
                    rows.append(row)
                    ends = row.end
        whole = self.self_cpu_time_total or 1.0
        columns = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
        columns += ["CPU Mem", "Self CPU Mem"] * self.memory + ["# of Calls"]
        columns += ["Input Shapes"] * self.shapes + ["Total MFLOPs"] * self.flops
        lines = []
        for row in rows[: row_limit if row_limit >= 0 else None]:
            cells = [
                row.key[:max_name_column_width] if max_name_column_width else row.key,
                f"{row.self_cpu_time_total / whole:.2%}",
                units(row.self_cpu_time_total, time_unit),
                f"{row.cpu_time_total / whole:.2%}",
                units(row.cpu_time_total, time_unit),
                units(row.cpu_time, time_unit),
            ]
            if self.memory:
                cells += [size(row.cpu_memory_usage), size(row.self_cpu_memory_usage)]
            cells.append(str(row.count))
            if self.shapes:
                cells.append(str(row.input_shapes)[:max_shapes_column_width])
            if self.flops:
                cells.append(f"{row.flops / 1e6:.3f}" if row.flops else "--")
            lines.append(cells)
        text = in_columns(columns, lines)
        above = [] if header is None else ["=" * text.index("\n"), header]
        return "\n".join([*above, text, f"Self CPU time total: {units(whole, time_unit)}"])


def units(microseconds, unit=None):
    """A time in the unit that suits it, or in the requested one."""
    unit = unit or ("s" if microseconds >= 1e6 else "ms" if microseconds >= 1e3 else "us")
    return f"{microseconds / {'s': 1e6, 'ms': 1e3, 'us': 1}[unit]:.3f}{unit}"


def size(nbytes):
    """Bytes in the unit that suits them."""
    for unit, factor in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if abs(nbytes) >= factor:
            return f"{nbytes / factor:.2f} {unit}"
    return f"{nbytes} B"


def in_columns(names, lines):
    """A table as text: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(names, *lines)]
    rule = "  ".join("-" * width for width in widths)

    def line(cells):
        first, *others = [
            cell.ljust(width) if not number else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(cells, widths))
        ]
        return "  ".join([first, *others])

    return "\n".join([rule, line(names), rule, *map(line, lines), rule])


def module_table(events, depth=None):
    """Modules with the time of the operations in them, and below them: forward and backward, as text."""
    pairs = []
    for event in events:
        if event.kind in ("forward", "backward") and event.module:
            parts = event.module.split(".")[:depth]
            pairs += [((".".join(parts[: n + 1]), event.kind), event) for n in range(len(parts))]
    groups = group_events(pairs)
    paths = {event.module: None for event in events if event.kind == "module"}
    known = {path for path, _ in groups}
    whole = sum(t.self_time for (path, _), t in groups.items() if "." not in path) or 1.0
    lines = []
    for path in sorted(known & paths.keys(), key=natural):
        forward, backward = (groups.get((path, kind)) for kind in ("forward", "backward"))
        both = [totals for totals in (forward, backward) if totals]
        lines.append(
            [
                path,
                *[units(totals.self_time * 1e6) if totals else "--" for totals in (forward, backward)],
                f"{sum(totals.self_time for totals in both) / whole:.1%}",
                f"{sum(totals.flops for totals in both) / 1e6:.3f}",
            ]
        )
    return in_columns(["Module", "Forward", "Backward", "Share", "MFLOPs"], lines)


def natural(path):
    """For sorting: numbers by their value."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in path.split(".")]
