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
    """Shuffled channels (Zhang et al., 2018); see `channel_shuffle`."""
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
    """A table of one learned vector for each of `num_embeddings` symbols."""
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
        """Draw new values for the parameters: the weight, then the bias."""
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
    """Modules in a dictionary: registered as children, and called by the module that holds them."""
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
    """x moved closer to 0 by `lambd`, and 0 where that would cross zero."""
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
    """Modules in a list: registered as children, and called by the module that contains them."""
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
        """Insert a module before position `index`."""
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
    """Recurrent networks over sequences, `num_layers` high, and in both directions on request."""
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
    def __init__(self, requires_grad: _bool = False, device: Device | None = None, dtype: _dtype | None = None, persistent: _bool = True) -> None: ...
    array: Any
    becomes: Any
    def copy_(self, other, non_blocking: _bool = False):
        """Copy nothing from another tensor without a shape."""
    data: Any
    def detach(self): ...
    dtype: Any
    def is_floating_point(self) -> _bool: ...
    is_leaf: Any
    def materialize(self, shape, device: Device | None = None, dtype: _dtype | None = None):
        """Become an ordinary tensor of this shape, with uninitialised numbers."""
    shape: Any
    def to(self, *args, dtype: _dtype | None = None, device: Device | None = None, **kwargs):
        """Remember the type and the device that it will have."""
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
        """Insert a module before position `index`."""
    def pop(self, key):
        """Take a module out, and return it."""
class UninitializedParameter(_Parameter):
    """A parameter without a shape, until `materialize` gives it one."""
    def __init__(self, requires_grad: _bool = True, device: Device | None = None, dtype: _dtype | None = None) -> None: ...
    array: Any
    becomes: Any
    def copy_(self, other, non_blocking: _bool = False):
        """Copy nothing from another tensor without a shape."""
    data: Any
    def detach(self): ...
    dtype: Any
    def is_floating_point(self) -> _bool: ...
    is_leaf: Any
    def materialize(self, shape, device: Device | None = None, dtype: _dtype | None = None):
        """Become an ordinary tensor of this shape, with uninitialised numbers."""
    shape: Any
    def to(self, *args, dtype: _dtype | None = None, device: Device | None = None, **kwargs):
        """Remember the type and the device that it will have."""
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
