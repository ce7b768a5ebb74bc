"""What is said where a test cannot run: on a person's machine in one line, in continuous integration by failing."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT

SKIPPED = """
import pytest

@pytest.mark.skipif(True, reason="bubblewrap is not installed")
@pytest.mark.parametrize("number", range(3))
def test_in_bubblewrap(number):
    pass

def test_in_a_browser():
    pytest.skip("chromium is not installed")

def test_alone():
    pass
"""


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "by workers"])
def test_what_was_skipped_and_why_is_one_line_at_the_end(tmp_path, workers):
    (tmp_path / "test_skipped.py").write_text(SKIPPED, encoding="utf-8")
    options = ("-q", "-p", "tests.skipped", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", *workers)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, tmp_path],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    wanted = "4 tests were skipped: 3: bubblewrap is not installed; 1: chromium is not installed"
    assert [line for line in done.stdout.splitlines() if "skipped:" in line] == [wanted]


def test_continuous_integration_fails_where_its_sandbox_cannot_be_installed(tmp_path):
    for name in ("sh", "tail", "dirname"):
        (tmp_path / name).symlink_to(shutil.which(name))
    for name, text in (("apt-get", "echo 'E: Unable to locate package'; exit 100"), ("make", "echo tested")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run([ROOT / ".ci" / "run"], env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    said = "bubblewrap is not here, and cannot be installed: E: Unable to locate package\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
