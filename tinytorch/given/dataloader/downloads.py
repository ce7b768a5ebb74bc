"""Files from the network: fetched once, resumed where they broke off, checked before they are used."""

import hashlib
import urllib.error
import urllib.request
from pathlib import Path

__all__ = ["CACHE", "checksum", "download"]

CACHE = Path.home() / ".cache" / "tinytorch"  # where downloads are kept; a data set may have its own `root`


def download(url, path, md5):
    """Fetch a file, once: resumed where it broke off, shown in a progress bar, refused if it is another one.

    Args:
        url: where it is.
        path: where to put it. Until it is complete and checked, the file has the ending `.part`.
        md5: the checksum that it must have, in hexadecimal.

    Raises:
        RuntimeError: if it cannot be had, or is not the one; in one line, with what to do.
    """
    from tqdm.auto import tqdm

    path, part = Path(path), Path(f"{path}.part")
    if path.exists():
        if checksum(path) == md5:
            return path
        raise RuntimeError(
            f"{path} is not the file that {url} gives, its MD5 differs: delete it, then try again"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    have = part.stat().st_size if part.exists() else 0
    try:
        request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
        with urllib.request.urlopen(request, timeout=30) as answer:
            have = have if answer.status == 206 else 0  # or else it begins at the front again
            size = int(answer.headers.get("Content-Length", -1))
            total = have + size if size >= 0 else None
            progress = tqdm(total=total, initial=have, unit="B", unit_scale=True, desc=path.name)
            with open(part, "ab" if have else "wb") as file, progress:
                while block := answer.read(2**16):
                    have += file.write(block)
                    progress.update(len(block))
        if total is not None and have < total:
            raise OSError(f"it broke off after {have} of {total} bytes; the next try continues from there")
    except urllib.error.HTTPError as error:
        if error.code != 416:  # 416: there is nothing after what we have
            raise RuntimeError(f"cannot download {url}: {error}") from None
    except (OSError, ValueError) as error:
        raise RuntimeError(f"cannot download {url}: {getattr(error, 'reason', error)}") from None
    if checksum(part) != md5:
        part.unlink()
        raise RuntimeError(f"{url} gave another file than the one wanted, its MD5 differs: it was not kept")
    return part.replace(path)


def checksum(path):
    """The MD5 checksum of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()
