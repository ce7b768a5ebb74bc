# %% [markdown]
# # 02 Activations
#
# A stack of a hundred matrix products is just one matrix product. What makes a deep network more than a shallow one is
# the small functions between the products: the activations. They work on one number at a time, cost little arithmetic,
# and without them depth gains nothing. The same module contains the functions at the end of a network, which turn
# scores into probabilities. These look just as harmless, and are a common source of NaNs.
#
# At the end of this lesson you will be able to
#
# - write the common activations, from ReLU to the GELU of GPT-2;
# - turn scores into probabilities, and into their logarithms, for any scores that fit into a float32;
# - say where `exp` overflows in each number type, and rewrite a formula so that it does not;
# - measure what the arrays between the steps of a formula cost, and avoid them.
#
# ## What you build
# What you export becomes `tinytorch/activations.py`. Each function is a `Function`, as you wrote them in module 01:
# `forward` takes arrays, leaves them as they are, and saves in `ctx` what its gradient will need. The gradients come in
# module 06, so *what* is saved is part of the task.
#
# | yours | PyTorch's | where they differ |
# |---|---|---|
# | `relu`, `leaky_relu`, `silu` | `torch.nn.functional`, the same names | none, `inplace` included |
# | `sigmoid`, `tanh` | `torch.sigmoid`, `torch.tanh` | none |
# | `gelu(input, approximate)` | `torch.nn.functional.gelu` | none |
# | `softplus(input, beta, threshold)` | `torch.nn.functional.softplus` | no `exp` overflows, whatever the threshold |
# | `softmax`, `log_softmax` | `torch.nn.functional`, the same names | none; the guess without `dim` is deprecated |
# | `logsumexp(input, dim, keepdim)` | `torch.logsumexp` | none |

# %%
#| export
import math

import numpy as np

from tinytorch.tensor import Context, Function, axes_of, axis_of, floating, in_float32

# %%
import timeit
import tracemalloc

import matplotlib.pyplot as plt

from tinytorch.given.predictions import compare

from tinytorch.tensor import from_numpy, manual_seed, randn, tensor

# %% [markdown]
# The common checks are given: `checked` refuses integers where the result could not be an integer, `put` handles
# `inplace`. `in_float32` calls `apply`; float16 is computed in float32 and rounded once.

# %%
#| export
from tinytorch.given.activations.checks import *


# %%
def values(function, x, *options, **named):
    """A function of tensors on an array: x must not change, and its type is kept."""
    before = x.copy()
    found = function(from_numpy(x), *options, **named).numpy()
    said = "the input belongs to the caller, and stays as it was; here, it was changed"
    np.testing.assert_array_equal(x, before, err_msg=said)
    assert found.dtype == x.dtype, f"{x.dtype} stays {x.dtype}, here it became {found.dtype}"
    return found


def check_saved(function, *wanted, of=((-1.0, 2.0, 0.5),), **options):
    """Check what an operation saves, its "input" or "output": the array itself, not a copy."""
    ctx, x = Context(function), np.array(of, np.float32)
    output = function.forward(ctx, x, **options)
    names, saved = " and then the ".join(wanted), ctx.saved_tensors
    said = "the input belongs to the caller, and stays as it was; here, it was changed"
    np.testing.assert_array_equal(x, np.array(of, np.float32), err_msg=said)
    case = "".join(f", {option}={value!r}" for option, value in options.items())
    assert len(saved) == len(wanted), (
        f"with shape={x.shape}{case}, to be saved: the {names}; arrays saved: {len(saved)}"
    )
    for name, array in zip(wanted, saved):
        same = array is {"input": x, "output": output}[name]
        said = f"to be saved: the {names}, the array itself, not a copy of it"
        assert same, f"{said}; what is saved as the {name} is\n{array!r}"
    return ctx


# %% [markdown]
# ## 1. Why activations are needed
# Two layers without anything between them are $(xA)B$. A matrix product can be bracketed in any way, so they are
# $x(AB)$: one layer, with the matrix $AB$. Look at what this means for the smallest task that one layer cannot do,
# exclusive or: no matrix takes the four points to 0, 1, 1, 0, however many you multiply.

# %%
points = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
rng = np.random.default_rng(0)
A, B = rng.standard_normal((2, 8)), rng.standard_normal((8, 1))
print("two layers are one:", np.allclose(points @ A @ B, points @ (A @ B)))
best = np.linalg.lstsq(np.c_[points, np.ones(4)], [0, 1, 1, 0])[0]
print("the best linear answer to xor:", np.c_[points, np.ones(4)] @ best)
hidden = points @ np.array([[1, 1], [1, 1]]) + np.array([0, -1])
print("with max(x, 0) between two layers:", np.maximum(hidden, 0) @ np.array([1, -2]))

# %% [markdown]
# The best linear function answers one half for all points. With $\max(x, 0)$ in between, two layers whose weights are
# 1, -1 and -2 answer exactly. That function is the *rectified linear unit*:
#
# $$\mathrm{relu}(x) = \max(x, 0)$$
#
# It bends once, at zero, and a network of them can approximate any continuous curve with enough straight pieces. It is
# also very cheap: one comparison, no `exp`.
#
# Two details matter. A NaN should come out as a NaN: a function that turns it into 0 hides the mistake that caused it.
# And the gradient needs only the output: it is zero exactly where the gradient is. Save the output rather than the
# input, and the input's memory can be freed.
#
# <details><summary>Hint 1</summary>NumPy has a function for the larger of two numbers, element by element,
# and either of them may be a plain 0.</details>
# <details><summary>Hint 2</summary>Pass the plain integer <code>0</code> to it: the result keeps the type of
# <code>x</code>, integers too, and is NaN for NaN. <code>0.0</code> would turn integers into float64.</details>
# <details><summary>Hint 3</summary>Backward needs the result alone: save the very array that you return.</details>


# %% stub="relu"
#| export
class Relu(Function):
    @staticmethod
    def forward(ctx, x):
        """Replace negative numbers by zero: relu(x) = max(x, 0).

        Args:
            x: an array of any shape and of any type but bool.

        Returns:
            A new array of x's shape and dtype; NaN stays NaN.

        Saves:
            Its output, the very array.

        >>> Relu.forward(Context(), np.float32([-1.0, 0.0, 2.0]))
        array([0., 0., 2.], dtype=float32)
        """
        ### BEGIN SOLUTION
        output = np.maximum(x, 0)
        ctx.save_for_backward(output)
        return output
        ### END SOLUTION


def relu(input, inplace=False):
    """max(x, 0), element by element; with `inplace`, in the memory of `input`."""
    if input.array.dtype == bool:
        raise RuntimeError("Boolean inputs not supported for relu")
    return put(Relu, input, inplace)


# %% test="relu" points=2
def test_relu_keeps_what_is_positive():
    x = np.float32([-3.0, -0.5, 0.0, 0.5, 3.0, -np.inf, np.inf])
    y = values(relu, x)
    said = "negative numbers become 0, the others stay"
    np.testing.assert_array_equal(y, [0, 0, 0, 0.5, 3, 0, np.inf], err_msg=said)
    shared = np.shares_memory(values(relu, x[3:5]), x)
    assert not shared, "a new array, also where no number is negative; it shares x's memory"


def test_relu_does_not_hide_a_nan():
    y = values(relu, np.float32([np.nan, -1.0]))
    np.testing.assert_array_equal(y, [np.nan, 0], err_msg="NaN stays NaN")


def test_relu_keeps_type_and_shape():
    for kind in (np.float16, np.float32, np.float64, np.int64, np.int8):
        y = values(relu, np.array([[-2, 3]], kind))
        said = f"relu of [[-2, 3]] in {kind.__name__}"
        np.testing.assert_array_equal(y, [[0, 3]], err_msg=said)
    for shape in ((), (0, 3)):
        y = values(relu, np.ones(shape, np.float32))
        assert y.shape == shape, (
            f"a tensor of shape {shape} keeps it, here it became {y.shape}"
        )


def test_relu_saves_its_output():
    check_saved(Relu, "output")


# %% [markdown]
# ## 2. Sigmoid: any score between 0 and 1
#
# $$\sigma(x) = \frac{1}{1 + e^{-x}}$$
#
# The first networks that were trained by gradients used it, as a soft switch. Today it is used for yes-or-no questions:
# at the output for two classes, and in the gates of LSTM, GRU and SiLU.
#
# ### What goes wrong first
# The formula can be written in two ways, by multiplying numerator and denominator with $e^x$. They are equal
# on paper. Run them in the two number types that networks are computed in.

# %%
with np.errstate(all="ignore"):  # without NumPy's warnings: look at the numbers
    for kind in (np.float32, np.float16):
        x = np.array([-1000, -12, 0, 12, 1000], kind)
        print(kind.__name__, "  1 / (1 + exp(-x)):", 1 / (1 + np.exp(-x)))
        print(kind.__name__, "exp(x) / (1 + exp(x)):", np.exp(x) / (1 + np.exp(x)))

# %% [markdown]
# The second form gives `nan` to the right, where it computes `inf / inf`. The first survives, but only just: $e^{12}$
# is too large for a float16, whose largest number is 65,504, so it returns 0 where $6.1 \cdot 10^{-6}$ is right and
# representable. A probability of 0 is dangerous: its logarithm is -inf, and the loss is infinite.
#
# Each form is fine on one side: $1 / (1 + e^{-x})$ where $x \ge 0$ and $e^{x} / (1 + e^{x})$ where
# $x < 0$. On its side, each takes `exp` of a number that is not positive:
#
# ```
#              x < 0                x >= 0
# exponent       x                    -x            both are -|x|
# numerator     e^x                    1
# denominator  1 + e^x              1 + e^-x        both are 1 + e^-|x|
# ```
#
# One `exp` serves both sides, and never exceeds 1. (`np.where` would compute both forms for all x.)
#
# <details><summary>Hint 1</summary>
#
# Compute $e^{-|x|}$ once, for all x. Then only the numerator depends on the side.
#
# </details>
# <details><summary>Hint 2</summary>The numerator is 1 where x is at least 0, and that exponential, which is at most 1,
# elsewhere. That is a maximum.</details>
# <details><summary>Hint 3</summary>A comparison counts as 1 or 0 among floats, so <code>np.maximum</code> of the
# exponential and a comparison is the numerator. Divide by one plus the exponential, and save the result.</details>


# %% stub="sigmoid"
#| export
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        """Map any score to a number between 0 and 1: sigmoid(x) = 1 / (1 + exp(-x)).

        Args:
            x: an array of any shape, floating point.

        Returns:
            An array of x's shape and dtype, to the last digits at both ends. Nothing overflows
            on the way.

        Saves:
            Its output, the very array.

        >>> Sigmoid.forward(Context(), np.float32([-1000.0, 0.0, 1000.0]))
        array([0. , 0.5, 1. ], dtype=float32)
        """
        ### BEGIN SOLUTION
        exps = np.exp(-np.abs(x))
        output = np.maximum(exps, x >= 0)
        exps += 1
        output /= exps
        ctx.save_for_backward(output)
        return output
        ### END SOLUTION


def sigmoid(input):
    """1 / (1 + exp(-x)), element by element."""
    return in_float32(Sigmoid, floating(input))


# %% test="sigmoid" points=5
def test_sigmoid_gives_odds():
    y = values(sigmoid, np.log([1, 3, 1 / 3]))
    said = "a score of log 3 means 3 to 1"
    np.testing.assert_allclose(y, [1 / 2, 3 / 4, 1 / 4], rtol=1e-12, err_msg=said)


def test_sigmoid_is_the_formula_where_nothing_overflows():
    x = np.random.default_rng(0).uniform(-6, 6, (5, 40))
    expected = 1 / (1 + np.exp(-x))
    y = values(sigmoid, x)
    said = "1 / (1 + exp(-x)) for 200 float64 scores from -6 to 6, to 12 digits"
    np.testing.assert_allclose(y, expected, rtol=1e-12, err_msg=said)


def test_sigmoid_overflows_at_neither_end():
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        y = values(sigmoid, np.float32([-np.inf, -1000.0, 1000.0, np.inf]))
    said = "sigmoid of -inf, -1000, 1000, inf: far to the left it is 0, far to the right 1"
    np.testing.assert_array_equal(y, [0, 0, 1, 1], err_msg=said)


def test_sigmoid_keeps_small_probabilities():
    for kind, scores in ((np.float32, [-10, -20, -80]), (np.float64, [-20, -720])):
        expected = np.exp(scores) / (1 + np.exp(scores))
        y = values(sigmoid, np.array(scores, kind))
        said = f"of {scores} in {kind.__name__}: small, but not 0; logarithms will be needed"
        np.testing.assert_allclose(y, expected, rtol=1e-5, err_msg=said)
    y = values(sigmoid, np.float16([-12.0]))
    said = "in float16 too: sigmoid(-12) is 6.14e-6"
    np.testing.assert_allclose(y, [6.14e-6], rtol=0.02, err_msg=said)


def test_sigmoid_keeps_type_shape_and_nan():
    for kind in (np.float16, np.float32, np.float64):
        for shape in ((2, 3), (), (0, 3)):
            y = values(sigmoid, np.zeros(shape, kind))
            assert y.shape == shape, f"shape {shape} stays, here it became {y.shape}"
    assert np.isnan(values(sigmoid, np.float32([np.nan]))[0]), "NaN stays NaN"


def test_sigmoid_saves_its_output():
    check_saved(Sigmoid, "output")


# %% [markdown]
# `tanh` is the same curve stretched to lie between -1 and 1: $\tanh(x) = 2\sigma(2x) - 1$. Its middle is 0, which is
# better for the next layer. NumPy's own is accurate at both ends, so it is given. So is the error function, which the
# next section needs: for float32 it is the `tanh` of a fitted polynomial, right to the last digit or two.


# %%
#| export
from tinytorch.given.activations.curves import *

# %% [markdown]
# ## 3. GELU and SiLU: gates
# ReLU multiplies $x$ by 1 or by 0, as a gate that is open or closed. Let the gate open gradually instead, depending on
# how $x$ compares with other numbers. If these are drawn from a normal distribution, $x$ is larger with probability
# $\Phi(x)$, and that is the *Gaussian error linear unit* (Hendrycks and Gimpel 2016):
#
# $$\mathrm{gelu}(x) = x\,\Phi(x) = \frac{x}{2}\left(1 + \mathrm{erf}\frac{x}{\sqrt 2}\right)$$
#
# The same paper gives a formula that comes close and needs no `erf`. BERT and GPT-2 were trained with it:
#
# $$\mathrm{gelu}(x) \approx \frac{x}{2}\left(1 + \tanh\left(\sqrt{2/\pi}\,(x + 0.044715\,x^3)\right)\right)$$
#
# The two differ by up to 0.0005. That is small, but may be enough to change what a trained GPT-2 says: run a checkpoint
# with the formula it was trained with. So PyTorch has both, chosen by `approximate`, and so do you.
#
# Avoid two things in the formula: `x ** 3` is a general power, many times slower than `x * x * x`. And
# `np.sqrt(2 / np.pi)` is a NumPy float64, which makes float64 of a whole float32 array; `math.sqrt` returns a Python
# float, which does not.
#
# <details><summary>Hint 1</summary>Save <code>x</code>, then branch on <code>approximate</code>. Both
# formulas are ½x(1 + something between -1 and 1).</details>
# <details><summary>Hint 2</summary><code>Erf.forward(Context(), z)</code> is the error function on arrays;
# <code>math.sqrt(0.5) * x</code> is its argument, and stays float32.</details>
# <details><summary>Hint 3</summary>The other formula, written directly with <code>x * x * x</code>,
# <code>math.sqrt</code> and <code>np.tanh</code>, is enough. The solution computes it in place, which is the subject of
# <em>Systems</em> below.</details>


# %% stub="gelu"
#| export
class Gelu(Function):
    @staticmethod
    def forward(ctx, x, approximate):
        """Multiply each number by the probability that a standard normal number is smaller.

        gelu(x) = x/2 (1 + erf(x / sqrt(2)))                                 approximate="none"
        gelu(x) = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))              approximate="tanh"

        Args:
            x: an array of any shape, floating point.
            approximate: "none" or "tanh".

        Returns:
            An array of x's shape and dtype.

        Saves:
            Its input, the very array.

        >>> Gelu.forward(Context(), np.float32([-1.0, 0.0, 1.0]), approximate="none").round(4)
        array([-0.1587,  0.    ,  0.8413], dtype=float32)
        """
        ctx.approximate = approximate
        ### BEGIN SOLUTION
        ctx.save_for_backward(x)
        if approximate == "none":
            return 0.5 * ((1 + Erf.forward(Context(), math.sqrt(0.5) * x)) * x)
        output = np.multiply(x, x, out=np.empty_like(x))  # then in place: one array, not three
        output *= 0.044715
        output += 1
        output *= x
        output *= math.sqrt(2 / math.pi)
        np.tanh(output, out=output)
        output += 1
        output *= x
        output *= 0.5
        return output
        ### END SOLUTION


def gelu(input, approximate="none"):
    """x times P(a normal number is below x); "tanh" is GPT-2's formula for it."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError(
            f"approximate argument must be either none or tanh, got {approximate!r}"
        )
    return in_float32(Gelu, checked(input, "gelu"), approximate=approximate)


# %% test="gelu" points=5
def test_gelu_is_x_times_the_normal_probability():
    x = np.linspace(-5, 5, 42).reshape(2, 21)
    expected = [[v / 2 * (1 + math.erf(v / math.sqrt(2))) for v in row] for row in x]
    y = values(gelu, x)
    said = "gelu(x) = x/2 (1 + erf(x / sqrt 2)), x from -5 to 5"
    np.testing.assert_allclose(y, expected, rtol=1e-9, atol=1e-12, err_msg=said)


def test_gelu_has_the_formula_of_gpt2():
    x = np.linspace(-5, 5, 41)
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    expected = x / 2 * (1 + np.tanh(inner))
    y = values(gelu, x, approximate="tanh")
    said = "approximate='tanh': x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), x from -5 to 5"
    np.testing.assert_allclose(y, expected, rtol=1e-9, atol=1e-12, err_msg=said)


def test_gelu_goes_to_zero_and_to_x():
    for approximate in ("none", "tanh"):
        y = values(gelu, np.float32([-1000, -30, 0, 30, 1000]), approximate)
        said = f"far out it is 0 or x, approximate={approximate!r}"
        np.testing.assert_allclose(y, [0, 0, 0, 30, 1000], atol=1e-6, err_msg=said)


def test_gelu_keeps_type_and_shape():
    for approximate in ("none", "tanh"):
        for kind in (np.float16, np.float32):
            for shape in ((2, 3), (), (0, 3)):
                y = values(gelu, np.ones(shape, kind), approximate)
                assert y.shape == shape, f"shape {shape} stays, here it became {y.shape}"
                said = "gelu(1) is 0.841"
                np.testing.assert_allclose(y, np.full(shape, 0.8413), rtol=2e-3, err_msg=said)


def test_gelu_saves_its_input():
    for approximate in ("none", "tanh"):
        check_saved(Gelu, "input", approximate=approximate)


# %% [markdown]
# The *sigmoid linear unit*, also called swish, has the sigmoid for its gate: $\mathrm{silu}(x) = x\,\sigma(x)$. Llama
# uses it, and many language models since. You have the sigmoid already; on arrays it is
# `Sigmoid.forward(Context(), x)`, with a context that is not used again.
#
# What it saves is a choice. The gradient needs $x$ and $\sigma(x)$. Saving both keeps two arrays alive until the
# backward pass; saving $x$ keeps only one, and $\sigma(x)$ is recomputed. Recomputing what is cheap, in order not to
# store it, is a trade-off that you will meet at every scale.
#
# <details><summary>Hint 1</summary>Which of your functions computes the gate, even for scores of 1000?</details>
# <details><summary>Hint 2</summary>Save <code>x</code>, and nothing else.</details>
# <details><summary>Hint 3</summary>The sigmoid gets its own <code>Context</code>, so that what it saves is dropped.
# Return its product with <code>x</code>.</details>


# %% stub="silu"
#| export
class Silu(Function):
    @staticmethod
    def forward(ctx, x):
        """Multiply each number by its own sigmoid: silu(x) = x sigmoid(x).

        Args:
            x: an array of any shape, floating point.

        Returns:
            An array of x's shape and dtype.

        Saves:
            Its input, the very array.

        >>> Silu.forward(Context(), np.float32([-1.0, 0.0, 1.0])).round(4)
        array([-0.2689,  0.    ,  0.7311], dtype=float32)
        """
        ### BEGIN SOLUTION
        ctx.save_for_backward(x)
        return x * Sigmoid.forward(Context(), x)
        ### END SOLUTION


def silu(input, inplace=False):
    """x sigmoid(x), element by element; with `inplace`, in the memory of `input`."""
    return put(Silu, checked(input, "silu"), inplace)


# %% test="silu" points=2
def test_silu_is_x_times_its_sigmoid():
    x = np.linspace(-8, 8, 34).reshape(2, 17)
    expected = x / (1 + np.exp(-x))
    y = values(silu, x)
    said = "silu(x) = x sigmoid(x), x from -8 to 8"
    np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=said)


def test_silu_survives_scores_of_1000():
    with np.errstate(over="raise", invalid="raise"):
        y = values(silu, np.float32([-1000.0, 1000.0]))
    said = "the gate is closed on the left, open on the right"
    np.testing.assert_array_equal(y, [0, 1000], err_msg=said)


def test_silu_keeps_small_results():
    for kind, scores in ((np.float32, [-10, -25, -80]), (np.float64, [-20, -720])):
        expected = scores * (np.exp(scores) / (1 + np.exp(scores)))
        y = values(silu, np.array(scores, kind))
        said = f"x sigmoid(x) for {scores} in {kind.__name__}: small, but not 0"
        np.testing.assert_allclose(y, expected, rtol=1e-5, err_msg=said)


def test_silu_saves_its_input():
    check_saved(Silu, "input")


# %% [markdown]
# Here is what you have so far. The left half shows the difference. ReLU is flat there, and a unit that is negative for
# every input gets no gradient and does not recover; GELU and SiLU dip below zero before they vanish, so there is some
# slope.

# %%
x = np.linspace(-5, 5, 401)
figure, axes = plt.subplots(1, 2, figsize=(10, 3.5), layout="constrained")
for axis, functions in zip(axes, ((sigmoid, tanh), (relu, gelu, silu)), strict=True):
    for function in functions:
        axis.plot(x, function(from_numpy(x)).numpy(), label=function.__name__)
    axis.axhline(0, color="0.8", zorder=0)
    axis.axvline(0, color="0.8", zorder=0)
    axis.legend()
plt.show()

# %% [markdown]
# ## 4. Softplus, and how to take the logarithm of a sum
# Smooth the corner of ReLU, and you get *softplus*. It is used where a number must be positive, such as a
# variance that a network predicts:
#
# $$\mathrm{softplus}(x) = \log(1 + e^x)$$
#
# It also appears in losses with a sigmoid: $-\log\sigma(x) = \mathrm{softplus}(-x)$. So it has to be right for every
# $x$, but this formula fails at both ends, in two different ways.

# %%
with np.errstate(over="ignore"):
    for x in np.float32([-20, 0, 20, 100]):
        plain, better = np.log(1 + np.exp(x)), np.log1p(np.exp(x))
        print(f"x = {x:4.0f}   log(1 + exp(x)) = {plain:<12g} log1p(exp(x)) = {better:g}")

# %% [markdown]
# On the right, `exp` overflows. On the left, $e^{-20} = 2 \cdot 10^{-9}$ is added to 1, and a float32 next to
# 1 has steps of $10^{-7}$: the sum is 1, and its logarithm 0. For the left end NumPy has `log1p(z)`, which is
# $\log(1 + z)$ computed without ever making the sum. For the right end, take out the large part:
#
# $$\log(1 + e^x) = \log\left(e^x (e^{-x} + 1)\right) = x + \log(1 + e^{-x})$$
#
# This form is safe where $x$ is positive, the first where it is negative. As with the sigmoid, both have `exp` of
# $-|x|$ in common, and the rest is a maximum:
#
# $$\log(1 + e^x) = \max(x, 0) + \mathrm{log1p}\left(e^{-|x|}\right)$$
#
# PyTorch's function has two more arguments. `beta` makes the corner sharper: $\log(1 + e^{\beta x}) / \beta$.
# And where $\beta x$ is larger than `threshold`, it returns $x$ itself.
#
# <details><summary>Hint 1</summary>Compute <code>scaled = beta * x</code>, and use the last formula on
# it.</details>
# <details><summary>Hint 2</summary>Do not forget to divide by <code>beta</code> at the end. Compare <code>scaled</code>
# with <code>threshold</code>, but return <code>x</code>.</details>
# <details><summary>Hint 3</summary><code>np.log1p</code> and <code>np.maximum</code> make the formula, and
# <code>np.where</code> chooses between it and <code>x</code>, number by number.</details>


# %% stub="softplus"
#| export
class Softplus(Function):
    @staticmethod
    def forward(ctx, x, beta, threshold):
        """Smooth relu's corner: softplus(x) = log(1 + exp(beta x)) / beta.

        Args:
            x: an array of any shape, floating point.
            beta: how sharp the corner is; any number but 0.
            threshold: where beta x is larger, the result is x itself. It may be infinite.

        Returns:
            An array of x's shape and dtype, to the last digits at both ends. No exp
            overflows on the way.

        Saves:
            Its input, the very array.

        >>> Softplus.forward(Context(), np.float32([-20.0, 0.0, 1000.0]), beta=1, threshold=20)
        array([2.0611537e-09, 6.9314718e-01, 1.0000000e+03], dtype=float32)
        """
        ctx.beta, ctx.threshold = beta, threshold
        ### BEGIN SOLUTION
        ctx.save_for_backward(x)
        scaled = beta * x
        smooth = np.log1p(np.exp(-np.abs(scaled))) + np.maximum(scaled, 0)
        return np.where(scaled > threshold, x, smooth / beta)
        ### END SOLUTION


def softplus(input, beta=1, threshold=20):
    """log(1 + exp(beta x)) / beta, or x where beta x is larger than `threshold`."""
    return in_float32(Softplus, checked(input, "softplus"), beta=beta, threshold=threshold)


# %% test="softplus" points=4
def test_softplus_is_the_logarithm_of_one_plus_exp():
    x = np.linspace(-5, 5, 22).reshape(2, 11)
    expected = np.log(1 + np.exp(x))
    y = values(softplus, x)
    said = "softplus(x) = log(1 + exp(x)), x from -5 to 5 in float64, to 9 digits"
    np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=said)


def test_softplus_is_right_at_both_ends():
    x = [-1000, -50, -20, 50, 1000]
    expected = [0, np.exp(-50), np.exp(-20), 50, 1000]
    for threshold in (math.inf, 20):
        with np.errstate(over="raise", invalid="raise"):
            y = values(softplus, np.float32(x), threshold=threshold)
        said = f"softplus of {x} with threshold={threshold}; of -20 it is 2.06e-9, not 0"
        np.testing.assert_allclose(y, expected, rtol=1e-5, err_msg=said)


def test_softplus_sharpens_its_corner_with_beta():
    x = np.linspace(-2, 2, 9)
    for beta in (3.0, 0.5, -1.0):
        expected = np.log(1 + np.exp(beta * x)) / beta
        y = values(softplus, x, beta=beta, threshold=math.inf)
        said = f"log(1 + exp(beta x)) / beta, with beta={beta}"
        np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=said)
    with np.errstate(over="raise", invalid="raise"):
        y = values(softplus, np.float32([1000, 20]), beta=-1, threshold=math.inf)
    said = "log(1 + exp(-x)) / -1 of 1000 and 20, with beta=-1"
    np.testing.assert_allclose(y, [0, -np.exp(-20)], rtol=1e-5, err_msg=said)


def test_softplus_is_x_beyond_the_threshold():
    y = values(softplus, np.array([1.0, 2.0, 3.3]), beta=3, threshold=7)
    more = f"{y[2] - 3.3:.1e} more"
    assert y[2] == 3.3, f"beta x is 9.9, beyond the threshold 7: x, 3.3, exactly; here, {more}"
    expected = np.log(1 + np.exp([3.0, 6.0])) / 3
    said = "beta x is 3 and 6: below the threshold 7"
    np.testing.assert_allclose(y[:2], expected, rtol=1e-9, err_msg=said)
    y = values(softplus, np.array([1.0, -1.0]), threshold=0)
    said = "beta x is 1, beyond the threshold 0, and -1, below it: 1 and log(1 + e^-1)"
    np.testing.assert_allclose(y, [1, np.log(1 + np.exp(-1))], rtol=1e-9, err_msg=said)


def test_softplus_is_smooth_up_to_the_threshold_itself():
    y = values(softplus, np.array([0.9, 1.0]), threshold=1)
    expected = np.log(1 + np.exp([0.9, 1.0]))
    said = "beta x is 0.9 and 1: not larger than the threshold 1, whatever the result is"
    np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=said)


def test_softplus_keeps_type_and_shape():
    for kind in (np.float16, np.float32):
        for shape in ((2, 3), (), (0, 3)):
            y = values(softplus, np.zeros(shape, kind), beta=2, threshold=20)
            assert y.shape == shape, f"shape {shape} stays, here it became {y.shape}"


def test_softplus_saves_its_input():
    check_saved(Softplus, "input", beta=2, threshold=20)


# %% [markdown]
# ## 5. Softmax: scores into probabilities
# A network that chooses among $C$ classes ends in $C$ scores, one per class. They are called *logits*, and may be any
# real numbers. If you only need the choice, take the largest score. For training you need to know how confident the
# network was, and for that the scores have to become probabilities: none negative, with a sum of one.
#
# $$\mathrm{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$
#
# The exponential makes everything positive, and it turns *differences* of scores into *ratios* of probabilities: a
# class that is ahead by 1 is $e \approx 2.7$ times as likely, wherever on the scale the two are. With two classes it is
# a sigmoid: softmax of $(x, 0)$ gives $\sigma(x)$ to the first.
#
# ### What goes wrong first
# The plain formula works for most examples that you would try. The second row below has the same differences as the
# first. What is its result?


# %%
def softmax_by_the_book(x):
    exps = np.exp(x)
    return exps / exps.sum()


with np.errstate(all="ignore"):
    for logits in ([1.0, 2.0, 3.0], [998.0, 999.0, 1000.0]):
        print(logits, softmax_by_the_book(np.float32(logits)))

# %% [markdown]
# $e^{89}$ is too large for a float32, and `inf / inf` is NaN. But only the differences count, so you may subtract the
# same number from a whole row before you start:
#
# $$\frac{e^{x_i - m}}{\sum_j e^{x_j - m}} = \frac{e^{-m} e^{x_i}}{e^{-m} \sum_j e^{x_j}}$$
#
# Which $m$ makes sure that no exponential overflows, and that the sum in the denominator cannot become 0?
#
# A score of `-inf` is legal, and means that a class is impossible: attention will use it to hide the future from a
# language model. Its probability is 0, exactly.
#
# <details><summary>Hint 1</summary>The choice of m differs from row to row, but must be one number along
# <code>dim</code>. Think of the largest exponent that may occur.</details>
# <details><summary>Hint 2</summary>With the row's own maximum subtracted, all exponents are at most 0, and one
# is 0 exactly: the sum lies between 1 and the number of classes.</details>
# <details><summary>Hint 3</summary><code>x.max(axis=ctx.axis, keepdims=True)</code> keeps an axis of length 1, so that
# it can be subtracted from <code>x</code>; do the same for the sum. (With <code>initial=-np.inf</code> it also works on
# an empty axis, and NumPy happens to be faster.)</details>


# %% stub="softmax"
#| export
class Softmax(Function):
    @staticmethod
    def forward(ctx, x, dim):
        """Turn scores into probabilities along one dimension.

        softmax(x)_i = exp(x_i) / sum_j exp(x_j)

        Args:
            x: scores of any shape, empty too, floating point; -inf is an impossible class,
                and a row of nothing else gives NaN.
            dim: the dimension along which the results sum to one; negative from the end.

        Returns:
            An array of x's shape and dtype.

        Saves:
            Its output, the very array; `ctx.axis` is `dim`, counted from the front.

        Raises:
            IndexError: if x has no dimension `dim` (`axis_of` sees to that).

        >>> Softmax.forward(Context(), np.float32([[1000.0, 1000.0], [0.0, -np.inf]]), dim=1)
        array([[0.5, 0.5],
               [1. , 0. ]], dtype=float32)
        """
        ctx.axis = axis_of(dim, x.ndim)
        ### BEGIN SOLUTION
        output = np.empty_like(x)
        np.subtract(x, x.max(axis=ctx.axis, keepdims=True, initial=-np.inf), out=output)
        np.exp(output, out=output)
        output /= output.sum(axis=ctx.axis, keepdims=True)
        ctx.save_for_backward(output)
        return output
        ### END SOLUTION


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """Probabilities along `dim`, computed in `dtype` if given; see `Softmax.forward`."""
    return in_float32(Softmax, scores(input, _stacklevel, dtype), dim=chosen(input, dim))


# %% test="softmax" points=6
def test_softmax_sums_to_one_along_the_dimension_asked_for():
    x = np.random.default_rng(0).standard_normal((3, 3, 3))
    for dim in (0, 1, 2, -1, -2, -3):
        p = values(softmax, x, dim)
        assert p.shape == (3, 3, 3), f"the shape stays (3, 3, 3), here it became {p.shape}"
        said = f"dim={dim}: the entries along it sum to one, in float64 to 12 digits"
        np.testing.assert_allclose(p.sum(axis=dim), np.ones((3, 3)), rtol=1e-12, err_msg=said)


def test_softmax_turns_differences_into_ratios():
    x = 3 * np.random.default_rng(1).standard_normal((2, 3, 4))
    for dim in (0, 1, -1):
        exps = np.exp(x)
        expected = exps / exps.sum(axis=dim, keepdims=True)
        p = values(softmax, x, dim)
        said = f"dim={dim}: exp(x) over the sum of exp(x) along it, to the last digits"
        np.testing.assert_allclose(p, expected, rtol=1e-12, err_msg=said)


def test_softmax_survives_logits_of_1000():
    for row in ([998, 999, 1000], [-1000, -999, -998], [-3e38, -3e38, -3e38]):
        expected = np.exp(np.array(row) - row[2]) / np.exp(np.array(row) - row[2]).sum()
        with np.errstate(over="raise", invalid="raise"):
            p = values(softmax, np.float32([row]), 1)
        np.testing.assert_allclose(p, [expected], rtol=1e-6, err_msg=f"softmax of {row}")


def test_softmax_is_the_same_for_rows_that_differ_by_a_constant():
    x = np.float32([[-2.0, -1.0, 0.0], [998.0, 999.0, 1000.0], [-1000.0, -999.0, -998.0]])
    expected = np.exp([-2, -1, 0]) / np.exp([-2, -1, 0]).sum()
    with np.errstate(over="raise", invalid="raise"):
        rows, columns = values(softmax, x, 1), values(softmax, x.T, 0)
    said = "rows that differ by a constant have the same probabilities"
    np.testing.assert_allclose(rows, [expected] * 3, rtol=1e-6, err_msg=said)
    said = "dim=0: columns that differ by a constant have the same probabilities"
    np.testing.assert_allclose(columns.T, [expected] * 3, rtol=1e-6, err_msg=said)


def test_softmax_gives_the_impossible_no_probability():
    x = np.float32([[0.0, -np.inf, 0.0], [-np.inf, -np.inf, 5.0]])
    p = values(softmax, x, 1)
    said = "-inf means impossible: probability 0, exactly"
    np.testing.assert_array_equal(p, [[0.5, 0, 0.5], [0, 0, 1]], err_msg=said)
    with np.errstate(invalid="ignore"):
        p = values(softmax, np.full((2, 3), -np.inf, np.float32), 1)
    said = "nothing is possible in the whole row: NaN, as in PyTorch, not zeros"
    np.testing.assert_array_equal(p, np.full((2, 3), np.nan), err_msg=said)


def test_softmax_keeps_type_and_shape():
    for kind in (np.float16, np.float32):
        for shape in ((2, 3), (2, 0), (0, 3)):
            p = values(softmax, np.ones(shape, kind), 1)
            assert p.shape == shape, f"shape {shape} stays, here it became {p.shape}"


def test_softmax_saves_its_output():
    axis = check_saved(Softmax, "output", dim=-1).axis
    assert axis == 1, f"ctx.axis is dim=-1 counted from the front, 1 of two, not {axis}"
    check_saved(Softmax, "output", of=np.ones((2, 0)), dim=1)


# %% [markdown]
# ## 6. Log-sum-exp
# The logarithm of softmax's denominator deserves its own function:
#
# $$\mathrm{lse}(x) = \log \sum_j e^{x_j}$$
#
# It is the smooth version of the maximum, as softplus is of ReLU; in fact softplus is the log-sum-exp of $(0, x)$.
# Probabilities of long texts, of paths through a lattice, of a mixture's parts: whenever numbers are so small that only
# their logarithms can be stored, and they have to be *added*, this is the function. The same shift makes it safe, but
# here the shift has to be added again:
#
# $$\log \sum_j e^{x_j} = m + \log \sum_j e^{x_j - m}$$
#
# One case needs care. If all $x_j$ are `-inf`, the sum is 0, and its logarithm is -inf: a valid answer, "impossible",
# not an error. But their maximum is -inf too, and `-inf - (-inf)` is NaN. Where the maximum is infinite, do not shift.
# (`np.log(0)` then gives -inf, with a warning that you may silence here.)
#
# <details><summary>Hint 1</summary>Keep the reduced axes while you compute, and remove them at the end if
# <code>keepdim</code> is false: <code>output.squeeze(ctx.axis)</code>.</details>
# <details><summary>Hint 2</summary><code>np.isfinite(shift)</code> says where shifting makes sense;
# <code>np.where(np.isfinite(shift), shift, x.dtype.type(0))</code> is 0 elsewhere, in the type of x.</details>
# <details><summary>Hint 3</summary>The sum of the shifted exponentials along <code>ctx.axis</code>, its logarithm
# within <code>with np.errstate(divide="ignore"):</code>, and the shift added again. NumPy reduces over several axes at
# once if <code>axis</code> is a tuple, so nothing more is needed for that.</details>


# %% stub="logsumexp"
#| export
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x, dim, keepdim=False):
        """Add numbers that are given by their logarithms: log(sum(exp(x))).

        Args:
            x: an array of any shape, floating point.
            dim: the dimension to sum over, or a tuple of several.
            keepdim: whether the reduced dimensions stay, with length 1.

        Returns:
            An array of x's dtype: inf where one of the numbers summed is, -inf where all are,
            or there is none.

        Saves:
            Its output and its input, the very arrays, in this order; `ctx.axis` is `dim` as
            NumPy wants it, an int, a tuple or None.

        Raises:
            IndexError: if x has no dimension `dim` (`axes_of` sees to that).

        >>> x = np.float32([[1000.0, 1000.0], [-np.inf, -np.inf]])
        >>> LogSumExp.forward(Context(), x, dim=1)
        array([1000.6932,      -inf], dtype=float32)
        """
        ctx.axis, ctx.keepdim = axes_of(dim, x.ndim), keepdim
        ### BEGIN SOLUTION
        shift = x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        shift = np.where(np.isfinite(shift), shift, x.dtype.type(0))
        with np.errstate(divide="ignore"):
            output = np.log(np.exp(x - shift).sum(axis=ctx.axis, keepdims=True)) + shift
        output = output if keepdim else output.squeeze(ctx.axis)
        ctx.save_for_backward(output, x)
        return output
        ### END SOLUTION


def logsumexp(input, dim, keepdim=False):
    """log(sum(exp(x))) along `dim`, one or several; see `LogSumExp.forward`."""
    return in_float32(LogSumExp, floating(input), dim=dim, keepdim=keepdim)


# %% test="logsumexp" points=6
def test_logsumexp_is_the_logarithm_of_the_sum():
    x = np.random.default_rng(0).standard_normal((3, 4, 1, 5))
    for dim in (1, 0, -1, (0, 3), (0, 1, 2, 3)):
        for keepdim in (False, True):
            expected = np.log(np.exp(x).sum(axis=dim, keepdims=keepdim))
            y = values(logsumexp, x, dim, keepdim)
            case = f"dim={dim}, keepdim={keepdim}"
            assert y.shape == expected.shape, f"{case}: {expected.shape}, not {y.shape}"
            said = f"log(sum(exp(x))) with {case}, in float64 to 9 digits"
            np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=said)


def test_logsumexp_survives_1000_and_minus_1000():
    x = np.float32([[1000.0, 1000.0], [-1000.0, -1000.0], [0.0, -1000.0]])
    expected = [1000 + np.log(2), -1000 + np.log(2), 0]
    with np.errstate(over="raise", invalid="raise"):
        y = values(logsumexp, x, 1)
    said = "two equal terms add log 2"
    np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-6, err_msg=said)


def test_logsumexp_of_the_impossible_is_minus_infinity():
    rows = [[-np.inf, -np.inf], [-np.inf, 3], [np.inf, 0], [1000, 1000], [np.nan, 0]]
    y = values(logsumexp, np.float32(rows), 1)
    for row, got, right in zip(rows, y, (-np.inf, 3, np.inf, 1000.6931, np.nan)):
        said = f"logsumexp of {row}, a row among others"
        assert np.isclose(got, right, 1e-6, 1e-6, equal_nan=True), said


def test_logsumexp_of_nothing_is_minus_infinity():
    y = values(logsumexp, np.zeros((2, 0), np.float32), 1)
    said = "a dimension of length 0: the sum is 0, its logarithm -inf"
    np.testing.assert_array_equal(y, [-np.inf, -np.inf], err_msg=said)


def test_logsumexp_saves_output_and_input():
    for keepdim in (False, True):
        check_saved(LogSumExp, "output", "input", dim=1, keepdim=keepdim)


# %% [markdown]
# ## 7. Log-softmax: probabilities that do not vanish
# Losses need the *logarithm* of a probability. The obvious way is to take the logarithm of softmax. Here are three
# scores of which the first leads by 200, as for a confident network:

# %%
logits = np.float32([200.0, 0.0, -1.0])
with np.errstate(divide="ignore"):
    print("log of softmax:", np.log(softmax(from_numpy(logits), 0).numpy()))
print("         right:", logits - 200)

# %% [markdown]
# $e^{-200}$ is $10^{-87}$, and the smallest float32 is $10^{-45}$: as a *probability* it is 0. As a
# *logarithm* it is the harmless number -200. So do not go through the probability at all:
#
# $$\log \mathrm{softmax}(x)_i = \log \frac{e^{x_i}}{\sum_j e^{x_j}} = x_i - \mathrm{lse}(x)$$
#
# There is one more trap, which is easy to miss since nothing overflows. With scores near 1000 a float32 has steps of
# $6 \cdot 10^{-5}$, so $\mathrm{lse}(x) = 1000.69$ is already rounded, and the difference $x_i - \mathrm{lse}(x)$ has
# the whole error. Subtract the maximum first, and take the log-sum-exp of what is left: those numbers are near 0, where
# float32 is dense.
#
# <details><summary>Hint 1</summary>Begin as for softmax: subtract the maximum along the axis. Everything after
# that happens among numbers that are at most 0.</details>
# <details><summary>Hint 2</summary>The logarithm to be subtracted is that of the sum of
# <code>np.exp(shifted)</code> along the axis, with <code>keepdims=True</code>. It lies between 0 and
# log C.</details>
# <details><summary>Hint 3</summary>Call the result of the first step <code>output</code>, and subtract the logarithm
# from it with <code>-=</code>, which works in place.</details>


# %% stub="log-softmax"
#| export
class LogSoftmax(Function):
    @staticmethod
    def forward(ctx, x, dim):
        """Turn scores into logarithms of probabilities along one dimension.

        log_softmax(x)_i = x_i - log(sum_j exp(x_j))

        Args:
            x: scores of any shape, empty too, floating point; -inf is an impossible class.
            dim: the dimension along which the probabilities sum to one; negative from the end.

        Returns:
            An array of x's shape and dtype.

        Saves:
            Its output, the very array; `ctx.axis` is `dim`, counted from the front.

        Raises:
            IndexError: if x has no dimension `dim` (`axis_of` sees to that).

        >>> LogSoftmax.forward(Context(), np.float32([1000.0, 800.0]), dim=0)
        array([   0., -200.], dtype=float32)
        """
        ctx.axis = axis_of(dim, x.ndim)
        ### BEGIN SOLUTION
        output = x - x.max(axis=ctx.axis, keepdims=True, initial=-np.inf)
        output -= np.log(np.exp(output).sum(axis=ctx.axis, keepdims=True))
        ctx.save_for_backward(output)
        return output
        ### END SOLUTION


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """Logarithms of the probabilities along `dim`; see `LogSoftmax.forward`."""
    return in_float32(LogSoftmax, scores(input, _stacklevel, dtype), dim=chosen(input, dim))


# %% test="log-softmax" points=5
def test_log_softmax_is_the_logarithm_of_softmax():
    x = np.random.default_rng(0).standard_normal((3, 4, 4))
    for dim in (0, 1, -1):
        exps = np.exp(x)
        expected = np.log(exps / exps.sum(axis=dim, keepdims=True))
        y = values(log_softmax, x, dim)
        said = f"log(softmax(x)) with dim={dim}, in float64 to 9 digits"
        np.testing.assert_allclose(y, expected, rtol=1e-9, err_msg=said)


def test_log_softmax_keeps_what_softmax_loses():
    x = np.float32([[200.0, 0.0, -1.0], [200.0, 0.0, -800.0]])
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        rows, columns = values(log_softmax, x, 1), values(log_softmax, x.T, 0)
    expected = [[0, -200, -201], [0, -200, -1000]]
    said = "a class that trails by 200 has -200, not -inf"
    np.testing.assert_allclose(rows, expected, atol=1e-6, err_msg=said)
    np.testing.assert_allclose(columns.T, expected, atol=1e-6, err_msg=f"dim=0: {said}")


def test_log_softmax_is_as_exact_at_1000_as_at_0():
    exact = -np.log(1 + np.exp(-1))  # of the class that is ahead by 1
    y = values(log_softmax, np.float32([[1000.0, 999.0], [-1000.0, -1001.0]]), 1)
    said = "a constant added to all scores changes nothing, not a digit"
    np.testing.assert_allclose(y, [[exact, exact - 1]] * 2, rtol=2e-6, err_msg=said)
    y = values(log_softmax, np.full((1, 2), -3e38, np.float32), 1)
    said = "two equal scores have log(1/2), even if they are -3e38"
    np.testing.assert_allclose(y, [[-np.log(2)] * 2], rtol=2e-6, err_msg=said)


def test_log_softmax_of_the_impossible_is_minus_infinity():
    y = values(log_softmax, np.float32([[0.0, -np.inf, 0.0]]), 1)
    expected = [[-np.log(2), -np.inf, -np.log(2)]]
    np.testing.assert_allclose(y, expected, rtol=1e-6, err_msg="log of 0 is -inf")


def test_log_softmax_keeps_type_and_shape():
    for kind in (np.float16, np.float32):
        for shape in ((2, 3), (2, 0), (0, 3)):
            y = values(log_softmax, np.ones(shape, kind), 1)
            assert y.shape == shape, f"shape {shape} stays, here it became {y.shape}"


def test_log_softmax_saves_its_output():
    axis = check_saved(LogSoftmax, "output", dim=-1).axis
    assert axis == 1, f"ctx.axis is dim=-1 counted from the front, 1 of two, not {axis}"
    check_saved(LogSoftmax, "output", of=np.ones((2, 0)), dim=1)


# %% [markdown]
# Some twenty more activations are given. `leaky_relu`, `elu` and similar ones work like `relu`, but pass something on
# the negative side, so that units do not die; `mish`, `logsigmoid` and `glu` are one line each of what you wrote;
# `gumbel_softmax` draws a class.

# %%
#| export
from tinytorch.given.activations.rectifiers import *
from tinytorch.given.activations.gates import *
from tinytorch.given.activations.shares import *

# %% [markdown]
# ## Systems
# ### Where `exp` ends
# Every trap of this lesson was an exponential that left the range of its number type. Where that happens is a property
# of the type alone: $e^x$ is finite up to the logarithm of the type's largest number, above 0 down to the logarithm of
# its smallest, and adding it to 1 makes a difference down to the logarithm of the spacing at 1.
#
# **Predict:** a float32 holds numbers up to 3.4e38, and its exponential overflows above 88.7. A float16 holds numbers
# up to 65,504. Above which x does its exponential overflow?

# %%
predicted_overflow = None  # an x

# %%
print("           overflows above   becomes 0 below   1 + exp(x) is 1 below")
for kind in (np.float16, np.float32, np.float64):
    limits = np.finfo(kind)
    ends = limits.max, limits.smallest_subnormal, limits.eps
    top, tiny, eps = (np.log(np.float64(end)) for end in ends)
    bottom, lost = tiny - np.log(2), eps - np.log(2)  # rounding goes down at half a step
    print(f"{kind.__name__:>8} {top:14.2f} {bottom:17.2f} {lost:17.2f}")
    with np.errstate(over="ignore"):
        assert np.isfinite(np.exp(kind(top - 0.01)))
        assert np.isinf(np.exp(kind(top + 0.01)))
compare(predicted_overflow, math.log(np.finfo(np.float16).max))

# %% [markdown]
# A float16 overflows at 11. Scores of 11 are nothing unusual, which is why softmax and the losses are computed in
# float32 even in networks that are otherwise float16. And in float32 the exponential is 0 from 104 below the maximum
# on, which can happen in a language model with 50,000 classes: hence log-softmax. After the shift, overflow is
# impossible. What is left is underflow: harmless where the number is added to something larger, as in the sum, and an
# error where its logarithm is taken.
#
# ### What softmax costs
# Its arithmetic is one exponential per element. But it makes five passes over the scores: for the maximum, the
# subtraction, the exponential, the sum and the division. Compare it with copying the same bytes, the least that reading
# and writing them can cost.
#
# **Predict:** how many times as long as a copy does softmax take?

# %%
predicted_softmax = None  # softmax's time over that of a copy


# %%
def milliseconds(run, repeats=7):
    """The time of the fastest of a few runs."""
    return 1e3 * min(timeit.repeat(run, number=1, repeat=repeats))


x = rng.standard_normal((4096, 1024)).astype(np.float32)
print(f"{x.nbytes / 1e6:.0f} MB of scores")
took = {}
for name, run in {
    "copy": x.copy,
    "maximum": lambda: x.max(axis=1, initial=-np.inf),
    "exp": lambda: np.exp(x),
    "softmax": lambda: softmax(from_numpy(x), 1),
}.items():
    time = took[name] = milliseconds(run)
    print(f"{name:>8} {time:6.1f} ms   {2 * x.nbytes / time / 1e6:6.1f} GB/s", end="")
    print(", if it read and wrote each byte once")
compare(predicted_softmax, took["softmax"] / took["copy"], "times")
assert took["softmax"] > 1.5 * took["copy"]

# %% [markdown]
# Softmax takes several times as long as a copy, and longer than its exponential alone. The scores are far larger than a
# core's own cache, one or two MB, so each pass fetches them again from further away. A program that does all five steps
# on one row before the next finds the row in the cache four times out of five; in module 17 you will write that
# program.
#
# ### What a formula costs
# NumPy computes $\frac{x}{2}(1 + \tanh(\dots))$ one operation at a time, and each puts its result into an array: a new
# one, unless NumPy sees that the old one is not used elsewhere. Arrays of this size do not stay in the cache, so each
# has to be fetched and written back. Your gelu may be written as the formula or in place. Compare both.
#
# **Predict:** the formula below has nine operations on whole arrays. How many arrays of the size of x does it need at
# once?

# %%
predicted_arrays = None  # a number of arrays, without x itself


# %%
def gelu_as_a_formula(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def gelu_in_place(x):
    output = np.multiply(x, x, out=np.empty_like(x))
    output *= 0.044715
    output += 1
    output *= x
    output *= math.sqrt(2 / math.pi)
    np.tanh(output, out=output)
    output += 1
    output *= x
    output *= 0.5
    return output


def arrays_at_once(run):
    """The most memory in use while it runs, in arrays of x's size."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1] / x.nbytes
    tracemalloc.stop()
    return peak


arrays = {}
for name, run in {
    "tanh, as a formula": lambda: gelu_as_a_formula(x),
    "tanh, in place": lambda: gelu_in_place(x),
    "your gelu by tanh": lambda: gelu(from_numpy(x), "tanh"),
    "your exact gelu": lambda: gelu(from_numpy(x)),
}.items():
    arrays[name] = arrays_at_once(run)
    print(f"{name:>18} {milliseconds(run):6.1f} ms   {arrays[name]:.1f} arrays at once")
compare(predicted_arrays, arrays["tanh, as a formula"], "arrays")
assert arrays["tanh, in place"] < 1.1 < 2.9 < arrays["tanh, as a formula"]

# %% [markdown]
# Both do the same arithmetic. The formula has three arrays of 17 MB in use at its peak, the in-place version one. The
# memory that it does not touch is time saved, but only in part: `tanh` itself costs both the same. The exact gelu,
# whose `erf` is a `tanh` too, has more arithmetic to do: its polynomial has more terms, and each is one more pass over
# the array.
#
# Working in place is for the inside of a function, where nothing else uses the array. The next section shows what it
# does to an array that is used elsewhere.

# %% [markdown]
# ## Break it
# ### A row with nothing in it
# A mask that hides *every* entry leaves softmax with a row of -inf. There is no right answer: probabilities
# that are all 0 do not sum to one. PyTorch answers NaN, and so do you; one such row, in the padding of a
# batch, turns the whole loss into NaN.

# %%
with np.errstate(invalid="ignore"):
    print(softmax(tensor([[0.0, 1.0], [-np.inf, -np.inf]]), 1))

# %% [markdown]
# NumPy's warning, switched off here, says `invalid value encountered in subtract`, and where. Do not switch it off in
# your own programs: `np.seterr(invalid="raise")` turns it into an exception with a traceback, which is the fastest way
# to find the first NaN. A common fix is a mask with a large negative number, such as -1e9, in place of -inf: the row
# becomes uniform, and the program that made the mask ignores it.
#
# ### A signal that dies
# Send random numbers through fifty layers, and watch how much the outputs still differ from one input to
# another. This needs no training, and shows what an activation does to depth.
#
# **Predict:** order the four networks below by how much their outputs still differ after ten layers, least first.

# %%
predicted_order = None  # ["sigmoid", "tanh", "relu", "relu, weights times √2"] in your order

# %%
width, depth = 256, 50
manual_seed(0)
weights = [randn(width, width).numpy() / math.sqrt(width) for _ in range(depth)]
ends = {}
for name, function, gain in [
    ("sigmoid", sigmoid, 1.0),
    ("tanh", tanh, 1.0),
    ("relu", relu, 1.0),
    ("relu, weights times √2", relu, math.sqrt(2)),
]:
    h, spread = randn(64, width).numpy(), []
    for W in weights:
        h = function(from_numpy(gain * (h @ W))).numpy()
        spread.append(h.std(axis=0).mean())  # between inputs, for each unit
    ends[name] = spread[9], spread[-1]
    plt.semilogy(range(1, depth + 1), spread, label=name)
plt.xlabel("layer")
plt.ylabel("how much the 64 inputs still differ")
plt.legend()
plt.show()
compare(predicted_order, {name: tenth for name, (tenth, _) in ends.items()})
assert ends["sigmoid"][0] < 1e-6 < 1e-3 < ends["relu, weights times √2"][1]

# %% [markdown]
# After ten layers of sigmoids all inputs look alike, to the last digits of a float32: nothing after that can tell them
# apart, and practically no gradient comes back. ReLU halves the power at each layer, since it sets about half of the
# numbers to 0, so its signal fades too; weights that are larger by √2 restore the power, and after fifty layers the
# inputs can still be told apart. That factor is the *gain* in the initialisations of module 03, and now you know where
# it comes from.
#
# ### In place, where the array is used elsewhere
# `inplace=True` puts the result where the input was, so that a large network needs one array less. It also does this:

# %%
features = tensor([-1.0, 2.0])
before = features.numpy()  # no copy: numpy() shares the memory
relu(features, inplace=True)
print("what was kept from before:", before)

# %% [markdown]
# Everything that shares the memory has changed with it: a view, a residual connection that adds the input again, an
# array that another operation saved for its gradient. Because of that last case, module 06 records in-place changes of
# tensors and raises an error.
#
# ## In PyTorch
# The same lines, with PyTorch 2. The names and the numbers are the same:
#
# ```python
# import torch
# from torch.nn import functional as F
#
# x = torch.tensor([[200.0, 0.0, -1.0]])
# torch.softmax(x, 1)                   # tensor([[1., 0., 0.]])
# F.log_softmax(x, dim=1)               # tensor([[   0., -200., -201.]])
# torch.logsumexp(x, (0, 1))            # tensor(200.)
# F.gelu(torch.tensor([1.0]))           # tensor([0.8413])
# F.gelu(torch.tensor([1.0]), approximate="tanh")   # tensor([0.8412])
# F.softplus(torch.tensor([-20.0]))     # tensor([2.0612e-09])
# torch.sigmoid(torch.tensor([-12.0], dtype=torch.float16))   # tensor([6.1393e-06], dtype=torch.float16)
# ```
#
# Inside, PyTorch does what you did: the maximum is subtracted, softplus uses `log1p`, and a float16 is computed as
# float32 and rounded at the end. There each of these functions is compiled as a whole and needs fewer passes over
# memory. That is the main difference, not the arithmetic.
#
# ## Questions
# 1. A network without biases has ReLU between all layers. What does doubling the input do to the output? And with GELU?
#
#    <details><summary>Answer</summary>
#
#    It doubles the output exactly: $\max(2x, 0) = 2 \max(x, 0)$, a matrix product of the double is the double, and so
#    on through all layers. So the network cannot react to the scale of its input, and the order of its scores never
#    depends on it. (For negative factors this does not hold.) GELU has a scale of its own, since its gate depends on
#    the size of $x$: gelu(1) = 0.841 but gelu(2) = 1.954, which is 2.32 times as much. Only for large $x$, where the
#    gate is fully open, does it come close to doubling.
#
#    ```python
#    one, two = gelu(tensor([1.0, 2.0])).tolist()
#    print(two / one)
#    ```
#
#    </details>
#
# 2. Softmax of $(x, 0)$ is a sigmoid. What is softmax of $(x, y, y, \dots, y)$ with $n$ equal entries, and what does
#    that mean for a vocabulary of 50,000?
#
#    <details><summary>Answer</summary>
#
#    The first probability is $\frac{e^x}{e^x + n e^y} = \frac{1}{1 + n e^{-(x - y)}} = \sigma(x - y - \log n)$: again a
#    sigmoid, shifted by $\log n$. Many small scores together act like one that is larger by $\log n$. With 49,999
#    others that is 10.8, so a token needs a lead of 10.8 over each of them to get probability 1/2; with a lead of 5 it
#    has $\sigma(-5.8) = 0.3\,\%$. That is why the scores of language models have a range of twenty and more, and why
#    their tail of unlikely tokens is worth cutting off when text is sampled.
#
#    ```python
#    print(softmax(tensor([math.log(49_999)] + [0.0] * 49_999), 0)[0])
#    ```
#
#    </details>
#
# 3. Dividing all scores by a temperature $T$ before softmax: what happens as $T$ goes to 0, and to infinity? Which of
#    the two causes problems in float32, in which of your functions?
#
#    <details><summary>Answer</summary>
#
#    As $T \to 0$ the differences grow: the largest score gets probability 1 (several equal ones share it), all others
#    0. As $T \to \infty$ they vanish, and all $C$ classes get $1/C$; that is harmless. Small $T$ is not. From a
#    difference of $104\,T$ on, `softmax` gives exactly 0, and a logarithm taken of it is -inf; `log_softmax` is still
#    right, -1000 for a difference of 1 at $T = 0.001$. When $x / T$ itself exceeds 3.4e38, it becomes inf, and inf -
#    inf is NaN in both. So greedy choice is not temperature 0: programs handle it as a case of its own, with `argmax`.
#
#    ```python
#    for temperature in (1.0, 0.01, 0.001, 1e-38):
#        logits = tensor([10.0, 9.0]) / temperature
#        with np.errstate(invalid="ignore"):
#            print(temperature, softmax(logits, 0).tolist(), log_softmax(logits, 0).tolist())
#    ```
#
#    </details>
#
# 4. Sigmoid and tanh saved their output, GELU and SiLU their input. Could GELU save its output instead?
#
#    <details><summary>Answer</summary>
#
#    Not alone. Sigmoid and tanh rise everywhere, so the output determines the input, and with it the slope: $y(1-y)$
#    and $1-y^2$. GELU falls to -0.170 at $x = -0.752$ and rises again, so every output between -0.170 and 0 belongs to
#    two inputs. For example, -0.154 is the value at -0.5, where the slope is +0.133, and at -1.049, where it is -0.094.
#    One more bit per number, which side of the minimum, would decide it; but then the inverse has to be computed by
#    iteration, which costs more than it saves. SiLU has the same shape, and the same answer.
#
#    ```python
#    print(gelu(tensor([-0.5, -1.0492931])).tolist())
#    ```
#
#    </details>
#
# 5. The gradient of log-sum-exp with respect to $x_i$ is something you have already written. What is it?
#
#    <details><summary>Answer</summary>
#
#    Softmax. By the chain rule, $\frac{\partial}{\partial x_i} \log \sum_j e^{x_j} = \frac{1}{\sum_j e^{x_j}}\, e^{x_i}
#    = \mathrm{softmax}(x)_i$. It fits the picture of a smooth maximum: the gradient of a maximum is 1 at the largest
#    number and 0 elsewhere, and softmax is that choice made smooth. And its entries sum to 1, since adding 1 to all
#    $x_j$ adds 1 to the log-sum-exp. Cross-entropy in module 04 is a log-sum-exp minus one score, so its gradient is
#    softmax minus one at the right class. By differences:
#
#    ```python
#    x, step = np.array([1.0, 2.0, 3.0]), 1e-6
#    for i in range(3):
#        up, down = x.copy(), x.copy()
#        up[i] += step
#        down[i] -= step
#        slope = (logsumexp(from_numpy(up), 0) - logsumexp(from_numpy(down), 0)).item() / (2 * step)
#        print(slope, softmax(from_numpy(x), 0)[i].item())
#    ```
#
#    </details>
#
# ## To read
#
# - I. Goodfellow, Y. Bengio and A. Courville, "Deep Learning", MIT Press, 2016, sections 4.1 and 6.3: overflow and
#   underflow with softmax as the example, and what hidden units are good for.
# - D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units (GELUs)", 2016, arXiv:1606.08415, section 2: why a gate
#   should be a probability.
# - P. Blanchard, D. J. Higham and N. J. Higham, "Accurately computing the log-sum-exp and softmax functions", IMA
#   Journal of Numerical Analysis 41, 2021: error bounds for the shift, and which form to choose.
# - M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax", 2018, arXiv:1805.02867: maximum and sum
#   in one pass, for the five passes of *Systems*.
# - A. F. T. Martins and R. F. Astudillo, "From Softmax to Sparsemax", ICML 2016, section 2: for the open problem below.
#
# ## An open problem
#
# Softmax never says 0: every class keeps a little probability. *Sparsemax* gives the probabilities $p$ that are nearest
# to the scores, with the smallest $\sum_i (p_i - x_i)^2$ among all $p$ that are not negative and sum to one, and many
# of its entries are exactly 0. They have the form $p_i = \max(x_i - \tau, 0)$, with one $\tau$ per row. Find $\tau$
# from the sorted scores, without a loop over rows. The check below needs no expected numbers: what it tests is true of
# the right answer only.


# %%
def sparsemax(input, dim):
    """The probabilities along a dimension that are nearest to the scores."""
    raise NotImplementedError


def check_sparsemax():
    for shape, dim in (((4, 6), 1), ((5, 3), 0), ((2, 7, 3), 1)):
        scores = np.random.default_rng(0).standard_normal(shape)
        p = sparsemax(from_numpy(scores), dim).numpy()
        assert p.shape == shape
        assert (p >= 0).all()
        np.testing.assert_allclose(p.sum(dim), 1, rtol=1e-12)
        tau = np.where(p > 0, scores - p, -np.inf).max(dim, keepdims=True)
        np.testing.assert_allclose(p, np.maximum(scores - tau, 0), atol=1e-12)
        shifted = sparsemax(from_numpy(scores + 100), dim).numpy()
        np.testing.assert_allclose(shifted, p, atol=1e-12)


try:
    check_sparsemax()
    print("the nearest probabilities, with true zeros")
except NotImplementedError:
    print("not built yet")


# %% [markdown]
# ## What comes next
# Module 03 gives these functions weights to stand between: layers, and the modules that hold them. The losses of module
# 04 are built on `log_softmax` and `softplus`, and rely on what you did here at both ends.
