"""1986, back-propagation: a network with a hidden layer reads handwritten digits.

D. Rumelhart, G. Hinton and R. Williams, "Learning representations by back-propagating errors",
Nature 323 (1986).
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

import tinytorch as torch
from tinytorch import nn, optim
from tinytorch.utils.data import DataLoader

WANTED = 0.95
PICTURE = Path(__file__).parents[1] / "build" / "milestones" / "mlp_digits.png"


def accuracy(outputs, targets):
    return (outputs.argmax(dim=1) == targets).float().mean()


def learn(epochs=30):
    """Train on 1,437 digits, and evaluate on the 360 held out after each epoch."""
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Dropout(0.2), nn.Linear(128, 10))
    optimizer = optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.01)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    trainer = torch.Trainer(
        model, optimizer, nn.CrossEntropyLoss(), schedule,
        metrics={"accuracy": accuracy}, callbacks=[torch.ProgressBar()],
    )  # fmt: skip
    trainer.fit(DataLoader(torch.Digits(), batch_size=32, shuffle=True), held_out(), epochs)
    return trainer


def held_out():
    return DataLoader(torch.Digits(train=False), batch_size=360)


def draw(trainer, logits, images, labels):
    """The course of the training, what hidden units look for, and the digits that are taken for others."""
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    left, middle, right = figure.subfigures(1, 3)
    rows = trainer.history.rows
    axes = left.subplots()
    for key, label in (("accuracy", "training"), ("val_accuracy", "held out")):
        axes.plot([row["epoch"] for row in rows], [row[key] for row in rows], ".-", label=label)
    axes.set(xlabel="epoch", ylabel="accuracy", title=f"{rows[-1]['val_accuracy']:.1%} of the held out right")
    axes.legend()
    middle.suptitle("What 25 hidden units look for")
    for axes, pixels in zip(
        middle.subplots(5, 5).flat, trainer.model[1].weight[:25].detach().numpy(), strict=True
    ):
        axes.imshow(pixels.reshape(8, 8), cmap="RdBu")
        axes.axis("off")
    said = logits.argmax(dim=1)
    wrong = (said != labels).nonzero()[:9, 0].tolist()
    right.suptitle("Digits taken for others")
    for axes, i in zip(right.subplots(3, 3).flat, wrong + [None] * (9 - len(wrong)), strict=True):
        axes.axis("off")
        if i is not None:
            axes.imshow(images[i, 0].numpy(), cmap="gray_r")
            axes.set_title(f"{labels[i].item()} as {said[i].item()}", fontsize=8)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    torch.manual_seed(1986)
    trainer = learn()
    images, labels = torch.Digits(train=False).tensors()
    logits = trainer.predict(held_out())
    reached = accuracy(logits, labels).item()
    draw(trainer, logits, images, labels)
    print(f"held out: {reached:.1%} of {len(labels)} digits right")
    print(f"picture: {PICTURE}")
    if reached < WANTED:
        sys.exit(f"{WANTED:.0%} was wanted")


if __name__ == "__main__":
    main()
