"""Module 10 beside tiktoken and tokenizers: training, encoding, decoding, on Python's documentation.

Each row is a dict: `name`, `unit`, `ours`, what the course wants of it (`wanted`), and what the two libraries
need for the same, where they can do it. Times are of the process, on one thread, the best of a few runs.
"""

import os
import random
import statistics
import string
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

VOCABULARY = 4096


def rows() -> list[dict]:
    """Measure, and return the rows."""
    os.environ |= {"TOKENIZERS_PARALLELISM": "false", "TIKTOKEN_CACHE_DIR": ""}
    from pydoc_data.topics import topics

    import tiktoken
    import tokenizers
    from tiktoken.load import data_gym_to_mergeable_bpe_ranks
    from tinytorch.tokenizer import PATTERN, BPETokenizer

    text = "\n\n".join(topics.values())
    megabytes = len(text.encode()) / 1e6
    lines = text.splitlines(keepends=True)
    library = tokenizers.ByteLevelBPETokenizer

    def speed(run: Callable, **others: Callable) -> dict[str, float]:
        """Megabytes a second: the median of five rounds, in each of which everyone has a turn."""
        runs = {"ours": run} | others
        rounds = [{name: seconds(run) for name, run in runs.items()} for _ in range(5)]
        return {name: megabytes / statistics.median(times[name] for times in rounds) for name in runs}

    def trained() -> BPETokenizer:
        return BPETokenizer.train(text, VOCABULARY)

    def trained_by_library() -> None:
        library().train_from_iterator([text], vocab_size=VOCABULARY, min_frequency=0, show_progress=False)

    tokenizer = trained()
    with TemporaryDirectory() as folder:
        tokenizer.save(folder)
        files = str(Path(folder, "vocab.json")), str(Path(folder, "merges.txt"))
        ranks = data_gym_to_mergeable_bpe_ranks(*reversed(files))
        theirs = tiktoken.Encoding("ours", pat_str=PATTERN.pattern, mergeable_ranks=ranks, special_tokens={})
        rust = library(*files)
    ids = tokenizer.encode(text)
    assert ids == theirs.encode(text) == rust.encode(text).ids
    letters = "".join(random.Random(0).choices(string.ascii_lowercase, k=100_000))

    def cold() -> list[int]:
        return BPETokenizer(tokenizer.vocabulary, tokenizer.merges).encode(text)

    def warm() -> list[int]:
        return tokenizer.encode(text)

    return [
        {
            "name": f"train to a vocabulary of {VOCABULARY:,} on {megabytes:.2f} MB",
            "unit": "s",
            "ours": min(seconds(trained) for _ in range(3)),
            "tokenizers": min(seconds(trained_by_library) for _ in range(3)),
            "wanted": "below 10",
        },
        {"name": "encode, nothing cached", "unit": "MB/s", **speed(cold)},
        {
            "name": "encode, once warm",
            "unit": "MB/s",
            **speed(warm, tiktoken=lambda: theirs.encode(text), tokenizers=lambda: rust.encode(text).ids),
            "wanted": "above 1",
        },
        {
            "name": "encode a stream of lines, once warm",
            "unit": "MB/s",
            **speed(lambda: list(tokenizer.encode_iterable(lines))),
        },
        {
            "name": "decode",
            "unit": "MB/s",
            **speed(
                lambda: tokenizer.decode(ids),
                tiktoken=lambda: theirs.decode(ids),
                tokenizers=lambda: rust.decode(ids),
            ),
        },
        {
            "name": f"encode one piece of {len(letters):,} random letters, not cached",
            "unit": "s",
            "ours": min(seconds(lambda: tokenizer._encode_piece(letters)) for _ in range(3)),
            "tiktoken": min(seconds(lambda: theirs.encode(letters)) for _ in range(3)),
        },
    ]


def seconds(run: Callable) -> float:
    start = process_time()
    run()
    return process_time() - start
