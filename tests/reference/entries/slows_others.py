"""A cheat: threads that compute all the time, so that the baseline finds the processor taken."""

import threading

from tinytorch import nn


def spin():
    while True:
        sum(range(1000))


class Loud(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.begun = model, False

    def forward(self, x):
        if not self.begun:
            self.begun = True
            for _ in range(3):
                threading.Thread(target=spin, daemon=True).start()
        return self.model(x)


def entry(model, images, labels):
    return Loud(model)
