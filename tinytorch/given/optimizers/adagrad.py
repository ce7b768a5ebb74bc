"""Relatives of Adam that divide by other sizes of the gradients: each an `update` that calls `average`."""

import numpy as np

from tinytorch.given.optimizers.options import check_not_negative, check_options, scalar
from tinytorch.optimizers import Optimizer, average
from tinytorch.tensor import wrap

__all__ = ["Adadelta", "Adagrad", "centered_update"]


class Adagrad(Optimizer):
    """Steps by the gradient over the root of the sum of all its squares so far (Duchi et al., 2011).

    s = s + grad^2,    p = p - lr / (1 + (t - 1) * lr_decay) * grad / (sqrt(s) + eps)

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> (w**2).sum().backward()
    >>> torch.optim.Adagrad([w], lr=0.1).step()
    >>> w.detach()
    tensor([0.9000])
    """

    def __init__(
        self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10,
        foreach=None, *, maximize=False, differentiable=False, fused=None,
    ):  # fmt: skip
        check_options(lr, foreach, fused, differentiable=differentiable)
        check_not_negative(lr_decay=lr_decay, weight_decay=weight_decay)
        check_not_negative(initial_accumulator_value=initial_accumulator_value, epsilon=eps)
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                self._accumulator(parameter)

    def _accumulator(self, parameter):
        """The state of a parameter, which is there before the first step."""
        state = self.state[parameter]
        if not state:
            state["step"] = scalar(0.0)
            state["sum"] = wrap(np.full_like(parameter.array, self.defaults["initial_accumulator_value"]))
        return state

    def update(self, parameter, grad, group, work):
        state = self._accumulator(parameter)
        state["step"].array += 1
        lr = float(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
        array, total = parameter.array, state["sum"].array
        total += np.multiply(grad, grad, out=work)
        np.sqrt(total, out=work)
        work += group["eps"]
        np.divide(grad, work, out=work)
        work *= lr
        array -= work


class Adadelta(Optimizer):
    """Steps in the parameters' own unit: the root mean square of steps over that of gradients (Zeiler, 2012).

    s = rho * s + (1 - rho) * grad^2,    delta = sqrt(a + eps) / sqrt(s + eps) * grad,
    a = rho * a + (1 - rho) * delta^2,    p = p - lr * delta

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> (w**2).sum().backward()
    >>> torch.optim.Adadelta([w], lr=100.0).step()
    >>> w.detach()
    tensor([0.6838])
    """

    def __init__(
        self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False,
        maximize=False, differentiable=False,
    ):  # fmt: skip
        check_options(lr, foreach, capturable=capturable, differentiable=differentiable)
        if not 0 <= rho <= 1:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative(epsilon=eps, weight_decay=weight_decay)
        defaults = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        state, rho = self.begin(parameter, "square_avg", "acc_delta"), group["rho"]
        square, deltas, array = state["square_avg"].array, state["acc_delta"].array, parameter.array
        delta, _ = self.scratch(array)  # the memory in which `grad` may be
        average(square, np.multiply(grad, grad, out=work), rho, work)
        np.sqrt(np.add(deltas, group["eps"], out=work), out=work)
        np.multiply(grad, work, out=delta)
        np.sqrt(np.add(square, group["eps"], out=work), out=work)
        delta /= work
        average(deltas, np.multiply(delta, delta, out=work), rho, work)
        delta *= float(group["lr"])
        array -= delta


def centered_update(optimizer, parameter, grad, group, work):
    """RMSprop's update by the root of the variance, the mean square less the square of the mean gradient."""
    velocity = ["momentum_buffer"] if group["momentum"] > 0 else []
    state = optimizer.begin(parameter, "square_avg", *velocity, "grad_avg")
    square, mean = state["square_avg"].array, state["grad_avg"].array
    average(square, np.multiply(grad, grad, out=work), group["alpha"], work)
    average(mean, grad, group["alpha"], work)
    np.subtract(square, np.multiply(mean, mean, out=work), out=work)
    np.sqrt(work, out=work)
    work += group["eps"]
    step = np.divide(grad, work, out=work)
    if group["momentum"] > 0:
        step = state["momentum_buffer"].array
        step *= group["momentum"]
        step += work
    array = parameter.array
    array -= np.multiply(step, float(group["lr"]), out=work)
