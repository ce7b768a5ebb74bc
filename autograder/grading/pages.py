"""The graded notebook, as the instructor and the student open it: nothing of what a student wrote is alive in it."""

import re
from collections.abc import Mapping

from nbformat import v4

from autograder.grading.intake import Cell, clean
from autograder.grading.verify import Outcome, Verdict


def notebook(verdict: Verdict, released: Mapping):
    """The notebook with the student's cells as text, and each test's verdict as its output."""
    cells = [_cell(cell, verdict) for cell in verdict.cells]
    return v4.new_notebook(cells=cells, metadata=released["metadata"])


def _cell(cell: Cell, verdict: Verdict):
    metadata, name = dict(cell.metadata), cell.name[:64]
    source = clean(cell.source)
    if cell.type != "code":
        source = harmless(source) if cell.is_own or cell.is_written else source
        return v4.new_markdown_cell(source, id=name, metadata=metadata)
    outcome = verdict.stubs.get(cell.name.removeprefix("test-"))
    if not metadata.get("nbgrader", {}).get("grade") or outcome is None or outcome.state == "done":
        return v4.new_code_cell(source, id=name, metadata=metadata)
    return v4.new_code_cell(source, id=name, metadata=metadata, outputs=[failure(outcome)])


def failure(outcome: Outcome):
    """A verdict as the output of its test cell, by which nbgrader sees that there are no points."""
    state = "not started" if outcome.state == "not started" else "failing"
    lines = [line for line in (state, *outcome.said.splitlines()) if line.strip()]
    return v4.new_output("error", ename="Failed", evalue=state, traceback=lines)


def harmless(markdown: str) -> str:
    """What a student wrote, as the text it is: no markup of it, no formula and no link is read as such anywhere.

    Whatever could begin one is written as its number, and all of it is one line of HTML, so that none is read as Markdown.
    """
    text = re.sub(r"[^\w .,;()-]|_", lambda found: f"&#{ord(found[0])};", markdown.replace("\r\n", "\n"))
    return f'<pre style="white-space: pre-wrap">{text}</pre>'
