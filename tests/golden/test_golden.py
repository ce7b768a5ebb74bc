"""TinyTorch gives what PyTorch gave: values, dtypes, shapes, gradients and refusals, as recorded."""

import json
import re
from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import signatures
from cases import AREAS
from golden import RECORDED, compare, load, run

import tinytorch

recorded = cache(lambda area: load(RECORDED / f"{area}.npz")[0])
CASES = defaultdict(list)  # of each area, by what they call
for name, area in AREAS.items():
    for case in area.cases.values():
        CASES[name, case.name.partition("(")[0]].append(case)


@pytest.mark.parametrize(("area", "called"), CASES, ids=map(": ".join, CASES))
def test_tinytorch_gives_what_pytorch_gave(area, called):
    differ = []
    for case in CASES[area, called]:
        found = compare(case, recorded(area)[case.name], run(case, tinytorch))
        differ += [case.name, *found] if found else []
    assert not differ, "\n".join(differ)


@pytest.mark.parametrize("area", AREAS)
def test_numbers_of_numpy_are_taken_as_those_of_python(area):
    others, differ = json.loads((RECORDED / "numpy.json").read_text())[area], []
    for case in AREAS[area].cases.values():
        if case.numpy and case.name not in others:
            found = compare(
                case, recorded(area)[case.name], run(replace(case, program=case.numpy), tinytorch)
            )
            differ += [case.name, *found] if found else []
    assert not differ, "\n".join(differ)


@pytest.mark.parametrize("area", AREAS)
def test_the_record_holds_exactly_the_cases(area):
    assert list(recorded(area)) == list(AREAS[area].cases), f"run tests/golden/record.py {area}"


def test_every_name_that_pytorch_has_too_is_in_a_case():
    words = {
        word
        for path in Path(__file__).parent.glob("cases/*.py")
        for word in re.findall(r"\w+", path.read_text())
    }
    theirs = json.loads((RECORDED / "names.json").read_text())
    missing = [
        f"{place}.{name}"
        for place, name in signatures.exports()
        if name in theirs.get(place, ()) and name not in words
    ]
    assert not missing, "no golden case mentions " + ", ".join(missing)


def test_signatures_are_pytorchs():
    recorded = signatures.recorded()
    assert signatures.differing(tinytorch, recorded) == {}


def test_what_is_listed_as_different_is_different(monkeypatch):
    listed = dict(signatures.DIFFERENT)
    monkeypatch.setattr(signatures, "DIFFERENT", {})
    assert listed.keys() <= signatures.differing(tinytorch, signatures.recorded()).keys()
