"""Switches for GPUs, of which there is none: they can be set, and change nothing."""

from contextlib import contextmanager
from types import SimpleNamespace

matmul = SimpleNamespace(
    allow_tf32=False,
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
    fp32_precision="none",
)
_kernels = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def is_built():
    """Whether kernels for GPUs were built: no."""
    return False


def _switch(kernel):
    def enable(enabled):
        _kernels[kernel] = bool(enabled)

    return enable, lambda: _kernels[kernel]


enable_flash_sdp, flash_sdp_enabled = _switch("flash")
enable_mem_efficient_sdp, mem_efficient_sdp_enabled = _switch("mem_efficient")
enable_math_sdp, math_sdp_enabled = _switch("math")
enable_cudnn_sdp, cudnn_sdp_enabled = _switch("cudnn")


@contextmanager
def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """Set the switches of the kernels for attention in a block; PyTorch's old name for `nn.attention.sdpa_kernel`."""
    before = dict(_kernels)
    _kernels.update(
        flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn
    )
    try:
        yield
    finally:
        _kernels.update(before)
