"""Whole programs that say `import torch`, run with `sys.modules["torch"] = tinytorch` and nothing else.

They print what they print with PyTorch, losses and all.
"""

import json
import re
from pathlib import Path

import pytest

import tinytorch
from tests.reference.record_programs import PROGRAMS, RECORDED, printed

EXPECTED = json.loads(RECORDED.read_text(encoding="utf-8"))
AS_TORCH = "import runpy, sys, tinytorch; sys.modules['torch'] = tinytorch; runpy.run_path(sys.argv[1], run_name='__main__')"
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


def test_every_program_is_recorded():
    assert sorted(EXPECTED) == sorted(path.stem for path in PROGRAMS.glob("*.py"))


@pytest.mark.parametrize("name", EXPECTED)
def test_a_program_prints_what_it_prints_with_pytorch(name):
    place = str(Path(tinytorch.__file__).parents[1])
    lines = printed(name, "-P", "-c", AS_TORCH, PYTHONPATH=place)
    assert len(lines) == len(EXPECTED[name])
    for line, expected in zip(lines, EXPECTED[name]):
        assert NUMBER.sub("#", line) == NUMBER.sub("#", expected)
        numbers, wanted = ([float(number) for number in NUMBER.findall(text)] for text in (line, expected))
        assert numbers == pytest.approx(wanted, rel=2e-3, abs=2e-4), f"{line!r}, with PyTorch {expected!r}"
