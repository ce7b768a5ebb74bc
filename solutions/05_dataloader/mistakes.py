"""Planted mistakes of module 05: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "tensor-dataset": """
        The index picks a tensor in place of a sample.
        + return self.tensors[index]

        A list in place of a tuple.
        + return [t[index] for t in self.tensors]

        Only the first two tensors, as if every data set were inputs and labels.
        + return self.tensors[0][index], self.tensors[1][index]
    """,
    "concat-dataset": """
        The search is on the wrong side, so the first sample of a data set is looked for in the one before.
        - number = bisect.bisect_right(self.cumulative_sizes, index)
        + number = bisect.bisect_left(self.cumulative_sizes, index)

        What lies before is not subtracted.
        - return self.datasets[number][index - before]
        + return self.datasets[number][index]

        A negative number is handed to the first data set.
        - if index < 0:
        -     if -index > len(self):
        -         raise ValueError(f"index {index} is out of range for {len(self)} samples")
        -     index += len(self)

        A number far below zero goes around.
        - if -index > len(self):
        -     raise ValueError(f"index {index} is out of range for {len(self)} samples")
        - index += len(self)
        + index %= len(self)
    """,
    "random-split": """
        The samples stay in their order.
        - order = (generator or default_generator).permutation(len(dataset)).tolist()
        + order = list(range(len(dataset)))

        Every part begins at the front of the permutation, so the parts overlap.
        - return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]
        + return [Subset(dataset, order[:length]) for length in lengths]

        A new permutation for every part: most samples are in the wrong number of parts.
        - order = (generator or default_generator).permutation(len(dataset)).tolist()
        + generator = generator or default_generator
        + orders = [generator.permutation(len(dataset)).tolist() for _ in lengths]
        ...
        - return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]
        + return [Subset(dataset, order[e - n : e]) for order, e, n in zip(orders, ends, lengths)]

        The lengths are not looked at, so samples go missing in silence.
        - if sum(lengths) != len(dataset):
        -     raise ValueError(
        -         f"the lengths sum to {sum(lengths)}, but the data set has {len(dataset)} samples"
        -     )

        The generator that was given is not used.
        - order = (generator or default_generator).permutation(len(dataset)).tolist()
        + order = default_generator.permutation(len(dataset)).tolist()
    """,
    "random-sampler": """
        All numbers are drawn before the first is given out.
        - for start in range(0, count, 32):
        -     yield from generator.integers(0, n, (min(32, count - start),)).tolist()
        + yield from generator.integers(0, n, (count,)).tolist()

        One permutation is given out again and again.
        - for _ in range(count // n):
        -     yield from generator.permutation(n).tolist()
        - yield from generator.permutation(n)[: count % n].tolist()
        + order = generator.permutation(n).tolist()
        + yield from itertools.islice(itertools.cycle(order), count)

        `num_samples` is ignored: always the whole data set.
        - n, count = len(self.data_source), self.num_samples
        + n = len(self.data_source)
        ...
        - for start in range(0, count, 32):
        -     yield from generator.integers(0, n, (min(32, count - start),)).tolist()
        + yield from generator.integers(0, n, (n,)).tolist()
        ...
        - for _ in range(count // n):
        -     yield from generator.permutation(n).tolist()
        - yield from generator.permutation(n)[: count % n].tolist()
        + yield from generator.permutation(n).tolist()

        The last chunk is a whole one, so more numbers come than were asked for.
        - for start in range(0, count, 32):
        -     yield from generator.integers(0, n, (min(32, count - start),)).tolist()
        + for _ in range(0, count, 32):
        +     yield from generator.integers(0, n, (32,)).tolist()

        No last permutation is drawn when nothing is left over.
        - for _ in range(count // n):
        -     yield from generator.permutation(n).tolist()
        - yield from generator.permutation(n)[: count % n].tolist()
        + for start in range(0, count, n):
        +     yield from generator.permutation(n)[: count - start].tolist()
    """,
    "batch-sampler": """
        A short last list is always given.
        - if len(batch) == self.batch_size or not self.drop_last:
        -     yield batch
        + yield batch

        With drop_last the last list goes even if it is full.
        + numbers = iter(self.sampler)
        + batches = []
        + while batch := list(itertools.islice(numbers, self.batch_size)):
        +     batches.append(batch)
        + yield from batches[:-1] if self.drop_last else batches

        One list is filled and emptied, so batches that were handed out change.
        + batch = []
        + for number in self.sampler:
        +     batch.append(number)
        +     if len(batch) == self.batch_size:
        +         yield batch
        +         batch.clear()
        + if batch and not self.drop_last:
        +     yield batch

        The whole sampler is read before the first batch.
        - numbers = iter(self.sampler)
        - while batch := list(itertools.islice(numbers, self.batch_size)):
        + numbers = list(self.sampler)
        + for start in range(0, len(numbers), self.batch_size):
        +     batch = numbers[start : start + self.batch_size]
    """,
    "collate": """
        A structure within the structure is not entered.
        - first, {key: default_collate([sample[key] for sample in batch]) for key in first}
        + first, {key: collate_values([sample[key] for sample in batch]) for key in first}
        ...
        - return type(first)(*map(default_collate, zip(*batch)))
        + return type(first)(*map(collate_values, zip(*batch)))
        ...
        - return [default_collate(column) for column in zip(*batch)]
        + return [collate_values(column) for column in zip(*batch)]

        Longer samples are cut to the shortest.
        - if any(len(sample) != len(first) for sample in batch):
        -     raise RuntimeError("each element in list of batch should be of equal size")

        A namedtuple loses its names.
        - if isinstance(first, tuple) and hasattr(first, "_fields"):
        -     return type(first)(*map(default_collate, zip(*batch)))

        Texts are taken for sequences of letters.
        - if isinstance(first, Sequence) and not isinstance(first, str | bytes):
        + if isinstance(first, Sequence):

        A mapping is collated by the order of its values, not by its keys.
        - first, {key: default_collate([sample[key] for sample in batch]) for key in first}
        + first,
        + dict(zip(first, default_collate([list(sample.values()) for sample in batch]))),
    """,
    "fetch": """
        A short last batch of a stream is given although `drop_last` says not to.
        - if not batch or (self.drop_last and len(batch) < len(index)):
        + if not batch:

        The end of a stream cuts off the last, short batch.
        - batch = list(itertools.islice(self.stream, len(index)))
        - if not batch or (self.drop_last and len(batch) < len(index)):
        -     raise StopIteration
        - return self.collate(batch)
        + return self.collate([next(self.stream) for _ in index])

        Samples one by one are handed out as they are, arrays as arrays.
        - return self.collate(
        -     self.dataset[index] if self.stream is None else next(self.stream)
        - )
        + return self.dataset[index] if self.stream is None else next(self.stream)

        The stream is begun anew for every batch.
        - self.dataset[index] if self.stream is None else next(self.stream)
        + self.dataset[index] if self.stream is None else next(iter(self.dataset))
        ...
        - batch = list(itertools.islice(self.stream, len(index)))
        + batch = list(itertools.islice(iter(self.dataset), len(index)))

        Samples are always got one by one.
        - return self.collate(samples(self.dataset, index))
        + return self.collate([self.dataset[i] for i in index])
    """,
    "worker-loop": """
        An exception ends the worker.
        - except Exception as error:
        -     answer = Failure.of(error, worker)

        The end of a stream is taken for a failure.
        - except StopIteration:
        -     answer = END

        After the end of a stream the remaining tasks get no answer.
        - answer = END
        + send(task, END)
        + break

        A task that fails is skipped without an answer.
        - except Exception as error:
        -     answer = Failure.of(error, worker)
        + except Exception:
        +     continue

        Nothing is sent before everything is done.
        + answers = []
          for task, index in tasks:
        ...
                  answer = Failure.of(error, worker)
        +     answers.append((task, answer))
        + for task, answer in answers:
    """,
    "in-order": """
        Whatever comes first is handed out.
        - while self.wanted not in self.arrived:
        -     number, answer = self.receive()
        -     self.arrived[number] = answer
        - answer = self.arrived.pop(self.wanted)
        + _, answer = self.receive()

        An answer that comes early is thrown away.
        - while self.wanted not in self.arrived:
        + number, answer = self.receive()
        + while number != self.wanted:
        ...
        -     self.arrived[number] = answer
        - answer = self.arrived.pop(self.wanted)

        No new task takes the place of one that was answered.
          self.wanted += 1
        - self.submit_next()

        A task is sent for each answer received, so what arrived early piles up beyond any bound.
        - answer = self.arrived.pop(self.wanted)
        +     self.submit_next()
        + answer = self.arrived.pop(self.wanted)
        ...
          self.wanted += 1
        - self.submit_next()

        Answers are kept after they have been handed out.
        - answer = self.arrived.pop(self.wanted)
        + answer = self.arrived[self.wanted]

        The end is not seen, and an answer is waited for that nobody will send.
        - if self.wanted == self.sent:
        -     raise StopIteration
    """,
    "shuffle-buffer": """
        What is left in the buffer at the end is lost.
        - for place in generator.permutation(len(buffer)):
        -     yield buffer[place]

        What is left in the buffer comes out in its order.
        - for place in generator.permutation(len(buffer)):
        -     yield buffer[place]
        + yield from sorted(buffer)

        The whole stream is read first.
        + items = list(stream)
        + for place in generator.permutation(len(items)):
        +     yield items[place]

        The new item is given out again and the old one lost.
          for item, place in zip(stream, draws(size, generator)):
        +     buffer[place] = item
        ...
        - buffer[place] = item

        The buffer is shuffled and given out whole, again and again: nothing crosses from one fill to the next.
        + stream = iter(stream)
        + while buffer := list(itertools.islice(stream, size)):
        +     for _ in generator.permutation(len(buffer)):
        +         yield buffer.pop(0)

        The last place of the buffer is never drawn.
        - for item, place in zip(stream, draws(size, generator)):
        + for item, place in zip(stream, draws(max(size - 1, 1), generator)):
    """,
    "share": """
        Every worker reads everything.
        + return shards

        The shards that do not divide evenly are left out.
        + if info is None:
        +     return shards
        + each = len(shards) // info.num_workers
        + return shards[info.id * each : (info.id + 1) * each]

        The last worker gets all that is left over.
        + if info is None:
        +     return shards
        + each = len(shards) // info.num_workers
        + return (
        +     shards[info.id * each :]
        +     if info.id == info.num_workers - 1
        +     else shards[info.id * each : (info.id + 1) * each]
        + )

        The main process, which is no worker, is forgotten.
        + return shards[info.id :: info.num_workers]
    """,
    "normalize": """
        The means are subtracted along the columns in place of the channels.
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = (getattr(image, "array", image) - self.mean.ravel()) / self.std.ravel()

        The image is changed where it lies.
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = getattr(image, "array", image)
        + if array.dtype == np.uint8:
        +     array = array.astype(np.float32)
        + array -= self.mean
        + array /= self.std

        The image is divided by its deviation before the mean is subtracted.
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = getattr(image, "array", image) / self.std - self.mean

        Everything becomes float64 on the way.
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = (np.float64(getattr(image, "array", image)) - self.mean) / self.std
    """,
}
