"""Time the course's framework beside PyTorch, in one process: `make bench`, or `make bench ROWS=linear`.

Every row is run in blocks that alternate between the two frameworks, and compared by the medians of the blocks' processor
time on one thread, which is what stays stable on a busy machine. Without PyTorch the table shows our times alone.
"""

import os

for library in ("OPENBLAS", "OMP", "MKL", "NUMBA"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import contextlib
import gc
import importlib.util
import json
import platform
import statistics
import sys
from pathlib import Path

import numpy as np
import tinytorch
from rich.console import Console
from rich.table import Table

from benchmarks import generation, memory, profiling, quantization, speed
from benchmarks.timing import seconds

BLOCKS, BLOCK_SECONDS = 15, 0.05
PARTS = (memory, profiling, quantization, generation)  # measured beside nothing but themselves


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
        return [("tokenizer", f"not measured, for {sys.executable} has no {', '.join(missing)}")]
    from benchmarks import tokenizer

    return tokenizer.rows()


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
    table = Table("forward and backward, float32, one thread", title="Time of a step")
    for column in ("ours", "PyTorch", "ratio", "wanted"):
        table.add_column(column, justify="right")
    results = []
    for row in rows:
        times = measure(row, namespaces)
        ratio = times["tinytorch"] / times["torch"] if "torch" in times else None
        results.append({"row": row.name, "seconds": times, "ratio": ratio, "wanted": row.wanted})
        style = (
            "green" if ratio and row.wanted and ratio <= row.wanted else "red" if ratio and row.wanted else ""
        )
        table.add_row(
            row.name,
            *(f"{times[name] * 1e3:.3f} ms" if name in times else "-" for name in ("tinytorch", "torch")),
            f"[{style}]{ratio:.2f}[/]" if style else f"{ratio:.2f}" if ratio else "-",
            f"{row.wanted:.2f}" if row.wanted else "",
        )
    console.print(table)
    others = []
    if not wanted_rows:
        others = [row for part in PARTS for row in part.rows()] + tokenizer_rows()
    for text, value in others:
        console.print(f"{text}: {value}")
    report = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": namespaces["torch"].__version__ if "torch" in namespaces else None,
        "processor": platform.processor() or platform.machine(),
        "speed": results,
        "memory": dict(others),
    }
    path = Path("build/benchmarks.json")
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(report, indent=2) + "\n")
    console.print(f"written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
