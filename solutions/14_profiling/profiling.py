# %% [markdown]
# # 14 Profiling
#
# Your networks train. Where do they spend their time, what do they do with the memory, and which of their operations
# would be worth making faster? Guesses are usually wrong. In this module you build the instruments that answer these
# questions. Three faulty models show how to use them, and then you fix a program with them yourself.
#
# When you are done you will be able to
#
# - time a piece of code so that the number means something, and say how far to trust it;
# - count the arithmetic of any model, forward and backward, and the bytes that its operations move, by watching it run,
#   without changing its code;
# - read a table of operations and of modules, and a timeline of a training step;
# - tell whether arithmetic or memory limits an operation, from two numbers measured on your machine;
# - find the operation whose gradient is the first to be infinite or NaN, the layer that waits for memory, and the
#   training loop that waits for data;
# - fix a training program, and prove by counting that it is fixed.
#
# ## Where it stands
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `profile`, `record_function`, `schedule` | `torch.profiler`, the same names | the rows are your operations; `by_module()` is ours; stacks are not recorded |
# | `FlopCounterMode`, `register_flop_formula` | `torch.utils.flop_counter` | attention is counted everywhere: PyTorch counts 0 for its fused one on the CPU, and the gradient of grouped filters once for each group |
# | `measure_latency`, `Latency` | `torch.utils.benchmark.Timer` | ours: a function in place of a string of code |
# | `count_flops`, `bytes_moved`, `count_parameters`, `memory_footprint` | | ours |
# | `peak_memory`, `trace_memory` | `torch.cuda.max_memory_allocated` | ours: measures the processor's memory |
# | `Machine`, `measure_machine`, `roofline` | | ours |
# | `find_nan` | `torch.autograd.detect_anomaly` | ours: it names the module, and looks for infinities too |
#
# Modules 15 to 18 measure with what you write here. NumPy computes on one thread in these notebooks, because that makes
# times steadier.


# %%
#| export
import gc
import math
import sys
import time
import tracemalloc
import weakref
from dataclasses import dataclass, field

import numpy as np

from tinytorch.attention import ScaledDotProductAttention
from tinytorch.autograd import no_grad, run_rule
from tinytorch.conv import Convolution
from tinytorch.layers import Affine, Module
from tinytorch.losses import cross_entropy
from tinytorch.tensor import Function, MatMul, Tensor, arange, owner, stack


# %%
import json
import tempfile
from pathlib import Path


from tinytorch.attention import scaled_dot_product_attention
from tinytorch.conv import LeNet, conv2d
from tinytorch.dataloader import DataLoader, Digits, TensorDataset
from tinytorch.layers import Linear, Parameter, ReLU, Sequential
from tinytorch.given.predictions import compare
from tinytorch.optimizers import SGD, AdamW
from tinytorch.tensor import manual_seed, ones, randint, randn, tensor, wrap, zeros
from tinytorch.transformer import GPT, GPTConfig, next_token_loss


# %% [markdown]
# ## 1. A time that means something
#
# Time the same product six times, in the most obvious way.


# %%
left, right = np.ones((256, 512), np.float32), np.ones((512, 512), np.float32)
for number in range(6):
    start = time.perf_counter()
    left @ right
    print(f"run {number}: {(time.perf_counter() - start) * 1e6:7.0f} us")


# %% [markdown]
# The same work, six numbers. The first is often the largest: caches are cold, memory has to be obtained from the
# system, libraries are still starting. The others differ because your program shares the machine. Disturbances make a
# run *longer*, hardly ever shorter, so times are not spread evenly around a true value: they have a floor, and a long
# tail above it.
#
# ```text
#   runs |    #
#        |    ##
#        |    ####
#        |    #######  #   #             #
#        +----|--|----------|-----------------> time
#       minimum  median     95th percentile
# ```
#
# The mean follows the tail, and one interruption spoils it. So a measurement says several things:
#
# - the *median*: half of the runs were faster; a few wild ones do not move it;
# - the *95th percentile*: what one run in twenty exceeds, which is what a user waiting for an answer notices;
# - the *spread*, the distance between the first and the third quartile: if it is a large part of the median, do not
#   trust small differences;
# - the *minimum*: the floor, the best guess of what the work itself takes.
#
# A few runs before the measurement are thrown away, the *warm-up*. Two clocks are useful: `time.perf_counter` measures
# elapsed (wall-clock) time; `time.process_time` counts only the CPU time of your own process, which makes it better for
# comparisons on a busy machine.
#
# `Latency` (given) holds the times and prints them.


# %%
#| export
@dataclass(frozen=True)
class Latency:
    """What `measure_latency` found, in seconds; `times` are all the runs, in their order."""

    median: float
    p95: float
    spread: float
    minimum: float
    times: tuple

    def __str__(self):
        ms = [f"{x * 1e3:.3f}" for x in (self.median, self.p95, self.spread, self.minimum)]
        return (
            f"median {ms[0]} ms, 95 % within {ms[1]} ms, spread {ms[2]} ms, "
            f"minimum {ms[3]} ms, {len(self.times)} runs"
        )


# %% [markdown]
# <details><summary>Hint 1</summary>Two loops. The first calls <code>run()</code> without reading the clock.</details>
# <details><summary>Hint 2</summary>In the second, read the clock that was passed in, <code>clock()</code>, immediately
# before and immediately after each single call, and keep the difference.</details>
# <details><summary>Hint 3</summary><code>np.percentile(times, [25, 50, 75, 95])</code> gives all four at once; the
# spread is the third minus the first.</details>


# %% stub="measure-latency"
#| export
def measure_latency(run, warmup=3, repeats=30, clock=time.perf_counter):
    """Measure how long a call of `run` takes.

    Args:
        run: a function without arguments.
        warmup: how many calls are made first, without being measured.
        repeats: how many calls are measured, each on its own.
        clock: what gives the time in seconds.

    Returns:
        A Latency: the median, the 95th percentile, the spread (third quartile minus
        first), the minimum, and all times in a tuple, in their order. Percentiles between
        two runs are interpolated, as `np.percentile` does.

    >>> measure_latency(lambda: None, repeats=5).minimum < 0.1
    True
    """
    ### BEGIN SOLUTION
    for _ in range(warmup):
        run()
    times = []
    for _ in range(repeats):
        start = clock()
        run()
        times.append(clock() - start)
    first, median, third, p95 = np.percentile(times, [25, 50, 75, 95]).tolist()
    return Latency(median, p95, third - first, min(times), tuple(times))
    ### END SOLUTION


# %% test="measure-latency" points=6
def by_a_clock_of_its_own(durations, warmup, repeats):
    """Measure work that takes exactly these seconds, on a clock that only work moves."""
    now, calls, read = [100.0], [], []

    def run():
        now[0] += durations[len(calls)] if len(calls) < len(durations) else 0
        calls.append(now[0])

    def clock():
        read.append(now[0])
        return now[0]

    found = measure_latency(run, warmup, repeats, clock)
    assert read, "the function passed as `clock` gives the time, but it was not called"
    return found, len(calls)


def test_every_run_is_timed_on_its_own():
    found, calls = by_a_clock_of_its_own([3.0, 1.0, 4.0, 1.5, 9.0], 0, 5)
    assert calls == 5, f"warmup=0 and repeats=5 are 5 calls of run, not {calls}"
    kind = type(found.times)
    assert kind is tuple, f"times is a tuple, not a {kind.__name__}: {found.times}"
    np.testing.assert_allclose(
        found.times, [3, 1, 4, 1.5, 9], err_msg="the seconds of each run, in their order"
    )


def test_the_first_runs_are_thrown_away():
    for warmup, repeats in ((2, 3), (3, 4)):
        durations = [50.0] * warmup + [2.0, 1.0, 3.0, 5.0][:repeats]
        wanted = durations[warmup:]
        found, calls = by_a_clock_of_its_own(durations, warmup, repeats)
        assert calls == warmup + repeats, (
            f"warmup={warmup} and repeats={repeats} are {warmup + repeats} calls, not {calls}"
        )
        np.testing.assert_allclose(
            found.times,
            wanted,
            err_msg=f"the {warmup} warm-up runs of 50 s are not part of the times",
        )


def test_what_is_said_of_the_times():
    times = [2.0, 4.0, 1.0, 8.0, 16.0, 3.0]
    wanted = {
        "median": np.median(times),
        "p95": np.percentile(times, 95),
        "spread": np.percentile(times, 75) - np.percentile(times, 25),
        "minimum": 1.0,
    }
    for first in (7.0, 0.5):
        found, _ = by_a_clock_of_its_own([first, *times], 1, 6)
        for name, value in wanted.items():
            assert math.isclose(getattr(found, name), value, rel_tol=1e-9), (
                f"after a warm-up run of {first} s the {name} of {times} is {value}, not "
                f"{getattr(found, name)}"
            )


def test_the_clock_of_the_wall_is_used():
    found = measure_latency(lambda: time.sleep(0.02), warmup=0, repeats=2)
    assert found.minimum > 0.015, f"a sleep of 20 ms took {found.minimum * 1e3:.3f} ms"


# %%
print(measure_latency(lambda: left @ right))
print(measure_latency(lambda: left @ right, clock=time.process_time))


# %% [markdown]
# ## 2. Watching a model run
#
# To know what happens inside `model(x)`, you could add a line to every layer. But your layers are also used in other
# people's programs, and a measurement that needs changed code measures different code. There is a better place:
# everything that your framework computes passes through three functions.
#
# | what runs | passes through | written in |
# |---|---|---|
# | an operation | `Function.apply` | module 01 |
# | a gradient rule, in the walk | `run_rule` | module 06 |
# | a module | `Module.__call__` | module 03 |
#
# Python can report every call of them. `sys.setprofile(callback)` asks the interpreter to call
# `callback(frame, event, argument)` whenever a function is entered or left. `frame.f_code` says which function,
# `frame.f_locals` holds its arguments, and at a return `argument` is the result. `Watch` compares the identity of the
# code, and ignores all calls but those of the three. No function is replaced, and when the `with` block ends, the
# callback is removed: outside it, exactly the same code runs as before.
#
# A `Call` describes one watched call.


# %%
#| export
@dataclass(eq=False)
class Call:
    """One call of an operation, of a gradient rule or of a module, as a Watch has seen it.

    Arrays are there only while `seen` is called, so that watching keeps no memory alive.
    """

    kind: str  # "forward", "backward" or "module"
    name: str  # of the operation, with "Backward" if it is its rule, or of the module's class
    module: str  # which module it belongs to, such as "GPT.transformer.h.0.attn"
    function: type  # the operation, or the module's class
    inputs: tuple  # what it is given; arrays in place of Tensors; gradients, if it is a rule
    node: object = None  # in backward: what forward has left, with its `needs_input_grad`
    saved: tuple = ()  # in backward: what forward has saved, its inputs first
    result: tuple = ()  # what it returns; gradients, if it is a rule
    start: float = 0.0  # seconds
    end: float = 0.0
    options: dict = field(default_factory=dict)  # what else a formula needs

    @property
    def shapes(self):
        """The shapes of the operation's inputs, backward too; None for a non-array."""
        operands = self.saved if self.kind == "backward" else self.inputs
        operands = getattr(self.node, "shapes", None) or [
            getattr(x, "shape", None) for x in operands
        ]
        return tuple(operands)

    @property
    def out_shape(self):
        """The shape of the operation's output, which is that of the output's gradient too."""
        return getattr(
            (self.inputs if self.kind == "backward" else self.result)[0], "shape", ()
        )


# %%
#| export
class Watch:
    """Call `seen(call)` after every operation, gradient rule and module of a `with` block."""

    def __init__(self, seen):
        self.seen, self.running = seen, []
        self.names, self.made = weakref.WeakKeyDictionary(), weakref.WeakKeyDictionary()
        watched = {
            Function.apply.__func__: self.operation,
            run_rule: self.rule,
            Module.__call__: self.module,
        }
        self.watched = {
            id(function.__code__): describe for function, describe in watched.items()
        }

    def __enter__(self):
        self.before = sys.getprofile()
        sys.setprofile(self.event)
        return self

    def __exit__(self, *error):
        sys.setprofile(self.before)

    def event(self, frame, event, argument):
        if self.before is not None:  # another profiler is active too
            self.before(frame, event, argument)
        describe = self.watched.get(id(frame.f_code))
        if describe is None:
            return
        if event == "call":
            self.running.append(call := describe(frame.f_locals))
            call.start = time.perf_counter()
        elif event == "return" and self.running:
            end = time.perf_counter()
            self.ended(self.running.pop(), argument, end)

    def ended(self, call, result, end):
        results = result if isinstance(result, tuple) else (result,)
        call.end, call.result = end, arrays_of(results)
        if call.kind == "forward" and isinstance(results[0], Tensor) and results[0].grad_fn:
            self.made[results[0].grad_fn] = call.module
        self.seen(call)
        call.inputs = call.result = call.saved = ()


# %%
#| export
from tinytorch.given.profiling.describing import *

# %% [markdown]
# `operation`, `rule` and `module`, which make a `Call` of a frame's arguments, are given
# (`tinytorch/given/profiling/describing.py`). A module's name is its path from the module that was called first, and a
# gradient rule belongs to the module in which its operation ran. Here it is at work.


# %%
manual_seed(0)
net = Sequential(Linear(64, 128), ReLU(), Linear(128, 10))
images, labels = randn(32, 64), randint(0, 10, (32,))

with Watch(lambda call: print(f"{call.kind:9} {call.name:22} {call.module:14} {call.shapes}")):
    cross_entropy(net(images), labels).backward()

# %% [markdown]
# A module's line comes after those of its operations, because it is reported when it ends. Backward goes through the
# same operations in reverse order.
#
# ## 3. Counting arithmetic
#
# A time says how long *this* machine took. The amount of work is a property of the model, and can be counted exactly:
# the number of floating point operations, FLOPs, where a multiplication is one and an addition is one. (Many papers,
# and torchvision's tables, count a multiplication with its addition as one: their numbers are half of ours.) Like
# PyTorch's counter, ours counts only *products*: those of matrices, convolutions and attention. Everything else does
# only a few operations for each number, and is left out.
#
# ### Products of matrices
#
# For $Y = X W^\top$ with $X$ of shape (B, n) and $W$ of shape (m, n), each of the $B m$ numbers of $Y$ is a sum of $n$
# products: $n$ multiplications and, starting from zero, $n$ additions.
#
# $$\mathrm{FLOPs} = 2 \cdot B\,m \cdot n = 2 \cdot (\text{numbers in the output}) \cdot (\text{length of the sums})$$
#
# The second form is the one to keep: it holds for batches of matrices, for vectors, and for a `Linear` on inputs of any
# number of dimensions. The bias, one addition for each output, is not counted.
#
# ### Convolutions
#
# A convolution is a product as well. What is the length of the sum that makes one number of its output? The window,
# $k_h k_w$ places, in each of the channels that the filter sees: all $C$ of them, or $C / G$ with $G$ groups. The
# output's shape says how many such sums there are, so stride, padding and dilation do not enter the formula.
#
# ```text
#   input (N, C, H, W)     filters (O, C/G, kh, kw)     output (N, O, H', W')
#                                   `---------' one sum
# ```
#
# ### Attention
#
# Two products for each head: the scores $Q K^\top$, of $T \times S$ numbers with sums of length $d$, and the mixture of
# the values, of $T \times e$ numbers with sums of length $S$. With $H$ heads and a batch of $B$ that is
# $2BHTSd + 2BHTSe$, and $4BHTSd$ where values are as long as keys.
#
# The softmax between them is not counted, and a causal mask does not lower the count: the numbers above the diagonal
# are computed and thrown away. (PyTorch counts the same way. For a program that skips them, the count is nearly twice
# what is computed.)
#
# ### The three formulas
# A formula is registered for its operations by `register_flop_formula`, which has PyTorch's name and convention: a
# formula is called with the shapes of the operation's inputs, and with the shape of its output as `out_shape`.


# %%
#| export
flop_registry = {}


def register_flop_formula(targets, get_raw=False):
    """Let the decorated function count the FLOPs of an operation, or of each of a list.

    It is called as `formula(*shapes of the inputs, out_shape=shape of the output)`, with
    `get_raw` as `formula(*inputs, out_val=output)`.
    """

    def register(formula):
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            flop_registry[target] = formula, get_raw
        return formula

    return register


# %% [markdown]
# <details><summary>Hint 1</summary>One idea serves all three: how many numbers does the output have, and how long is
# the sum that makes one of them? The number of dimensions, the stride and the padding do not matter.</details>
# <details><summary>Hint 2</summary>A product's sums run over the last dimension of its first operand, in
# <code>x @ y</code> as in <code>linear(x, weight)</code>. The shape of the filters contains the length of a
# convolution's sums, with the groups taken into account.</details>
# <details><summary>Hint 3</summary>Attention is two products: T S sums of length d for the scores, and T e sums of
# length S for the result, in each head of each sample. Take the heads and the batch from the output, since one operand
# may have been broadcast. <code>math.prod(shape)</code> is the number of elements of a shape, 1 for
# <code>()</code>.</details>


# %% stub="flop-formulas"
#| export
@register_flop_formula([Affine, MatMul])
def product_flops(x_shape, y_shape, bias_shape=None, out_shape=None):
    """Count the FLOPs of x @ y and of linear(x, weight, bias): 2 for each term of a sum.

    Args:
        x_shape: (..., n), the left operand's, whose last dimension is summed over.
        y_shape: the right operand's: (..., n, m), (n,), or a weight's, (m, n).
        bias_shape: that of a bias, which costs nothing.
        out_shape: the output's.

    Returns:
        The number of FLOPs, a Python int.

    >>> product_flops((32, 64), (128, 64), (128,), out_shape=(32, 128))
    524288
    """
    ### BEGIN SOLUTION
    return 2 * math.prod(out_shape) * x_shape[-1]
    ### END SOLUTION


#| export
@register_flop_formula(Convolution)
def convolution_flops(x_shape, weight_shape, bias_shape=None, out_shape=None):
    """Count the FLOPs of a convolution; its bias costs nothing.

    Args:
        x_shape: (N, C, ...), of the images.
        weight_shape: (O, C / groups, ...), of the filters, their kernel's size last.
        bias_shape: (O,), or None.
        out_shape: (N, O, ...), of the output.

    Returns:
        The number of FLOPs, a Python int.

    >>> convolution_flops((1, 3, 32, 32), (16, 3, 3, 3), (16,), out_shape=(1, 16, 30, 30))
    777600
    """
    ### BEGIN SOLUTION
    return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
    ### END SOLUTION


#| export
@register_flop_formula(ScaledDotProductAttention)
def attention_flops(query_shape, key_shape, value_shape, *others, out_shape=None):
    """Count the FLOPs of attention: those of its two products.

    Args:
        query_shape: (..., T, d).
        key_shape: (..., S, d).
        value_shape: (..., S, e).
        others: of masks, which cost nothing.
        out_shape: (..., T, e), with all the leading dimensions.

    Returns:
        The number of FLOPs, a Python int.

    >>> attention_flops((1, 2, 8, 16), (1, 2, 8, 16), (1, 2, 8, 16), out_shape=(1, 2, 8, 16))
    8192
    """
    ### BEGIN SOLUTION
    (T, d), S = query_shape[-2:], key_shape[-2]
    return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
    ### END SOLUTION


# %% test="flop-formulas" points=8
def products_one_by_one(x_shape, y_shape):
    """Two FLOPs for each number of the output, by NumPy's shape, and each term of its sum."""
    out = (np.empty(x_shape) @ np.empty(y_shape)).shape
    return out, sum(2 for _ in np.ndindex(*out) for _ in range(x_shape[-1]))


def check_flops(found, wanted, err_msg):
    assert found == wanted, f"{err_msg}: {wanted} FLOPs, not {found}"
    kind = type(found).__name__
    assert isinstance(found, int), (
        f"{err_msg}: a Python int is wanted, and {found!r} is of type {kind}"
    )


def test_flops_of_products_of_all_kinds():
    for x_shape, y_shape in [
        ((3, 4), (4, 5)),
        ((4,), (4, 5)),
        ((3, 4), (4,)),
        ((4,), (4,)),
        ((2, 3, 4), (4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 1, 3, 4), (6, 4, 5)),
        ((0, 4), (4, 5)),
    ]:
        out, wanted = products_one_by_one(x_shape, y_shape)
        check_flops(
            product_flops(x_shape, y_shape, out_shape=out),
            wanted,
            err_msg=f"{x_shape} @ {y_shape} is {out}",
        )


def test_flops_of_a_linear_layer():
    for rows, n, m in [((5,), 7, 3), ((2, 4), 3, 6), ((), 4, 9)]:
        wanted = 2 * math.prod(rows) * n * m
        for bias in ((m,), None):
            check_flops(
                product_flops((*rows, n), (m, n), bias, out_shape=(*rows, m)),
                wanted,
                err_msg=f"linear of {(*rows, n)} with a weight {(m, n)}",
            )


def test_flops_of_convolutions():
    for x, weight, options in [
        ((5, 3, 8, 6), (4, 3, 3, 2), {}),
        ((1, 4, 9, 9), (6, 2, 3, 3), {"groups": 2, "stride": 2, "padding": 1}),
        ((3, 5, 7, 7), (5, 1, 5, 3), {"groups": 5, "dilation": (1, 2)}),
        ((1, 2, 4, 4), (8, 2, 1, 1), {}),
    ]:
        out = tuple(conv2d(zeros(*x), zeros(*weight), **options).shape)
        wanted = sum(2 * weight[1] * weight[2] * weight[3] for _ in np.ndindex(*out))
        length = math.prod(weight[1:])
        said = f"images {x}, filters {weight}, {options}: sums of {length}, output {out}"
        for bias in ((weight[0],), None):
            check_flops(
                convolution_flops(x, weight, bias, out_shape=out), wanted, err_msg=said
            )


def test_flops_of_a_convolution_of_sequences():
    check_flops(
        convolution_flops((2, 3, 10), (4, 3, 5), None, out_shape=(2, 4, 6)),
        2 * 48 * 15,
        err_msg="sequences (2, 3, 10), filters (4, 3, 5): 48 sums of 15",
    )


def attention_by_products(batch, T, S, d, e):
    """The FLOPs of both products, each by its shapes."""
    return batch * (2 * T * S * d + 2 * T * e * S)


def test_flops_of_attention():
    for batch, T, S, d, e in [
        ((5, 3), 5, 5, 4, 6),
        ((2,), 3, 7, 4, 6),
        ((), 6, 2, 5, 3),
        ((4, 2), 1, 9, 8, 8),
    ]:
        wanted = attention_by_products(math.prod(batch), T, S, d, e)
        shapes = (*batch, T, d), (*batch, S, d), (*batch, S, e)
        for mask in (None, (T, S)):
            check_flops(
                attention_flops(*shapes, mask, None, out_shape=(*batch, T, e)),
                wanted,
                err_msg=f"batch {batch}, {T} queries, {S} keys of length {d}, values of "
                f"length {e}, mask {mask}",
            )


def test_an_operand_may_be_broadcast():
    for query, key, value in (
        ((1, 3), (2, 3), (2, 1)),
        ((2, 3), (1, 1), (2, 3)),
        ((1, 1), (2, 1), (1, 3)),
    ):
        wanted = attention_by_products(6, 5, 6, 4, 4)
        check_flops(
            attention_flops(
                (*query, 5, 4), (*key, 6, 4), (*value, 6, 4), out_shape=(2, 3, 5, 4)
            ),
            wanted,
            err_msg=f"queries of {query} heads, keys of {key}, values of {value}, 2 x 3 in "
            "the output",
        )


# %% [markdown]
# ### Backward
#
# For $Y = X W^\top$ there are two gradients, $\bar X = \bar Y W$ and $\bar W = \bar Y^\top X$. Each is a product of
# matrices with the same three lengths as the forward product, in another order, so each costs what forward costs. The
# same holds for a convolution, and in attention for both of its products. Hence the rule of thumb *backward is twice
# forward*. (For attention it is an approximation: we count forward once for the queries' gradient and once for the
# keys', so 0 where only the values need one. PyTorch counts 2.5 times forward for fused attention, whose backward
# computes the scores again.)
#
# It is not quite twice. The gradient of the network's *input* is not needed, so the first layer computes only one of
# its two products; a frozen layer saves the other one. The node knows which gradients are needed:
# `call.node.needs_input_grad` is a tuple with True or False for each input: a product's first two are for its operands,
# and a sum's tuple has only one.
#
# Write it for one `Call`. `flops_by_formula(call)` (given) looks up the formula of `call.function` in the registry, and
# calls it with the shapes; it returns 0 where there is none.


# %%
#| export
def flops_by_formula(call):
    """The FLOPs of the operation's forward by its formula; 0 where none is registered."""
    formula, get_raw = flop_registry.get(call.function, (None, False))
    if formula is None:
        return 0
    if get_raw:
        return formula(*call.inputs, out_val=call.result)
    return formula(*call.shapes, out_shape=call.out_shape, **call.options)


# %% [markdown]
# <details><summary>Hint 1</summary><code>call.kind</code> is "forward", "backward" or "module"; a module does nothing
# itself, and no formula is registered for it.</details>
# <details><summary>Hint 2</summary>True counts as 1 in a sum.</details>
# <details><summary>Hint 3</summary><code>call.node.needs_input_grad</code> says for each operand whether it needs a
# gradient; a product has two that count, and a bias after them costs nothing.</details>


# %% stub="call-flops"
#| export
def call_flops(call):
    """Count the FLOPs of one watched call, of an operation or of its gradient rule.

    Args:
        call: a Call, while its arrays are there.

    Returns:
        In forward what the formula says; in backward that much for each of the first two
        inputs, if its gradient is needed.
    """
    ### BEGIN SOLUTION
    flops = flops_by_formula(call)
    if call.kind == "backward":
        flops *= sum(call.node.needs_input_grad[:2])
    return flops
    ### END SOLUTION


# %% test="call-flops" points=4
def a_number(flops, err_msg):
    assert flops is not None, f"{err_msg}, not None"
    return flops


def watched(run):
    """The FLOPs of every call, by kind, in their order."""
    found = {"forward": [], "backward": [], "module": []}

    def seen(call):
        needs = call.node and f", needs_input_grad {call.node.needs_input_grad}"
        said = f"{call.kind} of {call.name}{needs or ''}: a number of FLOPs, perhaps 0"
        found[call.kind].append(a_number(call_flops(call), err_msg=said))

    with Watch(seen):
        run()
    return found


def test_forward_is_counted_by_the_formula():
    found = watched(lambda: (ones(3, 4) @ ones(4, 5)).sum())
    each = found["forward"]
    assert sum(each) == 120, f"(3, 4) @ (4, 5), and a sum: 120 FLOPs and 0, not {each}"
    assert found["backward"] == [], (
        f"nothing ran backward, yet {found['backward']} was counted"
    )


def test_backward_counts_what_is_asked_for():
    needs = ((True, False), (False, True), (True, True))
    for shape, (need_x, need_y) in [(shape, n) for shape in ((4, 5), (4,)) for n in needs]:
        a, b = randn(3, 4).requires_grad_(need_x), randn(*shape).requires_grad_(need_y)
        found = sum(watched(lambda a=a, b=b: (a @ b).sum().backward())["backward"])
        wanted = 6 * math.prod(shape) * (need_x + need_y)
        assert found == wanted, (
            f"(3, 4) @ {shape}, gradients needed {need_x, need_y}: {wanted} FLOPs backward, "
            f"not {found}"
        )


def test_a_bias_that_asks_for_a_gradient_costs_nothing():
    layer, x = Linear(4, 5), randn(3, 4)
    found = sum(watched(lambda: layer(x).sum().backward())["backward"])
    assert found == 120, f"only the weight's gradient is a product: 120 FLOPs, not {found}"


def test_only_products_of_gradients_that_are_needed_count():
    layer = Linear(4, 5)
    layer.weight.requires_grad_(False)
    found = sum(watched(lambda: layer(randn(3, 4)).sum().backward())["backward"])
    assert found == 0, f"only the bias needs a gradient, a sum: 0 FLOPs backward, not {found}"


def test_backward_of_convolutions_and_of_attention():
    filters = randn(4, 3, 2, 2).requires_grad_(True)
    for need in (False, True):
        x = randn(1, 3, 5, 5).requires_grad_(need)
        found = watched(lambda x=x: conv2d(x, filters).sum().backward())
        forward, backward = sum(found["forward"]), sum(found["backward"])
        wanted = (1 + need) * 2 * 4 * 16 * 12
        assert (forward, backward) == (1536, wanted), (
            f"a convolution, its images' gradient needed: {need}: 1536 FLOPs forward, "
            f"{wanted} backward, not {forward} and {backward}"
        )
    for needed in ((1, 1, 1), (0, 1, 0), (0, 0, 1), (1, 0, 1)):
        needed, times = tuple(map(bool, needed)), sum(needed[:2])
        q, k, v = (randn(1, 2, 3, 4).requires_grad_(need) for need in needed)
        attend = lambda q=q, k=k, v=v: scaled_dot_product_attention(q, k, v).sum().backward()
        found = sum(watched(attend)["backward"])
        wanted = times * 2 * 2 * 9 * (4 + 4)
        assert found == wanted, (
            f"attention, gradients of (query, key, value) needed: {needed}; of these the "
            f"first two count: {wanted} FLOPs backward, not {found}"
        )


def test_modules_and_other_operations_count_nothing():
    found = watched(lambda: ReLU()(ones(3, 4)).exp().sum())
    assert sum(map(sum, found.values())) == 0, f"no products, no FLOPs: {found}"


# %% [markdown]
# ### The sum over a run
#
# Now watch a whole model, and add up.
#
# <details><summary>Hint 1</summary>A Watch calls a function after each call. Count in that function: a call that is
# kept for later has lost its arrays.</details>
# <details><summary>Hint 2</summary>Call the model inside the <code>with</code> block, and sum after it.</details>
# <details><summary>Hint 3</summary>A <code>lambda</code> that appends the FLOPs of a call to a list is all the Watch
# needs.</details>


# %% stub="count-flops"
#| export
def count_flops(model, *inputs):
    """Count the FLOPs of `model(*inputs)`: those of all its products.

    Args:
        model: a module, or any function, called once as it is; a `backward` in it counts, too.
        inputs: what it is called with.

    Returns:
        The number of FLOPs, a Python int.

    >>> count_flops(Linear(64, 128), zeros(32, 64))
    524288
    """
    ### BEGIN SOLUTION
    counts = []
    with Watch(lambda call: counts.append(call_flops(call))):
        model(*inputs)
    return sum(counts)
    ### END SOLUTION


# %% test="count-flops" points=4
def test_the_model_is_called_once_and_watched():
    x, calls, before = ones(3, 3), [], sys.getprofile()

    def model(*given):
        calls.append((given, sys.getprofile()))
        return x @ x

    found = count_flops(model, x, 7, None)
    assert len(calls) == 1, f"model(*inputs) is called once, not {len(calls)} times"
    given, watching = calls[0]
    kinds = ", ".join(type(value).__name__ for value in given)
    assert len(given) == 3, f"x, 7 and None are three inputs, but it was model({kinds})"
    passed_on = [one is other for one, other in zip(given, (x, 7, None))]
    assert passed_on == [True] * 3, (
        f"the model is called with the inputs themselves, x, 7 and None, not others: {kinds}"
    )
    assert watching != before, "nobody watches while the model runs: call it in the with block"
    assert found == 54, f"(3, 3) @ (3, 3): 54 FLOPs, not {found}"
    assert isinstance(found, int), f"FLOPs are a Python int, not a {type(found).__name__}"


def test_a_model_is_the_sum_of_its_layers():
    model = Sequential(Linear(6, 5), ReLU(), Linear(5, 4), Linear(4, 3))
    for rows in (1, 7):
        wanted = 2 * rows * (30 + 20 + 12)
        found = count_flops(model, zeros(rows, 6))
        assert found == wanted, f"{rows} rows through 6-5-4-3: {wanted} FLOPs, not {found}"


def test_a_layer_that_runs_twice_counts_twice():
    layer = Linear(4, 4)
    found = count_flops(lambda x: layer(layer(x)), zeros(3, 4))
    assert found == 2 * 2 * 3 * 16, f"twice 96 FLOPs, not {found}"


def test_the_model_stays_in_its_mode():
    model, modes, graded = Linear(2, 3), [], []
    model.register_forward_pre_hook(lambda module, _: modes.append(module.training))
    model.register_forward_hook(lambda module, _, y: graded.append(y.requires_grad))
    for training in (True, False):
        model.train(training)
        count_flops(model, zeros(1, 2))
        modes.append(model.training)
    assert modes == [True, True, False, False], (
        "a model in training mode stays so, while it runs and afterwards, and one in "
        f"evaluation mode, too: training is {modes}"
    )
    assert graded == [True, True], (
        "a module runs as it is called, not under no_grad, so its results require gradients: "
        f"{graded}"
    )


def test_all_inputs_are_passed_on():
    found = count_flops(lambda x, y, z: x @ y @ z, zeros(2, 3), zeros(3, 4), zeros(4, 5))
    assert found == 2 * (24 + 40), f"(2, 3) @ (3, 4) @ (4, 5): 128 FLOPs, not {found}"


def test_backward_is_counted_where_it_runs():
    model, x = Sequential(Linear(6, 5), Linear(5, 4)), zeros(7, 6)
    found = count_flops(lambda: model(x).sum().backward())
    wanted = 3 * 2 * 7 * (30 + 20) - 2 * 7 * 30
    assert found == wanted, (
        f"three times forward, less the gradient of the first layer's input: {wanted}, "
        f"not {found}"
    )


def check_that_watching_ends(watch):
    """Nobody watches any more after `watch` has watched a run, or one that raises."""
    before = sys.getprofile()
    watch(lambda: ones(2).exp())
    ended = sys.getprofile() is before
    sys.setprofile(before)
    assert ended, "the watching ends with the run: use a with block"
    try:
        watch(lambda: 1 / 0)
    except ZeroDivisionError:
        ended = sys.getprofile() is before
        sys.setprofile(before)
        assert ended, "the watching ends even if what runs raises: use a with block"
    else:
        raise AssertionError("an error of what runs is passed on")


def test_nobody_is_watching_afterwards():
    check_that_watching_ends(count_flops)


def test_another_watch_goes_on():
    seen = []
    with Watch(lambda call: seen.append(call.name)):
        count_flops(Linear(2, 2), zeros(1, 2))
        ones(2).exp()
    assert "Exp" in seen, "a Watch that was on before must go on afterwards: use a with block"


# %% [markdown]
# Two more counts are given, which need no run: the number of parameters, a shared one counted once, and the bytes of
# parameters and buffers. Compare three models of the milestones with a count by hand.


# %%
#| export
def count_parameters(model):
    """The number of the model's parameters; one that is used in two places counts once."""
    return sum(p.numel() for p in model.parameters())


def memory_footprint(model):
    """The bytes of the model's parameters and buffers, memory that is shared counted once."""
    tensors = [*model.parameters(), *model.buffers()]
    return sum({id(owner(t.array)): t.array.nbytes for t in tensors}.values())


# %%
manual_seed(0)
config = GPTConfig(97, 64, n_layer=3, n_head=4, n_embd=96, dropout=0.0)
gpt, lenet = GPT(config), LeNet(image_size=8)
digits, tokens = randn(1, 1, 8, 8), randint(0, 97, (16, 64))

B, T, C, V = 16, 64, 96, 97
by_hand = {
    "MLP 64-128-10, 32 images": 2 * 32 * (64 * 128 + 128 * 10),
    "LeNet, one 8 x 8 digit": 2
    * (6 * 64 * 25 + 16 * 16 * 6 * 25 + 64 * 120 + 120 * 84 + 84 * 10),
    "GPT 3 x 96, 16 x 64 tokens": 3 * (2 * B * T * C * 12 * C + 4 * B * T * T * C)
    + 2 * B * T * C * V,
}
for (name, wanted), (model, x) in zip(
    by_hand.items(), [(net, images), (lenet, digits), (gpt, tokens)]
):
    print(
        f"{name:27} by hand {wanted:12,} counted {count_flops(model, x):12,} FLOPs; "
        f"{count_parameters(model):7,} parameters, {memory_footprint(model):9,} bytes"
    )
print(f"2 x parameters x tokens {2 * count_parameters(gpt) * B * T:,}")

# %% [markdown]
# The last line is a rule of thumb for transformers: two FLOPs for each parameter and token. It leaves out attention's
# own products, which have no parameters, and it counts the table of positions, which is only looked up, not multiplied.
#
# ## 4. Counting bytes
#
# Arithmetic is half of the work. The other half is bringing the numbers: an operation reads its operands from memory
# and writes its result there. Bytes can be counted call by call, like FLOPs, and a call has everything you need: an
# operation reads its inputs, a gradient rule reads the gradients that it receives and what forward has saved, and both
# write their results. `array.nbytes` says how much each of these arrays is.
#
# Adding them all up would be wrong, because several arrays can look into the same memory:
#
# | call | reads | writes |
# |---|---|---|
# | `x + bias`, shapes (32, 128) and (128,) | x, and the bias *once*: 16,384 + 512 bytes | 16,384 bytes |
# | `x * x` | x, once | as much as x has |
# | `q * k`, two slices of one array | both slices, each its own bytes | as much as q has |
# | `x + bias.expand(32, 128)` | x, and the bias: `nbytes` claims 16,384, but only 512 are there | 16,384 bytes |
# | `x.transpose(0, 1)`, `bias.expand(32, 128)` | nothing | nothing: the result is a view |
#
# So count by *memory*. `owner(array)` (module 01) is the array whose memory `array` looks into; it is `array` itself
# unless that is a view. Arrays with the same owner read as many bytes as they have together, but never more than the
# owner has. A result whose owner has been read is a view of it. A call that returns only views moves nothing at all.
#
# This is what an operation has to move if every number is fetched once. One that goes through its input several times,
# as softmax does, moves more where the cache is too small. One that looks up a few rows of a table reads less.
#
# <details><summary>Hint 1</summary>Write a small function first: from a tuple of values, a dict that has the bytes of
# each owner. Skip what is no <code>np.ndarray</code>: numbers, None, shapes.</details>
# <details><summary>Hint 2</summary><code>id(owner(array))</code> can be a key. The same array may be given twice, as in
# <code>x * x</code>: it counts once. The sum for an owner stops at the owner's own <code>nbytes</code>.</details>
# <details><summary>Hint 3</summary>Call it twice: for inputs and saved arrays together, and for the results. Keys of
# the second dict that are in the first one are views. If no others are left, the answer is 0.</details>


# %% stub="bytes-moved"
#| export
def bytes_moved(call):
    """Count the bytes that one watched call reads and writes, each number once.

    It reads the arrays in `call.inputs` and `call.saved`, and writes those in `call.result`
    whose owner it has not read; an array object that is there twice counts once. Arrays of
    one owner count as the sum of their nbytes, but never as more than the owner's nbytes.

    Args:
        call: a Call, while its arrays are there. What is no np.ndarray moves nothing.

    Returns:
        The number of bytes, a Python int; 0 for a module, which only calls operations, and 0
        for a call whose results are all views or no arrays.

    >>> x, y = np.ones((2, 8), np.float32), np.ones((2, 8), np.float32)
    >>> bytes_moved(Call("forward", "Add", "", None, (x, 1.0), result=(y,)))
    128
    """

    ### BEGIN SOLUTION
    def by_owner(values):
        found = {}
        for array in {id(a): a for a in values if isinstance(a, np.ndarray)}.values():
            memory = owner(array)
            found[id(memory)] = min(found.get(id(memory), 0) + array.nbytes, memory.nbytes)
        return found

    if call.kind == "module":
        return 0
    read, results = by_owner((*call.inputs, *call.saved)), by_owner(call.result)
    written = [results[memory] for memory in results.keys() - read.keys()]
    return sum(read.values()) + sum(written) if written else 0
    ### END SOLUTION


# %% test="bytes-moved" points=6
def moved(run):
    """The name, kind and bytes of every call of an operation or a rule, in their order."""
    found = []
    with Watch(lambda call: found.append((call.name, call.kind, bytes_moved(call)))):
        run()
    return [(name, nbytes) for name, kind, nbytes in found if kind != "module"]


def check_moved(said, run, wanted):
    found = moved(run)
    assert found == wanted, f"{said}: (call, bytes) is {wanted}, not {found}"


def test_operands_are_read_and_results_are_written():
    x, y, bias = zeros(3, 4), zeros(4, 5), zeros(4)
    check_moved("(3, 4) @ (4, 5)", lambda: x @ y, [("MatMul", 48 + 80 + 60)])
    check_moved("(3, 4) + (4,), broadcast", lambda: x + bias, [("Add", 48 + 16 + 48)])
    check_moved("(3, 4) + a number", lambda: x + 2, [("Add", 48 + 48)])
    check_moved("a sum of (3, 4), of 4 bytes", lambda: x.sum(), [("Sum", 48 + 4)])
    for kind, nbytes in ((np.float16, 24), (np.float64, 96)):
        check_moved(
            f"exp of 12 {kind.__name__}", wrap(np.ones(12, kind)).exp, [("Exp", 2 * nbytes)]
        )


def test_views_move_nothing():
    x, bias = zeros(3, 4), zeros(4)
    for said, run in (
        ("transpose", lambda: x.transpose(0, 1)),
        ("reshape", lambda: x.reshape(2, 6)),
        ("a slice", lambda: x[1:, :2]),
        ("expand", lambda: bias.expand(3, 4)),
    ):
        found = moved(run)
        total = sum(nbytes for _, nbytes in found)
        assert total == 0, f"{said} returns a view, which moves 0 bytes: {found}"


def one_call(inputs, result, kind="forward", saved=()):
    return bytes_moved(Call(kind, "Planted", "", None, inputs, None, saved, result))


class Part(np.ndarray):
    """Views of it keep it as their base, so the memory's owner is two steps away."""


def test_memory_that_several_arrays_look_into_is_read_once():
    x, new = np.zeros((6, 4), np.float32), np.zeros((2, 4), np.float32)
    wide = np.broadcast_to(np.zeros(4, np.float32), (6, 4))
    for said, inputs, wanted in (
        ("an array, twice", (x, x), 96),
        ("an array and its transpose", (x, x.T), 96),
        ("an array and a slice of it", (x, x[:2]), 96),
        ("two slices of 32 bytes each of one array", (x[:2], x[4:]), 64),
        ("a slice of 32 bytes, twice", (x[:2],) * 2, 32),
        ("an array of 16 bytes, expanded to 6 x 4", (wide,), 16),
        ("an array of 96 bytes, another of 32", (x, np.ones((2, 4), np.float32)), 128),
        ("an array, numbers, None and a shape", (x, 3.0, np.float64(2), None, (6, 4)), 96),
        ("an array and rows of a view of it", (x, x.view(Part)[:2]), 96),
        ("an array in the memory of 64 `bytes`", (np.frombuffer(bytes(64), np.float32),), 64),
        ("a shape and a number", ((3, 4), 1.0), 0),
        ("an array and three integers of 8 bytes", (x, np.arange(3, dtype=np.int64)), 120),
        ("arrays of 96, 16 and 8 bytes", (x, np.ones(2), np.ones(1)), 120),
    ):
        found = one_call(inputs, (new,))
        assert found == wanted + 32, (
            f"{said}: {wanted} bytes are read and 32 written, {wanted + 32} in all, "
            f"not {found}"
        )


def test_only_new_memory_is_written():
    x, new, large = np.zeros((6, 4)), np.zeros(5), np.zeros((10, 10))
    for said, result, wanted in (
        ("two new arrays", (new, new.copy()), 192 + 40 + 40),
        ("a new array and a view of the input", (new, x[:1]), 192 + 40),
        ("a view of the input", (x.T,), 0),
        ("the input itself", (x,), 0),
        ("two rows of new memory", (large[:2],), 192 + 160),
        ("a new array, expanded", (np.broadcast_to(new, (8, 5)),), 192 + 40),
        ("one new array, twice", (new, new), 192 + 40),
        ("two rows of new memory, the same array twice", (large[:2],) * 2, 192 + 160),
        ("a new array and its transpose", (large, large.T), 192 + 800),
        ("None", (None,), 0),
    ):
        found = one_call((x,), result)
        assert found == wanted, (
            f"a call is given 192 bytes and returns {said}: {wanted} bytes move, not {found}"
        )
        assert isinstance(found, int), f"bytes are a Python int, not a {type(found).__name__}"
    found = one_call((x[:3],), (x[3:],))
    assert found == 0, (
        f"from one half of an array to a view of the other: 0 bytes, not {found}"
    )
    found = one_call((x[:1],), (new, x[1:]))
    assert found == 32 + 40, (
        "a call is given a row of 32 bytes, and returns 40 new bytes and a view of the other "
        f"rows: 72 bytes move, not {found}"
    )


def test_rules_read_what_forward_has_saved():
    grad, x, new = np.zeros(8, np.float32), np.zeros((3, 8), np.float32), np.zeros((3, 8))
    found = one_call((grad,), (new, None), "backward", (x, x[0]))
    assert found == 32 + 96 + 192, (
        f"a gradient of 32 bytes, 96 saved, 192 returned: 320 bytes, not {found}"
    )
    found = one_call((x,), (new,), "backward", (x, grad))
    assert found == 96 + 32 + 192, (
        "a rule is given an array of 96 bytes that forward has saved too, another of 32 is "
        f"saved, 192 bytes are returned: 320 bytes, not {found}"
    )
    found = one_call((grad,), (np.broadcast_to(grad, (3, 8)),), "backward", (x,))
    assert found == 0, f"a rule that only expands its gradient moves 0 bytes, not {found}"
    found = one_call((grad,), (new,), "backward", (x, np.ones(4), np.ones(1), x.T))
    assert found == 32 + 96 + 32 + 8 + 192, (
        "a gradient of 32 bytes; 96, 32 and 8 saved, the first of them twice; 192 returned: "
        f"360 bytes, not {found}"
    )
    found = one_call((x[0],), (new,), "backward", (x[1],))
    assert found == 32 + 32 + 192, (
        "a rule is given a row of 32 bytes, another row of the same array is saved, 192 bytes "
        f"are returned: 256 bytes, not {found}"
    )
    found = one_call((grad,), (x[:2],), "backward", (x,))
    assert found == 0, f"a rule that returns a view of what is saved: 0 bytes, not {found}"
    y = zeros(3, 4).requires_grad_(True).exp()
    check_moved("exp, backward", lambda: y.backward(ones(3, 4)), [("ExpBackward", 3 * 48)])


def test_modules_move_nothing_themselves():
    found = one_call((np.zeros(4),), (np.zeros(9),), "module")
    assert found == 0, f"a module only calls operations, so it moves 0 bytes, not {found}"


# %% [markdown]
# FLOPs and bytes of each call of a training step, and how many FLOPs there are for each byte:


# %%
def show_counts(call):
    if call.kind != "module":
        flops, nbytes = call_flops(call), bytes_moved(call)
        per_byte = flops / nbytes if nbytes else 0.0
        print(f"{call.name:24} {flops:9,} FLOPs {nbytes:8,} bytes {per_byte:7.2f} FLOPs/byte")


for rows in (32, 1):
    print(f"batch of {rows}")
    with Watch(show_counts):
        cross_entropy(net(images[:rows]), labels[:rows]).backward()

# %% [markdown]
# The weights have the same bytes for one image as for 32, and nearly all the bytes of a single image's products are
# weights: so such a product has hardly any FLOPs per byte. Section 7 shows what follows from that.
#
# ## 5. Where the time goes
#
# A recording is a list of *events*: a name, a start and an end, for each module, operation and rule. Events are nested:
# the block's time contains the attention's, which contains the product's. So if you add up the times of all events,
# most of the time is counted more than once.
#
# ```text
#   time ->    0    1    2    3    4    5    6    7    8    9   10
#   Block      |=================================================|   total 10, self 10 - 5 - 3 = 2
#     attn          |========================|                       total 5, self 5 - 2 = 3
#       MatMul           |=========|                                 total 2, self 2
#     mlp                                      |==============|      total 3, self 3
# ```
#
# An event's *self time* is its time minus that of the events that it called directly (deeper ones are already part of
# those). The self times of all events add up to the whole, so they can be compared.
#
# Events are listed in the order in which they began. Go through them and keep a stack of those that are still running:
# when an event begins, pop those that have ended; what is then on top is its caller.
#
# <details><summary>Hint 1</summary>Begin with each event's whole time, and subtract from the caller's when you find
# one.</details>
# <details><summary>Hint 2</summary>Keep the numbers of the running events in a list. An event on top has ended if its
# end is not after the start of the new one.</details>
# <details><summary>Hint 3</summary>For each event, three steps: pop the events that have ended; subtract the new
# event's time from the one that is then on top, if there is one; push the new event. Only the direct caller's time
# shrinks.</details>


# %% stub="self-times"
#| export
def self_times(spans):
    """Compute what each of several nested events took by itself.

    Args:
        spans: a list of (start, end) in the order in which the events began, an outer one
            before those inside it; any two of them are either nested or apart.

    Returns:
        A list: each event's time without those of the events directly inside it.

    >>> self_times([(0, 10), (1, 6), (2, 4), (6, 9)])
    [2, 3, 2, 3]
    """
    ### BEGIN SOLUTION
    own, running = [end - start for start, end in spans], []
    for number, (start, end) in enumerate(spans):
        while running and spans[running[-1]][1] <= start:
            running.pop()
        if running:
            own[running[-1]] -= end - start
        running.append(number)
    return own
    ### END SOLUTION


# %% test="self-times" points=6
def check_self_times(spans, wanted, said):
    before = list(spans)
    found = self_times(spans)
    assert spans == before, "the list of events must not be changed"
    assert isinstance(found, list), f"a list is wanted, not a {type(found).__name__}"
    said = f"{said}: events {before}, and one time for each, in this order"
    np.testing.assert_allclose(found, wanted, err_msg=said)


def test_events_that_are_apart_keep_their_times():
    check_self_times([(0, 2), (2, 5), (7, 8)], [2, 3, 1], "one after another")
    check_self_times([(1.5, 4.0)], [2.5], "a single event")
    assert list(self_times([])) == [], "no events, no times"


def test_only_direct_calls_are_taken_off():
    check_self_times(
        [(0, 100), (10, 90), (20, 80), (30, 40)], [20, 20, 50, 10], "each calls the next one"
    )


def test_several_calls_of_one_event():
    check_self_times([(0, 10), (1, 4), (5, 9)], [3, 3, 4], "two calls in one event")
    check_self_times([(0, 2), (3, 9), (4, 5)], [2, 5, 1], "a call in the second event")
    check_self_times(
        [(0, 20), (1, 5), (2, 3), (3, 4), (6, 10), (7, 9), (10, 19), (21, 24)],
        [3, 2, 1, 1, 2, 2, 9, 3],
        "calls of calls, and another event afterwards",
    )


def test_events_that_begin_or_end_together():
    check_self_times(
        [(0, 10), (0, 10), (0, 4), (4, 10)], [0, 0, 4, 6], "the outer comes first"
    )
    check_self_times([(0, 10), (0, 10), (0, 4)], [0, 6, 4], "the outer comes first")


def test_self_times_add_up():
    rng, spans = np.random.default_rng(0), []

    def grow(start, end, depth):
        spans.append((start, end))
        if depth:
            cuts = np.sort(rng.uniform(start, end, 2 * int(rng.integers(0, 4)))).tolist()
            for inner_start, inner_end in zip(cuts[::2], cuts[1::2]):
                grow(inner_start, inner_end, depth - 1)

    grow(0.0, 1.0, 5)
    total = sum(self_times(list(spans)))
    assert math.isclose(total, 1.0), (
        f"{len(spans)} events in one of 1 s: self times add up to 1, not {total}"
    )


# %% [markdown]
# ### From events to a table
#
# A step of the GPT has several hundred events. To be read they are grouped, by name or by module, and times, FLOPs and
# bytes of each group are added up (`group_events`, given). In such sums only self times may be compared, and
# `self_time` comes from your function.


# %%
#| export
@dataclass(eq=False)
class Event:
    """A piece of the timeline: an operation, a rule, a module, or a part that was marked."""

    name: str
    kind: str  # "forward", "backward", "module" or "record"
    module: str
    start: float  # seconds
    end: float
    shapes: tuple = ()
    flops: int = 0
    bytes: int = 0  # read and written, at least
    memory: int = 0  # bytes that are there afterwards and were not before
    self_time: float = 0.0
    self_memory: int = 0

    @property
    def time(self):
        """Seconds from its start to its end."""
        return self.end - self.start


# %% [markdown]
# ### A timeline in the browser
#
# A table says how much, and a timeline says when. PyTorch writes timelines in Chrome's trace format;
# <https://ui.perfetto.dev> opens it, and so does `chrome://tracing`. It is JSON: a list of dicts, one for each event.
# `"ph": "X"` means a complete event, with a start `ts` and a duration `dur`, both in *microseconds* (Google, "Trace
# Event Format", 2016).
#
# ```text
#   {"name": "Affine", "cat": "forward", "ph": "X", "ts": 12.5, "dur": 340.0,
#    "pid": 1, "tid": 1, "args": {...}}
# ```
#
# The viewer nests events of the same process `pid` and thread `tid` by their times. It shows `args` when you click on
# an event.
#
# ### profile
#
# `profile` (given, in `tinytorch/given/profiling/sessions.py`) puts your functions together under the names of
# `torch.profiler`: a Watch makes an Event of each call, `self_times` and `group_events` make the tables, `trace_event`
# the file. `record_function("name")` marks a part of your own program, so that it becomes an event too. Record two
# steps of training.


# %%
#| export
from tinytorch.given.profiling.tables import *
from tinytorch.given.profiling.sessions import *
from tinytorch.given.profiling.counting import *
from tinytorch.given.profiling.drawing import *


# %%
optimizer = AdamW(gpt.parameters(), lr=1e-3)


def gpt_step():
    with record_function("forward"):
        loss = next_token_loss(gpt(tokens), tokens)
    with record_function("backward"):
        loss.backward()
    with record_function("optimizer"):
        optimizer.step()
        optimizer.zero_grad()


gpt_step()  # to warm up
with profile(record_shapes=True, with_flops=True) as prof:
    for _ in range(2):
        gpt_step()
print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=12))

# %% [markdown]
# Read the table from the top. Most of the self time is in a handful of rows: products of matrices (`Affine` forward,
# `AffineBackward` backward) and attention. `backward` and `forward` have a large total and a small self time: what they
# contain is in the other rows. (`AffineBackward` is the gradient rule of `Affine`.)
#
# The same events by module, with forward and backward apart. A module's line contains what is below it.


# %%
print(prof.by_module(depth=4))

# %% [markdown]
# The blocks do the same work, so they cost about the same; the differences are noise. The head, one product with the
# token table, has a line of its own: it is the cost of the vocabulary.
#
# Now the timeline, drawn here from the trace file. The file itself is for the viewer.


# %%
file = Path(tempfile.mkdtemp()) / "gpt.json"
prof.export_chrome_trace(file)
trace = json.loads(file.read_text())["traceEvents"]
print(f"{len(trace)} events, {file.stat().st_size:,} bytes")
draw_timeline(trace, depth=5)

# %% [markdown]
# Two steps. In each the forward pass with its three blocks, then the backward pass, and at the end the optimizer, which
# runs none of the watched operations: it computes on arrays directly.
#
# ## 6. Memory
#
# A slow machine only takes longer; a machine that runs out of memory stops. Two numbers matter: the *peak*, the most
# that was in use at any moment, which decides whether the program runs at all; and the *live* bytes, which are still in
# use afterwards.
#
# NumPy reports what it takes to Python's `tracemalloc`. `tracemalloc.get_traced_memory()` returns two numbers, the
# bytes in use now and the peak so far, both counted since `start()`; `reset_peak()` sets the peak to the current
# amount. Memory that was in use before the call must not count, so both results are differences: `live` is less than 0
# where more is given back than taken.
#
# ```text
#   bytes |          _                        peak: the most while it ran, less what was there
#         |        _| |__
#         |      _|      |______              live: what is left, while the result is held
#         |_____|
#         +------------------------> time
# ```
#
# Three details matter. Afterwards tracing is on if it was on before the call, and else off, even if `run` raises.
# `gc.collect()` frees old garbage: call it before you note what is in use, or not at all. And keep a reference to the
# result of `run` until you have read the numbers, or its memory is freed first.


# %%
#| export
@dataclass(frozen=True)
class Memory:
    """Bytes: the most in use at one time, and what is still in use afterwards."""

    peak: int
    live: int


# %% [markdown]
# <details><summary>Hint 1</summary><code>tracemalloc.is_tracing()</code>, before you start, says whether it is up to
# you to stop the tracing.</details>
# <details><summary>Hint 2</summary>The order: start if need be, <code>gc.collect()</code>, reset the peak, note the
# bytes in use, run, read both numbers while the result has a name, stop.</details>
# <details><summary>Hint 3</summary><code>try: ... finally:</code> stops the tracing even if <code>run</code> raises.
# The result: <code>Memory(peak - before, live - before)</code>.</details>


# %% stub="trace-memory"
#| export
def trace_memory(run):
    """Measure the memory that a call of `run` takes, beyond what is in use already.

    Args:
        run: a function without arguments, called once.

    Returns:
        A Memory: the peak while it ran, and what is live after it, its result included.
        Tracing is on afterwards if and only if it was on before, even if `run` raises.

    >>> memory = trace_memory(lambda: np.zeros(1000) + np.zeros(1000))
    >>> memory.peak >= 16000, 8000 <= memory.live < 16000
    (True, True)
    """
    ### BEGIN SOLUTION
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        gc.collect()
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        result = run()  # noqa: F841 (held until the numbers are read)
        live, peak = tracemalloc.get_traced_memory()
    finally:
        if not was_tracing:
            tracemalloc.stop()
    return Memory(peak - before, live - before)
    ### END SOLUTION


# %% test="trace-memory" points=6
MB = 1_000_000


def about(found, wanted, said):
    near = wanted - 50_000 < found < wanted + 50_000
    assert near, f"{said}: about {wanted / MB:.2f} MB, not {found / MB:.2f}"


def test_the_peak_and_what_is_live():
    def run():
        first, second = np.zeros(3 * MB, np.uint8), np.zeros(2 * MB, np.uint8)
        return first[:1].copy(), second

    found = trace_memory(run)
    about(found.peak, 5 * MB, "peak: arrays of 3 MB and 2 MB at a time")
    about(found.live, 2 * MB, "live: the array of 2 MB is returned, and still there")


def test_what_was_there_before_does_not_count():
    tracemalloc.start()
    try:
        held = np.zeros(4 * MB, np.uint8)
        large = np.zeros(9 * MB, np.uint8)
        del large  # an earlier peak
        found = trace_memory(lambda: np.zeros(1 * MB, np.uint8).max())
        assert tracemalloc.is_tracing(), "tracing was on before, so it must stay on"
    finally:
        tracemalloc.stop()
    said = f"{held.nbytes / MB:.0f} MB held, 9 MB taken and given back before the call, which"
    about(found.peak, 1 * MB, f"peak: {said} takes 1 MB")
    about(found.live, 0, f"live: {said} leaves nothing")


def test_the_function_is_called_once():
    calls = []
    trace_memory(lambda: calls.append(1))
    assert len(calls) == 1, f"`run` is called once, not {len(calls)} times"


def test_memory_that_is_given_back():
    held = [np.zeros(2 * MB, np.uint8)]
    tracemalloc.start()
    try:
        held[0] = np.zeros(2 * MB, np.uint8)
        found = trace_memory(held.clear)
    finally:
        tracemalloc.stop()
    about(found.live, -2 * MB, "live: the call gives back 2 MB that were traced before it")


def test_garbage_counts_if_it_is_not_from_before():
    def leave_a_ring():
        ring = [np.zeros(2 * MB, np.uint8)]
        ring.append(ring)

    gc.disable()
    tracemalloc.start()
    try:
        leave_a_ring()
        found = trace_memory(lambda: None)
        left = trace_memory(leave_a_ring)
    finally:
        tracemalloc.stop()
        gc.enable()
    about(found.live, 0, "live: 2 MB are garbage before the call, which takes nothing")
    about(found.peak, 0, "peak: 2 MB are garbage before the call, which takes nothing")
    about(left.live, 2 * MB, "live: 2 MB that the call leaves as garbage, not yet collected")


def test_a_measurement_in_a_measurement():
    held = []

    def run():
        held.append(np.zeros(2 * MB, np.uint8))
        trace_memory(lambda: None)

    about(trace_memory(run).live, 2 * MB, "live: 2 MB taken, and another measurement made")


def test_the_tracing_is_ended():
    trace_memory(lambda: None)
    assert not tracemalloc.is_tracing(), "tracing was off before, so it must be off again"
    for raised in (ZeroDivisionError, KeyboardInterrupt):

        def run(raised=raised):
            raise raised

        try:
            trace_memory(run)
        except raised:
            on, said = tracemalloc.is_tracing(), raised.__name__
            tracemalloc.stop()
            assert not on, f"tracing must be off again even if the run raised {said}"
        else:
            raise AssertionError("an error of the run is passed on")
    tracemalloc.start()
    try:
        trace_memory(lambda: 1 / 0)
    except ZeroDivisionError:
        on = tracemalloc.is_tracing()
        assert on, "tracing was on before, so it must stay on even if the run raised"
    finally:
        tracemalloc.stop()


# %%
#| export
def peak_memory(run):
    """The most bytes that a call of `run` takes at a time, beyond what is there already."""
    return trace_memory(run).peak


# %% [markdown]
# Now the GPT, whose parameters take 1.4 MB. **Predict:** how many times that much is in use at the peak of one training
# step, for 16 texts of 64 tokens? Write a number into the next cell. Predictions are shown beside what was measured,
# and never graded.


# %%
predicted_peak = None  # times the parameters' bytes; a number


# %%
def forward_only():
    return gpt(tokens)


def whole_step():
    next_token_loss(gpt(tokens), tokens).backward()


gpt.zero_grad()
print(f"parameters {memory_footprint(gpt) / 1e6:5.1f} MB")
for run in (forward_only, whole_step):
    found = trace_memory(run)
    print(
        f"{run.__name__:12} peak {found.peak / 1e6:5.1f} MB, live {found.live / 1e6:5.1f} MB"
    )
compare(predicted_peak, found.peak / memory_footprint(gpt), "times")

# %% [markdown]
# The parameters are the smallest number here. After `forward_only` nearly everything is still live: the logits hold the
# graph, and the graph holds what every operation has saved for its gradient. After the whole step the graph is gone,
# and the gradients are left, which take as many bytes as the parameters. So what training saves for backward takes far
# more memory than the model itself, and it grows with the batch.
#
# ## 7. Arithmetic or memory
#
# A processor does two things at once: it computes, and it fetches numbers. An operation is finished when both are done.
# Its speed is limited by whichever takes longer, and that depends on how much it computes per byte that it fetches, its
# *arithmetic intensity*:
#
# $$I = \frac{\mathrm{FLOPs}}{\mathrm{bytes}}, \qquad \mathrm{attainable} = \min(\text{peak FLOP/s},\; I \cdot \text{bytes/s})$$
#
# Drawn over $I$ this is a slope and a ceiling, the *roofline* (Williams, Waterman and Patterson, "Roofline", CACM 52,
# 2009). The edge between them is the machine's *balance*, peak FLOP/s divided by bytes/s. To its left an operation is
# memory-bound: faster arithmetic would change nothing. To its right it is compute-bound.
#
# A sum of two arrays reads two numbers and writes one, 12 bytes, for one addition. A product of two $n \times n$
# matrices has $2n^3$ FLOPs on $12 n^2$ bytes, an intensity of $n / 6$: products of large matrices are compute-bound,
# products of small ones are not.
#
# Both numbers of your machine are measured: the first with a large product of matrices, the operation that comes
# closest to the peak, the second with a large copy, which reads and writes every byte. Disturbances make a run slower,
# so the fastest of several runs counts.


# %%
#| export
@dataclass(frozen=True)
class Machine:
    """How fast a machine computes, and how fast it moves bytes."""

    flops_per_second: float
    bytes_per_second: float

    @property
    def balance(self):
        """FLOPs for each byte at which computing and fetching take equally long."""
        return self.flops_per_second / self.bytes_per_second


# %% [markdown]
# <details><summary>Hint 1</summary>Create all arrays before you measure, so that their creation is not timed, and fill
# the one that is copied. <code>np.matmul(a, b, out=c)</code> and <code>np.copyto(target, source)</code> take no new
# memory.</details>
# <details><summary>Hint 2</summary><code>measure(lambda: ...).minimum</code> gives seconds. The product has 2 n³
# FLOPs.</details>
# <details><summary>Hint 3</summary>A copy of an array moves <code>2 * source.nbytes</code>: each byte is read and
# written.</details>


# %% stub="measure-machine"
#| export
def measure_machine(n=1024, nbytes=64_000_000, measure=measure_latency):
    """Measure how fast this machine computes and moves bytes, in float32.

    Args:
        n: the timed product is of (n, n) matrices, not `a @ a.T`, half of which NumPy skips.
        nbytes: the size of the array that is copied: much larger than the caches. Fill it with
            numbers other than 0: pages nobody wrote are all one page of zeros, in the cache.
        measure: called with nothing but a function without arguments; returns a Latency, whose
            minimum counts. The product is measured first, then the copy.

    Returns:
        A Machine. A copy moves each of its bytes twice, once in and once out. The target array
        exists already: new memory would have to come from the system, page by page.
    """
    ### BEGIN SOLUTION
    a = np.ones((n, n), np.float32)
    product, source = np.empty_like(a), np.ones(nbytes // 4, np.float32)
    target = source.copy()
    computing = measure(lambda: np.matmul(a, a, out=product)).minimum
    copying = measure(lambda: np.copyto(target, source)).minimum
    return Machine(2 * n**3 / computing, 2 * source.nbytes / copying)
    ### END SOLUTION


# %% test="measure-machine" points=4
def by_a_given_latency(n, nbytes, seconds):
    """The machine if measurements have these minima, and the sizes of the arrays of each."""
    sizes = []

    def measure(run, *more, **options):
        assert callable(run), "`measure` is called with a function, not with what one returns"
        only = not more and not options
        assert only, (
            "`measure` may take nothing but the function: it is called with that alone"
        )
        run()
        sizes.append(sorted({a.nbytes for a in arrays_of_a_function(run)}))
        least = seconds[len(sizes) % 2 - 1]
        times = 9.0 * least, least, 5.0 * least
        return Latency(5.0 * least, 9.0 * least, 3.0 * least, least, times)

    return measure_machine(n, nbytes, measure), sizes


def test_speeds_are_amounts_over_seconds():
    for n, nbytes, seconds in ((16, 4096, (0.5, 0.25)), (48, 80_000, (2.0, 3.0))):
        found, sizes = by_a_given_latency(n, nbytes, seconds)
        assert len(sizes) == 2, (
            "the function passed as `measure` is called twice, with the product and with the "
            f"copy, but here it was called {len(sizes)} times"
        )
        wanted = 2 * n**3 / seconds[0], 2 * nbytes / seconds[1]
        said = f"n={n}, nbytes={nbytes}: the"
        assert math.isclose(found.flops_per_second, wanted[0]), (
            f"{said} first measurement, of the product, has the minimum {seconds[0]} s: "
            f"{wanted[0]} FLOP/s, not {found.flops_per_second}"
        )
        assert math.isclose(found.bytes_per_second, wanted[1]), (
            f"{said} copy, of arrays of {sizes[1]} bytes, takes {seconds[1]} s, and reads and "
            f"writes each byte: {wanted[1]:.6g} bytes/s, not {found.bytes_per_second:.6g}"
        )


def peak_of(run, *args):
    """The most bytes that a call had in use at one time."""
    tracemalloc.start()
    run(*args)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def while_it_measures(n, nbytes, look):
    """What `look(run)` gives for the product, and for the copy, that are measured."""
    found = []

    def measure(run):
        found.append(look(run))
        return Latency(1.0, 1.0, 1.0, 1.0, (1.0,))

    measure_machine(n, nbytes, measure)
    return found


def memory_of(run):
    """The bytes in use before a call, and the most that it takes beyond them."""
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    run()
    return before, tracemalloc.get_traced_memory()[1] - before


def types_of_matrices(run):
    """The types of all square matrices that a function uses."""
    arrays = arrays_of_a_function(run)
    return {a.dtype.name for a in arrays if a.ndim == 2 and a.shape[0] == a.shape[1]}


def test_arrays_are_float32_and_made_before():
    for n, nbytes in ((256, 4096), (16, 1_000_000)):
        tracemalloc.start()
        try:
            (there, product), (held, copy) = while_it_measures(n, nbytes, memory_of)
        finally:
            tracemalloc.stop()
        said, matrix = f"n={n}, nbytes={nbytes}:", 4 * n * n
        kinds, _ = while_it_measures(n, nbytes, types_of_matrices)
        assert kinds <= {"float32"}, f"{said} the product is of float32, not of {kinds}"
        assert there >= matrix, f"{said} no (n, n) matrix is there before the product is timed"
        assert product < matrix + 20_000, (
            f"{said} the product that is timed makes no new array but its float32 result: "
            f"{matrix:,} bytes, not {product:,}"
        )
        assert held >= 2 * nbytes, (
            f"{said} an array of {nbytes:,} bytes, and one that it is copied to, exist before "
            f"the copy is timed, but all arrays together have {held:,} bytes"
        )
        assert copy < 20_000, (
            f"{said} the copy that is timed goes into an array that exists already, and takes "
            f"no new memory, but it took {copy:,} bytes"
        )
        assert held < 10 * matrix + 4 * nbytes + 60_000, (
            f"{said} matrices of {matrix:,} bytes and two arrays of {nbytes:,} are enough, "
            f"but {held:,} bytes are in use"
        )


def arrays_of_a_function(run):
    """The arrays that a function can use, by its variables and the functions that it calls."""
    arrays, seen, todo = {}, set(), [run]
    while todo:
        value = todo.pop()
        if id(value) in seen or isinstance(value, (type, type(np))):
            continue
        seen.add(id(value))
        if isinstance(value, np.ndarray):
            arrays[id(value)] = value
        elif isinstance(value, type(peak_of)):
            names = [value.__globals__.get(name) for name in value.__code__.co_names]
            todo += [value.__closure__, value.__defaults__, value.__kwdefaults__, *names]
        else:
            todo += gc.get_referents(value)
    return list(arrays.values())


def filled(run, fits):
    """The arrays of a function that fit, filled with random numbers, and copies of them."""
    rng = np.random.default_rng(0)
    arrays = [a for a in arrays_of_a_function(run) if fits(a) and a.flags.writeable]
    for array in arrays:
        array[...] = rng.integers(1, 100, size=array.shape)
    return arrays, [a.copy() for a in arrays]


def copies(nbytes, run):
    """Whether a run copies an array of this size into another; None if that is not seen."""
    arrays = arrays_of_a_function(run)
    memory = sum({id(owner(a)): owner(a).nbytes for a in arrays}.values())
    if arrays and memory < 2 * nbytes:
        return False
    arrays, before = filled(run, lambda a: a.nbytes == nbytes)
    if len(arrays) < 2:
        return None
    run()
    return any(
        np.array_equal(after, old) and not np.shares_memory(after, source)
        for after in arrays
        for source, old in zip(arrays, before)
    )


def test_every_number_is_copied_into_another_array():
    for nbytes in (4096, 80_000):
        _, found = while_it_measures(16, nbytes, lambda run, size=nbytes: copies(size, run))
        assert found is not False, (
            f"nbytes={nbytes}: the copy that is timed puts all the numbers of an array of "
            f"{nbytes:,} bytes into another one of this size, but here it did not"
        )


def holds_numbers(nbytes, run):
    """Whether an array of this size is more than zeros after a run; None if none is seen."""
    run()
    arrays = [a for a in arrays_of_a_function(run) if a.nbytes == nbytes]
    return any(a.any() for a in arrays) if arrays else None


def test_what_is_copied_was_filled_before():
    _, found = while_it_measures(16, 4096, lambda run: holds_numbers(4096, run))
    assert found is not False, (
        "all that is copied are zeros: fill the array with ones, or the like, before. Pages "
        "of np.zeros that nobody has written are all one page, in the cache"
    )


def multiplies(n, run):
    """Whether a run makes a product of (n, n) arrays, or "half" of one; None if not seen."""
    arrays, before = filled(run, lambda a: a.shape == (n, n))
    result = run()
    results = [getattr(result, "array", result)]
    results += [a for a, old in zip(arrays, before) if not np.array_equal(a, old)]
    results = [a for a in results if isinstance(a, np.ndarray)]
    operands = [*before, *(a.T for a in before)]
    if not results or not operands:
        return None
    results = [a for a in results if a.shape == (n, n)]
    makes = lambda x, y: any(np.allclose(a, x @ y) for a in results)
    half = any(makes(x, x.T) for x in operands)
    return "half" if half else any(makes(x, y) for x in operands for y in operands)


def seconds_beside_a_product(n, run):
    """The least seconds of a run, and those of a product, timed in turn."""
    a, times = np.ones((n, n), np.float32), [[], []]
    for _ in range(20):
        for seconds, work in zip(times, (run, lambda: a @ a)):
            start = time.perf_counter()
            work()
            seconds.append(time.perf_counter() - start)
    return min(times[0]), min(times[1])


def test_the_product_that_is_timed_is_one_of_matrices():
    found, _ = while_it_measures(16, 4096, lambda run: multiplies(16, run))
    assert found != "half", (
        "n=16: of a matrix times its own transpose only one half is computed, and mirrored"
    )
    assert found is not False, (
        "n=16: what the product that is timed returns, or writes into an array, is not the "
        "product of two of its (16, 16) matrices"
    )
    if found is None:  # its result is not kept
        (took, least), _ = while_it_measures(
            384, 4096, lambda run: seconds_beside_a_product(384, run)
        )
        assert took > least / 5, (
            f"n=384: what is timed as the product takes {took * 1e3:.4f} ms, but a product of "
            f"(384, 384) matrices {least * 1e3:.4f} ms: does it do less?"
        )


def test_a_real_machine():
    found = measure_machine(256, 4_000_000)
    assert 1e8 < found.flops_per_second < 1e15, (
        f"{found.flops_per_second:.1e} FLOP/s is no computer"
    )
    assert 1e8 < found.bytes_per_second < 1e14, (
        f"{found.bytes_per_second:.1e} bytes/s is no computer"
    )


# %%
machine = measure_machine()
print(
    f"{machine.flops_per_second / 1e9:.1f} GFLOP/s, "
    f"{machine.bytes_per_second / 1e9:.1f} GB/s, "
    f"balance {machine.balance:.1f} FLOPs for each byte"
)

# %% [markdown]
# Now the verdict.


# %%
#| export
@dataclass(frozen=True)
class Verdict:
    """What limits an operation on a machine, and the FLOP/s that it could reach."""

    bound: str  # "compute" or "memory"
    intensity: float
    attainable: float


# %% [markdown]
# <details><summary>Hint 1</summary>Compare two times: the one that computing would take, and the one that fetching
# would take. The longer one limits.</details>
# <details><summary>Hint 2</summary>With no bytes at all the intensity is infinite, and only computing can
# limit.</details>
# <details><summary>Hint 3</summary>It is memory-bound if the intensity is below <code>machine.balance</code>; what is
# attainable is the smaller of the two speeds.</details>


# %% stub="roofline"
#| export
def roofline(flops, nbytes, machine):
    """Say whether arithmetic or memory limits an operation, and how fast it could be.

    Args:
        flops: its floating point operations, perhaps 0.
        nbytes: the bytes that it reads and writes; with 0 bytes memory is no limit.
        machine: a Machine.

    Returns:
        A Verdict: "memory" where fetching takes longer than computing, else "compute"; FLOPs
        for each byte, infinite for 0 bytes; and min(peak, intensity * bytes per second).

    >>> roofline(1000, 500, Machine(flops_per_second=100.0, bytes_per_second=10.0))
    Verdict(bound='memory', intensity=2.0, attainable=20.0)
    """
    ### BEGIN SOLUTION
    intensity = flops / nbytes if nbytes else math.inf
    bound = "memory" if intensity < machine.balance else "compute"
    attainable = min(machine.flops_per_second, intensity * machine.bytes_per_second)
    return Verdict(bound, intensity, attainable)
    ### END SOLUTION


# %% test="roofline" points=4
def test_on_both_sides_of_the_balance():
    for peak, bandwidth in ((100.0, 10.0), (6e10, 2e10)):
        machine = Machine(peak, bandwidth)  # balance 10, balance 3
        for factor, bound in (
            (0.0123, "memory"),
            (0.9, "memory"),
            (1.0, "compute"),
            (1.1, "compute"),
            (50, "compute"),
        ):
            nbytes = 4000
            flops = factor * machine.balance * nbytes
            wanted = min(peak, flops / nbytes * bandwidth)
            found = roofline(flops, nbytes, machine)
            said = f"{flops:g} FLOPs on {nbytes} bytes, balance {machine.balance:g}"
            assert math.isclose(found.intensity, flops / nbytes), (
                f"{said}: an intensity of {flops / nbytes:g}, not {found.intensity:g}"
            )
            assert found.bound == bound, f"{said}: bound by {bound}, not {found.bound}"
            assert math.isclose(found.attainable, wanted), (
                f"{said}: {wanted:g} FLOP/s are attainable, not {found.attainable:g}"
            )


def test_nothing_to_compute_and_nothing_to_fetch():
    machine = Machine(100.0, 10.0)
    found = roofline(0, 80, machine)
    assert (found.bound, found.intensity, found.attainable) == ("memory", 0, 0), (
        f"a copy has no FLOPs: memory limits it, and its FLOP/s are 0, not {found}"
    )
    for flops in (80, 0):
        found = roofline(flops, 0, machine)
        wanted = ("compute", math.inf, 100.0)
        assert (found.bound, found.intensity, found.attainable) == wanted, (
            f"{flops} FLOPs without bytes: compute-bound, of infinite intensity, and the peak "
            f"is attainable, not {found}"
        )


# %% [markdown]
# `verdicts` (given) passes the sums of your two counts, `call_flops` and `bytes_moved`, to `roofline` for each
# operation of a recorded profile. For the two steps of the GPT:


# %%
#| export
from tinytorch.given.profiling.binding import *


# %%
print(verdicts(prof, machine, row_limit=9))
draw_roofline(machine, prof)

# %% [markdown]
# The products have many FLOPs per byte. For everything else, norms, activations, additions, no FLOPs are counted: the
# table says "memory" for all of it, and the picture leaves it out. That is true of an addition. For a `tanh` or an
# `exp`, which take many instructions per number, it is a limit of the counting: the column GB/s shows how far such an
# operation is from the speed of a copy. A point below the roof is slower than it could be: its arrays are small and the
# time goes into calls, or it makes several passes over memory where one would do. Both are the subject of module 17. A
# point can also lie above the roof: its arrays were still in the cache, which is faster than memory, or the machine was
# disturbed while you measured its speed.
#
# ## 8. Three faults
#
# In each of the next three examples, something is wrong with a model, and your tools find it. The program at the end of
# the lesson is yours to fix.
#
# ### Backward gives NaN
#
# A network classifies by distance: it has a *prototype* for each class, and scores a vector by how near it is to each
# of them. It starts, as is usual, from prototypes that are vectors of real samples. The loss looks healthy, but after
# the first step all weights are NaN.


# %%
#| export
def show_call(call):
    """One line about a Call: what it is, where, and on which shapes."""
    shapes = ", ".join(str(tuple(s)) for s in call.shapes if s is not None)
    return f"{call.kind} of {call.name} in {call.module or 'no module'}, on {shapes}"


# %%
class Distances(Module):
    """Minus the Euclidean distance of each vector (B, C) to each prototype (K, C)."""

    eps = 0.0

    def __init__(self, prototypes):
        super().__init__()
        self.prototypes = Parameter(prototypes)

    def forward(self, x):
        apart = x.unsqueeze(1) - self.prototypes  # (B, K, C)
        return -((apart * apart).sum(dim=-1) + self.eps).sqrt()


manual_seed(0)
hidden = Sequential(Linear(64, 16), ReLU())
classifier = Sequential(hidden, Distances(hidden(images[:10]).detach()))


def classifier_step():
    classifier.zero_grad()
    loss = cross_entropy(classifier(images), labels)
    loss.backward()
    return loss


loss = classifier_step()
bad = [name for name, p in classifier.named_parameters() if np.isnan(p.grad.numpy()).any()]
print(f"loss {loss.item():.3f}; gradients with NaN: {', '.join(bad)}")

# %% [markdown]
# A NaN spreads: whatever is computed from a NaN is NaN. At the end nearly everything is spoiled, and looking at the
# parameters tells you nothing. What you need is the *first* call that received only good numbers and returned a bad
# one.
#
# What is bad? In forward a NaN; an infinity can be intended there, as in a mask of $-\infty$. In backward an infinity
# is bad too: no one ever wants an infinite gradient, and multiplied by zero it becomes a NaN in the next rule. Two
# given functions look at a call's arrays while they exist, that is, while `seen(call)` runs: `received_bad(call)` says
# whether such a number is in its inputs (or a NaN in what forward has saved for it), and `returned_bad(call)` whether
# one is in its result. Ignore modules: they only call operations, and their parameters are not among their inputs.
#
# <details><summary>Hint 1</summary>Write a function <code>seen(call)</code> for a Watch, and decide in it: when the
# block has ended, the calls have lost their arrays, and nothing bad is found in them.</details>
# <details><summary>Hint 2</summary>The first call that is found is the answer: append to a list only while it is empty.
# Skip calls of kind "module".</details>
# <details><summary>Hint 3</summary><code>returned_bad(call)</code> without <code>received_bad(call)</code> is the call
# that made it. Keep the line, <code>show_call(call)</code>, not the call itself.</details>


# %% stub="find-nan"
#| export
def find_nan(run):
    """Find the first operation or gradient rule that makes a NaN, or an infinite gradient.

    Args:
        run: a function without arguments, such as a step of training; errors are passed on.

    Returns:
        `show_call(call)` of the first call of kind "forward" or "backward" that received
        nothing bad and returned something bad; None if there is none.
    """
    ### BEGIN SOLUTION
    found = []

    def seen(call):
        made_here = returned_bad(call) and not received_bad(call)
        if made_here and call.kind != "module" and not found:
            found.append(show_call(call))

    with Watch(seen):
        run()
    return found[0] if found else None
    ### END SOLUTION


# %% test="find-nan" points=6
class Steps(Module):
    """Apply a function, as a module of its own."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def gradient_of(function, *numbers):
    x = tensor(list(numbers), requires_grad=True)
    return lambda: Steps(function)(x).sum().backward()


def line_found(run):
    """What find_nan answers for a run, which is a line of text or None."""
    found = find_nan(run)
    assert found is None or isinstance(found, str), (
        f"what show_call(call) gives is wanted, a str, or None, not a {type(found).__name__}"
    )
    return found


def test_the_function_runs_once_and_is_watched():
    runs, before = [], sys.getprofile()
    find_nan(lambda: runs.append(sys.getprofile()))
    assert len(runs) == 1, f"a step of training must run once, not {len(runs)} times"
    assert runs[0] != before, "nobody watches while `run` runs: call it in the with block"


def test_a_good_run_has_none():
    for function in (lambda x: (x * x).exp(), lambda x: x.masked_fill(x > 0, -math.inf).exp()):
        found = line_found(gradient_of(function, 0.0, 1.0))
        assert found is None, f"nothing is wrong here, but the answer is {found!r}"


def root_at_0():
    return gradient_of(lambda x: ((x * 2) * (x * 3)).sqrt() * 5, 0.0, 4.0)


def test_a_nan_that_forward_has_made():
    found = line_found(gradient_of(lambda x: (x - 1).log() * 2, 0.5, 2.0))
    assert {found, line_found(root_at_0())} != {None}, (
        "one run makes a NaN in forward, another an infinite gradient, but both answers are "
        "None: is what was found kept, and returned?"
    )
    assert str(found).startswith("forward of Log in Steps"), (
        "the log of -0.5 makes the first NaN, whose line begins 'forward of Log in Steps', "
        f"but the answer is {found!r}"
    )


def test_the_rule_that_gives_infinity_comes_before_those_that_give_nan():
    found = line_found(root_at_0())
    assert str(found).startswith("backward of SqrtBackward in Steps"), (
        f"the slope of sqrt at 0 is infinite, so its rule is the first bad call, not {found!r}"
    )


def test_what_was_given_a_nan_is_not_to_blame():
    x = tensor([math.nan, 1.0], requires_grad=True)
    found = find_nan(lambda: (x * 2).exp().sum().backward())
    assert found is None, (
        f"the NaN was there before the run, so no call made it, but the answer is {found!r}"
    )
    layer = Linear(2, 3)
    layer.weight.array[1, 0] = math.nan
    found = find_nan(lambda: layer(tensor([[1.0, 2.0]])).sum().backward())
    assert found is None, (
        f"the NaN was in a weight, so no call made it, but the answer is {found!r}"
    )
    x = tensor([1.0, 2.0], requires_grad=True)
    found = find_nan(lambda: (x * 3).backward(tensor([math.inf, 1.0])))
    assert found is None, (
        f"the infinite gradient was given, so no rule made it, but the answer is {found!r}"
    )
    found = find_nan(lambda: (tensor([math.nan]) * 2, tensor([-1.0]).log()))
    assert str(found).startswith("forward of Log"), (
        "a product is given a NaN, which it did not make; then the log of -1 makes one and is "
        f"wanted, but the answer is {found!r}"
    )


def test_infinities_that_forward_is_given_are_not_bad():
    found = find_nan(lambda: (tensor([1.0]) / zeros(1)).exp().log().cos())
    assert str(found).startswith("forward of Cos"), (
        f"infinities are right until cos makes a NaN of one, but the answer is {found!r}"
    )
    found = find_nan(gradient_of(lambda x: (x * 1000).exp(), 1.0))
    assert str(found).startswith("backward of ExpBackward"), (
        "exp gives infinity in forward, and saves it; its rule makes the first infinite "
        f"gradient of it, but the answer is {found!r}"
    )


def test_the_whole_line_about_the_call():
    found = find_nan(lambda: tensor([1.0, -1.0]).log())
    wanted = "forward of Log in no module, on (2,)"
    assert found == wanted, (
        f"{wanted!r} is wanted, not {found!r}: a call is described while `seen` runs, for its "
        "arrays are gone afterwards"
    )


def test_the_first_of_two():
    found = find_nan(gradient_of(lambda x: x.sqrt() + x.log().exp(), 0.0, 1.0))
    assert isinstance(found, str), f"show_call(call), a line of text, is wanted, not {found!r}"
    assert found.startswith("backward of LogBackward"), (
        f"the rules run backwards, and that of log comes before that of sqrt: {found!r}"
    )


def test_nobody_watches_afterwards():
    check_that_watching_ends(find_nan)


# %%
print(find_nan(classifier_step))

# %% [markdown]
# The root of 0. Ten of the images *are* prototypes, so their distance is exactly 0. There the slope of a square root,
# $1 / (2\sqrt{0})$, is infinite, and the next rule multiplies it by $2 \cdot 0$, which gives NaN. Forward shows nothing
# of this. The usual remedy is to keep the argument of the root away from 0.


# %%
Distances.eps = 1e-6
loss = classifier_step()
print(f"loss {loss.item():.3f}; first bad call: {find_nan(classifier_step)}")

# %% [markdown]
# ### The model is memory-bound
#
# A service answers requests, one vector at a time, with a network of wide layers. A colleague proposes to buy a machine
# with twice the FLOP/s. Would it help? **Predict** something else, too: with 64 requests at a time, how many times as
# many are answered in a second?


# %%
predicted_rows = None  # times as many rows a second; a number


# %%
wide = Sequential(Linear(2048, 2048), ReLU(), Linear(2048, 2048), ReLU(), Linear(2048, 2048))
wide.eval().requires_grad_(False)
one, many = randn(1, 2048), randn(64, 2048)

speeds = []
for rows in (one, many):
    wide(rows)
    with profile(with_flops=True) as prof:
        wide(rows)
    seconds = measure_latency(lambda rows=rows: wide(rows), repeats=10).minimum
    speeds.append(len(rows) / seconds)
    print(f"batch of {len(rows)}: {speeds[-1]:,.0f} rows a second")
    print(verdicts(prof, machine))
compare(predicted_rows, speeds[1] / speeds[0], "times")

# %% [markdown]
# For one row, each weight of 4 bytes is fetched for one multiplication and one addition: half a FLOP per byte, far to
# the left of the balance. Twice the FLOP/s would change nothing. With 64 rows at a time the same weights are fetched
# once for all of them, the intensity is some sixty times as large, and the same machine answers many more requests per
# second.
#
# This is why a server waits a moment and answers several requests together. What can be done for a single row? Move
# fewer bytes: module 15 stores a weight in one byte instead of four. A language model that writes one token at a time
# is memory-bound for the same reason; modules 15 and 18 deal with that.
#
# ### Training is slow
#
# A model is trained on digits that are shifted at random, and an epoch takes far longer than the model's own arithmetic
# would suggest. Before you look inside the model, check how much of the time it is working at all: a training loop
# alternates between waiting for a batch and computing on it.
#
# ```text
#   clock ->  |-- wait --|-- step --|-- wait --|-- step --|
#             ^          ^          ^
#             before     arrived    done, which is the next "before"
# ```
#
# <details><summary>Hint 1</summary>The waiting is what a <code>for</code> loop does before its body runs. Read the
# clock once before the loop, then at the beginning of the body and after the step.</details>
# <details><summary>Hint 2</summary>Keep two sums: waiting is the time from the end of one step to the arrival of the
# next batch; the rest is work.</details>
# <details><summary>Hint 3</summary>The reading after the step is where the next wait begins: keep it for the next pass
# of the loop.</details>


# %% stub="waiting-share"
#| export
def waiting_share(batches, step, clock=time.perf_counter):
    """Measure which part of a training loop's time is spent waiting for data.

    Args:
        batches: what the loop iterates over, such as a DataLoader; at least one batch.
        step: called with each batch.
        clock: what gives the time in seconds.

    Returns:
        Seconds of waiting, for `iter(batches)` and each batch, divided by those of waiting and
        stepping, between 0 and 1. The time after the last step, in which `batches` ends, may
        count as waiting, or not at all.
    """
    ### BEGIN SOLUTION
    waited = worked = 0.0
    before = clock()
    for batch in batches:
        arrived = clock()
        step(batch)
        done = clock()
        waited += arrived - before
        worked += done - arrived
        before = done
    return waited / (waited + worked)
    ### END SOLUTION


# %% test="waiting-share" points=5
def loop_of(waits, steps):
    """The share for waits and steps of exactly these seconds; what the steps were given."""
    now, given, read = [1e9], [], []

    def batches():
        for number, seconds in enumerate(waits, 1):
            now[0] += seconds
            yield number

    def step(batch):
        now[0] += steps[len(given)]
        given.append(batch)

    def clock():
        read.append(now[0])
        return now[0]

    found = waiting_share(batches(), step, clock)
    assert read, "the function passed as `clock` gives the time, but it was not called"
    return found, given


def test_the_share_of_waiting():
    for waits, steps in [
        ([1.0, 2.0, 6.0], [4.0, 1.0, 2.0]),
        ([3.0], [1.0]),
        ([1.0], [299.0]),
        ([10.0, 0.0, 0.0], [0.0, 1.0, 9.0]),
        ([0.0, 0.0], [1.0, 1.0]),
    ]:
        found, given = loop_of(waits, steps)
        wanted = sum(waits) / (sum(waits) + sum(steps))
        assert given == list(range(1, len(waits) + 1)), (
            f"each batch goes to a step, in order: {given}"
        )
        assert math.isclose(found, wanted, abs_tol=1e-12), (
            f"waiting {waits} s, steps of {steps} s: a share of {wanted:.4f}, not {found:.4f}"
        )


def test_what_it_takes_to_begin_is_waiting():
    now = [0.0]

    class Slow:
        def __iter__(self):
            now[0] += 3.0
            return iter([1])

    def step(batch):
        now[0] += 1.0

    found = waiting_share(Slow(), step, clock=lambda: now[0])
    assert found == 0.75, f"`iter(batches)` takes 3 s, the step 1 s: 0.75, not {found}"


def test_how_the_batches_end_is_no_work():
    now = [0.0]

    def batches():
        now[0] += 1.0
        yield 1
        now[0] += 10.0

    def step(batch):
        now[0] += 1.0

    found = waiting_share(batches(), step, clock=lambda: now[0])
    assert math.isclose(found, 1 / 2) or math.isclose(found, 11 / 12), (
        "1 s of waiting, a step of 1 s, 10 s until `batches` has ended: 1/2, or 11/12 with "
        f"that as waiting, not {found:.4f}"
    )


def test_a_batch_is_fetched_when_it_is_needed():
    done, before = [], []

    def batches():
        for number in (1, 2, 3):
            before.append(len(done))
            yield number

    waiting_share(batches(), done.append)
    assert before == [0, 1, 2], (
        f"three batches are fetched when they are needed, after 0, 1 and 2 steps, not {before}"
    )


def test_a_batch_may_be_anything():
    batches, given, seconds = [1, 0, None, "two"], [], iter(range(99))
    waiting_share(batches, given.append, clock=lambda: next(seconds))
    assert given == batches, f"each of the batches {batches} goes to a step, not only {given}"


def test_a_step_may_train():
    weight = tensor([1.0], requires_grad=True)
    waiting_share([1.0, 2.0], lambda batch: (weight * batch).sum().backward())
    found = weight.grad.tolist()
    assert found == [3.0], f"two steps compute gradients, [3.0] in all, not {found}"


def test_a_real_clock():
    def batches():
        for number in range(3):
            time.sleep(0.02)
            yield number

    found = waiting_share(batches(), lambda batch: None)
    assert found > 0.9, f"60 ms of waiting and no work: nearly 1, not {found:.3f}"


# %%
def shifted(image):
    """Shift an image (1, 8, 8) by up to one pixel, copying pixel by pixel."""
    down, right = randint(-1, 2, (2,)).tolist()
    moved = zeros(1, 8, 8)
    for row in range(8):
        for column in range(8):
            if 0 <= row - down < 8 and 0 <= column - right < 8:
                moved[0, row, column] = image[0, row - down, column - right]
    return moved


manual_seed(0)
model = LeNet(image_size=8)
optimizer = AdamW(model.parameters(), lr=0.003)


def step(batch):
    images, labels = batch
    optimizer.zero_grad()
    with record_function("forward"):
        loss = cross_entropy(model(images), labels)
    with record_function("backward"):
        loss.backward()
    with record_function("optimizer"):
        optimizer.step()


samples, classes = Digits().tensors()
few = TensorDataset(samples[:192], classes[:192])
slow = DataLoader(
    [(image, label) for image, label in few],
    batch_size=64,
    collate_fn=lambda pairs: (
        stack([shifted(i) for i, _ in pairs]),
        stack([c for _, c in pairs]),
    ),
)
step(next(iter(slow)))  # to warm up
start = time.perf_counter()
share = waiting_share(slow, step)
slow_epoch = time.perf_counter() - start
print(f"192 images: {slow_epoch:.2f} s, {share:.0%} of it waiting for data")

# %% [markdown]
# The model is idle nearly all the time, so a faster model would not help. What is the loader doing? Profile the loading
# of one batch.


# %%
with profile() as prof:
    next(iter(slow))
print(prof.key_averages().table(sort_by="count", row_limit=4))

# %% [markdown]
# Thousands of operations on single numbers for 64 images of 64 pixels each. Shift whole images instead: pad all of them
# with zeros at once, and cut one window out of each. **Predict** from the share of waiting: how many times shorter can
# the epoch become at most? (Each epoch is timed once, so what is measured can be a little off.)


# %%
def moved_together(pairs):
    """A batch of images, each shifted by up to one pixel: windows, all cut at once."""
    margin = np.pad(np.stack([i.numpy() for i, _ in pairs]), ((0, 0), (0, 0), (1, 1), (1, 1)))
    # (B, 1, 3, 3, 8, 8)
    windows = np.lib.stride_tricks.sliding_window_view(margin, (8, 8), (2, 3))
    down, right = randint(0, 3, (2, len(pairs))).numpy()
    return wrap(windows[np.arange(len(pairs)), :, down, right]), stack([c for _, c in pairs])


predicted_epoch = None  # times shorter; a number


# %%
quick = DataLoader([(i, c) for i, c in few], batch_size=64, collate_fn=moved_together)
start = time.perf_counter()
share = waiting_share(quick, step)
quick_epoch = time.perf_counter() - start
print(f"192 images: {quick_epoch:.2f} s, {share:.0%} of it waiting for data")
compare(predicted_epoch, slow_epoch / quick_epoch, "times")

# %% [markdown]
# Now the model takes most of the time, and only now is it worth looking inside it, as you did with the GPT. Before, a
# profile of the model would have been correct, detailed and useless. Where waiting cannot be shortened, it can be
# hidden: `DataLoader(num_workers=...)` prepares batches while the model computes.
#
# ## Systems: what watching costs
#
# An instrument that slows down what it measures ends up measuring itself. How much does watching cost? And does any of
# the cost remain afterwards?


# %%
pair = zeros(2)


def small_operations():
    x = pair
    for _ in range(1000):
        x = x + pair


code = Function.apply.__func__.__code__
print("1000 additions of two numbers, and a step of the GPT, in processor time")
for name, run, repeats in (("additions", small_operations, 5), ("step", gpt_step, 2)):
    cost = lambda run=run, n=repeats: measure_latency(run, 1, n, time.process_time).minimum
    off = cost()
    with Watch(lambda call: None):
        watching = cost()
    with profile(record_shapes=True, with_flops=True):
        profiling = cost()
    after = cost()
    print(
        f"{name:10} off {off * 1e3:6.2f} ms, watched {watching * 1e3:6.2f}, "
        f"profiled {profiling * 1e3:6.2f}, off again {after * 1e3:6.2f}"
    )
print("the same code as before:", Function.apply.__func__.__code__ is code, sys.getprofile())

# %% [markdown]
# Additions of two numbers take several times as long, because Python calls back at every function they pass through.
# Real work becomes only a little slower: a fixed cost per call is small where each call does much. So trust a profile's
# shares where events are long, be suspicious of rows of thousands of tiny events, and take totals from a run without a
# profiler. After the block no cost remains: the interpreter has no callback, and the functions were never replaced.
#
# ## Break it
#
# **A first run that does more.** The system provides the memory of a large new array page by page, when it is first
# written. Measured without warm-up, whichever candidate comes first pays for that.


# %%
array = np.empty(16_000_000, np.float32)
cold = measure_latency(lambda: array.fill(1), warmup=0, repeats=6)
print("ms, in their order:", [round(t * 1e3, 2) for t in cold.times])

# %% [markdown]
# **A mean that one interruption spoils.** Take thirty real times, and make one of them a tenth of a second longer, as
# if another program had interrupted it.


# %%
times = list(measure_latency(small_operations).times)
spoilt = [*times[:-1], times[-1] + 0.1]
print(f"mean   {np.mean(times) * 1e3:7.3f} ms, then {np.mean(spoilt) * 1e3:7.3f} ms")
print(f"median {np.median(times) * 1e3:7.3f} ms, then {np.median(spoilt) * 1e3:7.3f} ms")

# %% [markdown]
# **A loss that keeps everything alive.** To draw a curve, a program appends the loss of each step to a list. The loss
# is a tensor, and a tensor holds its graph.


# %%
def ten_losses(keep):
    return [keep(next_token_loss(gpt(tokens), tokens)) for _ in range(10)]


for name, keep in (
    ("losses.append(loss)", lambda loss: loss),
    ("loss.item()", lambda loss: loss.item()),
):
    found = trace_memory(lambda keep=keep: ten_losses(keep))
    print(f"{name:20} peak {found.peak / 1e6:6.1f} MB, live {found.live / 1e6:6.1f} MB")

# %% [markdown]
# After `backward` most of the graph would be freed, and the leak would be smaller; in an evaluation without `no_grad`,
# as here, all of it is kept. `live` shows it long before the machine runs out of memory.
#
# **Tracing memory while timing.** `tracemalloc` records every allocation that Python makes, which takes time. Do not
# time and trace in the same run.


# %%
plain = measure_latency(small_operations).median
tracemalloc.start()
traced = measure_latency(small_operations).median
tracemalloc.stop()
print(f"1000 additions: {plain * 1e3:.2f} ms, traced {traced * 1e3:.2f} ms")

# %% [markdown]
# ## In PyTorch
#
# ```python
# from torch.profiler import ProfilerActivity, profile, record_function
# from torch.utils.flop_counter import FlopCounterMode
#
# with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_flops=True) as prof:
#     with record_function("forward"):
#         loss = model(x).sum()
#     loss.backward()
# print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=10))
# prof.export_chrome_trace("trace.json")
#
# with FlopCounterMode(display=False) as counter:
#     model(x).sum().backward()
# print(counter.get_total_flops())
# ```
#
# Both run here with `tinytorch` in place of `torch`, the second by your formulas:


# %%
with FlopCounterMode(display=False) as counter:
    net(images).sum().backward()
print(
    counter.get_total_flops(),
    {k: sum(v.values()) for k, v in counter.get_flop_counts().items()},
)


# %% [markdown]
# PyTorch 2.13 also counts 1294336 for a `Sequential` of these two layers. It differs elsewhere: products with a vector
# (`mv`, `dot`) count 0 there, and so does fused attention on the CPU. On a GPU the processor only launches kernels and
# goes on, so PyTorch times them on the GPU.
#
# ## A program to fix
#
# This program trains a classifier of short sequences. An encoder, which was trained elsewhere and is not trained here,
# makes features of them, and a small head learns to classify these. Sequences have different lengths, so they are
# padded with vectors of zeros.


# %%
class UnitLength(Module):
    def forward(self, x):
        return x / (x * x).sum(dim=-1, keepdim=True).sqrt()


class Positions(Module):
    def __init__(self, most, width):
        super().__init__()
        self.most, self.width = most, width

    def forward(self, x):
        rates = (arange(0, self.width, 2) * (-math.log(10_000) / self.width)).exp()
        angles = arange(self.most).unsqueeze(1) * rates  # (most, width / 2)
        table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        return x + table[: x.shape[-2]]


def tune(encoder, head, batches, optimizer):
    losses = []
    for sequences, labels in batches:
        loss = cross_entropy(head(encoder(sequences)).mean(dim=1), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return float(np.mean(losses))


# %%
class Encoder(Sequential):
    """Features (B, T, 64) of sequences (B, T, 64)."""


class Head(Sequential):
    """Scores (B, T, 10) of features (B, T, 64)."""


def try_tuning(steps=20):
    manual_seed(0)
    encoder = Encoder(Linear(64, 256, bias=False), ReLU(), Linear(256, 64, bias=False))
    project, classify = Linear(64, 32, bias=False), Linear(32, 10)
    head = Head(project, UnitLength(), Positions(4096, 32), classify)
    sequences, labels = randn(8, 32, 64), randint(0, 10, (8,))
    sequences[:, 24:] = 0
    optimizer = AdamW(head.parameters(), lr=0.01)
    step = lambda: tune(encoder, head, [(sequences, labels)], optimizer)

    moved = []
    with Watch(lambda call: moved.append(bytes_moved(call))):
        head(encoder(sequences))
    forward = count_flops(lambda: head(encoder(sequences)))
    print(f"forward: {forward / 1e6:.1f} MFLOPs, {sum(moved) / 1e6:.1f} MB moved")
    print(f"a step has {count_flops(step) / forward:.2f} times the FLOPs of forward")
    losses = [step() for _ in range(steps)]
    print(f"loss at first {losses[0]:.2f}, after {steps} steps {losses[-1]:.2f}")


try_tuning()

# %% [markdown]
# No error is raised, and three things are wrong: the loss, the bytes, and the FLOPs of a step. A right program learns
# these eight sequences, moves under 2 MB forward, and its step has about 1.1 times the FLOPs of forward, because nearly
# all of the arithmetic is the encoder's. Find each fault with your tools: `find_nan`, a `profile` with `by_module` and
# `verdicts`, and `count_flops` or the FLOPs by module. Then write the corrected program here, under the same names, and
# call `try_tuning()` again.
#
# <details><summary>Hint 1</summary><code>print(find_nan(try_tuning))</code> names the first bad call. Ask it again
# after each change: behind a NaN of forward there can be an infinite gradient. The first fault of section 8 was of this
# kind.</details>
# <details><summary>Hint 2</summary>Record <code>try_tuning()</code> with <code>profile(with_flops=True)</code>. Which
# module takes much time without any FLOPs of products? How much of what it computes is used, and what of it differs
# from one call to the next? A buffer keeps what is computed once.</details>
# <details><summary>Hint 3</summary><code>by_module</code> has a column for backward. Which parameters does the
# optimizer hold, and for which ones are gradients computed? <code>call_flops</code> counts a product in backward for
# each operand that needs a gradient.</details>


# %% stub="mend-tuning"
#| export
class UnitLength(Module):
    """Scale each vector of an array (..., C) to length 1; vectors of zeros stay zero.

    In float32, vectors of lengths from 0.1 to 1e6 get length 1 to three digits; for these
    and for vectors of zeros the gradient of x is finite, if the result's is at most 1e6.
    """

    def forward(self, x):
        ### BEGIN SOLUTION
        return x / ((x * x).sum(dim=-1, keepdim=True) + 1e-12).sqrt()
        ### END SOLUTION


#| export
class Positions(Module):
    """Add sines and cosines of its position to each vector of sequences (..., T, C).

    To number 2i at position t it adds sin(t / 10000^(2i/C)), to number 2i + 1 the cosine of
    the same angle. All of them are computed once, for the longest sequence: a later call only
    adds the first T rows. Nothing here is trained.

    Args:
        most: the length of the longest sequence.
        width: C, an even number.
    """

    def __init__(self, most, width):
        super().__init__()
        ### BEGIN SOLUTION
        rates = (arange(0, width, 2) * (-math.log(10_000) / width)).exp()
        angles = arange(most).unsqueeze(1) * rates  # (most, width / 2)
        table = stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        self.register_buffer("table", table)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        return x + self.table[: x.shape[-2]]
        ### END SOLUTION


#| export
def tune(encoder, head, batches, optimizer):
    """Train a head by one pass over the batches, on the features of an encoder.

    The encoder is not trained, gets no gradients, and costs one forward pass for each batch.
    Its parameters may end up frozen, but none is unfrozen; the modes of both modules stay.

    Args:
        encoder: a module, from sequences (B, T, ...) to features (B, T, C).
        head: a module, from features to scores (B, T, classes); their mean over all T counts.
        batches: a list or a DataLoader of pairs, sequences and labels (B,).
        optimizer: of the head's parameters, whose gradients from before do not count.

    Returns:
        The mean of the batches' losses, each from before its step, as a float; a small batch
        counts as much as a large one.
    """
    ### BEGIN SOLUTION
    losses = []
    for sequences, labels in batches:
        with no_grad():
            features = encoder(sequences)
        loss = cross_entropy(head(features).mean(dim=1), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return float(np.mean(losses))
    ### END SOLUTION


# %% test="mend-tuning" points=8
def lengths_with_gradient(x, grad):
    """What UnitLength makes of x, and the gradient of x for a gradient of the result."""
    leaf = tensor(x, requires_grad=True)
    y = UnitLength()(leaf)
    y.backward(tensor(grad))
    return y.detach().numpy(), leaf.grad.numpy()


def test_vectors_get_length_one():
    rng = np.random.default_rng(0)
    x, grad = rng.standard_normal((2, 2, 5, 6)).astype(np.float32)
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    unit = x / length
    wanted = (grad - unit * (grad * unit).sum(-1, keepdims=True)) / length
    for scale in (1.0, 30.0, 0.1 / length.min(), 1e5):
        found, slope = lengths_with_gradient(np.float32(scale * x), grad)
        assert found.shape == x.shape, "the result has the shape of x"
        lengths = np.linalg.norm(found, axis=-1)
        far = np.abs(lengths - 1).argmax()
        near = abs(lengths.flat[far] - 1) < 3e-3
        assert near, (
            f"x{x.shape}: each of its 10 vectors gets length 1, but one of length "
            f"{scale * length.flat[far]:.2f} gets length {lengths.flat[far]:.3f}"
        )
        np.testing.assert_allclose(
            found, unit, atol=1e-3, err_msg=f"vectors of length {scale * length.min():.1f} up"
        )
        np.testing.assert_allclose(
            scale * slope,
            wanted,
            atol=1e-2,
            err_msg="the gradient of x for a random one of y; x counts in its length, too",
        )


def test_vectors_of_zeros_are_kept_and_have_a_finite_gradient():
    x = np.float32([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]])
    found, slope = lengths_with_gradient(x, np.float32([[1.0, 2.0]] * 3))
    wanted, about = (
        [[0.6, 0.8], [0, 0], [0, -1]],
        "vectors of length 5, 0 and 2, by their length",
    )
    np.testing.assert_allclose(found, wanted, atol=1e-3, err_msg=about)
    nothing = UnitLength()(zeros(2, 3)).numpy()
    np.testing.assert_array_equal(nothing, 0, err_msg="an array of zeros stays so")
    assert np.isfinite(slope).all(), (
        "the second of three vectors is zero, and the gradient must be finite: "
        f"{slope.tolist()}"
    )


def sines_and_cosines(T, C):
    angles = np.arange(T)[:, None] / 10_000 ** (np.arange(0, C, 2) / C)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(T, C)


def check_positions(found, x, err_msg):
    """Compare what was added to x with sines and cosines, and name what is wrong first."""
    assert found.shape == x.shape, f"{err_msg}: the result has the shape of x"
    added = found.detach().numpy().astype(float) - x
    wanted = sines_and_cosines(*x.shape[-2:])
    for *sequence, t, _ in np.argwhere(~np.isclose(added, wanted, rtol=0, atol=1e-4)).tolist():
        got, right = (a.round(3).tolist() for a in (added[(*sequence, t)], wanted[t]))
        raise AssertionError(f"{err_msg}: at position {t} {right} is added, not {got}")


def test_positions_are_added():
    for most, shape in ((7, (2, 7, 4)), (40, (3, 1, 5, 6)), (9, (3, 2))):
        x, layer = randn(*shape), Positions(most, shape[-1])
        before = x.numpy().copy()
        check_positions(layer(x), before, err_msg=f"x{shape}, at most {most} positions")
        np.testing.assert_array_equal(x.numpy(), before, err_msg="x belongs to the caller")
        kind = layer(x).dtype
        assert kind == x.dtype, f"float32 stays float32, and is not {kind}"


def test_gradients_pass_the_positions():
    x, grad = randn(3, 4).requires_grad_(True), randn(3, 4)
    found = Positions(9, 4)(x)
    assert found.requires_grad, "x requires a gradient, and so does what is added to it"
    found.backward(grad)
    np.testing.assert_array_equal(x.grad.numpy(), grad.numpy(), err_msg="the gradient of x")


def test_a_long_sequence_may_follow_a_short_one():
    layer = Positions(9, 4)
    for T in (2, 9, 5):
        x, said = randn(T, 4), f"Positions(9, 4) gets 2, 9 and 5 vectors in turn, here {T}"
        check_positions(layer(x), x.numpy(), err_msg=said)


def test_a_call_only_adds():
    layer, x = Positions(5000, 64), randn(1, 30, 64)
    layer(x[:, :3])
    nbytes = sum(n for _, n in moved(lambda: layer(x)))
    assert nbytes < 3.5 * x.array.nbytes, (
        "after a call with 3 rows, adding 30 reads twice 7,680 bytes and writes 7,680, and no "
        f"more: the operations of the call moved {nbytes:,}"
    )
    peak = peak_of(layer, x)
    assert peak < 100_000, (
        f"the result takes 7,680 bytes, and a call takes little more: not {peak:,}, as when "
        "5,000 rows are computed"
    )


def test_positions_are_not_trained():
    found = [(name, p.requires_grad) for name, p in Positions(9, 4).named_parameters()]
    assert not found, (
        f"the layer has no parameters, frozen or not, but (name, learns): {found}"
    )


def small_tuning():
    """An encoder and a head that is one product, and three batches, the first one padded."""
    manual_seed(3)
    encoder = Sequential(Linear(3, 8), ReLU(), Linear(8, 4))
    for layer in (encoder[0], encoder[2]):
        layer.bias.array[...] = 0  # so that the features of zeros are zeros
    head, batches = Linear(4, 5, bias=False), []
    for rows in (6, 2, 3):
        batches.append((randn(rows, 2, 3), randint(0, 5, (rows,))))
    batches[0][0][:4, 1] = 0
    return encoder, head, batches


def test_tuning_trains_the_head():
    said = "the head after three steps, by means over all T, vectors of zeros as well"
    check_tuning(*small_tuning(), said)


def test_earlier_gradients_of_the_head_do_not_count():
    encoder, head, batches = small_tuning()
    head(ones(1, 4)).sum().backward()
    check_tuning(
        encoder, head, batches, "a head that had gradients before the call, after three steps"
    )


def check_tuning(encoder, head, batches, said):
    start, losses = head.weight.detach().numpy().copy(), []
    weight = start.astype(float)
    features = [encoder(x).detach().numpy().mean(1) for x, _ in batches]
    for mean, (_, labels) in zip(features, batches):
        scores = np.exp(mean @ weight.T)
        p, right = scores / scores.sum(1, keepdims=True), np.eye(5)[labels.numpy()]
        losses.append(float(-np.log((p * right).sum(1)).mean()))
        weight = weight - 0.5 * (p - right).T @ mean / len(mean)
    found = tune(encoder, head, batches, SGD(head.parameters(), lr=0.5))
    assert isinstance(found, float), f"the loss is a float, not a {type(found).__name__}"
    changed = not np.array_equal(head.weight.detach().numpy(), start)
    assert changed, f"{said}: its weight has not changed, so nothing was learned"
    np.testing.assert_allclose(head.weight.detach().numpy(), weight, atol=1e-4, err_msg=said)
    assert math.isclose(found, np.mean(losses), rel_tol=1e-4), (
        f"the losses of batches of 6, 2 and 3 are {losses}, their mean {np.mean(losses):.4f}, "
        f"not {found}"
    )


def test_the_encoder_only_runs_forward():
    encoder, head, batches = small_tuning()
    before = [p.detach().numpy().copy() for p in encoder.parameters()]
    found = count_flops(lambda: tune(encoder, head, batches, SGD(head.parameters(), lr=0.5)))
    forward, classify = 2 * 22 * (3 * 8 + 8 * 4), 2 * 22 * 4 * 5
    wanted = forward + 2 * classify
    assert found == wanted, (
        f"three batches, 22 vectors together: {forward} FLOPs of the encoder, {classify} of "
        f"the head and {classify} of its weight's gradient: {wanted} in all, not {found}"
    )
    for (name, p), old in zip(encoder.named_parameters(), before):
        assert p.grad is None, f"the encoder is not trained, but {name} has a gradient"
        np.testing.assert_array_equal(p.detach().numpy(), old, err_msg=f"encoder, {name}")


def test_an_encoder_that_was_frozen_stays_so():
    encoder, head, batches = small_tuning()
    encoder.requires_grad_(False)
    tune(encoder, head, batches, SGD(head.parameters(), lr=0.5))
    found = [name for name, p in encoder.named_parameters() if p.requires_grad]
    assert not found, f"all of the encoder was frozen before, but after the call not {found}"
    encoder, head, batches = small_tuning()
    encoder[2].requires_grad_(False)
    tune(encoder, head, batches, SGD(head.parameters(), lr=0.5))
    found = [name for name, p in encoder[2].named_parameters() if p.requires_grad]
    assert not found, (
        f"a part of the encoder was frozen before, but after the call not {found}"
    )


def test_a_batch_of_one_sequence():
    encoder, head, _ = small_tuning()
    said = "a batch of one sequence, the head after one step"
    check_tuning(encoder, head, [(randn(1, 2, 3), randint(0, 5, (1,)))], said)


class Loader:
    """Gives batches one after another, as a DataLoader does, and counts how often it began."""

    def __init__(self, batches):
        self.batches, self.passes = batches, 0

    def __len__(self):
        return len(self.batches)

    def __iter__(self):
        self.passes += 1
        yield from self.batches


def test_the_batches_of_a_loader_are_gone_through_once():
    encoder, head, batches = small_tuning()
    loader = Loader(batches)
    tune(encoder, head, loader, SGD(head.parameters(), lr=0.5))
    assert loader.passes == 1, f"one pass over a DataLoader's batches, not {loader.passes}"


def test_both_modules_are_called_with_whole_batches():
    (encoder, head, batches), given = small_tuning(), ([], [])
    for module, shapes in zip((encoder, head), given):
        note = lambda module, x, shapes=shapes: shapes.append(tuple(x[0].shape))
        module.register_forward_pre_hook(note)
    tune(encoder, head, batches, SGD(head.parameters(), lr=0.5))
    for name, width, shapes in zip(("encoder", "head"), (3, 4), given):
        wanted = [(6, 2, width), (2, 2, width), (3, 2, width)]
        assert shapes == wanted, (
            f"`{name}(...)` is called once for each of three batches, with arrays of shapes "
            f"{wanted}, not {shapes}"
        )


def test_the_modes_of_both_modules_stay():
    for training in (True, False):
        (encoder, head, batches), modes = small_tuning(), []
        encoder.train(training)
        head.train(training)
        note = lambda module, _, modes=modes: modes.append(module.training)
        encoder.register_forward_pre_hook(note)
        tune(encoder, head, batches, SGD(head.parameters(), lr=0.5))
        assert modes == [training] * 3, f"training={training} also while it runs, not {modes}"
        assert head.training == training, (
            f"head.training is {training} before the call and {head.training} after it"
        )
        assert encoder.training == training, (
            f"encoder.training is {training} before the call and {encoder.training} after it"
        )


# %% [markdown]
# ## Questions to think about
#
# 1. `self_cpu_time_total` adds up to the whole, `cpu_time_total` does not. For which rows do you read which?
#
# <details><summary>Answer</summary>Read the total for whatever contains others: modules, and parts marked by
# <code>record_function</code>. In the GPT's table <code>forward</code> has a total near 40 % and a self time of a few
# per cent, which is only the Python between its operations; the total answers "what would I save without it?". Read the
# self time for operations and rules, the leaves: it counts each second once, so rows can be compared and added. A
# module with a large <em>self</em> time is a finding, too: its time is in code that no operation explains, such as a
# loop over an array.</details>
#
# 2. A matrix product of n x n has intensity n/6 if every number is fetched once. What is it if the cache holds only one
#    row and one column?
#
# <details><summary>Answer</summary>Keep a row of the left matrix for all n columns: it is fetched once, 4n bytes. But
# each of the n² results then fetches a column of the right matrix again: 4n bytes for 2n FLOPs. In all 2n³ FLOPs on 4n² +
# 4n³ + 4n² bytes, an intensity of 2n / (4n + 8), which is nearly 1/2 however large n is, and far to the left of the
# balance. It is the same half a FLOP per byte as for one row in "The model is memory-bound". Tiles that stay in the
# cache (module 17) win the factor back.</details>
#
# 3. `find_nan` names the first call that makes a NaN. A float16 model overflows in forward to infinity, and the softmax
#    after it gives NaN. Which call is named, and which one would you change?
#
# <details><summary>Answer</summary>Softmax is named: in forward an infinity is no fault for <code>received_bad</code>,
# and inf - inf in softmax is the first NaN. <code>find_nan(lambda: softmax(x @ w, -1))</code> with x and w of
# <code>300 * randn(...)</code> in float16 answers "forward of Softmax". The cause is the product before it, whose
# scores exceed 65,504. Change that: scale before the product rather than after it (attention may divide the queries by
# √d first), or compute scores in float32. The tool finds the first symptom; the cause is at or before it.</details>
#
# 4. Backward costs twice forward in FLOPs. Does it take twice the time?
#
# <details><summary>Answer</summary>Only the products are counted, and only for them the rule is near. In one profile of
# the GPT's step, <code>AffineBackward</code> took 2.6 times <code>Affine</code>, Gelu's rule 1.45 times Gelu, layer
# normalisation's 1.4 times, and attention's rule 0.8 times: it reuses the probabilities that forward saved. The whole
# backward took 1.7 to 1.9 times forward, in processor time. Rules that are memory-bound take the time of the arrays
# they read: the gradient, what was saved, and often a sum for a bias. Compare the rows of
# <code>prof.key_averages()</code> on your machine.</details>
#
# 5. The share of waiting is 50 %. How much faster can training become at most if only the loading is improved? And if
#    both overlap perfectly?
#
# <details><summary>Answer</summary>Twice as fast, both times. If loading took no time at all, the work, half of the
# whole, would be left: 1 / (1 - 0.5) = 2. If loading and work overlap, an epoch takes the longer of the two, and they
# are equal: again half. Doing both, loading faster <em>and</em> overlapped, gains nothing more, because the work is the
# limit. With a share of 92 %, as in "Training is slow", overlapping alone gives 1 / 0.92 = 1.09, and a faster loader up
# to 12.5.</details>
#
# 6. Why is the minimum the best guess of what the work takes, and the 95th percentile the best promise to a user?
#
# <details><summary>Answer</summary>Disturbances only add time, so of all runs the fastest is nearest to the work
# itself. A user does not wait for the work, but for the work and its disturbances, and remembers the bad cases: the
# 95th percentile is exceeded once in twenty times. On a busy machine a product took 2.1 ms at least, 17 ms in the
# median and 25 ms at the 95th percentile: to compare two kernels use the first, to promise a service the last. In
# processor time minimum and median were 2.0 and 2.5 ms, because waiting is not counted.</details>
#
# ## To read
#
# - Samuel Williams, Andrew Waterman and David Patterson, *Roofline: An Insightful Visual Performance Model for
#   Multicore Architectures* (CACM 52, 2009), the whole: it is short, and has more ceilings than ours.
# - Brendan Gregg, *Systems Performance* (second edition, 2020), chapter 2: how to look for what is slow, in an order.
# - Horace He, *Making Deep Learning Go Brrrr From First Principles* (2022): compute, memory and overhead, told apart on
#   a GPU.
# - Google, *Trace Event Format* (2016): what else a timeline can show.
#
# ## An open problem
#
# A roofline tells how long a call must take at least: the longer of computing and fetching. Add that up over all calls
# of a run, and you predict the time of a model without timing it, even for a machine that you do not own. For the wide
# network the sum comes within a factor of two of the measured time; for a GPT's step it does not. What is missing
# there, and how can it be measured once for a machine? Start from `call_flops(call)` and `bytes_moved(call)`.
#
#
# %%
def least_seconds(run, machine):
    return math.nan  # yours: a Watch, and a sum over calls that are not modules


for rows in (one, many):
    run = lambda rows=rows: wide(rows)
    measured = 1e3 * measure_latency(run, clock=time.process_time).minimum
    predicted = 1e3 * least_seconds(run, machine)
    verdict = "not yet" if not measured / 3 < predicted < 1.5 * measured else "close"
    print(
        f"{len(rows)} in a batch: predicted {predicted:.1f} ms, took {measured:.1f}: {verdict}"
    )

# %% [markdown]
# ## What comes next
#
# You now know what a model costs and what limits it. Module 15 stores its numbers in fewer bits, so that fewer bytes
# are moved; module 16 leaves some of them out; module 17 writes faster operations; module 18 stops computing what was
# computed before. All of them measure with this module.
