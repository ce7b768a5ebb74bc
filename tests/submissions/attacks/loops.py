# Loops for ever around everything that could stop it.
# scale: failing
class Scale:
    def __init__(self, factor):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
