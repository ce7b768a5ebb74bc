"""`cuda`: numba's, on a device if there is one and otherwise in numba's simulator.

The simulator gets a scheduler of its own here. numba's starts a Python thread for each CUDA thread, in no
particular order, and checks nothing. This one runs the threads of a block one after another, each as far as
the next barrier; those that wait at one are greenlets, which keep their place and cost little. Shared memory
is checked as compute-sanitizer's racecheck does on a device: an access by two threads with no barrier between
them is an error, and so are a read of what was never written and a barrier that not all threads reach.

`with watch() as seen:` checks the arguments of kernels too, and counts what a device's memory would be asked
for (`accesses.py`).
"""

import builtins
import dis
import math
import sys
import types
from collections import Counter
from contextlib import contextmanager
from functools import cache, wraps
from itertools import product

import numba
import numpy as np
from greenlet import getcurrent, greenlet

from tinytorch.given.kernels.accesses import Float32, KernelError, Memory, Watch, place_of
from tinytorch.given.kernels.device import has_device

__all__ = ["SIMULATED", "KernelError", "cuda"]


SIMULATED = not has_device()
numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # a lesson's launches are small
if SIMULATED:
    numba.config.ENABLE_CUDASIM = 1  # for this process; the environment is the user's

from numba import cuda  # noqa: E402

if SIMULATED:
    if not hasattr(cuda.jit(lambda: None), "fn"):
        raise ImportError("numba.cuda was imported for a device before: set NUMBA_ENABLE_CUDASIM=1 first")
    from numba.cuda.simulator import kernel as numbas
    from numba.cuda.simulator.kernelapi import Dim3, FakeCUDAAtomic, FakeCUDAModule

watching = []  # the innermost `watch`


@contextmanager
def watch():
    """Check and count what kernels do; on a device nothing can be counted, and the counts are None."""
    watching.append(Watch())
    try:
        yield watching[-1]
    finally:
        watching.pop().close(SIMULATED)


class Worker(greenlet):
    """Runs CUDA threads of a block, one after another; one that waits at a barrier keeps it."""

    def __init__(self, block):
        super().__init__()
        self.block, self.place = block, None

    def run(self):
        block = self.block
        with np.errstate(all="ignore"):
            while block.todo:
                self.index = block.todo.pop()
                self.is_on()
                block.function(*block.arguments)
                block.ended.add(block.thread)

    def is_on(self):
        """What the kernel asks `cuda` for, and who accesses memory, is this thread's from now on."""
        block, context, (x, y, z) = self.block, self.block.context, self.index
        context.blockIdx, context.threadIdx = block.index, Dim3(x, y, z)
        block.thread = x + block.size[0] * (y + block.size[1] * z)
        block.me = block.thread, block.number, block.phase, block.steps[block.thread // 32]
        context.laneid = block.thread % 32

    def refuse(self, said):
        """Raise a KernelError in the line of the kernel at which this thread waits."""
        self.is_on()
        self.throw(KernelError(said))


class Block:
    """Runs one block of a kernel: what numba calls a BlockManager."""

    def __init__(self, function, grid, size, debug):
        self.size, self.context = size, numbas._get_kernel_context()
        self.watch = watching[-1] if watching else None
        if not isinstance(self.context, Context):
            self.context.__class__ = Context
            self.context.function = bound(function, self.context, self.watch, {})
            self.context._atomic = Atomic(self)
        self.context.block = self.context._atomic.block = self.context._shared = self
        self.function = self.context.function
        self.shared, self.waiting, self.exchanging, self.atomic = {}, [], {}, False
        self.phase = self.thread = 0
        self.ended, self.steps = set(), Counter()

    def run(self, index, *arguments):
        threads = int(np.prod(self.size))
        if threads > 1024:
            raise KernelError(f"a block has at most 1,024 threads, not {threads:,}")
        self.index, self.number = Dim3(*index), index
        self.arguments = [self.argument(number, each) for number, each in enumerate(arguments)]
        self.todo = [index[::-1] for index in product(*map(range, self.size[::-1]))][::-1]
        try:
            while self.todo:
                Worker(self).switch()
            while self.waiting or self.exchanging:
                if self.exchanging:
                    self.exchange()
                    continue
                self.check_barrier(threads)
                self.phase += 1
                if self.watch:
                    self.watch.barriers += 1
                resumed, self.waiting = self.waiting[::-1], []
                for worker in resumed:
                    worker.switch()
        except (KernelError, IndexError) as error:
            place = f"thread {self.me[0]} of block {tuple(map(int, index))}"
            raise type(error)(f"{error} ({place})").with_traceback(error.__traceback__) from None

    def wait(self, place):
        """Wait at a barrier in this line of the kernel, as the thread that is running."""
        worker = getcurrent()
        worker.place = place
        self.waiting.append(worker)
        worker.parent.switch()
        worker.is_on()

    def together(self, name, mask, value, place):
        """What the threads of a warp that a mask names give here, by lanes; each waits for the others."""
        worker, warp, lane = getcurrent(), self.thread // 32, self.thread % 32
        worker.place = place
        self.exchanging.setdefault((warp, name, int(mask) & 0xFFFFFFFF, place), {})[lane] = worker, value
        worker.parent.switch()
        worker.is_on()
        return worker.received

    def exchange(self):
        """Let threads of a warp have what each other gave, once all that their mask names have come."""
        groups, self.exchanging, threads = self.exchanging, {}, int(np.prod(self.size))
        for (warp, name, mask, _), group in groups.items():
            there = {lane for lane in range(min(32, threads - 32 * warp)) if mask >> lane & 1}
            missing = [lane for lane in there - group.keys() if 32 * warp + lane not in self.ended]
            if missing or not there >= group.keys():
                others = "that the others never reach" if missing else "whose mask does not name them all"
                worker, _ = next(iter(group.values()))
                worker.refuse(f"{len(group)} threads of a warp wait in cuda.{name}, {others}")
        for (warp, name, *_), group in groups.items():
            self.steps[warp] += name == "syncwarp"
            if self.watch:
                self.watch.shuffles += name.startswith("shfl")
            for worker, _ in group.values():
                worker.received = {lane: value for lane, (_, value) in group.items()}
        for group in groups.values():
            for worker, _ in group.values():
                worker.switch()

    def check_barrier(self, threads):
        """KernelError unless all threads wait, and at the same barrier."""
        first = max(worker.place for worker in self.waiting)
        there = sum(worker.place == first for worker in self.waiting)
        if there < threads:
            worker = next(worker for worker in self.waiting if worker.place == first)
            worker.refuse(f"{there} of {threads} threads wait at a barrier that the others never reach")

    def argument(self, number, value):
        """An argument of the kernel as its threads see it: NumPy's array, or one that is watched."""
        array = getattr(getattr(value, "_item", None), "_ary", None)
        if array is None:
            return watched(value) if self.watch else value
        return self.watch.memory(array, number, self) if self.watch else array

    def array(self, shape, dtype, alignment=None):
        """cuda.shared.array: one for each place in the code, for all threads of the block."""
        where = place_of(sys._getframe(1))
        if where not in self.shared:
            self.shared[where] = Memory(np.empty(shape, numpys(dtype)), self, self.watch, shared=True)
        return self.shared[where]


class Atomic:
    """cuda.atomic: numba's, said to be atomic to what checks accesses."""

    def __init__(self, block):
        self.block, self.numbas = block, FakeCUDAAtomic() if SIMULATED else None

    def __getattr__(self, name):
        def call(array, *arguments):
            self.block.atomic = True
            try:
                return getattr(self.numbas, name)(array, *arguments)
            finally:
                self.block.atomic = False

        return call


def numpys(dtype):
    """NumPy's type for a type of numba's or NumPy's."""
    return np.dtype(np.float32 if dtype is Float32 else getattr(dtype, "name", dtype))


def forgiving(function):
    """A function of `math` that gives inf or nan where a device does, and a float32 for a float32."""

    @wraps(function)
    def call(*values):
        try:
            result = function(*values)
        except OverflowError:
            result = math.inf
        except ValueError:
            result = -math.inf if values[0] == 0 else math.nan
        kind = type(values[0])
        return kind(result) if issubclass(kind, np.float32) else result

    return call


NAMES = {name: value for name, value in vars(math).items() if not name.startswith("_")}
MATH = types.SimpleNamespace(**{n: forgiving(v) if callable(v) else v for n, v in NAMES.items()})


class WatchedNumPy:
    """NumPy with a float32 that notices when it becomes a float64."""

    float32 = Float32
    __getattr__ = staticmethod(lambda name: getattr(np, name))


def watched(value):
    """A float32, or those in a tuple, as ones that notice when they become a float64."""
    if isinstance(value, tuple):
        return tuple(map(watched, value))
    return Float32(value) if type(value) is np.float32 else value


def bound(function, context, watch, done):
    """A kernel's function over globals in which `cuda`, `math` and device functions are simulated."""
    if function in done:
        return done[function]
    stands_for = {id(cuda): context, id(math): MATH}
    if watch:
        stands_for |= {id(np): WatchedNumPy(), id(np.float32): Float32}

    def simulated(value):
        if isinstance(value, numbas.FakeCUDAKernel):
            return bound(value.fn, context, watch, done)
        return stands_for.get(id(value), watched(value) if watch else value)

    known = function.__globals__
    names = {"__builtins__": builtins, "__name__": known.get("__name__"), "__globals__": known}
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    done[function] = types.FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, cells
    )
    names |= {
        name: simulated(function.__globals__[name])
        for name in used(function.__code__)
        if name in function.__globals__
    }
    for cell, old in zip(cells, function.__closure__ or ()):
        cell.cell_contents = simulated(old.cell_contents)
    return done[function]


@cache
def used(code):
    """The names that a function's code looks up among its globals."""
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    names = {
        each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    return names.union(*map(used, inner))


def shuffle(source):
    """A function of cuda by which a thread gets the value of the lane source(its own lane, an argument)."""

    def named(name):
        def call(self, mask, value, argument):
            lane = self.laneid
            values = self.block.together(name, mask, value, sys._getframe(1).f_lineno)
            return values.get(source(lane, int(argument)) % 32, undefined(value))

        call.__qualname__ = f"cuda.{name}"
        return call

    return named


def vote(result):
    """A function of cuda that gives every thread the same, from the values of all."""

    def named(name):
        def call(self, mask, value):
            return result(self.block.together(name, mask, value, sys._getframe(1).f_lineno))

        call.__qualname__ = f"cuda.{name}"
        return call

    return named


def undefined(value):
    """What a thread gets from one that is not there: something, which nobody may rely on."""
    return type(value)(math.nan if isinstance(value, float | np.floating) else 77)


WARP_FUNCTIONS = {
    "shfl_sync": shuffle(lambda lane, source: source),
    "shfl_up_sync": shuffle(lambda lane, delta: lane - delta if lane >= delta else lane),
    "shfl_down_sync": shuffle(lambda lane, delta: lane + delta if lane + delta < 32 else lane),
    "shfl_xor_sync": shuffle(lambda lane, mask: lane ^ mask),
    "all_sync": vote(lambda values: all(values.values())),
    "any_sync": vote(lambda values: any(values.values())),
    "eq_sync": vote(lambda values: len(set(values.values())) == 1),
    "ballot_sync": vote(lambda values: sum(1 << lane for lane, value in values.items() if value)),
}

if SIMULATED:

    class Context(FakeCUDAModule):
        """What `cuda` is inside a kernel; `Worker.is_on` says whose indices these are."""

        threadIdx = blockIdx = laneid = None

        def syncthreads(self):
            self.block.wait(sys._getframe(1).f_lineno)

        def syncwarp(self, mask=0xFFFFFFFF):
            self.block.together("syncwarp", mask, None, sys._getframe(1).f_lineno)

        def __getattr__(self, name):
            raise AttributeError(f"the simulator has no cuda.{name}, even where a device has one")

    for each, make in WARP_FUNCTIONS.items():
        setattr(Context, each, make(each))
    numbas.BlockManager = Block
