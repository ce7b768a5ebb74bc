"""No entry at all: the baseline, as it was given."""


def entry(model, *data):
    return model
