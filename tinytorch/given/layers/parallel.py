"""A model on several devices, of which there is one, or in several processes, of which there is one, too."""

from contextlib import contextmanager

from tinytorch.layers import Module

__all__ = ["DataParallel", "DistributedDataParallel"]


class DataParallel(Module):
    """Split a batch over GPUs, and with none call the model; its names begin with "module.".

    Shape: what the model takes, to what it gives.

    >>> torch.nn.DataParallel(torch.nn.Linear(4, 2))(torch.zeros(8, 4)).shape
    torch.Size([8, 2])
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module, self.device_ids = module, []

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(DataParallel):
    """Average gradients over all processes, of which there is one: the model, its names behind "module.".

    ValueError before `torch.distributed.init_process_group`, as in PyTorch.
    """

    def __init__(
        self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=None, init_sync=True,
        process_group=None, bucket_cap_mb=None, find_unused_parameters=False, check_reduction=False,
        gradient_as_bucket_view=False, static_graph=False, delay_all_reduce_named_params=None,
        param_to_hook_all_reduce=None, mixed_precision=None, device_mesh=None,
        skip_all_reduce_unused_params=False, bucket_cap_mb_list=None, batched_grad_copy=False,
        forward_sync_buffers=None,
    ):  # fmt: skip
        from tinytorch.distributed import get_world_size

        get_world_size()
        if not any(parameter.requires_grad for parameter in module.parameters()):
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameters that "
                "require a gradient."
            )
        super().__init__(module)

    @contextmanager
    def no_sync(self):
        """Leave gradients unaveraged in a `with` block; with one process they are the same."""
        yield
