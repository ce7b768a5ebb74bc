"""Parameters whose shape is not known yet, and layers that learn it from their first input.

Such a layer is called once, takes its sizes from what it is given, draws its parameters, and is an ordinary
layer from then on.
"""

from tinytorch.layers import Linear, Module, Parameter
from tinytorch.tensor import Tensor, _disabled_torch_function_impl, empty, get_default_dtype

__all__ = ["LazyLinear", "LazyModule", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]


class Uninitialized:
    """A tensor without numbers until `materialize` gives it a shape; ValueError if it is used before."""

    def __new__(cls, *args, **options):
        return object.__new__(cls)

    def __init__(self, requires_grad=True, device=None, dtype=None):
        self._options = {"device": device, "dtype": dtype or get_default_dtype()}
        self._requires_grad = requires_grad

    def materialize(self, shape, device=None, dtype=None):
        """Become an ordinary tensor of this shape, with uninitialised numbers."""
        options = {"device": device, "dtype": dtype}
        options = self._options | {name: value for name, value in options.items() if value is not None}
        self.__class__ = self.becomes
        self.array = empty(shape, **options).array

    @property
    def array(self):
        raise ValueError(
            "Attempted to use an uninitialized parameter. This error happens when you are using a "
            f"`LazyModule` or explicitly manipulating `torch.nn.parameter.{type(self).__name__}` objects. "
            "When using LazyModules Call `forward` with a dummy batch to initialize the parameters before "
            "calling torch functions"
        )

    @property
    def shape(self):
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
            "`forward` to initialize the parameters before accessing their attributes."
        )

    @property
    def data(self):
        """No numbers, of its type; whoever sets them notes their type and device."""
        return empty(0, **self._options)

    @data.setter
    def data(self, other):
        self._options = {"device": other.device, "dtype": other.dtype}

    dtype = property(lambda self: self._options["dtype"])
    is_leaf = property(lambda self: True)

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def detach(self):
        return self

    def copy_(self, other, non_blocking=False):
        """Copy nothing from another tensor without a shape."""
        return self

    def to(self, *args, dtype=None, device=None, **kwargs):
        """Remember the type and the device that it will have."""
        for arg in args:
            if isinstance(arg, type(self.dtype)):
                dtype = arg
            elif not isinstance(arg, bool | None):
                device = arg
        options = {"device": device, "dtype": dtype}
        self._options |= {name: value for name, value in options.items() if value is not None}
        return self

    def __deepcopy__(self, memo):
        copied = memo[id(self)] = type(self)(self.requires_grad, **self._options)
        return copied

    def __reduce__(self):
        return type(self), (self.requires_grad, self._options["device"], self._options["dtype"])

    def __repr__(self):
        return f"<{type(self).__name__}>"


class UninitializedParameter(Uninitialized, Parameter):
    """A parameter without a shape, until `materialize` gives it one.

    >>> weight = torch.nn.UninitializedParameter()
    >>> weight.materialize((2, 3))
    >>> weight.shape, type(weight).__name__
    (torch.Size([2, 3]), 'Parameter')
    """

    becomes = Parameter


class UninitializedBuffer(Uninitialized, Tensor):
    """A buffer without a shape, until `materialize` gives it one.

    >>> seen = torch.nn.UninitializedBuffer()
    >>> seen.materialize((3,))
    >>> seen.shape
    torch.Size([3])
    """

    becomes = Tensor
    __torch_function__ = _disabled_torch_function_impl

    def __init__(self, requires_grad=False, device=None, dtype=None, persistent=True):
        super().__init__(requires_grad, device, dtype)
        self.persistent = persistent


def is_lazy(tensor):
    """Whether a parameter or a buffer waits for its shape."""
    return isinstance(tensor, Uninitialized)


class LazyModule(Module):
    """What layers share that learn their sizes from the first input; `becomes` is the ordinary layer."""

    def watch(self):
        """Look at the first input, and before that at what is loaded."""
        self._watching = [
            self.register_forward_pre_hook(first_input),
            self.register_load_state_dict_pre_hook(shapes_from),
        ]

    def has_uninitialized_params(self):
        """Return whether a parameter or a buffer waits for its shape.

        >>> torch.nn.LazyLinear(3).has_uninitialized_params()
        True
        """
        return any(map(is_lazy, [*self._parameters.values(), *self._buffers.values()]))

    def reset_parameters(self):
        """Draw the parameters, once their shapes are known."""
        if not self.has_uninitialized_params() and getattr(self, self.learned):
            super().reset_parameters()


def first_input(module, inputs):
    """Let a lazy layer take its sizes from its first input, and become the ordinary one."""
    module.initialize_parameters(*inputs)
    if module.has_uninitialized_params():
        raise RuntimeError(
            f"module {module._get_name()} has not been fully initialized: initialize_parameters has "
            "to give every parameter its shape"
        )
    for handle in module._watching:
        handle.remove()
    del module._watching
    module.__class__ = module.becomes


def shapes_from(module, state_dict, prefix, *_):
    """Give the parameters the shapes of the state that is about to be loaded."""
    for name, tensor in {**module._parameters, **module._buffers}.items():
        value = state_dict.get(prefix + name)
        if is_lazy(tensor) and value is not None and not is_lazy(value):
            tensor.materialize(value.shape)


class LazyLinear(LazyModule, Linear):
    """A `Linear` that takes `in_features` from the last dimension of its first input.

    Shape: as `Linear`.

    >>> layer = LazyLinear(3)
    >>> layer(zeros(2, 5)).shape, layer
    (torch.Size([2, 3]), Linear(in_features=5, out_features=3, bias=True))
    """

    becomes, learned = Linear, "in_features"

    def __init__(self, out_features, bias=True, device=None, dtype=None):
        super().__init__(0, 0, False)
        self.out_features = out_features
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)
        self.watch()

    def initialize_parameters(self, input):
        """Take the sizes from an input.

        >>> layer = torch.nn.LazyLinear(3)
        >>> layer.initialize_parameters(torch.zeros(2, 5))
        >>> layer.weight.shape
        torch.Size([3, 5])
        """
        lazy, self.in_features = self.has_uninitialized_params(), input.shape[-1]
        if lazy:
            self.weight.materialize((self.out_features, self.in_features))
            if self.bias is not None:
                self.bias.materialize((self.out_features,))
            self.reset_parameters()
