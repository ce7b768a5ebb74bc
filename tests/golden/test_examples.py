"""The harness for PyTorch's examples tells what runs alike from what does not."""

from collections import Counter
from types import SimpleNamespace

import examples
import pytest

import tinytorch
from tinytorch._namespaces import needs

ADDS = """
>>> x = torch.ones(2)
>>> for _ in range(2):
...     x = x + 1
>>> x
tensor([3., 3.])
"""


def test_a_docstring_runs_as_it_is_typed():
    ran = examples.run(tinytorch, ADDS)
    assert ran.error is None
    assert ran.printed == ["", "", "tensor([3., 3.])\n"]
    assert ran.bound["x"].array.tolist() == [3, 3]
    assert examples.difference(ran, examples.run(tinytorch, ADDS)) is None


def test_a_block_may_have_prompts_before_each_line():
    assert examples.run(tinytorch, ">>> for x in range(3):\n>>>     y = x\n").bound == {"x": 2, "y": 2}


def test_a_large_tensor_is_compared_by_its_shape_and_a_sample():
    first = examples.run(tinytorch, ">>> x = torch.zeros(300, 500)")
    assert first.bound["x"]["some elements"].array.size < 11_000
    second = examples.run(tinytorch, ">>> x = torch.zeros(300, 501)")
    assert examples.difference(first, second) == "x[shape][1] is 501, PyTorch's 500"
    other = examples.run(tinytorch, ">>> x = torch.ones(300, 500)")
    assert "x[some elements] differs" in examples.difference(first, other)


def test_every_docstring_begins_with_the_same_seed():
    first, second = (examples.run(tinytorch, ">>> torch.rand(3)") for _ in range(2))
    assert first == second


def test_a_docstring_that_stops_says_where():
    ran = examples.run(tinytorch, ">>> x = 3\n>>> torch.no_such_name(x)\n>>> x = 4\n")
    assert ran.printed == [""]
    assert ran.error.startswith("torch.no_such_name(x): AttributeError: ")
    assert examples.difference(examples.run(tinytorch, ">>> x = 3\n"), ran) == ran.error


@pytest.mark.parametrize(
    ("theirs", "ours", "said"),
    [
        (">>> 2.5", ">>> 2.51", "prints '2.51', PyTorch '2.5'"),
        (">>> x = 3", ">>> x = 4", "x is 4, PyTorch's 3"),
        (">>> x = torch.ones(2)", ">>> x = torch.ones(3)", "x has shape (3,), PyTorch's (2,)"),
        (">>> x = 3", ">>> y = 3", "binds no x"),
    ],
)
def test_a_difference_is_one_line(theirs, ours, said):
    assert examples.difference(*(examples.run(tinytorch, text) for text in (theirs, ours))) == said


@pytest.mark.parametrize(
    ("theirs", "ours", "same"),
    [
        ("tensor([0.1234, 1.])", "tensor([0.1235, 1.])", True),
        ("tensor([0.1234])", "tensor([0.1334])", False),
        ("tensor(3.7e-16)", "tensor(4.3e-18)", True),
        ("tensor([1, 2])", "tensor([1, 3])", False),
        ("tensor([1.])", "tensor([1.], requires_grad=True)", False),
        ("<torch._C.Generator object at 0x7f1>", "<tinytorch.tensor.Generator object at 0x1>", True),
        ("[ 1.,\n  2.]", "[1., 2.]", True),
        ("tensor([nan, inf])", "tensor([nan, -inf])", False),
    ],
)
def test_prints_are_the_same_but_for_last_digits_and_columns(theirs, ours, same):
    assert examples.same_print(theirs, ours) is same


def test_each_docstring_is_found_once_under_its_name():
    double = lambda: None
    double.__doc__ = ">>> 1"
    home = SimpleNamespace(Tensor=SimpleNamespace(double=double, again=double, _own=double))
    assert list(examples.docstrings(home, ["torch.Tensor"])) == ["torch.Tensor.again"]


def test_what_a_place_imports_from_elsewhere_is_not_its_own():
    home = SimpleNamespace(Tensor=SimpleNamespace(Counter=Counter))
    assert examples.docstrings(home, ["torch.Tensor"]) == {}


def test_a_docstring_has_the_names_of_its_place():
    ran = examples.run(tinytorch, ">>> list(SequentialSampler([5, 6]))", "tinytorch.utils.data")
    assert ran.printed == ["[0, 1]\n"]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("torch.fft.rfft(x)", "complex numbers"),
        ("x = torch.zeros(2, device='cuda')", "devices other than the processor"),
        ("torch.zeros(2, names=('N',))", "names of dimensions"),
        ("torch.tensor([1 + 2j])", "complex numbers"),
        ("torch.add(names, 2)", None),
    ],
)
def test_what_stays_out_is_told_by_what_a_program_asks_for(program, reason):
    assert needs(program) == reason
