# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class functional_call:
    def __init__(self, *args, **kwargs) -> None: ...
class grad:
    """tinytorch leaves out functions that transform functions: there is no torch.func.grad."""
    def __init__(self, *args, **kwargs) -> None: ...
class grad_and_value:
    def __init__(self, *args, **kwargs) -> None: ...
class hessian:
    """tinytorch leaves out functions that transform functions: there is no torch.func.hessian."""
    def __init__(self, *args, **kwargs) -> None: ...
class jacfwd:
    """tinytorch leaves out functions that transform functions: there is no torch.func.jacfwd."""
    def __init__(self, *args, **kwargs) -> None: ...
class jacrev:
    """tinytorch leaves out functions that transform functions: there is no torch.func.jacrev."""
    def __init__(self, *args, **kwargs) -> None: ...
class jvp:
    """tinytorch leaves out functions that transform functions: there is no torch.func.jvp."""
    def __init__(self, *args, **kwargs) -> None: ...
class stack_module_state:
    def __init__(self, *args, **kwargs) -> None: ...
class vjp:
    """tinytorch leaves out functions that transform functions: there is no torch.func.vjp."""
    def __init__(self, *args, **kwargs) -> None: ...
class vmap:
    """tinytorch leaves out functions that transform functions: there is no torch.func.vmap."""
    def __init__(self, *args, **kwargs) -> None: ...
