"""The older way to profile a block, as in torch.autograd.profiler: its `profile` answers for its events."""

from tinytorch import profiling

__all__ = []  # imported when it is asked for: tinytorch.autograd.profiler


class profile(profiling.profile):
    """Record what runs in a `with` block: `profiler.profile` with the older options and answers.

    Args:
        enabled: whether anything is recorded.
        record_shapes, with_flops, profile_memory, with_stack, with_modules: as in `profiler.profile`.
        use_cpu, use_cuda, use_device, use_kineto: not read, for there is one processor.

    >>> from tinytorch.autograd.profiler import profile
    >>> with profile() as prof:
    ...     _ = torch.ones(2).exp()
    >>> [event.name for event in prof.function_events]
    ['Exp']
    """

    def __init__(
        self, enabled=True, *, use_cuda=False, use_device=None, record_shapes=False, with_flops=False,
        profile_memory=False, with_stack=False, with_modules=False, use_kineto=True, use_cpu=True,
        experimental_config=None, acc_events=False, custom_trace_id_callback=None,
    ):  # fmt: skip
        super().__init__(
            record_shapes=record_shapes, with_flops=with_flops, profile_memory=profile_memory,
            with_stack=with_stack, with_modules=with_modules, experimental_config=experimental_config,
            acc_events=acc_events, custom_trace_id_callback=custom_trace_id_callback,
        )  # fmt: skip
        self.enabled = enabled

    def __enter__(self):
        return super().__enter__() if self.enabled else self

    @property
    def function_events(self):
        """All events, in the order in which they began."""
        return self.events()

    def table(self, sort_by=None, row_limit=100, **options):
        """The events as text; see `EventList.table`."""
        return self.events().table(sort_by, row_limit, **options)

    def total_average(self):
        """All events in one."""
        return self.events().total_average()

    @property
    def self_cpu_time_total(self):
        """Microseconds of all events together."""
        return self.events().self_cpu_time_total
