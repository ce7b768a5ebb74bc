"""Images with labels: the digits that come with the course, and larger sets, downloaded when first used."""

import gzip
import importlib.resources
import tarfile
import zlib
from pathlib import Path

import numpy as np

from tinytorch.dataloader import Dataset
from tinytorch.given.dataloader.downloads import CACHE, download
from tinytorch.tensor import Generator, wrap

__all__ = ["CIFAR10", "MNIST", "Digits", "FashionMNIST", "Images", "read_idx"]


class Images(Dataset):
    """Images with labels: `images` (N, C, H, W) of bytes, `labels` (N,), `classes` their names.

    A sample is an image, float32 (C, H, W) between 0 and 1, put through `transform`, and its label, an int.
    """

    brightest = 255

    def __init__(self, images, labels, transform=None):
        if len(images) != len(labels):
            raise ValueError(f"{len(images)} images and {len(labels)} labels")
        self.images, self.labels, self.transform = images, labels.astype(np.int64), transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.__getitems__([index])[0]

    def __getitems__(self, indices):
        """The samples of these numbers, made together."""
        pixels = np.divide(self.images[indices], self.brightest, dtype=np.float32)
        images = map(wrap, pixels)
        if self.transform is not None:
            images = map(self.transform, images)
        return list(zip(images, self.labels[indices].tolist()))

    def tensors(self):
        """Return all images (N, C, H, W), untransformed, and all labels (N,): for data that is small.

        >>> images, labels = Digits(train=False).tensors()
        >>> images.shape, labels.shape
        (torch.Size([360, 1, 8, 8]), torch.Size([360]))
        """
        return wrap(np.divide(self.images, self.brightest, dtype=np.float32)), wrap(self.labels)


class Digits(Images):
    """1,797 written digits, 8x8 pixels in 17 shades: 1,437 to train with, 360 held out.

    From Optical Recognition of Handwritten Digits, by E. Alpaydin and C. Kaynak (1998), CC BY 4.0.

    >>> image, label = Digits(train=False)[0]
    >>> image.shape, len(Digits())
    (torch.Size([1, 8, 8]), 1437)
    """

    classes, brightest = tuple("0123456789"), 16

    def __init__(self, train=True, transform=None):
        with np.load(importlib.resources.files("tinytorch") / "data" / "digits.npz") as data:
            images, labels = data["images"][:, None], data["labels"]
        order = Generator().manual_seed(0).permutation(len(labels))
        chosen = order[:1437] if train else order[1437:]
        super().__init__(images[chosen], labels[chosen], transform)


class MNIST(Images):
    """70,000 written digits, 28x28, of which 10,000 are held out (LeCun, Cortes and Burges, 1998).

    Shape: images (1, 28, 28); labels are the digits.
    """

    classes = tuple("0123456789")
    url = "https://ossci-datasets.s3.amazonaws.com/mnist/"
    files = (
        ("train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        ("train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"),
        ("t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"),
        ("t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"),
    )

    def __init__(self, train=True, transform=None, root=None):
        folder = Path(root or CACHE) / type(self).__name__
        files = self.files[:2] if train else self.files[2:]
        images, labels = (read_idx(download(self.url + name, folder / name, md5)) for name, md5 in files)
        super().__init__(images[:, None], labels, transform)


class FashionMNIST(MNIST):
    """70,000 pictures of clothes, in MNIST's format (Xiao, Rasul and Vollgraf, 2017)."""

    classes = (
        "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
        "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
    )  # fmt: skip
    url = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
    files = (
        ("train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        ("train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"),
        ("t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"),
        ("t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"),
    )


class CIFAR10(Images):
    """60,000 colour pictures of ten things, 32x32, of which 10,000 are held out (Krizhevsky, 2009).

    Shape: images (3, 32, 32); labels are places in `classes`.
    """

    classes = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
    url = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"  # bytes, not pickles
    md5 = "c32a1d4ab5d03f1284b67883e8d87530"

    def __init__(self, train=True, transform=None, root=None):
        path = download(self.url, Path(root or CACHE) / "CIFAR10" / "cifar-10-binary.tar.gz", self.md5)
        names = [f"data_batch_{n}.bin" for n in range(1, 6)] if train else ["test_batch.bin"]
        with tarfile.open(path) as archive:
            parts = [archive.extractfile(f"cifar-10-batches-bin/{name}").read() for name in names]
        rows = np.frombuffer(b"".join(parts), np.uint8).reshape(-1, 1 + 3 * 32 * 32)  # label, then image
        super().__init__(rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0], transform)


def read_idx(path):
    """The array in a gzipped IDX file: two zeros, a type, how many dimensions, their sizes, the bytes."""
    try:
        data = gzip.decompress(Path(path).read_bytes())
        if data[:3] != b"\0\0\x08":
            raise ValueError("it does not begin as one")
        shape = np.frombuffer(data, ">u4", count=data[3], offset=4)
        return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape.tolist())
    except (OSError, EOFError, zlib.error, IndexError, ValueError) as error:
        raise RuntimeError(f"{path} is not an IDX file of bytes: {error}") from None
