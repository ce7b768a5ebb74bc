"""Schedules of learning rates, as in torch.optim.lr_scheduler."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__, {"tinytorch.trainer": "_LRScheduler=LRScheduler"})
