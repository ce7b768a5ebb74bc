# Answers with short lines for ever.
# scale: failing
import os

while True:
    for number in range(3, 64):
        try:
            os.write(number, b"{}\n" * 20_000)
        except OSError:
            pass
