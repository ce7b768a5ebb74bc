"""PyTorch's switches for speed and for exactness: of these the number of threads changes something, the rest is remembered.

NumPy's results are the same from run to run and always in full precision.
"""

import os
import sys
import warnings
from numbers import Integral

PRECISIONS = ("highest", "high", "medium")
_set = {
    "threads": None, "interop": os.cpu_count(), "precision": "highest", "deterministic": False,
    "warn_only": False, "warn_always": False,
}  # fmt: skip


def _positive(name, number):
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise RuntimeError(f"{name} expects an int, but got {type(number).__name__}")
    if number <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    return int(number)


def blas():
    """The libraries beneath the matrix products of NumPy, and of SciPy where it is loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def set_num_threads(int):
    """Let matrix products and compiled kernels use a number of threads; kernels no more than there are processors.

    RuntimeError for what is no positive int.
    """
    _set["threads"] = _positive("set_num_threads", int)
    for library in blas().lib_controllers:
        library.set_num_threads(int)
    limit_numba()


def limit_numba():
    """Pass the number that was set on to numba, once that is imported."""
    if _set["threads"] and (numba := sys.modules.get("numba")):
        numba.set_num_threads(kernel_threads())


def kernel_threads():
    """The number of threads that a compiled kernel may use: what was set, or all that numba has."""
    most = sys.modules["numba"].config.NUMBA_NUM_THREADS
    return min(_set["threads"] or most, most)


def get_num_threads():
    """The number of threads that matrix products use.

    Where their library tells nobody, as Apple's: what was set, or the number of processors.
    """
    told = [library.num_threads for library in blas().lib_controllers]
    return max(told, default=_set["threads"] or os.cpu_count())


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
