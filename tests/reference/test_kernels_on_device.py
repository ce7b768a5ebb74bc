"""Models through `CudaArray` and the kernels themselves: on a GPU where there is one, else in numba's simulator.

A simulated thread takes microseconds for a number, so these models are tiny. What larger ones ask of the device is
tested at NumPy's speed in test_cuda_array.py and test_devices.py.
"""

import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

pytest.importorskip("tinytorch.kernels", reason="module 17b is not written yet")

from device_models import Scores, agree, labels, train

import tinytorch as torch
from tinytorch import nn
from tinytorch.given.kernels import binding
from tinytorch.given.kernels.array import CudaArray, to_device
from tinytorch.given.kernels.functions import BINARY, GATES, SLOPES, UNARY
from tinytorch.given.kernels.memory import counts
from tinytorch.given.kernels.table import kernels


@pytest.fixture(scope="module", autouse=True)
def device():
    binding.switch_on()
    yield
    binding.switch_off()


def tiny_mlp():
    return (
        nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3)),
        torch.randn(5, 4),
        torch.randint(0, 3, (5,)),
    )


def tiny_cnn():
    layers = (
        nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3),
    )  # fmt: skip
    return nn.Sequential(*layers), torch.randn(2, 1, 4, 4), torch.randint(0, 3, (2,))


def tiny_gpt():
    model = Scores(dropout=0.1, layers=1, width=4, heads=2, length=3)
    return model, torch.randint(0, 17, (2, 3)), labels(6)


class Copies:
    """The copies made in a block, each way."""

    def __enter__(self):
        self.before = dict(counts)

    def __exit__(self, *error):
        self.made = counts["to_host"] - self.before["to_host"], counts["to_device"] - self.before["to_device"]


@pytest.mark.parametrize(
    "make, optimizer, sent",
    [(tiny_mlp, "SGD", 0), (tiny_mlp, "AdamW", 0), (tiny_cnn, "SGD", 0), (tiny_gpt, "AdamW", 4)],
)
def test_models_train_on_the_device_to_the_losses_of_the_cpu(make, optimizer, sent):
    wanted, copies = train(make, optimizer, clip=True, steps=3), Copies()
    found = train(make, optimizer, "cuda", clip=True, steps=3, watch=lambda: copies)
    assert copies.made == (0, sent), f"copies to the host and to the device in a step: {copies.made}"
    agree(found, wanted, f"{make.__name__} with {optimizer}")


rng = np.random.default_rng(0)


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_each_elementwise_kernel_computes_what_numpy_does(name):
    logical = name == "invert" or name.startswith("bitwise")
    x, y = rng.standard_normal((2, 3, 4)).astype(np.float32)
    if logical:
        x, y = x > 0, y > 0
    elif name in ("sqrt", "log", "log1p", "power"):
        x = np.abs(x)
    elif name in ("equal", "less", "maximum"):
        y[0] = x[0]
    ufunc = getattr(np, name)
    inputs = [x] if name in UNARY else [x, y]
    found, wanted = ufunc(*map(to_device, inputs)), ufunc(*inputs)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found.to_host(), wanted, rtol=1e-5, err_msg=name)
    if name in BINARY and not logical:
        np.testing.assert_allclose(
            ufunc(to_device(x), 2.0).to_host(), ufunc(x, 2.0), rtol=1e-5, err_msg=f"{name}, a number"
        )
        np.testing.assert_allclose(
            ufunc(to_device(x).T, to_device(y).T).to_host(), ufunc(x.T, y.T), rtol=1e-5
        )


def test_a_nan_stays_one_in_extremes():
    x, y = np.float32([np.nan, 1, np.nan]), np.float32([1, np.nan, np.nan])
    for ufunc in (np.maximum, np.minimum):
        assert np.isnan(ufunc(to_device(x), to_device(y)).to_host()).all(), ufunc.__name__


def test_gates_and_slopes_are_those_of_pytorch():
    x = rng.standard_normal(9).astype(np.float32) * 3
    x[0] = 0
    for name, function, options in (
        ("Relu", torch.relu, {}), ("Tanh", torch.tanh, {}), ("Sigmoid", torch.sigmoid, {}),
        ("Gelu", torch.nn.functional.gelu, {"approximate": "tanh"}),
    ):  # fmt: skip
        for place in ("cpu", "cuda"):
            leaf = torch.tensor(x, requires_grad=True)
            output = function(leaf.to(place), **options)
            output.backward(torch.tensor(x[::-1].copy()).to(place))
            if place == "cpu":
                wanted = output.detach().numpy(), leaf.grad.numpy()
        np.testing.assert_allclose(
            output.detach().cpu().numpy(), wanted[0], rtol=2e-5, atol=1e-6, err_msg=name
        )
        np.testing.assert_allclose(
            leaf.grad.numpy(), wanted[1], rtol=2e-5, atol=1e-6, err_msg=f"gradient of {name}"
        )
    assert GATES.keys() <= SLOPES.keys()


def both(function, *arrays, **options):
    """Outputs and gradients of a function of Tensors, on the CPU and on the device, with random cotangents."""
    found = {}
    for place in ("cpu", "cuda"):
        leaves = [torch.tensor(a, requires_grad=a.dtype.kind == "f") for a in arrays]
        output = function(*[leaf.to(place) for leaf in leaves], **options)
        cotangent = np.random.default_rng(3).standard_normal(output.shape).astype(np.float32)
        output.backward(torch.tensor(cotangent).to(place))
        found[place] = [
            output.detach().cpu().numpy(),
            *[leaf.grad.numpy() for leaf in leaves if leaf.requires_grad],
        ]
    for number, (a, b) in enumerate(zip(found["cuda"], found["cpu"], strict=True)):
        np.testing.assert_allclose(
            a, b, rtol=1e-4, atol=1e-5, err_msg=f"{function.__name__}: number {number}"
        )


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def test_overrides_give_the_numbers_and_gradients_of_the_plain_operations():
    functional, pick = torch.nn.functional, rng.integers(0, 5, 6)
    both(functional.cross_entropy, 3 * normal(6, 5), pick, reduction="none")
    both(functional.cross_entropy, normal(6, 5), pick, weight=None, ignore_index=int(pick[0]))
    both(functional.cross_entropy, normal(2, 5, 3), pick.reshape(2, 3))
    both(functional.cross_entropy, normal(6, 5), pick, label_smoothing=0.1)
    both(functional.layer_norm, normal(2, 3, 4), normalized_shape=(4,))
    both(lambda x, w, b: functional.layer_norm(x, (4,), w, b), normal(2, 3, 4), normal(4), normal(4))
    both(functional.softmax, normal(2, 3, 4), dim=-1)
    both(functional.softmax, normal(2, 3, 4), dim=1)
    both(functional.max_pool2d, normal(1, 2, 5, 5), kernel_size=3, stride=2, padding=1)
    both(functional.max_pool2d, np.round(normal(1, 1, 4, 4)), kernel_size=2, dilation=2, stride=1)
    both(
        functional.conv2d,
        normal(1, 2, 5, 4),
        normal(4, 1, 3, 2),
        normal(4),
        stride=(2, 1),
        padding=1,
        groups=2,
    )
    heads = [normal(1, 2, 3, 4), normal(1, 2, 5, 4), normal(1, 2, 5, 4)]
    for is_causal in (False, True):
        both(functional.scaled_dot_product_attention, *heads, is_causal=is_causal)
    mask = normal(3, 5)
    both(
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, torch.tensor(mask).to(q.device)),
        *heads,
    )
    table = normal(4, 3)
    both(lambda table, i: functional.embedding(i, table), table, rng.integers(0, 4, (2, 3)))


def test_an_operation_on_the_device_can_be_differentiated_twice():
    found = {}
    for place in ("cpu", "cuda"):
        x = torch.tensor([[0.5, -1.0, 2.0]], requires_grad=True)
        loss = torch.nn.functional.cross_entropy(x.to(place), torch.tensor([1]).to(place))
        (grad,) = torch.autograd.grad(loss, x, create_graph=True)
        (second,) = torch.autograd.grad((grad * grad).sum(), x)
        found[place] = second.numpy()
    np.testing.assert_allclose(found["cuda"], found["cpu"], rtol=1e-4)


def test_the_face_of_torch_cuda_answers_for_the_device():
    cuda = torch.cuda
    assert (cuda.is_available(), cuda.device_count(), cuda.current_device()) == (True, 1, 0)
    before = cuda.memory_allocated()
    x = torch.zeros(1000, device="cuda")
    assert cuda.memory_allocated() == before + 4096
    assert cuda.max_memory_allocated() >= before + 4096
    del x
    assert cuda.memory_allocated() == before
    start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    start.record()
    torch.ones(3, device="cuda")
    end.record()
    cuda.synchronize()
    assert start.elapsed_time(end) > 0
    with cuda.stream(cuda.Stream()), cuda.device(0):
        pass
    assert cuda.get_device_name()
    cuda.empty_cache()
    assert cuda.memory_reserved() == cuda.memory_allocated()
    assert torch.device(0) == torch.device("cuda", 0)


def test_a_kernel_that_is_bound_is_the_one_that_runs(monkeypatch):
    monkeypatch.setitem(kernels, "exp", kernels["negative"])
    np.testing.assert_array_equal(np.exp(CudaArray(np.float32([1, 2]))).to_host(), [-1, -2])


COMPILE = """
from unittest import mock

from numba import cuda, types

import tinytorch.kernels
from tinytorch.given.kernels import functions, steps

f, i, b = types.float32[::1], types.int64[::1], types.boolean[::1]
F, I, B = types.float32, types.int64, types.boolean
a_gpu = mock.Mock(compute_capability=(8, 0))  # for device functions
mock.patch("numba.cuda.dispatcher.get_current_device", lambda: a_gpu).start()
SIGNATURES = {
    "arange": (i, I, I, I), "take_along": (f, f, i, *[I] * 7), "put_along": (f, f, i, *[I] * 7),
    "sgd_step": (f, f, f, I, F, F, F, B, B, I, I, I), "squares": (f, I, f, I, I), "square_root": (f, f),
    "clip_factor": (f, f, F), "cross_entropy_rows": (f, b, i, f, f, f, f, i, f, B, *[I] * 5),
    "cross_entropy_gradient": (f, f, I, b, i, f, f, f, f, I, I, I, I), "pool_windows": (f, i, f, *[I] * 14),
    "pool_gradient": (f, f, i, I, I), "masked_scores": (f, I, I, I, F, B), "attention_weights": (f, f, I, I, I, F, B),
    "score_gradient": (f, f, f, I, I, F),
}
kernels = {name: (getattr(steps, name).py_func, signature) for name, signature in SIGNATURES.items()}
for table, count in ((functions.UNARY, 1), (functions.GATES, 1), (functions.BINARY, 2), (functions.SLOPES, 2)):
    for name, function in table.items():
        def of_one(out, x):
            out[0] = function(x[0])
        def of_two(out, x, y):
            out[0] = function(x[0], y[0])
        kind = b if "logical" in name else i if "bitwise" in name or name == "invert" else f
        kernel = of_one if count == 1 else of_two
        ptx, _ = cuda.compile_ptx(kernel, (kind,) * (count + 1), cc=(8, 0))
        print(name, "float64" if ".f64" in ptx and name not in ("sin", "cos") else "compiled")
for name, (kernel, signature) in kernels.items():
    ptx, _ = cuda.compile_ptx(kernel, signature, cc=(8, 0))
    print(name, "float64" if ".f64" in ptx else "compiled")
"""


@pytest.mark.skipif(not find_spec("nvidia"), reason="nvidia-nvvm, which compiles kernels, has no wheel here")
def test_every_kernel_beside_the_learners_compiles_without_a_gpu():
    """In a process of its own. The sine and cosine of a GPU's library reduce large angles in float64."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "NUMBA_ENABLE_CUDASIM": "0",
    }
    command = [sys.executable, "-P", "-c", COMPILE]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert [line for line in lines if not line.endswith(" compiled")] == []
    assert len(lines) == 14 + len(UNARY) + len(BINARY) + len(GATES) + len(SLOPES)
