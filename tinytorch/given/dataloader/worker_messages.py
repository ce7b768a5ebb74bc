"""What workers answer: a batch, an exception, or that a stream is at its end; and how answers are sent."""

import enum
import itertools
import mmap
import os
import pickle
import sys
import tempfile
import traceback
from dataclasses import dataclass
from multiprocessing import reduction

__all__ = ["ALIGNED", "END", "LARGE", "End", "Failure", "Message", "collect", "memory_file", "post"]

LARGE = 2**18  # bytes of arrays from which on they go by shared memory
ALIGNED = 64  # of which every address in it is a multiple


class End(enum.Enum):
    """What a worker answers when its part of a stream is at an end."""

    END = "end"


END = End.END


class Message(str):
    """A text that KeyError, too, shows with its line breaks: it shows its argument's repr."""

    __repr__ = str.__str__


@dataclass
class Failure:
    """An exception on its way from a worker to the parent: its type, and what there is to say."""

    kind: type
    text: str

    @classmethod
    def of(cls, error, worker):
        """The failure of worker number `worker`, with the traceback that only exists over there."""
        kind, lines = type(error), "".join(traceback.format_exception(error))
        return cls(kind, f"Caught {kind.__name__} in DataLoader worker process {worker}.\nOriginal {lines}")

    def reraise(self):
        """Raise it here; as a RuntimeError if its type cannot be made from a text."""
        try:
            error = self.kind(Message(self.text))
        except Exception:
            error = RuntimeError(self.text)
        raise error


def post(link, task, answer, worker):
    """Send an answer to the parent: large arrays in a file in memory, whatever else as bytes."""
    buffers = []
    try:
        head = pickle.dumps(answer, 5, buffer_callback=lambda buffer: buffers.append(buffer.raw()))
    except Exception as error:
        failure = answer if isinstance(answer, Failure) else Failure.of(error, worker)
        head, buffers = pickle.dumps(Failure(RuntimeError, failure.text)), []
    sizes = [buffer.nbytes for buffer in buffers]
    parts = [part for buffer in buffers for part in (buffer, bytes(-buffer.nbytes % ALIGNED))]
    small = sum(sizes) < LARGE
    link.send((task, head, sizes, b"".join(parts) if small else None))
    if not small:
        with memory_file() as file:
            file.writelines(parts)
            file.flush()
            reduction.send_handle(link, file.fileno(), os.getppid())


def collect(link):
    """Receive what `post` sent: the task, and the answer, its large arrays in the shared memory itself."""
    task, head, sizes, data = link.recv()
    if data is None:
        handle = reduction.recv_handle(link)
        try:
            data = mmap.mmap(handle, 0)
        finally:
            os.close(handle)
    else:
        data = bytearray(data)
    starts = itertools.accumulate([-(-size // ALIGNED) * ALIGNED for size in sizes], initial=0)
    return task, pickle.loads(head, buffers=[memoryview(data)[i : i + n] for i, n in zip(starts, sizes)])


def memory_file():
    """A file without a name, deleted when no process has it open: in memory on Linux, else on disk."""
    if sys.platform == "linux":
        return open(os.memfd_create("batch"), "w+b")
    return tempfile.TemporaryFile()
