"""Variants of Adam: another norm, Nesterov's step, a rectified start. Each an `update` made of `average`."""

import numpy as np

from tinytorch.given.optimizers.options import check_betas, check_not_negative, check_options, scalar
from tinytorch.optimizers import Optimizer, average, shrink
from tinytorch.tensor import wrap

__all__ = ["Adamax", "NAdam", "RAdam"]


class Adamax(Optimizer):
    """Adam with a fading largest gradient in place of the root of the mean square (Kingma and Ba, 2015).

    m = beta1 * m + (1 - beta1) * grad,    u = max(beta2 * u, |grad| + eps),
    p = p - lr / (1 - beta1^t) * m / u

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> (w**2).sum().backward()
    >>> torch.optim.Adamax([w], lr=0.1).step()
    >>> w.detach()
    tensor([0.9000])
    """

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
        differentiable=False, capturable=False,
    ):  # fmt: skip
        check_options(lr, foreach, capturable=capturable, differentiable=differentiable)
        check_not_negative(epsilon=eps, weight_decay=weight_decay)
        check_betas(betas)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        state, array = self.begin(parameter, "exp_avg", "exp_inf"), parameter.array
        mean, largest, (beta1, beta2) = state["exp_avg"].array, state["exp_inf"].array, group["betas"]
        average(mean, grad, beta1, work)
        np.abs(grad, out=work)
        work += group["eps"]
        largest *= beta2
        np.maximum(largest, work, out=largest)
        np.divide(mean, largest, out=work)
        work *= float(group["lr"]) / (1 - beta1 ** state["step"].item())
        array -= work


class NAdam(Optimizer):
    """Adam that looks one step further, as Nesterov's momentum does (Dozat, 2016).

    mu_t = beta1 * (1 - 0.96^(t * momentum_decay) / 2),    P_t = mu_1 * ... * mu_t,    v as Adam's, corrected,
    p = p - lr * (mu_{t+1} * m / (1 - P_{t+1}) + (1 - mu_t) * grad / (1 - P_t)) / (sqrt(v) + eps)

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> (w**2).sum().backward()
    >>> torch.optim.NAdam([w], lr=0.1).step()
    >>> w.detach()
    tensor([0.8944])
    """

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
        decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False,
    ):  # fmt: skip
        check_options(lr, foreach, capturable=capturable, differentiable=differentiable)
        check_not_negative(epsilon=eps, weight_decay=weight_decay, momentum_decay=momentum_decay)
        check_betas(betas)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        array, lr, (beta1, beta2) = parameter.array, float(group["lr"]), group["betas"]
        if group["decoupled_weight_decay"]:
            shrink(array, lr, group["weight_decay"])
        if not self.state[parameter]:
            means = {name: wrap(np.zeros_like(array)) for name in ("exp_avg", "exp_avg_sq")}
            self.state[parameter] = {"step": scalar(0.0), "mu_product": scalar(1.0), **means}
        state = self.begin(parameter)
        step, mean, square = state["step"].item(), state["exp_avg"].array, state["exp_avg_sq"].array
        now, following = (beta1 * (1 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (step, step + 1))
        state["mu_product"].array *= now
        product = state["mu_product"].item()
        direction, _ = self.scratch(array)  # the memory in which `grad` may be
        average(mean, grad, beta1, work)
        average(square, np.multiply(grad, grad, out=work), beta2, work)
        np.multiply(grad, lr * (1 - now) / (1 - product), out=direction)
        direction += np.multiply(mean, lr * following / (1 - product * following), out=work)
        np.divide(square, 1 - beta2**step, out=work)
        np.sqrt(work, out=work)
        work += group["eps"]
        direction /= work
        array -= direction


class RAdam(Optimizer):
    """Adam whose steps are those of momentum until the mean square can be trusted (Liu et al., 2020).

    R = 2 / (1 - beta2) - 1,    r = R - 2 t beta2^t / (1 - beta2^t); m and v are Adam's, m corrected;
    p = p - lr * m where r <= 5, and then
    p = p - lr * m * sqrt(1 - beta2^t) / (sqrt(v) + eps) * sqrt((r-4) (r-2) R / ((R-4) (R-2) r))

    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> (w**2).sum().backward()
    >>> torch.optim.RAdam([w], lr=0.1).step()
    >>> w.detach()
    tensor([0.8000])
    """

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
        foreach=None, maximize=False, capturable=False, differentiable=False,
    ):  # fmt: skip
        check_options(lr, foreach, capturable=capturable, differentiable=differentiable)
        check_not_negative(epsilon=eps, weight_decay=weight_decay)
        check_betas(betas)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        array, lr, (beta1, beta2) = parameter.array, float(group["lr"]), group["betas"]
        if group["decoupled_weight_decay"]:
            shrink(array, lr, group["weight_decay"])
        state = self.begin(parameter, "exp_avg", "exp_avg_sq")
        step, mean, square = state["step"].item(), state["exp_avg"].array, state["exp_avg_sq"].array
        average(mean, grad, beta1, work)
        average(square, np.multiply(grad, grad, out=work), beta2, work)
        correction, size = 1 - beta2**step, lr / (1 - beta1**step)
        full = 2 / (1 - beta2) - 1
        length = full - 2 * step * beta2**step / correction
        if length > 5:
            rectified = (length - 4) * (length - 2) * full / ((full - 4) * (full - 2) * length)
            size *= (correction * rectified) ** 0.5
            np.sqrt(square, out=work)
            work += group["eps"]
            np.divide(mean, work, out=work)
            work *= size
        else:
            np.multiply(mean, size, out=work)
        array -= work
