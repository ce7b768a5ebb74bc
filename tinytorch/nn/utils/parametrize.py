"""Parameters that are computed from others, as in torch.nn.utils.parametrize."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(
    __name__,
    {
        "tinytorch.given.layers.parametrization": "register_parametrization remove_parametrizations is_parametrized "
        "type_before_parametrizations cached ParametrizationList"
    },
)
