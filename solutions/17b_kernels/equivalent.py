"""Changes that no valid input can tell from the answers."""

EQUIVALENT = {
    "block-reduce": """
        The function may be applied in any order.
        - shared[t] = fn(shared[t], shared[t + half])
        + shared[t] = fn(shared[t + half], shared[t])
    """,
    "reduce": """
        The function may be applied in any order.
        - total = fn(total, x[x_offset + row * length + i])
        + total = fn(x[x_offset + row * length + i], total)

        Every thread has the total, and a block has more than one.
        - if cuda.threadIdx.x == 0:
        + if cuda.threadIdx.x == 1:
    """,
    "matmul-tiled": """
        What stands in one tile beyond the inner length is multiplied by the zeros of the other.
        - a_tile[y, x] = a[at(a_matrix, row, first + x)] if in_a else zero
        + a_tile[y, x] = a[at(a_matrix, row, first + x)] if in_a else y

        The same, the other way round.
        - b_tile[y, x] = b[at(b_matrix, first + y, column)] if in_b else zero
        + b_tile[y, x] = b[at(b_matrix, first + y, column)] if in_b else y
    """,
    "transpose": """
        A row more in shared memory, which nobody reads.
        - tile = cuda.shared.array((32, 33), out.dtype)
        + tile = cuda.shared.array((33, 33), out.dtype)

        One number more is read into the tile, and not written out.
        - if row < rows and column < columns:
        + if row < rows and column <= columns:
    """,
    "softmax": """
        The larger of two numbers is the same in either order.
        - largest = max(largest, x[x_start + i])
        + largest = max(x[x_start + i], largest)
    """,
    "online-softmax": """
        The larger of two numbers is the same in either order.
        - largest = max(state[0], score)
        + largest = max(score, state[0])
    """,
    "attention": """
        The smaller of two numbers is the same in either order.
        - count = min(KEYS, keys - first)
        + count = min(keys - first, KEYS)

        A thread beyond the queries computes, and writes nothing.
        - if row < queries and (not causal or first + j <= row):
        + if not causal or first + j <= row:

        The same.
        - if row < queries and (not causal or first + j <= row):
        + if row <= queries and (not causal or first + j <= row):
    """,
}
