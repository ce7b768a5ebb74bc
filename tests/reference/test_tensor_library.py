"""The wider tensor library against central differences in float64, once and twice."""

import numpy as np
import pytest

import tinytorch as torch
from tinytorch.autograd import gradcheck, gradgradcheck

PLACES = torch.tensor([[0, 2], [0, 0], [2, 2]])
EYE = torch.eye(3, dtype=torch.float64)
TWICE = {
    "tan": (lambda x: x.tan(), (3,)),
    "sinh": (lambda x: x.sinh(), (3,)),
    "cosh": (lambda x: x.cosh(), (3,)),
    "asin": (lambda x: (x / 2).asin(), (3,)),
    "acos": (lambda x: (x / 2).acos(), (3,)),
    "atan": (lambda x: x.atan(), (3,)),
    "asinh": (lambda x: x.asinh(), (3,)),
    "acosh": (lambda x: (x + 3).acosh(), (3,)),
    "atanh": (lambda x: (x / 2).atanh(), (3,)),
    "exp2": (lambda x: x.exp2(), (3,)),
    "atan2": (lambda x, y: torch.atan2(x + 2, y), (2, 3), (3,)),
    "hypot": (lambda x, y: torch.hypot(x + 2, y), (2, 1), (1, 3)),
    "logaddexp": (lambda x, y: torch.logaddexp(x, y), (2, 3), (3,)),
    "copysign": (lambda x, y: torch.copysign(x, y) ** 2, (4,), (4,)),
    "fmod": (lambda x, y: torch.fmod(x + 5, y + 2.1) ** 2, (3,), (3,)),
    "xlogy": (lambda x, y: torch.xlogy(x, y + 2), (3,), (3,)),
    "fmax": (lambda x, y: torch.fmax(x, y) ** 2, (4,), (4,)),
    "frac": (lambda x: x.frac() ** 2, (4,)),
    "logit": (lambda x: (x / 4 + 0.5).logit(), (4,)),
    "nan_to_num": (lambda x: x.nan_to_num() ** 2, (4,)),
    "rsub": (lambda x, y: torch.rsub(x, y, alpha=3) ** 2, (4,), (4,)),
    "cumprod": (lambda x: x.cumprod(1), (2, 4)),
    "cumprod of the first dimension": (lambda x: x.cumprod(0), (3, 2)),
    "logcumsumexp": (lambda x: x.logcumsumexp(0), (4, 2)),
    "cummax": (lambda x: x.cummax(1).values ** 2, (2, 4)),
    "diff": (lambda x: x.diff(2, dim=0) ** 2, (4, 2)),
    "median": (lambda x: x.median(1).values ** 2, (2, 5)),
    "quantile": (lambda x: x.quantile(0.3, dim=1) ** 2, (2, 5)),
    "kthvalue": (lambda x: x.kthvalue(2).values ** 2, (2, 5)),
    "nanmean": (lambda x: x.nanmean(1) ** 2, (2, 5)),
    "cov": (lambda x: x.cov(), (2, 4)),
    "diag": (lambda x: x.diag(1) ** 2, (3,)),
    "diag_embed": (lambda x: x.diag_embed(-1, 0, 2) ** 2, (2, 3)),
    "rot90": (lambda x: x.rot90(3) ** 2, (2, 3)),
    "block_diag": (lambda x, y: torch.block_diag(x, y) ** 2, (2, 3), (1, 2)),
    "take": (lambda x: x.take(PLACES) ** 2, (2, 3)),
    "index_put": (lambda x, y: x.index_put((PLACES[0],), y) ** 2, (3, 2), (2, 2)),
    "index_put with a sum": (lambda x, y: x.index_put((PLACES[1],), y, accumulate=True) ** 2, (3, 2), (2,)),
    "as_strided": (lambda x: torch.as_strided(x, (3, 2), (1, 1), 1) ** 2, (2, 3)),
    "inner": (lambda x, y: torch.inner(x, y), (2, 3), (4, 3)),
    "tensordot": (lambda x, y: torch.tensordot(x, y, ([0], [1])), (3, 2), (2, 3)),
    "kron": (lambda x, y: torch.kron(x, y), (2, 1), (3,)),
    "baddbmm": (lambda x, y, z: torch.baddbmm(x, y, z, beta=2, alpha=3), (2,), (2, 2, 3), (2, 3, 2)),
    "multi_dot": (lambda *xs: torch.linalg.multi_dot(xs), (2,), (2, 3), (3, 2)),
    "inv": (lambda x: torch.linalg.inv(x + 3 * EYE), (2, 3, 3)),
    "det": (lambda x: torch.linalg.det(x + 2 * EYE), (3, 3)),
    "slogdet": (lambda x: torch.linalg.slogdet(x + 2 * EYE).logabsdet, (3, 3)),
    "solve": (lambda x, y: torch.linalg.solve(x + 3 * EYE, y), (3, 3), (3, 2)),
    "solve from the right": (lambda x, y: torch.linalg.solve(x + 3 * EYE, y, left=False), (3, 3), (2, 3)),
    "cholesky": (lambda x: torch.linalg.cholesky(x @ x.mT + EYE), (3, 3)),
    "matrix_power": (lambda x: torch.linalg.matrix_power(x, 3), (3, 3)),
    "matrix_norm": (lambda x: torch.linalg.matrix_norm(x, 1) ** 2, (3, 3)),
    "cross": (lambda x, y: torch.linalg.cross(x, y), (2, 3), (2, 3)),
}
ONCE = {
    "svdvals": (lambda x: torch.linalg.svdvals(x), (3, 2)),
    **{
        f"scatter_reduce by {how}, {'with' if own else 'without'} itself": (
            lambda x, y, how=how, own=own: x.scatter_reduce(0, PLACES, y, how, include_self=own),
            (3, 2),
            (3, 2),
        )
        for how in ("sum", "mean", "prod", "amax", "amin")
        for own in (True, False)
    },
}


def inputs(*shapes):
    rng = np.random.default_rng(0)
    return [torch.tensor(rng.uniform(-1, 1, shape)).requires_grad_() for shape in shapes]


@pytest.mark.parametrize("name", TWICE | ONCE)
def test_gradients_are_those_of_differences(name):
    function, *shapes = (TWICE | ONCE)[name]
    assert gradcheck(function, inputs(*shapes))


@pytest.mark.parametrize("name", TWICE)
def test_second_derivatives_are_those_of_differences(name):
    function, *shapes = TWICE[name]
    assert gradgradcheck(function, inputs(*shapes))


@pytest.mark.parametrize("name", ONCE)
def test_a_second_derivative_that_is_not_here_is_refused(name):
    function, *shapes = ONCE[name]
    xs = inputs(*shapes)
    (grad, *_) = torch.autograd.grad(function(*xs).sum(), xs, create_graph=True)
    with pytest.raises(RuntimeError):
        grad.sum().backward()
