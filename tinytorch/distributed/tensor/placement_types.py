"""How a tensor would lie over several processes, as in torch.distributed.tensor.placement_types: names, for here is one."""

from dataclasses import dataclass

from tinytorch._lookup import face

__all__ = ["Partial", "Placement", "Replicate", "Shard"]


class Placement:
    """How a tensor lies along one dimension of a mesh of processes."""

    is_replicate = lambda self: isinstance(self, Replicate)
    is_partial = lambda self, reduce_op=None: (
        isinstance(self, Partial) and reduce_op in (None, self.reduce_op)
    )
    is_shard = lambda self, dim=None: isinstance(self, Shard) and dim in (None, self.dim)


@dataclass(frozen=True)
class Replicate(Placement):
    """Each process has all of it."""


@dataclass(frozen=True)
class Shard(Placement):
    """Each process has a part along a dimension of the tensor."""

    dim: int


@dataclass(frozen=True)
class Partial(Placement):
    """Each process has a summand."""

    reduce_op: str = "sum"


__getattr__, __dir__ = face(__name__)
