# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.nn.parallel import distributed as distributed
from tinytorch.nn.parallel import scatter_gather as scatter_gather
from tinytorch.nn import DataParallel as DataParallel
from tinytorch.nn import DataParallel as _DataParallel
class DistributedDataParallel(_DataParallel):
    def __init__(self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=None, init_sync: _bool = True, process_group=None, bucket_cap_mb=None, find_unused_parameters: _bool = False, check_reduction: _bool = False, gradient_as_bucket_view: _bool = False, static_graph: _bool = False, delay_all_reduce_named_params=None, param_to_hook_all_reduce=None, mixed_precision=None, device_mesh=None, skip_all_reduce_unused_params: _bool = False, bucket_cap_mb_list=None, batched_grad_copy: _bool = False, forward_sync_buffers=None) -> None: ...
    def no_sync(self):
        """Leave gradients unaveraged in a `with` block; with one process they are the same."""
