"""Edges: where an answer is easily another one. Infinities, integers, empty and lone elements, memory, refusals."""

import copy
import io

import numpy as np
from golden import Area

area = Area()


def given(torch):
    def saved(value):
        file = io.BytesIO()
        torch.save(value, file)
        file.seek(0)
        return torch.load(file)

    def tied(pair):
        """The first of two tensors, after a change of the second."""
        first, second = pair
        second[0] = 99
        return first.tolist()

    def hooked(hook):
        parameter = torch.nn.Parameter(torch.ones(2))
        parameter.register_post_accumulate_grad_hook(hook)
        (parameter * 2).sum().backward()
        return parameter

    class Duck:
        """What is no tensor, and answers for functions of tensors."""

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__, [kind.__name__ for kind in types], len(args), kwargs or {}

    return {
        "Duck": Duck,
        "inf": np.inf,
        "nan": np.nan,
        "copy": copy,
        "saved": saved,
        "tied": tied,
        "hooked": hooked,
    }


def cases(programs="", refused=""):
    area.each("", [], programs, given=given, gradient=False)
    area.refused("", [], refused, given=given)


# Placing a number on a diagonal --------------------------------------------------------------------------
cases(
    """
    torch.diag(torch.tensor([inf, 1.])); torch.diag_embed(torch.tensor([inf, 1.]));
    torch.diag(torch.tensor([-1., 2.])); torch.diag_embed(torch.tensor([-1., 2.]));
    torch.diagflat(torch.tensor([inf, -1.]))
    """,
)

# Integers that int64 does not hold -----------------------------------------------------------------------
cases(
    refused="""
    torch.tensor(2**63); torch.tensor([2**63]); torch.tensor(-2**63-1); torch.tensor(2**64)
    """,
)

# Ranks ---------------------------------------------------------------------------------------------------
cases(
    """
    torch.linalg.matrix_rank(torch.diag(torch.tensor([1., .5, .1])), rtol=0.2);
    torch.linalg.matrix_rank(torch.diag(torch.tensor([1., .5, .1])), atol=0.6);
    torch.linalg.matrix_rank(torch.diag(torch.tensor([1., .5, .1])), 0.2);
    torch.linalg.matrix_rank(torch.diag(torch.tensor([1., .5, .1])), atol=torch.tensor(0.2), rtol=0.0);
    torch.linalg.matrix_rank(torch.diag(torch.tensor([1., .5, .1])), hermitian=True, atol=.2)
    """,
)

# A bool alone is unbiased --------------------------------------------------------------------------------
cases(
    """
    torch.std_mean(torch.arange(3.), True); torch.var_mean(torch.arange(3.), True);
    torch.std_mean(torch.arange(3.), False); torch.std(torch.arange(3.), False);
    torch.var(torch.arange(3.), True); torch.arange(3.).std(False);
    torch.std(torch.arange(6.).reshape(2, 3), 0, False);
    torch.std_mean(torch.arange(6.).reshape(2, 3), 0, False, True)
    """,
    """
    torch.std_mean(torch.arange(3.), True, keepdim=True)
    """,
)

# Least squares of batches --------------------------------------------------------------------------------
cases(
    """
    torch.linalg.lstsq(torch.arange(18.0).reshape(2, 3, 3) + torch.eye(3), torch.ones(1, 3, 3)).solution
    """,
)

# Lists with tensors in them ------------------------------------------------------------------------------
cases(
    """
    torch.tensor([torch.tensor([1]), torch.tensor([2])]); torch.tensor([torch.tensor([1.]), 2]);
    torch.tensor([torch.tensor([[1.]]), torch.tensor([2.])]);
    torch.tensor([torch.tensor(1), torch.tensor(2)]); torch.tensor([np.array([1]), np.array([2])])
    """,
    """
    torch.tensor([torch.tensor([1, 2])]); torch.tensor([torch.tensor([1, 2]), torch.tensor([3, 4])])
    """,
)

# Covariances ---------------------------------------------------------------------------------------------
cases(
    """
    torch.cov(torch.tensor([[1., 2.]])); torch.cov(torch.tensor([1., 2.]));
    torch.cov(torch.tensor([[1., 2.], [3., 5.]])); torch.cov(torch.tensor([[1, 2], [3, 5]]));
    torch.cov(torch.tensor([1, 2])); torch.corrcoef(torch.tensor([[1., 2.]]));
    torch.corrcoef(torch.tensor([1., 2.])); torch.cov(torch.tensor(1.));
    torch.corrcoef(torch.tensor([[1, 2, 4], [3, 5, 1]]));
    torch.cov(torch.tensor([[1, 2], [3, 5]]), fweights=torch.tensor([1, 2]));
    torch.cov(torch.tensor([[1., 2.], [3., 5.]]), aweights=torch.tensor([1., 2.]));
    torch.cov(torch.tensor([[1., 2.], [3., 5.]]), correction=0)
    """,
    """
    torch.cov(torch.ones(2, 2, 2))
    """,
)

# Differences of no order ---------------------------------------------------------------------------------
cases(
    """
    torch.diff(torch.ones(2, 2), n=0, dim=0, prepend=torch.ones(1, 2));
    torch.diff(torch.ones(2, 2), n=0, append=torch.ones(2, 2)); torch.diff(torch.ones(3), n=5);
    torch.diff(torch.tensor([True, False, True]))
    """,
    """
    torch.diff(torch.tensor(1.)); torch.diff(torch.ones(3), n=-1)
    """,
)

# Reductions into places ----------------------------------------------------------------------------------
cases(
    """
    torch.zeros(2).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([inf, inf]), 'amin', include_self=False);
    torch.zeros(2).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([-inf, -inf]), 'amax', include_self=False);
    torch.zeros(2, dtype=torch.int32).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([3, 4], dtype=torch.int32), 'mean');
    torch.zeros(2, dtype=torch.int32).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([-3, -4], dtype=torch.int32), 'mean', include_self=False);
    torch.zeros(2).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([nan, 4]), 'amin');
    torch.zeros(2, dtype=torch.uint8).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([200, 100], dtype=torch.uint8), 'prod');
    torch.zeros(2, dtype=torch.uint8).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([200, 100], dtype=torch.uint8), 'mean');
    torch.zeros(2, dtype=torch.half).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([200, 100], dtype=torch.half), 'mean');
    torch.zeros(2, dtype=torch.bool).scatter_reduce(0, torch.tensor([0, 0]), torch.tensor([True, False]), 'amin', include_self=False)
    """,
)

# Products with sums, of integers -------------------------------------------------------------------------
cases(
    """
    torch.addbmm(torch.ones(2, 2, dtype=torch.int32), torch.ones(1, 2, 2, dtype=torch.int32), torch.ones(1, 2, 2, dtype=torch.int32));
    torch.baddbmm(torch.ones(1, 2, 2, dtype=torch.int32), torch.ones(1, 2, 2, dtype=torch.int32), torch.ones(1, 2, 2, dtype=torch.int32), alpha=2.5);
    torch.addmm(torch.ones(2, 2, dtype=torch.int32), torch.ones(2, 2, dtype=torch.int32), torch.ones(2, 2, dtype=torch.int32), alpha=2.5);
    torch.addmv(torch.ones(2, dtype=torch.int32), torch.ones(2, 2, dtype=torch.int32), torch.ones(2, dtype=torch.int32), alpha=2.5);
    torch.addr(torch.ones(2, dtype=torch.int32), torch.ones(2, dtype=torch.int32), torch.ones(2, dtype=torch.int32));
    torch.addbmm(torch.ones(2, 2, dtype=torch.int32), torch.ones(1, 2, 2, dtype=torch.int32), torch.ones(1, 2, 2, dtype=torch.int32), alpha=2.5);
    torch.addbmm(torch.ones(2, 2, dtype=torch.int32), torch.ones(1, 2, 2, dtype=torch.int32), torch.ones(1, 2, 2, dtype=torch.int32), beta=1.5);
    torch.baddbmm(torch.ones(1, 2, 2, dtype=torch.int32), torch.ones(1, 2, 2, dtype=torch.int32), torch.ones(1, 2, 2, dtype=torch.int32), beta=1.5);
    torch.addmm(torch.full((2, 2), nan), torch.ones(2, 2), torch.ones(2, 2), beta=0);
    torch.baddbmm(torch.full((1, 2, 2), nan), torch.ones(1, 2, 2), torch.ones(1, 2, 2), beta=0);
    torch.addmv(torch.full((2, ), nan), torch.ones(2, 2), torch.ones(2), beta=0);
    torch.addr(torch.full((2, 2), nan), torch.ones(2), torch.ones(2), beta=0);
    torch.addbmm(torch.full((2, 2), nan), torch.ones(1, 2, 2), torch.ones(1, 2, 2), beta=0);
    torch.addcmul(torch.ones(2, dtype=torch.int32), torch.ones(2, dtype=torch.int32), torch.ones(2, dtype=torch.int32)*3, value=2);
    torch.addcmul(torch.ones(2, dtype=torch.int32), torch.ones(2, dtype=torch.int32), torch.ones(2, dtype=torch.int32)*3, value=2.5)
    """,
    """
    torch.addr(torch.ones(2, dtype=torch.int32), torch.ones(2, dtype=torch.int32), torch.ones(2, dtype=torch.int32), alpha=2.5)
    """,
)

# Normal numbers of halves --------------------------------------------------------------------------------
cases(
    """
    torch.normal(torch.zeros(2).half(), torch.ones(2).half()).dtype;
    torch.normal(0., torch.ones(2).half()).dtype; torch.normal(torch.ones(2).half(), 1.).dtype;
    torch.normal(torch.ones(2).double(), torch.ones(2)).dtype;
    torch.normal(torch.ones(2), torch.ones(2).double()).dtype
    """,
)

# Generators ----------------------------------------------------------------------------------------------
cases(
    """
    torch.Generator().device; torch.Generator('cpu').device
    """,
)

# Sums of squares beyond float32 --------------------------------------------------------------------------
cases(
    """
    torch.tensor([1e25, 2e25, 4e25]).std(); torch.tensor([1e25, 2e25, 4e25]).var();
    torch.tensor([300., 60000, 1]).half().std(); torch.tensor([1e25, 2e25, 4e25]).norm();
    torch.linalg.norm(torch.tensor([1e25, 2e25])); torch.tensor([3e4, 3e4]).half().norm();
    F.normalize(torch.tensor([[3e4, 3e4]]).half()); torch.tensor([1e25, 2e25, 4e25]).std(0);
    torch.std_mean(torch.tensor([1e25, 2e25, 4e25]))
    """,
)

# Targets that are no probabilities -----------------------------------------------------------------------
cases(
    refused="""
    F.binary_cross_entropy(torch.tensor([.5]), torch.tensor([2.]));
    F.binary_cross_entropy(torch.tensor([.5]), torch.tensor([-.5]));
    F.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.]));
    F.binary_cross_entropy(torch.tensor([nan]), torch.tensor([1.]));
    F.binary_cross_entropy(torch.tensor([.5]), torch.tensor([nan]))
    """,
)

# The sign of a zero that is left over --------------------------------------------------------------------
cases(
    """
    str(torch.tensor([-4., 4.])%2); str(torch.tensor([-4., 4.])%-2);
    str(torch.remainder(torch.tensor([-0., 0.]), 2)); str(torch.fmod(torch.tensor([-4., 4.]), 2));
    str(torch.tensor([-4., 4.]).half()%2); str(-4.0 % torch.tensor([2., -2.]));
    str(torch.tensor([1., -1.])%inf); str(torch.floor_divide(torch.tensor([-0., 0.]), 2.));
    str(torch.tensor([-4., 4., 0.])//2)
    """,
)

# Empty sequences -----------------------------------------------------------------------------------------
cases(
    """
    torch.searchsorted(torch.empty(0), torch.empty(0));
    torch.searchsorted(torch.empty(0), torch.tensor([1.]));
    torch.searchsorted(torch.tensor([1.]), torch.empty(0));
    torch.searchsorted(torch.empty(2, 0), torch.empty(2, 3));
    torch.bucketize(torch.tensor([1.]), torch.empty(0));
    torch.searchsorted(torch.tensor([1., 2.]), 1.5)
    """,
)

# Empty indices of any type -------------------------------------------------------------------------------
cases(
    """
    torch.gather(torch.ones(3), 0, torch.empty(0, dtype=torch.uint8));
    torch.gather(torch.ones(3), 0, torch.empty(0));
    torch.gather(torch.ones(3), 0, torch.tensor([0], dtype=torch.int32));
    torch.ones(3).scatter(0, torch.empty(0, dtype=torch.uint8), 1.);
    torch.ones(3).scatter(0, torch.empty(0), 1.);
    torch.index_select(torch.ones(3), 0, torch.tensor([0], dtype=torch.int32));
    torch.ones(3).scatter_add(0, torch.empty(0, dtype=torch.uint8), torch.empty(0))
    """,
    """
    torch.gather(torch.ones(3), 0, torch.tensor([0], dtype=torch.uint8));
    torch.index_select(torch.ones(3), 0, torch.empty(0));
    torch.index_select(torch.ones(3), 0, torch.empty(0, dtype=torch.uint8));
    torch.take_along_dim(torch.ones(3), torch.empty(0, dtype=torch.uint8), 0);
    torch.take(torch.ones(3), torch.empty(0, dtype=torch.uint8));
    torch.ones(3).index_add(0, torch.empty(0, dtype=torch.uint8), torch.empty(0))
    """,
)

# Tensors without dimensions ------------------------------------------------------------------------------
cases(
    """
    torch.index_fill(torch.tensor(1.), 0, torch.tensor([0]), 5.);
    torch.index_fill(torch.tensor(1.), 0, torch.tensor(0), 5.);
    torch.index_fill(torch.ones(2), 0, torch.tensor(0), torch.tensor(3.));
    torch.index_add(torch.tensor(1.), 0, torch.tensor([0]), torch.tensor(2.));
    torch.index_select(torch.tensor(1.), 0, torch.tensor([0]));
    torch.index_copy(torch.tensor(1.), 0, torch.tensor([0]), torch.tensor(2.));
    torch.gather(torch.tensor(1.), 0, torch.tensor(0));
    torch.scatter(torch.tensor(1.), 0, torch.tensor(0), 2.)
    """,
    """
    torch.index_fill(torch.ones(2), 0, torch.tensor([[0]]), 3.);
    torch.index_fill(torch.tensor(1.), 0, torch.tensor([1]), 5.);
    torch.tensor(1.).index_add_(0, torch.tensor([0]), torch.tensor([2.]));
    torch.index_fill(torch.ones(2), 0, torch.tensor([0], dtype=torch.int32), 3.)
    """,
)

# Lengths of one ------------------------------------------------------------------------------------------
cases(
    """
    torch.tensordot(torch.ones(1, 3), torch.ones(2, 3), ([0], [0]));
    torch.tensordot(torch.ones(2, 1), torch.ones(3, 2), ([1, 0], [0, 1]));
    torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), 1);
    torch.tensordot(torch.ones(2, 3), torch.ones(2, 1), ([0, 1], [0, 1]));
    torch.tensordot(torch.ones(2), torch.ones(3), 0)
    """,
    """
    torch.tensordot(torch.ones(2, 3), torch.ones(2, 2), 1)
    """,
)

# Memory formats by keyword -------------------------------------------------------------------------------
cases(
    """
    torch.ones(1, 2, 2, 2).float(memory_format=torch.channels_last).stride();
    torch.ones(1, 2, 2, 2).half(memory_format=torch.channels_last).stride();
    torch.ones(1, 2, 2, 2).double(memory_format=torch.channels_last).stride();
    torch.ones(1, 2, 2, 2).int(memory_format=torch.preserve_format).stride();
    torch.ones(2).long(memory_format=torch.preserve_format);
    torch.ones(2).bool(memory_format=torch.contiguous_format);
    torch.ones(2).byte(memory_format=torch.preserve_format);
    torch.ones(2).cpu(memory_format=torch.preserve_format);
    torch.ones(2).short(memory_format=torch.preserve_format);
    torch.ones(2).char(memory_format=torch.preserve_format)
    """,
    """
    torch.ones(2).int(memory_format=torch.channels_last)
    """,
)

# Windows of nothing --------------------------------------------------------------------------------------
cases(
    """
    torch.ones(2, requires_grad=True).unfold(0, 0, 8).requires_grad;
    torch.ones(2, requires_grad=True).unfold(0, 0, 8).shape;
    torch.ones(3, 4, requires_grad=True).unfold(1, 0, 8).requires_grad;
    torch.ones(3, 4, requires_grad=True).unfold(1, 0, 8).shape;
    torch.ones(3, 4, requires_grad=True).unfold(1, 1, 1).requires_grad;
    torch.tensor(1.).unfold(0, 1, 1)
    """,
)

# Results put into another tensor -------------------------------------------------------------------------
cases(
    """
    torch.logical_and(torch.tensor([1., 0.]), torch.tensor([1., 1.]), out=torch.empty(2));
    torch.logical_not(torch.tensor([1., 0.]), out=torch.empty(2));
    torch.logical_or(torch.tensor([1., 0.]), torch.tensor([1., 1.]), out=torch.empty(2, dtype=torch.int32));
    torch.logical_xor(torch.tensor([1., 0.]), torch.tensor([1., 1.]), out=torch.empty(2, dtype=torch.bool));
    torch.eq(torch.tensor([1., 0.]), 1, out=torch.empty(2)); torch.isnan(torch.tensor([1.]));
    torch.lt(torch.tensor([1., 0.]), 1, out=torch.empty(2, dtype=torch.int64))
    """,
    """
    torch.add(torch.tensor([1., 0.]), 1, out=torch.empty(2, dtype=torch.int64))
    """,
)

# One memory, copied once ---------------------------------------------------------------------------------
cases(
    """
    tied(copy.deepcopy([x:=torch.arange(3.), x[1:]])); tied(saved([x:=torch.arange(3.), x[1:]]));
    tied(saved({'a':(x:=torch.arange(3.)), 'b':x[1:]}).values());
    copy.deepcopy(torch.arange(6.).reshape(2, 3).T).stride(); copy.copy(x:=torch.arange(3.)) is x;
    tied([x:=torch.arange(3.), copy.copy(x)]); tied(copy.deepcopy([x:=torch.arange(3.), x.detach()]));
    tied(copy.deepcopy([x:=torch.arange(3.), x.view(3, 1)]))
    """,
)

# Results of several tensors ------------------------------------------------------------------------------
cases(
    """
    torch.max(torch.arange(3.), 0); torch.tensor([3., 1.]).sort();
    torch.topk(torch.tensor([3., 1.]), 1); str(torch.max(torch.arange(3.), 0));
    torch.max(torch.arange(4.).reshape(2, 2), 0); torch.linalg.qr(torch.eye(2));
    torch.linalg.slogdet(torch.eye(2)); torch.aminmax(torch.arange(3.));
    torch.median(torch.arange(3.), 0); torch.mode(torch.arange(3.));
    torch.kthvalue(torch.arange(3.), 1); torch.cummax(torch.arange(3.), 0);
    torch.linalg.eigh(torch.eye(1)); torch.linalg.svd(torch.eye(1));
    torch.linalg.lstsq(torch.eye(1), torch.eye(1)); torch.frexp(torch.ones(1));
    torch.max(torch.arange(3.), 0)[0]; torch.max(torch.arange(3.), 0)[:1];
    type(torch.max(torch.arange(3.), 0)).__name__;
    isinstance(torch.max(torch.arange(3.), 0), torch.return_types.max);
    torch.histogram(torch.arange(3.), 3); torch.unique_consecutive(torch.ones(2), return_counts=True);
    torch.nanmedian(torch.arange(3.), 0); torch.slogdet(torch.eye(2));
    torch.std_mean(torch.arange(3.)); torch.return_types.max((torch.ones(1), torch.ones(1)))
    """,
)

# Hooks that return something -----------------------------------------------------------------------------
cases(
    """
    hooked(lambda p: None); hooked(lambda p: p.add_(1))
    """,
    """
    hooked(lambda p: p.data.add_(1)); hooked(lambda p: 3)
    """,
)

# Errors of sizes and places ------------------------------------------------------------------------------
cases(
    """
    torch.quantile(torch.tensor(1.), .5, dim=0); torch.nanquantile(torch.tensor(1.), .5, dim=0);
    F.grid_sample(torch.ones(1, 1, 2, 2), torch.full((1, 1, 1, 2), nan), align_corners=False);
    F.grid_sample(torch.ones(1, 1, 2, 2), torch.full((1, 1, 1, 2), nan), align_corners=False, mode='nearest');
    F.grid_sample(torch.ones(1, 1, 2, 2), torch.full((1, 1, 1, 2), nan), align_corners=False, padding_mode='border');
    F.grid_sample(torch.arange(4.).reshape(1, 1, 2, 2), torch.full((1, 1, 1, 2), inf), align_corners=False, padding_mode='border');
    F.grid_sample(torch.arange(4.).reshape(1, 1, 2, 2), torch.full((1, 1, 1, 2), nan), align_corners=False, padding_mode='reflection');
    F.grid_sample(torch.arange(4.).reshape(1, 1, 2, 2), torch.full((1, 1, 1, 2), inf), align_corners=False);
    F.grid_sample(torch.arange(4.).reshape(1, 1, 2, 2), torch.full((1, 1, 1, 2), nan), align_corners=False, mode='bicubic')
    """,
    """
    torch.eye(-1); torch.eye(2, -1); torch.hsplit(torch.ones(2), 0); torch.vsplit(torch.ones(2, 2), 0);
    torch.dsplit(torch.ones(2, 2, 2), 0); torch.hsplit(torch.ones(4), 3);
    torch.vsplit(torch.ones(2), 1); torch.cat([]); torch.cat([1, 2]); torch.cat(torch.ones(2, 2));
    torch.stack([]); torch.quantile(torch.tensor(1.), .5, dim=1);
    torch.quantile(torch.ones(3), torch.ones(2, 2)); torch.quantile(torch.ones(3), 2.);
    torch.quantile(torch.ones(3).half(), .5); torch.quantile(torch.ones(3, dtype=torch.int64), .5);
    torch.quantile(torch.empty(0), .5)
    """,
)

# Errors of dimensions, and of numbers where tensors are wanted -------------------------------------------
cases(
    """
    torch.roll(torch.tensor(1.), 1); torch.add(1, 2); torch.where(torch.tensor([True]), 1, 2);
    torch.copysign(torch.ones(1), 1); torch.floor_divide(1, 2); torch.true_divide(1, 2);
    torch.sub(1, 2); torch.mul(1, 2); torch.div(1, 2); torch.float_power(2, torch.ones(1))
    """,
    """
    torch.rot90(torch.ones(2, 2), 1, (1, 1)); torch.rot90(torch.ones(2, 2), 1, (0, -2));
    torch.rot90(torch.ones(2), 1); torch.rot90(torch.ones(2, 2), 1, (0, ));
    torch.flipud(torch.tensor(1.)); torch.fliplr(torch.ones(2)); torch.roll(torch.ones(2), ());
    torch.roll(torch.ones(2), 1, (0, 1)); torch.roll(torch.ones(2), (), ()); torch.atan2(1, 2);
    torch.flip(torch.ones(2, 2), (0, 0)); torch.flip(torch.ones(2, 2), 0, 0); torch.maximum(1, 2);
    torch.maximum(torch.ones(1), 2); torch.pow(2, 3); torch.hypot(torch.ones(1), 1.); torch.fmod(1, 2);
    torch.remainder(1, 2); torch.logaddexp(torch.ones(1), 1.); torch.where(True, 1, 2);
    torch.lerp(1., 2., .5); torch.atan2(torch.ones(1), 2); torch.nextafter(torch.ones(1), 2.);
    torch.copysign(1, torch.ones(1)); torch.xlogy(1, 2); torch.logical_and(1, 2); torch.eq(1, 2);
    torch.eq(1, torch.ones(1)); torch.bitwise_and(1, 2); torch.gcd(1, 2);
    torch.dist(torch.ones(2), 1.); torch.dot(torch.ones(2), 1.); torch.cross(torch.ones(3), 2.);
    torch.float_power(2, 3); torch.abs(1); torch.fmax(torch.ones(1), 1.);
    torch.heaviside(torch.ones(1), 1.); torch.ldexp(torch.ones(1), 1); torch.minimum(1, torch.ones(1))
    """,
)

# Arrays, texts and lists as operands ---------------------------------------------------------------------
cases(
    """
    torch.ones(2, 2)@np.ones((2, 2), 'f4'); torch.ones(2)+np.ones(2, 'f4'); torch.ones(2)*np.ones(2);
    torch.ones(2)*np.float64(2); torch.ones(2)-np.ones(2); torch.ones(2)/np.ones(2);
    torch.ones(2)**np.ones(2); torch.ones(2)==np.ones(2); torch.ones(2)//np.ones(2);
    torch.ones(2)%np.ones(2); 'ab'*torch.tensor(2); torch.tensor(2)*'ab'; [1]*torch.tensor(2);
    torch.tensor(2)*[1]; torch.ones(2)==None; torch.ones(2)=='a'; (1, 2)*torch.tensor(2);
    b'ab'*torch.tensor(2)
    """,
    """
    'ab'*torch.ones(2); 'ab'+torch.tensor(2); torch.tensor(2)+'ab'; [1, 2]*torch.ones(2);
    torch.ones(2)+[1, 2]; torch.ones(2)@[1, 2]; torch.ones(2)+None; torch.ones(2)<None;
    torch.mul('ab', torch.tensor(2)); torch.mul(torch.tensor(2), 'ab');
    torch.matmul(torch.ones(2, 2), np.ones((2, 2))); 2@torch.ones(2); torch.tensor(3)&'a';
    torch.tensor(1)<<'a'
    """,
)

# In reverse ----------------------------------------------------------------------------------------------
cases(
    """
    list(reversed(torch.arange(3.))); reversed(torch.arange(3.));
    reversed(torch.arange(4.).reshape(2, 2)); reversed(torch.tensor(1.))
    """,
)

# Classes made from Tensor --------------------------------------------------------------------------------
cases(
    """
    torch.ones(2).as_subclass(torch.Tensor); torch.ones(2).as_subclass(torch.nn.Parameter)
    """,
    """
    torch.ones(2).as_subclass(int)
    """,
)

# Arrays that cannot be shared ----------------------------------------------------------------------------
cases(
    """
    torch.from_numpy(np.broadcast_to(np.arange(3.), (2, 3))).stride()
    """,
    """
    torch.from_numpy(np.arange(3.)[::-1]); torch.as_tensor(np.arange(3.)[::-1]);
    torch.tensor(np.arange(3.)[::-1]); torch.from_numpy(np.arange(6.).reshape(2, 3)[:, ::-1]);
    torch.Tensor(np.arange(3.)[::-1]); torch.from_numpy(np.arange(3, dtype='>f4'));
    torch.from_numpy(np.array(['a'])); torch.from_numpy([1]); torch.from_numpy(np.float32(1));
    torch.from_numpy(np.array([None]))
    """,
)

# The class as a function ---------------------------------------------------------------------------------
cases(
    """
    torch.Tensor(np.full((2, 2), 200, 'u1'))*2; torch.Tensor(torch.ones(2, dtype=torch.int64));
    torch.Tensor(2, 3).shape; torch.Tensor([1, 2]); torch.Tensor([[1, 2], [3, 4]]);
    torch.Tensor(3).shape; torch.Tensor((2, 3)); torch.Tensor(torch.Size([2, 3])).shape;
    torch.Tensor(np.ones(2)); torch.Tensor(torch.ones(2).double()); torch.Tensor(np.int64(3)).shape;
    torch.Tensor(range(3)); torch.Tensor([True, False]);
    torch.Tensor([torch.tensor(1), torch.tensor(2)]); torch.Tensor([]);
    torch.Tensor([1, 2], device='cpu'); torch.Tensor(data=[1]);
    torch.Tensor(torch.ones(2, requires_grad=True)).requires_grad; torch.Tensor(np.array([True]));
    torch.Tensor(torch.tensor(3)); torch.Tensor(x:=torch.ones(2)) is x;
    tied([x:=torch.ones(2), torch.Tensor(x)]); tied([x:=np.ones(2, 'f4'), torch.Tensor(x)]);
    torch.FloatTensor(np.ones(2, 'u1')); torch.LongTensor(np.ones(2));
    torch.Tensor(torch.tensor([1, 2]).half()); torch.Tensor([np.ones(2), np.ones(2)]);
    torch.Tensor(1, torch.tensor(2)).shape; torch.Tensor(torch.tensor(2), 1).shape;
    torch.Tensor(np.int32(2), 3).shape; tied([x:=torch.ones(2), torch.FloatTensor(x)]);
    torch.Tensor([1e400]); torch.Tensor([2**70]); torch.Tensor(device='cpu');
    torch.Tensor(torch.ones(2).untyped_storage()); torch.Tensor(torch.ones(2).storage());
    torch.nn.Parameter(torch.Tensor(2, 2)).shape; torch.Tensor.__new__(torch.Tensor, 2).shape;
    torch.Tensor(np.ones(2, 'f4')[::2])
    """,
    """
    torch.Tensor(2.5); torch.Tensor('a'); torch.Tensor(None); torch.Tensor(np.float32(3));
    torch.Tensor(True); torch.Tensor(-1); torch.Tensor(2, 2.5);
    torch.Tensor([1, 2], dtype=torch.int32); torch.Tensor([1, 2], requires_grad=True);
    torch.FloatTensor(torch.ones(2, dtype=torch.int64)); torch.Tensor([[1, 2], [3]]);
    torch.Tensor({1})
    """,
)


# What answers for itself ---------------------------------------------------------------------------------
cases("torch.sum(Duck()); torch.add(Duck(), torch.ones(2)); torch.mean(Duck(), 0, keepdim=True)")

# The order of elements in memory, where it is promised ---------------------------------------------------
LAID_OUT = """
    {0}.stride(); {0}.transpose(1, 2).stride(); torch.empty_like({0}).stride(); torch.zeros_like({0}).stride();
    torch.ones_like({0}).stride(); torch.full_like({0}, 2.0).stride(); {0}.clone().stride();
    {0}.contiguous().stride(); {0}.to(torch.float64).stride(); {0}.half().stride(); {0}.long().stride();
    {0}.to(torch.float64, copy=True).stride(); {0}.to(torch.float64, memory_format=torch.channels_last).stride();
    {0}.to(torch.float64, memory_format=torch.contiguous_format).stride();
    {0}.clone(memory_format=torch.contiguous_format).stride();
    {0}.clone(memory_format=torch.channels_last).stride(); {0}.clone(memory_format=torch.preserve_format).stride();
    torch.zeros_like({0}, memory_format=torch.contiguous_format).stride();
    torch.empty_like({0}, memory_format=torch.channels_last).stride();
    torch.ones_like({0}, memory_format=torch.preserve_format).stride();
    torch.full_like({0}, 2.0, memory_format=torch.channels_last).stride(); copy.deepcopy({0}).stride()
"""
for laid in (
    "torch.ones(2, 3, 4, 5)",
    "torch.ones(2, 3, 4, 5).transpose(1, 2)",
    "torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)",
    "torch.ones(2, 1, 4, 5).expand(2, 3, 4, 5)",
    "torch.ones(4, 3, 4, 5)[1:3]",
):
    cases(LAID_OUT.format(laid))
