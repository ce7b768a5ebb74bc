"""Compiling programs, as in torch.jit: nothing is compiled, so functions and modules come back as they are.

Whoever asks for it is told so, once.
"""

import functools
import typing
import warnings

__all__ = [
    "Attribute", "Final", "ScriptFunction", "ScriptModule", "annotate", "export", "fork", "freeze", "ignore",
    "interface", "is_scripting", "is_tracing", "isinstance", "load", "optimized_execution", "save", "script",
    "script_if_tracing", "script_method", "trace", "trace_module", "unused", "wait",
]  # fmt: skip

Final = typing.Final


class ScriptModule:
    """What PyTorch makes of a module; nothing is one here."""


class ScriptFunction:
    """What PyTorch makes of a function; nothing is one here."""


@functools.cache
def say_once():
    """Warn that nothing is compiled: the first time only."""
    warnings.warn(
        "tinytorch compiles nothing: torch.jit gives functions and modules back as they are", stacklevel=4
    )


def script(obj=None, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """Give a function or a module back as it is."""
    say_once()
    return obj


def trace(func, example_inputs=None, *args, **kwargs):
    """Give a function or a module back as it is."""
    say_once()
    return func


trace_module = trace


def ignore(drop=False, **kwargs):
    """Give a function back that PyTorch does not compile; without one, a decorator."""
    return drop if callable(drop) else lambda function: function


def unused(fn):
    """Give a function back that PyTorch does not compile."""
    return fn


export = script_method = script_if_tracing = interface = _overload = _overload_method = unused


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    """Give a module back as it is."""
    return mod


def optimize_for_inference(mod, other_methods=None):
    """Give a module back as it is."""
    return mod


def is_scripting():
    """Whether the code that asks is being compiled: never."""
    return False


is_tracing = is_scripting


def annotate(the_type, the_value):
    """Give a value back, whose type PyTorch is told."""
    return the_value


def Attribute(value, type):
    """Give a value back, whose type PyTorch is told."""
    return value


def isinstance(obj, target_type):
    """Whether an object is of a type, as far as Python itself can tell."""
    return obj.__class__ in typing.get_args(target_type) or obj.__class__ is target_type


def fork(func, *args, **kwargs):
    """Call a function at once; `wait` gives its result."""
    return func(*args, **kwargs)


def wait(future):
    """The result of what `fork` called."""
    return future


def save(m, f, _extra_files=None):
    """Refuse to write a compiled program."""
    raise NotImplementedError("tinytorch leaves out scripting: save the state_dict, by torch.save")


def load(f, map_location=None, _extra_files=None):
    """Refuse to read a compiled program."""
    raise NotImplementedError("tinytorch leaves out scripting: load a state_dict, by torch.load")
