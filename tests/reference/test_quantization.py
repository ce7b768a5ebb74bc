"""Module 15: what whole models keep of their accuracy, exact sums, bytes, and the ways in and out of a file."""

import io
import pickle
from pathlib import Path

import numpy as np
import pytest

import tinytorch as torch
from tinytorch import nn, optim
from tinytorch.ao import quantization
from tinytorch.given.optimizers import muon
from tinytorch.given.quantization import language_model
from tinytorch.quantization import Prepared, QuantizedLayer, dequantize, quantize
from tinytorch.tensor import Context

ROOT = Path(__file__).parents[2]
CACHE = ROOT / "build" / "quantization"
BOTH = {nn.Linear, nn.Conv2d}
x_train, y_train = torch.Digits().tensors()
x_test, y_test = torch.Digits(train=False).tensors()


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


def lenet():
    return torch.LeNet(image_size=8)


def trained(name, make, seed, epochs, smoothing):
    """A model trained on digits; its weights are kept for the next time."""
    torch.manual_seed(seed)
    model, path = make(), CACHE / f"{name}-{seed}-{epochs}.safetensors"
    if path.exists():
        model.load_state_dict(torch.load(path))
        return model.eval()
    data = torch.utils.data.TensorDataset(x_train, y_train)
    loader = torch.utils.data.DataLoader(data, batch_size=64, shuffle=True)
    optimizer = optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.05)
    steps = {"epochs": epochs, "steps_per_epoch": len(loader)}
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, 0.01, **steps)
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y, label_smoothing=smoothing).backward()
            optimizer.step()
            schedule.step()
    CACHE.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), path)
    return model.eval()


@pytest.fixture(scope="module", params=["mlp", "lenet"])
def models(request):
    if request.param == "mlp":
        return [trained("mlp", mlp, seed, 12, 0.0) for seed in range(6)]
    return [trained("lenet", lenet, seed, 8, 0.1) for seed in range(6)]


@torch.no_grad()
def right(model):
    return 100 * float(torch.accuracy(model(x_test), y_test))


@torch.no_grad()
def logits_off(model, original):
    wanted = original(x_test)
    return ((model(x_test) - wanted).norm() / wanted.norm()).item()


WAYS = {
    "dynamic": lambda model: torch.quantize_dynamic(model, BOTH),
    "static, min-max": lambda model: torch.quantize_static(model, x_train[:256]),
    "static, 99.9 %": lambda model: torch.quantize_static(model, x_train[:256], torch.PercentileObserver),
    "static, MSE": lambda model: torch.quantize_static(model, x_train[:256], torch.MSEObserver),
    "4 bits in groups": torch.quantize_int4,
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_held_out_digits_stay_within_a_point(models, way):
    changes = [right(WAYS[way](model)) - right(model) for model in models]
    assert min(changes) > -1, f"{way}: {changes} points on each seed"
    # 0.1 on average, and room for one digit more on one of six seeds, which another BLAS may cost
    assert abs(np.mean(changes)) < (0.8 if "4" in way else 0.15), f"{way}: {changes} points"


def test_eight_bits_cost_little_of_the_logits(models):
    for way in ("dynamic", "static, min-max", "static, 99.9 %", "static, MSE"):
        errors = [logits_off(WAYS[way](model), model) for model in models]
        assert max(errors) < 0.03, f"{way}: {errors}"


def test_percentiles_withstand_an_outlier_and_squared_errors_do_not(models):
    spoiled = torch.tensor(x_train[:256].numpy().copy())
    spoiled.array[0, 0, 4, 4] = 20 * spoiled.array.max()

    def error(observer):
        return np.mean([logits_off(torch.quantize_static(m, spoiled, observer), m) for m in models])

    percentile, extremes = error(torch.PercentileObserver), error(quantization.MinMaxObserver)
    assert percentile < 0.7 * extremes
    assert error(torch.MSEObserver) > 1.5 * percentile


def test_bytes_are_a_quarter_where_weights_are(models):
    float_model, small = models[0], torch.quantize_dynamic(models[0], BOTH)
    assert not list(small.parameters()), "no float Parameter is left"
    for layer, integers in zip(float_model.modules(), small.modules()):
        if isinstance(integers, QuantizedLayer):
            assert integers.weight.dtype is torch.int8
            assert 4 * integers.weight.array.nbytes == layer.weight.array.nbytes
    before = sum(p.array.nbytes for p in float_model.parameters())
    held = sum(b.array.nbytes for b in small.buffers())
    assert before / held > 3.3, f"{before} bytes in memory became {held}"
    assert torch.file_bytes(float_model) / torch.file_bytes(small) > 3.3


def test_a_large_layer_is_four_and_six_times_smaller_in_a_file():
    layer = nn.Sequential(nn.Linear(512, 512, bias=False))
    whole = torch.file_bytes(layer)
    assert whole / torch.file_bytes(torch.quantize_dynamic(layer)) > 3.9
    assert whole / torch.file_bytes(torch.quantize_int4(layer)) > 6.3


@pytest.mark.parametrize("way", WAYS)
def test_a_file_brings_the_same_model_back(models, way, tmp_path):
    small, path = WAYS[way](models[0]), tmp_path / "small.safetensors"
    torch.save(small.state_dict(), path)
    other = WAYS[way](models[-1])
    wanted = small(x_test).detach().numpy()
    assert not np.array_equal(other(x_test).detach().numpy(), wanted)
    other.load_state_dict(torch.load(path))
    np.testing.assert_array_equal(other(x_test).detach().numpy(), wanted)


def test_a_row_does_not_depend_on_its_neighbours(models):
    small = torch.quantize_dynamic(models[0], BOTH)
    crowd = torch.tensor(x_test.numpy()[:40].copy())
    crowd.array[0] *= 50
    crowd.array[7] = np.nan
    crowd.array[8, 0, 2, 2] = np.inf
    others = [i for i in range(40) if i not in (0, 7, 8)]
    found, wanted = small(crowd).numpy(), small(x_test[:40]).numpy()
    np.testing.assert_allclose(found[others], wanted[others], rtol=1e-5, atol=1e-5)
    alone = small(x_test[3:4]).numpy()[0]
    np.testing.assert_allclose(alone, wanted[3], rtol=1e-5, atol=1e-5)
    assert np.isnan(found[7]).all(), "NaN comes out where NaN went in"
    static = torch.quantize_static(models[0], x_train[:64])
    found = static(crowd).numpy()
    np.testing.assert_allclose(found[others], static(x_test[:40]).numpy()[others], rtol=1e-5, atol=1e-5)
    assert np.isnan(found[7]).all()


@pytest.mark.parametrize("length", [1, 1024, 1032, 1040, 1041, 2049, 8193])
def test_sums_are_exact_for_the_values_that_break_float32(length):
    full = np.full((3, length), 127, np.int8)
    full[1], full[2] = -128, -127
    found = torch.IntegerProduct.forward(Context(), full, full)
    np.testing.assert_array_equal(found, full.astype(np.int64) @ full.astype(np.int64).T)


def test_float32_in_one_go_breaks_at_1041():
    """The limit itself: with this, the pieces of 1,024 have a reason."""
    for length, exact in ((1024, True), (1040, True), (1041, False)):
        full = np.full((1, length), 127, np.float32)
        assert (int((full @ full.T)[0, 0]) == 127 * 127 * length) == exact
    low = np.full((1, 1032), -128, np.float32)
    assert int((low @ np.full((1032, 1), 127, np.float32))[0, 0]) == -128 * 127 * 1032


def test_models_without_inputs_that_vary_and_of_zeros():
    layer = nn.Linear(5, 3)
    layer.weight.array[1] = 0
    for inputs in (torch.zeros(4, 5), torch.full((4, 5), 2.5), torch.zeros(0, 5)):
        found = torch.quantize_dynamic(layer)(inputs).numpy()
        np.testing.assert_allclose(found, layer(inputs).detach().numpy(), atol=0.02)
    static = torch.quantize_static(layer, torch.zeros(4, 5))
    np.testing.assert_allclose(static(torch.zeros(2, 5)).numpy(), layer(torch.zeros(2, 5)).detach().numpy())
    assert np.isfinite(static(torch.ones(2, 5)).numpy()).all(), "what was never seen saturates"


def test_shapes_of_inputs_and_layers_that_cannot_be_quantized():
    linear = torch.quantize_dynamic(nn.Linear(4, 2, bias=False))
    assert linear(torch.randn(4)).shape == (2,)
    assert linear(torch.randn(2, 3, 4)).shape == (2, 3, 2)
    with pytest.raises(RuntimeError, match="last dimension is 4"):
        linear(torch.randn(3, 5))
    conv = torch.quantize_dynamic(nn.Conv2d(2, 3, (3, 2), stride=(2, 1), padding=1, dilation=(1, 2)), BOTH)
    assert conv(torch.randn(2, 7, 6)).shape == (3, 4, 6)
    with pytest.raises(RuntimeError, match="2 channels"):
        conv(torch.randn(1, 3, 7, 6))
    for layer in (nn.Conv2d(2, 2, 3, groups=2), nn.Conv2d(2, 2, 3, padding_mode="reflect")):
        assert torch.quantize_dynamic(layer, BOTH)._get_name() == "Conv2d", "it stays as it is"


def test_weights_that_are_shared_stay_and_layers_that_are_shared_stay_shared():
    config = torch.GPTConfig(vocab_size=20, block_size=8, n_layer=1, n_head=2, n_embd=16, dropout=0.0)
    small = torch.quantize_dynamic(torch.GPT(config))
    assert small.lm_head.weight is small.transformer.wte.weight
    assert isinstance(small.transformer.h[0].attn.c_attn, QuantizedLayer)
    layer = nn.Linear(4, 4)
    twice = torch.quantize_dynamic(nn.Sequential(layer, nn.ReLU(), layer))
    assert twice[0] is twice[2]
    assert isinstance(twice[0], QuantizedLayer)


def test_names_and_in_place():
    model = mlp()
    by_name = torch.quantize_dynamic(model, {"3"})
    assert [type(m).__name__ for m in by_name] == ["Flatten", "Linear", "ReLU", "QuantizedLinear"]
    assert torch.quantize_dynamic(model, inplace=True) is model
    assert isinstance(model[1], QuantizedLayer)
    assert "torch.qint8" in repr(pickle.loads(pickle.dumps({"dtype": torch.qint8})))


def test_prepare_and_convert_are_quantize_static():
    model = trained("mlp", mlp, 0, 12, 0.0)
    model.qconfig = quantization.QConfig(
        quantization.MinMaxObserver,
        quantization.PerChannelMinMaxObserver.with_args(
            dtype=torch.qint8, qscheme=torch.per_channel_symmetric, quant_min=-127, quant_max=127
        ),
    )
    prepared = quantization.prepare(model)
    assert sum(isinstance(m, Prepared) for m in prepared.modules()) == 2
    np.testing.assert_array_equal(
        prepared(x_train[:256]).detach().numpy(), model(x_train[:256]).detach().numpy()
    )
    small = quantization.convert(prepared)
    del model.qconfig
    other = torch.quantize_static(model, x_train[:256])
    np.testing.assert_allclose(small(x_test).numpy(), other(x_test).numpy(), rtol=1e-5, atol=1e-5)


def test_training_through_three_bits_beats_rounding_afterwards():
    model = trained("lenet", lenet, 0, 8, 0.1)
    afterwards = right(torch.round_weights(model, 3, per_channel=False))
    torch.manual_seed(1)
    model.train().qconfig = torch.qat_qconfig(3, activation_bits=8, per_channel=False)
    aware = quantization.prepare_qat(model)
    optimizer = optim.AdamW(aware.parameters(), lr=2e-3)
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(x_train, y_train), batch_size=64, shuffle=True
    )
    for _ in range(3):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(aware(x), y, label_smoothing=0.1).backward()
            optimizer.step()
    small = quantization.convert(aware.eval())
    assert right(small) > afterwards + 2, f"{afterwards} % rounded afterwards, {right(small)} % trained"
    assert logits_off(small, aware) < 0.03, "the integer model computes what was trained"
    assert max(abs(int(small.fc1.weight.array.min())), int(small.fc1.weight.array.max())) <= 3


@pytest.fixture(scope="module")
def gpt():
    """A small GPT that has read a part of Python's documentation, and text that it has not."""
    text = np.frombuffer(torch.PythonDocs().text[:220_000].encode("ascii", "replace"), np.uint8)
    ids, held = torch.tensor(text[:200_000].astype(np.int64)), text[200_000:210_241].astype(np.int64)
    config = torch.GPTConfig(vocab_size=128, block_size=32, n_layer=2, n_head=4, n_embd=64, dropout=0.0)
    torch.manual_seed(0)
    model, path = torch.GPT(config), CACHE / "gpt-200.safetensors"
    x, y = (torch.tensor(held[s : len(held) - 1 + s].reshape(-1, 32)) for s in (0, 1))
    if path.exists():
        model.load_state_dict(torch.load(path))
        return model.eval(), x, y
    optimizer = optim.AdamW(model.parameters(), lr=4e-3)
    rng = np.random.default_rng(0)
    for _ in range(200):
        rows = rng.integers(0, len(ids) - 33, 16)[:, None] + np.arange(33)
        batch = torch.tensor(ids.array[rows])
        optimizer.zero_grad()
        torch.next_token_loss(model(batch[:, :-1]), batch[:, 1:]).backward()
        optimizer.step()
    CACHE.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), path)
    return model.eval(), x, y


@pytest.mark.slow
def test_a_gpt_loses_at_most_two_thousandths_of_a_nat(gpt):
    model, x, y = gpt
    with torch.no_grad():
        before = torch.next_token_loss(model(x), y).item()
        assert before < 3, "it has learned something"
        changes = {
            "dynamic": torch.next_token_loss(torch.quantize_dynamic(model)(x), y).item() - before,
            "static": torch.next_token_loss(torch.quantize_static(model, x[:32])(x), y).item() - before,
        }
        four = torch.next_token_loss(torch.quantize_int4(model)(x), y).item() - before
    assert max(map(abs, changes.values())) < 0.002, changes
    assert abs(four) < 0.05, four


def test_integers_and_back_are_within_half_a_scale():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((30, 50)).astype(np.float32) * np.logspace(-6, 6, 30, dtype=np.float32)[:, None]
    q, scale, zero_point = torch.quantize_along(x, axis=1)
    assert (np.abs(dequantize(q, scale, zero_point) - x) <= 1.001 * scale).all()
    np.testing.assert_array_equal(quantize(np.zeros_like(x), scale, zero_point) - zero_point, 0)


def test_a_saved_model_has_integers_of_one_byte(models):
    from safetensors.numpy import load

    file = io.BytesIO()
    torch.save(torch.quantize_dynamic(models[0], BOTH).state_dict(), file)
    arrays = load(file.getvalue())
    assert {a.dtype.name for a in arrays.values()} == {"int8", "float32"}
    assert sum(a.nbytes for a in arrays.values() if a.dtype == np.int8) == sum(
        p.numel() for name, p in models[0].named_parameters() if name.endswith("weight")
    )


def test_the_small_gpt_does_not_learn_its_page():
    page = next(topic for topic in torch.PythonDocs() if topic.startswith("Objects, values and types"))
    model, ids = language_model.small_language_model(page, steps=2)
    assert not model.training
    assert bytes(ids.tolist()).decode() == page.encode("ascii", "ignore").decode()
    assert page in torch.PythonDocs().text
    learned = language_model.characters(language_model.without(page))
    assert bytes(ids.tolist()[:200]) not in learned.astype(np.uint8).tobytes()


def test_planted_outliers_change_weights_and_inputs_but_no_answer():
    torch.manual_seed(4)
    model = torch.GPT(torch.GPTConfig(**language_model.SIZES, **language_model.KINDS)).eval()
    idx, mlp = torch.randint(0, 128, (3, 20)), model.transformer.h[0].mlp
    reads = []
    mlp.c_proj.register_forward_pre_hook(lambda layer, x: reads.append(np.abs(x[0].numpy()).max()))
    with torch.no_grad():
        before, largest = model(idx).numpy(), np.abs(mlp.c_fc.weight.detach().numpy()).max()
        language_model.plant_outliers(model)
        after = model(idx).numpy()
    np.testing.assert_allclose(after, before, rtol=1e-5, atol=1e-6)
    assert np.abs(mlp.c_fc.weight.detach().numpy()).max() > 100 * largest
    assert reads[1] > 20 * reads[0]


def test_bfloat16_is_pytorchs_and_that_of_muon():
    """The numbers of PyTorch 2.13's x.bfloat16().float(), and both places that round to bfloat16."""
    x = np.float32([1.001, 1.007, 3.14159, -0.3, 1e-5, 70000, 1e38, 1.5e-40, 2e-41, 3.4e38])
    wanted = [1.0, 1.0078125, 3.140625, -0.30078125, 1.0013580322265625e-05, 70144.0, 9.969209968386869e37]
    wanted += [1.8367099231598242e-40, 0.0, np.inf]
    np.testing.assert_array_equal(torch.round_to_bfloat16(x), np.float32(wanted))
    bits = np.random.default_rng(0).integers(0, 2**32, 10_000).astype(np.uint32)
    bits[::2] = bits[::2] & np.uint32(0xFFFF0000) | np.uint32(0x8000)  # halves
    numbers = bits.view(np.float32)
    numbers = numbers[np.isfinite(numbers)]
    np.testing.assert_array_equal(torch.round_to_bfloat16(numbers), muon.bfloat16(numbers))
