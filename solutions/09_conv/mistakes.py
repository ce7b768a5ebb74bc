"""Planted mistakes of module 09: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "output-size": """
        A place too many is counted: the last window hangs over the edge. (hint 2)
        - count = remaining // stride + 1
        + count = -(-remaining // stride) + 1

        The padding is counted on one side only.
        - remaining = size + 2 * padding - dilation * (kernel_size - 1) - 1
        + remaining = size + padding - dilation * (kernel_size - 1) - 1

        The dilation is forgotten: a window of 3 with dilation 2 spans 5 pixels. (hint 1)
        - remaining = size + 2 * padding - dilation * (kernel_size - 1) - 1
        + remaining = size + 2 * padding - kernel_size

        A place is missing: the first is forgotten, or the window is taken to be larger than it is. (hint 1)
        - count = remaining // stride + 1
        + count = remaining // stride

        With ceil_mode a window that begins in the padding after the image is counted too. (hint 3)
        - if ceil_mode and remaining % stride and count * stride < size + padding:
        + if ceil_mode and remaining % stride:

        With ceil_mode one more window is counted although nothing is left. (hint 2)
        - if ceil_mode and remaining % stride and count * stride < size + padding:
        + if ceil_mode and count * stride < size + padding:

        With ceil_mode a window is counted that hangs over by a stride or more.
        - if ceil_mode and remaining % stride and count * stride < size + padding:
        -     count += 1
        + if ceil_mode and remaining % stride and max(count, 0) * stride < size + padding:
        +     count = max(count, 0) + 1

        The count is a float: `/` gives one, even where nothing is left over. (hint 2)
        - count = remaining // stride + 1
        + count = remaining / stride + 1

        Where the window does not fit, the division rounds up: int() truncates towards zero. (hint 2)
        - count = remaining // stride + 1
        + count = int(remaining / stride) + 1

        One place is counted although the window does not fit.
        - count = remaining // stride + 1
        + count = max(remaining // stride + 1, 1)

        With ceil_mode a window hangs over only where another has fitted before it.
        - if ceil_mode and remaining % stride and count * stride < size + padding:
        + if ceil_mode and count > 0 and remaining % stride and count * stride < size + padding:

        The count is a NumPy float, such as np.floor and np.ceil give: `//` gives an integer. (hint 2)
        - count = remaining // stride + 1
        + count = np.floor(remaining / stride) + 1
    """,
    "conv2d-naive": """
        The filter is flipped, as mathematicians do.
        - total += weight[o, k, i, j] * x[n, first + k, row, column]
        + total += weight[o, k, -1 - i, -1 - j] * x[n, first + k, row, column]

        Every filter looks at the channels of the first group. (hint 2)
        - first = o // (filters // groups) * channels  # of the channels it sees
        + first = 0

        Stride and dilation are exchanged. (hint 3)
        - row = r * stride + i * dilation
        - column = c * stride + j * dilation
        + row = r * dilation + i * stride
        + column = c * dilation + j * stride

        The bias is added once for each channel. (hint 1)
        - total = 0 if bias is None else bias[o]
        - for k in range(channels):
        + total = 0
        + for k in range(channels):
        +     total += 0 if bias is None else bias[o]

        A group's first channel is taken to be its number, as if each group had one channel. (hint 2)
        - first = o // (filters // groups) * channels  # of the channels it sees
        + first = o // (filters // groups)

        A filter's number is divided by the number of groups, not by the number of filters in a group. (hint 2)
        - first = o // (filters // groups) * channels  # of the channels it sees
        + first = o // groups * channels

        The groups take turns: a filter's group is its number's remainder, not its quotient. (hint 2)
        - first = o // (filters // groups) * channels  # of the channels it sees
        + first = o % groups * channels

        The sum goes on from one place to the next: it is to begin anew at each. (hint 1)
        - for r in range(rows):
        -     for c in range(columns):
        -         total = 0 if bias is None else bias[o]
        -         for k in range(channels):
        + total = 0 if bias is None else bias[o]
        + for r in range(rows):
        +     for c in range(columns):
        +         for k in range(channels):

        The bias is added to each product, not once to their sum. (hint 1)
        - total = 0 if bias is None else bias[o]
        + total = 0
        ...
        - total += weight[o, k, i, j] * x[n, first + k, row, column]
        + total += weight[o, k, i, j] * x[n, first + k, row, column]
        + total += 0 if bias is None else bias[o]

        The dilation is forgotten: the window's pixels are neighbours. (hint 3)
        - row = r * stride + i * dilation
        - column = c * stride + j * dilation
        + row = r * stride + i
        + column = c * stride + j

        The bias's numbers are asked for their truth, as by `if bias`: whether there is one, `is not None` asks.
        - total = 0 if bias is None else bias[o]
        + total = bias[o] if bias else 0

        i and j are exchanged, in their ranges or in an index: i counts the filter's rows, and j its columns.
        - for i in range(height):
        -     for j in range(width):
        + for i in range(width):
        +     for j in range(height):

        i and j are exchanged, in their ranges or in an index: i counts the filter's rows, and j its columns.
        - for i in range(height):
        -     for j in range(width):
        + for i in range(width):
        +     for j in range(height):
        ...
        - total += weight[o, k, i, j] * x[n, first + k, row, column]
        + total += weight[o, k, j, i] * x[n, first + k, row, column]
    """,
    "positions": """
        The slices leave out the last place. (hint 3)
        - [slice(i * d, i * d + (n - 1) * s + 1, s) for i in range(k)]
        + [slice(i * d, i * d + (n - 1) * s, s) for i in range(k)]

        The slices continue beyond the last place. (hint 3)
        - [slice(i * d, i * d + (n - 1) * s + 1, s) for i in range(k)]
        + [slice(i * d, None, s) for i in range(k)]

        The window's pixels are neighbours, whatever the dilation. (hint 2)
        - [slice(i * d, i * d + (n - 1) * s + 1, s) for i in range(k)]
        + [slice(i, i + (n - 1) * s + 1, s) for i in range(k)]

        The positions are listed column by column. (hint 1)
        - for i, row in enumerate(rows)
        - for j, column in enumerate(columns)
        + for j, column in enumerate(columns)
        + for i, row in enumerate(rows)

        The padding is subtracted, though x is already padded.
        - for k, s, _, d, n in zip(*window)
        + for k, s, p, d, n in zip(*window)
        ...
        - [slice(i * d, i * d + (n - 1) * s + 1, s) for i in range(k)]
        + [slice(i * d - p, i * d - p + (n - 1) * s + 1, s) for i in range(k)]

        The index has no Ellipsis, so its slices cut the first two dimensions. (hint 3)
        - (i, j, (..., row, column))
        + (i, j, (row, column))

        What comes back is a generator, made by `yield` or by a comprehension in parentheses, not a list.
        - return [
        -     (i, j, (..., row, column))
        -     for i, row in enumerate(rows)
        -     for j, column in enumerate(columns)
        - ]
        + for i, row in enumerate(rows):
        +     for j, column in enumerate(columns):
        +         yield i, j, (..., row, column)
    """,
    "im2col": """
        Rows and columns of the window are exchanged.
        - columns[:, :, i, j] = x[seen]
        + columns[:, :, j % window.kernel_size[0], i % window.kernel_size[1]] = x[seen]

        The result is added to whatever the memory contained before.
        - columns = np.empty_like(x, shape=shape, order="C")  # x's type, row after row
        + columns = np.zeros_like(x, shape=shape, order="C")
        ...
        - columns[:, :, i, j] = x[seen]
        + columns[:, :, i, j] += x[seen]

        Every position gets what the first one sees. (hint 3)
        - columns[:, :, i, j] = x[seen]
        + columns[:, :, i, j] = x[positions(window)[0][2]]

        A new array is filled, and the memory that was passed in is not used.
        - if columns is None:
        + if True:

        i and j index the dimensions of images and channels. (hint 3)
        - columns[:, :, i, j] = x[seen]
        + columns[i, j] = x[seen]

        The stacked positions are reshaped with their dimension in front, but it belongs after images and channels.
        - for i, j, seen in positions(window):
        -     columns[:, :, i, j] = x[seen]
        + stacked = np.stack([x[seen] for _, _, seen in positions(window)])
        + columns[...] = stacked.reshape(columns.shape)

        i and j are exchanged: the window's rows come first. (hint 2)
        - columns[:, :, i, j] = x[seen]
        + columns[:, :, j, i] = x[seen]
    """,
    "convolution": """
        The bias is added along the columns of the image. (hint 3)
        - output[block] += bias.reshape(-1, 1, 1)
        + output[block] += bias

        Only the first block of images is computed.
        - output = np.empty_like(x, shape=(len(x), len(weight), *window.places), order="C")
        + output = np.zeros_like(x, shape=(len(x), len(weight), *window.places), order="C")
        ...
          if bias is not None:
              output[block] += bias.reshape(-1, 1, 1)
        + break

        Every group of channels uses the filters of the first group.
        - np.matmul(filters, columns, out=flat[block])
        + np.matmul(filters[:1], columns, out=flat[block])

        The bias is forgotten.
        - if bias is not None:
        -     output[block] += bias.reshape(-1, 1, 1)

        The output is float64, as of `np.empty` or `np.zeros` without a type.
        - output = np.empty_like(x, shape=(len(x), len(weight), *window.places), order="C")
        + output = np.empty((len(x), len(weight), *window.places))

        Nothing is written into the output's memory. (hint 3)
        - np.matmul(filters, columns, out=flat[block])
        - if bias is not None:
        -     output[block] += bias.reshape(-1, 1, 1)
        + flat = np.matmul(filters, columns)

        The blocks are listed before any is used, but all share one memory, which holds the last one then. (hint 2)
        - for block, columns in column_blocks(x, window, groups):
        + for block, columns in list(column_blocks(x, window, groups)):

        The bias is added to the whole output again for each block. (hint 3)
        - output[block] += bias.reshape(-1, 1, 1)
        + output += bias.reshape(-1, 1, 1)

        The bias is overwritten by the product, which comes after it. (hint 3)
        - np.matmul(filters, columns, out=flat[block])
        - if bias is not None:
        -     output[block] += bias.reshape(-1, 1, 1)
        + if bias is not None:
        +     output[block] = bias.reshape(-1, 1, 1)
        + np.matmul(filters, columns, out=flat[block])

        The product is added to the output's memory, which was never written to: it is to be assigned. (hint 3)
        - np.matmul(filters, columns, out=flat[block])
        + flat[block] += filters @ columns

        Every block is written to the place of the first one, or after the first into memory that is not returned. (hint 2)
        - np.matmul(filters, columns, out=flat[block])
        + flat[: len(columns)] = filters @ columns

        The bias's numbers are asked for their truth, as by `if bias`: whether there is one, `is not None` asks.
        - if bias is not None:
        + if bias:
    """,
    "weight-gradient": """
        The columns are reshaped, not transposed.
        - filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        + n, g, m, p = columns.shape
        + filters += (flat[block] @ columns.reshape(n, g, p, m)).sum(axis=0)

        The images' gradients are averaged, not summed. (hint 3)
        - filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        + filters += (flat[block] @ columns.swapaxes(-2, -1)).mean(axis=0)

        Each block of images overwrites the result of earlier blocks. (hint 3)
        - filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        + filters[:] = (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)

        Every filter gets the gradient of all filters together.
        - filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        + together = flat[block].sum(axis=2, keepdims=True)
        + filters += (together @ columns.swapaxes(-2, -1)).sum(axis=0)

        Only the first image counts.
        - filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        + filters += (flat[block] @ columns.swapaxes(-2, -1))[0]

        The gradient is computed in float64, whatever the images are.
        - output = np.zeros_like(x, shape=shape, order="C")
        + output = np.zeros(shape)

        The sum gets a new name's memory (`a = a + b`), not the output's, which stays zero. (hint 3)
        - filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        + filters = filters + (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)

        The transposed product is computed and reshaped, which leaves its numbers in the wrong order. (hint 3)
        - filters += (flat[block] @ columns.swapaxes(-2, -1)).sum(axis=0)
        + product = (columns @ flat[block].swapaxes(-2, -1)).sum(axis=0)
        + filters += product.reshape(filters.shape)
    """,
    "col2im": """
        The columns are assigned, not added, so only the last one of each pixel counts. (hint 3)
        - output[seen] += columns[:, :, i, j]
        + output[seen] = columns[:, :, i, j]

        A pixel gets the mean of its columns, as if the image should be restored.
        - for i, j, seen in positions(window):
        + count = np.zeros_like(output)
        + for i, j, seen in positions(window):
        +     count[seen] += 1
        ...
        - return unpadded(output, size, window)
        + return unpadded(output / np.maximum(count, 1), size, window)

        The window is flipped in backward.
        - output[seen] += columns[:, :, i, j]
        + output[seen] += columns[:, :, -1 - i, -1 - j]

        Only the end of the padding is removed, not its beginning.
        - return unpadded(output, size, window)
        + return output[..., : size[0], : size[1]]

        A pixel gets the largest of its columns, not their sum. (hint 3)
        - output[seen] += columns[:, :, i, j]
        + output[seen] = np.maximum(output[seen], columns[:, :, i, j])

        i and j are exchanged: the window's rows come first. (hint 3)
        - output[seen] += columns[:, :, i, j]
        + output[seen] += columns[:, :, j, i]

        The sum goes into new memory (`a = a + b`), and the image stays zero. (hint 2)
        - output[seen] += columns[:, :, i, j]
        + part = output[seen]
        + part = part + columns[:, :, i, j]

        Places are taken to be neighbours, whatever the stride. (hint 2)
        - for i, j, seen in positions(window):
        + for i, j, seen in positions(window._replace(stride=(1, 1))):
    """,
    "input-gradient": """
        The filters are reshaped, not transposed. (hint 2)
        - filters = filters_by_group(weight, groups).swapaxes(-2, -1)  # (G, C/G kh kw, O/G)
        + filters = filters_by_group(weight, groups)
        + filters = filters.reshape(groups, filters.shape[2], filters.shape[1])

        Only the first block of images gets its gradient. (hint 3)
        - output[block] = col2im(columns, size, window)
        + output[block] = col2im(columns, size, window)
        + output[block.stop :] = 0
        + break

        The channels are those of one group, so the other groups' images get nothing.
        - product(filters, flat[block], out=columns_by_group(columns, groups))
        + np.matmul(filters[:1], flat[block], out=columns_by_group(columns, groups))

        The product goes into a new array, so col2im gets memory that was never filled. (hint 3)
        - product(filters, flat[block], out=columns_by_group(columns, groups))
        + columns[:] = 0
        + result = np.matmul(filters, flat[block])

        The columns are cut into images without col2im, so overlapping windows are not summed.
        - output[block] = col2im(columns, size, window)
        + for i, j, seen in positions(window._replace(padding=(0, 0))):
        +     shape = (*columns.shape[:2], *with_margin(size, window))
        +     image = np.zeros(shape, columns.dtype) if (i, j) == (0, 0) else image
        +     image[seen] = columns[:, :, i, j]
        + output[block] = unpadded(image, size, window)

        Every block of images gets the gradient of the first. (hint 3)
        - product(filters, flat[block], out=columns_by_group(columns, groups))
        + product(filters, flat[: len(columns)], out=columns_by_group(columns, groups))

        The product goes into a new array, and col2im gets memory that was never written to. (hint 3)
        - product(filters, flat[block], out=columns_by_group(columns, groups))
        + result = np.matmul(filters, flat[block])

        With `+=`, something is added to memory that was never written to: the columns, or the output. (hint 3)
        - output[block] = col2im(columns, size, window)
        + output[block] += col2im(columns, size, window)

        With `+=`, something is added to memory that was never written to: the columns, or the output. (hint 3)
        - product(filters, flat[block], out=columns_by_group(columns, groups))
        + matrices = columns_by_group(columns, groups)
        + matrices += filters @ flat[block]
    """,
    "max-pool": """
        A NaN is ignored, because it is never the larger of two numbers.
        - np.maximum(output, numbers, out=output)
        + np.fmax(output, numbers, out=output)

        The first slice is not copied, so the maxima are written into the image. (hint 3)
        - output = first.copy()
        + output = first

        The padding is zeros, and wins where all numbers are negative.
        - around = padded_for_max(x, window)
        + around = padded(x, window)

        The search begins at zero, so no maximum is negative.
        - output = first.copy()
        - for numbers in others:
        + output = np.zeros_like(first)
        + for numbers in [first, *others]:

        Each window gives its mean, not its maximum.
        - first, *others = [around[seen] for _, _, seen in positions(window)]
        - output = first.copy()
        - for numbers in others:
        -     np.maximum(output, numbers, out=output)
        + output = np.mean([around[seen] for _, _, seen in positions(window)], axis=0)

        The search begins at a small number, so windows of -inf do not give -inf.
        - output = first.copy()
        - for numbers in others:
        + output = np.full_like(first, -1e9)
        + for numbers in [first, *others]:

        For a window of one pixel the output is the image itself. (hint 3)
        - output = first.copy()
        - for numbers in others:
        -     np.maximum(output, numbers, out=output)
        + output = first
        + for numbers in others:
        +     output = np.maximum(output, numbers)
    """,
    "winners": """
        Where the maximum is NaN, a position wins.
        - return found
        + found[0] |= np.isnan(output)
        + return found

        All equal maxima win. (hint 2)
        - here = (x[seen] == output) & free
        + here = x[seen] == output

        The last of equal maxima wins.
        - for _, _, seen in positions(window):
        + for _, _, seen in positions(window)[::-1]:
        ...
        - found.append(here)
        + found.insert(0, here)

        Once one place has a winner, all places count as taken.
        - free ^= here
        + free &= not here.any()

        A place that is won is taken for the next position only, and free again after that.
        - free ^= here
        + free = ~here

        A place that was taken is free again after another number there equals the maximum. (hint 3)
        - free ^= here
        + free ^= x[seen] == output

        Numbers close to the maximum win as well.
        - here = (x[seen] == output) & free
        + here = np.isclose(x[seen], output) & free

        The arrays are of integers, not of booleans.
        - found.append(here)
        + found.append(here.astype(int))
    """,
    "batch-norm": """
        The running variance follows the biased one. (hint 2)
        - running_var += momentum * (var.reshape(-1) * (count / (count - 1)) - running_var)
        + running_var += momentum * (var.reshape(-1) - running_var)

        The momentum says how much of the old statistics is kept.
          running_mean, running_var = running
        + momentum = 1 - momentum

        The running mean stays as it is: no new numbers come into its memory. (hint 1)
        - running_mean += momentum * (mean.reshape(-1) - running_mean)
        - running_var += momentum * (var.reshape(-1) * (count / (count - 1)) - running_var)
        + running_mean = (1 - momentum) * running_mean + momentum * mean.reshape(-1)
        + unbiased = var.reshape(-1) * (count / (count - 1))
        + running_var = (1 - momentum) * running_var + momentum * unbiased

        The batch too is normalised with the unbiased variance.
          ctx.eps = eps
        + var = var * (x.size / x.shape[1] / (x.size / x.shape[1] - 1))

        Weight and bias are laid along the last dimension.
        - scale = scale * weight.reshape(shape)
        + scale = scale * weight
        ...
        - output += bias.reshape(shape)
        + output += bias

        Where there are running statistics, the batch is normalised with them, not with its own.
        - scale = 1 / np.sqrt(var + eps)
        + if running is not None:
        +     mean, var = (array.reshape(shape) for array in running)
        + scale = 1 / np.sqrt(var + eps)

        The variance is made unbiased in place, so the batch and its gradient use it too. (hint 2)
        - running_var += momentum * (var.reshape(-1) * (count / (count - 1)) - running_var)
        + var *= count / (count - 1)
        + running_var += momentum * (var.reshape(-1) - running_var)

        eps is added to var in place, so the gradient adds it once more.
        - scale = 1 / np.sqrt(var + eps)
        + var += eps
        + scale = 1 / np.sqrt(var)

        The mean is multiplied by the scale in place, but backward needs it as it is.
        - output = x - mean
        - output *= scale
        + mean *= scale
        + output = x * scale - mean

        The mean is negated in place, but backward needs it as it is.
        - output = x - mean
        + mean *= -1
        + output = x + mean

        The images are counted, not the numbers of a channel: n is too small by their places. (hint 2)
        - count = x.size // x.shape[1]
        + count = len(x)

        The numbers of all channels are counted, not those of one. (hint 2)
        - count = x.size // x.shape[1]
        + count = x.size

        eps is forgotten.
        - scale = 1 / np.sqrt(var + eps)
        + scale = 1 / np.sqrt(var)

        eps is added to the root, not to the variance under it.
        - scale = 1 / np.sqrt(var + eps)
        + scale = 1 / (np.sqrt(var) + eps)

        x is changed in place: the mean is subtracted from the input itself.
        - output = x - mean
        + output = x
        + output -= mean

        The weight is laid along the last dimension. (hint 3)
        - scale = scale * weight.reshape(shape)
        + scale = scale * weight

        x is changed in place: the mean is subtracted from the input itself.
        - output = x - mean
        - output *= scale
        + x -= mean
        + output = x * scale

        The bias is scaled, too: it is added before the scale.
        - output *= scale
        - if bias is not None:
        -     output += bias.reshape(shape)
        - return output
        + if bias is not None:
        +     output += bias.reshape(shape)
        + return output * scale
    """,
    "batch-norm-gradient": """
        Sums are over the batch alone, not over `axes`, which for images has the pixels too.
        - grad_weight = (grad * normal).sum(axis=axes, keepdims=True)
        - grad_bias = grad.sum(axis=axes, keepdims=True)
        + grad_weight = (grad * normal).sum(axis=0, keepdims=True)
        + grad_bias = grad.sum(axis=0, keepdims=True)

        Mean and variance are treated as constants. (hint 2)
        - grad_x = scale * (grad - grad_bias / count - normal * (grad_weight / count))
        + grad_x = scale * grad

        The part through the variance is forgotten. (hint 2)
        - grad_x = scale * (grad - grad_bias / count - normal * (grad_weight / count))
        + grad_x = scale * (grad - grad_bias / count)

        The sums are divided by the number of images, without the places.
        - grad_x = scale * (grad - grad_bias / count - normal * (grad_weight / count))
        + grad_x = scale * (grad - (grad_bias + normal * grad_weight) / len(grad))

        The weight's gradient is that of the bias: the normalised input is forgotten.
        - return grad_x, grad_weight.reshape(-1), grad_bias.reshape(-1)
        + return grad_x, grad_bias.reshape(-1), grad_bias.reshape(-1)

        The gradients of weight and bias are returned in the wrong order.
        - return grad_x, grad_weight.reshape(-1), grad_bias.reshape(-1)
        + return grad_x, grad_bias.reshape(-1), grad_weight.reshape(-1)

        squeeze() removes every dimension of length 1, also that of a single channel.
        - return grad_x, grad_weight.reshape(-1), grad_bias.reshape(-1)
        + return grad_x, grad_weight.squeeze(), grad_bias.squeeze()

        The gradients of weight and bias keep the dimensions over which they were summed.
        - return grad_x, grad_weight.reshape(-1), grad_bias.reshape(-1)
        + return grad_x, grad_weight, grad_bias

        The sums of Tensors are computed by NumPy, which makes arrays of them.
        - grad_weight = (grad * normal).sum(axis=axes, keepdims=True)
        - grad_bias = grad.sum(axis=axes, keepdims=True)
        + arrays = [a if isinstance(a, np.ndarray) else a.numpy() for a in (grad, normal)]
        + grad_weight = (arrays[0] * arrays[1]).sum(axis=axes, keepdims=True)
        + grad_bias = arrays[0].sum(axis=axes, keepdims=True)

        The part through the mean is forgotten. (hint 2)
        - grad_x = scale * (grad - grad_bias / count - normal * (grad_weight / count))
        + grad_x = scale * (grad - normal * (grad_weight / count))

        Sums over a channel are subtracted, not means. (hint 3)
        - grad_x = scale * (grad - grad_bias / count - normal * (grad_weight / count))
        + grad_x = scale * (grad - grad_bias - normal * grad_weight)

        The scale is forgotten.
        - grad_x = scale * (grad - grad_bias / count - normal * (grad_weight / count))
        + grad_x = grad - grad_bias / count - normal * (grad_weight / count)

        The part through the variance is added, not subtracted.
        - grad_x = scale * (grad - grad_bias / count - normal * (grad_weight / count))
        + grad_x = scale * (grad - grad_bias / count + normal * (grad_weight / count))

        The gradients of weight and bias are divided by the count: they are sums, not means. (hint 3)
        - return grad_x, grad_weight.reshape(-1), grad_bias.reshape(-1)
        + return grad_x, grad_weight.reshape(-1) / count, grad_bias.reshape(-1) / count

        The weight's gradient is multiplied by the scale, which belongs to that of x alone. (hint 3)
        - return grad_x, grad_weight.reshape(-1), grad_bias.reshape(-1)
        + return grad_x, (grad_weight * scale).reshape(-1), grad_bias.reshape(-1)
    """,
    "basic-block": """
        The shortcut is forgotten. (hint 2)
        - return self.relu(output + shortcut)
        + return self.relu(output)

        There is a relu before the sum in place of one after it. (hint 3)
        - return self.relu(output + shortcut)
        + return self.relu(output) + shortcut

        The downsample is applied to the block's output. (hint 2)
        - shortcut = x if self.downsample is None else self.downsample(x)
        + shortcut = x
        ...
        - return self.relu(output + shortcut)
        + if self.downsample is not None and self.downsample.in_channels == output.shape[1]:
        +     output = self.downsample(output)
        + return self.relu(output + x) if output.shape == x.shape else self.relu(output)

        There is no relu between the two convolutions, so they are one.
        - output = self.relu(self.bn1(self.conv1(x)))
        + output = self.bn1(self.conv1(x))

        Both convolutions shrink the image. (hint 1)
        - self.conv2 = Conv2d(planes, planes, 3, padding=1, bias=False)
        + self.conv2 = Conv2d(planes, planes, 3, stride, padding=1, bias=False)

        The first convolution has a bias, which the normalisation after it subtracts again.
        - self.conv1 = Conv2d(inplanes, planes, 3, stride, padding=1, bias=False)
        + self.conv1 = Conv2d(inplanes, planes, 3, stride, padding=1)

        There is no normalisation.
        - output = self.relu(self.bn1(self.conv1(x)))
        - output = self.bn2(self.conv2(output))
        + output = self.conv2(self.relu(self.conv1(x)))

        The first relu comes before its normalisation.
        - output = self.relu(self.bn1(self.conv1(x)))
        + output = self.bn1(self.relu(self.conv1(x)))

        The shortcut is added before the second normalisation. (hint 3)
        - output = self.bn2(self.conv2(output))
        - return self.relu(output + shortcut)
        + return self.relu(self.bn2(self.conv2(output) + shortcut))

        The first normalisation is used in place of the second too.
        - output = self.bn2(self.conv2(output))
        + output = self.bn1(self.conv2(output))

        The two normalisations are exchanged.
        - output = self.relu(self.bn1(self.conv1(x)))
        - output = self.bn2(self.conv2(output))
        + output = self.relu(self.bn2(self.conv1(x)))
        + output = self.bn1(self.conv2(output))

        The normalisations have another momentum than BatchNorm2d's own 0.1.
        - self.bn1 = BatchNorm2d(planes)
        + self.bn1 = BatchNorm2d(planes, momentum=0.9)
        ...
        - self.bn2 = BatchNorm2d(planes)
        + self.bn2 = BatchNorm2d(planes, momentum=0.9)

        The sum is written into the input.
        - output = self.bn2(self.conv2(output))
        - return self.relu(output + shortcut)
        + shortcut += self.bn2(self.conv2(output))
        + return self.relu(shortcut)

        The first convolution does not move by the block's stride. (hint 1)
        - self.conv1 = Conv2d(inplanes, planes, 3, stride, padding=1, bias=False)
        + self.conv1 = Conv2d(inplanes, planes, 3, planes // inplanes, padding=1, bias=False)

        The shortcut is not downsampled, at least where the channels stay the same. (hint 2)
        - shortcut = x if self.downsample is None else self.downsample(x)
        + same = x.shape[1] == self.conv2.weight.shape[0]
        + shortcut = x if self.downsample is None or same else self.downsample(x)

        No gradient passes through the shortcut.
        - return self.relu(output + shortcut)
        + return self.relu(output + shortcut.detach())

        The shortcut is not downsampled, at least where the channels stay the same. (hint 2)
        - shortcut = x if self.downsample is None else self.downsample(x)
        + shortcut = x
        ...
        - return self.relu(output + shortcut)
        + return self.relu(shortcut + output)

        There is no relu after the sum. (hint 3)
        - return self.relu(output + shortcut)
        + return output + shortcut

        There is a relu after the second normalisation, before the sum. (hint 3)
        - output = self.bn2(self.conv2(output))
        + output = self.relu(self.bn2(self.conv2(output)))

        Both convolutions have a bias, which the normalisation after them subtracts again.
        - self.conv1 = Conv2d(inplanes, planes, 3, stride, padding=1, bias=False)
        + self.conv1 = Conv2d(inplanes, planes, 3, stride, padding=1)
        ...
        - self.conv2 = Conv2d(planes, planes, 3, padding=1, bias=False)
        + self.conv2 = Conv2d(planes, planes, 3, padding=1)

        The second convolution moves by the stride, not the first. (hint 1)
        - self.conv1 = Conv2d(inplanes, planes, 3, stride, padding=1, bias=False)
        + self.conv1 = Conv2d(inplanes, planes, 3, padding=1, bias=False)
        ...
        - self.conv2 = Conv2d(planes, planes, 3, padding=1, bias=False)
        + self.conv2 = Conv2d(planes, planes, 3, stride, padding=1, bias=False)

        The convolutions have no padding, so the images shrink. (hint 1)
        - self.conv1 = Conv2d(inplanes, planes, 3, stride, padding=1, bias=False)
        + self.conv1 = Conv2d(inplanes, planes, 3, stride, bias=False)
        ...
        - self.conv2 = Conv2d(planes, planes, 3, padding=1, bias=False)
        + self.conv2 = Conv2d(planes, planes, 3, bias=False)

        The downsample is applied to the block's output, not to the shortcut. (hint 2)
        - shortcut = x if self.downsample is None else self.downsample(x)
        + shortcut = x
        ...
        - return self.relu(output + shortcut)
        + if self.downsample is not None:
        +     output = self.downsample(output)
        + return self.relu(shortcut + output)

        The convolutions get the downsampled input, and the shortcut does not. (hint 2)
        - shortcut = x if self.downsample is None else self.downsample(x)
        + shortcut = x
        + if self.downsample is not None:
        +     x = self.downsample(x)
        ...
        - return self.relu(output + shortcut)
        + return self.relu(shortcut + output)

        The convolutions get the downsampled input, too: it is for the shortcut alone. (hint 2)
        - shortcut = x if self.downsample is None else self.downsample(x)
        + shortcut = x = x if self.downsample is None else self.downsample(x)
        ...
        - return self.relu(output + shortcut)
        + return self.relu(shortcut + output)

        The downsample is applied to the block's output, not to the shortcut. (hint 2)
        - shortcut = x if self.downsample is None else self.downsample(x)
        + shortcut = x
        ...
        - return self.relu(output + shortcut)
        + if self.downsample is not None:
        +     output = self.downsample(output)
        + return self.relu(output + shortcut)

        The convolutions get the downsampled input, and the shortcut does not. (hint 2)
        - shortcut = x if self.downsample is None else self.downsample(x)
        + shortcut = x
        + if self.downsample is not None:
        +     x = self.downsample(x)
        ...
        - return self.relu(output + shortcut)
        + return self.relu(output + shortcut)

        The convolutions get the downsampled input, too: it is for the shortcut alone. (hint 2)
        - shortcut = x if self.downsample is None else self.downsample(x)
        + shortcut = x = x if self.downsample is None else self.downsample(x)
        ...
        - return self.relu(output + shortcut)
        + return self.relu(output + shortcut)
    """,
}
