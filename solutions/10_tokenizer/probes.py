"""Probes of module 10."""

LETTERS = list("abeno tsäß€あ😀\n'")


def some_text(rng, longest=40):
    return "".join(rng.choice(LETTERS, rng.integers(longest)))


def some_words(rng):
    """Words of few letters, so that pairs repeat and tie, with how often they occur."""
    spelled = [
        rng.choice(list(b"abc "), rng.integers(1, 9)) for _ in range(rng.integers(1, 9))
    ]
    return {spell(bytes(word.tolist())): int(rng.integers(1, 6)) for word in spelled}


def shown(tokens):
    return [token.decode("latin-1") for token in tokens]


def counted(counts):
    return sorted([*shown(pair), count] for pair, count in counts.items() if count)


def learned(found):
    vocabulary, merges = found
    in_order = sorted(vocabulary, key=vocabulary.get)
    return [
        shown(in_order),
        [vocabulary[token] for token in in_order],
        [shown(pair) for pair in merges],
    ]


def random_ranks(rng):
    _, merges = train_naive(some_words(rng) | some_words(rng), 256 + int(rng.integers(3, 20)))
    order = rng.permutation(len(merges)).tolist()
    return dict(zip(merges, order if rng.integers(2) else range(len(merges))))


def failure(run, shown):
    """The type of the error that is raised, and whether its message shows what it is about."""
    try:
        return run()
    except (KeyError, ValueError) as error:
        return [type(error).__name__, shown in str(error)]


def in_chunks(rng, text, seen):
    """Cut a text anywhere, also into nothing; `seen` grows with each chunk that is taken."""
    while text:
        cut = int(rng.integers(6))
        seen.append(text[:cut])
        yield text[:cut]
        text = text[cut:]


def special_text(rng, special):
    parts = [
        some_text(rng, 9) + str(rng.choice(["'ve", " 12", "<|e", *special]))
        for _ in range(rng.integers(30))
    ]
    return "".join(parts)


@probe("char-tokenizer")
def characters_numbered(rng):
    text, strange = some_text(rng) + "b", chr(rng.integers(0x400, 0x500))
    tokenizer = CharTokenizer(text)
    ids = rng.integers(tokenizer.n_vocab, size=rng.integers(20)).tolist()
    wrong = int(rng.choice([-1, -tokenizer.n_vocab, tokenizer.n_vocab, 1000]))
    return [
        tokenizer.encode(text[::-1]),
        tokenizer.decode(iter(ids)),
        failure(lambda: tokenizer.encode(text + strange), strange),
        failure(lambda: tokenizer.decode([*ids, wrong]), str(wrong)),
    ]


@probe("bytes-to-unicode")
def bytes_made_visible(rng):
    table, data = bytes_to_unicode(), rng.bytes(rng.integers(20, 40))
    order = list(table)
    return [
        visible(data),
        [order.index(byte) for byte in data],
        len(table),
        type(table).__name__,
    ]


@probe("count-pairs")
def pairs_of_words(rng):
    found = [count_pairs(some_words(rng)) for _ in range(4)]
    return [[counted(counts), sum(counts.values()), counts[b"x", b"y"]] for counts in found]


@probe("merge-pair")
def pairs_joined(rng):
    pairs = [(b"a", b"a"), (b"a", b"b"), (b"ab", b"a"), (b"a", b"ba")]
    words = [
        tuple(rng.choice([b"a", b"b", b"ab", b"ba"], n).tolist())
        for n in [1, *rng.integers(25, size=3)]
    ]
    merged = [merge_pair(word, pair) for pair in pairs for word in words]
    return [[type(new).__name__, *shown(new)] for new in merged]


@probe("train-naive")
def merges_learned_by_counting_again(rng):
    words = some_words(rng) | some_words(rng)
    before = dict(words)
    found = [learned(train_naive(words, int(256 + size))) for size in rng.integers(30, size=2)]
    return [found, words == before]


@probe("apply-merge")
def books_after_some_merges(rng):
    words, weights = map(list, zip(*some_words(rng).items()))
    counts, where, told = count_pairs(dict(zip(words, weights))), defaultdict(set), []
    for index, word in enumerate(words):
        for pair in pairwise(word):
            where[pair].add(index)
    while (left := sorted(+counts)) and len(told) < 6:
        pair = left[rng.integers(len(left))]
        made = apply_merge(pair, words, weights, counts, where)
        holding = [
            all(i in where[new] for i, w in enumerate(words) if new in pairwise(w))
            for new in +counts
        ]
        told.append(
            [sorted(map(shown, made)), list(map(shown, words)), counted(counts), all(holding)]
        )
    return [told, weights]


@probe("train")
def merges_learned(rng):
    words = some_words(rng) | some_words(rng)
    before = dict(words)
    found = train_bpe(words, int(256 + rng.integers(60)))
    return [learned(found), words == before]


@probe("train")
def merges_of_a_text(rng):
    words = " ".join(some_text(rng, 8) for _ in range(60)).split()
    counts = {spell(word.encode()): words.count(word) for word in words}
    return learned(train_bpe(counts, int(rng.integers(260, 400))))


@probe("encode-piece")
def pieces_by_their_ranks(rng):
    ranks = random_ranks(rng)
    pieces = [bytes(rng.choice(list(b"abc "), rng.integers(20)).tolist()) for _ in range(25)]
    found = [encode_piece_naive(piece, ranks) for piece in pieces]
    return [[type(word).__name__, *shown(word)] for word in found]


@probe("decode")
def bytes_of_ids(rng):
    tokens = {
        int(id): rng.bytes(rng.integers(1, 5)) for id in rng.choice(1000, 30, replace=False)
    }
    ids = rng.choice(list(tokens), rng.integers(40)).tolist()
    wrong = -1 if rng.integers(2) else 1000 + int(rng.integers(1000))
    return [
        list(decode_bytes(iter(ids), tokens)),
        failure(lambda: list(decode_bytes(iter([*ids, wrong]), tokens)), str(wrong)),
    ]


@probe("split-stream")
def pieces_of_a_stream(rng):
    special = ["<s>", "<|end|>", "<|" + " x" * int(rng.integers(5, 10)) + "|>"]
    sets = [special[i:j] for i in range(3) for j in range(i, 4)]
    return [
        list(split_stream(in_chunks(rng, special_text(rng, few), []), few)) for few in sets
    ]


@probe("split-stream")
def pieces_before_the_end(rng):
    seen, text = [], " ".join(some_text(rng, 6) for _ in range(400))
    first = next(split_stream(in_chunks(rng, text, seen), ["<|end|>"]))
    return [first, len("".join(seen)) < len(text) / 2]


@probe("encode-stream")
def ids_of_a_stream(rng):
    allowed = {token: int(id) for token, id in zip(["<|end|>", "<s>"], rng.permutation(2))}
    refused = {"<no>"} if rng.integers(2) else ["<no>", "<|other|>"]
    text = special_text(rng, ["<|end|>", "<s>", "<|other|>"])

    def ids(text):
        return list(
            encode_stream(
                in_chunks(rng, text, []), lambda piece: map(ord, piece), allowed, refused
            )
        )

    passing = text.replace("<|other|>", "") if "<|other|>" in refused else text
    return [ids(passing), ids(""), failure(lambda: ids(passing + "<no>" + text), "<no>")]


@probe("encode-stream")
def ids_before_the_end(rng):
    seen, text = [], " ".join(some_text(rng, 6) for _ in range(400)) + "<no>"
    coming = encode_stream(
        in_chunks(rng, text, seen), lambda piece: [len(piece)], {}, ["<no>"]
    )
    return [[next(coming) for _ in range(3)], len("".join(seen)) < len(text) / 2]


@probe("bits-per-byte")
def bits_of_some_losses(rng):
    tokens = {
        int(id): some_text(rng, 6).encode() + b"a" for id in rng.choice(100, 20, replace=False)
    }
    ids = rng.choice(list(tokens), rng.integers(1, 40)).tolist()
    special = {ids[-1], 1000} if len(set(ids)) > 1 else ()
    return bits_per_byte(rng.exponential(3.0, len(ids)).tolist(), ids, tokens, special)
