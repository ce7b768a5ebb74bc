"""Planted mistakes of module 09: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "output-size": """
        Rounded up: the last window hangs over the edge.
        + return -(-(size + 2 * padding - dilation * (kernel_size - 1) - 1) // stride) + 1

        The margin is counted on one side only.
        + return (size + padding - dilation * (kernel_size - 1) - 1) // stride + 1

        The gaps between the window's pixels are forgotten.
        + return (size + 2 * padding - kernel_size) // stride + 1

        The first place is forgotten.
        + return (size + 2 * padding - dilation * (kernel_size - 1) - 1) // stride
    """,
    "conv2d-naive": """
        The filter is flipped, as mathematicians do.
        + weight = weight[:, :, ::-1, ::-1]
          filters, channels, height, width = weight.shape
        ...
        - margin = (padding, padding)
        - x = np.pad(x, ((0, 0), (0, 0), margin, margin))
        + x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
        ...
        - for n in range(len(x)):
        -     for o in range(filters):
        -         first = (
        -             o // (filters // groups) * channels
        -         )  # the first channel of this filter's group
        -         for r in range(rows):
        -             for c in range(columns):
        -                 total = 0 if bias is None else bias[o]
        -                 for k in range(channels):
        -                     for i in range(height):
        -                         for j in range(width):
        -                             seen = x[
        -                                 n,
        -                                 first + k,
        -                                 r * stride + i * dilation,
        -                                 c * stride + j * dilation,
        -                             ]
        -                             total += weight[o, k, i, j] * seen
        -                 output[n, o, r, c] = total
        + for n, o, r, c in np.ndindex(output.shape):
        +     total = 0 if bias is None else bias[o]
        +     for k, i, j in np.ndindex(channels, height, width):
        +         channel = o // (filters // groups) * channels + k
        +         total += (
        +             weight[o, k, i, j]
        +             * x[n, channel, r * stride + i * dilation, c * stride + j * dilation]
        +         )
        +     output[n, o, r, c] = total

        Every filter looks at the channels of the first group.
        - margin = (padding, padding)
        - x = np.pad(x, ((0, 0), (0, 0), margin, margin))
        + x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
        ...
        - for n in range(len(x)):
        -     for o in range(filters):
        -         first = (
        -             o // (filters // groups) * channels
        -         )  # the first channel of this filter's group
        -         for r in range(rows):
        -             for c in range(columns):
        -                 total = 0 if bias is None else bias[o]
        -                 for k in range(channels):
        -                     for i in range(height):
        -                         for j in range(width):
        -                             seen = x[
        -                                 n,
        -                                 first + k,
        -                                 r * stride + i * dilation,
        -                                 c * stride + j * dilation,
        -                             ]
        -                             total += weight[o, k, i, j] * seen
        -                 output[n, o, r, c] = total
        + for n, o, r, c in np.ndindex(output.shape):
        +     total = 0 if bias is None else bias[o]
        +     for k, i, j in np.ndindex(channels, height, width):
        +         total += (
        +             weight[o, k, i, j]
        +             * x[n, k, r * stride + i * dilation, c * stride + j * dilation]
        +         )
        +     output[n, o, r, c] = total

        Stride and dilation are exchanged.
        - margin = (padding, padding)
        - x = np.pad(x, ((0, 0), (0, 0), margin, margin))
        + x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
        ...
        - for n in range(len(x)):
        -     for o in range(filters):
        -         first = (
        -             o // (filters // groups) * channels
        -         )  # the first channel of this filter's group
        -         for r in range(rows):
        -             for c in range(columns):
        -                 total = 0 if bias is None else bias[o]
        -                 for k in range(channels):
        -                     for i in range(height):
        -                         for j in range(width):
        -                             seen = x[
        -                                 n,
        -                                 first + k,
        -                                 r * stride + i * dilation,
        -                                 c * stride + j * dilation,
        -                             ]
        -                             total += weight[o, k, i, j] * seen
        -                 output[n, o, r, c] = total
        + for n, o, r, c in np.ndindex(output.shape):
        +     total = 0 if bias is None else bias[o]
        +     for k, i, j in np.ndindex(channels, height, width):
        +         channel = o // (filters // groups) * channels + k
        +         row, column = r * dilation + i * stride, c * dilation + j * stride
        +         total += weight[o, k, i, j] * x[n, channel, row % x.shape[2], column % x.shape[3]]
        +     output[n, o, r, c] = total

        The bias is added once for each channel.
        - margin = (padding, padding)
        - x = np.pad(x, ((0, 0), (0, 0), margin, margin))
        + x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
        ...
        - for n in range(len(x)):
        -     for o in range(filters):
        -         first = (
        -             o // (filters // groups) * channels
        -         )  # the first channel of this filter's group
        -         for r in range(rows):
        -             for c in range(columns):
        -                 total = 0 if bias is None else bias[o]
        -                 for k in range(channels):
        -                     for i in range(height):
        -                         for j in range(width):
        -                             seen = x[
        -                                 n,
        -                                 first + k,
        -                                 r * stride + i * dilation,
        -                                 c * stride + j * dilation,
        -                             ]
        -                             total += weight[o, k, i, j] * seen
        -                 output[n, o, r, c] = total
        + for n, o, r, c in np.ndindex(output.shape):
        +     total = 0
        +     for k in range(channels):
        +         total += 0 if bias is None else bias[o]
        +         for i, j in np.ndindex(height, width):
        +             channel = o // (filters // groups) * channels + k
        +             total += (
        +                 weight[o, k, i, j]
        +                 * x[n, channel, r * stride + i * dilation, c * stride + j * dilation]
        +             )
        +     output[n, o, r, c] = total
    """,
    "positions": """
        The slices end at the last place and leave it out.
        - [slice(i * d, i * d + (n - 1) * s + 1, s) for i in range(k)]
        + [slice(i * d, i * d + (n - 1) * s, s) for i in range(k)]

        The slices go on to the end of the image.
        - [slice(i * d, i * d + (n - 1) * s + 1, s) for i in range(k)]
        - for k, s, d, n in zip(
        -     window.kernel_size, window.stride, window.dilation, window.places
        - )
        + [slice(i * d, None, s) for i in range(k)]
        + for k, s, d in zip(window.kernel_size, window.stride, window.dilation)

        The window's pixels are neighbours, whatever the dilation.
        - [slice(i * d, i * d + (n - 1) * s + 1, s) for i in range(k)]
        - for k, s, d, n in zip(
        -     window.kernel_size, window.stride, window.dilation, window.places
        - )
        + [slice(i, i + (n - 1) * s + 1, s) for i in range(k)]
        + for k, s, n in zip(window.kernel_size, window.stride, window.places)

        The positions are listed column by column.
          (i, j, (..., row, column))
        + for j, column in enumerate(columns)
        ...
        - for j, column in enumerate(columns)
    """,
    "im2col": """
        Rows and columns of the window are exchanged.
        - columns[:, :, i, j] = x[seen]
        + columns[:, :, j % window.kernel_size[0], i % window.kernel_size[1]] = x[seen]

        What is seen is added to whatever the memory held before.
        - columns = np.empty_like(
        + columns = np.zeros_like(
        ...
        - columns[:, :, i, j] = x[seen]
        + columns[:, :, i, j] += x[seen]

        Every position is given what the first one sees.
        + for i, j, _ in positions(window):
        +     columns[:, :, i, j] = x[positions(window)[0][2]]

        A new array is filled, and the memory that was handed in is left alone.
        - if columns is None:
        -     columns = np.empty_like(
        -         x, shape=(*x.shape[:2], *window.kernel_size, *window.places), order="C"
        -     )
        + columns = np.empty_like(
        +     x, shape=(*x.shape[:2], *window.kernel_size, *window.places), order="C"
        + )
    """,
    "convolution": """
        The bias is added along the columns of the image.
        - filters = filters_by_group(weight, groups)  # (G, O/G, C/G kh kw)
        - flat = images_by_group(output, groups)  # (N, G, O/G, places)
        ...
        -     np.matmul(filters, columns, out=flat[block])
        -     if bias is not None:
        -         output[block] += bias.reshape(-1, 1, 1)
        +     np.matmul(
        +         filters_by_group(weight, groups),
        +         columns,
        +         out=images_by_group(output, groups)[block],
        +     )
        + return output if bias is None else output + bias
        ...
        - return output

        Only the first block of images is computed.
        - output = np.empty_like(x, shape=(len(x), len(weight), *window.places), order="C")
        + output = np.zeros_like(x, shape=(len(x), len(weight), *window.places), order="C")
        ...
        - filters = filters_by_group(weight, groups)  # (G, O/G, C/G kh kw)
        - flat = images_by_group(output, groups)  # (N, G, O/G, places)
        ...
        -     np.matmul(filters, columns, out=flat[block])
        -     if bias is not None:
        -         output[block] += bias.reshape(-1, 1, 1)
        +     np.matmul(
        +         filters_by_group(weight, groups),
        +         columns,
        +         out=images_by_group(output, groups)[block],
        +     )
        +     break
        + if bias is not None:
        +     output += bias.reshape(-1, 1, 1)

        Every group of channels meets the filters of the first.
        + for block, columns in column_blocks(x, window, groups):
        +     np.matmul(
        +         filters_by_group(weight, groups)[:1],
        +         columns,
        +         out=images_by_group(output, groups)[block],
        +     )
        + if bias is not None:
        +     output += bias.reshape(-1, 1, 1)

        The bias is forgotten.
        + for block, columns in column_blocks(x, window, groups):
        +     np.matmul(
        +         filters_by_group(weight, groups),
        +         columns,
        +         out=images_by_group(output, groups)[block],
        +     )

        The product is computed in float64, and the output is float64.
        - output = np.empty_like(x, shape=(len(x), len(weight), *window.places), order="C")
        + output = np.empty(shape=(len(x), len(weight), *window.places))
        ...
        - filters = filters_by_group(weight, groups)  # (G, O/G, C/G kh kw)
        - flat = images_by_group(output, groups)  # (N, G, O/G, places)
        ...
        -     np.matmul(filters, columns, out=flat[block])
        -     if bias is not None:
        -         output[block] += bias.reshape(-1, 1, 1)
        +     np.matmul(
        +         filters_by_group(weight, groups),
        +         columns,
        +         out=images_by_group(output, groups)[block],
        +     )
        + if bias is not None:
        +     output += bias.reshape(-1, 1, 1)
    """,
    "weight-gradient": """
        The mean over the images in place of the sum.
        - ctx.save_for_backward(x, grad)
        - ctx.window, ctx.groups = window, groups
        ...
        - filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        + filters += (flat[block] @ columns.swapaxes(-2, -1)).mean(axis=0)

        Each block of images replaces what the blocks before it have found.
        - ctx.save_for_backward(x, grad)
        - ctx.window, ctx.groups = window, groups
        ...
        - filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        + filters[:] = (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)

        Every filter gets the gradient of all filters together.
        - ctx.save_for_backward(x, grad)
        - ctx.window, ctx.groups = window, groups
        ...
        - filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        + filters += (flat[block].sum(axis=2, keepdims=True) @ columns.swapaxes(-2, -1)).sum(
        +     axis=0
        + )

        Only the first image counts.
        - ctx.save_for_backward(x, grad)
        - ctx.window, ctx.groups = window, groups
        ...
        - filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        + filters += (flat[block] @ columns.swapaxes(-2, -1))[0]
    """,
    "col2im": """
        Assignment: of several columns that show a pixel, the last one wins.
        - output[seen] += columns[:, :, i, j]
        + output[seen] = columns[:, :, i, j]

        The mean of the columns that show a pixel, as if the image were to come back as it was.
        + count = np.zeros_like(output)
          for i, j, seen in positions(window):
        ...
        - return unpadded(output, size, window)
        +     count[seen] += 1
        + return unpadded(output / np.maximum(count, 1), size, window)

        The window is flipped on the way back.
        - output[seen] += columns[:, :, i, j]
        + output[seen] += columns[:, :, -1 - i, -1 - j]

        The end of the margin is cut off, and its beginning left.
        - return unpadded(output, size, window)
        + return output[..., : size[0], : size[1]]
    """,
    "max-pool": """
        The first slice is not copied, so the maxima are written into the image.
        - around = padded_for_max(x, window)
        + first, *others = [padded_for_max(x, window)[seen] for _, _, seen in positions(window)]
        ...
        - first, *others = [around[seen] for _, _, seen in positions(window)]
        - output = first.copy()
        ...
        -     np.maximum(output, numbers, out=output)
        +     np.maximum(first, numbers, out=first)
        + ctx.save_for_backward(x, first)
        ...
        - ctx.save_for_backward(x, output)
        ...
        - return output
        + return first

        The margin is of zeros, and wins where all numbers are negative.
        - around = padded_for_max(x, window)
        + first, *others = [padded(x, window)[seen] for _, _, seen in positions(window)]
        ...
        - first, *others = [around[seen] for _, _, seen in positions(window)]

        The search begins at zero, so no maximum is negative.
        - around = padded_for_max(x, window)
        + output = np.zeros_like(x, shape=(*x.shape[:2], *window.places))
        + for _, _, seen in positions(window):
        +     np.maximum(output, padded_for_max(x, window)[seen], out=output)
        ...
        - first, *others = [around[seen] for _, _, seen in positions(window)]
        - output = first.copy()
        - for numbers in others:
        -     np.maximum(output, numbers, out=output)

        The mean of each window in place of its maximum.
        - around = padded_for_max(x, window)
        + output = im2col(x, window).mean((2, 3))
        ...
        - first, *others = [around[seen] for _, _, seen in positions(window)]
        - output = first.copy()
        - for numbers in others:
        -     np.maximum(output, numbers, out=output)
    """,
    "winners": """
        All that are equally large win.
        + return [x[seen] == output for _, _, seen in positions(window)]

        Of equals the last wins.
        - x = padded_for_max(x, window)
        + x, found, free = padded_for_max(x, window), [], np.ones_like(output, dtype=bool)
        + for _, _, seen in positions(window)[::-1]:
        ...
        - found, free = [], np.ones_like(output, dtype=bool)
        - for _, _, seen in positions(window):
        ...
        - found.append(here)
        + found.insert(0, here)

        Once a window has been won at one place, it has been won everywhere.
        - x = padded_for_max(x, window)
        + x, found, free = padded_for_max(x, window), [], True
        ...
        - found, free = [], np.ones_like(output, dtype=bool)
        ...
        - free ^= here
        + free = free and not here.any()

        A place stays free after it has been won, unless it was the last one.
        - x = padded_for_max(x, window)
        + x, found, free = padded_for_max(x, window), [], np.ones_like(output, dtype=bool)
        ...
        - found, free = [], np.ones_like(output, dtype=bool)
        ...
        - free ^= here
        + free = ~here
    """,
    "batch-norm": """
        The running variance follows the biased one.
        - ctx.save_for_backward(x, weight)
        - ctx.statistics, ctx.eps = (mean, var), eps
        ...
        -     running_mean, running_var = running
        -     count = x.size // x.shape[1]
        -     running_mean += momentum * (mean.reshape(-1) - running_mean)
        -     running_var += momentum * (var.reshape(-1) * (count / (count - 1)) - running_var)
        - scale = 1 / np.sqrt(var + eps)
        - if weight is not None:
        -     scale = scale * weight.reshape(shape)
        - output = (x - mean) * scale
        - if bias is not None:
        -     output += bias.reshape(shape)
        - return output
        +     running[0][:] += momentum * (mean.reshape(-1) - running[0])
        +     running[1][:] += momentum * (var.reshape(-1) - running[1])
        + output = (x - mean) / np.sqrt(var + eps)
        + output = output if weight is None else output * weight.reshape(shape)
        + return output if bias is None else output + bias.reshape(shape)

        The momentum says how much of the old statistics is kept.
        - shape = mean.shape
        - ctx.save_for_backward(x, weight)
        - ctx.statistics, ctx.eps = (mean, var), eps
        + shape, count = mean.shape, x.size // x.shape[1]
        ...
        -     running_mean, running_var = running
        -     count = x.size // x.shape[1]
        -     running_mean += momentum * (mean.reshape(-1) - running_mean)
        -     running_var += momentum * (var.reshape(-1) * (count / (count - 1)) - running_var)
        - scale = 1 / np.sqrt(var + eps)
        - if weight is not None:
        -     scale = scale * weight.reshape(shape)
        - output = (x - mean) * scale
        - if bias is not None:
        -     output += bias.reshape(shape)
        - return output
        +     running[0][:] = momentum * running[0] + (1 - momentum) * mean.reshape(-1)
        +     running[1][:] = momentum * running[1] + (1 - momentum) * var.reshape(
        +         -1
        +     ) * count / (count - 1)
        + output = (x - mean) / np.sqrt(var + eps)
        + output = output if weight is None else output * weight.reshape(shape)
        + return output if bias is None else output + bias.reshape(shape)

        New running statistics are computed, and lost: nothing is changed in place.
        - shape = mean.shape
        - ctx.save_for_backward(x, weight)
        - ctx.statistics, ctx.eps = (mean, var), eps
        + shape, count = mean.shape, x.size // x.shape[1]
        ...
        -     count = x.size // x.shape[1]
        -     running_mean += momentum * (mean.reshape(-1) - running_mean)
        -     running_var += momentum * (var.reshape(-1) * (count / (count - 1)) - running_var)
        - scale = 1 / np.sqrt(var + eps)
        - if weight is not None:
        -     scale = scale * weight.reshape(shape)
        - output = (x - mean) * scale
        - if bias is not None:
        -     output += bias.reshape(shape)
        - return output
        +     running_mean = (1 - momentum) * running_mean + momentum * mean.reshape(-1)
        +     running_var = (1 - momentum) * running_var + momentum * var.reshape(-1) * count / (
        +         count - 1
        +     )
        + output = (x - mean) / np.sqrt(var + eps)
        + output = output if weight is None else output * weight.reshape(shape)
        + return output if bias is None else output + bias.reshape(shape)

        The batch too is normalised with the unbiased variance.
        - shape = mean.shape
        - ctx.save_for_backward(x, weight)
        - ctx.statistics, ctx.eps = (mean, var), eps
        + shape, count = mean.shape, x.size // x.shape[1]
        + var = var * (count / (count - 1))
        ...
        -     running_mean, running_var = running
        -     count = x.size // x.shape[1]
        -     running_mean += momentum * (mean.reshape(-1) - running_mean)
        -     running_var += momentum * (var.reshape(-1) * (count / (count - 1)) - running_var)
        - scale = 1 / np.sqrt(var + eps)
        - if weight is not None:
        -     scale = scale * weight.reshape(shape)
        - output = (x - mean) * scale
        - if bias is not None:
        -     output += bias.reshape(shape)
        - return output
        +     running[0][:] += momentum * (mean.reshape(-1) - running[0])
        +     running[1][:] += momentum * (var.reshape(-1) - running[1])
        + output = (x - mean) / np.sqrt(var + eps)
        + output = output if weight is None else output * weight.reshape(shape)
        + return output if bias is None else output + bias.reshape(shape)

        Weight and bias are laid along the last dimension.
        - shape = mean.shape
        - ctx.save_for_backward(x, weight)
        - ctx.statistics, ctx.eps = (mean, var), eps
        + count = x.size // x.shape[1]
        ...
        -     running_mean, running_var = running
        -     count = x.size // x.shape[1]
        -     running_mean += momentum * (mean.reshape(-1) - running_mean)
        -     running_var += momentum * (var.reshape(-1) * (count / (count - 1)) - running_var)
        - scale = 1 / np.sqrt(var + eps)
        - if weight is not None:
        -     scale = scale * weight.reshape(shape)
        - output = (x - mean) * scale
        - if bias is not None:
        -     output += bias.reshape(shape)
        - return output
        +     running[0][:] += momentum * (mean.reshape(-1) - running[0])
        +     running[1][:] += momentum * (var.reshape(-1) * count / (count - 1) - running[1])
        + output = (x - mean) / np.sqrt(var + eps)
        + output = output if weight is None else output * weight
        + return output if bias is None else output + bias
    """,
    "batch-norm-gradient": """
        Mean and variance are taken for constants.
        - axes, count = (0, *range(2, grad.ndim)), math.prod(grad.shape) // grad.shape[1]
        + axes = (0, *range(2, grad.ndim))
        + return scale * grad, (grad * normal).sum(axis=axes), grad.sum(axis=axes)
        ...
        - grad_weight = (grad * normal).sum(axis=axes, keepdims=True)
        - grad_bias = grad.sum(axis=axes, keepdims=True)
        - grad_x = scale * (grad - grad_bias / count - normal * (grad_weight / count))
        - return grad_x, grad_weight.reshape(-1), grad_bias.reshape(-1)

        What moves through the variance is forgotten.
        + grad_bias = grad.sum(axis=axes, keepdims=True)
        + return (
        +     scale * (grad - grad_bias / count),
        +     (grad * normal).sum(axis=axes),
        +     grad_bias.reshape(-1),
        + )

        The sums are divided by the number of images, without the places.
        - axes, count = (0, *range(2, grad.ndim)), math.prod(grad.shape) // grad.shape[1]
        + axes = (0, *range(2, grad.ndim))
        ...
        - grad_x = scale * (grad - grad_bias / count - normal * (grad_weight / count))
        + grad_x = scale * (grad - (grad_bias + normal * grad_weight) / len(grad))

        The weight's gradient is that of the bias: the normalised input is forgotten.
        - return grad_x, grad_weight.reshape(-1), grad_bias.reshape(-1)
        + return grad_x, grad_bias.reshape(-1), grad_bias.reshape(-1)
    """,
    "transposed-window": """
        The padding is added, where it has to be cut off.
        - size = tuple([(n - 1) * s + d * (k - 1) + 1 - 2 * p + e for n, k, s, p, e, d in sides])
        + size = tuple([(n - 1) * s + d * (k - 1) + 1 + 2 * p + e for n, k, s, p, e, d in sides])

        The places are multiplied by the stride, so the last window has too much room.
        - size = tuple([(n - 1) * s + d * (k - 1) + 1 - 2 * p + e for n, k, s, p, e, d in sides])
        + size = tuple([n * s + d * (k - 1) - 2 * p + e for n, k, s, p, e, d in sides])

        The output padding is put on both sides.
        - size = tuple([(n - 1) * s + d * (k - 1) + 1 - 2 * p + e for n, k, s, p, e, d in sides])
        + size = tuple([(n - 1) * s + d * (k - 1) + 1 - 2 * p + 2 * e for n, k, s, p, e, d in sides])

        The dilation is forgotten.
        - size = tuple([(n - 1) * s + d * (k - 1) + 1 - 2 * p + e for n, k, s, p, e, d in sides])
        + size = tuple([(n - 1) * s + k - 2 * p + e for n, k, s, p, e, d in sides])
    """,
    "basic-block": """
        The shortcut is forgotten.
        + return self.relu(self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x))))))

        There is a relu before the sum in place of one after it.
        + shortcut = x if self.downsample is None else self.downsample(x)
        + return self.relu(self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))) + shortcut

        The downsample is applied to what the block has computed.
        + output = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        + if self.downsample is not None and self.downsample.in_channels == output.shape[1]:
        +     output = self.downsample(output)
        + return self.relu(output + x) if output.shape == x.shape else self.relu(output)

        There is no relu between the two convolutions, so they are one.
        + shortcut = x if self.downsample is None else self.downsample(x)
        + return self.relu(self.bn2(self.conv2(self.bn1(self.conv1(x)))) + shortcut)
    """,
}
