"""A running notebook is its module, shown with a real kernel."""

import ast
import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from autograder import course as courses
from autograder import lesson as lessons
from autograder import reference, release

ROOT = Path(__file__).parents[2]
SOLVED = courses.load(ROOT).with_solutions()
TENSOR = "class Tensor: pass\ndef tensor(data): return ('exported', data)\n"
LAYERS = "def linear(): return 'exported'\n"
LOSSES = "from tinytorch.layers import linear\ndef loss(): return linear()\n"


@pytest.fixture
def execute(scratch, monkeypatch):
    """Run code cells in a kernel that finds the scratch course, and give what each printed."""
    for name, source in {"tensor": TENSOR, "layers": LAYERS, "losses": LOSSES}.items():
        scratch.write(f"tinytorch/{name}.py", source)
    monkeypatch.setenv("PYTHONPATH", str(scratch.root))

    def run(*cells: str) -> list[str]:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        folder = scratch.write("modules/03_layers/layers.ipynb", "").parent
        NotebookClient(
            notebook, timeout=60, resources={"metadata": {"path": str(folder)}}, allow_errors=True
        ).execute()
        return [
            "".join(o.get("text", o.get("evalue", "")) for o in cell.outputs).strip()
            for cell in notebook.cells
        ]

    return run


START = "%load_ext tinytorch.notebook\n%module layers"


def test_what_was_just_typed_is_the_module_for_everyone(execute):
    printed = execute(
        "import tinytorch.nn.functional as F; print(F.linear())",
        START,
        "def linear(): return 'typed'",
        "import sys, tinytorch, tinytorch.layers\nfrom tinytorch.layers import linear as again\n"
        "print(F.linear(), again(), tinytorch.layers.linear(), tinytorch.linear())",
        "from tinytorch.losses import loss; print(loss())",
        "def linear(): return 'typed again'",
        "print(F.linear(), tinytorch.layers.linear(), vars(sys.modules['tinytorch.layers']) is globals())",
        START,
        "print(F.linear())",
    )
    assert printed[0] == "exported"
    assert printed[3] == "typed typed typed typed"
    assert printed[4] == "typed"
    assert printed[6] == "typed again typed again True"
    assert "already loaded" in printed[7]
    assert printed[8] == "typed again"


def test_tinytorch_tensor_stays_the_function(execute):
    printed = execute(
        "import tinytorch; print(tinytorch.tensor(1))",
        "%load_ext tinytorch.notebook\n%module tensor",
        "def tensor(data): return ('typed', data)",
        "print(tinytorch.tensor(1))",
        "from tinytorch.tensor import tensor as again; print(again(2))",
        "def tensor(data): return ('typed again', data)",
        "print(tinytorch.tensor(1))",
    )
    assert printed[0] == "('exported', 1)"
    assert printed[3:5] == ["('typed', 1)", "('typed', 2)"]
    assert printed[6] == "('typed again', 1)"


def test_numpy_computes_on_one_thread(execute, monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    asked = "import os, sys; print(os.environ.get('OPENBLAS_NUM_THREADS'), 'numpy' in sys.modules)"
    printed = execute(asked, START, asked)
    assert printed[0] == "None False", "NumPy reads the setting when it is imported"
    assert printed[2] == "1 False"


def test_the_tools_import_nothing_of_the_framework_which_imports_them():
    for path in (ROOT / "autograder").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert "tinytorch" not in {name.partition(".")[0] for name in names}, path.name


def test_an_unknown_module_is_one_line(execute):
    printed = execute("%load_ext tinytorch.notebook", "%module laiers", "print(1)")
    assert "%module laiers: there is tensor, activations, layers" in printed[1]
    assert "Traceback" not in printed[1]
    assert printed[2] == "1"


@pytest.mark.slow
@pytest.mark.parametrize("module", SOLVED, ids=[module.slug for module in SOLVED])
def test_a_solution_runs_from_top_to_bottom_without_a_warning(module, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f"{reference.build(courses.load(ROOT))}{os.pathsep}{ROOT}")
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = release.notebook(lessons.read(module))
    seconds = 300  # for a cell: where SmolLM2's file is, the capstone judges it for a minute
    NotebookClient(notebook, timeout=seconds, resources={"metadata": {"path": str(tmp_path)}}).execute()
    printed = [output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [text for text in printed if "Warning" in text]


@pytest.fixture(scope="module")
def tensor_notebook(tmp_path_factory):
    """Run cells in a kernel after the exported cells of module 01's solution, and give what each printed."""
    lesson = lessons.read(courses.load(ROOT).find("tensor"))
    exported = [cell.source for cell in lesson.cells if cell.kind in ("export", "stub")]
    start = "%load_ext tinytorch.notebook\n%module tensor"

    def run(*cells: str) -> list[str]:
        sources = [start, *exported, *cells]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
        folder = {"metadata": {"path": str(tmp_path_factory.mktemp("kernel"))}}
        NotebookClient(notebook, timeout=60, resources=folder, allow_errors=True).execute()
        shown = ["".join(o.get("text", o.get("evalue", "")) for o in cell.outputs) for cell in notebook.cells]
        assert not any(shown[: len(exported) + 1])
        return [text.strip() for text in shown[len(exported) + 1 :]]

    return run


def again(stub: str, old: str, new: str) -> str:
    """A stub's cell of module 01 with a line changed: what a learner runs again."""
    lesson = lessons.read(courses.load(ROOT).find("tensor"))
    source = next(
        cell.source for cell in lesson.cells if cell.kind in ("stub", "export") and stub in cell.source
    )
    assert source.count(old) == 1
    return source.replace(old, new)


def test_a_stub_that_is_run_again_takes_effect_in_given_code_and_in_other_modules(
    tensor_notebook, monkeypatch
):
    monkeypatch.setenv("PYTHONPATH", f"{reference.build(courses.load(ROOT))}{os.pathsep}{ROOT}")
    printed = tensor_notebook(
        "import tinytorch\nfrom tinytorch.activations import relu\nx = tensor([1.0, -2.0])\nmanual_seed(3)\n"
        "tinytorch.set_printoptions(precision=1)\nfirst = rand(1)",
        again("class Mul(", "return x * y", "return x * y + 100"),
        "print(x * x, tinytorch.mul(x, 2.0))",
        again(
            "class Function:",
            "ctx = Context(cls, edges)",
            "calls.append(cls.__name__); ctx = Context(cls, edges)",
        ),
        "calls = []\nx + x, x * x, relu(x)\nprint(calls, isinstance(Add(), Function), Mul.__mro__[1] is Function)",
        again("def along(", "return tuple", "print('along')\n    return tuple"),
        "calls = []\nx.gather(0, tensor([1, 0])); x.scatter(0, tensor([0]), 7.0)",
        again(
            "class Tensor:",
            "    def edge(self):",
            "    def answer(self):\n        return 42\n\n    def edge(self):",
        ),
        "y = tensor([1.0, 1.0])\nprint(x + y, y + x, x.answer(), isinstance(x, Tensor), type(x) is type(y))",
        "second = rand(1).item()\nmanual_seed(3)\nprint(rand(2)[1].item() == second, tensor([0.25]))",
    )
    assert printed[2] == "tensor([101., 104.]) tensor([102.,  96.])"
    assert printed[4] == "['Add', 'Mul', 'Relu'] True True"
    assert printed[6] == "along\nalong"
    assert printed[8] == "tensor([ 2., -1.]) tensor([ 2., -1.]) 42 True True"
    assert printed[9] == "True tensor([0.2])", (
        "the generator goes on where it was, and printing has its one digit"
    )
