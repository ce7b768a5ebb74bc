"""Infinities and NaNs are results: no operation warns of them, whoever calls it, and NumPy by itself still does."""

import threading
import warnings

import numpy as np
import pytest

import tinytorch as torch

F = torch.nn.functional
ZERO, LARGE = torch.zeros(3), torch.full((3,), 3e38)
COMPUTATIONS = {
    "division": lambda: 1 / ZERO,
    "nothing by nothing": lambda: ZERO / ZERO,
    "logarithm": lambda: ZERO.log(),
    "exponential": lambda: LARGE.exp(),
    "product": lambda: LARGE * LARGE,
    "sum": lambda: LARGE.sum(),
    "mean of half": lambda: torch.full((3,), 6e4, dtype=torch.float16).mean(),
    "variance of one": lambda: torch.ones(1).var(),
    "matrix product": lambda: LARGE @ LARGE,
    "power": lambda: ZERO**-1,
    "cast": lambda: LARGE.half(),
    "sigmoid": lambda: torch.sigmoid(-LARGE),
    "softmax": lambda: F.softmax(torch.full((2,), float("inf")), 0),
    "gradient": lambda: torch.zeros(2, requires_grad=True).sqrt().sum().backward(),
}


@pytest.mark.parametrize("name", COMPUTATIONS)
def test_no_operation_warns(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        COMPUTATIONS[name]()


def test_numpy_by_itself_warns():
    with pytest.warns(RuntimeWarning, match="divide by zero encountered"):
        np.log(np.zeros(2))


def test_other_threads_are_like_the_first():
    caught = []

    def run():
        torch.ones(1) * 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for name, compute in COMPUTATIONS.items():
                try:
                    compute()
                except RuntimeWarning as warning:
                    caught.append((name, warning))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert caught == []


def test_what_the_user_chose_stays():
    chosen = np.geterr()
    with np.errstate(divide="raise"):
        with pytest.raises(FloatingPointError):
            1 / ZERO
        LARGE * LARGE  # of which NumPy would warn
    with np.errstate(all="ignore"):
        1 / ZERO
    assert np.geterr() == chosen


def test_what_numpy_does_is_put_back_after_an_error():
    with pytest.raises(RuntimeError):
        torch.ones(2, 3) @ torch.ones(2, 3)
    with pytest.warns(RuntimeWarning):
        np.log(np.zeros(2))
