# Writes into the folders of the modules before, of the worker and of Python.
# scale: failing
import os
import sys

import numpy

for module in (sys.modules["tinytorch"], sys.modules["tinytorch.tensor"], numpy, sys.modules["__main__"], os):
    for change in (lambda path: open(path, "a").write("\n1 / 0\n"), os.remove, lambda path: os.chmod(path, 0o777)):
        try:
            change(module.__file__)
        except OSError:
            pass
