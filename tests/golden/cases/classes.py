"""Classes made from Tensor and what answers for them, unsigned types, types in brackets, what a user's node keeps."""

import io

import numpy as np
from golden import Area, real

area = Area()


def picture(torch):
    class Picture(torch.Tensor):
        pass

    return Picture


def kinds(*values):
    return [type(value).__name__ for value in values]


@area.case(real(2, 3), gradient=False)
def what_is_computed_of_a_class_is_of_it(torch, x):
    p = x.as_subclass(picture(torch))
    stacked, activated = torch.stack([p, p]), torch.nn.functional.relu(p)
    moved, picked = p.T, (p.max(0).values, *p.split(1), *p)
    arithmetic = p + 1, 1 - p, x * p, p @ p.T, -p, p > 0, p[0], p.sum(), torch.sum(p), torch.exp(p), p.half()
    return (
        kinds(stacked, activated, moved, *picked, *arithmetic, p.detach(), p.clone(), p.data),
        p @ p.T,
        repr(p[0]),
    )


@area.case(real(3), gradient=False)
def a_class_sees_each_call_and_may_keep_a_note(torch, x):
    seen = []

    class Noted(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            result = super().__torch_function__(func, types, args, kwargs or {})
            if isinstance(result, cls):
                result.note = next(a.note for a in args if isinstance(a, cls))
            return result

    noted = x.as_subclass(Noted)
    noted.note = "seen"
    y = (noted + 1).view(3, 1).sum()
    z = torch.nn.functional.relu(torch.exp(noted * 2))
    return y.note, z.note, [name for name in seen if name != "__set__"], z


@area.case(real(3))
def gradients_pass_through_a_class(torch, x):
    p = x.as_subclass(picture(torch)) * 2
    return (p.exp().sum() + torch.softmax(p, 0)[0]).as_subclass(torch.Tensor)


@area.case(gradient=False)
def parameters_and_what_is_made_from_them_do_not_answer(torch):
    class Weight(torch.nn.Parameter):
        pass

    weight = Weight(torch.ones(2))
    return kinds(
        weight * 2, weight.sum(), torch.stack([weight]), torch.nn.functional.relu(weight)
    ), weight + 1


@area.case(gradient=False)
def two_classes_are_asked_the_derived_one_first(torch):
    class First(torch.Tensor):
        pass

    class Second(First):
        pass

    class Other(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return f"{func.__name__} of {sorted(kind.__name__ for kind in types)}"

    first, second, other = First([1.0]), Second([2.0]), Other([3.0])
    return kinds(first + second, second + first), first + other, torch.stack([first, other])


@area.case(real(2, 2), gradient=False)
def classes_are_asked_beside_parameters_and_by_names(torch, x):
    p, weight = x.as_subclass(picture(torch)), torch.nn.Parameter(torch.ones(2, 2))
    relu, linear, layer = torch.nn.functional.relu, torch.nn.functional.linear, torch.nn.Linear(2, 2)
    return kinds(weight * p, p * weight, weight @ p, x @ p, relu(p), linear(p, weight), layer(p), x - p, 2**p)


@area.case(real(2), gradient=False)
def what_is_no_tensor_may_answer_for_an_operator(torch, x):
    class Told:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__, len(args)

    y, told = x.clone(), Told()
    results = [
        x + told,
        x - told,
        x * told,
        x / told,
        x @ told,
        x**told,
        x // told,
        x % told,
        told + x,
        told - x,
    ]
    y += told
    return results, x == told, x < told, x.long() & told, y, torch.add(told, x), torch.mean(told)


def arrays(torch):
    return {
        "array": np.array([[1.0, 2.0], [3.0, 4.0]]), "single": np.float32([[1.0, 2.0], [3.0, 4.0]]),
        "whole": np.array([[1, 2], [3, 4]]), "number": np.float64(2), "short": np.float32(0.5),
    }  # fmt: skip


# An array on the right of an operator takes the tensor for an array; one on the left is refused.
area.each(
    "x",
    [real(2, 2)],
    """
    x + array; x - array; x * single; x / single; x // array; x % array; x**array; x @ array; x + whole; x == array; array == x; array / x
    x * number; number * x; number - x; x / short; short / x; number**x; np.exp(x); np.add(x, 1); np.sqrt(x.abs()); np.maximum(x, 0.0); np.isfinite(x)
    np.concatenate([x, x]); np.add.reduce(x); np.arctan2(x, x)
    """,
    given=arrays,
    gradient=False,
)
area.refused(
    "x",
    [real(2, 2)],
    """
    array + x; array - x; single * x; array // x; array % x; array**x; array @ x; single @ x; whole & x.long(); array < x; array >= x; x < array; x >= whole
    torch.add(x, array); x.mul(single); torch.maximum(x, array); x.matmul(array); np.exp(x.requires_grad_()); array * x.requires_grad_()
    x + 'a'; x * None; x @ 2; x & [1]; torch.atan2(x, array); x.eq(array); np.multiply(x.requires_grad_(), 2); np.sum(x)
    """,
    given=arrays,
)
area.each(
    "",
    [],
    """
    torch.tensor([1, 65535], dtype=torch.uint16).dtype; torch.zeros(2, dtype=torch.uint32).dtype; torch.full((2,), 7, dtype=torch.uint64)
    torch.from_numpy(np.array([1, 65535], np.uint16)); torch.tensor(np.array([1, 2], np.uint32)); torch.tensor([1, 70000]).to(torch.uint16)
    torch.tensor([1, -1]).to(torch.uint32); torch.tensor([3, 4], dtype=torch.uint16).float(); torch.tensor([3, 0], dtype=torch.uint64).bool()
    torch.tensor([3, 4], dtype=torch.uint16) * 2; torch.tensor([3, 4], dtype=torch.uint32) / 2; torch.tensor([3, 4], dtype=torch.uint16) == 3
    torch.tensor([3, 4], dtype=torch.uint16).sum(); torch.tensor([3, 4], dtype=torch.uint16).view(torch.int16); torch.ones(2, dtype=torch.int16).view(torch.uint16)
    torch.tensor([3, 4], dtype=torch.uint32).tolist(); torch.tensor(2**64 - 1, dtype=torch.uint64).item(); torch.cat([torch.tensor([1], dtype=torch.uint16)] * 2)
    torch.tensor([3, 4], dtype=torch.uint16).sort().values; torch.iinfo(torch.uint16).max; torch.uint32.itemsize; torch.uint16.is_signed; torch.tensor([1], dtype=torch.uint16).type()
    torch.promote_types(torch.uint16, torch.float16); torch.promote_types(torch.uint32, torch.uint32); str(torch.tensor([1, 65535], dtype=torch.uint16))
    torch.get_autocast_dtype("cpu"); torch.get_autocast_dtype("cuda"); torch.is_autocast_cpu_enabled(); torch.is_autocast_cache_enabled(); torch.get_autocast_cpu_dtype(); torch.get_autocast_gpu_dtype()
    F.nll_loss(torch.tensor([0.25, -1.0]), torch.tensor([1])); F.cross_entropy(torch.tensor([0.25, -1.0]), torch.tensor([1]), reduction='none')
    nn.LayerNorm(4)(torch.tensor([[1.0, 2.0, 3.0, 400.0]]).half()); nn.RMSNorm(4)(torch.tensor([[1.0, 2.0, 3.0, 400.0]]).half()); nn.GroupNorm(1, 2)(torch.tensor([[300.0, 310.0]]).half())
    torch.angle(torch.tensor([-1.0, 2.0]).requires_grad_()).requires_grad; torch.empty(20).log_normal_()[:5]; torch.empty(20).half().log_normal_(0.5, 0.3)
    torch.pow(3.0, torch.tensor(2.0).half()).dtype; torch.ldexp(torch.ones(2).half(), torch.tensor([1, 3]))
    """,
)  # fmt: skip
area.refused(
    "",
    [],
    """
    torch.promote_types(torch.uint16, torch.int16); torch.promote_types(torch.uint16, torch.uint8); torch.tensor([1], dtype=torch.uint16) + 1
    torch.tensor([1], dtype=torch.uint16) + torch.tensor([1]); torch.tensor(2**40, dtype=torch.uint32); torch.get_autocast_dtype("abc")
    nn.LayerNorm(2).half()(torch.ones(1, 2)); nn.LayerNorm(2, dtype=torch.float64)(torch.ones(1, 2).half()); torch.histogram(torch.ones(3).half(), 2)
    torch.tensor([3, 4], dtype=torch.uint16).max(); torch.tensor([3, 4], dtype=torch.uint32).min(0); torch.tensor([3, 4], dtype=torch.uint64).argmax(); torch.tensor([3], dtype=torch.uint16).amin()
    torch.arange(3, dtype=torch.uint16); torch.linspace(0, 1, 2, dtype=torch.uint32); torch.eye(2, dtype=torch.uint64); torch.randperm(3, dtype=torch.uint16)
    torch.special.erfcx(torch.ones(1).half()); torch.linalg.det(torch.eye(2).half()); F.rrelu(torch.ones(2).half(), training=True); torch.cdist(torch.ones(1, 2).half(), torch.ones(1, 2).half())
    """,
)


@area.case(gradient=False)
def unsigned_numbers_go_through_a_file(torch):
    file = io.BytesIO()
    numbers = torch.arange(6).reshape(2, 3)
    torch.save({kind: numbers.to(getattr(torch, kind))[1] for kind in ("uint16", "uint32", "uint64")}, file)
    file.seek(0)
    return torch.load(file)


@area.case(gradient=False)
def data_classes_take_types_in_brackets(torch):
    data = torch.utils.data

    class Backwards(data.Sampler[int]):
        def __iter__(self):
            return iter([2, 1, 0])

        def __len__(self):
            return 3

    class Numbers(data.Dataset[int]):
        def __getitem__(self, index):
            return index * 10

        def __len__(self):
            return 3

    loader: data.DataLoader[int] = data.DataLoader(Numbers(), 2, sampler=Backwards())
    return list(loader), data.DataLoader[int].__args__ == (int,), data.Sampler[int].__origin__ is data.Sampler


@area.case(real(2), gradient=False)
def a_node_outside_the_graph_keeps_nothing(torch, x):
    kept = []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            kept.append(ctx)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad * ctx.saved_tensors[0]

    Square.apply(x)
    Square.apply(x.clone().requires_grad_())
    with torch.no_grad():
        Square.apply(x.clone().requires_grad_())
    return [len(ctx.saved_tensors) for ctx in kept]
