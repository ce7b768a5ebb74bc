# Writes without end, in one file and in many.
# scale: failing
import tempfile

kept = []
while True:
    file = tempfile.NamedTemporaryFile(delete=False)
    kept.append(file)
    for _ in range(20):
        file.write(bytes(1 << 20))
