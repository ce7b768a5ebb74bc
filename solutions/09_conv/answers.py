"""Other right answers to the stubs of module 09: their tests pass with each."""

ANSWERS = {
    "output-size": """
        The window is moved on, place by place.
        + reach, end, count = dilation * (kernel_size - 1) + 1, size + 2 * padding, 0
        + while count * stride + reach <= end:
        +     count += 1
        + seen = (count - 1) * stride + reach
        + if ceil_mode and seen < end and count * stride < size + padding:
        +     count += 1
        + return count

        As the formula stands in PyTorch's source: longer by what rounds up, and taken back.
        + more = stride - 1 if ceil_mode else 0
        + count = (size + 2 * padding - dilation * (kernel_size - 1) - 1 + more) // stride + 1
        + if ceil_mode and (count - 1) * stride >= size + padding:
        +     count -= 1
        + return count
    """,
    "conv2d-naive": """
        All indices in one loop, added up in the output.
        + if bias is not None:
        +     output += bias.reshape(-1, 1, 1)
        + for n, o, r, c in np.ndindex(output.shape):
        +     group = o * groups // filters
        +     for k, i, j in np.ndindex(channels, height, width):
        +         pixel = x[
        +             n, group * channels + k, r * stride + i * dilation, c * stride + j * dilation
        +         ]
        +         output[n, o, r, c] += weight[o, k, i, j] * pixel
    """,
    "positions": """
        Slices that go to the end of what a place can reach, position by position.
        + height, width = window.kernel_size
        + found = []
        + for number in range(height * width):
        +     i, j = divmod(number, width)
        +     index = [Ellipsis]
        +     for at, s, d, n in zip((i, j), window.stride, window.dilation, window.places):
        +         index.append(slice(at * d, at * d + n * s, s))
        +     found.append((i, j, tuple(index)))
        + return found
    """,
    "im2col": """
        A dictionary of what is seen, copied afterwards.
        + pixels = {(i, j): x[seen] for i, j, seen in positions(window)}
        + for (i, j), numbers in pixels.items():
        +     np.copyto(columns[:, :, i, j], numbers)
    """,
    "convolution": """
        One image at a time, into a new array.
        + shape = (1, x.shape[1], *window.kernel_size, *window.places)
        + for n in range(len(x)):
        +     columns = im2col(x[n : n + 1], window, np.empty(shape, x.dtype))
        +     product = filters_by_group(weight, groups) @ columns_by_group(columns, groups)
        +     output[n] = product.reshape(output.shape[1:])
        + if bias is not None:
        +     output += bias[:, None, None]
    """,
    "weight-gradient": """
        The images of a block side by side, in one longer product.
        + filters, flat = filters_by_group(output, groups), images_by_group(grad, groups)
        + for block, columns in column_blocks(x, window, groups):
        +     for group in range(groups):
        +         left = np.concatenate(list(flat[block, group]), axis=-1)
        +         right = np.concatenate(list(columns[:, group]), axis=-1)
        +         filters[group] += left @ right.T
    """,
    "col2im": """
        With np.add.at, which is slower.
        + for i, j, seen in positions(window):
        +     np.add.at(output, seen, columns[:, :, i, j])
    """,
    "input-gradient": """
        One image at a time, with einsum.
        + flat, filters = images_by_group(grad, groups), filters_by_group(weight, groups)
        + shape = (1, channels, *window.kernel_size, *window.places)
        + for n in range(len(grad)):
        +     columns = np.einsum("gok,gop->gkp", filters, flat[n]).reshape(shape)
        +     output[n] = col2im(columns, size, window)[0]
    """,
    "max-pool": """
        The slices stacked, and one maximum over them.
        + output = np.stack([around[seen] for _, _, seen in positions(window)]).max(axis=0)
    """,
    "winners": """
        The first position that holds the maximum, by argmax.
        + held = np.stack([x[seen] == output for _, _, seen in positions(window)])
        + first = held.argmax(axis=0)
        + return [(first == number) & held[number] for number in range(len(held))]

        The place of the maximum by argmax, from the images alone.
        + first = np.stack([x[seen] for _, _, seen in positions(window)]).argmax(axis=0)
        + count, valid = math.prod(window.kernel_size), ~np.isnan(output)
        + return [(first == number) & valid for number in range(count)]

        One array in place of a list.
        + held = np.stack([x[seen] == output for _, _, seen in positions(window)])
        + return held & (held.cumsum(axis=0) == 1)
    """,
    "batch-norm": """
        The running statistics as a weighted mean, written back where they lie.
        + if running is not None:
        +     running_mean, running_var = running
        +     unbiased = var.reshape(-1) * x.size / (x.size - x.shape[1])
        +     running_mean[:] = (1 - momentum) * running_mean + momentum * mean.reshape(-1)
        +     running_var[:] = (1 - momentum) * running_var + momentum * unbiased
        + output = (x - mean) / np.sqrt(var + eps)
        + if weight is not None:
        +     output *= weight.reshape(shape)
        + if bias is not None:
        +     output = output + bias.reshape(shape)
        + return output
    """,
    "batch-norm-gradient": """
        Means in place of sums, and the two sums at the end.
        + centred = grad - grad.mean(axis=axes, keepdims=True)
        + along = (grad * normal).mean(axis=axes, keepdims=True)
        + grad_x = (centred - normal * along) * scale
        + return grad_x, along.reshape(-1) * count, grad.sum(axis=axes)
    """,
    "basic-block": """
        Options by name, and the sum step by step.
        - self.conv1 = Conv2d(inplanes, planes, 3, stride, padding=1, bias=False)
        + options = {"kernel_size": (3, 3), "padding": (1, 1), "bias": False}
        + self.conv1 = Conv2d(inplanes, planes, stride=stride, **options)
        ...
        - self.conv2 = Conv2d(planes, planes, 3, padding=1, bias=False)
        + self.conv2 = Conv2d(planes, planes, **options)
        ...
        - shortcut = x if self.downsample is None else self.downsample(x)
        - output = self.relu(self.bn1(self.conv1(x)))
        - output = self.bn2(self.conv2(output))
        - return self.relu(output + shortcut)
        + output = self.bn2(self.conv2((self.bn1(self.conv1(x))).relu()))
        + if self.downsample is not None:
        +     x = self.downsample(x)
        + return (x + output).relu()
    """,
}
