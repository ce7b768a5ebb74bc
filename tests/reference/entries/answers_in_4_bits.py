"""A KV cache, module 17's kernels, and weights of 4 bits."""

import tinytorch as torch
from tinytorch import Streaming


class Kernels(Streaming):
    def forward(self, idx):
        if self.seen is None:
            torch.accelerate()
        return super().forward(idx)


def entry(model, ids):
    return Kernels(torch.quantize_int4(model))
