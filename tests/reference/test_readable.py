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


def public(cls):
    """The methods that a user of a class calls, by name."""
    named = {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_")}
    return {name: value for name, value in named.items() if callable(value)}


METHODS = public(tinytorch.Tensor)
CLASSES = [tinytorch.Tensor, tinytorch.nn.Module, tinytorch.optim.Optimizer]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_method_goes_by_the_name_it_is_called_by(cls):
    names = {name: (method.__name__, method.__qualname__) for name, method in public(cls).items()}
    assert names == {name: (name, f"{cls.__name__}.{name}") for name in names}


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_method_says_what_it_does(cls):
    told = {name: inspect.getdoc(method) or "" for name, method in public(cls).items()}
    assert [name for name, text in told.items() if not text.partition("\n\n")[0].endswith((".", ":"))] == []


def test_a_method_of_a_tensor_shows_what_it_does():
    lesson = {name for name, method in METHODS.items() if method.__module__ == "tinytorch.tensor"}
    assert [name for name in METHODS.keys() - lesson if ">>>" not in (METHODS[name].__doc__ or "")] == []


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


def test_the_examples_of_second_names_and_of_methods_in_place_show_what_happens():
    finder = doctest.DocTestFinder()
    for name, method in METHODS.items():
        run(finder.find(method, name, module=False, globs={"torch": tinytorch}))
