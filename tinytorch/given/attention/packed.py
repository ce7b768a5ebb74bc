"""Sequences of different lengths in one batch, as in torch.nn.utils.rnn: padded, or packed without padding.

A packed batch holds, step after step, the vectors of those sequences that have not ended yet. With the
longest sequence first, those of a step are the first `batch_sizes[t]` of the batch.

    a a a        padded, (B, T)           packed: data [a b c, a b, a], batch_sizes [3, 2, 1]
    b b .
    c . .
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tinytorch.tensor import (
    Tensor,
    as_tensor,
    cat,
    float16,
    float32,
    float64,
    full,
    int8,
    int16,
    int32,
    int64,
    stack,
    uint8,
    wrap,
)

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(Packed):
    """A batch of sequences without padding; `pack_padded_sequence` and `pack_sequence` make it.

    Attributes:
        data: the vectors of all steps, (sum of the lengths, ...).
        batch_sizes: how many sequences reach each step, int64 (T,).
        sorted_indices: where each sequence, the longest first, stood in the batch; None if it was sorted.
        unsorted_indices: the way back.
    """

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs):
        """The same sequences with `data.to(...)`."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else type(self)(data, *self[1:])

    double = lambda self: self.to(float64)
    float = lambda self: self.to(float32)
    half = lambda self: self.to(float16)
    long = lambda self: self.to(int64)
    int = lambda self: self.to(int32)
    short = lambda self: self.to(int16)
    char = lambda self: self.to(int8)
    byte = lambda self: self.to(uint8)
    cpu = lambda self: self.to("cpu")
    cuda = lambda self: self.to("cuda")
    is_cuda = property(lambda self: self.data.device.type == "cuda")


def invert_permutation(permutation):
    """The indices that undo those of a permutation (N,); of None, None."""
    return None if permutation is None else wrap(np.argsort(permutation.array))


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Leave the padding out of a batch.

    Args:
        input: (T, B, ...), or (B, T, ...) with `batch_first`.
        lengths: the length of each sequence, from 1 to T, a list or a Tensor (B,).
        enforce_sorted: refuse a batch whose longest sequence is not first, and so on; False sorts it.

    Returns:
        A PackedSequence.

    Raises:
        RuntimeError: for lengths that the batch does not have.
    """
    lengths = (lengths if isinstance(lengths, Tensor) else as_tensor(lengths, dtype=int64)).long()
    if input.dim() < 2:
        raise IndexError(f"a padded batch has a dimension of steps and one of sequences, not {input.dim()}")
    if batch_first:
        input = input.transpose(0, 1)
    order = None
    if not enforce_sorted:
        lengths, order = lengths.sort(descending=True)
        input = input.index_select(1, order)
    if 0 in input.shape:
        raise RuntimeError("Cannot pack empty tensors.")
    check_lengths(lengths.array, *input.shape[:2])
    there = np.arange(lengths.array[0])[:, None] < lengths.array  # (T, B): what is no padding
    data = input.flatten(0, 1).index_select(0, wrap(np.flatnonzero(there)))
    return PackedSequence(data, wrap(there.sum(axis=1)), order)


def check_lengths(lengths, T, B):
    """RuntimeError for lengths that B sequences of at most T vectors, the longest first, cannot have."""
    if lengths.shape != (B,):
        found = f"{lengths.shape[0]} of them" if lengths.ndim == 1 else f"a {lengths.ndim}-D tensor"
        raise RuntimeError(f"lengths should be one for each of the {B} sequences, but got {found}")
    if (lengths <= 0).any():
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if (lengths[1:] > lengths[:-1]).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True; "
            "`enforce_sorted=False` has the batch sorted"
        )
    if lengths[0] > T:
        raise RuntimeError(f"a length of {lengths[0]} is more than the {T} steps of the batch")


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """Undo `pack_padded_sequence`: the batch (T, B, ...), or (B, T, ...), and the lengths (B,).

    `total_length` is a T beyond the longest sequence; ValueError for one below.
    """
    sizes = sequence.batch_sizes.array
    T, B = len(sizes) if total_length is None else total_length, sizes[0]
    if len(sizes) > T:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={T} and max sequence length being {len(sizes)}"
        )
    data, there = sequence.data, np.arange(B) < np.pad(sizes, (0, T - len(sizes)))[:, None]  # (T, B)
    rows = np.where(there, there.ravel().cumsum().reshape(T, B) - 1, len(data))  # the last row is padding
    padding = full((1, *data.shape[1:]), padding_value, dtype=data.dtype)
    output = cat([data, padding]).index_select(0, wrap(rows.ravel())).unflatten(0, (T, int(B)))
    lengths = wrap(there.sum(axis=0))
    if sequence.unsorted_indices is not None:
        output = output.index_select(1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices]
    return output.transpose(0, 1) if batch_first else output, lengths


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Stack Tensors (L, ...) of different lengths as (T, B, ...), or (B, T, ...), the short ones padded."""
    if not isinstance(sequences, Iterable):
        kind = type(sequences)
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {kind}"
        )
    sequences = tuple(sequences)
    for number, sequence in enumerate(sequences):
        if not isinstance(sequence, Tensor):
            kind = type(sequence).__name__
            raise TypeError(f"expected Tensor as element {number} in argument 0, but got {kind}")
    if not sequences or any(sequence.dim() == 0 for sequence in sequences):
        raise RuntimeError("pad_sequence takes one sequence or more, each with a dimension of steps")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    T, (_, *rest), dtype = max(map(len, sequences)), sequences[0].shape, sequences[0].dtype
    padded = []
    for sequence in sequences:
        sequence = sequence.to(dtype).expand(len(sequence), *rest)
        padding = full((T - len(sequence), *rest), padding_value, dtype=dtype)
        padded.append(cat([sequence, padding] if padding_side == "right" else [padding, sequence]))
    return stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """Undo `pad_sequence`: a list of Tensors (L, ...), of the lengths given as a Tensor (B,)."""
    batch = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    lengths = [max(0, length) for length in lengths.tolist()]
    return [sequence[:length].clone() for sequence, length in zip(batch, lengths, strict=True)]


def pack_sequence(sequences, enforce_sorted=True):
    """Pack a list of Tensors (L, ...); see `pack_padded_sequence`."""
    lengths = [sequence.size(0) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """Undo `pack_sequence`: a list of Tensors (L, ...), in the order in which they came."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)
