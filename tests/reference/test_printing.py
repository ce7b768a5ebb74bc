"""A tensor prints as PyTorch prints it, character for character."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import tinytorch as torch
from tests.reference.record_printing import RECORDED, texts

RECORD = json.loads(RECORDED.read_text("utf-8"))["texts"]


@pytest.fixture(scope="module")
def printed():
    return texts(torch)


def test_the_record_holds_what_is_printed(printed):
    assert {kind: len(texts) for kind, texts in printed.items()} == {
        kind: len(texts) for kind, texts in RECORD.items()
    }


@pytest.mark.parametrize("kind", RECORD)
def test_it_prints_as_pytorch_does(printed, kind):
    assert "\n\n".join(printed[kind]) == "\n\n".join(RECORD[kind])


def test_a_tensor_elsewhere_says_where():
    here = torch.tensor([1.0, 2.0])
    there = SimpleNamespace(
        device=torch.device("cuda", 0), cpu=lambda: here, requires_grad=False, grad_fn=None, array=None
    )
    assert torch.Tensor.__repr__(there) == "tensor([1., 2.], device='cuda:0')"


def test_a_large_tensor_prints_at_once():
    zeros = torch.tensor(np.zeros((3000, 3000), np.float32))
    tall = zeros.expand(1000, 3000, 3000)  # 36 GB, if anything copied it
    assert repr(tall).count("0.") == 6**3


def test_str_is_repr_and_a_number_formats_as_its_value():
    x = torch.tensor(2.5)
    assert str(x) == repr(x) == "tensor(2.5000)"
    assert f"{x:.2f}" == "2.50"
