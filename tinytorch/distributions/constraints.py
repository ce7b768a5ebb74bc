"""What values a parameter or a sample may have, as in torch.distributions.constraints: each one checks tensors."""

from tinytorch.tensor import Tensor


class Constraint:
    """A set of values; `check` says of each value, or each vector of `event_dim` dimensions, whether it is in it."""

    is_discrete, event_dim = False, 0

    def check(self, value):
        raise NotImplementedError

    def __repr__(self):
        return f"{type(self).__name__.removeprefix('_')}()"


class _Dependent(Constraint):
    """A set that depends on other parameters: checked by whoever knows them."""

    def check(self, value):
        raise ValueError("Cannot determine validity of dependent constraint")


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value):
        return (value == 0) | (value == 1)


class _Real(Constraint):
    def check(self, value):
        return value == value  # no NaN


class _OneHot(Constraint):
    is_discrete, event_dim = True, 1

    def check(self, value):
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value):
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _LowerCholesky(Constraint):
    event_dim = 2

    def check(self, value):
        lower = (value.tril() == value).flatten(-2).all(-1)
        return lower & (value.diagonal(0, -2, -1) > 0).all(-1)


class _PositiveDefinite(Constraint):
    event_dim = 2

    def check(self, value):
        from tinytorch.tensor import linalg_eigvalsh

        symmetric = value.detach().isclose(value.mT.detach(), atol=1e-6).flatten(-2).all(-1)
        return symmetric & (linalg_eigvalsh(value.detach()) > 0).all(-1)


class _Bounded(Constraint):
    """A set between bounds, which its text shows."""

    def __init__(self, **bounds):
        vars(self).update(bounds)
        self.bounds = bounds

    def __repr__(self):
        bounds = ", ".join(f"{name}={value}" for name, value in self.bounds.items())
        return f"{type(self).__name__.removeprefix('_')}({bounds})"


class _GreaterThan(_Bounded):
    def check(self, value):
        return (
            self.lower_bound < value if not isinstance(self.lower_bound, Tensor) else value > self.lower_bound
        )


class _GreaterThanEq(_Bounded):
    def check(self, value):
        return value >= self.lower_bound


class _LessThan(_Bounded):
    def check(self, value):
        return value < self.upper_bound


class _Interval(_Bounded):
    def check(self, value):
        return (value >= self.lower_bound) & (value <= self.upper_bound)


class _IntegerInterval(_Interval):
    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & super().check(value)


class _IndependentConstraint(Constraint):
    """Vectors of several dimensions all of whose values are in a set."""

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        self.base_constraint, self.ndims = base_constraint, reinterpreted_batch_ndims
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete

    def check(self, value):
        result = self.base_constraint.check(value)
        if result.ndim < self.ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.ndim}")
        return result.flatten(-self.ndims).all(-1) if self.ndims else result

    def __repr__(self):
        return f"IndependentConstraint({self.base_constraint!r}, {self.ndims})"


def greater_than(lower_bound):
    """All numbers above a bound."""
    return _GreaterThan(lower_bound=lower_bound)


def greater_than_eq(lower_bound):
    """All numbers from a bound on."""
    return _GreaterThanEq(lower_bound=lower_bound)


def less_than(upper_bound):
    """All numbers below a bound."""
    return _LessThan(upper_bound=upper_bound)


def interval(lower_bound, upper_bound):
    """All numbers from one to another."""
    return _Interval(lower_bound=lower_bound, upper_bound=upper_bound)


def integer_interval(lower_bound, upper_bound):
    """All whole numbers from one to another."""
    return _IntegerInterval(lower_bound=lower_bound, upper_bound=upper_bound)


def independent(base_constraint, reinterpreted_batch_ndims):
    """All vectors of values of a set."""
    return _IndependentConstraint(base_constraint, reinterpreted_batch_ndims)


dependent, boolean, real, one_hot, simplex = _Dependent(), _Boolean(), _Real(), _OneHot(), _Simplex()
lower_cholesky, positive_definite = _LowerCholesky(), _PositiveDefinite()
positive, nonnegative, unit_interval = greater_than(0.0), greater_than_eq(0.0), interval(0.0, 1.0)
nonnegative_integer = integer_interval(0, float("inf"))
real_vector = independent(real, 1)
