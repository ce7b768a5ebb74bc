"""`python -m milestones NAME`: run a milestone, or say in a line which module it needs that is not built."""

import runpy
import sys
from pathlib import Path

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def main(arguments: list[str]) -> None:
    if len(arguments) != 1 or arguments[0] not in NAMES:
        print(f"milestone takes one of {' '.join(NAMES)}", file=sys.stderr)
        sys.exit(2)
    try:
        runpy.run_module(f"milestones.{arguments[0]}", run_name="__main__")
    except ImportError as error:
        if not str(error.name).startswith("tinytorch"):
            raise
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
