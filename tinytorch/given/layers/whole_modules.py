"""Operations on a whole module: list its parts, convert its numbers, print its text.

They all use the learner's walks: `named_modules`, `named_parameters` and `named_buffers`.
"""

import textwrap

from tinytorch.given import methods_of
from tinytorch.given.tensor.devices import later
from tinytorch.layers import Module
from tinytorch.tensor import Tensor, empty_like
from tinytorch.tensor import dtype as Dtype

__all__ = ["bracketed"]


@methods_of(Module)
class Lists:
    def modules(self, remove_duplicate=True):
        """Go over this module and all modules below it, parents first.

        >>> model = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.ReLU())
        >>> [type(module).__name__ for module in model.modules()]
        ['Sequential', 'Linear', 'ReLU']
        """
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def named_children(self):
        """Go over the modules directly below, as (name, module), each once.

        >>> dict(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh()).named_children())
        {'0': ReLU(), '1': Tanh()}
        """
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self):
        """Go over the modules directly below, each once.

        >>> list(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh()).children())
        [ReLU(), Tanh()]
        """
        return (module for _, module in self.named_children())

    def parameters(self, recurse=True):
        """Go over all parameters, each once: what an optimizer is given.

        >>> [tuple(parameter.shape) for parameter in torch.nn.Linear(4, 2).parameters()]
        [(2, 4), (2,)]
        """
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def buffers(self, recurse=True):
        """Go over all buffers, each once.

        >>> [tuple(buffer.shape) for buffer in torch.nn.BatchNorm1d(3).buffers()]
        [(3,), (3,), ()]
        """
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))


@methods_of(Module)
class Sweeps:
    def requires_grad_(self, requires_grad=True):
        """Switch the gradients of all parameters on or off, and return the module: off freezes them.

        >>> torch.nn.Linear(4, 2).requires_grad_(False).weight.requires_grad
        False
        """
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Forget the gradients of all parameters, or fill them with zeros.

        >>> layer = torch.nn.Linear(4, 2)
        >>> layer(torch.ones(4)).sum().backward()
        >>> layer.zero_grad()
        >>> print(layer.weight.grad)
        None
        """
        for parameter in self.parameters():
            if parameter.grad is not None:
                parameter.grad = None if set_to_none else parameter.grad.detach_().zero_()

    def apply(self, fn):
        """Call `fn` on every module, children before their parents, and return the module.

        >>> model = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Tanh())
        >>> _ = model.apply(lambda module: print(type(module).__name__))
        ReLU
        Tanh
        Sequential
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn, recurse=True):
        """Replace the numbers of every parameter, gradient and buffer by `fn` of them; parameters stay."""
        for module in self.children() if recurse else ():
            module._apply(fn)
        for parameter in self.parameters(recurse=False):
            parameter.data = floating_if(parameter.requires_grad, fn(parameter.data))
            if parameter.grad is not None:
                parameter.grad.data = fn(parameter.grad.data)
        buffers = [(name, buffer) for name, buffer in self._buffers.items() if buffer is not None]
        self._buffers.update([(name, fn(buffer)) for name, buffer in buffers])
        return self


@methods_of(Module)
class Conversions:
    def to(self, *args, dtype=None, device=None, non_blocking=False, tensor=None, memory_format=None):
        """Move everything to another device, floating point type or memory format, and return the module.

        Integers keep their type.

        Raises:
            TypeError: if it is an integer type.

        >>> torch.nn.Linear(4, 2).to(torch.float64).weight.dtype
        torch.float64
        """
        for arg in args if tensor is None else (*args, tensor):
            if isinstance(arg, Tensor):
                dtype, device = arg.dtype, arg.device
            elif isinstance(arg, Dtype):
                dtype = arg
            elif not isinstance(arg, bool | None):
                device = arg
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )

        def converted(t):
            formatted = memory_format if t.ndim in (4, 5) else None
            kind = dtype if t.is_floating_point() else None
            return t.to(dtype=kind, device=device, memory_format=formatted)

        return self._apply(converted)

    def type(self, dst_type):
        """Convert everything to a type (a dtype, `DoubleTensor`, or its name), and return the module.

        >>> torch.nn.Linear(4, 2).type(torch.float64).bias.dtype
        torch.float64
        """
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        """Convert everything that is floating point to float32, and return the module.

        >>> torch.nn.Linear(4, 2).double().float().weight.dtype
        torch.float32
        """
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        """Convert everything that is floating point to float64, and return the module.

        >>> torch.nn.Linear(4, 2).double().weight.dtype
        torch.float64
        """
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        """Convert everything that is floating point to float16, and return the module.

        >>> torch.nn.Linear(4, 2).half().weight.dtype
        torch.float16
        """
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self):
        """Refuse: there is no bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def cpu(self):
        """Move everything to the CPU, and return the module.

        >>> torch.nn.Linear(4, 2).cpu().weight.device
        device(type='cpu')
        """
        return self.to("cpu")

    def cuda(self, device=None):
        """Move everything to the GPU, and return the module; an error if there is no GPU."""
        return self.to("cuda" if device is None else device)

    def xpu(self, device=None):
        """Refuse: Intel GPUs are not supported."""
        return self.to("xpu" if device is None else device)

    def to_empty(self, *, device, recurse=True):
        """Move everything to a device, in memory that is not initialised, and return the module.

        >>> torch.nn.Linear(4, 2).to_empty(device="cpu").weight.shape
        torch.Size([2, 4])
        """
        return self._apply(lambda t: empty_like(t, device=device), recurse=recurse)

    def compile(self, *args, **kwargs):
        """Call `torch.compile` for the module, which leaves it as it is.

        >>> layer = torch.nn.Linear(4, 2)
        >>> layer.compile(backend="eager")
        >>> layer(torch.zeros(4)).shape
        torch.Size([2])
        """
        later("compiler").compile(self, *args, **kwargs)


@methods_of(Module)
class Printing:
    def extra_repr(self):
        """Return the text between a layer's parentheses when it is printed; subclasses define their own.

        >>> torch.nn.Linear(4, 2).extra_repr()
        'in_features=4, out_features=2, bias=True'
        """
        return ""

    def _get_name(self):
        return type(self).__name__

    def __repr__(self):
        children = [f"({name}): {module!r}" for name, module in self._modules.items()]
        return bracketed(self._get_name(), self.extra_repr(), children)


def floating_if(required, tensor):
    """A tensor; RuntimeError if it must be floating point, and is not."""
    if required and not tensor.is_floating_point():
        raise RuntimeError(
            "data set to a tensor that requires gradients must be floating point or complex dtype"
        )
    return tensor


def bracketed(name, extra, children):
    """`name(extra)` on one line; with children, one line for each of them."""
    if not children and "\n" not in extra:
        return f"{name}({extra})"
    lines = "\n".join(filter(None, [extra, *children]))
    return f"{name}(\n{textwrap.indent(lines, '  ')}\n)"
