"""torch.distributed where a program runs as one process: its group has one member, and nothing has to be sent."""

import os

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__)
_group = {}
NOT_INITIALIZED = (
    "Default process group has not been initialized, please make sure to call init_process_group."
)


class ReduceOp:
    """How the numbers of all processes are put together."""

    RedOpType = str
    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR = (
        "SUM",
        "AVG",
        "PRODUCT",
        "MIN",
        "MAX",
        "BAND",
        "BOR",
        "BXOR",
    )


class ProcessGroup:
    """The processes that work together: this one."""


class group:
    WORLD = ProcessGroup()


class Work:
    """An operation that is done already."""

    def wait(self, timeout=None):
        """Wait until it is done."""
        return True

    def is_completed(self):
        """Whether it is done: yes."""
        return True


def is_available():
    """Whether a process can have a group: yes, of one."""
    return True


def is_initialized():
    """Whether `init_process_group` has been called."""
    return bool(_group)


def is_nccl_available():
    """Whether processes can talk by way of a library: no."""
    return False


is_gloo_available = is_mpi_available = is_torchelastic_launched = is_nccl_available


def init_process_group(
    backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="",
    pg_options=None, device_id=None,
):  # fmt: skip
    """Begin as the one process of a group; RuntimeError for a group of several, which tinytorch leaves out."""
    if _group:
        raise ValueError("trying to initialize the default process group twice!")
    size = world_size if world_size != -1 else int(os.environ.get("WORLD_SIZE", 1))
    if size != 1:
        raise RuntimeError(f"tinytorch leaves out more than one process: a group of {size} cannot be made")
    _group.update(backend=backend or "gloo")


def _member(group=None):
    """ValueError before there is a group."""
    if not _group:
        raise ValueError(NOT_INITIALIZED)
    return _group


def destroy_process_group(group=None):
    """End the group."""
    _member().clear()


def get_rank(group=None):
    """The number of this process: 0."""
    return _member() and 0


def get_world_size(group=None):
    """How many processes there are: 1."""
    return _member() and 1


def get_process_group_ranks(group=None):
    """The ranks in the group: of the one process."""
    return _member(group) and [0]


def get_backend(group=None):
    """By what way the processes talk, as it was asked for."""
    return _member()["backend"]


def barrier(group=None, async_op=False, device_ids=None):
    """Wait for all processes, which is none."""
    _member()
    return Work() if async_op else None


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """Put together the tensors of all processes, in place: of one, itself."""
    return barrier(group, async_op)


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """Give all processes the tensor of one, in place: its own."""
    return barrier(group, async_op)


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """Put together the tensors of all processes in one of them, in place."""
    return barrier(group, async_op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """Put the tensors of all processes into a list."""
    _member()
    tensor_list[0].copy_(tensor)
    return Work() if async_op else None


def all_gather_object(object_list, obj, group=None):
    """Put the objects of all processes into a list."""
    _member()
    object_list[0] = obj


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """Give all processes the objects of one: its own."""
    _member()


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, **options):
    """A group of some of the processes: of this one."""
    return _member() and group.WORLD
