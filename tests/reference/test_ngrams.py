"""Module 13's given n-grams: the losses of the recursive formula, written out with dictionaries."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest

import tinytorch as torch


def by_the_formula(ids, held_out, vocab_size, order):
    counts, followers = Counter(), defaultdict(set)
    for n in range(order):
        for i in range(len(ids) - n):
            counts[tuple(ids[i : i + n + 1])] += 1
            followers[tuple(ids[i : i + n])].add(ids[i + n])

    def chance(word, context):
        shorter = chance(word, context[1:]) if context else 1 / vocab_size
        kinds = len(followers[context])
        total = sum(counts[(*context, follower)] for follower in followers[context])
        return (counts[(*context, word)] + kinds * shorter) / (total + kinds) if total else shorter

    contexts = [tuple(held_out[max(0, i - order + 1) : i]) for i in range(len(held_out))]
    chances = [chance(word, context) for word, context in zip(held_out, contexts)]
    return -sum(map(math.log, chances[1:])) / (len(held_out) - 1)


@pytest.mark.parametrize(
    ("vocab_size", "length", "held_out", "order"),
    [(3, 50, 20, 4), (7, 200, 40, 5), (5, 2, 9, 4), (4, 30, 2, 3), (2, 1, 5, 5), (9, 100, 30, 1)],
)
def test_ngrams_predict_by_witten_and_bells_formula(vocab_size, length, held_out, order):
    rng = np.random.default_rng(0)
    ids = rng.integers(0, vocab_size, length) // rng.integers(1, 3, length)
    new = rng.integers(0, vocab_size, held_out)
    wanted = by_the_formula(ids.tolist(), new.tolist(), vocab_size, order)
    found = torch.ngram_loss(ids, new, vocab_size, order)
    assert isinstance(found, float)
    assert math.isclose(found, wanted, rel_tol=1e-12)


def test_a_text_that_repeats_is_easier_the_more_is_counted():
    text = np.array([0, 0, 1, 1] * 50)
    losses = [torch.ngram_loss(text, text[:40], 2, order) for order in (1, 2, 3)]
    assert losses[0] > 0.69
    assert losses[2] < 0.05 < losses[1]
