"""Probes of module 03."""


@probe("linear-forward")
def products_with_and_without_a_bias(rng):
    x, weight, bias = rng.normal(size=(3, 4)), rng.normal(size=(2, 4)), rng.normal(size=2)
    return linear(x, weight), linear(x, weight, bias)


@probe("linear-class")
def a_layer_of_some_size(rng):
    inputs = int(rng.integers(1, 6))
    return Linear(inputs, 2)(rng.normal(size=(3, inputs)))
