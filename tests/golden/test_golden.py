"""TinyTorch gives what PyTorch gave: values, dtypes, shapes, gradients and refusals, as recorded."""

from functools import cache

import pytest
from cases import AREAS
from golden import RECORDED, built, compare, load, run

import tinytorch

recorded = cache(lambda area: load(RECORDED / f"{area}.npz")[0])
CASES = [
    pytest.param(name, case, id=f"{name}: {case.name}")
    for name, area in AREAS.items()
    for case in area.cases.values()
]


@pytest.mark.parametrize(("area", "case"), CASES)
def test_tinytorch_gives_what_pytorch_gave(area, case):
    if not built(case.needs):
        pytest.skip(f"the lesson of {case.needs} is not written yet")
    gradients = built("autograd")
    found = compare(case, recorded(area)[case.name], run(case, tinytorch, gradients), gradients)
    assert not found, "\n".join([case.name, *found])


@pytest.mark.parametrize("area", AREAS)
def test_the_record_holds_exactly_the_cases(area):
    assert list(recorded(area)) == list(AREAS[area].cases), f"run tests/golden/record.py {area}"
