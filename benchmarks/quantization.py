"""What int8 and int4 weights cost in NumPy, beside float32's: time of a product and bytes, a part of `make bench`."""

import statistics
from functools import partial

import tinytorch as torch
from benchmarks.timing import seconds
from tinytorch.ao.quantization import quantize_dynamic

SIZES, BATCHES, BLOCKS = (512, 1024, 2048), (1, 64), 15


def rows() -> list[tuple[str, str]]:
    """Pairs of what was measured and what came out; nothing is promised but the bytes (a quarter, an eighth)."""
    return [row(size, batch) for size in SIZES for batch in BATCHES]


def row(size: int, batch: int) -> tuple[str, str]:
    """The processor time of one layer with its weights in float32, int8 and int4, in alternation."""
    torch.manual_seed(0)
    dense = torch.nn.Sequential(torch.nn.Linear(size, size, bias=False))
    layers = {"float32": dense, "int8": quantize_dynamic(dense), "int4": torch.quantize_int4(dense)}
    x, times = torch.randn(batch, size), {name: [] for name in layers}
    with torch.no_grad():
        repeats = max(1, round(0.02 / seconds(partial(dense, x), 3)))
        for _ in range(BLOCKS):
            for name, layer in layers.items():
                times[name].append(seconds(partial(layer, x), repeats))
    medians = {name: statistics.median(blocks) for name, blocks in times.items()}
    shown = ", ".join(
        f"{name} {medians[name] * 1e3:.2f} ms ({medians[name] / medians['float32']:.1f}x), "
        f"{torch.memory_footprint(layer) / 1e6:.2f} MB"
        for name, layer in layers.items()
    )
    return f"linear {size} x {size}, batch {batch}", shown
