"""Planted mistakes of module 17: with each in its stub, a test of the stub fails."""

MISTAKES = {
    "transpose": """
        Row by row, without tiles. (hint 1)
        + for a in range(rows):
        +     for b in range(columns):
        +         out[b, a] = x[a, b]

        Column by column, without tiles. (hint 1)
        + for b in range(columns):
        +     for a in range(rows):
        +         out[b, a] = x[a, b]

        Whole tiles only: the rest at the edges is left out. (hint 2)
        - for i in range(0, rows, TILE):
        -     for j in range(0, columns, TILE):
        + for i in range(0, rows - TILE + 1, TILE):
        +     for j in range(0, columns - TILE + 1, TILE):

        The tiles at the edges run over the end. (hint 2)
        - for b in range(j, min(j + TILE, columns)):
        -     for a in range(i, min(i + TILE, rows)):
        + for b in range(j, j + TILE):
        +     for a in range(i, i + TILE):

        The matrix is copied, and not transposed. (hint 3)
        - out[b, a] = x[a, b]
        + out.reshape(rows, columns)[a, b] = x[a, b]

        Rows and columns have changed places in the ends of the inner loops. (hint 2)
        - for b in range(j, min(j + TILE, columns)):
        -     for a in range(i, min(i + TILE, rows)):
        + for b in range(j, min(j + TILE, rows)):
        +     for a in range(i, min(i + TILE, columns)):

        Nothing is written into the memory of out: its name is given to something else.
        - for b in range(j, min(j + TILE, columns)):
        -     for a in range(i, min(i + TILE, rows)):
        -         out[b, a] = x[a, b]
        + out = x[i : i + TILE, j : j + TILE].T

        The inner loops end one row and one column too early. (hint 2)
        - for b in range(j, min(j + TILE, columns)):
        -     for a in range(i, min(i + TILE, rows)):
        + for b in range(j, min(j + TILE, columns - 1)):
        +     for a in range(i, min(i + TILE, rows - 1)):

        The whole matrix is copied at once, which goes down its columns. (hint 1)
        + out[:] = x.T

        The two indices are at the wrong arrays. (hint 3)
        - out[b, a] = x[a, b]
        + out[a, b] = x[b, a]

        Inside a tile rows and columns are counted from 0, and the tile's own place is not added.
        - for b in range(j, min(j + TILE, columns)):
        -     for a in range(i, min(i + TILE, rows)):
        + for b in range(min(TILE, columns - j)):
        +     for a in range(min(TILE, rows - i)):

        Each tile is transposed, but written to the place (i, j), where (j, i) is wanted.
        - out[b, a] = x[a, b]
        + out[i + b - j, j + a - i] = x[a, b]
    """,
    "blocked-product": """
        The loop over rows is outside those over tiles, so each tile is fetched again for every row. (hint 1)
        - for k in range(0, len(b), depth):
        -     k_end = min(k + depth, len(b))
        -     for j in range(0, b.shape[1], width):
        -         j_end = min(j + width, b.shape[1])
        -         tile = b[k:k_end, j:j_end].copy()
        -         for i in range(len(a)):
        -             add_row(a[i, k:k_end], tile, out[i, j:j_end])
        + for i in range(len(a)):
        +     for k in range(0, len(b), depth):
        +         k_end = min(k + depth, len(b))
        +         for j in range(0, b.shape[1], width):
        +             j_end = min(j + width, b.shape[1])
        +             tile = b[k:k_end, j:j_end].copy()
        +             add_row(a[i, k:k_end], tile, out[i, j:j_end])

        The tile is copied again for each row of a. (hint 2)
        - tile = b[k:k_end, j:j_end].copy()
        - for i in range(len(a)):
        -     add_row(a[i, k:k_end], tile, out[i, j:j_end])
        + for i in range(len(a)):
        +     tile = b[k:k_end, j:j_end].copy()
        +     add_row(a[i, k:k_end], tile, out[i, j:j_end])

        The tile is a view with gaps between its rows, which the compiler takes number by number.
        - tile = b[k:k_end, j:j_end].copy()
        + tile = b[k:k_end, j:j_end]

        There are no tiles: the whole of b is one. (hint 1)
        - out[:] = float32(0)
        + out[:] = float32(0)
        + depth, width = len(b), b.shape[1]

        Tiles have all columns of b, whatever the width. (hint 1)
        - for j in range(0, b.shape[1], width):
        -     j_end = min(j + width, b.shape[1])
        + for j in range(1):
        +     j_end = b.shape[1]

        Whole tiles only: the rest at the edges is left out. (hint 2)
        - for k in range(0, len(b), depth):
        + for k in range(0, len(b) - depth + 1, depth):
        ...
        - for j in range(0, b.shape[1], width):
        + for j in range(0, b.shape[1] - width + 1, width):

        The result is added to what was in the output. (hint 1)
        - out[:] = float32(0)

        The result begins again with each tile, so that only the last tile of each column counts. (hint 1)
        - for i in range(len(a)):
        -     add_row(a[i, k:k_end], tile, out[i, j:j_end])
        + for i in range(len(a)):
        +     out[i, j:j_end] = float32(0)
        +     add_row(a[i, k:k_end], tile, out[i, j:j_end])

        The part of the row of a is that under the tile's columns, not that of its rows. (hint 3)
        - add_row(a[i, k:k_end], tile, out[i, j:j_end])
        + add_row(a[i, j:j_end], tile, out[i, j:j_end])

        depth counts columns, and width rows. (hint 2)
        - out[:] = float32(0)
        + out[:] = float32(0)
        + depth, width = width, depth

        Tiles begin where they should, but end after width rows, and after depth columns. (hint 2)
        - k_end = min(k + depth, len(b))
        + k_end = min(k + width, len(b))
        ...
        - j_end = min(j + width, b.shape[1])
        + j_end = min(j + depth, b.shape[1])

        The sums are float64, and rounded at the end.
        - out[:] = float32(0)
        + out[:] = float32(0)
        + total = np.zeros(out.shape)
        ...
        - add_row(a[i, k:k_end], tile, out[i, j:j_end])
        + for n in range(k, k_end):
        +     for m in range(j, j_end):
        +         total[i, m] += a[i, n] * tile[n - k, m - j]
        +         out[i, m] = total[i, m]

        Zeros are written with the first tile, so that with K = 0, where there is none, nothing is. (hint 1)
        - out[:] = float32(0)
        ...
        - tile = b[k:k_end, j:j_end].copy()
        + tile = b[k:k_end, j:j_end].copy()
        + if k == 0:
        +     out[:, j:j_end] = float32(0)

        add_row gets a part of a or of the result that goes beyond the tile. (hint 3)
        - add_row(a[i, k:k_end], tile, out[i, j:j_end])
        + add_row(a[i, k:k_end], tile, out[i])

        Where a number of a is 0 nothing is added, though 0 times infinity or NaN is NaN.
        - add_row(a[i, k:k_end], tile, out[i, j:j_end])
        + result = out[i, j:j_end]
        + for p in range(len(tile)):
        +     factor, row = a[i, k + p], tile[p]
        +     if factor == 0:
        +         continue
        +     for q in range(len(row)):
        +         result[q] += factor * row[q]

        The loop over columns ends where the rows of b end. (hint 2)
        - for j in range(0, b.shape[1], width):
        -     j_end = min(j + width, b.shape[1])
        + for j in range(0, len(b), width):
        +     j_end = min(j + width, len(b))

        add_row gets a copy of the result's part, and what it adds is lost. (hint 3)
        - add_row(a[i, k:k_end], tile, out[i, j:j_end])
        + add_row(a[i, k:k_end], tile, out[i, j:j_end].copy())

        The last row or the last column of a tile, or of b, is left out. (hint 2)
        - k_end = min(k + depth, len(b))
        + k_end = min(k + depth, len(b)) - 1
    """,
    "register-block": """
        Up to three rows at the end are left out, or added only inside the loop by fours. (hint 2)
        - add_row(x[fours:], b[fours:], out)

        Rows that the loop by fours has added are added once more behind it. (hint 2)
        - add_row(x[fours:], b[fours:], out)
        + add_row(x, b, out)

        The rows are taken one at a time. (hint 1)
        + add_row(x, b, out)

        The last four are left to be added one by one, though they are whole. (hint 2)
        - fours = len(x) // 4 * 4
        + fours = (len(x) - 1) // 4 * 4

        out is overwritten, not added to. (hint 1)
        - out[j] = out[j] + x0 * b0[j] + x1 * b1[j] + x2 * b2[j] + x3 * b3[j]
        + out[j] = x0 * b0[j] + x1 * b1[j] + x2 * b2[j] + x3 * b3[j]

        The result is read and written four times for four rows. (hint 1)
        - out[j] = out[j] + x0 * b0[j] + x1 * b1[j] + x2 * b2[j] + x3 * b3[j]
        + out[j] += x0 * b0[j]
        + out[j] += x1 * b1[j]
        + out[j] += x2 * b2[j]
        + out[j] += x3 * b3[j]

        All four rows are multiplied with the first number of x. (hint 1)
        - x0, x1, x2, x3 = x[k], x[k + 1], x[k + 2], x[k + 3]
        + x0, x1, x2, x3 = x[k], x[k], x[k], x[k]

        The loops are exchanged back: the inner one goes down columns of b. (hint 1)
        + for j in range(len(out)):
        +     total = out[j]
        +     for k in range(len(x)):
        +         total += x[k] * b[k, j]
        +     out[j] = total

        Whole rows are added in one expression, of which numba makes no vectors. (hint 1)
        + for k in range(0, len(x) // 4 * 4, 4):
        +     out[:] = out + (x[k] * b[k] + x[k + 1] * b[k + 1] + x[k + 2] * b[k + 2] + x[k + 3] * b[k + 3])
        + for k in range(len(x) // 4 * 4, len(x)):
        +     out[:] = out + x[k] * b[k]

        The loop takes four rows where fewer are left, and reads behind the end. (hint 2)
        - fours = len(x) // 4 * 4
        + fours = len(x)

        The loop goes on by one row, not by four, and reads behind the end. (hint 1)
        - for k in range(0, fours, 4):
        + for k in range(fours):

        Zeros of x are passed over, though 0 times infinity is NaN.
        - for j in range(len(out)):
        + if x0 == 0 and x1 == 0 and x2 == 0 and x3 == 0:
        +     continue
        + for j in range(len(out)):

        Zeros of x are passed over, though 0 times infinity is NaN.
        - add_row(x[fours:], b[fours:], out)
        + for k in range(fours, len(x)):
        +     if x[k] != 0:
        +         add_row(x[k : k + 1], b[k : k + 1], out)

        Every four rows are multiplied with the first four numbers of x. (hint 1)
        - x0, x1, x2, x3 = x[k], x[k + 1], x[k + 2], x[k + 3]
        + x0, x1, x2, x3 = x[0], x[1], x[2], x[3]

        The loop by fours ends after a quarter of the rows: the quotient is not multiplied with 4 again. (hint 2)
        - fours = len(x) // 4 * 4
        + fours = len(x) // 4

        Of the rows that are left the last one alone is added. (hint 2)
        - add_row(x[fours:], b[fours:], out)
        + if fours < len(x):
        +     add_row(x[-1:], b[-1:], out)

        The numbers of x that are left are multiplied with the first rows of b, and not with the last. (hint 3)
        - add_row(x[fours:], b[fours:], out)
        + add_row(x[fours:], b, out)

        In the place of the rows that are left, as many are taken from the beginning. (hint 2)
        - add_row(x[fours:], b[fours:], out)
        + rest = len(x) - fours
        + add_row(x[:rest], b[:rest], out)
    """,
    "fit-exponential": """
        The errors are absolute, not relative. (hint 3)
        - weights = np.exp(-r)
        + weights = np.ones_like(r)

        The weights are upside down. (hint 3)
        - weights = np.exp(-r)
        + weights = np.exp(r)

        The coefficients are Taylor's, and not fitted. (hint 1)
        + return 1 / np.cumprod(np.arange(1.0, degree + 1))

        The number of points is not the argument.
        + points = 200
        + r = math.log(2) / 2 * np.cos(np.pi * (np.arange(points) + 0.5) / points)
        + powers = r[:, None] ** np.arange(1, degree + 1)
        + weights = np.exp(-r)
        + return np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights, rcond=None)[0]

        The points begin at the upper end: 1/2 is forgotten.
        - r = math.log(2) / 2 * np.cos(np.pi * (np.arange(points) + 0.5) / points)
        + r = math.log(2) / 2 * np.cos(np.pi * np.arange(points) / points)

        The points are spread evenly.
        - r = math.log(2) / 2 * np.cos(np.pi * (np.arange(points) + 0.5) / points)
        + r = math.log(2) / 2 * np.linspace(-1, 1, points)

        The constant is fitted too, and then dropped. (hint 2)
        - powers = r[:, None] ** np.arange(1, degree + 1)
        - weights = np.exp(-r)
        - return np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights, rcond=None)[0]
        + powers = r[:, None] ** np.arange(0, degree + 1)
        + weights = np.exp(-r)
        + return np.linalg.lstsq(powers * weights[:, None], np.exp(r) * weights, rcond=None)[0][1:]

        The interval is twice as long.
        - r = math.log(2) / 2 * np.cos(np.pi * (np.arange(points) + 0.5) / points)
        + r = math.log(2) * np.cos(np.pi * (np.arange(points) + 0.5) / points)

        The constant is fitted too. (hint 2)
        - powers = r[:, None] ** np.arange(1, degree + 1)
        - weights = np.exp(-r)
        - return np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights, rcond=None)[0]
        + powers = r[:, None] ** np.arange(0, degree + 1)
        + weights = np.exp(-r)
        + return np.linalg.lstsq(powers * weights[:, None], np.exp(r) * weights, rcond=None)[0]

        The powers are 0 to d - 1, and not 1 to d. (hint 2)
        - powers = r[:, None] ** np.arange(1, degree + 1)
        + powers = r[:, None] ** np.arange(degree)

        The 1 is not subtracted. (hint 2)
        - return np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights, rcond=None)[0]
        + return np.linalg.lstsq(powers * weights[:, None], np.exp(r) * weights, rcond=None)[0]

        The right side is not weighted. (hint 3)
        - return np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights, rcond=None)[0]
        + return np.linalg.lstsq(powers * weights[:, None], np.exp(r) - 1, rcond=None)[0]

        Rows are divided by the root of e^r, so that e^r divides the squares, and not the errors. (hint 3)
        - weights = np.exp(-r)
        + weights = np.exp(-r / 2)

        The interval ends at a rounded number, and not at ln(2) / 2.
        - r = math.log(2) / 2 * np.cos(np.pi * (np.arange(points) + 0.5) / points)
        + r = 0.35 * np.cos(np.pi * (np.arange(points) + 0.5) / points)

        The interval ends at a rounded number, and not at ln(2) / 2.
        - r = math.log(2) / 2 * np.cos(np.pi * (np.arange(points) + 0.5) / points)
        + r = 0.347 * np.cos(np.pi * (np.arange(points) + 0.5) / points)

        The coefficients come in the order of falling powers, cd first.
        - powers = r[:, None] ** np.arange(1, degree + 1)
        + powers = r[:, None] ** np.arange(degree, 0, -1)

        The coefficients are rounded to float32.
        - return np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights, rcond=None)[0]
        + found = np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights, rcond=None)[0]
        + return found.astype(np.float32)

        A list is returned.
        - return np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights, rcond=None)[0]
        + found = np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights, rcond=None)[0]
        + return found.tolist()

        lstsq returns four things, of which the coefficients are the first: `[0]` is missing. (hint 1)
        - return np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights, rcond=None)[0]
        + return np.linalg.lstsq(powers * weights[:, None], (np.exp(r) - 1) * weights, rcond=None)
    """,
    "exponential": """
        The exponential is the library's, which takes one number at a time. (hint 1)
        + return float32(math.exp(x))

        n is cut off, and not rounded. (hint 3)
        - i = int32(x * LOG2_E + float32(127.5))  # n + 127, rounded, for it is positive
        + i = int32(x * LOG2_E + float32(127))

        ln 2 is taken in one part, so its rounding error comes n times. (hint 3)
        - r = x - n * LN2_HIGH - n * LN2_LOW
        + r = x - n * float32(0.6931472)

        Numbers below -88 are not cut wherever they are used. (hint 1)
        - x = LOWEST if x < LOWEST else x

        Numbers above 89 are not cut. (hint 1)
        - x = HIGHEST if x > HIGHEST else x

        The cut turns nan into a number. (hint 1)
        - x = HIGHEST if x > HIGHEST else x
        + x = x if x < HIGHEST else HIGHEST

        The coefficients are Taylor's, and not fitted. (hint 2)
        - p = float32(0.16668114) + r * (float32(0.041898732) + r * float32(0.008261531))
        - p = ONE + r * (float32(0.99999953) + r * (float32(0.49999141) + r * p))
        + p = float32(1 / 6) + r * (float32(1 / 24) + r * float32(1 / 120))
        + p = ONE + r * (float32(1) + r * (float32(0.5) + r * p))

        A constant is a float64, for it lacks float32(...): also a 1 or 127.5. (hint 1)
        - i = int32(x * LOG2_E + float32(127.5))  # n + 127, rounded, for it is positive
        + i = int32(x * LOG2_E + 127.5)

        A constant is a float64, for it lacks float32(...): also a 1 or 127.5. (hint 1)
        - p = ONE + r * (float32(0.99999953) + r * (float32(0.49999141) + r * p))
        + p = 1.0 + r * (float32(0.99999953) + r * (float32(0.49999141) + r * p))

        A constant is a float64, for it lacks float32(...): also a 1 or 127.5. (hint 1)
        - p = float32(0.16668114) + r * (float32(0.041898732) + r * float32(0.008261531))
        + p = float32(0.16668114) + r * (0.041898732 + r * 0.008261531)

        The bits of 2^n hold n, and not n + 127. (hint 3)
        - return p * int32(i << int32(23)).view(float32)
        + return p * int32((i - int32(127)) << int32(23)).view(float32)

        n times the small part of ln 2 is not subtracted. (hint 3)
        - r = x - n * LN2_HIGH - n * LN2_LOW
        + r = x - n * LN2_HIGH

        n times the small part of ln 2 is added; it is negative, and is subtracted as well. (hint 3)
        - r = x - n * LN2_HIGH - n * LN2_LOW
        + r = x - n * LN2_HIGH + n * LN2_LOW

        The product with LN2_HIGH is not subtracted first, by itself. (hint 3)
        - r = x - n * LN2_HIGH - n * LN2_LOW
        + r = x - (n * LN2_HIGH + n * LN2_LOW)

        The product with LN2_HIGH is not subtracted first, by itself. (hint 3)
        - r = x - n * LN2_HIGH - n * LN2_LOW
        + r = x - n * LN2_LOW - n * LN2_HIGH

        2^n is a power, and not made of bits, among which an exponent of 0 means 0. (hint 3)
        - return p * int32(i << int32(23)).view(float32)
        + return p * float32(2) ** n

        The shifted integer is an int64: the text puts an int32(...) around it. (hint 3)
        - return p * int32(i << int32(23)).view(float32)
        + return p * (i << int32(23)).view(float32)

        The polynomial lacks its 1.
        - p = ONE + r * (float32(0.99999953) + r * (float32(0.49999141) + r * p))
        + p = r * (float32(0.99999953) + r * (float32(0.49999141) + r * p))

        1/2 is added before 127, where int32 cuts negative numbers towards 0. (hint 3)
        - i = int32(x * LOG2_E + float32(127.5))  # n + 127, rounded, for it is positive
        + i = int32(int32(x * LOG2_E + float32(0.5)) + int32(127))

        The coefficients are in reverse order. (hint 2)
        - p = float32(0.16668114) + r * (float32(0.041898732) + r * float32(0.008261531))
        - p = ONE + r * (float32(0.99999953) + r * (float32(0.49999141) + r * p))
        + p = float32(0.16668114) + r * (float32(0.49999141) + r * float32(0.99999953))
        + p = ONE + r * (float32(0.008261531) + r * (float32(0.041898732) + r * p))

        The coefficients have only four digits behind the point.
        - p = float32(0.16668114) + r * (float32(0.041898732) + r * float32(0.008261531))
        - p = ONE + r * (float32(0.99999953) + r * (float32(0.49999141) + r * p))
        + p = float32(0.1667) + r * (float32(0.0419) + r * float32(0.0083))
        + p = ONE + r * (float32(1.0) + r * (float32(0.5) + r * p))

        The last coefficient, c5, is left out. (hint 2)
        - p = float32(0.16668114) + r * (float32(0.041898732) + r * float32(0.008261531))
        + p = float32(0.16668114) + r * float32(0.041898732)

        127 is not taken off n. (hint 2)
        - n = float32(i) - float32(127)
        + n = float32(i)

        The integer is not shifted to where the exponent stands. (hint 3)
        - return p * int32(i << int32(23)).view(float32)
        + return p * i.view(float32)

        2^n is added, and not multiplied with. (hint 3)
        - return p * int32(i << int32(23)).view(float32)
        + return p + int32(i << int32(23)).view(float32)
    """,
    "bias-gelu": """
        The bias is forgotten in forward. (hint 2)
        - result[j] = gelu_of(row[j] + bias[j])
        + result[j] = gelu_of(row[j])

        The bias is added behind gelu. (hint 2)
        - result[j] = gelu_of(row[j] + bias[j])
        + result[j] = gelu_of(row[j]) + bias[j]

        The slope is taken without the bias. (hint 2)
        - d = g[j] * gelu_slope(row[j] + bias[j])
        + d = g[j] * gelu_slope(row[j])

        Something is a float64: a constant or the beginning of a sum without float32(...).
        - result[j] = gelu_of(row[j] + bias[j])
        + result[j] = gelu_of(1.0 * row[j] + bias[j])

        The gradient that comes in is forgotten. (hint 3)
        - d = g[j] * gelu_slope(row[j] + bias[j])
        + d = gelu_slope(row[j] + bias[j])

        The bias's gradient is the last row's only. (hint 3)
        - grad_bias[j] += d
        + grad_bias[j] = d

        The bias's gradient is the sum of what came in. (hint 3)
        - grad_bias[j] += d
        + grad_bias[j] += g[j]

        The inner loop runs over as many columns as there are rows. (hint 1)
        - for i in range(len(x)):
        -     row, result = x[i], out[i]
        -     for j in range(len(bias)):
        + for i in range(len(x)):
        +     row, result = x[i], out[i]
        +     for j in range(len(x)):

        Something is a float64: a constant or the beginning of a sum without float32(...).
        - d = g[j] * gelu_slope(row[j] + bias[j])
        + d = 1.0 * g[j] * gelu_slope(row[j] + bias[j])

        What was in the bias's gradient is lost: it is set to zero first.
        - for i in range(len(x)):
        -     g, row, result = grad[i], x[i], grad_x[i]
        + grad_bias[:] = float32(0)
        + for i in range(len(x)):
        +     g, row, result = grad[i], x[i], grad_x[i]

        The gradient of x is added to what was there, not written over it.
        - result[j] = d
        + result[j] += d

        The loop calls the library's tanh, and not what is made of your exponential.
        - result[j] = gelu_of(row[j] + bias[j])
        + v = row[j] + bias[j]
        + u = float32(0.7978846) * (v + float32(0.044715) * v * v * v)
        + result[j] = float32(0.5) * v * (ONE + np.tanh(u))

        Forward goes over the array twice: all biases are added before the first gelu. (hint 2)
        - for i in range(len(x)):
        -     row, result = x[i], out[i]
        -     for j in range(len(bias)):
        -         result[j] = gelu_of(row[j] + bias[j])
        + for i in range(len(x)):
        +     for j in range(len(bias)):
        +         out[i, j] = x[i, j] + bias[j]
        + for i in range(len(x)):
        +     for j in range(len(bias)):
        +         out[i, j] = gelu_of(out[i, j])

        The gradient is computed column by column. (hint 1)
        - for i in range(len(x)):
        -     g, row, result = grad[i], x[i], grad_x[i]
        -     for j in range(len(bias)):
        -         d = g[j] * gelu_slope(row[j] + bias[j])
        -         result[j] = d
        -         grad_bias[j] += d
        + for j in range(len(bias)):
        +     for i in range(len(x)):
        +         d = grad[i, j] * gelu_slope(x[i, j] + bias[j])
        +         grad_x[i, j] = d
        +         grad_bias[j] += d

        Where the gradient that comes in is 0 nothing is written.
        - d = g[j] * gelu_slope(row[j] + bias[j])
        + if g[j] == 0:
        +     continue
        + d = g[j] * gelu_slope(row[j] + bias[j])

        The bias is taken at the row's number, and not at the column's. (hint 2)
        - result[j] = gelu_of(row[j] + bias[j])
        + result[j] = gelu_of(row[j] + bias[i])

        An expression goes over a whole array, or an array as large is made. (hint 1)
        - for i in range(len(x)):
        -     row, result = x[i], out[i]
        -     for j in range(len(bias)):
        -         result[j] = gelu_of(row[j] + bias[j])
        + y = x + bias
        + for i in range(len(x)):
        +     for j in range(len(bias)):
        +         out[i, j] = gelu_of(y[i, j])

        An expression goes over a whole array, or an array as large is made. (hint 1)
        - for i in range(len(x)):
        -     g, row, result = grad[i], x[i], grad_x[i]
        -     for j in range(len(bias)):
        -         d = g[j] * gelu_slope(row[j] + bias[j])
        -         result[j] = d
        -         grad_bias[j] += d
        + for i in range(len(x)):
        +     g, row, result = grad[i], x[i], grad_x[i]
        +     for j in range(len(bias)):
        +         result[j] = g[j] * gelu_slope(row[j] + bias[j])
        + grad_bias += grad_x.sum(0)

        An expression goes over a whole array, or an array as large is made. (hint 1)
        - for i in range(len(x)):
        -     g, row, result = grad[i], x[i], grad_x[i]
        -     for j in range(len(bias)):
        -         d = g[j] * gelu_slope(row[j] + bias[j])
        -         result[j] = d
        -         grad_bias[j] += d
        + d = np.empty(x.shape, float32)
        + for i in range(len(x)):
        +     g, row, result = grad[i], x[i], d[i]
        +     for j in range(len(bias)):
        +         result[j] = g[j] * gelu_slope(row[j] + bias[j])
        + for i in range(len(x)):
        +     for j in range(len(bias)):
        +         grad_x[i, j] = d[i, j]
        +         grad_bias[j] += d[i, j]

        Backward takes gelu itself, and not its slope. (hint 2)
        - d = g[j] * gelu_slope(row[j] + bias[j])
        + d = g[j] * gelu_of(row[j] + bias[j])

        Every row takes the gradient of the first. (hint 1)
        - g, row, result = grad[i], x[i], grad_x[i]
        + g, row, result = grad[0], x[i], grad_x[i]

        The bias's gradient is a mean over rows, and not a sum.
        - grad_bias[j] += d
        + grad_bias[j] += d / float32(len(x))
    """,
    "softmax-rows": """
        The scores are not shifted down by their maximum. (hint 1)
        - m, total = largest(row), float32(0)
        + m, total = float32(0), float32(0)

        Every row is shifted by the maximum of the first. (hint 1)
        - m, total = largest(row), float32(0)
        + m, total = largest(x[0]), float32(0)

        The sum goes on from row to row. (hint 2)
        - for i in range(len(x)):
        -     row, result = x[i], out[i]
        -     m, total = largest(row), float32(0)
        + total = float32(0)
        + for i in range(len(x)):
        +     row, result = x[i], out[i]
        +     m = largest(row)

        Something is a float64: a constant or the beginning of a sum without float32(...). (hint 2)
        - m, total = largest(row), float32(0)
        + m, total = largest(row), 0.0

        Something is a float64: a constant or the beginning of a sum without float32(...). (hint 2)
        - dot = float32(0)
        + dot = 0

        The exponentials are not divided by their sum. (hint 1)
        - result[j] *= scale
        + result[j] *= ONE

        The gradient lacks the sum of g p. (hint 3)
        - result[j] = row[j] * (g[j] - dot)
        + result[j] = row[j] * g[j]

        The sum is that of g alone, without p. (hint 3)
        - dot += g[j] * row[j]
        + dot += g[j]

        The gradient's sum goes on from row to row. (hint 3)
        - for i in range(len(p)):
        -     g, row, result = grad[i], p[i], out[i]
        -     dot = float32(0)
        + dot = float32(0)
        + for i in range(len(p)):
        +     g, row, result = grad[i], p[i], out[i]

        Every row is shifted by the largest number of all rows. (hint 1)
        - for i in range(len(x)):
        -     row, result = x[i], out[i]
        -     m, total = largest(row), float32(0)
        + top = largest(x.reshape(-1))
        + for i in range(len(x)):
        +     row, result = x[i], out[i]
        +     m, total = top, float32(0)

        The search for the maximum begins at 0, which is larger than some rows. (hint 1)
        - m, total = largest(row), float32(0)
        + m, total = float32(0), float32(0)
        + for j in range(len(row)):
        +     m = max(m, row[j])

        The search for the maximum begins at a number that is larger than the row's. (hint 1)
        - m, total = largest(row), float32(0)
        + m, total = float32(-1e9), float32(0)
        + for j in range(len(row)):
        +     m = max(m, row[j])

        The exponential is the library's, by np.exp or math.exp, and not yours. (hint 1)
        - result[j] = exp(row[j] - m)
        + result[j] = np.exp(row[j] - m)

        Not everything is done for a row before the next row comes. (hint 1)
        - for i in range(len(x)):
        -     row, result = x[i], out[i]
        -     m, total = largest(row), float32(0)
        -     for j in range(len(row)):
        -         result[j] = exp(row[j] - m)
        -         total += result[j]
        -     scale = ONE / total
        -     for j in range(len(row)):
        -         result[j] *= scale
        + totals = np.zeros(len(x), float32)
        + for i in range(len(x)):
        +     m = largest(x[i])
        +     for j in range(x.shape[1]):
        +         out[i, j] = exp(x[i, j] - m)
        +         totals[i] += out[i, j]
        + for i in range(len(x)):
        +     for j in range(x.shape[1]):
        +         out[i, j] /= totals[i]

        Not everything is done for a row before the next row comes. (hint 1)
        - for i in range(len(x)):
        -     row, result = x[i], out[i]
        -     m, total = largest(row), float32(0)
        -     for j in range(len(row)):
        -         result[j] = exp(row[j] - m)
        -         total += result[j]
        -     scale = ONE / total
        -     for j in range(len(row)):
        -         result[j] *= scale
        + m, totals = np.empty(len(x), float32), np.zeros(len(x), float32)
        + for i in range(len(x)):
        +     m[i] = largest(x[i])
        + for i in range(len(x)):
        +     for j in range(x.shape[1]):
        +         out[i, j] = exp(x[i, j] - m[i])
        +         totals[i] += out[i, j]
        + for i in range(len(x)):
        +     for j in range(x.shape[1]):
        +         out[i, j] /= totals[i]

        The gradient has the wrong sign.
        - result[j] = row[j] * (g[j] - dot)
        + result[j] = row[j] * (dot - g[j])

        Where a probability is 0 no gradient is written.
        - result[j] = row[j] * (g[j] - dot)
        + if row[j] != 0:
        +     result[j] = row[j] * (g[j] - dot)

        What exp gets is cut from below, so that -inf has a probability.
        - result[j] = exp(row[j] - m)
        + result[j] = exp(max(row[j] - m, float32(-80)))

        The difference is not multiplied with p.
        - result[j] = row[j] * (g[j] - dot)
        + result[j] = g[j] - dot

        Only g is multiplied with p, and not the sum.
        - result[j] = row[j] * (g[j] - dot)
        + result[j] = row[j] * g[j] - dot

        The largest number is sought in a part of the row only. (hint 1)
        - m, total = largest(row), float32(0)
        + m, total = row[0], float32(0)
        + for j in range(1, len(row) - 1):
        +     m = max(m, row[j])

        The largest number is sought in a part of the row only. (hint 1)
        - m, total = largest(row), float32(0)
        + m, total = max(row[0], row[-1]), float32(0)

        The largest number is sought in a part of the row only. (hint 1)
        - m, total = largest(row), float32(0)
        + m, total = row[0], float32(0)

        A small number is added to the sum, which is never 0. (hint 1)
        - scale = ONE / total
        + scale = ONE / (total + float32(1e-6))

        An expression goes over a whole array, or an array as large is made. (hint 1)
        - for i in range(len(x)):
        -     row, result = x[i], out[i]
        + e = np.empty_like(x)
        + for i in range(len(x)):
        +     row, result = x[i], e[i]
        ...
        - for j in range(len(row)):
        -     result[j] *= scale
        + for j in range(len(row)):
        +     out[i, j] = result[j] * scale

        An expression goes over a whole array, or an array as large is made. (hint 1)
        - for i in range(len(p)):
        -     g, row, result = grad[i], p[i], out[i]
        -     dot = float32(0)
        -     for j in range(len(row)):
        -         dot += g[j] * row[j]
        + both = grad * p
        + for i in range(len(p)):
        +     g, row, result = grad[i], p[i], out[i]
        +     dot = both[i].sum()

        The numbers are divided by a sum that has not ended yet. (hint 1)
        - total += result[j]
        + total += result[j]
        + result[j] /= total
        ...
        - for j in range(len(row)):
        -     result[j] *= scale

        The gradient takes a sum that has not ended yet: it needs a second loop. (hint 3)
        - for j in range(len(row)):
        -     dot += g[j] * row[j]
        - for j in range(len(row)):
        -     result[j] = row[j] * (g[j] - dot)
        + for j in range(len(row)):
        +     dot += g[j] * row[j]
        +     result[j] = row[j] * (g[j] - dot)
    """,
    "cross-entropy": """
        The scores are not shifted down by their maximum. (hint 1)
        - m, total = largest(row), float32(0)
        + m, total = float32(0), float32(0)

        Something is a float64: a constant or the beginning of a sum without float32(...).
        - m, total = largest(row), float32(0)
        + m, total = largest(row), 0.0

        The gradient does not subtract the maximum.
        - result[j] = exp(row[j] - m) * scale
        + result[j] = exp(row[j]) * scale

        What is added to the logarithm has the wrong sign. (hint 1)
        - losses[i] = np.log(total) + (m - row[classes[i]])
        + losses[i] = np.log(total) - (m - row[classes[i]])

        The loss lacks the maximum that was subtracted. (hint 1)
        - losses[i] = np.log(total) + (m - row[classes[i]])
        + losses[i] = np.log(total) - row[classes[i]]

        The score that is subtracted is at the row's number, and not at its class. (hint 1)
        - losses[i] = np.log(total) + (m - row[classes[i]])
        + losses[i] = np.log(total) + (m - row[min(i, len(row) - 1)])

        maxima are not written. (hint 1)
        - maxima[i], sums[i] = m, total

        sums gets the logarithm of the sum, and not the sum. (hint 1)
        - maxima[i], sums[i] = m, total
        + maxima[i], sums[i] = m, np.log(total)

        maxima and sums have changed places. (hint 1)
        - maxima[i], sums[i] = m, total
        + maxima[i], sums[i] = total, m

        1 is subtracted at the class, whatever gradient came in. (hint 3)
        - result[classes[i]] -= grad[i]
        + result[classes[i]] -= ONE

        Nothing is subtracted at the class, or the loop writes over it. (hint 3)
        - result[classes[i]] -= grad[i]

        The exponentials are not multiplied with the gradient that comes in. (hint 2)
        - scale = grad[i] / sums[i]
        + scale = ONE / sums[i]

        The exponentials are not divided by their sum. (hint 2)
        - scale = grad[i] / sums[i]
        + scale = grad[i]

        Something is a float64: a constant or the beginning of a sum without float32(...).
        - scale = grad[i] / sums[i]
        + scale = 1.0 * grad[i] / sums[i]

        A large maximum is added to the logarithm before the score is subtracted, and rounds it away: the brackets are missing, or fastmath=True opens them.
        - losses[i] = np.log(total) + (m - row[classes[i]])
        + losses[i] = np.log(total) + m - row[classes[i]]

        The sum goes on from row to row. (hint 1)
        - for i in range(len(x)):
        -     row = x[i]
        -     m, total = largest(row), float32(0)
        + total = float32(0)
        + for i in range(len(x)):
        +     row = x[i]
        +     m = largest(row)

        The exponential is the library's, by np.exp or math.exp, and not yours.
        - total += exp(row[j] - m)
        + total += np.exp(row[j] - m)

        Not everything is done for a row before the next row comes. (hint 1)
        - for i in range(len(x)):
        -     row = x[i]
        -     m, total = largest(row), float32(0)
        + for i in range(len(x)):
        +     maxima[i] = largest(x[i])
        + for i in range(len(x)):
        +     row = x[i]
        +     m, total = maxima[i], float32(0)

        Not everything is done for a row before the next row comes. (hint 1)
        - for i in range(len(x)):
        -     row = x[i]
        -     m, total = largest(row), float32(0)
        -     for j in range(len(row)):
        -         total += exp(row[j] - m)
        -     losses[i] = np.log(total) + (m - row[classes[i]])
        -     maxima[i], sums[i] = m, total
        + for i in range(len(x)):
        +     maxima[i] = largest(x[i])
        + for i in range(len(x)):
        +     total = float32(0)
        +     for j in range(x.shape[1]):
        +         total += exp(x[i, j] - maxima[i])
        +     sums[i] = total
        + for i in range(len(x)):
        +     losses[i] = np.log(sums[i]) + (maxima[i] - x[i, classes[i]])

        The gradient computes each row's maximum and sum again, though they are given. (hint 2)
        - row, result, m = x[i], out[i], maxima[i]
        - scale = grad[i] / sums[i]
        + row, result, m, total = x[i], out[i], largest(x[i]), float32(0)
        + for j in range(len(row)):
        +     total += exp(row[j] - m)
        + scale = grad[i] / total

        The gradient is added to what was in out, not written over it.
        - result[j] = exp(row[j] - m) * scale
        + result[j] += exp(row[j] - m) * scale

        The class is corrected in each step of the loop, and not once after it. (hint 3)
        - result[classes[i]] -= grad[i]
        +     result[classes[i]] -= grad[i]

        At the class the gradient is written over: the share of the exponential is lost. (hint 3)
        - result[classes[i]] -= grad[i]
        + result[classes[i]] = -grad[i]

        Where the gradient that comes in is 0 the row is not written.
        - scale = grad[i] / sums[i]
        + if grad[i] == 0:
        +     continue
        + scale = grad[i] / sums[i]

        The maximum and the sum's logarithm are added first, and a large maximum rounds that away. (hint 2)
        - result[j] = exp(row[j] - m) * scale
        + result[j] = exp(row[j] - (m + np.log(sums[i]))) * grad[i]

        An expression goes over a whole array, or an array as large is made. (hint 2)
        - for i in range(len(x)):
        -     row, result, m = x[i], out[i], maxima[i]
        -     scale = grad[i] / sums[i]
        + p = np.empty_like(x)
        + for i in range(len(x)):
        +     row, result, m = x[i], p[i], maxima[i]
        +     scale = grad[i] / sums[i]
        ...
        - result[classes[i]] -= grad[i]
        + result[classes[i]] -= grad[i]
        + out[i] = result
    """,
    "layer-norm": """
        The variance is taken as mean(x²) - mean(x)². (hint 1)
        - square += (row[j] - m) * (row[j] - m)
        + square += row[j] * row[j]
        ...
        - r = ONE / np.sqrt(square / float32(width) + eps)
        + r = ONE / np.sqrt(square / float32(width) - m * m + eps)

        Something is a float64: a number or the beginning of a sum without float32(...), the width, or a mean by NumPy. (hint 2)
        - total, square = float32(0), float32(0)
        + total, square = 0.0, 0.0

        Something is a float64: a number or the beginning of a sum without float32(...), the width, or a mean by NumPy. (hint 2)
        - m = total / float32(width)
        + m = total / width

        The sum of squares is divided by width - 1. (hint 3)
        - r = ONE / np.sqrt(square / float32(width) + eps)
        + r = ONE / np.sqrt(square / float32(width - 1) + eps)

        eps is added to the deviation, and not to the variance. (hint 3)
        - r = ONE / np.sqrt(square / float32(width) + eps)
        + r = ONE / (np.sqrt(square / float32(width)) + eps)

        The bias is forgotten. (hint 3)
        - result[j] = (row[j] - m) * r * weight[j] + bias[j]
        + result[j] = (row[j] - m) * r * weight[j]

        means are not written.
        - means[i], inverses[i] = m, r

        inverses gets the deviation, and not one over it.
        - means[i], inverses[i] = m, r
        + means[i], inverses[i] = m, ONE / r

        Something is a float64: a number or the beginning of a sum without float32(...), the width, or a mean by NumPy. (hint 2)
        - r = ONE / np.sqrt(square / float32(width) + eps)
        + r = 1.0 / np.sqrt(square / float32(width) + eps)

        The sum of squares is not divided by the width. (hint 3)
        - r = ONE / np.sqrt(square / float32(width) + eps)
        + r = ONE / np.sqrt(square + eps)

        means and inverses are written at the column's number, and not at the row's.
        - means[i], inverses[i] = m, r
        + means[j], inverses[j] = m, r

        The sum goes on from row to row. (hint 1)
        - for i in range(len(x)):
        -     row, result = x[i], out[i]
        -     total, square = float32(0), float32(0)
        + total = float32(0)
        + for i in range(len(x)):
        +     row, result = x[i], out[i]
        +     square = float32(0)

        The sum of squares goes on from row to row. (hint 1)
        - for i in range(len(x)):
        -     row, result = x[i], out[i]
        -     total, square = float32(0), float32(0)
        + square = float32(0)
        + for i in range(len(x)):
        +     row, result = x[i], out[i]
        +     total = float32(0)

        Not everything is done for a row before the next row comes. (hint 1)
        + for i in range(len(x)):
        +     total = float32(0)
        +     for j in range(width):
        +         total += x[i, j]
        +     means[i] = total / float32(width)
        + for i in range(len(x)):
        +     total = float32(0)
        +     for j in range(width):
        +         total += (x[i, j] - means[i]) ** 2
        +     inverses[i] = ONE / np.sqrt(total / float32(width) + eps)
        + for i in range(len(x)):
        +     for j in range(width):
        +         out[i, j] = (x[i, j] - means[i]) * inverses[i] * weight[j] + bias[j]

        In a row of equal numbers r is 0, and not 1 / sqrt(eps).
        - r = ONE / np.sqrt(square / float32(width) + eps)
        + r = ONE / np.sqrt(square / float32(width) + eps) if square > 0 else float32(0)

        eps is not the argument: it is forgotten, or a number of its own.
        - r = ONE / np.sqrt(square / float32(width) + eps)
        + r = ONE / np.sqrt(square / float32(width))

        eps is not the argument: it is forgotten, or a number of its own.
        - r = ONE / np.sqrt(square / float32(width) + eps)
        + r = ONE / np.sqrt(square / float32(width) + float32(1e-5))

        The bias is multiplied with the weight.
        - result[j] = (row[j] - m) * r * weight[j] + bias[j]
        + result[j] = ((row[j] - m) * r + bias[j]) * weight[j]

        The squares are those of the numbers, and not of their distances from the mean. (hint 1)
        - square += (row[j] - m) * (row[j] - m)
        + square += row[j] * row[j]

        Not everything is done for a row before the next row comes. (hint 1)
        + for i in range(len(x)):
        +     means[i] = x[i].sum() / float32(width)
        + for i in range(len(x)):
        +     centred = x[i] - means[i]
        +     inverses[i] = ONE / np.sqrt((centred * centred).sum() / float32(width) + eps)
        +     out[i] = centred * inverses[i] * weight + bias

        An expression goes over a whole array, or an array as large is made. (hint 1)
        + centred = np.empty_like(x)
        + for i in range(len(x)):
        +     means[i] = x[i].sum() / float32(width)
        +     centred[i] = x[i] - means[i]
        + for i in range(len(x)):
        +     d = centred[i]
        +     inverses[i] = ONE / np.sqrt((d * d).sum() / float32(width) + eps)
        +     out[i] = d * inverses[i] * weight + bias

        The weight is taken at the row's number, and not at the column's.
        - result[j] = (row[j] - m) * r * weight[j] + bias[j]
        + result[j] = (row[j] - m) * r * weight[i] + bias[j]

        The bias is taken at the row's number, and not at the column's.
        - result[j] = (row[j] - m) * r * weight[j] + bias[j]
        + result[j] = (row[j] - m) * r * weight[j] + bias[i]

        The weight is forgotten.
        - result[j] = (row[j] - m) * r * weight[j] + bias[j]
        + result[j] = (row[j] - m) * r + bias[j]

        The sum is divided by the number of rows. (hint 2)
        - m = total / float32(width)
        + m = total / float32(len(x))

        r is one over the variance: the root is forgotten.
        - r = ONE / np.sqrt(square / float32(width) + eps)
        + r = ONE / (square / float32(width) + eps)

        The distances are added up without being squared. (hint 1)
        - square += (row[j] - m) * (row[j] - m)
        + square += abs(row[j] - m)
    """,
    "layer-norm-gradient": """
        The second mean is forgotten. (hint 3)
        - result[j] = r * (d - first - n * second)
        + result[j] = r * (d - first)

        The first mean is forgotten. (hint 3)
        - result[j] = r * (d - first - n * second)
        + result[j] = r * (d - n * second)

        Something is a float64: a number or the beginning of a sum without float32(...), the width, or a mean by NumPy.
        - first, second = float32(0), float32(0)
        + first, second = 0, 0

        The weight is missing in the gradient of x, or in its two means. (hint 1)
        - n, d = (row[j] - m) * r, g[j] * weight[j]
        - first += d
        + n, d = (row[j] - m) * r, g[j]
        + first += d

        The two sums are not divided by the width. (hint 2)
        - first, second = first / float32(width), second / float32(width)

        The gradient of the weight has the weight in it. (hint 2)
        - grad_weight[j] += g[j] * n
        + grad_weight[j] += d * n

        The gradients of weight and bias are the last row's. (hint 2)
        - grad_weight[j] += g[j] * n
        - grad_bias[j] += g[j]
        + grad_weight[j] = g[j] * n
        + grad_bias[j] = g[j]

        The gradient of x lacks the factor r. (hint 3)
        - result[j] = r * (d - first - n * second)
        + result[j] = d - first - n * second

        Something is a float64: a number or the beginning of a sum without float32(...), the width, or a mean by NumPy.
        - first, second = first / float32(width), second / float32(width)
        + first, second = first / width, second / width

        Something is a float64: a number or the beginning of a sum without float32(...), the width, or a mean by NumPy.
        - g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]
        + g, row, result, m, r = grad[i], x[i], grad_x[i], x[i].mean(), inverses[i]

        What was in the gradients of weight and bias is lost: they are set to zero first.
        - for i in range(len(x)):
        -     g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]
        + grad_weight[:] = float32(0)
        + grad_bias[:] = float32(0)
        + for i in range(len(x)):
        +     g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]

        The second mean is the product of two means, and not the mean of d n. (hint 2)
        - second += d * n
        + second += n
        ...
        - first, second = first / float32(width), second / float32(width)
        + first, second = first / float32(width), first / float32(width) * second / float32(width)

        Both sums go on from row to row. (hint 2)
        - for i in range(len(x)):
        -     g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]
        -     first, second = float32(0), float32(0)
        + first, second = float32(0), float32(0)
        + for i in range(len(x)):
        +     g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]

        Both sums go on from row to row. (hint 2)
        - for i in range(len(x)):
        -     g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]
        -     first, second = float32(0), float32(0)
        + sum_d, sum_dn = float32(0), float32(0)
        + for i in range(len(x)):
        +     g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]
        ...
        - first += d
        - second += d * n
        + sum_d += d
        + sum_dn += d * n
        ...
        - first, second = first / float32(width), second / float32(width)
        + first, second = sum_d / float32(width), sum_dn / float32(width)

        The gradient of x is added to what was there, not written over it.
        - result[j] = r * (d - first - n * second)
        + result[j] += r * (d - first - n * second)

        Not everything is done for a row before the next row comes. (hint 1)
        - for i in range(len(x)):
        -     g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]
        + for i in range(len(x)):
        +     for j in range(width):
        +         grad_bias[j] += grad[i, j]
        +         grad_weight[j] += grad[i, j] * (x[i, j] - means[i]) * inverses[i]
        + for i in range(len(x)):
        +     g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]
        ...
        - grad_weight[j] += g[j] * n
        - grad_bias[j] += g[j]

        Not everything is done for a row before the next row comes. (hint 1)
        - for i in range(len(x)):
        -     g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]
        + for i in range(len(x)):
        +     for j in range(width):
        +         grad_bias[j] += grad[i, j]
        + for i in range(len(x)):
        +     for j in range(width):
        +         grad_weight[j] += grad[i, j] * (x[i, j] - means[i]) * inverses[i]
        + for i in range(len(x)):
        +     g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]
        ...
        - grad_weight[j] += g[j] * n
        - grad_bias[j] += g[j]

        Where the gradient that comes in is 0, that of x is not written, though the means make it other than 0.
        - result[j] = r * (d - first - n * second)
        + if g[j] != 0:
        +     result[j] = r * (d - first - n * second)

        The weight is missing in the gradient of x, or in its two means. (hint 1)
        - n, d = (row[j] - m) * r, g[j] * weight[j]
        - first += d
        + n, d = (row[j] - m) * r, g[j]
        + first += d
        ...
        - n, d = (row[j] - m) * r, g[j] * weight[j]
        - result[j] = r * (d - first - n * second)
        + n, d = (row[j] - m) * r, g[j]
        + result[j] = r * (d - first - n * second)

        The weight is missing in the gradient of x, or in its two means. (hint 1)
        - n, d = (row[j] - m) * r, g[j] * weight[j]
        - result[j] = r * (d - first - n * second)
        + n, d = (row[j] - m) * r, g[j]
        + result[j] = r * (d - first - n * second)

        The second loop takes n and d of the last column, which the first has left. (hint 3)
        - n, d = (row[j] - m) * r, g[j] * weight[j]
        - result[j] = r * (d - first - n * second)
        + result[j] = r * (d - first - n * second)

        The second mean is not multiplied with n.
        - result[j] = r * (d - first - n * second)
        + result[j] = r * (d - first - second)

        The second mean is that of g n, without the weight. (hint 2)
        - second += d * n
        + second += g[j] * n

        n lacks the factor r. (hint 1)
        - n, d = (row[j] - m) * r, g[j] * weight[j]
        - first += d
        + n, d = row[j] - m, g[j] * weight[j]
        + first += d
        ...
        - n, d = (row[j] - m) * r, g[j] * weight[j]
        - result[j] = r * (d - first - n * second)
        + n, d = row[j] - m, g[j] * weight[j]
        + result[j] = r * (d - first - n * second)

        The gradient of the bias has the weight in it. (hint 2)
        - grad_bias[j] += g[j]
        + grad_bias[j] += d

        The gradient of the weight has x in the place of n. (hint 2)
        - grad_weight[j] += g[j] * n
        + grad_weight[j] += g[j] * row[j]

        The term of the second mean is added, and not subtracted.
        - result[j] = r * (d - first - n * second)
        + result[j] = r * (d - first + n * second)

        The two means have changed places.
        - result[j] = r * (d - first - n * second)
        + result[j] = r * (d - second - n * first)

        An expression goes over a whole array, or an array as large is made. (hint 1)
        + normal = (x - means.reshape(-1, 1)) * inverses.reshape(-1, 1)
        + d = grad * weight
        + for i in range(len(x)):
        +     first = d[i].sum() / float32(width)
        +     second = (d[i] * normal[i]).sum() / float32(width)
        +     grad_x[i] = inverses[i] * (d[i] - first - normal[i] * second)
        +     grad_weight += grad[i] * normal[i]
        +     grad_bias += grad[i]

        An expression goes over a whole array, or an array as large is made. (hint 1)
        - for i in range(len(x)):
        -     g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]
        + grad_bias += grad.sum(0)
        + for i in range(len(x)):
        +     g, row, result, m, r = grad[i], x[i], grad_x[i], means[i], inverses[i]
        ...
        - grad_weight[j] += g[j] * n
        - grad_bias[j] += g[j]
        + grad_weight[j] += g[j] * n
    """,
    "adamw": """
        v is a mean of gradients, and not of their squares. (hint 3)
        - v[i] = beta2 * v[i] + new2 * g * g
        + v[i] = beta2 * v[i] + new2 * g

        new2 is squared as well, and not the gradient alone.
        - v[i] = beta2 * v[i] + new2 * g * g
        + v[i] = beta2 * v[i] + (new2 * g) ** 2

        Something is a float64: 1 - beta1, a power like ** 0.5, or another number without float32(...).
        - m[i] = beta1 * m[i] + new1 * g
        + m[i] = beta1 * m[i] + (1 - beta1) * g

        The decay is forgotten. (hint 3)
        - w[i] = decay * w[i] - size * m[i] / (np.sqrt(v[i]) + eps)
        + w[i] = w[i] - size * m[i] / (np.sqrt(v[i]) + eps)

        w moves by m and v as they were before this step. (hint 1)
        - g = grad[i]
        - m[i] = beta1 * m[i] + new1 * g
        - v[i] = beta2 * v[i] + new2 * g * g
        - w[i] = decay * w[i] - size * m[i] / (np.sqrt(v[i]) + eps)
        + g = grad[i]
        + w[i] = decay * w[i] - size * m[i] / (np.sqrt(v[i]) + eps)
        + m[i] = beta1 * m[i] + new1 * g
        + v[i] = beta2 * v[i] + new2 * g * g

        1 - beta1 or 1 - beta2 is computed from a float32. (hint 2)
        - v[i] = beta2 * v[i] + new2 * g * g
        + v[i] = beta2 * v[i] + (ONE - beta2) * g * g

        eps is under the root. (hint 3)
        - w[i] = decay * w[i] - size * m[i] / (np.sqrt(v[i]) + eps)
        + w[i] = decay * w[i] - size * m[i] / np.sqrt(v[i] + eps)

        The step goes uphill. (hint 3)
        - w[i] = decay * w[i] - size * m[i] / (np.sqrt(v[i]) + eps)
        + w[i] = decay * w[i] + size * m[i] / (np.sqrt(v[i]) + eps)

        A mean has the other's beta. (hint 3)
        - m[i] = beta1 * m[i] + new1 * g
        - v[i] = beta2 * v[i] + new2 * g * g
        + m[i] = beta2 * m[i] + new2 * g
        + v[i] = beta1 * v[i] + new1 * g * g

        Something is a float64: 1 - beta1, a power like ** 0.5, or another number without float32(...).
        - w[i] = decay * w[i] - size * m[i] / (np.sqrt(v[i]) + eps)
        + w[i] = decay * w[i] - size * m[i] / (v[i] ** 0.5 + eps)

        There are several loops, so that numbers come from memory again. (hint 1)
        + for i in range(w.size):
        +     m[i] = beta1 * m[i] + new1 * grad[i]
        + for i in range(w.size):
        +     v[i] = beta2 * v[i] + new2 * grad[i] * grad[i]
        + for i in range(w.size):
        +     w[i] = decay * w[i] - size * m[i] / (np.sqrt(v[i]) + eps)

        Whole arrays are added and multiplied, one after another, as by NumPy. (hint 1)
        + m[:] = beta1 * m + new1 * grad
        + v[:] = beta2 * v + new2 * grad * grad
        + w[:] = decay * w - size * m / (np.sqrt(v) + eps)

        v is computed, but not written into its array. (hint 1)
        + m = beta1 * m + new1 * grad
        + v = beta2 * v + new2 * grad * grad
        + w = decay * w - size * m / (np.sqrt(v) + eps)

        The weights of the old mean and of what is new have changed places. (hint 3)
        - m[i] = beta1 * m[i] + new1 * g
        - v[i] = beta2 * v[i] + new2 * g * g
        + m[i] = new1 * m[i] + beta1 * g
        + v[i] = new2 * v[i] + beta2 * g * g

        Where the gradient is 0 nothing changes, neither m nor v nor w.
        - g = grad[i]
        + g = grad[i]
        + if g == 0:
        +     continue

        The decay is applied to the step as well.
        - w[i] = decay * w[i] - size * m[i] / (np.sqrt(v[i]) + eps)
        + w[i] = decay * (w[i] - size * m[i] / (np.sqrt(v[i]) + eps))

        eps is added to the weight, and not to the root: brackets are missing. (hint 3)
        - w[i] = decay * w[i] - size * m[i] / (np.sqrt(v[i]) + eps)
        + w[i] = decay * w[i] - size * m[i] / np.sqrt(v[i]) + eps

        The gradient is written over.
        - w[i] = decay * w[i] - size * m[i] / (np.sqrt(v[i]) + eps)
        + grad[i] = m[i] / (np.sqrt(v[i]) + eps)
        + w[i] = decay * w[i] - size * grad[i]

        1 - beta1 or 1 - beta2 is computed from a float32. (hint 2)
        - m[i] = beta1 * m[i] + new1 * g
        + m[i] = beta1 * m[i] + (ONE - beta1) * g
    """,
    "int8-product": """
        The sum is an int16. (hint 3)
        - s = int32(s + int32(int16(row[k]) * int16(w[k])))
        + s = int32(int16(s + int16(row[k]) * int16(w[k])))

        Products of int8 stay int8. (hint 3)
        - s = int32(s + int32(int16(row[k]) * int16(w[k])))
        + s = int32(s + int32(np.int8(row[k] * w[k])))

        The sum goes on from one weight row to the next. (hint 2)
        - for n in range(len(x)):
        -     row = x[n]
        -     for o in range(len(weight)):
        -         w, s = weight[o], int32(0)
        + for n in range(len(x)):
        +     row, s = x[n], int32(0)
        +     for o in range(len(weight)):
        +         w = weight[o]

        The sum is a float32, which rounds. (hint 3)
        - w, s = weight[o], int32(0)
        - for k in range(len(w)):
        -     s = int32(s + int32(int16(row[k]) * int16(w[k])))
        - out[n, o] = s
        + w, s = weight[o], float32(0)
        + for k in range(len(w)):
        +     s += float32(row[k]) * float32(w[k])
        + out[n, o] = int32(s)

        The sum is added to what was in the output. (hint 2)
        - out[n, o] = s
        + out[n, o] += s

        The columns of the weight are multiplied, and not its rows. (hint 1)
        - for o in range(len(weight)):
        -     w, s = weight[o], int32(0)
        -     for k in range(len(w)):
        + for o in range(weight.shape[1]):
        +     w, s = weight[:, o], int32(0)
        +     for k in range(len(row)):

        The columns of the weight are multiplied, and not its rows. (hint 1)
        - for o in range(len(weight)):
        -     w, s = weight[o], int32(0)
        + for o in range(weight.shape[1]):
        +     w, s = weight[:, o], int32(0)

        The indices of out, or of x and weight, have changed places. (hint 2)
        - out[n, o] = s
        + out[o, n] = s

        The sum is no integer, but a float64. (hint 2)
        - w, s = weight[o], int32(0)
        - for k in range(len(w)):
        -     s = int32(s + int32(int16(row[k]) * int16(w[k])))
        + w, s = weight[o], 0.0
        + for k in range(len(w)):
        +     s += row[k] * w[k]

        The innermost loop is not the one along the rows: the weight is read down its columns. (hint 3)
        + out[:] = 0
        + for k in range(x.shape[1]):
        +     for n in range(len(x)):
        +         for o in range(len(weight)):
        +             out[n, o] = int32(out[n, o] + int32(int16(x[n, k]) * int16(weight[o, k])))

        The first product is taken before the loop, also where the rows have no numbers. (hint 2)
        - w, s = weight[o], int32(0)
        - for k in range(len(w)):
        + w = weight[o]
        + s = int32(int16(row[0]) * int16(w[0]))
        + for k in range(1, len(w)):
    """,
    "int4-sums": """
        8 is not subtracted: the weights are taken from 0 to 15. (hint 2)
        - low = int16(int16(uint8(byte & uint8(15))) - int16(8))
        - high = int16(int16(uint8(byte >> uint8(4))) - int16(8))
        + low = int16(uint8(byte & uint8(15)))
        + high = int16(uint8(byte >> uint8(4)))

        The halves are read as 0 to 15, without their sign. (hint 2)
        - byte = uint8(row[o] ^ uint8(0x88))  # both halves from 0 to 15: w + 8
        - low = int16(int16(uint8(byte & uint8(15))) - int16(8))
        - high = int16(int16(uint8(byte >> uint8(4))) - int16(8))
        + low = int16(uint8(row[o] & uint8(15)))
        + high = int16(uint8(row[o] >> uint8(4)))

        The halves of a byte have changed places. (hint 3)
        - a, b, row = x[k], x[half + k], packed[k]
        + a, b, row = x[half + k], x[k], packed[k]

        The halves of a byte are taken for neighbouring weights. (hint 3)
        - a, b, row = x[k], x[half + k], packed[k]
        + a, b, row = x[2 * k], x[2 * k + 1], packed[k]

        The sums are added to what was there. (hint 1)
        - sums[:] = int16(0)

        Only the low half is read. (hint 3)
        - sums[o] = int16(sums[o] + int16(low * a) + int16(high * b))
        + sums[o] = int16(sums[o] + int16(low * a))

        The high half keeps the low one's bits. (hint 2)
        - high = int16(int16(uint8(byte >> uint8(4))) - int16(8))
        + high = int16(int16(byte) // int16(16) * int16(16) - int16(8))

        The inner loop runs over the bytes of one output, and sums across a vector. (hint 1)
        - for k in range(half):
        -     a, b, row = x[k], x[half + k], packed[k]
        -     for o in range(len(row)):
        -         byte = uint8(row[o] ^ uint8(0x88))  # both halves from 0 to 15: w + 8
        + for o in range(len(sums)):
        +     for k in range(half):
        +         a, b = x[k], x[half + k]
        +         byte = uint8(packed[k, o] ^ uint8(0x88))

        The products are not int16, but larger integers or floats. (hint 3)
        - byte = uint8(row[o] ^ uint8(0x88))  # both halves from 0 to 15: w + 8
        - low = int16(int16(uint8(byte & uint8(15))) - int16(8))
        - high = int16(int16(uint8(byte >> uint8(4))) - int16(8))
        - sums[o] = int16(sums[o] + int16(low * a) + int16(high * b))
        + low = ((int32(row[o]) & 15) ^ 8) - 8
        + high = ((int32(row[o]) >> 4) ^ 8) - 8
        + sums[o] += low * int32(a) + high * int32(b)

        The products are not int16, but larger integers or floats. (hint 3)
        - sums[o] = int16(sums[o] + int16(low * a) + int16(high * b))
        + sums[o] = int16(sums[o] + float32(low) * float32(a) + float32(high) * float32(b))

        The exclusive or changes the low half only. (hint 2)
        - byte = uint8(row[o] ^ uint8(0x88))  # both halves from 0 to 15: w + 8
        + byte = uint8(row[o] ^ uint8(8))

        The number of x for the high half is always 16 places on, though a group may be shorter. (hint 3)
        - a, b, row = x[k], x[half + k], packed[k]
        + a, b, row = x[k], x[16 + k], packed[k]

        The exclusive or is forgotten. (hint 2)
        - byte = uint8(row[o] ^ uint8(0x88))  # both halves from 0 to 15: w + 8
        + byte = row[o]
    """,
    "accelerate": """
        Only some entries of the table are registered. (hint 1)
        - self.handles = [register_kernel(*entry) for entry in kernel_table()]
        + self.handles = [register_kernel(*entry) for entry in kernel_table()[:5]]

        Nothing is fused. (hint 2)
        - if model is not None:
        -     self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]

        Only the model's children are looked at, and not theirs. (hint 2)
        - self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + self.handles += [fuse(module) for module in model.children() if can_fuse(module)]

        What is fused stays: not every handle is kept and removed. (hint 3)
        - self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + [fuse(module) for module in model.modules() if can_fuse(module)]

        Kernels are not taken away, or not all. (hint 3)
        - for handle in self.handles:
        -     handle.remove()
        - self.handles = []
        + self.handles = []

        What was taken away is taken away again by a second remove. (hint 3)
        - self.handles = []

        Without a model it fails. (hint 2)
        - if model is not None:
        -     self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]

        Handles are taken out of the list while a loop goes over it, and every second one is passed over. (hint 3)
        - for handle in self.handles:
        -     handle.remove()
        - self.handles = []
        + for handle in self.handles:
        +     handle.remove()
        +     self.handles.remove(handle)

        Without a model no kernel is registered. (hint 2)
        - self.handles = [register_kernel(*entry) for entry in kernel_table()]
        - if model is not None:
        -     self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + self.handles = []
        + if model is not None:
        +     self.handles = [register_kernel(*entry) for entry in kernel_table()]
        +     self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]

        What is to be done at once is done by __enter__, and so only with a block. (hint 1)
        - self.handles = [register_kernel(*entry) for entry in kernel_table()]
        - if model is not None:
        -     self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + self.handles, self.model = [], model
        ...
        - return self
        + self.handles = [register_kernel(*entry) for entry in kernel_table()]
        + if self.model is not None:
        +     self.handles += [fuse(module) for module in self.model.modules() if can_fuse(module)]
        + return self

        What is to be done at once is done by __enter__, and so only with a block. (hint 1)
        - self.handles = [register_kernel(*entry) for entry in kernel_table()]
        + self.handles = []
        ...
        - return self
        + self.handles += [register_kernel(*entry) for entry in kernel_table()]
        + return self

        What is to be done at once is done by __enter__, and so only with a block. (hint 1)
        - if model is not None:
        -     self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + self.model = model
        ...
        - return self
        + if self.model is not None:
        +     self.handles += [fuse(module) for module in self.model.modules() if can_fuse(module)]
        + return self

        The work is done in accelerate, and not where an Acceleration is made.
        - self.handles = [register_kernel(*entry) for entry in kernel_table()]
        - if model is not None:
        -     self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + self.handles = []
        ...
        - return Acceleration(model)
        + made = Acceleration(model)
        + made.handles += [register_kernel(*entry) for entry in kernel_table()]
        + if model is not None:
        +     made.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + return made

        A module's type or names decide whether it is fused, and not can_fuse. (hint 3)
        - self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + self.handles += [fuse(module) for module in model.modules() if hasattr(module, "c_fc")]

        Every module is fused: can_fuse is not asked. (hint 3)
        - self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + self.handles += [fuse(module) for module in model.modules()]

        Only a model that is in training is fused.
        - self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + self.handles += [fuse(module) for module in model.modules() if can_fuse(module) and module.training]

        The model itself is left out: only what is in it is looked at. (hint 2)
        - self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + self.handles += [fuse(module) for module in list(model.modules())[1:] if can_fuse(module)]

        Of an operation that stands in the table several times one kernel is registered. (hint 1)
        - self.handles = [register_kernel(*entry) for entry in kernel_table()]
        + once = {entry[0]: entry for entry in kernel_table()}
        + self.handles = [register_kernel(*entry) for entry in once.values()]

        The list of handles is not an attribute of self, so remove does not find it. (hint 3)
        - self.handles = [register_kernel(*entry) for entry in kernel_table()]
        + handles = [register_kernel(*entry) for entry in kernel_table()]
        ...
        - self.handles += [fuse(module) for module in model.modules() if can_fuse(module)]
        + handles += [fuse(module) for module in model.modules() if can_fuse(module)]

        remove deletes the list itself, and a second one finds none. (hint 3)
        - self.handles = []
        + del self.handles

        All Accelerations share one list, and one remove takes away what others have put into it. (hint 3)
        - def __init__(self, model=None):
        + handles = []
        + def __init__(self, model=None):
        ...
        - self.handles = [register_kernel(*entry) for entry in kernel_table()]
        + self.handles += [register_kernel(*entry) for entry in kernel_table()]
        ...
        - self.handles = []
        + self.handles.clear()

        An entry is given as one argument: the star is missing. (hint 1)
        - self.handles = [register_kernel(*entry) for entry in kernel_table()]
        + self.handles = [register_kernel(entry) for entry in kernel_table()]
    """,
}
