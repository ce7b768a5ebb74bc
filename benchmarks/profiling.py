"""What module 14's tools cost: a training step before them, with them imported, and while they watch."""

import statistics
from contextlib import nullcontext

import tinytorch as torch
from benchmarks.timing import seconds
from tinytorch.profiler import profile
from tinytorch.utils.flop_counter import FlopCounterMode

BLOCKS, REPEATS = 15, 5


def rows() -> list[tuple[str, str]]:
    """Pairs of what was measured and what came out: wanted is 1.0 where nothing watches."""
    step = gpt_step()
    watchers = {
        "as it is": nullcontext,
        "after a profile": nullcontext,
        "in FlopCounterMode": lambda: FlopCounterMode(display=False),
        "in profile()": profile,
    }
    times = {name: [] for name in watchers}
    for _ in range(BLOCKS):
        for name, watcher in watchers.items():
            if name == "after a profile":
                with profile():
                    step()
            with watcher():
                times[name].append(seconds(step, REPEATS))
    medians = {name: statistics.median(blocks) for name, blocks in times.items()}
    return [
        (
            f"a step of a GPT of 3 layers, 96 wide, {name}",
            f"{one * 1e3:.1f} ms, {one / medians['as it is']:.2f}x",
        )
        for name, one in medians.items()
    ]


def gpt_step():
    """A step of training: forward and backward."""
    torch.manual_seed(0)
    model = torch.GPT(torch.GPTConfig(256, 64, 3, 4, 96, dropout=0.0))
    tokens = torch.randint(0, 256, (16, 65))

    def step():
        model.zero_grad()
        logits = model(tokens[:, :-1])
        torch.nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:]).backward()

    return step
