"""What a device is asked by the course's models: nothing goes to the host in silence, and the numbers are the CPU's.

A strict stand-in (`stand_in.py`) shows it for every model and optimizer, without a GPU and at NumPy's speed.
"""

import itertools
import subprocess
import sys

import numpy as np
import pytest
import stand_in
from device_models import MODELS, OPTIMIZERS, agree, train

import tinytorch as torch
from tinytorch import nn
from tinytorch.given.tensor import devices


@pytest.fixture
def pretended(monkeypatch):
    monkeypatch.setitem(devices.backends, "cuda", stand_in.BACKEND)


cases = [(make, name) for make, name in itertools.product(MODELS, OPTIMIZERS)]
names = [f"{make.__name__}-{name}" for make, name in cases]


@pytest.mark.parametrize("make, optimizer", cases, ids=names)
def test_a_model_trains_on_a_strict_device_to_the_losses_of_the_cpu(pretended, make, optimizer):
    wanted = train(make, optimizer)
    found = train(make, optimizer, "cuda", watch=stand_in.recorded)
    assert stand_in.step.launches, "nothing was computed on the device"
    assert not stand_in.step.waits, f"a step waits for values of the device: {stand_in.step.waits}"
    agree(found, wanted, f"{make.__name__} with {optimizer}")


def test_a_step_sends_nothing_but_masks_to_the_device(pretended):
    for make in MODELS:
        train(make, "AdamW", "cuda", watch=stand_in.recorded)
        masks = {"gpt": [(8, 8)] * 2, "gpt_with_dropout": stand_in.step.uploads}.get(make.__name__, [])
        assert stand_in.step.uploads == masks, (
            f"{make.__name__} sends arrays {stand_in.step.uploads} in a step"
        )


def test_clipping_without_kernels_waits_for_each_norm_and_nothing_else(pretended):
    wanted, found = (train(MODELS[0], "SGD", d, clip=True, watch=stand_in.recorded) for d in ("cpu", "cuda"))
    assert stand_in.step.waits == ["float"] * 4, f"four gradients have four norms: {stand_in.step.waits}"
    agree(found, wanted, "an MLP whose gradients are clipped")


def test_the_stand_in_refuses_what_goes_to_the_host_in_silence():
    x = stand_in.BACKEND.upload(np.arange(6.0).reshape(2, 3))
    for silent in (
        lambda: np.asarray(x),
        lambda: np.array(x),
        lambda: np.ones((2, 3)) + x,
        lambda: x[np.array([0])],
    ):
        with pytest.raises(TypeError, match="host"):
            silent()
    assert x[1].base is x
    assert x.T[0].base is x
    assert x.copy().base is None


def test_a_write_through_a_view_on_the_device_is_noticed(pretended):
    x = torch.ones(3, 2).to("cuda")
    weight = torch.ones(2, 2).to("cuda").requires_grad_()
    loss = (x @ weight).sum()
    x[1:].mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        loss.backward()


def test_a_tensor_goes_to_a_device_and_its_gradient_comes_back(pretended):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    moved = x.to("cuda")
    assert (moved.device, moved.is_cuda, x.is_cuda) == (torch.device("cuda", 0), True, False)
    assert moved.grad_fn.name() == "ToCopyBackward0"
    (moved * moved).sum().backward()
    assert not x.grad.is_cuda
    np.testing.assert_array_equal(x.grad.numpy(), [2, 4])
    assert moved.to("cuda") is moved
    assert x.cpu() is x


def test_numpy_of_a_tensor_on_a_device_is_refused(pretended):
    x = torch.ones(2).cuda()
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()"):
        x.numpy()
    with pytest.raises(TypeError, match="cuda:0"):
        np.asarray(x)
    np.testing.assert_array_equal(x.numpy(force=True), [1, 1])
    np.testing.assert_array_equal(x.cpu().numpy(), [1, 1])
    assert x.tolist() == [1.0, 1.0]
    assert repr(x) == "tensor([1., 1.], device='cuda:0')"


def test_tensors_are_made_on_a_device(pretended):
    for made in (
        torch.zeros(2, 3, device="cuda"), torch.ones(2, device="cuda"), torch.arange(2, 9, 3, device="cuda"),
        torch.full((2,), 7.0, device="cuda"), torch.tensor([1, 2], device="cuda"), torch.eye(2, device="cuda"),
        torch.randn(3, device="cuda"), torch.empty(2, device="cuda"), torch.linspace(0, 1, 3, device="cuda"),
    ):  # fmt: skip
        assert made.is_cuda, made
    np.testing.assert_array_equal(torch.arange(2, 9, 3, device="cuda").cpu().numpy(), [2, 5, 8])
    torch.manual_seed(0)
    wanted = torch.randn(3)
    torch.manual_seed(0)
    assert torch.equal(torch.randn(3, device="cuda").cpu(), wanted), (
        "the generator's numbers, wherever they go"
    )


def test_a_model_is_saved_from_a_device_and_loaded_to_either(pretended, tmp_path):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.randn(5, 3).cuda()).sum().backward()
    optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "m.pt")
    there = torch.load(tmp_path / "m.pt")
    assert all(t.is_cuda for t in there["model"].values())
    here = torch.load(tmp_path / "m.pt", map_location="cpu")
    assert not any(t.is_cuda for t in here["model"].values())
    copy = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
    copy.load_state_dict(there["model"])
    for a, b in zip(copy.parameters(), model.parameters(), strict=True):
        np.testing.assert_array_equal(a.detach().numpy(), b.detach().cpu().numpy())
    copy = copy.to("cuda")
    again = torch.optim.AdamW(copy.parameters())
    again.load_state_dict(here["optimizer"])
    assert all(s["exp_avg"].is_cuda and not s["step"].is_cuda for s in again.state.values())


def test_batches_of_a_dataloader_go_to_a_device(pretended):
    from tinytorch.utils.data import DataLoader, TensorDataset

    data = TensorDataset(torch.arange(6.0).reshape(6, 1), torch.arange(6))
    batches = [(x.to("cuda"), y.cuda()) for x, y in DataLoader(data, batch_size=4)]
    assert [(tuple(x.shape), x.is_cuda and y.is_cuda) for x, y in batches] == [((4, 1), True), ((2, 1), True)]


def run(program, **environment):
    path = {"PYTHONPATH": ":".join(p for p in sys.path if p)}
    command = [sys.executable, "-P", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=path | environment)


def test_without_a_gpu_a_program_takes_the_cpu():
    program = (
        "import tinytorch as torch\n"
        "device = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
        "print(device, torch.cuda.device_count(), torch.ones(2).to(device).device)\n"
        "torch.ones(2).to('cuda')\n"
    )
    found = run(program)
    if found.stdout.startswith("cuda 1 cuda:0"):
        pytest.skip("there is a GPU here")
    assert found.stdout.strip() == "cpu 0 cpu"
    assert "AssertionError: Torch not compiled with CUDA enabled" in found.stderr
