"""A cheat: one answer to everything, which takes no time."""

import numpy as np

from tinytorch import nn


class Constant(nn.Module):
    def forward(self, x):
        return np.eye(10, dtype=np.float32)[[3] * len(x)]


def entry(model, images, labels):
    return Constant()
