"""1969, XOR: what one layer cannot tell apart, and what a hidden layer makes of it.

M. Minsky and S. Papert, "Perceptrons" (1969): no straight line separates the quarters of a square where
exactly one coordinate is positive from the two others. A layer in between bends the line.
"""

from pathlib import Path

from matplotlib.figure import Figure

import tinytorch as torch
from tinytorch import nn, optim

PICTURE = Path(__file__).parents[1] / "build" / "milestones" / "xor.png"


def points(count):
    """Points of a square (count, 2), and 1 for those where exactly one coordinate is positive (count, 1)."""
    x = 2 * torch.rand(count, 2) - 1
    return x, ((x[:, :1] > 0) != (x[:, 1:] > 0)).float()


def learn(model, x, y, steps=500):
    """Follow the gradient of the loss on all points, and return the losses."""
    optimizer, loss_fn, losses = optim.Adam(model.parameters(), lr=0.05), nn.BCEWithLogitsLoss(), []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def accuracy(model, x, y):
    with torch.no_grad():
        return ((model(x) > 0).float() == y).float().mean().item()


def draw(models, x, y, losses):
    figure = Figure(figsize=(11, 3.4), layout="constrained")
    line = torch.linspace(-1, 1, 100)
    # The rows of the picture are the second coordinate.
    plane = torch.stack([line.repeat(100), line.repeat_interleave(100)], dim=1)  # (10000, 2)
    *surfaces, last = figure.subplots(1, len(models) + 1)
    for axes, (name, model) in zip(surfaces, models.items(), strict=True):
        with torch.no_grad():
            probability = torch.sigmoid(model(plane)).reshape(100, 100).numpy()
        axes.imshow(
            probability, origin="lower", extent=(-1, 1, -1, 1), cmap="RdBu", vmin=0, vmax=1, alpha=0.6
        )
        axes.scatter(*x.T.numpy(), c=y[:, 0].numpy(), cmap="RdBu", s=8, edgecolors="k", linewidths=0.3)
        axes.set(title=f"{name}: {accuracy(model, x, y):.0%} right")
    for name, values in losses.items():
        last.plot(values, label=name)
    last.set(xlabel="step", ylabel="loss")
    last.legend()
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    torch.manual_seed(1969)
    x, y = points(400)
    models = {
        "one layer": nn.Linear(2, 1),
        "a hidden layer": nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)),
    }
    losses = {name: learn(model, x, y) for name, model in models.items()}
    fresh = points(1000)
    for name, model in models.items():
        print(f"{name}: {accuracy(model, *fresh):.1%} of 1000 fresh points right")
    draw(models, x, y, losses)
    print(f"picture: {PICTURE}")


if __name__ == "__main__":
    main()
