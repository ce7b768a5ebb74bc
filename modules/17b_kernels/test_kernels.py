"""Tests of module 17b, which `make release 17b` makes from kernels.py."""

import numpy as np
import pytest

from tinytorch.given.kernels.trying import product
from tinytorch.kernels import (
    BINARY,
    DEPTH,
    REDUCTIONS,
    SIDE,
    SIMULATED,
    THREADS,
    TILE,
    UNARY,
    Buffer,
    CudaArray,
    adamw_kernel,
    bank_passes,
    bind_kernels,
    cuda,
    kernels,
    make_attention,
    make_block_reduce,
    make_map,
    make_reduce,
    make_warp_reduce,
    make_zip,
    matmul_naive,
    matmul_registers,
    matmul_tiled,
    padded,
    place_of,
    run,
    softmax_kernel,
    switch_off,
    switch_on,
    take_in,
    transpose_kernel,
)


def random(*shape, seed=0, dtype=np.float32):
    """Normal numbers of this shape and type."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@cuda.jit(device=True)
def shifted_square(x):
    return x * x + np.float32(0.5)


@pytest.mark.stub("map", points=4)
def test_map_at_every_size_with_every_grid():
    kernel = make_map(shifted_square)
    for size in (1, 31, 33, 0, 100, 1025):
        for blocks, threads in ((1, 32), (3, 32), (2, 1), (40, 32)):
            if size == 1025 and blocks == 40:
                continue
            x = Buffer(random(size))
            wanted, out = x.array**2 + np.float32(0.5), Buffer.empty(size)
            seen = run(kernel, blocks, threads, out, x, size, out.offset, x.offset)
            np.testing.assert_allclose(
                out.result(), wanted, rtol=1e-6,
                err_msg=f"x * x + 0.5, {size=}, kernel[{blocks}, {threads}]",
            )  # fmt: skip
            x.check_unchanged("x")
            if SIMULATED:
                assert (seen.loads, seen.stores) == (size, size), (
                    f"{size=}, kernel[{blocks}, {threads}]: each number is read once and "
                    f"written once, not {seen.loads} read and {seen.stores} written"
                )


@pytest.mark.stub("map", points=4)
def test_map_begins_at_the_offsets():
    x, out = Buffer(random(40), margin=8), Buffer.empty(40, margin=2)
    wanted = x.array**2 + np.float32(0.5)
    run(make_map(shifted_square), 2, 32, out, x, 40, out.offset, x.offset)
    np.testing.assert_allclose(
        out.result(),
        wanted,
        rtol=1e-6,
        err_msg="x begins at 8 in its buffer, out at 2 in its own",
    )


@pytest.mark.stub("map", points=4)
def test_map_in_place():
    x = Buffer(random(70))
    wanted = x.array**2 + np.float32(0.5)
    run(make_map(shifted_square), 1, 32, x, x, 70, x.offset, x.offset)
    np.testing.assert_allclose(x.result(), wanted, rtol=1e-6, err_msg="out and x are one buffer")


@pytest.mark.stub("map", points=4)
def test_neighbouring_threads_take_neighbouring_numbers():
    x, out = Buffer(random(256), margin=0), Buffer.empty(256, margin=0)
    seen = run(make_map(shifted_square), 2, 32, out, x, 256, 0, 0)
    if SIMULATED:
        assert seen.lines <= 24, (
            "256 numbers in and 256 out are 16 lines of 128 bytes, if the threads in "
            f"a warp take neighbours in every step; this kernel asks for {seen.lines}"
        )


@pytest.mark.stub("map", points=4)
def test_map_compiles_for_a_device():
    x, out = Buffer(random(40)), Buffer.empty(40)
    arguments = out, x, 40, out.offset, x.offset
    run(make_map(shifted_square), 1, 32, *arguments, compiled=True)


@cuda.jit(device=True)
def twice_first_less_second(x, y):
    return x + x - y


@cuda.jit
def places_kernel(out, size, shape, strides):
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        out[i] = place_of(i, shape, strides)


def zipped(make, out, x, y, grid=(2, 32)):
    """Let the kernel work on views of three buffers, and return what is in out's."""
    views = [out, x, y]
    whole = [view if view.base is None else view.base for view in views]
    offsets = [
        (view.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // view.itemsize
        for view, base in zip(views, whole)
    ]
    shape, *strides = padded(
        out.shape, *(tuple(step // view.itemsize for step in view.strides) for view in views)
    )
    buffers = [Buffer(base.ravel("K")) for base in whole]
    starts = [buffer.offset + offset for buffer, offset in zip(buffers, offsets)]
    run(make(twice_first_less_second), *grid, *buffers, out.size, shape, *strides, *starts)
    buffers[1].check_unchanged("x")
    buffers[2].check_unchanged("y")
    base = buffers[0].result().reshape(whole[0].shape)
    return np.lib.stride_tricks.as_strided(base.ravel()[offsets[0] :], out.shape, out.strides)


@pytest.mark.stub("zip", points=6)
def test_a_place_is_the_sum_of_digits_and_strides():
    for shape, strides in [
        ((7,), (3,)),
        ((4, 5), (1, 6)),
        ((1, 1, 2, 3), (0, 0, 3, 1)),
        ((1, 1, 2, 3), (0, 0, 1, 2)),
        ((2, 3, 4, 5), (1, 2, 6, 24)),
        ((2, 3, 2, 3), (0, 7, 0, -1)),
    ]:
        index = np.indices(shape).reshape(len(shape), -1)
        wanted, out = np.array(strides) @ index, Buffer.empty(index.shape[1], margin=0)
        run(places_kernel, 1, 32, out, index.shape[1], shape, strides)
        np.testing.assert_array_equal(
            out.result(), wanted, err_msg=f"places in shape {shape} with strides {strides}"
        )


@pytest.mark.stub("zip", points=6)
def test_zip_of_two_contiguous_arrays():
    for size in (1, 31, 33, 0, 200):
        x, y = random(size), random(size, seed=1)
        found = zipped(make_zip, np.full(size, 99, np.float32), x, y)
        np.testing.assert_allclose(found, 2 * x - y, rtol=1e-5, atol=1e-6, err_msg=f"contiguous, {size=}")


@pytest.mark.stub("zip", points=6)
def test_zip_gives_neighbouring_numbers_to_neighbouring_threads():
    x, y, out = (Buffer(random(256), margin=0) for _ in range(3))
    layout = padded((256,), (1,), (1,), (1,))
    seen = run(make_zip(twice_first_less_second), 2, 32, out, x, y, 256, *layout, 0, 0, 0)
    if SIMULATED:
        assert seen.lines <= 36, (
            "256 numbers of x, of y and of out are 24 lines of 128 bytes, if the threads in a "
            f"warp take neighbours in every step; this kernel asks for {seen.lines}"
        )


@pytest.mark.stub("zip", points=6)
def test_zip_broadcasts_by_strides():
    for left, right in [
        ((4, 5), (5,)),
        ((4, 1), (1, 6)),
        ((3, 1, 2), (4, 1)),
        ((2, 3, 4, 5), (3, 1, 1)),
    ]:
        x, y = random(*left), random(*right, seed=1)
        wanted = 2 * x - y
        out = np.full(wanted.shape, 99, np.float32)
        found = zipped(make_zip, out, *(np.broadcast_to(a, out.shape) for a in (x, y)))
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6, err_msg=f"shapes {left} and {right}")


@pytest.mark.stub("zip", points=6)
def test_zip_of_views():
    x, y = random(6, 9), random(9, 6, seed=1)
    for name, a, b in [
        ("transposed y", x, y.T),
        ("transposed x", x.T, y),
        ("every second column", x[:, 1::2], y[:4, ::-1].T[:, ::1]),
        ("reversed rows", x[::-1], y.T),
    ]:
        wanted = 2 * a - b
        found = zipped(make_zip, np.full(wanted.shape, 99, np.float32), a, b)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.stub("zip", points=6)
def test_zip_writes_by_strides_too():
    x, y = random(5, 7), random(5, 7, seed=1)
    found = zipped(make_zip, np.full((7, 5), 99, np.float32).T, x, y, grid=(1, 32))
    np.testing.assert_allclose(found, 2 * x - y, rtol=1e-5, atol=1e-6, err_msg="out is transposed")


@pytest.mark.stub("zip", points=6)
def test_zip_compiles_for_a_device():
    x, y, out = (Buffer(random(40), margin=0) for _ in range(3))
    arguments = out, x, y, 40, *padded((40,), (1,), (1,), (1,)), 0, 0, 0
    run(make_zip(twice_first_less_second), 1, 32, *arguments, compiled=True)


@cuda.jit(device=True)
def plus(x, y):
    return x + y


@cuda.jit(device=True)
def larger(x, y):
    return max(x, y)


def block_totals(fn, values, make=make_block_reduce, twice=True, **how):
    """What the threads of two blocks get, of two sums in a row over the same shared memory."""
    block_reduce, threads = make(fn), len(values)
    places = threads if make is make_block_reduce else threads // 32

    @cuda.jit
    def kernel(out, x):
        shared = cuda.shared.array(places, np.float32)
        i = cuda.grid(1)
        out[i] = block_reduce(x[i], shared)
        if twice:
            out[2 * threads + i] = block_reduce(-x[i], shared)

    x, out = Buffer([values, values], margin=0), Buffer.empty(2, 2 * threads, margin=0)
    seen = run(kernel, 2, threads, out, x, **how)
    x.check_unchanged("x")
    return out.result(), seen


@pytest.mark.stub("block-reduce", points=7)
def test_the_total_of_one_sum():
    x = random(8)
    wanted, found = x.sum(), block_totals(plus, x, twice=False)[0][0]
    message = "one sum of 8 values, for each thread of two blocks"
    np.testing.assert_allclose(found, np.full(16, wanted), rtol=1e-4, err_msg=message)


@pytest.mark.stub("block-reduce", points=7)
def test_every_thread_gets_the_total_of_the_block():
    for threads in (1, 2, 8, 32, 64):
        x = random(threads)
        wanted, found = x.sum(), block_totals(plus, x)[0]
        np.testing.assert_allclose(
            found[0], np.full(2 * threads, wanted), rtol=1e-4, atol=1e-5,
            err_msg=f"the sum of a block's values, for each of its threads: {threads=}",
        )  # fmt: skip
        np.testing.assert_allclose(
            found[1], np.full(2 * threads, -wanted), rtol=1e-4, atol=1e-5,
            err_msg=f"a second sum over the same shared memory, {threads=}",
        )  # fmt: skip


@pytest.mark.stub("block-reduce", points=7)
def test_block_reduce_applies_the_function_it_was_given():
    for place in (0, 5, 15):
        x = -1 - np.abs(random(16))
        x[place] = -0.5
        found = block_totals(larger, x)[0]
        np.testing.assert_array_equal(
            found[0],
            np.full(32, -0.5, np.float32),
            err_msg=f"the largest of 16, in place {place}",
        )
        np.testing.assert_array_equal(found[1], np.full(32, (-x).max()), err_msg="the second one")


@pytest.mark.stub("block-reduce", points=7)
def test_block_reduce_takes_few_rounds_and_compiles_for_a_device():
    block_reduce = make_block_reduce(plus)

    @cuda.jit
    def kernel(out, x):
        shared = cuda.shared.array(64, np.float32)
        out[cuda.threadIdx.x] = block_reduce(x[cuda.threadIdx.x], shared)

    x, out = Buffer(random(64), margin=0), Buffer.empty(64, margin=0)
    seen = run(kernel, 1, 64, out, x, compiled=True)
    if SIMULATED:
        assert seen.shared_requests <= 45, (
            "64 values are combined in 6 rounds, in which the two warps ask shared memory "
            f"some 25 to 40 times; they ask {seen.shared_requests} times: does one thread "
            "go through all of them?"
        )


@pytest.mark.stub("warp-reduce", points=5)
def test_warps_give_every_thread_the_total_of_the_block():
    for threads in (32, 64, 128):
        x = random(threads)
        wanted, found = x.sum(), block_totals(plus, x, make_warp_reduce)[0]
        for sign, row in zip((1, -1), found):
            np.testing.assert_allclose(
                row, np.full(2 * threads, sign * wanted), rtol=1e-4, atol=1e-5,
                err_msg="the sum of a block's values, for each of its threads, and that of "
                f"the negative ones over the same shared memory: {threads=}",
            )  # fmt: skip


@pytest.mark.stub("warp-reduce", points=5)
def test_warps_apply_the_function_they_were_given():
    for place in (0, 5, 31, 33, 63):
        x = -1 - np.abs(random(64))
        x[place] = -0.5
        found = block_totals(larger, x, make_warp_reduce)[0]
        np.testing.assert_array_equal(
            found[0],
            np.full(128, -0.5, np.float32),
            err_msg=f"the largest of 64, in place {place}",
        )


@pytest.mark.stub("warp-reduce", points=5)
def test_warps_wait_at_few_barriers():
    seen = block_totals(plus, random(64), make_warp_reduce)[1]
    if SIMULATED:
        assert seen.shuffles, "the lanes of a warp combine their values by shuffles"
        assert seen.barriers <= 12, (
            "4 sums (2 blocks, 2 in each) need 2 barriers each, or 3 where one warp combines "
            f"the totals: {seen.barriers} are too many"
        )
        assert seen.shared_requests <= 32, (
            "2 numbers of a block of 64 go through shared memory, so 4 sums ask it 16 to 24 "
            f"times; this function asks {seen.shared_requests} times"
        )


@pytest.mark.stub("warp-reduce", points=5)
def test_warps_compile_for_a_device():
    block_totals(plus, random(64), make_warp_reduce, compiled=True)


def reduced(fn, start, x, blocks):
    """Each row of x combined by a kernel, and what the simulator saw."""
    x, out = Buffer(x), Buffer.empty(len(x), dtype=x.dtype, margin=5)
    sizes = len(x.array), x.array.shape[1], out.offset, x.offset
    seen = run(make_reduce(fn, start), blocks, THREADS, out, x, *sizes)
    x.check_unchanged("x")
    return out.result(), seen


@pytest.mark.stub("reduce", points=5)
def test_sums_of_rows_of_any_length():
    for rows, length, blocks in [
        (1, 1, 1), (3, 31, 3), (2, 32, 2), (2, 33, 1), (1, 1025, 1), (5, 7, 2), (2, 3, 9),
        (3, 0, 2), (3, 40, 2),
    ]:  # fmt: skip
        x = random(rows, length)
        wanted = x.sum(1)
        found, seen = reduced(plus, np.float32(0), x, blocks)
        np.testing.assert_allclose(
            found, wanted, rtol=1e-4, atol=1e-4,
            err_msg=f"sums of rows, {rows=}, {length=}, {blocks=}",
        )  # fmt: skip
        if SIMULATED:
            assert seen.loads == x.size, f"{rows=}, {length=}: {x.size} reads are wanted, not {seen.loads}"


@pytest.mark.stub("reduce", points=5)
def test_maxima_begin_with_minus_infinity():
    for length in (5, 33, 100):
        x = -1 - np.abs(random(4, length))
        wanted = x.max(1)
        found, _ = reduced(larger, np.float32(-np.inf), x, 2)
        np.testing.assert_array_equal(found, wanted, err_msg=f"maxima of 4 rows of {length}, all negative")
    found, _ = reduced(larger, np.float32(-3), np.zeros((2, 0), np.float32), 1)
    np.testing.assert_array_equal(found, [-3, -3], err_msg="a row of nothing gives start, -3")


@pytest.mark.stub("reduce", points=5)
def test_integers_stay_integers():
    x = np.arange(40, dtype=np.int64).reshape(2, 20) + 2**40
    wanted = x.sum(1)
    found, _ = reduced(plus, np.int64(0), x, 2)
    np.testing.assert_array_equal(found, wanted, err_msg="sums of int64 are exact")


@cuda.jit(device=True)
def both(x, y):
    return x and y


@pytest.mark.stub("reduce", points=5)
def test_booleans_are_combined():
    x = np.arange(80).reshape(2, 40) != 50
    found, _ = reduced(both, np.bool_(True), x, 1)
    np.testing.assert_array_equal(found, [True, False], err_msg="whether all of a row holds")


@pytest.mark.stub("reduce", points=5)
def test_neighbouring_threads_take_neighbouring_entries():
    x, out = Buffer(random(1, 512), margin=0), Buffer.empty(1, margin=0)
    seen = run(make_reduce(plus, np.float32(0)), 1, THREADS, out, x, 1, 512, 0, 0)
    if SIMULATED:
        assert seen.lines <= 20, (
            "a row of 512 numbers is 16 lines of memory, if the threads take neighbours "
            f"in every step; this kernel asks for {seen.lines}"
        )


@pytest.mark.stub("reduce", points=5)
def test_reduce_compiles_for_a_device():
    x, out = Buffer(random(2, 40)), Buffer.empty(2)
    kernel = make_reduce(plus, np.float32(0))
    run(kernel, 1, THREADS, out, x, 2, 40, out.offset, x.offset, compiled=True)


def check_product(kernel, side, m, n, k, transposed="", **how):
    a, b = random(m, k), random(k, n, seed=1)
    wanted = a @ b
    found, seen = product(kernel, a, b, side, transposed, **how)
    np.testing.assert_allclose(
        found, wanted, rtol=1e-4, atol=1e-4,
        err_msg=f"({m}, {k}) times ({k}, {n}) in blocks of {side} x {side} threads"
        + (f", where {transposed} is stored column by column" if transposed else ""),
    )  # fmt: skip
    return seen


def check_batch(kernel, side):
    """Two products in one launch: blocks with another z have other matrices."""
    a, b, out = random(2, 3, 4), random(2, 4, 5, seed=1), Buffer.empty(2, 3, 5)
    layouts = [(3, x.shape[2], 1, x[0].size, 0, 1) for x in (out.array, a, b)]
    run(kernel, (1, 1, 2), (side, side), out, Buffer(a), Buffer(b), (3, 5, 4), *layouts)
    for z, found, wanted in zip(range(2), out.result(), a @ b):
        np.testing.assert_allclose(
            found, wanted, rtol=1e-4, atol=1e-4,
            err_msg=f"product {z} of a batch: `matrix_of` knows a block's matrices",
        )  # fmt: skip


@pytest.mark.stub("matmul-naive", points=3)
def test_naive_product_of_any_size():
    for m, n, k in [(8, 8, 8), (1, 1, 1), (3, 10, 5), (10, 3, 17), (9, 9, 0)]:
        check_product(matmul_naive, 8, m, n, k)


@pytest.mark.stub("matmul-naive", points=3)
def test_naive_product_of_transposed_matrices():
    for transposed in ("a", "b", "out", "a b"):
        check_product(matmul_naive, 8, 5, 9, 7, transposed)


@pytest.mark.stub("matmul-naive", points=3)
def test_naive_products_of_a_batch():
    check_batch(matmul_naive, 8)


@pytest.mark.stub("matmul-naive", points=3)
def test_naive_product_reads_along_the_rows_of_b():
    seen = check_product(matmul_naive, 8, 16, 16, 16)
    if SIMULATED:
        assert (seen.loads, seen.stores) == (2 * 16**3, 16**2), (
            "16 x 16 x 16: each thread reads 16 of a and 16 of b, and writes once: 8,192 "
            f"read, 256 written; not {seen.loads} and {seen.stores}"
        )
        lines = product(matmul_naive, random(32, 3), random(3, 32, seed=1), 8)[1].lines
        assert lines < 460, (
            "(32, 3) times (3, 32): if neighbours in x take neighbouring columns, they ask "
            f"for some 400 lines of memory; this kernel asks for {lines}: is x the row?"
        )


@pytest.mark.stub("matmul-naive", points=3)
def test_naive_product_compiles_for_a_device():
    check_product(matmul_naive, 8, 3, 4, 5, compiled=True)


@pytest.mark.stub("matmul-tiled", points=9)
def test_tiled_product_within_one_tile():
    for m, n, k in [(1, 1, 1), (TILE, TILE, TILE), (3, 5, 4), (5, 2, 7)]:
        check_product(matmul_tiled, TILE, m, n, k)


@pytest.mark.stub("matmul-tiled", points=9)
def test_tiled_product_of_several_tiles():
    for m, n, k in [(3, 4, 20), (10, 3, 9), (3, 18, 17), (4, 4, 0)]:
        check_product(matmul_tiled, TILE, m, n, k)


@pytest.mark.stub("matmul-tiled", points=9)
def test_tiled_product_of_transposed_matrices():
    for transposed in ("a", "b", "out", "a b"):
        check_product(matmul_tiled, TILE, 5, 10, 9, transposed)


@pytest.mark.stub("matmul-tiled", points=9)
def test_tiled_products_of_a_batch():
    check_batch(matmul_tiled, TILE)


@pytest.mark.stub("matmul-tiled", points=9)
def test_tiled_product_reads_each_number_once_for_each_tile():
    seen = check_product(matmul_tiled, TILE, 16, 16, 16)
    if SIMULATED:
        wanted = 2 * 16**3 // TILE
        assert (seen.loads, seen.stores) == (wanted, 256), (
            f"16 x 16 x 16 in tiles of {TILE}: {wanted} numbers are read and 256 written, not "
            f"{seen.loads} and {seen.stores}"
        )
        assert seen.lines < 115, (
            "16 x 16 x 16: if neighbours in x load neighbouring numbers, they ask for some "
            f"100 lines of memory; this kernel asks for {seen.lines}"
        )


@pytest.mark.stub("matmul-tiled", points=9)
def test_neighbours_in_x_use_neighbouring_words_of_a_tile():
    seen = check_product(matmul_tiled, TILE, 16, 16, 16)
    if SIMULATED:
        passes = seen.shared_passes / seen.shared_requests
        assert seen.shared_passes == seen.shared_requests, (
            "neighbours in x write neighbouring words of a tile, and read neighbours or the "
            f"same one: then shared memory answers in 1 pass, and here in {passes:.2f}"
        )


@pytest.mark.stub("matmul-tiled", points=9)
def test_tiled_product_of_33_by_33():
    check_product(matmul_tiled, TILE, 33, 33, 33, watched=False)


@pytest.mark.stub("matmul-tiled", points=9)
def test_tiled_product_compiles_for_a_device():
    check_product(matmul_tiled, TILE, 3, 4, 5, compiled=True)


@pytest.mark.stub("matmul-registers", points=7)
def test_register_product_of_any_size():
    for m, n, k in [(1, 1, 1), (SIDE, SIDE, DEPTH), (3, SIDE + 1, 5), (20, 9, 17), (4, 4, 0)]:
        check_product(matmul_registers, TILE, m, n, k, numbers=SIDE)


@pytest.mark.stub("matmul-registers", points=7)
def test_register_product_of_several_blocks():
    check_product(matmul_registers, TILE, SIDE + 3, SIDE + 2, 10, numbers=SIDE, watched=False)


@pytest.mark.stub("matmul-registers", points=7)
def test_register_product_of_transposed_matrices():
    for transposed in ("a", "b", "out"):
        check_product(matmul_registers, TILE, 5, 10, 9, transposed, numbers=SIDE)


@pytest.mark.stub("matmul-registers", points=7)
def test_register_products_of_a_batch():
    check_batch(matmul_registers, TILE)


@pytest.mark.stub("matmul-registers", points=7)
def test_register_product_takes_half_a_number_for_a_multiplication():
    seen = check_product(matmul_registers, TILE, SIDE, SIDE, 8, numbers=SIDE)
    if SIMULATED:
        wanted = 2 * SIDE * 8
        assert (seen.loads, seen.stores) == (wanted, SIDE**2), (
            f"({SIDE}, 8) times (8, {SIDE}) in one block: {wanted} numbers are read from "
            f"memory and {SIDE**2} written, not {seen.loads} and {seen.stores}"
        )
        warps, loads = TILE * TILE // 32, 2 * (2 * SIDE * 8 // 32 // 2)
        wanted = warps * 8 * 8 + loads
        assert seen.shared_requests <= wanted, (
            f"8 steps in {warps} warps, each with 4 + 4 requests, and {loads} to fill the "
            f"slabs: {wanted} requests to shared memory, not {seen.shared_requests}"
        )
        assert seen.shared_passes <= seen.shared_requests, (
            "a request to shared memory takes more than one pass: are the numbers of a thread "
            "TILE apart, so that neighbours in x ask for neighbouring words?"
        )
        assert seen.barriers <= 3, f"one slab needs two barriers, not {seen.barriers}"


@pytest.mark.stub("matmul-registers", points=7)
def test_register_product_compiles_for_a_device():
    check_product(matmul_registers, TILE, 3, 4, 5, numbers=SIDE, compiled=True)


@pytest.mark.stub("bank-passes", points=2)
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
        ("three words of one bank, one of another", [0, 32, 64, 3], 3),
        ("banks 31 and 0", [31, 32], 1),
        ("one thread", [1000], 1),
    ]:
        words = list(words)
        found = bank_passes(words)
        assert found == wanted, f"{name}, {words[:4]} and so on: {wanted} passes, not {found!r}"
        found = bank_passes(words[::-1])
        assert found == wanted, f"{name}, in reverse order: {wanted} passes, not {found!r}"


def transposed(x, margin=3):
    """The transposes of matrices (batch, rows, columns) by the kernel, and what was seen."""
    batch, rows, columns = x.shape
    out, x = (
        Buffer.empty(batch, columns, rows, dtype=x.dtype, margin=2 * margin),
        Buffer(x, margin=margin),
    )
    grid = (max(1, -(-columns // 32)), max(1, -(-rows // 32)), batch)
    seen = run(transpose_kernel, grid, (32, 8), out, x, rows, columns, 2 * margin, margin)
    x.check_unchanged("x")
    return out.result(), seen


@pytest.mark.stub("transpose", points=6)
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
        np.testing.assert_array_equal(transposed(x)[0], wanted, err_msg=f"transposes of {shape}")


@pytest.mark.stub("transpose", points=6)
def test_a_transpose_keeps_the_type():
    x = np.arange(15, dtype=np.int64).reshape(1, 3, 5) + 2**40
    np.testing.assert_array_equal(transposed(x)[0], x.swapaxes(1, 2), err_msg="int64 stays exact")


@pytest.mark.stub("transpose", points=6)
def test_a_transpose_moves_whole_lines_without_conflicts():
    x = random(1, 32, 32)
    seen = transposed(x, margin=0)[1]
    if SIMULATED:
        assert seen.lines == 64, (
            f"a tile of 32 x 32 is 32 lines in and 32 out; this kernel asks for {seen.lines}"
        )
        assert seen.shared_requests, "the tile goes through shared memory"
        passes = seen.shared_passes / seen.shared_requests
        assert passes == 1, (
            f"a request to shared memory takes {passes:.1f} passes on average, not 1: "
            "which words does a warp ask for, and which banks are they in?"
        )


@pytest.mark.stub("transpose", points=6)
def test_transpose_compiles_for_a_device():
    x, out = Buffer(random(3, 5), margin=0), Buffer.empty(5, 3, margin=0)
    run(transpose_kernel, (1, 1, 1), (32, 8), out, x, 3, 5, 0, 0, compiled=True)


def softmax_by_numpy(x):
    exps = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True, initial=-np.inf))
    return exps / exps.sum(-1, keepdims=True)


def softmax_of(x, blocks):
    x, out = Buffer(x), Buffer.empty(*x.shape, margin=5)
    sizes = (*x.array.shape, out.offset, x.offset)
    seen = run(softmax_kernel, blocks, THREADS, out, x, *sizes)
    x.check_unchanged("x")
    return out.result(), seen


@pytest.mark.stub("softmax", points=6)
def test_softmax_of_rows_of_any_length():
    for rows, columns, blocks in [(1, 1, 1), (2, 31, 2), (3, 33, 2), (5, 8, 7), (4, 70, 1)]:
        x = random(rows, columns)
        found, seen = softmax_of(x, blocks)
        for row, wanted in enumerate(softmax_by_numpy(x)):
            np.testing.assert_allclose(
                found[row], wanted, rtol=1e-5, atol=1e-7,
                err_msg=f"{rows=}, {columns=}, {blocks=}: row {row}",
            )  # fmt: skip
        if SIMULATED:
            assert seen.loads <= (4 * columns + THREADS) * rows, (
                f"three or four times as many reads as numbers will do: {3 * x.size}, and not {seen.loads}"
            )
            assert seen.stores <= 2 * x.size, (
                f"{rows=}, {columns=}: {x.size} writes will do, or twice as many where the "
                f"exponentials are kept in out; not {seen.stores}"
            )
    if SIMULATED:
        times = (seen.loads + seen.stores) / x.size
        assert seen.lines < 32 * times, (
            f"4 rows of 70 are read and written {times:.1f} times: if the threads take "
            f"neighbours in every step, they ask for some {25 * times:.0f} lines; this kernel "
            f"asks for {seen.lines}"
        )


@pytest.mark.stub("softmax", points=6)
def test_softmax_of_large_logits_and_of_minus_infinity():
    x = random(4, 40)
    x[0] += 1000
    x[1] -= 1e32
    x[2, 5:30] = -np.inf
    x[3, -1] = 1000
    names = (
        "around 1000",
        "around -1e32",
        "of which those from 5 to 29 are -inf",
        "with 1000 last",
    )
    for name, row, wanted in zip(names, softmax_of(x, 2)[0], softmax_by_numpy(x)):
        np.testing.assert_allclose(row, wanted, rtol=1e-4, atol=1e-7, err_msg=f"a row of 40 logits {name}")


@pytest.mark.stub("softmax", points=6)
def test_softmax_in_place():
    x = Buffer(random(2, 37))
    wanted = softmax_by_numpy(x.array)
    run(softmax_kernel, 1, THREADS, x, x, 2, 37, x.offset, x.offset)
    np.testing.assert_allclose(x.result(), wanted, rtol=1e-5, atol=1e-7, err_msg="out is x")


@pytest.mark.stub("softmax", points=6)
def test_softmax_compiles_for_a_device():
    x, out = Buffer(random(2, 40)), Buffer.empty(2, 40)
    sizes = 2, 40, out.offset, x.offset
    run(softmax_kernel, 1, THREADS, out, x, *sizes, compiled=True)


@cuda.jit
def take_in_kernel(out, scores, values, count, size):
    """One thread takes in `count` keys; out gets m, s, and o."""
    tile = cuda.shared.array((16, 8), np.float32)
    state = cuda.local.array(2, np.float32)
    mixed = cuda.local.array(8, np.float32)
    state[0], state[1] = np.float32(-np.inf), np.float32(0)
    for c in range(8):
        mixed[c] = np.float32(0)
    for j in range(count):
        for c in range(size):
            tile[j, c] = values[j * size + c]
        take_in(scores[j], tile, j, size, state, mixed)
        out[2 + 8 + j] = state[1]
    out[0], out[1] = state[0], state[1]
    for c in range(8):
        out[2 + c] = mixed[c]


def taken_in(scores, values, **how):
    count, size = values.shape
    out = Buffer.empty(26, margin=0)
    run(
        take_in_kernel,
        1,
        1,
        out,
        Buffer(scores, margin=0),
        Buffer(values, margin=0),
        count,
        size,
        **how,
    )
    return out.result()


@pytest.mark.stub("online-softmax", points=5)
def test_state_and_mixture_are_those_of_all_keys_so_far():
    rising = np.linspace(-3, 4, 9).astype(np.float32)
    for name, scores in [
        ("one score", np.float32([2.5])),
        ("rising scores", rising),
        ("falling scores", rising[::-1].copy()),
        ("random scores, some equal", random(12, seed=2).round()),
        ("scores around 500", random(12, seed=3) * 9 + 500),
        ("scores around -500", random(12, seed=4) * 9 - 500),
    ]:
        values = random(len(scores), 5, seed=5)
        weights = np.exp(scores.astype(np.float64) - scores.max())
        found = taken_in(scores, values)
        assert found[0] == scores.max(), f"{name}: m is {scores.max()}, not {found[0]}"
        np.testing.assert_allclose(found[1], weights.sum(), rtol=1e-4, err_msg=f"{name}: s")
        np.testing.assert_allclose(found[2:7], weights @ values, rtol=1e-3, atol=1e-4, err_msg=f"{name}: o")
        np.testing.assert_array_equal(
            found[7:10], 0, err_msg=f"{name}: only the first 5 numbers of `mixed` count"
        )


@pytest.mark.stub("online-softmax", points=5)
def test_online_softmax_compiles_for_a_device():
    taken_in(np.float32([1, 2]), random(2, 5), compiled=True, local=True)


def attended(q, k, v, scale, causal, threads=8, **how):
    """Attention by the kernel: the result, the logarithms of denominators, what was seen."""
    heads, queries, size = q.shape
    out, lse = Buffer.empty(*q.shape, margin=5), Buffer.empty(heads, queries, margin=2)
    inputs = [Buffer(q, margin=1), Buffer(k, margin=4), Buffer(v, margin=6)]
    offsets = tuple(buffer.offset for buffer in (out, lse, *inputs))
    sizes = queries, k.shape[1], np.float32(scale), causal, offsets
    blocks = -(-queries // threads), heads
    seen = run(make_attention(size), blocks, threads, out, lse, *inputs, *sizes, **how)
    for name, buffer in zip("qkv", inputs):
        buffer.check_unchanged(name)
    return out.result(), lse.result(), seen


def attention_by_numpy(q, k, v, scale, causal):
    scores = q.astype(np.float64) @ k.swapaxes(1, 2) * np.float64(np.float32(scale))
    if causal:
        scores[:, ~np.tri(*scores.shape[1:], dtype=bool)] = -np.inf
    largest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - largest)
    total = weights.sum(-1, keepdims=True)
    return weights / total @ v, (largest + np.log(total))[..., 0]


def check_attention(heads, queries, keys, size, scale, causal, spread=1, threads=8):
    q, k, v = (random(heads, n, size, seed=i) for i, n in enumerate((queries, keys, keys)))
    q *= np.float32(spread)
    wanted = attention_by_numpy(q, k, v, scale, causal)
    *found, seen = attended(q, k, v, scale, causal, threads)
    what = f"{heads=}, {queries=}, {keys=}, {size=}, {scale=}, {causal=}, {threads=}"
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-3, atol=1e-4, err_msg=what)
    np.testing.assert_allclose(
        found[1], wanted[1], rtol=1e-3, atol=1e-4, err_msg=f"log of the denominators: {what}"
    )
    return seen


@pytest.mark.stub("attention", points=9)
def test_attention_within_one_tile():
    for queries, keys, size, scale in [
        (1, 1, 1, 1.0),
        (4, 4, 4, 0.5),
        (3, 7, 5, 0.3),
        (8, 2, 3, 1),
    ]:
        check_attention(1, queries, keys, size, scale, False)


@pytest.mark.stub("attention", points=9)
def test_attention_over_several_tiles_and_heads():
    check_attention(1, 3, 17, 4, 0.5, False)
    check_attention(2, 11, 9, 3, 0.7, False, threads=4)
    check_attention(3, 2, 16, 5, 0.4, False)


@pytest.mark.stub("attention", points=9)
def test_causal_attention():
    check_attention(1, 5, 5, 4, 0.5, True)
    check_attention(2, 18, 18, 3, 0.6, True, threads=16)
    check_attention(1, 9, 13, 2, 0.6, True)


@pytest.mark.stub("attention", points=9)
def test_attention_with_large_scores():
    check_attention(1, 4, 12, 4, 1.0, False, spread=100)


@pytest.mark.stub("attention", points=9)
def test_attention_reads_a_key_once_for_a_block_of_queries():
    seen = check_attention(1, 8, 20, 4, 0.5, False)
    if SIMULATED:
        wanted = (8 + 20 + 20) * 4
        assert seen.loads == wanted, (
            f"8 queries, 20 keys and 20 values of 4 are {wanted} numbers, each read once by a "
            f"block of 8 threads, not {seen.loads}"
        )


@pytest.mark.stub("attention", points=9)
def test_causal_attention_leaves_out_what_no_query_of_a_block_sees():
    seen = check_attention(1, 20, 20, 4, 0.5, True)
    if SIMULATED:
        wanted = (20 + 2 * (8 + 16 + 20)) * 4
        assert seen.loads <= wanted, (
            f"blocks of 8 queries see 8, 16 and all 20 keys: {wanted} numbers with queries "
            f"and values, but {seen.loads} are read: are tiles loaded that are masked whole?"
        )


@pytest.mark.stub("attention", points=9)
def test_attention_compiles_for_a_device():
    q = random(1, 3, 4)
    attended(q, q, q, 0.5, True, compiled=True)


@pytest.mark.stub("adamw", points=3)
def test_steps_of_adamw():
    for size, lr, beta1, beta2, eps, decay in [
        (33, 0.1, 0.9, 0.999, 1e-8, 0.0),
        (70, 0.02, 0.8, 0.95, 1e-3, 0.5),
        (0, 0.1, 0.9, 0.99, 1e-8, 0.1),
    ]:
        p, m, v = random(size), np.zeros(size, np.float32), np.zeros(size, np.float32)
        buffers = {n: Buffer(x, margin=2 + i) for i, (n, x) in enumerate([("p", p), ("m", m), ("v", v)])}
        p, m, v = (x.astype(np.float64) for x in (p, m, v))
        for step in (1, 2, 3):
            grad = Buffer(random(size, seed=step), margin=7)
            g, c1, c2 = grad.array.astype(np.float64), 1 - beta1**step, 1 - beta2**step
            m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
            p = p - lr * decay * p - lr / c1 * m / (np.sqrt(v / c2) + eps)
            numbers = lr, beta1, 1 - beta1, beta2, 1 - beta2, eps, decay, c1, c2
            numbers = tuple(map(np.float32, numbers))
            order = buffers["p"], grad, buffers["m"], buffers["v"]
            offsets = tuple(buffer.offset for buffer in order)
            seen = run(adamw_kernel, 2, 32, *order, size, numbers, offsets)
            grad.check_unchanged("grad")
            for name, wanted in (("m", m), ("v", v), ("p", p)):
                np.testing.assert_allclose(
                    buffers[name].result(name), wanted, rtol=4e-6,
                    atol=1e-12 if name == "v" else 2e-6,
                    err_msg=f"{name} of {size} numbers after step {step}: {lr=}, {beta1=}, "
                    f"{beta2=}, {eps=}, {decay=}",
                )  # fmt: skip
            if SIMULATED:
                assert (seen.loads <= 8 * size, seen.stores <= 6 * size) == (True, True), (
                    f"{size=}: {4 * size} reads and {3 * size} writes will do, and more than "
                    f"twice as many are too many: {seen.loads} and {seen.stores}"
                )
                times = (seen.loads + seen.stores) // size if size else 0
                assert seen.lines <= times * (size // 32 + 4), (
                    f"{size=}: {seen.lines} lines of memory are too many: threads that are "
                    "neighbours take neighbouring numbers in every step"
                )


@pytest.mark.stub("adamw", points=3)
def test_adamw_compiles_for_a_device():
    p, grad, m, v = (Buffer(np.abs(random(40, seed=i)), margin=0) for i in range(4))
    numbers = (np.float32(0.1),) * 9
    run(adamw_kernel, 1, 32, p, grad, m, v, 40, numbers, (0, 0, 0, 0), compiled=True)


def check_on_device(about, function, *arrays):
    """Compare a function of NumPy's on the device with what it gives on the host.

    The table is empty before, so that only what you and the given part bind is in it.
    """
    with np.errstate(all="ignore"):
        wanted = function(*arrays)
    kernels.clear()
    switch_on()
    try:
        found = function(*map(CudaArray, arrays)).to_host()
    except NotImplementedError as error:
        raise AssertionError(f"{about}: {error}") from None
    except TypeError as error:
        raise AssertionError(f"{about}: what is bound to it fails: {error}") from None
    finally:
        switch_off()
    assert found.dtype == wanted.dtype, f"{about} is {wanted.dtype}, not {found.dtype}"
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6, err_msg=about)


def operands(name, *shapes):
    """Positive numbers, or booleans for what asks whether something holds."""
    if name.startswith(("logical", "bitwise", "invert")):
        return [random(*shape, seed=i) > 0 for i, shape in enumerate(shapes)]
    return [np.abs(random(*shape, seed=i)) + np.float32(0.5) for i, shape in enumerate(shapes)]


@pytest.mark.stub("bind-kernels", points=4)
def test_functions_of_one_number_are_bound():
    for name in UNARY:
        check_on_device(f"np.{name}(x)", getattr(np, name), *operands(name, (5,)))


@pytest.mark.stub("bind-kernels", points=4)
def test_functions_of_two_numbers_are_bound():
    for name in BINARY:
        function = getattr(np, name)
        check_on_device(f"np.{name}(x, y)", function, *operands(name, (2, 3), (3,)))


@pytest.mark.stub("bind-kernels", points=4)
def test_reductions_are_bound_with_what_they_begin_with():
    for name in REDUCTIONS:
        for shape in ((2, 5), (5, 2)):
            (x,) = operands(name, shape)
            x = ~x if x.dtype == bool else -x
            reduce = getattr(np, name).reduce
            check_on_device(f"np.{name}.reduce of {shape} along 1", lambda x, r=reduce: r(x, axis=1), x)


@pytest.mark.stub("bind-kernels", points=4)
def test_products_and_copies_are_bound():
    a, b = random(3, 5), random(5, 2, seed=1)
    bind_kernels()
    assert not hasattr(kernels.get("matmul"), "forall"), (
        "what is bound to matmul is a kernel, and not a launcher, which chooses a grid for it"
    )
    check_on_device("a @ b, of (3, 5) and (5, 2)", np.matmul, a, b)
    check_on_device("a copy of x.T, in its own order", lambda x: x.T.copy(), a)
