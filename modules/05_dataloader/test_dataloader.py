"""Tests of module 05, which `make release 5` makes from dataloader.py."""

import contextlib
import itertools
import tracemalloc
from collections import OrderedDict, UserDict, defaultdict, namedtuple

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
    Subset,
    TensorDataset,
    WorkerInfo,
    default_collate,
    random_split,
    shard_stream,
    shuffled,
    work,
)
from tinytorch.tensor import Generator, Tensor, arange, manual_seed, ones, tensor, zeros


class Part(Dataset):
    """A data set that has the samples of a text, by the numbers from 0 on and no others."""

    def __init__(self, text):
        self.text, self.read = text, 0

    def __len__(self):
        return len(self.text)

    def __getitem__(self, index):
        self.read += 1
        n = len(self.text)
        said = f"for number {Part.asked} of all, a data set of {n} samples was asked for its"
        assert 0 <= index < n, f"{said} sample {index}"
        return self.text[index]


def sample_of(data, index):
    """Sample `index` of several Parts, which say so if they are asked for one they lack."""
    Part.asked = index
    return data[index]


@pytest.mark.stub("concat-dataset", points=4)
def test_every_sample_is_found_once_and_in_order():
    for parts in (["abc", "defg", "hi"], ["a", "bc", "def", "ghij", "k"], ["ab"]):
        data, wanted = ConcatDataset(map(Part, parts)), [*"".join(parts)]
        found = [sample_of(data, i) for i in range(len(wanted))]
        assert found == wanted, f"{parts} as one: numbers from 0 on give {wanted}, not {found}"
        read = sum(part.read for part in data.datasets)
        assert read == len(wanted), f"{read} samples were read to get {len(wanted)}"


@pytest.mark.stub("concat-dataset", points=4)
def test_the_first_sample_of_a_data_set_is_its_own():
    found = ConcatDataset(["abc", "def"])[3]
    assert found == "d", f"number 3 of abc, def is the first of the second, d, not {found}"


@pytest.mark.stub("concat-dataset", points=4)
def test_empty_data_sets_are_passed_over():
    data = ConcatDataset(map(Part, ["", "ab", "", "", "c", ""]))
    found = [sample_of(data, i) for i in range(3)]
    assert found == ["a", "b", "c"], f"empty data sets hold no sample: a, b, c, not {found}"


@pytest.mark.stub("concat-dataset", points=4)
def test_negative_numbers_count_from_the_end_of_all():
    data = ConcatDataset(map(Part, ["abc", "de", "", "f"]))
    found = [sample_of(data, i) for i in range(-1, -7, -1)]
    assert found == [*"fedcba"], f"numbers -1 to -6 of abc, de, f give fedcba, not {found}"


@pytest.mark.stub("concat-dataset", points=4)
def test_numbers_beyond_either_end_are_refused():
    data = ConcatDataset(["abc", "de"])
    for index, kind in [(5, IndexError), (9, IndexError), (-6, ValueError), (-9, ValueError)]:
        try:
            found = data[index]
        except Exception as error:
            found = error
        said = f"there is no sample {index} of 5: raise {kind.__name__}, not {found!r}"
        assert isinstance(found, kind), said


def split_of(*arguments, **options):
    """A split, as lists of its parts' numbers, which must be ints."""
    parts = random_split(*arguments, **options)
    kinds = {type(x).__name__ for part in parts for x in (part.indices, *part.indices)}
    wrong = ", ".join(sorted(kinds - {"list", "int"}))
    assert wrong == "", f"the numbers of a Subset are a list of ints, not {wrong}"
    return [part.indices for part in parts]


@pytest.mark.stub("random-split", points=4)
def test_every_sample_is_in_exactly_one_part():
    data, lengths = range(100, 120), [3, 8, 0, 9]
    manual_seed(0)
    parts = random_split(data, lengths)
    assert lengths == [3, 8, 0, 9], "the list of lengths belongs to the caller"
    kinds = ", ".join(type(part).__name__ for part in parts)
    said = f"a list of Subsets, not a {type(parts).__name__} of {kinds}"
    assert (type(parts), {*map(type, parts)}) == (list, {Subset}), said
    copies = sum(part.dataset is not data for part in parts)
    assert copies == 0, f"Subsets of the data set itself, but {copies} are of a copy of it"
    found = [len(part) for part in parts]
    assert found == lengths, f"parts of {lengths} samples were asked for, not {found}"
    together = sorted(part[i] for part in parts for i in range(len(part)))
    assert together == list(range(100, 120)), "sorted: no sample is lost, or in two parts"


@pytest.mark.stub("random-split", points=4)
def test_a_seed_gives_the_split_that_pytorch_gives():
    generator, wanted = Generator().manual_seed(42), [[2, 6, 1, 8, 4, 5, 0], [9, 3, 7]]
    found = split_of(range(10), [7, 3], generator=generator)
    said = f"one permutation of the generator, cut from the left, is {wanted}, not {found}"
    assert found == wanted, said
    found = split_of(range(10), (0.5, 0.3, 0.2), generator=Generator().manual_seed(42))
    wanted = [[2, 6, 1, 8, 4], [5, 0, 9], [3, 7]]
    assert found == wanted, f"a half, 3 and 2 tenths of it are {wanted}, not {found}"
    drawn = Generator().manual_seed(42)
    drawn.permutation(10)
    assert generator.raw(1) == drawn.raw(1), "one permutation is drawn, and nothing else"


@pytest.mark.stub("random-split", points=4)
def test_without_a_generator_the_default_one_is_drawn_from():
    wanted = [[2, 6, 1, 8, 4, 5, 0], [9, 3, 7]]
    for options in ({}, {"generator": None}):
        manual_seed(42)
        found = split_of(range(10), [7, 3], **options)
        assert found == wanted, f"manual_seed(42) and {options} give {wanted}, not {found}"


@pytest.mark.stub("random-split", points=4)
def test_lengths_that_do_not_fit_are_refused():
    for lengths in ([7, 4], [7, 2], []):
        try:
            random_split(range(10), lengths)
        except ValueError:
            continue
        raise AssertionError(f"{lengths} do not sum to 10: raise ValueError")


def drawn_order(seed, n, *arguments, **options):
    """The numbers that a sampler yields from a seed, which must be ints."""
    generator = Generator().manual_seed(seed)
    order = list(RandomSampler(range(n), *arguments, generator=generator, **options))
    kinds = {type(number).__name__ for number in order}
    assert kinds <= {"int"}, f"the numbers are ints, not {', '.join(sorted(kinds))}"
    return order


@pytest.mark.stub("random-sampler", points=6)
def test_without_replacement_every_sample_comes_once():
    order = drawn_order(1, 50)
    assert sorted(order) == list(range(50)), f"each number below 50 comes once: {order}"
    assert order != list(range(50)), "and not in the original order"


@pytest.mark.stub("random-sampler", points=6)
def test_a_seed_gives_the_order_that_pytorch_gives():
    sampler, wanted = RandomSampler(range(10)), [6, 9, 0, 7, 3, 5, 4, 2, 1, 8]
    for _ in range(2):
        manual_seed(0)
        found = list(sampler)
        assert found == wanted, f"after each manual_seed(0) it is {wanted}, not {found}"


@pytest.mark.stub("random-sampler", points=6)
def test_each_iteration_has_its_own_order():
    sampler = RandomSampler(range(50))
    assert list(sampler) != list(sampler), "a second iteration draws again"


@pytest.mark.stub("random-sampler", points=6)
def test_as_many_samples_come_as_were_asked_for():
    wanted = [1, 0, 3, 4, 2, 0, 1, 2, 4, 3, 1, 4]  # two permutations, and 2 of a third
    for count in (3, 12, 10, 5):
        found = drawn_order(3, 5, num_samples=count)
        said = f"num_samples={count} of 5 from the seed 3: {wanted[:count]}, not {found}"
        assert found == wanted[:count], said


@pytest.mark.stub("random-sampler", points=6)
def test_permutations_are_drawn_when_needed_and_one_more_at_the_end():
    words = Generator().manual_seed(3).raw(999).tolist()  # a permutation of 4 takes three
    for taken, wanted in (("all", 2), ("the first", 1)):
        generator = Generator().manual_seed(3)
        numbers = iter(RandomSampler(range(4), generator=generator))
        list(numbers) if taken == "all" else next(numbers)
        found = words.index(generator.raw(1).item()) / 3
        said = f"{taken} of 4 numbers taken: {wanted} permutations are drawn, not {found:g}"
        assert found == wanted, f"{said}; one for the rest comes last, even if that is empty"


@pytest.mark.stub("random-sampler", points=6)
def test_with_replacement_the_numbers_are_drawn_one_by_one():
    wanted = [
        1, 3, 2, 2, 0, 0, 0, 0, 1, 4, 4, 1, 0, 4, 1, 4, 0, 4, 0, 4,
        1, 4, 1, 1, 2, 3, 2, 4, 4, 0, 0, 1, 4, 3, 4, 2, 3, 0, 2, 1,
    ]  # fmt: skip
    for count in (40, 33, 32, 1):
        found = drawn_order(3, 5, True, count)
        said = f"integers(0, 5, ...) of the generator, {count} of them, not {found}"
        assert found == wanted[:count], said
    sampler = RandomSampler(range(5), True, 3, Generator().manual_seed(3))
    found = [*sampler, *sampler]
    assert found == wanted[:6], f"3 numbers, then 3 more: none is drawn in vain, {found}"


@pytest.mark.stub("random-sampler", points=6)
def test_millions_of_samples_take_no_memory():
    for n, replacement in ((5, True), (10**7, True), (1000, False)):
        sampler = RandomSampler(range(n), replacement, num_samples=2_000_000)
        tracemalloc.start()
        try:
            first = list(itertools.islice(sampler, 100))
            peak = tracemalloc.get_traced_memory()[1] / 1e6
        finally:
            tracemalloc.stop()
        assert len(first) == 100, f"a hundred must be available at once, not {len(first)}"
        assert peak < 0.5, f"a hundred of {n} took {peak:.0f} MB: draw a few at a time"


def batches_of(numbers, size, drop_last=False):
    """At most 9 batches, which must be lists, and must not change after they were yielded."""
    batches = list(itertools.islice(BatchSampler(numbers, size, drop_last), 9))
    kinds = {type(batch).__name__ for batch in batches}
    assert kinds <= {"list"}, f"a batch is a list, not a {', '.join(sorted(kinds))}"
    return batches


@pytest.mark.stub("batch-sampler", points=4)
def test_numbers_come_in_lists_and_the_last_may_be_short():
    for n, size, wanted in [
        (7, 3, [[0, 1, 2], [3, 4, 5], [6]]), (6, 2, [[0, 1], [2, 3], [4, 5]]),
        (2, 5, [[0, 1]]), (2, 1, [[0], [1]]), (0, 3, []),
    ]:  # fmt: skip
        found = batches_of(range(n), size)
        assert found == wanted, f"{n} numbers in batches of {size} are {wanted}, not {found}"


@pytest.mark.stub("batch-sampler", points=4)
def test_drop_last_leaves_out_only_a_short_list():
    for n, wanted in [(7, [[0, 1, 2], [3, 4, 5]]), (6, [[0, 1, 2], [3, 4, 5]]), (2, [])]:
        found = batches_of(range(n), 3, drop_last=True)
        assert found == wanted, f"{n} in batches of 3, drop_last: {wanted}, not {found}"


@pytest.mark.stub("batch-sampler", points=4)
def test_nothing_is_taken_before_it_is_wanted():
    taken = []

    def numbers():
        for i in range(100):
            taken.append(i)
            yield i

    found = next(iter(BatchSampler(numbers(), 4, False)))
    assert found == [0, 1, 2, 3], f"the first batch of 4 is [0, 1, 2, 3], not {found}"
    assert len(taken) == 4, f"one batch of 4 took {len(taken)} numbers from the sampler"


@pytest.mark.stub("batch-sampler", points=4)
def test_the_sampler_can_be_iterated_again():
    sampler, wanted = BatchSampler(range(4), 2, False), [[0, 1], [2, 3]]
    first, second = (list(itertools.islice(sampler, 9)) for _ in range(2))
    assert first == second == wanted, f"each epoch begins at the front: {first}, then {second}"


Point = namedtuple("Point", ["x", "label"])


def check_batch(found, values, said):
    """A tensor with these values, of PyTorch's dtype for them."""
    kind = {"f": "torch.float32", "i": "torch.int64"}[np.asarray(values).dtype.kind]
    assert isinstance(found, Tensor), f"{said}: a tensor, not a {type(found).__name__}"
    assert str(found.dtype) == kind, f"{said}: {kind}, not {found.dtype}"
    np.testing.assert_array_equal(found.numpy(), values, err_msg=said)


@pytest.mark.stub("collate", points=6)
def test_pairs_become_a_list_of_two_batches():
    batch = [(ones(2, 3), 7), (zeros(2, 3), 2), (ones(2, 3), 5)]
    found = default_collate(batch)
    assert len(batch) == 3, "the list of samples belongs to the caller"
    assert type(found) is list, f"tuples without names become a list, not {type(found)}"
    wanted = np.stack([np.ones((2, 3)), np.zeros((2, 3)), np.ones((2, 3))])
    check_batch(found[0], wanted, "three images (2, 3), in their order, make (3, 2, 3)")
    check_batch(found[1], [7, 2, 5], "three labels")
    inner, _ = default_collate([((1, 2), 3), ((4, 5), 6)])
    assert type(inner) is list, f"pairs within pairs become a list too, not {type(inner)}"
    check_batch(inner[0], [1, 4], "the first numbers of the inner pairs")
    check_batch(default_collate([range(2), range(4, 6)])[1], [1, 5], "ranges are sequences")


@pytest.mark.stub("collate", points=6)
def test_values_alone_are_stacked():
    check_batch(default_collate([ones(3), ones(3)]), np.ones((2, 3)), "two tensors (3,)")
    check_batch(default_collate([1, 2, 3]), [1, 2, 3], "three ints")


@pytest.mark.stub("collate", points=6)
def test_mappings_are_collated_key_by_key():
    batch = [{"x": ones(2), "n": {"id": 3}}, {"n": {"id": 4}, "x": zeros(2)}]
    found = default_collate(batch)
    kept = str(batch[0]["n"])
    assert kept == "{'id': 3}", "the samples must not be changed in place"
    assert list(found) == ["x", "n"], f"the first sample has the keys x, n, not {list(found)}"
    check_batch(found["x"], [[1.0, 1.0], [0.0, 0.0]], "the values at x in both samples")
    check_batch(found["n"]["id"], [3, 4], "also one level deeper")
    for one in (OrderedDict(x=1), UserDict(x=1), defaultdict(int, x=1)):
        kind = type(one)
        found = default_collate([one, one])
        assert type(found) is kind, f"two {one} make one of the type, by `like`, not {found}"


@pytest.mark.stub("collate", points=6)
def test_named_tuples_keep_their_names():
    found = default_collate([Point(ones(2), 0), Point(zeros(2), 1)])
    assert type(found) is Point, f"a batch of Points is a Point, not a {type(found).__name__}"
    check_batch(found.x, [[1.0, 1.0], [0.0, 0.0]], "the field x")
    check_batch(found.label, [0, 1], "the field label")
    found = default_collate([Point((1, 2), 0)])
    check_batch(getattr(found, "x", [0, 0])[1], [2], "one Point, the second number in its x")


@pytest.mark.stub("collate", points=6)
def test_texts_are_left_alone():
    for texts in (["ab", "cd"], [b"a", b"b"]):
        found = default_collate(texts)
        assert found == texts, f"a text is not a sequence: {texts} stays, and is not {found}"
    numbers, names = default_collate([[1, "one"], [2, "two"]])
    check_batch(numbers, [1, 2], "the first column")
    assert list(names) == ["one", "two"], f"the second column is one, two, not {names}"


@pytest.mark.stub("collate", points=6)
def test_samples_of_different_lengths_are_refused():
    a, b = (1, 2), (1, 2, 3)
    for batch in ([a, b], [a, b, a], [a, a, b], [a, (1,)], [[1, 2], [1, 2, 3]]):
        try:
            found = default_collate(batch)
        except RuntimeError as error:
            found = error
        said = f"the samples of {batch} differ in length: raise RuntimeError, not {found}"
        assert isinstance(found, RuntimeError), said


class Countdown(IterableDataset):
    """A stream of n, n - 1, ..., 1, or of the given items."""

    def __init__(self, n=0, items=None):
        self.items = range(n, 0, -1) if items is None else items

    def __iter__(self):
        return iter(self.items)


def loader_of(dataset, *options, **named):
    """A loader; of a stream, one that counts to 50 where others count without end."""
    loader = DataLoader(dataset, *options, **named)
    if isinstance(dataset, Countdown) and loader.batch_sampler is not None:
        loader.batch_sampler.sampler = [None] * 50
    return loader


def lists(batches):
    """The batches as lists, at most 9 of them."""
    return [b.tolist() if hasattr(b, "tolist") else b for b in itertools.islice(batches, 9)]


def check_loader(wanted, dataset, *options, **named):
    found = lists(loader_of(dataset, *options, **named))
    said = f"a loader with the options {options} {named}: {wanted}, not {found}"
    assert found == wanted, said


@pytest.mark.stub("fetch", points=6)
def test_batches_hold_the_samples_of_their_numbers():
    data = TensorDataset(arange(10) * 10, arange(10))
    loader = DataLoader(data, batch_sampler=[[3, 1], [9]])
    found = [[x.tolist(), y.tolist()] for x, y in loader]
    wanted = [[[30, 10], [3, 1]], [[90], [9]]]
    assert found == wanted, f"samples 3 and 1 collated, then 9: {wanted}, not {found}"


@pytest.mark.stub("fetch", points=6)
def test_a_shuffled_epoch_has_pytorchs_order():
    manual_seed(0)
    check_loader([[2, 0, 5], [3, 1, 4], [7, 6]], arange(8), 3, shuffle=True)


@pytest.mark.stub("fetch", points=6)
def test_a_stream_is_read_in_batches_to_its_end():
    check_loader([[7, 6, 5], [4, 3, 2], [1]], Countdown(7), 3, collate_fn=list)
    check_loader([[6, 5, 4], [3, 2, 1]], Countdown(6), 3, collate_fn=list)
    check_loader([], Countdown(0), 3, collate_fn=list)
    loader = loader_of(Countdown(2), 2, collate_fn=list)
    for _ in range(2):
        batches = iter(loader)
        found = lists(batches), lists(batches)
        said = f"an epoch from the front is [[2, 1]], and after its end [], not {found}"
        assert found == ([[2, 1]], []), said


@pytest.mark.stub("fetch", points=6)
def test_a_collate_function_of_ones_own_gets_the_list_of_samples():
    for data, size, wanted in [
        (range(5), 2, [[0, 1], [2, 3], [4]]), (Countdown(5), 2, [[5, 4], [3, 2], [1]]),
        (range(3), None, [0, 1, 2]), (Countdown(2), None, [2, 1]),
    ]:  # fmt: skip
        got = []
        lists(loader_of(data, size, collate_fn=got.append))
        said = f"batch_size={size}: collate is called with each of {wanted}, not with {got}"
        assert got == wanted, said


@pytest.mark.stub("fetch", points=6)
def test_many_samples_are_got_at_once_where_the_data_set_can():
    calls = []

    class Together(Subset):
        def __getitems__(self, indices):
            calls.append(list(indices))
            return indices

    check_loader([[0, 1, 2, 3], [4, 5]], Together(range(6), range(6)), 4)
    wanted = [[0, 1, 2, 3], [4, 5]]
    assert calls == wanted, f"samples() asks a data set for the lists {wanted}, not {calls}"


@pytest.mark.stub("fetch", points=6)
def test_drop_last_drops_what_is_short():
    check_loader([[7, 6, 5], [4, 3, 2]], Countdown(7), 3, drop_last=True)
    check_loader([[6, 5, 4], [3, 2, 1]], Countdown(6), 3, drop_last=True)
    check_loader([[0, 1, 2], [3, 4, 5]], range(7), 3, drop_last=True)


@pytest.mark.stub("fetch", points=6)
def test_without_batches_samples_come_one_by_one():
    found = lists(loader_of(Countdown(3), batch_size=None))
    assert found == [3, 2, 1], f"batch_size=None: the samples of the stream, not {found}"


@pytest.mark.stub("fetch", points=6)
def test_zero_and_none_are_samples_like_others():
    items = [2, 1, 0, None, 0]
    check_loader([[2, 1], [0, None], [0]], Countdown(items=items), 2, collate_fn=list)
    check_loader(items, Countdown(items=items), None)


def answers_of(tasks, fetch):
    """What `work` sends, in its order."""
    sent = []
    work(tasks, fetch, lambda task, answer: sent.append((task, answer)), 3)
    return sent


@pytest.mark.stub("worker-loop", points=5)
def test_every_task_is_answered_with_its_number():
    tasks, fetch = [(4, 2), (9, 3), (5, 0), (7, None), (6, 2)], {2: 20, 0: 0, None: 50}.get
    found, wanted = answers_of(tasks, fetch), [(4, 20), (9, None), (5, 0), (7, 50), (6, 20)]
    said = "send(task, batch) for each, in order; a batch or an index may be 0 or None"
    assert found == wanted, f"{said}: {wanted}, not {found}"


@pytest.mark.stub("worker-loop", points=5)
def test_an_exception_becomes_an_answer_and_work_goes_on():
    for bad, kind in (0, ZeroDivisionError), (9, IndexError):
        found = answers_of([(0, 1), (1, bad), (2, 2)], lambda n: [8 // n][n // 9])
        tasks, name = [task for task, _ in found], kind.__name__
        assert tasks == [0, 1, 2], f"tasks 0, 1, 2 are answered, after {name} too: {tasks}"
        (_, first), (_, failure), (_, last) = found
        assert (first, last) == (8, 4), f"batches 8 and 4 are around it, not {first}, {last}"
        assert isinstance(failure, Failure), f"{name} becomes a Failure, not {failure!r}"
        assert failure.kind is kind, f"of the exception's type, not {failure.kind}"
        found = failure.text.partition("Traceback")[0]
        wanted = f"Caught {name} in DataLoader worker process 3.\nOriginal "
        assert found == wanted, "what Failure.of makes of the error and this worker, 3"


@pytest.mark.stub("worker-loop", points=5)
def test_the_end_of_a_stream_is_no_failure():
    passes = [iter([10]), iter([20])]
    tasks = [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1)]
    found = answers_of(tasks, lambda index: next(passes[index]))
    wanted = [(0, 10), (1, END), (2, END), (3, 20), (4, END)]
    said = f"StopIteration is END, each time, and in both passes: {wanted}, not {found}"
    assert found == wanted, said


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
    assert events == wanted, f"fetch and send a task, and only then take the next: {events}"


@pytest.mark.stub("worker-loop", points=5)
def test_an_interrupt_ends_the_worker():
    def interrupted(index):
        raise KeyboardInterrupt

    try:
        found = answers_of([(0, 0)], interrupted)
    except KeyboardInterrupt:
        return
    raise AssertionError(f"an interrupt is not an Exception, so it must leave `work`, not become {found}")


@pytest.mark.stub("worker-loop", points=5)
def test_an_error_of_send_is_none_of_fetch():
    sent = []

    def send(task, answer):
        sent.append(task)
        raise BrokenPipeError

    with contextlib.suppress(BrokenPipeError):
        work(iter([(0, 0)]), abs, send, 0)
    assert sent == [0], f"send must be called once for a task, even if it fails: {sent}"


class Bench:
    """Replaces the workers: stores what is submitted, and answers in its own order."""

    def __init__(self, order):
        self.order, self.under_way, self.most = list(order), {}, 0

    def submit(self, number, task):
        self.under_way[number] = task
        self.most = max(self.most, len(self.under_way))

    def receive(self):
        number = next((n for n in self.order if n in self.under_way), None)
        own = self.made
        said = f"receive waits forever: none of {own.sent} tasks sent is under way; wanted is"
        said = f"{said} {own.wanted}, arrived are {[*own.arrived]}"
        assert number is not None, said
        task = self.under_way.pop(number)
        return number, None if task is None else task * 10

    def answers(self, tasks, ahead):
        self.made = InOrder(tasks, self.submit, self.receive, ahead)
        return self.made


def check_drained(wanted, answers, said):
    """Take the answers to the end, at most 50."""
    found = []
    with contextlib.suppress(StopIteration):
        while len(found) < 50:
            found.append(next(answers))
    said = f"{said}; {answers.sent} tasks were sent"
    assert found == wanted, f"{said}: {wanted}, not {found}"


@pytest.mark.stub("in-order", points=7)
def test_answers_that_overtake_wait_for_their_turn():
    bench = Bench([3, 2, 1, 0, 7, 6, 5, 4, 8])
    said = "every answer once, in the order of the tasks"
    tasks, wanted = [0, 1, None, *range(3, 9)], [0, 10, None, *range(30, 90, 10)]
    check_drained(wanted, bench.answers(tasks, 4), said)


@pytest.mark.stub("in-order", points=7)
def test_one_task_is_sent_for_each_answer_handed_out():
    answers = Bench([1, 0, 2, 4, 3, 5, 6, 7, 8, 9]).answers(range(1000), 3)
    for count in range(1, 6):
        next(answers)
        said = f"after {count} answers, 3 + {count} tasks have been sent, not {answers.sent}"
        assert answers.sent == 3 + count, said
    bench = Bench(range(9))
    next(bench.answers(range(9), 4))
    count = len(bench.under_way)
    assert count == 4, f"answer 0 came first: no more is received, 4 under way, not {count}"


@pytest.mark.stub("in-order", points=7)
def test_no_more_is_under_way_than_was_asked_for():
    for ahead in (4, 1):
        bench = Bench(range(40, -1, -1))
        check_drained([10 * n for n in range(30)], bench.answers(range(30), ahead), "30 tasks")
        said = f"{bench.most} tasks were under way at once, not {ahead}"
        assert bench.most == ahead, said


@pytest.mark.stub("in-order", points=7)
def test_what_was_handed_out_is_let_go():
    answers = Bench(range(20)).answers(range(20), 2)
    check_drained([10 * n for n in range(20)], answers, "twenty tasks")
    kept = len(answers.arrived)
    assert not kept, f"{kept} batches that were handed out are still kept in `arrived`"


@pytest.mark.stub("in-order", points=7)
def test_the_end_is_the_end():
    check_drained([], Bench([]).answers([], 2), "no tasks, no answers")
    answers = Bench(range(3)).answers(range(3), 10)
    check_drained([0, 10, 20], answers, "fewer tasks than may be under way")
    check_drained([], answers, "after the end, StopIteration again")


@pytest.mark.stub("in-order", points=7)
def test_real_workers_give_the_batches_that_one_process_gives():
    data = TensorDataset(arange(23), arange(23.0))
    orders = []
    for workers in (0, 2):
        manual_seed(1)
        timeout = 10 if workers else 0
        loader = DataLoader(data, 4, shuffle=True, num_workers=workers, timeout=timeout)
        orders.append([x.tolist() for x, _ in itertools.islice(loader, 20)])
    said = f"without workers the batches are {orders[0]}, with two {orders[1]}"
    assert orders[0] == orders[1], said


def through(stream, size, seed=0):
    """A stream through a buffer, from a new generator with this seed."""
    found = shuffled(stream, size, Generator().manual_seed(seed))
    kind = type(found).__name__
    assert hasattr(found, "__next__"), f"an iterator, which yields items at once, not a {kind}"
    return found


@pytest.mark.stub("shuffle-buffer", points=5)
def test_every_item_comes_out_once():
    for n, size in [(100, 10), (10, 10), (7, 1), (5000, 3)]:
        items = list(range(n))
        found = list(through(items, size))
        assert len(items) == n, "the stream may be the caller's list, and must not be changed"
        said = f"{n} items through a buffer of {size}: each exactly once; sorted, they are"
        assert sorted(found) == items, said


@pytest.mark.stub("shuffle-buffer", points=5)
def test_a_stream_may_be_shorter_than_the_buffer():
    for n in (3, 0):
        found = sorted(through(range(n), 10))
        assert found == list(range(n)), f"{n} items, a buffer of 10: each once, not {found}"


@pytest.mark.stub("shuffle-buffer", points=5)
def test_the_order_is_random_and_repeatable():
    first, second, other = (list(through(range(200), 50, seed)) for seed in (1, 1, 2))
    assert first == second, "the same seed, the same order"
    assert first != other, "another seed, another order"
    moved = np.mean(np.abs(np.array(first) - np.arange(200)))
    said = f"with a buffer of 50, items moved by only {moved:.1f} places on average"
    assert moved > 10, said
    said = "the first 50 out are the first 50 in: for each that arrives, one goes out"
    assert set(first[:50]) != set(range(50)), said


@pytest.mark.stub("shuffle-buffer", points=5)
def test_what_is_left_in_the_buffer_is_shuffled_too():
    for n in (50, 1000):
        rising = np.mean(np.diff(list(through(range(n), 100))[-100:]) > 0)
        said = f"{n} items, a buffer of 100: the last must come in random order too, half of the"
        assert 0.3 < rising < 0.7, f"{said} steps rise, not {rising:.0%}"


@pytest.mark.stub("shuffle-buffer", points=5)
def test_no_item_comes_much_too_early():
    for place, item in enumerate(through(range(500), 20)):
        said = f"item {item} came out at place {place}: with a buffer of 20 it had not gone in"
        assert item < place + 20, said


@pytest.mark.stub("shuffle-buffer", points=5)
def test_every_place_of_the_buffer_is_used():
    firsts = {next(through(range(10), 4, seed)) for seed in range(60)}
    assert firsts == {0, 1, 2, 3}, f"any of a buffer of 4 may be first, it was one of {firsts}"


@pytest.mark.stub("shuffle-buffer", points=5)
def test_no_more_is_read_than_the_buffer_holds():
    taken = []
    stream = (taken.append(i) or i for i in range(5000))  # in place of an endless one
    found = through(stream, 8)
    for _ in range(5):
        next(found)
    assert len(taken) <= 8 + 5, f"5 items out of a buffer of 8 read {len(taken)}"


@pytest.mark.stub("shuffle-buffer", points=5)
def test_items_may_be_none_or_equal_or_arrays():
    for items in ([5, 4, 3, 0, 2, 1], [5, 4, 3, None, 2, 1], [7] * 4, [*np.eye(5)]):
        found, wanted = (sorted(map(str, each)) for each in (through(items, 2), items))
        assert found == wanted, f"each of {items} once, through a buffer of 2; as sorted texts"


class Folder:
    """Shards that are lists of `size` samples, and a record of what is opened and read."""

    def __init__(self, count, size=10):
        self.shards = [[size * n + i for i in range(size)] for n in range(count)]
        self.opened, self.taken = [], []

    def read(self, shard):
        self.opened.append(shard[0] // len(shard))
        return (self.taken.append(sample) or sample for sample in shard)

    def epoch(self, workers, epoch, buffer=1, base=100):
        """What each worker yields in an epoch, or the main process if there are none."""
        infos = [WorkerInfo(i, workers, base + i, None) for i in range(workers)] or [None]
        return [list(shard_stream(self.shards, self.read, i, epoch, buffer)) for i in infos]


@pytest.mark.stub("shard-stream", points=5)
def test_every_sample_comes_once_however_many_workers_read():
    manual_seed(0)
    for workers in (0, 1, 2, 3, 7, 9):
        for epoch, base in ((3, 2**63 - 20), (1, 0)):
            folder = Folder(7)
            given = folder.epoch(workers, epoch, buffer=4, base=base)
            found = [*itertools.chain(*given)]
            assert folder.shards == Folder(7).shards, "the list of shards is not to be changed"
            kinds = {type(sample).__name__ for sample in found}
            assert kinds == {"int"}, f"the samples that `read` yields are ints, not {kinds}"
            again = sorted(n for n in set(folder.opened) if folder.opened.count(n) > 1)
            never = sorted(set(range(7)) - set(folder.opened))
            said = f"epoch {epoch}, {workers} workers, shards: twice {again}, never {never}"
            assert not again + never, said
            assert sorted(found) == list(range(70)), f"{said}; each sample once, sorted"


@pytest.mark.stub("shard-stream", points=5)
def test_the_shares_are_even():
    for n in (9, 11):
        lengths = [len(samples) for samples in Folder(n).epoch(4, 1)]
        said = f"{n} shards of 10 samples among 4 workers, who read {lengths}: not even"
        assert max(lengths) - min(lengths) <= 10, said


@pytest.mark.stub("shard-stream", points=5)
def test_shards_come_in_a_new_order_each_epoch():
    folder = Folder(20)
    for workers in (1, 2):
        first, again, second = (folder.epoch(workers, epoch, 4) for epoch in (1, 1, 2))
        assert first == again, "the same base seed and epoch: the same order"
        assert first != second, "the base seed stays, the epoch is new: another order"
        other = folder.epoch(workers, 1, 4, base=7)
        assert first != other, "another base seed: another order"
    shards = [item // 10 for item in folder.epoch(2, 1)[0][::10]]
    assert sorted(shards) != shards, f"the shards come in random order, not {shards}"
    said = "worker 0 of 2 reads the same shards in both epochs: permute all, then deal"
    assert set(first[0]) != set(second[0]), said


@pytest.mark.stub("shard-stream", points=5)
def test_in_the_main_process_the_default_generator_decides():
    folder, found = Folder(20), []
    for seed in (3, 3, 4):
        manual_seed(seed)
        samples = iter(shard_stream(folder.shards, folder.read, None, 1, 20))
        first = next(samples)
        manual_seed(len(found))  # as a model might that draws
        found.append([first, *samples])
    assert found[0] == found[1], "the same manual_seed, the same order, other draws or not"
    assert found[0] != found[2], "after another manual_seed, another order"


@pytest.mark.stub("shard-stream", points=5)
def test_samples_are_shuffled_within_the_buffer():
    found, second = (Folder(1, size=200).epoch(1, n, buffer=50)[0] for n in (1, 2))
    assert found != second, "one shard: another order in another epoch, from the buffer"
    moved = np.mean(np.abs(np.array(found) - np.arange(200)))
    said = f"through a buffer of 50, samples moved by {moved:.1f} places on average"
    assert moved > 10, said
    early = max(item - place for place, item in enumerate(found))
    assert early < 50, f"through a buffer of 50, a sample came {early} places too early"
    found = [sample // 10 for sample in Folder(4).epoch(1, 1, buffer=40)[0]]
    changes = sum(a != b for a, b in itertools.pairwise(found))
    assert changes > 9, f"one buffer of 40 mixes 4 shards; the samples' shards are {found}"


@pytest.mark.stub("shard-stream", points=5)
def test_a_shard_is_opened_when_it_is_wanted():
    folder = Folder(50, size=40)
    for samples in (shard_stream(folder.shards, folder.read, None, 1, 8) for _ in range(2)):
        next(samples)
    said = f"two streams, one sample of each: {len(folder.opened)} of 50 shards were opened"
    assert len(folder.opened) <= 2, said
    said = f"two streams, one sample of each, buffers of 8: {len(folder.taken)} were read"
    assert len(folder.taken) <= 20, said


@pytest.mark.stub("normalize", points=3)
def test_each_channel_has_its_own_mean_and_deviation():
    rng = np.random.default_rng(0)
    mean, std = np.array([0.1, 0.2, 0.3]), np.array([0.5, 1.0, 2.0])
    for shape in ((3, 3, 3), (3, 4, 5), (2, 3, 4, 5)):
        image = rng.random(shape, dtype=np.float32)
        kept, wanted = image.copy(), (image - mean[:, None, None]) / std[:, None, None]
        found = Normalize(mean.tolist(), std.tolist())(image)
        said = "the data set still owns the image: it must not be changed in place"
        np.testing.assert_array_equal(image, kept, err_msg=said)
        said = f"(x - self.mean) / self.std, of an image {shape}"
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6, err_msg=said)


@pytest.mark.stub("normalize", points=3)
def test_a_tensor_stays_a_tensor_and_an_array_an_array():
    normalize = Normalize(0.5, 0.25)
    for image, kind in (ones(3, 2, 2), Tensor), (np.ones((3, 2, 2), np.float32), np.ndarray):
        found = normalize(image)
        said = f"a {kind.__name__} in, a {kind.__name__} out, not a {type(found).__name__}"
        assert type(found) is kind, said
        values = np.asarray(found.numpy() if kind is Tensor else found)
        said = "(1 - 0.5) / 0.25 in all three channels"
        np.testing.assert_array_equal(values, np.full((3, 2, 2), 2.0), err_msg=said)
        assert image.sum() == 12, f"the image, a {kind.__name__}, is changed in place"


@pytest.mark.stub("normalize", points=3)
def test_the_numbers_keep_their_precision():
    image = np.full((1, 2, 2), 50.0)
    kinds = {"float32": "float32", "uint8": "float32", "float64": "float64"}
    for given, wanted in kinds.items():
        for kind in (np.asarray, tensor):
            result = Normalize(100.5, 50)(kind(image.astype(given)))
            found = str(result.dtype)
            said = f"an image of {given} becomes {wanted}, not {found}"
            assert found.removeprefix("torch.") == wanted, said
            values = np.asarray(getattr(result, "array", result))
            said = f"(50 - 100.5) / 50, of an image of {given}"
            np.testing.assert_allclose(values, np.full((1, 2, 2), -1.01), 1e-5, err_msg=said)
