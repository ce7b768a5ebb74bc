"""Module 15: observers, fake quantization, and what converting a model leaves alone."""

from golden import Area, literal, real

area = Area()

area.each(
    "x",
    [real(3, 4), real(20), real(), literal([0.5, 1.5, 2.5, -0.5, 1e9, -1e9])],
    """
    torch.fake_quantize_per_tensor_affine(x, 0.125, 0, -128, 127)
    torch.fake_quantize_per_tensor_affine(x, 0.5, 3, 0, 7)
    torch.fake_quantize_per_tensor_affine(x, 1.0, -2, -3, 3)
    torch.fake_quantize_per_tensor_affine(x, torch.tensor(0.25), torch.tensor(1).int(), -4, 3)
    """,
)
area.each(
    "x",
    [real(3, 5), real(3, 2, 4)],
    """
    torch.fake_quantize_per_channel_affine(x, torch.tensor([0.25, 0.5, 1.0]), torch.tensor([0, 1, -1]).int(), 0, -4, 3)
    """,
)
area.refused(
    "x",
    [real(3, 4)],
    """
    torch.fake_quantize_per_tensor_affine(x, 0.1, 9, -8, 7); torch.fake_quantize_per_tensor_affine(x, 0.1, 0, 7, -8)
    torch.fake_quantize_per_channel_affine(x, torch.ones(2), torch.zeros(2).int(), 0, -8, 7)
    torch.fake_quantize_per_channel_affine(x, torch.ones(3), torch.zeros(2).int(), 0, -8, 7)
    """,
)

SEEN = [
    (real(4, 5), real(4, 5)),
    (literal([[0.0, 0.0]]), literal([[0.0, 0.0]])),
    (literal([[5.0, 2.0]]), literal([[1.0, 7.0]])),
    (literal([[-5.0, -2.0]]), literal([[-1.0, -7.0]])),
]
MADE = """
Q.MinMaxObserver(); Q.MinMaxObserver(dtype=torch.qint8); Q.MinMaxObserver(torch.quint8, torch.per_tensor_symmetric)
Q.MinMaxObserver(torch.qint8, torch.per_tensor_symmetric, quant_min=-127, quant_max=127)
Q.MinMaxObserver(reduce_range=True); Q.MinMaxObserver(dtype=torch.qint8, eps=0.5)
Q.MovingAverageMinMaxObserver(0.25); Q.PerChannelMinMaxObserver(0, torch.qint8, torch.per_channel_symmetric)
Q.PerChannelMinMaxObserver(ch_axis=1); Q.MovingAveragePerChannelMinMaxObserver(0.5, 1)
Q.MinMaxObserver.with_args(dtype=torch.qint8)()
"""


def observe(torch):
    """`seen` shows an observer tensors, and gives its verdict as numbers."""

    def seen(observer, *tensors):
        before = [x.float().tolist() for x in observer.calculate_qparams()]
        handed_on = [observer(x) is x for x in tensors]
        scale, zero_point = observer.calculate_qparams()
        kept = observer.min_val, observer.max_val, observer.quant_min, observer.quant_max
        return before, handed_on, scale, zero_point.int(), kept

    return {"seen": seen, "Q": torch.ao.quantization}


area.each("x, y", SEEN, MADE, given=observe, form="seen({}, x, y)", gradient=False)


@area.case(real(4, 6), real(2, 6), gradient=False)
def a_fake_quantize_module_watches_and_rounds(torch, x):
    quantization = torch.ao.quantization
    fake = quantization.FakeQuantize(quantization.MinMaxObserver, 0, 255, dtype=torch.quint8)
    first, scale = fake(x), fake.scale.clone()
    fake.disable_observer()
    second = fake(3 * x)
    same = bool((fake.scale == scale).all())
    fake.disable_fake_quant()
    names = sorted(fake.state_dict())
    return first, second, same, fake(3 * x), [name for name in names if "." not in name]


@area.case(real(5, 4), gradient=False)
def a_model_is_converted_as_a_copy(torch, x):
    nn, quantization = torch.nn, torch.ao.quantization
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Sequential(nn.Linear(8, 3)))
    small = quantization.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)
    other = quantization.quantize_dynamic(model, {"2.0"})
    floats = [sum(type(m) is nn.Linear for m in one.modules()) for one in (model, small, other)]
    difference = (small(x) - model(x)).abs().max() / model(x).abs().max()
    return floats, len(list(small.parameters())), bool(difference < 0.05), tuple(small(x).shape)


area.refused(
    "",
    [],
    """
    torch.ao.quantization.QConfig(torch.ao.quantization.MinMaxObserver(), torch.ao.quantization.MinMaxObserver())
    torch.ao.quantization.MinMaxObserver(quant_min=5, quant_max=1)
    torch.ao.quantization.MinMaxObserver(quant_min=5, quant_max=9)
    torch.ao.quantization.quantize_dynamic(nn.Linear(2, 2), dtype=torch.float64)
    torch.ao.quantization.prepare_qat(nn.Linear(2, 2).eval())
    """,
)


@area.case((), gradient=False)
def names_for_kinds_of_quantization(torch):
    schemes = torch.per_tensor_affine, torch.per_tensor_symmetric, torch.per_channel_affine
    quantization = torch.ao.quantization
    classes = quantization.QConfig, quantization.ObserverBase
    functions = quantization.prepare, quantization.convert
    defaults = quantization.default_dynamic_qconfig
    return (
        repr([*schemes, torch.per_channel_symmetric, torch.qint8, torch.quint8]),
        [one.__name__ for one in (*classes, *functions)],
        type(defaults).__name__,
    )
