"""How kernels are compiled, in one place: flags, threads, and what is kept on disk.

numba splits loops among threads by its own pool ("workqueue"), which sleeps when it has nothing to do. The
OpenMP pool, which it would take where it can, waits actively, and so fights with the threads of NumPy's BLAS
for the same cores.
"""

import contextlib
import functools
import hashlib
import os
from types import FunctionType

import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache, InTreeCacheLocator
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

from tinytorch.backends._switches import limit_numba

__all__ = ["kernel"]

if "NUMBA_THREADING_LAYER" not in os.environ:
    numba.config.THREADING_LAYER = "workqueue"
limit_numba()
KEEP = os.environ.get("TINYTORCH_KEEP_KERNELS") != "0"  # those that are compiled, on disk


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
    compiled = numba.njit(**options)(function)
    with contextlib.suppress(
        RuntimeError
    ):  # no place to keep it: code from a string, or no folder to write to
        compiled._cache = KernelCache(compiled)
    return compiled


def compiled_with(compiled, **names):
    """Compile a kernel once more, with other values for some of the global names in it.

    >>> FACTOR = 2.0
    >>> @kernel
    ... def scaled(x):
    ...     return x * FACTOR
    >>> compiled_with(scaled, FACTOR=10.0)(1.0)
    10.0
    """
    function = compiled.py_func
    options = {name: value for name, value in compiled.targetoptions.items() if name != "nopython"}
    return kernel(FunctionType(function.__code__, function.__globals__ | names, function.__name__), **options)


class Kept(InTreeCacheLocator):
    """The folder next to a kernel's file; it is only read, not created."""

    def ensure_cache_path(self):
        pass


class ReadOnly(CompileResultCacheImpl):
    _locator_classes = [Kept]  # noqa: RUF012


class KernelCache(FunctionCache):
    """A file for each kernel, version of it, and types of its arguments.

    Where the environment says TINYTORCH_KEEP_KERNELS=0, files are read, and none is written.

    numba's own cache looks at the file in which a function stands: a change anywhere in it voids the rest,
    and one in another file, from which a kernel is compiled into this one, is overlooked.
    """

    _impl_class = FunctionCache._impl_class if KEEP else ReadOnly

    def __init__(self, compiled):
        super().__init__(compiled.py_func)
        self.compiled = compiled

    def _load_overload(self, signature, target):
        with contextlib.suppress(FileNotFoundError, ModuleNotFoundError):  # kept by a module that is gone
            kept = self._cache_file._load_data(self.name(signature, target.codegen()))
            return self._impl.rebuild(target, kept)

    def _save_overload(self, signature, result):
        if KEEP and self._impl.check_cachable(result):
            name = self.name(signature, result.codegen)
            self._cache_file._save_data(name, self._impl.reduce(result))

    def name(self, signature, codegen):
        """The name of the file, computed when everything that the kernel names has been defined."""
        key = numba.__version__, self._index_key(signature, codegen), fingerprint(self.compiled)
        return f"{self._py_func.__name__}-{hashlib.sha256(repr(key).encode()).hexdigest()[:24]}.nbc"


def fingerprint(compiled, around=()):
    """What is compiled into a kernel: its code and options, and the kernels and constants that it names."""
    function, around = compiled.py_func, (*around, compiled)
    options = {name: sorted(o) if isinstance(o, set) else o for name, o in compiled.targetoptions.items()}
    parts = [sorted(options.items()), *described(function.__code__)]
    for code in codes(function.__code__):
        for name in code.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, Dispatcher):
                parts.append((name, None if value in around else fingerprint(value, around)))
            elif isinstance(value, _Intrinsic):
                parts.append((name, *described(value._defn.__code__)))
            elif isinstance(value, np.ndarray):
                parts.append((name, value.dtype.str, value.shape, value.tobytes()))
            elif isinstance(value, (int, float, complex, str, tuple, np.generic, np.dtype)):
                parts.append((name, repr(value)))
    return tuple(parts)


def described(code):
    """What a function's code, and that of the functions inside it, says by itself."""
    constants = [[c for c in each.co_consts if not hasattr(c, "co_code")] for each in codes(code)]
    return [
        (each.co_code, each.co_names, each.co_varnames, repr(these))
        for each, these in zip(codes(code), constants)
    ]


def codes(code):
    """A function's code, and that of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            yield from codes(constant)
