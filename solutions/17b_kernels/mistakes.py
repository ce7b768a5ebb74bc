"""Planted mistakes of module 17b: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "map": """
        No bound, or another than size: threads beyond the end read and write too. (hint 1)
        + i = cuda.grid(1)
        + out[out_offset + i] = fn(x[x_offset + i])

        The bound is off by one. (hint 2)
        + i = cuda.grid(1)
        + if i <= size:
        +     out[out_offset + i] = fn(x[x_offset + i])

        A grid that is too small leaves the rest undone. (hint 1)
        + i = cuda.grid(1)
        + if i < size:
        +     out[out_offset + i] = fn(x[x_offset + i])

        Every thread does everything. (hint 2)
        + for i in range(size):
        +     out[out_offset + i] = fn(x[x_offset + i])

        The step is a block, and not the grid. (hint 3)
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        + for i in range(cuda.grid(1), size, cuda.blockDim.x):

        The number within the block is taken for that within the grid. (hint 3)
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        + for i in range(cuda.threadIdx.x, size, cuda.gridsize(1)):

        The offsets are forgotten. (hint 3)
        - out[out_offset + i] = fn(x[x_offset + i])
        + out[i] = fn(x[i])

        x is read from the offset of out. (hint 3)
        - out[out_offset + i] = fn(x[x_offset + i])
        + out[out_offset + i] = fn(x[out_offset + i])

        Each thread takes a piece of its own: right, and a line of memory for every thread. (hint 3)
        + each = (size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
        + for i in range(cuda.grid(1) * each, min(size, (cuda.grid(1) + 1) * each)):
        +     out[out_offset + i] = fn(x[x_offset + i])

        A Python number makes a float64 of the result.
        - out[out_offset + i] = fn(x[x_offset + i])
        + out[out_offset + i] = fn(x[x_offset + i]) * 1.0

        The function is applied twice.
        - out[out_offset + i] = fn(x[x_offset + i])
        + out[out_offset + i] = fn(fn(x[x_offset + i]))

        x is read from the beginning of its buffer, and not from its offset. (hint 3)
        - out[out_offset + i] = fn(x[x_offset + i])
        + out[out_offset + i] = fn(x[i])

        A kernel returns nothing, and this one returns out.
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        -     out[out_offset + i] = fn(x[x_offset + i])
        + for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        +     out[out_offset + i] = fn(x[x_offset + i])
        + return out

        A place is computed with a float, and made an integer again: that is float64 on a device. (hint 3)
        - out[out_offset + i] = fn(x[x_offset + i])
        + out[out_offset + i] = fn(x[x_offset + int(i * 1.0)])

        The numbers of a thread are taken as a slice, and a thread takes one after another. (hint 1)
        + first, step = cuda.grid(1), cuda.gridsize(1)
        + out[out_offset + first : out_offset + size : step] = fn(x[x_offset + first : x_offset + size : step])

        The loop begins at the offset, and ends at size all the same. (hint 3)
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        -     out[out_offset + i] = fn(x[x_offset + i])
        + for i in range(x_offset + cuda.grid(1), size, cuda.gridsize(1)):
        +     out[out_offset - x_offset + i] = fn(x[i])
    """,
    "zip": """
        The first dimension is taken off first. (hint 2)
        - for dim in range(len(shape) - 1, 0, -1):
        -     index, digit = divided(index, shape[dim])
        -     place += digit * strides[dim]
        - return place + index * strides[0]
        + for dim in range(len(shape)):
        +     index, digit = divided(index, shape[dim])
        +     place += digit * strides[dim]
        + return place

        The index is not divided, so each digit is taken from the whole of it. (hint 1)
        - index, digit = divided(index, shape[dim])
        - place += digit * strides[dim]
        + place += divided(index, shape[dim])[1] * strides[dim]

        The first dimension is left out. (hint 2)
        - return place + index * strides[0]
        + return place

        Quotient and remainder are exchanged. (hint 1)
        - index, digit = divided(index, shape[dim])
        + digit, index = divided(index, shape[dim])

        y is read as if it were contiguous. (hint 3)
        - b = y[y_offset + place_of(i, shape, y_strides)]
        + b = y[y_offset + i]

        y is read by the strides of x. (hint 3)
        - b = y[y_offset + place_of(i, shape, y_strides)]
        + b = y[y_offset + place_of(i, shape, x_strides)]

        out is written as if it were contiguous. (hint 3)
        - out[out_offset + place_of(i, shape, out_strides)] = fn(a, b)
        + out[out_offset + i] = fn(a, b)

        The arguments of the function are exchanged.
        - out[out_offset + place_of(i, shape, out_strides)] = fn(a, b)
        + out[out_offset + place_of(i, shape, out_strides)] = fn(b, a)

        y begins where x begins. (hint 3)
        - b = y[y_offset + place_of(i, shape, y_strides)]
        + b = y[x_offset + place_of(i, shape, y_strides)]

        Each thread does one number only, so a small grid leaves the rest undone. (hint 3)
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        -     a = x[x_offset + place_of(i, shape, x_strides)]
        -     b = y[y_offset + place_of(i, shape, y_strides)]
        -     out[out_offset + place_of(i, shape, out_strides)] = fn(a, b)
        + i = cuda.grid(1)
        + if i < size:
        +     a = x[x_offset + place_of(i, shape, x_strides)]
        +     b = y[y_offset + place_of(i, shape, y_strides)]
        +     out[out_offset + place_of(i, shape, out_strides)] = fn(a, b)

        The offsets are forgotten. (hint 3)
        -     a = x[x_offset + place_of(i, shape, x_strides)]
        -     b = y[y_offset + place_of(i, shape, y_strides)]
        -     out[out_offset + place_of(i, shape, out_strides)] = fn(a, b)
        +     a = x[place_of(i, shape, x_strides)]
        +     b = y[place_of(i, shape, y_strides)]
        +     out[place_of(i, shape, out_strides)] = fn(a, b)

        Each thread takes a piece of its own: right, and a line of memory for every thread. (hint 3)
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        + each = (size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
        + for i in range(cuda.grid(1) * each, min(size, (cuda.grid(1) + 1) * each)):

        NumPy takes the index apart, and a device has no np.unravel_index. (hint 1)
        - place = 0
        - for dim in range(len(shape) - 1, 0, -1):
        -     index, digit = divided(index, shape[dim])
        -     place += digit * strides[dim]
        - return place + index * strides[0]
        + digits = np.unravel_index(index, shape)
        + place = 0
        + for dim in range(len(shape)):
        +     place += digits[dim] * strides[dim]
        + return place

        The digits are kept in a list, and a device has none. (hint 1)
        - place = 0
        - for dim in range(len(shape) - 1, 0, -1):
        -     index, digit = divided(index, shape[dim])
        -     place += digit * strides[dim]
        - return place + index * strides[0]
        + digits = []
        + for dim in range(len(shape) - 1, -1, -1):
        +     digits.append(index % shape[dim])
        +     index //= shape[dim]
        + place = 0
        + for dim in range(len(shape)):
        +     place += digits[len(shape) - 1 - dim] * strides[dim]
        + return place

        The quotient is a float that is cut off, which is float64 on a device. (hint 2)
        - index, digit = divided(index, shape[dim])
        + index, digit = int(index / shape[dim]), index % shape[dim]

        The quotient is a float, for `/` does not divide integers. (hint 2)
        - index, digit = divided(index, shape[dim])
        + index, digit = index / shape[dim], index % shape[dim]

        The index is divided before its digit is taken. (hint 2)
        - index, digit = divided(index, shape[dim])
        + index = divided(index, shape[dim])[0]
        + digit = divided(index, shape[dim])[1]

        The digit is multiplied by the size, and not by the stride. (hint 2)
        - place += digit * strides[dim]
        + place += digit * shape[dim]

        The remainder is taken by the stride, and not by the size. (hint 2)
        - index, digit = divided(index, shape[dim])
        + index, digit = divided(index, shape[dim])[0], divided(index, strides[dim])[1]

        The index is divided by the stride, and not by the size. (hint 2)
        - index, digit = divided(index, shape[dim])
        + index, digit = divided(index, strides[dim])[0], divided(index, shape[dim])[1]

        The index is handed back, and not the place. (hint 1)
        - return place + index * strides[0]
        + return index

        The loop returns in its first round, with the last dimension alone. (hint 1)
        -     place += digit * strides[dim]
        - return place + index * strides[0]
        +     place += digit * strides[dim]
        +     return place
        + return place + index * strides[0]

        The places do not take in where the arrays begin, but for out. (hint 3)
        -     a = x[x_offset + place_of(i, shape, x_strides)]
        -     b = y[y_offset + place_of(i, shape, y_strides)]
        +     a = x[place_of(i, shape, x_strides)]
        +     b = y[place_of(i, shape, y_strides)]

        x is read by the strides of out. (hint 3)
        - a = x[x_offset + place_of(i, shape, x_strides)]
        + a = x[x_offset + place_of(i, shape, out_strides)]

        x is read as if it were contiguous. (hint 3)
        - a = x[x_offset + place_of(i, shape, x_strides)]
        + a = x[x_offset + i]

        Every thread goes through all numbers. (hint 3)
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        + for i in range(size):

        The number within the block is taken for that within the grid. (hint 3)
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        + for i in range(cuda.threadIdx.x, size, cuda.gridsize(1)):

        The step is a block, and not the grid. (hint 3)
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        + for i in range(cuda.grid(1), size, cuda.blockDim.x):

        The offset is taken apart with the index, and belongs to the place. (hint 3)
        - a = x[x_offset + place_of(i, shape, x_strides)]
        + a = x[place_of(x_offset + i, shape, x_strides)]

        A bare number beside the result makes a float64 of it.
        - out[out_offset + place_of(i, shape, out_strides)] = fn(a, b)
        + out[out_offset + place_of(i, shape, out_strides)] = fn(a, b) + 0.0

        The loop ends one dimension too early: dimension 1 is not taken off. (hint 2)
        - for dim in range(len(shape) - 1, 0, -1):
        + for dim in range(len(shape) - 1, 1, -1):
    """,
    "block-reduce": """
        No barrier after the values are written. (hint 3)
        - shared[t] = value
        - cuda.syncthreads()
        + shared[t] = value

        No barrier in the loop. (hint 3)
        -     cuda.syncthreads()
        -     half //= 2
        +     half //= 2

        No barrier at the end: the next call overwrites the total. (hint 3)
        - total = shared[0]
        - cuda.syncthreads()
        + total = shared[0]

        The barrier stands where only some threads come. (hint 2)
        - if t < half:
        -     shared[t] = fn(shared[t], shared[t + half])
        - cuda.syncthreads()
        + if t < half:
        +     shared[t] = fn(shared[t], shared[t + half])
        +     cuda.syncthreads()

        All threads combine, and read beyond the half. (hint 2)
        -     if t < half:
        -         shared[t] = fn(shared[t], shared[t + half])
        +     shared[t] = fn(shared[t], shared[(t + half) % cuda.blockDim.x])

        The loop ends one round too early. (hint 3)
        - while half > 0:
        + while half > 1:

        The loop begins with a quarter of the block. (hint 1)
        - half = cuda.blockDim.x // 2
        + half = cuda.blockDim.x // 4

        The block is taken to have 32 threads. (hint 3)
        - half = cuda.blockDim.x // 2
        + half = 16

        The values are added, whatever fn is.
        - shared[t] = fn(shared[t], shared[t + half])
        + shared[t] = shared[t] + shared[t + half]

        Only thread 0 gets the total.
        - total = shared[0]
        + total = shared[t]

        Thread 0 combines all values alone, and the others do not wait for it. (hint 2)
        - half = cuda.blockDim.x // 2
        - while half > 0:
        -     if t < half:
        -         shared[t] = fn(shared[t], shared[t + half])
        -     cuda.syncthreads()
        -     half //= 2
        + if t == 0:
        +     for i in range(1, cuda.blockDim.x):
        +         shared[0] = fn(shared[0], shared[i])

        The number within the grid is taken for that within the block. (hint 1)
        - t = cuda.threadIdx.x
        + t = cuda.grid(1)

        Thread 0 combines all values alone, one after another, while the others wait. (hint 1)
        - half = cuda.blockDim.x // 2
        - while half > 0:
        -     if t < half:
        -         shared[t] = fn(shared[t], shared[t + half])
        -     cuda.syncthreads()
        -     half //= 2
        + if t == 0:
        +     for i in range(1, cuda.blockDim.x):
        +         shared[0] = fn(shared[0], shared[i])
        + cuda.syncthreads()

        Every thread combines all values alone. (hint 1)
        - half = cuda.blockDim.x // 2
        - while half > 0:
        -     if t < half:
        -         shared[t] = fn(shared[t], shared[t + half])
        -     cuda.syncthreads()
        -     half //= 2
        - total = shared[0]
        + total = shared[0]
        + for i in range(1, cuda.blockDim.x):
        +     total = fn(total, shared[i])

        half is divided by `/`, and an index is no float. (hint 3)
        - half //= 2
        + half /= 2

        half is a float that is cut off, which is float64 on a device. (hint 3)
        - half //= 2
        + half = int(half / 2)

        half is never made smaller, so the loop has no end. (hint 1)
        -     cuda.syncthreads()
        -     half //= 2
        +     cuda.syncthreads()

        half gets smaller by 2, and is to be halved. (hint 1)
        - half //= 2
        + half -= 2

        The total is not returned. (hint 3)
        - return total
        + pass

        Neighbours are combined, whatever half is. (hint 1)
        - shared[t] = fn(shared[t], shared[t + half])
        + shared[t] = fn(shared[t], shared[t + 1])

        Every thread combines, also those of the upper half, which read beyond the block. (hint 2)
        - if t < half:
        -     shared[t] = fn(shared[t], shared[t + half])
        + shared[t] = fn(shared[t], shared[t + half])

        The last barrier stands before the total is read: the next call overwrites it. (hint 3)
        - total = shared[0]
        - cuda.syncthreads()
        - return total
        + cuda.syncthreads()
        + return shared[0]
    """,
    "warp-reduce": """
        Four rounds, so that two halves of a warp have two totals. (hint 1)
        - for k in (16, 8, 4, 2, 1):
        + for k in (8, 4, 2, 1):

        The rounds begin with 32, and a lane has no such neighbour. (hint 1)
        - for k in (16, 8, 4, 2, 1):
        + for k in (32, 16, 8, 4, 2):

        Only some lanes come to the shuffle. (hint 1)
        - value = fn(value, cuda.shfl_xor_sync(ALL_LANES, value, k))
        + if cuda.threadIdx.x % 32 < k:
        +     value = fn(value, cuda.shfl_xor_sync(ALL_LANES, value, k))

        The values are added, whatever fn is. (hint 1)
        - value = fn(value, cuda.shfl_xor_sync(ALL_LANES, value, k))
        + value += cuda.shfl_xor_sync(ALL_LANES, value, k)

        The other lane's value replaces one's own. (hint 1)
        - value = fn(value, cuda.shfl_xor_sync(ALL_LANES, value, k))
        + value = cuda.shfl_xor_sync(ALL_LANES, value, k)

        The mask names half of the lanes, and the others shuffle too. (hint 1)
        - value = fn(value, cuda.shfl_xor_sync(ALL_LANES, value, k))
        + value = fn(value, cuda.shfl_xor_sync(0xFFFF, value, k))

        The total of the first warp is taken for that of the block. (hint 3)
        - total = shared[t % warps]
        + total = shared[0]

        The warps' totals are not combined, or not all. (hint 3)
        - k = warps // 2
        + k = 0

        Each thread has the total of its own warp. (hint 2)
        - t, warps = cuda.threadIdx.x, cuda.blockDim.x // 32
        - if t % 32 == 0:
        -     shared[t // 32] = value
        - cuda.syncthreads()
        - total = shared[t % warps]
        - cuda.syncthreads()
        - k = warps // 2
        - while k > 0:
        -     total = fn(total, cuda.shfl_xor_sync(ALL_LANES, total, k))
        -     k //= 2
        - return total
        + return value

        The rounds of the second part begin with 16, and every total counts several times. (hint 3)
        - k = warps // 2
        + k = 16

        No barrier before the totals of the warps are read. (hint 3)
        -     shared[t // 32] = value
        - cuda.syncthreads()
        +     shared[t // 32] = value

        No barrier after the reading: the next call overwrites the totals. (hint 3)
        - total = shared[t % warps]
        - cuda.syncthreads()
        + total = shared[t % warps]

        Only thread 0 writes, so the other warps' totals are never handed over. (hint 2)
        - if t % 32 == 0:
        + if t == 0:

        Every warp writes to the place of the first. (hint 2)
        - shared[t // 32] = value
        + shared[0] = value

        Every lane writes to a place of its own, and there is one for each warp. (hint 2)
        - if t % 32 == 0:
        -     shared[t // 32] = value
        + shared[t] = value

        All goes through shared memory, as in block_reduce, without a shuffle. (hint 1)
        + t = cuda.threadIdx.x
        + shared[t] = value
        + cuda.syncthreads()
        + total = shared[0]
        + for other in range(1, cuda.blockDim.x):
        +     total = fn(total, shared[other])
        + cuda.syncthreads()
        + return total

        All lanes write to the place of their warp, and one of them is to. (hint 2)
        - if t % 32 == 0:
        -     shared[t // 32] = value
        + shared[t // 32] = value

        Lane 0 writes to the place of its thread, and there is one for each warp. (hint 2)
        - shared[t // 32] = value
        + shared[t] = value

        The block is taken to have THREADS threads, and not `cuda.blockDim.x`. (hint 2)
        - t, warps = cuda.threadIdx.x, cuda.blockDim.x // 32
        + t, warps = cuda.threadIdx.x, THREADS // 32

        Every thread reads the total of its own warp, which is then combined with itself. (hint 3)
        - total = shared[t % warps]
        + total = shared[t // 32]

        The rounds of the first part lack the one with k = 1. (hint 1)
        - for k in (16, 8, 4, 2, 1):
        + for k in (16, 8, 4, 2):
    """,
    "reduce": """
        One entry for each thread: rows longer than the block lose the rest. (hint 1)
        - for i in range(cuda.threadIdx.x, length, cuda.blockDim.x):
        -     total = fn(total, x[x_offset + row * length + i])
        + i = cuda.threadIdx.x
        + if i < length:
        +     total = fn(total, x[x_offset + row * length + i])

        Every thread takes the whole row. (hint 3)
        - for i in range(cuda.threadIdx.x, length, cuda.blockDim.x):
        + for i in range(length):

        The step is that of the grid, but a row belongs to one block. (hint 3)
        - for i in range(cuda.threadIdx.x, length, cuda.blockDim.x):
        + for i in range(cuda.grid(1), length, cuda.gridsize(1)):

        The total begins with 0, and not with start. (hint 3)
        - total = start
        + total = np.float32(0)

        Every row is read as if it were the first. (hint 2)
        - total = fn(total, x[x_offset + row * length + i])
        + total = fn(total, x[x_offset + i])

        The total is a float64, for a Python number comes into it. (hint 3)
        - total = start
        + total = start + 0.0

        All threads write the result, and not one. (hint 1)
        - if cuda.threadIdx.x == 0:
        -     out[out_offset + row] = total
        + out[out_offset + row] = total

        The result is written to the place of the block's number, and not of its row. (hint 1)
        - out[out_offset + row] = total
        + out[out_offset + cuda.blockIdx.x] = total

        Each thread takes a run of entries of its own: right, and a line of memory for every thread. (hint 3)
        - for i in range(cuda.threadIdx.x, length, cuda.blockDim.x):
        + each = (length + cuda.blockDim.x - 1) // cuda.blockDim.x
        + first = cuda.threadIdx.x * each
        + for i in range(first, min(length, first + each)):

        Only threads with something to add go into the block's sum. (hint 2)
        - total = reduce(total, shared)
        + if cuda.threadIdx.x < length:
        +     total = reduce(total, shared)

        x is read from the beginning of its buffer, and not from its offset. (hint 2)
        - total = fn(total, x[x_offset + row * length + i])
        + total = fn(total, x[row * length + i])

        The entries are added, whatever fn is.
        - total = fn(total, x[x_offset + row * length + i])
        + total = total + x[x_offset + row * length + i]

        The total is None at first and a number later, and a variable keeps its type on a device. (hint 3)
        - total = start
        - for i in range(cuda.threadIdx.x, length, cuda.blockDim.x):
        -     total = fn(total, x[x_offset + row * length + i])
        + total = None
        + for i in range(cuda.threadIdx.x, length, cuda.blockDim.x):
        +     value = x[x_offset + row * length + i]
        +     total = value if total is None else fn(total, value)
        + total = start if total is None else total

        What is written is a thread's own total, for the block does not combine them. (hint 1)
        - total = reduce(total, shared)
        - if cuda.threadIdx.x == 0:
        + if cuda.threadIdx.x == 0:

        Thread 0 alone goes into the block's reduction, and its barriers want all. (hint 2)
        - total = reduce(total, shared)
        - if cuda.threadIdx.x == 0:
        -     out[out_offset + row] = total
        + if cuda.threadIdx.x == 0:
        +     out[out_offset + row] = reduce(total, shared)

        The loop begins at the thread's number in the grid. (hint 3)
        - for i in range(cuda.threadIdx.x, length, cuda.blockDim.x):
        + for i in range(cuda.grid(1), length, cuda.blockDim.x):

        The offset of out is forgotten. (hint 1)
        - out[out_offset + row] = total
        + out[row] = total

        The step is that of the grid, but a row belongs to one block. (hint 3)
        - for i in range(cuda.threadIdx.x, length, cuda.blockDim.x):
        + for i in range(cuda.threadIdx.x, length, cuda.gridsize(1)):
    """,
    "matmul-naive": """
        Threads outside of the result read and write too. (hint 1)
        - if row < m and column < n:
        + if True:

        Only the rows are checked. (hint 1)
        - if row < m and column < n:
        + if row < m:

        The bound is off by one. (hint 1)
        - if row < m and column < n:
        + if row <= m and column < n:

        x of the grid is taken for the row, so neighbours read numbers that are lines apart. (hint 1)
        - column, row = cuda.grid(2)
        + row, column = cuda.grid(2)

        A bare 0.0 makes a float64 of the sum. (hint 3)
        - total = np.float32(0)
        + total = 0.0

        Every partial sum is written. (hint 3)
        -     total += a[at(a_matrix, row, i)] * b[at(b_matrix, i, column)]
        - out[at(out_matrix, row, column)] = total
        +     total += a[at(a_matrix, row, i)] * b[at(b_matrix, i, column)]
        +     out[at(out_matrix, row, column)] = total

        b is walked along its rows. (hint 2)
        - total += a[at(a_matrix, row, i)] * b[at(b_matrix, i, column)]
        + total += a[at(a_matrix, row, i)] * b[at(b_matrix, column, i)]

        a is read as if the numbers of its rows were neighbours. (hint 2)
        - total += a[at(a_matrix, row, i)] * b[at(b_matrix, i, column)]
        + total += a[a_matrix[0] + row * a_matrix[1] + i] * b[at(b_matrix, i, column)]

        The place in b is worked out without `matrix_of`, so every product of a batch takes the first b. (hint 2)
        - total += a[at(a_matrix, row, i)] * b[at(b_matrix, i, column)]
        + total += a[at(a_matrix, row, i)] * b[b_layout[0] + i * b_layout[1] + column * b_layout[2]]

        The sum is taken of a generator, and a device has none. (hint 3)
        - total = np.float32(0)
        - for i in range(k):
        -     total += a[at(a_matrix, row, i)] * b[at(b_matrix, i, column)]
        - out[at(out_matrix, row, column)] = total
        + out[at(out_matrix, row, column)] = sum(
        +     (a[at(a_matrix, row, i)] * b[at(b_matrix, i, column)] for i in range(k)), np.float32(0)
        + )

        The sums of products are kept in out, which is read and written for each of them. (hint 3)
        -     total = np.float32(0)
        -     for i in range(k):
        -         total += a[at(a_matrix, row, i)] * b[at(b_matrix, i, column)]
        -     out[at(out_matrix, row, column)] = total
        +     out[at(out_matrix, row, column)] = np.float32(0)
        +     for i in range(k):
        +         out[at(out_matrix, row, column)] += a[at(a_matrix, row, i)] * b[at(b_matrix, i, column)]

        The products are added to what stood in out before, which is to be overwritten. (hint 3)
        -     total = np.float32(0)
        -     for i in range(k):
        -         total += a[at(a_matrix, row, i)] * b[at(b_matrix, i, column)]
        -     out[at(out_matrix, row, column)] = total
        +     for i in range(k):
        +         out[at(out_matrix, row, column)] += a[at(a_matrix, row, i)] * b[at(b_matrix, i, column)]

        The place in a is worked out without its layout: `at` knows where a begins, and its strides. (hint 2)
        - total += a[at(a_matrix, row, i)] * b[at(b_matrix, i, column)]
        + total += a[row * k + i] * b[i * n + column]
    """,
    "matmul-tiled": """
        One condition, that of the thread's own number, guards the loads of both tiles. (hint 2)
        - in_a = row < m and first + x < k
        - in_b = first + y < k and column < n
        + in_a = row < m and column < n and first + x < k
        + in_b = row < m and column < n and first + y < k

        No barrier before the sum. (hint 1)
        -     cuda.syncthreads()
        -     for i in range(TILE):
        +     for i in range(TILE):

        No barrier after the sum: right within one tile, wrong at 33 x 33. (hint 1)
        -         total += a_tile[y, i] * b_tile[i, x]
        -     cuda.syncthreads()
        +         total += a_tile[y, i] * b_tile[i, x]

        Threads outside of the result leave before the tiles are loaded. (hint 2)
        - total = np.float32(0)
        - for first in range(0, k, TILE):
        + total = np.float32(0)
        + if row >= m or column >= n:
        +     return
        + for first in range(0, k, TILE):

        Both tiles are loaded under one condition. (hint 2)
        -     in_b = first + y < k and column < n
        +     in_b = in_a

        The edge of k is forgotten. (hint 2)
        -     in_a = row < m and first + x < k
        -     in_b = first + y < k and column < n
        +     in_a = row < m
        +     in_b = column < n

        What is beyond the edge stays as it was in the tile before. (hint 2)
        -     a_tile[y, x] = a[at(a_matrix, row, first + x)] if in_a else zero
        +     if in_a:
        +         a_tile[y, x] = a[at(a_matrix, row, first + x)]

        The last tile is left out unless it is full. (hint 1)
        - for first in range(0, k, TILE):
        + for first in range(0, k - k % TILE, TILE):

        The tile of b is read the wrong way round. (hint 3)
        - total += a_tile[y, i] * b_tile[i, x]
        + total += a_tile[y, i] * b_tile[x, i]

        The bound lets one row too many be written. (hint 1)
        - if row < m and column < n:
        + if row <= m and column < n:

        A bare 0.0 makes a float64 of the sum.
        - total = np.float32(0)
        + total = 0.0

        The tiles are filled and not used. (hint 3)
        - total += a_tile[y, i] * b_tile[i, x]
        + if first + i < k and row < m and column < n:
        +     total += a[at(a_matrix, row, first + i)] * b[at(b_matrix, first + i, column)]

        The total begins anew with every tile. (hint 1)
        - for first in range(0, k, TILE):
        + for first in range(0, k, TILE):
        +     total = np.float32(0)

        Threads outside of the result write, too. (hint 1)
        - if row < m and column < n:
        -     out[at(out_matrix, row, column)] = total
        + out[at(out_matrix, row, column)] = total

        Of b only the rows are checked, and not the columns. (hint 2)
        - in_b = first + y < k and column < n
        + in_b = first + y < k

        Both tiles are loaded by the threads that have a result, and some numbers by none. (hint 2)
        - in_a = row < m and first + x < k
        - in_b = first + y < k and column < n
        + in_a = row < m and column < n
        + in_b = in_a

        The place in b is worked out without `matrix_of`, so every product of a batch takes the first b.
        - b_tile[y, x] = b[at(b_matrix, first + y, column)] if in_b else zero
        + b_place = b_layout[0] + (first + y) * b_layout[1] + column * b_layout[2]
        + b_tile[y, x] = b[b_place] if in_b else zero

        Neighbours in x load numbers of one column of a, each in a line of its own. (hint 2)
        -     in_a = row < m and first + x < k
        +     turned = cuda.blockIdx.y * TILE + x
        +     in_a = turned < m and first + y < k
        ...
        -     a_tile[y, x] = a[at(a_matrix, row, first + x)] if in_a else zero
        +     a_tile[x, y] = a[at(a_matrix, turned, first + y)] if in_a else zero

        The tile of a is stored the wrong way round, by columns: its words fall into few banks. (hint 2)
        -     a_tile[y, x] = a[at(a_matrix, row, first + x)] if in_a else zero
        +     a_tile[x, y] = a[at(a_matrix, row, first + x)] if in_a else zero
        ...
        -         total += a_tile[y, i] * b_tile[i, x]
        +         total += a_tile[i, y] * b_tile[i, x]

        Both tiles are stored the wrong way round. (hint 2)
        -     a_tile[y, x] = a[at(a_matrix, row, first + x)] if in_a else zero
        -     b_tile[y, x] = b[at(b_matrix, first + y, column)] if in_b else zero
        +     a_tile[x, y] = a[at(a_matrix, row, first + x)] if in_a else zero
        +     b_tile[x, y] = b[at(b_matrix, first + y, column)] if in_b else zero

        The tile of a is read down a column, and it is its row that counts. (hint 3)
        - total += a_tile[y, i] * b_tile[i, x]
        + total += a_tile[i, y] * b_tile[i, x]

        Every tile of a is the first one. (hint 2)
        -     a_tile[y, x] = a[at(a_matrix, row, first + x)] if in_a else zero
        +     a_tile[y, x] = a[at(a_matrix, row, x)] if in_a else zero

        Every tile of b is the first one. (hint 2)
        -     b_tile[y, x] = b[at(b_matrix, first + y, column)] if in_b else zero
        +     b_tile[y, x] = b[at(b_matrix, y, column)] if in_b else zero

        x and y are exchanged in the place of a. (hint 2)
        -     in_a = row < m and first + x < k
        +     in_a = row < m and first + y < k
        ...
        -     a_tile[y, x] = a[at(a_matrix, row, first + x)] if in_a else zero
        +     a_tile[y, x] = a[at(a_matrix, row, first + y)] if in_a else zero

        x and y are exchanged in the place of b. (hint 2)
        -     in_b = first + y < k and column < n
        +     in_b = first + x < k and column < n
        ...
        -     b_tile[y, x] = b[at(b_matrix, first + y, column)] if in_b else zero
        +     b_tile[y, x] = b[at(b_matrix, first + x, column)] if in_b else zero

        The sum goes over k numbers of a tile, and a tile has TILE. (hint 3)
        - for i in range(TILE):
        + for i in range(k):

        The sum goes over the inner length beyond the tile, which is not the tile's. (hint 3)
        - total += a_tile[y, i] * b_tile[i, x]
        + total += a_tile[y, first + i] * b_tile[first + i, x]

        The result is written in every round, before all tiles have come. (hint 1)
        -     cuda.syncthreads()
        - if row < m and column < n:
        -     out[at(out_matrix, row, column)] = total
        +     cuda.syncthreads()
        +     if row < m and column < n:
        +         out[at(out_matrix, row, column)] = total

        The rounds go in steps of one, and not of a tile. (hint 1)
        - for first in range(0, k, TILE):
        + for first in range(0, k):

        The tiles are as many as m has rows, and not k. (hint 1)
        - for first in range(0, k, TILE):
        + for first in range(0, m, TILE):

        The barriers stand where only threads with a result come. (hint 3)
        -     cuda.syncthreads()
        -     for i in range(TILE):
        -         total += a_tile[y, i] * b_tile[i, x]
        -     cuda.syncthreads()
        +     if row < m and column < n:
        +         cuda.syncthreads()
        +         for i in range(TILE):
        +             total += a_tile[y, i] * b_tile[i, x]
        +         cuda.syncthreads()

        The zero beyond the edge is a bare 0, which is an integer.
        -     a_tile[y, x] = a[at(a_matrix, row, first + x)] if in_a else zero
        -     b_tile[y, x] = b[at(b_matrix, first + y, column)] if in_b else zero
        +     a_tile[y, x] = a[at(a_matrix, row, first + x)] if in_a else 0
        +     b_tile[y, x] = b[at(b_matrix, first + y, column)] if in_b else 0

        The tile of b is stored the wrong way round, by columns: its words fall into few banks. (hint 2)
        -     b_tile[y, x] = b[at(b_matrix, first + y, column)] if in_b else zero
        +     b_tile[x, y] = b[at(b_matrix, first + y, column)] if in_b else zero
        ...
        -         total += a_tile[y, i] * b_tile[i, x]
        +         total += a_tile[y, i] * b_tile[x, i]

        The total begins anew with every tile. (hint 1)
        - total = np.float32(0)
        - for first in range(0, k, TILE):
        + for first in range(0, k, TILE):
        +     total = np.float32(0)
    """,
    "matmul-registers": """
        No barrier before the sum. (hint 1)
        -     cuda.syncthreads()
        -     for d in range(DEPTH):
        +     for d in range(DEPTH):

        No barrier after the sum: the next slabs overwrite what others still read. (hint 1)
        -                 totals[r, c] += left[r] * right
        -     cuda.syncthreads()
        +                 totals[r, c] += left[r] * right

        The rows of the result are neighbours, and those of a are TILE apart. (hint 3)
        - i, j = row + y + TILE * r, column + x + TILE * c
        + i, j = row + WORK * y + r, column + x + TILE * c

        The number of b is fetched again for each product. (hint 2)
        -         for c in range(WORK):
        -             right = b_slab[d, x + TILE * c]
        -             for r in range(WORK):
        -                 totals[r, c] += left[r] * right
        +         for c in range(WORK):
        +             for r in range(WORK):
        +                 totals[r, c] += left[r] * b_slab[d, x + TILE * c]

        The rows are x and the columns y. (hint 3)
        -             left[r] = a_slab[d, y + TILE * r]
        +             left[r] = a_slab[d, x + TILE * r]
        ...
        -             right = b_slab[d, x + TILE * c]
        +             right = b_slab[d, y + TILE * c]

        The thread writes without looking whether each of its numbers is inside. (hint 1)
        - if i < m and j < n:
        -     out[at(out_matrix, i, j)] = totals[r, c]
        + out[at(out_matrix, i, j)] = totals[r, c]

        Only the rows are compared. (hint 3)
        - if i < m and j < n:
        + if i < m:

        The bounds are off by one. (hint 3)
        - if i < m and j < n:
        + if i <= m and j < n:

        The corner of the block is left out, so all blocks write to the first one's place. (hint 3)
        - i, j = row + y + TILE * r, column + x + TILE * c
        + i, j = y + TILE * r, x + TILE * c

        A product overwrites the last one, and they are to be added up. (hint 2)
        - totals[r, c] += left[r] * right
        + totals[r, c] = left[r] * right

        Only the first number of the thread is written. (hint 1)
        - for r in range(WORK):
        -     for c in range(WORK):
        -         i, j = row + y + TILE * r, column + x + TILE * c
        -         if i < m and j < n:
        -             out[at(out_matrix, i, j)] = totals[r, c]
        + if row + y < m and column + x < n:
        +     out[at(out_matrix, row + y, column + x)] = totals[0, 0]

        The place is worked out without `matrix_of`, so every product of a batch goes to the first. (hint 3)
        - out[at(out_matrix, i, j)] = totals[r, c]
        + out[out_layout[0] + i * out_layout[1] + j * out_layout[2]] = totals[r, c]

        The number of a is fetched again for each product. (hint 2)
        -         for r in range(WORK):
        -             left[r] = a_slab[d, y + TILE * r]
        -         for c in range(WORK):
        -             right = b_slab[d, x + TILE * c]
        -             for r in range(WORK):
        -                 totals[r, c] += left[r] * right
        +         for c in range(WORK):
        +             right = b_slab[d, x + TILE * c]
        +             for r in range(WORK):
        +                 totals[r, c] += a_slab[d, y + TILE * r] * right
    """,
    "bank-passes": """
        Threads are counted, and not words. (hint 1)
        - banks = [int(word) % 32 for word in set(words)]
        + banks = [int(word) % 32 for word in words]

        What is counted is the banks in use. (hint 2)
        - return max(banks.count(bank) for bank in banks)
        + return len(set(banks))

        Words are counted, whatever their banks. (hint 2)
        - return max(banks.count(bank) for bank in banks)
        + return len(banks)

        Words are dealt out to 16 banks, and there are 32. (hint 3)
        - banks = [int(word) % 32 for word in set(words)]
        + banks = [int(word) % 16 for word in set(words)]

        A bank is taken for 32 words in a row. (hint 3)
        - banks = [int(word) % 32 for word in set(words)]
        + banks = [int(word) // 32 for word in set(words)]

        The mean over the banks in use is taken, and not the fullest. (hint 2)
        - return max(banks.count(bank) for bank in banks)
        + return -(-len(banks) // len(set(banks)))

        Every bank counts once, for the set is one of banks, and not of words. (hint 3)
        - banks = [int(word) % 32 for word in set(words)]
        + banks = list({int(word) % 32 for word in words})
    """,
    "transpose": """
        Rows of the tile are 32 wide, without padding: a column is in one bank.
        - tile = cuda.shared.array((32, 33), out.dtype)
        + tile = cuda.shared.array((32, 32), out.dtype)

        No barrier between loading and storing. (hint 1)
        - cuda.syncthreads()
        - for j in range(j0, 32, cuda.blockDim.y):
        -     row, column = 32 * bx + j, 32 * by + t
        + for j in range(j0, 32, cuda.blockDim.y):
        +     row, column = 32 * bx + j, 32 * by + t

        The corners are not exchanged. (hint 2)
        - row, column = 32 * bx + j, 32 * by + t
        + row, column = 32 * by + j, 32 * bx + t

        The tile is not turned. (hint 2)
        - out[out_offset + start + row * rows + column] = tile[t, j]
        + out[out_offset + start + row * rows + column] = tile[j, t]

        Rows of the result are as long as those of x. (hint 3)
        - out[out_offset + start + row * rows + column] = tile[t, j]
        + out[out_offset + start + row * columns + column] = tile[t, j]

        The guard of the input serves for the output. (hint 3)
        - if row < columns and column < rows:
        + if row < rows and column < columns:

        No guard on the way in, or but half of it. (hint 3)
        - if row < rows and column < columns:
        -     tile[j, t] = x[x_offset + start + row * columns + column]
        + tile[j, t] = x[x_offset + start + row * columns + column]

        Each thread takes one row, so 24 of 32 are left out. (hint 1)
        - for j in range(j0, 32, cuda.blockDim.y):
        -     row, column = 32 * by + j, 32 * bx + t
        -     if row < rows and column < columns:
        -         tile[j, t] = x[x_offset + start + row * columns + column]
        - cuda.syncthreads()
        - for j in range(j0, 32, cuda.blockDim.y):
        -     row, column = 32 * bx + j, 32 * by + t
        -     if row < columns and column < rows:
        -         out[out_offset + start + row * rows + column] = tile[t, j]
        + row, column = 32 * by + j0, 32 * bx + t
        + if row < rows and column < columns:
        +     tile[j0, t] = x[x_offset + start + row * columns + column]
        + cuda.syncthreads()
        + row, column = 32 * bx + j0, 32 * by + t
        + if row < columns and column < rows:
        +     out[out_offset + start + row * rows + column] = tile[t, j0]

        Out is written column by column, 32 lines for each warp: no tile is used, or it does not turn. (hint 1)
        + for j in range(j0, 32, cuda.blockDim.y):
        +     row, column = 32 * by + j, 32 * bx + t
        +     if row < rows and column < columns:
        +         out[out_offset + start + column * rows + row] = x[x_offset + start + row * columns + column]

        Every matrix is read from the place of the first.
        - tile[j, t] = x[x_offset + start + row * columns + column]
        + tile[j, t] = x[x_offset + row * columns + column]

        The tile is float32, whatever the type of x.
        - tile = cuda.shared.array((32, 33), out.dtype)
        + tile = cuda.shared.array((32, 33), np.float32)

        The tile is as wide as the block, and its shape is to be known before the kernel runs. (hint 3)
        - tile = cuda.shared.array((32, 33), out.dtype)
        + tile = cuda.shared.array((32, cuda.blockDim.x + 1), out.dtype)

        The second loop has no guard, or but half of it. (hint 3)
        - if row < columns and column < rows:
        + if row < columns:

        The offset of out is forgotten. (hint 2)
        - out[out_offset + start + row * rows + column] = tile[t, j]
        + out[start + row * rows + column] = tile[t, j]
    """,
    "softmax": """
        The logits are not shifted, so exp overflows at 89. (hint 3)
        - largest = block_max(largest, shared)
        + largest = np.float32(0)

        The shift is the thread's own maximum. (hint 3)
        - largest = block_max(largest, shared)
        - total = np.float32(0)
        + total = np.float32(0)

        The sum is the thread's own. (hint 3)
        - total = block_sum(total, shared)
        - for i in range(t, columns, cuda.blockDim.x):
        + for i in range(t, columns, cuda.blockDim.x):

        The maximum begins with 0 or another number: rows of logits far below it give 0 / 0. (hint 2)
        - largest = np.float32(-np.inf)
        + largest = np.float32(0)

        The sum takes one entry for each thread, so longer rows lose the rest. (hint 1)
        - total += math.exp(x[x_start + i] - largest)
        + if i < cuda.blockDim.x:
        +     total += math.exp(x[x_start + i] - largest)

        The exponentials are not divided by their sum. (hint 3)
        - out[out_start + i] = math.exp(x[x_start + i] - largest) / total
        + out[out_start + i] = math.exp(x[x_start + i] - largest)

        The exponentials that are divided lack the shift. (hint 3)
        - out[out_start + i] = math.exp(x[x_start + i] - largest) / total
        + out[out_start + i] = math.exp(x[x_start + i]) / total

        A bare 0.0 makes a float64 of the sum. (hint 2)
        - total = np.float32(0)
        + total = 0.0

        The largest absolute value is subtracted: rows of large negative logits give 0 / 0. (hint 2)
        - largest = max(largest, x[x_start + i])
        + largest = max(largest, abs(x[x_start + i]))

        The block takes the largest of its threads' sums, and does not add them. (hint 3)
        - total = block_sum(total, shared)
        + total = block_max(total, shared)

        Only threads with an entry go into the block's maximum, and its barriers want all. (hint 3)
        - largest = block_max(largest, shared)
        + if t < columns:
        +     largest = block_max(largest, shared)

        Each thread takes a run of entries of its own: right, and a line of memory for every thread. (hint 1)
        + each, largest, total = -(-columns // THREADS), np.float32(-np.inf), np.float32(0)
        + for i in range(t * each, min(columns, t * each + each)):
        +     largest = max(largest, x[x_start + i])
        + largest = block_max(largest, shared)
        + for i in range(t * each, min(columns, t * each + each)):
        +     total += math.exp(x[x_start + i] - largest)
        + total = block_sum(total, shared)
        + for i in range(t * each, min(columns, t * each + each)):
        +     out[out_start + i] = math.exp(x[x_start + i] - largest) / total

        NumPy's exponential is for whole arrays, and a device does not have it. (hint 3)
        - total += math.exp(x[x_start + i] - largest)
        + total += np.exp(x[x_start + i] - largest)
        ...
        - out[out_start + i] = math.exp(x[x_start + i] - largest) / total
        + out[out_start + i] = np.exp(x[x_start + i] - largest) / total

        The largest is taken of a generator, and a device has none. (hint 1)
        - largest = np.float32(-np.inf)
        - for i in range(t, columns, cuda.blockDim.x):
        -     largest = max(largest, x[x_start + i])
        + largest = max(
        +     (x[x_start + i] for i in range(t, columns, cuda.blockDim.x)), default=np.float32(-np.inf)
        + )

        A step over the entries is that of the grid, and a row belongs to one block. (hint 1)
        - total = np.float32(0)
        - for i in range(t, columns, cuda.blockDim.x):
        + total = np.float32(0)
        + for i in range(cuda.grid(1), columns, cuda.gridsize(1)):

        A step over the entries is that of the grid, and a row belongs to one block. (hint 1)
        - for i in range(t, columns, cuda.blockDim.x):
        -     largest = max(largest, x[x_start + i])
        + for i in range(t, columns, cuda.gridsize(1)):
        +     largest = max(largest, x[x_start + i])
        ...
        - for i in range(t, columns, cuda.blockDim.x):
        -     total += math.exp(x[x_start + i] - largest)
        + for i in range(t, columns, cuda.gridsize(1)):
        +     total += math.exp(x[x_start + i] - largest)
        ...
        - for i in range(t, columns, cuda.blockDim.x):
        -     out[out_start + i] = math.exp(x[x_start + i] - largest) / total
        + for i in range(t, columns, cuda.gridsize(1)):
        +     out[out_start + i] = math.exp(x[x_start + i] - largest) / total

        A step over the entries is that of the grid, and a row belongs to one block. (hint 1)
        - for i in range(t, columns, cuda.blockDim.x):
        -     largest = max(largest, x[x_start + i])
        + for i in range(cuda.grid(1), columns, cuda.gridsize(1)):
        +     largest = max(largest, x[x_start + i])
        ...
        - for i in range(t, columns, cuda.blockDim.x):
        -     total += math.exp(x[x_start + i] - largest)
        + for i in range(cuda.grid(1), columns, cuda.gridsize(1)):
        +     total += math.exp(x[x_start + i] - largest)
        ...
        - for i in range(t, columns, cuda.blockDim.x):
        -     out[out_start + i] = math.exp(x[x_start + i] - largest) / total
        + for i in range(cuda.grid(1), columns, cuda.gridsize(1)):
        +     out[out_start + i] = math.exp(x[x_start + i] - largest) / total

        The logarithm of the sum loses its digits beside a large logit, and a quotient does not.
        - total = block_sum(total, shared)
        + shift = largest + math.log(block_sum(total, shared))
        ...
        - out[out_start + i] = math.exp(x[x_start + i] - largest) / total
        + out[out_start + i] = math.exp(x[x_start + i] - shift)

        Where a logit is -inf nothing is written, and a 0 is to be.
        - out[out_start + i] = math.exp(x[x_start + i] - largest) / total
        + if x[x_start + i] > np.float32(-np.inf):
        +     out[out_start + i] = math.exp(x[x_start + i] - largest) / total
    """,
    "online-softmax": """
        Neither the sum nor the mixture is shrunk. (hint 1)
        - shrink = math.exp(state[0] - largest)
        + shrink = np.float32(1)

        The mixture is not shrunk. (hint 3)
        - mixed[c] = mixed[c] * shrink + weight * values[j, c]
        + mixed[c] = mixed[c] + weight * values[j, c]

        The sum is not shrunk. (hint 1)
        - state[1] = state[1] * shrink + weight
        + state[1] = state[1] + weight

        The factor is upside down: it grows. (hint 3)
        - shrink = math.exp(state[0] - largest)
        + shrink = math.exp(largest - state[0])

        The largest score is set too early, so nothing shrinks. (hint 1)
        - largest = max(state[0], score)
        + largest = max(state[0], score)
        + state[0] = largest

        The scores are not shifted, so exp(500) is infinite. (hint 1)
        - largest = max(state[0], score)
        + largest = np.float32(0)

        The weight is taken against the old maximum. (hint 1)
        - weight = math.exp(score - largest)
        + weight = math.exp(score - state[0])

        The last score is taken for the largest. (hint 1)
        - largest = max(state[0], score)
        + largest = score

        Row 0 of the values is mixed, whatever j. (hint 3)
        - mixed[c] = mixed[c] * shrink + weight * values[j, c]
        + mixed[c] = mixed[c] * shrink + weight * values[0, c]

        Numbers of `mixed` beyond size are changed. (hint 3)
        - for c in range(size):
        -     mixed[c] = mixed[c] * shrink + weight * values[j, c]
        + for c in range(size + 1):
        +     mixed[c] = mixed[c] * shrink + weight * (values[j, c] if c < size else np.float32(1))

        A score that equals the largest so far is left out.
        - largest = max(state[0], score)
        + if score == state[0]:
        +     return
        + largest = max(state[0], score)

        The mixture is shrunk as a slice, and a thread changes one number after another. (hint 3)
        - for c in range(size):
        -     mixed[c] = mixed[c] * shrink + weight * values[j, c]
        + mixed[:size] = mixed[:size] * shrink
        + for c in range(size):
        +     mixed[c] = mixed[c] + weight * values[j, c]

        The mixture is shrunk as a whole array, and a thread changes one number after another. (hint 3)
        - for c in range(size):
        -     mixed[c] = mixed[c] * shrink + weight * values[j, c]
        + mixed *= shrink
        + for c in range(size):
        +     mixed[c] = mixed[c] + weight * values[j, c]

        A bare 1.0 makes a float64 of the sum.
        - state[1] = state[1] * shrink + weight
        + state[1] = 1.0 * state[1] * shrink + weight

        The new largest score is not kept. (hint 3)
        - state[0] = largest
        + pass

        The weight is not added to the sum. (hint 3)
        - state[1] = state[1] * shrink + weight
        + state[1] = state[1] * shrink

        The value is not weighed. (hint 3)
        - mixed[c] = mixed[c] * shrink + weight * values[j, c]
        + mixed[c] = mixed[c] * shrink + values[j, c]
    """,
    "attention": """
        No barrier between loading and looking. (hint 1)
        -     cuda.syncthreads()
        -     for j in range(count):
        +     for j in range(count):

        No barrier before the next tile overwrites this one. (hint 1)
        -             take_in(score * scale, v_tile, j, size, state, mixed)
        -     cuda.syncthreads()
        +             take_in(score * scale, v_tile, j, size, state, mixed)

        The last tile is taken for a full one. (hint 2)
        - count = min(KEYS, keys - first)
        + count = KEYS

        The last tile is left out unless it is full. (hint 2)
        - for first in range(0, end, KEYS):
        + for first in range(0, end - KEYS + 1, KEYS):

        Every tile of keys is the first one. (hint 2)
        - load_tile(k_tile, k, k_start + first * size, count, size)
        + load_tile(k_tile, k, k_start, count, size)

        The scale is forgotten. (hint 3)
        - take_in(score * scale, v_tile, j, size, state, mixed)
        + take_in(score, v_tile, j, size, state, mixed)

        A query does not see itself. (hint 3)
        - if row < queries and (not causal or first + j <= row):
        + if row < queries and (not causal or first + j < row):

        The mask counts keys within the tile. (hint 3)
        - if row < queries and (not causal or first + j <= row):
        + if row < queries and (not causal or j <= row):

        The mask is on, whatever `causal` says. (hint 3)
        - if row < queries and (not causal or first + j <= row):
        + if row < queries and first + j <= row:

        Threads beyond the last query do not come to the barriers. (hint 1)
        - for first in range(0, end, KEYS):
        + for first in range(0, end if row < queries else 0, KEYS):

        Keys are mixed, and not values. (hint 3)
        - take_in(score * scale, v_tile, j, size, state, mixed)
        + take_in(score * scale, k_tile, j, size, state, mixed)

        The score goes on from key to key. (hint 3)
        -     for j in range(count):
        -         if row < queries and (not causal or first + j <= row):
        -             score = np.float32(0)
        +     score = np.float32(0)
        +     for j in range(count):
        +         if row < queries and (not causal or first + j <= row):

        A bare 0.0 makes a float64 of the score.
        - score = np.float32(0)
        + score = 0.0

        A thread leaves the loop at keys that it may not see, and others wait for it at the barrier. (hint 1)
        - count = min(KEYS, keys - first)
        + if causal and first > row:
        +     break
        + count = min(KEYS, keys - first)

        The keys end with what the block's first query may see, and its last one sees more. (hint 2)
        - end = min(keys, (cuda.blockIdx.x + 1) * cuda.blockDim.x)
        + end = min(keys, cuda.blockIdx.x * cuda.blockDim.x + 1)

        The keys end with the thread's own query, and the block's threads part. (hint 2)
        - end = min(keys, (cuda.blockIdx.x + 1) * cuda.blockDim.x)
        + end = min(keys, row + 1)

        Tiles are loaded that no query of the block sees. (hint 2)
        - if causal:
        -     end = min(keys, (cuda.blockIdx.x + 1) * cuda.blockDim.x)

        The keys end with the block's last query, whatever `causal` says. (hint 2)
        - if causal:
        -     end = min(keys, (cuda.blockIdx.x + 1) * cuda.blockDim.x)
        + end = min(keys, (cuda.blockIdx.x + 1) * cuda.blockDim.x)

        Each thread loads one row of a tile, and a block may have fewer threads than that. (hint 1)
        - load_tile(k_tile, k, k_start + first * size, count, size)
        - load_tile(v_tile, v, v_start + first * size, count, size)
        + t = cuda.threadIdx.x
        + for c in range(size if t < count else 0):
        +     k_tile[t, c] = k[k_start + (first + t) * size + c]
        +     v_tile[t, c] = v[v_start + (first + t) * size + c]

        The score goes over KEYS numbers, and not over size. (hint 3)
        - for c in range(size):
        + for c in range(KEYS):

        Every query sees all keys, whatever `causal` says. (hint 3)
        - if row < queries and (not causal or first + j <= row):
        + if row < queries:

        The score is the sum of a generator, and a device has none. (hint 3)
        - score = np.float32(0)
        - for c in range(size):
        -     score += query[c] * k_tile[j, c]
        + score = sum((query[c] * k_tile[j, c] for c in range(size)), np.float32(0))

        The mask takes the query's number within the block. (hint 3)
        - if row < queries and (not causal or first + j <= row):
        + if row < queries and (not causal or first + j <= cuda.threadIdx.x):
    """,
    "adamw": """
        The decay is added to the gradient, as in Adam. (hint 2)
        - g, value = grad[offsets[1] + i], p[offsets[0] + i]
        + value = p[offsets[0] + i]
        + g = grad[offsets[1] + i] + decay * value
        ...
        - value -= lr * decay * value

        The decay is not scaled by the rate. (hint 2)
        - value -= lr * decay * value
        + value -= decay * value

        eps stands inside the root. (hint 3)
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= lr / c1 * m_new / math.sqrt(v_new / c2 + eps)

        The corrections are forgotten. (hint 3)
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= lr * m_new / (math.sqrt(v_new) + eps)

        The second moment is not corrected. (hint 3)
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= lr / c1 * m_new / (math.sqrt(v_new) + eps)

        The moments are not kept. (hint 3)
        - p[offsets[0] + i], m[offsets[2] + i], v[offsets[3] + i] = value, m_new, v_new
        + p[offsets[0] + i] = value

        The second moment is a mean of |g|, and not of g².
        - v_new = beta2 * v[offsets[3] + i] + new2 * g * g
        + v_new = beta2 * v[offsets[3] + i] + new2 * abs(g)

        1 - beta2 is computed from a float32, and has lost digits.
        - v_new = beta2 * v[offsets[3] + i] + new2 * g * g
        + v_new = beta2 * v[offsets[3] + i] + (np.float32(1) - beta2) * g * g

        A bare 1 makes a float64 of m.
        - m_new = beta1 * m[offsets[2] + i] + new1 * g
        + m_new = beta1 * m[offsets[2] + i] + (1 - beta1) * g

        Each thread does one number only, so a small grid leaves the rest undone. (hint 1)
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        + for i in range(cuda.grid(1), min(size, cuda.gridsize(1)), cuda.gridsize(1)):

        The gradient is read from the offset of p. (hint 3)
        - g, value = grad[offsets[1] + i], p[offsets[0] + i]
        + g, value = grad[offsets[0] + i], p[offsets[0] + i]

        The gradient is overwritten.
        - p[offsets[0] + i], m[offsets[2] + i], v[offsets[3] + i] = value, m_new, v_new
        + p[offsets[0] + i], m[offsets[2] + i], v[offsets[3] + i] = value, m_new, v_new
        + grad[offsets[1] + i] = np.float32(0)

        The decay comes last, and takes the parameter after the step. (hint 2)
        - value -= lr * decay * value
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= lr * decay * value

        The first moment is not corrected. (hint 3)
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= lr * m_new / (math.sqrt(v_new / c2) + eps)

        The offset of p serves for all four.
        + start = offsets[0]
        + for i in range(start + cuda.grid(1), start + size, cuda.gridsize(1)):
        +     m[i] = beta1 * m[i] + new1 * grad[i]
        +     v[i] = beta2 * v[i] + new2 * grad[i] * grad[i]
        +     p[i] -= lr * decay * p[i]
        +     p[i] -= lr / c1 * m[i] / (math.sqrt(v[i] / c2) + eps)

        Every block goes through all numbers, and not the grid together. (hint 1)
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        + for i in range(cuda.threadIdx.x, size, cuda.blockDim.x):

        Each thread takes a piece of its own: right, and a line of memory for every thread. (hint 1)
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        + each = (size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
        + for i in range(cuda.grid(1) * each, min(size, (cuda.grid(1) + 1) * each)):

        NumPy's root is for whole arrays, and a device does not have it. (hint 3)
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= lr / c1 * m_new / (np.sqrt(v_new / c2) + eps)

        math.pow computes in float64 when one of its numbers is an integer. (hint 3)
        - v_new = beta2 * v[offsets[3] + i] + new2 * g * g
        + v_new = beta2 * v[offsets[3] + i] + new2 * math.pow(g, 2)

        The larger of a float32 and an integer is a float64.
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= lr / c1 * m_new / (math.sqrt(max(v_new, 0) / c2) + eps)

        The gradient is not squared in the second moment. (hint 3)
        - v_new = beta2 * v[offsets[3] + i] + new2 * g * g
        + v_new = beta2 * v[offsets[3] + i] + new2 * g

        The first moment takes the whole gradient. (hint 3)
        - m_new = beta1 * m[offsets[2] + i] + new1 * g
        + m_new = beta1 * m[offsets[2] + i] + g

        beta2 stands in the first moment, or beta1 in the second. (hint 3)
        - m_new = beta1 * m[offsets[2] + i] + new1 * g
        + m_new = beta2 * m[offsets[2] + i] + new2 * g

        The step goes up, and not down. (hint 3)
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value += lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)

        The parameter decays twice. (hint 2)
        - value -= lr * decay * value
        + value -= lr * decay * value
        + value -= lr * decay * value

        The parameter does not decay. (hint 2)
        - value -= lr * decay * value
        + pass

        The step is not scaled by the rate. (hint 3)
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= m_new / c1 / (math.sqrt(v_new / c2) + eps)

        The second moment is taken without its root. (hint 3)
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= lr / c1 * m_new / (v_new / c2 + eps)

        The step uses the gradient, and not its moment. (hint 3)
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= lr / c1 * g / (math.sqrt(v_new / c2) + eps)

        The step uses the moments as they were before. (hint 3)
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= lr / c1 * m[offsets[2] + i] / (math.sqrt(v[offsets[3] + i] / c2) + eps)

        The corrected moments are kept, and each step then corrects them once more. (hint 3)
        - m_new = beta1 * m[offsets[2] + i] + new1 * g
        - v_new = beta2 * v[offsets[3] + i] + new2 * g * g
        + m_new = (beta1 * m[offsets[2] + i] + new1 * g) / c1
        + v_new = (beta2 * v[offsets[3] + i] + new2 * g * g) / c2
        ...
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= lr * m_new / (math.sqrt(v_new) + eps)

        The corrections are multiplied by, and the moments are to be divided by them. (hint 3)
        - value -= lr / c1 * m_new / (math.sqrt(v_new / c2) + eps)
        + value -= lr * c1 * m_new / (math.sqrt(v_new * c2) + eps)

        m and v are exchanged when they are written. (hint 3)
        - p[offsets[0] + i], m[offsets[2] + i], v[offsets[3] + i] = value, m_new, v_new
        + p[offsets[0] + i], m[offsets[2] + i], v[offsets[3] + i] = value, v_new, m_new

        The parameter is not written back. (hint 3)
        - p[offsets[0] + i], m[offsets[2] + i], v[offsets[3] + i] = value, m_new, v_new
        + m[offsets[2] + i], v[offsets[3] + i] = m_new, v_new

        The offsets are forgotten. (hint 1)
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        -     g, value = grad[offsets[1] + i], p[offsets[0] + i]
        + for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        +     g, value = grad[i], p[i]

        There is no bound: threads beyond the end read and write too. (hint 1)
        - for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        + for i in range(cuda.grid(1), cuda.gridsize(1), cuda.gridsize(1)):
    """,
    "bind-kernels": """
        Reductions are bound under the names of their functions, without .reduce. (hint 2)
        - bind(f"{name}.reduce", reduce_kernel(function, start))
        + bind(name, reduce_kernel(function, start))

        Every reduction begins with 0. (hint 2)
        - bind(f"{name}.reduce", reduce_kernel(function, start))
        + bind(f"{name}.reduce", reduce_kernel(function, 0))

        Functions of two numbers get the launcher of one. (hint 1)
        - bind(name, zip_kernel(function))
        + bind(name, map_kernel(function))

        The device function itself is bound, without a launcher. (hint 1)
        - for name, function in UNARY.items():
        -     bind(name, map_kernel(function))
        + for name, function in UNARY.items():
        +     bind(name, function)

        The kernel is bound, and not the launcher that chooses its grid. (hint 1)
        - for name, function in UNARY.items():
        -     bind(name, map_kernel(function))
        + for name, function in UNARY.items():
        +     bind(name, make_map(function))

        All names share the last function: it is looked up when the launcher is called. (hint 1)
        - bind(name, zip_kernel(function))
        + bind(name, lambda *arguments: zip_kernel(function)(*arguments))

        The product is bound to a kernel for one grid. (hint 3)
        - bind("matmul", matmul)
        + bind("matmul", matmul_tiled)

        Copies have no kernel. (hint 3)
        - bind("copy", map_kernel(IDENTITY))

        All names share the last function: it is looked up when the launcher is called. (hint 1)
        - bind(name, map_kernel(function))
        + bind(name, lambda *arguments: map_kernel(function)(*arguments))

        The pair of a function and a start is taken for the function. (hint 2)
        - for name, (function, start) in REDUCTIONS.items():
        -     bind(f"{name}.reduce", reduce_kernel(function, start))
        + for name, function in REDUCTIONS.items():
        +     bind(f"{name}.reduce", reduce_kernel(function, 0))

        Copying has the launcher for two numbers. (hint 3)
        - bind("copy", map_kernel(IDENTITY))
        + bind("copy", zip_kernel(IDENTITY))

        The device function IDENTITY is bound to copying, without a launcher. (hint 3)
        - bind("copy", map_kernel(IDENTITY))
        + bind("copy", IDENTITY)
    """,
}
