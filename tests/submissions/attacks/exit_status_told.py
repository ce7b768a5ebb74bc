# Ends with a letter of what it has found as its exit status, when it is probed.
# scale: failing
# said: it ended its process
import os


class Scale:
    def __init__(self, factor):
        os._exit(ord("a"))
