# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch import celu as celu
from tinytorch import celu_ as celu_
from tinytorch import cosine_similarity as cosine_similarity
from tinytorch import hardshrink as hardshrink
from tinytorch import pairwise_distance as pairwise_distance
from tinytorch import prelu as prelu
from tinytorch import relu as relu
from tinytorch import relu_ as relu_
from tinytorch import rrelu as rrelu
from tinytorch import rrelu_ as rrelu_
from tinytorch import selu as selu
from tinytorch import selu_ as selu_
from tinytorch import sigmoid as sigmoid
from tinytorch import tanh as tanh
from tinytorch import threshold as threshold
from tinytorch import threshold_ as threshold_
def adaptive_avg_pool1d(input: Tensor, output_size) -> Tensor: ...
def adaptive_avg_pool2d(input: Tensor, output_size) -> Tensor: ...
def adaptive_avg_pool3d(input: Tensor, output_size) -> Tensor: ...
def adaptive_max_pool1d(input: Tensor, output_size, return_indices: _bool = False): ...
def adaptive_max_pool1d_with_indices(input: Tensor, output_size, return_indices: _bool = False):
    """The maxima of pieces of sequences, and where they were found; see `adaptive_max_pool1d`."""
def adaptive_max_pool2d(input: Tensor, output_size, return_indices: _bool = False): ...
def adaptive_max_pool2d_with_indices(input: Tensor, output_size, return_indices: _bool = False):
    """The maxima of pieces of images, and where they were found; see `adaptive_max_pool2d`."""
def adaptive_max_pool3d(input: Tensor, output_size, return_indices: _bool = False): ...
def adaptive_max_pool3d_with_indices(input: Tensor, output_size, return_indices: _bool = False):
    """The maxima of pieces of volumes, and where they were found; see `adaptive_max_pool3d`."""
def affine_grid(theta, size, align_corners=None) -> Tensor: ...
def alpha_dropout(input: Tensor, p=0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Put numbers where SELU saturates with probability p, and keep mean and variance."""
def avg_pool1d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: _bool = False, count_include_pad: _bool = True) -> Tensor: ...
def avg_pool2d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override=None) -> Tensor:
    """The mean of what a window sees at each of its places."""
def avg_pool3d(*args, **kwargs) -> Tensor:
    """Not here: windows here move over sequences and images, not over volumes."""
def batch_norm(input: Tensor, running_mean, running_var, weight=None, bias=None, training: _bool = False, momentum=0.1, eps: _float = 1e-05) -> Tensor: ...
def bilinear(input1, input2, weight, bias=None) -> Tensor: ...
def binary_cross_entropy(input: Tensor, target: Tensor, weight=None, size_average=None, reduce=None, reduction: str = 'mean') -> Tensor:
    """The cross-entropy of two classes, from probabilities; see `BinaryCrossEntropy.forward`."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight=None, size_average=None, reduce=None, reduction: str = 'mean', pos_weight=None) -> Tensor:
    """Compute the cross-entropy of two classes from scores."""
def channel_shuffle(input: Tensor, groups) -> Tensor: ...
def conv1d(input: Tensor, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """Correlate sequences (N, C, L) or (C, L) with filters (O, C/groups, k); see `conv2d`."""
def conv2d(input: Tensor, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """Correlate images with filters."""
def conv3d(*args, **kwargs) -> Tensor:
    """Not here: windows here move over sequences and images, not over volumes."""
def conv_transpose1d(input: Tensor, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor:
    """Transposed convolution of sequences, weight (C, O/groups, k); see `conv_transpose2d`."""
def conv_transpose2d(input: Tensor, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor:
    """Spread each number of the input over a window of the output, weighted with a filter."""
def conv_transpose3d(*args, **kwargs) -> Tensor:
    """Not here: windows here move over sequences and images, not over volumes."""
def cosine_embedding_loss(input1, input2, target: Tensor, margin=0, size_average=None, reduce=None, reduction: str = 'mean') -> Tensor: ...
def cross_entropy(input: Tensor, target: Tensor, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction: str = 'mean', label_smoothing: _float = 0.0) -> Tensor: ...
def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction: str = 'mean', zero_infinity: _bool = False) -> Tensor: ...
def dropout(input: Tensor, p=0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero each element with probability p, and scale the others by 1 / (1 - p)."""
def dropout1d(input: Tensor, p=0.5, training: _bool = True, inplace: _bool = False) -> Tensor: ...
def dropout2d(input: Tensor, p=0.5, training: _bool = True, inplace: _bool = False) -> Tensor: ...
def dropout3d(input: Tensor, p=0.5, training: _bool = True, inplace: _bool = False) -> Tensor: ...
def elu(input: Tensor, alpha: _float = 1.0, inplace: _bool = False) -> Tensor:
    """x where it is positive, alpha (exp(x) - 1) elsewhere (Clevert and others, 2015)."""
def elu_(input: Tensor, alpha: _float = 1.0) -> Tensor:
    """`elu` in place."""
def embedding(input: Tensor, weight, padding_idx=None, max_norm=None, norm_type: _float = 2.0, scale_grad_by_freq: _bool = False, sparse: _bool = False) -> Tensor: ...
def embedding_bag(input: Tensor, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq: _bool = False, mode: str = 'mean', sparse: _bool = False, per_sample_weights=None, include_last_offset: _bool = False, padding_idx=None) -> Tensor:
    """Look rows up and reduce them bag by bag."""
def feature_alpha_dropout(input: Tensor, p=0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Put whole channels where SELU saturates with probability p; see `alpha_dropout`."""
def fold(input: Tensor, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor: ...
def fractional_max_pool2d(*args, **kwargs):
    """Not here: windows here are all of one size; use max_pool2d."""
def fractional_max_pool3d(*args, **kwargs):
    """Not here: windows here move over sequences and images, not over volumes."""
def gaussian_nll_loss(input: Tensor, target: Tensor, var, full: _bool = False, eps: _float = 1e-06, reduction: str = 'mean') -> Tensor:
    """-log of the density of a normal distribution, `gaussian_nll`, with its arguments checked."""
def gelu(input: Tensor, approximate: str = 'none') -> Tensor: ...
def glu(input: Tensor, dim: Dims = -1) -> Tensor: ...
def grid_sample(input: Tensor, grid, mode: str = 'bilinear', padding_mode: str = 'zeros', align_corners=None) -> Tensor:
    """Look at images at the places of a grid, between their pixels."""
def group_norm(input: Tensor, num_groups, weight=None, bias=None, eps: _float = 1e-05) -> Tensor:
    """Normalise each group of channels of each image by itself (Wu and He, 2018)."""
def gumbel_softmax(logits, tau=1, hard: _bool = False, eps: _float = 1e-10, dim: Dims = -1) -> Tensor: ...
def hardsigmoid(input: Tensor, inplace: _bool = False) -> Tensor:
    """The straight line from 0 at -3 to 1 at 3: relu6(x + 3) / 6."""
def hardswish(input: Tensor, inplace: _bool = False) -> Tensor:
    """x relu6(x + 3) / 6, nearly `silu` without an exponential (Howard and others, 2019)."""
def hardtanh(input: Tensor, min_val: _float = -1.0, max_val: _float = 1.0, inplace: _bool = False) -> Tensor:
    """x, but at least `min_val` and at most `max_val`; integers are allowed."""
def hardtanh_(input: Tensor, min_val: _float = -1.0, max_val: _float = 1.0) -> Tensor:
    """`hardtanh` in place."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _float = 1.0, size_average=None, reduce=None, reduction: str = 'mean') -> Tensor:
    """A distance itself where the target is 1, max(0, margin - distance) where it is -1."""
def huber_loss(input: Tensor, target: Tensor, reduction: str = 'mean', delta: _float = 1.0, weight=None) -> Tensor:
    """Squares of small differences, sizes of large ones; see `huber`."""
def instance_norm(input: Tensor, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats: _bool = True, momentum=0.1, eps: _float = 1e-05) -> Tensor:
    """Normalise each channel of each image by itself (Ulyanov et al., 2016)."""
def interpolate(input: Tensor, size=None, scale_factor=None, mode: str = 'nearest', align_corners=None, recompute_scale_factor=None, antialias: _bool = False) -> Tensor:
    """Make images, sequences or volumes larger or smaller."""
def kl_div(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = 'mean', log_target: _bool = False) -> Tensor:
    """Compute the Kullback-Leibler divergence, element by element, then reduced."""
def l1_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = 'mean', weight=None) -> Tensor:
    """The sizes of the differences: |input - target|."""
def layer_norm(input: Tensor, normalized_shape, weight=None, bias=None, eps: _float = 1e-05) -> Tensor: ...
def leaky_relu(input: Tensor, negative_slope: _float = 0.01, inplace: _bool = False) -> Tensor: ...
def leaky_relu_(input: Tensor, negative_slope: _float = 0.01) -> Tensor:
    """`leaky_relu` in place."""
def linear(input: Tensor, weight, bias=None) -> Tensor:
    """y = x Wᵀ + b along the last dimension of the input; see `Affine.forward`."""
def local_response_norm(input: Tensor, size, alpha: _float = 0.0001, beta: _float = 0.75, k: _float = 1.0) -> Tensor: ...
def log_softmax(input: Tensor, dim: Dims | None = None, _stacklevel=3, dtype: _dtype | None = None) -> Tensor:
    """Logarithms of the probabilities along `dim`; see `LogSoftmax.forward`."""
def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(x)), which is -softplus(-x): right for every x."""
def lp_pool1d(input: Tensor, norm_type, kernel_size, stride=None, ceil_mode: _bool = False) -> Tensor: ...
def lp_pool2d(input: Tensor, norm_type, kernel_size, stride=None, ceil_mode: _bool = False) -> Tensor:
    """The norm of what a window sees at each of its places: (Σ x^p)^(1/p), p being `norm_type`."""
def lp_pool3d(*args, **kwargs) -> Tensor:
    """Not here: windows here move over sequences and images, not over volumes."""
def margin_ranking_loss(input1, input2, target: Tensor, margin=0, size_average=None, reduce=None, reduction: str = 'mean') -> Tensor: ...
def max_pool1d(input: Tensor, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: _bool = False, return_indices: _bool = False):
    """The largest number in each window along sequences (N, C, L) or (C, L); see `max_pool2d`."""
def max_pool1d_with_indices(input: Tensor, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: _bool = False, return_indices: _bool = False):
    """The maxima of windows along sequences, and where they were found; see `max_pool1d`."""
def max_pool2d(input: Tensor, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: _bool = False, return_indices: _bool = False):
    """The largest number that a window sees at each of its places."""
def max_pool2d_with_indices(input: Tensor, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: _bool = False, return_indices: _bool = False):
    """The maxima of windows over images, and where they were found; see `max_pool2d`."""
def max_pool3d(*args, **kwargs):
    """Not here: windows here move over sequences and images, not over volumes."""
def max_unpool1d(input: Tensor, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor: ...
def max_unpool2d(input: Tensor, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Put each number back where `max_pool2d` found it, and zeros everywhere else."""
def max_unpool3d(*args, **kwargs) -> Tensor:
    """Not here: windows here move over sequences and images, not over volumes."""
def mish(input: Tensor, inplace: _bool = False) -> Tensor:
    """x tanh(softplus(x)), a gate like that of `silu` (Misra, 2019)."""
def mse_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = 'mean', weight=None) -> Tensor:
    """The squares of the differences: (input - target)^2."""
def multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training: _bool = True, key_padding_mask=None, need_weights: _bool = True, attn_mask=None, use_separate_proj_weight: _bool = False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, average_attn_weights: _bool = True, is_causal: _bool = False) -> Tensor:
    """Compute what MultiheadAttention does, with the weights that are given; batch second."""
def multi_margin_loss(input: Tensor, target: Tensor, p=1, margin: _float = 1.0, weight=None, size_average=None, reduce=None, reduction: str = 'mean') -> Tensor: ...
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = 'mean') -> Tensor: ...
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight=None, size_average=None, reduce=None, reduction: str = 'mean') -> Tensor: ...
def native_channel_shuffle(input: Tensor, groups) -> Tensor:
    """Alias of `channel_shuffle`."""
def nll_loss(input: Tensor, target: Tensor, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction: str = 'mean') -> Tensor:
    """Take the negative logarithm of the probability that each right class was given."""
def normalize(input: Tensor, p=2.0, dim: Dims = 1, eps: _float = 1e-12, out=None) -> Tensor:
    """Divide by the p-norm along `dim`, which counts as `eps` where it is smaller."""
def one_hot(input: Tensor, num_classes=-1) -> Tensor:
    """Turn each index into a row with a one at its position and zeros elsewhere."""
def pad(input: Tensor, pad, mode: str = 'constant', value=None) -> Tensor:
    """Put a margin around the last dimensions of a tensor."""
def pixel_shuffle(input: Tensor, upscale_factor) -> Tensor:
    """Make r² channels a square of r x r pixels: (..., C·r², H, W) becomes (..., C, H·r, W·r)."""
def pixel_unshuffle(input: Tensor, downscale_factor) -> Tensor: ...
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: _bool = True, full: _bool = False, size_average=None, eps: _float = 1e-08, reduce=None, reduction: str = 'mean') -> Tensor: ...
def relu6(input: Tensor, inplace: _bool = False) -> Tensor:
    """min(max(x, 0), 6), for numbers of few bits (Howard and others, 2017)."""
def rms_norm(input: Tensor, normalized_shape, weight=None, eps=None) -> Tensor:
    """Divide by the root mean square over the last dimensions; eps is by default the type's."""
def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p: _float = 0.0, is_causal: _bool = False, *, scale=None, enable_gqa: _bool = False) -> Tensor:
    """softmax(scale · q kᵀ + mask) v, as `plain_attention`, but as one operation."""
def silu(input: Tensor, inplace: _bool = False) -> Tensor:
    """x sigmoid(x), element by element; with `inplace`, in the memory of `input`."""
def smooth_l1_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = 'mean', beta: _float = 1.0) -> Tensor:
    """`huber_loss` over `beta`, whose slope beyond `beta` is 1; `l1_loss`, if `beta` is 0."""
def soft_margin_loss(input: Tensor, target: Tensor, size_average=None, reduce=None, reduction: str = 'mean') -> Tensor: ...
def softmax(input: Tensor, dim: Dims | None = None, _stacklevel=3, dtype: _dtype | None = None) -> Tensor:
    """Probabilities along `dim`, computed in `dtype` if given; see `Softmax.forward`."""
def softmin(input: Tensor, dim: Dims | None = None, _stacklevel=3, dtype: _dtype | None = None) -> Tensor:
    """`softmax` of -x: the smallest gets the largest share."""
def softplus(input: Tensor, beta=1, threshold=20) -> Tensor:
    """log(1 + exp(beta x)) / beta, or x where beta x is larger than `threshold`."""
def softshrink(input: Tensor, lambd: _float = 0.5) -> Tensor:
    """x brought closer to 0 by `lambd`, and 0 where that would go beyond."""
def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|): between -1 and 1 like `tanh`, which it approaches more slowly."""
def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x)."""
def triplet_margin_loss(anchor, positive, negative, margin: _float = 1.0, p=2, eps: _float = 1e-06, swap: _bool = False, size_average=None, reduce=None, reduction: str = 'mean') -> Tensor: ...
def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin: _float = 1.0, swap: _bool = False, reduction: str = 'mean') -> Tensor:
    """max(0, margin + distance to the positive - distance to the negative)."""
def unfold(input: Tensor, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """Write what a window sees at each of its places into a column."""
def upsample(input: Tensor, size=None, scale_factor=None, mode: str = 'nearest', align_corners=None) -> Tensor:
    """The old name of `interpolate`."""
def upsample_bilinear(input: Tensor, size=None, scale_factor=None) -> Tensor: ...
def upsample_nearest(input: Tensor, size=None, scale_factor=None) -> Tensor:
    """The old name of `interpolate` with nearest neighbours."""
