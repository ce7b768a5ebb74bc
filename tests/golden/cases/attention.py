"""Module 12: scaled dot-product attention, multi-head attention, and the recurrent layers beside them."""

from golden import Area, booleans, literal, real

area = Area("attention")


def given(torch):
    return {"attention": torch.nn.functional.scaled_dot_product_attention}


# Scaled dot-product attention -----------------------------------------------------------------------------
QKV = [
    (real(2, 3, 4, 5), real(2, 3, 4, 5), real(2, 3, 4, 5)),
    (real(2, 3, 4, 5), real(2, 3, 6, 5), real(2, 3, 6, 7)),
    (real(3, 4, 5), real(3, 4, 5), real(3, 4, 5)),
    (real(4, 5), real(6, 5), real(6, 5)),
    (real(2, 3, 1, 5), real(2, 3, 6, 5), real(2, 3, 6, 5)),
    (real(2, 3, 4, 6).transposed, real(2, 3, 4, 6).transposed, real(2, 3, 4, 6).strided),
    (real(2, 1, 4, 5), real(1, 3, 4, 5), real(2, 3, 4, 5)),
    (real(2, 2, 4, 5, dtype="float64"), real(2, 2, 4, 5, dtype="float64"), real(2, 2, 4, 5, dtype="float64")),
]
area.each(
    "q, k, v",
    QKV,
    """
    attention(q, k, v); attention(q, k, v, is_causal=True)
    attention(q, k, v, scale=0.3)
    attention(q, k, v, None, 0.0, True, scale=1.0)
    """,
    given=given,
    tolerance=4,
)
FOURS = (real(2, 3, 4, 5), real(2, 3, 6, 5), real(2, 3, 6, 5))
MASKS = [
    booleans(4, 6),
    booleans(2, 1, 4, 6),
    booleans(2, 3, 4, 6),
    booleans(2, 1, 1, 6),
    booleans(4, 6).transposed,
]
BIASES = [real(4, 6), real(2, 1, 4, 6), real(2, 3, 4, 6), real(4, 1), real(4, 6).transposed]
BIASES += [literal([[0.0] * 3 + [-float("inf")] * 3] * 4).constant]
ROW = literal([[False] * 6] + [[True] * 6] * 3, "bool")
INFINITE_ROW = literal([[-float("inf")] * 6] + [[0.0] * 6] * 3).constant
area.each(
    "q, k, v, mask",
    [(*FOURS, mask) for mask in [*MASKS, *BIASES, ROW]],
    "attention(q, k, v, mask); attention(q, k, v, attn_mask=mask, scale=0.5)",
    given=given,
    tolerance=4,
)
area.each("q, k, v, mask", [(*FOURS, INFINITE_ROW)], "attention(q, k, v, mask)", given=given, tolerance=4)
GROUPED = [
    (real(2, 6, 4, 5), real(2, 2, 4, 5), real(2, 2, 4, 5)),
    (real(1, 4, 3, 5), real(1, 1, 7, 5), real(1, 1, 7, 2)),
]
area.each(
    "q, k, v",
    GROUPED,
    "attention(q, k, v, enable_gqa=True); attention(q, k, v, is_causal=True, enable_gqa=True)",
    given=given,
    tolerance=4,
)
area.each(
    "q, k, v",
    [QKV[0], QKV[2]],
    "attention(q, k, v, dropout_p=0.5); attention(q, k, v, dropout_p=0.2, is_causal=True)",
    given=given,
    tolerance=4,
)
area.refused(
    "q, k, v",
    [QKV[0]],
    """
    attention(q, k, v, torch.ones(4, 5))
    attention(q, k[..., :3], v)
    attention(q.long(), k.long(), v.long())
    attention(q[0, 0, 0], k, v)
    attention(q, k, v, torch.ones(4, 4).long())
    attention(q, k.double(), v); attention(q, k, v, dropout_p=1.5)
    """,
    given=given,
)


# Multi-head attention -------------------------------------------------------------------------------------
def masks(torch):
    padded = torch.tensor([[False, False, True], [False, True, False]])
    return {
        "causal": torch.triu(torch.ones(3, 3), 1).bool(),
        "padded": padded,
        "bias": torch.arange(9.0).view(3, 3),
    }


def modules(examples, programs, calls, **options):
    """Modules that take more than one input, called in several ways."""
    area.modules(examples, programs, "x, y, z", calls, tolerance=10, **options)


LONG = (real(3, 2, 8), real(3, 2, 8), real(3, 2, 8))
modules(
    [LONG],
    "nn.MultiheadAttention(8, 2)",
    """
    module(x, x, x); module(x, x, x, need_weights=False); module(x, y, y)
    module(x, y, z, average_attn_weights=False)
    module(x[:, 0], y[:, 0], z[:, 0]); module(x[:1], y, z)
    module(x, x, x, attn_mask=causal)
    module(x, x, x, attn_mask=bias)
    module(x, x, x, padded)
    module(x, x, x, padded, False, causal)
    module(x, x, x, attn_mask=causal, is_causal=True, need_weights=False)
    module(x, x, x, key_padding_mask=torch.tensor([[0.0, -1.0, 2.0], [0.5, 0.0, -torch.inf]]), attn_mask=bias)
    module(x, x, x, attn_mask=torch.arange(36.0).view(4, 3, 3))
    module(x[:, 0], x[:, 0], x[:, 0], torch.tensor([True, False, False]))
    module.eval()(x, y, z)
    """,
    given=masks,
)
modules(
    [LONG, tuple(real(3, 2, 8).strided for _ in range(3))],
    """
    nn.MultiheadAttention(8, 4, bias=False); nn.MultiheadAttention(8, 2, batch_first=True)
    nn.MultiheadAttention(8, 1, add_bias_kv=True)
    nn.MultiheadAttention(8, 2, add_zero_attn=True)
    nn.MultiheadAttention(embed_dim=8, num_heads=2, kdim=8, vdim=8)
    nn.MultiheadAttention(8, 2, dropout=0.3)
    """,
    "module(x, y, z); module(x, y, y, average_attn_weights=False); module(x, x, x, need_weights=False)",
)
modules(
    [(real(3, 2, 8), real(4, 2, 5), real(4, 2, 6))],
    "nn.MultiheadAttention(8, 2, kdim=5, vdim=6)",
    "module(x, y, z)",
)
modules(
    [(real(2, 3, 8), real(2, 5, 8), real(2, 5, 8))],
    "nn.MultiheadAttention(8, 2, batch_first=True)",
    "module(x, y, z); module(x, y, z, torch.ones(2, 5).tril() == 0)",
)
area.refused(
    "x",
    [real(3, 2, 8)],
    """
    nn.MultiheadAttention(8, 3); nn.MultiheadAttention(8, 0); nn.MultiheadAttention(0, 2)
    nn.MultiheadAttention(6, 2)(x, x, x)
    nn.MultiheadAttention(8, 2)(x, x[:2], x)
    nn.MultiheadAttention(8, 2)(x, x, x, attn_mask=torch.ones(4, 3).bool())
    nn.MultiheadAttention(8, 2)(x, x, x, torch.ones(3, 2).bool())
    nn.MultiheadAttention(8, 2)(x, x, x, attn_mask=torch.ones(3, 3).long())
    nn.MultiheadAttention(8, 2)(x, x, x, is_causal=True); nn.MultiheadAttention(8, 2)(x[0, 0], x, x)
    """,
)

# Recurrent cells ------------------------------------------------------------------------------------------
ROWS = (real(2, 3), real(2, 4), real(2, 4))
modules(
    [ROWS],
    """
    nn.RNNCell(3, 4); nn.RNNCell(3, 4, nonlinearity='relu'); nn.RNNCell(3, 4, bias=False)
    nn.GRUCell(3, 4); nn.GRUCell(3, 4, False)
    """,
    "module(x); module(x, y); module(x[0], z[0])",
)
modules(
    [ROWS],
    "nn.LSTMCell(3, 4); nn.LSTMCell(3, 4, bias=False)",
    "module(x); module(x, (y, z)); module(x[0], (y[0], z[0]))",
)
area.refused(
    "x",
    [real(2, 3)],
    """
    nn.RNNCell(4, 2)(x); nn.LSTMCell(4, 2)(x); nn.GRUCell(4, 2)(x)
    nn.GRUCell(3, 2)(x, torch.ones(2, 5)); nn.RNNCell(3, 2, nonlinearity='tan')(x)
    nn.RNNCell(3, 2)(x.reshape(1, 2, 3)); nn.LSTMCell(3, 2)(x, (torch.ones(3, 2), torch.ones(3, 2)))
    """,
)

# Recurrent layers -----------------------------------------------------------------------------------------
SEQUENCE = [
    (real(5, 2, 3), real(1, 2, 4), real(1, 2, 4)),
    (real(5, 2, 3).transposed, real(1, 2, 4).strided, real(1, 2, 4)),
]
modules(
    SEQUENCE,
    """
    nn.RNN(3, 4); nn.RNN(3, 4, nonlinearity='relu'); nn.RNN(3, 4, bias=False)
    nn.GRU(3, 4); nn.GRU(3, 4, bias=False)
    """,
    "module(x); module(x, y); module(x[:, 0], z[:, 0])",
)
modules(
    SEQUENCE,
    "nn.LSTM(3, 4); nn.LSTM(3, 4, bias=False)",
    "module(x); module(x, (y, z)); module(x[:, 0], (y[:, 0], z[:, 0]))",
)
FIRST = [(real(2, 5, 3), real(4, 2, 4), real(4, 2, 4))]
modules(
    FIRST,
    """
    nn.RNN(3, 4, 2, bidirectional=True, batch_first=True)
    nn.GRU(3, 4, num_layers=2, batch_first=True, bidirectional=True)
    nn.RNN(3, 4, 4, batch_first=True); nn.GRU(3, 4, num_layers=4, batch_first=True)
    """,
    "module(x); module(x, y)",
)
modules(
    FIRST,
    "nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True); nn.LSTM(3, 4, 4, batch_first=True)",
    "module(x); module(x, (y, z))",
)
modules(
    SEQUENCE[:1],
    "nn.GRU(3, 4, 2, dropout=0.5); nn.LSTM(3, 4, 3, dropout=0.2); nn.RNN(3, 4, 2, dropout=0.1)",
    "module(x); module.eval()(x)",
)
modules(SEQUENCE[:1], "nn.LSTM(3, 4, proj_size=2)", "module(x)")
area.refused(
    "x",
    [real(5, 2, 3)],
    """
    nn.RNN(4, 2)(x); nn.LSTM(3, 2)(x, (torch.ones(2, 2, 2), torch.ones(2, 2, 2)))
    nn.GRU(3, 2)(x, torch.ones(1, 2, 3)); nn.RNN(3, 0)
    nn.RNN(3, 2, nonlinearity='sin'); nn.GRU(3, 2, dropout=1.5); nn.RNN(3, 2)(x[0, 0])
    nn.GRU(3, 2, num_layers=0); nn.LSTM(3, 2)(x.long())
    """,
)


@area.case((real(4, 6, 3), real(4, 6, 1)), gradient=False, tolerance=20)
def recurrent_networks_learn_alike(torch, x, y):
    nn, losses = torch.nn, {}
    for name in ("RNN", "LSTM", "GRU"):
        torch.manual_seed(0)
        layer, head = getattr(nn, name)(3, 5, batch_first=True), nn.Linear(5, 1)
        optimizer, found = torch.optim.Adam([*layer.parameters(), *head.parameters()], 0.02), []
        for _ in range(10):
            loss = nn.functional.mse_loss(head(layer(x)[0]), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(loss.detach())
        losses[name] = found
    return losses
