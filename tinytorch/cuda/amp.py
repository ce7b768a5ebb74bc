"""Mixed precision on a GPU, under its old names, in favour of which there are those of tinytorch.amp."""

import functools
import warnings

from tinytorch import amp

custom_fwd = functools.partial(amp.custom_fwd, device_type="cuda")
custom_bwd = functools.partial(amp.custom_bwd, device_type="cuda")


def deprecated(name):
    """Say which name is to be used instead."""
    sentence = f"`torch.cuda.amp.{name}(args...)` is deprecated."
    warnings.warn(
        f"{sentence} Please use `torch.amp.{name}('cuda', args...)` instead.", FutureWarning, stacklevel=3
    )


class autocast(amp.autocast):
    """`tinytorch.amp.autocast("cuda", ...)`."""

    def __init__(self, enabled=True, dtype=None, cache_enabled=True):
        deprecated("autocast")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`tinytorch.amp.GradScaler("cuda", ...)`."""

    def __init__(
        self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True
    ):
        deprecated("GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
