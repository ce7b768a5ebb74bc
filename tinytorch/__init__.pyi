# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Operand, _device, _dtype
from tinytorch import accelerator as accelerator
from tinytorch import amp as amp
from tinytorch import ao as ao
from tinytorch import autograd as autograd
from tinytorch import backends as backends
from tinytorch import compiler as compiler
from tinytorch import cpu as cpu
from tinytorch import cuda as cuda
from tinytorch import distributed as distributed
from tinytorch import distributions as distributions
from tinytorch import export as export
from tinytorch import func as func
from tinytorch import futures as futures
from tinytorch import fx as fx
from tinytorch import hub as hub
from tinytorch import jit as jit
from tinytorch import library as library
from tinytorch import linalg as linalg
from tinytorch import mps as mps
from tinytorch import nn as nn
from tinytorch import onnx as onnx
from tinytorch import ops as ops
from tinytorch import optim as optim
from tinytorch import profiler as profiler
from tinytorch import random as random
from tinytorch import serialization as serialization
from tinytorch import special as special
from tinytorch import testing as testing
from tinytorch import utils as utils
from tinytorch import version as version
from tinytorch import xpu as xpu
from tinytorch.utils.benchmark import Compare as Compare
from tinytorch.utils.data import Dataset as Dataset
from tinytorch.utils.flop_counter import FlopCounterMode as FlopCounterMode
from tinytorch._typed import Generator as Generator
from tinytorch.optim.lr_scheduler import LRScheduler as LRScheduler
from tinytorch.utils.benchmark import Measurement as Measurement
from tinytorch._typed import Module as Module
from tinytorch.optim import Optimizer as Optimizer
from tinytorch.utils.data import Sampler as Sampler
from tinytorch.utils.benchmark import TaskSpec as TaskSpec
from tinytorch._typed import Tensor as Tensor
from tinytorch.utils.benchmark import Timer as Timer
from tinytorch._typed import device as device
from tinytorch._typed import dtype as dtype
from tinytorch._typed import layout as layout
from tinytorch._typed import memory_format as memory_format
from tinytorch.profiler import profile as profile
from tinytorch.optim import ASGD as ASGD
from tinytorch.optim import Adadelta as Adadelta
from tinytorch.optim import Adafactor as Adafactor
from tinytorch.optim import Adagrad as Adagrad
from tinytorch.optim import Adam as Adam
from tinytorch.optim import Adamax as Adamax
from tinytorch.optim.swa_utils import AveragedModel as AveragedModel
from tinytorch.nn.utils.prune import BasePruningMethod as BasePruningMethod
from tinytorch._typed import Module as _Module
from tinytorch.utils.data import BatchSampler as BatchSampler
from tinytorch.nn import Bilinear as Bilinear
from tinytorch.nn import Buffer as Buffer
from tinytorch.nn import ChannelShuffle as ChannelShuffle
from tinytorch.utils.benchmark import Colorize as Colorize
from tinytorch.utils.data import ConcatDataset as ConcatDataset
from tinytorch.optim.lr_scheduler import ConstantLR as ConstantLR
from tinytorch.optim.lr_scheduler import CosineAnnealingLR as CosineAnnealingLR
from tinytorch.optim.lr_scheduler import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
from tinytorch.nn import CosineSimilarity as CosineSimilarity
from tinytorch.utils.data import DataLoader as DataLoader
from tinytorch.nn import DataParallel as DataParallel
from tinytorch.utils.data import DistributedSampler as DistributedSampler
from tinytorch.nn import Dropout as Dropout
from tinytorch.nn import Embedding as Embedding
from tinytorch.nn import EmbeddingBag as EmbeddingBag
from tinytorch.optim.lr_scheduler import ExponentialLR as ExponentialLR
from tinytorch.ao.quantization import FakeQuantize as FakeQuantize
from tinytorch.nn import Flatten as Flatten
from tinytorch.nn import Fold as Fold
from tinytorch.nn import GELU as GELU
from tinytorch.nn import GLU as GLU
from tinytorch.nn import GroupNorm as GroupNorm
from tinytorch.nn import Identity as Identity
from tinytorch.optim import LBFGS as LBFGS
from tinytorch.optim.lr_scheduler import LambdaLR as LambdaLR
from tinytorch.utils.benchmark import Language as Language
from tinytorch.nn import LeakyReLU as LeakyReLU
from tinytorch.nn import Linear as Linear
from tinytorch.optim.lr_scheduler import LinearLR as LinearLR
from tinytorch.nn import LocalResponseNorm as LocalResponseNorm
from tinytorch.nn import LogSigmoid as LogSigmoid
from tinytorch.nn import LogSoftmax as LogSoftmax
from tinytorch.nn import ModuleDict as ModuleDict
from tinytorch.optim.lr_scheduler import MultiStepLR as MultiStepLR
from tinytorch.nn import MultiheadAttention as MultiheadAttention
from tinytorch.optim import Muon as Muon
from tinytorch.optim import NAdam as NAdam
from tinytorch.ao.quantization import ObserverBase as ObserverBase
from tinytorch.nn import PReLU as PReLU
from tinytorch.nn import PairwiseDistance as PairwiseDistance
from tinytorch._typed import Parameter as Parameter
from tinytorch.nn import ParameterDict as ParameterDict
from tinytorch.nn import ParameterList as ParameterList
from tinytorch.nn import PixelShuffle as PixelShuffle
from tinytorch.nn import PixelUnshuffle as PixelUnshuffle
from tinytorch.optim.lr_scheduler import PolynomialLR as PolynomialLR
from tinytorch.profiler import ProfilerAction as ProfilerAction
from tinytorch.profiler import ProfilerActivity as ProfilerActivity
from tinytorch.utils.data import Dataset as _Dataset
from tinytorch.optim import RAdam as RAdam
from tinytorch.optim import RMSprop as RMSprop
from tinytorch.utils.data import RandomSampler as RandomSampler
from tinytorch.nn import ReLU as ReLU
from tinytorch.optim.lr_scheduler import ReduceLROnPlateau as ReduceLROnPlateau
from tinytorch.optim import Rprop as Rprop
from tinytorch.optim import SGD as SGD
from tinytorch.optim.swa_utils import SWALR as SWALR
from tinytorch.utils.data import SequentialSampler as SequentialSampler
from tinytorch.nn import SiLU as SiLU
from tinytorch.nn import Sigmoid as Sigmoid
from tinytorch._typed import Size as Size
from tinytorch.nn import Softmax as Softmax
from tinytorch.nn import Softmax2d as Softmax2d
from tinytorch.nn import Softmin as Softmin
from tinytorch.nn import Softplus as Softplus
from tinytorch.nn import Softshrink as Softshrink
from tinytorch.nn import Softsign as Softsign
from tinytorch.optim.lr_scheduler import StepLR as StepLR
from tinytorch.utils.data import Subset as Subset
from tinytorch.utils.data import SubsetRandomSampler as SubsetRandomSampler
from tinytorch.nn import Tanh as Tanh
from tinytorch.nn import Tanhshrink as Tanhshrink
from tinytorch.utils.data import TensorDataset as TensorDataset
from tinytorch.nn import Transformer as Transformer
from tinytorch.nn import TransformerDecoder as TransformerDecoder
from tinytorch.nn import TransformerDecoderLayer as TransformerDecoderLayer
from tinytorch.nn import TransformerEncoder as TransformerEncoder
from tinytorch.nn import TransformerEncoderLayer as TransformerEncoderLayer
from tinytorch.nn import Unflatten as Unflatten
from tinytorch.nn import Unfold as Unfold
from tinytorch.nn import Upsample as Upsample
from tinytorch.utils.data import WeightedRandomSampler as WeightedRandomSampler
from tinytorch.amp import autocast as autocast
from tinytorch.profiler import record_function as record_function
from tinytorch.optim import AdamW as AdamW
from tinytorch.nn import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from tinytorch.nn import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from tinytorch.nn import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from tinytorch.nn import AlphaDropout as AlphaDropout
from tinytorch.nn import AvgPool1d as AvgPool1d
from tinytorch.nn import AvgPool2d as AvgPool2d
from tinytorch.nn import AvgPool3d as AvgPool3d
from tinytorch.nn import CELU as CELU
from tinytorch.nn import CTCLoss as CTCLoss
from tinytorch.optim.lr_scheduler import ChainedScheduler as ChainedScheduler
from tinytorch.nn import Conv1d as Conv1d
from tinytorch.nn import Conv2d as Conv2d
from tinytorch.nn import Conv3d as Conv3d
from tinytorch.nn import ConvTranspose3d as ConvTranspose3d
from tinytorch.nn import CosineEmbeddingLoss as CosineEmbeddingLoss
from tinytorch.nn import CrossMapLRN2d as CrossMapLRN2d
from tinytorch.nn.utils.prune import CustomFromMask as CustomFromMask
from tinytorch.optim.lr_scheduler import CyclicLR as CyclicLR
from tinytorch.nn.parallel import DistributedDataParallel as DistributedDataParallel
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
from tinytorch.utils.data import IterableDataset as IterableDataset
from tinytorch.nn import KLDivLoss as KLDivLoss
from tinytorch.nn import L1Loss as L1Loss
from tinytorch.nn.utils.prune import L1Unstructured as L1Unstructured
from tinytorch.nn import LPPool1d as LPPool1d
from tinytorch.nn import LPPool2d as LPPool2d
from tinytorch.nn import LPPool3d as LPPool3d
from tinytorch.nn import LayerNorm as LayerNorm
from tinytorch.nn import LazyConv3d as LazyConv3d
from tinytorch.nn import LazyConvTranspose3d as LazyConvTranspose3d
from tinytorch.nn.utils.prune import LnStructured as LnStructured
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
from tinytorch.optim.lr_scheduler import MultiplicativeLR as MultiplicativeLR
from tinytorch.optim.lr_scheduler import OneCycleLR as OneCycleLR
from tinytorch.nn.utils.rnn import PackedSequence as PackedSequence
from tinytorch.nn import PoissonNLLLoss as PoissonNLLLoss
from tinytorch.nn.utils.prune import PruningContainer as PruningContainer
from tinytorch.ao.quantization import QConfig as QConfig
from tinytorch.nn import RMSNorm as RMSNorm
from tinytorch.nn import RNNBase as RNNBase
from tinytorch.nn import RNNCellBase as RNNCellBase
from tinytorch.nn import RReLU as RReLU
from tinytorch.nn.utils.prune import RandomStructured as RandomStructured
from tinytorch.nn.utils.prune import RandomUnstructured as RandomUnstructured
from tinytorch.nn import ReflectionPad1d as ReflectionPad1d
from tinytorch.nn import ReflectionPad2d as ReflectionPad2d
from tinytorch.nn import ReflectionPad3d as ReflectionPad3d
from tinytorch.nn import ReplicationPad1d as ReplicationPad1d
from tinytorch.nn import ReplicationPad2d as ReplicationPad2d
from tinytorch.nn import ReplicationPad3d as ReplicationPad3d
from tinytorch.nn import SELU as SELU
from tinytorch.optim.lr_scheduler import SequentialLR as SequentialLR
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
from tinytorch.utils.data import ChainDataset as ChainDataset
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
from tinytorch.ao.quantization import MinMaxObserver as MinMaxObserver
from tinytorch.nn import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from tinytorch.nn import MultiMarginLoss as MultiMarginLoss
from tinytorch.nn import NLLLoss as NLLLoss
from tinytorch.cuda import OutOfMemoryError as OutOfMemoryError
from tinytorch.nn import RNN as RNN
from tinytorch.nn import RNNCell as RNNCell
from tinytorch.nn import ReLU6 as ReLU6
from tinytorch.nn import Sequential as Sequential
from tinytorch.utils.data import IterableDataset as _IterableDataset
from tinytorch.nn import UninitializedParameter as UninitializedParameter
from tinytorch.ao.quantization import ObserverBase as _ObserverBase
from tinytorch.ao.quantization import MovingAverageMinMaxObserver as MovingAverageMinMaxObserver
from tinytorch.ao.quantization import PerChannelMinMaxObserver as PerChannelMinMaxObserver
from tinytorch.ao.quantization import MovingAveragePerChannelMinMaxObserver as MovingAveragePerChannelMinMaxObserver
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
from tinytorch.nn.functional import adaptive_avg_pool1d as adaptive_avg_pool1d
from tinytorch.nn.functional import adaptive_avg_pool2d as adaptive_avg_pool2d
from tinytorch.nn.functional import adaptive_avg_pool3d as adaptive_avg_pool3d
from tinytorch.nn.functional import adaptive_max_pool1d as adaptive_max_pool1d
from tinytorch.nn.functional import adaptive_max_pool1d_with_indices as adaptive_max_pool1d_with_indices
from tinytorch.nn.functional import adaptive_max_pool2d as adaptive_max_pool2d
from tinytorch.nn.functional import adaptive_max_pool2d_with_indices as adaptive_max_pool2d_with_indices
from tinytorch.nn.functional import adaptive_max_pool3d as adaptive_max_pool3d
from tinytorch.nn.functional import adaptive_max_pool3d_with_indices as adaptive_max_pool3d_with_indices
from tinytorch.nn.functional import affine_grid as affine_grid
from tinytorch.nn.functional import alpha_dropout as alpha_dropout
from tinytorch.nn.functional import avg_pool1d as avg_pool1d
from tinytorch.nn.functional import avg_pool2d as avg_pool2d
from tinytorch.nn.functional import avg_pool3d as avg_pool3d
from tinytorch.nn.functional import batch_norm as batch_norm
from tinytorch.nn.functional import bilinear as bilinear
from tinytorch.nn.functional import binary_cross_entropy as binary_cross_entropy
from tinytorch.nn.functional import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from tinytorch.nn.init import calculate_gain as calculate_gain
from tinytorch.nn.functional import channel_shuffle as channel_shuffle
from tinytorch.nn.utils import clip_grad_norm as clip_grad_norm
from tinytorch.nn.utils import clip_grad_norm_ as clip_grad_norm_
from tinytorch.nn.utils import clip_grad_value_ as clip_grad_value_
from tinytorch.nn.utils import clip_grads_with_norm_ as clip_grads_with_norm_
from tinytorch.compiler import compile as compile
from tinytorch.nn.init import constant as constant
from tinytorch.nn.init import constant_ as constant_
from tinytorch.nn.functional import conv1d as conv1d
from tinytorch.nn.functional import conv2d as conv2d
from tinytorch.nn.functional import conv3d as conv3d
from tinytorch.nn.functional import conv_transpose1d as conv_transpose1d
from tinytorch.nn.functional import conv_transpose2d as conv_transpose2d
from tinytorch.nn.functional import conv_transpose3d as conv_transpose3d
from tinytorch.ao.quantization import convert as convert
from tinytorch.nn.functional import cosine_embedding_loss as cosine_embedding_loss
from tinytorch.nn.functional import cross_entropy as cross_entropy
from tinytorch.nn.functional import ctc_loss as ctc_loss
from tinytorch.nn.utils.prune import custom_from_mask as custom_from_mask
from tinytorch.utils.data import default_collate as default_collate
from tinytorch.utils.data import default_convert as default_convert
from tinytorch.nn.init import dirac as dirac
from tinytorch.nn.init import dirac_ as dirac_
from tinytorch.nn.functional import dropout as dropout
from tinytorch.nn.functional import dropout1d as dropout1d
from tinytorch.nn.functional import dropout2d as dropout2d
from tinytorch.nn.functional import dropout3d as dropout3d
from tinytorch.nn.functional import elu as elu
from tinytorch.nn.functional import elu_ as elu_
from tinytorch.nn.functional import embedding as embedding
from tinytorch.nn.functional import embedding_bag as embedding_bag
from tinytorch.nn.init import eye_ as eye_
from tinytorch.nn.functional import feature_alpha_dropout as feature_alpha_dropout
from tinytorch.nn.functional import fold as fold
from tinytorch.nn.functional import fractional_max_pool2d as fractional_max_pool2d
from tinytorch.nn.functional import fractional_max_pool3d as fractional_max_pool3d
from tinytorch.nn.functional import gaussian_nll_loss as gaussian_nll_loss
from tinytorch.nn.functional import gelu as gelu
from tinytorch.amp import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from tinytorch.amp import get_autocast_dtype as get_autocast_dtype
from tinytorch.amp import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from tinytorch.optim.swa_utils import get_ema_avg_fn as get_ema_avg_fn
from tinytorch.optim.swa_utils import get_ema_multi_avg_fn as get_ema_multi_avg_fn
from tinytorch.optim.swa_utils import get_swa_avg_fn as get_swa_avg_fn
from tinytorch.optim.swa_utils import get_swa_multi_avg_fn as get_swa_multi_avg_fn
from tinytorch.nn.utils import get_total_norm as get_total_norm
from tinytorch.utils.data import get_worker_info as get_worker_info
from tinytorch.nn.utils.prune import global_unstructured as global_unstructured
from tinytorch.nn.functional import glu as glu
from tinytorch.nn.functional import grid_sample as grid_sample
from tinytorch.nn.functional import group_norm as group_norm
from tinytorch.nn.functional import gumbel_softmax as gumbel_softmax
from tinytorch.nn.functional import hardsigmoid as hardsigmoid
from tinytorch.nn.functional import hardswish as hardswish
from tinytorch.nn.functional import hardtanh as hardtanh
from tinytorch.nn.functional import hardtanh_ as hardtanh_
from tinytorch.nn.functional import hinge_embedding_loss as hinge_embedding_loss
from tinytorch.nn.functional import huber_loss as huber_loss
from tinytorch.nn.utils.prune import identity as identity
from tinytorch.nn.functional import instance_norm as instance_norm
from tinytorch.nn.functional import interpolate as interpolate
from tinytorch.nn.utils.rnn import invert_permutation as invert_permutation
from tinytorch.amp import is_autocast_cache_enabled as is_autocast_cache_enabled
from tinytorch.amp import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from tinytorch.amp import is_autocast_enabled as is_autocast_enabled
from tinytorch.nn.utils.prune import is_pruned as is_pruned
from tinytorch.nn.init import kaiming_normal as kaiming_normal
from tinytorch.nn.init import kaiming_normal_ as kaiming_normal_
from tinytorch.nn.init import kaiming_uniform as kaiming_uniform
from tinytorch.nn.init import kaiming_uniform_ as kaiming_uniform_
from tinytorch.nn.functional import kl_div as kl_div
from tinytorch.nn.functional import l1_loss as l1_loss
from tinytorch.nn.utils.prune import l1_unstructured as l1_unstructured
from tinytorch.nn.functional import layer_norm as layer_norm
from tinytorch.nn.functional import leaky_relu as leaky_relu
from tinytorch.nn.functional import leaky_relu_ as leaky_relu_
from tinytorch.nn.functional import linear as linear
from tinytorch.nn.utils.prune import ln_structured as ln_structured
from tinytorch.nn.functional import local_response_norm as local_response_norm
from tinytorch.nn.functional import logsigmoid as logsigmoid
from tinytorch.nn.functional import lp_pool1d as lp_pool1d
from tinytorch.nn.functional import lp_pool2d as lp_pool2d
from tinytorch.nn.functional import lp_pool3d as lp_pool3d
from tinytorch.nn.functional import margin_ranking_loss as margin_ranking_loss
from tinytorch.nn.functional import max_pool1d as max_pool1d
from tinytorch.nn.functional import max_pool1d_with_indices as max_pool1d_with_indices
from tinytorch.nn.functional import max_pool2d as max_pool2d
from tinytorch.nn.functional import max_pool2d_with_indices as max_pool2d_with_indices
from tinytorch.nn.functional import max_pool3d as max_pool3d
from tinytorch.nn.functional import max_unpool1d as max_unpool1d
from tinytorch.nn.functional import max_unpool2d as max_unpool2d
from tinytorch.nn.functional import max_unpool3d as max_unpool3d
from tinytorch.nn.functional import mish as mish
from tinytorch.nn.functional import mse_loss as mse_loss
from tinytorch.nn.functional import multi_head_attention_forward as multi_head_attention_forward
from tinytorch.nn.functional import multi_margin_loss as multi_margin_loss
from tinytorch.nn.functional import multilabel_margin_loss as multilabel_margin_loss
from tinytorch.nn.functional import multilabel_soft_margin_loss as multilabel_soft_margin_loss
from tinytorch.nn.functional import native_channel_shuffle as native_channel_shuffle
from tinytorch.nn.functional import nll_loss as nll_loss
from tinytorch.nn.init import normal_ as normal_
from tinytorch.nn.functional import normalize as normalize
from tinytorch.nn.functional import one_hot as one_hot
from tinytorch.nn.init import ones_ as ones_
from tinytorch.utils.benchmark import ordered_unique as ordered_unique
from tinytorch.nn.init import orthogonal as orthogonal
from tinytorch.nn.init import orthogonal_ as orthogonal_
from tinytorch.nn.utils.rnn import pack_padded_sequence as pack_padded_sequence
from tinytorch.nn.utils.rnn import pack_sequence as pack_sequence
from tinytorch.nn.functional import pad as pad
from tinytorch.nn.utils.rnn import pad_packed_sequence as pad_packed_sequence
from tinytorch.nn.utils.rnn import pad_sequence as pad_sequence
from tinytorch.nn.utils import parameters_to_vector as parameters_to_vector
from tinytorch.nn.functional import pixel_shuffle as pixel_shuffle
from tinytorch.nn.functional import pixel_unshuffle as pixel_unshuffle
from tinytorch.nn.functional import poisson_nll_loss as poisson_nll_loss
from tinytorch.ao.quantization import prepare as prepare
from tinytorch.ao.quantization import prepare_qat as prepare_qat
from tinytorch.ao.quantization import quantize_dynamic as quantize_dynamic
from tinytorch.utils.data import random_split as random_split
from tinytorch.nn.utils.prune import random_structured as random_structured
from tinytorch.nn.utils.prune import random_unstructured as random_unstructured
from tinytorch.utils.flop_counter import register_flop_formula as register_flop_formula
from tinytorch.nn.functional import relu6 as relu6
from tinytorch.nn.utils.prune import remove as remove
from tinytorch.nn.utils import remove_spectral_norm as remove_spectral_norm
from tinytorch.nn.utils import remove_weight_norm as remove_weight_norm
from tinytorch.nn.functional import rms_norm as rms_norm
from tinytorch.nn.functional import scaled_dot_product_attention as scaled_dot_product_attention
from tinytorch.profiler import schedule as schedule
from tinytorch.utils.benchmark import select_unit as select_unit
from tinytorch.utils.benchmark import set_torch_threads as set_torch_threads
from tinytorch.nn.functional import silu as silu
from tinytorch.nn.functional import smooth_l1_loss as smooth_l1_loss
from tinytorch.nn.functional import soft_margin_loss as soft_margin_loss
from tinytorch.nn.functional import softmin as softmin
from tinytorch.nn.functional import softplus as softplus
from tinytorch.nn.functional import softshrink as softshrink
from tinytorch.nn.functional import softsign as softsign
from tinytorch.nn.init import sparse_ as sparse_
from tinytorch.nn.utils import spectral_norm as spectral_norm
from tinytorch.profiler import supported_activities as supported_activities
from tinytorch.nn.functional import tanhshrink as tanhshrink
from tinytorch.profiler import tensorboard_trace_handler as tensorboard_trace_handler
from tinytorch.utils.benchmark import timer as timer
from tinytorch.utils.benchmark import trim_sigfig as trim_sigfig
from tinytorch.nn.functional import triplet_margin_loss as triplet_margin_loss
from tinytorch.nn.functional import triplet_margin_with_distance_loss as triplet_margin_with_distance_loss
from tinytorch.nn.init import trunc_normal_ as trunc_normal_
from tinytorch.nn.functional import unfold as unfold
from tinytorch.nn.init import uniform as uniform
from tinytorch.nn.init import uniform_ as uniform_
from tinytorch.utils.benchmark import unit_to_english as unit_to_english
from tinytorch.nn.utils.rnn import unpack_sequence as unpack_sequence
from tinytorch.nn.utils.rnn import unpad_sequence as unpad_sequence
from tinytorch.optim.swa_utils import update_bn as update_bn
from tinytorch.nn.functional import upsample as upsample
from tinytorch.nn.functional import upsample_bilinear as upsample_bilinear
from tinytorch.nn.functional import upsample_nearest as upsample_nearest
from tinytorch.nn.utils import vector_to_parameters as vector_to_parameters
from tinytorch.nn.utils import weight_norm as weight_norm
from tinytorch.nn.init import xavier_normal as xavier_normal
from tinytorch.nn.init import xavier_normal_ as xavier_normal_
from tinytorch.nn.init import xavier_uniform as xavier_uniform
from tinytorch.nn.init import xavier_uniform_ as xavier_uniform_
from tinytorch.nn.init import zeros_ as zeros_
BFloat16Tensor: Any
class BPETokenizer:
    """Byte-level byte-pair encoding as in GPT-2: its splitting pattern, its files, its ids."""
    merges: Any
    special_tokens: Any
    tokens: Any
    vocabulary: Any
    def __init__(self, vocabulary, merges, special_tokens=None) -> None: ...
    def decode(self, ids, errors: str = 'replace'): ...
    def decode_bytes(self, ids):
        """Turn ids into bytes; an id that does not exist is a KeyError."""
    def encode(self, text, *, allowed_special=..., disallowed_special: str = 'all'):
        """Turn text into a list of ids."""
    def encode_bytes(self, data):
        """Turn any bytes into ids, from which `decode_bytes` recovers the same bytes."""
    def encode_iterable(self, chunks, *, allowed_special=..., disallowed_special: str = 'all'):
        """Yield the ids of a text that arrives in chunks, in bounded memory; see `encode`."""
    @classmethod
    def from_gguf(cls, path):
        """Read the tokenizer of a model's file."""
    @classmethod
    def load(cls, folder):
        """Read `vocab.json` and `merges.txt` from a folder."""
    n_vocab: Any
    def save(self, folder): ...
    @classmethod
    def train(cls, text, vocab_size, special_tokens=()):
        """Learn a tokenizer from a text."""
class Benchmark:
    """The times of a program's runs in seconds, in their order, and what they say."""
    environment: Any
    times: Any
    def __init__(self, times, precision=None, environment=..., seed=0) -> None: ...
    def __post_init__(self): ...
    def __setattr__(self, name, value): ...
    def bootstrap(self, statistic=...):
        """The 95% interval of any statistic of the times, by bootstrap."""
    @classmethod
    def from_json(cls, text):
        """The result that `to_json` wrote; ValueError for other text."""
    interval: Any
    mean: Any
    mean_interval: Any
    median: Any
    precision: Any
    sd: Any
    seed: _int
    def to_json(self):
        """All of it as text; `from_json` makes the same result of it."""
    warnings: Any
BoolTensor: Any
ByteTensor: Any
class Callback:
    """Code that runs at certain moments of the training; each method gets the trainer."""
    def __init__(self, *args, **kwargs) -> None: ...
    def load_state_dict(self, state_dict):
        """Restore that state."""
    def on_epoch_begin(self, trainer):
        """Before the first batch of an epoch."""
    def on_epoch_end(self, trainer):
        """After an epoch and its validation."""
    def on_fit_begin(self, trainer):
        """Before the first epoch."""
    def on_fit_end(self, trainer):
        """When training ends, even by an error."""
    def on_step_end(self, trainer):
        """After each step of the optimizer."""
    def state_dict(self):
        """The state that is needed to resume the training."""
CharTensor: Any
class CharTokenizer:
    """Number the characters of a text in sorted order."""
    characters: Any
    ids: Any
    def __init__(self, text) -> None:
        """Take the characters that occur in `text` as the vocabulary."""
    def decode(self, ids):
        """Turn ids back into text."""
    def encode(self, text):
        """Turn text into ids, one for each character."""
    n_vocab: Any
class Comparison:
    a: Any
    b: Any
    environment: Any
    def __init__(self, a, b, names=('a', 'b'), precision=None, environment=...) -> None: ...
    def __post_init__(self): ...
    def __setattr__(self, name, value): ...
    found: Any
    @classmethod
    def from_json(cls, text):
        """The result that `to_json` wrote; ValueError for other text."""
    interval: Any
    names: Any
    precision: Any
    ratio: Any
    def to_json(self):
        """All of it as text; `from_json` makes the same result of it."""
    verdict: Any
    warnings: Any
class Compose:
    """Several transforms, one after the other, as one."""
    transforms: Any
    def __call__(self, image): ...
    def __init__(self, transforms) -> None: ...
class Context:
    """The record of one call of an operation for its gradient: a node in the graph."""
    edges: Any
    function: Any
    def __init__(self, function=None, edges=()) -> None: ...
    def asks_for(self, number):
        """Whether the gradient of this input may be needed: what only it needs is saved only then."""
    def check_changes(self): ...
    def free(self):
        """Let go of what was saved; asking for it again is an error."""
    hooks: Any
    ids: Any
    def keep(self, array): ...
    def name(self):
        """The node's name, such as MulBackward0: made of the operation's, or of its `node_name`."""
    named_after: _bool
    def needs(self, place):
        """Whether a required gradient is computed from the array that was saved at this place."""
    needs_input_grad: Any
    next_functions: Any
    number: _float
    def put_into(self, array, in_place: _bool = True):
        """Note that the output has been written into `array`, where a later change is found."""
    def record(self, arrays, output, result): ...
    results: Any
    rule_in_float32: _bool
    def save_for_backward(self, *arrays):
        """Keep arrays that the gradient will need: inputs, outputs, or constants."""
    saved: Any
    saved_tensors: Any
    def unpack(self): ...
    written: Any
class CudaArray:
    T: Any
    def __abs__(self): ...
    def __add__(self, other): ...
    def __and__(self, other): ...
    def __bool__(self): ...
    def __eq__(self, other): ...
    def __float__(self): ...
    def __floordiv__(self, other): ...
    def __ge__(self, other): ...
    def __getattr__(self, name): ...
    def __getitem__(self, index): ...
    def __gt__(self, other): ...
    def __iadd__(self, other): ...
    def __iand__(self, other): ...
    def __ifloordiv__(self, other): ...
    def __imod__(self, other): ...
    def __imul__(self, other): ...
    def __init__(self, array) -> None: ...
    def __int__(self): ...
    def __invert__(self): ...
    def __ior__(self, other): ...
    def __ipow__(self, other): ...
    def __isub__(self, other): ...
    def __iter__(self): ...
    def __itruediv__(self, other): ...
    def __ixor__(self, other): ...
    def __le__(self, other): ...
    def __len__(self) -> _int: ...
    def __lt__(self, other): ...
    def __matmul__(self, other): ...
    def __mod__(self, other): ...
    def __mul__(self, other): ...
    def __ne__(self, other): ...
    def __neg__(self): ...
    def __or__(self, other): ...
    def __pow__(self, other): ...
    def __radd__(self, other): ...
    def __rand__(self, other): ...
    def __rfloordiv__(self, other): ...
    def __rmatmul__(self, other): ...
    def __rmod__(self, other): ...
    def __rmul__(self, other): ...
    def __ror__(self, other): ...
    def __rpow__(self, other): ...
    def __rsub__(self, other): ...
    def __rtruediv__(self, other): ...
    def __rxor__(self, other): ...
    def __setitem__(self, index, value): ...
    def __sub__(self, other): ...
    def __truediv__(self, other): ...
    def __xor__(self, other): ...
    address: Any
    def all(self, axis=None, out=None, keepdims: _bool = False): ...
    def any(self, axis=None, out=None, keepdims: _bool = False): ...
    def argmax(self, axis=None, out=None, keepdims: _bool = False): ...
    def astype(self, dtype: _dtype, order: str = 'K', casting: str = 'unsafe', subok: _bool = True, copy: _bool = True):
        """The same numbers in another type; itself, if that may be, where nothing changes."""
    base: Any
    def binary(ufunc): ...
    def broadcast_to(self, shape): ...
    buffer: Any
    def copy(self, order: str = 'C'): ...
    device: Any
    def diagonal(self, offset=0, axis1=0, axis2=1):
        """A view of the elements whose two indices differ by `offset`."""
    dtype: Any
    def fill(self, value): ...
    flags: Any
    def item(self, *place): ...
    itemsize: Any
    def max(self, axis=None, out=None, keepdims=False, initial=None): ...
    def mean(self, axis=None, dtype: _dtype | None = None, out=None, keepdims: _bool = False): ...
    def min(self, axis=None, out=None, keepdims=False, initial=None): ...
    nbytes: Any
    ndim: Any
    offset: Any
    def picked(self, index):
        """x[index] for an array of integers: rows."""
    def prod(self, axis=None, dtype: _dtype | None = None, out=None, keepdims: _bool = False): ...
    def ravel(self, order: str = 'C'): ...
    def reshape(self, *shape, order: str = 'C'):
        """Another shape: a view where the memory allows it, else a copy."""
    def seen(self, shape, steps, offset=None):
        """A view: the same memory under another shape and steps."""
    shape: Any
    size: Any
    def squeeze(self, axis=None): ...
    steps: Any
    strides: Any
    def sum(self, axis=None, dtype: _dtype | None = None, out=None, keepdims: _bool = False): ...
    def swapaxes(self, axis1, axis2): ...
    def to_host(self):
        """A copy as a NumPy array; it waits until all that was begun is done."""
    def tolist(self): ...
    def transpose(self, *axes): ...
    def var(self, axis=None, dtype: _dtype | None = None, out=None, ddof=0, keepdims: _bool = False): ...
    def view(self): ...
    writeable: Any
DoubleTensor: Any
class Entry:
    name: Any
    source: Any
    def __eq__(self, other): ...
    def __init__(self, name, source, function: str = 'entry') -> None: ...
    def __setattr__(self, name, value): ...
    digest: Any
    @classmethod
    def from_code(cls, name, function, *needs):
        """The entry that a function of yours is, with the functions and classes that it uses."""
    @classmethod
    def from_file(cls, path, function: str = 'entry'):
        """The entry in a file, named after it."""
    function: str
FloatTensor: Any
class Function:
    """An operation on tensors: `forward` computes it on arrays, `apply` calls it on tensors."""
    def __init__(self, *args, **kwargs) -> None: ...
    @classmethod
    def apply(cls, *inputs, **options):
        """Run the operation on tensors, and record the call if a gradient may be needed."""
    once_differentiable: _bool
class GPTConfig:
    """The sizes of a GPT; the defaults are those of the smallest GPT-2."""
    def __eq__(self, other): ...
    def __init__(self, vocab_size=50257, block_size=1024, n_layer=12, n_head=12, n_embd=768, dropout: _float = 0.1, bias: _bool = True, layer_norm_epsilon: _float = 1e-05, rms_norm: _bool = False, rotary: _bool = False, rotary_base: _float = 10000.0, n_kv_head=None, n_inner=None, gated: _bool = False) -> None: ...
    bias: _bool
    block_size: _int
    dropout: _float
    gated: _bool
    layer_norm_epsilon: _float
    n_embd: _int
    n_head: _int
    n_inner: Any
    n_kv_head: Any
    n_layer: _int
    rms_norm: _bool
    rotary: _bool
    rotary_base: _float
    vocab_size: _int
class GradScaler:
    def __init__(self, device: Device = 'cuda', init_scale: _float = 65536.0, growth_factor: _float = 2.0, backoff_factor: _float = 0.5, growth_interval=2000, enabled: _bool = True) -> None: ...
    def get_backoff_factor(self): ...
    def get_growth_factor(self): ...
    def get_growth_interval(self): ...
    def get_scale(self):
        """The factor; 1 if there is nothing to scale."""
    def is_enabled(self) -> _bool:
        """Whether there is anything to scale."""
    def load_state_dict(self, state_dict):
        """Take what `state_dict` gave."""
    def scale(self, outputs):
        """Multiply a tensor, or each of several, by the factor."""
    def set_backoff_factor(self, new_factor): ...
    def set_growth_factor(self, new_factor): ...
    def set_growth_interval(self, new_interval): ...
    def state_dict(self): ...
    def step(self, optimizer, *args, **kwargs):
        """Let an optimizer step, unless one of its gradients is not finite."""
    def unscale_(self, optimizer): ...
    def update(self, new_scale=None):
        """Find the next factor, at the end of an iteration, or take `new_scale`."""
HalfTensor: Any
IntTensor: Any
class KVCache:
    """The keys and values of every layer of a GPT, for `batch_size` texts side by side."""
    keep: Any
    layers: Any
    max_length: Any
    window: Any
    def __init__(self, num_layers, batch_size, num_heads, max_length, head_size, dtype: _dtype = ..., keep=None) -> None: ...
    @classmethod
    def for_model(cls, model, batch_size, max_length=None, dtype: _dtype | None = None, keep=None):
        """Make a cache that fits a GPT; by default as long as its window, and of its type."""
    length: Any
    nbytes: Any
    def reset(self):
        """Forget the text and its window, and keep the memory."""
    def unseen(self, window):
        """Return the tokens of the window (B, T) that the model has to see next. Section 7."""
class Latency:
    """What `measure_latency` found, in seconds; `times` are all the runs, in their order."""
    median: Any
    minimum: Any
    p95: Any
    spread: Any
    times: Any
    def __eq__(self, other): ...
    def __init__(self, median, p95, spread, minimum, times) -> None: ...
    def __setattr__(self, name, value): ...
LongTensor: Any
class Machine:
    """How fast a machine computes, and how fast it moves bytes."""
    bytes_per_second: Any
    flops_per_second: Any
    def __eq__(self, other): ...
    def __init__(self, flops_per_second, bytes_per_second) -> None: ...
    def __setattr__(self, name, value): ...
    balance: Any
class Normalize:
    """Subtract a mean from each channel, and divide by a standard deviation."""
    mean: Any
    std: Any
    def __call__(self, image):
        """Return a new image, (image - mean) / std."""
    def __init__(self, mean, std) -> None: ...
class PruningSchedule:
    """Prune the smallest weights of some parameters gradually during training."""
    begin: Any
    end: Any
    every: Any
    final: Any
    parameters: Any
    steps: Any
    def __init__(self, parameters, final, end, begin=0, every=1) -> None: ...
    def share_at(self, step):
        """The share of zeros that is wanted after a step: 0 before begin, final after end."""
    def step(self):
        """Count a step; at begin, begin + every, ... and at end, prune up to the share."""
class RandomCrop:
    padding: Any
    size: Any
    def __call__(self, image): ...
    def __init__(self, size, padding=0) -> None: ...
class RandomHorizontalFlip:
    """Turn an image (..., H, W) left to right, with probability `p`."""
    p: Any
    def __call__(self, image): ...
    def __init__(self, p=0.5) -> None: ...
class Score:
    """How many times better than the baseline, with the ends of a 95% interval."""
    high: Any
    low: Any
    ratio: Any
    def __eq__(self, other): ...
    def __init__(self, ratio, low, high) -> None: ...
    def __setattr__(self, name, value): ...
class SequentialBuilder:
    def __getattr__(self, name): ...
    def __init__(self) -> None: ...
    def add(self, module):
        """Add an existing module."""
    def build(self):
        """The Sequential of what has been added."""
ShortTensor: Any
class Trainer:
    """Train a model, and evaluate it; stop, save and go on as if there had been no stop."""
    accumulate: Any
    batch: Any
    begin: Any
    callbacks: Any
    clip_norm: Any
    ended: Any
    epoch: Any
    history: Any
    loader: Any
    logs: Any
    loss_fn: Any
    meter: Any
    metrics: Any
    model: Any
    now: Any
    optimizer: Any
    scheduler: Any
    scheduler_every: Any
    step: Any
    stop: Any
    def __init__(self, model, optimizer, loss_fn, scheduler=None, clip_norm=None, accumulate=1, metrics=None, callbacks=(), scheduler_every: str = 'epoch') -> None: ...
    def begin_epoch(self): ...
    def call(self, moment):
        """Let every callback do what it does at a moment."""
    def end_epoch(self):
        """Count an epoch that is over; the next one begins with nothing done and a new meter."""
    def evaluate(self, loader):
        """The mean loss and metrics over the batches of a loader, by name."""
    def fit(self, loader, validation=None, epochs=1):
        """Train until `epochs` epochs have been done in all, those before a resumption included."""
    def generators(self):
        """The generators on which the order of the data and the numbers drawn in training depend."""
    def load_state_dict(self, state):
        """Load a state; `fit` with the same loader then continues from there."""
    def place(self, batch):
        """A batch as a tuple, its tensors where the model's parameters are."""
    def predict(self, loader):
        """The model's outputs for all batches of a loader, one after another; targets are left out."""
    def state_dict(self):
        """Everything that `load_state_dict` needs to resume exactly, even between steps of an epoch."""
class TypedStorage:
    """All elements of the memory that a tensor, and every view of it, looks into."""
    array: Any
    def __getitem__(self, index): ...
    def __init__(self, *data, wrap_storage=None, dtype: _dtype = ..., device: Device = 'cpu') -> None: ...
    def __iter__(self): ...
    def __len__(self) -> _int: ...
    def __setitem__(self, index, value): ...
    def clone(self):
        """A copy of the memory."""
    def cpu(self):
        """The memory itself, which is the processor's."""
    def data_ptr(self):
        """The address of the first element."""
    device: Any
    dtype: Any
    def element_size(self):
        """The bytes of one element."""
    def fill_(self, value):
        """Put one number everywhere."""
    def is_shared(self) -> _bool:
        """Whether other processes see the memory: no."""
    def nbytes(self):
        """The number of bytes."""
    def share_memory_(self):
        """Leave the memory where it is."""
    def size(self):
        """The number of elements."""
    def tensor(self, dtype: _dtype):
        """The memory as a tensor of one dimension."""
    def tolist(self):
        """The numbers, as Python's."""
    def untyped(self):
        """The same memory as bytes."""
class Watch:
    """Call `seen(call)` after every operation, gradient rule and module of a `with` block."""
    before: Any
    made: Any
    names: Any
    running: Any
    seen: Any
    watched: Any
    def __enter__(self): ...
    def __exit__(self, *error) -> None: ...
    def __init__(self, seen) -> None: ...
    def ended(self, call, result, end): ...
    def event(self, frame, event, argument): ...
    def module(self, frame):
        """Of `Module.__call__(self, *args, **kwargs)`: named from the first module that holds it."""
    def operation(self, frame):
        """Of `Function.apply(cls, *inputs, **options)`."""
    def path(self):
        """The name of the innermost module that is running, or in backward of the rule's."""
    def rule(self, frame):
        """Of `run_rule(node, slots, create_graph)`."""
class BasicBlock(_Module):
    """Two convolutions, and the input added to their output (He et al., 2015)."""
    bn1: Any
    bn2: Any
    conv1: Any
    conv2: Any
    downsample: Any
    relu: Any
    def __init__(self, inplanes, planes, stride=1, downsample=None) -> None: ...
    expansion: _int
    forward: Any
class Block(_Module):
    """Attention, then an MLP; each reads the stream normalised, and adds to the stream itself."""
    attn: Any
    ln_1: Any
    ln_2: Any
    mlp: Any
    def __init__(self, config) -> None: ...
    forward: Any
class Checkpoint(Callback):
    """Save the whole state of the training, from which it can be resumed."""
    best: Any
    every: Any
    mode: Any
    monitor: Any
    path: Any
    def __init__(self, path, monitor=None, mode: str = 'min', every=None) -> None: ...
    def on_epoch_end(self, trainer): ...
    def on_step_end(self, trainer): ...
    def state_dict(self): ...
class ClusteredLinear(_Module):
    """A Linear whose weights come from a short table, which can be trained."""
    bias: Any
    entries: Any
    in_features: Any
    out_features: Any
    table: Any
    def __init__(self, layer, entries=16) -> None: ...
    def extra_repr(self): ...
    forward: Any
    def weight(self):
        """Look the weights up: a Tensor (out_features, in_features)."""
class EarlyStopping(Callback):
    """End the training when a metric has not improved for `patience` epochs in a row."""
    best: Any
    min_delta: Any
    mode: Any
    monitor: Any
    patience: Any
    waited: Any
    def __init__(self, monitor: str = 'val_loss', mode: str = 'min', patience=3, min_delta: _float = 0.0) -> None: ...
    def on_epoch_end(self, trainer):
        """Compare the metric, `value`, with the best; set `best` and `waited`."""
    def state_dict(self): ...
class GPT(_Module):
    """A decoder that continues text: GPT-2's architecture and names (Radford et al., 2019)."""
    config: Any
    lm_head: Any
    transformer: Any
    def __init__(self, config) -> None: ...
    forward: Any
    @classmethod
    def from_pretrained(cls, path, dropout: _float = 0.1, bits=32):
        """A GPT with the weights of a file."""
    def generate(self, idx, max_new_tokens, temperature: _float = 1.0, top_k=None, top_p=None, stop=None, seed=None, generator: Generator | None = None, use_cache: _bool = False): ...
    def hidden(self, idx, cache=None):
        """What the head reads: tokens (B, T) to (B, T, C); `cache` is module 18's."""
    def initialise(self, module):
        """Initialise as GPT-2: deviation 0.02, less for what adds to the stream; biases 0."""
    def stream(self, idx, positions):
        """From tokens (B, T) and their positions (T,) to the last normalisation, (B, T, C)."""
class History(Callback):
    """Keep the means of every epoch, in `rows`."""
    rows: Any
    def __init__(self) -> None: ...
    def on_epoch_end(self, trainer): ...
    def plot(self): ...
    def state_dict(self): ...
class IntegerProduct(Function):
    def __init__(self, *args, **kwargs) -> None: ...
    forward: Any
class LeNet(_Module):
    """Two convolutions with pooling, then three linear layers (LeCun et al., 1998)."""
    conv1: Any
    conv2: Any
    fc1: Any
    fc2: Any
    fc3: Any
    pool: Any
    relu: Any
    def __init__(self, num_classes=10, in_channels=1, image_size=28) -> None: ...
    forward: Any
class LearnedPositions(_Module):
    """Add a learned vector for its position to each vector of a sequence, as GPT-2 does."""
    weight: Any
    def __init__(self, max_length, dim) -> None: ...
    def extra_repr(self): ...
    forward: Any
class LoRALinear(_Module):
    """A frozen linear layer, and a low-rank correction that is trained beside it."""
    alpha: Any
    base: Any
    lora_A: Any
    lora_B: Any
    rank: Any
    def __init__(self, base, rank=8, alpha: _float = 16.0) -> None: ...
    forward: Any
    def merged(self):
        """Return a new, trainable Linear that computes the same; this layer stays as it is."""
class ProgressBar(Callback):
    """Show how far the epoch is, and its means so far."""
    bar: Any
    def __init__(self, *args, **kwargs) -> None: ...
    def on_epoch_begin(self, trainer): ...
    def on_epoch_end(self, trainer): ...
    def on_fit_end(self, trainer): ...
    def on_step_end(self, trainer): ...
    def show(self, trainer): ...
class PythonDocs(_Dataset):
    topics: Any
    def __getitem__(self, index): ...
    def __init__(self) -> None: ...
    def __len__(self) -> _int: ...
    text: Any
class ResNet(_Module):
    """A residual network (He et al., 2015) with torchvision's parameter names."""
    avgpool: Any
    bn1: Any
    conv1: Any
    fc: Any
    inplanes: Any
    maxpool: Any
    relu: Any
    stages: Any
    def __init__(self, block, layers, num_classes=1000, width=64, in_channels=3, small: _bool = False) -> None: ...
    forward: Any
class RotaryPositions(_Module):
    def __init__(self, max_length, dim, base: _float = 10000.0) -> None: ...
    def extra_repr(self): ...
    forward: Any
class SinusoidalPositions(_Module):
    """Add the waves of its position to each vector of a sequence; nothing is learned."""
    def __init__(self, max_length, dim, base: _float = 10000.0) -> None: ...
    def extra_repr(self): ...
    forward: Any
class Streaming(_Module):
    """A GPT that gets whole texts, and reads only what is new since the last call."""
    cache: Any
    model: Any
    seen: Any
    def __init__(self, model) -> None: ...
    forward: Any
class TextFile(_Dataset):
    """The lines of a text file, each read on demand; `text` is all of it."""
    path: Any
    starts: Any
    def __getitem__(self, index): ...
    def __init__(self, path, url=None, md5=None) -> None: ...
    def __len__(self) -> _int: ...
    text: Any
class TokenBlocks(_Dataset):
    """Every piece of `block_size` tokens of a text, with the piece one token later."""
    block_size: Any
    ids: Any
    def __getitem__(self, start): ...
    def __init__(self, ids, block_size) -> None: ...
    def __len__(self) -> _int: ...
class UntypedStorage(TypedStorage):
    """The memory as bytes."""
    def __init__(self, *data, device: Device = 'cpu') -> None: ...
    @classmethod
    def from_file(cls, filename, shared: _bool = False, nbytes=0): ...
class finfo:
    bits: Any
    dtype: Any
    eps: Any
    max: Any
    min: Any
    resolution: Any
    smallest_normal: Any
    tiny: Any
    def __eq__(self, other): ...
    def __init__(self, type=None) -> None: ...
    shown: Any
class iinfo:
    bits: Any
    dtype: Any
    max: Any
    min: Any
    def __eq__(self, other): ...
    def __init__(self, type) -> None: ...
    shown: Any
class no_grad:
    """Record nothing for gradients inside the block, or in a function it decorates."""
    previous: Any
    def __call__(self, function): ...
    def __enter__(self):
        """Remember whether operations are recorded now, and set it to `self.mode`."""
    def __exit__(self, *error) -> None:
        """Restore the value from before this block; `error` says what was raised in it."""
    def __init__(self) -> None: ...
    def clone(self):
        """Another block of this kind: every call has its own, in whatever thread it comes."""
    mode: _bool
class CIFAR10(_Dataset):
    images: Any
    labels: Any
    transform: Any
    def __getitem__(self, index): ...
    def __getitems__(self, indices):
        """The samples of these numbers, made together."""
    def __init__(self, train: _bool = True, transform=None, root=None) -> None: ...
    def __len__(self) -> _int: ...
    brightest: _int
    classes: Any
    md5: str
    def tensors(self): ...
    url: str
class Digits(_Dataset):
    """1,797 written digits, 8x8 pixels in 17 shades: 1,437 to train with, 360 held out."""
    images: Any
    labels: Any
    transform: Any
    def __getitem__(self, index): ...
    def __getitems__(self, indices):
        """The samples of these numbers, made together."""
    def __init__(self, train: _bool = True, transform=None) -> None: ...
    def __len__(self) -> _int: ...
    brightest: _int
    classes: Any
    def tensors(self): ...
class Int4Linear(_Module):
    group_size: Any
    in_features: Any
    out_features: Any
    def __init__(self, layer, group_size=32) -> None: ...
    def blocks(self):
        """Slices of the rows, as many at a time as are unpacked together."""
    def extra_repr(self): ...
    forward: Any
    @classmethod
    def from_blocks(cls, blocks):
        """Make a layer of a file's Q4_1 blocks, uint8 (O, groups, 20)."""
    def hold(self, in_features, group_size, bias=None, **arrays):
        """Keep a layer's arrays as buffers, and the sizes that they have."""
    def weights(self, rows=...): ...
class Int8Linear(_Module):
    group_size: Any
    in_features: Any
    out_features: Any
    def __init__(self, *args, **kwargs) -> None: ...
    def blocks(self):
        """Slices of the rows, as many at a time as are unpacked together."""
    def extra_repr(self): ...
    forward: Any
    @classmethod
    def from_blocks(cls, blocks):
        """Make a layer of a file's Q8_0 blocks, uint8 (O, groups, 34)."""
    def hold(self, in_features, group_size, bias=None, **arrays):
        """Keep a layer's arrays as buffers, and the sizes that they have."""
    def weights(self, rows=...): ...
class MNIST(_Dataset):
    images: Any
    labels: Any
    transform: Any
    def __getitem__(self, index): ...
    def __getitems__(self, indices):
        """The samples of these numbers, made together."""
    def __init__(self, train: _bool = True, transform=None, root=None) -> None: ...
    def __len__(self) -> _int: ...
    brightest: _int
    classes: Any
    files: Any
    def tensors(self): ...
    url: str
class QuantizedConv2d(_Module):
    """A Conv2d with int8 filters: images (N, C, H, W), or one image, to (N, O, H', W')."""
    dilation: Any
    in_channels: Any
    input_range: Any
    kernel_size: Any
    out_channels: Any
    padding: Any
    stride: Any
    def __init__(self, layer, weight_qparams=None, input_qparams=None, input_range=(-128, 127)) -> None: ...
    def extra_repr(self): ...
    forward: Any
    def how(self):
        """Whether inputs are measured or were calibrated, for printing."""
    def quantize_input(self, x, axis):
        """Integers for x, with the scale and the zero point of each row or image."""
class QuantizedLinear(_Module):
    in_features: Any
    input_range: Any
    out_features: Any
    def __init__(self, layer, weight_qparams=None, input_qparams=None, input_range=(-128, 127)) -> None: ...
    def extra_repr(self): ...
    forward: Any
    def how(self):
        """Whether inputs are measured or were calibrated, for printing."""
    def quantize_input(self, x, axis):
        """Integers for x, with the scale and the zero point of each row or image."""
class enable_grad(no_grad):
    """Record for gradients again, inside a `no_grad` block."""
    def __init__(self, *args, **kwargs) -> None: ...
    mode: _bool
class inference_mode(no_grad):
    mode: Any
    def __init__(self, mode: _bool = True) -> None: ...
    def clone(self): ...
class set_grad_enabled(no_grad):
    """Switch recording on or off, at once; as a block, until its end."""
    mode: Any
    def __call__(self, function): ...
    def __enter__(self): ...
    def __init__(self, mode) -> None: ...
    begun: _bool
    def clone(self): ...
class FashionMNIST(MNIST):
    """70,000 pictures of clothes, in MNIST's format (Xiao, Rasul and Vollgraf, 2017)."""
    def __init__(self, *args, **kwargs) -> None: ...
    classes: Any
    files: Any
    url: str
class ShardedDataset(_IterableDataset):
    buffer: Any
    epoch: Any
    shards: Any
    shuffle: Any
    def __init__(self, folder, shuffle: _bool = True, buffer=1024) -> None: ...
    def __iter__(self): ...
class MSEObserver(_ObserverBase):
    limit: Any
    max_val: Any
    min_val: Any
    qscheme: Any
    quant_max: Any
    quant_min: Any
    reduce_range: Any
    rng: Any
    seen: Any
    def __init__(self, dtype: _dtype = ..., qscheme=..., quant_min=None, quant_max=None, limit=65536) -> None: ...
    def calculate_qparams(self): ...
    ch_axis: _int
    def extra_repr(self): ...
    forward: Any
class PercentileObserver(_ObserverBase):
    limit: Any
    max_val: Any
    min_val: Any
    percentile: Any
    qscheme: Any
    quant_max: Any
    quant_min: Any
    reduce_range: Any
    rng: Any
    seen: Any
    def __init__(self, percentile: _float = 99.9, **options) -> None: ...
    def calculate_qparams(self): ...
    ch_axis: _int
    def extra_repr(self): ...
    forward: Any
ELSEWHERE: Any
__version__: Any
def abs(input: Tensor, *, out=None) -> Tensor:
    """Compute |x| of each element, in its type."""
def abs_(input: Tensor, *, out=None) -> Tensor:
    """Put what `abs` returns into the memory of the tensor, and return it."""
def absolute(input: Tensor, *, out=None) -> Tensor:
    """Alias of `abs`."""
def accelerate(model=None):
    """Run a model on kernels, until the end of the `with` block or the result's `remove()`."""
def accuracy(outputs, targets):
    """The share of right answers: the largest score's class, or for one score its sign."""
def acos(input: Tensor, *, out=None) -> Tensor:
    """Find the angle from 0 to π whose cosine is x; NaN for |x| > 1."""
def acos_(input: Tensor, *, out=None) -> Tensor:
    """Put what `acos` returns into the memory of the tensor, and return it."""
def acosh(input: Tensor, *, out=None) -> Tensor:
    """Find the number from 0 on whose hyperbolic cosine is x; NaN for x < 1."""
def acosh_(input: Tensor, *, out=None) -> Tensor:
    """Put what `acosh` returns into the memory of the tensor, and return it."""
def adapter_state(model):
    """A and B under all their names in the state_dict of a model, or of an adapter alone."""
def add(input: Operand, other: Operand, *, alpha=1, out=None) -> Tensor:
    """Add alpha times `other`, a number or a tensor that broadcasts."""
def add_adapters(model, names, rank=8, alpha: _float = 16.0):
    """Freeze a model, and put a `LoRALinear` around some of its linear layers, in place."""
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta=1, alpha=1, out=None) -> Tensor:
    """Compute beta self + alpha times the sum of batch1 @ batch2 over the batch."""
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value=1, out=None) -> Tensor:
    """Compute self + value tensor1 / tensor2, element by element."""
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value=1, out=None) -> Tensor:
    """Compute self + value tensor1 tensor2, element by element."""
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta=1, alpha=1, out=None) -> Tensor:
    """Compute beta self + alpha mat1 @ mat2."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta=1, alpha=1, out=None) -> Tensor:
    """Compute beta self + alpha mat @ vec."""
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta=1, alpha=1, out=None) -> Tensor:
    """Put what `addmv` returns into the memory of the tensor, and return it."""
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta=1, alpha=1, out=None) -> Tensor:
    """Compute beta self + alpha times the outer product of two vectors."""
def adjoint(input: Tensor, *, out=None) -> Tensor:
    """Transpose matrices in the last two dimensions; RuntimeError for a vector."""
def all(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Tell whether all elements along `dim`, or of the tensor, are other than 0."""
def all_round(scores):
    """Combine scores by geometric means: of the ratios, of the low ends, of the high ends."""
def allclose(input: Tensor, other: Operand, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False, *, out=None) -> _bool:
    """Tell whether all elements are close, as `isclose` has it: one bool."""
def amax(input: Tensor, dim: Dims = (), keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Find the largest elements along `dim`, one or several; equal ones share the gradient."""
def amin(input: Tensor, dim: Dims = (), keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Find the smallest elements along `dim`, one or several; equal ones share the gradient."""
def aminmax(input: Tensor, *, dim: Dims | None = None, keepdim: _bool = False, axis: Dims | None = None, keepdims=None, out=None):
    """Find the smallest and the largest element, along `dim` or of all."""
def angle(input: Tensor, *, out=None) -> Tensor: ...
def any(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Tell whether an element along `dim`, or of the tensor, is other than 0."""
def apply_rotary(x, cos, sin) -> Tensor:
    """Turn the vectors x (..., T, D) by the angles whose cosines and sines (T, D/2) are given."""
def arange(start=None, end: Operand | None = None, step=1, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, out=None) -> Tensor: ...
def arccos(input: Tensor, *, out=None) -> Tensor:
    """Alias of `acos`."""
def arccos_(input: Tensor, *, out=None) -> Tensor:
    """Put what `arccos` returns into the memory of the tensor, and return it."""
def arccosh(input: Tensor, *, out=None) -> Tensor:
    """Alias of `acosh`."""
def arccosh_(input: Tensor, *, out=None) -> Tensor:
    """Put what `arccosh` returns into the memory of the tensor, and return it."""
def arcsin(input: Tensor, *, out=None) -> Tensor:
    """Alias of `asin`."""
def arcsin_(input: Tensor, *, out=None) -> Tensor:
    """Put what `arcsin` returns into the memory of the tensor, and return it."""
def arcsinh(input: Tensor, *, out=None) -> Tensor:
    """Alias of `asinh`."""
def arcsinh_(input: Tensor, *, out=None) -> Tensor:
    """Put what `arcsinh` returns into the memory of the tensor, and return it."""
def arctan(input: Tensor, *, out=None) -> Tensor:
    """Alias of `atan`."""
def arctan2(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Alias of `atan2`."""
def arctan_(input: Tensor, *, out=None) -> Tensor:
    """Put what `arctan` returns into the memory of the tensor, and return it."""
def arctanh(input: Tensor, *, out=None) -> Tensor:
    """Alias of `atanh`."""
def arctanh_(input: Tensor, *, out=None) -> Tensor:
    """Put what `arctanh` returns into the memory of the tensor, and return it."""
def are_deterministic_algorithms_enabled():
    """Whether this was asked for."""
def argmax(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None, out=None) -> Tensor: ...
def argmin(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None, out=None) -> Tensor: ...
def argsort(input: Tensor, dim: Dims = -1, descending: _bool = False, stable: _bool = False, *, axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Tell where the elements stand that are the smallest, the next, ... along `dim`."""
def argwhere(input: Tensor, *, out=None) -> Tensor:
    """List the places of the elements other than 0, a row each."""
def as_matrix(conv, size):
    """Make a Linear layer that computes the same as a convolution on images of one size."""
def as_strided(input: Tensor, size, stride, storage_offset=None, *, out=None) -> Tensor:
    """Look at the memory with another shape, strides and offset, all counted in elements."""
def as_strided_(input: Tensor, size, stride, storage_offset=None, *, out=None) -> Tensor:
    """Look at the same memory as `as_strided` does from now on, and return the tensor."""
def as_strided_scatter(input: Tensor, src, size, stride, storage_offset=None, *, out=None) -> Tensor:
    """Put `src` in place of what `as_strided` shows."""
def as_tensor(data, dtype: _dtype | None = None, device: Device | None = None) -> Tensor: ...
def asarray(obj, *, dtype: _dtype | None = None, device: Device | None = None, copy=None, requires_grad: _bool = False) -> Tensor: ...
def asin(input: Tensor, *, out=None) -> Tensor:
    """Find the angle from -π/2 to π/2 whose sine is x; NaN for |x| > 1."""
def asin_(input: Tensor, *, out=None) -> Tensor:
    """Put what `asin` returns into the memory of the tensor, and return it."""
def asinh(input: Tensor, *, out=None) -> Tensor:
    """Find the number whose hyperbolic sine is x."""
def asinh_(input: Tensor, *, out=None) -> Tensor:
    """Put what `asinh` returns into the memory of the tensor, and return it."""
def atan(input: Tensor, *, out=None) -> Tensor:
    """Find the angle between -π/2 and π/2 whose tangent is x."""
def atan2(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Find the angle from -π to π of the point (other, self), y before x as in mathematics."""
def atan_(input: Tensor, *, out=None) -> Tensor:
    """Put what `atan` returns into the memory of the tensor, and return it."""
def atanh(input: Tensor, *, out=None) -> Tensor:
    """Find the number whose hyperbolic tangent is x: infinite at -1 and 1, NaN outside."""
def atanh_(input: Tensor, *, out=None) -> Tensor:
    """Put what `atanh` returns into the memory of the tensor, and return it."""
def atleast_1d(*tensors):
    """Give each tensor one dimension or more: () becomes (1,); several tensors become a tuple."""
def atleast_2d(*tensors): ...
def atleast_3d(*tensors): ...
def attention_map(weights, queries=None, keys=None, titles=None) -> Tensor: ...
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta=1, alpha=1, out=None) -> Tensor:
    """Compute beta self + alpha batch1 @ batch2, pair by pair."""
def bartlett_window(window_length, periodic: _bool = True, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
    """Make Bartlett's window: a triangle."""
def benchmark(run, *, warmup=3, precision: _float = 0.05, max_runs=1000, max_seconds: _float = 10.0, clock=..., seed=0):
    """Time a program with as many runs as the wanted precision requires."""
def bernoulli(input: Tensor, p=None, *, generator: Generator | None = None, out=None) -> Tensor:
    """Draw 1 with the probability that each element of `input` says, or p for all, else 0."""
bfloat16: Any
def bigram_loss(ids, held_out, vocab_size) -> Tensor:
    """Measure how well the frequencies of pairs predict the next token."""
def bincount(input: Tensor, weights=None, minlength=0, *, out=None) -> Tensor: ...
def bitwise_and(input: Operand, other: Operand, *, out=None) -> Tensor:
    """Keep the bits that both integers have; of booleans, both of which must hold."""
def bitwise_left_shift(input: Operand, other: Operand, *, out=None) -> Tensor: ...
def bitwise_not(input: Tensor, *, out=None) -> Tensor: ...
def bitwise_or(input: Operand, other: Operand, *, out=None) -> Tensor:
    """Keep the bits that either of two integers has; of booleans, one of which must hold."""
def bitwise_right_shift(input: Operand, other: Operand, *, out=None) -> Tensor: ...
def bitwise_xor(input: Operand, other: Operand, *, out=None) -> Tensor:
    """Keep the bits in which two integers differ; of booleans, those that differ."""
def blackman_window(window_length, periodic: _bool = True, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
    """Make Blackman's window: a sum of two cosines."""
def block_diag(*tensors) -> Tensor:
    """Make the matrix with these on its diagonal, and zeros elsewhere."""
def blocked_attention(query, key, value, is_causal: _bool = False, scale=None, block_size=128) -> Tensor:
    """`scaled_dot_product_attention` in memory that does not grow with T x S (Dao et al., 2022)."""
def bmm(input: Tensor, mat2: Tensor, *, out=None) -> Tensor: ...
def board(records): ...
bool: _dtype
def bootstrap_interval(times, statistic=..., confidence: _float = 0.95, resamples=1000, seed=0):
    """Give the percentile bootstrap's interval for a statistic."""
def broadcast_shapes(*shapes) -> Size:
    """Find the shape to which tensors of these shapes broadcast."""
def broadcast_tensors(*tensors) -> tuple[Tensor, ...]:
    """Expand tensors to the shape they have together."""
def broadcast_to(input: Tensor, size, *, out=None) -> Tensor:
    """Stretch dimensions of length 1 to the lengths in `size`, a tuple."""
def bucketize(input, boundaries, *, out_int32=False, right=False, out=None) -> Tensor:
    """Find the bucket of each element among sorted boundaries."""
def can_cast(from_, to) -> _bool: ...
def cartesian_prod(*tensors) -> Tensor:
    """List all tuples of one element of each."""
def cat(tensors: Sequence[Tensor], dim: Dims = 0, *, axis: Dims | None = None, out=None) -> Tensor:
    """Join tensors along a dimension that they have."""
def cdist(x1, x2, p=2.0, compute_mode: str = 'use_mm_for_euclid_dist_if_necessary') -> Tensor: ...
cdouble: Any
def ceil(input: Tensor, *, out=None) -> Tensor:
    """Round each element up, ⌈x⌉."""
def ceil_(input: Tensor, *, out=None) -> Tensor:
    """Put what `ceil` returns into the memory of the tensor, and return it."""
def celu(input: Tensor, alpha: _float = 1.0, inplace: _bool = False) -> Tensor: ...
def celu_(input: Tensor, alpha: _float = 1.0) -> Tensor:
    """`celu` in place."""
cfloat: Any
def chain_matmul(*matrices) -> Tensor:
    """Multiply matrices in the order that costs least."""
chalf: Any
channels_last: Any
channels_last_3d: Any
def cholesky(input: Tensor, upper: _bool = False, *, out=None) -> Tensor:
    """Decompose as `linalg.cholesky`, whose older name this is."""
def cholesky_inverse(input: Tensor, upper: _bool = False, *, out=None) -> Tensor:
    """Compute the inverse of A, of which this is the triangle of Cholesky's decomposition."""
def cholesky_solve(input: Tensor, input2, upper: _bool = False, *, out=None) -> Tensor:
    """Solve A X = self, where `input2` is the triangle of Cholesky's decomposition of A."""
def chunk(input: Tensor, chunks, dim: Dims = 0, *, out=None) -> tuple[Tensor, ...]:
    """Cut along `dim` into at most so many views of one size, the last maybe shorter."""
def clamp(input: Tensor, min=None, max=None, *, out=None) -> Tensor: ...
def clamp_(input: Tensor, min=None, max=None, *, out=None) -> Tensor:
    """Put what `clamp` returns into the memory of the tensor, and return it."""
def clamp_max(input: Tensor, max, *, out=None) -> Tensor:
    """Lower what is above `max`, a number or a tensor, to it."""
def clamp_max_(input: Tensor, max, *, out=None) -> Tensor:
    """Put what `clamp_max` returns into the memory of the tensor, and return it."""
def clamp_min(input: Tensor, min, *, out=None) -> Tensor:
    """Raise what is below `min`, a number or a tensor, to it."""
def clamp_min_(input: Tensor, min, *, out=None) -> Tensor:
    """Put what `clamp_min` returns into the memory of the tensor, and return it."""
def clip(input: Tensor, min=None, max=None, *, out=None) -> Tensor:
    """Alias of `clamp`."""
def clip_(input: Tensor, min=None, max=None, *, out=None) -> Tensor:
    """Put what `clip` returns into the memory of the tensor, and return it."""
def clone(input: Tensor, *, memory_format=None, out=None) -> Tensor:
    """Copy the tensor, in its order of memory or in another; a gradient passes through."""
def cluster_weights(model, entries=16):
    """Copy a model, and give each of its Linear layers a table of `entries` weights."""
def column_stack(tensors: Sequence[Tensor], *, out=None) -> Tensor:
    """Put tensors side by side; a vector is a column."""
def combinations(input: Tensor, r=2, with_replacement: _bool = False) -> Tensor:
    """List all choices of r elements of a vector, in its order."""
def compare(a, b, *, warmup=3, precision: _float = 0.05, pairs=1000, max_seconds: _float = 10.0, clock=..., seed=0, names=('a', 'b')):
    """Compare the times of two programs, run in pairs in random order by `time_pair`."""
complex128: Any
complex32: Any
complex64: Any
def concat(tensors: Sequence[Tensor], dim: Dims = 0, *, axis: Dims | None = None, out=None) -> Tensor:
    """Join tensors along a dimension that they have."""
def concatenate(tensors: Sequence[Tensor], dim: Dims = 0, *, axis: Dims | None = None, out=None) -> Tensor:
    """Join tensors along a dimension that they have."""
def conj(input: Tensor, *, out=None) -> Tensor:
    """Return the tensor itself, for real numbers are their own conjugates."""
def conj_physical(input: Tensor, *, out=None) -> Tensor:
    """Alias of `conj`."""
contiguous_format: Any
def conv2d_naive(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """Slide filters over images, number by number."""
def copysign(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Give each element the sign of `other`'s."""
def corrcoef(input: Tensor) -> Tensor:
    """The correlation of each pair of rows."""
def cos(input: Tensor, *, out=None) -> Tensor:
    """Compute the cosine of each element, an angle in radians."""
def cos_(input: Tensor, *, out=None) -> Tensor:
    """Put what `cos` returns into the memory of the tensor, and return it."""
def cosh(input: Tensor, *, out=None) -> Tensor:
    """Compute the hyperbolic cosine, (e^x + e^-x) / 2, of each element."""
def cosh_(input: Tensor, *, out=None) -> Tensor:
    """Put what `cosh` returns into the memory of the tensor, and return it."""
def cosine_similarity(x1, x2, dim: Dims = 1, eps: _float = 1e-08) -> Tensor: ...
def count_flops(model, *inputs):
    """Count the FLOPs of `model(*inputs)`: those of all its products."""
def count_nonzero(input: Tensor, dim: Dims | None = None, *, axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Count the elements other than 0, along `dim` or in all."""
def count_parameters(model):
    """The number of the model's parameters; one that is used in two places counts once."""
def cov(input: Tensor, *, correction=1, fweights=None, aweights=None, out=None) -> Tensor: ...
def cross(input: Tensor, other: Operand, dim: Dims | None = None, *, out=None) -> Tensor:
    """Compute the vector product along `dim`, by default the first dimension of length 3."""
def cummax(input: Tensor, dim: Dims | None = None, *, axis: Dims | None = None, keepdims=None, out=None):
    """Find the largest element so far along `dim`, and its position."""
def cummin(input: Tensor, dim: Dims | None = None, *, axis: Dims | None = None, keepdims=None, out=None):
    """Find the smallest element so far along `dim`, and its position."""
def cumprod(input: Tensor, dim: Dims | None = None, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Multiply the elements so far along `dim`: y_i = x_0 ... x_i."""
def cumsum(input: Tensor, dim: Dims | None = None, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Add up the elements so far along `dim`: y_i = x_0 + ... + x_i."""
def cumulative_trapezoid(y, x=None, *, dx=1, dim: Dims = -1) -> Tensor:
    """The integrals from the first sample to each later one, by trapezoids."""
def decide(score, accuracy, floor, margin):
    """Decide the verdict on an entry."""
default_dynamic_qconfig: Any
default_generator: Any
def deg2rad(input: Tensor, *, out=None) -> Tensor:
    """Turn angles in degrees into radians: x π / 180."""
def deg2rad_(input: Tensor, *, out=None) -> Tensor:
    """Put what `deg2rad` returns into the memory of the tensor, and return it."""
def det(input: Tensor, *, out=None) -> Tensor:
    """Compute the determinant of square matrices."""
def detach(input: Tensor, *, out=None) -> Tensor:
    """Look at the same memory without a gradient."""
def detach_(input: Tensor, *, out=None) -> Tensor:
    """Leave the graph: be a leaf without a gradient from now on; RuntimeError for a view."""
def diag(input: Tensor, diagonal: _int = 0, *, out=None) -> Tensor:
    """Copy the diagonal of a matrix, or make a matrix with a vector on its diagonal."""
def diag_embed(input: Tensor, offset=0, dim1: _int = -2, dim2=-1, *, out=None) -> Tensor: ...
def diagflat(input: Tensor, offset=0) -> Tensor:
    """A matrix with the elements of a tensor, flattened, on a diagonal."""
def diagonal(input: Tensor, offset=0, dim1: _int = 0, dim2=1, *, out=None) -> Tensor: ...
def diagonal_scatter(input: Tensor, src, offset=0, dim1: _int = 0, dim2=1, *, out=None) -> Tensor:
    """Put `src` in place of a diagonal."""
def diff(input: Tensor, n=1, dim: Dims = -1, prepend=None, append=None, *, axis: Dims | None = None, keepdims=None, out=None) -> Tensor: ...
def digamma(input: Tensor, *, out=None) -> Tensor:
    """Compute the derivative of log Γ(x)."""
def dist(input: Tensor, other: Operand, p=2, *, out=None) -> Tensor:
    """Compute the p-norm of the difference of two tensors."""
def distillation_loss(student, teacher, labels, temperature: _float = 4.0, alpha: _float = 0.1):
    """The loss of a student that learns from labels and from a teacher's probabilities."""
def div(input: Operand, other: Operand, *, rounding_mode=None, out=None) -> Tensor: ...
def divide(input: Tensor, other: Operand, *, rounding_mode=None, out=None) -> Tensor:
    """Alias of `div`."""
def dot(input: Tensor, tensor, *, out=None) -> Tensor:
    """Add up the products of the elements of two vectors."""
double: _dtype
def draw_benchmarks(results):
    """Draw the runs of Benchmarks by name, in their order, with the median and its interval."""
def draw_comparisons(comparisons): ...
def draw_front(axes, records):
    """Speed and size relative to the baseline: points up and to the right are better in both."""
def draw_graph(output, names=None): ...
def draw_roofline(machine, prof, names=6): ...
def draw_scores(axes, records, kind):
    """The scores of one kind, of all records that were not refused, as points with intervals."""
def draw_timeline(events, depth=6):
    """Draw the events of a trace as bars under one another, as deep as they are nested."""
def dsplit(input: Tensor, indices_or_sections, *, out=None) -> tuple[Tensor, ...]:
    """Cut into views along dimension 2: into that many parts, or at these positions."""
def dstack(tensors: Sequence[Tensor], *, out=None) -> Tensor:
    """Put tensors one behind the other, along dimension 2."""
e: _float
def einsum(equation, *operands) -> Tensor:
    """Compute the sum of products that the equation describes."""
def empty(*size, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, memory_format=None, out=None) -> Tensor:
    """Make a tensor whose elements are whatever was in memory, in the order of a format."""
def empty_like(input: Tensor, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, memory_format=None) -> Tensor:
    """Make uninitialised memory in the shape, type and layout of `input`."""
def empty_permuted(size, physical_layout, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor: ...
def empty_strided(size, stride, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
    """Make a tensor with these strides, in elements, whose numbers are whatever was in memory."""
def environment(clock=...):
    """Describe the machine, its software and its load, as a dict that JSON can hold."""
def eq(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Tell where self = other, a number or a tensor that broadcasts: a tensor of booleans."""
def equal(input: Tensor, other: Operand, *, out=None) -> _bool:
    """Tell whether both have the same shape and the same values: one bool."""
def erf(input: Tensor, *, out=None) -> Tensor:
    """Compute the error function, 2/√π ∫₀ˣ e^(-t²) dt: built in module 02 (activations)."""
def erf_(input: Tensor, *, out=None) -> Tensor:
    """Put what `erf` returns into the memory of the tensor, and return it."""
def erfc(input: Tensor, *, out=None) -> Tensor:
    """Compute 1 - erf(x), without loss of digits for large x."""
def erfc_(input: Tensor, *, out=None) -> Tensor:
    """Put what `erfc` returns into the memory of the tensor, and return it."""
def erfinv(input: Tensor, *, out=None) -> Tensor:
    """Find the number whose error function is x, for x from -1 to 1."""
def exp(input: Tensor, *, out=None) -> Tensor:
    """Compute e^x of each element; integers become floating point numbers."""
def exp2(input: Tensor, *, out=None) -> Tensor:
    """Compute 2^x of each element."""
def exp2_(input: Tensor, *, out=None) -> Tensor:
    """Put what `exp2` returns into the memory of the tensor, and return it."""
def exp_(input: Tensor, *, out=None) -> Tensor:
    """Put what `exp` returns into the memory of the tensor, and return it."""
def expm1(input: Tensor, *, out=None) -> Tensor: ...
def expm1_(input: Tensor, *, out=None) -> Tensor:
    """Put what `expm1` returns into the memory of the tensor, and return it."""
def eye(n, m=None, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, out=None) -> Tensor:
    """Make the n x m matrix with ones on its diagonal."""
def factorize(layer, rank):
    """Write a Linear as two, by the best approximation of a given rank."""
def fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max):
    """The same with a scale and a zero point for each place along `axis`."""
def fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max): ...
def file_bytes(model):
    """How many bytes a model's state takes in a file of `save`."""
def fill_(input: Tensor, value, *, out=None) -> Tensor:
    """Set every element to one number."""
def find_nan(run):
    """Find the first operation or gradient rule that makes a NaN, or an infinite gradient."""
def fix(input: Tensor, *, out=None) -> Tensor:
    """Alias of `trunc`."""
def fix_(input: Tensor, *, out=None) -> Tensor:
    """Put what `fix` returns into the memory of the tensor, and return it."""
def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1, *, out=None) -> Tensor:
    """Make one dimension of those from `start_dim` to `end_dim`, both included."""
def flip(input: Tensor, dims: Dims) -> Tensor:
    """Reverse the order of elements along the dimensions in a tuple; TypeError for a single one."""
def fliplr(input: Tensor, *, out=None) -> Tensor:
    """Reverse the order of the columns, along dimension 1."""
def flipud(input: Tensor, *, out=None) -> Tensor:
    """Reverse the order of the rows, along dimension 0."""
float: _dtype
float16: _dtype
float32: _dtype
float64: _dtype
float8_e4m3fn: Any
float8_e4m3fnuz: Any
float8_e5m2: Any
float8_e5m2fnuz: Any
float8_e8m0fnu: Any
def float_power(input: Operand, exponent: Operand, *, out=None) -> Tensor:
    """Raise each element to a power in float64."""
def floor(input: Tensor, *, out=None) -> Tensor:
    """Round each element down, ⌊x⌋."""
def floor_(input: Tensor, *, out=None) -> Tensor:
    """Put what `floor` returns into the memory of the tensor, and return it."""
def floor_divide(input: Operand, other: Operand, *, out=None) -> Tensor:
    """Divide and round down, ⌊x / y⌋; RuntimeError for an integer by 0."""
def fmax(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Take the larger of two elements, or the one that is not NaN."""
def fmin(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Take the smaller of two elements, or the one that is not NaN."""
def fmod(input: Tensor, other: Operand, *, out=None) -> Tensor: ...
def frac(input: Tensor, *, out=None) -> Tensor:
    """Keep the fraction, with the sign: x - trunc(x)."""
def frac_(input: Tensor, *, out=None) -> Tensor:
    """Put what `frac` returns into the memory of the tensor, and return it."""
def fresh_images(images, rng, shift=1, noise: _float = 0.05):
    """Return images in a new order, each of them shifted a little and with noise."""
def frexp(input: Tensor, *, out=None):
    """Split each element into a mantissa from 0.5 to 1 and an exponent: x = mantissa 2^exponent."""
def from_dlpack(ext_tensor, *, device: Device | None = None, copy=None) -> Tensor: ...
def from_file(filename, shared=None, size=0, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor: ...
def from_numpy(ndarray) -> Tensor: ...
def frombuffer(buffer, *, dtype: _dtype, count=-1, offset=0, requires_grad: _bool = False) -> Tensor: ...
def full(size, fill_value, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, out=None) -> Tensor:
    """Make a tensor of one value, in that value's type unless another is named."""
def full_like(input: Tensor, fill_value, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, memory_format=None) -> Tensor:
    """Make a tensor of one value in the shape, type and layout of `input`."""
def gather(input: Tensor, dim: Dims, index, *, out=None) -> Tensor: ...
def gcd(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Find the greatest common divisor of two integers."""
def gcd_(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Put what `gcd` returns into the memory of the tensor, and return it."""
def ge(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Tell where self ≥ other, a number or a tensor that broadcasts: a tensor of booleans."""
def ger(input: Tensor, vec2: Tensor, *, out=None) -> Tensor:
    """Multiply every element of one vector by every one of another: `outer` by its old name."""
def get_default_device() -> _device:
    """Where new tensors are made: on the processor."""
def get_default_dtype() -> _dtype:
    """The type of new floating point tensors: float32, or what `set_default_dtype` chose."""
def get_device(input: Tensor) -> _int:
    """The number of the GPU that holds a tensor; -1 on the processor."""
def get_float32_matmul_precision():
    """The precision that was set."""
def get_num_interop_threads():
    """The number of threads that was set, or that of the processors."""
def get_num_threads():
    """The number of threads that matrix products use."""
def get_rng_state() -> Tensor:
    """Everything that the default generator's next draws depend on, as a uint8 Tensor."""
def gradient(input: Tensor, *, spacing=None, dim: Dims | None = None, edge_order=1):
    """Estimate the slope along each dimension of `dim`, or all: a tuple of tensors."""
def greater(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Alias of `gt`."""
def greater_equal(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Alias of `ge`."""
def gt(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Tell where self > other, a number or a tensor that broadcasts: a tensor of booleans."""
half: _dtype
def hamming_window(window_length, periodic: _bool = True, alpha: _float = 0.54, beta: _float = 0.46, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
    """Make Hamming's window: alpha - beta cos(2 pi n / (N - 1))."""
def hann_window(window_length, periodic: _bool = True, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
    """Make Hann's window: half a period of a squared sine."""
def hardshrink(input: Tensor, lambd: _float = 0.5) -> Tensor:
    """0 between -lambd and lambd, x elsewhere."""
def heaviside(input: Tensor, values, *, out=None) -> Tensor:
    """Compute the step function: 0 for negative numbers, 1 for positive ones, and `values` at 0."""
def held_out_loss(model, ids) -> Tensor:
    """Measure how well a GPT predicts a text that it was not trained on."""
def histc(input: Tensor, bins=100, min=0, max=0, *, out=None) -> Tensor:
    """Count the elements in bins of one width from `min` to `max`; both 0 mean the data's own."""
def histogram(input: Tensor, bins=100, *, range=None, weight=None, density: _bool = False, out=None): ...
def histogramdd(input: Tensor, bins, range=None, weight=None, density: _bool = False): ...
def hsplit(input: Tensor, indices_or_sections, *, out=None) -> tuple[Tensor, ...]: ...
def hstack(tensors: Sequence[Tensor], *, out=None) -> Tensor:
    """Put tensors side by side: along dimension 1, vectors along 0."""
def hypot(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Compute √(x² + y²), without overflow in between."""
def i0(input: Tensor, *, out=None) -> Tensor:
    """Compute the modified Bessel function of the first kind, of order 0."""
def i0_(input: Tensor, *, out=None) -> Tensor:
    """Put what `i0` returns into the memory of the tensor, and return it."""
def igamma(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Compute the regularised lower incomplete gamma function P(self, other)."""
def igammac(input: Tensor, other: Operand, *, out=None) -> Tensor: ...
def index_add(input: Tensor, dim: Dims, index, source, *, alpha=1, out=None) -> Tensor:
    """Add alpha times the slices of `source` to those along `dim` that `index` names."""
def index_copy(input: Tensor, dim: Dims, index, source, *, out=None) -> Tensor:
    """Put the slices of `source` in place of those along `dim` that `index` names."""
def index_fill(input: Tensor, dim: Dims, index, value, *, out=None) -> Tensor:
    """Put one number into the slices along `dim` that `index` names."""
def index_put(input: Tensor, indices, values, accumulate: _bool = False, *, out=None) -> Tensor:
    """Put values, or with `accumulate` add them, at an index given as a tuple of tensors."""
def index_put_(input: Tensor, indices, values, accumulate: _bool = False, *, out=None) -> Tensor:
    """Put what `index_put` returns into the memory of the tensor, and return it."""
def index_reduce(input: Tensor, dim: Dims, index, source, reduce, *, include_self: _bool = True, out=None) -> Tensor: ...
def index_select(input: Tensor, dim: Dims, index, *, out=None) -> Tensor:
    """Take the slices along `dim` that `index`, a vector of integers, names."""
inf: _float
def initial_seed() -> _int:
    """The seed that the default generator was last started from."""
def inner(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Add up the products over the last dimension of both."""
int: _dtype
int16: _dtype
int32: _dtype
int64: _dtype
int8: _dtype
def inverse(input: Tensor, *, out=None) -> Tensor:
    """Compute the inverse of square matrices; LinAlgError for one that has none."""
def is_complex(input: Tensor) -> _bool:
    """Whether the numbers are complex: no."""
def is_conj(input: Tensor) -> _bool:
    """Whether the numbers are yet to be conjugated: no."""
def is_deterministic_algorithms_warn_only_enabled() -> _bool:
    """Whether a warning was asked for in place of an error."""
def is_floating_point(input: Tensor, *, out=None) -> _bool:
    """Tell whether the elements are floating point numbers."""
def is_grad_enabled() -> _bool:
    """Whether operations record for gradients now."""
def is_inference(input: Tensor, *, out=None) -> _bool:
    """Tell whether the tensor was made in inference mode, which leaves no mark here: no."""
def is_intact(record) -> _bool:
    """Return whether a record has a fingerprint that matches its content."""
def is_neg(input: Tensor) -> _bool:
    """Whether the numbers are yet to be negated: no."""
def is_nonzero(input: Tensor) -> _bool:
    """Whether the one element of a tensor is not zero."""
def is_same_size(input: Tensor, other: Operand) -> _bool:
    """Whether two tensors have the same shape."""
def is_signed(input: Tensor) -> _bool:
    """Whether the type has negative numbers."""
def is_tensor(obj) -> _bool:
    """Tell whether `obj` is a Tensor."""
def is_warn_always_enabled() -> _bool:
    """Whether this was asked for."""
def isclose(input: Tensor, other: Operand, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False, *, out=None) -> Tensor:
    """Tell where |self - other| ≤ atol + rtol |other|; NaN is close to NaN if `equal_nan`."""
def isfinite(input: Tensor, *, out=None) -> Tensor:
    """Tell which elements are neither infinite nor NaN."""
def isin(elements, test_elements, *, assume_unique=False, invert=False, out=None) -> Tensor:
    """Tell of each element whether it is among the others."""
def isinf(input: Tensor, *, out=None) -> Tensor:
    """Tell which elements are infinite, of either sign."""
def isnan(input: Tensor, *, out=None) -> Tensor:
    """Tell which elements are NaN, no number."""
def isneginf(input: Tensor, *, out=None) -> Tensor:
    """Tell which numbers are infinite and negative."""
def isposinf(input: Tensor, *, out=None) -> Tensor:
    """Tell which numbers are infinite and positive."""
def isreal(input: Tensor, *, out=None) -> Tensor:
    """Tell whether each number is real: yes."""
def kaiser_window(window_length, periodic: _bool = True, beta: _float = 12.0, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
    """Make Kaiser's window: a ratio of Bessel functions."""
def kmeans(values, count, iterations=20):
    """Find centers for numbers, and the nearest center of each."""
def kron(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Multiply every element of this tensor by the whole of the other, in blocks."""
def kthvalue(input: Tensor, k: _int, dim: Dims = -1, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None, out=None):
    """Find the k-th smallest element along `dim`, counted from 1, and its position."""
def lcm(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Find the least common multiple of two integers."""
def lcm_(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Put what `lcm` returns into the memory of the tensor, and return it."""
def ldexp(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Compute self 2^other."""
def ldexp_(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Put what `ldexp` returns into the memory of the tensor, and return it."""
def le(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Tell where self ≤ other, a number or a tensor that broadcasts: a tensor of booleans."""
def leaderboard(records, event):
    """Put the entries of an event in order, with places."""
def leaderboard_page(records, title: str = 'TorchPerf'):
    """The leaderboard as one HTML page."""
def lerp(input: Tensor, end: Operand, weight, *, out=None) -> Tensor: ...
def less(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Alias of `lt`."""
def less_equal(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Alias of `le`."""
def lgamma(input: Tensor, *, out=None) -> Tensor:
    """Compute log |Γ(x)|."""
def linspace(start, end: Operand, steps, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, out=None) -> Tensor:
    """Make `steps` equally spaced numbers from `start` to `end`, both included."""
def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """Read what `save` has written, or the tensors of any safetensors file as a dict."""
def load_adapters(model, f):
    """Put the adapters of a file around the layers of a model that they were made for, in place."""
def log(input: Tensor, *, out=None) -> Tensor:
    """Compute the natural logarithm of each element: -inf at 0, NaN below."""
def log10(input: Tensor, *, out=None) -> Tensor:
    """Compute the logarithm to base 10 of each element."""
def log10_(input: Tensor, *, out=None) -> Tensor:
    """Put what `log10` returns into the memory of the tensor, and return it."""
def log1p(input: Tensor, *, out=None) -> Tensor: ...
def log1p_(input: Tensor, *, out=None) -> Tensor:
    """Put what `log1p` returns into the memory of the tensor, and return it."""
def log2(input: Tensor, *, out=None) -> Tensor:
    """Compute the logarithm to base 2 of each element."""
def log2_(input: Tensor, *, out=None) -> Tensor:
    """Put what `log2` returns into the memory of the tensor, and return it."""
def log_(input: Tensor, *, out=None) -> Tensor:
    """Put what `log` returns into the memory of the tensor, and return it."""
def log_softmax(input: Tensor, dim: Dims, dtype: _dtype | None = None, *, out=None) -> Tensor:
    """Compute the logarithm of softmax along `dim`: built in module 02 (activations)."""
def logaddexp(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Compute log(e^x + e^y), without overflow in between."""
def logaddexp2(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Compute log2(2^x + 2^y), without overflow in between."""
def logcumsumexp(input: Tensor, dim: Dims | None = None, *, axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Compute log(e^x_0 + ... + e^x_i) along `dim`, without overflow in between."""
def logdet(input: Tensor, *, out=None) -> Tensor:
    """Compute the logarithm of the determinant of square matrices: NaN for a negative one."""
def logical_and(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Tell where both elements are other than 0."""
def logical_not(input: Tensor, *, out=None) -> Tensor:
    """Tell which elements are 0."""
def logical_or(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Tell where an element, or both, is other than 0."""
def logical_xor(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Tell where one element of the two is 0, and not the other."""
def logit(input: Tensor, eps=None, *, out=None) -> Tensor: ...
def logit_(input: Tensor, eps=None, *, out=None) -> Tensor:
    """Put what `logit` returns into the memory of the tensor, and return it."""
def logspace(start, end: Operand, steps, base: _float = 10.0, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, out=None) -> Tensor:
    """Make `steps` powers of `base`, whose exponents go from `start` to `end` in equal steps."""
def logsumexp(input: Tensor, dim: Dims, keepdim: _bool = False) -> Tensor:
    """log(sum(exp(x))) along `dim`, one or several; see `LogSumExp.forward`."""
long: _dtype
def lt(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Tell where self < other, a number or a tensor that broadcasts: a tensor of booleans."""
def lu(A, pivot: _bool = True, get_infos: _bool = False, out=None): ...
def lu_solve(input: Tensor, LU_data, LU_pivots, *, out=None) -> Tensor:
    """Solve A X = self for the A that was decomposed into `LU_data` and `LU_pivots`."""
def lu_unpack(LU_data, LU_pivots, unpack_data: _bool = True, unpack_pivots: _bool = True):
    """P, L and U of what `linalg.lu_factor` gave."""
def magnitude_mask(scores, count):
    """Make a mask that removes the elements that are smallest in magnitude."""
def manual_seed(seed) -> Generator:
    """Start the default generator again from `seed`, and return it."""
def mark_images(logits, labels):
    """Mark each image: 1 where the largest logit is the label's, else 0."""
def mark_text(logits, targets):
    """Mark each character: the natural logarithm of the probability given to it."""
def masked_fill(input: Tensor, mask: Tensor, value, *, out=None) -> Tensor:
    """Put a number in the places where `mask`, of booleans, holds; it broadcasts."""
def masked_out(parameters):
    """How many elements of (module, name) pairs masks take away, and how many there are."""
def masked_scatter(input: Tensor, mask: Tensor, source, *, out=None) -> Tensor:
    """Put the first elements of `source`, one after the other, where `mask` holds."""
def masked_select(input: Tensor, mask: Tensor, *, out=None) -> Tensor:
    """List the elements where `mask`, of booleans, holds."""
def matmul(input: Tensor, other: Operand, *, out=None) -> Tensor: ...
def matmul_naive(a, b) -> Tensor:
    """Multiply two matrices, number by number: c[i, j] = sum over k of a[i, k] b[k, j]."""
def matrix_exp(input: Tensor, *, out=None) -> Tensor:
    """Compute the exponential of square matrices, 1 + A + A²/2 + A³/6 + ..."""
def matrix_power(input: Tensor, n, *, out=None) -> Tensor:
    """Multiply a square matrix n times by itself; of a negative n, its inverse."""
def max(input, dim=None, keepdim=False, *, other=None, axis=None, keepdims=None, out=None): ...
def maximum(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Take the larger of two elements, NaN if either is; `other` is a tensor that broadcasts."""
def mean(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims: _bool = False, out=None) -> Tensor: ...
def measure_latency(run, warmup=3, repeats=30, clock=...):
    """Measure how long a call of `run` takes."""
def measure_machine(n=1024, nbytes=64000000, measure=...):
    """Measure how fast this machine computes and moves bytes, in float32."""
def median(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None, out=None):
    """Find the lower of the middle elements; along `dim`, the medians and where they stand."""
def median_interval(times, confidence: _float = 0.95):
    """Give the interval of the median by order statistics."""
def memory_footprint(model):
    """The bytes of the model's parameters and buffers, memory that is shared counted once."""
def merge_adapters(model): ...
def meshgrid(*tensors, indexing=None) -> tuple[Tensor, ...]:
    """Make the coordinates of the grid that 1-d tensors span, one tensor a coordinate."""
def min(input, dim=None, keepdim=False, *, other=None, axis=None, keepdims=None, out=None): ...
def minimum(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Take the smaller of two elements, NaN if either is; `other` is a tensor that broadcasts."""
def mm(input: Tensor, mat2: Tensor, *, out=None) -> Tensor:
    """Multiply a matrix (n, k) by a matrix (k, m); RuntimeError for other numbers of dimensions."""
def mode(input: Tensor, dim: Dims = -1, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None, out=None): ...
def moveaxis(input: Tensor, source, destination, *, out=None) -> Tensor:
    """Alias of `movedim`."""
def movedim(input: Tensor, source, destination, *, out=None) -> Tensor:
    """Move dimensions, one or a tuple, to other places; the rest keep their order."""
def mse_range(x, quant_min, quant_max, symmetric: _bool = False, candidates=64):
    """Find the range whose integers have the smallest mean squared error."""
def msort(input: Tensor, *, out=None) -> Tensor:
    """Sort along dimension 0."""
def mul(input: Operand, other: Operand, *, out=None) -> Tensor:
    """Multiply by `other`, a number or a tensor that broadcasts, element by element."""
def multinomial(input: Tensor, num_samples, replacement: _bool = False, *, generator: Generator | None = None, out=None) -> Tensor: ...
def multiply(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Alias of `mul`."""
def mv(input: Tensor, vec: Tensor, *, out=None) -> Tensor:
    """Multiply a matrix (n, k) by a vector (k)."""
def mvlgamma(input: Tensor, p, *, out=None) -> Tensor:
    """Compute the logarithm of the multivariate gamma function in p dimensions."""
nan: _float
def nan_to_num(input: Tensor, nan=None, posinf=None, neginf=None, *, out=None) -> Tensor: ...
def nan_to_num_(input: Tensor, nan=None, posinf=None, neginf=None, *, out=None) -> Tensor:
    """Put what `nan_to_num` returns into the memory of the tensor, and return it."""
def nanmean(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Average what is not NaN."""
def nanmedian(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, axis: Dims | None = None, keepdims=None, out=None):
    """Find the median of what is not NaN."""
def nanquantile(input: Tensor, q, dim: Dims | None = None, keepdim: _bool = False, *, interpolation: str = 'linear', axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Find the quantiles of what is not NaN."""
def nansum(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Add up what is not NaN."""
def narrow(input: Tensor, dim: Dims, start, length, *, out=None) -> Tensor:
    """Look at `length` slices along `dim`, from `start` on."""
def narrow_copy(input: Tensor, dim: Dims, start, length, *, out=None) -> Tensor:
    """Copy `length` slices along `dim`, from `start` on."""
def ne(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Tell where self ≠ other, a number or a tensor that broadcasts: a tensor of booleans."""
def neg(input: Tensor, *, out=None) -> Tensor:
    """Change the sign of each element; RuntimeError for booleans."""
def neg_(input: Tensor, *, out=None) -> Tensor:
    """Put what `neg` returns into the memory of the tensor, and return it."""
def negative(input: Tensor, *, out=None) -> Tensor:
    """Alias of `neg`."""
def negative_(input: Tensor, *, out=None) -> Tensor:
    """Put what `negative` returns into the memory of the tensor, and return it."""
newaxis: Any
def next_token_loss(logits, targets) -> Tensor:
    """The mean cross-entropy, in nats, of logits (B, T, V) for the next tokens (B, T)."""
def nextafter(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Find the next number from self towards `other` that the type has."""
def ngram_loss(ids, held_out, vocab_size, order=5) -> Tensor:
    """Measure how well the counts of up to `order` neighbouring tokens predict the next one."""
def nonzero(input: Tensor, *, as_tuple: _bool = False, out=None): ...
def nonzero_static(input: Tensor, *, size, fill_value=-1, out=None) -> Tensor:
    """List the places of the first `size` elements other than 0, filled up with `fill_value`."""
def norm(input: Tensor, p='fro', dim: Dims | None = None, keepdim: _bool = False, dtype: _dtype | None = None, *, out=None) -> Tensor: ...
def normal(mean=0.0, std=1.0, size=None, *, generator=None, dtype=None, device=None, requires_grad=False, out=None) -> Tensor:
    """Draw normal numbers: of one mean and deviation in a shape, or of each element's own."""
def not_equal(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Alias of `ne`."""
def numel(input: Tensor, *, out=None) -> _int:
    """Count the elements."""
def ones(*size, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, out=None) -> Tensor:
    """Make a tensor of ones."""
def ones_like(input: Tensor, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, memory_format=None) -> Tensor:
    """Make ones in the shape, type and layout of `input`."""
def outer(input: Tensor, vec2: Tensor, *, out=None) -> Tensor:
    """Multiply every element of one vector (n) by every one of another (m): a matrix (n, m)."""
def pack_int4(q):
    """Pack integers of 4 bits, two to a byte: the first half of each row low, the second high."""
def paired_interval(baseline, better, quality, resamples=1000, confidence: _float = 0.95, seed=0): ...
def pairwise_distance(x1, x2, p=2.0, eps: _float = 1e-06, keepdim: _bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension."""
def pareto_front(costs):
    """Find the candidates that no other beats."""
def peak_memory(run):
    """The most bytes that a call of `run` takes at a time, beyond what is there already."""
per_channel_affine: Any
per_channel_symmetric: Any
per_tensor_affine: Any
per_tensor_symmetric: Any
def permute(input: Tensor, *dims, out=None) -> Tensor: ...
pi: _float
def pinverse(input: Tensor, rcond: _float = 1e-15, *, out=None) -> Tensor: ...
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor: ...
def polar(abs, angle):
    """The complex numbers of these distances from 0 and directions."""
def polygamma(n, input: Tensor) -> Tensor:
    """The n-th derivative of digamma."""
def portfolio(records, figures=(), title: str = 'What I built', about: str = ''): ...
def positive(input: Tensor, *, out=None) -> Tensor:
    """Return the tensor itself, as `+x` does; RuntimeError for booleans."""
def pow(input: Operand, exponent: Operand, *, out=None) -> Tensor: ...
def prelu(input: Tensor, weight) -> Tensor: ...
preserve_format: Any
def prod(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Multiply the elements along `dim`, or all of them; integers and booleans as int64."""
def promote_types(type1, type2) -> _dtype:
    """Find the smallest type that holds both; any floating point type holds every integer."""
def qat_qconfig(bits=8, activation_bits=None, per_channel: _bool = True): ...
qint8: Any
def qr(input: Tensor, some: _bool = True, *, out=None):
    """Decompose as `linalg.qr`, whose older name this is; without `some` Q is square."""
def quantile(input: Tensor, q, dim: Dims | None = None, keepdim: _bool = False, *, interpolation: str = 'linear', axis: Dims | None = None, keepdims=None, out=None) -> Tensor: ...
def quantize_along(x, axis=None, bits=8, symmetric: _bool = False):
    """Quantize an array by its own minima and maxima, taken over some dimensions."""
def quantize_int4(model, group_size=32): ...
def quantize_static(model, batches, observer=..., skip=()):
    """Give a model int8 weights, and inputs whose range is found once, on examples."""
quint8: Any
def rad2deg(input: Tensor, *, out=None) -> Tensor:
    """Turn angles in radians into degrees: x 180 / π."""
def rad2deg_(input: Tensor, *, out=None) -> Tensor:
    """Put what `rad2deg` returns into the memory of the tensor, and return it."""
def rand(*size, generator: Generator | None = None, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, out=None) -> Tensor:
    """Draw numbers evenly from [0, 1)."""
def rand_like(input: Tensor, *, generator: Generator | None = None, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, memory_format=None) -> Tensor:
    """Draw uniform numbers in the shape, type and layout of `input`."""
def randint(low=0, high=None, size=None, *, generator: Generator | None = None, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, out=None) -> Tensor:
    """Draw integers evenly from `low` to `high` - 1; `randint(high, size)` counts from 0."""
def randint_like(input: Tensor, low=0, high=None, *, generator: Generator | None = None, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, memory_format=None) -> Tensor:
    """Draw integers from `low` to `high` - 1 in the shape, type and layout of `input`."""
def randn(*size, generator: Generator | None = None, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, out=None) -> Tensor:
    """Draw numbers from the normal distribution with mean 0 and variance 1."""
def randn_like(input: Tensor, *, generator: Generator | None = None, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, memory_format=None) -> Tensor:
    """Draw normal numbers in the shape, type and layout of `input`."""
def randperm(n, *, generator: Generator | None = None, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, out=None) -> Tensor:
    """Draw the numbers 0 to n - 1 in random order."""
def range(start=0, end: Operand | None = None, step=1, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
    """Count as `arange` does, up to and with `end`; deprecated in PyTorch, too."""
def ratio_interval(a, b, confidence: _float = 0.95):
    """Give the ratio of the times of two programs that were run in pairs."""
def ravel(input: Tensor, *, out=None) -> Tensor:
    """Flatten to one dimension."""
def reciprocal(input: Tensor, *, out=None) -> Tensor:
    """Compute 1 / x of each element."""
def reciprocal_(input: Tensor, *, out=None) -> Tensor:
    """Put what `reciprocal` returns into the memory of the tensor, and return it."""
def record_text(record): ...
def register_kernel(function, forward=None, backward=None, when=None): ...
def relu(input: Tensor, inplace: _bool = False) -> Tensor:
    """max(x, 0), element by element; with `inplace`, in the memory of `input`."""
def relu_(input: Tensor) -> Tensor:
    """`relu` in place."""
def remainder(input: Operand, other: Operand, *, out=None) -> Tensor: ...
def renorm(input: Tensor, p, dim: Dims, maxnorm, *, axis: Dims | None = None, keepdims=None, out=None) -> Tensor:
    """Scale slices along `dim` down to a p-norm of at most `maxnorm`."""
def repeat_interleave(input: Tensor, repeats=None, dim: Dims | None = None, *, output_size=None, out=None) -> Tensor: ...
def replace_layers(model, replacement):
    """Copy a model, and replace some of the modules in the copy."""
def reshape(input: Tensor, *shape, out=None) -> Tensor: ...
def resize_as_(input: Tensor, the_template, *, memory_format=None, out=None) -> Tensor:
    """Take the shape of another tensor, as `resize_` does."""
def resnet_small(num_classes=10, in_channels=3, width=16) -> Tensor:
    """A residual network for images of some 32 pixels: three stages of one block each."""
def resolve_conj(input: Tensor, *, out=None) -> Tensor:
    """Return the tensor itself: nothing is yet to be conjugated."""
def resolve_neg(input: Tensor, *, out=None) -> Tensor:
    """Return the tensor itself: nothing is yet to be negated."""
def result_type(tensor1, tensor2) -> _dtype: ...
return_types: Any
def roll(input: Tensor, shifts, dims: Dims = (), *, out=None) -> Tensor: ...
def roofline(flops, nbytes, machine):
    """Say whether arithmetic or memory limits an operation, and how fast it could be."""
def rot90(input: Tensor, k: _int = 1, dims: Dims = (0, 1), *, out=None) -> Tensor:
    """Turn the plane of two dimensions by k right angles."""
def round(input: Tensor, *, decimals=0, out=None) -> Tensor: ...
def round_(input: Tensor, *, decimals=0, out=None) -> Tensor:
    """Put what `round` returns into the memory of the tensor, and return it."""
def round_to_bfloat16(x):
    """Round numbers to the nearest ones that a bfloat16 can hold; halves go to the even one."""
def round_weights(model, bits=8, per_channel: _bool = True, symmetric: _bool = True, group=None, mse: _bool = False): ...
def row_stack(tensors: Sequence[Tensor], *, out=None) -> Tensor:
    """Put tensors on top of each other; a vector is a row."""
def rrelu(input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False, inplace: _bool = False) -> Tensor: ...
def rrelu_(input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False) -> Tensor:
    """`rrelu` in place."""
def rsqrt(input: Tensor, *, out=None) -> Tensor:
    """Compute 1 / √x of each element."""
def rsqrt_(input: Tensor, *, out=None) -> Tensor:
    """Put what `rsqrt` returns into the memory of the tensor, and return it."""
def rsub(input: Operand, other: Operand, *, alpha=1, out=None) -> Tensor:
    """Compute other - alpha self."""
def run_again(record): ...
def run_event(event, entry, seed=None, pairs=None):
    """Judge an entry in an event, and give its record, signed off."""
def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization: _bool = True, _disable_byteorder_record: _bool = False): ...
def save_adapters(model, f): ...
def scalar_tensor(s, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
    """Make a tensor of no dimension of a number, in the default floating point type."""
def scale_and_zero_point(low, high, quant_min, quant_max, symmetric: _bool = False, eps: _float = 1.1920928955078125e-07):
    """Choose the scale and the zero point of x = scale (q - zero_point) for ranges of numbers."""
def scatter(input: Tensor, dim: Dims, index, src=None, *, value=None, reduce=None, out=None) -> Tensor: ...
def scatter_add(input: Tensor, dim: Dims, index, src, *, out=None) -> Tensor: ...
def scatter_reduce(input: Tensor, dim: Dims, index, src, reduce, *, include_self: _bool = True, out=None) -> Tensor: ...
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None, out=None) -> Tensor: ...
def seed() -> _int: ...
def select(input: Tensor, dim: Dims, index, *, out=None) -> Tensor:
    """Look at slice number `index` along `dim`, without that dimension."""
def select_inputs(layer, kept, of):
    """Copy a layer so that it reads only the units `kept` of the previous layer's `of` units."""
def select_outputs(layer, kept):
    """Copy a Linear or a Conv2d with only the units `kept`, an array of indices."""
def select_scatter(input: Tensor, src, dim: Dims, index, *, out=None) -> Tensor:
    """Put `src` in place of slice number `index` along `dim`."""
def selu(input: Tensor, inplace: _bool = False) -> Tensor:
    """`elu` with the two numbers that keep mean 0 and variance 1 (Klambauer and others, 2017)."""
def selu_(input: Tensor) -> Tensor:
    """`selu` in place."""
def set_default_device(device: Device) -> None:
    """Choose where new tensors are made, which is the processor, or refuse."""
def set_default_dtype(d) -> None:
    """Choose the type of new floating point tensors; TypeError unless it is one."""
def set_default_tensor_type(t, /) -> None:
    """Choose the type of new floating point tensors by a type of tensors or its name."""
def set_float32_matmul_precision(precision): ...
def set_flush_denormal(mode):
    """Say that numbers near zero cannot be cut off: False."""
def set_num_interop_threads(int):
    """Remember a number of threads."""
def set_num_threads(int): ...
def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None) -> None:
    """Choose how tensors print; what is left out stays as it is, except `sci_mode`."""
def set_rng_state(new_state) -> None:
    """Take the default generator back to where `get_rng_state` was called."""
def set_warn_always(b, /):
    """Remember whether warnings are to be repeated."""
def sgn(input: Tensor, *, out=None) -> Tensor:
    """Tell the sign of each element, as `sign` does for real numbers."""
short: _dtype
def shrink(model, cuts, choose=...):
    """Copy a model and take units out of some of its layers."""
def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x)), element by element."""
def sigmoid_(input: Tensor, *, out=None) -> Tensor:
    """Put what `sigmoid` returns into the memory of the tensor, and return it."""
def sign(input: Tensor, *, out=None) -> Tensor:
    """Tell the sign of each element: -1, 0 or 1 in the element's type; 0 for NaN."""
def sign_off(record): ...
def signbit(input: Tensor, *, out=None) -> Tensor:
    """Tell which elements have a minus sign, -0.0 too."""
def sin(input: Tensor, *, out=None) -> Tensor:
    """Compute the sine of each element, an angle in radians."""
def sin_(input: Tensor, *, out=None) -> Tensor:
    """Put what `sin` returns into the memory of the tensor, and return it."""
def sinc(input: Tensor, *, out=None) -> Tensor:
    """Compute sin(πx) / (πx), and 1 at 0."""
def sinc_(input: Tensor, *, out=None) -> Tensor:
    """Put what `sinc` returns into the memory of the tensor, and return it."""
def sinh(input: Tensor, *, out=None) -> Tensor:
    """Compute the hyperbolic sine, (e^x - e^-x) / 2, of each element."""
def sinh_(input: Tensor, *, out=None) -> Tensor:
    """Put what `sinh` returns into the memory of the tensor, and return it."""
def sinusoidal_positions(length, dim: Dims, base: _float = 10000.0) -> Tensor:
    """Make the table of waves by which Vaswani et al. (2017, section 3.5) number positions."""
def slice_scatter(input: Tensor, src, dim: Dims = 0, start=None, end: Operand | None = None, step=1, *, out=None) -> Tensor:
    """Put `src` in place of the slices start, start + step, ... before `end` along `dim`."""
def slogdet(input: Tensor, *, out=None):
    """Compute the sign of the determinant, and the logarithm of its absolute value."""
def softmax(input: Tensor, dim: Dims, dtype: _dtype | None = None, *, out=None) -> Tensor:
    """Compute e^x_i / Σ e^x_j along `dim`: built in module 02 (activations)."""
def sort(input: Tensor, dim: Dims = -1, descending: _bool = False, stable: _bool = False, *, axis: Dims | None = None, keepdims=None, out=None):
    """Sort along `dim`, and say where each element stood; equal ones keep their order."""
def split(tensor, split_size_or_sections, dim: Dims = 0) -> tuple[Tensor, ...]:
    """Cut a tensor along `dim` into views of one size, or of the sizes in a list."""
def split_with_sizes(input: Tensor, split_sizes, dim: Dims = 0, *, out=None) -> tuple[Tensor, ...]:
    """Cut along `dim` into views of these sizes."""
def sqrt(input: Tensor, *, out=None) -> Tensor:
    """Compute the square root of each element: NaN below 0."""
def sqrt_(input: Tensor, *, out=None) -> Tensor:
    """Put what `sqrt` returns into the memory of the tensor, and return it."""
def square(input: Tensor, *, out=None) -> Tensor:
    """Compute x² of each element."""
def square_(input: Tensor, *, out=None) -> Tensor:
    """Put what `square` returns into the memory of the tensor, and return it."""
def squeeze(input: Tensor, dim: Dims | None = None, *, axis: Dims | None = None, out=None) -> Tensor:
    """Remove dimensions of length 1: all, or `dim`, one or a tuple, where it has length 1."""
def stack(tensors: Sequence[Tensor], dim: Dims = 0, *, axis: Dims | None = None, out=None) -> Tensor:
    """Join tensors of one shape along a new dimension."""
def std(input: Tensor, dim: Dims | None = None, unbiased=None, keepdim: _bool = False, *, correction=None, axis: Dims | None = None, keepdims: _bool = False, out=None) -> Tensor: ...
def std_mean(input: Tensor, dim: Dims | None = None, unbiased=None, keepdim: _bool = False, *, correction=None, axis: Dims | None = None, keepdims=None, out=None) -> tuple[Tensor, ...]:
    """Compute the standard deviation and the mean, as `std` and `mean` do."""
strided: Any
def strongest_units(layer, count):
    """Return the indices of the `count` units whose weights' L1 norms are largest, in order."""
def sub(input: Operand, other: Operand, *, alpha=1, out=None) -> Tensor: ...
def subtract(input: Tensor, other: Operand, *, alpha=1, out=None) -> Tensor:
    """Alias of `sub`."""
def sum(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Dims | None = None, keepdims: _bool = False, out=None) -> Tensor: ...
def summary(model, input_size, dtype: _dtype | None = None) -> Tensor:
    """Run a model once on zeros, and list its layers with their outputs, parameters and bytes."""
def svd(input: Tensor, some: _bool = True, compute_uv: _bool = True, *, out=None):
    """Decompose into U, S and V, of which `linalg.svd` gives the transpose; `some`, not square."""
def swapaxes(input: Tensor, axis0, axis1, *, out=None) -> Tensor:
    """Exchange two dimensions: `transpose` by NumPy's name."""
def swapdims(input: Tensor, dim0: _int, dim1: _int, *, out=None) -> Tensor:
    """Alias of `transpose`."""
def t(input: Tensor, *, out=None) -> Tensor:
    """Transpose a matrix; what has fewer dimensions is itself. RuntimeError for more than two."""
def t_interval(times, confidence: _float = 0.95):
    """Give Student's interval for the mean."""
def take(input: Tensor, index, *, out=None) -> Tensor:
    """Take the elements at these places of the flattened tensor; IndexError for one outside."""
def take_along_dim(input: Tensor, indices, dim: Dims | None = None, *, out=None) -> Tensor: ...
def tan(input: Tensor, *, out=None) -> Tensor:
    """Compute the tangent of each element, an angle in radians."""
def tan_(input: Tensor, *, out=None) -> Tensor:
    """Put what `tan` returns into the memory of the tensor, and return it."""
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent, element by element."""
def tanh_(input: Tensor, *, out=None) -> Tensor:
    """Put what `tanh` returns into the memory of the tensor, and return it."""
def teach(student, teacher, images, steps, batch=64, lr=0.01, seed=0):
    """Train a student on a teacher's probabilities for fresh images, and return it."""
def tensor(data, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
    """Make a tensor with a copy of `data`: numbers, nested lists, an array, or a tensor."""
def tensor_split(input: Tensor, indices_or_sections, dim: Dims = 0, *, out=None) -> tuple[Tensor, ...]:
    """Cut along `dim` into views: into that many parts, or at these positions."""
def tensordot(a, b, dims=2) -> Tensor: ...
def threshold(input: Tensor, threshold, value, inplace: _bool = False) -> Tensor:
    """x where it is larger than `threshold`, `value` elsewhere; integers are allowed."""
def threshold_(input: Tensor, threshold, value) -> Tensor:
    """`threshold` in place."""
def tile(input: Tensor, *dims, out=None) -> Tensor:
    """Lay the tensor out as `repeat` does, once along dimensions that are not named."""
def to_dlpack(tensor):
    """A DLPack capsule of a tensor's memory."""
def topk(input: Tensor, k: _int, dim: Dims = -1, largest: _bool = True, sorted: _bool = True, *, axis: Dims | None = None, keepdims=None, out=None):
    """Find the k largest (or smallest) elements along `dim`, in order, and where they stand."""
def trace(input: Tensor, *, out=None) -> Tensor:
    """Add up the main diagonal of a matrix."""
def trace_memory(run):
    """Measure the memory that a call of `run` takes, beyond what is in use already."""
def transpose(input: Tensor, dim0: _int, dim1: _int, *, out=None) -> Tensor:
    """Exchange two dimensions, in the same memory."""
def trapezoid(y, x=None, *, dx=1, dim: Dims = -1) -> Tensor:
    """Integrate samples along `dim`; `x` says where they were taken, or `dx` how far apart."""
def trapz(y, x=None, *, dx=1, dim: Dims = -1) -> Tensor:
    """Integrate samples along `dim`; `x` says where they were taken, or `dx` how far apart."""
def triangular_solve(input: Tensor, A, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False, *, out=None): ...
def tril(input: Tensor, diagonal: _int = 0, *, out=None) -> Tensor:
    """Keep the lower triangle of matrices, up to the diagonal with this number; the rest is 0."""
def tril_indices(row, col, offset=0, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
    """The indices (2, n) of the lower triangle of a matrix."""
def triu(input: Tensor, diagonal: _int = 0, *, out=None) -> Tensor:
    """Keep the upper triangle of matrices, from the diagonal with this number on; the rest is 0."""
def triu_indices(row, col, offset=0, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False) -> Tensor:
    """The indices (2, n) of the upper triangle of a matrix."""
def true_divide(input: Operand, other: Operand, *, out=None) -> Tensor:
    """Divide, integers as floating point numbers: `div` without rounding."""
def trunc(input: Tensor, *, out=None) -> Tensor:
    """Round each element towards 0."""
def trunc_(input: Tensor, *, out=None) -> Tensor:
    """Put what `trunc` returns into the memory of the tensor, and return it."""
def typename(obj, /) -> str: ...
uint16: _dtype
uint32: _dtype
uint64: _dtype
uint8: _dtype
def unbind(input: Tensor, dim: Dims = 0, *, out=None) -> tuple[Tensor, ...]:
    """Look at every slice along `dim`: a tuple of views without that dimension."""
def unflatten(input: Tensor, dim: Dims, sizes, *, out=None) -> Tensor:
    """Make several dimensions of one: of `sizes`, one of which may be -1."""
def unique(input: Tensor, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: Dims | None = None, *, axis: Dims | None = None, keepdims=None, out=None): ...
def unique_consecutive(input: Tensor, return_inverse: _bool = False, return_counts: _bool = False, dim: Dims | None = None, *, out=None): ...
def unpack_int4(packed, length):
    """The integers, int8 (..., length), that `pack_int4` has packed."""
def unravel_index(indices, shape) -> tuple[Tensor, ...]:
    """The index along each dimension of a shape, for places in the flattened tensor."""
def unsafe_chunk(input: Tensor, chunks, dim: Dims = 0, *, out=None) -> tuple[Tensor, ...]:
    """Alias of `chunk`."""
def unsafe_split(input: Tensor, split_size, dim: Dims = 0, *, out=None) -> tuple[Tensor, ...]:
    """Alias of `split`."""
def unsafe_split_with_sizes(input: Tensor, split_sizes, dim: Dims = 0, *, out=None) -> tuple[Tensor, ...]:
    """Alias of `split_with_sizes`."""
def unsqueeze(input: Tensor, dim: Dims, *, out=None) -> Tensor:
    """Insert a dimension of length 1 before dimension `dim`."""
def use_deterministic_algorithms(mode, *, warn_only: _bool = False):
    """Remember that results are to be the same from run to run; they always are."""
def vander(x, N=None, increasing: _bool = False) -> Tensor:
    """The powers of each element of a vector, the highest first, in a matrix of N columns."""
def var(input: Tensor, dim: Dims | None = None, unbiased=None, keepdim: _bool = False, *, correction=None, axis: Dims | None = None, keepdims: _bool = False, out=None) -> Tensor:
    """Compute the variance along `dim`: Σ (x - mean)² / (n - correction)."""
def var_mean(input: Tensor, dim: Dims | None = None, unbiased=None, keepdim: _bool = False, *, correction=None, axis: Dims | None = None, keepdims=None, out=None) -> tuple[Tensor, ...]:
    """Compute the variance and the mean, as `var` and `mean` do."""
def vdot(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Add up the products of the elements of two vectors, as `dot` does for real numbers."""
def verdicts(prof, machine, row_limit=None): ...
def view_as_complex(input: Tensor):
    """Real numbers (..., 2) as complex ones (...)."""
def view_as_real(input: Tensor) -> Tensor:
    """Complex numbers (...) as real ones (..., 2)."""
def vsplit(input: Tensor, indices_or_sections, *, out=None) -> tuple[Tensor, ...]:
    """Cut into views along dimension 0: into that many parts, or at these positions."""
def vstack(tensors: Sequence[Tensor], *, out=None) -> Tensor:
    """Put tensors on top of each other; a vector is a row."""
def waiting_share(batches, step, clock=...):
    """Measure which part of a training loop's time is spent waiting for data."""
def warmup_cosine(step, warmup, total, floor: _float = 0.0):
    """Compute the factor of a rate that rises linearly and falls along half a cosine."""
def where(condition, input=None, other=None, *, out=None): ...
def write_board(records, folder):
    """Write leaderboard.json, leaderboard.html and records.json into a folder; give their paths."""
def xlogy(input: Operand, other: Operand, *, out=None) -> Tensor:
    """Compute x log y, and 0 where x is 0."""
def xlogy_(input: Tensor, other: Operand, *, out=None) -> Tensor:
    """Put what `xlogy` returns into the memory of the tensor, and return it."""
def zero_(input: Tensor, *, out=None) -> Tensor:
    """Set every element to 0."""
def zeros(*size, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, out=None) -> Tensor:
    """Make a tensor of zeros."""
def zeros_like(input: Tensor, *, dtype: _dtype | None = None, device: Device | None = None, requires_grad: _bool = False, memory_format=None) -> Tensor:
    """Make zeros in the shape, type and layout of `input`."""
