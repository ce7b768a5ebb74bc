"""What the optimizers have in common, as in torch.optim.optimizer."""

from tinytorch._lookup import face

__all__ = ["required"]

__getattr__, __dir__ = face(__name__, repeats="tinytorch.optim")


class _RequiredParameter:
    """The type of `required`."""

    def __repr__(self):
        return "<required parameter>"


required = _RequiredParameter()  # the default of an option that has none, in optimizers of programs' own
