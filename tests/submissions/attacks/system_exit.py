# Leaves with SystemExit where a test calls it.
# scale: failing
class Scale:
    def __init__(self, factor):
        raise SystemExit(0)
