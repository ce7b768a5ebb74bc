"""Tests of module 10, which `make release 10` makes from tokenizer.py."""

import math
from collections import Counter, defaultdict
from itertools import pairwise

import pytest
import regex

from tinytorch.tokenizer import (
    CharTokenizer,
    apply_merge,
    bits_per_byte,
    bytes_to_unicode,
    count_pairs,
    decode_bytes,
    encode_piece_naive,
    encode_stream,
    merge_pair,
    split_stream,
    split_text,
    train_bpe,
    train_naive,
)


@pytest.mark.stub("char-tokenizer", points=4)
def test_characters_are_numbered_in_sorted_order():
    import numpy as np

    tokenizer = CharTokenizer("hello")
    assert tokenizer.encode("loll") == [2, 3, 2, 2], "e h l o of hello are 0 1 2 3, so loll is [2, 3, 2, 2]"
    for ids in ([3, 2, 0], np.array([3, 2, 0])):
        assert tokenizer.decode(ids) == "ole", f"{ids!r} are the characters o l e"


@pytest.mark.stub("char-tokenizer", points=4)
def test_characters_come_back_in_every_script():
    text = "naïve Straße, 東京 и Αθήνα\n"
    tokenizer = CharTokenizer(text)
    try:
        ids = tokenizer.encode(text)
    except ValueError:
        message = "all characters of the text are known, with ids from 0 on: no ValueError"
        raise AssertionError(message) from None
    assert len(ids) == len(text), "one id for each character"
    assert tokenizer.decode(iter(ids)) == text, (
        "decode(encode(text)) is the text, and ids may be any iterable"
    )


def outcome(function, *arguments):
    """What a call raises, or else returns."""
    try:
        return function(*arguments)
    except Exception as error:
        return error


@pytest.mark.stub("char-tokenizer", points=4)
def test_unknown_character_is_an_error_that_shows_it():
    error = outcome(CharTokenizer("hello").encode, "help")
    assert isinstance(error, ValueError), f"'p' is not in the vocabulary: ValueError is raised, not {error!r}"
    shown = regex.search(r"\bp\b", str(error))
    assert shown, f"the message shows p, not only in a word; this one says: {error}"
    tokenizer = CharTokenizer("hello")
    outcome(tokenizer.encode, "help")
    assert tokenizer.n_vocab == 4, "an unknown character must not become a known one"


@pytest.mark.stub("char-tokenizer", points=4)
def test_unknown_id_is_an_error_that_shows_it():
    for id in (4, -1):
        error = outcome(CharTokenizer("hello").decode, [0, id])
        assert isinstance(error, KeyError), f"the ids are 0 to 3: {id} raises KeyError, it gave {error!r}"
        assert str(id) in str(error), f"the message names the id {id}, this one says: {error}"


@pytest.mark.stub("bytes-to-unicode", points=4)
def test_every_byte_has_a_visible_character_of_its_own():
    table = bytes_to_unicode()
    assert sorted(table) == list(range(256)), "there is one entry for each byte, 0 to 255"
    for byte, shown in table.items():
        assert isinstance(shown, str), f"byte {byte} is shown as {shown!r}, which is no str"
    assert len(set(table.values())) == 256, "no two bytes may share a character, or decoding is ambiguous"
    hidden = [byte for byte, character in table.items() if character.isspace() or not character.isprintable()]
    assert not hidden, f"every character must be visible, not white space; these bytes are not: {hidden}"


@pytest.mark.stub("bytes-to-unicode", points=4)
def test_bytes_are_shown_as_in_the_files_of_gpt2():
    table = bytes_to_unicode()
    for byte, wanted in {
        0: "Ā",
        10: "Ċ",
        32: "Ġ",
        65: "A",
        126: "~",
        127: "ġ",
        160: "ł",
        173: "Ń",
        255: "ÿ",
    }.items():
        assert table[byte] == wanted, f"byte {byte} is shown as {wanted!r}, not {table[byte]!r}"


@pytest.mark.stub("bytes-to-unicode", points=4)
def test_bytes_are_numbered_as_in_gpt2():
    ids = {byte: id for id, byte in enumerate(bytes_to_unicode())}
    for byte, wanted in {
        33: 0,
        65: 32,
        97: 64,
        255: 187,
        0: 188,
        10: 198,
        32: 220,
        127: 221,
        173: 255,
    }.items():
        assert ids[byte] == wanted, (
            f"byte {byte} comes at place {wanted} of GPT-2's vocabulary, not {ids[byte]}"
        )


@pytest.mark.stub("count-pairs", points=4)
def test_pairs_count_as_often_as_their_words():
    words = {(b"l", b"o", b"w"): 5, (b"l", b"o", b"w", b"e", b"r"): 2}
    kept = dict(words)
    counts = count_pairs(words)
    assert words == kept, "the words belong to the caller, and are not changed"
    kind = type(counts).__name__
    assert isinstance(counts, Counter), f"a Counter must be returned, not a {kind}"
    counts = {pair: count for pair, count in counts.items() if count}
    wanted = {(b"l", b"o"): 7, (b"o", b"w"): 7, (b"w", b"e"): 2, (b"e", b"r"): 2}
    assert dict(counts) == wanted, f"low x5 and lower x2 hold the pairs {wanted}, not {dict(counts)}"


@pytest.mark.stub("count-pairs", points=4)
def test_pairs_count_at_every_place_in_a_word():
    counts = count_pairs({(b"b", b"a", b"n", b"a", b"n", b"a"): 3, (b"x", b"x", b"x"): 1})
    assert counts[b"a", b"n"] == 6, "banana holds (a, n) twice, so three of them hold it 6 times"
    assert counts[b"x", b"x"] == 2, "x x x holds (x, x) twice: once at the first place and once at the second"


@pytest.mark.stub("count-pairs", points=4)
def test_pairs_do_not_reach_over_the_border_of_a_word():
    counts = count_pairs({(b"a", b"b"): 1, (b"c",): 4, (b"th", b"e"): 1})
    assert sorted(counts) == [(b"a", b"b"), (b"th", b"e")], (
        "a|b, c and th|e hold just the pairs (a, b) and (th, e): whole tokens of one word"
    )


@pytest.mark.stub("merge-pair", points=5)
def test_merge_joins_the_pair_wherever_it_stands():
    word = (b"b", b"a", b"n", b"a", b"n", b"a")
    for pair, wanted in {
        (b"a", b"n"): (b"b", b"an", b"an", b"a"),
        (b"n", b"a"): (b"b", b"a", b"na", b"na"),
        (b"b", b"a"): (b"ba", b"n", b"a", b"n", b"a"),
        (b"a", b"b"): word,
    }.items():
        merged = merge_pair(word, pair)
        assert merged == wanted, f"merging {pair} in {word} gives {wanted}, not {merged}"


@pytest.mark.stub("merge-pair", points=5)
def test_merge_goes_from_left_to_right_where_pairs_overlap():
    for length, wanted in {
        2: (b"xx",),
        3: (b"xx", b"x"),
        4: (b"xx", b"xx"),
        5: (b"xx", b"xx", b"x"),
    }.items():
        merged = merge_pair((b"x",) * length, (b"x", b"x"))
        assert merged == wanted, f"{length} times x, merged by (x, x), are {wanted}, not {merged}"


@pytest.mark.stub("merge-pair", points=5)
def test_merge_compares_tokens_and_not_their_joined_bytes():
    word = (b"a", b"bc", b"ab", b"c")
    for pair, wanted in {"ab c": (*word[:2], b"abc"), "b c": word, "a b": word}.items():
        first, second = pair.encode().split()
        merged = merge_pair(word, (first, second))
        assert merged == wanted, (
            f"in a|bc|ab|c only ab|c is the pair (ab, c), and none is (b, c) or (a, b); "
            f"merging ({pair}) gives {wanted}, not {merged}"
        )


@pytest.mark.stub("merge-pair", points=5)
def test_merge_goes_on_behind_a_first_token_that_stands_alone():
    for spelled, wanted in (("a c a b", "a c ab"), ("a a b", "a ab")):
        merged = merge_pair(tuple(spelled.encode().split()), (b"a", b"b"))
        assert merged == tuple(wanted.encode().split()), (
            f"{spelled}, merged by (a, b), is {wanted}, not {merged}"
        )


@pytest.mark.stub("merge-pair", points=5)
def test_merge_takes_words_of_one_token_and_none():
    assert merge_pair((b"a",), (b"a", b"a")) == (b"a",), "one token has no neighbour and stays"
    assert merge_pair((), (b"a", b"a")) == (), "the empty word stays empty"


@pytest.mark.stub("train-naive", points=6)
def test_naive_training_settles_ties_by_ids():
    pairs = ("z!", " !", "bz", "by", "b ")
    words = {(a.encode(), b.encode()): 2 for a, b in pairs}
    _, merges = train_naive(words, 261)
    wanted = [(b"b", b"y"), (b"b", b"z"), (b"b", b" "), (b"z", b"!"), (b" ", b"!")]
    assert merges == wanted, (
        f"all occur twice, so the smaller ids go first (the space has the id 220): {wanted}"
    )


def low_lower_widest_newest():
    """The words of the example with counts, and what the tokenizers library learns of them."""
    words = {"low": 5, "lower": 2, "widest": 3, "newest": 6}
    merges = "e s|es t|l o|lo w|e w|n ew|new est|d est|i dest|w idest|e r|low er"
    spelled = {tuple(bytes([byte]) for byte in word.encode()): count for word, count in words.items()}
    return spelled, [tuple(token.encode() for token in pair.split()) for pair in merges.split("|")]


@pytest.mark.stub("train-naive", points=6)
def test_naive_training_merges_the_most_frequent_pair_first():
    words, wanted = low_lower_widest_newest()
    for count in (1, 2, 5, 12, 0):
        _, merges = train_naive(dict(words), 256 + count)
        assert merges == wanted[:count], (
            f"vocab_size={256 + count} gives the merges {wanted[:count]}, not {merges}"
        )


@pytest.mark.stub("train-naive", points=6)
def test_naive_training_numbers_tokens_in_the_order_made():
    words, _ = low_lower_widest_newest()
    vocabulary, _ = train_naive(dict(words), 259)
    assert len(vocabulary) == 259, "vocab_size counts the 256 bytes and the merges"
    ids = [vocabulary[token] for token in (b"!", b" ", b"es", b"est", b"lo")]
    assert ids == [0, 220, 256, 257, 258], "the bytes keep GPT-2's ids, the first merge is 256, the next 257"


@pytest.mark.stub("train-naive", points=6)
def test_naive_training_ends_when_nothing_is_left_to_merge():
    words = {(b"a", b"b"): 1}
    vocabulary, merges = train_naive(words, 1000)
    assert words == {(b"a", b"b"): 1}, "the words belong to the caller, and are not changed"
    assert (merges, len(vocabulary)) == ([(b"a", b"b")], 257), (
        f"the word ab, once, gives one merge, (a, b), and 257 tokens; not the merges {merges}"
    )
    assert train_naive({}, 300)[1] == [], "no words, no merges"


def books_of(words, weights):
    """Counts and places of all pairs, by going over every word."""
    counts, where = Counter(), defaultdict(set)
    for index, word in enumerate(words):
        for pair in pairwise(word):
            counts[pair] += weights[index]
            where[pair].add(index)
    return counts, where


def check_merge(words, weights, pair, wanted, lost=()):
    counts, where = books_of(words, weights)
    where[pair].update(lost)
    kept = list(weights)
    made = apply_merge(pair, words, weights, counts, where)
    assert weights == kept, f"how often each word occurs stays {kept}, not {weights}"
    assert words == wanted, f"merging {pair} gives the words {wanted}, not {words}"
    true_counts, true_where = books_of(wanted, weights)
    wrong = {p: (counts[p], true_counts[p]) for p in {**counts, **true_counts} if counts[p] != true_counts[p]}
    assert not wrong, (
        f"after merging {pair} these counts are not those of the new words (yours, true): {wrong}"
    )
    missing = {
        p: (sorted(where.get(p, ()), key=repr), sorted(indices))
        for p, indices in true_where.items()
        if indices.difference(where.get(p, ()))
    }
    assert not missing, (
        f"after merging {pair} the sets of these pairs in `where` lack indices of words that "
        f"hold the pair (yours, true): {missing}"
    )
    new = {p for p in true_where if pair[0] + pair[1] in p}
    assert isinstance(made, set), f"a set of pairs must be returned, not {made!r}"
    returned, right = sorted(made, key=repr), sorted(new, key=repr)
    assert returned == right, (
        f"merging {pair} makes the pairs {right}, all with the joined token; not {returned}"
    )


def letters(*words):
    return [tuple(bytes([byte]) for byte in word.encode()) for word in words]


@pytest.mark.stub("apply-merge", points=8)
def test_apply_merge_keeps_the_books_of_all_words():
    words = letters("low", "lower", "widest", "newest")
    merged = [*words[:2], (b"w", b"i", b"d", b"es", b"t"), (b"n", b"e", b"w", b"es", b"t")]
    check_merge(words, [5, 2, 3, 6], (b"e", b"s"), merged)


@pytest.mark.stub("apply-merge", points=8)
def test_apply_merge_keeps_the_books_where_a_pair_stands_more_than_once():
    check_merge(letters(" banana"), [2], (b"a", b"n"), [(b" ", b"b", b"an", b"an", b"a")])
    check_merge(letters("banana"), [2], (b"n", b"a"), [(b"b", b"a", b"na", b"na")])


@pytest.mark.stub("apply-merge", points=8)
def test_apply_merge_keeps_the_books_where_pairs_overlap():
    for length in range(2, 8):
        merged = (b"xx",) * (length // 2) + (b"x",) * (length % 2)
        check_merge(letters("x" * length), [3], (b"x", b"x"), [merged])
    check_merge(letters("yxxxy"), [1], (b"x", b"x"), [(b"y", b"xx", b"x", b"y")])


@pytest.mark.stub("apply-merge", points=8)
def test_apply_merge_names_pairs_that_have_the_joined_token_itself():
    check_merge([(b"x", b"best", b"e", b"s")], [1], (b"e", b"s"), [(b"x", b"best", b"es")])


@pytest.mark.stub("apply-merge", points=8)
def test_apply_merge_takes_words_that_have_lost_the_pair():
    words = [(b"ab", b"c"), (b"b", b"c")]
    check_merge(words, [2, 3], (b"b", b"c"), [words[0], (b"bc",)], lost=[0])


@pytest.mark.stub("apply-merge", points=8)
def test_apply_merge_looks_only_at_words_that_hold_the_pair():
    words, weights = [*letters("low", "lower"), None, None], [5, 2, None, None]
    counts, where = books_of(words[:2], weights)
    counts[None], where[None] = 0, set()
    made = outcome(apply_merge, (b"l", b"o"), words, weights, counts, where)
    assert not isinstance(made, Exception), (
        f"only words in where[pair] may be read, and their pairs; others are None: {made!r}"
    )
    assert words[:2] == [(b"lo", b"w"), (b"lo", b"w", b"e", b"r")], f"low and lower are merged: {words[:2]}"
    assert words[2:] == [None, None], "words that are not in where[pair] must not change"


def every_pair_again(words, vocab_size):
    """The rule, taken literally: ids in GPT-2's order, everything recounted."""
    ids = {bytes([byte]): id for id, byte in enumerate([*range(33, 127), *range(161, 173), *range(174, 256)])}
    ids |= {bytes([byte]): id for id, byte in enumerate([*range(33), *range(127, 161), 173], start=188)}
    merges = []
    while len(ids) < vocab_size:
        counts = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                counts[pair] += count
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], ids[pair[0]], ids[pair[1]]))
        ids[best[0] + best[1]] = len(ids)
        merges.append(best)
        merged = {}
        for word, count in words.items():
            tokens = list(word)
            for i in range(len(tokens) - 1):
                if tokens[i] == best[0] and tokens[i + 1] == best[1]:
                    tokens[i : i + 2] = [b"", best[0] + best[1]]
            merged[tuple(filter(None, tokens))] = count
        words = merged
    return ids, merges


def sample_of_documentation(characters):
    from pydoc_data.topics import topics

    text = "\n".join(topics[topic] for topic in sorted(topics))[:characters]
    return {
        tuple(bytes([b]) for b in word.encode()): n
        for word, n in Counter(regex.findall(r" ?\S+", text)).items()
    }


@pytest.mark.stub("train", points=8)
def test_training_finds_the_merges_of_the_example():
    words, wanted = low_lower_widest_newest()
    kept = dict(words)
    for count in (0, 1, 6, 12, 50):
        vocabulary, merges = train_bpe(words, 256 + count)
        assert words == kept, "the words belong to the caller, and are not changed"
        right = wanted[:count]
        found, further = merges[: len(right)], merges[len(right) :]
        assert found == right, f"vocab_size={256 + count} gives merges {right}, not {found}"
        assert not further, f"vocab_size={256 + count}: {len(right)} merges, not also {further[:3]}"
        assert list(vocabulary)[256:] == [a + b for a, b in wanted[:count]], (
            "each merge adds its token, in order"
        )
        assert list(vocabulary.values()) == list(range(len(vocabulary))), "ids go up by one, the bytes first"


@pytest.mark.stub("train", points=8)
def test_training_settles_ties_by_ids():
    words = {(b" ", b"z"): 2, (b"z", b"!"): 2, (b"b", b"z"): 2, (b"b", b"y"): 2}
    _, merges = train_bpe(dict(words), 260)
    wanted = [(b"b", b"y"), (b"b", b"z"), (b"z", b"!"), (b" ", b"z")]
    assert merges == wanted, (
        f"all occur twice, so the smaller ids go first (the space has the id 220): {wanted}"
    )


@pytest.mark.stub("train", points=8)
def test_training_agrees_with_counting_everything_again():
    for words in (
        sample_of_documentation(3000),
        {(b"x",) * n: 10 - n for n in range(1, 10)} | {(b"y", *[b"x"] * n, b"y"): n for n in range(1, 6)},
        {
            tuple(spelled.encode()[i : i + 1] for i in range(8)): 1 + n % 5
            for n in range(60)
            if (spelled := f"{n:08b}")
        },
    ):
        vocabulary, merges = train_bpe(dict(words), 400)
        wanted, wanted_merges = every_pair_again(words, 400)
        for place, (found, right) in enumerate(zip(merges, wanted_merges, strict=False)):
            assert found == right, f"merge {place}, counted from 0, is {right}, not {found}"
        assert len(merges) == len(wanted_merges), (
            f"{len(wanted_merges)} merges are possible, not {len(merges)}"
        )
        assert vocabulary == wanted, "the ids follow GPT-2's order of bytes and then the merges"


@pytest.mark.stub("train", points=8)
def test_training_looks_only_at_what_a_merge_touches():
    class Counted(bytes):
        looked_up = 0

        def __hash__(self):  # asked for by every dict and set that holds a token or its pairs
            Counted.looked_up += 1
            return super().__hash__()

    sample = sample_of_documentation(10_000)
    words = {tuple(map(Counted, word)): count for word, count in sample.items()}
    places = sum(len(word) - 1 for word in words)
    Counted.looked_up = 0
    _, merges = train_bpe(words, 256 + 400)
    assert len(merges) == 400, f"400 merges are wanted, not {len(merges)}"
    few = Counted.looked_up < 100 * places
    assert few, (
        "in 400 merges, tokens were looked up in dicts and sets more than 100 times for each "
        "place of a pair in the words: too much is read again after each merge"
    )


def ranks_of(merges):
    ranked = list(enumerate(merges.split("|")))
    return {
        tuple(token.encode() for token in pair.split()): rank for rank, pair in ranked[::2] + ranked[1::2]
    }


@pytest.mark.stub("encode-piece", points=5)
def test_encoding_replays_the_merges():
    ranks = ranks_of("e s|es t|l o|lo w|n e|ne w|new est")
    for piece, wanted in {
        b"newest": (b"newest",),
        b"lowest": (b"low", b"est"),
        b"slow": (b"s", b"low"),
    }.items():
        kept = dict(ranks)
        tokens = encode_piece_naive(piece, ranks)
        assert ranks == kept, "the ranks belong to the caller, and are not changed"
        assert tokens == wanted, f"{piece} is cut into {wanted}, not {tokens}"


@pytest.mark.stub("encode-piece", points=5)
def test_encoding_goes_by_rank_and_not_by_place_or_length():
    for merges, piece, wanted, why in (
        ("b a|a d|d c|a dc", "badc", "ba dc", "(b, a) was learned first and uses up the a"),
        ("a c|b ac|b a", "bac", "bac", "(a, c) was learned first, (b, a) last"),
        ("b c|a b", "abc", "a bc", "(b, c) was learned first and uses up the b"),
        ("b c|a b|ab c|c d", "abcd", "a bc d", "(b, c) leaves no pair that has a rank"),
        ("a b|b c", "abcbc", "ab c bc", "(a, b) was learned first; (b, c) occurs twice"),
        ("c d|a b|b cd", "abcd", "ab cd", "(a, b) was learned before (b, cd)"),
        ("a b|c d|ab cd|cd e", "abcde", "abcd e", "(ab, cd) was learned before (cd, e)"),
        ("a b|ab c|c d", "abcd", "abc d", "(a, b) makes (ab, c), which precedes (c, d)"),
    ):  # fmt: skip
        tokens = encode_piece_naive(piece.encode(), ranks_of(merges))
        assert tuple(tokens) == tuple(wanted.encode().split()), (
            f"with the merges {merges}, {piece} is cut into {wanted}: {why}"
        )


@pytest.mark.stub("encode-piece", points=5)
def test_encoding_merges_every_place_of_a_pair():
    ranks = ranks_of("x x|xx xx|xx x")
    for length, wanted in {
        3: "xxx",
        4: "xxxx",
        5: "xxxx x",
        6: "xxxx xx",
        7: "xxxx xxx",
        8: "xxxx xxxx",
    }.items():
        tokens = encode_piece_naive(b"x" * length, ranks)
        assert tuple(tokens) == tuple(wanted.encode().split()), (
            f"{length} times x is cut into {wanted}: {tokens}"
        )


@pytest.mark.stub("encode-piece", points=5)
def test_encoding_takes_any_bytes():
    for piece in (b"", b"a", b"\x00\xff\xfe", bytes(range(256))):
        tokens = encode_piece_naive(piece, ranks_of("a b|ab c"))
        assert b"".join(tokens) == piece, f"the tokens of {piece!r} joined are {piece!r}"
        assert b"" not in tokens, f"b'' is no token, but {piece!r} gives {tokens}"


@pytest.mark.stub("decode", points=3)
def test_decoding_joins_the_tokens():
    import numpy as np

    tokens = {0: b"est", 7: b" low", 3: b" new"}
    data = decode_bytes(iter([7, 0, 3, 0]), tokens)
    kind = type(data).__name__
    assert isinstance(data, bytes), f"a bytes object must be returned, not a {kind}"
    assert data == b" lowest newest", f"[7, 0, 3, 0] are the bytes b' lowest newest', not {data!r}"
    assert decode_bytes(np.array([7, 0]), tokens) == b" lowest", "7 and 0 in an array, too"
    assert decode_bytes([], tokens) == b"", "no ids, no bytes"


@pytest.mark.stub("decode", points=3)
def test_decoding_keeps_bytes_that_are_no_text():
    tokens = {0: b"Erd", 1: b"\xc5", 2: b"\x91", 3: b"s", 4: b"\xff"}
    data = decode_bytes([0, 1, 2, 3], tokens)
    assert data == "Erdős".encode(), "the bytes c5 91 of ő may come from two tokens"
    assert decode_bytes([4, 1], tokens) == b"\xff\xc5", "bytes that are not UTF-8 come back unchanged"


@pytest.mark.stub("decode", points=3)
def test_decoding_an_unknown_id_is_an_error_that_shows_it():
    for id in (300, -1):
        error = outcome(decode_bytes, iter([0, id]), {0: b"a", 1: b"b"})
        assert isinstance(error, KeyError), f"the ids are 0 and 1: {id} raises KeyError, it gave {error!r}"
        told = str(id) in regex.findall(r"-?\w+", str(error))
        assert told, f"the message must name the id {id}, this one says: {error}"


def check_stream(text, special_tokens=()):
    """Every way to cut a short text in two, and chunks of one, two, three, five characters."""
    whole = split_text(text, special_tokens)
    cuts = [[text[:i], text[i:]] for i in range(len(text) + 1)]
    for chunks in cuts + [[text[i : i + n] for i in range(0, len(text), n)] for n in (1, 2, 3, 5)]:
        pieces = list(split_stream(iter(chunks), special_tokens))
        assert pieces == whole, f"the chunks {chunks} give other pieces than the whole text, {whole}"


@pytest.mark.stub("split-stream", points=7)
def test_stream_gives_the_pieces_of_the_whole_text():
    check_stream("they've said it's   over 12 times,\n\n  or\t'r' \n")
    check_stream("'re we'll I'd 'v 'll ''re x'")
    check_stream("東京は 2024年。 ½ naïve   ")
    check_stream("")


@pytest.mark.stub("split-stream", points=7)
def test_stream_finds_special_tokens_whole_or_cut():
    check_stream("one  <|end|>two   <|endoftext|>  3<|end<|end|>|>", ["<|end|>", "<|endoftext|>"])
    check_stream("a <|end of it", ["<|end|>"])
    check_stream("  abc ab  abab", ["ab", "abc  ab"])
    long = "<" + "a1" * 20 + ">"
    check_stream(f"x \n{long} y <> z |>", ["<>", long, "|>"])


@pytest.mark.stub("split-stream", points=7)
def test_stream_does_not_wait_for_the_end():
    import inspect

    fed = 0

    def lines():
        nonlocal fed
        for number in range(2000):
            line = f"line {number} of a text that isn't small\n"
            fed += len(line)
            yield line

    for special_tokens in (["<|endoftext|>"], []):
        fed, most, seen = 0, 0, 0
        stream = split_stream(lines(), special_tokens)
        for piece in stream:
            seen += len(piece)
            most = max(most, fed - seen)
            assert most < 300, (
                f"{most} characters of {fed} were held back at one time, with the special "
                f"tokens {special_tokens}; a few pieces are enough"
            )
            own = inspect.getgeneratorlocals(stream) if inspect.isgenerator(stream) else {}
            kept = max([len(v) for v in own.values() if isinstance(v, str | list)], default=0)
            assert kept < 2000, f"yielded pieces are kept: a str or list has a length of {kept}"
        assert seen == fed, f"{fed} characters went in, {seen} came out"


def check_ids(wanted, chunks, special_ids, refused=()):
    """Ordinary pieces are encoded as the lengths of their texts."""
    kept = dict(special_ids)
    try:
        found = list(encode_stream(chunks, lambda piece: [len(piece)], special_ids, refused))
    except ValueError:
        found = "a ValueError"
    assert special_ids == kept, "the dict of special ids belongs to the caller"
    assert found == wanted, (
        f"{chunks} with {special_ids} allowed and {refused} refused: {wanted}, not {found}"
    )


@pytest.mark.stub("encode-stream", points=6)
def test_special_tokens_that_are_allowed_become_their_ids():
    check_ids([3, 99, 4, 99], ["one<|end|> two<|end|>"], {"<|end|>": 99})
    check_ids([3, 0, 7, 3], ["one<|a|><|a|>!|>two"], {"<|a|>": 0, "<|a|>!|>": 7})
    check_ids([3, 4, 6], ["one two", " three"], {"<|end|>": 99})


@pytest.mark.stub("encode-stream", points=6)
def test_pieces_give_all_their_ids():
    ids = list(encode_stream(["one two"], lambda piece: [7, len(piece), 7], {}))
    assert ids == [7, 3, 7, 7, 4, 7], "two pieces of three ids each are six ids, in order"


@pytest.mark.stub("encode-stream", points=6)
def test_special_tokens_are_found_where_chunks_cut_them():
    check_ids([3, 99, 4], ["o", "ne<", "|en", "d|>", " two"], {"<|end|>": 99}, ["|end|"])


@pytest.mark.stub("encode-stream", points=6)
def test_special_tokens_that_are_neither_are_text():
    check_ids([3, 2, 3, 2, 4], ["one<|end|> two"], {}, [])
    check_ids([3, 2, 3, 2, 99], ["one<|end|>", "<|a|>"], {"<|a|>": 99}, ["<|b|>"])


@pytest.mark.stub("encode-stream", points=6)
def test_special_tokens_that_are_refused_are_an_error_that_shows_them():
    def gather(ids, *given):
        ids.extend(encode_stream(*given))

    for chunks in (["one<|end|>two"], ["one<|e", "nd|>"]):
        for special_ids in ({}, {"<|a|>": 99}, {"<|end|>": 99}):
            kept, ids, refused = dict(special_ids), [], ["<|b|>", "<|end|>"]
            error = outcome(gather, ids, chunks, lambda piece: [1], special_ids, refused)
            assert isinstance(error, ValueError), (
                f"<|end|> is refused, {special_ids} allowed, and it occurs in {chunks}: "
                f"ValueError, not {error or ids!r}"
            )
            assert ids in ([], [1]), f"{chunks}: no ids after the refused <|end|>, not {ids}"
            assert special_ids == kept, f"special_ids stays {kept}, not {special_ids}"
            shown = [token for token in ("<|b|>", "<|end|>") if token in str(error)]
            assert shown == ["<|end|>"], f"the message shows <|end|> and not <|b|>, this one says: {error}"


@pytest.mark.stub("encode-stream", points=6)
def test_ids_come_while_the_text_is_still_read():
    read = []

    def chunks():
        for number in range(1000):
            read.append(number)
            yield "a line of words\n"

    next(iter(encode_stream(chunks(), lambda piece: [len(piece)], {"<|end|>": 99})))
    assert len(read) < 20, f"for the first id, {len(read)} lines of 1000 were read"


def check_bits(wanted, said, losses, ids, *special):
    tokens = {0: b"a", 1: b" the", 2: "ő".encode(), 9: b"<|end|>"}
    kept = list(losses), list(ids)
    found = bits_per_byte(losses, ids, tokens, *special)
    assert (list(losses), list(ids)) == kept, "losses and ids belong to the caller"
    assert isinstance(found, float), f"a float must be returned, not {found!r}"
    assert math.isclose(found, wanted, rel_tol=1e-9), f"{said}: {wanted}, not {found}"


@pytest.mark.stub("bits-per-byte", points=3)
def test_losses_are_divided_by_bytes_and_not_by_tokens():
    losses = [math.log(2**4), math.log(2**4), math.log(2)]
    check_bits(0.75, "4 + 4 + 1 bits for 12 bytes", losses, [1, 1, 1])
    said = "16 bits for the bytes of 'a', ' the' and 'ő', which are 1, 4 and 2"
    check_bits(16 / 7, said, [math.log(2**4), 0.0, math.log(2**12)], [0, 1, 2])


@pytest.mark.stub("bits-per-byte", points=3)
def test_losses_in_nats_become_bits():
    check_bits(1 / math.log(2), "one nat a byte", [1.0], [0])


@pytest.mark.stub("bits-per-byte", points=3)
def test_special_tokens_cost_bits_and_are_no_bytes():
    losses = [math.log(2**4), math.log(2**3), math.log(2)]
    said = "4 + 3 + 1 bits for 'a' and ' the'; <|end|> is not text"
    check_bits(8 / 5, said, losses, [1, 9, 0], {9})
    check_bits(8 / 4, f"{said}, and neither is 'a' here", losses, [1, 9, 0], {9, 0})
    check_bits(8 / 12, "without special ids, <|end|> is seven bytes of text", losses, [1, 9, 0])
    said = "4 + 1 + 4 + 1 bits for 'a' twice, with <|end|> behind each"
    check_bits(10 / 2, said, [math.log(2**4), math.log(2)] * 2, [0, 9, 0, 9], {9})
