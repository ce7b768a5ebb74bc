"""What stands behind the device "cuda": how arrays get there and back."""

import functools

import numpy as np

from tinytorch.given.kernels.array import CudaArray, to_device

__all__ = ["Backend"]


class Backend:
    """What `tinytorch.given.tensor.devices.backends` holds for "cuda"."""

    upload = staticmethod(to_device)
    download = staticmethod(CudaArray.to_host)

    @functools.cached_property
    def prototype(self):
        """An array on the device, for NumPy's makers to make others like."""
        return CudaArray(np.zeros(1, np.float32))
