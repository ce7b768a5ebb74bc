# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class profile:
    acc_events: Any
    activities: Any
    kept: Any
    on_trace_ready: Any
    origin: Any
    profile_memory: Any
    record_shapes: Any
    recorder: Any
    schedule: Any
    step_num: Any
    step_start: Any
    with_flops: Any
    def __enter__(self): ...
    def __exit__(self, *error) -> None: ...
    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes: _bool = False, profile_memory: _bool = False, with_stack: _bool = False, with_flops: _bool = False, with_modules: _bool = False, experimental_config=None, execution_trace_observer=None, acc_events: _bool = False, use_cuda=None, custom_trace_id_callback=None, post_processing_timeout_s=None) -> None: ...
    def by_module(self, depth=None): ...
    current_action: Any
    def events(self):
        """All events, in the order in which they began."""
    def export_chrome_trace(self, path):
        """Write the events for Chrome's viewer and for Perfetto; compressed if the name ends in .gz."""
    def finish(self):
        """End a recording, and hand it out."""
    def follow(self, action):
        """Record, or not, as the action says."""
    def key_averages(self, group_by_input_shape: _bool = False, group_by_stack_n=0, group_by_overload_name: _bool = False):
        """Operations, rules and marked parts, those of one name together; see `EventList`."""
    def mark_step(self): ...
    def start(self):
        """Begin, with step 0."""
    def step(self):
        """Mark the end of a step of the program."""
    def stop(self):
        """Stop; a recording that is not complete is handed out as well."""
class ProfilerAction:
    """What a profiler does in a step."""
    DEVICE_STOPPED: Any
    NONE: Any
    RECORD: Any
    RECORD_AND_SAVE: Any
    WARMUP: Any
    def __init__(self, *args, **kwds) -> None: ...
    name: Any
    value: Any
class ProfilerActivity:
    """The kinds of activity that can be requested; only the processor is there."""
    CPU: Any
    CUDA: Any
    HPU: Any
    MTIA: Any
    PrivateUse1: Any
    XPU: Any
    def __init__(self, *args, **kwds) -> None: ...
    name: Any
    value: Any
class record_function:
    args: Any
    name: Any
    starts: Any
    def __call__(self, func): ...
    def __enter__(self): ...
    def __exit__(self, *error) -> None: ...
    def __init__(self, name, args=None) -> None: ...
def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """Say in which steps a profiler records: a function from a step's number to an action."""
def supported_activities():
    """The activities that this machine has."""
def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip: _bool = False, use_python_export: _bool = False): ...
