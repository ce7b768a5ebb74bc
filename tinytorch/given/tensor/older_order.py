"""Calls in an older order, which PyTorch still takes: numbers before what they multiply, `x.add_(2, y)`."""

import functools
import inspect
from numbers import Real

__all__ = []  # a tool of given files alone


def numbers_first(*names):
    """Let a method take its options of these names, numbers, before its other arguments."""

    def decorate(method):
        own = len(inspect.getfullargspec(method).args) - 1  # arguments that are no options

        @functools.wraps(method)
        def called(self, *args, **options):
            more = len(args) - own
            if 0 < more <= len(names) and all(isinstance(x, Real) for x in args[:more]):
                options, args = dict(zip(names, args[:more])) | options, args[more:]
            return method(self, *args, **options)

        return called

    return decorate
