"""`CudaArray` against NumPy, and whole models through it: with NumPy in the place of the kernels, at NumPy's speed.

What the kernels themselves compute is tested where they are; here it is what they are asked, and how often.
"""

import copy
import gc
import itertools
import pickle

import numpy as np
import pytest

pytest.importorskip("tinytorch.kernels", reason="module 17b is not written yet")

from device_models import MODELS, OPTIMIZERS, agree, train
from host_kernels import on_host

import tinytorch as torch
from tinytorch.given.kernels.array import CudaArray, to_device
from tinytorch.given.kernels.memory import counts, pool
from tinytorch.given.kernels.table import kernels, launched


@pytest.fixture
def device():
    with on_host():
        yield


@pytest.fixture
def fused():
    with on_host(fused=True):
        yield


class Step:
    """What a block launched and copied."""

    def __enter__(self):
        launched.clear()
        self.before = dict(counts)
        return self

    def __exit__(self, *error):
        self.launches = dict(launched)
        self.copies = {name: n - self.before[name] for name, n in counts.items()}


cases = [(make, name) for make, name in itertools.product(MODELS, OPTIMIZERS)]
names = [f"{make.__name__}-{name}" for make, name in cases]


@pytest.mark.slow
@pytest.mark.parametrize("make, optimizer", cases, ids=names)
def test_models_train_to_the_losses_of_the_cpu(device, make, optimizer):
    wanted, step = train(make, optimizer), Step()
    found = train(make, optimizer, "cuda", watch=lambda: step)
    assert step.copies["to_host"] == 0, f"a step copies to the host: {step.copies}"
    agree(found, wanted, f"{make.__name__} with {optimizer}")


# The most launches that a step may take, and without overrides; for the models of these tests, with clipping
LAUNCHES = {
    "mlp": (45, 130), "lenet": (115, 480), "lenet_with_batch_norm": (180, 420), "gpt": (250, 1250),
    "gpt_with_dropout": (300, 1250), "lstm": (270, 510),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("make", MODELS, ids=[make.__name__ for make in MODELS])
@pytest.mark.parametrize("optimizer", ["SGD", "Nesterov", "AdamW"])
def test_overrides_cut_the_launches_and_nothing_is_copied(fused, make, optimizer):
    wanted, step = train(make, optimizer, clip=True), Step()
    found = train(make, optimizer, "cuda", clip=True, watch=lambda: step)
    total = sum(step.launches.values())
    most, _ = LAUNCHES[make.__name__]
    assert total <= most, f"{make.__name__} takes {total} launches, and {most} at most: {step.launches}"
    sent = 7 if make.__name__ == "gpt_with_dropout" else 0  # masks that the generator drew
    assert step.copies == {"to_host": 0, "to_device": sent, "allocations": 0}
    agree(found, wanted, f"{make.__name__} with {optimizer} and overrides")


def test_overrides_are_what_cuts_them(device):
    for make in MODELS:
        step = Step()
        train(make, "AdamW", "cuda", clip=True, watch=lambda step=step: step)
        most, plain = LAUNCHES[make.__name__]
        assert most < sum(step.launches.values()) <= plain, (make.__name__, sum(step.launches.values()))


def test_a_buffer_goes_back_to_no_other_memory(device, monkeypatch):
    x = CudaArray(np.zeros(100_003, np.float32))
    of_its_size = pool.free[np.dtype(np.float32), x.buffer.size]
    count = len(of_its_size)
    monkeypatch.setattr(pool, "memory", type(pool.memory)())
    del x
    gc.collect()
    assert len(of_its_size) == count


def test_memory_goes_back_to_the_pool(device):
    before = pool.in_use
    x = CudaArray(np.zeros((100, 3), np.float32))
    assert pool.in_use == before + 2048, "1,200 bytes take the next power of two"
    view = x[10:].T
    del x
    gc.collect()
    assert pool.in_use == before + 2048, "a view keeps the memory"
    buffer = view.buffer
    del view
    gc.collect()
    assert pool.in_use == before
    taken = CudaArray(np.ones((20, 16), np.float32))
    assert taken.buffer is buffer, "memory of that size is used again"
    assert pool.peak >= before + 2048
    del taken, buffer
    pool.empty()
    assert pool.reserved == pool.in_use


def random_view(rng, dtype=np.float32):
    """A NumPy array that is a view of another, transposed, sliced and stretched, and the same view on the device."""
    base = rng.integers(-9, 9, rng.integers(1, 5, rng.integers(1, 5))).astype(dtype)
    x, y = base, to_device(base)
    for _ in range(rng.integers(0, 4)):
        kind = rng.integers(4)
        if kind == 0:
            axes = rng.permutation(x.ndim).tolist()
            x, y = x.transpose(axes), y.transpose(axes)
        elif kind == 1:
            index = tuple(
                slice(int(rng.integers(0, 2)), None, int(rng.integers(1, 3))) for _ in range(x.ndim)
            )
            x, y = x[index], y[index]
        elif kind == 2:
            x, y = x[None, ..., ::-1], y[None, ..., ::-1]
        elif x.ndim > 1:
            x, y = x[..., -1:], y[..., -1:]
            x, y = np.broadcast_to(x, (*x.shape[:-1], 3)), np.broadcast_to(y, (*y.shape[:-1], 3))
    return x, y


def same(found, wanted, what):
    assert isinstance(found, CudaArray), what
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), what
    np.testing.assert_allclose(found.to_host(), wanted, rtol=1e-5, atol=1e-6, err_msg=str(what))


@pytest.mark.parametrize("seed", range(60))
def test_views_copies_and_reductions_are_numpys(device, seed):
    rng = np.random.default_rng(seed)
    x, y = random_view(rng)
    same(y, x, "the view")
    assert y.strides == x.strides or 1 in x.shape or 0 in x.shape
    for name in ("copy", "ravel", "sum", "mean", "T"):
        if x.size:
            found, wanted = getattr(y, name), getattr(x, name)
            same(
                found() if callable(found) else found,
                np.asarray(wanted() if callable(wanted) else wanted),
                name,
            )
    same(y.reshape(-1), x.reshape(-1), "reshape(-1)")
    same(y.astype(np.int64), x.astype(np.int64), "astype")
    for axis in range(x.ndim):
        for keepdims in (True, False):
            same(y.sum(axis, keepdims=keepdims), np.asarray(x.sum(axis, keepdims=keepdims)), ("sum", axis))
            if x.shape[axis]:
                same(
                    y.max(axis, keepdims=keepdims), np.asarray(x.max(axis, keepdims=keepdims)), ("max", axis)
                )
                same(y.argmax(axis), np.asarray(x.argmax(axis)), ("argmax", axis))
    if x.ndim > 2:
        same(y.sum((0, 2)), x.sum((0, 2)), "sum over axes that are not neighbours")
    before = x.copy()
    (y * 2 + 1).fill(0)
    same(y, before, "inputs stay as they were")


@pytest.mark.parametrize("seed", range(40))
def test_elementwise_functions_broadcast_as_numpys(device, seed):
    rng = np.random.default_rng(seed)
    x, y = random_view(rng)
    other, on_device = (rng.standard_normal(x.shape[-1:]).astype(np.float32),) * 2
    on_device = to_device(other)
    for function in (np.add, np.subtract, np.multiply, np.maximum, np.less, np.equal, np.greater_equal):
        same(function(y, on_device), function(x, other), function.__name__)
        same(function(on_device, y), function(other, x), function.__name__)
        same(function(y, 2.5), function(x, 2.5), (function.__name__, "a number"))
        same(function(3, y), function(3, x), (function.__name__, "a number first"))
        same(function(y, np.float32(2)), function(x, np.float32(2)), "NumPy's number")
    same(np.where(y > 0, y, 0.0), np.where(x > 0, x, 0.0), "where")
    same((y > 0) * on_device, (x > 0) * other, "a mask times numbers")
    same(y / 3, x / 3, "divide")
    same(-y, -x, "negative")
    out = to_device(np.zeros(x.shape, np.float32))
    assert np.add(y, on_device, out=out) is out
    same(out, np.add(x, other), "out=")
    x, y = x.copy(), y.copy()
    x *= 2
    y *= 2
    same(y, x, "in place")


def test_types_are_those_of_numpy(device):
    kinds = np.float32, np.float64, np.int64, bool
    for a, b in itertools.product(kinds, kinds):
        x, y = np.ones(3, a), np.ones(3, b)
        for function in (np.multiply, np.divide, np.maximum, np.equal):
            same(function(to_device(x), to_device(y)), function(x, y), (function.__name__, a, b))
        for number in (True, 2, 2.5):
            same(to_device(x) * number, x * number, (a, number))
    assert to_device(np.ones(3, bool)).sum().dtype == np.int64
    assert to_device(np.ones(3, np.float32)).mean().dtype == np.float32


def test_products_take_operands_as_they_lie(device):
    rng = np.random.default_rng(0)
    shapes = [
        ((2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)),
        ((6, 1, 2, 3), (5, 3, 4)), ((2, 2, 2, 2, 3), (3, 4)), ((2, 0), (0, 3)),
    ]  # fmt: skip
    for a, b in shapes:
        x, y = rng.standard_normal(a).astype(np.float32), rng.standard_normal(b).astype(np.float32)
        same(to_device(x) @ to_device(y), np.asarray(x @ y), (a, b))
    x, y = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 4, 3, 5), (2, 4, 6, 5)))
    launched.clear()
    same(to_device(x) @ to_device(y).swapaxes(-2, -1), x @ y.swapaxes(-2, -1), "a transposed operand")
    same(
        to_device(x)[:, ::2, 1:] @ to_device(y)[:, ::2].swapaxes(-2, -1),
        x[:, ::2, 1:] @ y[:, ::2].swapaxes(-2, -1),
        "a view",
    )
    assert launched == {"matmul": 2}, "nothing is copied for a product"
    out = to_device(np.zeros((2, 4, 3, 6), np.float32))
    assert np.matmul(to_device(x), to_device(y).swapaxes(-2, -1), out=out) is out
    same(out, x @ y.swapaxes(-2, -1), "out=")


def test_picking_and_writing_are_numpys(device):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((5, 4, 3)).astype(np.float32)
    y, rows = to_device(x), rng.integers(0, 5, (2, 3))
    for index in (
        1,
        -1,
        slice(1, 4, 2),
        (slice(None), 2),
        (..., 1),
        (None, 2, ..., None),
        (1, 2, 0),
        slice(4, 1),
        (),
    ):
        same(y[index], np.asarray(x[index]), index)
    same(y[to_device(rows)], x[rows], "rows")
    same(y[2:][to_device(rows % 3)], x[2:][rows % 3], "rows of a view")
    same(y.T[to_device(rows % 3)], x.T[rows % 3], "rows of a transposed array")
    places = rng.integers(0, 4, (5, 2, 3))
    same(np.take_along_axis(y, to_device(places), 1), np.take_along_axis(x, places, 1), "take_along_axis")
    np.put_along_axis(x, places, 7.0, 1)
    np.put_along_axis(y, to_device(places), np.float32(7), 1)
    same(y, x, "put_along_axis")
    for index, value in ((1, 2.0), (slice(1, 3), x[:2] * 2), ((slice(None), 2), x[:, 0]), ((..., 1), 5)):
        x[index] = value
        y[index] = to_device(value) if isinstance(value, np.ndarray) else value
        same(y, x, ("assigned", index))
    x[x > 0.5] = -1
    y[y > 0.5] = -1
    same(y, x, "a mask")
    np.add.at(x, rows, np.ones((2, 3, 4, 3), np.float32))
    np.add.at(y, to_device(rows), to_device(np.ones((2, 3, 4, 3), np.float32)))
    same(y, x, "add.at, of rows that repeat")
    x[1:] = x[:-1].copy()
    y[1:] = y[:-1]
    same(y, x, "written where it is read, one further")
    x += x[::-1].copy()
    y += y[::-1]
    same(y, x, "added in reverse to itself")


def test_arrays_are_made_and_joined_as_numpys(device):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = to_device(x)
    same(np.zeros((2, 2), np.float32, like=y), np.zeros((2, 2), np.float32), "zeros")
    same(np.arange(2, 9, 3, like=y), np.arange(2, 9, 3), "arange")
    same(np.arange(4, dtype=np.float32, like=y), np.arange(4, dtype=np.float32), "arange in a type")
    same(np.ones_like(y, shape=4, dtype=bool), np.ones(4, bool), "ones_like")
    same(np.full_like(y, 7), np.full_like(x, 7), "full_like")
    same(np.concatenate([y, y[:1]], 0), np.concatenate([x, x[:1]], 0), "concatenate")
    same(np.stack([y, y], -1), np.stack([x, x], -1), "stack")
    same(np.moveaxis(y[None], 0, -1), np.moveaxis(x[None], 0, -1), "moveaxis")
    same(np.expand_dims(y, (0, -1)), np.expand_dims(x, (0, -1)), "expand_dims")
    same(np.vecdot(y, y), np.vecdot(x, x), "vecdot")
    for order in (None, 1, np.inf):
        same(
            np.linalg.norm(y.reshape(-1), order),
            np.asarray(np.linalg.norm(x.reshape(-1), order)),
            ("norm", order),
        )
    assert np.empty_like(y.T).strides == np.empty_like(x.T).strides, "the order in memory is kept"
    assert to_device(x.T).strides == x.T.strides


def test_what_has_no_kernel_is_refused_by_name(device, monkeypatch):
    x = CudaArray(np.ones((2, 3), np.float32))
    for function, name in (
        (np.linalg.inv, "inv"), (np.cumsum, "cumsum"), (np.sort, "sort"), (np.add.accumulate, "add.accumulate"),
        (lambda x: np.add(x, x, where=x > 0), "add with where"),
        (lambda x: x.astype(np.float64) @ x.astype(np.float64).T, "matmul of float64"), (lambda x: x[x > 0], "mask"),
    ):  # fmt: skip
        with pytest.raises(NotImplementedError, match=name) as error:
            function(x)
        assert "on the host in silence" in str(error.value)
    with pytest.raises(NotImplementedError, match=r"no kernel for arctan.*bind\('arctan'"):
        np.arctan(x)
    monkeypatch.setitem(kernels, "arctan", kernels["copy"])
    same(np.arctan(x), np.ones((2, 3), np.float32), "a kernel that was bound")
    t = torch.ones(2, 3, device="cuda")
    with pytest.raises(NotImplementedError, match="cumsum"):
        t.cumsum(0)


def test_what_would_go_to_the_host_in_silence_is_refused(device):
    x = CudaArray(np.ones((2, 3), np.float32))
    before = dict(counts)
    for silent in (np.asarray, np.array, np.ascontiguousarray):
        with pytest.raises(TypeError, match=r"in silence: ask for it with to_host\(\)"):
            silent(x)
    for mixed in (
        lambda: x + np.ones((2, 3)),
        lambda: np.ones(3) * x,
        lambda: np.where(np.ones(3, bool), x, 0),
    ):
        with pytest.raises((RuntimeError, TypeError), match="two devices|host"):
            mixed()
    with pytest.raises(TypeError, match="host array"):
        np.add(x, 1, out=np.ones((2, 3), np.float32))
    with pytest.raises(RuntimeError, match="at least two devices, cuda:0 and cpu"):
        torch.ones(2, 3, device="cuda") + torch.ones(2, 3)
    assert (counts["to_host"], counts["to_device"]) == (before["to_host"], before["to_device"])
    same(
        x + np.asarray(2, np.float32),
        np.full((2, 3), 3, np.float32),
        "a host array without dimensions is a number",
    )


def test_copies_to_the_host_are_asked_for_and_counted(device):
    x = CudaArray(np.arange(6.0).reshape(2, 3))
    before = counts["to_host"]
    np.testing.assert_array_equal(x.T.to_host(), np.arange(6.0).reshape(2, 3).T)
    assert (x[1, 2].item(), x.tolist(), float(x[0, 1])) == (5.0, [[0, 1, 2], [3, 4, 5]], 1.0)
    assert "CudaArray([[0., 1., 2.]" in repr(x)
    assert counts["to_host"] == before + 5
    same(copy.deepcopy(x), x.to_host(), "a deep copy")
    same(pickle.loads(pickle.dumps(x[:, 1:])), x[:, 1:].to_host(), "pickled and back")


def test_a_view_has_its_owner_for_base(device):
    x = CudaArray(np.zeros((2, 3, 4)))
    for view in (x[0], x.T, x[0].T[1:], x.reshape(6, 4), x.reshape(6, 4)[1][None], x.ravel(), x.view()):
        assert view.base is x
    assert x.base is None
    assert x.T.reshape(-1).base is not x, "what was copied has memory of its own"
    assert (x.flags.c_contiguous, x.T.flags.c_contiguous, x.T.flags.f_contiguous) == (True, False, True)
    stretched = np.broadcast_to(x[0, 0], (2, 4))
    with pytest.raises(ValueError, match="read-only"):
        stretched[0] = 1
