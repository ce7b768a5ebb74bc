"""L-BFGS: Newton's direction from the last steps and gradients, all parameters taken as one vector."""

from typing import NamedTuple

from tinytorch.autograd import enable_grad, no_grad
from tinytorch.given.optimizers.options import check_options
from tinytorch.optimizers import Optimizer
from tinytorch.tensor import Tensor, cat, zeros

__all__ = ["LBFGS"]

KEPT = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")


class LBFGS(Optimizer):
    """Steps by Newton's direction, with an inverse Hessian guessed from the steps so far (Nocedal, 1980).

    Every call of `step` takes up to `max_iter` of them, and calls the closure for each.

    Args:
        params: tensors, in one group.
        lr: the length of a step, or where the search along the direction begins.
        max_iter, max_eval: the most steps, and calls of the closure (None: 5/4 of that), of one `step`.
        tolerance_grad, tolerance_change: it ends where no gradient, or no change, is larger.
        history_size: how many steps are remembered.
        line_search_fn: None for steps of length lr, "strong_wolfe" to search for a good length.

    >>> w = torch.tensor([3.0], requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([w], lr=1.0)
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((w - 1) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure).item(), w.item()
    (4.0, 1.0)
    """

    def __init__(
        self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
        history_size=100, line_search_fn=None,
    ):  # fmt: skip
        check_options(lr)
        defaults = {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change,
            "history_size": history_size, "line_search_fn": line_search_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @no_grad()
    def step(self, closure):
        """Take steps until one of the limits is reached.

        Args:
            closure: clears the gradients, computes the loss, calls its backward, and returns it.

        Returns:
            The loss before the first step.
        """
        closure, (group,) = enable_grad()(closure), self.param_groups
        lr, least = group["lr"], group["tolerance_change"]
        lr = lr.item() if isinstance(lr, Tensor) else lr
        state = self.state[group["params"][0]]  # of all parameters, kept with the first
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = closure()
        loss, grad, calls = float(first), self._gradient(), 1
        state["func_evals"] += 1
        if grad.abs().max() <= group["tolerance_grad"]:
            return first
        kept = {name: state.get(name) for name in KEPT}
        for left in reversed(range(group["max_iter"])):
            state["n_iter"] += 1
            remember(kept, state, grad, group["history_size"])
            direction = kept["d"]
            kept["prev_flat_grad"], kept["prev_loss"] = grad.clone(), loss
            kept["t"] = min(1.0, 1.0 / grad.abs().sum()) * lr if state["n_iter"] == 1 else lr
            slope = grad.dot(direction)
            if slope > -least:
                break
            if group["line_search_fn"] is None:
                self._move(kept["t"], direction)
                called = int(left > 0)
                if called:
                    loss, grad = float(closure()), self._gradient()
            elif group["line_search_fn"] == "strong_wolfe":
                start, limit = Point(0, loss, grad, slope), group["max_eval"] - calls
                point_at, longest = self._along(closure, direction), direction.abs().max()
                point, called = strong_wolfe(point_at, start, kept["t"], longest, limit)
                kept["t"], loss, grad, _ = point
                self._move(kept["t"], direction)
            else:
                raise RuntimeError("only 'strong_wolfe' is supported")
            calls += called
            state["func_evals"] += called
            at_limit = left == 0 or calls >= group["max_eval"]
            if at_limit or grad.abs().max() <= group["tolerance_grad"]:
                break
            if (direction * kept["t"]).abs().max() <= least or abs(loss - kept["prev_loss"]) < least:
                break
        state.update(kept)
        return first

    def _gradient(self):
        """The gradients of all parameters in one vector; zeros for a missing gradient."""
        return cat(
            [
                zeros(p.numel(), dtype=p.dtype, device=p.device) if p.grad is None else p.grad.reshape(-1)
                for p in self.param_groups[0]["params"]
            ]
        )

    def _move(self, length, direction):
        """Move all parameters by a length along their parts of the direction."""
        begin = 0
        for parameter in self.param_groups[0]["params"]:
            part = direction[begin : begin + parameter.numel()].reshape(parameter.shape)
            parameter.add_(part, alpha=float(length))
            begin += parameter.numel()

    def _along(self, closure, direction):
        """The function that gives the Point at a length along the direction; the parameters stay in place."""
        parameters = self.param_groups[0]["params"]
        before = [parameter.clone() for parameter in parameters]

        def point_at(length):
            self._move(length, direction)
            loss, grad = float(closure()), self._gradient()
            for parameter, values in zip(parameters, before):
                parameter.copy_(values)
            return Point(length, loss, grad, grad.dot(direction))

        return point_at


def remember(kept, state, grad, size):
    """Add the last step to the history, and put Newton's direction into `kept["d"]`."""
    if state["n_iter"] == 1:
        kept.update(d=-grad, old_dirs=[], old_stps=[], ro=[], H_diag=1)
        return
    changes, steps, ro = kept["old_dirs"], kept["old_stps"], kept["ro"]
    change, step = grad - kept["prev_flat_grad"], kept["d"] * kept["t"]
    curvature = change.dot(step)
    if curvature > 1e-10:
        if len(changes) == size:
            for history in (changes, steps, ro):
                history.pop(0)
        changes.append(change)
        steps.append(step)
        ro.append(1.0 / curvature)
        kept["H_diag"] = curvature / change.dot(change)
    # the two loops of Nocedal and Wright, Numerical Optimization, algorithm 7.4
    shares, direction = state.setdefault("al", [None] * size), -grad
    for i in reversed(range(len(steps))):
        shares[i] = steps[i].dot(direction) * ro[i]
        direction -= changes[i] * shares[i]
    direction *= kept["H_diag"]
    for i in range(len(steps)):
        direction += steps[i] * (shares[i] - changes[i].dot(direction) * ro[i])
    kept["d"] = direction


class Point(NamedTuple):
    """A length along a direction, and the loss, the gradient and the slope there."""

    t: float
    loss: float
    grad: Tensor
    slope: Tensor


def strong_wolfe(point_at, start, t, longest, limit, c1=1e-4, c2=0.9, tolerance=1e-9):
    """Search along a direction for a length at which the loss has fallen, and its slope is flat, enough.

    Enough is what Wolfe's conditions say: loss <= start.loss + c1 t start.slope, |slope| <= c2 |start.slope|.

    Args:
        point_at: gives the Point at a length.
        start, t: the Point at length 0, and the first length to try.
        longest: the largest element of the direction.
        limit: how many lengths may be tried after the first.

    Returns:
        The best Point, and how many lengths were tried.
    """

    def too_high(point):
        return point.loss > start.loss + c1 * point.t * start.slope

    def flat(point):
        return abs(point.slope) <= -c2 * start.slope

    tried, previous, new = 0, start, point_at(t)
    while tried < limit:  # until there is a minimum between two points
        if too_high(new) or (tried > 1 and new.loss >= previous.loss):
            break
        if flat(new):
            return new, tried + 1
        if new.slope >= 0:
            break
        bounds = new.t + 0.01 * (new.t - previous.t), new.t * 10
        previous, new = new, point_at(cubic_minimum(previous, new, *bounds))
        tried += 1
    ends, near_end = [previous if tried < limit else start, new], False
    low = int(not ends[0].loss <= ends[1].loss)
    while tried < limit and not abs(ends[1].t - ends[0].t) * longest < tolerance:  # bring the two together
        least, most = sorted(end.t for end in ends)
        t, margin = cubic_minimum(*ends, least, most), 0.1 * (most - least)
        too_near = min(most - t, t - least) < margin
        if too_near and (near_end or t >= most or t <= least):
            t = most - margin if abs(t - most) < abs(t - least) else least + margin
            too_near = False
        near_end, new = too_near, point_at(t)
        tried += 1
        if too_high(new) or new.loss >= ends[low].loss:
            ends[1 - low] = new
            low = int(not ends[0].loss <= ends[1].loss)
            continue
        if flat(new):
            return new, tried + 1
        if new.slope * (ends[1 - low].t - ends[low].t) >= 0:
            ends[1 - low] = ends[low]
        ends[low] = new
    return ends[low], tried + 1


def cubic_minimum(a, b, least, most):
    """Where the cubic through two Points, with their slopes, is least, between two bounds."""
    if a.t > b.t:
        a, b = b, a
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (least + most) / 2.0
    d2 = square.sqrt()
    place = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    return min(max(place, least), most)
