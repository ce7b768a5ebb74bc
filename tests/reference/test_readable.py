"""The library tells its reader what it is: names, documentation, signatures, examples that run, errors that name the call."""

import builtins
import doctest
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import tinytorch
from autograder import course as courses

ROOT = Path(__file__).parents[2]
MODULES = courses.load(ROOT).with_solutions()
FILES = sorted(path for path in (ROOT / "tinytorch" / "given").glob("*/*.py") if path.name != "__init__.py")

# PyTorch's places and what stands behind them, where these have examples of their own.
PLACES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "tinytorch").rglob("*.py")
    if path.parent != ROOT / "tinytorch" and path not in FILES and ">>> " in path.read_text(encoding="utf-8")
)


def public(cls):
    """The methods that a user of a class calls, by name."""
    named = {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_")}
    return {name: value for name, value in named.items() if callable(value)}


METHODS = public(tinytorch.Tensor)
BASES = (
    tinytorch.Tensor, tinytorch.nn.Module, tinytorch.optim.Optimizer, tinytorch.optim.lr_scheduler.LRScheduler,
    tinytorch.utils.data.Dataset, tinytorch.utils.data.DataLoader, tinytorch.utils.data.Sampler,
)  # fmt: skip
EXPORTS = [(place, name) for module in MODULES for place, names in module.exports.items() for name in names]
EXPORTED = [getattr(import_module(place), name) for place, name in EXPORTS]
CLASSES = sorted({one for one in EXPORTED if inspect.isclass(one) and issubclass(one, BASES)}, key=str)
LESSONS = {f"tinytorch.{module.slug}" for module in MODULES}  # whose notebooks show what they define
# What an example would have to download, or an optimizer, a process group or a GPU of another maker be there for.
NOT_SHOWN = {"MNIST", "FashionMNIST", "CIFAR10", "DistributedDataParallel", "CTCLoss", "from_pretrained"}
NOT_SHOWN |= {"no_sync", "cuda", "xpu", "bfloat16", "convert_sync_batchnorm"}

every_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)


def own(cls):
    """The public methods that a class defines itself, by name: not its copies of Tensor's, which ask it first."""
    return {
        name: method
        for name, method in public(cls).items()
        if name in vars(cls) and not inspect.isclass(method) and not hasattr(method, "asks")
    }


def sentence(text):
    return (text or "").partition("\n\n")[0].endswith((".", ":"))


def is_refused(cls):
    return (cls.__doc__ or "").startswith("Not here: ")


@every_class
def test_a_class_says_what_it_is_and_shows_it(cls):
    assert sentence(cls.__doc__)
    assert inspect.signature(cls)
    if cls.__module__ not in LESSONS and not is_refused(cls) and cls.__name__ not in NOT_SHOWN:
        assert ">>>" in cls.__doc__


@every_class
def test_a_layer_tells_its_shapes(cls):
    layer = issubclass(cls, tinytorch.nn.Module) and cls.forward is not tinytorch.nn.Module.forward
    watches = "Observer" in cls.__name__ or cls.__name__ in (
        "AveragedModel",
        "RNNBase",
    )  # it takes any tensor
    if layer and cls.__module__ not in LESSONS and not watches and not is_refused(cls):
        assert re.search(r"Shape:|\) to \(|, to \(|the model, its names", cls.__doc__)


@every_class
def test_a_method_goes_by_the_name_it_is_called_by(cls):
    names = {name: (method.__name__, method.__qualname__) for name, method in own(cls).items()}
    assert names == {name: (name, f"{cls.__name__}.{name}") for name in names}


@every_class
def test_a_method_says_what_it_does(cls):
    """By itself, or by the method of a base that it is in the place of."""
    told = {name: inspect.getdoc(method) for name, method in own(cls).items()}
    assert [name for name, text in told.items() if not sentence(text)] == []


@every_class
def test_a_method_shows_what_it_does(cls):
    """But for those of lessons, and those in place of a base's: these are what the class shows."""
    inherited = {name for base in cls.__mro__[1:] for name in vars(base)}
    given = {name: method for name, method in own(cls).items() if method.__module__ not in LESSONS}
    new = {name: method for name, method in given.items() if name not in inherited | NOT_SHOWN}
    assert [name for name, method in new.items() if ">>>" not in (method.__doc__ or "")] == []


def test_a_method_has_its_own_parameters():
    signatures = {name: list(inspect.signature(method).parameters) for name, method in METHODS.items()}
    assert [name for name, parameters in signatures.items() if parameters[0] != "self"] == []
    assert [name for name, parameters in signatures.items() if {"args", "kwargs"} <= {*parameters}] == []


def complaint(method, *args, **options):
    """What a call that cannot be right is refused with, and the names of what was called in it."""
    with pytest.raises(TypeError) as refused:
        method(*args, **options)
    message = str(refused.value)
    return message, {name.rpartition(".")[2] for name in re.findall(r"[\w.<>]+(?=\(\))", message)}


@pytest.mark.parametrize("name", METHODS)
def test_a_wrong_call_is_told_by_the_name_of_what_was_called(name):
    method = getattr(tinytorch.ones(2, 3), name)
    kinds = {parameter.kind for parameter in inspect.signature(method).parameters.values()}
    refused = [complaint(method, unknown=1)]
    if inspect.Parameter.VAR_POSITIONAL not in kinds:
        refused.append(complaint(method, *range(11)))
    assert [named for _, named in refused] == [{name}] * len(refused), refused


FUNCTIONS = sorted(name for name in METHODS if hasattr(tinytorch, name) and name not in ("dtype", "device"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_that_is_a_method_too_has_its_documentation_and_its_name(name):
    function = getattr(tinytorch, name)
    if callable(function) and not inspect.isclass(function) and not hasattr(function, "numpy"):
        assert (function.__name__, function.__qualname__) == (name, name)
        assert function.__doc__
        assert complaint(function, unknown=1)[1] <= {name}


@pytest.fixture(scope="module")
def exported():
    """What examples may use: the names of the course but those that Python has itself, and `torch`."""
    names = {name for module in MODULES for listed in module.exports.values() for name in listed} - {
        *dir(builtins)
    }
    found = {name: getattr(tinytorch, name) for name in names if hasattr(tinytorch, name)}
    return found | {"torch": tinytorch}


def run(examples):
    """Run examples; what they show otherwise than they say fails the test."""
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    report = []
    for example in examples:
        runner.run(example, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize("slug", [module.slug for module in MODULES])
def test_the_examples_of_a_module_show_what_happens(slug, exported):
    given = [f"tinytorch.given.{slug}.{path.stem}" for path in FILES if path.parent.name == slug]
    lesson = import_module(f"tinytorch.{slug}")
    for name in [lesson.__name__, *given]:
        module = import_module(name)
        run(
            doctest.DocTestFinder().find(
                module, globs=exported | vars(lesson) | vars(module) | {"torch": tinytorch}
            )
        )


@pytest.mark.parametrize("place", PLACES)
def test_the_examples_of_a_place_show_what_happens(place, exported):
    module = import_module(place)
    run(doctest.DocTestFinder().find(module, globs=exported | vars(module)))


def test_the_examples_of_second_names_and_of_methods_in_place_show_what_happens():
    finder = doctest.DocTestFinder()
    for name, method in METHODS.items():
        run(finder.find(method, name, module=False, globs={"torch": tinytorch}))
