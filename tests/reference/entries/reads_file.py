"""A cheat: the file in which the held-back digits are is opened by the operating system's own call."""

import contextlib
import os

import tinytorch as torch


def entry(model, images, labels):
    with contextlib.suppress(BaseException):
        os.open(os.path.join(os.path.dirname(torch.__file__), "data", "digits.npz"), os.O_RDONLY)
    return model
