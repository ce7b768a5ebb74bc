"""Module 11: embeddings and their gradient."""

from golden import Area, integers, literal, real, ties

area = Area()

INDICES = [
    integers(2, 3),
    integers(7),
    integers(),
    integers(0),
    integers(2, 3, 4),
    integers(2, 3).transposed,
    integers(3, 2).strided,
]
INDICES += [integers(4, dtype="int32"), literal([1, 1, 1, 1, 4], "int64")]
area.modules(
    INDICES,
    """
    nn.Embedding(5, 3); nn.Embedding(5, 3, padding_idx=1)
    nn.Embedding(num_embeddings=6, embedding_dim=1, padding_idx=-6)
    nn.Embedding(5, 4, max_norm=1.0); nn.Embedding(5, 4, scale_grad_by_freq=True)
    nn.Embedding(5, 3, dtype=torch.float64)
    nn.Embedding(5, 3, _weight=torch.arange(15.0).reshape(5, 3))
    nn.Sequential(nn.Embedding(5, 4), nn.Linear(4, 2)); nn.Embedding(5, 20)
    """,
)
area.modules(
    INDICES[:2],
    """
    nn.Embedding.from_pretrained(torch.arange(10.0).reshape(5, 2))
    nn.Embedding.from_pretrained(torch.ones(5, 2), freeze=False)
    nn.Embedding.from_pretrained(torch.ones(5, 2), False, padding_idx=2)
    """,
)
TABLES = [(index, real(5, 4)) for index in INDICES] + [
    (integers(3), real(5, 4).transposed),
    (integers(9), real(5, 2).strided),
]
area.each(
    "index, weight",
    TABLES,
    """
    F.embedding(index, weight); F.embedding(index, weight, 0)
    F.embedding(index, weight, padding_idx=-1); weight[index.long()]
    F.embedding(index, weight, scale_grad_by_freq=True)
    """,
)
area.each(
    "index, weight",
    [(integers(64, high=50), real(50, 8)), (literal([3] * 50, "int64"), real(5, 8))],
    "F.embedding(index, weight)",
)
area.refused("index", [literal([5], "int64"), literal([-1], "int64")], "nn.Embedding(5, 3)(index)")
area.refused("index", [real(3)], "nn.Embedding(5, 3)(index); F.embedding(index, torch.ones(2, 2))")
area.refused(
    "index",
    [integers(2)],
    """
    nn.Embedding(5, 3, padding_idx=5); nn.Embedding(5, 3, padding_idx=-6)
    F.embedding(index, torch.ones(5, 2), padding_idx=7)
    nn.Embedding.from_pretrained(torch.ones(3)); nn.Embedding(5, 3, _weight=torch.ones(4, 3))
    """,
)


@area.case((integers(4, 6), real(4, 6, 8)), gradient=False)
def tied_weights_gather_both_gradients(torch, index, cotangent):
    nn = torch.nn
    embedding, head = nn.Embedding(8, 5), nn.Linear(5, 8, bias=False)
    head.weight = embedding.weight
    head(torch.tanh(embedding(index))).backward(cotangent)
    return (
        embedding.weight.grad,
        head.weight is embedding.weight,
        [n for n, _ in nn.Sequential(embedding, head).named_parameters()],
    )


@area.case((integers(3, 4), integers(3, high=2)), gradient=False, tolerance=10)
def embeddings_are_trained(torch, index, labels):
    nn = torch.nn
    embedding, head = nn.Embedding(5, 6, padding_idx=0), nn.Linear(6, 2)
    optimizer, losses = torch.optim.Adam([*embedding.parameters(), *head.parameters()], 0.1), []
    for _ in range(10):
        loss = nn.functional.cross_entropy(head(embedding(index).mean(1)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses, embedding.weight


# Every argument -------------------------------------------------------------------------------------------
NORMS = [
    (integers(2, 3), real(5, 4)),
    (integers(7), real(5, 1)),
    (integers(), real(5, 4)),
    (integers(0), real(5, 4)),
]
NORMS += [
    (integers(4, dtype="int32"), real(5, 4, dtype="float64")),
    (integers(3, 2).strided, real(5, 4).strided),
]
area.each(
    "index, weight",
    [(index, weight.constant) for index, weight in NORMS],
    """
    [F.embedding(index, weight, max_norm=1.0), weight]; [F.embedding(index, weight, -1, 0.5, 1.0), weight]
    [F.embedding(index, weight, None, 0.7, float('inf')), weight]; [F.embedding(index, weight, None, 0.7, 0.5), weight]
    [F.embedding(index, weight, 1, 3, 0), weight]; [F.embedding(index, weight, max_norm=0.0), weight]
    F.embedding(index, (weight * 4).long()); F.embedding(index, weight, sparse=True)
    [F.embedding_bag(index.reshape(1, -1), weight, max_norm=1.0, norm_type=3.0), weight] if index.numel() else index
    """,
    gradient=False,
)
area.each(
    "index, weight",
    NORMS,
    """
    F.embedding(index, weight * 1, max_norm=1.0); F.embedding(index, weight, 2, None, 2.0, True)
    F.embedding(input=index, weight=weight, padding_idx=-5, max_norm=None, norm_type=1.0, scale_grad_by_freq=True)
    """,
)
area.modules(
    INDICES[:2],
    """
    nn.Embedding(5, 4, -1, 1.5, 1.0, True); nn.Embedding(5, 4, max_norm=1.0, norm_type=float('inf'))
    nn.Embedding(5, 2, 3, _weight=torch.arange(10.0).reshape(5, 2), _freeze=True); nn.Embedding(5, 2, _freeze=True)
    nn.Embedding.from_pretrained(torch.arange(10.0).reshape(5, 2), True, 1, 2.0, 1.0, True)
    """,
)
area.refused(
    "index",
    [integers(2)],
    """
    F.embedding([1], torch.ones(5, 2)); F.embedding(index, [[1.0]]); F.embedding(index, torch.ones(5))
    F.embedding(index, torch.ones(1, 5, 2)); F.embedding(index > 2, torch.ones(5, 2)); F.embedding(index, torch.ones(5, 2), 1.0)
    F.embedding(index, torch.ones(5, 2), 'a'); F.embedding(index, torch.ones(5, 2), scale_grad_by_freq=1)
    F.embedding(index, torch.ones(5, 2), sparse=1); F.embedding(index, torch.ones(5, 2).long(), max_norm=1.0)
    F.embedding(index + 5, torch.ones(5, 2), max_norm=1.0); F.embedding(index, torch.ones(5, 2), -6)
    nn.Embedding(-5, 2); nn.Embedding(5.0, 2); F.one_hot(index, 2.0); F.one_hot(tensor=index); F.one_hot(index + 1, 0)
    """,
)

# Bags -----------------------------------------------------------------------------------------------------
BAGS = [
    (literal([0, 1, 4, 1, 2, 2, 0], "int64"), literal([0, 2, 2, 5], "int64"), real(5, 3)),
    (literal([3, 3, 3, 0], "int64"), literal([0], "int64"), real(5, 1)),
    (literal([1, 4, 2], "int32"), literal([0, 1, 3, 3], "int32"), real(5, 3).transposed),
    (integers(20, high=50), literal([0, 0, 7, 7, 19], "int64"), real(50, 8, dtype="float64")),
    (integers(0), literal([0, 0], "int64"), real(5, 3)),
    (integers(6), literal([0, 3], "int64"), ties(5, 4)),
]
area.each(
    "index, offsets, weight",
    BAGS,
    """
    F.embedding_bag(index, weight, offsets); F.embedding_bag(index, weight, offsets, mode='sum')
    F.embedding_bag(index, weight, offsets, mode='max'); F.embedding_bag(index, weight, offsets, padding_idx=1)
    F.embedding_bag(index, weight, offsets, None, 2.0, False, 'sum', False, None, False, -2)
    F.embedding_bag(index, weight, offsets, mode='max', padding_idx=4)
    """,
)
ENDS = [literal([0, 2, 2, 5, 7], "int64"), literal([0, 4], "int64"), literal([0, 1, 3, 3], "int32")]
area.each(
    "index, offsets, weight",
    [(index, ends, weight) for (index, _, weight), ends in zip(BAGS, ENDS)],
    """
    F.embedding_bag(index, weight, offsets, include_last_offset=True)
    F.embedding_bag(index, weight, offsets, include_last_offset=True, mode='max')
    F.embedding_bag(index, weight, offsets, include_last_offset=True, mode='sum', padding_idx=1)
    """,
)
area.each(
    "index, weight",
    [
        (integers(2, 3), real(5, 3)),
        (integers(3, 1), real(5, 2)),
        (integers(0, 2), real(5, 2)),
        (integers(4, 2).strided, real(5, 2)),
    ],
    """
    F.embedding_bag(index, weight); F.embedding_bag(index, weight, mode='sum'); F.embedding_bag(index, weight, mode='max')
    F.embedding_bag(index, weight, padding_idx=0); F.embedding_bag(index, weight, mode='max', padding_idx=-1)
    """,
)
area.each(  # with scale_grad_by_freq PyTorch 2.13 takes other rows' counts: here all are alike
    "index, offsets, weight",
    [(literal([0, 1, 4, 1, 4, 0], "int64"), literal([0, 1, 4], "int64"), real(5, 3))],
    """
    F.embedding_bag(index, weight, offsets, scale_grad_by_freq=True)
    F.embedding_bag(index, weight, offsets, mode='sum', scale_grad_by_freq=True, padding_idx=1)
    """,
)
area.each(
    "index, offsets, weight, share",
    [
        (index, offsets, weight, real(*index.shape, dtype=dtype))
        for (index, offsets, weight), dtype in zip(BAGS[:4], ("float32", "float32", "float32", "float64"))
    ],
    """
    F.embedding_bag(index, weight, offsets, mode='sum', per_sample_weights=share)
    F.embedding_bag(index, weight, offsets, mode='sum', per_sample_weights=share, padding_idx=1)
    F.embedding_bag(index.view(1, -1), weight, mode='sum', per_sample_weights=share.view(1, -1))
    """,
)
area.modules(
    [(integers(7), literal([0, 2, 2, 5], "int64"))],
    """
    nn.EmbeddingBag(5, 3); nn.EmbeddingBag(5, 3, mode='sum'); nn.EmbeddingBag(5, 3, mode='max', padding_idx=1)
    nn.EmbeddingBag(5, 3, 1.0, 1.0); nn.EmbeddingBag(5, 3, padding_idx=-1)
    nn.EmbeddingBag(5, 3, dtype=torch.float64, mode='sum'); nn.EmbeddingBag(5, 2, _weight=torch.arange(10.0).view(5, 2))
    nn.EmbeddingBag.from_pretrained(torch.arange(10.0).view(5, 2), mode='max')
    """,
    "x, offsets",
    "module(x, offsets)",
)
area.modules(
    [(integers(7), ENDS[0])],
    """
    nn.EmbeddingBag(5, 3, padding_idx=-1, include_last_offset=True)
    nn.EmbeddingBag.from_pretrained(torch.arange(10.0).view(5, 2), False, 2.0, 1.0, False, 'sum', False, True, 1)
    """,
    "x, ends",
    "module(x, ends)",
)
area.modules(
    [(integers(3, 2), real(3, 2))],
    "nn.EmbeddingBag(5, 3, mode='sum', padding_idx=2); nn.EmbeddingBag(5, 1, mode='sum')",
    "x, share",
    "module(x); module(x, None, share); module(x, per_sample_weights=share)",
)


def bags(torch):
    """A table, six indices, and where their bags begin."""
    return {
        "W": torch.arange(10.0).view(5, 2),
        "I": torch.tensor([0, 1, 4, 1, 2, 2]),
        "O": torch.tensor([0, 2, 2, 5]),
        "bag": torch.nn.functional.embedding_bag,
        "tensor": torch.tensor,
    }


area.each(
    "",
    [],
    """
    bag(tensor([0, 1]), tensor([[float('nan'), 1.0], [2.0, float('nan')]]), tensor([0]), mode='max')
    bag(I, W, tensor([0, 2, 4]), mode='sum', include_last_offset=True); bag(I, W, tensor([0]), include_last_offset=True)
    bag(I, W, O, sparse=True); bag(I, W.half(), O); bag(I, W, tensor([0, 6])); bag(W, I.view(2, 3)); bag(I.int(), W, O)
    bag(tensor([1, 1]), W, tensor([0]), mode='max', padding_idx=1); bag(I[:0], W, I[:0])
    """,
    given=bags,
    gradient=False,
)
area.refused(
    "",
    [],
    """
    bag(I, W, O, mode='avg'); bag(I, W); bag(I, W, O.view(2, 2)); bag(I.view(2, 3), W, O); bag(I.view(1, 2, 3), W)
    bag(tensor(1), W); bag(I, W, O + 1); bag(I, W, tensor([0, 9]))
    bag(I, W, I[:0], include_last_offset=True); bag(I + 3, W, O); bag(I - 1, W, O); bag(I + 3, W, O, mode='max')
    bag(I.float(), W, O); bag(I, W[0], O); bag(I, W.long(), O); bag(I, W, O, padding_idx=5); bag(I, W, O, padding_idx=-6)
    bag(I, W, O, mode='sum', per_sample_weights=W[0]); bag(I, W, O, per_sample_weights=I.float())
    bag(I, W, O, mode='sum', per_sample_weights=I.double()); bag(I, W, O, mode='max', scale_grad_by_freq=True)
    bag(I, W, O, mode='max', sparse=True); bag(I.view(6, 1)[:, :0], W)
    nn.EmbeddingBag(5, 2, padding_idx=5); nn.EmbeddingBag(5, 2, padding_idx=-6); nn.EmbeddingBag(5, 2, mode='x')(I, O)
    nn.EmbeddingBag(5, 2, _weight=W[:3]); nn.EmbeddingBag.from_pretrained(W[0]); nn.EmbeddingBag(5, 2)(I)
    """,
    given=bags,
)

area.each(
    "index", [integers(2, 3), integers(), integers(0)], "F.one_hot(index, 6); F.one_hot(index, num_classes=9)"
)
area.each("index", [integers(2, 3), integers(4).strided], "F.one_hot(index)")
area.refused("index", [literal([7, -1], "int64")], "F.one_hot(index); F.one_hot(index, 5)")
area.refused("index", [integers(3, dtype="int32"), real(3)], "F.one_hot(index, 5)")
