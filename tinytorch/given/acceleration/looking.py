"""To wait for a number in memory by looking at it: a kernel, so that other Python threads run meanwhile."""

import platform

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from tinytorch.given.acceleration.compiling import kernel

__all__ = []

PAUSES = 250  # some six microseconds: as a call takes until it gives Python's lock back
HAS_PAUSE = platform.machine() in ("x86_64", "AMD64")


@intrinsic
def look(typing, array, place):
    """array[place], int64, as another thread may have changed it: what it wrote before can be read after."""

    def build(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.load_atomic(builder.gep(data, [arguments[1]]), "acquire", 8)

    return types.int64(array, types.intp), build


@intrinsic
def tell(typing, array, place, number):
    """array[place] = number, int64, for threads that look."""

    def build(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        builder.store_atomic(arguments[2], builder.gep(data, [arguments[1]]), "release", 8)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.int64), build


@intrinsic
def pause(typing):
    """Leave the core to its other thread for a moment, where there is such an instruction."""

    def build(context, builder, signature, arguments):
        if HAS_PAUSE:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.none(), build


@kernel
def reached(numbers, place, least, looks):
    """Whether numbers[place] is at least so large, int64, at one of so many looks."""
    for _ in range(looks):
        if look(numbers, place) >= least:
            return True
        pause()
    return False


@kernel
def told_and_reached(numbers, done, given, number, looks):
    """Tell that all before `number` are done, look whether it is given, and pause.

    In one kernel, without Python's lock in between: whoever waits for what is done needs it. Whoever gives
    has it until a kernel of its own begins, and to wait for the lock would put this thread to sleep.
    """
    tell(numbers, done, number - 1)
    if not reached(numbers, given, number, looks):
        return False
    for _ in range(PAUSES):
        pause()
    return True
