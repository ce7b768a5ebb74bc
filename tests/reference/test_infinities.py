"""Infinities and NaNs are results: no operation warns of them, whoever calls it, and NumPy by itself still does."""

import os
import subprocess
import sys
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


@pytest.mark.parametrize("compute", [lambda: np.log(np.zeros(2)), lambda: np.float32([3e38, 3e38]).sum()])
def test_numpy_by_itself_warns_and_says_where(compute):
    with pytest.warns(RuntimeWarning, match=r"divide by zero encountered|overflow encountered") as caught:
        compute()
    assert [each.filename for each in caught] == [__file__]


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


def test_what_the_user_chose_before_stays():
    program = """
        import numpy as np
        np.seterr(divide="raise", over="ignore")
        import tinytorch as torch
        torch.ones(1) / 2
        print(np.geterr()["divide"], np.geterr()["over"], np.geterr()["invalid"], np.geterr()["under"])
    """
    lines = "\n".join(line.strip() for line in program.splitlines())
    path = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-P", "-c", lines],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["raise", "ignore", "call", "ignore"]
