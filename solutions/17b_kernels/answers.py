"""Other right answers of module 17b: with each in its stub, every test of the stub passes."""

ANSWERS = {
    "map": """
        A while loop, with the numbers of the thread written out.
        + i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        + while i < size:
        +     out[out_offset + i] = fn(x[x_offset + i])
        +     i += cuda.gridDim.x * cuda.blockDim.x

        The offset is added to the start.
        + for i in range(x_offset + cuda.grid(1), x_offset + size, cuda.gridsize(1)):
        +     out[out_offset - x_offset + i] = fn(x[i])
    """,
    "zip": """
        By the rules of Python, which takes more instructions.
        - for dim in range(len(shape) - 1, 0, -1):
        -     index, digit = divided(index, shape[dim])
        -     place += digit * strides[dim]
        - return place + index * strides[0]
        + for dim in range(len(shape) - 1, -1, -1):
        +     place += index % shape[dim] * strides[dim]
        +     index //= shape[dim]
        + return place

        With divmod, and counting dimensions up.
        - for dim in range(len(shape) - 1, 0, -1):
        -     index, digit = divided(index, shape[dim])
        -     place += digit * strides[dim]
        - return place + index * strides[0]
        + for dim in range(len(shape)):
        +     back = len(shape) - 1 - dim
        +     index, digit = divmod(index, shape[back])
        +     place += digit * strides[back]
        + return place

        The size of what is below is divided out.
        - for dim in range(len(shape) - 1, 0, -1):
        -     index, digit = divided(index, shape[dim])
        -     place += digit * strides[dim]
        - return place + index * strides[0]
        + below = 1
        + for dim in range(len(shape)):
        +     below *= shape[dim]
        + for dim in range(len(shape)):
        +     below //= shape[dim]
        +     digit, index = divided(index, below)
        +     place += digit * strides[dim]
        + return place

        A while loop.
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        -     a = x[x_offset + place_of(i, shape, x_strides)]
        -     b = y[y_offset + place_of(i, shape, y_strides)]
        -     out[out_offset + place_of(i, shape, out_strides)] = fn(a, b)
        + i = cuda.grid(1)
        + while i < size:
        +     x_place, y_place = place_of(i, shape, x_strides), place_of(i, shape, y_strides)
        +     result = fn(x[x_offset + x_place], y[y_offset + y_place])
        +     out[place_of(i, shape, out_strides) + out_offset] = result
        +     i += cuda.gridsize(1)
    """,
    "block-reduce": """
        Neighbours first, the distance doubles.
        + t = cuda.threadIdx.x
        + shared[t] = value
        + cuda.syncthreads()
        + step = 1
        + while step < cuda.blockDim.x:
        +     if t % (2 * step) == 0:
        +         shared[t] = fn(shared[t], shared[t + step])
        +     cuda.syncthreads()
        +     step *= 2
        + total = shared[0]
        + cuda.syncthreads()
        + return total

        The value is kept in a variable of the thread.
        + t = cuda.threadIdx.x
        + shared[t] = value
        + cuda.syncthreads()
        + half = cuda.blockDim.x >> 1
        + while half:
        +     if t < half:
        +         value = fn(value, shared[t + half])
        +         shared[t] = value
        +     cuda.syncthreads()
        +     half >>= 1
        + total = shared[0]
        + cuda.syncthreads()
        + return total

        Warps combine by shuffles, and shared memory holds their totals.
        + t, lane = cuda.threadIdx.x, cuda.threadIdx.x % 32
        + step = min(32, cuda.blockDim.x) // 2
        + while step > 0:
        +     value = fn(value, cuda.shfl_down_sync(0xFFFFFFFF, value, step))
        +     step //= 2
        + if lane == 0:
        +     shared[t // 32] = value
        + cuda.syncthreads()
        + total = shared[0]
        + for warp in range(1, (cuda.blockDim.x + 31) // 32):
        +     total = fn(total, shared[warp])
        + cuda.syncthreads()
        + return total

        The last warp goes on by shuffles.
        + t, lane = cuda.threadIdx.x, cuda.threadIdx.x % 32
        + shared[t] = value
        + cuda.syncthreads()
        + half = cuda.blockDim.x // 2
        + while half >= 32:
        +     if t < half:
        +         shared[t] = fn(shared[t], shared[t + half])
        +     cuda.syncthreads()
        +     half //= 2
        + if t < 32:
        +     value = shared[t]
        +     while half > 0:
        +         value = fn(value, cuda.shfl_xor_sync(0xFFFFFFFF, value, half))
        +         half //= 2
        +     shared[t] = value
        + cuda.syncthreads()
        + total = shared[0]
        + cuda.syncthreads()
        + return total
    """,
    "warp-reduce": """
        The totals go down to lane 0, which is the one that writes.
        - value = fn(value, cuda.shfl_xor_sync(ALL_LANES, value, k))
        + value = fn(value, cuda.shfl_down_sync(ALL_LANES, value, k))

        Every thread goes through the totals of the warps.
        + t, half = cuda.threadIdx.x, 1
        + while half < 32:
        +     value = fn(cuda.shfl_xor_sync(ALL_LANES, value, half), value)
        +     half *= 2
        + if t % 32 == 31:
        +     shared[t // 32] = value
        + cuda.syncthreads()
        + total = shared[0]
        + for warp in range(1, cuda.blockDim.x // 32):
        +     total = fn(total, shared[warp])
        + cuda.syncthreads()
        + return total

        One thread combines the totals, and hands over the result.
        + t, warps = cuda.threadIdx.x, cuda.blockDim.x // 32
        + for k in (1, 2, 4, 8, 16):
        +     value = fn(value, cuda.shfl_xor_sync(ALL_LANES, value, k))
        + if cuda.laneid == 0:
        +     shared[t // 32] = value
        + cuda.syncthreads()
        + if t == 0:
        +     for warp in range(1, warps):
        +         value = fn(value, shared[warp])
        +     shared[0] = value
        + cuda.syncthreads()
        + total = shared[0]
        + cuda.syncthreads()
        + return total
    """,
    "reduce": """
        A while loop, and the start of the row in a variable.
        + first, i, total = x_offset + row * length, cuda.threadIdx.x, start
        + while i < length:
        +     total = fn(x[first + i], total)
        +     i += THREADS
        + total = reduce(total, shared)
        + if not cuda.threadIdx.x:
        +     out[out_offset + row] = total
    """,
    "matmul-naive": """
        Threads outside of the result leave; places are written out.
        + column, row = cuda.grid(2)
        + if row >= m or column >= n:
        +     return
        + total = np.float32(0)
        + a_place, b_place = at(a_matrix, row, 0), at(b_matrix, 0, column)
        + for _ in range(k):
        +     total += a[a_place] * b[b_place]
        +     a_place += a_matrix[2]
        +     b_place += b_matrix[1]
        + out[at(out_matrix, row, column)] = total
    """,
    "matmul-tiled": """
        Zeros first, and a loop over numbers of tiles.
        + total = np.float32(0)
        + for tile in range((k + TILE - 1) // TILE):
        +     from_a, from_b = tile * TILE + x, tile * TILE + y
        +     a_tile[y, x] = np.float32(0)
        +     b_tile[y, x] = np.float32(0)
        +     if row < m and from_a < k:
        +         a_tile[y, x] = a[at(a_matrix, row, from_a)]
        +     if from_b < k and column < n:
        +         b_tile[y, x] = b[at(b_matrix, from_b, column)]
        +     cuda.syncthreads()
        +     for i in range(TILE):
        +         total = total + a_tile[y, i] * b_tile[i, x]
        +     cuda.syncthreads()
        + if row < m and column < n:
        +     out[at(out_matrix, row, column)] = total

        The barrier stands before the loading, and only what exists is summed.
        + total = np.float32(0)
        + for first in range(0, k, TILE):
        +     cuda.syncthreads()
        +     if row < m and first + x < k:
        +         a_tile[y, x] = a[at(a_matrix, row, first + x)]
        +     if first + y < k and column < n:
        +         b_tile[y, x] = b[at(b_matrix, first + y, column)]
        +     cuda.syncthreads()
        +     if row < m and column < n:
        +         for i in range(min(TILE, k - first)):
        +             total += a_tile[y, i] * b_tile[i, x]
        + if row < m and column < n:
        +     out[at(out_matrix, row, column)] = total
    """,
    "matmul-registers": """
        The columns of a thread are neighbours, which a device may fetch by one vector load.
        -             right = b_slab[d, x + TILE * c]
        +             right = b_slab[d, WORK * x + c]
        ...
        -         i, j = row + y + TILE * r, column + x + TILE * c
        +         i, j = row + y + TILE * r, column + WORK * x + c

        The rows of a thread are neighbours, too.
        -             left[r] = a_slab[d, y + TILE * r]
        +             left[r] = a_slab[d, WORK * y + r]
        ...
        -             right = b_slab[d, x + TILE * c]
        +             right = b_slab[d, WORK * x + c]
        ...
        -         i, j = row + y + TILE * r, column + x + TILE * c
        +         i, j = row + WORK * y + r, column + WORK * x + c

        Of b the numbers are kept, and not of a.
        -         for r in range(WORK):
        -             left[r] = a_slab[d, y + TILE * r]
        -         for c in range(WORK):
        -             right = b_slab[d, x + TILE * c]
        -             for r in range(WORK):
        -                 totals[r, c] += left[r] * right
        +         for c in range(WORK):
        +             left[c] = b_slab[d, x + TILE * c]
        +         for r in range(WORK):
        +             above = a_slab[d, y + TILE * r]
        +             for c in range(WORK):
        +                 totals[r, c] = totals[r, c] + above * left[c]

        Both are kept, in an array more, and the guard stands outside.
        -     cuda.syncthreads()
        -     for d in range(DEPTH):
        -         for r in range(WORK):
        -             left[r] = a_slab[d, y + TILE * r]
        -         for c in range(WORK):
        -             right = b_slab[d, x + TILE * c]
        -             for r in range(WORK):
        -                 totals[r, c] += left[r] * right
        -     cuda.syncthreads()
        - for r in range(WORK):
        -     for c in range(WORK):
        -         i, j = row + y + TILE * r, column + x + TILE * c
        -         if i < m and j < n:
        -             out[at(out_matrix, i, j)] = totals[r, c]
        +     cuda.syncthreads()
        +     above = cuda.local.array(WORK, np.float32)
        +     for d in range(min(DEPTH, k - first)):
        +         for r in range(WORK):
        +             left[r], above[r] = a_slab[d, y + TILE * r], b_slab[d, x + TILE * r]
        +         for r in range(WORK):
        +             for c in range(WORK):
        +                 totals[r, c] += left[r] * above[c]
        +     cuda.syncthreads()
        + for r in range(WORK):
        +     if row + y + TILE * r < m:
        +         for c in range(WORK):
        +             if column + x + TILE * c < n:
        +                 out[at(out_matrix, row + y + TILE * r, column + x + TILE * c)] = totals[r, c]
    """,
    "bank-passes": """
        With NumPy.
        + words = np.unique(np.asarray(words))
        + return int(np.bincount(words % 32).max())

        With a dictionary of sets.
        + banks = {}
        + for word in words:
        +     banks.setdefault(word % 32, set()).add(word)
        + return max(map(len, banks.values()))
    """,
    "transpose": """
        Four rows for each thread, counted.
        + tile = cuda.shared.array((32, 33), out.dtype)
        + for k in range(4):
        +     j = j0 + 8 * k
        +     if 32 * by + j < rows and 32 * bx + t < columns:
        +         tile[j, t] = x[x_offset + start + (32 * by + j) * columns + 32 * bx + t]
        + cuda.syncthreads()
        + for k in range(4):
        +     j = j0 + 8 * k
        +     if 32 * bx + j < columns and 32 * by + t < rows:
        +         out[out_offset + start + (32 * bx + j) * rows + 32 * by + t] = tile[t, j]

        The tile is turned on the way in, and 35 wide.
        + tile = cuda.shared.array((32, 35), out.dtype)
        + for j in range(j0, 32, 8):
        +     row, column = 32 * by + j, 32 * bx + t
        +     if row < rows and column < columns:
        +         tile[t, j] = x[x_offset + start + row * columns + column]
        + cuda.syncthreads()
        + for j in range(j0, 32, 8):
        +     row, column = 32 * bx + j, 32 * by + t
        +     if row < columns and column < rows:
        +         out[out_offset + start + row * rows + column] = tile[j, t]
    """,
    "softmax": """
        One loop for maximum and sum, online, and the threads' sums brought to one maximum.
        + mine, total = np.float32(-np.inf), np.float32(0)
        + for i in range(t, columns, cuda.blockDim.x):
        +     value = x[x_start + i]
        +     if value > mine:
        +         total = total * math.exp(mine - value) + np.float32(1)
        +         mine = value
        +     elif value > np.float32(-np.inf):
        +         total += math.exp(value - mine)
        + largest = block_max(mine, shared)
        + total = total * math.exp(mine - largest) if total > np.float32(0) else np.float32(0)
        + total = block_sum(total, shared)
        + for i in range(t, columns, cuda.blockDim.x):
        +     out[out_start + i] = math.exp(x[x_start + i] - largest) / total

        The maximum begins with the first number of the row.
        - largest = np.float32(-np.inf)
        + largest = x[x_start]

        Multiplied by the inverse.
        - total = block_sum(total, shared)
        + inverse = np.float32(1) / block_sum(total, shared)
        ...
        - out[out_start + i] = math.exp(x[x_start + i] - largest) / total
        + out[out_start + i] = inverse * math.exp(x[x_start + i] - largest)

        Each exponential is kept in out, and divided there.
        - total += math.exp(x[x_start + i] - largest)
        + out[out_start + i] = math.exp(x[x_start + i] - largest)
        + total += out[out_start + i]
        ...
        - out[out_start + i] = math.exp(x[x_start + i] - largest) / total
        + out[out_start + i] = out[out_start + i] / total

        The same, from a variable.
        - total += math.exp(x[x_start + i] - largest)
        + value = math.exp(x[x_start + i] - largest)
        + total += value
        + out[out_start + i] = value
        ...
        - out[out_start + i] = math.exp(x[x_start + i] - largest) / total
        + out[out_start + i] /= total

        The maximum by `if`, which reads a new largest number twice, and while loops.
        + largest = np.float32(-np.inf)
        + i = t
        + while i < columns:
        +     if x[x_start + i] > largest:
        +         largest = x[x_start + i]
        +     i += cuda.blockDim.x
        + largest = block_max(largest, shared)
        + total = np.float32(0)
        + i = t
        + while i < columns:
        +     total += math.exp(x[x_start + i] - largest)
        +     i += cuda.blockDim.x
        + scale = np.float32(1) / block_sum(total, shared)
        + i = t
        + while i < columns:
        +     out[out_start + i] = math.exp(x[x_start + i] - largest) * scale
        +     i += cuda.blockDim.x
    """,
    "online-softmax": """
        By cases: only a new largest score shrinks what is there.
        + if score > state[0]:
        +     shrink = math.exp(state[0] - score)
        +     state[0] = score
        +     state[1] = state[1] * shrink + np.float32(1)
        +     for c in range(size):
        +         mixed[c] = mixed[c] * shrink + values[j, c]
        + else:
        +     weight = math.exp(score - state[0])
        +     state[1] += weight
        +     for c in range(size):
        +         mixed[c] += weight * values[j, c]
    """,
    "attention": """
        The barrier stands before the loading, and queries outside go around with no keys.
        + mine = 0
        + if row < queries:
        +     mine = min(keys, row + 1) if causal else keys
        + last = min(queries, first_row + cuda.blockDim.x)
        + for first in range(0, min(keys, last) if causal else keys, KEYS):
        +     cuda.syncthreads()
        +     count = min(KEYS, keys - first)
        +     load_tile(k_tile, k, k_start + first * size, count, size)
        +     load_tile(v_tile, v, v_start + first * size, count, size)
        +     cuda.syncthreads()
        +     for j in range(min(count, mine - first)):
        +         score = np.float32(0)
        +         for c in range(size):
        +             score += query[c] * k_tile[j, c]
        +         take_in(scale * score, v_tile, j, size, state, mixed)

        A loop that is left where no query sees the next tile, and the last key of the block counted exactly.
        + seen = min(keys, first_row + here) if causal else keys
        + first = 0
        + while first < seen:
        +     count = min(KEYS, seen - first)
        +     load_tile(k_tile, k, k_start + first * size, count, size)
        +     load_tile(v_tile, v, v_start + first * size, count, size)
        +     cuda.syncthreads()
        +     for j in range(count):
        +         if row < queries and (first + j <= row or not causal):
        +             score = np.float32(0)
        +             for c in range(size):
        +                 score += query[c] * k_tile[j, c]
        +             take_in(scale * score, v_tile, j, size, state, mixed)
        +     cuda.syncthreads()
        +     first += KEYS
    """,
    "adamw": """
        The decay as a factor, the moments moved by their difference, a while loop.
        + i = cuda.grid(1)
        + while i < size:
        +     g, m_old, v_old = grad[offsets[1] + i], m[offsets[2] + i], v[offsets[3] + i]
        +     m_new = m_old + new1 * (g - m_old)
        +     v_new = v_old + new2 * (g * g - v_old)
        +     value = p[offsets[0] + i] * (np.float32(1) - lr * decay)
        +     m[offsets[2] + i] = m_new
        +     v[offsets[3] + i] = v_new
        +     p[offsets[0] + i] = value - lr * (m_new / c1) / (math.sqrt(v_new / c2) + eps)
        +     i += cuda.gridsize(1)

        The gradient squared as a power.
        - v_new = beta2 * v[offsets[3] + i] + new2 * g * g
        + v_new = beta2 * v[offsets[3] + i] + new2 * g**2

        The moments are written first, and read again.
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        - p[offsets[0] + i], m[offsets[2] + i], v[offsets[3] + i] = value, m_new, v_new
        + m[offsets[2] + i], v[offsets[3] + i] = m_new, v_new
        + value -= lr / c1 * m[offsets[2] + i] / (math.sqrt(v[offsets[3] + i] / c2) + eps)
        + p[offsets[0] + i] = value

        The arrays are changed in place, step by step.
        + pi, gi, mi, vi = offsets
        + for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        +     g = grad[gi + i]
        +     m[mi + i] = beta1 * m[mi + i] + new1 * g
        +     v[vi + i] = beta2 * v[vi + i] + new2 * g * g
        +     p[pi + i] -= lr * decay * p[pi + i]
        +     p[pi + i] -= lr / c1 * m[mi + i] / (math.sqrt(v[vi + i] / c2) + eps)
    """,
    "bind-kernels": """
        The table is made first, and bound at once.
        + table = {"matmul": matmul, "copy": map_kernel(IDENTITY)}
        + table |= {name: map_kernel(each) for name, each in UNARY.items()}
        + table |= {name: zip_kernel(each) for name, each in BINARY.items()}
        + for name in REDUCTIONS:
        +     table[name + ".reduce"] = reduce_kernel(*REDUCTIONS[name])
        + for entry in table.items():
        +     bind(*entry)
    """,
}
