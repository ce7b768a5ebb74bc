"""Other right answers of module 17: with each in its stub, every test of the stub passes."""

ANSWERS = {
    "transpose": """
        Tile after tile, by their numbers.
        + across = -(-columns // TILE)
        + for tile in range(-(-rows // TILE) * across):
        +     i, j = tile // across * TILE, tile % across * TILE
        +     for a in range(i, min(i + TILE, rows)):
        +         for b in range(j, min(j + TILE, columns)):
        +             out[b, a] = x[a, b]

        Along the rows of the input.
        + for j in range(0, columns, TILE):
        +     for i in range(0, rows, TILE):
        +         for a in range(i, min(i + TILE, rows)):
        +             for b in range(j, min(j + TILE, columns)):
        +                 out[b, a] = x[a, b]

        In tiles as high as the matrix.
        + for j in range(0, columns, TILE):
        +     for a in range(rows):
        +         for b in range(j, min(j + TILE, columns)):
        +             out[b, a] = x[a, b]
    """,
    "blocked-product": """
        Down the columns of tiles, and slices that end by themselves.
        + out[:] = 0
        + for j in range(0, b.shape[1], width):
        +     for k in range(0, b.shape[0], depth):
        +         tile = b[k : k + depth, j : j + width].copy()
        +         for i in range(a.shape[0]):
        +             add_row(a[i, k : k + depth], tile, out[i, j : j + width])

        All loops written out, and the tile copied number by number.
        + M, K = a.shape
        + N = b.shape[1]
        + for i in range(M):
        +     for j in range(N):
        +         out[i, j] = float32(0)
        + tile = np.empty((depth, width), np.float32)
        + for k in range(0, K, depth):
        +     for j in range(0, N, width):
        +         rows, columns = min(depth, K - k), min(width, N - j)
        +         for p in range(rows):
        +             for q in range(columns):
        +                 tile[p, q] = b[k + p, j + q]
        +         for i in range(M):
        +             result = out[i, j : j + columns]
        +             for p in range(rows):
        +                 factor, row = a[i, k + p], tile[p]
        +                 for q in range(columns):
        +                     result[q] += factor * row[q]

        By NumPy's own words for a contiguous copy and for zeros.
        + out.fill(0)
        + for k in range(0, len(b), depth):
        +     for j in range(0, b.shape[1], width):
        +         tile = np.ascontiguousarray(b[k : k + depth, j : j + width])
        +         for i in range(len(a)):
        +             row, result = a[i], out[i]
        +             add_row(row[k : k + depth], tile, result[j : j + width])
    """,
    "register-block": """
        By fours from the end, and the rest in a loop of its own.
        + left = len(x) % 4
        + for k in range(left):
        +     for j in range(len(out)):
        +         out[j] += x[k] * b[k, j]
        + for k in range(left, len(x), 4):
        +     p, q, r, s = b[k], b[k + 1], b[k + 2], b[k + 3]
        +     for j in range(len(out)):
        +         out[j] += (x[k] * p[j] + x[k + 1] * q[j]) + (x[k + 2] * r[j] + x[k + 3] * s[j])

        With a count of its own.
        + k = 0
        + while k + 4 <= len(x):
        +     one, two, three, four = b[k], b[k + 1], b[k + 2], b[k + 3]
        +     for j in range(len(out)):
        +         total = out[j] + x[k] * one[j] + x[k + 1] * two[j]
        +         out[j] = total + x[k + 2] * three[j] + x[k + 3] * four[j]
        +     k += 4
        + while k < len(x):
        +     add_row(x[k : k + 1], b[k : k + 1], out)
        +     k += 1
    """,
    "fit-exponential": """
        The normal equations, and powers by np.vander.
        + k = np.arange(points)
        + r = np.cos((2 * k + 1) / (2 * points) * np.pi) * np.log(2) / 2
        + A = np.vander(r, degree + 1, increasing=True)[:, 1:] / np.exp(r)[:, None]
        + return np.linalg.solve(A.T @ A, A.T @ (1 - np.exp(-r)))

        With an orthogonal factorisation.
        + r = math.log(2) / 2 * np.cos(np.pi * (np.arange(points) + 0.5) / points)
        + A = np.array([r**k for k in range(1, degree + 1)]).T / np.exp(r)[:, None]
        + q, triangle = np.linalg.qr(A)
        + return np.linalg.solve(triangle, q.T @ (-np.expm1(-r)))
    """,
    "exponential": """
        By min and max of the other kind, and Estrin's form.
        - x = HIGHEST if x > HIGHEST else x
        - x = LOWEST if x < LOWEST else x
        + if x > HIGHEST:
        +     x = HIGHEST
        + elif x < LOWEST:
        +     x = LOWEST
        ...
        - p = float32(0.16668114) + r * (float32(0.041898732) + r * float32(0.008261531))
        - p = ONE + r * (float32(0.99999953) + r * (float32(0.49999141) + r * p))
        + s = r * r
        + high = float32(0.16668114) + r * float32(0.041898732) + s * float32(0.008261531)
        + p = (ONE + r * float32(0.99999953)) + s * (float32(0.49999141) + r * high)

        Degree 6.
        - p = float32(0.16668114) + r * (float32(0.041898732) + r * float32(0.008261531))
        - p = ONE + r * (float32(0.99999953) + r * (float32(0.49999141) + r * p))
        + p = float32(0.04166772) + r * (float32(0.00837476) + r * float32(0.00138593))
        + p = float32(0.49999995) + r * (float32(0.16666421) + r * p)
        + p = ONE + r * (ONE + r * p)
    """,
    "bias-gelu": """
        Over all rows and columns, and the sums of each column at the end.
        - for i in range(len(x)):
        -     row, result = x[i], out[i]
        -     for j in range(len(bias)):
        -         result[j] = gelu_of(row[j] + bias[j])
        + for i in range(x.shape[0]):
        +     for j in range(x.shape[1]):
        +         out[i, j] = gelu_of(x[i, j] + bias[j])
        ...
        - for i in range(len(x)):
        -     g, row, result = grad[i], x[i], grad_x[i]
        -     for j in range(len(bias)):
        -         d = g[j] * gelu_slope(row[j] + bias[j])
        -         result[j] = d
        -         grad_bias[j] += d
        + for i in range(x.shape[0]):
        +     for j in range(x.shape[1]):
        +         grad_x[i, j] = gelu_slope(x[i, j] + bias[j]) * grad[i, j]
        + for i in range(x.shape[0]):
        +     for j in range(x.shape[1]):
        +         grad_bias[j] += grad_x[i, j]
    """,
    "softmax-rows": """
        Divided, not multiplied; the product p g is stored first.
        - scale = ONE / total
        - for j in range(len(row)):
        -     result[j] *= scale
        + for j in range(len(row)):
        +     result[j] /= total
        ...
        - for j in range(len(row)):
        -     dot += g[j] * row[j]
        - for j in range(len(row)):
        -     result[j] = row[j] * (g[j] - dot)
        + for j in range(len(row)):
        +     result[j] = g[j] * row[j]
        +     dot += result[j]
        + for j in range(len(row)):
        +     result[j] -= row[j] * dot
    """,
    "cross-entropy": """
        The maximum first.
        - losses[i] = np.log(total) + (m - row[classes[i]])
        - maxima[i], sums[i] = m, total
        + maxima[i] = m
        + sums[i] = total
        + losses[i] = (m - row[classes[i]]) + np.log(total)
        ...
        - scale = grad[i] / sums[i]
        - for j in range(len(row)):
        -     result[j] = exp(row[j] - m) * scale
        - result[classes[i]] -= grad[i]
        + for j in range(len(row)):
        +     target = ONE if j == classes[i] else float32(0)
        +     result[j] = grad[i] * (exp(row[j] - m) / sums[i] - target)
    """,
    "layer-norm": """
        By NumPy's mean, in each row.
        + for i in range(len(x)):
        +     m = x[i].sum() / float32(width)
        +     centred = x[i] - m
        +     r = ONE / np.sqrt((centred * centred).sum() / float32(width) + eps)
        +     out[i] = centred * r * weight + bias
        +     means[i], inverses[i] = m, r

        The distances are stored in the output first.
        - square += (row[j] - m) * (row[j] - m)
        + result[j] = row[j] - m
        + square += result[j] ** 2
        ...
        - result[j] = (row[j] - m) * r * weight[j] + bias[j]
        + result[j] = result[j] * r * weight[j] + bias[j]

        Over the row itself, so that its sum is in the loop's order, and a power for the root.
        - for j in range(width):
        -     total += row[j]
        + for number in row:
        +     total += number
        ...
        - r = ONE / np.sqrt(square / float32(width) + eps)
        + r = (square / float32(width) + eps) ** float32(-0.5)
    """,
    "layer-norm-gradient": """
        By whole rows.
        + for i in range(len(x)):
        +     n = (x[i] - means[i]) * inverses[i]
        +     d = grad[i] * weight
        +     first = d.sum() / float32(width)
        +     second = (d * n).sum() / float32(width)
        +     grad_x[i] = inverses[i] * (d - first - n * second)
        +     grad_weight += grad[i] * n
        +     grad_bias += grad[i]

        Weight and bias in a loop of their own.
        - grad_weight[j] += g[j] * n
        - grad_bias[j] += g[j]
        ...
        - first, second = first / float32(width), second / float32(width)
        + first, second = first / float32(width), second / float32(width)
        + for j in range(width):
        +     grad_weight[j] += g[j] * (row[j] - m) * r
        +     grad_bias[j] += g[j]
    """,
    "adamw": """
        As movements towards the gradient.
        - m[i] = beta1 * m[i] + new1 * g
        - v[i] = beta2 * v[i] + new2 * g * g
        - w[i] = decay * w[i] - size * m[i] / (np.sqrt(v[i]) + eps)
        + m[i] += new1 * (g - m[i])
        + v[i] += new2 * (g * g - v[i])
        + w[i] *= decay
        + w[i] -= size * (m[i] / (np.sqrt(v[i]) + eps))
    """,
    "int8-product": """
        In int64, which the compiler narrows by itself.
        + for n in range(len(x)):
        +     for o in range(len(weight)):
        +         total = 0
        +         for k in range(x.shape[1]):
        +             total += int(x[n, k]) * int(weight[o, k])
        +         out[n, o] = total

        The weight's rows outside.
        + for o in range(len(weight)):
        +     for n in range(len(x)):
        +         out[n, o] = 0
        +         for k in range(x.shape[1]):
        +             out[n, o] += int32(weight[o, k]) * int32(x[n, k])
    """,
    "int4-sums": """
        Minus eight times the sum of x at the beginning.
        - sums[:] = int16(0)
        + eights = int16(0)
        + for k in range(len(x)):
        +     eights = int16(eights - int16(int16(8) * x[k]))
        + sums[:] = eights
        ...
        - low = int16(int16(uint8(byte & uint8(15))) - int16(8))
        - high = int16(int16(uint8(byte >> uint8(4))) - int16(8))
        + low = int16(uint8(byte & uint8(15)))
        + high = int16(uint8(byte >> uint8(4)))

        By shifts, which keep the sign.
        - byte = uint8(row[o] ^ uint8(0x88))  # both halves from 0 to 15: w + 8
        - low = int16(int16(uint8(byte & uint8(15))) - int16(8))
        - high = int16(int16(uint8(byte >> uint8(4))) - int16(8))
        + byte = int16(np.int8(row[o]))
        + low = int16(int16(byte << int16(12)) >> int16(12))
        + high = int16(byte >> int16(4))

        The first row of bytes begins the sums.
        - sums[:] = int16(0)
        + for o in range(len(sums)):
        +     sums[o] = 0
        ...
        - a, b, row = x[k], x[half + k], packed[k]
        - for o in range(len(row)):
        + a, b, row = x[k], x[k + len(packed)], packed[k]
        + for o in range(packed.shape[1]):
    """,
    "accelerate": """
        One by one, and taken away in reverse.
        - self.handles = [register_kernel(*entry) for entry in kernel_table()]
        - if model is not None:
        -     self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + self.handles = []
        + for operation, forward, backward, when in kernel_table():
        +     self.handles.append(register_kernel(operation, forward, backward, when))
        + for module in [] if model is None else list(model.modules()):
        +     if can_fuse(module):
        +         self.handles.append(fuse(module))
        ...
        - for handle in self.handles:
        -     handle.remove()
        - self.handles = []
        + while self.handles:
        +     self.handles.pop().remove()
    """,
}
