# %% [markdown]
# # 10 Tokenizers
#
# A language model computes with numbers, not with text. Before the first layer, something has to cut the text into
# pieces and give every kind of piece an integer: its *id*. After the last layer, the same thing has to turn ids back
# into text. That is the tokenizer, the part of a language model that gets no gradient. It is trained too, but by
# counting.
#
# How it cuts matters more than you might think: it decides how long a sequence the model has to read, how large its
# first and last layers are, what a page costs, which languages are cheap, and why a model that writes sonnets may not
# know how many letters a word has.
#
# At the end of this lesson you will be able to
#
# - train the tokenizer of GPT-2, byte-level byte-pair encoding, on your own text, in seconds;
# - encode any text in any script, and any bytes at all, and get exactly those bytes back;
# - handle special tokens safely, and get the same ids as OpenAI's `tiktoken` for GPT-2's files;
# - compare models over different tokenizers in bits per byte;
# - say, with figures that you measured, what a larger vocabulary saves and what it costs.
#
# You need nothing from the earlier modules: no tensor appears in this lesson.
#
# ## Where it stands
# What you export becomes `tinytorch/tokenizer.py`. PyTorch has no tokenizer, so the names to compare with are those of
# two common libraries, `tiktoken` and `tokenizers`.
#
# | yours, in `BPETokenizer` | theirs | where they differ |
# |---|---|---|
# | `train(text, vocab_size)` | `tokenizers.trainers.BpeTrainer` | same merges; special tokens come last |
# | `encode(text, allowed_special=...)` | `tiktoken.Encoding.encode` | the same ids; allowing an unknown special token is an error |
# | `decode(ids, errors="replace")`, `decode_bytes(ids)` | the same in `tiktoken` | none |
# | `encode_bytes(data)` | `Encoding._encode_bytes`, not public | any bytes can be encoded, and come back |
# | `encode_iterable(chunks)` | none in `tiktoken` | ids while the text is still being read |
# | `save(folder)`, `load(folder)` | `tokenizers.models.BPE.from_file` | the same two files, in one folder |

# %%
#| export
import heapq
import math
from collections import Counter, defaultdict
from functools import cache, lru_cache
from itertools import pairwise

import regex

# %% [markdown]
# ## 1. One id per character
# The simplest tokenizer: collect the characters that occur in a text, sort them, and number them.
#
# ```
# "hello"  ->  e h l o  ->  e: 0, h: 1, l: 2, o: 3  ->  [1, 0, 2, 2, 3]
# ```
#
# It is a dictionary in one direction and its inverse in the other, and enough for a first experiment. Two things need
# care even here, as in every tokenizer. A character that is not in the dictionary has no id: leaving it out would
# silently change the text, so it is an error. And an id that does not exist must be an error too, even -1, which a
# Python list would take for its last entry.
#
# <details><summary>Hint 1</summary>Encoding is one look-up per character in <code>self.ids</code>, decoding
# one per id in <code>self.characters</code>.</details>
# <details><summary>Hint 2</summary>Both are dictionaries, so a missing key raises <code>KeyError</code> by itself.
# Catch it, and raise the error that the docstring names, with a message that says which character or id it
# was.</details>
# <details><summary>Hint 3</summary>One <code>try</code> around the whole list is enough: the
# <code>KeyError</code> carries the key that was missing, as <code>error.args[0]</code>. <code>from None</code> leaves
# it out of the message.</details>


# %% stub="char-tokenizer"
#| export
class CharTokenizer:
    """Number the characters of a text in sorted order.

    >>> tokenizer = CharTokenizer("hello")
    >>> tokenizer.encode("hole")
    [1, 3, 2, 0]
    >>> tokenizer.decode([1, 3, 2, 0])
    'hole'
    """

    def __init__(self, text):
        """Take the characters that occur in `text` as the vocabulary."""
        self.characters = dict(enumerate(sorted(set(text))))  # id -> character
        self.ids = {character: id for id, character in self.characters.items()}

    @property
    def n_vocab(self):
        """The number of ids."""
        return len(self.ids)

    def encode(self, text):
        """Turn text into ids, one for each character.

        Args:
            text: a str.

        Returns:
            A list of ints, as long as the text.

        Raises:
            ValueError: if a character is not in the vocabulary; the message shows it.
        """
        ### BEGIN SOLUTION
        try:
            return [self.ids[character] for character in text]
        except KeyError as error:
            raise ValueError(
                f"{error.args[0]!r} is not among the {self.n_vocab} known characters"
            ) from None
        ### END SOLUTION

    def decode(self, ids):
        """Turn ids back into text.

        Args:
            ids: an iterable of integers, such as an array.

        Returns:
            A str with one character for each id.

        Raises:
            KeyError: if an id is not in the vocabulary; the message shows it.
        """
        ### BEGIN SOLUTION
        try:
            return "".join([self.characters[id] for id in ids])
        except KeyError as error:
            raise KeyError(
                f"id {error.args[0]} is not among the {self.n_vocab} known ids"
            ) from None
        ### END SOLUTION


# %% test="char-tokenizer" points=4
def test_characters_are_numbered_in_sorted_order():
    import numpy as np

    tokenizer = CharTokenizer("hello")
    assert tokenizer.encode("loll") == [2, 3, 2, 2], (
        "e h l o of hello are 0 1 2 3, so loll is [2, 3, 2, 2]"
    )
    for ids in ([3, 2, 0], np.array([3, 2, 0])):
        assert tokenizer.decode(ids) == "ole", f"{ids!r} are the characters o l e"


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


def test_unknown_character_is_an_error_that_shows_it():
    error = outcome(CharTokenizer("hello").encode, "help")
    assert isinstance(error, ValueError), (
        f"'p' is not in the vocabulary: ValueError is raised, not {error!r}"
    )
    shown = regex.search(r"\bp\b", str(error))
    assert shown, f"the message shows p, not only in a word; this one says: {error}"
    tokenizer = CharTokenizer("hello")
    outcome(tokenizer.encode, "help")
    assert tokenizer.n_vocab == 4, "an unknown character must not become a known one"


def test_unknown_id_is_an_error_that_shows_it():
    for id in (4, -1):
        error = outcome(CharTokenizer("hello").decode, [0, id])
        assert isinstance(error, KeyError), (
            f"the ids are 0 to 3: {id} raises KeyError, it gave {error!r}"
        )
        assert str(id) in str(error), f"the message names the id {id}, this one says: {error}"


# %% [markdown]
# ### What goes wrong first
# The vocabulary contains only what occurred in the training text. Build it from Python's own documentation, the text
# used in this lesson, and encode a sentence with one foreign name.

# %%
from pathlib import Path
from pydoc_data.topics import topics

from tinytorch.given.predictions import compare

text = "\n\n".join(topics.values())
print(f"{len(text):,} characters, {len(text.encode()):,} bytes")

characters = CharTokenizer(text)
print(characters.n_vocab, "characters:", "".join(characters.characters.values())[-60:])
try:
    characters.encode("Erdős wrote this.")
except ValueError as error:
    print("ValueError:", error)

# %% [markdown]
# You could use all of Unicode instead. That is some 160,000 characters today, more every year, and for each the model
# would have parameters, nearly all of which would never be trained. And a page would still be thousands of ids long,
# with `t`, `h`, `e` spelled out each time. We want the opposite of both: a small alphabet that can spell everything,
# and single ids for what is frequent.
#
# ## 2. Bytes: an alphabet that spells everything
# UTF-8 writes each character as one to four bytes. There are 256 bytes, and every text consists of them. With bytes as
# the alphabet no text has an unknown character.

# %%
for word in ("Erdős", "Straße", "東京", "नमस्ते"):
    data = word.encode()
    print(f"{word:8} {len(word)} characters, {len(data)} bytes: {data.hex(' ')}")

# %% [markdown]
# ### A character for each byte
# Tokens will be strings of bytes, and you will want to look at them and to keep them in text files. Some bytes are not
# characters by themselves, and others (space, newline, tab) would be invisible or break lines in a file. GPT-2's
# authors therefore gave each byte one visible character:
#
# - the bytes that Latin-1 shows as a printable character other than the space stand for that character: `!`
#   to `~`, `¡` to `¬`, `®` to `ÿ`, 188 of them;
# - the other 68, in ascending order, stand for the characters numbered 256, 257, 258, ...
#
# ```
# byte   0x20 (space)  0x0a (newline)  0x41  0xc3  0xa9
# shown      Ġ              Ċ           A     Ã     ©
# ```
#
# So ` the` is shown as `Ġthe`, and `é`, the two bytes `c3 a9`, as `Ã©`: now you know where the `Ġ` in every
# listing of GPT-2's vocabulary comes from. The order matters as well: GPT-2 numbers its 256 single-byte
# tokens in the order of this table, the 188 first and then the 68. So `!` has the id 0 and the space 220.
#
# The table is made once: `@cache` keeps the function's result, and returns it at every later call.
#
# <details><summary>Hint 1</summary>Go over the bytes twice: first the printable ones, then the others. A dict keeps the
# order of insertion.</details>
# <details><summary>Hint 2</summary><code>chr(byte).isprintable()</code> is right for all bytes but the space,
# which counts as printable.</details>
# <details><summary>Hint 3</summary>The n-th of the others, counted from 0, stands for <code>chr(256 + n)</code>:
# <code>enumerate</code> counts them. <code>|</code> merges two dicts, the left one first.</details>


# %% stub="bytes-to-unicode"
#| export
@cache
def bytes_to_unicode():
    """Give each byte one visible character, in the order in which GPT-2 numbers the bytes.

    Returns:
        A dict of 256 entries from byte (int) to character (str), both parts in ascending
        order: first the 188 bytes whose Latin-1 character is printable and not a space, as
            themselves, then the other 68 as chr(256), chr(257), and so on.

    >>> table = bytes_to_unicode()
    >>> table[ord("A")], table[ord(" ")], list(table).index(ord(" "))
    ('A', 'Ġ', 220)
    """
    ### BEGIN SOLUTION
    printable = [byte for byte in range(256) if chr(byte).isprintable() and chr(byte) != " "]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {
        byte: chr(256 + n) for n, byte in enumerate(others)
    }
    ### END SOLUTION


#| export
def byte_vocabulary():
    """The 256 single bytes with their ids: where every vocabulary begins."""
    return {bytes([byte]): id for id, byte in enumerate(bytes_to_unicode())}


#| export
def visible(token):
    """Write a token as GPT-2's files do, one character for each byte."""
    return token.decode("latin-1").translate(bytes_to_unicode())


# %% test="bytes-to-unicode" points=4
def test_every_byte_has_a_visible_character_of_its_own():
    table = bytes_to_unicode()
    assert sorted(table) == list(range(256)), "there is one entry for each byte, 0 to 255"
    for byte, shown in table.items():
        assert isinstance(shown, str), f"byte {byte} is shown as {shown!r}, which is no str"
    assert len(set(table.values())) == 256, (
        "no two bytes may share a character, or decoding is ambiguous"
    )
    hidden = [
        byte
        for byte, character in table.items()
        if character.isspace() or not character.isprintable()
    ]
    assert not hidden, (
        f"every character must be visible, not white space; these bytes are not: {hidden}"
    )


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
        assert table[byte] == wanted, (
            f"byte {byte} is shown as {wanted!r}, not {table[byte]!r}"
        )


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


# %% [markdown]
# ## 3. Byte-pair encoding: single ids for what is frequent
# Bytes spell everything, but with long sequences: one id per byte is the longest possible. Byte-pair encoding, a
# compression method (Gage, 1994) that Sennrich, Haddow and Birch (2016) introduced into language models, makes them
# shorter by one rule, applied repeatedly:
#
# > Find the pair of neighbouring tokens that occurs most often. Make it one new token. Replace it everywhere.
#
# Take a text in which `low` occurs 5 times, `lower` 2, `widest` 3 and `newest` 6 times:
#
# ```
# l o w      x5
# l o w e r  x2      (e, s) and (s, t) occur 9 times, (w, e) 8 times, (l, o) and (o, w) 7 times
# w i d e s t  x3
# n e w e s t  x6    merge (e, s):  n e w es t   then (es, t):  n e w est   then (l, o), (lo, w), (e, w)
# ```
#
# The list of merges, in the order in which they were made, *is* the trained tokenizer. The vocabulary is the
# 256 bytes and one token for each merge, numbered in that order. Nothing else was learned.
#
# Words are counted once and spelled as tuples of bytes objects, one for each token. How a text is cut into
# words follows in section 4; merges never reach over the border of a word.


# %%
#| export
def count_words(pieces):
    """Count equal pieces of text, each spelled as a tuple of single bytes."""
    return {spell(encode_utf8(piece)): count for piece, count in Counter(pieces).items()}


#| export
def spell(data):
    """Write bytes as a tuple of tokens of one byte each."""
    return tuple([bytes([byte]) for byte in data])


#| export
def encode_utf8(text):
    """The bytes of a text, including those that were not valid UTF-8 when it was read."""
    return text.encode("utf-8", "surrogateescape")


# %%
small = count_words(["low"] * 5 + ["lower"] * 2 + ["widest"] * 3 + ["newest"] * 6)
for word, count in small.items():
    print(count, word)

# %% [markdown]
# ### Counting pairs
# `pairwise` of the standard library gives the neighbours: `pairwise("abc")` is `("a", "b"), ("b", "c")`. Each pair
# counts as often as its word occurs, and once for each place where it occurs in the word, overlapping or not: in
# `b a n a n a`, `(a, n)` occurs twice.
#
# <details><summary>Hint 1</summary>Two loops: over the words with their counts, and over the neighbours in a
# word.</details>
# <details><summary>Hint 2</summary>A <code>Counter</code> is a dict that returns 0 for a missing key, so
# <code>counts[pair] += count</code> works from the first time on.</details>


# %% stub="count-pairs"
#| export
def count_pairs(words):
    """Count the pairs of neighbouring tokens over all words.

    Args:
        words: a dict from word (a tuple of tokens, bytes objects) to how often it occurs; not
            changed.

    Returns:
        A Counter from pair (a tuple of two tokens) to the number of times it occurs.

    >>> count_pairs({(b"l", b"o", b"w"): 5})
    Counter({(b'l', b'o'): 5, (b'o', b'w'): 5})
    """
    ### BEGIN SOLUTION
    counts = Counter()
    for word, count in words.items():
        for pair in pairwise(word):
            counts[pair] += count
    return counts
    ### END SOLUTION


# %% test="count-pairs" points=4
def test_pairs_count_as_often_as_their_words():
    words = {(b"l", b"o", b"w"): 5, (b"l", b"o", b"w", b"e", b"r"): 2}
    kept = dict(words)
    counts = count_pairs(words)
    assert words == kept, "the words belong to the caller, and are not changed"
    kind = type(counts).__name__
    assert isinstance(counts, Counter), f"a Counter must be returned, not a {kind}"
    counts = {pair: count for pair, count in counts.items() if count}
    wanted = {(b"l", b"o"): 7, (b"o", b"w"): 7, (b"w", b"e"): 2, (b"e", b"r"): 2}
    assert dict(counts) == wanted, (
        f"low x5 and lower x2 hold the pairs {wanted}, not {dict(counts)}"
    )


def test_pairs_count_at_every_place_in_a_word():
    counts = count_pairs({(b"b", b"a", b"n", b"a", b"n", b"a"): 3, (b"x", b"x", b"x"): 1})
    assert counts[b"a", b"n"] == 6, (
        "banana holds (a, n) twice, so three of them hold it 6 times"
    )
    assert counts[b"x", b"x"] == 2, (
        "x x x holds (x, x) twice: once at the first place and once at the second"
    )


def test_pairs_do_not_reach_over_the_border_of_a_word():
    counts = count_pairs({(b"a", b"b"): 1, (b"c",): 4, (b"th", b"e"): 1})
    assert sorted(counts) == [(b"a", b"b"), (b"th", b"e")], (
        "a|b, c and th|e hold just the pairs (a, b) and (th, e): whole tokens of one word"
    )


# %% [markdown]
# ### Merging a pair
# To replace a pair in a word, walk along it from left to right. Where the pair occurs, write the joined token and step
# over both; everywhere else, copy one token. The walk also decides overlaps: `x x x` with the pair `(x, x)` becomes
# `xx x`, because the second `x` is used up when the third is reached.
#
# Compare tokens, not text: with the pair `(ab, c)`, the word `a bc` stays as it is. Its bytes are the same, but it was
# cut in a different place.
#
# <details><summary>Hint 1</summary>An index and a <code>while</code> loop, since the step is sometimes 1 and
# sometimes 2.</details>
# <details><summary>Hint 2</summary>A slice never runs over the end: <code>word[i : i + 2] == pair</code> is
# simply false at the last token.</details>
# <details><summary>Hint 3</summary>Collect in a list, append <code>pair[0] + pair[1]</code> or
# <code>word[i]</code>, and return a tuple of it.</details>


# %% stub="merge-pair"
#| export
def merge_pair(word, pair):
    """Join the two tokens of a pair wherever they are adjacent, from left to right.

    Args:
        word: a tuple of tokens (bytes objects).
        pair: a tuple of two tokens.

    Returns:
        A new tuple of tokens, of the same bytes.

    >>> merge_pair((b"n", b"e", b"w", b"e", b"s", b"t"), (b"e", b"s"))
    (b'n', b'e', b'w', b'es', b't')
    """
    ### BEGIN SOLUTION
    merged, i = [], 0
    while i < len(word):
        if word[i : i + 2] == pair:
            merged.append(pair[0] + pair[1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)
    ### END SOLUTION


# %% test="merge-pair" points=5
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


def test_merge_goes_from_left_to_right_where_pairs_overlap():
    for length, wanted in {
        2: (b"xx",),
        3: (b"xx", b"x"),
        4: (b"xx", b"xx"),
        5: (b"xx", b"xx", b"x"),
    }.items():
        merged = merge_pair((b"x",) * length, (b"x", b"x"))
        assert merged == wanted, (
            f"{length} times x, merged by (x, x), are {wanted}, not {merged}"
        )


def test_merge_compares_tokens_and_not_their_joined_bytes():
    word = (b"a", b"bc", b"ab", b"c")
    for pair, wanted in {"ab c": (*word[:2], b"abc"), "b c": word, "a b": word}.items():
        first, second = pair.encode().split()
        merged = merge_pair(word, (first, second))
        assert merged == wanted, (
            f"in a|bc|ab|c only ab|c is the pair (ab, c), and none is (b, c) or (a, b); "
            f"merging ({pair}) gives {wanted}, not {merged}"
        )


def test_merge_goes_on_behind_a_first_token_that_stands_alone():
    for spelled, wanted in (("a c a b", "a c ab"), ("a a b", "a ab")):
        merged = merge_pair(tuple(spelled.encode().split()), (b"a", b"b"))
        assert merged == tuple(wanted.encode().split()), (
            f"{spelled}, merged by (a, b), is {wanted}, not {merged}"
        )


def test_merge_takes_words_of_one_token_and_none():
    assert merge_pair((b"a",), (b"a", b"a")) == (b"a",), "one token has no neighbour and stays"
    assert merge_pair((), (b"a", b"a")) == (), "the empty word stays empty"


# %% [markdown]
# ### Training, the naive way
# Count all pairs, take the most frequent, merge it in all words, record it; repeat until the vocabulary has the wanted
# size, or no word has two tokens left.
#
# *Which* of two equally frequent pairs comes first is arbitrary, but it must not depend on chance, or on the order in
# which Python's sets happen to be iterated: training twice on the same text should give the same tokenizer. The rule
# here is that of the `tokenizers` library: of equally frequent pairs take the one whose first token has the smallest
# id, and among those the one whose second token has the smallest id.
#
# $$\text{pair} = \arg\min_{(a, b)} \bigl(-\text{count}(a, b),\ \text{id}(a),\ \text{id}(b)\bigr)$$
#
# <details><summary>Hint 1</summary>Begin with <code>byte_vocabulary()</code> and an empty list of merges.
# Each round adds one entry to both; the new token's id is the size of the vocabulary before it is
# added.</details>
# <details><summary>Hint 2</summary><code>min(counts, key=...)</code> with a key that is a tuple: tuples
# compare by their first entries, then by their second, and so on.</details>
# <details><summary>Hint 3</summary>Make a new dict of the words after each merge, and do not change the caller's. No
# two words can become the same: their bytes differ.</details>


# %% stub="train-naive"
#| export
def train_naive(words, vocab_size):
    """Learn merges by counting all pairs again before each.

    Of equally frequent pairs the one with the smaller ids goes first.

    Args:
        words: a dict from word (a tuple of tokens of one byte) to how often it occurs; not
            changed.
        vocab_size: how many tokens the vocabulary should have, including the 256 bytes; fewer
            are returned if nothing is left to merge.

    Returns:
        The vocabulary, a dict from token (bytes) to id, and the merges, a list of pairs in the
        order made.

    >>> vocabulary, merges = train_naive({(b"l", b"o", b"w"): 5}, vocab_size=300)
    >>> merges
    [(b'l', b'o'), (b'lo', b'w')]
    >>> vocabulary[b"low"]
    257
    """
    ### BEGIN SOLUTION
    vocabulary, merges = byte_vocabulary(), []
    while len(vocabulary) < vocab_size and (counts := count_pairs(words)):
        pair = min(
            counts, key=lambda pair: (-counts[pair], vocabulary[pair[0]], vocabulary[pair[1]])
        )
        words = {merge_pair(word, pair): count for word, count in words.items()}
        vocabulary[pair[0] + pair[1]] = len(vocabulary)
        merges.append(pair)
    return vocabulary, merges
    ### END SOLUTION


# %% test="train-naive" points=6
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
    spelled = {
        tuple(bytes([byte]) for byte in word.encode()): count for word, count in words.items()
    }
    return spelled, [
        tuple(token.encode() for token in pair.split()) for pair in merges.split("|")
    ]


def test_naive_training_merges_the_most_frequent_pair_first():
    words, wanted = low_lower_widest_newest()
    for count in (1, 2, 5, 12, 0):
        _, merges = train_naive(dict(words), 256 + count)
        assert merges == wanted[:count], (
            f"vocab_size={256 + count} gives the merges {wanted[:count]}, not {merges}"
        )


def test_naive_training_numbers_tokens_in_the_order_made():
    words, _ = low_lower_widest_newest()
    vocabulary, _ = train_naive(dict(words), 259)
    assert len(vocabulary) == 259, "vocab_size counts the 256 bytes and the merges"
    ids = [vocabulary[token] for token in (b"!", b" ", b"es", b"est", b"lo")]
    assert ids == [0, 220, 256, 257, 258], (
        "the bytes keep GPT-2's ids, the first merge is 256, the next 257"
    )


def test_naive_training_ends_when_nothing_is_left_to_merge():
    words = {(b"a", b"b"): 1}
    vocabulary, merges = train_naive(words, 1000)
    assert words == {(b"a", b"b"): 1}, "the words belong to the caller, and are not changed"
    assert (merges, len(vocabulary)) == ([(b"a", b"b")], 257), (
        f"the word ab, once, gives one merge, (a, b), and 257 tokens; not the merges {merges}"
    )
    assert train_naive({}, 300)[1] == [], "no words, no merges"


# %% [markdown]
# ## 4. Where words end
# If merges could cross word borders, `dog.`, `dog,` and `dog?` would each become a token, and so would ` of the`. That
# wastes the vocabulary on accidental combinations. GPT-2 first cuts the text into pieces by a pattern, and merges only
# inside them. Read the pattern carefully:
#
# | alternative | takes |
# |---|---|
# | `'s` `'t` `'re` `'ve` `'m` `'ll` `'d` | the endings of English contractions |
# | ` ?\p{L}+` | letters of any script, but not their combining marks, with the one space before them |
# | ` ?\p{N}+` | digits and other numerals, with the one space before them |
# | ` ?[^\s\p{L}\p{N}]+` | anything else that is not white space, with the one space before it |
# | `\s+(?!\S)` | white space; where text follows, all but its last character, since a space goes with the text |
# | `\s+` | remaining white space |
#
# A word and the space before it are one piece, so ` dog` is one token and the space costs nothing. The pieces
# cover the text: nothing is thrown away, so that joining them gives the text back.
#
# `(?!\S)` looks ahead: it requires that the next character is not `\S`, not a non-space character, and consumes
# nothing. `\p{L}` and `\p{N}` are Unicode's categories of letters and numbers. The standard library's `re` does not
# have them (its `\w` also matches the underscore and does not distinguish `²` from `a`); the `regex` package does, and
# GPT-2 itself used it.
#
# Special tokens, such as `<|endoftext|>` between two documents, are not text, so the pattern must not split them: they
# are found first, and the text between them is split. The longest is tried first, so that `<|end|>` does not hide
# `<|end|><|turn|>`.

# %%
#| export
PATTERN = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)


#| export
def split_text(text, special_tokens=()):
    """Cut a text into the pieces that tokens do not cross; special tokens are pieces.

    >>> split_text("It's 12 o'clock!<|end|>\\n", ["<|end|>"])
    ['It', "'s", ' 12', ' o', "'", 'clock', '!', '<|end|>', '\\n']
    """
    if not special_tokens:
        return PATTERN.findall(text)
    longest_first = sorted(special_tokens, key=lambda token: (-len(token), token))
    parts = regex.split(
        f"({'|'.join(map(regex.escape, longest_first))})", text
    )  # every second one is special
    return [
        piece
        for i, part in enumerate(parts)
        for piece in ([part] if i % 2 else PATTERN.findall(part))
    ]


# %%
for sample in (
    "It's 12 o'clock, they've said.",
    "x  = f(a_1)   # ¾ of  2²\n",
    "東京は 2024年、naïve café",
):
    print("|".join(split_text(sample)))

# %% [markdown]
# ## 5. Training on real text
# Now the whole text. Its hundred thousand pieces are only some six thousand *different* ones: counting them once, and
# keeping the counts, is the first thing that makes training feasible. See how far the naive way gets with that.

# %%
from time import perf_counter

words = count_words(split_text(text))
print(f"{sum(words.values()):,} pieces, {len(words):,} different ones")

start = perf_counter()
_, merges = train_naive(words, 256 + 20)
naive_seconds = (perf_counter() - start) / 20
print(" ".join(visible(a + b) for a, b in merges))
print(f"{naive_seconds * 1e3:.0f} ms for each merge: ", end="")
print(f"at that pace {naive_seconds * 3840:.0f} s for a vocabulary of 4,096")

# %% [markdown]
# The merges make sense, but it takes too long: the time grows with the size of the text *times* the size of the
# vocabulary. (Words get shorter with each merge, so later rounds are quicker than these.) Yet a merge changes only the
# few words that contain its pair. Everything else is counted again with the same result.
#
# ### What a merge changes
# So keep two things between merges: `counts`, the number of times each pair occurs, and `where`, for each pair the set
# of words that contain it. When `(e, s)` is merged in `n e w e s t`, which occurs 6 times:
#
# ```
# before   n e w e s t     (n,e) (e,w) (w,e)  (e,s)  (s,t)     6 less of each
# after    n e w es t      (n,e) (e,w) (w,es) (es,t)           6 more of each
# ```
#
# What is in both rows cancels, the rest is the change. Do this only for the words of `where[pair]`. The pairs that
# contain the new token are new: they have to be added to `where`, and returned to the caller.
#
# <details><summary>Hint 1</summary>For each word that holds the pair: subtract its pairs from the counts,
# merge, add its new pairs to the counts.</details>
# <details><summary>Hint 2</summary>After the merge the pair occurs nowhere, so remove its set:
# <code>for index in where.pop(pair):</code>.</details>
# <details><summary>Hint 3</summary>The pairs of the merged word count as often as the word occurs,
# <code>weights[index]</code>. Those that contain the joined token are the new ones: add them to <code>where</code>, and
# return them.</details>


# %% stub="apply-merge"
#| export
def apply_merge(pair, words, weights, counts, where):
    """Merge a pair in the words that contain it, and update the counts, in place.

    Args:
        pair: the pair to merge.
        words: a list of words (tuples of tokens); those that hold the pair are replaced.
        weights: a list of the number of times each word occurs.
        counts: a Counter from pair to the number of times it occurs; afterwards it is what
            `count_pairs` would give for the new words (pairs that are gone may stay with a
            count of 0).
        where: a defaultdict(set) from pair to the indices of the words that hold it. A word
            that has lost a pair may stay in the pair's set; no word that holds a pair may be
            missing there.

    Returns:
        The set of the pairs that the merge made: those with the joined token in them.

    >>> words = [(b"a", b"b", b"c")]
    >>> where = defaultdict(set, {(b"a", b"b"): {0}, (b"b", b"c"): {0}})
    >>> counts = Counter({(b"a", b"b"): 3, (b"b", b"c"): 3})
    >>> apply_merge((b"a", b"b"), words, [3], counts, where)
    {(b'ab', b'c')}
    >>> words
    [(b'ab', b'c')]
    >>> +counts
    Counter({(b'ab', b'c'): 3})
    """
    ### BEGIN SOLUTION
    joined, made = pair[0] + pair[1], set()
    for index in where.pop(pair):
        before, after = words[index], merge_pair(words[index], pair)
        for old in pairwise(before):
            counts[old] -= weights[index]
        for new in pairwise(after):
            counts[new] += weights[index]
            if joined in new:
                where[new].add(index)
                made.add(new)
        words[index] = after
    return made
    ### END SOLUTION


# %% test="apply-merge" points=8
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
    wrong = {
        p: (counts[p], true_counts[p])
        for p in {**counts, **true_counts}
        if counts[p] != true_counts[p]
    }
    assert not wrong, (
        f"after merging {pair} these counts are not those of the new words "
        f"(yours, true): {wrong}"
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


def test_apply_merge_keeps_the_books_of_all_words():
    words = letters("low", "lower", "widest", "newest")
    merged = [*words[:2], (b"w", b"i", b"d", b"es", b"t"), (b"n", b"e", b"w", b"es", b"t")]
    check_merge(words, [5, 2, 3, 6], (b"e", b"s"), merged)


def test_apply_merge_keeps_the_books_where_a_pair_stands_more_than_once():
    check_merge(letters(" banana"), [2], (b"a", b"n"), [(b" ", b"b", b"an", b"an", b"a")])
    check_merge(letters("banana"), [2], (b"n", b"a"), [(b"b", b"a", b"na", b"na")])


def test_apply_merge_keeps_the_books_where_pairs_overlap():
    for length in range(2, 8):
        merged = (b"xx",) * (length // 2) + (b"x",) * (length % 2)
        check_merge(letters("x" * length), [3], (b"x", b"x"), [merged])
    check_merge(letters("yxxxy"), [1], (b"x", b"x"), [(b"y", b"xx", b"x", b"y")])


def test_apply_merge_names_pairs_that_have_the_joined_token_itself():
    check_merge([(b"x", b"best", b"e", b"s")], [1], (b"e", b"s"), [(b"x", b"best", b"es")])


def test_apply_merge_takes_words_that_have_lost_the_pair():
    words = [(b"ab", b"c"), (b"b", b"c")]
    check_merge(words, [2, 3], (b"b", b"c"), [words[0], (b"bc",)], lost=[0])


def test_apply_merge_looks_only_at_words_that_hold_the_pair():
    words, weights = [*letters("low", "lower"), None, None], [5, 2, None, None]
    counts, where = books_of(words[:2], weights)
    counts[None], where[None] = 0, set()
    made = outcome(apply_merge, (b"l", b"o"), words, weights, counts, where)
    assert not isinstance(made, Exception), (
        f"only words in where[pair] may be read, and their pairs; others are None: {made!r}"
    )
    assert words[:2] == [(b"lo", b"w"), (b"lo", b"w", b"e", b"r")], (
        f"low and lower are merged: {words[:2]}"
    )
    assert words[2:] == [None, None], "words that are not in where[pair] must not change"


# %% [markdown]
# ### The most frequent pair, without a search
# One step still reads everything: `min(counts, key=...)`, once for each merge, over tens of thousands of pairs. A heap
# (`heapq`) is a list whose entries are partly sorted, so that the smallest is always in front: removing it, or adding
# another, costs about log n steps for n entries; `heapq.heapify` turns a list into a heap. But an entry in the middle
# cannot be changed, and counts change. A fact about merges helps:
#
# > An existing pair can only become rarer. Every occurrence that is added contains the new token.
#
# So an outdated entry has a count that is *too high*. Take out the best entry. If its count is out of date, put it back
# with the current count, and take the next. If it is up to date, no other pair can be more frequent: the others'
# entries promise no more, and their counts are at most that. Merge the pair, unless its count is 0. Only the pairs that
# a merge creates need new entries.
#
# <details><summary>Hint 1</summary>An entry is <code>(-count, id of the first, id of the second,
# pair)</code>: the smallest entry is then the most frequent pair, and ties are settled by ids, as
# before.</details>
# <details><summary>Hint 2</summary>In a loop while the heap has entries and the vocabulary is too small:
# <code>heapq.heappop</code>; if its first number is not <code>-counts[pair]</code>, push the current entry; otherwise,
# unless the count is 0, merge the pair.</details>
# <details><summary>Hint 3</summary>To merge: append to <code>merges</code>, add the joined token to
# <code>vocabulary</code>, then <code>for new in apply_merge(...): heapq.heappush(heap, entry(new))</code>. The token
# must be in the vocabulary first, because <code>entry</code> looks up its id.</details>


# %% stub="train"
#| export
def train_bpe(words, vocab_size):
    """Learn the same merges as `train_naive`, reading only what each merge changes.

    Args:
        words: a dict from word (a tuple of tokens of one byte) to how often it occurs; not
            changed.
        vocab_size: how many tokens the vocabulary should have, including the 256 bytes; fewer
            are returned if nothing is left to merge.

    Returns:
        The vocabulary, a dict from token (bytes) to id, and the merges, a list of pairs in the
        order made.

    >>> train_bpe({(b"l", b"o", b"w"): 5}, vocab_size=300)[1]
    [(b'l', b'o'), (b'lo', b'w')]
    """
    vocabulary, merges = byte_vocabulary(), []
    counts, where = count_pairs(words), defaultdict(set)
    words, weights = list(words), list(words.values())
    for index, word in enumerate(words):
        for pair in pairwise(word):
            where[pair].add(index)

    def entry(pair):
        return -counts[pair], vocabulary[pair[0]], vocabulary[pair[1]], pair

    ### BEGIN SOLUTION
    heap = [entry(pair) for pair in counts]
    heapq.heapify(heap)
    while heap and len(vocabulary) < vocab_size:
        count, _, _, pair = heapq.heappop(heap)
        if -count != counts[pair]:  # outdated: it has become rarer since
            heapq.heappush(heap, entry(pair))
        elif count:
            merges.append(pair)
            vocabulary[pair[0] + pair[1]] = len(vocabulary)
            for new in apply_merge(pair, words, weights, counts, where):
                heapq.heappush(heap, entry(new))
    return vocabulary, merges
    ### END SOLUTION


# %% test="train" points=8
def every_pair_again(words, vocab_size):
    """The rule, taken literally: ids in GPT-2's order, everything recounted."""
    ids = {
        bytes([byte]): id
        for id, byte in enumerate([*range(33, 127), *range(161, 173), *range(174, 256)])
    }
    ids |= {
        bytes([byte]): id
        for id, byte in enumerate([*range(33), *range(127, 161), 173], start=188)
    }
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


def test_training_finds_the_merges_of_the_example():
    words, wanted = low_lower_widest_newest()
    kept = dict(words)
    for count in (0, 1, 6, 12, 50):
        vocabulary, merges = train_bpe(words, 256 + count)
        assert words == kept, "the words belong to the caller, and are not changed"
        right = wanted[:count]
        found, further = merges[: len(right)], merges[len(right) :]
        assert found == right, f"vocab_size={256 + count} gives merges {right}, not {found}"
        assert not further, (
            f"vocab_size={256 + count}: {len(right)} merges, not also {further[:3]}"
        )
        assert list(vocabulary)[256:] == [a + b for a, b in wanted[:count]], (
            "each merge adds its token, in order"
        )
        assert list(vocabulary.values()) == list(range(len(vocabulary))), (
            "ids go up by one, the bytes first"
        )


def test_training_settles_ties_by_ids():
    words = {(b" ", b"z"): 2, (b"z", b"!"): 2, (b"b", b"z"): 2, (b"b", b"y"): 2}
    _, merges = train_bpe(dict(words), 260)
    wanted = [(b"b", b"y"), (b"b", b"z"), (b"z", b"!"), (b" ", b"z")]
    assert merges == wanted, (
        f"all occur twice, so the smaller ids go first (the space has the id 220): {wanted}"
    )


def test_training_agrees_with_counting_everything_again():
    for words in (
        sample_of_documentation(3000),
        {(b"x",) * n: 10 - n for n in range(1, 10)}
        | {(b"y", *[b"x"] * n, b"y"): n for n in range(1, 6)},
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
        assert vocabulary == wanted, (
            "the ids follow GPT-2's order of bytes and then the merges"
        )


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


# %% [markdown]
# Run it on the whole text, up to the vocabulary for which the naive way would need so long.
#
# **Predict:** how many seconds does it take?

# %%
predicted_seconds = None  # for 3,840 merges

# %%
start = perf_counter()
vocabulary, merges = train_bpe(words, 4096)
seconds = perf_counter() - start
print(f"{len(merges):,} merges in {seconds:.1f} s; ", end="")
print(f"at the pace of its first 20, the naive way takes {naive_seconds * len(merges):.0f} s")
for first in (0, 300, 3800):
    print(
        f"merges {first} to {first + 11}:",
        " ".join(visible(a + b) for a, b in merges[first : first + 12]),
    )
compare(predicted_seconds, seconds, "s")

# %% [markdown]
# ## 6. Encoding: the merges, replayed
# A new text is cut by the same pattern, each piece is spelled in bytes, and then the merges are applied in the order in
# which they were learned. The position of a merge in that order is its *rank*. Of all pairs in the piece that have a
# rank, take the one with the smallest, merge it wherever it occurs, and repeat until no pair has a rank.
#
# ```
# ranks   (e,s): 0   (es,t): 1   (l,o): 2   (lo,w): 3
# l o w e s t     the smallest rank here: (e,s)
# l o w es t      (es,t)
# l o w est       (l,o)
# lo w est        (lo,w)
# low est         no pair has a rank: done
# ```
#
# This is not the same as taking the longest token that fits, which is often tried first. The order of the merges
# decides, because the training text was tokenized in this order.
#
# <details><summary>Hint 1</summary>Start from <code>spell(piece)</code>. In each round, list the neighbouring pairs
# that are in <code>ranks</code>.</details>
# <details><summary>Hint 2</summary><code>min(pairs, key=ranks.get)</code> is the pair to merge, and
# <code>merge_pair</code> merges it.</details>
# <details><summary>Hint 3</summary>An empty list of pairs ends the loop: make the list in the condition of the
# <code>while</code>, with <code>:=</code>.</details>


# %% stub="encode-piece"
#| export
def encode_piece_naive(piece, ranks):
    """Cut one piece of text into tokens, by replaying the merges.

    Args:
        piece: bytes.
        ranks: a dict from pair (a tuple of two tokens) to its rank, its position in the order
            of learning; not changed.

    Returns:
        A tuple of tokens (bytes objects), which joined are the piece.

    >>> encode_piece_naive(b"lowest", {(b"e", b"s"): 0, (b"es", b"t"): 1, (b"l", b"o"): 2})
    (b'lo', b'w', b'est')
    """
    ### BEGIN SOLUTION
    word = spell(piece)
    while pairs := [pair for pair in pairwise(word) if pair in ranks]:
        word = merge_pair(word, min(pairs, key=ranks.get))
    return word
    ### END SOLUTION


# %% test="encode-piece" points=5
def ranks_of(merges):
    ranked = list(enumerate(merges.split("|")))
    return {
        tuple(token.encode() for token in pair.split()): rank
        for rank, pair in ranked[::2] + ranked[1::2]
    }


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


def test_encoding_takes_any_bytes():
    for piece in (b"", b"a", b"\x00\xff\xfe", bytes(range(256))):
        tokens = encode_piece_naive(piece, ranks_of("a b|ab c"))
        assert b"".join(tokens) == piece, f"the tokens of {piece!r} joined are {piece!r}"
        assert b"" not in tokens, f"b'' is no token, but {piece!r} gives {tokens}"


# %% [markdown]
# ### The fast merge
# Each round goes over the whole piece. For the five or ten bytes of a word that is fast enough. But a piece is not
# always short: a line of hyphens is one, and so is a Chinese sentence up to its first comma. For such a piece of $n$
# bytes there are many rounds of $n$ steps each.
#
# The solution is the one from training: a heap of the pairs, with their ranks and positions. Neighbours are kept as
# links, `left` and `right`, so that two tokens are joined without moving the others; outdated entries are recognised
# when they are taken out, and skipped. It is given, because the idea is the same. *Systems* measures what it gains.


# %%
#| export
def encode_piece(piece, ranks):
    """Return the same as `encode_piece_naive`, in n log n steps for n bytes."""
    word = list(spell(piece))
    end = len(word)
    left, right = list(range(-1, end - 1)), list(range(1, end + 1))  # neighbours
    heap = [(ranks[pair], i) for i, pair in enumerate(pairwise(word)) if pair in ranks]
    heapq.heapify(heap)
    while heap:
        rank, i = heapq.heappop(heap)
        j = right[i]
        if j == end or ranks.get((word[i], word[j])) != rank:
            continue  # one of the two was merged with another in the meantime
        word[i], word[j] = word[i] + word[j], None
        right[i] = right[j]
        if right[i] < end:
            left[right[i]] = i
        for a, b in ((left[i], i), (i, right[i])):
            if a >= 0 and b < end and (word[a], word[b]) in ranks:
                heapq.heappush(heap, (ranks[word[a], word[b]], a))
    return tuple([token for token in word if token is not None])


# %%
ranks = {pair: rank for rank, pair in enumerate(merges)}
for piece in (" documentation", " tokenization", " Erdős", "xxxxxxxxxxx"):
    tokens = encode_piece(piece.encode(), ranks)
    assert tokens == encode_piece_naive(piece.encode(), ranks)
    shown, ids = " ".join(map(visible, tokens)), [vocabulary[token] for token in tokens]
    print(f"{piece:15} {shown:32} {ids}")

# %% [markdown]
# The frequent word is one token. The rare one is split into parts, of which a reader would recognise the last, the
# foreign one into nearly single bytes, the row of `x` into shorter runs that had been learned. None is unknown.
#
# ## 7. Decoding
# The way back is a look-up and a join. There is one trap in it, and it is the reason why tokens are bytes and
# not text: a token may end in the middle of a character. The two bytes of `ő` are two tokens above, and
# neither is valid UTF-8 on its own. So join first, and turn bytes into text only then.
#
# A model can produce any list of ids, even one that is not valid text. `errors="replace"` writes `�` for invalid bytes,
# as `bytes.decode` does; `decode_bytes` always returns the bytes themselves.
#
# <details><summary>Hint 1</summary><code>b"".join(...)</code> over the tokens of the ids.</details>
# <details><summary>Hint 2</summary>An id that is not in <code>tokens</code> raises <code>KeyError</code> by itself,
# which shows the id. A sentence is kinder, as in <code>CharTokenizer</code>.</details>


# %% stub="decode"
#| export
def decode_bytes(ids, tokens):
    """Turn ids into the bytes that they stand for.

    Args:
        ids: an iterable of integers, such as an array.
        tokens: a dict from id to token (bytes).

    Returns:
        A bytes object.

    Raises:
        KeyError: if an id is not in `tokens`; the message shows it.

    >>> decode_bytes([1, 0], {0: b"est", 1: b"low"})
    b'lowest'
    """
    ### BEGIN SOLUTION
    try:
        return b"".join([tokens[id] for id in ids])
    except KeyError as error:
        raise KeyError(
            f"id {error.args[0]} is not in the vocabulary of {len(tokens)} tokens"
        ) from None
    ### END SOLUTION


# %% test="decode" points=3
def test_decoding_joins_the_tokens():
    import numpy as np

    tokens = {0: b"est", 7: b" low", 3: b" new"}
    data = decode_bytes(iter([7, 0, 3, 0]), tokens)
    kind = type(data).__name__
    assert isinstance(data, bytes), f"a bytes object must be returned, not a {kind}"
    assert data == b" lowest newest", (
        f"[7, 0, 3, 0] are the bytes b' lowest newest', not {data!r}"
    )
    assert decode_bytes(np.array([7, 0]), tokens) == b" lowest", "7 and 0 in an array, too"
    assert decode_bytes([], tokens) == b"", "no ids, no bytes"


def test_decoding_keeps_bytes_that_are_no_text():
    tokens = {0: b"Erd", 1: b"\xc5", 2: b"\x91", 3: b"s", 4: b"\xff"}
    data = decode_bytes([0, 1, 2, 3], tokens)
    assert data == "Erdős".encode(), "the bytes c5 91 of ő may come from two tokens"
    assert decode_bytes([4, 1], tokens) == b"\xff\xc5", (
        "bytes that are not UTF-8 come back unchanged"
    )


def test_decoding_an_unknown_id_is_an_error_that_shows_it():
    for id in (300, -1):
        error = outcome(decode_bytes, iter([0, id]), {0: b"a", 1: b"b"})
        assert isinstance(error, KeyError), (
            f"the ids are 0 and 1: {id} raises KeyError, it gave {error!r}"
        )
        told = str(id) in regex.findall(r"-?\w+", str(error))
        assert told, f"the message must name the id {id}, this one says: {error}"


# %% [markdown]
# ## 8. Text that does not fit in memory
# A training corpus is far larger than memory, and it arrives in chunks: lines, or blocks of a file. It is tempting to
# encode each chunk separately, but wrong. A border between chunks may cut a word, or `they've`, or a run of spaces, or
# a special token, and the pieces on its two sides are not those of the whole text. Models are sensitive to that:
# ` statement` is one token to the tokenizer above, and ` state` `ment` is not what they saw in training.
#
# But how far back can the *end* of a text reach into its pieces? Look at the pattern. A piece is final as soon as one
# more character follows it, with one exception: in `they'v`, the pieces are `they`, `'`, `v`, and if an `e` comes next,
# the last two become `'ve`. So the last two pieces may still change, and all before them are final.
#
# Special tokens reach further: if the longest has $k$ characters, the last $k - 1$ characters may begin one. As each
# piece has at least one character, these touch at most $k - 1$ pieces. If a special token begins there, the text
# ends before it, and the last two pieces of that text may change too: `a \ne` is `a`, a space, a newline and `e`, but
# before a special token `e1` the space and the newline are one piece. So it is enough to hold back the last $k + 1$
# pieces, or two without special tokens, as if $k$ were 1, and to yield the others.
#
# <details><summary>Hint 1</summary>Keep a string of what is held back. For each chunk, add it, split, and
# yield all pieces but the last few.</details>
# <details><summary>Hint 2</summary>The pieces cover the text, so <code>"".join(...)</code> of those held back is the
# text to continue with.</details>
# <details><summary>Hint 3</summary>The longest special token is found by <code>max</code> with <code>default=1</code>,
# where there are none. After the last chunk nothing can change: yield what is left.</details>


# %% stub="split-stream"
#| export
def split_stream(chunks, special_tokens=()):
    """Split a text that arrives in chunks into the pieces of the whole.

    Args:
        chunks: an iterable of str, cut anywhere, empty ones included.
        special_tokens: strings that are separate pieces.

    Yields:
        The pieces of `split_text("".join(chunks), special_tokens)`, all but the last few as
        soon as they are final.

    >>> list(split_stream(["they'", "ve sa", "id"]))
    ['they', "'ve", ' said']
    """
    ### BEGIN SOLUTION
    keep = max(map(len, special_tokens), default=1) + 1
    held, enough = "", 0
    for chunk in chunks:
        held += chunk
        if len(held) >= enough:  # a piece of many chunks is not split again at each chunk
            pieces = split_text(held, special_tokens)
            yield from pieces[:-keep]
            held = "".join(pieces[-keep:])
            enough = 2 * len(held)
    yield from split_text(held, special_tokens)
    ### END SOLUTION


# %% test="split-stream" points=7
def check_stream(text, special_tokens=()):
    """Every way to cut a short text in two, and chunks of one, two, three, five characters."""
    whole = split_text(text, special_tokens)
    cuts = [[text[:i], text[i:]] for i in range(len(text) + 1)]
    for chunks in cuts + [
        [text[i : i + n] for i in range(0, len(text), n)] for n in (1, 2, 3, 5)
    ]:
        pieces = list(split_stream(iter(chunks), special_tokens))
        assert pieces == whole, (
            f"the chunks {chunks} give other pieces than the whole text, {whole}"
        )


def test_stream_gives_the_pieces_of_the_whole_text():
    check_stream("they've said it's   over 12 times,\n\n  or\t'r' \n")
    check_stream("'re we'll I'd 'v 'll ''re x'")
    check_stream("東京は 2024年。 ½ naïve   ")
    check_stream("")


def test_stream_finds_special_tokens_whole_or_cut():
    check_stream(
        "one  <|end|>two   <|endoftext|>  3<|end<|end|>|>", ["<|end|>", "<|endoftext|>"]
    )
    check_stream("a <|end of it", ["<|end|>"])
    check_stream("  abc ab  abab", ["ab", "abc  ab"])
    long = "<" + "a1" * 20 + ">"
    check_stream(f"x \n{long} y <> z |>", ["<>", long, "|>"])


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
            assert kept < 2000, (
                f"yielded pieces are kept: a str or list has a length of {kept}"
            )
        assert seen == fed, f"{fed} characters went in, {seen} came out"


# %% [markdown]
# ## 9. Special tokens and trust
# `<|endoftext|>` tells a model that a document is over. In text that a user typed, it must not. So the caller of
# `encode` says how each special token in the text is treated, in one of three ways:
#
# | the token is | then |
# |---|---|
# | allowed | it becomes its own id: you put it there yourself |
# | refused | the text is an error |
# | neither | it is text like any other: `<`, `\|`, `endo`, `ft`, ... |
#
# The third is easy to get wrong. A token that is neither must not even be *searched for*: if the text were split at it,
# the pieces around it would not be those of the pattern, and the ids would be wrong.
#
# <details><summary>Hint 1</summary><code>split_stream(chunks, special_tokens)</code> gives the pieces, with the special
# tokens that you pass as separate pieces. Pass those that matter: the allowed and the refused.</details>
# <details><summary>Hint 2</summary>For each piece there are three cases: it is refused, it has a special id, or it is
# ordinary. A generator function may raise in the middle, after earlier ids have been yielded.</details>
# <details><summary>Hint 3</summary><code>yield special_ids[piece]</code> gives one id,
# <code>yield from piece_ids(piece)</code> yields several, one after the other.</details>


# %% stub="encode-stream"
#| export
def encode_stream(chunks, piece_ids, special_ids, refused=()):
    """Turn a text that arrives in chunks into ids, and its special tokens into theirs.

    Args:
        chunks: an iterable of str, cut anywhere.
        piece_ids: a function from an ordinary piece (str) to its ids.
        special_ids: a dict from each special token that is allowed to its id; not changed.
        refused: special tokens that must not occur, even if they are in `special_ids`; inside
            a longer token of either they do not count. A token in neither is ordinary text.

    Yields:
        Ints, as soon as the pieces are final.

    Raises:
        ValueError: at a refused token, before later ids; the message shows only this one.

    >>> def lengths(piece):
    ...     return [len(piece)]
    >>> list(encode_stream(["one two<|e", "nd|>"], lengths, {"<|end|>": 99}))
    [3, 4, 99]
    """
    ### BEGIN SOLUTION
    refused = set(refused)
    for piece in split_stream(chunks, special_ids.keys() | refused):
        if piece in refused:
            raise ValueError(
                f"special token {piece!r} in the text; allow it, or pass disallowed_special=()"
            )
        if piece in special_ids:
            yield special_ids[piece]
        else:
            yield from piece_ids(piece)
    ### END SOLUTION


# %% test="encode-stream" points=6
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


def test_special_tokens_that_are_allowed_become_their_ids():
    check_ids([3, 99, 4, 99], ["one<|end|> two<|end|>"], {"<|end|>": 99})
    check_ids([3, 0, 7, 3], ["one<|a|><|a|>!|>two"], {"<|a|>": 0, "<|a|>!|>": 7})
    check_ids([3, 4, 6], ["one two", " three"], {"<|end|>": 99})


def test_pieces_give_all_their_ids():
    ids = list(encode_stream(["one two"], lambda piece: [7, len(piece), 7], {}))
    assert ids == [7, 3, 7, 7, 4, 7], "two pieces of three ids each are six ids, in order"


def test_special_tokens_are_found_where_chunks_cut_them():
    check_ids([3, 99, 4], ["o", "ne<", "|en", "d|>", " two"], {"<|end|>": 99}, ["|end|"])


def test_special_tokens_that_are_neither_are_text():
    check_ids([3, 2, 3, 2, 4], ["one<|end|> two"], {}, [])
    check_ids([3, 2, 3, 2, 99], ["one<|end|>", "<|a|>"], {"<|a|>": 99}, ["<|b|>"])


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
            assert shown == ["<|end|>"], (
                f"the message shows <|end|> and not <|b|>, this one says: {error}"
            )


def test_ids_come_while_the_text_is_still_read():
    read = []

    def chunks():
        for number in range(1000):
            read.append(number)
            yield "a line of words\n"

    next(iter(encode_stream(chunks(), lambda piece: [len(piece)], {"<|end|>": 99})))
    assert len(read) < 20, f"for the first id, {len(read)} lines of 1000 were read"


# %% [markdown]
# ## 10. The tokenizer
# All parts are there. The class that combines them is given; read it, because three things in it are new.
#
# - **A cache.** Text repeats itself, and so do its pieces. `lru_cache` remembers the ids of the last 65,536
#   different ones, so that encoding is mostly splitting and looking up. *Systems* counts how often.
# - **What is allowed.** By default `encode` refuses text in which a special token occurs, `allowed_special` names those
#   that are allowed, and `disallowed_special=()` treats the rest as text. The rule is `tiktoken`'s.
# - **Bytes that are not text.** `encode_bytes` reads them as UTF-8 with `surrogateescape`: each byte that does not fit
#   becomes one of 128 reserved code points, goes through the splitting like any symbol, and is turned back into its
#   byte before the merges are applied. So any file can be encoded, and comes back exactly.


# %%
#| export
from tinytorch.given.tokenizer.checks import *


class BPETokenizer:
    """Byte-level byte-pair encoding as in GPT-2: its splitting pattern, its files, its ids.

    Args:
        vocabulary: a dict from token (bytes) to id; all 256 single bytes are in it.
        merges: a list of pairs of tokens, in the order learned.
        special_tokens: a dict from special token (str) to id.
    """

    def __init__(self, vocabulary, merges, special_tokens=None):
        self.vocabulary, self.merges = dict(vocabulary), list(merges)
        self.special_tokens = dict(special_tokens or {})
        check_vocabulary(self.vocabulary, self.special_tokens)
        self.tokens = {id: token for token, id in self.vocabulary.items()}
        self.tokens |= {id: encode_utf8(token) for token, id in self.special_tokens.items()}
        self._ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self._piece_ids = lru_cache(maxsize=2**16)(self._encode_piece)

    def _encode_piece(self, piece):
        tokens = encode_piece(encode_utf8(piece), self._ranks)
        return tuple([self.vocabulary[token] for token in tokens])

    def encode_iterable(
        self, chunks, *, allowed_special=frozenset(), disallowed_special="all"
    ):
        """Yield the ids of a text that arrives in chunks, in bounded memory; see `encode`."""
        allowed, refused = special_sets(
            self.special_tokens.keys(), allowed_special, disallowed_special
        )
        special_ids = {token: self.special_tokens[token] for token in allowed}
        return encode_stream(chunks, self._piece_ids, special_ids, refused)

    def encode_bytes(self, data):
        """Turn any bytes into ids, from which `decode_bytes` recovers the same bytes."""
        return self.encode(data.decode("utf-8", "surrogateescape"), disallowed_special=())


# %% [markdown]
# The other methods are given: `train`, `encode`, `decode` and `decode_bytes` call what you wrote, and `save` and `load`
# write and read GPT-2's two files. `vocab.json` gives each token its id, `merges.txt` lists the merges in order, one
# per line. Both write bytes as the visible characters of section 2, so that a space can separate two tokens.
#
# ```
# vocab.json    {"!": 0, "\"": 1, ..., "Ġt": 256, "Ġa": 257, ..., "<|endoftext|>": 50256}
# merges.txt    #version: 0.2
#               Ġ t
#               Ġ a
# ```

# %%
#| export
from tinytorch.given.tokenizer.coding import *
from tinytorch.given.tokenizer.files import *
from tinytorch.given.tokenizer.models import *

# %%
tokenizer = BPETokenizer.train(text, vocab_size=4096, special_tokens=["<|endoftext|>"])
for sample in (
    "A tokenizer is trained by counting.",
    "Erdős \U0001d11e 東京",
    "one<|endoftext|>two",
):
    ids = tokenizer.encode(sample, allowed_special="all")
    assert tokenizer.decode(ids) == sample
    print(ids, *(visible(tokenizer.tokens[id]) for id in ids))

# %% [markdown]
# ## 11. Which tokenizer is better: bits per byte
# Two models with different tokenizers have losses of 3.1 and 4.0 per token. Which is better? The losses do not say: the
# second may have longer tokens, and then it predicts more with each. What both have in common is the text. So sum the
# losses over the whole text, and divide by its bytes:
#
# $$\text{bits per byte} = \frac{1}{\ln 2} \cdot \frac{\sum_i \text{loss}_i}{\text{bytes}}$$
#
# The loss of a token is minus the natural logarithm of its probability; dividing by $\ln 2$ converts it to bits. In
# bits the number has a direct meaning: a model with 2 bits per byte can compress the text to a quarter, by an
# arithmetic coder that uses its probabilities.
#
# A special token has a loss as well, when the model has to predict the end of a document. But it stands for no byte of
# the text.
#
# <details><summary>Hint 1</summary><code>math.fsum</code> adds floats without losing digits, and
# <code>math.log(2)</code> is the divisor.</details>
# <details><summary>Hint 2</summary>An id of the text stands for <code>len(tokens[id])</code> bytes, an id in
# <code>special</code> for none. Sum the losses of all.</details>


# %% stub="bits-per-byte"
#| export
def bits_per_byte(losses, ids, tokens, special=()):
    """Compare models over different tokenizers: the bits that each byte of the text costs.

    Args:
        losses: the loss of each id in nats, floats, as many as there are ids.
        ids: the ids of the text, a list; neither it nor the losses are changed.
        tokens: a dict from id to token (bytes), with those of special tokens.
        special: the ids of special tokens. Their losses count, their bytes do not.

    Returns:
        A float: the sum of the losses in bits, divided by the bytes that the ids stand for.

    >>> round(bits_per_byte([0.6931, 2.0794], [7, 9], {7: b"a", 9: b"bcd"}), 2)
    1.0
    """
    ### BEGIN SOLUTION
    count = sum(len(tokens[id]) for id in ids if id not in special)
    return math.fsum(losses) / math.log(2) / count
    ### END SOLUTION


# %% test="bits-per-byte" points=3
def check_bits(wanted, said, losses, ids, *special):
    tokens = {0: b"a", 1: b" the", 2: "ő".encode(), 9: b"<|end|>"}
    kept = list(losses), list(ids)
    found = bits_per_byte(losses, ids, tokens, *special)
    assert (list(losses), list(ids)) == kept, "losses and ids belong to the caller"
    assert isinstance(found, float), f"a float must be returned, not {found!r}"
    assert math.isclose(found, wanted, rel_tol=1e-9), f"{said}: {wanted}, not {found}"


def test_losses_are_divided_by_bytes_and_not_by_tokens():
    losses = [math.log(2**4), math.log(2**4), math.log(2)]
    check_bits(0.75, "4 + 4 + 1 bits for 12 bytes", losses, [1, 1, 1])
    said = "16 bits for the bytes of 'a', ' the' and 'ő', which are 1, 4 and 2"
    check_bits(16 / 7, said, [math.log(2**4), 0.0, math.log(2**12)], [0, 1, 2])


def test_losses_in_nats_become_bits():
    check_bits(1 / math.log(2), "one nat a byte", [1.0], [0])


def test_special_tokens_cost_bits_and_are_no_bytes():
    losses = [math.log(2**4), math.log(2**3), math.log(2)]
    said = "4 + 3 + 1 bits for 'a' and ' the'; <|end|> is not text"
    check_bits(8 / 5, said, losses, [1, 9, 0], {9})
    check_bits(8 / 4, f"{said}, and neither is 'a' here", losses, [1, 9, 0], {9, 0})
    check_bits(
        8 / 12, "without special ids, <|end|> is seven bytes of text", losses, [1, 9, 0]
    )
    said = "4 + 1 + 4 + 1 bits for 'a' twice, with <|end|> behind each"
    check_bits(10 / 2, said, [math.log(2**4), math.log(2)] * 2, [0, 9, 0, 9], {9})


# %% [markdown]
# ## Systems: what a vocabulary saves, and what it costs
# ### Compression
# How many bytes of text does one token stand for? The training run has the answer for every size of vocabulary at once:
# a smaller vocabulary is the same list of merges, cut off earlier. One text in ten is held out for the measurement;
# `argparse.py` stands for text of another kind.
#
# **Predict:** from 256 tokens to 512 the held-out text becomes half as long. How many per cent of its tokens does the
# doubling from 4,096 to 8,192 save?

# %%
predicted_saving = None  # per cent

# %%
import argparse

import matplotlib.pyplot as plt
import numpy as np

seen = [topic for i, topic in enumerate(topics.values()) if i % 10]
held_out = [topic for i, topic in enumerate(topics.values()) if i % 10 == 0]
texts = {
    "documentation seen in training": "\n\n".join(seen[::4]),  # a quarter of it is enough
    "documentation held out": "\n\n".join(held_out),
    "Python source, argparse.py": Path(argparse.__file__).read_text(encoding="utf-8"),
}
largest = BPETokenizer.train(seen, vocab_size=8192)
sizes = [256, 512, 1024, 2048, 4096, 8192]


def cut_to(size):
    """The tokenizer as it was when its vocabulary had reached a size."""
    return BPETokenizer(
        {token: id for token, id in largest.vocabulary.items() if id < size},
        largest.merges[: size - 256],
    )


ids = {name: [cut_to(size).encode(part) for size in sizes] for name, part in texts.items()}
bytes_in = {name: len(part.encode()) for name, part in texts.items()}

# %%
figure, axes = plt.subplots(figsize=(7, 4))
for name, each in ids.items():
    axes.plot(sizes, [bytes_in[name] / len(i) for i in each], marker="o", label=name)
axes.set(
    xscale="log",
    xlabel="vocabulary",
    ylabel="bytes per token",
    title="What a larger vocabulary saves",
)
axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
axes.minorticks_off()
axes.grid(alpha=0.3)
axes.legend()
plt.show()
*_, half, full = map(len, ids["documentation held out"])
compare(predicted_saving, 100 * (1 - full / half), "per cent")

# %% [markdown]
# The first thousand tokens do most of the work; after that, each doubling of the vocabulary saves less. On the text
# that it was trained on, the tokenizer does better than on unseen text, and the gap widens: the later a token was made,
# the more specific it is to these pages. The Python source, which is another kind of text, does about as well as unseen
# documentation: much of it is indentation, eight spaces are one token, and the rest are the words that the
# documentation is about.
#
# Here is the same sentence at five sizes. Each box is a token.

# %%
sentence = "Raised when a generator's close() method is called without 3 arguments."
figure, axes = plt.subplots(figsize=(11, 2.4))
rows = sizes[:5]
for row, size in enumerate(rows):
    tokenizer_then = cut_to(size)
    place = 0
    for i, id in enumerate(tokenizer_then.encode(sentence)):
        token = tokenizer_then.tokens[id].decode()
        axes.barh(
            row,
            len(token),
            left=place,
            height=0.8,
            color=plt.cm.Pastel1(i % 8),
            edgecolor="white",
        )
        for j, character in enumerate(token):
            axes.text(
                place + j + 0.5, row, character, ha="center", va="center", family="monospace"
            )
        place += len(token)
    axes.text(place + 0.6, row, f"{i + 1} tokens", va="center")
axes.set(
    xlim=(0, len(sentence) + 9), ylim=(len(rows) - 0.5, -0.5), xticks=[], ylabel="vocabulary"
)
axes.set_yticks(range(len(rows)), [f"{size:,}" for size in rows])
axes.spines[:].set_visible(False)
plt.show()

# %% [markdown]
# ### What the model pays
# Fewer tokens mean less work for every layer, and for *attention*, the step of modules 12 and 13 that compares each
# token with every other, the saving is quadratic. But the last layer computes a score for every token of the
# vocabulary, at every position, and the first, the *embedding*, holds a vector of $C$ numbers for each. Count the
# multiplications and additions that a model of GPT-2's size ($C = 768$, 12 layers) needs to read a page of 8 kB, with
# $n$ tokens *as measured* on the held-out text:
#
# $$\underbrace{12 \cdot 24\,n\,C^2}_{\text{products with weights}} +
# \underbrace{12 \cdot 4\,n^2\,C}_{\text{attention}} + \underbrace{2\,n\,C\,V}_{\text{scores}}$$

# %%
C, layers, page = 768, 12, 8192
V = np.array(sizes)
held_out_ids = ids["documentation held out"]
n = page * np.array([len(i) for i in held_out_ids]) / bytes_in["documentation held out"]
work = {
    "products with weights": layers * 24 * n * C**2,
    "attention": layers * 4 * n**2 * C,
    "scores of the vocabulary": 2 * n * C * V,
}
figure, axes = plt.subplots(figsize=(7, 4))
for name, flops in (work | {"together": sum(work.values())}).items():
    axes.plot(V, flops / 1e9, marker="o", label=name)
axes.set(
    xscale="log",
    yscale="log",
    xlabel="vocabulary",
    ylabel="10⁹ operations",
    title="Work to read a page of 8 kB",
)
axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
axes.minorticks_off()
axes.grid(alpha=0.3)
axes.legend(loc=(0.3, 0.27))
plt.show()

# %%
print(f"{'vocabulary':>10} {'tokens':>7} {'attention':>10} {'embedding, float32':>19}")
for size, tokens in zip(sizes, n, strict=True):
    print(
        f"{size:10,} {tokens:7,.0f} {(tokens / page) ** 2:9.1%} {size * C * 4 / 1e6:16.1f} MB"
    )

# %% [markdown]
# The work falls steeply at first, above all that of attention, which is quadratic. Then it levels off, while the
# embedding grows in proportion to the vocabulary, and the scores nearly so: the last doubling doubles the first and
# nearly the second, for a sequence that is hardly shorter. Many large models use some 30,000 to 260,000 tokens: their
# training texts are vastly larger than ours and in many languages, so that their curves bend later, and the table is a
# small part of a large model.
#
# ### A larger loss that is better
# Now the comparison that needs bits per byte, with the simplest possible model: it predicts every token by its
# frequency in a quarter of the training text (plus one, so that none is impossible), whatever came before it. `lzma`,
# which compresses files without tokens, is measured on the same text.

# %%
import lzma

print(f"{'vocabulary':>10} {'loss a token':>13} {'bits per byte':>14}")
for size, seen_ids, new_ids in zip(
    sizes, ids["documentation seen in training"], held_out_ids, strict=True
):
    counts = np.bincount(seen_ids, minlength=size) + 1
    losses = -np.log(counts / counts.sum())[new_ids]
    bits = bits_per_byte(losses.tolist(), new_ids, cut_to(size).tokens)
    print(f"{size:10,} {losses.mean():13.2f} {bits:14.2f}")
packed = lzma.compress("\n\n".join(held_out).encode())
print(f"{'lzma':>10} {'':13} {8 * len(packed) / bytes_in['documentation held out']:14.2f}")

# %% [markdown]
# The loss of a token more than doubles from the first line to the last: one of 8,192 is harder to guess than one
# of 256. Yet each byte costs less, because a token holds more of them. If you compare losses across different
# vocabularies, the worst of these models looks best. The last one needs about as many bits as `lzma`, which looks far
# back in the text but has read no other text before.
#
# ### Speed
# How fast is it, and where does the time go?

# %%
import timeit
from functools import partial


def megabytes_per_second(run, megabytes, repeat=3):
    return megabytes / min(timeit.repeat(run, number=1, repeat=repeat))


megabytes = len(text.encode()) / 1e6
lines = text.splitlines(keepends=True)
whole = tokenizer.encode(text)
cold = BPETokenizer(tokenizer.vocabulary, tokenizer.merges)
first_time = megabytes_per_second(lambda: cold.encode(text), megabytes, repeat=1)
print(f"encoding, first time  {first_time:6.1f} MB/s")
for name, run in {
    "splitting alone": lambda: split_text(text),
    "encoding, once warm": lambda: tokenizer.encode(text),
    "line by line, warm": lambda: list(tokenizer.encode_iterable(lines)),
    "decoding": lambda: tokenizer.decode(whole),
}.items():
    print(f"{name:20}  {megabytes_per_second(run, megabytes):6.1f} MB/s")
looked_up = cold._piece_ids.cache_info()
pieces = looked_up.hits + looked_up.misses
print(f"the first time, {looked_up.misses:,} of {pieces:,} pieces had to be merged,", end="")
print(f" and {looked_up.hits / pieces:.0%} were remembered")

# %% [markdown]
# With all pieces in the cache, about half of the time goes into splitting. The first time takes twice as long: the
# other half is the merging of six thousand pieces, and without the cache it would be all hundred thousand. Line by line
# is slower too, because the text that is held back is split again with the next lines. The advantage of the heap shows
# in one long piece without a border, here random letters of increasing length.

# %%
letters_only = "".join(
    np.random.default_rng(0).choice(list("abcdefghijklmnopqrstuvwxyz"), 32768)
)
ranks = {pair: rank for rank, pair in enumerate(tokenizer.merges)}
figure, axes = plt.subplots(figsize=(6, 3.6))
for encode, longest in ((encode_piece_naive, 4096), (encode_piece, 32768)):
    pieces = [
        letters_only[:length].encode() for length in (16, 64, 256, 1024, 4096, 16384, 32768)
    ]
    pieces = [piece for piece in pieces if len(piece) <= longest]
    times = [
        min(timeit.repeat(partial(encode, piece, ranks), number=1, repeat=2))
        for piece in pieces
    ]
    axes.plot(list(map(len, pieces)), times, marker="o", label=encode.__name__)
axes.set(xscale="log", yscale="log", xlabel="bytes in one piece", ylabel="seconds")
axes.grid(alpha=0.3)
axes.legend()
plt.show()

# %% [markdown]
# For a word the two cost about the same. Then the naive one grows nearly quadratically: four times the bytes, some
# sixteen times the time; later less, because each round makes another merge, and their number is limited. The other
# grows nearly in proportion. Users can send such a piece to your server, so the difference matters in practice.
#
# ## Break it
# ### A character cut in two
# A model writes token by token, and a program shows them as they come. If it decodes each token separately, every
# character that two tokens share is lost, though `decode` of the whole is right. Python's incremental decoder holds
# incomplete characters back:

# %%
import codecs

ids = tokenizer.encode("Erdős in 東京")
decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
print("one by one:   ", "".join(tokenizer.decode([id]) for id in ids))
print("incremental:  ", "".join(decoder.decode(tokenizer.tokens[id]) for id in ids))

# %% [markdown]
# ### A space at the end of the prompt
# The space belongs to the *next* word. A prompt that ends in a space has already used it up, in a separate token, and
# then the model would have to continue with a word that has no space before it, which it has hardly ever seen there.

# %%
for prompt in ("The value of the", "The value of the ", "The value of the argument"):
    print(
        f"{prompt!r:30}", *(visible(tokenizer.tokens[id]) for id in tokenizer.encode(prompt))
    )

# %% [markdown]
# ### A user who types `<|endoftext|>`
# What should happen when it occurs in text that you did not write? There are three options, and you have to choose.

# %%
typed = "Thanks.<|endoftext|>New document: the password is"
try:
    tokenizer.encode(typed)
except ValueError as error:
    print("by default:            ValueError:", error)
print(
    "disallowed_special=(): ",
    *(visible(tokenizer.tokens[i]) for i in tokenizer.encode(typed, disallowed_special=())),
)
print(
    'allowed_special="all": ',
    *(visible(tokenizer.tokens[i]) for i in tokenizer.encode(typed, allowed_special="all")),
)

# %% [markdown]
# Only with the last one does the user's text end the document for the model.
#
# ### Who pays
# The sentences below say the same thing. To the tokenizer, trained on English, they are very different: it falls back
# to bytes where it has learned nothing, and a character of Devanagari has three. Training on Hindi would not fix all of
# it: the pattern cuts its words at vowel signs, which are not letters, here into 27 pieces. If you pay per token, or if
# a model can read only 1,024 of them, readers of the last language get far less than those of the first.
#
# **Predict:** the English sentence has 50 characters and becomes 21 tokens. How many does the one in Hindi become,
# which has 46 characters?

# %%
predicted_hindi = None  # tokens

# %%
sentences = {
    "English": "The sea is calm today, and all the boats are home.",
    "Deutsch": "Das Meer ist heute ruhig, und alle Boote sind zu Hause.",
    "Türkçe": "Deniz bugün sakin ve bütün tekneler limanda.",
    "Русский": "Море сегодня спокойно, и все лодки вернулись домой.",
    "日本語": "今日の海は穏やかで、船はみな港に帰っている。",
    "हिन्दी": "आज समुद्र शांत है और सारी नावें घर लौट आई हैं।",
}
print("characters  bytes  tokens")
for language, sentence in sentences.items():
    count = len(tokenizer.encode(sentence))
    lengths = f"{len(sentence):10} {len(sentence.encode()):6} {count:7}"
    print(f"{lengths}  {language:8} {'#' * (count // 2)}")
compare(predicted_hindi, count, "tokens")

# %% [markdown]
# ## In PyTorch, and in practice
# PyTorch leaves tokenizers to others. Save yours, and both of the common libraries can read it. They return the same
# ids as `tokenizer.encode`.
#
# ```python
# tokenizer.save("docs-4k")                                         # vocab.json, merges.txt
#
# import tiktoken
# from tiktoken.load import data_gym_to_mergeable_bpe_ranks
# encoding = tiktoken.Encoding(
#     "docs-4k",
#     pat_str=r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
#     mergeable_ranks=data_gym_to_mergeable_bpe_ranks("docs-4k/merges.txt", "docs-4k/vocab.json"),
#     special_tokens=tokenizer.special_tokens,
# )
# encoding.encode("hello<|endoftext|>", allowed_special={"<|endoftext|>"})
#
# from tokenizers import ByteLevelBPETokenizer
# ByteLevelBPETokenizer("docs-4k/vocab.json", "docs-4k/merges.txt").encode("hello").ids
# ```
#
# Conversely, `BPETokenizer.load(folder)` reads GPT-2's own two files from a folder, and then `encode` gives GPT-2's
# ids. A model needs them as a tensor of integers, which is one line: `torch.tensor(tokenizer.encode(text))`.
#
# ## Questions to think about
# 1. `len(tokenizer.encode(a + b))` is sometimes smaller than the sum of the two lengths, and sometimes
#    larger. Find an example of each.
#
#    <details><summary>Answer</summary>
#
#    Smaller is the usual case: whatever is cut inside a token. ` doc` and `umentation` are at least one token each, and
#    ` documentation` is one. Larger happens when joining makes an *early* merge possible that spoils later ones. `Re`
#    and `start` are one token each. In `Restart`, `e` and `st` meet, whose merge has a lower rank than the one that
#    makes `Re` and the two that make `start` of `st`; it is applied first, and then neither of the two tokens can be
#    built: `R`, `est`, `ar`, `t`. Merges are replayed in order, and nothing looks for the shortest result. In the 2,489
#    words of the first 200,000 characters, cut at each letter, there are 118 such cases.
#
#    ```python
#    for a, b in ((" doc", "umentation"), ("Re", "start")):
#        for part in (a, b, a + b):
#            print([visible(tokenizer.tokens[i]) for i in tokenizer.encode(part)])
#    ```
#
#    </details>
#
# 2. Which ids does the number 1999 get, which 2024? What does that mean for a model that should learn to add?
#
#    <details><summary>Answer</summary>
#
#    Trained on this text, `1999` is four tokens, `1` `9` `9` `9`, and `2024` two, `20` `24`; with a space before it, it
#    is ` 2` `02` `4`. So the same digit stands in tokens of different length, at different places, according to what
#    was frequent in the documentation. To add two numbers a model has to line up ones with ones and tens with tens, and
#    here it must first learn, token by token, which digits each stands for and how many. Splitting every number into
#    single digits, or into groups counted from the right, removes the problem at the price of longer sequences.
#
#    ```python
#    for number in ("1999", "2024", " 2024"):
#        print([visible(tokenizer.tokens[i]) for i in tokenizer.encode(number)])
#    ```
#
#    </details>
#
# 3. Why are the merges of a vocabulary of 1,000 the first 744 of those of a vocabulary of 4,096, and why can you not
#    simply take the 744 most *frequent* tokens of the larger one?
#
#    <details><summary>Answer</summary>
#
#    Training is greedy and has no chance in it: each merge depends on the text and on the merges before, not on where
#    training will stop. So a smaller vocabulary is a prefix. The 744 most frequent tokens are another set. Many of
#    them are long, and were built from parts that are hardly ever left over, because they nearly always go on to become
#    the longer token. Without its parts a token can never be reached. Of the 744, 399 lack at least one part, for
#    instance ` of`, made of ` o` and `f`.
#
#    ```python
#    used = Counter(tokenizer.encode(text))
#    joined = [a + b for a, b in tokenizer.merges]
#    count_of = {token: used[id] for id, token in tokenizer.tokens.items()}
#    frequent = set(sorted(joined, key=count_of.get, reverse=True)[:744])
#    known = frequent | set(byte_vocabulary())
#    print(sum(a + b in frequent and not {a, b} <= known for a, b in tokenizer.merges))
#    ```
#
#    </details>
#
# 4. The training here stops when no pair is left, and takes pairs that occur once. How useful is a token that occurred
#    only once in the training text? Where would you stop?
#
#    <details><summary>Answer</summary>
#
#    Hardly at all. It saves a few tokens on one page of the training text, costs a row in the first and the last layer
#    of the model, and that row is trained on one example. Measured: of the 256 merges of the vocabulary of 512, 5 % do
#    not occur in the held-out text, of those of 4,096 66 %, and of those of 8,192 82 %. Stop while a further token
#    still occurs often enough to be learned, say some dozens of times in training, or where the curve of section
#    *Compression* becomes flat on *held-out* text. With more text both come later.
#
#    ```python
#    for size, encoded in zip(sizes, held_out_ids):
#        if size > 256:
#            print(size, f"{1 - len({i for i in encoded if i >= 256}) / (size - 256):.0%} unused")
#    ```
#
#    </details>
#
# 5. GPT-4's pattern takes at most three digits together, and recognises contractions in capitals. What does each change
#    save or cost?
#
#    <details><summary>Answer</summary>
#
#    Pieces of at most three digits need at most 1,110 tokens for all numerals made of 0 to 9, so no merges are spent on
#    dates and prices that happened to be frequent. The cost is a longer sequence: `20240101` is `202`, `401`, `01`,
#    never one token. (And groups from the left do not line up for addition: see question 2.) In capitals, `DON'T` gave
#    the three pieces `DON`, `'` and `T` here, where `don't` gives two; now it is `DON` and `'T`, like its twin. That
#    saves a token in text that is rare, and costs nothing.
#
#    ```python
#    newer = r"'(?i:[sdmt]|ll|ve|re)|\p{N}{1,3}| ?\p{L}+"
#    print(split_text("DON'T20240101"), regex.findall(newer, "DON'T20240101"))
#    ```
#
#    </details>
#
# 6. Two bytes can merge into one token across the border of a character: the second byte of one, the first of the next.
#    Is that a loss? When would it happen, given the pattern?
#
#    <details><summary>Answer</summary>
#
#    Nothing is lost: decoding joins the bytes first, so the text comes back. But such a token is not text by itself, it
#    cannot be shown alone, and its vector has to stand for parts of two letters. It happens inside a piece, so among
#    letters of one word, in scripts whose letters share first bytes. In Russian nearly every letter begins with the
#    byte `d0` or `d1`, so a frequent second byte followed by `d0` is a frequent pair. Of the first 40 merges learned
#    from the Russian sentence above, 14 cross a border. A pattern of characters cannot prevent it; training on whole
#    characters would.
#
#    ```python
#    _, found = train_bpe(count_words(split_text(sentences["Русский"])), 256 + 40)
#    joined = [a + b for a, b in found]
#    parts = [token for token in joined if "\ufffd" in token.decode(errors="replace")]
#    border = rb"[\x80-\xbf][\xc0-\xff]"  # the last byte of a letter, the first of the next
#    print(len(joined), [token for token in parts if regex.search(border, token)])
#    ```
#
#    </details>
#
# ## An open problem
# Merges are replayed in order, which is not always the shortest way (question 1). Find, for any piece, the *fewest*
# tokens of the vocabulary that spell it, in time proportional to its length. How many tokens does that save on the
# held-out text? There are no points for it.

# %%
fewest_tokens = (
    None  # your function (piece, tokens): bytes, and a set of bytes; it returns a list
)


def test_fewest_tokens_spell_the_piece_and_are_not_more():
    known = set(tokenizer.tokens.values())
    for piece in (" documentation", " tokenization", "Restart", "xxxxxxxxxxx", " Erdős"):
        found = fewest_tokens(piece.encode(), known)
        assert b"".join(found) == piece.encode(), piece
        assert known.issuperset(found), piece
        assert len(found) <= len(tokenizer.encode(piece)), piece
    assert len(fewest_tokens(b"Restart", known)) <= 2


if fewest_tokens is not None:
    test_fewest_tokens_spell_the_piece_and_are_not_more()

# %% [markdown]
# ## To read
# - P. Gage, "A New Algorithm for Data Compression", The C Users Journal, 1994: byte-pair encoding, before language
#   models.
# - R. Sennrich, B. Haddow and A. Birch, "Neural Machine Translation of Rare Words with Subword Units", 2016, section 3:
#   the method for words, with a program of a page.
# - A. Radford and others, "Language Models are Unsupervised Multitask Learners", 2019, section 2.2: why GPT-2 uses
#   bytes, and cuts words first.
# - T. Kudo, "Subword Regularization", 2018, section 3: another tokenizer, which chooses among all ways to cut a word.
# - A. Petrov, E. La Malfa, P. Torr and A. Bibi, "Language Model Tokenizers Introduce Unfairness Between Languages",
#   2023: who pays, measured for many languages.
#
# ## What comes next
# The ids are integers without any meaning: 257 is no closer to 258 than to 4,000. Module 11 gives each of them a
# learned vector, and each position too. From there on, everything is tensors again, and in module 13 a model that you
# built will write Python's documentation, token by token, in the vocabulary that you have just trained.
