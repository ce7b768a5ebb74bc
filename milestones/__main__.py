"""`python -m milestones NAME`: run a milestone, or say in a line which module it needs that is not built."""

import runpy
import sys
from pathlib import Path

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
ASKED = {"chat", "gpt", "tune"}  # those that take arguments of their own


def main(arguments: list[str]) -> None:
    name, *others = arguments or [""]
    if name not in NAMES or (others and name not in ASKED):
        print(f"milestone takes one of {' '.join(NAMES)}", file=sys.stderr)
        sys.exit(2)
    sys.argv[1:] = others
    try:
        runpy.run_module(f"milestones.{name}", run_name="__main__")
    except ImportError as error:
        if not str(error.name).startswith("tinytorch"):
            raise
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
