"""What a worker answers: taken apart without being believed, and compared with what the reference gives."""

import base64
import json

import numpy as np
import pytest

from autograder.grading import probes, worker

VALUES = [
    np.arange(6, dtype=np.float32).reshape(2, 3),
    np.array(3, dtype=np.int64),
    np.zeros((0, 4)),
    np.array([True, False]),
    np.array([1 + 2j]),
    np.float16([0.5, np.nan, np.inf]),
    [1, 2.5, "text", None, True, [float("nan")]],
    {"shape": (2, 3), 1: np.ones(2)},
]


def sent(value: object) -> object:
    """A value as it comes out of a sandbox."""
    return probes.decoded(json.loads(json.dumps(worker.plain(value))))


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_a_value_comes_through_and_agrees_with_itself(value):
    assert probes.agree(sent(value), sent(value))
    others = [sent(other) for other in VALUES if other is not value]
    assert not any(probes.agree(sent(value), other) or probes.agree(other, sent(value)) for other in others)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (np.float32([1, 1000]), np.float32([1, 1000.01]), True),
        (np.float32([1, 2]), np.float32([1, 2.1]), False),
        (np.float64([1, 2]), np.float64([1, 2 + 1e-9]), True),
        (np.float64([1, 2]), np.float64([1, 2.001]), False),
        (np.float64([0, 1e-9]), np.float64([0, 2e-9]), False),
        (np.float32([1]), np.float64([1]), False),
        (np.ones((1, 2)), np.ones(2), False),
        (np.int64([1]), np.int64([2]), False),
        (np.float64([np.nan, 1]), np.float64([np.nan, 1]), True),
        (np.float64([np.nan, 1]), np.float64([1, 1]), False),
        (np.float64([np.inf, 1]), np.float64([-np.inf, 1]), False),
        (1, True, False),
        (1, 1.0, False),
        (0.1 + 0.2, 0.3, True),
        ("a", "b", False),
        ([1, 2], [1], False),
        ({"a": 1}, {"b": 1}, False),
        (None, 0, False),
    ],
)
def test_types_and_shapes_agree_exactly_and_numbers_closely(one, other, same):
    assert probes.agree(sent(one), sent(other)) == same
    assert probes.agree(sent(other), sent(one)) == same


LIE = base64.b64encode(bytes(40)).decode()


@pytest.mark.parametrize(
    "lie",
    [
        {"array": ["O", [5], LIE]},
        {"array": ["f8,f8", [5], LIE]},
        {"array": [{"names": ["a"], "formats": ["f8"]}, [5], LIE]},
        {"array": ["V8", [5], LIE]},
        {"array": ["<U10", [1], LIE]},
        {"array": [["<f8"], [5], LIE]},
        {"array": ["<f8" * 100_000, [5], LIE]},
        {"array": ["<f8", [-1], LIE]},
        {"array": ["<f8", [1 << 80], LIE]},
        {"array": ["<f8", [5, 0], LIE]},
        {"array": ["<f8", [True], LIE]},
        {"array": ["<f8", [1] * 60 + [5], LIE]},
        {"array": ["<f8", "5", LIE]},
        {"array": ["<f8", [5], 5]},
        {"array": ["<f8", [5], "é" * 8]},
        {"array": ["<f8", [5], "A" * (8 << 20)]},
        {"array": ["<f8", [5]]},
        {"array": 3},
        {"list": {"a": 1}},
        {"dict": [[1]]},
        {"dict": [1]},
        {"array": [], "list": []},
        {"other": 1},
        [1],
    ],
    ids=range(24),
)
def test_what_is_no_answer_is_refused_before_anything_of_its_size_is_made(lie):
    with pytest.raises(ValueError, match=r"."):
        probes.decoded(lie)
