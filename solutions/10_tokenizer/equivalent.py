"""Changes in the answers of module 10 that no valid input can tell from them."""

EQUIVALENT = {
    "char-tokenizer": """
        A KeyError has one argument, the first and the last: the key.
        - raise ValueError(f'{error.args[0]!r} is not among the {self.n_vocab} known characters') from None
        + raise ValueError(f'{error.args[-1]!r} is not among the {self.n_vocab} known characters') from None
        - raise KeyError(f'id {error.args[0]} is not among the {self.n_vocab} known ids') from None
        + raise KeyError(f'id {error.args[-1]} is not among the {self.n_vocab} known ids') from None
    """,
    "bytes-to-unicode": """
        Byte 255 is printable, so it is none of the others.
        - others = [byte for byte in range(256) if byte not in printable]
        + others = [byte for byte in range(255) if byte not in printable]
    """,
    "decode": """
        A KeyError has one argument, the first and the last: the key.
        - raise KeyError(f'id {error.args[0]} is not in the vocabulary of {len(tokens)} tokens') from None
        + raise KeyError(f'id {error.args[-1]} is not in the vocabulary of {len(tokens)} tokens') from None
    """,
    "split-stream": """
        One more piece is held back than needs to be, of the last few.
        - keep = max(map(len, special_tokens), default=1) + 1
        + keep = max(map(len, special_tokens), default=2) + 1
        + keep = max(map(len, special_tokens), default=1) + 2

        A first chunk without a character has no pieces, and any other is split.
        - held, enough = ('', 0)
        + held, enough = ('', 1)
        + held, enough = ('', -1)

        When what is held is split again is a matter of speed: the pieces are the same.
        - if len(held) >= enough:
        + if True:
        + if len(held) > enough:
        - enough = 2 * len(held)
        + pass
        + enough = 3 * len(held)
        + enough = 1 * len(held)
    """,
    "encode-stream": """
        What is in a set is in the list of which it was made.
        - refused = set(refused)
        + pass

        A union has no order.
        - for piece in split_stream(chunks, special_ids.keys() | refused):
        + for piece in split_stream(chunks, refused | special_ids.keys()):
    """,
}
