"""A cache in Python: it counts the lines of memory that a kernel's loops fetch, when they run uncompiled."""

import types
from functools import partial

import numpy as np
from numba.core.dispatcher import Dispatcher

__all__ = []

LINE = 16  # float32 numbers: 64 bytes


class Cache:
    """Count how often a line is fetched; the lines that were used last are kept.

    `fetched` counts them, `used` the numbers, and `at_once` is the most numbers of one expression.

    Args:
        lines: how many are kept.
        most: how many numbers may be used in all, after which an AssertionError ends an endless loop.
    """

    def __init__(self, lines=128, most=1_000_000):
        self.capacity, self.most = lines, most
        self.fetched = self.used = self.at_once = 0
        self.lines, self.end = {}, 0

    def places(self, shape):
        """Addresses for a new array, which begins with a line of its own."""
        size = int(np.prod(shape))
        places = np.arange(self.end, self.end + size).reshape(shape)
        self.end += -(-size // LINE) * LINE
        return places

    def use(self, places):
        for line in (np.ravel(places) // LINE).tolist():
            self.fetched += line not in self.lines
            self.lines.pop(line, None)
            self.lines[line] = True
            if len(self.lines) > self.capacity:
                del self.lines[next(iter(self.lines))]
        self.used += np.size(places)
        self.at_once = max(self.at_once, np.size(places))
        assert self.used <= self.most, (
            f"numbers of the arrays are read or written more than {self.most:,} times"
        )


class Watched(np.lib.mixins.NDArrayOperatorsMixin):
    """An array whose numbers are used through a cache; `places` are their addresses."""

    def __init__(self, values, places, cache):
        self.values, self.places, self.cache = values, places, cache

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"NumPy is to ask for the numbers by __array__, not by {name}")
        found = getattr(self.values, name)
        if callable(found):
            return partial(self.call, name)
        return (
            Watched(found, getattr(self.places, name), self.cache) if isinstance(found, np.ndarray) else found
        )

    def call(self, name, *args, **options):
        """What a method gives: another look at the same memory, or something that reads all of it."""
        result = getattr(self.values, name)(*args, **options)
        if isinstance(result, np.ndarray) and np.shares_memory(result, self.values):
            places = self.places if name == "view" else getattr(self.places, name)(*args, **options)
            return Watched(result, places, self.cache)
        self.cache.use(self.places)
        return result

    def copy(self):
        self.cache.use(self.places)
        places = self.cache.places(self.values.shape)
        self.cache.use(places)
        return Watched(self.values.copy(), places, self.cache)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, key):
        part = Watched(self.values[key], self.places[key], self.cache)
        return part if np.ndim(part.values) else part.__array__()[()]

    def __setitem__(self, key, value):
        self.values[key] = value
        self.cache.use(self.places[key])

    def __array__(self, dtype=None, copy=None):
        self.cache.use(self.places)
        return np.asarray(self.values)

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **options):
        arrays = [np.asarray(x) if isinstance(x, Watched) else x for x in inputs]
        result = getattr(ufunc, method)(*arrays, **options)
        if not out:
            return result
        out[0][...] = result
        return out[0]


def watched(cache, *arrays):
    """Arrays that lie one after another in memory, and whose numbers are used through a cache.

    >>> cache = Cache()
    >>> x, y = watched(cache, np.zeros((2, 16)), np.zeros(16))
    >>> for i in range(16):
    ...     y[i] = x[1, i] + 1
    >>> cache.fetched, cache.used
    (2, 32)
    """
    return [Watched(array, cache.places(array.shape), cache) for array in arrays]


def in_python(compiled):
    """A kernel as the Python function that it was, with the kernels that it calls."""
    function = compiled.py_func
    names = {
        name: partial(call_in_python, value) if isinstance(value, Dispatcher) else value
        for name, value in function.__globals__.items()
    }
    return types.FunctionType(function.__code__, names, function.__name__)


def call_in_python(compiled, *arguments):
    return in_python(compiled)(*arguments)
