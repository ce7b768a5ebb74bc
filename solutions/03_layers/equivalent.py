"""Changes in the answers of module 03 that no valid input can tell from them."""

EQUIVALENT = {
    "linear-forward": """
        A weight has two dimensions.
        - return output.reshape(x.shape[:-1] + weight.shape[:-1])
        + return output.reshape(x.shape[:-1] + weight.shape[:+1])
    """,
    "linear-layer": """
        Until module 17 there is one device, and the weight has refused every other by then.
        - self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        + self.bias = Parameter(empty(out_features, dtype=dtype))
    """,
    "sequential": """
        The only argument is the last one too.
        - if len(args) == 1 and isinstance(args[0], OrderedDict):
        + if len(args) == 1 and isinstance(args[-1], OrderedDict):
        - named = args[0].items()
        + named = args[-1].items()
    """,
    "load-state-dict": """
        A detached tensor has the same shape, type and memory.
        - own = module.state_dict(keep_vars=True)
        + own = module.state_dict()
        + own = module.state_dict(keep_vars=False)
    """,
}
