"""What module 19 shares with PyTorch: a Timer on a clock that only the timed code moves, its measurements and tables."""

from importlib import import_module

from golden import Area

area = Area()


class Clock:
    """Seconds that pass only while `work` runs; each reading may take some, too."""

    def __init__(self, reading=0.0):
        self.now, self.reading, self.calls = 0.0, reading, 0

    def __call__(self):
        self.now += self.reading
        return self.now

    def work(self, *seconds):
        """Take the seconds in turn."""
        self.now += seconds[self.calls % len(seconds)]
        self.calls += 1


def helpers(torch):
    b = import_module(f"{torch.__name__}.utils.benchmark")

    def timer(*seconds, reading=0.0, **options):
        clock = Clock(reading)
        names = {"work": clock.work, "seconds": seconds}
        return b.Timer("work(*seconds)", timer=clock, globals=names, **options)

    def said(m):
        return [
            m.number_per_run, m.raw_times, m.times, m.median, m.mean, m.iqr, m.significant_figures, m.has_warnings,
            m.meets_confidence(), m.meets_confidence(0.3), m.title, m.as_row_name, m.num_threads, m.stmt, m.label,
            repr(m).partition("\n")[2],
        ]  # fmt: skip

    def measured(*times, number=1, **words):
        words = {"description": "times", **words}
        return b.Measurement(number, list(times), b.TaskSpec("work()", "pass", **words))

    def table(*measurements, **calls):
        compare = b.Compare(measurements)
        for name, arguments in calls.items():
            getattr(compare, name)(**arguments)
        return str(compare)

    def threads(n):
        before = torch.get_num_threads()
        with b.set_torch_threads(n):
            inside = torch.get_num_threads()
        return [inside, torch.get_num_threads() == before]

    return {
        "b": b,
        "threads": threads,
        "timer": timer,
        "said": said,
        "measured": measured,
        "table": table,
        "Clock": Clock,
    }


options = {"given": helpers, "gradient": False}
area.each(
    "",
    [],
    """
    said(timer(0.5).timeit(7)); said(timer(0.25, 0.5, 1.0).timeit(300)); said(timer(1e-12).timeit(2))
    said(timer(0.003).blocked_autorange()); said(timer(0.001, 0.002, 0.009).blocked_autorange(min_run_time=0.05))
    said(timer(0.125).blocked_autorange(min_run_time=0)); said(timer(2e-5, reading=1e-6).blocked_autorange())
    said(timer(3e-7, reading=5e-8).blocked_autorange(min_run_time=0.02))
    said(timer(0.02).adaptive_autorange()); said(timer(0.02, 0.04, 0.03).adaptive_autorange(max_run_time=0.9))
    said(timer(0.02, 0.03, 0.02).adaptive_autorange(0.6)); said(timer(0.02).adaptive_autorange(min_run_time=0.5))
    said(timer(0.5, label="sum", sub_label="wide", description="n=3", env="fast", num_threads=2).timeit(3))
    said(b.Timer("x = 1\\ny = 2", setup="  z = 3", timer=Clock(0.5)).timeit(3))
    said(b.Timer("\\n    x = torch.ones(3)\\n    x + 1\\n", timer=Clock(0.5), language="py").timeit(3))
    """,
    **options,
)
area.each(
    "",
    [],
    """
    said(measured(1.0, 1.1, 1.05, 1.2)); said(measured(1.0, 1.3, 1.0, 1.4, number=10)); said(measured(2e-3))
    said(measured(3e-6, 5e-6, 4e-6)); said(measured(2.0, 2.0, 2.0, 2.0, 2.0)); said(measured(1e-8, 4e-8, number=5))
    said(measured(1.0, 2.0, 4.0, 8.0, 16.0, label="powers"))
    [said(m) for m in b.Measurement.merge([measured(4.0, number=2), measured(1.0, label="x"), measured(3.0, 5.0)])]
    [b.select_unit(t) for t in (3e-8, 2e-6, 4e-5, 0.02, 0.7, 3.0, 5000.0)]
    [b.unit_to_english(u) for u in ("ns", "us", "ms", "s")]; b.ordered_unique([3, 1, 3, 2, 1])
    [b.trim_sigfig(x, n) for x, n in ((3.14159, 2), (3.14159, 4), (1234.5, 2), (0.00567, 1))]
    [each.name for each in b.Language]; [each.value for each in b.Colorize]
    b.TaskSpec("a", "b", label="c", sub_label="d").summarize(); b.TaskSpec("a\\nb", "c\\nd").summarize()
    b.timer() <= b.timer(); threads(2)
    """,
    **options,
)
area.each(
    "",
    [],
    """
    table(measured(1.0, 1.1)); table(measured(1.0, 1.1, 1.2, 1.3, label="a longer title than the table is wide"))
    table(*(measured(t * n, 1.1 * t * n, label="L", sub_label=s, description=f"n={n}") for s, t in (("one", 1e-3), ("other", 4e-3)) for n in (1, 20)))
    table(*(measured(t * n, 1.1 * t * n, label="L", sub_label=s, num_threads=n) for s, t in (("one", 1e-3), ("other", 4e-3)) for n in (1, 2)))
    table(*(measured(t, label="L", sub_label=s, env=e) for s, t in (("one", 1e-3), ("other", 4e-3)) for e in ("old", "newest")))
    table(measured(1.0, label="L"), measured(2.0, label="M"), measured(3.0, label="L"))
    table(measured(1.0, 1.01, 1.02, 1.03, sub_label="x", description="p"), measured(7.12345, sub_label="y", description="q"), trim_significant_figures={})
    table(*(measured(t, sub_label=str(t)) for t in (1.0, 1.05, 1.5, 2.5, 9.0)), colorize={})
    table(*(measured(t, description=str(t)) for t in (1.0, 1.005, 1.05, 1.5, 2.5, 9.0)), colorize={"rowwise": True})
    table(measured(1.0, 1.5, 2.0, 2.5, sub_label="x"), measured(3.0, sub_label="y"), highlight_warnings={})
    table(measured(1.0, 1.1), extend_results={"results": [measured(2.0, sub_label="y")]})
    """,
    **options,
)
area.refused(
    "",
    [],
    """
    b.Timer(lambda: 1); b.Timer(language="java"); b.Timer(global_setup="x = 1"); b.Timer().repeat(); b.Timer().autorange()
    b.Timer("1 +"); b.Compare([1.0]); measured(1.0).unknown
    b.trim_sigfig(1.0, 1.5); b.Timer("1", timer=Clock(1.0)).blocked_autorange(callback=1)
    """,
    given=helpers,
)
