"""Weights that are recomputed before each forward: `weight_norm` and `spectral_norm`, as hooks on the call.

Both replace a parameter of a module by others, from which a hook computes the weight.
"""

import warnings

import tinytorch.activations as F
from tinytorch.layers import Parameter
from tinytorch.tensor import dot, mv

__all__ = [
    "SpectralNorm",
    "WeightNorm",
    "remove_spectral_norm",
    "remove_weight_norm",
    "spectral_norm",
    "weight_norm",
]


class WeightNorm:
    """weight = g v / ‖v‖: length g and direction v are learned separately (Salimans and Kingma, 2016)."""

    def __init__(self, name, dim):
        self.name, self.dim = name, -1 if dim is None else dim

    def norm(self, v):
        """The length of each slice along `dim`; of the whole if `dim` is -1."""
        if self.dim == -1:
            return v.norm()
        return v.norm(2, [d for d in range(v.ndim) if d != self.dim], keepdim=True)

    def put_on(self, module):
        weight = getattr(module, self.name)
        del module._parameters[self.name]
        module.register_parameter(f"{self.name}_g", Parameter(self.norm(weight.detach())))
        module.register_parameter(f"{self.name}_v", Parameter(weight.detach()))
        self(module, ())

    def __call__(self, module, inputs):
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        setattr(module, self.name, v * (g / self.norm(v)))

    def take_off(self, module):
        self(module, ())
        return [f"{self.name}_g", f"{self.name}_v"]


class SpectralNorm:
    """weight = W / σ, with σ the largest singular value of W, by power iteration (Miyato et al., 2018)."""

    def __init__(self, name, n_power_iterations, dim, eps):
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def matrix(self, weight):
        """The weight with one row for each slice along `dim`."""
        return weight.movedim(self.dim, 0).flatten(1)

    def put_on(self, module):
        weight = module._parameters[self.name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{self.name}` is None")
        height, width = self.matrix(weight).shape
        u, v = [self.unit(weight.new_empty(size).normal_(0, 1)) for size in (height, width)]
        delattr(module, self.name)
        module.register_parameter(f"{self.name}_orig", weight)
        setattr(module, self.name, weight.detach())
        module.register_buffer(f"{self.name}_u", u)
        module.register_buffer(f"{self.name}_v", v)

    def unit(self, x):
        return F.normalize(x, dim=0, eps=self.eps)

    def __call__(self, module, inputs):
        weight, u, v = [getattr(module, f"{self.name}{end}") for end in ("_orig", "_u", "_v")]
        fixed = self.matrix(weight.detach())
        for _ in range(self.n_power_iterations if module.training else 0):
            v.copy_(self.unit(mv(fixed.t(), u)))
            u.copy_(self.unit(mv(fixed, v)))
        sigma = dot(u.clone(), mv(self.matrix(weight), v.clone()))
        setattr(module, self.name, weight / sigma)

    def take_off(self, module):
        training, module.training = module.training, False  # no further iteration
        self(module, ())
        module.training = training
        return [f"{self.name}_u", f"{self.name}_v", f"{self.name}_orig"]


def put_on(module, norm, what):
    """Give a module a norm, once; RuntimeError for a second of its kind on the same parameter."""
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, type(norm)) and hook.name == norm.name:
            raise RuntimeError(f"Cannot register two {what} hooks on the same parameter {norm.name}")
    norm.put_on(module)
    module.register_forward_pre_hook(norm)
    return module


def take_off(module, kind, name, what):
    """Make the module's weight a plain parameter again."""
    for key, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, kind) and hook.name == name:
            parts = hook.take_off(module)
            weight = getattr(module, name).detach()
            for part in (name, *parts):
                delattr(module, part)
            module.register_parameter(name, Parameter(weight))
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"{what} of '{name}' not found in {module}")


def weight_norm(module, name="weight", dim=0):
    """Learn a parameter's length and direction separately, along `dim`, or with None as a whole."""
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    return put_on(module, WeightNorm(name, dim), "weight_norm")


def remove_weight_norm(module, name="weight"):
    """Undo `weight_norm`."""
    return take_off(module, WeightNorm, name, "weight_norm")


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a parameter by its largest singular value; the rows of the matrix are its slices along `dim`."""
    if dim is None:
        dim = int("ConvTranspose" in type(module).__name__)
    return put_on(module, SpectralNorm(name, n_power_iterations, dim, eps), "spectral_norm")


def remove_spectral_norm(module, name="weight"):
    """Undo `spectral_norm`."""
    return take_off(module, SpectralNorm, name, "spectral_norm")
