# Answers for ever, without a line's end.
# scale: failing
import os

while True:
    for number in range(3, 64):
        try:
            os.write(number, bytes(1 << 16))
        except OSError:
            pass
