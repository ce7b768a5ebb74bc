# %% [markdown]
# # 07 Optimizers
#
# You have the gradient of a loss with respect to every parameter. What to do with it is this module.

# %%
#| export
import copy
import functools
import itertools
import warnings
from collections import OrderedDict, defaultdict

import numpy as np

from tinytorch.autograd import RemovableHandle, enable_grad
from tinytorch.layers import typename
from tinytorch.tensor import Tensor, changed, tensor, wrap

# %% [markdown]
# ## Given: Optimizer


# %%
#| export
def hooked(step):
    """Make a `step` that calls the hooks registered for before and after it, as every optimizer's does."""

    @functools.wraps(step)
    def with_hooks(*args, **kwargs):
        optimizer = args[0]
        for hook in optimizer._step_pre_hooks.values():
            replaced = hook(optimizer, args, kwargs)
            if replaced is not None:
                if not (isinstance(replaced, tuple) and len(replaced) == 2):
                    raise RuntimeError(
                        f"{step} must return None or a tuple of (new_args, new_kwargs), but got {replaced}."
                    )
                args, kwargs = replaced
        result = step(*args, **kwargs)
        for hook in optimizer._step_post_hooks.values():
            hook(optimizer, args, kwargs)
        return result

    return with_hooks


class Optimizer:
    """The base of all optimizers: groups of parameters with their options, and the state kept for each parameter.

    A subclass says in `update(parameter, grad, group, work)` how one parameter moves; or it writes its own `step`.

    Args:
        params: tensors, (name, tensor) pairs, or dicts of a group each: its tensors under "params", and options of its own.
        defaults: the options of groups that do not say otherwise.
    """

    def __init__(self, params, defaults):
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {typename(params)}"
            )
        self.defaults, self.state, self.param_groups = defaults, defaultdict(dict), []
        self._step_pre_hooks, self._step_post_hooks, self._memory = OrderedDict(), OrderedDict(), {}
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __init_subclass__(cls):
        if "step" in cls.__dict__:
            cls.step = hooked(cls.step)

    def add_param_group(self, param_group):
        """Add parameters, with options of their own, to what is optimized: a dict as the constructor takes them."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        list_parameters(param_group)
        for parameter in param_group["params"]:
            if not (parameter.is_leaf or parameter.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        if any(("param_names" in group) != ("param_names" in param_group) for group in self.param_groups):
            names = "with" if "param_names" in param_group else "without"
            raise ValueError(
                "all optimizer param groups should be with/without names. "
                f"cannot add param group {names} names to the optimizer"
            )
        complete_group(param_group, self.defaults, self.param_groups)
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none=True):
        """Forget the gradients of all parameters, or fill them with zeros."""
        clear_gradients(self.param_groups, set_to_none)

    @hooked
    def step(self, closure=None):
        """Move every parameter that has a gradient; return what `closure`, called first if given, returns."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        take_step(self)
        return loss

    def update(self, parameter, grad, group, work):
        """Move one parameter; every subclass writes its own.

        Args:
            parameter: the Tensor to be changed, in its memory.
            grad: the direction to go against, an array; not to be changed.
            group: the options of the parameter's group.
            work: an array of the parameter's shape and type in which to compute.
        """
        raise NotImplementedError(f"{type(self).__name__} defines neither `update` nor `step`")

    def scratch(self, array):
        """Two arrays like `array` to compute in: the same memory at every call, as large as the largest parameter."""
        memory = self._memory.get(array.dtype)
        if memory is None or memory.shape[1] < array.size:
            sizes = [
                p.array.size
                for group in self.param_groups
                for p in group["params"]
                if p.array.dtype == array.dtype
            ]
            memory = self._memory[array.dtype] = np.empty((2, max(sizes)), array.dtype, like=array)
        return memory[0, : array.size].reshape(array.shape), memory[1, : array.size].reshape(array.shape)

    def begin(self, parameter, *names):
        """The state of a parameter, with one step more counted; a new one has zeros under the names given."""
        state = self.state[parameter]
        if not state:
            state["step"] = tensor(0.0)
            for name in names:
                state[name] = wrap(np.zeros_like(parameter.array))
        state["step"].array += 1
        return state

    def state_dict(self):
        """The state and the options, with numbers in place of the parameters: what is needed to go on elsewhere.

        Returns:
            {"state": {number: state}, "param_groups": [options with the numbers under "params"]}. The tensors in it are
            the optimizer's own, not copies.
        """
        return pack_state(self)

    def load_state_dict(self, state_dict):
        """Take over a state: it goes to the parameters in the order in which the groups have them.

        The tensors are taken as they are, in the type of their parameter; ValueError where the groups do not fit.
        """
        groups = copy.deepcopy(state_dict["param_groups"])
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(new["params"]) != len(old["params"]) for new, old in zip(groups, self.param_groups)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        parameters = {}
        for new, old in zip(groups, self.param_groups):
            parameters.update(zip(new["params"], old["params"]))
            new["params"] = old["params"]
            if "param_names" in old:
                new.setdefault("param_names", old["param_names"])
        self.param_groups, self.state = groups, defaultdict(dict)
        for number, state in state_dict["state"].items():
            parameter = parameters.get(number)
            self.state[number if parameter is None else parameter] = fitted(state, parameter)

    def register_step_pre_hook(self, hook):
        """Call `hook(optimizer, args, kwargs)` before each step; it may return new (args, kwargs)."""
        handle = RemovableHandle(self._step_pre_hooks)
        self._step_pre_hooks[handle.key] = hook
        return handle

    def register_step_post_hook(self, hook):
        """Call `hook(optimizer, args, kwargs)` after each step."""
        handle = RemovableHandle(self._step_post_hooks)
        self._step_post_hooks[handle.key] = hook
        return handle

    def __repr__(self):
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


# %%
#| export
def list_parameters(group):
    """Make a list of tensors of a group's "params", and a list of their names if they came with names."""
    params = group["params"]
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but "
            "the ordering of tensors in sets will change between runs. Please use a list instead."
        )
    params = [params] if isinstance(params, Tensor) else list(params)
    names = [p[0] for p in params if isinstance(p, tuple)]
    group["params"] = [p[1] if isinstance(p, tuple) else p for p in params]
    if names and len(names) != len(params):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    if names:
        group["param_names"] = names
    for parameter in group["params"]:
        if not isinstance(parameter, Tensor):
            raise TypeError(
                f"optimizer can only optimize Tensors, but one of the params is {typename(parameter)}"
            )
    if len(set(group["params"])) != len(params):
        warnings.warn("optimizer contains a parameter group with duplicate parameters", stacklevel=5)


def fitted(state, parameter):
    """A loaded state with its tensors, but for the count of steps, in the parameter's type and place."""

    def fit(key, value):
        if isinstance(value, Tensor) and parameter is not None and key != "step":
            return value.to(parameter.device, parameter.dtype if parameter.is_floating_point() else None)
        if isinstance(value, dict):
            return {key: fit(key, inner) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(fit(None, inner) for inner in value)
        return value

    return fit(None, state)


def check_options(lr, foreach=None, fused=None, capturable=False, differentiable=False):
    """Refuse arguments that no optimizer takes, and options of the implementation that ours does not have.

    `foreach` and `fused` choose among kernels that compute the same: there is one here, so they change nothing.
    """
    if isinstance(lr, Tensor) and foreach and not capturable:
        raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not lr >= 0:
        raise ValueError(f"Invalid learning rate: {lr}")
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    for name, value in {"capturable": capturable, "differentiable": differentiable}.items():
        if value:
            raise NotImplementedError(f"{name}=True is not supported")


def check_not_negative(**options):
    """Refuse options that are below zero, or not a number."""
    for name, value in options.items():
        if not value >= 0:
            raise ValueError(f"Invalid {name} value: {value}")


# %% stub="zero-grad"
#| export
def clear_gradients(groups, set_to_none):
    """Forget the gradients of all parameters, or fill them with zeros."""
    ### BEGIN SOLUTION
    for group in groups:
        for parameter in group["params"]:
            if set_to_none:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad.detach_().zero_()
    ### END SOLUTION


# %% stub="param-group"
#| export
def complete_group(group, defaults, others):
    """Fill in the options that a group does not give, and refuse a parameter that another group has already."""
    ### BEGIN SOLUTION
    for name, default in defaults.items():
        group.setdefault(name, default)
    taken = {parameter for other in others for parameter in other["params"]}
    if not taken.isdisjoint(group["params"]):
        raise ValueError("some parameters appear in more than one parameter group")
    ### END SOLUTION


# %% stub="weight-decay"
#| export
def descent_direction(array, grad, group, out):
    """The gradient to step against: negated to maximize, with the weights added for weight decay."""
    ### BEGIN SOLUTION
    decay = 0 if group.get("decoupled_weight_decay") else group.get("weight_decay", 0)
    maximize = group.get("maximize", False)
    if decay:
        np.multiply(array, decay, out=out)
        return np.subtract(out, grad, out=out) if maximize else np.add(out, grad, out=out)
    return np.negative(grad, out=out) if maximize else grad
    ### END SOLUTION


# %% stub="step"
#| export
def take_step(optimizer):
    """Update every parameter that has a gradient."""
    ### BEGIN SOLUTION
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.grad is not None:
                array = parameter.array
                spare, work = optimizer.scratch(array)
                grad = descent_direction(array, parameter.grad.array, group, spare)
                optimizer.update(parameter, grad, group, work)
                changed(array)
    ### END SOLUTION


# %% stub="momentum"
#| export
def accumulate(velocity, grad, momentum, dampening, work):
    """velocity = momentum * velocity + (1 - dampening) * grad, in place."""
    ### BEGIN SOLUTION
    velocity *= momentum
    np.multiply(grad, 1 - dampening, out=work)
    velocity += work
    ### END SOLUTION


# %% stub="sgd"
#| export
class SGD(Optimizer):
    """Stochastic gradient descent, with momentum."""

    def __init__(
        self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
        foreach=None, differentiable=False, fused=None,
    ):  # fmt: skip
        check_options(lr, foreach, fused, differentiable=differentiable)
        check_not_negative(momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
                    "nesterov": nesterov, "maximize": maximize, "foreach": foreach, "differentiable": differentiable,
                    "fused": fused}  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        """p -= lr * velocity"""
        ### BEGIN SOLUTION
        array, momentum = parameter.array, group["momentum"]
        if momentum:
            state = self.state[parameter]
            if state.get("momentum_buffer") is None:
                state["momentum_buffer"] = wrap(grad.copy())
            else:
                accumulate(state["momentum_buffer"].array, grad, momentum, group["dampening"], work)
            velocity = state["momentum_buffer"].array
            if group["nesterov"]:
                np.multiply(velocity, momentum, out=work)
                work += grad
            grad = work if group["nesterov"] else velocity
        np.multiply(grad, float(group["lr"]), out=work)
        array -= work
        ### END SOLUTION


# %% stub="moving-average"
#| export
def average(mean, values, beta, work):
    """mean = beta * mean + (1 - beta) * values, in place; `values` may be `work`."""
    ### BEGIN SOLUTION
    mean *= beta
    np.multiply(values, 1 - beta, out=work)
    mean += work
    ### END SOLUTION


# %% stub="rmsprop"
#| export
class RMSprop(Optimizer):
    """Gradients divided by the root of their mean square."""

    def __init__(
        self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, capturable=False,
        foreach=None, maximize=False, differentiable=False,
    ):  # fmt: skip
        check_options(lr, foreach, capturable=capturable, differentiable=differentiable)
        check_not_negative(epsilon=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        defaults = {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
                    "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
                    "differentiable": differentiable}  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        """p -= lr * grad / (sqrt(mean square) + eps)"""
        names = ["momentum_buffer"] * (group["momentum"] > 0) + ["grad_avg"] * group["centered"]
        state = self.begin(parameter, "square_avg", *names)
        ### BEGIN SOLUTION
        square, alpha = state["square_avg"].array, group["alpha"]
        average(square, np.multiply(grad, grad, out=work), alpha, work)
        if group["centered"]:
            mean = state["grad_avg"].array
            average(mean, grad, alpha, work)
            np.multiply(mean, mean, out=work)
            square = np.subtract(square, work, out=work)
        np.sqrt(square, out=work)
        work += group["eps"]
        np.divide(grad, work, out=work)
        if group["momentum"] > 0:
            velocity = state["momentum_buffer"].array
            velocity *= group["momentum"]
            velocity += work
            work[...] = velocity
        work *= float(group["lr"])
        array = parameter.array
        array -= work
        ### END SOLUTION


# %% stub="bias-correction"
#| export
def corrected(lr, eps, beta1, beta2, step):
    """The step size and eps with both bias corrections folded in."""
    ### BEGIN SOLUTION
    root = (1 - beta2**step) ** 0.5
    return lr * root / (1 - beta1**step), eps * root
    ### END SOLUTION


# %% stub="adam"
#| export
class Adam(Optimizer):
    """Adaptive moments."""

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
        maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False,
    ):  # fmt: skip
        check_options(lr, foreach, fused, capturable, differentiable)
        check_not_negative(epsilon=eps, weight_decay=weight_decay)
        for index, beta in enumerate(betas):
            if not 0 <= beta < 1:
                raise ValueError(f"Invalid beta parameter at index {index}: {beta}")
        if not (all(isinstance(b, float) for b in betas) or all(isinstance(b, Tensor) for b in betas)):
            raise ValueError("betas must be either both floats or both Tensors")
        defaults = {"lr": lr, "betas": tuple(map(float, betas)), "eps": eps, "weight_decay": weight_decay,
                    "amsgrad": amsgrad, "maximize": maximize, "foreach": foreach, "capturable": capturable,
                    "differentiable": differentiable, "fused": fused,
                    "decoupled_weight_decay": decoupled_weight_decay}  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        """p -= lr * m / (sqrt(v) + eps), with m and v corrected"""
        array, lr, (beta1, beta2) = parameter.array, float(group["lr"]), group["betas"]
        if group["decoupled_weight_decay"]:
            shrink(array, lr, group["weight_decay"])
        state = self.begin(parameter, "exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * group["amsgrad"])
        ### BEGIN SOLUTION
        mean, square = state["exp_avg"].array, state["exp_avg_sq"].array
        average(mean, grad, beta1, work)
        average(square, np.multiply(grad, grad, out=work), beta2, work)
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"].array
            square = np.maximum(largest, square, out=largest)
        size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item())
        np.sqrt(square, out=work)
        work += eps
        np.divide(mean, work, out=work)
        work *= size
        array -= work
        ### END SOLUTION


# %% stub="decoupled-decay"
#| export
def shrink(array, lr, weight_decay):
    """array *= 1 - lr * weight_decay, in place."""
    ### BEGIN SOLUTION
    array *= 1 - lr * weight_decay
    ### END SOLUTION


class AdamW(Adam):
    """Adam with weight decay that is no part of the gradient (Loshchilov and Hutter, 2019)."""

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *, maximize=False,
        foreach=None, capturable=False, differentiable=False, fused=None,
    ):  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip

    def load_state_dict(self, state_dict):
        super().load_state_dict(state_dict)
        for group in self.param_groups:  # also where the state was Adam's
            group["decoupled_weight_decay"] = True


# %% stub="state-dict"
#| export
def pack_state(optimizer):
    """The optimizer's state and groups with numbers in place of parameters."""
    ### BEGIN SOLUTION
    numbers = {}
    for parameter in itertools.chain.from_iterable(group["params"] for group in optimizer.param_groups):
        numbers.setdefault(parameter, len(numbers))
    groups = [
        {
            **{name: value for name, value in group.items() if name != "params"},
            "params": [numbers[p] for p in group["params"]],
        }
        for group in optimizer.param_groups
    ]
    return {
        "state": {numbers.get(key, key): state for key, state in optimizer.state.items()},
        "param_groups": groups,
    }
    ### END SOLUTION


# %% [markdown]
# ## The rest of the family


# %%
#| export
class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of all their squares (Duchi et al., 2011)."""

    def __init__(
        self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *,
        maximize=False, differentiable=False, fused=None,
    ):  # fmt: skip
        check_options(lr, foreach, fused, differentiable=differentiable)
        check_not_negative(
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            epsilon=eps,
        )
        defaults = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
                    "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
                    "differentiable": differentiable, "fused": fused}  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                self.accumulator(parameter)

    def accumulator(self, parameter):
        """The state of a parameter, which is there before the first step."""
        state = self.state[parameter]
        if not state:
            state["step"] = tensor(0.0)
            state["sum"] = wrap(np.full_like(parameter.array, self.defaults["initial_accumulator_value"]))
        return state

    def update(self, parameter, grad, group, work):
        self.accumulator(parameter)
        state = self.begin(parameter)
        lr = float(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
        array, total = parameter.array, state["sum"].array
        total += np.multiply(grad, grad, out=work)
        np.sqrt(total, out=work)
        work += group["eps"]
        np.divide(grad, work, out=work)
        work *= lr
        array -= work


class Adadelta(Optimizer):
    """Steps in the parameters' own unit: the root mean square of past steps over that of gradients (Zeiler, 2012)."""

    def __init__(
        self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False, maximize=False,
        differentiable=False,
    ):  # fmt: skip
        check_options(lr, foreach, capturable=capturable, differentiable=differentiable)
        if not 0 <= rho <= 1:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative(epsilon=eps, weight_decay=weight_decay)
        defaults = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
                    "capturable": capturable, "foreach": foreach, "differentiable": differentiable}  # fmt: skip
        super().__init__(params, defaults)

    def update(self, parameter, grad, group, work):
        state, rho = self.begin(parameter, "square_avg", "acc_delta"), group["rho"]
        array, square, deltas = parameter.array, state["square_avg"].array, state["acc_delta"].array
        delta, _ = self.scratch(array)  # where `grad` may be
        average(square, np.multiply(grad, grad, out=work), rho, work)
        np.sqrt(np.add(deltas, group["eps"], out=work), out=work)
        np.multiply(grad, work, out=delta)
        np.sqrt(np.add(square, group["eps"], out=work), out=work)
        delta /= work
        average(deltas, np.multiply(delta, delta, out=work), rho, work)
        delta *= float(group["lr"])
        array -= delta
