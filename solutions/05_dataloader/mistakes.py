"""Planted mistakes of module 05: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "concat-dataset": """
        The search is on the wrong side: a data set's first sample is searched in the previous one. (hint 1)
        - number = bisect.bisect_right(self.cumulative_sizes, index)
        + number = bisect.bisect_left(self.cumulative_sizes, index)

        Not all samples that lie before are subtracted. (hint 2)
        - return self.datasets[number][index - before]
        + return self.datasets[number][index]

        Only the size of the data set before is subtracted, not that of all before. (hint 2)
        - before = self.cumulative_sizes[number - 1] if number else 0
        + before = len(self.datasets[number - 1]) if number else 0

        Before the first data set there are no samples, but the last sum is subtracted. (hint 2)
        - before = self.cumulative_sizes[number - 1] if number else 0
        + before = self.cumulative_sizes[number - 1]

        A negative number is passed to the first data set. (hint 3)
        - if index < 0:
        -     if -index > len(self):
        -         raise ValueError(f"index {index} is out of range for {len(self)} samples")
        -     index += len(self)

        A number far below zero wraps around. (hint 3)
        - if -index > len(self):
        -     raise ValueError(f"index {index} is out of range for {len(self)} samples")
        - index += len(self)
        + index %= len(self)

        The number within the data set stays negative, which only some data sets accept. (hint 2)
        - before = self.cumulative_sizes[number - 1] if number else 0
        + before = self.cumulative_sizes[number]

        All samples are read to find one. (hint 1)
        - number = bisect.bisect_right(self.cumulative_sizes, index)
        - before = self.cumulative_sizes[number - 1] if number else 0
        - return self.datasets[number][index - before]
        + return [data[i] for data in self.datasets for i in range(len(data))][index]

        All samples are read to find one, by loops that run until an IndexError. (hint 1)
        - number = bisect.bisect_right(self.cumulative_sizes, index)
        - before = self.cumulative_sizes[number - 1] if number else 0
        - return self.datasets[number][index - before]
        + return [sample for data in self.datasets for sample in data][index]

        The sample is found, but not returned.
        - return self.datasets[number][index - before]
        + self.datasets[number][index - before]

        Both ends raise an IndexError. (hint 3)
        - raise ValueError(f"index {index} is out of range for {len(self)} samples")
        + raise IndexError(f"index {index} is out of range for {len(self)} samples")
    """,
    "random-split": """
        The samples stay in their order, nothing is drawn.
        - order = (generator or default_generator).permutation(len(dataset)).tolist()
        + order = list(range(len(dataset)))

        Every part begins at the front of the permutation, so the parts overlap. (hint 2)
        - return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]
        + return [Subset(dataset, order[:length]) for length in lengths]

        A new permutation is drawn for every part, so some samples are in two and others in none.
        - order = (generator or default_generator).permutation(len(dataset)).tolist()
        + generator = generator or default_generator
        + orders = [generator.permutation(len(dataset)).tolist() for _ in lengths]
        ...
        - return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]
        + return [Subset(dataset, order[e - n : e]) for order, e, n in zip(orders, ends, lengths)]

        The lengths are not checked, so samples are silently lost. (hint 1)
        - if sum(lengths) != len(dataset):
        -     raise ValueError(
        -         f"the lengths sum to {sum(lengths)}, but the data set has {len(dataset)} samples"
        -     )

        The generator that was given is not used.
        - order = (generator or default_generator).permutation(len(dataset)).tolist()
        + order = default_generator.permutation(len(dataset)).tolist()

        The numbers stay NumPy's, not ints. (hint 3)
        - order = (generator or default_generator).permutation(len(dataset)).tolist()
        + order = (generator or default_generator).permutation(len(dataset))

        The parts are a tuple, not a list.
        - return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]
        + return tuple(Subset(dataset, order[e - n : e]) for e, n in zip(ends, lengths))

        The parts are lists, not Subsets. (hint 3)
        - return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]
        + return [order[end - length : end] for end, length in zip(ends, lengths)]

        A part begins at the length of the part before it, not at its end. (hint 2)
        - ends = itertools.accumulate(lengths)
        - return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]
        + starts = [0, *lengths]
        + return [Subset(dataset, order[a : a + length]) for a, length in zip(starts, lengths)]

        The samples are copied in random order, and the Subsets are of the copy. (hint 3)
        - return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]
        + mixed = [dataset[i] for i in order]
        + return [Subset(mixed, list(range(e - n, e))) for e, n in zip(ends, lengths)]

        The numbers of a Subset are a tuple, not a list. (hint 3)
        - return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]
        + return [Subset(dataset, tuple(order[e - n : e])) for e, n in zip(ends, lengths)]
    """,
    "random-sampler": """
        All numbers are drawn before the first is yielded. (hint 2)
        - for start in range(0, count, 32):
        -     yield from generator.integers(0, n, (min(32, count - start),)).tolist()
        + yield from generator.integers(0, n, (count,)).tolist()

        The same permutation is repeated.
        - for _ in range(count // n):
        -     yield from generator.permutation(n).tolist()
        - yield from generator.permutation(n)[: count % n].tolist()
        + order = generator.permutation(n).tolist()
        + yield from itertools.islice(itertools.cycle(order), count)

        One permutation is cut to `count`, so never more than N numbers come. (hint 3)
        - for _ in range(count // n):
        -     yield from generator.permutation(n).tolist()
        - yield from generator.permutation(n)[: count % n].tolist()
        + yield from generator.permutation(n)[:count].tolist()

        The generator of the first iteration is kept, so `manual_seed` does not decide the next.
        - generator = self.generator or Generator().manual_seed(draw_seed())
        + generator = self.generator = self.generator or Generator().manual_seed(draw_seed())

        `num_samples` is ignored: it always yields the whole data set.
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

        The last number never comes: `integers(low, high, shape)` draws numbers below `high`.
        - yield from generator.integers(0, n, (min(32, count - start),)).tolist()
        + yield from generator.integers(0, n - 1, (min(32, count - start),)).tolist()

        The last chunk is a whole one, so too many numbers come. (hint 2)
        - for start in range(0, count, 32):
        -     yield from generator.integers(0, n, (min(32, count - start),)).tolist()
        + for _ in range(0, count, 32):
        +     yield from generator.integers(0, n, (32,)).tolist()

        No last permutation is drawn when nothing is left over. (hint 3)
        - for _ in range(count // n):
        -     yield from generator.permutation(n).tolist()
        - yield from generator.permutation(n)[: count % n].tolist()
        + for start in range(0, count, n):
        +     yield from generator.permutation(n)[: count - start].tolist()

        The numbers stay NumPy's, not ints. (hint 1)
        - yield from generator.integers(0, n, (min(32, count - start),)).tolist()
        + yield from generator.integers(0, n, (min(32, count - start),))

        With replacement more numbers are drawn than are yielded. (hint 2)
        - for start in range(0, count, 32):
        -     yield from generator.integers(0, n, (min(32, count - start),)).tolist()
        + for start in range(0, count, 32):
        +     yield from generator.integers(0, n, (32,)).tolist()[: count - start]

        With replacement N numbers are drawn at a time, which may be millions. (hint 2)
        - for start in range(0, count, 32):
        -     yield from generator.integers(0, n, (min(32, count - start),)).tolist()
        + for start in range(0, count, n):
        +     yield from generator.integers(0, n, (min(n, count - start),)).tolist()

        The next permutation is drawn before the numbers of this one have been yielded. (hint 3)
        - for _ in range(count // n):
        -     yield from generator.permutation(n).tolist()
        - yield from generator.permutation(n)[: count % n].tolist()
        + order = generator.permutation(n).tolist()
        + for _ in range(count // n):
        +     following = generator.permutation(n).tolist()
        +     yield from order
        +     order = following
        + yield from order[: count % n]
    """,
    "batch-sampler": """
        A short last list is yielded even with `drop_last`. (hint 3)
        - if len(batch) == self.batch_size or not self.drop_last:
        -     yield batch
        + yield batch

        With `drop_last` the last list is left out even if it is full. (hint 3)
        + numbers = iter(self.sampler)
        + batches = []
        + while batch := list(itertools.islice(numbers, self.batch_size)):
        +     batches.append(batch)
        + yield from batches[:-1] if self.drop_last else batches

        One list is filled and emptied, so earlier batches change. (hint 2)
        + batch = []
        + for number in self.sampler:
        +     batch.append(number)
        +     if len(batch) == self.batch_size:
        +         yield batch
        +         batch.clear()
        + if batch and not self.drop_last:
        +     yield batch

        The whole sampler is read before the first batch. (hint 2)
        - numbers = iter(self.sampler)
        - while batch := list(itertools.islice(numbers, self.batch_size)):
        + numbers = list(self.sampler)
        + for start in range(0, len(numbers), self.batch_size):
        +     batch = numbers[start : start + self.batch_size]

        A list is made of the whole sampler, which may have no end. (hint 1)
        - numbers = iter(self.sampler)
        + numbers = iter(list(self.sampler))

        Every batch begins at the front again: `islice` of the sampler itself makes a new iterator. (hint 1)
        - while batch := list(itertools.islice(numbers, self.batch_size)):
        + while batch := list(itertools.islice(self.sampler, self.batch_size)):

        A number of the next batch is taken before this one is yielded. (hint 2)
        + batch = []
        + for number in self.sampler:
        +     if len(batch) == self.batch_size:
        +         yield batch
        +         batch = []
        +     batch.append(number)
        + if len(batch) == self.batch_size or (batch and not self.drop_last):
        +     yield batch
    """,
    "collate": """
        A sequence, or one within another, is not collated column by column. (hint 3)
        - first, {key: default_collate([sample[key] for sample in batch]) for key in first}
        + first, {key: collate_values([sample[key] for sample in batch]) for key in first}
        ...
        - return type(first)(*map(default_collate, zip(*batch)))
        + return type(first)(*map(collate_values, zip(*batch)))
        ...
        - return [default_collate(column) for column in zip(*batch)]
        + return [collate_values(column) for column in zip(*batch)]

        A sequence, or one within another, is not collated column by column. (hint 3)
        - return [default_collate(column) for column in zip(*batch)]
        + return [collate_values(column) for column in zip(*batch)]

        The fields of a namedtuple are not entered. (hint 3)
        - return type(first)(*map(default_collate, zip(*batch)))
        + return type(first)(*map(collate_values, zip(*batch)))

        The first sample is filled with the batch's values. (hint 3)
        - return like(
        -     first, {key: default_collate([sample[key] for sample in batch]) for key in first}
        - )
        + first.update({key: default_collate([sample[key] for sample in batch]) for key in first})
        + return first

        A mapping of any kind becomes a plain dict. (hint 3)
        - return like(
        -     first, {key: default_collate([sample[key] for sample in batch]) for key in first}
        - )
        + return {key: default_collate([sample[key] for sample in batch]) for key in first}

        Only the lengths of the first and the last sample are compared.
        - if any(len(sample) != len(first) for sample in batch):
        + if len(batch[-1]) != len(first):

        Only the second sample's length is checked.
        - if any(len(sample) != len(first) for sample in batch):
        + if len(batch) > 1 and len(batch[1]) != len(first):

        A batch of one sample is a special case, and loses its structure.
        - if isinstance(first, Mapping):
        + if len(batch) == 1 and isinstance(first, tuple):
        +     return [default_collate([value]) for value in first]
        + if isinstance(first, Mapping):

        A list of texts becomes a tuple, but must stay a list. (hint 2)
        - return collate_values(batch)
        + return tuple(batch) if isinstance(first, str | bytes) else collate_values(batch)

        Longer samples are cut to the shortest.
        - if any(len(sample) != len(first) for sample in batch):
        -     raise RuntimeError("each element in list of batch should be of equal size")

        A namedtuple loses its names. (hint 2)
        - if isinstance(first, tuple) and hasattr(first, "_fields"):
        -     return type(first)(*map(default_collate, zip(*batch)))

        Texts are taken for sequences of letters. (hint 2)
        - if isinstance(first, Sequence) and not isinstance(first, str | bytes):
        + if isinstance(first, Sequence):

        A mapping is collated by the order of its values, not by its keys.
        - first, {key: default_collate([sample[key] for sample in batch]) for key in first}
        + first,
        + dict(zip(first, default_collate([list(sample.values()) for sample in batch]))),

        A mapping that is not a dict is not taken for one: `isinstance(first, Mapping)` is true of all. (hint 2)
        - if isinstance(first, Mapping):
        + if isinstance(first, dict):

        A sequence that is neither list nor tuple is not taken for one. (hint 2)
        - if isinstance(first, Sequence) and not isinstance(first, str | bytes):
        + if isinstance(first, list | tuple):

        The lengths of lists are not compared.
        - if any(len(sample) != len(first) for sample in batch):
        + if isinstance(first, tuple) and any(len(sample) != len(first) for sample in batch):

        The mapping is made by calling its type, which not every type allows: `like` copies and fills one. (hint 3)
        - return like(
        -     first, {key: default_collate([sample[key] for sample in batch]) for key in first}
        - )
        + values = {key: default_collate([sample[key] for sample in batch]) for key in first}
        + return type(first)(values)
    """,
    "fetch": """
        A short last batch of a stream is returned despite `drop_last`. (hint 3)
        - if not batch or (self.drop_last and len(batch) < len(index)):
        + if not batch:

        The last, short batch of a stream is lost. (hint 2)
        - batch = list(itertools.islice(self.stream, len(index)))
        - if not batch or (self.drop_last and len(batch) < len(index)):
        -     raise StopIteration
        - return self.collate(batch)
        + return self.collate([next(self.stream) for _ in index])

        Samples that come one by one do not go through `collate`.
        - return self.collate(
        -     self.dataset[index] if self.stream is None else next(self.stream)
        - )
        + return self.dataset[index] if self.stream is None else next(self.stream)

        The stream is restarted for every batch. (hint 2)
        - self.dataset[index] if self.stream is None else next(self.stream)
        + self.dataset[index] if self.stream is None else next(iter(self.dataset))
        ...
        - batch = list(itertools.islice(self.stream, len(index)))
        + batch = list(itertools.islice(iter(self.dataset), len(index)))

        Samples are fetched one by one, even from a data set that can fetch many at once. (hint 1)
        - return self.collate(samples(self.dataset, index))
        + return self.collate([self.dataset[i] for i in index])

        The stream is restarted at its end. (hint 3)
        - if not batch or (self.drop_last and len(batch) < len(index)):
        + if not batch or (self.drop_last and len(batch) < len(index)):
        +     self.stream = iter(self.dataset)

        At the end of a stream None is returned. (hint 3)
        - raise StopIteration
        + return None

        The end of a stream is not signalled: an empty batch is collated. (hint 3)
        - if not batch or (self.drop_last and len(batch) < len(index)):
        + if self.drop_last and len(batch) < len(index):

        After every full batch one more sample is taken from the stream, and lost. (hint 2)
        - batch = list(itertools.islice(self.stream, len(index)))
        + batch = [sample for sample, _ in zip(self.stream, index)]

        One by one, a sample that is 0 or empty is taken for the end of the stream. (hint 3)
        - if not self.in_batches:
        + if not self.in_batches and self.stream is not None:
        +     sample = next(self.stream, None)
        +     if not sample:
        +         raise StopIteration
        +     return self.collate(sample)
        + if not self.in_batches:

        One by one, a sample None is taken for the end of the stream. (hint 3)
        - if not self.in_batches:
        + if not self.in_batches and self.stream is not None:
        +     sample = next(self.stream, None)
        +     if sample is None:
        +         raise StopIteration
        +     return self.collate(sample)
        + if not self.in_batches:

        A batch of samples that are all 0, None or empty is taken for an empty one. (hint 3)
        - if not batch or (self.drop_last and len(batch) < len(index)):
        + if not any(batch) or (self.drop_last and len(batch) < len(index)):
    """,
    "worker-loop": """
        An exception ends the worker. (hint 3)
        - except Exception as error:
        -     answer = Failure.of(error, worker)

        The end of a stream is taken for a failure. (hint 2)
        - except StopIteration:
        -     answer = END

        After the end of a stream the remaining tasks get no answer.
        - answer = END
        + send(task, END)
        + break

        After the first END every answer is END, even in the next pass.
        + ended = False
          for task, index in tasks:
        ...
        - answer = fetch(index)
        + answer = END if ended else fetch(index)
        ...
        - answer = END
        + answer, ended = END, True

        The tasks are taken by `next`, which only an iterator has. (hint 1)
        - for task, index in tasks:
        + while pair := next(tasks, None):
        +     task, index = pair

        A task that fails is skipped without an answer. (hint 3)
        - except Exception as error:
        -     answer = Failure.of(error, worker)
        + except Exception:
        +     continue

        An interrupt, which is not an Exception, is answered like a failure. (hint 3)
        - except Exception as error:
        + except BaseException as error:

        An error in `send` is treated as one of `fetch`, and sent again. (hint 2)
        - answer = fetch(index)
        + send(task, fetch(index))
        + continue

        Nothing is sent before everything is done. (hint 1)
        + answers = []
          for task, index in tasks:
        ...
                  answer = Failure.of(error, worker)
        +     answers.append((task, answer))
        + for task, answer in answers:

        `Failure.of` gets the task's number, not the worker's.
        - answer = Failure.of(error, worker)
        + answer = Failure.of(error, task)

        An index None is taken for the end of the tasks. (hint 1)
        - for task, index in tasks:
        + for task, index in tasks:
        +     if index is None:
        +         break

        A batch that is None is not sent. (hint 3)
        - send(task, answer)
        + if answer is not None:
        +     send(task, answer)

        A batch that is 0, None or empty is not sent. (hint 3)
        - send(task, answer)
        + if answer:
        +     send(task, answer)

        Another exception, IndexError, is taken for the end of a stream, too. (hint 2)
        - except StopIteration:
        + except (StopIteration, IndexError):
    """,
    "in-order": """
        Whatever arrives first is returned. (hint 2)
        - while self.wanted not in self.arrived:
        -     number, answer = self.receive()
        -     self.arrived[number] = answer
        - answer = self.arrived.pop(self.wanted)
        + _, answer = self.receive()

        An answer that comes early is thrown away. (hint 2)
        - while self.wanted not in self.arrived:
        + number, answer = self.receive()
        + while number != self.wanted:
        ...
        -     self.arrived[number] = answer
        - answer = self.arrived.pop(self.wanted)

        No new task is sent for one that was answered. (hint 3)
          self.wanted += 1
        - self.submit_next()

        A task is sent for each answer received, so that early answers pile up without bound. (hint 3)
        - answer = self.arrived.pop(self.wanted)
        +     self.submit_next()
        + answer = self.arrived.pop(self.wanted)
        ...
          self.wanted += 1
        - self.submit_next()

        Answers are kept after they have been returned. (hint 3)
        - answer = self.arrived.pop(self.wanted)
        + answer = self.arrived[self.wanted]

        After the last answer it receives again, in place of `raise StopIteration`. (hint 1)
        - if self.wanted == self.sent:
        -     raise StopIteration

        It receives although the wanted answer has arrived. (hint 2)
        - while self.wanted not in self.arrived:
        + while True:
        ...
        +     if self.wanted in self.arrived:
        +         break
          answer = self.arrived.pop(self.wanted)

        An answer that is 0, None or empty is taken for one that has not arrived. (hint 2)
        - while self.wanted not in self.arrived:
        + while not self.arrived.get(self.wanted):

        `wanted` is not advanced, so that it waits for an answer that was returned before. (hint 3)
        - self.wanted += 1

        All tasks under way are received before one answer is returned. (hint 2)
        - while self.wanted not in self.arrived:
        + for _ in range(self.sent - self.wanted - len(self.arrived)):

        An answer None is taken for one that has not arrived. (hint 2)
        - while self.wanted not in self.arrived:
        + while self.arrived.get(self.wanted) is None:

        To find out whether tasks are left, one is taken from them, and never sent. (hint 1)
        - if self.wanted == self.sent:
        + if not self.arrived and next(self.tasks, None) is None:
    """,
    "shuffle-buffer": """
        The rest of the buffer is lost at the end, or a part of it. (hint 3)
        - for place in generator.permutation(len(buffer)):
        -     yield buffer[place]

        At the end `size` places are drawn, though the buffer may hold fewer items. (hint 3)
        - for place in generator.permutation(len(buffer)):
        + for place in generator.permutation(size):

        The rest of the buffer comes out in its old order. (hint 3)
        - for place in generator.permutation(len(buffer)):
        -     yield buffer[place]
        + yield from sorted(buffer)

        The rest of the buffer comes out in reverse, not in random order. (hint 3)
        - for place in generator.permutation(len(buffer)):
        -     yield buffer[place]
        + while buffer:
        +     yield buffer.pop()

        The rest of the buffer is only rotated by a random amount. (hint 3)
        - for place in generator.permutation(len(buffer)):
        -     yield buffer[place]
        + place = int(generator.integers(0, max(len(buffer), 1), (1,))[0])
        + yield from buffer[place:] + buffer[:place]

        The whole stream is read first. (hint 1)
        + items = list(stream)
        + for place in generator.permutation(len(items)):
        +     yield items[place]

        The new item is yielded at once, and the old one is lost.
          for item, place in zip(stream, draws(size, generator)):
        +     buffer[place] = item
        ...
        - buffer[place] = item

        The whole buffer is yielded before it is filled again, so nothing crosses between fills.
        + stream = iter(stream)
        + while buffer := list(itertools.islice(stream, size)):
        +     for place in generator.permutation(len(buffer)):
        +         yield buffer[place]

        The given generator is not used, but one with a fixed seed.
        + generator = Generator().manual_seed(0)
          stream = iter(stream)

        A list is made of the stream, which may have no end. (hint 1)
        - stream = iter(stream)
        + stream = iter(list(stream))

        A list is returned, not an iterator that yields items while the stream still runs.
        + stream = iter(stream)
        + buffer, found = list(itertools.islice(stream, size)), []
        + for item, place in zip(stream, draws(size, generator)):
        +     found.append(buffer[place])
        +     buffer[place] = item
        + return found + [buffer[place] for place in generator.permutation(len(buffer))]

        The last place of the buffer is never drawn.
        - for item, place in zip(stream, draws(size, generator)):
        + for item, place in zip(stream, draws(max(size - 1, 1), generator)):

        The stream is begun again after the buffer was filled: `iter` of it is wanted once, for both. (hint 1)
        - stream = iter(stream)

        An item None is taken for the end of the stream. (hint 2)
        - for item, place in zip(stream, draws(size, generator)):
        -     yield buffer[place]
        + places = draws(size, generator)
        + while (item := next(stream, None)) is not None:
        +     place = next(places)
        +     yield buffer[place]

        An item that is 0, None or empty is taken for the end of the stream. (hint 2)
        - for item, place in zip(stream, draws(size, generator)):
        -     yield buffer[place]
        + places = draws(size, generator)
        + while item := next(stream, None):
        +     place = next(places)
        +     yield buffer[place]

        The buffer is a set, which keeps equal items once, and holds no arrays. (hint 1)
        - buffer = list(itertools.islice(stream, size))
        - for item, place in zip(stream, draws(size, generator)):
        -     yield buffer[place]
        -     buffer[place] = item
        - for place in generator.permutation(len(buffer)):
        + buffer = set(itertools.islice(stream, size))
        + for item, place in zip(stream, draws(size, generator)):
        +     out = list(buffer)[place]
        +     yield out
        +     buffer.remove(out)
        +     buffer.add(item)
        + buffer = list(buffer)
        + for place in generator.permutation(len(buffer)):

        The place of an item is searched by `==`, which does not work for arrays. (hint 2)
        - yield buffer[place]
        - buffer[place] = item
        + out = buffer[place]
        + yield out
        + buffer[buffer.index(out)] = item
    """,
    "shard-stream": """
        Every worker draws its order from its own seed, so shards are read twice or never. (hint 1)
        - base = draw_seed() if info is None else info.seed - info.id
        + base = draw_seed() if info is None else info.seed

        Each process draws its own order from the default generator. (hint 1)
        - base = draw_seed() if info is None else info.seed - info.id
        + base = draw_seed()

        Every epoch has the same order. (hint 1)
        - generator = Generator().manual_seed(base + epoch)
        + generator = Generator().manual_seed(base)

        Every worker reads every shard. (hint 2)
        - samples = itertools.chain.from_iterable(map(read, share(order, info)))
        + samples = itertools.chain.from_iterable(map(read, order))

        Every worker reads every shard, and keeps a part of the samples. (hint 2)
        - samples = itertools.chain.from_iterable(map(read, share(order, info)))
        + samples = itertools.chain.from_iterable(map(read, order))
        + if info is not None:
        +     samples = itertools.islice(samples, info.id, None, info.num_workers)

        The part is taken before the shards are permuted: a worker gets the same in every epoch. (hint 2)
        - order = [shards[i] for i in generator.permutation(len(shards))]
        - samples = itertools.chain.from_iterable(map(read, share(order, info)))
        + mine = share(shards, info)
        + order = [mine[i] for i in generator.permutation(len(mine))]
        + samples = itertools.chain.from_iterable(map(read, order))

        The shards are dealt in blocks of equal length, so the last worker has few or none. (hint 2)
        - samples = itertools.chain.from_iterable(map(read, share(order, info)))
        + if info is not None:
        +     most = math.ceil(len(order) / info.num_workers)
        +     order = order[info.id * most : (info.id + 1) * most]
        + samples = itertools.chain.from_iterable(map(read, order))

        The seed is multiplied by the epoch, which is too large a number. (hint 1)
        - generator = Generator().manual_seed(base + epoch)
        + generator = Generator().manual_seed(base * epoch)

        The shards come in the order of the list; only the samples are shuffled. (hint 2)
        - order = [shards[i] for i in generator.permutation(len(shards))]
        + order = shards

        All shards are opened before the first sample is yielded. (hint 3)
        - samples = itertools.chain.from_iterable(map(read, share(order, info)))
        + samples = itertools.chain(*[read(shard) for shard in share(order, info)])

        The samples do not go through the buffer. (hint 3)
        - return shuffled(samples, buffer, generator)
        + return samples

        The buffer draws from the default generator, which no seed of the epoch decides. (hint 3)
        - return shuffled(samples, buffer, generator)
        + return shuffled(samples, buffer, default_generator)

        The buffer draws from a generator that is the same in each epoch. (hint 3)
        - return shuffled(samples, buffer, generator)
        + return shuffled(samples, buffer, Generator().manual_seed(0))

        The worker's id is added to its seed, not subtracted. (hint 1)
        - base = draw_seed() if info is None else info.seed - info.id
        + base = draw_seed() if info is None else info.seed + info.id

        The caller's list of shards is reordered.
        - order = [shards[i] for i in generator.permutation(len(shards))]
        + order = shards[:] = [shards[i] for i in generator.permutation(len(shards))]

        What `read` returns goes through the buffer, not the samples in it. (hint 3)
        - samples = itertools.chain.from_iterable(map(read, share(order, info)))
        + samples = map(read, share(order, info))

        Each shard has a buffer of its own, so that samples of different shards are never mixed. (hint 3)
        - samples = itertools.chain.from_iterable(map(read, share(order, info)))
        - return shuffled(samples, buffer, generator)
        + for shard in share(order, info):
        +     yield from shuffled(read(shard), buffer, generator)

        In the main process the default generator draws the order itself, so that other draws change it. (hint 1)
        - base = draw_seed() if info is None else info.seed - info.id
        - generator = Generator().manual_seed(base + epoch)
        + generator = default_generator
        + if info is not None:
        +     generator = Generator().manual_seed(info.seed - info.id + epoch)

        A base seed of 0 is taken for none.
        - base = draw_seed() if info is None else info.seed - info.id
        + base = (info and info.seed - info.id) or draw_seed()

        A shard is read to its end when it is opened, which takes memory for all of it. (hint 3)
        - samples = itertools.chain.from_iterable(map(read, share(order, info)))
        + samples = (sample for shard in share(order, info) for sample in list(read(shard)))

        The list of shards becomes an array, and with it what is in the shards. (hint 2)
        - order = [shards[i] for i in generator.permutation(len(shards))]
        + order = np.array(shards)[generator.permutation(len(shards))]
    """,
    "normalize": """
        The means are subtracted along the columns, not the channels. (hint 1)
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = (getattr(image, "array", image) - self.mean.ravel()) / self.std.ravel()

        The image is changed in place.
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = getattr(image, "array", image)
        + if array.dtype == np.uint8:
        +     array = array.astype(np.float32)
        + array -= self.mean
        + array /= self.std

        A Tensor is changed in place. (hint 3)
        + if isinstance(image, Tensor) and image.array.dtype.kind == "f":
        +     image.array -= self.mean
        +     image.array /= self.std
        +     return image
          array = (getattr(image, "array", image) - self.mean) / self.std

        One number for all channels is treated as one channel. (hint 1)
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = getattr(image, "array", image)
        + array = array.astype(np.result_type(array, np.float32))
        + for c in range(len(self.mean)):
        +     array[..., c, :, :] = (array[..., c, :, :] - self.mean[c]) / self.std[c]

        The image is divided by its deviation before the mean is subtracted.
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = getattr(image, "array", image) / self.std - self.mean

        Only the mean is divided by the deviation, for lack of parentheses.
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = getattr(image, "array", image) - self.mean / self.std

        Mean and deviation are those of the image, not `self.mean` and `self.std`. (hint 1)
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = getattr(image, "array", image)
        + mean, std = (f(array, axis=(-2, -1), keepdims=True) for f in (np.mean, np.std))
        + array = (array - mean) / std

        Everything becomes float64 on the way.
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = (np.float64(getattr(image, "array", image)) - self.mean) / self.std

        Everything becomes float32, even float64.
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = (np.float32(getattr(image, "array", image)) - self.mean) / self.std

        Bytes are divided by 255 first: mean and deviation are those of the image as it is.
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = getattr(image, "array", image)
        + if array.dtype == np.uint8:
        +     array = array / np.float32(255)
        + array = (array - self.mean) / self.std

        The mean becomes a whole number where the image has bytes. (hint 3)
        - array = (getattr(image, "array", image) - self.mean) / self.std
        + array = getattr(image, "array", image)
        + array = (array - self.mean.astype(array.dtype)) / self.std
    """,
}
