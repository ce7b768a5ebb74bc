# Raises an error that says it is no error, in many ways.
# scale: failing
class Failure(BaseException):
    def __str__(self):
        raise self

    __repr__ = __str__
    __class__ = property(lambda self: 1 / 0)
    __traceback__ = None
    __bool__ = lambda self: False


Failure.__name__ = "<script>alert(1)</script>" * 100


class Scale:
    def __init__(self, factor):
        raise Failure
