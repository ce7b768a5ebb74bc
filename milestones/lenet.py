"""1998, convolution: LeNet reads handwritten digits with filters that it has found by itself.

Y. LeCun, L. Bottou, Y. Bengio and P. Haffner, "Gradient-based learning applied to document recognition",
Proceedings of the IEEE 86 (1998).

`python milestones/lenet.py --cifar10 [EPOCHS]` trains a small residual network on CIFAR-10 instead, once that
has been downloaded (`tinytorch.CIFAR10()` does it).
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

import tinytorch as torch
from tinytorch import nn, optim
from tinytorch.utils.data import DataLoader

WANTED = 0.97
PICTURES = Path(__file__).parents[1] / "build" / "milestones"


def digits():
    """LeNet; digits that are moved by up to a pixel each time they are seen; those held out."""
    moved = torch.RandomCrop(8, padding=1)
    return torch.LeNet(image_size=8), torch.Digits(transform=moved), torch.Digits(train=False)


def cifar10():
    """A small residual network; pictures that are moved and turned left to right; those held out."""
    from tinytorch.dataloader import CACHE  # where downloads lie

    if not (CACHE / "CIFAR10" / "cifar-10-binary.tar.gz").exists():
        sys.exit("CIFAR-10 has not been downloaded: tinytorch.CIFAR10() does that")
    normalize = torch.Normalize((0.491, 0.482, 0.447), (0.247, 0.243, 0.262))
    changed = torch.Compose([torch.RandomCrop(32, padding=4), torch.RandomHorizontalFlip(), normalize])
    return torch.resnet_small(), torch.CIFAR10(transform=changed), torch.CIFAR10(False, normalize)


def accuracy(outputs, targets):
    return (outputs.argmax(dim=1) == targets).float().mean()


def learn(model, train, held_out, epochs):
    """Train, and evaluate on what is held out after each epoch."""
    loader = DataLoader(train, batch_size=64, shuffle=True)
    optimizer = optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.05)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, 0.01, epochs=epochs, steps_per_epoch=len(loader))
    trainer = torch.Trainer(
        model, optimizer, nn.CrossEntropyLoss(label_smoothing=0.1), schedule, scheduler_every="step",
        metrics={"accuracy": accuracy}, callbacks=[torch.ProgressBar()],
    )  # fmt: skip
    trainer.fit(loader, held_out, epochs)
    return trainer


def draw(trainer, logits, images, labels, classes, picture):
    """The course of the training, the filters of the first layer, and what is taken for something else."""
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    left, middle, right = figure.subfigures(1, 3)
    rows, axes = trainer.history.rows, left.subplots()
    for key, label in (("accuracy", "training"), ("val_accuracy", "held out")):
        axes.plot([row["epoch"] for row in rows], [row[key] for row in rows], ".-", label=label)
    axes.set(xlabel="epoch", ylabel="accuracy", title=f"{rows[-1]['val_accuracy']:.1%} of the held out right")
    axes.legend()
    filters = trainer.model.conv1.weight.detach()
    middle.suptitle(f"The {len(filters)} filters of the first layer")
    grid = middle.subplots(-(-len(filters) // 3), 3).flat
    for axes, weights in zip(grid, filters, strict=False):
        shades = (weights - weights.min()) / (weights.max() - weights.min())
        axes.imshow(shades.permute(1, 2, 0).numpy(), cmap="RdBu")
    said = logits.argmax(dim=1)
    wrong = (said != labels).nonzero()[:9, 0].tolist()
    right.suptitle("Taken for something else")
    for axes, i in zip(right.subplots(3, 3).flat, wrong, strict=False):
        axes.imshow(images[i].permute(1, 2, 0).numpy(), cmap="gray_r")
        axes.set_title(f"{classes[labels[i]]} as {classes[said[i]]}", fontsize=8)
    for axes in figure.axes[1:]:
        axes.axis("off")
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=120)


def main(arguments):
    torch.manual_seed(1998)
    colour = arguments[:1] == ["--cifar10"]
    epochs = int(arguments[1]) if arguments[1:] else 10 if colour else 30
    model, train, held_out = cifar10() if colour else digits()
    batches = DataLoader(held_out, batch_size=360)
    trainer = learn(model, train, batches, epochs)
    images, labels = held_out.tensors()
    logits = trainer.predict(batches)
    reached, picture = accuracy(logits, labels).item(), PICTURES / f"{'cifar10' if colour else 'lenet'}.png"
    draw(trainer, logits, images, labels, held_out.classes, picture)
    print(f"held out: {reached:.1%} of {len(labels)} images right")
    print(f"picture: {picture}")
    if not colour and reached < WANTED:
        sys.exit(f"{WANTED:.0%} was wanted")


if __name__ == "__main__":
    main(sys.argv[1:])
