"""The course as `course.yaml` lists it, validated on reading."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import yaml

TIERS = ("foundations", "architectures", "systems")
REPOSITORY = r"([\w-]+/[\w.-]+)?"


class CourseError(Exception):
    """What a user of the tools gets to read, as one line."""

    exit_code = 2


@dataclass(frozen=True)
class Module:
    number: str  # "3", and "17b" for the second notebook of module 17
    slug: str
    title: str
    tier: str
    requires: tuple[str, ...]
    hours: float
    deadline: date | None
    limits: Mapping[str, int]
    exports: Mapping[str, tuple[str, ...]]
    root: Path = field(repr=False)

    @property
    def name(self) -> str:
        """The name of its folders: `03_layers`."""
        return f"{self.label}_{self.slug}"

    @property
    def label(self) -> str:
        """Its number in two digits, as lists show it: `03`, `17b`."""
        return self.number.zfill(2 + self.number.endswith("b"))

    @property
    def source(self) -> Path:
        """The lesson as its author writes it."""
        return self.root / "solutions" / self.name / f"{self.slug}.py"

    @property
    def notebook(self) -> Path:
        """The learner's notebook."""
        return self.root / "modules" / self.name / f"{self.slug}.ipynb"

    @property
    def mistakes(self) -> Path:
        """What learners get wrong in the lesson's stubs."""
        return self.source.with_name("mistakes.py")

    @property
    def answers(self) -> Path:
        """Other right answers to the lesson's stubs."""
        return self.source.with_name("answers.py")

    @property
    def equivalent(self) -> Path:
        """Mechanical changes of the answers that no valid input can distinguish from them."""
        return self.source.with_name("equivalent.py")

    @property
    def tests(self) -> Path:
        """The tests of the notebook, for pytest."""
        return self.root / "modules" / self.name / f"test_{self.slug}.py"

    @property
    def fingerprints(self) -> Path:
        """By what the mistakes of the lesson are recognised, and their sentences, enciphered."""
        return self.notebook.with_name("mistakes.json")

    @property
    def package(self) -> Path:
        """The module that the learner's notebook is exported to."""
        return self.root / "tinytorch" / f"{self.slug}.py"


@dataclass(frozen=True)
class Deadline:
    """The last day on which something is in time, in the zone whose clocks say when it is over."""

    day: date
    zone: ZoneInfo

    @property
    def end(self) -> datetime:
        """The first moment that is late: the next midnight there."""
        return datetime.combine(self.day + timedelta(days=1), time(), self.zone)

    @property
    def left(self) -> str:
        """How long there is, by the calendar of the zone: "3 days left"."""
        days = (self.day - datetime.now(self.zone).date()).days
        if days < 0:
            return "its deadline is over"
        return f"{days} day{'s' * (days > 1)} left" if days else "due today"

    def days_late(self, when: datetime) -> int:
        """The days that had begun there after the last one."""
        return max(0, (when.astimezone(self.zone).date() - self.day).days)


@dataclass(frozen=True)
class Course:
    root: Path
    zone: ZoneInfo
    repository: str  # owner/name on GitHub, "" where it has no address
    modules: tuple[Module, ...]

    def deadline(self, module: Module) -> Deadline | None:
        return module.deadline and Deadline(module.deadline, self.zone)

    def find(self, key: str | int) -> Module:
        """Find a module by its number, `03`, its slug or its folder's name."""
        key = str(key)
        for module in self.modules:
            if key in (module.slug, module.name) or key.lstrip("0") == module.number:
                return module
        raise CourseError(f"there is no module {key}: {self.listing()}")

    def listing(self) -> str:
        """What there is, in one line."""
        return ", ".join(f"{module.number} {module.slug}" for module in self.modules)

    def before(self, module: Module) -> tuple[Module, ...]:
        return self.modules[: self.modules.index(module)]

    def with_solutions(self) -> tuple[Module, ...]:
        return tuple(module for module in self.modules if module.source.exists())


class Key(str):
    """A key of a YAML file as it is written there, `00123` and `on` too, and its line."""

    line: int

    def __new__(cls, text: str, line: int = 0):
        key = super().__new__(cls, text)
        key.line = line
        return key


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML whose keys are texts, each written once: the standard would silently keep the last."""

    def construct_mapping(self, node, deep=False):
        if not isinstance(node, yaml.MappingNode):  # it says !!map
            raise _fault(node, "expected keys with values")
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _fault(key, "a key is one word")
            if key.value in seen:
                raise _fault(key, f"duplicate key {key.value}")
            seen.add(key.value)
        self.flatten_mapping(node)
        return {
            Key(key.value, key.start_mark.line + 1): self.construct_object(value, deep)
            for key, value in node.value
        }

    def construct_object(self, node, deep=False):
        try:
            return super().construct_object(node, deep)
        except (ValueError, AttributeError) as error:  # PyYAML's own, of 2026-02-30 and of `!!int three`
            raise _fault(node, f"{node.value} cannot be read: {error}") from None


def _fault(node: yaml.Node, problem: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)


def read_yaml(root: Path, place: str) -> object:
    """What a file of the course says; what cannot be read is one line with the file and, where there is one, the line."""
    try:
        return yaml.load((root / place).read_text(encoding="utf-8-sig"), Loader=_Loader)
    except FileNotFoundError:
        raise
    except yaml.YAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if getattr(error, "problem_mark", None) else ""
        problem = str(getattr(error, "problem", None) or error).partition("\n")[0]
        raise CourseError(f"{place}: {line}{problem}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{place}: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from None


def zone(name: object) -> ZoneInfo | None:
    """The time zone of this name, as IANA lists them; None where there is none."""
    try:
        return ZoneInfo(name)
    except (
        LookupError,
        ValueError,
        TypeError,
        AttributeError,
        OSError,
    ):  # the last for a part, such as Europe
        return None


def load(root: Path | str | None = None) -> Course:
    """Read and check the `course.yaml` of `root`, by default of the nearest folder above that has one."""
    if root is None:
        here = Path.cwd()
        root = next((folder for folder in (here, *here.parents) if (folder / "course.yaml").exists()), here)
    root = Path(root).resolve()
    try:
        content = read_yaml(root, "course.yaml")
    except FileNotFoundError:
        raise CourseError(f"course.yaml: not found in {root}") from None
    _keys("", content, {"time_zone", "repository", "modules"})
    if (here := zone(content["time_zone"])) is None:
        raise _wrong("time_zone", "a zone's name such as Europe/Berlin", content["time_zone"])
    repository = content["repository"] or ""
    if not _is(repository, str, REPOSITORY):
        raise _wrong("repository", "owner/name as on GitHub, or nothing", repository)
    if not isinstance(content["modules"], list) or not content["modules"]:
        raise _wrong("modules", "a list of modules", content["modules"])
    modules = []
    for index, entry in enumerate(content["modules"]):
        modules.append(_module(f"modules[{index}]", entry, modules, root))
    return Course(root, here, repository, tuple(modules))


def _module(where: str, entry: dict, earlier: list[Module], root: Path) -> Module:
    _keys(where, entry, set(Module.__dataclass_fields__) - {"root"})

    def check(key, right, wanted, value=None):
        if not right:
            raise _wrong(f"{where}.{key}", wanted, entry[key] if value is None else value)

    slugs = [module.slug for module in earlier]
    last = earlier[-1].number if earlier else "0"
    following = str(int(last.rstrip("b")) + 1)
    second = f"{last}b" if last.isdecimal() and earlier else following  # the module's second notebook
    check("number", str(entry["number"]) in (following, second), f"{following}, the next number")
    check("slug", _is(entry["slug"], str, r"[a-z][a-z0-9_]*"), "lower-case letters, digits and underscores")
    check("slug", entry["slug"] not in slugs, "a slug of its own")
    check("title", _is(entry["title"], str, r"\S.*"), "a text")
    check("tier", entry["tier"] in TIERS, f"one of {', '.join(TIERS)}")
    check("requires", _is_list_of_text(entry["requires"]), "a list of slugs")
    for slug in entry["requires"]:
        check("requires", slug in slugs, "an earlier module", slug)
    check("hours", _is(entry["hours"], (int, float)) and entry["hours"] > 0, "a number of hours")
    check("deadline", entry["deadline"] is None or is_day(entry["deadline"]), "a date or null")
    _keys(f"{where}.limits", entry["limits"], {"seconds", "megabytes"})
    for key, value in entry["limits"].items():
        check(f"limits.{key}", _is(value, int) and value > 0, "a whole number", value)
    check("exports", isinstance(entry["exports"], dict), "places with the names they hold")
    for place, names in entry["exports"].items():
        check(f"exports.{place}", _is(place, str, r"tinytorch(\.\w+)*"), "a place in tinytorch", place)
        check(f"exports.{place}", _is_list_of_text(names), "a list of names", names)
        taken = [name for module in earlier for name in module.exports.get(place, ())]
        for index, name in enumerate(names):
            check(f"exports.{place}", name.isidentifier(), "a name", name)
            check(f"exports.{place}", name not in taken + names[:index], "each name once", name)
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    values["number"] = str(entry["number"])
    values["exports"] = {str(place): tuple(names) for place, names in entry["exports"].items()}
    return Module(**values, root=root)


def is_day(value: object) -> bool:
    """Whether this is a date that ends, as the very last one does not."""
    return type(value) is date and value < date.max


def _keys(where: str, value: object, wanted: set[str]) -> None:
    if not isinstance(value, dict):
        raise _wrong(where, f"the keys {', '.join(sorted(wanted))}", value)
    for problem, keys in (("unknown key", value.keys() - wanted), ("missing key", wanted - value.keys())):
        if keys:
            raise CourseError(f"course.yaml: {f'{where}.' if where else ''}{min(keys, key=str)}: {problem}")


def _is(value: object, kind: type | tuple, pattern: str = "") -> bool:
    """Of this type, no bool taken for a number, and a text of this form."""
    return (
        isinstance(value, kind)
        and not isinstance(value, bool)
        and (not pattern or bool(re.fullmatch(pattern, value)))
    )


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _wrong(where: str, wanted: str, value: object) -> CourseError:
    return CourseError(f"course.yaml: {f'{where}: ' if where else ''}expected {wanted}, found {value!r}")
