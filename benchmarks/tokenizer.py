"""Module 10 beside tiktoken and tokenizers: training, encoding, decoding, on Python's documentation."""

import os
import random
import statistics
import string
from collections.abc import Callable
from pathlib import Path
from pydoc_data.topics import topics
from tempfile import TemporaryDirectory
from time import process_time

import tiktoken
import tokenizers
from tiktoken.load import data_gym_to_mergeable_bpe_ranks

from tinytorch.tokenizer import PATTERN, BPETokenizer

VOCABULARY = 4096
ROUNDS = 5


def rows() -> list[tuple[str, str]]:
    """Pairs of what was measured and what came out."""
    os.environ |= {
        "TOKENIZERS_PARALLELISM": "false",
        "TIKTOKEN_CACHE_DIR": "",
    }  # one thread, the files as saved
    text = "\n\n".join(topics.values())
    megabytes = len(text.encode()) / 1e6
    lines = text.splitlines(keepends=True)
    letters = "".join(random.Random(0).choices(string.ascii_lowercase, k=100_000))
    ours = BPETokenizer.train(text, VOCABULARY)
    tiktokens, rust = in_other_libraries(ours)
    ids = ours.encode(text)
    assert ids == tiktokens.encode(text) == rust.encode(text).ids

    def trained_by_library() -> None:
        trainer = tokenizers.ByteLevelBPETokenizer()
        trainer.train_from_iterator([text], vocab_size=VOCABULARY, min_frequency=0, show_progress=False)

    def cold() -> list[int]:
        return BPETokenizer(ours.vocabulary, ours.merges).encode(text)

    def seconds(**runs: Callable) -> str:
        return compare(runs, lambda time: f"{time:.2f} s")

    def speed(**runs: Callable) -> str:
        return compare(runs, lambda time: f"{megabytes / time:.1f} MB/s")

    return [
        (
            f"tokenizer: training to a vocabulary of {VOCABULARY:,} on {megabytes:.2f} MB, wanted below 10 s",
            seconds(ours=lambda: BPETokenizer.train(text, VOCABULARY), tokenizers=trained_by_library),
        ),
        (
            "tokenizer: encoding, once warm, wanted above 1 MB/s",
            speed(
                ours=lambda: ours.encode(text),
                tiktoken=lambda: tiktokens.encode(text),
                tokenizers=lambda: rust.encode(text),
            ),
        ),
        ("tokenizer: encoding, nothing cached", speed(ours=cold)),
        ("tokenizer: encoding line by line", speed(ours=lambda: list(ours.encode_iterable(lines)))),
        (
            "tokenizer: decoding",
            speed(
                ours=lambda: ours.decode(ids),
                tiktoken=lambda: tiktokens.decode(ids),
                tokenizers=lambda: rust.decode(ids),
            ),
        ),
        (
            f"tokenizer: one piece of {len(letters):,} letters",
            seconds(ours=lambda: ours._encode_piece(letters), tiktoken=lambda: tiktokens.encode(letters)),
        ),
    ]


def in_other_libraries(tokenizer: BPETokenizer) -> tuple[tiktoken.Encoding, tokenizers.ByteLevelBPETokenizer]:
    """The same tokenizer, saved, and read by tiktoken and by tokenizers."""
    with TemporaryDirectory() as folder:
        tokenizer.save(folder)
        vocabulary, merges = (str(Path(folder, name)) for name in ("vocab.json", "merges.txt"))
        ranks = data_gym_to_mergeable_bpe_ranks(merges, vocabulary)
        encoding = tiktoken.Encoding(
            "ours", pat_str=PATTERN.pattern, mergeable_ranks=ranks, special_tokens={}
        )
        return encoding, tokenizers.ByteLevelBPETokenizer(vocabulary, merges)


def compare(runs: dict[str, Callable], show: Callable[[float], str]) -> str:
    """The median processor times of a few rounds, in each of which everyone has a turn."""
    times = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            start = process_time()
            run()
            times[name].append(process_time() - start)
    medians = {name: show(statistics.median(taken)) for name, taken in times.items()}
    others = [f"{name} {shown}" for name, shown in medians.items() if name != "ours"]
    return medians["ours"] + (f" ({', '.join(others)})" if others else "")
