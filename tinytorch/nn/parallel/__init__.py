"""Models on several devices, as in torch.nn.parallel; `DataParallel` runs its model where it is."""

from tinytorch._faces import face

__getattr__, __dir__ = face(__name__, {"tinytorch.nn": "DataParallel"})
