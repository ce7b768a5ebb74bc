"""Tensors of all kinds, and how PyTorch prints them: `python -m tests.reference.record_printing`.

Each is printed with PyTorch here, and by `test_printing.py` with TinyTorch. `RandomState` draws them, whose
numbers stay the same in every version of NumPy.
"""

import json
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).parent / "recorded" / "printing.json"
SHAPES = ((), (1,), (3,), (23,), (2, 3), (3, 1), (7, 12), (1, 1, 4), (2, 3, 2), (2, 2, 1, 3))
LONG = ((1001,), (7, 200), (300, 7), (200, 2, 5), (9, 8, 7, 6))
TYPES = ("float32", "float64", "float16", "int64", "int32", "uint8", "bool")
OPTIONS = (
    {"precision": 2},
    {"precision": 0},
    {"precision": 7, "linewidth": 60},
    {"threshold": 5, "edgeitems": 1},
    {"threshold": 0, "edgeitems": 2},
    {"threshold": 10, "edgeitems": 0},
    {"linewidth": 20},
    {"linewidth": 200},
    {"sci_mode": True},
    {"sci_mode": False},
    {"profile": "short"},
    {"profile": "full"},
    {"profile": "short", "precision": 5},
)


def numbers(rng, kind, shape):
    """Integers over the whole of small types, booleans, or fractions between -2 and 2."""
    if kind.startswith("float"):
        return rng.uniform(-2, 2, shape)
    return rng.randint(0, 2 if kind == "bool" else 200, shape) - (90 if kind.startswith("int") else 0)


def scales(rng, shape):
    """Floats that PyTorch writes in different ways, by name."""
    values = rng.uniform(-1, 1, shape)
    odd = np.where(
        rng.uniform(size=shape) < 0.3, rng.choice([np.nan, np.inf, -np.inf, 0, -0.0], shape), values
    )
    return {
        "thousands": values * 4000,
        "millions": values * 1e7,
        "beyond 1e8": values * 1e9,
        "small": values * 1e-3,
        "tiny": values * 1e-6,
        "a wide range": values * 10.0 ** rng.randint(-4, 5, shape),
        "whole": np.round(values * 50),
        "whole and large": np.round(values * 1e7) * 100,
        "zeros": values * 0,
        "not finite": odd,
        "whole and not finite": np.round(odd * 9),
        "only nan": values * np.nan,
    }


def texts(torch):
    """What each kind of case prints, in a list."""
    rng = np.random.RandomState(0)
    results = {}

    def made(values, kind="float32"):
        return torch.tensor(np.asarray(values).astype(kind))

    for kind in TYPES:
        results[kind] = [repr(made(numbers(rng, kind, shape), kind)) for shape in SHAPES]
    for shape in SHAPES[:5]:
        for name, values in scales(rng, shape).items():
            results.setdefault(name, []).extend(repr(made(values, kind)) for kind in ("float32", "float64"))
    results["empty"] = [
        repr(torch.zeros(shape, dtype=getattr(torch, kind)))
        for shape in ((0,), (0, 3), (2, 0), (1, 0, 2))
        for kind in TYPES
    ]
    results["summarised"] = [
        repr(made(numbers(rng, kind, shape), kind)) for shape in LONG for kind in ("float32", "int64", "bool")
    ]
    results["extremes"] = [
        repr(made(extremes, kind))
        for kind, extremes in {
            "int64": [-(2**63), 2**63 - 1],
            "uint8": [0, 255],
            "float16": [65504, -6e-8],
            "float64": [1.7e308, 5e-324],
            "float32": [3.4e38, 1e-45, 0.1],
        }.items()
    ]
    results["boundaries"] = [
        repr(made([value, other], kind))
        for kind in ("float32", "float64")
        for value in (1.0, 1e-4, 0.99e-4, 1e8, 1.01e8, 0.5)
        for other in (0.0, 1000.0, 1001.0, 0.001, 0.00099)
    ]
    for options in OPTIONS:
        torch.set_printoptions(**options)
        cases = [made(numbers(rng, kind, (3, 9)), kind) for kind in ("float32", "float64", "int64", "bool")]
        cases += [made(values) for values in scales(rng, (8,)).values()]
        cases += [
            made(rng.uniform(-1, 1, shape)).requires_grad_() for shape in ((), (0,), (7, 7, 2), (1200,))
        ]
        cases += [made(rng.uniform(-1, 1, count)) for count in (5, 6, 10, 11)]
        results[f"options {options}"] = [repr(tensor) for tensor in cases]
        torch.set_printoptions(profile="default")
    results["line widths"] = []
    for width in range(15, 75):
        torch.set_printoptions(linewidth=width)
        row = made(rng.uniform(-1, 1, 3), "float64").requires_grad_()
        results["line widths"] += [repr(row), repr(row * 2)]
    torch.set_printoptions(profile="default")
    results["in the graph"] = [
        repr(tensor)
        for count in (1, 4, 5, 6, 7, 8, 20)
        for leaf in [made(rng.uniform(-1, 1, count)).requires_grad_()]
        for tensor in (leaf, leaf * 2, leaf.exp(), leaf.double() + 1, leaf.detach(), -leaf[:0])
    ]
    results["views"] = [
        repr(tensor)
        for grid in [made(rng.uniform(-1, 1, (5, 6)))]
        for tensor in (grid.t(), grid[:, ::2], grid[1], grid[2, 3], grid[:, :1].expand(5, 4), grid[None])
    ]
    torch.set_default_dtype(torch.float64)
    results["float64 by default"] = [
        repr(made(numbers(rng, kind, shape), kind)) for kind in TYPES for shape in ((2,), (0,), ())
    ]
    torch.set_default_dtype(torch.float32)
    return results


if __name__ == "__main__":
    import torch

    RECORDED.parent.mkdir(exist_ok=True)
    results = texts(torch)
    RECORDED.write_text(
        json.dumps({"version": torch.__version__, "texts": results}, indent=0) + "\n", "utf-8"
    )
    print(f"{sum(map(len, results.values()))} tensors, {RECORDED.stat().st_size / 1e3:.0f} kB")
