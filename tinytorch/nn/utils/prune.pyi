# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class BasePruningMethod:
    """A way to prune, and the hook that masks one parameter of a module before each forward."""
    def __call__(self, module, inputs):
        """Recompute the attribute NAME of the module; the inputs stay as they are."""
    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Make a method of these arguments, and put it on a module's parameter."""
    def apply_mask(self, module):
        """Return NAME_orig times NAME_mask, of NAME_orig's type, for gradients to pass."""
    def compute_mask(self, t, default_mask):
        """Return the mask for scores t, where default_mask says what was removed before."""
    def prune(self, t, default_mask=None, importance_scores=None):
        """A pruned copy of a tensor, with no module about it."""
    def put_on(self, module, mask):
        """Make a module's parameter NAME the product of NAME_orig and NAME_mask from now on."""
    def remove(self, module):
        """Make NAME the same parameter again, zeros in it; the caller removes the hook."""
class CustomFromMask(BasePruningMethod):
    """A mask that is given."""
    mask: Any
    PRUNING_TYPE: str
    def __init__(self, mask) -> None: ...
    @classmethod
    def apply(cls, module, name, mask): ...
    def compute_mask(self, t, default_mask): ...
class Identity(BasePruningMethod):
    """A mask of ones, for a parameter that is to have a mask."""
    PRUNING_TYPE: str
    @classmethod
    def apply(cls, module, name): ...
    def compute_mask(self, t, default_mask): ...
class L1Unstructured(BasePruningMethod):
    amount: Any
    PRUNING_TYPE: str
    def __init__(self, amount) -> None: ...
    @classmethod
    def apply(cls, module, name, amount, importance_scores=None): ...
    def compute_mask(self, t, default_mask): ...
class LnStructured(BasePruningMethod):
    amount: Any
    dim: Any
    n: Any
    PRUNING_TYPE: str
    def __init__(self, amount, n, dim=-1) -> None: ...
    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None): ...
    def compute_mask(self, t, default_mask): ...
class PruningContainer(BasePruningMethod):
    """The pruning methods of one parameter, in the order in which they were added."""
    def __getitem__(self, idx): ...
    def __init__(self, *args) -> None: ...
    def __iter__(self): ...
    def __len__(self) -> _int: ...
    def add_pruning_method(self, method):
        """Add a method at the end; it has to act on the same parameter."""
    def compute_mask(self, t, default_mask):
        """Let the last of `self._pruning_methods` prune what is left."""
class RandomStructured(BasePruningMethod):
    """Zeros for whole slices along `dim` that are drawn."""
    amount: Any
    dim: Any
    PRUNING_TYPE: str
    def __init__(self, amount, dim=-1) -> None: ...
    @classmethod
    def apply(cls, module, name, amount, dim=-1): ...
    def compute_mask(self, t, default_mask): ...
class RandomUnstructured(BasePruningMethod):
    """Zeros for elements that are drawn, the control to every other choice."""
    amount: Any
    PRUNING_TYPE: str
    def __init__(self, amount) -> None: ...
    @classmethod
    def apply(cls, module, name, amount): ...
    def compute_mask(self, t, default_mask): ...
def custom_from_mask(module, name, mask):
    """Prune by a mask of zeros and ones."""
def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Prune parameters of several layers together, as if they were one vector; return None."""
def identity(module, name):
    """Give a parameter a mask of ones; returns the module, as all of these functions do."""
def is_pruned(module) -> _bool:
    """Whether the module, or one below it, has a pruned parameter."""
def l1_unstructured(module, name, amount, importance_scores=None): ...
def ln_structured(module, name, amount, n, dim, importance_scores=None): ...
def random_structured(module, name, amount, dim):
    """Prune whole slices along `dim` at random."""
def random_unstructured(module, name, amount):
    """Prune elements at random: a share of those left, or with an integer so many."""
def remove(module, name): ...
