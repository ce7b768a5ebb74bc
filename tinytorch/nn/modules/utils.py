"""Small helpers that layers of other people's import, as in torch.nn.modules.utils."""

from collections.abc import Iterable
from itertools import repeat


def _ntuple(n, name="parse"):
    def parse(x):
        """Make n of one value; of several make a tuple."""
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, n))

    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = [
    _ntuple(n, name) for n, name in enumerate(["_single", "_pair", "_triple", "_quadruple"], 1)
]


def _reverse_repeat_tuple(t, n):
    return tuple(x for x in reversed(t) for _ in range(n))
