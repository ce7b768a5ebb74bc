"""Run every golden case with PyTorch and TinyTorch side by side: `python parity.py [--self] [AREA ...]`.

Without an area it also lays every signature beside PyTorch's, and runs the examples of PyTorch's docstrings. With
--self, PyTorch is compared with what was recorded from it, to show that the records are up to date.
"""

import importlib
import importlib.util
import sys
import time

import examples
import signatures
from cases import AREAS
from golden import RECORDED, compare, load, run

PROGRAMS = 1000


def main(arguments: list[str]) -> int:
    names = [argument for argument in arguments if argument != "--self"] or list(AREAS)
    unknown = [name for name in names if name not in AREAS]
    if unknown:
        print(f"no area is called {unknown[0]}; there are {', '.join(AREAS)}", file=sys.stderr)
        return 2
    if importlib.util.find_spec("torch") is None:
        print(
            "parity compares with PyTorch live, and torch is not installed here: pip install torch",
            file=sys.stderr,
        )
        return 2
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    against_record = "--self" in arguments
    ours = torch if against_record else importlib.import_module("tinytorch")
    different = 0
    for name in names:
        cases = AREAS[name].cases.values()
        record = load(RECORDED / f"{name}.npz")[0] if against_record else {}
        found = {}
        for case in cases:
            theirs = record[case.name] if against_record else run(case, torch)
            found[case.name] = compare(case, theirs, run(case, ours))
        differing = {case: lines for case, lines in found.items() if lines}
        different += len(differing)
        print(f"{name:14} {len(cases) - len(differing):5} of {len(cases)} cases agree")
        for case, lines in differing.items():
            print(f"    {case}", *lines, sep="\n        ")
    if "compositions" in names and not against_record:
        different += compose(torch, ours)
    if names == list(AREAS) and not against_record:
        found = signatures.differing(ours, signatures.record(torch))
        different += len(found)
        print(f"signatures     {len(found)} differ, {len(signatures.DIFFERENT)} are known to")
        for name, problems in found.items():
            print(f"    {name}: {', '.join(problems)}")
        print(*examples.report(examples.examine()), sep="\n")
    return int(different > 0)


def compose(torch, ours) -> int:
    """Draw programs that nobody has run before, and keep the shortest on which the two differ."""
    compositions = importlib.import_module("compositions")  # hypothesis is needed for nothing else
    number = time.time_ns() % 1_000_000
    found = compositions.differing(torch, ours, PROGRAMS, number)
    print(f"               {PROGRAMS} new programs from seed {number}" + (", one differs:" if found else ""))
    if found:
        compositions.keep(torch, [found[0]])
        print(*found[0].splitlines(), *found[1], "kept: record.py compositions", sep="\n        ")
    return int(found is not None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
