"""Module 05: data sets, samplers, collating, and the order in which a DataLoader gives a seed's batches."""

from golden import Area, real

area = Area()


def given(torch):
    data = torch.utils.data
    return {
        "D": data,
        "t": data.TensorDataset(torch.arange(10), torch.arange(10.0) * 2),
        "seeded": lambda seed: torch.Generator().manual_seed(seed),
    }


def each(programs):
    area.each("", [], programs, given)


# Data sets ------------------------------------------------------------------------------------------------
each("""
    [len(t), t[3], t[-1], t[2:4], t[[1, 5]]]; list(D.TensorDataset(torch.eye(2)))
    (s := D.Subset(t, [7, 2, 2])) and [len(s), s[0], s[2], s.indices, list(s)]
    (c := D.ConcatDataset([t, D.Subset(t, [0, 1])])) and [len(c), c[0], c[10], c[-12], c.cumulative_sizes]
    (c := t + D.TensorDataset(torch.ones(1), torch.ones(1))) and [type(c).__name__, len(c), c[10]]
    [[len(part), list(part.indices)] for part in D.random_split(t, [7, 3])]
    [list(part.indices) for part in D.random_split(range(10), [0.5, 0.25, 0.25])]
    [list(part.indices) for part in D.random_split(range(11), [0.33, 0.33, 0.34])]
    [list(part.indices) for part in D.random_split(range(20), [15, 5], generator=seeded(42))]
    [list(part) for part in D.random_split('abcdef', [2, 0, 4])]
""")

# Samplers -------------------------------------------------------------------------------------------------
each("""
    list(D.SequentialSampler(range(4))); len(D.SequentialSampler(range(4)))
    list(D.RandomSampler(range(10)))
    [list(s := D.RandomSampler(range(6))), list(s), len(s)]
    [list(D.RandomSampler(range(5))), torch.rand(2)]
    list(D.RandomSampler(range(10), generator=seeded(3)))
    [list(D.RandomSampler(range(4), generator=(g := seeded(3)))), torch.rand(2, generator=g)]
    list(D.RandomSampler(range(5), replacement=True)); list(D.RandomSampler(range(5), True, 50))
    list(D.RandomSampler(range(5), num_samples=3)); list(D.RandomSampler(range(5), num_samples=12))
    list(D.RandomSampler(range(100), replacement=True, num_samples=70, generator=seeded(1)))
    list(D.SubsetRandomSampler([5, 1, 8, 3])); list(D.SubsetRandomSampler([5, 1, 8], generator=seeded(2)))
    list(D.WeightedRandomSampler([0.1, 2.0, 0.7], 12)); list(D.WeightedRandomSampler([1.0, 2.0, 3.0], 2, False))
    list(D.default_convert([1, 2.0])) + list(D.ChainDataset([[1, 2], [3]]).datasets)
    list(D.BatchSampler(range(7), 3, False)); list(D.BatchSampler(range(7), 3, True))
    len(D.BatchSampler(range(7), 3, False))
    list(D.BatchSampler(D.SequentialSampler(range(5)), batch_size=2, drop_last=True))
    len(D.BatchSampler(range(7), 3, True))
""")

# Collating ------------------------------------------------------------------------------------------------
area.each(
    "x",
    [real(2, 3)],
    """
    C([x, x * 2]); C([(x, 1), (x, 2)]); C([[x[0], 1.5], [x[1], 2.5]])
    C([{'x': x, 'n': 1}, {'x': -x, 'n': 2}]); C((x, x))
    C([x[0, 0], x[1, 1]]); C([{'a': {'b': (x, 'name')}}])
    """,
    given=lambda torch: {"C": torch.utils.data.default_collate},
    gradient=False,
)
each("""
    D.default_collate([1, 2, 3]); D.default_collate([1.5, 2]); D.default_collate([True, False])
    D.default_collate(['a', 'b'])
    D.default_collate([np.float32(1), np.float32(2)]); D.default_collate([np.arange(3), np.arange(3)])
    D.default_collate([b'a', b'b'])
    D.default_collate([np.ones((2, 2), 'float32')] * 2)
    D.default_collate([(1, 'x', [2.0]), (3, 'y', [4.0])])
""")

# Loaders --------------------------------------------------------------------------------------------------
each("""
    list(D.DataLoader(t, 4)); list(D.DataLoader(t, batch_size=4, drop_last=True)); list(D.DataLoader(t))
    len(D.DataLoader(t, 4)); len(D.DataLoader(t, 4, drop_last=True)); list(D.DataLoader(t, 4, shuffle=True))
    list(D.DataLoader(t, 3, True, drop_last=True))
    [list(loader := D.DataLoader(t, 5, shuffle=True)), list(loader)]
    [list(D.DataLoader(t, 5, shuffle=True)), torch.rand(2)]; [list(D.DataLoader(t, 5)), torch.rand(2)]
    list(D.DataLoader(t, 4, shuffle=True, generator=seeded(9)))
    [list(D.DataLoader(t, 4, shuffle=True, generator=(g := seeded(9)))), torch.rand(2, generator=g)]
    list(D.DataLoader(t, 4, sampler=[1, 1, 3])); list(D.DataLoader(t, batch_sampler=[[0, 1], [5]]))
    list(D.DataLoader(t, None))[:2]
    list(D.DataLoader(t, 4, sampler=D.RandomSampler(t, num_samples=6))); list(D.DataLoader([1, 2, 3, 4], 3))
    list(D.DataLoader(t, 4, collate_fn=len))
    list(D.DataLoader(t, 4, collate_fn=lambda batch: sum(x for x, _ in batch)))
    list(D.DataLoader(['a', 'b', 'c'], 2)); list(D.DataLoader(np.arange(6.0), 4))
    list(D.DataLoader(D.Subset(t, [3, 1]), 2))
    [x.shape for x, y in D.DataLoader(D.TensorDataset(torch.ones(5, 2, 3), torch.ones(5)), 2)]
    list(zip(D.DataLoader(t, 5, True), D.DataLoader(t, 5, True))); len(D.DataLoader(t, 3, sampler=range(4)))
    list(D.DataLoader(t, 4, shuffle=True, num_workers=0)); list(D.DataLoader(t, 4, True, num_workers=2))
    len(D.DataLoader(t, None))
    (loader := D.DataLoader(t, 4)) and [loader.batch_size, loader.drop_last, loader.num_workers]
    D.get_worker_info()
""")
area.refused(
    "",
    [],
    """
    D.DataLoader(t, 4, shuffle=True, sampler=[1]); D.DataLoader(t, 4, batch_sampler=[[1]])
    D.DataLoader(t, None, drop_last=True); D.DataLoader(t, 0)
    D.DataLoader(t, num_workers=-1); D.DataLoader(t, -2)
    D.DataLoader(t, 4, shuffle=True, batch_sampler=[[1]]); D.DataLoader(t, timeout=-1)
    D.DataLoader(t, 2, prefetch_factor=3)
    D.DataLoader([], 2, shuffle=3); D.RandomSampler([]); D.RandomSampler(t, num_samples=-1)
    D.RandomSampler(t, replacement=1); D.BatchSampler(t, 0, False); D.BatchSampler(t, 2, 1)
    D.TensorDataset(torch.ones(2), torch.ones(3)); D.ConcatDataset([])
    D.ConcatDataset([t])[10]
    D.ConcatDataset([t])[-11]; t[10]; D.random_split(t, [3, 3])
    D.random_split(t, [0.7, 0.7])
    D.random_split(t, [-0.5, 1.0]); D.default_collate([torch.ones(2), torch.ones(3)])
    D.default_collate([object()])
    D.default_collate([(1, 2), (1,)]); D.default_collate([None]); D.Dataset()[0]
    list(D.DataLoader(D.Subset(t, [11])))
    """,
    given=given,
)


@area.case()
def an_iterable_data_set_is_read_in_its_order(torch):
    data = torch.utils.data

    class Squares(data.IterableDataset):
        def __iter__(self):
            return (i * i for i in range(7))

    whole = list(data.DataLoader(Squares(), 3)), list(data.DataLoader(Squares(), 3, drop_last=True))
    return whole, list(data.DataLoader(Squares(), batch_size=None))


class OfIterables:
    """What a loader refuses for data without indices, one program each."""

    def shuffling(torch):
        torch.utils.data.DataLoader(torch.utils.data.IterableDataset(), shuffle=True)

    def a_sampler(torch):
        torch.utils.data.DataLoader(torch.utils.data.IterableDataset(), sampler=[1])

    def a_length(torch):
        len(torch.utils.data.DataLoader(torch.utils.data.IterableDataset(), 2))

    def concatenation(torch):
        torch.utils.data.ConcatDataset([torch.utils.data.IterableDataset()])


for name, program in list(vars(OfIterables).items()):
    if not name.startswith("_"):
        area.add(f"refused of iterables: {name.replace('_', ' ')}", program, [], raises=True)


@area.case()
def a_data_set_of_our_own_is_collated(torch):
    class Pairs(torch.utils.data.Dataset):
        def __len__(self):
            return 5

        def __getitem__(self, index):
            return {
                "x": torch.full((2,), index),
                "label": index,
                "name": f"item {index}",
                "weight": index / 2,
            }

    return list(torch.utils.data.DataLoader(Pairs(), 2)), list(
        torch.utils.data.DataLoader(Pairs(), 3, shuffle=True)
    )


@area.case()
def a_sampler_of_our_own_gives_the_order(torch):
    class Backwards(torch.utils.data.Sampler):
        def __init__(self, data):
            self.data = data

        def __iter__(self):
            return iter(range(len(self.data) - 1, -1, -1))

        def __len__(self):
            return len(self.data)

    data = torch.utils.data.TensorDataset(torch.arange(5))
    return list(torch.utils.data.DataLoader(data, 2, sampler=Backwards(data)))


@area.case()
def epochs_differ_and_seeds_repeat(torch):
    data = torch.utils.data.TensorDataset(torch.arange(6))
    loader = torch.utils.data.DataLoader(data, 2, shuffle=True)
    first = [list(loader), list(loader)]
    torch.manual_seed(0)
    return first, list(loader), torch.randn(2)
