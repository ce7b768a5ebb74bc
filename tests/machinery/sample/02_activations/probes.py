"""Probes of module 02."""


def numbers(rng):
    return rng.normal(size=5)


@probe("scale")
def scaled_by_some_number(rng):
    return Scale(rng.normal())(numbers(rng))


@probe("quadruple")
def four_times_some_numbers(rng):
    return quadruple(numbers(rng))
