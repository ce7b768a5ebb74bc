"""PyTorch's switches for speed and for exactness: what is set is remembered, and changes nothing.

NumPy's results are the same from run to run and always in full precision; how many threads its products use
is decided when it is imported, by OPENBLAS_NUM_THREADS.
"""

import os
import warnings

PRECISIONS = ("highest", "high", "medium")
_set = {
    "threads": os.cpu_count(), "interop": os.cpu_count(), "precision": "highest", "deterministic": False,
    "warn_only": False, "warn_always": False,
}  # fmt: skip


def _positive(name, number):
    if number <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    return int(number)


def set_num_threads(int):
    """Remember a number of threads."""
    _set["threads"] = _positive("set_num_threads", int)


def get_num_threads():
    """The number of threads that was set, or that of the processors."""
    return _set["threads"]


def set_num_interop_threads(int):
    """Remember a number of threads."""
    _set["interop"] = _positive("set_num_interop_threads", int)


def get_num_interop_threads():
    """The number of threads that was set, or that of the processors."""
    return _set["interop"]


def set_float32_matmul_precision(precision):
    """Remember how exact products may be; they are always as exact as "highest"."""
    if precision in PRECISIONS:
        _set["precision"] = precision
    else:
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the call has no effect.", stacklevel=2
        )


def get_float32_matmul_precision():
    """The precision that was set."""
    return _set["precision"]


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Remember that results are to be the same from run to run; they always are."""
    _set["deterministic"], _set["warn_only"] = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled():
    """Whether this was asked for."""
    return _set["deterministic"]


def is_deterministic_algorithms_warn_only_enabled():
    """Whether a warning was asked for in place of an error."""
    return _set["warn_only"]


def set_flush_denormal(mode):
    """Say that numbers near zero cannot be cut off: False."""
    return False


def set_warn_always(b, /):
    """Remember whether warnings are to be repeated."""
    _set["warn_always"] = bool(b)


def is_warn_always_enabled():
    """Whether this was asked for."""
    return _set["warn_always"]
