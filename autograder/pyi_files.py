"""`make types`: a .pyi for each place of tinytorch, and the list of operations in docs/.

A place looks its names up when it is run, so an editor cannot know them. These files are written from the
reference, so that an editor completes names and finds mistakes before anything is exported. A name is defined
in its first place in course.yaml.
"""

import os
import sys
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

from autograder import files, operations, reference
from autograder.console import say
from autograder.course import Course, load
from autograder.pyi_code import BY_VALUE, class_of, function_of

HEADER = "# Written by `make types`, from course.yaml and the reference.\n"
TYPING = """import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
"""
SHARED, TYPED = (
    ["Size", "dtype", "device", "Generator", "layout", "memory_format", "Tensor", "Parameter", "Module"],
    "tinytorch._typed",
)
ALIASES = """
from numpy import generic, ndarray
_device = device
_dtype = dtype
Device = device | str | _int | None
Dims = _int | Sequence[_int]
Operand = Tensor | _int | _float | complex | ndarray | generic
"""
USUAL = ["Device", "Dims", "Generator", "Operand", "Size", "Tensor", "_device", "_dtype"]

# Where functions return a tensor, unless it is known that they do not.
TENSOR_PLACES = ("tinytorch", "tinytorch.nn.functional", "tinytorch.linalg", "tinytorch.special")
TENSOR_MODULES = [
    "tensor",
    "activations",
    "layers",
    "losses",
    "conv",
    "embeddings",
    "attention",
    "transformer",
]


def run(check: bool = False) -> int:
    """Write what has changed, and remove what is no longer made; only list both if asked to check."""
    course = load()
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"  # kernels can be bound where there is no GPU
    sys.path.insert(0, str(reference.build(course)))
    made = written(course) | {course.root / "docs" / "operations.md": operations.table(course)}
    old = [path for path in (course.root / "tinytorch").rglob("*.pyi") if path not in made]
    new = [
        path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path in [] if check else new:
        files.write(path, made[path])
    for path in [] if check else old:
        path.unlink()
    for path in sorted(new + old):
        say(f"{path.relative_to(course.root)} {'is not up to date: make types' if check else 'is written'}")
    return int(check and bool(new or old))


def written(course: Course) -> dict[Path, str]:
    """The stubs, by their places; the reference is what is imported."""
    places = {place: import_module(place) for place in listed(course)}
    homes, torch = homes_of(course), places["tinytorch"]
    shared = [class_of(name, getattr(torch, name), TYPED, homes) for name in SHARED]
    made = {course.root / "tinytorch" / "_typed.pyi": "".join([HEADER, TYPING, *shared, ALIASES])}
    for place, module in places.items():
        path = path_of(course, place, places)
        if path:
            made[path] = stub(place, module, places, homes)
    return made


def listed(course: Course) -> list[str]:
    """The public places: those of course.yaml, those that have a file, and those that answer, refuse or repeat."""
    tables = import_module("tinytorch._namespaces")
    own = [
        path.relative_to(course.root).with_suffix("") for path in (course.root / "tinytorch").rglob("*.py")
    ]
    places = {".".join(path.parts).removesuffix(".__init__") for path in own} | tables.ANSWERS.keys()
    places |= {
        place
        for exports in [*(module.exports for module in course.modules), *tables.CALLED.values()]
        for place in exports
    }
    places |= {"tinytorch.autograd"}  # the one place that is a module of the course too
    places |= {f"{place}.{name}" for place, names in tables.REPEATED.items() for name in names.split()}
    hidden = (
        "tinytorch.given",
        "tinytorch.notebook",
        "tinytorch.multiprocessing",
        *(f"tinytorch.{module.slug}" for module in course.modules if module.slug != "autograd"),
    )
    return sorted(
        place
        for place in places
        if "._" not in place and not f"{place}.".startswith(tuple(f"{h}." for h in hidden))
    )


def path_of(course: Course, place: str, places: dict[str, ModuleType]) -> Path | None:
    """The path of a place's stub; None if a folder made for it would be imported instead of the module that refuses."""
    answers = import_module("tinytorch._namespaces").ANSWERS
    path = course.root.joinpath(*place.split("."))
    is_package = path.joinpath("__init__.py").exists() or any(
        other.startswith(f"{place}.") for other in places
    )
    folder = path if is_package else path.parent
    if folder.joinpath("__init__.py").exists() or ".".join(folder.relative_to(course.root).parts) in answers:
        return path / "__init__.pyi" if is_package else path.with_suffix(".pyi")
    return None


def homes_of(course: Course) -> dict[int, tuple[str, str]]:
    """Where each function and class is defined, by its id: in the first place that course.yaml lists it for."""
    homes = {}
    for place, name in (
        (p, name) for module in course.modules for p, names in module.exports.items() for name in names
    ):
        value = getattr(import_module(place), name)
        if isinstance(value, FunctionType | type):
            homes.setdefault(id(value), (TYPED if name in SHARED else place, name))
    return homes


def stub(place: str, module: ModuleType, places: dict[str, ModuleType], homes: dict) -> str:
    """The stub of a place: the places below it, what it repeats of others, and what it defines."""
    tables = import_module("tinytorch._namespaces")
    above, _, last = place.rpartition(".")
    if last in tables.REPEATED.get(above, "").split():
        private = [
            name for name in dir(places[above]) if name.startswith("_") and name not in vars(places[above])
        ]
        lines = [f"from {above} import {name} as {name}\n" for name in private]
        return "".join([HEADER, f"from {above} import *\n", *lines])
    below = [name.rpartition(".")[2] for name in places if name.rpartition(".")[0] == place]
    called = [name for reached in tables.CALLED.values() for name in reached.get(place, "").split()]
    is_own = place == "tinytorch.nn.modules.utils"  # whose names are private, and imported by programs
    hidden = {
        name for name in dir(module) if name.startswith("__" if is_own else "_") and name in vars(module)
    }
    hidden -= {"__version__"}
    values = {name: getattr(module, name) for name in {*dir(module), *called} - hidden - {*below}}
    order = sorted(
        values, key=lambda name: (len(values[name].__mro__) if isinstance(values[name], type) else 99, name)
    )
    lines = [f"from {TYPED} import {', '.join(name for name in USUAL if name not in values)}\n"]
    lines += [f"from {place} import {name} as {name}\n" for name in below]
    for name in order:
        lines += entry(place, name, values[name], places, homes).splitlines(keepends=True)
    imports = dict.fromkeys(line for line in lines if line.startswith("from "))
    return "".join([HEADER, TYPING, *imports, *(line for line in lines if line not in imports)])


def entry(place: str, name: str, value: object, places: dict[str, ModuleType], homes: dict) -> str:
    """The lines of one name: nothing for what a place has imported for its own use."""
    if not isinstance(value, FunctionType | type) or type(value).__name__ == "tensortype":
        return (
            "" if isinstance(value, ModuleType) else f"{name}: {BY_VALUE.get(type(value).__name__, 'Any')}\n"
        )
    home, own = homes.setdefault(id(value), home_of(value, place, name, places))
    if home != place:
        return f"from {home} import {own} as {name}\n" if home else ""
    if isinstance(value, type):
        return class_of(name, value, place, homes) if own == name else f"{name} = {own}\n"
    module = value.__module__.removeprefix("tinytorch.").removeprefix("given.").partition(".")[0]
    return function_of(name, value, place in TENSOR_PLACES and module in TENSOR_MODULES)


def home_of(
    value: type | FunctionType, place: str, name: str, places: dict[str, ModuleType]
) -> tuple[str, str]:
    """Where something that course.yaml does not list is defined; nowhere if it is not meant for users of the place."""
    module, own = value.__module__, value.__name__
    if not module.startswith("tinytorch.") or module in ("tinytorch._lookup", "tinytorch._namespaces"):
        return "", name
    return (module, own) if vars(places.get(module, sys)).get(own) is value else (place, name)
