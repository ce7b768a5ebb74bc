"""The graded notebook, as the instructor and the student open it: nothing of what a student wrote is alive in it."""

import re
from collections.abc import Mapping

import bleach
from nbconvert.filters.markdown_mistune import markdown2html_mistune
from nbformat import v4

from autograder.grading.intake import Cell
from autograder.grading.verify import Verdict

TAGS = {
    "a", "b", "blockquote", "br", "code", "del", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "li", "ol", "p",
    "pre", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
MACROS = re.compile(
    r"\\(?=(href|style|class|cssId|require|unicode|html\w*|data)\b)"
)  # of MathJax, that reach out of a formula


def notebook(verdict: Verdict, released: Mapping):
    """The notebook with the student's cells as text, and each test's verdict as its output."""
    cells = [_cell(cell, verdict) for cell in verdict.cells]
    return v4.new_notebook(cells=cells, metadata=released["metadata"])


def _cell(cell: Cell, verdict: Verdict):
    metadata, name = dict(cell.metadata), cell.name[:64]
    if cell.type != "code":
        source = harmless(cell.source) if cell.is_own or cell.is_written else cell.source
        return v4.new_markdown_cell(source, id=name, metadata=metadata)
    outcome = verdict.stubs.get(cell.name.removeprefix("test-"))
    if not metadata.get("nbgrader", {}).get("grade") or outcome is None or outcome.state == "done":
        return v4.new_code_cell(cell.source, id=name, metadata=metadata)
    lines = [line for line in (outcome.state, *outcome.said.splitlines()) if line.strip()]
    failure = v4.new_output("error", ename="Failed", evalue=lines[0], traceback=lines)
    return v4.new_code_cell(cell.source, id=name, metadata=metadata, outputs=[failure])


def harmless(markdown: str) -> str:
    """What a student wrote, rendered, without scripts, events, pictures, styles and links to other than web pages.

    It is one line of HTML, so that it is not read as Markdown again.
    """
    html = bleach.clean(
        markdown2html_mistune(MACROS.sub("", markdown)),
        tags=TAGS,
        attributes={"a": ["href"]},
        protocols={"http", "https"},
    )
    return "<div>" + html.replace("\r", "").replace("\n", "&#10;") + "</div>"
