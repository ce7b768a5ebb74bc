"""The table of a model's layers, `summary`, over the rows that the learner's `layer_rows` finds."""

import io
from numbers import Integral

from tinytorch.layers import layer_rows
from tinytorch.tensor import grad_mode, zeros

__all__ = ["Summary", "summary"]


class Summary:
    """A model's layers in the order in which they ran, as `rows`; prints as a table."""

    def __init__(self, model, rows):
        self.title, self.rows = type(model).__name__, rows
        self.parameters = sum(p.numel() for p in model.parameters())
        self.bytes = sum(p.nbytes for p in model.parameters())

    def __rich__(self):
        from rich.table import Table

        table = Table(title=self.title, show_footer=True)
        table.add_column("name", "total")
        table.add_column("layer")
        table.add_column("output shape")
        table.add_column("parameters", f"{self.parameters:,}", justify="right")
        table.add_column("bytes", f"{self.bytes:,}", justify="right")
        for row in self.rows:
            table.add_row(row.name, row.layer, str(row.shape), f"{row.parameters:,}", f"{row.bytes:,}")
        return table

    def __repr__(self):
        from rich.console import Console

        console = Console(file=io.StringIO(), width=100, color_system=None, force_jupyter=False)
        console.print(self)
        return console.file.getvalue().rstrip()


def summary(model, input_size, dtype=None):
    """Run a model once on zeros, and list its layers with their outputs, parameters and bytes.

    Args:
        model: a Module; it is run in evaluation mode, and left in the mode in which it was.
        input_size: the shape of its input, batch included; several shapes for a model of several inputs.
        dtype: the type of the input, such as int64 for token numbers.
    """
    sizes = [input_size] if isinstance(input_size[0], Integral) else input_size
    training, enabled = (
        {module: module.training for module in model.modules()},
        grad_mode.enabled,
    )
    model.eval()  # nothing is dropped, no running average is moved
    grad_mode.enabled = False
    try:
        return Summary(model, layer_rows(model, *[zeros(size, dtype=dtype) for size in sizes]))
    finally:
        grad_mode.enabled = enabled
        for module, mode in training.items():
            module.training = mode
