# Answers with a number of a million digits.
# scale: failing
import os

for number in range(3, 64):
    try:
        os.write(number, b'{"ready": ' + b"9" * 1_000_000 + b"}\n")
    except OSError:
        pass
