"""docs/operations.md: of each operation, what calls it, and where it is computed, differentiated and accelerated.

Everything is read from the reference: what functions name, where rules come from, which kernels are
registered and bound.
"""

import dis
import inspect
from collections.abc import Iterable, Iterator
from importlib import import_module
from types import CodeType, FunctionType, ModuleType

import numpy as np

from autograder import lesson
from autograder.course import Course
from autograder.notebook import defined_names

HEAD = """# Operations

Each operation of the framework (a `Function`), the names that call it, and where to read it; `make types` writes this list. Where
a learner writes the code, the module is named with its stub. The gradients of modules 01 to 04 come with module 06, and module
17 puts a [compiled kernel](../tinytorch/given/acceleration/table.py) in the place of some operations. On a GPU an operation has a
kernel of its own, or those that module 17b [binds](../tinytorch/given/kernels/binding.py) to the names of NumPy's functions in its
forward.

| operation | is called by | forward | gradient | compiled kernel | GPU kernels |
|---|---|---|---|---|---|
"""
OPERATORS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "**": "power", "@": "matmul", "//": "floor_divide",
             "%": "remainder", "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor"}  # fmt: skip
OURS = {"selected": "where"}  # functions of the course that are NumPy's on a device
STEPS = 5  # from a public name to the operation


class Index:
    """What a row needs: the stubs, the public names by what they call, and the kernels."""

    def __init__(self, course: Course):
        self.course, self.slugs = course, {module.slug: module for module in course.modules}
        self.modules = {slug: import_module(f"tinytorch.{slug}") for slug in self.slugs}
        self.later = import_module(
            "tinytorch.given.tensor.devices"
        ).later  # what imports a module when it is called
        self.tensor, self.function = self.modules["tensor"].Tensor, self.modules["tensor"].Function
        self.stubs = {
            (module.slug, name): cell.name
            for module in course.with_solutions()
            for cell in lesson.read_cells(module)
            if cell.kind == "stub"
            for name in defined_names(lesson.parse(module, cell))
        }
        self.compiled = {
            entry[0]: entry for entry in import_module("tinytorch.given.acceleration.table").kernel_table()
        }
        self.fused = {entry[0]: entry for entry in import_module("tinytorch.given.kernels.fused").OPERATIONS}
        self.modules["kernels"].bind_kernels()
        import_module("tinytorch.given.kernels.binding").bind_given()
        self.bound = import_module("tinytorch.given.kernels.table").kernels
        self.callers: dict[type, list[str]] = {}
        public = list(self.public())
        for loosely in (False, True):
            known = set(self.callers)
            for shown, value in public:
                for operation in self.called(value, loosely) - known:
                    self.callers.setdefault(operation, []).append(shown)

    def public(self) -> Iterator[tuple[str, object]]:
        """Every public function, class and method, under the name that a program calls it by."""
        for name, value in vars(self.tensor).items():
            if not name.startswith("_"):
                yield f"x.{name}", value
        for place, names in {
            (place, names) for module in self.course.modules for place, names in module.exports.items()
        }:
            for name in names:
                value = getattr(import_module(place), name)
                yield place.replace("tinytorch", "torch", 1) + f".{name}", getattr(value, "forward", value)

    def called(self, value: object, loosely: bool = False) -> set[type]:
        """The operations that a function names; otherwise those of the one function it names, or loosely of one among several."""
        for _ in range(STEPS):
            if not isinstance(value, FunctionType):
                break
            named = list(dict.fromkeys(self.named(inspect.unwrap(value))))
            functions = [one for one in named if isinstance(one, FunctionType) and one is not value]
            if found := self.operations_of(named):
                return found
            if len(functions) != 1:
                found = {
                    one
                    for other in functions
                    for one in self.operations_of(self.named(inspect.unwrap(other)))
                }
                return found if loosely and len(found) == 1 else set()
            value = functions[0]
        return set()

    def operations_of(self, values: Iterable[object]) -> set[type]:
        return {one for one in values if isinstance(one, type) and issubclass(one, self.function)} - {
            self.function
        }

    def named(self, function: FunctionType) -> Iterator[object]:
        """What a function names of the course: globals, methods of tensors, and what it was made with."""
        made_with = [cell.cell_contents for cell in function.__closure__ or ()]
        methods = [
            vars(self.tensor)[one] for one in made_with if isinstance(one, str) and one in vars(self.tensor)
        ]
        yield from methods or made_with
        if methods:
            return
        yield from function.__defaults__ or ()
        for code in codes(function.__code__):
            later = [
                self.modules[const]
                for const in code.co_consts
                if isinstance(const, str) and const in self.modules
            ]
            before = None
            for instruction in dis.get_instructions(code):
                name, value = instruction.argval, None
                if instruction.opname == "LOAD_GLOBAL":
                    value = function.__globals__.get(name)
                elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                    places = [before] if isinstance(before, ModuleType) else [*later, self.tensor]
                    value = next((vars(place)[name] for place in places if name in vars(place)), None)
                before = value
                if str(getattr(value, "__module__", "")).startswith("tinytorch.") and value is not self.later:
                    yield value

    def row(self, operation: type) -> str:
        names = sorted(set(self.callers.get(operation, ())), key=lambda name: (name.count("."), name))
        names = [f"`{name}`" for name in names if not (name.endswith("_") and name[:-1] in names)]
        backward = getattr(operation, "backward", None)
        compiled, fused = self.compiled.get(operation, ())[1:3], self.fused.get(operation, ())[1:3]
        gpu = [self.kernel(one, "kernels") for one in fused if one] or [
            f"`{name}`" for name in self.functions(operation.forward)
        ]
        cells = [
            f"`{operation.__name__}`",
            ", ".join(names),
            self.place(operation.forward),
            self.place(backward) if backward else "none",
            ", ".join(dict.fromkeys(self.kernel(one, "acceleration") for one in compiled if one)),
            ", ".join(dict.fromkeys(gpu)),
        ]
        return f"| {' | '.join(cells)} |\n"

    def functions(self, forward: FunctionType) -> list[str]:
        """The functions of NumPy that a forward computes with and that have a kernel, by NumPy's names."""
        found = [
            cell.cell_contents.__name__
            for cell in forward.__closure__ or ()
            if isinstance(cell.cell_contents, np.ufunc)
        ]
        for code in codes(forward.__code__):
            before = None
            for instruction in dis.get_instructions(code):
                if instruction.opname == "BINARY_OP":
                    found.append(OPERATORS.get(instruction.argrepr.strip("="), ""))
                elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and before == "np":
                    found.append(instruction.argval)
                elif instruction.opname == "LOAD_GLOBAL":
                    found.append(OURS.get(instruction.argval, ""))
                before = instruction.argval
        return sorted({name for name in found if name in self.bound})

    def kernel(self, function: FunctionType, slug: str) -> str:
        """A link to a kernel, with the stubs of its module that it calls."""
        names = {
            name
            for code in codes(function.__code__)
            for name in (*code.co_names, *code.co_consts)
            if isinstance(name, str)
        }
        stubs = sorted(
            {stub for (owner, name), stub in self.stubs.items() if owner == slug and name in names}
        )
        with_stubs = f", of {self.slugs[slug].label} `{'`, `'.join(stubs)}`" if stubs else ""
        return self.place(function) + with_stubs

    def place(self, function: FunctionType) -> str:
        """A link to where a function was written: a given file, or a lesson, with the stub that is the learner's to write."""
        function = inspect.unwrap(function)
        name, owner = function.__module__.removeprefix("tinytorch."), function.__qualname__.partition(".")[0]
        if module := self.slugs.get(name):
            stub = self.stubs.get((name, owner))
            link = f"[{module.label} {name}](../{module.source.relative_to(self.course.root).as_posix()})"
            return f"{link}, stub `{stub}`" if stub else link
        path = name.replace(".", "/")
        return f"[{path}.py](../tinytorch/{path}.py)"


def codes(code: CodeType) -> Iterator[CodeType]:
    """A piece of code, and what is nested in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from codes(const)


def below(cls: type) -> Iterator[type]:
    for one in cls.__subclasses__():
        yield one
        yield from below(one)


def table(course: Course) -> str:
    """The document."""
    index = Index(course)
    found = {
        one
        for one in below(index.function)
        if one.__module__.startswith("tinytorch.") and hasattr(one, "forward")
    }
    return HEAD + "".join(map(index.row, sorted(found, key=lambda one: one.__name__.lower())))
