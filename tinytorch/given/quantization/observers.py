"""Observers: they look at tensors on their way and say which range of numbers the integers are to stand for.

Scale and zero point are the learner's `scale_and_zero_point`, and the search of `MSEObserver` is `mse_range`.
"""

from functools import partial

import numpy as np

from tinytorch.given.quantization.types import per_channel_affine, per_tensor_affine, qint8, quint8
from tinytorch.layers import Module
from tinytorch.quantization import mse_range, scale_and_zero_point
from tinytorch.tensor import float32, tensor, wrap

__all__ = [
    "MSEObserver",
    "MinMaxObserver",
    "MovingAverageMinMaxObserver",
    "MovingAveragePerChannelMinMaxObserver",
    "ObserverBase",
    "PerChannelMinMaxObserver",
    "PercentileObserver",
]

EPS = float(np.finfo(np.float32).eps)


class ObserverBase(Module):
    """The base of observers: `forward` looks at a tensor and hands it on, `calculate_qparams` judges.

    >>> class Largest(ObserverBase):
    ...     def forward(self, x):
    ...         self.largest = x.max()
    ...         return x
    >>> observer = Largest(dtype=torch.int8)
    >>> _ = observer(torch.tensor([1.0, 3.0]))
    >>> observer.largest
    tensor(3.)
    """

    def __init__(self, dtype, is_dynamic=False):
        super().__init__()
        self.dtype, self.is_dynamic = dtype, is_dynamic

    def calculate_qparams(self, **kwargs):
        """Return scale and zero point, tensors, for what has been seen; every subclass writes its own.

        >>> observer = MinMaxObserver()
        >>> _ = observer(torch.tensor([0.0, 255.0]))
        >>> observer.calculate_qparams()
        (tensor([1.]), tensor([0], dtype=torch.int32))
        """
        raise NotImplementedError(f"{type(self).__name__} does not say which range it has found")

    @classmethod
    def with_args(cls, **kwargs):
        """Make what makes observers with these options, for a QConfig.

        >>> make = MinMaxObserver.with_args(dtype=qint8)
        >>> make().dtype is qint8
        True
        """
        return WithArguments(partial(cls, **kwargs))


class WithArguments:
    """A class with some of its arguments, which can be given more of them."""

    def __init__(self, made):
        self.made = made

    def __call__(self, *args, **kwargs):
        return self.made(*args, **kwargs)

    def with_args(self, **kwargs):
        return WithArguments(partial(self.made, **kwargs))

    def __repr__(self):
        return repr(self.made)


class UniformObserver(ObserverBase):
    """What all observers of evenly spaced integers share: the integers, the scheme, the verdict."""

    ch_axis = -1

    def __init__(self, dtype, qscheme, reduce_range, quant_min, quant_max, eps, is_dynamic):
        super().__init__(dtype, is_dynamic)
        if dtype not in (qint8, quint8):
            raise AssertionError(f"Default Observer only works for qint8 and quint8 here, not {dtype}")
        low, high = (-128, 127) if dtype is qint8 else (0, 255)
        if reduce_range and quant_min is None:
            low, high = low // 2, high // 2
        self.qscheme, self.reduce_range = qscheme, reduce_range
        self.quant_min = low if quant_min is None else quant_min
        self.quant_max = high if quant_max is None else quant_max
        if self.quant_min > 0 or self.quant_max < 0:
            raise AssertionError("Used-specified quantization range must include 0.")
        if self.quant_min >= self.quant_max:
            raise AssertionError("qmin must be less than qmax for user-specified quantization range.")
        self.register_buffer("eps", tensor([eps], dtype=float32))
        self.register_buffer("min_val", tensor(float("inf")))
        self.register_buffer("max_val", tensor(float("-inf")))

    def _parameters_of(self, low, high):
        """Scale and zero point, as tensors, of a range or of one for each channel."""
        if low.size == 0 or (low > high).any():
            return tensor([1.0]), tensor([0])  # nothing has been seen
        scale, zero_point = scale_and_zero_point(
            np.atleast_1d(low),
            np.atleast_1d(high),
            self.quant_min,
            self.quant_max,
            self.qscheme.symmetric,
            self.eps.array,
        )
        return wrap(scale), wrap(zero_point)

    def calculate_qparams(self):
        """Return the scale and the zero point, tensors, for what has been seen."""
        return self._parameters_of(self.min_val.array, self.max_val.array)

    def extra_repr(self):
        return f"min_val={self.min_val.array}, max_val={self.max_val.array}"


class MinMaxObserver(UniformObserver):
    """Keep the smallest and the largest number seen.

    Args:
        dtype: `qint8` or `quint8`.
        qscheme: `per_tensor_affine` or `per_tensor_symmetric`.
        reduce_range: use one bit less.
        quant_min, quant_max: the integers, where they are not all of the dtype's.
        eps: the smallest scale.

    >>> observer = MinMaxObserver(dtype=qint8)
    >>> _ = observer(tensor([-1.0, 4.1]))
    >>> observer.calculate_qparams()
    (tensor([0.0200]), tensor([-78], dtype=torch.int32))
    """

    def __init__(
        self, dtype=quint8, qscheme=per_tensor_affine, reduce_range=False, quant_min=None, quant_max=None,
        factory_kwargs=None, eps=EPS, is_dynamic=False, **kwargs,
    ):  # fmt: skip
        super().__init__(dtype, qscheme, reduce_range, quant_min, quant_max, eps, is_dynamic, **kwargs)

    def forward(self, x_orig):
        if x_orig.numel():
            low, high = self._extremes(x_orig.array)
            self.min_val, self.max_val = wrap(self._lower(low)), wrap(self._higher(high))
        return x_orig

    def _extremes(self, x):
        return np.asarray(x.min(), np.float32), np.asarray(x.max(), np.float32)

    def _lower(self, low):
        return np.minimum(self.min_val.array, low)

    def _higher(self, high):
        return np.maximum(self.max_val.array, high)

    def reset_min_max_vals(self):
        """Forget what has been seen.

        >>> observer = MinMaxObserver()
        >>> _ = observer(torch.tensor([1.0]))
        >>> observer.reset_min_max_vals()
        >>> observer.max_val
        tensor(-inf)
        """
        self.min_val, self.max_val = tensor(float("inf")), tensor(float("-inf"))


class MovingAverageMinMaxObserver(MinMaxObserver):
    """Let smallest and largest number follow those of each tensor, by a share `averaging_constant`.

    >>> observer = MovingAverageMinMaxObserver(averaging_constant=0.5)
    >>> _ = observer(torch.tensor([0.0, 1.0])), observer(torch.tensor([0.0, 3.0]))
    >>> observer.max_val
    tensor(2.)
    """

    def __init__(
        self, averaging_constant=0.01, dtype=quint8, qscheme=per_tensor_affine, reduce_range=False,
        quant_min=None, quant_max=None, eps=EPS, is_dynamic=False, **kwargs,
    ):  # fmt: skip
        super().__init__(dtype, qscheme, reduce_range, quant_min, quant_max, None, eps, is_dynamic, **kwargs)
        self.averaging_constant = averaging_constant

    def _lower(self, low):
        return self._followed(self.min_val.array, low)

    def _higher(self, high):
        return self._followed(self.max_val.array, high)

    def _followed(self, old, new):
        if not np.isfinite(old).all():
            return new
        return np.asarray(old + np.float32(self.averaging_constant) * (new - old), np.float32)


class PerChannelMinMaxObserver(MinMaxObserver):
    """Keep the smallest and the largest number of each channel, along the dimension `ch_axis`.

    >>> observer = PerChannelMinMaxObserver(ch_axis=0)
    >>> _ = observer(torch.tensor([[0.0, 1.0], [-2.0, 5.0]]))
    >>> observer.min_val, observer.max_val
    (tensor([ 0., -2.]), tensor([1., 5.]))
    """

    def __init__(
        self, ch_axis=0, dtype=quint8, qscheme=per_channel_affine, reduce_range=False, quant_min=None,
        quant_max=None, factory_kwargs=None, eps=EPS, is_dynamic=False, **kwargs,
    ):  # fmt: skip
        super().__init__(
            dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, is_dynamic, **kwargs
        )
        self.ch_axis = ch_axis

    def _extremes(self, x):
        rows = np.moveaxis(x, self.ch_axis, 0).reshape(x.shape[self.ch_axis], -1)
        return rows.min(axis=1).astype(np.float32), rows.max(axis=1).astype(np.float32)


class MovingAveragePerChannelMinMaxObserver(MovingAverageMinMaxObserver):
    """The moving average of each channel's smallest and largest number.

    >>> observer = MovingAveragePerChannelMinMaxObserver(averaging_constant=0.5)
    >>> _ = observer(torch.tensor([[1.0], [5.0]])), observer(torch.tensor([[3.0], [5.0]]))
    >>> observer.max_val
    tensor([2., 5.])
    """

    def __init__(
        self, averaging_constant=0.01, ch_axis=0, dtype=quint8, qscheme=per_channel_affine,
        reduce_range=False, quant_min=None, quant_max=None, eps=EPS, is_dynamic=False, **kwargs,
    ):  # fmt: skip
        super().__init__(
            averaging_constant, dtype, qscheme, reduce_range, quant_min, quant_max, eps, is_dynamic, **kwargs
        )
        self.ch_axis = ch_axis

    _extremes = PerChannelMinMaxObserver._extremes


class SampleObserver(UniformObserver):
    """Keep numbers that were seen, at most `limit` of them, drawn evenly, and choose the range at the end."""

    def __init__(self, dtype=qint8, qscheme=per_tensor_affine, quant_min=None, quant_max=None, limit=2**16):
        super().__init__(dtype, qscheme, False, quant_min, quant_max, EPS, False)
        self.limit, self.seen, self.rng = limit, [], np.random.default_rng(0)

    def forward(self, x_orig):
        x = x_orig.array
        if x.size:
            self.min_val = wrap(np.asarray(np.minimum(self.min_val.array, x.min()), np.float32))
            self.max_val = wrap(np.asarray(np.maximum(self.max_val.array, x.max()), np.float32))
            drawn = x.reshape(-1)
            if drawn.size > self.limit:
                drawn = self.rng.choice(drawn, self.limit, replace=False)
            self.seen.append(np.array(drawn, np.float32))
        return x_orig

    def calculate_qparams(self):
        if not self.seen:
            return tensor([1.0]), tensor([0])
        numbers = np.concatenate(self.seen)
        if numbers.size > self.limit:
            numbers = self.rng.choice(numbers, self.limit, replace=False)
        low, high = self._chosen(numbers)
        return self._parameters_of(np.asarray(low, np.float32), np.asarray(high, np.float32))


class PercentileObserver(SampleObserver):
    """Leave out what lies outside: `percentile` 99.9 keeps all but the outermost 0.1 % of the numbers.

    Zero stays representable. Symmetric ranges go by the magnitudes.

    >>> observer = PercentileObserver(percentile=90.0)
    >>> _ = observer(torch.arange(101.0))
    >>> observer.calculate_qparams()
    (tensor([0.3725]), tensor([-128], dtype=torch.int32))
    """

    def __init__(self, percentile=99.9, **options):
        super().__init__(**options)
        if not 50 < percentile <= 100:
            raise ValueError(f"a percentile is above 50 and at most 100, not {percentile}")
        self.percentile = percentile

    def _chosen(self, numbers):
        if self.qscheme.symmetric:
            largest = np.percentile(np.abs(numbers), self.percentile)
            return -largest, largest
        outside = (100 - self.percentile) / 2
        return np.percentile(numbers, [outside, 100 - outside])


class MSEObserver(SampleObserver):
    """Choose the range that makes the mean squared error of rounding smallest: the learner's `mse_range`.

    >>> observer = MSEObserver()
    >>> _ = observer(torch.tensor([-1.0, 0.5, 1.0]))
    >>> observer.calculate_qparams()
    (tensor([0.0078]), tensor([-1], dtype=torch.int32))
    """

    def _chosen(self, numbers):
        ends = np.float32([self.min_val.item(), self.max_val.item()])
        numbers = np.concatenate([numbers, ends])  # the outermost are always among them
        return mse_range(numbers, self.quant_min, self.quant_max, self.qscheme.symmetric)
