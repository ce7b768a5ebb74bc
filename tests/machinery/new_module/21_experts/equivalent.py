"""Mechanical changes of the answers of module 21 that make no difference."""

EQUIVALENT = {
    "load-balance": """
        Without a dimension softmax takes the last of two.
        - return experts * (fraction * softmax(scores, -1).mean(0)).sum()
        + return experts * (fraction * softmax(scores).mean(0)).sum()
    """,
}
