# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.distributed import device_mesh as device_mesh
from tinytorch.distributed import fsdp as fsdp
from tinytorch.distributed import nn as nn
from tinytorch.distributed import optim as optim
from tinytorch.distributed import rpc as rpc
from tinytorch.distributed import tensor as tensor
class ProcessGroup:
    """The processes that work together: this one."""
    def __init__(self, *args, **kwargs) -> None: ...
class ReduceOp:
    """How the numbers of all processes are put together."""
    def __init__(self, *args, **kwargs) -> None: ...
    AVG: str
    BAND: str
    BOR: str
    BXOR: str
    MAX: str
    MIN: str
    PRODUCT: str
    RedOpType: Any
    SUM: str
class Work:
    """An operation that is done already."""
    def __init__(self, *args, **kwargs) -> None: ...
    def is_completed(self) -> _bool:
        """Whether it is done: yes."""
    def wait(self, timeout=None):
        """Wait until it is done."""
class all_gather_into_tensor:
    def __init__(self, *args, **kwargs) -> None: ...
class all_to_all:
    """tinytorch leaves out more than one process: there is no torch.distributed.all_to_all."""
    def __init__(self, *args, **kwargs) -> None: ...
class all_to_all_single:
    def __init__(self, *args, **kwargs) -> None: ...
class gather:
    """tinytorch leaves out more than one process: there is no torch.distributed.gather."""
    def __init__(self, *args, **kwargs) -> None: ...
class gather_object:
    """tinytorch leaves out more than one process: there is no torch.distributed.gather_object."""
    def __init__(self, *args, **kwargs) -> None: ...
class group:
    def __init__(self, *args, **kwargs) -> None: ...
    WORLD: Any
class irecv:
    """tinytorch leaves out more than one process: there is no torch.distributed.irecv."""
    def __init__(self, *args, **kwargs) -> None: ...
class isend:
    """tinytorch leaves out more than one process: there is no torch.distributed.isend."""
    def __init__(self, *args, **kwargs) -> None: ...
class monitored_barrier:
    def __init__(self, *args, **kwargs) -> None: ...
class recv:
    """tinytorch leaves out more than one process: there is no torch.distributed.recv."""
    def __init__(self, *args, **kwargs) -> None: ...
class reduce_scatter:
    """tinytorch leaves out more than one process: there is no torch.distributed.reduce_scatter."""
    def __init__(self, *args, **kwargs) -> None: ...
class reduce_scatter_tensor:
    def __init__(self, *args, **kwargs) -> None: ...
class scatter:
    """tinytorch leaves out more than one process: there is no torch.distributed.scatter."""
    def __init__(self, *args, **kwargs) -> None: ...
class scatter_object_list:
    def __init__(self, *args, **kwargs) -> None: ...
class send:
    """tinytorch leaves out more than one process: there is no torch.distributed.send."""
    def __init__(self, *args, **kwargs) -> None: ...
NOT_INITIALIZED: str
def all_gather(tensor_list, tensor, group=None, async_op: _bool = False):
    """Put the tensors of all processes into a list."""
def all_gather_object(object_list, obj, group=None):
    """Put the objects of all processes into a list."""
def all_reduce(tensor, op: str = 'SUM', group=None, async_op: _bool = False):
    """Put together the tensors of all processes, in place: of one, itself."""
def barrier(group=None, async_op: _bool = False, device_ids=None):
    """Wait for all processes, which is none."""
def broadcast(tensor, src=None, group=None, async_op: _bool = False, group_src=None):
    """Give all processes the tensor of one, in place: its own."""
def broadcast_object_list(object_list, src=None, group=None, device: Device | None = None, group_src=None):
    """Give all processes the objects of one: its own."""
def destroy_process_group(group=None):
    """End the group."""
def get_backend(group=None):
    """By what way the processes talk, as it was asked for."""
def get_process_group_ranks(group=None):
    """The ranks in the group: of the one process."""
def get_rank(group=None):
    """The number of this process: 0."""
def get_world_size(group=None):
    """How many processes there are: 1."""
def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name: str = '', pg_options=None, device_id=None): ...
def is_available() -> _bool:
    """Whether a process can have a group: yes, of one."""
def is_gloo_available() -> _bool:
    """Whether processes can talk by way of a library: no."""
def is_initialized() -> _bool:
    """Whether `init_process_group` has been called."""
def is_mpi_available() -> _bool:
    """Whether processes can talk by way of a library: no."""
def is_nccl_available() -> _bool:
    """Whether processes can talk by way of a library: no."""
def is_torchelastic_launched() -> _bool:
    """Whether processes can talk by way of a library: no."""
def new_group(ranks=None, timeout=None, backend=None, pg_options=None, **options):
    """A group of some of the processes: of this one."""
def reduce(tensor, dst=None, op: str = 'SUM', group=None, async_op: _bool = False, group_dst=None):
    """Put together the tensors of all processes in one of them, in place."""
