"""Changes in the answers of module 11 that no valid input can tell from them."""

EQUIVALENT = {
    "lookup-gradient": """
        No index equals None, so every gradient is multiplied by one.
        - if padding_idx is not None:
        + if True:
        + if shape is not None:
    """,
}
