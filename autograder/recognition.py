"""Planted mistakes are recognised by how they fail: `modules/NN_slug/mistakes.json`, which is encrypted.

A failure's fingerprint is the test, the error, what was asked and what came back, without what differs
between machines. One digest of it finds the mistake's entry, and another encrypts its sentence: a learner who
fails in this way can read it, and the file alone reveals nothing. `make mutants` writes the file.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from functools import cache

from autograder import files, reference
from autograder.course import Module
from autograder.lesson import Lesson
from autograder.testfile import test_file
from autograder.testrunner import Failure

TOLD = 3  # mistakes that fail alike are told together; of more than these, the first

# What differs between machines, processes, and the places where a module runs.
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
HOME = re.compile(r"\b(__main__|test_\w+|tinytorch(\.\w+)*)\.(?=[A-Za-z_])|(<locals>|\S*/)(?=\w)")
NUMBER = re.compile(r"(?<![\w.])-?(\d+\.\d*(e[+-]?\d+)?|\d+e[+-]?\d+)")
LENGTHY = ("Timeout", "RecursionError")  # whose messages depend on where they were met


def fingerprint(module: Module, stub: str, failure: Failure) -> str:
    """How a stub fails, in words that are the same on every machine."""
    came_back = "" if failure.error in LENGTHY else failure.came_back
    said = f"{failure.asked}\n{came_back}"
    said = NUMBER.sub(_rounded, HOME.sub("", ADDRESS.sub("", said)))
    where = [stub, failure.test] if failure.test else []  # what cannot be imported fails no stub of its own
    return "\n".join([module.slug, *where, failure.error, "".join(said.split())])


def _rounded(number: re.Match) -> str:
    """Three digits of a number; the factor keeps round numbers away from the points where rounding changes."""
    value = float(number[0])
    return f"{value * 1.00037:.2e}" if abs(value) > 1e-6 else "0"


def recognise(module: Module, stub: str, failure: Failure) -> tuple[str, int | None]:
    """The sentence of the mistake that fails like this, or "" for none, and the hint that helps."""
    print_ = fingerprint(module, stub, failure)
    return _opened(print_, _read(module).get("mistakes", {}).get(_digest("entry", print_)))


def entries(found: Iterable[tuple[str, str, int | None]]) -> dict[str, str]:
    """The entries for fingerprints with their sentences and hints."""
    together = {}
    for print_, sentence, hint in found:
        together.setdefault(print_, []).append((sentence, hint))
    made = {}
    for print_, alike in together.items():
        sentence = " Or: ".join(dict.fromkeys(sentence for sentence, _ in alike[:TOLD]))
        hint = next((hint for _, hint in alike[:TOLD] if hint), None)
        made[_digest("entry", print_)] = _sealed(print_, sentence, hint)
    return dict(sorted(made.items()))


def write(lesson: Lesson, made: dict[str, str]) -> None:
    text = json.dumps({"made from": made_from(lesson), "mistakes": made}, indent=1)
    files.write(lesson.module.fingerprints, f"{text}\n")


def is_current(lesson: Lesson) -> bool:
    """Whether the entries were made from the lesson's code, tests and mistakes as they are."""
    return _read(lesson.module).get("made from") == made_from(lesson)


def made_from(lesson: Lesson) -> str:
    """A digest of what decides how mistakes fail in the lesson: its code, its tests and its mistakes."""
    parts = [
        reference.assemble(lesson.module, lesson.cells, tidy=False).partition("__all__")[2],
        test_file(lesson),
    ]
    parts += [repr((stub.name, stub.mistakes)) for stub in lesson.stubs]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _read(module: Module) -> dict:
    try:
        return _parsed(module.fingerprints.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # then no mistake is recognised


_parsed = cache(json.loads)


def _digest(purpose: str, print_: str) -> str:
    return hashlib.sha256(f"{purpose}\0{print_}".encode()).hexdigest()[:16]


def _sealed(print_: str, sentence: str, hint: int | None) -> str:
    return base64.b64encode(_xor(json.dumps([sentence, hint]).encode(), print_)).decode()


def _opened(print_: str, sealed: str | None) -> tuple[str, int | None]:
    return tuple(json.loads(_xor(base64.b64decode(sealed), print_))) if sealed else ("", None)


def _xor(text: bytes, print_: str) -> bytes:
    """A text enciphered with a fingerprint for its key, or one so enciphered deciphered."""
    key = hashlib.shake_256(f"sentence\0{print_}".encode()).digest(len(text))
    return bytes(one ^ other for one, other in zip(text, key))
