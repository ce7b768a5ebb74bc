"""Layers and losses, in the place where PyTorch's files are: what torch.nn has, as in torch.nn.modules.

Some of PyTorch's bases, which programs ask for by isinstance, have another name here.
"""

from tinytorch._lookup import face

BASES = {
    "tinytorch.given.layers.loading": "_IncompatibleKeys=IncompatibleKeys",
    "tinytorch.losses": "_Loss=Loss _WeightedLoss=WeightedLoss",
    "tinytorch.given.conv.convolutions": "_ConvNd=ConvNd",
    "tinytorch.given.conv.transposed": "_ConvTransposeNd=ConvTransposeNd",
    "tinytorch.given.conv.normalization": "_BatchNorm=BatchNormNd _NormBase=NormNd",
}
__getattr__, __dir__ = face(__name__, BASES, repeats="tinytorch.nn")
