# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class PackedSequence(builtins.tuple):
    """A batch of sequences without padding; `pack_padded_sequence` and `pack_sequence` make it."""
    def __init__(self, *args, **kwargs) -> None: ...
    def __getnewargs__(self):
        """Return self as a plain tuple.  Used by copy and pickle."""
    batch_sizes: Any
    def byte(self): ...
    def char(self): ...
    def cpu(self): ...
    def cuda(self): ...
    data: Any
    def double(self): ...
    def float(self): ...
    def half(self): ...
    def int(self): ...
    is_cuda: Any
    def long(self): ...
    def short(self): ...
    sorted_indices: Any
    def to(self, *args, **kwargs):
        """The same sequences with `data.to(...)`."""
    unsorted_indices: Any
def invert_permutation(permutation):
    """The indices that undo those of a permutation (N,); of None, None."""
def pack_padded_sequence(input, lengths, batch_first: _bool = False, enforce_sorted: _bool = True):
    """Leave the padding out of a batch."""
def pack_sequence(sequences, enforce_sorted: _bool = True):
    """Pack a list of Tensors (L, ...); see `pack_padded_sequence`."""
def pad_packed_sequence(sequence, batch_first: _bool = False, padding_value: _float = 0.0, total_length=None):
    """Undo `pack_padded_sequence`: the batch (T, B, ...), or (B, T, ...), and the lengths (B,)."""
def pad_sequence(sequences, batch_first: _bool = False, padding_value: _float = 0.0, padding_side: str = 'right'): ...
def unpack_sequence(packed_sequences):
    """Undo `pack_sequence`: a list of Tensors (L, ...), in the order in which they came."""
def unpad_sequence(padded_sequences, lengths, batch_first: _bool = False):
    """Undo `pad_sequence`: a list of Tensors (L, ...), of the lengths given as a Tensor (B,)."""
