"""What module 18 gives: its checks, a cache in int8, a clock, and the pictures of its lesson."""

import tinytorch.kv_cache  # noqa: F401
