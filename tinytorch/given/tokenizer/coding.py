"""What training, encoding and decoding are: `train_bpe`, `encode_iterable` and `decode_bytes`, as methods."""

from tinytorch.given import methods_of
from tinytorch.tokenizer import BPETokenizer, count_words, decode_bytes, split_stream, train_bpe

__all__ = []


@methods_of(BPETokenizer)
class Coding:
    @classmethod
    def train(cls, text, vocab_size, special_tokens=()):
        """Learn a tokenizer from a text.

        Args:
            text: a str, or an iterable of str that is read once, chunk by chunk.
            vocab_size: how many ids there should be: 256 bytes, merges, and the special tokens, which come
                last. A small text may have fewer merges to offer.
            special_tokens: strings to be found before the text is split; they take no part in the counting.

        Raises:
            ValueError: if vocab_size has no room for the bytes and the special tokens.

        >>> tokenizer = BPETokenizer.train("low lower lowest", vocab_size=260, special_tokens=["<|end|>"])
        >>> tokenizer.encode("lower<|end|>", allowed_special={"<|end|>"})
        [257, 68, 81, 259]
        >>> tokenizer.decode([257, 68, 81, 259])
        'lower<|end|>'
        """
        special_tokens = list(dict.fromkeys(special_tokens))
        least = 256 + len(special_tokens)
        if vocab_size < least:
            raise ValueError(f"vocab_size is {vocab_size}, but bytes and special tokens alone are {least}")
        pieces = split_stream([text] if isinstance(text, str) else text, special_tokens)
        words = count_words(piece for piece in pieces if piece not in special_tokens)
        vocabulary, merges = train_bpe(words, vocab_size - len(special_tokens))
        special = {token: len(vocabulary) + i for i, token in enumerate(special_tokens)}
        return cls(vocabulary, merges, special)

    @property
    def n_vocab(self):
        """The number of rows that an embedding of these ids needs: the largest id and one."""
        return max(self.tokens) + 1

    def encode(self, text, *, allowed_special=frozenset(), disallowed_special="all"):
        """Turn text into a list of ids.

        Args:
            text: a str.
            allowed_special: the special tokens that become their own id, a set of them or "all".
            disallowed_special: those that are an error, a set of them or "all" that were not allowed; what is
                neither is encoded as ordinary text.

        Raises:
            ValueError: if the text contains a special token that is an error, or if one was allowed that this
                tokenizer does not have.
        """
        special = {"allowed_special": allowed_special, "disallowed_special": disallowed_special}
        return list(self.encode_iterable([text], **special))

    def decode(self, ids, errors="replace"):
        """Turn ids into text; what is no UTF-8 becomes U+FFFD, or what `errors` says, as in bytes.decode."""
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_bytes(self, ids):
        """Turn ids into bytes; an id that does not exist is a KeyError."""
        return decode_bytes(ids, self.tokens)
