# Written by `make types`, from course.yaml and the reference.
from tinytorch.nn.modules import *
from tinytorch.nn.modules import _BatchNorm as _BatchNorm
from tinytorch.nn.modules import _ConvNd as _ConvNd
from tinytorch.nn.modules import _ConvTransposeNd as _ConvTransposeNd
from tinytorch.nn.modules import _IncompatibleKeys as _IncompatibleKeys
from tinytorch.nn.modules import _Loss as _Loss
from tinytorch.nn.modules import _NormBase as _NormBase
from tinytorch.nn.modules import _WeightedLoss as _WeightedLoss
