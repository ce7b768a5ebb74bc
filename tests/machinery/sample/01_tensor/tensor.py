# %% [markdown]
# # 01 Tensor
#
# Doubling, for the tests of the tools.

# %%
#| export
import numpy as np

# %% [markdown]
# ## Double
# <details><summary>Hint 1</summary>Add.</details>
# <details><summary>Hint 2</summary>Multiply.</details>


# %% stub="double"
#| export
def double(x):
    """Twice x."""
    ### BEGIN SOLUTION
    return np.asarray(x) + np.asarray(x)
    ### END SOLUTION


# %% test="double" points=3
def test_double_of_an_array():
    np.testing.assert_array_equal(double([1, 2]), [2, 4], err_msg="twice each number")


def test_double_keeps_the_shape():
    assert double(np.zeros((2, 3))).shape == (2, 3), "the shape stays"


# %% [markdown]
# ## Triple
# <details><summary>Hint 1</summary>Use double.</details>


# %% stub="triple"
#| export
def triple(x):
    """Three times x."""
    ### BEGIN SOLUTION
    return double(x) + np.asarray(x)
    ### END SOLUTION


# %% test="triple" points=2
def test_triple_of_an_array():
    np.testing.assert_array_equal(triple([1, 2]), [3, 6], err_msg="three times each number")
