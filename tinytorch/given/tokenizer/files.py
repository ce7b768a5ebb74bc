"""A tokenizer in GPT-2's two files and in a pickle, written and read by the table of `bytes_to_unicode`."""

import json
from pathlib import Path

from tinytorch.given import methods_of
from tinytorch.tokenizer import BPETokenizer, byte_vocabulary, bytes_to_unicode, visible

__all__ = ["read_merges"]


def shown_bytes():
    """The byte that each character of a shown token stands for: `bytes_to_unicode` backwards."""
    return {character: byte for byte, character in bytes_to_unicode().items()}


def as_bytes(token, byte_of):
    """The bytes of a token as it is shown, by `shown_bytes`; KeyError for another character."""
    return bytes([byte_of[shown] for shown in token])


def read_merges(path, vocabulary):
    """The pairs of tokens (bytes) that a `merges.txt` lists, in its order.

    ValueError, with the file and the line, where one is not two tokens with a space between them, or where
    they or what they make are no keys of `vocabulary`.
    """
    byte_of, merges = shown_bytes(), []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, start=1):
        if number == 1 and line.startswith("#version"):
            continue
        pair, place = line.split(" "), f"{path.name}, line {number}"
        if len(pair) != 2:
            raise ValueError(f"{place}: expected two tokens with a space between, got {line!r}")
        for token in (*pair, "".join(pair)):
            if token not in vocabulary:
                raise ValueError(f"{place}: {token!r} is not in the vocabulary")
        merges.append(tuple(as_bytes(token, byte_of) for token in pair))
    return merges


@methods_of(BPETokenizer)
class Files:
    def save(self, folder):
        """Write `vocab.json` and `merges.txt`, in GPT-2's format, to a folder, made where it is missing."""
        written = {visible(token): id for token, id in self.vocabulary.items()}
        if clash := written.keys() & self.special_tokens.keys():
            raise ValueError(
                f"special token {min(clash)!r} is an ordinary token too, and vocab.json can hold only one"
            )
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        vocabulary = json.dumps(written | self.special_tokens, ensure_ascii=False)
        merges = "".join([f"{visible(a)} {visible(b)}\n" for a, b in self.merges])
        (folder / "vocab.json").write_text(vocabulary, encoding="utf-8")
        (folder / "merges.txt").write_text(f"#version: 0.2\n{merges}", encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, folder):
        """Read `vocab.json` and `merges.txt` from a folder.

        What is in the vocabulary, but neither a byte nor made by a merge, is a special token.

        Raises:
            ValueError: if a file is malformed; the message names it, and the line of merges.txt.
        """
        path = Path(folder) / "vocab.json"
        try:
            written = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path.name}: {error}") from None
        if not isinstance(written, dict) or not all(type(id) is int for id in written.values()):
            raise ValueError(f"{path.name}: expected one object from tokens to integers")
        merges = read_merges(Path(folder) / "merges.txt", written)
        ordinary = [*byte_vocabulary(), *(a + b for a, b in merges)]
        ids = {token: written[name] for token in ordinary if (name := visible(token)) in written}
        names = {visible(token) for token in ids}
        return cls(ids, merges, {token: id for token, id in written.items() if token not in names})

    def __reduce__(self):
        """A cache cannot be pickled, for example for a worker of a DataLoader, and does not have to be."""
        return type(self), (self.vocabulary, self.merges, self.special_tokens)
