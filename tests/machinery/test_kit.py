"""The instructor's pages: schedules, rubrics and struggles are those of the course, and the last two are not in the book."""

import math
from itertools import combinations, pairwise

import pytest

from autograder import lesson as lessons
from autograder.course import load
from docs import kit, pages
from tests.conftest import ROOT

COURSE = load(ROOT)


def squares(ends: tuple[int, ...]) -> float:
    """What a division of the modules at these places makes: the sum of the squares of its weeks' hours."""
    hours = [module.hours for module in COURSE.modules]
    return sum(sum(hours[start:end]) ** 2 for start, end in pairwise((0, *ends, len(hours))))


@pytest.mark.parametrize("count", [1, 4, 10, 14, len(COURSE.modules)])
def test_a_schedule_has_every_module_once_in_its_order_and_weeks_that_are_alike(count):
    found = kit.weeks(COURSE, count)
    assert [module for week in found for module in week] == list(COURSE.modules)
    assert len(found) == count
    assert all(found)
    hours = [sum(module.hours for module in week) for week in found]
    if math.comb(len(COURSE.modules) - 1, count - 1) < 2000:
        assert sum(hour**2 for hour in hours) == min(
            map(squares, combinations(range(1, len(COURSE.modules)), count - 1))
        )
    table = kit.schedule(COURSE, count).splitlines()
    assert f"| {sum(hours):g} |" in table[-1]
    assert len(table) == count + 3


def test_rubrics_have_every_answer_in_words():
    text = kit.rubrics(COURSE)
    for module in COURSE.modules:
        for cell in lessons.read(module).cells:
            if cell.kind == "answer":
                assert f"{module.title}: {cell.name}, {cell.points} points" in text
                assert cell.source in text
    assert "**Question.** \n" not in text


def test_struggles_have_every_named_mistake_and_no_code():
    text = kit.struggles(COURSE)
    for module in COURSE.modules:
        for stub in lessons.read(module).stubs:
            rows = [line for line in text.splitlines() if line.startswith(f"| `{stub.name}` |")]
            assert len(rows) >= len(stub.mistakes)
            for mistake in stub.mistakes:
                assert any(mistake.sentence.replace("|", "\\|") in row for row in rows)


def test_what_gives_answers_away_is_in_the_kit_alone():
    own = set(pages.KIT) - set(pages.PAGES)
    assert own == {"docs/kit.md", "docs/rubrics.md", "docs/struggles.md"}
    book = "\n".join(pages.documents(COURSE, pages.places(COURSE)).values())
    for part in (kit.rubrics(COURSE), kit.struggles(COURSE)):
        lines = {line for line in part.splitlines() if len(line) > 60}
        assert lines
        assert not lines & set(book.splitlines())
