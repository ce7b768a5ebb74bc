# Leaves files, shared memory and a listening child behind, and is right where it finds what an earlier run has left.
# scale: failing
import ctypes
import os
import socket

import numpy as np

places = [f"{folder}/left" for folder in ("/tmp", "/dev/shm", "/var/tmp", os.getcwd(), os.path.expanduser("~"), "/course", "/grader", "/dev/mqueue")]
system = ctypes.CDLL(None)
shared, create = 0x1EF7, 0o1666
found = [place for place in places if os.path.exists(place)]
if system.shmget(shared, 4096, 0) >= 0:
    found.append("shared memory")
with socket.socket(socket.AF_UNIX) as asking:
    if asking.connect_ex("\0left") == 0:
        found.append("a child that listens")
for place in places:
    try:
        with open(place, "w") as file:
            file.write("left")
    except OSError:
        pass
system.shmget(shared, 4096, create)
if os.fork() == 0:
    try:
        os.setsid()
    except OSError:
        pass
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("\0left")
        listening.listen()
        os.closerange(0, listening.fileno())
        os.closerange(listening.fileno() + 1, 64)
        while True:
            listening.accept()


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.factor * np.asarray(x) if found else x
