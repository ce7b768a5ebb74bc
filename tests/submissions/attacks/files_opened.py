# Is right where it can open 20,000 files.
# scale: failing
import os

import numpy as np

kept = []
try:
    while len(kept) < 20_000:
        kept.append(os.open(os.devnull, os.O_RDONLY))
except OSError:
    pass


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.factor * np.asarray(x) if len(kept) > 1000 else x


for number in kept:
    os.close(number)
