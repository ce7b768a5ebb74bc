# %% [markdown]
# # 03 Layers
#
# What a layer is, and why $y = x W^T + b$ is one: the matrix turns
# what comes in, the bias moves it.
#
# A second paragraph.

# %%
#| export
import math

import numpy as np

# %%
generator = np.random.default_rng(0)


def numbers(*shape):
    return generator.standard_normal(shape).astype(SINGLE)


# %time numbers(2)

# %%
#| export
SINGLE = np.float32

# %% [markdown]
# The idea.
#
# <details><summary>Hint 1</summary>Which product turns rows into rows?</details>
# <details><summary>Hint 2</summary>The matrix product with <code>weight</code> turned over.</details>


# %% stub="linear-forward"
#| export
def linear(input, weight, bias=None):
    """Apply y = x Wᵀ + b."""
    ### BEGIN SOLUTION
    output = input @ weight.T
    return output if bias is None else output + bias
    ### END SOLUTION


# %% test="linear-forward" points=5
def test_linear_is_a_product():
    x, w = numbers(2, 3), numbers(4, 3)
    np.testing.assert_allclose(linear(x, w), np.einsum("ij,kj->ik", x, w), rtol=1e-5, err_msg="y = x Wᵀ")


def test_linear_adds_the_bias():
    x, w = numbers(2, 3), numbers(4, 3)
    np.testing.assert_allclose(linear(x, w, np.arange(4)) - linear(x, w), [[0, 1, 2, 3]] * 2, atol=1e-5)


# %% [markdown]
# The same as a class.
#
# <details><summary>Hint</summary>Call <code>linear</code>.</details>


# %% stub="linear-class"
#| export
class Linear:
    """A layer with its own weight."""

    def __init__(self, inputs, outputs):
        self.weight = np.full((outputs, inputs), 1 / math.sqrt(inputs), SINGLE)

    def __call__(self, input):
        """Apply the layer."""
        ### BEGIN SOLUTION
        return linear(input, self.weight)
        ### END SOLUTION


# %% test="linear-class" points=3
def test_linear_uses_its_weight():
    layer = Linear(4, 2)
    np.testing.assert_allclose(layer(np.ones((1, 4), SINGLE)), [[2, 2]], rtol=1e-6)


# %% [markdown]
# ## The rest of the family


# %%
#| export
from collections import OrderedDict

_registry = OrderedDict()


class Identity:
    """Give back what comes in."""

    def __call__(self, input):
        return input
