"""Weights that are computed from their norm, as in torch.nn.utils.parametrizations."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(
    __name__, {"tinytorch.given.layers.norm_parametrizations": "weight_norm spectral_norm"}
)
