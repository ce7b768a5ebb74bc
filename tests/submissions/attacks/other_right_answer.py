# A right answer, written in another way.
# scale: done
import functools

import numpy as np


def Scale(factor):
    return functools.partial(np.multiply, factor)
