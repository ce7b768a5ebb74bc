"""The course's tools: `python -m autograder VERB`."""

EXPORT = "#| export"  # the first line of a cell that goes to the package
