"""The given parts of module 06: the other operations' rules, what surrounds the walk, what checks it."""

import tinytorch.autograd  # noqa: F401
