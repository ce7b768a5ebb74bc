"""Worker processes: how they begin, live by `work` and `Fetcher`, each at the end of a pipe, and end."""

import contextlib
import itertools
import math
import multiprocessing
import os
import queue
import random
import signal
import threading
import time
import weakref
from dataclasses import dataclass
from multiprocessing import connection
from typing import Any

import numpy as np

from tinytorch.dataloader import Fetcher, work
from tinytorch.given.dataloader.worker_messages import collect, post
from tinytorch.tensor import manual_seed

__all__ = ["Passes", "WorkerInfo", "Workers", "become_worker", "get_worker_info", "listen", "stop"]


@dataclass(frozen=True)
class WorkerInfo:
    """Who a worker is: its number, how many there are, its seed, and its copy of the data set."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


worker_info = None


def get_worker_info():
    """Who this worker is; None in the main process."""
    return worker_info


def become_worker(loader, number, base_seed, link, links):
    """Live as a worker process: until the parent says that it is over, or is gone."""
    global worker_info
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in links:  # the parent's ends, which were copied with the rest of it
        other.close()
    tasks = queue.SimpleQueue()
    threading.Thread(target=listen, args=(link, tasks), daemon=True).start()
    seed = base_seed + number
    random.seed(seed)
    manual_seed(seed)
    entropy = [number, base_seed % 2**32, base_seed >> 32, 0]
    np.random.seed(np.random.SeedSequence(entropy).generate_state(4))
    worker_info = WorkerInfo(number, loader.num_workers, seed, loader.dataset)
    with contextlib.suppress(BrokenPipeError):
        work(
            iter(tasks.get, None),
            Passes(loader, number),
            lambda task, answer: post(link, task, answer, number),
            number,
        )


def listen(link, tasks):
    """Put what the parent sends where the worker finds it; once the parent is gone, leave at once."""
    with contextlib.suppress(EOFError, OSError):
        while (task := link.recv()) is not None:
            tasks.put(task)
        tasks.put(None)
        return
    os._exit(1)


class Passes:
    """A worker's Fetcher, a new one for each pass through the data, made when its first task comes."""

    def __init__(self, loader, number):
        self.loader, self.number, self.current = loader, number, 0

    def __call__(self, index):
        current, index = index
        if not self.current and self.loader.worker_init_fn is not None:
            self.loader.worker_init_fn(self.number)
        if current != self.current:
            self.fetch, self.current = Fetcher(self.loader), current
        return self.fetch(index)


class Workers:
    """Forked processes that answer tasks, each at the other end of a pipe."""

    def __init__(self, loader, base_seed):
        self.links, self.processes, self.current, self.timeout = [], [], 0, loader.timeout
        self.close = weakref.finalize(self, stop, self.links, self.processes, os.getpid())
        fork = multiprocessing.get_context("fork")
        for number in range(loader.num_workers):
            here, there = fork.Pipe()
            self.links.append(here)
            life = (loader, number, base_seed, there, list(self.links))
            process = fork.Process(target=become_worker, args=life, daemon=True)
            process.start()
            self.processes.append(process)
            there.close()

    def begin(self):
        """Begin a pass: every worker has data, and answers from the previous pass no longer count."""
        self.current += 1
        workers = range(len(self.links))
        self.active, self.turns = set(workers), itertools.cycle(workers)

    def submit(self, task, index):
        """Give a task to the next worker in turn whose data is not at its end."""
        worker = next(worker for worker in self.turns if worker in self.active)
        with contextlib.suppress(OSError):  # it is dead, which `receive` will find
            self.links[worker].send(((self.current, task), (self.current, index)))

    def receive(self):
        """Wait for an answer: the task, and a pair of the worker and what it says."""
        deadline = time.monotonic() + (self.timeout or math.inf)
        while True:
            seconds = max(0, min(1, deadline - time.monotonic()))
            for link in connection.wait(self.links, seconds):
                with contextlib.suppress(EOFError, OSError):
                    (current, task), answer = collect(link)
                    if current == self.current:
                        return task, (self.links.index(link), answer)
            dead = [str(process.pid) for process in self.processes if not process.is_alive()]
            if dead:
                raise RuntimeError(f"DataLoader worker (pid(s) {', '.join(dead)}) exited unexpectedly")
            if time.monotonic() > deadline:
                raise RuntimeError(f"DataLoader timed out after {self.timeout} seconds")


def stop(links, processes, owner):
    """End the workers: ask them, wait for at most a second, then make them."""
    if os.getpid() != owner:  # this is a copy, in a worker of another loader
        return
    for link in links:
        with contextlib.suppress(OSError):
            link.send(None)
        link.close()
    deadline = time.monotonic() + 1
    for process in processes:
        process.join(max(0, deadline - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join()
