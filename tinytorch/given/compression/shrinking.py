"""A whole model with fewer units, by `strongest_units`, `select_outputs` and `select_inputs`."""

import copy

from tinytorch.compression import select_inputs, select_outputs, strongest_units

__all__ = ["shrink"]


def shrink(model, cuts, choose=strongest_units):
    """Copy a model and take units out of some of its layers.

    Args:
        model: a Module without masks; it is not changed.
        cuts: (layer, following, count) for each layer to be cut: two dotted names, such as "fc1" and "fc2",
            and how many units stay. `following` is the layer that reads the units; only what treats each
            number for itself, such as ReLU, pooling and Flatten, may stand between.
        choose: choose(layer, count) returns the indices to keep.

    Returns:
        The smaller copy.
    """
    model = copy.deepcopy(model)
    for name, next_name, count in cuts:
        layer, following = model.get_submodule(name), model.get_submodule(next_name)
        kept = choose(layer, count)
        model.set_submodule(name, select_outputs(layer, kept))
        model.set_submodule(next_name, select_inputs(following, kept, of=layer.weight.shape[0]))
    return model
