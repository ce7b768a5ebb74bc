# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.backends import cuda as cuda
from tinytorch.backends import cudnn as cudnn
from tinytorch.backends import mkl as mkl
from tinytorch.backends import mkldnn as mkldnn
from tinytorch.backends import mps as mps
