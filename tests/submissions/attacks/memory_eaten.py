# Takes 8 GB.
# scale: failing
class Scale:
    def __init__(self, factor):
        self.kept = [bytearray(1 << 20) for _ in range(8000)]
