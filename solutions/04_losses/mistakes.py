"""Planted mistakes of module 04: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "reduced": """
        Ignores the total. (hint 2)
        - return losses.mean() if total is None else losses.sum() / total
        + return losses.mean()

        Does not refuse an unknown reduction. (hint 3)
        - if reduction == "mean":
        -     return losses.mean() if total is None else losses.sum() / total
        - raise ValueError(f"{reduction} is not a valid value for reduction")
        + return losses.mean() if total is None else losses.sum() / total

        Divides the sum too, which makes a mean of it.
        - return losses.sum()
        + return losses.sum() / (losses.numel() if total is None else total)

        Treats a total of 0 as no total. (hint 2)
        - return losses.mean() if total is None else losses.sum() / total
        + return losses.sum() / total if total else losses.mean()
    """,
    "gaussian-nll": """
        Computes the density before its logarithm, which is -inf where the density is 0. (hint 2)
        + density = (-0.5 * difference * difference / var).exp() / var.sqrt()
        + losses = -density.log()
        + return losses + 0.5 * math.log(2 * math.pi) if full else losses

        Lacks the logarithm of the variance, which keeps the variance from growing. (hint 1)
        - losses = 0.5 * (var.log() + difference * difference / var)
        + losses = 0.5 * difference * difference / var

        Treats the variance as a standard deviation. (hint 3)
        - losses = 0.5 * (var.log() + difference * difference / var)
        + losses = var.log() + 0.5 * difference * difference / (var * var)

        Forgets the root, so that the logarithm counts twice. (hint 1)
        - losses = 0.5 * (var.log() + difference * difference / var)
        + losses = var.log() + 0.5 * difference * difference / var

        Always adds the constant. (hint 3)
        - return losses + 0.5 * math.log(2 * math.pi) if full else losses
        + return losses + 0.5 * math.log(2 * math.pi)

        Detaches the variance from the graph.
        - losses = 0.5 * (var.log() + difference * difference / var)
        + losses = 0.5 * (var.detach().log() + difference * difference / var.detach())
    """,
    "huber": """
        Forgets the half inside the brackets. (hint 3)
        - return inside * (size - 0.5 * inside)
        + return inside * size

        Continues with slope 1, whatever delta is. (hint 1)
        - return inside * (size - 0.5 * inside)
        + return 0.5 * inside * inside + (size - inside)

        Clamps the difference, so that a large mistake has no slope at all. (hint 1)
        - return inside * (size - 0.5 * inside)
        + return 0.5 * inside * inside

        Divides by delta, which is another loss, smooth_l1_loss.
        - return inside * (size - 0.5 * inside)
        + return inside * (size - 0.5 * inside) / delta

        Loses the gradient, because the absolute value is computed outside of the graph.
        - size = difference.abs()
        + size = difference.detach().abs()
    """,
    "nll-loss": """
        Divides by the number of positions, whatever their weights. (hint 2)
        - return reduced(losses, reduction, counts.sum())
        + return reduced(losses, reduction)

        Looks along the last dimension for the classes. (hint 1)
        - picked = input.gather(dim, classes.unsqueeze(dim)).squeeze(dim)
        + rows = input.reshape(-1, input.shape[-1])
        + picked = rows.gather(1, classes.reshape(-1, 1)).reshape(classes.shape)

        Lets ignored positions count as class 0. (hint 2)
        - counts = kept if weight is None else weight[classes] * kept
        + counts = kept * 0 + 1 if weight is None else weight[classes]
        ...
        - losses = -picked.masked_fill(~kept, 0) * counts
        + losses = -picked * counts

        Gives NaN where the target is ignored, as -inf times 0 is. (hint 3)
        - losses = -picked.masked_fill(~kept, 0) * counts
        + losses = -picked * counts

        Forgets the minus, so that the loss grows with the probability of the right class.
        - losses = -picked.masked_fill(~kept, 0) * counts
        + losses = picked.masked_fill(~kept, 0) * counts

        Lets ignored positions count in the mean, where there are weights. (hint 2)
        - counts = kept if weight is None else weight[classes] * kept
        + counts = kept if weight is None else weight[classes]

        Divides by at least 1, so that small weights, or nothing to count, go wrong.
        - return reduced(losses, reduction, counts.sum())
        + return reduced(losses, reduction, counts.sum().clamp(min=1))
    """,
    "row-losses": """
        Picks after the scores have been exponentiated in place. (hint 1)
        - picked = np.take_along_axis(shifted, classes, axis=1)
        - sums = np.exp(shifted, out=shifted).sum(axis=1, keepdims=True)
        + sums = np.exp(shifted, out=shifted).sum(axis=1, keepdims=True)
        + picked = np.take_along_axis(shifted, classes, axis=1)

        Subtracts a score near 1000 from a log-sum-exp near 1000, where float32 has steps of 6e-5. (hint 1)
        - return np.log(sums) - picked, largest, sums
        + return np.log(sums) + largest - np.take_along_axis(x, classes, axis=1), largest, sums

        Takes the logarithm of a probability that has become 0. (hint 3)
        - picked = np.take_along_axis(shifted, classes, axis=1)
        ...
        - return np.log(sums) - picked, largest, sums
        + return -np.log(np.take_along_axis(shifted / sums, classes, axis=1)), largest, sums

        Shifts in place, and with it the caller's scores.
        - shifted = x - largest  # (N, C, ...), the only array of that size
        + x -= largest
        + shifted = x

        Works along the last axis, which is not always the classes'. (hint 2)
        - largest = x.max(axis=1, keepdims=True, initial=-np.inf)
        + largest = x.max(axis=-1, keepdims=True, initial=-np.inf)
        ...
        - sums = np.exp(shifted, out=shifted).sum(axis=1, keepdims=True)
        + sums = np.exp(shifted, out=shifted).sum(axis=-1, keepdims=True)
    """,
    "soft-cross-entropy": """
        Takes the mean over all numbers, the classes too. (hint 3)
        - return reduced(losses, reduction)
        + losses = losses / input.shape[dim] if reduction == "mean" else losses
        + return reduced(losses, reduction)

        Gives each class the whole share, not a C-th of it. (hint 1)
        - target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        + target = target * (1 - label_smoothing) + label_smoothing

        Lets the weights broadcast against the last dimension. (hint 2)
        - target = target * weight.reshape([-1 if d == dim else 1 for d in range(input.ndim)])
        + target = target * weight

        Takes the logarithm of a probability, which may be 0.
        - losses = -(log_softmax(input, dim) * target).sum(dim)
        + losses = -(log_softmax(input, dim).exp().log() * target).sum(dim)

        Takes the share from the target, but does not distribute it. (hint 1)
        - target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        + target = target * (1 - label_smoothing)

        Weights the target before it is smoothed, so that the share of all classes has no weights. (hint 1)
        - target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        - if weight is not None:
        + if weight is not None:
        ...
        - losses = -(log_softmax(input, dim) * target).sum(dim)
        + target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        + losses = -(log_softmax(input, dim) * target).sum(dim)

        Divides the mean by the weights of the targets, as for classes. (hint 3)
        - return reduced(losses, reduction)
        + return reduced(losses, reduction, None if weight is None else target.sum())
    """,
    "binary-cross-entropy": """
        Has no limit, so that it is infinite or NaN where the network was certain. (hint 1)
        - log_p, log_q = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
        + log_p, log_q = np.log(x), np.log1p(-x)

        Rounds a small probability away when it subtracts it from 1. (hint 1)
        - log_p, log_q = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
        + log_p, log_q = np.maximum(np.log(x), -100), np.maximum(np.log(1 - x), -100)

        Adds a small number inside the logarithms, which limits them to another value. (hint 1)
        - log_p, log_q = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
        + log_p, log_q = np.log(x + 1e-12), np.log(1 - x + 1e-12)

        Forgets the term for targets of no.
        - return (target - 1) * log_q - target * log_p
        + return -target * log_p

        Saves the target before the probabilities. (hint 3)
        - ctx.save_for_backward(x, target)
        + ctx.save_for_backward(target, x)
    """,
    "binary-cross-entropy-with-logits": """
        Goes through the probability, so that a wrong score of 1000 costs 100. (hint 3)
        + log_p, log_q = (
        +     input.sigmoid().log().clamp(min=-100),
        +     (1 - input.sigmoid()).log().clamp(min=-100),
        + )
        + factor = 1 if pos_weight is None else pos_weight
        + losses = -(factor * target * log_p + (1 - target) * log_q)
        + return reduced(losses if weight is None else losses * weight, reduction)

        Lets pos_weight count for a no as well. (hint 1)
        - factor = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
        + factor = 1 if pos_weight is None else pos_weight

        Exchanges yes and no in the first term. (hint 2)
        - losses = (1 - target) * input + factor * softplus(-input, threshold=math.inf)
        + losses = target * input + factor * softplus(-input, threshold=math.inf)

        Computes exp before the logarithm, which overflows at 89. (hint 3)
        - losses = (1 - target) * input + factor * softplus(-input, threshold=math.inf)
        + losses = (1 - target) * input + factor * (1 + (-input).exp()).log()

        Keeps softplus's threshold, beyond which it is not exact in float64. (hint 3)
        - losses = (1 - target) * input + factor * softplus(-input, threshold=math.inf)
        + losses = (1 - target) * input + factor * softplus(-input)

        Divides the mean by the weights.
        - return reduced(losses if weight is None else losses * weight, reduction)
        + return weighted(losses, None if weight is None else weight.expand(losses.shape), reduction)
    """,
    "kl-div": """
        Exchanges the two distributions.
        + target = target if log_target else target.log()
        + losses = input.exp() * (input - target)
        + if reduction == "batchmean":
        +     return reduced(losses, "mean", input.shape[0])
        + return reduced(losses, reduction)

        Treats the input as probabilities, although it is their logarithm. (hint 1)
        - if log_target:
        -     losses = target.exp() * (target - input)
        - else:
        -     with np.errstate(divide="ignore", invalid="ignore"):
        -         losses = where(target == 0, 0.0, target * target.log()) - target * input
        + target = target.exp() if log_target else target
        + losses = target * (target.log() - input.exp())

        Multiplies 0 by the logarithm of 0. (hint 2)
        - losses = where(target == 0, 0.0, target * target.log()) - target * input
        + losses = target * target.log() - target * input

        Treats "batchmean" as the mean over all elements. (hint 3)
        - if reduction == "batchmean":
        -     return reduced(losses, "mean", input.shape[0] if input.ndim else 1)
        - return reduced(losses, reduction)
        + return reduced(losses, "mean" if reduction == "batchmean" else reduction)

        Divides "batchmean" by another length than the input's, which may be broadcast. (hint 3)
        - return reduced(losses, "mean", input.shape[0] if input.ndim else 1)
        + return reduced(losses, "mean", target.shape[0] if target.ndim else 1)
    """,
}
