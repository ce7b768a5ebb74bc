"""The answers of torch.mps on a machine without a GPU of Apple's."""


def is_available():
    """Whether there is such a GPU: no."""
    return False


def device_count():
    """How many there are: none."""
    return 0


def manual_seed(seed):
    """Take a seed for the GPU, if there will be one."""
    int(seed)


def refuse(*args, **kwargs):
    """Refuse what only such a GPU can do."""
    raise RuntimeError("this needs a GPU of Apple's, and there is none")


seed = empty_cache = synchronize = get_rng_state = set_rng_state = refuse
current_allocated_memory = driver_allocated_memory = refuse
