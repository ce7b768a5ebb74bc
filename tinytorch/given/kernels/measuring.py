"""How fast the learner's kernels are on a GPU: bytes and operations in a second, beside what it is built for.

`on_gpu()` asks another process, for a notebook's kernels run in the simulator: this file as a program, on the
exported module. Times are medians of CUDA's own events, after warming up.
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np

from tinytorch.given.kernels import device

__all__ = []

NUMBERS, SIDE = 64 * 2**20, 4096  # of a row that moves memory, 256 MB; and of the sides of a product
REPEATS, LAUNCHES = 7, 10
LANES = {
    5: 128,
    6: 128,
    7: 64,
    8: 128,
    9: 128,
    10: 128,
    12: 128,
}  # float32 units of a multiprocessor, by capability
LANES_OF = {
    (6, 0): 64,
    (8, 0): 64,
}  # CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions"


def seconds(cuda, run):
    """The median time of a launch of several in a row, in which the device need not wait for the host."""
    for _ in range(3):
        run()
    times = []
    for _ in range(REPEATS):
        start, end = cuda.event(), cuda.event()
        start.record()
        for _ in range(LAUNCHES):
            run()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 1e3 / LAUNCHES)
    return max(statistics.median(times), 1e-9)


def launches(numbers=NUMBERS, side=SIDE):
    """By name: what launches a copy or a kernel, bytes moved at least, floating point operations."""
    from tinytorch import kernels
    from tinytorch.given.kernels import rows
    from tinytorch.given.kernels.functions import BINARY, UNARY
    from tinytorch.given.kernels.simulator import cuda

    x = cuda.to_device(np.random.default_rng(0).standard_normal(numbers, np.float32))
    y, out = cuda.to_device(np.ones(numbers, np.float32)), cuda.device_array(numbers, np.float32)
    columns, size, one = min(1024, numbers), (numbers,), (1,)
    height = numbers // columns
    few, more = (cuda.device_array(height, np.float32) for _ in range(2))
    empty = cuda.jit(lambda out: None)
    add, both = BINARY["add"], 8 * numbers
    total = kernels.reduce_kernel(add, 0)
    options = numbers, 1e-3, 0.9, 0.999, 1e-8, 0.01, 1
    state = [cuda.to_device(np.zeros(numbers, np.float32)) for _ in range(2)]
    a, b, result = x[: side * side], y[: side * side], out[: side * side]
    moved, operations, layout = 12 * side**2, 2 * side**3, (0, side, 1, 0, 0, 1)

    def product(kernel, width):
        blocks = -(-side // width)
        sizes = (side, side, side), layout, layout, layout
        return lambda: kernel[(blocks, blocks), (kernels.TILE, kernels.TILE)](result, a, b, *sizes)

    def attention(size, heads=16):
        queries = min(side, numbers // (heads * size))
        q, k, v, o = (each[: heads * queries * size] for each in (x, y, x, out))
        lse = cuda.device_array(heads * queries, np.float32)
        sizes = heads, queries, queries, size, size**-0.5, False
        run = lambda: rows.attention_forward(o, lse, q, k, v, *sizes)
        return run, 16 * q.size, 4 * heads * queries**2 * size

    return {
        "a copy on the device": (lambda: out.copy_to_device(x), both, 0),
        "a launch of nothing": (lambda: empty[1, 32](out), 0, 0),
        "map, the square root": (
            lambda: kernels.map_kernel(UNARY["sqrt"])(out, x, size, one, one), both, numbers,
        ),
        "zip, a sum": (
            lambda: kernels.zip_kernel(add)(out, x, y, size, one, one, one), 12 * numbers, numbers,
        ),
        "zip, a row to each": (
            lambda: kernels.zip_kernel(add)(out, x, y, (height, columns), (columns, 1), (columns, 1), (0, 1)),
            both, numbers,
        ),
        "reduce, rows": (lambda: total(few, x, height, columns, 1), 4 * numbers, numbers),
        "reduce, everything": (lambda: total(few, x, 1, numbers, 1), 4 * numbers, numbers),
        "transpose": (lambda: kernels.transpose_copy(out, x, height, columns), both, 0),
        "softmax, rows": (lambda: kernels.softmax_rows(out, x, height, columns), both, 7 * numbers),
        "layer norm, rows": (
            lambda: kernels.layer_norm_rows(out, few, more, x, y, y, height, columns, 1e-5),
            both, 8 * numbers,
        ),
        "AdamW": (lambda: kernels.adamw_step(y, x, *state, *options), 28 * numbers, 15 * numbers),
        "product, naive": (product(kernels.matmul_naive, kernels.TILE), moved, operations),
        "product, tiled": (product(kernels.matmul_tiled, kernels.TILE), moved, operations),
        "product, registers": (product(kernels.matmul_registers, kernels.SIDE), moved, operations),
        "attention, heads of 64": attention(64),
    }  # fmt: skip


def rows(numbers=NUMBERS, side=SIDE):
    """(name, seconds, bytes moved at least, floating point operations) of a copy, then of each kernel."""
    from tinytorch.given.kernels.simulator import cuda

    return [(name, seconds(cuda, run), *work) for name, (run, *work) in launches(numbers, side).items()]


def name_of(gpu):
    return gpu.name.decode() if isinstance(gpu.name, bytes) else gpu.name


def peaks(gpu):
    """Bytes, and float32 operations without tensor cores, of a device in a second, as it says itself."""
    lanes = LANES_OF.get(gpu.compute_capability, LANES.get(gpu.compute_capability[0], 128))
    cycles, memory = 1e3 * gpu.CLOCK_RATE, 1e3 * gpu.MEMORY_CLOCK_RATE
    return 2 * memory * gpu.GLOBAL_MEMORY_BUS_WIDTH / 8, 2 * lanes * gpu.MULTIPROCESSOR_COUNT * cycles


def table(name, found, bandwidth, operations):
    """Rows as text: bytes and operations in a second, and the larger of their shares of the device's."""
    lines = [f"{name}: {bandwidth / 1e9:,.0f} GB/s and {operations / 1e12:.1f} Tflop/s on paper"]
    lines.append(f"{'':22}{'time':>12}{'GB/s':>10}{'Tflop/s':>10}   share")
    for row, time, moved, done in found:
        share = max(moved / time / bandwidth, done / time / operations)
        lines.append(
            f"{row:22}{1e6 * time:9,.1f} us{moved / time / 1e9:10,.0f}{done / time / 1e12:10.2f}{share:8.0%}"
        )
    return "\n".join(lines)


def on_gpu():
    """The table of the exported kernels' times on the GPU, or a sentence that says why there is none."""
    if not device.driver():
        return "There is no GPU here, and so no times."
    if reason := device.failure():
        return f"There is a GPU here, and no kernel runs on it: {reason}."
    root = str(Path(__file__).parents[3])
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "0", "PYTHONPATH": root}
    command = [sys.executable, "-P", "-m", __name__]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    return (
        ran.stdout.rstrip() if ran.returncode == 0 else f"Nothing was measured: {device.meaning(ran.stderr)}."
    )


def main(*sizes):
    from tinytorch.given.kernels.simulator import cuda

    gpu = cuda.get_current_device()
    print(table(name_of(gpu), rows(*sizes), *peaks(gpu)))


if __name__ == "__main__":
    main(*json.loads(sys.argv[1]) if sys.argv[1:] else ())
