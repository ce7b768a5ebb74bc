"""Planted mistakes of module 04: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "reduced": """
        Ignores the total.
        + if reduction == "none":
        +     return losses
        + if reduction not in ("mean", "sum"):
        +     raise ValueError(f"{reduction} is not a valid value for reduction")
        + return losses.sum() if reduction == "sum" else losses.mean()

        Takes whatever it does not know for a mean.
        - if reduction == "mean":
        -     return losses.mean() if total is None else losses.sum() / total
        - raise ValueError(f"{reduction} is not a valid value for reduction")
        + return losses.mean() if total is None else losses.sum() / total

        Divides the sum as well.
        + if reduction == "none":
        +     return losses
        + if reduction not in ("mean", "sum"):
        +     raise ValueError(f"{reduction} is not a valid value for reduction")
        + return losses.sum() / (losses.numel() if total is None else total)

        Takes a total of 0 for no total.
        - return losses.mean() if total is None else losses.sum() / total
        + return losses.sum() / total if total else losses.mean()
    """,
    "mse-loss": """
        Squares the mean of the differences.
        + mean = weighted(subtract(input, target), weight, reduction)
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
        + inside = difference.abs().clamp(max=delta)
        + return 0.5 * inside * inside

        Divides by delta, which is another function: smooth_l1_loss.
        - return inside * (size - 0.5 * inside)
        + return inside * (size - 0.5 * inside) / delta
    """,
    "nll-loss": """
        Divides by the number of positions, whatever they count.
        - kept, classes = map(
        -     wrap, lookup(target.array, input.shape[dim], ignore_index)
        - )  # Tensors of target's shape
        + kept, classes = map(wrap, lookup(target.array, input.shape[dim], ignore_index))
        ...
        - losses = -picked.masked_fill(~kept, 0) * counts
        - return reduced(losses, reduction, counts.sum())
        + return reduced((-picked * counts).masked_fill(~kept, 0), reduction)

        Looks along the last dimension for the classes.
        - kept, classes = map(
        -     wrap, lookup(target.array, input.shape[dim], ignore_index)
        - )  # Tensors of target's shape
        + kept, classes = map(wrap, lookup(target.array, input.shape[dim], ignore_index))
        ...
        - picked = input.gather(dim, classes.unsqueeze(dim)).squeeze(dim)
        - losses = -picked.masked_fill(~kept, 0) * counts
        - return reduced(losses, reduction, counts.sum())
        + picked = (
        +     input.reshape(-1, input.shape[-1])
        +     .gather(1, classes.reshape(-1, 1))
        +     .reshape(classes.shape)
        + )
        + return reduced((-picked * counts).masked_fill(~kept, 0), reduction, counts.sum())

        Lets ignored positions count as class 0.
        - kept, classes = map(
        -     wrap, lookup(target.array, input.shape[dim], ignore_index)
        - )  # Tensors of target's shape
        + kept, classes = map(wrap, lookup(target.array, input.shape[dim], ignore_index))
        + counts = kept * 0 + 1 if weight is None else weight[classes]
        ...
        - counts = kept if weight is None else weight[classes] * kept
        ...
        - losses = -picked.masked_fill(~kept, 0) * counts
        - return reduced(losses, reduction, counts.sum())
        + return reduced(-picked * counts, reduction, counts.sum())

        Multiplies -inf by 0 where the target is ignored.
        - kept, classes = map(
        -     wrap, lookup(target.array, input.shape[dim], ignore_index)
        - )  # Tensors of target's shape
        + kept, classes = map(wrap, lookup(target.array, input.shape[dim], ignore_index))
        ...
        - losses = -picked.masked_fill(~kept, 0) * counts
        - return reduced(losses, reduction, counts.sum())
        + return reduced(-picked * counts, reduction, counts.sum())

        Forgets the minus: the better the answer, the larger the loss.
        - kept, classes = map(
        -     wrap, lookup(target.array, input.shape[dim], ignore_index)
        - )  # Tensors of target's shape
        + kept, classes = map(wrap, lookup(target.array, input.shape[dim], ignore_index))
        ...
        - losses = -picked.masked_fill(~kept, 0) * counts
        - return reduced(losses, reduction, counts.sum())
        + return reduced((picked * counts).masked_fill(~kept, 0), reduction, counts.sum())
    """,
    "row-losses": """
        Picks after the scores have been exponentiated in place.
        + largest = x.max(axis=1, keepdims=True)
        + shifted = x - largest
        + sums = np.exp(shifted, out=shifted).sum(axis=1, keepdims=True)
        + picked = np.take_along_axis(shifted, classes, axis=1)
        + return np.log(sums) - picked, largest, sums

        Subtracts a score near 1000 from a log-sum-exp near 1000, where float32 has steps of 6e-5.
        + largest = x.max(axis=1, keepdims=True)
        + sums = np.exp(x - largest).sum(axis=1, keepdims=True)
        + return np.log(sums) + largest - np.take_along_axis(x, classes, axis=1), largest, sums

        Takes the logarithm of a probability that has become 0.
        + largest = x.max(axis=1, keepdims=True)
        + exps = np.exp(x - largest)
        + sums = exps.sum(axis=1, keepdims=True)
        + return -np.log(np.take_along_axis(exps / sums, classes, axis=1)), largest, sums

        Shifts in place, and with it the caller's scores.
        + largest = x.max(axis=1, keepdims=True)
        + x -= largest
        + sums = np.exp(x).sum(axis=1, keepdims=True)
        + return np.log(sums) - np.take_along_axis(x, classes, axis=1), largest, sums

        Works along the last axis.
        + largest = x.max(axis=-1, keepdims=True)
        + shifted = x - largest
        + picked = np.take_along_axis(shifted, classes, axis=1)
        + sums = np.exp(shifted).sum(axis=-1, keepdims=True)
        + return np.log(sums) - picked, largest, sums
    """,
    "soft-cross-entropy": """
        Means over all numbers, the classes too.
        - losses = -(log_softmax(input, dim) * target).sum(dim)
        - return reduced(losses, reduction)
        + losses = -(log_softmax(input, dim) * target)
        + return losses.mean() if reduction == "mean" else reduced(losses.sum(dim), reduction)

        Gives each class the whole share.
        + target = target * (1 - label_smoothing) + label_smoothing
        + if weight is not None:
        +     target = target * weight.reshape([-1 if d == dim else 1 for d in range(input.ndim)])
        + return reduced(-(log_softmax(input, dim) * target).sum(dim), reduction)

        Lets the weights broadcast against the last dimension.
        + target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        + if weight is not None:
        +     target = target * weight
        + return reduced(-(log_softmax(input, dim) * target).sum(dim), reduction)

        Takes the logarithm of softmax, which may be 0.
        - losses = -(log_softmax(input, dim) * target).sum(dim)
        - return reduced(losses, reduction)
        + return reduced(-(log_softmax(input, dim).exp().log() * target).sum(dim), reduction)

        Smooths what is already in the target only, and shares nothing out.
        + target = target * (1 - label_smoothing)
        + if weight is not None:
        +     target = target * weight.reshape([-1 if d == dim else 1 for d in range(input.ndim)])
        + return reduced(-(log_softmax(input, dim) * target).sum(dim), reduction)
    """,
    "binary-cross-entropy": """
        Has no limit: infinity, or NaN, where the network was sure.
        + ctx.save_for_backward(x, target)
        + with np.errstate(divide="ignore", invalid="ignore"):
        +     return (target - 1) * np.log1p(-x) - target * np.log(x)

        Rounds a small probability away when it subtracts it from 1.
        - return (target - 1) * np.maximum(np.log1p(-x), -100) - target * np.maximum(
        + return (target - 1) * np.maximum(np.log(1 - x), -100) - target * np.maximum(

        Adds a small number inside the logarithms, which limits them elsewhere.
        + ctx.save_for_backward(x, target)
        + return (target - 1) * np.log(1 - x + 1e-12) - target * np.log(x + 1e-12)

        Forgets what the answer no costs.
        + ctx.save_for_backward(x, target)
        + with np.errstate(divide="ignore"):
        +     return -target * np.maximum(np.log(x), -100)

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
        + target = target.exp() if log_target else target
        + losses = target * (target.log() - input.exp().log().exp())
        + if reduction == "batchmean":
        +     return reduced(losses, "mean", input.shape[0])
        + return reduced(losses, reduction)

        Multiplies 0 by the logarithm of 0.
        + with np.errstate(divide="ignore", invalid="ignore"):
        +     losses = (
        +         target.exp() * (target - input) if log_target else target * (target.log() - input)
        +     )
        + if reduction == "batchmean":
        +     return reduced(losses, "mean", input.shape[0])
        + return reduced(losses, reduction)

        Takes batchmean for a mean over everything.
        - if reduction == "batchmean":
        -     return reduced(losses, "mean", input.shape[0] if input.ndim else 1)
        - return reduced(losses, reduction)
        + return reduced(losses, "mean" if reduction == "batchmean" else reduction)
    """,
}
