"""Module 10 of the reference: any bytes come back, and tiktoken and tokenizers give the same ids."""

import copy
import json
import os
import pickle
import subprocess
import sys
import tracemalloc
import unicodedata
from itertools import pairwise
from pathlib import Path
from pydoc_data.topics import topics

import pytest
import regex
import tiktoken
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken.load import data_gym_to_mergeable_bpe_ranks
from tiktoken_ext.openai_public import r50k_pat_str

from tinytorch import tokenizer as module
from tinytorch.tokenizer import (
    BPETokenizer,
    CharTokenizer,
    byte_vocabulary,
    count_words,
    encode_piece,
    encode_piece_naive,
    read_merges,
    split_stream,
    split_text,
    train_bpe,
    train_naive,
    visible,
)

DOCUMENTATION = "\n\n".join(topics.values())
END = "<|endoftext|>"
SCRIPTS = """\
Latin: The tide's out; they've said we'll see 12 boats, I'd bet 'em.   Žluťoučký kůň, ﬁne ẞ, e\u0301 and é
Greek: Η θάλασσα είναι ήρεμη. Cyrillic: Море спокойно, Ёлка. Armenian: Ծովը հանգիստ է։ Georgian: ზღვა წყნარია
Hebrew: הים רגוע היום. Arabic: البحر هادئ، ١٢ قاربًا. Persian: دریا آرام است‌ها. Syriac: ܝܡܐ. Thaana: ކަނޑު
Devanagari: समुद्र शांत है १२३। Bengali: সমুদ্র শান্ত। Tamil: கடல் அமைதி.
Telugu: సముద్రం. Sinhala: මුහුද ශාන්තයි
Thai: ทะเลสงบ ๑๒ ลำ Lao: ທະເລ Tibetan: རྒྱ་མཚོ། Burmese: ပင်လယ်
Khmer: សមុទ្រ ១២ Ethiopic: ባሕሩ ጸጥ ብሏል ፲፪
Chinese: 今天海面平静，十二条船。Japanese: 海は穏やかで、ﾌﾈ１２隻。
Korean: 바다가 잔잔하다. Mongolian: ᠳᠠᠯᠠᠢ Cherokee: ᎠᎺᏉᎯ
Numbers: ² ½ Ⅷ ① ๔ ௧௨ ㊿ 𝟙𝟚 x² a_1 __init__ 3.14 1,000,000 Symbols: → ∑ € ™ © § 𝄞 🚢👩\u200d🔬🇯🇵
Spaces: a\u00a0b a\u2003b  a\u3000\u3000b\ta\t\tb a\u200bb a\x1cb\x1fa\x85b a\u2028b\r\n\r\n   \n end   """

known_characters = st.characters(exclude_categories=("Cs", "Cn"))  # those that this Python's Unicode knows
tricky = st.sampled_from([*"'stremvld  \n\taé1²_ー東\u0301\u00a0", "'re", "'ve", "<|", "|>", END])
texts = st.one_of(st.text(known_characters), st.lists(tricky).map("".join))


@pytest.fixture(scope="module")
def trained():
    return BPETokenizer.train(DOCUMENTATION + SCRIPTS * 3, 4096, special_tokens=[END])


@pytest.fixture(scope="module")
def folder(trained, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "made" / "here"
    trained.save(folder)
    return folder


@pytest.fixture(scope="module")
def encoding(folder, monkeypatch_module):
    """What tiktoken makes of the saved files, with its own way of writing GPT-2's pattern."""
    monkeypatch_module.setenv("TIKTOKEN_CACHE_DIR", "")
    ranks = data_gym_to_mergeable_bpe_ranks(str(folder / "merges.txt"), str(folder / "vocab.json"))
    return tiktoken.Encoding(
        "ours", pat_str=r50k_pat_str, mergeable_ranks=ranks, special_tokens={END: len(ranks)}
    )


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def rust(folder):
    """What tokenizers makes of the saved files."""
    return tokenizers.ByteLevelBPETokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))


def test_the_vocabulary_has_the_size_that_was_asked_for(trained):
    assert trained.n_vocab == len(trained.tokens) == 4096
    assert trained.special_tokens == {END: 4095}
    assert sorted(trained.tokens) == list(range(4096))


@settings(deadline=None, max_examples=300)
@given(text=st.one_of(texts, st.text()))
def test_any_text_comes_back(trained, text):
    assert trained.decode(trained.encode(text, disallowed_special=())) == text
    assert trained.decode(trained.encode(text, allowed_special="all")) == text


@settings(deadline=None, max_examples=300)
@given(
    data=st.one_of(
        st.binary(),
        st.text().map(str.encode),
        st.lists(st.sampled_from(SCRIPTS.encode().split())).map(b"\xc3".join),
    )
)
def test_any_bytes_come_back(trained, data):
    assert trained.decode_bytes(trained.encode_bytes(data)) == data


def test_every_byte_comes_back_alone_and_with_every_other(trained):
    pairs = [bytes([a, b]) for a in range(256) for b in range(0, 256, 5)]
    for data in [bytes([byte]) for byte in range(256)] + pairs:
        assert trained.decode_bytes(trained.encode_bytes(data)) == data


@given(text=texts)
def test_bytes_of_text_are_encoded_as_the_text(trained, text):
    assert trained.encode_bytes(text.encode()) == trained.encode(text, disallowed_special=())


def test_decode_replaces_what_is_no_text_or_does_as_it_is_told(trained):
    ids = trained.encode_bytes(b"caf\xc3")
    assert trained.decode(ids) == "caf\ufffd"
    assert trained.decode(ids, errors="ignore") == "caf"
    with pytest.raises(UnicodeDecodeError):
        trained.decode(ids, errors="strict")


def test_text_that_utf8_cannot_write_is_refused(trained):
    with pytest.raises(UnicodeEncodeError):
        trained.encode("\ud800")


def test_letters_numbers_and_spaces_are_those_of_tiktoken():
    single = {bytes([byte]): byte for byte in range(256)}
    known = "".join(c for c in map(chr, range(0x110000)) if unicodedata.category(c) not in ("Cn", "Cs"))
    for category in (r"\p{L}", r"\p{N}", r"\s"):
        theirs = tiktoken.Encoding("one", pat_str=category, mergeable_ranks=single, special_tokens={})
        assert theirs.decode(theirs.encode_ordinary(known)) == "".join(regex.findall(category, known))


@settings(deadline=None, max_examples=300)
@given(text=texts)
def test_pieces_are_those_of_tokenizers(text):
    split = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
    assert split_text(text) == [text[start:end] for _, (start, end) in split]


def test_ids_are_those_of_tiktoken_and_tokenizers_on_whole_texts(trained, encoding, rust):
    for text in (DOCUMENTATION, SCRIPTS, SCRIPTS[::-1].replace("\u0301", ""), " ".join(SCRIPTS)):
        ids = trained.encode(text)
        assert ids == encoding.encode(text)
        assert ids == rust.encode(text).ids
        assert trained.decode(ids) == encoding.decode(ids)


@settings(deadline=None, max_examples=300)
@given(text=texts)
def test_ids_are_those_of_tiktoken_and_tokenizers(trained, encoding, rust, text):
    ids = trained.encode(text, disallowed_special=())
    assert ids == encoding.encode(text, disallowed_special=())
    if END not in text:  # tokenizers cannot be told to take it for text
        assert ids == rust.encode(text).ids


@settings(deadline=None, max_examples=300)
@given(data=st.binary())
def test_ids_of_bytes_are_those_of_tiktoken(trained, encoding, data):
    text = data.decode("utf-8", "ignore")
    assert trained.encode(text, disallowed_special=()) == encoding.encode(text, disallowed_special=())
    assert encoding.decode_bytes(trained.encode_bytes(data)) == data


@pytest.mark.parametrize(
    "text", ["", "plain", END, f"one {END}two{END}{END} three", "<|endoftext", f"  {END}  \n"]
)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"allowed_special": "all"},
        {"allowed_special": {END}},
        {"allowed_special": set()},
        {"disallowed_special": ()},
        {"disallowed_special": {"plain"}},
        {"disallowed_special": ["one"], "allowed_special": "all"},
        {"disallowed_special": {END}, "allowed_special": {END}},
    ],
    ids=str,
)
def test_special_tokens_are_allowed_and_refused_as_by_tiktoken(trained, encoding, text, options):
    def outcome(encode):
        try:
            return encode(text, **options)
        except ValueError:
            return ValueError

    assert outcome(trained.encode) == outcome(encoding.encode)
    assert outcome(lambda text, **options: list(trained.encode_iterable(text, **options))) == outcome(
        trained.encode
    )


def test_the_longest_special_token_goes_first():
    special = ["<|end|>", "<|end|><|turn|>", "a+"]
    tokenizer = BPETokenizer.train("", 300, special_tokens=special)
    text = "<|end|><|turn|><|end|>a+aa"
    assert split_text(text, special) == ["<|end|><|turn|>", "<|end|>", "a+", "aa"]
    assert tokenizer.encode(text, allowed_special="all") == [257, 256, 258, 64, 64]


def words_of(alphabet):
    word = st.lists(st.sampled_from(alphabet), max_size=12).map(tuple)
    return st.dictionaries(word, st.integers(1, 9), max_size=12)


@settings(deadline=None, max_examples=300)
@given(words=st.one_of(words_of([b"a", b"b"]), words_of([b" ", b"a", b"\n", b"\xff", b"b"])))
def test_training_is_the_naive_training(words):
    before = dict(words)
    assert train_bpe(words, 330) == train_naive(words, 330)
    assert words == before


def test_training_gives_the_merges_of_tokenizers(trained):
    theirs = tokenizers.ByteLevelBPETokenizer()
    theirs.train_from_iterator([DOCUMENTATION], vocab_size=4096, min_frequency=0, show_progress=False)
    merges = [tuple(pair) for pair in json.loads(theirs._tokenizer.to_str())["model"]["merges"]]
    ours = BPETokenizer.train(DOCUMENTATION, 4096)
    assert [(visible(a), visible(b)) for a, b in ours.merges] == merges
    assert {visible(token): id for token, id in ours.vocabulary.items()} == theirs.get_vocab()


def test_a_smaller_vocabulary_is_the_beginning_of_a_larger_one():
    small, large = (BPETokenizer.train(DOCUMENTATION[:50_000], size) for size in (400, 800))
    assert small.merges == large.merges[:144]


def test_training_does_not_depend_on_hash_seeds():
    code = (
        "import hashlib; from pydoc_data.topics import topics; from tinytorch.tokenizer import BPETokenizer;"
        "print(hashlib.sha256(repr(BPETokenizer.train(topics.values(), 2000).merges).encode()).hexdigest())"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(module.__file__).parents[1])}
    one, two = (
        subprocess.check_output(
            [sys.executable, "-P", "-c", code], env=environment | {"PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2")
    )
    assert one == two


def test_training_reads_chunks_as_one_text():
    text = DOCUMENTATION[:20_000]
    chunks = (text[i : i + 7] for i in range(0, len(text), 7))
    assert BPETokenizer.train(chunks, 500).merges == BPETokenizer.train(text, 500).merges


def test_special_tokens_take_no_part_in_training():
    tokenizer = BPETokenizer.train("<|x|>ab<|x|>" * 9 + "<|", 400, special_tokens=["<|x|>", "<|x|>", "<|y|>"])
    assert tokenizer.merges == [(b"a", b"b"), (b"<", b"|")]
    assert tokenizer.special_tokens == {"<|x|>": 258, "<|y|>": 259}


@settings(deadline=None, max_examples=300)
@given(data=st.binary(max_size=80).map(lambda data: bytes(b"ab xsthe\xc3\xa9"[byte % 10] for byte in data)))
def test_the_fast_merge_is_the_naive_one(trained, data):
    ranks = {pair: rank for rank, pair in enumerate(trained.merges)}
    assert encode_piece(data, ranks) == encode_piece_naive(data, ranks)


def test_the_fast_merge_is_the_naive_one_on_words_and_runs(trained):
    ranks = {pair: rank for rank, pair in enumerate(trained.merges)}
    words = sorted(set(split_text(DOCUMENTATION)))[::7] + [
        run * n for run in ("-", " ", "x", "ab") for n in range(40)
    ]
    for word in words:
        assert encode_piece(word.encode(), ranks) == encode_piece_naive(word.encode(), ranks)


def test_a_piece_of_a_million_bytes_is_encoded(trained):
    piece = "abcdefghij" * 100_000
    assert trained.decode(trained.encode(piece)) == piece


@settings(deadline=None, max_examples=300)
@given(
    text=texts,
    cuts=st.lists(st.integers(0, 60)),
    special=st.sets(st.sampled_from([END, "<|", "'ve", " a", "ab"])),
)
def test_a_stream_has_the_pieces_of_the_whole(text, cuts, special):
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    chunks = [text[a:b] for a, b in pairwise(places)]
    assert list(split_stream(chunks, special)) == split_text(text, special)


def test_a_stream_is_encoded_as_the_whole_whatever_its_chunks(trained):
    text = SCRIPTS + END + DOCUMENTATION[:3000]
    whole = trained.encode(text, allowed_special="all")
    for size in (1, 2, 3, 5, 11, 100, 1000):
        chunks = [text[i : i + size] for i in range(0, len(text), size)]
        assert list(trained.encode_iterable(chunks, allowed_special={END})) == whole


def test_a_stream_needs_no_more_memory_when_it_is_longer(trained):
    text = DOCUMENTATION[:150_000].splitlines(keepends=True)
    list(trained.encode_iterable(text))  # so that the cache does not count

    def peak(repeats):
        lines = (line for _ in range(repeats) for line in text)
        tracemalloc.start()
        count = sum(1 for _ in trained.encode_iterable(lines))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return count, peak

    peak(1)
    (one, once), (four, four_times) = peak(1), peak(4)
    assert four > 3.9 * one
    assert four_times < 1.2 * once
    assert four_times < 50_000


def test_a_piece_of_many_chunks_is_not_split_again_at_each(monkeypatch):
    lengths = []
    monkeypatch.setattr(
        module, "split_text", lambda text, special: lengths.append(len(text)) or split_text(text)
    )
    assert list(split_stream("x" for _ in range(20_000))) == ["x" * 20_000]
    assert sum(lengths) < 5 * 20_000


def test_files_are_written_in_the_format_of_gpt2(trained, folder):
    vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
    lines = (folder / "merges.txt").read_bytes().decode().split("\n")
    assert list(vocabulary.items())[:2] == [("!", 0), ('"', 1)]
    assert (vocabulary["Ġ"], vocabulary["Ċ"], vocabulary[END]) == (220, 198, 4095)
    assert sorted(vocabulary.values()) == list(range(4096))
    assert (lines[0], lines[-1], len(lines)) == ("#version: 0.2", "", 1 + 3839 + 1)
    assert lines[1] == " ".join(map(visible, trained.merges[0]))


def test_files_are_read_as_they_were_written(trained, folder, tmp_path):
    again = BPETokenizer.load(folder)
    assert again.vocabulary == trained.vocabulary
    assert again.merges == trained.merges
    assert again.special_tokens == trained.special_tokens
    again.save(str(tmp_path))
    for name in ("vocab.json", "merges.txt"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def write(folder, vocabulary, merges):
    (folder / "vocab.json").write_text(
        vocabulary if isinstance(vocabulary, str) else json.dumps(vocabulary), encoding="utf-8"
    )
    (folder / "merges.txt").write_text(merges, encoding="utf-8")
    return folder


def bytes_and(*tokens):
    return {visible(token): id for token, id in byte_vocabulary().items()} | {
        token: 256 + i for i, token in enumerate(tokens)
    }


def test_the_beginning_of_gpt2s_own_files_gives_gpt2s_ids(tmp_path):
    merges = "Ġ t\nĠ a\nh e\ni n\nr e\no n\nĠt he\ne r\nĠ s\na t\nĠ w\nĠ o\ne n\nĠ c"
    tokens = [line.replace(" ", "") for line in merges.split("\n")]
    folder = write(tmp_path, bytes_and(*tokens) | {END: 50256}, f"#version: 0.2\n{merges}\n")
    tokenizer = BPETokenizer.load(folder)
    assert tokenizer.special_tokens == {END: 50256}
    assert tokenizer.n_vocab == 50257
    assert tokenizer.encode(f" the at the{END}A\n", allowed_special="all") == [
        262,
        257,
        83,
        262,
        50256,
        32,
        198,
    ]


def test_ids_may_be_in_any_order(tmp_path):
    """RoBERTa numbers the tokens of GPT-2 by frequency, with special tokens in front."""
    vocabulary = {token: 1000 - id for token, id in bytes_and("ab", "abc", "bc").items()} | {
        "<s>": 0,
        "<mask>": 5000,
    }
    tokenizer = BPETokenizer.load(write(tmp_path, vocabulary, "#version: 0.2\nb c\na b\nab c\n"))
    assert tokenizer.encode("<s>abc", allowed_special={"<s>"}) == [0, vocabulary["a"], vocabulary["bc"]]
    assert tokenizer.special_tokens == {"<s>": 0, "<mask>": 5000}
    assert tokenizer.n_vocab == 5001


@pytest.mark.parametrize(
    ("merges", "message"),
    [
        (
            "#version: 0.2\na b\nab\n",
            "merges.txt, line 3: expected two tokens with a space between, got 'ab'",
        ),
        ("a b\n\nab c\n", "merges.txt, line 2: expected two tokens with a space between, got ''"),
        ("a b c\n", "merges.txt, line 1: expected two tokens"),
        ("a  b\n", "merges.txt, line 1: expected two tokens"),
        ("#version: 0.2\na é\n", "merges.txt, line 2: 'aé' is not in the vocabulary"),
        ("a 東\n", "merges.txt, line 1: '東' is not in the vocabulary"),
        ("a b\nab d\n", "merges.txt, line 2: 'abd' is not in the vocabulary"),
        ("a b\n# a\n", "merges.txt, line 2: '#a' is not in the vocabulary"),
    ],
)
def test_malformed_merges_are_refused_with_their_line(tmp_path, merges, message):
    with pytest.raises(ValueError, match=regex.escape(message)) as caught:
        BPETokenizer.load(write(tmp_path, bytes_and("ab", "abc"), merges))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        ("", r"vocab.json: Expecting value: line 1 column 1"),
        ('{"a": 1,', r"vocab.json: "),
        ("[1, 2]", r"vocab.json: expected one object from tokens to integers"),
        ('{"a": "1"}', r"vocab.json: expected one object from tokens to integers"),
        ('{"a": true}', r"vocab.json: expected one object from tokens to integers"),
        (json.dumps({"a": 0}), r"lacks 255 of the 256 bytes"),
        (json.dumps(bytes_and() | {"a": 0}), r"two tokens have the same id"),
    ],
)
def test_a_malformed_vocabulary_is_refused(tmp_path, vocabulary, message):
    with pytest.raises(ValueError, match=message):
        BPETokenizer.load(write(tmp_path, vocabulary, "#version: 0.2\n"))


def test_files_that_are_no_utf8_are_refused(tmp_path):
    write(tmp_path, bytes_and("ab"), "")
    (tmp_path / "merges.txt").write_bytes(b"a \xff\n")
    with pytest.raises(ValueError, match=r"merges\.txt, line 1"):
        BPETokenizer.load(tmp_path)
    (tmp_path / "vocab.json").write_bytes(b'{"\xff": 1}')
    with pytest.raises(ValueError, match=r"vocab\.json: 'utf-8' codec"):
        BPETokenizer.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        BPETokenizer.load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("size", "special", "message"),
    [
        (255, [], "vocab_size is 255, .* are 256"),
        (0, [], "are 256"),
        (257, ["<a>", "<b>"], "257, .* are 258"),
    ],
)
def test_a_vocabulary_without_room_for_the_bytes_is_refused(size, special, message):
    with pytest.raises(ValueError, match=message):
        BPETokenizer.train("text", size, special_tokens=special)


def test_unknown_ids_and_special_tokens_are_refused(trained):
    for id in (4096, -1):
        with pytest.raises(KeyError, match=f"id {id} is not in the vocabulary of 4096 tokens"):
            trained.decode([0, id])
        with pytest.raises(KeyError):
            trained.decode_bytes([id])
    with pytest.raises(ValueError, match=r"'<\|pad\|>' is not a special token here; there is"):
        trained.encode("text", allowed_special={"<|pad|>"})
    with pytest.raises(ValueError, match="cannot be empty"):
        BPETokenizer.train("text", 300, special_tokens=[""])


def test_a_special_token_that_the_file_cannot_tell_apart_is_not_saved(tmp_path):
    tokenizer = BPETokenizer.train("the the", 300, special_tokens=["t"])
    with pytest.raises(ValueError, match="special token 't' is an ordinary token too"):
        tokenizer.save(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_tokenizer_can_be_copied_and_sent_to_another_process(trained):
    ids = trained.encode(SCRIPTS)
    for other in (pickle.loads(pickle.dumps(trained)), copy.deepcopy(trained)):
        assert other.encode(SCRIPTS) == ids


def test_a_text_without_pairs_trains_the_bytes_alone():
    for text in ("", "a b c", []):
        tokenizer = BPETokenizer.train(text, 1000)
        assert tokenizer.n_vocab == 256 + len(tokenizer.merges)
        assert tokenizer.decode(tokenizer.encode("any text, é")) == "any text, é"


def test_words_are_counted_with_their_spaces():
    assert count_words(split_text("a a  a")) == {(b"a",): 1, (b" ", b"a"): 2, (b" ",): 1}


@given(text=st.text(min_size=1))
def test_characters_come_back(text):
    tokenizer = CharTokenizer(text)
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert set(ids) == set(range(tokenizer.n_vocab))


def test_merges_may_end_in_windows_lines(tmp_path):
    (tmp_path / "merges.txt").write_bytes(b"#version: 0.2\r\na b\r\n")
    assert read_merges(tmp_path / "merges.txt", bytes_and("ab")) == [(b"a", b"b")]
