"""Mistakes in the stubs of module 21."""

MISTAKES = {
    "top-experts": """
        The softmax is over all experts, so the weights do not add up to 1. (hint 2)
        - highest, chosen = scores.topk(k)
        - return softmax(highest, -1), chosen
        + highest, chosen = softmax(scores, -1).topk(k)
        + return highest, chosen

        The softmax is over the tokens. (hint 2)
        - return softmax(highest, -1), chosen
        + return softmax(highest, 0), chosen

        The lowest scores are chosen.
        - highest, chosen = scores.topk(k)
        + highest, chosen = scores.topk(k, largest=False)
    """,
    "load-balance": """
        The number of experts is left out.
        - return experts * (fraction * softmax(scores, -1).mean(0)).sum()
        + return (fraction * softmax(scores, -1).mean(0)).sum()

        Counts are not divided by how many were chosen.
        - fraction = chosen.flatten().bincount(minlength=experts) / chosen.numel()
        + fraction = chosen.flatten().bincount(minlength=experts)

        The probabilities are those of each expert over the tokens.
        - return experts * (fraction * softmax(scores, -1).mean(0)).sum()
        + return experts * (fraction * softmax(scores, 0).mean(0)).sum()
    """,
}
