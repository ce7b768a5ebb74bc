"""A file as PyTorch writes it, with everything in it that a weights-only file may hold: `python -m tests.reference.record_files`.

`test_files.py` reads it, and writes the same content: the pickle has to do the same, step by step.
"""

import sys
from collections import OrderedDict
from pathlib import Path

RECORDED = Path(__file__).parent / "recorded" / "written_by_pytorch.pt"


def content(torch):
    """What the file holds, made with a framework."""
    whole = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    tied = torch.nn.Parameter(torch.tensor([0.5, -1.5]))
    types = (
        torch.float16,
        torch.float64,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.uint8,
        torch.bool,
    )
    return {
        "whole": whole, "transposed": whole.t(), "row": whole[1], "column": whole[:, 2], "tied": [tied, tied],
        "types": [torch.tensor([0, 1, 2], dtype=dtype) for dtype in types], "scalar": torch.tensor(3.5),
        "stretched": torch.tensor([[7.0]]).expand(2, 2), "wanted": torch.tensor([1.0], requires_grad=True),
        "frozen": torch.nn.Parameter(torch.tensor([2]), requires_grad=False),
        "ordered": OrderedDict([("b", 1), ("a", [2, None])]), 7: (1, (2.5, True), ()), "text": "\u00e9 and \u4e2d",
        "bytes": b"\x00\xff", "large": 10**30, "negative": -7, "sizes": torch.Size([2, 3]), "dtype": torch.float16,
        "device": torch.device("cpu"), "set": {3}, "complex": 3 + 2j, "infinite": float("-inf"),
    }  # fmt: skip


if __name__ == "__main__":
    import torch

    torch.save(content(torch), RECORDED)
    sys.exit(0)
