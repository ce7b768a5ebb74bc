"""A pytest plugin for learners' modules: what each test gave, as JSON in the file of `--outcomes`."""

import json
import signal
from contextlib import contextmanager
from pathlib import Path

import pytest

tests = []  # what each test gave, in their order
broken = []  # what was raised when the module was imported


def pytest_addoption(parser):
    parser.addoption("--outcomes", type=Path)
    parser.addoption("--seconds", type=int)  # for one test, and for the import of the module


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    with _limit(session.config.option.seconds):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    with _limit(item.config.option.seconds):
        return (yield)


def pytest_runtest_logreport(report):
    if report.when == "call" and report.passed:
        tests.append(
            {"test": report.location[2], "stub": dict(report.user_properties)["stub"], "failure": None}
        )


def pytest_runtest_setup(item):
    item.user_properties.append(("stub", item.get_closest_marker("stub").args[0]))


def pytest_exception_interact(node, call):
    if isinstance(node, pytest.Item):
        stub = dict(node.user_properties)["stub"]
        tests.append({"test": node.name, "stub": stub, "failure": _describe(node, call.excinfo)})
    else:
        broken.append(_describe(node, call.excinfo))


def pytest_sessionfinish(session):
    session.config.option.outcomes.write_text(json.dumps({"tests": tests, "broken": broken}))


def _describe(node, excinfo):
    """What was raised, by which statement of the test, and where in tinytorch it came from."""
    error = (
        excinfo.value.__cause__ if isinstance(excinfo.value, pytest.Collector.CollectError) else excinfo.value
    )
    entries = pytest.ExceptionInfo.from_exception(error).traceback
    asked = [entry.statement for entry in entries if entry.path == node.path]
    inside = [entry for entry in entries if Path(entry.path).parent.name == "tinytorch"]
    own = [entry for entry in inside if f"test_{Path(entry.path).stem}" == node.path.stem]
    return {
        "error": type(error).__name__,
        "message": str(error),
        "asked": str(asked[-1]).strip() if asked else "",
        "code": _place((own or inside)[-1]) if inside else None,
        "unwritten": _place(inside[-1]) if inside and _is_unwritten(entries[-1]) else None,
    }


def _place(entry):
    function = entry.frame.raw.f_code.co_qualname
    return {"module": Path(entry.path).stem, "function": function, "statement": str(entry.statement).strip()}


def _is_unwritten(entry):
    """Whether the entry is what a stub holds before it is written."""
    return str(entry.statement).strip() == "raise NotImplementedError"


@contextmanager
def _limit(seconds):
    """Stop what runs for too long, as an endless loop does."""

    def stop(*_):
        raise TimeoutError(f"still running after {seconds} seconds: is there a loop that never ends?")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
