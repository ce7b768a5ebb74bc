"""How kernels are compiled, in one place: flags, threads, what is kept on disk, and when that is void.

numba splits loops among threads by its own pool ("workqueue"), which sleeps when it has nothing to do. The
OpenMP pool, which it would take where it can, waits actively, and so fights with the threads of NumPy's BLAS
for the same cores.
"""

import functools
import os

os.environ.setdefault("NUMBA_THREADING_LAYER", "workqueue")

import numba
from numba.core.dispatcher import Dispatcher

__all__ = ["kernel"]


def kernel(function=None, **options):
    """Compile a function with `numba.njit` when it is first called, and keep the result on disk.

    Unless `options` say otherwise: x / 0 is infinite or NaN, as in NumPy, and no error; a * b + c may be
    rounded once (`fastmath={"contract"}`), and no other rule of floating point is relaxed; other Python
    threads may run meanwhile.

    >>> @kernel
    ... def halve(x):
    ...     return x / 2
    >>> halve(5.0)
    2.5
    """
    if function is None:
        return functools.partial(kernel, **options)
    options = {"error_model": "numpy", "fastmath": {"contract"}, "nogil": True} | options
    try:
        compiled = numba.njit(cache=True, **options)(function)
    except (
        RuntimeError
    ):  # there is no place to keep anything: code from a string, or a home that is read-only
        return numba.njit(**options)(function)
    kept = compiled._cache._cache_file  # numba looks at the function's own file alone
    kept._source_stamp = kept._source_stamp, fingerprint(function)
    return compiled


def fingerprint(function):
    """What is compiled into a function: its code, and the kernels and constants that it names."""
    code, parts = function.__code__, []
    for name in code.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, Dispatcher):
            parts.append((name, fingerprint(value.py_func), repr(value.targetoptions)))
        elif isinstance(value, (int, float, tuple)) or type(value).__module__ == "numpy":
            parts.append((name, repr(value)))
    constants = [c for c in code.co_consts if not hasattr(c, "co_code")]
    return code.co_code, repr(constants), code.co_names, tuple(parts)
