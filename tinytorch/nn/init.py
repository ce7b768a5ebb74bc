"""First values of parameters, as in torch.nn.init."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(
    __name__,
    {
        "tinytorch.given.layers.initialization": "_calculate_fan_in_and_fan_out=fans _calculate_correct_fan=fan"
    },
)
