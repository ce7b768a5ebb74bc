"""What programs ask of tensors beyond numbers: kinds of devices and of storage.

Most answers are the same for every tensor here, since all are dense, real, and on the processor.
"""

from importlib import import_module

from tinytorch._namespaces import missing_attribute
from tinytorch.given import methods_of
from tinytorch.tensor import Tensor, tensor

__all__ = [
    "_assert", "get_default_device", "get_device", "is_complex", "is_conj", "is_neg", "is_nonzero",
    "is_same_size", "is_signed", "set_default_device",
]  # fmt: skip


@methods_of(Tensor)
class Answers:
    """What is the same for every tensor that there is."""

    name = None

    def __getattr__(self, name):
        """Say of what is not there why it is left out, where that is known."""
        found = getattr(type(self), name, None)
        if found is not None:  # a property that has raised AttributeError, and does again
            return found.__get__(self)
        reason = missing_attribute(name)
        sentence = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(f"{sentence}: {reason}" if reason else sentence, name=name, obj=self)

    @property
    def is_cpu(self):
        """Whether the numbers lie in the processor's memory.

        >>> torch.ones(2).is_cpu
        True
        """
        return self.device.type == "cpu"

    is_sparse = is_sparse_csr = is_quantized = is_nested = is_meta = is_mkldnn = False
    is_xpu = is_mps = is_xla = is_ipu = is_mtia = is_maia = is_vulkan = False

    def is_complex(self):
        """Tell whether the numbers are complex: no.

        >>> torch.ones(2).is_complex()
        False
        """
        return False

    def is_conj(self):
        """Tell whether the numbers are yet to be conjugated: no.

        >>> torch.ones(2).is_conj()
        False
        """
        return False

    def is_neg(self):
        """Tell whether the numbers are yet to be negated: no.

        >>> torch.ones(2).is_neg()
        False
        """
        return False

    def is_distributed(self):
        """Tell whether the tensor is spread over several processes: no.

        >>> torch.ones(2).is_distributed()
        False
        """
        return False

    def is_signed(self):
        """Tell whether the type has negative numbers.

        >>> torch.tensor([1]).is_signed(), torch.tensor([True]).is_signed()
        (True, False)
        """
        return self.dtype.is_signed

    def is_nonzero(self):
        """Tell whether the one element is other than 0; RuntimeError for more elements than one.

        >>> torch.tensor([2]).is_nonzero()
        True
        """
        return bool(self)

    def conj(self):
        """Return the tensor itself, for real numbers are their own conjugates.

        >>> torch.tensor([1.0, 2.0]).conj()
        tensor([1., 2.])
        """
        return self

    def resolve_conj(self):
        """Return the tensor itself: nothing is yet to be conjugated.

        >>> torch.tensor([1.0, 2.0]).resolve_conj()
        tensor([1., 2.])
        """
        return self

    def resolve_neg(self):
        """Return the tensor itself: nothing is yet to be negated.

        >>> torch.tensor([1.0, 2.0]).resolve_neg()
        tensor([1., 2.])
        """
        return self

    @property
    def real(self):
        """The real part: the tensor itself.

        >>> torch.tensor([1.0, 2.0]).real
        tensor([1., 2.])
        """
        return self

    def ndimension(self):
        """Count the dimensions: `dim` by its old name.

        >>> torch.ones(2, 3).ndimension()
        2
        """
        return self.ndim

    def is_pinned(self, device=None):
        """Tell whether the memory is page-locked: no.

        >>> torch.ones(2).is_pinned()
        False
        """
        return False

    def pin_memory(self, device=None):
        """Refuse to lock the memory for an accelerator that is not there: RuntimeError.

        >>> torch.ones(2).is_pinned()
        False
        """
        raise RuntimeError("Cannot access accelerator device when none is available.")

    def get_device(self):
        """Tell the number of the GPU that holds the tensor; -1 on the processor.

        >>> torch.ones(2).get_device()
        -1
        """
        return -1 if self.device.index is None else self.device.index

    def is_same_size(self, other):
        """Tell whether another tensor has the same shape.

        >>> torch.ones(2, 3).is_same_size(torch.zeros(2, 3))
        True
        """
        return self.shape == other.shape


def checked(input, function, position=1):
    """`input`, if it is a tensor; TypeError otherwise."""
    if not isinstance(input, Tensor):
        kind, name = type(input).__name__, "other" if position > 1 else "input"
        raise TypeError(f"{function}(): argument '{name}' (position {position}) must be Tensor, not {kind}")
    return input


def is_complex(input):
    """Whether the numbers are complex: no."""
    return checked(input, "is_complex").is_complex()


def is_conj(input):
    """Whether the numbers are yet to be conjugated: no."""
    return checked(input, "is_conj").is_conj()


def is_neg(input):
    """Whether the numbers are yet to be negated: no."""
    return checked(input, "is_neg").is_neg()


def is_nonzero(input):
    """Whether the one element of a tensor is not zero."""
    return checked(input, "is_nonzero").is_nonzero()


def _assert(condition, message):
    """Refuse by AssertionError what is not as `message` says, also where programs are recorded."""
    assert condition, message


def is_signed(input):
    """Whether the type has negative numbers."""
    return checked(input, "is_signed").is_signed()


def is_same_size(input, other):
    """Whether two tensors have the same shape."""
    return checked(input, "is_same_size").is_same_size(checked(other, "is_same_size", 2))


def get_device(input):
    """The number of the GPU that holds a tensor; -1 on the processor."""
    return checked(input, "get_device").get_device()


def get_default_device():
    """Where new tensors are made: on the processor."""
    return tensor(0).device


def set_default_device(device):
    """Choose where new tensors are made, which is the processor, or refuse."""
    if device is not None:
        tensor(0).to(device=device)


# What no lesson speaks of, a topic a file.
TOPICS = "legacy_types aliases bits placing sequences exchange storages special_functions triangular"
for _topic in f"{TOPICS} decompositions slopes in_place_names in_place_views operators".split():
    _module = import_module(f"tinytorch.given.tensor.{_topic}")
    globals().update({_name: getattr(_module, _name) for _name in _module.__all__})
    __all__ += _module.__all__
