"""Derivatives of functions, as in torch.autograd.functional, made of `grad`."""

from tinytorch.given.autograd.entry_points import grad
from tinytorch.given.autograd.switches import enable_grad
from tinytorch.tensor import Tensor, stack, zeros_like

__all__ = []  # imported on first use: tinytorch.autograd.functional


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """The outputs of `func` at `inputs`, and the product of `v` with its Jacobian: (outputs, vᵀJ).

    `v` is shaped as the outputs, and may be left out where there is one number.

    >>> vjp(lambda x: x * x, tensor([1.0, 2.0]), tensor([1.0, 10.0]))[1]
    tensor([ 2., 40.])
    """
    xs, ys, single, single_output = run(func, inputs, "vjp", create_graph)
    vs = vectors(v, ys, "outputs")
    found = gradients(ys, xs, vs, create_graph, strict)
    return same(ys, single_output, create_graph), same(found, single, create_graph)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """The outputs of `func` at `inputs`, and the product of its Jacobian with `v`: (outputs, Jv).

    `v` is shaped as the inputs. Found by two passes backward: vᵀJ has the gradient Jᵀ with respect to v.

    >>> jvp(lambda x: x * x, tensor([1.0, 2.0]), tensor([1.0, 10.0]))[1]
    tensor([ 2., 40.])
    """
    xs, ys, _, single = run(func, inputs, "jvp", create_graph)
    vs = vectors(v, xs, "inputs")
    with enable_grad():
        seeds = tuple(zeros_like(y).requires_grad_() for y in ys)
        back = gradients(ys, xs, seeds, True, strict)
    found = gradients(back, seeds, vs, create_graph, False)
    return same(ys, single, create_graph), same(found, single, create_graph)


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The Jacobian of `func` at `inputs`, (*output, *input): a tensor, or tuples for several of either.

    It is found row by row, `vectorize` or not.

    >>> jacobian(lambda x: x * x, tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy != "reverse-mode":
        raise NotImplementedError("tinytorch leaves out derivatives forward: strategy is reverse-mode")
    xs, ys, single, single_output = run(func, inputs, "jacobian", create_graph)
    rows = []
    for y in ys:
        basis = zeros_like(y).detach().reshape(-1)
        found = []
        for i in range(y.numel()):
            v = basis.clone()
            v[i] = 1
            found.append(gradients((y,), xs, (v.reshape(y.shape),), create_graph, strict))
        parts = [joined(column, y, x) for column, x in zip(zip(*found), xs)]
        rows.append(same(parts, single, create_graph))
    return rows[0] if single_output else tuple(rows)


def hessian(
    func,
    inputs,
    create_graph=False,
    strict=False,
    vectorize=False,
    outer_jacobian_strategy="reverse-mode",
):
    """The second derivatives of `func`, which returns one number: shaped (*input, *input).

    >>> hessian(lambda x: (x**3).sum(), tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    single = isinstance(inputs, Tensor)

    def first(*xs):
        found = jacobian(one_number(func, "hessian"), xs[0] if single else xs, True, strict)
        return found if single else tuple(found)

    return jacobian(first, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """The output of `func`, one number, and the product of `v` with its Hessian: (output, vᵀH).

    >>> vhp(lambda x: (x**3).sum(), tensor([1.0, 2.0]), tensor([1.0, 10.0]))[1]
    tensor([  6., 120.])
    """
    xs, ys, single, _ = run(one_number(func, "vhp"), inputs, "vhp", True)
    first = gradients(ys, xs, None, True, strict)
    found = gradients(first, xs, vectors(v, xs, "inputs"), create_graph, False)
    return same(ys, True, create_graph), same(found, single, create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """The output of `func`, one number, and the product of its Hessian with `v`: (output, Hv).

    The Hessian is symmetric, so this is `vhp`.

    >>> hvp(lambda x: (x**3).sum(), tensor([1.0, 2.0]), tensor([1.0, 10.0]))[1]
    tensor([  6., 120.])
    """
    return vhp(func, inputs, v, create_graph, strict)


def run(func, inputs, name, create_graph):
    """Inputs that ask for gradients, the outputs, and whether either came as one tensor."""
    single = isinstance(inputs, Tensor)
    xs = (inputs,) if single else tuple(inputs)
    for number, x in enumerate(xs):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"The inputs given to {name} must be either a Tensor or a tuple of Tensors but the value "
                f"at index {number} has type {type(x)}."
            )
    with enable_grad():
        xs = tuple(
            x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in xs
        )
        outputs = func(*xs)
    single_output = isinstance(outputs, Tensor)
    if not single_output and not (isinstance(outputs, tuple) and all(isinstance(y, Tensor) for y in outputs)):
        raise TypeError(
            f"The outputs of the user-provided function given to {name} must be either a Tensor or a "
            f"tuple of Tensors but the given outputs of the user-provided function has type {type(outputs)}."
        )
    return xs, (outputs,) if single_output else outputs, single, single_output


def one_number(func, name):
    """The same function, which must return one number."""

    def checked(*xs):
        output = func(*xs)
        if not isinstance(output, Tensor):
            raise RuntimeError(f"The function given to {name} should return a single Tensor")
        if output.numel() != 1:
            raise RuntimeError(
                f"The Tensor returned by the function given to {name} should contain a single element"
            )
        return output.squeeze()

    return checked


def vectors(v, like, what):
    """`v` as a tuple, shaped as the tensors that it is multiplied with; None for one number."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a "
                "single element."
                if what == "outputs"
                else "The vector v can only be None if the input to the user-provided function is a single "
                "Tensor with a single element."
            )
        return tuple(zeros_like(x).detach() + 1 for x in like)
    vs = (v,) if isinstance(v, Tensor) else tuple(v)
    if len(vs) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vs)}.")
    for number, (one, x) in enumerate(zip(vs, like)):
        if one.shape != x.shape:
            entry = f"Entry {number} in " if len(like) > 1 else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {x.size()} but got {one.size()}.")
    return vs


def gradients(ys, xs, vs, create_graph, strict):
    """The gradients of what depends on the inputs; of what does not, zeros, or RuntimeError if `strict`."""
    kept = [i for i, y in enumerate(ys) if y.requires_grad]
    if not kept:
        found = [None] * len(xs)
    else:
        seeds = None if vs is None else [vs[i] for i in kept]
        found = grad([ys[i] for i in kept], xs, seeds, True, create_graph, allow_unused=True)
    if strict and any(g is None for g in found):
        number = [g is None for g in found].index(True)
        raise RuntimeError(
            f"Output 0 of the user-provided function is independent of input {number}. This is not allowed "
            "in strict mode."
        )
    return tuple(zeros_like(x).detach() if g is None else g for g, x in zip(found, xs))


def joined(column, y, x):
    """The gradients of each number of y, shaped (*y, *x)."""
    if not column:
        return zeros_like(x).detach().new_zeros((*y.shape, *x.shape))
    return stack(list(column)).reshape((*y.shape, *x.shape))


def same(tensors, single, create_graph):
    """Tensors in the requested form: one or a tuple, with their graph or without."""
    tensors = tuple(tensors if create_graph else [x.detach() for x in tensors])
    return tensors[0] if single else tensors
