"""What the framework holds on to: bytes alive along a training step, the time of its import, a very long chain."""

import gc
import subprocess
import sys
import time
import tracemalloc

import tinytorch as torch

IMPORT = "import tinytorch; tinytorch.Tensor"


def rows() -> list[tuple[str, str]]:
    """Pairs of what was measured and what came out."""
    return [
        ("import tinytorch", f"{import_seconds():.2f} s"),
        *alive_along_a_step(),
        ("a chain of 100,000 operations, backward", f"{long_chain_seconds():.2f} s"),
    ]


def import_seconds() -> float:
    """The best of five fresh interpreters, less an empty one; they find the framework where this one did."""

    def best(statement):
        times = []
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-P", "-c", statement], check=True)
            times.append(time.perf_counter() - start)
        return min(times)

    return best(IMPORT) - best("pass")


def alive_along_a_step() -> list[tuple[str, str]]:
    """Bytes allocated for an MLP's step after forward and after backward, beside its parameters and gradients."""
    nn = torch.nn
    model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    x, y = torch.randn(256, 784), torch.arange(256) % 10
    torch.nn.functional.cross_entropy(model(x), y).backward()  # gradients exist from here on
    gc.collect()
    tracemalloc.start()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    forward = tracemalloc.get_traced_memory()[0]
    loss.backward()
    del loss
    backward = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    parameters = sum(p.nbytes for p in model.parameters())
    return [
        ("MLP 784-512-512-10, bytes of its parameters", f"{parameters:,}"),
        ("the same, alive after forward with batch 256", f"{forward:,}"),
        ("the same, alive after backward", f"{backward:,}"),
    ]


def long_chain_seconds() -> float:
    x = torch.ones((), requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y * 1.00001
    start = time.perf_counter()
    y.backward()
    return time.perf_counter() - start
