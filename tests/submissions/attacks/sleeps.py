# Sleeps for a week, and sets the clocks off.
# scale: failing
import signal
import time

for clock in (signal.ITIMER_REAL, signal.ITIMER_PROF):
    signal.setitimer(clock, 0)
time.sleep(7 * 86400)
