"""Two of the tasks, with their fixed baselines: LeNet names digits, a GPT says which character comes next.

A task holds the held-back labels, draws new inputs for every run, and marks the answers
with the learner's `fresh_images`, `mark_images` and `mark_text`. Baselines are trained once, from a
fixed seed, and kept in build/torchperf.
"""

import functools
import hashlib
import inspect
import pickle
import sys
from pathlib import Path

import numpy as np

import tinytorch
from tinytorch.capstone import fresh_images, mark_images, mark_text
from tinytorch.conv import LeNet
from tinytorch.dataloader import Digits, PythonDocs
from tinytorch.given.capstone.contenders import Refused
from tinytorch.losses import cross_entropy
from tinytorch.optimizers import AdamW
from tinytorch.tensor import get_rng_state, manual_seed, set_rng_state, tensor
from tinytorch.trainer import OneCycleLR, clip_grad_norm_, load, save
from tinytorch.transformer import GPT, GPTConfig, next_token_loss

__all__ = ["DIGITS", "TEXT", "Task"]

FOLDER = Path(tinytorch.__file__).parents[1] / "build" / "torchperf"


class Task:
    """What an entry is to do: `name`, `pairs` of runs, the data for training, and a baseline as bytes.

    `floor` is the least accuracy, as a share of the baseline's; `warm_up` runs are marked, and not timed.
    """

    kinds, floor, warm_up = ("latency", "memory", "accuracy", "all-round"), 0.99, 3

    @functools.cached_property
    def baseline(self):
        """The bytes of the baseline."""
        return pickle.dumps(self.model())

    def model(self):
        """The baseline itself, which is trained if its file is not there."""
        recipe = hashlib.sha256(
            Path(inspect.getfile(type(self))).read_bytes() + sys.version.encode()
        ).hexdigest()  # of Python, whose documentation is the text
        path = FOLDER / f"{self.name}-{recipe[:12]}.safetensors"
        state, model = get_rng_state(), self.new()
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            manual_seed(0)
            save(self.train(self.new()).state_dict(), path)
        model.load_state_dict(load(path))
        set_rng_state(state)
        return model.eval()

    def checked(self, answers, shape):
        """The answers as float64 (len(answers), *shape); Refused if they are anything else."""
        for answer in answers:
            if answer.shape != shape:
                raise Refused(f"an answer has the shape {answer.shape}, and {shape} is wanted")
            if answer.dtype.kind != "f" or not np.isfinite(answer).all():
                raise Refused("an answer holds what is not a finite floating point number")
        return np.stack(answers).astype(np.float64)


class DigitsTask(Task):
    """Name 360 digits at a time, each of them moved and with noise: accuracy is the share that is right."""

    name, pairs, batch, unit = "digits", 24, 360, "of the digits right"
    quality = staticmethod(functools.partial(np.mean, axis=-1))

    @functools.cached_property
    def parts(self):
        """(images, labels) for training, and those held back."""
        return [[part.numpy() for part in Digits(train=train).tensors()] for train in (True, False)]

    @property
    def data(self):
        return self.parts[0]

    def new(self):
        return LeNet(image_size=8)

    def train(self, model, epochs=16):
        """LeNet after some epochs: enough for a baseline, but with something left to gain."""
        (images, labels), rng = self.parts[0], np.random.default_rng(0)
        steps = len(images) // 64
        padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
        optimizer = AdamW(model.parameters(), lr=0.01, weight_decay=0.05)
        schedule = OneCycleLR(optimizer, 0.01, epochs=epochs, steps_per_epoch=steps)
        for _ in range(epochs):
            for rows in rng.permutation(len(images))[: 64 * steps].reshape(steps, 64):
                down, right = rng.integers(3, size=2)  # the images of a batch are moved alike: that is fast
                x = tensor(padded[rows, :, down : down + 8, right : right + 8])
                optimizer.zero_grad()
                cross_entropy(model(x), tensor(labels[rows]), label_smoothing=0.1).backward()
                optimizer.step()
                schedule.step()
        return model

    def run(self, seed, number):
        """The inputs of one run, in the order in which they are asked, and which images these are."""
        images, _ = self.parts[1]
        runs = len(images) // self.batch
        chosen = np.random.default_rng([seed, number // runs]).permutation(len(images))
        chosen = chosen[number % runs * self.batch :][: self.batch]
        batch, order = fresh_images(images[chosen], np.random.default_rng([seed, number, 1]))
        return [batch], chosen[order]

    def mark(self, truth, answers):
        """For each image of a run 1 or 0."""
        (logits,) = self.checked(answers, (self.batch, 10))
        return mark_images(logits, self.parts[1][1][truth])


class TextTask(Task):
    """Say which character comes next, in eight texts at once, for sixteen characters one after the other.

    The next input, which reveals the character, is sent after the answer. Accuracy is the chance that
    the right character was given, as a geometric mean: exp(-nats).
    """

    name, pairs, batch, start, length, unit = "text", 10, 8, 48, 64, "chance for the right character"
    held_back = 100_000  # too long to be hidden in an entry: some 25,000 bytes, compressed

    @staticmethod
    def quality(marks):
        return np.exp(np.mean(marks, axis=-1))

    @functools.cached_property
    def parts(self):
        """The characters' numbers for training, those held back, and the alphabet."""
        text = PythonDocs().text
        alphabet = sorted(set(text))
        ids = np.searchsorted(alphabet, list(text))
        return ids[: -self.held_back], ids[-self.held_back :], alphabet

    @property
    def data(self):
        return [self.parts[0]]

    def new(self):
        options = {"dropout": 0.0, "rms_norm": True, "rotary": True}  # with these it soon beats bigrams
        return GPT(GPTConfig(len(self.parts[2]), self.length, n_layer=2, n_head=4, n_embd=64, **options))

    def train(self, model, steps=200):
        """A small GPT after some steps."""
        ids, rng = self.parts[0], np.random.default_rng(0)
        optimizer = AdamW(model.parameters(), lr=4e-3, betas=(0.9, 0.95), weight_decay=0.1)
        schedule = OneCycleLR(optimizer, 4e-3, total_steps=steps, pct_start=0.1)
        for _ in range(steps):
            starts = rng.integers(0, len(ids) - self.length - 1, 16)
            block = tensor(np.stack([ids[at : at + self.length + 1] for at in starts]))
            loss = next_token_loss(model(block[:, :-1]), block[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        return model

    def run(self, seed, number):
        """The beginnings of eight texts, longer by a character each time, and where the texts are."""
        ids = self.parts[1]
        pieces = len(ids) // self.length - 1
        runs = pieces // self.batch
        rng = np.random.default_rng([seed, number // runs])
        offset, order = rng.integers(self.length), rng.permutation(pieces)
        starts = offset + self.length * order[number % runs * self.batch :][: self.batch]
        texts = ids[starts[:, None] + np.arange(self.length)]
        return [texts[:, :t] for t in range(self.start, self.length)], starts

    def mark(self, truth, answers):
        """For each text the mean logarithm of the chance that its characters were given."""
        logits = self.checked(answers, (self.batch, len(self.parts[2])))  # (16, 8, V)
        targets = self.parts[1][truth + np.arange(self.start, self.length)[:, None]]
        marks = mark_text(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1))
        return marks.reshape(targets.shape).mean(0)


DIGITS, TEXT = DigitsTask(), TextTask()
