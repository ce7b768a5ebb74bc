"""Random programs of views, picks, writes in place and arithmetic, and what PyTorch made of them.

`python -m tests.reference.record_views` runs them with PyTorch; `test_views.py` runs them again with TinyTorch. A program
is drawn from its seed while it runs: every step takes tensors that are there already, by number, and what it may do with
them depends on their shapes alone. So both frameworks take the same steps as long as they agree on what is refused, which
is noted too.
"""

import math
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).parent / "recorded" / "views.npz"
SEEDS = range(400)
STEPS = 14


def is_stretched(x):
    """Whether several elements lie in one place of memory."""
    return x.numel() > 0 and any(n > 1 and stride == 0 for n, stride in zip(x.shape, x.stride()))


class Program:
    """One random program: `tensors` are all that it has made, `notes` a line for each step."""

    def __init__(self, seed, torch):
        self.random, self.torch, self.notes = np.random.RandomState(seed), torch, []
        shapes = [(), (3,), (2, 3), (2, 1, 3)]
        self.leaves = [self.new(shapes[self.pick(len(shapes))]).requires_grad_() for _ in range(2)]
        self.tensors = [self.leaves[0] * 1, self.leaves[1], self.new(shapes[self.pick(len(shapes))])]
        for _ in range(STEPS):
            steps = [self.view] * 5 + [self.several_views] + [self.write] * 4 + [self.compute] * 3
            self.take(steps[self.pick(len(steps))])

    def pick(self, count):
        return int(self.random.randint(count))

    def new(self, shape):
        return self.torch.tensor(self.random.uniform(0.5, 1.5, shape).round(3))

    def any(self):
        """One of the tensors, and its number. Asked for its grad_fn, PyTorch brings a view's history up to date."""
        number = self.pick(len(self.tensors))
        _ = self.tensors[number].grad_fn
        return number, self.tensors[number]

    def take(self, step):
        """Take a step that may be refused; note what it was and how it went."""
        try:
            self.notes.append(step())
        except Exception as error:
            if not isinstance(error, RuntimeError | IndexError | TypeError | ValueError):
                raise
            self.notes.append(f"{step.__name__} refused, {type(error).__name__}")

    def made(self, text, tensor):
        self.tensors.append(tensor)
        return f"{len(self.tensors) - 1} = {text}: {list(tensor.shape)}{' grad' * tensor.requires_grad}"

    def position(self, x):
        """A basic index of a tensor, or the boundary cases of one."""
        index = []
        for n in x.shape[: self.pick(x.ndim + 1) if self.pick(4) else x.ndim]:
            choice = self.pick(5)
            if choice < 3:
                i = self.pick(n) - n * self.pick(2)
                index.append(self.torch.tensor(i) if self.pick(4) == 0 else i)
            else:
                index.append(slice(self.pick(min(n, 2)), None if choice == 3 else n, 1 + self.pick(2)))
        if self.pick(3) == 0:
            index.insert(self.pick(len(index) + 1), ...)
        if self.pick(5) == 0:
            index.insert(self.pick(len(index) + 1), None)
        return index[0] if len(index) == 1 and self.pick(2) else tuple(index)

    def view(self):
        number, x = self.any()
        dim = self.pick(x.ndim) if x.ndim else 0
        choices = {
            "index": lambda: x[index],
            "expand": lambda: x.expand(wider),
            "same": lambda: x.expand(x.shape),
        }
        index, wider = self.position(x), (1 + self.pick(2), *x.shape)
        choices |= {
            "reversed": lambda: x.permute(tuple(range(x.ndim))[::-1]),
            "unsqueeze": lambda: x.unsqueeze(dim),
            "squeeze": lambda: x.squeeze(),
            "flat": lambda: x.reshape(-1),
            "view": lambda: x.view(1, -1),
            "detach": lambda: (x.clone() if is_stretched(x) else x).detach(),
            "last": lambda: x.movedim(0, -1),
            "contiguous": lambda: x.contiguous(),
        }
        if x.ndim:
            i = self.pick(x.shape[dim])
            choices |= {"select": lambda: x.select(dim, i), "narrow": lambda: x.narrow(dim, i, 1)}
        if x.ndim > 1:
            choices["diagonal"] = lambda: x.diagonal(0, 0, 1)
        names = [name for name in choices for _ in range(5 if name in ("index", "select") else 1)]
        name = names[self.pick(len(names))]
        return self.made(f"{name} of {number}{f' {index}' if name == 'index' else ''}", choices[name]())

    def several_views(self):
        number, x = self.any()
        if not x.ndim:
            return "nothing"
        kind, dim = self.pick(4), self.pick(x.ndim)
        parts = [x.unbind, x.chunk, x.split, lambda *_: list(x)][kind](*[2] * (kind in (1, 2)), dim)
        if not len(parts):
            return "nothing"
        return self.made(f"a part of {number}, {kind}", parts[self.pick(len(parts))])

    def write(self):
        number, x = self.any()
        other_number, other = self.any()
        factor = round(float(self.random.uniform(0.5, 1.5)), 3)
        names = [
            "mul_",
            "add_",
            "copy_",
            "set",
            "set",
            "pick",
            "fill_",
            "sin_",
            "number",
            "+=",
            "masked_fill_",
        ]
        name = [*names, "data"][self.pick(len(names) + 1)]
        if name in ("pick", "masked_fill_") and is_stretched(x):
            return "nothing"  # PyTorch warns, and writes
        index = self.position(x)
        without = self.pick(5) == 0
        value = other.sum() if self.pick(2) else other.clone()
        text = (
            f"{name} of {number} by {other_number} {factor if name == 'number' else ''}{' no_grad' * without}"
        )
        self.torch.set_grad_enabled(not without)
        try:
            if name == "set":
                x[index] = value
            elif name == "number":
                x.mul_(factor)
            elif name == "data":
                x.data.view(-1).mul_(factor)
            elif name == "sin_":
                x.sin_()
            elif name == "pick":  # several elements, some of them twice, or those of a mask
                rows = [self.pick(len(x)) for _ in range(1 + self.pick(3))] if x.ndim else ...
                x[rows if self.pick(2) else x.detach() > 1] = value.sum()
            elif name == "masked_fill_":
                x.masked_fill_(x.detach() > 1, value.sum())
            elif name == "fill_":
                x.fill_(value.sum())
            elif name == "+=":
                x += value
            else:
                getattr(x, name)(value)
        finally:
            self.torch.set_grad_enabled(True)
        return f"{text} {index if name == 'set' else ''}{' grad' * x.requires_grad}"

    def compute(self):
        number, x = self.any()
        other_number, other = self.any()
        name = ["*", "+", "sin", "sum", "clone", "square", "rows"][self.pick(7)]
        rows = [self.pick(len(x)) for _ in range(2)] if x.ndim else ...
        result = {
            "*": lambda: x * other.sum() if other.requires_grad == x.requires_grad else x + other.sum(),
            "+": lambda: x + other,
            "sin": lambda: x.sin(),
            "sum": lambda: x.sum(),
            "clone": lambda: x.clone(),
            "square": lambda: x * x,
            "rows": lambda: x[rows],
        }[name]()
        if result.numel() > 100:
            return "nothing"
        return self.made(f"{name} of {number} and {other_number}", result)

    def results(self):
        """One number for each tensor that was made, then the gradients of the leaves, or that there are none."""
        numbers, total = [], self.torch.zeros((), dtype=self.torch.float64)
        for x in self.tensors:
            weights = self.new(tuple(x.shape))
            numbers.append((x.detach() * weights).sum().item())
        for number, x in enumerate(self.tensors):
            weights = self.new(tuple(x.shape))
            try:
                total = total + (x * weights).sum()
            except RuntimeError:  # a part of a split whose whole has been written to
                self.notes.append(f"{number} is not to be used")
        try:
            grads = self.torch.autograd.grad(total, self.leaves, materialize_grads=True)
        except RuntimeError:
            return self.notes, [*numbers, math.nan]
        return self.notes, [*numbers, *(n for g in grads for n in g.reshape(-1).tolist())]


def load():
    """The notes and the numbers of each program, as PyTorch left them."""
    with np.load(RECORDED) as saved:
        notes = bytes(saved["notes"]).decode().split("\n\n")
        numbers = np.split(saved["numbers"], np.cumsum(saved["counts"])[:-1])
    return [(note.split("\n"), values) for note, values in zip(notes, numbers, strict=True)]


if __name__ == "__main__":
    import torch

    results = [Program(seed, torch).results() for seed in SEEDS]
    notes = "\n\n".join("\n".join(notes) for notes, _ in results).encode()
    numbers = [np.float32(numbers) for _, numbers in results]
    np.savez_compressed(
        RECORDED,
        version=torch.__version__,
        notes=np.frombuffer(notes, np.uint8),
        numbers=np.concatenate(numbers),
        counts=[len(each) for each in numbers],
    )
    print(f"{len(results)} programs, {RECORDED.stat().st_size / 1e3:.0f} kB")
