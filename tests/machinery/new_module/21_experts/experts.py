# %% [markdown]
# # 21 Mixture of experts
#
# A gate sends each token to a few of many small networks, the experts, so that a model can have
# many weights and use few of them for each token.

# %%
#| export
import numpy as np

from tinytorch.activations import softmax
from tinytorch.tensor import tensor

# %%
generator = np.random.default_rng(0)


def numbers(*shape):
    return tensor(generator.standard_normal(shape).astype(np.float32))


# %% [markdown]
# ## The gate
# Each token has a score for each expert. Only the `k` highest scores count, and softmax of these
# gives the weights.
#
# <details><summary>Hint 1</summary>`topk` gives values and indices, largest first.</details>
# <details><summary>Hint 2</summary>Softmax over the chosen scores alone, token by token.</details>


# %% stub="top-experts"
#| export
def top_experts(scores, k):
    """Choose the k experts with the highest scores for each token.

    Args:
        scores: a Tensor of shape (tokens, experts).
        k: how many experts each token is sent to.

    Returns:
        Two Tensors of shape (tokens, k): weights, whose sum is 1 for each token, and indices.
    """
    ### BEGIN SOLUTION
    highest, chosen = scores.topk(k)
    return softmax(highest, -1), chosen
    ### END SOLUTION


# %% test="top-experts" points=3
def test_the_highest_scores_are_chosen():
    scores = numbers(5, 4)
    _, chosen = top_experts(scores, 2)
    wanted = np.argsort(-scores.numpy(), axis=1)[:, :2]
    np.testing.assert_array_equal(chosen.numpy(), wanted, err_msg="the two highest scores")


def test_the_weights_are_a_softmax_of_the_chosen_scores():
    scores = numbers(3, 6)
    weights, _ = top_experts(scores, 3)
    highest = np.exp(-np.sort(-scores.numpy(), axis=1)[:, :3])
    wanted = highest / highest.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(weights.numpy(), wanted, rtol=1e-5, err_msg="of the chosen")


# %% [markdown]
# ## Balance
# A gate that sends every token to one expert leaves the others untrained. The loss below is 1
# where all are used alike: the number of experts times the sum, over experts, of the fraction of
# tokens times the mean probability.
#
# <details><summary>Hint</summary>`bincount` with `minlength` counts the tokens of each.</details>


# %% stub="load-balance"
#| export
def load_balance(scores, chosen):
    """Compute the load-balancing loss, experts * sum of fraction * mean probability.

    Args:
        scores: a Tensor of shape (tokens, experts).
        chosen: a Tensor of shape (tokens, k), the experts that each token was sent to.
    """
    ### BEGIN SOLUTION
    experts = scores.shape[-1]
    fraction = chosen.flatten().bincount(minlength=experts) / chosen.numel()
    return experts * (fraction * softmax(scores, -1).mean(0)).sum()
    ### END SOLUTION


# %% test="load-balance" points=2
def test_of_equal_scores_it_is_one():
    chosen = tensor([[0, 1], [2, 3], [0, 3], [1, 2]])
    found = load_balance(tensor(np.zeros((4, 4), np.float32)), chosen)
    np.testing.assert_allclose(found.item(), 1, rtol=1e-6, err_msg="all experts used alike")


def test_it_is_the_formula():
    scores, chosen = numbers(6, 3), tensor([[0], [0], [2], [0], [2], [0]])
    powers = np.exp(scores.numpy())
    mean = (powers / powers.sum(axis=1, keepdims=True)).mean(axis=0)
    wanted = 3 * (np.array([4, 0, 2]) / 6 * mean).sum()
    np.testing.assert_allclose(load_balance(scores, chosen).item(), wanted, rtol=1e-5)
