"""Random programs of views, picks, writes in place and arithmetic: each step, value and gradient as in PyTorch."""

import numpy as np
import pytest

import tinytorch as torch
from tests.reference.record_views import SEEDS, Program, load

RECORD = load()


@pytest.mark.parametrize("first", SEEDS[::20])
def test_a_random_program_ends_as_with_pytorch(first):
    for seed in SEEDS[first : first + 20]:
        notes, numbers = Program(seed, torch).results()
        theirs, wanted = RECORD[seed]
        for step, (ours, line) in enumerate(zip(notes, theirs, strict=False)):
            so_far = "\n".join(theirs[:step])
            assert ours == line, f"seed {seed}:\n{so_far}\nhere    {ours}\nPyTorch {line}"
        program = f"seed {seed}:\n" + "\n".join(theirs)
        assert len(notes) == len(theirs), program
        np.testing.assert_allclose(numbers, wanted, rtol=1e-6, atol=1e-6, err_msg=program)


@pytest.mark.parametrize(
    "pick", [lambda x: x[1], lambda x: x[-2], lambda x: x.select(0, 1), lambda x: list(x)[1]]
)
def test_a_picked_element_is_a_view(pick):
    x = torch.zeros(3)
    pick(x).add_(1)
    assert x.tolist() == [0, 1, 0]
    assert pick(x)._base is x


def test_a_write_to_a_picked_element_cuts_its_gradient():
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    y[0].fill_(5)
    (y * y).sum().backward()
    assert y.tolist() == [5, 1, 1]
    assert x.grad.tolist() == [0, 2, 2]


def test_a_view_of_data_is_written_to_unseen():
    x = torch.ones(3, requires_grad=True)
    y = (x * x).sum()
    x.data[0] = 7
    x.data[1].mul_(2)
    y.backward()
    assert x.grad.tolist() == [14, 4, 2]
