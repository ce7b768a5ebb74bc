"""Mixed precision, as in torch.amp, on a machine without a GPU.

There is nothing to be gained from float16 on a processor, and no bfloat16, so `autocast` leaves every type as it
is, and says so as PyTorch does for a type that a device does not support. Gradients can be scaled: see
`GradScaler`.
"""

import warnings
from contextlib import ContextDecorator

from tinytorch.amp._scaling import GradScaler  # noqa: F401

DEVICES = ["cpu", "cuda", "hpu", "ipu", "maia", "meta", "mps", "mtia", "xla", "xpu"]


class autocast(ContextDecorator):
    """A block, or a decorated function, in which PyTorch computes in a shorter type, and tinytorch does not.

    Args:
        device_type: "cuda", "cpu" or another kind of device.
        dtype: the shorter type.
        enabled, cache_enabled: as in PyTorch.
    """

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device, self.fast_dtype = device_type, dtype
        if enabled and device_type == "cuda":
            warnings.warn("CUDA is not available. Disabling autocast.", stacklevel=2)
        elif enabled:
            sentence = f"In {device_type.upper()} autocast, but the target dtype is not supported."
            warnings.warn(f"{sentence} Disabling autocast.", stacklevel=2)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def __call__(self, func):
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. "
                "Did you mean to use autocast as a context manager?"
            )
        return super().__call__(func)


def is_autocast_available(device_type):
    """Whether PyTorch has autocast for a kind of device; RuntimeError for what is none."""
    if device_type not in DEVICES:
        raise RuntimeError(
            f"Expected one of {', '.join(DEVICES)} device type at start of device string: {device_type}"
        )
    return device_type != "meta"


def is_autocast_enabled(device_type="cuda"):
    """Whether types are being shortened: never."""
    is_autocast_available(device_type)
    return False


def is_autocast_cpu_enabled():
    """Whether types are being shortened on the processor: never."""
    return False


def is_autocast_cache_enabled():
    """Whether weights that have been shortened are kept for the rest of a block."""
    return True


def get_autocast_dtype(device_type):
    """Which shorter type a kind of device would take: bfloat16 on the processor, float16 on others."""
    from tinytorch import bfloat16, float16

    is_autocast_available(device_type)
    return bfloat16 if device_type == "cpu" else float16


def get_autocast_cpu_dtype():
    """Which shorter type the processor would take."""
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype():
    """Which shorter type a GPU would take."""
    return get_autocast_dtype("cuda")


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """Mark a Function's forward for autocast, which changes nothing where types stay as they are."""
    return fwd if fwd is not None else lambda fwd: fwd


def custom_bwd(bwd=None, *, device_type):
    """Mark a Function's backward for autocast, which changes nothing where types stay as they are."""
    return bwd if bwd is not None else lambda bwd: bwd
