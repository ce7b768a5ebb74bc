"""The answers of torch.xpu on a machine without a GPU of Intel's."""


def is_available():
    """Whether there is such a GPU: no."""
    return False


def device_count():
    """How many there are: none."""
    return 0


def manual_seed(seed):
    """Take a seed for the GPU, if there will be one."""
    int(seed)


def seed():
    """Draw a seed for the GPU, if there will be one."""


def empty_cache():
    """Give unused memory back, of which there is none."""


def refuse(*args, **kwargs):
    """Refuse what only such a GPU can do."""
    raise AssertionError("Torch not compiled with XPU enabled: there is no GPU of Intel's")


manual_seed_all, seed_all = manual_seed, seed
current_device = synchronize = get_device_name = get_device_properties = set_device = refuse
