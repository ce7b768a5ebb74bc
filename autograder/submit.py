"""`make submit N`: check a notebook as the grader will read it, and pack it."""

import zipfile
from datetime import UTC, datetime

from autograder import export, feedback, files, stubs
from autograder.console import say
from autograder.course import CourseError, Module
from autograder.limits import NOTEBOOK


def submit(module: Module) -> None:
    """Pack the notebook of a module with the time, and say what stands in it. An earlier pack is kept."""
    points = stubs.points_of(module)
    cells = export.read(module.notebook, module.root)
    if module.notebook.stat().st_size > NOTEBOOK:
        raise CourseError(
            f"{module.notebook.name} has more than {NOTEBOOK >> 20} MB: clear its outputs, and save it"
        )
    for cell in cells:
        if cell.is_code and export.is_exported(cell.source):
            export.check(cell)
    here = stubs.read(module.notebook)
    if lacking := [name for name in points if name not in here]:
        raise CourseError(
            f"the notebook has no cell {', '.join(lacking)}: `make reset {module.number}` gives a fresh one"
        )
    written = [
        name
        for name in points
        if not here[name].is_blank and not stubs.is_untouched(module, name, here[name])
    ]
    notes = feedback.remembered(module.root).get(module.slug, {})
    done = [name for name in written if notes.get(name, {}).get("state") == "done"]
    now = datetime.now(UTC).replace(microsecond=0, tzinfo=None)
    pack = module.root / "build" / "submissions" / f"{module.name}.{now:%Y-%m-%d-%H%M%S}.zip"
    files.write(pack, b"")
    with zipfile.ZipFile(pack, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{module.name}/{module.notebook.name}", module.notebook.read_bytes())
        archive.writestr(f"{module.name}/timestamp.txt", f"{now} UTC\n")
    say(f"{module.label} {module.title}: {len(written)} of {len(points)} stubs written, "
         f"{len(done)} of them passed their tests when `make test-module {module.number}` last ran")  # fmt: skip
    for name in points:
        if name not in done:
            say(f"  {name}: {'not written' if name not in written else 'not known to pass'}")
    say(
        f"{pack.relative_to(module.root)}: {module.notebook.name} as it is saved, {pack.stat().st_size:,} bytes; hand this file in"
    )
