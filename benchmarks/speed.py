"""The rows of the speed table: small programs over a namespace `torch`, run with ours and with PyTorch."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Row:
    name: str
    wanted: float | None  # our time over PyTorch's
    setup: Callable  # takes the namespace, returns the step to be timed


ROWS: list[Row] = []


def row(name, wanted=None):
    """Add the decorated setup to the table."""

    def add(setup):
        ROWS.append(Row(name, wanted, setup))
        return setup

    return add


def numbers(torch, *shape, grad=True, seed=0):
    array = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return torch.tensor(array, requires_grad=grad)


def forward_and_backward(function, inputs, cotangent):
    """A step that runs a function forward and backward with a fixed cotangent."""

    def step():
        for x in inputs:
            x.grad = None
        function(*inputs).backward(cotangent)

    return step


def chain(torch, shape):
    x = torch.ones(shape, requires_grad=True)

    def forward():
        y = x
        for _ in range(1000):
            y = y * 1.0001
        return y

    return x, forward


for shape in ((), (8,)):

    @row(f"tape: 1,000 operations on {shape}, forward", 1.0)
    def tape_forward(torch, shape=shape):
        _, forward = chain(torch, shape)
        return forward

    @row(f"tape: 1,000 operations on {shape}, backward", 0.7)
    def tape_backward(torch, shape=shape):
        x, forward = chain(torch, shape)
        y, cotangent = forward(), torch.ones(shape)

        def step():
            x.grad = None
            y.backward(cotangent, retain_graph=True)

        return step


@row("MLP 784-128-10, batch 64, Adam step", 0.9)
def mlp(torch):
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = numbers(torch, 64, 784, grad=False), torch.arange(64) % 10

    def step():
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step


@row("linear 1024 x 1024, batch 256", 1.05)
def linear(torch):
    inputs = [numbers(torch, *shape, seed=i) for i, shape in enumerate([(256, 1024), (1024, 1024), (1024,)])]
    return forward_and_backward(torch.nn.functional.linear, inputs, numbers(torch, 256, 1024, grad=False))


ELEMENTWISE = {
    "add": (lambda torch, x, y: x + y, None),
    "mul": (lambda torch, x, y: x * y, None),
    "div": (lambda torch, x, y: x / y, None),
    "maximum": (lambda torch, x, y: torch.maximum(x, y), None),
    "cube": (lambda torch, x, y: x**3, None),
    "exp": (lambda torch, x, y: torch.exp(x), None),
    "relu": (lambda torch, x, y: torch.relu(x), None),
    "sigmoid": (lambda torch, x, y: torch.sigmoid(x), None),
    "tanh": (lambda torch, x, y: torch.tanh(x), None),
    "gelu (tanh)": (lambda torch, x, y: torch.nn.functional.gelu(x, approximate="tanh"), 1.0),
    "softmax": (lambda torch, x, y: torch.softmax(x, -1), 2.5),
    "max along a dimension": (lambda torch, x, y: x.max(1).values, None),
}
for name, (function, wanted) in ELEMENTWISE.items():

    @row(f"{name} (1024, 1024)", wanted)
    def elementwise(torch, function=function):
        x, y = numbers(torch, 1024, 1024), numbers(torch, 1024, 1024, seed=1)
        cotangent = numbers(torch, *function(torch, x, y).shape, grad=False, seed=2)
        return forward_and_backward(lambda x, y: function(torch, x, y), [x, y], cotangent)


@row("cross-entropy (1024, 50257)", 0.5)
def cross_entropy(torch):
    logits, labels = numbers(torch, 1024, 50257), torch.arange(1024) * 49
    loss = torch.nn.functional.cross_entropy
    return forward_and_backward(lambda x: loss(x, labels), [logits], torch.tensor(1.0))
