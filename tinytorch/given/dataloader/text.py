"""Text: a file line by line, and the documentation that comes with Python."""

import itertools
from pathlib import Path

import numpy as np

from tinytorch.dataloader import Dataset
from tinytorch.given.dataloader.downloads import download

__all__ = ["PythonDocs", "TextFile"]


class TextFile(Dataset):
    """The lines of a text file, each read on demand; `text` is all of it.

    Args:
        path: where the file is.
        url, md5: if given, where to download it from when it is not there, and its checksum.

    >>> len(TextFile(torch.__file__)) > 1
    True
    """

    def __init__(self, path, url=None, md5=None):
        self.path = Path(path) if url is None else download(url, path, md5)
        with open(self.path, "rb") as file:
            self.starts = np.fromiter(itertools.accumulate(map(len, file), initial=0), np.int64)

    def __len__(self):
        return len(self.starts) - 1

    def __getitem__(self, index):
        start, end = self.starts[range(len(self))[index] :][:2].tolist()
        with open(self.path, "rb") as file:
            file.seek(start)
            return file.read(end - start).decode("utf-8")

    @property
    def text(self):
        return self.path.read_bytes().decode("utf-8")


class PythonDocs(Dataset):
    """The reference that comes with Python, topic by topic: real English text that needs no download.

    >>> "operator" in PythonDocs().text
    True
    """

    def __init__(self):
        from pydoc_data.topics import topics

        self.topics = [topics[name] for name in sorted(topics)]

    def __len__(self):
        return len(self.topics)

    def __getitem__(self, index):
        return self.topics[index]

    @property
    def text(self):
        return "\n\n".join(self.topics)
