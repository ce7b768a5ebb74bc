"""The tokenizer in a GGUF file: the learner's, with the file's merges, and each digit a separate piece."""

from itertools import groupby

import regex

from tinytorch.given import methods_of
from tinytorch.given.tokenizer.files import as_bytes, shown_bytes
from tinytorch.given.tokenizer.gguf import read_gguf
from tinytorch.tokenizer import BPETokenizer, byte_vocabulary

__all__ = ["DigitTokenizer"]

NUMERAL = regex.compile(r"(\p{N})")
CONTROL = 3  # the type of a special token in a file


class DigitTokenizer(BPETokenizer):
    """A `BPETokenizer` for which every numeral is a piece, so that 1984 is always four ids.

    Text is cut at the numerals before anything else, as by `tokenizers.pre_tokenizers.Digits`; its special
    tokens have none in them.
    """

    def encode_iterable(self, chunks, **special):
        """Yield the ids of a text that arrives in chunks, in bounded memory; see `encode`."""
        for run in between_numerals(chunks):
            yield from super().encode_iterable(run, **special)


def between_numerals(chunks):
    """The text of chunks as runs of chunks, each of text without a numeral, or one numeral."""
    parts = (part for chunk in chunks for part in NUMERAL.split(chunk) if part)
    for numeral, run in groupby(parts, key=lambda part: bool(NUMERAL.fullmatch(part))):
        if numeral:
            yield from ([part] for part in run)
        else:
            yield run


@methods_of(BPETokenizer)
class Models:
    @classmethod
    def from_gguf(cls, path):
        """Read the tokenizer of a model's file.

        A byte for which the model has no token gets an id behind all others, so that any text can be encoded:
        such an id is at least the length of the model's table.

        Raises:
            RuntimeError: if the file is damaged.
            ValueError: if its tokenizer is another than GPT-2's, or GPT-2's with digits that stand alone.
        """
        facts, _ = read_gguf(path)
        names = [facts.get(f"tokenizer.ggml.{key}") for key in ("model", "pre")]
        kinds = {"gpt-2": BPETokenizer, "smollm": DigitTokenizer}
        if names[0] != "gpt2" or names[1] not in kinds:
            raise ValueError(
                f"{path} has the tokenizer {names[0]}, {names[1]}; gpt2 with {list(kinds)} can be read"
            )
        try:
            tokens, merges, types = (
                facts[f"tokenizer.ggml.{key}"] for key in ("tokens", "merges", "token_type")
            )
            byte_of = shown_bytes()
            special = {token: id for id, token in enumerate(tokens) if types[id] == CONTROL}
            ordinary = {
                as_bytes(token, byte_of): id for id, token in enumerate(tokens) if types[id] != CONTROL
            }
            pairs = [tuple(as_bytes(token, byte_of) for token in merge.split(" ")) for merge in merges]
        except (KeyError, IndexError) as error:
            raise RuntimeError(f"{path} is damaged: its tokenizer lacks {error}") from None
        missing = [byte for byte in byte_vocabulary() if byte not in ordinary]
        ordinary |= {byte: len(tokens) + number for number, byte in enumerate(missing)}
        return kinds[names[1]](ordinary, pairs, special)
