"""Planted mistakes of module 04: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "reduced": """
        Ignores the total.
        - return losses.mean() if total is None else losses.sum() / total
        + return losses.mean()

        Takes whatever it does not know for a mean.
        - if reduction == "mean":
        -     return losses.mean() if total is None else losses.sum() / total
        - raise ValueError(f"{reduction} is not a valid value for reduction")
        + return losses.mean() if total is None else losses.sum() / total

        Divides the sum as well.
        - return losses.sum()
        + return losses.sum() / (losses.numel() if total is None else total)

        Takes a total of 0 for no total.
        - return losses.mean() if total is None else losses.sum() / total
        + return losses.sum() / total if total else losses.mean()
    """,
    "mse-loss": """
        Squares the mean of the differences.
        - return weighted(difference * difference, weight, reduction)
        + mean = weighted(difference, weight, reduction)
        + return mean * mean

        Halves the squares, as many textbooks do.
        - return weighted(difference * difference, weight, reduction)
        + return weighted(0.5 * difference * difference, weight, reduction)

        Broadcasts without a word.
        - difference = subtract(input, target)
        + difference = input - target

        Forgets the weights.
        - return weighted(difference * difference, weight, reduction)
        + return reduced(difference * difference, reduction)

        Computes with NumPy, which gradients cannot follow.
        - difference = subtract(input, target)
        + difference = subtract(input, target).detach()
    """,
    "huber": """
        Forgets the half, so that the line begins beside the square's end.
        - return inside * (size - 0.5 * inside)
        + return inside * size

        Goes on with slope 1 whatever delta is.
        - return inside * (size - 0.5 * inside)
        + return 0.5 * inside * inside + (size - inside)

        Clamps the difference, so that a large mistake has no slope at all.
        - return inside * (size - 0.5 * inside)
        + return 0.5 * inside * inside

        Divides by delta, which is another function: smooth_l1_loss.
        - return inside * (size - 0.5 * inside)
        + return inside * (size - 0.5 * inside) / delta
    """,
    "nll-loss": """
        Divides by the number of positions, whatever they count.
        - return reduced(losses, reduction, counts.sum())
        + return reduced(losses, reduction)

        Looks along the last dimension for the classes.
        - picked = input.gather(dim, classes.unsqueeze(dim)).squeeze(dim)
        + rows = input.reshape(-1, input.shape[-1])
        + picked = rows.gather(1, classes.reshape(-1, 1)).reshape(classes.shape)

        Lets ignored positions count as class 0.
        - counts = kept if weight is None else weight[classes] * kept
        + counts = kept * 0 + 1 if weight is None else weight[classes]
        ...
        - losses = -picked.masked_fill(~kept, 0) * counts
        + losses = -picked * counts

        Multiplies -inf by 0 where the target is ignored.
        - losses = -picked.masked_fill(~kept, 0) * counts
        + losses = -picked * counts

        Forgets the minus: the better the answer, the larger the loss.
        - losses = -picked.masked_fill(~kept, 0) * counts
        + losses = picked.masked_fill(~kept, 0) * counts
    """,
    "row-losses": """
        Picks after the scores have been exponentiated in place.
        - picked = np.take_along_axis(shifted, classes, axis=1)
        - sums = np.exp(shifted, out=shifted).sum(axis=1, keepdims=True)
        + sums = np.exp(shifted, out=shifted).sum(axis=1, keepdims=True)
        + picked = np.take_along_axis(shifted, classes, axis=1)

        Subtracts a score near 1000 from a log-sum-exp near 1000, where float32 has steps of 6e-5.
        - return np.log(sums) - picked, largest, sums
        + return np.log(sums) + largest - np.take_along_axis(x, classes, axis=1), largest, sums

        Takes the logarithm of a probability that has become 0.
        - picked = np.take_along_axis(shifted, classes, axis=1)
        ...
        - return np.log(sums) - picked, largest, sums
        + return -np.log(np.take_along_axis(shifted / sums, classes, axis=1)), largest, sums

        Shifts in place, and with it the caller's scores.
        - shifted = x - largest  # (N, C, ...), the only array of that size
        + x -= largest
        + shifted = x

        Works along the last axis.
        - largest = x.max(axis=1, keepdims=True, initial=-np.inf)
        + largest = x.max(axis=-1, keepdims=True, initial=-np.inf)
        ...
        - sums = np.exp(shifted, out=shifted).sum(axis=1, keepdims=True)
        + sums = np.exp(shifted, out=shifted).sum(axis=-1, keepdims=True)
    """,
    "soft-cross-entropy": """
        Means over all numbers, the classes too.
        - return reduced(losses, reduction)
        + losses = losses / input.shape[dim] if reduction == "mean" else losses
        + return reduced(losses, reduction)

        Gives each class the whole share.
        - target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        + target = target * (1 - label_smoothing) + label_smoothing

        Lets the weights broadcast against the last dimension.
        - target = target * weight.reshape([-1 if d == dim else 1 for d in range(input.ndim)])
        + target = target * weight

        Takes the logarithm of softmax, which may be 0.
        - losses = -(log_softmax(input, dim) * target).sum(dim)
        + losses = -(log_softmax(input, dim).exp().log() * target).sum(dim)

        Smooths what is already in the target only, and shares nothing out.
        - target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        + target = target * (1 - label_smoothing)
    """,
    "binary-cross-entropy": """
        Has no limit: infinity, or NaN, where the network was sure.
        - log_p, log_q = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
        + log_p, log_q = np.log(x), np.log1p(-x)

        Rounds a small probability away when it subtracts it from 1.
        - log_p, log_q = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
        + log_p, log_q = np.maximum(np.log(x), -100), np.maximum(np.log(1 - x), -100)

        Adds a small number inside the logarithms, which limits them elsewhere.
        - log_p, log_q = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
        + log_p, log_q = np.log(x + 1e-12), np.log(1 - x + 1e-12)

        Forgets what the answer no costs.
        - return (target - 1) * log_q - target * log_p
        + return -target * log_p

        Saves the target first.
        - ctx.save_for_backward(x, target)
        + ctx.save_for_backward(target, x)
    """,
    "binary-cross-entropy-with-logits": """
        Goes through the probability, so that a score of 1000 costs 100.
        + log_p, log_q = (
        +     input.sigmoid().log().clamp(min=-100),
        +     (1 - input.sigmoid()).log().clamp(min=-100),
        + )
        + factor = 1 if pos_weight is None else pos_weight
        + losses = -(factor * target * log_p + (1 - target) * log_q)
        + return reduced(losses if weight is None else losses * weight, reduction)

        Lets pos_weight count for a no as well.
        - factor = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
        + factor = 1 if pos_weight is None else pos_weight

        Has yes and no the wrong way round.
        - losses = (1 - target) * input + factor * softplus(-input, threshold=math.inf)
        + losses = target * input + factor * softplus(-input, threshold=math.inf)

        Computes exp before the logarithm, which overflows at 89.
        - losses = (1 - target) * input + factor * softplus(-input, threshold=math.inf)
        + losses = (1 - target) * input + factor * (1 + (-input).exp()).log()
    """,
    "kl-div": """
        Measures the other way round.
        + target = target if log_target else target.log()
        + losses = input.exp() * (input - target)
        + if reduction == "batchmean":
        +     return reduced(losses, "mean", input.shape[0])
        + return reduced(losses, reduction)

        Takes the logarithm of what is already one.
        - if log_target:
        -     losses = target.exp() * (target - input)
        - else:
        -     with np.errstate(divide="ignore", invalid="ignore"):
        -         losses = where(target == 0, 0.0, target * target.log()) - target * input
        + target = target.exp() if log_target else target
        + losses = target * (target.log() - input.exp())

        Multiplies 0 by the logarithm of 0.
        - losses = where(target == 0, 0.0, target * target.log()) - target * input
        + losses = target * target.log() - target * input

        Takes batchmean for a mean over everything.
        - if reduction == "batchmean":
        -     return reduced(losses, "mean", input.shape[0] if input.ndim else 1)
        - return reduced(losses, reduction)
        + return reduced(losses, "mean" if reduction == "batchmean" else reduction)
    """,
}
