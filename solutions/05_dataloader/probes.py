"""Probes of module 05: data sets, orders, batches and streams of random lengths, from random seeds."""

from collections import OrderedDict, namedtuple

import tinytorch

Point = namedtuple("Point", ["place", "label"])
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def generator_of(rng):
    return Generator().manual_seed(int(rng.integers(1000)))


def outcome(function, *args, **options):
    try:
        return function(*args, **options)
    except (ValueError, IndexError, RuntimeError, StopIteration) as error:
        return type(error).__name__


class Part(Dataset):
    """Letters by number, and no others than those it has."""

    def __init__(self, text):
        self.text = text

    def __len__(self):
        return len(self.text)

    def __getitem__(self, index):
        if not 0 <= index < len(self.text):
            raise KeyError(index)
        return self.text[index]


@probe("concat-dataset")
def samples_counted_through(rng):
    texts = ["".join(rng.choice(list(LETTERS), n)) for n in rng.integers(0, 5, 6)] + ["x"]
    data = ConcatDataset([Part(text) for text in texts])
    return [outcome(data.__getitem__, index) for index in range(-len(data) - 2, len(data) + 2)]


@probe("random-split")
def parts_of_a_data_set(rng):
    found = []
    for n in rng.integers(1, 40, 5).tolist():
        cuts = sorted(rng.integers(0, n + 1, int(rng.integers(0, 4))).tolist())
        lengths, generator = np.diff([0, *cuts, n]).tolist(), generator_of(rng)
        data = list(range(100, 100 + n))
        parts = random_split(data, lengths, generator)
        found.append([[type(p).__name__, list(p.indices), p.dataset is data] for p in parts])
        found.append([generator.raw(1), outcome(random_split, data, [*lengths, 2])])
        tinytorch.manual_seed(int(rng.integers(1000)))
        fractions = [0.5, 0.25, 0.25] if n % 2 else [0.3, 0.7]
        found.append([list(part.indices) for part in random_split(data, fractions, None)])
    return found


@probe("random-sampler")
def random_orders(rng):
    found = []
    for replacement in (False, True):
        for count in (None, 1, 32, 33, int(rng.integers(1, 80)), int(rng.integers(1, 80))):
            generator, n = generator_of(rng), int(rng.integers(1, 30))
            sampler = RandomSampler(range(n), replacement, count, generator)
            order = list(sampler)
            left = None if replacement else generator.raw(1)
            found.append([order, left, sorted({type(number).__name__ for number in order})])
            found.append(list(itertools.islice(sampler, 3)))
    tinytorch.manual_seed(int(rng.integers(1000)))
    return [*found, list(RandomSampler(range(12)))]


@probe("batch-sampler")
def numbers_in_lists(rng):
    found, taken = [], []
    for _ in range(8):
        n, size = int(rng.integers(0, 20)), int(rng.integers(1, 7))
        sampler = BatchSampler(rng.permutation(n).tolist(), size, bool(rng.integers(2)))
        found += [list(sampler), list(sampler), len(sampler)]
    endless = (taken.append(i) or i for i in itertools.count(int(rng.integers(9))))
    return [*found, next(iter(BatchSampler(endless, 4, False))), len(taken) <= 5]


def plain_of(batch):
    """A batch with the names of its types; texts may stand in any sequence."""
    if isinstance(batch, list | tuple) and all(isinstance(text, str) for text in batch):
        return list(batch)
    if isinstance(batch, Mapping):
        return [type(batch).__name__, [[key, plain_of(value)] for key, value in batch.items()]]
    if isinstance(batch, list) or hasattr(batch, "_fields"):
        return [type(batch).__name__, [plain_of(value) for value in batch]]
    return batch


@probe("collate")
def collated_structures(rng):
    shape, size = rng.integers(0, 4, 2).tolist(), int(rng.integers(1, 6))

    def leaves():
        kind = rng.choice([np.float32, np.float64, np.int64])
        return [
            lambda: tensor(rng.normal(size=shape).astype(kind)), lambda: int(rng.integers(9)), lambda: float(rng.normal()),
            lambda: bool(rng.integers(2)), lambda: "".join(rng.choice(list(LETTERS), 3)), lambda: rng.normal(size=2),
        ][int(rng.integers(6))]  # fmt: skip

    def structure(depth):
        if not depth:
            return leaves()
        kind, parts = int(rng.integers(5)), [structure(depth - 1) for _ in range(2)]
        return [
            lambda: [part() for part in parts], lambda: tuple(part() for part in parts), lambda: Point(parts[0](), parts[1]()),
            lambda: {"b": parts[0](), "a": parts[1]()}, lambda: OrderedDict(z=parts[0](), y=parts[1]()),
        ][kind]  # fmt: skip

    makers = [structure(depth) for depth in (0, 0, 1, 1, 1, 2, 2, 2, 3)]
    found = [plain_of(default_collate([make() for _ in range(size)])) for make in makers]
    uneven = [[(1, 2), (1,)], [[1], [1, 2]], [(1,), (1,), (1, 2)]][int(rng.integers(3))]
    return [*found, outcome(default_collate, uneven)]


class Stream(IterableDataset):
    def __init__(self, numbers):
        self.numbers = numbers

    def __iter__(self):
        return iter(self.numbers)


class Together(Part):
    def __getitems__(self, indices):
        return [f"{self.text[i]}!" for i in indices]


@probe("fetch")
def fetched_batches(rng):
    found = []
    for _ in range(4):
        numbers = rng.integers(100, size=int(rng.integers(0, 12))).tolist()
        letters = "".join(rng.choice(list(LETTERS), 12))
        for size in (None, int(rng.integers(1, 5))):
            last = bool(rng.integers(2)) if size else False
            for data in (Stream(numbers), Part(letters), Together(letters)):
                fetch = Fetcher(
                    DataLoader(
                        data,
                        size,
                        drop_last=last,
                        collate_fn=lambda batch: ["collated", batch],
                    )
                )
                for _ in range(5):
                    index = rng.integers(12, size=size).tolist()
                    found.append(outcome(fetch, index))
    return found


@probe("worker-loop")
def answered_tasks(rng):
    events, kinds = [], (KeyError, ValueError, StopIteration, ZeroDivisionError, None, None)
    plan = [kinds[i] for i in rng.integers(len(kinds), size=12)]
    tasks = ((int(number), i) for i, number in enumerate(rng.permutation(12)))

    def fetch(index):
        events.append(["fetch", index])
        if plan[index]:
            raise plan[index](f"number {index}")
        return index * 10

    def send(task, answer):
        said = (
            [answer.kind.__name__, answer.text.splitlines()[0]]
            if isinstance(answer, Failure)
            else answer
        )
        events.append(["send", task, "END" if answer is END else said])

    work(tasks, fetch, send, int(rng.integers(9)))
    return events


@probe("in-order")
def answers_in_order(rng):
    found = []
    for _ in range(6):
        tasks, ahead, under_way = (
            rng.integers(100, size=int(rng.integers(0, 15))).tolist(),
            int(rng.integers(1, 7)),
            {},
        )
        counts = []

        def receive(under_way=under_way):
            number = list(under_way)[int(rng.integers(len(under_way)))]
            return number, under_way.pop(number) * 10

        answers = InOrder(tasks, under_way.__setitem__, receive, ahead)
        for _ in range(len(tasks) + 2):
            found.append(outcome(answers.__next__))
            counts.append([answers.sent, sorted([*answers.arrived, *under_way])])
        found.append(counts)
    return found


@probe("shuffle-buffer")
def shuffled_streams(rng):
    found = []
    for _ in range(6):
        n, size, seed = (int(number) for number in rng.integers((1, 1, 0), (60, 12, 1000)))
        items, orders = list(rng.permutation(n)), []
        for shift in (0, 0, 1):
            order = list(shuffled(iter(items), size, Generator().manual_seed(seed + shift)))
            orders.append([items.index(item) for item in order])
        kept = all(place - i < size for order in orders for i, place in enumerate(order))
        found.append([n, sorted(orders[0]) == list(range(n)), orders[0] == orders[1], kept])
        found.append(orders[0] != list(range(n)) if size > 4 and n > 20 else True)
        found.append([orders[0] != orders[2]] if size > 4 and n > 20 else [])
    taken = []
    stream = shuffled((taken.append(i) or i for i in itertools.count()), 8, generator_of(rng))
    count = int(rng.integers(1, 20))
    for _ in range(count):
        next(stream)
    firsts = {
        next(shuffled(range(10), 3, Generator().manual_seed(seed))) for seed in range(60)
    }
    return [
        *found,
        len(taken) <= 8 + count,
        sorted(firsts),
        list(shuffled(items, 1, generator_of(rng))) == items,
    ]


@probe("shard-stream")
def streamed_shards(rng):
    found = []
    for _ in range(5):
        count, size, workers, base = (
            int(n) for n in rng.integers((1, 1, 1, 0), (12, 6, 5, 1000))
        )
        shards, opened = [[(n, i) for i in range(size)] for n in range(count)], []
        infos = [WorkerInfo(i, workers, base + i, None) for i in range(workers)]

        def epoch(number, infos, buffer, shards=shards, opened=opened):
            read = lambda shard: opened.append(shard[0][0]) or iter(shard)
            return [list(shard_stream(shards, read, info, number, buffer)) for info in infos]

        first, again, second = (epoch(n, infos, 3) for n in (1, 1, 2))
        together = sorted(sample for part in first for sample in part)
        lengths = [len(part) // size for part in first]
        found.append([together, first == again, max(lengths) - min(lengths) <= 1, len(opened)])
        found.append(first != second if count > 9 else True)
        alone = epoch(1, [None], 1)[0]
        order = [number for number, i in alone if i == 0]
        found.append([sorted(alone), alone == [(n, i) for n in order for i in range(size)]])
    opened.clear()
    stream = shard_stream(
        shards, lambda shard: opened.append(shard) or iter(shard), None, 1, 1
    )
    return [*found, len(opened) <= 1, len(next(stream)), len(opened) <= 2]


@probe("normalize")
def normalized_images(rng):
    found = []
    for lead in ((), (2,), (2, 3)):
        channels = int(rng.integers(1, 4))
        mean, std = rng.normal(size=channels).tolist(), rng.uniform(0.2, 3, channels).tolist()
        for normalize in (Normalize(mean, std), Normalize(mean[0], std[0])):
            for kind in (np.float32, np.float64, np.uint8):
                image = (
                    50 * rng.uniform(1, 3, (*lead, channels, *rng.integers(1, 5, 2)))
                ).astype(kind)
                before, result = image.copy(), normalize(tinytorch.from_numpy(image))
                found.append(
                    [
                        normalize(image),
                        type(result).__name__,
                        result,
                        np.array_equal(image, before),
                    ]
                )
    return found
