"""Places that are imported more than they are used: one process, processes, scripts, and what is refused when it is called."""

import pickle
import warnings

import numpy as np
import pytest

import tinytorch as torch
from tinytorch import distributed, jit, multiprocessing, nn


@pytest.fixture
def group():
    distributed.init_process_group("gloo", rank=0, world_size=1)
    yield
    if distributed.is_initialized():
        distributed.destroy_process_group()


def test_a_group_of_one_process_has_nothing_to_send(group):
    x = torch.ones(2)
    gathered = [torch.zeros(2)]
    assert distributed.all_gather(gathered, x) is None
    assert distributed.all_reduce(x, async_op=True).wait()
    assert distributed.barrier() is None
    assert (distributed.get_rank(), distributed.get_world_size(), distributed.get_backend()) == (0, 1, "gloo")
    np.testing.assert_array_equal(gathered[0].numpy(), [1, 1])
    np.testing.assert_array_equal(x.numpy(), [1, 1])
    assert list(torch.utils.data.DistributedSampler(range(3), shuffle=False)) == [0, 1, 2]
    with pytest.raises(ValueError, match="twice"):
        distributed.init_process_group("gloo", rank=0, world_size=1)


def test_there_is_no_group_of_several(monkeypatch):
    with pytest.raises(RuntimeError, match="a group of 2"):
        distributed.init_process_group("nccl", world_size=2, rank=0)
    monkeypatch.setenv("WORLD_SIZE", "4")
    with pytest.raises(RuntimeError, match="a group of 4"):
        distributed.init_process_group("nccl")
    assert not distributed.is_initialized()


def test_a_model_in_a_group_of_one_is_itself(group):
    model = nn.Linear(2, 1)
    whole = nn.parallel.DistributedDataParallel(model)
    x = torch.randn(3, 2)
    with whole.no_sync():
        whole(x).sum().backward()
    assert list(whole.state_dict()) == ["module.weight", "module.bias"]
    np.testing.assert_allclose(model.weight.grad.numpy(), x.sum(0, keepdim=True).numpy(), rtol=1e-5)
    with pytest.raises(RuntimeError, match="not needed"):
        nn.parallel.DistributedDataParallel(model.requires_grad_(False))


def test_scripts_come_back_as_they_are_and_say_so_once():
    jit.say_once.cache_clear()
    with pytest.warns(UserWarning, match="compiles nothing"):
        assert jit.script(abs) is abs
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert jit.trace(nn.ReLU, torch.ones(1)) is nn.ReLU
        assert jit.ignore(abs) is jit.ignore(drop=True)(abs) is jit.unused(abs) is abs
    assert not jit.is_scripting()
    with pytest.raises(NotImplementedError, match="leaves out scripting"):
        jit.save(abs, "file")


def double(number, path):
    torch.save({"number": torch.tensor([number * 2])}, f"{path}/{number}.pt")


def fail(number):
    raise SystemExit(3)


def test_processes_are_pythons(tmp_path):
    multiprocessing.spawn(double, args=(tmp_path,), nprocs=2, start_method="fork")
    assert [torch.load(tmp_path / f"{number}.pt")["number"].item() for number in range(2)] == [0, 2]
    with pytest.raises(multiprocessing.ProcessRaisedException, match="process 0 terminated with exit code 3"):
        multiprocessing.spawn(fail, nprocs=1, start_method="fork")


def test_a_lazy_layer_may_be_pickled_before_and_after_its_first_input():
    layer = nn.LazyLinear(3)
    again = pickle.loads(pickle.dumps(layer.weight))
    assert repr(again) == "<UninitializedParameter>"
    layer(torch.ones(2, 4))
    assert pickle.loads(pickle.dumps(layer.weight)).shape == (3, 4)


def test_complex_numbers_beyond_products_are_one_sentence():
    pair = torch.polar(torch.ones(2), torch.ones(2))
    for use in (
        lambda: pair.exp(),
        lambda: pair.sum(),
        lambda: torch.fft.rfft(torch.ones(2)),
        lambda: torch.complex,
    ):
        with pytest.raises(AttributeError, match="tinytorch leaves out complex numbers"):
            use()
    with pytest.raises(NotImplementedError, match="tinytorch leaves out complex numbers"):
        torch.zeros(2, dtype=torch.complex64)
