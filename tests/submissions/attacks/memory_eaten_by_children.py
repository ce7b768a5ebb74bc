# Takes memory in many processes at once.
# scale: failing
import os
import time

for _ in range(8):
    if os.fork() == 0:
        kept = [b"x" * (1 << 20) for _ in range(300)]
        time.sleep(1000)
time.sleep(1000)
