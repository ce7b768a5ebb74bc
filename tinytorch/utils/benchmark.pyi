# Written by `make types`, from course.yaml and the reference.
import builtins
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar
_T = TypeVar("_T")
from tinytorch._typed import Device, Dims, Generator, Operand, Size, Tensor, _device, _dtype
class Compare:
    """Show many Measurements in tables, one for each label."""
    def __init__(self, results) -> None: ...
    def colorize(self, rowwise: _bool = False):
        """Colour the best and the worst of each column, or of each row."""
    def extend_results(self, results):
        """Add Measurements to those that are there."""
    def highlight_warnings(self):
        """Mark the times whose quartiles are far apart."""
    def print(self):
        """Print the tables."""
    def trim_significant_figures(self):
        """Show only the significant digits."""
class Measurement:
    """The times of a statement: `raw_times` in seconds, each of `number_per_run` executions."""
    number_per_run: Any
    raw_times: Any
    task_spec: Any
    def __eq__(self, other): ...
    def __getattr__(self, name): ...
    def __init__(self, number_per_run, raw_times, task_spec, metadata=None) -> None: ...
    as_row_name: Any
    has_warnings: Any
    interval: Any
    iqr: Any
    mean: Any
    median: Any
    def meets_confidence(self, threshold: _float = 0.1):
        """Whether the distance of the quartiles is below this share of the median."""
    @staticmethod
    def merge(measurements):
        """Put the times of equal tasks together, a Measurement for each task."""
    metadata: Any
    quartiles: Any
    significant_figures: Any
    times: Any
    title: Any
    def warning(self):
        """PyTorch's warning as lines, or none."""
class TaskSpec:
    """What a Timer was asked to time."""
    setup: Any
    stmt: Any
    def __eq__(self, other): ...
    def __init__(self, stmt, setup, global_setup: str = '', label=None, sub_label=None, description=None, env=None, num_threads=1) -> None: ...
    def __setattr__(self, name, value): ...
    description: Any
    env: Any
    global_setup: str
    label: Any
    num_threads: _int
    def setup_str(self): ...
    sub_label: Any
    def summarize(self):
        """What was timed, for the text of a Measurement."""
    title: Any
class Timer:
    def __init__(self, stmt: str = 'pass', setup: str = 'pass', global_setup: str = '', timer=..., globals=None, label=None, sub_label=None, description=None, env=None, num_threads=1, language=...) -> None: ...
    def adaptive_autorange(self, threshold: _float = 0.1, *, min_run_time: _float = 0.01, max_run_time: _float = 10.0, callback=None):
        """Measure blocks until the distance of the quartiles is below `threshold` of the median."""
    def autorange(self, callback=None): ...
    def blocked_autorange(self, callback=None, min_run_time: _float = 0.2):
        """Measure blocks of executions, long enough for the clock, for `min_run_time` seconds."""
    def collect_callgrind(self, number=100, *, repeats=None, collect_baseline: _bool = True, retain_out_file: _bool = False): ...
    def repeat(self, repeat=-1, number=-1): ...
    def timeit(self, number=1000000):
        """Measure once: `number` executions, after a hundredth of them as a warm-up."""
class Colorize:
    COLUMNWISE: Any
    NONE: Any
    ROWWISE: Any
    def __init__(self, *args, **kwds) -> None: ...
    name: Any
    value: Any
class Language:
    CPP: Any
    PYTHON: Any
    def __init__(self, *args, **kwds) -> None: ...
    name: Any
    value: Any
def ordered_unique(elements):
    """Return the elements, each once, in a list in the order in which they first came."""
def select_unit(t):
    """The unit in which t seconds are best read, and its seconds."""
def set_torch_threads(n):
    """Let the framework use n threads inside a `with` block."""
def timer():
    """Wall-clock seconds, after the device has finished."""
def trim_sigfig(x, n):
    """Round x to n significant figures."""
def unit_to_english(u): ...
