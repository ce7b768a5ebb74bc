# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.cuda import amp as amp
from tinytorch.cuda import types as types
BoolTensor: Any
ByteTensor: Any
class CUDAGraph:
    def __init__(self, *args, **kwargs) -> None: ...
CharTensor: Any
DoubleTensor: Any
class Event:
    """A moment on the device: its own where there is one, and RuntimeError where there is none."""
    def __init__(self, *args, **kwargs) -> None: ...
FloatTensor: Any
HalfTensor: Any
IntTensor: Any
LongTensor: Any
ShortTensor: Any
class Stream:
    def __init__(self, *args, **kwargs) -> None: ...
class StreamContext:
    def __init__(self, *args, **kwargs) -> None: ...
class device:
    """Make a GPU the current one in a block; a negative number makes none."""
    idx: Any
    def __enter__(self): ...
    def __exit__(self, *error) -> None: ...
    def __init__(self, device: Device) -> None: ...
class graph:
    """tinytorch leaves out graphs and streams of a GPU's kernels: there is no torch.cuda.graph."""
    def __init__(self, *args, **kwargs) -> None: ...
class graph_pool_handle:
    def __init__(self, *args, **kwargs) -> None: ...
class make_graphed_callables:
    def __init__(self, *args, **kwargs) -> None: ...
class OutOfMemoryError(builtins.RuntimeError):
    """A device's memory is used up."""
    def __init__(self, *args, **kwargs) -> None: ...
TYPES: str
def answered(without):
    """Let the device answer, and this function where there is none."""
def answers():
    """What answers for the device; None where there is none."""
def asking(name, without):
    """Make a function that lets the device answer, and does as `without` where there is none."""
def can_device_access_peer(*args, **kwargs): ...
def cudart(*args, **kwargs): ...
def current_device(*args, **kwargs): ...
def current_stream(*args, **kwargs): ...
default_generators: Any
def default_stream(*args, **kwargs): ...
def device_count():
    """How many GPUs there are."""
def empty_cache():
    """Give unused memory back, of which there is none."""
def get_arch_list():
    """The architectures for which there are kernels: none."""
def get_device_capability(*args, **kwargs): ...
def get_device_name(*args, **kwargs): ...
def get_device_properties(*args, **kwargs): ...
def get_gencode_flags():
    """The flags with which kernels were compiled: none."""
def get_rng_state(*args, **kwargs): ...
def get_rng_state_all():
    """The states of all generators on GPUs: none."""
def get_sync_debug_mode(*args, **kwargs): ...
has_half: _bool
def index_of(device: Device, optional: _bool = True):
    """The number of a GPU, from a number, a device or its name; ValueError for what is no GPU."""
def init(*args, **kwargs): ...
def initial_seed(*args, **kwargs): ...
def ipc_collect(*args, **kwargs): ...
def is_available() -> _bool:
    """Whether there is a GPU to compute on, or the simulator has been asked for."""
def is_bf16_supported(including_emulation: _bool = True) -> _bool:
    """Whether a GPU computes in bfloat16: no."""
def is_initialized() -> _bool:
    """Whether a GPU is in use."""
def manual_seed(seed):
    """Take a seed for the current GPU, if there will be one."""
def manual_seed_all(seed):
    """Take a seed for all GPUs."""
def max_memory_allocated(device: Device | None = None):
    """Bytes in use where there is no GPU."""
def max_memory_reserved(device: Device | None = None):
    """Bytes in use where there is no GPU."""
def mem_get_info(*args, **kwargs): ...
def memory_allocated(device: Device | None = None):
    """Bytes in use on a GPU."""
def memory_reserved(device: Device | None = None):
    """Bytes in use where there is no GPU."""
def memory_stats(device: Device | None = None):
    """What is known of a GPU's memory: nothing."""
def memory_summary(*args, **kwargs): ...
def none_in_use(device: Device | None = None):
    """Bytes in use where there is no GPU."""
def refusing(error=..., sentence: str = 'Torch not compiled with CUDA enabled'):
    """Make a function that refuses what only a GPU can do."""
def reset_max_memory_allocated(*args, **kwargs): ...
def reset_peak_memory_stats(*args, **kwargs): ...
def seed():
    """Draw a seed for the current GPU."""
def seed_all():
    """Draw a seed for the current GPU."""
def set_device(device: Device):
    """Choose a GPU; a negative number chooses none."""
def set_per_process_memory_fraction(*args, **kwargs): ...
def set_rng_state(new_state, device: Device = 'cuda'):
    """Take a state for a generator on a GPU, if there will be one."""
def set_rng_state_all(new_states):
    """Take states for the generators of all GPUs."""
def stream(stream):
    """Do what a block does in a stream of a GPU's; None is no stream, and changes nothing."""
def synchronize(*args, **kwargs): ...
