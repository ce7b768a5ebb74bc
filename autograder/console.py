"""What commands print."""

from rich.console import Console


def say(line: str) -> None:
    """Print a line as it is, without markup, colours or breaks of our own."""
    Console().print(line, markup=False, highlight=False, soft_wrap=True)


def printable(name: str) -> str:
    """An arbitrary name, on one line of a terminal."""
    return name if name.isprintable() else ascii(name)
