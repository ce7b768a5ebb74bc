"""`python -m autograder VERB [MODULE]`: every command of the course. The Makefile gives each a short name."""

import argparse
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from autograder.course import Course, CourseError, Module, load

# verb: (the function, whether it takes a module: "one", "all" where none is named, or "", what it does)
# A class's copy has the first group alone, and the tools of no other.
GROUPS = {
    "to learn": {
        "start": ("learner.start", "one", "open JupyterLab at the module"),
        "test-module": ("check.check", "one", "export the notebook and run its tests"),
        "watch": ("watch.watch", "one", "export and test the notebook whenever it is saved, until Ctrl-C"),
        "hint": ("hint.hint", "one", "show the hint that goes with what fails, before the next in number"),
        "quiz": ("quiz.quiz", "one", "answer three questions about your own code, once the module passes"),
        "hunt": ("quiz.hunt", "one", "find the line that was changed in a copy of your own code"),
        "progress": ("learner.progress", "", "show the twenty modules, points reached, and what is next"),
        "export": ("export.export", "one", "write the notebook as a module of tinytorch"),
        "submit": ("submit.submit", "one", "check the notebook, and pack it for submission"),
        "reset": ("learner.reset", "one", "start with a fresh notebook, keeping a copy of the old one"),
        "test-gpu": ("gpu.run", "", "run the tests of the kernels on a GPU, where there is one, and time them"),
    },
    "to look ahead, with the solutions at hand": {
        "catch-up": ("learner.catch_up", "one", "take the reference for the modules before this one"),
        "demo": ("demo.run", "", "play a learner through every module, train on digits, and grade"),
    },
    "to teach": {
        "release-students": ("release_students.release_students", "", "write the course without its answers, for a class"),
        "roster": ("grading.roster.roster", "", "take over who is in the class from Canvas's or Moodle's export"),
        "student": ("grading.students.student", "", "add a student by hand, or rename or delete one in all that is kept"),
        "collect": ("grading.collect.collect", "one", "put a download of all submissions into place"),
        "grade": ("grading.batch.grade", "one", "autograde what was submitted for the module"),
        "gradescope": ("grading.gradescope.gradescope", "one", "write the module's autograder for Gradescope"),
        "report": ("grading.report.report", "all", "write what the class got right and wrong in the module, or over the term"),
        "mark": ("grading.marks_by_hand.mark", "one", "give points by hand, with a reason, or take them back"),
        "similar": ("grading.similar.similar", "one", "show answers of two students that share what few others wrote"),
        "feedback": ("grading.marks.feedback", "one", "write what students get back for the module"),
        "grades": ("grading.marks.grades", "", "write the points of all students as tables, one for Canvas"),
        "formgrader": ("grading.marks.formgrader", "", "open nbgrader's formgrader, for marks and comments by hand"),
    },
    "to write": {
        "release": ("release.release", "all", "make the notebooks and tests of modules/ from solutions/"),
        "reference": ("reference.run", "", "build the reference framework in build/reference"),
        "mutants": ("mutants.run", "all", "show that planted mistakes and other changes fail their tests"),
        "types": ("pyi_files.run", "", "write the types of tinytorch's names, for editors, and the list of operations"),
        "pictures": ("pictures.run", "", "draw what commands print, for the README"),
        "figures": ("figures.run", "", "count what a learner writes, and what is given"),
    },
}  # fmt: skip
if not Path(__file__).with_name("release_students.py").exists():
    GROUPS = {"to learn": GROUPS["to learn"]}
VERBS = {verb: entry for verbs in GROUPS.values() for verb, entry in verbs.items()}
OPTIONS = {
    "mutants": {
        "all": "try every mechanical change, not a sample",
        "check": "write no fingerprints, and name those that are not up to date",
    },
    "types": {"check": "write nothing, and name what is not up to date"},
    "test-module": {"stub": "the one that is tested, in place of all"},
    "hint": {"stub": "the one it is for, in place of the first that fails"},
    "grade": {
        "student": "the one to be graded, in place of all",
        "scheduler": "a dask cluster's address, tcp://..., to grade on",
        "workers": "how many submissions run at once on this machine",
    },
    "mark": {
        "student": "whose points they are",
        "stub": "the stub, or the answer in words",
        "points": "how many, in place of those of grading",
        "reason": "why, which the student reads",
        "undo": "take the last mark back, so that what was before counts",
    },
    "feedback": {
        "student": "the one who gets it, in place of all",
        "zip": "1: also a zip of what has changed, for Canvas or Moodle to take back; all: of everything",
    },
    "roster": {"file": "the exported table"},
    "student": {
        "add": "who is new in the class",
        "named": "their name, as registrars sort it",
        "rename": "whose name changes",
        "to": "the new one",
        "remove": "of whom nothing is to stay",
    },
    "collect": {
        "source": "the downloaded zip, or a folder with a folder for each student",
        "times": "a table with the times, as Moodle's grading worksheet",
    },
    "release-students": {
        "dest": "the folder that is made",
        "repository": "where the class finds it on GitHub, owner/name",
    },
}
KINDS = {
    "workers": {"type": int},
    "all": {"action": "store_true"},
    "check": {"action": "store_true"},
    "undo": {"action": "store_true"},
}  # the rest take a text


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:
        raise CourseError(message)


def main(arguments: list[str] | None = None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a console without UTF-8 shows some characters as "?"
    try:
        options = vars(parser().parse_args(arguments))
        verb, keys = options.pop("verb"), options.pop("module", None)
        return run(verb, load(), keys, **{key: value for key, value in options.items() if value}) or 0
    except CourseError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130


def parser() -> Parser:
    """The verbs with what they take; -h lists them by who needs them."""
    listing = (
        "\n".join([f"{title}:", *(f"  {verb:17} {sentence}" for verb, (_, _, sentence) in verbs.items())])
        for title, verbs in GROUPS.items()
    )
    parser = Parser(
        usage="python -m autograder VERB [MODULE] [OPTION ...]",
        description="The course's tools.",
        epilog="\n\n".join(listing),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(
        prog="python -m autograder", dest="verb", required=True, metavar="VERB", help=argparse.SUPPRESS
    )
    for verb, (_, takes, sentence) in VERBS.items():
        command = verbs.add_parser(verb, description=sentence)
        if takes:
            command.add_argument(
                "module", nargs="*", help="its number, its slug, or both: 3, 03, layers, 03_layers"
            )
        for option, meaning in OPTIONS.get(verb, {}).items():
            command.add_argument(f"--{option}", help=meaning, **KINDS.get(option, {}))
    return parser


def run(verb: str, course: Course, keys: list[str] | None, **options) -> int | None:
    """Run a verb on the modules it was given; what it returns is the exit code, None being 0."""
    name, takes, _ = VERBS[verb]
    if takes == "one":
        if len(keys) == 2 and "stub" in OPTIONS.get(verb, {}) and "stub" not in options:
            *keys, options["stub"] = keys
        module = _one(course, verb, keys)
        return _function(name)(module, **options)
    if takes == "all":
        modules = [course.find(key) for key in keys] or list(course.with_solutions())
        return _function(name)(course, modules, **options)
    return _function(name)(**options)


def _one(course: Course, verb: str, keys: list[str]) -> Module:
    if len(keys) != 1:
        raise CourseError(f"{verb} takes one module: {course.listing()}")
    return course.find(keys[0])


def _function(name: str) -> Callable:
    """The function `check.check` of this package, imported only now: some need seconds."""
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"autograder.{module}"), function)


if __name__ == "__main__":
    sys.exit(main())
