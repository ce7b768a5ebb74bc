"""How a tensor prints: PyTorch's text, to the last space."""

import math
from types import SimpleNamespace

import numpy as np

from tinytorch.given import methods_of
from tinytorch.tensor import Tensor, get_default_dtype

__all__ = ["PRINT_DEFAULTS", "PRINT_PROFILES", "print_options", "set_printoptions", "tensor_repr"]

PRINT_DEFAULTS = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80}
PRINT_PROFILES = {"default": {}, "short": {"precision": 2, "edgeitems": 2}, "full": {"threshold": math.inf}}
print_options = SimpleNamespace(**PRINT_DEFAULTS, sci_mode=None)


def set_printoptions(
    precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None
):
    """Choose how tensors print; what is left out stays as it is, except `sci_mode`.

    Args:
        precision: digits after the point (at first 4).
        threshold: the number of elements above which a tensor is summarised (1000).
        edgeitems: how many elements a summary keeps at each end of a dimension (3).
        linewidth: characters in a line (80).
        profile: "default", "short" or "full" (never summarised), to start from.
        sci_mode: True for scientific notation, False for none, None to let the values decide.
    """
    if profile in PRINT_PROFILES:
        vars(print_options).update(PRINT_DEFAULTS | PRINT_PROFILES[profile])
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    vars(print_options).update({name: value for name, value in given.items() if value is not None})
    print_options.sci_mode = sci_mode


def tensor_repr(tensor):
    """Write a tensor as PyTorch does: its values, then what is not to be seen from them.

    >>> tensor_repr(Tensor([1, 2.5]))
    'tensor([1.0000, 2.5000])'
    """
    array = (tensor if tensor.device.type == "cpu" else tensor.cpu()).array
    edge = print_options.edgeitems
    cut = [array.size > print_options.threshold and length > 2 * edge for length in array.shape]
    kept = [np.r_[:edge, n - edge : n] if c else np.r_[:n] for n, c in zip(array.shape, cut, strict=True)]
    shown = array[np.ix_(*kept)] if any(cut) else array  # only the edges, however large the tensor is
    text, numbers = f"{getattr(tensor, '_printed', 'tensor')}(", _number_format(shown)
    text += "[]" if array.size == 0 else _write(shown, cut, *numbers, indent=len(text))

    notes = []
    if tensor.device.type != "cpu":
        notes.append(f"device='{tensor.device}'")
    if array.ndim != 1 if array.size == 0 else edge == 0:
        notes.append(f"size={array.shape}")
    if array.dtype != get_default_dtype().numpy and (
        array.size == 0 or array.dtype not in (np.int64, np.bool_)
    ):
        notes.append(f"dtype=torch.{array.dtype}")
    if tensor.grad_fn is not None:
        notes.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        notes.append("requires_grad=True")

    column = len(text) - text.rfind("\n") + 1
    for note in notes:
        column += len(note) + 2
        fits = column <= print_options.linewidth
        text += (", " if fits else ",\n" + " " * 7) + note
        column = column if fits else len(note) + 7
    return text + ")"


def _number_format(numbers):
    """Choose one notation, as Python's `format` takes it, and one width for all the numbers."""
    values, notation, precision = numbers.ravel().tolist(), "", print_options.precision
    if numbers.dtype.kind == "f":
        values = [value for value in values if value != 0 and math.isfinite(value)]
        sizes = [abs(value) for value in values] or [1]
        scientific = max(sizes) / min(sizes) > 1000 or max(sizes) > 1e8 or min(sizes) < 1e-4
        if values and print_options.sci_mode is not None:
            scientific = print_options.sci_mode
        whole = all(value.is_integer() for value in values)
        notation = f".{precision}e" if scientific else "#.0f" if whole else f".{precision}f"
    return notation, max((len(format(value, notation)) for value in values), default=1)


def _write(array, cut, notation, width, indent):
    """Write nested brackets, lines broken at the line width, with dots where a dimension was cut."""
    if array.ndim <= 1:
        items = [format(value, notation).rjust(width) for value in array.ravel().tolist()]
    else:
        items = [_write(row, cut[1:], notation, width, indent + 1) for row in array]
    if array.ndim == 0:
        return items[0]
    if cut[0]:
        items.insert(print_options.edgeitems, " ..." if array.ndim == 1 and items else "...")
    if array.ndim == 1:
        count = max(1, (print_options.linewidth - indent) // (width + 2))
        items = [", ".join(items[start : start + count]) for start in range(0, len(items), count)]
    return "[" + ("," + "\n" * max(1, array.ndim - 1) + " " * (indent + 1)).join(items) + "]"


@methods_of(Tensor)
class Printed:
    """What `print` shows."""

    def __repr__(self):
        return tensor_repr(self)
