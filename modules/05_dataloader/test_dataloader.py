"""Tests of module 05, which `make release 5` makes from dataloader.py."""

import contextlib
import itertools
import tracemalloc
from collections import namedtuple

import numpy as np
import pytest

from tinytorch.dataloader import (
    END,
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    Failure,
    InOrder,
    IterableDataset,
    Normalize,
    RandomSampler,
    TensorDataset,
    WorkerInfo,
    default_collate,
    random_split,
    share,
    shuffled,
    work,
)
from tinytorch.tensor import Generator, Tensor, arange, float32, int64, manual_seed, ones, tensor, zeros


@pytest.mark.stub("tensor-dataset", points=2)
def test_a_sample_has_a_row_of_every_tensor():
    data = TensorDataset(tensor([[1, 2], [3, 4], [5, 6]]), tensor([0.5, 1.5, 2.5]))
    sample = data[1]
    assert isinstance(sample, tuple), f"a sample is a tuple, not a {type(sample).__name__}"
    assert len(sample) == 2, f"two tensors make samples of two parts, not of {len(sample)}"
    assert sample[0].tolist() == [3, 4], "the first part is row 1 of the first tensor"
    assert sample[1].item() == 1.5, "the second part is element 1 of the second tensor"
    assert data[-1][1].item() == 2.5, "negative indices count from the end"


@pytest.mark.stub("tensor-dataset", points=2)
def test_a_slice_gives_several_rows():
    x, y = TensorDataset(arange(6), arange(6.0))[2:4]
    assert x.tolist() == [2, 3], "data[2:4] has rows 2 and 3 of each tensor"
    assert y.tolist() == [2.0, 3.0], "data[2:4] has rows 2 and 3 of each tensor"


@pytest.mark.stub("tensor-dataset", points=2)
def test_one_tensor_makes_samples_of_one_part():
    sample = TensorDataset(tensor([7, 8]))[0]
    assert isinstance(sample, tuple), "with a single tensor, too, a sample is a tuple"
    assert [part.item() for part in sample] == [7]


@pytest.mark.stub("concat-dataset", points=4)
def test_every_sample_is_found_once_and_in_order():
    data = ConcatDataset(["abc", "defg", "hi"])
    assert "".join(data[i] for i in range(9)) == "abcdefghi", "numbers 0 to 8 run through all"


@pytest.mark.stub("concat-dataset", points=4)
def test_the_first_sample_of_a_data_set_is_its_own():
    assert ConcatDataset(["abc", "def"])[3] == "d", "number 3 is the second's first"


@pytest.mark.stub("concat-dataset", points=4)
def test_empty_data_sets_are_passed_over():
    data = ConcatDataset(["", "ab", "", "", "c", ""])
    assert [data[i] for i in range(3)] == ["a", "b", "c"], "empty data sets hold no sample"


@pytest.mark.stub("concat-dataset", points=4)
def test_negative_numbers_count_from_the_end_of_all():
    data = ConcatDataset(["abc", "de"])
    assert [data[-1], data[-2], data[-3], data[-5]] == ["e", "d", "c", "a"]


@pytest.mark.stub("concat-dataset", points=4)
def test_numbers_beyond_either_end_are_refused():
    data = ConcatDataset(["abc", "de"])
    for index, kind in [(5, IndexError), (-6, ValueError)]:
        try:
            found = data[index]
        except kind:
            continue
        raise AssertionError(
            f"there is no sample {index} of 5: raise {kind.__name__}, do not return {found!r}"
        )


@pytest.mark.stub("random-split", points=4)
def test_every_sample_is_in_exactly_one_part():
    parts = random_split(range(100, 120), [9, 0, 11])
    assert [len(part) for part in parts] == [9, 0, 11], "the lengths asked for, in order"
    together = sorted(part[i] for part in parts for i in range(len(part)))
    assert together == list(range(100, 120)), "no sample is lost, and none is in two parts"


@pytest.mark.stub("random-split", points=4)
def test_a_seed_gives_the_split_that_pytorch_gives():
    parts = random_split(range(10), [7, 3], generator=Generator().manual_seed(42))
    assert [list(part.indices) for part in parts] == [[2, 6, 1, 8, 4, 5, 0], [9, 3, 7]], (
        "draw one permutation from the generator, and cut it from the left"
    )


@pytest.mark.stub("random-split", points=4)
def test_fractions_are_made_into_lengths():
    parts = random_split(range(10), [0.5, 0.3, 0.2], generator=Generator().manual_seed(42))
    assert [list(part.indices) for part in parts] == [[2, 6, 1, 8, 4], [5, 0, 9], [3, 7]]


@pytest.mark.stub("random-split", points=4)
def test_without_a_generator_the_default_one_is_drawn_from():
    manual_seed(42)
    first = random_split(range(10), [7, 3])[0]
    assert list(first.indices) == [2, 6, 1, 8, 4, 5, 0], "manual_seed decides when no generator is given"
    manual_seed(42)
    assert list(random_split(range(10), [7, 3], None)[0].indices) == [2, 6, 1, 8, 4, 5, 0], (
        "None stands for it too"
    )


@pytest.mark.stub("random-split", points=4)
def test_lengths_that_do_not_fit_are_refused():
    for lengths in ([7, 4], [7, 2]):
        try:
            random_split(range(10), lengths)
        except ValueError:
            continue
        raise AssertionError(f"{lengths} do not sum to 10: raise ValueError")


@pytest.mark.stub("random-sampler", points=6)
def test_without_replacement_every_sample_comes_once():
    order = list(RandomSampler(range(50)))
    assert sorted(order) == list(range(50)), "each number comes exactly once"
    assert order != list(range(50)), "and not in the old order"


@pytest.mark.stub("random-sampler", points=6)
def test_a_seed_gives_the_order_that_pytorch_gives():
    manual_seed(0)
    assert list(RandomSampler(range(10))) == [6, 9, 0, 7, 3, 5, 4, 2, 1, 8], "one permutation"


@pytest.mark.stub("random-sampler", points=6)
def test_each_iteration_has_its_own_order():
    sampler = RandomSampler(range(50))
    assert list(sampler) != list(sampler), "a second iteration draws again"


@pytest.mark.stub("random-sampler", points=6)
def test_more_samples_than_there_are_take_a_new_permutation():
    order = list(RandomSampler(range(5), num_samples=12, generator=Generator().manual_seed(3)))
    assert order == [1, 0, 3, 4, 2, 0, 1, 2, 4, 3, 1, 4], "two permutations, and 2 of a third"


@pytest.mark.stub("random-sampler", points=6)
def test_fewer_samples_are_the_front_of_a_permutation():
    order = list(RandomSampler(range(5), num_samples=3, generator=Generator().manual_seed(3)))
    assert order == [1, 0, 3], "num_samples=3 of 5: the first three of one permutation"


@pytest.mark.stub("random-sampler", points=6)
def test_one_more_permutation_is_drawn_at_the_end():
    generator = Generator().manual_seed(3)
    list(RandomSampler(range(4), generator=generator))
    drawn = Generator().manual_seed(3)
    drawn.permutation(4), drawn.permutation(4)
    assert generator.raw(1) == drawn.raw(1), (
        "draw a last permutation for the rest, also when the rest is nothing, as PyTorch: "
        "so that what is drawn next agrees"
    )


@pytest.mark.stub("random-sampler", points=6)
def test_with_replacement_the_numbers_are_drawn_one_by_one():
    order = list(RandomSampler(range(5), True, 40, Generator().manual_seed(3)))
    assert order == [
        1, 3, 2, 2, 0, 0, 0, 0, 1, 4, 4, 1, 0, 4, 1, 4, 0, 4, 0, 4,
        1, 4, 1, 1, 2, 3, 2, 4, 4, 0, 0, 1, 4, 3, 4, 2, 3, 0, 2, 1,
    ], "integers(0, 5, ...) of the generator, forty of them"  # fmt: skip


@pytest.mark.stub("random-sampler", points=6)
def test_millions_of_samples_take_no_memory():
    sampler = RandomSampler(range(5), replacement=True, num_samples=5_000_000)
    tracemalloc.start()
    try:
        first = list(itertools.islice(sampler, 100))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(first) == 100, "a hundred can be had at once"
    assert peak < 500_000, f"a hundred of them took {peak / 1e6:.0f} MB: draw a few at a time"


@pytest.mark.stub("batch-sampler", points=4)
def test_numbers_come_in_lists_and_the_last_may_be_short():
    found = [list(batch) for batch in BatchSampler(range(7), 3, False)]
    assert found == [[0, 1, 2], [3, 4, 5], [6]], "seven numbers by threes: 3, 3 and 1"


@pytest.mark.stub("batch-sampler", points=4)
def test_drop_last_leaves_out_only_a_short_list():
    found = [list(batch) for batch in BatchSampler(range(7), 3, True)]
    assert found == [[0, 1, 2], [3, 4, 5]], "drop_last leaves the single 6 out"
    found = [list(batch) for batch in BatchSampler(range(6), 3, True)]
    assert found == [[0, 1, 2], [3, 4, 5]], "a last list that is full stays"


@pytest.mark.stub("batch-sampler", points=4)
def test_each_batch_is_a_list_of_its_own():
    batches = list(BatchSampler(range(6), 2, False))
    assert batches == [[0, 1], [2, 3], [4, 5]], "a batch must not change after it was given"


@pytest.mark.stub("batch-sampler", points=4)
def test_nothing_is_taken_before_it_is_wanted():
    taken = []

    def numbers():
        for i in range(1000):
            taken.append(i)
            yield i

    assert next(iter(BatchSampler(numbers(), 4, False))) == [0, 1, 2, 3]
    assert len(taken) <= 5, f"one batch of 4 took {len(taken)} numbers from the sampler"


@pytest.mark.stub("batch-sampler", points=4)
def test_the_sampler_can_be_iterated_again():
    sampler = BatchSampler(range(4), 2, False)
    assert list(sampler) == list(sampler) == [[0, 1], [2, 3]], "each epoch begins at the front"


Point = namedtuple("Point", ["x", "label"])


@pytest.mark.stub("collate", points=6)
def test_pairs_become_a_list_of_two_batches():
    images, labels = default_collate([(ones(2, 3), 7), (zeros(2, 3), 2)])
    assert images.shape == (2, 2, 3), f"two images (2, 3) make a batch (2, 2, 3), not {tuple(images.shape)}"
    assert images.numpy()[:, 0, 0].tolist() == [1, 0], "samples keep their order"
    np.testing.assert_array_equal(labels.numpy(), [7, 2])
    assert labels.dtype == int64, "labels are whole numbers"
    assert type(default_collate([(1, 2)])) is list, "a tuple without names becomes a list"


@pytest.mark.stub("collate", points=6)
def test_values_alone_are_stacked():
    assert default_collate([ones(3), ones(3)]).shape == (2, 3)
    np.testing.assert_array_equal(default_collate([1, 2, 3]).numpy(), [1, 2, 3])


@pytest.mark.stub("collate", points=6)
def test_mappings_are_collated_key_by_key():
    batch = default_collate([{"x": ones(2), "n": {"id": 3}}, {"n": {"id": 4}, "x": zeros(2)}])
    assert list(batch) == ["x", "n"], "a batch of dicts is a dict with the same keys"
    assert batch["x"].shape == (2, 2)
    assert batch["n"]["id"].tolist() == [3, 4], "also one level deeper"


@pytest.mark.stub("collate", points=6)
def test_named_tuples_keep_their_names():
    batch = default_collate([Point(ones(2), 0), Point(zeros(2), 1)])
    assert type(batch) is Point, f"a batch of Points is a Point, not a {type(batch).__name__}"
    assert batch.x.shape == (2, 2)
    np.testing.assert_array_equal(batch.label.numpy(), [0, 1])


@pytest.mark.stub("collate", points=6)
def test_texts_are_left_alone():
    assert list(default_collate(["ab", "cd"])) == ["ab", "cd"], "a text is no sequence"
    _, names = default_collate([[1, "one"], [2, "two"]])
    assert list(names) == ["one", "two"]
    assert list(default_collate([b"a", b"b"])) == [b"a", b"b"]


@pytest.mark.stub("collate", points=6)
def test_samples_of_different_lengths_are_refused():
    assert len(default_collate([(1, 2), (3, 4)])) == 2, "samples of two parts make two batches"
    try:
        default_collate([(1, 2), (1, 2, 3)])
    except RuntimeError:
        return
    raise AssertionError("one sample has two parts, the other three: raise RuntimeError, drop nothing")


class Countdown(IterableDataset):
    """A stream of n, n - 1, ..., 1."""

    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n, 0, -1))


def numbers_of(loader, most=50):
    """What a loader gives, as lists, and no more than `most` batches of it."""
    return [batch.tolist() for batch in itertools.islice(loader, most)]


@pytest.mark.stub("fetch", points=6)
def test_batches_hold_the_samples_of_their_numbers():
    data = TensorDataset(arange(10) * 10, arange(10))
    found = [[x.tolist(), y.tolist()] for x, y in DataLoader(data, batch_sampler=[[3, 1], [9]])]
    assert found == [[[30, 10], [3, 1]], [[90], [9]]], "samples 3 and 1 collated, then 9"


@pytest.mark.stub("fetch", points=6)
def test_a_shuffled_epoch_has_pytorchs_order():
    manual_seed(0)
    assert numbers_of(DataLoader(arange(8), 3, shuffle=True)) == [[2, 0, 5], [3, 1, 4], [7, 6]]


@pytest.mark.stub("fetch", points=6)
def test_a_collate_function_of_ones_own_gets_the_list_of_samples():
    assert list(DataLoader(range(5), 2, collate_fn=sum)) == [1, 5, 4], "called with each list"


@pytest.mark.stub("fetch", points=6)
def test_many_samples_are_got_at_once_where_the_data_set_can():
    calls = []

    class Together(Dataset):
        def __len__(self):
            return 6

        def __getitems__(self, indices):
            calls.append(list(indices))
            return indices

    found = numbers_of(DataLoader(Together(), 4))
    assert found == [[0, 1, 2, 3], [4, 5]], "samples() asks a data set for a list"
    assert calls == [[0, 1, 2, 3], [4, 5]]


@pytest.mark.stub("fetch", points=6)
def test_a_stream_is_read_in_batches_to_its_end():
    found = numbers_of(DataLoader(Countdown(7), 3))
    assert found == [[7, 6, 5], [4, 3, 2], [1]], "the last batch may be short"
    found = numbers_of(DataLoader(Countdown(6), 3))
    assert found == [[6, 5, 4], [3, 2, 1]], "no empty batch comes at the end"
    loader = DataLoader(Countdown(2), 2)
    assert numbers_of(loader) == numbers_of(loader) == [[2, 1]], "an epoch begins at the front"


@pytest.mark.stub("fetch", points=6)
def test_drop_last_drops_what_is_short():
    assert numbers_of(DataLoader(Countdown(7), 3, drop_last=True)) == [[7, 6, 5], [4, 3, 2]]
    assert numbers_of(DataLoader(range(7), 3, drop_last=True)) == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.stub("fetch", points=6)
def test_without_batches_samples_come_one_by_one():
    found = list(itertools.islice(DataLoader(Countdown(3), batch_size=None), 50))
    assert found == [3, 2, 1], "batch_size=None: the samples of the stream themselves"
    (x,) = list(DataLoader([np.ones(2, np.float32)], batch_size=None))
    assert isinstance(x, Tensor), "each goes through collate too: arrays become tensors"
    assert x.shape == (2,), "and adds no dimension"


def answers_of(tasks, fetch):
    """What `work` sends, in its order."""
    sent = []
    work(tasks, fetch, lambda task, answer: sent.append((task, answer)), 3)
    return sent


@pytest.mark.stub("worker-loop", points=5)
def test_every_task_is_answered_with_its_number():
    found = answers_of([(4, 2), (9, 3), (5, 1)], lambda index: index * 10)
    assert found == [(4, 20), (9, 30), (5, 10)], "send(task, batch) for each, in order"


@pytest.mark.stub("worker-loop", points=5)
def test_an_exception_becomes_an_answer_and_work_goes_on():
    found = answers_of([(0, 1), (1, 0), (2, 2)], lambda index: 8 // index)
    assert [task for task, _ in found] == [0, 1, 2], "those after a failure are answered"
    assert (found[0][1], found[2][1]) == (8, 4)
    failure = found[1][1]
    assert isinstance(failure, Failure), f"a task that failed has a Failure, not {failure!r}"
    assert failure.kind is ZeroDivisionError
    said = "Caught ZeroDivisionError in DataLoader worker process 3.\nOriginal Traceback"
    assert failure.text.startswith(said), "Failure.of(error, worker), with the worker's number"


@pytest.mark.stub("worker-loop", points=5)
def test_the_end_of_a_stream_is_no_failure():
    stream = iter([10, 20])
    found = answers_of([(task, None) for task in range(4)], lambda index: next(stream))
    wanted = [(0, 10), (1, 20), (2, END), (3, END)]
    assert found == wanted, "StopIteration is answered by END, each time"


@pytest.mark.stub("worker-loop", points=5)
def test_answers_are_sent_as_soon_as_they_are_there():
    events = []
    tasks = (events.append(f"task {i}") or (i, i) for i in range(2))
    work(
        tasks,
        lambda index: events.append(f"fetch {index}"),
        lambda task, answer: events.append(f"send {task}"),
        0,
    )
    wanted = ["task 0", "fetch 0", "send 0", "task 1", "fetch 1", "send 1"]
    assert events == wanted, "take a task, fetch, send, and only then take the next"


class Bench:
    """Stands for the workers: keeps what is submitted, and answers in an order of its own."""

    def __init__(self, order):
        self.order, self.under_way, self.most, self.fewest = list(order), {}, 0, 99

    def submit(self, number, task):
        self.under_way[number] = task
        self.most = max(self.most, len(self.under_way))

    def receive(self):
        self.fewest = min(self.fewest, len(self.under_way))
        number = next((n for n in self.order if n in self.under_way), None)
        assert number is not None, "receive, and no task is under way: this would wait for ever"
        return number, self.under_way.pop(number) * 10


def drained(answers, most=50):
    """The answers to the end, at most 50."""
    found = []
    with contextlib.suppress(StopIteration):
        while len(found) < most:
            found.append(next(answers))
    return found


@pytest.mark.stub("in-order", points=7)
def test_answers_that_come_in_order_are_handed_out():
    bench = Bench(range(5))
    found = drained(InOrder(range(5), bench.submit, bench.receive, ahead=2))
    assert found == [0, 10, 20, 30, 40]


@pytest.mark.stub("in-order", points=7)
def test_answers_that_overtake_wait_for_their_turn():
    bench = Bench([3, 2, 1, 0, 7, 6, 5, 4, 8])
    found = drained(InOrder(range(9), bench.submit, bench.receive, ahead=4))
    assert found == list(range(0, 90, 10)), "every answer once, in the order of the tasks"


@pytest.mark.stub("in-order", points=7)
def test_one_task_is_sent_for_each_answer_handed_out():
    bench = Bench([1, 0, 2, 4, 3, 5, 6, 7, 8, 9])
    answers = InOrder(itertools.count(), bench.submit, bench.receive, ahead=3)
    for count in range(1, 6):
        next(answers)
        said = f"after {count} answers, 3 + {count} tasks have been sent, not {answers.sent}"
        assert answers.sent == 3 + count, said


@pytest.mark.stub("in-order", points=7)
def test_no_more_is_under_way_than_was_asked_for():
    bench = Bench(range(40, -1, -1))
    drained(InOrder(range(30), bench.submit, bench.receive, ahead=4))
    assert bench.most <= 4, f"{bench.most} tasks were under way at once, not 4"


@pytest.mark.stub("in-order", points=7)
def test_what_was_handed_out_is_let_go():
    bench = Bench(range(20))
    answers = InOrder(range(20), bench.submit, bench.receive, ahead=2)
    drained(answers)
    assert not answers.arrived, "batches that were handed out must not be kept"


@pytest.mark.stub("in-order", points=7)
def test_the_end_is_the_end():
    bench = Bench([])
    assert drained(InOrder([], bench.submit, bench.receive, 2)) == [], "no tasks, no answers"
    answers = InOrder(range(3), (bench := Bench(range(3))).submit, bench.receive, ahead=10)
    assert drained(answers) == [0, 10, 20], "fewer tasks than may be under way"
    assert drained(answers) == [], "after the end, StopIteration again"


@pytest.mark.stub("in-order", points=7)
def test_real_workers_give_the_batches_that_one_process_gives():
    data = TensorDataset(arange(23), arange(23.0))
    orders = []
    for workers in (0, 2):
        manual_seed(1)
        timeout = 10 if workers else 0
        loader = DataLoader(data, 4, shuffle=True, num_workers=workers, timeout=timeout)
        orders.append([x.tolist() for x, _ in itertools.islice(loader, 20)])
    assert orders[0] == orders[1], "workers change no batch of a seed, nor their order"


def seeded(seed=0):
    return Generator().manual_seed(seed)


@pytest.mark.stub("shuffle-buffer", points=5)
def test_every_item_comes_out_once():
    for n, size in [(100, 10), (10, 10), (3, 10), (0, 10), (7, 1)]:
        found = list(shuffled(range(n), size, seeded()))
        said = f"{n} items through a buffer of {size}: each exactly once"
        assert sorted(found) == list(range(n)), said


@pytest.mark.stub("shuffle-buffer", points=5)
def test_the_order_is_random_and_repeatable():
    first, second, other = (list(shuffled(range(200), 50, seeded(seed))) for seed in (1, 1, 2))
    assert first == second, "the same seed, the same order"
    assert first != other, "another seed, another order"
    moved = np.mean(np.abs(np.array(first) - np.arange(200)))
    assert moved > 10, f"with a buffer of 50, items moved by only {moved:.1f} places on average"


@pytest.mark.stub("shuffle-buffer", points=5)
def test_what_is_left_in_the_buffer_is_shuffled_too():
    found = list(shuffled(range(50), 100, seeded()))
    assert found != sorted(found), "a stream shorter than the buffer is shuffled too"
    found = list(shuffled(range(1000), 100, seeded()))[-100:]
    assert np.mean(np.diff(found) > 0) < 0.7, "the last items come out in random order as well"


@pytest.mark.stub("shuffle-buffer", points=5)
def test_no_item_comes_much_too_early():
    for place, item in enumerate(shuffled(range(500), 20, seeded())):
        said = f"item {item} came out at place {place}: with a buffer of 20 it had not gone in"
        assert item < place + 20, said


@pytest.mark.stub("shuffle-buffer", points=5)
def test_every_place_of_the_buffer_is_used():
    firsts = {next(shuffled(range(10), 4, seeded(seed))) for seed in range(60)}
    assert firsts == {0, 1, 2, 3}, f"any of a buffer of 4 may be first, it was one of {firsts}"


@pytest.mark.stub("shuffle-buffer", points=5)
def test_no_more_is_read_than_the_buffer_holds():
    taken = []
    stream = (taken.append(i) or i for i in range(1000))
    found = shuffled(stream, 8, seeded())
    for _ in range(5):
        next(found)
    assert len(taken) <= 8 + 5, f"5 items out of a buffer of 8 read {len(taken)}"


def shares_of(shards, count):
    infos = [WorkerInfo(i, num_workers=count, seed=0, dataset=None) for i in range(count)]
    return [share(shards, info) for info in infos]


@pytest.mark.stub("share", points=3)
def test_the_main_process_reads_everything():
    assert list(share([3, 1, 2], None)) == [3, 1, 2], "all shards, in their order"


@pytest.mark.stub("share", points=3)
def test_each_shard_is_read_by_exactly_one_worker():
    for count in (1, 2, 3, 4, 7):
        found = shares_of(list(range(7)), count)
        together = sorted(shard for part in found for shard in part)
        said = f"7 shards among {count} workers: together they read {together}"
        assert together == list(range(7)), said


@pytest.mark.stub("share", points=3)
def test_the_shares_are_even():
    lengths = [len(part) for part in shares_of(list(range(11)), 4)]
    assert max(lengths) - min(lengths) <= 1, f"11 shards among 4 workers: {lengths} is uneven"


@pytest.mark.stub("share", points=3)
def test_more_workers_than_shards_leave_some_without():
    assert sorted(len(part) for part in shares_of(["a", "b"], 4)) == [0, 0, 1, 1]


@pytest.mark.stub("normalize", points=3)
def test_each_channel_has_its_own_mean_and_deviation():
    image = np.random.default_rng(0).random((3, 3, 3), dtype=np.float32)
    found = Normalize([0.1, 0.2, 0.3], [0.5, 1.0, 2.0])(image)
    for channel, (mean, std) in enumerate([(0.1, 0.5), (0.2, 1.0), (0.3, 2.0)]):
        wanted, said = (
            (image[channel] - mean) / std,
            f"channel {channel}: (x - {mean}) / {std}",
        )
        np.testing.assert_allclose(found[channel], wanted, rtol=1e-5, err_msg=said)


@pytest.mark.stub("normalize", points=3)
def test_a_tensor_stays_a_tensor_and_an_array_an_array():
    normalize = Normalize([0.5], [0.5])
    found = normalize(ones(1, 2, 2))
    assert isinstance(found, Tensor), "a Tensor in, a Tensor out"
    np.testing.assert_array_equal(found.numpy(), np.ones((1, 2, 2)))
    found = normalize(np.ones((1, 2, 2), np.float32))
    assert type(found) is np.ndarray, "an array in, an array out"


@pytest.mark.stub("normalize", points=3)
def test_the_numbers_stay_float32():
    assert Normalize(0.5, 0.5)(ones(1, 2, 2)).dtype == float32
    found = Normalize(100, 50)(np.full((1, 2, 2), 200, np.uint8))
    assert found.dtype == np.float32, "bytes become float32"


@pytest.mark.stub("normalize", points=3)
def test_the_image_itself_is_not_changed():
    image = np.ones((1, 2, 2), np.float32)
    Normalize(0.5, 0.5)(image)
    assert (image == 1).all(), "the data set still owns that memory"
