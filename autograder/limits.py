"""What notebooks, tests and submissions may use: every limit of the tools that is not a module's own, in course.yaml."""

import contextlib
from dataclasses import dataclass

# One test, for a learner and in grading alike.
SECONDS = 20  # of the processor's time
PATIENCE = 3  # it may take that many times longer in wall-clock time: the machine may be busy
PRINTED = 10_000  # characters that are kept of what is printed while the tests of a stub run

# One submitted notebook.
NOTEBOOK = 8 << 20  # bytes
CELLS = 1000
CELL_CHARACTERS, CHARACTERS = 200_000, 2_000_000  # written in one cell, and in all
NAME = 128  # characters of a student's name, in nbgrader's gradebook
AHEAD = 600  # seconds by which a student's clock may be ahead of the collector's without a word

# One sandbox.
START = 120  # wall-clock seconds that a worker may take to start
DAY = 86400  # of processor time for all that the reference is asked in a batch
SCRATCH = 256 << 20  # bytes of /tmp and of /dev/shm
LINE, ANSWERS = 4 << 20, 32 << 20  # bytes of one answer, and of all that one worker gives
ARRAY = 1 << 20  # bytes of an array in an answer
MESSAGE = 4000  # characters of what a failing test says
SAID = 500  # characters of a message to a student, which the student's own code may have chosen
SPARE = 256 << 20  # bytes of memory that this machine keeps free
BUFFER, INODE = 416 << 10, 2 << 10  # bytes the kernel may hold for an open socket, and for an empty file
WATCH = 0.25  # seconds between two looks at what a sandbox uses


@dataclass(frozen=True)
class Limits:
    """What one run of a submission may use."""

    seconds: int  # of processor time
    megabytes: int
    processes: int = 64
    file_megabytes: int = 64
    open_files: int = 256  # of one process


def limit_memory(most: int) -> None:
    """Limit this process to that many bytes: `list` of an endless iterator, one call that no timer stops, would take all."""
    try:
        import resource
    except ImportError:  # on Windows, where a process has no such limit
        return
    with contextlib.suppress(ValueError):  # less is allowed already
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
