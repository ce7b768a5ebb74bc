"""Time whole training steps beside PyTorch's, eager and compiled: `make bench-training [THREADS=2]`.

With one thread by the processor's time, which stays stable on a busy machine; with more by elapsed time, on an idle one. All contestants
of a step run in turns in one process, and are compared by their medians. Ours runs with the kernels of module 17. The GPT's
matrix products alone, all of those of its step in NumPy, say what is left beside them. Without THREADS one and two are
measured, each by a process of its own, and kept in results/training.md.
"""

import os
import sys

THREADS = int(sys.argv[1]) if __name__ == "__main__" and sys.argv[1:] else 1
if __name__ == "__main__":  # threads are counted before NumPy is imported
    for library in ("OPENBLAS", "OMP", "MKL", "NUMBA"):
        os.environ[f"{library}_NUM_THREADS"] = str(THREADS)

import gc
import importlib.util
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np

import tinytorch
from benchmarks import record
from benchmarks.speed import gpt_parts, numbers

ROUNDS, ROUND_SECONDS = 15, 0.2
EAGER, COMPILED, PRODUCTS = OTHERS = "PyTorch", "PyTorch compiled", "its matrix products"
HEADING = """# Training steps

Made by `make bench-training`, which writes this file and says in benchmarks/training.py how it measures. Beside each time is ours
divided by it; wanted are at most 0.85 of PyTorch's, and 1.3 of the matrix products'."""
LAYERS, WIDTH, HEADS, LENGTH, VOCABULARY, BATCH = 4, 256, 4, 128, 256, 8


def gpt(torch, place="cpu"):
    """The model, its loss, its optimizer, of a GPT: 4 layers, 256 wide, 4 heads, 8 texts of 128 tokens."""
    text = torch.tensor(np.random.default_rng(0).integers(0, VOCABULARY, (BATCH, LENGTH + 1))).to(place)
    x, y = text[:, :-1], text[:, 1:].flatten()
    tinytorch.manual_seed(0)
    ours = tinytorch.GPT(tinytorch.GPTConfig(VOCABULARY, LENGTH, LAYERS, HEADS, WIDTH, dropout=0.0))
    if torch is tinytorch:
        model, logits = ours, ours
    else:
        model, logits = gpt_parts(torch, WIDTH, HEADS, LENGTH, VOCABULARY)
        for theirs, weights in zip(model.parameters(), in_their_order(ours), strict=True):
            theirs.data.copy_(torch.from_numpy(weights.detach().numpy()))
    model.to(place)
    loss = lambda: torch.nn.functional.cross_entropy(logits(x).flatten(0, 1), y)
    return model, loss, torch.optim.AdamW(model.parameters(), lr=1e-3)


def in_their_order(model):
    """The parameters of our GPT in the order of `gpt_parts`."""
    body = model.transformer
    layers = [body.wte, body.wpe]
    for block in body.h:
        attention, mlp = block.attn, block.mlp
        layers += block.ln_1, block.ln_2, attention.c_attn, attention.c_proj, mlp.c_fc, mlp.c_proj
    return [parameter for layer in (*layers, body.ln_f) for parameter in layer.parameters()]


def cnn(torch, place="cpu"):
    """Two convolutions of 3 x 3, 16 and 32 channels, each with relu and pooling: 64 images 28 x 28."""
    nn = torch.nn
    torch.manual_seed(0)
    model = nn.Sequential(
        *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(32 * 7 * 7, 10)),
    ).to(place)
    x, y = numbers(torch, 64, 1, 28, 28, grad=False).to(place), (torch.arange(64) % 10).to(place)
    return (
        model,
        lambda: nn.functional.cross_entropy(model(x), y),
        torch.optim.Adam(model.parameters(), lr=1e-3),
    )


def mlp(torch, place="cpu"):
    """784-256-10 and relu, 64 images."""
    nn = torch.nn
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10)).to(place)
    x, y = numbers(torch, 64, 784, grad=False).to(place), (torch.arange(64) % 10).to(place)
    return (
        model,
        lambda: nn.functional.cross_entropy(model(x), y),
        torch.optim.Adam(model.parameters(), lr=1e-3),
    )


STEPS = {
    "GPT, 4 layers, 256 wide": gpt,
    "CNN, 16 and 32 channels, 28 x 28": cnn,
    "MLP 784-256-10": mlp,
}


def step_of(loss, optimizer):
    def step():
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()

    return step


def gpt_products():
    """The matrix products of the GPT's step, forward and backward, as a step of their own."""
    draw = lambda *shape: np.random.default_rng(0).standard_normal(shape, np.float32)
    rows, d = BATCH * LENGTH, WIDTH // HEADS
    layer = (WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)
    linear = [
        (draw(rows, inputs), draw(outputs, inputs), draw(rows, outputs))
        for inputs, outputs in [*layer * LAYERS, (WIDTH, VOCABULARY)]
    ]
    q, scores = draw(BATCH, HEADS, LENGTH, d), draw(BATCH, HEADS, LENGTH, LENGTH)

    def step():
        for x, weight, grad in linear:
            x @ weight.T, grad @ weight, grad.T @ x
        for _ in range(LAYERS):
            q @ q.swapaxes(-1, -2), scores @ q, q @ q.swapaxes(-1, -2), scores @ q
            scores.swapaxes(-1, -2) @ q, scores.swapaxes(-1, -2) @ q

    return step


def contestants(setup):
    """From names to steps and what has to be in place while they run."""
    model, loss, optimizer = setup(tinytorch)
    found = {"ours": (step_of(loss, optimizer), lambda: tinytorch.accelerate(model))}
    if setup is gpt:
        found[PRODUCTS] = gpt_products(), nullcontext
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(THREADS)
        _, loss, optimizer = setup(torch)
        found[EAGER] = step_of(loss, optimizer), nullcontext
        if shutil.which("c++"):
            _, loss, optimizer = setup(torch)
            found[COMPILED] = step_of(torch.compile(loss), optimizer), nullcontext
    return found


def medians(steps):
    """The median time of each step, their rounds in turns, in seconds."""
    clock = time.process_time if THREADS == 1 else time.perf_counter

    def timed(step, place, repeats):
        with place():
            start = clock()
            for _ in range(repeats):
                step()
            return (clock() - start) / repeats

    repeats, rounds = {}, {name: [] for name in steps}
    for name, (step, place) in steps.items():
        timed(step, place, 2)  # compiles
        repeats[name] = max(1, int(ROUND_SECONDS / timed(step, place, 1)))
    for _ in range(ROUNDS):
        for name, (step, place) in steps.items():
            gc.collect()
            rounds[name].append(timed(step, place, repeats[name]))
    return {name: statistics.median(times) for name, times in rounds.items()}


def rows() -> Iterator[list[str]]:
    """Each step with our time, and the time of each contestant with ours divided by it."""
    clock = "1 thread" if THREADS == 1 else f"{THREADS} threads, elapsed"
    for name, setup in STEPS.items():
        times = medians(contestants(setup))
        ours = times.pop("ours")
        shown = {other: f"{taken * 1e3:.2f} ms, {ours / taken:.2f}" for other, taken in times.items()}
        yield [f"{name}, {clock}", f"{ours * 1e3:.2f} ms", *(shown.get(other, "") for other in OTHERS)]


def main() -> None:
    if sys.argv[1:]:
        for row in rows():
            print(" | ".join(row), flush=True)
        return
    measured = []
    for threads in ("1", "2"):
        command = [sys.executable, "-P", "-m", "benchmarks.training", threads]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                print(line, end="", flush=True)
                measured.append(line.strip("\n").split(" | "))
        if process.returncode:
            sys.exit(process.returncode)
    if importlib.util.find_spec("torch"):
        table = record.table(("training step", "ours", *OTHERS), measured)
        print(f"written to {record.write('training', HEADING, record.machine(), table)}")


if __name__ == "__main__":
    main()
