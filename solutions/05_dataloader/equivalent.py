"""Changes in the answers of module 05 that no valid input can tell from them."""

EQUIVALENT = {
    "concat-dataset": """
        The words of the error are not promised.
        - raise ValueError(f'index {index} is out of range for {len(self)} samples')
        + raise ValueError()
        + raise ValueError(f'index {self} is out of range for {len(self)} samples')
    """,
    "random-split": """
        The words of the error are not promised.
        - raise ValueError(f'the lengths sum to {sum(lengths)}, but the data set has {len(dataset)} samples')
        + raise ValueError()
        + raise ValueError(f'the lengths sum to {sum(dataset)}, but the data set has {len(dataset)} samples')
    """,
    "random-sampler": """
        The smaller of two numbers is the same in either order.
        - yield from generator.integers(0, n, (min(32, count - start),)).tolist()
        + yield from generator.integers(0, n, (min(count - start, 32),)).tolist()
    """,
    "collate": """
        Of all that samples are made of, only named tuples have `_fields`.
        - if isinstance(first, tuple) and hasattr(first, '_fields'):
        + if hasattr(first, '_fields'):

        Either order of two types allows both.
        - if isinstance(first, Sequence) and (not isinstance(first, str | bytes)):
        + if isinstance(first, Sequence) and (not isinstance(first, bytes | str)):

        The words of the error are not promised.
        - raise RuntimeError('each element in list of batch should be of equal size')
        + raise RuntimeError()
    """,
    "shard-stream": """
        Any seed that is the same in all workers, and another in each epoch, will do.
        - base = draw_seed() if info is None else info.seed - info.id
        + base = draw_seed() if info is None else info.id - info.seed
        - generator = Generator().manual_seed(base + epoch)
        + generator = Generator().manual_seed(base - epoch)
    """,
}
