# %% [markdown]
# # 02 Activations
#
# Scaling.

# %%
#| export
import numpy as np

from tinytorch.tensor import double

# %% [markdown]
# ## Scale
# <details><summary>Hint 1</summary>Multiply.</details>


# %% stub="scale"
#| export
class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        """factor times x."""
        ### BEGIN SOLUTION
        return self.factor * np.asarray(x)
        ### END SOLUTION


# %% test="scale" points=4
def test_scale_by_three():
    np.testing.assert_array_equal(Scale(3)([1, 2]), [3, 6], err_msg="three times each number")


# %% [markdown]
# ## Quadruple
# <details><summary>Hint 1</summary>Double twice.</details>


# %% stub="quadruple"
#| export
def quadruple(x):
    """Four times x."""
    ### BEGIN SOLUTION
    return double(double(x))
    ### END SOLUTION


# %% test="quadruple" points=1
def test_quadruple_of_an_array():
    np.testing.assert_array_equal(quadruple([1, 2]), [4, 8], err_msg="four times each number")
