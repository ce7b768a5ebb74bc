# Kills itself as the kernel kills what has taken too much memory.
# scale: failing
import os
import signal

os.kill(os.getpid(), signal.SIGKILL)
