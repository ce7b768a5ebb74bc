"""Changes in the answers of module 16 that no valid input can tell from them."""

EQUIVALENT = {
    "magnitude-mask": """
        NumPy takes every negative length for the one that it is to find.
        - mask.reshape(-1)[smallest] = 0
        + mask.reshape(-2)[smallest] = 0
    """,
    "masked-parameter": """
        A Parameter takes the place of whatever a module has under its name.
        - delattr(module, name)
        + pass
    """,
    "schedule": """
        The smaller and the larger of two numbers are the same in either order.
        - progress = min(max((step - self.begin) / (self.end - self.begin), 0), 1)
        + progress = min(1, max((step - self.begin) / (self.end - self.begin), 0))
        + progress = min(max(0, (step - self.begin) / (self.end - self.begin)), 1)

        What can be divided can be with the other sign, too.
        - regular = (self.steps - self.begin) % self.every == 0
        + regular = (self.begin - self.steps) % self.every == 0

        At begin nothing is to be zero yet, and end is asked for by itself.
        - if self.steps == self.end or (self.begin <= self.steps < self.end and regular):
        + if self.steps == self.end or (self.begin < self.steps < self.end and regular):
        + if self.steps == self.end or (self.begin <= self.steps <= self.end and regular):
    """,
    "smaller-layers": """
        NumPy takes every negative length for the one that it is to find.
        - strength = np.abs(weight).reshape(len(weight), -1).sum(1)
        + strength = np.abs(weight).reshape(len(weight), -2).sum(1)
    """,
    "factorize": """
        Of the whole matrices the first columns and rows are taken all the same.
        - U, s, Vt = np.linalg.svd(layer.weight.detach().numpy(), full_matrices=False)
        + U, s, Vt = np.linalg.svd(layer.weight.detach().numpy())
        + U, s, Vt = np.linalg.svd(layer.weight.detach().numpy(), full_matrices=True)

        The second layer has a bias where the first one has.
        - if layer.bias is not None:
        + if second.bias is not None:
    """,
    "kmeans": """
        The largest number belongs to the last center, or else all centers are equal.
        - sizes = np.bincount(codes, minlength=count)
        + sizes = np.bincount(codes)
        - sums = np.bincount(codes, weights=values, minlength=count)
        + sums = np.bincount(codes, weights=values)

        The larger of two numbers is the same in either order.
        - centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
        + centers = np.where(sizes > 0, sums / np.maximum(1, sizes), centers)
    """,
    "pareto-front": """
        Both have to hold, whichever is asked first.
        - return ~(as_good & better).any(1)
        + return ~(better & as_good).any(1)
    """,
}
