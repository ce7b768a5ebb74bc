"""`make report`: what an instructor reads of a class, from records written by hand; the last test grades a class first."""

import csv
import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

from autograder import files, mutants, recognition
from autograder import lesson as lessons
from autograder.course import CourseError
from autograder.grading import class_report, report
from autograder.grading.answer_code import NOBODY, Names, alike, shown
from autograder.testrunner import Failure
from tests.classroom import NAME, SANDBOXED, Classroom

DONE, BLANK = {"state": "done", "said": ""}, {"state": "not started", "said": ""}
DOUBT = {
    "state": "in doubt",
    "said": "its tests pass, but with other numbers it does not give what they ask for",
}
HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}"
DOUBLED = "#| export\ndef quadruple(x):\n    return double(x)"


def failing(came_back: str, test: str = "test_quadruple_of_an_array", error: str = "AssertionError") -> dict:
    failure = {"test": test, "error": error, "asked": "four times each number", "came_back": came_back}
    return {"state": "failing", "said": f"came back: {came_back}", "failure": failure}


class Page(HTMLParser):
    """A page's elements with their attributes, in order, and its text; what is opened has to be closed."""

    VOID = frozenset(("meta", "link", "img", "br", "input"))

    def __init__(self, text: str):
        super().__init__()
        self.elements, self.open, self.text = [], [], ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    @property
    def words(self) -> str:
        return " ".join(self.text.split())


def is_read_by_a_screen_reader(page: Page) -> None:
    """Check headings, tables, links and ids of a page that is one file."""
    tags = [tag for tag, _ in page.elements]
    assert dict(page.elements)["html"] == {"lang": "en"}
    levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
    assert (levels[0], levels.count(1)) == (1, 1)
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(attributes.get("scope") in ("col", "row") for tag, attributes in page.elements if tag == "th")
    assert tags.count("caption") == tags.count("table")
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        assert set(attributes.get("aria-labelledby", "").split()) <= set(ids)
        assert "href" not in attributes or attributes["href"][1:] in ids
        assert "src" not in attributes


class RecordedRoom(Classroom):
    """A class whose gradings are written by hand, without their submissions."""

    def record(self, student: str, quadruple: dict, source: str = "", scale: dict = DONE) -> None:
        self.submit(student, "{}")
        text = json.dumps({"digest": "", "stubs": {"scale": scale, "quadruple": quadruple}})
        files.write(self.root / "autograder" / "graded" / student / f"{NAME}.json", text)
        cells = [{"cell_type": "code", "id": "quadruple", "source": source, "metadata": {}, "outputs": []}]
        place = self.root / "autograder" / "autograded" / student / NAME / "activations.ipynb"
        files.write(place, json.dumps({"cells": cells}))


@pytest.fixture
def room(tmp_path, course_to_grade):
    room = RecordedRoom(tmp_path, course_to_grade)

    def made() -> Page:
        report.report(room.course, [room.module])
        return Page((room.root / "autograder" / "reports" / f"{NAME}.html").read_text(encoding="utf-8"))

    def name_mistakes(*named: tuple[str, str, int | None]) -> None:
        """Sentences and hints for how `quadruple` fails."""
        prints = [
            (
                recognition.fingerprint(room.module, "quadruple", Failure(**failing(came_back)["failure"])),
                *rest,
            )
            for came_back, *rest in named
        ]
        recognition.write(lessons.read(room.module), recognition.entries(prints))

    room.made, room.name_mistakes = made, name_mistakes
    return room


def table(room: Classroom) -> list[dict[str, str]]:
    with open(room.root / "autograder" / "reports" / f"{NAME}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_named_mistake_is_counted_with_its_hint_and_examples(room):
    room.name_mistakes(("got: [2, 4]", "Doubles once.", 1))
    room.record("ada", DONE)
    for student, variable in {"bob": "x", "cleo": "y", "dan": "numbers"}.items():
        room.record(
            student, failing("got: [2, 4]"), DOUBLED.replace("x", variable).replace("eyport", "export")
        )
    room.record("eve", failing("got: [2, 4]"), "def quadruple(x):\n    return x + x")
    room.record("finn", BLANK)
    words = room.made().words
    assert "Most frequent mistakes 4 of 5: Doubles once. (quadruple)" in words
    assert "Hint 1 was written for it: Double twice." in words
    assert "An answer; apart from names and layout, 2 more are the same: def quadruple(" in words
    assert "An answer: def quadruple(x): return x + x" in words
    (row,) = [row for row in table(room) if row["kind"] == "mistake"]
    assert (row["stub"], row["text"], row["hint"], row["count"], row["of"]) == (
        "quadruple",
        "Doubles once.",
        "1",
        "4",
        "5",
    )


def test_what_no_mistake_explains_is_grouped_by_test_and_first_line_without_numbers(room):
    for student, came_back in {
        "ada": "got: [2.5, 4]",
        "bob": "got: [3e-7, 11]",
        "cleo": "ValueError: no",
    }.items():
        room.record(student, failing(f"{came_back}\nsecond line of {student}"))
    room.made()
    found = [(row["text"], row["count"]) for row in table(room) if row["kind"] == "other failure"]
    assert found == [
        ("quadruple of an array: got: [2.5, 4]", "2"),
        ("quadruple of an array: ValueError: no", "1"),
    ]


def test_a_sentence_that_is_added_to_the_mistakes_counts_at_once(room):
    room.record("ada", failing("got: [2, 4]"))
    room.made()
    assert [row["kind"] for row in table(room) if row["kind"] != "state"] == ["other failure"]
    room.name_mistakes(("got: [2, 4]", "Doubles once.", None))
    recognition._parsed.cache_clear()
    assert "No hint is named for it." in room.made().words
    assert [row["kind"] for row in table(room) if row["kind"] != "state"] == ["mistake"]


def test_states_are_counted_and_doubts_are_said(room):
    room.record("ada", DONE)
    room.record("bob", DOUBT, DOUBLED)
    room.record("cleo", BLANK, scale=BLANK)
    room.record("dan", {"state": "failing", "said": "its tests did not run"})
    words = room.made().words
    assert "4 graded submissions" in words
    assert "1 of 4 did it, 1 failed, 1 in doubt, 1 not started." in words
    assert "1 of 3: the tests pass, the probes do not" in words
    assert "1 of 3: its tests did not run" in words
    rows = {row["text"]: row for row in table(room) if row["stub"] == "quadruple" and row["kind"] == "state"}
    assert [int(rows[state]["count"]) for state in class_report.STATES] == [1, 1, 1, 1]
    assert rows["done"]["difficulty"] == "0.250"


def test_who_has_not_handed_in_or_was_not_graded_is_a_number(room):
    room.record("ada", DONE)
    room.submit("bob", "no notebook")
    other = room.root / "autograder" / "submitted" / "cleopatra" / "01_tensor"
    other.mkdir(parents=True)
    page = room.made()
    assert "1 submission without a grade. 1 student without a submission." in page.words
    assert not re.search("ada|bob|cleopatra", page.text.replace("gradable", ""))


def test_records_of_another_lesson_or_that_cannot_be_read_are_not_counted(room):
    room.record("ada", DONE)
    for student, text in {
        "bob": "{", "cleo": "[]", "dan": '{"stubs": {"scale": {"state": "done"}}}', "eve": '{"stubs": {"scale": 1}}',
    }.items():  # fmt: skip
        room.record(student, DONE)
        files.write(room.root / "autograder" / "graded" / student / f"{NAME}.json", text)
    assert "1 graded submission," in room.made().words
    assert "4 records not of the lesson as it is" in room.made().words


def test_what_a_submission_says_is_text_and_nothing_else(room):
    room.record("ada", failing(HOSTILE), f"def quadruple(x):\n    return '''{HOSTILE}'''")
    room.record("bob", failing("=HYPERLINK(1)", error=HOSTILE), f"{HOSTILE} is no Python")
    room.record("cleo", {"state": "failing", "said": HOSTILE}, "\u202edef quadruple(x): return 1\u2066")
    room.record("dan", {"state": "failing", "said": "=1+1"}, "(" * 5000)
    page = room.made()
    assert {tag for tag, _ in page.elements}.isdisjoint({"script", "img", "iframe", "link", "object"})
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", page.text)
    assert not [row["text"] for row in table(room) if row["text"].startswith("=")]


def test_a_hostile_record_of_a_failure_is_no_failure(room):
    for student, failure in {
        "ada": 1,
        "bob": {"test": ["x"]},
        "cleo": {"test": "t", "error": "e", "asked": "a"},
    }.items():
        room.record(student, {"state": "failing", "said": "said", "failure": failure})
    room.made()
    assert [row["count"] for row in table(room) if row["kind"] == "other failure"] == ["3"]


def test_the_page_is_one_file_that_a_screen_reader_can_read(room):
    room.record("ada", DONE)
    room.record("bob", failing("got: [2, 4]"), DOUBLED)
    page = room.made()
    is_read_by_a_screen_reader(page)
    assert "quadruple: 1 done, 0 in doubt, 1 failing, 0 not started." in page.words


@pytest.mark.parametrize("seed", range(3))
def test_discrimination_is_the_correlation_with_the_points_of_the_other_stubs(seed):
    rng = np.random.default_rng(seed)
    rest = rng.integers(0, 20, size=50)
    done = rng.normal(size=50) + rest / 10 > 1
    wanted = np.corrcoef(done, rest)[0, 1]
    assert class_report.discrimination(done.tolist(), rest.tolist()) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("done", "rest"), [([True, True], [1, 2]), ([False, False], [1, 2]), ([True, False], [3, 3])]
)
def test_without_two_groups_or_a_spread_there_is_no_discrimination(done, rest):
    assert class_report.discrimination(done, rest) is None


def test_difficulty_and_discrimination_are_those_of_the_other_points(room):
    for number in range(12):
        room.record(f"student-{number}", DONE if number % 3 else BLANK, scale=DONE if number % 2 else BLANK)
    room.made()
    rows = {row["stub"]: row for row in table(room) if row["text"] == "done"}
    quadruple, scale = [bool(n % 3) for n in range(12)], [bool(n % 2) for n in range(12)]
    wanted = np.corrcoef(quadruple, scale)[0, 1]
    for stub, share in {"quadruple": 2 / 3, "scale": 1 / 2}.items():
        assert float(rows[stub]["difficulty"]) == pytest.approx(share, abs=5e-4)
        assert float(rows[stub]["discrimination"]) == pytest.approx(wanted, abs=5e-4)


def test_people_are_named_nowhere_but_words_of_the_lesson_stay(room):
    with room.gradebook() as book:
        book.update_or_create_student(
            "ada", first_name="Augusta", last_name="Lovelace", email="al@uni.example"
        )
    source = "# by Ada Lovelace\ndef quadruple(x):\n    '''Ada'''\n    lovelace_sum = x.sum()\n    return 'augusta', lovelace_sum"
    room.record("ada", failing("got: Ada Lovelace's"), source)
    room.record("scale", failing("got: [1]"), "def quadruple(x):\n    return scale(x)")
    page = room.made()
    assert not re.search("ada|lovelace|augusta", page.text.lower())
    assert f"{NOBODY}_sum = x.sum()" in page.text
    assert "return scale(x)" in page.text


def test_the_same_answers_are_alike_whatever_their_names_and_layout():
    one = "#| export\ndef mean(x, dim):\n    '''The mean.'''\n    total = x.sum(dim)  # all\n    return total / n"
    other = "def mean(values, axis):\n\n    s = values.sum( axis )\n    return s / n"
    assert alike(one) == alike(other)
    assert alike(one) != alike(other.replace("/ n", "* n"))
    assert alike(one) != alike(other.replace("return s", "return values"))
    assert shown(one, Names.of([], "")) == "def mean(x, dim):\n    total = x.sum(dim)\n    return total / n"


@pytest.mark.parametrize("source", ["def f(:", "(" * 5000, "x" + ".y" * 20000, "", "\0"])
def test_what_is_no_python_is_shown_and_compared_too(source):
    assert isinstance(alike(source), str)
    assert isinstance(shown(source, Names.of(["ada"], "")), str)


def test_over_the_term_a_mistake_is_listed_with_its_stubs(room):
    room.name_mistakes(("got: [2, 4]", "Doubles once.", None))
    recognition._parsed.cache_clear()
    room.record("ada", failing("got: [2, 4]"))
    room.record("bob", failing("got: [2, 4]"))
    report.report(room.course, room.course.with_solutions())
    page = Page((room.root / "autograder" / "reports" / "term.html").read_text(encoding="utf-8"))
    assert "Doubles once. quadruple (02), 2 of 2 2" in page.words
    links = {attributes["href"] for tag, attributes in page.elements if tag == "a"}
    assert links == {f"{NAME}.html", f"{NAME}.html#stub-quadruple", f"{NAME}.html#stub-scale"}


def test_before_anything_is_graded_a_line_says_so(room):
    with pytest.raises(CourseError, match=r"nothing of 02_activations is graded: `make grade 2` first"):
        report.report(room.course, [room.module])
    with pytest.raises(CourseError, match=r"nothing has been graded yet"):
        report.report(room.course, room.course.with_solutions())


@pytest.mark.slow
@pytest.mark.skipif(not SANDBOXED, reason="bubblewrap is not installed, or not allowed here")
def test_planted_mistakes_are_recognised_in_what_was_graded(tmp_path, course_to_grade):
    room = Classroom(tmp_path, course_to_grade)
    lesson = lessons.read(room.module)
    assert mutants.run(room.course, [room.module]) == 0
    for stub in lesson.stubs:
        for number, mistake in enumerate(stub.mistakes):
            room.submit(
                f"{stub.name}-{number}", room.change(**{stub.name: mutants.mutated(stub, mistake).source})
            )
    room.submit("right", room.solution)
    room.submit(
        "both",
        room.change(**{stub.name: mutants.mutated(stub, stub.mistakes[0]).source for stub in lesson.stubs}),
    )
    fails = "raise RuntimeError('<b>at import</b>')"
    room.submit("broken", room.change(quadruple=f"#| export\n{fails}\ndef quadruple(x): return 1"))
    assert room.grade().returncode == 0
    report.report(room.course, [room.module])
    rows = table(room)
    wanted = {(stub.name, mistake.sentence) for stub in lesson.stubs for mistake in stub.mistakes}
    found = {(row["stub"], row["text"]): int(row["count"]) for row in rows if row["kind"] == "mistake"}
    assert set(found) == wanted
    assert {found[stub.name, stub.mistakes[0].sentence] for stub in lesson.stubs} == {2}
    (other,) = [row for row in rows if row["kind"] == "other failure"]
    assert other["text"] == "the cell does not run: RuntimeError: <b>at import</b>"
