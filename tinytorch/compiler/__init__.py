"""Compiling, as in torch.compiler: what `compile` does is to put the kernels of module 17 in place.

They are kernels of single operations, which all models share, so a function or a model comes back as it is.
"""

from importlib import import_module

from tinytorch._lookup import _is_built

_kernels = []  # what holds them, once something has been compiled
MODES = ["default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune"]


def compile(
    model=None, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, name=None,
    disable=False, recompile_limit=None, isolate_recompiles=False, shapes_spec=None,
):  # fmt: skip
    """Give the model back, or without one a decorator; from now on operations run on the kernels of module 17.

    They stay in place until `reset()`. Nothing changes before module 17 is exported, with `disable`, or for another
    backend than PyTorch's own, "inductor". RuntimeError for an unknown mode.
    """
    if model is None:
        return lambda model: compile(model, backend=backend, mode=mode, options=options, disable=disable)
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    if mode is not None and mode not in MODES and backend in (None, "inductor"):
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if backend in (None, "inductor") and not disable and not _kernels and _is_built("acceleration"):
        _kernels.append(import_module("tinytorch.acceleration").accelerate())
    return model


def is_compiling():
    """Whether the code that asks is being compiled: never."""
    return False


is_dynamo_compiling = is_compiling


def disable(fn=None, recursive=True, *, reason=None):
    """Give back a function that is not to be compiled, or without one a decorator that does."""
    return (lambda fn: fn) if fn is None else fn


def allow_in_graph(fn):
    """Give the function back."""
    return fn


def reset():
    """Take the kernels away that `compile` has put in place."""
    while _kernels:
        _kernels.pop().remove()


def cudagraph_mark_step_begin():
    """Mark the beginning of a step for graphs of a GPU, of which there are none."""
