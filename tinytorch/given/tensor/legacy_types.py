"""Types by their old names, as `FloatTensor` and "torch.LongTensor", and types that NumPy does not have.

Those, `bfloat16` among them, can be named and compared, and say so when they are used.
"""

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
    uint8,
    uint16,
    uint32,
    uint64,
    wrap,
)

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor",
    "IntTensor", "LongTensor", "ShortTensor", "bfloat16", "cdouble", "cfloat", "chalf", "complex32",
    "complex64", "complex128", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "float8_e8m0fnu", "set_default_tensor_type", "tensortype", "type_names", "typename",
]  # fmt: skip


class AbsentType(dtype):
    """A number type that NumPy does not have: using it raises NotImplementedError with a sentence."""

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
    is_signed = property(lambda self: self.numpy.kind not in "ub")


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
    int64: "Long", uint8: "Byte", bool_: "Bool", bfloat16: "BFloat16", uint16: "UInt16", uint32: "UInt32",
    uint64: "UInt64",
}  # fmt: skip
types = {f"{name}Tensor": tensortype(f"{name}Tensor", kind) for kind, name in type_names.items()}
HalfTensor, FloatTensor, DoubleTensor, CharTensor, ShortTensor, IntTensor, LongTensor = list(types.values())[
    :7
]
ByteTensor, BoolTensor, BFloat16Tensor = list(types.values())[7:10]


def dtype_named(kind):
    """The number type of a dtype, a type of tensors, or such a type's name."""
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


@methods_of(Tensor)
class Names:
    """Conversions by name."""

    def byte(self, *, memory_format=None):
        """Convert to uint8, dropping the fraction.

        >>> torch.tensor([1.5, 2.5]).byte()
        tensor([1, 2], dtype=torch.uint8)
        """
        return self.to(uint8, memory_format=memory_format)

    def new(self, *data, device=None):
        """Make a tensor of this type: uninitialised, of these sizes, or with a copy of a sequence.

        >>> torch.tensor([0.5]).new([1, 2])
        tensor([1., 2.])
        """
        return types[f"{type_names[self.dtype]}Tensor"](*data, device=device)

    def char(self, *, memory_format=None):
        """Convert to int8, dropping the fraction.

        >>> torch.tensor([1.5, -2.5]).char()
        tensor([ 1, -2], dtype=torch.int8)
        """
        return self.to(int8, memory_format=memory_format)

    def bfloat16(self, *, memory_format=None):
        """Refuse to convert to a type that NumPy does not have: NotImplementedError.

        >>> torch.tensor([1.0]).bfloat16()
        Traceback (most recent call last):
            ...
        NotImplementedError: tinytorch has no bfloat16, because NumPy has none: use float16 or float32
        """
        return self.to(bfloat16, memory_format=memory_format)

    def type(self, dtype=None, non_blocking=False):
        """Tell the name of the tensor's type; or convert to another: a dtype, `LongTensor`, or its name.

        >>> torch.tensor([1.5]).type()
        'torch.FloatTensor'
        >>> torch.tensor([1.5]).type(torch.int64)
        tensor([1])
        """
        if dtype is None:
            return f"torch.{type_names[self.dtype]}Tensor"
        return self.to(dtype_named(dtype))
