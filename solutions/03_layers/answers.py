"""Other right answers to the stubs of module 03: their tests pass with each."""

ANSWERS = {
    "linear-forward": """
        The product of all dimensions at once, and a new array for the sum.
        + ctx.save_for_backward(x, weight)
        + y = np.matmul(x, np.swapaxes(weight, -1, -2))
        + return y if bias is None else y + bias
    """,
    "register": """
        One kind after another.
        + own = vars(module)
        + homes = [(Parameter, "_parameters"), (Module, "_modules")]
        + home = None
        + for kind, place in homes:
        +     if isinstance(value, kind):
        +         home = place
        + if home is None:
        +     for place in ("_parameters", "_buffers", "_modules"):
        +         if name in own[place]:
        +             own[place][name] = value
        +             return
        +     object.__setattr__(module, name, value)
        + else:
        +     for place in ("_parameters", "_buffers", "_modules"):
        +         if place != home and name in own[place]:
        +             del own[place][name]
        +     if name in own:
        +         del own[name]
        +     own[home][name] = value
    """,
    "named-modules": """
        A loop over what each child finds.
        + if module not in memo:
        +     if remove_duplicate:
        +         memo.add(module)
        +     yield (prefix, module)
        +     for name in module._modules:
        +         child = module._modules[name]
        +         if child is None:
        +             continue
        +         parts = [part for part in (prefix, name) if part]
        +         for pair in child.named_modules(memo, ".".join(parts), remove_duplicate):
        +             yield pair
    """,
    "named-members": """
        Identities in a list.
        + owners = [(prefix, module)]
        + if recurse:
        +     owners = list(module.named_modules(None, prefix, remove_duplicate))
        + known = []
        + for path, owner in owners:
        +     for name, tensor in vars(owner)[place].items():
        +         if tensor is None or id(tensor) in known:
        +             continue
        +         if remove_duplicate:
        +             known.append(id(tensor))
        +         yield (path + "." + name if path else name), tensor
    """,
    "kaiming-uniform": """
        The deviation first, then the bound; the tensor fills itself.
        + deviation = calculate_gain(nonlinearity, a) / fan(tensor, mode) ** 0.5
        + bound = 3**0.5 * deviation
        + tensor.data.uniform_(-bound, bound, generator=generator)
        + return tensor

        The bounds by their names.
        - return uniform_(tensor, -bound, bound, generator)
        + uniform_(tensor, a=-bound, b=bound, generator=generator)
        + return tensor
    """,
    "linear-layer": """
        Registered by name, and filled in place with bounds that are written out.
        - self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        - if bias:
        -     self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        - else:
        -     self.register_parameter("bias", None)
        + options = {"device": device, "dtype": dtype}
        + weight = Parameter(zeros(out_features, in_features, **options))
        + self.register_parameter("weight", weight)
        + self.register_parameter("bias", Parameter(zeros(out_features, **options)) if bias else None)
        ...
        - kaiming_uniform_(self.weight, a=math.sqrt(5))
        - if self.bias is not None:
        -     bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
        -     uniform_(self.bias, -bound, bound)
        + bound = max(1, self.in_features) ** -0.5
        + for parameter in (self.weight, self.bias):
        +     if parameter is not None and parameter.numel():
        +         uniform_(parameter, -bound, bound)
        + if not self.in_features and self.bias is not None:
        +     self.bias.data.zero_()
    """,
    "dropout": """
        What is dropped is filled with zeros, and the rest divided.
        + if not training or p == 0:
        +     return input
        + dropped = empty_like(input).bernoulli_(1 - p) == 0
        + kept = input.masked_fill(dropped, 0.0) / (1 - p if p < 1 else 1.0)
        + if not inplace:
        +     return kept
        + return input.copy_(kept)
    """,
    "sequential": """
        Two loops with a counter, and a fold.
        - if len(args) == 1 and isinstance(args[0], OrderedDict):
        -     named = args[0].items()
        - else:
        -     named = ((str(number), module) for number, module in enumerate(args))
        - for name, module in named:
        -     self.add_module(name, module)
        + modules = args[0] if len(args) == 1 and isinstance(args[0], OrderedDict) else None
        + if modules is None:
        +     modules = dict(zip(map(str, range(len(args))), args))
        + for name in modules:
        +     self.register_module(name, modules[name])
        ...
        - for module in self._modules.values():
        -     input = module(input)
        - return input
        + output = input
        + for name in self._modules:
        +     output = getattr(self, name)(output)
        + return output
    """,
    "residual-block": """
        One statement after another, and the input added by its own method.
        - self.expand, self.contract = Linear(width, hidden), Linear(hidden, width)
        + self.expand = Linear(in_features=width, out_features=hidden)
        + self.contract = Linear(in_features=hidden, out_features=width)
        ...
        - return x + self.dropout(self.contract(F.relu(self.expand(x))))
        + hidden = self.expand(x).relu()
        + change = self.contract(hidden)
        + change = self.dropout(change)
        + return change.add(x)

        Dropout in the memory of the change.
        - self.dropout = Dropout(p)
        + self.dropout = Dropout(p, inplace=True)
    """,
    "state-dict": """
        Parameters, then buffers, then children by their names.
        + for name, parameter in module._parameters.items():
        +     if parameter is not None:
        +         destination[f"{prefix}{name}"] = parameter if keep_vars else parameter.detach()
        + for name, buffer in module._buffers.items():
        +     if buffer is None or name in module._non_persistent_buffers_set:
        +         continue
        +     destination[f"{prefix}{name}"] = buffer if keep_vars else buffer.data
        + for name in module._modules:
        +     if (child := module._modules[name]) is not None:
        +         path = prefix + name + "."
        +         child.state_dict(destination=destination, prefix=path, keep_vars=keep_vars)
    """,
    "load-state-dict": """
        One loop that sorts the names, and values copied through data.
        + own, missing, mismatches = module.state_dict(keep_vars=True), [], []
        + for name, tensor in own.items():
        +     if name not in state_dict:
        +         missing.append(name)
        +     elif mismatch(name, tensor, state_dict[name]):
        +         mismatches.append(mismatch(name, tensor, state_dict[name]))
        + unexpected = [name for name in state_dict if name not in own]
        + if mismatches or (strict and (missing or unexpected)):
        +     if not strict:
        +         raise refusal(module, (), (), mismatches)
        +     raise refusal(module, missing, unexpected, mismatches)
        + for name in own:
        +     if name in state_dict and assign:
        +         replace_tensor(module, name, state_dict[name])
        +     elif name in state_dict:
        +         own[name].data.copy_(state_dict[name])
        + return IncompatibleKeys(missing, unexpected)
    """,
    "hooks": """
        Copies of the hooks as tuples, and each answer weighed in one expression.
        + for hook in tuple(module._forward_pre_hooks.values()):
        +     answer = hook(module, args)
        +     if isinstance(answer, tuple):
        +         args = answer
        +     elif answer is not None:
        +         args = (answer,)
        + result = module.forward(*args, **kwargs)
        + for hook in tuple(module._forward_hooks.values()):
        +     answer = hook(module, args, result)
        +     result = result if answer is None else answer
        + return result
    """,
    "summary": """
        One hook for each module, which knows its name, and removed by a stack.
        + import contextlib
        +
        + rows, seen = [], set()
        +
        + def hook_of(name):
        +     def note(module, inputs, output):
        +         numbers = size = 0
        +         for parameter in module._parameters.values():
        +             if parameter is not None and id(parameter) not in seen:
        +                 seen.add(id(parameter))
        +                 numbers += parameter.numel()
        +                 size += parameter.numel() * parameter.element_size()
        +         layer = module.__class__.__name__
        +         rows.append(Row(name, layer, shape_of(output), numbers, size))
        +
        +     return note
        +
        + with contextlib.ExitStack() as stack:
        +     for name, module in model.named_modules():
        +         if module._parameters or not list(module.children()):
        +             stack.callback(module.register_forward_hook(hook_of(name)).remove)
        +     model(*inputs)
        + return rows
    """,
    "mend-search": """
        Layers registered one by one, and clones of the weights that only a better move replaces.
        - self.layers = ModuleList(Linear(width, width) for _ in range(depth))
        - self.head = Linear(width, outputs)
        + self.layers = Sequential()
        + for _ in range(depth):
        +     self.layers.append(Linear(width, width))
        + self.head = Linear(width, outputs)
        ...
        - tower.head = Linear(tower.head.in_features, outputs)
        - moved = list(tower.parameters())
        - best, least = copy.deepcopy(tower.state_dict()), error(tower)
        - for _ in range(steps):
        -     for parameter in moved:
        -         parameter.data.add_(randn(*parameter.shape), alpha=size)
        -     now = error(tower)
        -     if now < least:
        -         best, least = copy.deepcopy(tower.state_dict()), now
        -     else:
        -         tower.load_state_dict(best)
        - return least
        + tower.head = Linear(tower.head.in_features, outputs)
        + least = error(tower)
        + for _ in range(steps):
        +     before = {name: value.clone() for name, value in tower.state_dict().items()}
        +     for parameter in tower.parameters():
        +         parameter.data += size * randn(*parameter.shape)
        +     now = error(tower)
        +     if now < least:
        +         least = now
        +     else:
        +         tower.load_state_dict(before)
        + return least
    """,
}
