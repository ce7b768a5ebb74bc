"""The leaderboard as JSON and as a page, and the report: HTML in one file, no script, nothing remote.

The order is the learner's `leaderboard`; a record that is not signed, by `is_intact`, is not shown.
What an entry brings along, its name and its source, is escaped.
"""

import base64
import html
import io
import json
from pathlib import Path

import numpy as np

from tinytorch.capstone import Score, leaderboard
from tinytorch.given.capstone.judging import EVENTS, TASKS
from tinytorch.given.capstone.records import is_intact

__all__ = [
    "board",
    "draw_front",
    "draw_scores",
    "leaderboard_page",
    "portfolio",
    "record_text",
    "write_board",
]

STYLE = """
  body { font: 16px/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff; max-width: 60rem;
         margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.7rem; margin-bottom: 0.3rem; }
  h2 { font-size: 1.2rem; margin: 2rem 0 0.4rem; }
  p.note { color: #57606a; margin-top: 0; }
  table { border-collapse: collapse; width: 100%; }
  table.board { table-layout: fixed; }
  table.board th:nth-child(1), table.board th:nth-child(3) { width: 4rem; }
  table.board th:nth-child(7) { width: 8.5rem; }
  table.scores { width: auto; }
  table.scores th { font-weight: 400; border-bottom: 1px solid #d0d7de; }
  th, td { text-align: left; padding: 0.35rem 0.7rem; border-bottom: 1px solid #d0d7de; vertical-align: top; }
  th { font-weight: 600; border-bottom: 2px solid #8c959f; }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  .wins { color: #116329; font-weight: 600; }
  .loses, .refused { color: #a40e26; font-weight: 600; }
  figure { margin: 1.5rem 0; }
  img { max-width: 100%; height: auto; }
  figcaption { color: #57606a; }
  pre { background: #f6f8fa; padding: 0.8rem; overflow-x: auto; font-size: 0.85rem; }
  code { font-size: 0.9rem; }
"""


def signed(records):
    """The records whose fingerprint is that of their content."""
    return [record for record in records if is_intact(record)]


def board(records):
    """All events as a dict that JSON can hold: rows in order with places, and entries that were refused.

    A record that is not signed off, or was changed afterwards, is only counted.
    """
    good, events = signed(records), {}
    for event in EVENTS:
        rows = [row(place, record, event.kind) for place, record in leaderboard(good, event)]
        out = [r for r in good if r["event"] == str(event) and r["verdict"] == "refused"]
        refused = [{"entry": r["entry"], "reason": r["reason"], "record": r["sha256"]} for r in out]
        if rows or refused:
            events[str(event)] = {"rows": rows, "refused": refused}
    return {"events": events, "not signed": len(records) - len(good)}


def row(place, record, kind):
    ratio, low, high = record["scores"][kind]
    return {
        "place": place, "entry": record["entry"], "ratio": ratio, "low": low, "high": high,
        "accuracy": record["measured"]["accuracy"][1], "bytes": record["measured"]["bytes"][1],
        "verdict": record["verdict"], "record": record["sha256"],
    }  # fmt: skip


def leaderboard_page(records, title="TorchPerf"):
    """The leaderboard as one HTML page."""
    whole = board(records)
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        '<p class="note">How many times better than the baseline, with a 95% interval. The order is that of '
        "the low end; entries that overlap share a place.</p>",
    ]
    for name, event in whole["events"].items():
        parts += [f"<h2>{html.escape(name.capitalize())}</h2>", table_of(event["rows"])]
        if event["refused"]:
            items = "".join(
                f"<li>{html.escape(one['entry'])}: {html.escape(one['reason'])}</li>"
                for one in event["refused"]
            )
            parts.append(f'<p><span class="refused">Refused</span></p><ul>{items}</ul>')
    if whole["not signed"]:
        parts.append(
            f'<p class="note">Records that are not signed off, and not shown: {whole["not signed"]}.</p>'
        )
    return page(title, parts)


def table_of(rows):
    """The rows of an event as a table."""
    if not rows:
        return '<p class="note">No entry yet.</p>'
    titles = ("Place", "Entry", "Score", "95% interval", "Accuracy", "Bytes", "Verdict", "Record")
    numbers = {"Place", "Score", "95% interval", "Accuracy", "Bytes"}
    head = "".join(f'<th scope="col"{number_class(title in numbers)}>{title}</th>' for title in titles)
    lines = []
    for one in rows:
        cells = (
            one["place"], one["entry"], f"{one['ratio']:.3g}x", f"{one['low']:.3g} to {one['high']:.3g}",
            f"{one['accuracy']:.3f}", f"{one['bytes']:,}", one["verdict"], one["record"][:8],
        )  # fmt: skip
        filled = []
        for title, cell in zip(titles, cells):
            said = html.escape(str(cell))
            if title == "Verdict":
                said = f'<span class="{said.split()[0]}">{said}</span>'
            filled.append(f"<td{number_class(title in numbers)}>{said}</td>")
        lines.append(f"<tr>{''.join(filled)}</tr>")
    return f'<table class="board"><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table>'


def number_class(is_number):
    return ' class="number"' if is_number else ""


def page(title, parts):
    """A whole document."""
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(title)}</title>\n"
        f"<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def write_board(records, folder):
    """Write leaderboard.json, leaderboard.html and records.json into a folder; give their paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "records.json": json.dumps(list(records), indent=1),
        "leaderboard.json": json.dumps(board(records), indent=1),
        "leaderboard.html": leaderboard_page(records),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def portfolio(records, figures=(), title="What I built", about=""):
    """A report as one HTML page: what was measured of each entry, your figures, the sources, the machine.

    Args:
        records: judged entries; those that are not signed off are left out.
        figures: pairs of a caption and a Figure of matplotlib.
        title: of the page.
        about: paragraphs of yours for the top of the page, with empty lines between them.
    """
    good = signed(records)
    parts = [f"<h1>{html.escape(title)}</h1>"]
    parts += [f"<p>{html.escape(text.strip())}</p>" for text in about.split("\n\n") if text.strip()]
    wins = sum(record["verdict"] == "wins" for record in good)
    parts.append(f'<p class="note">{len(good)} entries judged, {wins} of them with a win.</p>')
    for record in good:
        parts += section_of(record)
    if figures:
        parts.append("<h2>Figures</h2>")
    for caption, figure in figures:
        said = html.escape(caption)
        parts.append(
            f'<figure><img src="{data_of(figure)}" alt="{said}"><figcaption>{said}</figcaption></figure>'
        )
    if good:
        machine = html.escape(json.dumps(good[-1]["environment"], indent=1, sort_keys=True, default=str))
        parts += ["<h2>The machine</h2>", f"<pre>{machine}</pre>"]
    return page(title, parts)


def record_text(record):
    """A record as text that can be handed in: what was measured, and all that is needed to judge it again.

    >>> entry = {"entry": "broken", "source": "def entry(:", "function": "entry", "reason": "SyntaxError"}
    >>> judged = {"event": "memory on digits", "verdict": "refused", "seed": 1, "pairs": 24}
    >>> print(record_text(entry | judged | {"sha256": "35cc3c2d"}))
    broken, memory on digits: refused, SyntaxError
    function entry, seed 1, 24 pairs of runs, sha256 35cc3c2d
    <BLANKLINE>
    ```python
    def entry(:
    ```
    """
    because = f", {record['reason']}" if record["reason"] else ""
    lines = [f"{record['entry']}, {record['event']}: {record['verdict']}{because}"]
    if "scores" in record:
        (old, new), (before, after) = record["measured"]["bytes"], record["measured"]["accuracy"]
        lines += [f"{kind}: {Score(*numbers)}" for kind, numbers in record["scores"].items()]
        lines.append(f"{old:,} bytes before, {new:,} after; accuracy {before:.4f} before, {after:.4f} after")
    lines.append(
        f"function {record['function']}, seed {record['seed']}, {record['pairs']} pairs of runs, "
        f"sha256 {record['sha256'][:8]}"
    )
    return "\n".join([*lines, "", "```python", record["source"].strip(), "```"])


def section_of(record):
    """What is said of one record."""
    name = f"{record['entry']}, {record['event']}"
    verdict = f'<span class="{record["verdict"].split()[0]}">{html.escape(record["verdict"])}</span>'
    because = f": {record['reason']}" if record["reason"] else ""
    parts = [f"<h2>{html.escape(name)}</h2>"]
    if "scores" in record:
        (old, new), (before, after) = record["measured"]["bytes"], record["measured"]["accuracy"]
        lines = "".join(
            f'<tr><th scope="row">{kind}</th><td class="number">{html.escape(str(Score(*numbers)))}</td></tr>'
            for kind, numbers in record["scores"].items()
        )
        parts += [
            f"<p>Verdict: {verdict}{html.escape(because)}. From {old:,} to {new:,} bytes; accuracy "
            f"{before:.4f} before, {after:.4f} after.</p>",
            f'<table class="scores"><tbody>{lines}</tbody></table>',
        ]
    else:
        parts.append(f"<p>Verdict: {verdict}{html.escape(because)}.</p>")
    parts.append(
        f"<details><summary>Source, seed {record['seed']}, record {record['sha256'][:8]}</summary>"
        f"<pre>{html.escape(record['source'])}</pre></details>"
    )
    return parts


def data_of(figure):
    """A figure as the address of a picture that is in the page itself."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=110, bbox_inches="tight")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def draw_scores(axes, records, kind):
    """The scores of one kind, of all records that were not refused, as points with intervals."""
    shown = [record for record in records if record["verdict"] != "refused"]
    ratios, lows, highs = np.array([record["scores"][kind] for record in shown]).T
    places = np.arange(len(shown))[::-1]
    axes.errorbar(ratios, places, xerr=[ratios - lows, highs - ratios], fmt="o", capsize=4, color="tab:blue")
    axes.axvline(1, color="0.6", linewidth=1)
    if lows.min() > 0.8 and highs.max() < 1.25:  # too little for a logarithmic axis to show
        reach = 1.2 * max(0.02, np.abs(lows - 1).max(), np.abs(highs - 1).max())
        axes.set_xlim(1 - reach, 1 + reach)
        ticks = [1 - reach / 2, 1, 1 + reach / 2]
        axes.set_xticks(ticks, [f"{tick:.3f}x" for tick in ticks])
    else:
        in_times(axes.xaxis, min(0.7, lows.min() * 0.8), max(1.5, highs.max() * 1.3))
    axes.set_yticks(places, [f"{record['entry']}\n{record['event'].split()[-1]}" for record in shown])
    axes.set_ylim(-0.6, len(shown) - 0.4)
    axes.set_title(kind, fontsize=11)


def in_times(axis, low, high):
    """Make an axis logarithmic, and write 2x, 5x, 10x on it."""
    ticks = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200) if low <= tick <= high]
    name = axis.axis_name
    getattr(axis.axes, f"set_{name}scale")("log")
    axis.set_ticks(ticks, [f"{tick:g}x" for tick in ticks])
    axis.set_ticks([], minor=True)
    getattr(axis.axes, f"set_{name}lim")(low, high)


def draw_front(axes, records):
    """Speed and size relative to the baseline: points up and to the right are better in both."""
    shown = [record for record in records if record["verdict"] != "refused"]
    for task, mark, color in zip(TASKS, "os^", ("tab:blue", "tab:orange", "tab:green")):
        points = [record for record in shown if record["event"].endswith(task)]
        speeds, sizes = ([r["scores"][kind][0] for r in points] for kind in ("latency", "memory"))
        axes.plot(speeds, sizes, mark, color=color, label=task)
        for record, speed, size in zip(points, speeds, sizes):
            axes.annotate(
                record["entry"], (speed, size), xytext=(6, 4), textcoords="offset points", fontsize=9
            )
    axes.axhline(1, color="0.7", linewidth=1)
    axes.axvline(1, color="0.7", linewidth=1)
    for axis, kind in ((axes.xaxis, "latency"), (axes.yaxis, "memory")):
        ratios = [record["scores"][kind][0] for record in shown]
        in_times(axis, 0.7 * min([1, *ratios]), 2 * max([1, *ratios]))
    axes.set(xlabel="times as fast", ylabel="times as small")
    axes.legend(frameon=False, fontsize=9, loc="lower right")
