"""What people see in a browser: the formgrader, used in Debian's chromium on a graded course with nothing set by hand."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

from tests.classroom import NAME, ROOT, Classroom
from tests.machinery.conftest import installed
from tests.machinery.test_grade import answered

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None or not find_spec("playwright"), reason="chromium or playwright is not installed"
    ),
]

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PYTHON = [sys.executable, "-P", "-m", "autograder"]
ALIVE = """My note <script>document.title = "taken"</script> <img src=x onerror="document.title = 'taken'">"""
FIRST_ANSWER = "return tuple(int(np.prod([max(n, 1) for n in shape[d + 1 :]])) for d in range(len(shape)))"
COMMENT = "Say when it is lost."


def typed_in(root):
    """The environment of a command that is typed in the course at `root`."""
    above = {"MAKELEVEL", "MAKEFLAGS", "MFLAGS"}  # of the make that runs these tests, if one does
    return {key: value for key, value in os.environ.items() if key not in above} | {"PYTHONPATH": str(root)}


@contextmanager
def served(root, *command):
    """The address that a command prints, served in the course at `root` until the end."""
    environment = typed_in(root) | {"BROWSER": "true"}  # which opens no window
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, cwd=root, env=environment, **pipes) as server:
        try:
            yield server.stdout.readline().split()[0]
        finally:
            server.terminate()


def typed(root, *command):
    """What came of a command in the course at `root`."""
    return subprocess.run(command, cwd=root, env=typed_in(root), capture_output=True, text=True)


@contextmanager
def opened(address):
    """A page of a fresh browser at the address, and what it was answered."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            page = browser.new_page()
            page.set_default_timeout(120_000)  # on a machine that is busy
            yield page, page.goto(address)
        finally:
            browser.close()


@pytest.fixture(scope="module")
def graded(tmp_path_factory, course_in_words):
    """A course with its own tools, in which one submission is graded; its answer in words is not yet marked."""
    room = Classroom(tmp_path_factory.mktemp("browser"), course_in_words)
    ignored = shutil.ignore_patterns(
        "__pycache__", "submitted", "autograded", "feedback", "graded", "gradebook.db*"
    )
    shutil.copytree(ROOT / "autograder", room.root / "autograder", ignore=ignored, dirs_exist_ok=True)
    notebook = answered(room.solution, f"Nothing. {ALIVE}")
    notebook["cells"].insert(2, {"cell_type": "markdown", "id": "mine", "metadata": {}, "source": ALIVE})
    room.submit("ada", json.dumps(notebook))
    done = room.grade()
    assert done.returncode == 0, f"grading ended with {done.returncode}: {done.stdout}{done.stderr}"
    return room.root


def test_a_mark_and_a_comment_saved_in_the_formgrader_are_in_the_feedback(graded):
    mark_in_the_formgrader(graded)
    done = typed(graded, *PYTHON, "feedback", "2")
    assert done.returncode == 0, f"feedback ended with {done.returncode}: {done.stdout}{done.stderr}"
    page = (graded / f"autograder/feedback/ada/{NAME}/activations.html").read_text(encoding="utf-8")
    assert COMMENT in page, "the comment is in the student's page"
    assert "(Score: 2.0 / 3.0)" in page, "the mark is in the student's page"


def mark_in_the_formgrader(root):
    """Open the formgrader by its printed address, look for the release and the submission, mark and comment."""
    with served(root, *PYTHON, "formgrader") as address, opened(address) as (page, first):
        assert first.status == 200, f"the first page is served with 200; not {first.status}"
        page.get_by_role("link", name=NAME).first.wait_for()
        page.goto(f"{address.partition('/formgrader')[0]}/formgrader/gradebook/{NAME}/activations")
        page.locator("table a[href*='/submissions/']").first.click()
        page.locator("#what-is-lost-comment").wait_for()
        page.wait_for_load_state("networkidle")  # nbgrader listens once it has asked for the marks
        assert page.title() == "activations", f"no script of the student's has set the title {page.title()!r}"
        assert page.locator("img[src=x], #notebook script").count() == 0, "what the student wrote is text"
        for place, text, kind in (
            ("#what-is-lost", "2", "grade"),
            ("#what-is-lost-comment", COMMENT, "comment"),
        ):
            with page.expect_response(lambda reply, kind=kind: f"/api/{kind}/" in reply.url) as saved:
                page.locator(place).fill(text)
                page.keyboard.press("Tab")
            assert saved.value.status == 200, f"the {kind} is saved with 200; not {saved.value.status}"


def test_a_learner_sees_below_the_tests_what_passes_and_what_fails_and_nothing_of_nbgraders(
    learner, write_stub
):
    ignored = shutil.ignore_patterns("__pycache__", "submitted", "autograded", "feedback", "graded")
    shutil.copytree(ROOT / "autograder", learner.root / "autograder", ignore=ignored)
    for command in (("mutants", "2"), ("catch-up", "2")):  # by mutants mistakes are recognised
        assert learner.tool(*command).returncode == 0
    write_stub("2", "scale")
    write_stub("2", "quadruple", body="return double(x)")
    with served(learner.root, *PYTHON, "start", "2") as address, opened(address) as (page, _):
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        page.get_by_text("| Idle").wait_for()  # before its kernel is there, "Run All" does nothing
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_text("Run All Cells", exact=True).click()
        page.get_by_text("open hint 1 of 1").wait_for()
        passed, failed = page.locator(".jp-OutputArea-output").all_inner_texts()
        assert passed.strip() == "scale: done, 4 of 4 points", f"a test that passes says so; not {passed!r}"
        assert "asked      four times each number" in failed, f"a test that fails says why; not {failed!r}"
        assert "perhaps    Double." in failed, f"a planted mistake is told by its sentence; not {failed!r}"
        assert page.locator(".jp-Dialog").count() == 0, "nothing pops up"
        is_the_learners(page, address, learner.root)


def is_the_learners(page, address, root):
    """Check that JupyterLab has no menu or page of nbgrader's, and remembers in the course what is open."""
    menus = page.locator(".lm-MenuBar-itemLabel").all_inner_texts()
    assert "Run" in menus, f"the menus are JupyterLab's; they are {menus}"
    assert "Nbgrader" not in menus, "the menu of those who make assignments is not a learner's"
    for text in ("Validate", "Create Assignment"):
        assert page.get_by_text(text, exact=True).count() == 0, f"{text} is not offered"
    address = address.partition("/lab/")[0]
    assert page.request.get(f"{address}/formgrader").status == 404, "nor is the formgrader served"
    for _ in range(60):  # JupyterLab saves what is open now and then
        if found := list((root / "build" / "workspaces").glob("*")):
            break
        page.wait_for_timeout(1000)
    assert found, "what is open is remembered in the course"


@pytest.mark.parametrize("program", [["make"], PYTHON], ids=["make", "without make"])
def test_the_first_ten_minutes(given, tmp_path, program):
    """From a clone, by one command to the open notebook; its first stub is written, its tests pass, and the next command says so."""
    root = tmp_path / "a clone"
    subprocess.run(["git", "clone", "--quiet", given.root, root], check=True)
    installed(root)
    with served(root, *program, "start", "1") as address, opened(address) as (page, _):
        page.get_by_role("tab", name="tensor.ipynb").wait_for()
        page.get_by_text("| Idle").wait_for()
        stub = page.locator(".jp-CodeCell", has_text="def contiguous_strides(shape):")
        write_in(page, stub, FIRST_ANSWER)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_text("Run All Above Selected Cell", exact=True).click()
        for _ in ("the stub", "its tests"):
            page.keyboard.press("Shift+Enter")
        page.get_by_text("contiguous-strides: done, 4 of 4 points").wait_for()
        with page.expect_response(lambda reply: reply.request.method == "PUT" and "/contents/" in reply.url):
            page.keyboard.press("Control+s")
        is_the_learners(page, address, root)
    done = typed(root, *program, "test-module", "1")
    assert (done.returncode, done.stderr) == (1, ""), "a stub is done, and others are not"
    assert "1 of 15 done" in done.stdout, done.stdout


def write_in(page, stub, answer):
    """Scroll to a stub, and type its answer where it says `raise NotImplementedError`."""
    page.locator(".jp-Notebook").hover()
    while not stub.locator(".cm-line").count():  # only what is near the screen is drawn
        page.mouse.wheel(0, 400)
        page.wait_for_timeout(50)
    stub.locator(".cm-line", has_text="raise NotImplementedError").click()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.type(answer)
