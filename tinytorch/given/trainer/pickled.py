"""PyTorch's own files: a zip with the tensors' memory as it is, and a pickle of the structure around them.

A pickle is a program. So it is read by an unpickler that knows tensors, plain containers and numbers, and
nothing else, unless the caller asks for all of it by `weights_only=False`.
"""

import functools
import pickle
import zipfile
from collections import Counter, OrderedDict, defaultdict
from typing import NamedTuple

import numpy as np

from tinytorch.given.tensor.storages import memory_of
from tinytorch.layers import Parameter
from tinytorch.tensor import Size, Tensor, address, bfloat16, device, dtypes, type_names, uint8, wrap
from tinytorch.tensor import dtype as Dtype

__all__ = []

STORAGES = {f"{name}Storage": kind for kind, name in type_names.items()} | {"UntypedStorage": uint8}


# Writing --------------------------------------------------------------------------------------------------
class Global(NamedTuple):
    """A name in one of PyTorch's modules; PyTorch does not have to be installed."""

    module: str
    name: str

    def __call__(self):
        """Nothing: it is PyTorch's that will be called."""


@functools.cache
def named(module, name):
    """The name as one object, which a pickle writes once."""
    return Global(module, name)


def is_untyped(kind):
    """Whether PyTorch has no storage of a NumPy type, and writes bytes along with the type."""
    return kind.kind == "u" and kind.itemsize > 1


class Pickler(pickle._Pickler):  # in Python: the one in C looks for every name in a module
    """Pickle as PyTorch does: a tensor as a view of a storage, the storages' memory outside the pickle."""

    def __init__(self, file):
        super().__init__(file, protocol=2)
        self.memories, self.keys = [], {}

    def save_name(self, obj):
        module, name = ("torch", obj.name) if isinstance(obj, Dtype) else obj
        self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())
        self.memoize(obj)

    dispatch = pickle._Pickler.dispatch | dict.fromkeys((Global, Dtype, type(bfloat16)), save_name)

    def reducer_override(self, obj):
        if isinstance(obj, Parameter):
            return named("torch._utils", "_rebuild_parameter"), (
                obj.detach(),
                obj.requires_grad,
                OrderedDict(),
            )
        if isinstance(obj, Tensor):
            whole = obj.detach().cpu()
            reference = Reference(memory_of(whole.array), str(obj.device))
            view = whole.storage_offset(), tuple(whole.shape), whole.stride()
            arguments = reference, *view, obj.requires_grad, OrderedDict()
            if is_untyped(whole.array.dtype):
                return named("torch._utils", "_rebuild_tensor_v3"), (*arguments, obj.dtype)
            return named("torch._utils", "_rebuild_tensor_v2"), arguments
        if isinstance(obj, device):
            return named("torch", "device"), (obj.type,) if obj.index is None else (obj.type, obj.index)
        if isinstance(obj, Size):
            return named("torch", "Size"), (tuple(obj),)
        return NotImplemented

    def persistent_id(self, obj):
        """The reference to a storage: its kind, its number among all, and its length."""
        if not isinstance(obj, Reference):
            return None
        memory = obj.memory
        key = address(memory), memory.nbytes, memory.dtype
        if key not in self.keys:
            self.keys[key] = str(len(self.memories))
            self.memories.append(memory)
        if is_untyped(memory.dtype):
            return (
                "storage",
                named("torch.storage", "UntypedStorage"),
                self.keys[key],
                obj.place,
                memory.nbytes,
            )
        kind = named("torch", f"{type_names[dtypes[memory.dtype]]}Storage")
        return "storage", kind, self.keys[key], obj.place, memory.size


class Reference(NamedTuple):
    """The memory of a tensor, and its device."""

    memory: np.ndarray
    place: str


def save_pickled(obj, file, name):
    """Write an object to an open file as PyTorch does; `name` is the folder in the zip."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        with archive.open(f"{name}/data.pkl", "w", force_zip64=True) as structure:
            pickler = Pickler(structure)
            pickler.dump(obj)
        archive.writestr(f"{name}/byteorder", "little")
        for number, memory in enumerate(pickler.memories):
            little = memory.astype(memory.dtype.newbyteorder("<"), copy=False)
            archive.writestr(f"{name}/data/{number}", memoryview(little).cast("B"))
        archive.writestr(f"{name}/version", "3\n")


# Reading --------------------------------------------------------------------------------------------------
def is_pickled(path):
    """Whether a file is one of PyTorch's."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(name.endswith("/data.pkl") for name in archive.namelist())


def encoded(text, encoding):
    """Bytes, which the pickle has as text."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"bytes are written as latin1, not as {encoding}")
    return text.encode("latin1")


def rebuilt(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    """A tensor that looks into a storage; ValueError if it would look beyond it."""
    array, place = storage
    step = array.itemsize
    view = np.ndarray(tuple(size), array.dtype, array, storage_offset * step, [n * step for n in stride])
    return place(wrap(view)).requires_grad_(requires_grad)


def rebuilt_of_bytes(
    storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None
):
    """A tensor of a type that looks into a storage of bytes."""
    storage = storage[0].view(dtype.numpy), storage[1]
    return rebuilt(storage, storage_offset, size, stride, requires_grad, backward_hooks)


def rebuilt_parameter(data, requires_grad, backward_hooks):
    """A parameter around a tensor's memory."""
    return Parameter(data, requires_grad)


KNOWN = {
    ("torch._utils", "_rebuild_tensor_v2"): rebuilt,
    ("torch._utils", "_rebuild_tensor_v3"): rebuilt_of_bytes,
    ("torch.storage", "UntypedStorage"): Global("torch.storage", "UntypedStorage"),
    ("torch._utils", "_rebuild_parameter"): rebuilt_parameter,
    ("torch", "Size"): Size,
    ("torch", "device"): device,
    ("_codecs", "encode"): encoded,
    ("collections", "OrderedDict"): OrderedDict,
    ("collections", "Counter"): Counter,
    ("collections", "defaultdict"): defaultdict,
    **{("torch", kind.name): kind for kind in (*dtypes.values(), bfloat16)},
    **{("torch", name): Global("torch", name) for name in STORAGES},
    **{
        (module, kind.__name__): kind
        for module in ("builtins", "__builtin__")
        for kind in (set, frozenset, complex, bytearray, int, float, list, dict, tuple)
    },
}


class WeightsOnly(pickle.Unpickler):
    """Read tensors, plain containers and numbers; UnpicklingError for whatever else there is."""

    def __init__(self, file, archive, place):
        super().__init__(file, encoding="utf-8")
        self.archive, self.place, self.storages = archive, place, {}

    def find_class(self, module, name):
        from tinytorch.serialization import get_safe_globals

        if (module, name) in KNOWN:
            return KNOWN[module, name]
        for declared in get_safe_globals():
            if (declared.__module__, declared.__qualname__) == (module, name):
                return declared
        raise pickle.UnpicklingError(
            f"Weights only load failed. Unsupported global: GLOBAL {module}.{name} is no data. To load it is "
            "to run what the author of the file chose: only if you trust where it comes from, load it with "
            "weights_only=False, or declare the class by torch.serialization.add_safe_globals"
        )

    def persistent_load(self, saved):
        kind, storage, key, location, count = saved
        if kind != "storage" or not isinstance(storage, Global):
            raise pickle.UnpicklingError(f"Weights only load failed. Unsupported persistent id {kind!r}")
        if key not in self.storages:
            self.storages[key] = self.array(STORAGES[storage.name], key, count)
        return self.storages[key], lambda tensor: self.place(tensor, location)

    def array(self, kind, key, count):
        """The memory of a storage."""
        try:
            content = bytearray(self.archive.read(f"data/{key}"))
        except KeyError:
            raise RuntimeError(f"the file has no storage {key}: it is damaged") from None
        order = ">" if self.archive.order == b"big" else "<"
        array = np.frombuffer(content, kind.numpy.newbyteorder(order)).astype(kind.numpy, copy=False)
        if array.size != count:
            raise RuntimeError(
                f"storage {key} has {array.size} elements in place of {count}: the file is damaged"
            )
        return array


class Everything(WeightsOnly):
    """Read whatever was pickled, which may run any code that its author chose."""

    def find_class(self, module, name):
        if (module, name) in KNOWN:
            return KNOWN[module, name]
        return pickle.Unpickler.find_class(self, module, name)


class Archive:
    """The files in the one folder of a zip."""

    def __init__(self, file):
        self.zip = zipfile.ZipFile(file)
        pickles = [name for name in self.zip.namelist() if name.endswith("/data.pkl")]
        self.folder = pickles[0].removesuffix("/data.pkl")
        self.order = (
            self.read("byteorder") if f"{self.folder}/byteorder" in self.zip.namelist() else b"little"
        )

    def read(self, name):
        return self.zip.read(f"{self.folder}/{name}")


def load_pickled(path, title, place, weights_only):
    """Read one of PyTorch's files; `place(tensor, location)` moves a tensor to its device."""
    try:
        with zipfile.ZipFile(path) as opened:
            archive = Archive(path)
            with opened.open(f"{archive.folder}/data.pkl") as structure:
                reader = WeightsOnly if weights_only else Everything
                return reader(structure, archive, place).load()
    except (zipfile.BadZipFile, EOFError) as error:
        raise RuntimeError(f"{title} is damaged: {error}") from None
