"""Names in a module: what can be registered under them, and how a part is found by its dotted path."""

from tinytorch.given import methods_of
from tinytorch.layers import Buffer, Module, Parameter
from tinytorch.tensor import Tensor

__all__ = ["check_assignment", "check_name", "member", "typename"]


@methods_of(Module)
class Registration:
    def register_parameter(self, name, param):
        """Add a parameter under a name; None means that this module has no such parameter.

        Raises:
            TypeError: if `param` is no Parameter, or the name no str.
            KeyError: if the name is taken, empty, or has a dot.

        >>> layer = torch.nn.Module()
        >>> layer.register_parameter("scale", torch.nn.Parameter(torch.ones(3)))
        >>> layer.scale.shape
        torch.Size([3])
        """
        check_name(self, "_parameters", name)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        """Add a tensor that is state but not trained; one that is not `persistent` is not saved.

        Raises:
            TypeError: if `tensor` is no tensor, or the name no str.
            KeyError: if the name is taken, empty, or has a dot.

        >>> layer = torch.nn.Module()
        >>> layer.register_buffer("seen", torch.zeros(2))
        >>> layer.state_dict()["seen"]
        tensor([0., 0.])
        """
        check_name(self, "_buffers", name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        unsaved = self._non_persistent_buffers_set
        (unsaved.discard if persistent else unsaved.add)(name)

    def add_module(self, name, module):
        """Add a child under a name that need not be an identifier, such as "0".

        Raises:
            TypeError: if `module` is no Module, or the name no str.
            KeyError: if the name is taken, empty, or has a dot.

        >>> model = torch.nn.Module()
        >>> model.add_module("act", torch.nn.ReLU())
        >>> model.act
        ReLU()
        """
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        check_name(self, "_modules", name)
        self._modules[name] = module

    register_module = add_module

    def __delattr__(self, name):
        for place in (self._parameters, self._buffers, self._modules):
            if name in place:
                del place[name]
                return
        object.__delattr__(self, name)

    def __dir__(self):
        return sorted({*object.__dir__(self), *self._parameters, *self._buffers, *self._modules})


@methods_of(Module)
class Paths:
    def get_submodule(self, target):
        """Return the module at a dotted path such as "layers.0"; AttributeError if there is none.

        >>> torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh()).get_submodule("1")
        Tanh()
        """
        module = self
        for name in target.split(".") if target else ():
            module = member(module, name, Module, "an nn.Module")
        return module

    def set_submodule(self, target, module, strict=False):
        """Put a module at a dotted path; with `strict`, only to replace one.

        Raises:
            ValueError: if the path is empty, or `module` no Module.
            AttributeError: if the module above is missing, or with `strict` the one to replace.

        >>> model = torch.nn.Sequential(torch.nn.ReLU())
        >>> model.set_submodule("0", torch.nn.Tanh())
        >>> model[0]
        Tanh()
        """
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict or hasattr(parent, name):
            member(parent, name, Module, "an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target):
        """Return the parameter at a dotted path; AttributeError if there is none.

        >>> torch.nn.Sequential(torch.nn.Linear(4, 2)).get_parameter("0.bias").shape
        torch.Size([2])
        """
        path, _, name = target.rpartition(".")
        return member(self.get_submodule(path), name, Parameter, "an nn.Parameter")

    def get_buffer(self, target):
        """Return the buffer at a dotted path; AttributeError if there is none.

        >>> torch.nn.Sequential(torch.nn.BatchNorm1d(2)).get_buffer("0.running_mean")
        tensor([0., 0.])
        """
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        buffer = member(owner, name, Tensor, "a buffer")
        if name not in owner._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer


def member(module, name, kind, wanted):
    """The attribute `name` of a module, which must be of a kind."""
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    found = getattr(module, name)
    if not isinstance(found, kind):
        raise AttributeError(f"`{name}` is not {wanted}")
    return found


def check_name(module, place, name):
    """Refuse a name under which nothing can be registered in `place`, one of the three dictionaries."""
    kind = {"_parameters": "parameter", "_buffers": "buffer", "_modules": "module"}[place]
    if place not in module.__dict__:
        raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
    if not isinstance(name, str):
        raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
    if hasattr(module, name) and name not in module.__dict__[place]:
        raise KeyError(f"attribute '{name}' already exists")
    if "." in name:
        raise KeyError(f'{kind} name can\'t contain ".", got: {name}')
    if not name:
        raise KeyError(f'{kind} name can\'t be empty string ""')


def check_assignment(module, name, value):
    """Refuse, in PyTorch's words, what cannot be assigned to this attribute of a module."""
    state = module.__dict__
    if "_parameters" not in state:
        for kind, what in ((Parameter, "parameters"), (Module, "module"), (Buffer, "buffer")):
            if isinstance(value, kind):
                raise AttributeError(f"cannot assign {what} before Module.__init__() call")
    elif isinstance(value, Parameter):
        if hasattr(type(module), name):
            raise KeyError(f"attribute '{name}' already exists")
    elif value is not None:
        if name in state["_parameters"]:
            wanted = f"parameter '{name}' (torch.nn.Parameter or None expected)"
        elif name in state["_modules"] and not isinstance(value, Module):
            wanted = f"child module '{name}' (torch.nn.Module or None expected)"
        elif name in state["_buffers"] and not isinstance(value, Module | Tensor):
            wanted = f"buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
        else:
            return
        raise TypeError(f"cannot assign '{typename(value)}' as {wanted}")


def typename(value):
    """What an error calls a value: torch.FloatTensor, int, list."""
    return value.type() if isinstance(value, Tensor) else type(value).__name__
