"""Pruning methods as PyTorch has them: made of the learner's masked parameter, container and magnitude mask.

`apply` puts a method on a module, by the learner's `put_on`; a second one on the same parameter goes into a
`PruningContainer` with the first.
"""

import numpy as np

from tinytorch.compression import BasePruningMethod, PruningContainer, magnitude_mask
from tinytorch.given import methods_of
from tinytorch.given.compression.checks import check_amount, count_of, count_of_channels
from tinytorch.tensor import ones_like, rand, rand_like, tensor, zeros_like

__all__ = [
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "masked_out",
    "random_structured",
    "random_unstructured",
    "remove",
]


@methods_of(BasePruningMethod)
class Applying:
    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Make a method of these arguments, and put it on a module's parameter.

        Args:
            module: a Module.
            name: the parameter's name.
            args, kwargs: what the method is made of.
            importance_scores: a tensor of the parameter's shape to prune by; None takes the parameter itself.

        Returns:
            The method, or the container that it has joined.
        """
        before = hooks_on(module, name)
        if len(before) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. "
                "Use a PruningContainer."
            )
        method = cls(*args, **kwargs)
        method._tensor_name = name
        weight = getattr(module, name)
        scores = weight if importance_scores is None else importance_scores
        if weight is None:
            raise TypeError(f"{type(module).__name__} has no parameter {name} to prune: it is None")
        if scores.shape != weight.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, "
                f"got {scores.shape} vs {weight.shape}"
            )
        if not before:
            method.put_on(module, method.compute_mask(scores, default_mask=ones_like(weight)))
            return method
        key, old = before[0]
        several = old if isinstance(old, PruningContainer) else PruningContainer(old)
        several.add_pruning_method(method)
        try:
            mask = getattr(module, f"{name}_mask").detach().clone()
            mask = several.compute_mask(scores, default_mask=mask)
        except Exception:
            several._pruning_methods = several._pruning_methods[:-1]
            raise
        del module._forward_pre_hooks[key]
        several.put_on(module, mask)
        return several

    def prune(self, t, default_mask=None, importance_scores=None):
        """A pruned copy of a tensor, with no module about it."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {scores.shape} vs {t.shape}"
            )
        default_mask = ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=default_mask)


def hooks_on(module, name):
    """(key, method) of the pruning methods that act on a module's parameter."""
    hooks = module._forward_pre_hooks.items()
    return [
        (key, hook)
        for key, hook in hooks
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]


@methods_of(PruningContainer)
class Sequence:
    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, idx):
        return self._pruning_methods[idx]


class Identity(BasePruningMethod):
    """A mask of ones, for a parameter that is to have a mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        return default_mask

    @classmethod
    def apply(cls, module, name):
        return super().apply(module, name)


class L1Unstructured(BasePruningMethod):
    """Zeros for the `amount` of elements that are smallest in magnitude: the learner's `magnitude_mask`."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount):
        check_amount(amount)
        self.amount = amount

    def compute_mask(self, t, default_mask):
        mask = magnitude_mask(t.detach().numpy(), count_of(self.amount, t.numel()))
        return default_mask * tensor(mask).to(default_mask.dtype)

    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class RandomUnstructured(BasePruningMethod):
    """Zeros for elements that are drawn, the control to every other choice."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount):
        check_amount(amount)
        self.amount = amount

    def compute_mask(self, t, default_mask):
        count, mask = count_of(self.amount, t.numel()), default_mask.clone()
        if count:
            chosen = np.argsort(-rand_like(t).numpy(), axis=None, kind="stable")[:count]
            mask.array.reshape(-1)[chosen] = 0
        return mask

    @classmethod
    def apply(cls, module, name, amount):
        return super().apply(module, name, amount=amount)


class RandomStructured(BasePruningMethod):
    """Zeros for whole slices along `dim` that are drawn."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount, dim=-1):
        check_amount(amount)
        self.amount, self.dim = amount, dim

    def compute_mask(self, t, default_mask):
        count = count_of_channels(t, self.amount, self.dim)
        if not count:
            return default_mask
        kept = rand(t.shape[self.dim]).argsort()[count:]
        return zeros_like(t).index_fill(self.dim, kept, 1) * default_mask.to(t.dtype)

    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(BasePruningMethod):
    """Zeros for the slices along `dim` whose L_n norms are smallest, n as `Tensor.norm` takes it."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount, n, dim=-1):
        check_amount(amount)
        self.amount, self.n, self.dim = amount, n, dim

    def compute_mask(self, t, default_mask):
        gone, dim = count_of_channels(t, self.amount, self.dim), self.dim % t.dim()
        norms = t.detach().norm(self.n, [d for d in range(t.dim()) if d != dim])
        kept = norms.topk(t.shape[dim] - gone).indices
        return zeros_like(t).index_fill(dim, kept, 1) * default_mask.to(t.dtype)

    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        options = {"amount": amount, "n": n, "dim": dim}
        return super().apply(module, name, importance_scores=importance_scores, **options)


class CustomFromMask(BasePruningMethod):
    """A mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module, name, mask):
        return super().apply(module, name, mask=mask)


def identity(module, name):
    """Give a parameter a mask of ones; returns the module, as all of these functions do."""
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """Prune elements at random: a share of those left, or with an integer so many."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """Prune the elements smallest in magnitude: a share of those left, or with an integer so many."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """Prune whole slices along `dim` at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Prune the slices along `dim` whose L_n norms are smallest: a share of those left, or so many."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module, name, mask):
    """Prune by a mask of zeros and ones."""
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module, name):
    """Make a pruned parameter an ordinary one again; its zeros stay. ValueError if it is not pruned."""
    for key, method in hooks_on(module, name):
        method.remove(module)
        del module._forward_pre_hooks[key]
        return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module):
    """Whether the module, or one below it, has a pruned parameter."""
    return any(
        isinstance(hook, BasePruningMethod)
        for below in module.modules()
        for hook in below._forward_pre_hooks.values()
    )


def masked_out(parameters):
    """How many elements of (module, name) pairs masks take away, and how many there are."""
    masks = [getattr(module, f"{name}_mask", None) for module, name in parameters]
    gone = sum(int((mask.numpy() == 0).sum()) for mask in masks if mask is not None)
    return gone, sum(getattr(module, name).numel() for module, name in parameters)
