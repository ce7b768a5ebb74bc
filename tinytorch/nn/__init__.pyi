# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.nn import attention as attention
from tinytorch.nn import functional as functional
from tinytorch.nn import init as init
from tinytorch.nn import modules as modules
from tinytorch.nn import parallel as parallel
from tinytorch.nn import parameter as parameter
from tinytorch.nn import utils as utils
from tinytorch._typed import Module as Module
from tinytorch._typed import Module as _Module
from tinytorch._typed import Tensor as _Tensor
from tinytorch._typed import Parameter as Parameter
from tinytorch._typed import Parameter as _Parameter
class Bilinear(_Module):
    """y_o = x1ᵀ A_o x2 + b_o: weight (out, in1, in2) and bias (out,), drawn evenly from ±1/√in1."""
    bias: Any
    in1_features: Any
    in2_features: Any
    out_features: Any
    weight: Any
    def __init__(self, in1_features, in2_features, out_features, bias: _bool = True, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    def extra_repr(self): ...
    forward: Any
    def reset_parameters(self):
        """Draw weight and bias again, evenly from ±1/√in1."""
class Buffer(_Tensor):
    """A tensor that is state, but not trained; `persistent` says whether it is saved."""
    def __init__(self, *args, **kwargs) -> None: ...
    persistent: _bool
class ChannelShuffle(_Module):
    """Channels dealt out anew (Zhang et al., 2018); see `channel_shuffle`."""
    groups: Any
    def __init__(self, groups) -> None: ...
    def extra_repr(self): ...
    forward: Any
class CosineSimilarity(_Module):
    """x1 · x2 / (‖x1‖ ‖x2‖), along `dim`."""
    dim: Any
    eps: Any
    def __init__(self, dim=1, eps: _float = 1e-08) -> None: ...
    forward: Any
class DataParallel(_Module):
    device_ids: Any
    module: Any
    def __init__(self, module, device_ids=None, output_device=None, dim=0) -> None: ...
    forward: Any
class Dropout(_Module):
    """Zero each element with probability `p` while training, and do nothing otherwise."""
    inplace: Any
    p: Any
    def __init__(self, p=0.5, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class Embedding(_Module):
    """A table of one vector for each of `num_embeddings` symbols, learned from random ones."""
    embedding_dim: Any
    max_norm: Any
    norm_type: Any
    num_embeddings: Any
    padding_idx: Any
    scale_grad_by_freq: Any
    sparse: Any
    weight: Any
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type: _float = 2.0, scale_grad_by_freq: _bool = False, sparse: _bool = False, _weight=None, _freeze: _bool = False, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    def extra_repr(self): ...
    forward: Any
    @classmethod
    def from_pretrained(cls, embeddings, freeze: _bool = True, padding_idx=None, max_norm=None, norm_type: _float = 2.0, scale_grad_by_freq: _bool = False, sparse: _bool = False):
        """An Embedding over a table (V, D) that exists already; `freeze` keeps it as it is."""
    def reset_parameters(self):
        """Draw every vector from the standard normal distribution; padding's is zero."""
class EmbeddingBag(_Module):
    embedding_dim: Any
    include_last_offset: Any
    max_norm: Any
    mode: Any
    norm_type: Any
    num_embeddings: Any
    padding_idx: Any
    scale_grad_by_freq: Any
    sparse: Any
    weight: Any
    def __init__(self, num_embeddings, embedding_dim, max_norm=None, norm_type: _float = 2.0, scale_grad_by_freq: _bool = False, mode: str = 'mean', sparse: _bool = False, _weight=None, include_last_offset: _bool = False, padding_idx=None, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    def extra_repr(self): ...
    forward: Any
    @classmethod
    def from_pretrained(cls, embeddings, freeze: _bool = True, max_norm=None, norm_type: _float = 2.0, scale_grad_by_freq: _bool = False, mode: str = 'mean', sparse: _bool = False, include_last_offset: _bool = False, padding_idx=None):
        """Make an EmbeddingBag over a table (V, D) that exists already; `freeze` keeps it as it is."""
    def reset_parameters(self):
        """Draw every vector from the standard normal distribution; that of padding_idx is zero."""
class Flatten(_Module):
    end_dim: Any
    start_dim: Any
    def __init__(self, start_dim=1, end_dim=-1) -> None: ...
    def extra_repr(self): ...
    forward: Any
class Fold(_Module):
    """Columns added back to where a window sees them; see `fold`."""
    dilation: Any
    kernel_size: Any
    output_size: Any
    padding: Any
    stride: Any
    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1) -> None: ...
    def extra_repr(self): ...
    forward: Any
class GELU(_Module):
    approximate: Any
    def __init__(self, approximate: str = 'none') -> None: ...
    def extra_repr(self): ...
    forward: Any
class GLU(_Module):
    """The first half along `dim`, times the sigmoid of the second half."""
    dim: Any
    def __init__(self, dim=-1) -> None: ...
    def extra_repr(self): ...
    forward: Any
class GroupNorm(_Module):
    """Normalisation of groups of channels, in each image by itself; see `group_norm`."""
    affine: Any
    eps: Any
    num_channels: Any
    num_groups: Any
    def __init__(self, num_groups, num_channels, eps: _float = 1e-05, affine: _bool = True, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    def extra_repr(self): ...
    forward: Any
    def reset_parameters(self):
        """Scale by one again, and shift by nothing."""
class Identity(_Module):
    def __init__(self, *args, **kwargs) -> None: ...
    forward: Any
class LeakyReLU(_Module):
    """x where it is positive, `negative_slope` x elsewhere."""
    inplace: Any
    negative_slope: Any
    def __init__(self, negative_slope: _float = 0.01, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class Linear(_Module):
    """The layer y = x Wᵀ + b."""
    bias: Any
    in_features: Any
    out_features: Any
    weight: Any
    def __init__(self, in_features, out_features, bias: _bool = True, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    def extra_repr(self): ...
    forward: Any
    def reset_parameters(self):
        """Draw the parameters anew: the weight, then the bias."""
class LocalResponseNorm(_Module):
    alpha: Any
    beta: Any
    k: Any
    size: Any
    def __init__(self, size, alpha: _float = 0.0001, beta: _float = 0.75, k: _float = 1.0) -> None: ...
    def extra_repr(self): ...
    forward: Any
class LogSigmoid(_Module):
    """log(sigmoid(x))."""
    def __init__(self, *args, **kwargs) -> None: ...
    forward: Any
class LogSoftmax(_Module):
    """The logarithms of probabilities along `dim`: x - log(the sum of exp(x))."""
    dim: Any
    def __init__(self, dim=None) -> None: ...
    def extra_repr(self): ...
    forward: Any
class ModuleDict(_Module):
    """Modules in a dictionary: registered as children, and called by whoever holds them."""
    def __contains__(self, key): ...
    def __delitem__(self, key): ...
    def __getitem__(self, key): ...
    def __init__(self, modules=None) -> None: ...
    def __iter__(self): ...
    def __len__(self) -> _int: ...
    def __setitem__(self, key, module): ...
    def clear(self):
        """Take all modules out."""
    def items(self):
        """Return pairs of name and module, in the order in which they were added."""
    def keys(self):
        """Return the names, in the order in which they were added."""
    def pop(self, key):
        """Take a module out, and return it."""
    def update(self, modules):
        """Add the modules of a mapping, or of an iterable of pairs (name, module)."""
    def values(self):
        """Return the modules, in the order in which they were added."""
class MultiheadAttention(_Module):
    """Project queries, keys and values, attend with several heads, project the result."""
    add_zero_attn: Any
    batch_first: Any
    dropout: Any
    embed_dim: Any
    head_dim: Any
    kdim: Any
    num_heads: Any
    out_proj: Any
    vdim: Any
    def __init__(self, embed_dim, num_heads, dropout: _float = 0.0, bias: _bool = True, add_bias_kv: _bool = False, add_zero_attn: _bool = False, kdim=None, vdim=None, batch_first: _bool = False, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    forward: Any
class PReLU(_Module):
    """x where it is positive, and elsewhere times a learned weight, one or one for each channel."""
    init: Any
    num_parameters: Any
    weight: Any
    def __init__(self, num_parameters=1, init: _float = 0.25, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    def extra_repr(self): ...
    forward: Any
class PairwiseDistance(_Module):
    """‖x1 - x2 + eps‖, the `p`-norm along the last dimension."""
    eps: Any
    keepdim: Any
    norm: Any
    def __init__(self, p=2.0, eps: _float = 1e-06, keepdim: _bool = False) -> None: ...
    forward: Any
class ParameterDict(_Module):
    def __call__(self, input): ...
    def __contains__(self, key): ...
    def __delitem__(self, key): ...
    def __getitem__(self, key): ...
    def __init__(self, parameters=None) -> None: ...
    def __ior__(self, other): ...
    def __iter__(self): ...
    def __len__(self) -> _int: ...
    def __or__(self, other): ...
    def __reversed__(self): ...
    def __ror__(self, other): ...
    def __setitem__(self, key, value): ...
    def clear(self):
        """Take everything out."""
    def copy(self):
        """Return a dictionary of the same parameters."""
    def fromkeys(self, keys, default=None):
        """Return a dictionary with these keys and one value."""
    def get(self, key, default=None):
        """Return the value under a key, or the default."""
    def items(self):
        """Return pairs of key and value, in the order in which they were added."""
    def keys(self):
        """Return the keys, in the order in which they were added."""
    def pop(self, key):
        """Take a value out, and return it."""
    def popitem(self):
        """Take the last key and value out, and return them."""
    def setdefault(self, key, default=None):
        """Return the value under a key, which is put there if there is none."""
    def update(self, parameters): ...
    def values(self):
        """Return the values, in the order in which they were added."""
class ParameterList(_Module):
    def __call__(self, *args, **kwargs): ...
    def __getitem__(self, idx): ...
    def __iadd__(self, parameters): ...
    def __init__(self, values=None) -> None: ...
    def __iter__(self): ...
    def __len__(self) -> _int: ...
    def __setitem__(self, idx, param): ...
    def append(self, value):
        """Add a value at the end, and return the list."""
    def extend(self, values):
        """Add several values at the end, and return the list."""
class PixelShuffle(_Module):
    """Channels spread over larger images (Shi et al., 2016); see `pixel_shuffle`."""
    upscale_factor: Any
    def __init__(self, upscale_factor) -> None: ...
    def extra_repr(self): ...
    forward: Any
class PixelUnshuffle(_Module):
    """Pixels stacked as channels of smaller images; see `pixel_unshuffle`."""
    downscale_factor: Any
    def __init__(self, downscale_factor) -> None: ...
    def extra_repr(self): ...
    forward: Any
class ReLU(_Module):
    """max(x, 0)."""
    inplace: Any
    def __init__(self, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class SiLU(_Module):
    """x sigmoid(x)."""
    inplace: Any
    def __init__(self, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class Sigmoid(_Module):
    """1 / (1 + exp(-x))."""
    def __init__(self, *args, **kwargs) -> None: ...
    forward: Any
class Softmax(_Module):
    """Probabilities along `dim`: exp(x) over the sum of exp(x)."""
    dim: Any
    def __init__(self, dim=None) -> None: ...
    def extra_repr(self): ...
    forward: Any
class Softmax2d(_Module):
    """Probabilities of the channels of images (C, H, W) or (N, C, H, W), at each place."""
    def __init__(self, *args, **kwargs) -> None: ...
    forward: Any
class Softmin(_Module):
    """Probabilities along `dim`, the largest for the smallest score: softmax of -x."""
    dim: Any
    def __init__(self, dim=None) -> None: ...
    def extra_repr(self): ...
    forward: Any
class Softplus(_Module):
    beta: Any
    threshold: Any
    def __init__(self, beta: _float = 1.0, threshold: _float = 20.0) -> None: ...
    def extra_repr(self): ...
    forward: Any
class Softshrink(_Module):
    """x brought closer to 0 by `lambd`, and 0 where that would go beyond."""
    lambd: Any
    def __init__(self, lambd: _float = 0.5) -> None: ...
    def extra_repr(self): ...
    forward: Any
class Softsign(_Module):
    """x / (1 + |x|)."""
    def __init__(self, *args, **kwargs) -> None: ...
    forward: Any
class Tanh(_Module):
    """The hyperbolic tangent, (exp(x) - exp(-x)) / (exp(x) + exp(-x))."""
    def __init__(self, *args, **kwargs) -> None: ...
    forward: Any
class Tanhshrink(_Module):
    """x - tanh(x)."""
    def __init__(self, *args, **kwargs) -> None: ...
    forward: Any
class Transformer(_Module):
    batch_first: Any
    d_model: Any
    decoder: Any
    encoder: Any
    nhead: Any
    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout: _float = 0.1, activation=..., custom_encoder=None, custom_decoder=None, layer_norm_eps: _float = 1e-05, batch_first: _bool = False, norm_first: _bool = False, bias: _bool = True, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    forward: Any
    @staticmethod
    def generate_square_subsequent_mask(sz, device: Device | None = None, dtype: _dtype | None = None):
        """Return the causal mask (sz, sz) that is added: 0 up to the diagonal, -inf above it."""
class TransformerDecoder(_Module):
    layers: Any
    norm: Any
    num_layers: Any
    def __init__(self, decoder_layer, num_layers, norm=None) -> None: ...
    forward: Any
class TransformerDecoderLayer(_Module):
    activation: Any
    dropout: Any
    dropout1: Any
    dropout2: Any
    dropout3: Any
    linear1: Any
    linear2: Any
    multihead_attn: Any
    norm1: Any
    norm2: Any
    norm3: Any
    norm_first: Any
    self_attn: Any
    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout: _float = 0.1, activation=..., layer_norm_eps: _float = 1e-05, batch_first: _bool = False, norm_first: _bool = False, bias: _bool = True, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    forward: Any
class TransformerEncoder(_Module):
    layers: Any
    norm: Any
    num_layers: Any
    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor: _bool = True, mask_check: _bool = True) -> None: ...
    forward: Any
class TransformerEncoderLayer(_Module):
    activation: Any
    dropout: Any
    dropout1: Any
    dropout2: Any
    linear1: Any
    linear2: Any
    norm1: Any
    norm2: Any
    norm_first: Any
    self_attn: Any
    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout: _float = 0.1, activation=..., layer_norm_eps: _float = 1e-05, batch_first: _bool = False, norm_first: _bool = False, bias: _bool = True, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    forward: Any
class Unflatten(_Module):
    """Split dimension `dim` into several, of the sizes given."""
    dim: Any
    unflattened_size: Any
    def __init__(self, dim, unflattened_size) -> None: ...
    def extra_repr(self): ...
    forward: Any
class Unfold(_Module):
    """What a window sees at each of its places, as columns; see `unfold`."""
    dilation: Any
    kernel_size: Any
    padding: Any
    stride: Any
    def __init__(self, kernel_size, dilation=1, padding=0, stride=1) -> None: ...
    def extra_repr(self): ...
    forward: Any
class Upsample(_Module):
    """Images, sequences or volumes made larger; see `interpolate`."""
    align_corners: Any
    mode: Any
    name: Any
    recompute_scale_factor: Any
    scale_factor: Any
    size: Any
    def __init__(self, size=None, scale_factor=None, mode: str = 'nearest', align_corners=None, recompute_scale_factor=None) -> None: ...
    def extra_repr(self): ...
    forward: Any
class AdaptiveAvgPool1d(_Module):
    """Means over even pieces of a sequence, as many as asked for; see `adaptive_avg_pool1d`."""
    output_size: Any
    def __init__(self, output_size) -> None: ...
    def extra_repr(self): ...
    forward: Any
class AdaptiveAvgPool2d(_Module):
    """Means over even pieces of an image, as many as asked for; see `adaptive_avg_pool2d`."""
    output_size: Any
    def __init__(self, output_size) -> None: ...
    def extra_repr(self): ...
    forward: Any
class AdaptiveAvgPool3d(_Module):
    """Means over even pieces of a volume, as many as asked for; see `adaptive_avg_pool3d`."""
    output_size: Any
    def __init__(self, output_size) -> None: ...
    def extra_repr(self): ...
    forward: Any
class AlphaDropout(_Module):
    """Dropout for networks of SELU, which keeps mean and variance; see `alpha_dropout`."""
    inplace: Any
    p: Any
    def __init__(self, p=0.5, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class AvgPool1d(_Module):
    """The mean of each window along a sequence; see `avg_pool1d`."""
    ceil_mode: Any
    count_include_pad: Any
    kernel_size: Any
    padding: Any
    stride: Any
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode: _bool = False, count_include_pad: _bool = True) -> None: ...
    def extra_repr(self): ...
    forward: Any
class AvgPool2d(_Module):
    """The mean of each window of an image; see `avg_pool2d`."""
    ceil_mode: Any
    count_include_pad: Any
    divisor_override: Any
    kernel_size: Any
    padding: Any
    stride: Any
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override=None) -> None: ...
    def extra_repr(self): ...
    forward: Any
class AvgPool3d(_Module):
    def __init__(self, *args, bias: _bool = True, **kwargs) -> None: ...
    reason: str
class CELU(_Module):
    """x where it is positive, alpha (exp(x / alpha) - 1) elsewhere."""
    alpha: Any
    inplace: Any
    def __init__(self, alpha: _float = 1.0, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
    shown: Any
class CTCLoss(_Module):
    """Not here; making one is a NotImplementedError, as calling `ctc_loss` is."""
    reduction: Any
    def __init__(self, blank=0, reduction: str = 'mean', zero_infinity: _bool = False) -> None: ...
class Conv1d(_Module):
    """Filters that slide along sequences; see `conv1d` and `Conv2d`."""
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
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias: _bool = True, padding_mode: str = 'zeros', device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    def reset_parameters(self):
        """Draw the weight again, then the bias, evenly from ±1/√fan_in."""
    transposed: _bool
class Conv2d(_Module):
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
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias: _bool = True, padding_mode: str = 'zeros', device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    def reset_parameters(self):
        """Draw the weight again, then the bias, evenly from ±1/√fan_in."""
    transposed: _bool
class Conv3d(_Module):
    def __init__(self, *args, bias: _bool = True, **kwargs) -> None: ...
    reason: str
class ConvTranspose3d(_Module):
    def __init__(self, *args, bias: _bool = True, **kwargs) -> None: ...
    reason: str
class CosineEmbeddingLoss(_Module):
    margin: Any
    reduction: Any
    def __init__(self, margin: _float = 0.0, size_average=None, reduce=None, reduction: str = 'mean') -> None: ...
    forward: Any
class CrossMapLRN2d(_Module):
    """Not here: it is the old name of LocalResponseNorm; making one is a NotImplementedError."""
    def __init__(self, *args, bias: _bool = True, **kwargs) -> None: ...
    reason: str
class Dropout1d(_Module):
    inplace: Any
    p: Any
    def __init__(self, p=0.5, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class Dropout2d(_Module):
    """Zero whole channels of images with probability `p` while training; do nothing otherwise."""
    inplace: Any
    p: Any
    def __init__(self, p=0.5, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class Dropout3d(_Module):
    inplace: Any
    p: Any
    def __init__(self, p=0.5, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class ELU(_Module):
    """x where it is positive, alpha (exp(x) - 1) elsewhere."""
    alpha: Any
    inplace: Any
    def __init__(self, alpha: _float = 1.0, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
    shown: Any
class FeatureAlphaDropout(_Module):
    """Alpha dropout of whole channels; see `feature_alpha_dropout`."""
    inplace: Any
    p: Any
    def __init__(self, p=0.5, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class FractionalMaxPool2d(_Module):
    def __init__(self, *args, bias: _bool = True, **kwargs) -> None: ...
    reason: str
class FractionalMaxPool3d(_Module):
    def __init__(self, *args, bias: _bool = True, **kwargs) -> None: ...
    reason: str
class GaussianNLLLoss(_Module):
    """The mean of (log(var) + (input - target)² / var) / 2, with var at least `eps`."""
    eps: Any
    full: Any
    reduction: Any
    def __init__(self, *, full: _bool = False, eps: _float = 1e-06, reduction: str = 'mean') -> None: ...
    forward: Any
class Hardshrink(Softshrink):
    """0 between -lambd and lambd, x elsewhere."""
    def __init__(self, *args, **kwargs) -> None: ...
    forward: Any
class Hardsigmoid(_Module):
    """relu6(x + 3) / 6."""
    inplace: Any
    def __init__(self, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
    shown: Any
class Hardswish(_Module):
    """x relu6(x + 3) / 6."""
    inplace: Any
    def __init__(self, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
    shown: Any
class Hardtanh(_Module):
    """x, but at least `min_val` and at most `max_val`."""
    inplace: Any
    max_val: Any
    min_val: Any
    def __init__(self, min_val: _float = -1.0, max_val: _float = 1.0, inplace: _bool = False, min_value=None, max_value=None) -> None: ...
    def extra_repr(self): ...
    forward: Any
    shown: Any
class HingeEmbeddingLoss(_Module):
    """The mean of input where target is 1, of max(0, margin - input) where it is -1."""
    margin: Any
    reduction: Any
    def __init__(self, margin: _float = 1.0, size_average=None, reduce=None, reduction: str = 'mean') -> None: ...
    forward: Any
class HuberLoss(_Module):
    delta: Any
    reduction: Any
    def __init__(self, reduction: str = 'mean', delta: _float = 1.0) -> None: ...
    forward: Any
class KLDivLoss(_Module):
    """The mean of target (log(target) - input), the input being log-probabilities; see `kl_div`."""
    log_target: Any
    reduction: Any
    def __init__(self, size_average=None, reduce=None, reduction: str = 'mean', log_target: _bool = False) -> None: ...
    forward: Any
class L1Loss(_Module):
    """The mean of |input - target|; see `l1_loss`."""
    reduction: Any
    def __init__(self, size_average=None, reduce=None, reduction: str = 'mean') -> None: ...
    forward: Any
class LPPool1d(_Module):
    """The norm of each window along a sequence, (Σ xᵖ)^(1/p); see `lp_pool1d`."""
    ceil_mode: Any
    kernel_size: Any
    norm_type: Any
    stride: Any
    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class LPPool2d(_Module):
    """The norm of each window of an image, (Σ xᵖ)^(1/p); see `lp_pool2d`."""
    ceil_mode: Any
    kernel_size: Any
    norm_type: Any
    stride: Any
    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class LPPool3d(_Module):
    def __init__(self, *args, bias: _bool = True, **kwargs) -> None: ...
    reason: str
class LayerNorm(_Module):
    elementwise_affine: Any
    eps: Any
    normalized_shape: Any
    def __init__(self, normalized_shape, eps: _float = 1e-05, elementwise_affine: _bool = True, bias: _bool = True, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    def extra_repr(self): ...
    forward: Any
    def reset_parameters(self):
        """Begin again: a weight of ones, a bias of zeros."""
class LazyConv3d(_Module):
    def __init__(self, *args, bias: _bool = True, **kwargs) -> None: ...
    reason: str
class LazyConvTranspose3d(_Module):
    def __init__(self, *args, bias: _bool = True, **kwargs) -> None: ...
    reason: str
class MSELoss(_Module):
    """The mean of (input - target)²; see `mse_loss`."""
    reduction: Any
    def __init__(self, size_average=None, reduce=None, reduction: str = 'mean') -> None: ...
    forward: Any
class MarginRankingLoss(_Module):
    """The mean of max(0, -target (input1 - input2) + margin)."""
    margin: Any
    reduction: Any
    def __init__(self, margin: _float = 0.0, size_average=None, reduce=None, reduction: str = 'mean') -> None: ...
    forward: Any
class MaxPool1d(_Module):
    """The largest number in each window along a sequence; see `max_pool1d`."""
    ceil_mode: Any
    dilation: Any
    kernel_size: Any
    padding: Any
    return_indices: Any
    stride: Any
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices: _bool = False, ceil_mode: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class MaxPool2d(_Module):
    """The largest number in each window of an image; see `max_pool2d`."""
    ceil_mode: Any
    dilation: Any
    kernel_size: Any
    padding: Any
    return_indices: Any
    stride: Any
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices: _bool = False, ceil_mode: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class MaxPool3d(_Module):
    def __init__(self, *args, bias: _bool = True, **kwargs) -> None: ...
    reason: str
class MaxUnpool1d(_Module):
    """Maxima put back where they were found along a sequence; see `max_unpool1d`."""
    kernel_size: Any
    padding: Any
    stride: Any
    def __init__(self, kernel_size, stride=None, padding=0) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
class MaxUnpool2d(_Module):
    """Maxima put back where they were found in an image; see `max_unpool2d`."""
    kernel_size: Any
    padding: Any
    stride: Any
    def __init__(self, kernel_size, stride=None, padding=0) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
class MaxUnpool3d(_Module):
    def __init__(self, *args, bias: _bool = True, **kwargs) -> None: ...
    reason: str
class Mish(_Module):
    """x tanh(softplus(x))."""
    inplace: Any
    def __init__(self, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
    shown: Any
class ModuleList(_Module):
    """Modules in a list: registered as children, and called by whoever holds them."""
    def __add__(self, other): ...
    def __delitem__(self, index): ...
    def __getitem__(self, index): ...
    def __iadd__(self, modules): ...
    def __init__(self, modules=None) -> None: ...
    def __iter__(self): ...
    def __len__(self) -> _int: ...
    def __setitem__(self, index, module): ...
    def append(self, module):
        """Add a module at the end, and return the container."""
    def extend(self, modules):
        """Add several modules at the end, and return the container."""
    def insert(self, index, module):
        """Put a module before position `index`."""
    def pop(self, key):
        """Take a module out, and return it."""
class MultiLabelMarginLoss(_Module):
    """The mean over samples of Σ max(0, 1 - input[target] + input[i]) / C."""
    reduction: Any
    def __init__(self, size_average=None, reduce=None, reduction: str = 'mean') -> None: ...
    forward: Any
class PoissonNLLLoss(_Module):
    eps: Any
    full: Any
    log_input: Any
    reduction: Any
    def __init__(self, log_input: _bool = True, full: _bool = False, size_average=None, eps: _float = 1e-08, reduce=None, reduction: str = 'mean') -> None: ...
    forward: Any
class RMSNorm(_Module):
    elementwise_affine: Any
    eps: Any
    normalized_shape: Any
    def __init__(self, normalized_shape, eps=None, elementwise_affine: _bool = True, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    def extra_repr(self): ...
    forward: Any
    def reset_parameters(self):
        """Begin again: a weight of ones, a bias of zeros."""
class RNNBase(_Module):
    """Recurrent networks over sequences, `num_layers` high, and in both directions if asked for."""
    batch_first: Any
    bias: Any
    bidirectional: Any
    dropout: Any
    hidden_size: Any
    input_size: Any
    mode: Any
    num_layers: Any
    proj_size: Any
    suffixes: Any
    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias: _bool = True, batch_first: _bool = False, dropout: _float = 0.0, bidirectional: _bool = False, proj_size=0, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    all_weights: Any
    def extra_repr(self): ...
    def flatten_parameters(self):
        """Do nothing: PyTorch lays the weights side by side here, for cuDNN."""
    forward: Any
    def reset_parameters(self):
        """Draw every parameter evenly from ±1/√hidden_size."""
class RNNCellBase(_Module):
    bias: Any
    hidden_size: Any
    input_size: Any
    def __init__(self, input_size, hidden_size, bias, num_chunks, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    def extra_repr(self): ...
    def reset_parameters(self):
        """Draw every parameter evenly from ±1/√hidden_size."""
class RReLU(_Module):
    inplace: Any
    lower: Any
    upper: Any
    def __init__(self, lower: _float = 0.125, upper: _float = 0.3333333333333333, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
    shown: Any
class ReflectionPad1d(_Module):
    """A margin in which sequences are mirrored, without their ends."""
    padding: Any
    def __init__(self, padding) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class ReflectionPad2d(_Module):
    """A margin in which images are mirrored, without their edge."""
    padding: Any
    def __init__(self, padding) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class ReflectionPad3d(_Module):
    """A margin in which the last three dimensions are mirrored, without their edge."""
    padding: Any
    def __init__(self, padding) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class ReplicationPad1d(_Module):
    """A margin that repeats the ends of sequences."""
    padding: Any
    def __init__(self, padding) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class ReplicationPad2d(_Module):
    """A margin that repeats the edge of images."""
    padding: Any
    def __init__(self, padding) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class ReplicationPad3d(_Module):
    """A margin that repeats the edge of the last three dimensions."""
    padding: Any
    def __init__(self, padding) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class SELU(_Module):
    """scale x where x is positive, scale alpha (exp(x) - 1) elsewhere."""
    inplace: Any
    def __init__(self, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
    shown: Any
class SmoothL1Loss(_Module):
    beta: Any
    reduction: Any
    def __init__(self, size_average=None, reduce=None, reduction: str = 'mean', beta: _float = 1.0) -> None: ...
    forward: Any
class SoftMarginLoss(_Module):
    """The mean of log(1 + exp(-target · input)), with targets 1 and -1."""
    reduction: Any
    def __init__(self, size_average=None, reduce=None, reduction: str = 'mean') -> None: ...
    forward: Any
class SyncBatchNorm(_Module):
    def __init__(self, *args, bias: _bool = True, **kwargs) -> None: ...
    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """Refused, as the layer is."""
    reason: str
class Threshold(_Module):
    """x where it is larger than `threshold`, `value` elsewhere."""
    inplace: Any
    threshold: Any
    value: Any
    def __init__(self, threshold, value, inplace: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
    shown: Any
class TripletMarginLoss(_Module):
    eps: Any
    margin: Any
    p: Any
    reduction: Any
    swap: Any
    def __init__(self, margin: _float = 1.0, p=2.0, eps: _float = 1e-06, swap: _bool = False, size_average=None, reduce=None, reduction: str = 'mean') -> None: ...
    forward: Any
class TripletMarginWithDistanceLoss(_Module):
    distance_function: Any
    margin: Any
    reduction: Any
    swap: Any
    def __init__(self, *, distance_function=None, margin: _float = 1.0, swap: _bool = False, reduction: str = 'mean') -> None: ...
    forward: Any
class UninitializedBuffer(_Tensor):
    """A buffer without a shape, until `materialize` gives it one."""
    persistent: Any
    H: Any
    T: Any
    def __abs__(self):
        """Compute |x| of each element, in its type."""
    def __add__(self, other): ...
    def __and__(self, other):
        """Keep the bits that both integers have; of booleans, both of which must hold."""
    def __eq__(self, other): ...
    def __floordiv__(self, other): ...
    def __ge__(self, other):
        """Tell where self ≥ other, a number or a tensor that broadcasts: a tensor of booleans."""
    def __getitem__(self, index): ...
    def __gt__(self, other):
        """Tell where self > other, a number or a tensor that broadcasts: a tensor of booleans."""
    def __iadd__(self, other, *, alpha=1):
        """Put what `add` returns into the memory of the tensor, and return it."""
    def __imul__(self, other):
        """Put what `mul` returns into the memory of the tensor, and return it."""
    def __init__(self, requires_grad: _bool = False, device: Device | None = None, dtype: _dtype | None = None, persistent: _bool = True) -> None: ...
    def __invert__(self): ...
    def __ipow__(self, exponent):
        """Put what `pow` returns into the memory of the tensor, and return it."""
    def __isub__(self, other, *, alpha=1):
        """Put what `sub` returns into the memory of the tensor, and return it."""
    def __itruediv__(self, other, *, rounding_mode=None):
        """Put what `div` returns into the memory of the tensor, and return it."""
    def __le__(self, other):
        """Tell where self ≤ other, a number or a tensor that broadcasts: a tensor of booleans."""
    def __lshift__(self, other): ...
    def __lt__(self, other):
        """Tell where self < other, a number or a tensor that broadcasts: a tensor of booleans."""
    def __matmul__(self, other): ...
    def __mod__(self, other): ...
    def __mul__(self, other):
        """The product; a text or a list is repeated, as by any integer."""
    def __ne__(self, other): ...
    def __neg__(self):
        """Change the sign of each element; RuntimeError for booleans."""
    def __or__(self, other):
        """Keep the bits that either of two integers has; of booleans, one of which must hold."""
    def __pos__(self): ...
    def __pow__(self, other): ...
    def __radd__(self, other): ...
    def __rfloordiv__(self, other): ...
    def __rmod__(self, other): ...
    def __rmul__(self, other):
        """The product; a text or a list is repeated, as by any integer."""
    def __rpow__(self, other): ...
    def __rshift__(self, other): ...
    def __rsub__(self, other): ...
    def __rtruediv__(self, other): ...
    def __setitem__(self, index, value): ...
    def __sub__(self, other): ...
    def __truediv__(self, other): ...
    def __xor__(self, other):
        """Keep the bits in which two integers differ; of booleans, those that differ."""
    def abs(self):
        """Compute |x| of each element, in its type."""
    def abs_(self):
        """Put what `abs` returns into the memory of the tensor, and return it."""
    def absolute(self):
        """Alias of `abs`."""
    def absolute_(self):
        """Put what `absolute` returns into the memory of the tensor, and return it."""
    def acos(self):
        """Find the angle from 0 to π whose cosine is x; NaN for |x| > 1."""
    def acos_(self):
        """Put what `acos` returns into the memory of the tensor, and return it."""
    def acosh(self):
        """Find the number from 0 on whose hyperbolic cosine is x; NaN for x < 1."""
    def acosh_(self):
        """Put what `acosh` returns into the memory of the tensor, and return it."""
    def add(self, other, *, alpha=1):
        """Add alpha times `other`, a number or a tensor that broadcasts."""
    def add_(self, other, *, alpha=1):
        """Put what `add` returns into the memory of the tensor, and return it."""
    def addbmm(self, batch1, batch2, *, beta=1, alpha=1):
        """Compute beta self + alpha times the sum of batch1 @ batch2 over the batch."""
    def addbmm_(self, batch1, batch2, *, beta=1, alpha=1):
        """Put what `addbmm` returns into the memory of the tensor, and return it."""
    def addcdiv(self, tensor1, tensor2, *, value=1):
        """Compute self + value tensor1 / tensor2, element by element."""
    def addcdiv_(self, tensor1, tensor2, *, value=1):
        """Put what `addcdiv` returns into the memory of the tensor, and return it."""
    def addcmul(self, tensor1, tensor2, *, value=1):
        """Compute self + value tensor1 tensor2, element by element."""
    def addcmul_(self, tensor1, tensor2, *, value=1):
        """Put what `addcmul` returns into the memory of the tensor, and return it."""
    def addmm(self, mat1, mat2, *, beta=1, alpha=1):
        """Compute beta self + alpha mat1 @ mat2."""
    def addmm_(self, mat1, mat2, *, beta=1, alpha=1):
        """Put what `addmm` returns into the memory of the tensor, and return it."""
    def addmv(self, mat, vec, *, beta=1, alpha=1):
        """Compute beta self + alpha mat @ vec."""
    def addmv_(self, mat, vec, *, beta=1, alpha=1):
        """Put what `addmv` returns into the memory of the tensor, and return it."""
    def addr(self, vec1, vec2, *, beta=1, alpha=1):
        """Compute beta self + alpha times the outer product of two vectors."""
    def addr_(self, vec1, vec2, *, beta=1, alpha=1):
        """Put what `addr` returns into the memory of the tensor, and return it."""
    def adjoint(self):
        """Transpose matrices in the last two dimensions; RuntimeError for a vector."""
    def all(self, dim=None, keepdim: _bool = False):
        """Tell whether all elements along `dim`, or of the tensor, are other than 0."""
    def allclose(self, other, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False):
        """Tell whether all elements are close, as `isclose` has it: one bool."""
    def amax(self, dim=(), keepdim: _bool = False):
        """Find the largest elements along `dim`, one or several; equal ones share the gradient."""
    def amin(self, dim=(), keepdim: _bool = False):
        """Find the smallest elements along `dim`, one or several; equal ones share the gradient."""
    def aminmax(self, *, dim=None, keepdim: _bool = False):
        """Find the smallest and the largest element, along `dim` or of all."""
    def angle(self): ...
    def any(self, dim=None, keepdim: _bool = False):
        """Tell whether an element along `dim`, or of the tensor, is other than 0."""
    def apply_(self, callable):
        """Let each element be what a function of Python makes of it: slow, and without a gradient."""
    def arccos(self):
        """Alias of `acos`."""
    def arccos_(self):
        """Put what `arccos` returns into the memory of the tensor, and return it."""
    def arccosh(self):
        """Alias of `acosh`."""
    def arccosh_(self):
        """Put what `arccosh` returns into the memory of the tensor, and return it."""
    def arcsin(self):
        """Alias of `asin`."""
    def arcsin_(self):
        """Put what `arcsin` returns into the memory of the tensor, and return it."""
    def arcsinh(self):
        """Alias of `asinh`."""
    def arcsinh_(self):
        """Put what `arcsinh` returns into the memory of the tensor, and return it."""
    def arctan(self):
        """Alias of `atan`."""
    def arctan2(self, other):
        """Alias of `atan2`."""
    def arctan2_(self, other):
        """Put what `arctan2` returns into the memory of the tensor, and return it."""
    def arctan_(self):
        """Put what `arctan` returns into the memory of the tensor, and return it."""
    def arctanh(self):
        """Alias of `atanh`."""
    def arctanh_(self):
        """Put what `arctanh` returns into the memory of the tensor, and return it."""
    def argmax(self, dim=None, keepdim: _bool = False): ...
    def argmin(self, dim=None, keepdim: _bool = False): ...
    def argsort(self, dim=-1, descending: _bool = False, stable: _bool = False):
        """Tell where the elements stand that are the smallest, the next, ... along `dim`."""
    def argwhere(self):
        """List the places of the elements other than 0, a row each."""
    array: Any
    def as_strided(self, size, stride, storage_offset=None):
        """Look at the memory with another shape, strides and offset, all counted in elements."""
    def as_strided_(self, size, stride, storage_offset=None):
        """Look at the same memory as `as_strided` does from now on, and return the tensor."""
    def as_strided_scatter(self, src, size, stride, storage_offset=None):
        """Put `src` in place of what `as_strided` shows."""
    def asin(self):
        """Find the angle from -π/2 to π/2 whose sine is x; NaN for |x| > 1."""
    def asin_(self):
        """Put what `asin` returns into the memory of the tensor, and return it."""
    def asinh(self):
        """Find the number whose hyperbolic sine is x."""
    def asinh_(self):
        """Put what `asinh` returns into the memory of the tensor, and return it."""
    def atan(self):
        """Find the angle between -π/2 and π/2 whose tangent is x."""
    def atan2(self, other):
        """Find the angle from -π to π of the point (other, self), y before x as in mathematics."""
    def atan2_(self, other):
        """Put what `atan2` returns into the memory of the tensor, and return it."""
    def atan_(self):
        """Put what `atan` returns into the memory of the tensor, and return it."""
    def atanh(self):
        """Find the number whose hyperbolic tangent is x: infinite at -1 and 1, NaN outside."""
    def atanh_(self):
        """Put what `atanh` returns into the memory of the tensor, and return it."""
    def baddbmm(self, batch1, batch2, *, beta=1, alpha=1):
        """Compute beta self + alpha batch1 @ batch2, pair by pair."""
    def baddbmm_(self, batch1, batch2, *, beta=1, alpha=1):
        """Put what `baddbmm` returns into the memory of the tensor, and return it."""
    becomes: Any
    def bernoulli(self, p=None, *, generator: Generator | None = None):
        """Draw 1, with the probability that each element says, or p for all, and 0 otherwise."""
    def bernoulli_(self, p=0.5, *, generator: Generator | None = None):
        """Fill with 1, with probability p, a number or a tensor, and 0 otherwise."""
    def bfloat16(self, *, memory_format=None):
        """Refuse to convert to a type that NumPy does not have: NotImplementedError."""
    def bincount(self, weights=None, minlength=0): ...
    def bitwise_and(self, other):
        """Keep the bits that both integers have; of booleans, both of which must hold."""
    def bitwise_and_(self, other):
        """Put what `bitwise_and` returns into the memory of the tensor, and return it."""
    def bitwise_left_shift(self, other): ...
    def bitwise_left_shift_(self, other):
        """Put what `bitwise_left_shift` returns into the memory of the tensor, and return it."""
    def bitwise_not(self): ...
    def bitwise_not_(self):
        """Put what `bitwise_not` returns into the memory of the tensor, and return it."""
    def bitwise_or(self, other):
        """Keep the bits that either of two integers has; of booleans, one of which must hold."""
    def bitwise_or_(self, other):
        """Put what `bitwise_or` returns into the memory of the tensor, and return it."""
    def bitwise_right_shift(self, other): ...
    def bitwise_right_shift_(self, other):
        """Put what `bitwise_right_shift` returns into the memory of the tensor, and return it."""
    def bitwise_xor(self, other):
        """Keep the bits in which two integers differ; of booleans, those that differ."""
    def bitwise_xor_(self, other):
        """Put what `bitwise_xor` returns into the memory of the tensor, and return it."""
    def bmm(self, mat2): ...
    def bool(self, *, memory_format=None):
        """Convert to booleans: whether each element is other than 0."""
    def broadcast_to(self, size):
        """Stretch dimensions of length 1 to the lengths in `size`, a tuple."""
    def bucketize(self, boundaries, *, out_int32=False, right=False):
        """Find the bucket of each element among `boundaries`, a sorted vector."""
    def byte(self, *, memory_format=None):
        """Convert to uint8, without what stands behind the point."""
    def cauchy_(self, median: _float = 0.0, sigma: _float = 1.0, *, generator: Generator | None = None): ...
    def ceil(self):
        """Round each element up, ⌈x⌉."""
    def ceil_(self):
        """Put what `ceil` returns into the memory of the tensor, and return it."""
    def char(self, *, memory_format=None):
        """Convert to int8, without what stands behind the point."""
    def cholesky(self, upper: _bool = False):
        """Decompose as `linalg.cholesky`, whose older name this is."""
    def cholesky_inverse(self, upper: _bool = False):
        """Compute the inverse of A, of which this is the triangle of Cholesky's decomposition."""
    def cholesky_solve(self, input2, upper: _bool = False):
        """Solve A X = self, where `input2` is the triangle of Cholesky's decomposition of A."""
    def chunk(self, chunks, dim=0):
        """Cut along `dim` into at most so many views of one size, the last maybe shorter."""
    def clamp(self, min=None, max=None): ...
    def clamp_(self, min=None, max=None):
        """Put what `clamp` returns into the memory of the tensor, and return it."""
    def clamp_max(self, max):
        """Lower what is above `max`, a number or a tensor, to it."""
    def clamp_max_(self, max):
        """Put what `clamp_max` returns into the memory of the tensor, and return it."""
    def clamp_min(self, min):
        """Raise what is below `min`, a number or a tensor, to it."""
    def clamp_min_(self, min):
        """Put what `clamp_min` returns into the memory of the tensor, and return it."""
    def clip(self, min=None, max=None):
        """Alias of `clamp`."""
    def clip_(self, min=None, max=None):
        """Put what `clip` returns into the memory of the tensor, and return it."""
    def clone(self, *, memory_format=None):
        """Copy the tensor, in its order of memory or in another; a gradient passes through."""
    def conj(self):
        """Return the tensor itself, for real numbers are their own conjugates."""
    def conj_physical(self):
        """Alias of `conj`."""
    def contiguous(self, memory_format=...):
        """Lay the elements out in memory in the order of a format: itself where they are."""
    def copy_(self, other, non_blocking: _bool = False):
        """Take nothing from another tensor without a shape."""
    def copysign(self, other):
        """Give each element the sign of `other`'s."""
    def copysign_(self, other):
        """Put what `copysign` returns into the memory of the tensor, and return it."""
    def corrcoef(self):
        """Compute the correlation of each pair of rows, whose columns are observations."""
    def cos(self):
        """Compute the cosine of each element, an angle in radians."""
    def cos_(self):
        """Put what `cos` returns into the memory of the tensor, and return it."""
    def cosh(self):
        """Compute the hyperbolic cosine, (e^x + e^-x) / 2, of each element."""
    def cosh_(self):
        """Put what `cosh` returns into the memory of the tensor, and return it."""
    def count_nonzero(self, dim=None):
        """Count the elements other than 0, along `dim` or in all."""
    def cov(self, *, correction=1, fweights=None, aweights=None): ...
    def cpu(self, memory_format=None):
        """Bring the tensor to the processor's memory: itself where it is there."""
    def cross(self, other, dim=None):
        """Compute the vector product along `dim`, by default the first dimension of length 3."""
    def cuda(self, device: Device | None = None, non_blocking: _bool = False, *, memory_format=None): ...
    def cummax(self, dim):
        """Find the largest element so far along `dim`, and where it stands."""
    def cummin(self, dim):
        """Find the smallest element so far along `dim`, and where it stands."""
    def cumprod(self, dim, *, dtype: _dtype | None = None):
        """Multiply the elements so far along `dim`: y_i = x_0 ... x_i."""
    def cumprod_(self, dim, *, dtype: _dtype | None = None):
        """Put what `cumprod` returns into the memory of the tensor, and return it."""
    def cumsum(self, dim, *, dtype: _dtype | None = None):
        """Add up the elements so far along `dim`: y_i = x_0 + ... + x_i."""
    def cumsum_(self, dim, *, dtype: _dtype | None = None):
        """Put what `cumsum` returns into the memory of the tensor, and return it."""
    data: Any
    def deg2rad(self):
        """Turn angles in degrees into radians: x π / 180."""
    def deg2rad_(self):
        """Put what `deg2rad` returns into the memory of the tensor, and return it."""
    def det(self):
        """Compute the determinant of square matrices."""
    def detach(self): ...
    def detach_(self):
        """Leave the graph: be a leaf without a gradient from now on; RuntimeError for a view."""
    def diag(self, diagonal=0):
        """Copy the diagonal of a matrix, or make a matrix with a vector on its diagonal."""
    def diag_embed(self, offset=0, dim1=-2, dim2=-1): ...
    def diagflat(self, offset=0):
        """Make a matrix with the elements of the tensor, flattened, on a diagonal."""
    def diagonal(self, offset=0, dim1=0, dim2=1): ...
    def diagonal_scatter(self, src, offset=0, dim1=0, dim2=1):
        """Put `src` in place of a diagonal."""
    def diff(self, n=1, dim=-1, prepend=None, append=None): ...
    def digamma(self):
        """Compute the derivative of log Γ(x)."""
    def digamma_(self):
        """Put what `digamma` returns into the memory of the tensor, and return it."""
    def dim(self):
        """Count the dimensions."""
    def dim_order(self, ambiguity_check=False):
        """List the dimensions as they lie in memory, the outermost first."""
    def dist(self, other, p=2):
        """Compute the p-norm of the difference of two tensors."""
    def div(self, other, *, rounding_mode=None): ...
    def div_(self, other, *, rounding_mode=None):
        """Put what `div` returns into the memory of the tensor, and return it."""
    def divide(self, other, *, rounding_mode=None):
        """Alias of `div`."""
    def divide_(self, other, *, rounding_mode=None):
        """Put what `divide` returns into the memory of the tensor, and return it."""
    def dot(self, tensor):
        """Add up the products of the elements of two vectors."""
    def double(self, *, memory_format=None):
        """Convert to float64."""
    def dsplit(self, indices_or_sections):
        """Cut into views along dimension 2: into so many parts, or at these places."""
    dtype: Any
    def edge(self):
        """Where a gradient goes: (node that made the tensor, output), (leaf, 0), or None."""
    def element_size(self):
        """Tell the number of bytes of an element."""
    def eq(self, other):
        """Tell where self = other, a number or a tensor that broadcasts: a tensor of booleans."""
    def eq_(self, other): ...
    def equal(self, other):
        """Tell whether both have the same shape and the same values: one bool."""
    def erf(self):
        """Compute the error function, 2/√π ∫₀ˣ e^(-t²) dt: built in module 02 (activations)."""
    def erf_(self):
        """Put what `erf` returns into the memory of the tensor, and return it."""
    def erfc(self):
        """Compute 1 - erf(x), without loss of digits for large x."""
    def erfc_(self):
        """Put what `erfc` returns into the memory of the tensor, and return it."""
    def erfinv(self):
        """Find the number whose error function is x, for x from -1 to 1."""
    def erfinv_(self):
        """Put what `erfinv` returns into the memory of the tensor, and return it."""
    def exp(self):
        """Compute e^x of each element; integers become floating point numbers."""
    def exp2(self):
        """Compute 2^x of each element."""
    def exp2_(self):
        """Put what `exp2` returns into the memory of the tensor, and return it."""
    def exp_(self):
        """Put what `exp` returns into the memory of the tensor, and return it."""
    def expand(self, *shape):
        """Stretch dimensions of length 1 to other lengths, without a copy; -1 leaves one as it is."""
    def expand_as(self, other):
        """Stretch dimensions of length 1 to the shape of `other`."""
    def expm1(self): ...
    def expm1_(self):
        """Put what `expm1` returns into the memory of the tensor, and return it."""
    def exponential_(self, lambd: _float = 1.0, *, generator: Generator | None = None):
        """Fill with numbers of the density lambd e^(-lambd x), x > 0."""
    def fill_(self, value):
        """Set every element to one number."""
    def fill_diagonal_(self, fill_value, wrap: _bool = False): ...
    def fix(self):
        """Alias of `trunc`."""
    def fix_(self):
        """Put what `fix` returns into the memory of the tensor, and return it."""
    def flatten(self, start_dim=0, end_dim=-1):
        """Make one dimension of those from `start_dim` to `end_dim`, both included."""
    def flip(self, *given, dims=None):
        """Reverse the order of the elements along some dimensions: a copy."""
    def fliplr(self):
        """Reverse the order of the columns, along dimension 1."""
    def flipud(self):
        """Reverse the order of the rows, along dimension 0."""
    def float(self, *, memory_format=None):
        """Convert to float32."""
    def float_power(self, exponent):
        """Raise each element to a power in float64."""
    def float_power_(self, exponent): ...
    def floor(self):
        """Round each element down, ⌊x⌋."""
    def floor_(self):
        """Put what `floor` returns into the memory of the tensor, and return it."""
    def floor_divide(self, other):
        """Divide and round down, ⌊x / y⌋; RuntimeError for an integer by 0."""
    def floor_divide_(self, other):
        """Put what `floor_divide` returns into the memory of the tensor, and return it."""
    def fmax(self, other):
        """Take the larger of two elements, or the one that is not NaN."""
    def fmin(self, other):
        """Take the smaller of two elements, or the one that is not NaN."""
    def fmod(self, other): ...
    def fmod_(self, other):
        """Put what `fmod` returns into the memory of the tensor, and return it."""
    def frac(self):
        """Keep what stands behind the point, with the sign: x - trunc(x)."""
    def frac_(self):
        """Put what `frac` returns into the memory of the tensor, and return it."""
    def frexp(self):
        """Split each element into a mantissa from 0.5 to 1 and an exponent: x = mantissa 2^exponent."""
    def gather(self, dim, index): ...
    def gcd(self, other):
        """Find the greatest common divisor of two integers."""
    def gcd_(self, other):
        """Put what `gcd` returns into the memory of the tensor, and return it."""
    def ge(self, other):
        """Tell where self ≥ other, a number or a tensor that broadcasts: a tensor of booleans."""
    def ge_(self, other): ...
    def geometric_(self, p, *, generator: Generator | None = None):
        """Fill with the number of trials that it takes to the first success, of probability p."""
    def ger(self, vec2):
        """Multiply every element of one vector by every one of another: `outer` by its old name."""
    def get_device(self):
        """Tell the number of the GPU that holds the tensor; -1 on the processor."""
    def greater(self, other):
        """Alias of `gt`."""
    def greater_(self, other): ...
    def greater_equal(self, other):
        """Alias of `ge`."""
    def greater_equal_(self, other): ...
    def gt(self, other):
        """Tell where self > other, a number or a tensor that broadcasts: a tensor of booleans."""
    def gt_(self, other): ...
    def half(self, *, memory_format=None):
        """Convert to float16."""
    def hardshrink(self, lambd: _float = 0.5):
        """Put 0 in place of what lies from -lambd to lambd."""
    def heaviside(self, values):
        """Compute the step function: 0 for negative numbers, 1 for positive ones, and `values` at 0."""
    def heaviside_(self, values):
        """Put what `heaviside` returns into the memory of the tensor, and return it."""
    def histc(self, bins=100, min=0, max=0):
        """Count the elements in bins of one width from `min` to `max`; both 0 mean the data's own."""
    def histogram(self, bins=100, *, range=None, weight=None, density: _bool = False): ...
    def hsplit(self, indices_or_sections): ...
    def hypot(self, other):
        """Compute √(x² + y²), without overflow in between."""
    def hypot_(self, other):
        """Put what `hypot` returns into the memory of the tensor, and return it."""
    def i0(self):
        """Compute the modified Bessel function of the first kind, of order 0."""
    def i0_(self):
        """Put what `i0` returns into the memory of the tensor, and return it."""
    def igamma(self, other):
        """Compute the regularised lower incomplete gamma function P(self, other)."""
    def igamma_(self, other):
        """Put what `igamma` returns into the memory of the tensor, and return it."""
    def igammac(self, other): ...
    def igammac_(self, other):
        """Put what `igammac` returns into the memory of the tensor, and return it."""
    def index_add(self, dim, index, source, *, alpha=1):
        """Add alpha times the slices of `source` to those along `dim` that `index` names."""
    def index_add_(self, dim, index, source, *, alpha=1):
        """Put what `index_add` returns into the memory of the tensor, and return it."""
    def index_copy(self, dim, index, source):
        """Put the slices of `source` in place of those along `dim` that `index` names."""
    def index_copy_(self, dim, index, source):
        """Put what `index_copy` returns into the memory of the tensor, and return it."""
    def index_fill(self, dim, index, value):
        """Put one number into the slices along `dim` that `index` names."""
    def index_fill_(self, dim, index, value):
        """Put what `index_fill` returns into the memory of the tensor, and return it."""
    def index_put(self, indices, values, accumulate: _bool = False):
        """Put values, or with `accumulate` add them, at an index given as a tuple of tensors."""
    def index_put_(self, indices, values, accumulate: _bool = False):
        """Put what `index_put` returns into the memory of the tensor, and return it."""
    def index_reduce(self, dim, index, source, reduce, *, include_self: _bool = True): ...
    def index_reduce_(self, dim, index, source, reduce, *, include_self: _bool = True):
        """Put what `index_reduce` returns into the memory of the tensor, and return it."""
    def index_select(self, dim, index):
        """Take the slices along `dim` that `index`, a vector of integers, names."""
    def inner(self, other):
        """Add up the products over the last dimension of both."""
    def int(self, *, memory_format=None):
        """Convert to int32, without what stands behind the point."""
    def inverse(self):
        """Compute the inverse of square matrices; LinAlgError for one that has none."""
    def is_complex(self) -> _bool:
        """Tell whether the numbers are complex: no."""
    def is_conj(self) -> _bool:
        """Tell whether the numbers are yet to be conjugated: no."""
    def is_contiguous(self) -> _bool:
        """Whether the elements lie in memory in the order of their indices, without gaps."""
    def is_distributed(self) -> _bool:
        """Tell whether the tensor is spread over several processes: no."""
    def is_floating_point(self) -> _bool: ...
    def is_inference(self) -> _bool:
        """Tell whether the tensor was made in inference mode, which leaves no mark here: no."""
    is_leaf: Any
    def is_neg(self) -> _bool:
        """Tell whether the numbers are yet to be negated: no."""
    def is_nonzero(self) -> _bool:
        """Tell whether the one element is other than 0; RuntimeError for more elements than one."""
    def is_pinned(self, device: Device | None = None) -> _bool:
        """Tell whether the memory is page-locked: no."""
    def is_same_size(self, other) -> _bool:
        """Tell whether another tensor has the same shape."""
    def is_set_to(self, tensor) -> _bool:
        """Tell whether both are the same view of the same memory."""
    def is_shared(self) -> _bool:
        """Tell whether other processes see the memory: no."""
    def is_signed(self) -> _bool:
        """Tell whether the type has negative numbers."""
    def isclose(self, other, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False):
        """Tell where |self - other| ≤ atol + rtol |other|; NaN is close to NaN if `equal_nan`."""
    def isfinite(self):
        """Tell which elements are neither infinite nor NaN."""
    def isin(self, test_elements, *, assume_unique=False, invert=False):
        """Tell of each element whether it is among `test_elements`."""
    def isinf(self):
        """Tell which elements are infinite, of either sign."""
    def isnan(self):
        """Tell which elements are NaN, no number."""
    def isneginf(self):
        """Tell which numbers are infinite and negative."""
    def isposinf(self):
        """Tell which numbers are infinite and positive."""
    def isreal(self):
        """Tell whether each number is real: yes."""
    def kron(self, other):
        """Multiply every element of this tensor by the whole of the other, in blocks."""
    def kthvalue(self, k, dim=-1, keepdim: _bool = False):
        """Find the k-th smallest element along `dim`, counted from 1, and where it stands."""
    def lcm(self, other):
        """Find the least common multiple of two integers."""
    def lcm_(self, other):
        """Put what `lcm` returns into the memory of the tensor, and return it."""
    def ldexp(self, other):
        """Compute self 2^other."""
    def ldexp_(self, other):
        """Put what `ldexp` returns into the memory of the tensor, and return it."""
    def le(self, other):
        """Tell where self ≤ other, a number or a tensor that broadcasts: a tensor of booleans."""
    def le_(self, other): ...
    def lerp(self, end, weight): ...
    def lerp_(self, end, weight):
        """Put what `lerp` returns into the memory of the tensor, and return it."""
    def less(self, other):
        """Alias of `lt`."""
    def less_(self, other): ...
    def less_equal(self, other):
        """Alias of `le`."""
    def less_equal_(self, other): ...
    def lgamma(self):
        """Compute log |Γ(x)|."""
    def lgamma_(self):
        """Put what `lgamma` returns into the memory of the tensor, and return it."""
    def log(self):
        """Compute the natural logarithm of each element: -inf at 0, NaN below."""
    def log10(self):
        """Compute the logarithm to base 10 of each element."""
    def log10_(self):
        """Put what `log10` returns into the memory of the tensor, and return it."""
    def log1p(self): ...
    def log1p_(self):
        """Put what `log1p` returns into the memory of the tensor, and return it."""
    def log2(self):
        """Compute the logarithm to base 2 of each element."""
    def log2_(self):
        """Put what `log2` returns into the memory of the tensor, and return it."""
    def log_(self):
        """Put what `log` returns into the memory of the tensor, and return it."""
    def log_normal_(self, mean=1.0, std=2.0, *, generator: Generator | None = None):
        """Fill with numbers whose logarithms are normal, of this mean and standard deviation."""
    def log_softmax(self, dim, dtype: _dtype | None = None):
        """Compute the logarithm of softmax along `dim`: built in module 02 (activations)."""
    def logaddexp(self, other):
        """Compute log(e^x + e^y), without overflow in between."""
    def logaddexp2(self, other):
        """Compute log2(2^x + 2^y), without overflow in between."""
    def logcumsumexp(self, dim):
        """Compute log(e^x_0 + ... + e^x_i) along `dim`, without overflow in between."""
    def logdet(self):
        """Compute the logarithm of the determinant of square matrices: NaN for a negative one."""
    def logical_and(self, other):
        """Tell where both elements are other than 0."""
    def logical_and_(self, other): ...
    def logical_not(self):
        """Tell which elements are 0."""
    def logical_not_(self): ...
    def logical_or(self, other):
        """Tell where an element, or both, is other than 0."""
    def logical_or_(self, other): ...
    def logical_xor(self, other):
        """Tell where one element of the two is 0, and not the other."""
    def logical_xor_(self, other): ...
    def logit(self, eps=None): ...
    def logit_(self, eps=None):
        """Put what `logit` returns into the memory of the tensor, and return it."""
    def logsumexp(self, dim, keepdim: _bool = False): ...
    def long(self, *, memory_format=None):
        """Convert to int64, without what stands behind the point."""
    def lt(self, other):
        """Tell where self < other, a number or a tensor that broadcasts: a tensor of booleans."""
    def lt_(self, other): ...
    def lu(self, pivot: _bool = True, get_infos: _bool = False):
        """Decompose as `linalg.lu_factor_ex`, with the info only if it is asked for."""
    def lu_solve(self, LU_data, LU_pivots):
        """Solve A X = self for the A that was decomposed into `LU_data` and `LU_pivots`."""
    mH: Any
    mT: Any
    def map_(self, other, callable):
        """Let each element be what a function of Python makes of it and of another tensor's: slow."""
    def masked_fill(self, mask, value):
        """Put a number in the places where `mask`, of booleans, holds; it broadcasts."""
    def masked_fill_(self, mask, value):
        """Put what `masked_fill` returns into the memory of the tensor, and return it."""
    def masked_scatter(self, mask, source):
        """Put the first elements of `source`, one after the other, where `mask` holds."""
    def masked_scatter_(self, mask, source):
        """Put what `masked_scatter` returns into the memory of the tensor, and return it."""
    def masked_select(self, mask):
        """List the elements where `mask`, of booleans, holds."""
    def materialize(self, shape, device: Device | None = None, dtype: _dtype | None = None):
        """Be an ordinary tensor of this shape from now on, whose numbers are whatever was in memory."""
    def matmul(self, other): ...
    def matrix_exp(self):
        """Compute the exponential of square matrices, 1 + A + A²/2 + A³/6 + ..."""
    def matrix_power(self, n):
        """Multiply a square matrix n times by itself; of a negative n, its inverse."""
    def max(self, dim=None, keepdim=False, *, other=None): ...
    def maximum(self, other):
        """Take the larger of two elements, NaN if either is; `other` is a tensor that broadcasts."""
    def mean(self, dim=None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis=None, keepdims: _bool = False): ...
    def median(self, dim=None, keepdim: _bool = False):
        """Find the lower of the middle elements; along `dim`, the medians and where they stand."""
    def min(self, dim=None, keepdim=False, *, other=None): ...
    def minimum(self, other):
        """Take the smaller of two elements, NaN if either is; `other` is a tensor that broadcasts."""
    def mm(self, mat2):
        """Multiply a matrix (n, k) by a matrix (k, m); RuntimeError for other numbers of dimensions."""
    def mode(self, dim=-1, keepdim: _bool = False): ...
    def moveaxis(self, source, destination):
        """Alias of `movedim`."""
    def movedim(self, source, destination):
        """Move dimensions, one or a tuple, to other places; the rest keep their order."""
    def msort(self):
        """Sort along dimension 0."""
    def mul(self, other):
        """Multiply by `other`, a number or a tensor that broadcasts, element by element."""
    def mul_(self, other):
        """Put what `mul` returns into the memory of the tensor, and return it."""
    def multinomial(self, num_samples, replacement: _bool = False, *, generator: Generator | None = None): ...
    def multiply(self, other):
        """Alias of `mul`."""
    def multiply_(self, other):
        """Put what `multiply` returns into the memory of the tensor, and return it."""
    def mv(self, vec):
        """Multiply a matrix (n, k) by a vector (k)."""
    def mvlgamma(self, p):
        """Compute the logarithm of the multivariate gamma function in p dimensions."""
    def mvlgamma_(self, p):
        """Put what `mvlgamma` returns into the memory of the tensor, and return it."""
    def nan_to_num(self, nan=None, posinf=None, neginf=None): ...
    def nan_to_num_(self, nan=None, posinf=None, neginf=None):
        """Put what `nan_to_num` returns into the memory of the tensor, and return it."""
    def nanmean(self, dim=None, keepdim: _bool = False, *, dtype: _dtype | None = None):
        """Average what is not NaN."""
    def nanmedian(self, dim=None, keepdim: _bool = False):
        """Find the median of what is not NaN."""
    def nanquantile(self, q, dim=None, keepdim: _bool = False, *, interpolation: str = 'linear'):
        """Find the quantiles of what is not NaN."""
    def nansum(self, dim=None, keepdim: _bool = False, *, dtype: _dtype | None = None):
        """Add up what is not NaN."""
    def narrow(self, dim, start, length):
        """Look at `length` slices along `dim`, from `start` on."""
    def narrow_copy(self, dim, start, length):
        """Copy `length` slices along `dim`, from `start` on."""
    def ndimension(self):
        """Count the dimensions: `dim` by its old name."""
    def ne(self, other):
        """Tell where self ≠ other, a number or a tensor that broadcasts: a tensor of booleans."""
    def ne_(self, other): ...
    def neg(self):
        """Change the sign of each element; RuntimeError for booleans."""
    def neg_(self):
        """Put what `neg` returns into the memory of the tensor, and return it."""
    def negative(self):
        """Alias of `neg`."""
    def negative_(self):
        """Put what `negative` returns into the memory of the tensor, and return it."""
    def nelement(self):
        """Alias of `numel`."""
    def new(self, *data, device: Device | None = None):
        """Make a tensor of this type: uninitialised, of these sizes, or with a copy of a sequence."""
    def new_empty(self, *size, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False):
        """Make a tensor of whatever was in memory, in this tensor's type unless another is named."""
    def new_full(self, size, fill_value, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False):
        """Make a tensor of one value, in this tensor's type unless another is named."""
    def new_ones(self, *size, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False):
        """Make a tensor of ones, in this tensor's type unless another is named."""
    def new_tensor(self, data, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False):
        """Make a tensor with a copy of `data`, in this tensor's type unless another is named."""
    def new_zeros(self, *size, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False):
        """Make a tensor of zeros, in this tensor's type unless another is named."""
    def nextafter(self, other):
        """Find the next number from self towards `other` that the type has."""
    def nextafter_(self, other):
        """Put what `nextafter` returns into the memory of the tensor, and return it."""
    def nonzero(self, *, as_tuple: _bool = False): ...
    def nonzero_static(self, *, size, fill_value=-1):
        """List the places of the first `size` elements other than 0, filled up with `fill_value`."""
    def norm(self, p='fro', dim=None, keepdim: _bool = False, dtype: _dtype | None = None): ...
    def normal_(self, mean=0.0, std=1.0, *, generator: Generator | None = None):
        """Fill with normal numbers of this mean and standard deviation."""
    def not_equal(self, other):
        """Alias of `ne`."""
    def not_equal_(self, other): ...
    def nuclear_norm(self, dim=None, keepdim: _bool = False):
        """Add up the singular values of matrices over two dimensions."""
    def numel(self):
        """Count the elements."""
    def outer(self, vec2):
        """Multiply every element of one vector (n) by every one of another (m): a matrix (n, m)."""
    def permute(self, *dims): ...
    def pin_memory(self, device: Device | None = None):
        """Refuse to lock the memory for an accelerator that is not there: RuntimeError."""
    def pinverse(self, rcond: _float = 1e-15): ...
    def polygamma(self, n):
        """Compute the n-th derivative of digamma."""
    def polygamma_(self, n):
        """Put what `polygamma` returns into the memory of the tensor, and return it."""
    def positive(self):
        """Return the tensor itself, as `+x` does; RuntimeError for booleans."""
    def pow(self, exponent): ...
    def pow_(self, exponent):
        """Put what `pow` returns into the memory of the tensor, and return it."""
    def prelu(self, weight):
        """Compute max(x, 0) + weight min(x, 0); one weight, or one for each slice along dimension 1."""
    def prod(self, dim=None, keepdim: _bool = False, *, dtype: _dtype | None = None):
        """Multiply the elements along `dim`, or all of them; integers and booleans as int64."""
    def put(self, index, source, accumulate: _bool = False):
        """Put values, or with `accumulate` add them, at these places of the flattened tensor."""
    def put_(self, index, source, accumulate: _bool = False):
        """Put what `put` returns into the memory of the tensor, and return it."""
    def qr(self, some: _bool = True):
        """Decompose as `linalg.qr`, whose older name this is; without `some` Q is square."""
    def quantile(self, q, dim=None, keepdim: _bool = False, *, interpolation: str = 'linear'): ...
    def rad2deg(self):
        """Turn angles in radians into degrees: x 180 / π."""
    def rad2deg_(self):
        """Put what `rad2deg` returns into the memory of the tensor, and return it."""
    def random_(self, from_=None, to=None, *, generator: Generator | None = None): ...
    def ravel(self):
        """Flatten to one dimension."""
    def reciprocal(self):
        """Compute 1 / x of each element."""
    def reciprocal_(self):
        """Put what `reciprocal` returns into the memory of the tensor, and return it."""
    def register_post_accumulate_grad_hook(self, hook):
        """Call `hook(tensor)` whenever `grad` of a leaf has been added to."""
    def relu(self):
        """Compute max(x, 0): built in module 02 (activations)."""
    def relu_(self):
        """Put what `relu` returns into the memory of the tensor, and return it."""
    def remainder(self, other): ...
    def remainder_(self, other):
        """Put what `remainder` returns into the memory of the tensor, and return it."""
    def renorm(self, p, dim, maxnorm):
        """Scale slices along `dim` down to a p-norm of at most `maxnorm`."""
    def renorm_(self, p, dim, maxnorm):
        """Put what `renorm` returns into the memory of the tensor, and return it."""
    def repeat(self, *repeats):
        """Lay the tensor out so many times along each dimension: a copy."""
    def repeat_interleave(self, repeats=None, dim=None, *, output_size=None): ...
    def requires_grad_(self, requires_grad: _bool = True):
        """Ask for a gradient from now on, or ask no more; RuntimeError for integers."""
    def reshape(self, *shape): ...
    def reshape_as(self, other):
        """Change the shape to that of `other`."""
    def resize_(self, *sizes_, memory_format=None):
        """Take another shape over the same memory, or over more of it, where it does not suffice."""
    def resize_as_(self, the_template, *, memory_format=None):
        """Take the shape of another tensor, as `resize_` does."""
    def resolve_conj(self):
        """Return the tensor itself: nothing is yet to be conjugated."""
    def resolve_neg(self):
        """Return the tensor itself: nothing is yet to be negated."""
    def retain_grad(self):
        """Keep the gradient in `grad` though the tensor is no leaf."""
    def roll(self, shifts, dims=()): ...
    def rot90(self, k=1, dims=(0, 1)):
        """Turn the plane of two dimensions by k right angles."""
    def round(self, *, decimals=0): ...
    def round_(self, *, decimals=0):
        """Put what `round` returns into the memory of the tensor, and return it."""
    def rsqrt(self):
        """Compute 1 / √x of each element."""
    def rsqrt_(self):
        """Put what `rsqrt` returns into the memory of the tensor, and return it."""
    def rsub(self, other, *, alpha=1):
        """Compute other - alpha self."""
    def scatter(self, dim, index, src=None, *, value=None, reduce=None): ...
    def scatter_(self, dim, index, src=None, *, value=None, reduce=None):
        """Put what `scatter` returns into the memory of the tensor, and return it."""
    def scatter_add(self, dim, index, src): ...
    def scatter_add_(self, dim, index, src):
        """Put what `scatter_add` returns into the memory of the tensor, and return it."""
    def scatter_reduce(self, dim, index, src, reduce, *, include_self: _bool = True): ...
    def scatter_reduce_(self, dim, index, src, reduce, *, include_self: _bool = True):
        """Put what `scatter_reduce` returns into the memory of the tensor, and return it."""
    def select(self, dim, index):
        """Look at slice number `index` along `dim`, without that dimension."""
    def select_scatter(self, src, dim, index):
        """Put `src` in place of slice number `index` along `dim`."""
    def set_(self, source=None, storage_offset=0, size=(), stride=()): ...
    def sgn(self):
        """Tell the sign of each element, as `sign` does for real numbers."""
    def sgn_(self):
        """Put what `sgn` returns into the memory of the tensor, and return it."""
    shape: Any
    def share_memory_(self):
        """Leave the memory where it is: a process that is forked has its own copy of it."""
    def short(self, *, memory_format=None):
        """Convert to int16, without what stands behind the point."""
    def sigmoid(self):
        """Compute 1 / (1 + e^-x): built in module 02 (activations)."""
    def sigmoid_(self):
        """Put what `sigmoid` returns into the memory of the tensor, and return it."""
    def sign(self):
        """Tell the sign of each element: -1, 0 or 1 in the element's type; 0 for NaN."""
    def sign_(self):
        """Put what `sign` returns into the memory of the tensor, and return it."""
    def signbit(self):
        """Tell which elements have a minus sign, -0.0 too."""
    def sin(self):
        """Compute the sine of each element, an angle in radians."""
    def sin_(self):
        """Put what `sin` returns into the memory of the tensor, and return it."""
    def sinc(self):
        """Compute sin(πx) / (πx), and 1 at 0."""
    def sinc_(self):
        """Put what `sinc` returns into the memory of the tensor, and return it."""
    def sinh(self):
        """Compute the hyperbolic sine, (e^x - e^-x) / 2, of each element."""
    def sinh_(self):
        """Put what `sinh` returns into the memory of the tensor, and return it."""
    def size(self, dim=None): ...
    def slice_scatter(self, src, dim=0, start=None, end=None, step=1):
        """Put `src` in place of the slices start, start + step, ... before `end` along `dim`."""
    def slogdet(self):
        """Compute the sign of the determinant, and the logarithm of its absolute value."""
    def softmax(self, dim, dtype: _dtype | None = None):
        """Compute e^x_i / Σ e^x_j along `dim`: built in module 02 (activations)."""
    def sort(self, dim=-1, descending: _bool = False, stable: _bool = False):
        """Sort along `dim`, and say where each element stood; equal ones keep their order."""
    def split(self, split_size, dim=0): ...
    def split_with_sizes(self, split_sizes, dim=0):
        """Cut along `dim` into views of these sizes."""
    def sqrt(self):
        """Compute the square root of each element: NaN below 0."""
    def sqrt_(self):
        """Put what `sqrt` returns into the memory of the tensor, and return it."""
    def square(self):
        """Compute x² of each element."""
    def square_(self):
        """Put what `square` returns into the memory of the tensor, and return it."""
    def squeeze(self, dim=None, *, axis=None):
        """Remove dimensions of length 1: all, or `dim`, one or a tuple, where it has length 1."""
    def squeeze_(self, dim=None, *, axis=None):
        """Look at the same memory as `squeeze` does from now on, and return the tensor."""
    def std(self, dim=None, unbiased=None, keepdim: _bool = False, *, correction=None, axis=None, keepdims: _bool = False): ...
    def std_mean(self, dim=None, unbiased=None, keepdim: _bool = False, *, correction=None):
        """Compute the standard deviation and the mean, as `std` and `mean` do."""
    def storage_offset(self):
        """Tell how many elements into its storage the tensor begins."""
    def stride(self, dim=None):
        """How many elements apart neighbours along each dimension, or `dim`, lie in memory."""
    def sub(self, other, *, alpha=1): ...
    def sub_(self, other, *, alpha=1):
        """Put what `sub` returns into the memory of the tensor, and return it."""
    def subtract(self, other, *, alpha=1):
        """Alias of `sub`."""
    def subtract_(self, other, *, alpha=1):
        """Put what `subtract` returns into the memory of the tensor, and return it."""
    def sum(self, dim=None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis=None, keepdims: _bool = False): ...
    def sum_to_size(self, *size):
        """Undo a broadcast from the shape `size`: add up what was stretched."""
    def svd(self, some: _bool = True, compute_uv: _bool = True):
        """Decompose into U, S and V, of which `linalg.svd` gives the transpose; `some`, not square."""
    def swapaxes(self, axis0, axis1):
        """Exchange two dimensions: `transpose` by NumPy's name."""
    def swapaxes_(self, axis0, axis1):
        """Look at the same memory as `swapaxes` does from now on, and return the tensor."""
    def swapdims(self, dim0, dim1):
        """Alias of `transpose`."""
    def swapdims_(self, dim0, dim1):
        """Look at the same memory as `swapdims` does from now on, and return the tensor."""
    def t(self):
        """Transpose a matrix; what has fewer dimensions is itself. RuntimeError for more than two."""
    def t_(self):
        """Look at the same memory as `t` does from now on, and return the tensor."""
    def take(self, index):
        """Take the elements at these places of the flattened tensor; IndexError for one outside."""
    def take_along_dim(self, indices, dim=None): ...
    def tan(self):
        """Compute the tangent of each element, an angle in radians."""
    def tan_(self):
        """Put what `tan` returns into the memory of the tensor, and return it."""
    def tanh(self):
        """Compute the hyperbolic tangent: built in module 02 (activations)."""
    def tanh_(self):
        """Put what `tanh` returns into the memory of the tensor, and return it."""
    def tensor_split(self, indices_or_sections, dim=0):
        """Cut along `dim` into views: into so many parts, or at these places."""
    def tile(self, *dims):
        """Lay the tensor out as `repeat` does, once along dimensions that are not named."""
    def to(self, *args, dtype: _dtype | None = None, device: Device | None = None, **kwargs):
        """Note the type and the device that it is to have."""
    def to_dense(self, dtype: _dtype | None = None, *, masked_grad=None):
        """Return the tensor itself, which is no sparse one, or in another type."""
    def topk(self, k, dim=-1, largest: _bool = True, sorted: _bool = True):
        """Find the k largest (or smallest) elements along `dim`, in order, and where they stand."""
    def trace(self):
        """Add up the main diagonal of a matrix."""
    def transpose(self, dim0, dim1):
        """Exchange two dimensions, in the same memory."""
    def transpose_(self, dim0, dim1):
        """Look at the same memory as `transpose` does from now on, and return the tensor."""
    def triangular_solve(self, A, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False): ...
    def tril(self, diagonal=0):
        """Keep the lower triangle of matrices, up to the diagonal with this number; the rest is 0."""
    def tril_(self, diagonal=0):
        """Put what `tril` returns into the memory of the tensor, and return it."""
    def triu(self, diagonal=0):
        """Keep the upper triangle of matrices, from the diagonal with this number on; the rest is 0."""
    def triu_(self, diagonal=0):
        """Put what `triu` returns into the memory of the tensor, and return it."""
    def true_divide(self, other):
        """Divide, integers as floating point numbers: `div` without rounding."""
    def true_divide_(self, other):
        """Put what `true_divide` returns into the memory of the tensor, and return it."""
    def trunc(self):
        """Round each element towards 0."""
    def trunc_(self):
        """Put what `trunc` returns into the memory of the tensor, and return it."""
    def type(self, dtype=None, non_blocking=False): ...
    def type_as(self, other):
        """Convert to the type of `other`."""
    def unbind(self, dim=0):
        """Look at every slice along `dim`: a tuple of views without that dimension."""
    def unflatten(self, dim, sizes):
        """Make several dimensions of one: of `sizes`, one of which may be -1."""
    def unfold(self, dimension, size, step): ...
    def uniform_(self, from_: _float = 0.0, to: _float = 1.0, *, generator: Generator | None = None, **bounds):
        """Fill with numbers drawn evenly from `from` to `to`."""
    def unique(self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim=None): ...
    def unique_consecutive(self, return_inverse: _bool = False, return_counts: _bool = False, dim=None): ...
    def unsafe_chunk(self, chunks, dim=0):
        """Alias of `chunk`."""
    def unsafe_split(self, split_size, dim=0):
        """Alias of `split`."""
    def unsafe_split_with_sizes(self, split_sizes, dim=0):
        """Alias of `split_with_sizes`."""
    def unsqueeze(self, dim):
        """Insert a dimension of length 1 before dimension `dim`."""
    def unsqueeze_(self, dim):
        """Look at the same memory as `unsqueeze` does from now on, and return the tensor."""
    def var(self, dim=None, unbiased=None, keepdim: _bool = False, *, correction=None, axis=None, keepdims: _bool = False):
        """Compute the variance along `dim`: Σ (x - mean)² / (n - correction)."""
    def var_mean(self, dim=None, unbiased=None, keepdim: _bool = False, *, correction=None):
        """Compute the variance and the mean, as `var` and `mean` do."""
    def vdot(self, other):
        """Add up the products of the elements of two vectors, as `dot` does for real numbers."""
    def view(self, *shape, dtype: _dtype | None = None): ...
    def view_as(self, other):
        """Look at the same memory in the shape of `other`."""
    def vsplit(self, indices_or_sections):
        """Cut into views along dimension 0: into so many parts, or at these places."""
    def where(self, condition, other): ...
    def xlogy(self, other):
        """Compute x log y, and 0 where x is 0."""
    def xlogy_(self, other):
        """Put what `xlogy` returns into the memory of the tensor, and return it."""
    def zero_(self):
        """Set every element to 0."""
class UpsamplingBilinear2d(Upsample):
    """Images made larger by bilinear interpolation, with their corners in place."""
    def __init__(self, size=None, scale_factor=None) -> None: ...
class UpsamplingNearest2d(Upsample):
    """Images made larger by their nearest neighbours."""
    def __init__(self, size=None, scale_factor=None) -> None: ...
class AdaptiveMaxPool1d(_Module):
    """Maxima of even pieces of a sequence, as many as asked for; see `adaptive_max_pool1d`."""
    output_size: Any
    return_indices: Any
    def __init__(self, output_size, return_indices: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class AdaptiveMaxPool2d(_Module):
    """Maxima of even pieces of an image, as many as asked for; see `adaptive_max_pool2d`."""
    output_size: Any
    return_indices: Any
    def __init__(self, output_size, return_indices: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class AdaptiveMaxPool3d(_Module):
    """Maxima of even pieces of a volume, as many as asked for; see `adaptive_max_pool3d`."""
    output_size: Any
    return_indices: Any
    def __init__(self, output_size, return_indices: _bool = False) -> None: ...
    def extra_repr(self): ...
    forward: Any
class BCELoss(_Module):
    reduction: Any
    def __init__(self, weight=None, size_average=None, reduce=None, reduction: str = 'mean') -> None: ...
    forward: Any
class BCEWithLogitsLoss(_Module):
    reduction: Any
    def __init__(self, weight=None, size_average=None, reduce=None, reduction: str = 'mean', pos_weight=None) -> None: ...
    forward: Any
class BatchNorm1d(_Module):
    """Batch normalisation of (N, C) or (N, C, L); see `BatchNorm2d`."""
    affine: Any
    eps: Any
    momentum: Any
    num_features: Any
    track_running_stats: Any
    def __init__(self, num_features, eps: _float = 1e-05, momentum=0.1, affine: _bool = True, track_running_stats: _bool = True, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    def extra_repr(self): ...
    forward: Any
    ndims: Any
    def reset_parameters(self):
        """Forget the batches that were seen, and scale by one again."""
    def reset_running_stats(self):
        """Forget the batches that were seen."""
class BatchNorm2d(_Module):
    """Batch normalisation of images: each channel is normalised over all images and places."""
    affine: Any
    eps: Any
    momentum: Any
    num_features: Any
    track_running_stats: Any
    def __init__(self, num_features, eps: _float = 1e-05, momentum=0.1, affine: _bool = True, track_running_stats: _bool = True, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    def extra_repr(self): ...
    forward: Any
    ndims: Any
    def reset_parameters(self):
        """Forget the batches that were seen, and scale by one again."""
    def reset_running_stats(self):
        """Forget the batches that were seen."""
class BatchNorm3d(_Module):
    """Batch normalisation of (N, C, D, H, W); see `BatchNorm2d`."""
    affine: Any
    eps: Any
    momentum: Any
    num_features: Any
    track_running_stats: Any
    def __init__(self, num_features, eps: _float = 1e-05, momentum=0.1, affine: _bool = True, track_running_stats: _bool = True, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    def extra_repr(self): ...
    forward: Any
    ndims: Any
    def reset_parameters(self):
        """Forget the batches that were seen, and scale by one again."""
    def reset_running_stats(self):
        """Forget the batches that were seen."""
class CircularPad1d(_Module):
    """A margin in which sequences begin again."""
    padding: Any
    def __init__(self, padding) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class CircularPad2d(_Module):
    """A margin in which images go on at their other side."""
    padding: Any
    def __init__(self, padding) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class CircularPad3d(_Module):
    """A margin in which the last three dimensions go on at their other side."""
    padding: Any
    def __init__(self, padding) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class ConstantPad1d(_Module):
    """A margin of `value` before and after the last dimension."""
    padding: Any
    def __init__(self, padding, value) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class ConstantPad2d(_Module):
    """A margin of `value` around images: left, right, top, bottom."""
    padding: Any
    def __init__(self, padding, value) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class ConstantPad3d(_Module):
    """A margin of `value` around the last three dimensions."""
    padding: Any
    def __init__(self, padding, value) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class ConvTranspose1d(_Module):
    """Transposed convolution of sequences; see `conv_transpose1d`."""
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
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias: _bool = True, dilation=1, padding_mode: str = 'zeros', device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    def reset_parameters(self):
        """Draw the weight again, then the bias, evenly from ±1/√fan_in."""
    transposed: _bool
class ConvTranspose2d(_Module):
    """Transposed convolution of images: weight (in_channels, out_channels/groups, kh, kw)."""
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
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias: _bool = True, dilation=1, padding_mode: str = 'zeros', device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    dims: _int
    def extra_repr(self): ...
    forward: Any
    def reset_parameters(self):
        """Draw the weight again, then the bias, evenly from ±1/√fan_in."""
    transposed: _bool
class CrossEntropyLoss(_Module):
    """The mean of -log softmax(input)[target]; see `cross_entropy`."""
    ignore_index: Any
    label_smoothing: Any
    reduction: Any
    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction: str = 'mean', label_smoothing: _float = 0.0) -> None: ...
    forward: Any
class GRU(RNNBase):
    """Gated recurrent units over sequences."""
    def __init__(self, *args, **kwargs) -> None: ...
class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit: h' = (1 - z) n + z h."""
    def __init__(self, input_size, hidden_size, bias: _bool = True, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    forward: Any
class InstanceNorm1d(_Module):
    """Instance normalisation of (N, C, L) or (C, L); see `InstanceNorm2d`."""
    affine: Any
    eps: Any
    momentum: Any
    num_features: Any
    track_running_stats: Any
    def __init__(self, num_features, eps: _float = 1e-05, momentum=0.1, affine: _bool = False, track_running_stats: _bool = False, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    def extra_repr(self): ...
    forward: Any
    ndims: Any
    def reset_parameters(self):
        """Forget the batches that were seen, and scale by one again."""
    def reset_running_stats(self):
        """Forget the batches that were seen."""
class InstanceNorm2d(_Module):
    """Instance normalisation: each channel of each image, (N, C, H, W) or (C, H, W), by itself."""
    affine: Any
    eps: Any
    momentum: Any
    num_features: Any
    track_running_stats: Any
    def __init__(self, num_features, eps: _float = 1e-05, momentum=0.1, affine: _bool = False, track_running_stats: _bool = False, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    def extra_repr(self): ...
    forward: Any
    ndims: Any
    def reset_parameters(self):
        """Forget the batches that were seen, and scale by one again."""
    def reset_running_stats(self):
        """Forget the batches that were seen."""
class InstanceNorm3d(_Module):
    """Instance normalisation of (N, C, D, H, W) or (C, D, H, W); see `InstanceNorm2d`."""
    affine: Any
    eps: Any
    momentum: Any
    num_features: Any
    track_running_stats: Any
    def __init__(self, num_features, eps: _float = 1e-05, momentum=0.1, affine: _bool = False, track_running_stats: _bool = False, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    def extra_repr(self): ...
    forward: Any
    ndims: Any
    def reset_parameters(self):
        """Forget the batches that were seen, and scale by one again."""
    def reset_running_stats(self):
        """Forget the batches that were seen."""
class LSTM(RNNBase):
    """Long short-term memories over sequences; the state is (h, c)."""
    def __init__(self, *args, **kwargs) -> None: ...
class LSTMCell(RNNCellBase):
    """One step of a long short-term memory: c' = f c + i g, h' = o tanh(c')."""
    def __init__(self, input_size, hidden_size, bias: _bool = True, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    forward: Any
class LazyLinear(Linear):
    """A `Linear` that takes `in_features` from the last dimension of its first input."""
    bias: Any
    in_features: Any
    out_features: Any
    weight: Any
    def __init__(self, out_features, bias: _bool = True, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    becomes: Any
    def has_uninitialized_params(self):
        """Return whether a parameter or a buffer waits for its shape."""
    def initialize_parameters(self, input):
        """Take the sizes from an input."""
    learned: str
    def reset_parameters(self):
        """Draw the parameters, once their shapes are known."""
    def watch(self):
        """Look at the first input, and before that at what is loaded."""
class MultiLabelSoftMarginLoss(_Module):
    """The mean of `BCEWithLogitsLoss` over classes, then over samples."""
    reduction: Any
    def __init__(self, weight=None, size_average=None, reduce=None, reduction: str = 'mean') -> None: ...
    forward: Any
class MultiMarginLoss(_Module):
    margin: Any
    p: Any
    reduction: Any
    def __init__(self, p=1, margin: _float = 1.0, weight=None, size_average=None, reduce=None, reduction: str = 'mean') -> None: ...
    forward: Any
class NLLLoss(_Module):
    ignore_index: Any
    reduction: Any
    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction: str = 'mean') -> None: ...
    forward: Any
class RNN(RNNBase):
    nonlinearity: Any
    def __init__(self, *args, **kwargs) -> None: ...
class RNNCell(RNNCellBase):
    """h' = tanh(x W_ihᵀ + b_ih + h W_hhᵀ + b_hh), or relu of it."""
    nonlinearity: Any
    def __init__(self, input_size, hidden_size, bias: _bool = True, nonlinearity: str = 'tanh', device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    forward: Any
class ReLU6(Hardtanh):
    """min(max(x, 0), 6)."""
    def __init__(self, inplace: _bool = False) -> None: ...
    shown: Any
class Sequential(_Module):
    """Modules applied one after another: the output of each is the input of the next."""
    def __add__(self, other): ...
    def __delitem__(self, index): ...
    def __getitem__(self, index): ...
    def __iadd__(self, modules): ...
    def __init__(self, *args) -> None: ...
    def __iter__(self): ...
    def __len__(self) -> _int: ...
    def __setitem__(self, index, module): ...
    def append(self, module):
        """Add a module at the end, and return the container."""
    def extend(self, modules):
        """Add several modules at the end, and return the container."""
    forward: Any
    def insert(self, index, module):
        """Put a module before position `index`."""
    def pop(self, key):
        """Take a module out, and return it."""
class UninitializedParameter(_Parameter):
    """A parameter without a shape, until `materialize` gives it one."""
    def __init__(self, requires_grad: _bool = True, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    array: Any
    becomes: Any
    def copy_(self, other, non_blocking: _bool = False):
        """Take nothing from another tensor without a shape."""
    data: Any
    def detach(self): ...
    dtype: Any
    def is_floating_point(self) -> _bool: ...
    is_leaf: Any
    def materialize(self, shape, device: Device | None = None, dtype: _dtype | None = None):
        """Be an ordinary tensor of this shape from now on, whose numbers are whatever was in memory."""
    shape: Any
    def to(self, *args, dtype: _dtype | None = None, device: Device | None = None, **kwargs):
        """Note the type and the device that it is to have."""
class ZeroPad1d(ConstantPad1d):
    """A margin of zeros before and after the last dimension."""
    padding: Any
    def __init__(self, padding) -> None: ...
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class ZeroPad2d(ConstantPad2d):
    """A margin of zeros around images."""
    padding: Any
    def __init__(self, padding) -> None: ...
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class ZeroPad3d(ConstantPad3d):
    """A margin of zeros around the last three dimensions."""
    padding: Any
    def __init__(self, padding) -> None: ...
    def extra_repr(self): ...
    forward: Any
    mode: str
    value: Any
class LazyBatchNorm1d(BatchNorm1d):
    """A `BatchNorm1d` that takes `num_features` from its first input."""
    affine: Any
    bias: Any
    num_batches_tracked: Any
    num_features: Any
    running_mean: Any
    running_var: Any
    track_running_stats: Any
    weight: Any
    def __init__(self, eps: _float = 1e-05, momentum=0.1, affine: _bool = True, track_running_stats: _bool = True, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    becomes: Any
    def has_uninitialized_params(self):
        """Return whether a parameter or a buffer waits for its shape."""
    def initialize_parameters(self, input):
        """Take the number of channels from an input."""
    learned: str
    def reset_parameters(self):
        """Draw the parameters, once their shapes are known."""
    def watch(self):
        """Look at the first input, and before that at what is loaded."""
class LazyBatchNorm2d(BatchNorm2d):
    """A `BatchNorm2d` that takes `num_features` from its first input."""
    affine: Any
    bias: Any
    num_batches_tracked: Any
    num_features: Any
    running_mean: Any
    running_var: Any
    track_running_stats: Any
    weight: Any
    def __init__(self, eps: _float = 1e-05, momentum=0.1, affine: _bool = True, track_running_stats: _bool = True, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    becomes: Any
    def has_uninitialized_params(self):
        """Return whether a parameter or a buffer waits for its shape."""
    def initialize_parameters(self, input):
        """Take the number of channels from an input."""
    learned: str
    def reset_parameters(self):
        """Draw the parameters, once their shapes are known."""
    def watch(self):
        """Look at the first input, and before that at what is loaded."""
class LazyBatchNorm3d(BatchNorm3d):
    """A `BatchNorm3d` that takes `num_features` from its first input."""
    affine: Any
    bias: Any
    num_batches_tracked: Any
    num_features: Any
    running_mean: Any
    running_var: Any
    track_running_stats: Any
    weight: Any
    def __init__(self, eps: _float = 1e-05, momentum=0.1, affine: _bool = True, track_running_stats: _bool = True, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    becomes: Any
    def has_uninitialized_params(self):
        """Return whether a parameter or a buffer waits for its shape."""
    def initialize_parameters(self, input):
        """Take the number of channels from an input."""
    learned: str
    def reset_parameters(self):
        """Draw the parameters, once their shapes are known."""
    def watch(self):
        """Look at the first input, and before that at what is loaded."""
class LazyConv1d(Conv1d):
    """A `Conv1d` that takes `in_channels` from its first input."""
    bias: Any
    in_channels: Any
    out_channels: Any
    weight: Any
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias: _bool = True, padding_mode: str = 'zeros', device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    becomes: Any
    def has_uninitialized_params(self):
        """Return whether a parameter or a buffer waits for its shape."""
    def initialize_parameters(self, input, *others):
        """Take the number of channels from an input."""
    learned: str
    def reset_parameters(self):
        """Draw the parameters, once their shapes are known."""
    def wait(self, out_channels, bias, device: Device, dtype: _dtype):
        """Have parameters whose shape is yet to be learned."""
    def watch(self):
        """Look at the first input, and before that at what is loaded."""
class LazyConv2d(Conv2d):
    """A `Conv2d` that takes `in_channels` from its first input."""
    bias: Any
    in_channels: Any
    out_channels: Any
    weight: Any
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias: _bool = True, padding_mode: str = 'zeros', device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    becomes: Any
    def has_uninitialized_params(self):
        """Return whether a parameter or a buffer waits for its shape."""
    def initialize_parameters(self, input, *others):
        """Take the number of channels from an input."""
    learned: str
    def reset_parameters(self):
        """Draw the parameters, once their shapes are known."""
    def wait(self, out_channels, bias, device: Device, dtype: _dtype):
        """Have parameters whose shape is yet to be learned."""
    def watch(self):
        """Look at the first input, and before that at what is loaded."""
class LazyInstanceNorm1d(InstanceNorm1d):
    """An `InstanceNorm1d` that takes `num_features` from its first input."""
    affine: Any
    bias: Any
    num_batches_tracked: Any
    num_features: Any
    running_mean: Any
    running_var: Any
    track_running_stats: Any
    weight: Any
    def __init__(self, eps: _float = 1e-05, momentum=0.1, affine: _bool = True, track_running_stats: _bool = True, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    becomes: Any
    def has_uninitialized_params(self):
        """Return whether a parameter or a buffer waits for its shape."""
    def initialize_parameters(self, input):
        """Take the number of channels from an input."""
    learned: str
    def reset_parameters(self):
        """Draw the parameters, once their shapes are known."""
    def watch(self):
        """Look at the first input, and before that at what is loaded."""
class LazyInstanceNorm2d(InstanceNorm2d):
    """An `InstanceNorm2d` that takes `num_features` from its first input."""
    affine: Any
    bias: Any
    num_batches_tracked: Any
    num_features: Any
    running_mean: Any
    running_var: Any
    track_running_stats: Any
    weight: Any
    def __init__(self, eps: _float = 1e-05, momentum=0.1, affine: _bool = True, track_running_stats: _bool = True, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    becomes: Any
    def has_uninitialized_params(self):
        """Return whether a parameter or a buffer waits for its shape."""
    def initialize_parameters(self, input):
        """Take the number of channels from an input."""
    learned: str
    def reset_parameters(self):
        """Draw the parameters, once their shapes are known."""
    def watch(self):
        """Look at the first input, and before that at what is loaded."""
class LazyInstanceNorm3d(InstanceNorm3d):
    """An `InstanceNorm3d` that takes `num_features` from its first input."""
    affine: Any
    bias: Any
    num_batches_tracked: Any
    num_features: Any
    running_mean: Any
    running_var: Any
    track_running_stats: Any
    weight: Any
    def __init__(self, eps: _float = 1e-05, momentum=0.1, affine: _bool = True, track_running_stats: _bool = True, device: Device | None = None, dtype: _dtype | None = None, *, bias: _bool = True) -> None: ...
    becomes: Any
    def has_uninitialized_params(self):
        """Return whether a parameter or a buffer waits for its shape."""
    def initialize_parameters(self, input):
        """Take the number of channels from an input."""
    learned: str
    def reset_parameters(self):
        """Draw the parameters, once their shapes are known."""
    def watch(self):
        """Look at the first input, and before that at what is loaded."""
class LazyConvTranspose1d(ConvTranspose1d):
    """A `ConvTranspose1d` that takes `in_channels` from its first input."""
    bias: Any
    in_channels: Any
    out_channels: Any
    weight: Any
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias: _bool = True, dilation=1, padding_mode: str = 'zeros', device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    becomes: Any
    def has_uninitialized_params(self):
        """Return whether a parameter or a buffer waits for its shape."""
    def initialize_parameters(self, input, *others):
        """Take the number of channels from an input."""
    learned: str
    def reset_parameters(self):
        """Draw the parameters, once their shapes are known."""
    def wait(self, out_channels, bias, device: Device, dtype: _dtype):
        """Have parameters whose shape is yet to be learned."""
    def watch(self):
        """Look at the first input, and before that at what is loaded."""
class LazyConvTranspose2d(ConvTranspose2d):
    """A `ConvTranspose2d` that takes `in_channels` from its first input."""
    bias: Any
    in_channels: Any
    out_channels: Any
    weight: Any
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias: _bool = True, dilation=1, padding_mode: str = 'zeros', device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    becomes: Any
    def has_uninitialized_params(self):
        """Return whether a parameter or a buffer waits for its shape."""
    def initialize_parameters(self, input, *others):
        """Take the number of channels from an input."""
    learned: str
    def reset_parameters(self):
        """Draw the parameters, once their shapes are known."""
    def wait(self, out_channels, bias, device: Device, dtype: _dtype):
        """Have parameters whose shape is yet to be learned."""
    def watch(self):
        """Look at the first input, and before that at what is loaded."""
