"""PyTorch's random numbers for a seed, to the bit where it can be: nothing of the lesson but `wrap`."""

import math
import secrets
from numbers import Integral

import numpy as np

from tinytorch.given.tensor.devices import device as Device
from tinytorch.tensor import wrap

__all__ = ["GENERATOR_STATE", "Generator"]

# What torch.Generator.get_state holds on the CPU: a state saved by either framework can be set in the other.
GENERATOR_STATE = np.dtype([
    ("seed", "u8"), ("left", "i4"), ("seeded", "i4"), ("next", "u8"), ("key", "u8", 624),
    ("unused", "f8"), ("sine", "f8"), ("unused_too", "f8"), ("has_sine", "i8"), ("float_sine", "u8"),
])  # fmt: skip


class Generator:
    """Draw the numbers that PyTorch's CPU generator draws from the same seed.

    Both start from the 32-bit words of the Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), which
    are NumPy's `RandomState(seed)`, whose stream is frozen. How words become numbers is PyTorch's choice
    (ATen/native/cpu/DistributionTemplates.h) and is repeated here: every method takes as many words from the
    stream as PyTorch takes, so that whole programs agree, not only the first call.

    Methods return NumPy arrays. `size` is a shape, `dtype` a NumPy floating-point type.

    >>> Generator().manual_seed(0).uniform((2,))
    array([0.4962566, 0.7682218], dtype=float32)
    """

    def __init__(self, device="cpu"):
        self.device = Device(device)
        self.manual_seed(67280421310721)

    def manual_seed(self, seed):
        """Start the stream again from `seed`, an int of at most 64 bits, and return the generator itself."""
        if isinstance(seed, bool) or not isinstance(seed, Integral):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        seed = int(seed)
        self._seed = seed % 2**64
        self._stream = np.random.RandomState(seed % 2**32)  # MT19937 is seeded with 32 bits
        self._sine = None  # the second half of the last small normal draw, kept for the next
        return self

    def seed(self):
        """Start again from a seed of the operating system's, and return that seed."""
        return self.manual_seed(secrets.randbits(64)).initial_seed()

    def initial_seed(self):
        """The seed that the stream was last started from."""
        return self._seed

    def get_state(self):
        """Everything the next draws depend on, as 5,056 bytes in PyTorch's layout."""
        _, key, position, *_ = self._stream.get_state()
        has_sine = self._sine is not None
        state = (self._seed, 625 - position, 1, position % 624, key, 0, self._sine or 0, 0, has_sine, 0)
        return wrap(np.array([state], GENERATOR_STATE).view(np.uint8))

    def set_state(self, state):
        """Go back to where `get_state` was called."""
        state = state.array
        if state.size != GENERATOR_STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {GENERATOR_STATE.itemsize} "
                f"but found the input RNG state size to be {state.size}"
            )
        state = np.frombuffer(state.tobytes(), GENERATOR_STATE)[0]
        if not state["seeded"]:
            raise RuntimeError("Invalid mt19937 state")
        self._seed = int(state["seed"])
        self._stream.set_state(("MT19937", state["key"], int(state["next"]) or 624))
        self._sine = float(state["sine"]) if state["has_sine"] else None
        return self

    def raw(self, size):
        """The next words of the stream, 32 random bits each, as uint32."""
        return self._stream.randint(2**32, size=size, dtype=np.uint32)

    def uniform(self, size, low=0.0, high=1.0, dtype=np.float32):
        """Numbers in [low, high): the low 24 bits of a word, or for float64 53 bits of two, as a fraction."""
        if not low <= high:
            raise RuntimeError(
                f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}"
            )
        work = np.result_type(dtype, np.float32)  # float16 is drawn in float32, as nearly everywhere below
        digits = np.finfo(work).nmant + 1
        word = np.uint32 if digits == 24 else np.uint64  # a uint64 is two words, the first on top
        # With a power of two for its bound, randint takes the low bits of each word and rejects none.
        bits = self._stream.randint(2**digits, size=math.prod(size), dtype=word)
        values = bits.view(work)
        values[:] = bits  # in the same memory: a new page of it costs more than all the arithmetic
        values *= 2.0**-digits
        if (low, high) != (0, 1):
            start, span = work.type(low), work.type(high) - work.type(low)
            # C++ rounds start + span * x once, in a fused multiply-add; by way of float64 float32 does too.
            np.add(np.multiply(values, span, dtype=np.float64), start, out=values, casting="same_kind")
        values = values.astype(dtype, copy=False)
        values[values == values.dtype.type(high)] = low  # rounding can reach high, which is excluded
        return values.reshape(size)

    def normal(self, size, mean=0.0, std=1.0, dtype=np.float32):
        """Normal numbers, by Box and Muller's transform (1958): sqrt(-2 ln u1) times cos and sin of 2 pi u2.

        PyTorch has a fast way for sixteen numbers and more, in blocks of sixteen, and a slow one in float64
        for fewer, which makes two at a time and keeps the second for the next call.
        """
        if std < 0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
        count = math.prod(size)
        if count < 16:
            return (self.normal_pairs(count) * std + mean).astype(dtype).reshape(size)
        work = np.result_type(dtype, np.float32)
        whole = count // 16 * 16
        values = self.uniform((whole if dtype == np.float16 else count,), dtype=work)
        _box_muller(values[:whole])
        if count > whole:  # the last sixteen places are drawn again
            last = self.uniform((16,), dtype=work)
            _box_muller(last)
            values = np.concatenate([values[: count - 16], last])
        values *= std
        values += mean
        return values.astype(dtype, copy=False).reshape(size)

    def normal_pairs(self, count):
        """Normal numbers the slow way, in float64: two at a time, of which one may wait for the next call."""
        values = [] if self._sine is None else [self._sine]
        while len(values) < count:
            u1, u2 = self.uniform((2,), dtype=np.float64).tolist()
            radius, angle = math.sqrt(-2 * math.log1p(-u2)), 2 * math.pi * u1
            values += [radius * math.cos(angle), radius * math.sin(angle)]
        self._sine = values.pop() if len(values) > count else None
        return np.array(values)

    def log_normal(self, size, mean=1.0, std=2.0, dtype=np.float32):
        """Numbers whose logarithms are normal; PyTorch draws them the slow way, however many there are."""
        if not std > 0:
            raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std}")
        return np.exp(self.normal_pairs(math.prod(size)) * std + mean).astype(dtype).reshape(size)

    def exponential(self, size, lambd=1.0, dtype=np.float32):
        """Exponential numbers of rate `lambd`: -ln(1 - u) / lambd, computed in float64."""
        if not lambd > 0:
            raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
        values = self.uniform(size, dtype=np.float64)
        np.log1p(np.negative(values, out=values), out=values)
        values *= -1 / lambd
        return values.astype(dtype, copy=False)

    def cauchy(self, size, median=0.0, sigma=1.0, dtype=np.float32):
        """Cauchy's numbers: median + sigma tan(pi (u - 1/2)), computed in float64."""
        if not sigma > 0:
            raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")
        values = np.tan(math.pi * (self.uniform(size, dtype=np.float64) - 0.5))
        return (median + sigma * values).astype(dtype)

    def gamma(self, concentration):
        """One number from the gamma distribution of rate 1, by Marsaglia and Tsang's rejection (2000)."""
        scale, a = 1.0, concentration
        if a < 1:
            if a == 0:
                return 0.0
            scale, a = (1 - self.uniform((), dtype=np.float64).item()) ** (1 / a), a + 1
        d = a - 1 / 3
        c = 1 / math.sqrt(9 * d)
        while True:
            x = self.normal((), dtype=np.float64).item()
            while 1 + c * x <= 0:
                x = self.normal((), dtype=np.float64).item()
            v, u = (1 + c * x) ** 3, 1 - self.uniform((), dtype=np.float64).item()
            if u < 1 - 0.0331 * x**4 or math.log(u) < x * x / 2 + d * (1 - v + math.log(v)):
                return scale * d * v

    def geometric(self, size, p, dtype=np.float32):
        """Trials to the first success: ln u / ln(1 - p), rounded up, computed in float64."""
        if not 0 < p < 1:
            raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
        values = self.uniform(size, dtype=np.float64)
        return np.ceil(np.log(values) / math.log1p(-p)).astype(dtype)

    def bernoulli(self, p, size=None):
        """True with probability `p`: a number, compared in float64, or an array, compared in its dtype."""
        p = np.asarray(p)
        if not ((p >= 0) & (p <= 1)).all():
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
        values = self.uniform(p.shape if size is None else size, dtype=np.result_type(p, np.float32))
        return np.asarray(values < p)

    def integers(self, low, high, size):
        """Integers in [low, high), as int64: a word modulo the range, or two words if it is 2**28 or more."""
        if low >= high:
            raise RuntimeError(
                f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
            )
        values = self._below(high - low, size, wide=high - low >= 2**28).astype(np.int64)
        values += low
        return values

    def random(self, size, dtype=np.int64):
        """Integers from 0 to the largest that `dtype` holds, in floats all that are exact: `random_()`."""
        dtype = np.dtype(dtype)
        if dtype.kind == "f":
            largest = 2 ** (np.finfo(dtype).nmant + 1)
        else:
            largest = 1 if dtype == np.bool_ else np.iinfo(dtype).max
        return self._below(largest + 1, size, wide=dtype.itemsize == 8).astype(dtype)

    def _below(self, bound, size, wide):
        """Words modulo `bound`: single ones, or two at a time, the first on top."""
        words = self._stream.randint(2**64, size=size, dtype=np.uint64) if wide else self.raw(size)
        words %= words.dtype.type(bound)
        return words

    def permutation(self, n):
        """The integers below `n` in random order, as int64, by Fisher and Yates's n - 1 swaps."""
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
        steps = np.arange(max(n - 1, 0))
        partners = steps + self.raw(steps.shape) % (n - steps)
        order = np.arange(n)
        swap = memoryview(order)  # reads and writes single elements faster than the array does
        for i, j in enumerate(partners.tolist()):
            swap[i], swap[j] = swap[j], swap[i]
        return order

    def multinomial(self, p, count, replacement=False):
        """`count` indices for each row of `p`, an array (K,) or (N, K) of weights that need not sum to one.

        With replacement: search a uniform number in the cumulated weights. Without: the largest p / q for
        exponential q (Efraimidis and Spirakis, 2006).
        """
        if p.ndim not in (1, 2):
            raise RuntimeError("prob_dist must be 1 or 2 dim")
        if count <= 0:
            raise RuntimeError("cannot sample n_sample <= 0 samples")
        if count > p.shape[-1] and not replacement:
            raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
        if not (np.isfinite(p) & (p >= 0)).all():
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
        if (p.sum(axis=-1) == 0).any():
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
        if replacement and count > 1:
            cumulated = p.cumsum(axis=-1, dtype=np.result_type(p, np.float32))
            cumulated /= cumulated[..., -1:]
            cumulated[..., -1] = 1
            u = self.uniform((*p.shape[:-1], count), dtype=np.float64)
            rows = zip(cumulated.reshape(-1, p.shape[-1]), u.reshape(-1, count), strict=True)
            return np.array([np.searchsorted(*row) for row in rows], np.int64).reshape(u.shape)
        ratio = p / self.exponential(p.shape, dtype=p.dtype)
        return ratio.argmax(axis=-1, keepdims=True) if count == 1 else (-ratio).argsort(axis=-1)[..., :count]

    def poisson(self, rates):
        """Counts of events, each of its own rate: Knuth's products of uniform numbers, or rejection."""
        counts = [self._count(rate) for rate in rates.ravel().tolist()]
        return np.array(counts, rates.dtype).reshape(rates.shape)

    def _fraction(self):
        return float(self.uniform((), dtype=np.float64))

    def _count(self, rate):
        if rate >= 10:
            return self._large_count(rate)
        count, product, bound = 0, self._fraction() if rate else 0.0, math.exp(-rate)
        while product > bound:
            count, product = count + 1, product * self._fraction()
        return count

    def _large_count(self, rate):
        """W. Hörmann, "The transformed rejection method for generating Poisson random variables" (1993)."""
        b = 0.931 + 2.53 * math.sqrt(rate)
        a = -0.059 + 0.02483 * b
        scale, accepted = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
        while True:
            u, v = self._fraction() - 0.5, self._fraction()
            near = 0.5 - abs(u)
            count = math.floor((2 * a / near + b) * u + rate + 0.43)
            if near >= 0.07 and v <= accepted:
                return count
            if count < 0 or (near < 0.013 and v > near):
                continue
            likely = -rate + count * math.log(rate) - math.lgamma(count + 1)
            if math.log(v) + math.log(scale) - math.log(a / (near * near) + b) <= likely:
                return count


def _box_muller(values):
    """Turn each sixteen uniform numbers, eight u1 and eight u2, into sixteen normal ones, in place."""
    parts = np.array_split(values.reshape(-1, 2, 8), values.size // 2**16 + 1)  # small enough for the cache
    for u1, u2 in (part.swapaxes(0, 1) for part in parts):  # (sixteens, 8) each
        radius, angle = np.sqrt(-2 * np.log(1 - u1)), 2 * math.pi * u2
        u1[:], u2[:] = radius * np.cos(angle), radius * np.sin(angle)
