"""Planted mistakes of module 03: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "linear-forward": """
        The weight is not transposed, which a square one does not notice.
        - output = rows @ weight.T  # (N, out)
        + output = rows @ weight.reshape(weight.shape[::-1])

        The number of rows is left to reshape, which cannot infer it where there are no inputs. (hint 1)
        - rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])  # (N, in)
        + rows = x.reshape(-1, x.shape[-1])

        The leading dimensions stay merged into one. (hint 3)
        - return output.reshape(x.shape[:-1] + weight.shape[:-1])
        + return output

        The bias is left out.
        - if bias is not None:
        -     output += bias

        The rows are saved in place of x, which breaks second derivatives. (hint 3)
        - ctx.save_for_backward(x, weight)
        - rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])  # (N, in)
        + rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
        + ctx.save_for_backward(rows, weight)

        It fails without a bias. (hint 2)
        - if bias is not None:
        -     output += bias
        + output += bias

        The result is float64. (hint 2)
        - if bias is not None:
        -     output += bias
        + output = output + np.float64(0 if bias is None else bias)

        The weight is saved before x.
        - ctx.save_for_backward(x, weight)
        + ctx.save_for_backward(weight, x)
    """,
    "register": """
        A Parameter is not stored in `_parameters`.
        + object.__setattr__(module, name, value)

        The old value is not removed, and hides the new one. (hint 3)
        - for place in (module.__dict__, parameters, buffers, modules):
        -     if place is not home:
        -         place.pop(name, None)

        Every tensor becomes a parameter, trained or not.
        + if isinstance(value, Tensor):
        +     module._parameters[name] = value
        + elif isinstance(value, Module):
        +     module._modules[name] = value
        + else:
        +     object.__setattr__(module, name, value)

        A tensor assigned to a buffer's name becomes an ordinary attribute. (hint 2)
        - home = next((place for place in (parameters, buffers, modules) if name in place), None)
        + home = None

        A parameter stays in the instance's own dictionary too. (hint 3)
        + object.__setattr__(module, name, value)
        + for kind, place in (
        +     (Parameter, module._parameters),
        +     (Tensor, module._buffers),
        +     (Module, module._modules),
        + ):
        +     if name in place or (isinstance(value, kind) and kind is not Tensor):
        +         place[name] = value

        The buffer is not removed when another kind of value takes its name. (hint 3)
        - for place in (module.__dict__, parameters, buffers, modules):
        + for place in (module.__dict__, parameters, modules):

        A replacement of the same kind goes to the end of the order. (hint 3)
        - if place is not home:
        -     place.pop(name, None)
        + place.pop(name, None)

        A value of None is not removed, and hides the new one. (hint 3)
        - if place is not home:
        + if place is not home and place.get(name) is not None:

        A buffer that is None is taken for absent, and what is assigned to its name is not kept as the buffer.
        - home = next((place for place in (parameters, buffers, modules) if name in place), None)
        + places = (parameters, buffers, modules)
        + home = next((place for place in places if place.get(name) is not None), None)
    """,
    "named-modules": """
        The path is only the last name. (hint 3)
        - path = f"{prefix}.{name}" if prefix else name
        + path = name

        Every path begins with a dot. (hint 3)
        - path = f"{prefix}.{name}" if prefix else name
        + path = f"{prefix}.{name}"

        Each branch starts a new memo, so a module in two branches is found twice. (hint 2)
        - if remove_duplicate:
        -     memo.add(module)
        ...
        - if child is not None:
        + if child is not None and child not in memo:
        +     if remove_duplicate:
        +         memo.add(child)
        ...
        - yield from child.named_modules(memo, path, remove_duplicate)
        + yield from child.named_modules(None, path, remove_duplicate)

        Children come before their parents.
        - yield prefix, module
        ...
                  yield from child.named_modules(memo, path, remove_duplicate)
        + yield prefix, module

        Duplicates are removed even where `remove_duplicate` is False. (hint 2)
        - if remove_duplicate:
        -     memo.add(module)
        + memo.add(module)

        A list is returned, not a generator. (hint 1)
        - return
        + return []
        ...
        - yield prefix, module
        + found = [(prefix, module)]
        ...
        -         yield from child.named_modules(memo, path, remove_duplicate)
        +         found.extend(child.named_modules(memo, path, remove_duplicate))
        + return found

        Only one level is walked. (hint 1)
        + yield prefix, module
        + for name, child in module._modules.items():
        +     if child is not None:
        +         yield f"{prefix}.{name}" if prefix else name, child

        What a child yields is passed on as one generator: `yield from` passes on its pairs.
        - yield from child.named_modules(memo, path, remove_duplicate)
        + yield child.named_modules(memo, path, remove_duplicate)

        `memo` is filled even where `remove_duplicate` is False. (hint 2)
        - if module in memo:
        -     return
        - if remove_duplicate:
        -     memo.add(module)
        + if remove_duplicate and module in memo:
        +     return
        + memo.add(module)

        A child with nothing in it is false, and skipped as if it were None.
        - if child is not None:
        + if child:

        What is in `memo` from before is not left out, as when it holds something other than modules. (hint 2)
        - if module in memo:
        -     return
        - if remove_duplicate:
        -     memo.add(module)
        + if id(module) in memo:
        +     return
        + if remove_duplicate:
        +     memo.add(id(module))

        Only children are looked up in `memo`, not the module itself. (hint 2)
        - if module in memo:
        -     return
        ...
        - if child is not None:
        + if child is not None and child not in memo:
    """,
    "named-members": """
        A tied parameter is yielded under each of its names. (hint 2)
        + for path, owner in module.named_modules(prefix=prefix) if recurse else [(prefix, module)]:
        +     for name, tensor in getattr(owner, place).items():
        +         if tensor is not None:
        +             yield f"{path}.{name}" if path else name, tensor

        The set of seen tensors is reset at every module. (hint 2)
        - seen = set()
        - modules = module.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        - for path, owner in modules if recurse else [(prefix, module)]:
        + for path, owner in module.named_modules(prefix=prefix) if recurse else [(prefix, module)]:
        +     seen = set()

        It goes below the module even when told not to. (hint 3)
        - modules = module.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        - for path, owner in modules if recurse else [(prefix, module)]:
        + for path, owner in module.named_modules(prefix=prefix, remove_duplicate=remove_duplicate):

        All of it is gathered in a list.
        - seen = set()
        + seen, found = set(), []
        ...
        -             yield f"{path}.{name}" if path else name, tensor
        +             found.append((f"{path}.{name}" if path else name, tensor))
        + return found

        It always reads the parameters. (hint 1)
        - for name, tensor in getattr(owner, place).items():
        + for name, tensor in owner._parameters.items():

        A module that appears twice is walked only once, even where duplicates are wanted. (hint 3)
        - modules = module.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        - for path, owner in modules if recurse else [(prefix, module)]:
        -     for name, tensor in getattr(owner, place).items():
        + for path, owner in module.named_modules(prefix=prefix) if recurse else [(prefix, module)]:
        +     for name, tensor in owner._parameters.items():

        Parameters that are None are yielded too.
        - modules = module.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        - for path, owner in modules if recurse else [(prefix, module)]:
        + for path, owner in module.named_modules(prefix=prefix) if recurse else [(prefix, module)]:
        ...
        - if tensor is not None and tensor not in seen:
        + if tensor not in seen:

        Duplicates are recognised by their values. (hint 2)
        + seen = []
        + for path, owner in module.named_modules(prefix=prefix) if recurse else [(prefix, module)]:
        +     for name, tensor in getattr(owner, place).items():
        +         if tensor is not None and not any(
        +             np.array_equal(tensor.array, other.array) for other in seen
        +         ):
        +             if remove_duplicate:
        +                 seen.append(tensor)
        +             yield f"{path}.{name}" if path else name, tensor

        A module that appears twice is walked only once, even where duplicates are wanted. (hint 3)
        - modules = module.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        + modules = module.named_modules(prefix=prefix)

        Two tensors of the same memory are taken for one: compare the tensors themselves. (hint 2)
        - if tensor is not None and tensor not in seen:
        -     if remove_duplicate:
        -         seen.add(tensor)
        + if tensor is not None and tensor.data_ptr() not in seen:
        +     if remove_duplicate:
        +         seen.add(tensor.data_ptr())

        The names are remembered, not the tensors: two layers may each have a weight. (hint 2)
        - if tensor is not None and tensor not in seen:
        -     if remove_duplicate:
        -         seen.add(tensor)
        + if tensor is not None and name not in seen:
        +     if remove_duplicate:
        +         seen.add(name)

        At a tensor that is None the walk ends, instead of going on to the next.
        - if tensor is not None and tensor not in seen:
        -     if remove_duplicate:
        -         seen.add(tensor)
        -     yield f"{path}.{name}" if path else name, tensor
        + if tensor is None or tensor in seen:
        +     return
        + if remove_duplicate:
        +     seen.add(tensor)
        + yield f"{path}.{name}" if path else name, tensor

        Tensors are compared with ==, as by `in` of a list: that compares their numbers. (hint 2)
        - seen = set()
        + seen = []
        ...
        - seen.add(tensor)
        + seen.append(tensor)
    """,
    "kaiming-uniform": """
        The deviation is used as the bound. (hint 1)
        - bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan(tensor, mode))
        + bound = calculate_gain(nonlinearity, a) / math.sqrt(fan(tensor, mode))

        The mode is ignored. (hint 3)
        - bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan(tensor, mode))
        + bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan(tensor, "fan_in"))

        The slope is not passed to the gain. (hint 3)
        - bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan(tensor, mode))
        + bound = calculate_gain(nonlinearity) * math.sqrt(3 / fan(tensor, mode))

        The gain is divided by the fan, not by its root. (hint 3)
        - bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan(tensor, mode))
        + bound = calculate_gain(nonlinearity, a) * math.sqrt(3) / fan(tensor, mode)

        The numbers are drawn from [0, b).
        - return uniform_(tensor, -bound, bound, generator)
        + return uniform_(tensor, 0, bound, generator)

        The generator is ignored. (hint 2)
        - return uniform_(tensor, -bound, bound, generator)
        + return uniform_(tensor, -bound, bound)

        A new tensor is filled. (hint 2)
        - return uniform_(tensor, -bound, bound, generator)
        + return uniform_(empty_like(tensor), -bound, bound, generator)

        The variance is used as the deviation.
        + variance = calculate_gain(nonlinearity, a) ** 2 / fan(tensor, mode)
        + return uniform_(tensor, -(3**0.5) * variance, 3**0.5 * variance, generator)

        Nothing is returned. (hint 2)
        - return uniform_(tensor, -bound, bound, generator)
        + uniform_(tensor, -bound, bound, generator)

        An a of 0 is taken for none, for which `calculate_gain` assumes a slope of 0.01.
        - bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / fan(tensor, mode))
        + bound = calculate_gain(nonlinearity, a or None) * math.sqrt(3 / fan(tensor, mode))
    """,
    "linear-layer": """
        The weight is (in, out). (hint 2)
        - self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        + self.weight = Parameter(empty(in_features, out_features, device=device, dtype=dtype))

        The weight is a plain tensor, which is not trained. (hint 1)
        - self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        + self.weight = empty(out_features, in_features, device=device, dtype=dtype)

        There is a bias even where none is wanted.
        - if bias:
        -     self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        - else:
        -     self.register_parameter("bias", None)
        + self.bias = Parameter(empty(out_features, device=device, dtype=dtype))

        The bias is drawn before the weight. (hint 3)
        - kaiming_uniform_(self.weight, a=math.sqrt(5))
        ...
              uniform_(self.bias, -bound, bound)
        + kaiming_uniform_(self.weight, a=math.sqrt(5))

        The bound of the bias is that of its own length. (hint 3)
        - bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
        + bound = 1 / math.sqrt(self.out_features)

        The weight is drawn for a rectifier, not with PyTorch's √5. (hint 3)
        - kaiming_uniform_(self.weight, a=math.sqrt(5))
        + kaiming_uniform_(self.weight)

        The bias starts from zero.
        - bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
        - uniform_(self.bias, -bound, bound)
        + uniform_(self.bias, 0, 0)

        The requested dtype is ignored. (hint 2)
        - self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        + self.weight = Parameter(empty(out_features, in_features))
        ...
        - self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        + self.bias = Parameter(empty(out_features))

        The bias that is None is not registered, as when it is only assigned to `self.bias`.
        - self.register_parameter("bias", None)
        + self.bias = None

        Nothing is drawn: the parameters hold what the memory held before. (hint 1)
        - self.reset_parameters()
    """,
    "dropout": """
        The kept elements are not scaled. (hint 3)
        - keep = empty_like(input).bernoulli_(1 - p).div_(1 - p) if p < 1 else 0.0
        + keep = empty_like(input).bernoulli_(1 - p)

        p is taken for the probability of being kept. (hint 2)
        - keep = empty_like(input).bernoulli_(1 - p).div_(1 - p) if p < 1 else 0.0
        + keep = empty_like(input).bernoulli_(p).div_(p)

        It drops even when not training.
        - if p == 0 or not training:
        -     return input

        Where everything is dropped, 0 is divided by 0. (hint 1)
        - keep = empty_like(input).bernoulli_(1 - p).div_(1 - p) if p < 1 else 0.0
        + keep = empty_like(input).bernoulli_(1 - p)
        + keep = Tensor(keep.array / keep.array.dtype.type(1 - p))

        The mask is float64, and so is the result.
        - keep = empty_like(input).bernoulli_(1 - p).div_(1 - p) if p < 1 else 0.0
        + keep = empty_like(input, dtype=float64).bernoulli_(1 - p).div_(max(1 - p, 1e-9))

        One row of the mask is used for all rows. (hint 2)
        - keep = empty_like(input).bernoulli_(1 - p).div_(1 - p) if p < 1 else 0.0
        + keep = empty_like(input[:1]).bernoulli_(1 - p).div_(1 - p) if p < 1 else 0.0

        It writes into its input although `inplace` is False. (hint 3)
        - return input.mul_(keep) if inplace else input * keep
        + return input.mul_(keep)

        The scale is applied when the network is used, not in training.
        - if p == 0 or not training:
        -     return input
        - keep = empty_like(input).bernoulli_(1 - p).div_(1 - p) if p < 1 else 0.0
        + if not training:
        +     return input * (1 - p)
        + keep = empty_like(input).bernoulli_(1 - p)

        It is computed on arrays, so there is no gradient.
        - return input.mul_(keep) if inplace else input * keep
        + return input.mul_(keep) if inplace else Tensor(input.numpy(force=True) * keep)

        One number is drawn for a whole row. (hint 2)
        - keep = empty_like(input).bernoulli_(1 - p).div_(1 - p) if p < 1 else 0.0
        + keep = empty_like(input[..., :1]).bernoulli_(1 - p).div_(1 - p) if p < 1 else 0.0

        The mask is float32, and so is the result of a float16.
        - keep = empty_like(input).bernoulli_(1 - p).div_(1 - p) if p < 1 else 0.0
        + keep = zeros(*input.shape).bernoulli_(1 - p).div_(1 - p) if p < 1 else 0.0

        With p = 1, if not with every p, `inplace` is ignored. (hint 3)
        - return input.mul_(keep) if inplace else input * keep
        + return input.mul_(keep) if inplace and p < 1 else input * keep

        With p = 1 all is dropped even when not training.
        - if p == 0 or not training:
        -     return input
        + if p == 1:
        +     return input.mul_(0) if inplace else input * 0
        + if p == 0 or not training:
        +     return input

        With p = 1 the result is not made from the input by tensor operations, so there is no gradient. (hint 1)
          if p == 0 or not training:
              return input
        + if p == 1:
        +     return input.mul_(0) if inplace else zeros(*input.shape, dtype=input.dtype)
    """,
    "sequential": """
        The modules are in a plain list, which the walk does not see. (hint 1)
        - if len(args) == 1 and isinstance(args[0], OrderedDict):
        -     named = args[0].items()
        - else:
        -     named = ((str(number), module) for number, module in enumerate(args))
        - for name, module in named:
        -     self.add_module(name, module)
        + self.layers = list(args)
        ...
        - for module in self._modules.values():
        + for module in self.layers:

        The last module comes first.
        - for module in self._modules.values():
        + for module in reversed(self._modules.values()):

        Every module is given the network's input. (hint 3)
        + output = input
          for module in self._modules.values():
        ...
        -     input = module(input)
        - return input
        +     output = module(input)
        + return output

        The names of an OrderedDict are ignored. (hint 2)
        - if len(args) == 1 and isinstance(args[0], OrderedDict):
        -     named = args[0].items()
        - else:
        -     named = ((str(number), module) for number, module in enumerate(args))
        - for name, module in named:
        -     self.add_module(name, module)
        + modules = (
        +     args[0].values() if len(args) == 1 and isinstance(args[0], OrderedDict) else args
        + )
        + for number, module in enumerate(modules):
        +     self.add_module(str(number), module)

        An OrderedDict is taken though more arguments follow, which are lost. (hint 2)
        - if len(args) == 1 and isinstance(args[0], OrderedDict):
        + if args and isinstance(args[0], OrderedDict):

        Hooks are bypassed. (hint 3)
        - input = module(input)
        + input = module.forward(input)

        Nothing is returned. (hint 3)
        - return input

        A module that is there twice runs once, as in `children()`, which leaves out what comes again. (hint 3)
        - for module in self._modules.values():
        + for module in self.children():

        A module that is there twice is registered once.
        - self.add_module(name, module)
        + if module not in self._modules.values():
        +     self.add_module(name, module)

        A list made by the constructor is run, in which a module that is appended later is missing. (hint 3)
        - if len(args) == 1 and isinstance(args[0], OrderedDict):
        + self.__dict__["row"] = list(
        +     args[0].values() if args and isinstance(args[0], OrderedDict) else args
        + )
        + if len(args) == 1 and isinstance(args[0], OrderedDict):
        ...
        - for module in self._modules.values():
        + for module in self.row:

        Any dict gives names, not only an OrderedDict. (hint 2)
        - if len(args) == 1 and isinstance(args[0], OrderedDict):
        + if len(args) == 1 and isinstance(args[0], dict):

        What is no module is not refused, as when it is stored without `add_module`. (hint 1)
        - self.add_module(name, module)
        + self._modules[name] = module
    """,
    "residual-block": """
        The input is not added. (hint 3)
        - return x + self.dropout(self.contract(F.relu(self.expand(x))))
        + return self.dropout(self.contract(F.relu(self.expand(x))))

        The sum is written into the input, which may still be needed elsewhere. (hint 3)
        - return x + self.dropout(self.contract(F.relu(self.expand(x))))
        + x += self.dropout(self.contract(F.relu(self.expand(x))))
        + return x

        The sum is written into the input, which may still be needed elsewhere. (hint 3)
        - return x + self.dropout(self.contract(F.relu(self.expand(x))))
        + with_change = self.dropout(self.contract(F.relu(self.expand(x))))
        + x.detach().copy_(x + with_change)
        + return x + 0 * with_change

        The rectifier comes after the second layer, not between the two.
        - return x + self.dropout(self.contract(F.relu(self.expand(x))))
        + return x + self.dropout(F.relu(self.contract(self.expand(x))))

        Dropout is applied to the sum, and drops parts of the input. (hint 2)
        - return x + self.dropout(self.contract(F.relu(self.expand(x))))
        + return self.dropout(x + self.contract(F.relu(self.expand(x))))

        The function dropout is called, which ignores `eval()`. (hint 2)
        - return x + self.dropout(self.contract(F.relu(self.expand(x))))
        + change = self.contract(F.relu(self.expand(x)))
        + return x + dropout(change, self.dropout.p)

        The two sizes are exchanged. (hint 1)
        - self.expand, self.contract = Linear(width, hidden), Linear(hidden, width)
        + self.expand, self.contract = Linear(hidden, width), Linear(width, hidden)

        There is a rectifier after the sum, so that no output is negative.
        - return x + self.dropout(self.contract(F.relu(self.expand(x))))
        + return F.relu(x + self.dropout(self.contract(F.relu(self.expand(x)))))

        There is a rectifier after the sum, and none between the two layers.
        - return x + self.dropout(self.contract(F.relu(self.expand(x))))
        + return F.relu(x + self.dropout(self.contract(self.expand(x))))

        The children are not called, but their `forward`, so that hooks do not run. (hint 2)
        - return x + self.dropout(self.contract(F.relu(self.expand(x))))
        + change = self.contract.forward(F.relu(self.expand.forward(x)))
        + return x + self.dropout.forward(change)

        The function dropout does the work of the child, whose mode and hooks are passed over. (hint 2)
        - return x + self.dropout(self.contract(F.relu(self.expand(x))))
        + change = self.contract(F.relu(self.expand(x)))
        + return x + dropout(change, self.dropout.p, self.training)

        With p = 0 there is no child `dropout`. (hint 1)
        - self.dropout = Dropout(p)
        + self.dropout = Dropout(p) if p else None
        ...
        - return x + self.dropout(self.contract(F.relu(self.expand(x))))
        + change = self.contract(F.relu(self.expand(x)))
        + return x + (change if self.dropout is None else self.dropout(change))
    """,
    "state-dict": """
        The values are copies. (hint 3)
        - destination[prefix + name] = tensor if keep_vars else tensor.detach()
        + destination[prefix + name] = tensor if keep_vars else tensor.detach().clone()

        A tied parameter is stored under its first name only, and buffers not at all. (hint 1)
        + for name, tensor in module.named_parameters():
        +     destination[prefix + name] = tensor if keep_vars else tensor.detach()

        Buffers that are not persistent are stored too. (hint 3)
        - if tensor is not None and name not in module._non_persistent_buffers_set:
        + if tensor is not None:

        Children's names lack the prefix. (hint 2)
        - path = f"{prefix}{name}."
        + path = f"{name}."

        The parameters themselves are stored, gradients and all. (hint 3)
        - destination[prefix + name] = tensor if keep_vars else tensor.detach()
        + destination[prefix + name] = tensor

        The second of two children is not stored, which is the same module as the first.
        - for name, child in module._modules.items():
        + for name, child in module.named_children():

        A child's tensors are stored undetached.
        - child.state_dict(destination=destination, prefix=path, keep_vars=keep_vars)
        + child.state_dict(destination=destination, prefix=path, keep_vars=True)

        Buffers are stored undetached. (hint 3)
        - destination[prefix + name] = tensor if keep_vars else tensor.detach()
        + parameter = name in module._parameters
        + destination[prefix + name] = tensor.detach() if parameter and not keep_vars else tensor

        A tensor that is in `destination` already is not stored by its other names.
        - if tensor is not None and name not in module._non_persistent_buffers_set:
        + known = any(tensor is value for value in destination.values())
        + if not (tensor is None or known or name in module._non_persistent_buffers_set):

        Of a tensor with two names in one module only the first is stored, as by `named_parameters`. (hint 3)
        - for name, tensor in {**module._parameters, **module._buffers}.items():
        + own = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
        + for name, tensor in own:

        There is no dot between a child's name and what follows. (hint 2)
        - path = f"{prefix}{name}."
        + path = f"{prefix}{name}"

        `keep_vars` is not passed on to the children. (hint 2)
        - child.state_dict(destination=destination, prefix=path, keep_vars=keep_vars)
        + child.state_dict(destination=destination, prefix=path)
    """,
    "load-state-dict": """
        Missing names hide other errors. (hint 2)
        - wrong = (missing, unexpected) if strict else ([], [])
        - error = refusal(module, *wrong, [mismatch(*each) for each in shared])
        - if error is not None:
        -     raise error
        + if strict and missing:
        +     raise refusal(module, missing, [], [])
        + error = refusal(
        +     module, [], unexpected if strict else [], [mismatch(*each) for each in shared]
        + )
        + if error is not None:
        +     raise error

        The parameters are replaced by new ones. (hint 3)
        - if assign:
        -     replace_tensor(module, name, value)
        - else:
        -     tensor.detach().copy_(value)
        + value = value if assign else value.to(tensor.dtype).clone()
        + replace_tensor(module, name, value)

        The parameters share the memory of what was loaded. (hint 3)
        - if assign:
        -     replace_tensor(module, name, value)
        - else:
        -     tensor.detach().copy_(value)
        + tensor.data = value.to(tensor.dtype)

        With strict=False wrong shapes are accepted too. (hint 2)
        - if error is not None:
        + if strict and error is not None:

        Missing and unexpected names are exchanged. (hint 1)
        - missing = [name for name in own if name not in state_dict]
        - unexpected = [name for name in state_dict if name not in own]
        + unexpected = [name for name in own if name not in state_dict]
        + missing = [name for name in state_dict if name not in own]

        Some values are loaded before the others are checked.
        - if error is not None:
        -     raise error
        - for name, tensor, value in shared:
        + for name, tensor, value in shared:
        +     if mismatch(name, tensor, value):
        +         continue
        ...
        - return IncompatibleKeys(missing, unexpected)
        + if error is not None:
        +     raise error
        + return IncompatibleKeys(missing, unexpected)

        Only parameters are loaded, no buffers. (hint 1)
        - own = module.state_dict(keep_vars=True)
        - missing = [name for name in own if name not in state_dict]
        - unexpected = [name for name in state_dict if name not in own]
        + own = dict(module.named_parameters(remove_duplicate=False))
        + missing = [name for name in own if name not in state_dict]
        + unexpected = [name for name in state_dict if name not in module.state_dict()]

        With strict=True a missing or an unexpected name is accepted.
        - wrong = (missing, unexpected) if strict else ([], [])
        + wrong = (missing, unexpected) if strict and missing else ([], [])

        The names are not in the order of the module and of `state_dict`, but sorted.
        - missing = [name for name in own if name not in state_dict]
        - unexpected = [name for name in state_dict if name not in own]
        + missing = sorted(set(own) - set(state_dict))
        + unexpected = sorted(set(state_dict) - set(own))

        Only the first mismatch is listed. (hint 2)
        - error = refusal(module, *wrong, [mismatch(*each) for each in shared])
        + first = [each for each in shared if mismatch(*each)][:1]
        + error = refusal(module, *wrong, [mismatch(*each) for each in first])

        With assign=True mismatches are not refused.
        - error = refusal(module, *wrong, [mismatch(*each) for each in shared])
        + error = refusal(module, *wrong, [] if assign else [mismatch(*each) for each in shared])

        With assign=True the values of buffers are copied all the same.
        - if assign:
        + if assign and isinstance(tensor, Parameter):

        With strict=False nothing is refused, and what does not fit is passed over. (hint 2)
        - if error is not None:
        -     raise error
        - for name, tensor, value in shared:
        + if error is not None and strict:
        +     raise error
        + shared = [each for each in shared if mismatch(*each) is None]
        + for name, tensor, value in shared:
    """,
    "hooks": """
        The result of a pre-hook is ignored. (hint 3)
        - changed = hook(module, args)
        - if changed is not None:
        -     args = changed if isinstance(changed, tuple) else (changed,)
        + hook(module, args)

        A hook that returns None makes the output None.
        - changed = hook(module, args, output)
        - if changed is not None:
        -     output = changed
        + output = hook(module, args, output)

        Every hook gets the first output, or one hook alone is called.
        - output = module.forward(*args, **kwargs)
        + output = result = module.forward(*args, **kwargs)
        ...
        -     if changed is not None:
        -         output = changed
        - return output
        +     result = result if changed is None else changed
        + return result

        A single value is not made a tuple. (hint 3)
        - if changed is not None:
        -     args = changed if isinstance(changed, tuple) else (changed,)
        + args = args if changed is None else changed

        Named inputs are lost. (hint 1)
        - output = module.forward(*args, **kwargs)
        + output = module.forward(*args)

        The loop runs over the dictionary that a hook may change. (hint 2)
        - for hook in list(module._forward_pre_hooks.values()):
        + for hook in module._forward_pre_hooks.values():
        ...
        - for hook in list(module._forward_hooks.values()):
        + for hook in module._forward_hooks.values():

        Every pre-hook gets the first inputs.
        - for hook in list(module._forward_pre_hooks.values()):
        -     changed = hook(module, args)
        + first = args
        + for hook in list(module._forward_pre_hooks.values()):
        +     changed = hook(module, first)

        After a pre-hook that replaces the inputs no other runs.
        - args = changed if isinstance(changed, tuple) else (changed,)
        + args = changed if isinstance(changed, tuple) else (changed,)
        + break

        A list is taken for a tuple: it is one value. (hint 3)
        - args = changed if isinstance(changed, tuple) else (changed,)
        + args = tuple(changed) if isinstance(changed, tuple | list) else (changed,)

        Only a Tensor is made a tuple, other values are not. (hint 3)
        - args = changed if isinstance(changed, tuple) else (changed,)
        + args = (changed,) if isinstance(changed, Tensor) else changed

        An empty tuple is false, and does not replace the inputs. (hint 3)
        - args = changed if isinstance(changed, tuple) else (changed,)
        + args = (changed if isinstance(changed, tuple) else (changed,)) or args

        A hook's result replaces the output only if it is a Tensor.
        - if changed is not None:
        -     output = changed
        + if isinstance(changed, Tensor):
        +     output = changed

        A pre-hook's result is asked for its truth, as by `if changed:`, which two numbers do not have. (hint 3)
        - if changed is not None:
        -     args = changed if isinstance(changed, tuple) else (changed,)
        + if changed:
        +     args = changed if isinstance(changed, tuple) else (changed,)
    """,
    "summary": """
        Containers are counted as well as what they contain. (hint 2)
        - rows, counted = [], set()
        + rows, handles = [], []
        ...
        - own = [p for p in module.parameters(recurse=False) if p not in counted]
        - counted.update(own)
        + own = list(module.parameters())
        ...
        - watched = [module for module in names if module._parameters or not module._modules]
        - handles = [module.register_forward_hook(note) for module in watched]
        ...
          try:
        +     handles += [module.register_forward_hook(note) for module in names]

        Tied parameters are counted each time. (hint 2)
        - rows, counted = [], set()
        + rows = []
        ...
        - own = [p for p in module.parameters(recurse=False) if p not in counted]
        - counted.update(own)
        + own = list(module.parameters(recurse=False))

        The hooks stay in the model. (hint 3)
        - watched = [module for module in names if module._parameters or not module._modules]
        - handles = [module.register_forward_hook(note) for module in watched]
        - try:
        -     model(*inputs)
        - finally:
        -     for handle in handles:
        -         handle.remove()
        + for module in names:
        +     if module._parameters or not module._modules:
        +         module.register_forward_hook(note)
        + model(*inputs)

        After an error the hooks stay in the model. (hint 3)
        - try:
        -     model(*inputs)
        - finally:
        -     for handle in handles:
        -         handle.remove()
        + model(*inputs)
        + for handle in handles:
        +     handle.remove()

        Every number counts as four bytes. (hint 2)
        - numbers, size = sum(p.numel() for p in own), sum(p.nbytes for p in own)
        - rows.append(Row(names[module], type(module).__name__, shape_of(output), numbers, size))
        + numbers = sum(p.numel() for p in own)
        + rows.append(
        +     Row(names[module], type(module).__name__, shape_of(output), numbers, 4 * numbers)
        + )

        Only modules without children are counted.
        - watched = [module for module in names if module._parameters or not module._modules]
        - handles = [module.register_forward_hook(note) for module in watched]
        + handles = [module.register_forward_hook(note) for module in names if not module._modules]

        At the end all hooks are removed, even the user's own. (hint 3)
        - for handle in handles:
        -     handle.remove()
        + for module in watched:
        +     module._forward_hooks.clear()

        A child that is not called is counted as its parent's own.
        - own = [p for p in module.parameters(recurse=False) if p not in counted]
        + own = [p for p in module.parameters() if p not in counted]

        The output's own shape is taken, though there may be several outputs: `shape_of` takes the first.
        - rows.append(Row(names[module], type(module).__name__, shape_of(output), numbers, size))
        + shape = tuple(output.shape)
        + rows.append(Row(names[module], type(module).__name__, shape, numbers, size))

        The model gets only the first input.
        - model(*inputs)
        + model(inputs[0])

        Parameters that are not trained are left out.
        - own = [p for p in module.parameters(recurse=False) if p not in counted]
        + own = [p for p in module.parameters(recurse=False) if p not in counted and p.requires_grad]

        The bytes of a tied parameter are counted each time. (hint 2)
        - numbers, size = sum(p.numel() for p in own), sum(p.nbytes for p in own)
        + numbers = sum(p.numel() for p in own)
        + size = sum(p.nbytes for p in module.parameters(recurse=False))

        The model's own hook does not run: its `forward` is called, not the model.
        - model(*inputs)
        + model.forward(*inputs)

        The model itself gets no hook.
        - watched = [module for module in names if module._parameters or not module._modules]
        + watched = [m for m in names if m is not model and (m._parameters or not m._modules)]
    """,
    "mend-search": """
        The walk finds no layers, as when they are in a Python list. (hint 1)
        - self.layers = ModuleList(Linear(width, width) for _ in range(depth))
        + self.layers = [Linear(width, width) for _ in range(depth)]

        The list of changed parameters does not hold the new head. (hint 2)
        - tower.head = Linear(tower.head.in_features, outputs)
        - moved = list(tower.parameters())
        + moved = list(tower.parameters())
        + tower.head = Linear(tower.head.in_features, outputs)

        A worse move is not undone before the next: nothing is loaded, or tensors in the tower's own memory. (hint 3)
        - best, least = copy.deepcopy(tower.state_dict()), error(tower)
        + best, least = tower.state_dict(), error(tower)
        ...
        - best, least = copy.deepcopy(tower.state_dict()), now
        + best, least = tower.state_dict(), now

        A worse move is not undone before the next: nothing is loaded, or tensors in the tower's own memory. (hint 3)
        - best, least = copy.deepcopy(tower.state_dict()), error(tower)
        + best, least = dict(tower.state_dict()), error(tower)
        ...
        - best, least = copy.deepcopy(tower.state_dict()), now
        + best, least = dict(tower.state_dict()), now

        A worse move is not undone before the next: nothing is loaded, or tensors in the tower's own memory. (hint 3)
        - best, least = copy.deepcopy(tower.state_dict()), now
        + best, least = tower.state_dict(), now

        A worse move is not undone before the next: nothing is loaded, or tensors in the tower's own memory. (hint 3)
        -     else:
        -         tower.load_state_dict(best)
        - return least
        + tower.load_state_dict(best)
        + return least

        The same numbers are added in every step.
        - for _ in range(steps):
        -     for parameter in moved:
        -         parameter.data.add_(randn(*parameter.shape), alpha=size)
        + drawn = [randn(*parameter.shape) for parameter in moved]
        + for _ in range(steps):
        +     for parameter, change in zip(moved, drawn):
        +         parameter.data.add_(change, alpha=size)

        One number is drawn for a whole parameter.
        - parameter.data.add_(randn(*parameter.shape), alpha=size)
        + parameter.data.add_(randn(1), alpha=size)

        `error` is called a second time in a step, instead of keeping its result.
        - best, least = copy.deepcopy(tower.state_dict()), now
        + best, least = copy.deepcopy(tower.state_dict()), error(tower)

        There is an error too few, that of a step or that of the start.
        - for _ in range(steps):
        + for _ in range(1, steps):

        The first error is that of the old head.
        - tower.head = Linear(tower.head.in_features, outputs)
        - moved = list(tower.parameters())
        - best, least = copy.deepcopy(tower.state_dict()), error(tower)
        + least = error(tower)
        + tower.head = Linear(tower.head.in_features, outputs)
        + moved = list(tower.parameters())
        + best = copy.deepcopy(tower.state_dict())

        Of moves with the same least error the last is kept, not the first.
        - if now < least:
        + if now <= least:

        After a last move that is worse the tower does not go back to the best.
        - for _ in range(steps):
        + for _ in range(steps):
        +     tower.load_state_dict(best)
        ...
        - else:
        -     tower.load_state_dict(best)
    """,
}
