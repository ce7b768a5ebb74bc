"""Adapters in a separate file, and adapters merged into the layers they are around."""

from tinytorch.compression import LoRALinear, adapter_state
from tinytorch.layers import Linear
from tinytorch.trainer import load, save

__all__ = ["load_adapters", "merge_adapters", "save_adapters"]


def adapters_of(model):
    """The model's adapters, by the dotted name of each of their places."""
    return {
        name: module
        for name, module in model.named_modules(remove_duplicate=False)
        if isinstance(module, LoRALinear)
    }


def save_adapters(model, f):
    """Write a model's adapters to a safetensors file: their A and B, and the rank and alpha of each.

    Args:
        model: a Module that `add_adapters` has changed.
        f: a path, or a file that is open for writing bytes.

    Raises:
        ValueError: if the model has no adapters.
    """
    adapters = adapters_of(model)
    if not adapters:
        raise ValueError("the model has no adapters to save")
    sizes = {name: [adapter.rank, adapter.alpha] for name, adapter in adapters.items()}
    save({"adapters": sizes, "state": adapter_state(model)}, f)


def load_adapters(model, f):
    """Put the adapters of a file around the layers of a model that they were made for, in place.

    Args:
        model: a Module with layers of the same names and sizes; it is frozen, as by `add_adapters`.
        f: a path, or a file that is open for reading bytes.

    Returns:
        The model itself. Adapters that it had in these places are replaced.

    Raises:
        RuntimeError: if the file holds no adapters, or those of another model.
    """
    content = load(f)
    if not (isinstance(content, dict) and {"adapters", "state"} == set(content)):
        raise RuntimeError("the file holds no adapters: save_adapters writes one that does")
    made = {name: made_again(model, name, *sizes, content) for name, sizes in content["adapters"].items()}
    model.requires_grad_(False)
    shared = {
        adapter.base: adapter for adapter in made.values()
    }  # one for a layer that appears in two places
    for name, adapter in made.items():
        model.set_submodule(name, shared[adapter.base])
    return model


def made_again(model, name, rank, alpha, content):
    """The adapter of a file for one place in a model."""
    try:
        layer = model.get_submodule(name)
        adapter = LoRALinear(layer.base if isinstance(layer, LoRALinear) else layer, rank, alpha)
        for part in ("lora_A", "lora_B"):
            adapter.get_submodule(part).load_state_dict({"weight": content["state"][f"{name}.{part}.weight"]})
    except (AttributeError, KeyError, RuntimeError, TypeError, ValueError):
        raise RuntimeError(f"the adapters are those of another model: {name} does not fit") from None
    return adapter


def merge_adapters(model):
    """Put a Linear with the corrected weight in the place of each adapter around a Linear, in place.

    Adapters around packed layers stay.
    """
    merged = {}
    for name, adapter in adapters_of(model).items():
        if isinstance(adapter.base, Linear):
            if adapter not in merged:
                merged[adapter] = adapter.merged()
            model.set_submodule(name, merged[adapter])
    return model
