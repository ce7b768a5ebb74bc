"""Changes in the answers of module 19 that no valid input can tell from them."""

EQUIVALENT = {
    "autocorrelation": """
        The sign goes out of each product.
        - x = x - x.mean()
        + x = x.mean() - x
    """,
    "compare": """
        The ends come through logarithms and exponentials: only by chance is a width exactly what the precision allows.
        - return precision is not None and high - low <= 2 * precision * ratio
        + return precision is not None and high - low < 2 * precision * ratio
    """,
    "drift": """
        Kendall's test is symmetric.
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if n < 8 or not stats.kendalltau(times, range(n)).pvalue < 0.01:

        No count of pairs in the wrong order, of 8 times or more, has a p-value of just 0.01.
        - if n < 8 or not stats.kendalltau(range(n), times).pvalue < 0.01:
        + if n < 8 or not stats.kendalltau(range(n), times).pvalue <= 0.01:
    """,
    "time-pair": """
        Both places are filled before they are read.
        - seconds = [0.0, 0.0]
        + seconds = [1.0, 0.0]
        + seconds = [0.0, 1.0]

        Heads for tails is the same coin, and it never stands on its edge.
        - for place, run in programs if rng.random() < 0.5 else programs[::-1]:
        + for place, run in programs if rng.random() <= 0.5 else programs[::-1]:
        + for place, run in programs if rng.random() > 0.5 else programs[::-1]:
    """,
}
