"""Module 02 of the reference: erf of float32, which is not SciPy's."""

import numpy as np
import pytest
import scipy.special

import tinytorch as torch

F = torch.nn.functional
EVERYWHERE = np.concatenate(
    [np.linspace(-6, 6, 200_001), np.logspace(-37, 38, 10_001), -np.logspace(-37, 38, 10_001)]
)


def test_erf_of_float32_is_right_to_the_last_digits():
    x = EVERYWHERE.astype(np.float32)
    with np.errstate(all="raise", under="ignore"):
        y = torch.erf(torch.tensor(x)).numpy()
    exact = scipy.special.erf(x.astype(np.float64))
    assert y.dtype == np.float32
    np.testing.assert_allclose(y, exact, rtol=4e-7, atol=0)
    assert np.abs(y).max() == 1


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_erf_has_its_limits_in_every_type(kind):
    x = torch.tensor(np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 30000.0], kind))
    np.testing.assert_array_equal(torch.erf(x).numpy(), [1, -1, np.nan, 0, 0, 1])
    assert np.signbit(torch.erf(x).numpy()[4])
    assert torch.erf(x[0]).dtype == x.dtype
    assert torch.erf(x).dtype == x.dtype


def test_exact_gelu_is_as_near_as_pytorchs():
    x = np.linspace(-8, 8, 200_001, dtype=np.float32)
    exact = x.astype(np.float64) * scipy.special.ndtr(x.astype(np.float64))
    np.testing.assert_allclose(F.gelu(torch.tensor(x)).numpy(), exact, rtol=1e-6, atol=5e-7)
