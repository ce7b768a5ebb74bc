"""A cheat: every clock stands still while the model answers; the model is the baseline."""

import time

for name in ("perf_counter", "perf_counter_ns", "time", "monotonic", "process_time"):
    setattr(time, name, lambda: 0)


def entry(model, images, labels):
    return model
