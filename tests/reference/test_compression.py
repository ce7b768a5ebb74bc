"""Module 16: what is lost and gained, each beside a dense control; masks, cuts and tables that hold; what is refused."""

import copy
import io
import pickle
import zlib

import numpy as np
import pytest
import scipy.sparse
import scipy.stats

import tinytorch as torch
from tinytorch import nn
from tinytorch.nn.utils import prune
from tinytorch.profiling import count_flops, count_parameters

F = nn.functional
SEEDS = range(3)
x_train, y_train = torch.Digits().tensors()
x_test, y_test = torch.Digits(train=False).tensors()


def mlp(hidden=128):
    return nn.Sequential(nn.Flatten(), nn.Linear(64, hidden), nn.ReLU(), nn.Linear(hidden, 10))


def train(model, epochs, lr=0.01, schedule=None):
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.05)
    rate = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, lr, epochs=epochs, steps_per_epoch=-(-len(x_train) // 64)
    )
    model.train()
    for _ in range(epochs):
        for rows in torch.randperm(len(x_train)).split(64):
            optimizer.zero_grad()
            F.cross_entropy(model(x_train[rows]), y_train[rows]).backward()
            optimizer.step()
            rate.step()
            if schedule is not None:
                schedule.step()
    return model.eval()


def tuned(model, schedule=None, epochs=8):
    torch.manual_seed(1)
    return train(model, epochs, lr=0.003, schedule=schedule)


@torch.no_grad()
def right(model):
    return 100 * float(torch.accuracy(model(x_test), y_test))


def weights_of(model):
    return [(model[1], "weight"), (model[3], "weight")]


def pruned(model, share, method=prune.L1Unstructured, layerwise=False):
    model = copy.deepcopy(model)
    for part in [[pair] for pair in weights_of(model)] if layerwise else [weights_of(model)]:
        prune.global_unstructured(part, method, amount=share)
    return model


def state_bytes(model):
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    return file.getvalue()


@pytest.fixture(scope="module")
def models():
    found = []
    for seed in SEEDS:
        torch.manual_seed(seed)
        found.append(train(mlp(), 20))
    return found


@pytest.fixture(scope="module")
def controls(models):
    """What the same training on gives to a network that is not pruned."""
    return [right(tuned(copy.deepcopy(model))) for model in models]


@pytest.mark.slow
def test_half_of_the_weights_cost_a_point_and_more_cost_more(models):
    dense = np.mean([right(model) for model in models])
    found = {
        share: np.mean([right(pruned(model, share)) for model in models]) for share in (0.5, 0.8, 0.9, 0.95)
    }
    assert dense > 96.5
    assert found[0.5] > dense - 2, found
    assert found[0.5] > found[0.8] > found[0.9] > found[0.95], found
    assert found[0.9] < 80, "untuned, 90 % are not free"
    layerwise = np.mean([right(pruned(model, 0.8, layerwise=True)) for model in models])
    assert found[0.8] > layerwise + 2, f"at once {found[0.8]} %, layer by layer {layerwise} %"


@pytest.mark.slow
def test_tuned_beside_a_dense_control(models, controls):
    control = np.mean(controls)
    tuned_on = np.mean([right(tuned(pruned(model, 0.8))) for model in models])
    random = np.mean([right(tuned(pruned(model, 0.8, prune.RandomUnstructured))) for model in models])
    assert control - 2.5 < tuned_on < control + 0.5, f"80 % zeros {tuned_on}, dense {control}"
    assert tuned_on > random + 3, f"the smallest {tuned_on}, at random {random}"


@pytest.mark.slow
def test_a_schedule_beats_pruning_at_once_where_much_goes(models, controls):
    at_once, gradual = [], []
    for model in models:
        model = copy.deepcopy(model)
        at_once.append(right(tuned(pruned(model, 0.95))))
        schedule = torch.PruningSchedule(weights_of(model), 0.95, end=120, every=5)
        gradual.append(right(tuned(model, schedule)))
        gone, total = torch.masked_out(weights_of(model))
        assert gone == round(0.95 * total)
    assert np.mean(gradual) > np.mean(at_once) + 2, (gradual, at_once)
    assert np.mean(gradual) < np.mean(controls), "95 % zeros are not free"


def test_masks_hold_with_every_optimizer_and_through_files(models):
    for make in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop):
        model = copy.deepcopy(models[0])
        optimizer = make(model.parameters(), lr=0.01, weight_decay=0.1)
        for _ in range(2):  # with state from before the pruning, and from after it
            for step in range(3):
                optimizer.zero_grad()
                F.cross_entropy(
                    model(x_train[64 * step : 64 * step + 64]), y_train[64 * step : 64 * step + 64]
                ).backward()
                optimizer.step()
            prune.global_unstructured(weights_of(model), prune.L1Unstructured, amount=0.5)
        model(x_test)
        for layer in (model[1], model[3]):
            assert (layer.weight_mask == 0).sum() > 100
            np.testing.assert_array_equal(layer.weight.detach().numpy()[layer.weight_mask.numpy() == 0], 0)
        file = io.BytesIO(state_bytes(model))
        other = mlp()
        for layer in (other[1], other[3]):
            prune.identity(layer, "weight")
        other.load_state_dict(torch.load(file))
        np.testing.assert_array_equal(other(x_test).detach().numpy(), model(x_test).detach().numpy())


def test_zeros_save_nothing_by_themselves(models):
    dense, sparse = models[0], pruned(models[0], 0.9)
    masked = state_bytes(sparse)
    assert len(masked) > 1.9 * len(state_bytes(dense)), "the mask is as large as the weight"
    for layer in (sparse[1], sparse[3]):
        prune.remove(layer, "weight")
    assert len(state_bytes(sparse)) == len(state_bytes(dense))
    assert len(zlib.compress(state_bytes(sparse))) < 0.3 * len(zlib.compress(state_bytes(dense)))
    with torch.no_grad():
        flops = [count_flops(lambda m=model: m(x_test)) for model in (dense, sparse)]
    assert flops[0] == flops[1]


def test_sparse_rows_save_bytes_from_half_on():
    weight = np.random.default_rng(0).standard_normal((256, 256)).astype(np.float32)
    for share, wanted in ((0.5, 1.0), (0.8, 0.4), (0.9, 0.2)):
        rows = scipy.sparse.csr_array(weight * torch.magnitude_mask(weight, round(share * weight.size)))
        held = rows.data.nbytes + rows.indices.nbytes + rows.indptr.nbytes
        assert abs(held / weight.nbytes - wanted) < 0.01


def at_random(seed):
    rng = np.random.default_rng(seed)
    return lambda layer, count: np.sort(rng.permutation(len(layer.weight))[:count])


@pytest.mark.slow
def test_smaller_layers_are_smaller_and_small_ones_learn_as_well(models, controls):
    cut, random, scratch, tuned_on = [], [], [], []
    for seed, model in enumerate(models):
        small = torch.shrink(model, [("1", "3", 32)])
        assert [tuple(p.shape) for p in small.parameters()] == [(32, 64), (32,), (10, 32), (10,)]
        assert count_parameters(small) == 2410
        assert len(state_bytes(small)) < 0.27 * len(state_bytes(model))
        with torch.no_grad():
            flops = [count_flops(lambda m=m: m(x_test)) for m in (small, model)]
        assert flops[0] == flops[1] // 4
        cut.append(right(small))
        draws = [torch.shrink(model, [("1", "3", 32)], at_random(seed)) for seed in range(5)]
        random.append(np.mean([right(draw) for draw in draws]))
        tuned_on.append(right(tuned(small)))
        torch.manual_seed(seed)
        scratch.append(right(train(mlp(32), 28)))
    assert np.mean(tuned_on) > np.mean(cut) + 5
    assert np.mean(tuned_on) > np.mean(controls) - 2.5, (tuned_on, controls)
    assert np.mean(scratch) > np.mean(tuned_on) - 0.8, f"small at once {scratch}, cut and tuned {tuned_on}"
    assert np.mean(cut) > np.mean(random) - 6, "strongest units are no worse by far"


def test_a_cut_model_computes_what_zeros_compute():
    torch.manual_seed(0)
    model = torch.LeNet(image_size=8)
    cuts = [("conv1", "conv2", 4), ("conv2", "fc1", 9), ("fc1", "fc2", 50), ("fc2", "fc3", 41)]
    small = torch.shrink(model, cuts)
    widths = [len(small.get_submodule(name).weight) for name, _, _ in cuts]
    assert widths == [4, 9, 50, 41]
    once = torch.shrink(model, cuts[:1])
    zero = copy.deepcopy(model)
    gone = np.setdiff1d(np.arange(6), torch.strongest_units(model.conv1, 4))
    zero.conv1.weight.array[gone], zero.conv1.bias.array[gone] = 0, 0
    np.testing.assert_allclose(
        once(x_test).detach().numpy(), zero(x_test).detach().numpy(), rtol=1e-4, atol=1e-5
    )
    assert small(x_test).shape == (360, 10)
    assert repr(small.fc1) == "Linear(in_features=36, out_features=50, bias=True)"
    assert "Conv2d(4, 9, kernel_size=(5, 5)" in repr(small.conv2)
    assert count_parameters(model) == 21386, "the model itself stays as it is"


def test_low_rank_costs_little_down_to_a_quarter(models):
    found = {}
    for rank in (32, 16, 8, 4):
        thin = [
            nn.Sequential(model[0], torch.factorize(model[1], rank), model[2], model[3]) for model in models
        ]
        found[rank] = np.mean([right(each) for each in thin])
        assert count_parameters(thin[0]) == rank * (64 + 128) + 128 + 1290
    dense = np.mean([right(model) for model in models])
    assert found[16] > dense - 1, found
    assert found[4] < dense - 5, found
    assert 42 * (64 + 128) < 64 * 128 < 43 * (64 + 128), "the rank from which on nothing is saved"


def test_tables_of_sixteen_are_six_times_smaller(models):
    changes = [right(torch.cluster_weights(model, 16)) - right(model) for model in models]
    assert np.mean(changes) > -1, changes
    small = torch.cluster_weights(models[0], 16)
    assert len(state_bytes(models[0])) / len(state_bytes(small)) > 6
    values = [len(np.unique(layer.weight().detach().numpy())) for layer in (small[1], small[3])]
    assert all(10 <= value <= 16 for value in values), f"centers without weights are not used: {values}"
    other = torch.cluster_weights(models[1], 16)
    other.load_state_dict(torch.load(io.BytesIO(state_bytes(small))))
    np.testing.assert_array_equal(other(x_test).detach().numpy(), small(x_test).detach().numpy())
    copied = pickle.loads(pickle.dumps(small))
    np.testing.assert_array_equal(copied(x_test).detach().numpy(), small(x_test).detach().numpy())


@pytest.mark.parametrize("entries", [1, 2, 3, 16, 17, 256])
def test_a_table_gets_the_sum_of_its_weights_gradients(entries):
    torch.manual_seed(0)
    layer = nn.Linear(7, 5)
    small, x = torch.ClusteredLinear(layer, entries), torch.randn(4, 7)
    cotangent = torch.randn(4, 5)
    small(x).backward(cotangent)
    of_weights = cotangent.numpy().T @ x.numpy()
    table, weight = small.table.detach().numpy(), small.weight().detach().numpy()
    codes = np.abs(weight[..., None] - table).argmin(-1)
    wanted = np.bincount(codes.ravel(), of_weights.ravel(), minlength=entries)
    np.testing.assert_allclose(small.table.grad.numpy(), wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(small.bias.detach().numpy(), layer.bias.detach().numpy())
    assert small.codes.shape == ((5, 4) if entries <= 16 else (5, 7))
    assert f"entries={entries}" in repr(small)


def student(seed, amount, steps, teacher=None, alpha=0.1, batch=32):
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(x_train))[:amount]
    order = np.concatenate([rng.permutation(chosen) for _ in range(steps * batch // amount + 1)])
    torch.manual_seed(seed)
    model = mlp(32)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.05)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.01, total_steps=steps)
    with torch.no_grad():
        answers = None if teacher is None else teacher(x_train)
    for rows in order[: steps * batch].reshape(steps, batch):
        x, y = x_train[torch.tensor(rows)], y_train[torch.tensor(rows)]
        optimizer.zero_grad()
        if teacher is None:
            F.cross_entropy(model(x), y).backward()
        else:
            torch.distillation_loss(model(x), answers[torch.tensor(rows)], y, alpha=alpha).backward()
        optimizer.step()
        rate.step()
    return right(model.eval())


def gains(teacher, seeds, **setting):
    found = [student(seed, teacher=teacher, **setting) - student(seed, **setting) for seed in range(seeds)]
    return (
        np.mean(found),
        scipy.stats.t.ppf(0.975, seeds - 1) * np.std(found, ddof=1) / seeds**0.5,
        min(found),
    )


@pytest.mark.slow
def test_a_teacher_helps_where_labels_are_few(models):
    mean, half, worst = gains(models[0], 10, amount=100, steps=250)
    assert mean > 4, f"{mean:+.1f} ± {half:.1f} points over ten seeds"
    assert mean - half > 3, f"{mean:+.1f} ± {half:.1f} points over ten seeds"
    assert worst > 1, f"the worst of ten seeds gains {worst:+.1f}"


@pytest.mark.slow
def test_a_teacher_does_not_help_where_there_are_labels_enough(models):
    mean, half, _ = gains(models[0], 4, amount=1437, steps=250)
    assert mean - half < 0.5, f"{mean:+.1f} ± {half:.1f} points over four seeds"
    assert abs(mean) < 1.5, f"{mean:+.1f} ± {half:.1f} points over four seeds"


def test_a_hot_teacher_is_a_squared_error_of_logits():
    """Hinton et al., 2015, section 2.1: for large T the gradient is (z - v) / classes, of centred logits."""
    rng = np.random.default_rng(0)
    z, v = (rng.standard_normal((4, 6)) for _ in range(2))
    z, v = (a - a.mean(1, keepdims=True) for a in (z, v))
    student = torch.tensor(z, requires_grad=True)
    torch.distillation_loss(student, torch.tensor(v), torch.tensor([0, 1, 2, 3]), 1e3, 0.0).backward()
    np.testing.assert_allclose(student.grad.numpy(), (z - v) / 6 / 4, rtol=0.02, atol=1e-3)


def test_what_cannot_be_done_is_refused():
    layer = nn.Linear(4, 6)
    with pytest.raises(ValueError, match="rank 5"):
        torch.factorize(layer, 5)
    with pytest.raises(ValueError, match="rank 0"):
        torch.factorize(layer, 0)
    with pytest.raises(TypeError, match="ReLU"):
        torch.shrink(nn.Sequential(nn.Linear(3, 3), nn.ReLU()), [("0", "1", 2)])
    with pytest.raises(ValueError, match="groups"):
        torch.select_inputs(nn.Conv2d(4, 4, 3, groups=2), np.array([0]), of=4)
    for kept in ([], [6], [-1]):
        with pytest.raises(IndexError, match="of 6 units"):
            torch.select_outputs(layer, np.array(kept, int))
    with pytest.raises(ValueError, match="entries"):
        torch.ClusteredLinear(layer, 257)
    for options in ({"end": 5, "begin": 5}, {"end": 5, "every": 0}):
        with pytest.raises(ValueError, match="begin"):
            torch.PruningSchedule([(layer, "weight")], 0.5, **options)
    with pytest.raises(ValueError, match="final|amount"):
        torch.PruningSchedule([(layer, "weight")], 1.5, end=5)
    prune.l1_unstructured(layer, "weight", 0.5)
    with pytest.raises(ValueError, match="remove"):
        torch.select_outputs(layer, np.array([0]))


def test_what_fails_changes_nothing():
    layer = nn.Linear(4, 3)
    before = layer.state_dict()
    with pytest.raises(ValueError, match="amount=13"):
        prune.l1_unstructured(layer, "weight", 13)
    assert list(layer.state_dict()) == list(before)
    prune.l1_unstructured(layer, "weight", 6)
    mask = layer.weight_mask.numpy().copy()
    with pytest.raises(ValueError, match="amount=7"):
        prune.l1_unstructured(layer, "weight", 7)
    np.testing.assert_array_equal(layer.weight_mask.numpy(), mask)
    assert prune.is_pruned(layer), "the first mask is still there, and holds"
    prune.l1_unstructured(layer, "weight", 3)
    assert int(layer.weight_mask.sum()) == 3
    with pytest.raises(TypeError, match="None"):
        prune.l1_unstructured(nn.Linear(2, 2, bias=False), "bias", 1)
