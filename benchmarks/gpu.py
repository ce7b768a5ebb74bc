"""Time the kernels of module 17b on a GPU, beside PyTorch's and beside what is possible on paper: `make bench-gpu`.

Each kernel and PyTorch's function for the same numbers are timed in turns in one process, by CUDA's own events, and compared by their
medians; float32 throughout, without tensor cores. What is possible on paper is what benchmarks/kernels.py finds in the compiled code,
where ptxas and nvdisasm are at hand. Training steps, those of benchmarks/training.py, are timed until the device has finished. The
tables go to benchmarks/results/gpu.md.
"""

import gc
import importlib.util
import statistics
import sys
import time

from benchmarks import kernels as compiled
from benchmarks import record, training
from tinytorch.given.kernels import measuring
from tinytorch.given.kernels.simulator import SIMULATED, cuda

HEAD = """# The kernels on a GPU

Made by `make bench-gpu`, which writes this file and says in benchmarks/gpu.py how it measures. Shares are of the device's bandwidth or
of its float32 arithmetic without tensor cores, whichever is larger; *beside PyTorch* is the kernel's time divided by PyTorch's."""
PAPER = {  # rows of measuring.py, and of kernels.py
    "map, the square root": "map",
    "zip, a row to each": "zip in two dimensions",
    "reduce, rows": "reduce",
    "transpose": "transpose",
    "softmax, rows": "softmax",
    "AdamW": "adamw",
    "product, naive": "matmul_naive",
    "product, tiled": "matmul_tiled",
    "product, registers": "matmul_registers",
    "attention, heads of 64": "attention, heads of 64",
}
STEPS, ROUNDS = 10, 7


def by_pytorch(torch):
    """PyTorch's functions for the rows of measuring.py, on numbers of the same sizes."""
    numbers, side, columns = measuring.NUMBERS, measuring.SIDE, 1024
    x, y, out, m, v = (torch.rand(numbers, device="cuda") for _ in range(5))
    table, into, row = x.view(-1, columns), out.view(-1, columns), y[:columns]
    step = torch.ones((), device="cuda")
    a, b, c = (each[: side * side].view(side, side) for each in (x, y, out))
    q, k = (each[: 16 * side * 64].view(1, 16, side, 64) for each in (x, y))
    settings = {"lr": 1e-3, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.01}
    fused = lambda: torch._fused_adamw_(
        [y], [x], [m], [v], [], [step], **settings, amsgrad=False, maximize=False
    )
    product = lambda: torch.mm(a, b, out=c)
    return {
        "a copy on the device": lambda: out.copy_(x),
        "map, the square root": lambda: torch.sqrt(x, out=out),
        "zip, a sum": lambda: torch.add(x, y, out=out),
        "zip, a row to each": lambda: torch.add(table, row, out=into),
        "reduce, rows": lambda: table.sum(1),
        "reduce, everything": lambda: x.sum(),
        "transpose": lambda: out.view(columns, -1).copy_(table.T),
        "softmax, rows": lambda: torch.softmax(table, 1, out=into),
        "layer norm, rows": lambda: torch.nn.functional.layer_norm(table, (columns,), row, row),
        "AdamW": fused,
        "product, naive": product,
        "product, tiled": product,
        "product, registers": product,
        "attention, heads of 64": lambda: torch.nn.functional.scaled_dot_product_attention(q, k, q),
    }


def kernel_rows(torch):
    """Cells of a row for each kernel: time, bytes and operations in a second, shares, and time beside PyTorch's."""
    gpu = cuda.get_current_device()
    bandwidth, operations = measuring.peaks(gpu)
    paper = on_paper(gpu.compute_capability)
    others = by_pytorch(torch) if torch else {}
    for name, (run, moved, done) in measuring.launches().items():
        mine = measuring.seconds(cuda, run)
        theirs = measuring.seconds(cuda, others[name]) if name in others else None
        share = max(moved / mine / bandwidth, done / mine / operations)
        yield (
            name,
            f"{mine * 1e6:,.1f} µs",
            f"{moved / mine / 1e9:,.0f}" if moved else "",
            f"{done / mine / 1e12:.2f}" if done else "",
            f"{share:.0%}" if moved else "",
            paper.get(PAPER.get(name), ""),
            f"{mine / theirs:.2f}" if theirs else "",
        )


def on_paper(capability):
    """The share of a device's arithmetic or bandwidth that each compiled kernel may reach, by name."""
    device = next((each for each in compiled.DEVICES if each.capability == tuple(capability)), None)
    if not (device and compiled.tool("ptxas") and compiled.tool("nvdisasm")):
        return {}
    from tinytorch import kernels
    from tinytorch.given.kernels.rows import QUERIES

    return {
        row.name: f"{compiled.compiled(row, device).share:.0%}" for row in compiled.rows(kernels, QUERIES)
    }


def training_rows(torch):
    """Cells of a row for each training step, its loss falling, with the time beside PyTorch's."""
    import tinytorch

    for name, setup in training.STEPS.items():
        steps = {"ours": (tinytorch, cuda.synchronize)}
        if torch:
            steps["PyTorch"] = torch, torch.cuda.synchronize
        times, losses = {each: [] for each in steps}, {}
        for each, (library, _) in steps.items():
            _, loss, optimizer = setup(library, "cuda")
            steps[each] = training.step_of(loss, optimizer), steps[each][1]
            begun = loss().item()
            for _ in range(STEPS):
                steps[each][0]()
            losses[each] = f"{begun:.3f} to {loss().item():.3f}"
        for _ in range(ROUNDS):
            for each, (step, finished) in steps.items():
                gc.collect()
                finished()
                start = time.perf_counter()
                for _ in range(STEPS):
                    step()
                finished()
                times[each].append((time.perf_counter() - start) / STEPS)
        medians = {each: statistics.median(found) for each, found in times.items()}
        ratio = f"{medians['ours'] / medians['PyTorch']:.2f}" if torch else ""
        yield name, f"{medians['ours'] * 1e3:.2f} ms", losses["ours"], losses.get("PyTorch", ""), ratio


def main() -> int:
    if SIMULATED:
        print("There is no GPU here: nothing is measured, for the simulator has no times.")
        return 2
    torch = None
    if importlib.util.find_spec("torch"):
        import torch

        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    gpu = cuda.get_current_device()
    bandwidth, operations = measuring.peaks(gpu)
    parts = [
        HEAD,
        record.machine(),
        f"{measuring.name_of(gpu)}, {bandwidth / 1e9:,.0f} GB/s and {operations / 1e12:.1f} Tflop/s on paper.",
    ]
    heads = "kernel", "time", "GB/s", "Tflop/s", "share", "possible on paper", "beside PyTorch"
    parts.append(record.table(heads, kernel_rows(torch)))
    heads = "training step", "time", "loss in the first steps", "PyTorch's", "beside PyTorch"
    parts.append(record.table(heads, training_rows(torch)))
    record.write("gpu", *parts)
    print(*parts, sep="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
