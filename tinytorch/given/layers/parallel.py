"""A model on several devices, of which there is one."""

from tinytorch.layers import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """Split a batch over GPUs, and with none call the model; its names begin with "module."."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module, self.device_ids = module, []

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)
