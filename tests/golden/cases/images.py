"""Module 09, what changes the size of images or looks at them elsewhere: interpolation, adaptive pools, windows, grids."""

from golden import Area, integers, literal, real, ties, uniform

area = Area()

# Interpolation ---------------------------------------------------------------------------------------------
SEQUENCES = [real(2, 3, 5), real(1, 2, 8).transposed, real(2, 2, 1), real(2, 3, 7, dtype="float64")]
IMAGES = [real(2, 3, 4, 5), real(1, 2, 7, 3).transposed, real(2, 1, 1, 6), real(1, 2, 5, 4, dtype="float64")]
VOLUMES = [real(1, 2, 3, 2, 4), real(2, 1, 2, 3, 3, dtype="float64")]
area.each(
    "x",
    [*SEQUENCES, real(0, 3, 5)],
    """
    F.interpolate(x, 8); F.interpolate(x, (3,)); F.interpolate(x, scale_factor=2); F.interpolate(x, scale_factor=(2.5,))
    F.interpolate(x, scale_factor=1.7, recompute_scale_factor=True); F.interpolate(x, 7, mode='nearest-exact')
    F.interpolate(x, scale_factor=2.3, mode='nearest-exact'); F.interpolate(x, 9, mode='linear')
    F.interpolate(x, 3, mode='linear', align_corners=True); F.interpolate(x, scale_factor=2.6, mode='linear')
    F.interpolate(x, scale_factor=2.6, mode='linear', align_corners=True); F.interpolate(x, 3, mode='area')
    F.interpolate(x, scale_factor=2.6, mode='linear', align_corners=False, recompute_scale_factor=True)
    F.interpolate(x, scale_factor=1.5, mode='area'); F.interpolate(x, 1, mode='linear'); F.interpolate(x, 1, mode='linear', align_corners=True)
    """,
    tolerance=10,
)
area.each(
    "x",
    [*IMAGES, real(0, 3, 4, 5)],
    """
    F.interpolate(x, 8); F.interpolate(x, (3, 7)); F.interpolate(x, scale_factor=2); F.interpolate(x, scale_factor=(1.5, 3))
    F.interpolate(x, (5, 9), mode='nearest-exact'); F.interpolate(x, scale_factor=1.7, mode='nearest-exact')
    F.interpolate(x, (6, 3), mode='bilinear'); F.interpolate(x, (6, 3), mode='bilinear', align_corners=True)
    F.interpolate(x, scale_factor=2, mode='bilinear'); F.interpolate(x, scale_factor=2, mode='bilinear', align_corners=True)
    F.interpolate(x, scale_factor=1.3, mode='bilinear'); F.interpolate(x, scale_factor=1.3, mode='bilinear', recompute_scale_factor=True)
    F.interpolate(x, (9, 4), mode='bicubic'); F.interpolate(x, (9, 4), mode='bicubic', align_corners=True)
    F.interpolate(x, scale_factor=(2, 1.5), mode='bicubic'); F.interpolate(x, (2, 3), mode='area')
    F.interpolate(x, (8, 9), mode='area'); F.interpolate(x, scale_factor=(2, 1.5), mode='area')
    """,
    tolerance=10,
)
area.each(
    "x",
    [real(2, 3, 9, 8), real(1, 2, 7, 6, dtype="float64"), real(1, 3, 5, 12).transposed],
    """
    F.interpolate(x, (4, 3), mode='bilinear', antialias=True); F.interpolate(x, (12, 3), mode='bilinear', antialias=True)
    F.interpolate(x, (4, 3), mode='bicubic', antialias=True); F.interpolate(x, (3, 14), mode='bicubic', antialias=True)
    F.interpolate(x, (4, 5), mode='bilinear', align_corners=True, antialias=True)
    F.interpolate(x, scale_factor=0.4, mode='bilinear', antialias=True); F.interpolate(x, (4, 3), mode='lanczos', antialias=True)
    F.interpolate(x, scale_factor=0.6, mode='bicubic', antialias=True, recompute_scale_factor=True)
    F.interpolate(x, (11, 17), mode='lanczos', antialias=True)
    """,
    tolerance=10,
)
area.each(
    "x",
    VOLUMES,
    """
    F.interpolate(x, (4, 3, 2)); F.interpolate(x, scale_factor=2); F.interpolate(x, 5, mode='nearest-exact')
    F.interpolate(x, (4, 3, 6), mode='trilinear'); F.interpolate(x, 3, mode='trilinear', align_corners=True)
    F.interpolate(x, scale_factor=1.5, mode='trilinear'); F.interpolate(x, (2, 1, 3), mode='area')
    """,
    tolerance=10,
)
area.each(
    "x",
    [integers(2, 3, 4, 4, dtype="uint8"), real(2, 3, 4, 4, dtype="float16")],
    "F.interpolate(x, scale_factor=2); F.interpolate(x, (3, 7)); F.interpolate(x, (3, 7), mode='nearest-exact')",
    gradient=False,
)
area.modules(
    [real(1, 2, 4, 6)],
    """
    nn.Upsample(scale_factor=2); nn.Upsample((3, 5), mode='bilinear'); nn.Upsample(scale_factor=(2, 1.5), mode='bicubic')
    nn.Upsample(scale_factor=1.7, mode='bilinear', align_corners=True, recompute_scale_factor=True); nn.Upsample(7)
    nn.UpsamplingNearest2d(scale_factor=2); nn.UpsamplingBilinear2d((3, 7)); nn.UpsamplingBilinear2d(scale_factor=2)
    """,
    tolerance=10,
)
area.each(
    "x",
    [real(1, 2, 4, 6)],
    """
    F.upsample(x, 3); F.upsample(x, scale_factor=2, mode='bilinear', align_corners=True); F.upsample_nearest(x, (2, 3))
    F.upsample_bilinear(x, scale_factor=2)
    """,
    tolerance=10,
)
area.refused(
    "x",
    [real(1, 3, 4, 4)],
    """
    F.interpolate(x); F.interpolate(x, 8, 2); F.interpolate(x, (8,)); F.interpolate(x, scale_factor=(2,)); F.interpolate(x, 0)
    F.interpolate(x, (2.5, 3)); F.interpolate(x, 2.5); F.interpolate(x, scale_factor=0.1); F.interpolate(x, 2, align_corners=True)
    F.interpolate(x, 2, mode='linear'); F.interpolate(x[0], 2, mode='bilinear'); F.interpolate(x, 2, mode='cubic')
    F.interpolate(x[0, 0], 2); F.interpolate(x.long(), 2); F.interpolate(x > 0, 2); F.interpolate(x.long(), 2, mode='area')
    F.interpolate(x, 2, recompute_scale_factor=True); F.interpolate(x, 2, antialias=True); F.interpolate(x[:, :0], 2)
    F.interpolate(x[0], 2, mode='linear', antialias=True); F.interpolate(x, 2, mode='lanczos'); F.interpolate(x[:, :, :0], 2)
    F.interpolate(x, 2, mode='lanczos', align_corners=True, antialias=True); nn.Upsample()(x); F.interpolate(x, 2, mode='trilinear')
    """,
)


@area.case(literal([[[1.0, float("inf"), 3.0, 4.0, float("nan"), 6.0, 7.0]]]), gradient=False)
def what_is_not_finite_stays_where_it_is(torch, x):
    F = torch.nn.functional
    return (
        F.interpolate(x, 14),
        F.interpolate(x, 3, mode="area"),
        F.interpolate(x, 14, mode="linear"),
        F.adaptive_avg_pool1d(x, 3),
        F.adaptive_avg_pool1d(x, 7),
        F.adaptive_max_pool1d(x[..., :4], 3),
    )


# Adaptive pools --------------------------------------------------------------------------------------------
area.modules(
    [real(2, 3, 9), real(3, 8), ties(2, 2, 7), real(0, 3, 6)],
    """
    nn.AdaptiveAvgPool1d(1); nn.AdaptiveAvgPool1d(4); nn.AdaptiveAvgPool1d((3,)); nn.AdaptiveAvgPool1d(11)
    nn.AdaptiveMaxPool1d(1); nn.AdaptiveMaxPool1d(4); nn.AdaptiveMaxPool1d((3,), True); nn.AdaptiveMaxPool1d(11, return_indices=True)
    """,
)
area.modules(
    [
        real(2, 3, 6, 7),
        real(3, 5, 5),
        ties(2, 2, 6, 4),
        real(1, 2, 4, 6).transposed,
        real(1, 2, 5, 7, dtype="float64"),
    ],
    """
    nn.AdaptiveMaxPool2d(1); nn.AdaptiveMaxPool2d(2, True); nn.AdaptiveMaxPool2d((3, 2)); nn.AdaptiveMaxPool2d((None, 4), True)
    nn.AdaptiveMaxPool2d(8, return_indices=True); nn.AdaptiveAvgPool2d((4, 3)); nn.AdaptiveAvgPool2d(9)
    """,
)
area.modules(
    [real(1, 2, 3, 4, 5), real(2, 4, 3, 2)],
    """
    nn.AdaptiveAvgPool3d(2); nn.AdaptiveAvgPool3d((None, 3, 1)); nn.AdaptiveAvgPool3d(1); nn.AdaptiveMaxPool3d(2, True)
    nn.AdaptiveMaxPool3d((2, None, 3))
    """,
)
area.each(
    "x",
    [real(2, 3, 6, 6), real(3, 4, 8)],
    """
    F.adaptive_avg_pool1d(x[0], 4); F.adaptive_avg_pool2d(x, (None, 1)); F.adaptive_avg_pool3d(x[None], (1, 2, None))
    F.adaptive_max_pool1d(x[0], 4, True); F.adaptive_max_pool2d(x, (None, 3), return_indices=True)
    F.adaptive_max_pool1d_with_indices(x[0], 2); F.adaptive_max_pool2d_with_indices(x, 4)
    F.adaptive_max_pool3d_with_indices(x[None], 2); F.adaptive_max_pool3d(x[None], (1, 2, 3))
    """,
)
area.each(
    "x",
    [real(2, 3, 4, 4).constant],
    "F.adaptive_avg_pool2d(x, 0); F.adaptive_avg_pool2d(x, (0, 2)); F.adaptive_max_pool2d(x, (2, 0), True); F.adaptive_avg_pool1d(x[0], 0)",
    gradient=False,
)
area.refused(
    "x",
    [real(2, 3, 4, 4)],
    """
    F.adaptive_avg_pool1d(x, 2); F.adaptive_avg_pool1d(x[0], (2, 2)); F.adaptive_avg_pool1d(x[0], None); F.adaptive_avg_pool1d(x[0], -1)
    F.adaptive_avg_pool2d(x, (2,)); F.adaptive_avg_pool2d(x, None); F.adaptive_avg_pool2d(x.long(), 2); F.adaptive_avg_pool2d(x[:, :, :0], 2)
    F.adaptive_max_pool2d(x[0, 0], 2); F.adaptive_max_pool2d(x, -1); F.adaptive_max_pool2d(x.long(), 2); F.adaptive_max_pool2d(x, None)
    F.adaptive_max_pool1d(x[0], None); F.adaptive_max_pool2d(x[:, :0], 2); F.adaptive_max_pool2d(x > 0, 2); F.adaptive_avg_pool3d(x[0], 2)
    """,
)

# Windows along a dimension ---------------------------------------------------------------------------------
area.each(
    "x",
    [real(4, 6), real(5, 4, 3).transposed, real(6, 6).strided, integers(4, 5), real(4, 5, dtype="float64")],
    """
    x.unfold(0, 2, 1); x.unfold(0, 3, 2); x.unfold(-1, 2, 2); x.unfold(1, 3, 1); x.unfold(dimension=0, size=4, step=5)
    x.unfold(0, 2, 1).unfold(1, 2, 1); x.unfold(1, 1, 1); [x.unfold(0, 2, 1).stride(), x.unfold(0, 2, 1).is_contiguous()]
    (x.unfold(1, 3, 1) * 2).sum(-1); x.unfold(0, 2, 3)._base is x
    """,
)
area.each("x", [real(3, 4).expanded, real(6)], "x.unfold(0, 2, 1); x.unfold(0, 3, 1)")
area.each("x", [literal(2.0)], "x.unfold(0, 1, 1); x.unfold(-1, 1, 3)")
area.refused(
    "x",
    [real(3, 4)],
    "x.unfold(0, 4, 1); x.unfold(2, 1, 1); x.unfold(0, 1, 0); x.unfold(0, -1, 1); x[0, 0].unfold(0, 2, 1)",
)


@area.case(real(3, 6), real(3, 6).transposed)
def windows_are_views(torch, x):
    y = x * 1
    windows = y.unfold(1, 2, 2)
    windows[:, 1].mul_(3)
    y[0] += 1
    return y, windows, windows._base is y


# Channels and pixels ---------------------------------------------------------------------------------------
area.modules(
    [real(2, 8, 4, 6), real(8, 2, 4), real(2, 3, 4, 4, 2), real(1, 2, 4, 4, 6).transposed],
    "nn.PixelShuffle(2); nn.PixelUnshuffle(2); nn.PixelShuffle(1)",
)
area.modules(
    [real(2, 6, 3, 4), real(2, 6, 5), real(1, 6, 2, 2, 2)],
    "nn.ChannelShuffle(2); nn.ChannelShuffle(3); nn.ChannelShuffle(6)",
)
area.each(
    "x",
    [real(2, 9, 2, 3), integers(9, 6, 3)],
    """
    F.pixel_shuffle(x, 3); F.pixel_shuffle(x, upscale_factor=3); F.pixel_unshuffle(F.pixel_shuffle(x, 3), 3); F.channel_shuffle(x, 3)
    """,
)
area.refused(
    "x",
    [real(1, 3, 4, 4)],
    """
    F.pixel_shuffle(x, 2); F.pixel_shuffle(x, 0); F.pixel_shuffle(x[0, 0], 1); F.pixel_unshuffle(x, 3); F.pixel_unshuffle(x, 0)
    F.pixel_unshuffle(x[0, 0], 2); F.channel_shuffle(x, 2); F.channel_shuffle(x, 0); F.channel_shuffle(x[0, 0], 2)
    """,
)

# Grids -----------------------------------------------------------------------------------------------------
GRIDS = [(real(2, 3, 4, 5), uniform(2, 3, 2, 2, low=-1.5, high=1.5)), (real(1, 1, 3, 2), real(1, 2, 4, 2)),
         (real(2, 2, 1, 4, dtype="float64"), real(2, 3, 3, 2, dtype="float64"))]  # fmt: skip
area.each(
    "x, grid",
    GRIDS,
    """
    F.grid_sample(x, grid); F.grid_sample(x, grid, align_corners=True); F.grid_sample(x, grid, 'nearest', align_corners=False)
    F.grid_sample(x, grid, 'nearest', 'border', True); F.grid_sample(x, grid, 'bilinear', 'border', False)
    F.grid_sample(x, grid, 'bilinear', 'reflection', True); F.grid_sample(x, grid, padding_mode='reflection', align_corners=False)
    F.grid_sample(x, grid, mode='bicubic', align_corners=False); F.grid_sample(x, grid, 'bicubic', 'border', True)
    F.grid_sample(x, grid, 'bicubic', 'reflection', False); F.grid_sample(x, grid, 'nearest', 'reflection', False)
    """,
    tolerance=20,
)
area.each(
    "theta",
    [real(2, 2, 3), real(2, 2, 3, dtype="float64")],
    """
    F.affine_grid(theta, (2, 3, 4, 5)); F.affine_grid(theta, [2, 1, 3, 2], align_corners=True); F.affine_grid(theta, (2, 1, 1, 3), False)
    F.affine_grid(theta, torch.Size((2, 1, 2, 2)), align_corners=False)
    """,
    tolerance=4,
)
area.each(
    "theta",
    [real(2, 3, 4)],
    "F.affine_grid(theta, (2, 1, 2, 3, 4), True); F.affine_grid(theta, (2, 1, 2, 1, 3))",
    tolerance=4,
)
area.refused(
    "x, grid",
    [(real(2, 3, 4, 4), real(2, 2, 2, 2))],
    """
    F.grid_sample(x, grid, 'linear'); F.grid_sample(x, grid, padding_mode='edge'); F.grid_sample(x[0], grid); F.grid_sample(x, grid[..., :1])
    F.grid_sample(x, grid[:1]); F.grid_sample(x, grid.double()); F.grid_sample(x[:, :, :0], grid)
    F.affine_grid(grid[0], (2, 1, 2, 2)); F.affine_grid(grid[0].long(), (2, 1, 2, 2)); F.affine_grid(grid[0], (2, 1, 2))
    """,
)


# Names that are here to be asked about, or that say that they are not --------------------------------------
@area.case(real(1, 2, 3, 3), gradient=False)
def names_without_anything_behind_them_may_be_asked_about(torch, x):
    nn, F = torch.nn, torch.nn.functional
    layer = nn.Conv2d(2, 2, 1)
    others = (
        nn.Conv3d, nn.ConvTranspose3d, nn.MaxPool3d, nn.AvgPool3d, nn.MaxUnpool3d, nn.LPPool3d, nn.FractionalMaxPool2d,
        nn.FractionalMaxPool3d, nn.CrossMapLRN2d, nn.SyncBatchNorm, nn.LazyConv1d, nn.LazyConv2d, nn.LazyConv3d,
        nn.LazyConvTranspose1d, nn.LazyConvTranspose2d, nn.LazyConvTranspose3d, nn.LazyBatchNorm1d, nn.LazyBatchNorm2d,
        nn.LazyBatchNorm3d, nn.LazyInstanceNorm1d, nn.LazyInstanceNorm2d, nn.LazyInstanceNorm3d, nn.LazyLinear,
    )  # fmt: skip
    functions = (
        F.conv3d, F.conv_transpose3d, F.max_pool3d, F.avg_pool3d, F.max_unpool3d, F.lp_pool3d, F.fractional_max_pool2d,
        F.fractional_max_pool3d,
    )  # fmt: skip
    asked = (
        isinstance(layer, others),
        isinstance(layer, (nn.Conv3d, nn.Conv2d)),
        all(map(callable, functions)),
    )
    return asked, all(issubclass(other, nn.Module) for other in others)
