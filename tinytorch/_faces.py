"""How PyTorch's places find their names in the modules of the course, as `course.yaml` lists them.

Nothing here computes: a place looks a name up, imports the module that was exported, and hands the name on.
"""

import functools
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

_live = set()  # the modules that a running notebook stands for: nothing of theirs is kept, for it changes


@functools.cache
def _course():
    """The modules by slug, and the slug behind each (place, name); the top level has every name."""
    import yaml

    text = (Path(__file__).parents[1] / "course.yaml").read_text(encoding="utf-8")
    modules = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["modules"]
    owners = {}
    for module in modules:
        for place, names in module["exports"].items():
            for name in names:
                owners[place, name] = module["slug"]
                owners.setdefault(("tinytorch", name), module["slug"])
    return {module["slug"]: module for module in modules}, owners


def modules():
    """The slugs of the course's modules."""
    return tuple(_course()[0])


def face(place, prefix=""):
    """Make the `__getattr__` and the `__dir__` of a public place such as `tinytorch.nn`.

    With a prefix, a module has the names of the place behind it: `linalg_norm` is `tinytorch.linalg.norm`.
    """

    def __getattr__(name):
        owner = None if name.startswith("__") else _course()[1].get((place, name))
        if owner:
            value = getattr(_import(owner, f"{place}.{name}"), prefix + name)
            if owner not in _live:
                vars(sys.modules[place])[name] = value
            return value
        if (
            not name.startswith("__")
            and hasattr(sys.modules[place], "__path__")
            and find_spec(f"{place}.{name}")
        ):
            return import_module(f"{place}.{name}")
        raise AttributeError(f"module {place!r} has no attribute {name!r}")

    def __dir__():
        owners = _course()[1].items()
        return sorted(
            {*vars(sys.modules[place]), *(n for (p, n), slug in owners if p == place and _is_built(slug))}
        )

    return __getattr__, __dir__


def stand_for(slug, module):
    """Let `module` be `tinytorch.slug` for everyone who imports it from now on, its given parts too."""
    _live.add(slug)
    sys.modules[f"tinytorch.{slug}"] = module
    given = f"tinytorch.given.{slug}"
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{given}.")]:
        del sys.modules[name]
    for (place, name), owner in _course()[1].items():
        if owner == slug and place in sys.modules:
            vars(sys.modules[place]).pop(name, None)
    setattr(sys.modules["tinytorch"], slug, module)


class Package(ModuleType):
    """A package where a public name comes before a module of the same name.

    `tinytorch.tensor` is PyTorch's function, yet the import system binds there the module it has loaded.
    """

    def __setattr__(self, name, value):
        if not (isinstance(value, ModuleType) and (self.__name__, name) in _course()[1]):
            super().__setattr__(name, value)


class _NotBuilt:
    """The last of the finders: it says where a module of the course that nobody found is built."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        package, _, slug = fullname.partition(".")
        if package == "tinytorch" and slug in _course()[0]:
            number = _course()[0][slug]["number"]
            sentence = f"{fullname} is built in module {number:02} ({slug}): make export {number}"
            raise ModuleNotFoundError(sentence, name=fullname)


sys.meta_path.append(_NotBuilt)


def _import(slug, wanted):
    try:
        return import_module(f"tinytorch.{slug}")
    except ModuleNotFoundError as error:
        if error.name != f"tinytorch.{slug}":
            raise
        sentence = f"{wanted} is built in module {_course()[0][slug]['number']:02} ({slug})"
        raise ImportError(sentence, name=wanted) from None


def _is_built(slug):
    return f"tinytorch.{slug}" in sys.modules or Path(__file__).with_name(f"{slug}.py").exists()
