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
        "progress": ("learner.progress", "", "show the twenty modules, points reached, and what is next"),
        "export": ("export.export", "one", "write the notebook as a module of tinytorch"),
        "submit": ("submit.submit", "one", "check the notebook, and pack it to be handed in"),
        "reset": ("learner.reset", "one", "begin the notebook afresh, the old one kept beside it"),
    },
    "to look ahead, with the solutions at hand": {
        "catch-up": ("learner.catch_up", "one", "take the reference for the modules before this one"),
        "demo": ("demo.run", "", "play a learner through every module, train on digits, and grade"),
    },
    "to teach": {
        "release-students": ("release_students.release_students", "", "write the course without its answers, for a class"),
        "grade": ("grading.batch.grade", "one", "autograde what was submitted for the module"),
        "feedback": ("grading.marks.feedback", "one", "write what students get back for the module"),
        "grades": ("grading.marks.grades", "", "write the points of all students as tables, one for Canvas"),
        "formgrader": ("grading.marks.formgrader", "", "open nbgrader's formgrader, for marks and comments by hand"),
    },
    "to write": {
        "release": ("release.release", "all", "make the notebooks and tests of modules/ from solutions/"),
        "reference": ("reference.run", "", "build the reference framework in build/reference"),
        "mutants": ("mutants.run", "all", "show that planted mistakes and other changes fail their tests"),
        "types": ("pyi_files.run", "", "write the types of tinytorch's names, for editors, and the list of operations"),
        "figures": ("figures.run", "", "count what a learner writes, and what is given"),
        "test-gpu": ("gpu.run", "", "run the tests of the kernels on a GPU, where there is one"),
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
    "grade": {
        "student": "the one to be graded, in place of all",
        "scheduler": "a dask cluster's address, tcp://..., to grade on",
        "workers": "how many submissions run at once on this machine",
    },
    "feedback": {"student": "the one who gets it, in place of all"},
    "release-students": {"dest": "the folder that is made"},
}
KINDS = {
    "workers": {"type": int},
    "all": {"action": "store_true"},
    "check": {"action": "store_true"},
}  # the rest take a text


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:
        raise CourseError(message)


def main(arguments: list[str] | None = None) -> int:
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
