"""Tensors of random numbers, drawn from a generator."""

import numpy as np

from tinytorch.given import methods_of
from tinytorch.given.tensor.arrays import beside, zeros_beside
from tinytorch.given.tensor.checks import check_counts
from tinytorch.given.tensor.creation import empty, empty_like, made, new_shape, numpy_type, takes_size
from tinytorch.given.tensor.devices import prototype_on
from tinytorch.given.tensor.generator import Generator
from tinytorch.given.tensor.out import makes_out, takes_out
from tinytorch.tensor import Function, Tensor, broadcast_shapes, int64, wrap

__all__ = [
    "bernoulli",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "multinomial",
    "normal",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "seed",
    "set_rng_state",
]

default_generator = Generator()


class Bernoulli(Function):
    """Numbers that were drawn by probabilities, to which they have a gradient: of zeros."""

    @staticmethod
    def forward(ctx, x, draw):
        return draw.astype(x.dtype)

    @staticmethod
    def backward(ctx, grad):
        return zeros_beside(grad, grad.shape)


class Poisson(Bernoulli):
    """Counts that were drawn by rates, to which they have a gradient: of zeros."""


def manual_seed(seed):
    """Start the default generator again from `seed`, and return it."""
    return default_generator.manual_seed(seed)


def seed():
    """Start the default generator again from a seed of the operating system's, and return that seed."""
    return default_generator.seed()


def initial_seed():
    """The seed that the default generator was last started from."""
    return default_generator.initial_seed()


def get_rng_state():
    """Everything that the default generator's next draws depend on, as a uint8 Tensor."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Take the default generator back to where `get_rng_state` was called."""
    default_generator.set_state(new_state)


@makes_out
@takes_size
def rand(*size, generator=None, dtype=None, device=None, requires_grad=False):
    """Draw numbers evenly from [0, 1)."""
    prototype_on(device)  # which refuses a device that is not there, before anything is drawn
    draw = (generator or default_generator).uniform(new_shape(size), dtype=numpy_type(dtype))
    return made(draw, device, requires_grad)


@makes_out
@takes_size
def randn(*size, generator=None, dtype=None, device=None, requires_grad=False):
    """Draw numbers from the normal distribution with mean 0 and variance 1."""
    prototype_on(device)
    draw = (generator or default_generator).normal(new_shape(size), dtype=numpy_type(dtype))
    return made(draw, device, requires_grad)


@makes_out
def randint(low=0, high=None, size=None, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Draw integers evenly from `low` to `high` - 1; `randint(high, size)` counts from 0."""
    if size is None:  # randint(high, size)
        low, high, size = 0, low, high
    elif high is None:  # randint(high, size=size)
        low, high = 0, low
    prototype_on(device)
    draw = (generator or default_generator).integers(low, high, new_shape(tuple(size)))
    return made(draw.astype((dtype or int64).numpy), device, requires_grad)


@makes_out
def randperm(n, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Draw the numbers 0 to n - 1 in random order."""
    prototype_on(device)
    if dtype is not None:
        check_counts(dtype.numpy, "randperm")
    draw = (generator or default_generator).permutation(n)
    return made(draw.astype((dtype or int64).numpy), device, requires_grad)


@takes_out
def bernoulli(input, p=None, *, generator=None):
    """Draw 1 with the probability that each element of `input` says, or p for all, else 0."""
    if p is not None:
        return empty_like(input).bernoulli_(p, generator=generator)
    if input.numel() and not 0 <= input.array.min() <= input.array.max() <= 1:
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    draw = (generator or default_generator).bernoulli(input.array, input.shape)
    return Bernoulli.apply(input, draw=draw)


def poisson(input, generator=None):
    """Draw, for each element, how many events there are where on average there are as many as it says.

    >>> torch.poisson(torch.zeros(2))
    tensor([0., 0.])
    """
    if not input.is_floating_point():
        raise NotImplementedError(f'"poisson_cpu" not implemented for {input.dtype}')
    if (input.array < 0).any():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return Poisson.apply(input, draw=(generator or default_generator).poisson(input.array))


@takes_out
def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Draw `num_samples` indices from each row of weights, (K,) or (N, K), which need not sum to one."""
    if not input.is_floating_point():
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype}")
    return wrap((generator or default_generator).multinomial(input.array, num_samples, replacement))


@makes_out
def normal(mean=0.0, std=1.0, size=None, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Draw normal numbers: of one mean and deviation in a shape, or of each element's own."""
    if size is not None:
        result = empty(*size, dtype=dtype, device=device).normal_(mean, std, generator=generator)
        return result.requires_grad_(requires_grad)
    given = [x for x in (mean, std) if isinstance(x, Tensor)]
    draw = randn(broadcast_shapes(*[x.shape for x in given]), generator=generator, dtype=given[0].dtype)
    return (draw * std + mean).to(given[0].dtype)


def rand_like(input, *, generator=None, dtype=None, device=None, requires_grad=False, memory_format=None):
    """Draw uniform numbers in the shape, type and layout of `input`."""
    result = empty_like(input, dtype=dtype, device=device, memory_format=memory_format)
    return result.uniform_(generator=generator).requires_grad_(requires_grad)


def randn_like(input, *, generator=None, dtype=None, device=None, requires_grad=False, memory_format=None):
    """Draw normal numbers in the shape, type and layout of `input`."""
    result = empty_like(input, dtype=dtype, device=device, memory_format=memory_format)
    return result.normal_(generator=generator).requires_grad_(requires_grad)


def randint_like(
    input,
    low=0,
    high=None,
    *,
    generator=None,
    dtype=None,
    device=None,
    requires_grad=False,
    memory_format=None,
):
    """Draw integers from `low` to `high` - 1 in the shape, type and layout of `input`."""
    low, high = (0, low) if high is None else (low, high)
    result = empty_like(input, dtype=dtype, device=device, memory_format=memory_format)
    return result.random_(low, high, generator=generator).requires_grad_(requires_grad)


@methods_of(Tensor)
class Draws:
    """Fill a tensor with random numbers."""

    def uniform_(self, from_=0.0, to=1.0, *, generator=None, **bounds):
        """Fill with numbers drawn evenly from `from` to `to`.

        >>> x = torch.empty(100).uniform_(2, 3)
        >>> bool((x >= 2).all() and (x < 3).all())
        True
        """
        low = bounds.pop("from", from_)
        if bounds:
            raise TypeError(f"uniform_() got an unexpected keyword argument '{next(iter(bounds))}'")
        return self._draw(generator, "uniform", low=low, high=to, dtype=self.array.dtype)

    def normal_(self, mean=0.0, std=1.0, *, generator=None):
        """Fill with normal numbers of this mean and standard deviation.

        >>> torch.zeros(3).normal_(mean=5, std=0)
        tensor([5., 5., 5.])
        """
        return self._draw(generator, "normal", mean=mean, std=std, dtype=self.array.dtype)

    def exponential_(self, lambd=1.0, *, generator=None):
        """Fill with numbers of the density lambd e^(-lambd x), x > 0.

        >>> bool((torch.empty(100).exponential_() > 0).all())
        True
        """
        return self._draw(generator, "exponential", lambd=lambd, dtype=self.array.dtype)

    def random_(self, from_=None, to=None, *, generator=None):
        """Fill with integers from `from` to `to` - 1; `random_(to)` counts from 0, `random_()` all exact
        ones.

        >>> torch.empty(3).random_(1, 2)
        tensor([1., 1., 1.])
        """
        if from_ is None and to is None:
            return self._draw(generator, "random", dtype=self.array.dtype)
        low, high = (0, from_) if to is None else (from_ or 0, to)
        return self._draw(generator, "integers", low=low, high=high)

    def bernoulli_(self, p=0.5, *, generator=None):
        """Fill with 1, with probability p, a number or a tensor, and 0 otherwise.

        >>> torch.empty(2).bernoulli_(torch.tensor([0.0, 1.0]))
        tensor([0., 1.])
        """
        if isinstance(p, Tensor):
            return self.copy_(bernoulli(p.expand(self.shape), generator=generator))
        return self._draw(generator, "bernoulli", p=p)

    def log_normal_(self, mean=1.0, std=2.0, *, generator=None):
        """Fill with numbers whose logarithms are normal, of this mean and standard deviation.

        >>> bool((torch.empty(100).log_normal_() > 0).all())
        True
        """
        return self._draw(generator, "log_normal", mean=mean, std=std, dtype=self.array.dtype)

    def cauchy_(self, median=0.0, sigma=1.0, *, generator=None):
        """Fill with numbers from Cauchy's distribution: median + sigma tan φ, φ evenly from -π/2 to π/2.

        >>> torch.empty(100).cauchy_().shape
        torch.Size([100])
        """
        return self._draw(generator, "cauchy", median=median, sigma=sigma, dtype=self.array.dtype)

    def geometric_(self, p, *, generator=None):
        """Fill with the number of trials that it takes to the first success, of probability p.

        >>> bool((torch.empty(100).geometric_(0.5) >= 1).all())
        True
        """
        return self._draw(generator, "geometric", p=p, dtype=self.array.dtype)

    def bernoulli(self, p=None, *, generator=None):
        """Draw 1, with the probability that each element says, or p for all, and 0 otherwise.

        >>> torch.tensor([0.0, 1.0]).bernoulli()
        tensor([0., 1.])
        """
        return bernoulli(self, p, generator=generator)

    def multinomial(self, num_samples, replacement=False, *, generator=None):
        """Draw indices from each row of weights, which need not add up to 1; RuntimeError for too few without
        replacement.

        >>> torch.tensor([0.0, 3.0, 0.0]).multinomial(2, replacement=True)
        tensor([1, 1])
        """
        return multinomial(self, num_samples, replacement, generator=generator)

    def _draw(self, generator, distribution, **options):
        """Fill with random numbers, which lie in memory in the order in which they are drawn."""
        draw = getattr(generator or default_generator, distribution)
        values = np.empty_like(self.array)
        values.ravel(order="K")[:] = beside(values, draw(size=(values.size,), **options))
        return self.copy_(wrap(values))
