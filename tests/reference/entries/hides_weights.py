"""A cheat: the model is handed over without its weights, which are kept in a variable of the process that built it."""

from tinytorch import nn

KEPT = []


def kept():
    return KEPT[0]


class Small(nn.Module):
    def __reduce__(self):
        return kept, ()


def entry(model, images, labels):
    KEPT.append(model)
    return Small()
