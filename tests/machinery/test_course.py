"""course.yaml: what is wrong in it is one clear line with file and key."""

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from autograder.course import CourseError, Deadline, load

BROKEN = [
    (
        "tier: foundations\n",
        "tier: cellar\n",
        "modules[0].tier: expected one of foundations, architectures, systems",
    ),
    ("    hours: 4\n", "    hours: four\n", "modules[0].hours: expected a number of hours, found 'four'"),
    ("    hours: 4\n", "    hours: true\n", "modules[0].hours: expected a number of hours, found True"),
    ("    hours: 4\n", "", "modules[0].hours: missing key"),
    ("    hours: 4\n", "    hours: 4\n    points: 10\n", "modules[0].points: unknown key"),
    ("    hours: 4\n", "    hours: 4\n    hours: 5\n", "line 16: duplicate key hours"),
    (
        "    deadline: null\n",
        "    deadline: soon\n",
        "modules[0].deadline: expected a date or null, found 'soon'",
    ),
    (
        "    deadline: null\n",
        "    deadline: 2026-02-30\n",
        "line 16: 2026-02-30 cannot be read: day is out of range for month",
    ),
    (
        "    deadline: null\n",
        "    deadline: 9999-12-31\n",
        "modules[0].deadline: expected a date or null, found datetime.date(9999, 12, 31)",
    ),
    ("time_zone: UTC\n", "", "time_zone: missing key"),
    (
        "time_zone: UTC\n",
        "time_zone: Europe\n",
        "time_zone: expected a zone's name such as Europe/Berlin, found 'Europe'",
    ),
    (
        "time_zone: UTC\n",
        "time_zone: +02:00\n",
        "time_zone: expected a zone's name such as Europe/Berlin, found '+02:00'",
    ),
    ("repository:\n", "", "repository: missing key"),
    (
        "repository:\n",
        "repository: our course\n",
        "repository: expected owner/name as on GitHub, or nothing, found 'our course'",
    ),
    ("number: 2\n", "number: 1\n", "modules[1].number: expected 2, the next number, found 1"),
    ("number: 2\n", "number: 3\n", "modules[1].number: expected 2, the next number, found 3"),
    ("number: 2\n", "number: 1c\n", "modules[1].number: expected 2, the next number, found '1c'"),
    ("slug: activations\n", "slug: tensor\n", "modules[1].slug: expected a slug of its own, found 'tensor'"),
    ("slug: activations\n", "slug: 2-fast\n", "modules[1].slug: expected lower-case letters"),
    ("title: Activations\n", "title: 7\n", "modules[1].title: expected a text, found 7"),
    (
        "requires: [tensor]\n",
        "requires: [losses]\n",
        "modules[1].requires: expected an earlier module, found 'losses'",
    ),
    ("requires: [tensor]\n", "requires: [nothing]\n", "modules[1].requires: expected an earlier module"),
    (
        "requires: [tensor]\n",
        "requires: tensor\n",
        "modules[1].requires: expected a list of slugs, found 'tensor'",
    ),
    ("seconds: 120", "seconds: long", "modules[0].limits.seconds: expected a whole number, found 'long'"),
    ("seconds: 120", "minutes: 2", "modules[0].limits.minutes: unknown key"),
    (
        "[summary, S",
        "[summary, summary, S",
        "modules[2].exports.tinytorch: expected each name once, found 'summary'",
    ),
    ("[summary, S", "[relu, S", "modules[2].exports.tinytorch: expected each name once, found 'relu'"),
    ("[summary, S", "[a-b, S", "modules[2].exports.tinytorch: expected a name, found 'a-b'"),
    (
        "tinytorch.nn.init:",
        "torch.nn.init:",
        "modules[2].exports.torch.nn.init: expected a place in tinytorch",
    ),
    ("modules:\n", "modules: [\n", "line 10: "),
    ("modules:\n", "modulse:\n", "modulse: unknown key"),
]


def test_the_course_has_twenty_modules_in_three_tiers(scratch):
    course = scratch.course
    numbers = [str(number) for number in range(1, 21)]
    numbers.insert(17, "17b")
    assert [module.number for module in course.modules] == numbers
    tiers = {"foundations": 8, "architectures": 5, "systems": 8}
    assert [module.tier for module in course.modules] == [tier for tier in tiers for _ in range(tiers[tier])]
    assert course.find(3).requires == ("tensor", "activations")
    assert "Linear" in course.find(3).exports["tinytorch.nn"]


@pytest.mark.parametrize("key", ["3", "03", "layers", "03_layers", 3])
def test_a_module_is_found_by_each_of_its_names(scratch, key):
    assert scratch.course.find(key).name == "03_layers"


@pytest.mark.parametrize(
    ("key", "name", "before"),
    [
        ("17", "17_acceleration", "16_compression"),
        ("17b", "17b_kernels", "17_acceleration"),
        ("18", "18_kv_cache", "17b_kernels"),
    ],
)
def test_a_module_may_have_a_second_notebook(scratch, key, name, before):
    course = scratch.course
    assert course.find(key).name == name
    assert course.before(course.find(key))[-1].name == before


@pytest.mark.parametrize("key", ["42", "0", "foo", "", "3.0", "-3", "3_layers"])
def test_an_unknown_module_is_a_line_that_lists_what_there_is(scratch, key):
    course = scratch.course
    last = course.modules[-1]
    with pytest.raises(CourseError) as caught:
        course.find(key)
    wanted = rf"there is no module {key}: 1 tensor, .*, {last.number} {last.slug}"
    assert re.fullmatch(wanted, str(caught.value))


@pytest.mark.parametrize(("old", "new", "line"), BROKEN)
def test_what_is_wrong_in_course_yaml_is_one_line_with_its_key(scratch, old, new, line):
    path = scratch.root / "course.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(CourseError) as caught:
        load(scratch.root)
    assert str(caught.value).startswith(f"course.yaml: {line}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "modules: []", "- 1", "modules: 3", "modules: [3]", "[1]: 2", "\t"])
def test_a_file_that_is_no_course_is_one_line(scratch, text):
    scratch.write("course.yaml", text)
    done = scratch.tool("export", "3")
    assert done.returncode == 2
    assert done.stderr.startswith("course.yaml: ")
    assert done.stderr.count("\n") == 1


def test_a_missing_course_yaml_is_one_line(scratch):
    (scratch.root / "course.yaml").unlink()
    with pytest.raises(CourseError, match=r"course.yaml: not found in "):
        load(scratch.root)


@pytest.mark.parametrize("verb", ["export", "release", "mutants"])
@pytest.mark.parametrize("key", ["42", "foo"])
def test_a_command_refuses_an_unknown_module_in_one_line(scratch, verb, key):
    done = scratch.tool(verb, key)
    assert done.returncode == 2
    assert done.stderr.startswith(f"there is no module {key}: 1 tensor, ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("keys", [[], ["3", "4"]])
def test_a_command_for_one_module_wants_one(scratch, keys):
    done = scratch.tool("export", *keys)
    assert done.returncode == 2
    assert done.stderr.startswith("export takes one module: 1 tensor, ")


BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    ("zone", "day", "end"),
    [
        ("UTC", date(2026, 9, 30), "2026-10-01 00:00"),
        ("Europe/Berlin", date(2026, 9, 30), "2026-09-30 22:00"),
        ("America/New_York", date(2026, 9, 30), "2026-10-01 04:00"),
        ("Asia/Kolkata", date(2026, 9, 30), "2026-09-30 18:30"),
        ("Europe/Berlin", date(2026, 3, 28), "2026-03-28 23:00"),  # the day before the clocks go forward
        ("Europe/Berlin", date(2026, 3, 29), "2026-03-29 22:00"),  # a day of 23 hours
        ("Europe/Berlin", date(2026, 10, 24), "2026-10-24 22:00"),
        ("Europe/Berlin", date(2026, 10, 25), "2026-10-25 23:00"),  # a day of 25 hours
        ("America/New_York", date(2026, 10, 31), "2026-11-01 04:00"),
        ("America/New_York", date(2026, 11, 1), "2026-11-02 05:00"),  # a day of 25 hours
        ("Africa/Cairo", date(2026, 4, 23), "2026-04-23 22:00"),  # after it, the clocks go from midnight to 1
        ("America/Havana", date(2026, 10, 31), "2026-11-01 04:00"),  # the first of two midnights
    ],
)
def test_a_deadline_ends_with_its_day_by_the_clocks_of_its_zone(zone, day, end):
    deadline = Deadline(day, ZoneInfo(zone))
    assert f"{deadline.end.astimezone(UTC):%Y-%m-%d %H:%M}" == end
    assert deadline.days_late(deadline.end.astimezone(UTC) - timedelta(milliseconds=500)) == 0
    assert deadline.days_late(deadline.end.astimezone(UTC)) == 1


@pytest.mark.parametrize(
    ("deadline", "when", "days"),
    [
        (Deadline(date(2026, 10, 24), BERLIN), datetime(2026, 10, 25, 23, 59, tzinfo=BERLIN), 1),  # 25 hours
        (Deadline(date(2026, 10, 24), BERLIN), datetime(2026, 10, 25, 23, 0, tzinfo=UTC), 2),
        (
            Deadline(date(2026, 3, 28), BERLIN),
            datetime(2026, 3, 29, 22, 0, tzinfo=UTC),
            2,
        ),  # 23 hours and one second
        (Deadline(date(2026, 9, 30), BERLIN), datetime(2026, 9, 30, 22, 0, tzinfo=UTC), 1),
        (Deadline(date(2026, 9, 30), NEW_YORK), datetime(2026, 9, 30, 22, 0, tzinfo=UTC), 0),
        (Deadline(date(2026, 9, 30), NEW_YORK), datetime(2026, 10, 12, 3, 59, tzinfo=UTC), 11),
        (Deadline(date(2026, 9, 30), NEW_YORK), datetime(2026, 10, 12, 4, 0, tzinfo=UTC), 12),
    ],
)
def test_days_are_late_by_the_calendar_also_where_they_have_23_or_25_hours(deadline, when, days):
    assert deadline.days_late(when) == days


def test_time_zones_are_known_where_the_system_has_none(scratch):
    scratch.edit("course.yaml", "time_zone: UTC", "time_zone: America/New_York")
    done = scratch.python("-c", "from autograder.course import load; print(load().zone)", PYTHONTZPATH="")
    assert (done.stdout, done.stderr) == ("America/New_York\n", "")
