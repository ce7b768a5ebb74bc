"""`save` and `load`: tensors as safetensors with JSON, or PyTorch's own files, written by `write_beside`."""

import base64
import json
import os
import shutil
import tempfile
import warnings
import zipfile
from collections import Counter, OrderedDict

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors import numpy as safetensors

from tinytorch.given.tensor.storages import memory_of
from tinytorch.given.trainer.pickled import is_pickled, load_pickled, save_pickled
from tinytorch.layers import Parameter
from tinytorch.tensor import Size, Tensor, address, device, from_numpy, owner, wrap
from tinytorch.tensor import dtype as Dtype
from tinytorch.trainer import write_beside

__all__ = ["load", "save"]

PYTORCHS = (".pt", ".pth", ".bin", ".ckpt", ".tar", ".pkl")  # how names end where PyTorch's format is meant
SEQUENCES = {"tuple": tuple, "set": set, "frozenset": frozenset, "Size": Size}
MAPPINGS = {"dict": dict, "OrderedDict": OrderedDict, "Counter": Counter}
NAMES = {kind: name for name, kind in (SEQUENCES | MAPPINGS).items()}


# Saving ---------------------------------------------------------------------------------------------------
class Packer:
    """Take a value apart: into what JSON can hold, and its tensors' arrays by names made of their paths."""

    def __init__(self):
        self.arrays, self.tensors = (
            {},
            {},
        )  # by name; by memory: (record, tensor, path) of all that look into it

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
            items = value.items()
            return {
                NAMES[kind]: [[self.pack(key, path), self.pack(item, (*path, key))] for key, item in items]
            }
        if kind is Dtype:
            return {"dtype": value.name}
        if kind is device:
            return {"device": str(value)}
        if kind is complex:
            return {"complex": [value.real, value.imag]}
        if kind in (bytes, bytearray):
            return {kind.__name__: base64.b64encode(value).decode()}
        if (kind is np.ndarray or isinstance(value, np.generic)) and value.dtype.kind in "biuf":
            name = self.keep(np.asarray(value, order="C"), path)
            return {"array": name} if kind is np.ndarray else {"scalar": name}
        raise TypeError(refusal(value, f" at {'.'.join(map(str, path))}" if path else ""))

    def pack_tensor(self, value, path):
        marks = {"requires_grad": value.requires_grad, "parameter": isinstance(value, Parameter)}
        place = {} if value.device.type == "cpu" else {"device": str(value.device)}
        record = {"tensor": None, **{name: True for name, mark in marks.items() if mark}, **place}
        memory = address(owner(value.array)), value.dtype
        self.tensors.setdefault(memory, []).append((record, value, path))
        return record

    def keep_tensors(self):
        """Keep each tensor once; of several views of one memory, the memory, and how they look into it."""
        for views in self.tensors.values():
            tensor, path = views[0][1:]
            if len({(view.data_ptr(), view.shape, view.stride()) for _, view, _ in views}) > 1:
                size = memory_of(tensor.array).size
                whole = [view[1:] for view in views if view[1].numel() == size and view[1].is_contiguous()]
                tensor, path = whole[0] if whole else (wrap(memory_of(tensor.array)), path)
            name = self.keep(np.asarray(tensor.detach().cpu().array, order="C"), path)
            shown = tensor.data_ptr(), tensor.shape, tensor.stride()
            for record, view, _ in views:
                record["tensor"] = name
                if (view.data_ptr(), view.shape, view.stride()) != shown:
                    record["view"] = [view.storage_offset(), view.shape, view.stride()]

    def keep(self, array, path):
        """The name under which an array is kept: its path, with a mark where that is taken."""
        name = ".".join(map(str, path)) or "tensor"
        while name in self.arrays:
            name += "'"
        self.arrays[name] = array
        return name


def refusal(value, place):
    """Why a value cannot be saved, in a sentence."""
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(value, np.ndarray | np.generic):
        return f"save cannot hold an array of {value.dtype}{place}, only whole and floating point numbers"
    if hasattr(value, "state_dict"):
        return (
            f"save cannot hold a whole {name}{place}: a file holds data, and never the code that such an "
            "object is made by. Save its state_dict(), and load that into one that your program has made; or "
            "save it to a path that ends in .pt, as PyTorch does"
        )
    return (
        f"save cannot hold an object of type {name}{place}. It holds tensors, arrays, numbers, strings, "
        "bytes, None, and lists, tuples, sets and dicts of them"
    )


def save(
    obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True,
    _disable_byteorder_record=False,
):  # fmt: skip
    """Write tensors, and lists, tuples, sets and dicts of tensors, arrays, numbers and strings, to a file.

    The file is in the safetensors format, the structure as JSON in its metadata: reading it runs no code, as
    unpickling may. If its name ends in .pt, .pth, .bin, .ckpt, .tar or .pkl, it is in PyTorch's format,
    which PyTorch reads, and which may hold any object. It is written beside and renamed, so that who kills
    the program finds the old file or the new one. Tensors that share memory share it when they are loaded.

    Args:
        obj: what to save; of a module or an optimizer, its `state_dict()`.
        f: a path, or a file that is open for writing bytes.
        pickle_module: None, since nothing is pickled; what follows it changes nothing, either.

    Raises:
        TypeError: for an object of another kind, with its place; nothing has been written.
    """
    if pickle_module is not None:
        raise RuntimeError(f"save does not pickle, and has no use for pickle_module={pickle_module!r}")
    check_file(f, "write")
    name = name_of(f)
    if name.endswith(PYTORCHS):
        folder = os.path.splitext(os.path.basename(name))[0] or "archive"
        if hasattr(f, "write"):
            save_pickled(obj, f, folder)
        else:
            write_beside(f, lambda path: save_pickled(obj, path, folder))
        return
    packer = Packer()
    structure = packer.pack(obj)
    packer.keep_tensors()
    metadata = {"tinytorch": json.dumps(structure)}
    if hasattr(f, "write"):
        f.write(safetensors.save(packer.arrays, metadata))
    else:
        write_beside(f, lambda path: safetensors.save_file(packer.arrays, path, metadata))


def name_of(f):
    """The name of a path or of an open file; "" for one without."""
    name = f if isinstance(f, str | os.PathLike) else getattr(f, "name", "")
    return os.fspath(name) if isinstance(name, str | os.PathLike) else ""


def check_file(f, method):
    """Refuse what is neither a path nor an open file."""
    if not (isinstance(f, str | os.PathLike) or hasattr(f, method)):
        raise AttributeError(f"f is a path or an open file, and {type(f).__name__} has no attribute {method}")


# Loading --------------------------------------------------------------------------------------------------
def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """Read what `save` has written, or the tensors of any safetensors file as a dict.

    Args:
        f: a path, or a file that is open for reading bytes.
        map_location: the device for the tensors; None for the one they were on; a dict from one to the other;
            or a function of a tensor in main memory and the name of the device where it was.
        weights_only: of a file of PyTorch's, read tensors, plain containers and numbers, and nothing else.
            False reads whatever was pickled, and so runs what its author chose: only for a file you trust.
        mmap: taken for PyTorch's sake.
        pickle_module: None, since there is a choice of two unpicklers, by `weights_only`.

    Raises:
        RuntimeError: if the file was cut short, or is of another kind.
        pickle.UnpicklingError: if there is more in a file of PyTorch's than may be read.
    """
    if pickle_module is not None:
        raise RuntimeError(f"load does not unpickle, and has no use for pickle_module={pickle_module!r}")
    if pickle_load_args:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    if not (map_location is None or isinstance(map_location, (str, device, dict)) or callable(map_location)):
        kind = type(map_location).__name__
        raise TypeError(f"map_location is a device or its name, a dict of them, or a function, not a {kind}")
    check_file(f, "read")
    if hasattr(f, "read"):
        if mmap:
            raise ValueError("f must be a file path in order to use the mmap argument")
        with tempfile.NamedTemporaryFile() as copy:
            shutil.copyfileobj(f, copy)
            copy.flush()
            return read(copy.name, getattr(f, "name", "what is in f"), map_location, weights_only)
    return read(f, os.fspath(f), map_location, weights_only)


def read(path, title, map_location, weights_only):
    """What a file at a path holds, whose title errors are to name."""
    if os.path.isfile(path) and is_pickled(path):

        def place(tensor, location):
            try:
                return placed(tensor, location, map_location)
            except AssertionError as error:
                raise RuntimeError(
                    f"{title} has tensors of a CUDA device: load it with map_location='cpu' ({error})"
                ) from None

        return load_pickled(path, title, place, weights_only is not False)
    arrays, structure = read_arrays(path, title)
    if structure is None:
        return {name: placed(from_numpy(array), "cpu", map_location) for name, array in arrays.items()}
    made = {}

    def tensor_of(tensor, requires_grad=False, parameter=False, device="cpu", view=None):
        key = tensor, requires_grad, parameter, str(view)
        if key not in made:
            array = arrays[tensor] if view is None else view_of(arrays[tensor], *view)
            found = placed(wrap(array), device, map_location)
            made[key] = Parameter(found, requires_grad) if parameter else found.requires_grad_(requires_grad)
        return made[key]

    return unpack(json.loads(structure), arrays, tensor_of)


def view_of(array, offset, shape, strides):
    """A view of an array's memory by offset, shape and strides, in elements; RuntimeError beyond it."""
    last = offset + sum((n - 1) * step for n, step in zip(shape, strides))
    if min(offset, *strides, 0) < 0 or (0 not in shape and last >= array.size):
        raise RuntimeError(f"a view of shape {shape} looks beyond the memory of {array.size} elements")
    step = array.itemsize
    return np.ndarray(shape, array.dtype, array, offset * step, [n * step for n in strides])


def read_arrays(path, title):
    """The arrays of a safetensors file by name, and the structure that `save` stored with them, or None."""
    with open(path, "rb"):  # the system's own words for a file that is missing, or a folder
        pass
    try:
        with safe_open(path, framework="np") as file:
            names = list(file.keys())
            foreign = {file.get_slice(name).get_dtype() for name in names} - set(safetensors._TYPES)
            if foreign:
                raise RuntimeError(
                    f"{title} has tensors of type {', '.join(sorted(foreign))}, which is not here: write "
                    "them as float32"
                )
            return {name: file.get_tensor(name) for name in names}, (file.metadata() or {}).get("tinytorch")
    except SafetensorError as error:
        raise RuntimeError(f"{title} {foreign_file(path, error)}") from None


def foreign_file(path, error):
    """What a file is that is not in the safetensors format, in a sentence."""
    with open(path, "rb") as file:
        begin = file.read(1024)
    names = zipfile.ZipFile(path).namelist() if zipfile.is_zipfile(path) else []
    if b"/data.pkl" in begin:
        return "is PyTorch's, and was cut short"
    if begin.startswith(b"\x80") and begin[8:9] != b"{":  # a number's first byte, in safetensors
        what = "a pickle, as older versions of PyTorch wrote it"
    elif begin.startswith(b"\x93NUMPY") or any(name.endswith(".npy") for name in names):
        return "is NumPy's, and numpy.load reads it"
    else:
        return f"was cut short, or was not written by save: {error}"
    return f"is {what}, which load does not read. Write it again with torch.save of PyTorch 1.6 or later"


def placed(tensor, place, map_location):
    """A tensor where it was, `place`, or where `map_location` says."""
    if callable(map_location) and not isinstance(map_location, device):
        found = map_location(tensor, place)
        return tensor.to(place) if found is None else found
    if isinstance(map_location, dict):
        map_location = map_location.get(place)
    return tensor.to(map_location or place)


def unpack(value, arrays, tensor_of):
    """Put together what `Packer` took apart, with its arrays, and its tensors from `tensor_of`."""
    if isinstance(value, list):
        return [unpack(item, arrays, tensor_of) for item in value]
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        return tensor_of(**value)
    ((name, content),) = value.items()
    if name in SEQUENCES:
        return SEQUENCES[name](unpack(content, arrays, tensor_of))
    if name in MAPPINGS:
        return MAPPINGS[name](dict(unpack(content, arrays, tensor_of)))
    if name in ("array", "scalar"):
        return arrays[content] if name == "array" else arrays[content][()]
    if name in ("bytes", "bytearray"):
        return {"bytes": bytes, "bytearray": bytearray}[name](base64.b64decode(content))
    if name == "complex":
        return complex(*content)
    return wrap(np.empty(0, content)).dtype if name == "dtype" else device(content)
