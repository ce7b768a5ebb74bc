"""Other right answers to the stubs of module 05: their tests pass with each."""

ANSWERS = {
    "concat-dataset": """
        Data set by data set, without the sums.
        + if index < -len(self):
        +     raise ValueError("no such sample")
        + rest = index if index >= 0 else index + len(self)
        + for dataset in self.datasets:
        +     if rest < len(dataset):
        +         return dataset[rest]
        +     rest -= len(dataset)
        + raise IndexError("no such sample")
    """,
    "random-split": """
        Parts cut off the front, one after the other.
        + if len(dataset) != sum(lengths):
        +     raise ValueError(f"{sum(lengths)} are not {len(dataset)}")
        + generator = default_generator if generator is None else generator
        + numbers = iter(generator.permutation(len(dataset)))
        + return [Subset(dataset, [int(next(numbers)) for _ in range(n)]) for n in lengths]
    """,
    "random-sampler": """
        Numbers one at a time; a loop over permutations that ends within the last.
        + if self.replacement:
        +     for _ in range(count):
        +         yield int(generator.integers(0, n, (1,))[0])
        +     return
        + whole, rest = divmod(count, n)
        + for number in range(whole + 1):
        +     order = generator.permutation(n)
        +     for i in order if number < whole else order[:rest]:
        +         yield int(i)
    """,
    "batch-sampler": """
        A list that is filled number by number, and a new one when it is full.
        + batch = []
        + for number in self.sampler:
        +     batch.append(number)
        +     if len(batch) == self.batch_size:
        +         yield batch
        +         batch = []
        + if batch and not self.drop_last:
        +     yield batch
    """,
    "collate": """
        Texts first; columns by index.
        + if isinstance(first, str | bytes):
        +     return collate_values(batch)
        + if isinstance(first, Mapping):
        +     values = {}
        +     for key in first:
        +         values[key] = default_collate([sample[key] for sample in batch])
        +     return like(first, values)
        + if not isinstance(first, Sequence):
        +     return collate_values(batch)
        + if len({len(sample) for sample in batch}) > 1:
        +     raise RuntimeError("samples of different lengths")
        + columns = [default_collate([s[i] for s in batch]) for i in range(len(first))]
        + return type(first)._make(columns) if hasattr(first, "_make") else columns
    """,
    "fetch": """
        What is got first, and one call of collate.
        + if self.stream is None:
        +     got = samples(self.dataset, index) if self.in_batches else self.dataset[index]
        + elif self.in_batches:
        +     got = [sample for _, sample in zip(index, self.stream)]
        +     least = len(index) if self.drop_last else 1
        +     if len(got) < least:
        +         raise StopIteration
        + else:
        +     got = next(self.stream)
        + return self.collate(got)
    """,
    "worker-loop": """
        The kinds of errors told apart in one clause.
        + for number, what in tasks:
        +     try:
        +         found = fetch(what)
        +     except Exception as error:
        +         ended = isinstance(error, StopIteration)
        +         found = END if ended else Failure.of(error, worker)
        +     send(number, found)
    """,
    "in-order": """
        Receives until the wanted number comes, as a loop that it leaves.
        + if self.sent <= self.wanted:
        +     raise StopIteration
        + while True:
        +     if self.wanted in self.arrived:
        +         break
        +     self.arrived.update([self.receive()])
        + found = self.arrived[self.wanted]
        + del self.arrived[self.wanted]
        + self.submit_next()
        + self.wanted = self.wanted + 1
        + return found
    """,
    "shuffle-buffer": """
        Filled and emptied in one loop, one number at a time.
        + buffer = []
        + for item in stream:
        +     if len(buffer) < size:
        +         buffer.append(item)
        +         continue
        +     place = int(generator.integers(0, size, (1,))[0])
        +     item, buffer[place] = buffer[place], item
        +     yield item
        + yield from [buffer[i] for i in generator.permutation(len(buffer))]
    """,
    "shard-stream": """
        A generator function; the numbers of shards are divided, not the shards.
        + base = info.seed - info.id if info is not None else draw_seed()
        + generator = Generator().manual_seed(base + epoch)
        + numbers = share(generator.permutation(len(shards)).tolist(), info)
        +
        + def samples():
        +     for number in numbers:
        +         yield from read(shards[number])
        +
        + yield from shuffled(samples(), buffer, generator)

        The order is that of random numbers, from another seed for each epoch.
        + base = draw_seed() if info is None else info.seed - info.id
        + generator = Generator().manual_seed(base + 1000 * epoch)
        + keys = generator.integers(0, 2**62, (len(shards),)).tolist()
        + own = share([shard for _, shard in sorted(zip(keys, shards))], info)
        + return shuffled((x for shard in own for x in read(shard)), buffer, generator)
    """,
    "normalize": """
        By a factor and an offset, for arrays and Tensors apart.
        + if isinstance(image, Tensor):
        +     return wrap(self(image.array))
        + factor = 1 / self.std
        + return image * factor - self.mean * factor
    """,
}
