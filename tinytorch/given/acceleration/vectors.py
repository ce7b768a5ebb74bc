"""WIDTH float32 as one value in a kernel: a vector, which a processor keeps in a register.

A loop that the compiler turns into vector instructions adds to memory. Where sums are to stay in registers
from one row of numbers to the next, a kernel says so by these: `load` neighbours, `add_product`, `store`.
"""

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

__all__ = []

WIDTH = 16 if binding.get_host_cpu_features().get("avx512f") else 8  # one register, or two of NEON's
VECTOR = ir.VectorType(ir.FloatType(), WIDTH)


class Vector(types.Type):
    def __init__(self):
        super().__init__(name=f"{WIDTH} float32")


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, VECTOR)


vector = Vector()


def address(context, builder, signature, arguments):
    """Of neighbours in an array of one dimension, from a place that the argument after it says."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.bitcast(builder.gep(array.data, [arguments[1]]), VECTOR.as_pointer())


@intrinsic
def nothing(typing):
    """WIDTH zeros."""
    return vector(), lambda context, builder, signature, arguments: ir.Constant(VECTOR, [0.0] * WIDTH)


@intrinsic
def load(typing, array, place):
    """array[place : place + WIDTH], unchecked."""

    def build(context, builder, signature, arguments):
        return builder.load(address(context, builder, signature, arguments), align=4)

    return vector(array, types.intp), build


@intrinsic
def store(typing, array, place, x):
    """array[place : place + WIDTH] = x, unchecked."""

    def build(context, builder, signature, arguments):
        builder.store(arguments[2], address(context, builder, signature, arguments), align=4)
        return context.get_dummy_value()

    return types.none(array, types.intp, vector), build


@intrinsic
def add_product(typing, sums, factor, x):
    """sums + factor x, rounded once where the processor can; the factor is a number or a vector."""

    def build(context, builder, signature, arguments):
        sums, factor, x = arguments
        if signature.args[1] == types.float32:
            factor = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), factor, ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
            factor = builder.shuffle_vector(factor, factor, zeros)
        kind = ir.FunctionType(VECTOR, [VECTOR] * 3)
        fused = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{WIDTH}f32")
        return builder.call(fused, [factor, x, sums])

    return vector(vector, factor, vector), build


@intrinsic
def total(typing, x):
    """The sum of the WIDTH numbers."""

    def build(context, builder, signature, arguments):
        numbers = [builder.extract_element(arguments[0], ir.IntType(32)(i)) for i in range(WIDTH)]
        while len(numbers) > 1:
            half = len(numbers) // 2
            numbers = [builder.fadd(a, b) for a, b in zip(numbers[:half], numbers[half:])]
        return numbers[0]

    return types.float32(vector), build
