# Raises an error whose text is a script, a formula with macros, and letters that no file holds.
# scale: failing
class Scale:
    def __init__(self, factor):
        raise ValueError("<script>alert(1)</script><img src=x onerror=alert(1)> $\\\\href{javascript:alert(1)}{x}$ \x1b]8;;x \ud800 " + "A" * 10**6)
