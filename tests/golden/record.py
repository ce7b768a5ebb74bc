"""Record what PyTorch gives for every golden case: `record.py [AREA ...]`, where torch is installed."""

import importlib
import json
import sys
from dataclasses import replace

import signatures
import torch
from cases import AREAS
from golden import RECORDED, compare, run, save

NUMPY = (
    RECORDED / "numpy.json"
)  # of each area, the cases in which PyTorch does not take NumPy's numbers as Python's


def record_names() -> None:
    """Write down which names PyTorch has, for each one we share is in a case, and what they take."""
    places = sorted({place for place, _ in signatures.exports()})
    names = {place: sorted(dir(importlib.import_module(f"torch{place}"))) for place in places}
    public = {place: [name for name in found if not name.startswith("_")] for place, found in names.items()}
    (RECORDED / "names.json").write_text(json.dumps(public, indent=0) + "\n")
    lines = [f"{json.dumps(name)}: {json.dumps(found)}" for name, found in signatures.record(torch).items()]
    signatures.RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main(names: list[str]) -> int:
    torch.set_num_threads(1)
    record_names()
    problems, others = [], json.loads(NUMPY.read_text()) if NUMPY.exists() else {}
    for name in names or AREAS:
        outcomes = {case.name: run(case, torch) for case in AREAS[name].cases.values()}
        for case in AREAS[name].cases.values():
            for index, outcome in enumerate(outcomes[case.name]):
                if bool(outcome.error) != case.raises or outcome.error == "NameError":
                    problems.append(
                        f"{name}: {case.name}, example {index}: {outcome.error} {outcome.message}"
                    )
        others[name] = [
            case.name
            for case in AREAS[name].cases.values()
            if case.numpy
            and compare(case, outcomes[case.name], run(replace(case, program=case.numpy), torch))
        ]
        path = RECORDED / f"{name}.npz"
        save(path, outcomes, torch.__version__)
        examples = sum(map(len, outcomes.values()))
        print(f"{name:14} {len(outcomes):5} cases {examples:6} examples {path.stat().st_size / 1e3:8.1f} kB")
    NUMPY.write_text(json.dumps(dict(sorted(others.items())), indent=0) + "\n")
    print(*problems, sep="\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
