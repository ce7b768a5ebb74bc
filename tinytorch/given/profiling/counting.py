"""FlopCounterMode, as in torch.utils.flop_counter, and formulas that go like those of the lesson."""

import math

from tinytorch.attention import BlockedAttention
from tinytorch.conv import ConvolutionInput, ConvolutionWeight
from tinytorch.given.autograd.product_rules import spelled_out
from tinytorch.given.profiling.tables import in_columns
from tinytorch.profiling import Watch, attention_flops, call_flops, flop_registry, register_flop_formula
from tinytorch.tensor import Einsum

__all__ = ["FlopCounterMode", "conv_input_flops", "conv_weight_flops", "einsum_flops"]

register_flop_formula(BlockedAttention)(attention_flops)


@register_flop_formula(ConvolutionInput)
def conv_input_flops(grad_shape, weight_shape, out_shape=None):
    """The gradient of a convolution's images: each number of the output's gradient goes to a whole window."""
    return 2 * math.prod(grad_shape) * math.prod(weight_shape[1:])


@register_flop_formula(ConvolutionWeight)
def conv_weight_flops(x_shape, grad_shape, out_shape=None):
    """The gradient of a convolution's filters: each number of the gradient meets a whole window."""
    return 2 * math.prod(grad_shape) * math.prod(out_shape[1:])


@register_flop_formula(Einsum)
def einsum_flops(*shapes, out_shape=None, equation=""):
    """Operands are multiplied one after another: 2 for each combination of the letters of both."""
    inputs, output = equation.split("->")
    terms, output = spelled_out(inputs.split(","), output, shapes)
    sizes = {}
    for term, shape in zip(terms, shapes):
        sizes.update({c: n for c, n in zip(term, shape) if sizes.get(c, 1) == 1})
    flops, letters = 0, set(terms[0])
    for number, term in enumerate(terms[1:], 2):
        letters |= set(term)
        flops += 2 * math.prod(sizes[c] for c in letters)
        letters &= set(output).union(*terms[number:])
    return flops


class FlopCounterMode:
    """Count the FLOPs of a `with` block, by module and by operation.

    Args:
        mods: no longer needed, as in PyTorch.
        depth: how many levels of modules the table shows.
        display: print the table at the end.
        custom_mapping: formulas by operation, which hold in this block.

    >>> with FlopCounterMode(display=False) as counter:
    ...     y = Linear(64, 128)(zeros(32, 64))
    >>> counter.get_total_flops()
    524288
    """

    def __init__(self, mods=None, depth=2, display=True, custom_mapping=None):
        self.depth, self.display, self.custom_mapping = depth, display, custom_mapping or {}
        self.flop_counts = {}

    def __enter__(self):
        self.flop_counts, self.usual = {}, dict(flop_registry)
        for target, formula in self.custom_mapping.items():
            register_flop_formula(target, getattr(formula, "_get_raw", False))(formula)
        self.watch = Watch(self.count)
        self.watch.__enter__()
        return self

    def __exit__(self, *error):
        self.watch.__exit__(*error)
        flop_registry.clear()
        flop_registry.update(self.usual)
        if self.display:
            print(self.get_table(self.depth))

    def count(self, call):
        """Add the FLOPs of a call to its module, to those around it, and to the whole."""
        if flops := call_flops(call):
            parts = call.module.split(".") if call.module else []
            for path in ("Global", *[".".join(parts[: n + 1]) for n in range(len(parts))]):
                counts = self.flop_counts.setdefault(path, {})
                counts[call.function] = counts.get(call.function, 0) + flops

    def get_total_flops(self):
        """The FLOPs of the whole block."""
        return sum(self.flop_counts.get("Global", {}).values())

    def get_flop_counts(self):
        """FLOPs by module and operation, {"Global": {operation: FLOPs}, "GPT": ...}."""
        return {path: dict(counts) for path, counts in self.flop_counts.items()}

    def get_table(self, depth=None):
        """The counts as text: modules, and their operations, with their share of the whole."""
        depth = self.depth if depth is None else depth
        whole, lines = self.get_total_flops() or 1, []
        for path, counts in self.flop_counts.items():
            level = path.count(".")
            if path == "Global" or level < depth:
                flops = sum(counts.values())
                lines.append([" " * level + path, f"{flops:,}", f"{flops / whole:.2%}"])
                lines += [
                    [f"{' ' * level} - {operation.__name__}", f"{n:,}", f"{n / whole:.2%}"]
                    for operation, n in counts.items()
                ]
        return in_columns(["Module", "FLOP", "% Total"], lines)
