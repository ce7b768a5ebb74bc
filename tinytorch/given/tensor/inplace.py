"""Changes in place: a tensor takes the values of a result, and its place in the graph."""

import numpy as np

from tinytorch.given import example_of, methods_of
from tinytorch.given.tensor.devices import moved
from tinytorch.given.tensor.indexing import Copy, IndexPut
from tinytorch.given.tensor.promotion import can_cast
from tinytorch.given.tensor.recording import changed
from tinytorch.given.tensor.views import follow, is_stretched
from tinytorch.tensor import Tensor, broadcast_shapes, grad_mode, tensor, wrap

__all__ = ["inplace"]


def inplace(
    name, change="_become", means="Put what `{}` returns into the memory of the tensor, and return it."
):
    """The method `name_`: it hands what `name` returns to `change`, a method's name or a function."""

    def method(self, *args, **kwargs):
        try:
            result = getattr(self, name)(*args, **kwargs)
        except TypeError as error:
            error.args = (str(error).replace(f"{name}()", f"{name}_()"),)
            raise
        return change(self, result) if callable(change) else getattr(self, change)(result)

    original = getattr(Tensor, name)
    method.__wrapped__ = original  # whose signature it has
    method.__name__, method.__qualname__ = f"{name}_", f"Tensor.{name}_"
    method.__doc__ = means.format(name) + example_of(original, f"{name}_")
    return method


@methods_of(Tensor)
class InPlace:
    """Methods that end in `_`, and the operators that assign."""

    add_, sub_, mul_, div_, pow_ = map(inplace, ("add", "sub", "mul", "div", "pow"))
    neg_, abs_, exp_, log_, sqrt_ = map(inplace, ("neg", "abs", "exp", "log", "sqrt"))
    sin_, cos_, floor_, ceil_, round_ = map(inplace, ("sin", "cos", "floor", "ceil", "round"))
    clamp_, clip_, lerp_, square_ = map(inplace, ("clamp", "clip", "lerp", "square"))
    addcmul_, addcdiv_, reciprocal_ = map(inplace, ("addcmul", "addcdiv", "reciprocal"))
    masked_fill_, scatter_, scatter_add_ = map(inplace, ("masked_fill", "scatter", "scatter_add"))
    index_add_, tril_, triu_ = map(inplace, ("index_add", "tril", "triu"))

    def copy_(self, other, non_blocking=False):
        """Take the elements of `other`, in this tensor's type; it has to broadcast to this tensor's shape.

        >>> torch.zeros(2).copy_(torch.tensor([1, 2]))
        tensor([1., 2.])
        """
        self._check_shape(broadcast_shapes(self.shape, other.shape))
        return self._become(Copy.apply(self, moved(other, self.device)))

    def fill_(self, value):
        """Set every element to one number.

        >>> torch.zeros(2).fill_(7)
        tensor([7., 7.])
        """
        value = value if isinstance(value, Tensor) else tensor(value)
        if value.ndim:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions."
            )
        return self.copy_(value)

    def zero_(self):
        """Set every element to 0.

        >>> torch.ones(2).zero_()
        tensor([0., 0.])
        """
        return self.fill_(0)

    _tracked = True  # whether in-place changes are recorded for autograd

    def _become(self, result):
        """Take the values of `result`, and its place in the graph."""
        self._check_shape(result.shape)
        if not can_cast(result.dtype, self.dtype):
            raise RuntimeError(
                f"result type {result.dtype} can't be cast to the desired output type {self.dtype}"
            )
        self._check_writable(result.requires_grad)
        if result.requires_grad:
            result.grad_fn.keep(self.array)
        result = result.to(self.dtype)
        np.copyto(self.array, result.array)
        self._changed()
        if result.requires_grad and result is not self:
            result.grad_fn.put_into(self.array)
        if result.requires_grad and self._base is None:
            self._edge = result.edge()
        elif result.requires_grad:  # what was written into a view has been written into its base
            base = self._base
            whole = follow(base._undone, base)
            places = follow(self._route, wrap(np.arange(whole.numel()).reshape(whole.shape))).array
            put = IndexPut.apply(whole.reshape(-1), result, index=places).reshape(whole.shape)
            base._edge = follow(base._route, put)._edge
        return self

    def _check_shape(self, shape):
        """RuntimeError for values that have to be broadcast, which memory that is there cannot follow."""
        if shape != self.shape:
            raise RuntimeError(
                f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(shape)}"
            )

    def _check_writable(self, with_gradient=False):
        """Refuse a write that autograd, or another element, could not follow."""
        base = self._base
        owner = self if base is None else base
        if grad_mode.enabled and (with_gradient or owner.requires_grad):
            if self._refusal is not None:
                self._complain("is a view and is being modified")
            if owner._requires_grad and owner._edge is None:
                what = "a leaf Variable" if base is None else "a view of a leaf Variable"
                raise RuntimeError(f"{what} that requires grad is being used in an in-place operation.")
        if is_stretched(self.array) or not self.array.flags.writeable:  # as windows that overlap
            raise RuntimeError(
                "unsupported operation: more than one element of the written-to tensor refers to a single "
                "memory location. Please clone() the tensor before performing the operation."
            )
        for x in (self, base):  # what a node has saved of its output
            if x is not None and x._edge is not None and getattr(x._edge[0].function, "keeps_output", False):
                x._edge[0].keep(x.array)

    def _changed(self):
        """Note that the memory has been written to."""
        if self._tracked:
            changed(self.array)
