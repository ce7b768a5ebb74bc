# Ignores every signal, and loops while it is imported.
# scale: failing
import signal

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.signal = signal.setitimer = lambda *arguments: None
while True:
    pass
