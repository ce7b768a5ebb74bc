# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.utils import benchmark as benchmark
from tinytorch.utils import checkpoint as checkpoint
from tinytorch.utils import data as data
from tinytorch.utils import dlpack as dlpack
from tinytorch.utils import flop_counter as flop_counter
from tinytorch.utils import hooks as hooks
from tinytorch.utils import model_zoo as model_zoo
