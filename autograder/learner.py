"""A learner's commands: start a module, catch up, reset, show progress."""

import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress_bar import ProgressBar
from rich.table import Table

from autograder import check, feedback, files, lesson, milestones, notebook_stubs, reference
from autograder.console import say
from autograder.course import Course, CourseError, Module, load

NO_NBGRADER = [
    f"--ServerApp.jpserver_extensions=nbgrader.server_extensions.{name}=False"
    for name in ("formgrader", "validate_assignment", "assignment_list", "course_list")
]


def start(module: Module) -> None:
    """Open JupyterLab at the learner's notebook, with the course's folder next to it, until Ctrl-C."""
    if not module.notebook.exists():
        raise CourseError(
            f"{_place(module.notebook, module)}: no such notebook, `make reset {module.number}` makes it"
        )
    check.keep_released(load(module.root), module)
    address = f"/lab/tree/{_place(module.notebook, module)}"
    # over TCP each kernel warns that it is not encrypted, but Windows has nothing else; nbgrader's pages are the instructor's
    sockets = "tcp" if os.name == "nt" else "ipc"
    serve(module.root, address, f"--KernelManager.transport={sockets}", *NO_NBGRADER)


def serve(root: Path, address: str, *options: str, prepare: Callable = lambda server: None) -> None:
    """Serve JupyterLab in a folder, as root too, and say in one line where, until Ctrl-C."""
    # nbgrader's settings, and labconfig: no news over the first page, and no menu of nbgrader's
    os.environ["JUPYTER_CONFIG_PATH"] = str(Path(__file__).parent)
    from jupyterlab.labapp import LabApp

    quiet = ["--LabApp.log_level=CRITICAL", "--ServerApp.log_level=CRITICAL", "--allow-root"]
    # what is open is this course's, not all that the user has ever opened
    workspaces = f"--LabApp.workspaces_dir={root / 'build' / 'workspaces'}"
    places = [f"--ServerApp.root_dir={root}", f"--LabApp.default_url={address}", workspaces]
    server = LabApp.initialize_server([*places, *quiet, *options])
    prepare(server)
    logging.disable()  # the address too, which it would print in six lines; a level of its own nbgrader refuses
    say(f"{server.display_url.split()[0]} (Ctrl-C twice ends it)")
    server.start()


def catch_up(module: Module) -> None:
    """Export the reference for the modules before this one, except where the learner's own export is."""
    missing, before = [], load(module.root).before(module)
    for earlier in before:
        exported = earlier.package.exists()
        if exported and not is_reference(earlier.package):
            say(f"{_place(earlier.package, module)}: yours, kept (delete it to take the reference)")
        elif earlier.source.exists():
            files.install(
                module.root, earlier.package, reference.assemble(earlier, lesson.read_cells(earlier))
            )
            say(f"{_place(earlier.package, module)}: the reference")
        elif not exported:
            missing.append(earlier)
    if not before:
        say("nothing comes before module 01")
    if missing:
        names = " and ".join(f"{earlier.label} ({earlier.slug})" for earlier in missing)
        own = ", ".join(f"`make test-module {earlier.number}`" for earlier in missing)
        raise CourseError(f"solutions/ holds no reference for {names}: {own} exports your own")


def is_reference(package: Path) -> bool:
    """Whether an exported module is the reference, not the learner's own."""
    return package.read_text(encoding="utf-8").startswith("# Written from solutions/")


def reset(module: Module) -> None:
    """Replace the learner's notebook by a fresh one, and keep a copy with the date and time in its name."""
    fresh, path = _fresh(module), module.notebook
    if path.exists() and path.read_bytes() == fresh.encode():
        return say(f"{_place(path, module)} is fresh as it is")
    if path.exists():
        say(f"{_place(files.keep(path), module)}: your notebook until now")
    files.write(path, fresh)
    return say(f"{_place(path, module)}: fresh")


def progress() -> None:
    """Show the modules with the points reached, and what is next."""
    course = load()
    notes, upcoming = feedback.remembered(course.root), None
    shown = Table(box=box.SIMPLE_HEAD, show_footer=True)
    sums, changed = [0, 0], []
    rows, has_deadlines = [], any(module.deadline for module in course.modules)
    for module in course.modules:
        due = f"{module.deadline or ''}"
        taken = module.package.exists() and is_reference(module.package)
        source = "the reference" if taken else "yours" if module.package.exists() else ""
        if not module.tests.exists():
            rows.append((f"{module.label}", module.title, "", "", source, due))
            continue
        points, states = notebook_stubs.points_of(module), notes.get(module.slug, {})
        here = notebook_stubs.read(module) if states else {}
        now = {stub: feedback.state(states.get(stub), here.get(stub)) for stub in points}
        done, since = ([stub for stub in points if now[stub] == state] for state in ("done", "changed"))
        if since:
            changed.append((module, since))
        reached = sum(points[stub] for stub in done)
        total = sum(points.values())
        sums = [sums[0] + reached, sums[1] + total]
        if upcoming is None and reached < total and not taken:
            upcoming = module
        bar = ProgressBar(total=total, completed=reached, width=12 if has_deadlines else 20)
        rows.append((f"{module.label}", module.title, bar, f"{reached} of {total}", source, due))
    shown.add_column("")
    shown.add_column("module")
    shown.add_column("")
    shown.add_column("points", f"{sums[0]} of {sums[1]}", justify="right")
    shown.add_column("in tinytorch")
    if has_deadlines:
        shown.add_column("deadline")
    for row in rows:
        shown.add_row(*row[: len(shown.columns)])
    Console(highlight=False).print(shown)
    if has_deadlines:
        say(f"A deadline ends with its day, by the clocks of {course.zone.key}.")
    for module, stubs in changed:
        say(
            f"{module.label}: {', '.join(stubs)} changed since the last test, `make test-module {module.number}`"
        )
    if said := _milestones(course):
        say(said)
    if upcoming:
        deadline = course.deadline(upcoming)
        left = f", {deadline.left}" if deadline else ""
        say(f"Next: {upcoming.label} {upcoming.title}{left}, `make start {upcoming.number}`.")
    else:
        say("Every module that has been released is done.")


def _milestones(course: Course) -> str:
    """Which milestones run on what is exported, and with which module the next ones do."""
    needed = milestones.needed(course)
    run = [*milestones.runnable(course, needed)]
    ready = f"Milestones that run now: {', '.join(run)} (`make milestone {run[-1]}`)." if run else ""
    waiting = [name for name in needed if name not in run]
    if not waiting:
        return ready
    last = needed[waiting[0]]
    following = ", ".join(name for name in waiting if needed[name] == last)
    return f"{ready} Next milestone: {following}, with module {last.label}.".strip()


def _fresh(module: Module) -> str:
    """The notebook as it is released: from the solutions where they are, else from git, else as it was kept."""
    if module.source.exists():
        from autograder import release

        with tempfile.TemporaryDirectory() as folder:
            made = release.build(load(module.root), [lesson.read(module)], Path(folder))
        return made[module.notebook]
    place = _place(module.notebook, module)
    names = notebook_stubs.points_of(module) if module.tests.exists() else ()
    if notebook_stubs.is_blank(
        content := notebook_stubs.committed(module), module, names
    ):  # not a learner's own commit
        return content.decode()
    if notebook_stubs.kept(module).exists():
        return notebook_stubs.kept(module).read_text(encoding="utf-8")
    raise CourseError(
        f"{place} as it was released is neither in solutions/ nor in git nor in build/released: "
        "ask your instructor for it (yours stays as it is)"
    )


def _place(path: Path, module: Module) -> str:
    return path.relative_to(module.root).as_posix()
