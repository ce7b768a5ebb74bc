"""`save` and `load`: tensors as safetensors, the structure around them as JSON, written by `write_beside`."""

import json
import os
import shutil
import tempfile
from collections import Counter, OrderedDict

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors import numpy as safetensors

from tinytorch.layers import Parameter
from tinytorch.tensor import Size, Tensor, device, wrap
from tinytorch.tensor import dtype as Dtype
from tinytorch.trainer import write_beside

__all__ = ["load", "save"]

SEQUENCES = {"tuple": tuple, "set": set, "Size": Size}
MAPPINGS = {"dict": dict, "OrderedDict": OrderedDict, "Counter": Counter}
NAMES = {kind: name for name, kind in (SEQUENCES | MAPPINGS).items()}


class Packer:
    """Take a value apart: into what JSON can hold, and its tensors' arrays by names made of their paths."""

    def __init__(self):
        self.arrays, self.names = {}, {}

    def pack(self, value, path=()):
        kind = type(value)
        if value is None or kind in (bool, int, float, str):
            return value
        if isinstance(value, Tensor):
            return self.pack_tensor(value, path)
        if kind is list or NAMES.get(kind) in SEQUENCES:
            items = [self.pack(item, (*path, number)) for number, item in enumerate(value)]
            return items if kind is list else {NAMES[kind]: items}
        if kind in NAMES:
            return {
                NAMES[kind]: [
                    [self.pack(key, path), self.pack(item, (*path, key))] for key, item in value.items()
                ]
            }
        if kind is Dtype:
            return {"dtype": value.name}
        if kind is device:
            return {"device": str(value)}
        place = f" at {'.'.join(map(str, path))}" if path else ""
        raise TypeError(
            f"save cannot hold an object of type {kind.__module__}.{kind.__qualname__}{place}. It holds "
            "tensors, numbers, strings, None, and lists, tuples, sets and dicts of them; of a module or an "
            "optimizer, save its state_dict()"
        )

    def pack_tensor(self, value, path):
        key = value.data_ptr(), value.shape, value.stride(), value.dtype
        if key not in self.names:  # else it shares the memory of a tensor that is here already
            name = ".".join(map(str, path)) or "tensor"
            while name in self.arrays:
                name += "'"
            self.names[key] = name
            self.arrays[name] = np.asarray(value.detach().cpu().array, order="C")
        marks = {"requires_grad": value.requires_grad, "parameter": isinstance(value, Parameter)}
        place = {} if value.device.type == "cpu" else {"device": str(value.device)}
        return {
            "tensor": self.names[key],
            **{name: True for name, mark in marks.items() if mark},
            **place,
        }


def unpack(value, tensor_of):
    """Put together what `Packer` took apart, with its tensors from the function `tensor_of`."""
    if isinstance(value, list):
        return [unpack(item, tensor_of) for item in value]
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        return tensor_of(**value)
    ((name, content),) = value.items()
    if name in SEQUENCES:
        return SEQUENCES[name](unpack(content, tensor_of))
    if name in MAPPINGS:
        return MAPPINGS[name]({unpack(key, tensor_of): unpack(item, tensor_of) for key, item in content})
    return wrap(np.empty(0, content)).dtype if name == "dtype" else device(content)


def save(obj, f):
    """Write tensors, and lists, tuples, sets and dicts of tensors, numbers and strings, to a file.

    The file is in the safetensors format, the structure as JSON in its metadata: reading it runs no code, as
    unpickling may. It is written beside and renamed, so that whoever kills the program finds the old file or
    the new one. Tensors that share their memory share it again when they are loaded.

    Args:
        obj: what to save; of a module or an optimizer, its `state_dict()`.
        f: a path, or a file that is open for writing bytes.

    Raises:
        TypeError: for an object of another kind, with its place; nothing has been written.
    """
    packer = Packer()
    metadata = {"tinytorch": json.dumps(packer.pack(obj))}
    if hasattr(f, "write"):
        f.write(safetensors.save(packer.arrays, metadata))
    else:
        write_beside(f, lambda path: safetensors.save_file(packer.arrays, path, metadata))


def load(f, map_location=None, *, weights_only=True):
    """Read what `save` has written.

    Args:
        f: a path, or a file that is open for reading bytes.
        map_location: the device for the tensors; None for the one they were on.
        weights_only: taken for PyTorch's sake: there is nothing but data in these files.

    Raises:
        RuntimeError: if the file was cut short, or was not written by `save`.
    """
    if hasattr(f, "read"):
        with tempfile.NamedTemporaryFile() as copy:
            shutil.copyfileobj(f, copy)
            copy.flush()
            return load(copy.name, map_location)
    if map_location is not None and not isinstance(map_location, (str, device)):
        raise TypeError(f"map_location is a device or its name, not a {type(map_location).__name__}")
    with open(f, "rb"):  # the system's own words for a file that is missing, or a folder
        pass
    try:
        with safe_open(f, framework="np") as file:
            structure = (file.metadata() or {}).get("tinytorch")
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise RuntimeError(f"{os.fspath(f)} was cut short, or was not written by save: {error}") from None
    if structure is None:
        raise RuntimeError(
            f"{os.fspath(f)} was not written by save: read it with safetensors.numpy.load_file"
        )
    made = {}

    def tensor_of(tensor, requires_grad=False, parameter=False, device="cpu"):
        key = tensor, requires_grad, parameter
        if key not in made:
            found = wrap(arrays[tensor]).to(map_location or device)
            made[key] = Parameter(found, requires_grad) if parameter else found.requires_grad_(requires_grad)
        return made[key]

    return unpack(json.loads(structure), tensor_of)
