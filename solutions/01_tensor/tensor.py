# %% [markdown]
# # 01 Tensor
#
# The array that everything else is made of: numbers in memory, a shape, and the operations on them.

# %%
#| export
import functools
import importlib
import itertools
import math
import operator
import secrets
import threading
import traceback
import weakref
from collections import namedtuple
from types import SimpleNamespace

import numpy as np

# %% [markdown]
# ### Given: number types, devices, shapes


# %%
#| export
class dtype:
    """A number type under PyTorch's name; `numpy` is NumPy's object for the same type."""

    def __init__(self, name, numpy):
        self.name, self.numpy = name, np.dtype(numpy)
        self.itemsize, self.is_floating_point = self.numpy.itemsize, self.numpy.kind == "f"

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return _dtype_of, (self.numpy,)


float16, float32, float64 = dtype("float16", "f2"), dtype("float32", "f4"), dtype("float64", "f8")
int8, int16, int32, int64 = (
    dtype("int8", "i1"),
    dtype("int16", "i2"),
    dtype("int32", "i4"),
    dtype("int64", "i8"),
)
uint8, bool_ = dtype("uint8", "u1"), dtype("bool", "?")
_dtypes = {d.numpy: d for d in (float16, float32, float64, int8, int16, int32, int64, uint8, bool_)}
_names = {d.name: d for d in _dtypes.values()}
_names |= {"half": float16, "float": float32, "double": float64, "short": int16, "int": int32, "long": int64}
_names |= {"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e}
_default = {"dtype": float32}


def _dtype_of(numpy):
    """The dtype of a NumPy type; TypeError for one that has no counterpart here."""
    try:
        return _dtypes[np.dtype(numpy)]
    except KeyError:
        raise TypeError(f"can't convert np.ndarray of type {numpy}") from None


def get_default_dtype():
    """The type of new floating point tensors: float32, unless `set_default_dtype` chose another."""
    return _default["dtype"]


def set_default_dtype(d):
    """Choose the type of new floating point tensors; TypeError unless it is one."""
    if not d.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, but got {d}")
    _default["dtype"] = d


class device:
    """Where a tensor's memory is: `device("cpu")`, and from module 17 on `device("cuda", 0)`."""

    def __init__(self, type, index=None):
        name, _, number = str(type).partition(":")
        if name not in ("cpu", "cuda"):
            raise RuntimeError(f"Expected one of cpu, cuda device type at start of device string: {type}")
        self.type, self.index = name, int(number) if number else index

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self):
        return f"device(type='{self.type}'{'' if self.index is None else f', index={self.index}'})"


class Size(tuple):
    """The lengths of a tensor's dimensions: a tuple that prints as PyTorch's does."""

    def numel(self):
        """The number of elements in a tensor of this shape."""
        return math.prod(self)

    def __getitem__(self, index):
        item = super().__getitem__(index)
        return Size(item) if isinstance(index, slice) else item

    def __add__(self, other):
        return Size(super().__add__(other))

    def __repr__(self):
        return f"torch.Size({list(self)})"


class GradMode(threading.local):
    """Whether operations prepare for gradients, and note where they were called; switched in module 06, by thread."""

    enabled, anomaly = True, False


grad_mode = GradMode()


def later(module):
    """Import a module of the course that is built after this one."""
    return importlib.import_module(f"tinytorch.{module}")


# %%
#| export
clock = itertools.count()  # numbers operations and in-place changes in the order in which they happen
changes = {}  # what has been changed in place: id of the memory's owner -> (how often, when last)


def owner(array):
    """The array whose memory this one looks into: itself, unless it is a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def changed(array):
    """Note that an array is being changed in place, so that a gradient that saved it can refuse."""
    memory = owner(array)
    key = id(memory)
    if key not in changes:
        weakref.finalize(memory, changes.pop, key)
    changes[key] = (changes.get(key, (0,))[0] + 1, next(clock))


# %% [markdown]
# ### Given: Context


# %%
#| export
class Context:
    """What one call of an operation leaves for its gradient; also that call's node in the graph of gradients.

    `function` is the operation, `saved_tensors` what its forward saved, `needs_input_grad` says of each input whether
    a gradient will be asked for, and `edges` where each input's gradient goes: (node or leaf tensor, number of output).
    """

    saved = ids = ()
    results = ((),)
    hooks = None

    def __init__(self, function=None, edges=()):
        self.function, self.edges = function, edges

    @property
    def needs_input_grad(self):
        return tuple([edge is not None for edge in self.edges])

    def save_for_backward(self, *arrays):
        """Keep arrays that the gradient will need: inputs, outputs, or constants of this call."""
        self.saved = arrays

    @property
    def saved_tensors(self):
        """What was saved, as `unpack` returns it."""
        return self.unpack()

    def unpack(self):
        """What was saved. RuntimeError once a backward pass has freed it, or an in-place operation has changed it."""
        if self.saved is None:
            raise RuntimeError(
                "Trying to backward through the graph a second time (or directly access saved tensors after they have "
                "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
                "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time "
                "or if you need to access saved tensors after calling backward."
            )
        for array in self.saved if changes else ():
            if isinstance(array, np.ndarray) and changes.get(id(owner(array)), (0, -1))[1] > self.number:
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: "
                    f"{self.name()} saved an array of shape {list(array.shape)}, which has changed since."
                )
        return self.saved

    def record(self, arrays, outputs, results):
        """Become the results' node; note the time, and which of the saved arrays are the call's inputs and outputs."""
        self.number = next(clock)
        output_nr = 0
        for result in results:
            if result.array.dtype.kind == "f":
                result._edge = (self, output_nr)
            output_nr += 1
        if self.saved:
            self.ids = tuple(map(id, (*arrays, *outputs)))
        if len(results) > 1:
            self.results = [(r.array.shape, r.array.dtype) for r in results]
        if grad_mode.anomaly:
            self.traceback = traceback.format_stack()[:-2]

    def keep(self, array):
        """Save a copy in place of `array`, which is about to be changed by the operation that saved it."""
        if any(a is array for a in self.saved):
            copy = array.copy()
            self.saved = tuple([copy if a is array else a for a in self.saved])
            self.ids = tuple([id(copy) if i == id(array) else i for i in self.ids])

    def free(self):
        """Let go of what was saved; asking for it again is an error."""
        if self.saved:
            self.saved = None

    def name(self):
        """The node's name, such as MulBackward0."""
        return f"{self.function.__name__}Backward0"

    def __repr__(self):
        return f"<{self.name()}>"


# %% [markdown]
# ### Function.apply


# %% stub="function-apply"
#| export
class Function:
    """An operation on tensors: `forward` computes it on arrays, `apply` calls it on tensors.

    A subclass defines `forward(ctx, *arrays, **options)` as a static method: NumPy arrays in, an array or a tuple of
    arrays out. What its gradient will need it saves in `ctx`.
    """

    once_differentiable = False

    @classmethod
    def apply(cls, *inputs, **options):
        """Run the operation on tensors, and remember the call if a gradient may be asked for.

        Args:
            inputs: what `forward` takes; a Tensor is handed over as its array, anything else as it is.
            options: keyword arguments, handed over as they are.

        Returns:
            A Tensor around what `forward` returns; a tuple of Tensors if that is a tuple. If gradients are enabled and
            an input requires one, `ctx.record(arrays, outputs, results)` has made `ctx` the `grad_fn` of the results.

        >>> Neg.apply(tensor([1.0, -2.0]))
        tensor([-1.,  2.])
        """
        ### BEGIN SOLUTION
        arrays = [x.array if isinstance(x, Tensor) else x for x in inputs]
        ctx = Context(cls, [x.edge() if isinstance(x, Tensor) else None for x in inputs])
        output = cls.forward(ctx, *arrays, **options)
        if isinstance(output, tuple):
            results = tuple([wrap(array) for array in output])
        else:
            output, results = (output,), (wrap(output),)
        if any(ctx.edges) and grad_mode.enabled:
            ctx.record(arrays, output, results)
        return results if len(results) > 1 else results[0]
        ### END SOLUTION


# %%
#| export
def wrap(array):
    """A Tensor around an array, sharing its memory: what every operation returns."""
    tensor = object.__new__(Tensor)
    tensor.array = np.asarray(array) if isinstance(array, np.generic) else array
    return tensor


class View(Function):
    """An operation whose result shares its input's memory, where it can."""

    @classmethod
    def apply(cls, x, *inputs, **options):
        result = super().apply(x, *inputs, **options)
        if np.may_share_memory(result.array, x.array):
            result._base = x if x._base is None else x._base
            result._base_edge = result._base._edge
        return result


def inplace(name):
    """The method `name_`, which puts what the method `name` returns into the tensor's own memory."""

    def method(self, *args, **kwargs):
        return self._become(getattr(self, name)(*args, **kwargs))

    method.__name__, method.__doc__ = f"{name}_", f"The in-place version of `{name}`."
    return method


# %% [markdown]
# ### Given: Tensor


# %%
#| export
class Tensor:
    """A multi-dimensional array that operations can be applied to, and later differentiated.

    `array` is the NumPy array underneath; every method below hands it to an operation and wraps what comes back.
    """

    _requires_grad, _grad, _edge = False, None, None
    _base = _base_edge = None
    _tracked = True

    def __init__(self, *data):
        """`Tensor([1, 2])` copies numbers to the default type, `Tensor(2, 3)` is uninitialised, `Tensor(array)` wraps."""
        if len(data) == 1 and isinstance(data[0], np.ndarray):
            self.array = data[0]
        elif len(data) == 1 and not isinstance(data[0], int):
            self.array = tensor(data[0], dtype=get_default_dtype()).array
        else:
            self.array = np.empty(data if data else 0, get_default_dtype().numpy)

    # What it is
    shape = property(lambda self: Size(self.array.shape))
    dtype = property(lambda self: _dtypes[self.array.dtype])
    device = property(lambda self: device("cpu") if isinstance(self.array, np.ndarray) else self.array.device)
    ndim = property(lambda self: self.array.ndim)
    is_leaf = property(lambda self: self._edge is None)
    retains_grad = property(lambda self: later("autograd").retains_grad(self))
    grad_fn = property(lambda self: None if self._edge is None else self._edge[0])
    output_nr = property(lambda self: 0 if self._edge is None else self._edge[1])
    is_cuda = property(lambda self: self.device.type == "cuda")
    itemsize = property(lambda self: self.array.itemsize)
    nbytes = property(lambda self: self.array.nbytes)
    _version = property(lambda self: changes.get(id(owner(self.array)), (0,))[0])

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[axis_of(dim, self.ndim)]

    def dim(self):
        return self.array.ndim

    def numel(self):
        return self.array.size

    nelement = numel

    def element_size(self):
        return self.array.itemsize

    def stride(self, dim=None):
        """How many elements apart neighbours along each dimension (or along `dim`) lie in memory."""
        strides = tuple(s // self.array.itemsize for s in self.array.strides)
        return strides if dim is None else strides[dim]

    def storage_offset(self):
        """How many elements into its storage the tensor begins."""
        return (self.data_ptr() - owner(self.array).__array_interface__["data"][0]) // self.array.itemsize

    def data_ptr(self):
        """The address of the first element."""
        return self.array.__array_interface__["data"][0]

    def is_contiguous(self):
        return self.array.flags.c_contiguous

    def is_floating_point(self):
        return self.array.dtype.kind == "f"

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.array.shape[0]

    def __repr__(self):
        return tensor_repr(self)

    def __format__(self, spec):
        return format(self.item(), spec) if self.ndim == 0 else object.__format__(self, spec)

    def __hash__(self):
        return id(self)

    # Gradients: the flag and the result; how they come about is module 06
    def edge(self):
        """Where a gradient for this tensor goes: (node that made it, number of the output), (leaf, 0), or None."""
        if self._base is not None and self._base._edge is not self._base_edge:
            raise RuntimeError(
                "this view was made before its base was changed in place; make it again after the change"
            )
        return self._edge or ((self, 0) if self._requires_grad else None)

    @property
    def requires_grad(self):
        return self._edge is not None or self._requires_grad

    @requires_grad.setter
    def requires_grad(self, flag):
        if self._edge is not None:
            raise RuntimeError("you can only change requires_grad flags of leaf variables.")
        if flag and not self.is_floating_point():
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        self._requires_grad = flag

    @property
    def grad(self):
        return self._grad

    @grad.setter
    def grad(self, grad):
        if grad is not None and not isinstance(grad, Tensor):
            raise TypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type {type(grad).__name__}"
            )
        if grad is not None and (grad.shape != self.shape or grad.dtype != self.dtype):
            raise RuntimeError(
                f"assigned grad has shape {list(grad.shape)} and type {grad.dtype}, "
                f"its tensor {list(self.shape)} and {self.dtype}"
            )
        self._grad = grad

    @property
    def data(self):
        """The same memory without gradients, in-place changes of which nobody watches."""
        result = wrap(self.array)
        result._tracked = False
        return result

    @data.setter
    def data(self, other):
        self.array = other.array

    def requires_grad_(self, requires_grad=True):
        self.requires_grad = requires_grad
        return self

    def detach(self):
        """The same memory without gradients."""
        return wrap(self.array)

    def detach_(self):
        self._edge, self._requires_grad = None, False
        return self

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        later("autograd").backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook):
        return later("autograd").register_hook(self, hook)

    def retain_grad(self):
        later("autograd").retain_grad(self)

    # Out of PyTorch and back
    def numpy(self):
        """The array itself, not a copy; RuntimeError if the tensor requires a gradient, which NumPy would lose."""
        if self.requires_grad:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        return self.array

    def __array__(self, dtype=None, copy=None):
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        """NumPy's functions on tensors are the tensors' own: np.exp(x) is x.exp(), array + x is a Tensor."""
        name = {"absolute": "abs", "negative": "neg", "power": "pow", "divide": "div", "subtract": "sub",
                "multiply": "mul", "add": "add", "greater": "gt", "less": "lt"}.get(ufunc.__name__, ufunc.__name__)  # fmt: skip
        if method != "__call__" or kwargs or not hasattr(Tensor, name):
            return NotImplemented
        first, *rest = (x if isinstance(x, Tensor) else tensor(x) for x in inputs)
        return getattr(first, name)(*rest)

    def __dlpack__(self, **kwargs):
        return self.numpy().__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def item(self):
        """The number in a tensor of one element."""
        if self.array.size != 1:
            raise RuntimeError(f"a Tensor with {self.array.size} elements cannot be converted to Scalar")
        return self.array.item()

    def tolist(self):
        return self.array.tolist()

    def __bool__(self):
        if self.array.size != 1:
            kind = "no values" if self.array.size == 0 else "more than one value"
            raise RuntimeError(f"Boolean value of Tensor with {kind} is ambiguous")
        return bool(self.array.item())

    def __float__(self):
        return float(self._number())

    def __int__(self):
        return int(self._number())

    def __index__(self):
        if self.array.dtype.kind not in "iub":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._number())

    def _number(self):
        """The number that Python's float() and int() are to convert."""
        if self.array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self.array.item()

    def __contains__(self, value):
        return bool((self == value).array.any())

    def __reduce__(self):
        return _rebuild, (type(self), self.array, self._requires_grad)

    def __deepcopy__(self, memo):
        if self._edge is not None:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment."
            )
        copied = memo[id(self)] = _rebuild(type(self), self.array.copy(), self._requires_grad)
        copied._grad = None if self._grad is None else self._grad.clone()
        return copied

    # Types and places
    def to(self, *args, dtype=None, device=None, copy=False, non_blocking=False):
        """This tensor in another type, on another device, or like another tensor; itself when nothing changes."""
        for arg in args:
            if isinstance(arg, Tensor):
                dtype, device = arg.dtype, arg.device
            elif isinstance(arg, type(float32)):
                dtype = arg
            elif isinstance(arg, (str, type(self.device))):
                device = arg
        result = self
        if device is not None and globals()["device"](device).type != self.device.type:
            result = later("cuda").move(result, device)
        if dtype is not None and dtype.numpy != result.array.dtype:
            result = Cast.apply(result, dtype=dtype.numpy)
        return result.clone() if copy and result is self else result

    def type(self, dtype=None):
        names = {"int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "float16": "Half",
                 "float64": "Double", "float32": "Float", "bool": "Bool"}  # fmt: skip
        return f"torch.{names[self.dtype.name]}Tensor" if dtype is None else self.to(dtype)

    def type_as(self, other):
        return self.to(other.dtype)

    def float(self):
        return self.to(float32)

    def double(self):
        return self.to(float64)

    def half(self):
        return self.to(float16)

    def long(self):
        return self.to(int64)

    def int(self):
        return self.to(int32)

    def short(self):
        return self.to(int16)

    def bool(self):
        return self.to(bool_)

    def cpu(self):
        return self.to(device="cpu")

    def cuda(self, device=None):
        return self.to(device="cuda" if device is None else device)

    def clone(self):
        return Clone.apply(self)

    def contiguous(self):
        return self if self.array.flags.c_contiguous else Clone.apply(self, order="C")

    def new_tensor(self, data, dtype=None, requires_grad=False):
        return tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad)

    def new_zeros(self, *size, dtype=None, requires_grad=False):
        return zeros(*size, dtype=dtype or self.dtype, requires_grad=requires_grad)

    def new_ones(self, *size, dtype=None, requires_grad=False):
        return ones(*size, dtype=dtype or self.dtype, requires_grad=requires_grad)

    def new_empty(self, *size, dtype=None, requires_grad=False):
        return empty(*size, dtype=dtype or self.dtype, requires_grad=requires_grad)

    def new_full(self, size, fill_value, dtype=None, requires_grad=False):
        return full(size, fill_value, dtype=dtype or self.dtype, requires_grad=requires_grad)

    # Arithmetic
    def add(self, other, *, alpha=1):
        x, y = promote(self, other)
        return Add.apply(x, y if alpha == 1 else y * alpha)

    def sub(self, other, *, alpha=1):
        x, y = promote(self, other)
        return Sub.apply(x, y if alpha == 1 else y * alpha)

    def mul(self, other):
        return Mul.apply(*promote(self, other))

    def div(self, other, *, rounding_mode=None):
        rounded = {"floor": FloorDivide, "trunc": TruncDivide}
        if rounding_mode is None:
            return Div.apply(*promote(self, other, floating=True))
        if rounding_mode not in rounded:
            raise RuntimeError(
                f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
            )
        return rounded[rounding_mode].apply(*promote(self, other))

    def floor_divide(self, other):
        return FloorDivide.apply(*promote(self, other))

    def remainder(self, other):
        return Remainder.apply(*promote(self, other))

    def pow(self, exponent):
        return Pow.apply(*promote(self, exponent))

    def neg(self):
        return Neg.apply(self)

    def abs(self):
        return Abs.apply(self)

    def exp(self):
        return Exp.apply(floating(self))

    def log(self):
        return Log.apply(floating(self))

    def log1p(self):
        return Log1p.apply(floating(self))

    def log2(self):
        return self.log() * (1 / math.log(2))

    def log10(self):
        return self.log() * (1 / math.log(10))

    def expm1(self):
        return Expm1.apply(floating(self))

    def sqrt(self):
        return Sqrt.apply(floating(self))

    def rsqrt(self):
        return self.sqrt().reciprocal()

    def square(self):
        return self * self

    def reciprocal(self):
        return 1 / self

    def sin(self):
        return Sin.apply(floating(self))

    def cos(self):
        return Cos.apply(floating(self))

    def erf(self):
        return later("activations").erf(self)

    def floor(self):
        return Floor.apply(self)

    def ceil(self):
        return Ceil.apply(self)

    def round(self, *, decimals=0):
        return Round.apply(self, decimals=decimals)

    def trunc(self):
        return Trunc.apply(self)

    def sign(self):
        return Sign.apply(self)

    def clamp(self, min=None, max=None):
        if min is None and max is None:
            raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
        x = self
        for bound in (min, max):
            x = x if bound is None else promote(x, bound)[0]
        low, high = (None if bound is None else promote(x, bound)[1] for bound in (min, max))
        return Clamp.apply(x, low, high)

    clip = clamp

    def maximum(self, other):
        return Maximum.apply(*promote(self, other))

    def minimum(self, other):
        return Minimum.apply(*promote(self, other))

    def lerp(self, end, weight):
        return self + weight * (end - self)

    def addcmul(self, tensor1, tensor2, *, value=1):
        return self + tensor1 * tensor2 * value

    def addcdiv(self, tensor1, tensor2, *, value=1):
        return self + tensor1 / tensor2 * value

    def isnan(self):
        return wrap(np.isnan(self.array))

    def isinf(self):
        return wrap(np.isinf(self.array))

    def isfinite(self):
        return wrap(np.isfinite(self.array))

    # Comparisons and logic: booleans, which have no gradient
    def eq(self, other):
        return pointwise(np.equal, self, other)

    def ne(self, other):
        return pointwise(np.not_equal, self, other)

    def lt(self, other):
        return pointwise(np.less, self, other)

    def le(self, other):
        return pointwise(np.less_equal, self, other)

    def gt(self, other):
        return pointwise(np.greater, self, other)

    def ge(self, other):
        return pointwise(np.greater_equal, self, other)

    def logical_not(self):
        return pointwise(np.logical_not, self)

    def logical_and(self, other):
        return pointwise(np.logical_and, self, other)

    def logical_or(self, other):
        return pointwise(np.logical_or, self, other)

    def logical_xor(self, other):
        return pointwise(np.logical_xor, self, other)

    def bitwise_and(self, other):
        return bitwise(np.bitwise_and, self, other)

    def bitwise_or(self, other):
        return bitwise(np.bitwise_or, self, other)

    def bitwise_xor(self, other):
        return bitwise(np.bitwise_xor, self, other)

    def bitwise_not(self):
        return bitwise(np.invert, self)

    def equal(self, other):
        """Whether both have the same shape and the same values: one bool."""
        return np.array_equal(self.array, other.array)

    def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        return wrap(np.isclose(self.array, other.array, rtol, atol, equal_nan))

    def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        return bool(np.allclose(self.array, other.array, rtol, atol, equal_nan))

    __add__ = __radd__ = lambda self, other: Add.apply(*promote(self, other))
    __mul__ = __rmul__ = lambda self, other: Mul.apply(*promote(self, other))
    __sub__ = lambda self, other: Sub.apply(*promote(self, other))
    __rsub__ = lambda self, other: Sub.apply(*promote(other, self))
    __truediv__ = lambda self, other: Div.apply(*promote(self, other, floating=True))
    __rtruediv__ = lambda self, other: Div.apply(*promote(other, self, floating=True))
    __floordiv__ = lambda self, other: FloorDivide.apply(*promote(self, other))
    __rfloordiv__ = lambda self, other: FloorDivide.apply(*promote(other, self))
    __mod__ = lambda self, other: Remainder.apply(*promote(self, other))
    __rmod__ = lambda self, other: Remainder.apply(*promote(other, self))
    __pow__ = lambda self, other: Pow.apply(*promote(self, other))
    __rpow__ = lambda self, other: Pow.apply(*promote(other, self))
    __matmul__ = lambda self, other: self.matmul(other)
    __neg__, __abs__, __pos__ = neg, abs, lambda self: self
    __eq__ = lambda self, other: self.eq(other) if isinstance(other, OPERANDS) else NotImplemented
    __ne__ = lambda self, other: self.ne(other) if isinstance(other, OPERANDS) else NotImplemented
    __lt__, __le__, __gt__, __ge__ = lt, le, gt, ge
    __and__ = __rand__ = bitwise_and
    __or__ = __ror__ = bitwise_or
    __xor__ = __rxor__ = bitwise_xor
    __invert__ = bitwise_not

    # Reductions
    def sum(self, dim=None, keepdim=False, *, dtype=None, axis=None, keepdims=False):
        x = self if dtype is None else self.to(dtype)
        total = Sum.apply(x, dim=dim if axis is None else axis, keepdim=keepdim or keepdims)
        return total if dtype is None else total.to(dtype)

    def mean(self, dim=None, keepdim=False, *, dtype=None, axis=None, keepdims=False):
        x = self if dtype is None else self.to(dtype)
        return Mean.apply(x, dim=dim if axis is None else axis, keepdim=keepdim or keepdims)

    def var(self, dim=None, unbiased=True, keepdim=False, *, correction=None):
        return Var.apply(
            self, dim=dim, correction=unbiased if correction is None else correction, keepdim=keepdim
        )

    def std(self, dim=None, unbiased=True, keepdim=False, *, correction=None):
        return Std.apply(
            self, dim=dim, correction=unbiased if correction is None else correction, keepdim=keepdim
        )

    def prod(self, dim=None, keepdim=False, *, dtype=None):
        product = Prod.apply(self if dtype is None else self.to(dtype), dim=dim, keepdim=keepdim)
        return product if dtype is None else product.to(dtype)

    def amax(self, dim=(), keepdim=False):
        return Amax.apply(self, dim=dim if dim != () else None, keepdim=keepdim)

    def amin(self, dim=(), keepdim=False):
        return Amin.apply(self, dim=dim if dim != () else None, keepdim=keepdim)

    def max(self, dim=None, keepdim=False):
        """The largest element; along `dim`, the largest and where they are; or elementwise, against another tensor."""
        if isinstance(dim, Tensor):
            return self.maximum(dim)
        return self.amax() if dim is None else return_types.max(*Max.apply(self, dim=dim, keepdim=keepdim))

    def min(self, dim=None, keepdim=False):
        """The smallest element; along `dim`, the smallest and where they are; or elementwise, against another tensor."""
        if isinstance(dim, Tensor):
            return self.minimum(dim)
        return self.amin() if dim is None else return_types.min(*Min.apply(self, dim=dim, keepdim=keepdim))

    def argmax(self, dim=None, keepdim=False):
        return Argmax.apply(self, dim=dim, keepdim=keepdim)

    def argmin(self, dim=None, keepdim=False):
        return Argmin.apply(self, dim=dim, keepdim=keepdim)

    def all(self, dim=None, keepdim=False):
        return truth(self.array.all(axis=axes_of(dim, self.ndim), keepdims=keepdim), self)

    def any(self, dim=None, keepdim=False):
        return truth(self.array.any(axis=axes_of(dim, self.ndim), keepdims=keepdim), self)

    def count_nonzero(self, dim=None):
        return wrap(np.count_nonzero(self.array, axis=axes_of(dim, self.ndim)))

    def nonzero(self, *, as_tuple=False):
        indices = tuple(wrap(i) for i in np.nonzero(self.array))
        return indices if as_tuple else wrap(np.argwhere(self.array))

    def cumsum(self, dim, *, dtype=None):
        total = CumSum.apply(self if dtype is None else self.to(dtype), dim=dim)
        return total if dtype is None else total.to(dtype)

    def sort(self, dim=-1, descending=False, stable=False):
        return return_types.sort(*Sort.apply(self, dim=dim, descending=descending))

    def argsort(self, dim=-1, descending=False, stable=False):
        return self.sort(dim, descending).indices

    def topk(self, k, dim=-1, largest=True, sorted=True):
        return return_types.topk(*TopK.apply(self, k=k, dim=dim, largest=largest))

    def norm(self, p=2, dim=None, keepdim=False):
        """The p-norm over all elements or along `dim`; p is a number, inf, or "fro" for 2."""
        if p in (2, "fro"):
            return (self * self).sum(dim, keepdim).sqrt()
        if p in (math.inf, -math.inf):
            return getattr(self.abs(), "amax" if p > 0 else "amin")(() if dim is None else dim, keepdim)
        if p == 0:
            return (self != 0).to(self.dtype).sum(dim, keepdim)
        return (self.abs() ** p).sum(dim, keepdim) ** (1 / p)

    def bincount(self, weights=None, minlength=0):
        return wrap(np.bincount(self.array, None if weights is None else weights.array, minlength))

    def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
        found = np.unique(self.array, return_inverse=return_inverse, return_counts=return_counts, axis=dim)
        return tuple(wrap(a) for a in found) if isinstance(found, tuple) else wrap(found)

    # Shapes
    def view(self, *shape):
        if len(shape) == 1 and isinstance(shape[0], type(float32)):
            return wrap(self.array.view(shape[0].numpy))
        shape = infer_shape(self.numel(), sizes(shape))
        if not is_viewable(self.array, shape):
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
                "two contiguous subspaces). Use .reshape(...) instead."
            )
        return Reshape.apply(self, shape=shape)

    def reshape(self, *shape):
        return Reshape.apply(self, shape=infer_shape(self.numel(), sizes(shape)))

    def view_as(self, other):
        return self.view(other.shape)

    def reshape_as(self, other):
        return self.reshape(other.shape)

    def flatten(self, start_dim=0, end_dim=-1):
        if self.ndim == 0:
            return self.reshape(1)
        start, end = axis_of(start_dim, self.ndim), axis_of(end_dim, self.ndim)
        if start > end:
            raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
        if start == end:
            return self
        return self.reshape(
            *self.shape[:start], math.prod(self.shape[start : end + 1]), *self.shape[end + 1 :]
        )

    def unflatten(self, dim, sizes):
        dim = axis_of(dim, self.ndim)
        return self.reshape(*self.shape[:dim], *infer_shape(self.shape[dim], sizes), *self.shape[dim + 1 :])

    def squeeze(self, dim=None):
        dims = range(self.ndim) if dim is None else dim if isinstance(dim, tuple) else (dim,)
        dims = {axis_of(d, self.ndim) for d in dims}
        return Reshape.apply(self, shape=[n for d, n in enumerate(self.shape) if n != 1 or d not in dims])

    def unsqueeze(self, dim):
        dim = axis_of(dim, self.ndim + 1)
        return Reshape.apply(self, shape=[*self.shape[:dim], 1, *self.shape[dim:]])

    def permute(self, *dims):
        return Permute.apply(self, dims=sizes(dims))

    def transpose(self, dim0, dim1):
        dims = list(range(self.ndim))
        if dims:
            dim0, dim1 = axis_of(dim0, self.ndim), axis_of(dim1, self.ndim)
            dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
        return Permute.apply(self, dims=dims)

    swapaxes = swapdims = transpose

    def movedim(self, source, destination):
        source, destination = (
            [axis_of(d, self.ndim) for d in (x if isinstance(x, (tuple, list)) else [x])]
            for x in (source, destination)
        )
        dims = [d for d in range(self.ndim) if d not in source]
        for position, dim in sorted(zip(destination, source)):
            dims.insert(position, dim)
        return Permute.apply(self, dims=dims)

    def t(self):
        if self.ndim > 2:
            raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
        return Permute.apply(self, dims=range(self.ndim)[::-1])

    T = property(lambda self: Permute.apply(self, dims=range(self.ndim)[::-1]))
    mT = property(lambda self: self.transpose(-2, -1))

    def expand(self, *shape):
        return Expand.apply(self, shape=sizes(shape))

    def expand_as(self, other):
        return self.expand(other.shape)

    def broadcast_to(self, size):
        return self.expand(size)

    def repeat(self, *repeats):
        """The tensor laid out `repeats` times along each dimension, as NumPy's tile."""
        repeats = sizes(repeats)
        if len(repeats) < self.ndim:
            raise RuntimeError(
                "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
            )
        x = self.reshape([n for size in (1,) * (len(repeats) - self.ndim) + self.shape for n in (1, size)])
        x = x.expand([n for r, size in zip(repeats, x.shape[1::2]) for n in (r, size)])
        return x.reshape([r * size for r, size in zip(repeats, x.shape[1::2])])

    def repeat_interleave(self, repeats, dim=None):
        x = self.flatten() if dim is None else self
        dim = 0 if dim is None else axis_of(dim, x.ndim)
        return x.index_select(dim, wrap(np.repeat(np.arange(x.shape[dim]), array_of(repeats))))

    def narrow(self, dim, start, length):
        if not 0 <= start <= start + length <= self.size(dim):
            raise RuntimeError(
                f"start ({start}) + length ({length}) exceeds dimension size ({self.size(dim)})."
            )
        return self[(slice(None),) * axis_of(dim, self.ndim) + (slice(start, start + length),)]

    def select(self, dim, index):
        return self[(slice(None),) * axis_of(dim, self.ndim) + (index,)]

    def unbind(self, dim=0):
        return tuple(self.select(dim, i) for i in range(self.size(dim)))

    def split(self, split_size, dim=0):
        """Views of the tensor cut along `dim`: into pieces of `split_size`, or of the sizes in a list."""
        total = self.size(dim)
        if isinstance(split_size, int):
            pieces = range(0, max(total, 1), split_size)
            split_size = [min(split_size, total - start) for start in pieces]
        if sum(split_size) != total:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's size at dimension {dim}), "
                f"but got split_sizes={list(split_size)}"
            )
        return tuple(
            self.narrow(dim, end - size, size)
            for size, end in zip(split_size, itertools.accumulate(split_size))
        )

    def chunk(self, chunks, dim=0):
        if chunks < 1:
            raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
        return self.split(max(1, -(-self.size(dim) // chunks)), dim)

    def diagonal(self, offset=0, dim1=0, dim2=1):
        return Diagonal.apply(
            self, offset=offset, dim1=axis_of(dim1, self.ndim), dim2=axis_of(dim2, self.ndim)
        )

    def flip(self, *dims):
        return Flip.apply(self, dims=axes_of(sizes(dims), self.ndim))

    def roll(self, shifts, dims=None):
        return Roll.apply(self, shifts=shifts, dims=dims)

    def tril(self, diagonal=0):
        return Tril.apply(self, diagonal=diagonal)

    def triu(self, diagonal=0):
        return Triu.apply(self, diagonal=diagonal)

    # Elements
    def __getitem__(self, index):
        return Index.apply(self, index=index_arrays(index))

    def __setitem__(self, index, value):
        value = value if isinstance(value, Tensor) else tensor(value, dtype=self.dtype)
        index = index_arrays(index)
        if value.dtype != self.dtype and not is_basic(index):
            raise RuntimeError(
                "Index put requires the source and destination dtypes match, "
                f"got {self.dtype} for the destination and {value.dtype} for the source."
            )
        if grad_mode.enabled and (self.requires_grad or value.requires_grad):
            self._become(IndexPut.apply(self, value.to(self.dtype), index=index))
        else:
            put(self._writable(), index, value.array)

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind())

    def gather(self, dim, index):
        return Gather.apply(self, index, dim=dim)

    def scatter(self, dim, index, src):
        return Scatter.apply(self, index, *promote_to(self, src), dim=dim)

    def scatter_add(self, dim, index, src):
        return ScatterAdd.apply(self, index, src, dim=dim)

    def index_select(self, dim, index):
        if index.ndim > 1:
            raise IndexError("index_select(): Index is supposed to be a vector")
        return self[(slice(None),) * axis_of(dim, self.ndim) + (index,)]

    def index_add(self, dim, index, source, *, alpha=1):
        shape = [1] * self.ndim
        shape[dim] = -1
        return self.scatter_add(
            dim, index.reshape(shape).expand(source.shape), source if alpha == 1 else source * alpha
        )

    def take_along_dim(self, indices, dim):
        return self.gather(dim, indices)

    def masked_fill(self, mask, value):
        return MaskedFill.apply(self, mask, *promote_to(self, value))

    def masked_select(self, mask):
        return self[mask.expand(broadcast_shapes(self.shape, mask.shape))]

    def where(self, condition, other):
        return where(condition, self, other)

    # Products
    def matmul(self, other):
        if not isinstance(other, Tensor):
            raise TypeError(f"matmul(): argument 'other' must be Tensor, not {type(other).__name__}")
        return MatMul.apply(self, other)

    def mm(self, mat2):
        return matrix_product(self, mat2, (2, 2), "mm")

    def bmm(self, mat2):
        return matrix_product(self, mat2, (3, 3), "bmm")

    def mv(self, vec):
        return matrix_product(self, vec, (2, 1), "mv")

    def dot(self, tensor):
        return matrix_product(self, tensor, (1, 1), "dot")

    def outer(self, vec2):
        if self.ndim != 1 or vec2.ndim != 1:
            raise RuntimeError(f"outer: expected two 1-D tensors, but got {self.ndim}-D and {vec2.ndim}-D")
        return self.unsqueeze(1) * vec2

    def addmm(self, mat1, mat2, *, beta=1, alpha=1):
        return self * beta + mat1.mm(mat2) * alpha

    # Operations of later modules
    def relu(self):
        return later("activations").relu(self)

    def sigmoid(self):
        return later("activations").sigmoid(self)

    def tanh(self):
        return later("activations").tanh(self)

    def softmax(self, dim, dtype=None):
        return later("activations").softmax(self, dim, dtype=dtype)

    def log_softmax(self, dim, dtype=None):
        return later("activations").log_softmax(self, dim, dtype=dtype)

    def logsumexp(self, dim, keepdim=False):
        return later("activations").logsumexp(self, dim, keepdim)

    # In place
    def _writable(self):
        """The array, about to be changed: refused where autograd or another element could not follow."""
        if grad_mode.enabled and self._requires_grad and self._edge is None:
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
        if not self.array.flags.writeable:
            raise RuntimeError(
                "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
                "Please clone() the tensor before performing the operation."
            )
        if self._tracked:
            changed(self.array)
        return self.array

    def _become(self, result):
        """Take the values of `result`, and its place in the graph."""
        if result.shape != self.shape:
            raise RuntimeError(
                f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(result.shape)}"
            )
        if not can_cast(result.dtype, self.dtype):
            raise RuntimeError(
                f"result type {result.dtype} can't be cast to the desired output type {self.dtype}"
            )
        if result.requires_grad and self._base is not None:
            raise RuntimeError(
                "a view of a tensor that requires grad is being used in an in-place operation; change the tensor itself, "
                "by x[index] = value, or work on a clone()"
            )
        if result.requires_grad:
            result.grad_fn.keep(self.array)
        np.copyto(self._writable(), result.array, casting="unsafe")
        if result.requires_grad:
            self._edge = result.to(self.dtype)._edge
        return self

    add_, sub_, mul_, div_, pow_ = (
        inplace("add"),
        inplace("sub"),
        inplace("mul"),
        inplace("div"),
        inplace("pow"),
    )
    neg_, abs_, exp_, log_, sqrt_ = (
        inplace("neg"),
        inplace("abs"),
        inplace("exp"),
        inplace("log"),
        inplace("sqrt"),
    )
    sin_, cos_, floor_, ceil_, round_ = (
        inplace("sin"),
        inplace("cos"),
        inplace("floor"),
        inplace("ceil"),
        inplace("round"),
    )
    clamp_, clip_, lerp_, square_ = inplace("clamp"), inplace("clamp"), inplace("lerp"), inplace("square")
    addcmul_, addcdiv_, reciprocal_ = inplace("addcmul"), inplace("addcdiv"), inplace("reciprocal")
    masked_fill_, scatter_, scatter_add_ = inplace("masked_fill"), inplace("scatter"), inplace("scatter_add")
    index_add_, tril_, triu_ = inplace("index_add"), inplace("tril"), inplace("triu")
    relu_, sigmoid_, tanh_ = inplace("relu"), inplace("sigmoid"), inplace("tanh")
    __iadd__, __isub__, __imul__, __itruediv__, __ipow__ = add_, sub_, mul_, div_, pow_

    def copy_(self, src, non_blocking=False):
        return self._become(Copy.apply(self, src))

    def fill_(self, value):
        value = value if isinstance(value, Tensor) else tensor(value)
        if value.ndim:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions."
            )
        return self.copy_(value)

    def zero_(self):
        return self.fill_(0)

    def uniform_(self, from_=0.0, to=1.0, *, generator=None, **bounds):
        return self._draw(
            generator, "uniform", low=bounds.pop("from", from_), high=to, dtype=self.array.dtype
        )

    def normal_(self, mean=0.0, std=1.0, *, generator=None):
        return self._draw(generator, "normal", mean=mean, std=std, dtype=self.array.dtype)

    def exponential_(self, lambd=1.0, *, generator=None):
        return self._draw(generator, "exponential", lambd=lambd, dtype=self.array.dtype)

    def random_(self, from_=0, to=None, *, generator=None):
        kind = self.array.dtype
        largest = 2 ** (np.finfo(kind).nmant + 1) if kind.kind == "f" else np.iinfo(kind).max
        return self._draw(generator, "integers", low=from_, high=largest + 1 if to is None else to)

    def bernoulli_(self, p=0.5, *, generator=None):
        if isinstance(p, Tensor):
            return self.copy_(bernoulli(p.expand(self.shape), generator=generator))
        return self._draw(generator, "bernoulli", p=p)

    def _draw(self, generator, distribution, **options):
        """Fill with random numbers, which lie in memory in the order in which they are drawn."""
        draw = getattr(generator or default_generator, distribution)
        values = np.empty_like(self.array)
        values.ravel(order="K")[:] = draw(size=(values.size,), **options)
        return self.copy_(wrap(values))


# %%
#| export
return_types = type("return_types", (), {
    name: namedtuple(name, ["values", "indices"]) for name in ("max", "min", "sort", "topk")
})  # fmt: skip


def array_of(x):
    """The array of a Tensor; anything else as it is."""
    return x.array if isinstance(x, Tensor) else x


def truth(array, x):
    """What `all` and `any` of `x` found: a boolean, or for uint8, as PyTorch has it, a uint8."""
    return wrap(array.astype(x.array.dtype) if x.dtype == uint8 else array)


def _rebuild(kind, array, requires_grad):
    """A leaf tensor from its parts, for pickle and deepcopy."""
    result = object.__new__(kind)
    result.array, result._requires_grad = array, requires_grad
    return result


def sizes(args):
    """The shape in `f(2, 3)` and in `f((2, 3))` alike: a tuple of ints."""
    args = args[0] if len(args) == 1 and not isinstance(args[0], (int, Tensor, np.integer)) else args
    return tuple([operator.index(n) for n in args])


def axis_of(dim, ndim):
    """`dim` counted from the front; IndexError if there is no such dimension. A 0-d tensor counts as having one."""
    n = max(ndim, 1)
    if not isinstance(dim, int):
        dim = operator.index(dim)
    if not -n <= dim < n:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})"
        )
    return dim % n


def axes_of(dim, ndim):
    """The `axis` that NumPy wants: None for all, an int or a tuple of ints for some."""
    if dim is None or dim == () or dim == []:
        return None
    if isinstance(dim, (tuple, list)):
        axes = tuple([axis_of(d, ndim) for d in dim])
        if len(set(axes)) != len(axes):
            raise RuntimeError(
                f"dim {next(a for a in axes if axes.count(a) > 1)} appears multiple times in the list of dims"
            )
        return axes if ndim else None
    axis = axis_of(dim, ndim)
    return axis if ndim else None


def index_arrays(index):
    """An index with its Tensors and lists as NumPy arrays, checked for what PyTorch refuses."""
    if isinstance(index, tuple):
        return tuple([index_arrays(i) for i in index])
    if isinstance(index, Tensor):
        if index.array.dtype.kind == "f":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return index.array
    if isinstance(index, slice) and index.step is not None and index.step < 1:
        raise ValueError("step must be greater than zero")
    if isinstance(index, str):
        raise TypeError(
            "only integers, slices (`:`), ellipsis (`...`), None and tensors are valid indices (got str)"
        )
    return (
        np.asarray(index, dtype=None if len(index) else np.int64)
        if isinstance(index, (list, range))
        else index
    )


def is_basic(index):
    """Whether an index has no arrays in it, so that what it picks is a view."""
    return not any(
        isinstance(i, (np.ndarray, bool)) for i in (index if isinstance(index, tuple) else (index,))
    )


def put(x, index, value):
    """x[index] = value; RuntimeError if the value's shape does not fit."""
    try:
        x[index] = value
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value of shape {list(np.shape(value))} cannot be broadcast to indexing result of shape "
            f"{list(x[index].shape)}"
        ) from None


def floating(x):
    """`x` itself, or as the default floating point type if it holds integers or booleans."""
    return x if x.array.dtype.kind == "f" else x.to(_default["dtype"])


# %% [markdown]
# ### Types


# %%
#| export
def promote_types(type1, type2):
    """The smallest type that holds both, where any floating point type holds every integer."""
    a, b = type1.numpy, type2.numpy
    if (a.kind == "f") != (b.kind == "f"):
        return type1 if a.kind == "f" else type2
    return _dtypes[np.promote_types(a, b)]


def result_type(tensor1, tensor2):
    """The type of an operation on two operands: numbers and 0-d tensors count only by their kind."""
    result = None
    ranked = sorted((tensor1, tensor2), key=lambda x: 2 - (x.ndim > 0) if isinstance(x, Tensor) else 3)
    levels = {}
    for x in ranked:
        level = 2 - (x.ndim > 0) if isinstance(x, Tensor) else 3
        d = x.dtype if isinstance(x, Tensor) else number_type(x)
        levels[level] = promote_types(levels[level], d) if level in levels else d
    for d in levels.values():
        if result is None or kind_rank(d) > kind_rank(result):
            result = d if result is None else promote_types(result, d)
    return result


def number_type(number):
    """The type that a Python number becomes."""
    return (
        bool_
        if isinstance(number, (bool, np.bool_))
        else int64
        if isinstance(number, (int, np.integer))
        else _default["dtype"]
    )


def kind_rank(d):
    """0 for booleans, 1 for integers, 2 for floating point."""
    return {"b": 0, "i": 1, "u": 1, "f": 2}[d.numpy.kind]


OPERANDS = (Tensor, int, float, np.generic, np.ndarray)


def can_cast(from_, to):
    """Whether an in-place operation may put a result of the first type into a tensor of the second: no kind is lost.

    >>> can_cast(int64, float32), can_cast(float32, int64)
    (True, False)
    """
    return kind_rank(from_) <= kind_rank(to)


def promote(x, y, floating=False):
    """Two operands in the type that PyTorch computes in, once their shapes are known to go together.

    A cast is an operation, so gradients pass through it. Python numbers beside floating point tensors stay numbers,
    because NumPy too lets them take the array's type. With `floating`, integers become the default floating point
    type, as in a division.
    """
    if isinstance(x, Tensor):
        a = x.array
        if isinstance(y, Tensor):
            b = y.array
            if a.shape != b.shape:
                broadcast_shapes(a.shape, b.shape)
            if a.dtype == b.dtype and (a.dtype.kind == "f" or not floating):
                return x, y
        elif type(y) in (int, float) and a.dtype.kind == "f":
            return x, y
    for operand in (x, y):
        if not isinstance(operand, OPERANDS):
            raise TypeError(f"unsupported operand type(s): 'Tensor' and '{type(operand).__name__}'")
    x, y = [tensor(operand) if isinstance(operand, np.ndarray) else operand for operand in (x, y)]
    d = result_type(x, y)
    if floating and not d.is_floating_point:
        d = _default["dtype"]
    return tuple([o.to(d) if isinstance(o, Tensor) else np.asarray(o).astype(d.numpy) for o in (x, y)])


def pointwise(ufunc, *operands):
    """A NumPy function of whole numbers or booleans, which has no gradient, on one operand or two."""
    operands = promote(*operands) if len(operands) == 2 else operands
    return wrap(ufunc(*map(array_of, operands)))


def bitwise(ufunc, *operands):
    """The same on bits, which only integers and booleans have."""
    if any(isinstance(x, float) or isinstance(x, Tensor) and x.is_floating_point() for x in operands):
        error = TypeError if len(operands) == 1 else NotImplementedError
        raise error(f"{ufunc.__name__} is only implemented on integer and Boolean-type tensors")
    return pointwise(ufunc, *operands)


def promote_to(x, y):
    """`y` in the type of `x`, for operations that write y into a copy of x."""
    return (y.to(x.dtype) if isinstance(y, Tensor) else y,)


class Cast(Function):
    @staticmethod
    def forward(ctx, x, dtype):
        ctx.dtype = x.dtype
        return x.astype(dtype)


class Copy(Function):
    """What x.copy_(source) leaves: the source in the shape and type of x, whose own values no longer count."""

    @staticmethod
    def forward(ctx, x, source):
        ctx.shape, ctx.dtype = source.shape, source.dtype
        output = np.empty_like(x)
        put(output, ..., source)
        return output


class Clone(Function):
    @staticmethod
    def forward(ctx, x, order="K"):
        return x.copy(order)


# %% [markdown]
# ### Broadcasting


# %% stub="broadcast-shapes"
#| export
def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes have together.

    >>> broadcast_shapes((3, 1), (4,))
    torch.Size([3, 4])
    """
    ### BEGIN SOLUTION
    ndim = max([len(shape) for shape in shapes], default=0)
    result = [1] * ndim
    for shape in shapes:
        for dim, n in enumerate(shape, start=ndim - len(shape)):
            if n != 1 and result[dim] not in (1, n):
                raise RuntimeError(
                    f"The size of tensor a ({result[dim]}) must match the size of tensor b ({n}) "
                    f"at non-singleton dimension {dim}"
                )
            result[dim] = n if n != 1 else result[dim]
    return Size(result)
    ### END SOLUTION


# %% [markdown]
# ### Arithmetic


# %% stub="mul"
#| export
class Mul(Function):
    @staticmethod
    def forward(ctx, x, y):
        ### BEGIN SOLUTION
        ctx.save_for_backward(x, y)
        return x * y
        ### END SOLUTION


# %% stub="div"
#| export
class Div(Function):
    @staticmethod
    def forward(ctx, x, y):
        ### BEGIN SOLUTION
        ctx.save_for_backward(x, y)
        return x / y
        ### END SOLUTION


# %%
#| export
class Add(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = np.shape(x), np.shape(y)
        return x + y


class Sub(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = np.shape(x), np.shape(y)
        if getattr(x, "dtype", None) == bool and getattr(y, "dtype", None) == bool:
            raise RuntimeError(
                "Subtraction, the `-` operator, with two bool tensors is not supported. "
                "Use the `^` or `logical_xor()` operator instead."
            )
        return x - y


class Neg(Function):
    @staticmethod
    def forward(ctx, x):
        if x.dtype == bool:
            raise RuntimeError(
                "Negation, the `-` operator, on a bool tensor is not supported. Use the `~` operator instead."
            )
        return -x


class Pow(Function):
    @staticmethod
    def forward(ctx, x, y):
        output = power(x, y)
        ctx.save_for_backward(x, y, output)
        return output


def power(x, y):
    """x ** y by products where y is a small number, because a general power is some sixty times slower."""
    if isinstance(y, (int, float)):
        if y in (1, 2, 3):
            return x.copy() if y == 1 else x * x if y == 2 else x * x * x
        if y in (0.5, -1):
            return np.sqrt(x) if y == 0.5 else 1 / x
    elif np.ndim(y) == 0 and y.dtype.kind == "i" and y < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return x**y


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        output = np.exp(x)
        ctx.save_for_backward(output)
        return output


class Expm1(Function):
    @staticmethod
    def forward(ctx, x):
        output = np.expm1(x)
        ctx.save_for_backward(output)
        return output


class Log(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.log(x)


class Log1p(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.log1p(x)


class Sqrt(Function):
    @staticmethod
    def forward(ctx, x):
        output = np.sqrt(x)
        ctx.save_for_backward(output)
        return output


class Abs(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.abs(x)


class Sin(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.sin(x)


class Cos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.cos(x)


class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x, low, high)
        return np.clip(x, low, high)


class Maximum(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return np.maximum(x, y)


class Minimum(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return np.minimum(x, y)


class FloorDivide(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = np.shape(x), np.shape(y)
        check_divisor(x, y)
        return x // y


class TruncDivide(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = np.shape(x), np.shape(y)
        check_divisor(x, y)
        return np.trunc(x / y).astype(np.result_type(x, y))


def check_divisor(x, y):
    """RuntimeError where an integer is divided by zero: there is no integer infinity to return."""
    if getattr(x, "dtype", y).kind in "iu" and not np.all(y):
        raise RuntimeError("ZeroDivisionError")


class Remainder(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        check_divisor(x, y)
        return x % y


class Floor(Function):
    forward = staticmethod(lambda ctx, x: np.floor(x))


class Ceil(Function):
    forward = staticmethod(lambda ctx, x: np.ceil(x))


class Round(Function):
    forward = staticmethod(lambda ctx, x, decimals: np.round(x, decimals))


class Trunc(Function):
    forward = staticmethod(lambda ctx, x: np.trunc(x))


class Sign(Function):
    forward = staticmethod(lambda ctx, x: (x > 0).astype(x.dtype) - (x < 0))  # 0 for NaN


# %% [markdown]
# ### Reductions


# %% stub="sum"
#| export
class Sum(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        ### BEGIN SOLUTION
        ctx.shape, ctx.axis, ctx.keepdim = x.shape, axes_of(dim, x.ndim), keepdim
        return x.sum(axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None)
        ### END SOLUTION


# %%
#| export
class Mean(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        if x.dtype.kind != "f":
            raise RuntimeError(
                "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
                f"Got: {_dtypes[x.dtype]}"
            )
        ctx.shape, ctx.axis, ctx.keepdim = x.shape, axes_of(dim, x.ndim), keepdim
        ctx.count = count_along(x.shape, ctx.axis)
        return x.sum(axis=ctx.axis, keepdims=keepdim) / ctx.count


def count_along(shape, axis):
    """How many elements a reduction over `axis` takes together."""
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod([shape[a] for a in axes])


# %% stub="var"
#| export
class Var(Function):
    @staticmethod
    def forward(ctx, x, dim=None, correction=1, keepdim=False):
        ### BEGIN SOLUTION
        check_floating(x)
        ctx.axis, ctx.keepdim = axes_of(dim, x.ndim), keepdim
        count = count_along(x.shape, ctx.axis)
        ctx.divisor = max(count - correction, 0)
        ctx.save_for_backward(x)
        deviation = x - x.sum(axis=ctx.axis, keepdims=True) / count
        return (deviation * deviation).sum(axis=ctx.axis, keepdims=keepdim) / ctx.divisor
        ### END SOLUTION


# %%
#| export
class Std(Function):
    @staticmethod
    def forward(ctx, x, dim=None, correction=1, keepdim=False):
        output = np.sqrt(Var.forward(ctx, x, dim, correction, keepdim))
        ctx.save_for_backward(x, output)
        return output


def check_floating(x):
    """RuntimeError for the variance of integers."""
    if x.dtype.kind != "f":
        raise RuntimeError("std and var only support floating point and complex dtypes")


# %% stub="max"
#| export
class Max(Function):
    @staticmethod
    def forward(ctx, x, dim, keepdim=False):
        ### BEGIN SOLUTION
        ctx.shape, ctx.axis, ctx.keepdim = x.shape, axes_of(dim, x.ndim), keepdim
        check_not_empty(x, ctx.axis, "max")
        indices = np.asarray(x.argmax(axis=ctx.axis, keepdims=keepdim))
        ctx.save_for_backward(indices)
        return x.max(axis=ctx.axis, keepdims=keepdim), indices
        ### END SOLUTION


# %%
#| export
class Min(Function):
    @staticmethod
    def forward(ctx, x, dim, keepdim=False):
        ctx.shape, ctx.axis, ctx.keepdim = x.shape, axes_of(dim, x.ndim), keepdim
        check_not_empty(x, ctx.axis, "min")
        indices = np.asarray(x.argmin(axis=ctx.axis, keepdims=keepdim))
        ctx.save_for_backward(indices)
        return x.min(axis=ctx.axis, keepdims=keepdim), indices


class Amax(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        ctx.axis, ctx.keepdim = axes_of(dim, x.ndim), keepdim
        check_not_empty(x, ctx.axis, "max")
        output = x.max(axis=ctx.axis, keepdims=keepdim)
        ctx.save_for_backward(x)
        return output


class Amin(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        ctx.axis, ctx.keepdim = axes_of(dim, x.ndim), keepdim
        check_not_empty(x, ctx.axis, "min")
        output = x.min(axis=ctx.axis, keepdims=keepdim)
        ctx.save_for_backward(x)
        return output


def check_not_empty(x, axis, name):
    """Refuse the extreme of no elements at all."""
    if x.size == 0 and count_along(x.shape, axis) == 0:
        if axis is not None:
            raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
        error = IndexError if name in ("argmax", "argmin") else RuntimeError
        raise error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")


class Argmax(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        check_not_empty(x, axes_of(dim, x.ndim), "argmax")
        return np.asarray(x.argmax(axis=axes_of(dim, x.ndim), keepdims=keepdim))


class Argmin(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        check_not_empty(x, axes_of(dim, x.ndim), "argmin")
        return np.asarray(x.argmin(axis=axes_of(dim, x.ndim), keepdims=keepdim))


class Prod(Function):
    @staticmethod
    def forward(ctx, x, dim=None, keepdim=False):
        ctx.axis, ctx.keepdim = axes_of(dim, x.ndim), keepdim
        ctx.save_for_backward(x)
        return x.prod(axis=ctx.axis, keepdims=keepdim, dtype=np.int64 if x.dtype.kind in "bui" else None)


class CumSum(Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.axis = axis_of(dim, x.ndim)
        return x.cumsum(axis=ctx.axis, dtype=np.int64 if x.dtype.kind in "bui" else None).reshape(x.shape)


class Sort(Function):
    @staticmethod
    def forward(ctx, x, dim=-1, descending=False):
        ctx.axis, ctx.shape = axis_of(dim, x.ndim), x.shape
        x = x.reshape(x.shape or 1)
        if descending:  # reversed before and after, so that equal elements keep their order
            indices = (
                x.shape[ctx.axis]
                - 1
                - np.flip(np.flip(x, ctx.axis).argsort(ctx.axis, kind="stable"), ctx.axis)
            )
        else:
            indices = x.argsort(ctx.axis, kind="stable")
        ctx.save_for_backward(indices.reshape(ctx.shape))
        return np.take_along_axis(x, indices, ctx.axis).reshape(ctx.shape), indices.reshape(ctx.shape)


class TopK(Function):
    @staticmethod
    def forward(ctx, x, k, dim=-1, largest=True):
        ctx.axis, ctx.shape = axis_of(dim, x.ndim), x.shape
        if not 0 <= k <= (x.shape or (1,))[ctx.axis]:
            raise RuntimeError("selected index k out of range")
        values, indices = Sort.forward(Context(), x, dim, largest)
        first = (slice(None),) * ctx.axis + (slice(k),) if x.ndim else ...
        ctx.save_for_backward(indices[first])
        return values[first], indices[first]


# %% [markdown]
# ### Views


# %% stub="contiguous-strides"
#| export
def contiguous_strides(shape):
    """The strides, in elements, of a tensor of this shape whose rows lie one after the other.

    >>> contiguous_strides((2, 3, 4))
    (12, 4, 1)
    """
    ### BEGIN SOLUTION
    strides, step = [], 1
    for n in reversed(shape):
        strides.insert(0, step)
        step *= max(n, 1)
    return tuple(strides)
    ### END SOLUTION


# %% stub="infer-shape"
#| export
def infer_shape(numel, shape):
    """The shape asked for, with -1 replaced by what is left."""
    ### BEGIN SOLUTION
    shape = tuple(shape)
    known = math.prod([n for n in shape if n != -1])
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if any(n < -1 for n in shape):
        raise RuntimeError(f"invalid shape dimension {min(shape)}")
    if -1 in shape and known == 0 and numel == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 can be "
            "any value and is ambiguous"
        )
    if known != numel and (-1 not in shape or known == 0 or numel % known):
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return tuple(numel // known if n == -1 else n for n in shape)
    ### END SOLUTION


# %% stub="is-viewable"
#| export
def is_viewable(array, shape):
    """Whether an array can have this shape without moving an element."""
    ### BEGIN SOLUTION
    try:
        array.view().shape = shape
    except AttributeError:
        return False
    return True
    ### END SOLUTION


# %%
#| export
class Reshape(View):
    @staticmethod
    def forward(ctx, x, shape):
        ctx.shape = x.shape
        return x.reshape(shape)


class Permute(View):
    @staticmethod
    def forward(ctx, x, dims):
        if len(dims) != x.ndim:
            raise RuntimeError(
                f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
                f"ordering of dimensions i.e. input.dim() = {x.ndim} is not equal to len(dims) = {len(dims)}"
            )
        ctx.dims = [axis_of(d, x.ndim) for d in dims]
        if len(set(ctx.dims)) != x.ndim:
            raise RuntimeError("permute(): duplicate dims are not allowed.")
        return x.transpose(ctx.dims)


class Expand(View):
    @staticmethod
    def forward(ctx, x, shape):
        ctx.shape = x.shape
        if len(shape) < x.ndim:
            raise RuntimeError(
                f"expand(: the number of sizes provided ({len(shape)}) must be greater or equal to the number of dimensions "
                f"in the tensor ({x.ndim})"
            )
        old = (1,) * (len(shape) - x.ndim) + x.shape
        for dim, (n, wanted) in enumerate(zip(old, shape)):
            if (
                wanted != n
                and not (n == 1 and wanted >= 0)
                and not (wanted == -1 and dim >= len(shape) - x.ndim)
            ):
                raise RuntimeError(
                    f"The expanded size of the tensor ({wanted}) must match the existing size ({n}) at non-singleton "
                    f"dimension {dim}.  Target sizes: {list(shape)}.  Tensor sizes: {list(x.shape)}"
                )
        return np.broadcast_to(x, [n if wanted == -1 else wanted for n, wanted in zip(old, shape)])


class Diagonal(View):
    @staticmethod
    def forward(ctx, x, offset, dim1, dim2):
        ctx.shape, ctx.options = x.shape, (offset, dim1, dim2)
        return np.lib.stride_tricks.as_strided(
            d := x.diagonal(offset, dim1, dim2), writeable=x.flags.writeable, shape=d.shape, strides=d.strides
        )


class Flip(Function):
    @staticmethod
    def forward(ctx, x, dims):
        ctx.dims = dims
        return np.flip(x, dims).copy()


class Roll(Function):
    @staticmethod
    def forward(ctx, x, shifts, dims):
        ctx.shifts, ctx.dims = shifts, dims
        return np.roll(x, shifts, dims)


class Tril(Function):
    @staticmethod
    def forward(ctx, x, diagonal):
        check_matrix(x, "tril")
        ctx.diagonal = diagonal
        return np.tril(x, diagonal)


def check_matrix(x, name):
    """RuntimeError for the triangle of what has no rows and columns."""
    if x.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


class Triu(Function):
    @staticmethod
    def forward(ctx, x, diagonal):
        check_matrix(x, "triu")
        ctx.diagonal = diagonal
        return np.triu(x, diagonal)


# %% [markdown]
# ### Elements


# %% stub="index"
#| export
class Index(View):
    @staticmethod
    def forward(ctx, x, index):
        ### BEGIN SOLUTION
        ctx.shape, ctx.index = x.shape, index
        return x[index]
        ### END SOLUTION


# %%
#| export
class IndexPut(Function):
    @staticmethod
    def forward(ctx, x, value, index):
        ctx.shape, ctx.index = value.shape, index
        output = x.copy()
        put(output, index, value)
        return output


def along(index, shape, dim):
    """The NumPy index that picks `index` along `dim` and its own position along every other dimension."""
    positions = list(np.ogrid[tuple(map(slice, index.shape))]) or [0]
    positions[axis_of(dim, len(shape))] = index
    return tuple(positions)


def check_gather(x, index, dim):
    """Refuse an index that does not fit: not int64, of another number of dimensions, or out of range along `dim`."""
    dim = axis_of(dim, x.ndim)
    if index.dtype != np.int64:
        raise RuntimeError("gather(): Expected dtype int64 for index")
    if max(index.ndim, 1) != max(x.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    if any(n > m for d, (n, m) in enumerate(zip(index.shape, x.shape)) if d != dim):
        raise RuntimeError(
            f"Size does not match at dimension {dim} expected index {list(index.shape)} to be no larger than self {list(x.shape)} apart from dimension {dim}"
        )
    size = x.shape[dim] if x.ndim else 1
    if index.size and not 0 <= index.min() <= index.max() < size:
        bad = index[(index < 0) | (index >= size)].flat[0]
        raise RuntimeError(f"index {bad} is out of bounds for dimension {dim} with size {size}")


# %% stub="gather"
#| export
class Gather(Function):
    @staticmethod
    def forward(ctx, x, index, dim):
        ### BEGIN SOLUTION
        check_gather(x, index, dim)
        ctx.shape, ctx.dim = x.shape, dim
        ctx.save_for_backward(index)
        return np.atleast_1d(x)[along(index, x.shape, dim)].reshape(index.shape)
        ### END SOLUTION


# %%
#| export
class Scatter(Function):
    @staticmethod
    def forward(ctx, x, index, src, dim):
        check_gather(x, index, dim)
        ctx.dim, ctx.src_shape = dim, np.shape(src)
        ctx.save_for_backward(index)
        output = np.atleast_1d(x).copy()
        output[along(index, x.shape, dim)] = src if np.ndim(src) == 0 else src[tuple(map(slice, index.shape))]
        return output.reshape(x.shape)


class ScatterAdd(Function):
    @staticmethod
    def forward(ctx, x, index, src, dim):
        check_gather(x, index, dim)
        ctx.dim, ctx.src_shape = dim, src.shape
        ctx.save_for_backward(index)
        output = np.atleast_1d(x).copy()
        np.add.at(output, along(index, x.shape, dim), src[tuple(map(slice, index.shape))])
        return output.reshape(x.shape)


class MaskedFill(Function):
    @staticmethod
    def forward(ctx, x, mask, value):
        if mask.dtype != bool:
            raise RuntimeError(
                f"masked_fill_ only supports boolean masks, but got mask with dtype {_dtypes[mask.dtype]}"
            )
        if np.ndim(value):
            raise RuntimeError(
                f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {np.ndim(value)} dimension(s)."
            )
        ctx.save_for_backward(mask)
        ctx.shapes = x.shape, np.shape(value)
        output = np.broadcast_to(x, broadcast_shapes(x.shape, mask.shape)).copy()
        np.copyto(output, value, where=mask, casting="same_kind" if x.dtype.kind == "f" else "safe")
        return output


class Where(Function):
    @staticmethod
    def forward(ctx, condition, x, y):
        ctx.save_for_backward(condition)
        ctx.shapes = np.shape(x), np.shape(y)
        return np.where(condition, x, y)


def where(condition, input=None, other=None):
    """Elements of `input` where `condition` holds and of `other` elsewhere, all three broadcast together."""
    if input is None:
        return condition.nonzero(as_tuple=True)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = tensor(input)
    if not isinstance(input, Tensor):
        input = tensor(input, dtype=result_type(other, input))
    input, other = promote(input, other)
    broadcast_shapes(condition.shape, broadcast_shapes(np.shape(array_of(input)), np.shape(array_of(other))))
    return Where.apply(condition, input, other)


class Cat(Function):
    @staticmethod
    def forward(ctx, *arrays, dim):
        ctx.dim, ctx.sizes = dim, [a.shape[dim] for a in arrays]
        return np.concatenate(arrays, axis=dim)


def cat(tensors, dim=0):
    """Join tensors along a dimension that they have; all other dimensions must agree. 1-d empty ones are skipped."""
    tensors = list(tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    first = next((t.shape for t in tensors if t.shape != (0,)), (0,))
    dim = axis_of(dim, len(first))
    nothing = [*first[:dim], 0, *first[dim + 1 :]]
    tensors = [t.reshape(nothing) if t.shape == (0,) else t for t in tensors]
    for number, t in enumerate(tensors):
        if t.ndim == 0:
            raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
        if t.ndim != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {t.ndim}")
        if any(a != b for d, (a, b) in enumerate(zip(first, t.shape)) if d != dim):
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected {list(first)} but got {list(t.shape)} "
                f"for tensor number {number} in the list."
            )
    common = functools.reduce(promote_types, [t.dtype for t in tensors])
    return Cat.apply(*[t.to(common) for t in tensors], dim=dim)


def stack(tensors, dim=0):
    """Join tensors of one shape along a new dimension."""
    tensors = list(tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for number, t in enumerate(tensors):
        if t.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 and {list(t.shape)} "
                f"at entry {number}"
            )
    return cat([t.unsqueeze(dim) for t in tensors], axis_of(dim, tensors[0].ndim + 1))


# %% [markdown]
# ### Products


# %% stub="matmul-naive"
#| export
def matmul_naive(a, b):
    """The product of two matrices, number by number: c[i, j] = sum_k a[i, k] b[k, j]."""
    ### BEGIN SOLUTION
    rows, inner, columns = a.shape[0], a.shape[1], b.shape[1]
    c = np.zeros((rows, columns), a.dtype)
    for i in range(rows):
        for j in range(columns):
            for k in range(inner):
                c[i, j] += a[i, k] * b[k, j]
    return c
    ### END SOLUTION


# %% stub="matmul"
#| export
def as_matrix(x):
    """Array or Tensor (..., n) as a matrix whose rows are all those of its last dimension."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


class MatMul(Function):
    @staticmethod
    def forward(ctx, x, y):
        check_matmul(x, y)
        ### BEGIN SOLUTION
        ctx.save_for_backward(x, y)
        if x.ndim > 2 and y.ndim == 2:  # one large product is faster than a batch of small ones
            return (as_matrix(x) @ y).reshape(*x.shape[:-1], y.shape[-1])
        return x @ y
        ### END SOLUTION


# %%
#| export
def check_matmul(x, y):
    """Refuse, in PyTorch's words, two arrays that have no matrix product."""
    if x.dtype != y.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {_dtypes[x.dtype]} != {_dtypes[y.dtype]}"
        )
    if x.ndim == 0 or y.ndim == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {x.ndim}D and {y.ndim}D"
        )
    if x.shape[-1] != y.shape[-2 if y.ndim > 1 else 0]:
        if x.ndim == 1 and y.ndim == 1:
            raise RuntimeError(
                f"inconsistent tensor size, expected tensor [{x.shape[0]}] and src [{y.shape[0]}] to have the same number of "
                f"elements, but got {x.shape[0]} and {y.shape[0]} elements respectively"
            )
        a, b = (x.shape if x.ndim > 1 else (1, *x.shape)), (y.shape if y.ndim > 1 else (*y.shape, 1))
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({math.prod(a[:-1])}x{a[-1]} and {b[-2]}x{math.prod(b[:-2]) * b[-1]})"
            if min(x.ndim, y.ndim) < 3
            else f"Expected size for first two dimensions of batch2 tensor to be: {[a[0], a[-1]]} but got: {[b[0], b[-2]]}."
        )
    broadcast_shapes(x.shape[:-2], y.shape[:-2])


def matrix_product(x, y, ndims, name):
    """`mm`, `bmm`, `mv` and `dot`: matmul for operands of exactly these numbers of dimensions."""
    if (x.ndim, y.ndim) != ndims:
        raise RuntimeError(
            f"{name}: expected a {ndims[0]}D and a {ndims[1]}D tensor, but got {x.ndim}D and {y.ndim}D tensors"
        )
    if name == "bmm" and x.shape[0] != y.shape[0]:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {x.shape[0]} and {y.shape[0]}"
        )
    return MatMul.apply(x, y)


class Einsum(Function):
    @staticmethod
    def forward(ctx, *arrays, equation):
        ctx.save_for_backward(*arrays)
        ctx.equation = equation
        return np.einsum(equation, *arrays, optimize=True)


def einsum(equation, *operands):
    """The sum of products that the equation describes, as in `einsum("bij,bjk->bik", x, y)`."""
    operands = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    if not arrow:
        letters = inputs.replace(",", "").replace("...", "")
        output = ("..." if "..." in inputs else "") + "".join(
            sorted(c for c in set(letters) if letters.count(c) == 1)
        )
    try:
        return Einsum.apply(*operands, equation=f"{inputs}->{output}")
    except ValueError as error:
        raise RuntimeError(f"einsum(): {error}") from None


# %% [markdown]
# ### Random numbers

# %%
#| export
# What torch.Generator.get_state holds on the CPU: a state saved by either framework can be set in the other.
GENERATOR_STATE = np.dtype([
    ("seed", "u8"), ("left", "i4"), ("seeded", "i4"), ("next", "u8"), ("key", "u8", 624),
    ("unused", "f8"), ("sine", "f8"), ("unused_too", "f8"), ("has_sine", "i8"), ("float_sine", "u8"),
])  # fmt: skip


class Generator:
    """Draw the numbers that PyTorch's CPU generator draws from the same seed.

    Both start from the 32-bit words of the Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), which
    are NumPy's `RandomState(seed)`, whose stream is frozen. How words become numbers is PyTorch's choice
    (ATen/native/cpu/DistributionTemplates.h) and is repeated here: every method takes as many words from the
    stream as PyTorch takes, so that whole programs agree, not only the first call.

    Methods return NumPy arrays. `size` is a shape, `dtype` a NumPy floating-point type.

    >>> Generator().manual_seed(0).uniform((2,))
    array([0.49625659, 0.7682218 ], dtype=float32)
    """

    def __init__(self, device="cpu"):
        self.device = device
        self.manual_seed(67280421310721)

    def manual_seed(self, seed):
        """Start the stream again from `seed`, an int of at most 64 bits, and return the generator itself."""
        if type(seed) is not int:
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = seed % 2**64
        self._stream = np.random.RandomState(seed % 2**32)  # MT19937 is seeded with 32 bits
        self._sine = None  # the second half of the last small normal draw, kept for the next
        return self

    def seed(self):
        """Start again from a seed of the operating system's, and return that seed."""
        return self.manual_seed(secrets.randbits(53)).initial_seed()

    def initial_seed(self):
        """The seed that the stream was last started from."""
        return self._seed

    def get_state(self):
        """Everything the next draws depend on, as 5,056 bytes in PyTorch's layout."""
        _, key, position, *_ = self._stream.get_state()
        has_sine = self._sine is not None
        state = (self._seed, 625 - position, 1, position % 624, key, 0, self._sine or 0, 0, has_sine, 0)
        return wrap(np.array([state], GENERATOR_STATE).view(np.uint8))

    def set_state(self, state):
        """Go back to where `get_state` was called."""
        state = state.array
        if state.size != GENERATOR_STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {GENERATOR_STATE.itemsize} "
                f"but found the input RNG state size to be {state.size}"
            )
        state = np.frombuffer(state.tobytes(), GENERATOR_STATE)[0]
        if not state["seeded"]:
            raise RuntimeError("Invalid mt19937 state")
        self._seed = int(state["seed"])
        self._stream.set_state(("MT19937", state["key"], int(state["next"]) or 624))
        self._sine = float(state["sine"]) if state["has_sine"] else None
        return self

    def raw(self, size):
        """The next words of the stream, 32 random bits each, as uint32."""
        return self._stream.randint(2**32, size=size, dtype=np.uint32)

    def uniform(self, size, low=0.0, high=1.0, dtype=np.float32):
        """Numbers in [low, high): the low 24 bits of a word, or for float64 53 bits of two, as a fraction."""
        if not low <= high:
            raise RuntimeError(
                f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}"
            )
        dtype = np.dtype(dtype).type
        work, word, digits = (
            (np.float64, np.uint64, 53) if dtype is np.float64 else (np.float32, np.uint32, 24)
        )
        # Below a power of two, randint only masks the words. A uint64 is two of them, the first on top.
        bits = self._stream.randint(2**digits, size=size, dtype=word)
        values = bits.view(work)  # in the same memory
        values[...] = bits
        values *= 2.0**-digits
        if (low, high) != (0, 1):
            low, high = work(low), work(high)
            # C++ rounds low + (high - low) x once, in a fused multiply-add; float64 does it for float32.
            np.add(np.multiply(values, high - low, dtype=np.float64), low, out=values, casting="same_kind")
        values = values.astype(dtype, copy=False)
        values[values == dtype(high)] = low  # rounding can reach high, which is excluded
        return values

    def normal(self, size, mean=0.0, std=1.0, dtype=np.float32):
        """Normal numbers, by Box and Muller's transform (1958): sqrt(-2 ln u1) times cos and sin of 2 pi u2.

        PyTorch has a fast way for sixteen numbers and more, in blocks of sixteen, and a slow one in float64
        for fewer, which makes two at a time and keeps the second for the next call.
        """
        if std < 0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
        count = math.prod(size)
        if count < 16:
            values = [] if self._sine is None else [self._sine]
            while len(values) < count:
                u1, u2 = self.uniform((2,), dtype=np.float64).tolist()
                radius, angle = math.sqrt(-2 * math.log1p(-u2)), 2 * math.pi * u1
                values += [radius * math.cos(angle), radius * math.sin(angle)]
            self._sine = values.pop() if len(values) > count else None
            return (np.array(values) * std + mean).astype(dtype).reshape(size)
        work = np.float64 if dtype == np.float64 else np.float32
        whole = count // 16 * 16
        values = self.uniform((whole if dtype == np.float16 else count,), dtype=work)
        _box_muller(values[:whole])
        if count > whole:  # the last sixteen places are drawn again
            last = self.uniform((16,), dtype=work)
            _box_muller(last)
            values = np.concatenate([values[: count - 16], last])
        values *= std
        values += mean
        return values.astype(dtype, copy=False).reshape(size)

    def exponential(self, size, lambd=1.0, dtype=np.float32):
        """Exponential numbers of rate `lambd`: -ln(1 - u) / lambd, computed in float64."""
        if not lambd > 0:
            raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
        values = self.uniform(size, dtype=np.float64)
        np.log1p(np.negative(values, out=values), out=values)
        values *= -1 / lambd
        return values.astype(dtype, copy=False)

    def bernoulli(self, p, size=None):
        """True with probability `p`: a number, for which 53 bits are drawn, or an array, 53 or 24 as its dtype."""
        p = np.asarray(p)
        if not ((p >= 0) & (p <= 1)).all():
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
        work = np.float32 if p.dtype in (np.float16, np.float32) else np.float64
        return np.asarray(self.uniform(p.shape if size is None else size, dtype=work) < p)

    def integers(self, low, high, size):
        """Integers in [low, high), as int64: a word modulo the range, or two words if it is 2**28 or more."""
        if low >= high:
            raise RuntimeError(
                f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
            )
        wide = high - low >= 2**28
        words = self._stream.randint(2**64, size=size, dtype=np.uint64) if wide else self.raw(size)
        words %= words.dtype.type(high - low)
        values = words.astype(np.int64)
        values += low
        return values

    def permutation(self, n):
        """The integers below `n` in random order, as int64, by Fisher and Yates's n - 1 swaps."""
        steps = np.arange(max(n - 1, 0))
        partners = steps + self.raw(steps.shape) % (n - steps)
        order = np.arange(n)
        swap = memoryview(order)  # reads and writes single elements faster than the array does
        for i, j in enumerate(partners.tolist()):
            swap[i], swap[j] = swap[j], swap[i]
        return order

    def multinomial(self, p, count, replacement=False):
        """`count` indices for each row of `p`, an array (K,) or (N, K) of weights that need not sum to one.

        With replacement: search a uniform number in the cumulated weights. Without: the largest p / q for
        exponential q (Efraimidis and Spirakis, 2006).
        """
        if p.ndim not in (1, 2):
            raise RuntimeError("prob_dist must be 1 or 2 dim")
        if count <= 0:
            raise RuntimeError("cannot sample n_sample <= 0 samples")
        if count > p.shape[-1] and not replacement:
            raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
        if not (np.isfinite(p) & (p >= 0)).all():
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
        if (p.sum(axis=-1) == 0).any():
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
        if replacement and count > 1:
            cumulated = p.cumsum(axis=-1)
            cumulated /= cumulated[..., -1:]
            cumulated[..., -1] = 1
            u = self.uniform((*p.shape[:-1], count), dtype=np.float64)
            rows = zip(cumulated.reshape(-1, p.shape[-1]), u.reshape(-1, count), strict=True)
            return np.array([np.searchsorted(*row) for row in rows], np.int64).reshape(u.shape)
        ratio = p / self.exponential(p.shape, dtype=p.dtype)
        return ratio.argmax(axis=-1, keepdims=True) if count == 1 else (-ratio).argsort(axis=-1)[..., :count]


def _box_muller(values):
    """Turn each sixteen uniform numbers, eight u1 and eight u2, into sixteen normal ones, in place."""
    for blocks in np.array_split(
        values.reshape(-1, 2, 8), values.size // 2**16 + 1
    ):  # parts that fit the cache
        u1, u2 = blocks.swapaxes(0, 1)  # (blocks, 8) each
        radius, angle = np.sqrt(-2 * np.log(1 - u1)), 2 * math.pi * u2
        u1[:], u2[:] = radius * np.cos(angle), radius * np.sin(angle)


# %%
#| export
default_generator = Generator()


def manual_seed(seed):
    """Start the default generator again from `seed`, and return it."""
    return default_generator.manual_seed(seed)


def seed():
    """Start the default generator again from a seed of the operating system's, and return that seed."""
    return default_generator.seed()


def initial_seed():
    """The seed that the default generator was last started from."""
    return default_generator.initial_seed()


def get_rng_state():
    """Everything that the default generator's next draws depend on, as a uint8 Tensor."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Take the default generator back to where `get_rng_state` was called."""
    default_generator.set_state(new_state)


# %% [markdown]
# ### Printing

# %%
#| export
PRINT_DEFAULTS = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80}
PRINT_PROFILES = {"default": {}, "short": {"precision": 2, "edgeitems": 2}, "full": {"threshold": math.inf}}
print_options = SimpleNamespace(**PRINT_DEFAULTS, sci_mode=None)


def set_printoptions(
    precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None
):
    """Choose how tensors print; what is left out stays as it is, except `sci_mode`.

    Args:
        precision: digits after the point (at first 4).
        threshold: the number of elements above which a tensor is summarised (1000).
        edgeitems: how many elements a summary keeps at each end of a dimension (3).
        linewidth: characters in a line (80).
        profile: "default", "short" or "full" (never summarised), to start from.
        sci_mode: True for scientific notation, False for none, None to let the values decide.
    """
    if profile in PRINT_PROFILES:
        vars(print_options).update(PRINT_DEFAULTS | PRINT_PROFILES[profile])
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    vars(print_options).update({name: value for name, value in given.items() if value is not None})
    print_options.sci_mode = sci_mode


def tensor_repr(tensor):
    """Write a tensor as PyTorch does: its values, then what is not to be seen from them."""
    array = (tensor if tensor.device.type == "cpu" else tensor.cpu()).array
    edge = print_options.edgeitems
    cut = [array.size > print_options.threshold and length > 2 * edge for length in array.shape]
    kept = [np.r_[:edge, n - edge : n] if c else np.r_[:n] for n, c in zip(array.shape, cut, strict=True)]
    shown = array[np.ix_(*kept)] if any(cut) else array  # only the edges, however large the tensor is
    text = "tensor(" + ("[]" if array.size == 0 else _write(shown, cut, *_number_format(shown), indent=7))

    notes = []
    if tensor.device.type != "cpu":
        notes.append(f"device='{tensor.device}'")
    if array.ndim != 1 if array.size == 0 else edge == 0:
        notes.append(f"size={array.shape}")
    if array.dtype != np.float32 and (array.size == 0 or array.dtype not in (np.int64, np.bool_)):
        notes.append(f"dtype=torch.{array.dtype}")
    if tensor.grad_fn is not None:
        notes.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        notes.append("requires_grad=True")

    column = len(text) - text.rfind("\n") + 1
    for note in notes:
        column += len(note) + 2
        fits = column <= print_options.linewidth
        text += (", " if fits else ",\n" + " " * 7) + note
        column = column if fits else len(note) + 7
    return text + ")"


def _number_format(numbers):
    """One notation and width for all the numbers: a function from a number to its text, and the width."""
    values, write = numbers.ravel().tolist(), str
    if numbers.dtype.kind == "f":
        values = [value for value in values if value != 0 and math.isfinite(value)]
        whole = all(value.is_integer() for value in values)
        low, high = min(map(abs, values), default=1), max(map(abs, values), default=1)
        scientific = high / low > 1000 or high > 1e8 or low < 1e-4
        if values and print_options.sci_mode is not None:
            scientific = print_options.sci_mode
        digits = (
            f".{print_options.precision}e"
            if scientific
            else ".0f"
            if whole
            else f".{print_options.precision}f"
        )

        def write(value):
            return f"{value:{digits}}" + "." * (whole and not scientific and math.isfinite(value))

    width = max((len(write(value)) for value in values), default=1)
    return lambda value: write(value).rjust(width), width


def _write(array, cut, write, width, indent):
    """Write nested brackets, lines broken at the line width, with dots where a dimension was cut."""
    if array.ndim == 0:
        return write(array.item())
    if array.ndim == 1:
        items, dots = [write(value) for value in array.tolist()], " ..."
    else:
        items, dots = [_write(row, cut[1:], write, width, indent + 1) for row in array], "..."
    if cut[0]:
        items.insert(print_options.edgeitems, dots if items else "...")
    if array.ndim == 1:
        count = max(1, (print_options.linewidth - indent) // (width + 2))
        items = [", ".join(items[start : start + count]) for start in range(0, len(items), count)]
    return "[" + ("," + "\n" * max(1, array.ndim - 1) + " " * (indent + 1)).join(items) + "]"


# %% [markdown]
# ### Making tensors


# %% stub="new-dtype"
#| export
def infer_dtype(data):
    """The type of a new tensor made from `data`."""
    ### BEGIN SOLUTION
    if isinstance(data, (np.ndarray, np.generic)):
        return data.dtype
    array = np.asarray(data)
    return _default["dtype"].numpy if array.dtype.kind == "f" or array.size == 0 else array.dtype
    ### END SOLUTION


# %%
#| export
def tensor(data, *, dtype=None, device=None, requires_grad=False):
    """A new tensor with a copy of `data`: numbers, nested lists of them, an array, or a tensor."""
    if isinstance(data, Tensor):
        data = data.array
    elif isinstance(data, (list, tuple)) and any(isinstance(x, Tensor) for x in data):
        data = [x.tolist() if isinstance(x, Tensor) else x for x in data]
    kind = np.asarray(data).dtype.kind
    if kind not in "biuf":
        error = RuntimeError if kind == "O" else TypeError
        raise error(f"Could not infer dtype of {type(data).__name__}")
    result = wrap(np.array(data, dtype=infer_dtype(data) if dtype is None else dtype.numpy, order="C"))
    result.requires_grad = requires_grad
    return result if device is None else result.to(device)


def as_tensor(data, dtype=None, device=None):
    """A tensor of `data` that shares its memory where it can."""
    if isinstance(data, Tensor):
        result = data
    else:
        result = wrap(data) if isinstance(data, np.ndarray) else tensor(data, dtype=dtype)
    return result.to(dtype=dtype, device=device)


def from_numpy(ndarray):
    """A tensor that shares the array's memory."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    _dtype_of(ndarray.dtype)
    return wrap(ndarray)


def _made(array, device, requires_grad):
    """Finish a factory's tensor."""
    result = wrap(array) if device is None else wrap(array).to(device)
    if requires_grad:
        result.requires_grad = True
    return result


def new_shape(size):
    """The shape of a new tensor, from f(2, 3) or f((2, 3)); RuntimeError for a negative length."""
    shape = sizes(size)
    if any(n < 0 for n in shape):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}")
    return shape


def _numpy_type(dtype):
    return (dtype or _default["dtype"]).numpy


def empty(*size, dtype=None, device=None, requires_grad=False):
    """A tensor whose elements are whatever was in memory."""
    return _made(np.empty(new_shape(size), _numpy_type(dtype)), device, requires_grad)


def zeros(*size, dtype=None, device=None, requires_grad=False):
    """A tensor of zeros."""
    return _made(np.zeros(new_shape(size), _numpy_type(dtype)), device, requires_grad)


def ones(*size, dtype=None, device=None, requires_grad=False):
    """A tensor of ones."""
    return _made(np.ones(new_shape(size), _numpy_type(dtype)), device, requires_grad)


def full(size, fill_value, *, dtype=None, device=None, requires_grad=False):
    """A tensor of one value, in that value's type unless another is named."""
    dtype = dtype or (fill_value.dtype if isinstance(fill_value, Tensor) else number_type(fill_value))
    return _made(np.full(new_shape(tuple(size)), array_of(fill_value), dtype.numpy), device, requires_grad)


def arange(start, end=None, step=1, *, dtype=None, device=None, requires_grad=False):
    """start, start + step, ... up to but not including `end`; `arange(end)` counts from 0."""
    start, end = (0, start) if end is None else (start, end)
    start, end, step = (x.item() if isinstance(x, Tensor) else x for x in (start, end, step))
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is None and all(isinstance(x, int) for x in (start, end, step)):
        dtype = int64
    count = math.ceil((end - start) / step)
    return _made((start + np.arange(count) * step).astype(_numpy_type(dtype)), device, requires_grad)


def linspace(start, end, steps, *, dtype=None, device=None, requires_grad=False):
    """`steps` equally spaced numbers from `start` to `end`, both included."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    wanted = _numpy_type(dtype)
    kind = wanted.type if wanted.kind == "f" else np.float64
    step, i = kind((end - start) / max(steps - 1, 1)), np.arange(steps).astype(kind)
    forward, backward = (
        kind(start) + step * i,
        kind(end) - step * (steps - 1 - i),
    )  # each exact at its own end
    values = np.where(i < steps // 2 + (steps == 1), forward, backward)
    return _made(values.astype(wanted), device, requires_grad)


def eye(n, m=None, *, dtype=None, device=None, requires_grad=False):
    """The n x m matrix with ones on its diagonal."""
    return _made(np.eye(n, m, dtype=_numpy_type(dtype)), device, requires_grad)


def rand(*size, generator=None, dtype=None, device=None, requires_grad=False):
    """Numbers drawn evenly from [0, 1)."""
    draw = (generator or default_generator).uniform(new_shape(size), dtype=_numpy_type(dtype))
    return _made(draw, device, requires_grad)


def randn(*size, generator=None, dtype=None, device=None, requires_grad=False):
    """Numbers drawn from the normal distribution with mean 0 and variance 1."""
    draw = (generator or default_generator).normal(new_shape(size), dtype=_numpy_type(dtype))
    return _made(draw, device, requires_grad)


def randint(low, high=None, size=None, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Integers drawn evenly from `low` to `high` - 1; `randint(high, size)` counts from 0."""
    low, high, size = (0, low, high) if size is None else (low, high, size)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    draw = (generator or default_generator).integers(low, high, sizes((size,)))
    return _made(draw.astype((dtype or int64).numpy), device, requires_grad)


def randperm(n, *, generator=None, dtype=None, device=None, requires_grad=False):
    """The numbers 0 to n - 1 in random order."""
    if n < 0:
        raise RuntimeError(f"n must be non-negative, got {n}")
    return _made(
        (generator or default_generator).permutation(n).astype((dtype or int64).numpy), device, requires_grad
    )


def bernoulli(input, *, generator=None):
    """1 with the probability that the element of `input` says, else 0."""
    if input.numel() and not 0 <= input.array.min() <= input.array.max() <= 1:
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    return wrap(
        (generator or default_generator).bernoulli(input.array, input.shape).astype(input.array.dtype)
    )


def multinomial(input, num_samples, replacement=False, *, generator=None):
    """`num_samples` indices drawn from each row of weights, (K,) or (N, K), which need not sum to one."""
    if not input.is_floating_point():
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype}")
    return wrap((generator or default_generator).multinomial(input.array, num_samples, replacement))


def normal(mean, std, size=None, *, generator=None):
    """Normal numbers: of one mean and deviation in a shape, or of each element's own."""
    if size is not None:
        return wrap((generator or default_generator).normal(sizes((size,)), mean=mean, std=std))
    shape = broadcast_shapes(*[x.shape for x in (mean, std) if isinstance(x, Tensor)])
    return randn(shape, generator=generator) * std + mean


def zeros_like(input, *, dtype=None, device=None, requires_grad=False):
    """Zeros in the shape and type of `input`."""
    return zeros(input.shape, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad)


def ones_like(input, *, dtype=None, device=None, requires_grad=False):
    """Ones in the shape and type of `input`."""
    return ones(input.shape, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad)


def full_like(input, fill_value, *, dtype=None, device=None, requires_grad=False):
    """One value in the shape and type of `input`."""
    return full(
        input.shape, fill_value, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad
    )


def empty_like(input, *, dtype=None, device=None, requires_grad=False):
    """Uninitialised memory in the shape, type and layout of `input`."""
    array = np.empty_like(input.array, None if dtype is None else dtype.numpy)
    return _made(array, device, requires_grad)


def rand_like(input, *, dtype=None, device=None, requires_grad=False):
    """Uniform numbers in the shape and type of `input`."""
    return empty_like(input, dtype=dtype, device=device).uniform_().requires_grad_(requires_grad)


def randn_like(input, *, dtype=None, device=None, requires_grad=False):
    """Normal numbers in the shape and type of `input`."""
    return empty_like(input, dtype=dtype, device=device).normal_().requires_grad_(requires_grad)


def randint_like(input, low, high=None, *, dtype=None, device=None, requires_grad=False):
    """Random integers in the shape and type of `input`."""
    low, high = (0, low) if high is None else (low, high)
    return randint(
        low, high, input.shape, dtype=dtype or input.dtype, device=device, requires_grad=requires_grad
    )


def is_tensor(obj):
    """Whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)


def broadcast_tensors(*tensors):
    """The tensors, each expanded to the shape they have together."""
    shape = broadcast_shapes(*[t.shape for t in tensors])
    return tuple(t.expand(shape) for t in tensors)


def meshgrid(*tensors, indexing="ij"):
    """Coordinates of the grid that 1-d tensors span, one tensor a coordinate."""
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    return tuple(wrap(a) for a in np.meshgrid(*[t.array for t in tensors], indexing=indexing))


def finfo(type=None):
    """Limits of a floating point type: `eps`, `max`, `min`, `tiny`, `bits`."""
    info = np.finfo((type or _default["dtype"]).numpy)
    limits = {name: getattr(info, name).item() for name in ("eps", "max", "min", "tiny")}
    return SimpleNamespace(bits=info.bits, **limits)


def iinfo(type):
    """Limits of an integer type: `max`, `min`, `bits`."""
    return np.iinfo(type.numpy)


def __getattr__(name):
    """Every method of Tensor is a function too, torch.sum(x, 0) for x.sum(0); and every dtype has its names.

    Looked up here rather than defined, so that this module can go on using Python's own sum, max, int and bool.
    """
    if name in _names:
        return _names[name]
    if name.startswith("_") or not callable(getattr(Tensor, name, None)):
        raise AttributeError(f"module 'tinytorch.tensor' has no attribute '{name}'")

    def function(input, *args, **kwargs):
        if not isinstance(input, Tensor):
            numbers = isinstance(input, (int, float)) and args and isinstance(args[0], OPERANDS)
            if not numbers:
                raise TypeError(f"{name}(): argument 'input' must be Tensor, not {type(input).__name__}")
            input = tensor(input)
        return getattr(input, name)(*args, **kwargs)

    function.__name__, function.__doc__ = name, getattr(Tensor, name).__doc__
    return function
