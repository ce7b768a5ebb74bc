# %% [markdown]
# # 14 Profiling
#
# Your networks train. Where do they spend their time, what do they do with the memory, and which of their operations would be worth
# making faster? Guesses are usually wrong. In this module you build the instruments that answer, and with them you find
# and mend three faults.
#
# When you are done you will be able to
#
# - time a piece of code so that the number means something, and say how far to trust it;
# - count the arithmetic of any model, forward and backward, by watching it run, without a change to its code;
# - read a table of operations and of modules, and a timeline of a training step;
# - say of an operation whether arithmetic or memory holds it back, from two numbers measured on your machine;
# - find the operation whose gradient is the first to be infinite or NaN, the layer that waits for memory, and the training that waits for data.
#
# ### Where it stands
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `profile`, `record_function`, `schedule` | `torch.profiler`, the same names | the rows are your operations; `by_module()` is ours; stacks are not recorded |
# | `FlopCounterMode`, `register_flop_formula` | `torch.utils.flop_counter` | attention is counted everywhere: PyTorch counts 0 for its fused one on the CPU, and the gradient of grouped filters once for each group |
# | `measure_latency`, `Latency` | `torch.utils.benchmark.Timer` | ours: a function in place of a string of code |
# | `count_flops`, `count_parameters`, `memory_footprint` | | ours |
# | `peak_memory`, `trace_memory` | `torch.cuda.max_memory_allocated` | ours: of the processor's memory |
# | `Machine`, `measure_machine`, `roofline` | | ours |
# | `find_nan` | `torch.autograd.detect_anomaly` | ours: it names the module, and looks for infinities too |
#
# Modules 15 to 18 measure with what you write here. NumPy computes on one thread in these notebooks: its times are the steadiest.


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
from tinytorch.autograd import run_rule
from tinytorch.conv import Convolution
from tinytorch.layers import Affine, Module
from tinytorch.tensor import Function, MatMul, Tensor, owner


# %%
import json
import tempfile
from pathlib import Path


from tinytorch.conv import LeNet, conv2d
from tinytorch.dataloader import DataLoader, Digits, TensorDataset
from tinytorch.layers import Linear, Parameter, ReLU, Sequential
from tinytorch.losses import cross_entropy
from tinytorch.optimizers import AdamW
from tinytorch.tensor import manual_seed, ones, randint, randn, stack, tensor, wrap, zeros
from tinytorch.transformer import GPT, GPTConfig, next_token_loss


# %% [markdown]
# ## 1. A time that means something
#
# Time the same product six times, as one usually does.


# %%
left, right = np.ones((256, 512), np.float32), np.ones((512, 512), np.float32)
for number in range(6):
    start = time.perf_counter()
    left @ right
    print(f"run {number}: {(time.perf_counter() - start) * 1e6:7.0f} us")


# %% [markdown]
# The same work, six numbers. The first is often the largest: caches are cold, memory is fetched from the system for the first time, libraries start.
# The others differ because your program shares the machine. What disturbs a run only ever makes it *longer*, so times are not spread evenly around a true value: they have a floor, and a long tail above it.
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
# - the *95th percentile*: what one run in twenty exceeds, which is what somebody waiting for an answer notices;
# - the *spread*, the distance between the first and the third quartile: if it is a large part of the median, do not trust small differences;
# - the *minimum*: the floor, the best guess of what the work itself takes.
#
# And before anything is measured a few runs are thrown away, the *warm-up*. Two clocks are of use: `time.perf_counter` runs like one on the wall; `time.process_time` stands still
# while other programs have the processor, which makes it the better one for comparisons on a busy machine.
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
# <details><summary>Hint 1</summary>Two loops. The first calls <code>run()</code> and looks at no clock.</details>
# <details><summary>Hint 2</summary>In the second, read the clock immediately before and immediately after each single call, and keep the difference.</details>
# <details><summary>Hint 3</summary><code>np.percentile(times, [25, 50, 75, 95])</code> gives all four at once; the spread is the third minus the first.</details>


# %% stub="measure-latency"
#| export
def measure_latency(run, warmup=3, repeats=30, clock=time.perf_counter):
    """Measure how long a call of `run` takes.

    Args:
        run: a function without arguments.
        warmup: how many calls come first, which are not measured.
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
    now, calls = [100.0], []

    def run():
        now[0] += durations[len(calls)]
        calls.append(now[0])

    found = measure_latency(run, warmup, repeats, clock=lambda: now[0])
    return found, len(calls)


def test_every_run_is_timed_on_its_own():
    found, calls = by_a_clock_of_its_own([3.0, 1.0, 4.0, 1.5, 9.0], 0, 5)
    assert calls == 5, f"warmup=0 and repeats=5 are five calls, not {calls}"
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
    found, _ = by_a_clock_of_its_own([7.0, *times], 1, 6)
    wanted = {
        "median": np.median(times),
        "p95": np.percentile(times, 95),
        "spread": np.percentile(times, 75) - np.percentile(times, 25),
        "minimum": 1.0,
    }
    for name, value in wanted.items():
        assert math.isclose(getattr(found, name), value, rel_tol=1e-9), (
            f"the {name} of {times} is {value}, not {getattr(found, name)}"
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
# To know what happens inside `model(x)`, you could add a line to every layer. But your layers are also in other people's programs, and a
# measurement that needs changed code measures other code. There is a better place: everything that your framework computes passes through very few functions.
#
# | what runs | passes through | written in |
# |---|---|---|
# | an operation | `Function.apply` | module 01 |
# | a gradient rule, in the walk | `run_rule` | module 06 |
# | a module | `Module.__call__` | module 03 |
#
# Python can tell you of each call of them. `sys.setprofile(callback)` asks the interpreter to call `callback(frame, event, argument)` whenever a function is entered or left. `frame.f_code` says which function, `frame.f_locals` holds its arguments, and at a
# return `argument` is the result. `Watch` looks at the identity of the code, and ignores all calls but those of the three. No function is replaced, and when the `with` block ends, the interpreter asks nobody any more: what is not being watched runs exactly the code that it always ran.
#
# A watched call is described by a `Call`.


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
        """The shapes of the operation's inputs, backward too; None for what is no array."""
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
        if self.before is not None:  # somebody else is watching too
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
# `operation`, `rule` and `module`, which make a `Call` of a frame's arguments, are given (`tinytorch/given/profiling/describing.py`). A module's name is its path from the module that was called first, and a gradient rule belongs to the module in which its operation ran. Look at it work.


# %%
manual_seed(0)
net = Sequential(Linear(64, 128), ReLU(), Linear(128, 10))
images, labels = randn(32, 64), randint(0, 10, (32,))

with Watch(lambda call: print(f"{call.kind:9} {call.name:22} {call.module:14} {call.shapes}")):
    cross_entropy(net(images), labels).backward()

# %% [markdown]
# A module's line comes after those of its operations, because it is reported when it ends; and backward runs through the same operations, the other way round.
#
# ## 3. Counting arithmetic
#
# A time says how long *this* machine took. How much there was to do is a property of the model, and can be counted exactly: the number of floating point operations, FLOPs, where a multiplication is one and an addition is one. As everywhere in the field, and as in PyTorch's counter, only *products* are counted: those of matrices, convolutions and attention. Everything
# else does a handful of operations for each number, and its time is spent on fetching the numbers.
#
# ### Products of matrices
#
# For $Y = X W^\top$ with $X$ of shape (B, n) and $W$ of shape (m, n), each of the $B m$ numbers of $Y$ is a sum of $n$ products:
# $n$ multiplications and, starting from zero, $n$ additions.
#
# $$\mathrm{FLOPs} = 2 \cdot B\,m \cdot n = 2 \cdot (\text{numbers in the output}) \cdot (\text{length of the sums})$$
#
# The second form is the one to keep: it holds for batches of matrices, for vectors, and for a `Linear` on inputs of any number of dimensions. The bias, one addition for each output, is not counted.
#
# A formula is registered for its operations by `register_flop_formula`, which has PyTorch's name and convention: a formula is called with the shapes of the operation's inputs, and with the shape of its output as `out_shape`.


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
# <details><summary>Hint 1</summary>Do not ask how many dimensions there are: how many numbers has the output?</details>
# <details><summary>Hint 2</summary>The sums run over the last dimension of the first operand, in <code>x @ y</code> as in <code>linear(x, weight)</code>.</details>
# <details><summary>Hint 3</summary><code>math.prod(shape)</code> is the number of elements of a shape, 1 for <code>()</code>.</details>


# %% stub="product-flops"
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
        The number of FLOPs, an integer.

    >>> product_flops((32, 64), (128, 64), (128,), out_shape=(32, 128))
    524288
    """
    ### BEGIN SOLUTION
    return 2 * math.prod(out_shape) * x_shape[-1]
    ### END SOLUTION


# %% test="product-flops" points=3
def products_one_by_one(x_shape, y_shape):
    """Two FLOPs for each number of the output, by NumPy's shape, and each term of its sum."""
    out = (np.empty(x_shape) @ np.empty(y_shape)).shape
    return out, sum(2 for _ in np.ndindex(*out) for _ in range(x_shape[-1]))


def test_flops_of_products_of_all_kinds():
    for x_shape, y_shape in [
        ((3, 4), (4, 5)),
        ((4,), (4, 5)),
        ((3, 4), (4,)),
        ((4,), (4,)),
        ((2, 3, 4), (4, 5)),
        ((2, 1, 3, 4), (6, 4, 5)),
        ((0, 4), (4, 5)),
    ]:
        out, wanted = products_one_by_one(x_shape, y_shape)
        found = product_flops(x_shape, y_shape, out_shape=out)
        assert found == wanted, f"{x_shape} @ {y_shape} is {out}: {wanted} FLOPs, not {found}"


def test_flops_of_a_linear_layer():
    for rows, n, m in [((5,), 7, 3), ((2, 4), 3, 6), ((), 4, 9)]:
        wanted = 2 * math.prod(rows) * n * m
        for bias in ((m,), None):
            found = product_flops((*rows, n), (m, n), bias, out_shape=(*rows, m))
            assert found == wanted, (
                f"linear of {(*rows, n)} with a weight {(m, n)}: {wanted} FLOPs, not {found}"
            )
    assert isinstance(found, int), f"FLOPs are an integer, not {type(found).__name__}"


# %% [markdown]
# ### Convolutions
#
# A convolution is a product as well. What is the length of the sum that makes one number of its output? The window, $k_h k_w$ places, in each of the channels that the filter sees: all $C$ of them, or with $G$ groups $C / G$. How many numbers there are, the output's shape says, so stride, padding and
# dilation need no thought.
#
# ```text
#   input (N, C, H, W)     filters (O, C/G, kh, kw)     output (N, O, H', W')
#                                   `---------' one sum
# ```
#
# <details><summary>Hint 1</summary>Every number of the output is one sum, whatever stride and padding are.</details>
# <details><summary>Hint 2</summary>The filters' shape has the length of the sum already, with the groups taken into account.</details>
# <details><summary>Hint 3</summary><code>math.prod(weight_shape[1:])</code> is the length of a sum.</details>


# %% stub="convolution-flops"
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
        The number of FLOPs, an integer.

    >>> convolution_flops((1, 3, 32, 32), (16, 3, 3, 3), (16,), out_shape=(1, 16, 30, 30))
    777600
    """
    ### BEGIN SOLUTION
    return 2 * math.prod(out_shape) * math.prod(weight_shape[1:])
    ### END SOLUTION


# %% test="convolution-flops" points=3
def test_flops_of_convolutions():
    for x, weight, options in [
        ((2, 3, 8, 6), (4, 3, 3, 2), {}),
        ((1, 4, 9, 9), (6, 2, 3, 3), {"groups": 2, "stride": 2, "padding": 1}),
        ((3, 5, 7, 7), (5, 1, 5, 3), {"groups": 5, "dilation": (1, 2)}),
        ((1, 2, 4, 4), (8, 2, 1, 1), {}),
    ]:
        out = tuple(conv2d(zeros(*x), zeros(*weight), **options).shape)
        wanted = sum(2 * weight[1] * weight[2] * weight[3] for _ in np.ndindex(*out))
        for bias in ((weight[0],), None):
            found = convolution_flops(x, weight, bias, out_shape=out)
            assert found == wanted, (
                f"images {x}, filters {weight}, {options}: {out} numbers of "
                f"{math.prod(weight[1:])} products each are {wanted} FLOPs, not {found}"
            )


def test_flops_of_a_convolution_of_sequences():
    found = convolution_flops((2, 3, 10), (4, 3, 5), None, out_shape=(2, 4, 6))
    assert found == 2 * 48 * 15, f"48 numbers of 15 products each: 1440 FLOPs, not {found}"


# %% [markdown]
# ### Attention
#
# Two products for each head: the scores $Q K^\top$, of $T \times S$ numbers with sums of length $d$, and the mixture of the values, of $T \times e$ numbers with sums of length $S$. With $H$ heads and a batch of $B$ that is $2BHTSd + 2BHTSe$, and $4BHTSd$ where values are as long as keys.
#
# The softmax between them is not counted, and a causal mask makes it no less: the numbers above the diagonal are computed and thrown away. (PyTorch counts so, too. In a program that skips them, half of the count would be too much.)
#
# <details><summary>Hint 1</summary>The heads and the batch are the leading dimensions: take them from the output, since one operand may have been broadcast.</details>
# <details><summary>Hint 2</summary>T is the query's last dimension but one, S the key's; d is the query's last, e the value's.</details>
# <details><summary>Hint 3</summary>Two products: T S sums of length d for the scores, T e sums of length S for the result, in each head of each sample. <code>math.prod</code> of the leading dimensions counts those.</details>


# %% stub="attention-flops"
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
        The number of FLOPs, an integer.

    >>> attention_flops((1, 2, 8, 16), (1, 2, 8, 16), (1, 2, 8, 16), out_shape=(1, 2, 8, 16))
    8192
    """
    ### BEGIN SOLUTION
    (T, d), S = query_shape[-2:], key_shape[-2]
    return 2 * math.prod(out_shape[:-2]) * T * S * (d + value_shape[-1])
    ### END SOLUTION


# %% test="attention-flops" points=4
def attention_by_products(batch, T, S, d, e):
    """The FLOPs of both products, each by its shapes."""
    return batch * (2 * T * S * d + 2 * T * e * S)


def test_flops_of_attention():
    for batch, T, S, d, e in [
        ((2, 3), 5, 5, 4, 4),
        ((2,), 3, 7, 4, 6),
        ((), 6, 2, 5, 3),
        ((4, 2), 1, 9, 8, 8),
    ]:
        found = attention_flops(
            (*batch, T, d),
            (*batch, S, d),
            (*batch, S, e),
            None,
            None,
            out_shape=(*batch, T, e),
        )
        wanted = attention_by_products(math.prod(batch), T, S, d, e)
        assert found == wanted, (
            f"batch {batch}, {T} queries, {S} keys of {d} and values of {e}: "
            f"{wanted} FLOPs, not {found}"
        )


def test_an_operand_may_be_broadcast():
    found = attention_flops((1, 3, 5, 4), (2, 3, 6, 4), (2, 1, 6, 4), out_shape=(2, 3, 5, 4))
    wanted = attention_by_products(6, 5, 6, 4, 4)
    assert found == wanted, f"2 x 3 heads by the output's shape: {wanted} FLOPs, not {found}"


# %% [markdown]
# ### Backward
#
# For $Y = X W^\top$ there are two gradients, $\bar X = \bar Y W$ and $\bar W = \bar Y^\top X$. Each is a product of matrices with the same three lengths as the forward product, in another order, so each costs what forward costs. The same holds for a convolution, and in attention for both of its products. Hence the rule of thumb *backward is twice forward*.
#
# It is not quite twice. The gradient of the network's *input* is not asked for, so the first layer computes one of its two products only; a layer that is frozen saves the other one. What is asked for, the node knows: `call.node.needs_input_grad` holds True or False for each input, of which the first two are the operands.
#
# Write it for one `Call`. `flops_by_formula(call)` (given) looks up the formula of `call.function` in the registry, and calls it with the shapes; it gives 0 where there is none.


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
# <details><summary>Hint 1</summary><code>call.kind</code> is "forward", "backward" or "module"; a module does nothing itself, and no formula is registered for it.</details>
# <details><summary>Hint 2</summary>True counts as 1 in a sum.</details>
# <details><summary>Hint 3</summary><code>call.node.needs_input_grad</code> says for each operand whether it needs a gradient; a product has two that count, and a bias after them costs nothing.</details>


# %% stub="call-flops"
#| export
def call_flops(call):
    """Count the FLOPs of one watched call, of an operation or of its gradient rule.

    Args:
        call: a Call, while its arrays are there.

    Returns:
        In forward what the formula says; in backward that much for each of the first two
        inputs whose gradient is asked for.
    """
    ### BEGIN SOLUTION
    flops = flops_by_formula(call)
    if call.kind == "backward":
        flops *= sum(call.node.needs_input_grad[:2])
    return flops
    ### END SOLUTION


# %% test="call-flops" points=4
def watched(run):
    """The FLOPs of every call, by kind, in their order."""
    found = {"forward": [], "backward": [], "module": []}
    with Watch(lambda call: found[call.kind].append(call_flops(call))):
        run()
    return found


def test_forward_is_counted_by_the_formula():
    found = watched(lambda: (ones(3, 4) @ ones(4, 5)).sum())
    assert sum(found["forward"]) == 120, f"(3, 4) @ (4, 5): 120 FLOPs, not {found['forward']}"
    assert found["backward"] == [], (
        f"nothing ran backward, yet {found['backward']} was counted"
    )


def test_backward_counts_what_is_asked_for():
    x, y = randn(3, 4), randn(4, 5)
    for need_x, need_y in ((True, False), (False, True), (True, True)):
        a, b = x.clone().requires_grad_(need_x), y.clone().requires_grad_(need_y)
        found = sum(watched(lambda a=a, b=b: (a @ b).sum().backward())["backward"])
        wanted = 120 * (need_x + need_y)
        assert found == wanted, (
            f"gradients asked for {need_x, need_y}: {wanted} FLOPs backward, not {found}"
        )


def test_a_bias_that_asks_for_a_gradient_costs_nothing():
    layer, x = Linear(4, 5), randn(3, 4)
    found = sum(watched(lambda: layer(x).sum().backward())["backward"])
    assert found == 120, f"only the weight's gradient is a product: 120 FLOPs, not {found}"


def test_modules_and_other_operations_count_nothing():
    found = watched(lambda: ReLU()(ones(3, 4)).exp().sum())
    assert sum(map(sum, found.values())) == 0, f"no products, no FLOPs: {found}"


# %% [markdown]
# ### The sum over a run
#
# Now watch a whole model, and add up.
#
# <details><summary>Hint 1</summary>A Watch calls a function after each call; it can append to a list.</details>
# <details><summary>Hint 2</summary>Call the model inside the <code>with</code> block, and sum after it.</details>
# <details><summary>Hint 3</summary>A <code>lambda</code> that appends the FLOPs of a call to a list is all that the Watch needs.</details>


# %% stub="count-flops"
#| export
def count_flops(model, *inputs):
    """Count the FLOPs of `model(*inputs)`: those of all its products.

    Args:
        model: a module, or any function; if it calls `backward`, that is counted too.
        inputs: what it is called with.

    Returns:
        The number of FLOPs, an integer.

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


def test_nobody_is_watching_afterwards():
    before = sys.getprofile()
    count_flops(Linear(2, 2), zeros(1, 2))
    assert sys.getprofile() is before, "the watching ends with the run: use a with block"


# %% [markdown]
# Beside it stand two counts that need no run (given): the parameters, a shared one once, and the bytes of parameters and buffers. Compare three models of the milestones with a count by hand.


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
# The last line is a rule of thumb for transformers: two FLOPs for each parameter and token. It leaves out attention's own products, which have no parameters, and counts the table of positions, in which nothing is multiplied.
#
# ## 4. Where the time goes
#
# A recording is a list of *events*: a name, a start and an end, for each module, operation and rule. Events are nested: the block's time contains the attention's, which contains the product's. So if you add up the times of all events, you count most seconds several times.
#
# ```text
#   time ->    0    1    2    3    4    5    6    7    8    9   10
#   Block      |=================================================|      total 10   self 10 - 5 - 3 = 2
#     attn          |========================|                          total 5    self 5 - 2 = 3
#       MatMul           |=========|                                    total 2    self 2
#     mlp                                      |==============|         total 3    self 3
# ```
#
# An event's *self time* is what it took without the events that it called itself. Only the direct ones: what lies deeper is part of theirs. Self times of all events add up to the whole, and so they can be compared.
#
# Events are listed in the order in which they began. Go through them and keep a stack of those that are still running: when an event begins, those that have ended are taken off, and what is on top is its caller.
#
# <details><summary>Hint 1</summary>Begin with each event's whole time, and subtract from the caller's when you find one.</details>
# <details><summary>Hint 2</summary>Keep the numbers of the running events in a list. An event on top has ended if its end is not after the start of the new one.</details>
# <details><summary>Hint 3</summary>For each event, three steps: take from the end of the list what has ended; subtract the event's time from what is then last, if anything is; append the event. Only the direct caller's time shrinks.</details>


# %% stub="self-times"
#| export
def self_times(spans):
    """Compute what each of several nested events took by itself.

    Args:
        spans: a list of (start, end) in the order in which the events began; two of them are
            either nested or apart.

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
    assert spans == before, "the events themselves are not to be changed"
    np.testing.assert_allclose(found, wanted, err_msg=f"{said}: events {before}")


def test_events_that_are_apart_keep_their_times():
    check_self_times([(0, 2), (2, 5), (7, 8)], [2, 3, 1], "one after another")
    check_self_times([(1.5, 4.0)], [2.5], "a single event")
    assert list(self_times([])) == [], "no events, no times"


def test_only_direct_calls_are_taken_off():
    check_self_times(
        [(0, 100), (10, 90), (20, 80), (30, 40)], [20, 20, 50, 10], "each calls the next one"
    )


def test_several_calls_of_one_event():
    check_self_times(
        [(0, 20), (1, 5), (2, 3), (3, 4), (6, 10), (7, 9), (10, 19), (21, 24)],
        [3, 2, 1, 1, 2, 2, 9, 3],
        "calls of calls, and another event afterwards",
    )


def test_events_that_begin_or_end_together():
    check_self_times(
        [(0, 10), (0, 10), (0, 4), (4, 10)], [0, 0, 4, 6], "the outer comes first"
    )


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
# A step of the GPT has several hundred events. To read them, put together those of one name, or of one module. `Event` and `Totals` are given; `self_time` is what your function found.


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


@dataclass
class Totals:
    """What the events of a group have together."""

    count: int = 0
    time: float = 0.0
    self_time: float = 0.0
    flops: int = 0
    bytes: int = 0


# %% [markdown]
# The groups stand in a dictionary, from key to `Totals`. Who calls chooses the keys, and gives each event with its key: `(event.name, event)` for a table of operations. An event may come under several keys, as when an operation counts for its layer, its block and its model.
#
# <details><summary>Hint 1</summary>One pass over the pairs; a key that is met for the first time gets an empty <code>Totals()</code>.</details>
# <details><summary>Hint 2</summary><code>groups.setdefault(key, Totals())</code> gives what is there, or puts a new one there.</details>
# <details><summary>Hint 3</summary>Then five sums: <code>count</code> grows by 1, each of the others by the event's attribute of the same name.</details>


# %% stub="group-events"
#| export
def group_events(pairs):
    """Add up events that have the same key.

    Args:
        pairs: (key, event) for each event, in any number and order, perhaps from a generator.

    Returns:
        A dict from key to Totals, keys in the order in which they first came.

    >>> events = [Event("Exp", "forward", "", 1.0, 3.0), Event("Exp", "forward", "", 4.0, 5.0)]
    >>> group_events((e.name, e) for e in events)["Exp"].time
    3.0
    """
    ### BEGIN SOLUTION
    groups = {}
    for key, event in pairs:
        group = groups.setdefault(key, Totals())
        group.count += 1
        group.time += event.time
        group.self_time += event.self_time
        group.flops += event.flops
        group.bytes += event.bytes
    return groups
    ### END SOLUTION


# %% test="group-events" points=4
def event(name, start, end, self_time=0.0, flops=0, nbytes=0, module="", kind="forward"):
    return Event(name, kind, module, start, end, (), flops, nbytes, 0, self_time)


def test_events_of_one_key_are_added_up():
    events = [
        event("Mul", 1.0, 3.5, 2.0, 100, 8),
        event("Exp", 2.0, 3.0, 0.5, 7, 3),
        event("Mul", 10.0, 11.0, 0.25, 20, 16),
    ]
    found = group_events((e.name, e) for e in events)
    wanted = {"Mul": Totals(2, 3.5, 2.25, 120, 24), "Exp": Totals(1, 1.0, 0.5, 7, 3)}
    for name, totals in wanted.items():
        assert found.get(name) == totals, f"{name}: {totals} is wanted, not {found.get(name)}"
    assert list(found) == ["Mul", "Exp"], (
        f"keys in the order in which they came: {list(found)}"
    )


def test_keys_are_whatever_the_caller_chooses():
    one, two = event("Mul", 0.0, 1.0, 1.0), event("Mul", 2.0, 4.0, 1.5)
    found = group_events([(("a", True), one), (("a", False), two), (None, one)])
    assert [found[key].time for key in (("a", True), ("a", False), None)] == [1.0, 2.0, 1.0], (
        f"one event under two keys counts for both: {found}"
    )


def test_groups_do_not_share_their_sums():
    pairs = [("a", event("Mul", 0.0, 1.0)), ("b", event("Mul", 0.0, 2.0))]
    assert group_events(pairs)["a"].count == 1, "each key has a Totals of its own"
    assert group_events(pairs)["a"].count == 1, "a second call begins from nothing"
    assert group_events([]) == {}, "no events, no groups"


# %% [markdown]
# ### A timeline in the browser
#
# A table says how much, and a timeline says when. Chrome's format for traces is the one that PyTorch writes too; <https://ui.perfetto.dev> opens it, and so does `chrome://tracing`. It is JSON: a list of dicts, one for each event. "X" means a complete event, with a start `ts` and a duration `dur`, both in *microseconds* (Google, "Trace Event Format", 2016).
#
# ```text
#   {"name": "Affine", "cat": "forward", "ph": "X", "ts": 12.5, "dur": 340.0, "pid": 1, "tid": 1, "args": {...}}
# ```
#
# The viewer nests by time what has the same process `pid` and thread `tid`. Whatever stands in `args` it shows on a click.
#
# <details><summary>Hint 1</summary>The event has seconds on a clock that began anywhere. <code>origin</code> is when the recording began.</details>
# <details><summary>Hint 2</summary><code>ts</code> is the event's start less the origin, times a million; <code>dur</code> its time, times a million.</details>
# <details><summary>Hint 3</summary>JSON knows lists and numbers: shapes go in as <code>[list(shape) for shape in event.shapes if shape is not None]</code>.</details>


# %% stub="trace-event"
#| export
def trace_event(event, origin, pid=1, tid=1):
    """Describe an event in Chrome's format for traces.

    Args:
        event: an Event, in seconds.
        origin: when the recording began, in seconds: this is the trace's zero.
        pid, tid: numbers of the process and of the thread.

    Returns:
        A dict that JSON can hold: "name", "cat" (the event's kind), "ph", "ts", "dur", "pid",
        "tid", and "args" with "module", "flops" and "Input Dims": a list of the shapes, as
        lists, without those that are None.

    >>> trace_event(Event("Exp", "forward", "", 5.5, 5.75), origin=5.0)["dur"]
    250000.0
    """
    ### BEGIN SOLUTION
    shapes = [list(shape) for shape in event.shapes if shape is not None]
    return {
        "name": event.name,
        "cat": event.kind,
        "ph": "X",
        "ts": (event.start - origin) * 1e6,
        "dur": event.time * 1e6,
        "pid": pid,
        "tid": tid,
        "args": {"module": event.module, "flops": event.flops, "Input Dims": shapes},
    }
    ### END SOLUTION


# %% test="trace-event" points=4
def test_an_event_of_a_trace():
    one = event("AffineBackward", 7.25, 7.5, 0.0, 60, 0, "GPT.lm_head", "backward")
    one.shapes = ((2, 3), None, (5, 3))
    for origin, pid, tid in ((7.0, 1, 1), (4.0, 12, 34)):
        found = trace_event(one, origin, pid, tid)
        wanted = {
            "name": "AffineBackward", "cat": "backward", "ph": "X",
            "ts": (7.25 - origin) * 1e6, "dur": 250000.0, "pid": pid, "tid": tid,
        }  # fmt: skip
        for key, value in wanted.items():
            assert found.get(key) == value, f'"{key}" is {value!r}, not {found.get(key)!r}'
        args = {"module": "GPT.lm_head", "flops": 60, "Input Dims": [[2, 3], [5, 3]]}
        for key, value in args.items():
            assert found["args"].get(key) == value, (
                f'"{key}" in args is {value!r}, not {found["args"]}'
            )


def test_a_fraction_of_a_microsecond_is_kept():
    found = trace_event(event("Exp", 7.0, 7.0 + 2.0**-21), 6.0 - 2.0**-22)
    for key, wanted in (("ts", (1 + 2.0**-22) * 1e6), ("dur", 2.0**-21 * 1e6)):
        assert found[key] == wanted, f'"{key}" is {wanted} microseconds, not {found[key]}'


def test_json_can_hold_it():
    one = event("Exp", 1.0, 2.0)
    one.shapes = ((), (4,), None)
    text = json.dumps(trace_event(one, 0.5))
    assert json.loads(text)["args"]["Input Dims"] == [[], [4]], (
        f"0-d shapes are empty lists: {text}"
    )


# %% [markdown]
# ### profile
#
# `profile` (given, in `tinytorch/given/profiling/sessions.py`) puts your functions together under the names of `torch.profiler`: a Watch makes an Event of each call, `self_times` and `group_events` make the tables, `trace_event` the file. `record_function("name")` marks a part of your own program, so that it has an event too. Record two steps of training.


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
# Read it from the top. Most of the self time is in a handful of rows: products of matrices (`Affine` forward, `AffineBackward` backward) and attention. `backward` and `forward` have a large total and a small self time: what they contain is in the other rows. (`AffineBackward` is the gradient rule of `Affine`.)
#
# The same events by module, with forward and backward apart. A module's line contains what is below it.


# %%
print(prof.by_module(depth=4))

# %% [markdown]
# The blocks do the same work, so they cost about the same; what differs is what disturbed them. The head alone, one product with the table of tokens, is listed on its own: it is the price of the vocabulary.
#
# Now the timeline, drawn here from the trace file. The file itself is for the viewer.


# %%
file = Path(tempfile.mkdtemp()) / "gpt.json"
prof.export_chrome_trace(file)
trace = json.loads(file.read_text())["traceEvents"]
print(f"{len(trace)} events, {file.stat().st_size:,} bytes")
draw_timeline(trace, depth=5)

# %% [markdown]
# Two steps. In each the forward pass with its three blocks, then the backward pass, and at the end the optimizer, which runs no operations at all: it computes on arrays.
#
# ## 5. Memory
#
# A machine that is slow takes longer. One that is out of memory stops. Two numbers matter: the *peak*, the most that was there at any moment, which decides whether the program runs at all; and the *live* bytes, what is still there afterwards.
#
# NumPy reports what it takes to Python's `tracemalloc`. `tracemalloc.get_traced_memory()` gives two numbers, what is there now and the peak so far, counted since `start()`; `reset_peak()` makes the present amount the peak. What was there before you began is not yours, so both numbers are differences.
#
# ```text
#   bytes |          _                        peak: the most while it ran, less what was there
#         |        _| |__
#         |      _|      |______              live: what is left, while the result is held
#         |_____|
#         +------------------------> time
# ```
#
# Mind two things. If somebody is tracing already, leave it running. And whatever `run` returns has to be held until you have looked, or it is gone.


# %%
#| export
@dataclass(frozen=True)
class Memory:
    """Bytes: the most that were taken at a time, and what is still there."""

    peak: int
    live: int


# %% [markdown]
# <details><summary>Hint 1</summary><code>tracemalloc.is_tracing()</code>, before you start, says whether you are the one who has to stop.</details>
# <details><summary>Hint 2</summary>The order: start if need be, <code>gc.collect()</code>, reset the peak, note what is there, run, read both numbers while the result has a name, stop.</details>
# <details><summary>Hint 3</summary><code>try: ... finally:</code> stops the tracing also if <code>run</code> fails. The result: <code>Memory(peak - before, live - before)</code>.</details>


# %% stub="trace-memory"
#| export
def trace_memory(run):
    """Measure the memory that a call of `run` takes, beyond what is there already.

    Args:
        run: a function without arguments.

    Returns:
        A Memory: the peak while it ran, and what is live after it, its result included.
        Tracing is on afterwards only if it was on before, also if `run` raises.

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
    assert abs(found - wanted) < 50_000, f"{said}: about {wanted:,} bytes, not {found:,}"


def test_the_peak_and_what_is_live():
    def run():
        first, second = np.zeros(3 * MB, np.uint8), np.zeros(2 * MB, np.uint8)
        return first[:1].copy(), second

    found = trace_memory(run)
    about(found.peak, 5 * MB, "arrays of 3 MB and 2 MB at a time, the peak")
    about(found.live, 2 * MB, "the one of 2 MB is returned, and is live")


def test_what_was_there_before_does_not_count():
    tracemalloc.start()
    try:
        held = np.zeros(4 * MB, np.uint8)
        large = np.zeros(9 * MB, np.uint8)
        del large  # an earlier peak
        found = trace_memory(lambda: np.zeros(1 * MB, np.uint8).max())
        assert tracemalloc.is_tracing(), "tracing was on before: it stays on"
    finally:
        tracemalloc.stop()
    about(found.peak, 1 * MB, f"{held.nbytes:,} bytes held, 9 MB taken and given back before")
    about(found.live, 0, "nothing is left")


def test_memory_that_is_given_back():
    held = [np.zeros(2 * MB, np.uint8)]
    tracemalloc.start()
    try:
        held[0] = np.zeros(2 * MB, np.uint8)
        found = trace_memory(held.clear)
    finally:
        tracemalloc.stop()
    about(found.live, -2 * MB, "2 MB are given back")


def test_the_tracing_is_ended():
    trace_memory(lambda: None)
    assert not tracemalloc.is_tracing(), "tracing was off before: it is off again"
    try:
        trace_memory(lambda: 1 / 0)
    except ZeroDivisionError:
        assert not tracemalloc.is_tracing(), "it is off again also if the run has failed"
    else:
        raise AssertionError("an error of the run is passed on")


# %%
#| export
def peak_memory(run):
    """The most bytes that a call of `run` takes at a time, beyond what is there already."""
    return trace_memory(run).peak


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

# %% [markdown]
# The parameters are the smallest number here. After `forward_only` nearly everything is still live: the logits hold the graph, and the graph what every operation has saved for its gradient. After the whole step the graph is gone, and the gradients are left, as many bytes as there are parameters. That is why training takes so much more memory than the model does, and why a larger batch is what it runs out of.
#
# ## 6. Arithmetic or memory
#
# A processor does two things at once: it computes, and it fetches numbers. An operation is finished when both are. So its speed is limited by whichever takes longer, and that depends on how much it computes with each byte that it fetches, its *arithmetic intensity*:
#
# $$I = \frac{\mathrm{FLOPs}}{\mathrm{bytes}}, \qquad \mathrm{attainable} = \min(\text{peak FLOP/s},\; I \cdot \text{bytes/s})$$
#
# Drawn over $I$ this is a slope and a ceiling, the *roofline* (Williams, Waterman and Patterson, "Roofline", CACM 52, 2009). The edge between them is the machine's *balance*, peak FLOP/s divided by bytes/s. To its left an operation is memory-bound: a faster multiplication would change nothing. To its right it is compute-bound.
#
# A sum of two arrays reads two numbers and writes one, 12 bytes, for one addition. A product of two $n \times n$ matrices has $2n^3$ FLOPs on $12 n^2$ bytes, an intensity of $n / 6$: large matrices are compute-bound, and small ones are not.
#
# The two numbers of your machine are measured: the first with a large product of matrices, since nothing computes faster, the second with a large copy, which reads and writes every byte. What disturbs a measurement makes it slower, so of several runs the fastest counts.


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
# <details><summary>Hint 1</summary>Make all arrays before you measure: making them is not what is to be timed. <code>np.matmul(a, b, out=c)</code> and <code>np.copyto(target, source)</code> take no new memory.</details>
# <details><summary>Hint 2</summary><code>measure(lambda: ...).minimum</code> gives seconds. The product has 2 n³ FLOPs.</details>
# <details><summary>Hint 3</summary>A copy of an array moves <code>2 * source.nbytes</code>: each byte is read and written.</details>


# %% stub="measure-machine"
#| export
def measure_machine(n=1024, nbytes=64_000_000, measure=measure_latency):
    """Measure how fast this machine computes and moves bytes, in float32.

    Args:
        n: the product that is timed is one of two (n, n) matrices.
        nbytes: the size of the array that is copied: much larger than the caches.
        measure: what is called with a function without arguments, and returns a Latency; the
            minimum counts. The product is measured first, then the copy.

    Returns:
        A Machine. A copy moves each of its bytes twice, once in and once out. It goes
        into an array that is there already: new memory comes from the system, page by page.
    """
    ### BEGIN SOLUTION
    a = np.ones((n, n), np.float32)
    product, source = np.empty_like(a), np.ones(nbytes // 4, np.float32)
    target = np.empty_like(source)
    computing = measure(lambda: np.matmul(a, a, out=product)).minimum
    copying = measure(lambda: np.copyto(target, source)).minimum
    return Machine(2 * n**3 / computing, 2 * source.nbytes / copying)
    ### END SOLUTION


# %% test="measure-machine" points=4
def by_a_given_latency(n, nbytes, seconds):
    """The machine if the measurements have these minima; how many measurements there were."""
    runs = []

    def measure(run, **options):
        run()
        runs.append(run)
        least = seconds[len(runs) % 2 - 1]
        return Latency(5.0 * least, 9.0 * least, least, least, (least,))

    return measure_machine(n, nbytes, measure), len(runs)


def test_speeds_are_amounts_over_seconds():
    for n, nbytes, seconds in ((16, 4096, (0.5, 0.25)), (48, 80_000, (2.0, 3.0))):
        found, count = by_a_given_latency(n, nbytes, seconds)
        assert count == 2, f"one product and one copy are measured, not {count} things"
        wanted = 2 * n**3 / seconds[0], 2 * nbytes / seconds[1]
        assert math.isclose(found.flops_per_second, wanted[0]), (
            f"a product of {n} x {n} in {seconds[0]} s at least: {wanted[0]} FLOP/s, "
            f"not {found.flops_per_second}"
        )
        assert math.isclose(found.bytes_per_second, wanted[1]), (
            f"a copy of {nbytes:,} bytes in {seconds[1]} s at least, in and out: "
            f"{wanted[1]} bytes/s, "
            f"not {found.bytes_per_second}"
        )


def peak_of(run, *args):
    """The most bytes that a call has taken at a time."""
    tracemalloc.start()
    run(*args)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_arrays_are_float32_and_made_before():
    taken = []

    def once(run):
        run()
        return Latency(1.0, 1.0, 1.0, 1.0, (1.0,))

    def traced(run):
        taken.append(peak_of(run))
        return once(run)

    for n, nbytes in ((256, 4096), (16, 1_000_000)):
        taken.clear()
        measure_machine(n, nbytes, traced)
        whole = peak_of(measure_machine, n, nbytes, once)
        output, arrays = 4 * n * n + 20_000, 12 * n * n + 2 * nbytes + 60_000
        for what, new, most in (
            ("the copy that is timed goes into an array that is there", taken[1], 20_000),
            ("the result of the product is float32", taken[0], output),
            ("three (n, n) float32 and two arrays to copy are enough", whole, arrays),
        ):
            said = (
                f"n = {n}, {nbytes:,} bytes: {what}: at most {most:,} new bytes, not {new:,}"
            )
            assert new < most, said


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
    """What binds an operation on a machine, and the FLOP/s that it could reach."""

    bound: str  # "compute" or "memory"
    intensity: float
    attainable: float


# %% [markdown]
# <details><summary>Hint 1</summary>Two times: what computing would take, and what fetching would take. The longer one binds.</details>
# <details><summary>Hint 2</summary>With no bytes at all the intensity is infinite, and nothing but computing is left.</details>
# <details><summary>Hint 3</summary>It is memory-bound if the intensity is below <code>machine.balance</code>; what is attainable is the smaller of the two speeds.</details>


# %% stub="roofline"
#| export
def roofline(flops, nbytes, machine):
    """Say whether arithmetic or memory holds an operation back, and how fast it could be.

    Args:
        flops: its floating point operations, perhaps 0.
        nbytes: the bytes that it reads and writes; with 0 of them memory cannot hold it back.
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
            (0.01, "memory"),
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
            assert found.bound == bound, f"{said}: bound by {bound}, not {found.bound}"
            assert math.isclose(found.intensity, flops / nbytes), (
                f"{said}: intensity {found.intensity}"
            )
            assert math.isclose(found.attainable, wanted), (
                f"{said}: {wanted:g} FLOP/s are attainable, not {found.attainable:g}"
            )


def test_nothing_to_compute_and_nothing_to_fetch():
    machine = Machine(100.0, 10.0)
    found = roofline(0, 80, machine)
    assert (found.bound, found.intensity, found.attainable) == ("memory", 0, 0), (
        f"a copy has no FLOPs: memory binds it, and its FLOP/s are 0, not {found}"
    )
    found = roofline(80, 0, machine)
    assert (found.bound, found.intensity, found.attainable) == ("compute", math.inf, 100.0), (
        f"without bytes it is bound by computing, at its peak, not {found}"
    )


# %% [markdown]
# `bytes_moved` (given) counts, for each watched call, every array that goes in or out once. That is the least that has to be moved, if the caches were perfect. `verdicts` puts it together for what a profile has recorded. For the two steps of the GPT:


# %%
#| export
from tinytorch.given.profiling.binding import *


# %%
print(verdicts(prof, machine, row_limit=9))
draw_roofline(machine, prof)

# %% [markdown]
# The products have many FLOPs for each byte. Everything else, norms, activations, additions, has none that are counted: it is memory-bound on any machine, and stands outside the picture, to the left of it. A point below the roof is slower than it could be: its arrays are small and the time goes into calls, or it makes several passes over memory where one would do. Both are the subject of module 17. (Where a point is above the roof, the machine was disturbed while you measured it.)
#
# ## 7. Three faults
#
# In each of the next three, something is wrong with a model. Find it with what you have.
#
# ### Backward gives NaN
#
# A network classifies by distance: it has a *prototype* for each class, and scores a vector by how near it is to each of them. It starts, as is usual, from prototypes that are vectors of real samples. The loss looks healthy, and after the first step all its weights are NaN.


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
compare = Sequential(hidden, Distances(hidden(images[:10]).detach()))


def compare_step():
    compare.zero_grad()
    loss = cross_entropy(compare(images), labels)
    loss.backward()
    return loss


loss = compare_step()
bad = [name for name, p in compare.named_parameters() if np.isnan(p.grad.numpy()).any()]
print(f"loss {loss.item():.3f}; gradients with NaN: {', '.join(bad)}")

# %% [markdown]
# A NaN spreads: what is computed from one is another, so at the end nearly everything is spoiled, and to look at the parameters tells nothing. What tells is the *first* call that was given only good numbers, and returned a bad one.
#
# What is bad? In forward a NaN; an infinity may be meant there, as in a mask of $-\infty$. In backward an infinity as well: nobody means an infinite gradient, and multiplied by zero it becomes the next rule's NaN. Two given functions look at a call's arrays while they are there: `received_bad(call)` says whether what it was given holds such a number, and `returned_bad(call)` whether its result does. A module is not to blame itself: it holds operations, and its parameters are not among its inputs.
#
# <details><summary>Hint 1</summary>Write a function <code>seen(call)</code> for a Watch: the arrays are there only while it runs.</details>
# <details><summary>Hint 2</summary>The first call that is found is the answer: a list that it is appended to only while it is empty. Calls of kind "module" are not looked at.</details>
# <details><summary>Hint 3</summary><code>returned_bad(call)</code> without <code>received_bad(call)</code> is where it was made. What is kept is the line, <code>show_call(call)</code>, and not the call.</details>


# %% stub="find-nan"
#| export
def find_nan(run):
    """Find the first operation or gradient rule that makes a NaN, or an infinite gradient.

    Args:
        run: a function without arguments, such as a step of training.

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


def test_a_good_run_has_none():
    for function in (lambda x: (x * x).exp(), lambda x: x.masked_fill(x > 0, -math.inf).exp()):
        found = find_nan(gradient_of(function, 0.0, 1.0))
        assert found is None, f"nothing is wrong here, but it says {found!r}"


def test_the_rule_that_gives_infinity_comes_before_those_that_give_nan():
    found = find_nan(gradient_of(lambda x: ((x * 2) * (x * 3)).sqrt() * 5, 0.0, 4.0))
    assert str(found).startswith("backward of SqrtBackward in Steps"), (
        f"the slope of sqrt at 0 is infinite, so its rule is the first: {found!r}"
    )


def test_a_nan_that_forward_has_made():
    found = find_nan(gradient_of(lambda x: (x - 1).log() * 2, 0.5, 2.0))
    assert str(found).startswith("forward of Log in Steps"), f"log of -0.5 is NaN: {found!r}"


def test_what_was_given_a_nan_is_not_to_blame():
    x = tensor([math.nan, 1.0], requires_grad=True)
    found = find_nan(lambda: (x * 2).exp().sum().backward())
    assert found is None, f"the NaN was there before anything ran, but it says {found!r}"
    layer = Linear(2, 3)
    layer.weight.array[1, 0] = math.nan
    found = find_nan(lambda: layer(tensor([[1.0, 2.0]])).sum().backward())
    assert found is None, f"the NaN was in a weight, which no call made, but it says {found!r}"


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


# %%
print(find_nan(compare_step))

# %% [markdown]
# The root of 0. Ten of the images *are* prototypes, so their distance is exactly 0; there the slope of a square root, $1 / (2\sqrt{0})$, is infinite, and the rule before it multiplies that by $2 \cdot 0$, which is NaN. Forward sees nothing of it. The usual cure is to keep the root away from 0.


# %%
Distances.eps = 1e-6
loss = compare_step()
print(f"loss {loss.item():.3f}; first bad call: {find_nan(compare_step)}")

# %% [markdown]
# ### The model is memory-bound
#
# A service answers requests, one vector at a time, with a network of wide layers. Somebody proposes to buy a machine with twice the FLOP/s. Would it help?


# %%
wide = Sequential(Linear(2048, 2048), ReLU(), Linear(2048, 2048), ReLU(), Linear(2048, 2048))
wide.eval().requires_grad_(False)
one, many = randn(1, 2048), randn(64, 2048)

for rows in (one, many):
    wide(rows)
    with profile(with_flops=True) as prof:
        wide(rows)
    seconds = measure_latency(lambda rows=rows: wide(rows), repeats=10).minimum
    print(f"{len(rows)} rows at a time: {len(rows) / seconds:,.0f} rows a second")
    print(verdicts(prof, machine))

# %% [markdown]
# For one row, each weight of 4 bytes is fetched for one multiplication and one addition: half a FLOP for each byte, far left of the balance. Twice the FLOP/s would change nothing. With 64 rows at a time the same weights are fetched once for all of them, the intensity is some sixty times as large, and the same machine answers many more of them in a second.
#
# That is what a server does that waits a moment and answers several requests together. What can be done for a single row? Move fewer bytes: module 15 stores a weight in one byte instead of four. It is also why a language model that writes one token at a time is memory-bound, which modules 15 and 18 are about.
#
# ### Training is slow
#
# A model is trained on digits that are moved at random, and an epoch takes far longer than the model's own arithmetic would suggest. Before you look inside the model, ask whether it is working at all: a training loop alternates between waiting for a batch and computing on it.
#
# ```text
#   clock ->  |-- wait --|-- step --|-- wait --|-- step --|
#             ^          ^          ^
#             before     arrived    done, which is the next "before"
# ```
#
# <details><summary>Hint 1</summary>What a <code>for</code> loop does before its body runs is the waiting. Read the clock first thing in the body, after the step, and once before the loop.</details>
# <details><summary>Hint 2</summary>Two sums: waiting is from the end of one step to the arrival of the next batch; the rest is work.</details>
# <details><summary>Hint 3</summary>The reading after the step is where the next waiting begins: keep it for the next turn of the loop.</details>


# %% stub="waiting-share"
#| export
def waiting_share(batches, step, clock=time.perf_counter):
    """Measure which part of a training loop's time is spent waiting for data.

    Args:
        batches: what the loop goes through, such as a DataLoader; at least one batch.
        step: called with each batch.
        clock: what gives the time in seconds.

    Returns:
        Seconds of waiting over seconds of waiting and stepping, between 0 and 1.
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
    now, given = [50.0], []

    def batches():
        for number, seconds in enumerate(waits):
            now[0] += seconds
            yield number

    def step(batch):
        now[0] += steps[len(given)]
        given.append(batch)

    return waiting_share(batches(), step, clock=lambda: now[0]), given


def test_the_share_of_waiting():
    for waits, steps in [
        ([3.0], [1.0]),
        ([1.0, 2.0, 5.0], [4.0, 1.0, 3.0]),
        ([10.0, 0.0, 0.0], [0.0, 1.0, 9.0]),
        ([0.0, 0.0], [1.0, 1.0]),
    ]:
        found, given = loop_of(waits, steps)
        wanted = sum(waits) / (sum(waits) + sum(steps))
        assert given == list(range(len(waits))), (
            f"each batch goes to a step, in order: {given}"
        )
        assert math.isclose(found, wanted, abs_tol=1e-12), (
            f"waiting {waits} s, steps of {steps} s: a share of {wanted:.3f}, not {found:.3f}"
        )


def test_a_batch_is_fetched_when_it_is_needed():
    done = []

    def batches():
        for number in range(3):
            assert len(done) == number, (
                f"batch {number} is fetched after {number} steps, not after {len(done)}"
            )
            yield number

    waiting_share(batches(), done.append)


def test_a_real_clock():
    def batches():
        for number in range(3):
            time.sleep(0.02)
            yield number

    found = waiting_share(batches(), lambda batch: None)
    assert found > 0.9, f"60 ms of waiting and no work: nearly 1, not {found:.3f}"


# %%
def shifted(image):
    """An image (1, 8, 8), moved by up to a pixel, pixel by pixel."""
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
start = time.perf_counter()
share = waiting_share(slow, step)
print(f"192 images: {time.perf_counter() - start:.2f} s, {share:.0%} of it waiting for data")

# %% [markdown]
# The model is idle nearly all the time, so nothing that is done to the model could help. What is the loader doing? Profile the fetching of one batch.


# %%
with profile() as prof:
    next(iter(slow))
print(prof.key_averages().table(sort_by="count", row_limit=4))

# %% [markdown]
# Thousands of operations on single numbers for 64 images of 64 pixels each. Move whole images instead: put a margin of zeros around all of them, once, and cut a window out of each, at its place.


# %%
def moved_together(pairs):
    """A batch of images, each moved by up to a pixel: one window for each, all cut at once."""
    margin = np.pad(np.stack([i.numpy() for i, _ in pairs]), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(
        margin, (8, 8), (2, 3)
    )  # (B, 1, 3, 3, 8, 8)
    down, right = randint(0, 3, (2, len(pairs))).numpy()
    return wrap(windows[np.arange(len(pairs)), :, down, right]), stack([c for _, c in pairs])


quick = DataLoader([(i, c) for i, c in few], batch_size=64, collate_fn=moved_together)
start = time.perf_counter()
share = waiting_share(quick, step)
print(f"192 images: {time.perf_counter() - start:.2f} s, {share:.0%} of it waiting for data")

# %% [markdown]
# Now the model is what takes the time, and only now is it worth looking inside it, as you did with the GPT. Before, a profile of the model would have been right, detailed and useless. Where waiting cannot be made shorter, it can be hidden: `DataLoader(num_workers=...)` prepares batches while the model computes.
#
# ## Systems: what watching costs
#
# An instrument that slows down what it measures, measures itself. How much does it cost to be watched? And is anything left of it afterwards?


# %%
pair = zeros(2)


def small_operations():
    x = pair
    for _ in range(1000):
        x = x + pair


code = Function.apply.__func__.__code__
print("1000 additions of two numbers, and a step of the GPT, in processor time")
for name, run, repeats in (("additions", small_operations, 5), ("step", gpt_step, 2)):
    cost = lambda run=run, repeats=repeats: (
        measure_latency(run, 1, repeats, time.process_time).minimum
    )
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
# Additions of two numbers take several times as long, because Python calls back at every function they pass through. Real work becomes a little slower: a fixed price for each call is small where each call does much. So trust a profile's shares where events are long, be suspicious of rows of thousands of tiny events, and take totals from a run without a profiler. Switched off, nothing is left: the interpreter has no callback, and the functions were never replaced.
#
# ## Break it
#
# **The first run is not like the others.** Measured without warm-up, whichever candidate comes first seems slow.


# %%
def fresh():
    return np.zeros(4_000_000, np.float32) + 1


cold = measure_latency(fresh, warmup=0, repeats=6)
print("ms, in their order:", [round(t * 1e3, 2) for t in cold.times])

# %% [markdown]
# **A mean that one interruption spoils.** Take thirty real times, and let one of them be a tenth of a second longer, as when another program wakes up.


# %%
times = list(measure_latency(small_operations).times)
spoilt = [*times[:-1], times[-1] + 0.1]
print(f"mean   {np.mean(times) * 1e3:7.3f} ms, then {np.mean(spoilt) * 1e3:7.3f} ms")
print(f"median {np.median(times) * 1e3:7.3f} ms, then {np.median(spoilt) * 1e3:7.3f} ms")

# %% [markdown]
# **A loss that keeps everything alive.** To draw a curve, somebody appends the loss of each step to a list. The loss is a tensor, and a tensor holds its graph.


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
# After `backward` the graph would be freed, and the leak smaller; in an evaluation without `no_grad`, as here, it is the whole of it. `live` shows it, long before the machine is full.
#
# **Tracing memory while timing.** `tracemalloc` notes every piece of memory that Python takes. Never time and trace in the same run.


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
# PyTorch 2.13 says 1294336 too for a `Sequential` of these two layers. Where it counts otherwise: products with a vector (`mv`, `dot`) are 0 there, and so is fused attention on the CPU. On a GPU kernels run on their own clock: PyTorch times them there, since the processor only starts them and goes on.
#
# ## Questions to think about
#
# 1. `self_cpu_time_total` adds up to the whole, `cpu_time_total` does not. Of which rows do you read which?
# 2. A matrix product of n x n has intensity n/6 if every number is fetched once. What is it if the cache holds only one row and one column?
# 3. `find_nan` names the first call that makes a NaN. A float16 model overflows in forward to infinity, and the softmax after it gives NaN. Which call is named, and which one would you change?
# 4. Backward costs twice forward in FLOPs. Why does it often take more than twice the time?
# 5. The share of waiting is 50 %. How much faster can training become at most if only the loading is improved? And if both overlap perfectly?
# 6. Why is the minimum the best guess of what the work takes, and the 95th percentile the best promise to a user?
#
# ## What comes next
#
# You know now what a model costs and what binds it. Module 15 makes its numbers smaller, so that fewer bytes are moved; module 16 leaves some of them out; module 17 writes the operations anew; module 18 stops computing what was computed before. Each of them measures with this module.
