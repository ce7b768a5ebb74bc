"""The course's tools: `python -m autograder VERB`."""
