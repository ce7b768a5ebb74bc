"""Module 06: the walk, accumulation, grad modes, hooks, second derivatives, and what backward refuses."""

from golden import Area, evaluator, integers, literal, positive, real, split, uniform

area = Area()


def leaf(torch, *values, **options):
    return torch.tensor(list(values), requires_grad=True, **options)


# Accumulation and the graph -------------------------------------------------------------------------------
@area.case((real(2, 3), real(2, 3)), gradient=False)
def backward_adds_to_grad(torch, x, cotangent):
    x.requires_grad_()
    seen = [x.grad]
    (x * x).backward(cotangent)
    seen.append(x.grad.clone())
    (x * 3).sum().backward()
    return seen, x.grad


@area.case((real(3), real(3)), gradient=False)
def a_tensor_used_twice_gets_both_gradients(torch, x, y):
    x.requires_grad_()
    y.requires_grad_()
    z = x * y + x
    (z * z + x).sum().backward()
    return x.grad, y.grad


@area.case(real(3), gradient=False)
def diamonds_are_walked_once(torch, x):
    x.requires_grad_()
    y = x
    for _ in range(30):
        y = (y + y) * 0.5
    y.sum().backward()
    return x.grad


@area.case(real(4), gradient=False)
def inner_tensors_keep_no_grad_unless_asked(torch, x):
    x.requires_grad_()
    y = x * 2
    z = y * y
    z.retain_grad()
    z.sum().backward()
    return x.grad, z.grad, [x.is_leaf, y.is_leaf, x.retains_grad, z.retains_grad]


@area.case((real(2, 3), integers(2, 3)), gradient=False)
def tensors_know_where_they_come_from(torch, x, n):
    x.requires_grad_()
    y = x.exp()
    total = (y * 2 + n).sum()
    flags = [t.requires_grad for t in (x, y, n, n * 2, total, y.detach(), y.argmax(), y > 0, y.data)]
    return flags, x.grad_fn, x.is_leaf, total.is_leaf, y.detach().is_leaf


@area.case()
def the_text_names_the_gradient_function(torch):
    x = torch.ones(2, requires_grad=True)
    made = (
        x,
        x * 2,
        x + 1,
        x - 1,
        x / 2,
        -x,
        x.exp(),
        x.sum(),
        x.mean(),
        x.detach(),
        torch.relu(x),
        x.sigmoid(),
    )
    return [repr(tensor) for tensor in made]


@area.case((real(3), real(3)), gradient=False)
def a_kept_graph_can_be_walked_again(torch, x, cotangent):
    x.requires_grad_()
    y = x.exp() * x
    y.backward(cotangent, retain_graph=True)
    first = x.grad.clone()
    y.backward(cotangent)
    return first, x.grad


@area.case(real(3), gradient=False)
def backward_reaches_only_the_inputs_named(torch, x):
    y = leaf(torch, 1.0, 2.0, 3.0)
    x.requires_grad_()
    (x * y).sum().backward(inputs=[x])
    return x.grad, y.grad


@area.case()
def a_chain_of_ten_thousand_operations(torch):
    x = leaf(torch, 1.0)
    y = x
    for _ in range(10_000):
        y = y + 0.001
    (y * 2).backward()
    return x.grad


@area.case()
def gradients_keep_dtype_and_shape_of_their_tensors(torch):
    single = leaf(torch, [1.0, 2.0], [3.0, 4.0])
    double = leaf(torch, 1.0, 2.0, dtype=torch.float64)
    scalar = torch.tensor(2.0, requires_grad=True)
    (single * double * scalar).sum().backward()
    return single.grad, double.grad, scalar.grad


@area.case(real(3), gradient=False)
def a_gradient_that_a_hook_kept_stays_as_it_was(torch, x):
    x.requires_grad_()
    seen = []
    x.register_hook(seen.append)
    (x * 2).sum().backward()
    (x * 3).sum().backward()
    x.grad.mul_(10)
    return seen, x.grad


@area.case((real(3), real(3), real(3)), gradient=False)
def a_gradient_has_memory_of_its_own(torch, x, y, cotangent):
    class Passes(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, gradient):
            return ctx.saved_tensors[0]

    x.requires_grad_()
    y.requires_grad_()
    Passes.apply(x).backward(cotangent)
    (y + y.detach()).backward(cotangent)
    x.grad.zero_()
    y.grad.zero_()
    y.grad = None
    y.backward(cotangent, create_graph=True)
    y.grad.detach().zero_()
    return x, y, cotangent


@area.case((real(3), real(3)), gradient=False)
def adding_to_grad_is_a_change_in_place(torch, x, w):
    x.requires_grad_()
    w.requires_grad_()
    versions = []
    for _ in range(3):
        (x * 2).sum().backward()
        versions.append(x.grad._version)
    held = x.grad
    (x * w).sum().backward(create_graph=True)
    return versions, held, x.grad, x.grad is held


@area.case((real(3), real(3)), gradient=False)
def tensors_on_one_memory_are_not_one_tensor(torch, x, values):
    def derivatives(function, *leaves):
        first = torch.autograd.grad(function(*leaves).sum(), leaves, create_graph=True)
        second = [
            torch.autograd.grad(g.sum(), leaves, allow_unused=True, retain_graph=True)
            for g in first
            if g.requires_grad
        ]
        return first, second

    def product(a, b):
        return a * a * b

    x.requires_grad_()
    array = values.numpy()
    pairs = [[make(array).requires_grad_() for _ in range(2)] for make in (torch.from_numpy, torch.as_tensor)]
    pairs.append([torch.nn.Parameter(values), torch.nn.Parameter(values)])
    other = torch.zeros(3, requires_grad=True)
    other.data = x.data
    pairs.append([x, other])
    found = [derivatives(product, *pair) for pair in pairs]
    return found, derivatives(lambda a: a * a.detach(), x), derivatives(lambda a: a * a.data * a, x)


# autograd.grad --------------------------------------------------------------------------------------------
GRAD = [(real(2, 3), real(2, 3))]
area.each(
    "x, v",
    GRAD,
    """
    torch.autograd.grad((x.requires_grad_() * 3).sum(), x)
    torch.autograd.grad(x.requires_grad_().exp(), [x], v)
    torch.autograd.grad([x.requires_grad_().exp(), x.sin()], [x], [v, v * 2])
    torch.autograd.grad(x.requires_grad_().sum(), [x, v.requires_grad_()], allow_unused=True)
    torch.autograd.grad(x.requires_grad_().sum(), [x, v.requires_grad_()], materialize_grads=True)
    torch.autograd.grad(outputs=(y := x.requires_grad_() * 2).sum(), inputs=[y])
    torch.autograd.grad((x.requires_grad_() ** 2).sum(), x, create_graph=True)
    """,
    gradient=False,
)


@area.case(real(3), gradient=False)
def grad_leaves_grad_alone(torch, x):
    x.requires_grad_()
    (found,) = torch.autograd.grad(x.exp().sum(), x)
    return found, x.grad, found.requires_grad


# Second derivatives: the gradient of a gradient's random projection, for every smooth operation -----------
SECOND = """
    x * x; x * x * x; x ** 3; x ** 2.0; 1 / x; x / (x + 2); x.exp(); x.log(); x.sqrt(); x.sin(); x.cos()
    torch.sin(x) * x
    x.sum(0) ** 2; x.mean(1) * x.sum(1); x.var(1); x.std(1); (x * x).cumsum(1); x @ x.T @ x
    torch.einsum('ij,kj->ik', x, x)
    torch.sigmoid(x); torch.tanh(x); F.silu(x); F.softplus(x); F.gelu(x); F.gelu(x, approximate='tanh')
    F.leaky_relu(x) ** 2
    torch.relu(x) ** 3; torch.softmax(x, 1); torch.log_softmax(x, 0); torch.logsumexp(x, 1)
    x.reshape(-1)[1:] ** 2; x.T ** 2
    x[:, [0, 0, 1]] ** 2; x.gather(1, torch.tensor([[0, 1, 1], [2, 0, 0]])) ** 2
    torch.where(x > 1, x * x, x ** 3); x.clamp(0.5, 2) ** 2
    torch.cat([x, x * x]) ** 2; torch.stack([x, x.exp()]) * x; x.max(1).values ** 2; x.abs() ** 3
    torch.maximum(x, x.flip(0)) ** 2
    (x.tril() ** 2).masked_fill(x > 2, 0); x.sort(1).values ** 2; x.unsqueeze(0).expand(3, 2, 3) ** 2
    x.permute(1, 0) * x.T
    F.mse_loss(x, x.flip(1)); F.huber_loss(x, x.flip(1)); F.cross_entropy(x, torch.tensor([2, 0]))
    F.linear(x, x) ** 2
    F.cross_entropy(x, torch.tensor([2, 0]), label_smoothing=0.1, reduction='none')
    F.nll_loss(x * x, torch.tensor([2, 0]))
    F.binary_cross_entropy_with_logits(x, torch.sigmoid(x).detach(), reduction='none')
    F.kl_div(x * x, x.detach(), reduction='sum')
    F.binary_cross_entropy(torch.sigmoid(x), (x > 1).float()); x.split(2, dim=1)[0] ** 2; x.prod(1)
    x.pow(x); torch.pow(2.0, x)
    x.double() ** 2; x.clone().mul_(x) * x; x.topk(2, dim=1).values ** 2; x.amax(1) ** 2
    torch.outer(x[0], x[1]) * x[0, 0]
"""


def with_its_gradient(text):
    inner = evaluator(text, "x")

    def program(torch, x):
        y = inner(torch, x)
        (gradient,) = torch.autograd.grad(
            y, x, torch.linspace(0.5, 1.5, y.numel()).reshape(y.shape).to(y.dtype), create_graph=True
        )
        return y, gradient

    return program


for text in split(SECOND):
    area.add(
        f"twice: {text}", with_its_gradient(text), [positive(2, 3), positive(2, 3).transposed], tolerance=10
    )


# Norms, where they have no derivative too: at zero, at a zero, between equals ------------------------------
POINTED = [[0.0, 0.0, 0.0], [1.0, 0.0, -2.0], [3.0, -3.0, 0.5], [float("nan"), 1.0, 2.0]]
NORMS = """
    x.norm({0}); x.norm({0}, dim=1); x.norm({0}, 0, True); torch.norm(x, p={0}, dim=(0, -1), keepdim=True)
"""
for p in (
    "'fro'",
    "None",
    "2",
    "3",
    "1.5",
    "1",
    "0.5",
    "float('inf')",
    "-float('inf')",
    "-1",
    "torch.tensor(2.5)",
):
    area.each(
        "x",
        [literal(POINTED), literal(POINTED[:3], "float64"), literal([[0.0, 0.0]]), real(3, 4).transposed],
        NORMS.format(p),
        tolerance=4,
    )
    area.add(
        f"twice: x.norm({p}, dim=1)",
        with_its_gradient(f"x.norm({p}, dim=1)"),
        [literal(POINTED[1:3], "float64"), real(2, 3, dtype="float64")],
    )
area.each(
    "x",
    [literal(POINTED), real(0, 3), real()],
    "x.norm(0); torch.norm(x, 0, dim=0); x.norm(); x.norm(dtype=torch.float64); x.norm(2, ())",
    tolerance=4,
)
area.each(
    "x", [uniform(100, low=200, high=400, dtype="float16")], "x.norm(); x.norm(1); x.norm(3)", tolerance=4
)
area.refused(
    "x",
    [real(0, 3)],
    """
    x.norm(float('inf')); x.norm(-1); x.norm(float('inf'), dim=0); x.norm(2, dim=2); x.norm(2, dim=(0, 0))
    x.norm('x'); x.norm(dtype=torch.int64); x.long().norm(); (x > 0).norm()
    """,
)


@area.case(uniform(3, low=0.5, high=2), gradient=False)
def derivatives_up_to_the_fourth(torch, x):
    x.requires_grad_()
    found, y = [], (x**5).sum()
    for _ in range(4):
        (gradient,) = torch.autograd.grad(y, x, create_graph=True)
        found.append(gradient)
        y = gradient.sum()
    return found


@area.case((real(4, 3), real(3, 2), real(2)), gradient=False)
def a_penalty_on_the_gradient_is_trained_through(torch, x, weight, bias):
    weight.requires_grad_()
    bias.requires_grad_()
    x.requires_grad_()
    output = torch.tanh(x @ weight + bias).sum()
    (inner,) = torch.autograd.grad(output, x, create_graph=True)
    ((inner * inner).sum(1) - 1).pow(2).mean().backward()
    return weight.grad, bias.grad, x.grad


@area.case(real(3), gradient=False)
def backward_with_create_graph_gives_a_grad_that_can_be_derived(torch, x):
    x.requires_grad_()
    (x**3).sum().backward(create_graph=True)
    first = x.grad
    (second,) = torch.autograd.grad(first.sum(), x)
    return first, second


# Modes ----------------------------------------------------------------------------------------------------
@area.case(real(3), gradient=False)
def no_grad_records_nothing(torch, x):
    x.requires_grad_()
    with torch.no_grad():
        inside = x * 2
        with torch.enable_grad():
            nested = x * 3
        made = torch.ones(2, requires_grad=True)
        state = torch.is_grad_enabled()

    @torch.no_grad()
    def decorated(value):
        return value * 4

    @torch.enable_grad()
    def enabled(value):
        return value * 5

    with torch.set_grad_enabled(False):
        switched = x * 6
    return inside, nested, made, state, decorated(x), enabled(x), switched, torch.is_grad_enabled()


@area.case(real(3), gradient=False)
def set_grad_enabled_works_as_a_function(torch, x):
    x.requires_grad_()
    torch.set_grad_enabled(False)
    off = x * 2
    torch.set_grad_enabled(True)
    return off, x * 2


@area.case(real(3), gradient=False)
def an_error_inside_no_grad_restores_the_mode(torch, x):
    try:
        with torch.no_grad():
            raise ValueError("inside")
    except ValueError:
        return torch.is_grad_enabled()


@area.case()
def modes_decorate_with_and_without_parentheses(torch):
    on = torch.is_grad_enabled

    def decorated(mode):
        return mode(lambda: on())

    modes = [torch.no_grad, torch.no_grad(), torch.enable_grad, torch.enable_grad(), torch.inference_mode]
    modes += [torch.inference_mode(), torch.inference_mode(False), torch.inference_mode(mode=True)]
    functions = [decorated(mode) for mode in modes]
    functions += [decorated(torch.set_grad_enabled(mode)) for mode in (True, False)]
    seen = [on(), [function() for function in functions], on()]
    with torch.no_grad():
        seen.append([function() for function in functions])

    @torch.no_grad
    def named(a, *, b=2):
        """What it says."""
        return a + b, on()

    return seen, on(), named(1, b=3), named.__name__, named.__doc__


@area.case()
def one_block_is_entered_many_times(torch):
    on, seen = torch.is_grad_enabled, []
    for block in (torch.no_grad(), torch.enable_grad(), torch.inference_mode(), torch.inference_mode(False)):
        for _ in range(3):
            with block as value:
                seen.append((on(), value))
            seen.append(on())
        with torch.no_grad():
            with block:
                seen.append(on())
            seen.append(on())
    return seen, on()


@area.case()
def set_grad_enabled_switches_at_once_and_as_a_block(torch):
    on, seen = torch.is_grad_enabled, []
    block = torch.set_grad_enabled(False)
    seen.append(on())
    with block as value:
        seen.append((on(), value))
    seen.append(on())
    with block:
        seen.append(on())
        with torch.set_grad_enabled(True):
            seen.append(on())
        seen.append(on())
    seen.append(on())
    waiting = torch.set_grad_enabled(mode=False)
    torch.set_grad_enabled(True)
    with waiting:
        seen.append(on())
    return seen, on()


@area.case()
def a_generator_runs_each_step_in_the_mode(torch):
    on, seen = torch.is_grad_enabled, []

    @torch.no_grad()
    def steps(count):
        try:
            for _ in range(count):
                seen.append(("sent", on(), (yield on())))
        except KeyError:
            yield "caught", on()
        finally:
            seen.append(("closed", on()))
        return "end"

    def outer():
        seen.append((yield from steps(2)))

    running = outer()
    seen += [next(running), on(), running.send("a"), on()]
    seen += list(running)
    thrown = steps(3)
    seen += [next(thrown), thrown.throw(KeyError), on()]
    thrown.close()
    return seen, on()


@area.case(real(3), gradient=False)
def hooks_and_rules_run_in_the_mode_of_create_graph(torch, x):
    seen = []

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            seen.append(torch.is_grad_enabled())
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            seen.append(torch.is_grad_enabled())
            return gradient * 2

    x.requires_grad_()
    x.register_hook(lambda gradient: seen.append((torch.is_grad_enabled(), gradient.requires_grad)))
    for create_graph in (False, True):
        y = Double.apply(x)
        y.register_hook(lambda gradient: seen.append(torch.is_grad_enabled()))
        (y * y).sum().backward(create_graph=create_graph)
    return seen, x.grad, torch.is_grad_enabled()


@area.case(real(3))
def detach_cuts_the_graph(torch, x):
    return x * x.detach(), x.detach().requires_grad_() * 2, (x * 2).detach()


# Hooks ----------------------------------------------------------------------------------------------------
@area.case(real(3), gradient=False)
def hooks_see_and_change_gradients(torch, x):
    x.requires_grad_()
    y = x * 2
    seen = []
    y.register_hook(lambda gradient: gradient * 10)
    y.register_hook(lambda gradient: seen.append(gradient.clone()))
    handle = x.register_hook(lambda gradient: seen.append("removed"))
    x.register_hook(lambda gradient: gradient + 1)
    handle.remove()
    (y * y).sum().backward()
    return seen, x.grad


@area.case(real(3), gradient=False)
def hooks_on_retained_tensors_come_before_the_keeping(torch, x):
    x.requires_grad_()
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda gradient: gradient * 3)
    y.sum().backward()
    return x.grad, y.grad


# In place -------------------------------------------------------------------------------------------------
@area.case((real(2, 3), real(2, 3)))
def in_place_changes_before_use_are_followed(torch, x, y):
    z = x * 2
    z.add_(y)
    z *= y
    z[0] = x[1]
    return z


@area.case((real(4, 3), real(3)))
def writing_into_zeros_carries_the_gradient(torch, x, y):
    canvas = torch.zeros(4, 3)
    canvas[1] = y
    canvas[2:] = x[2:] * 2
    return canvas * 3


@area.case((real(4, 3), real(3)))
def adding_into_a_column_carries_the_gradient(torch, x, y):
    canvas = x * 2
    canvas[:, 0] += y.sum()
    canvas[1] *= y
    return canvas * 3


# What an operation has not saved may change before backward: its output, or the factor of a constant.
UNSAVED = """
    x ** 2; x ** 3; x * 2; x / 2; 2 / x; x * x.detach(); x.detach() / x; x @ x.detach().T; x.sum(1); x.log(); x.sin(); x.abs()
    x.clamp(0.5, 1.5); x.max(1).values; x.cumsum(1); x.logsumexp(1) * 1; F.gelu(x); F.silu(x); F.linear(x, x.detach())
    F.max_pool2d(x.reshape(1, 1, 2, 3), (1, 2)); F.max_pool1d(x, 2); F.avg_pool1d(x, 2); x.var(1); x.log2(); x.expm1() + 1
    F.mse_loss(x, x.detach() * 2, reduction='none'); x.softmax(1) + 0; x.index_select(1, torch.tensor([0, 0, 2])); x.norm() * 1
"""


def changed_afterwards(text):
    inner = evaluator(text, "x")

    def program(torch, x):
        y = inner(torch, x)
        y.mul_(0.5)
        y += 1
        torch.relu_(y)
        return y

    return program


for text in split(UNSAVED):
    area.add(
        f"changed: {text}",
        changed_afterwards(text),
        [positive(2, 3), positive(2, 3).transposed],
        tolerance=10,
    )


@area.case((real(2, 3), real(4, 3)))
def the_factor_of_a_constant_may_change(torch, x, w):
    hidden = x * 3
    outputs = [hidden * 2, hidden @ w.detach().T, torch.nn.functional.linear(hidden, w.detach()), hidden / 5]
    hidden += 1
    return outputs, hidden


@area.case(real(3, 4), gradient=False)
def an_output_that_a_pool_has_saved_is_its_own(torch, x):
    x.requires_grad_()
    y = torch.nn.functional.max_pool2d(x[None, None] * 1, (1, 2))
    row = y[0, 0, 1]
    row.zero_()
    y.sum().backward()
    return x.grad, y


@area.case(real(2, 3), gradient=False)
def versions_count_changes_in_place(torch, x):
    counts = [x._version]
    x.add_(1)
    x[0] = 3
    counts.append(x._version)
    x.detach().zero_()
    return counts, x._version


@area.case(real(2, 3), gradient=False)
def parameters_are_updated_under_no_grad(torch, x):
    x.requires_grad_()
    (x * x).sum().backward()
    with torch.no_grad():
        x -= 0.1 * x.grad
        x.grad.zero_()
    (x * 3).sum().backward()
    return x, x.grad


# Functions written by users -------------------------------------------------------------------------------
def cube(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.save_for_backward(x)
            ctx.factor = factor
            return x * x * x * factor

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            return 3 * x * x * ctx.factor * gradient, None

    return Cube


@area.case(real(2, 3), real(), real(3, 4).transposed)
def a_users_function_takes_and_gives_tensors(torch, x):
    return cube(torch).apply(x, 2.0) + x, cube(torch).apply(x * 2, 0.5)


@area.case((real(3), real(3)), gradient=False)
def a_users_function_can_be_derived_twice(torch, x, v):
    x.requires_grad_()
    (first,) = torch.autograd.grad(cube(torch).apply(x, 1.0), x, v, create_graph=True)
    return first, torch.autograd.grad(first.sum(), x)


@area.case((real(3), real(3)), gradient=False)
def what_is_once_differentiable_is_differentiated_once(torch, x, v):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @getattr(torch.autograd, "function", torch.autograd).once_differentiable
        def backward(ctx, gradient):
            return 2 * gradient * ctx.saved_tensors[0]

    x.requires_grad_()
    v.requires_grad_()
    (first,) = torch.autograd.grad(Square.apply(x * 1), x, v, create_graph=True)
    try:
        first.sum().backward()
    except RuntimeError as error:
        return first, str(error)


@area.case((real(3), real(2, 3), real(2, 3)), gradient=False)
def what_a_users_function_returns_is_fitted_to_its_inputs(torch, x, y, v):
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, gradient):
            x, y = ctx.saved_tensors
            return (gradient * y).double(), gradient * x

    x.requires_grad_()
    y.requires_grad_()
    inner = x * 1
    Product.apply(inner, y).backward(v)
    return x.grad, y.grad, torch.autograd.grad(Product.apply(x, y), [x, y], v, create_graph=True)


@area.case((real(3), real(3), real(3)), gradient=False)
def saved_tensors_know_where_they_came_from(torch, x, w, v):
    seen = []

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            output = x * w
            ctx.save_for_backward(x, w, output, torch.arange(3))
            return output

        @staticmethod
        def backward(ctx, gradient):
            x, w, *_ = saved = ctx.saved_tensors
            seen.append([(t.requires_grad, t.is_leaf, t.grad_fn is not None) for t in saved])
            seen.append((w is weight, torch.is_grad_enabled()))
            with torch.enable_grad():  # as checkpoints and adjoints do
                return torch.autograd.grad((x * w * gradient).sum(), [x, w])

    weight = torch.nn.Parameter(w)
    x.requires_grad_()
    Product.apply(x * 1, weight).backward(v)
    Product.apply(x, weight).backward(v)
    return seen, x.grad, weight.grad


@area.case((real(3), real(3)), gradient=False)
def outputs_that_nobody_used_may_stay_none(torch, x, v):
    seen = []

    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, materialize):
            ctx.set_materialize_grads(materialize)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, of_double, of_triple):
            seen.append((of_double, of_triple))
            return of_double * 2 if of_triple is None else of_double * 2 + of_triple * 3, None

    x.requires_grad_()
    for materialize in (True, False):
        Both.apply(x, materialize)[0].backward(v)
    return seen, x.grad


@area.case((real(3), real(3)), gradient=False)
def a_users_function_may_change_its_input(torch, x, v):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 2

    x.requires_grad_()
    y = x * 1
    z = Twice.apply(y)
    (z * z).backward(v)
    return z is y, y, x.grad, y.grad_fn.name()


@area.case((real(2, 3), real(2, 3)), gradient=False)
def nodes_know_the_next_ones(torch, x, v):
    x.requires_grad_()
    y = (x * 2 + v).exp()
    found = []
    node = y.grad_fn
    while node.next_functions:
        found.append((node.name(), [(f and f.name(), number) for f, number in node.next_functions]))
        node = node.next_functions[0][0]
    return found, node.variable is x


@area.case(real(3), gradient=False)
def hooks_run_after_gradients_are_accumulated(torch, x):
    x.requires_grad_()
    seen = []
    handle = x.register_post_accumulate_grad_hook(lambda leaf: seen.append((leaf is x, leaf.grad.clone())))
    for _ in range(2):
        (x * x).sum().backward()
    torch.autograd.grad((x * x).sum(), x)
    handle.remove()
    x.sum().backward()
    return seen, x.grad


@area.case((real(3), real(2, 3)), gradient=False)
def gradients_come_in_batches(torch, x, v):
    x.requires_grad_()
    y = x.exp() * x
    found = torch.autograd.grad(y, x, v, retain_graph=True, is_grads_batched=True)
    return found, torch.autograd.grad(y, [x], [torch.eye(3)], is_grads_batched=True, create_graph=True)


@area.case(real(3), gradient=False)
def an_inner_tensor_may_be_told_to_require_what_it_does(torch, x):
    x.requires_grad_()
    return (x * 2).requires_grad_().requires_grad, (x * 2).requires_grad_(True)


@area.case()
def anomaly_detection_is_set_at_once_and_as_a_block(torch):
    def nan():
        x = leaf(torch, 0.0)
        try:
            (x.sqrt() * 0).sum().backward()
        except RuntimeError:
            return "found"
        return x.grad

    seen = [nan()]
    torch.autograd.set_detect_anomaly(True)
    seen.append(nan())
    with torch.autograd.set_detect_anomaly(False):
        seen.append(nan())
    seen.append(nan())
    torch.autograd.set_detect_anomaly(False)
    return seen, nan()


@area.case((real(3), real(3)))
def a_users_function_may_give_several_outputs(torch, x, y):
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x + y, x * y

        @staticmethod
        def backward(ctx, of_sum, of_product):
            x, y = ctx.saved_tensors
            return of_sum + of_product * y, of_sum + of_product * x

    total, product = Both.apply(x, y)
    return total, product, total * product


@area.case((real(3), real(3)), gradient=False)
def needs_input_grad_tells_what_is_wanted(torch, x, y):
    seen = []

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, gradient):
            seen.append(list(ctx.needs_input_grad))
            return gradient * ctx.saved_tensors[1], None

    Product.apply(x.requires_grad_(), y).sum().backward()
    return seen, x.grad, y.grad


# Checks ---------------------------------------------------------------------------------------------------
@area.case(real(2, 3, dtype="float64"), gradient=False)
def gradcheck_accepts_what_is_right(torch, x):
    x.requires_grad_()
    check, twice = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    return check(torch.sin, (x,)), check(lambda a: (a * a.exp()).sum(1), x), twice(lambda a: a**3, (x,))


@area.case(real(2, 3, dtype="float64"), gradient=False)
def gradcheck_returns_false_for_what_is_wrong(torch, x):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 3

    return torch.autograd.gradcheck(Wrong.apply, (x.requires_grad_(),), raise_exception=False)


class Refusals:
    """What autograd refuses, one program each."""

    def backward_without_a_graph(torch):
        torch.ones(1).backward()

    def backward_of_many_values_without_a_gradient(torch):
        (leaf(torch, 1.0, 2.0) * 2).backward()

    def backward_twice(torch):
        y = leaf(torch, 1.0, 2.0).exp().sum()
        y.backward()
        y.backward()

    def cotangent_of_another_shape(torch):
        (leaf(torch, 1.0, 2.0) * 2).backward(torch.ones(3))

    def change_of_a_leaf_in_place(torch):
        leaf(torch, 1.0).add_(1)

    def assignment_into_a_leaf(torch):
        leaf(torch, 1.0)[0] = 2

    def change_of_a_saved_tensor(torch):
        y = leaf(torch, 1.0, 2.0).exp()
        z = y * 2
        y.add_(1)
        z.sum().backward()

    def change_of_a_saved_input(torch):
        x = leaf(torch, 1.0, 2.0)
        y = x * 2
        z = y * y
        y.mul_(3)
        z.sum().backward()

    def change_of_a_saved_gradient_by_backward(torch):
        x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
        x.sum().backward()
        y = x.grad * w
        x.sum().backward()
        y.sum().backward()

    def set_grad_enabled_without_a_bool(torch):
        torch.set_grad_enabled(1)

    def no_grad_of_none(torch):
        torch.no_grad(None)

    def a_users_function_without_a_backward(torch):
        class Forward(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

        Forward.apply(leaf(torch, 1.0)).backward()

    def a_users_gradient_of_another_shape(torch):
        class Wrong(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, gradient):
                return torch.ones(5)

        Wrong.apply(leaf(torch, 1.0, 2.0) * 1).sum().backward()

    def a_users_gradient_that_is_no_tensor(torch):
        class Wrong(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, gradient):
                return 3.0

        Wrong.apply(leaf(torch, 1.0)).backward()

    def a_leaf_marked_dirty(torch):
        class Dirty(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                x.add_(1)
                ctx.mark_dirty(x)
                return x

            @staticmethod
            def backward(ctx, gradient):
                return gradient

        Dirty.apply(leaf(torch, 1.0))

    def fewer_gradients_than_tensors(torch):
        torch.autograd.backward([leaf(torch, 1.0) * 2, leaf(torch, 2.0) * 2], [torch.ones(1)])

    def a_gradient_that_is_a_list(torch):
        (leaf(torch, 1.0, 2.0) * 2).backward([1.0, 1.0])

    def backward_to_no_inputs(torch):
        (leaf(torch, 1.0) * 2).backward(inputs=[])

    def grad_of_unused_ones_made_zero_and_refused(torch):
        x = leaf(torch, 1.0)
        torch.autograd.grad(x.sum(), [x], materialize_grads=True, allow_unused=False)

    def a_hook_that_changes_the_type(torch):
        x = leaf(torch, 1.0)
        x.register_hook(lambda gradient: gradient.double())
        x.sum().backward()

    def a_hook_that_changes_the_shape(torch):
        x = leaf(torch, 1.0)
        x.register_hook(lambda gradient: torch.ones(3))
        x.sum().backward()

    def a_hook_that_returns_a_number(torch):
        x = leaf(torch, 1.0)
        x.register_hook(lambda gradient: 3.0)
        x.sum().backward()

    def a_hook_after_accumulation_on_an_inner_tensor(torch):
        (leaf(torch, 1.0) * 2).register_post_accumulate_grad_hook(print)

    def a_hook_after_accumulation_that_returns_something(torch):
        x = leaf(torch, 1.0)
        x.register_post_accumulate_grad_hook(lambda leaf: 3)
        x.sum().backward()

    def the_gradient_of_a_floor_division(torch):
        (leaf(torch, 1.0) // 0.3).backward()

    def integers_that_require_grad(torch):
        torch.ones(2, dtype=torch.int64).requires_grad_()

    def numpy_of_what_requires_grad(torch):
        leaf(torch, 1.0).numpy()

    def grad_of_an_unused_input(torch):
        torch.autograd.grad(leaf(torch, 1.0).sum(), leaf(torch, 2.0))

    def grad_with_respect_to_what_needs_none(torch):
        torch.autograd.grad(leaf(torch, 1.0).sum(), torch.ones(1))

    def grad_of_many_values_without_a_gradient(torch):
        x = leaf(torch, 1.0, 2.0)
        torch.autograd.grad(x * 2, x)

    def inner_tensor_told_to_require_none(torch):
        (leaf(torch, 1.0) * 2).requires_grad_(False)

    def retain_grad_without_a_graph(torch):
        torch.ones(1).retain_grad()

    def hook_on_what_requires_none(torch):
        torch.ones(1).register_hook(print)

    def second_derivative_without_create_graph(torch):
        x = leaf(torch, 1.0)
        (first,) = torch.autograd.grad((x * x).sum(), x)
        first.backward()

    def grad_of_another_shape(torch):
        leaf(torch, 1.0, 2.0).grad = torch.ones(3)

    def grad_of_another_type(torch):
        leaf(torch, 1.0, 2.0).grad = torch.ones(2, dtype=torch.float64)

    def grad_that_is_no_tensor(torch):
        leaf(torch, 1.0).grad = 3

    def too_few_gradients_from_a_users_function(torch):
        class Two(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, y):
                return x * y

            @staticmethod
            def backward(ctx, gradient):
                return gradient

        Two.apply(leaf(torch, 1.0), leaf(torch, 2.0)).backward()

    def gradcheck_of_a_wrong_gradient(torch):
        class Wrong(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, gradient):
                return gradient * 3

        torch.autograd.gradcheck(Wrong.apply, (leaf(torch, 1.0, dtype=torch.float64),))

    def anomaly_detection_of_a_nan(torch):
        with torch.autograd.detect_anomaly():
            x = leaf(torch, 0.0)
            (x.sqrt() * 0).sum().backward()

    def deepcopy_of_an_inner_tensor(torch):
        import copy

        copy.deepcopy(leaf(torch, 1.0) * 2)


SAVED_OUTPUTS = """
    x.amax(1); x.amin(); x.max(); x.norm(); x.norm(3, 1); x.prod(); x.prod(1); x.reciprocal(); x.rsqrt(); x.sqrt(); x.exp()
    x.expm1(); torch.tanh(x); torch.sigmoid(x); x.softmax(1); x.log_softmax(1); x.std(1); x.std(); x.sum().exp()
    torch.relu(x); x.logsumexp(1); 2 ** x; x.cumprod(1); x.tan(); x.exp2()
"""
SAVED_INDICES = """
    x[rows]; x[rows, rows]; x.index_select(0, rows); x.gather(0, rows[:, None]); x.scatter(0, rows[:, None], 1.0)
    torch.index_put(x, (rows,), x[0])
"""


def refused_after(change, text, names):
    inner = evaluator(text, names)

    def program(torch):
        x, rows = leaf(torch, [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), torch.tensor([1, 0])
        y = inner(torch, *[{"x": x, "rows": rows}[name] for name in names.split(", ")])
        change(y, rows)
        y.sum().backward()

    return program


for text in split(SAVED_OUTPUTS):
    area.add(
        f"refused: {text}, then += 1", refused_after(lambda y, rows: y.add_(1), text, "x"), [], raises=True
    )
for text in split(SAVED_INDICES):
    area.add(
        f"refused: {text}, rows changed",
        refused_after(lambda y, rows: rows.zero_(), text, "x, rows"),
        [],
        raises=True,
    )

for name, program in list(vars(Refusals).items()):
    if not name.startswith("_"):
        area.add(f"refused: {name.replace('_', ' ')}", program, [], raises=True)
