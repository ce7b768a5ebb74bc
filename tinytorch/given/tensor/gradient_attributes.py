"""What a tensor knows of gradients: whether it requires one, and the one it has. The walk is module 06."""

from tinytorch.given import methods_of
from tinytorch.given.tensor.devices import later
from tinytorch.tensor import Tensor, wrap

__all__ = []


@methods_of(Tensor)
class Gradients:
    """Gradients, by PyTorch's names."""

    _grad = None
    _refusal = None  # why a view must not be written to, if so

    @property
    def grad_fn(self):
        """The call that made the tensor; None for one that a user made."""
        edge = self.edge()
        return None if edge is None or edge[0] is self else edge[0]

    output_nr = property(lambda self: 0 if self.grad_fn is None else self._edge[1])
    is_leaf = property(lambda self: self.grad_fn is None)
    retains_grad = property(lambda self: later("autograd").retains_grad(self))

    @property
    def requires_grad(self):
        if self._refusal is not None:  # a view that may no longer be used
            return self._edge is not None or self._base_edge is not self._base._edge
        return self.edge() is not None

    @requires_grad.setter
    def requires_grad(self, flag):
        if self.grad_fn is not None:
            if flag:  # it does, by whoever made it
                return
            raise RuntimeError("you can only change requires_grad flags of leaf variables.")
        if flag and not self.is_floating_point():
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        self._requires_grad = flag

    def requires_grad_(self, requires_grad=True):
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self):
        return self._grad

    @grad.setter
    def grad(self, grad):
        if grad is not None and not isinstance(grad, Tensor):
            raise TypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type {type(grad).__name__}"
            )
        if grad is not None and (grad.shape != self.shape or grad.dtype != self.dtype):
            raise RuntimeError(
                f"assigned grad has shape {list(grad.shape)} and type {grad.dtype}, "
                f"its tensor {list(self.shape)} and {self.dtype}"
            )
        self._grad = grad

    @property
    def data(self):
        """The same memory without gradients, in-place changes of which nobody watches."""
        result = self.detach()
        result._tracked = False
        return result

    @data.setter
    def data(self, other):
        self.array = other.array.view()

    def detach(self):
        """The same memory without gradients, in an array of its own: arrays tell tensors apart."""
        return wrap(self.array.view())

    def detach_(self):
        self._edge, self._base, self._requires_grad = None, None, False
        return self

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        later("autograd").backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    register_hook = lambda self, hook: later("autograd").register_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook):
        return later("autograd").register_post_accumulate_grad_hook(self, hook)

    retain_grad = lambda self: later("autograd").retain_grad(self)
