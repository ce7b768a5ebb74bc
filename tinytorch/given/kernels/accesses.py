"""What the simulator checks and counts of a kernel's accesses to memory.

`Memory` stands for an array while a kernel runs, and knows who has read and written each of its cells since
the last barrier. `Watch` counts as a device does: the threads of a warp run in step, so what 32 neighbours
ask for at one place in the code goes to memory together, in lines of 128 bytes; and shared memory has 32
banks of 4 bytes, each of which gives one word at a time.
"""

import operator
import sys
from collections import Counter, defaultdict
from linecache import getline

import numpy as np

__all__ = []

WARP, LINE, BANKS, WORD = 32, 128, 32, 4


places = {}  # of a code's instructions, by its identity: hashing one is slow


def place_of(frame):
    """Where in its code a frame is: the same, however Python specialises it."""
    code = frame.f_code
    if id(code) not in places:
        places[id(code)] = code, tuple(code.co_positions())
    return id(code), places[id(code)][1][frame.f_lasti // 2]


class KernelError(RuntimeError):
    """What would be undefined behaviour on a device."""


class Memory:
    """An array as the threads of a kernel see it."""

    def __init__(self, array, block, watch, shared=False, name=""):
        self.cells, self.block, self.watch, self.is_shared, self.name = array, block, watch, shared, name
        self.shape, self.size, self.ndim, self.dtype = array.shape, array.size, array.ndim, array.dtype
        self.steps = [stride // array.itemsize for stride in array.strides]
        self.written, self.read = {}, {}  # by index: (thread, block, phase, step of the thread's warp)
        self.first, self.count = watch.numbers.get(id(array), (0, len(array))) if watch else (0, len(array))

    def __len__(self):
        return len(self.cells)

    def __getitem__(self, index):
        if (
            not self.watch and type(index) is not slice
        ):  # the short way: what was written before the last barrier
            me, writer, reader = self.block.me, self.written.get(index), self.read.get(index)
            if writer is me or (writer and writer[2] != me[2]):
                if reader is not me and (reader is None or reader[2] != me[2]):
                    self.read[index] = me
                elif reader is not me:
                    self.read[index] = several(reader, me), *me[1:]
                return self.cells[index]
        self.note(index, sys._getframe(1), write=False)
        value = self.cells[index]
        return Float32(value) if self.watch and type(value) is np.float32 else value

    def __setitem__(self, index, value):
        frame = sys._getframe(1)
        self.note(index, frame, write=True)
        if self.watch and self.dtype == np.float32 and isinstance(value, float):
            self.watch.wide(frame)  # np.float64 is a float too
        self.cells[index] = value

    def note(self, index, frame, write):
        """Check an access against those of other threads, and count it."""
        many = index if isinstance(index, tuple) else (index,)
        if len(many) != self.ndim:
            raise KernelError(
                f"{self.called(frame)} has {self.ndim} dimensions, and {len(many)} indices came"
            )
        for one, size in zip(many, self.shape):
            if not isinstance(one, int | np.integer):
                raise KernelError(f"{self.called(frame)}[{shown(many)}]: {no_index(one)}")
            if not 0 <= one < size or (self.ndim == 1 and not 0 <= one - self.first < self.count):
                raise KernelError(f"{self.called(frame)}[{shown(many)}] is out of bounds: {self.bounds()}")
        if self.watch:
            cell = sum(map(operator.mul, map(int, many), self.steps))
            self.watch.count(self, cell, frame, write)
        if self.block.atomic:
            self.written.setdefault(index, None)
            return
        me, writer, reader = self.block.me, self.written.get(index), self.read.get(index)
        if self.is_shared and not write and index not in self.written:
            raise KernelError(
                f"{self.called(frame)}[{shown(many)}] is read, and nothing was ever written there"
            )
        if writer and conflict(writer, me):
            did = "writes" if write else "reads"
            self.race(frame, many, f"thread {me[0]} {did} what {other(writer, me)} wrote")
        if write:
            if reader and conflict(reader, me):
                whom = "another thread" if reader[0] < 0 else other(reader, me)
                self.race(frame, many, f"thread {me[0]} overwrites what {whom} has read")
            self.written[index] = me
        elif reader and reader[0] != me[0] and reader[1:3] == me[1:3]:
            self.read[index] = several(reader, me), *me[1:]
        else:
            self.read[index] = me

    def bounds(self):
        """Where the numbers of the array stand."""
        if self.ndim > 1 or self.is_shared:
            return f"its shape is {self.shape}"
        if self.count < 2:
            return f"its only number stands at place {self.first}" if self.count else "it holds no numbers"
        return f"its {self.count} numbers stand at places {self.first} to {self.first + self.count - 1}"

    def race(self, frame, index, sentence):
        between = "with no barrier between"
        end = f"{between} that all threads reach" if self.is_shared else f"in one launch, {between}"
        raise KernelError(f"a race at {self.called(frame)}[{shown(index)}]: {sentence}, {end}")

    def called(self, frame):
        """The name by which the kernel knows the array."""
        return next((name for name, value in frame.f_locals.items() if value is self), self.name or "array")


def other(before, now):
    """The thread of an earlier access, with its block where that is another."""
    return f"thread {before[0]}" + (f" of block {before[1]}" if before[1] != now[1] else "")


def conflict(before, now):
    """Whether two accesses by different threads have no barrier between them, of the block or the warp."""
    if before[1] != now[1]:
        return True
    in_step = warp_of(before[0]) == warp_of(now[0]) and before[3] < now[3]
    return before[0] != now[0] and before[2] == now[2] and not in_step


def warp_of(thread):
    return thread // WARP if thread >= 0 else -1 - thread


def several(reader, me):
    """What stands for the threads that have read a cell: below zero, and by their warp where that is one."""
    same = warp_of(reader[0]) == warp_of(me[0])
    return -1 - warp_of(me[0]) if same else -1 - 2 * WARP


def no_index(one):
    """Why something is no index."""
    if isinstance(one, slice):
        return "a slice is no index here: a thread reads and writes one number at a time"
    if isinstance(one, float | np.floating):
        return "an index is an integer, and this is a float: integers are divided by `//`"
    return f"an index is an integer, and this is of type {type(one).__name__}"


def shown(index):
    return ", ".join(str(int(one)) if isinstance(one, int | np.integer) else text(one) for one in index)


def text(index):
    """An index that is none as it is written: 4.0, or 1:3."""
    if not isinstance(index, slice):
        return str(index)
    ends = ["" if end is None else str(end) for end in (index.start, index.stop, index.step)]
    return ":".join(ends if index.step is not None else ends[:2])


class Watch:
    """What kernels asked of memory inside a `with watch()`.

    Attributes: `loads`, `stores`: numbers read from and written to the kernels' arguments; `lines`: lines
    of 128 bytes that went to or came from memory, and `requests`, how many times a warp asked for some;
    `shared_requests`: how many times a warp asked shared memory, and `shared_passes`, how many passes
    over the banks that took; `barriers` of blocks and `shuffles` of warps; `float64`: lines of code where a
    float32 became a float64.
    """

    def __init__(self):
        self.loads = self.stores = self.lines = self.requests = self.shared_requests = self.shared_passes = 0
        self.barriers = self.shuffles = 0
        self.float64, self.asked, self.times, self.memories = set(), defaultdict(set), Counter(), {}
        self.numbers = {}  # by an array's identity, if it has margins: where its numbers begin, their count
        Float32.watch = self

    def memory(self, array, number, block):
        """The one Memory that stands for an array in every block of a launch."""
        key = array.__array_interface__["data"][0], array.shape, id(block.context)
        memory = self.memories.setdefault(key, None) or Memory(array, block, self, name=f"argument {number}")
        self.memories[key], memory.block = memory, block
        return memory

    def count(self, memory, cell, frame, write):
        if not memory.is_shared:
            self.loads, self.stores = self.loads + (not write), self.stores + write
        block = memory.block
        place = *place_of(frame), write
        thread = block.number, block.thread, id(block)
        self.times[thread, place] += 1
        key = id(memory), block.number, block.thread // WARP, place, self.times[thread, place]
        self.asked[key].add((cell * memory.dtype.itemsize, memory.is_shared))

    def wide(self, frame):
        """Note the line, and by which lines of the kernel its function was called."""
        lines = []
        while frame.f_back:  # a thread's first frame is the scheduler's
            code, number = frame.f_code, frame.f_lineno
            lines.append(getline(code.co_filename, number).strip() or f"line {number} of {code.co_name}")
            frame = frame.f_back
        self.float64.add(", called by ".join(lines))

    def close(self, simulated):
        """Count the lines and passes, warp by warp."""
        Float32.watch = None
        for together in self.asked.values():
            places = [place for place, _ in together]
            if next(iter(together))[1]:
                self.shared_requests += 1
                self.shared_passes += max(Counter(w % BANKS for w in {p // WORD for p in places}).values())
            else:
                self.requests += 1
                self.lines += len({place // LINE for place in places})
        self.asked.clear()
        if not simulated:
            for name in (
                "loads",
                "stores",
                "lines",
                "requests",
                "shared_requests",
                "shared_passes",
                "barriers",
                "shuffles",
            ):
                setattr(self, name, None)


class Float32(np.float32):
    """A float32 that notes where a Python number, an integer or a float64 makes it a float64 on a device."""

    __slots__ = ()
    watch = None


def checked(name):
    plain = getattr(np.float32, name)
    exponent = int if name == "__pow__" else bool  # x ** 2 stays a float32
    beside = np.float32 | np.float16 | np.bool_ | bool | exponent

    def method(self, other):
        if not isinstance(other, beside) and Float32.watch:
            Float32.watch.wide(sys._getframe(1))
        result = plain(self, other)
        return result if result is NotImplemented else Float32(result)

    return method


for each in ("add", "sub", "mul", "truediv", "pow", "mod", "floordiv"):
    setattr(Float32, f"__{each}__", checked(f"__{each}__"))
    setattr(Float32, f"__r{each}__", checked(f"__r{each}__"))


def unchanged(name):
    plain = getattr(np.float32, name)
    return lambda self: Float32(plain(self))


for each in ("neg", "abs", "pos"):
    setattr(Float32, f"__{each}__", unchanged(f"__{each}__"))
