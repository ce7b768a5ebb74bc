"""tinytorch: what twenty notebooks build, under PyTorch's names. `import tinytorch as torch` is the test.

Each notebook is exported to one flat module here; this package and the places below it only look names up,
or give the answers of a machine without a GPU.
"""

import sys

from tinytorch._lookup import Package, face
from tinytorch.version import __version__  # noqa: F401

# Names that need no module of the course, and where they are.
ELSEWHERE = {
    "tinytorch.amp": "autocast GradScaler is_autocast_enabled is_autocast_cpu_enabled is_autocast_cache_enabled "
    "get_autocast_dtype get_autocast_cpu_dtype get_autocast_gpu_dtype",
    "tinytorch.compiler": "compile",
    "tinytorch.cuda": "OutOfMemoryError",
    "tinytorch.given.tensor.complex_pairs": "polar view_as_complex view_as_real",
    "tinytorch.backends._switches": "set_num_threads get_num_threads set_num_interop_threads "
    "get_num_interop_threads set_float32_matmul_precision get_float32_matmul_precision "
    "use_deterministic_algorithms are_deterministic_algorithms_enabled "
    "is_deterministic_algorithms_warn_only_enabled set_flush_denormal "
    "set_warn_always is_warn_always_enabled",
}

sys.modules[__name__].__class__ = Package
__getattr__, __dir__ = face(__name__, ELSEWHERE)
newaxis = None
