"""How attention is computed, as in torch.nn.attention: in one way here, whichever is asked for."""

import enum
from contextlib import contextmanager

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(enum.IntEnum):
    """PyTorch's kernels for attention."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends, set_priority=False):
    """A block in which attention is to be computed by some kernels; TypeError for what names none."""
    named = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(named, list) or not all(isinstance(one, SDPBackend) for one in named):
        raise AssertionError("Backend must be an instance of SDPBackend or a list of SDPBackend instances")
    yield
