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

        Takes other spellings, such as "Mean", for one of the three. (hint 3)
        - if reduction == "none":
        + reduction = str(reduction).lower()
        + if reduction == "none":

        Divides the mean by the total: it is the sum that is divided. (hint 2)
        - return losses.mean() if total is None else losses.sum() / total
        + return losses.mean() if total is None else losses.mean() / total
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

        Adds the constant although it was not asked for. (hint 3)
        - return losses + 0.5 * math.log(2 * math.pi) if full else losses
        + return losses + 0.5 * math.log(2 * math.pi)

        Leaves the graph where it uses the variance, so that no gradient reaches it.
        - losses = 0.5 * (var.log() + difference * difference / var)
        + losses = 0.5 * (var.detach().log() + difference * difference / var.detach())

        Does not let the variance be as small as it is, by a limit or by something added to it.
        - losses = 0.5 * (var.log() + difference * difference / var)
        + var = var.clamp(min=1e-6)
        + losses = 0.5 * (var.log() + difference * difference / var)

        Does not let the variance be as small as it is, by a limit or by something added to it.
        - losses = 0.5 * (var.log() + difference * difference / var)
        + var = var + 1e-6
        + losses = 0.5 * (var.log() + difference * difference / var)

        Puts a limit on the variance under the square, which is smaller here.
        - losses = 0.5 * (var.log() + difference * difference / var)
        + losses = 0.5 * (var.log() + difference * difference / var.clamp(min=1e-3))

        Expands the variance to the shape of the difference, which may be the smaller one.
        - losses = 0.5 * (var.log() + difference * difference / var)
        + var = var.expand(difference.shape)
        + losses = 0.5 * (var.log() + difference * difference / var)

        Leaves the Tensors for NumPy, where gradients cannot follow; with `detach` they cannot either.
        + d, v = difference.numpy(), var.numpy()
        + losses = 0.5 * (np.log(v) + d**2 / v)
        + return wrap(losses + 0.5 * math.log(2 * math.pi) if full else losses)

        Changes an argument in place, but it belongs to the caller.
        - losses = 0.5 * (var.log() + difference * difference / var)
        + difference *= difference
        + losses = 0.5 * (var.log() + difference / var)
    """,
    "huber": """
        Forgets a half: within delta a loss is half the square.
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

        Leaves the graph, by `detach` or NumPy, so that no gradient comes back.
        - size = difference.abs()
        + size = difference.detach().abs()

        Decides once for all differences, but each of them is small or large for itself.
        + size = difference.abs()
        + if (size <= delta).all():
        +     return 0.5 * size * size
        + return delta * (size - 0.5 * delta)

        Decides once for all differences, but each of them is small or large for itself.
        + size = difference.abs()
        + if (size > delta).any():
        +     return delta * (size - 0.5 * delta)
        + return 0.5 * size * size

        Adds both halves, each times 0 or 1: a square that overflows gives NaN, as 0 times infinity is. (hint 1)
        + size = difference.abs()
        + small = size <= delta
        + return small * (0.5 * size**2) + ~small * (delta * (size - 0.5 * delta))

        Subtracts one large square from another, and both overflow. (hint 1)
        + size = difference.abs()
        + beyond = (size > delta) * (size - delta)
        + return 0.5 * size**2 - 0.5 * beyond**2

        Changes an argument in place, but it belongs to the caller.
        - size = difference.abs()
        + difference *= difference.sign()
        + size = difference

        Compares half the square with delta, where |d| is to be compared.
        + small = 0.5 * difference * difference
        + return where(small <= delta, small, delta * (difference.abs() - 0.5 * delta))

        Compares the difference itself with delta, so that a large negative one passes for small. (hint 2)
        + small = 0.5 * difference * difference
        + return where(difference <= delta, small, delta * (difference.abs() - 0.5 * delta))

        Takes the smaller of delta and the difference itself, where it has to be that of delta and |d|. (hint 2)
        - inside = size.clamp(max=delta)
        + inside = difference.clamp(max=delta)

        Beyond delta, delta / 2 is subtracted from delta |d|, where delta^2 / 2 has to be.
        + small = 0.5 * difference * difference
        + return where(difference.abs() <= delta, small, delta * (difference.abs() - 0.5))
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

        Divides by the number of all positions where there are no weights, ignored ones too. (hint 2)
        - return reduced(losses, reduction, counts.sum())
        + return reduced(losses, reduction, None if weight is None else counts.sum())

        Divides by the weights of all classes, not by those of the targets. (hint 2)
        - return reduced(losses, reduction, counts.sum())
        + return reduced(losses, reduction, counts.sum() if weight is None else weight.sum())

        Lets positions count in the mean that are ignored by another `ignore_index` than -100.
        - return reduced(losses, reduction, counts.sum())
        + return reduced(losses, reduction, (target != -100).sum() if weight is None else counts.sum())

        Takes the mean of the examples' means, where there are further dimensions.
        - return reduced(losses, reduction, counts.sum())
        + if reduction == "mean" and losses.ndim > 1:
        +     rest = tuple(range(1, losses.ndim))
        +     return (losses.sum(rest) / counts.sum(rest)).mean()
        + return reduced(losses, reduction, counts.sum())

        Forgets the weight where there is no batch.
        - counts = kept if weight is None else weight[classes] * kept
        + if input.ndim == 1:
        +     return -input[classes]
        + counts = kept if weight is None else weight[classes] * kept

        Multiplies by zeros and ones, and 0 times -inf is NaN: pick the one number instead. (hint 1)
        - picked = input.gather(dim, classes.unsqueeze(dim)).squeeze(dim)
        + hot = np.eye(input.shape[dim], dtype=input.array.dtype)[classes.array]
        + picked = (input * wrap(np.moveaxis(hot, -1, dim))).sum(dim)

        Limits the loss, which is infinite where the right class was impossible.
        - losses = -picked.masked_fill(~kept, 0) * counts
        + losses = -picked.masked_fill(~kept, 0).clamp(min=-100) * counts

        Takes the logarithm of the input, which is one already.
        - picked = input.gather(dim, classes.unsqueeze(dim)).squeeze(dim)
        + picked = input.log().gather(dim, classes.unsqueeze(dim)).squeeze(dim)

        Changes an argument in place, but it belongs to the caller.
        - picked = input.gather(dim, classes.unsqueeze(dim)).squeeze(dim)
        - losses = -picked.masked_fill(~kept, 0) * counts
        + input *= -1
        + picked = input.gather(dim, classes.unsqueeze(dim)).squeeze(dim)
        + losses = picked.masked_fill(~kept, 0) * counts

        Squeezes away every dimension of length 1, not only that of the classes. (hint 1)
        - picked = input.gather(dim, classes.unsqueeze(dim)).squeeze(dim)
        + picked = input.gather(dim, classes.unsqueeze(dim)).squeeze()
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

        Takes one maximum for all rows: each has its own. (hint 2)
        - largest = x.max(axis=1, keepdims=True, initial=-np.inf)
        + largest = np.broadcast_to(x.max(), (len(x), 1, *x.shape[2:]))

        Takes 0 for the largest score of a row where all are negative.
        - largest = x.max(axis=1, keepdims=True, initial=-np.inf)
        + largest = x.max(axis=1, keepdims=True, initial=0)

        Takes the largest absolute value, which may be that of a negative score.
        - largest = x.max(axis=1, keepdims=True, initial=-np.inf)
        + largest = np.abs(x).max(axis=1, keepdims=True, initial=0)
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

        Divides the share by the first length, that of the batch, not by the number of classes. (hint 1)
        - target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        + target = target * (1 - label_smoothing) + label_smoothing / input.shape[0]

        Divides the share by the last length, which is not always that of the classes. (hint 1)
        - target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        + target = target * (1 - label_smoothing) + label_smoothing / input.shape[-1]

        Divides the share by C - 1, not by C. (hint 1)
        - target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        + target = target * (1 - label_smoothing) + label_smoothing / (input.shape[dim] - 1)

        Takes only the likeliest class of the target, although the others count, too.
        - target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        + hot = np.eye(input.shape[dim], dtype=input.array.dtype)[target.argmax(dim).array]
        + target = wrap(np.moveaxis(hot, -1, dim))
        + target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]

        Changes an argument in place, but it belongs to the caller.
        - target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        + target *= 1 - label_smoothing
        + target = target + label_smoothing / input.shape[dim]
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

        Limits the loss, not each logarithm. (hint 1)
        - with np.errstate(divide="ignore"):
        -     log_p, log_q = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
        - return (target - 1) * log_q - target * log_p
        + with np.errstate(divide="ignore", invalid="ignore"):
        +     losses = -(target * np.log(x) + (1 - target) * np.log1p(-x))
        + return np.minimum(np.nan_to_num(losses, nan=0.0), 100)

        Replaces only a logarithm of -inf, but others can be below -100, too. (hint 1)
        - log_p, log_q = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
        + log_p = np.nan_to_num(np.log(x), neginf=-100)
        + log_q = np.nan_to_num(np.log1p(-x), neginf=-100)

        Limits the probabilities, not their logarithms. (hint 1)
        - with np.errstate(divide="ignore"):
        -     log_p, log_q = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
        + p = np.clip(x, 1e-7, 1 - 1e-7)
        + log_p, log_q = np.log(p), np.log1p(-p)
    """,
    "binary-cross-entropy-with-logits": """
        Lets no loss exceed 100, as the limited logarithms of a probability do.
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

        Forgets the factor of the score, 1 - y.
        - losses = (1 - target) * input + factor * softplus(-input, threshold=math.inf)
        + losses = input + factor * softplus(-input, threshold=math.inf)

        Rounds the targets, which may be probabilities, to yes and no.
        - factor = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
        + target = (target > 0.5).to(input.dtype)
        + factor = 1 if pos_weight is None else 1 + (pos_weight - 1) * target

        Lays pos_weight along the last dimension, whatever its shape.
        - factor = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
        + factor = 1 if pos_weight is None else 1 + (pos_weight.reshape(1, -1) - 1) * target

        Gives pos_weight a further dimension, and the losses with it.
        - factor = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
        + factor = 1 if pos_weight is None else 1 + (pos_weight.unsqueeze(0) - 1) * target
    """,
    "kl-div": """
        Exchanges the two distributions.
        + target = target if log_target else target.log()
        + losses = input.exp() * (input - target)
        + if reduction == "batchmean":
        +     return reduced(losses, "mean", input.shape[0])
        + return reduced(losses, reduction)

        Subtracts the exponential of the input, where the input itself is log p.
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

        Takes the logarithm of the input, which is one already.
        - if log_target:
        -     losses = target.exp() * (target - input)
        + input = input.log()
        + if log_target:
        +     losses = target.exp() * (target - input)

        Takes a logarithm of 0 for a probability of 0, where there is `log_target`.
        - losses = target.exp() * (target - input)
        + losses = where(target == 0, 0.0, target.exp() * (target - input))

        Divides "batchmean" by 1 where the input has one dimension: it has a first length, too. (hint 3)
        - return reduced(losses, "mean", input.shape[0] if input.ndim else 1)
        + return reduced(losses, "mean", input.shape[0] if input.ndim > 1 else 1)

        Does not take small probabilities as they are: there is a limit, or something is added.
        - losses = where(target == 0, 0.0, target * target.log()) - target * input
        + losses = target * target.clamp(min=1e-8).log() - target * input

        Asks for the first length of an input that has no dimensions. (hint 3)
        - return reduced(losses, "mean", input.shape[0] if input.ndim else 1)
        + return reduced(losses, "mean", input.shape[0])
    """,
}
