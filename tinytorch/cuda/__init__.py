"""The answers of torch.cuda: those of a machine without a GPU, until module 17's kernels are there and a GPU is.

What a program asks before it chooses a device is answered, seeds are taken, no memory is in use. What needs a
device is refused, with PyTorch's type of error. Where there is a GPU, or numba's simulator has been asked for with
NUMBA_ENABLE_CUDASIM=1, the device answers (`tinytorch/given/kernels/cuda_functions.py`). Random numbers on the device come
from the CPU's generator, so `tinytorch.manual_seed` decides them, and the seeds taken here change nothing.
"""

import functools
import importlib
from collections import OrderedDict
from contextlib import nullcontext
from numbers import Integral

from tinytorch._lookup import face

TYPES = (
    "HalfTensor FloatTensor DoubleTensor CharTensor ShortTensor IntTensor LongTensor ByteTensor BoolTensor"
)
__getattr__, __dir__ = face(__name__, {"tinytorch.cuda.types": TYPES})
default_generators = ()
has_half = True


class OutOfMemoryError(RuntimeError):
    """A device's memory is used up."""


def answers():
    """What answers for the device; None where there is none."""
    try:
        there = importlib.import_module("tinytorch.given.tensor.devices").backend("cuda")
    except ModuleNotFoundError as error:
        if error.name != "tinytorch.tensor":  # not even tensors are built yet
            raise
        return None
    return None if there is None else importlib.import_module("tinytorch.given.kernels.cuda_functions")


def asking(name, without):
    """Make a function that lets the device answer, and does as `without` where there is none."""

    @functools.wraps(without)
    def ask(*args, **kwargs):
        found = answers()
        return (without if found is None else getattr(found, name))(*args, **kwargs)

    return ask


def refusing(error=AssertionError, sentence="Torch not compiled with CUDA enabled"):
    """Make a function that refuses what only a GPU can do."""

    def refuse(*args, **kwargs):
        raise error(f"{sentence}: kernels for a GPU come with module 17 (acceleration)")

    return refuse


initial_seed = ipc_collect = get_rng_state = can_device_access_peer = init = cudart = refusing()
set_per_process_memory_fraction = get_sync_debug_mode = refusing()
current_device, synchronize = asking("current_device", refusing()), asking("synchronize", refusing())
get_device_name = asking("get_device_name", refusing())
get_device_properties = asking("get_device_properties", refusing())
get_device_capability = asking("get_device_capability", refusing())
mem_get_info, current_stream = asking("mem_get_info", refusing()), asking("current_stream", refusing())
default_stream = asking("default_stream", refusing())
reset_peak_memory_stats = asking("reset_peak_memory_stats", refusing(AttributeError))
reset_max_memory_allocated = reset_peak_memory_stats
memory_summary = asking("memory_summary", refusing(KeyError))


class Event:
    """A moment on the device: its own where there is one, and RuntimeError where there is none."""

    def __new__(cls, *args, **kwargs):
        return asking("Event", refusing(RuntimeError))(*args, **kwargs)


class Stream:
    """A queue of the device's work: its own where there is one, and RuntimeError where there is none."""

    def __new__(cls, *args, **kwargs):
        return asking("Stream", refusing(RuntimeError))(*args, **kwargs)


def answered(without):
    """Let the device answer, and this function where there is none."""
    return asking(without.__name__, without)


@answered
def is_available():
    """Whether there is a GPU to compute on, or the simulator has been asked for."""
    return False


@answered
def is_initialized():
    """Whether a GPU is in use."""
    return False


def is_bf16_supported(including_emulation=True):
    """Whether a GPU computes in bfloat16: no."""
    return False


@answered
def device_count():
    """How many GPUs there are."""
    return 0


def manual_seed(seed):
    """Take a seed for the current GPU, if there will be one."""
    int(seed)


def manual_seed_all(seed):
    """Take a seed for all GPUs."""
    int(seed)


def seed():
    """Draw a seed for the current GPU."""


seed_all = seed


@answered
def empty_cache():
    """Give unused memory back, of which there is none."""


@answered
def memory_allocated(device=None):
    """Bytes in use on a GPU."""
    return 0


def none_in_use(device=None):
    """Bytes in use where there is no GPU."""
    return 0


max_memory_allocated = asking("max_memory_allocated", none_in_use)
memory_reserved = max_memory_reserved = asking("memory_reserved", none_in_use)


@answered
def memory_stats(device=None):
    """What is known of a GPU's memory: nothing."""
    return OrderedDict()


def get_arch_list():
    """The architectures for which there are kernels: none."""
    return []


def get_gencode_flags():
    """The flags with which kernels were compiled: none."""
    return ""


def get_rng_state_all():
    """The states of all generators on GPUs: none."""
    return []


def set_rng_state(new_state, device="cuda"):
    """Take a state for a generator on a GPU, if there will be one."""
    new_state.clone()


def set_rng_state_all(new_states):
    """Take states for the generators of all GPUs."""
    for state in new_states:
        set_rng_state(state)


def index_of(device, optional=True):
    """The number of a GPU, from a number, a device or its name; ValueError for what is no GPU."""
    if isinstance(device, Integral):
        return device
    kind, _, number = str(device).partition(":")
    if device is not None and kind != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {device}")
    if device is None or not number:
        if not optional:
            raise ValueError(
                f"Expected a torch.device with a specified index or an integer, but got:{device}"
            )
        return None
    return int(number)


def set_device(device):
    """Choose a GPU; a negative number chooses none."""
    if index_of(device, optional=False) >= 0:
        asking("set_device", refusing(AttributeError))(device)


class device:
    """Make a GPU the current one in a block; a negative number makes none."""

    def __init__(self, device):
        self.idx = index_of(device)

    def __enter__(self):
        if self.idx is None:
            refusing(TypeError)()
        if self.idx >= 0 and answers() is None:
            refusing(RuntimeError, "PyTorch was compiled without CUDA support")()

    def __exit__(self, *error):
        return False


@answered
def stream(stream):
    """Do what a block does in a stream of a GPU's; None is no stream, and changes nothing."""
    return nullcontext()
