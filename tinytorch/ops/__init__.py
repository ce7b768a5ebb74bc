"""Operations of a program's own by their names, as in torch.ops: `torch.ops.mine.twice` for "mine::twice"."""

from tinytorch.library import _operations


class Namespace:
    """The operations of one namespace."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if f"{self._name}::{name}" not in _operations:
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")
        return _operations[f"{self._name}::{name}"]


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return Namespace(name)
