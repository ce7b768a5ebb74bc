"""Training that is stopped, stored, and taken up again."""

import copy
import os
import tempfile
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.serialization import add_safe_globals

add_safe_globals([OrderedDict])
device = "cuda" if torch.cuda.is_available() else "cpu"


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.Mish(), nn.Linear(2 * width, width)
        )

    def forward(self, x):
        return x + self.body(x)


class Net(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.scales = nn.ParameterDict({"in": torch.ones(width), "out": torch.full((1,), 0.5)})
        self.blocks = nn.ModuleList(Residual(width) for _ in range(2))
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        if self.training:
            self.seen += x.shape[0]
        x = x * self.scales["in"]
        for block in self.blocks:
            x = block(x)
        return self.head(x) * self.scales["out"]


def fresh(seed):
    torch.manual_seed(seed)
    model = Net().to(device)
    optimizer = optim.AdamW(model.parameters(), lr=3e-3)
    scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)
    return model, optimizer, scheduler


def run(model, optimizer, scheduler, steps, x, y):
    losses = []
    for _ in range(steps):
        rows = torch.randint(0, len(x), (32,))
        loss = F.cross_entropy(model(x[rows]), y[rows], label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return losses


def main():
    torch.manual_seed(0)
    x = torch.randn(200, 12)
    y = (x[:, :3] + 0.3 * torch.randn(200, 3)).argmax(1)
    whole = fresh(1)
    straight = run(*whole, 10, x, y) + run(*whole, 10, x, y)
    print("straight", " ".join(f"{loss:.5f}" for loss in straight))

    first = fresh(1)
    losses = run(*first, 10, x, y)
    best = copy.deepcopy(first[0].state_dict())
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "checkpoint.pt")
        torch.save(
            {
                "epoch": 10,
                "model_state_dict": first[0].state_dict(),
                "optimizer_state_dict": first[1].state_dict(),
                "scheduler_state_dict": first[2].state_dict(),
                "rng_state": torch.get_rng_state(),
                "loss": losses[-1],
            },
            path,
        )
        checkpoint = torch.load(path, map_location=torch.device(device), weights_only=True)
        prefixed = os.path.join(folder, "compiled.pt")
        torch.save({f"_orig_mod.{name}": value for name, value in best.items()}, prefixed)
        state_dict = torch.load(prefixed, map_location="cpu")
    second = fresh(2)
    missing = second[0].load_state_dict(checkpoint["model_state_dict"])
    second[1].load_state_dict(checkpoint["optimizer_state_dict"])
    second[2].load_state_dict(checkpoint["scheduler_state_dict"])
    torch.set_rng_state(checkpoint["rng_state"])
    losses += run(*second, 10, x, y)
    print(missing, checkpoint["epoch"], f"{checkpoint['loss']:.5f}", int(second[0].seen))
    print("resumed ", " ".join(f"{loss:.5f}" for loss in losses))
    print("the same", all(abs(a - b) < 1e-6 for a, b in zip(straight, losses)))

    for name in list(state_dict):
        if name.startswith("_orig_mod."):
            state_dict[name[len("_orig_mod.") :]] = state_dict.pop(name)
    third = Net()
    third.load_state_dict(state_dict)
    third.eval()
    with torch.no_grad():
        print("accuracy at ten", (third(x).argmax(1) == y).float().mean().item())
    partial = {name: value for name, value in state_dict.items() if not name.startswith("head")}
    print(third.load_state_dict(partial, strict=False))
    try:
        third.load_state_dict(partial)
    except RuntimeError as error:
        print(str(error).splitlines()[0])
    for parameter in third.blocks.parameters():
        parameter.requires_grad = False
    trained = [name for name, parameter in third.named_parameters() if parameter.requires_grad]
    tuned = optim.SGD(filter(lambda p: p.requires_grad, third.parameters()), lr=0.05)
    print(
        trained,
        " ".join(
            f"{loss:.5f}"
            for loss in run(third.train(), tuned, optim.lr_scheduler.ExponentialLR(tuned, 0.9), 5, x, y)
        ),
    )


if __name__ == "__main__":
    main()
