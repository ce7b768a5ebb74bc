"""Tensors over several processes, as in torch.distributed.tensor: the ways in which they would lie can be named."""

from tinytorch._lookup import face

PLACEMENTS = "Partial Placement Replicate Shard"
__getattr__, __dir__ = face(__name__, {"tinytorch.distributed.tensor.placement_types": PLACEMENTS})
