"""Other right answers to the stubs of module 07: their tests pass with each."""

ANSWERS = {
    "zero-grad": """
        A list of all parameters first, and zeros by the array.
        + for parameter in [p for group in groups for p in group["params"]]:
        +     if set_to_none or parameter.grad is None:
        +         parameter.grad = None
        +     else:
        +         parameter.grad.detach_()
        +         parameter.grad.array[...] = 0
        +         changed(parameter.grad.array)

        A new Tensor around the same memory, which belongs to no graph.
        - parameter.grad.detach_().zero_()
        + parameter.grad = parameter.grad.detach()
        + parameter.grad.zero_()
    """,
    "param-group": """
        By identities in a loop, and the defaults afterwards.
        + taken = [id(parameter) for other in others for parameter in other["params"]]
        + for parameter in group["params"]:
        +     if id(parameter) in taken:
        +         raise ValueError("a parameter of this group is in another group already")
        + group.update({name: defaults[name] for name in defaults if name not in group})
    """,
    "weight-decay": """
        The sign first, then the decay on top, in the same memory.
        + out[...] = -grad if group.get("maximize", False) else grad
        + if group.get("weight_decay") and not group.get("decoupled_weight_decay"):
        +     out += group["weight_decay"] * array
        + return out
    """,
    "step": """
        One flat loop over what has a gradient.
        + pairs = [(p, group) for group in optimizer.param_groups for p in group["params"]]
        + for parameter, group in pairs:
        +     if parameter.grad is None:
        +         continue
        +     array = parameter.array
        +     out, work = optimizer.scratch(array)
        +     direction = descent_direction(array, parameter.grad.detach().array, group, out)
        +     optimizer.update(parameter, direction, group, work)
        +     changed(array)
    """,
    "momentum": """
        The formula as it stands, put back in place.
        + velocity[...] = momentum * velocity + (1 - dampening) * grad

        In one expression that changes the velocity.
        + velocity *= momentum
        + velocity += (1 - dampening) * grad
    """,
    "sgd": """
        One branch for each kind of step.
        + array, state = parameter.array, self.state
        + if not group["momentum"]:
        +     array -= np.multiply(grad, float(group["lr"]), out=work)
        +     return
        + kept = state[parameter].get("momentum_buffer")
        + if kept is None:
        +     kept = state[parameter]["momentum_buffer"] = wrap(np.array(grad))
        + else:
        +     accumulate(kept.array, grad, group["momentum"], group["dampening"], work)
        + if group["nesterov"]:
        +     step = grad + group["momentum"] * kept.array
        + else:
        +     step = kept.array
        + array -= float(group["lr"]) * step
    """,
    "moving-average": """
        The formula as it stands, put back in place.
        + mean[...] = beta * mean + (1 - beta) * values

        A step towards the values.
        + mean += (1 - beta) * (values - mean)

        By `accumulate`, in which the share that stays is left out of the values.
        + accumulate(mean, values, beta, beta, work)
    """,
    "rmsprop": """
        The formula as it stands.
        + square = state["square_avg"].array
        + average(square, grad**2, group["alpha"], work)
        + quotient = grad / (np.sqrt(square) + group["eps"])
        + if group["momentum"] > 0:
        +     velocity = state["momentum_buffer"].array
        +     velocity[...] = group["momentum"] * velocity + quotient
        +     quotient = velocity
        + array -= lr * quotient
    """,
    "bias-correction": """
        Both corrections by name.
        + c1, c2 = 1 - beta1**step, 1 - beta2**step
        + return float(lr * np.sqrt(c2) / c1), float(eps * np.sqrt(c2))
    """,
    "adam": """
        The formula as it stands, corrections and all, put back in place.
        + mean, square = state["exp_avg"].array, state["exp_avg_sq"].array
        + mean[...] = beta1 * mean + (1 - beta1) * grad
        + square[...] = beta2 * square + (1 - beta2) * grad**2
        + step = state["step"].item()
        + if group["amsgrad"]:
        +     largest = state["max_exp_avg_sq"].array
        +     largest[...] = np.maximum(largest, square)
        +     square = largest
        + m_hat, v_hat = mean / (1 - beta1**step), square / (1 - beta2**step)
        + array -= lr * m_hat / (np.sqrt(v_hat) + group["eps"])
    """,
    "decoupled-decay": """
        The share subtracted, and two comprehensions.
        - array *= 1 - lr * weight_decay
        + array -= lr * weight_decay * array
        ...
        - decayed, others = [], []
        - for parameter in parameters:
        -     if parameter.requires_grad:
        -         (decayed if parameter.ndim >= 2 else others).append(parameter)
        - return [
        -     {"params": decayed, "weight_decay": weight_decay},
        -     {"params": others, "weight_decay": 0.0},
        - ]
        + trained = [parameter for parameter in parameters if parameter.requires_grad]
        + matrices = [parameter for parameter in trained if len(parameter.shape) > 1]
        + vectors = [parameter for parameter in trained if len(parameter.shape) < 2]
        + return [
        +     dict(params=matrices, weight_decay=weight_decay),
        +     dict(params=vectors, weight_decay=0),
        + ]
    """,
    "state-dict": """
        Numbers from a list of all parameters, by identity.
        + everything = [p for group in optimizer.param_groups for p in group["params"]]
        + number_of = {}
        + for number, parameter in enumerate(everything):
        +     number_of.setdefault(id(parameter), number)
        + groups = []
        + for group in optimizer.param_groups:
        +     packed = dict(group)
        +     packed["params"] = [number_of[id(parameter)] for parameter in packed.pop("params")]
        +     groups.append(packed)
        + state = {}
        + for key, value in optimizer.state.items():
        +     state[number_of.get(id(key), key)] = value
        + return {"state": state, "param_groups": groups}
    """,
    "mend-fit": """
        Outputs made flat, and the mean written as a sum.
        - assert outputs.shape == targets.shape, f"outputs {outputs.shape}, targets {targets.shape}"
        - return ((outputs - targets) ** 2).mean()
        + if tuple(outputs.shape) != tuple(targets.shape):
        +     raise AssertionError(f"{tuple(outputs.shape)} is not {tuple(targets.shape)}")
        + difference = outputs - targets
        + return (difference * difference).sum() / difference.numel()
        ...
        - outputs = model(x)
        - loss = squared_error(outputs, y.reshape(outputs.shape))
        + loss = squared_error(model(x).squeeze(-1), y)

        The shapes written as 32x1.
        - assert outputs.shape == targets.shape, f"outputs {outputs.shape}, targets {targets.shape}"
        + one, other = ("x".join(map(str, shape)) for shape in (outputs.shape, targets.shape))
        + assert one == other, f"{one} and {other}"
    """,
}
