# Answers with a hundred thousand brackets.
# scale: failing
import os

for number in range(3, 64):
    try:
        os.write(number, b'{"stub":' + b"[" * 100_000 + b"\n")
    except OSError:
        pass
