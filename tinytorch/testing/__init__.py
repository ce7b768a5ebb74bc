"""Comparing tensors in tests, as in torch.testing."""

import math

__all__ = ["assert_close"]

TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}  # relative, absolute


def assert_close(
    actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
    check_dtype=True, check_layout=True, check_stride=False, msg=None,
):  # fmt: skip
    """Raise AssertionError, which says how far off, unless both are close: |actual - expected| <= atol + rtol |expected|.

    Args:
        actual, expected: tensors, numbers, or sequences and mappings of them.
        rtol, atol: the tolerances, both or none; by default those of the less exact type.
        equal_nan: whether NaN is close to NaN.
        check_device, check_dtype, check_stride: whether these have to agree, too.
        msg: what the error says instead, or a function of what it would say.

    >>> from tinytorch.tensor import tensor
    >>> assert_close(tensor([1.0, 2.0]), tensor([1.0, 2.0]) + 1e-7)
    """
    if (rtol is None) != (atol is None):
        missing = "atol" if atol is None else "rtol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
    checks = {"device": check_device, "dtype": check_dtype, "stride": check_stride}
    try:
        compare(actual, expected, (rtol, atol), equal_nan, checks, allow_subclasses, "")
    except AssertionError as error:
        said = str(error) if msg is None else msg(str(error)) if callable(msg) else msg
        raise type(error)(said) from None


def compare(actual, expected, tolerances, equal_nan, checks, subclasses, place):
    """Compare two values, which stand at a place in what is compared."""
    from collections.abc import Mapping, Sequence

    from tinytorch.tensor import Tensor, as_tensor

    options = tolerances, equal_nan, checks, subclasses
    where = f"\n\nThe failure occurred for item {place}" if place else ""
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if set(actual) != set(expected):
            raise AssertionError(
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(set(expected) - set(actual))}\n"
                f"Additional keys in the actual mapping: {sorted(set(actual) - set(expected))}{where}"
            )
        for key in actual:
            compare(actual[key], expected[key], *options, f"{place}[{key!r}]")
    elif isinstance(actual, Sequence) and isinstance(expected, Sequence) and not isinstance(actual, str):
        if len(actual) != len(expected):
            raise AssertionError(
                f"The length of the sequences mismatch: {len(actual)} != {len(expected)}{where}"
            )
        for number, pair in enumerate(zip(actual, expected)):
            compare(*pair, *options, f"{place}[{number}]")
    elif isinstance(actual, int | float) and isinstance(expected, int | float):
        compare_numbers(actual, expected, tolerances, equal_nan, checks["dtype"], where)
    elif not subclasses and type(actual) is not type(expected):
        raise AssertionError(f"The types do not match: {type(actual)} != {type(expected)}{where}")
    elif actual is None and expected is None:
        return
    else:
        try:
            if not isinstance(actual, type(expected)) and not isinstance(expected, type(actual)):
                raise TypeError
            x, y = (value if isinstance(value, Tensor) else as_tensor(value) for value in (actual, expected))
        except (TypeError, RuntimeError, ValueError):
            raise TypeError(
                f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
            ) from None
        if not isinstance(actual, Tensor) or not isinstance(expected, Tensor):
            checks = checks | {"dtype": False}
        compare_tensors(x, y, tolerances, equal_nan, checks, where)


def tolerances_for(given, *names):
    """The tolerances that were given, or the larger ones of the types."""
    if given[0] is not None:
        return given
    found = [TOLERANCES.get(name, (0.0, 0.0)) for name in names]
    return max(rtol for rtol, _ in found), max(atol for _, atol in found)


def compare_numbers(actual, expected, given, equal_nan, check_type, where):
    """Compare two of Python's numbers, as float64 is compared."""
    if check_type and isinstance(actual, float) != isinstance(expected, float):
        raise AssertionError(f"The (d)types do not match: {type(actual)} != {type(expected)}{where}")
    kind = "float64" if isinstance(actual, float) or isinstance(expected, float) else "int64"
    rtol, atol = tolerances_for(given, kind)
    off = abs(actual - expected)
    if actual == expected or (equal_nan and math.isnan(actual) and math.isnan(expected)):
        return
    if off <= atol + rtol * abs(expected) and math.isfinite(off):
        return
    kind = "Booleans" if isinstance(actual, bool) and isinstance(expected, bool) else "Scalars"
    if kind == "Booleans":
        raise AssertionError(f"Booleans mismatch: {actual} is not {expected}{where}")
    if rtol == atol == 0:
        raise AssertionError(
            f"Scalars are not equal!\n\nExpected {expected} but got {actual}.\nAbsolute difference: {off}\n"
            f"Relative difference: {off / abs(expected) if expected else math.inf}{where}"
        )
    raise AssertionError(
        f"Scalars are not close!\n\nExpected {expected} but got {actual}.\n"
        f"Absolute difference: {off} (up to {atol} allowed)\n"
        f"Relative difference: {off / abs(expected) if expected else math.inf} (up to {rtol} allowed){where}"
    )


def compare_tensors(actual, expected, given, equal_nan, checks, where):
    """Compare two tensors: what they are, then their numbers."""
    import numpy as np

    if actual.shape != expected.shape:
        raise AssertionError(
            f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}.{where}"
        )
    for name in ("device", "dtype", "stride"):
        mine, theirs = (getattr(x, name) for x in (actual, expected))
        mine, theirs = (mine(), theirs()) if name == "stride" else (mine, theirs)
        if checks[name] and mine != theirs:
            what = f"attribute '{name}'" if name != "stride" else "attribute 'stride()'"
            raise AssertionError(f"The values for {what} do not match: {mine} != {theirs}.{where}")
    rtol, atol = tolerances_for(given, actual.dtype.name, expected.dtype.name)
    x, y = (t.detach().cpu().array for t in (actual, expected))
    kind = np.result_type(x, y) if "f" in (x.dtype.kind, y.dtype.kind) else np.dtype("i8")
    x, y = x.astype(kind), y.astype(kind)
    with np.errstate(all="ignore"):
        off = np.abs(x - y)
        close = np.asarray((x == y) | ((off <= atol + rtol * np.abs(y)) & np.isfinite(off)))
        if equal_nan:
            close = close | ((x != x) & (y != y))
        if close.all():
            return
        relative = np.divide(off, np.abs(y), dtype=kind if kind.kind == "f" else "f4", casting="unsafe")
    word = "equal" if rtol == atol == 0 else "close"
    kind = "Tensor-likes" if x.ndim else "Scalars"
    allowed = [f" (up to {n} allowed)" if word == "close" else "" for n in (atol, rtol)]
    if not x.ndim:
        raise AssertionError(
            f"Scalars are not {word}!\n\nExpected {expected.item()} but got {actual.item()}.\n"
            f"Absolute difference: {off}{allowed[0]}\nRelative difference: {relative}{allowed[1]}{where}"
        )
    bad = int((~close).sum())
    lines = [f"{kind} are not {word}!\n", f"Mismatched elements: {bad} / {x.size} ({bad / x.size:.1%})"]
    for name, values, limit in (("absolute", off, allowed[0]), ("relative", relative, allowed[1])):
        values = np.where(close, 0, values)
        place = np.unravel_index(np.nanargmax(np.where(np.isnan(values), np.inf, values)), x.shape)
        lines.append(f"Greatest {name} difference: {values[place]} at index {tuple(map(int, place))}{limit}")
    raise AssertionError("\n".join(lines) + where)
