"""Transforms of images: random ones, after which it shows the same thing elsewhere, and several as one."""

from numbers import Integral

import numpy as np

from tinytorch.tensor import Tensor, rand, randint, wrap

__all__ = ["Compose", "RandomCrop", "RandomHorizontalFlip"]


class RandomCrop:
    """Cut a random part of `size` out of an image (..., H, W), with `padding` zeros put around it first."""

    def __init__(self, size, padding=0):
        self.size = (size, size) if isinstance(size, Integral) else tuple(size)
        self.padding = padding

    def __call__(self, image):
        array = getattr(image, "array", image)
        if self.padding:
            around = [(0, 0)] * (array.ndim - 2) + [(self.padding, self.padding)] * 2
            array = np.pad(array, around)
        (height, width), (rows, columns) = array.shape[-2:], self.size
        if height < rows or width < columns:
            raise ValueError(
                f"Required crop size {self.size} is larger than input image size {(height, width)}"
            )
        if (height, width) != (rows, columns):
            top, left = randint(height - rows + 1, (1,)).item(), randint(width - columns + 1, (1,)).item()
            array = array[..., top : top + rows, left : left + columns]
        return wrap(array) if isinstance(image, Tensor) else array


class RandomHorizontalFlip:
    """Turn an image (..., H, W) left to right, with probability `p`."""

    def __init__(self, p=0.5):
        self.p = p

    def __call__(self, image):
        if rand(1).item() >= self.p:
            return image
        array = getattr(image, "array", image)[..., ::-1]
        return wrap(array) if isinstance(image, Tensor) else array


class Compose:
    """Several transforms, one after the other, as one."""

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, image):
        for transform in self.transforms:
            image = transform(image)
        return image
