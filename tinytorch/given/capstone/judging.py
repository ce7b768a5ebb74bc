"""Judging: an entry is built, compared with the baseline, and gets a record of all measurements."""

import datetime
import hashlib
import inspect
import itertools
import linecache
import secrets
from ast import get_source_segment, parse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinytorch.capstone import Score, all_round, decide, paired_interval
from tinytorch.given.capstone.answers import ANSWERS
from tinytorch.given.capstone.contenders import (
    Contender,
    Refused,
    build_entry,
    clock_of,
    from_bytes,
    to_bytes,
)
from tinytorch.given.capstone.records import is_intact, sign_off
from tinytorch.given.capstone.tasks import DIGITS, TEXT

__all__ = ["EVENTS", "TASKS", "Entry", "Event", "run_again", "run_event"]

TASKS = {task.name: task for task in (DIGITS, TEXT, ANSWERS)}
MARGINS = {"latency": 0.1, "memory": 0.05, "accuracy": 0.005, "all-round": 0.05}  # a win is more than this
LONGEST = 12_000  # bytes of an entry: too few for the held-back text, compressed too
HEADER = """import contextlib
import copy
import math

import numpy as np

import tinytorch as torch
from tinytorch import nn, optim
from tinytorch.nn import functional as F

"""


@dataclass(frozen=True)
class Event:
    """What is compared (latency, memory, accuracy, all-round), and on which task (digits, text, answers)."""

    kind: str
    task: str

    def __post_init__(self):
        if self.task not in TASKS or self.kind not in TASKS[self.task].kinds:
            raise ValueError(f"an event is one of {', '.join(MARGINS)} on {', '.join(TASKS)}, not {self}")

    def __str__(self):
        return f"{self.kind} on {self.task}"

    @property
    def margin(self):
        """How much better than the baseline an entry must be shown to be, as a share."""
        return MARGINS[self.kind]


EVENTS = tuple(Event(kind, name) for name, task in TASKS.items() for kind in task.kinds)


@dataclass(frozen=True)
class Entry:
    """A source with a function that takes the baseline and data for training, and returns a better model."""

    name: str
    source: str
    function: str = "entry"

    @classmethod
    def from_file(cls, path, function="entry"):
        """The entry in a file, named after it."""
        return cls(Path(path).stem, Path(path).read_text(encoding="utf-8"), function)

    @classmethod
    def from_code(cls, name, function, *needs):
        """The entry that a function of yours is, with the functions and classes that it uses."""
        return cls(name, HEADER + "\n\n".join(map(source_of, (*needs, function))) + "\n", function.__name__)

    @property
    def digest(self):
        return hashlib.sha256(self.source.encode()).hexdigest()


def source_of(thing):
    """The source of a function or class, from its file or its notebook's cell."""
    code = thing
    if inspect.isclass(thing):
        code = next(value for value in vars(thing).values() if inspect.isfunction(value))
    text = "".join(linecache.getlines(inspect.unwrap(code).__code__.co_filename))
    for node in parse(text).body if text else ():
        if getattr(node, "name", None) == thing.__name__:
            return get_source_segment(text, node)
    raise ValueError(f"the source of {thing.__name__} is not to be found: put the entry into a file")


class Runs:
    """The runs of a contender, one after the other: `self()` asks the next, and keeps what was answered."""

    def __init__(self, contender, prepared):
        self.contender, self.answers = contender, []
        self.prepared = itertools.cycle(prepared)

    def __call__(self):
        truth, messages = next(self.prepared)
        self.answers.append((truth, self.contender.ask(messages)))

    def marks(self, task, items):
        """The mean mark of each item (an image, a text) over all the runs that asked for it."""
        sums, counts = dict.fromkeys(items, 0.0), dict.fromkeys(items, 0)
        for truth, answers in self.answers:
            for item, mark in zip(truth, task.mark(truth, [from_bytes(answer) for answer in answers])):
                sums[item] += mark
                counts[item] += 1
        return np.array([sums[item] / max(counts[item], 1) for item in items])


def measure(task, entry, seed, pairs):
    """Build the entry, let it and the baseline answer in turns, and give what was measured."""
    from tinytorch.benchmarking import (
        compare,
    )  # here, so that an entry that imports its helpers need not load SciPy

    if (size := len(entry.source.encode())) > LONGEST:
        raise Refused(f"the source has {size:,} bytes, and at most {LONGEST:,} are allowed")
    model = build_entry(entry.source, entry.function, task.baseline, task.data, seed)
    prepared = []
    for number in range(pairs + task.warm_up):
        inputs, truth = task.run(seed, number)
        prepared.append((list(truth), [to_bytes(x) for x in inputs]))
    with Contender("", task.baseline, seed) as one, Contender(entry.source, model, seed) as other:
        baseline, better = Runs(one, prepared), Runs(other, prepared)
        options = {
            "warmup": task.warm_up,
            "pairs": pairs,
            "precision": None,
            "max_seconds": 120,
            "seed": seed,
        }
        times = compare(baseline, better, clock=clock_of(one, other), **options)
    asked = [{item for truth, _ in runs.answers for item in truth} for runs in (baseline, better)]
    items = sorted(asked[0] & asked[1])
    marks = [runs.marks(task, items) for runs in (baseline, better)]
    return times, (len(task.baseline), len(model) + len(entry.source.encode())), marks


def run_event(event, entry, seed=None, pairs=None):
    """Judge an entry in an event, and give its record, signed off.

    Args:
        event: an `Event`, or its name, such as "latency on digits".
        entry: an `Entry`.
        seed: of everything that is drawn; by default unpredictable, and stored in the record.
        pairs: runs of the baseline and of the entry, at least 6; by default the task's.

    Returns:
        A dict that JSON can hold. Its "verdict" is "wins", "loses", "no difference shown" or "refused".
    """
    from tinytorch.benchmarking import environment

    event = event if isinstance(event, Event) else Event(*event.split(" on "))
    task = TASKS[event.task]
    seed, pairs = secrets.randbits(32) if seed is None else seed, pairs or task.pairs
    record = {
        "event": str(event), "entry": entry.name, "source": entry.source, "function": entry.function,
        "digest": entry.digest, "baseline": hashlib.sha256(task.baseline).hexdigest(), "seed": seed,
        "pairs": pairs, "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "environment": environment(),
    }  # fmt: skip
    try:
        times, sizes, marks = measure(task, entry, seed, pairs)
        record |= judged(event, task, times, sizes, marks) | {"environment": times.environment}
    except Refused as error:
        record |= {"verdict": "refused", "reason": str(error)}
    return sign_off(record)


def judged(event, task, times, sizes, marks):
    """What was measured, the scores, and the verdict by the learner's rules."""
    qualities = [float(task.quality(one)) for one in marks]
    scores = {
        "latency": Score(times.ratio, *times.interval),
        "memory": Score(*[sizes[0] / sizes[1]] * 3),
        "accuracy": paired_interval(*marks, task.quality),
    }
    floor, reason = task.floor * qualities[0], ""
    verdict = decide(scores["latency"], qualities[1], floor, event.margin)
    if verdict == "refused":  # whatever the score, of which some may be 0
        reason = f"an accuracy of {qualities[1]:.4f} is below the floor, {floor:.4f}"
    else:
        if min(times.interval) == 0 or max(times.interval) == np.inf:
            raise Refused(f"{len(times.a)} pairs of runs are too few for an interval of 95%")
        scores["all-round"] = all_round(list(scores.values()))  # all of them are positive
        verdict = decide(scores[event.kind], qualities[1], floor, event.margin)
    measured = {"bytes": list(sizes), "accuracy": qualities, "floor": floor}
    listed = {kind: [float(x) for x in (s.ratio, s.low, s.high)] for kind, s in scores.items()}
    return {"verdict": verdict, "reason": reason, "measured": measured, "scores": listed}


def run_again(record):
    """Judge a record again from its seed; returns messages about differences, and the new record."""
    if not is_intact(record):
        return ["the record has been changed since it was signed off"], None
    kind, _, task = record["event"].partition(" on ")
    entry = Entry(record["entry"], record["source"], record["function"])
    new = run_event(Event(kind, task), entry, record["seed"], record["pairs"])
    differ = [name for name in ("baseline", "verdict", "reason") if new[name] != record[name]]
    old_measured, measured = record.get("measured", {}), new.get("measured", {})
    differ += [
        name for name in old_measured if not np.allclose(old_measured[name], measured.get(name, 0), 1e-3)
    ]
    return [f"{name} was {said(record, name)}, and is {said(new, name)}" for name in differ], new


def said(record, name):
    return record[name] if name in record else record.get("measured", {}).get(name)
