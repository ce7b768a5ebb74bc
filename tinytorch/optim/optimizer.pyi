# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.optim import Optimizer as Optimizer
from tinytorch.optim import ASGD as ASGD
from tinytorch.optim import Adadelta as Adadelta
from tinytorch.optim import Adafactor as Adafactor
from tinytorch.optim import Adagrad as Adagrad
from tinytorch.optim import Adam as Adam
from tinytorch.optim import Adamax as Adamax
from tinytorch.optim import LBFGS as LBFGS
from tinytorch.optim import Muon as Muon
from tinytorch.optim import NAdam as NAdam
from tinytorch.optim import RAdam as RAdam
from tinytorch.optim import RMSprop as RMSprop
from tinytorch.optim import Rprop as Rprop
from tinytorch.optim import SGD as SGD
from tinytorch.optim import AdamW as AdamW
required: Any
