"""Probes of module 21."""


@probe("top-experts")
def weights_and_indices(rng):
    experts = int(rng.integers(2, 7))
    scores = tensor(rng.normal(size=(int(rng.integers(1, 6)), experts)))
    weights, chosen = top_experts(scores, int(rng.integers(1, experts + 1)))
    return weights.numpy(), chosen.numpy()


@probe("load-balance")
def the_loss_of_some_choice(rng):
    tokens, experts = rng.integers(1, 7, 2).tolist()
    scores = tensor(rng.normal(size=(tokens, experts)))
    return load_balance(scores, tensor(rng.integers(0, experts, (tokens, 2)))).item()
