"""Given parts: they can be read, every one may be the first to be imported, and none hides what a learner wrote."""

import ast
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

from autograder import course as courses
from autograder import lesson as lessons
from autograder.export import defined_names
from tinytorch.given import methods_of

ROOT = Path(__file__).parents[2]
COURSE = courses.load(ROOT)
GIVEN = ROOT / "tinytorch" / "given"
FILES = sorted(path for path in GIVEN.glob("*/*.py") if path.name != "__init__.py")
FOLDERS = sorted({path.parent for path in FILES})
LINES, WIDTH = 400, 110


def name(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


every_file = pytest.mark.parametrize("path", FILES, ids=map(name, FILES))


@every_file
def test_a_given_file_can_be_read(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert ast.get_docstring(ast.parse("\n".join(lines))), "it begins by saying what it holds"
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH
    assert path.stem not in {module.slug for module in COURSE.modules}, (
        "it is called like a module of the course"
    )


@pytest.fixture(scope="module")
def libraries():
    """What tinytorch imports of others, imported once: a fork starts with it, and takes seconds less."""
    for module in COURSE.with_solutions():
        import_module(f"tinytorch.{module.slug}")


@pytest.mark.parametrize("folder", FOLDERS, ids=map(name, FOLDERS))
@pytest.mark.usefixtures("libraries")
def test_a_given_file_may_be_the_first_to_be_imported(folder):
    """Before a file Python imports its folder, and with that most files come; each other one is tried as the first."""
    files = {name(path) for path in FILES if path.parent == folder}
    missing = imported(name(folder))
    for other in sorted(files - missing.keys()):
        missing |= imported(other)
    assert missing == {file: [] for file in files}


def imported(first):
    """What of the folder is imported with this, in a fork where nothing of tinytorch was; what each file lists in vain."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        return pool.submit(import_first, first).result()


def import_first(first):
    for loaded in [loaded for loaded in sys.modules if loaded.partition(".")[0] == "tinytorch"]:
        del sys.modules[loaded]
    import_module(first)
    slug = first.split(".")[2]
    lesson = import_module(f"tinytorch.{slug}")
    return {
        given: [one for one in module.__all__ if not hasattr(lesson, one)]
        for given, module in sys.modules.items()
        if given.startswith(f"tinytorch.given.{slug}.")
    }


@pytest.mark.parametrize("module", COURSE.with_solutions(), ids=lambda module: module.slug)
def test_no_given_file_hides_what_the_lesson_defines(module):
    code = [cell for cell in lessons.read(module).cells if cell.kind in ("export", "stub")]
    defined = {one for cell in code for one in defined_names(lessons.parse(module, cell))}
    for path in GIVEN.joinpath(module.slug).glob("*.py"):
        listed = import_module(name(path)).__dict__.get("__all__", ())
        assert not defined & set(listed), path.name
        assert len(set(listed)) == len(listed), path.name


def test_methods_are_added_and_never_replaced():
    class Point:
        x = 3

        def own(self):
            return self.x

    @methods_of(Point)
    class Distances:
        twice = lambda self: 2 * self.x
        negative = property(lambda self: -self.x)

    assert (Point().twice(), Point().negative) == (6, -3)
    methods_of(Point)(type("Again", (), {"twice": lambda self: 4 * self.x}))  # as when it is imported anew
    assert Point().twice() == 12
    with pytest.raises(TypeError, match="Point has own of its own"):
        methods_of(Point)(type("Others", (), {"own": None}))
