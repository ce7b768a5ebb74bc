"""2018, benchmarks with rules: five entries against fixed baselines, each measured in a process of its own.

P. Mattson et al., "MLPerf Training Benchmark", MLSys 2020 (the benchmark began in 2018); V. J. Reddi et al., "MLPerf
Inference Benchmark", ISCA 2020.
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

import tinytorch as torch
from tinytorch import Score, Streaming, draw_scores, fresh_images, nn, optim, teach
from tinytorch.nn import functional as F

FOLDER = Path(__file__).parents[1] / "build" / "milestones"
PICTURE = FOLDER / "torchperf.png"


def streaming(model, ids):
    """Latency on text: read only what is new, and keep the rest in a KV cache."""
    return Streaming(model)


def four_bits(model, ids):
    """Memory on text: weights of 4 bits, two to a byte."""
    return torch.quantize_int4(model)


def longer(model, images, labels, epochs=14):
    """Accuracy on digits: train on, with each batch moved anew, and with noise."""
    padded, steps = F.pad(images, (1, 1, 1, 1)), len(images) // 64
    optimizer = optim.AdamW(model.train().parameters(), lr=0.006, weight_decay=0.05)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, 0.006, epochs=epochs, steps_per_epoch=steps)
    for _ in range(epochs):
        for rows in torch.randperm(len(images)).split(64)[:steps]:
            down, right = torch.randint(3, (2,)).tolist()
            x = padded[rows][:, :, down : down + 8, right : right + 8]
            x = x + 0.05 * torch.randn(x.shape)
            optimizer.zero_grad()
            F.cross_entropy(model(x), labels[rows], label_smoothing=0.05).backward()
            optimizer.step()
            schedule.step()
    return model.eval()


def student(model, images, labels):
    """All-round on digits: two matrices, taught by LeNet, in int8."""
    small = nn.Sequential(nn.Flatten(), nn.Linear(64, 192), nn.ReLU(), nn.Linear(192, 10))
    return torch.ao.quantization.quantize_dynamic(teach(small, model, images.numpy(), steps=500))


class Kernels(Streaming):
    """Streaming on kernels, which stay in place in the process that answers."""

    def forward(self, idx):
        if self.seen is None:
            torch.accelerate()
        return super().forward(idx)


def answering(model, ids):
    """Latency on answers: a KV cache, kernels, and weights of 4 bits."""
    return Kernels(torch.quantize_int4(model))


ENTRIES = {
    "latency on text": (streaming, Streaming),
    "memory on text": (four_bits,),
    "accuracy on digits": (longer,),
    "all-round on digits": (student, teach, fresh_images),
    "latency on answers": (answering, Streaming, Kernels),
}


def judge(event, function, *needs):
    entry = torch.Entry.from_code(function.__name__, function, *needs)
    record = torch.run_event(event, entry, seed=2018, pairs=6 if event.endswith("text") else None)
    said = record["reason"] or Score(*record["scores"][event.partition(" on ")[0]])
    print(f"{record['event']}: {entry.name} {record['verdict']}, {said}", flush=True)
    return record


def draw(records):
    """All scores with their intervals: of each entry not only the one that it was made for."""
    figure = Figure(figsize=(12, 3.4), layout="constrained")
    kinds = ("latency", "memory", "accuracy", "all-round")
    for axes, kind in zip(figure.subplots(1, 4, sharey=True), kinds, strict=True):
        draw_scores(axes, records, kind)
    FOLDER.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=120)
    return figure


def main():
    records = [judge(event, *code) for event, code in ENTRIES.items()]
    wins = sum(record["verdict"] == "wins" for record in records)
    figure = draw(records)
    torch.write_board(records, FOLDER / "torchperf")
    report = torch.portfolio(records, [("All scores, with 95% intervals", figure)], "TorchPerf")
    (FOLDER / "torchperf" / "portfolio.html").write_text(report, encoding="utf-8")
    print(f"leaderboard and report: {FOLDER / 'torchperf'}")
    print(f"won: {wins} of {len(records)} events, {wins / len(records):.0%}")
    print(f"picture: {PICTURE}")
    if wins < len(records):
        sys.exit("a win in every event was wanted")


if __name__ == "__main__":
    main()
