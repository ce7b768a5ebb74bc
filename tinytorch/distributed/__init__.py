"""The answers of torch.distributed where a program runs as one process: nothing can be distributed."""

from tinytorch._faces import face

__getattr__, __dir__ = face(__name__)


def is_available():
    """Whether there is anything to distribute with: no."""
    return False


is_initialized = is_nccl_available = is_gloo_available = is_mpi_available = is_torchelastic_launched = (
    is_available
)


def refuse(*args, **kwargs):
    """Refuse what needs other processes."""
    raise ValueError(
        "Default process group has not been initialized: tinytorch leaves out more than one process"
    )


init_process_group = destroy_process_group = get_rank = get_world_size = get_backend = barrier = refuse
all_reduce = all_gather = broadcast = reduce = scatter = gather = new_group = refuse
