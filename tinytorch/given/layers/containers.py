"""Containers: modules in lists and dictionaries, registered so that the walks find them."""

import itertools
from collections import OrderedDict
from collections.abc import Iterable, Mapping

import tinytorch.layers as lesson
from tinytorch.given.layers.registration import typename
from tinytorch.given.layers.whole_modules import bracketed
from tinytorch.layers import Module

__all__ = ["ModuleDict", "ModuleList", "ModuleRow", "ModuleSequence"]


class ModuleSequence(Module):
    """What Sequential and ModuleList share: children named "0", "1", ... that can be used as a list."""

    def _key(self, index):
        """The name of the child at a position."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return list(self._modules)[index]

    def _renumber(self, modules):
        self._modules = {str(number): module for number, module in enumerate(modules)}

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._modules[self._key(index)]

    def __setitem__(self, index, module):
        setattr(self, self._key(index), module)

    def __delitem__(self, index):
        modules = list(self)
        del modules[index]
        self._renumber(modules)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __iadd__(self, modules):
        return self.extend(modules)

    def append(self, module):
        """Add a module at the end, and return the container.

        >>> torch.nn.ModuleList().append(torch.nn.ReLU())
        ModuleList(
          (0): ReLU()
        )
        """
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Add several modules at the end, and return the container.

        >>> len(torch.nn.ModuleList().extend([torch.nn.ReLU(), torch.nn.Tanh()]))
        2
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"{self._get_name()}.extend should be called with an iterable, but got {typename(modules)}"
            )
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index, module):
        """Insert a module before position `index`.

        >>> model = torch.nn.Sequential(torch.nn.ReLU())
        >>> _ = model.insert(0, torch.nn.Linear(4, 2))
        >>> model[0]
        Linear(in_features=4, out_features=2, bias=True)
        """
        if not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def pop(self, key):
        """Take a module out, and return it.

        >>> model = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())
        >>> model.pop(0), len(model)
        (ReLU(), 1)
        """
        module = self[key]
        del self[key]
        return module


class ModuleRow(ModuleSequence):
    """What Sequential adds: slices keep the names of their modules, and two rows are joined by `+`."""

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return super().__getitem__(index)

    def __add__(self, other):
        if not isinstance(other, ModuleRow):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return lesson.Sequential(*self, *other)


class ModuleList(ModuleSequence):
    """Modules in a list: registered as children, and called by the module that contains them.

    >>> layers = torch.nn.ModuleList([torch.nn.Linear(4, 4), torch.nn.ReLU()])
    >>> len(layers), layers[1]
    (2, ReLU())
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __add__(self, other):
        return ModuleList([*self, *other])

    def __repr__(self):
        lines, number = [], 0
        for text, same in itertools.groupby(map(repr, self)):
            count = len(list(same))
            several = f"({number}-{number + count - 1}): {count} x {text}"
            lines.append(several if count > 1 else f"({number}): {text}")
            number += count
        return bracketed(self._get_name(), "", lines)


class ModuleDict(Module):
    """Modules in a dictionary: registered as children, and called by the module that holds them.

    >>> layers = torch.nn.ModuleDict({"act": torch.nn.ReLU(), "out": torch.nn.Linear(4, 2)})
    >>> list(layers), layers["act"]
    (['act', 'out'], ReLU())
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def keys(self):
        """Return the names, in the order in which they were added.

        >>> list(torch.nn.ModuleDict({"act": torch.nn.ReLU()}).keys())
        ['act']
        """
        return self._modules.keys()

    def values(self):
        """Return the modules, in the order in which they were added.

        >>> list(torch.nn.ModuleDict({"act": torch.nn.ReLU()}).values())
        [ReLU()]
        """
        return self._modules.values()

    def items(self):
        """Return pairs of name and module, in the order in which they were added.

        >>> list(torch.nn.ModuleDict({"act": torch.nn.ReLU()}).items())
        [('act', ReLU())]
        """
        return self._modules.items()

    def update(self, modules):
        """Add the modules of a mapping, or of an iterable of pairs (name, module).

        >>> layers = torch.nn.ModuleDict()
        >>> layers.update({"act": torch.nn.ReLU()})
        >>> layers["act"]
        ReLU()
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                f"{typename(modules)}"
            )
        for key, module in modules.items() if isinstance(modules, Mapping | ModuleDict) else modules:
            self[key] = module

    def pop(self, key):
        """Take a module out, and return it.

        >>> layers = torch.nn.ModuleDict({"act": torch.nn.ReLU()})
        >>> layers.pop("act"), len(layers)
        (ReLU(), 0)
        """
        return self._modules.pop(key)

    def clear(self):
        """Take all modules out.

        >>> layers = torch.nn.ModuleDict({"act": torch.nn.ReLU()})
        >>> layers.clear()
        >>> len(layers)
        0
        """
        self._modules.clear()
