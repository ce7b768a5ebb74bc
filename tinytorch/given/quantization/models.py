"""Whole models: dynamic and static quantization, PyTorch's names for them, and weights that are only rounded.

All of them are the learner's `replace_layers` with another replacement.
"""

import copy
from typing import NamedTuple

import numpy as np

from tinytorch.autograd import no_grad
from tinytorch.conv import Conv2d
from tinytorch.given.quantization.integer_layers import QuantizedConv2d, QuantizedLinear, can_be_quantized
from tinytorch.given.quantization.observers import MinMaxObserver, PerChannelMinMaxObserver
from tinytorch.given.quantization.types import integer_range, per_channel_symmetric, qint8, quint8
from tinytorch.layers import Identity, Linear, Module
from tinytorch.quantization import (
    dequantize,
    mse_range,
    quantize,
    quantize_along,
    replace_layers,
    scale_and_zero_point,
)
from tinytorch.tensor import Tensor

__all__ = [
    "Prepared",
    "QConfig",
    "convert",
    "default_dynamic_qconfig",
    "default_per_channel_qconfig",
    "prepare",
    "quantize_dynamic",
    "quantize_static",
    "round_weights",
]


class QConfig(NamedTuple("QConfig", [("activation", object), ("weight", object)])):
    """What makes the observers of a layer's input and of its weight: classes, not observers."""

    __slots__ = ()

    def __new__(cls, activation, weight):
        if isinstance(activation, Module) or isinstance(weight, Module):
            raise ValueError(
                "QConfig received observer instance, please pass observer class instead. "
                "Use MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)


WEIGHT = PerChannelMinMaxObserver.with_args(
    dtype=qint8, qscheme=per_channel_symmetric, quant_min=-127, quant_max=127
)
default_per_channel_qconfig = QConfig(MinMaxObserver.with_args(dtype=quint8), WEIGHT)
default_dynamic_qconfig = QConfig(Identity, WEIGHT)  # nothing is observed: inputs are measured row by row


def kind_of(layer):
    """The integer layer that takes a float layer's place, or None."""
    if type(layer) is Linear:
        return QuantizedLinear
    return QuantizedConv2d if type(layer) is Conv2d and can_be_quantized(layer) else None


def tied(model):
    """The names of layers whose weight is also used elsewhere: as integers, it would be stored twice."""
    places = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        places.setdefault(parameter, []).append(name.rpartition("."))
    return {name for names in places.values() if len(names) > 1 for name, _, _ in names}


def replace_quantizable(model, make, wanted=lambda name, layer: True):
    """A copy in which each layer that can be quantized, and that is wanted, has become `make(layer)`.

    A layer whose weight is used elsewhere too stays, so that the weight is not kept twice.
    """
    kept = tied(model) - {name for name, _ in duplicates(model)}

    def replacement(name, layer):
        able = kind_of(layer) is not None and name not in kept
        return make(layer) if able and wanted(name, layer) else layer

    return replace_layers(model, replacement)


def duplicates(model):
    """(name, module) of modules that are used in several places: they are one layer, with one weight."""
    names = {}
    for name, module in model.named_modules(remove_duplicate=False):
        names.setdefault(module, []).append(name)
    return [(name, module) for module, several in names.items() if len(several) > 1 for name in several]


def put_into(model, changed):
    """Let a model be what its changed copy is, for `inplace=True`."""
    if type(model) is not type(changed):
        raise ValueError("the model itself is a layer to be replaced: that cannot be done in place")
    model.__dict__.update(vars(changed))
    return model


def quantize_dynamic(model, qconfig_spec=None, dtype=qint8, mapping=None, inplace=False):
    """Give a model int8 weights; its inputs are measured while it runs, each row for itself.

    Args:
        model: any Module; it is not changed, unless `inplace`.
        qconfig_spec: a set of layer classes and of names of layers, or a dict with them as keys; None is
            {Linear}. Conv2d can be named, too.
        dtype: `qint8`.
        mapping: None.
        inplace: whether the model itself is changed.

    Returns:
        A model without the layers' float weights.
    """
    if dtype is not qint8:
        raise ValueError(
            f"Don't know how to quantize with default settings for {dtype}. Provide full qconfig please"
        )
    if mapping is not None:
        raise NotImplementedError("a mapping of one's own is not supported: use replace_layers")
    spec = {Linear} if qconfig_spec is None else set(qconfig_spec)
    for one in spec - {Linear, Conv2d}:
        if not isinstance(one, str):
            raise ValueError(f"{one} has no int8 layer: Linear and Conv2d have one")

    def wanted(name, layer):
        return type(layer) in spec or any(f"{name}.".startswith(f"{one}.") for one in spec if one in named)

    named = {one for one in spec if isinstance(one, str)}
    changed = replace_quantizable(model, lambda layer: kind_of(layer)(layer), wanted)
    return put_into(model, changed) if inplace else changed


class Prepared(Module):
    """A float layer together with what watches its input; `quantized` makes the integer layer of both."""

    def __init__(self, layer, qconfig):
        super().__init__()
        self.layer, self.activation_post_process = layer, qconfig.activation()
        self.qconfig = qconfig
        self.train(layer.training)

    def forward(self, input):
        return self.layer(self.activation_post_process(input))

    def weight_qparams(self):
        observer = self.qconfig.weight()
        observer(self.layer.weight.detach())
        return observer.calculate_qparams()

    def quantized(self):
        scale, zero_point = (x.numpy() for x in self.weight_qparams())
        return quantized(self.layer, (scale, zero_point), self.activation_post_process)


def quantized(layer, weight_qparams, observer):
    """The integer layer with these scales, and the input's from an observer that may be none."""
    if not hasattr(observer, "calculate_qparams"):
        return kind_of(layer)(layer, weight_qparams)
    scale, zero_point = (x.item() for x in observer.calculate_qparams())
    shift = 128 if observer.dtype is quint8 else 0  # the same integers, in an int8
    ends = observer.quant_min - shift, observer.quant_max - shift
    return kind_of(layer)(layer, weight_qparams, (scale, zero_point - shift), ends)


def config_of(model):
    config = getattr(model, "qconfig", None)
    if config is None:
        raise ValueError("the model has no qconfig: assign one, model.qconfig = QConfig(activation, weight)")
    return config


def refuse_others(**options):
    """NotImplementedError for an option by which PyTorch would make other layers than these."""
    for name, value in options.items():
        if value:
            raise NotImplementedError(f"tinytorch quantises Linear and Conv2d in one way: it has no {name}")


def prepare(
    model, inplace=False, allow_list=None, observer_non_leaf_module_list=None,
    prepare_custom_config_dict=None,
):  # fmt: skip
    """Put an observer before each Linear and Conv2d, of the kind that `model.qconfig` says; see `convert`."""
    refuse_others(
        observer_non_leaf_module_list=observer_non_leaf_module_list,
        prepare_custom_config_dict=prepare_custom_config_dict,
    )
    config = config_of(model)
    changed = replace_quantizable(
        model,
        lambda layer: Prepared(layer, config),
        lambda name, layer: allow_list is None or type(layer) in allow_list,
    )
    return put_into(model, changed) if inplace else changed


def convert(
    module, mapping=None, inplace=False, remove_qconfig=True, is_reference=False,
    convert_custom_config_dict=None, use_precomputed_fake_quant=False,
):  # fmt: skip
    """Make integer layers of what `prepare` or `prepare_qat` has put into a model."""
    refuse_others(
        mapping=mapping,
        is_reference=is_reference,
        convert_custom_config_dict=convert_custom_config_dict,
        use_precomputed_fake_quant=use_precomputed_fake_quant,
    )
    changed = replace_layers(module, lambda _, m: m.quantized() if hasattr(m, "quantized") else m)
    if remove_qconfig and "qconfig" in vars(changed):
        del changed.qconfig
    return put_into(module, changed) if inplace else changed


def quantize_static(model, batches, observer=MinMaxObserver, skip=()):
    """Give a model int8 weights, and inputs whose range is found once, on examples.

    Args:
        model: any Module; it is not changed.
        batches: inputs, or (inputs, targets), that show what the model will see.
        observer: an observer class, or `Class.with_args(...)`.
        skip: names of layers that stay as they are.

    Returns:
        A model of integer layers, which no longer measures anything.
    """
    config = QConfig(observer, WEIGHT)
    prepared = replace_quantizable(
        model, lambda layer: Prepared(layer, config), lambda name, layer: name not in skip
    ).eval()
    with no_grad():
        for batch in [batches] if isinstance(batches, Tensor) else batches:
            prepared(batch[0] if isinstance(batch, (tuple, list)) else batch)
    return convert(prepared).train(model.training)


def round_weights(model, bits=8, per_channel=True, symmetric=True, group=None, mse=False):
    """A float copy whose weights have been quantized and back: what that does to its answers, at any width.

    Args:
        bits: 2 to 8.
        per_channel: a scale for each output, or one for a whole weight.
        symmetric: zero point 0.
        group: how many weights of a row share a scale, where that is less than a row.
        mse: take the ranges of the learner's `mse_range`, in place of minimum and maximum.
    """
    copied = copy.deepcopy(model)
    kept = tied(model)
    for name, module in copied.named_modules():
        if kind_of(module) is not None and name not in kept:
            weight = module.weight.array
            rows = weight.reshape(len(weight) if per_channel else 1, -1)
            columns = rows.shape[1]
            if group is not None:
                rows = np.pad(rows, ((0, 0), (0, -columns % group))).reshape(-1, group)
            found = rounded(rows, bits, symmetric, mse)
            weight[...] = found.reshape(len(weight) if per_channel else 1, -1)[:, :columns].reshape(
                weight.shape
            )
    return copied


def rounded(rows, bits, symmetric, mse):
    """Rows as integers and back, each with its own scale."""
    if not mse:
        return dequantize(*quantize_along(rows, axis=1, bits=bits, symmetric=symmetric))
    ends = integer_range(bits, symmetric)
    low, high = np.float32([mse_range(row, *ends, symmetric) for row in rows]).T[..., None]
    scale, zero_point = scale_and_zero_point(low, high, *ends, symmetric)
    return dequantize(quantize(rows, scale, zero_point, *ends), scale, zero_point)
