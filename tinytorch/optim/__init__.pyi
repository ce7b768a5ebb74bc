# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
from tinytorch.optim import adadelta as adadelta
from tinytorch.optim import adagrad as adagrad
from tinytorch.optim import adam as adam
from tinytorch.optim import adamax as adamax
from tinytorch.optim import adamw as adamw
from tinytorch.optim import lbfgs as lbfgs
from tinytorch.optim import lr_scheduler as lr_scheduler
from tinytorch.optim import nadam as nadam
from tinytorch.optim import optimizer as optimizer
from tinytorch.optim import radam as radam
from tinytorch.optim import rmsprop as rmsprop
from tinytorch.optim import sgd as sgd
from tinytorch.optim import swa_utils as swa_utils
class Optimizer:
    """The base of all optimizers: groups of parameters with options, and a state for each."""
    defaults: Any
    param_groups: Any
    state: Any
    def __init__(self, params, defaults) -> None: ...
    def add_param_group(self, param_group):
        """Add parameters with their own options: a dict as for the constructor."""
    def begin(self, parameter, *names): ...
    def load_state_dict(self, state_dict):
        """Take over a state: it goes to the parameters in the order in which the groups have them."""
    def register_step_post_hook(self, hook):
        """Call `hook(optimizer, args, kwargs)` after each step."""
    def register_step_pre_hook(self, hook):
        """Call `hook(optimizer, args, kwargs)` before each step; it may return new (args, kwargs)."""
    def scratch(self, array): ...
    def state_dict(self):
        """The state itself and the options, with numbers in place of the parameters."""
    def step(self, closure=None):
        """Call `closure` if given, update what has a gradient, return the closure's loss."""
    def update(self, parameter, grad, group, work):
        """Move one parameter; every subclass writes its own."""
    def zero_grad(self, set_to_none: _bool = True):
        """Clear the gradients of all parameters, or fill them with zeros."""
class ASGD(Optimizer):
    def __init__(self, params, lr=0.01, lambd: _float = 0.0001, alpha: _float = 0.75, t0: _float = 1000000.0, weight_decay=0, foreach=None, maximize: _bool = False, differentiable: _bool = False, capturable: _bool = False) -> None: ...
    def update(self, parameter, grad, group, work): ...
class Adadelta(Optimizer):
    def __init__(self, params, lr=1.0, rho: _float = 0.9, eps: _float = 1e-06, weight_decay=0, foreach=None, *, capturable: _bool = False, maximize: _bool = False, differentiable: _bool = False) -> None: ...
    def update(self, parameter, grad, group, work): ...
class Adafactor(Optimizer):
    def __init__(self, params, lr=0.01, beta2_decay: _float = -0.8, eps=(None, 0.001), d: _float = 1.0, weight_decay: _float = 0.0, *, foreach=None, maximize: _bool = False) -> None: ...
    def update(self, parameter, grad, group, work): ...
class Adagrad(Optimizer):
    def __init__(self, params, lr=0.01, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps: _float = 1e-10, foreach=None, *, maximize: _bool = False, differentiable: _bool = False, fused=None) -> None: ...
    def update(self, parameter, grad, group, work): ...
class Adam(Optimizer):
    """Steps by the mean gradient over the root of the mean square (Kingma and Ba, 2015)."""
    def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps: _float = 1e-08, weight_decay=0, amsgrad: _bool = False, *, foreach=None, maximize: _bool = False, capturable: _bool = False, differentiable: _bool = False, fused=None, decoupled_weight_decay: _bool = False) -> None: ...
    def update(self, parameter, grad, group, work):
        """Move one parameter in its own memory."""
class Adamax(Optimizer):
    def __init__(self, params, lr=0.002, betas=(0.9, 0.999), eps: _float = 1e-08, weight_decay=0, foreach=None, *, maximize: _bool = False, differentiable: _bool = False, capturable: _bool = False) -> None: ...
    def update(self, parameter, grad, group, work): ...
class LBFGS(Optimizer):
    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad: _float = 1e-07, tolerance_change: _float = 1e-09, history_size=100, line_search_fn=None) -> None: ...
    def step(self, closure):
        """Take steps until one of the limits is reached."""
class Muon(Optimizer):
    def __init__(self, params, lr=0.001, weight_decay: _float = 0.1, momentum=0.95, nesterov: _bool = True, ns_coefficients=(3.4445, -4.775, 2.0315), eps: _float = 1e-07, ns_steps=5, adjust_lr_fn=None) -> None: ...
    def update(self, parameter, grad, group, work): ...
class NAdam(Optimizer):
    """Adam that looks one step further, as Nesterov's momentum does (Dozat, 2016)."""
    def __init__(self, params, lr=0.002, betas=(0.9, 0.999), eps: _float = 1e-08, weight_decay=0, momentum_decay: _float = 0.004, decoupled_weight_decay: _bool = False, *, foreach=None, maximize: _bool = False, capturable: _bool = False, differentiable: _bool = False) -> None: ...
    def update(self, parameter, grad, group, work): ...
class RAdam(Optimizer):
    def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps: _float = 1e-08, weight_decay=0, decoupled_weight_decay: _bool = False, *, foreach=None, maximize: _bool = False, capturable: _bool = False, differentiable: _bool = False) -> None: ...
    def update(self, parameter, grad, group, work): ...
class RMSprop(Optimizer):
    """Steps by the gradient over the root of its mean square (Tieleman and Hinton, 2012)."""
    def __init__(self, params, lr=0.01, alpha: _float = 0.99, eps: _float = 1e-08, weight_decay=0, momentum=0, centered: _bool = False, capturable: _bool = False, foreach=None, maximize: _bool = False, differentiable: _bool = False) -> None: ...
    def update(self, parameter, grad, group, work):
        """Move one parameter in its own memory."""
class Rprop(Optimizer):
    def __init__(self, params, lr=0.01, etas=(0.5, 1.2), step_sizes=(1e-06, 50), *, capturable: _bool = False, foreach=None, maximize: _bool = False, differentiable: _bool = False) -> None: ...
    def update(self, parameter, grad, group, work): ...
class SGD(Optimizer):
    """Stochastic gradient descent, with momentum and Nesterov's variant of it."""
    def __init__(self, params, lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov: _bool = False, *, maximize: _bool = False, foreach=None, differentiable: _bool = False, fused=None) -> None: ...
    def update(self, parameter, grad, group, work):
        """Update one parameter in its own memory; without momentum, make no array at all."""
class AdamW(Adam):
    """Adam with weight decay outside of the gradient (Loshchilov and Hutter, 2019)."""
    def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps: _float = 1e-08, weight_decay: _float = 0.01, amsgrad: _bool = False, *, maximize: _bool = False, foreach=None, capturable: _bool = False, differentiable: _bool = False, fused=None) -> None: ...
    def load_state_dict(self, state_dict):
        """Load a state, even one of Adam's: the decay stays decoupled."""
