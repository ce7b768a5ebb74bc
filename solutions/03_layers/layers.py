# %% [markdown]
# # 03 Layers
#
# A layer holds numbers that training will change, and applies them. A module is a tree of layers that knows all of its
# parameters by name.

# %%
#| export
import io
import itertools
import math
import textwrap
import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Iterable, Mapping

import numpy as np

import tinytorch.activations as F
from tinytorch.tensor import Function, Tensor, default_generator, empty, empty_like, grad_mode, wrap, zeros
from tinytorch.tensor import dtype as Dtype

# %% [markdown]
# ## 1. Parameters

# %%
#| export
class Parameter(Tensor):
    """A tensor that training changes: assigned to an attribute of a module, it becomes one of its parameters.

    It shares the memory of `data`, and requires a gradient unless told otherwise.

    >>> Parameter(zeros(2))
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    """

    def __init__(self, data=None, requires_grad=True):
        self.array = (empty(0) if data is None else data.detach()).array
        self.requires_grad = requires_grad

    def __repr__(self):
        return f"Parameter containing:\n{super().__repr__()}"

    def __deepcopy__(self, memo):
        copied = memo[id(self)] = type(self)(wrap(self.array.copy(order="K")), self.requires_grad)
        return copied


class Buffer(Tensor):
    """A tensor that belongs to a module's state but is not trained; `persistent` says whether it is saved."""

    def __init__(self, data=None, *, persistent=True):
        self.array = (empty(0) if data is None else data.detach()).array
        self.persistent = persistent


# %% [markdown]
# ## 2. Modules

# %%
#| export
class Module:
    """The base of all layers and models: a place for parameters, buffers and other modules, and a `forward`.

    What is assigned to an attribute is kept by kind: Parameters in `_parameters`, tensors that are state but not trained
    in `_buffers`, Modules in `_modules`, all else as usual. Every method below works on these three.
    """

    def __init__(self):
        self.__dict__.update(
            training=True, _parameters={}, _buffers={}, _modules={}, _non_persistent_buffers_set=set(),
            _forward_pre_hooks=OrderedDict(), _forward_hooks=OrderedDict(), _backward_hooks=OrderedDict(),
        )  # fmt: skip

    def forward(self, *input):
        """Compute the module's output; every subclass writes its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        if self._forward_pre_hooks or self._forward_hooks or self._backward_hooks:
            call = call_with_backward_hooks if self._backward_hooks else call_with_hooks
            return call(self, args, kwargs)
        return self.forward(*args, **kwargs)

    # Attributes
    def __setattr__(self, name, value):
        check_assignment(self, name, value)
        register(self, name, value)

    def __getattr__(self, name):  # only called when the usual places do not have it
        state = self.__dict__
        for place in ("_parameters", "_modules", "_buffers"):
            if place in state and name in state[place]:
                return state[place][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name):
        for place in (self._parameters, self._buffers, self._modules):
            if name in place:
                del place[name]
                return
        super().__delattr__(name)

    def __dir__(self):
        return sorted({*super().__dir__(), *self._parameters, *self._buffers, *self._modules})

    def register_parameter(self, name, param):
        """Add a parameter under a name; None stands for one that this module does without."""
        check_name(self, "_parameters", name)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        """Add a tensor that is state but not trained; one that is not `persistent` is left out of `state_dict`."""
        check_name(self, "_buffers", name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name, module):
        """Add a child under a name that need not be an identifier."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        check_name(self, "_modules", name)
        self._modules[name] = module

    register_module = add_module

    # What is in it
    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """This module and all modules below it, as (name, module), parents first, each once."""
        return walk_modules(self, set() if memo is None else memo, prefix, remove_duplicate)

    def modules(self, remove_duplicate=True):
        """This module and all modules below it."""
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def named_children(self):
        """The modules directly below, as (name, module), each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self):
        """The modules directly below."""
        return (module for _, module in self.named_children())

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """All parameters as (name, parameter), each once; with `recurse` off, this module's own."""
        return walk_members(self, "_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        """All parameters, each once: what an optimizer is given."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """All buffers as (name, buffer), each once."""
        return walk_members(self, "_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """All buffers, each once."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def get_submodule(self, target):
        """The module at a dotted path such as "layers.0"; AttributeError if there is none."""
        module = self
        for name in target.split(".") if target else ():
            module = member(module, name, Module, "an nn.Module")
        return module

    def set_submodule(self, target, module, strict=False):
        """Put a module at a dotted path; with `strict`, only where there is one already."""
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
        """The parameter at a dotted path."""
        path, _, name = target.rpartition(".")
        return member(self.get_submodule(path), name, Parameter, "an nn.Parameter")

    def get_buffer(self, target):
        """The buffer at a dotted path."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        buffer = member(owner, name, Tensor, "a buffer")
        if name not in owner._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    # All of it at once
    def train(self, mode=True):
        """Switch this module and all below it to training, or with False to evaluation."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        set_training(self, mode)
        return self

    def eval(self):
        """Switch this module and all below it to evaluation."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Switch the gradients of all parameters on or off: off freezes them."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Forget the gradients of all parameters, or fill them with zeros."""
        for parameter in self.parameters():
            if parameter.grad is not None:
                parameter.grad = None if set_to_none else parameter.grad.detach_().zero_()

    def apply(self, fn):
        """Call `fn` on every module, children before their parents."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn):
        """Replace the memory of every parameter, its gradient, and every buffer by what `fn` makes of it."""
        for module in self.children():
            module._apply(fn)
        for parameter in filter(None.__ne__, self._parameters.values()):
            parameter.data = fn(parameter.data)
            if parameter.grad is not None:
                parameter.grad.data = fn(parameter.grad.data)
        for name, buffer in self._buffers.items():
            self._buffers[name] = None if buffer is None else fn(buffer)
        return self

    def to(self, *args, dtype=None, device=None, non_blocking=False):
        """Move everything to another device, or to another floating point type; integers keep theirs."""
        for arg in args:
            if isinstance(arg, Tensor):
                dtype, device = arg.dtype, arg.device
            elif isinstance(arg, Dtype):
                dtype = arg
            elif arg is not None:
                device = arg
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        return self._apply(lambda t: t.to(dtype=dtype if t.is_floating_point() else None, device=device))

    def float(self):
        """All floating point parameters and buffers as float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        """All floating point parameters and buffers as float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        """All floating point parameters and buffers as float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def cpu(self):
        """Move everything to the CPU."""
        return self.to("cpu")

    def cuda(self, device=None):
        """Move everything to the GPU."""
        return self.to("cuda" if device is None else device)

    # Saving and loading
    def state_dict(self, *, destination=None, prefix="", keep_vars=False):
        """All parameters and persistent buffers by name: detached, but the same memory."""
        destination = OrderedDict() if destination is None else destination
        collect_state(self, destination, prefix, keep_vars)
        return destination

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copy tensors into the parameters and buffers of the same names.

        Args:
            state_dict: a mapping from names, as `state_dict` gives them, to tensors.
            strict: refuse names that are missing or unexpected.
            assign: take the tensors themselves in place of copying their values.

        Returns:
            The missing and the unexpected names, as `missing_keys` and `unexpected_keys`.

        Raises:
            RuntimeError: that lists every name and shape that does not fit; then nothing has been loaded.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        return load_state(self, state_dict, strict, assign)

    # Hooks
    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call `hook(module, inputs)` before each forward; what it returns, if not None, becomes the inputs."""
        if with_kwargs:
            raise NotImplementedError("register_forward_pre_hook: with_kwargs is not supported")
        return add_hook(self._forward_pre_hooks, hook, prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call `hook(module, inputs, output)` after each forward; what it returns, if not None, becomes the output."""
        if with_kwargs or always_call:
            raise NotImplementedError("register_forward_hook: with_kwargs and always_call are not supported")
        return add_hook(self._forward_hooks, hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call `hook(module, grad_input, grad_output)` in each backward; it may return another `grad_input`."""
        return add_hook(self._backward_hooks, hook, prepend)

    # Printing
    def extra_repr(self):
        """What a layer says of itself between its parentheses."""
        return ""

    def _get_name(self):
        return type(self).__name__

    def __repr__(self):
        extra = self.extra_repr()
        children = [f"({name}): {module!r}" for name, module in self._modules.items()]
        if not children and "\n" not in extra:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n{textwrap.indent(NEWLINE.join(filter(None, [extra, *children])), '  ')}\n)"


NEWLINE = "\n"  # a backslash cannot stand inside an f-string's braces


# %%
#| export
def typename(value):
    """What an error calls a value: torch.FloatTensor, int, list."""
    return value.type() if isinstance(value, Tensor) else type(value).__name__


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
        raise KeyError(f'{kind} name can\'t contain "."')
    if not name:
        raise KeyError(f'{kind} name can\'t be empty string ""')


def check_assignment(module, name, value):
    """Refuse, in PyTorch's words, an assignment to an attribute of a module."""
    state = module.__dict__
    if "_parameters" not in state:
        for kind, plural in ((Parameter, "parameters"), (Module, "module"), (Buffer, "buffer")):
            if isinstance(value, kind):
                raise AttributeError(f"cannot assign {plural} before Module.__init__() call")
    elif isinstance(value, Parameter):
        if hasattr(type(module), name):
            raise KeyError(f"attribute '{name}' already exists")
    elif value is not None and not isinstance(value, Module):
        if name in state["_parameters"]:
            wanted = f"parameter '{name}' (torch.nn.Parameter or None expected)"
        elif name in state["_modules"]:
            wanted = f"child module '{name}' (torch.nn.Module or None expected)"
        elif name in state["_buffers"] and not isinstance(value, Tensor):
            wanted = f"buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
        else:
            return
        raise TypeError(f"cannot assign '{typename(value)}' as {wanted}")
    elif isinstance(value, Module) and name in state["_parameters"]:
        raise TypeError(
            f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
        )


def member(module, name, kind, wanted):
    """The attribute `name` of a module, which must be of a kind."""
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    found = getattr(module, name)
    if not isinstance(found, kind):
        raise AttributeError(f"`{name}` is not {wanted}")
    return found


# %% stub="register"
#| export
def register(module, name, value):
    """Keep what is assigned to `module.name` where it belongs."""
    ### BEGIN SOLUTION
    if "_parameters" not in module.__dict__:
        object.__setattr__(module, name, value)
        return
    parameters, buffers, modules = module._parameters, module._buffers, module._modules
    if isinstance(value, Parameter):
        home = parameters
    elif isinstance(value, Module):
        home = modules
    else:
        home = next((place for place in (parameters, buffers, modules) if name in place), None)
    if home is None:
        object.__setattr__(module, name, value)
        return
    for place in (module.__dict__, parameters, buffers, modules):
        if place is not home:
            place.pop(name, None)
    home[name] = value
    ### END SOLUTION


# %% stub="named-modules"
#| export
def walk_modules(module, memo, prefix, remove_duplicate):
    """This module and all below it, as (name, module), parents first."""
    ### BEGIN SOLUTION
    if module in memo:
        return
    if remove_duplicate:
        memo.add(module)
    yield prefix, module
    for name, child in module._modules.items():
        if child is not None:
            yield from child.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)
    ### END SOLUTION


# %% stub="named-members"
#| export
def walk_members(module, place, prefix, recurse, remove_duplicate):
    """The parameters or buffers of a module, as (name, tensor)."""
    ### BEGIN SOLUTION
    seen = set()
    modules = module.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
    for path, owner in modules if recurse else [(prefix, module)]:
        for name, tensor in getattr(owner, place).items():
            if tensor is not None and tensor not in seen:
                if remove_duplicate:
                    seen.add(tensor)
                yield f"{path}.{name}" if path else name, tensor
    ### END SOLUTION


# %% stub="training-mode"
#| export
def set_training(module, mode):
    """Set `training` of the module, and have each child do the same."""
    ### BEGIN SOLUTION
    module.training = mode
    for child in module.children():
        child.train(mode)
    ### END SOLUTION


# %% stub="linear-forward"
#| export
class Affine(Function):
    @staticmethod
    def forward(ctx, x, weight, bias=None):
        """Apply y = x Wᵀ + b."""
        check_linear(x, weight, bias)
        ### BEGIN SOLUTION
        ctx.save_for_backward(x, weight)
        ctx.bias_shape = None if bias is None else bias.shape
        rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])  # (N, in)
        output = rows @ weight.T  # (N, out)
        if bias is not None:
            output += bias
        return output.reshape(x.shape[:-1] + weight.shape[:-1])
        ### END SOLUTION


# %%
#| export
def linear(input, weight, bias=None):
    """y = x Wᵀ + b along the last dimension of the input; see `Affine.forward`."""
    return Affine.apply(input, weight, bias)


def check_linear(x, weight, bias):
    """Refuse, in PyTorch's words, arrays between which there is no linear map."""
    if x.ndim == 0 or weight.ndim == 0:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {x.ndim}D and {weight.ndim}D")
    if weight.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {weight.ndim}D")
    if x.shape[-1] != weight.shape[-1]:
        rows, columns = math.prod(x.shape[:-1]), math.prod(weight.shape[:-1])
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{x.shape[-1]} and {weight.shape[-1]}x{columns})"
        )
    if x.dtype != weight.dtype or bias is not None and bias.dtype != x.dtype:
        other = weight if x.dtype != weight.dtype else bias
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {x.dtype} != {other.dtype}")
    if bias is not None and bias.shape != weight.shape[:-1]:
        output = x.shape[:-1] + weight.shape[:-1]
        if np.broadcast_shapes(bias.shape, output) != output:
            raise RuntimeError(f"a bias of shape {list(bias.shape)} cannot be added to an output of shape {list(output)}")


# %% [markdown]
# ## Initialisation

# %%
#| export
def fans(tensor):
    """How many inputs each output of a weight sums, and how many outputs each input feeds.

    A weight is (out, in), or (out, in, ...) where the rest is the field over which it is swept.
    """
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def calculate_gain(nonlinearity, param=None):
    """By how much to scale weights to make up for what a nonlinearity takes away."""
    if nonlinearity in ("linear", "sigmoid") or nonlinearity.startswith("conv"):
        return 1
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {slope} not a valid number")
        return math.sqrt(2 / (1 + slope**2))
    gains = {"tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4}
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Fill a tensor with numbers drawn evenly from [a, b)."""
    tensor.detach().uniform_(a, b, generator=generator)
    return tensor


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Fill a tensor with numbers drawn from the normal distribution."""
    tensor.detach().normal_(mean, std, generator=generator)
    return tensor


# %% stub="kaiming-uniform"
#| export
def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill a weight so that signals keep their size through layers with rectifiers (He et al., 2015)."""
    if is_empty(tensor):
        return tensor
    ### BEGIN SOLUTION
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan(tensor, mode))
    return uniform_(tensor, -bound, bound, generator)
    ### END SOLUTION


# %%
#| export
def fan(tensor, mode):
    """The fan that a mode names: "fan_in" or "fan_out"."""
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    return fans(tensor)[modes.index(mode.lower())]


def is_empty(tensor):
    """Whether there is nothing to fill, with a warning."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return 0 in tensor.shape


# %% stub="linear-layer"
#| export
class Linear(Module):
    """y = x Wᵀ + b, with a weight (out_features, in_features) and a bias (out_features,)."""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        ### BEGIN SOLUTION
        self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()
        ### END SOLUTION

    def reset_parameters(self):
        """Draw the weight, then the bias, evenly from ±1/√in_features."""
        ### BEGIN SOLUTION
        kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
            uniform_(self.bias, -bound, bound)
        ### END SOLUTION

    def forward(self, input):
        return linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


# %% stub="dropout"
#| export
def dropout(input, p=0.5, training=True, inplace=False):
    """Zero each element with probability p, and scale the others by 1 / (1 - p)."""
    check_probability(p)
    ### BEGIN SOLUTION
    if p == 0 or not training:
        return input
    keep = empty_like(input).bernoulli_(1 - p).div_(1 - p) if p < 1 else 0.0
    return input.mul_(keep) if inplace else input * keep
    ### END SOLUTION


# %%
#| export
def check_probability(p):
    """Refuse a dropout probability outside [0, 1]."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


class Dropout(Module):
    """Zero each element with probability `p` while training; do nothing otherwise."""

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        check_probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


# %%
#| export
class ModuleSequence(Module):
    """What Sequential and ModuleList share: children named "0", "1", ... that can be used as a list."""

    def _key(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return list(self._modules)[index]

    def _renumber(self, modules):
        self._modules = {str(number): module for number, module in enumerate(modules)}

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[self._key(index)]

    def __setitem__(self, index, module):
        setattr(self, self._key(index), module)

    def __delitem__(self, index):
        modules = list(self._modules.values())
        if not isinstance(index, slice):
            self._key(index)
        del modules[index]
        self._renumber(modules)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __iadd__(self, modules):
        return self.extend(modules)

    def append(self, module):
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Add several modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"{type(self).__name__}.extend should be called with an iterable, but got {typename(modules)}")
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index, module):
        """Put a module before position `index`."""
        if not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def pop(self, key):
        """Take a module out and return it."""
        module = self[key]
        del self[key]
        return module


# %% stub="sequential"
#| export
class Sequential(ModuleSequence):
    """Modules applied one after another: the output of each is the input of the next."""

    def __init__(self, *args):
        super().__init__()
        ### BEGIN SOLUTION
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        else:
            named = ((str(number), module) for number, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)
        ### END SOLUTION

    def forward(self, input):
        ### BEGIN SOLUTION
        for module in self._modules.values():
            input = module(input)
        return input
        ### END SOLUTION

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return super().__getitem__(index)

    def __add__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)


# %% stub="state-dict"
#| export
def collect_state(module, destination, prefix, keep_vars):
    """Add the parameters and persistent buffers of a module and all below it to `destination`."""
    ### BEGIN SOLUTION
    own = {**module._parameters, **module._buffers}
    for name, tensor in own.items():
        if tensor is not None and name not in module._non_persistent_buffers_set:
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    ### END SOLUTION


# %% stub="load-state-dict"
#| export
def load_state(module, state_dict, strict, assign):
    """Copy tensors into the parameters and buffers of the same names."""
    ### BEGIN SOLUTION
    own = module.state_dict(keep_vars=True)
    missing = [name for name in own if name not in state_dict]
    unexpected = [name for name in state_dict if name not in own]
    errors = []
    if strict and missing:
        errors.append(f"Missing key(s) in state_dict: {quoted(missing)}. ")
    if strict and unexpected:
        errors.append(f"Unexpected key(s) in state_dict: {quoted(unexpected)}. ")
    shared = [(name, own[name], state_dict[name]) for name in own if name in state_dict]
    errors += filter(None, [mismatch(name, tensor, value) for name, tensor, value in shared])
    if errors:
        raise RuntimeError(f"Error(s) in loading state_dict for {module._get_name()}:\n\t" + "\n\t".join(errors))
    for name, tensor, value in shared:
        if assign:
            replace_tensor(module, name, value)
        else:
            tensor.detach().copy_(value)
    return IncompatibleKeys(missing, unexpected)
    ### END SOLUTION


# %%
#| export
class IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The names that `load_state_dict` missed, and those for which it had no use."""

    def __repr__(self):
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"


def quoted(names):
    """Names in double quotes, as errors list them."""
    return ", ".join(f'"{name}"' for name in names)


def mismatch(name, tensor, value):
    """Why `value` cannot be loaded into `tensor`, or None."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{name}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type(value)}"
        )
    if value.shape != tensor.shape:
        return (
            f"size mismatch for {name}: copying a param with shape {value.shape} from checkpoint, "
            f"the shape in current model is {tensor.shape}."
        )
    return None


def replace_tensor(module, name, value):
    """Put a tensor itself in the place of the parameter or buffer at a dotted path."""
    path, _, name = name.rpartition(".")
    owner = module.get_submodule(path)
    if name in owner._parameters:
        value = Parameter(value, requires_grad=owner._parameters[name].requires_grad)
    setattr(owner, name, value)


# %% stub="hooks"
#| export
def call_with_hooks(module, args, kwargs):
    """Run a module's forward between its hooks."""
    ### BEGIN SOLUTION
    for hook in list(module._forward_pre_hooks.values()):
        changed = hook(module, args)
        if changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    output = module.forward(*args, **kwargs)
    for hook in list(module._forward_hooks.values()):
        changed = hook(module, args, output)
        if changed is not None:
            output = changed
    return output
    ### END SOLUTION


# %%
#| export
class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook away again."""

    def __init__(self, hooks):
        self.hooks, self.key = hooks, object()

    def remove(self):
        self.hooks.pop(self.key, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


def add_hook(hooks, hook, prepend):
    """Add a hook at the end, or with `prepend` at the front, and return its handle."""
    handle = RemovableHandle(hooks)
    hooks[handle.key] = hook
    hooks.move_to_end(handle.key, last=not prepend)
    return handle


# %% stub="summary"
#| export
def layer_rows(model, *inputs):
    """Run a model, and note what every layer made and holds."""
    ### BEGIN SOLUTION
    rows, counted, handles = [], set(), []

    def note(module, inputs, output):
        own = [p for p in module.parameters(recurse=False) if p not in counted]
        counted.update(own)
        count, size = sum(p.numel() for p in own), sum(p.nbytes for p in own)
        rows.append(Row(names[module], type(module).__name__, shape_of(output), count, size))

    names = {module: name for name, module in model.named_modules()}
    for module in names:
        if not module._modules or module._parameters:
            handles.append(module.register_forward_hook(note))
    try:
        model(*inputs)
    finally:
        for handle in handles:
            handle.remove()
    return rows
    ### END SOLUTION


# %%
#| export
Row = namedtuple("Row", ["name", "layer", "shape", "parameters", "bytes"])


def shape_of(output):
    """The shape of a module's output, or of the first of several."""
    return tuple((output[0] if isinstance(output, (tuple, list)) else output).shape)


class Summary:
    """A model's layers in the order they ran; prints as a table."""

    def __init__(self, title, rows, parameters):
        self.title, self.rows = title, rows
        self.parameters, self.bytes = sum(p.numel() for p in parameters), sum(p.nbytes for p in parameters)

    def __rich__(self):
        from rich.table import Table

        table = Table(title=self.title, show_footer=True)
        table.add_column("name", "total")
        table.add_column("layer")
        table.add_column("output shape")
        table.add_column("parameters", f"{self.parameters:,}", justify="right")
        table.add_column("bytes", f"{self.bytes:,}", justify="right")
        for row in self.rows:
            table.add_row(row.name, row.layer, str(row.shape), f"{row.parameters:,}", f"{row.bytes:,}")
        return table

    def __repr__(self):
        from rich.console import Console

        console = Console(file=io.StringIO(), width=100)
        console.print(self)
        return console.file.getvalue().rstrip()


def summary(model, input_size, dtype=None):
    """Run a model once on zeros, and list its layers: output shapes, parameters, bytes.

    Args:
        input_size: the input's shape, batch included; or a list of shapes, for a model of several inputs.
        dtype: the inputs' type, such as int64 for token numbers.
    """
    sizes = input_size if isinstance(input_size, list) else [input_size]
    modes, enabled = {module: module.training for module in model.modules()}, grad_mode.enabled
    model.eval()  # no dropout is drawn, no running average moved
    grad_mode.enabled = False
    try:
        rows = layer_rows(model, *[zeros(size, dtype=dtype) for size in sizes])
    finally:
        grad_mode.enabled = enabled
        for module, mode in modes.items():
            module.training = mode
    return Summary(type(model).__name__, rows, list(model.parameters()))


# %%
#| export
class SequentialBuilder:
    """Write a Sequential as a sentence: every layer's name, in small letters, adds one.

    >>> SequentialBuilder().flatten().linear(784, 128).relu().linear(128, 10).build()
    Sequential(
      (0): Flatten(start_dim=1, end_dim=-1)
      (1): Linear(in_features=784, out_features=128, bias=True)
      (2): ReLU()
      (3): Linear(in_features=128, out_features=10, bias=True)
    )
    """

    def __init__(self):
        self._layers = []

    def __getattr__(self, name):
        layer = layer_classes().get(name.replace("_", ""))
        if name.startswith("_") or layer is None:
            raise AttributeError(f"no layer is called {name!r}")
        return lambda *args, **kwargs: self.add(layer(*args, **kwargs))

    def add(self, module):
        """Add a module that has been made already."""
        self._layers.append(module)
        return self

    def build(self):
        """The Sequential of what has been added."""
        return Sequential(*self._layers)


def layer_classes(base=Module):
    """Every subclass of Module that exists by now, your own and later modules' too, by its name in small letters."""
    found = {base.__name__.lower(): base}
    for layer in base.__subclasses__():
        found |= layer_classes(layer)
    return found


# %% [markdown]
# ## The rest of the family

# %%
#| export
class Identity(Module):
    """Return the input; arguments are taken and forgotten, so that it can stand in for any layer."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Flatten(Module):
    """Make one dimension of those from `start_dim` to `end_dim`; the batch, dimension 0, is left alone."""

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Split dimension `dim` into several."""

    def __init__(self, dim, unflattened_size):
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)) or not all(isinstance(n, int) for n in unflattened_size):
            raise TypeError(f"unflattened_size must be a tuple of ints, but found {unflattened_size}")
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input):
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self):
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


# %%
#| export
class ReLU(Module):
    """max(x, 0)."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        return F.relu(input, self.inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module):
    """x where it is positive, else `negative_slope` x."""

    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self):
        return f"negative_slope={self.negative_slope}{', inplace=True' if self.inplace else ''}"


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, input):
        return F.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input):
        return F.tanh(input)


class GELU(Module):
    """x Φ(x), with Φ the normal distribution function; `approximate="tanh"` for the approximation by tanh."""

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class SiLU(Module):
    """x sigmoid(x)."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        return F.silu(input, self.inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class Softplus(Module):
    """log(1 + exp(beta x)) / beta: a smooth rectifier, x itself where beta x exceeds `threshold`."""

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input):
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self):
        return f"beta={self.beta}, threshold={self.threshold}"


class Softmax(Module):
    """Probabilities along `dim`."""

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.softmax(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of probabilities along `dim`."""

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.log_softmax(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


# %%
#| export
class ModuleList(ModuleSequence):
    """Modules in a list: registered as children, called by whoever holds them."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __add__(self, other):
        return ModuleList([*self, *other])

    def __repr__(self):
        groups = itertools.groupby(enumerate(map(repr, self)), key=lambda numbered: numbered[1])
        lines = []
        for text, group in groups:
            first, *others = [number for number, _ in group]
            lines.append(f"({first}-{others[-1]}): {len(others) + 1} x {text}" if others else f"({first}): {text}")
        return f"{self._get_name()}(\n{textwrap.indent(NEWLINE.join(lines), '  ')}\n)" if lines else f"{self._get_name()}()"


class ModuleDict(Module):
    """Modules in a dictionary: registered as children, called by whoever holds them."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def keys(self):
        return self._modules.keys()

    def values(self):
        return self._modules.values()

    def items(self):
        return self._modules.items()

    def update(self, modules):
        """Add the modules of a mapping, or of an iterable of (name, module)."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"ModuleDict.update should be called with an iterable of key/value pairs, but got {typename(modules)}"
            )
        for key, module in modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules:
            self[key] = module

    def pop(self, key):
        """Take a module out and return it."""
        return self._modules.pop(key)

    def clear(self):
        """Take all modules out."""
        self._modules.clear()


class ParameterList(Module):
    """Parameters in a list; a plain tensor that is added becomes a parameter."""

    def __init__(self, values=None):
        super().__init__()
        if values is not None:
            self.extend(values)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return self._parameters[str(index % len(self))]

    def __setitem__(self, index, value):
        self[index]  # an index out of range is refused
        setattr(self, str(index % len(self)), value if isinstance(value, Parameter) else Parameter(value))

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters.values())

    def __iadd__(self, values):
        return self.extend(values)

    def append(self, value):
        """Add a parameter at the end."""
        setattr(self, str(len(self)), value if isinstance(value, Parameter) else Parameter(value))
        return self

    def extend(self, values):
        """Add several parameters at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {typename(values)}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self):
        return "\n".join(
            f"  ({number}): Parameter containing: [{p.dtype} of size {'x'.join(map(str, p.shape))}]"
            for number, p in enumerate(self)
        )


# %%
#| export
def constant_(tensor, val):
    """Fill a tensor with one value."""
    tensor.detach().fill_(val)
    return tensor


def zeros_(tensor):
    """Fill a tensor with zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor):
    """Fill a tensor with ones."""
    return constant_(tensor, 1.0)


def eye_(tensor):
    """Make a matrix the identity, or as much of it as fits."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return set_values(tensor, np.eye(*tensor.shape))


def set_values(tensor, values):
    """Write an array into a tensor's memory."""
    tensor.detach().copy_(wrap(values))
    return tensor


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Fill a weight evenly from ± gain √(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""
    bound = gain * math.sqrt(6 / max(1, sum(fans(tensor))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Fill a weight from the normal distribution of deviation gain √(2 / (fan_in + fan_out))."""
    return normal_(tensor, 0.0, gain * math.sqrt(2 / max(1, sum(fans(tensor)))), generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Fill a weight from the normal distribution of deviation gain / √fan (He et al., 2015)."""
    if is_empty(tensor):
        return tensor
    return normal_(tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(fan(tensor, mode)), generator)


def orthogonal_(tensor, gain=1, generator=None):
    """Fill a weight with orthonormal rows, or columns where there are fewer, times gain (Saxe et al., 2014)."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    drawn = (generator or default_generator).normal((rows, columns), dtype=tensor.array.dtype)
    q, r = np.linalg.qr(drawn.T if rows < columns else drawn)
    q = q * np.sign(r.diagonal()) * q.dtype.type(gain)  # one factorisation of many: that with positive diagonal
    return set_values(tensor, (q.T if rows < columns else q).reshape(tensor.shape))


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Fill a tensor from the normal distribution cut off at `a` and `b`: draw again whatever lies outside."""
    generator, shape, kind = generator or default_generator, tensor.shape, tensor.array.dtype.type
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect.",
            stacklevel=2,
        )
    below_a, below_b = (0.5 + 0.5 * math.erf((bound - mean) / std / math.sqrt(2)) for bound in (a, b))
    if below_b - below_a > 0.3:
        values = generator.normal(shape, mean, std, kind)
        while (outside := (values < kind(a)) | (values > kind(b))).any():
            values = np.where(outside, generator.normal(shape, mean, std, kind), values)
        return set_values(tensor, values)
    # Few normal numbers would be inside: draw evenly, and keep a number as often as its density demands.
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    values, pending = np.empty(shape, kind), np.ones(shape, bool)
    while pending.any():
        candidates = generator.uniform(shape, a, b, kind)
        values = np.where(pending, candidates, values)
        density = ((candidates - kind(mean)) / kind(std)) ** 2 * kind(-0.5) - kind(peak)
        pending = pending & (np.log(generator.uniform(shape, dtype=kind)) > density)
    return set_values(tensor, values)


# %%
#| export
class HookPoint(Function):
    """Hand tensors through unchanged; on the way back, `arrived(gradients)` says what goes on from here."""

    @staticmethod
    def forward(ctx, *arrays, arrived):
        ctx.arrived = arrived
        return arrays

    @staticmethod
    def backward(ctx, *grads):
        return ctx.arrived(grads)


def call_with_backward_hooks(module, args, kwargs):
    """Run a module between two points that catch the gradients of its outputs and its inputs."""
    grad_output = ()

    def leaving(grads):
        nonlocal grad_output
        grad_output = tuple([as_tensor(g) for g in grads])
        if not needed:  # no input requires a gradient, so this is the last that is heard
            run((None,) * sum(isinstance(x, Tensor) for x in args))
        return grads

    def run(grads):
        grads = tuple([as_tensor(g) for g in grads])
        for hook in list(module._backward_hooks.values()):
            changed = hook(module, grads, grad_output)
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        return grads

    def entering(grads):
        changed = run(grads)
        return tuple([array_like(new, old) for new, old in zip(changed, grads)])

    needed = grad_mode.enabled and any(isinstance(x, Tensor) and x.requires_grad for x in args)
    args = pass_through(args, entering) if needed else args
    output = call_with_hooks(module, args, kwargs)
    passed = pass_through(output if isinstance(output, tuple) else (output,), leaving)
    return passed if isinstance(output, tuple) else passed[0]


def pass_through(values, arrived):
    """Send the tensors among some values through a HookPoint."""
    tensors = HookPoint.apply(*[x for x in values if isinstance(x, Tensor)], arrived=arrived)
    tensors = iter(tensors if isinstance(tensors, tuple) else (tensors,))
    return tuple([next(tensors) if isinstance(x, Tensor) else x for x in values])


def as_tensor(gradient):
    """What a hook is shown of a gradient: a Tensor, or None."""
    return gradient if gradient is None or isinstance(gradient, Tensor) else wrap(gradient)


def array_like(new, old):
    """A hook's gradient in the form in which the walk handed it over: array or Tensor."""
    return new.array if isinstance(new, Tensor) and not isinstance(old, Tensor) else new
