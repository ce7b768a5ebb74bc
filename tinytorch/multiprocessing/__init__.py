"""Processes, as in torch.multiprocessing: Python's own, between which a tensor is sent as a copy."""

import multiprocessing
from multiprocessing import *  # noqa: F403

__all__ = [*multiprocessing.__all__, "get_sharing_strategy", "set_sharing_strategy", "spawn"]


class ProcessRaisedException(Exception):
    """One of the processes that `spawn` started has failed."""


def get_all_sharing_strategies():
    """The ways in which memory is shared: none is."""
    return {"file_system"}


def get_sharing_strategy():
    """The way in which memory is shared."""
    return "file_system"


def set_sharing_strategy(new_strategy):
    """Choose the way in which memory is shared, of which there is one."""
    if new_strategy not in get_all_sharing_strategies() | {"file_descriptor"}:
        raise AssertionError(f"Invalid sharing strategy {new_strategy}")


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Run `fn(number, *args)` in `nprocs` processes; ProcessRaisedException if one of them fails."""
    context = multiprocessing.get_context(start_method)
    processes = [context.Process(target=fn, args=(number, *args), daemon=daemon) for number in range(nprocs)]
    for process in processes:
        process.start()
    if not join:
        return processes
    for number, process in enumerate(processes):
        process.join()
        if process.exitcode:
            raise ProcessRaisedException(f"process {number} terminated with exit code {process.exitcode}")
    return None
