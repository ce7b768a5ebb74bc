"""Parameters in lists and dictionaries, registered so that the walks find them."""

import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from tinytorch.given.layers.whole_modules import bracketed
from tinytorch.layers import Module, Parameter
from tinytorch.tensor import Tensor

__all__ = ["ParameterDict", "ParameterList"]


def as_parameter(value):
    """A plain tensor as a Parameter; anything else as it is."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def described(key, value, kind):
    """The line of a container's text for one of its values; `kind` says a tensor's type."""
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    name = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({key}): {name} containing: [{kind(value)} of size {'x'.join(map(str, value.shape))}]"


class ParameterList(Module):
    """Parameters in a list: a plain tensor becomes one when it is added, other values stay as they are.

    >>> weights = torch.nn.ParameterList([torch.zeros(2), torch.ones(3)])
    >>> [tuple(weight.shape) for weight in weights], weights[1].requires_grad
    ([(2,), (3,)], True)
    """

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _name(self, index):
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return str(index % len(self))

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(list(self)[idx])
        return getattr(self, self._name(idx))

    def __setitem__(self, idx, param):
        setattr(self, self._name(idx), as_parameter(param))

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter([self[index] for index in range(len(self))])

    def __iadd__(self, parameters):
        return self.extend(parameters)

    def append(self, value):
        """Add a value at the end, and return the list.

        >>> len(torch.nn.ParameterList().append(torch.zeros(2)))
        1
        """
        self._size += 1
        self[len(self) - 1] = value
        return self

    def extend(self, values):
        """Add several values at the end, and return the list.

        >>> len(torch.nn.ParameterList().extend([torch.zeros(2), torch.zeros(3)]))
        2
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}"
            )
        for value in values:
            self.append(value)
        return self

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")

    def __repr__(self):
        lines = [described(index, value, lambda x: x.dtype) for index, value in enumerate(self)]
        return bracketed(self._get_name(), "", lines)


class ParameterDict(Module):
    """Parameters in a dictionary: a plain tensor becomes one when it is added, other values stay.

    >>> weights = torch.nn.ParameterDict({"left": torch.zeros(2), "right": torch.ones(3)})
    >>> list(weights), weights["right"].requires_grad
    (['left', 'right'], True)
    """

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key):
        return getattr(self, self._checked(key))

    def __setitem__(self, key, value):
        self._keys[self._checked(key)] = None
        setattr(self, key, as_parameter(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, self._checked(key))

    def _checked(self, key):
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}')."
            )
        return key

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(self._keys)

    def __contains__(self, key):
        return key in self._keys

    def keys(self):
        """Return the keys, in the order in which they were added.

        >>> list(torch.nn.ParameterDict({"scale": torch.ones(2)}).keys())
        ['scale']
        """
        return self._keys.keys()

    def items(self):
        """Return pairs of key and value, in the order in which they were added.

        >>> weights = torch.nn.ParameterDict({"scale": torch.ones(2)})
        >>> [(key, tuple(value.shape)) for key, value in weights.items()]
        [('scale', (2,))]
        """
        return ((key, self[key]) for key in self._keys)

    def values(self):
        """Return the values, in the order in which they were added.

        >>> [tuple(value.shape) for value in torch.nn.ParameterDict({"scale": torch.ones(2)}).values()]
        [(2,)]
        """
        return (self[key] for key in self._keys)

    def get(self, key, default=None):
        """Return the value under a key, or the default.

        >>> torch.nn.ParameterDict().get("scale", 1.0)
        1.0
        """
        return self[key] if key in self._keys else default

    def setdefault(self, key, default=None):
        """Return the value under a key, which is put there if there is none.

        >>> torch.nn.ParameterDict().setdefault("scale", torch.ones(2)).requires_grad
        True
        """
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key):
        """Take a value out, and return it.

        >>> weights = torch.nn.ParameterDict({"scale": torch.ones(2)})
        >>> weights.pop("scale").shape, len(weights)
        (torch.Size([2]), 0)
        """
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Take the last key and value out, and return them.

        >>> torch.nn.ParameterDict({"scale": torch.ones(2)}).popitem()[0]
        'scale'
        """
        key = next(reversed(self._keys), None)
        if key is None:
            raise KeyError("popitem(): dictionary is empty")
        return key, self.pop(key)

    def clear(self):
        """Take everything out.

        >>> weights = torch.nn.ParameterDict({"scale": torch.ones(2)})
        >>> weights.clear()
        >>> len(weights)
        0
        """
        for key in list(self._keys):
            del self[key]

    def copy(self):
        """Return a dictionary of the same parameters.

        >>> weights = torch.nn.ParameterDict({"scale": torch.ones(2)})
        >>> weights.copy()["scale"] is weights["scale"]
        True
        """
        return ParameterDict(OrderedDict(self.items()))

    def fromkeys(self, keys, default=None):
        """Return a dictionary with these keys and one value.

        >>> list(torch.nn.ParameterDict().fromkeys(["left", "right"], 1.0))
        ['left', 'right']
        """
        return ParameterDict((key, default) for key in keys)

    def update(self, parameters):
        """Add the values of a mapping, a plain one in the order of its keys, or of pairs (key, value).

        >>> weights = torch.nn.ParameterDict()
        >>> weights.update({"scale": torch.ones(2)})
        >>> weights["scale"].requires_grad
        True
        """
        if not isinstance(parameters, Iterable):
            kind = type(parameters).__name__
            raise TypeError(
                f"ParametersDict.update should be called with an iterable of key/value pairs, but got {kind}"
            )
        if isinstance(parameters, OrderedDict | ParameterDict):
            parameters = parameters.items()
        elif isinstance(parameters, Mapping):
            parameters = sorted(parameters.items())
        for number, pair in enumerate(parameters):
            start = f"ParameterDict update sequence element #{number}"
            if not isinstance(pair, Iterable):
                raise TypeError(f"{start} should be Iterable; is{type(pair).__name__}")
            if len(pair) != 2:
                raise ValueError(f"{start} has length {len(pair)}; 2 is required")
            self[pair[0]] = pair[1]

    def __or__(self, other):
        both = self.copy()
        both.update(other)
        return both

    def __ror__(self, other):
        both = other.copy()
        both.update(self)
        return both

    def __ior__(self, other):
        self.update(other)
        return self

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __repr__(self):
        lines = [described(key, value, lambda x: x.type()) for key, value in self.items()]
        return bracketed(self._get_name(), "", lines)
