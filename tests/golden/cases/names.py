"""Names that programs ask for beside those of the lessons: second names, shifts, special functions, changes in place."""

import importlib

import numpy as np
from golden import Area, booleans, integers, literal, positive, real, ties, uniform

area = Area()

# Second names ---------------------------------------------------------------------------------------------
TWO = [
    (real(2, 3), real(3)),
    (real(2, 3, dtype="float16").constant, real(2, 3)),
    (integers(2, 3, low=-4), integers(2, 1, low=1)),
]
area.each(
    "x, y",
    TWO,
    """
    x.absolute(); torch.absolute(x); x.negative(); torch.negative(x); x.multiply(y); torch.multiply(x, y)
    x.subtract(y); torch.subtract(x, y, alpha=2); x.divide(y); torch.divide(x, y, rounding_mode="floor")
    x.true_divide(y); torch.true_divide(x, y); x.fix(); torch.fix(x); x.greater(y); torch.greater(x, y)
    x.greater_equal(y); torch.greater_equal(x, y); x.less(y); torch.less(x, y); x.less_equal(y)
    torch.less_equal(x, y); x.not_equal(y); torch.not_equal(x, y); torch.moveaxis(x, 0, 1); x.moveaxis(0, -1)
    x.split_with_sizes([1, 1]); torch.split_with_sizes(x, [1, 2], 1); x.unsafe_chunk(2); torch.unsafe_chunk(x, 2, 1)
    x.unsafe_split(2, 1); torch.unsafe_split(x, 1); x.unsafe_split_with_sizes([2, 1], 1)
    torch.unsafe_split_with_sizes(x, [1, 1]); x.narrow_copy(1, 0, 2); torch.narrow_copy(x, 0, 1, 1); x.H; x.mH
    x.adjoint(); torch.adjoint(x); x.isreal(); torch.isreal(x); x.isposinf(); torch.isposinf(x); x.isneginf()
    torch.isneginf(x); x.conj_physical(); torch.conj_physical(x); torch.conj(x); torch.resolve_conj(x)
    torch.resolve_neg(x); torch.concat([x, x]); torch.concatenate([x, x], dim=1); x.sum_to_size(1, 3)
    x.sum_to_size(2, 3); x.is_inference(); torch.is_inference(x); x.to_dense()
    """,
)
area.each("x, y", TWO[:1], "torch.dist(x, y); x.dist(y, 1)", tolerance=10)
area.each("x", [real(2, 3).constant], "x.pinverse(); torch.pinverse(x)", tolerance=10)
area.each(
    "x", [(real(2, 3).constant,), (literal([float("nan"), -1, 0]).constant,)], "x.angle(); torch.angle(x)"
)
area.each("x", [literal([float("inf"), -float("inf"), 1]).constant], "x.isposinf(); x.isneginf()")
area.refused(
    "x", [real(2)], "x.adjoint(); x.reshape(1, 2, 1).H; x.imag; x.sum_to_size(3); x.split_with_sizes([1])"
)
area.refused("x", [real(2)], "x.true_divide('a'); torch.greater(1, x); torch.absolute([1]); x.moveaxis(0, 3)")

# Bits -----------------------------------------------------------------------------------------------------
WHOLE = [
    (integers(2, 3, low=-9, high=9), integers(3, low=-2, high=70)),
    (integers(2, 3, low=-9, high=9, dtype="int8"), integers(3, high=9, dtype="int8")),
    (integers(2, 3, high=9, dtype="uint8"), integers(high=9)),
]
area.each(
    "x, y",
    WHOLE,
    """
    x << y; x >> y; x << 2; x >> 1; 3 << y; -9 >> y; torch.bitwise_left_shift(x, y); torch.bitwise_right_shift(x, 1)
    torch.bitwise_left_shift(3, y); x.bitwise_left_shift(1); x.bitwise_right_shift(y); x.gcd(y); torch.gcd(x, y)
    x.lcm(y); torch.lcm(x, y)
    """,
)
area.refused(
    "x, y",
    [(real(2), integers(2))],
    "x << 1; x >> y; y << x; torch.bitwise_left_shift(x, 1); torch.gcd(x, x); x.lcm(x); torch.gcd(y, 2)",
)

# Sequences and areas --------------------------------------------------------------------------------------
area.each(
    "",
    [],
    """
    torch.logspace(-1, 1, 5); torch.logspace(0, 3, 4, base=2); torch.logspace(0, 3, 4, base=2, dtype=torch.int64)
    torch.logspace(1, 2, 0); torch.logspace(1, 2, 1); torch.logspace(1, 2, 3, dtype=torch.float64)
    torch.logspace(0, 1, 3, dtype=torch.float16); torch.range(1, 3); torch.range(0, 1, 0.3)
    torch.range(3, 1, -1, dtype=torch.int64); torch.scalar_tensor(3); torch.scalar_tensor(2.5, dtype=torch.float64)
    torch.hann_window(5); torch.hann_window(4, periodic=False); torch.hann_window(1); torch.hann_window(0)
    torch.hamming_window(5); torch.hamming_window(4, False, 0.5, 0.5); torch.hamming_window(1)
    torch.bartlett_window(5); torch.blackman_window(6); torch.kaiser_window(5); torch.kaiser_window(4, False, beta=3.0)
    torch.zeros(size=(2, 3)); torch.ones(size=[2]); torch.empty(size=(2, 0)); torch.rand(size=(2, 3))
    torch.randn(size=(3,)); torch.full(size=(2,), fill_value=3.0); torch.zeros(2).new_zeros(size=(3,))
    torch.zeros(2).new_ones(size=(1, 2)); torch.zeros(2).new_empty(size=(0,)); torch.empty_strided((2, 3), (1, 2)).stride()
    torch.einsum(torch.ones(2, 3), [0, 1], torch.ones(3, 4), [1, 2], [0, 2])
    """,
    gradient=False,
)
area.refused(
    "",
    [],
    """
    torch.logspace(1, 2, -1); torch.logspace(1, 2, 2.5); torch.zeros(size=2); torch.zeros(2, size=(3,)); torch.zeros()
    torch.ones(); torch.rand(); torch.hann_window(-1); torch.einsum(torch.ones(2, 2), [0, 99])
    torch.einsum(torch.ones(2, 2), [0, 1], torch.ones(3), [1])
    """,
)
area.each(
    "x, y",
    [(real(2, 3), real(3, 4))],
    """
    torch.einsum(x, [0, 1], y, [1, 2]); torch.einsum(x, [0, 1], y, [1, 2], [2, 0]); torch.einsum(x, [..., 1], [..., 1])
    torch.einsum(x, [0, 1], [1]); torch.einsum("ij,jk", [x, y])
    """,
)
area.each(
    "y, x",
    [(real(2, 3), ties(3)), (real(3), real(3)), (real(2, 0, 3), real(3)), (real(2, 1), real(1))],
    """
    torch.trapezoid(y, x); torch.trapz(y, x); torch.trapezoid(y); torch.trapezoid(y, dx=0.5)
    torch.cumulative_trapezoid(y, x); torch.cumulative_trapezoid(y, dx=2.0)
    """,
)
area.each(
    "y",
    [real(2, 3, 4)],
    "torch.trapezoid(y, dim=1); torch.cumulative_trapezoid(y, dim=0); torch.trapezoid(y, y)",
)
area.refused("x", [real(3)], "torch.trapezoid(x, x[:2]); torch.trapezoid(x > 0); torch.trapezoid(x, dim=1)")
area.each(
    "x",
    [real(4).constant, positive(3).constant],
    "torch.vander(x); torch.vander(x, 2); torch.vander(x, N=5, increasing=True)",
)
area.refused("x", [real(2, 2)], "torch.vander(x); torch.vander(x[0], -1)")
area.each(
    "x",
    [ties(9, low=0, high=2), integers(12, high=2), booleans(5), integers(0), ties(4, 2, low=0, high=1)],
    """
    torch.unique_consecutive(x); x.unique_consecutive(return_inverse=True); x.unique_consecutive(False, True)
    torch.unique_consecutive(x, True, True); torch.unique_consecutive(x, return_counts=True, dim=0)
    """,
    gradient=False,
)

# Memory of others -----------------------------------------------------------------------------------------
area.each(
    "",
    [],
    """
    torch.asarray([1, 2]); torch.asarray(3.0); torch.asarray(np.arange(3, dtype="f4")); torch.asarray(np.float32(2))
    torch.asarray(bytearray(b"abcd"), dtype=torch.uint8); torch.asarray([1], dtype=torch.float16)
    torch.asarray(torch.ones(2), requires_grad=True).requires_grad; torch.asarray([1.0], requires_grad=True).requires_grad
    torch.asarray(torch.ones(2, requires_grad=True)).requires_grad; torch.asarray(np.ones(2), copy=True)
    (t := torch.ones(2)) is torch.asarray(t); (t := torch.ones(2)).data_ptr() == torch.asarray(t, copy=True).data_ptr()
    torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int32); torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int16, offset=2)
    torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.uint8, count=3); torch.from_dlpack(np.arange(3))
    torch.frombuffer(bytearray(8), dtype=torch.float32, requires_grad=True).requires_grad
    torch.from_dlpack(torch.arange(3)); torch.from_dlpack(torch.to_dlpack(torch.ones(2, 2)))
    torch.utils.dlpack.from_dlpack(torch.arange(2)); torch.from_dlpack(torch.arange(3), copy=True)
    np.from_dlpack(torch.arange(3)); torch.ones(2).__dlpack_device__()[1]; torch.ones(2).is_shared()
    (t := torch.ones(2)).is_set_to(t); torch.ones(2).is_set_to(torch.ones(2)); torch.ones(2, 3).t().storage().size()
    torch.arange(6)[2:].storage().tolist(); len(torch.ones(3).storage()); torch.ones(3).storage()[1]
    torch.ones(2).untyped_storage().nbytes(); torch.ones(2).untyped_storage().size(); torch.ones(4).storage().element_size()
    (t := torch.ones(4))[2:].storage().data_ptr() == t.storage().data_ptr(); torch.ones(2).share_memory_()
    (t := torch.ones(4))[2:].untyped_storage().data_ptr() == t.data_ptr(); torch.ones(2).storage().dtype
    torch.ones(2).storage(); torch.UntypedStorage(3).size(); torch.TypedStorage.__name__
    """,
    gradient=False,
)
area.refused(
    "",
    [],
    """
    torch.frombuffer(bytearray(b"abcdefg"), dtype=torch.int32); torch.frombuffer(bytearray(b""), dtype=torch.int32)
    torch.frombuffer(bytearray(8), dtype=torch.int32, count=3); torch.frombuffer(bytearray(8), dtype=torch.int32, count=0)
    torch.frombuffer(bytearray(8), dtype=torch.int32, offset=9); torch.frombuffer([1], dtype=torch.int32)
    torch.from_dlpack(3); torch.asarray([1], copy=False); torch.from_dlpack(torch.ones(2, requires_grad=True))
    torch.asarray(np.array(["a"])); torch.asarray("a")
    """,
)


@area.case(gradient=False)
def what_is_shared_is_written_to_on_both_sides(torch):
    buffer, array, tensor = bytearray(8), np.zeros(3, "f4"), torch.zeros(2)
    torch.frombuffer(buffer, dtype=torch.int32)[1] = 7
    torch.asarray(array)[0] = 1
    torch.from_dlpack(array)[1] = 2
    torch.from_dlpack(tensor)[1] = 3
    torch.asarray(tensor, copy=True)[0] = 9
    tensor.storage()[0] = 5
    return list(buffer), array, tensor


# Values put in places -------------------------------------------------------------------------------------
area.each(
    "x", [real(2, 3), integers(3), real()], "torch.diagflat(x); x.diagflat(1); torch.diagflat(x, offset=-2)"
)
PLACED = [
    (real(4, 3), literal([2, 0], "int64"), real(2, 3)),
    (integers(4, 3), literal([3, 1], "int64"), integers(2, 3)),
]
area.each(
    "x, i, y",
    PLACED,
    """
    x.index_copy(0, i, y); torch.index_copy(x, 0, i, y); x.index_copy(-2, i[:1], y[:1]); x.index_copy(1, i // 2, y.new_ones(4, 2))
    x[:, 0].index_copy(0, i[0], y[0, 0]); x.put(i, y[0, :2]); x.put(i - 3, y[0, :2], accumulate=True)
    x.put(i * 0, y[1, :2], True); x.select_scatter(y[0], 0, 2); torch.select_scatter(x, y[0], 0, -1)
    x.slice_scatter(y, 0, 1, 3); torch.slice_scatter(x, y, start=0, end=4, step=2); x.slice_scatter(x[:, :1], 1, 1, 2)
    x.diagonal_scatter(y[0]); torch.diagonal_scatter(x, y[0, :2], 1); x.masked_scatter(x > 0, x.flip(0))
    torch.masked_scatter(x, x[0] > 0, x * 2); x.masked_scatter(x != x, y[:0]); x.clone().fill_diagonal_(3)
    x.t().clone().fill_diagonal_(2, wrap=True); x.repeat(3, 1).fill_diagonal_(1, True); x.clone().fill_diagonal_(torch.tensor(2))
    """,
)
area.refused(
    "x, i, y",
    PLACED[:1],
    """
    x.index_copy(0, i + 4, y); x.index_copy(0, i.reshape(1, 2), y); x.index_copy(0, i, y[:1]); x.index_copy(0, i, y.double())
    x.index_copy(0, i.float(), y); x.index_copy(0, i.int(), y); x.index_copy(0, i, y[:, :2]); x.put(i + 20, y[0, :2])
    x.put(i, y); x.put(i.int(), y[0, :2]); x.put(i, y[0, :2].double()); x.select_scatter(y, 0, 1); x.select_scatter(y[0], 0, 9)
    x.slice_scatter(y, 0, 0, 3); x.diagonal_scatter(y); x.masked_scatter(x > -9, y); x.masked_scatter(i, y)
    x.masked_scatter(x > 0, i); x[0].fill_diagonal_(1); x.reshape(2, 2, 3).fill_diagonal_(1); x.fill_diagonal_(y)
    """,
)

# Special functions ----------------------------------------------------------------------------------------
area.each(
    "x",
    [
        real(2, 3),
        positive(4),
        real(3, dtype="float64"),
        literal([1.0, 2.0, 0.5]),
        positive(3, dtype="float16").constant,
    ],
    """
    x.erfc(); torch.erfc(x); torch.special.erfc(x); torch.special.erf(x); torch.special.exp2(x); torch.special.expm1(x)
    torch.special.expit(x); torch.i0(x); x.i0(); torch.special.i0(x); torch.special.i0e(x); torch.special.i1(x)
    torch.special.i1e(x); torch.sinc(x); x.sinc(); torch.special.sinc(x); torch.special.ndtr(x)
    torch.special.log_softmax(x, 0); torch.special.softmax(x, 0); torch.special.logsumexp(x, 0)
    torch.special.round(x, decimals=1); torch.special.entr(x.abs()); torch.special.log1p(x.abs())
    torch.lgamma(x.abs()); x.abs().digamma(); torch.special.psi(x.abs()); torch.special.gammaln(x.abs())
    """,
    tolerance=10,
)
area.each(
    "x",
    [real(2, 3), real(3, dtype="float64")],
    "torch.special.erfcx(x); torch.special.log_ndtr(x)",
    tolerance=10,
)
area.each(
    "x",
    [positive(4), positive(2, 3, dtype="float64"), integers(3, low=1)],
    """
    x.lgamma(); torch.digamma(x); torch.special.digamma(x); x.polygamma(1); torch.polygamma(2, x); torch.polygamma(0, x)
    torch.special.polygamma(1, x); x.add(1).mvlgamma(2); torch.mvlgamma(x + 2, 3); torch.special.multigammaln(x + 1, 2)
    """,
    tolerance=30,
)
area.each(
    "x",
    [uniform(2, 3, low=-0.9, high=0.9), uniform(3, low=-0.9, high=0.9, dtype="float64")],
    "x.erfinv(); torch.erfinv(x); torch.special.erfinv(x); torch.special.ndtri(x.abs()); torch.special.logit(x.abs())",
    tolerance=10,
)
area.each(
    "x",
    [literal([0.0, -1.0, 2.5, -0.5, 1.0, float("inf"), float("nan")]).constant],
    """
    torch.lgamma(x); torch.digamma(x); torch.erfinv(x); torch.special.entr(x); torch.special.ndtri(x); torch.sinc(x)
    torch.polygamma(1, x.abs()); torch.i0(x); torch.special.i1(x); torch.special.xlog1py(x, x); torch.erfc(x)
    """,
    tolerance=10,
)
area.each(
    "x",
    [positive(4).constant, positive(2, 3, dtype="float64").constant],
    """
    torch.special.airy_ai(x); torch.special.bessel_j0(x); torch.special.bessel_j1(x); torch.special.bessel_y0(x)
    torch.special.bessel_y1(x); torch.special.modified_bessel_i0(x); torch.special.modified_bessel_i1(x)
    torch.special.modified_bessel_k0(x); torch.special.modified_bessel_k1(x); torch.special.scaled_modified_bessel_k0(x)
    torch.special.scaled_modified_bessel_k1(x); torch.special.spherical_bessel_j0(x); torch.special.zeta(x + 1, 2.0)
    """,
    tolerance=20,
)
area.each(
    "x, y",
    [(positive(2, 3), positive(3)), (positive(3, dtype="float64"), positive(1))],
    """
    torch.special.xlog1py(x, y); torch.special.xlogy(x, y); torch.special.xlog1py(2.0, y); torch.special.xlogy(2.0, y); torch.igamma(x.detach(), y)
    torch.igammac(x.detach(), y); torch.special.gammainc(x.detach(), y); torch.special.gammaincc(x.detach(), y)
    x.detach().igamma(y); x.detach().igammac(y); torch.logaddexp2(x, y); x.logaddexp2(y); torch.ldexp(x.detach(), torch.tensor([1, -2, 0]))
    x.ldexp(torch.tensor(3)); torch.frexp(x)[0]; torch.frexp(x.detach())[1]; x.frexp().mantissa
    """,
    tolerance=10,
)
area.each(
    "x, y",
    [(literal([-1.0, 0.0, 2.0]).constant, literal([0.5]).constant)],
    "torch.heaviside(x, y); x.heaviside(y); torch.nextafter(x, y); x.nextafter(y + 3); x.heaviside(x).requires_grad",
)
area.refused(
    "x",
    [positive(3)],
    """
    torch.polygamma(-1, x); x.heaviside(x.double()); torch.igamma(x.requires_grad_(), x).sum().backward()
    torch.heaviside(x.requires_grad_(), x).sum().backward(); torch.special.entr(1.0); torch.erfinv("a"); torch.special.xlogy(2, 2); torch.special.zeta(2, 2)
    torch.special.zeta(x.requires_grad_(), 2.0).sum().backward()
    """,
)

# Matrices -------------------------------------------------------------------------------------------------
area.each(
    "a, b",
    [(positive(3, 3), real(3, 2)), (positive(2, 3, 3, dtype="float64"), real(3, 1, dtype="float64"))],
    """
    torch.linalg.solve_triangular(a, b, upper=True); torch.linalg.solve_triangular(a, b, upper=False)
    torch.linalg.solve_triangular(a, b, upper=True, unitriangular=True)
    torch.linalg.solve_triangular(a, b.mT, upper=False, left=False); torch.matrix_exp(a); torch.linalg.matrix_exp(a * 0.1)
    a.matrix_exp(); b.cholesky_solve(a.tril()); torch.cholesky_solve(b, a.triu(), upper=True); a.tril().cholesky_inverse()
    torch.cholesky_inverse(a.triu(), upper=True)
    """,
    tolerance=30,
)
area.each("x", [real(3, 4), real(5, dtype="float64")], "torch.corrcoef(x); x.corrcoef()", tolerance=10)
area.each(
    "i",
    [integers(2, 3, high=24)],
    "torch.unravel_index(i, (2, 3, 4)); torch.unravel_index(i, 30); torch.unravel_index(i, (2, 3))",
    gradient=False,
)
area.refused(
    "a",
    [real(2, 3)],
    """
    torch.linalg.solve_triangular(a, a, upper=True); a.matrix_exp(); torch.linalg.solve_triangular(a, a)
    a.reshape(1, 2, 3).corrcoef()
    """,
)

# In place -------------------------------------------------------------------------------------------------
FORMS = """
    absolute_() acos_() arccos_() asin_() arcsin_() atan_() arctan_() sinh_() arcsinh_() asinh_() cosh_() atanh_() arctanh_() tan_()
    sinc_() erf_() erfc_() erfinv_() exp2_() expm1_() exp_() frac_() fix_() trunc_() sign_() sgn_() log1p_() negative_() neg_()
    i0_() deg2rad_() rad2deg_() nan_to_num_() cumsum_(0) cumprod_(0) clamp_max_(0.5) clamp_min_(-0.2) clip_(-0.5,0.5) logit_(0.1)
    remainder_(0.3) fmod_(0.3) floor_divide_(0.3) copysign_(-1.0) copysign_(y) hypot_(y) atan2_(y) arctan2_(y) multiply_(y)
    divide_(y) true_divide_(y) subtract_(y) subtract_(y,alpha=2) eq_(y) ne_(y) not_equal_(0) gt_(y) greater_(y) ge_(y)
    greater_equal_(0.1) lt_(y) less_(y) le_(y) less_equal_(y) logical_and_(y) logical_or_(y) logical_xor_(y) logical_not_()
    xlogy_(y.abs()) square_() ceil_() floor_() round_() fill_(2.0) zero_() sigmoid_() tanh_() clamp_(-0.3,0.3) sin_() cos_() abs_()
    index_fill_(0,i,2.0) index_copy_(0,i,y[:2]) index_put_((i,),y[0]) index_put_((i,),y[:2],accumulate=True) put_(i,y[0,:2])
    masked_scatter_(y>0,y) scatter_reduce_(0,i[:,None],y[:2],'amax') renorm_(2,0,0.5) addmm_(y[:,:2],y[:2])
    addr_(y[:,0],y[0]) ldexp_(i[:1]) igamma_(y.abs()).add_(0) fill_diagonal_(0.5) lerp_(y,0.5) heaviside_(y) nextafter_(y)
"""
PLACES = [(uniform(3, 3, low=-0.9, high=0.9), real(3, 3), literal([2, 0], "int64"))]
# Without a gradient in PyTorch, or one that it gives as a tensor without memory.
UNDEFINED = "igamma_(y.abs()).add_(0) heaviside_(y) nextafter_(y) arcsinh_() asinh_() atanh_() arctanh_() sgn_() floor_divide_(0.3)"
for form in FORMS.split():
    inputs = [tuple(value.constant for value in PLACES[0])] if form in UNDEFINED.split() else PLACES
    if form.partition("_")[0] in [
        "eq",
        "ne",
        "not",
        "gt",
        "greater",
        "ge",
        "lt",
        "less",
        "le",
    ]:  # of which the other gets zeros there
        inputs = [(PLACES[0][0], PLACES[0][1].constant, PLACES[0][2])]
    area.each(
        "x, y, i",
        inputs,
        f"[t := x.abs() * 1, t.{form}]" if "gamma" in form else f"[t := x * 1, t.{form}]",
        tolerance=10,
    )
POSITIVE = (
    "lgamma_() digamma_() log_() log2_() log10_() rsqrt_() sqrt_() reciprocal_() polygamma_(1) mvlgamma_(1)"
)
for form in POSITIVE.split():
    area.each("x", [uniform(2, 3, low=1.2, high=3)], f"[t := x * 1, t.{form}]", tolerance=30)
area.each("x", [uniform(2, 3, low=1.2, high=3).constant], "(x * 1).acosh_(); (x * 1).arccosh_()")
BITS = """
    bitwise_and_(y) bitwise_or_(y) bitwise_xor_(y) bitwise_not_() bitwise_left_shift_(1) bitwise_right_shift_(y) gcd_(y) lcm_(y)
    cumsum_(0) cumprod_(1) sign_() floor_divide_(3) remainder_(y+1) eq_(y) logical_not_() scatter_reduce_(0,y,x,'sum') __iand__(y)
    __ior__(y) __ixor__(y) __ilshift__(2) __irshift__(y) __ifloordiv__(2) __imod__(3) apply_(lambda_) map_(x,max)
"""
for form in BITS.split():
    text = f"[t := x * 1, t.{form}]".replace("lambda_", "lambda v: v + 1")
    area.each(
        "x, y",
        [(integers(2, 2, high=2, dtype="int32"), integers(2, 2, high=2, dtype="int64"))],
        text,
        gradient=False,
    )
area.each(
    "x, y",
    [(real(2, 2), real(2, 2))],
    "x.detach().clone().apply_(lambda v: v * 2); x.detach().clone().map_(y.detach(), max)",
)
area.each(
    "b, x, y",
    [(real(2, 2, 2), real(2, 2, 2), real(2, 2, 2))],
    "(b * 1).baddbmm_(x, y, beta=2); (b[0] * 1).addbmm_(x, y)",
)
area.each(
    "x",
    [uniform(2, 3, low=0.1, high=0.9).constant],
    """
    torch.abs_(x); torch.acos_(x); torch.asin_(x); torch.atan_(x); torch.atanh_(x); torch.arccos_(x); torch.arcsin_(x); torch.arctan_(x)
    torch.arctanh_(x); torch.asinh_(x); torch.arcsinh_(x); torch.acosh_(x + 1); torch.arccosh_(x + 1); torch.ceil_(x); torch.clamp_(x, 0.2, 0.4)
    torch.clamp_max_(x, 0.4); torch.clamp_min_(x, 0.4); torch.clip_(x, 0.2); torch.cos_(x); torch.cosh_(x); torch.deg2rad_(x)
    torch.detach_(x); torch.erf_(x); torch.erfc_(x); torch.exp2_(x); torch.exp_(x); torch.expm1_(x); torch.fill_(x, 2); torch.fix_(x)
    torch.floor_(x); torch.frac_(x); torch.i0_(x); torch.log10_(x); torch.log1p_(x); torch.log2_(x); torch.log_(x); torch.logit_(x)
    torch.nan_to_num_(x); torch.neg_(x); torch.negative_(x); torch.rad2deg_(x); torch.reciprocal_(x); torch.round_(x); torch.rsqrt_(x)
    torch.sigmoid_(x); torch.sin_(x); torch.sinc_(x); torch.sinh_(x); torch.sqrt_(x); torch.square_(x); torch.tan_(x); torch.tanh_(x)
    torch.trunc_(x); torch.xlogy_(x, x); torch.zero_(x); torch.addmv_(x[:, 0], x, x[0]); torch.resize_as_(x, x[0]); torch.ldexp_(x, torch.tensor(2))
    torch.index_put_(x, (torch.tensor([0]),), x[1] * 2); torch.as_strided_(x, (2, 2), (1, 1)); torch.gcd_(torch.tensor([4]), torch.tensor([6]))
    torch.lcm_(torch.tensor([4]), torch.tensor([6])); x.double().float_power_(2)
    """,
    tolerance=10,
)
for form in [
    "sign_()",
    "cumsum_(0)",
    "eq_(y)",
    "index_copy_(0,i,y[:2])",
    "erfinv_()",
    "t_()",
    "squeeze_(0)",
    "unsqueeze_(0)",
    "transpose_(0,1)",
    "resize_(3)",
    "fill_diagonal_(1)",
]:
    area.refused("x, y, i", PLACES, f"x.requires_grad_().{form}")
area.refused(
    "x, n, y",
    [(real(2, 3), integers(2, 3), real(4, 2, 3))],
    """
    n.erfinv_(); n.lgamma_(); n.sinh_(); n.true_divide_(2); n.copysign_(x); x.float_power_(2); n.float_power_(2)
    x.bitwise_and_(n); n.bitwise_and_(x); x.multiply_(y); x.eq_(y); x.logical_and_(y); x.copysign_(y); n[0].expand(2, 3).sign_()
    x.requires_grad_().apply_(abs); n.cumsum_(3); x.t_().unsqueeze_(5); y.t_(); x.as_strided_((9,), (1,)); x.resize_(-1)
    """,
)


# Views in place -------------------------------------------------------------------------------------------
area.each(
    "x",
    [real(1, 3, 2)],
    """
    (x * 1).squeeze_(); (x * 1).squeeze_(0); (x * 1).unsqueeze_(-1); (x * 1).transpose_(0, 2); (x * 1).swapaxes_(0, 1)
    (x * 1).swapdims_(1, 2); (x * 1)[0].t_(); (x * 1).squeeze_(0).t_(); (x * 1).as_strided_((2, 2), (1, 2))
    [t := x * 1, t.transpose_(1, 2), t.is_contiguous(), t.stride()]; [t := x[0] * 1, t.t_(), t.mul_(3), t[0]]
    """,
)


@area.case(real(2, 3), literal([[1.0, 2, 3], [4, 5, 6]], "float64"))
def views_taken_before_go_on_looking_as_they_did(torch, x):
    base = x * 1
    row, column = base[0], base[:, 1]
    base.t_()
    later = base[1]
    base.mul_(2)
    row.add_(1)
    later.mul_(3)
    return base, row * 1, column * 2, later * 3, base.unsqueeze_(0), row.shape


@area.case(real(2, 3))
def a_view_may_be_turned_too(torch, x):
    base = x * 1
    part = base[:, :2]
    part.t_()
    part.mul_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    base.add_(1)
    return base, part * 2


@area.case(real(2, 3).constant)
def memory_is_resized(torch, x):
    part = x[1].clone()
    first = x.resize_(4).clone()
    return (
        first,
        x.storage().size(),
        x.resize_(2, 2),
        part.resize_as_(x).shape,
        part[0, :],
        x.resize_(0),
        x.resize_(3)[:2],
    )


@area.case(real(2, 3).constant, gradient=False)
def a_tensor_is_set_to_another(torch, x):
    y = torch.zeros(1)
    y.set_(x)
    y[0, 0] = 5
    return x, y.is_set_to(x), torch.ones(2).set_()


@area.case(gradient=False)
def random_numbers_by_method(torch):
    torch.manual_seed(3)
    found = [
        torch.empty(5).log_normal_(), torch.empty(5).cauchy_(), torch.empty(5).cauchy_(1, 2), torch.empty(5).geometric_(0.3),
        torch.empty(5, dtype=torch.float64).cauchy_(), torch.tensor([0.1, 0.9, 0.5]).multinomial(2), torch.tensor([0.1, 0.9]).bernoulli(),
        torch.zeros(4).bernoulli(0.7), torch.tensor([[0.2, 0.8], [0.5, 0.5]]).multinomial(3, replacement=True),
    ]  # fmt: skip
    return found, torch.rand(2)


area.refused(
    "", [], "torch.empty(2).cauchy_(0, -1); torch.empty(2).geometric_(1.5); torch.empty(2).log_normal_(0, -1)"
)
area.each("", [], "sorted(n for n in ('max', 'min', 'sort', 'topk') if hasattr(torch.return_types, n))")

# Types that can be named, and complex numbers of rotary positions -----------------------------------------
area.each(
    "",
    [],
    """
    torch.complex64.is_complex; torch.complex32; torch.complex128.itemsize; torch.chalf; torch.cfloat; torch.cdouble.is_floating_point
    torch.float8_e4m3fn.itemsize; torch.float8_e4m3fnuz; torch.float8_e5m2.is_floating_point; torch.float8_e5m2fnuz; torch.float8_e8m0fnu
    {torch.complex64: 8}[torch.cfloat]; torch.complex64 == torch.float32
    """,
    gradient=False,
)
area.each(
    "x, y",
    [(real(2, 3, 4), real(3, 2)), (real(2, 1, 6, dtype="float64"), real(1, 3, dtype="float64"))],
    """
    torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2))) * torch.polar(torch.ones_like(y), y))
    torch.view_as_real(torch.polar(y.abs(), x[0, :, : y.shape[1]])); torch.polar(y.abs(), y).abs(); torch.polar(y.abs() + 1, y).angle()
    torch.view_as_complex(x.unflatten(-1, (-1, 2))).shape; torch.view_as_complex(x.unflatten(-1, (-1, 2))).dtype
    torch.view_as_real(torch.polar(y.abs(), y).unsqueeze(0)[:, 0].conj() * 2); torch.polar(y.abs(), y).real; torch.polar(y.abs(), y).imag
    torch.view_as_real(torch.polar(y.abs(), y).view(-1, 1).expand(-1, 2).flatten()); torch.polar(y.abs(), y).ndim
    torch.view_as_real(torch.polar(y.abs(), y) + torch.polar(y.abs(), -y)); torch.polar(y.abs(), y).transpose(0, 1).size(0)
    """,
)
area.refused("x", [real(2, 3)], "torch.view_as_complex(x); torch.view_as_real(x)")

# Results put into a tensor that is there, and numbers before tensors --------------------------------------
area.each(
    "x, y",
    [(real(3).constant, integers(3, low=1))],
    """
    torch.zeros(3, out=y); torch.ones(2, 2, out=x.clone()); torch.full((2,), 1.5, out=x.clone()); torch.eye(2, 3, out=x.clone())
    torch.full((2,), 1.5, out=y); torch.arange(4, out=x.clone()); torch.linspace(0, 1, 3, out=x.clone())
    torch.logspace(0, 1, 3, out=x.clone()); torch.rand(3, out=x.clone()); torch.randn(3, out=x.double())
    torch.randint(0, 5, (4,), out=x.clone()); torch.randperm(4, out=y); torch.normal(0.0, 1.0, (3,), out=x.double())
    torch.cat([x, x], out=x.double()); torch.stack([x, x], out=x.clone()); torch.hstack([x, x], out=x.clone())
    torch.where(x > 0, x, x * 2, out=x.clone()); torch.isin(y, y[:1], out=y > 9); torch.bucketize(x, x.sort()[0], out=y)
    torch.bernoulli(torch.ones(3), out=x.clone()); torch.empty(3, out=x) is x
    torch.rand_like(x, memory_format=torch.preserve_format).shape; torch.randint_like(x, 5, memory_format=torch.contiguous_format).shape
    """,
    gradient=False,
)
area.refused(
    "x",
    [real(3)],
    "torch.zeros(3, out=x.clone().requires_grad_()); torch.zeros(3, out=3); torch.ones(3, dtype=torch.float64, out=x)",
)
area.each(
    "x, y",
    [(real(2, 3), real(2, 3))],
    """
    x.add(2, y); torch.add(x, 0.5, y); x.sub(2, y); x.addcmul(0.5, y, y); torch.addcdiv(x, 2, y, y + 9)
    (x * 1).add_(2, y); (x * 1).sub_(0.5, y); (x * 1).addcmul_(2, y, y); (x * 1).addcdiv_(2, y, y + 9)
    (x @ x.T).addmm(0.5, 2, x, y.T); (x @ x.T).addmm_(0.5, x, y.T); x[:, 0].addmv(0.5, 2, x, y[0])
    (x @ x.T).addr(0.5, 2, x[:, 0], y[:, 1])
    """,
)


@area.case((real(2, 3).constant,), gradient=False)
def a_lazy_weight_has_data_and_an_old_hook_is_called(torch, x):
    weight, seen = torch.nn.LazyLinear(4).weight, []
    weight.data.normal_(0, 1)
    layer = torch.nn.Linear(3, 2)
    layer.register_backward_hook(lambda module, grad_input, grad_output: seen.append(grad_output[0].shape))
    layer(x).sum().backward()
    storage = torch.zeros(5).untyped_storage()
    return weight.data.shape, weight.data.dtype, seen, storage.__sizeof__() >= 20


@area.case((real(2, 3, 6, 6).constant, real(5, 3).constant), gradient=False)
def a_batch_norm_becomes_part_of_the_layer_before_it(torch, x, y):
    fusion, found = importlib.import_module(f"{torch.__name__}.nn.utils.fusion"), []
    for conv, options in (
        (torch.nn.Conv2d(3, 4, 3), {}),
        (torch.nn.Conv2d(3, 4, 3, bias=False), {}),
        (torch.nn.ConvTranspose2d(3, 4, 3), {"transpose": True}),
    ):
        for affine in (True, False):
            norm = torch.nn.BatchNorm2d(4, affine=affine)
            with torch.no_grad():
                norm(conv(x))
            fused = fusion.fuse_conv_bn_eval(conv.eval(), norm.eval(), **options)
            near = torch.allclose(fused(x), norm(conv(x)), atol=1e-5)
            found.append((near, fused.weight.requires_grad, fused.bias.requires_grad, fused is conv))
    linear, norm = torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4)
    with torch.no_grad():
        norm(linear(y))
    fused = fusion.fuse_linear_bn_eval(linear.eval(), norm.eval())
    return found, torch.allclose(fused(y), norm(linear(y)), atol=1e-5)
