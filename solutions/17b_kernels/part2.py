# %% [markdown]
# ## 4. Rows of any length
#
# A block has 1,024 threads at most, and a row any number of entries. So each thread first goes through its part of the row alone, a grid-stride loop within the block: thread t takes entries t, t + THREADS, t + 2 THREADS, ... and keeps one running value. Then the block combines the
# values of its threads. Where the row is shorter than the block, some threads have nothing, and give `start`, the number that changes nothing: 0 for a sum, minus infinity for a maximum.
#
# The rows are dealt out to the blocks in the same way: block b takes rows b, b + gridDim.x, ...
#
# <details><summary>Hint 1</summary>Three parts for each row: a loop of one thread over its entries; <code>block_reduce</code>; one thread writes.</details>
# <details><summary>Hint 2</summary>Entry <code>i</code> of the row stands at <code>x_offset + row * length + i</code>. Every thread calls <code>block_reduce</code>, one with nothing to add too.</details>
# <details><summary>Hint 3</summary><code>total = start</code>, then <code>for i in range(cuda.threadIdx.x, length, cuda.blockDim.x): total = fn(total, ...)</code>.</details>


# %% stub="reduce"
#| export
def make_reduce(fn, start):
    """Make the kernel that combines the entries of each row.

    Args:
        fn: a device function of two numbers that may be applied in any order.
        start: what an empty row gives, such as np.float32(0) for a sum; fn(start, x) is x.

    Returns:
        A kernel (out, x, rows, length, out_offset, x_offset) for blocks of THREADS threads, right
        for any number of blocks. x is (rows, length) and out (rows,).
    """
    block_reduce = make_block_reduce(fn)

    @cuda.jit
    def kernel(out, x, rows, length, out_offset, x_offset):
        shared = cuda.shared.array(THREADS, out.dtype)
        for row in range(cuda.blockIdx.x, rows, cuda.gridDim.x):
            ### BEGIN SOLUTION
            total = start
            for i in range(cuda.threadIdx.x, length, cuda.blockDim.x):
                total = fn(total, x[x_offset + row * length + i])
            total = block_reduce(total, shared)
            if cuda.threadIdx.x == 0:
                out[out_offset + row] = total
            ### END SOLUTION

    return kernel


# %% test="reduce" points=5
def reduced(fn, start, x, blocks):
    """Each row of x combined by a kernel, and what the simulator saw."""
    x, out = Buffer(x), Buffer.empty(len(x), dtype=x.dtype)
    sizes = len(x.array), x.array.shape[1], out.offset, x.offset
    seen = run(make_reduce(fn, start), blocks, THREADS, out, x, *sizes)
    x.check_unchanged("x")
    return out.result(), seen


def test_sums_of_rows_of_any_length():
    for rows, length, blocks in [
        (1, 1, 1), (3, 31, 3), (2, 32, 2), (2, 33, 1), (1, 1025, 1), (5, 7, 2), (2, 3, 9), (3, 0, 2)
    ]:  # fmt: skip
        x = random(rows, length)
        wanted = x.sum(1)
        found, seen = reduced(plus, np.float32(0), x, blocks)
        np.testing.assert_allclose(
            found, wanted, rtol=1e-4, atol=1e-4,
            err_msg=f"sums of {rows} rows of {length} numbers, with {blocks} blocks",
        )  # fmt: skip
        if SIMULATED:
            assert seen.loads == x.size, (
                f"{x.size} numbers are read once, not {seen.loads} times"
            )


def test_maxima_begin_with_minus_infinity():
    for length in (5, 33, 100):
        x = -1 - np.abs(random(4, length))
        wanted = x.max(1)
        found, _ = reduced(larger, np.float32(-np.inf), x, 2)
        np.testing.assert_array_equal(
            found, wanted, err_msg=f"maxima of 4 rows of {length}, all negative"
        )
    found, _ = reduced(larger, np.float32(-3), np.zeros((2, 0), np.float32), 1)
    np.testing.assert_array_equal(found, [-3, -3], err_msg="a row of nothing gives start, -3")


def test_integers_stay_integers():
    x = np.arange(40, dtype=np.int64).reshape(2, 20) + 2**40
    found, _ = reduced(plus, np.int64(0), x, 2)
    np.testing.assert_array_equal(found, x.sum(1), err_msg="sums of int64 are exact")


def test_neighbouring_threads_take_neighbouring_entries():
    x, out = Buffer(random(1, 512), margin=0), Buffer.empty(1, margin=0)
    seen = run(make_reduce(plus, np.float32(0)), 1, THREADS, out, x, 1, 512, 0, 0)
    if SIMULATED:
        assert seen.lines <= 20, (
            "a row of 512 numbers is 16 lines of memory, if the threads take neighbouring entries "
            f"in every step; this kernel asks for {seen.lines}"
        )


# %% [markdown]
# One block for each row leaves a GPU idle when there is one long row. Then each of a few hundred blocks sums a part, and a second launch sums their results; a launch is the only barrier between blocks. `reduce_kernel` in `launch.py` does that with your kernel.
#
# A tree has another gift. It adds numbers of like size, so its rounding errors grow with the logarithm of the length and not with the length:

# %%
ones = np.full((1, 20_000), 0.1, np.float32)
one_by_one = np.float32(0)
for each in ones[0]:
    one_by_one += each
by_tree = reduced(plus, np.float32(0), ones, 1)[0][0]
print(f"20,000 times 0.1: one after another {one_by_one}, your kernel {by_tree}")

# %% [markdown]
# ## 5. The matrix product
#
# One thread for each number of the result: thread (row, column) goes along a row of a and down a column of b. `cuda.grid(2)` gives two numbers, x first, and x should be the column: neighbouring threads then read neighbouring numbers of b.
#
# The arguments of both kernels are tuples. `sizes` is (m, n, k), for out (m, n) = a (m, k) times b (k, n). A *layout* says where a matrix is: (offset, step from row to row, step from column to column). So a transposed matrix is one with its two steps exchanged.
#
# <details><summary>Hint 1</summary><code>column, row = cuda.grid(2)</code>. The grid is rounded up to whole blocks: some threads are outside of the result.</details>
# <details><summary>Hint 2</summary>a[row, i] stands at <code>at(a_layout, row, i)</code>, which is given.</details>
# <details><summary>Hint 3</summary>Keep the sum in <code>total = np.float32(0)</code>: with a bare <code>0.0</code> it is a float64 on a device. Write it once, at the end.</details>


# %% stub="matmul-naive"
#| export
@cuda.jit(device=True)
def at(layout, row, column):
    """The place of an entry of a matrix: layout is (offset, step of rows, step of columns)."""
    return layout[0] + row * layout[1] + column * layout[2]


#| export
@cuda.jit
def matmul_naive(out, a, b, sizes, out_layout, a_layout, b_layout):
    """Multiply matrices: a thread for each number of the result, in blocks of two dimensions.

    Args:
        out, a, b: flat buffers of float32.
        sizes: (m, n, k); a is (m, k), b (k, n), out (m, n).
        out_layout, a_layout, b_layout: for `at`. x of the grid runs along the columns.
    """
    m, n, k = sizes
    ### BEGIN SOLUTION
    column, row = cuda.grid(2)
    if row < m and column < n:
        total = np.float32(0)
        for i in range(k):
            total += a[at(a_layout, row, i)] * b[at(b_layout, i, column)]
        out[at(out_layout, row, column)] = total
    ### END SOLUTION


# %% test="matmul-naive" points=3
def product(kernel, a, b, side, transposed=""):
    """a times b by a kernel in blocks of side x side, and what the simulator saw.

    The buffers of the matrices named in `transposed` hold them column by column.
    """
    (m, k), n = a.shape, b.shape[1]
    buffers, layouts = [], []
    for name, x in (("out", np.full((m, n), 99, np.float32)), ("a", a), ("b", b)):
        turned = name in transposed.split()
        buffers.append(Buffer(x.T if turned else x))
        layouts.append((3, 1, x.shape[0]) if turned else (3, x.shape[1], 1))
    grid = (max(1, -(-n // side)), max(1, -(-m // side)))
    seen = run(kernel, grid, (side, side), *buffers, (m, n, k), *layouts)
    buffers[1].check_unchanged("a")
    buffers[2].check_unchanged("b")
    found = buffers[0].result()
    return (found.T if "out" in transposed.split() else found), seen


def check_product(kernel, side, m, n, k, transposed=""):
    a, b = random(m, k), random(k, n, seed=1)
    wanted = a @ b
    found, seen = product(kernel, a, b, side, transposed)
    np.testing.assert_allclose(
        found, wanted, rtol=1e-4, atol=1e-4,
        err_msg=f"({m}, {k}) times ({k}, {n}) in blocks of {side} x {side}"
        + (f", where {transposed} is stored column by column" if transposed else ""),
    )  # fmt: skip
    return seen


def test_naive_product_of_any_size():
    for m, n, k in [(8, 8, 8), (1, 1, 1), (3, 10, 5), (10, 3, 17), (9, 9, 0)]:
        check_product(matmul_naive, 8, m, n, k)


def test_naive_product_of_transposed_matrices():
    for transposed in ("a", "b", "out", "a b"):
        check_product(matmul_naive, 8, 5, 9, 7, transposed)


def test_naive_product_reads_along_the_rows_of_b():
    seen = check_product(matmul_naive, 8, 16, 16, 16)
    if SIMULATED:
        assert (seen.loads, seen.stores) == (2 * 16**3, 16**2), (
            "16 x 16 x 16: each thread reads 16 of a and 16 of b, and writes once: 8,192 read, 256 "
            f"written; not {seen.loads} and {seen.stores}"
        )
        a, b = random(1, 20), random(20, 64, seed=1)
        _found, _ = product(matmul_naive, a, b, 8)
        lines = product(matmul_naive, random(64, 4), random(4, 64, seed=1), 8)[1].lines
        assert lines < 8000, (
            "(64, 4) times (4, 64): neighbours in x take neighbouring columns and ask for some 4,800 "
            f"lines of memory; this kernel asks for {lines}: is x the row?"
        )


# %% [markdown]
# Count what it reads. For m = n = k = N every thread reads 2 N numbers, all together $2N^3$, and there are only $2 N^2$: each number comes N times. A GPU that multiplies and adds $60 \cdot 10^{12}$ times a second and reads $0.8 \cdot 10^{12}$ float32 numbers a second would do little but wait.
#
# The remedy is the one of module 17's blocked product, by hand. A block computes a tile of the result, TILE x TILE. Its threads load one tile of a and one of b into shared memory, each thread one number of each; then each number is used TILE times from there; then the next pair of tiles.
#
# $$\text{reads from memory: } 2N^3 \to \frac{2N^3}{\mathrm{TILE}}$$

# %%
draw_tiles()

# %% [markdown]
# Two barriers in every round. The first: a tile must be complete before anyone uses it. The second: it must have been used by all before anyone overwrites it. With sizes below one tile the second cannot be missed; try 33 x 33.
#
# At the edges a tile reaches beyond the matrix. Threads there load a zero, which adds nothing. They must not leave early: they are needed at the barriers, and to load.
#
# <details><summary>Hint 1</summary>For each <code>first</code> in <code>range(0, k, TILE)</code>: load, barrier, multiply, barrier. Outside of the loop, the total; after it, the result is written, if this thread is inside.</details>
# <details><summary>Hint 2</summary>Thread (y, x) loads a[row, first + x] and b[first + y, column], each only if it exists: the two conditions differ.</details>
# <details><summary>Hint 3</summary><code>a_tile[y, x] = a[at(a_layout, row, first + x)] if row &lt; m and first + x &lt; k else np.float32(0)</code>; in the sum stands <code>a_tile[y, i] * b_tile[i, x]</code>.</details>


# %% stub="matmul-tiled"
#| export
@cuda.jit
def matmul_tiled(out, a, b, sizes, out_layout, a_layout, b_layout):
    """Multiply matrices in blocks of (TILE, TILE) threads, through tiles in shared memory.

    Args:
        As those of `matmul_naive`. Every number of a and b is read once by each block that
        needs it.
    """
    m, n, k = sizes
    a_tile = cuda.shared.array((TILE, TILE), np.float32)
    b_tile = cuda.shared.array((TILE, TILE), np.float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    ### BEGIN SOLUTION
    zero = np.float32(0)
    total = np.float32(0)
    for first in range(0, k, TILE):
        in_a = row < m and first + x < k
        in_b = first + y < k and column < n
        a_tile[y, x] = a[at(a_layout, row, first + x)] if in_a else zero
        b_tile[y, x] = b[at(b_layout, first + y, column)] if in_b else zero
        cuda.syncthreads()
        for i in range(TILE):
            total += a_tile[y, i] * b_tile[i, x]
        cuda.syncthreads()
    if row < m and column < n:
        out[at(out_layout, row, column)] = total
    ### END SOLUTION


# %% test="matmul-tiled" points=9
def test_tiled_product_within_one_tile():
    for m, n, k in [(1, 1, 1), (TILE, TILE, TILE), (3, 5, 4), (5, 2, 7), (4, 4, 0)]:
        check_product(matmul_tiled, TILE, m, n, k)


def test_tiled_product_of_several_tiles():
    for m, n, k in [(3, 4, 20), (10, 3, 9), (3, 18, 17)]:
        check_product(matmul_tiled, TILE, m, n, k)


def test_tiled_product_of_transposed_matrices():
    for transposed in ("a", "b", "out", "a b"):
        check_product(matmul_tiled, TILE, 5, 10, 9, transposed)


def test_tiled_product_reads_each_number_once_for_each_tile():
    seen = check_product(matmul_tiled, TILE, 16, 16, 16)
    if SIMULATED:
        wanted = 2 * 16**3 // TILE
        assert (seen.loads, seen.stores) == (wanted, 256), (
            f"16 x 16 x 16 in tiles of {TILE}: {wanted} numbers are read and 256 written, not "
            f"{seen.loads} and {seen.stores}"
        )


def test_tiled_product_of_33_by_33():
    check_product(matmul_tiled, TILE, 33, 33, 33)


# %% [markdown]
# Counted, naive beside tiled, for a product of 32 x 32. `loads` are numbers read from the device's memory, `lines` the lines of 128 bytes in which they come.

# %%
side = random(32, 32)
for name, kernel in (("naive", matmul_naive), ("tiled", matmul_tiled)):
    _, seen = product(kernel, side, side, TILE)
    print(f"{name}: {seen.loads or 0:6,} loads, {seen.lines or 0:5,} lines of memory")

# %% [markdown]
# Every step further is the same step once more, one level up. In `tinytorch/given/kernels/products.py` a thread computes 4 x 4 numbers of the result: eight numbers from shared memory, kept in *registers*, serve sixteen multiplications, where the kernel above reads two for each one. Without that, shared memory would be
# what the product waits for. cuBLAS does this too, and then uses the tensor cores, which numba does not reach.
#
# ## 6. Lines and banks
#
# When the 32 threads of a warp read, they read together, and the device's memory answers in lines of 128 bytes: 32 float32. If they want 32 neighbours, one line is enough. If each wants a number from a line of its own, 32 lines come, and 31 of 32 parts of each are thrown away. This is why `x` is the
# column everywhere above: it is called *coalescing*.
#
# Shared memory has no lines. It has 32 *banks*: word w (4 bytes) is in bank w mod 32, and each bank answers with one word in each pass. 32 threads that want words from 32 banks have them in one pass. Two different words of the same bank take two passes, which is called a *bank conflict*. The same word for
# several threads is one word: it is handed to all.
#
# Both can be counted from addresses, without a GPU. The simulator counts so in every `watch()`. You write the count of passes; it is two lines.
#
# <details><summary>Hint 1</summary>Equal words count once: begin with a <code>set</code>.</details>
# <details><summary>Hint 2</summary>How many words fall to each bank? The fullest bank decides.</details>
# <details><summary>Hint 3</summary>A list of <code>word % 32</code> over <code>set(words)</code>, and the largest <code>count</code> in it.</details>


# %% stub="bank-passes"
#| export
def bank_passes(words):
    """Count the passes in which shared memory answers a warp.

    Args:
        words: which word each of its threads asks for (word w is bytes 4w to 4w + 3).

    Returns:
        How many different words the bank with the most of them has to give: 1 to 32.

    >>> bank_passes([0, 1, 2, 3]), bank_passes([0, 32, 64, 3]), bank_passes([7, 7, 7, 7])
    (1, 3, 1)
    """
    ### BEGIN SOLUTION
    banks = [int(word) % 32 for word in set(words)]
    return max(banks.count(bank) for bank in banks)
    ### END SOLUTION


# %% test="bank-passes" points=2
def test_passes_of_patterns_that_are_known():
    for name, words, wanted in [
        ("neighbours", range(32), 1),
        ("neighbours, from 5 on", range(5, 37), 1),
        ("every second word", range(0, 64, 2), 2),
        ("every third word", range(0, 96, 3), 1),
        ("a column of a tile 32 wide", range(0, 1024, 32), 32),
        ("a column of a tile 33 wide", range(0, 32 * 33, 33), 1),
        ("one word for all", [40] * 32, 1),
        ("two words of one bank, each many times", [1, 33] * 16, 2),
        ("two words of one bank, one of another", [1, 33, 2], 2),
        ("banks 31 and 0", [31, 32], 1),
        ("one thread", [1000], 1),
    ]:
        words = list(words)
        found = bank_passes(words)
        assert found == wanted, (
            f"{name}, {words[:4]} and so on: {wanted} passes, not {found!r}"
        )
        found = bank_passes(words[::-1])
        assert found == wanted, f"{name}, in reverse order: {wanted} passes, not {found!r}"


# %% [markdown]
# ### A transpose
#
# The kernel that shows both. To write the transpose of a matrix, one of the two sides has to be walked the wrong way: rows in and columns out, or columns in and rows out. Here is the first, a thread for each number, counted:


# %%
@cuda.jit
def transpose_directly(out, x, rows, columns):
    column, row = cuda.grid(2)
    if row < rows and column < columns:
        out[column * rows + row] = x[row * columns + column]


x, out = Buffer(random(32, 32), margin=0), Buffer.empty(32, 32, margin=0)
seen = run(transpose_directly, 1, (32, 32), out, x, 32, 32)
print(
    f"{seen.lines} lines for 32 lines in and 32 out"
    if SIMULATED
    else "counted in the simulator"
)

# %% [markdown]
# So take a detour through shared memory: a block reads a tile of 32 x 32 along its rows, one line for each, keeps it, and writes it along the rows of the *result*, one line for each. In shared memory the tile is read down its columns, which costs no lines, but now look at the banks: the numbers of a column
# are 32 words apart, all in one bank. You have just counted that: 32 passes. The remedy is one unused column. In a tile 33 wide the column's words are 33 apart, in 32 different banks.

# %%
draw_lines()

# %% [markdown]
# The block has 32 x 8 threads: each takes four numbers, 8 rows apart. Block (bx, by) reads the tile with its corner at row `32 * by`, column `32 * bx`, and writes the one with its corner at row `32 * bx`, column `32 * by` of the result. z of the grid counts matrices, one after another in both buffers.
#
# <details><summary>Hint 1</summary>Two loops over <code>range(y, 32, cuda.blockDim.y)</code>, the first loads, the second stores, with a barrier between. In both, <code>x</code> runs along a row of what is read or written in memory.</details>
# <details><summary>Hint 2</summary>In: row <code>32 * by + j</code>, column <code>32 * bx + x</code> goes to <code>tile[j, x]</code>. Out: row <code>32 * bx + j</code>, column <code>32 * by + x</code> comes from <code>tile[x, j]</code>.</details>
# <details><summary>Hint 3</summary>The result has <code>columns</code> rows of <code>rows</code> numbers, so there the guard is <code>32 * bx + j &lt; columns and 32 * by + x &lt; rows</code>. The tile is (32, 33).</details>


# %% stub="transpose"
#| export
@cuda.jit
def transpose_kernel(out, x, rows, columns, out_offset, x_offset):
    """Write the transposes of matrices, by blocks of (32, 8) threads through a padded tile.

    Args:
        out, x: flat buffers; x holds matrices (rows, columns), one for each block in z, and
            out gets as many of (columns, rows). Both are read and written in whole lines.
    """
    bx, by, j0 = cuda.blockIdx.x, cuda.blockIdx.y, cuda.threadIdx.y
    start = cuda.blockIdx.z * rows * columns
    t = cuda.threadIdx.x
    ### BEGIN SOLUTION
    tile = cuda.shared.array((32, 33), out.dtype)
    for j in range(j0, 32, cuda.blockDim.y):
        row, column = 32 * by + j, 32 * bx + t
        if row < rows and column < columns:
            tile[j, t] = x[x_offset + start + row * columns + column]
    cuda.syncthreads()
    for j in range(j0, 32, cuda.blockDim.y):
        row, column = 32 * bx + j, 32 * by + t
        if row < columns and column < rows:
            out[out_offset + start + row * rows + column] = tile[t, j]
    ### END SOLUTION


# %% test="transpose" points=6
def transposed(x, margin=3):
    """The transposes of matrices (batch, rows, columns) by the kernel, and what was seen."""
    batch, rows, columns = x.shape
    out, x = (
        Buffer.empty(batch, columns, rows, dtype=x.dtype, margin=margin),
        Buffer(x, margin=margin),
    )
    grid = (max(1, -(-columns // 32)), max(1, -(-rows // 32)), batch)
    seen = run(transpose_kernel, grid, (32, 8), out, x, rows, columns, margin, margin)
    x.check_unchanged("x")
    return out.result(), seen


def test_transposes_of_any_size():
    for shape in [
        (1, 4, 4),
        (1, 3, 10),
        (1, 32, 32),
        (2, 5, 7),
        (1, 33, 31),
        (1, 1, 40),
        (3, 40, 1),
    ]:
        x = random(*shape)
        wanted = x.swapaxes(1, 2)
        np.testing.assert_array_equal(
            transposed(x)[0], wanted, err_msg=f"transposes of {shape}"
        )


def test_a_transpose_keeps_the_type():
    x = np.arange(15, dtype=np.int64).reshape(1, 3, 5) + 2**40
    np.testing.assert_array_equal(
        transposed(x)[0], x.swapaxes(1, 2), err_msg="int64 stays exact"
    )


def test_a_transpose_moves_whole_lines_without_conflicts():
    x = random(1, 32, 32)
    seen = transposed(x, margin=0)[1]
    if SIMULATED:
        assert seen.lines == 64, (
            f"a tile of 32 x 32 is 32 lines in and 32 out; this kernel asks for {seen.lines} lines"
        )
        assert seen.shared_requests, "the tile goes through shared memory"
        passes = seen.shared_passes / seen.shared_requests
        assert passes == 1, (
            f"a request to shared memory takes {passes:.1f} passes on average, where 1 is enough: "
            "which words does a warp ask for, and which banks are they in?"
        )
