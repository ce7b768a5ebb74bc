"""A pytest plugin for learners' modules: what each test gave, as JSON in the file of `--outcomes`."""

import ast
import json
import signal
from contextlib import contextmanager, suppress
from functools import cache
from linecache import getline
from pathlib import Path
from textwrap import dedent
from traceback import walk_tb

import pytest

BLANK = "raise NotImplementedError"  # what a stub holds before it is written
AGAIN = 1  # second after which a loop that swallows what stops it is stopped again

tests = []  # what each test gave, in their order
broken = []  # what was raised when the module was imported
stuck = set()  # stubs one of whose tests did not end


def pytest_addoption(parser):
    parser.addoption("--outcomes", type=Path)
    parser.addoption("--seconds", type=int)  # for one test, and for the import of the module
    parser.addoption("--without", type=str.split)  # stubs whose tests need not run


class Timeout(BaseException):
    """A test runs for too long. `except Exception` around an endless loop does not catch it."""


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    with _limit(session.config.option.seconds):
        return (yield)


def pytest_collection_modifyitems(config, items):
    items[:] = [item for item in items if _stub(item) not in config.option.without]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    try:
        with _limit(item.config.option.seconds):
            return (yield)
    except Timeout:
        stuck.add(_stub(item))
        raise


def pytest_runtest_logreport(report):
    if report.when != "call" or report.failed:
        return
    message = "what a test ran has skipped it, and only a test that passes counts"
    skipped = {
        "error": "Skipped",
        "message": message,
        "asked": "",
        "ran": "",
        "untrue": "",
        "places": [],
        "unwritten": False,
    }
    stub = dict(report.user_properties)["stub"]
    tests.append({"test": report.location[2], "stub": stub, "failure": skipped if report.skipped else None})


def pytest_runtest_setup(item):
    item.user_properties.append(("stub", _stub(item)))
    if _stub(item) in stuck:
        pytest.skip("a test of this stub did not end")


def pytest_exception_interact(node, call):
    if isinstance(node, pytest.Item):
        tests.append({"test": node.name, "stub": _stub(node), "failure": _describe(node, call.excinfo)})
    else:
        broken.append(_describe(node, call.excinfo))


def pytest_assertrepr_compare(op, left, right):
    """Say what came and what was wanted, in place of pytest's own comparison."""
    with suppress(Exception):  # a learner's __repr__ may raise anything
        return [*_shown("got", left), *_shown("wanted", right)] if op == "==" else None


def pytest_sessionfinish(session):
    session.config.option.outcomes.write_text(json.dumps({"tests": tests, "broken": broken}))


def _stub(item):
    return item.get_closest_marker("stub").args[0]


def _shown(label, value):
    """A value with its label: text of several lines as it reads, all else as Python writes it."""
    several = isinstance(value, str) and "\n" in value
    lines = (value if several else repr(value)).splitlines()
    return [f"{label}:", *lines] if several else [f"{label}: {lines[0]}", *lines[1:]]


def _describe(node, excinfo):
    """What was raised, what the test wanted and ran, and the way through tinytorch, the deepest place last."""
    error = excinfo.value
    if isinstance(error, pytest.Collector.CollectError):
        error = error.__cause__ or error
    way = [(Path(frame.f_code.co_filename), frame, line) for frame, line in walk_tb(error.__traceback__)]
    own = [(frame, _statements(path, line)) for path, frame, line in way if path == node.path]
    own = [(frame, statements) for frame, statements in own if statements]
    last = own[-1][1][-1] if own else None
    inside = [(path, frame.f_code.co_qualname, line) for path, frame, line in way if _is_ours(path)]
    places = [_place(*place) for place in dict.fromkeys(inside)]
    return {
        "error": type(error).__name__,
        "message": str(error),
        "asked": next(filter(None, (_message(frame, statements[-1]) for frame, statements in own)), ""),
        "ran": _ran(node.path, own[0][1]) if own else "",
        "untrue": ast.unparse(last.test) if isinstance(last, ast.Assert) else "",
        "places": places,
        "unwritten": _is_ours(way[-1][0]) and places[-1]["line"] == BLANK,
    }


def _is_ours(path):
    return path.parent.name == "tinytorch"


def _place(path, function, line):
    statements = _statements(path, line)
    return {
        "module": path.stem,
        "function": function,
        "line": getline(str(path), line).strip(),
        "statement": ast.unparse(statements[-1]) if statements else "",
    }


@cache
def _statements(path, line):
    """The statements around a line, outer ones first."""
    return [s for s in _all_statements(path) if s.lineno <= line <= s.end_lineno]


@cache
def _all_statements(path):
    return [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.stmt)]


def _ran(path, statements):
    """What a test ran: the innermost statement, with the `pytest.raises` that stands around it."""
    raises = (s for s in statements if isinstance(s, ast.With) and "pytest.raises" in ast.unparse(s.items[0]))
    statement = next(raises, statements[-1])
    if isinstance(statement, ast.Assert):
        return f"assert {ast.unparse(statement.test)}"
    lines = range(statement.lineno, statement.end_lineno + 1)
    return dedent("".join(getline(str(path), line) for line in lines)).strip()


def _message(frame, statement):
    """What a statement of a test says where it fails, unless saying it would run code."""
    calls = [part for part in ast.walk(statement) if isinstance(part, ast.Call)]
    words = {word.arg: word.value for call in calls for word in call.keywords}
    said = statement.msg if isinstance(statement, ast.Assert) else words.get("err_msg")
    if said is None or hasattr(statement, "body") or any(isinstance(n, ast.Call) for n in ast.walk(said)):
        return ""
    with suppress(Exception):  # a name that has no value yet
        return str(eval(compile(ast.Expression(said), "", "eval"), frame.f_globals, frame.f_locals))


@contextmanager
def _limit(seconds):
    """Stop what runs for too long, as an endless loop does; once one has been met, wait less for the next."""
    seconds = seconds / 4 if stuck else seconds

    def stop(*_):
        raise Timeout(f"still running after {seconds:g} seconds: is there a loop that never ends?")

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
