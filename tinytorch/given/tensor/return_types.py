"""Results of several tensors, which have names and print as PyTorch's do: `torch.return_types.max(...)`."""

from collections import namedtuple
from types import SimpleNamespace

__all__ = ["return_types"]

return_types = SimpleNamespace()


def structure(name, *fields):
    """Make a type of named tuples, `torch.return_types.<name>`, as which it is listed, too."""
    made = type(
        name, (Structure, namedtuple(name, fields)), {"__slots__": (), "__module__": "torch.return_types"}
    )
    setattr(return_types, name, made)
    return made


class Structure:
    """A named tuple made of its fields, or of one sequence of them."""

    __slots__ = ()

    def __new__(cls, *fields):
        fields = tuple(fields[0]) if len(fields) == 1 < len(cls._fields) else fields
        return super().__new__(cls, *fields)

    def __repr__(self):
        fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
        return f"torch.return_types.{type(self).__name__}(\n{fields})"
