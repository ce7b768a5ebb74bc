"""What the lesson's tests compute in plain NumPy, to compare with: slopes by differences, turned vectors."""

import numpy as np

__all__ = ["differences", "turned_by_numpy"]


def differences(function, array, cotangent, eps=1e-6):
    """How sum(function(array) * cotangent) moves with each element of the array."""
    slopes = np.zeros_like(array)
    for position in np.ndindex(array.shape):
        value = array[position]
        array[position] = value + eps
        above = (function(array) * cotangent).sum()
        array[position] = value - eps
        slopes[position] = (above - (function(array) * cotangent).sum()) / (2 * eps)
        array[position] = value
    return slopes


def turned_by_numpy(x, base=10000.0):
    """Entries j and j + d/2 of x (T, d), turned by t / base^(2j/d), as in module 11."""
    T, d = x.shape
    angles = np.arange(T)[:, None] / base ** (2 * np.arange(d // 2) / d)
    left, right = x[:, : d // 2], x[:, d // 2 :]
    turned = left * np.cos(angles) - right * np.sin(angles)
    return np.hstack([turned, right * np.cos(angles) + left * np.sin(angles)])
