"""What in a notebook differs from its release, and how it is treated: a line each, for the learner."""

from collections.abc import Iterator
from dataclasses import dataclass

from autograder.notebook import TEST, Cell, Reading, Released, in_words, plain, runnable

WHOLE = 60  # characters of a line by which a cell is known


@dataclass(frozen=True)
class Remark:
    said: str
    is_tested: bool = False  # it changes what the tests run
    is_lost: bool = False  # a fresh notebook has it


def of(reading: Reading) -> list[Remark]:
    """Report where stubs were found, what is omitted or used, and which given and test cells are missing or changed."""
    own = [*_placed(reading), *_left_out(reading), *_taken(reading)]
    return [*own, *_given(reading)]


def _placed(reading: Reading) -> Iterator[Remark]:
    """Stubs that do not have exactly one cell of their own."""
    for name, cell in reading.stubs.items():
        if not cell.is_written:
            continue
        marked = {piece.lines[0][0]: piece for piece in reading.pieces if piece.name == name and piece.lines}
        here = [number for number in cell.numbers if number]
        retyped = [number for number in here if number in marked and marked[number].type != "code"]
        if len(here) > 1 or not marked.keys() & set(here):
            yield Remark(f"{name}: written in {in_words(here)}")
        if retyped:
            yield Remark(f"{name}: {in_words(retyped)} is not a code cell; its content is read as code", True)
        before = plain(next(other.source for other in reading.released if other.name == name))
        copies = [
            number for number, piece in marked.items() if number not in here and plain(piece.source) != before
        ]
        if copies:
            yield Remark(
                f"{name}: what {in_words(copies)} has of it does not count, {in_words(here)} does", True
            )


def _left_out(reading: Reading) -> Iterator[Remark]:
    """Lines that are Jupyter's alone."""
    for cell in reading.exported:
        for line in runnable(cell.source)[1]:
            number, place = cell.places[line - 1] if cell.places else (0, line)
            said = cell.source.split("\n")[line - 1].strip()
            if not TEST.match(said):
                yield Remark(f"{_named(cell, [number])}, line {place}: `{said}` is Jupyter's, and left out")


def _taken(reading: Reading) -> Iterator[Remark]:
    """What is exported from cells that are not exported."""
    for statement in reading.taken:
        names = ", ".join(sorted(statement.names))
        yield Remark(
            f"cell {statement.lines[0][0]}: {names} is exported too, though not marked: a stub uses it", True
        )


def _given(reading: Reading) -> Iterator[Remark]:
    """Tests and given cells that are gone or changed."""
    shown = []
    for cell in reading.released:
        pieces = [piece for piece in reading.pieces if piece.name == cell.name]
        if (
            cell.type != "code"
            or cell.is_stub
            or not cell.name
            or not (cell.is_exported or cell.is_test or cell.marks)
        ):
            continue
        said = _changed(cell, pieces)
        if said and cell.is_test:
            yield Remark(f"the test {said}: the released one is what counts", True, True)
        elif said and cell.is_exported:
            yield Remark(f"the given {said}: the released one is used, here and in grading", True, True)
        elif said:
            shown.append(said)
    if shown:
        yield Remark(f"not graded in any case: {'; '.join(shown)}")


def _changed(cell: Released, pieces: list) -> str:
    """How a given cell differs from its release, or nothing."""
    first = cell.first_line if len(cell.first_line) <= WHOLE else f"{cell.first_line[:WHOLE]} ..."
    if not pieces:
        return f"cell {cell.name} (`{first}`) is missing"
    source = "\n".join(piece.source for piece in pieces)
    if plain(source) == plain(cell.source) or cell.is_same(source):
        return ""
    numbers = list(dict.fromkeys(piece.lines[0][0] for piece in pieces if piece.lines))
    return f"{in_words(numbers)} ({cell.name}, `{first}`) {'are' if len(numbers) > 1 else 'is'} changed"


def _named(cell: Cell, numbers: list[int]) -> str:
    return in_words(numbers) + ("" if cell.is_own else f" ({cell.name})")
