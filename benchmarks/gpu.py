"""Time the kernels of module 17b on a GPU: `make bench-gpu`.

What moves memory is shown as a share of what a plain copy of the same bytes reaches, read and write counted; the product as a share of
cuBLAS's, through PyTorch, in float32 without tensor cores. Times are medians of CUDA's own events, after warming up. The table goes
to benchmarks/results/gpu.md.
"""

import platform
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinytorch.given.kernels.simulator import SIMULATED, cuda

RESULTS = Path(__file__).parent / "results" / "gpu.md"
HEAD = "# The kernels on a GPU\n\nMade by `make bench-gpu`, which writes this file.\n\n"
MILLIONS = 64 * 2**20  # numbers: 256 MB
REPEATS = 20


@dataclass(frozen=True)
class Row:
    name: str
    value: str
    share: str


def seconds(run) -> float:
    """The median time of a launch."""
    for _ in range(3):
        run()
    times = []
    for _ in range(REPEATS):
        start, end = cuda.event(), cuda.event()
        start.record()
        run()
        end.record()
        end.synchronize()
        times.append(cuda.event_elapsed_time(start, end) / 1e3)
    return statistics.median(times)


def memory_rows(kernels):
    """Kernels that move memory, with the bytes that they need at least."""
    rows, columns, one = MILLIONS // 1024, 1024, (1,)
    x = cuda.to_device(np.random.default_rng(0).standard_normal(MILLIONS, np.float32))
    out, few = cuda.device_array(MILLIONS, np.float32), cuda.device_array(rows, np.float32)
    more, weight = cuda.device_array(rows, np.float32), cuda.to_device(np.ones(columns, np.float32))

    @cuda.jit(device=True)
    def square(x):
        return x * x

    @cuda.jit(device=True)
    def add(x, y):
        return x + y

    size, both = (MILLIONS,), 8 * MILLIONS
    copy = both / seconds(lambda: out.copy_to_device(x))
    yield Row("copy, device to device", f"{copy / 1e9:,.0f} GB/s", "100%")
    for name, run, moved in (
        ("map, x * x", lambda: kernels.map_kernel(square)(out, x, size, one, one), both),
        ("reduce, everything", lambda: kernels.reduce_kernel(add, 0)(few, x, 1, MILLIONS, 1), both / 2),
        ("reduce, rows of 1,024", lambda: kernels.reduce_kernel(add, 0)(few, x, rows, columns, 1), both / 2),
        ("softmax, rows of 1,024", lambda: kernels.softmax_rows(out, x, rows, columns), both),
        (
            "layer norm, rows of 1,024",
            lambda: kernels.layer_norm_rows(out, few, more, x, weight, weight, rows, columns, 1e-5),
            both,
        ),
        ("transpose, 8,192 x 8,192", lambda: kernels.transpose_copy(out, x, 8192, 8192), both),
    ):
        speed = moved / seconds(run)
        yield Row(name, f"{speed / 1e9:,.0f} GB/s", f"{speed / copy:.0%} of the copy")


def product_rows(kernels, n=4096):
    """The product beside cuBLAS's."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    a, b = (torch.randn(n, n, device="cuda") for _ in range(2))
    left, right = (cuda.as_cuda_array(each.view(-1)) for each in (a, b))
    out = cuda.device_array(n * n, np.float32)
    ours = 2 * n**3 / seconds(lambda: kernels.matmul(out, left, right, n, n, n, (n, 1), (n, 1)))
    cublas = 2 * n**3 / seconds(lambda: a @ b)  # on the default stream too, on which the events are recorded
    yield Row(f"product, {n:,}", f"{ours / 1e12:.1f} Tflop/s", f"{ours / cublas:.0%} of cuBLAS")


def training_rows():
    """A step of a GPT whose arrays are on the device."""
    import time

    import tinytorch as torch

    torch.manual_seed(0)
    model = torch.GPT(torch.GPTConfig(256, 128, n_layer=4, n_head=4, n_embd=128, dropout=0.0)).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    idx = torch.randint(0, 256, (8, 128)).to("cuda")

    def step():
        optimizer.zero_grad()
        torch.next_token_loss(model, idx, idx).backward()
        optimizer.step()

    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        step()
        cuda.synchronize()
        times.append(time.perf_counter() - start)
    yield Row("GPT step, 4 layers of 128, 8 x 128", f"{statistics.median(times[3:]) * 1e3:.1f} ms", "")


def main() -> int:
    if SIMULATED:
        print("There is no GPU here: nothing is measured, for the simulator has no times.")
        return 2
    from tinytorch import kernels

    rows = [*memory_rows(kernels), *product_rows(kernels), *training_rows()]
    device = cuda.get_current_device()
    name = device.name.decode() if isinstance(device.name, bytes) else device.name
    lines = [f"{name}, Python {platform.python_version()}.", "", "| | measured | share |", "|---|---|---|"]
    lines += [f"| {row.name} | {row.value} | {row.share} |" for row in rows]
    RESULTS.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
