# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch._typed import Module as _Module
class FakeQuantize(_Module):
    """Watch a tensor with an observer, and round it as its integers would, for training."""
    activation_post_process: Any
    scale: Any
    zero_point: Any
    def __init__(self, observer=..., quant_min=None, quant_max=None, is_dynamic: _bool = False, **observer_kwargs) -> None: ...
    def calculate_qparams(self):
        """Return the scale and the zero point of what the observer has seen."""
    def disable_fake_quant(self):
        """Round no longer."""
    def disable_observer(self):
        """Watch no longer: scale and zero point stay."""
    def enable_fake_quant(self, enabled: _bool = True):
        """Round from now on, or with False do not."""
    def enable_observer(self, enabled: _bool = True):
        """Watch from now on, or with False do not."""
    def extra_repr(self): ...
    forward: Any
    @classmethod
    def with_args(cls, **kwargs):
        """Make what makes FakeQuantize modules with these options, for a QConfig."""
class ObserverBase(_Module):
    dtype: Any
    is_dynamic: Any
    def __init__(self, dtype: _dtype, is_dynamic: _bool = False) -> None: ...
    def calculate_qparams(self, **kwargs): ...
    @classmethod
    def with_args(cls, **kwargs):
        """Make what makes observers with these options, for a QConfig."""
class QConfig(builtins.tuple):
    """What makes the observers of a layer's input and of its weight: classes, not observers."""
    def __init__(self, *args, **kwargs) -> None: ...
    def __getnewargs__(self):
        """Return self as a plain tuple.  Used by copy and pickle."""
    activation: Any
    weight: Any
class MinMaxObserver(ObserverBase):
    """Keep the smallest and the largest number seen."""
    max_val: Any
    min_val: Any
    qscheme: Any
    quant_max: Any
    quant_min: Any
    reduce_range: Any
    def __init__(self, dtype: _dtype = ..., qscheme=..., reduce_range: _bool = False, quant_min=None, quant_max=None, factory_kwargs=None, eps: _float = 1.1920928955078125e-07, is_dynamic: _bool = False, **kwargs) -> None: ...
    def calculate_qparams(self):
        """Return the scale and the zero point, tensors, for what has been seen."""
    ch_axis: _int
    def extra_repr(self): ...
    forward: Any
    def reset_min_max_vals(self):
        """Forget what has been seen."""
class MovingAverageMinMaxObserver(MinMaxObserver):
    averaging_constant: Any
    def __init__(self, averaging_constant: _float = 0.01, dtype: _dtype = ..., qscheme=..., reduce_range: _bool = False, quant_min=None, quant_max=None, eps: _float = 1.1920928955078125e-07, is_dynamic: _bool = False, **kwargs) -> None: ...
class PerChannelMinMaxObserver(MinMaxObserver):
    """Keep the smallest and the largest number of each channel, along the dimension `ch_axis`."""
    ch_axis: Any
    def __init__(self, ch_axis=0, dtype: _dtype = ..., qscheme=..., reduce_range: _bool = False, quant_min=None, quant_max=None, factory_kwargs=None, eps: _float = 1.1920928955078125e-07, is_dynamic: _bool = False, **kwargs) -> None: ...
class MovingAveragePerChannelMinMaxObserver(MovingAverageMinMaxObserver):
    """The moving average of each channel's smallest and largest number."""
    ch_axis: Any
    def __init__(self, averaging_constant: _float = 0.01, ch_axis=0, dtype: _dtype = ..., qscheme=..., reduce_range: _bool = False, quant_min=None, quant_max=None, eps: _float = 1.1920928955078125e-07, is_dynamic: _bool = False, **kwargs) -> None: ...
def convert(module, mapping=None, inplace: _bool = False, remove_qconfig: _bool = True, is_reference: _bool = False, convert_custom_config_dict=None, use_precomputed_fake_quant: _bool = False):
    """Make integer layers of what `prepare` or `prepare_qat` has put into a model."""
default_dynamic_qconfig: Any
def prepare(model, inplace: _bool = False, allow_list=None, observer_non_leaf_module_list=None, prepare_custom_config_dict=None): ...
def prepare_qat(model, mapping=None, inplace: _bool = False): ...
def quantize_dynamic(model, qconfig_spec=None, dtype: _dtype = ..., mapping=None, inplace: _bool = False):
    """Give a model int8 weights; its inputs are measured while it runs, each row for itself."""
