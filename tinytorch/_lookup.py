"""How PyTorch's places find their names in the modules of the course, as `course.yaml` lists them.

Nothing here computes: a place looks a name up, imports the module that was exported, and hands the name on.
"""

import functools
import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_loader
from pathlib import Path
from types import FunctionType, ModuleType

from tinytorch._namespaces import (
    ANSWERS,
    BELOW_FILES,
    PREFIXES,
    REPEATED,
    answering,
    is_above_called,
    left_out,
    refused,
)

_asking = set()  # the modules whose functions ask the classes of their arguments
_live = set()  # the modules that a running notebook stands for: nothing of theirs is kept, for it changes


@functools.cache
def _course():
    """The modules by slug, and the slug behind each (place, name).

    The top level has every name, but for those that a module has behind a prefix.
    """
    import yaml

    here = Path(__file__).parent
    path = here / "course.yaml"  # in a wheel
    text = (path if path.exists() else here.parent / path.name).read_text(encoding="utf-8")
    modules = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["modules"]
    owners = {}
    for module in modules:
        for place, names in module["exports"].items():
            for name in names:
                owners[place, name] = module["slug"]
                if place not in PREFIXES:
                    owners.setdefault(("tinytorch", name), module["slug"])
    return {module["slug"]: module for module in modules}, owners


def modules():
    """The slugs of the course's modules."""
    return tuple(_course()[0])


def face(place, elsewhere=None, repeats=None):
    """Make the `__getattr__` and the `__dir__` of a public place such as `tinytorch.nn`.

    `elsewhere` says which names stand in which other place: {"tinytorch.conv": "Conv2d _ConvNd=ConvNd"};
    `repeats` is a place all of whose names are to be found here too.
    """
    words = [
        (home, word.partition("=")) for home, names in (elsewhere or {}).items() for word in names.split()
    ]
    homes = {name: (home, own or name) for home, (name, _, own) in words}

    def __getattr__(name):
        absent = AttributeError(f"module {place!r} has no attribute {name!r}")
        if name.startswith("__") and f"{place}.{name}" not in ANSWERS:
            raise absent
        owner = _course()[1].get((place, name))
        if owner:
            value = getattr(_import(owner, f"{place}.{name}"), PREFIXES.get(place, "") + name)
            value = asking(place, name, value)
            if owner not in _live:
                vars(sys.modules[place])[name] = value
            return value
        if name in homes:
            home, own = homes[name]
            return getattr(import_module(home), own)
        if value := refused(name, place):
            vars(sys.modules[place])[name] = value
            return value
        if reason := left_out(name, place):
            raise AttributeError(f"{absent}: {reason}")
        if hasattr(sys.modules[place], "__path__") and find_spec(f"{place}.{name}"):
            return import_module(f"{place}.{name}")
        if repeats:
            return getattr(import_module(repeats), name)
        raise absent

    def __dir__():
        listed = [n for (p, n), slug in _course()[1].items() if p == place and _is_built(slug)]
        names = {*vars(sys.modules[place]), *listed, *homes}
        repeated = dir(import_module(repeats)) if repeats else ()
        return sorted(
            names.union(name for name in repeated if not (name.startswith("__") or left_out(name, place)))
        )

    return __getattr__, __dir__


ASKING = ("tinytorch", "tinytorch.linalg", "tinytorch.nn.functional", "tinytorch.special")
UNASKED = (
    "tensor as_tensor asarray from_numpy is_tensor load save broadcast_shapes"  # of tensors, they make others
)


def asking(place, name, value):
    """A function as a place shows it: once a program has made a class from Tensor, it asks such classes first."""
    overriding = sys.modules.get("tinytorch.given.tensor.overriding")
    if overriding is None or not isinstance(value, FunctionType) or getattr(value, "asks", False):
        return value
    if not _may_ask(place, name):
        return value
    if not overriding.classes:
        overriding.made_overridable[:] = [ask_from_now_on]
        return value
    return overriding.overridable(value)


def _may_ask(place, name):
    """Whether a name stands in one of those places itself, not because the top level has every name."""
    modules, owners = _course()
    exported = modules[owners[place, name]]["exports"] if (place, name) in owners else {}
    return place in ASKING and name in exported.get(place, ()) and name not in UNASKED.split()


def ask_from_now_on():
    """Let the functions of PyTorch's places ask, wherever a module has imported them by name."""
    _asking.update(filter(_is_loaded, modules()))
    overridable = sys.modules["tinytorch.given.tensor.overriding"].overridable
    functions = {}
    for (place, name), slug in _course()[1].items():
        if _may_ask(place, name) and slug not in _live:
            homes = (place, name), (f"tinytorch.{slug}", PREFIXES.get(place, "") + name)
            for value in [vars(sys.modules.get(home, object)).get(name) for home, name in homes]:
                if isinstance(value, FunctionType):
                    functions[value] = functions.get(value) or overridable(value)
    for module in list(sys.modules.values()):
        names = vars(module) if isinstance(module, ModuleType) else {}
        for name, value in list(names.items()):
            if isinstance(value, FunctionType) and value in functions:
                names[name] = functions[value]


def stand_for(slug, module):
    """Let `module` be `tinytorch.slug` for everyone who imports it from now on, its given parts too."""
    _live.add(slug)
    for name in [name for name in sys.modules if name.endswith(f".{slug}") and _ours(name)]:
        del sys.modules[name]
    sys.modules[f"tinytorch.{slug}"] = module
    given = f"tinytorch.given.{slug}"
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{given}.")]:
        del sys.modules[name]
    for (place, name), owner in _course()[1].items():
        if owner == slug and place in sys.modules:
            vars(sys.modules[place]).pop(name, None)
    setattr(sys.modules["tinytorch"], slug, module)


class Package(ModuleType):
    """A package where a public name comes before a module of the same name, and which may be called `torch` too.

    `tinytorch.tensor` is PyTorch's function, yet the import system binds there the module it has loaded.
    Where somebody has written `sys.modules["torch"] = tinytorch`, the import of `torch.nn` asks here for the
    folder to look in, where it would load a second copy: from then on there is a finder for what is below `torch`.
    """

    def __setattr__(self, name, value):
        if not (isinstance(value, ModuleType) and (self.__name__, name) in _course()[1]):
            super().__setattr__(name, value)

    @property
    def __path__(self):
        if _Alias not in sys.meta_path and any(
            module is self and name != self.__name__ for name, module in list(sys.modules.items())
        ):
            sys.meta_path.insert(0, _Alias)
        return vars(self)["__path__"]


class _Alias:
    """The first of the finders, where `sys.modules["torch"]` is tinytorch: `torch.nn` is `tinytorch.nn`."""

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        return spec_from_loader(fullname, cls) if _ours(fullname) else None

    @staticmethod
    def create_module(spec):
        module = import_module(f"tinytorch.{spec.name.partition('.')[2]}")
        spec.loader_state = module.__spec__
        return module

    @staticmethod
    def exec_module(module):
        module.__spec__ = module.__spec__.loader_state  # the import system has put the other name's there
        if not hasattr(module, "__path__") and any(f"{module.__name__}." in place for place in BELOW_FILES):
            module.__path__ = []  # so that `torch.autograd.functional` is asked for here


class _Places:
    """The last of the finders, for names below `tinytorch` alone: makes the places that repeat or refuse others.

    Of what nobody found it says where it is built, or that it is left out.
    """

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        package, _, name = fullname.rpartition(".")
        if fullname.partition(".")[0] != "tinytorch":
            return None
        if name in REPEATED.get(package, "").split():
            return spec_from_loader(fullname, cls)
        if is_above_called(fullname):
            return spec_from_loader(fullname, cls, is_package=True)
        if package == "tinytorch" and name in _course()[0]:
            number = _course()[0][name]["number"]
            sentence = f"{fullname} is built in module {number:02} ({name}): make export {number}"
            raise ModuleNotFoundError(sentence, name=fullname)
        if reason := left_out(name, package):  # unnamed: from-imports show it
            raise ModuleNotFoundError(f"No module named {fullname!r}: {reason}")
        return None

    create_module = staticmethod(lambda spec: None)

    @staticmethod
    def exec_module(module):
        package, _, name = module.__name__.rpartition(".")
        repeats = package if name in REPEATED.get(package, "").split() else None
        module.__getattr__, module.__dir__ = face(module.__name__, repeats=repeats)


def _make_answering(place):
    """Make a place of ANSWERS, and bring it where an import looks first: before a folder that was left behind."""
    module = sys.modules[place] = module_from_spec(spec_from_loader(place, _Places, is_package=True))
    module.__getattr__, module.__dir__ = face(place)
    module.__doc__, answers = ANSWERS[place]
    vars(module).update((name, answering(place, name, answer)) for name, answer in answers.items())


def _make_below_file(place):
    """Make a place of BELOW_FILES, which no import would find: what is above it is no package."""
    module = sys.modules[place] = module_from_spec(spec_from_loader(place, _Places))
    module.__doc__, elsewhere = BELOW_FILES[place]
    module.__getattr__, module.__dir__ = face(place, elsewhere)


sys.meta_path.append(_Places)
for place in ANSWERS:
    _make_answering(place)
for place in BELOW_FILES:
    _make_below_file(place)


def _ours(fullname):
    """Whether this is the name of something in tinytorch under another name of tinytorch's."""
    package, _, rest = fullname.partition(".")
    here = sys.modules.get("tinytorch")
    return bool(rest) and package != "tinytorch" and here is not None and sys.modules.get(package) is here


def _import(slug, wanted):
    try:
        module = import_module(f"tinytorch.{slug}")
    except ModuleNotFoundError as error:
        if error.name != f"tinytorch.{slug}":
            raise
        sentence = f"{wanted} is built in module {_course()[0][slug]['number']:02} ({slug})"
        raise ImportError(sentence, name=wanted) from None
    overriding = sys.modules.get("tinytorch.given.tensor.overriding")
    if overriding is not None and overriding.classes and {*filter(_is_loaded, modules())} - _asking:
        ask_from_now_on()
    return module


def _is_loaded(slug):
    return f"tinytorch.{slug}" in sys.modules


def _is_built(slug):
    exported = [Path(__file__).with_name(f"{slug}{suffix}") for suffix in (".py", ".pyc")]
    return _is_loaded(slug) or any(path.exists() for path in exported)
