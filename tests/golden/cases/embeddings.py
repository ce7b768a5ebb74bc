"""Module 11: embeddings and their gradient."""

from golden import Area, integers, literal, real

area = Area("embeddings")

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


area.each(
    "index", [integers(2, 3), integers(), integers(0)], "F.one_hot(index, 6); F.one_hot(index, num_classes=9)"
)
area.each("index", [integers(2, 3), integers(4).strided], "F.one_hot(index)")
area.refused("index", [literal([7, -1], "int64")], "F.one_hot(index); F.one_hot(index, 5)")
area.refused("index", [integers(3, dtype="int32"), real(3)], "F.one_hot(index, 5)")
