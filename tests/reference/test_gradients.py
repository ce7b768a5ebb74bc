"""Every differentiable operation against central differences in float64, once and, where it can be, twice."""

import numpy as np
import pytest

import tinytorch as torch
from tinytorch.autograd import gradcheck, gradgradcheck

F = torch.nn.functional


def inputs(*shapes, low=-1.0, high=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return [torch.tensor(rng.uniform(low, high, shape)).requires_grad_() for shape in shapes]


INDEX = torch.tensor([[0, 2, 1], [2, 2, 0]])
MASK = torch.tensor([[True, False, True], [False, False, True]])
SIGNS = torch.tensor([1.0, -1.0], dtype=torch.float64)
TWICE = {
    "add broadcast": (lambda x, y: x + y, (2, 3), (3,)),
    "sub broadcast": (lambda x, y: x - y, (2, 1), (1, 3)),
    "mul broadcast": (lambda x, y: x * y, (2, 3), (2, 1)),
    "mul by itself": (lambda x: x * x * x, (3,)),
    "div": (lambda x, y: x / (y + 2), (2, 3), (3,)),
    "scalar over x": (lambda x: 2 / (x + 3), (4,)),
    "neg": (lambda x: -(x * x), (2,)),
    "pow": (lambda x: (x + 2) ** 3, (2, 3)),
    "pow 2.5": (lambda x: (x + 2) ** 2.5, (2, 3)),
    "pow of tensors": (lambda x, y: (x + 2) ** y, (2, 3), (3,)),
    "number to a tensor": (lambda x: 2.0**x, (3,)),
    "exp": (lambda *xs: torch.exp(*xs), (2, 3)),
    "exp 0-d": (lambda *xs: torch.exp(*xs), ()),
    "expm1": (lambda *xs: torch.expm1(*xs), (3,)),
    "log": (lambda x: (x + 2).log(), (3,)),
    "log1p": (lambda *xs: torch.log1p(*xs), (3,)),
    "log2": (lambda x: (x + 2).log2(), (3,)),
    "sqrt": (lambda x: (x + 2).sqrt(), (3,)),
    "rsqrt": (lambda x: (x + 2).rsqrt(), (3,)),
    "abs": (lambda *xs: torch.abs(*xs), (5,)),
    "sin": (lambda *xs: torch.sin(*xs), (3,)),
    "cos": (lambda *xs: torch.cos(*xs), (3,)),
    "clamp": (lambda x: x.clamp(-0.5, 0.5) * x, (7,)),
    "maximum": (lambda *xs: torch.maximum(*xs), (2, 3), (3,)),
    "minimum": (lambda *xs: torch.minimum(*xs), (2, 3), (2, 1)),
    "remainder": (lambda x, y: (x + 5) % (y + 2.1), (3,), (3,)),
    "lerp": (lambda x, y: x.lerp(y, 0.3), (3,), (3,)),
    "addcdiv": (lambda x, y, z: x.addcdiv(y, z + 2, value=0.5), (3,), (3,), (3,)),
    "sum": (lambda x: x.sum() * x, (2, 3)),
    "sum of dims": (lambda x: x.sum((0, 2)) ** 2, (2, 3, 2)),
    "sum keepdim": (lambda x: x.sum(1, keepdim=True) * x, (2, 3)),
    "mean": (lambda x: x.mean(-1) ** 2, (2, 3)),
    "var": (lambda x: x.var(1), (2, 4)),
    "var by position, biased": (lambda x: x.var(False), (2, 3)),
    "std, biased": (lambda x: x.std(1, False), (2, 3)),
    "var of all, biased": (lambda x: x.var(correction=0), (2, 3)),
    "std": (lambda x: x.std(0), (4, 2)),
    "prod": (lambda x: x.prod(1), (2, 3)),
    "amax": (lambda x: x.amax(1) ** 2, (2, 3)),
    "amin": (lambda x: x.amin() ** 2, (2, 3)),
    "max along": (lambda x: x.max(1).values ** 2, (2, 3)),
    "min along, keepdim": (lambda x: x.min(0, keepdim=True).values ** 2, (2, 3)),
    "cumsum": (lambda x: x.cumsum(1) ** 2, (2, 3)),
    "sort": (lambda x: x.sort(1, descending=True).values ** 2, (2, 4)),
    "topk": (lambda x: x.topk(2, 0).values ** 2, (4, 2)),
    "norm": (lambda x: x.norm(dim=1), (2, 3)),
    "norm of all, p=3": (lambda x: x.norm(3), (2, 3)),
    "norm, p=1.5": (lambda x: x.norm(1.5, dim=0, keepdim=True), (2, 3)),
    "norm, p=0.5": (lambda x: x.norm(0.5, 1), (2, 3)),
    "norm, p=1": (lambda x: x.norm(1) * x, (2, 3)),
    "norm, p=inf": (lambda x: x.norm(float("inf"), (0, 2)) ** 2, (2, 3, 2)),
    "reshape": (lambda x: x.reshape(3, 2) ** 2, (2, 3)),
    "permute": (lambda x: x.permute(2, 0, 1) ** 2, (2, 3, 2)),
    "transpose and view": (lambda x: x.t().contiguous().view(-1) ** 2, (2, 3)),
    "expand": (lambda x: x.expand(4, 2, 3) ** 2, (2, 1)),
    "repeat": (lambda x: x.repeat(2, 3) ** 2, (2, 2)),
    "repeat_interleave": (lambda x: x.repeat_interleave(2, 1) ** 2, (2, 2)),
    "squeeze and unsqueeze": (lambda x: x.unsqueeze(1).squeeze() ** 2, (3,)),
    "diagonal": (lambda x: x.diagonal(1) ** 2, (3, 4)),
    "flip": (lambda x: x.flip(0) * x, (3, 2)),
    "flip of none": (lambda x: x.flip(()) * x, (3, 2)),
    "roll": (lambda x: x.roll(1, 0) * x, (3, 2)),
    "tril": (lambda x: x.tril() * x, (3, 3)),
    "triu": (lambda x: x.triu(1) * x, (3, 3)),
    "one element": (lambda x: x[1, 0] * x[-1], (3, 4)),
    "elements in a loop": (lambda x: sum(row[0] * element for row in x for element in row), (2, 3)),
    "index": (lambda x: x[1:, None, ::2] ** 2, (3, 4)),
    "index with repeats": (lambda x: x[torch.tensor([0, 2, 2, -1])] ** 2, (3, 4)),
    "index of two": (lambda x: x[torch.tensor([0, 1, 1]), torch.tensor([2, 0, 0])] ** 2, (3, 4)),
    "index by a mask": (lambda x: x[MASK] ** 2, (2, 3)),
    "assignment": (lambda x, y: assigned(x, y) ** 2, (3, 2), (2,)),
    "gather": (lambda x: x.gather(1, INDEX) ** 2, (2, 3)),
    "scatter": (lambda x, y: x.scatter(1, torch.tensor([[0, 2], [2, 1]]), y) ** 2, (2, 3), (2, 3)),
    "scatter_add": (lambda x, y: x.scatter_add(1, INDEX, y) ** 2, (2, 3), (2, 3)),
    "index_select": (lambda x: x.index_select(1, torch.tensor([0, 0, 2])) ** 2, (2, 3)),
    "masked_fill": (lambda x: x.masked_fill(MASK, 3.0) ** 2, (2, 3)),
    "where": (lambda x, y: torch.where(MASK, x * x, y * y), (2, 3), (3,)),
    "cat": (lambda x, y: torch.cat([x, y, x], 1) ** 2, (2, 1), (2, 2)),
    "stack": (lambda x, y: torch.stack([x, y], 1) ** 2, (2, 2), (2, 2)),
    "split": (lambda x: x.split(2)[1] * x.chunk(3)[0], (6,)),
    "matmul": (lambda x, y: x @ y, (2, 3), (3, 2)),
    "matmul of vectors": (lambda x, y: x @ y, (3,), (3,)),
    "matmul vector matrix": (lambda x, y: x @ y, (3,), (2, 3, 2)),
    "matmul matrix vector": (lambda x, y: x @ y, (2, 2, 3), (3,)),
    "matmul of a batch and a matrix": (lambda x, y: x @ y, (2, 2, 3), (3, 2)),
    "matmul of batches, broadcast": (lambda x, y: x @ y, (2, 1, 2, 3), (2, 3, 2)),
    "outer": (lambda *xs: torch.outer(*xs), (2,), (3,)),
    "addmm": (lambda x, y, z: x.addmm(y, z, beta=0.5, alpha=2), (2,), (2, 3), (3, 2)),
    "einsum": (lambda x, y: torch.einsum("bij,bjk->bik", x, y), (2, 2, 3), (2, 3, 2)),
    "einsum transposed": (lambda x: torch.einsum("ij->ji", x) ** 2, (3, 2)),
    "einsum of a row alone": (lambda x, y: torch.einsum("ij,k->i", x, y), (2, 3), (2,)),
    "einsum trace": (lambda x: torch.einsum("ii->", x) ** 2, (3, 3)),
    "einsum with a sum and dots": (lambda x, y: torch.einsum("...ij,j->...", x, y), (2, 2, 3), (3,)),
    "cast": (lambda x: x.to(torch.float64).double() ** 2, (3,)),
    "clone": (lambda x: x.clone() ** 2, (3,)),
    "in place": (lambda x, y: (x * 1).mul_(y).add_(x), (3,), (3,)),
    "relu": (lambda x: F.relu(x) ** 2, (7,)),
    "leaky_relu": (lambda x: F.leaky_relu(x, 0.1) ** 2, (7,)),
    "sigmoid": (lambda *xs: torch.sigmoid(*xs), (5,)),
    "tanh": (lambda *xs: torch.tanh(*xs), (5,)),
    "gelu": (lambda *xs: F.gelu(*xs), (5,)),
    "gelu tanh": (lambda x: F.gelu(x, approximate="tanh"), (5,)),
    "silu": (lambda *xs: F.silu(*xs), (5,)),
    "softplus": (lambda x: F.softplus(x, beta=2), (5,)),
    "erf": (lambda *xs: torch.erf(*xs), (5,)),
    "elu": (lambda x: F.elu(x, 0.7) * x, (7,)),
    "selu": (lambda x: F.selu(x) * x, (7,)),
    "celu": (lambda x: F.celu(x, 0.5) * x, (7,)),
    "hardtanh": (lambda x: F.hardtanh(x, -0.4, 0.6) * x, (7,)),
    "relu6": (lambda x: F.relu6(9 * x) * x, (7,)),
    "hardswish": (lambda x: F.hardswish(5 * x) * x, (9,)),
    "hardsigmoid": (lambda x: F.hardsigmoid(5 * x) * x, (9,)),
    "mish": (lambda x: F.mish(4 * x), (5,)),
    "logsigmoid": (lambda x: F.logsigmoid(4 * x), (5,)),
    "softsign": (lambda x: F.softsign(x) * x, (5,)),
    "softshrink": (lambda x: F.softshrink(x, 0.3) * x, (7,)),
    "hardshrink": (lambda x: F.hardshrink(x, 0.3) * x, (7,)),
    "tanhshrink": (lambda x: F.tanhshrink(x), (5,)),
    "threshold": (lambda x: F.threshold(x, 0.2, 3.0) * x, (7,)),
    "prelu": (lambda x, weight: F.prelu(x, weight) * x, (2, 3, 2), (3,)),
    "rrelu": (lambda x: drawn(F.rrelu, x, training=True) * x, (7,)),
    "glu": (lambda x: F.glu(x, 0), (4, 3)),
    "softmin": (lambda x: F.softmin(x, 0), (3, 2)),
    "gumbel_softmax": (lambda x: drawn(F.gumbel_softmax, x, tau=0.7), (2, 3)),
    "normalize": (lambda x: F.normalize(x), (3, 2)),
    "normalize, p=3": (lambda x: F.normalize(x, 3, 0), (3, 2)),
    "elu in place": (lambda x: F.elu_(x * 2) * x, (5,)),
    "mish in place": (lambda x: F.mish(x * 2, inplace=True) * x, (5,)),
    "softmax": (lambda x: F.softmax(x, 0), (3, 2)),
    "log_softmax": (lambda x: F.log_softmax(x, -1), (2, 3)),
    "logsumexp": (lambda x: torch.logsumexp(x, 1), (2, 3)),
    "linear": (lambda *xs: F.linear(*xs), (2, 2, 3), (4, 3), (4,)),
    "linear without bias": (lambda *xs: F.linear(*xs), (3,), (4, 3)),
    "bilinear": (lambda *xs: F.bilinear(*xs), (2, 3), (2, 2), (4, 3, 2), (4,)),
    "bilinear without bias": (lambda *xs: F.bilinear(*xs), (3,), (2,), (1, 3, 2)),
    "channels last": (lambda x: x.to(memory_format=torch.channels_last) ** 2, (1, 2, 2, 3)),
    "mse_loss": (lambda *xs: F.mse_loss(*xs), (2, 3), (2, 3)),
    "l1_loss": (lambda *xs: F.l1_loss(*xs), (2, 3), (2, 3)),
    "huber_loss": (lambda x, y: F.huber_loss(x, y, delta=0.4), (2, 3), (2, 3)),
    "cross_entropy": (lambda x: F.cross_entropy(x, torch.tensor([0, 2])), (2, 3)),
    "cross_entropy of images": (lambda x: F.cross_entropy(x, torch.tensor([[0], [2]]), reduction="none"), (2, 3, 1)),
    "cross_entropy smoothed": (
        lambda x: F.cross_entropy(x, torch.tensor([0, -100]), label_smoothing=0.1, weight=torch.tensor([1.0, 2, 3]).double()),
        (2, 3),
    ),
    "cross_entropy of probabilities": (lambda x, y: F.cross_entropy(x, y.softmax(1)), (2, 3), (2, 3)),
    "nll_loss": (lambda x: F.nll_loss(x * x, torch.tensor([0, 2])), (2, 3)),
    "binary_cross_entropy": (lambda x: F.binary_cross_entropy(torch.sigmoid(x), MASK.double()), (2, 3)),
    "binary_cross_entropy_with_logits": (
        lambda x: F.binary_cross_entropy_with_logits(x, MASK.double(), pos_weight=torch.tensor(2.0).double()),
        (2, 3),
    ),
    "kl_div": (lambda x, y: F.kl_div(x, y.softmax(1), reduction="batchmean"), (2, 3), (2, 3)),
    "smooth_l1_loss": (lambda x, y: F.smooth_l1_loss(x, y, beta=0.4), (2, 3), (2, 3)),
    "cosine_similarity": (lambda x, y: F.cosine_similarity(x, y, dim=0), (3, 2), (3, 1)),
    "pairwise_distance": (lambda x, y: F.pairwise_distance(x, y, 3.0), (2, 3), (3,)),
    "cdist": (lambda x, y: torch.cdist(x, y), (3, 2), (2, 2)),
    "cosine_embedding_loss": (lambda x, y: F.cosine_embedding_loss(x, y, SIGNS, -2.0), (2, 3), (2, 3)),
    "margin_ranking_loss": (lambda x, y: F.margin_ranking_loss(x * x, y, SIGNS, 0.1), (2,), (2,)),
    "hinge_embedding_loss": (lambda x: F.hinge_embedding_loss(x * x, SIGNS, 2.0), (3, 2)),
    "triplet_margin_loss": (lambda x, y, z: F.triplet_margin_loss(x, y, z, 3.0, swap=True), (2, 3), (2, 3), (2, 3)),
    "triplet_margin_with_distance_loss": (
        lambda x, y, z: F.triplet_margin_with_distance_loss(x, y, z, distance_function=squared_distance, margin=9.0),
        (2, 3), (2, 3), (2, 3),
    ),
    "soft_margin_loss": (lambda x: F.soft_margin_loss(3 * x, SIGNS), (3, 2)),
    "multi_margin_loss": (lambda x: F.multi_margin_loss(x, torch.tensor([0, 2]), p=2, margin=1.5), (2, 3)),
    "multi_margin_loss, weighted": (
        lambda x: F.multi_margin_loss(x * x, torch.tensor([0, 2]), weight=torch.tensor([1.0, 2, 3]).double()), (2, 3)
    ),
    "multilabel_margin_loss": (lambda x: F.multilabel_margin_loss(x * x, torch.tensor([[0, 2, -1], [1, -1, 0]])), (2, 3)),
    "multilabel_soft_margin_loss": (
        lambda x, y: F.multilabel_soft_margin_loss(x, MASK.double(), y.exp()), (2, 3), (3,)
    ),
    "poisson_nll_loss": (lambda x, y: F.poisson_nll_loss(x, y + 3, full=True), (2, 3), (2, 3)),
    "poisson_nll_loss of means": (lambda x, y: F.poisson_nll_loss(x + 2, y, log_input=False), (2, 3), (2, 3)),
    "gaussian_nll_loss": (lambda x, y, var: F.gaussian_nll_loss(x, y, var + 2, full=True), (2, 3), (2, 3), (2, 1)),
}  # fmt: skip


def squared_distance(x, y):
    return ((x - y) ** 2).sum(-1)


def drawn(function, x, **options):
    """A function that draws numbers, always the same."""
    torch.manual_seed(0)
    return function(x, **options)


def assigned(x, y):
    z = x * 1
    z[1] = y
    z[:, 0] = x[:, 1] * y[0]
    return z


@pytest.mark.parametrize("name", TWICE)
def test_gradients_are_those_of_differences(name):
    function, *shapes = TWICE[name]
    assert gradcheck(function, inputs(*shapes))


@pytest.mark.parametrize("name", TWICE)
def test_second_derivatives_are_those_of_differences(name):
    function, *shapes = TWICE[name]
    assert gradgradcheck(function, inputs(*shapes))


def test_gradcheck_catches_a_wrong_gradient():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 2 * x**2

    (x,) = inputs((3,))
    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        gradcheck(Cube.apply, x)
    assert not gradcheck(Cube.apply, x, raise_exception=False)
