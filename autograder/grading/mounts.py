"""What a sandbox sees of the machine: Python, its standard library, what the course imports, and what these
load.

Inside, Python is a virtual environment of its own, always in the same place. So it has neither the packages
of the underlying interpreter nor others that are installed next to the course's.
"""

import os
import re
import subprocess
import sys
import sysconfig
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

COMPILING = "numba-cuda", "nvidia-nvvm", "nvidia-cuda-nvrtc", "nvidia-cuda-runtime"  # a learner's kernels
# What lessons, their tests and probes import; what these require comes with them.
IMPORTED = (
    "numpy", "scipy", "numba", "greenlet", "regex", "safetensors", "tqdm", "PyYAML", "matplotlib", "pytest", *COMPILING,
)  # fmt: skip
ASKED = ("cuda_", "nvidia_")  # whose versions are asked for when they are imported
UNUSED = ("site-packages", "dist-packages", "test", "config-*")
PYTHON = "/python"
PACKAGES = sysconfig.get_path("purelib", scheme="venv", vars={"base": PYTHON})
LOADED = re.compile(r"^\t(?:.* => )?(/.*) \(0x", re.MULTILINE)  # what the loader tells
# Where the interpreter is outside, which is the same inside, and the file that says so to the environment above it.
BASE = Path(os.path.realpath(sys.executable))
LIBRARY = Path(sysconfig.get_path("stdlib")).resolve()
HOME = f"home = {BASE.parent}\ninclude-system-site-packages = false\n".encode()


@cache
def mounts() -> dict[str, str]:
    """What is mounted, each place with its place inside."""
    extensions = [Path(path).resolve() for path in sys.path if Path(path).name == "lib-dynload"]
    packages = installed()
    loaded = libraries([*packages, *filter(Path.is_dir, extensions)])
    own = dict.fromkeys([BASE, LIBRARY, *filter(Path.is_dir, extensions), *loaded, Path("/etc/ld.so.cache")])
    same = {str(path): str(path) for path in own if own.keys().isdisjoint(path.parents)}
    return same | {str(path): f"{PACKAGES}/{path.name}" for path in packages}


@cache
def emptied() -> list[Path]:
    """The folders within the standard library that are not part of it, or that are not imported."""
    return [place for name in UNUSED for place in LIBRARY.glob(name) if place.is_dir()]


def installed() -> list[Path]:
    """The packages, modules and folders of what is imported, and of everything that it requires."""
    found, waiting, paths = set(), list(IMPORTED), []
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in found:
            continue
        found.add(name)
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        paths += parts(distribution)
        for required in map(Requirement, distribution.requires or []):
            if required.marker is None or required.marker.evaluate({"extra": ""}):
                waiting.append(required.name)
    return paths


def uncompiled(source: str) -> str:
    """A sentence for who grades kernels that cannot be compiled here; "" where they can, or a lesson has none."""
    lacking = [name for name in COMPILING if not next(metadata.Distribution.discover(name=name), None)]
    if not lacking or "tinytorch.given.kernels" not in source:
        return ""
    are = "is" if len(lacking) == 1 else "are"
    return f"Kernels ran in the simulator and were not compiled: {' and '.join(lacking)} {are} not installed."


def parts(distribution: metadata.Distribution) -> list[Path]:
    """The topmost files and folders of a distribution. A system's own packages keep no record of them."""
    folder = Path(distribution.locate_file("")).absolute()
    if distribution.read_text("RECORD"):
        names = {file.parts[0] for file in distribution.files} - {"..", "__pycache__"}
    else:
        names = set((distribution.read_text("top_level.txt") or distribution.name).split())
        names |= {path.name for path in folder.iterdir() if path.name.split(".")[0] in names}
    kept = [name for name in names if not name.endswith(".dist-info") or name.startswith(ASKED)]
    return [folder / name for name in kept if (folder / name).exists()]


def libraries(parts: list[Path]) -> list[Path]:
    """The shared libraries that the extensions in these places load from elsewhere, as the system's loader finds them."""
    found = set()
    for folder in {path.parent for path in parts}:  # whose own name may have spaces, which part names here
        here = [path for path in parts if path.parent == folder]
        extensions = [str(each.relative_to(folder)) for path in here for each in path.rglob("*.so*")]
        names = ":".join(f"./{name}" for name in extensions if "_tk" not in name)  # windows are drawn nowhere
        asked = {"LD_TRACE_LOADED_OBJECTS": "1", "LD_PRELOAD": names}
        said = subprocess.run([BASE], cwd=folder, env=asked, capture_output=True, text=True).stdout
        found |= {Path(os.path.normpath(path)) for path in LOADED.findall(said)}
    return sorted(path for path in found if not any(part in path.parents for part in parts))
