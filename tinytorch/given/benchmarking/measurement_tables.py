"""PyTorch's `Compare`: a table of Measurements, a row for each statement, a column for each description."""

import enum
import math
from itertools import groupby

from tinytorch.given.benchmarking.measuring import (
    Measurement,
    log10,
    ordered_unique,
    select_unit,
    trim_sigfig,
    unit_to_english,
)

__all__ = ["Colorize", "Compare"]

BOLD, END = "\033[1m", "\033[0m"
BEST, GOOD, BAD, VERY_BAD = "\033[92m", "\033[34m", "\033[2m\033[91m", "\033[31m"


class Colorize(enum.Enum):
    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Compare:
    """Show many Measurements in tables, one for each label."""

    def __init__(self, results):
        self._results = []
        self.extend_results(results)
        self._trim = self._highlight = False
        self._colours = Colorize.NONE

    def __str__(self):
        labels = {}
        for each in Measurement.merge(self._results):
            labels.setdefault(each.label, []).append(each)
        return "\n".join(self._table(label, results) for label, results in labels.items())

    def extend_results(self, results):
        """Add Measurements to those that are there."""
        results = list(results)
        for each in results:
            if not isinstance(each, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(each)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self):
        """Show only the significant digits."""
        self._trim = True

    def colorize(self, rowwise=False):
        """Colour the best and the worst of each column, or of each row."""
        self._colours = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self):
        """Mark the times whose quartiles are far apart."""
        self._highlight = True

    def print(self):
        """Print the tables."""
        print(str(self))

    def _table(self, label, results):
        unit, scale = select_unit(min(each.median for each in results))
        columns = ordered_unique(each.description for each in results)
        keys = sorted({(m.num_threads, m.env, m.as_row_name): None for m in results}, key=lambda key: key[:2])
        placed = {(m.num_threads, m.env, m.as_row_name, m.description): m for m in results}
        rows = [[placed.get((*key, column)) for column in columns] for key in keys]
        several_envs = len({m.env for m in results}) > 1
        indent = max(len(str(m.env)) for m in results) if several_envs else 0
        marked = [self._marks(column) for column in zip(*rows)]
        templates = [self._template(column, scale, mark) for column, mark in zip(zip(*rows), marked)]

        texts, before = [["", *(column or "" for column in columns)]], None
        for key, row in zip(keys, rows):
            shown = f"({key[1]})" if several_envs and before != key[:2] else ""
            before = key[:2]
            cells = [self._cell(m, scale, t, mark) for m, t, mark in zip(row, templates, marked)]
            texts.append(["  " + shown.ljust(indent + 4) + key[2], *cells])
        widths = [max(map(len, column)) for column in zip(*texts)]
        lines = ["  |  ".join(text.center(width) for text, width in zip(texts[0], widths))]
        across = len(lines[0])
        body = zip(keys, rows, texts[1:])
        for threads, group in groupby(body, key=lambda item: item[0][0]):
            group = list(group)
            lines.append(f"{threads} threads: ".ljust(across, "-"))
            lines += [self._line(row, text, widths, [r for _, r, _ in group]) for _, row, text in group]
        title = f"[{(' ' + (label or '') + ' ').center(across - 2, '-')}]"
        footer = f"Times are in {unit_to_english(unit)}s ({unit}).\n"
        if self._highlight and any(m.has_warnings for m in results):
            footer += "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n"
        return "\n".join([title, *lines, "", footer])

    def _marks(self, column):
        return self._highlight and any(m.has_warnings for m in column if m)

    def _template(self, column, scale, marked):
        found = [m for m in column if m]
        digits = [math.ceil(log10(m.median / scale)) for m in found]
        decimals = min(max(m.significant_figures - d, 0) for d, m in zip(digits, found)) if self._trim else 1
        width = max(digits) + decimals + bool(decimals)
        return f"{{:>{width}.{decimals}f}}{{:>{7 if marked else 0}}}"

    def _cell(self, m, scale, template, marked):
        if m is None:
            return " " * len(template.format(1, ""))
        value = m.median / scale
        if self._trim:
            value = trim_sigfig(value, m.significant_figures)
        mark = f" (! {m.iqr / m.median * 100:.0f}%)" if marked and m.has_warnings else ""
        return template.format(value, mark)

    def _line(self, row, texts, widths, group):
        cells = [texts[0].ljust(widths[0])]
        for place, (m, text, width) in enumerate(zip(row, texts[1:], widths[1:])):
            rivals = row if self._colours is Colorize.ROWWISE else [other[place] for other in group]
            text = text.center(width)
            if m and self._colours is not Colorize.NONE:
                text = coloured(text, m.median, min(other.median for other in rivals if other))
            cells.append(text)
        return "  |  ".join(cells)


def coloured(text, value, best):
    """A cell with the colour of what it is against the best."""
    if value <= best * 1.01 or value <= best + 100e-9:
        return BEST + BOLD + text + END * 2
    if value <= best * 1.1:
        return GOOD + BOLD + text + END * 2
    if value >= best * 5:
        return VERY_BAD + BOLD + text + END * 2
    return BAD + text + END * 2 if value >= best * 2 else text
