# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class download_url_to_file:
    def __init__(self, *args, **kwargs) -> None: ...
class get_dir:
    """tinytorch leaves out models and weights from the network: there is no torch.hub.get_dir."""
    def __init__(self, *args, **kwargs) -> None: ...
class help:
    """tinytorch leaves out models and weights from the network: there is no torch.hub.help."""
    def __init__(self, *args, **kwargs) -> None: ...
class list:
    """tinytorch leaves out models and weights from the network: there is no torch.hub.list."""
    def __init__(self, *args, **kwargs) -> None: ...
class load:
    """tinytorch leaves out models and weights from the network: there is no torch.hub.load."""
    def __init__(self, *args, **kwargs) -> None: ...
class load_state_dict_from_url:
    def __init__(self, *args, **kwargs) -> None: ...
class set_dir:
    """tinytorch leaves out models and weights from the network: there is no torch.hub.set_dir."""
    def __init__(self, *args, **kwargs) -> None: ...
HASH_REGEX: Any
def urlparse(url):
    """Answer for what is not there, as torch.hub.urlparse does."""
