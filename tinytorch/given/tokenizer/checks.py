"""What makes a vocabulary whole; it asks `byte_vocabulary` for the bytes."""

from tinytorch.tokenizer import byte_vocabulary

__all__ = ["check_vocabulary"]


def check_vocabulary(vocabulary, special_tokens):
    """Refuse a vocabulary that lacks a byte, or special tokens that are empty or take an id twice."""
    if missing := byte_vocabulary().keys() - vocabulary:
        raise ValueError(f"the vocabulary lacks {len(missing)} of the 256 bytes, {min(missing)!r} for one")
    if "" in special_tokens:
        raise ValueError("a special token cannot be empty")
    ids = [*vocabulary.values(), *special_tokens.values()]
    if len(set(ids)) < len(ids):
        raise ValueError("two tokens have the same id")
