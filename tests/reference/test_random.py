"""TinyTorch draws what PyTorch draws: the same numbers, and as many from the stream."""

import numpy as np
import pytest

import tinytorch as torch
from tests.reference.record_random import PROGRAMS, load, run

RECORD = load()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_draws_what_pytorch_drew(name):
    tolerance = PROGRAMS[name][1]
    results = run(name, torch)
    assert len(results) == len(RECORD[name])
    for index, (ours, theirs) in enumerate(zip(results, RECORD[name], strict=True)):
        place = f"{name}: result {index}"
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), place
        if tolerance and theirs.dtype.kind == "f":
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance, err_msg=place)
        else:
            np.testing.assert_array_equal(ours, theirs, err_msg=place)


def test_a_state_that_pytorch_saved_goes_on_as_there():
    new, after_words, with_half_a_pair = map(torch.tensor, RECORD["states"])
    generator = torch.Generator()
    for state, drawn in zip((new, after_words), RECORD["draws_after_the_states"], strict=False):
        generator.set_state(state)
        np.testing.assert_allclose(torch.randn(4, generator=generator).numpy(), drawn, rtol=1e-6)
    generator.set_state(with_half_a_pair)
    drawn = RECORD["draws_after_the_states"][2]
    np.testing.assert_allclose(torch.randn(4, generator=generator).numpy(), drawn, rtol=1e-6)
    assert generator.initial_seed() == 2**64 - 3


def test_a_state_is_a_copy():
    generator = torch.Generator().manual_seed(1)
    state = generator.get_state()
    drawn = torch.rand(5, generator=generator)
    torch.rand(700, generator=generator)
    generator.set_state(state)
    np.testing.assert_array_equal(torch.rand(5, generator=generator).numpy(), drawn.numpy())


def test_seed_starts_somewhere_else_each_time():
    generator = torch.Generator()
    seeds = {generator.seed() for _ in range(5)}
    assert len(seeds) == 5
    last = generator.seed()
    drawn = torch.rand(3, generator=generator)
    assert generator.initial_seed() == last
    np.testing.assert_array_equal(drawn.numpy(), torch.rand(3, generator=generator.manual_seed(last)).numpy())


@pytest.mark.parametrize(
    ("error", "refused"),
    [
        (ValueError, lambda: torch.Generator().manual_seed(2**64)),
        (ValueError, lambda: torch.Generator().manual_seed(-(2**63) - 1)),
        (RuntimeError, lambda: torch.Generator().manual_seed(1.5)),
        (RuntimeError, lambda: torch.Generator().set_state(torch.zeros(5, dtype=torch.uint8))),
        (RuntimeError, lambda: torch.Generator().set_state(torch.zeros(5056, dtype=torch.uint8))),
        (RuntimeError, lambda: torch.empty(3).uniform_(1, 0)),
        (RuntimeError, lambda: torch.empty(3).normal_(0, -1)),
        (RuntimeError, lambda: torch.empty(3).bernoulli_(1.5)),
        (RuntimeError, lambda: torch.empty(3).bernoulli_(float("nan"))),
        (RuntimeError, lambda: torch.bernoulli(torch.tensor([-0.1]))),
        (RuntimeError, lambda: torch.empty(3).exponential_(0)),
        (RuntimeError, lambda: torch.randint(3, 3, (2,))),
        (RuntimeError, lambda: torch.randperm(-1)),
        (RuntimeError, lambda: torch.multinomial(torch.ones(1, 1, 1), 1)),
        (RuntimeError, lambda: torch.multinomial(torch.ones(3), 4)),
        (RuntimeError, lambda: torch.multinomial(torch.ones(3), 0)),
        (RuntimeError, lambda: torch.multinomial(torch.zeros(3), 2, True)),
        (RuntimeError, lambda: torch.multinomial(torch.tensor([1.0, float("nan")]), 1)),
        (RuntimeError, lambda: torch.multinomial(torch.tensor([1, 2]), 1)),
    ],
)  # fmt: skip
def test_what_pytorch_refuses_is_refused(error, refused):
    with pytest.raises(error):
        refused()
