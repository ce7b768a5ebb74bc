"""Time the course's framework beside PyTorch, in one process: `make bench`, or `make bench ROWS=linear`.

Every row is run in blocks that alternate between the two frameworks, and compared by the medians of the blocks' processor
time on one thread, which is what stays stable on a busy machine. Without PyTorch the table shows our times alone; all rows
beside PyTorch are kept in results/speed.md.
"""

import os

for library in ("OPENBLAS", "OMP", "MKL", "NUMBA"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import contextlib
import gc
import importlib.util
import statistics
import sys

import tinytorch
from rich.console import Console

from benchmarks import chat, generation, memory, profiling, programs, quantization, record, speed  # noqa: F401
from benchmarks.timing import seconds

BLOCKS, BLOCK_SECONDS = 15, 0.05
TITLE = "forward and backward, float32, one thread"
HEAD = f"{'ours':>14}{'PyTorch':>14}{'ratio':>8}{'wanted':>8}"
HEADING = """# Speed and memory

Made by `make bench`, which writes this file and says in benchmarks/__main__.py how it measures: processor time, in turns, medians.
A ratio is our time divided by PyTorch's; *kernels* are rows with those of module 17 in place."""
PARTS = (memory, profiling, quantization, generation, chat)  # each with rows of its own


def frameworks() -> dict:
    """The course's framework, and PyTorch where it is installed."""
    found = {"tinytorch": tinytorch}
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(1)
        found["torch"] = torch
    return found


def seconds_of(row, name: str, namespace, step, repeats: int) -> float:
    """The time of a step under a framework: ours with its kernels in place, if the row says so."""
    with namespace.accelerate() if row.kernels and name == "tinytorch" else contextlib.nullcontext():
        return seconds(step, repeats)


def measure(row, namespaces: dict) -> dict[str, float]:
    """The median time of a step under each framework, their blocks in alternation."""
    steps = {name: row.setup(namespace) for name, namespace in namespaces.items()}
    repeats = {}
    for name, step in steps.items():
        for count in (1, 2):  # the first call compiles
            once = seconds_of(row, name, namespaces[name], step, count)
        repeats[name] = max(1, int(BLOCK_SECONDS / max(once, 1e-9)))
    blocks = {name: [] for name in steps}
    for _ in range(BLOCKS):
        for name, step in steps.items():
            gc.collect()
            blocks[name].append(seconds_of(row, name, namespaces[name], step, repeats[name]))
    return {name: statistics.median(times) for name, times in blocks.items()}


def tokenizer_rows() -> list[tuple[str, str]]:
    """The tokenizer beside tiktoken and tokenizers, which need not be installed where PyTorch is."""
    missing = [name for name in ("regex", "tiktoken", "tokenizers") if not importlib.util.find_spec(name)]
    if missing:
        return [("tokenizer", f"not measured, for this Python has no {', '.join(missing)}")]
    from benchmarks import tokenizer

    return tokenizer.rows()


def cells(times: dict[str, float], ratio: float | None, wanted: float | None) -> list[str]:
    """Our time and PyTorch's, their ratio, and the one that is wanted."""
    ours, theirs = (
        f"{times[name] * 1e3:.3f} ms" if name in times else "-" for name in ("tinytorch", "torch")
    )
    return [ours, theirs, f"{ratio:.2f}" if ratio else "-", f"{wanted:.2f}" if wanted else ""]


def columns(times: dict[str, float], ratio: float | None, wanted: float | None) -> str:
    """The cells of a row for a terminal, in colour where the ratio is or is not as wanted."""
    style = f"[{'green' if ratio <= wanted else 'red'}]" if ratio and wanted else "[default]"
    ours, theirs, shown, asked = cells(times, ratio, wanted)
    return f"{ours:>14}{theirs:>14}{style}{shown:>8}[/]{asked:>8}"


def main(wanted_rows: list[str]) -> int:
    console, namespaces = Console(), frameworks()
    rows = [row for row in speed.ROWS if not wanted_rows or any(word in row.name for word in wanted_rows)]
    if not importlib.util.find_spec("numba"):
        rows = [row for row in rows if not row.kernels]
    if not rows:
        console.print(
            f"no row is named like {' '.join(wanted_rows)}: {', '.join(row.name for row in speed.ROWS)}"
        )
        return 2
    width = max(len(TITLE), *(len(row.name) for row in rows))
    console.print(f"[bold]{TITLE:{width}}{HEAD}", soft_wrap=True)
    lines, others = [], []
    for row in rows:  # each as it is measured, for all of them take minutes
        times = measure(row, namespaces)
        ratio = times["tinytorch"] / times["torch"] if "torch" in times else None
        lines.append([row.name, *cells(times, ratio, row.wanted)])
        console.print(f"{row.name:{width}}{columns(times, ratio, row.wanted)}", soft_wrap=True)
    for rows_of in [part.rows for part in PARTS] + [tokenizer_rows] if not wanted_rows else []:
        for line in rows_of():
            others.append(line)
            console.print(": ".join(line))
    if "torch" in namespaces and not wanted_rows:
        heads = TITLE, "ours", "PyTorch", "ratio", "wanted"
        tables = record.table(heads, lines), record.table(("memory, and whole programs", "measured"), others)
        console.print(f"written to {record.write('speed', HEADING, record.machine(), *tables)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
