"""What programs ask of tensors beyond numbers: types by their old names, kinds of devices and of storage.

Most answers are the same for every tensor here, since all are dense, real, and on the processor. `bfloat16`
is a type that NumPy does not have: it can be named and compared, and says so when it is used.
"""

from importlib import import_module

from tinytorch.given import methods_of
from tinytorch.given.tensor.construction import array_for
from tinytorch.tensor import (
    Tensor,
    bool_,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    tensor,
    uint8,
    wrap,
)

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor",
    "IntTensor", "LongTensor", "ShortTensor", "bfloat16", "cdouble", "cfloat", "chalf", "complex32",
    "complex64", "complex128", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "float8_e8m0fnu", "get_default_device", "get_device", "is_complex", "is_conj", "is_neg", "is_nonzero",
    "is_same_size", "is_signed", "set_default_device", "set_default_tensor_type", "tensortype", "type_names",
    "typename",
]  # fmt: skip


# Types ----------------------------------------------------------------------------------------------------
class AbsentType(dtype):
    """A number type that NumPy does not have: NotImplementedError, in a sentence, wherever it is used."""

    def __init__(self, name, itemsize, is_complex=False):
        self.name, self.itemsize, self.is_complex = name, itemsize, is_complex
        self.is_floating_point = not is_complex

    @property
    def numpy(self):
        if self.is_complex:
            raise NotImplementedError(f"tinytorch leaves out complex numbers: there is no {self.name}")
        raise NotImplementedError(
            f"tinytorch has no {self.name}, because NumPy has none: use float16 or float32"
        )

    def __reduce__(self):
        return self.name


bfloat16 = AbsentType("bfloat16", 2)
complex32, complex64, complex128 = [AbsentType(f"complex{8 * n}", n, is_complex=True) for n in (4, 8, 16)]
chalf, cfloat, cdouble = complex32, complex64, complex128
float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu = [
    AbsentType(f"float8_{kind}", 1) for kind in ("e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0fnu")
]


@methods_of(dtype)
class Kinds:
    is_complex = False
    is_signed = property(lambda self: self not in (uint8, bool_))


class tensortype(type):
    """A number type and a device as a type of tensors: `FloatTensor(2, 3)`, `isinstance(x, FloatTensor)`."""

    is_sparse = False

    def __new__(cls, name, dtype, device="cpu"):
        module = "torch" if device == "cpu" else f"torch.{device}"
        return super().__new__(
            cls, name, (), {"__module__": module, "dtype": dtype, "is_cuda": device == "cuda"}
        )

    def __init__(cls, name, dtype, device="cpu"):
        super().__init__(name, (), {})

    def __instancecheck__(cls, value):
        return isinstance(value, Tensor) and value.dtype is cls.dtype and value.is_cuda == cls.is_cuda

    def __call__(cls, *data, device=None):
        """Uninitialised memory of these sizes, or a copy of a sequence; a tensor of the type as it is."""
        if cls.is_cuda:
            raise TypeError(
                f"type {cls.__module__}.{cls.__name__} not available. Torch not compiled with CUDA enabled."
            )
        if device is not None and str(device) != "cpu":
            raise RuntimeError(
                f"legacy constructor expects device type: cpu but device type: {device} was passed"
            )
        if len(data) == 1 and isinstance(data[0], Tensor):
            if data[0].dtype is not cls.dtype:
                raise TypeError(f"expected a tensor of {cls.dtype} (got one of {data[0].dtype})")
            return data[0].detach()
        return wrap(array_for(cls.dtype, data))


type_names = {
    float16: "Half", float32: "Float", float64: "Double", int8: "Char", int16: "Short", int32: "Int",
    int64: "Long", uint8: "Byte", bool_: "Bool", bfloat16: "BFloat16",
}  # fmt: skip
types = {f"{name}Tensor": tensortype(f"{name}Tensor", kind) for kind, name in type_names.items()}
HalfTensor, FloatTensor, DoubleTensor, CharTensor, ShortTensor, IntTensor, LongTensor = list(types.values())[
    :7
]
ByteTensor, BoolTensor, BFloat16Tensor = list(types.values())[7:]


def dtype_named(kind):
    """The number type that a dtype, a type of tensors, or such a type's name stands for."""
    if isinstance(kind, str):
        module, _, name = kind.rpartition(".")
        if module == "torch.cuda" and name in types:
            raise RuntimeError("Cannot initialize CUDA: kernels for a GPU come with module 17 (acceleration)")
        if module != "torch" or name not in types:
            raise ValueError(f"invalid type: '{kind}'")
        kind = types[name]
    if isinstance(kind, tensortype):
        if kind.is_cuda:
            raise RuntimeError("Cannot initialize CUDA: kernels for a GPU come with module 17 (acceleration)")
        return kind.dtype
    if isinstance(kind, type):
        if kind is Tensor:
            return get_default_dtype()
        raise ValueError(f"invalid type: '{kind.__name__}'")
    if not isinstance(kind, dtype):
        raise TypeError("dtype must be a type, str, or dtype object")
    return kind


def set_default_tensor_type(t, /):
    """Choose the type of new floating point tensors by a type of tensors or its name."""
    if not isinstance(t, tensortype | str):
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    set_default_dtype(dtype_named(t))


def typename(obj, /):
    """The name of a tensor's type, "torch.FloatTensor", or of an object's: "collections.OrderedDict"."""
    if isinstance(obj, Tensor):
        return obj.type()
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(named, "__module__", "") or ""
    return (
        named.__qualname__ if module in ("", "builtins", "__builtin__") else f"{module}.{named.__qualname__}"
    )


# Tensors --------------------------------------------------------------------------------------------------
@methods_of(Tensor)
class Answers:
    """What is the same for every tensor that there is."""

    name = None
    is_cpu = property(lambda self: self.device.type == "cpu")
    is_sparse = is_sparse_csr = is_quantized = is_nested = is_meta = is_mkldnn = False
    is_xpu = is_mps = is_xla = is_ipu = is_mtia = is_maia = is_vulkan = False
    is_complex = is_conj = is_neg = is_distributed = lambda self: False
    is_signed = lambda self: self.dtype.is_signed
    is_nonzero = lambda self: bool(self)
    conj = resolve_conj = resolve_neg = lambda self: self
    real = property(lambda self: self)
    ndimension = lambda self: self.ndim

    def is_pinned(self, device=None):
        """Whether the memory is page-locked: no."""
        return False

    def pin_memory(self, device=None):
        """Refuse to lock the memory for an accelerator that is not there."""
        raise RuntimeError("Cannot access accelerator device when none is available.")

    def get_device(self):
        """The number of the GPU that holds the tensor; -1 on the processor."""
        return -1 if self.device.index is None else self.device.index

    def is_same_size(self, other):
        """Whether another tensor has the same shape."""
        return self.shape == other.shape


@methods_of(Tensor)
class Names:
    """Conversions by name."""

    byte = lambda self, *, memory_format=None: self.to(uint8, memory_format=memory_format)
    new = lambda self, *data, device=None: types[f"{type_names[self.dtype]}Tensor"](*data, device=device)
    char = lambda self, *, memory_format=None: self.to(int8, memory_format=memory_format)
    bfloat16 = lambda self, *, memory_format=None: self.to(bfloat16, memory_format=memory_format)

    def type(self, dtype=None, non_blocking=False):
        """The name of the tensor's type; or the tensor in another: a dtype, `LongTensor`, or its name."""
        if dtype is None:
            return f"torch.{type_names[self.dtype]}Tensor"
        return self.to(dtype_named(dtype))


def checked(input, function, position=1):
    """`input`, if it is a tensor; TypeError otherwise."""
    if not isinstance(input, Tensor):
        kind, name = type(input).__name__, "other" if position > 1 else "input"
        raise TypeError(f"{function}(): argument '{name}' (position {position}) must be Tensor, not {kind}")
    return input


def is_complex(input):
    """Whether the numbers are complex: no."""
    return checked(input, "is_complex").is_complex()


def is_conj(input):
    """Whether the numbers are yet to be conjugated: no."""
    return checked(input, "is_conj").is_conj()


def is_neg(input):
    """Whether the numbers are yet to be negated: no."""
    return checked(input, "is_neg").is_neg()


def is_nonzero(input):
    """Whether the one element of a tensor is not zero."""
    return checked(input, "is_nonzero").is_nonzero()


def is_signed(input):
    """Whether the type has negative numbers."""
    return checked(input, "is_signed").is_signed()


def is_same_size(input, other):
    """Whether two tensors have the same shape."""
    return checked(input, "is_same_size").is_same_size(checked(other, "is_same_size", 2))


def get_device(input):
    """The number of the GPU that holds a tensor; -1 on the processor."""
    return checked(input, "get_device").get_device()


def get_default_device():
    """Where new tensors are made: on the processor."""
    return tensor(0).device


def set_default_device(device):
    """Choose where new tensors are made, which is the processor, or refuse."""
    if device is not None:
        tensor(0).to(device=device)


# What no lesson speaks of, a topic a file.
TOPICS = "aliases bits placing sequences exchange storages special_functions triangular"
for _topic in f"{TOPICS} in_place_names in_place_views".split():
    _module = import_module(f"tinytorch.given.tensor.{_topic}")
    globals().update({_name: getattr(_module, _name) for _name in _module.__all__})
    __all__ += _module.__all__
