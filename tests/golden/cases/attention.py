"""Module 12: scaled dot-product attention, multi-head attention, and the recurrent layers beside them."""

from golden import Area, booleans, integers, literal, real

area = Area()


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
# Groups of two sizes, masks beside groups, heads without a batch.
area.each(
    "q, k, v, mask",
    [
        (real(2, 4, 3, 5), real(2, 2, 6, 5), real(2, 2, 6, 4), real(2, 4, 3, 6)),
        (real(2, 4, 3, 5), real(2, 2, 6, 5), real(2, 1, 6, 4), real(4, 3, 6)),
        (real(2, 4, 3, 5), real(2, 1, 6, 5), real(2, 4, 6, 4), booleans(2, 1, 3, 6)),
        (real(4, 3, 5), real(2, 6, 5), real(2, 6, 4), booleans(3, 6)),
        (real(2, 4, 3, 5), real(1, 2, 6, 5), real(1, 2, 6, 4), booleans(1, 6)),
    ],
    """
    attention(q, k, v, mask, enable_gqa=True); attention(q, k, v, dropout_p=0.5, enable_gqa=True)
    attention(q, k, v, is_causal=True, scale=torch.tensor(0.7), enable_gqa=True)
    """,
    given=given,
    tolerance=4,
)
area.each(
    "q, k, v",
    [
        (real(2, 3, 0, 5), real(2, 3, 4, 5), real(2, 3, 4, 6)),
        (real(2, 3, 4, 5), real(2, 3, 0, 5), real(2, 3, 0, 6)),
        (real(2, 3, 4, 0), real(2, 3, 5, 0), real(2, 3, 5, 6)),
        (real(0, 3, 4, 5), real(0, 3, 4, 5), real(0, 3, 4, 6)),
        (real(2, 3, 4, 5), real(3, 6, 5), real(6, 2)),
    ],
    "attention(q, k, v); attention(q, k, v, None, True, scale=2); attention(q, k, v, dropout_p=-0.5, scale=-1)",
    given=given,
    tolerance=4,
)
area.each(
    "q, k, v, mask",
    [(*(real(2, 3, 4, 5, dtype="float64") for _ in range(3)), real(4, 4))],
    "attention(q, k, v, mask)",
    given=given,
    tolerance=4,
)
area.refused(
    "q, k, v",
    [QKV[0]],
    """
    attention(q, k, v[..., :3], torch.ones(4, 4), is_causal=True); attention(q, k, v, None, 0.0, False, 0.3)
    attention(q, k, v, torch.ones(4, 4).bool(), 0.5, True)
    attention(q, k, v, dropout_p='a'); attention(q, k, v, dropout_p=None); attention(q, k, v, is_causal=1)
    attention(q, k, v, is_causal=None); attention(q, k, v, scale='1'); attention(q, k, v, enable_gqa=1)
    attention(q, k, v, scale=torch.tensor([2.0])); attention([1.0], k, v); attention(q, None, v)
    attention(q, k, v, [[1.0]]); attention(q, k, v, torch.ones(4)); attention(q, k, v, torch.tensor(0.0))
    attention(q, k, v, torch.ones(2, 1, 1, 1, 4)); attention(q[:1], k[:1], v[:1], torch.ones(2, 1, 4, 4))
    attention(q[..., :1, :], k, v, torch.ones(4, 4)); attention(q, k, v, torch.ones(4, 4).double())
    attention(q, k, v, torch.ones(4, 4).half()); attention(q, k[:, :2], v[:, :2])
    attention(q, k[:, :2], v[:, :2], enable_gqa=True); attention(q[:, :1], k, v, enable_gqa=True)
    attention(q[0, 0], k[0, 0], v[0, 0], enable_gqa=True)
    attention(q, k[:, :1], v[:, :1], torch.ones(2, 2, 4, 4), enable_gqa=True)
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
        "empty": torch.tensor([[True, True, True], [False, True, False]]),
        "blind": torch.tensor([[True, True, True], [False, True, False], [False, False, False]]),
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

area.refused(
    "x",
    [real(3, 2, 8)],
    """
    nn.MultiheadAttention(8, 2, kdim=5)(x, x, x); nn.MultiheadAttention(8, 2)(x, x[..., :5], x[..., :5])
    nn.MultiheadAttention(8, 2)(x, x[:, :1], x[:, :1]); nn.MultiheadAttention(8, 2)(x, x[0], x[0])
    nn.MultiheadAttention(8, 2)(x, x, x, attn_mask=torch.ones(3)); nn.MultiheadAttention(8, 2)(x.double(), x, x)
    nn.MultiheadAttention(8, 2)(x, x, x, torch.ones(2, 3).long()); nn.MultiheadAttention(8, 2, dropout=1.5)(x, x, x)
    nn.MultiheadAttention(8, 2)(x, x, x, torch.ones(2, 3, 1).bool())
    nn.MultiheadAttention(8, 2)(x, x, x, attn_mask=torch.ones(3, 3, 3))
    """,
)
# A query that may look at nothing: zeros from the one operation, NaN where the weights are wanted.
modules(
    [LONG],
    "nn.MultiheadAttention(8, 2); nn.MultiheadAttention(8, 2, add_zero_attn=True)",
    """
    module(x, x, x, empty, need_weights=False); module(x, x, x, empty)
    module(x, x, x, need_weights=False, attn_mask=blind); module(x, x, x, attn_mask=blind)[1]
    """,
    given=masks,
)
modules(
    [(real(3, 2, 8), real(4, 2, 5), real(4, 2, 6))],
    """
    nn.MultiheadAttention(8, 2, kdim=5, vdim=6, bias=False, add_bias_kv=True)
    nn.MultiheadAttention(8, 4, 0.25, True, True, True, 5, 6)
    """,
    """
    module(x, y, z); module(x, y, z, torch.ones(2, 4).tril() == 0, False)
    module(x, y, z, attn_mask=torch.ones(3, 4)); module(x[:, 0], y[:, 0], z[:, 0], average_attn_weights=False)
    """,
)
modules(
    [(real(2, 3, 8, dtype="float64"),) * 3],
    "nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)",
    "module(x, y, z); module(x, x, x, need_weights=False)",
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
    nn.RNNCell(3, 2)(x, torch.ones(1, 2, 2)); nn.GRUCell(3, 2)(x[0], torch.ones(3)); nn.RNNCell(3, 2)(x.double())
    nn.LSTMCell(3, 2)(x, (torch.ones(2, 2), torch.ones(2, 3))); nn.GRUCell(3, 2)(x, torch.ones(1, 2))
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
modules(
    [(real(5, 2, 3), real(4, 2, 2), real(4, 2, 4))],
    """
    nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)
    nn.LSTM(3, 4, 2, False, False, 0.5, True, 2); nn.LSTM(3, 4, 4, proj_size=2, dropout=0.1)
    """,
    "module(x); module(x, (y, z)); module(x[:, 0], (y[:, 0], z[:, 0])); module.eval()(x)",
)
modules(SEQUENCE[:1], "nn.LSTM(3, 4, proj_size=2)", "module(x)")
modules(
    [(real(5, 2, 3, dtype="float64"), real(2, 2, 4, dtype="float64"), None)],
    """
    nn.GRU(3, 4, bidirectional=True, dtype=torch.float64); nn.RNN(3, 4, 2, 'relu', dtype=torch.float64)
    nn.RNN(3, 4, 1, 'tanh', False, False, 0.0, True, dtype=torch.float64)
    """,
    "module(x); module(x, y)",
)
modules([(real(5, 0, 3), None, None)], "nn.RNN(3, 4); nn.LSTM(3, 4); nn.GRU(3, 4)", "module(x)")
area.each(
    "x",
    [real(5, 2, 3)],
    """
    nn.LSTM(3, 4).flatten_parameters(); nn.GRU(3, 4, 2, bidirectional=True).flatten_parameters()
    nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2).all_weights; nn.RNN(3, 4, bias=False).all_weights
    [nn.LSTM(3, 4).mode, nn.GRU(3, 4).mode, nn.RNN(3, 4).mode, nn.RNN(3, 4, nonlinearity='relu').mode]
    isinstance(nn.LSTM(3, 4), nn.RNNBase) and isinstance(nn.GRUCell(3, 4), nn.RNNCellBase)
    nn.RNNBase('GRU', 3, 4).state_dict(); nn.RNNCellBase(3, 4, True, 2).state_dict()
    """,
    gradient=False,
)
area.refused(
    "x",
    [real(5, 2, 3)],
    """
    nn.RNN(4, 2)(x); nn.LSTM(3, 2)(x, (torch.ones(2, 2, 2), torch.ones(2, 2, 2)))
    nn.GRU(3, 2)(x, torch.ones(1, 2, 3)); nn.RNN(3, 0)
    nn.RNN(3, 2, nonlinearity='sin'); nn.GRU(3, 2, dropout=1.5); nn.RNN(3, 2)(x[0, 0])
    nn.GRU(3, 2, num_layers=0); nn.LSTM(3, 2)(x.long())
    nn.RNN(3, 2, proj_size=1); nn.GRU(3, 2, proj_size=0); nn.LSTM(3, 2, proj_size=2); nn.LSTM(3, 2, proj_size=-1)
    nn.LSTM(3.0, 2); nn.GRU(0, 2); nn.RNN(3, 2.0); nn.RNN(3, 2, 1.0); nn.LSTM(3, 2, bias=1)
    nn.GRU(3, 2, batch_first=1); nn.RNN(3, 2, 2, dropout='a'); nn.GRU(3, 2, 2, dropout=None)
    nn.LSTM(3, 2, 2, dropout=True); nn.LSTM(3, 2, 1, 'tanh'); nn.RNNBase('ELMAN', 3, 2)
    nn.GRU(3, 2)(x[:0]); nn.LSTM(3, 2)(x.double()); nn.RNN(3, 2)(x, torch.ones(1, 2))
    nn.LSTM(3, 2)(x, (torch.ones(1, 2), torch.ones(1, 2))); nn.GRU(3, 2)(x[0], torch.ones(1, 2, 2))
    nn.LSTM(3, 2)(x, (torch.ones(1, 2, 2), torch.ones(1, 2, 3)))
    """,
)


# Sequences of different lengths ---------------------------------------------------------------------------
def sequences(torch):
    """The functions of nn.utils.rnn by name, with a packed batch in a form that has no names of the framework."""
    place = torch.nn.utils.rnn
    names = ["PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence"]
    names += ["pad_packed_sequence", "pad_sequence", "unpack_sequence", "unpad_sequence"]
    return {name: getattr(place, name) for name in names} | {"tensor": torch.tensor}


BATCHES = [
    (real(4, 3, 2), real(3, 4), integers(4, 3)),
    (real(4, 3, 2).transposed, real(3, 4).strided, integers(4, 3)),
]
area.each(
    "x, y, z",
    BATCHES,
    """
    pack_padded_sequence(x, [4, 2, 1]); pack_padded_sequence(x, tensor([4, 4, 4]))
    pack_padded_sequence(x, [2, 2, 1]); pack_padded_sequence(x, tensor([3.0, 2.0, 2.0]))
    pack_padded_sequence(x, [1, 4, 2], enforce_sorted=False)
    pack_padded_sequence(y, [1, 4, 2], True, False); pack_padded_sequence(z, [2, 4, 4], False, False)
    pad_packed_sequence(pack_padded_sequence(x, [4, 2, 1]))
    pad_packed_sequence(pack_padded_sequence(x, [2, 4, 4], enforce_sorted=False), True)
    pad_packed_sequence(pack_padded_sequence(x, [2, 1, 3], enforce_sorted=False), True, -1.5, 6)
    pad_packed_sequence(pack_padded_sequence(z, [2, 2, 1]), padding_value=2.7, total_length=4)
    pad_sequence([x[:, 0], x[:2, 1], x[:3, 2]]); pad_sequence([y[0, :1], y[1], y[2, :0]], True, 0.5)
    pad_sequence([x[:, 0], x[:2, 1], x[:3, 2]], padding_value=3, padding_side='left')
    pad_sequence([y[0, :1], y[1]], batch_first=True, padding_side='left'); pad_sequence(y)
    pad_sequence([z[:, 0], z[:2, 1]], padding_value=1.7); pad_sequence([z[:, 0], y[0, :2].detach()])
    pad_sequence(row[:n] for n, row in enumerate(y, 1)); pad_sequence([z[:2, 1] > 1, z[:, 0] > 1], True, True)
    unpad_sequence(pad_sequence([x[:, 0], x[:2, 1], x[:3, 2]]), tensor([4, 2, 3]))
    unpad_sequence(y, tensor([2, 4, 0]), batch_first=True)
    pack_sequence([x[:, 0], x[:3, 1], x[:3, 2]]); pack_sequence([z[:1, 0], z[:3, 1], z[:2, 2]], enforce_sorted=False)
    unpack_sequence(pack_sequence([x[:1, 0], x[:3, 1], x[:2, 2]], False))
    PackedSequence(y[0], tensor([2, 1, 1])); PackedSequence((y[0], tensor([2, 1, 1])))
    PackedSequence(y[0], tensor([2, 1, 1]), tensor([1, 0]))
    [pack_sequence([x[:, 0], x[:3, 1]]).double(), pack_sequence([z[:, 0]]).half(), pack_sequence([z[:, 0]]).long()]
    [pack_sequence([z[:, 0]]).to(torch.float32), pack_sequence([y[0]]).cpu().is_cuda, pack_sequence([y[0]])[1]]
    [repr(pack_sequence([z[:1, 0], z[:3, 1]], False)), isinstance(pack_sequence([z[:1, 0]]), tuple)]
    invert_permutation(tensor([2, 0, 3, 1])); invert_permutation(None)
    """,
    given=sequences,
)
area.refused(
    "x, y",
    [(real(4, 3, 2), real(3, 4))],
    """
    pack_padded_sequence(x, [1, 4, 2]); pack_padded_sequence(x, [4, 2, 0]); pack_padded_sequence(x, [4, 2])
    pack_padded_sequence(x, tensor([[4, 2, 1]])); pack_padded_sequence(x[:0], [0, 0, 0]); pack_padded_sequence(y[0], [4])
    pack_padded_sequence(x[:, :0], []); pack_padded_sequence(x, [2, 4, -1], enforce_sorted=False)
    pad_packed_sequence(x); pad_packed_sequence(pack_sequence([y[0], y[1]]), total_length=3)
    pad_sequence([]); pad_sequence(None); pad_sequence([[1.0, 2.0]]); pad_sequence([y[0], y])
    pad_sequence([x[0], x[1, :, :1], x[1, :, 1:], y]); pad_sequence([y[0, 0]])
    pad_sequence([y[0]], padding_side='middle'); pack_sequence([y[0, :1], y[1]]); pack_sequence([y[0], y[1, :0]])
    unpad_sequence(y, [2, 1, 3], True); unpad_sequence(y, tensor([2, 1]), True); PackedSequence(y[0])
    nn.GRU(3, 2)(pack_padded_sequence(x, [4, 2, 1])); nn.RNN(2, 3)(pack_padded_sequence(x, [4, 2, 1]).double())
    nn.GRU(2, 3)(pack_padded_sequence(x, [4, 2, 1]), torch.ones(1, 2, 3))
    nn.LSTM(2, 3)(pack_sequence([x, x])); nn.RNN(2, 3)(pack_sequence([y[0]]))
    """,
    given=sequences,
)
LENGTHS = [
    (real(5, 4, 3), [5, 3, 3, 1], real(4, 4, 4)),
    (real(5, 4, 3), [2, 5, 1, 2], real(4, 4, 4)),
    (real(5, 4, 3).transposed, [4, 4, 4, 4], real(4, 4, 4).strided),
]
area.modules(
    LENGTHS,
    """
    nn.RNN(3, 4, 4, 'relu'); nn.GRU(3, 4, num_layers=4); nn.GRU(3, 4, 2, bidirectional=True, bias=False)
    nn.RNN(3, 4, 2, bidirectional=True); nn.GRU(3, 4, 2, dropout=0.5, bidirectional=True)
    """,
    "x, lengths, h",
    """
    module(pack_padded_sequence(x, lengths, enforce_sorted=False))
    module(pack_padded_sequence(x, lengths, enforce_sorted=False), h)
    """,
    given=sequences,
    tolerance=10,
)
area.modules(
    LENGTHS,
    "nn.LSTM(3, 4, 4); nn.LSTM(3, 4, 2, bidirectional=True); nn.LSTM(3, 4, 2, dropout=0.3, batch_first=True, bidirectional=True)",
    "x, lengths, h",
    """
    module(pack_padded_sequence(x, lengths, enforce_sorted=False))
    module(pack_padded_sequence(x, lengths, enforce_sorted=False), (h, h.flip(0)))
    pad_packed_sequence(module(pack_padded_sequence(x, lengths, enforce_sorted=False))[0], True)
    """,
    given=sequences,
    tolerance=10,
)
area.modules(
    [(real(4, 5, 3), [5, 3, 3, 1]), (real(4, 5, 3), [2, 2, 2, 1])],
    "nn.LSTM(3, 4, proj_size=2, bidirectional=True); nn.LSTM(3, 4); nn.RNN(3, 4); nn.GRU(3, 4, batch_first=True)",
    "x, lengths",
    "module(pack_padded_sequence(x, lengths, batch_first=True))",
    given=sequences,
    tolerance=10,
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


# As a function, with weights that are no module's ---------------------------------------------------------
def weights(torch):
    torch.manual_seed(1)
    W, b, mix, bias = torch.randn(24, 8), torch.randn(24), torch.randn(8, 8), torch.randn(8)
    more, added = torch.randn(1, 1, 8), {"average_attn_weights": False}
    attend = torch.nn.functional.multi_head_attention_forward
    parts = dict(zip(("q_proj_weight", "k_proj_weight", "v_proj_weight"), W.chunk(3)))

    def plain(x, y, z, *, E=8, H=2, W=W, k=None, v=None, zero=False, **options):
        return attend(x, y, z, E, H, W, b, k, v, zero, 0.0, mix, bias, **options)

    return {
        "plain": plain, "apart": parts | {"use_separate_proj_weight": True}, "more": more, "added": added,
        "padding": torch.tensor([[False, True, False], [False, False, True]]),
        "mask": torch.ones(4, 3).triu(1).bool(), "fixed": torch.arange(48.0).reshape(4, 3, 4) / 9,
    }  # fmt: skip


area.each(
    "x, y, z",
    [(real(4, 2, 8), real(3, 2, 8), real(3, 2, 8))],
    """
    plain(x, y, z); plain(x, y, z, need_weights=False); plain(x, y, z, **added); plain(x, y, z, key_padding_mask=padding); plain(x, y, z, attn_mask=mask)
    plain(x, y, z, W=None, **apart); plain(x, y, z, k=more, v=more + 1); plain(x, y, z, zero=True, attn_mask=mask); plain(x, y, z, training=False)
    plain(x, y, z, static_k=fixed, static_v=fixed + 1); plain(x, y, z, static_k=fixed); plain(x, y, z, attn_mask=mask, is_causal=True, need_weights=False)
    plain(x[:, 0], y[:, 0], z[:, 0])
    """,
    given=weights,
    tolerance=20,
)
area.refused(
    "x, y, z",
    [(real(4, 2, 8), real(3, 2, 8), real(3, 2, 8))],
    """
    plain(x, y, z, H=3); plain(x, y, z, E=6); plain(x, y, z, W=None); plain(x, y, z, k=more); plain(x, y, z, is_causal=True); plain(x, y, z, attn_mask=mask[:2])
    plain(x, y, z, use_separate_proj_weight=True); plain(x, y, z, k=more, v=more, static_k=fixed)
    """,
    given=weights,
)
