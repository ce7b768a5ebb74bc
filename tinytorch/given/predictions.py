"""A reader's prediction beside what was measured: nobody else reads it, and no point depends on it."""

__all__ = ["compare"]


def compare(predicted, measured, unit=""):
    """Print a prediction and what was measured.

    Args:
        predicted: a number, an order of names as a list, a word, or None for no prediction.
        measured: what came out, of the same kind; or numbers by name, whose order is then compared.
        unit: the numbers' unit, as "ms" or "times".

    >>> compare(3, 4.1234, "times")
    predicted: 3 times; measured: 4.12 times
    >>> compare(["naive", "blocked"], {"naive": 2.0, "blocked": 0.5})
    predicted: naive, blocked; measured: blocked, naive
    >>> compare(None, 250, "ms")
    predicted: nothing yet; measured: 250 ms
    """
    if isinstance(measured, dict):
        measured = sorted(measured, key=measured.get)
    said = "nothing yet" if predicted is None else written(predicted, unit)
    print(f"predicted: {said}; measured: {written(measured, unit)}")


def written(value, unit):
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return str(value)
    return f"{value:,.3g} {unit}".rstrip() if abs(value) < 1000 else f"{value:,.0f} {unit}".rstrip()
