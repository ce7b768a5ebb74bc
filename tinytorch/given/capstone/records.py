"""Records of judged entries: signed off, and recognised when they were changed since."""

import hashlib
import json

__all__ = ["is_intact", "sign_off"]


def sign_off(record):
    """Return a copy of a record with the fingerprint of its content under "sha256".

    The fingerprint is the SHA-256, in hexadecimal, of json.dumps(content, sort_keys=True), where content
    is the record without its "sha256".

    >>> sign_off({"a": 1})["sha256"][:16]
    'f9d86028c6e0d64e'
    """
    content = {key: value for key, value in record.items() if key != "sha256"}
    text = json.dumps(content, sort_keys=True)
    return content | {"sha256": hashlib.sha256(text.encode()).hexdigest()}


def is_intact(record):
    """Return whether a record has a fingerprint that matches its content.

    >>> record = sign_off({"verdict": "wins"})
    >>> is_intact(record), is_intact(record | {"verdict": "loses"}), is_intact({})
    (True, False, False)
    """
    return record.get("sha256") == sign_off(record)["sha256"]
