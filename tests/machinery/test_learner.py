"""The way through the course: catch up, begin afresh, see how far one has come, open the notebook."""

import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime
from pathlib import Path

import pytest

NOTEBOOK = "modules/01_tensor/tensor.ipynb"
ROOT = Path(__file__).parents[2]


def tree(root):
    """Every file that is a learner's: notebooks and exports, with their content."""
    files = [*root.glob("modules/*/*.ipynb"), *root.glob("tinytorch/*.py")]
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def test_catch_up_takes_the_reference_for_the_modules_before(learner):
    before = tree(learner.root)
    done = learner.tool("catch-up", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "tinytorch/tensor.py: the reference\ntinytorch/activations.py: the reference\n"
    after = tree(learner.root)
    assert set(after) - set(before) == {"tinytorch/tensor.py", "tinytorch/activations.py"}
    assert all(after[path] == before[path] for path in before)
    assert (
        learner.python("-c", "import tinytorch.activations as a; assert a.quadruple(2) == 8").returncode == 0
    )


def test_catch_up_keeps_the_learners_own_export_though_it_differs(learner):
    learner.tool("export", "1")
    before = tree(learner.root)
    done = learner.tool("catch-up", "3")
    assert done.returncode == 0
    assert "tinytorch/tensor.py: yours, kept (delete it to take the reference)" in done.stdout
    assert tree(learner.root)["tinytorch/tensor.py"] == before["tinytorch/tensor.py"]
    (learner.root / "tinytorch/tensor.py").unlink()
    assert "tinytorch/tensor.py: the reference" in learner.tool("catch-up", "3").stdout


def test_catch_up_keeps_a_module_written_by_hand(learner):
    learner.write("tinytorch/tensor.py", "double = 3\n")
    learner.tool("catch-up", "2")
    assert (learner.root / "tinytorch/tensor.py").read_text() == "double = 3\n"


def test_catch_up_follows_a_solution_that_changed(learner):
    learner.tool("catch-up", "2")
    learner.edit(
        "solutions/01_tensor/tensor.py", "return np.asarray(x) + np.asarray(x)", "return 2 * np.asarray(x)"
    )
    learner.tool("catch-up", "2")
    assert "return 2 * np.asarray(x)" in (learner.root / "tinytorch/tensor.py").read_text()


@pytest.mark.parametrize("verb", ["catch-up", "test-module"])
def test_what_was_changed_by_hand_in_an_export_is_kept(learner, verb):
    learner.tool("catch-up", "2")
    package = learner.root / "tinytorch/tensor.py"
    written = package.read_text()
    learner.write("tinytorch/tensor.py", f"{written}mine = 1\n")
    done = learner.tool(verb, "2" if verb == "catch-up" else "1")
    (copy,) = package.parent.glob("tensor.*-*.py")
    assert copy.read_text() == f"{written}mine = 1\n"
    assert f"kept tinytorch/{copy.name}: what you had changed in tensor.py\n" in done.stdout
    assert "mine" not in package.read_text()
    assert "what you had changed" not in learner.tool("catch-up", "2").stdout


def test_catch_up_with_the_first_module_has_nothing_to_do(learner):
    done = learner.tool("catch-up", "1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "nothing comes before module 01\n", "")


def test_without_solutions_catch_up_is_one_line(learner):
    (learner.root / "solutions").rename(learner.root / "elsewhere")
    learner.tool("export", "1")
    done = learner.tool("catch-up", "3")
    assert done.returncode == 2
    assert (
        done.stderr
        == "solutions/ holds no reference for 02 (activations): `make test-module 2` exports your own\n"
    )


def test_a_caught_up_module_can_be_tested_and_built_on(learner):
    learner.tool("catch-up", "2")
    assert learner.tool("test-module", "2").returncode == 1


def test_reset_gives_a_fresh_notebook_and_keeps_the_old_one(learner, write_stub):
    fresh = (learner.root / NOTEBOOK).read_bytes()
    write_stub("1", "double")
    mine = (learner.root / NOTEBOOK).read_bytes()
    done = learner.tool("reset", "1")
    assert done.returncode == 0
    assert (learner.root / NOTEBOOK).read_bytes() == fresh
    (kept,) = set((learner.root / "modules/01_tensor").glob("*.ipynb")) - {learner.root / NOTEBOOK}
    assert kept.read_bytes() == mine
    assert abs(datetime.strptime(kept.name, "tensor.%Y-%m-%d-%H%M%S.ipynb") - datetime.now()).seconds < 60
    assert f"{kept.relative_to(learner.root)}: your notebook until now" in done.stdout


def test_reset_of_a_fresh_notebook_changes_nothing(learner):
    done = learner.tool("reset", "1")
    assert (done.returncode, done.stdout) == (0, f"{NOTEBOOK} is fresh as it is\n")
    assert len(list((learner.root / "modules/01_tensor").glob("*.ipynb"))) == 1


@pytest.mark.parametrize("text", [None, "{"])
def test_reset_replaces_a_notebook_that_is_gone_or_broken(learner, text):
    fresh = (learner.root / NOTEBOOK).read_bytes()
    (learner.root / NOTEBOOK).unlink()
    if text:
        learner.write(NOTEBOOK, text)
    assert learner.tool("reset", "1").returncode == 0
    assert (learner.root / NOTEBOOK).read_bytes() == fresh


def test_without_solutions_reset_takes_what_git_has(learner):
    (learner.root / "solutions").rename(learner.root / "elsewhere")
    fresh = (learner.root / NOTEBOOK).read_bytes()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "modules"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *command], cwd=learner.root, check=True)
    learner.write(NOTEBOOK, "mine")
    assert learner.tool("reset", "1").returncode == 0
    assert (learner.root / NOTEBOOK).read_bytes() == fresh


def test_reset_passes_over_a_commit_of_the_learners_own(learner, solve):
    fresh = (learner.root / NOTEBOOK).read_bytes()
    learner.tool("test-module", "2")
    solve("1")
    (learner.root / "solutions").rename(learner.root / "elsewhere")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "modules"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *command], cwd=learner.root, check=True)
    assert learner.tool("reset", "1").returncode == 0
    assert (learner.root / NOTEBOOK).read_bytes() == fresh


@pytest.mark.parametrize("seen", ["1", "3"])
def test_without_solutions_and_git_reset_takes_what_was_first_seen(learner, write_stub, seen):
    fresh = (learner.root / NOTEBOOK).read_bytes()
    learner.tool("test-module", seen)
    write_stub("1", "double")
    learner.tool("test-module", "1")
    (learner.root / "solutions").rename(learner.root / "elsewhere")
    assert learner.tool("reset", "1").returncode == 0
    assert (learner.root / NOTEBOOK).read_bytes() == fresh


def test_a_new_release_with_other_stubs_takes_the_place_of_what_was_first_seen(learner):
    learner.tool("test-module", "1")
    for place in (NOTEBOOK, "modules/01_tensor/test_tensor.py"):
        path = learner.root / place
        path.write_text(path.read_text().replace('"triple"', '"thrice"'))
    learner.tool("test-module", "1")
    assert (learner.root / "build/released/tensor.ipynb").read_text() == (learner.root / NOTEBOOK).read_text()


def test_without_any_release_reset_is_one_line_and_keeps_the_notebook(learner):
    (learner.root / "solutions").rename(learner.root / "elsewhere")
    learner.write(NOTEBOOK, "mine")
    done = learner.tool("reset", "1")
    assert done.returncode == 2
    assert done.stderr == (
        f"{NOTEBOOK} as it was released is neither in solutions/ nor in git nor in build/released: "
        "ask your instructor for it (yours stays as it is)\n"
    )
    assert (learner.root / NOTEBOOK).read_text() == "mine"
    assert learner.python("-m", "autograder", "reset", "1", PATH="").stderr == done.stderr


def rows(done):
    return {
        line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if re.match(r"  \d\d ", line)
    }


def test_progress_shows_twenty_modules_the_points_and_what_is_next(learner, solve, write_stub):
    solve("1")
    learner.tool("test-module", "1")
    write_stub("2", "scale")
    learner.tool("test-module", "2")
    done = learner.tool("progress")
    assert (done.returncode, done.stderr) == (0, "")
    shown = rows(done)
    assert list(shown) == [f"{number:02}" for number in range(1, 21)]
    assert shown["01"][-4:] == ["5", "of", "5", "yours"]
    assert shown["02"][-4:] == ["4", "of", "5", "yours"]
    assert shown["03"][-3:] == ["0", "of", "8"]
    assert shown["04"] == ["Losses"]
    assert re.search(r"^ +9 of 18 *$", done.stdout, re.MULTILINE)
    assert done.stdout.rstrip().endswith("Next: 02 Activations, `make start 2`.")


def test_progress_shows_deadlines_where_there_are_any_and_the_time_zone_once(learner):
    assert "deadline" not in learner.tool("progress").stdout
    text = (learner.root / "course.yaml").read_text(encoding="utf-8")
    dates = iter(["2020-05-01", "2999-12-30"])
    text = re.sub("deadline: null", lambda _: f"deadline: {next(dates, 'null')}", text)
    learner.write("course.yaml", text.replace("time_zone: UTC", "time_zone: Asia/Tokyo"))
    learner.tool("catch-up", "3")
    done = learner.tool("progress")
    shown = rows(done)
    assert (shown["01"][-1], shown["02"][-1], shown["03"][-1]) == ("2020-05-01", "2999-12-30", "8")
    assert done.stdout.count("Asia/Tokyo") == 1
    assert "Next: 03 Layers, `make start 3`." in done.stdout
    (learner.root / "tinytorch/activations.py").unlink()
    assert re.search(
        r"Next: 02 Activations, \d+ days left, `make start 2`\.", learner.tool("progress").stdout
    )
    (learner.root / "tinytorch/tensor.py").unlink()
    assert "Next: 01 Tensors, its deadline is over, `make start 1`." in learner.tool("progress").stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_progress_names_what_changed_since_its_test_and_milestones_with_what_they_wait_for(
    learner, solve, write_stub
):
    for name, text in {
        "first": "from tinytorch import zeros",
        "second": "import tinytorch as t\nt.nn.Linear(1, 1)",
    }.items():
        learner.write(f"milestones/{name}.py", f"{text}\n")
    assert "Next milestone: first, with module 01." in learner.tool("progress").stdout
    solve("1")
    assert (
        "All done. It unlocks `make milestone first`. Next: `make start 2`."
        in learner.tool("test-module", "1").stdout
    )
    write_stub("1", "double", cell="#| export\ndef double(x):\n    return 2 * np.asarray(x)")
    said = learner.tool("progress").stdout
    assert "01: double changed since the last test, `make test-module 1`\n" in said
    assert (
        "Milestones that run now: first (`make milestone first`). Next milestone: second, with module 03."
        in said
    )


def test_a_stub_that_is_next_is_named_with_its_deadline(learner):
    text = (learner.root / "course.yaml").read_text(encoding="utf-8")
    learner.write("course.yaml", text.replace("deadline: null", "deadline: 2999-12-30", 1))
    assert re.search(
        r"Next: write double, in \S+\.ipynb, \d+ days left\.", learner.tool("test-module", "1").stdout
    )


def test_progress_passes_over_what_was_caught_up(learner):
    learner.tool("catch-up", "3")
    done = learner.tool("progress")
    assert rows(done)["01"][-5:] == ["0", "of", "5", "the", "reference"]
    assert done.stdout.rstrip().endswith("Next: 03 Layers, `make start 3`.")


def test_progress_when_all_is_done(learner, solve):
    for key in ("1", "2", "3"):
        solve(key)
        learner.tool("test-module", key)
    assert learner.tool("progress").stdout.rstrip().endswith("Every module that has been released is done.")


def test_progress_follows_the_notebook_not_what_it_was_when_it_was_tested(learner, solve, write_stub):
    solve("1")
    learner.tool("test-module", "1")
    mine = (learner.root / NOTEBOOK).read_bytes()
    write_stub("1", "triple", cell="#| export\n# other words\ndef triple(x):\n    return 3*np.asarray(x)")
    assert rows(learner.tool("progress"))["01"][-4:] == ["3", "of", "5", "yours"]
    learner.tool("reset", "1")
    assert rows(learner.tool("progress"))["01"][-4:] == ["0", "of", "5", "yours"]
    (learner.root / NOTEBOOK).write_bytes(mine)
    assert rows(learner.tool("progress"))["01"][-4:] == ["5", "of", "5", "yours"]
    (learner.root / NOTEBOOK).unlink()
    assert rows(learner.tool("progress"))["01"][-4:] == ["0", "of", "5", "yours"]


@pytest.mark.parametrize("content", ["\ufeff{", b"caf\xe9", '{"cells": []}'.encode("utf-16")])
def test_reset_replaces_a_notebook_in_any_encoding(learner, content):
    fresh = (learner.root / NOTEBOOK).read_bytes()
    (learner.root / NOTEBOOK).write_bytes(content if isinstance(content, bytes) else content.encode())
    done = learner.tool("reset", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert (learner.root / NOTEBOOK).read_bytes() == fresh


def test_points_of_a_stub_that_the_lesson_no_longer_has_do_not_count(learner, solve):
    solve("1")
    learner.tool("test-module", "1")
    notes = (learner.root / "build/progress.json").read_text()
    learner.write("build/progress.json", notes.replace('"triple"', '"triplet"'))
    assert rows(learner.tool("progress"))["01"][-4:] == ["3", "of", "5", "yours"]


def fetched(address):
    """The status of a page, of a server that may not have begun to listen."""
    for _ in range(60):
        try:
            with urllib.request.urlopen(address, timeout=60) as reply:
                return reply.status
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError):
                raise
            time.sleep(0.5)
    return None


def test_start_serves_the_notebook_and_the_folder_beside_it_and_prints_its_address(learner):
    command = [sys.executable, "-P", "-m", "autograder", "start", "1"]
    environment = os.environ | {"PYTHONPATH": f"{learner.root}:{ROOT}", "BROWSER": "true"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, cwd=learner.root, env=environment, **pipes) as server:
        line = server.stdout.readline()
        address = re.fullmatch(r"(http://\S+?)/lab/tree/(\S+)\?(token=\w+) \(Ctrl-C twice ends it\)\n", line)
        try:
            assert address, f"one line with the address; not {line!r}"
            host, place, token = address.groups()
            assert place == NOTEBOOK
            for path in (f"lab/tree/{NOTEBOOK}", f"api/contents/{NOTEBOOK}", "api/contents/tinytorch"):
                assert fetched(f"{host}/{path}?{token}") == 200
        finally:
            server.terminate()
        assert server.stdout.read() == ""
    assert (learner.root / "build/released/tensor.ipynb").read_bytes() == (
        learner.root / NOTEBOOK
    ).read_bytes()


def test_start_without_a_notebook_is_one_line(learner):
    (learner.root / NOTEBOOK).unlink()
    done = learner.tool("start", "1")
    assert (done.returncode, done.stderr) == (2, f"{NOTEBOOK}: no such notebook, `make reset 1` makes it\n")


@pytest.mark.parametrize(
    ("verb", "keys"),
    [
        (verb, keys)
        for verb in ("start", "submit", "catch-up", "reset", "grade")
        for keys in (["42"], ["foo"], [], ["1", "2"])
    ]
    + [("test-module", keys) for keys in (["42"], ["foo"], [])],
)
def test_each_command_lists_the_modules_when_it_gets_none(scratch, verb, keys):
    done = scratch.tool(verb, *keys)
    assert done.returncode == 2
    assert "1 tensor, 2 activations" in done.stderr
    assert done.stderr.count("\n") == 1
