# Gives an array of a petabyte, by strides.
# scale: failing
import numpy as np


class Scale:
    def __init__(self, factor):
        pass

    def __call__(self, x):
        return np.broadcast_to(np.float64(1), (1 << 50,))
