"""An entry that wins in memory on digits: LeNet with int8 weights, its convolutions too."""

import tinytorch as torch
from tinytorch import nn


def entry(model, images, labels):
    return torch.ao.quantization.quantize_dynamic(model, {nn.Linear, nn.Conv2d})
