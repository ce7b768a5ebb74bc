"""Factors of matrices and what is solved with them, and further names that PyTorch's examples call."""

from golden import Area, integers, literal, positive, real

area = Area()

# Factors --------------------------------------------------------------------------------------------------
SQUARE = [real(3, 3), real(2, 3, 3), real(4, 4, dtype="float64")]
area.each(
    "x",
    SQUARE,
    """
    torch.linalg.inv_ex(x); torch.linalg.cholesky_ex(x @ x.mT + torch.eye(x.shape[-1]));
    torch.linalg.cholesky_ex(x @ x.mT + torch.eye(x.shape[-1]), upper=True, check_errors=True);
    torch.cholesky(x @ x.mT + torch.eye(x.shape[-1])); x.mT.matmul(x).add(torch.eye(x.shape[-1])).cholesky(True)
    """,
    tolerance=100,
)
area.each(
    "x",
    [x.constant for x in [*SQUARE, real(3, 4), real(2, 4, 3)]],
    """
    torch.linalg.lu_factor(x); torch.linalg.lu_factor_ex(x); torch.linalg.lu(x); torch.lu(x); torch.lu(x, get_infos=True);
    x.lu(); torch.lu_unpack(*torch.linalg.lu_factor(x)); torch.lu_unpack(*x.lu(), unpack_data=False);
    torch.lu_unpack(*x.lu(), unpack_pivots=False); torch.svd(x).S; x.svd(compute_uv=False); torch.qr(x).R.abs();
    x.qr(some=False).Q.abs(); [part.shape for part in x.svd(some=False)]; [part.shape for part in torch.svd(x)];
    (lambda u, s, v: u @ s.diag_embed() @ v.mT)(*torch.svd(x))
    """,
    tolerance=100,
)
area.each(
    "x",
    [x.constant for x in SQUARE],
    "torch.linalg.ldl_factor(x + x.mT); torch.linalg.ldl_factor_ex(x + x.mT, hermitian=True)",
    tolerance=100,
)
SOLVED = [(real(3, 3).constant, real(3, 2)), (real(2, 3, 3).constant, real(2, 3, 4))]
area.each(
    "x, y",
    [*SOLVED, (real(3, 3).constant, real(2, 3, 3))],
    """
    torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y); torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y, adjoint=True);
    torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y.mT, left=False);
    torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y.mT, left=False, adjoint=True);
    torch.lu_solve(y, *torch.linalg.lu_factor(x)); y.lu_solve(*x.lu())
    """,
    tolerance=100,
)
area.each(
    "x, y",
    [(real(3, 3), real(3, 2)), (real(2, 3, 3), real(2, 3, 4)), (real(2, 3, 3), real(3, 1))],
    """
    torch.linalg.solve_triangular(x, y, upper=True); torch.linalg.solve_triangular(x, y, upper=False, unitriangular=True);
    torch.linalg.solve_triangular(x, y.mT, upper=False, left=False);
    torch.linalg.solve_triangular(x, y.mT, upper=True, left=False, unitriangular=True);
    torch.triangular_solve(y, x); y.triangular_solve(x, upper=False); torch.triangular_solve(y, x, transpose=True);
    torch.triangular_solve(y, x, True, True, True).solution
    """,
    tolerance=100,
)
area.each(
    "x, y",
    [(x, y.constant) for x, y in SOLVED],
    "torch.linalg.ldl_solve(*torch.linalg.ldl_factor(x + x.mT), y)",
    tolerance=100,
)
area.each(
    "x",
    [
        literal([[4.0, 2.0], [2.0, 1.0]]).constant,
        literal([[[0.0, 0.0], [0.0, 0.0]], [[2.0, 0.0], [0.0, 1.0]]]).constant,
    ],
    """
    torch.linalg.inv_ex(x).info; torch.linalg.cholesky_ex(x - 1).info; torch.linalg.lu_factor_ex(x); torch.lu(x);
    torch.linalg.ldl_factor_ex(x).info; torch.linalg.lu(x); torch.linalg.solve_triangular(x - x, x + 1, upper=True)
    """,
)
area.refused(
    "x",
    [literal([[4.0, 2.0], [2.0, 1.0]]), literal([[[0.0, 0.0], [0.0, 0.0]], [[2.0, 0.0], [0.0, 1.0]]])],
    """
    torch.linalg.inv_ex(x, check_errors=True); torch.linalg.cholesky_ex(x - 4, check_errors=True);
    torch.linalg.lu_factor_ex(x, check_errors=True); torch.linalg.lu_factor(x);
    torch.linalg.lu(x, pivot=False); torch.linalg.lu_factor(x, pivot=False);
    """,
)
area.refused(
    "x",
    [real(2, 3)],
    """
    torch.linalg.inv_ex(x); torch.linalg.cholesky_ex(x); torch.linalg.ldl_factor(x); torch.linalg.tensorinv(x);
    torch.linalg.tensorinv(x, ind=0); torch.linalg.tensorsolve(x, x[:, 0]); torch.linalg.lu_factor(x[0]);
    torch.linalg.lu_factor(x.long()); torch.linalg.lstsq(x, x, driver="other"); torch.linalg.lu_factor(x.half());
    torch.linalg.solve_triangular(x[:, :2], x[:, 0], upper=True)
    """,
)
area.each(
    "x, y",
    [(real(2, 3, 6), real(2, 3))],
    "torch.linalg.tensorinv(x, ind=2); torch.linalg.tensorsolve(x, y); torch.linalg.tensorsolve(x.movedim(-1, 0), y, dims=(0,))",
    tolerance=100,
)
OVER = [(real(4, 2).constant, real(4, 3).constant), (real(1, 4, 2).constant, real(2, 4, 3).constant)]
area.each(
    "x, y",
    [*OVER, (real(2, 3, 3).constant, real(2, 3, 2).constant), (real(3, 3).constant, real(3, 1).constant)],
    """
    torch.linalg.lstsq(x, y); torch.linalg.lstsq(x, y, driver="gels"); torch.linalg.lstsq(x, y, driver="gelsd");
    torch.linalg.lstsq(x, y, driver="gelss", rcond=0.01); torch.linalg.lstsq(x * torch.tensor([[0.]] + [[1.]] * (x.shape[-2] - 1)), y).rank
    """,
    tolerance=100,
)

# Slopes and histograms ------------------------------------------------------------------------------------
area.each(
    "x",
    [real(3, 4), real(4, 3, 5), integers(3, 4), real(3, 3, dtype="float64")],
    """
    torch.gradient(x); torch.gradient(x, spacing=2.0); torch.gradient(x, dim=1); torch.gradient(x, dim=(1, 0), edge_order=2);
    torch.gradient(x, spacing=[3.0, 2.0], dim=(0, 1)); torch.gradient(x, spacing=(torch.tensor([0.0, 1.0, 3.0, 3.5, 5.0][:x.shape[1]]),), dim=1);
    torch.gradient(x, spacing=(torch.tensor([0.0, 1.0, 3.0, 3.5, 5.0][:x.shape[1]]),), dim=1, edge_order=2)
    """,
    tolerance=10,
)
area.refused(
    "x",
    [real(4)],
    "torch.gradient(x, edge_order=3); torch.gradient(x[:1]); torch.gradient(x, spacing=[1.0, 2.0]); torch.histogramdd(x, 2)",
)
area.each(
    "x",
    [real(6, 2).constant, real(2, 5, 3, dtype="float64").constant],
    """
    torch.histogramdd(x, 3); torch.histogramdd(x, [2, 3, 4][:x.shape[-1]], density=True);
    torch.histogramdd(x, bins=2, range=[-1.0, 1.0, 0.0, 2.0, -2.0, 2.0][:2 * x.shape[-1]]);
    torch.histogramdd(x, [torch.tensor([-2.0, 0.0, 3.0], dtype=x.dtype)] * x.shape[-1], weight=torch.ones(x.shape[:-1], dtype=x.dtype) * 2)
    """,
)
area.refused("x", [real(6, 2)], "torch.histogramdd(x, [2, 2, 2])")

# Places ---------------------------------------------------------------------------------------------------
# PyTorch keeps the gradient of x where y has taken its place, and nowhere else: x is constant here.
area.each(
    "x, y",
    [(real(3, 3).constant, real(2, 2)), (integers(3, 3), integers(2, 2))],
    "torch.as_strided_scatter(x, y, (2, 2), (1, 2)); x.as_strided_scatter(y[0], (2,), (4,), 1)",
)
area.refused("x", [real(2, 3)], "x.as_strided_scatter(x[0], (2, 2), (1, 1))")
area.each(
    "x, y",
    [(positive(4, 3), positive(4, 3)), (positive(4, dtype="float64"), positive(4, dtype="float64"))],
    """
    torch.index_reduce(x, 0, torch.tensor([0, 2, 0, 1]), y, "prod"); x.index_reduce(0, torch.tensor([3, 3, 0, 1]), y, "mean");
    x.index_reduce(0, torch.tensor([0, 2, 0, 1]), y, "amax", include_self=False);
    x.index_reduce(-1, torch.tensor([0, 2, 1]), y[:, :3] if y.ndim > 1 else y[:3], "amin");
    x.clone().index_reduce_(0, torch.tensor([0, 2, 0, 1]), y, "mean", include_self=False)
    """,
)
area.refused(
    "x",
    [real(3)],
    """
    x.index_reduce(0, torch.tensor([0]), x[:1], "sum"); x.index_reduce(0, torch.tensor([0, 1]), x[:1], "prod");
    torch.nonzero_static(x, size=-1); torch.empty_permuted((2, 3), (0, 0)); torch.empty_permuted((2, 3), (0,));
    torch.poisson(-x.abs()); torch.poisson(torch.tensor([1])); torch.ones(1, 3).dim_order(ambiguity_check=True);
    x.dim_order(ambiguity_check=3)
    """,
)
area.each(
    "x",
    [integers(3, 4, high=2), integers(5, high=3), integers(), real(2, 2).constant],
    "torch.nonzero_static(x, size=4); x.nonzero_static(size=20, fill_value=-7); x.nonzero_static(size=0)",
)
area.each(
    "",
    [],
    """
    torch.empty_permuted((2, 3, 5), (1, 2, 0)).stride(); torch.empty_permuted((2, 0), (1, 0), dtype=torch.int64).shape;
    torch.ones(2, 3, 4).dim_order(); torch.ones(2, 3, 4).transpose(0, 2).dim_order(); torch.ones(()).dim_order();
    torch.ones(2, 3).t().dim_order(ambiguity_check=True); torch.ones(1, 2, 3, 4).dim_order(); torch.ones(2, 1).t().dim_order();
    torch.empty((2, 3, 5, 7), memory_format=torch.channels_last).dim_order(); torch.ones(2, 1, 3).dim_order();
    torch.ones(2, 3, 1).transpose(0, 2).dim_order(); torch.ones(2, 1).expand(2, 3).dim_order();
    torch.ones(1, 2, 3, 4).dim_order(ambiguity_check=[torch.contiguous_format, torch.channels_last]);
    torch.ones(2, 0, 3).dim_order(); torch.ones(2, 3)[:, None].transpose(1, 2).dim_order()
    """,
)
area.each(
    "x",
    [real(1, 4, 2, 2).constant, real(2, 6, 3).constant],
    "torch.nn.functional.native_channel_shuffle(x, 2)",
)


# Drawn, and read ------------------------------------------------------------------------------------------
area.each(
    "x",
    [positive(3, 4), positive(40, dtype="float64"), literal([0.0, 9.5, 10.0, 1000.0, 12.0, 30.0])],
    "torch.manual_seed(3) and torch.poisson(x); torch.poisson(10 * x, generator=torch.Generator().manual_seed(5))",
)


@area.case(real(5))
def numbers_in_a_file_are_a_tensor(torch, x):
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "numbers")
        x.detach().numpy().tofile(name)
        read, shared = torch.from_file(name, size=4), torch.from_file(name, shared=True, size=5)
        read[0] = 7.0
        shared[1] = 8.0
        fresh = torch.from_file(os.path.join(folder, "fresh"), shared=True, size=3, dtype=torch.int64)
        found = [read[:1].clone(), torch.from_file(name, size=5).clone(), shared.clone(), fresh.clone()]
        del read, shared, fresh
        return found
