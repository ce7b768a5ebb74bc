"""Files that survive, trainings that resume to the bit, and the Trainer around them."""

import copy
import io
import math
import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
import zipfile
from collections import Counter, OrderedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save_file

import tinytorch as torch
from tinytorch import Callback, Checkpoint, EarlyStopping, Trainer, load, nn, save
from tinytorch.utils.data import DataLoader, RandomSampler, TensorDataset

LR = torch.optim.lr_scheduler


# Files ----------------------------------------------------------------------------------------------------
def through_a_file(value):
    file = io.BytesIO()
    save(value, file)
    file.seek(0)
    return load(file)


KEYS = st.one_of(st.text(max_size=5), st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(KEYS, inner, max_size=3),
        st.dictionaries(KEYS, inner, max_size=3).map(OrderedDict),
    ),
    max_leaves=8,
)


def kinds(value):
    """The types of a value's parts, since 1, 1.0 and True are equal."""
    if isinstance(value, dict):
        return type(value), [(kinds(key), kinds(item)) for key, item in value.items()]
    return (type(value), list(map(kinds, value))) if isinstance(value, (list, tuple)) else type(value)


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_structures_come_back_as_they_were(value):
    found = through_a_file(value)
    assert found == value
    assert kinds(found) == kinds(value)


def test_other_containers_and_names_come_back():
    value = {
        "counter": Counter([3, 3, 5]),
        "set": {1, "a"},
        "size": torch.zeros(2, 3).shape,
        "types": [torch.float32, torch.bool, torch.int64],
        "device": torch.device("cpu"),
        "numbers": [math.inf, -math.inf, 2**100, -0.0],
    }
    found = through_a_file(value)
    assert found == value
    assert kinds(found) == kinds(value)
    assert math.isnan(through_a_file(math.nan))


@pytest.mark.parametrize(
    "kind", ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]
)
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (4,), (2, 3)])
def test_tensors_of_every_type_and_shape_come_back(kind, shape):
    values = torch.tensor(np.random.default_rng(0).integers(0, 2, shape)).to(getattr(torch, kind))
    found = through_a_file([values, values.T])
    for tensor, expected in zip(found, (values, values.T)):
        assert (tensor.dtype, tensor.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(tensor.numpy(), expected.numpy())
    found[0].fill_(1)  # what is loaded can be written to


def test_tensors_that_share_memory_share_it_again():
    weight = nn.Parameter(torch.randn(2, 3))
    found = through_a_file({"a": weight, "b": [weight.detach(), weight], "view": weight.detach()[0]})
    assert found["a"] is found["b"][1]
    assert np.shares_memory(found["a"].array, found["b"][0].array)
    assert isinstance(found["a"], nn.Parameter)
    assert found["a"].requires_grad
    assert not found["b"][0].requires_grad
    np.testing.assert_array_equal(found["view"].numpy(), weight.array[0])
    frozen = through_a_file(nn.Parameter(torch.ones(1), requires_grad=False))
    assert isinstance(frozen, nn.Parameter)
    assert not frozen.requires_grad


def test_the_file_is_one_that_safetensors_reads_with_names_from_the_structure(tmp_path):
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    save({"model": model.state_dict(), "model.0": {"weight": torch.zeros(1)}}, tmp_path / "a")
    with safe_open(tmp_path / "a", framework="np") as file:
        names = set(file.keys())
        np.testing.assert_array_equal(file.get_tensor("model.0.weight"), model[0].weight.array)
    assert names == {"model.0.weight", "model.0.bias", "model.1.weight", "model.1.bias", "model.0.weight'"}
    assert load(tmp_path / "a")["model.0"]["weight"].item() == 0


def test_what_is_no_data_is_refused_with_its_place_and_the_old_file_stays(tmp_path):
    path = tmp_path / "a"
    save("old", path)
    for value, place in [
        ({"x": [1, {"y": object()}]}, "builtins.object at x.1.y"),
        (lambda: 0, "builtins.function"),
        ({"names": np.array(["a"])}, "an array of <U1 at names"),
        (torch.optim.SGD([torch.zeros(1)], 0.1), "whole tinytorch.optimizers.SGD: .* Save its state_dict"),
        (
            {"model": nn.Sequential(nn.Linear(1, 1))},
            "whole tinytorch.layers.Sequential at model: .* state_dict",
        ),
        ({"map": map(abs, [])}, "builtins.map at map. It holds tensors, arrays"),
    ]:
        with pytest.raises(TypeError, match=place):
            save(value, path)
    assert load(path) == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_that_was_cut_or_is_foreign_is_one_clear_line(tmp_path):
    path = tmp_path / "a"
    save({"x": torch.randn(50), "n": 3}, path)
    whole = path.read_bytes()
    foreign = [b"PK\x03\x04" * 100, b"\0" * 500, whole + b"more", b"\x80" + whole[1:200]]
    for content in [whole[:n] for n in range(0, len(whole), 7)] + foreign:
        path.write_bytes(content)
        for source in (path, str(path), io.BytesIO(content)):
            with pytest.raises(RuntimeError, match="was cut short, or was not written by save") as caught:
                load(source)
            assert "\n" not in str(caught.value)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        load(tmp_path)


def test_paths_files_and_links_are_accepted(tmp_path):
    for target in (tmp_path / "a", str(tmp_path / "b")):
        save([torch.ones(2)], target)
        assert load(target, map_location="cpu", weights_only=True)[0].tolist() == [1, 1]
    with open(tmp_path / "c", "wb") as file:
        save(3, file)
    with open(tmp_path / "c", "rb") as file:
        assert load(file, "cpu") == 3
    (tmp_path / "link").symlink_to(tmp_path / "a")
    save("through the link", tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert load(tmp_path / "a") == "through the link"
    with pytest.raises(TypeError, match="map_location is .*, not a float"):
        load(tmp_path / "a", map_location=3.5)
    with pytest.raises(RuntimeError, match="does not pickle"):
        save(3, tmp_path / "a", pickle_module=pickle)
    with pytest.raises(RuntimeError, match="does not unpickle"):
        load(tmp_path / "a", pickle_module=pickle)
    with pytest.raises(ValueError, match="mmap"):
        load(io.BytesIO(), mmap=True)
    with pytest.warns(UserWarning, match="pickle_load_args"):
        load(tmp_path / "a", encoding="latin1")


def test_arrays_and_bytes_come_back():
    value = {
        "array": np.arange(6.0).reshape(2, 3).T,
        "half": np.ones(2, np.float16),
        "none": np.zeros((0, 2), np.int8),
        "big endian": np.arange(3, dtype=">i4"),
        "zero": np.array(True),
        "scalars": [np.float32(2.5), np.int64(3), np.bool_(True)],
        "others": (1 + 2j, b"ab\0", bytearray(b"c"), frozenset({1, "a"})),
    }
    found = through_a_file(value)
    for name in ("array", "half", "none", "big endian", "zero"):
        np.testing.assert_array_equal(found[name], value[name])
        assert type(found[name]) is np.ndarray
        assert found[name].dtype == value[name].dtype.newbyteorder("=")
    assert kinds(found["scalars"]) == kinds(value["scalars"])
    assert found["scalars"] == value["scalars"]
    assert found["others"] == value["others"]
    assert kinds(found["others"]) == kinds(value["others"])
    np.testing.assert_array_equal(through_a_file(np.ones(2)), np.ones(2))


def test_files_of_others_are_named(tmp_path):
    path = tmp_path / "weights.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("weights/data.pkl", b"\x80\x02}.")
        archive.writestr("weights/data/0", bytes(4000))
    whole = path.read_bytes()
    for content in (whole[:-100], whole[:200]):
        path.write_bytes(content)
        with pytest.raises(RuntimeError, match="weights.pt is PyTorch's, and was cut short"):
            load(path)
    with pytest.raises(RuntimeError, match="what is in f is PyTorch's"):
        load(io.BytesIO(whole[:-100]))
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(RuntimeError, match="is a pickle, as older versions of PyTorch"):
        load(path)
    for write in (np.save, np.savez):
        with open(path, "wb") as file:
            write(file, np.ones(2))
        with pytest.raises(RuntimeError, match="is NumPy's, and numpy.load reads it"):
            load(path)


def test_weights_come_over_in_a_safetensors_file(tmp_path):
    model, other = nn.Linear(3, 2), nn.Linear(3, 2)
    save_file({name: value.numpy() for name, value in model.state_dict().items()}, tmp_path / "weights")
    other.load_state_dict(load(tmp_path / "weights"))
    np.testing.assert_array_equal(other.weight.array, model.weight.array)
    header = b'{"a":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}}'
    (tmp_path / "weights").write_bytes(len(header).to_bytes(8, "little") + header + bytes(2))
    with pytest.raises(RuntimeError, match="has tensors of type BF16"):
        load(tmp_path / "weights")
    save_file({"a": np.ones(2, np.uint16)}, tmp_path / "weights")
    assert load(tmp_path / "weights")["a"].dtype is torch.uint16


SAVING = """
import sys
import tinytorch as torch
for number in range(10**6):
    torch.save({"number": number, "x": torch.full((500_000,), float(number))}, sys.argv[1])
    print(number, flush=True)
"""


def test_a_kill_leaves_the_last_good_file(tmp_path):
    path, environment = (
        tmp_path / "state",
        os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    command = [sys.executable, "-P", "-c", SAVING, str(path)]
    for delay in (0.0, 0.003, 0.006, 0.01):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
        for _ in range(3):
            process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        found = load(path)
        assert found["number"] >= 2
        assert (found["x"].array == found["number"]).all()


# Resuming -------------------------------------------------------------------------------------------------
class PowerCut(Callback):
    def __init__(self, step):
        self.last = step

    def on_step_end(self, trainer):
        if trainer.step == self.last:
            raise KeyboardInterrupt


def training(seed=0, own_generator=False, schedule="one cycle", callbacks=(), workers=0):
    """A training in which everything is random that can be: 26 samples, batches of 4, two for each step."""
    torch.manual_seed(seed)
    x = torch.tensor(np.random.default_rng(0).standard_normal((26, 4)).astype("float32"))
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 2))
    optimizer = torch.optim.AdamW(model.parameters(), 0.05, amsgrad=True)
    generator = torch.Generator().manual_seed(seed + 7) if own_generator else None
    data = TensorDataset(x, (x.sum(1) > 0).long())
    if own_generator == "sampler":
        loader = DataLoader(data, 4, sampler=RandomSampler(data, generator=generator))
    else:
        loader = DataLoader(data, 4, shuffle=True, generator=generator, num_workers=workers)
    every, scheduler = "epoch", None
    if schedule == "one cycle":
        every, scheduler = "step", LR.OneCycleLR(optimizer, 0.05, total_steps=100)
    elif schedule == "plateau":
        scheduler = LR.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
    elif schedule == "sequence":
        scheduler = LR.SequentialLR(optimizer, [LR.LinearLR(optimizer), LR.MultiStepLR(optimizer, [1])], [2])
    trainer = Trainer(
        model, optimizer, nn.CrossEntropyLoss(), scheduler, clip_norm=1.0, accumulate=2, scheduler_every=every,
        metrics={"accuracy": torch.accuracy}, callbacks=[EarlyStopping("loss", patience=50), *callbacks],
    )  # fmt: skip
    return trainer, loader


def everything(trainer):
    """What a training has come to, as something that can be compared."""
    weights = [p.array.tolist() for p in trainer.model.parameters()]
    moments = [x.array.tolist() for state in trainer.optimizer.state.values() for x in state.values()]
    rates = trainer.optimizer.param_groups[0]["lr"], trainer.optimizer.param_groups[0]["betas"]
    counts = trainer.epoch, trainer.batch, trainer.step, trainer.stop
    return weights, moments, rates, counts, trainer.history.rows, torch.get_rng_state().tolist()


@pytest.mark.parametrize("schedule", ["one cycle", "plateau", "sequence", None])
@pytest.mark.parametrize("own_generator", [False, True, "sampler"])
def test_a_training_resumes_to_the_bit_wherever_it_was_stopped(tmp_path, own_generator, schedule):
    options, path = {"own_generator": own_generator, "schedule": schedule}, tmp_path / "state"
    whole, loader = training(**options)
    whole.fit(loader, loader, epochs=4)
    expected = everything(whole)
    for stop in (1, 2, 4, 5, 7, 8, 15):  # four steps make an epoch
        first, loader = training(callbacks=[Checkpoint(path, every=1), PowerCut(stop)], **options)
        first.callbacks.sort(key=lambda callback: isinstance(callback, PowerCut))  # after the checkpoint
        with pytest.raises(KeyboardInterrupt):
            first.fit(loader, loader, epochs=4)
        second, loader = training(seed=5, **options)
        torch.rand(11)
        second.load_state_dict(load(path))
        second.fit(loader, loader, epochs=4)
        assert everything(second) == expected, f"stopped after step {stop}"


def test_a_training_resumes_between_epochs_and_from_memory():
    whole, loader = training()
    whole.fit(loader, epochs=4)
    first, loader = training()
    first.fit(loader, epochs=2)
    state = copy.deepcopy(first.state_dict())
    first.fit(loader, epochs=3)
    second, loader = training(seed=9)
    second.load_state_dict(state)
    second.fit(loader, epochs=4)
    assert everything(second) == everything(whole)


def test_an_interrupted_training_goes_on_in_the_same_process():
    whole, loader = training(own_generator=True)
    whole.fit(loader, epochs=3)
    for stop in (3, 4, 6):
        first, loader = training(own_generator=True, callbacks=[PowerCut(stop)])
        with pytest.raises(KeyboardInterrupt):
            first.fit(loader, epochs=3)
        first.fit(loader, epochs=3)
        assert everything(first) == everything(whole)


def test_a_state_that_was_loaded_can_be_saved_at_once(tmp_path):
    whole, loader = training()
    expected = whole.fit(loader, epochs=3).rows
    first, loader = training(callbacks=[Checkpoint(tmp_path / "a", every=2), PowerCut(3)])
    with pytest.raises(KeyboardInterrupt):
        first.fit(loader, epochs=3)
    second, _ = training(seed=3)
    second.load_state_dict(load(tmp_path / "a"))
    save(second.state_dict(), tmp_path / "b")
    third, loader = training(seed=4)
    third.load_state_dict(load(tmp_path / "b"))
    assert third.fit(loader, epochs=3).rows == expected


def test_a_training_with_worker_processes_resumes(tmp_path):
    whole, loader = training(workers=2)
    whole.fit(loader, epochs=2)
    first, loader = training(workers=2, callbacks=[Checkpoint(tmp_path / "state", every=3), PowerCut(4)])
    with pytest.raises(KeyboardInterrupt):
        first.fit(loader, epochs=2)
    second, loader = training(seed=5, workers=2)
    second.load_state_dict(load(tmp_path / "state"))
    second.fit(loader, epochs=2)
    assert everything(second)[:4] == everything(whole)[:4]


# The Trainer ----------------------------------------------------------------------------------------------
def linear(samples=10, accumulate=1, **options):
    torch.manual_seed(0)
    model, x, y = nn.Linear(3, 1).double(), torch.randn(samples, 3).double(), torch.randn(samples, 1).double()
    trainer = Trainer(
        model, torch.optim.SGD(model.parameters(), 0.1), nn.MSELoss(), accumulate=accumulate, **options
    )
    return trainer, TensorDataset(x, y)


@pytest.mark.parametrize(("batch", "accumulate"), [(2, 2), (3, 2), (4, 2), (3, 5), (1, 10)])
def test_accumulating_equals_batches_as_large_as_the_groups(batch, accumulate):
    small, data = linear(accumulate=accumulate)
    small.fit(DataLoader(data, batch), epochs=3)
    large, data = linear()
    large.fit(DataLoader(data, batch * accumulate), epochs=3)
    assert small.step == large.step
    for a, b in zip(small.model.parameters(), large.model.parameters()):
        np.testing.assert_allclose(a.array, b.array, rtol=1e-12)
    for a, b in zip(small.history.rows, large.history.rows):
        np.testing.assert_allclose(a["loss"], b["loss"], rtol=1e-12)


def test_evaluate_and_predict_look_and_change_nothing():
    trainer, data = linear()
    x, y = data.tensors
    trainer.model.train()
    before = copy.deepcopy(trainer.model.state_dict())
    loader = DataLoader(data, 4)
    expected = x.numpy() @ before["weight"].array.T + before["bias"].array
    np.testing.assert_allclose(trainer.evaluate(loader)["loss"], ((expected - y.numpy()) ** 2).mean())
    for source in (loader, DataLoader(TensorDataset(x), 4), [x[:6], x[6:]], [(x[:6],), (x[6:],)]):
        found = trainer.predict(source)
        np.testing.assert_allclose(found.numpy(), expected)
    assert trainer.model.training
    assert all(p.grad is None for p in trainer.model.parameters())
    assert all(
        np.array_equal(a.array, b.array) for a, b in zip(trainer.model.state_dict().values(), before.values())
    )


def test_callbacks_are_called_in_order_and_checkpoints_last(tmp_path):
    events = []

    class Teller(Callback):
        def __init__(self, name):
            self.name = name

    def tell(moment):
        return lambda self, trainer: events.append((moment, self.name, trainer.epoch, trainer.batch))

    for moment in ("on_fit_begin", "on_epoch_begin", "on_step_end", "on_epoch_end", "on_fit_end"):
        setattr(Teller, moment, tell(moment))
    checkpoint = Checkpoint(tmp_path / "state")
    trainer, data = linear(accumulate=2, callbacks=[checkpoint, Teller("a"), Teller("b")])
    assert trainer.callbacks[0] is trainer.history
    assert trainer.callbacks[-1] is checkpoint
    assert trainer.fit(DataLoader(data, 4), epochs=1) is trainer.history
    assert events[::2] == [
        ("on_fit_begin", "a", 0, 0), ("on_epoch_begin", "a", 0, 0), ("on_step_end", "a", 0, 2),
        ("on_step_end", "a", 0, 3), ("on_epoch_end", "a", 1, 0), ("on_fit_end", "a", 1, 0),
    ]  # fmt: skip
    assert [event[1] for event in events] == ["a", "b"] * 6


def test_the_best_checkpoint_is_kept(tmp_path):
    path, values = tmp_path / "best", iter([3.0, 1.0, 2.0, 0.5, 0.7])
    trainer, data = linear(
        metrics={"value": lambda outputs, targets: current[0]}, callbacks=[Checkpoint(path, "val_value")]
    )
    current = [0.0]

    class Next(Callback):
        def on_epoch_begin(self, trainer):
            current[0] = next(values)

    trainer.callbacks.insert(0, Next())
    trainer.fit(DataLoader(data, 5), DataLoader(data, 5), epochs=5)
    assert load(path)["counts"]["epoch"] == 4
    with pytest.raises(KeyError, match="no metric is called 'val_loss': there are loss"):
        linear(callbacks=[Checkpoint(path, "val_loss")])[0].fit(DataLoader(data, 5))
    with pytest.raises(ValueError, match='"min" or "max"'):
        linear(callbacks=[Checkpoint(path, "loss", mode="least")])[0].fit(DataLoader(data, 5))


def test_early_stopping_ends_a_training_and_stays_ended_when_it_is_resumed(tmp_path):
    trainer, data = linear(
        callbacks=[EarlyStopping("loss", "max", patience=2), Checkpoint(tmp_path / "state")]
    )
    trainer.fit(DataLoader(data, 5), epochs=50)
    assert trainer.epoch == 3
    again, data = linear(callbacks=[EarlyStopping("loss", "max", patience=2)])
    again.load_state_dict(load(tmp_path / "state"))
    again.fit(DataLoader(data, 5), epochs=50)
    assert (again.epoch, again.stop) == (3, True)


def test_the_progress_bar_shows_the_means(capsys):
    trainer, data = linear(callbacks=[torch.ProgressBar()])
    trainer.fit(DataLoader(data, 4), epochs=2)
    shown = capsys.readouterr().err
    assert "epoch 1: 100%" in shown
    assert "epoch 2: 100%" in shown
    assert f"loss={trainer.history.rows[-1]['loss']:.4g}" in shown


def test_the_history_is_plotted():
    trainer, data = linear(metrics={"error": lambda outputs, targets: (outputs - targets).abs().mean()})
    figure = trainer.fit(DataLoader(data, 4), DataLoader(data, 4), epochs=3).plot()
    assert [axes.get_ylabel() for axes in figure.axes] == ["loss", "error"]
    for axes in figure.axes:
        assert [line.get_label() for line in axes.lines] == ["training", "validation"]
        assert all(len(line.get_xdata()) == 3 for line in axes.lines)


def test_wrong_arguments_are_refused():
    for options in ({"accumulate": 0}, {"accumulate": 1.5}, {"scheduler_every": "batch"}):
        with pytest.raises(ValueError, match=next(iter(options))):
            linear(**options)
    trainer, _ = linear()
    plateau = LR.ReduceLROnPlateau(trainer.optimizer)
    with pytest.raises(ValueError, match="goes by epochs"):
        Trainer(trainer.model, trainer.optimizer, nn.MSELoss(), plateau, scheduler_every="step")
    with pytest.raises(ValueError, match="gave no batch"):
        trainer.fit([])


def test_a_loader_may_be_any_iterable_of_batches():
    trainer, data = linear(callbacks=[torch.ProgressBar()])
    x, y = data.tensors

    class Stream:
        def __iter__(self):
            yield [x[:5], y[:5]]
            yield x[5:], y[5:]

    trainer.fit(Stream(), epochs=2)
    assert trainer.step == 4


# Schedules ------------------------------------------------------------------------------------------------
def test_the_order_of_steps_is_watched_as_in_pytorch():
    parameter = nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([parameter], 0.1)
    scheduler = LR.StepLR(optimizer, 3)
    with pytest.warns(UserWarning, match="before `optimizer.step\\(\\)`") as caught:
        scheduler.step()
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scheduler.step()  # once is enough
        optimizer.step()
        LR.ExponentialLR(optimizer, 0.9).step()  # the optimizer has stepped
    with pytest.warns(UserWarning, match="epoch parameter"):
        scheduler.step(7)
    np.testing.assert_allclose(optimizer.param_groups[0]["lr"], 0.1 * 0.1**2)


@pytest.mark.parametrize("count", [1, 2])
def test_schedulers_state_can_be_saved(count):
    """Every schedule's state goes through a file, and the schedule goes on from it."""
    makers = {
        "StepLR": lambda o: LR.StepLR(o, 2),
        "MultiStepLR": lambda o: LR.MultiStepLR(o, [2, 2, 5]),
        "LambdaLR": lambda o: LR.LambdaLR(o, lambda epoch: 0.9**epoch),
        "CosineAnnealingWarmRestarts": lambda o: LR.CosineAnnealingWarmRestarts(o, 3, 2),
        "OneCycleLR": lambda o: LR.OneCycleLR(o, 1.0, 20, three_phase=True),
        "CyclicLR": lambda o: LR.CyclicLR(o, 0.1, 1.0, 2, mode="exp_range", gamma=0.9),
        "CyclicLR, own": lambda o: LR.CyclicLR(o, 0.1, 1.0, 2, scale_fn=lambda cycle: 1 / cycle),
        "SWALR": lambda o: torch.optim.swa_utils.SWALR(o, 0.5, 7),
        "SequentialLR": lambda o: LR.SequentialLR(o, [LR.LinearLR(o), LR.MultiStepLR(o, [3])], [4]),
        "ChainedScheduler": lambda o: LR.ChainedScheduler([LR.ConstantLR(o), LR.PolynomialLR(o, 9)]),
    }
    for name, make in makers.items():
        optimizers = [
            torch.optim.SGD(
                [{"params": [nn.Parameter(torch.ones(1))]} for _ in range(count)], 0.1, momentum=0.9
            )
            for _ in range(2)
        ]
        first, second = map(make, optimizers)
        for _ in range(3):
            optimizers[0].step()
            first.step()
        second.load_state_dict(through_a_file(first.state_dict()))
        optimizers[1].load_state_dict(through_a_file(optimizers[0].state_dict()))
        for _ in range(6):
            for optimizer, scheduler in zip(optimizers, (first, second)):
                optimizer.step()
                scheduler.step()
            assert first.get_last_lr() == second.get_last_lr(), name


def test_a_rate_that_is_a_tensor_is_changed_in_place():
    rate = torch.tensor(0.1)
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], rate)
    scheduler = LR.ExponentialLR(optimizer, 0.5)
    for _ in range(2):
        optimizer.step()
        scheduler.step()
    assert optimizer.param_groups[0]["lr"] is rate
    np.testing.assert_allclose(rate.item(), 0.025)
    assert scheduler.base_lrs[0].item() == pytest.approx(0.1)


def test_clipping_is_noted_as_a_change_in_place():
    x = torch.ones(2, requires_grad=True)
    (x * 3).sum().backward()
    y = (torch.ones(2, requires_grad=True) * x.grad).sum()
    nn.utils.clip_grad_norm_(x, 1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_clipping_nothing_is_warned_of():
    with pytest.warns(UserWarning, match="empty generator") as caught:
        nn.utils.clip_grad_norm_((p for p in ()), 1.0)
    assert caught[0].filename == __file__


def test_what_a_scale_function_remembers_is_saved_with_its_cycles():
    class Shrinking:
        def __init__(self, share):
            self.share = share

        def __call__(self, cycle):
            return self.share**cycle

    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], 0.1, momentum=0.9)
    first = LR.CyclicLR(optimizer, 0.1, 1.0, 2, scale_fn=Shrinking(0.5))
    second = LR.CyclicLR(optimizer, 0.1, 1.0, 2, scale_fn=Shrinking(0.9))
    second.load_state_dict(through_a_file(first.state_dict()))
    assert second.scale_fn(3) == 0.5**3


def test_the_old_name_of_clipping_warns_and_clips():
    parameter = nn.Parameter(torch.zeros(2))
    parameter.grad = torch.tensor([3.0, 4.0])
    with pytest.warns(FutureWarning, match="clip_grad_norm_") as caught:
        assert nn.utils.clip_grad_norm(parameter, 1.0).item() == 5
    assert caught[0].filename == __file__
    np.testing.assert_allclose(parameter.grad.array, [0.6, 0.8], rtol=1e-5)


def test_an_averaged_model_is_a_model_of_its_own():
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    averaged = torch.optim.swa_utils.AveragedModel(model)
    before = model[0].weight.array.copy()
    averaged.update_parameters(model)
    averaged.module[0].weight.array += 1
    np.testing.assert_array_equal(model[0].weight.array, before)
    averaged.eval()
    assert model.training
    assert [name for name, _ in averaged.named_parameters()] == ["module.0.weight", "module.0.bias"]
