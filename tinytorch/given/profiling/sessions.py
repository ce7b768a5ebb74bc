"""`profile` and what goes with it, as in torch.profiler: a Watch that keeps an Event of all that it sees."""

import contextlib
import enum
import gzip
import json
import os
import socket
import time
import tracemalloc
from pathlib import Path

from tinytorch.given.profiling.tables import EventList, module_table
from tinytorch.profiling import Event, Watch, bytes_moved, call_flops, self_times

__all__ = [
    "ProfilerAction", "ProfilerActivity", "Recorder", "profile", "record_function", "schedule",
    "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip

recorders = []  # those that are recording


class ProfilerActivity(enum.Enum):
    """The kinds of activity that can be requested; only the processor is there."""

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = range(6)


class ProfilerAction(enum.Enum):
    """What a profiler does in a step."""

    NONE, WARMUP, RECORD, RECORD_AND_SAVE, DEVICE_STOPPED = range(5)


def supported_activities():
    """The activities that this machine has."""
    return {ProfilerActivity.CPU}


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """Say in which steps a profiler records: a function from a step's number to an action.

    After `skip_first` steps come rounds: `wait` steps of nothing, `warmup` steps, `active` steps that are
    recorded. After `repeat` rounds, where it is not 0, nothing more. With `skip_first_wait` the first round
    does not wait.

    >>> [plan(step).name for plan in [schedule(wait=1, warmup=0, active=1, repeat=1)] for step in range(3)]
    ['NONE', 'RECORD_AND_SAVE', 'NONE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    length = wait + warmup + active

    def plan(step):
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step += (wait if skip_first_wait else 0) - skip_first
        place = step % length
        if (repeat and step >= repeat * length) or place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == length - 1 else ProfilerAction.RECORD

    return plan


class Recorder(Watch):
    """A Watch that makes an Event of each call; of `record_function`'s parts too."""

    def __init__(self, shapes, memory, flops):
        super().__init__(self.keep)
        self.shapes, self.memory, self.flops = shapes, memory, flops
        self.events, self.taken = [], []  # for each event that is running: bytes before it, and within it

    def __enter__(self):
        self.traces = self.memory and not tracemalloc.is_tracing()
        if self.traces:
            tracemalloc.start()
        recorders.append(self)
        self.origin = time.perf_counter()
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        recorders.remove(self)
        if self.traces:
            tracemalloc.stop()
        self.events.sort(key=lambda event: (event.start, -event.end))
        operations = [event for event in self.events if event.kind != "module"]
        for events in (self.events, operations):  # the table of operations has no rows for modules
            spans = [(event.start, event.end) for event in events]
            for event, seconds in zip(events, self_times(spans)):
                event.self_time = seconds

    def event(self, frame, event, argument):
        running = len(self.running)
        super().event(frame, event, argument)
        if len(self.running) > running:
            self.begun()

    def begun(self):
        """Record the memory in use when an event begins."""
        self.taken.append([tracemalloc.get_traced_memory()[0] if self.memory else 0, 0])

    def grown(self):
        """By how many bytes memory has grown since the event began: in all, and without inner ones."""
        if not (self.memory and self.taken):
            return 0, 0
        before, inner = self.taken.pop()
        grown = tracemalloc.get_traced_memory()[0] - before
        if self.taken:
            self.taken[-1][1] += grown
        return grown, grown - inner

    def keep(self, call):
        memory, own_memory = self.grown()
        flops = call_flops(call) if self.flops else 0
        # with create_graph a rule runs operations, which are counted themselves
        nbytes = bytes_moved(call) if self.flops and call.function else 0
        shapes = call.shapes if self.shapes else ()
        self.events.append(
            Event(
                call.name, call.kind, call.module, call.start, call.end, shapes, flops, nbytes,
                memory, 0.0, own_memory,
            )
        )  # fmt: skip

    def keep_record(self, name, start):
        end = time.perf_counter()
        memory, own_memory = self.grown()
        self.events.append(Event(name, "record", "", start, end, (), 0, 0, memory, 0.0, own_memory))


def trace_event(event, origin, pid=1, tid=1):
    """Describe an Event in Chrome's trace format: microseconds since `origin`, shapes as lists."""
    shapes = [list(shape) for shape in event.shapes if shape is not None]
    return {
        "name": event.name,
        "cat": event.kind,
        "ph": "X",
        "ts": (event.start - origin) * 1e6,
        "dur": event.time * 1e6,
        "pid": pid,
        "tid": tid,
        "args": {"module": event.module, "flops": event.flops, "Input Dims": shapes},
    }


class record_function(contextlib.ContextDecorator):
    """Give a part of a program its own row: `with record_function("load"):`, or as a decorator."""

    def __init__(self, name, args=None):
        self.name, self.args, self.starts = name, args, []

    def __enter__(self):
        for recorder in recorders:
            recorder.begun()
        self.starts.append((time.perf_counter(), tuple(recorders)))
        return self

    def __exit__(self, *error):
        start, recording = self.starts.pop()
        for recorder in recording:
            if recorder in recorders:
                recorder.keep_record(self.name, start)


class profile:
    """Record the operations, rules and modules that run in a `with` block, as torch.profiler.profile does.

    Args:
        activities: ignored, since there is only the processor.
        schedule: a function from the number of a step to a ProfilerAction; the program calls `step()`.
        on_trace_ready: called with the profile when a recording is complete.
        record_shapes: keep the shapes of inputs.
        profile_memory: keep by how many bytes the memory grows (slow: every allocation is traced).
        with_flops: count FLOPs, and the bytes that operations move.
        with_modules: ignored, since modules are always recorded.

    Raises:
        NotImplementedError: for `with_stack` and options that concern PyTorch's internals.
    """

    def __init__(
        self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False,
        profile_memory=False, with_stack=False, with_flops=False, with_modules=False,
        experimental_config=None, execution_trace_observer=None, acc_events=False, use_cuda=None,
        custom_trace_id_callback=None, post_processing_timeout_s=None,
    ):  # fmt: skip
        if with_stack or experimental_config or execution_trace_observer or custom_trace_id_callback:
            raise NotImplementedError("profile() records no stacks, and observers are PyTorch's own")
        self.schedule, self.on_trace_ready, self.step_num = schedule, on_trace_ready, 0
        self.record_shapes, self.profile_memory, self.with_flops = record_shapes, profile_memory, with_flops
        self.acc_events, self.activities = acc_events, activities
        self.recorder, self.kept, self.origin = None, [], 0.0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()

    @property
    def current_action(self):
        """What is done in the current step."""
        return self.schedule(self.step_num) if self.schedule else ProfilerAction.RECORD

    def start(self):
        """Begin, with step 0."""
        self.follow(self.current_action)

    def stop(self):
        """Stop; a recording that is not complete is handed out as well."""
        self.finish()

    def step(self):
        """Mark the end of a step of the program."""
        before = self.current_action
        self.step_num += 1
        if before is ProfilerAction.RECORD_AND_SAVE:
            self.finish()
        self.follow(self.current_action)

    def follow(self, action):
        """Record, or not, as the action says."""
        records = action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if records and self.recorder is None:
            self.recorder = Recorder(self.record_shapes, self.profile_memory, self.with_flops)
            self.recorder.__enter__()
        elif records and self.schedule:
            self.mark_step()
        elif not records and self.recorder is not None:
            self.finish()
        self.step_start = time.perf_counter()

    def mark_step(self):
        """Give the step that has just ended an event, under the name that PyTorch gives to all of them."""
        place, now = f"step {self.step_num - 1}", time.perf_counter()
        self.recorder.events.append(Event("ProfilerStep*", "record", place, self.step_start, now))

    def finish(self):
        """End a recording, and hand it out."""
        if self.recorder is None:
            return
        if self.schedule:
            self.step_num += 1
            self.mark_step()
            self.step_num -= 1
        recorder, self.recorder = self.recorder, None
        recorder.__exit__()
        self.origin = recorder.origin
        self.kept = [*self.kept, *recorder.events] if self.acc_events else recorder.events
        if self.on_trace_ready:
            self.on_trace_ready(self)

    def events(self):
        """All events, in the order in which they began."""
        if self.recorder is not None:
            raise AssertionError("profiling is still running: stop it before you look at its events")
        return EventList(self.kept, memory=self.profile_memory, flops=self.with_flops)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """Operations, rules and marked parts, those of one name together; see `EventList`."""
        return self.events().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def by_module(self, depth=None):
        """A table of modules, `depth` levels of them: the time of their operations, forward and backward."""
        return module_table(self.events(), depth)

    def export_chrome_trace(self, path):
        """Write the events for Chrome's viewer and for Perfetto; compressed if the name ends in .gz."""
        about = {"name": "process_name", "ph": "M", "pid": os.getpid(), "args": {"name": "tinytorch"}}
        events = [trace_event(event, self.origin, os.getpid(), 1) for event in self.events()]
        text = json.dumps({"traceEvents": [about, *events], "displayTimeUnit": "ms"})
        opened = gzip.open if str(path).endswith(".gz") else open
        with opened(path, "wt", encoding="utf-8") as file:
            file.write(text)


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False, use_python_export=False):
    """A function for `on_trace_ready`, which writes each recording to a separate file in a folder."""
    Path(dir_name).mkdir(parents=True, exist_ok=True)
    worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"

    def write(prof):
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + ".gz" * use_gzip
        prof.export_chrome_trace(str(Path(dir_name) / name))

    return write
