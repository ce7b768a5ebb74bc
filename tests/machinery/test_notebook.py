"""A running notebook is its module, shown with a real kernel."""

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


def test_an_unknown_module_is_one_line(execute):
    printed = execute("%load_ext tinytorch.notebook", "%module laiers", "print(1)")
    assert "%module laiers: there is tensor, activations, layers" in printed[1]
    assert "Traceback" not in printed[1]
    assert printed[2] == "1"


@pytest.mark.parametrize("module", SOLVED, ids=[module.slug for module in SOLVED])
def test_a_solution_runs_from_top_to_bottom_without_a_warning(module, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(reference.build(courses.load(ROOT))))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = release.notebook(lessons.read(module))
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    printed = [output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [text for text in printed if "Warning" in text]
