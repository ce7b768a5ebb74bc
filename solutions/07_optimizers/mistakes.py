"""Planted mistakes of module 07: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "zero-grad": """
        Not all groups and parameters are done. (hint 1)
        + for parameter in groups[0]["params"]:
        +     if set_to_none:
        +         parameter.grad = None
        +     elif parameter.grad is not None:
        +         parameter.grad.zero_()

        Everything is set to None, even with set_to_none=False.
        + for group in groups:
        +     for parameter in group["params"]:
        +         parameter.grad = None

        The zeros are a new array, so other references to the gradient do not see them. (hint 3)
        + for group in groups:
        +     for parameter in group["params"]:
        +         if parameter.grad is not None:
        +             parameter.grad = None if set_to_none else parameter.grad * 0

        The zeros are written to the array directly, so a graph that saved the gradient does not notice. (hint 3)
        - parameter.grad.detach_().zero_()
        + parameter.grad.detach_().array.fill(0)

        A gradient that is part of a graph stays in it. (hint 3)
        - parameter.grad.detach_().zero_()
        + parameter.grad.zero_()

        A parameter that had no gradient gets one. (hint 2)
        - elif parameter.grad is not None:
        -     parameter.grad.detach_().zero_()
        + elif parameter.grad is None:
        +     parameter.grad = wrap(np.zeros_like(parameter.array))
        + else:
        +     parameter.grad.detach_().zero_()

        The gradient is multiplied by 0, and 0 times infinity is NaN. (hint 3)
        - parameter.grad.detach_().zero_()
        + parameter.grad.detach_().mul_(0)

        Parameters that are frozen by now are passed over.
        - if set_to_none:
        + if not parameter.requires_grad:
        +     continue
        + if set_to_none:

        Even with set_to_none=True the gradient's memory is filled with zeros.
        - if set_to_none:
        -     parameter.grad = None
        - elif parameter.grad is not None:
        -     parameter.grad.detach_().zero_()
        + if parameter.grad is not None:
        +     parameter.grad.detach_().zero_()
        + if set_to_none:
        +     parameter.grad = None

        It ends at the first parameter without a gradient. (hint 2)
        - if set_to_none:
        -     parameter.grad = None
        - elif parameter.grad is not None:
        -     parameter.grad.detach_().zero_()
        + if parameter.grad is None:
        +     break
        + if set_to_none:
        +     parameter.grad = None
        + else:
        +     parameter.grad.detach_().zero_()

        The zeros are a new array, so other references to the gradient do not see them. (hint 3)
        - parameter.grad.detach_().zero_()
        + changed(parameter.grad.detach_().array)
        + parameter.grad.array = np.zeros_like(parameter.grad.array)

        `[:]` does not work for a scalar: `[...]` does. (hint 3)
        - parameter.grad.detach_().zero_()
        + parameter.grad.detach_().array[:] = 0
        + changed(parameter.grad.array)
    """,
    "param-group": """
        Parameters are compared by `==`, element by element, and not by identity. (hint 2)
        - taken = {parameter for other in others for parameter in other["params"]}
        - if not taken.isdisjoint(group["params"]):
        + taken = [parameter for other in others for parameter in other["params"]]
        + if any(parameter in taken for parameter in group["params"]):

        The defaults override the group's own options. (hint 1)
        - for name, default in defaults.items():
        -     group.setdefault(name, default)
        + group.update(defaults)

        Nothing is refused.
        + for name, default in defaults.items():
        +     group.setdefault(name, default)

        Parameters are compared by their values. (hint 2)
        + for name, default in defaults.items():
        +     group.setdefault(name, default)
        + for other in others:
        +     for taken in other["params"]:
        +         if any(
        +             np.array_equal(taken.array, parameter.array) for parameter in group["params"]
        +         ):
        +             raise ValueError("some parameters appear in more than one parameter group")

        Only one of the other groups is checked. (hint 2)
        - taken = {parameter for other in others for parameter in other["params"]}
        - if not taken.isdisjoint(group["params"]):
        + if others and not set(others[-1]["params"]).isdisjoint(group["params"]):

        A group with one new parameter is accepted, even if others are taken. (hint 3)
        - if not taken.isdisjoint(group["params"]):
        + if all(parameter in taken for parameter in group["params"]):

        An option of the group that is 0, False or None is taken for missing. (hint 1)
        - group.setdefault(name, default)
        + group[name] = group.get(name) or default

        An option of the group that is None is taken for missing. (hint 1)
        - group.setdefault(name, default)
        + if group.get(name) is None:
        +     group[name] = default

        Defaults of 0, False or None are not filled in. (hint 1)
        - group.setdefault(name, default)
        + if default:
        +     group.setdefault(name, default)

        The group that was passed does not get the missing options. (hint 1)
        - for name, default in defaults.items():
        -     group.setdefault(name, default)
        + group = {**defaults, **group}

        Only one of the other groups is checked. (hint 2)
        - taken = {parameter for other in others for parameter in other["params"]}
        + taken = {parameter for other in others[:1] for parameter in other["params"]}

        A parameter that stands twice in its own group is refused.
        - taken = {parameter for other in others for parameter in other["params"]}
        - if not taken.isdisjoint(group["params"]):
        + taken = {parameter for other in others for parameter in other["params"]}
        + twice = len(set(group["params"])) < len(group["params"])
        + if twice or not taken.isdisjoint(group["params"]):

        Options come from another group, not from the defaults. (hint 1)
        - for name, default in defaults.items():
        + for name, default in {**defaults, **(others[-1] if others else {})}.items():

        The group itself is appended to the others, which `add_param_group` does after this.
        - if not taken.isdisjoint(group["params"]):
        -     raise ValueError("some parameters appear in more than one parameter group")
        + if not taken.isdisjoint(group["params"]):
        +     raise ValueError("some parameters appear in more than one parameter group")
        + others.append(group)

        The parameters of the other groups are put into the list of one of them, not into a new one. (hint 2)
        - taken = {parameter for other in others for parameter in other["params"]}
        - if not taken.isdisjoint(group["params"]):
        + taken = others[0]["params"] if others else []
        + for other in others[1:]:
        +     taken += other["params"]
        + if not set(taken).isdisjoint(group["params"]):

        The other groups get options, too. (hint 1)
        - for name, default in defaults.items():
        -     group.setdefault(name, default)
        + for name, default in defaults.items():
        +     for one in [*others, group]:
        +         one.setdefault(name, default)

        A parameter that stands twice in its own group is left there once.
        - for name, default in defaults.items():
        + group["params"] = list(dict.fromkeys(group["params"]))
        + for name, default in defaults.items():
    """,
    "weight-decay": """
        The decay is added to the gradient itself. (hint 2)
        + grad += (
        +     0 if group.get("decoupled_weight_decay") else group.get("weight_decay", 0)
        + ) * array
        + return np.negative(grad, out=out) if group.get("maximize") else grad

        Maximizing also reverses the decay, so that large weights are rewarded. (hint 3)
        + decay = 0 if group.get("decoupled_weight_decay") else group.get("weight_decay", 0)
        + np.add(np.multiply(array, decay, out=out), grad, out=out)
        + return np.negative(out, out=out) if group.get("maximize") else out

        Decoupled decay is added as well. (hint 1)
        + np.multiply(array, group.get("weight_decay", 0), out=out)
        + return (
        +     np.subtract(out, grad, out=out)
        +     if group.get("maximize")
        +     else np.add(out, grad, out=out)
        + )

        What is returned is another array, neither `out` nor `grad`. (hint 3)
        + decay = 0 if group.get("decoupled_weight_decay") else group.get("weight_decay", 0)
        + return (-grad if group.get("maximize") else grad) + decay * array

        The result is in `out`, but is not returned. (hint 3)
        - return np.subtract(out, grad, out=out) if maximize else np.add(out, grad, out=out)
        + (np.subtract if maximize else np.add)(out, grad, out=out)
        + return None

        To maximize, the decay is subtracted from the gradient, not the gradient from the decay. (hint 3)
        - return np.subtract(out, grad, out=out) if maximize else np.add(out, grad, out=out)
        + return np.subtract(grad, out, out=out) if maximize else np.add(out, grad, out=out)

        Maximizing is forgotten where there is a decay. (hint 3)
        - return np.subtract(out, grad, out=out) if maximize else np.add(out, grad, out=out)
        + return np.add(out, grad, out=out)

        A temporary array is made, even where the gradient is the direction already. (hint 3)
        - return np.negative(grad, out=out) if maximize else grad
        + out[...] = grad * (-1 if maximize else 1)
        + return out

        Where the decay is decoupled, maximizing is forgotten. (hint 3)
        - decay = 0 if group.get("decoupled_weight_decay") else group.get("weight_decay", 0)
        + if group.get("decoupled_weight_decay"):
        +     return grad
        + decay = group.get("weight_decay", 0)

        Maximizing does not change the gradient's sign. (hint 3)
        + decay = 0 if group.get("decoupled_weight_decay") else group.get("weight_decay", 0)
        + np.multiply(array, decay, out=out)
        + if group.get("maximize"):
        +     return np.subtract(grad, out, out=out)
        + return np.add(grad, out, out=out)

        Only arrays of two or more dimensions are decayed.
        - if decay:
        + if decay and array.ndim > 1:

        The decay is multiplied by the learning rate, which comes later.
        - np.multiply(array, decay, out=out)
        + np.multiply(array, decay * group.get("lr", 1), out=out)

        `[:]` does not work for an array of shape (): `[...]` does.
        - np.multiply(array, decay, out=out)
        - return np.subtract(out, grad, out=out) if maximize else np.add(out, grad, out=out)
        + out[:] = decay * array + (-grad if maximize else grad)
        + return out

        What is in `out`, the gradient's negative, is overwritten by the decay. (hint 2)
        - if decay:
        -     np.multiply(array, decay, out=out)
        -     return np.subtract(out, grad, out=out) if maximize else np.add(out, grad, out=out)
        - return np.negative(grad, out=out) if maximize else grad
        + if maximize:
        +     grad = np.negative(grad, out=out)
        + if decay:
        +     np.multiply(array, decay, out=out)
        +     return np.add(out, grad, out=out)
        + return grad

        The gradient is multiplied by the decay, not the parameter.
        - np.multiply(array, decay, out=out)
        - return np.subtract(out, grad, out=out) if maximize else np.add(out, grad, out=out)
        + np.multiply(grad, decay, out=out)
        + return np.subtract(array, out, out=out) if maximize else np.add(array, out, out=out)

        The decay is forgotten where the group maximizes. (hint 3)
        - if decay:
        + if decay and not maximize:
    """,
    "step": """
        Every group is stepped with the options of the first.
        + first = optimizer.param_groups[0]
          for group in optimizer.param_groups:
        ...
        - grad = descent_direction(parameter.array, parameter.grad.array, group, spare)
        - optimizer.update(parameter, grad, group, work)
        + grad = descent_direction(parameter.array, parameter.grad.array, first, spare)
        + optimizer.update(parameter, grad, first, work)

        The change of the memory is not recorded by `changed`. (hint 3)
        - changed(parameter.array)

        The gradient is passed on unchanged, without weight decay. (hint 3)
        - grad = descent_direction(parameter.array, parameter.grad.array, group, spare)
        + grad = parameter.grad.array

        The direction and the work share their memory. (hint 2)
        - spare, work = optimizer.scratch(parameter.array)
        + spare = work = optimizer.scratch(parameter.array)[0]

        The loop ends at the first parameter without a gradient. (hint 1)
          for parameter in group["params"]:
        +     if parameter.grad is None:
        +         return

        The decay is that of the optimizer's defaults, not that of the group. (hint 3)
        - grad = descent_direction(parameter.array, parameter.grad.array, group, spare)
        + grad = descent_direction(parameter.array, parameter.grad.array, optimizer.defaults, spare)

        Only the last parameter's change is recorded, after both loops. (hint 3)
        + for group in optimizer.param_groups:
        +     for parameter in group["params"]:
        +         if parameter.grad is not None:
        +             spare, work = optimizer.scratch(parameter.array)
        +             grad = descent_direction(parameter.array, parameter.grad.array, group, spare)
        +             optimizer.update(parameter, grad, group, work)
        + changed(parameter.array)

        New arrays are made, in place of the memory from `scratch`. (hint 2)
        - spare, work = optimizer.scratch(parameter.array)
        + spare, work = np.empty_like(parameter.array), np.empty_like(parameter.array)

        All directions are computed before the first update, one over the other in the same memory. (hint 2)
        + todo = []
        + for group in optimizer.param_groups:
        +     for parameter in group["params"]:
        +         if parameter.grad is not None:
        +             spare, work = optimizer.scratch(parameter.array)
        +             grad = descent_direction(parameter.array, parameter.grad.array, group, spare)
        +             todo.append((parameter, grad, group, work))
        + for parameter, grad, group, work in todo:
        +     optimizer.update(parameter, grad, group, work)
        +     changed(parameter.array)

        A gradient of zeros is taken for no gradient. (hint 1)
        - if parameter.grad is not None:
        + if parameter.grad is not None and parameter.grad.array.any():

        Parameters that are frozen by now are passed over, though they have a gradient.
        - if parameter.grad is not None:
        + if parameter.grad is not None and parameter.requires_grad:

        The gradients are cleared after the step.
        - changed(parameter.array)
        + changed(parameter.array)
        + parameter.grad = None

        The direction is written into the gradient.
        - grad = descent_direction(parameter.array, parameter.grad.array, group, spare)
        + grad = parameter.grad.array
        + grad[...] = descent_direction(parameter.array, grad, group, spare)

        `changed` is called for parameters that were not updated, too. (hint 3)
        -         if parameter.grad is not None:
        -             spare, work = optimizer.scratch(parameter.array)
        -             grad = descent_direction(parameter.array, parameter.grad.array, group, spare)
        -             optimizer.update(parameter, grad, group, work)
        -             changed(parameter.array)
        +         if parameter.grad is not None:
        +             spare, work = optimizer.scratch(parameter.array)
        +             grad = descent_direction(parameter.array, parameter.grad.array, group, spare)
        +             optimizer.update(parameter, grad, group, work)
        +         changed(parameter.array)

        What descent_direction returns is dropped, and `update` gets `spare`, which need not be filled. (hint 3)
        - grad = descent_direction(parameter.array, parameter.grad.array, group, spare)
        + descent_direction(parameter.array, parameter.grad.array, group, spare)
        + grad = spare

        Only the first group is done.
        - for group in optimizer.param_groups:
        + for group in optimizer.param_groups[:1]:

        The direction is computed in the gradient's own memory. (hint 2)
        - grad = descent_direction(parameter.array, parameter.grad.array, group, spare)
        + grad = parameter.grad.array
        + grad = descent_direction(parameter.array, grad, group, grad)

        `update` gets a copy of the group, so that what it writes there is lost. (hint 3)
        - for group in optimizer.param_groups:
        + for group in [dict(group) for group in optimizer.param_groups]:

        The direction of every parameter is computed with the options of the first group. (hint 3)
        - grad = descent_direction(parameter.array, parameter.grad.array, group, spare)
        + first = optimizer.param_groups[0]
        + grad = descent_direction(parameter.array, parameter.grad.array, first, spare)

        `work` is subtracted from the parameter after `update`, which has changed it already.
        - optimizer.update(parameter, grad, group, work)
        + optimizer.update(parameter, grad, group, work)
        + parameter.array -= work
    """,
    "momentum": """
        The sum is computed, but the velocity's memory does not change. (hint 1)
        + velocity = momentum * velocity + (1 - dampening) * grad

        The gradient is weighted with 1 - momentum, as in an average.
        - np.multiply(grad, 1 - dampening, out=work)
        + np.multiply(grad, 1 - momentum, out=work)

        The dampening is forgotten. (hint 3)
        - np.multiply(grad, 1 - dampening, out=work)
        - velocity += work
        + velocity += grad

        The gradient itself is scaled. (hint 3)
        - np.multiply(grad, 1 - dampening, out=work)
        - velocity += work
        + grad *= 1 - dampening
        + velocity += grad

        `[:]` does not work for an array of shape (): `[...]` does.
        - velocity *= momentum
        + velocity[:] = velocity * momentum

        A velocity of zeros is taken for none, and becomes the gradient.
        - velocity *= momentum
        + if not velocity.any():
        +     velocity[...] = grad
        +     return
        + velocity *= momentum

        Without momentum the gradient is not dampened. (hint 3)
        - velocity *= momentum
        + if momentum == 0:
        +     velocity[...] = grad
        +     return
        + velocity *= momentum

        The velocity that was kept is multiplied by 1 - dampening, too: only the gradient is to be. (hint 3)
        - np.multiply(grad, 1 - dampening, out=work)
        - velocity += work
        + velocity += grad
        + velocity *= 1 - dampening

        With a dampening of 0 nothing is added: the gradient is to be multiplied by 1 - dampening.
        - np.multiply(grad, 1 - dampening, out=work)
        + np.multiply(grad, dampening, out=work)

        The gradient is added before the velocity is scaled, and so it is scaled, too. (hint 3)
        - velocity *= momentum
        - np.multiply(grad, 1 - dampening, out=work)
        - velocity += work
        + np.multiply(grad, 1 - dampening, out=work)
        + velocity += work
        + velocity *= momentum

        What `work` held before is added, too: it is to be overwritten. (hint 3)
        - np.multiply(grad, 1 - dampening, out=work)
        + work += (1 - dampening) * grad
    """,
    "sgd": """
        The first velocity is the array of the gradient, not a copy, which the next `backward` changes. (hint 1)
        - state["momentum_buffer"] = wrap(grad.copy())
        + state["momentum_buffer"] = wrap(grad)

        The velocity is kept in float64.
        - state["momentum_buffer"] = wrap(grad.copy())
        + state["momentum_buffer"] = wrap(grad.astype(np.float64))

        The first gradient is dampened, too: the first velocity is to be the gradient itself.
        -     state["momentum_buffer"] = wrap(grad.copy())
        - else:
        -     accumulate(
        -         state["momentum_buffer"].array, grad, momentum, group["dampening"], work
        -     )
        - velocity = state["momentum_buffer"].array
        +     state["momentum_buffer"] = wrap(np.zeros_like(grad))
        + velocity = state["momentum_buffer"].array
        + accumulate(velocity, grad, momentum, group["dampening"], work)

        The first velocity is the gradient's own memory. (hint 1)
        - state["momentum_buffer"] = wrap(grad.copy())
        + state["momentum_buffer"] = wrap(grad)

        Nesterov's option is ignored. (hint 2)
        - grad = work if group["nesterov"] else velocity
        + grad = velocity

        The parameter gets a new array in each step, so other references keep the old one. (hint 3)
        - array -= work
        + parameter.array = array - work

        The rate is multiplied into the gradient or the velocity itself, not into `work`. (hint 3)
        - np.multiply(grad, float(group["lr"]), out=work)
        - array -= work
        + grad *= float(group["lr"])
        + array -= grad

        A velocity is kept even without momentum. (hint 1)
        - if momentum:
        + if momentum >= 0:

        A velocity of None, as a loaded state may have it, is taken for a velocity.
        - if state.get("momentum_buffer") is None:
        + if "momentum_buffer" not in state:

        An array is made in every step, even without momentum. (hint 3)
        - np.multiply(grad, float(group["lr"]), out=work)
        - array -= work
        + array -= float(group["lr"]) * grad

        The step goes uphill: what is in `work` is added. (hint 3)
        - array -= work
        + array += work

        Nesterov's sum scales the gradient, not the velocity. (hint 2)
        - np.multiply(velocity, momentum, out=work)
        - work += grad
        + np.multiply(grad, momentum, out=work)
        + work += velocity

        Nesterov looks ahead from the second step on, not in the first. (hint 2)
        + array, momentum = parameter.array, group["momentum"]
        + if momentum:
        +     state = self.state[parameter]
        +     if state.get("momentum_buffer") is None:
        +         state["momentum_buffer"] = wrap(grad.copy())
        +     else:
        +         velocity = state["momentum_buffer"].array
        +         accumulate(velocity, grad, momentum, group["dampening"], work)
        +         grad = grad + momentum * velocity if group["nesterov"] else velocity
        + np.multiply(grad, float(group["lr"]), out=work)
        + array -= work

        The learning rate is the optimizer's default, not the group's. (hint 3)
        - np.multiply(grad, float(group["lr"]), out=work)
        + np.multiply(grad, float(self.defaults["lr"]), out=work)

        The momentum is the optimizer's default, not the group's.
        - array, momentum = parameter.array, group["momentum"]
        + array, momentum = parameter.array, self.defaults["momentum"]

        The dampening is the optimizer's default, not the group's.
        - state["momentum_buffer"].array, grad, momentum, group["dampening"], work
        + state["momentum_buffer"].array, grad, momentum, self.defaults["dampening"], work

        The nesterov option is the optimizer's default, not the group's.
        - if group["nesterov"]:
        + if self.defaults["nesterov"]:
        ...
        - grad = work if group["nesterov"] else velocity
        + grad = work if self.defaults["nesterov"] else velocity

        A rate that is a Tensor is not converted. (hint 3)
        - np.multiply(grad, float(group["lr"]), out=work)
        + np.multiply(grad, group["lr"], out=work)

        A rate that is a Tensor is not converted. (hint 3)
        - np.multiply(grad, float(group["lr"]), out=work)
        - array -= work
        + array -= group["lr"] * grad

        With momentum, a rate that is a Tensor is not converted. (hint 3)
        - np.multiply(grad, float(group["lr"]), out=work)
        - array -= work
        + if momentum:
        +     array -= group["lr"] * grad
        + else:
        +     np.multiply(grad, float(group["lr"]), out=work)
        +     array -= work

        A rate of 0 is taken for no rate.
        - np.multiply(grad, float(group["lr"]), out=work)
        + np.multiply(grad, float(group["lr"] or self.defaults["lr"]), out=work)

        A dampening of 0 is taken for no dampening given.
        - state["momentum_buffer"].array, grad, momentum, group["dampening"], work
        + state["momentum_buffer"].array, grad, momentum, group["dampening"] or self.defaults["dampening"], work

        With momentum the parameter stays as it is: no new numbers come into its memory. (hint 3)
        - np.multiply(grad, float(group["lr"]), out=work)
        - array -= work
        + np.multiply(grad, float(group["lr"]), out=work)
        + if momentum:
        +     array = array - work
        + else:
        +     array -= work

        With momentum the step goes uphill: it is added. (hint 3)
        - array -= work
        + array += work if momentum else -work

        One velocity serves all parameters. (hint 1)
        - state = self.state[parameter]
        + state = self.state

        `[:]` does not work for a velocity of shape (): `[...]` does.
        -     accumulate(
        -         state["momentum_buffer"].array, grad, momentum, group["dampening"], work
        -     )
        +     velocity = state["momentum_buffer"].array
        +     velocity[:] = momentum * velocity + (1 - group["dampening"]) * grad

        The learning rate is in the velocity.
        + array, momentum = parameter.array, group["momentum"]
        + grad = np.multiply(grad, float(group["lr"]), out=work)
        + if momentum:
        +     state = self.state[parameter]
        +     if state.get("momentum_buffer") is None:
        +         state["momentum_buffer"] = wrap(grad.copy())
        +     else:
        +         velocity = state["momentum_buffer"].array
        +         velocity *= momentum
        +         velocity += (1 - group["dampening"]) * grad
        +     velocity = state["momentum_buffer"].array
        +     grad = grad + momentum * velocity if group["nesterov"] else velocity
        + array -= grad

        A velocity of zeros is taken for a missing one.
        - if state.get("momentum_buffer") is None:
        + kept = state.get("momentum_buffer")
        + if kept is None or not kept.array.any():

        Steps without momentum are dampened, too: only what is added to a velocity is.
        - if momentum:
        + if not momentum:
        +     grad = (1 - group["dampening"]) * grad
        + if momentum:

        An entry is made in `self.state` even without momentum: reading `self.state[parameter]` makes one. (hint 1)
        - if momentum:
        -     state = self.state[parameter]
        + state = self.state[parameter]
        + if momentum:

        The velocity gets other memory in later steps. (hint 1)
        - accumulate(
        -     state["momentum_buffer"].array, grad, momentum, group["dampening"], work
        - )
        + velocity = momentum * state["momentum_buffer"].array
        + velocity += (1 - group["dampening"]) * grad
        + state["momentum_buffer"] = wrap(velocity)

        The velocity is kept as an array: `wrap` is missing. (hint 1)
        - state["momentum_buffer"] = wrap(grad.copy())
        + state["momentum_buffer"] = grad.copy()
        ...
        - state["momentum_buffer"].array, grad, momentum, group["dampening"], work
        + state["momentum_buffer"], grad, momentum, group["dampening"], work
        ...
        - velocity = state["momentum_buffer"].array
        + velocity = state["momentum_buffer"]

        Nesterov's sum is made in the velocity itself, which the next step needs. (hint 2)
        -     np.multiply(velocity, momentum, out=work)
        -     work += grad
        - grad = work if group["nesterov"] else velocity
        +     velocity *= momentum
        +     velocity += grad
        + grad = velocity

        The first velocity is the gradient, to which the gradient is added again in the same step.
        -     state["momentum_buffer"] = wrap(grad.copy())
        - else:
        -     accumulate(
        -         state["momentum_buffer"].array, grad, momentum, group["dampening"], work
        -     )
        - velocity = state["momentum_buffer"].array
        +     state["momentum_buffer"] = wrap(grad.copy())
        + velocity = state["momentum_buffer"].array
        + accumulate(velocity, grad, momentum, group["dampening"], work)
    """,
    "moving-average": """
        The two weights are exchanged.
        + mean *= 1 - beta
        + mean += np.multiply(values, beta, out=work)

        `work` is written before the values are read. (hint 2)
        + np.multiply(mean, beta, out=work)
        + np.multiply(values, 1 - beta, out=mean)
        + mean += work

        The values are multiplied by beta, not by 1 - beta: in `accumulate`, beta is the dampening, too. (hint 1)
        - np.multiply(values, 1 - beta, out=work)
        + np.multiply(values, beta, out=work)

        The mean is not multiplied by beta.
        - mean *= beta

        It is a fading sum, not an average. (hint 1)
        + mean *= beta
        + mean += values

        The mean is computed, but the given array does not change.
        + mean = beta * mean + (1 - beta) * values

        `[:]` does not work for an array of shape (): `[...]` does.
        - mean *= beta
        + mean[:] = mean * beta

        A mean of zeros is taken for none, and becomes the values.
        - mean *= beta
        + if not mean.any():
        +     mean[...] = values
        +     return
        + mean *= beta
    """,
    "rmsprop": """
        The stored velocity is multiplied by the rate.
        - array -= np.multiply(step, lr, out=work)
        + step *= lr
        + array -= step

        The eps is added under the root.
        - np.sqrt(square, out=work)
        - work += group["eps"]
        - step = np.divide(grad, work, out=work)
        + np.add(square, group["eps"], out=work)
        + step = np.divide(grad, np.sqrt(work, out=work), out=work)

        The mean square itself is the divisor, without a root.
        - np.sqrt(square, out=work)
        - work += group["eps"]
        + np.add(square, group["eps"], out=work)

        The momentum is ignored. (hint 3)
        - if group["momentum"] > 0:
        -     step = state["momentum_buffer"].array
        -     step *= group["momentum"]
        -     step += work

        The squares are made in the gradient's memory.
        + square, kept = state["square_avg"].array, grad.copy()
        + grad *= grad
        + average(square, grad, group["alpha"], work)
        + array -= lr * kept / (np.sqrt(square) + group["eps"])

        The velocity contains the learning rate, so a new rate comes too late. (hint 3)
        - step = np.divide(grad, work, out=work)
        + step = np.divide(grad, work, out=work)
        + work *= lr
        ...
        - array -= np.multiply(step, lr, out=work)
        + array -= step

        The root overwrites the stored mean square. (hint 2)
        - np.sqrt(square, out=work)
        + np.sqrt(square, out=square)
        + work[...] = square

        The velocity is a new array, and the stored one stays zero. (hint 3)
        - step *= group["momentum"]
        - step += work
        + step = group["momentum"] * step + work

        There is no eps.
        - work += group["eps"]

        The alpha is the optimizer's default, not the group's. (hint 1)
        - average(square, np.multiply(grad, grad, out=work), group["alpha"], work)
        + average(square, np.multiply(grad, grad, out=work), self.defaults["alpha"], work)

        An alpha of 0 is taken for no alpha given.
        - average(square, np.multiply(grad, grad, out=work), group["alpha"], work)
        + alpha = group["alpha"] or self.defaults["alpha"]
        + average(square, np.multiply(grad, grad, out=work), alpha, work)

        The parameter stays as it is: no new numbers come into its memory.
        - array -= np.multiply(step, lr, out=work)
        + array = array - np.multiply(step, lr, out=work)

        The parameter gets a new array, not new numbers in its memory.
        - array -= np.multiply(step, lr, out=work)
        + parameter.array = array - np.multiply(step, lr, out=work)

        The step goes uphill: it is added.
        - array -= np.multiply(step, lr, out=work)
        + array += np.multiply(step, lr, out=work)

        `[:]` does not work for a velocity of shape (): `[...]` does. (hint 3)
        - step = state["momentum_buffer"].array
        - step *= group["momentum"]
        - step += work
        + step = state["momentum_buffer"].array
        + step[:] = group["momentum"] * step + work

        The step is counted a second time: `begin`, above, has counted it.
        - square = state["square_avg"].array
        + state["step"].array += 1
        + square = state["square_avg"].array

        A rate that is a Tensor is not converted, as `lr`, above, is.
        - array -= np.multiply(step, lr, out=work)
        + array -= np.multiply(step, group["lr"], out=work)

        The two weights of the average are exchanged. (hint 1)
        - average(square, np.multiply(grad, grad, out=work), group["alpha"], work)
        + average(square, np.multiply(grad, grad, out=work), 1 - group["alpha"], work)

        The velocity is an average of the quotients, not their fading sum. (hint 3)
        - step += work
        + step += (1 - group["momentum"]) * work

        The velocity is made of the gradients, and divided afterwards. (hint 3)
        - step = np.divide(grad, work, out=work)
        - if group["momentum"] > 0:
        -     step = state["momentum_buffer"].array
        -     step *= group["momentum"]
        -     step += work
        + step = grad
        + if group["momentum"] > 0:
        +     step = state["momentum_buffer"].array
        +     step *= group["momentum"]
        +     step += grad
        + step = np.divide(step, work, out=work)

        The gradients are averaged, not their squares. (hint 1)
        - average(square, np.multiply(grad, grad, out=work), group["alpha"], work)
        - np.sqrt(square, out=work)
        + average(square, grad, group["alpha"], work)
        + np.sqrt(np.abs(square), out=work)

        The gradients are averaged, not their squares, and of a negative mean there is no root. (hint 1)
        - average(square, np.multiply(grad, grad, out=work), group["alpha"], work)
        + average(square, grad, group["alpha"], work)

        With momentum the rate is forgotten: the velocity itself is subtracted. (hint 3)
        - array -= np.multiply(step, lr, out=work)
        + array -= step if group["momentum"] > 0 else np.multiply(step, lr, out=work)

        The mean square under the root is without the gradient of this step.
        - average(square, np.multiply(grad, grad, out=work), group["alpha"], work)
        - np.sqrt(square, out=work)
        + old = square.copy()
        + average(square, np.multiply(grad, grad, out=work), group["alpha"], work)
        + np.sqrt(old, out=work)

        The new mean square is another array, and the stored one stays zero. (hint 1)
        - average(square, np.multiply(grad, grad, out=work), group["alpha"], work)
        + square = group["alpha"] * square + (1 - group["alpha"]) * grad * grad
    """,
    "bias-correction": """
        1 - beta is raised to the power, not beta.
        - root = (1 - beta2**step) ** 0.5
        - return lr * root / (1 - beta1**step), eps * root
        + root = ((1 - beta2) ** step) ** 0.5
        + return lr * root / (1 - beta1) ** step, eps * root

        The corrections are 0 in the first step, as when steps are counted from zero.
        + root = (1 - beta2 ** (step - 1)) ** 0.5
        + return lr * root / (1 - beta1 ** (step - 1) or 1), eps * root

        The eps is left as it was. (hint 3)
        + return lr * (1 - beta2**step) ** 0.5 / (1 - beta1**step), eps

        The correction of v is not put under the root. (hint 1)
        + return lr * (1 - beta2**step) / (1 - beta1**step), eps * (1 - beta2**step)

        Only v is corrected. (hint 3)
        - return lr * root / (1 - beta1**step), eps * root
        + return lr * root, eps * root

        The steps are counted from two.
        + root = (1 - beta2 ** (step + 1)) ** 0.5
        + return lr * root / (1 - beta1 ** (step + 1)), eps * root

        The corrections multiply where they should divide, and the reverse. (hint 2)
        - return lr * root / (1 - beta1**step), eps * root
        + return lr * (1 - beta1**step) / root, eps / root

        The two results are returned in the wrong order.
        - return lr * root / (1 - beta1**step), eps * root
        + return eps * root, lr * root / (1 - beta1**step)

        The eps is divided by the correction of m, as the rate is. (hint 3)
        - return lr * root / (1 - beta1**step), eps * root
        + return lr * root / (1 - beta1**step), eps * root / (1 - beta1**step)

        A correction that divides is 0 here; 1 - beta1 ** step is not, as steps are counted from one.
        + root = (1 - beta2 ** (step - 1)) ** 0.5
        + return lr * root / (1 - beta1 ** (step - 1)), eps * root

        An eps of 0 is taken for no eps.
        - root = (1 - beta2**step) ** 0.5
        + eps = eps or 1e-8
        + root = (1 - beta2**step) ** 0.5

        Nothing is corrected where beta1 is 0, though v needs it.
        - root = (1 - beta2**step) ** 0.5
        + if not beta1:
        +     return lr, eps
        + root = (1 - beta2**step) ** 0.5

        Nothing is corrected where beta2 is 0, though m needs it.
        - root = (1 - beta2**step) ** 0.5
        + if not beta2:
        +     return lr, eps
        + root = (1 - beta2**step) ** 0.5

        The betas are multiplied by the step, not taken to its power.
        + root = (1 - beta2 * step) ** 0.5
        + return lr * root / (1 - beta1 * step), eps * root

        The betas are multiplied by the step, not taken to its power.
        + root = abs(1 - beta2 * step) ** 0.5
        + return lr * root / (1 - beta1 * step), eps * root

        The rate is divided by the root of v's correction, not multiplied. (hint 2)
        - return lr * root / (1 - beta1**step), eps * root
        + return lr / root / (1 - beta1**step), eps * root

        In the rate the corrections multiply where they should divide, and the reverse. (hint 3)
        - return lr * root / (1 - beta1**step), eps * root
        + return lr * (1 - beta1**step) / root, eps * root

        The eps is divided by the root, not multiplied. (hint 2)
        - return lr * root / (1 - beta1**step), eps * root
        + return lr * root / (1 - beta1**step), eps / root

        The two betas are exchanged. (hint 1)
        + root = (1 - beta1**step) ** 0.5
        + return lr * root / (1 - beta2**step), eps * root

        In the rate the correction of v is not put under the root. (hint 2)
        - return lr * root / (1 - beta1**step), eps * root
        + return lr * root**2 / (1 - beta1**step), eps * root

        In the eps the correction of v is not put under the root. (hint 2)
        - return lr * root / (1 - beta1**step), eps * root
        + return lr * root / (1 - beta1**step), eps * root**2
    """,
    "adam": """
        The corrections are put into the means that are kept, so that the next step begins with corrected ones.
        - size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item())
        + t = state["step"].item()
        + mean /= 1 - beta1**t
        + square /= 1 - beta2**t
        + size, eps = lr, group["eps"]

        The averages are not corrected, so that the first steps are far too long. (hint 1)
        - size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item())
        ...
        - work += eps
        + work += group["eps"]
        ...
        - work *= size
        + work *= lr

        The gradient itself is divided, not its mean.
        - np.divide(mean, work, out=work)
        + np.divide(grad, work, out=work)

        The two betas are exchanged.
          mean, square = state["exp_avg"].array, state["exp_avg_sq"].array
        + beta1, beta2 = beta2, beta1

        The largest mean square overwrites the current one. (hint 2)
        - square = np.maximum(largest, square, out=largest)
        + np.maximum(largest, square, out=square)
        + largest[...] = square

        The mean is divided in place, and is no longer a mean. (hint 3)
        - np.divide(mean, work, out=work)
        - work *= size
        - array -= work
        + mean /= work
        + array -= np.multiply(mean, size, out=work)

        The corrected mean overwrites the stored mean.
        - size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item())
        + size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item())
        + mean /= 1 - beta1 ** state["step"].item()
        + size *= 1 - beta1 ** state["step"].item()

        Each average has the other's beta, and only the corrections have their own.
        - average(mean, grad, beta1, work)
        - average(square, np.multiply(grad, grad, out=work), beta2, work)
        + average(mean, grad, beta2, work)
        + average(square, np.multiply(grad, grad, out=work), beta1, work)

        The largest mean square is not kept: `state["max_exp_avg_sq"]` stays 0. (hint 2)
        - square = np.maximum(largest, square, out=largest)
        + square = np.maximum(largest, square, out=work)

        The step is counted a second time. (hint 1)
        - size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item())
        + state["step"].array += 1
        + size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item())

        The eps is the optimizer's default, not the group's.
        - size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item())
        + size, eps = corrected(lr, self.defaults["eps"], beta1, beta2, state["step"].item())

        The amsgrad option is the optimizer's default, not the group's. (hint 2)
        - if group["amsgrad"]:
        + if self.defaults["amsgrad"]:

        With amsgrad, too, the root is that of the current mean square, not of the largest. (hint 2)
        - square = np.maximum(largest, square, out=largest)
        + np.maximum(largest, square, out=largest)

        The parameter stays as it is: no new numbers come into its memory.
        - array -= work
        + array = array - work

        The parameter gets a new array, not new numbers in its memory.
        - array -= work
        + parameter.array = array - work

        The step goes uphill: it is added.
        - array -= work
        + array += work

        All parameters are corrected by the steps of one of them. (hint 1)
        - size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item())
        + first = next(iter(self.state.values()))
        + size, eps = corrected(lr, group["eps"], beta1, beta2, first["step"].item())

        `[:]` does not work for an array of shape (): `[...]` does. (hint 2)
        - square = np.maximum(largest, square, out=largest)
        + largest[:] = np.maximum(largest, square)
        + square = largest

        The largest of the corrected mean squares is kept, not of the uncorrected. (hint 2)
        - square = np.maximum(largest, square, out=largest)
        + bias = 1 - beta2 ** state["step"].item()
        + square = np.maximum(largest, square / bias, out=largest) * bias

        The number of steps is a Tensor: `.item()` is missing. (hint 1)
        - size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item())
        + size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"])

        A rate that is a Tensor is not converted, as `lr`, above, is.
        - size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item())
        + size, eps = corrected(group["lr"], group["eps"], beta1, beta2, state["step"].item())

        The largest mean square gets other memory in each step. (hint 2)
        - square = np.maximum(largest, square, out=largest)
        + square = np.maximum(largest, square)
        + state["max_exp_avg_sq"] = wrap(square)

        The root overwrites the stored mean square. (hint 3)
        - np.sqrt(square, out=work)
        + np.sqrt(square, out=square)
        + work[...] = square

        The mean is multiplied by the step size in place, and is no longer a mean. (hint 3)
        - np.divide(mean, work, out=work)
        - work *= size
        + mean *= size
        + np.divide(mean, work, out=work)

        What is subtracted is made in the mean, which is no longer one. (hint 3)
        - np.divide(mean, work, out=work)
        - work *= size
        - array -= work
        + mean /= work
        + mean *= size
        + array -= mean

        The eps that is added is the group's, not the one that `corrected` returns.
        - work += eps
        + work += group["eps"]

        The squares are those of the mean, not of the gradient.
        - average(square, np.multiply(grad, grad, out=work), beta2, work)
        + average(square, np.multiply(mean, mean, out=work), beta2, work)

        The first `average` computes in `work`, and overwrites the squares there.
        - average(mean, grad, beta1, work)
        - average(square, np.multiply(grad, grad, out=work), beta2, work)
        + np.multiply(grad, grad, out=work)
        + average(mean, grad, beta1, work)
        + average(square, work, beta2, work)

        The largest square of a gradient is kept, not the largest mean square. (hint 2)
        - square = np.maximum(largest, square, out=largest)
        + square = np.maximum(largest, grad * grad, out=largest)

        The corrections are those of the next step: `begin` has counted this one. (hint 1)
        - size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item())
        + size, eps = corrected(lr, group["eps"], beta1, beta2, state["step"].item() + 1)
    """,
    "decoupled-decay": """
        The share is what remains, not what is lost.
        - array *= 1 - lr * weight_decay
        + array *= lr * weight_decay

        The learning rate is forgotten. (hint 1)
        - array *= 1 - lr * weight_decay
        + array *= 1 - weight_decay

        The array that was passed does not become smaller. (hint 1)
        - array *= 1 - lr * weight_decay
        + array = array * (1 - lr * weight_decay)

        The same amount is taken from every weight, whatever its size.
        - array *= 1 - lr * weight_decay
        + array -= lr * weight_decay * np.sign(array)

        The weights grow.
        - array *= 1 - lr * weight_decay
        + array *= 1 + lr * weight_decay

        Parameters that are not trained are in the groups too. (hint 2)
        - if parameter.requires_grad:
        + if True:

        Biases stand in the first group, and matrices in the second. (hint 2)
        - (decayed if parameter.ndim >= 2 else others).append(parameter)
        + (others if parameter.ndim >= 2 else decayed).append(parameter)

        Only matrices are decayed, not parameters with more dimensions. (hint 2)
        - (decayed if parameter.ndim >= 2 else others).append(parameter)
        + (decayed if parameter.ndim == 2 else others).append(parameter)

        The second group has the decay of the first. (hint 3)
        - {"params": others, "weight_decay": 0.0},
        + {"params": others, "weight_decay": weight_decay},

        Weights with fewer than two dimensions do not shrink: which do is for `decay_groups` to say.
        - array *= 1 - lr * weight_decay
        + if array.ndim >= 2:
        +     array *= 1 - lr * weight_decay

        It ends at the first parameter that is not trained. (hint 2)
        - if parameter.requires_grad:
        -     (decayed if parameter.ndim >= 2 else others).append(parameter)
        + if not parameter.requires_grad:
        +     break
        + (decayed if parameter.ndim >= 2 else others).append(parameter)

        A group without parameters is left out.
        - return [
        -     {"params": decayed, "weight_decay": weight_decay},
        -     {"params": others, "weight_decay": 0.0},
        - ]
        + groups = [
        +     {"params": decayed, "weight_decay": weight_decay},
        +     {"params": others, "weight_decay": 0.0},
        + ]
        + return [group for group in groups if group["params"]]

        A decay of 0 is taken for no decay given.
        - {"params": decayed, "weight_decay": weight_decay},
        + {"params": decayed, "weight_decay": weight_decay or 1e-2},

        Dimensions of size 1 are not counted. (hint 2)
        - (decayed if parameter.ndim >= 2 else others).append(parameter)
        + (decayed if sum(n > 1 for n in parameter.shape) >= 2 else others).append(parameter)

        The order is lost.
        - {"params": decayed, "weight_decay": weight_decay},
        - {"params": others, "weight_decay": 0.0},
        + {"params": decayed[::-1], "weight_decay": weight_decay},
        + {"params": others[::-1], "weight_decay": 0.0},

        `[:]` does not work for weights of shape (): `[...]` does.
        - array *= 1 - lr * weight_decay
        + array[:] = array * (1 - lr * weight_decay)

        "params" is no list.
        - {"params": decayed, "weight_decay": weight_decay},
        - {"params": others, "weight_decay": 0.0},
        + {"params": tuple(decayed), "weight_decay": weight_decay},
        + {"params": tuple(others), "weight_decay": 0.0},

        The second group is empty, as when the parameters are gone through once for each group. (hint 2)
        - for parameter in parameters:
        -     if parameter.requires_grad:
        -         (decayed if parameter.ndim >= 2 else others).append(parameter)
        + decayed = [p for p in parameters if p.requires_grad and p.ndim >= 2]
        + others = [p for p in parameters if p.requires_grad and p.ndim < 2]

        Parameters with one dimension are decayed, too. (hint 2)
        - (decayed if parameter.ndim >= 2 else others).append(parameter)
        + (decayed if parameter.ndim >= 1 else others).append(parameter)
    """,
    "state-dict": """
        The numbers restart in each group. (hint 1)
        - for number, parameter in enumerate(group["params"], count):
        -     numbers.setdefault(parameter, number)
        + for number, parameter in enumerate(group["params"]):
        +     numbers[parameter] = number

        The state is numbered in the order in which it was created. (hint 3)
        - "state": {numbers.get(key, key): state for key, state in optimizer.state.items()},
        + "state": dict(enumerate(optimizer.state.values())),

        The numbers are written into the optimizer's own groups. (hint 2)
        + numbers = {}
        + for group in optimizer.param_groups:
        +     for parameter in group["params"]:
        +         numbers.setdefault(parameter, len(numbers))
        +     group["params"] = [numbers[parameter] for parameter in group["params"]]
        + return {
        +     "state": {numbers[key]: state for key, state in optimizer.state.items()},
        +     "param_groups": optimizer.param_groups,
        + }

        The parameters are identified by their address, which is different in another process.
        + groups = []
        + for group in optimizer.param_groups:
        +     options = {name: value for name, value in group.items() if name != "params"}
        +     groups.append({**options, "params": [id(parameter) for parameter in group["params"]]})
        + return {
        +     "state": {id(key): state for key, state in optimizer.state.items()},
        +     "param_groups": groups,
        + }

        The options are left out. (hint 2)
        - options = {name: value for name, value in group.items() if name != "params"}
        - groups.append(
        -     {**options, "params": [numbers[parameter] for parameter in group["params"]]}
        - )
        + groups.append({"params": [numbers[parameter] for parameter in group["params"]]})

        Every key of the state is looked up among the parameters, and one that is none raises a KeyError. (hint 3)
        - "state": {numbers.get(key, key): state for key, state in optimizer.state.items()},
        + "state": {numbers[key]: state for key, state in optimizer.state.items()},

        The options keep the order of the group, and "params" is not last. (hint 2)
        - {**options, "params": [numbers[parameter] for parameter in group["params"]]}
        + {**group, "params": [numbers[parameter] for parameter in group["params"]]}

        Each parameter's state is a copy.
        - "state": {numbers.get(key, key): state for key, state in optimizer.state.items()},
        + "state": {numbers.get(k, k): dict(v) for k, v in optimizer.state.items()},

        A group's numbers begin after those of the group before it, not of all before it. (hint 1)
        - for number, parameter in enumerate(group["params"], count):
        -     numbers.setdefault(parameter, number)
        + start = len(groups[-1]["params"]) if groups else 0
        + for number, parameter in enumerate(group["params"]):
        +     numbers[parameter] = start + number

        Parameters without a state get an empty one in the optimizer: reading a defaultdict makes it. (hint 3)
        - "state": {numbers.get(key, key): state for key, state in optimizer.state.items()},
        + "state": {
        +     **{n: optimizer.state[p] for p, n in numbers.items() if optimizer.state[p]},
        +     **{key: state for key, state in optimizer.state.items() if key not in numbers},
        + },

        Only options that have a default are packed. (hint 2)
        - options = {name: value for name, value in group.items() if name != "params"}
        + options = {name: value for name, value in group.items() if name in optimizer.defaults}

        A key that is not a parameter becomes a text. (hint 3)
        - "state": {numbers.get(key, key): state for key, state in optimizer.state.items()},
        + "state": {numbers.get(key, str(key)): state for key, state in optimizer.state.items()},

        An empty state is left out. (hint 3)
        - "state": {numbers.get(key, key): state for key, state in optimizer.state.items()},
        + "state": {numbers.get(k, k): state for k, state in optimizer.state.items() if state},

        The parameters are taken out of the optimizer's own groups. (hint 2)
        - options = {name: value for name, value in group.items() if name != "params"}
        - groups.append(
        -     {**options, "params": [numbers[parameter] for parameter in group["params"]]}
        - )
        + own = group.pop("params")
        + groups.append({**group, "params": [numbers[parameter] for parameter in own]})

        Only parameters with a state have a number. (hint 1)
        - for number, parameter in enumerate(group["params"], count):
        -     numbers.setdefault(parameter, number)
        + for parameter in group["params"]:
        +     if parameter in optimizer.state:
        +         numbers.setdefault(parameter, len(numbers))
        ...
        - {**options, "params": [numbers[parameter] for parameter in group["params"]]}
        + {**options, "params": [numbers[p] for p in group["params"] if p in numbers]}

        A parameter that stands twice is numbered by those before it, not by its place. (hint 1)
        - for number, parameter in enumerate(group["params"], count):
        -     numbers.setdefault(parameter, number)
        + for parameter in group["params"]:
        +     numbers.setdefault(parameter, len(numbers))

        A parameter that stands twice takes the number of the next one, whose state is lost. (hint 1)
        - for number, parameter in enumerate(group["params"], count):
        -     numbers.setdefault(parameter, number)
        + for parameter in group["params"]:
        +     numbers[parameter] = len(numbers)

        A group without parameters is left out. (hint 2)
        - options = {name: value for name, value in group.items() if name != "params"}
        + if not group["params"]:
        +     continue
        + options = {name: value for name, value in group.items() if name != "params"}

        The names of the parameters are left out. (hint 2)
        - options = {name: value for name, value in group.items() if name != "params"}
        + options = {name: value for name, value in group.items() if not name.startswith("param")}

        A Tensor that is no parameter of the optimizer has no number. (hint 3)
        - "state": {numbers.get(key, key): state for key, state in optimizer.state.items()},
        + "state": {
        +     numbers[key] if isinstance(key, Tensor) else key: state
        +     for key, state in optimizer.state.items()
        + },

        The optimizer's own states are put under numbers.
        - return {
        -     "state": {numbers.get(key, key): state for key, state in optimizer.state.items()},
        + for key in list(optimizer.state):
        +     optimizer.state[numbers.get(key, key)] = optimizer.state.pop(key)
        + return {
        +     "state": optimizer.state,

        The keys are sorted, but a text and a number cannot be compared.
        - return {
        -     "state": {numbers.get(key, key): state for key, state in optimizer.state.items()},
        + packed = {numbers.get(key, key): state for key, state in optimizer.state.items()}
        + return {
        +     "state": dict(sorted(packed.items())),

        Options of a group are packed with the groups after it, too. (hint 2)
        - numbers, groups, count = {}, [], 0
        + numbers, groups, count, options = {}, [], 0, {}
        ...
        - options = {name: value for name, value in group.items() if name != "params"}
        + options = {**options, **{k: v for k, v in group.items() if k != "params"}}

        The options are taken out of the optimizer's own groups. (hint 2)
        - options = {name: value for name, value in group.items() if name != "params"}
        + options = {name: group.pop(name) for name in list(group) if name != "params"}
    """,
    "mend-fit": """
        For a single point the shapes differ, as after `squeeze()`, which removes every dimension of 1. (hint 3)
        - loss = squared_error(outputs, y.reshape(outputs.shape))
        + loss = squared_error(outputs.squeeze(), y)

        The targets stay (n,), which cannot be compared with outputs (n, 1). (hint 3)
        - loss = squared_error(outputs, y.reshape(outputs.shape))
        + loss = squared_error(outputs, y)

        No shapes are refused: they are not compared, or in an assert with parentheses around condition and message, which is always true. (hint 3)
        - assert outputs.shape == targets.shape, f"outputs {outputs.shape}, targets {targets.shape}"

        Only the numbers of elements are compared, which (n, 1) and (n,) have in common. (hint 3)
        - assert outputs.shape == targets.shape, f"outputs {outputs.shape}, targets {targets.shape}"
        + same = outputs.numel() == targets.numel()
        + assert same, f"outputs {outputs.shape}, targets {targets.shape}"

        squared_error reshapes its arguments, so that wrong shapes are not noticed. (hint 3)
        - assert outputs.shape == targets.shape, f"outputs {outputs.shape}, targets {targets.shape}"
        + outputs, targets = outputs.reshape(-1), targets.reshape(-1)
        + assert outputs.shape == targets.shape, f"outputs {outputs.shape}, targets {targets.shape}"

        The assert has no message, and does not say which shapes met. (hint 3)
        - assert outputs.shape == targets.shape, f"outputs {outputs.shape}, targets {targets.shape}"
        + assert outputs.shape == targets.shape

        The targets are repeated to an n by n shape, in place of (n, 1).
        - outputs = model(x)
        - loss = squared_error(outputs, y.reshape(outputs.shape))
        + outputs = model(x).expand(len(y), len(y))
        + loss = squared_error(outputs, y.expand(len(y), len(y)))

        The gradients are not cleared, and add up.
        - optimizer.zero_grad()

        The optimizer has no momentum.
        - optimizer = SGD(model.parameters(), lr, momentum=0.9)
        + optimizer = SGD(model.parameters(), lr)

        Every step makes a new optimizer, which starts without a velocity.
        - optimizer = SGD(model.parameters(), lr, momentum=0.9)
        - for _ in range(steps):
        + for _ in range(steps):
        +     optimizer = SGD(model.parameters(), lr, momentum=0.9)

        The smallest loss is returned, not that of the last step.
        - for _ in range(steps):
        + best = float("inf")
        + for _ in range(steps):
        ...
        - return loss.item()
        +     best = min(best, loss.item())
        + return best

        It returns after the first step.
        - return loss.item()
        +     return loss.item()

        The weights never change: a step is missing, or has no gradients when it runs.
        - optimizer.zero_grad()
        ...
        - loss.backward()
        + loss.backward()
        + optimizer.zero_grad()

        Only the numbers of rows and of dimensions are compared. (hint 2)
        - assert outputs.shape == targets.shape, f"outputs {outputs.shape}, targets {targets.shape}"
        + same = len(outputs) == len(targets) and outputs.ndim == targets.ndim
        + assert same, f"outputs {outputs.shape}, targets {targets.shape}"

        An array is returned, not a float.
        - return loss.item()
        + return loss.detach().array

        Only the dimensions that both shapes have are compared, as `zip` does.
        - assert outputs.shape == targets.shape, f"outputs {outputs.shape}, targets {targets.shape}"
        + same = all(a == b for a, b in zip(outputs.shape, targets.shape))
        + assert same, f"outputs {outputs.shape}, targets {targets.shape}"

        Only the lengths are compared. (hint 3)
        - assert outputs.shape == targets.shape, f"outputs {outputs.shape}, targets {targets.shape}"
        + assert len(outputs) == len(targets), f"outputs {outputs.shape}, targets {targets.shape}"

        Shapes are refused by another error than an AssertionError. (hint 3)
        - assert outputs.shape == targets.shape, f"outputs {outputs.shape}, targets {targets.shape}"
        + if outputs.shape != targets.shape:
        +     raise ValueError(f"outputs {outputs.shape}, targets {targets.shape}")

        The loss of the first step is returned, not that of the last.
        - for _ in range(steps):
        + losses = []
        + for _ in range(steps):
        ...
        - return loss.item()
        +     losses.append(loss.item())
        + return losses[0]

        The gradients are not cleared before the first step, which takes those that are there already.
        - optimizer.zero_grad()
        ...
        - optimizer.step()
        + optimizer.step()
        + optimizer.zero_grad()

        It stops where the loss is small, before all of the steps are taken.
        - loss.backward()
        + if loss.item() < 1e-6:
        +     break
        + loss.backward()
    """,
}
