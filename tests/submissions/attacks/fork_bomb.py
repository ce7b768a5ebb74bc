# Forks without end, and stays.
# scale: failing
import os
import time

while True:
    try:
        os.fork()
    except OSError:
        time.sleep(1000)
