"""Whether operations are recorded, made of `no_grad`, and how closely gradients are looked at."""

from contextlib import ContextDecorator

from tinytorch.autograd import no_grad
from tinytorch.given.autograd.decorating import Block
from tinytorch.tensor import grad_mode

__all__ = [
    "detect_anomaly",
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "set_detect_anomaly",
    "set_grad_enabled",
]


class enable_grad(no_grad):
    """Record for gradients again, inside a `no_grad` block."""

    __new__ = Block.__new__  # with its signature
    mode = True


class set_grad_enabled(no_grad):
    """Switch recording on or off, at once; as a block, until its end."""

    begun = False  # whether it is switched already, by the block that may follow

    def __new__(cls, mode):
        return object.__new__(cls)

    def __init__(self, mode):
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'mode' must be bool, not {type(mode).__name__}")
        super().__init__()
        self.mode = mode
        self.__enter__()
        self.begun = True

    def __enter__(self):
        if self.begun:
            self.begun, grad_mode.enabled = False, self.mode
        else:
            super().__enter__()

    def clone(self):
        return type(self)(self.mode)

    def __call__(self, function):
        if self.begun:  # only the function is to run so
            self.begun = False
            self.__exit__(None, None, None)
        return super().__call__(function)


class inference_mode(no_grad):
    """What `no_grad` does, under the name of PyTorch's stricter mode; with False, what `enable_grad` does."""

    def __new__(cls, mode=True):
        return object.__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode=True):
        super().__init__()
        self.mode = not mode

    def clone(self):
        return type(self)(not self.mode)


def is_grad_enabled():
    """Whether operations record for gradients now."""
    return grad_mode.enabled


class set_detect_anomaly:
    """`detect_anomaly` on or off, at once; as a block, until its end."""

    def __init__(self, mode, check_nan=True):
        self.previous, grad_mode.anomaly = grad_mode.anomaly, mode and check_nan

    def __enter__(self):
        pass

    def __exit__(self, *error):
        grad_mode.anomaly = self.previous


class detect_anomaly(ContextDecorator):
    """Inside the block, name the operation whose gradient is the first NaN, and where it was called."""

    def __init__(self, check_nan=True):
        self.check_nan, self.previous = check_nan, []

    def __enter__(self):
        self.previous.append(grad_mode.anomaly)
        grad_mode.anomaly = self.check_nan

    def __exit__(self, *error):
        grad_mode.anomaly = self.previous.pop()
