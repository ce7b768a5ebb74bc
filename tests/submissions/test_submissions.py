"""What a class could try, graded by the real pipeline in one batch: each has exactly what it deserves, and touches nobody else.

An attack is a file in attacks/: what it does, what is to become of the stub `scale`, perhaps what is said of it, and what stands in
that stub's cell; where it defines no Scale, a wrong one follows. The other stub, `quadruple`, is right in all of them, and has its point. What is no
code (links, bombs, marks, names, markup) is made here.
"""

import contextlib
import hashlib
import html.parser
import json
import os
import re
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from rich.console import Console

from autograder import lesson
from autograder.grading import batch, probes, sandbox, verify
from tests.classroom import NAME, SANDBOXED, Classroom

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SANDBOXED, reason="bubblewrap is not installed, or not allowed here"),
]

ATTACKS = sorted(Path(__file__).with_name("attacks").glob("*.py"))
WRONG = """

class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x
"""
RIGHT = {"scale": 4, "quadruple": 1}
ELEMENT = "<img src=x onerror=alert(1)>"
SCRIPT = '<script>alert(1)</script><img src="x" onerror="alert(1)"><iframe srcdoc="x"></iframe>'
MARKUP = f"""{SCRIPT}
<style>body {{display: none}}</style> <svg onload=alert(1)> [here](javascript:alert(1)) <https://example.org>
![seen](https://example.org/seen.png) ![own](attachment:own.svg) $\\href{{javascript:alert(1)}}{{x}}$ $$\\require{{html}}$$
```{{=html}}
{SCRIPT}
```
</pre></div>{SCRIPT}<pre>

\\begin{{equation}} \\unicode{{x}} \\end{{equation}} **bold** `code` ``` ~~~ &lt;script&gt; <!-- --> ]]> %matplotlib {{{{ cell }}}}
"""


def said(path: Path) -> tuple[str, str, str]:
    """What becomes of the stub in an attack, what is said of it, and its cell."""
    text = path.read_text(encoding="utf-8")
    _, state, told = re.match(r"# (.*)\n# scale: (done|failing|in doubt)\n(?:# said: (.*)\n)?", text).groups(
        ""
    )
    has = re.search(r"^(class|def) Scale|^Scale\b|import .* as Scale", text, re.MULTILINE)
    return state, told, f"#| export\n{text}{'' if has else WRONG}"


def notebook(room: Classroom, **changes) -> dict:
    return json.loads(room.solution) | changes


def cell(found: dict, name: str) -> dict:
    return next(cell for cell in found["cells"] if cell["id"] == name)


def submit_what_is_no_code(room: Classroom) -> None:
    """Submissions that lie elsewhere than in a stub's code; below, what becomes of them."""
    alive = notebook(room)
    alive["metadata"] |= {
        "kernelspec": {
            "name": "evil",
            "display_name": SCRIPT,
            "language": "sh",
            "argv": ["sh", "-c", "touch /tmp/x"],
        },
        "widgets": {"application/vnd.jupyter.widget-state+json": {"state": {"x": SCRIPT}}},
        "title": SCRIPT,
    }
    for type_, name in (("markdown", SCRIPT), ("raw", "../../raw"), ("code", "loose")):
        own = {
            "cell_type": type_,
            "id": name,
            "source": MARKUP,
            "attachments": {"own.svg": {"image/svg+xml": SCRIPT}},
        }
        own["metadata"] = {
            "tags": [SCRIPT],
            "format": "text/html",
            "raw_mimetype": "text/html",
            "name": SCRIPT,
        }
        alive["cells"].insert(1, own)
    outputs = [
        {"output_type": "display_data", "data": {kind: SCRIPT}, "metadata": {}}
        for kind in ("text/html", "application/javascript", "image/svg+xml", "text/latex")
    ]
    for each in alive["cells"]:
        if each["cell_type"] == "code":
            each["outputs"], each["execution_count"] = outputs, SCRIPT
    room.submit("alive", json.dumps(alive))
    dear = notebook(room)
    cell(dear, "scale")["source"] = "#| export" + WRONG
    for name in ("test-scale", "test-quadruple"):
        cell(dear, name)["metadata"]["nbgrader"] |= {"points": 1000, "locked": False, "grade": True}
    cell(dear, "quadruple")["metadata"]["nbgrader"] |= {"grade": True, "points": 1e308}
    dear["cells"].append(json.loads(json.dumps(cell(dear, "test-quadruple"))) | {"id": "test-more"})
    dear["cells"][-1]["metadata"]["nbgrader"]["grade_id"] = "test-more"
    room.submit("points changed", json.dumps(dear))
    named = notebook(room)
    cell(named, "scale")["metadata"]["nbgrader"]["grade_id"] = "quadruple"
    room.submit("names mixed up", json.dumps(named))  # what is right is right under any mark
    cell(named, "scale")["source"] = "#| export" + WRONG
    room.submit("names changed", json.dumps(named))
    forged = notebook(room)
    cell(forged, "scale")["source"] = "#| export" + WRONG
    passed = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
    for name, score in (("test-scale", "1000000"), ("test-quadruple", "-5")):
        cell(forged, name)["outputs"] = [passed | {"data": {"text/plain": score}}]
    room.submit("outputs forged", json.dumps(forged))
    room.submit("order changed", json.dumps(notebook(room, cells=notebook(room)["cells"][::-1])))
    odd = notebook(room)
    for each in odd["cells"][:2]:
        each["metadata"] = {"nbgrader": {"grade_id": [[[{}]]], "solution": {}, "points": "x"}}
    odd["cells"].append(
        {"cell_type": "raw", "id": "/etc/passwd", "source": "", "attachments": {"/etc/passwd": {}}}
    )
    odd["cells"][-1]["metadata"] = {"nbgrader": {"grade_id": "../../../../etc/passwd", "grade": True}}
    room.submit("odd marks", json.dumps(odd))
    links = room.place("links beside").parent
    room.submit("links beside", room.solution)
    for target in ("gradebook.db", "../solutions/02_activations/activations.py"):
        (links / Path(target).name).symlink_to(room.root / "autograder" / target)
    with zipfile.ZipFile(links / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("zeros", bytes(10_000_000))
    os.mkfifo(links / "timestamp.txt")
    for name in ("a[b]", "o'neil, ann", "zoë 文", "[red]x", "--help", "$(touch x)", "a" * 128):
        room.submit(name, room.solution)
    room.submit(".hidden", room.solution)
    # What is refused:
    for name, target in (
        ("link to a peer", room.place("first")),
        ("link to the solution", room.module.source.with_suffix(".ipynb")),
        ("link in a circle", room.place("link in a circle")),
    ):
        room.place(name).parent.mkdir(parents=True)
        room.place(name).symlink_to(target)
    room.place("first").parents[1].with_name("folder of a peer").symlink_to("first")
    os.mkfifo(room.submit("pipe", "x").with_name("x"))
    room.place("pipe").unlink()
    room.place("pipe").with_name("x").rename(room.place("pipe"))
    room.submit("device", "x").unlink()
    room.place("device").symlink_to("/dev/zero")
    room.submit("folder", "x").unlink()
    room.place("folder").mkdir()
    room.submit("missing", "x").unlink()
    room.submit("not json", room.solution[:-9])
    room.submit("pickle", b"\x80\x04cos\nsystem\n(S'touch /tmp/x'\ntR.")
    room.submit("nested", '{"cells": ' + "[" * 100_000)
    room.submit("huge number", '{"nbformat": ' + "4" * 100_000 + "}")
    room.submit("a list", "[]")
    room.submit("too large", b'{"cells": "' + b" " * (9 << 20) + b'"}')
    room.submit("too long", json.dumps(notebook(room, cells=[*notebook(room)["cells"]] * 500)))
    room.submit("too wordy", room.change(scale="# " + "x" * 300_000))
    room.submit("format 3", json.dumps(notebook(room, nbformat=3)))
    room.submit("cells of numbers", json.dumps(notebook(room, cells=[1, 2])))
    room.submit("source of numbers", room.change(scale=[1, 2]))
    for name in (ELEMENT, 'ann "bob"', " blank", "b" * 129):
        room.submit(name, room.solution)
    room.submit("new\nline", room.solution)


FULL = ["first", "zz last", "alive", "odd marks", "names mixed up", "order changed", "links beside", "a[b]", "o'neil, ann", "zoë 文", "[red]x", "--help",
        "$(touch x)", "a" * 128]  # fmt: skip
CHANGED = ("points changed", "names changed", "outputs forged")
REFUSED = {
    "link to a peer": "a link was submitted, not a notebook",
    "link to the solution": "a link was submitted, not a notebook",
    "link in a circle": "activations.ipynb cannot be read: ",
    "folder of a peer": "a link was submitted, not a notebook",
    "pipe": "activations.ipynb is not a file",
    "device": "a link was submitted, not a notebook",
    "folder": "activations.ipynb is not a file",
    "missing": "there is no activations.ipynb",
    "not json": "activations.ipynb is not a notebook: it is not JSON",
    "pickle": "activations.ipynb is not a notebook: it is not JSON",
    "nested": "activations.ipynb is not a notebook: it is not JSON",
    "huge number": "activations.ipynb is not a notebook: it is not JSON",
    "a list": "activations.ipynb is not a notebook: it has no cells",
    "too large": "activations.ipynb has 9 MB, and 8 are accepted",
    "too long": "activations.ipynb is not a notebook: it has more than 1000 cells",
    "too wordy": "has too much text",
    "format 3": "activations.ipynb is not a notebook: it is not of format 4",
    "cells of numbers": "activations.ipynb is not a notebook: cell 1 is none",
    "source of numbers": "has no source",
    ELEMENT: "a student's folder has a < in its name: rename it",
    'ann "bob"': "a student's folder has a \" in its name: rename it",
    " blank": "a student's folder has a blank at the beginning or the end of its name: rename it",
    "b" * 129: "a student's folder has a name of more than 128 characters: rename it",
    ascii("new\nline"): "a student's folder has characters in its name that cannot be printed: rename it",
}


def everything(*folders: Path) -> dict[str, str]:
    """Each file below folders, with a digest of what it holds."""
    files = [
        path for folder in folders for path in folder.rglob("*") if path.is_file() and not path.is_symlink()
    ]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def graded(tmp_path_factory, course_to_grade):
    """The whole class, graded at once, with short limits, by more workers than processors: some submissions only wait."""
    room = Classroom(tmp_path_factory.mktemp("class"), course_to_grade, "{seconds: 3, megabytes: 512}")
    for student in ("first", "zz last"):  # before and after all others
        room.submit(student, room.solution)
    for path in ATTACKS:
        text = said(path)[-1].replace("ROOT_OF_THE_COURSE", str(room.root))
        room.submit(path.stem, room.change(scale=text))
    submit_what_is_no_code(room)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(verify, "SECONDS", 1)
        changed.setattr(verify, "PATIENCE", 8)  # by the clock, for a machine that is busy
        changed.setattr(sandbox, "PATIENCE", 8)
        sandbox._checked.clear()
        room.run(batch.run, room.course, room.module, ["first"], Console(quiet=True))
        kept = [
            room.root / name
            for name in ("solutions", "modules", "tinytorch", "build/reference", f"build/before-{NAME}")
        ]
        before = everything(*kept, room.root / "autograder/submitted")
        everyone = (room.course, room.module, batch.submissions(room.module), Console(quiet=True))
        room.said = room.run(batch.run, *everyone, workers=6)
        after = everything(*kept, room.root / "autograder/submitted")
    room.changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    room.found = room.all_points()
    return room


@pytest.mark.parametrize("path", ATTACKS, ids=[path.stem for path in ATTACKS])
def test_an_attack_has_the_points_it_deserves(graded, path):
    state, told, _ = said(path)
    stubs = graded.record(path.stem)["stubs"]
    assert {stub: outcome["state"] for stub, outcome in stubs.items()} == {
        "scale": state,
        "quadruple": "done",
    }
    assert told in stubs["scale"]["said"]
    assert graded.found[path.stem] == {"scale": 4 if state == "done" else 0, "quadruple": 1}
    doubt = f"{path.stem}: in doubt: scale: the tests pass, the probes do not"
    assert (doubt in graded.said) == (state == "in doubt")


@pytest.mark.parametrize("student", FULL)
def test_what_is_right_has_all_points_whatever_stands_beside_it(graded, student):
    assert graded.found[student] == RIGHT


def test_points_and_names_are_the_releases(graded):
    for student in CHANGED:
        assert graded.found[student] == {"scale": 0, "quadruple": 1}
    with graded.gradebook() as book:
        assert book.find_assignment(NAME).max_score == 5


@pytest.mark.parametrize("student", REFUSED)
def test_what_is_refused_is_told_in_a_sentence_and_entered_nowhere(graded, student):
    line = next(line for line in graded.said if line.startswith(f"{student}: not graded: "))
    assert REFUSED[student] in line
    assert student not in graded.found
    assert not (graded.root / "autograder/graded" / student / f"{NAME}.json").exists()


def test_nobody_is_graded_but_those_who_submitted(graded):
    assert set(graded.found) == {*(path.stem for path in ATTACKS), *FULL, *CHANGED}
    told = {line.partition(": ")[0] for line in graded.said}
    doubted = {path.stem for path in ATTACKS if said(path)[0] == "in doubt"}
    assert told == {*REFUSED, *doubted}


def test_nothing_of_the_course_nor_of_a_peer_is_changed(graded):
    assert graded.changed == set()
    pages = {student: graded.page(student) for student in ("first", "zz last")}
    assert pages["first"] == pages["zz last"]


def test_nothing_that_was_started_is_still_running(graded):
    """What runs in a sandbox sees the modules of the course, which its mounts name."""
    running = []
    for mounted in Path("/proc").glob("[0-9]*/mountinfo"):
        with contextlib.suppress(OSError):
            running += [mounted] if str(graded.root) in mounted.read_text(encoding="utf-8") else []
    assert running == []


def test_no_probe_and_no_answer_of_a_module_before_is_in_anything_that_a_student_is_given(graded):
    texts = [probe.source for probe in probes.read(graded.module)]
    for module in graded.course.before(graded.module):
        texts += [region for stub in lesson.read(module).stubs for region in stub.regions]
    secrets = {line.strip() for text in texts for line in text.splitlines() if len(line) > 12}
    assert any("rng.normal" in line for line in secrets)
    assert "return np.asarray(x) + np.asarray(x)" in secrets
    given = [*graded.root.glob("autograder/autograded/**/*"), *graded.root.glob("autograder/graded/**/*")]
    for path in filter(Path.is_file, given):
        text = path.read_text(encoding="utf-8")
        assert [line for line in secrets if line in text or json.dumps(line)[1:-1] in text] == [], path


def test_a_graded_notebook_is_valid_and_has_only_what_the_release_has(graded):
    release = json.loads(graded.release)
    names = {path.name for path in graded.root.glob("autograder/autograded/*/*/*")}
    assert names == {"activations.ipynb", "timestamp.txt"}
    for path in graded.root.glob("autograder/autograded/*/*/*.ipynb"):
        page = nbformat.read(path, as_version=4)
        nbformat.validate(page)
        assert page.metadata == release["metadata"]
        marks = {cell["id"]: cell["metadata"] for cell in release["cells"]}
        assert {cell.id: cell.metadata for cell in page.cells if not cell.id.startswith("own-")} == marks
        for each in page.cells:
            assert not each.get("attachments")
            assert {output.output_type for output in each.get("outputs", [])} <= {"error"}
            assert each.id in marks or each.metadata == {}


class Elements(html.parser.HTMLParser):
    """The elements of a page that are not of a template: everything below its cells."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def test_nothing_is_alive_in_what_an_instructor_opens(graded):
    def body(student: str) -> list[tuple[str, dict]]:
        page = nbformat.reads(graded.page(student), as_version=4)
        text, _ = HTMLExporter(template_name="basic").from_notebook_node(page)
        parser = Elements()
        parser.feed(text)
        return parser.found

    for student in ("alive", "errors_with_markup", "errors_that_lie", "answers_of_other_types"):
        elements = body(student)
        assert {tag for tag, _ in elements} <= {tag for tag, _ in body("first")} | {"pre", "span", "div"}
        for _, attributes in elements:
            assert not [
                name for name in attributes if name.startswith("on") or name in ("src", "srcdoc", "action")
            ]
            assert not attributes.get("href", "#").startswith("javascript")
    sources = [
        "".join(cell["source"])
        for cell in json.loads(graded.page("alive"))["cells"]
        if cell["cell_type"] == "markdown"
    ]
    own = [source for source in sources if source.startswith("<pre")]
    assert len(own) == 2
    for source in own:
        inside = source.removeprefix('<pre style="white-space: pre-wrap">').removesuffix("</pre>")
        assert re.fullmatch(r"(\w|[ .,;()-]|&#\d+;)*", inside), (
            "no letter that HTML, Markdown or MathJax could read"
        )
        text = re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), inside)
        assert text == MARKUP, "what the student wrote is all there, as text"
