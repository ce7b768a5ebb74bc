"""`make similar`: whose answers share what few others wrote; a copy under other names stands first."""

import ast
import random
import re

import pytest

from autograder import course, files, mutants, notebook
from autograder import lesson as lessons
from autograder.course import CourseError
from autograder.grading import roster, similar
from autograder.grading.similar import Answer, Stub, pairs
from tests.classroom import NAME
from tests.conftest import ROOT
from tests.machinery.test_report import DONE, HOSTILE, Page, RecordedRoom, is_read_by_a_screen_reader


@pytest.fixture
def room(tmp_path, course_to_grade):
    return RecordedRoom(tmp_path, course_to_grade)


class Renamed(ast.NodeTransformer):
    """Code with another name for each variable."""

    def visit_Name(self, node):
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node):
        node.arg = self.names.get(node.arg, node.arg)
        return node


def copied(source: str) -> str:
    """Somebody else's answer with other names, layout and comments."""
    tree, renamer = ast.parse(source), Renamed()
    given = {
        each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    renamer.names = {name: f"mine_{number}" for number, name in enumerate(sorted(given))}
    text = ast.unparse(renamer.visit(tree)).replace(", ", " ,\\\n        ")
    return re.sub(r"^(\s+)(return|for|if) ", r"\1# all my own work\n\1\2 ", text, flags=re.MULTILINE)


@pytest.mark.parametrize(("key", "seed"), [(key, seed) for key in (2, 5, 13) for seed in range(3)])
def test_of_independent_right_answers_a_copy_and_its_original_stand_first(key, seed):
    """Everyone takes one of the lesson's right answers to each stub, so that many share whole answers by chance."""
    module, drawn = course.load(ROOT).find(key), random.Random(seed)
    answers = {f"student-{number:02}": {} for number in range(30)}
    for stub in lessons.read(module).stubs:
        others = [mutants.mutated(stub, each).source for each in stub.answers]
        for student, cells in answers.items():
            original = student == "student-07" and others
            cells[stub.name] = drawn.choice(others if original else [stub.cell.source, *others])
    answers["copy"] = {name: copied(source) for name, source in answers["student-07"].items()}
    found, weights = pairs(list(similar.stubs_of(module, answers)))
    assert found[0].students == ("copy", "student-07")
    assert len(weights) == 31 * 30 // 2
    assert [pair.weight for pair in found] == sorted(weights, reverse=True)[: len(found)]


def of(**answers: str) -> list[similar.Pair]:
    """The pairs of a class that has one stub, whose reference is `quadruple` of the sample."""
    known = set(Answer("def quadruple(x):\n    return double(double(x))").pieces)
    return pairs([Stub("quadruple", {name: Answer(text) for name, text in answers.items()}, known)])[0]


SHORT = "def quadruple(x):\n    return {}"
ODD = "def quadruple(x):\n    total = x + x\n    for _ in range(1):\n        total = total + np.where(x > 0, x + x, 2 * x)\n    return total"


def test_what_the_reference_has_is_shared_by_nobody():
    assert (
        of(
            ada="def quadruple(values):\n    return double(double(values))",
            bob=SHORT.format("double(double(x))"),
        )
        == []
    )


def test_what_more_than_half_of_a_class_wrote_is_shared_by_nobody():
    common = {f"student-{number}": SHORT.format("np.multiply(x, 4).astype(x.dtype)") for number in range(6)}
    assert of(**common) == []
    found = of(**common, ada=ODD, bob=copied(ODD))
    assert [pair.students for pair in found] == [("ada", "bob")]


def test_short_answers_that_are_alike_by_nature_stand_below_a_rare_one():
    natural = [
        SHORT.format(text)
        for text in ("x * 4 + 0 * x.sum()", "np.add(x, 3 * x).astype(x.dtype)", "4 * x - np.zeros_like(x)")
    ]
    answers = {f"student-{number:02}": natural[number % 3] for number in range(30)}
    found = of(**answers, ada=ODD, bob=copied(ODD))
    assert found[0].students == ("ada", "bob")
    assert found[0].weight > 2 * found[1].weight
    (shared,) = found[0].shared
    assert (shared.fewest, shared.most, shared.answers) == (2, 2, 32)


def test_names_are_told_apart_within_a_piece_but_not_by_what_they_are():
    one, other = (Answer(f"def f(a, b):\n    return {text}") for text in ("a * b + a - a", "a * b + b - a"))
    renamed = Answer("def g(left, right):\n    return left*right + left - left  # mine")
    assert one.pieces == renamed.pieces
    assert one.pieces != other.pieces
    assert (
        Answer("def f(x):\n    return x.sum(axis=0) + np.exp(x)").pieces
        != Answer("def f(x):\n    return x.max(axis=0) + np.exp(x)").pieces
    )


@pytest.mark.parametrize(
    "source",
    [
        "def f(:",
        "(" * 5000,
        "x" + ".y" * 20000,
        "",
        "\0",
        "'''",
        "é = 1\n\tx",
        "a = 1 # \u2028 b\x0c\nif",
        "-" * 900 + "1",
        "def f(x):\n    return x # \u202e",
    ],
)
def test_what_is_no_python_is_compared_and_marked_too(source):
    answer = Answer(source)
    text = "".join(part for part, _ in answer.marked(set(answer.pieces)))
    assert text == answer.code
    assert "\u202e" not in text


def test_shared_pieces_are_marked_and_others_are_not():
    answer = Answer("def f(x):\n    total = x.sum() + x.max() + x.min()\n    return total / 3")
    (shared,) = {piece for piece in answer.pieces if piece[0] == "max"}
    assert answer.marked({shared}) == [
        ("def f(x):\n    total = x.sum() + x.", False),
        ("max() + x.min(", True),
        (")\n    return total / 3", False),
    ]


def page_of(room) -> Page:
    similar.similar(room.module)
    return Page((room.root / "autograder" / "similar" / f"{NAME}.html").read_text(encoding="utf-8"))


def test_the_page_shows_two_answers_side_by_side_with_names_and_no_verdict(room, capsys):
    (room.root / roster.PLACE).write_text(
        'student,name\nada,"Lovelace, Ada <b>"\nbob,=1+1\n', encoding="utf-8"
    )
    room.record("ada", DONE, ODD)
    room.record("bob", DONE, copied(ODD))
    for number in range(4):
        room.record(f"zoë {number}", DONE, SHORT.format(f"x * 4 + {number} * np.zeros_like(x)"))
    page = page_of(room)
    assert capsys.readouterr().out == (
        "autograder/similar/02_activations.html: 1 pair of 6 students, with their names: for you alone\n"
    )
    assert "ada (Lovelace, Ada <b>) and bob (=1+1)" in page.words
    assert "This page names students" in page.words
    assert "It is no verdict" in page.words
    assert "the rarest of them 2 of 6 answers have" in page.words
    assert page.text.count("np.where") == 2
    assert "# all my own work" not in page.text
    assert "zoë" not in page.text
    assert [tag for tag, _ in page.elements].count("mark") >= 2
    is_read_by_a_screen_reader(page)


def test_a_class_that_shares_nothing_rare_is_told_so(room, capsys):
    for number, student in enumerate(("ada", "bob", "cleo")):
        room.record(student, DONE, "def quadruple(x):\n    return double(double(x))" if number else ODD)
    page = page_of(room)
    assert "In no stub do two of the 3 students share what is rare in the class." in page.words
    assert "no two of 3 students share what is rare in the class" in capsys.readouterr().out


def test_what_a_submission_says_is_text_and_nothing_else(room):
    for student in ("ada", "bob"):
        room.record(
            student, DONE, f"def quadruple(x):\n    return '''{HOSTILE}''' + str(x) + '\u202e' + str(x.shape)"
        )
    room.record("cleo", DONE, ODD)
    page = page_of(room)
    assert {tag for tag, _ in page.elements}.isdisjoint({"script", "img", "iframe", "link", "object"})
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert "<script>alert(1)</script>" in page.text
    assert "\u202e" not in page.text


def test_nothing_graded_is_one_line(room):
    with pytest.raises(CourseError, match=f"^nothing of {NAME} is graded: `make grade 2` first$"):
        similar.similar(room.module)


def test_records_without_their_notebooks_and_untouched_stubs_share_nothing(room):
    blank = notebook.load(room.module.notebook.read_bytes())["cells"]
    untouched = next(cell["source"] for cell in blank if cell.get("id") == "quadruple")
    for student in ("ada", "bob", "cleo"):
        room.record(student, DONE, untouched)
    files.write(room.root / "autograder" / "graded" / "dan" / f"{NAME}.json", "[]")
    assert "In no stub do two of the 3 students" in page_of(room).words
