"""What the course gives: operations, layers and tools that are made of what the learner wrote, a folder for each module.

How the two find each other, in one place:

- A given file imports what it is made of from the learner's module, `from tinytorch.tensor import Function, Tensor`, and
  never the other way round by name. It adds methods to the learner's classes with `methods_of`.
- The learner's module star-imports its given files, each below the last stub that it needs. So everything stands on
  `tinytorch.<slug>`, whoever wrote it, and the places of PyTorch's names need to know nothing else.
- A folder's `__init__` imports the learner's module, so that a given file may also be the first to be imported.
- While a notebook runs, `tinytorch.<slug>` is the notebook, and its given files are imported anew, from it
  (`tinytorch/notebook.py`).

Given code calls the learner's code, and never stands in for it. Nothing of it runs a stub while it is imported.
"""


def methods_of(cls):
    """Add what a class body defines to `cls`, a class of the learner's; TypeError for what it has of its own.

    >>> class Point: x = 3
    >>> @methods_of(Point)
    ... class Distances:
    ...     def to_origin(self):
    ...         return abs(self.x)
    >>> Point().to_origin()
    3
    """

    def add(body):
        given = vars(cls).get("_given", frozenset())
        for name, value in vars(body).items():
            if name not in FILLED_IN:
                if name in vars(cls) and name not in given:
                    raise TypeError(f"{cls.__name__} has {name} of its own")
                setattr(cls, name, value)
        cls._given = given | vars(body).keys() - FILLED_IN
        return body

    return add


class _Empty:
    pass


FILLED_IN = frozenset(vars(_Empty)) | {"__doc__", "__firstlineno__", "__static_attributes__"}  # by Python
