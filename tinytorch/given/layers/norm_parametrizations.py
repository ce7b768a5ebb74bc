"""Weights that are computed from their norm and their direction, or from their largest singular value.

Parametrizations, as in torch.nn.utils.parametrizations: what is trained stands in `module.parametrizations`.
"""

import tinytorch.activations as F
from tinytorch.given.layers.parametrization import register_parametrization
from tinytorch.layers import Module
from tinytorch.tensor import Tensor, dot, mv

__all__ = []  # imported when it is asked for: tinytorch.nn.utils.parametrizations


class _WeightNorm(Module):
    """weight = g v / ‖v‖."""

    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def norm(self, v):
        """The length of each slice along `dim`; of all of it where `dim` is -1."""
        return v.norm() if self.dim == -1 else v.norm(2, [d for d in range(v.ndim) if d != self.dim], True)

    def forward(self, weight_g, weight_v):
        return weight_v * (weight_g / self.norm(weight_v))

    def right_inverse(self, weight):
        return self.norm(weight), weight


def weight_norm(module, name="weight", dim=0):
    """Learn the length of a weight apart from its direction, weight = g v / ‖v‖ (Salimans and Kingma, 2016).

    Args:
        module: the module that has it, which is returned.
        name: the weight's name. g is `parametrizations.weight.original0`, v is `original1`.
        dim: the dimension along which each slice has a length of its own; None for one length.

    >>> layer = weight_norm(Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape
    torch.Size([2, 1])
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def renamed(state_dict, prefix, *_):  # of what the hook `nn.utils.weight_norm` has saved
        if f"{prefix}{name}_g" in state_dict and f"{prefix}{name}_v" in state_dict:
            for number, part in enumerate("gv"):
                place = f"{prefix}parametrizations.{name}.original{number}"
                state_dict[place] = state_dict.pop(f"{prefix}{name}_{part}")

    module._register_load_state_dict_pre_hook(renamed)
    return module


class _SpectralNorm(Module):
    """weight = W / σ, with σ the largest singular value of W, by power iteration."""

    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        if not -weight.ndim <= dim < weight.ndim:
            raise IndexError(
                "Dimension out of range (expected to be in range of "
                f"[-{weight.ndim}, {weight.ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps, self.n_power_iterations = dim % weight.ndim, eps, n_power_iterations
        if weight.ndim > 1:
            matrix = self.matrix(weight)
            u, v = [matrix.new_empty(length).normal_(0, 1) for length in matrix.shape]
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self.iterate(matrix, 15)

    def matrix(self, weight):
        """The weight as a matrix, with `dim` for its rows."""
        return weight.movedim(self.dim, 0).flatten(1)

    def iterate(self, matrix, count):
        """Bring u and v nearer to the singular vectors of the largest singular value."""
        matrix = matrix.detach()
        for _ in range(count):
            self._u.copy_(F.normalize(mv(matrix, self._v), dim=0, eps=self.eps))
            self._v.copy_(F.normalize(mv(matrix.mT, self._u), dim=0, eps=self.eps))

    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self.matrix(weight)
        if self.training:
            self.iterate(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # the next forward changes them
        return weight / dot(u, mv(matrix, v))

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a weight by its largest singular value, as power iteration finds it (Miyato et al., 2018).

    Args:
        module: the module that has it, which is returned.
        name: the weight's name.
        n_power_iterations: how many steps each forward takes while training.
        eps: the least length that vectors are divided by.
        dim: the dimension that is the matrix's rows: 0, and 1 for a transposed convolution.

    Raises:
        ValueError: unless the module has such a weight, and n_power_iterations is positive.

    >>> layer = spectral_norm(Linear(3, 2))
    >>> bool(torch.linalg.matrix_norm(layer.weight, 2) < 1.01)
    True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = int(type(module).__name__.startswith("ConvTranspose"))
    register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module
