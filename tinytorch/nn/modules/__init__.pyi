# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.nn.modules import activation as activation
from tinytorch.nn.modules import batchnorm as batchnorm
from tinytorch.nn.modules import channelshuffle as channelshuffle
from tinytorch.nn.modules import container as container
from tinytorch.nn.modules import conv as conv
from tinytorch.nn.modules import distance as distance
from tinytorch.nn.modules import dropout as dropout
from tinytorch.nn.modules import flatten as flatten
from tinytorch.nn.modules import fold as fold
from tinytorch.nn.modules import instancenorm as instancenorm
from tinytorch.nn.modules import linear as linear
from tinytorch.nn.modules import loss as loss
from tinytorch.nn.modules import module as module
from tinytorch.nn.modules import normalization as normalization
from tinytorch.nn.modules import padding as padding
from tinytorch.nn.modules import pixelshuffle as pixelshuffle
from tinytorch.nn.modules import pooling as pooling
from tinytorch.nn.modules import rnn as rnn
from tinytorch.nn.modules import sparse as sparse
from tinytorch.nn.modules import transformer as transformer
from tinytorch.nn.modules import upsampling as upsampling
from tinytorch.nn.modules import utils as utils
from tinytorch._typed import Module as Module
from tinytorch.nn import Bilinear as Bilinear
from tinytorch.nn import Buffer as Buffer
from tinytorch.nn import ChannelShuffle as ChannelShuffle
from tinytorch.nn import CosineSimilarity as CosineSimilarity
from tinytorch.nn import DataParallel as DataParallel
from tinytorch.nn import Dropout as Dropout
from tinytorch.nn import Embedding as Embedding
from tinytorch.nn import EmbeddingBag as EmbeddingBag
from tinytorch.nn import Flatten as Flatten
from tinytorch.nn import Fold as Fold
from tinytorch.nn import GELU as GELU
from tinytorch.nn import GLU as GLU
from tinytorch.nn import GroupNorm as GroupNorm
from tinytorch.nn import Identity as Identity
from tinytorch.nn import LeakyReLU as LeakyReLU
from tinytorch.nn import Linear as Linear
from tinytorch.nn import LocalResponseNorm as LocalResponseNorm
from tinytorch.nn import LogSigmoid as LogSigmoid
from tinytorch.nn import LogSoftmax as LogSoftmax
from tinytorch.nn import ModuleDict as ModuleDict
from tinytorch.nn import MultiheadAttention as MultiheadAttention
from tinytorch.nn import PReLU as PReLU
from tinytorch.nn import PairwiseDistance as PairwiseDistance
from tinytorch._typed import Parameter as Parameter
from tinytorch.nn import ParameterDict as ParameterDict
from tinytorch.nn import ParameterList as ParameterList
from tinytorch.nn import PixelShuffle as PixelShuffle
from tinytorch.nn import PixelUnshuffle as PixelUnshuffle
from tinytorch.nn import ReLU as ReLU
from tinytorch.nn import SiLU as SiLU
from tinytorch.nn import Sigmoid as Sigmoid
from tinytorch.nn import Softmax as Softmax
from tinytorch.nn import Softmax2d as Softmax2d
from tinytorch.nn import Softmin as Softmin
from tinytorch.nn import Softplus as Softplus
from tinytorch.nn import Softshrink as Softshrink
from tinytorch.nn import Softsign as Softsign
from tinytorch.nn import Tanh as Tanh
from tinytorch.nn import Tanhshrink as Tanhshrink
from tinytorch.nn import Transformer as Transformer
from tinytorch.nn import TransformerDecoder as TransformerDecoder
from tinytorch.nn import TransformerDecoderLayer as TransformerDecoderLayer
from tinytorch.nn import TransformerEncoder as TransformerEncoder
from tinytorch.nn import TransformerEncoderLayer as TransformerEncoderLayer
from tinytorch.nn import Unflatten as Unflatten
from tinytorch.nn import Unfold as Unfold
from tinytorch.nn import Upsample as Upsample
from tinytorch._typed import Module as _Module
from tinytorch.nn import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from tinytorch.nn import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from tinytorch.nn import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from tinytorch.nn import AlphaDropout as AlphaDropout
from tinytorch.nn import AvgPool1d as AvgPool1d
from tinytorch.nn import AvgPool2d as AvgPool2d
from tinytorch.nn import AvgPool3d as AvgPool3d
from tinytorch.nn import CELU as CELU
from tinytorch.nn import CTCLoss as CTCLoss
from tinytorch.nn import Conv1d as Conv1d
from tinytorch.nn import Conv2d as Conv2d
from tinytorch.nn import Conv3d as Conv3d
from tinytorch.nn import ConvTranspose3d as ConvTranspose3d
from tinytorch.nn import CosineEmbeddingLoss as CosineEmbeddingLoss
from tinytorch.nn import CrossMapLRN2d as CrossMapLRN2d
from tinytorch.nn import Dropout1d as Dropout1d
from tinytorch.nn import Dropout2d as Dropout2d
from tinytorch.nn import Dropout3d as Dropout3d
from tinytorch.nn import ELU as ELU
from tinytorch.nn import FeatureAlphaDropout as FeatureAlphaDropout
from tinytorch.nn import FractionalMaxPool2d as FractionalMaxPool2d
from tinytorch.nn import FractionalMaxPool3d as FractionalMaxPool3d
from tinytorch.nn import GaussianNLLLoss as GaussianNLLLoss
from tinytorch.nn import Hardshrink as Hardshrink
from tinytorch.nn import Hardsigmoid as Hardsigmoid
from tinytorch.nn import Hardswish as Hardswish
from tinytorch.nn import Hardtanh as Hardtanh
from tinytorch.nn import HingeEmbeddingLoss as HingeEmbeddingLoss
from tinytorch.nn import HuberLoss as HuberLoss
from tinytorch.nn import KLDivLoss as KLDivLoss
from tinytorch.nn import L1Loss as L1Loss
from tinytorch.nn import LPPool1d as LPPool1d
from tinytorch.nn import LPPool2d as LPPool2d
from tinytorch.nn import LPPool3d as LPPool3d
from tinytorch.nn import LayerNorm as LayerNorm
from tinytorch.nn import LazyConv3d as LazyConv3d
from tinytorch.nn import LazyConvTranspose3d as LazyConvTranspose3d
from tinytorch.nn import MSELoss as MSELoss
from tinytorch.nn import MarginRankingLoss as MarginRankingLoss
from tinytorch.nn import MaxPool1d as MaxPool1d
from tinytorch.nn import MaxPool2d as MaxPool2d
from tinytorch.nn import MaxPool3d as MaxPool3d
from tinytorch.nn import MaxUnpool1d as MaxUnpool1d
from tinytorch.nn import MaxUnpool2d as MaxUnpool2d
from tinytorch.nn import MaxUnpool3d as MaxUnpool3d
from tinytorch.nn import Mish as Mish
from tinytorch.nn import ModuleList as ModuleList
from tinytorch.nn import MultiLabelMarginLoss as MultiLabelMarginLoss
from tinytorch.nn import PoissonNLLLoss as PoissonNLLLoss
from tinytorch.nn import RMSNorm as RMSNorm
from tinytorch.nn import RNNBase as RNNBase
from tinytorch.nn import RNNCellBase as RNNCellBase
from tinytorch.nn import RReLU as RReLU
from tinytorch.nn import ReflectionPad1d as ReflectionPad1d
from tinytorch.nn import ReflectionPad2d as ReflectionPad2d
from tinytorch.nn import ReflectionPad3d as ReflectionPad3d
from tinytorch.nn import ReplicationPad1d as ReplicationPad1d
from tinytorch.nn import ReplicationPad2d as ReplicationPad2d
from tinytorch.nn import ReplicationPad3d as ReplicationPad3d
from tinytorch.nn import SELU as SELU
from tinytorch.nn import SmoothL1Loss as SmoothL1Loss
from tinytorch.nn import SoftMarginLoss as SoftMarginLoss
from tinytorch.nn import SyncBatchNorm as SyncBatchNorm
from tinytorch.nn import Threshold as Threshold
from tinytorch.nn import TripletMarginLoss as TripletMarginLoss
from tinytorch.nn import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from tinytorch.nn import UninitializedBuffer as UninitializedBuffer
from tinytorch.nn import UpsamplingBilinear2d as UpsamplingBilinear2d
from tinytorch.nn import UpsamplingNearest2d as UpsamplingNearest2d
from tinytorch.nn import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from tinytorch.nn import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from tinytorch.nn import AdaptiveMaxPool3d as AdaptiveMaxPool3d
from tinytorch.nn import BCELoss as BCELoss
from tinytorch.nn import BCEWithLogitsLoss as BCEWithLogitsLoss
from tinytorch.nn import BatchNorm1d as BatchNorm1d
from tinytorch.nn import BatchNorm2d as BatchNorm2d
from tinytorch.nn import BatchNorm3d as BatchNorm3d
from tinytorch.nn import CircularPad1d as CircularPad1d
from tinytorch.nn import CircularPad2d as CircularPad2d
from tinytorch.nn import CircularPad3d as CircularPad3d
from tinytorch.nn import ConstantPad1d as ConstantPad1d
from tinytorch.nn import ConstantPad2d as ConstantPad2d
from tinytorch.nn import ConstantPad3d as ConstantPad3d
from tinytorch.nn import ConvTranspose1d as ConvTranspose1d
from tinytorch.nn import ConvTranspose2d as ConvTranspose2d
from tinytorch.nn import CrossEntropyLoss as CrossEntropyLoss
from tinytorch.nn import GRU as GRU
from tinytorch.nn import GRUCell as GRUCell
from tinytorch.nn import InstanceNorm1d as InstanceNorm1d
from tinytorch.nn import InstanceNorm2d as InstanceNorm2d
from tinytorch.nn import InstanceNorm3d as InstanceNorm3d
from tinytorch.nn import LSTM as LSTM
from tinytorch.nn import LSTMCell as LSTMCell
from tinytorch.nn import LazyLinear as LazyLinear
from tinytorch.nn import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from tinytorch.nn import MultiMarginLoss as MultiMarginLoss
from tinytorch.nn import NLLLoss as NLLLoss
from tinytorch.nn import RNN as RNN
from tinytorch.nn import RNNCell as RNNCell
from tinytorch.nn import ReLU6 as ReLU6
from tinytorch.nn import Sequential as Sequential
from tinytorch.nn import UninitializedParameter as UninitializedParameter
from tinytorch.nn import ZeroPad1d as ZeroPad1d
from tinytorch.nn import ZeroPad2d as ZeroPad2d
from tinytorch.nn import ZeroPad3d as ZeroPad3d
from tinytorch.nn import LazyBatchNorm1d as LazyBatchNorm1d
from tinytorch.nn import LazyBatchNorm2d as LazyBatchNorm2d
from tinytorch.nn import LazyBatchNorm3d as LazyBatchNorm3d
from tinytorch.nn import LazyConv1d as LazyConv1d
from tinytorch.nn import LazyConv2d as LazyConv2d
from tinytorch.nn import LazyInstanceNorm1d as LazyInstanceNorm1d
from tinytorch.nn import LazyInstanceNorm2d as LazyInstanceNorm2d
from tinytorch.nn import LazyInstanceNorm3d as LazyInstanceNorm3d
from tinytorch.nn import LazyConvTranspose1d as LazyConvTranspose1d
from tinytorch.nn import LazyConvTranspose2d as LazyConvTranspose2d
class _ConvNd(_Module):
    """What the layers of convolution share: filters, a bias, and how they move; see `Conv2d`."""
    bias: Any
    dilation: Any
    groups: Any
    in_channels: Any
    kernel_size: Any
    out_channels: Any
    output_padding: Any
    padding: Any
    padding_mode: Any
    stride: Any
    weight: Any
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device: Device, dtype: _dtype, output_padding=0) -> None: ...
    def extra_repr(self): ...
    forward: Any
    def reset_parameters(self):
        """Draw the weight again, then the bias, evenly from ±1/√fan_in."""
    transposed: _bool
class _Loss(_Module):
    reduction: Any
    def __init__(self, size_average=None, reduce=None, reduction: str = 'mean') -> None: ...
class _NormBase(_Module):
    """What the layers that normalise channels share: weight, bias, and running statistics."""
    affine: Any
    eps: Any
    momentum: Any
    num_features: Any
    track_running_stats: Any
    def __init__(self, num_features, eps, momentum, affine, track_running_stats, device: Device, dtype: _dtype, bias) -> None: ...
    def extra_repr(self): ...
    def reset_parameters(self):
        """Forget the batches that were seen, and scale by one again."""
    def reset_running_stats(self):
        """Forget the batches that were seen."""
class _BatchNorm(_NormBase):
    """What the layers of batch normalisation share (Ioffe and Szegedy, 2015); see `BatchNorm2d`."""
    def __init__(self, num_features, eps: _float = 1e-05, momentum=0.1, affine: _bool = True, track_running_stats: _bool = True, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    forward: Any
class _ConvTransposeNd(_ConvNd):
    """What the layers of transposed convolution share; see `ConvTranspose2d`."""
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias: _bool = True, dilation=1, padding_mode: str = 'zeros', device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    forward: Any
    transposed: _bool
class _IncompatibleKeys(builtins.tuple):
    """The names that were missing in `load_state_dict`, and those that were unexpected."""
    def __init__(self, *args, **kwargs) -> None: ...
    def __getnewargs__(self):
        """Return self as a plain tuple.  Used by copy and pickle."""
    missing_keys: Any
    unexpected_keys: Any
class _WeightedLoss(_Loss):
    """A loss with weights, which are a buffer: they move and are saved with the module."""
    def __init__(self, weight=None, size_average=None, reduce=None, reduction: str = 'mean') -> None: ...
BASES: Any
