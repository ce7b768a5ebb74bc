"""Given with module 10: what a tokenizer checks, and how it is kept in GPT-2's two files."""

import tinytorch.tokenizer  # noqa: F401
