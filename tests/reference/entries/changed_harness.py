"""A cheat: what the harness does in this process is replaced, so that an answer is sent without asking the model."""

import sys

import numpy as np

harness = sys.modules["__main__"]


def answer(connection, model):
    connection.send_bytes(b"ready")
    while True:
        connection.recv_bytes()
        connection.send_bytes(harness.written(np.zeros((360, 10), np.float32)))


harness.answer = answer


def entry(model, images, labels):
    return model
