"""What module 14 shares with PyTorch: FLOPs by module, forward and backward; the profiler's schedule, marks and tables."""

from importlib import import_module

from golden import Area, real

area = Area()


def counted(torch, run):
    """The FLOPs of a run: all of them, and those of each module."""
    counter = import_module(f"{torch.__name__}.utils.flop_counter").FlopCounterMode(display=False)
    with counter:
        run()
    by_module = {path: sum(counts.values()) for path, counts in counter.get_flop_counts().items()}
    return [counter.get_total_flops(), dict(sorted(by_module.items()))]


def counters(torch):
    """`forward(model, *inputs)` and `backward(...)`, which count; products of matrices for attention."""

    def forward(model, *inputs):
        return counted(torch, lambda: model(*inputs))

    def backward(model, *inputs):
        return counted(torch, lambda: model(*inputs).sum().backward())

    def attend(q, k, v):
        return torch.softmax(q @ k.transpose(-1, -2), -1) @ v

    return {"forward": forward, "backward": backward, "attend": attend}


options = {"given": counters, "gradient": False}
area.each(
    "x, y",
    [
        (real(3, 4), real(4, 5)),
        (real(2, 3, 4), real(2, 4, 5)),
        (real(2, 3, 4), real(4, 5)),
        (real(1, 4), real(4, 1)),
    ],
    "forward(torch.matmul, x, y); forward(lambda x, y: (x + y.mean()).exp().sum(), x, y)",
    **options,
)
area.each(
    "x, y",
    [(real(2, 3, 4), real(2, 4, 5))],
    "forward(lambda x, y: torch.einsum('bij,bjk->bik', x, y), x, y); forward(torch.bmm, x, y)",
    **options,
)
area.each(
    "x",
    [(real(6, 4),), (real(2, 3, 4),)],
    """
    forward(nn.Linear(4, 7), x); forward(nn.Linear(4, 7, bias=False), x); backward(nn.Linear(4, 7), x)
    forward(nn.Sequential(nn.Linear(4, 7), nn.ReLU(), nn.Linear(7, 2)), x)
    backward(nn.Sequential(nn.Linear(4, 7), nn.Tanh(), nn.Sequential(nn.Linear(7, 5), nn.Linear(5, 2))), x)
    backward(nn.Sequential(nn.Linear(4, 7).requires_grad_(False), nn.Linear(7, 2)), x)
    """,
    **options,
)
area.each(
    "x",
    [(real(2, 4, 9, 7),)],
    """
    forward(nn.Conv2d(4, 6, 3), x); backward(nn.Conv2d(4, 6, 3), x)
    forward(nn.Conv2d(4, 6, (3, 2), stride=2, padding=1, groups=2), x)
    backward(nn.Sequential(nn.Conv2d(4, 6, 3, padding=1), nn.MaxPool2d(2), nn.Conv2d(6, 4, 2)), x)
    backward(nn.Sequential(nn.Conv2d(4, 3, 3, dilation=2), nn.Flatten(), nn.Linear(45, 3)), x)
    """,
    **options,
)
area.each(
    "q, k, v",
    [(real(2, 3, 5, 4), real(2, 3, 6, 4), real(2, 3, 6, 2))],
    "forward(attend, q, k, v)",
    **options,
)


def plans(torch):
    """The names of what a schedule plans for the first twelve steps."""

    def plan(**rounds):
        schedule = torch.profiler.schedule(**rounds)
        return [schedule(step).name for step in range(12)]

    return {"plan": plan}


area.each(
    "",
    [],
    """
    plan(wait=1, warmup=1, active=2); plan(wait=1, warmup=1, active=2, repeat=2); plan(wait=0, warmup=0, active=1)
    plan(wait=2, warmup=0, active=1, skip_first=3); plan(wait=2, warmup=1, active=2, repeat=1, skip_first=1)
    plan(wait=2, warmup=1, active=1, repeat=2, skip_first=1, skip_first_wait=1)
    [action.name for action in torch.profiler.ProfilerAction]; torch.profiler.ProfilerAction.RECORD_AND_SAVE.value
    torch.profiler.ProfilerActivity.CPU in torch.profiler.supported_activities()
    torch.profiler.ProfilerActivity.CPU.name; torch.profiler.ProfilerActivity.CUDA.name
    """,
    given=plans,
)
area.refused(
    "",
    [],
    """
    torch.profiler.schedule(wait=-1, warmup=0, active=1); torch.profiler.schedule(wait=0, warmup=0, active=0)
    torch.profiler.schedule(1, 1, 1); torch.profiler.schedule(wait=1, warmup=1)
    """,
)


def recorded(torch, steps=0, **options):
    """A profile of some marked work, with a step after each round of it."""
    prof = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], **options)
    with prof:
        for _ in range(max(steps, 1)):
            with torch.profiler.record_function("outer"):
                for _ in range(3):
                    with torch.profiler.record_function("inner"):
                        torch.ones(4, 4) @ torch.ones(4, 4)
            if steps:
                prof.step()
    return prof


@area.case()
def marks_are_rows(torch):
    averages = recorded(torch).key_averages()
    rows = {row.key: row for row in averages if row.key in ("outer", "inner")}
    outer, inner = rows["outer"], rows["inner"]
    times = [
        outer.cpu_time_total >= inner.cpu_time_total >= inner.self_cpu_time_total >= 0,
        outer.self_cpu_time_total <= outer.cpu_time_total,
        abs(inner.cpu_time * 3 - inner.cpu_time_total) < 1,
    ]
    return [outer.count, inner.count, *times, [e.name for e in recorded(torch).events() if e.name in rows]]


@area.case()
def a_decorated_function_is_marked(torch):
    @torch.profiler.record_function("work")
    def work(x):
        return x + 1

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as prof:
        result = [work(1), work(2)]
    return [result, [row.count for row in prof.key_averages() if row.key == "work"]]


@area.case()
def a_scheduled_profile_hands_out_its_recordings(torch):
    found = []

    def ready(prof):
        names = [e.name for e in prof.events() if e.name.startswith("ProfilerStep")]
        outer = sum(e.name == "outer" for e in prof.events())
        found.append([prof.step_num, names, outer])

    plan = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=2)
    recorded(torch, 9, schedule=plan, on_trace_ready=ready)
    return found


@area.case()
def a_table_is_text(torch):
    averages = recorded(torch, with_flops=True, record_shapes=True).key_averages(group_by_input_shape=True)
    text = averages.table(sort_by="self_cpu_time_total", row_limit=5, header="work")
    return [
        "outer" in text,
        "Self CPU time total" in text,
        "# of Calls" in text,
        "work" in text.split("\n")[1],
    ]


@area.case()
def traces_are_written_where_a_handler_says(torch):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        handler = torch.profiler.tensorboard_trace_handler(folder, worker_name="me")
        recorded(torch, on_trace_ready=handler)
        files = [path.name for path in Path(folder).iterdir()]
    return [len(files), files[0].startswith("me."), files[0].endswith(".pt.trace.json")]


@area.case()
def formulas_are_registered(torch):
    return callable(
        import_module(f"{torch.__name__}.utils.flop_counter").register_flop_formula("an operation")
    )
