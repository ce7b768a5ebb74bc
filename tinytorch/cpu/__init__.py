"""The processor as a device, as in torch.cpu, for programs that treat it like a GPU."""

from contextlib import nullcontext


def is_available():
    """Whether there is a processor."""
    return True


is_initialized = is_available


def device_count():
    """How many there are: one."""
    return 1


def current_device():
    """The name of the one in use."""
    return "cpu"


def set_device(device):
    """Choose the processor, of which there is one."""


def synchronize(device=None):
    """Wait for what has been asked for, which is done already."""


def current_stream(device=None):
    """The stream in which things are done: None, for there is one only."""


def stream(stream):
    """Do what a block does in a stream."""
    return nullcontext()
