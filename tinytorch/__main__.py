"""Run a program that was written for PyTorch, unchanged: `python -m tinytorch [--accelerate] program.py ...`.

In it, and in all that it imports, `torch` is tinytorch. With --accelerate the kernels of module 17 stand in the
place of operations.
"""

import argparse
import os
import runpy
import sys

import tinytorch


def main():
    parser = argparse.ArgumentParser(prog="python -m tinytorch", description=__doc__.splitlines()[0])
    parser.add_argument("--accelerate", action="store_true", help="run on the kernels of module 17")
    parser.add_argument("program", help="a file of Python")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program is given")
    asked = parser.parse_args()
    if not os.path.isfile(asked.program):
        parser.error(f"there is no file {asked.program}")
    sys.modules["torch"] = tinytorch
    if asked.accelerate:
        try:
            tinytorch.accelerate()
        except ImportError as error:  # it is not built yet, and says so
            parser.error(str(error))
    sys.argv = [asked.program, *asked.arguments]
    if not sys.flags.safe_path:  # else there is no folder of the program's to replace
        sys.path[0] = os.path.dirname(os.path.abspath(asked.program))
    runpy.run_path(asked.program, run_name="__main__")


if __name__ == "__main__":
    main()
