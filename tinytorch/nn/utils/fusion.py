"""A batch normalisation that becomes part of the layer before it, as in torch.nn.utils.fusion."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(
    __name__,
    {
        "tinytorch.given.conv.fusion": "fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval "
        "fuse_linear_bn_weights"
    },
)
