"""Blocks that are decorators too, as PyTorch's are: `with no_grad():`, `@no_grad()` and `@no_grad`."""

import functools
import inspect

__all__ = ["Block", "stepwise"]


class Block:
    """What is entered by `with`, or around every call of a function that it decorates."""

    def __new__(cls, orig_func=None):
        return super().__new__(cls) if orig_func is None else cls()(orig_func)

    def clone(self):
        """Another block of this kind: every call has its own, in whatever thread it comes."""
        return type(self)()

    def __call__(self, function):
        if inspect.isgeneratorfunction(function):
            return stepwise(function, self.clone)

        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self.clone():
                return function(*args, **kwargs)

        return inside


def stepwise(function, block):
    """A generator function each step of which runs in a block, and nothing of its caller's does."""

    @functools.wraps(function)
    def steps(*args, **kwargs):
        generator = function(*args, **kwargs)
        resume, value = generator.send, None
        while True:
            try:
                with block():
                    response = resume(value)
            except StopIteration as end:
                return end.value
            try:
                resume, value = generator.send, (yield response)
            except GeneratorExit:
                with block():
                    generator.close()
                raise
            except BaseException as error:
                resume, value = generator.throw, error

    return steps
