"""Module 09: convolutions, pooling, unfolding and batch normalisation."""

from golden import Area, booleans, integers, literal, positive, real, ties

area = Area()

# Convolution ----------------------------------------------------------------------------------------------
ONE_D = [
    real(2, 3, 9),
    real(3, 7),
    real(1, 3, 20),
    real(2, 3, 12).transposed,
    real(2, 3, 8).strided,
    real(0, 3, 9),
]
area.modules(
    ONE_D,
    """
    nn.Conv1d(3, 4, 3); nn.Conv1d(3, 4, 5, stride=2); nn.Conv1d(3, 4, 3, padding=2)
    nn.Conv1d(3, 6, 3, groups=3, bias=False)
    nn.Conv1d(3, 2, 3, dilation=2); nn.Conv1d(3, 4, 4, padding='same'); nn.Conv1d(3, 4, 3, 2, 1, 2)
    nn.Conv1d(3, 1, 1)
    nn.Conv1d(3, 4, 3, padding='valid')
    """,
    tolerance=4,
)
IMAGES = [
    real(2, 4, 7, 8),
    real(4, 6, 6),
    real(1, 4, 5, 9).transposed,
    real(2, 4, 6, 5).strided,
    real(2, 4, 6, 6).expanded,
]
area.modules(
    IMAGES,
    """
    nn.Conv2d(4, 6, 3); nn.Conv2d(4, 6, 3, padding=1); nn.Conv2d(4, 6, (3, 2), stride=(2, 1))
    nn.Conv2d(4, 6, 3, 2, 1)
    nn.Conv2d(4, 6, 3, dilation=2); nn.Conv2d(4, 6, 3, padding='same')
    nn.Conv2d(4, 6, (2, 3), padding='same', dilation=(1, 2))
    nn.Conv2d(4, 6, 3, padding='valid', bias=False); nn.Conv2d(4, 6, 3, groups=2)
    nn.Conv2d(4, 4, 3, groups=4, padding=1)
    nn.Conv2d(4, 8, 3, groups=4, stride=2); nn.Conv2d(4, 5, 1); nn.Conv2d(4, 5, 1, stride=2)
    nn.Conv2d(4, 6, 5, padding=(2, 3))
    nn.Conv2d(4, 6, kernel_size=(1, 3), stride=2, padding=(0, 1), dilation=(1, 2), groups=2)
    nn.Conv2d(4, 2, 4, stride=4)
    """,
    tolerance=4,
)
area.modules([real(2, 4, 6, 6, dtype="float64")], "nn.Conv2d(4, 6, 3, padding=1, dtype=torch.float64)")
area.modules([real(0, 4, 6, 6)], "nn.Conv2d(4, 6, 3)")
area.each(
    "x, w, b",
    [
        (real(2, 4, 5, 6), real(6, 2, 3, 3), real(6)),
        (real(4, 7, 5).transposed, real(2, 2, 3, 3).transposed, real(2)),
    ],
    """
    F.conv2d(x, w, b, groups=2); F.conv2d(x, w, None, 2, 1, 1, 2)
    F.conv2d(x, w, b, padding='same', groups=2)
    F.conv2d(x, weight=w, bias=b, stride=(1, 2), padding=(2, 0), dilation=(2, 1), groups=2)
    """,
    tolerance=4,
)
area.each(
    "x, w, b",
    [(real(2, 4, 9), real(6, 2, 3), real(6)), (real(4, 9), real(2, 2, 4), real(2))],
    """
    F.conv1d(x, w, b, groups=2); F.conv1d(x, w, None, 2, 1, 1, 2)
    F.conv1d(x, w, b, padding='same', groups=2, dilation=2)
    """,
    tolerance=4,
)
area.refused(
    "x",
    [real(2, 4, 5, 5)],
    """
    nn.Conv2d(3, 2, 3)(x); nn.Conv2d(4, 2, 7)(x); nn.Conv2d(4, 3, 3, groups=2); nn.Conv2d(3, 4, 3, groups=2)
    nn.Conv2d(4, 2, 3, padding='same', stride=2); nn.Conv2d(4, 2, 3, padding='full')
    nn.Conv2d(4, 2, 3, stride=0)(x)
    nn.Conv2d(4, 2, 3, groups=0); nn.Conv2d(4, 2, 3, padding=-1)(x); F.conv2d(x, torch.ones(2, 4, 3))
    nn.Conv2d(4, 2, 3)(x[0, 0])
    F.conv2d(x, torch.ones(2, 4, 3, 3), torch.ones(3)); nn.Conv1d(4, 2, 3)(x)
    F.conv2d(x, torch.ones(2, 4, 3, 3), padding='half')
    F.conv2d(x, torch.ones(2, 4, 3, 3), dilation=0); nn.Conv2d(4, 2, 3)(x.long())
    """,
)

TRANSPOSED = [real(2, 4, 3, 5), real(4, 3, 3), real(2, 4, 4, 3).transposed]
area.modules(
    TRANSPOSED,
    """
    nn.ConvTranspose2d(4, 6, 3); nn.ConvTranspose2d(4, 6, 3, stride=2); nn.ConvTranspose2d(4, 6, 3, 2, 1, 1)
    nn.ConvTranspose2d(4, 6, (2, 3), stride=(3, 1), bias=False)
    nn.ConvTranspose2d(4, 6, 3, groups=2, padding=1)
    nn.ConvTranspose2d(4, 2, 3, dilation=2); nn.ConvTranspose2d(4, 4, 2, 2, groups=4)
    nn.ConvTranspose2d(4, 1, 1)
    nn.ConvTranspose2d(4, 6, 3, stride=2, padding=(1, 0), output_padding=(1, 0), groups=2, dilation=(2, 1))
    """,
    tolerance=4,
)
area.each(
    "x, w, b",
    [(real(2, 4, 3, 3), real(4, 3, 3, 2), real(6))],
    """
    F.conv_transpose2d(x, w, b, groups=2); F.conv_transpose2d(x, w, None, 2, 1, 1, 2, 2)
    nn.ConvTranspose2d(4, 3, 3, stride=2)(x, output_size=(8, 7))
    """,
    tolerance=4,
)
area.refused(
    "x",
    [real(2, 4, 3, 3)],
    """
    nn.ConvTranspose2d(3, 2, 3)(x); nn.ConvTranspose2d(4, 2, 3, output_padding=1)(x)
    nn.ConvTranspose2d(4, 3, 3, groups=2)
    nn.ConvTranspose2d(4, 2, 3, stride=2)(x, output_size=(11, 11))
    """,
)

# Unfold and fold ------------------------------------------------------------------------------------------
area.modules(
    [real(2, 3, 6, 7), real(3, 5, 5), real(2, 3, 6, 6).transposed],
    """
    nn.Unfold(3); nn.Unfold((2, 3)); nn.Unfold(3, padding=1, stride=2); nn.Unfold(2, dilation=2)
    nn.Unfold((3, 2), 1, (1, 0), (2, 1))
    """,
)
area.modules(
    [real(2, 12, 20), real(12, 20)],
    "nn.Fold((5, 6), 2); nn.Fold(output_size=(6, 5), kernel_size=(2, 2)); nn.Fold((10, 8), 2, stride=2)",
)
area.modules(
    [real(2, 18, 9)],
    "nn.Fold((5, 5), 3); nn.Fold((3, 3), 3, padding=1); nn.Fold((5, 5), 3, padding=1, stride=2)",
)
area.each(
    "x",
    [real(2, 3, 6, 6)],
    "F.unfold(x, 3, 1, 1, 2); F.fold(F.unfold(x, 3, padding=1), (6, 6), 3, padding=1); F.unfold(x, (1, 1))",
)
area.refused(
    "x",
    [real(2, 3, 4, 4)],
    """
    F.unfold(x, 5); F.unfold(x[0, 0], 2); F.unfold(x, 2, stride=0); F.fold(x.reshape(2, 3, 16), (4, 4), 2)
    """,
)
area.refused("x", [real(2, 12, 7)], "F.fold(x, (5, 6), 2); F.fold(x, (5, 6), 3); F.fold(x[0, 0], (4, 4), 2)")

# Pooling --------------------------------------------------------------------------------------------------
POOLED = [
    real(2, 3, 6, 7),
    real(3, 5, 5),
    real(2, 3, 6, 6).transposed,
    real(1, 2, 8, 6).strided,
    ties(2, 2, 6, 6),
]
area.modules(
    POOLED,
    """
    nn.MaxPool2d(2); nn.MaxPool2d(3); nn.MaxPool2d(3, stride=1); nn.MaxPool2d((2, 3), (1, 2))
    nn.MaxPool2d(3, 2, 1)
    nn.MaxPool2d(2, stride=1, dilation=2); nn.MaxPool2d(2, ceil_mode=True)
    nn.MaxPool2d(3, 2, 1, ceil_mode=True)
    nn.MaxPool2d(2, return_indices=True); nn.MaxPool2d(1)
    nn.AvgPool2d(2); nn.AvgPool2d(3); nn.AvgPool2d(3, stride=1); nn.AvgPool2d((2, 3), (1, 2))
    nn.AvgPool2d(3, 2, 1)
    nn.AvgPool2d(3, 2, 1, count_include_pad=False); nn.AvgPool2d(2, ceil_mode=True)
    nn.AvgPool2d(2, divisor_override=3)
    nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False)
    nn.AdaptiveAvgPool2d(1); nn.AdaptiveAvgPool2d(2); nn.AdaptiveAvgPool2d((3, 2))
    nn.AdaptiveAvgPool2d((None, 4)); nn.AdaptiveAvgPool2d(7)
    """,
)
area.modules(
    [real(2, 3, 9), real(3, 8), real(2, 3, 6).transposed, ties(2, 2, 8)],
    """
    nn.MaxPool1d(2); nn.MaxPool1d(3, stride=1); nn.MaxPool1d(3, 2, 1); nn.MaxPool1d(2, dilation=2)
    nn.MaxPool1d(2, ceil_mode=True)
    """,
)
area.modules(
    [real(2, 3, 4, 4, dtype="float64"), real(0, 3, 4, 4)],
    "nn.MaxPool2d(2); nn.AvgPool2d(2); nn.AdaptiveAvgPool2d(1)",
)
area.each(
    "x",
    [real(2, 3, 6, 6)],
    """
    F.max_pool2d(x, 2); F.max_pool2d(x, kernel_size=(3, 2), stride=2, padding=1)
    F.max_pool2d(x, 2, return_indices=True)
    F.avg_pool2d(x, 2); F.avg_pool2d(x, 3, 2, 1, True, False, 5); F.adaptive_avg_pool2d(x, (2, 5))
    F.adaptive_avg_pool2d(x, 1)
    F.max_pool1d(x[0], 2); F.max_pool1d(x[0], 3, stride=2, padding=1)
    """,
)
area.refused(
    "x",
    [real(2, 3, 4, 4)],
    """
    F.max_pool2d(x, 5); F.max_pool2d(x, 2, padding=2); F.max_pool2d(x, 0); F.max_pool2d(x[0, 0], 2)
    F.avg_pool2d(x, 3, padding=2)
    F.avg_pool2d(x, 2, divisor_override=0); F.avg_pool2d(x, 7); F.max_pool1d(x, 2)
    F.adaptive_avg_pool2d(x[0, 0], 2)
    F.adaptive_avg_pool2d(x, -1)
    """,
)

# Batch normalisation --------------------------------------------------------------------------------------
area.modules(
    [
        real(4, 3, 2, 5),
        real(6, 3, 1, 1),
        real(2, 3, 4, 4).transposed,
        real(2, 3, 3, 3, dtype="float32").strided,
    ],
    """
    nn.BatchNorm2d(3); nn.BatchNorm2d(3, eps=0.1, momentum=0.5); nn.BatchNorm2d(3, momentum=None)
    nn.BatchNorm2d(3, affine=False)
    nn.BatchNorm2d(3, track_running_stats=False); nn.BatchNorm2d(3).eval()
    nn.BatchNorm2d(3, track_running_stats=False).eval()
    nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4), nn.ReLU())
    """,
    tolerance=10,
)
area.modules(
    [real(4, 3), real(5, 3, 4), real(3, 3).transposed],
    """
    nn.BatchNorm1d(3); nn.BatchNorm1d(3, 1e-3, 0.2); nn.BatchNorm1d(3, affine=False, momentum=None)
    nn.BatchNorm1d(3).eval()
    nn.BatchNorm1d(3, track_running_stats=False)
    """,
    tolerance=10,
)
area.each(
    "x, mean, var, w, b",
    [(real(4, 3, 5), real(3).constant, positive(3).constant, real(3), real(3))],
    """
    F.batch_norm(x, mean, var, w, b); F.batch_norm(x, mean, var)
    F.batch_norm(x, None, None, w, b, training=True)
    [F.batch_norm(x, mean, var, w, b, True, 0.3, 0.01), mean, var]
    F.batch_norm(x, mean, var, weight=w, eps=0.5)
    """,
    tolerance=10,
)
area.refused("x", [real(1, 3), real(4, 2)], "nn.BatchNorm1d(3)(x); nn.BatchNorm2d(3)(x)")
area.refused(
    "x", [real(2, 3, 4, 4)], "nn.BatchNorm1d(3)(x); nn.BatchNorm2d(4)(x); F.batch_norm(x, None, None)"
)
area.refused("x", [integers(4, 3)], "nn.BatchNorm1d(3)(x)")


@area.case(real(6, 3, 2, 2), gradient=False)
def running_statistics_are_gathered_and_used(torch, x):
    layer, average = torch.nn.BatchNorm2d(3), torch.nn.BatchNorm2d(3, momentum=None)
    for batch in x.split(2):
        layer(batch)
        average(batch)
    layer.eval()
    average.eval()
    return layer(x), average(x), layer.state_dict(), average.state_dict()


@area.case(real(2, 1, 8, 8), real(1, 1, 12, 12))
def a_small_network_of_all_of_them(torch, x):
    nn = torch.nn
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2),
        nn.GELU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(6, 3),
    )
    return net(x), repr(net), net.state_dict()


@area.case((real(8, 1, 8, 8), integers(8)), gradient=False, tolerance=50)
def a_convolutional_network_learns_alike(torch, x, y):
    nn = torch.nn
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 5)
    )
    optimizer, losses = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9), []
    for _ in range(10):
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses


# One dimension, margins, whole channels --------------------------------------------------------------------
area.modules(
    [real(2, 4, 5), real(4, 6), real(2, 4, 5).transposed],
    """
    nn.ConvTranspose1d(4, 6, 3); nn.ConvTranspose1d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2)
    nn.ConvTranspose1d(4, 2, 2, dilation=3, bias=False); nn.AvgPool1d(2); nn.AvgPool1d(3, 2, 1, True, False)
    """,
    tolerance=4,
)
area.each(
    "x, w",
    [(real(2, 4, 5), real(4, 2, 3))],
    """
    F.conv_transpose1d(x, w, stride=3, output_padding=2); F.avg_pool1d(x, 3); F.avg_pool1d(x, 3, 1, 1, False, False)
    nn.ConvTranspose1d(4, 3, 3, stride=2)(x, output_size=[12])
    """,
    tolerance=4,
)
PADDED = [real(2, 3, 4, 5), real(2, 3, 4, 5).transposed, real(2, 1, 5, 4).strided]
area.each(
    "x",
    PADDED,
    """
    F.pad(x, (1, 2)); F.pad(x, (1, -1, 0, 2), value=3.5); F.pad(x, (-2, -2)); F.pad(x, (0, 1, 2, 0, 1, 1, 0, 2))
    F.pad(x, (1, 2, 3, 0), mode='reflect'); F.pad(x, (2, 1, 0, 5), mode='replicate')
    F.pad(x, (3, 1, 2, 4), mode='circular'); F.pad(x, (-1, 2, 1, 0), 'reflect'); F.pad(x, (2, -2, -1, 1), 'replicate')
    """,
)
area.each(
    "x",
    [real(3, 6), integers(3, 6)],
    "F.pad(x, (2, 1)); F.pad(x, (2, 1), 'reflect'); F.pad(x, (2, 1), 'circular')",
)
area.refused(
    "x",
    PADDED,
    """
    F.pad(x, (1,)); F.pad(x, (1,) * 10); F.pad(x, (5, 0, 0, 0), 'reflect'); F.pad(x, (6, 0, 6, 0), 'circular')
    F.pad(x, (1, 1), 'reflect'); F.pad(x, (1, 1, 1, 1), 'mirror'); F.pad(x, (1, 1, 1, 1), 'reflect', 1.0)
    F.pad(x, (-4, -4)); F.dropout2d(x, 1.5); nn.Conv2d(3, 2, 3, padding_mode='mirror')
    nn.ConvTranspose2d(3, 2, 3, padding_mode='reflect')
    """,
)
area.modules(
    IMAGES,
    """
    nn.Conv2d(4, 6, 3, padding=1, padding_mode='reflect'); nn.Conv2d(4, 6, 3, padding=2, padding_mode='circular')
    nn.Conv2d(4, 6, 4, padding='same', padding_mode='replicate'); nn.Dropout2d(0.4); nn.Dropout2d(0.4).eval()
    """,
    tolerance=4,
)
area.each("x", [real(3, 5, 2, 2)], "F.dropout2d(x); F.dropout2d(x, 0.3); F.dropout2d(x, 0.3, training=False)")

# Arguments of every kind, types, and what is empty ---------------------------------------------------------
area.each(
    "x",
    [real(2, 3, 6, 5), real(3, 4, 6), real(0, 3, 4, 4), real(1, 2, 5, 5, dtype="float64")],
    """
    F.max_pool2d(x, 2, ()); F.max_pool2d(x, (2, 1), [], 0, 1, True, True); F.max_pool2d(x, (2,), stride=(1, 2))
    F.max_pool2d(x, 3, 2, 1, 1, True, True); F.max_pool2d_with_indices(x, 2, 1, 1, 2)
    F.avg_pool2d(x, 2, ()); F.avg_pool2d(x, 2, stride=[], ceil_mode=True); F.avg_pool2d(x, (2,), 1, (1,), False, False)
    F.avg_pool2d(x, 3, 2, 1, True, True, -2); F.avg_pool2d(x, (3, 2), (1, 3), (1, 0), True, False, divisor_override=7)
    """,
)
area.each(
    "x",
    [real(2, 3, 7), real(3, 6).transposed, real(0, 3, 5), real(1, 2, 5, dtype="float64")],
    """
    F.max_pool1d(x, 2, ()); F.max_pool1d(x, (3,), (2,), (1,), (1,), True); F.max_pool1d(x, 3, 1, 1, 2, False, True)
    F.max_pool1d_with_indices(x, 2, ceil_mode=True); nn.MaxPool1d(2, return_indices=True)(x)
    F.avg_pool1d(x, (2,), ()); F.avg_pool1d(x, 3, 2, 1, True); F.avg_pool1d(x, 3, 2, 1, True, False)
    nn.AvgPool1d(3, 2, 1, True)(x)
    """,
)
area.each(
    "x",
    [integers(2, 3, 6, 6), integers(2, 3, 6, 6, dtype="uint8"), integers(3, 6, 6, dtype="int32")],
    "F.max_pool2d(x, 2); F.max_pool2d(x, 3, 2, 1, return_indices=True); F.max_pool1d(x[0], 2, return_indices=True)",
)
area.each(  # a margin never wins
    "x",
    [literal([[[[-float("inf")] * 3] * 3]])],
    """
    F.max_pool2d(x, 3, 1, 1, return_indices=True); F.max_pool2d(x[..., 1:, 1:], 2, 2, 1); F.max_pool1d(x[0], 2, 1, 1)
    F.max_pool2d((x * 0).nan_to_num().to(torch.uint8), 3, 1, 1, return_indices=True)
    """,
)
area.each(
    "x", [integers(2, 3, 6, 6, low=-9)], "F.avg_pool2d(x, 2); F.avg_pool2d(x, 3, 2, 1, divisor_override=-2)"
)
area.each(
    "x",
    [real(2, 3, 4, 6), real(3, 6, 4), ties(1, 2, 4, 4)],
    """
    F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2)
    F.max_unpool2d(*F.max_pool2d(x, (1, 2), return_indices=True), (1, 2), stride=None, padding=0)
    F.max_unpool2d(*F.max_pool2d(x, 2, 1, 1, return_indices=True), 2, 1, 1)
    nn.MaxUnpool2d(2, 2)(*nn.MaxPool2d(2, return_indices=True)(x), output_size=list(x.shape[-2:]))
    F.max_unpool1d(*F.max_pool1d(x[0], 2, return_indices=True), 2)
    nn.MaxUnpool1d(3, 1)(*F.max_pool1d(x[0], 3, 1, return_indices=True), output_size=x.shape[-1:])
    """,
)
area.modules([real(1, 2, 2, 2)], "nn.MaxUnpool1d(2); nn.MaxUnpool2d(3, 2, 1)", calls="repr(module)")
area.refused(
    "x",
    [real(1, 2, 2, 2)],
    """
    F.max_unpool2d(x, x, 2); F.max_unpool2d(x, x.long() * 0 + 99, 2); F.max_unpool2d(x, x.long()[:, :1], 2)
    F.max_unpool2d(x, x.long() * 0, 2, output_size=(9, 9)); F.max_unpool2d(x, x.long() * 0, 2, output_size=(4,))
    F.max_pool2d(x, ()); F.max_pool2d(x, 2.0); F.max_pool2d(x > 0, 2); F.max_pool1d(x[0].long(), 2); F.avg_pool2d(x, ()); F.avg_pool1d(x[0], (2, 2))
    nn.AvgPool2d(2, 0)(x); nn.MaxPool2d(2, 0)(x); nn.AvgPool1d(2, divisor_override=2)
    """,
)
area.modules(
    [positive(2, 3, 6, 6), positive(3, 5, 5)],
    """
    nn.LPPool2d(2, 2); nn.LPPool2d(3, (2, 3), stride=1); nn.LPPool2d(1, 2, 3, True); nn.LPPool2d(float('inf'), 2)
    nn.LPPool2d(1.5, 2, ceil_mode=True)
    """,
    tolerance=4,
)
area.each(
    "x",
    [positive(2, 3, 7), positive(3, 7)],
    """
    F.lp_pool1d(x, 2, 3); F.lp_pool1d(x, 2, 3, 1, True); nn.LPPool1d(4, 2, stride=2)(x); F.lp_pool1d(x, float('inf'), 2)
    F.lp_pool1d(-x, -float('inf'), 2)
    """,
    tolerance=4,
)
area.each(
    "x",
    [real(2, 3, 6, 6)],
    "F.lp_pool2d(x, 2.0, 2); F.lp_pool2d(x, norm_type=2, kernel_size=(3, 2), stride=2, ceil_mode=True)",
    tolerance=4,
)

# Images and sequences of no images, options as sequences ---------------------------------------------------
area.each(
    "x, w, b",
    [
        (real(2, 4, 9), real(6, 2, 3), real(6)),
        (real(4, 9), real(2, 2, 4), real(2)),
        (real(0, 4, 9), real(2, 2, 3), real(2)),
    ],
    """
    F.conv1d(x, w, b, (2,), (1,), (2,), 2); F.conv1d(input=x, weight=w, bias=b, stride=1, padding='valid', groups=2)
    F.conv_transpose1d(x, w.transpose(0, 1).repeat(2, 1, 1), None, (2,), (1,), (1,), 1, (1,))
    """,
    tolerance=4,
)
area.each(
    "x, w, b",
    [(real(2, 4, 5, 6), real(6, 2, 3, 3), real(6)), (real(0, 4, 5, 6), real(6, 2, 3, 3), real(6))],
    """
    F.conv2d(x, w, b, (2,), (1,), (1,), 2); F.conv2d(x, w, b, [2, 1], [0, 1], [1, 2], groups=2)
    F.conv_transpose2d(x, w.transpose(0, 1).repeat(2, 1, 1, 1), b[:6], (2,), [1, 0], (1,), 1, 1)
    """,
    tolerance=4,
)
area.refused(
    "x",
    [real(2, 4, 5, 5)],
    """
    F.conv2d(x, torch.ones(2, 4, 3, 3), stride=()); F.conv2d(x, torch.ones(2, 4, 3, 3), padding=(1, 1, 1))
    F.conv2d(x, torch.ones(0, 4, 3, 3)); F.conv2d(x, torch.ones(2, 4, 3, 3), groups=0); F.conv1d(x, torch.ones(2, 4, 3))
    F.conv_transpose2d(x, torch.ones(3, 2, 3, 3)); F.conv_transpose2d(x, torch.ones(4, 2, 3, 3), torch.ones(3))
    F.conv_transpose1d(x[0], torch.ones(4, 2, 3), stride=0)
    nn.ConvTranspose2d(4, 2, 3)(x, output_size=[7, 7, 7]); nn.Conv1d(4, 2, 3, padding='same', stride=2)
    """,
)

# Padding ---------------------------------------------------------------------------------------------------
area.modules(
    [real(2, 3, 4, 5), real(3, 5, 4).transposed],
    """
    nn.ConstantPad2d(1, 2.5); nn.ConstantPad2d((1, 0, 2, -1), -1); nn.ZeroPad2d((1, 2, 0, 1)); nn.ZeroPad2d(2)
    nn.ReflectionPad2d(1); nn.ReflectionPad2d((2, 1, 0, 3)); nn.ReplicationPad2d((1, 4, 2, 0)); nn.CircularPad2d((1, 2, 3, 0))
    nn.ConstantPad1d((2, 1), 3.5); nn.ZeroPad1d(2)
    """,
)
area.modules(
    [real(2, 3, 5), real(3, 4)],
    """
    nn.ConstantPad1d(1, 2); nn.ZeroPad1d((0, 3)); nn.ReflectionPad1d((3, 1)); nn.ReplicationPad1d((1, 5))
    nn.CircularPad1d(2)
    """,
)
area.modules(
    [real(1, 2, 3, 4, 3), real(2, 3, 3, 4)],
    """
    nn.ConstantPad3d(1, 0.5); nn.ZeroPad3d((1, 0, 2, 1, 0, 1)); nn.ReflectionPad3d((1, 2, 0, 1, 1, 0))
    nn.ReplicationPad3d(2); nn.CircularPad3d((1, 1, 2, 0, 0, 3))
    """,
)
area.each(
    "x",
    [real(2, 3, 4), integers(2, 3, 4), booleans(2, 3, 4)],
    """
    F.pad(x, ()); F.pad(x, [1, 2], value=1); F.pad(x, (1, 2), 'constant', 2.7); F.pad(x, (0, 1, 1, 0), value=None)
    F.pad(x, (-1, 1), 'circular'); F.pad(x, (1, 1), 'circular', 0)
    """,
)
area.each(
    "x", [real(2, 3, 4), integers(2, 3, 4)], "F.pad(x, (-3, 3), 'reflect'); F.pad(x, (-4, 4), 'replicate')"
)
area.each("x", [real(0, 3, 4), real(1, 3, 4)], "F.pad(x, (1, 1), 'reflect'); F.pad(x, (2, 1), 'replicate')")
area.refused(
    "x",
    [real(2, 3, 4)],
    """
    F.pad(x, 1); F.pad(x, (1.5, 1)); F.pad(x, (1, 1), value='a'); F.pad(x > 0, (1, 1), 'reflect')
    F.pad(x[:, :0], (1, 1), 'reflect'); F.pad(x, (-2, -2), 'replicate'); nn.CircularPad2d(1)(x[0])
    nn.ReflectionPad1d(1)(x[None]); nn.ReflectionPad2d(1)(x[0]); F.pad(x, (4, 0), 'reflect')
    """,
)

# Normalisation of instances, of groups, of neighbours ------------------------------------------------------
area.modules(
    [real(4, 3, 2, 5), real(3, 4, 4), real(2, 3, 4, 4).transposed],
    """
    nn.InstanceNorm2d(3); nn.InstanceNorm2d(3, 0.1, affine=True); nn.InstanceNorm2d(3, affine=True, bias=False)
    nn.InstanceNorm2d(3, momentum=0.3, track_running_stats=True)
    nn.InstanceNorm2d(3, affine=True, track_running_stats=True).eval(); nn.InstanceNorm2d(3, affine=True).eval()
    nn.InstanceNorm2d(3, momentum=None, track_running_stats=True)
    """,
    tolerance=10,
)
area.modules(
    [real(4, 3, 5), real(3, 6)],
    "nn.InstanceNorm1d(3, affine=True); nn.InstanceNorm1d(3, 0.01, 0.5, False, True)",
    tolerance=10,
)
area.modules([real(2, 3, 2, 3, 2), real(3, 2, 3, 2)], "nn.InstanceNorm3d(3, affine=True)", tolerance=10)
area.modules([real(2, 3, 2, 3, 2)], "nn.BatchNorm3d(3); nn.BatchNorm3d(3, bias=False).eval()", tolerance=10)
area.modules(
    [real(2, 6, 3, 4), real(2, 6, 5).transposed, real(1, 6, 2, 2, 2)],
    """
    nn.GroupNorm(3, 6); nn.GroupNorm(1, 6, eps=0.1); nn.GroupNorm(2, 6, affine=False)
    nn.GroupNorm(2, 6, 1e-3, True, bias=False)
    """,
    tolerance=20,
)
area.modules([real(2, 6, 3, 4, dtype="float64")], "nn.GroupNorm(6, 6, dtype=torch.float64)")
area.modules([real(3, 6)], "nn.GroupNorm(1, 6); nn.GroupNorm(2, 6, affine=False)", tolerance=20)
area.each(
    "x, w, b",
    [(real(2, 4, 3, 3), real(4), real(4)), (real(4, 4, 3).transposed, real(4), real(4))],
    """
    F.group_norm(x, 2); F.group_norm(x, 4, w, b, 0.1); F.group_norm(x, num_groups=1, weight=w)
    F.instance_norm(x); F.instance_norm(x, None, None, w, b); F.instance_norm(x, weight=w, eps=0.1)
    """,
    tolerance=20,
)
area.each(
    "x, mean, var, w, b",
    [(real(4, 3, 5), real(3).constant, positive(3).constant, real(3), real(3))],
    """
    [F.instance_norm(x, mean, var, w, b, True, 0.4, 0.01), mean, var]
    [F.instance_norm(x, mean, var, w, b, use_input_stats=False, eps=0.3), mean, var]
    """,
    tolerance=10,
)
area.each(
    "x",
    [real(0, 3, 4), real(2, 0, 4), real(2, 3, 0)],
    """
    F.batch_norm(x, None, None, training=True); F.instance_norm(x); F.group_norm(x, 1)
    F.batch_norm(x, torch.zeros(x.shape[1]), torch.ones(x.shape[1]))
    """,
)
area.each(
    "x",
    [real(0)],
    """
    F.batch_norm(x, None, None, training=True); F.batch_norm(x, torch.zeros(3), torch.ones(3))
    F.batch_norm(x, torch.zeros(3), torch.ones(3), torch.ones(3), torch.ones(3), True)
    """,
)
area.refused(
    "x",
    [real(2, 3, 4, 4)],
    """
    F.group_norm(x, 2); F.group_norm(x, 0); F.group_norm(x[0, 0, 0], 1); F.group_norm(x, 1, torch.ones(4)); nn.GroupNorm(2, 3)
    F.group_norm(x, 1, None, torch.ones(4)); F.group_norm(x[:1, :1, 0, 0], 1); F.group_norm(x.long(), 1); nn.GroupNorm(0, 3)
    F.group_norm(x.double(), 1, torch.ones(3)); F.instance_norm(x[:, :, :1, :1]); F.instance_norm(x, use_input_stats=False)
    F.instance_norm(x, torch.zeros(3)); F.instance_norm(x, torch.zeros(2), torch.ones(2)); F.instance_norm(x.long())
    F.instance_norm(x, None, None, torch.ones(2)); nn.InstanceNorm2d(4, affine=True)(x); nn.InstanceNorm1d(3)(x)
    nn.InstanceNorm2d(3)(x[0, 0]); nn.BatchNorm3d(3)(x); F.batch_norm(x, torch.zeros(3), None, training=True)
    F.batch_norm(x, torch.zeros(3), torch.ones(3), training=True, eps=0); F.local_response_norm(x[0, 0], 2)
    F.local_response_norm(x, 0)
    """,
)
area.each(
    "x",
    [real(2, 5, 3, 4), real(2, 6, 3), real(1, 4, 2, 2, 2), real(0, 4, 3)],
    """
    F.local_response_norm(x, 2); F.local_response_norm(x, 3, 0.5, 0.6, 2.0); F.local_response_norm(x, size=5, alpha=1.0)
    """,
    tolerance=4,
)
area.modules([real(2, 5, 3, 4)], "nn.LocalResponseNorm(3); nn.LocalResponseNorm(2, 0.1, 0.5, 2)", tolerance=4)

# Dropout, with PyTorch's draws -----------------------------------------------------------------------------
area.each(
    "x",
    [real(3, 5, 4), real(2, 3, 4)],
    """
    F.dropout1d(x); F.dropout1d(x, 0.3); F.dropout1d(x[0], 0.4); F.dropout1d(x * 1, 0.3, inplace=True); F.dropout1d(x, 1.0)
    F.dropout1d((x * 1)[0], 0.3, True, True); F.dropout1d(x, 0.5, training=False); F.dropout2d(x * 1, 0.3, True, True)
    F.alpha_dropout(x, 0.3, True); F.alpha_dropout(x, 0.3); F.alpha_dropout(x * 1, 0.5, True, True); F.alpha_dropout(x, 1.0, True)
    F.feature_alpha_dropout(x, 0.4, True); F.feature_alpha_dropout(x, training=False); F.feature_alpha_dropout(x * 1, 0.4, True, True)
    """,
)
area.each(
    "x", [real(2, 4, 2, 3, 2)], "F.dropout3d(x, 0.4); F.dropout3d(x[0], 0.4); F.dropout3d(x, training=False)"
)
area.modules(
    [real(3, 4, 5)],
    """
    nn.Dropout1d(0.4); nn.Dropout1d(); nn.AlphaDropout(0.4); nn.AlphaDropout(0.4).eval(); nn.FeatureAlphaDropout(0.3)
    nn.Dropout1d(0.2, inplace=False).eval()
    """,
)
area.modules([real(3, 4, 2, 2, 2)], "nn.Dropout3d(0.4); nn.FeatureAlphaDropout(0.6)")
area.refused(
    "x",
    [real(2, 3, 4, 4)],
    """
    F.dropout1d(x); F.dropout1d(x[0, 0, 0]); F.dropout2d(x[0, 0, 0]); F.alpha_dropout(x, 1.5); nn.AlphaDropout(-0.1)
    F.feature_alpha_dropout(x[0, 0, 0], 0.5, True); F.alpha_dropout(x.long(), 0.5, True); nn.Dropout1d(2)
    F.dropout3d(x, -1.0); nn.FeatureAlphaDropout(1.1)
    """,
)
