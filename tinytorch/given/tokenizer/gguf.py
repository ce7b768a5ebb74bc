"""A file of weights in GGUF, llama.cpp's format: what its header says, and its tensors as blocks of bytes."""

import math
import struct
from typing import NamedTuple

import numpy as np

__all__ = []

# struct's letters for the kinds of values
NUMBERS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9
BLOCKS = {0: ("F32", 1, 4), 3: ("Q4_1", 32, 20), 8: ("Q8_0", 32, 34)}  # name, weights and bytes of a block


class Stored(NamedTuple):
    """A tensor as stored in the file: the name of its kind, and its blocks, uint8 (rows, blocks, bytes)."""

    kind: str
    blocks: np.ndarray


class Header:
    """Reads one value after the other."""

    def __init__(self, data):
        self.data, self.position = data, 4  # after the four letters

    def number(self, letter):
        (value,) = struct.unpack_from(f"<{letter}", self.data, self.position)
        self.position += struct.calcsize(f"<{letter}")
        return value

    def text(self):
        length = self.number("Q")
        self.position += length
        return bytes(self.data[self.position - length : self.position]).decode("utf-8")

    def value(self, kind):
        if kind == TEXT:
            return self.text()
        if kind == LIST:
            kind, length = self.number("I"), self.number("Q")
            return [self.value(kind) for _ in range(length)]
        return self.number(NUMBERS[kind])

    def place(self):
        """A tensor's sizes, the number of its kind, and where it begins among the tensors."""
        sizes = [self.number("Q") for _ in range(self.number("I"))]
        return sizes, self.number("I"), self.number("Q")


def read_gguf(path):
    """What a file says of its model, a dict, and its tensors, a dict of `Stored`, which stay in the file.

    Raises:
        RuntimeError: if it is no GGUF file of version 2 or 3, or is damaged.
        ValueError: if a tensor is of a kind other than F32, Q4_1 and Q8_0.
    """
    try:
        data = np.memmap(path, np.uint8, "r")
        header = Header(memoryview(data))
        if bytes(data[:4]) != b"GGUF" or header.number("I") not in (2, 3):
            raise RuntimeError(f"{path} is no GGUF file of version 2 or 3")
        tensors, keys = header.number("Q"), header.number("Q")
        facts = {header.text(): header.value(header.number("I")) for _ in range(keys)}
        places = {header.text(): header.place() for _ in range(tensors)}
    except (struct.error, UnicodeDecodeError, KeyError, ValueError, OverflowError) as error:
        raise RuntimeError(f"{path} is damaged: {error}") from None
    alignment = facts.get("general.alignment", 32)
    data = data[math.ceil(header.position / alignment) * alignment :]
    return facts, {name: stored(path, data, name, *place) for name, place in places.items()}


def stored(path, data, name, sizes, kind, start):
    """A tensor's blocks; the first of its sizes is the length of a row."""
    if kind not in BLOCKS:
        raise ValueError(f"{name} is stored as GGUF's type {kind}; F32, Q4_1 and Q8_0 can be read")
    title, weights, size = BLOCKS[kind]
    shape = math.prod(sizes[1:]), sizes[0] // weights, size
    blocks = data[start : start + math.prod(shape)]
    if len(blocks) < math.prod(shape):
        raise RuntimeError(f"{path} is damaged: it ends before {name} does")
    return Stored(title, blocks.reshape(shape))
