"""The answers of torch.accelerator where there is none: what needs one is refused."""


def is_available():
    """Whether there is an accelerator: no."""
    return False


def device_count():
    """How many accelerators there are: none."""
    return 0


def current_accelerator(check_available=False):
    """The kind of accelerator that there is: None."""


def refuse(*args, **kwargs):
    """Refuse what only an accelerator can do."""
    raise RuntimeError(
        "Cannot access accelerator device when none is available: kernels for a GPU come with module 17 "
        "(acceleration)"
    )


current_device_index = set_device_index = current_stream = set_stream = synchronize = empty_cache = refuse
memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = memory_stats = refuse
reset_peak_memory_stats = get_memory_info = refuse
