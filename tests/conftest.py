"""The reference, brought up to date before any test; and a scratch course for the tests of the tools.

The scratch course has the real list of modules, the real faces, and small lessons.
"""

import gc
import importlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import course as courses
from autograder import reference, release
from tests.skipped import pytest_terminal_summary  # noqa: F401  a hook

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = Path(__file__).parent / "machinery" / "sample"
LONGEST = [
    "test_notebook",
    "test_grade_modules",
    "test_milestones",
    "test_dataloader",
    "test_submissions",
    "test_grade_faults",
]
IN_WORDS = """

# %% [markdown]
# What does a scale of 0 lose?

# %% [markdown] answer="what-is-lost" points=3
# Everything: two inputs can no longer be told apart.
"""


def pytest_configure(config: pytest.Config) -> None:
    """Build what of the reference is not up to date, once; pytest has its folder on the path."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a job in the background ignores
    if not hasattr(config, "workerinput"):  # which a worker of pytest-xdist has
        try:
            reference.build(courses.load(ROOT))
            importlib.invalidate_caches()  # where the folder is new
        except courses.CourseError as error:
            pytest.exit(str(error), returncode=2)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, for tests wait a lot: for kernels, sandboxes and processes of their own."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, so that no worker is left alone with one of them at the end."""
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))


def pytest_collection_finish() -> None:
    """Leave ten thousand tests out of every garbage collection to come, and out of what a fork copies."""
    gc.collect()
    gc.freeze()


class Scratch:
    """A folder with a course in it, and ways to use it."""

    def __init__(self, root: Path):
        self.root = root

    @property
    def course(self) -> courses.Course:
        return courses.load(self.root)

    def write(self, place: str, text: str) -> Path:
        path = self.root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def edit(self, place: str, old: str, new: str) -> None:
        """Replace what stands exactly once in a file."""
        text = (self.root / place).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {place}"
        self.write(place, text.replace(old, new))

    def python(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        """Run Python in the scratch folder, with its tinytorch before every other."""
        path = os.pathsep.join([str(self.root), str(ROOT)])
        return subprocess.run(
            [sys.executable, "-P", *arguments],
            cwd=self.root,
            env=os.environ | {"PYTHONPATH": path} | environment,
            capture_output=True,
            text=True,
            timeout=300,  # on a machine that is busy
        )

    def tool(self, *arguments: str) -> subprocess.CompletedProcess:
        """Run a command of the course, as the Makefile does."""
        return self.python("-m", "autograder", *arguments)

    def take(self, *folders: str, given: bool = True) -> None:
        """Copy folders of the real course, without what was made or exported into them, or also without given files."""
        slugs = [module.slug for module in courses.load(ROOT).modules]
        modules = [f"{slug}.py" for slug in slugs] + ([] if given else slugs)
        for folder in folders:
            ignored = ["__pycache__", "*.ipynb", *(modules if folder == "tinytorch" else ())]
            shutil.copytree(ROOT / folder, self.root / folder, ignore=shutil.ignore_patterns(*ignored))
        shutil.copy(ROOT / "course.yaml", self.root)


def index_is_reached() -> bool:
    """Whether pip finds the package index, which not every machine lets it."""
    command = [sys.executable, "-m", "pip", "index", "versions", "pip", "--retries=0", "--timeout=20"]
    return subprocess.run(command, capture_output=True).returncode == 0


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    """A course with the faces and no lessons."""
    scratch = Scratch(tmp_path)
    scratch.take("tinytorch", given=False)
    return scratch


@pytest.fixture
def lesson(scratch: Scratch) -> Scratch:
    """A course with one small lesson, for module 03."""
    shutil.copytree(SAMPLE / "03_layers", scratch.root / "solutions" / "03_layers")
    return scratch


@pytest.fixture(scope="session")
def released_samples(tmp_path_factory) -> Path:
    """The sample lessons with their releases; made once, for each takes nbgrader a second."""
    root = tmp_path_factory.mktemp("samples")
    shutil.copy(ROOT / "course.yaml", root)
    course = courses.load(root)
    shutil.copytree(SAMPLE, root / "solutions")
    release.release(course, course.with_solutions())
    return root


@pytest.fixture(scope="session")
def course_to_grade(tmp_path_factory, released_samples) -> Path:
    """What every Classroom begins with: the sample lessons, the modules before the graded one compiled, and a gradebook."""
    root = tmp_path_factory.mktemp("course")
    shutil.copytree(released_samples, root, dirs_exist_ok=True)
    Scratch(root).take("tinytorch", given=False)
    course = courses.load(root)
    reference.before(course, course.find(2))
    gradebook = importlib.import_module("autograder.grading.gradebook")  # takes seconds, which few tests need
    (root / "autograder").mkdir()
    with gradebook.gradebook(gradebook.configuration(course)):
        return root


@pytest.fixture(scope="session")
def course_in_words(tmp_path_factory, course_to_grade) -> Path:
    """The same, with a question in module 02 that is answered in words."""
    root = shutil.copytree(course_to_grade, tmp_path_factory.mktemp("words") / "course")
    module = courses.load(root).find(2)
    with module.source.open("a", encoding="utf-8") as source:
        source.write(IN_WORDS)
    release.release(courses.load(root), [module])
    return root
