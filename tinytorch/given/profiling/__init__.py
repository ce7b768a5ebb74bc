"""The rest of module 14: what a watched call is, sessions, tables, traces, counters, pictures."""

import tinytorch.profiling  # noqa: F401
