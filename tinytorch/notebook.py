"""While a notebook runs, it is the module it writes: `%load_ext tinytorch.notebook`, `%module layers`.

`%%test linear` above the tests of a stub runs them, and says what `make test-module` says of it. `%make test-module 3` is the
command itself, for a notebook whose folder is not the course's, as in Colab: it is saved in the course first.

What is exported and run again takes effect everywhere. Given code and other modules hold the functions and classes of the
first run, so these are kept, and given their new contents: `Function` stays the base of every operation, a method that a
given part has added stays, and what was made before is still an instance.

NumPy computes on one thread there: two that share a small product wait for each other longer than they compute.
"""

import os
import re
from contextlib import suppress
from pathlib import Path
from types import FunctionType

from IPython.core.error import UsageError

from tinytorch._lookup import modules, stand_for

ROOT = Path(__file__).parents[1]  # of the course
PYTHONS_OWN = ("__dict__", "__weakref__", "_given")
EXPORTED = re.compile(r"^#[ \t]*\|[ \t]*export[ \t]*$", re.MULTILINE)  # as autograder.notebook has it
STUB = re.compile(r"^#[ \t]*\|[ \t]*stub:[ \t]*([\w-]+)", re.MULTILINE)


class TestsFailed(Exception):
    """What is said below a test cell in place of a traceback. As an error, for nbgrader counts these."""

    def __init__(self, lines):
        super().__init__("\n".join(lines))

    def _render_traceback_(self):
        return str(self).splitlines()


def load_ipython_extension(shell):
    """Add `%module`, `%%test` and `%make` to the shell, before anything has imported NumPy, which then reads how many threads it may use."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    before, ran, slug = {}, {}, ""
    is_elsewhere = not Path.cwd().is_relative_to(ROOT)  # a kernel starts beside its notebook

    def module(line):
        """Let this notebook stand for a module of the course: `%module layers`."""
        nonlocal slug
        if line.strip() not in modules():
            raise UsageError(f"%module {line.strip()}: there is {', '.join(modules())}")
        slug = line.strip()
        if Path(__file__).with_name("given").joinpath(slug, "simulator.py").exists():
            os.environ.setdefault(
                "NUMBA_ENABLE_CUDASIM", "1"
            )  # its kernels are checked, on a GPU's machine too
        stand_for(slug, shell.user_module)

    def test(line, cell):
        """Run the tests of a stub, which the cell defines: `%%test linear`."""
        try:
            said = tested(line.strip(), cell)
        except KeyboardInterrupt:
            said = [f"interrupted before the tests of {line.strip()} ran"]
        if said:
            raise TestsFailed(said) from None

    def tested(name, cell):
        """What is said of a stub that is not done."""
        if not slug:
            return [f"%%test {name}: which module is this? Run `%module NAME` first"]
        try:
            from autograder import testcell  # only now: it takes longer than the whole first cell
        except ImportError as error:
            return [f"%%test {name}: {error}. Start the notebook by `make start`"]
        return testcell.run(ROOT, shell.user_ns, slug, name, cell, ran)

    def make(line):
        """Run a command of the course in a cell: `%make test-module 3`."""
        from autograder import hosted
        from autograder.course import CourseError

        if not line.strip():
            raise UsageError("%make takes a command of the course, as make does: %make test-module 3")
        try:
            if slug and is_elsewhere:
                hosted.save(ROOT, slug, shell.history_manager.input_hist_raw)
        except CourseError as error:
            raise UsageError(f"%make {line}: {error}") from None
        hosted.make(ROOT, line)

    def remember(info):
        before.clear()
        if EXPORTED.search(info.raw_cell or "") or STUB.search(info.raw_cell or ""):
            before.update(shell.user_ns)
            ran.update((name, info.raw_cell) for name in STUB.findall(info.raw_cell))

    def keep(result):
        for name, old in before.items():
            new = shell.user_ns.get(name)
            if new is not old and replaces(new, old):
                shell.user_ns[name] = renewed(old, new)

    shell.register_magic_function(module)
    shell.register_magic_function(make)
    shell.register_magic_function(test, "cell")
    shell.events.register("pre_run_cell", remember)
    shell.events.register("post_run_cell", keep)


def replaces(new, old):
    """Whether both are functions, or both classes, that the notebook defines under one name."""
    same = type(new) is type(old) and isinstance(new, FunctionType | type)
    return same and (new.__module__, new.__qualname__) == (old.__module__, old.__qualname__)


def renewed(old, new):
    """The function or class that was there before, with the contents of the new one."""
    if isinstance(old, FunctionType):
        if old.__closure__ or new.__closure__:
            return new
        old.__code__, old.__defaults__, old.__kwdefaults__ = (
            new.__code__,
            new.__defaults__,
            new.__kwdefaults__,
        )
        old.__doc__, old.__annotations__, old.__dict__ = new.__doc__, new.__annotations__, new.__dict__
        return old
    try:
        if old.__bases__ != new.__bases__:
            old.__bases__ = new.__bases__
    except TypeError:  # of another layout: a class of its own
        return new
    given = vars(old).get("_given", frozenset())
    for name in vars(old).keys() - vars(new).keys() - given - set(PYTHONS_OWN):
        delattr(old, name)
    for name, value in vars(new).items():
        if name not in PYTHONS_OWN:
            for cell in cells_of_class(value, new):
                cell.cell_contents = old
            with suppress(AttributeError):  # what Python keeps for itself
                setattr(old, name, value)
    with suppress(TypeError):
        new.__bases__ = (Replaced,)  # and so no longer among the subclasses of its bases
    return old


class Replaced:
    """The base of classes whose contents have gone to the class that was there before."""


def cells_of_class(value, cls):
    """The cells by which a method's `super()` and `__class__` find the class that they were written in."""
    parts = (value, *(getattr(value, name, None) for name in ("__func__", "fget", "fset", "__wrapped__")))
    for function in parts:
        for cell in getattr(function, "__closure__", None) or ():
            with suppress(ValueError):  # empty
                if cell.cell_contents is cls:
                    yield cell
