"""Programs as graphs, as in torch.fx: there are none here, but a function may be marked for them."""

from tinytorch._lookup import face

__all__ = ["wrap"]

__getattr__, __dir__ = face(__name__)


def wrap(fn_or_name):
    """Mark a function that no graph looks into, and give it back: here none looks into any.

    >>> wrap(len)("abc")
    3
    """
    if not (callable(fn_or_name) or isinstance(fn_or_name, str)):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    return fn_or_name
