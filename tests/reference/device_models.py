"""Small models that tests train on the CPU and on a device, and the training."""

import numpy as np

import tinytorch as torch
import tinytorch.nn.functional as F
from tinytorch import nn
from tinytorch.conv import LeNet


class Scores(nn.Module):
    """A GPT whose scores are one row for each token."""

    def __init__(self, dropout, layers=2, width=8, heads=2, length=8):
        super().__init__()
        config = torch.GPTConfig(
            vocab_size=17, block_size=length, n_layer=layers, n_head=heads, n_embd=width, dropout=dropout
        )
        self.gpt = torch.GPT(config)

    def forward(self, idx):
        return self.gpt(idx).flatten(0, 1)


class LastStep(nn.Module):
    """An LSTM whose last state is classified."""

    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(6, 7, batch_first=True), nn.Linear(7, 5)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


def mlp():
    return nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 5)), torch.randn(8, 20), labels(8)


def lenet():
    return LeNet(5, 1, 16), torch.randn(4, 1, 16, 16), labels(4)


def lenet_with_batch_norm():
    layers = (
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 6, 3),
        nn.BatchNorm2d(6), nn.ReLU(), nn.Flatten(), nn.Linear(6 * 36, 5),
    )  # fmt: skip
    return nn.Sequential(*layers), torch.randn(4, 1, 16, 16), labels(4)


def gpt():
    return Scores(dropout=0.0), torch.randint(0, 17, (3, 8)), labels(24)


def gpt_with_dropout():
    return Scores(dropout=0.1), torch.randint(0, 17, (3, 8)), labels(24)


def lstm():
    return LastStep(), torch.randn(4, 5, 6), labels(4)


def labels(count):
    return torch.randint(0, 5, (count,))


MODELS = [mlp, lenet, lenet_with_batch_norm, gpt, gpt_with_dropout, lstm]
OPTIMIZERS = {
    "SGD": lambda parameters: torch.optim.SGD(parameters, lr=0.1),
    "SGD with momentum": lambda parameters: torch.optim.SGD(
        parameters, lr=0.05, momentum=0.9, dampening=0.1, weight_decay=0.01
    ),
    "Nesterov": lambda parameters: torch.optim.SGD(parameters, lr=0.05, momentum=0.9, nesterov=True),
    "Adam": lambda parameters: torch.optim.Adam(parameters, lr=0.01, weight_decay=0.01),
    "AdamW": lambda parameters: torch.optim.AdamW(parameters, lr=0.01),
}


def train(make, optimizer, device="cpu", steps=4, clip=False, watch=None):
    """Train a model from the same start; returns its losses and, as NumPy arrays, what it has learned.

    `watch()` gives a context for the third step: by then all state, and all memory, is there.
    """
    torch.manual_seed(1)
    model, x, y = make()
    model, x, y = model.to(device), x.to(device), y.to(device)
    optimizer, losses = OPTIMIZERS[optimizer](model.parameters()), []
    torch.manual_seed(2)
    for number in range(steps):
        with watch() if watch and number == 2 else torch.enable_grad():
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            if clip:
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        losses.append(loss.item())
    return losses, [np.array(p.detach().cpu().numpy()) for p in model.state_dict().values()]


def agree(found, wanted, what):
    """Whether two trainings had the same losses and came to the same parameters, but for the order of sums."""
    np.testing.assert_allclose(found[0], wanted[0], atol=2e-6, err_msg=f"losses of {what}, step by step")
    if (
        "Adam" in what
    ):  # which takes whole steps along gradients that are zero but for rounding, as before a batch norm
        return
    for number, (a, b) in enumerate(zip(found[1], wanted[1], strict=True)):
        np.testing.assert_allclose(a, b, atol=2e-4, err_msg=f"parameter {number} of {what}")
