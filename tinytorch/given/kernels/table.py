"""Which kernel computes what: launchers by the names of NumPy's functions, and a refusal for the rest."""

__all__ = ["bind", "bound", "kernels", "launched"]

kernels = {}  # NumPy's name of a function -> the launcher of a kernel
launched = {}  # how often each has been called


def bind(name, launcher):
    """Let a launcher compute what NumPy calls `name`: "add", "add.reduce", "matmul", "where", ...

    It is called with flat device buffers, shapes and strides as tuples of ints, and offsets, in elements; see
    `map_kernel`, `zip_kernel` and their like.
    """
    kernels[name] = launcher


def bound(name):
    """The launcher for NumPy's function; NotImplementedError, with its name, where none has been bound."""
    if name not in kernels:
        raise NotImplementedError(
            f"CudaArray has no kernel for {name}, and computes nothing on the host in silence: "
            f"bind one with bind({name!r}, launcher), or take the tensor to the host with .cpu()"
        )
    launched[name] = launched.get(name, 0) + 1
    return kernels[name]
