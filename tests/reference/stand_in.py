"""An array that stands in for one on a GPU, strictly, with NumPy under it: what goes to the host in silence raises.

It answers NumPy's protocols by unwrapping and wrapping, hands out views whose `.base` is the one owner of their memory,
refuses every conversion that nobody asked for, and notes what it is asked (`launches`) and when somebody waits for a value
(`waits`). So it shows at NumPy's speed, without a GPU, what a model does on a device: any model, any optimizer.
"""

import contextlib
import weakref
from types import SimpleNamespace

import numpy as np

from tinytorch.tensor import Tensor, device

launches, waits, uploads = [], [], []  # what was computed and waited for; shapes of what was sent there
step = SimpleNamespace()  # the three of the last block that was recorded
owners = weakref.WeakValueDictionary()  # id of NumPy's owner of some memory -> the stand-in that owns it

ATTRIBUTES = ("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "flags")
METHODS = (
    "sum mean max min all any argmax argmin argsort cumsum astype copy reshape ravel transpose swapaxes diagonal squeeze "
    "fill var prod"
)
OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "power", "matmul": "matmul",
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "floordiv": "floor_divide", "mod": "remainder",
}  # fmt: skip
COMPARISONS = {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal"
}  # fmt: skip


class StandIn:
    """An array on a pretended device."""

    __hash__ = None

    def __init__(self, value, base=None):
        self.value, self.base = value, base
        if base is None:
            owners[id(value)] = self

    device = property(lambda self: device("cuda", 0))
    address = property(lambda self: self.value.__array_interface__["data"][0])
    T = property(lambda self: wrapped(self.value.T))

    def __array__(self, *args, **kwargs):
        raise TypeError("a device array would be copied to the host in silence")

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        launches.append(ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}")
        inputs, kwargs = unwrapped(inputs), {name: unwrapped(value) for name, value in kwargs.items()}
        if out is None:
            return wrapped(getattr(ufunc, method)(*inputs, **kwargs))
        if not all(isinstance(array, StandIn) for array in out):
            raise TypeError(f"{ufunc.__name__} would write a device's values into a host array")
        getattr(ufunc, method)(*inputs, out=tuple(array.value for array in out), **kwargs)
        return out[0]

    def __array_function__(self, function, types, args, kwargs):
        if function is np.asarray:  # a host array, sent to the device by name
            uploads.append(args[0].shape)
            return wrapped(np.array(*args, **kwargs))
        launches.append(function.__name__)
        out = kwargs.get("out")
        found = function(*unwrapped(args), **{name: unwrapped(value) for name, value in kwargs.items()})
        return wrapped(found) if out is None else out

    def __getitem__(self, index):
        return wrapped(self.value[unwrapped(index)])

    def __setitem__(self, index, value):
        launches.append("put")
        self.value[unwrapped(index)] = unwrapped(value)

    def __len__(self):
        return len(self.value)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def item(self, *args):
        waits.append("item")
        return self.value.item(*args)

    def tolist(self):
        waits.append("tolist")
        return self.value.tolist()

    def __bool__(self):
        waits.append("bool")
        return bool(self.value)

    def __float__(self):
        waits.append("float")
        return float(self.value)

    def __int__(self):
        waits.append("int")
        return int(self.value)

    def __index__(self):
        raise TypeError("a device array as an index of the host's")

    def __deepcopy__(self, memo):
        return wrapped(self.value.copy())

    def __reduce__(self):
        return wrapped, (self.value,)

    def __repr__(self):
        return f"StandIn({self.value!r})"

    def view(self):
        return wrapped(self.value.view())


def unwrapped(x):
    """NumPy's arrays in place of stand-ins, anywhere in a call; a host array with dimensions is refused."""
    if isinstance(x, StandIn):
        return x.value
    if isinstance(x, np.ndarray) and x.ndim:
        raise TypeError(f"a host array of shape {x.shape} beside one on the device")
    if isinstance(x, (tuple, list)):
        return type(x)(unwrapped(part) for part in x)
    if isinstance(x, slice):
        return slice(*(unwrapped(part) for part in (x.start, x.stop, x.step)))
    return x


def wrapped(x):
    """Stand-ins in place of NumPy's arrays; a view has the stand-in that owns its memory for `base`."""
    if isinstance(x, (tuple, list)):
        return type(x)(wrapped(part) for part in x)
    if isinstance(x, np.generic):
        return StandIn(np.asarray(x))
    if not isinstance(x, np.ndarray):
        return x
    memory = x
    while isinstance(memory.base, np.ndarray):
        memory = memory.base
    owner = owners.get(id(memory))
    if owner is None:
        owner = StandIn(memory)
    return owner if memory is x else StandIn(x, owner)


def method(name):
    def call(self, *args, **kwargs):
        launches.append(name)
        out = kwargs.get("out")
        found = getattr(self.value, name)(*unwrapped(args), **{k: unwrapped(v) for k, v in kwargs.items()})
        return wrapped(found) if out is None else out

    return call


def operator(ufunc, swapped=False, in_place=False):
    def call(self, other):
        if isinstance(other, Tensor):
            return NotImplemented
        return ufunc(*((other, self) if swapped else (self, other)), **({"out": (self,)} if in_place else {}))

    return call


for name in ATTRIBUTES:
    setattr(StandIn, name, property(lambda self, name=name: getattr(self.value, name)))
for name in METHODS.split():
    setattr(StandIn, name, method(name))
for name, ufunc in OPERATORS.items():
    setattr(StandIn, f"__{name}__", operator(getattr(np, ufunc)))
    setattr(StandIn, f"__r{name}__", operator(getattr(np, ufunc), swapped=True))
    setattr(StandIn, f"__i{name}__", operator(getattr(np, ufunc), in_place=True))
for name, ufunc in COMPARISONS.items():
    setattr(StandIn, f"__{name}__", operator(getattr(np, ufunc)))
for name, ufunc in {"neg": np.negative, "abs": np.absolute, "invert": np.invert}.items():
    setattr(StandIn, f"__{name}__", lambda self, ufunc=ufunc: ufunc(self))


def upload(array):
    """A copy of a host array on the pretended device."""
    uploads.append(array.shape)
    return StandIn(np.array(array))


def download(array):
    """A copy on the host."""
    waits.append("download")
    return array.value.copy()


BACKEND = SimpleNamespace(
    upload=upload, download=download, prototype=StandIn(np.empty(0))
)  # for `devices.backends["cuda"]`


@contextlib.contextmanager
def recorded():
    """Keep what a block launches, waits for and uploads, in `step`."""
    del launches[:], waits[:], uploads[:]
    yield
    step.launches, step.waits, step.uploads = launches[:], waits[:], uploads[:]
