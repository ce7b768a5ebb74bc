"""Sizes that keep a notebook an evening's reading, and its hints hints."""

import html
import re
from pathlib import Path

import nbformat
import pytest

from autograder import course as courses
from autograder import lesson as lessons

COURSE = courses.load(Path(__file__).parents[2])
WIDTH = 95  # characters in a cell of JupyterLab on a screen of 1280 pixels
CELL = 40  # lines of a cell that is given
WORDS, CODE = 6000, 800  # of prose, and lines of code that is not folded: what is read in an evening
ANSWER = r"(?s)<details><summary>Answer.*?</details>"  # folded, for after one's own
BETWEEN = 1200  # words between one stub and the next
RUN, SHARE = 5, 0.5  # of an answer's tokens, what its hints may show in runs of so many
TIMES = 2  # exported lines that are given, to those of stubs with their answers

# Cells that the text walks through, by what they begin to define.
WALKED_THROUGH = {"tensor": {"class Tensor:"}, "layers": {"class Module:"}}

every_module = pytest.mark.parametrize("module", COURSE.with_solutions(), ids=lambda module: module.slug)


def length(source):
    return sum(bool(line.strip()) for line in source.splitlines())


@every_module
def test_lines_fit_the_screen(module):
    cells = nbformat.read(module.notebook, as_version=4).cells
    lines = [line for cell in cells if cell.cell_type == "code" for line in cell.source.splitlines()]
    assert not [line for line in lines if len(line) > WIDTH]


@every_module
def test_a_lesson_is_short(module):
    words, code = [0], 0
    for cell in lessons.read_cells(module):
        if cell.kind == "stub":
            words.append(0)
        if cell.kind == "prose":
            words[-1] += len(re.sub(ANSWER, "", cell.source).split())
        elif cell.kind not in ("test", "answer"):  # folded in the notebook
            code += length(cell.source)
    assert sum(words) <= WORDS
    assert max(words[:-1]) <= BETWEEN
    assert code <= CODE


@every_module
def test_a_given_cell_is_short(module):
    for cell in lessons.read_cells(module):
        walked = any(line in WALKED_THROUGH.get(module.slug, ()) for line in cell.source.splitlines())
        if cell.kind in ("given", "export") and not walked:
            assert length(cell.source) <= CELL, f"{module.source.name}:{cell.line}"


@every_module
def test_stubs_are_not_lost_among_what_is_given(module):
    lines = {"export": 0, "stub": 0}
    for cell in lessons.read_cells(module):
        if cell.kind in lines:
            lines[cell.kind] += length(cell.source)
    assert lines["export"] <= TIMES * lines["stub"]


def tokens(source):
    return re.findall(r"\w+|[^\w\s]", source)


@every_module
def test_no_hint_is_the_answer(module):
    for stub in lessons.read(module).stubs:
        shown = set()
        for code in re.findall(r"(?s)<code>(.*?)</code>", "".join(stub.hints)):
            words = tokens(html.unescape(code))
            shown |= {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}
        answer = tokens("".join(re.findall(r"(?s)### BEGIN SOLUTION(.*?)### END", stub.cell.source)))
        starts = [at for at in range(len(answer)) if tuple(answer[at : at + RUN]) in shown]
        told = {at + step for at in starts for step in range(RUN)}
        assert len(told) < SHARE * len(answer), (
            f"{stub.name}: its hints have {len(told)} of {len(answer)} tokens"
        )
