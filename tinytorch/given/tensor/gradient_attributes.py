"""A tensor's attributes for gradients: whether it requires one, and the one it has. The walk is module 06."""

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
        """The call that made the tensor; None for one that a user made.

        >>> torch.ones(2).grad_fn is None
        True
        """
        edge = self.edge()
        return None if edge is None or edge[0] is self else edge[0]

    @property
    def output_nr(self):
        """Which output of the call that made it the tensor is.

        >>> torch.ones(2).output_nr
        0
        """
        return 0 if self.grad_fn is None else self._edge[1]

    @property
    def is_leaf(self):
        """Whether a user made the tensor, and no operation on what requires a gradient.

        >>> torch.ones(2, requires_grad=True).is_leaf
        True
        """
        return self.grad_fn is None

    @property
    def retains_grad(self):
        """Whether `retain_grad` was called for a tensor that is no leaf.

        >>> torch.ones(2).retains_grad
        False
        """
        return later("autograd").retains_grad(self)

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
        """Ask for a gradient from now on, or no longer; RuntimeError for integers.

        >>> torch.ones(2).requires_grad_()
        tensor([1., 1.], requires_grad=True)
        """
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
        """The same memory without gradients, whose in-place changes are not recorded."""
        result = self.detach()
        result._tracked = False
        return result

    @data.setter
    def data(self, other):
        self.array = other.array.view()

    def detach(self):
        """Look at the same memory without a gradient.

        >>> torch.ones(2, requires_grad=True).detach()
        tensor([1., 1.])
        """
        return wrap(self.array.view())

    def detach_(self):
        """Leave the graph: be a leaf without a gradient from now on; RuntimeError for a view.

        >>> x = torch.ones(2, requires_grad=True) * 2
        >>> x.detach_()
        tensor([2., 2.])
        """
        self._edge, self._base, self._requires_grad = None, None, False
        return self

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Add the derivative of the tensor to `grad` of every leaf it was computed from: built in module 06.

        `gradient` is what comes from behind, 1 for a single number; see `torch.autograd.backward`.

        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.])
        """
        later("autograd").backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook):
        """Call `hook(grad)` whenever a gradient for the tensor is known; what it returns takes its place.

        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> handle = x.register_hook(lambda grad: grad * 10)
        >>> x.sum().backward()
        >>> x.grad
        tensor([10., 10.])
        """
        return later("autograd").register_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook):
        """Call `hook(tensor)` whenever `grad` of a leaf has been added to.

        >>> x, seen = torch.ones(2, requires_grad=True), []
        >>> handle = x.register_post_accumulate_grad_hook(lambda tensor: seen.append(tensor.grad))
        >>> x.sum().backward()
        >>> seen
        [tensor([1., 1.])]
        """
        return later("autograd").register_post_accumulate_grad_hook(self, hook)

    def retain_grad(self):
        """Keep the gradient in `grad` though the tensor is no leaf.

        >>> x = torch.ones(2, requires_grad=True)
        >>> y = x * 2
        >>> y.retain_grad()
        >>> y.sum().backward()
        >>> y.grad
        tensor([1., 1.])
        """
        return later("autograd").retain_grad(self)
