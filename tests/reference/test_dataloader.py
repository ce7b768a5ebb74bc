"""Module 05 of the reference: workers that fail, die or are left behind, downloads, shards, very long orders."""

import gc
import gzip
import hashlib
import http.server
import io
import itertools
import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import tarfile
import textwrap
import threading
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import tinytorch
from tinytorch import dataloader as module
from tinytorch.dataloader import (
    CIFAR10,
    MNIST,
    Compose,
    DataLoader,
    Dataset,
    Digits,
    Images,
    IterableDataset,
    Normalize,
    PythonDocs,
    RandomCrop,
    RandomHorizontalFlip,
    RandomSampler,
    ShardedDataset,
    SubsetRandomSampler,
    TensorDataset,
    TextFile,
    WeightedRandomSampler,
    download,
    get_worker_info,
    read_idx,
)


class Of(Dataset):
    """A data set of `n` samples that a function makes."""

    def __init__(self, function, n=20):
        self.function, self.n = function, n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return self.function(index)


class Stream(IterableDataset):
    """The numbers below n; among workers, each has every so many-th of them."""

    def __init__(self, n):
        self.n = n

    def __iter__(self):
        info = get_worker_info()
        return iter(range(self.n) if info is None else range(info.id, self.n, info.num_workers))


def numbers(loader):
    return [batch.tolist() for batch in loader]


def wait_until(condition, seconds=5.0):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


@pytest.fixture(autouse=True)
def _no_worker_is_left():
    yield
    gc.collect()
    assert wait_until(lambda: not multiprocessing.active_children()), "a worker was left behind"


# Orders ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("replacement", [True, False])
def test_ten_thousand_million_samples_take_no_memory(replacement):
    sampler = RandomSampler(range(1000), replacement, 10**10)
    assert len(sampler) == 10**10
    tracemalloc.start()
    order = list(itertools.islice(sampler, 2500))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000
    assert replacement != (sorted(order[:1000]) == list(range(1000)))


def test_a_loader_over_ten_thousand_million_samples_begins_at_once():
    data = Of(lambda index: index, 10**10)
    assert numbers(itertools.islice(DataLoader(data, 4, sampler=RandomSampler(range(9), True, 10**10)), 2))
    assert numbers(itertools.islice(DataLoader(data, 2), 2)) == [[0, 1], [2, 3]]
    assert len(DataLoader(data, 3)) == -(-(10**10) // 3)


def test_samplers_of_subsets_and_weights_are_repeatable():
    generator = tinytorch.Generator().manual_seed(1)
    assert sorted(SubsetRandomSampler([5, 7, 9], generator)) == [5, 7, 9]
    drawn = list(WeightedRandomSampler([0.0, 3.0, 1.0], 4000, generator=generator))
    assert abs(np.mean(np.array(drawn) == 1) - 0.75) < 0.03
    assert 0 not in drawn
    assert sorted(WeightedRandomSampler([1.0, 2.0, 3.0], 3, replacement=False)) == [0, 1, 2]
    for wrong in ([[1.0]], 1, True), ([1.0], 0, True), ([1.0], 1, 3):
        with pytest.raises(ValueError, match="should be"):
            WeightedRandomSampler(*wrong)


# Workers --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("options", [{}, {"drop_last": True}, {"prefetch_factor": 5}])
def test_any_number_of_workers_gives_the_same_batches(options):
    data, orders = TensorDataset(tinytorch.arange(23)), []
    for workers in (0, 1, 2, 3):
        tinytorch.manual_seed(7)
        given = {k: v for k, v in options.items() if workers or k == "drop_last"}
        loader = DataLoader(data, 4, shuffle=True, num_workers=workers, **given)
        orders.append([[x.tolist() for (x,) in loader] for _ in range(3)] + [tinytorch.rand(1).item()])
    assert orders[1] == orders[0]
    assert orders[2] == orders[0]
    assert orders[3] == orders[0]


@pytest.mark.parametrize("batch_size", [None, 1, 3])
def test_streams_are_read_once_among_workers(batch_size):
    for workers in (1, 2, 3, 5):
        batches = list(DataLoader(Stream(13), batch_size, num_workers=workers))
        found = batches if batch_size is None else [x for batch in batches for x in batch.tolist()]
        assert sorted(found) == list(range(13)), workers
    assert numbers(DataLoader(Stream(12), 2, num_workers=2)) == [
        [0, 2],
        [1, 3],
        [4, 6],
        [5, 7],
        [8, 10],
        [9, 11],
    ]


def test_streams_are_chained():
    both = Stream(3) + Stream(2)
    assert numbers(DataLoader(both, 2)) == [[0, 1], [2, 0], [1]]
    with pytest.raises(AssertionError, match="only supports IterableDataset"):
        list(Stream(1) + range(3))
    with pytest.raises(TypeError):
        len(both)


def test_persistent_workers_draw_one_base_seed_and_give_one_order():
    orders = []
    for workers in (1, 2, 3):
        tinytorch.manual_seed(7)
        loader = DataLoader(range(23), 4, shuffle=True, num_workers=workers, persistent_workers=True)
        orders.append([numbers(loader) for _ in range(3)] + [tinytorch.rand(1).item()])
    assert orders[1] == orders[0]
    assert orders[2] == orders[0]


def test_persistent_workers_stay_and_others_do_not():
    data = Of(lambda index: os.getpid())
    kept, fresh = (DataLoader(data, num_workers=2, persistent_workers=keep) for keep in (True, False))
    first, second = ({x.item() for x in kept} for _ in range(2))
    assert first == second
    assert len(first) == 2
    assert {x.item() for x in fresh}.isdisjoint(x.item() for x in fresh)
    del kept
    assert wait_until(lambda: not any(map(alive, first)))


def test_a_pass_that_was_broken_off_does_not_reach_into_the_next():
    loader = DataLoader(range(40), 2, num_workers=2, persistent_workers=True)
    for taken in (1, 3, 0):
        assert numbers(itertools.islice(iter(loader), taken)) == [[2 * i, 2 * i + 1] for i in range(taken)]
    assert len(numbers(loader)) == 20


class Counted:
    """Samples, and how many have been loaded, in whatever process."""

    def __init__(self, folder):
        self.path = folder / "loaded"
        self.path.touch()

    def load(self, index):
        with self.path.open("ab") as file:
            file.write(b".")
        return index

    def wait_for(self, count):
        patience = time.monotonic() + 60
        while self.path.stat().st_size < count and time.monotonic() < patience:
            time.sleep(0.01)
        return self.path.stat().st_size


def test_workers_begin_before_the_first_batch_is_asked_for(tmp_path):
    counted = Counted(tmp_path)
    batches = iter(DataLoader(Of(counted.load, 4), num_workers=2))
    assert counted.wait_for(4) == 4
    assert len(list(batches)) == 4


@pytest.mark.parametrize("workers, ahead", [(0, 0), (2, 1)])
def test_workers_load_the_next_batch_while_one_is_computed_with(tmp_path, workers, ahead):
    counted = Counted(tmp_path)
    for number, _ in enumerate(DataLoader(Of(counted.load, 12), num_workers=workers), start=1):
        wanted = min(number + ahead, 12)
        assert counted.wait_for(wanted) >= wanted
        assert workers or counted.path.stat().st_size == number


def test_each_worker_has_random_numbers_of_its_own_for_every_generator():
    data = Of(
        lambda index: (get_worker_info().seed, tinytorch.rand(1).item(), np.random.rand(), random.random()), 8
    )
    tinytorch.manual_seed(3)
    (first, second), again = (list(DataLoader(data, 4, num_workers=2)) for _ in range(2)), None
    for seeds, *drawn in (*first, *second):
        assert len(set(seeds.tolist())) == 1
        assert all(len(set(column.tolist())) == 4 for column in drawn)
    for a, b in itertools.combinations([*first, *second], 2):
        assert not set(itertools.chain(*(c.tolist() for c in a))) & set(
            itertools.chain(*(c.tolist() for c in b))
        )
    assert first[1][0][0] - first[0][0][0] == 1
    tinytorch.manual_seed(3)
    again = list(DataLoader(data, 4, num_workers=2))
    assert [[c.tolist() for c in batch] for batch in again] == [
        [c.tolist() for c in batch] for batch in first
    ]


def test_a_worker_knows_who_it_is():
    data = Of(
        lambda index: (get_worker_info().id, get_worker_info().num_workers, get_worker_info().dataset.n), 6
    )
    found = [[x.item() for x in batch] for batch in DataLoader(data, num_workers=3)]
    assert found == [[i % 3, 3, 6] for i in range(6)]
    assert get_worker_info() is None


def test_worker_init_fn_is_called_once_in_each_worker():
    def init(number):
        get_worker_info().dataset.calls = getattr(get_worker_info().dataset, "calls", 0) + 10**number

    data = Of(lambda index: data.calls, 8)
    loader = DataLoader(data, num_workers=2, worker_init_fn=init, persistent_workers=True)
    for _ in range(2):
        assert [x.item() for x in loader] == [1, 10] * 4


def test_workers_can_be_used_within_workers_loops():
    outer, inner = (
        DataLoader(range(6), 2, num_workers=2),
        DataLoader(range(4), 2, num_workers=2, persistent_workers=True),
    )
    found = [(a.tolist(), numbers(inner)) for a in outer]
    assert found == [([2 * i, 2 * i + 1], [[0, 1], [2, 3]]) for i in range(3)]


def test_a_copy_of_an_iterator_in_another_loaders_worker_does_not_end_its_workers():
    held = {"other": iter(DataLoader(range(40), num_workers=1))}
    assert next(held["other"]).item() == 0

    def drop(index):
        held.clear()
        gc.collect()
        return index

    assert len(list(DataLoader(Of(drop, 4), num_workers=1))) == 4
    assert [x.item() for x in held["other"]] == list(range(1, 40))


def test_what_workers_print_is_not_lost(capfd):
    list(DataLoader(Of(lambda index: print("sample", index) or index, 2), num_workers=1))
    assert capfd.readouterr().out.count("sample") == 2


SPAWNED = """
import multiprocessing, pickle, sys

def read(objects, answers):
    from tinytorch.dataloader import DataLoader
    digits, crop, loader, info = pickle.loads(objects)
    batches = DataLoader(digits, 720, num_workers=2, timeout=20)
    answers.put([len(labels) for _, labels in batches] + [len(list(loader)), crop.size, info.id])

if __name__ == "__main__":
    from tinytorch.dataloader import Compose, DataLoader, Digits, Normalize, RandomCrop, WorkerInfo
    objects = pickle.dumps((
        Digits(transform=Compose([RandomCrop(8, padding=1), Normalize(0.3, 0.4)])), RandomCrop(3),
        DataLoader(Digits(train=False), 100, shuffle=True, num_workers=2), WorkerInfo(1, 2, 3, None),
    ))
    spawn = multiprocessing.get_context(sys.argv[1])
    answers = spawn.Queue()
    process = spawn.Process(target=read, args=(objects, answers))
    process.start()
    print(answers.get(timeout=60))
    process.join()
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_another_process_finds_what_is_given_however_it_was_started(tmp_path, method):
    (tmp_path / "program.py").write_text(SPAWNED)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "program.py", method]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100)
    assert done.stdout == "[720, 717, 4, (3, 3), 1]\n", done.stderr


# What is sent ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kilobytes", [0, 1, 255, 257, 5000])
def test_arrays_of_any_size_arrive_whole_writable_and_aligned(kilobytes):
    def sample(index):
        rng = np.random.default_rng(index)
        half = kilobytes * 128
        return {
            "a": rng.integers(0, 9, half, np.uint8),
            "b": (rng.random(half // 8), f"text {index}", np.zeros((0, 3))),
        }

    for index, batch in enumerate(DataLoader(Of(sample, 5), batch_size=None, num_workers=2)):
        wanted = sample(index)
        np.testing.assert_array_equal(batch["a"].numpy(), wanted["a"])
        np.testing.assert_array_equal(batch["b"][0].numpy(), wanted["b"][0])
        assert batch["b"][1:] == [wanted["b"][1], batch["b"][2]]
        assert batch["b"][2].shape == (0, 3)
        array = batch["b"][0].numpy()
        assert array.flags.writeable
        assert array.flags.aligned
        array += 1


def test_batches_in_shared_memory_outlive_the_workers_and_each_other():
    batches = list(
        DataLoader(Of(lambda index: np.full(10**6, index, np.float32), 6), batch_size=None, num_workers=2)
    )
    batches[0].numpy()[:] = -1
    assert [batch[-1].item() for batch in batches] == [-1, 1, 2, 3, 4, 5]
    assert pickle.loads(pickle.dumps(batches[3]))[0].item() == 3


def test_no_file_is_left_open():
    def opened():
        return len(os.listdir("/proc/self/fd"))

    data = Of(lambda index: np.zeros(10**5), 30)
    list(DataLoader(data, batch_size=None, num_workers=2))
    before = opened()
    for _ in range(3):
        list(DataLoader(data, batch_size=None, num_workers=2))
        next(iter(DataLoader(data, batch_size=None, num_workers=2)))
    gc.collect()
    assert opened() <= before


def test_long_lists_of_indices_and_long_texts_do_not_block_each_other():
    loader = DataLoader(Of(lambda index: f"{index:050}", 200_000), 50_000, num_workers=2, timeout=20)
    assert [len(batch) for batch in loader] == [50_000] * 4


# Failures -------------------------------------------------------------------------------------------------
def fail_at(place, error):
    def sample(index):
        if index == place:
            raise error
        return index

    return Of(sample, 6)


class Picky(Exception):
    def __init__(self, code, reason):
        super().__init__(code, reason)


def test_an_exception_in_a_worker_is_raised_here_with_its_traceback():
    batches = iter(DataLoader(fail_at(2, ValueError("sample 2 is broken")), num_workers=2))
    assert [next(batches).item(), next(batches).item()] == [0, 1]
    with pytest.raises(ValueError, match="sample 2 is broken") as raised:
        next(batches)
    text = str(raised.value)
    assert text.startswith(
        "Caught ValueError in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n"
    )
    assert "raise error" in text
    assert [x.item() for x in batches] == [3, 4, 5], "the others still come"


LOCAL = type("Local", (Exception,), {})


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (KeyError("name"), KeyError),
        (MemoryError(), MemoryError),
        (Picky(3, "why"), RuntimeError),
        (UnicodeDecodeError("utf-8", b"", 0, 1, "x"), RuntimeError),
        (LOCAL("not to be pickled"), RuntimeError),
    ],
)
def test_every_kind_of_exception_is_told(error, kind):
    with pytest.raises(kind) as raised:
        list(DataLoader(fail_at(1, error), num_workers=1))
    assert f"Caught {type(error).__name__} in DataLoader worker process 0.\nOriginal Traceback" in str(
        raised.value
    )


def test_a_batch_that_cannot_be_sent_is_an_error():
    with pytest.raises(RuntimeError, match=r"(?s)Caught .*pickle"):
        list(DataLoader(Of(lambda index: lambda: index), batch_size=None, num_workers=1))


def test_an_exception_in_worker_init_fn_is_raised_here():
    def init(number):
        raise ValueError(f"no worker {number}")

    with pytest.raises(ValueError, match="no worker 0"):
        list(DataLoader(range(4), num_workers=2, worker_init_fn=init))


def test_a_collate_function_that_fails_is_told():
    with pytest.raises(RuntimeError, match="equal size"):
        list(DataLoader([(1,), (1, 2)], 2, num_workers=1))


def test_a_sampler_that_fails_ends_the_workers():
    def order():
        yield 0
        raise ValueError("no order")

    with pytest.raises(ValueError, match="no order"):
        list(DataLoader(range(4), sampler=order(), num_workers=2))


@pytest.mark.parametrize(
    "end", [lambda: os._exit(0), lambda: os.kill(os.getpid(), signal.SIGKILL), lambda: sys.exit(3)]
)
def test_a_worker_that_dies_is_an_error_within_two_seconds(end):
    data = Of(lambda index: end() if index == 3 else index)
    batches, start = iter(DataLoader(data, num_workers=2)), time.perf_counter()
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly"):
        list(batches)
    assert time.perf_counter() - start < 2


def test_a_worker_that_is_killed_from_outside_is_an_error():
    batches = iter(DataLoader(Of(lambda index: time.sleep(0.3) or os.getpid(), 50), num_workers=2))
    victim, start = next(batches).item(), time.perf_counter()
    os.kill(victim, signal.SIGKILL)
    with pytest.raises(RuntimeError, match=str(victim)):
        list(batches)
    assert time.perf_counter() - start < 2


def test_a_loader_whose_persistent_workers_died_starts_new_ones():
    loader = DataLoader(Of(lambda index: os.getpid(), 4), num_workers=2, persistent_workers=True)
    os.kill(next(iter(loader)).item(), signal.SIGKILL)
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(loader)
    assert len(list(loader)) == 4


def test_a_batch_that_does_not_come_in_time_is_an_error():
    loader, start = (
        DataLoader(Of(lambda index: time.sleep(30)), num_workers=1, timeout=0.3),
        time.perf_counter(),
    )
    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 0\.3 seconds"):
        next(iter(loader))
    assert time.perf_counter() - start < 3


# Nothing is left behind -----------------------------------------------------------------------------------
@pytest.mark.parametrize("busy", [0, 30])
def test_stopping_early_ends_the_workers(busy):
    pids, start = set(), time.perf_counter()
    for number, x in enumerate(
        DataLoader(Of(lambda index: time.sleep(busy * (index > 5)) or os.getpid()), num_workers=2)
    ):
        pids.add(x.item())
        if number == 3:
            break
    assert wait_until(lambda: not any(map(alive, pids)), 3)
    assert time.perf_counter() - start < 4


PARENT = """
    import os, sys, time
    from tinytorch.dataloader import DataLoader, Dataset

    class Pids(Dataset):
        def __len__(self):
            return 1000

        def __getitem__(self, index):
            time.sleep(60 if index > 20 else 0)
            return os.getpid()

    batches = iter(DataLoader(Pids(), num_workers=3))
    print(*{next(batches).item() for _ in range(9)}, flush=True)
    {end}
"""


def parent(end):
    """A process that has three workers, and then does what is said; and the workers' pids."""
    script = textwrap.dedent(PARENT).replace("{end}", end)
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", script],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    pids = [int(pid) for pid in process.stdout.readline().split()]
    assert len(pids) == 3
    return process, pids


@pytest.mark.parametrize(
    ("end", "number", "group"),
    [
        ("time.sleep(60)", signal.SIGKILL, False),
        ("time.sleep(60)", signal.SIGTERM, False),
        ("time.sleep(60)", signal.SIGINT, True),
        ("list(batches)", signal.SIGKILL, False),
        ("list(batches)", signal.SIGINT, True),
        ("list(batches)", signal.SIGINT, False),
    ],
)
def test_no_worker_outlives_a_parent_that_is_interrupted_or_killed(end, number, group):
    process, pids = parent(end)
    time.sleep(0.2)
    os.killpg(process.pid, number) if group else process.send_signal(number)
    _, complaints = process.communicate(timeout=10)
    assert process.returncode != 0
    assert wait_until(lambda: not any(map(alive, pids)), 3), "a worker has outlived its parent"
    assert complaints.count("Traceback") <= 1, "only the parent speaks of an interrupt"


@pytest.mark.parametrize(
    ("end", "code"), [("pass", 0), ("raise SystemExit(3)", 3), ("del batches", 0), ("os._exit(0)", 0)]
)
def test_no_worker_outlives_a_parent_that_ends(end, code):
    process, pids = parent(end)
    _, complaints = process.communicate(timeout=10)
    assert (process.returncode, complaints) == (code, "")
    assert wait_until(lambda: not any(map(alive, pids)), 3)


# Options --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("options", [
    {"persistent_workers": True}, {"multiprocessing_context": "fork"}, {"prefetch_factor": 2},
    {"in_order": False}, {"num_workers": 1, "multiprocessing_context": "spawn"}, {"num_workers": 1, "prefetch_factor": -1},
])  # fmt: skip
def test_options_that_contradict_each_other_are_refused(options):
    with pytest.raises(ValueError, match=r"workers|prefetch_factor|in_order|multiprocessing_context"):
        DataLoader(range(3), **options)


def test_what_a_loader_was_made_of_cannot_be_exchanged():
    loader = DataLoader(range(3), num_workers=1, multiprocessing_context=multiprocessing.get_context("fork"))
    for name in ("dataset", "sampler", "batch_size", "drop_last"):
        with pytest.raises(ValueError, match=f"{name} attribute should not be set"):
            setattr(loader, name, None)
    loader.timeout = 3
    assert len(list(loader)) == len(iter(loader)) == 3


def test_gradients_go_through_collating_as_in_pytorch():
    x = tinytorch.ones(2, requires_grad=True)
    assert next(iter(DataLoader([x, x], 2))).requires_grad


# Shards ---------------------------------------------------------------------------------------------------
@pytest.fixture
def shards(tmp_path):
    for number in range(5):
        np.save(tmp_path / f"{number}.npy", np.arange(20, dtype=np.int32) + 20 * number)
    return tmp_path


@pytest.mark.parametrize("workers", [0, 1, 2, 3, 7])
@pytest.mark.parametrize("shuffle", [True, False])
def test_shards_give_every_sample_once_however_many_workers(shards, workers, shuffle):
    found = [
        x for b in DataLoader(ShardedDataset(shards, shuffle, 16), 8, num_workers=workers) for x in b.tolist()
    ]
    assert sorted(found) == list(range(100))
    assert (found == list(range(100))) == (not shuffle and workers < 2)


@pytest.mark.parametrize("options", [{}, {"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}])
def test_each_epoch_of_shards_has_a_new_order_and_a_seed_repeats_it(shards, options):
    runs = []
    for _ in range(2):
        tinytorch.manual_seed(5)
        loader = DataLoader(ShardedDataset(shards, buffer=16), 10, **options)
        runs.append([numbers(loader) for _ in range(3)])
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[0][1] != runs[0][2] != runs[0][0]


def test_shards_of_several_arrays_give_tuples(tmp_path):
    for number in range(2):
        images, labels = np.full((4, 2, 2), number, np.float32), np.arange(4) + 4 * number
        np.savez(tmp_path / f"{number}.npz", images=images, labels=labels)
    batches = list(DataLoader(ShardedDataset(tmp_path, shuffle=False), 3))
    assert [tuple(x.shape) for x, _ in batches] == [(3, 2, 2), (3, 2, 2), (2, 2, 2)]
    assert [y.tolist() for _, y in batches] == [[0, 1, 2], [3, 4, 5], [6, 7]]


def test_shards_whose_arrays_differ_in_length_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.zeros(3), y=np.zeros(2))
    with pytest.raises(ValueError, match="shorter"):
        list(ShardedDataset(tmp_path))


def test_shards_larger_than_memory_are_only_mapped(tmp_path):
    for number in range(4):  # 32 GB, all of it holes
        np.lib.format.open_memmap(tmp_path / f"{number}.npy", "w+", np.float32, (2**20, 2048)).flush()
    tracemalloc.start()
    batches = itertools.islice(DataLoader(ShardedDataset(tmp_path, buffer=64), 16), 20)
    assert sum(batch.shape[0] for batch in batches) == 320
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4e6


def test_a_folder_without_shards_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no \.npy or \.npz file"):
        ShardedDataset(tmp_path)


# Downloads ------------------------------------------------------------------------------------------------
class Server(http.server.ThreadingHTTPServer):
    """Serves `files`, notes the ranges asked for, and can break off, or know nothing of ranges."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.asked, self.ranges, self.break_off = {}, [], True, None
        self.url = f"http://127.0.0.1:{self.server_port}/"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        data, wanted = self.server.files.get(self.path[1:]), self.headers.get("Range")
        self.server.asked.append(wanted)
        if data is None:
            return self.send_error(404)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.server.ranges else 0
        if start and start >= len(data):
            return self.send_error(416)
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        self.wfile.write(data[start : self.server.break_off])
        return None

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    server = Server()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    server.data = np.random.default_rng(0).bytes(300_000)
    server.md5 = hashlib.md5(server.data).hexdigest()
    server.files["file"] = server.data
    yield server
    server.shutdown()
    server.server_close()


def test_a_file_is_downloaded_once_with_a_progress_bar(server, tmp_path, capfd):
    for _ in range(2):
        assert download(server.url + "file", tmp_path / "a" / "b", server.md5).read_bytes() == server.data
    assert server.asked == [None]
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]
    bar = capfd.readouterr().err
    assert "b: 100%" in bar
    assert "300k/300k" in bar


def test_a_download_that_broke_off_goes_on_where_it_was(server, tmp_path):
    server.break_off = 100_000
    with pytest.raises(RuntimeError, match="broke off after 100000 of 300000 bytes"):
        download(server.url + "file", tmp_path / "b", server.md5)
    server.break_off = None
    assert download(server.url + "file", tmp_path / "b", server.md5).read_bytes() == server.data
    assert server.asked == [None, "bytes=100000-"]


def test_a_server_without_ranges_is_read_from_the_front(server, tmp_path):
    server.ranges = False
    (tmp_path / "b.part").write_bytes(server.data[:5000])
    assert download(server.url + "file", tmp_path / "b", server.md5).read_bytes() == server.data


def test_a_part_that_was_complete_is_kept(server, tmp_path):
    (tmp_path / "b.part").write_bytes(server.data)
    assert download(server.url + "file", tmp_path / "b", server.md5).read_bytes() == server.data


@pytest.mark.parametrize("begun", [b"", b"wrong" * 100])
def test_a_file_that_is_another_is_refused_and_not_kept(server, tmp_path, begun):
    if begun:
        (tmp_path / "b.part").write_bytes(begun)
    else:
        server.files["file"] = server.data[:-1] + b"x"
        if server.data[-1:] == b"x":
            server.files["file"] = server.data[:-1] + b"y"
    with pytest.raises(RuntimeError, match="gave another file than the one wanted"):
        download(server.url + "file", tmp_path / "b", server.md5)
    assert not list(tmp_path.iterdir())


def test_a_file_that_went_bad_on_the_disk_is_refused(server, tmp_path):
    (tmp_path / "b").write_bytes(server.data[:1000])
    with pytest.raises(RuntimeError, match="delete it"):
        download(server.url + "file", tmp_path / "b", server.md5)
    assert server.asked == []


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/file", "http://nowhere.invalid/file", "{server}missing", "no url"]
)
def test_without_a_network_the_error_is_one_line(server, tmp_path, url):
    url = url.replace("{server}", server.url)
    with pytest.raises(RuntimeError, match=r"^cannot download [^\n]+$") as raised:
        download(url, tmp_path / "b", server.md5)
    assert url in str(raised.value)
    assert raised.value.__suppress_context__
    assert not (tmp_path / "b").exists()


def idx(array):
    shape = b"".join(n.to_bytes(4, "big") for n in array.shape)
    return gzip.compress(b"\0\0\x08" + bytes([array.ndim]) + shape + array.tobytes())


def serve(server, files):
    """Let the server give these files; the pairs of their names and checksums."""
    server.files |= files
    return tuple((name, hashlib.md5(data).hexdigest()) for name, data in files.items())


def test_mnist_is_read_from_its_files(server, tmp_path):
    rng = np.random.default_rng(0)
    sizes = {"train": 12, "test": 5}
    images = {part: rng.integers(0, 256, (n, 28, 28), np.uint8) for part, n in sizes.items()}
    labels = {part: rng.integers(0, 10, n).astype(np.uint8) for part, n in sizes.items()}
    named = {
        f"{part}-{kind}": idx(a[part])
        for part in sizes
        for kind, a in (("images", images), ("labels", labels))
    }

    class Small(MNIST):
        url = server.url
        files = serve(server, named)

    for part in sizes:
        data = Small(train=part == "train", root=tmp_path)
        assert (len(data), data[0][0].shape, data[0][0].dtype) == (
            sizes[part],
            (1, 28, 28),
            tinytorch.float32,
        )
        np.testing.assert_allclose(data[-1][0].numpy()[0], images[part][-1] / np.float32(255))
        assert [label for _, label in data] == labels[part].tolist()
    assert (tmp_path / "Small" / "train-images").exists()


def test_files_that_are_not_idx_are_refused(tmp_path):
    good = idx(np.zeros((3, 2), np.uint8))
    plain = gzip.decompress(good)
    wrong = [
        b"",
        good[:-9],
        plain,
        gzip.compress(b"\0\0\x0d" + plain[3:]),
        gzip.compress(plain[:-1]),
        gzip.compress(plain[:6]),
    ]
    for data in wrong:
        (tmp_path / "f").write_bytes(data)
        with pytest.raises(RuntimeError, match="is not an IDX file of bytes"):
            read_idx(tmp_path / "f")


def test_cifar10_is_read_from_its_binary_version(server, tmp_path):
    rng, packed = np.random.default_rng(0), io.BytesIO()
    rows = {f"data_batch_{n}.bin": rng.integers(0, 256, (4, 3073), np.uint8) for n in range(1, 6)}
    rows["test_batch.bin"] = rng.integers(0, 256, (3, 3073), np.uint8)
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, array in rows.items():
            array[:, 0] %= 10
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            member.size = array.nbytes
            archive.addfile(member, io.BytesIO(array.tobytes()))
    ((name, md5),) = serve(server, {"cifar": packed.getvalue()})

    class Small(CIFAR10):
        url = server.url + name

    Small.md5 = md5
    train, test = Small(root=tmp_path), Small(train=False, root=tmp_path)
    assert (len(train), len(test), train[0][0].shape) == (20, 3, (3, 32, 32))
    image, label = train[7]
    np.testing.assert_allclose(image.numpy().ravel(), rows["data_batch_2.bin"][3, 1:] / np.float32(255))
    assert label == rows["data_batch_2.bin"][3, 0]


def test_the_real_data_sets_name_checksums_and_classes():
    for data in (MNIST, module.FashionMNIST):
        assert [len(md5) for _, md5 in data.files] == [32] * 4
    assert [len(data.classes) for data in (MNIST, module.FashionMNIST, CIFAR10)] == [10] * 3


# Images and texts -----------------------------------------------------------------------------------------
def test_the_digits_are_split_for_good():
    train, held_out = Digits(), Digits(train=False)
    assert (len(train), len(held_out)) == (1437, 360)
    rows = {
        image.tobytes() + bytes([label])
        for data in (train, held_out)
        for image, label in zip(data.images, data.labels)
    }
    assert len(rows) >= 1790, "the parts have next to nothing in common"
    assert np.bincount(np.concatenate([train.labels, held_out.labels])).tolist() == [
        178, 182, 177, 183, 181, 182, 181, 179, 174, 180,
    ]  # fmt: skip
    assert np.bincount(held_out.labels).min() >= 25
    assert hashlib.sha256(held_out.images.tobytes()).hexdigest()[:16] == "e497a9a8b9c8b6a1"


def test_images_are_made_floats_when_asked_for():
    data = Digits()
    images, labels = data.tensors()
    assert (images.shape, images.dtype, labels.dtype) == ((1437, 1, 8, 8), tinytorch.float32, tinytorch.int64)
    assert (images.min().item(), images.max().item()) == (0, 1)
    image, label = data[5]
    assert type(label) is int
    np.testing.assert_array_equal(image.numpy(), images.numpy()[5])
    batch, labels_of_batch = next(iter(DataLoader(data, 7, num_workers=1)))
    np.testing.assert_array_equal(batch.numpy(), images.numpy()[:7])
    assert labels_of_batch.tolist() == labels.tolist()[:7]
    with pytest.raises(IndexError):
        data[1437]
    with pytest.raises(ValueError, match="2 images and 3 labels"):
        Images(np.zeros((2, 1, 1, 1), np.uint8), np.zeros(3))


def test_transforms_are_random_within_bounds():
    tinytorch.manual_seed(0)
    image = np.arange(1, 17, dtype=np.float32).reshape(1, 4, 4)
    crops = {RandomCrop(4, padding=2)(image).tobytes() for _ in range(300)}
    assert len(crops) == 25
    assert RandomCrop((2, 3))(tinytorch.tensor(image)).shape == (1, 2, 3)
    np.testing.assert_array_equal(RandomCrop(4)(image), image)
    with pytest.raises(
        ValueError, match=r"Required crop size \(5, 5\) is larger than input image size \(4, 4\)"
    ):
        RandomCrop(5)(image)
    flips = [RandomHorizontalFlip()(image)[0, 0, 0] for _ in range(200)]
    assert set(flips) == {1, 4}
    assert 70 < flips.count(1) < 130
    np.testing.assert_array_equal(
        RandomHorizontalFlip(1.0)(tinytorch.tensor(image)).numpy(), image[..., ::-1]
    )
    np.testing.assert_array_equal(RandomHorizontalFlip(0.0)(image), image)
    both = Compose([Normalize(1.0, 2.0), RandomHorizontalFlip(1.0)])
    np.testing.assert_array_equal(both(image), ((image - 1) / 2)[..., ::-1])
    with pytest.raises(ValueError, match="std evaluated to zero"):
        Normalize([0.0], [0.0])


def test_a_text_file_is_its_lines(tmp_path, server):
    (tmp_path / "t").write_bytes("eins\n\nzwölf\r\nend".encode())
    text = TextFile(tmp_path / "t")
    assert [text[i] for i in range(len(text))] == ["eins\n", "\n", "zwölf\r\n", "end"]
    assert "".join(text[i] for i in range(4)) == text.text
    assert text[-1] == "end"
    with pytest.raises(IndexError):
        text[4]
    (tmp_path / "empty").touch()
    assert len(TextFile(tmp_path / "empty")) == 0
    assert list(DataLoader(text, 3, num_workers=1))[1] == ["end"]
    fetched = TextFile(tmp_path / "fetched", server.url + "words", serve(server, {"words": b"a\nb\n"})[0][1])
    assert [fetched[0], fetched[1]] == ["a\n", "b\n"]


def test_pythons_documentation_is_a_text():
    docs = PythonDocs()
    assert len(docs) > 50
    assert len(docs.text) > 400_000
    assert docs[0] in docs.text
