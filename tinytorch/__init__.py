"""tinytorch: what twenty notebooks build, under PyTorch's names. `import tinytorch as torch` is the test.

Each notebook is exported to one flat module here; this package and the places below it only look names up.
"""

import sys

from tinytorch._faces import Package, face

sys.modules[__name__].__class__ = Package
__getattr__, __dir__ = face(__name__)
