"""Which PyTorch this is a mirror of, as in torch.version."""

import re
from functools import total_ordering


@total_ordering
class TorchVersion(str):
    """A version that is compared by its numbers: "2.13.0" is later than "2.9" and than (2, 9)."""

    def _numbers(self):
        release, plus, _ = self.partition("+")
        numbers = [int(number) for number in re.findall(r"\d+", re.match(r"[\d.]*", release)[0])]
        while numbers and numbers[-1] == 0:
            numbers.pop()
        return numbers, bool(plus)

    def _with(self, other):
        """The numbers of both, or their texts where the other has none; None for what is no version."""
        if isinstance(other, tuple | list):
            other = ".".join(map(str, other))
        if not isinstance(other, str):
            return None
        if not other[:1].isdigit():
            return str(self), other
        return self._numbers(), TorchVersion(other)._numbers()

    def __eq__(self, other):
        both = self._with(other)
        return both is not None and both[0] == both[1]

    def __lt__(self, other):
        both = self._with(other)
        return NotImplemented if both is None else both[0] < both[1]

    __le__ = lambda self, other: self < other or self == other
    __gt__ = lambda self, other: not self <= other
    __ge__ = lambda self, other: not self < other
    __hash__ = str.__hash__


__version__ = TorchVersion("2.13.0+tinytorch")
cuda = hip = xpu = git_version = None
debug = False
