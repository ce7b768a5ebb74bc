"""Programs that draw random numbers, and what PyTorch drew: `python -m tests.reference.record_random`.

Each is run with PyTorch here, and by `test_random.py` with TinyTorch. A program returns tensors and numbers;
its tolerance is how far floating-point ones may be from PyTorch's, relative to the larger of 1 and PyTorch's.
Zero is to the bit.
"""

import itertools
import json
import math
import zlib
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).parent / "recorded" / "random.npz"
SEEDS = (0, 42, -1, 2**40 + 7, 2**64 - 1)
SIZES = ((), (0,), (1,), (2,), (15,), (16,), (17,), (3, 5, 7))
FLOATS = ("float32", "float64", "float16")
TYPES = (*FLOATS, "int64", "int32", "int16", "int8", "uint8", "bool")
PROGRAMS = {}


def program(tolerance=0.0):
    def register(function):
        PROGRAMS[function.__name__] = function, tolerance
        return function

    return register


def run(name, torch):
    """A program's results, as arrays."""
    results = PROGRAMS[name][0](torch)
    return [
        np.asarray(result.detach().numpy() if hasattr(result, "detach") else result) for result in results
    ]


def save(version, outcomes):
    """Write every program's results as bytes in a row, and of what types and shapes they are."""
    kinds = {name: [(array.dtype.str, array.shape) for array in arrays] for name, arrays in outcomes.items()}
    rows = {name: b"".join(array.tobytes() for array in arrays) for name, arrays in outcomes.items()}
    rows = {name: np.frombuffer(row, np.uint8) for name, row in rows.items()}
    np.savez_compressed(RECORDED, version=version, kinds=json.dumps(kinds), **rows)


def load():
    """What `save` wrote: the arrays of every program."""
    with np.load(RECORDED) as saved:
        outcomes = {}
        for name, kinds in json.loads(str(saved["kinds"])).items():
            row, outcomes[name] = saved[name].tobytes(), []
            for kind, shape in kinds:
                count = math.prod(shape)
                outcomes[name].append(np.frombuffer(row, kind, count).reshape(shape))
                row = row[count * np.dtype(kind).itemsize :]
        return outcomes


def seeded(torch, draw, *rows):
    """`draw(b, c, ...)` for all combinations of the later rows, anew for each seed in the first."""
    results = []
    for first in rows[0]:
        torch.manual_seed(first)
        results += [draw(*rest) for rest in itertools.product(*rows[1:])]
    return results


def checksum(tensor):
    return zlib.crc32(np.ascontiguousarray(tensor.numpy()).tobytes())


@program()
def uniform(torch):
    return seeded(
        torch, lambda kind, size: torch.rand(size, dtype=getattr(torch, kind)), SEEDS, FLOATS, SIZES
    )


@program()
def uniform_in_a_range(torch):
    def draw(kind, bounds):
        return torch.empty(40, dtype=getattr(torch, kind)).uniform_(*bounds)

    bounds = [(-0.1, 0.1), (-1 / 28, 1 / 28), (3.0, 7.3), (0.0, 0.37), (-1000.1, 0.0003), (2.0, 2.0)]
    return seeded(torch, draw, SEEDS[:2], ("float32", "float16"), bounds)


@program(1e-12)
def uniform_in_a_range_in_float64(torch):
    def draw(*bounds):
        return torch.empty(40, dtype=torch.float64).uniform_(*bounds)

    return seeded(torch, draw, SEEDS[:2], [-0.1, 3.0], [3.1, 7.3])


@program()
def uniform_never_reaches_its_upper_bound(torch):
    torch.manual_seed(7)
    halves = torch.rand(20_000, dtype=torch.float16)
    narrow = torch.empty(20_000).uniform_(1000, 1000.001)
    return [checksum(halves), halves.max(), checksum(narrow), narrow.max()]


@program(1e-6)
def normal(torch):
    return seeded(torch, lambda size: torch.randn(size), SEEDS, SIZES)


@program(1e-12)
def normal_in_float64(torch):
    return seeded(torch, lambda size: torch.randn(size, dtype=torch.float64), SEEDS, SIZES)


@program(1e-3)
def normal_in_float16(torch):
    return seeded(torch, lambda size: torch.randn(size, dtype=torch.float16), SEEDS[:2], SIZES)


@program(1e-6)
def normal_of_a_mean_and_deviation(torch):
    def draw(size, mean, std):
        return torch.empty(size).normal_(mean, std)

    return seeded(torch, draw, SEEDS[:2], (3, 18), (-1.5, 0.0), (0.02, 3.0, 0.0))


@program()
def bernoulli(torch):
    torch.manual_seed(1)
    numbers = [torch.zeros(50, dtype=getattr(torch, kind)).bernoulli_(0.3) for kind in TYPES]
    tensors = [torch.bernoulli(torch.arange(33).to(getattr(torch, kind)) / 32) for kind in FLOATS[:2]]
    same = [
        torch.zeros(20).bernoulli_(torch.tensor(0.4)),
        torch.zeros(2, 6).bernoulli_(torch.full((6,), 0.4)),
    ]
    return [*numbers, *tensors, *same, torch.rand(2)]


@program(1e-6)
def exponential(torch):
    def draw(kind, size, rate):
        return torch.empty(size, dtype=getattr(torch, kind)).exponential_(rate)

    return seeded(torch, draw, SEEDS[:2], FLOATS[:2], SIZES, (1.0, 2.5))


@program()
def integers(torch):
    wide = [2**28 - 1, 2**28, 2**31, 2**32 - 1, 2**32, 2**40 + 3, 2**63 - 1]
    bounds = [(0, 10), (-3, 4), (5, 6), *((0, high) for high in wide), (-(2**63), 2**63 - 1)]
    return seeded(torch, lambda bounds, size: torch.randint(*bounds, size), SEEDS, bounds, SIZES[:4])


@program()
def integers_of_every_type(torch):
    torch.manual_seed(1)
    drawn = [torch.randint(0, 2, (9,), dtype=getattr(torch, kind)) for kind in TYPES]
    whole_range = [torch.empty(6, dtype=getattr(torch, kind)).random_() for kind in TYPES]
    return [*drawn, *whole_range, torch.zeros(5).random_(10), torch.zeros(5).random_(-7, 10), torch.rand(2)]


@program()
def permutations(torch):
    return seeded(torch, lambda n: torch.randperm(n), SEEDS, (0, 1, 2, 3, 10, 100))


@program()
def multinomial(torch):
    def draw(kind, shape, count, replacement):
        rows = (torch.arange(1, math.prod(shape) + 1).to(getattr(torch, kind)) / 16).reshape(shape)
        return torch.multinomial(rows, count, replacement)

    return seeded(torch, draw, SEEDS[:3], FLOATS, [(7,), (1, 5), (4, 40)], (1, 2, 5), (False, True))


@program()
def long_draws(torch):
    torch.manual_seed(5)
    drawn = [torch.rand(100_003), torch.rand(10_001, dtype=torch.float64), torch.randint(0, 97, (100_003,))]
    drawn += [
        torch.randperm(20_000),
        torch.zeros(100_003).bernoulli_(0.8),
        torch.randint(0, 2**50, (10_001,)),
    ]
    return [*map(checksum, drawn), torch.rand(2)]


@program(1e-6)
def one_stream_for_all(torch):
    """Every kind of draw after every other: each must take as many words as PyTorch's does."""
    calls = [
        torch.randn,
        torch.rand,
        lambda n: torch.randint(0, 9, (n,)),
        torch.randperm,
        lambda n: torch.randn(n, 3),
        lambda n: torch.zeros(n).bernoulli_(0.7),
        lambda n: torch.randn(n, dtype=torch.float64),
        lambda n: torch.bernoulli(torch.full((n,), 0.4)),
        lambda n: torch.empty(n).exponential_(),
        lambda n: torch.randint(0, 2**40, (n,)),
        lambda n: torch.multinomial(torch.arange(1.0, n + 2), 1),
        lambda n: torch.multinomial(torch.arange(1.0, n + 2), n + 1, replacement=True),
        lambda n: torch.empty(n).normal_(1, 2),
        lambda n: torch.empty(n, dtype=torch.float64).uniform_(-1, 1),
    ]
    return seeded(torch, lambda n, call: call(n), SEEDS[:3], (1, 0, 5, 17, 2, 15, 16, 33, 3), calls)


@program()
def memory_is_filled_in_its_order(torch):
    torch.manual_seed(9)
    results = []
    for fill in ("uniform_", "bernoulli_", "exponential_", "random_"):
        views = torch.zeros(3, 4).t(), torch.zeros(2, 3, 4).permute(2, 0, 1), torch.zeros(4, 6)[:, ::2]
        results += [getattr(view, fill)() for view in views]
    return [*results, torch.rand_like(torch.zeros(3, 4).t()), torch.bernoulli(torch.full((3, 4), 0.5).t())]


@program(1e-6)
def generators_apart(torch):
    first, second = torch.Generator(), torch.Generator().manual_seed(5)
    drawn = [
        torch.randn(3, generator=first),
        torch.rand(4, generator=second),
        torch.randn(3, generator=first),
    ]
    drawn += [torch.randperm(5, generator=second), torch.multinomial(torch.ones(9), 3, generator=second)]
    seeds = [
        first.initial_seed(),
        second.manual_seed(-3).initial_seed(),
        second.manual_seed(2**64 - 1).initial_seed(),
    ]
    return [*drawn, *(seed % 2**32 for seed in seeds), *(seed >> 32 for seed in seeds)]


@program()
def states(torch):
    """The bytes of a generator new, in the middle of its words, and with half of a normal pair kept."""
    generator = torch.Generator().manual_seed(-3)
    results = [generator.get_state()]
    torch.rand(1000, generator=generator)
    results.append(generator.get_state())
    torch.randn(3, generator=generator)
    return [*results, generator.get_state()]


@program(1e-6)
def draws_after_the_states(torch):
    generator = torch.Generator().manual_seed(-3)
    results = [torch.randn(4, generator=generator)]
    generator = torch.Generator().manual_seed(-3)
    torch.rand(1000, generator=generator)
    after_words = generator.get_state()
    results.append(torch.randn(4, generator=generator))
    generator.set_state(after_words)
    torch.randn(3, generator=generator)
    return [*results, torch.randn(4, generator=generator)]


if __name__ == "__main__":
    import torch

    save(torch.__version__, {name: run(name, torch) for name in PROGRAMS})
    print(f"{len(PROGRAMS)} programs, {RECORDED.stat().st_size / 1e3:.0f} kB")
