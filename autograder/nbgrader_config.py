"""nbgrader's configuration. It is read more than once in a process, so it only sets values."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

c = get_config()  # noqa: F821  traitlets gives it to every file of configuration
c.CourseDirectory.course_id = "tinytorch"
c.CourseDirectory.root = str(ROOT)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "modules"
# The formgrader lists what stands there, folders of any name too: autograder/submitted/ is only for `make grade`.
c.CourseDirectory.submitted_directory = "autograder/autograded"
c.CourseDirectory.autograded_directory = "autograder/autograded"
c.CourseDirectory.feedback_directory = "autograder/feedback"
c.CourseDirectory.db_url = os.environ.get(
    "GRADEBOOK_URL", f"sqlite:///{ROOT}/autograder/gradebook.db?timeout=60"
)
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", "*.py"]
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
c.ClearSolutions.text_stub = "Write your answer here, in place of this sentence."
c.OverwriteCells.add_missing_cells = True
c.Execute.timeout = 60
c.FormgradeExtension.debug = False  # it would show the gradebook's address, with its password
c.Autograde.exporter_class = (
    "autograder.grading"  # no exporter: its button would run submissions outside the sandbox
)
