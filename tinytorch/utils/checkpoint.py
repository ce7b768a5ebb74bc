"""Memory for time, as in torch.utils.checkpoint: PyTorch forgets what a gradient needs and computes it again.

Here it is kept: the values and the gradients are the same, and so is the memory without it.
"""

from contextlib import nullcontext


def checkpoint(
    function, *args, use_reentrant=None, context_fn=None, determinism_check="default", debug=False,
    early_stop=True, **kwargs,
):  # fmt: skip
    """Call a function."""
    return function(*args, **kwargs)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Call the modules of a Sequential, or functions, one after another."""
    for function in functions.children() if hasattr(functions, "children") else functions:
        input = function(input)
    return input


def save_on_cpu(pin_memory=False, device_type="cuda"):
    """A block whose graph keeps what it saves in the processor's memory, where it is: nothing is moved."""
    return nullcontext()


def get_device_states(*args):
    """The devices of tensors that are on a GPU, and the states of these devices' generators: none."""
    return [], []


def set_device_states(devices, states, *, device_type=None):
    """Put back what `get_device_states` gave: nothing."""
