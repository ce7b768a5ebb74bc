# Closes every pipe it has, and stays.
# scale: failing
import os
import time

os.closerange(0, 64)
time.sleep(1000)
