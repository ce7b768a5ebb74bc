"""Other right answers to the stubs of module 16: with each of them, the tests pass."""

ANSWERS = {
    "magnitude-mask": """
        Ranks, compared with the count.
        + order = np.abs(scores).ravel().argsort()
        + ranks = np.empty(scores.size, int)
        + ranks[order] = np.arange(scores.size)
        + return (ranks >= count).astype(scores.dtype).reshape(scores.shape)

        By partition, in a copy of the magnitudes.
        + flat = np.abs(scores).flatten()
        + mask = np.ones_like(flat)
        + if count:
        +     mask[np.argpartition(flat, count - 1)[:count]] = 0
        + return mask.reshape(scores.shape)
    """,
    "masked-parameter": """
        Attributes in place of the dictionaries.
        - if f"{name}_orig" not in module._parameters:
        -     module.register_parameter(f"{name}_orig", module._parameters.pop(name))
        - module.register_buffer(f"{name}_mask", mask)
        - self(module, None)
        - module.register_forward_pre_hook(self)
        + if not hasattr(module, f"{name}_orig"):
        +     parameter = getattr(module, name)
        +     delattr(module, name)
        +     setattr(module, f"{name}_orig", parameter)
        + module.register_buffer(f"{name}_mask", mask.detach().clone())
        + module.register_forward_pre_hook(self)
        + setattr(module, name, self.apply_mask(module))
        ...
        - mask, orig = getattr(module, f"{name}_mask"), getattr(module, f"{name}_orig")
        - return mask.to(dtype=orig.dtype) * orig
        + orig = getattr(module, name + "_orig")
        + return orig * getattr(module, name + "_mask").to(orig.dtype)
        ...
        - weight = self.apply_mask(module)
        - delattr(module, name)
        - parameter = module._parameters.pop(f"{name}_orig")
        - parameter.data = weight.data
        - del module._buffers[f"{name}_mask"]
        - setattr(module, name, parameter)
        + parameter = getattr(module, f"{name}_orig")
        + with no_grad():
        +     parameter.mul_(getattr(module, f"{name}_mask").to(parameter.dtype))
        + for each in (name, f"{name}_orig", f"{name}_mask"):
        +     delattr(module, each)
        + module.register_parameter(name, parameter)
    """,
    "what-is-left": """
        Case by case.
        + mask = default_mask.clone().to(t.dtype)
        + if method.PRUNING_TYPE == "global":
        +     return method.compute_mask(t, default_mask=mask)
        + if method.PRUNING_TYPE == "unstructured":
        +     left = mask == 1
        +     mask[left] = method.compute_mask(t[left], default_mask=mask[left])
        +     return mask
        + dim = method.dim if method.dim >= 0 else method.dim + t.dim()
        + alive = (default_mask != 0).movedim(dim, 0).flatten(1).any(1)
        + places = [slice(None)] * t.dim()
        + places[dim] = alive
        + places = tuple(places)
        + mask[places] = method.compute_mask(t[places], default_mask=mask[places])
        + return mask
    """,
    "global": """
        Loops, and ends that are counted.
        + flat_scores, flat_masks = [], []
        + for module, name in parameters:
        +     weight = getattr(module, name)
        +     flat_scores.append(scores[(module, name)] if (module, name) in scores else weight)
        +     masked = hasattr(module, name + "_mask")
        +     flat_masks.append(getattr(module, name + "_mask") if masked else ones_like(weight))
        + mask = container.compute_mask(
        +     cat([x.reshape(-1) for x in flat_scores]), default_mask=cat([x.reshape(-1) for x in flat_masks])
        + )
        + begin = 0
        + for module, name in parameters:
        +     shape = getattr(module, name).shape
        +     end = begin + getattr(module, name).numel()
        +     custom_from_mask(module, name, mask[begin:end].reshape(shape))
        +     begin = end
    """,
    "schedule": """
        Three cases, and a set of steps.
        - progress = min(max((step - self.begin) / (self.end - self.begin), 0), 1)
        - return self.final * (1 - (1 - progress) ** 3)
        + if step <= self.begin:
        +     return 0.0
        + if step >= self.end:
        +     return self.final
        + left = (self.end - step) / (self.end - self.begin)
        + return self.final - self.final * left * left * left
        ...
        - self.steps += 1
        - regular = (self.steps - self.begin) % self.every == 0
        - if self.steps == self.end or (self.begin <= self.steps < self.end and regular):
        -     gone, total = masked_out(self.parameters)
        -     missing = round(self.share_at(self.steps) * total) - gone
        -     if missing > 0:
        -         global_unstructured(self.parameters, L1Unstructured, amount=missing)
        + self.steps = self.steps + 1
        + if self.steps not in {*range(self.begin, self.end, self.every), self.end}:
        +     return
        + gone, total = masked_out(self.parameters)
        + wanted = int(round(total * self.share_at(self.steps)))
        + if wanted > gone:
        +     global_unstructured(self.parameters, pruning_method=L1Unstructured, amount=wanted - gone)
    """,
    "ticket": """
        By a state dict, and the share by logarithms.
        - values = dict(start.named_parameters())
        - for name, parameter in model.named_parameters():
        -     parameter.array[...] = values[name.removesuffix("_orig")].array
        + state = start.state_dict()
        + with no_grad():
        +     for name, parameter in model.named_parameters():
        +         parameter.copy_(state[name.removesuffix("_orig")])
        ...
        - each = 1 - (1 - share) ** (1 / rounds)
        + each = -float(np.expm1(np.log1p(-share) / rounds))

        In the same order, and rewound at the beginning of each round.
        - values = dict(start.named_parameters())
        - for name, parameter in model.named_parameters():
        -     parameter.array[...] = values[name.removesuffix("_orig")].array
        + mine = {name.removesuffix("_orig"): p for name, p in model.named_parameters()}
        + for name, value in start.named_parameters():
        +     np.copyto(mine[name].array, value.array)
        ...
        - for _ in range(rounds):
        -     train(model)
        -     global_unstructured(pairs, L1Unstructured, amount=each)
        -     rewind(model, start)
        - return model
        + while rounds > 0:
        +     rewind(model, start)
        +     train(model)
        +     global_unstructured(pairs, L1Unstructured, amount=each)
        +     rounds -= 1
        + rewind(model, start)
        + return model

        Counted from all elements, as a schedule does.
        - each = 1 - (1 - share) ** (1 / rounds)
        - for _ in range(rounds):
        -     train(model)
        -     global_unstructured(pairs, L1Unstructured, amount=each)
        -     rewind(model, start)
        - return model
        + total = sum(getattr(module, name).numel() for module, name in pairs)
        + gone = 0
        + for number in range(1, rounds + 1):
        +     wanted = round(total * (1 - (1 - share) ** (number / rounds)))
        +     train(model)
        +     global_unstructured(pairs, L1Unstructured, amount=wanted - gone)
        +     rewind(model, start)
        +     gone = wanted
        + return model

        A new copy of the start in every round, which gets the masks.
        - for _ in range(rounds):
        -     train(model)
        -     global_unstructured(pairs, L1Unstructured, amount=each)
        -     rewind(model, start)
        - return model
        + for _ in range(rounds):
        +     train(model)
        +     global_unstructured(pairs, L1Unstructured, amount=each)
        +     masks = [getattr(module, f"{name}_mask") for module, name in pairs]
        +     model = copy.deepcopy(start)
        +     places = [name.rpartition(".") for name in names]
        +     pairs = [(model.get_submodule(path), name) for path, _, name in places]
        +     for (module, name), mask in zip(pairs, masks):
        +         custom_from_mask(module, name, mask)
        + return model

        The rewound model is returned as well.
        - for name, parameter in model.named_parameters():
        -     parameter.array[...] = values[name.removesuffix("_orig")].array
        + for name, parameter in model.named_parameters():
        +     parameter.array[...] = values[name.removesuffix("_orig")].array
        + return model
    """,
    "control": """
        Module by module.
        - for place, mask in pruned.named_buffers():
        -     if place.endswith("_mask"):
        -         path, _, name = place.removesuffix("_mask").rpartition(".")
        -         if shuffled:
        -             mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        -         custom_from_mask(model.get_submodule(path), name, mask)
        + for mine, other in zip(model.modules(), list(pruned.modules())):
        +     for name, mask in list(other.named_buffers(recurse=False)):
        +         if name[-5:] == "_mask":
        +             flat = mask.flatten()
        +             order = randperm(len(flat)) if shuffled else slice(None)
        +             custom_from_mask(mine, name[:-5], flat[order].reshape(mask.shape))
    """,
    "smaller-layers": """
        Sorted by Python, concatenated by blocks.
        - strength = np.abs(weight).reshape(len(weight), -1).sum(1)
        - return np.sort(np.argsort(strength)[len(weight) - count :])
        + strength = [float(np.abs(unit).sum()) for unit in weight]
        + order = sorted(range(len(strength)), key=strength.__getitem__, reverse=True)
        + return np.array(sorted(order[:count]))
        ...
        - return layer_like(layer, weight[kept], None if bias is None else bias[kept])
        + if bias is not None:
        +     bias = np.take(bias, kept)
        + return layer_like(layer, np.take(weight, kept, axis=0), bias)
        ...
        - outputs, inputs, *window = weight.shape
        - each = inputs // of
        - columns = weight.reshape(outputs, of, each, *window)[:, kept]
        - return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias)
        + each = weight.shape[1] // of
        + blocks = [weight[:, i * each : (i + 1) * each] for i in kept]
        + return layer_like(layer, np.concatenate(blocks, axis=1), bias)
    """,
    "factorize": """
        Other signs, written into the layers' arrays.
        + left, values, right = np.linalg.svd(layer.weight.detach().numpy())
        + has_bias = layer.bias is not None
        + pair = Sequential(Linear(inputs, rank, bias=False), Linear(rank, outputs, bias=has_bias))
        + with no_grad():
        +     half = np.diag(values[:rank] ** 0.5)
        +     pair[0].weight.copy_(tensor(-half @ right[:rank]))
        +     pair[1].weight.copy_(tensor(-left[:, :rank] @ half))
        +     if has_bias:
        +         pair[1].bias.copy_(layer.bias)
        + return pair
    """,
    "lora": """
        The scale on the input's side, parameters frozen one by one, zeros written.
        - base.requires_grad_(False)
        - self.lora_A = Linear(base.in_features, rank, bias=False)
        - self.lora_B = Linear(rank, base.out_features, bias=False)
        - zeros_(self.lora_B.weight)
        + self.lora_B = Linear(rank, base.out_features, bias=False)
        + self.lora_B.weight.array[...] = 0
        + self.lora_A = Linear(base.in_features, rank, bias=False)
        + for parameter in base.parameters():
        +     parameter.requires_grad = False
        ...
        - correction = self.lora_B(self.lora_A(input))
        - return self.base(input) + self.alpha / self.rank * correction
        + scaled = self.lora_A(input) * (self.alpha / self.rank)
        + return self.lora_B(scaled) + self.base(input)
        ...
        - change = self.lora_B.weight.array @ self.lora_A.weight.array
        - weight = self.base.weight.array + self.alpha / self.rank * change
        - return layer_like(self.base, weight, getattr(self.base.bias, "array", None))
        + layer = Linear(self.base.in_features, self.base.out_features, bias=self.base.bias is not None)
        + with no_grad():
        +     change = (self.lora_B.weight @ self.lora_A.weight) * (self.alpha / self.rank)
        +     layer.weight.copy_(self.base.weight + change)
        +     if self.base.bias is not None:
        +         layer.bias.copy_(self.base.bias)
        + return layer

        The product of the two matrices, made in each forward.
        - correction = self.lora_B(self.lora_A(input))
        - return self.base(input) + self.alpha / self.rank * correction
        + change = self.lora_B.weight @ self.lora_A.weight
        + return self.base(input) + (self.alpha / self.rank) * (input @ change.T)
    """,
    "add-adapters": """
        A loop, and a walk.
        - model.requires_grad_(False)
        - adapters = {layer: LoRALinear(layer, rank, alpha) for _, layer in layers}
        - for name, layer in layers:
        -     model.set_submodule(name, adapters[layer])
        - return model
        + for parameter in model.parameters():
        +     parameter.requires_grad_(False)
        + done = {}
        + for name, layer in layers:
        +     if id(layer) not in done:
        +         done[id(layer)] = LoRALinear(layer, rank=rank, alpha=alpha)
        +     path, _, last = name.rpartition(".")
        +     setattr(model.get_submodule(path), last, done[id(layer)])
        + return model
        ...
        - kept = "lora_A.weight", "lora_B.weight"
        - return {name: value for name, value in model.state_dict().items() if name.endswith(kept)}
        + found = {}
        + for name, module in model.named_modules(remove_duplicate=False):
        +     if isinstance(module, LoRALinear):
        +         dot = "." if name else ""
        +         for part in ("lora_A", "lora_B"):
        +             found[f"{name}{dot}{part}.weight"] = getattr(module, part).weight
        + return found
    """,
    "kmeans": """
        Distances to all centers, and a loop over them; it ends when nothing moves.
        + points = values.astype(np.float64)
        + centers = np.linspace(points.min(), points.max(), count)
        + for turn in range(iterations):
        +     codes = np.abs(points[:, None] - centers).argmin(1)
        +     old = centers.copy()
        +     for code in range(count):
        +         if (codes == code).any():
        +             centers[code] = points[codes == code].mean()
        +     if (old == centers).all():
        +         break
        + codes = np.abs(points[:, None] - centers).argmin(1)
        + return np.float32(centers), np.uint8(codes)

        Divided everywhere, and taken only where there are numbers.
        - centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + centers = np.where(sizes > 0, sums / sizes, centers)

        Of two centers that are equally near the upper one.
        - return np.searchsorted((centers[1:] + centers[:-1]) / 2, values)
        + return np.searchsorted((centers[1:] + centers[:-1]) / 2, values, side="right")

        The codes belong to the centers as they are after rounding.
        - return centers.astype(np.float32), nearest().astype(np.uint8)
        + centers = centers.astype(np.float32)
        + return centers, nearest().astype(np.uint8)
    """,
    "distillation-loss": """
        Written out.
        + with no_grad():
        +     target = (log_softmax(teacher / temperature, dim=1)).exp()
        +     logarithms = log_softmax(teacher / temperature, dim=1)
        + logs = log_softmax(student / temperature, dim=1)
        + divergence = (target * (logarithms - logs)).sum() / len(student)
        + return cross_entropy(student, labels) * alpha + divergence * (temperature * temperature * (1 - alpha))
    """,
    "pareto-front": """
        Two loops.
        + costs = [tuple(row) for row in np.asarray(costs).tolist()]
        + stays = []
        + for mine in costs:
        +     beaten = False
        +     for other in costs:
        +         if other != mine and all(a <= b for a, b in zip(other, mine)):
        +             beaten = True
        +     stays.append(not beaten)
        + return np.array(stays)
    """,
}
