"""`make quiz` and `make hunt`: their keys are run once more here, in another way."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from types import ModuleType

import pytest

from autograder import changes, export, feedback, notebook_stubs, questions, quiz, trials

ROUNDS = """
def double(x):
    \"\"\"Twice x, as many times as it takes to pass 10, but 0 for 0.

    >>> double(3)
    12
    \"\"\"
    if isinstance(x, list):
        return [double(each) for each in x]  # one by one
    if x == 0 or x < -100:
        return 0
    count = 1
    while abs(x) <= 10:
        x, count = x * 2, count + 1
    return x
"""
TESTS = """
@pytest.mark.stub("double", points=3)
def test_double_of_some():
    for x in (0, 1, 2, 3, 5, 7, -4, -101, [], [2, 3], [7, 0, -1]):
        double(x)
"""
MODULE = "modules/01_tensor/test_tensor.py"


@pytest.fixture
def passing(learner, write_stub):
    """Module 01 of a learner, passed, whose `double` has some lines; without solutions."""
    write_stub("1", "double", cell=f"#| export\n{ROUNDS.strip()}\n")
    write_stub("1", "triple")
    path = learner.root / MODULE
    before = path.read_text(encoding="utf-8").partition('@pytest.mark.stub("double"')[0]
    triple = (
        '@pytest.mark.stub("triple", points=2)\ndef test_triple():\n    assert triple([1, 2]) is not None\n'
    )
    path.write_text(f"{before}{TESTS.lstrip()}\n\n{triple}", encoding="utf-8")
    module = learner.course.find(1)
    reading = notebook_stubs.reading(module)
    export.put(module, reading)
    done = [feedback.Result(name, 2, "done") for name in ("double", "triple")]
    feedback.remember(module, done, notebook_stubs.stubs_of(reading))
    shutil.rmtree(learner.root / "solutions")
    return learner


def piped(course, verb, text):
    """Run a command with its answers in a pipe."""
    path = os.pathsep.join(
        [str(course.root), *filter(None, [os.environ.get("PYTHONPATH")]), str(quiz.check.TOOLS)]
    )
    command = [sys.executable, "-P", "-m", "autograder", verb, "1"]
    return subprocess.run(
        command, cwd=course.root, env=os.environ | {"PYTHONPATH": path}, input=text, capture_output=True, text=True, timeout=300
    )  # fmt: skip


def notes(course):
    return json.loads((course.root / quiz.MEMORY).read_text(encoding="utf-8"))["tensor"]


def tried(course):
    """What is found out about `double`, and its source."""
    module = course.course.find(1)
    stub = quiz._done(module)["double"]
    (found,) = quiz._trials(module, {"double": stub}, quiz.Notes(module), "asked")
    return found, stub


def given(source, program):
    """What a program gives, run on source that is executed whole."""
    namespace = vars(ModuleType("fresh"))
    exec(source, namespace)
    try:
        return repr(eval(program, namespace))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def test_a_change_is_of_one_place_and_keeps_the_layout():
    source = "class A:\n    def f(self, x, axis=0):  # é\n        '''Say 1.'''\n        y = (x  -  2) * axis  # two\n        y += 1\n        return g(y, axis=axis) if y is not None else max(x, y)\n"
    found = list(changes.changes(source))
    for change in found:
        before, after = source.split("\n"), change.source.split("\n")
        ast.parse(change.source)
        assert before[: change.line - 1] == after[: change.line - 1]
        rest = len(before) - change.last
        assert before[change.last :] == after[len(after) - rest :]
        assert change.function == "A.f"
    assert len({change.source for change in found}) == len(found)
    news = {change.new for change in found}
    assert {"y = (x  +  2) * axis", "y = (2 - x) * axis", "y = (x  -  3) * axis", "y = (x  -  1) * axis",
            "y = (x  -  2) / axis", "y -= 1", "y = 1", "y += 2", "pass",
            "return g(y) if y is not None else max(x, y)", "return g(y, axis=axis) if y is None else max(x, y)",
            "return g(y, axis=axis) if y is not None else min(x, y)",
            "return g(y, axis=axis) if y is not None else max(y, x)"} <= news  # fmt: skip
    assert "def f(self, x, axis=1):" not in news, "a default is no line of the answer"


def test_what_a_change_gives_is_so_when_the_changed_code_is_run_whole(passing):
    found, stub = tried(passing)
    programs = [program["text"] for program in found["programs"]]
    assert {"double(5)", "double(3)", "double([2, 3])"} & set(programs)
    every = {(c.line, c.old, c.new): c.source for c in changes.changes(stub.source)}
    compared = 0
    for change in found["changes"]:
        source = every[change["line"], change["old"], change["new"]]
        for program, outcome in zip(found["programs"], change["outcomes"]):
            assert given(stub.source, program["text"]) == program["outcome"]["shown"]
            if outcome["kind"] == "value":
                assert given(source, program["text"]) == outcome["shown"], (change, program)
                compared += 1
    assert compared > 50


def test_a_question_has_the_key_that_running_gives(passing):
    found, stub = tried(passing)
    every = {(c.line, c.new): c.source for c in changes.changes(stub.source)}

    def put(text):
        """The source with the change that a text names."""
        (match,) = [source for (line, new), source in every.items() if text.startswith(f"line {line} changed to: {new}")
                    and text.endswith(new)] or [None]  # fmt: skip
        return match

    seen = set()
    for kind in questions.KINDS:
        for question in kind(found, stub.digest):
            texts, right = (
                [option[0] for option in question.options],
                {o[0] for o in question.options if o[1]},
            )
            ending = [text for text, _, told in question.options if "does not end" not in told]
            assert 2 < len(set(texts)) == len(texts) <= 4
            assert 0 < len(right) < len(texts)
            assert question.several or len(right) == 1
            seen.add(kind)
            first = question.asked.partition("\n\n")[0]
            if kind is questions.after and (source := put(first)):
                assert {given(source, question.asked.rpartition("\n")[2].strip())} == right
            elif kind is questions.which_calls and (source := put(first)):
                assert {text for text in ending if given(source, text) == given(stub.source, text)} == right
            elif kind is questions.which_changes:
                program = first.rpartition("\n")[2].strip()
                for text in ending:
                    if source := put(text):
                        assert (given(source, program) != given(stub.source, program)) == (text in right)
    assert seen == set(questions.KINDS)


def test_a_change_that_never_ends_is_stopped(passing):
    endless = ROUNDS.replace("x * 2", "x * 1")
    code = f"""
from importlib import import_module
from autograder.trials import Trials
print(list(Trials(import_module('tinytorch.tensor'), {ROUNDS!r}, []).given({endless!r}, ["double(0)", "double(3)", "double(1)"])))
"""
    done = passing.python("-c", code)
    assert done.stdout == "[{'kind': 'value', 'shown': '0', 'full': '0'}, {'kind': 'ends'}]\n", done.stderr


def test_what_a_process_said_before_it_died_is_kept():
    def task():
        yield 1
        os._exit(3)

    assert list(trials.forked(task, 20)) == [1]


@pytest.mark.slow
def test_answers_come_from_a_pipe_and_wrong_ones_come_again_first(passing):
    done = piped(passing, "quiz", "x\na\n" * 3)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("q to stop") == 3, "a wrong letter is asked again"
    assert re.search(r"[0-3] of 3 right", done.stdout)
    asked = notes(passing)["asked"]
    assert len(asked) == 3
    wrong = [note["question"]["asked"] for note in asked.values() if not note["right"]]
    again = piped(passing, "quiz", "q\n")
    assert again.returncode == 0
    assert again.stdout.rstrip().endswith("Enough for now: `make quiz 1` goes on.")
    if wrong:
        assert wrong[0] in again.stdout


@pytest.mark.slow
def test_nothing_is_asked_twice_before_all_has_been(passing):
    module = passing.course.find(1)
    stubs, memory = quiz._done(module), quiz.Notes(module)
    asked = []
    for _ in range(3):
        for question in quiz._three(module, stubs, memory, []):
            asked.append(question.key)
            memory.note("asked", question.key, stub=question.stub, right=True, question=None)
    assert len(asked) == len(set(asked)) == 9
    other = questions.Question(
        "double", stubs["double"].digest, "Is it?", [["yes", True, ""], ["no", False, ""]], False
    )
    assert next(quiz._three(module, stubs, memory, [other])) is other


@pytest.mark.slow
def test_a_hunt_shows_a_symptom_and_hides_another_change_the_next_time(passing):
    first = piped(passing, "hunt", "m\nx\n1\n1\n1\n")
    assert (first.returncode, first.stderr) == (0, "")
    assert "a line's number" in first.stdout
    assert first.stdout.count("Not line 1.") == 3
    before, after = re.search(r"\n  gave  (.*)\n  gives (.*)\n", first.stdout).groups()
    assert before != after
    line = int(re.search(r"^lines? (\d+)(-\d+)? (changed|left)", first.stdout, re.MULTILINE)[1])
    assert re.search(rf"^ +{line}  ", first.stdout, re.MULTILINE), "the line is in the listing"
    second = piped(passing, "hunt", "")
    assert second.returncode == 0
    assert second.stdout.rstrip().endswith("Enough for now: `make hunt 1` hides another change.")
    assert len(notes(passing)["hunted"]) == 2


def test_a_hunt_knows_the_line(passing, monkeypatch, capsys):
    module = passing.course.find(1)
    found, stub = tried(passing)
    change = next(change for change in found["changes"] if questions.symptoms(found, change))
    monkeypatch.setattr(quiz, "_read", lambda *_: str(change["line"]))
    quiz._hunt(quiz.Console(), stub, found, change)
    assert "Right." in capsys.readouterr().out
    assert module.slug == "tensor"


def test_a_module_that_does_not_pass_is_refused_in_a_line(learner):
    for verb in ("quiz", "hunt"):
        done = piped(learner, verb, "")
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert "double (not tested), triple (not tested)" in done.stderr


def test_code_that_changed_since_it_was_tested_is_refused(passing):
    notebook = passing.course.find(1).notebook
    notebook.write_text(
        notebook.read_text(encoding="utf-8").replace("count = 1", "count = 2"), encoding="utf-8"
    )
    done = piped(passing, "quiz", "")
    assert (done.returncode, done.stdout) == (1, "")
    assert "double (changed)" in done.stderr


def test_make_takes_both(make):
    (make.scratch.root / "course.yaml").unlink()
    for verb in ("quiz", "hunt"):
        done = make(verb, "1")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("course.yaml: not found")
