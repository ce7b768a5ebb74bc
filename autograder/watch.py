"""`make watch N`: whenever the notebook is saved, export it and test what changed, and after that the rest of the module."""

import json
import subprocess
import time
from collections.abc import Container, Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import watchfiles
from rich.console import Console

from autograder import check, notebook_stubs, testrunner
from autograder.console import say
from autograder.course import Course, CourseError, Module, load
from autograder.feedback import Desk, Result
from autograder.testrunner import Outcomes

LOOK = 100  # milliseconds between two looks at the tests that run


def watch(module: Module) -> None:
    """Test the module now, and after each save of its notebook or of a module that it uses, until Ctrl-C."""
    course = load(module.root)
    check.keep_released(course, module)
    check.require_earlier(course, module)
    seen, places = Watch(course, module), (module.notebook.parent, module.package.parent)
    saves = watchfiles.watch(*places, watch_filter=seen.concerns, rust_timeout=LOOK, yield_on_timeout=True)
    try:
        next(saves)  # from now on no save is missed
        seen.take()
        for saved in saves:
            if saved:
                seen.take(is_other=any(Path(path).suffix == ".py" for _, path in saved))
            seen.look()
    except KeyboardInterrupt:
        say("ended: the module stays exported as it was saved last")
    finally:
        seen.stop()


class Tests:
    """A process for one run of tests. It imports what they import while it waits to be told which."""

    def __init__(self, module: Module):
        self.module, self.folder, self.begun = module, TemporaryDirectory(ignore_cleanup_errors=True), 0.0
        self.written, self.said = (Path(self.folder.name, name) for name in ("outcomes.json", "stderr"))
        with self.said.open("wb") as errors:
            self.process = subprocess.Popen(
                [*check.RUNNER, "wait", *module.requires], env=check.environment(module), cwd=module.root,
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors,
            )  # fmt: skip

    def begin(self, stubs: Iterable[str], of: Iterable[str]) -> None:
        """Run the tests of some of the stubs of the module."""
        left_out = [stub for stub in of if stub not in stubs]
        self.begun = time.monotonic()
        with suppress(OSError):  # it has ended already, and `outcomes` says how
            self.process.stdin.write(
                f"{json.dumps(check.told(self.module, self.written, left_out))}\n".encode()
            )
            self.process.stdin.close()

    def outcomes(self) -> Outcomes | None:
        """What the tests gave, or None while they run; CourseError where the process came to another end."""
        if self.process.poll() is None:
            seconds = self.module.limits["seconds"]
            if time.monotonic() - self.begun < seconds:
                return None
            raise check.end(self.module, self.written, subprocess.TimeoutExpired([], seconds))
        if self.written.exists():
            return testrunner.read(self.written.read_text(encoding="utf-8"))
        said = self.said.read_text(encoding="utf-8", errors="replace")
        raise check.end(
            self.module, self.written, subprocess.CompletedProcess([], self.process.returncode, stderr=said)
        )

    def stop(self) -> None:
        self.process.kill()
        with suppress(OSError):
            self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()


class Watch:
    """What is known of a module's stubs while its notebook is watched."""

    def __init__(self, course: Course, module: Module):
        self.course, self.module, self.console = course, module, Console(highlight=False)
        self.desk: Desk | None = None  # the notebook as it was exported last
        self.codes, self.around, self.remarks = {}, None, []  # of its stubs, of its other exported cells
        self.results: dict[str, Result] = {}
        self.changed: set[str] = set()  # the stubs that the last save has changed
        self.runs: list[set[str]] = []  # the stubs that are to be tested still, in this order
        self.running: Tests | None = None
        self.spare: Tests | None = Tests(module)  # has imported what the tests import
        self.saved = 0.0

    def concerns(self, _, path: str) -> bool:
        """Whether a file that was written is the notebook, or code that its tests may import."""
        place = Path(path)
        if place.suffix == ".py":
            is_ours = "tinytorch" in place.parts[-4:] and "." not in place.stem  # no copy, no temporary file
            return is_ours and place.parts[-2:] != ("tinytorch", self.module.package.name)
        return place.parts[-2:] == (self.module.name, self.module.notebook.name)

    def take(self, is_other: bool = False) -> None:
        """Export what was saved, and begin to test what changed; if another module did, all."""
        self.saved = time.monotonic()
        try:
            self.remarks, refused = check.exported(self.module)
        except CourseError as error:
            refused = error
        if refused:
            return self.show(str(refused))
        reading = notebook_stubs.reading(self.module)
        desk = self.desk = Desk(self.course, self.module, notebook_stubs.stubs_of(reading))
        codes = {name: stub.digest for name, stub in desk.stubs.items()}
        around = [cell.code for cell in reading.exported if not cell.is_stub]
        changed = {name for name in desk.points if codes.get(name) != self.codes.get(name)}
        if is_other or around != self.around:
            changed = {*desk.points}
        self.codes, self.around = codes, around
        if not changed:
            return None if self.running else self.show()
        if self.running:
            changed |= self.runs[0] & self.changed  # their run is stopped
            self.running = self.running.stop()
        if is_other:
            self.spare = self.spare.stop() if self.spare else None
        self.changed, untouched = changed, notebook_stubs.untouched(self.module, desk.stubs)
        self.judge(untouched, Outcomes(None, {}), untouched)
        written = desk.points.keys() - untouched
        self.runs = [run for run in (written & changed, written - changed) if run]
        return self.begin() if self.runs else self.show()

    def begin(self) -> None:
        """Begin the next run."""
        self.running, self.spare = self.spare or Tests(self.module), None
        self.running.begin(self.runs[0], self.desk.points)

    def look(self) -> None:
        """Take the results of the tests that have ended, and begin the next run."""
        if not self.running:
            return
        said = None
        try:
            if (found := self.running.outcomes()) is None:
                return
            self.judge(self.desk.points.keys() if found.broken else self.runs[0], found)
            self.runs = [] if found.broken else self.runs[1:]
        except CourseError as error:
            found, said, self.runs = Outcomes(None, {}), str(error), []
        self.running = self.running.stop()
        self.show(said, found.remark)
        if self.runs:
            self.begin()
        self.spare = self.spare or Tests(self.module)

    def judge(self, stubs: Container[str], found: Outcomes, untouched: Container[str] = ()) -> None:
        tried = [name for name in self.desk.points if name in stubs]
        self.results |= {result.stub: result for result in check.judged(self.desk, tried, untouched, found)}

    def show(self, said: str | None = None, remark: str = "") -> None:
        """Draw the table, and say what fails, what to write next, or what stands in the way."""
        seconds = time.monotonic() - self.saved
        if self.console.is_terminal:
            self.console.clear()
        waiting = set().union(*self.runs)
        results = (
            [self.results[name] for name in self.desk.points if name in self.results] if self.desk else []
        )
        if results:
            self.console.print(check.table(self.module, results, waiting))
        known = [result for result in results if result.stub not in waiting]
        known.sort(key=lambda result: result.stub not in self.changed)  # the one at hand is explained first
        if said is None and (not waiting or any(result.failure for result in known)):
            said = check.explanation(self.desk, known)
        for line in (remark, *(f"{remark}." for remark in self.remarks), said):
            if line:
                self.console.print(line, markup=False, soft_wrap=isinstance(line, str))
        testing = f"; testing the other {len(waiting)}" if waiting else ""
        place = self.module.notebook.relative_to(self.module.root).as_posix()
        ended = f"{datetime.now():%H:%M:%S}, {seconds:.1f} s after the save{testing}. Watching {place}, until Ctrl-C."
        self.console.print(ended, style="dim", markup=False, soft_wrap=True)

    def stop(self) -> None:
        for tests in filter(None, (self.running, self.spare)):
            tests.stop()
