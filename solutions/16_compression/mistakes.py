"""Planted mistakes of module 16: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "magnitude-mask": """
        Negative elements count as the smallest. (hint 1)
        - smallest = np.argsort(np.abs(scores), axis=None)[:count]
        + smallest = np.argsort(scores, axis=None)[:count]

        The largest elements are removed. (hint 3)
        - smallest = np.argsort(np.abs(scores), axis=None)[:count]
        + smallest = np.argsort(-np.abs(scores), axis=None)[:count]

        Each row loses its own smallest. (hint 2)
        - smallest = np.argsort(np.abs(scores), axis=None)[:count]
        - mask.reshape(-1)[smallest] = 0
        + smallest = np.argsort(np.abs(scores))[..., : count // max(len(scores), 1)]
        + np.put_along_axis(mask, smallest, 0, -1)

        A threshold removes all equal elements. (hint 1)
        + if count == 0:
        +     return np.ones_like(scores)
        + threshold = np.sort(np.abs(scores), axis=None)[count - 1]
        + return (np.abs(scores) > threshold).astype(scores.dtype)

        One element too few is removed. (hint 1)
        - smallest = np.argsort(np.abs(scores), axis=None)[:count]
        + smallest = np.argsort(np.abs(scores), axis=None)[: max(count - 1, 0)]

        The mask is float64, whatever the scores are.
        - mask = np.ones(scores.shape, scores.dtype)
        + mask = np.ones(scores.shape)

        The pruned scores are returned in place of the mask.
        - mask = np.ones(scores.shape, scores.dtype)
        + mask = np.array(scores)

        Zeros are written into the scores, too.
        - mask.reshape(-1)[smallest] = 0
        + mask.reshape(-1)[smallest] = 0
        + scores *= mask

        A count of 0 does not work. (hint 1)
        - smallest = np.argsort(np.abs(scores), axis=None)[:count]
        + smallest = np.argsort(np.abs(scores), axis=None)[: count or 1]

        Each row is sorted separately. (hint 2)
        - smallest = np.argsort(np.abs(scores), axis=None)[:count]
        + smallest = np.argsort(np.abs(scores))[:count]

        Squares are used as magnitudes, and those of small numbers are 0. (hint 1)
        - smallest = np.argsort(np.abs(scores), axis=None)[:count]
        + smallest = np.argsort(scores**2, axis=None)[:count]

        The mask is laid out like transposed scores, and what reshape(-1) gives of it is a copy. (hint 3)
        - mask = np.ones(scores.shape, scores.dtype)
        + mask = np.ones_like(scores)

        Whatever is 0 gets a 0 in the mask, even where fewer are to go. (hint 1)
        - mask.reshape(-1)[smallest] = 0
        + mask.reshape(-1)[smallest] = 0
        + mask[scores == 0] = 0

        Each row is sorted separately, so positions in a row are taken for those in the flat array. (hint 2)
        - smallest = np.argsort(np.abs(scores), axis=None)[:count]
        + smallest = np.argsort(np.abs(scores)).ravel()[:count]

        Where count is 0, everything goes, as by [-count:], which then is [0:]. (hint 1)
        - smallest = np.argsort(np.abs(scores), axis=None)[:count]
        + smallest = np.argsort(-np.abs(scores), axis=None)[-count:]
    """,
    "masked-parameter": """
        The original is a copy, and the optimizer keeps another object. (hint 1)
        - module.register_parameter(f"{name}_orig", module._parameters.pop(name))
        + module.register_parameter(f"{name}_orig", Parameter(module._parameters.pop(name).detach().clone()))

        The numbers of the parameter itself are multiplied by the mask.
        - module.register_parameter(f"{name}_orig", module._parameters.pop(name))
        + module._parameters[name].array[...] *= mask.numpy()
        + module.register_parameter(f"{name}_orig", module._parameters.pop(name))

        No hook is registered: the weight is computed only once. (hint 2)
        - module.register_forward_pre_hook(self)

        The hook is registered, but the weight is not computed at once. (hint 2)
        - self(module, None)

        The hook comes after the forward pass. (hint 1)
        - module.register_forward_pre_hook(self)
        + module.register_forward_hook(lambda m, inputs, output: self(m, inputs))

        The mask is a parameter, and is trained. (hint 1)
        - module.register_buffer(f"{name}_mask", mask)
        + module.register_parameter(f"{name}_mask", Parameter(mask))

        The mask is an attribute, and is not saved. (hint 1)
        - module.register_buffer(f"{name}_mask", mask)
        + module.__dict__[f"{name}_mask"] = mask

        A second mask fails, because weight is no longer among the parameters. (hint 1)
        - if f"{name}_orig" not in module._parameters:
        -     module.register_parameter(f"{name}_orig", module._parameters.pop(name))
        + module.register_parameter(f"{name}_orig", module._parameters.pop(name))

        The name is always weight. (hint 2)
        - if f"{name}_orig" not in module._parameters:
        + name = "weight"
        + if f"{name}_orig" not in module._parameters:

        The product has no graph, so nothing is learned.
        - return mask.to(dtype=orig.dtype) * orig
        + return mask.to(dtype=orig.dtype) * orig.detach()

        The product takes the type of a wider mask, not that of the original.
        - return mask.to(dtype=orig.dtype) * orig
        + return mask * orig.to(dtype=mask.dtype)

        Removing forgets the mask. (hint 3)
        - parameter.data = weight.data

        Removing makes a new parameter. (hint 3)
        - setattr(module, name, parameter)
        + setattr(module, name, Parameter(weight.detach()))

        The mask is not deleted. (hint 3)
        - del module._buffers[f"{name}_mask"]

        Removing uses the last product, not the trained weights. (hint 3)
        - weight = self.apply_mask(module)
        + weight = getattr(module, name)

        Removing acts on the weight, whatever the name is. (hint 2)
        - delattr(module, name)
        + name = "weight"
        + delattr(module, name)

        Another parameter's original is taken for this one's. (hint 2)
        - if f"{name}_orig" not in module._parameters:
        + if not any(each.endswith("_orig") for each in module._parameters):

        A layer with a mask on another parameter counts as masked. (hint 2)
        - if f"{name}_orig" not in module._parameters:
        + if not module._buffers:

        Removing deletes the masks of other parameters as well. (hint 3)
        - del module._buffers[f"{name}_mask"]
        + module._buffers.clear()

        The hooks of other parameters are removed.
        - module.register_forward_pre_hook(self)
        + module._forward_pre_hooks.clear()
        + module.register_forward_pre_hook(self)

        Removing also removes the hooks of other parameters. (hint 3)
        - delattr(module, name)
        + delattr(module, name)
        + module._forward_pre_hooks.clear()

        What is left after removing cannot be trained. (hint 3)
        - setattr(module, name, parameter)
        + parameter.requires_grad = False
        + setattr(module, name, parameter)

        In evaluation mode the last product is used.
        - mask, orig = getattr(module, f"{name}_mask"), getattr(module, f"{name}_orig")
        + if not module.training and hasattr(module, name):
        +     return getattr(module, name)
        + mask, orig = getattr(module, f"{name}_mask"), getattr(module, f"{name}_orig")

        A second mask is multiplied with the first.
        - module.register_buffer(f"{name}_mask", mask)
        + module.register_buffer(f"{name}_mask", mask * getattr(module, f"{name}_mask", 1))

        The product is float32, whatever the original is.
        - return mask.to(dtype=orig.dtype) * orig
        + return (mask * orig).float()

        Only the first mask registers a hook. (hint 2)
        - if f"{name}_orig" not in module._parameters:
        + if f"{name}_orig" not in module._parameters:
        +     module.register_forward_pre_hook(self)
        ...
        - self(module, None)
        - module.register_forward_pre_hook(self)
        + self(module, None)

        Removing also removes the method's own hook, which its caller does. (hint 3)
        - delattr(module, name)
        + delattr(module, name)
        + for key, hook in list(module._forward_pre_hooks.items()):
        +     if hook is self:
        +         del module._forward_pre_hooks[key]

        The product has float32, whatever the parameter has.
        - return mask.to(dtype=orig.dtype) * orig
        + return mask.float() * orig

        A frozen parameter comes back trainable. (hint 3)
        - setattr(module, name, parameter)
        + parameter.requires_grad_(True)
        + setattr(module, name, parameter)

        What is put on is cut from the graph, so that gradients pass only after a forward. (hint 2)
        - self(module, None)
        + setattr(module, name, self.apply_mask(module).detach())

        The hook is `self.__call__`, which is not the method object itself.
        - module.register_forward_pre_hook(self)
        + module.register_forward_pre_hook(self.__call__)

        The parameter gets a wider type than it had, that of the mask.
        - parameter.data = weight.data
        + parameter.data = parameter.data * getattr(module, f"{name}_mask")

        A second mask is written into the memory of the first. (hint 1)
        - module.register_buffer(f"{name}_mask", mask)
        + if f"{name}_mask" in module._buffers:
        +     module._buffers[f"{name}_mask"].array[...] = mask.array
        + else:
        +     module.register_buffer(f"{name}_mask", mask)
    """,
    "what-is-left": """
        An unstructured method sees everything, also what has gone. (hint 1)
        - part = default_mask == 1
        + part = ...

        Slices that are pruned already are seen again. (hint 2)
        - part = (slice(None),) * dim + (default_mask.sum(others) != 0,)
        + part = ...

        A slice counts as pruned if one of its elements is. (hint 2)
        - part = (slice(None),) * dim + (default_mask.sum(others) != 0,)
        + part = (slice(None),) * dim + (default_mask.amin(others) != 0,)

        The dimension is always the first. (hint 2)
        - dim = method.dim % t.dim()
        + dim = 0

        A negative dimension is not counted from the end. (hint 2)
        - dim = method.dim % t.dim()
        + dim = max(method.dim, 0)

        The mask is changed in place. (hint 1)
        - mask = default_mask.detach().clone().to(t.dtype)
        + mask = default_mask

        Elements that were pruned before come back. (hint 1)
        - mask = default_mask.detach().clone().to(t.dtype)
        + mask = ones_like(t).detach()

        The last method is not called.
        - mask = default_mask.detach().clone().to(t.dtype)
        + method = self._pruning_methods[0]
        + mask = default_mask.detach().clone().to(t.dtype)

        The method sees ones in place of its part of the mask. (hint 3)
        - mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(t.dtype)
        + mask[part] = method.compute_mask(t[part], default_mask=ones_like(t[part])).to(t.dtype)

        The method sees the whole mask with only a part of the scores. (hint 3)
        - mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(t.dtype)
        + mask[part] = method.compute_mask(t[part], default_mask=default_mask).to(t.dtype)

        The mask stays in its own type.
        - mask = default_mask.detach().clone().to(t.dtype)
        + mask = default_mask.detach().clone()

        A score of 0 counts as pruned. (hint 3)
        - part = default_mask == 1
        + part = (t * default_mask) != 0

        A slice whose scores are 0 counts as pruned. (hint 2)
        - part = (slice(None),) * dim + (default_mask.sum(others) != 0,)
        + part = (slice(None),) * dim + ((t * default_mask).abs().sum(others) != 0,)

        A slice with only one element left counts as pruned. (hint 2)
        - part = (slice(None),) * dim + (default_mask.sum(others) != 0,)
        + part = (slice(None),) * dim + (default_mask.sum(others) > 1,)

        For a global method the mask keeps its own type.
        - part = ...
        + return method.compute_mask(t, default_mask=default_mask)

        Only for an unstructured method does the mask get the type of the scores.
        - mask = default_mask.detach().clone().to(t.dtype)
        + mask = default_mask.detach().clone()
        + if method.PRUNING_TYPE == "unstructured":
        +     mask = mask.to(t.dtype)

        For a global method the result of the method is returned, which may be default_mask itself. (hint 1)
        - part = ...
        + return method.compute_mask(t, default_mask=default_mask).to(t.dtype)

        Where nothing goes, default_mask itself is returned. (hint 1)
        - mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(t.dtype)
        + new = method.compute_mask(t[part], default_mask=default_mask[part]).to(t.dtype)
        + if (new == default_mask[part]).all():
        +     return default_mask.to(t.dtype)
        + mask[part] = new

        The mask has the wider of the two types, not that of the scores.
        - mask = default_mask.detach().clone().to(t.dtype)
        + mask = default_mask * ones_like(t)
        ...
        - mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(t.dtype)
        - return mask
        + mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(mask.dtype)
        + return mask.detach()

        What a global method brings back stays 0.
        - mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(t.dtype)
        + mask[part] *= method.compute_mask(t[part], default_mask=default_mask[part]).to(t.dtype)

        The method sees zeros in place of its part of the mask. (hint 3)
        - mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(t.dtype)
        + zeros = default_mask[part] * 0
        + mask[part] = method.compute_mask(t[part], default_mask=zeros).to(t.dtype)

        Where everything has gone, default_mask itself is returned. (hint 1)
        - mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(t.dtype)
        + if default_mask[part].numel() == 0:
        +     return default_mask
        + mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(t.dtype)

        All methods of the container are called, not the last alone.
        - mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(t.dtype)
        + for method in self._pruning_methods:
        +     mask[part] = method.compute_mask(t[part], default_mask=mask[part]).to(t.dtype)

        The mask is added up along dim itself, not along all other dimensions. (hint 2)
        - part = (slice(None),) * dim + (default_mask.sum(others) != 0,)
        + part = (slice(None),) * dim + (default_mask.sum(dim) != 0,)

        A negative dim is used as it is: it has to be counted from the end. (hint 2)
        - dim = method.dim % t.dim()
        + dim = method.dim

        A global method is treated like an unstructured one, and sees only what is left. (hint 3)
        - if method.PRUNING_TYPE == "unstructured":
        + if method.PRUNING_TYPE != "structured":

        The mask has the type of default_mask, not that of the scores.
        - mask = default_mask.detach().clone().to(t.dtype)
        + mask = default_mask.clone()
        ...
        - mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(t.dtype)
        + mask[part] = method.compute_mask(t[part], default_mask=mask[part])
    """,
    "global": """
        Each layer is pruned separately. (hint 1)
        + for module, name in parameters:
        +     scored = scores.get((module, name), getattr(module, name))
        +     before = getattr(module, f"{name}_mask", ones_like(getattr(module, name)))
        +     custom_from_mask(module, name, mask=container.compute_mask(scored, before))

        What is gone already counts again, as if it were left. (hint 2)
        - getattr(module, f"{name}_mask", ones_like(w))
        + ones_like(w)

        importance_scores is ignored. (hint 1)
        - all_scores = cat([scores.get(p, w).reshape(-1) for p, w in zip(parameters, weights)])
        + all_scores = cat([w.reshape(-1) for w in weights])

        Parameters that have no scores count as zero. (hint 1)
        - all_scores = cat([scores.get(p, w).reshape(-1) for p, w in zip(parameters, weights)])
        + all_scores = cat([scores.get(p, w if not scores else 0 * w).reshape(-1) for p, w in zip(parameters, weights)])

        Only weights get masks. (hint 1)
        - weights = [getattr(module, name) for module, name in parameters]
        + parameters = [(module, "weight") for module, name in parameters]
        + weights = [getattr(module, name) for module, name in parameters]

        The elements of the mask are put into the wrong places. (hint 3)
        - pieces = mask.split([w.numel() for w in weights])
        + pieces = [piece.flip(0) for piece in mask.split([w.numel() for w in weights])]

        Only the first layer gets its mask. (hint 3)
        - for (module, name), w, piece in zip(parameters, weights, pieces):
        + for (module, name), w, piece in list(zip(parameters, weights, pieces))[:1]:

        The mask so far is that of the weight, whatever the name is. (hint 2)
        - getattr(module, f"{name}_mask", ones_like(w))
        + getattr(module, "weight_mask", ones_like(w))

        A weight of 0 counts as masked. (hint 2)
        - getattr(module, f"{name}_mask", ones_like(w))
        + (w != 0).float()

        The layers get no masks: to multiply the weights by them is not enough. (hint 3)
        - custom_from_mask(module, name, mask=piece.view(w.shape))
        + w.detach().array[...] *= piece.view(w.shape).numpy()

        The pieces are not shaped like the parameters. (hint 3)
        - custom_from_mask(module, name, mask=piece.view(w.shape))
        + custom_from_mask(module, name, mask=piece)

        The tensors are not flattened before they are concatenated. (hint 1)
        - all_scores = cat([scores.get(p, w).reshape(-1) for p, w in zip(parameters, weights)])
        + all_scores = cat([scores.get(p, w) for p, w in zip(parameters, weights)])

        Each call puts one more pruning method on a weight, beside that of the call before. (hint 3)
        - custom_from_mask(module, name, mask=piece.view(w.shape))
        + from tinytorch.given.compression.methods import CustomFromMask
        + method = CustomFromMask(piece.view(w.shape))
        + method._tensor_name = name
        + method.put_on(module, piece.view(w.shape))

        The method is shown magnitudes, not the scores. (hint 1)
        - all_scores = cat([scores.get(p, w).reshape(-1) for p, w in zip(parameters, weights)])
        + all_scores = cat([scores.get(p, w).abs().reshape(-1) for p, w in zip(parameters, weights)])

        importance_scores is looked up by the module, not by (module, name). (hint 1)
        - all_scores = cat([scores.get(p, w).reshape(-1) for p, w in zip(parameters, weights)])
        + all_scores = cat([scores.get(p[0], w).reshape(-1) for p, w in zip(parameters, weights)])

        A module with a mask of another parameter is taken to have one of this parameter. (hint 2)
        - getattr(module, f"{name}_mask", ones_like(w))
        + getattr(module, f"{name}_mask") if is_pruned(module) else ones_like(w)

        What an earlier mask hides is set to 0 for good in weight_orig, as `remove` does. (hint 3)
        - custom_from_mask(module, name, mask=piece.view(w.shape))
        + if hasattr(module, f"{name}_mask"):
        +     from tinytorch.given.compression.methods import remove
        +     remove(module, name)
        + custom_from_mask(module, name, mask=piece.view(w.shape))

        The scores of the other parameters are put into the caller's dict. (hint 1)
        - all_scores = cat([scores.get(p, w).reshape(-1) for p, w in zip(parameters, weights)])
        + all_scores = cat([scores.setdefault(p, w).reshape(-1) for p, w in zip(parameters, weights)])

        `view(-1)` flattens the scores, which refuses a transposed tensor. (hint 1)
        - all_scores = cat([scores.get(p, w).reshape(-1) for p, w in zip(parameters, weights)])
        + all_scores = cat([scores.get(p, w).view(-1) for p, w in zip(parameters, weights)])
    """,
    "schedule": """
        The share grows linearly. (hint 1)
        - return self.final * (1 - (1 - progress) ** 3)
        + return self.final * progress

        The progress itself is cubed, so pruning begins slowly. (hint 1)
        - return self.final * (1 - (1 - progress) ** 3)
        + return self.final * progress**3

        The beginning is not subtracted. (hint 1)
        - progress = min(max((step - self.begin) / (self.end - self.begin), 0), 1)
        + progress = min(max(step / self.end, 0), 1)

        The share keeps changing after the end. (hint 1)
        - progress = min(max((step - self.begin) / (self.end - self.begin), 0), 1)
        + progress = max((step - self.begin) / (self.end - self.begin), 0)

        The share is negative before the beginning. (hint 1)
        - progress = min(max((step - self.begin) / (self.end - self.begin), 0), 1)
        + progress = min((step - self.begin) / (self.end - self.begin), 1)

        The share is counted from what is left, not from all elements. (hint 3)
        - missing = round(self.share_at(self.steps) * total) - gone
        + missing = round(self.share_at(self.steps) * (total - gone))

        Steps between the regular ones prune, too. (hint 2)
        - if self.steps == self.end or (self.begin <= self.steps < self.end and regular):
        + if self.begin <= self.steps <= self.end:

        The last step is forgotten if it is not a regular one. (hint 2)
        - if self.steps == self.end or (self.begin <= self.steps < self.end and regular):
        + if self.begin <= self.steps <= self.end and regular:

        Regular steps are counted from zero. (hint 2)
        - regular = (self.steps - self.begin) % self.every == 0
        + regular = self.steps % self.every == 0

        The share is that of the step before. (hint 2)
        - self.steps += 1
        - regular = (self.steps - self.begin) % self.every == 0
        + regular = (self.steps - self.begin) % self.every == 0
        ...
        - if missing > 0:
        -     global_unstructured(self.parameters, L1Unstructured, amount=missing)
        + if missing > 0:
        +     global_unstructured(self.parameters, L1Unstructured, amount=missing)
        + self.steps += 1

        Masks are applied although nothing has to be pruned. (hint 3)
        - if missing > 0:
        + if missing >= 0:

        Each layer loses the same share. (hint 3)
        - global_unstructured(self.parameters, L1Unstructured, amount=missing)
        + for module, name in self.parameters:
        +     part = missing * getattr(module, name).numel() // total
        +     l1_unstructured(module, name, amount=part)

        The regular steps are not counted from begin. (hint 2)
        - regular = (self.steps - self.begin) % self.every == 0
        + regular = (self.end - self.steps) % self.every == 0

        More is masked than is wanted, and the difference is negative. (hint 3)
        - if missing > 0:
        + if missing:

        Where more is masked than is wanted, as many are pruned again. (hint 3)
        - missing = round(self.share_at(self.steps) * total) - gone
        + missing = abs(round(self.share_at(self.steps) * total) - gone)

        Each layer loses as many as all layers should lose together. (hint 3)
        - global_unstructured(self.parameters, L1Unstructured, amount=missing)
        + for module, name in self.parameters:
        +     l1_unstructured(module, name, amount=missing)

        Weights that are 0 are counted, not the elements that are masked. (hint 3)
        - gone, total = masked_out(self.parameters)
        + weights = [getattr(module, name).detach().numpy() for module, name in self.parameters]
        + gone, total = sum(int((w == 0).sum()) for w in weights), sum(w.size for w in weights)

        The difference of two shares of all elements is taken as a share of what is left. (hint 3)
        - missing = round(self.share_at(self.steps) * total) - gone
        + missing = self.share_at(self.steps) - gone / total

        The share follows a square, not a cube. (hint 1)
        - return self.final * (1 - (1 - progress) ** 3)
        + return self.final * (1 - (1 - progress) ** 2)

        The end is taken for the duration, from begin to end. (hint 1)
        - progress = min(max((step - self.begin) / (self.end - self.begin), 0), 1)
        + progress = min(max((step - self.begin) / self.end, 0), 1)

        Halves are rounded up.
        - missing = round(self.share_at(self.steps) * total) - gone
        + missing = int(self.share_at(self.steps) * total + 0.5) - gone

        What is missing is rounded, not the number of all that are to be masked.
        - missing = round(self.share_at(self.steps) * total) - gone
        + missing = round(self.share_at(self.steps) * total - gone)

        The share of all is handed on as an amount, which is a share of what is left.
        - global_unstructured(self.parameters, L1Unstructured, amount=missing)
        + global_unstructured(self.parameters, L1Unstructured, amount=self.share_at(self.steps))

        Where `begin` is larger than `every`, weights go at the end only, as if steps % every had to be begin. (hint 2)
        - regular = (self.steps - self.begin) % self.every == 0
        + regular = self.steps % self.every == self.begin

        The amount counts once more what is masked already. (hint 3)
        - global_unstructured(self.parameters, L1Unstructured, amount=missing)
        + global_unstructured(self.parameters, L1Unstructured, amount=missing + gone)

        What is masked is counted once, at the first step, not before each pruning. (hint 3)
        - gone, total = masked_out(self.parameters)
        - missing = round(self.share_at(self.steps) * total) - gone
        - if missing > 0:
        -     global_unstructured(self.parameters, L1Unstructured, amount=missing)
        + if not hasattr(self, "gone"):
        +     self.gone, self.total = masked_out(self.parameters)
        + missing = round(self.share_at(self.steps) * self.total) - self.gone
        + if missing > 0:
        +     global_unstructured(self.parameters, L1Unstructured, amount=missing)
        +     self.gone += missing

        Each layer is pruned to the share by itself, and its number is rounded. (hint 3)
        - gone, total = masked_out(self.parameters)
        - missing = round(self.share_at(self.steps) * total) - gone
        - if missing > 0:
        -     global_unstructured(self.parameters, L1Unstructured, amount=missing)
        + for pair in self.parameters:
        +     gone, total = masked_out([pair])
        +     missing = round(self.share_at(self.steps) * total) - gone
        +     if missing > 0:
        +         global_unstructured([pair], L1Unstructured, amount=missing)

        What comes after the point is cut off, as by `int`, not rounded. (hint 3)
        - missing = round(self.share_at(self.steps) * total) - gone
        + missing = int(self.share_at(self.steps) * total - gone)
    """,
    "ticket": """
        The model shares the start's memory, so that training changes the start. (hint 2)
        - parameter.array[...] = values[name.removesuffix("_orig")].array
        + parameter.array = values[name.removesuffix("_orig")].array

        Only pruned parameters are rewound, not the biases. (hint 2)
        - for name, parameter in model.named_parameters():
        -     parameter.array[...] = values[name.removesuffix("_orig")].array
        + for name, parameter in model.named_parameters():
        +     if name.endswith("_orig"):
        +         parameter.array[...] = values[name.removesuffix("_orig")].array

        Pruned parameters, at least, are not rewound. (hint 2)
        - for name, parameter in model.named_parameters():
        -     parameter.array[...] = values[name.removesuffix("_orig")].array
        + for name, parameter in model.named_parameters():
        +     if name in values:
        +         parameter.array[...] = values[name].array

        A pruned parameter is looked up under its new name, which the start does not have. (hint 2)
        - parameter.array[...] = values[name.removesuffix("_orig")].array
        + parameter.array[...] = values[name].array

        Parameters are paired by their order, but a pruned one comes after the others. (hint 2)
        - values = dict(start.named_parameters())
        - for name, parameter in model.named_parameters():
        -     parameter.array[...] = values[name.removesuffix("_orig")].array
        + for parameter, value in zip(model.parameters(), start.parameters()):
        +     parameter.array[...] = value.array

        The start's state dict has other names than a model with masks. (hint 2)
        - values = dict(start.named_parameters())
        - for name, parameter in model.named_parameters():
        -     parameter.array[...] = values[name.removesuffix("_orig")].array
        + model.load_state_dict(start.state_dict())

        What is masked is set to 0, not to the start's number. (hint 2)
        - for name, parameter in model.named_parameters():
        -     parameter.array[...] = values[name.removesuffix("_orig")].array
        + masks = dict(model.named_buffers())
        + for name, parameter in model.named_parameters():
        +     parameter.array[...] = values[name.removesuffix("_orig")].array
        +     if name.endswith("_orig"):
        +         parameter.array *= masks[name.removesuffix("_orig") + "_mask"].array

        The start gets the model's numbers, not the other way round. (hint 2)
        - parameter.array[...] = values[name.removesuffix("_orig")].array
        + values[name.removesuffix("_orig")].array[...] = parameter.array

        The masks are reset too, to ones.
        - values = dict(start.named_parameters())
        + values = dict(start.named_parameters())
        + for name, buffer in model.named_buffers():
        +     if name.endswith("_mask"):
        +         buffer.array[...] = 1

        The share is divided by the rounds, though each round counts from what is left. (hint 1)
        - each = 1 - (1 - share) ** (1 / rounds)
        + each = share / rounds

        Where there are two rounds, each removes the whole share. (hint 1)
        - each = 1 - (1 - share) ** (1 / rounds)
        + each = share

        The share that is left is taken for the one that is removed. (hint 1)
        - each = 1 - (1 - share) ** (1 / rounds)
        + each = (1 - share) ** (1 / rounds)

        The share itself is raised to a power, not what is left. (hint 1)
        - each = 1 - (1 - share) ** (1 / rounds)
        + each = share**rounds

        The weights are rewound once, at the end, not in every round. (hint 3)
        - for _ in range(rounds):
        -     train(model)
        -     global_unstructured(pairs, L1Unstructured, amount=each)
        -     rewind(model, start)
        - return model
        + for _ in range(rounds):
        +     train(model)
        +     global_unstructured(pairs, L1Unstructured, amount=each)
        + rewind(model, start)
        + return model

        Nothing is rewound: that is training further. (hint 3)
        - for _ in range(rounds):
        -     train(model)
        -     global_unstructured(pairs, L1Unstructured, amount=each)
        -     rewind(model, start)
        + for _ in range(rounds):
        +     train(model)
        +     global_unstructured(pairs, L1Unstructured, amount=each)

        It is rewound before it is pruned, so that the starting weights decide what goes. (hint 3)
        - for _ in range(rounds):
        -     train(model)
        -     global_unstructured(pairs, L1Unstructured, amount=each)
        -     rewind(model, start)
        + for _ in range(rounds):
        +     train(model)
        +     rewind(model, start)
        +     global_unstructured(pairs, L1Unstructured, amount=each)

        It is pruned before it is trained. (hint 3)
        - for _ in range(rounds):
        -     train(model)
        -     global_unstructured(pairs, L1Unstructured, amount=each)
        -     rewind(model, start)
        + for _ in range(rounds):
        +     global_unstructured(pairs, L1Unstructured, amount=each)
        +     train(model)
        +     rewind(model, start)

        Each parameter is pruned by itself, not all together.
        - for _ in range(rounds):
        -     train(model)
        -     global_unstructured(pairs, L1Unstructured, amount=each)
        -     rewind(model, start)
        + for _ in range(rounds):
        +     train(model)
        +     for pair in pairs:
        +         global_unstructured([pair], L1Unstructured, amount=each)
        +     rewind(model, start)

        The model that is returned has no masks.
        - rewind(model, start)
        + model = copy.deepcopy(start)

        What `train` returns is taken for the model, which it trains in place.
        - train(model)
        + model = train(model)

        The start itself is trained.
        - for _ in range(rounds):
        -     train(model)
        -     global_unstructured(pairs, L1Unstructured, amount=each)
        -     rewind(model, start)
        + for _ in range(rounds):
        +     train(start)
        +     rewind(model, start)
        +     global_unstructured(pairs, L1Unstructured, amount=each)

        It is trained once more at the end, and returned like that. (hint 3)
        - for _ in range(rounds):
        -     train(model)
        -     global_unstructured(pairs, L1Unstructured, amount=each)
        -     rewind(model, start)
        - return model
        + for _ in range(rounds):
        +     train(model)
        +     global_unstructured(pairs, L1Unstructured, amount=each)
        +     rewind(model, start)
        + train(model)
        + return model

        rstrip takes off letters, not the suffix: a name that ends in one of them is cut. (hint 2)
        - parameter.array[...] = values[name.removesuffix("_orig")].array
        + parameter.array[...] = values[name.rstrip("_orig")].array

        Each round removes a larger share than all rounds together should. (hint 1)
        - each = 1 - (1 - share) ** (1 / rounds)
        + each = share ** (1 / rounds)

        What a round keeps is not the root of what is left after all. (hint 1)
        - each = 1 - (1 - share) ** (1 / rounds)
        + each = 1 - share ** (1 / rounds)

        New Parameters take the place of those that an optimizer holds. (hint 1)
        - values = dict(start.named_parameters())
        - for name, parameter in model.named_parameters():
        -     parameter.array[...] = values[name.removesuffix("_orig")].array
        + values = dict(start.named_parameters())
        + for name, parameter in list(model.named_parameters()):
        +     path, _, last = name.rpartition(".")
        +     new = Parameter(values[name.removesuffix("_orig")].detach().clone())
        +     setattr(model.get_submodule(path), last, new)

        Running means are rewound, too. (hint 1)
        - for name, parameter in model.named_parameters():
        + buffers = dict(start.named_buffers())
        + for name, each in model.named_buffers():
        +     if name in buffers:
        +         each.array[...] = buffers[name].array
        + for name, parameter in model.named_parameters():

        Every "_orig" in a name is removed, not only the one at its end. (hint 1)
        - parameter.array[...] = values[name.removesuffix("_orig")].array
        + parameter.array[...] = values[name.replace("_orig", "")].array

        Frozen parameters are not rewound.
        - for name, parameter in model.named_parameters():
        -     parameter.array[...] = values[name.removesuffix("_orig")].array
        + for name, parameter in model.named_parameters():
        +     if parameter.requires_grad:
        +         parameter.array[...] = values[name.removesuffix("_orig")].array

        For a share of 0 the model is not trained.
        - each = 1 - (1 - share) ** (1 / rounds)
        + if not share:
        +     return model
        + each = 1 - (1 - share) ** (1 / rounds)

        The share of a round is a little too large, as when it is rounded. (hint 1)
        - each = 1 - (1 - share) ** (1 / rounds)
        + each = round(1 - (1 - share) ** (1 / rounds), 2)
    """,
    "control": """
        The masks are never shuffled. (hint 3)
        - if shuffled:
        -     mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        - custom_from_mask(model.get_submodule(path), name, mask)
        + custom_from_mask(model.get_submodule(path), name, mask)

        The masks are always shuffled. (hint 3)
        - if shuffled:
        -     mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        - custom_from_mask(model.get_submodule(path), name, mask)
        + mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        + custom_from_mask(model.get_submodule(path), name, mask)

        Whole rows change places, not single elements. (hint 3)
        - mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        + mask = mask[randperm(len(mask))]

        NumPy draws, which manual_seed does not set. (hint 3)
        - mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        + mask = tensor(np.random.default_rng().permutation(mask.array.ravel()).reshape(mask.shape))

        The places are the same each time: `randperm` has to draw them. (hint 3)
        - mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        + mask = tensor(mask.array.ravel()[::-1].reshape(mask.shape).copy())

        A new mask is drawn, with other counts. (hint 3)
        - mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        + keep = mask.array.mean()
        + order = randperm(mask.numel()).array.reshape(mask.shape)
        + mask = tensor(np.float32(order <= keep * mask.numel()))

        The numbers of the pruned model come with its masks. (hint 1)
        - custom_from_mask(model.get_submodule(path), name, mask)
        + custom_from_mask(model.get_submodule(path), name, mask)
        + mine = model.get_submodule(path).get_parameter(name + "_orig")
        + mine.array[...] = pruned.get_submodule(path).get_parameter(name + "_orig").array

        Masks are missing in the copy: to multiply its weights by them is undone by training. (hint 1)
        - custom_from_mask(model.get_submodule(path), name, mask)
        + model.get_submodule(path).get_parameter(name).array *= mask.array

        Only masks of weights are taken. (hint 1)
        - if place.endswith("_mask"):
        + if place.endswith("weight_mask"):

        Every buffer is taken for a mask, a running mean too. (hint 1)
        - if place.endswith("_mask"):
        + if True:

        The name still ends in _mask. (hint 2)
        - path, _, name = place.removesuffix("_mask").rpartition(".")
        + path, _, name = place.rpartition(".")

        `rstrip` takes away any of the letters that it is given, so of bias_mask only bi is left. (hint 2)
        - path, _, name = place.removesuffix("_mask").rpartition(".")
        + path, _, name = place.rstrip("_mask").rpartition(".")

        The pruned model's own mask is shuffled. (hint 3)
        - mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        + mask.array[...] = mask.array.ravel()[randperm(mask.numel()).array].reshape(mask.shape)

        The pruned model is copied, which a weight with a graph does not allow. (hint 1)
        - for place, mask in pruned.named_buffers():
        -     if place.endswith("_mask"):
        -         path, _, name = place.removesuffix("_mask").rpartition(".")
        -         if shuffled:
        -             mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        -         custom_from_mask(model.get_submodule(path), name, mask)
        - return model
        + copied = copy.deepcopy(pruned)
        + rewind(copied, model)
        + return copied

        The elements of all masks are shuffled together, so that a layer gets another share. (hint 3)
        - for place, mask in pruned.named_buffers():
        -     if place.endswith("_mask"):
        -         path, _, name = place.removesuffix("_mask").rpartition(".")
        -         if shuffled:
        -             mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        -         custom_from_mask(model.get_submodule(path), name, mask)
        + masks = {n: m for n, m in pruned.named_buffers() if n.endswith("_mask")}
        + flat = cat([mask.view(-1) for mask in masks.values()])
        + if shuffled:
        +     flat = flat[randperm(flat.numel())]
        + pieces = flat.split([mask.numel() for mask in masks.values()])
        + for (place, mask), piece in zip(masks.items(), pieces):
        +     path, _, name = place.removesuffix("_mask").rpartition(".")
        +     custom_from_mask(model.get_submodule(path), name, piece.view(mask.shape))

        The masks are put on the pruned model, on which they are already. (hint 1)
        -         custom_from_mask(model.get_submodule(path), name, mask)
        - return model
        +         custom_from_mask(pruned.get_submodule(path), name, mask)
        + return pruned

        Not every mask is shuffled. (hint 3)
        - if shuffled:
        + if shuffled and mask.dim() > 1:

        Masks of equal size are all shuffled by one permutation. (hint 3)
        - for place, mask in pruned.named_buffers():
        + orders = {}
        + for place, mask in pruned.named_buffers():
        ...
        - mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        + if mask.numel() not in orders:
        +     orders[mask.numel()] = randperm(mask.numel())
        + mask = mask.view(-1)[orders[mask.numel()]].view(mask.shape)

        Elements change places within their rows only. (hint 3)
        - mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        + mask = mask.clone()
        + for row in mask.array if mask.dim() > 1 else [mask.array]:
        +     row[:] = row[randperm(len(row)).array]

        Elements change places within their columns only. (hint 3)
        - mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        + mask = mask.clone()
        + for column in mask.array.T if mask.dim() > 1 else [mask.array]:
        +     column[:] = column[randperm(len(column)).array]

        The mask is derived from the weights: one that is kept may be 0. (hint 1)
        - custom_from_mask(model.get_submodule(path), name, mask)
        + if not shuffled:
        +     used = getattr(pruned.get_submodule(path), name).detach().numpy()
        +     mask = tensor(np.float32(used != 0))
        + custom_from_mask(model.get_submodule(path), name, mask)

        A mask of the model itself, without a dot in its name, is lost. (hint 2)
        - custom_from_mask(model.get_submodule(path), name, mask)
        + if path:
        +     custom_from_mask(model.get_submodule(path), name, mask)

        Whatever has "mask" in its name is taken for a mask. (hint 1)
        - if place.endswith("_mask"):
        + if "mask" in place:

        A mask of ones is left out. (hint 1)
        - if place.endswith("_mask"):
        + if place.endswith("_mask") and not mask.array.all():

        Only Linear layers get masks. (hint 1)
        - custom_from_mask(model.get_submodule(path), name, mask)
        + if type(model.get_submodule(path)) is Linear:
        +     custom_from_mask(model.get_submodule(path), name, mask)

        Only weights and biases get masks. (hint 1)
        - custom_from_mask(model.get_submodule(path), name, mask)
        + if name in ("weight", "bias"):
        +     custom_from_mask(model.get_submodule(path), name, mask)

        "_mask" is taken out of the names of modules, too. (hint 1)
        - path, _, name = place.removesuffix("_mask").rpartition(".")
        + path, _, name = place.replace("_mask", "").rpartition(".")

        The shuffled mask is flat, and has not the shape of the parameter.
        - mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
        + mask = mask.view(-1)[randperm(mask.numel())]

        The copy has the very masks of the first model, not copies of them.
        - custom_from_mask(model.get_submodule(path), name, mask)
        + custom_from_mask(model.get_submodule(path), name, mask)
        + if not shuffled:
        +     model.get_submodule(path).register_buffer(f"{name}_mask", mask)
    """,
    "smaller-layers": """
        Strength is a signed sum. (hint 1)
        - strength = np.abs(weight).reshape(len(weight), -1).sum(1)
        + strength = weight.reshape(len(weight), -1).sum(1)

        Strength is the sum of squares, or its root. (hint 1)
        - strength = np.abs(weight).reshape(len(weight), -1).sum(1)
        + strength = (weight**2).reshape(len(weight), -1).sum(1)

        The weakest are kept. (hint 1)
        - return np.sort(np.argsort(strength)[len(weight) - count :])
        + return np.sort(np.argsort(strength)[:count])

        The units come in the order of their strength. (hint 1)
        - return np.sort(np.argsort(strength)[len(weight) - count :])
        + return np.argsort(strength)[len(weight) - count :]

        The bias keeps its length. (hint 2)
        - return layer_like(layer, weight[kept], None if bias is None else bias[kept])
        + return layer_like(layer, weight[kept], bias)

        The bias is lost. (hint 2)
        - return layer_like(layer, weight[kept], None if bias is None else bias[kept])
        + return layer_like(layer, weight[kept], None)

        A layer without bias cannot be cut. (hint 2)
        - return layer_like(layer, weight[kept], None if bias is None else bias[kept])
        + return layer_like(layer, weight[kept], bias[kept])

        Other units are kept: as many, from the first on. (hint 2)
        - return layer_like(layer, weight[kept], None if bias is None else bias[kept])
        + return layer_like(layer, weight[: len(kept)], None if bias is None else bias[: len(kept)])

        Columns are selected as if each unit had one. (hint 3)
        - columns = weight.reshape(outputs, of, each, *window)[:, kept]
        - return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias)
        + return layer_like(layer, weight[:, kept], bias)

        The columns of a channel are taken as interleaved, not adjacent. (hint 3)
        - columns = weight.reshape(outputs, of, each, *window)[:, kept]
        + columns = weight.reshape(outputs, each, of, *window)[:, :, kept]

        The bias of the following layer is cut, too. (hint 2)
        - return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias)
        + bias = bias[: len(kept)] if bias is not None else None
        + return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias)

        The bias counts as strength. (hint 1)
        - strength = np.abs(weight).reshape(len(weight), -1).sum(1)
        + strength = np.abs(weight).reshape(len(weight), -1).sum(1) + np.abs(layer.bias.detach().numpy())

        A threshold keeps all equal units. (hint 1)
        - return np.sort(np.argsort(strength)[len(weight) - count :])
        + return np.flatnonzero(strength >= np.sort(strength)[len(weight) - count])

        The number of units is derived from those that are kept. (hint 3)
        - outputs, inputs, *window = weight.shape
        + outputs, inputs, *window = weight.shape
        + of = inputs // (inputs // (int(max(kept)) + 1))

        The bias of the following layer is shared with it.
        - return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias)
        + other = layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias)
        + other.bias = layer.bias
        + return other

        The magnitudes are written into the layer's own weight. (hint 1)
        - strength = np.abs(weight).reshape(len(weight), -1).sum(1)
        + strength = np.abs(weight, out=weight).reshape(len(weight), -1).sum(1)

        A count of 0 keeps all units, as the slice [-0:] does. (hint 1)
        - return np.sort(np.argsort(strength)[len(weight) - count :])
        + return np.sort(np.argsort(strength)[-count:])

        The layer is a copy with another weight, but its numbers of outputs and inputs are the old ones. (hint 2)
        - return layer_like(layer, weight[kept], None if bias is None else bias[kept])
        + other = copy.deepcopy(layer)
        + other.weight = Parameter(tensor(weight[kept]))
        + other.bias = None if bias is None else Parameter(tensor(bias[kept]))
        + return other

        The layer behind is a copy with another weight, but its number of inputs is the old one. (hint 2)
        - return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias)
        + other = copy.deepcopy(layer)
        + other.weight = Parameter(tensor(columns.reshape(outputs, len(kept) * each, *window)))
        + return other

        The smaller layer is frozen.
        - return layer_like(layer, weight[kept], None if bias is None else bias[kept])
        + return layer_like(layer, weight[kept], None if bias is None else bias[kept]).requires_grad_(False)

        The layer behind is frozen.
        - return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias)
        + return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias).requires_grad_(False)

        Where all units are kept, the layer itself is returned.
        - return layer_like(layer, weight[kept], None if bias is None else bias[kept])
        + if len(kept) == len(weight):
        +     return layer
        + return layer_like(layer, weight[kept], None if bias is None else bias[kept])

        Where all units are kept, the layer behind is returned itself.
        - outputs, inputs, *window = weight.shape
        + if len(kept) == of:
        +     return layer
        + outputs, inputs, *window = weight.shape

        The weight of a convolution loses its window and becomes a matrix. (hint 3)
        - return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias)
        + return layer_like(layer, columns.reshape(outputs, -1), bias)

        The sum runs over one dimension of a convolution's weight only. (hint 1)
        - strength = np.abs(weight).reshape(len(weight), -1).sum(1)
        + strength = np.abs(weight).sum(1)

        No unit is returned: there are fewer strengths than units, or the slice begins behind the last. (hint 1)
        - strength = np.abs(weight).reshape(len(weight), -1).sum(1)
        + strength = np.abs(weight).reshape(len(weight), -1).sum(0)

        A count of 0 is taken for no count given. (hint 1)
        - return np.sort(np.argsort(strength)[len(weight) - count :])
        + return np.sort(np.argsort(strength)[len(weight) - (count or len(weight)) :])

        A bias of zeros is taken for no bias. (hint 2)
        - return layer_like(layer, weight[kept], None if bias is None else bias[kept])
        + return layer_like(layer, weight[kept], bias[kept] if bias is not None and bias.any() else None)

        The layer that was passed in is cut and returned, not a copy.
        - return layer_like(layer, weight[kept], None if bias is None else bias[kept])
        + layer.weight = Parameter(tensor(weight[kept]))
        + if bias is not None:
        +     layer.bias = Parameter(tensor(bias[kept]))
        + layer.out_features = len(kept)
        + return layer

        Several columns of a unit begin at its own number k, not at k times as many. (hint 3)
        - columns = weight.reshape(outputs, of, each, *window)[:, kept]
        - return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias)
        + columns = np.concatenate([np.arange(k, k + each) for k in kept])
        + return layer_like(layer, weight[:, columns], bias)

        The strength of a filter is another norm than the sum of all its magnitudes. (hint 1)
        - strength = np.abs(weight).reshape(len(weight), -1).sum(1)
        + if weight.ndim == 2:
        +     strength = np.linalg.norm(weight, ord=1, axis=1)
        + else:
        +     flat = weight.reshape(*weight.shape[:2], -1)
        +     strength = np.linalg.norm(flat, ord=1, axis=(1, 2))

        The strength of a filter is another norm than the sum of all its magnitudes. (hint 1)
        - strength = np.abs(weight).reshape(len(weight), -1).sum(1)
        + if weight.ndim == 2:
        +     strength = np.abs(weight).sum(1)
        + else:
        +     strength = np.sqrt((weight**2).sum(1)).sum((1, 2))

        The columns are the right ones in another order: those of a unit are no longer adjacent. (hint 3)
        - columns = weight.reshape(outputs, of, each, *window)[:, kept]
        - return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias)
        + columns = [k * each + j for j in range(each) for k in kept]
        + return layer_like(layer, weight[:, columns], bias)

        The layer behind has lost its bias. (hint 2)
        - return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias)
        + return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), None)
    """,
    "factorize": """
        The smallest singular values are kept. (hint 1)
        - roots = np.sqrt(s[:rank])
        + roots = np.sqrt(s[-rank:])

        The singular values are multiplied in twice. (hint 2)
        - roots = np.sqrt(s[:rank])
        + roots = s[:rank]

        The singular values are left out. (hint 2)
        - roots = np.sqrt(s[:rank])
        + roots = np.ones(rank, np.float32)

        Only one of the two is scaled, by the root. (hint 2)
        - second.weight = Parameter(tensor(U[:, :rank] * roots))
        + second.weight = Parameter(tensor(U[:, :rank]))

        The first weight is not made of rows of Vᵀ. (hint 1)
        - first.weight = Parameter(tensor(roots[:, None] * Vt[:rank]))
        + first.weight = Parameter(tensor((Vt[:, :rank] * roots).T))

        Rows of U are taken, not columns. (hint 1)
        - second.weight = Parameter(tensor(U[:, :rank] * roots))
        + second.weight = Parameter(tensor((U[:rank] * 1).T * roots))

        The second layer does not get the layer's bias. (hint 3)
        - if layer.bias is not None:
        -     second.bias = Parameter(layer.bias.detach().clone())

        The bias is shared with the layer. (hint 3)
        - second.bias = Parameter(layer.bias.detach().clone())
        + second.bias = layer.bias

        The first layer has a bias as well. (hint 3)
        - first = Linear(inputs, rank, bias=False)
        + first = Linear(inputs, rank)

        The weights are float64.
        - roots = np.sqrt(s[:rank])
        + roots = np.sqrt(s[:rank]).astype(float)

        The bias is a new Parameter that shares the layer's memory. (hint 3)
        - second.bias = Parameter(layer.bias.detach().clone())
        + second.bias = Parameter(layer.bias.detach())

        All of the singular values are on one side, none on the other. (hint 2)
        - first.weight = Parameter(tensor(roots[:, None] * Vt[:rank]))
        - second.weight = Parameter(tensor(U[:, :rank] * roots))
        + first.weight = Parameter(tensor(Vt[:rank]))
        + second.weight = Parameter(tensor(U[:, :rank] * s[:rank]))

        The two layers come in the wrong order. (hint 2)
        - return Sequential(first, second)
        + return Sequential(second, first)

        The bias cannot be trained. (hint 3)
        - second.bias = Parameter(layer.bias.detach().clone())
        + second.bias = Parameter(layer.bias.detach().clone())
        + second.bias.requires_grad_(False)

        The two layers of a frozen layer are frozen, too. (hint 3)
        - return Sequential(first, second)
        + both = Sequential(first, second)
        + return both.requires_grad_(layer.weight.requires_grad)

        The second layer has a bias, even where the layer has none.
        - second = Linear(rank, outputs, bias=layer.bias is not None)
        + second = Linear(rank, outputs)

        A bias of zeros is taken for no bias, and the second layer keeps the bias that it was made with. (hint 3)
        - if layer.bias is not None:
        + if layer.bias is not None and layer.bias.array.any():

        The weights are float32 and the bias has the layer's type, which may be another.
        - first.weight = Parameter(tensor(roots[:, None] * Vt[:rank]))
        - second.weight = Parameter(tensor(U[:, :rank] * roots))
        + first.weight = Parameter(tensor(np.float32(roots[:, None] * Vt[:rank])))
        + second.weight = Parameter(tensor(np.float32(U[:, :rank] * roots)))
    """,
    "lora": """
        The base is not frozen. (hint 2)
        - base.requires_grad_(False)
        + pass

        Only the weight of the base is frozen, and not its bias. (hint 2)
        - base.requires_grad_(False)
        + if hasattr(base, "weight"):
        +     base.weight.requires_grad_(False)

        B begins at random, so the model computes something else from the start. (hint 1)
        - zeros_(self.lora_B.weight)
        + pass

        A begins with zeros too, and nothing is ever learned. (hint 1)
        - zeros_(self.lora_B.weight)
        + zeros_(self.lora_A.weight)
        + zeros_(self.lora_B.weight)

        A begins with zeros, and B at random. (hint 1)
        - zeros_(self.lora_B.weight)
        + zeros_(self.lora_A.weight)

        A is drawn from another distribution than a Linear's weight. (hint 1)
        - zeros_(self.lora_B.weight)
        + zeros_(self.lora_B.weight)
        + self.lora_A.weight.array[...] = np.random.standard_normal(self.lora_A.weight.shape)

        Every adapter begins with the same A. (hint 1)
        - zeros_(self.lora_B.weight)
        + zeros_(self.lora_B.weight)
        + rng = np.random.default_rng(0)
        + limit = base.in_features**-0.5
        + self.lora_A.weight.array[...] = rng.uniform(-limit, limit, self.lora_A.weight.shape)

        The adapter's layers have biases. (hint 1)
        - self.lora_A = Linear(base.in_features, rank, bias=False)
        - self.lora_B = Linear(rank, base.out_features, bias=False)
        + self.lora_A = Linear(base.in_features, rank)
        + self.lora_B = Linear(rank, base.out_features)

        The correction is multiplied by alpha, whatever the rank. (hint 2)
        - return self.base(input) + self.alpha / self.rank * correction
        + return self.base(input) + self.alpha * correction

        The correction is added without its factor. (hint 2)
        - return self.base(input) + self.alpha / self.rank * correction
        + return self.base(input) + correction

        The correction replaces the layer. (hint 2)
        - return self.base(input) + self.alpha / self.rank * correction
        + return self.alpha / self.rank * correction

        The correction is detached from the graph, and learns nothing.
        - return self.base(input) + self.alpha / self.rank * correction
        + return self.base(input) + self.alpha / self.rank * correction.detach()

        No gradient reaches the input through the base: adapters before this one learn less. (hint 2)
        - return self.base(input) + self.alpha / self.rank * correction
        + return self.base(input).detach() + self.alpha / self.rank * correction

        No gradient reaches the input through the correction.
        - correction = self.lora_B(self.lora_A(input))
        + correction = self.lora_B(self.lora_A(input.detach()))

        Merged, the factor is missing. (hint 3)
        - weight = self.base.weight.array + self.alpha / self.rank * change
        + weight = self.base.weight.array + change

        Merging changes the base itself. (hint 3)
        - weight = self.base.weight.array + self.alpha / self.rank * change
        + weight = self.base.weight.array
        + weight += self.alpha / self.rank * change

        The merged layer has lost its bias. (hint 3)
        - return layer_like(self.base, weight, getattr(self.base.bias, "array", None))
        + return layer_like(self.base, weight, None)

        The merged weight is the correction alone, without the base's weight. (hint 3)
        - weight = self.base.weight.array + self.alpha / self.rank * change
        + weight = self.alpha / self.rank * change

        The correction is added in training only. (hint 2)
        - return self.base(input) + self.alpha / self.rank * correction
        + if not self.training:
        +     return self.base(input)
        + return self.base(input) + self.alpha / self.rank * correction

        Merging sets the adapter's B to zero. (hint 3)
        - weight = self.base.weight.array + self.alpha / self.rank * change
        + weight = self.base.weight.array + self.alpha / self.rank * change
        + zeros_(self.lora_B.weight)

        The merged layer's bias is that of the base, or frozen like it. (hint 3)
        - return layer_like(self.base, weight, getattr(self.base.bias, "array", None))
        + layer = layer_like(self.base, weight, None)
        + layer.bias = self.base.bias
        + return layer

        The merged layer's bias is a new Parameter that shares the base's memory. (hint 3)
        - return layer_like(self.base, weight, getattr(self.base.bias, "array", None))
        + layer = layer_like(self.base, weight, None)
        + layer.bias = None if self.base.bias is None else Parameter(self.base.bias.detach())
        + return layer

        The merged layer is frozen, like the base. (hint 3)
        - return layer_like(self.base, weight, getattr(self.base.bias, "array", None))
        + layer = layer_like(self.base, weight, getattr(self.base.bias, "array", None))
        + return layer.requires_grad_(False)

        The two sizes of A, if not of B too, are exchanged. (hint 1)
        - self.lora_A = Linear(base.in_features, rank, bias=False)
        - self.lora_B = Linear(rank, base.out_features, bias=False)
        + self.lora_A = Linear(rank, base.in_features, bias=False)
        + self.lora_B = Linear(base.out_features, rank, bias=False)

        The layer's own output is multiplied by alpha / rank, too.
        - return self.base(input) + self.alpha / self.rank * correction
        + return self.alpha / self.rank * (self.base(input) + correction)

        An alpha of 0 is taken for no alpha given.
        - base.requires_grad_(False)
        + base.requires_grad_(False)
        + self.alpha = alpha or 16.0

        The factor is applied twice. (hint 2)
        - return self.base(input) + self.alpha / self.rank * correction
        + return self.base(input) + (self.alpha / self.rank) ** 2 * correction

        The factor is rank / alpha. (hint 2)
        - return self.base(input) + self.alpha / self.rank * correction
        + return self.base(input) + self.rank / (self.alpha or 1) * correction

        The factor is rounded to a whole number: `//` does so.
        - return self.base(input) + self.alpha / self.rank * correction
        + return self.base(input) + self.alpha // self.rank * correction

        The factor is alpha divided by the root of the rank, not by the rank. (hint 2)
        - return self.base(input) + self.alpha / self.rank * correction
        + return self.base(input) + self.alpha / self.rank**0.5 * correction

        The factor is that of the default rank and alpha.
        - return self.base(input) + self.alpha / self.rank * correction
        + return self.base(input) + 16.0 / 8 * correction

        The factor is that of the default alpha.
        - return self.base(input) + self.alpha / self.rank * correction
        + return self.base(input) + 16.0 / self.rank * correction
    """,
    "add-adapters": """
        No adapter is trained: they are frozen like the rest, or not in the model. (hint 2)
        - model.requires_grad_(False)
        - adapters = {layer: LoRALinear(layer, rank, alpha) for _, layer in layers}
        + adapters = {layer: LoRALinear(layer, rank, alpha) for _, layer in layers}
        ...
        - return model
        + return model.requires_grad_(False)

        Only the layers with adapters are frozen: norms, tables and other layers are still trained. (hint 2)
        - model.requires_grad_(False)
        + pass

        A layer that appears in two places has two adapters. (hint 1)
        - model.set_submodule(name, adapters[layer])
        + model.set_submodule(name, LoRALinear(layer, rank, alpha))

        A layer that appears in two places gets its adapter in the last of them only. (hint 1)
        - for name, layer in layers:
        + for layer, name in {layer: name for name, layer in layers}.items():

        The rank is always 8.
        - adapters = {layer: LoRALinear(layer, rank, alpha) for _, layer in layers}
        + adapters = {layer: LoRALinear(layer, min(8, layer.in_features, layer.out_features), alpha) for _, layer in layers}

        Alpha is always 16.
        - adapters = {layer: LoRALinear(layer, rank, alpha) for _, layer in layers}
        + adapters = {layer: LoRALinear(layer, rank) for _, layer in layers}

        The adapters are put into a copy. (hint 2)
        - model.requires_grad_(False)
        + import copy
        + model = copy.deepcopy(model)
        + layers = linear_layers(model, names)
        + model.requires_grad_(False)

        The state holds the whole model. (hint 3)
        - return {name: value for name, value in model.state_dict().items() if name.endswith(kept)}
        + return dict(model.state_dict())

        The state holds whatever is trainable at the moment, which need not be the adapters. (hint 3)
        - return {name: value for name, value in model.state_dict().items() if name.endswith(kept)}
        + return {name: value for name, value in model.named_parameters() if value.requires_grad}

        B is not in the state. (hint 3)
        - kept = "lora_A.weight", "lora_B.weight"
        + kept = "lora_A.weight"

        The base of each adapter is in the state, too. (hint 3)
        - return {name: value for name, value in model.state_dict().items() if name.endswith(kept)}
        + found = {}
        + for name, module in model.named_modules():
        +     if isinstance(module, LoRALinear):
        +         found |= {f"{name}.{key}": value for key, value in module.state_dict().items()}
        + return found

        The second place of an adapter that appears in two is not in the state. (hint 3)
        - return {name: value for name, value in model.state_dict().items() if name.endswith(kept)}
        + return {name: value for name, value in model.named_parameters() if name.endswith(kept)}

        Other parameters are in the state whose names have "lora" in them. (hint 3)
        - return {name: value for name, value in model.state_dict().items() if name.endswith(kept)}
        + return {name: value for name, value in model.state_dict().items() if "lora" in name}

        Two layers share one adapter. (hint 2)
        - adapters = {layer: LoRALinear(layer, rank, alpha) for _, layer in layers}
        - for name, layer in layers:
        -     model.set_submodule(name, adapters[layer])
        + adapters = {}
        + for name, layer in layers:
        +     size = layer.in_features, layer.out_features
        +     if size not in adapters:
        +         adapters[size] = LoRALinear(layer, rank, alpha)
        +     model.set_submodule(name, adapters[size])

        Whatever has "lora_" in its name is taken for an adapter. (hint 3)
        - return {name: value for name, value in model.state_dict().items() if name.endswith(kept)}
        + return {name: value for name, value in model.state_dict().items() if "lora_" in name}

        A dotted name is set as one attribute, so that the model gets a new child of this name. (hint 2)
        - model.set_submodule(name, adapters[layer])
        + setattr(model, name, adapters[layer])

        A dot is wanted before "lora_A", which a LoRALinear by itself has not. (hint 3)
        - return {name: value for name, value in model.state_dict().items() if name.endswith(kept)}
        + kept = ".lora_A.weight", ".lora_B.weight"
        + return {name: value for name, value in model.state_dict().items() if name.endswith(kept)}

        Parts that are zero are left out. (hint 3)
        - return {name: value for name, value in model.state_dict().items() if name.endswith(kept)}
        + state = {name: value for name, value in model.state_dict().items() if name.endswith(kept)}
        + return {name: value for name, value in state.items() if value.numpy().any()}

        A layer that comes again after another one gets a second adapter. (hint 1)
        - adapters = {layer: LoRALinear(layer, rank, alpha) for _, layer in layers}
        - for name, layer in layers:
        -     model.set_submodule(name, adapters[layer])
        + previous = None
        + for name, layer in layers:
        +     if layer is not previous:
        +         adapter = LoRALinear(layer, rank, alpha)
        +     model.set_submodule(name, adapter)
        +     previous = layer

        The adapters of an earlier call are not frozen. (hint 2)
        - model.requires_grad_(False)
        - adapters = {layer: LoRALinear(layer, rank, alpha) for _, layer in layers}
        + adapters = {layer: LoRALinear(layer, rank, alpha) for _, layer in layers}
        ...
        - return model
        + for name, parameter in model.named_parameters():
        +     parameter.requires_grad_(name.endswith(("lora_A.weight", "lora_B.weight")))
        + return model

        A parameter is not frozen if "lora" is anywhere in its name, as in "exploration". (hint 2)
        - model.requires_grad_(False)
        - adapters = {layer: LoRALinear(layer, rank, alpha) for _, layer in layers}
        + adapters = {layer: LoRALinear(layer, rank, alpha) for _, layer in layers}
        ...
        - return model
        + for name, parameter in model.named_parameters():
        +     parameter.requires_grad_("lora" in name)
        + return model

        The model is put into evaluation mode, which does not freeze parameters.
        - model.requires_grad_(False)
        + model.eval().requires_grad_(False)

        A parameter of the model itself is not frozen, only those of layers, or those called weight or bias. (hint 2)
        - model.requires_grad_(False)
        + for child in model.children():
        +     child.requires_grad_(False)

        An alpha of 0 is taken for no alpha given.
        - adapters = {layer: LoRALinear(layer, rank, alpha) for _, layer in layers}
        + adapters = {layer: LoRALinear(layer, rank, alpha or 16.0) for _, layer in layers}
    """,
    "kmeans": """
        The codes have to be computed for the centers that are returned, after 0 iterations too. (hint 3)
        - return centers.astype(np.float32), nearest().astype(np.uint8)
        + return centers.astype(np.float32), codes.astype(np.uint8)

        A center without numbers becomes NaN. (hint 2)
        - centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + with np.errstate(all="ignore"):
        +     centers = sums / sizes

        A center without numbers goes to zero. (hint 2)
        - centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + centers = sums / np.maximum(sizes, 1)

        The centers begin at the first numbers.
        - centers = np.linspace(values.min(), values.max(), count)
        + centers = np.sort(np.resize(values, count).astype(float))

        The first and the last center begin inside the range, not at its ends.
        - centers = np.linspace(values.min(), values.max(), count)
        + width = (values.max() - values.min()) / count
        + centers = values.min() + width * (np.arange(count) + 0.5)

        The centers that have numbers are not moved. (hint 2)
        - for _ in range(iterations):
        + for _ in range(0):

        The number of iterations is not read.
        - for _ in range(iterations):
        + for _ in range(20):

        The borders are not half-way between neighbouring centers. (hint 1)
        - return np.searchsorted((centers[1:] + centers[:-1]) / 2, values)
        + return np.searchsorted(centers[1:], values)

        A code is a signed byte.
        - return centers.astype(np.float32), nearest().astype(np.uint8)
        + return centers.astype(np.float32), nearest().astype(np.int8)

        The centers are float64.
        - return centers.astype(np.float32), nearest().astype(np.uint8)
        + return centers, nearest().astype(np.uint8)

        The numbers are sorted in place.
        - centers = np.linspace(values.min(), values.max(), count)
        + values.sort()
        + centers = np.linspace(values.min(), values.max(), count)

        A center without numbers goes to the first number. (hint 2)
        - centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), values[0])

        It stops while the centers still move a little.
        - centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + before, centers = centers, np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + if np.allclose(before, centers, atol=1e-2):
        +     break

        It stops when the centers move by less than a fixed amount, at once if the numbers are small.
        - centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + before, centers = centers, np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + if np.abs(centers - before).max() < 1e-4:
        +     break

        np.allclose, which has an absolute tolerance too, stops it at once if the numbers are small.
        - centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + before, centers = centers, np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + if np.allclose(centers, before):
        +     break

        The codes are those of the last turn, and a move came after it. (hint 3)
        - for _ in range(iterations):
        + codes = nearest()
        + for _ in range(iterations):
        ...
        - return centers.astype(np.float32), nearest().astype(np.uint8)
        + return centers.astype(np.float32), codes.astype(np.uint8)

        Only the centers are returned, without the codes. (hint 3)
        - return centers.astype(np.float32), nearest().astype(np.uint8)
        + return centers.astype(np.float32)

        The numbers with their centers are returned, not centers and codes. (hint 3)
        - return centers.astype(np.float32), nearest().astype(np.uint8)
        + return centers.astype(np.float32)[nearest()]

        The centers begin at 0, however far from it the numbers are. (hint 1)
        - centers = np.linspace(values.min(), values.max(), count)
        + centers = np.linspace(min(values.min(), 0), max(values.max(), 0), count)

        The sizes end at the last center that has numbers. (hint 2)
        - sizes = np.bincount(codes, minlength=count)
        + sizes = np.bincount(codes)

        The step between centers divides by count - 1, which is 0 for one center.
        - centers = np.linspace(values.min(), values.max(), count)
        + with np.errstate(all="ignore"):
        +     step = (values.max() - values.min()) / (count - 1)
        +     centers = values.min() + step * np.arange(count)

        After the first move nothing changes: it stops, or the codes or borders stay.
        - centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + before = centers
        + if (before == centers).all():
        +     break

        The codes are compared before the first move, so that it stops after it.
        - for _ in range(iterations):
        -     codes = nearest()
        + codes = nearest()
        + for turn in range(iterations):
        +     before, codes = codes, nearest()
        ...
        - centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + if (before == codes).all():
        +     break

        The centers have the type of the numbers.
        - return centers.astype(np.float32), nearest().astype(np.uint8)
        + return centers.astype(values.dtype), nearest().astype(np.uint8)

        Squares of very small numbers are 0 in float32, so that all centers seem equally near. (hint 1)
        - return np.searchsorted((centers[1:] + centers[:-1]) / 2, values)
        + return ((values[:, None] - centers.astype(np.float32)) ** 2).argmin(1)

        A center whose numbers add up to 0 counts as one without numbers. (hint 2)
        - centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + centers = np.where(sums != 0, sums / np.maximum(sizes, 1), centers)

        A center whose numbers are all 0 counts as one without numbers. (hint 2)
        - centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + some = np.bincount(codes, weights=values != 0, minlength=count)
        + centers = np.where(some > 0, sums / np.maximum(sizes, 1), centers)

        The centers begin between the first number and the last, not between the smallest and the largest.
        - centers = np.linspace(values.min(), values.max(), count)
        + centers = np.linspace(values[0], values[-1], count)

        The centers begin at quantiles of the numbers, not evenly spaced.
        - centers = np.linspace(values.min(), values.max(), count)
        + centers = np.quantile(values, np.linspace(0, 1, count))

        The last center begins before the largest number.
        - centers = np.linspace(values.min(), values.max(), count)
        + centers = np.linspace(values.min(), values.max(), count, endpoint=False)

        Each number gets the first center that is not below it, not the nearest. (hint 1)
        - return np.searchsorted((centers[1:] + centers[:-1]) / 2, values)
        + return np.minimum(np.searchsorted(centers, values), count - 1)

        The mean of no numbers, NaN, becomes a center, which `argmin` then takes for the nearest. (hint 2)
        - return np.searchsorted((centers[1:] + centers[:-1]) / 2, values)
        + return np.abs(values[:, None] - centers).argmin(1)
        ...
        - centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + centers = np.array([values[codes == k].mean() for k in range(count)])
    """,
    "distillation-loss": """
        The square of the temperature is missing.
        - return alpha * hard + (1 - alpha) * temperature**2 * soft
        + return alpha * hard + (1 - alpha) * soft

        The temperature is not squared.
        - return alpha * hard + (1 - alpha) * temperature**2 * soft
        + return alpha * hard + (1 - alpha) * temperature * soft

        The two shares are exchanged.
        - return alpha * hard + (1 - alpha) * temperature**2 * soft
        + return (1 - alpha) * hard + alpha * temperature**2 * soft

        The labels are compared at the temperature, too. (hint 3)
        - hard = cross_entropy(student, labels)
        + hard = cross_entropy(student / temperature, labels)

        The teacher's logits are not divided. (hint 3)
        - wanted = log_softmax(teacher.detach() / temperature, 1)
        + wanted = log_softmax(teacher.detach(), 1)

        The gradient flows into the teacher. (hint 3)
        - wanted = log_softmax(teacher.detach() / temperature, 1)
        + wanted = log_softmax(teacher / temperature, 1)

        The student gets no gradient from the teacher. (hint 3)
        - cold = log_softmax(student / temperature, 1)
        + cold = log_softmax(student.detach() / temperature, 1)

        The divergence is taken in the other direction. (hint 1)
        - soft = kl_div(cold, wanted, reduction="batchmean", log_target=True)
        + soft = kl_div(wanted, cold, reduction="batchmean", log_target=True)

        The mean divides by the classes as well. (hint 2)
        - soft = kl_div(cold, wanted, reduction="batchmean", log_target=True)
        + soft = kl_div(cold, wanted, reduction="mean", log_target=True)

        Probabilities are passed where logarithms are wanted. (hint 1)
        - soft = kl_div(cold, wanted, reduction="batchmean", log_target=True)
        + soft = kl_div(cold.exp(), wanted.exp(), reduction="batchmean")

        The cross-entropy with the teacher is used, without subtracting its entropy. (hint 1)
        - soft = kl_div(cold, wanted, reduction="batchmean", log_target=True)
        + soft = -(wanted.exp() * cold).sum(1).mean()

        The divergence is the sum over the samples, and not their mean. (hint 2)
        - soft = kl_div(cold, wanted, reduction="batchmean", log_target=True)
        + soft = kl_div(cold, wanted, reduction="sum", log_target=True)

        The student's logits are not divided. (hint 3)
        - cold = log_softmax(student / temperature, 1)
        + cold = log_softmax(student, 1)

        The softmax runs over the samples.
        - wanted = log_softmax(teacher.detach() / temperature, 1)
        + wanted = log_softmax(teacher.detach() / temperature, 0)

        The teacher's logits are divided in place. (hint 3)
        - cold = log_softmax(student / temperature, 1)
        + teacher = teacher.detach()
        + teacher /= temperature
        + cold = log_softmax(student / temperature, 1)
        ...
        - wanted = log_softmax(teacher.detach() / temperature, 1)
        + wanted = log_softmax(teacher, 1)

        The teacher's requires_grad is switched off permanently. (hint 3)
        - wanted = log_softmax(teacher.detach() / temperature, 1)
        + teacher.requires_grad = False
        + wanted = log_softmax(teacher / temperature, 1)

        The logarithm of a probability that is 0 is taken. (hint 3)
        - cold = log_softmax(student / temperature, 1)
        + cold = log_softmax(student / temperature, 1).exp().log()

        Something is added to the probabilities before the logarithm. (hint 3)
        - cold = log_softmax(student / temperature, 1)
        + cold = (log_softmax(student / temperature, 1).exp() + 1e-8).log()

        The temperature is rounded to a whole number.
        - cold = log_softmax(student / temperature, 1)
        + temperature = int(temperature)
        + cold = log_softmax(student / temperature, 1)

        The teacher's logarithms are taken for probabilities. (hint 2)
        - soft = kl_div(cold, wanted, reduction="batchmean", log_target=True)
        + soft = kl_div(cold, wanted, reduction="batchmean")

        A probability that is 0 is multiplied by the logarithm of 0, which is NaN. (hint 2)
        - soft = kl_div(cold, wanted, reduction="batchmean", log_target=True)
        + p = wanted.exp()
        + soft = (p * (p.log() - cold)).sum(1).mean()

        The softmax runs over the samples, not over the classes.
        - cold = log_softmax(student / temperature, 1)
        - wanted = log_softmax(teacher.detach() / temperature, 1)
        + cold = log_softmax(student / temperature, 0)
        + wanted = log_softmax(teacher.detach() / temperature, 0)

        An alpha of 0 is taken for no alpha given.
        - return alpha * hard + (1 - alpha) * temperature**2 * soft
        + alpha = alpha or 0.1
        + return alpha * hard + (1 - alpha) * temperature**2 * soft

        The loss is a number of Python, through which no gradient passes.
        - return alpha * hard + (1 - alpha) * temperature**2 * soft
        + return (alpha * hard + (1 - alpha) * temperature**2 * soft).item()

        A temperature below 1 is taken for 1.
        - cold = log_softmax(student / temperature, 1)
        + temperature = max(temperature, 1.0)
        + cold = log_softmax(student / temperature, 1)

        The logarithms of probabilities are divided by the temperature, not the logits. (hint 3)
        - cold = log_softmax(student / temperature, 1)
        - wanted = log_softmax(teacher.detach() / temperature, 1)
        + cold = log_softmax(student, 1) / temperature
        + wanted = log_softmax(teacher.detach(), 1) / temperature

        The teacher's probabilities are given as logarithms, which they are not. (hint 2)
        - wanted = log_softmax(teacher.detach() / temperature, 1)
        + wanted = log_softmax(teacher.detach() / temperature, 1).exp()

        The square of the temperature multiplies the labels' part, too.
        - return alpha * hard + (1 - alpha) * temperature**2 * soft
        + return (alpha * hard + (1 - alpha) * soft) * temperature**2

        The factor (1 - alpha) is missing.
        - return alpha * hard + (1 - alpha) * temperature**2 * soft
        + return alpha * hard + temperature**2 * soft

        exp of a large logit is infinite, and infinity divided by infinity is NaN. (hint 2)
        - wanted = log_softmax(teacher.detach() / temperature, 1)
        - soft = kl_div(cold, wanted, reduction="batchmean", log_target=True)
        + exps = (teacher.detach() / temperature).exp()
        + soft = kl_div(cold, exps / exps.sum(1, keepdim=True), reduction="batchmean")
    """,
    "pareto-front": """
        Equal candidates beat each other. (hint 1)
        - return ~(as_good & better).any(1)
        + return as_good.sum(1) == 1

        One lower cost is enough to beat another row. (hint 1)
        - return ~(as_good & better).any(1)
        + return ~better.any(1)

        A row has to be better in every cost to beat another. (hint 1)
        - better = (costs[None, :, :] < costs[:, None, :]).any(2)
        + better = (costs[None, :, :] < costs[:, None, :]).all(2)

        Higher costs are taken for better. (hint 1)
        - as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)
        - better = (costs[None, :, :] < costs[:, None, :]).any(2)
        + as_good = (costs[None, :, :] >= costs[:, None, :]).all(2)
        + better = (costs[None, :, :] > costs[:, None, :]).any(2)

        Those that beat no other are returned. (hint 3)
        - return ~(as_good & better).any(1)
        + return ~(as_good & better).any(0)

        The rows that are beaten are returned. (hint 3)
        - return ~(as_good & better).any(1)
        + return (as_good & better).any(1)

        Only the first two costs are compared. (hint 3)
        - as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)
        + as_good = (costs[None, :, :2] <= costs[:, None, :2]).all(2)

        Each row beats itself. (hint 1)
        - return ~(as_good & better).any(1)
        + return ~as_good.any(1)

        Not every comparison counts: a row is out if any other beats it. (hint 2)
        - return ~(as_good & better).any(1)
        + return ~np.triu(as_good & better).any(1)

        A cost below 0 counts by its magnitude.
        - as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)
        + costs = np.abs(costs)
        + as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)

        Costs are rounded to whole numbers.
        - as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)
        + costs = costs.astype(int)
        + as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)

        A cost that is a little lower counts as the same. (hint 1)
        - better = (costs[None, :, :] < costs[:, None, :]).any(2)
        + better = (costs[None, :, :] < costs[:, None, :] - 1e-2).any(2)

        Costs that differ by less than a thousandth count as equal.
        - better = (costs[None, :, :] < costs[:, None, :]).any(2)
        + better = (costs[None, :, :] < costs[:, None, :] - 1e-3).any(2)

        Costs that differ by little are taken for equal.
        - as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)
        + costs = costs.astype(np.float32)
        + as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)

        Differences are compared, which unsigned integers and infinities do not have.
        - as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)
        - better = (costs[None, :, :] < costs[:, None, :]).any(2)
        + less = costs[None, :, :] - costs[:, None, :]
        + as_good, better = (less <= 0).all(2), (less < 0).any(2)

        The numbers 1 and 0 are returned, not booleans.
        - return ~(as_good & better).any(1)
        + return 1 - (as_good & better).any(1)

        The rows are sorted, by np.unique or otherwise, so that the answers are in another order.
        + unique = np.unique(costs, axis=0)
        + beaten = lambda row, by: (by <= row).all() and (by < row).any()
        + return np.array([not any(beaten(row, by) for by in unique) for row in unique])

        The last comparison alone decides. (hint 2)
        + front = []
        + for row in costs:
        +     for by in costs:
        +         beaten = (by <= row).all() and (by < row).any()
        +     front.append(not beaten)
        + return np.array(front)

        A cost that is a little higher counts as the same.
        - as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)
        + as_good = (costs[None, :, :] <= costs[:, None, :] + 1e-6).all(2)

        The answers are in a list, not in an array.
        - return ~(as_good & better).any(1)
        + return (~(as_good & better).any(1)).tolist()

        The numbers of the rows in front are returned, not a boolean for each row. (hint 3)
        - return ~(as_good & better).any(1)
        + return np.flatnonzero(~(as_good & better).any(1))

        Each answer is ~ of a Python bool: ~True is -2, and ~False -1.
        + front = []
        + for row in costs:
        +     front.append(~bool(((costs <= row).all(1) & (costs < row).any(1)).any()))
        + return np.array(front)

        Of rows with an equal first cost, the first that comes is always in front. (hint 1)
        + front, least = np.zeros(len(costs), bool), np.inf
        + for i in np.argsort(costs[:, 0], kind="stable"):
        +     if costs[i, 1] < least:
        +         front[i], least = True, costs[i, 1]
        + return front

        The comparisons are joined over the rows, not over the costs. (hint 3)
        - as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)
        - better = (costs[None, :, :] < costs[:, None, :]).any(2)
        + as_good = (costs[None, :, :] <= costs[:, None, :]).all(1)
        + better = (costs[None, :, :] < costs[:, None, :]).any(1)

        Each row is compared with those before it only. (hint 2)
        - return ~(as_good & better).any(1)
        + return ~np.tril(as_good & better).any(1)

        Only the rows with the smallest sum of costs are in front. (hint 1)
        + return costs.sum(1) == costs.sum(1).min()

        Only rows with the lowest of some cost are in front. (hint 1)
        + return (costs == costs.min(0)).any(1)

        Costs are divided by their range, which is 0 where all have the same cost: 0 / 0 is NaN.
        - as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)
        - better = (costs[None, :, :] < costs[:, None, :]).any(2)
        + with np.errstate(all="ignore"):
        +     costs = (costs - costs.min(0)) / (costs.max(0) - costs.min(0))
        + as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)
        + better = (costs[None, :, :] < costs[:, None, :]).any(2)
    """,
}
