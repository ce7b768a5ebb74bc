"""Module 13: layer normalisation and the transformer encoder."""

from golden import Area, real, uniform

area = Area()

# Normalisation --------------------------------------------------------------------------------------------
ROWS = [
    real(2, 3, 8),
    real(8),
    real(2, 8).strided,
    real(3, 8).transposed,
    real(4, 8).expanded,
    real(0, 8),
    uniform(2, 8, low=-1000, high=1000),
]
area.modules(
    ROWS,
    """
    nn.LayerNorm(8); nn.LayerNorm((8,), eps=0.1); nn.LayerNorm(8, elementwise_affine=False)
    nn.LayerNorm(8, bias=False)
    nn.LayerNorm(normalized_shape=[8], eps=1e-3); nn.RMSNorm(8); nn.RMSNorm((8,), eps=0.1)
    nn.RMSNorm(8, elementwise_affine=False)
    """,
    tolerance=10,
)
area.modules(
    [real(2, 3, 4), real(3, 4), real(5, 3, 4).transposed],
    "nn.LayerNorm((3, 4)); nn.RMSNorm([3, 4]); nn.LayerNorm((3, 4), 1e-6, False)",
    tolerance=10,
)
area.modules(
    [real(2, 4, dtype="float64")], "nn.LayerNorm(4, dtype=torch.float64); nn.RMSNorm(4, dtype=torch.float64)"
)
area.each(
    "x, w, b",
    [
        (real(2, 3, 8), real(8), real(8)),
        (real(2, 8).strided, real(8).strided, real(8)),
        (real(3, 8).transposed, real(8), real(8)),
    ],
    """
    F.layer_norm(x, (8,)); F.layer_norm(x, [8], w, b); F.layer_norm(x, (8,), w)
    F.layer_norm(x, (8,), bias=b, eps=0.5)
    F.layer_norm(x, x.shape); F.rms_norm(x, (8,)); F.rms_norm(x, [8], w)
    F.rms_norm(x, (8,), weight=w, eps=0.2)
    F.rms_norm(x, x.shape, eps=1e-3)
    """,
    tolerance=10,
)
area.refused(
    "x",
    [real(2, 3)],
    """
    nn.LayerNorm(4)(x); F.layer_norm(x, (2,)); F.layer_norm(x, (3,), torch.ones(2)); F.rms_norm(x, (2,))
    F.rms_norm(x, (3,), torch.ones(2))
    F.layer_norm(x, 3); nn.LayerNorm((3, 2))(x); F.layer_norm(x, ()); nn.LayerNorm(3)(x.long())
    """,
)


@area.case((), gradient=False)
def norms_begin_again(torch):
    nn, found = torch.nn, []
    for norm in (
        nn.LayerNorm((2, 3)),
        nn.LayerNorm(3, bias=False),
        nn.RMSNorm(4),
        nn.LayerNorm(2, elementwise_affine=False),
    ):
        for parameter in norm.parameters():
            nn.init.normal_(parameter)
        norm.reset_parameters()
        found.append(norm.state_dict())
    return found


# Encoders -------------------------------------------------------------------------------------------------
BATCH = [real(5, 2, 8), real(5, 8), real(5, 2, 8).strided]
area.modules(
    BATCH,
    """
    nn.TransformerEncoderLayer(8, 4, 16, 0.0, 'gelu')
    nn.TransformerEncoderLayer(8, 2, dim_feedforward=12, dropout=0.0, norm_first=True)
    nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, activation=F.silu, layer_norm_eps=0.01)
    nn.TransformerEncoderLayer(8, 2, 12, 0.0, bias=False)
    nn.TransformerEncoderLayer(8, 1, 12, 0.0, batch_first=True)
    nn.TransformerEncoderLayer(8, 2, 12, 0.3); nn.TransformerEncoderLayer(8, 2, 12).eval()
    nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12, 0.0), 2)
    nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12, 0.0), num_layers=2, norm=nn.LayerNorm(8))
    nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12), 2)
    """,
    tolerance=20,
)


def given(torch):
    layer = torch.nn.TransformerEncoderLayer(8, 2, 12, 0.0, batch_first=True)
    causal = torch.ones(5, 5).triu(1).bool()
    padded = torch.arange(5).expand(2, 5) > torch.tensor([[2], [4]])
    return {
        "layer": layer,
        "encoder": torch.nn.TransformerEncoder(layer, 2),
        "causal": causal,
        "padded": padded,
    }


area.each(
    "x",
    [real(2, 5, 8)],
    """
    layer(x, src_mask=causal)
    layer(x, torch.zeros(5, 5).fill_(-1).triu(1), is_causal=False)
    layer(x, src_key_padding_mask=padded)
    layer(x, causal, is_causal=True)
    encoder(x, causal)
    encoder(x, mask=causal, is_causal=True)
    encoder(x, src_key_padding_mask=padded)
    encoder(x, causal, padded)
    """,
    given,
    tolerance=20,
)
area.each("", [], "nn.TransformerEncoderLayer(4, 2); list(nn.TransformerEncoderLayer(4, 2).state_dict())")
area.refused(
    "x",
    [real(5, 2, 8)],
    """
    nn.TransformerEncoderLayer(8, 3); nn.TransformerEncoderLayer(8, 2, activation='swish')
    nn.TransformerEncoderLayer(6, 2)(x)
    nn.TransformerEncoderLayer(8, 2)(x[0, 0]); nn.TransformerEncoderLayer(8, 2)(x, torch.ones(4, 4).bool())
    nn.TransformerEncoderLayer(8, 2)(x, is_causal=True); nn.TransformerEncoderLayer(8, 2)(x, torch.ones(5, 5).long())
    nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 2)(x, is_causal=True)
    """,
)

# Decoders, and both together ------------------------------------------------------------------------------
PAIR = (real(5, 2, 8), real(3, 2, 8))
area.modules(
    [PAIR, (real(5, 8), real(3, 8)), (real(5, 2, 8).strided, real(3, 2, 8).transposed)],
    """
    nn.TransformerDecoderLayer(8, 4, 16, 0.0, 'gelu')
    nn.TransformerDecoderLayer(8, 2, dim_feedforward=12, dropout=0.0, norm_first=True)
    nn.TransformerDecoderLayer(8, 2, 12, dropout=0.0, activation=nn.Tanh(), layer_norm_eps=0.01)
    nn.TransformerDecoderLayer(8, 2, 12, 0.0, bias=False)
    nn.TransformerDecoderLayer(8, 2, 12, 0.3); nn.TransformerDecoderLayer(8, 2, 12).eval()
    nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 12, 0.0), 2)
    nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 12, 0.1), num_layers=2, norm=nn.LayerNorm(8))
    """,
    "x, y",
    "module(x, y)",
    tolerance=30,
)
area.modules(
    [(real(2, 5, 8, dtype="float64"), real(2, 3, 8, dtype="float64"))],
    """
    nn.TransformerDecoderLayer(8, 2, 12, 0.0, batch_first=True, dtype=torch.float64)
    nn.Transformer(8, 2, 1, 1, 12, 0.0, batch_first=True, norm_first=True, dtype=torch.float64)
    """,
    "x, y",
    "module(x, y)",
    tolerance=20,
)


def masks(torch):
    """Masks for sequences of 5 and memories of 3, batches of 2, 2 heads."""
    square = torch.nn.Transformer.generate_square_subsequent_mask
    return {
        "square": square,
        "causal": square(5),
        "blocked": torch.ones(5, 5).triu(1).bool(),
        "across": torch.ones(5, 3).triu(1).bool(),
        "wide": torch.arange(60.0).view(4, 5, 3) / 20,
        "late": torch.arange(5).expand(2, 5) > torch.tensor([[2], [4]]),
        "short": torch.arange(3).expand(2, 3) > torch.tensor([[0], [2]]),
    }


area.modules(
    [PAIR],
    """
    nn.TransformerDecoderLayer(8, 2, 12, 0.0, norm_first=True); nn.TransformerDecoderLayer(8, 2, 12, 0.2)
    nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 12, 0.0), 2)
    """,
    "x, y",
    """
    module(x, y, causal); module(x, y, tgt_mask=blocked, memory_mask=across)
    module(x, y, causal, tgt_is_causal=True); module(x, y, None, wide, late, short)
    module(x, y, blocked, tgt_key_padding_mask=late, memory_key_padding_mask=short)
    module(x, y, memory_mask=across, memory_is_causal=True); module(x[:, 0], y[:, 0], causal, across)
    """,
    given=masks,
    tolerance=30,
)
area.modules(
    [PAIR],
    "nn.Transformer(8, 2, 1, 1, 4, 0.0)",
    "x, y",
    """
    module(y, x); module(x[:, 0], y[:, 0])
    module(x, y, src_mask=causal, src_is_causal=True, tgt_mask=square(3), tgt_is_causal=True)
    module(y, x, None, causal, across, short, late, short); module(y, x, tgt_mask=blocked, memory_mask=wide)
    """,
    given=masks,
    tolerance=100,
)
area.modules(
    [PAIR],
    """
    nn.Transformer(8, 2, 2, 1, 4, 0.1, 'gelu', norm_first=True, bias=False)
    nn.Transformer(8, 2, num_encoder_layers=1, num_decoder_layers=2, dim_feedforward=4).eval()
    nn.Transformer(8, 2, 1, 1, 12, custom_encoder=nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 4, 6, 0.0), 1))
    nn.Transformer(8, 2, 1, 1, 12, custom_decoder=nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 4, 6, 0.0), 1))
    """,
    "x, y",
    "module(x, y)",
    tolerance=60,
)
area.each(
    "",
    [],
    """
    square(4); square(0); square(3, dtype=torch.float64); square(3, dtype=torch.bool); nn.Transformer(8, 2, 1, 1).nhead
    square(sz=2, device='cpu'); nn.Transformer(8, 2, 1, 1).d_model; list(nn.Transformer(8, 2, 1, 2).state_dict())
    nn.TransformerDecoderLayer(4, 2, 6).state_dict(); nn.Transformer(4, 2, 2, 1, 6).state_dict()
    """,
    given=masks,
    gradient=False,
)
area.refused(
    "x, y",
    [PAIR],
    """
    nn.TransformerDecoderLayer(8, 3); nn.TransformerDecoderLayer(8, 2, activation='swish')
    nn.TransformerDecoderLayer(8, 2)(x, y[..., :4]); nn.TransformerDecoderLayer(8, 2)(x, y[:, :1])
    nn.TransformerDecoderLayer(8, 2)(x, y[0]); nn.TransformerDecoderLayer(8, 2)(x, y, tgt_is_causal=True)
    nn.TransformerDecoderLayer(8, 2)(x, y, memory_is_causal=True); nn.TransformerDecoderLayer(8, 2)(x, y, blocked[:4])
    nn.TransformerDecoderLayer(8, 2)(x, y, memory_mask=across[:, :2])
    nn.TransformerDecoderLayer(8, 2)(x, y, memory_key_padding_mask=late)
    nn.Transformer(8, 2, 1, 1)(x, y[:, :1]); nn.Transformer(8, 2, 1, 1)(x[..., :4], y)
    nn.Transformer(8, 2, 1, 1)(x, y[..., :4]); nn.Transformer(8, 3); nn.Transformer(8, 2, activation='swish')
    """,
    given=masks,
)


@area.case(real(5, 2, 8), gradient=False)
def the_layers_of_an_encoder_start_alike_and_are_their_own(torch, x):
    nn = torch.nn
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12), 3)
    weights = [layer.linear1.weight for layer in encoder.layers]
    return (
        torch.equal(weights[0], weights[2]),
        weights[0] is weights[1],
        list(encoder.state_dict()),
        repr(encoder),
    )
