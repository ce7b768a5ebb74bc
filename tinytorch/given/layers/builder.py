"""A network as a sentence: `SequentialBuilder`."""

from tinytorch.layers import Module, Sequential

__all__ = ["SequentialBuilder", "subclasses_by_name"]


class SequentialBuilder:
    """Write a Sequential as a sentence: each layer's name, in lower case, is a method that adds it.

    >>> SequentialBuilder().flatten().linear(784, 128).relu().linear(128, 10).build()
    Sequential(
      (0): Flatten(start_dim=1, end_dim=-1)
      (1): Linear(in_features=784, out_features=128, bias=True)
      (2): ReLU()
      (3): Linear(in_features=128, out_features=10, bias=True)
    )
    """

    def __init__(self):
        self._layers = []

    def __getattr__(self, name):
        layer = None if name.startswith("_") else subclasses_by_name(Module).get(name.replace("_", ""))
        if layer is None:
            raise AttributeError(f"no layer is called {name!r}")
        return lambda *args, **kwargs: self.add(layer(*args, **kwargs))

    def add(self, module):
        """Add an existing module."""
        self._layers.append(module)
        return self

    def build(self):
        """The Sequential of what has been added."""
        return Sequential(*self._layers)


def subclasses_by_name(base):
    """Every subclass of `base` that exists so far, by its name in lower case."""
    found = {}
    for layer in base.__subclasses__():
        found |= {layer.__name__.lower(): layer} | subclasses_by_name(layer)
    return found
