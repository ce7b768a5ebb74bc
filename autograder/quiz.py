"""`make quiz N`: three questions about the learner's own code; `make hunt N`: find the line that was changed.

What a change does to a call is found by running both (`trials.py`). What was asked is kept in build/quiz.json: nothing is asked
twice until all has been, but for what was answered wrongly, which comes first the next time.
"""

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from autograder import check, feedback, files, notebook, notebook_stubs
from autograder.course import CourseError, Module, load
from autograder.notebook_stubs import Stub
from autograder.questions import KINDS, Question, became, digest, indented, listing, said, symptoms

MEMORY = Path("build", "quiz.json")
QUESTIONS = 3
GUESSES, LINES = 3, 3  # in a hunt: of the learner, and that the change may be in
LETTERS = "abcd"


class NotDoneError(CourseError):
    """A module whose stubs do not all pass."""

    exit_code = 1


class EndOfInput(Exception):
    """No answer comes any more."""


def quiz(module: Module) -> None:
    """Ask three questions about the learner's code, those that were answered wrongly first."""
    stubs, notes, console = _done(module), Notes(module), Console(highlight=False)
    waiting = [Question(**note["question"]) for note in notes.asked.values() if note.get("question")]
    waiting = [each for each in waiting if each.stub in stubs and stubs[each.stub].digest == each.code]
    right = asked = 0
    try:
        for question in _three(module, stubs, notes, waiting):
            asked += 1
            _print(console, "")
            console.rule(f"{asked} of {QUESTIONS}: {question.stub}", align="left")
            _print(console, listing(stubs[question.stub].source))
            is_right = _ask(console, question)
            right += is_right
            notes.note("asked", question.key, stub=question.stub, right=is_right,
                       question=None if is_right else asdict(question))  # fmt: skip
    except EndOfInput:
        return _print(console, f"\nEnough for now: `make quiz {module.number}` goes on.")
    if not asked:
        return _print(console, _nothing(module))
    if notes.silent:
        _print(
            console,
            f"\nNo call of {', '.join(notes.silent)} can be shown in a few lines: nothing is asked about that.",
        )
    again = "" if right == asked else "; what was wrong comes again the next time"
    return _print(console, f"\n{right} of {asked} right{again}.")


def hunt(module: Module) -> None:
    """Change one place of the learner's code, show what a call gives, and let the learner find the line."""
    stubs, notes, console = _done(module), Notes(module), Console(highlight=False)
    hidden, before = None, list(notes.hunted)
    with closing(_trials(module, stubs, notes, "hunted")) as trials:
        for found in trials:
            changed = [
                (digest(found["stub"], change["old"], change["new"]), change) for change in found["changes"]
            ]
            lines = {change["line"] for change in found["changes"]}
            places = [(key, found, change) for key, change in changed if symptoms(found, change)]
            places = places if len(lines) >= LINES else []
            hidden = min(
                [*filter(None, [hidden]), *places], key=lambda place: _asked(before, place[0]), default=None
            )
            if hidden and hidden[0] not in before:
                break
    if hidden is None:
        return _print(console, _nothing(module))
    key, found, change = hidden
    notes.note("hunted", key, stub=found["stub"])
    try:
        return _hunt(console, stubs[found["stub"]], found, change)
    except EndOfInput:
        return _print(console, f"\nEnough for now: `make hunt {module.number}` hides another change.")


def _hunt(console: Console, stub: Stub, found: dict, change: dict) -> None:
    """Show symptoms until the line is named, or enough guesses have been made."""
    _print(console, listing(stub.source))
    _print(console, f"\nOne place of this is changed, in a copy of {found['stub']}. Which line?")
    last = stub.source.count("\n") + 1
    numbers = {"m", *map(str, range(1, last + 1))}
    shown, seen, guesses, answer = symptoms(found, change), [], 0, ""
    while guesses < GUESSES:
        if len(seen) < len(shown):
            seen.append(shown[len(seen)])
            program, now = seen[-1]
            gives = f"  gave  {program['outcome']['shown']}\n  gives {said(now, program['outcome'])}"
            _print(console, f"\n{indented(program['text'])}\n{gives}")
        elif answer == "m":
            _print(console, "no other call shows more")
        answer = _read(
            console, "line, or m for more: ", numbers.__contains__, f"a line's number, 1 to {last}, or m"
        )
        if answer == "m":
            continue
        if change["line"] <= int(answer) <= change["last"]:
            return _print(console, f"Right. {became(change)}")
        guesses += 1
        alike = [other for other in found["changes"] if other["line"] <= int(answer) <= other["last"]]
        alike = [
            other for other in alike if all((program, now) in symptoms(found, other) for program, now in seen)
        ]
        _print(
            console, "That line could do this too, but it is another one." if alike else f"Not line {answer}."
        )
    return _print(console, became(change))


def _nothing(module: Module) -> str:
    return f"of module {module.label} ({module.slug}) no call can be shown in a few lines: there is nothing to ask"


def _done(module: Module) -> dict[str, Stub]:
    """The stubs of a module that passes, its notebook as it was tested."""
    points, here = notebook_stubs.points_of(module), notebook_stubs.read(module)
    states = feedback.remembered(module.root).get(module.slug, {})
    found = {name: feedback.state(states.get(name), here.get(name)) or "not tested" for name in points}
    tests = f"`make test-module {module.number}`"
    if wrong := [f"{name} ({state})" for name, state in found.items() if state != "done"]:
        raise NotDoneError(f"questions come when module {module.label} passes {tests}: {', '.join(wrong)}")
    if not check.is_learners(module.package):
        raise NotDoneError(f"tinytorch/{module.slug}.py is not your own export: {tests} writes it")
    check.require_earlier(load(module.root), module)
    return here


class Notes:
    """What was asked of a module and hunted in it, in build/quiz.json."""

    def __init__(self, module: Module):
        self.path, self.slug = module.root / MEMORY, module.slug
        try:
            self.all = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            self.all = {}
        except ValueError:
            raise CourseError(f"{MEMORY} cannot be read: delete it") from None
        mine = self.all.setdefault(self.slug, {})
        self.asked, self.hunted, self.silent = (
            mine.setdefault(what, {}) for what in ("asked", "hunted", "silent")
        )

    def note(self, what: str, key: str, **fields) -> None:
        self.all[self.slug][what].pop(key, None)  # the latest stand last
        self.all[self.slug][what][key] = fields
        files.write(self.path, json.dumps(self.all, indent=1))

    def seldom(self, stubs: dict[str, Stub], what: str) -> list[str]:
        """The stubs, those first that were asked about least often; last those whose calls cannot be shown."""
        names = random.sample(list(stubs), len(stubs))
        times = [note["stub"] for note in self.all[self.slug][what].values()]
        return sorted(
            names, key=lambda name: (self.silent.get(name) == {"code": stubs[name].digest}, times.count(name))
        )


def _trials(module: Module, stubs: dict[str, Stub], notes: Notes, what: str) -> Iterator[dict]:
    """What changes of the stubs' code do to calls, stub by stub, while more is wanted."""
    if not hasattr(os, "fork"):
        raise CourseError(
            "each change is tried in a fork of a process, which Windows does not have: this runs in WSL"
        )
    code = {name: notebook.runnable(stubs[name].source)[0] for name in notes.seldom(stubs, what)}
    job = {"slug": module.slug, "tests": str(module.tests), "stubs": code, "seed": random.getrandbits(32),
           "megabytes": module.limits["megabytes"]}  # fmt: skip
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    path = os.pathsep.join([str(module.root), str(check.TOOLS)])
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "autograder.trials"], env=os.environ | one | {"PYTHONPATH": path},
        cwd=module.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, encoding="utf-8",
    ) as process:  # fmt: skip
        try:
            process.stdin.write(json.dumps(job))
            process.stdin.close()
            for line in process.stdout:
                found = json.loads(line)
                if "broken" in found:
                    raise CourseError(f"tinytorch/{module.slug}.py: {found['broken']}")
                if not found["programs"]:
                    notes.note("silent", found["stub"], code=stubs[found["stub"]].digest)
                yield found
        finally:
            process.kill()


def _three(
    module: Module, stubs: dict[str, Stub], notes: Notes, waiting: list[Question]
) -> Iterator[Question]:
    """Those that wait, then new ones, each about another stub if there are enough; in the end those of long ago."""
    yield from waiting[:QUESTIONS]
    left, before, kinds, pool = (
        QUESTIONS - len(waiting[:QUESTIONS]),
        list(notes.asked),
        random.sample(KINDS, 3),
        [],
    )
    with closing(_trials(module, stubs, notes, "asked")) as trials:
        for found in trials if left else ():
            made = [question for kind in kinds for question in kind(found, stubs[found["stub"]].digest)]
            pool += made
            if fresh := [question for question in made if question.key not in before]:
                yield fresh[0]
                pool.remove(fresh[0])
                left, kinds = left - 1, [*kinds[1:], kinds[0]]
            if not left:
                return
    waited = {question.key for question in waiting}
    pool = [question for question in pool if question.key not in waited]
    yield from sorted(pool, key=lambda question: _asked(before, question.key))[:left]


def _asked(before: list[str], key: str) -> int:
    """How late something was asked, 0 for never."""
    return before.index(key) + 1 if key in before else 0


def _ask(console: Console, question: Question) -> bool:
    """Ask, say what running it has shown, and return whether the answer was right."""
    _print(console, f"\n{question.asked}\n")
    options = random.sample(question.options, len(question.options))
    for letter, (text, *_) in zip(LETTERS, options):
        hanging = text.replace("\n", "\n     ")
        _print(console, f"  {letter}  {hanging}")
    known = LETTERS[: len(options)]
    right = "".join(letter for letter, (_, is_right, _) in zip(known, options) if is_right)
    most = len(options) if question.several else 1
    wanted = (
        f"the letters of one or several, {known[0]} to {known[-1]}"
        if question.several
        else f"one letter, {known[0]} to {known[-1]}"
    )
    answer = _read(console, f"\n{'letters' if question.several else 'letter'}: ",
                   lambda text: 0 < len(letters(text)) <= most and set(letters(text)) <= set(known), wanted)  # fmt: skip
    is_right = set(letters(answer)) == set(right)
    _print(console, "Right." if is_right else f"Not so: {', '.join(right)}.")
    for letter, (_, _, told) in zip(known, options):
        if told:
            _print(console, f"  {letter}  {told}")
    return is_right


def letters(text: str) -> str:
    return re.sub(r"[\s,]", "", text.lower())


def _read(console: Console, prompt: str, is_good: Callable[[str], bool], wanted: str) -> str:
    """Read a line that is an answer; q, or the end of the input, ends it all."""
    while True:
        console.print(prompt, end="", markup=False)
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            _print(console, line.rstrip("\n"))
        if not line or line.strip() == "q":
            raise EndOfInput
        if is_good(line.strip().lower()):
            return line.strip().lower()
        _print(console, f"{wanted}, or q to stop")


def _print(console: Console, text: str) -> None:
    console.print(text, markup=False, soft_wrap=True)
