"""Notebooks that are no files of the course, as in Colab: kernels in empty folders fetch a class's repository and work in it.

Colab itself is not here: a module of the same shape stands for the one by which it hands its page's notebook over.
"""

import json
import subprocess

import nbformat
import pytest
from nbclient import NotebookClient

from autograder import course as courses
from autograder import release_students
from autograder.course import CourseError
from tests.conftest import ROOT, Scratch

ADDRESS = "school/a.course-26"
NOTEBOOK = "modules/01_tensor/tensor.ipynb"
STRIDES = "return tuple(int(np.prod([max(n, 1) for n in shape[d + 1 :]])) for d in range(len(shape)))"
OWN = "#| export\ndef own(x):\n    return x"
UNINSTALLED = f"import sys; sys.path[:] = [path for path in sys.path if path != {str(ROOT)!r}]"
MESSAGE = """import json, os

def blocking_request(request_type, request="", timeout_sec=5, parent=None):
    assert request_type == "get_ipynb", request_type
    page = os.environ["PAGE"]
    return {"ipynb": json.load(open(page, encoding="utf-8"))} if os.path.exists(page) else None
"""


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The repository of a class that knows its address."""
    folder = tmp_path_factory.mktemp("class") / "published"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setattr(release_students.release, "check", lambda course: [])  # which test_release does
        for who in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{who}_NAME", "A Teacher")
            patch.setenv(f"GIT_{who}_EMAIL", "teacher@example.org")
        release_students.release_students(str(folder), ADDRESS)
    return Scratch(folder)


@pytest.fixture
def run(published, tmp_path, monkeypatch):
    """Run cells in a kernel in an empty folder, where git finds the class's repository at its address."""
    folder = tmp_path / "an empty folder"
    folder.mkdir()
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{published.root.as_uri()}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", f"https://github.com/{ADDRESS}")

    def run(*cells):
        cells = [nbformat.v4.new_code_cell(cell) for cell in (UNINSTALLED, *cells)]
        notebook = nbformat.v4.new_notebook(cells=cells)
        options = {"timeout": 300, "startup_timeout": 300, "allow_errors": True}
        NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}, **options).execute()
        return [
            "".join(o.get("text") or "\n".join(o.get("traceback", ())) for o in cell.outputs)
            for cell in cells[1:]
        ]

    run.folder = folder
    return run


def code(published, filled):
    """The cells of the released notebook in their order down to the first test, that stub's answer put in."""
    notebook = nbformat.read(published.root / NOTEBOOK, as_version=4)
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    last = next(
        place for place, source in enumerate(sources) if source.startswith("%%test contiguous-strides")
    )
    wanted = "#| stub: contiguous-strides"
    return [
        source.replace("raise NotImplementedError", filled) if wanted in source else source
        for source in sources[: last + 1]
    ]


def test_a_button_below_the_title_opens_the_notebook_of_the_classs_own_repository(published):
    cells = nbformat.read(published.root / NOTEBOOK, as_version=4).cells
    assert [cell.cell_type for cell in cells[:4]] == ["markdown", "markdown", "code", "code"]
    assert f"(https://colab.research.google.com/github/{ADDRESS}/blob/HEAD/{NOTEBOOK})" in cells[1].source
    assert f"git clone --quiet --depth 1 https://github.com/{ADDRESS} " in cells[2].source
    assert cells[3].source == "%load_ext tinytorch.notebook\n%module tensor"
    assert published.course.repository == ADDRESS


def test_without_an_address_there_is_no_button():
    course = courses.load(ROOT)
    if not course.repository:
        assert "colab" not in (ROOT / NOTEBOOK).read_text(encoding="utf-8").lower()


@pytest.mark.parametrize("address", ["https://github.com/school/course", "course", "a/b; ls"])
def test_an_address_that_is_none_is_refused_before_anything_is_written(address, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    with pytest.raises(CourseError, match="REPOSITORY is owner/name"):
        release_students.release_students(str(tmp_path / "class"), address)
    assert not (tmp_path / "class").exists()


def test_a_stub_is_solved_tested_and_exported_where_there_is_no_notebook_file(run, published):
    *_, tested, _, _, exported, checked, empty = run(
        *code(published, "return ("), *code(published, STRIDES)[1:], OWN, OWN,
        "%make export 1", "%make test-module 1 stub=contiguous-strides", "%make",
    )  # fmt: skip
    assert tested.startswith("contiguous-strides: done"), tested
    assert exported.strip() == f"tinytorch/tensor.py: written from {NOTEBOOK}", exported
    assert checked.startswith("contiguous-strides: done"), checked
    assert "%make takes a command of the course" in empty
    course = Scratch(run.folder / ADDRESS.partition("/")[2])
    written = (course.root / "tinytorch" / "tensor.py").read_text(encoding="utf-8")
    assert (written.count(STRIDES), written.count("def own(x):")) == (1, 1)
    nbformat.validate(nbformat.read(course.root / NOTEBOOK, as_version=4))


@pytest.mark.slow
def test_of_two_kernels_the_second_goes_on_where_the_first_ended(run, published):
    run(*code(published, STRIDES), "%make export 1")
    *_, checked = run(
        *code(published, "raise NotImplementedError")[:2], "%make test-module 1 stub=contiguous-strides"
    )
    assert checked.startswith("contiguous-strides: done"), checked


def test_in_colab_the_notebook_is_the_pages_run_or_not(run, published, tmp_path, monkeypatch):
    message = tmp_path / "colab" / "google" / "colab" / "_message.py"
    message.parent.mkdir(parents=True)
    message.write_text(MESSAGE, encoding="utf-8")
    message.with_name("__init__.py").touch()
    page = tmp_path / "page.ipynb"
    monkeypatch.setenv("PAGE", str(page))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "colab"))
    start = code(published, STRIDES)[:2]
    *_, refused = run(*start, "%make export 1")
    assert "the browser has not sent the notebook: run the cell again" in refused
    notebook = json.loads((published.root / NOTEBOOK).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:  # as Colab has them
        source = "".join(cell["source"])
        if "#| stub: contiguous-strides" in source:
            source = source.replace("raise NotImplementedError", STRIDES)
        cell |= {"source": source.splitlines(True), "metadata": cell["metadata"] | {"id": cell.pop("id")}}
    page.write_text(json.dumps(notebook | {"nbformat_minor": 0, "metadata": {"colab": {"provenance": []}}}))
    *_, exported, checked = run(*start, "%make export 1", "%make test-module 1 stub=contiguous-strides")
    assert exported.strip() == f"tinytorch/tensor.py: written from {NOTEBOOK}", exported
    assert checked.startswith("contiguous-strides: done"), checked


@pytest.mark.slow
def test_beside_its_notebook_a_kernel_saves_nothing(published, tmp_path, monkeypatch):
    course = tmp_path / "course"
    subprocess.run(["git", "clone", "--quiet", published.root, course], check=True)
    monkeypatch.setenv("PYTHONPATH", str(course))
    cells = [nbformat.v4.new_code_cell(cell) for cell in (*code(published, STRIDES), "%make export 1")]
    resources = {"metadata": {"path": str((course / NOTEBOOK).parent)}}
    NotebookClient(
        nbformat.v4.new_notebook(cells=cells), timeout=300, startup_timeout=300, resources=resources
    ).execute()
    assert (course / NOTEBOOK).read_bytes() == (published.root / NOTEBOOK).read_bytes()
    assert STRIDES not in (course / "tinytorch" / "tensor.py").read_text(encoding="utf-8")


def test_what_is_installed_in_colab_is_what_the_course_lists():
    import tomllib

    listed = [
        line
        for line in (ROOT / "requirements-colab.txt").read_text().splitlines()
        if not line.startswith("#")
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    jupyter_and_gpu = {"jupyterlab", "watchfiles", "tzdata", "numpy"}
    wanted = {name for name in project if ";" not in name} - jupyter_and_gpu
    assert set(listed) == wanted, (
        "requirements-colab.txt is the dependencies without JupyterLab and what drives a GPU"
    )
