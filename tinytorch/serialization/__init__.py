"""Saving and loading, as in torch.serialization.

What is loaded is never a program, so no class has to be declared safe: what is declared is only remembered.
"""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__, {"tinytorch": "save load"})
DEFAULT_PROTOCOL = 2  # of pickle, in the files that `save` writes
_safe = []


def add_safe_globals(safe_globals):
    """Remember classes and functions as safe to load."""
    _safe.extend(one for one in safe_globals if one not in _safe)


def get_safe_globals():
    """What was declared safe."""
    return list(_safe)


def clear_safe_globals():
    """Forget what was declared safe."""
    _safe.clear()


class safe_globals:
    """Declare classes and functions safe in a block."""

    def __init__(self, safe_globals):
        self.safe_globals = safe_globals

    def __enter__(self):
        self.before = get_safe_globals()
        add_safe_globals(self.safe_globals)

    def __exit__(self, *error):
        _safe[:] = self.before
