"""Changes in the answers of module 08 that no valid input can tell from them."""

EQUIVALENT = {
    "total-norm": """
        NumPy takes every negative length for the one that it is to find.
        - norms = [float(np.linalg.norm(array.reshape(-1), norm_type)) for array in arrays]
        + norms = [float(np.linalg.norm(array.reshape(-2), norm_type)) for array in arrays]
    """,
    "clip": """
        A factor of 1 changes nothing.
        - if not factor >= 1:
        + if not factor > 1:
    """,
    "advance": """
        There is one rate for each group.
        - for group, rate in zip(scheduler.optimizer.param_groups, rates, strict=True):
        + for group, rate in zip(scheduler.optimizer.param_groups, rates):
        + for group, rate in zip(scheduler.optimizer.param_groups, rates, strict=False):
    """,
    "warmup-cosine": """
        The smaller and the larger of two numbers are the same in either order.
        - progress = min(1.0, (step - warmup) / max(1, total - warmup))
        + progress = min((step - warmup) / max(1, total - warmup), 1.0)
        + progress = min(1.0, (step - warmup) / max(total - warmup, 1))
    """,
}
