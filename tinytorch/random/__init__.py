"""Seeds and states of the generator, as in torch.random."""

from contextlib import contextmanager

from tinytorch._lookup import face

NAMES = "manual_seed seed initial_seed get_rng_state set_rng_state default_generator Generator"
__getattr__, __dir__ = face(__name__, {"tinytorch.tensor": NAMES})


@contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type=None):
    """Give the generator back its state after a block."""
    from tinytorch.tensor import get_rng_state, set_rng_state

    state = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)
