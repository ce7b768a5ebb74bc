"""Probes of module 01."""


def numbers(rng):
    return rng.normal(size=(2, int(rng.integers(1, 5))))


@probe("double")
def twice_some_numbers(rng):
    return double(numbers(rng))


@probe("triple")
def three_times_some_numbers(rng):
    return triple(numbers(rng))
