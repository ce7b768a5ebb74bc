"""Further optimizers: averaged descent, signs alone, squares kept as rows and columns."""

import numpy as np

from tinytorch.given.optimizers.options import check_not_negative, check_options, scalar
from tinytorch.given.tensor.arrays import widened
from tinytorch.optimizers import Optimizer, average, descent_direction, shrink
from tinytorch.tensor import wrap

__all__ = ["ASGD", "Adafactor", "Rprop"]


class ASGD(Optimizer):
    """Gradient descent with a rate that falls, and the average of where it was (Polyak and Juditsky, 1992).

    p = (1 - lambd * eta) * p - eta * grad,    ax = ax + mu * (p - ax),
    eta = lr / (1 + lambd * lr * t)^alpha,    mu = 1 / max(1, t - t0)

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> (w**2).sum().backward()
    >>> torch.optim.ASGD([w], lr=0.1).step()
    >>> w.detach()
    tensor([0.8000])
    """

    def __init__(
        self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
        differentiable=False, capturable=False,
    ):  # fmt: skip
        check_options(lr, foreach, capturable=capturable, differentiable=differentiable)
        check_not_negative(weight_decay=weight_decay)
        defaults = {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
            "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        array, lr, lambd = parameter.array, float(group["lr"]), group["lambd"]
        if not self.state[parameter]:
            numbers = {"step": scalar(0.0), "eta": scalar(lr), "mu": scalar(1.0)}
            self.state[parameter] = {**numbers, "ax": wrap(np.zeros_like(array))}
        state = self.begin(parameter)
        eta, mean, step = state["eta"].item(), state["ax"].array, state["step"].item()
        shrink(array, lambd, eta)
        array -= np.multiply(grad, eta, out=work)
        np.subtract(array, mean, out=work)
        work *= state["mu"].item()
        mean += work
        if state["mu"].item() == 1:
            mean[...] = array
        state["eta"].array[...] = lr / (1 + lambd * lr * step) ** group["alpha"]
        state["mu"].array[...] = 1 / max(1, step - group["t0"])


class Rprop(Optimizer):
    """Steps by the signs of the gradients alone, longer while they stay and shorter where they turn.

    s = s * etas[1] where grad * previous > 0, s * etas[0] where it is < 0, within `step_sizes`;
    p = p - s * sign(grad), and no step where the sign has turned (Riedmiller and Braun, 1993).

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> (w**2).sum().backward()
    >>> torch.optim.Rprop([w], lr=0.1).step()
    >>> w.detach()
    tensor([0.9000])
    """

    def __init__(
        self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
        maximize=False, differentiable=False,
    ):  # fmt: skip
        check_options(lr, foreach, capturable=capturable, differentiable=differentiable)
        if not 0 < etas[0] < 1 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        new, array = not self.state[parameter], parameter.array
        state = self.begin(parameter, "prev", "step_size")
        sizes, previous = state["step_size"].array, state["prev"].array
        if new:
            sizes[...] = float(group["lr"])
        np.multiply(grad, previous, out=work)
        turned, stayed = work < 0, work > 0
        np.sign(work, out=work)
        for factor, where in ((group["etas"][0], turned), (group["etas"][1], stayed), (1, work == 0)):
            np.copyto(work, factor, where=where)
        sizes *= work
        np.clip(sizes, *group["step_sizes"], out=sizes)
        previous[...] = grad
        previous[turned] = 0
        array -= np.multiply(np.sign(previous, out=work), sizes, out=work)


class Adafactor(Optimizer):
    """Adam's division, by sizes kept as one mean for each row and each column (Shazeer and Stern, 2018).

    v = rows @ columns / mean(rows), whose means move by t^beta2_decay towards those of the squares;
    u = grad / sqrt(v), cut to a root mean square of d; for a vector v is kept whole;
    p = (1 - lr * weight_decay) * p - max(eps[1], rms(p)) * min(lr, 1 / sqrt(t)) * u

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> (w**2).sum().backward()
    >>> torch.optim.Adafactor([w], lr=0.1).step()
    >>> w.detach()
    tensor([0.9000])
    """

    def __init__(
        self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
        maximize=False,
    ):  # fmt: skip
        check_options(lr, foreach)
        for name, right in {
            f"beta2_decay should be <= 0 but is: {beta2_decay}": beta2_decay <= 0,
            f"epsilon1 should be >= 0 but is: {eps[0]}": eps[0] is None or eps[0] >= 0,
            f"epsilon2 should be >= 0 but is: {eps[1]}": eps[1] >= 0,
            f"Clipping threshold d should be >= 1 but is: {d}": d >= 1,
            f"weight_decay should be >= 0 but is: {weight_decay}": weight_decay >= 0,
        }.items():
            if not right:
                raise ValueError(name)
        defaults = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        array, lr = parameter.array, float(group["lr"])
        if not array.size:
            return
        least = group["eps"][0] or (np.finfo(array.dtype).eps if group["eps"][0] is None else 0)
        grad, _ = self.scratch(array)  # the direction includes the decay, which is not part of the gradient
        grad = descent_direction(array, parameter.grad.array, {"maximize": group["maximize"]}, grad)
        if not self.state[parameter]:
            state = {"step": scalar(0.0), "variance": wrap(np.zeros_like(grad))}
            if grad.ndim > 1:
                del state["variance"]
                state["row_var"] = wrap(np.zeros((*grad.shape[:-1], 1), grad.dtype))
                state["col_var"] = wrap(np.zeros((*grad.shape[:-2], 1, grad.shape[-1]), grad.dtype))
            self.state[parameter] = state
        state = self.begin(parameter)
        step = state["step"].item()
        size = max(group["eps"][1], root_mean_square(array)) * min(lr, 1 / step**0.5)
        shrink(array, lr, group["weight_decay"])
        kept = 1 - step ** group["beta2_decay"]
        squares = np.multiply(grad, grad, out=work)
        if grad.ndim > 1:
            rows, columns = state["row_var"].array, state["col_var"].array
            for means, axis in ((rows, -1), (columns, -2)):
                found = squares.mean(axis, keepdims=True)
                average(means, found, kept, found)
            np.matmul(rows, columns, out=work)
            work /= np.maximum(rows.mean(-2, keepdims=True), least)
        else:
            average(state["variance"].array, squares, kept, work)
            work[...] = state["variance"].array
        np.maximum(work, least * least, out=work)
        np.sqrt(work, out=work)
        np.divide(grad, work, out=work)
        work *= size / max(1.0, root_mean_square(work) / group["d"])
        array -= work


def root_mean_square(array):
    """The root of the mean square of all elements."""
    return float(np.linalg.norm(widened(array).reshape(-1))) / array.size**0.5
