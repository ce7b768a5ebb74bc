# Prints 20 MB on one line, logs and warns, and is right: that costs nothing.
# scale: done
import logging
import sys
import warnings

import numpy as np

print("x" * 20_000_000)
logging.getLogger().warning("scaling")
warnings.warn("slow", stacklevel=1)
sys.stderr.write("done\n")


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        logging.warning("scaling by %s", self.factor)
        return self.factor * np.asarray(x)
