"""What an optimizer is given: groups taken apart, options checked, and hooks around its steps."""

import functools
import warnings

from tinytorch.given.tensor.numpy_warnings import quietly
from tinytorch.layers import typename
from tinytorch.tensor import Tensor, float32, float64, get_default_dtype, tensor

__all__ = [
    "check_betas",
    "check_not_negative",
    "check_options",
    "groups_of",
    "hooked",
    "list_parameters",
    "scalar",
]


def groups_of(params):
    """The groups that an optimizer is given, as dicts: tensors and named tensors are one group."""
    if isinstance(params, Tensor):
        raise TypeError(
            "params argument given to the optimizer should be an iterable of Tensors or dicts, "
            f"but got {typename(params)}"
        )
    groups = list(params)
    if not groups:
        raise ValueError("optimizer got an empty parameter list")
    return groups if isinstance(groups[0], dict) else [{"params": groups}]


def list_parameters(group, others):
    """Make a list of tensors of a group's "params", and a list of their names if they came with names.

    Raises:
        TypeError: if it is no dict, or what it holds are no tensors in an order.
        ValueError: if a tensor is no leaf, or some have names, here or in the `others`, and some have none.
    """
    if not isinstance(group, dict):
        raise TypeError(f"param_group must be a dict, but got {type(group)}")
    params = group["params"]
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but "
            "the ordering of tensors in sets will change between runs. Please use a list instead."
        )
    params = [params] if isinstance(params, Tensor) else list(params)
    names = [p[0] for p in params if isinstance(p, tuple)]
    group["params"] = [p[1] if isinstance(p, tuple) else p for p in params]
    if names and len(names) != len(params):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    if names:
        group["param_names"] = names
    for parameter in group["params"]:
        if not isinstance(parameter, Tensor):
            raise TypeError(
                f"optimizer can only optimize Tensors, but one of the params is {typename(parameter)}"
            )
        if not (parameter.is_leaf or parameter.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")
    if len(set(group["params"])) != len(params):
        warnings.warn("optimizer contains a parameter group with duplicate parameters", stacklevel=5)
    if any(("param_names" in other) != ("param_names" in group) for other in others):
        names = "with" if "param_names" in group else "without"
        raise ValueError(
            "all optimizer param groups should be with/without names. "
            f"cannot add param group {names} names to the optimizer"
        )


def check_options(lr, foreach=None, fused=None, capturable=False, differentiable=False):
    """Refuse an invalid learning rate, and options of the implementation that ours does not have.

    `foreach` and `fused` choose among kernels that compute the same: there is one here, they change nothing.
    """
    if isinstance(lr, Tensor) and foreach and not capturable:
        raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not lr >= 0:
        raise ValueError(f"Invalid learning rate: {lr}")
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    for name, value in {"capturable": capturable, "differentiable": differentiable}.items():
        if value:
            raise NotImplementedError(f"{name}=True is not supported")


def scalar(number):
    """A number of an optimizer's state: float32, or float64 where that is the default type."""
    return tensor(number, dtype=float64 if get_default_dtype() is float64 else float32)


def check_not_negative(**options):
    """Refuse options that are below zero, or not a number."""
    for name, value in options.items():
        if not value >= 0:
            raise ValueError(f"Invalid {name} value: {value}")


def check_betas(betas):
    """Refuse shares of averages that are not from 0 to 1, or 1."""
    for index, beta in enumerate(betas):
        if not 0 <= beta < 1:
            raise ValueError(f"Invalid beta parameter at index {index}: {beta}")


def hooked(step):
    """Make a `step` that calls the hooks registered for before and after it, as every optimizer's does."""

    @functools.wraps(step)
    def with_hooks(*args, **kwargs):
        optimizer = args[0]
        for hook in optimizer._step_pre_hooks.values():
            replaced = hook(optimizer, args, kwargs)
            if replaced is not None:
                if not (isinstance(replaced, tuple) and len(replaced) == 2):
                    raise RuntimeError(
                        f"{step} must return None or a tuple of (new_args, new_kwargs), but got {replaced}."
                    )
                args, kwargs = replaced
        result = quietly(step, *args, **kwargs)
        for hook in optimizer._step_post_hooks.values():
            hook(optimizer, args, kwargs)
        return result

    return with_hooks
