"""What makes a vocabulary whole, as `byte_vocabulary` has the bytes, and which special tokens are meant."""

from tinytorch.tokenizer import byte_vocabulary

__all__ = ["check_vocabulary", "special_sets"]


def check_vocabulary(vocabulary, special_tokens):
    """Refuse a vocabulary that lacks a byte, or special tokens that are empty or take an id twice."""
    if missing := byte_vocabulary().keys() - vocabulary:
        raise ValueError(f"the vocabulary lacks {len(missing)} of the 256 bytes, {min(missing)!r} for one")
    if "" in special_tokens:
        raise ValueError("a special token cannot be empty")
    ids = [*vocabulary.values(), *special_tokens.values()]
    if len(set(ids)) < len(ids):
        raise ValueError("two tokens have the same id")


def special_sets(known, allowed_special, disallowed_special):
    """The special tokens that become their own ids, and those that are an error, as `encode` was asked."""
    allowed = set(known if allowed_special == "all" else allowed_special)
    refused = set(known - allowed if disallowed_special == "all" else disallowed_special)
    if unknown := allowed - known:
        raise ValueError(f"{min(unknown)!r} is not a special token here; there is {list(known)}")
    return allowed, refused
