"""What learners, editors and file systems do to a notebook whose code is right: each costs nobody a point.

A gesture takes the solved notebook of module 02, and gives it as it is saved afterwards; `SAID` is a line of `make submit`.
"""

import json
import uuid
from collections.abc import Callable

GESTURES: dict[str, tuple[Callable[[dict], dict | bytes | None], str]] = {}
SCALE = """#| export
#| stub: scale, 4 points
class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        \"\"\"factor times x.\"\"\"
        return self.factor * np.asarray(x)"""
QUADRUPLE = """#| export
#| stub: quadruple, 1 points
def twice(x):
    return double(x)


def quadruple(x):
    \"\"\"Four times x.\"\"\"
    return twice(twice(x))"""
HALF_WRITTEN = SCALE.replace("return self.factor * np.asarray(x)", "y = self.factor *")


def solved(release: dict) -> dict:
    """The released notebook, its stubs written by a learner."""
    notebook = in_texts(release)
    cell(notebook, "scale")["source"] = SCALE
    cell(notebook, "quadruple")["source"] = QUADRUPLE
    return notebook


def in_texts(notebook: dict) -> dict:
    """A copy of a notebook, each source one text."""
    cells = [each | {"source": "".join(each["source"])} for each in json.loads(json.dumps(notebook["cells"]))]
    return notebook | {"cells": cells}


def gesture(said: str = ""):
    """Add a function to the gestures, with what `make submit` says of it."""

    def add(change: Callable) -> Callable:
        GESTURES[change.__name__.replace("_", " ")] = change, said
        return change

    return add


def cell(notebook: dict, name: str) -> dict:
    return next(cell for cell in notebook["cells"] if cell["id"] == name)


def place(notebook: dict, name: str) -> int:
    return notebook["cells"].index(cell(notebook, name))


def first_given(notebook: dict) -> dict:
    return next(cell for cell in notebook["cells"] if cell["id"].startswith("export"))


def copied(original: dict, source: str | None = None) -> dict:
    """A cell as JupyterLab copies or splits it: all its metadata, another id."""
    copy = json.loads(json.dumps(original)) | {"id": uuid.uuid4().hex[:8]}
    return copy if source is None else copy | {"source": source}


def own(source: str, **more) -> dict:
    made = {"cell_type": "code", "id": uuid.uuid4().hex[:8], "metadata": {}, "outputs": []}
    return made | {"execution_count": None, "source": source} | more


def split(notebook: dict, name: str, *at: str) -> list[int]:
    """Split a cell before each text, as JupyterLab does, and return where the parts stand."""
    original, begin = cell(notebook, name), place(notebook, name)
    rest, parts = original["source"], []
    for text in at:
        part, rest = rest[: rest.index(text)], rest[rest.index(text) :]
        parts.append(part)
    original["source"], *others = [part.strip("\n") for part in (*parts, rest)]
    notebook["cells"][begin + 1 : begin + 1] = [copied(original, part) for part in others]
    return list(range(begin, begin + len(others) + 1))


def merge(notebook: dict, first: str, *others: str, keep: str = "") -> None:
    """Merge cells, as JupyterLab does: one keeps its metadata, the names of all others are gone."""
    names = (first, *others)
    kept = cell(notebook, keep or first)
    source = "\n\n".join(cell(notebook, name)["source"] for name in names)
    for name in set(names) - {keep or first}:
        notebook["cells"].remove(cell(notebook, name))
    kept["source"] = source


def move(notebook: dict, name: str, to: int) -> None:
    moved = cell(notebook, name)
    notebook["cells"].remove(moved)
    notebook["cells"].insert(to if to >= 0 else len(notebook["cells"]), moved)


@gesture("scale: written in cells 5 and 6")
def split_within_a_function(notebook):
    split(notebook, "scale", "        return self.factor *")


@gesture("quadruple: written in cells 8 and 9")
def split_between_functions(notebook):
    split(notebook, "quadruple", "def quadruple")


@gesture("scale: written in cells 5, 6 and 7")
def split_into_three(notebook):
    split(notebook, "scale", "    def __call__", "        return self.factor *")


@gesture("scale: written in cells 5 and 7")
def split_with_prose_and_an_own_cell_between(notebook):
    index, _ = split(notebook, "scale", "    def __call__")
    notebook["cells"].insert(index + 1, own("Now the call.", cell_type="markdown"))
    notebook["cells"].insert(index + 3, own("print(3)"))
    notebook["cells"][index + 1].pop("outputs")
    return notebook


@gesture("scale: written in cells 5 and 6")
def split_by_an_editor_that_copies_no_metadata(notebook):
    _, second = split(notebook, "scale", "        return self.factor *")
    notebook["cells"][second]["metadata"] = {"vscode": {"languageId": "python"}}


@gesture("quadruple: written in cells 8 and 9")
def split_between_functions_without_metadata(notebook):
    _, second = split(notebook, "quadruple", "def quadruple")
    notebook["cells"][second]["metadata"] = {}


@gesture()
def split_given_cell(notebook):
    split(notebook, first_given(notebook)["id"], "from tinytorch")


@gesture()
def stub_merged_with_its_test(notebook):
    merge(notebook, "scale", "test-scale")


@gesture()
def stub_merged_with_its_test_which_keeps_its_marks(notebook):
    merge(notebook, "scale", "test-scale", keep="test-scale")


@gesture()
def stub_merged_with_its_test_without_its_line(notebook):
    merge(notebook, "scale", "test-scale", keep="test-scale")
    kept = cell(notebook, "test-scale")
    kept["source"] = kept["source"].replace("%%test scale\n", "").replace("#| stub: scale, 4 points\n", "")


@gesture()
def stub_merged_with_the_given_cell_above(notebook):
    given = first_given(notebook)["id"]
    merge(notebook, given, "scale")


@gesture("scale: written in cell 3")
def stub_without_its_line_merged_with_the_given_cell(notebook):
    given = first_given(notebook)["id"]
    cell(notebook, "scale")["source"] = SCALE.replace("#| stub: scale, 4 points\n", "")
    merge(notebook, given, "scale")


@gesture()
def stub_merged_with_another(notebook):
    merge(notebook, "scale", "quadruple")


@gesture("quadruple: written in cell 5")
def stub_without_its_line_merged_with_another(notebook):
    cell(notebook, "quadruple")["source"] = QUADRUPLE.replace("#| stub: quadruple, 1 points\n", "")
    merge(notebook, "scale", "quadruple")


@gesture()
def all_code_merged_into_one_cell(notebook):
    code = [each["id"] for each in notebook["cells"][2:] if each["cell_type"] == "code"]
    merge(notebook, *code)


@gesture()
def copied_twice(notebook):
    notebook["cells"].insert(place(notebook, "scale"), copied(cell(notebook, "scale")))


@gesture("scale: what cell 5 has of it does not count, cell 6 does")
def an_old_half_written_copy_above(notebook):
    notebook["cells"].insert(place(notebook, "scale"), copied(cell(notebook, "scale"), HALF_WRITTEN))


@gesture("scale: what cell 6 has of it does not count, cell 5 does")
def an_old_half_written_copy_below(notebook):
    notebook["cells"].insert(place(notebook, "scale") + 1, copied(cell(notebook, "scale"), HALF_WRITTEN))


@gesture("quadruple: what cell 9 has of it does not count, cell 8 does")
def a_copy_below_of_which_nothing_is_written_but_a_comment(notebook):
    blank = '#| export\ndef quadruple(x):\n    """Four times x."""\n    # how?\n    raise NotImplementedError'
    notebook["cells"].insert(place(notebook, "quadruple") + 1, copied(cell(notebook, "quadruple"), blank))


@gesture("quadruple: what cell 8 has of it does not count, cell 9 does")
def a_wrong_copy_above(notebook):
    wrong = QUADRUPLE.replace("twice(twice(x))", "twice(x)")
    notebook["cells"].insert(place(notebook, "quadruple"), copied(cell(notebook, "quadruple"), wrong))


@gesture("quadruple: written in cells 8 and 9")
def a_function_written_again_in_a_copy(notebook):
    cell(notebook, "quadruple")["source"] = QUADRUPLE.replace("twice(twice(x))", "twice(x)")
    again = "#| export\ndef quadruple(x):\n    return twice(twice(x))"
    notebook["cells"].insert(place(notebook, "quadruple") + 1, copied(cell(notebook, "quadruple"), again))


@gesture()
def the_untouched_copy_pasted_below(notebook, released):
    notebook["cells"].insert(place(notebook, "scale") + 2, copied(cell(released, "scale")))


@gesture()
def the_untouched_copy_pasted_below_under_the_same_id(notebook, released):
    notebook["cells"].append(cell(released, "quadruple"))


@gesture()
def stub_below_its_test(notebook):
    move(notebook, "scale", place(notebook, "scale") + 1)


@gesture()
def stub_at_the_end(notebook):
    move(notebook, "scale", -1)


@gesture()
def stubs_at_the_top(notebook):
    move(notebook, "scale", 0)
    move(notebook, "quadruple", 0)


@gesture()
def stub_at_the_end_with_what_it_inherits_from(notebook):
    cell(notebook, "scale")["source"] = SCALE.replace("class Scale:", "class Scale(Base):")
    move(notebook, "scale", -1)
    notebook["cells"].insert(-1, own("#| export\nclass Base:\n    pass"))


@gesture()
def test_above_everything(notebook):
    move(notebook, "test-scale", 0)


@gesture()
def backwards(notebook):
    return notebook | {"cells": notebook["cells"][::-1]}


@gesture("scale: cell 5 is not a code cell; its content is read as code")
def stub_turned_to_markdown(notebook):
    each = cell(notebook, "scale")
    each["cell_type"] = "markdown"
    del each["outputs"], each["execution_count"]


@gesture("scale: cell 5 is not a code cell; its content is read as code")
def stub_turned_to_raw_and_its_test_to_markdown(notebook):
    for name, kind in (("scale", "raw"), ("test-scale", "markdown")):
        each = cell(notebook, name)
        each["cell_type"] = kind
        del each["outputs"], each["execution_count"]


@gesture()
def an_old_copy_kept_as_markdown(notebook):
    old = copied(cell(notebook, "scale"), HALF_WRITTEN) | {"cell_type": "markdown"}
    del old["outputs"], old["execution_count"]
    notebook["cells"].append(old)


@gesture()
def helper_in_an_exported_cell(notebook):
    cell(notebook, "quadruple")["source"] = QUADRUPLE.partition("\n\n\n")[2]
    notebook["cells"].insert(
        place(notebook, "quadruple"), own("# | export\ndef twice(x):\n    return double(x)")
    )


@gesture("cell 8: twice is exported too, though not marked: a stub uses it")
def helper_in_a_cell_that_is_not_exported(notebook):
    cell(notebook, "quadruple")["source"] = QUADRUPLE.partition("\n\n\n")[2]
    helper = "from math import floor as down\n\nTWO = 2\n\ndef twice(x):\n    return double(x) * down(TWO / 2)\n\nx = twice(3)"
    notebook["cells"].insert(place(notebook, "quadruple"), own(helper))


@gesture("quadruple: written in cell 9")
def stub_written_in_a_new_cell_that_is_exported(notebook, released):
    notebook["cells"].insert(
        place(notebook, "quadruple") + 1, own(f"#| export\n{QUADRUPLE.partition('points')[2]}")
    )
    cell(notebook, "quadruple")["source"] = cell(released, "quadruple")["source"]


@gesture("quadruple: written in cell 1")
def stub_written_in_a_new_cell_that_is_not_exported(notebook, released):
    notebook["cells"].insert(0, own(QUADRUPLE.partition("points")[2]))
    cell(notebook, "quadruple")["source"] = cell(released, "quadruple")["source"]


@gesture()
def export_line_deleted(notebook):
    for name in ("scale", "quadruple"):
        cell(notebook, name)["source"] = cell(notebook, name)["source"].replace("#| export\n", "")


@gesture()
def both_lines_deleted(notebook):
    for name in ("scale", "quadruple"):
        cell(notebook, name)["source"] = cell(notebook, name)["source"].partition("points\n")[2]


@gesture()
def export_line_without_its_blank(notebook):
    cell(notebook, "scale")["source"] = SCALE.replace("#| ", "#|")
    cell(notebook, "quadruple")["source"] = QUADRUPLE.replace("#| ", "# | ")


@gesture()
def metadata_dropped(notebook):
    for each in notebook["cells"]:
        each["metadata"] = {}


@gesture()
def ids_dropped_as_before_nbformat_4_5(notebook):
    for each in notebook["cells"]:
        del each["id"]
    notebook["nbformat_minor"] = 2


@gesture()
def saved_by_colab(notebook):
    for each in notebook["cells"]:
        each["metadata"] |= {"id": each.pop("id"), "colab": {"base_uri": "https://localhost:8080/"}}
        each["source"] = each["source"].splitlines(True)
        if each["cell_type"] == "code":
            each["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["3\n"]}]
    return notebook | {"nbformat_minor": 0, "metadata": {"colab": {"provenance": []}}}


@gesture()
def pasted_into_a_new_notebook(notebook):
    for each in notebook["cells"]:
        each.update(metadata={}, id=uuid.uuid4().hex[:8])


@gesture()
def code_alone_pasted_without_its_lines(notebook):
    cells = [each for each in notebook["cells"] if each["cell_type"] == "code"]
    for each in cells:
        lines = each["source"].split("\n")
        each["source"] = "\n".join(line for line in lines if not line.startswith(("#|", "%")))
        each.update(metadata={}, id=uuid.uuid4().hex[:8])
    return notebook | {"cells": cells}


@gesture()
def all_pasted_into_one_cell_without_marks(notebook):
    sources = [each["source"] for each in notebook["cells"] if each["cell_type"] == "code"]
    lines = "\n\n".join(sources).split("\n")
    return notebook | {"cells": [own("\n".join(line for line in lines if not line.startswith(("#|", "%"))))]}


@gesture()
def given_cell_deleted(notebook):
    notebook["cells"].remove(first_given(notebook))


@gesture()
def imports_and_a_helper_added_to_the_given_cell(notebook):
    given = first_given(notebook)
    given["source"] = given["source"].replace("import numpy as np", "import math\nimport numpy as np")
    given["source"] = given["source"].replace("import double", "import double, triple")
    given["source"] += "\n\ndef twice(x):\n    return math.floor(1.5) * double(x)"
    cell(notebook, "quadruple")["source"] = (
        QUADRUPLE.partition("\n\n\n")[2] + " + 0 * (triple(x) - triple(x))"
    )


@gesture()
def given_cell_broken(notebook):
    first_given(notebook)["source"] = "#| export\nimport numpy as np\nfrom tinytorch.tensor import ("


@gesture(
    "the test cell 9 (test-quadruple, `def test_quadruple_of_an_array():`) is changed: the released one is what counts"
)
def test_changed(notebook):
    cell(notebook, "test-quadruple")["source"] = (
        "%%test quadruple\ndef test_quadruple_of_an_array():\n    assert False"
    )


@gesture(
    "the test cell test-quadruple (`def test_quadruple_of_an_array():`) is missing: the released one is what counts"
)
def test_deleted(notebook):
    notebook["cells"].remove(cell(notebook, "test-quadruple"))


@gesture("cell 8 (quadruple), line 11: `%timeit quadruple(np.ones(3))` is Jupyter's, and left out")
def magics_below_a_stub(notebook):
    cell(notebook, "quadruple")["source"] += "\n\n%timeit quadruple(np.ones(3))\n!ls\n?double\nquadruple?"


@gesture("cell 5 (scale), line 1: `%%time` is Jupyter's, and left out")
def a_stub_that_is_timed(notebook):
    cell(notebook, "scale")["source"] = f"%%time\n{SCALE}\n"
    cell(notebook, "quadruple")["source"] = QUADRUPLE.replace(
        "    return double", "    %matplotlib inline\n    return double"
    )


@gesture()
def a_remainder_that_begins_a_line(notebook):
    source = QUADRUPLE.replace(
        "return twice(twice(x))", "return (twice(twice(x))\n+ 7\n% 1)\n    '''\n%timeit\n!ls\n'''"
    )
    cell(notebook, "quadruple")["source"] = source


@gesture()
def lines_that_end_as_in_windows(notebook):
    for each in notebook["cells"]:
        each["source"] = each["source"].replace("\n", "\r\n")


@gesture()
def lines_that_end_as_in_old_macs(notebook):
    for each in notebook["cells"]:
        each["source"] = [line + "\r" for line in each["source"].split("\n")]


@gesture()
def separators_that_end_lines_elsewhere(notebook):
    odd = "# one\u2028two\u2029three\x85four\x0bfive\x0csix\x1cseven"
    text = 'ODD = """\u2028\x85\x0c"""'
    cell(notebook, "scale")["source"] = SCALE.replace(
        "    def __call__", f"    {odd}\n\x0c\n    def __call__"
    )
    cell(notebook, "quadruple")["source"] = f"{text}\n{odd}\nimport math\n{odd}\n{QUADRUPLE}\n{odd}"


@gesture()
def half_a_character(notebook):
    cell(notebook, "quadruple")["source"] += "  # \ud83d"


@gesture()
def tabs(notebook):
    for name in ("scale", "quadruple"):
        cell(notebook, name)["source"] = cell(notebook, name)["source"].replace("    ", "\t")


@gesture()
def source_as_a_list(notebook):
    for each in notebook["cells"]:
        each["source"] = each["source"].splitlines(True)


@gesture()
def saved_with_a_byte_order_mark(notebook):
    return json.dumps(notebook).encode("utf-8-sig")


@gesture()
def saved_as_utf_16(notebook):
    return json.dumps(notebook, ensure_ascii=False).encode("utf-16")


def _scratch(notebook):
    notebook["cells"].append(own("def quadruple(x):\n    return x  # what if"))
    notebook["cells"].append(own("x = np = double = None\nraise ValueError"))
    notebook["cells"].append(own("%%bash\nls", outputs=[]))
    notebook["cells"].append(own("def broken(:"))


@gesture()
def trials_in_cells_of_ones_own(notebook):
    _scratch(notebook)


@gesture()
def another_module_quoted(notebook):
    marks = {"nbgrader": {"grade_id": "linear", "solution": True, "grade": False, "locked": False}}
    notebook["cells"].append(own("def linear(x):\n    return x", metadata=marks))
