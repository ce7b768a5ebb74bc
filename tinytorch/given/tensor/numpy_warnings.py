"""Infinities and NaNs are results, as in PyTorch: NumPy does not warn of them while `quietly` calls.

What NumPy does where it would warn is a variable of the context (`contextvars`), which `np.errstate` sets
too, at several times the price. What a user has chosen other than to be warned stays: in
`np.errstate(over="raise")` the operations raise.
"""

import contextvars
import functools

import numpy as np

__all__ = ["quiet", "quietly"]


def chosen_by(**kinds):
    """The variable in which NumPy keeps `np.seterr(**kinds)`, and its value then."""

    def choose():
        before = contextvars.copy_context()
        np.seterr(**kinds)
        after = contextvars.copy_context()
        return next((each, value) for each, value in after.items() if before.get(each) is not value)

    return contextvars.copy_context().run(choose)


variable, silent = chosen_by(all="ignore")
get, put, put_back = variable.get, variable.set, variable.reset
choices = {None: silent}  # what holds in its place for each that was met; None where nothing was chosen


def in_place_of(chosen):
    """What holds in place of a user's choice: the same, without warnings."""
    if chosen not in choices:
        warned = {kind: "ignore" for kind, does in np.geterr().items() if does == "warn"}
        choices[chosen] = chosen_by(**warned)[1] if warned else chosen
    return choices[chosen]


def quietly(function, *inputs, **options):
    """Call a function, without NumPy's warnings of overflow, of division by zero and of invalid values.

    NumPy's numbers are handed over as Python's, which do not change the type of an array, as in PyTorch.

    >>> quietly(np.log, np.zeros(2))
    array([-inf, -inf])
    >>> quietly(np.multiply, np.float32([1.5]), np.float64(2))
    array([3.], dtype=float32)
    """
    for x in (*inputs, *options.values()):
        if isinstance(x, np.generic):
            inputs = [python_number(x) for x in inputs]
            options = {name: python_number(x) for name, x in options.items()}
            break
    chosen = get(None)
    if chosen is silent:
        return function(*inputs, **options)
    token = put(silent if chosen is None else in_place_of(chosen))
    try:
        return function(*inputs, **options)
    finally:
        put_back(token)


def python_number(x):
    """A number of NumPy's as Python's; anything else as it is."""
    return x.item() if isinstance(x, np.generic) else x


def quiet(function):
    """Make a function that is always called `quietly`."""

    @functools.wraps(function)
    def called(*inputs, **options):
        return quietly(function, *inputs, **options)

    return called
