"""Parameters that are computed from others whenever they are read: `register_parametrization`.

A module with such a parameter gets its own class, on which the parameter is a property.
"""

from contextlib import contextmanager

from tinytorch.given.layers.containers import ModuleDict, ModuleList
from tinytorch.layers import Module, Parameter
from tinytorch.tensor import Tensor

__all__ = []  # imported when it is asked for: tinytorch.nn.utils.parametrize

_cache = {"depth": 0, "values": {}}


@contextmanager
def cached():
    """A block in which each parameter is computed once, however often it is read."""
    _cache["depth"] += 1
    try:
        yield
    finally:
        _cache["depth"] -= 1
        if not _cache["depth"]:
            _cache["values"].clear()


class ParametrizationList(ModuleList):
    """The modules that compute a parameter from `original`, or from `original0`, `original1`, ..."""

    def __init__(self, modules, original, unsafe=False):
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe, value = unsafe, original
        for module in reversed(self):
            if hasattr(module, "right_inverse"):
                value = module.right_inverse(value)
        self.is_tensor = isinstance(value, Tensor)
        self.ntensors = 1 if self.is_tensor else len(value)
        parts = (
            {"original": value} if self.is_tensor else {f"original{n}": part for n, part in enumerate(value)}
        )
        for name, part in parts.items():
            if isinstance(original, Parameter):
                self.register_parameter(name, Parameter(part, requires_grad=original.requires_grad))
            else:
                self.register_buffer(name, part)
        if not unsafe:
            self.check(original)

    def check(self, original):
        """Refuse a parametrization that changes the parameter's shape or type."""
        made = self()
        if not isinstance(made, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
        if made.dtype != original.dtype:
            raise ValueError(
                "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag "
                f"is enabled.\nunparametrized dtype: {original.dtype}\nparametrized dtype: {made.dtype}"
            )
        if made.shape != original.shape:
            raise ValueError(
                "Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag "
                f"is enabled.\nunparametrized shape: {original.shape}\nparametrized shape: {made.shape}"
            )

    def originals(self):
        """What the parameter is computed from."""
        names = ["original"] if self.is_tensor else [f"original{n}" for n in range(self.ntensors)]
        return [getattr(self, name) for name in names]

    def right_inverse(self, value):
        """Set the originals so that the parameter becomes `value`."""
        from tinytorch.autograd import no_grad

        with no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"The parametrization {type(module).__name__} does not implement right_inverse."
                    )
                value = module.right_inverse(value)
            for original, part in zip(self.originals(), [value] if self.is_tensor else value):
                original.copy_(part)

    def forward(self):
        first, *others = self
        value = first(*self.originals())
        for module in others:
            value = module(value)
        return value


def computed(name):
    """The property that a parameter becomes."""

    def read(self):
        made = self.parametrizations[name]
        if not _cache["depth"]:
            return made()
        key = id(self), name
        if key not in _cache["values"]:
            _cache["values"][key] = made()
        return _cache["values"][key]

    return property(read, lambda self, value: self.parametrizations[name].right_inverse(value))


def own_class(module):
    """Give a module a class of its own, named as in PyTorch."""
    cls = type(module)

    def assign(self, name, value):
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        else:
            cls.__setattr__(self, name, value)

    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), {"__setattr__": assign})
    module.parametrizations = ModuleDict()


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Compute a parameter or buffer by `parametrization` whenever it is read.

    Args:
        module: the module that has it.
        tensor_name: its name.
        parametrization: a module from the original to the parameter; with a method `right_inverse`, the
            parameter may be assigned to, and begins as it is.
        unsafe: whether the shape and the type may change.

    >>> layer = register_parametrization(Linear(2, 2), "weight", ReLU())
    >>> bool((layer.weight >= 0).all()), list(layer.parametrizations.weight._parameters)
    (True, ['original'])
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        parts = module.parametrizations[tensor_name]
        if not unsafe:
            before, made = getattr(module, tensor_name), parametrization(getattr(module, tensor_name))
            if made.shape != before.shape:
                raise ValueError(
                    "Registering a parametrization may not change the shape of the tensor, unless `unsafe` "
                    f"flag is enabled.\nunparametrized shape: {before.shape}\n"
                    f"parametrized shape: {made.shape}"
                )
        parts.append(parametrization)
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    parts = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        own_class(module)
    setattr(type(module), tensor_name, computed(tensor_name))
    module.parametrizations[tensor_name] = parts
    return module


def is_parametrized(module, tensor_name=None):
    """Whether a module, or one parameter of it, is parametrized."""
    parts = module._modules.get("parametrizations")
    if not isinstance(parts, Module) or not len(parts):
        return False
    return tensor_name is None or tensor_name in parts


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Make a plain parameter of the current value, or without `leave_parametrized` of the original."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parts = module.parametrizations[tensor_name]
    if not leave_parametrized and not parts.is_tensor:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms "
            "of a sequence of tensors."
        )
    original = parts.originals()[0]
    value = getattr(module, tensor_name).detach() if leave_parametrized else original.detach()
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if isinstance(original, Parameter):
        module.register_parameter(tensor_name, Parameter(value, requires_grad=original.requires_grad))
    else:
        module.register_buffer(tensor_name, value)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module):
    """The class of a module without its parametrizations."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)
