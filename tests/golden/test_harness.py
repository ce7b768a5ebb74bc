"""The golden tests see what they are there to see: one that agrees with everything proves nothing."""

from dataclasses import replace

import numpy as np
import pytest
from golden import Area, Case, Leaf, Outcome, compare, integers, load, real, save

CASE = Case("a case", program=None, examples=[()])


def leaf(*values, dtype="float32", requires_grad=False):
    return Leaf(np.array(values, dtype), requires_grad)


def lines(wanted, got, case=CASE):
    return compare(case, [wanted], [got])


def test_equal_outcomes_agree():
    outcome = Outcome({"x": [leaf(1, np.nan, np.inf), 3, None, "text"]}, {"input 0": leaf(2)})
    assert lines(outcome, outcome) == []


@pytest.mark.parametrize(
    ("wanted", "got", "said"),
    [
        (leaf(1, 2), leaf(1, 2.001), "differs in 1 of 2 places, first at [1]"),
        (leaf(1, 2), leaf(1, np.nan), "differs in 1 of 2"),
        (leaf(1, 2), leaf(1, 2, dtype="float64"), "dtype float64"),
        (leaf(1, 2), Leaf(np.float32([[1, 2]]), False), "shape (1, 2)"),
        (leaf(1, 2), leaf(1, 2, requires_grad=True), "requires_grad is True"),
        (leaf(7, dtype="int64"), leaf(8, dtype="int64"), "differs"),
        ([leaf(1)], [leaf(1), leaf(2)], "a list of 2"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "a dict of ['b', 'a']"),
        (1, True, "True"),
        (0.1, 0.1001, "0.1001"),
        ("Linear(3)", "Linear(4)", "Linear(4)"),
        (leaf(1), None, "None"),
    ],
)
def test_a_difference_is_named(wanted, got, said):
    (line,) = lines(Outcome(wanted), Outcome(got))
    assert said in line


def test_gradients_are_compared_unless_a_case_has_none():
    wanted, got = Outcome(1, {"input 0": leaf(1)}), Outcome(1, {"input 0": leaf(2)})
    assert "gradient[input 0] differs" in lines(wanted, got)[0]
    assert compare(replace(CASE, gradient=False), [wanted], [got]) == []


def test_a_refusal_must_be_of_the_same_type_and_say_something():
    refused = Outcome(error="IndexError")
    assert lines(refused, Outcome(error="IndexError", message="no dimension 3")) == []
    assert "accepted" in lines(refused, Outcome(1))[0]
    assert "without a message" in lines(refused, Outcome(error="IndexError", message=""))[0]
    assert "raised ValueError" in lines(refused, Outcome(error="ValueError", message="no"))[0]
    assert "raised TypeError: no" in lines(Outcome(1), Outcome(error="TypeError", message="no"))[0]


def test_what_is_saved_is_loaded(tmp_path):
    values = {"x": leaf(1, 2), "": [Leaf(np.zeros((0, 3), "int64"), False), np.inf, None], "array of": 1.5}
    outcomes = {"first": [Outcome(values, {"input 0": leaf(3)})], "second": [Outcome(error="IndexError")]}
    save(tmp_path / "area.npz", outcomes, "2.0")
    loaded, version = load(tmp_path / "area.npz")
    assert version == "2.0"
    assert compare(CASE, outcomes["first"], loaded["first"]) == []
    assert loaded["first"][0].values[""][0].array.shape == (0, 3)
    assert loaded["second"][0].error == "IndexError"


def test_a_case_of_the_same_name_gets_a_number():
    area = Area()
    area.each("x", [real(2)], "x + 1; x * 2")
    area.each("x", [integers(2)], "x + 1")
    assert list(area.cases) == ["x + 1", "x * 2", "x + 1 (2)"]
