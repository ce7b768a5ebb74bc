"""One type for two operands, by PyTorch's rules: made of `promote_types` and `broadcast_shapes`."""

import functools

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import is_array, narrowed, on_host, widened
from tinytorch.given.tensor.devices import backend, moved
from tinytorch.given.tensor.numpy_warnings import python_number
from tinytorch.given.tensor.recording import converted
from tinytorch.tensor import (
    Function,
    Tensor,
    bool_,
    broadcast_shapes,
    float16,
    float32,
    float64,
    get_default_dtype,
    grad_mode,
    int16,
    int32,
    int64,
    promote_types,
    wrap,
)

__all__ = [
    "OPERANDS",
    "Cast",
    "Move",
    "can_cast",
    "check_operands",
    "common_type",
    "floating",
    "in_common_type",
    "in_float32",
    "is_operand",
    "kind_rank",
    "number_type",
    "promote",
    "result_type",
]

OPERANDS = (Tensor, int, float, np.generic)


def check_operands(*operands):
    """TypeError for what an operation on tensors and numbers does not take."""
    for operand in operands:
        if not is_operand(operand):
            raise TypeError(f"unsupported operand type(s): 'Tensor' and '{type(operand).__name__}'")


def is_operand(x):
    """Whether x is a tensor, a number, or an array on a device; an array of NumPy's is none."""
    return isinstance(x, OPERANDS) or (is_array(x) and not isinstance(x, np.ndarray))


def promote(x, y, floating=False):
    """Two operands in the type that PyTorch computes in, once their shapes are known to go together.

    A cast is an operation, so gradients pass through it. Python numbers combined with floating point tensors
    stay numbers, because NumPy too lets them take the array's type. With `floating`, integers become the
    default floating point type, as in a division.
    """
    if isinstance(x, Tensor):
        a = x.array
        if isinstance(y, Tensor):
            b = y.array
            if a.shape != b.shape:
                broadcast_shapes(a.shape, b.shape)
            if a.dtype == b.dtype and (a.dtype.kind == "f" or not floating):
                return x, y
        else:
            y = python_number(y)
            if type(y) in (int, float) and a.dtype.kind == "f":
                return x, y
    check_operands(x, y)
    x, y = [wrap(operand) if is_array(operand) else operand for operand in (x, y)]  # on a device
    wanted = result_type(x, y)
    if floating and not wanted.is_floating_point:
        wanted = get_default_dtype()
    return tuple([in_common_type(operand, wanted) for operand in (x, y)])


def in_common_type(operand, wanted):
    """An operand in the type of the operation; a change of a tensor is found that was converted."""
    if not isinstance(operand, Tensor):
        return np.asarray(operand).astype(wanted.numpy)
    result = operand.to(wanted)
    if result is not operand and grad_mode.enabled and type(result.array) is np.ndarray:
        converted(result.array, operand.array)
    return result


def result_type(tensor1, tensor2):
    """Find the type of an operation on two operands: numbers and 0-d tensors count only by their kind.

    >>> result_type(tensor([1, 2]), 0.5), result_type(tensor([1.0]), tensor(1.0, dtype=float64))
    (torch.float32, torch.float32)
    """
    return common_type(tensor1, tensor2)


def common_type(*operands):
    """The type of an operation on any number of operands, as `result_type` finds it for two."""
    levels = {}  # tensors with dimensions, tensors without, numbers: each speaks only if it has a higher kind
    for x in operands:
        level = 2 - (x.ndim > 0) if isinstance(x, Tensor) else 3
        d = x.dtype if isinstance(x, Tensor) else number_type(x)
        levels[level] = promote_types(levels[level], d) if level in levels else d
    first, *others = [levels[level] for level in sorted(levels)]
    return functools.reduce(
        lambda d, e: promote_types(d, e) if kind_rank(e) > kind_rank(d) else d, others, first
    )


def can_cast(from_, to):
    """Decide whether an in-place operation may put a result of the first type into a tensor of the second.

    >>> can_cast(int64, float32), can_cast(float32, int64)
    (True, False)
    """
    return kind_rank(from_) <= kind_rank(to)


def kind_rank(d):
    """0 for booleans, 1 for integers, 2 for floating point."""
    return {"b": 0, "i": 1, "u": 1, "f": 2}[d.numpy.kind]


def number_type(number):
    """The type that a Python number becomes."""
    if isinstance(number, (bool, np.bool_)):
        return bool_
    return int64 if isinstance(number, (int, np.integer)) else get_default_dtype()


def floating(x):
    """`x` itself, or as the default floating point type if it holds integers or booleans."""
    return x if x.array.dtype.kind == "f" else x.to(get_default_dtype())


class Cast(Function):
    @staticmethod
    def forward(ctx, x, dtype, named="ToCopy"):
        ctx.dtype, ctx.named = x.dtype, named
        return x.astype(dtype, order="C") if on_host(x) and 0 in x.strides else x.astype(dtype)


def in_float32(operation, x, *others, **options):
    """Apply an operation, or call a function of tensors; of float16 in float32, rounded once at the end.

    So do PyTorch's kernels, because a sum of float16 numbers stops growing where they are too small for it,
    and is soon infinite.

    >>> in_float32(Sum, tensor([2048.0, 1.0, 1.0], dtype=float16))
    tensor(2050., dtype=torch.float16)
    """
    is_operation = isinstance(operation, type)
    apply = operation.apply if is_operation else operation
    if isinstance(x, Tensor) and x.array.dtype.char != "e":
        return apply(x, *others, **options)
    inputs = [x, *others]
    floats = [y for y in inputs if isinstance(y, Tensor) and y.array.dtype.kind == "f"]
    if {y.array.dtype.char for y in floats} != {"e"}:  # several types the operation may refuse
        return apply(*inputs, **options)
    if is_operation:
        return rounding_once(operation).apply(*inputs, **options)
    wide = [y.to(float32) if any(y is one for one in floats) else y for y in inputs]
    result = operation(*wide, **options)
    return tuple(map(rounded, result)) if isinstance(result, tuple) else rounded(result)


def rounded(x):
    """A float32 tensor as float16, whose gradient goes by the name of the operation that made it."""
    if x.array.dtype.char != "f":
        return x
    node = x.grad_fn
    result = Cast.apply(x, dtype=np.float16, named=node.name() if node else "ToCopy")
    if node and result.grad_fn:
        result.grad_fn.named_after = True
        node.put_into(result.array, in_place=False)
    return result


@functools.cache
def rounding_once(operation):
    """An operation on float16 that computes in float32, and saves its inputs and outputs in float16."""

    class Rounded(Function):
        @staticmethod
        def forward(ctx, *arrays, **options):
            ctx.function = operation
            ctx.rule_in_float32 = getattr(operation, "rule_in_float32", True)
            wide = [widened(x) for x in arrays]
            output = operation.forward(ctx, *wide, **options)
            outputs = output if isinstance(output, tuple) else (output,)
            narrow = tuple([narrowed(y) for y in outputs])
            places = {id(y): x for y, x in zip((*wide, *outputs), (*arrays, *narrow))}
            ctx.saved = tuple([places.get(id(y), y) for y in ctx.saved])
            return narrow if isinstance(output, tuple) else narrow[0]

    Rounded.__name__ = operation.__name__
    return Rounded


class Move(Function):
    """The same numbers on another device; a gradient goes the way back."""

    node_name = "ToCopy"

    @staticmethod
    def forward(ctx, x, place):
        ctx.place = "cpu" if isinstance(x, np.ndarray) else x.device.type
        return backend(ctx.place).download(x) if place == "cpu" else backend(place).upload(x)


@methods_of(Tensor)
class Casts:
    """The tensor in another type or place."""

    def to(self, *args, dtype=None, device=None, copy=False, non_blocking=False, memory_format=None):
        """Convert to another type, another device, or those of another tensor: itself when nothing changes.

        With `copy`, a new tensor in any case. NotImplementedError for a type that NumPy does not have.

        >>> torch.tensor([1.5, -2.5]).to(torch.int64)
        tensor([ 1, -2])
        """
        flags = [arg for arg in args if isinstance(arg, (bool, type(None)))]  # non_blocking, copy
        copy = flags[1] if len(flags) > 1 else copy
        for arg in args:
            if isinstance(arg, Tensor):
                dtype, device = arg.dtype, arg.device
            elif isinstance(arg, type(float32)):
                dtype = arg
            elif arg not in flags:
                device = arg
        result = self if device is None else moved(self, device)
        if dtype is not None and dtype.numpy != result.array.dtype:
            result = Cast.apply(result, dtype=dtype.numpy)
        result = result.clone() if copy and result is self else result
        if memory_format is None or memory_format.name == "preserve_format":
            return result
        return result.contiguous(memory_format)

    def float(self, *, memory_format=None):
        """Convert to float32.

        >>> torch.tensor([1, 2]).float()
        tensor([1., 2.])
        """
        return self.to(float32, memory_format=memory_format)

    def double(self, *, memory_format=None):
        """Convert to float64.

        >>> torch.tensor([1, 2]).double()
        tensor([1., 2.], dtype=torch.float64)
        """
        return self.to(float64, memory_format=memory_format)

    def half(self, *, memory_format=None):
        """Convert to float16.

        >>> torch.tensor([1, 2]).half()
        tensor([1., 2.], dtype=torch.float16)
        """
        return self.to(float16, memory_format=memory_format)

    def long(self, *, memory_format=None):
        """Convert to int64, dropping the fraction.

        >>> torch.tensor([1.5, -2.5]).long()
        tensor([ 1, -2])
        """
        return self.to(int64, memory_format=memory_format)

    def int(self, *, memory_format=None):
        """Convert to int32, dropping the fraction.

        >>> torch.tensor([1.5, -2.5]).int()
        tensor([ 1, -2], dtype=torch.int32)
        """
        return self.to(int32, memory_format=memory_format)

    def short(self, *, memory_format=None):
        """Convert to int16, dropping the fraction.

        >>> torch.tensor([1.5, -2.5]).short()
        tensor([ 1, -2], dtype=torch.int16)
        """
        return self.to(int16, memory_format=memory_format)

    def bool(self, *, memory_format=None):
        """Convert to booleans: whether each element is other than 0.

        >>> torch.tensor([0.0, 0.5]).bool()
        tensor([False,  True])
        """
        return self.to(bool_, memory_format=memory_format)

    def cpu(self, memory_format=None):
        """Bring the tensor to the processor's memory: itself where it is there.

        >>> torch.tensor([1, 2]).cpu()
        tensor([1, 2])
        """
        return self.to("cpu", memory_format=memory_format)

    def cuda(self, device=None, non_blocking=False, *, memory_format=None):
        """Bring the tensor to a GPU, for which the kernels of module 17 (acceleration) have to be there.

        >>> x = torch.ones(2)
        >>> (x.cuda() if torch.cuda.is_available() else x).sum().item()
        2.0
        """
        return self.to("cuda" if device is None else device, memory_format=memory_format)

    def type_as(self, other):
        """Convert to the type of `other`.

        >>> torch.tensor([1, 2]).type_as(torch.tensor([0.5]))
        tensor([1., 2.])
        """
        return self.to(other.dtype)
