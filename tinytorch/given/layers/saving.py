"""Hooks on saving and loading, around the learner's `collect_state` and `load_state`."""

from collections import OrderedDict
from collections.abc import Mapping

from tinytorch.given import methods_of
from tinytorch.given.layers.hooks import add_hook, more_hooks
from tinytorch.layers import Module
from tinytorch.tensor import zeros

__all__ = ["after_loading", "after_saving", "before_loading", "before_saving"]


@methods_of(Module)
class StateHooks:
    _version = 1

    def register_state_dict_pre_hook(self, hook):
        """Call `hook(module, prefix, keep_vars)` before the module's part of a state dict is made.

        >>> layer = torch.nn.ReLU()
        >>> handle = layer.register_state_dict_pre_hook(lambda module, *rest: print("saving", module))
        >>> _ = layer.state_dict()
        saving ReLU()
        """
        return add_hook(more_hooks(self, "_state_dict_pre_hooks"), hook, False)

    def register_state_dict_post_hook(self, hook):
        """Call `hook(module, state_dict, prefix, local_metadata)` after; it may change it in place.

        >>> layer = torch.nn.Linear(4, 2)
        >>> handle = layer.register_state_dict_post_hook(lambda module, state, *rest: state.clear())
        >>> list(layer.state_dict())
        []
        """

        def returns_nothing(*args):
            if hook(*args) is not None:
                raise RuntimeError("state_dict post-hook must return None")

        return add_hook(more_hooks(self, "_state_dict_hooks"), returns_nothing, False)

    def _register_state_dict_hook(self, hook):
        """Call `hook(module, state_dict, prefix, local_metadata)` after; it may return another dictionary."""
        return add_hook(more_hooks(self, "_state_dict_hooks"), hook, False)

    def register_load_state_dict_pre_hook(self, hook):
        """Call a hook before loading, which may change the state dict in place.

        It is given (module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors).

        >>> layer = torch.nn.Linear(4, 2)
        >>> add = lambda module, state, *rest: state.update(bias=torch.ones(2))
        >>> handle = layer.register_load_state_dict_pre_hook(add)
        >>> layer.load_state_dict({"weight": torch.zeros(2, 4)})
        <All keys matched successfully>
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        """The same, for a hook that is given the module only with `with_module`."""
        called = hook if with_module else lambda module, *args: hook(*args)
        return add_hook(more_hooks(self, "_load_state_dict_pre_hooks"), called, False)

    def register_load_state_dict_post_hook(self, hook):
        """Call `hook(module, incompatible_keys)` after loading; keys that it removes raise no error.

        >>> layer = torch.nn.Linear(4, 2)
        >>> handle = layer.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
        >>> layer.load_state_dict({"weight": torch.zeros(2, 4)})
        <All keys matched successfully>
        """
        return add_hook(more_hooks(self, "_load_state_dict_post_hooks"), hook, False)


def hooks_of(module, place):
    """The hooks of a module in one of the places above."""
    return list(module.__dict__.get(place, {}).values())


def before_saving(module, prefix, keep_vars):
    """Call the hooks that run before a module's part of a state dict is made."""
    if hasattr(type(module), "get_extra_state"):
        raise NotImplementedError("get_extra_state: tinytorch stores parameters and buffers only")
    for hook in hooks_of(module, "_state_dict_pre_hooks"):
        hook(module, prefix, keep_vars)


def after_saving(module, destination, prefix):
    """Call the hooks that run after it is made, and return the dictionary."""
    for hook in hooks_of(module, "_state_dict_hooks"):
        changed = hook(module, destination, prefix, {"version": module._version})
        destination = destination if changed is None else changed
    return destination


def before_loading(module, state_dict, strict):
    """Let hooks change a copy of a state dict; return also whether wrong names are refused at once."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    state_dict, errors, forgiving = OrderedDict(state_dict), [], False
    for name, part in module.named_modules(remove_duplicate=False):
        for hook in hooks_of(part, "_load_state_dict_pre_hooks"):
            hook(
                part, state_dict, f"{name}." if name else "", {"version": part._version}, True, [], [], errors
            )
        forgiving |= bool(hooks_of(part, "_load_state_dict_post_hooks"))
    if errors:
        raise RuntimeError(
            "\n\t".join([f"Error(s) in loading state_dict for {module._get_name()}:", *errors])
        )
    return state_dict, strict and not forgiving


def after_loading(module, keys, strict):
    """Show hooks what was missing and unexpected, and refuse what they leave of it."""
    for part in list(module.modules())[::-1]:
        for hook in hooks_of(part, "_load_state_dict_post_hooks"):
            if hook(part, keys) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return "
                    "new values"
                )
    if strict and any(keys):
        from tinytorch.layers import load_state  # which words the refusal

        fits = {name: tensor for name, tensor in module.state_dict().items() if name not in keys.missing_keys}
        load_state(module, fits | dict.fromkeys(keys.unexpected_keys, zeros(0)), strict, False)
    return keys
