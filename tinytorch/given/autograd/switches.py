"""Whether operations are recorded, and how closely gradients are looked at."""

from contextlib import ContextDecorator, contextmanager

from tinytorch.autograd import no_grad
from tinytorch.tensor import grad_mode

__all__ = ["detect_anomaly", "enable_grad", "inference_mode", "is_grad_enabled", "set_grad_enabled"]

inference_mode = no_grad


@contextmanager
def enable_grad():
    """Record for gradients again inside a `no_grad` block."""
    previous, grad_mode.enabled = grad_mode.enabled, True
    try:
        yield
    finally:
        grad_mode.enabled = previous


class detect_anomaly(ContextDecorator):
    """Inside the block, name the operation whose gradient is the first NaN, and where it was called."""

    def __init__(self, check_nan=True):
        self.check_nan = check_nan

    def __enter__(self):
        self.previous, grad_mode.anomaly = grad_mode.anomaly, self.check_nan

    def __exit__(self, *error):
        grad_mode.anomaly = self.previous


class set_grad_enabled(ContextDecorator):
    """Switch recording on or off, at once; as a context, until its end."""

    def __init__(self, mode):
        self.previous, grad_mode.enabled = grad_mode.enabled, mode

    def __enter__(self):
        return self

    def __exit__(self, *error):
        grad_mode.enabled = self.previous


def is_grad_enabled():
    """Whether operations record for gradients now."""
    return grad_mode.enabled
