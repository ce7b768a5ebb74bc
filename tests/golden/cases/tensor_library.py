"""Module 01's wider library: trigonometry, scans, medians, stacking, searching, linear algebra."""

from golden import Area, booleans, integers, literal, positive, real, ties, uniform

area = Area()

ONE = [real(2, 3), real(5), real(), real(0, 3), real(3, 4).transposed, real(2, 3, dtype="float64")]
INTEGER = [integers(2, 3, low=1), integers(4, dtype="int32", low=-3), booleans(2, 3)]
SPECIAL = literal([0.0, -0.0, 1.0, -1.5, float("inf"), -float("inf"), float("nan"), 3.5])
INSIDE = [uniform(2, 3, low=-0.9, high=0.9), uniform(4, low=-0.9, high=0.9, dtype="float64")]
TWO = [
    (real(2, 3), real(2, 3)),
    (real(2, 3), real(3)),
    (real(2, 1, 3), real(4, 1)),
    (real(2, 3), real()),
    (real(2, 3, dtype="float64"), real(3)),
    (real(3, 4).transposed, real(3, 4)),
]
WITH_NUMBER = [(real(2, 3), 2.5), (real(2, 3), -3), (integers(2, 3, low=1), 2), (integers(3, low=1), 1.5)]

# Elementwise ------------------------------------------------------------------------------------------------
area.each(
    "x",
    ONE + INTEGER,
    "torch.tan(x); x.sinh(); torch.cosh(x); x.atan(); x.asinh(); torch.exp2(x)",
    tolerance=10,
)
area.each(
    "x", INSIDE, "torch.asin(x); x.acos(); torch.atanh(x); x.arcsin(); x.arccos(); x.arctanh()", tolerance=10
)
area.each(
    "x",
    [positive(2, 3)],
    "torch.acosh(x + 1); x.arccosh(); x.arctan(); x.arcsinh()",
    tolerance=10,
    gradient=False,
)
area.each(
    "x", [SPECIAL], "x.tan(); x.sinh(); x.atan(); x.asinh(); x.exp2(); x.asin(); x.acosh()", gradient=False
)
area.each("x", ONE, "torch.deg2rad(x); x.rad2deg(); torch.frac(x); torch.positive(x)")
area.each("x", ONE + INTEGER[:2], "torch.sgn(x); torch.signbit(x)", gradient=False)
area.each("x, y", [*TWO[:4], TWO[5]], "torch.atan2(x, y); x.arctan2(y)", tolerance=10)
area.each("x, y", TWO, "torch.hypot(x, y); torch.logaddexp(x, y)", tolerance=10)
area.each("x, y", [(integers(3, low=1), integers(3, low=1))], "torch.atan2(x, y)")
area.each("x, y", TWO, "torch.copysign(x, y); torch.fmax(x, y); torch.fmin(x, y)")
area.each("x, y", WITH_NUMBER[:3], "torch.copysign(x, y)")
area.each(
    "x, y", [(SPECIAL, SPECIAL), (integers(3), integers(3))], "torch.fmax(x, y); x.fmin(y)", gradient=False
)
area.each("x, y", [(positive(2, 3), positive(3)), (positive(4), 2), (positive(3), 0.7)], "torch.fmod(x, y)")
area.each("x, y", [*WITH_NUMBER, (SPECIAL, 2.0)], "torch.fmod(x, y)", gradient=False)
area.each("x, y", TWO[:3] + WITH_NUMBER, "torch.rsub(x, y); torch.rsub(x, y, alpha=2)")
area.each(
    "x, y",
    [(positive(2, 3), real(3)), (positive(4), 2), (integers(3, low=1), 2)],
    "torch.float_power(x, y); x.float_power(y)",
    tolerance=10,
)
area.each(
    "x, y",
    [(real(2, 3), positive(3)), (positive(4), 2.0), (integers(3), positive(3))],
    "torch.xlogy(x, y); x.xlogy(y)",
)
area.each("x", ONE[:3] + INTEGER[:2], "torch.clamp_min(x, 0.5); x.clamp_max(1); torch.clamp_max(x, -0.25)")
area.each(
    "x",
    [SPECIAL, real(2, 3), integers(3)],
    "torch.nan_to_num(x); x.nan_to_num(1.0); torch.nan_to_num(x, nan=2.0, posinf=7.0, neginf=-7.0)",
)
area.each(
    "x",
    [uniform(2, 3, low=0.1, high=0.9), uniform(3, low=0.0, high=1.0)],
    "torch.logit(x); x.logit(0.2); torch.logit(x, eps=1e-6)",
    tolerance=10,
)
area.refused("x, y", [(real(3), 2.0)], "torch.fmax(x, y); torch.fmin(x, y)")
area.refused("x", [integers(3)], "torch.frac(x)")
area.refused("x", [booleans(3)], "torch.positive(x)")
area.refused("x, y", [(integers(3, low=1), 0)], "torch.fmod(x, y)")

# Scans and differences --------------------------------------------------------------------------------------
area.each(
    "x",
    [real(2, 3), real(4), real(3, 4).transposed, real(2, 3, 2, dtype="float64"), ties(3, 4)],
    "torch.cummax(x, 0); x.cummin(-1); torch.cummax(x, dim=-1)",
)
area.each(
    "x", [real(), integers(4), integers(2, 3)], "torch.cummax(x, 0); torch.cummin(x, 0)", gradient=False
)
area.each(
    "x",
    [real(2, 3), real(4), real(2, 3, 2, dtype="float64")],
    "torch.cumprod(x, 0); x.cumprod(-1); torch.logcumsumexp(x, 0); x.logcumsumexp(dim=-1)",
    tolerance=10,
)
area.each(
    "x",
    [integers(4), booleans(3), integers(2, 3, dtype="int32")],
    "torch.cumprod(x, 0); x.cumprod(0, dtype=torch.float64)",
    gradient=False,
)
area.each(
    "x",
    [real(2, 4), real(5), integers(4), real(3, 4).transposed],
    "torch.diff(x); x.diff(2); torch.diff(x, dim=0); torch.diff(x, n=1, prepend=x, append=x[..., :1])",
)
area.each("x", [booleans(4)], "torch.diff(x)")
area.refused("x", [real()], "torch.diff(x)")
area.refused("x", [integers(3)], "torch.logcumsumexp(x, 0)")

# Medians, quantiles, sums without NaN, histograms -----------------------------------------------------------
HOLES = [
    literal([[1.0, float("nan"), 3.0], [4.0, 5.0, float("nan")]]),
    literal([2.0, float("nan"), 1.0, 4.0]),
]
area.each(
    "x",
    [real(2, 3), real(4), real(3, 4).transposed, real(), integers(5)],
    "torch.median(x); x.median(-1); torch.median(x, 0, True); torch.nanmedian(x); torch.nanmedian(x, dim=0)",
)
area.each(
    "x",
    HOLES,
    "torch.median(x); torch.median(x, -1).values; torch.nanmedian(x); torch.nanmedian(x, 0).values; torch.nansum(x); torch.nanmean(x); x.nansum(0); torch.nanmean(x, -1, True); torch.nanquantile(x, 0.3); x.nanquantile(0.5, dim=0)",
    gradient=False,
)
area.each("x", [real(2, 3), integers(4), real(0)], "torch.nansum(x); torch.nansum(x, 0, dtype=torch.float64)")
area.each(
    "x",
    [real(2, 3), real(4), real(2, 3, 2)],
    "torch.nanmean(x); torch.nanmean(x, -1, True); torch.aminmax(x); torch.aminmax(x, dim=0, keepdim=True); torch.std_mean(x); torch.std_mean(x, 0); torch.var_mean(x, dim=-1, keepdim=True, correction=0); torch.var_mean(x, (0,), correction=2)",
)
area.each(
    "x",
    [real(2, 5), real(7), real(3, 4).transposed],
    "torch.quantile(x, 0.3); x.quantile(0.75, dim=0); torch.quantile(x, torch.tensor([0.1, 0.5]), dim=-1, keepdim=True); torch.quantile(x, 0.4, interpolation='lower'); torch.quantile(x, 0.4, interpolation='higher'); torch.quantile(x, 0.4, interpolation='midpoint'); torch.quantile(x, 0.4, interpolation='nearest')",
    tolerance=10,
)
area.each("x", [real(2, 5), real(7), integers(5)], "torch.kthvalue(x, 2); x.kthvalue(1, 0, True)")
area.each("x", [literal([[1.0, 2.0, 2.0], [3.0, 1.0, 3.0]])], "torch.mode(x); x.mode(0, True).values")
area.each(
    "x",
    [real(7), real(2, 5)],
    "torch.histc(x, 4); torch.histc(x, bins=3, min=-1, max=1); torch.histogram(x, 4); torch.histogram(x, bins=3, range=(-1.0, 1.0), density=True); torch.histogram(x, torch.tensor([-2.0, 0.0, 2.0]))",
    gradient=False,
)
area.each("x", [real(3, 5), real(4)], "torch.cov(x); torch.cov(x, correction=0)", tolerance=10)
area.each(
    "x",
    [real(3, 5), real(2, 3, 2)],
    "torch.renorm(x, 2, 0, 1.0); torch.renorm(x, 1, 1, 0.5)",
    tolerance=10,
    gradient=False,
)
area.refused("x", [integers(3)], "torch.nanmean(x); torch.quantile(x, 0.5)")
area.refused("x", [real(3)], "torch.quantile(x, 1.5); torch.kthvalue(x, 4); torch.kthvalue(x, 0)")
area.refused("x", [booleans(3)], "torch.median(x)")

# Stacking, diagonals, turns ---------------------------------------------------------------------------------
area.each(
    "x, y",
    [(real(3), real(3)), (real(2, 3), real(2, 3)), (real(2, 3, 2), real(2, 3, 2)), (real(), real())],
    "torch.hstack((x, y)); torch.vstack((x, y)); torch.dstack((x, y)); torch.column_stack((x, y)); torch.row_stack((x, y))",
)
area.each("x, y", [(integers(2, 3), real(2, 4))], "torch.hstack((x, y)); torch.block_diag(x, y)")
area.each(
    "x",
    [real(), real(3), real(2, 3), real(2, 3, 2)],
    "torch.atleast_1d(x); torch.atleast_2d(x); torch.atleast_3d(x); torch.ravel(x); torch.atleast_2d((x, x))",
)
area.each(
    "x",
    [real(3), integers(4), real(3, 4), real(4, 3), real(0)],
    "torch.diag(x); torch.diag(x, 1); x.diag(-2)",
)
area.each(
    "x",
    [real(3), real(2, 3), real(2, 2, 3)],
    "torch.diag_embed(x); torch.diag_embed(x, 1); x.diag_embed(-2); torch.diag_embed(x, offset=1, dim1=0, dim2=-1)",
)
area.each(
    "x",
    [real(2, 3), real(3, 2, 4)],
    "torch.rot90(x); torch.rot90(x, 2, (0, 1)); torch.rot90(x, 3, [1, 0]); torch.rot90(x, 4); torch.fliplr(x); torch.flipud(x); torch.msort(x)",
)
area.each(
    "x",
    [real(7, 2), real(5)],
    "torch.tensor_split(x, 3); x.tensor_split((1, 4)); torch.tensor_split(x, (0, 2, 9)); torch.hsplit(x, (1,)); torch.vsplit(x.reshape(-1, 1), (2,))",
)
area.each("x", [real(2, 3, 4)], "torch.dsplit(x, 2); x.hsplit(3)")
area.each(
    "x, y",
    [(real(3), real(2)), (integers(2), integers(2))],
    "torch.cartesian_prod(x, y); torch.cartesian_prod(x); torch.block_diag(x, y)",
)
area.each(
    "x",
    [real(4), integers(3)],
    "torch.combinations(x); torch.combinations(x, 3); torch.combinations(x, r=2, with_replacement=True)",
)
area.each(
    "",
    [],
    "torch.tril_indices(3, 4); torch.triu_indices(3, 4, 1); torch.tril_indices(4, 3, offset=-1); torch.triu_indices(2, 2)",
)
area.refused("x", [real(2, 2, 2)], "torch.diag(x)")

# Searching and putting --------------------------------------------------------------------------------------
PLACES = literal([[0, 2], [-1, 0]], "int64")
area.each(
    "x, i",
    [(real(2, 3), PLACES), (real(5), PLACES), (real(3, 4).transposed, PLACES), (integers(4), PLACES)],
    "torch.take(x, i); x.take(i[0])",
)
area.each("x", [literal([[1, 0], [0, 2]]), real(3)], "torch.argwhere(x > 0)", gradient=False)
area.each(
    "x, y",
    [(real(2, 3), real(2)), (real(4, 3), real())],
    "torch.index_put(x, (torch.tensor([0, 1]), torch.tensor([2, 0])), y); x.index_put((torch.tensor([1, 1]), torch.tensor([0, 0])), y, accumulate=True)",
)
area.each(
    "x",
    [real(2, 3), integers(2, 3)],
    "torch.index_fill(x, 1, torch.tensor([0, 2]), 9); x.index_fill(0, torch.tensor([-1]), 2.7)",
)
area.each(
    "x, s",
    [(real(3, 2), real(3, 2)), (real(3, 2, dtype="float64"), real(3, 2, dtype="float64"))],
    "; ".join(
        f"torch.scatter_reduce(x, 0, torch.tensor([[0, 2], [0, 0], [2, 2]]), s, '{how}', include_self={own})"
        for how in ("sum", "mean", "amax", "amin", "prod")
        for own in (True, False)
    ),
    tolerance=10,
)
area.each(
    "x, s",
    [(integers(4, low=1), integers(5, low=1))],
    "; ".join(
        f"x.scatter_reduce(0, torch.tensor([0, 3, 3, 0, 1]), s, '{how}')"
        for how in ("sum", "mean", "amax", "amin", "prod")
    ),
)
area.each(
    "x",
    [real(3, 4), real(6)],
    "torch.as_strided(x, (2, 2), (1, 2)); x.as_strided((3,), (1,), 2); torch.as_strided(x, (2, 3), (0, 1), storage_offset=1)",
)
SORTED = literal([1.0, 2.0, 2.0, 5.0])
area.each(
    "s, x",
    [(SORTED, real(2, 3)), (SORTED, literal([2.0, 5.0, 9.0])), (SORTED, 2.0)],
    "torch.searchsorted(s, x); torch.searchsorted(s, x, right=True, out_int32=True); torch.searchsorted(s, x, side='right'); torch.bucketize(x, s); torch.bucketize(x, s, right=True)",
    gradient=False,
)
area.each(
    "x",
    [literal([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]])],
    "torch.searchsorted(x, torch.tensor([[3.0], [3.0]]))",
    gradient=False,
)
area.each(
    "x",
    [integers(2, 3), literal([1.0, 2.0])],
    "torch.isin(x, torch.tensor([1, 2])); torch.isin(x, torch.tensor([1]), invert=True); torch.isin(x, 1)",
    gradient=False,
)
area.refused(
    "x",
    [real(3)],
    "torch.take(x, torch.tensor([3])); torch.as_strided(x, (4,), (1,)); torch.scatter_reduce(x, 0, torch.tensor([0]), x, 'median')",
)

# Products and linear algebra --------------------------------------------------------------------------------
area.each(
    "x, y",
    [
        (real(3), real(3)),
        (real(2, 3), real(4, 3)),
        (real(2, 3), real(3)),
        (real(2, 3), real()),
        (integers(3), integers(3)),
    ],
    "torch.inner(x, y)",
)
area.each(
    "x, m, v",
    [(real(2), real(2, 3), real(3)), (real(), real(2, 3), real(3))],
    "torch.addmv(x, m, v); torch.addmv(x, m, v, beta=2, alpha=0.5); x.addmv(m, v, beta=0)",
)
area.each(
    "x, a, b",
    [(real(2, 4), real(3, 2, 5), real(3, 5, 4))],
    "torch.baddbmm(x, a, b); torch.baddbmm(x, a, b, beta=0.5, alpha=2); torch.addbmm(x, a, b); torch.addbmm(x, a, b, beta=2, alpha=3)",
)
area.each(
    "x, a, b",
    [(real(2, 4), real(2), real(4))],
    "torch.addr(x, a, b); x.addr(a, b, beta=2, alpha=3); torch.ger(a, b); torch.vdot(a, a)",
)
area.each(
    "x, y",
    [(real(2, 3), real(3, 2)), (real(4, 2, 3), real(3, 2, 5))],
    "torch.tensordot(x, y, dims=([-1, -2], [0, 1])); torch.tensordot(x, y, dims=0); torch.tensordot(x, y, 1) if x.ndim == 2 else torch.tensordot(x, y, ([2], [0]))",
    tolerance=10,
)
area.each("x", [real(3, 3), real(2, 4), integers(3, 3)], "torch.trace(x)")
area.each(
    "x, y",
    [(real(2, 3), real(2, 2)), (real(3), real(2, 2)), (integers(2, 2), integers(3))],
    "torch.kron(x, y)",
)
area.each(
    "x, y, z",
    [(real(2, 5), real(5, 3), real(3, 4)), (real(2, 1), real(1, 6), real(6, 2))],
    "torch.chain_matmul(x, y, z); torch.linalg.multi_dot((x, y, z)); torch.linalg.multi_dot([x[0], y, z[:, 0]])",
    tolerance=10,
)
SQUARE = [real(3, 3), real(2, 3, 3), real(4, 4, dtype="float64")]
area.each(
    "x",
    SQUARE,
    "torch.linalg.inv(x + 3 * torch.eye(x.shape[-1])); torch.linalg.det(x); torch.det(x); torch.inverse(x + 3 * torch.eye(x.shape[-1])); torch.linalg.slogdet(x); torch.slogdet(x); torch.linalg.matrix_power(x, 3); torch.matrix_power(x, 0); torch.matrix_power(x, 1)",
    tolerance=100,
)
area.each(
    "x",
    SQUARE,
    "torch.linalg.matrix_power(x + 3 * torch.eye(x.shape[-1]), -2); torch.linalg.cholesky(x @ x.mT + torch.eye(x.shape[-1])); torch.linalg.cholesky(x @ x.mT + torch.eye(x.shape[-1]), upper=True); torch.logdet(x @ x.mT + torch.eye(x.shape[-1]))",
    tolerance=100,
)
area.each(
    "x, y",
    [
        (real(3, 3), real(3, 2)),
        (real(3, 3), real(3)),
        (real(2, 3, 3), real(2, 3, 4)),
        (real(2, 3, 3), real(3, 4)),
    ],
    "torch.linalg.solve(x + 3 * torch.eye(3), y); torch.linalg.lstsq(x.detach(), y.detach()).solution if y.ndim == x.ndim else x",
    tolerance=100,
)
area.each(
    "x, y",
    [(real(3, 3), real(2, 3))],
    "torch.linalg.solve(x + 3 * torch.eye(3), y, left=False)",
    tolerance=100,
)
area.each(
    "x",
    [real(4, 3), real(2, 3, 3)],
    "torch.linalg.svdvals(x); torch.linalg.matrix_norm(x); torch.linalg.matrix_norm(x, 'nuc'); torch.linalg.matrix_norm(x, 2); torch.linalg.matrix_norm(x, 1, keepdim=True); torch.linalg.matrix_norm(x, float('inf')); torch.linalg.norm(x); torch.linalg.vector_norm(x, 3); torch.linalg.vector_norm(x, 2, dim=0, keepdim=True); torch.linalg.norm(x, dim=1); torch.linalg.norm(x, 2, dim=(0, 1)); torch.linalg.vector_norm(x, float('inf')); torch.linalg.vector_norm(x, 0)",
    tolerance=100,
)
area.each(
    "x",
    [real(4, 3), real(3, 3)],
    "torch.linalg.norm(x, 'fro'); torch.linalg.norm(x, 1); torch.linalg.svd(x, full_matrices=False).S; torch.linalg.qr(x).R.abs(); torch.linalg.eigvalsh(x.T @ x); torch.linalg.eigh(x.T @ x).eigenvalues; torch.linalg.pinv(x); torch.linalg.matrix_rank(x)",
    tolerance=100,
    gradient=False,
)
area.each(
    "x, y",
    [(real(3), real(3)), (real(2, 3), real(2, 3))],
    "torch.linalg.cross(x, y); torch.cross(x, y, dim=-1); torch.linalg.vecdot(x, y); torch.linalg.matmul(x, y.mT) if x.ndim > 1 else x",
)
area.each("x", [real(3, 4), real(2, 3, 3)], "torch.linalg.diagonal(x); torch.linalg.diagonal(x, offset=1)")
area.refused(
    "x",
    [real(2, 3)],
    "torch.linalg.inv(x); torch.linalg.det(x); torch.linalg.cholesky(x); torch.linalg.matrix_power(x, 2)",
)
area.refused(
    "x",
    [literal([[1.0, 2.0], [2.0, 4.0]])],
    "torch.linalg.inv(x); torch.linalg.solve(x, x); torch.linalg.cholesky(-x)",
)
area.refused(
    "x",
    [real(3)],
    "torch.trace(x); torch.linalg.inv(x); torch.linalg.multi_dot((x,)); torch.inner(x, x[:2]); torch.tensordot(x, x[:2], 1)",
)

# What NumPy calls otherwise, what broadcasts, and what is refused -----------------------------------------------
area.each(
    "x",
    [real(2, 3), real(4)],
    "torch.std(x, axis=0); torch.var(x, axis=-1, keepdims=True); torch.amax(x, axis=0); torch.max(x, axis=0); x.min(axis=-1);"
    "torch.argmax(x, axis=0); torch.prod(x, axis=0); torch.cumsum(x, axis=0); torch.median(x, axis=0); torch.sort(x, axis=0);"
    "torch.topk(x, 1, axis=0); torch.norm(x, dim=0, keepdim=True); torch.sum(x, axis=0, keepdims=True); x.max(other=x * 2)",
)
area.each("x", [booleans(2, 3)], "torch.all(x, axis=0); torch.any(x, axis=1, keepdims=True)")
area.each(
    "x",
    [real(2, 3)],
    "torch.std(x, False); torch.var(x, True); torch.take_along_dim(x, torch.tensor([[0]]), 1);"
    "torch.take_along_dim(x, torch.tensor([[-1], [0]]), dim=1); torch.take_along_dim(x, torch.tensor([4, 0]));"
    "torch.masked_select(x, torch.tensor([True, False, True])); torch.masked_select(x[0], x.detach() > 0);"
    "torch.gather(x, 0, torch.tensor([[0, 1, 1]], dtype=torch.int32)); torch.index_select(x.sum(), 0, torch.tensor([0]))",
)
area.each(
    "x, s",
    [(real(4), real(3)), (real(4, dtype="float64"), real(3, dtype="float64"))],
    "torch.scatter(x, 0, torch.tensor([0, 3, 1]), value=3); torch.scatter(x, 0, torch.tensor([0, 3, 1]), 2.5)",
)
area.each(
    "x",
    [integers(4), real(4)],
    "torch.scatter(x, 0, torch.tensor([0, 3, 3]), x[:3], reduce='add'); x.scatter(0, torch.tensor([1, 1]), 3, reduce='multiply')",
    gradient=False,
)
area.each(
    "x",
    [literal([[-2, 2], [0, -1]], "int64")],
    "3 ** x; torch.pow(2, x); torch.tensor([1, -1]) ** x; torch.masked_fill(x, x > 0, 2.7); torch.masked_fill(x > 0, x > 1, 0)",
)
area.refused(
    "x",
    [real(3)],
    "torch.scatter(x, 0, torch.tensor([0]), torch.tensor([1])); torch.scatter_add(x, 0, torch.tensor([0]), torch.tensor([1]));"
    "torch.isclose(x, x, rtol=-0.4); torch.maximum(x, 2); torch.minimum(2, x); torch.logical_and(x, 1); x.logical_xor(1);"
    "torch.eq(2, x); torch.lt(3, x); torch.isclose(x, 2); torch.tensor([2]) ** -1; torch.take_along_dim(x, torch.tensor([[0]]), 0)",
)
area.each(
    "x",
    [real(2, 3), real(1, 4), real(3, 1, dtype="float64")],
    "torch.cat((x, x), axis=1); torch.stack((x, x), axis=-1); torch.squeeze(x, axis=0); torch.norm(x, 'nuc'); x.norm('nuc', keepdim=True);"
    "x.to(torch.float64, True, True); torch.roll(x, (1, 2), (0, 1)); torch.roll(x, 1, ()); x.narrow(0, torch.tensor(0), 1);"
    "torch.repeat_interleave(x, 2, output_size=2 * x.numel()); torch.swapaxes(x, axis0=0, axis1=1); x.numpy(force=True).sum()",
)
area.each(
    "seed",
    [0, 7],
    "torch.manual_seed(seed) and torch.randint(5, size=(3,)); torch.manual_seed(seed) and torch.randint(high=5, size=(2, 3));"
    "torch.manual_seed(seed) and torch.bernoulli(torch.zeros(4), 0.5); torch.manual_seed(seed) and torch.normal(1.0, size=(3,), std=2.0, dtype=torch.float64);"
    "torch.rand_like(torch.zeros(3), generator=torch.Generator().manual_seed(seed)); torch.randint_like(torch.zeros(3), high=9, low=2, generator=torch.Generator().manual_seed(seed));"
    "torch.zeros(5).random_(to=4, generator=torch.Generator().manual_seed(seed)); torch.repeat_interleave(torch.tensor([1, 0, 2]))",
    gradient=False,
)
area.refused(
    "x",
    [real(2, 3)],
    "torch.roll(x, (1, 2)); torch.movedim(x, (0, 0), (0, 1)); torch.movedim(x, (0, 1), (1, 1)); x.narrow(0, torch.tensor(True), 1);"
    "torch.repeat_interleave(x, 2, dim=0, output_size=3); x.new_tensor([1], torch.float64)",
)

area.each(
    "x",
    [real(), integers()],
    "x.index_add(0, torch.tensor([0]), x); torch.index_select(x, 0, torch.tensor(0)); x.T",
)


@area.case(literal([[1.0, 2.0], [2.0, 4.0]]))
def a_singular_matrix_is_an_error_of_its_own(torch, x):
    try:
        torch.linalg.inv(x)
    except torch.linalg.LinAlgError as error:
        return isinstance(error, RuntimeError)
