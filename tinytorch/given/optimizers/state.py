"""The rest of `Optimizer`: memory to compute in, the state of a parameter, hooks, and loading a state."""

import copy
from collections import defaultdict

import numpy as np

from tinytorch.autograd import RemovableHandle
from tinytorch.given import methods_of
from tinytorch.given.optimizers.options import hooked, scalar
from tinytorch.optimizers import Optimizer
from tinytorch.tensor import Tensor, wrap

__all__ = ["fitted"]


@methods_of(Optimizer)
class States:
    def __init_subclass__(cls):
        if "step" in cls.__dict__:
            cls.step = hooked(cls.step)

    def update(self, parameter, grad, group, work):
        """Move one parameter; every subclass writes its own.

        Args:
            parameter: the Tensor to be changed, in its memory.
            grad: the direction to go against, an array; not to be changed.
            group: the options of the parameter's group.
            work: an array of the parameter's shape and type in which to compute.

        >>> class SignDescent(torch.optim.Optimizer):
        ...     def update(self, parameter, grad, group, work):
        ...         parameter.array -= group["lr"] * (2 * (grad > 0) - 1)
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> (w**2).sum().backward()
        >>> SignDescent([w], {"lr": 0.25, "weight_decay": 0, "maximize": False}).step()
        >>> w.detach()
        tensor([0.7500])
        """
        raise NotImplementedError(f"{type(self).__name__} defines neither `update` nor `step`")

    def scratch(self, array):
        """Return two arrays like `array` to compute in: the same memory at every call, of the largest's size.

        >>> w = torch.zeros(2, 3, requires_grad=True)
        >>> first, second = torch.optim.SGD([w], lr=0.1).scratch(w.array)
        >>> first.shape, second.dtype.name
        ((2, 3), 'float32')
        """
        memory = self._memory.get(array.dtype)
        if memory is None or memory.shape[1] < array.size:
            arrays = [p.array for group in self.param_groups for p in group["params"]]
            largest = max(a.size for a in arrays if a.dtype == array.dtype)
            memory = self._memory[array.dtype] = np.empty((2, largest), array.dtype, like=array)
        size, shape = array.size, array.shape
        return memory[0, :size].reshape(shape), memory[1, :size].reshape(shape)

    def begin(self, parameter, *names):
        """Return the state of a parameter, with one step more counted; a new one has zeros under the names.

        >>> w = torch.zeros(2, requires_grad=True)
        >>> torch.optim.SGD([w], lr=0.1).begin(w, "exp_avg")
        {'step': tensor(1.), 'exp_avg': tensor([0., 0.])}
        """
        state = self.state[parameter]
        if not state:
            state["step"] = scalar(0.0)
            for name in names:
                state[name] = wrap(np.zeros_like(parameter.array))
        state["step"].array += 1
        return state

    def load_state_dict(self, state_dict):
        """Take over a state: it goes to the parameters in the order in which the groups have them.

        The tensors are taken as they are, in their parameter's type; ValueError where the groups do not fit.

        Raises:
            ValueError: if there are other groups, or other numbers of parameters in them.

        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> optimizer.load_state_dict(torch.optim.SGD([w], lr=0.5).state_dict())
        >>> optimizer.param_groups[0]["lr"]
        0.5
        """
        groups = copy.deepcopy(state_dict["param_groups"])
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(new["params"]) != len(old["params"]) for new, old in zip(groups, self.param_groups)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of "
                "optimizer's group"
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
        """Call `hook(optimizer, args, kwargs)` before each step; it may return new (args, kwargs).

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
        >>> handle = optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: print("before"))
        >>> optimizer.step()
        before
        """
        handle = RemovableHandle(self._step_pre_hooks)
        self._step_pre_hooks[handle.key] = hook
        return handle

    def register_step_post_hook(self, hook):
        """Call `hook(optimizer, args, kwargs)` after each step.

        >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
        >>> handle = optimizer.register_step_post_hook(lambda optimizer, args, kwargs: print("after"))
        >>> optimizer.step()
        after
        """
        handle = RemovableHandle(self._step_post_hooks)
        self._step_post_hooks[handle.key] = hook
        return handle

    def __repr__(self):
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


def fitted(state, parameter):
    """A loaded state with its tensors, except the count of steps, in the parameter's type and place."""

    def fit(key, value):
        if isinstance(value, Tensor) and parameter is not None and key != "step":
            return value.to(parameter.device, parameter.dtype if parameter.is_floating_point() else None)
        if isinstance(value, dict):
            return {key: fit(key, inner) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(fit(None, inner) for inner in value)
        return value

    return fit(None, state)
