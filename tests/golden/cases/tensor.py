"""Module 01: arithmetic, reductions, shapes, indexing, factories, random numbers, printing."""

from golden import Area, booleans, integers, literal, positive, real, ties, uniform

area = Area()

SPECIAL = literal([0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan"), 1e-45, 3e38])

# Every layout and shape that one floating-point operand comes in.
ONE = [
    real(2, 3),
    real(5),
    real(),
    real(0, 3),
    real(2, 1, 4),
    real(3, 4).transposed,
    real(3, 4).strided,
    real(3, 4).expanded,
    real(2, 3, dtype="float64"),
    real(2, 3, dtype="float16"),
    ties(3, 4),
]
ONE_INTEGER = [
    integers(2, 3, low=1),
    integers(4, dtype="int32", low=-3),
    integers(2, 2, dtype="uint8"),
    booleans(2, 3),
]
TWO = [
    (real(2, 3), real(2, 3)),
    (real(2, 3), real(3)),
    (real(3), real(2, 3)),
    (real(2, 1, 3), real(4, 1)),
    (real(2, 3), real()),
    (real(), real()),
    (real(1), real(3)),
    (real(0, 3), real(3)),
    (real(2, 0), real(1, 1)),
    (real(3, 4).transposed, real(3, 4)),
    (real(3, 4).strided, real(3, 4).expanded),
    (real(2, 3, 4).transposed, real(4).strided),
    (real(2, 3, dtype="float64"), real(3)),
    (real(2, 3, dtype="float16"), real(2, 3, dtype="float16")),
    (real(2, 3, dtype="float16"), real(3)),
    (real(3), real(dtype="float64").constant),
    (real(dtype="float64"), real()),
]
WITH_NUMBER = [
    (real(2, 3), 2.5),
    (real(2, 3), -3),
    (real(2, 3), True),
    (real(3, dtype="float16"), 1.1),
    (real(0), 2),
]
MIXED = [
    (integers(2, 3, low=1), integers(3, low=1)),
    (integers(2, 3, low=1), 3),
    (integers(2, 3, low=1), 2.5),
    (integers(3, low=1), real(3)),
    (real(2, 3), integers(3, low=1)),
    (integers(2, dtype="int32", low=1), integers(2, low=1)),
    (integers(2, dtype="uint8", low=1), integers(2, dtype="int8", low=1)),
    (integers(2, dtype="int32", low=1), integers(low=1)),
    (integers(2, dtype="int32", low=1), real()),
    (integers(2, low=1), real(2, dtype="float16")),
    (integers(4, 3, low=1).transposed, integers(4, 1, low=1)),
    (integers(3, low=1, dtype="uint8"), 200),
]
WITH_BOOLEANS = [
    (booleans(4), integers(4, low=1)),
    (real(4), booleans(4)),
    (booleans(2, 3), 2),
    (booleans(2, 3), 0.5),
]
BOOLEANS = [(booleans(4), booleans(4)), (booleans(2, 3), True)]

# Arithmetic -----------------------------------------------------------------------------------------------
area.each(
    "x, y", TWO + WITH_NUMBER + MIXED + WITH_BOOLEANS + BOOLEANS, "x + y; x * y; torch.add(x, y); x.mul(y)"
)
SUBTRACTED = [*TWO, *WITH_NUMBER[:2], *WITH_NUMBER[3:], *MIXED]
area.each("x, y", SUBTRACTED, "x - y; y - x; torch.sub(x, y, alpha=2); x.add(y, alpha=3)")
area.each("x, y", TWO + WITH_NUMBER, "x / (y + 4); x.div(y); torch.div(x, y)", tolerance=10)
area.each("x, y", MIXED, "x / y; y / x")
ROUNDED = [
    (real(5), positive(5)),
    (integers(2, 3, low=-7, high=8), integers(3, low=1)),
    (integers(4, low=-9), 2),
]
ROUNDED += [(real(2, 3), 0.3), (integers(4, low=-9), 2.5), (real(3), integers(3, low=1))]
area.each("x, y", ROUNDED, "torch.div(x, y, rounding_mode='floor'); torch.div(x, y, rounding_mode='trunc')")
area.each("x, y", ROUNDED, "x // y; x % y", gradient=False)
area.each(
    "x", [real(2, 3), real(), integers(3, low=1), booleans(3)], "2 * x; 3.5 + x; 1 / (x + 3); x * x + x"
)
area.each("x", [real(2, 3), real(), integers(3, low=1)], "2 - x; -x; torch.neg(x); +x")
area.each("x", ONE + ONE_INTEGER, "torch.exp(x); x.sin(); torch.cos(x)")
area.each("x", [*ONE, *ONE_INTEGER[:2]], "abs(x); x.abs(); x.neg()")
area.each(
    "x",
    [positive(2, 3), positive(), positive(0, 2), positive(3, 4).strided, SPECIAL, *ONE_INTEGER],
    "x.log()",
)
area.each(
    "x", [positive(2, 3), positive(), positive(3, 4).transposed, SPECIAL, *ONE_INTEGER], "torch.sqrt(x)"
)
area.each("x", [SPECIAL], "x + 1; x * 2; x.exp(); x * x; 1 / x; x / x; -x")
area.each("x", [SPECIAL.constant], "x.abs()")
area.each("x, y", [(real(2, 3), 2), (real(2, 3), 3), (real(4), 0), (real(4), 1), (ties(6), 2)], "x ** y")
area.each(
    "x, y", [(positive(2, 3), 0.5), (positive(2, 3), -1.5), (positive(4), -1), (ties(6), 0)], "x.pow(y)"
)
area.each(
    "x, y",
    [
        (positive(2, 3), real(3)),
        (positive(3, 4).transposed, real(3, 4)),
        (positive(), real(2)),
        (integers(5), integers(5)),
        (integers(5), 2),
        (integers(5, low=1), 0.5),
        (integers(3, low=1), real(3)),
        (positive(3), integers(3)),
        (literal([0.0, 2.0, -2.0]), literal([0.0, 3.0, 3.0])),
    ],
    "torch.pow(x, y)",
)
area.each("x", [real(2, 3), integers(4), real()], "2 ** x; 2.5 ** x; torch.pow(3.0, x)")
area.refused("x, y", [(integers(3), -1)], "x ** y")

CLAMPED = [*ONE, integers(2, 3, low=-4, high=5), SPECIAL]
area.each("x", CLAMPED, "x.clamp(-1, 1); torch.clamp(x, min=0); x.clamp(max=0.5); torch.clamp(x, 2, -2)")
area.each(
    "x, low, high", [(real(2, 3), real(3), real()), (ties(4, 5), ties(5), ties(4, 1))], "x.clamp(low, high)"
)
area.refused("x", [real(3)], "x.clamp()")
PAIRS = [
    *TWO,
    (ties(3, 4), ties(3, 4)),
    *MIXED[:1],
    *MIXED[3:8],
    (booleans(4), booleans(4)),
    (SPECIAL.constant, real(1)),
]
area.each("x, y", PAIRS, "torch.maximum(x, y); torch.minimum(x, y); torch.max(x, y); x.min(y)")
COMPARED = [
    *TWO,
    *WITH_NUMBER,
    *MIXED,
    (ties(3, 4), ties(4)),
    (ties(6), 1),
    (booleans(4), booleans(4)),
    (SPECIAL, 0),
]
area.each(
    "x, y",
    COMPARED,
    """
    x == y; x != y; x < y; x <= y; torch.lt(x, y); torch.le(x, y); torch.gt(x, y); x.ge(y)
    torch.eq(x, y); x.ne(y)
    """,
)
area.each(
    "x, y",
    [(booleans(6), booleans(6)), (integers(6), integers(6)), (booleans(2, 3), booleans(3))],
    "x & y; x | y; x ^ y",
)
area.each("x", [booleans(5), integers(5)], "~x")
area.each("x", [real(2, 3), real(3, 4).transposed], "x.mul(2).add(x).div(3).sub(x * x).exp().neg()")

MISFITS = [(real(2, 3), real(2)), (real(2, 3), real(3, 2)), (integers(4), integers(3)), (real(0), real(2))]
area.refused(
    "x, y",
    MISFITS,
    """
    x + y; x * y; torch.maximum(x, y); x == y; torch.where(x > 0, x, y); x.isclose(y); torch.allclose(x, y)
    x.clamp(y, y); x.clamp(min=y); x.clip(max=y); x.clamp_min(y); x.clone().clamp_max_(y); torch.heaviside(x, y)
    x.addcmul(y, y); x.addcmul(x, y); x.clone().addcdiv_(x, y); torch.lerp(x, y, 0.5); torch.lerp(x, x, y)
    """,
)
area.refused("x, y", BOOLEANS[:1], "x - y")
area.refused("x", [booleans(3)], "-x")
area.refused("x", [real(3)], "x + 'a'; x * None; x + [1, 2, 3]; ~x; x & x; torch.exp('a'); torch.add(x)")

# In place -------------------------------------------------------------------------------------------------
IN_PLACE = [
    (real(2, 3), real(3)),
    (real(2, 3), 2.0),
    (real(3, 4).transposed, real(3, 1)),
    (real(2), integers(2, low=1)),
]
area.each(
    "x, y", IN_PLACE, "x.clone().add_(y); x.clone().sub_(y, alpha=2); x.clone().mul_(y); x.clone().div_(y)"
)
area.each(
    "x",
    [real(2, 3), real(3, 4).strided],
    "x.clone().clamp_(-0.5, 0.5); x.clone().zero_(); x.clone().fill_(3)",
)
area.each("x", [real(2, 3), real()], "x.clone().neg_(); x.clone().exp_(); x.clone().abs_()")
area.refused("x, y", [(integers(3), real(3)), (real(3), real(2, 3)), (real(3), real(2))], "x.add_(y)")
area.refused("x", [real(2, 3).expanded], "x.add_(1)")


@area.case(real(2, 3), gradient=False)
def augmented_assignment_changes_the_tensor_in_place(torch, x):
    same = x
    x += 1
    x *= 2
    x -= torch.ones(3)
    x /= 4
    return same


@area.case((real(3, 4), real(3, 4)), (real(2, 3), real(3)), (real(3), integers(3)), (integers(3), real(3)))
def copy_from_another_tensor(torch, x, y):
    return x.clone().copy_(y)


# Products -------------------------------------------------------------------------------------------------
PRODUCTS = [
    (real(2, 3), real(3, 4)),
    (real(3), real(3)),
    (real(2, 3), real(3)),
    (real(3), real(3, 4)),
    (real(5, 2, 3), real(3, 4)),
    (real(5, 2, 3), real(5, 3, 4)),
    (real(2, 1, 2, 3), real(5, 3, 4)),
    (real(5, 2, 3), real(3)),
    (real(3), real(5, 3, 4)),
    (real(3, 4).transposed, real(4, 5)),
    (real(2, 3).strided, real(3, 2).transposed),
    (real(2, 3).expanded, real(3, 4).expanded),
    (real(0, 3), real(3, 2)),
    (real(2, 0), real(0, 3)),
    (real(4, 0, 3), real(3, 2)),
    (real(2, 3, dtype="float64"), real(3, 4, dtype="float64")),
]
area.each(
    "x, y",
    [*PRODUCTS, (integers(2, 3), integers(3, 4)), (integers(3), integers(3))],
    "x @ y; torch.matmul(x, y)",
)
area.refused(
    "x, y", [(real(2, 3), real(2, 3)), (real(3), real(4)), (real(2, 3), real(2)), (real(), real(3))], "x @ y"
)
area.refused(
    "x, y",
    [(real(2, 3, 4), real(3, 4, 5)), (real(2, 3), integers(3, 2)), (real(2, 3), 2)],
    "torch.matmul(x, y)",
)
area.each("x, y", [(real(2, 3), real(3, 4)), (real(2, 0), real(0, 2))], "torch.mm(x, y); x.mm(y)")
area.each("x, y", [(real(5, 2, 3), real(5, 3, 4))], "torch.bmm(x, y)")
area.each("x, y", [(real(3), real(3))], "torch.dot(x, y); torch.outer(x, y)")
area.each(
    "x, y", [(real(2, 3), real(3, 4)), (real(2, 3).transposed, real(3, 4))], "torch.einsum('ij,jk->ik', x, y)"
)
area.each(
    "x, y",
    [(real(5, 2, 3), real(5, 4, 3))],
    "torch.einsum('bij,bkj->bik', x, y); torch.einsum('bij,bkj', x, y)",
)
area.each("x, y", [(real(3), real(4))], "torch.einsum('i,j->ij', x, y); torch.einsum('i,j->ji', [x, y])")
area.each(
    "x",
    [real(3, 3), real(4, 4).transposed],
    "torch.einsum('ii->i', x); torch.einsum('ii', x); torch.einsum('ij->ji', x)",
)
area.each(
    "x, y",
    [(real(2, 3, 4), real(2, 3, 4))],
    "torch.einsum('...ij,...ij->...', x, y); torch.einsum('bhd,bhd->', x, y)",
)
area.each(
    "x, y, z", [(real(2, 3), real(3, 4), real(4, 5))], "torch.einsum('ij,jk,kl->il', x, y, z); x @ y @ z"
)
area.refused(
    "x, y", [(real(2, 3), real(4, 5))], "torch.einsum('ij,jk->ik', x, y); torch.einsum('ij->i', x, y)"
)

# Reductions -----------------------------------------------------------------------------------------------
CUBES = [
    real(2, 3, 4),
    real(2, 4, 3).transposed,
    real(2, 3, 4).strided,
    real(2, 3, 4).expanded,
    ties(2, 3, 4),
]
CUBES_OF_INTEGERS = [integers(2, 3, 4), integers(2, 3, 4, dtype="int32"), integers(2, 3, 4, dtype="uint8")]
WHOLE = [*ONE, *CUBES[:1], SPECIAL.constant]
area.each("x", [*WHOLE, *ONE_INTEGER], "x.sum(); torch.sum(x); x.cumsum(-1)")
area.each("x", WHOLE, "x.mean(); torch.mean(x)")
area.each(
    "x", [real(2, 3), real(5), real(1), real(3, 4).transposed, real(), real(0)], "x.var(); torch.std(x)"
)
area.each("x", [item for item in WHOLE if 0 not in item.shape] + ONE_INTEGER, "x.max(); torch.min(x)")
FIRSTS = [real(2, 3), real(7), real(), real(3, 4).transposed, ties(3, 4), integers(8), real(2, 3).expanded]
area.each("x", FIRSTS, "x.argmax(); torch.argmin(x)")
DIMS = [(cube, dim) for cube in CUBES for dim in (0, 1, -1)] + [
    (real(5), 0),
    (real(), 0),
    (real(), -1),
    (real(0, 3), 0),
]
INTEGER_DIMS = [(cube, 1) for cube in CUBES_OF_INTEGERS] + [(booleans(3, 4), 0)]
area.each(
    "x, dim", DIMS + INTEGER_DIMS, "x.sum(dim); torch.sum(x, dim=dim, keepdim=True); torch.cumsum(x, dim)"
)
area.each("x, dim", DIMS, "x.mean(dim); torch.mean(x, dim, keepdim=True); x.cumsum(dim=dim)")
area.each("x, dim", [*DIMS[:-4], (real(5), 0)], "x.var(dim); x.std(dim); torch.var(x, dim, correction=0)")
area.each(
    "x, dim",
    DIMS[:3],
    "torch.var(x, dim, unbiased=False); x.std(dim, keepdim=True); torch.std(x, dim, correction=2)",
)
FULL_DIMS = DIMS[:-1] + INTEGER_DIMS[:-1] + [(real(2, 0), 0)]
area.each(
    "x, dim", FULL_DIMS, "x.max(dim); torch.min(x, dim); torch.max(x, dim, keepdim=True); x.min(dim)[1]"
)
area.each("x, dim", FULL_DIMS, "x.argmax(dim); torch.argmin(x, dim, keepdim=True); torch.argmax(x, dim=dim)")
area.each("x", [real(2, 3)], "x.max(1).values; x.min(dim=0).indices; x.max(-1, keepdim=True).indices")
MANY_DIMS = [(cube, dims) for cube in CUBES for dims in ((0, 1), (0, -1), (1,), (2, 0, 1))]
area.each(
    "x, dims", MANY_DIMS, "x.sum(dims); x.mean(dims, keepdim=True); torch.var(x, dims); x.std(dim=dims)"
)
area.each(
    "x",
    [real(2, 3), integers(2, 3), booleans(3)],
    "x.sum(dtype=torch.float64); torch.mean(x, 0, dtype=torch.float32)",
)
area.each(
    "x",
    [integers(4), booleans(4), real(4)],
    "x.cumsum(0, dtype=torch.float64); x.sum(0, dtype=torch.int32)",
    gradient=False,
)
area.refused("x", [integers(3), booleans(2, 2)], "x.mean(); x.std()")
area.refused("x", [real(0), real(0, 3)], "x.max(); x.argmin(); x.max(0); x.argmax(0)")
area.refused("x", [real(2, 3), real(3)], "x.sum(2); x.max(-3); x.argmax(5); x.cumsum(2); x.mean(2); x.var(4)")
area.refused("x", [real(2, 3)], "x.sum((0, 0)); x.cumsum(); x.sum(1.5)")

DISTINCT = [
    (real(7), 3),
    (real(2, 6), 2),
    (real(2, 6), 6),
    (real(6, 3).transposed, 1),
    (real(4, 5).strided, 2),
    (real(2, 5), 0),
]
TOPK = [*DISTINCT, (real(4, dtype="float64"), 2), (literal([5, 1, 9, 3], "int64"), 3), (real(), 1)]
area.each("x, k", TOPK, "torch.topk(x, k); x.topk(k, largest=False)")
area.each(
    "x, k", DISTINCT[1:], "x.topk(k, dim=1); x.topk(min(k, 2), 0); torch.topk(x, k, -1, True, True).values"
)
area.refused("x, k", [(real(3), 4), (real(2, 3), -1)], "x.topk(k)")
SORTED = [
    real(7),
    real(3, 4),
    real(3, 4).transposed,
    real(0),
    real(),
    literal([3, 1, 2], "int64"),
    real(2, 3, dtype="float64"),
]
area.each("x", SORTED, "torch.sort(x); x.sort(descending=True); x.sort(-1).indices")
area.each("x", [*SORTED[1:3], real(2, 3, 4)], "x.sort(0); torch.sort(x, 1, descending=True)")
STABLE = [ties(8), ties(4, 5), integers(9), booleans(6)]
area.each("x", STABLE, "torch.sort(x, stable=True); torch.sort(x, dim=0, descending=True, stable=True)")

# Shapes ---------------------------------------------------------------------------------------------------
SEEN = "[v := {}, v.stride(), v.storage_offset(), v.is_contiguous()]"
area.each(
    "x",
    [real(2, 3, 4), integers(2, 3, 4), real(2, 4, 3).transposed, real(2, 3, 4).strided],
    """
    x.reshape(6, 4); x.reshape((4, -1)); torch.reshape(x, (2, 12)); x.reshape(-1); x.permute(2, 0, 1)
    torch.permute(x, (1, 0, 2)); x.permute(-1, 0, 1); x.transpose(0, 1); torch.transpose(x, -1, -2)
    x.flatten(); torch.flatten(x, 1); x.flatten(0, 1); x.flatten(start_dim=1, end_dim=-1); x[1]
    x[:, 1:]; x[..., ::2]; x[0, 1:, 2:]; x.contiguous(); x.clone(); x.mT
    """,
    form=SEEN,
)
area.each(
    "x",
    [real(2, 3, 4), integers(2, 3, 4)],
    "x.view(6, 4); x.view(-1, 2); x.view(24); x.view((3, 8))",
    form=SEEN,
)
area.each("x", [real(3, 4), real(4, 3).transposed], "x.T; x.t(); torch.t(x); x.t().t()", form=SEEN)
area.each(
    "x",
    [real(2, 1, 3, 1), real(1, 1), integers(1, 2, 1)],
    "x.squeeze(); x.squeeze(0); torch.squeeze(x, -1); x.squeeze(dim=1)",
)
area.each("x", [real(2, 1, 3, 1)], "x.squeeze((1, 3)); x.squeeze(1).unsqueeze(0)")
area.each(
    "x",
    [real(2, 3), real(), integers(4), real(3, 4).transposed],
    "x.unsqueeze(0); torch.unsqueeze(x, -1); x.unsqueeze(dim=-1)",
)
area.each("x", [real(3, 1), real(1, 1), integers(3, 1)], "x.expand(3, 4); x.expand(2, 3, 4); x.expand(3, -1)")
area.each(
    "x", [real(), real(3)], "x.expand(3); x.expand((2, 3)); x.expand(2, 3).stride(); x.expand(2, 3) * 2"
)
area.each(
    "x",
    [real(0, 3), real(2, 0)],
    "x.reshape(0); x.reshape(3, 0); x.view(0, 5); x.flatten(); x.transpose(0, 1)",
)
area.each("x", [real(), real(1)], "x.reshape(1, 1); x.view(-1); x.flatten(); x.reshape(())")
area.refused(
    "x",
    [real(2, 3)],
    "x.reshape(4); x.reshape(-1, 4); x.reshape(-1, -1); x.view(7); x.expand(2, 4); x.expand(3)",
)
area.refused(
    "x",
    [real(2, 3)],
    "x.permute(0); x.permute(0, 0); x.transpose(0, 2); x.unsqueeze(4); x.squeeze(2); x.flatten(1, 0)",
)
area.refused("x", [real(2, 3, 4).transposed], "x.view(24); x.view(2, -1); x.t()")
area.each(
    "x",
    [real(2, 3)],
    "x.shape; x.size(); x.size(0); x.size(-1); x.dim(); x.ndim; x.numel(); len(x); x.stride(0)",
)
area.each(
    "x",
    [real(2, 3), integers(3), booleans(2)],
    "x.dtype; x.element_size(); x.is_floating_point(); x.device; x.nbytes",
)
area.refused("x", [real()], "len(x); list(x); x.size(1)")
area.each("x", [real(3, 2), integers(3)], "list(x); [row * 2 for row in x]; tuple(x)")
area.each(
    "",
    [],
    "torch.broadcast_shapes((2, 1), (3,)); torch.broadcast_shapes((1,), (), (4, 1)); torch.Size([2, 3])",
)
area.refused("", [], "torch.broadcast_shapes((2, 3), (4,))")


@area.case(real(2, 3), gradient=False)
def views_share_memory_and_copies_do_not(torch, x):
    views = x.view(6), x.T, x[0], x.detach(), x.unsqueeze(0), x[:, 1:], x.reshape(3, 2), x.flatten()
    copies = x.clone(), x.T.reshape(6), x[[0]], x[x > -9], x.to(torch.float64), torch.tensor(x.tolist())
    x.zero_()
    return views, [copy.abs().sum() > 0 for copy in copies]


@area.case(real(2, 3), gradient=False)
def numpy_and_data_share_memory(torch, x):
    array, data, back = x.numpy(), x.data, torch.from_numpy(x.numpy())
    x[0] = 7
    return array, data, back


# Indexing -------------------------------------------------------------------------------------------------
INDEXED = [real(4, 5, 3), integers(4, 5, 3), real(4, 5, 3).transposed, real(4, 5, 3).strided]
area.each(
    "x",
    INDEXED,
    """
    x[0]; x[-1]; x[1:3]; x[::2]; x[:, 1]; x[..., 1]; x[None]; x[:, None, 1:]; x[1, 2, 0]; x[1, ..., 0]
    x[3:1]; x[10:]; x[-3:-1, ::3]; x[...]; x[()]; x[[0, 2, 2]]; x[torch.tensor([3, 0])]
    x[torch.tensor(2)]; x[:, torch.tensor([[0, 4], [1, -1]])]
    x[torch.tensor([0, 1]), torch.tensor([2, 3])]; x[torch.tensor([[0], [1]]), torch.tensor([2, 3])]
    x[torch.tensor([0, 1]), :, torch.tensor([2, 0])]; x[:, torch.tensor([1, 2]), torch.tensor([2, 0])]
    x[1:, torch.tensor([1, 1, 2]), 0]; x[..., torch.tensor([0, 0])]; x[None, torch.tensor([0])]
    x[torch.tensor([], dtype=torch.int64)]; x[[True, False, True, False]]
    x[torch.tensor([True, False, True, False])]; x[:, torch.tensor([True, False, True, False, True])]
    x[x > 0]; x[x > 100]; x[(x > 0)[:, :, 0]]; x[torch.tensor([True, False, True, False]), 1]
    x[torch.arange(4), torch.arange(4)]; x[torch.tensor([1, 2], dtype=torch.int32)]; x[True]
    x[range(2)]
    """,
)
area.refused(
    "x", [real(4, 5)], "x[4]; x[-5]; x[0, 0, 0]; x[0, 7]; x[torch.tensor([0, 4])]; x[[9]]; x[..., 5]"
)
area.refused("x", [real(4, 5)], "x[::-1]; x[1.5]; x[torch.tensor([1.0])]; x[torch.tensor([True, False])]")
area.refused("x", [real()], "x[0]")
area.each("x", [real(), integers()], "x[None]; x[...]; x[()]")


def assignment(index, *values):
    def program(torch, x, value):
        x = x.clone()
        x[eval(index, {"torch": torch, "x": x, "s": slice})] = value
        return x

    rows = [(x, value) for x in (real(4, 5), real(4, 5).transposed) for value in (7, 2.5, *values)]
    rows += [(integers(4, 5, low=-4), value) for value in (7, 2.5)]
    area.add(f"x[{index}] = value", program, rows)


assignment("0", real(5), real(), integers(), real(5, dtype="float64"))
assignment("s(1, 3), s(None, None, 2)", real(3), real(2, 1), real(1, 2, 3))
assignment("..., 1", real(4), real(1))
assignment("...", real(4, 5))
assignment("2, 3", real())
assignment("None, 2", real(5))
assignment("[0, 2]", real(2, 5), real(5))
assignment("torch.tensor([0, 3]), torch.tensor([1, 2])", real(2), real())
assignment("s(None), torch.tensor([4, 0])", real(4, 2), real(2))
assignment("x > 0", real(1), real())
assignment("torch.tensor([True, False, True, False])", real(5), real(2, 5))
assignment("torch.tensor([True, False, True, False]), 1", real(2))
area.refused("x, y", [(integers(4, 5), real(2, 5))], "x.__setitem__([0, 2], y)")
area.refused("x, y", [(real(4, 5), real(4)), (real(4, 5), real(2, 5))], "x.__setitem__(0, y)")
area.refused("x", [real(4, 5)], "x.__setitem__(4, 1); x.__setitem__((0, 5), 1); x.__setitem__(0, 'a')")

# Selecting and joining ------------------------------------------------------------------------------------
WHERE = [
    (booleans(2, 3), real(2, 3), real(2, 3)),
    (booleans(3), real(2, 3), real()),
    (booleans(2, 1), real(3), real(2, 3)),
    (booleans(2, 3), real(2, 3), 0.5),
    (booleans(2, 3), 1, real(3)),
    (booleans(3), integers(3), real(3)),
    (booleans(3), integers(3), 2),
    (booleans(3), 1.0, 0.0),
    (booleans(0, 3), real(0, 3), real(3)),
    (booleans(3, 4).transposed, real(3, 4).strided, real(3, 4).expanded),
    (booleans(3), real(3), real(3, dtype="float64")),
]
area.each("condition, x, y", WHERE, "torch.where(condition, x, y)")
area.each("condition, x, y", WHERE[:3], "x.where(condition, y)")
area.each("x", [ties(3, 4), booleans(5), real(0)], "torch.where(x != 0)", gradient=False)
MASKED = [
    (real(2, 3), booleans(2, 3)),
    (real(2, 3), booleans(3)),
    (real(3, 4).transposed, booleans(3, 1)),
    (integers(3), booleans(3)),
]
area.each(
    "x, mask",
    MASKED,
    "x.masked_fill(mask, 2); torch.masked_fill(x, mask, -1); x.clone().masked_fill_(mask, 0)",
)
area.each("x, mask", MASKED[:3], "x.masked_fill(mask, -torch.inf); x.masked_fill(mask, torch.tensor(4.0))")
area.refused("x, mask", [(real(3), integers(3)), (real(3), booleans(2))], "x.masked_fill(mask, 0.0)")
GATHERED = [
    (real(4, 3), 0, integers(2, 3, high=4)),
    (real(4, 3), 1, integers(4, 5, high=3)),
    (real(4, 3), -1, integers(2, 1, high=3)),
    (real(5), 0, integers(7)),
    (real(4, 3, 5).transposed, 2, integers(4, 3, 2)),
    (integers(4, 3), 1, integers(4, 2, high=3)),
    (real(4, 3), 0, integers(0, 3)),
    (real(2, 6).strided, 1, integers(2, 2, high=6)),
]
area.each("x, dim, index", GATHERED, "torch.gather(x, dim, index); x.gather(dim, index)")
area.refused("x, dim, index", [(real(4, 3), 0, literal([[4, 0, 0]], "int64"))], "x.gather(dim, index)")
area.refused(
    "x, dim, index", [(real(4, 3), 2, integers(1, 1)), (real(4, 3), 0, real(1, 1))], "x.gather(dim, index)"
)
area.refused(
    "x, dim, index",
    [(real(4, 3), 0, integers(2)), (real(4, 3), 0, integers(2, 4, high=3))],
    "x.gather(dim, index)",
)
area.each(
    "x, y",
    [(real(2, 3), real(2, 3)), (real(2, 3).transposed, real(2, 3).strided), (integers(2, 3), real(2, 3))],
    "torch.cat([x, y])",
)
area.each(
    "x, y",
    [(real(2, 3), real(2, 4)), (real(2, 0), real(2, 1)), (real(0), real(2, 4))],
    "torch.cat((x, y), 1); torch.cat([y, x, y], dim=-1)",
)
area.each(
    "x, y",
    [(real(2, 3), real(2, 3)), (integers(3), real(3)), (real(), real())],
    "torch.stack([x, y]); torch.stack((x, y), dim=-1)",
)
area.each("x, y", [(real(2, 3), real(2, 3))], "torch.stack([x, y], 1); torch.cat([x], 0)")
area.refused(
    "x, y",
    [(real(2, 3), real(3, 4)), (real(2, 3), real(3))],
    "torch.cat([x, y]); torch.stack([x, y]); torch.cat([x, y], 2)",
)
area.refused("", [], "torch.cat([]); torch.stack([]); torch.cat([torch.ones(()), torch.ones(())])")
SPLIT = [real(7, 4), integers(7, 4), real(7, 4).transposed]
area.each(
    "x",
    SPLIT,
    "torch.split(x, 3); x.split([1, 2, 4]); x.split(2, dim=1); torch.split(x, [3, 1], 1); x.split(10)",
)
area.each(
    "x", SPLIT, "torch.chunk(x, 3); x.chunk(2, dim=-1); x.chunk(4, 0); x.chunk(20); torch.chunk(x, 3, 1)[1]"
)
area.refused("x", [real(7)], "x.split([3, 3]); x.split(-1); x.chunk(0); x.split(2, dim=1)")
TRIANGLES = [
    real(3, 3),
    real(2, 4),
    real(4, 2),
    real(2, 3, 3),
    real(3, 4).transposed,
    integers(3, 3),
    booleans(3, 3),
    real(0, 3),
]
area.each(
    "x", TRIANGLES, "torch.tril(x); x.triu(); x.tril(1); torch.triu(x, diagonal=-1); x.tril(diagonal=-5)"
)
area.refused("x", [real(3)], "x.tril()")

# Making tensors -------------------------------------------------------------------------------------------
area.each(
    "",
    [],
    """
    torch.tensor(3); torch.tensor(3.5); torch.tensor(True); torch.tensor([1, 2]); torch.tensor([1, 2.5])
    torch.tensor([True, False]); torch.tensor([True, 2]); torch.tensor([[1, 2], [3, 4]])
    torch.tensor([]); torch.tensor([[], []]); torch.tensor(((1, 2), (3, 4)), dtype=torch.float64)
    torch.tensor([1.9, -1.9], dtype=torch.int64); torch.tensor([0, 2], dtype=torch.bool)
    torch.tensor([1.5], requires_grad=True); torch.tensor(np.arange(3)); torch.tensor(np.ones((2, 2)))
    torch.tensor(np.float32(2)); torch.tensor(np.float32([1, 2]), dtype=torch.float16)
    torch.tensor([torch.tensor(1), torch.tensor(2)]); torch.tensor([np.float32(1.5), np.float32(2)])
    torch.tensor(float('inf')); torch.from_numpy(np.arange(6, dtype='int32').reshape(2, 3).T)
    torch.as_tensor([1, 2]); torch.as_tensor(np.float32([1, 2])); torch.zeros(2, 3)
    torch.zeros((2, 3), dtype=torch.int64); torch.zeros([2]); torch.zeros(()); torch.zeros(0, 3)
    torch.zeros(2, requires_grad=True); torch.ones(3); torch.ones(2, 2, dtype=torch.bool)
    torch.ones(torch.Size([2, 1])); torch.full((2, 3), 7); torch.full((2,), 1.5); torch.full((2,), True)
    torch.full((), 2, dtype=torch.float16); torch.full((2, 3), -torch.inf); torch.empty(2, 3).shape
    torch.empty((0, 2), dtype=torch.int32); torch.arange(5); torch.arange(2, 7); torch.arange(1, 10, 3)
    torch.arange(5, 0, -2); torch.arange(2.5); torch.arange(0, 1, 0.1)
    torch.arange(0, 4, dtype=torch.float32); torch.arange(3, 3); torch.arange(start=1, end=4, step=1)
    torch.arange(1.0, 4); torch.linspace(0, 1, 5); torch.linspace(-2, 3, 7)
    torch.linspace(3, -3, steps=4); torch.linspace(0, 1, 1); torch.linspace(0, 1, 0)
    torch.linspace(0, 10, 11, dtype=torch.float64); torch.linspace(0, 10, 5, dtype=torch.int64)
    torch.eye(3); torch.eye(2, 4); torch.eye(3, 2, dtype=torch.int64); torch.eye(0); torch.float32
    torch.float; torch.long; torch.double; torch.half; torch.int; torch.device('cpu')
    torch.get_default_dtype(); [torch.pi, torch.e, torch.inf, torch.nan]
    torch.manual_seed(3).initial_seed()
    """,
)
area.refused(
    "",
    [],
    """
    torch.tensor([[1, 2], [3]]); torch.tensor('a'); torch.tensor(None); torch.zeros(-1)
    torch.zeros(2.5)
    """,
)
area.refused(
    "",
    [],
    """
    torch.arange(0, 5, 0); torch.arange(5, 0); torch.linspace(0, 1, -1); torch.ones('a')
    torch.full(3, 1)
    """,
)
area.refused(
    "",
    [],
    """
    torch.tensor([1], requires_grad=True); torch.tensor([1, 'a']); torch.tensor()
    torch.device('abacus')
    """,
)
LIKE = [real(2, 3), integers(3), real(3, 4).transposed, booleans(2), real(0, 2), real(2, dtype="float64")]
area.each(
    "x",
    LIKE,
    "torch.zeros_like(x); torch.ones_like(x); torch.full_like(x, 1); torch.empty_like(x).shape",
    gradient=False,
)
area.each(
    "x",
    LIKE,
    "torch.zeros_like(x, dtype=torch.float64); torch.ones_like(x, dtype=torch.int32)",
    gradient=False,
)
area.each("x", LIKE[:2], "torch.randint_like(x, 1, 9)", gradient=False)
area.each("x", LIKE, "torch.rand_like(x, dtype=torch.float32)", gradient=False)
area.each(
    "x",
    [real(2, 3), real(3, 4), real(2, dtype="float64")],
    "torch.rand_like(x); torch.randn_like(x)",
    gradient=False,
)

# Conversions ----------------------------------------------------------------------------------------------
CONVERTED = [
    uniform(2, 3, low=-3, high=3),
    integers(2, 3),
    booleans(3),
    real(3, 4).transposed,
    real(),
    real(2, dtype="float64"),
]
area.each(
    "x",
    CONVERTED,
    """
    x.float(); x.double(); x.half(); x.to(torch.float64); x.to(dtype=torch.float16)
    x.type(torch.float32)
    """,
)
area.each("x", CONVERTED, "x.long(); x.int(); x.bool(); x.to(torch.int8); x.to('cpu'); x.clone(); x.detach()")
area.each(
    "x",
    CONVERTED,
    "x.to(torch.zeros(1, dtype=torch.float64)); x.to('cpu', torch.float32); x.contiguous(); x.cpu()",
)
area.each("x", CONVERTED, "x.tolist(); x.numpy(); x.shape", gradient=False)
area.each(
    "x",
    [real(), real(1), real(1, 1), integers(), integers(1), booleans(1)],
    "x.item(); float(x); int(x); bool(x); x.tolist()",
)
area.each("x", [integers(), integers(1)], "list(range(9))[x]; x.item() + 1")
area.refused("x", [real(2), real(0)], "x.item(); float(x); bool(x); int(x)")
area.refused("x", [real(2)], "x.requires_grad_().numpy(); x.to('abacus')")
area.refused("x", [real(1)], "list(range(9))[x]")

# The rest of the family -----------------------------------------------------------------------------------
ANY = [
    ties(3, 4),
    booleans(2, 3),
    integers(4),
    booleans(0),
    real(),
    real(3, 4).transposed,
    integers(3, dtype="uint8"),
]
area.each("x", ANY, "x.any(); torch.all(x); x.all(); torch.any(x)")
area.each("x", ANY[:2], "x.any(1); torch.all(x, dim=0, keepdim=True); x.all(-1); torch.any(x, 0)")
area.each(
    "x", [SPECIAL, real(2, 3), integers(3)], "torch.isnan(x); torch.isinf(x); torch.isfinite(x); x.isnan()"
)
area.each("x", [*ONE, *ONE_INTEGER], "x.prod(); torch.prod(x)")
area.each("x, dim", DIMS + INTEGER_DIMS, "x.prod(dim); torch.prod(x, dim, keepdim=True)")
EXTREMES = [*CUBES, *CUBES_OF_INTEGERS]
area.each("x", EXTREMES, "x.amax(1); torch.amin(x, (0, 2)); torch.amax(x, dim=-1, keepdim=True); x.amin()")
area.refused("x", [real(0)], "x.amax(); x.amin(0)")
area.each("x", SORTED, "torch.argsort(x); x.argsort(descending=True); torch.argsort(x, dim=-1)")
area.each(
    "x", [real(4, 5), integers(4, 5), real(4, 5).transposed], "x.index_select(0, torch.tensor([3, 0, 0]))"
)
area.each(
    "x", [real(4, 5), integers(4, 5), real(4, 5).transposed], "torch.index_select(x, 1, torch.tensor([4, 0]))"
)
area.refused(
    "x", [real(4, 5)], "x.index_select(0, torch.tensor([4])); x.index_select(0, torch.zeros(1, 1).long())"
)
area.each(
    "x", [real(4, 5), integers(4, 5), real(4, 5).transposed], "x.flip(0); torch.flip(x, (0, 1)); x.flip(-1)"
)
area.each(
    "x",
    [real(3, 1), real(), integers(1)],
    "torch.broadcast_to(x, (2, 3, 4)); torch.broadcast_tensors(x, x.new_zeros(5))",
)
area.each("x, y", [(real(2, 3), real(3)), (real(3, 4).transposed, real(4))], "torch.mv(x, y); x.mv(y)")
area.refused(
    "x, y", [(real(2, 3), real(3, 1))], "torch.mv(x, y); torch.dot(x, y); torch.bmm(x, y); torch.outer(x, y)"
)
area.refused("x, y", [(real(2, 2, 3), real(3, 1)), (real(3), real(3, 1))], "torch.mm(x, y)")
area.each(
    "x, y",
    [(ties(9), ties(9)), (integers(3), integers(3)), (real(3), real(4))],
    "torch.equal(x, y); x.equal(x.clone())",
)
area.each(
    "x, y",
    [(real(3), real(3)), (real(3), 1.0)],
    "torch.allclose(x, x + 1e-7); torch.allclose(x, x * 1.1, rtol=0.2)",
)
area.each("", [], "torch.allclose(torch.tensor([torch.nan]), torch.tensor([torch.nan]), equal_nan=True)")
area.each("x", [real(2, 3), integers(3), 3.5, [1.0]], "torch.is_tensor(x)", gradient=False)
DTYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]
PAIRS_OF_DTYPES = [(first, second) for first in DTYPES for second in DTYPES]
area.each("x, y", PAIRS_OF_DTYPES, "torch.promote_types(getattr(torch, x), getattr(torch, y))")
area.each("x, y", PAIRS_OF_DTYPES, "torch.can_cast(getattr(torch, x), getattr(torch, y))")
area.each(
    "x, y",
    PAIRS_OF_DTYPES,
    "torch.result_type(torch.ones(2, dtype=getattr(torch, x)), torch.ones((), dtype=getattr(torch, y)))",
)
area.each(
    "x, y",
    PAIRS_OF_DTYPES,
    "torch.ones(2, dtype=getattr(torch, x)) * torch.ones((), dtype=getattr(torch, y))",
    gradient=False,
)
area.each(
    "x",
    DTYPES,
    """
    torch.result_type(torch.ones(2, dtype=getattr(torch, x)), 2.5)
    torch.zeros(2, dtype=getattr(torch, x)) + 2
    """,
)
area.each(
    "x", DTYPES, "torch.tensor([0, 1, 2]).to(getattr(torch, x)); repr(torch.ones(2, dtype=getattr(torch, x)))"
)
ABSENT = ["bfloat16", "complex64", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"]
area.each(
    "x",
    DTYPES[:3] + ABSENT,
    """
    (info := torch.finfo(getattr(torch, x))) and [info.max, info.min, info.eps, info.tiny, info.smallest_normal, info.bits]
    repr(torch.finfo(getattr(torch, x))); torch.finfo(getattr(torch, x)).resolution; torch.finfo(getattr(torch, x)).dtype
    """,
)
area.each(
    "x",
    DTYPES[3:8],
    "(info := torch.iinfo(getattr(torch, x))) and [info.max, info.min, info.bits, info.dtype, repr(info)]",
)
area.each("", [], "torch.finfo().dtype; torch.finfo(type=torch.float16) == torch.finfo(torch.half)")
area.refused(
    "",
    [],
    "torch.finfo(torch.int32); torch.finfo(torch.bool); torch.finfo('x'); torch.iinfo(torch.bool); torch.iinfo();"
    "torch.iinfo(torch.float32); torch.iinfo(torch.bfloat16); hash(torch.finfo(torch.half))",
)
area.each(
    "x",
    ["short", "int", "long", "half", "float", "double"],
    "getattr(torch, x); getattr(torch.arange(3), x)()",
)

area.each("x", [*ONE, *ONE_INTEGER], "torch.square(x); x.square()")
area.each("x", [*ONE, *ONE_INTEGER[:2]], "torch.expm1(x); torch.erf(x); x.erf()", tolerance=4)
area.each(
    "x",
    [positive(2, 3), positive(), positive(0, 2), positive(3, 4).strided, SPECIAL, *ONE_INTEGER[:2]],
    """
    torch.log1p(x); torch.log2(x); torch.log10(x); torch.rsqrt(x); torch.reciprocal(x); x.rsqrt(); x.log2()
    """,
)
STEPS = [
    uniform(12, low=-3, high=3),
    literal([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]),
    real(),
    real(0, 3),
    real(3, 4).transposed,
    SPECIAL,
]
area.each(
    "x",
    [*STEPS, integers(3, low=-2)],
    "torch.floor(x); torch.ceil(x); torch.round(x); torch.trunc(x); x.floor(); x.ceil()",
)
area.each("x", STEPS[:2], "torch.round(x * 3.777, decimals=2); x.round(decimals=1)", gradient=False)
area.each("x", [*STEPS[:-1], ties(3, 4), integers(3, low=-2), booleans(3)], "torch.sign(x); x.sign()")
area.each("x, y", ROUNDED, "torch.floor_divide(x, y); torch.remainder(x, y); x.remainder(y)", gradient=False)
area.each("x, y", [(real(5), positive(5)), (real(2, 3), real(3))], "torch.remainder(x, y.detach())")
area.each("x", CLAMPED, "torch.clip(x, -1, 1); x.clip(min=0)")
LERPED = [
    (real(2, 3), real(3), 0.3),
    (real(2, 3), real(2, 3), real(3)),
    (real(3, 4).transposed, real(4), real()),
]
area.each("x, y, w", LERPED, "torch.lerp(x, y, w); x.lerp(y, w)", tolerance=4)
THREE = [
    (real(2, 3), real(3), positive(2, 3)),
    (real(2, 3), real(2, 1), positive()),
    (real(3), real(3), positive(3)),
]
area.each(
    "x, y, z",
    THREE,
    """
    torch.addcmul(x, y, z); torch.addcmul(x, y, z, value=0.5); torch.addcdiv(x, y, z)
    x.addcdiv(y, z, value=-2)
    x.clone().addcmul_(y, z, value=0.1) if x.dim() == 2 else x; x.addcmul(y, z)
    """,
)
area.each(
    "x, y, z",
    [
        (real(2, 4), real(2, 3), real(3, 4)),
        (real(4), real(2, 3), real(3, 4)),
        (real(), real(2, 3), real(3, 4).transposed),
    ],
    "torch.addmm(x, y, z); torch.addmm(x, y, z, beta=0.5, alpha=2); x.addmm(y, z)",
    tolerance=4,
)
area.refused(
    "x, y, z", [(real(3), real(2, 3), real(3, 4)), (real(4), real(2, 3), real(2, 4))], "torch.addmm(x, y, z)"
)
LOGICAL = [
    (booleans(6), booleans(6)),
    (integers(2, 3), integers(3)),
    (ties(6), booleans(6)),
    (real(2), integers(2, high=2)),
]
area.each(
    "x, y",
    LOGICAL,
    """
    torch.logical_and(x, y); torch.logical_or(x, y); torch.logical_xor(x, y); torch.logical_not(x)
    x.logical_not()
    """,
)
BITS = [
    (booleans(6), booleans(6)),
    (integers(6), integers(6)),
    (integers(6, dtype="int32"), 3),
    (booleans(3), integers(3)),
]
area.each(
    "x, y",
    BITS,
    "torch.bitwise_and(x, y); torch.bitwise_or(x, y); torch.bitwise_xor(x, y); torch.bitwise_not(x)",
)
area.each(
    "x, y",
    [(real(3), real(3)), (SPECIAL, SPECIAL), (integers(3), integers(3))],
    "torch.isclose(x, y); torch.isclose(x, y, 0.1, 0.5, True)",
)
NORMED = [real(2, 3), real(5), real(), real(3, 4).transposed, ties(3, 4), real(0)]
area.each("x", NORMED, "torch.norm(x); x.norm(); x.norm(1); torch.norm(x, 3); x.norm(p=2)", tolerance=4)
area.each(
    "x",
    NORMED[:4],
    "x.norm(dim=-1); torch.norm(x, 2, -1, True); x.norm(1, dim=0); x.norm(float('inf'), -1)",
    tolerance=4,
)
COUNTED = [ties(3, 4), booleans(2, 3), integers(6), real(0), ties(), ties(3, 4).transposed]
area.each(
    "x",
    COUNTED,
    "torch.count_nonzero(x); torch.nonzero(x); x.nonzero(as_tuple=True); torch.nonzero(x, as_tuple=False)",
    gradient=False,
)
area.each("x", COUNTED[:2], "torch.count_nonzero(x, 1); x.count_nonzero(dim=0)", gradient=False)
area.each(
    "x",
    [integers(20), integers(0), integers(5, dtype="int32")],
    "torch.bincount(x); torch.bincount(x, minlength=9); x.bincount()",
)
area.each(
    "x", [integers(20)], "torch.bincount(x, torch.arange(20.0)); torch.bincount(x, weights=torch.arange(20))"
)
area.refused("x", [literal([-1, 2], "int64"), real(3), integers(2, 2)], "torch.bincount(x)")
REPEATED = [integers(12), ties(3, 4), booleans(5), integers(3, 4).transposed, integers(0)]
area.each(
    "x",
    REPEATED,
    """
    torch.unique(x); torch.unique(x, return_inverse=True, return_counts=True); x.unique(return_counts=True)
    """,
    gradient=False,
)
area.each(
    "x",
    [ties(6, 2, low=0, high=2)],
    "torch.unique(x, dim=0); torch.unique(x, dim=0, return_inverse=True)",
    gradient=False,
)
CUBE = [real(2, 3, 4), integers(2, 3, 4), real(2, 3, 4).transposed]
area.each(
    "x",
    CUBE,
    """
    torch.swapaxes(x, 0, 2); x.swapdims(0, 1); torch.swapdims(x, -1, 0); torch.movedim(x, 0, -1)
    torch.movedim(x, (0, 1), (2, 0))
    x.movedim(2, 0); torch.unflatten(x, 2, (2, 2)); x.unflatten(-1, (-1, 2)); torch.tile(x, (2,))
    x.tile(2, 1, 1, 3); x.tile((1, 2))
    x.repeat(2, 1, 1); x.repeat(1, 2, 1, 2); torch.diagonal(x); x.diagonal(1, 0, 2)
    torch.diagonal(x, offset=-1, dim1=1, dim2=2)
    torch.clone(x); torch.detach(x); torch.unbind(x); x.unbind(1); torch.unbind(x, dim=-1)
    torch.select(x, 1, 2); x.select(-1, 0)
    torch.narrow(x, 1, 1, 2); x.narrow(-1, 0, 3); x.narrow(0, -1, 1); torch.roll(x, 1)
    torch.roll(x, (1, -2), (0, 2)); x.roll(2, 1)
    torch.repeat_interleave(x, 2); x.repeat_interleave(3, dim=1)
    torch.repeat_interleave(x, torch.tensor([1, 0, 2]), dim=1)
    torch.numel(x); torch.is_floating_point(x); x.swapaxes(1, -1)
    """,
)
area.refused(
    "x",
    [real(2, 3)],
    """
    torch.movedim(x, 0, 3); x.unflatten(1, (2, 2)); torch.unbind(x, 2); x.select(0, 5)
    x.narrow(0, 1, 2); torch.roll(x, (1, 1), 0)
    x.repeat(2); torch.repeat_interleave(x, torch.tensor([1, 2, 3]), dim=0); torch.diagonal(x, 0, 0, 0)
    torch.diagonal(x[0])
    """,
)
SELECTED = [
    (real(2, 3), booleans(2, 3)),
    (real(2, 3), booleans(3)),
    (integers(4), booleans(4)),
    (real(3, 4).transposed, booleans(3, 1)),
]
area.each("x, mask", SELECTED, "torch.masked_select(x, mask); x.masked_select(mask)")
SCATTERED = [
    (real(3, 4), 0, literal([[0, 1, 2, 0], [2, 0, 0, 1]], "int64"), real(2, 4)),
    (real(5), -1, literal([4, 0, 2], "int64"), real(3)),
]
SCATTERED += [
    (real(2, 4).transposed, 1, literal([[3, 1], [0, 2]], "int64"), real(2, 2)),
    (integers(5), 0, literal([4, 1], "int64"), integers(2)),
]
area.each(
    "x, dim, index, y",
    SCATTERED,
    """
    torch.scatter(x, dim, index, y); torch.scatter(x, dim, index, 7); x.scatter_add(dim, index, y)
    torch.scatter_add(x, dim, index, y)
    x.clone().scatter_(dim, index, y); x.clone().scatter_add_(dim, index, y)
    x.clone().scatter_(dim, index, 1)
    """,
)
area.each(
    "x, index, y",
    [
        (real(4, 3), literal([0, 3, 0], "int64"), real(3, 3)),
        (integers(4), literal([1, 1], "int64"), integers(2)),
    ],
    "torch.index_add(x, 0, index, y); x.index_add(0, index, y); x.clone().index_add_(0, index, y)",
)
area.refused(
    "x",
    [real(4, 3)],
    """
    x.scatter(0, torch.tensor([[4, 0, 0]]), 1.0); x.scatter(0, torch.tensor([0]), 1.0)
    x.index_add(0, torch.tensor([4]), torch.ones(1, 3))
    x.index_add(0, torch.tensor([0]), torch.ones(2, 3))
    x.scatter_add(0, torch.zeros(1, 3).long(), torch.ones(1, 2))
    """,
)
TAKEN = [
    (real(3, 4), literal([[0], [3], [1]], "int64"), 1),
    (integers(3, 4), literal([[2, 0, 1, 1]], "int64"), 0),
]
area.each(
    "x, index, dim", TAKEN, "torch.take_along_dim(x, index, dim); torch.take_along_dim(x, index, dim=dim)"
)
area.each(
    "x, y",
    [(real(3), real(4)), (integers(2), integers(3))],
    """
    torch.meshgrid(x, y, indexing='ij'); torch.meshgrid(x, y, indexing='xy')
    torch.meshgrid([x, y], indexing='ij')
    """,
)
area.refused(
    "x", [real(2, 2)], "torch.meshgrid(x, x, indexing='ij'); torch.meshgrid(x[0], x[0], indexing='ab')"
)
METHODS = [positive(2, 3), positive(3, 4).transposed, positive()]
area.each(
    "x",
    METHODS,
    """
    x.clone().ceil_(); x.clone().floor_(); x.clone().round_(); x.clone().clip_(0.5, 1); x.clone().cos_()
    x.clone().sin_()
    x.clone().log_(); x.clone().sqrt_(); x.clone().square_(); x.clone().reciprocal_(); x.clone().pow_(3)
    x.clone().addcdiv_(x, x + 1, value=2); x.clone().lerp_(x * 2, 0.3); x.type_as(x.double())
    (x * 2).detach_()
    x.view_as(x.clone()); x.reshape_as(x * 2); x.nelement(); x.itemsize; x.is_cuda
    x.data_ptr() == x.detach().data_ptr()
    x.new_ones(2); x.new_full((2, 1), 7); x.new_empty(0, 2); x.new_tensor([1, 2])
    x.new_zeros(2, dtype=torch.int64)
    """,
)
area.each("x", METHODS[:2], "x.clone().tril_(); x.clone().triu_(1); x[:1].expand_as(x)")
area.each(
    "x",
    [integers(3)],
    "x.new_tensor([1.5]); x.new_full((2,), 1.0); x.new_ones(2, dtype=torch.float32); x.type_as(x.float())",
)


@area.case()
def the_default_dtype_decides_for_floats(torch):
    torch.set_default_dtype(torch.float64)
    try:
        return (
            torch.tensor([1.5]),
            torch.zeros(2),
            torch.tensor([1]) / 2,
            torch.get_default_dtype(),
            torch.rand(2),
        )
    finally:
        torch.set_default_dtype(torch.float32)


@area.case()
def print_options_change_the_text(torch):
    try:
        torch.set_printoptions(precision=2, threshold=5, edgeitems=2)
        return repr(torch.linspace(0, 1, 7)), repr(torch.tensor([3.14159, 2.0]))
    finally:
        torch.set_printoptions(profile="default")


# Random numbers, to the bit for a seed --------------------------------------------------------------------
area.each(
    "seed",
    [0, 1, 42, 2**31],
    """
    torch.rand(3); torch.rand(4, 17)
    torch.rand(5, dtype=torch.float64)
    [torch.rand(1), torch.rand(()), torch.rand(2, 0), torch.rand((3, 2))]
    torch.randn(5); torch.randn(15)
    torch.randn(16); torch.randn(4, 17)
    torch.randn(50, dtype=torch.float64)
    torch.randn(5, dtype=torch.float64)
    [torch.randn(1), torch.randn(()), torch.randn(3), torch.randn(16), torch.randn(2)]
    [torch.randn(3), torch.rand(3), torch.randn(1)]
    torch.randint(10, (5,))
    torch.randint(-3, 4, (2, 6))
    torch.randint(0, 2, (9,), dtype=torch.int32)
    torch.randint(0, 100, (4,), dtype=torch.float32)
    torch.randint(0, 2**40, (4,))
    torch.randperm(10)
    [torch.randperm(1), torch.randperm(0), torch.randperm(100)]
    torch.bernoulli(torch.full((40,), 0.3))
    torch.bernoulli(torch.linspace(0, 1, 20).reshape(4, 5))
    torch.zeros(33).bernoulli_(0.7)
    [torch.zeros(3).bernoulli_(), torch.rand(2)]
    torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 1)
    torch.multinomial(torch.tensor([0.1, 0.2, 0.3, 0.4]), 3)
    torch.multinomial(torch.tensor([1.0, 2.0, 0.0, 5.0]), 20, replacement=True)
    torch.multinomial(torch.arange(1.0, 13).reshape(3, 4), 2)
    torch.multinomial(torch.arange(1.0, 13).reshape(3, 4), 1)
    torch.multinomial(torch.arange(1.0, 13).reshape(3, 4), 6, True)
    torch.multinomial(torch.arange(1.0, 5, dtype=torch.float64), 2)
    torch.zeros(20).exponential_(); torch.zeros(3, 7).exponential_(2.5)
    torch.zeros(5, dtype=torch.int64).random_(10)
    torch.zeros(5).random_(3, 9); torch.zeros(4, dtype=torch.int64).random_()
    torch.zeros(20).uniform_(-2, 3)
    torch.zeros(20).normal_(1, 0.5)
    torch.zeros(5).normal_(std=2)
    torch.normal(0.0, 1.0, (3, 4)); torch.normal(2.0, 3.0, size=(20,)); torch.normal(torch.arange(5.0), 0.1)
    torch.normal(torch.arange(20.0), torch.arange(1.0, 21.0)); torch.normal(0.0, torch.arange(1.0, 4.0))
    torch.initial_seed()
    torch.rand(4, generator=torch.Generator().manual_seed(7))
    torch.randperm(6, generator=torch.Generator().manual_seed(7))
    """,
    form="torch.manual_seed(seed) and {}",
    gradient=False,
)
area.refused(
    "", [], "torch.multinomial(torch.tensor([0.5, 0.5]), 3); torch.multinomial(torch.tensor([-1.0, 2.0]), 1)"
)
area.refused(
    "",
    [],
    """
    torch.randint(3, 3, (2,)); torch.randperm(-1); torch.bernoulli(torch.tensor([1.5]))
    torch.multinomial(torch.zeros(2), 1)
    """,
)


@area.case()
def seed_draws_a_seed_and_gives_it(torch):
    seed = torch.seed()
    drawn = torch.rand(3)
    return (
        isinstance(seed, int),
        torch.initial_seed() == seed,
        torch.equal(torch.manual_seed(seed) and torch.rand(3), drawn),
    )


@area.case()
def the_default_generator_is_a_generator(torch):
    first = torch.default_generator.manual_seed(11) is torch.default_generator, torch.rand(2)
    torch.manual_seed(11)
    return first, torch.rand(2, generator=torch.default_generator), torch.default_generator.initial_seed()


@area.case()
def generators_keep_their_own_state(torch):
    first, second = torch.Generator(), torch.Generator()
    first.manual_seed(1)
    second.manual_seed(1)
    drawn = [torch.rand(2, generator=first), torch.rand(3), torch.rand(2, generator=first)]
    state = second.get_state()
    again = torch.randn(3, generator=second)
    second.set_state(state)
    return [*drawn, again, torch.randn(3, generator=second), second.initial_seed()]


@area.case()
def the_default_generator_is_restored_from_its_state(torch):
    torch.manual_seed(5)
    torch.rand(3)
    state = torch.get_rng_state()
    first = torch.randn(4)
    torch.set_rng_state(state)
    return first, torch.randn(4)


# Printing -------------------------------------------------------------------------------------------------
area.each(
    "",
    [],
    """
    torch.tensor(3); torch.tensor(3.0); torch.tensor(0.1); torch.tensor(True); torch.tensor([1, 20, -3])
    torch.tensor([1.0, 2.0]); torch.tensor([1.5, -20.25, 0.0]); torch.tensor([1e-5, 1.0])
    torch.tensor([1e10, 1.0]); torch.tensor([0.001, 1000.0]); torch.tensor([123456.0, 0.5])
    torch.tensor([1e9]); torch.tensor([1.0, torch.inf, torch.nan]); torch.tensor([1.5, -torch.inf])
    torch.tensor([[1, 2], [3, 4]]); torch.tensor([[1.0, -2.5], [3.25, 4]]); torch.tensor([True, False])
    torch.tensor([]); torch.zeros(0, 3); torch.zeros(2, 0, dtype=torch.int64)
    torch.tensor([], dtype=torch.int64); torch.tensor([1, 2], dtype=torch.int32)
    torch.tensor([1.0, 2.0], dtype=torch.float64); torch.tensor([1.0, 0.25], dtype=torch.float16)
    torch.arange(24).reshape(2, 3, 4); torch.arange(24.0).reshape(2, 3, 4) / 7
    torch.arange(16).reshape(2, 2, 2, 2); torch.arange(2000); torch.arange(40); torch.linspace(0, 1, 30)
    torch.arange(2000.0).reshape(40, 50); torch.zeros(100, 100); torch.tensor([1.0], requires_grad=True)
    torch.tensor(2.0, requires_grad=True); torch.arange(6).reshape(2, 3).T; torch.Size([2, 3])
    torch.float32; torch.device('cpu')
    """,
    form="repr({})",
)
area.each(
    "",
    [],
    """
    str(torch.tensor([1.5, 2])); f'{torch.tensor(2.5):.2f}'; f'{torch.tensor(3)}'
    f'{torch.tensor([1])}'
    """,
)


# Picks are views: what is written to one element arrives, and its gradient with it.
@area.case(real(3), real(2, 3), real(2, 3, dtype="float64"), real(4, 3).transposed)
def a_write_to_a_picked_element_arrives(torch, x):
    y = x * 1
    first = y[0] if x.ndim == 1 else y[1, 0]
    first.mul_(3)
    y[-1].view(-1)[1:2].add_(x.sum())
    return y * y, first, first._base is y


@area.case(real(5), real(3, 2))
def every_pick_is_a_view(torch, x):
    picks = [
        x[1],
        x[-1],
        x.select(0, 2),
        x[torch.tensor(0)],
        x[..., 1],
        x[2, ...],
        next(iter(x)),
        x.unbind(0)[1],
    ]
    picks += [x[1].expand(x[1].shape), x[0].view(x[0].shape), x[None, 0], x[1].reshape(-1)[0], x.T[..., 0]]
    return picks, [pick._base is x for pick in picks], [pick.is_contiguous() for pick in picks]


@area.case(real(5, 2), real(3, 2))
def copies_are_no_views(torch, x):
    picks = [
        x[[1]],
        x[x > 0],
        x[torch.tensor([0, 1])],
        x[True],
        x[torch.tensor(1, dtype=torch.uint8)],
        x[torch.tensor(True)],
    ]
    picks += [x[torch.tensor([1]), 0], x.clone()[0], x[0] * 1]
    return picks, [pick._base is x for pick in picks]


@area.case(real(3), real(2, 3))
def a_number_is_written_to_an_empty_index(torch, x):
    y = x * 1
    y[..., 0][...] = 3
    y[(0,) * x.ndim][()] = x.sum()
    y[(-1,) * x.ndim] = torch.ones(1, 1)
    return y * x


@area.case(integers(4), booleans(4), real(4, dtype="float16"))
def elements_are_written_in_a_loop(torch, x):
    x = x.detach().clone()
    for i, element in enumerate(x):
        if i % 2:
            element.fill_(i)
    x[0].copy_(x[1])
    x.unbind()[2].zero_()
    return x, [element.item() for element in x]


@area.case(real(2, 3), real(1, 3))
def single_elements_of_an_expanded_tensor_are_written_to(torch, x):
    y = (x * 1)[:1].expand(4, 3)
    y[2, 1] = 7
    y[1][0].mul_(2)
    return y * y, y.clone().stride(), torch.empty_like(y).stride()


@area.case(real(), real(3))
def a_zero_dimensional_tensor_is_moved_and_expanded(torch, x):
    y = x.sum() * 2
    y.expand(()).add_(1)
    y.movedim(0, -1).mul_(x.sum())
    return y, y.movedim((), ()), y.permute(()), y.expand(2, 3)


area.each("x", [real(0), real(4), real(5, 3)], "x.chunk(3); x.chunk(1); x.split(2)")
WRITES = [
    "y.split(2)[0].mul_(2)",
    "y.chunk(2)[1].zero_()",
    "y.unbind()[0].add_(1)",
    "next(iter(y)).mul_(2)",
    "y.split(2)[0][0].copy_(x[1])",
    "y.split([1, 3])[1].__setitem__(0, 5)",
    "(y.split(2)[0], y.mul_(2))[0] * 2",
    "(y.detach().split(2)[0], torch.zeros(4))[0].mul_(x[:2])",
    "y.copy_(x[None])",
    "y.copy_(x[:3])",
    "y.expand(2, 4).add_(1)",
    "x[0].add_(1)",
    "x.view(2, 2)[1][1].zero_()",
]
area.refused(
    "x",
    [real(4), positive(4, dtype="float64")],
    "\n".join(f"(lambda y: {text})(x.requires_grad_() * 1)" for text in WRITES),
)


@area.case(real(4), real(4, 2))
def parts_are_written_to_where_nothing_is_recorded(torch, x):
    y, z = x * 1, torch.zeros(4)
    with torch.no_grad():
        y.split(2)[0].mul_(2)
        y.unbind()[3].zero_()
    z.chunk(2)[1].add_(1)
    next(iter(z)).fill_(4)
    return y * y, z, y.requires_grad


@area.case(real(4), real(4, 2), gradient=False)
def a_failed_write_changes_nothing(torch, x):
    y = x.requires_grad_() * 1
    z = (y * y).sum()
    versions, kinds = [y._version], []
    writes = [
        lambda: y.__setitem__(10, 3),
        lambda: y.__setitem__(slice(None), torch.ones(3, 3)),
        lambda: y.add_(torch.ones(5, 1, 1)),
        lambda: y.detach().__setitem__(10, 3),
        lambda: y.detach().copy_(torch.ones(5)),
        lambda: torch.zeros(3).add_(torch.ones(2)),
    ]
    for write in writes:
        try:
            write()
        except (IndexError, RuntimeError) as error:
            kinds.append(type(error).__name__)
        versions.append(y._version)
    z.backward()
    return versions, kinds, x.grad


# A bool by position is `unbiased`.
SPREAD = [
    real(2, 3),
    real(4),
    real(2, 3, 2),
    positive(3, 4, dtype="float64").transposed,
    real(3, 3, dtype="float16"),
]
for spread in ("std", "var"):
    area.each(
        "x",
        SPREAD,
        f"""
        x.{spread}(False); x.{spread}(True); torch.{spread}(x, False); x.{spread}(unbiased=False); x.{spread}(0, False)
        x.{spread}(-1, False, True); x.{spread}(axis=0); x.{spread}(axis=0, keepdims=True); x.{spread}(None, False)
        x.{spread}(0, correction=0, keepdim=True); x.{spread}(0, correction=None); x.{spread}(correction=3)
        """,
        tolerance=10,
    )
    area.refused(
        "x",
        SPREAD[:2],
        f"""
        x.{spread}(False, True); x.{spread}(False, correction=0); x.{spread}(0, False, correction=1)
        x.{spread}(unbiased=False, correction=0)
        """,
    )

area.each(
    "x",
    [real(2, 3), integers(4, 2), booleans(2, 2, 2), real(0, 3), real(2, 4, dtype="float64").transposed],
    """
    x.flip(()); x.flip([]); torch.flip(x, ()); torch.flip(x, dims=(0,)); x.flip(dims=[-1, 0]); x.flip(dims=())
    torch.flip(x, (0, 1)) * x; x.flip((1,)); x.flip(0, -1)
    """,
)
area.each("x", [real(), integers()], "x.flip(()); x.flip(0); x.flip((-1,))")
area.refused(
    "x", [real(2, 3)], "x.flip(); x.flip(0, 0); x.flip(2); torch.flip(x); torch.flip(x, 0); x.flip(dims=0)"
)

# Counting in integers.
COUNTS = [
    (3.1,),
    (0.1, -7.9, -4.0),
    (0, 4, 1.5),
    (-3.7, 3.2),
    (5, 0, -1.9),
    (0.5, 0.9),
    (10, 1, -3),
    (0, 2**62, 2**60),
]
for kind in ("int64", "int32", "int16", "uint8", "float16", "float32", "float64"):
    for numbers in COUNTS if kind == "int64" else COUNTS[:7]:
        area.each("", [], f"torch.arange{numbers}.dtype; torch.arange(*{numbers}, dtype=torch.{kind})")
area.each(
    "",
    [],
    """
    torch.arange(0.9, 5.9, 0.5, dtype=torch.int32); torch.arange(2.7, -3.2, -1.9, dtype=torch.int8)
    torch.arange(300, dtype=torch.uint8); torch.arange(end=4); torch.arange(1, end=3); torch.arange(True)
    torch.arange(2**62, 2**62 + 3); torch.arange(torch.tensor(2), torch.tensor(9.5), 3)
    """,
)
area.refused(
    "",
    [],
    """
    torch.arange(0.9, 5.9, 0.5, dtype=torch.int64); torch.arange(2, dtype=torch.bool); torch.arange(float('inf'))
    torch.arange(float('nan')); torch.arange(0, 1e20); torch.arange(0, float('nan'), 1, dtype=torch.int64)
    torch.arange(0.9, 0.5, dtype=torch.int64); torch.arange(); torch.arange('3')
    """,
)
LINES = [
    (5, -3, 7),
    (0, 3, 1),
    (0, 10, 4),
    (-5.5, 5.9, 4),
    (0, 1, 5),
    (2.7, 9.9, 5),
    (-7, -1, 6),
    (0, 3, 0),
    (-1.5, 1.5, 7),
]
for kind in ("int64", "int32", "int8", "float32", "float64"):
    area.each("", [], "\n".join(f"torch.linspace(*{numbers}, dtype=torch.{kind})" for numbers in LINES))
area.each(
    "",
    [],
    """
    torch.linspace(0, 255, 6, dtype=torch.uint8); torch.linspace(-3, 3, 4, dtype=torch.uint8)
    torch.linspace(0, 2**40, 5, dtype=torch.int64); torch.linspace(torch.tensor(0.0), torch.tensor(3.0), 4)
    torch.linspace(0, 3, torch.tensor(4)); torch.linspace(3, 999, 1, dtype=torch.uint8)
    """,
)
area.refused(
    "",
    [],
    """
    torch.linspace(0, 3, 1.5); torch.linspace(0, 3, -1); torch.linspace(0, 1, 3, dtype=torch.bool); torch.linspace(0, 3)
    torch.linspace(0, 300, 4, dtype=torch.uint8); torch.linspace(-3.5, 3, 4, dtype=torch.uint8)
    torch.linspace(0, 3, True)
    """,
)

# Sums of integers are int64, products of two kinds have the higher one, matrix products want one.
ANY = [
    real(2, 2),
    integers(3, 3, dtype="uint8", high=200),
    integers(2, 2, dtype="int32"),
    integers(3, 3),
    booleans(3, 3),
]
area.each(
    "x",
    [*ANY, real(3, 3, dtype="float16"), real(2, 2, dtype="float64").transposed],
    """
    torch.einsum("ij->", x); torch.einsum("ij->i", x); torch.einsum("ij->j", x); torch.einsum("ii->", x)
    torch.einsum("ii->i", x); torch.einsum("ij->ji", x); torch.einsum("...i->...", x); torch.einsum("...i->", x)
    torch.einsum("i,j", x[0], x[1]); torch.einsum("ij,j->ij", x, x[0]); torch.einsum("ij,k->ij", x, x[0])
    torch.einsum("ij,kl->ik", x, x); torch.einsum("ij,kl->", x, x); torch.einsum("ij,k->ij", x, x[0, :1])
    """,
    tolerance=20,
)
area.each(
    "x",
    ANY[:4],
    """
    torch.einsum("ij,jk->ik", x, x); torch.einsum("ij,ij", x, x); torch.einsum("ij,ij->j", x, x)
    torch.einsum("ij,jk,kl->il", x, x, x); torch.einsum("...i,...i->...", x, x); torch.einsum("ij,jk,k->i", x, x, x[0])
    """,
    tolerance=20,
)
PAIRS = [
    (real(2), integers(2)),
    (integers(2), real(2)),
    (integers(2, dtype="uint8"), integers(2, dtype="int32")),
    (booleans(3), real(3)),
    (real(2), real(2, dtype="float64")),
    (integers(2, dtype="uint8"), real(2, dtype="float16")),
]
area.each(
    "x, y", PAIRS, 'torch.einsum("i,i->i", x, y); torch.einsum("i,j->ij", x, y); torch.einsum("i,j->i", x, y)'
)
area.refused("x, y", PAIRS, 'torch.einsum("i,i->", x, y)')
area.refused("x", [booleans(2, 2)], 'torch.einsum("ij,jk->ik", x, x); torch.einsum("ij,ij->i", x, x)')
area.refused(
    "x",
    [integers(2, 2, dtype="uint8")],
    'torch.einsum("ij,i->", x, x[0]); torch.einsum("ij,k,k->i", x, x[0], x[0])',
)
area.refused("x", [real(2, 2)], 'torch.einsum("ij,jk->ik", x); torch.einsum("ij->ij", x, x)')


@area.case(real(2, 3), integers(2, 2))
def the_transpose_of_einsum_is_written_to(torch, x):
    y = torch.einsum("ij->ji", x * 1)
    y.mul_(2)
    return y + y.sum()
