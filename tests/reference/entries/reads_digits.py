"""A cheat: the held-back digits are asked for, and all exceptions swallowed."""

import contextlib

import tinytorch as torch


def entry(model, images, labels):
    with contextlib.suppress(BaseException):
        torch.Digits(train=False).tensors()
    return model
