"""What the course gives: operations, layers and tools that are made of what the learner wrote, a folder for each module.

How the two find each other, in one place:

- A given file imports what it is made of from the learner's module, `from tinytorch.tensor import Function, Tensor`, and
  never the other way round by name. It adds methods to the learner's classes with `methods_of`.
- The learner's module star-imports its given files, each below the last stub that it needs. So everything stands on
  `tinytorch.<slug>`, whatever its source, and the modules under PyTorch's names need nothing else.
- A folder's `__init__` imports the learner's module, so that a given file may also be the first to be imported.
- While a notebook runs, `tinytorch.<slug>` is the notebook, and its given files are imported again, from it
  (`tinytorch/notebook.py`).

Given code calls the learner's code, and never replaces it. None of it runs a stub while it is imported.
"""

import functools
from types import CellType, FunctionType


def methods_of(cls):
    """Add what a class body defines to the learner's class `cls`; TypeError for names that it has already.

    Each function is a method by the name that it has there, in errors and in documentation: a second name is an alias.

    >>> class Point: x = 3
    >>> @methods_of(Point)
    ... class Distances:
    ...     def to_origin(self):
    ...         return abs(self.x)
    ...     norm = to_origin
    >>> Point().to_origin()
    3
    >>> Point.norm.__qualname__, Point.norm.__doc__
    ('Point.norm', 'Alias of `to_origin`.')
    """

    def add(body):
        given = vars(cls).get("_given", frozenset())
        for name, value in vars(body).items():
            if name not in FILLED_IN:
                if name in vars(cls) and name not in given:
                    raise TypeError(f"{cls.__name__} has {name} of its own")
                if isinstance(value, FunctionType):
                    value = _named(value, name, cls, body)
                elif isinstance(value, classmethod | staticmethod):
                    _named(value.__func__, name, cls, body)
                setattr(cls, name, value)
        cls._given = given | vars(body).keys() - FILLED_IN
        return body

    return add


def alias(function, name):
    """The same function by a second name: a copy that has it, in errors too, and the example of the first."""
    wrapped = getattr(function, "__wrapped__", None)  # which a decorator calls, and which complains of a call
    cells = [
        CellType(alias(wrapped, name)) if cell.cell_contents is wrapped else cell
        for cell in function.__closure__ or ()
    ]
    code, values = function.__code__, function.__globals__
    copy = FunctionType(code, values, name, function.__defaults__, tuple(cells))
    copy.__kwdefaults__ = function.__kwdefaults__
    functools.update_wrapper(copy, function)
    copy.__name__, copy.__qualname__ = name, f"{function.__qualname__.rpartition('.')[0]}.{name}".lstrip(".")
    copy.__doc__ = f"Alias of `{function.__name__}`.{example_of(function, name)}"
    return copy


def example_of(function, name):
    """The example in a function's documentation, which ends with it, as one of its second name."""
    text = function.__doc__ or ""
    start = text.rfind("\n", 0, text.find(">>>"))
    return "\n" + text[start:].replace(f"{function.__name__}(", f"{name}(") if start >= 0 else ""


def _named(function, name, cls, body):
    """A function of a class body as the method `name` of a class."""
    if function.__name__ == "<lambda>":
        function.__name__ = name
    elif function.__name__ != name and not name.startswith("__"):
        function = alias(function, name)
    place = f"{getattr(body, '__name__', '')}."
    for part in (function, getattr(function, "__wrapped__", function)):  # which a decorator has wrapped
        if part.__qualname__.startswith(place) and part.__name__ == name:
            part.__qualname__ = f"{cls.__name__}.{name}"
    return function


class _Empty:
    pass


FILLED_IN = frozenset(vars(_Empty)) | {"__doc__", "__firstlineno__", "__static_attributes__"}  # by Python
