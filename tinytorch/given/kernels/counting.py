"""What the compiler makes of a kernel, in figures; where there is no compiler, a line says so."""

import re

from tinytorch.given.kernels import compiling

__all__ = []

TARGET = 9, 0  # an H100's
LABEL, JUMP = re.compile(r"(\$L\S+):"), re.compile(r"bra(?:\.uni)?\s+(\$L\w+);")
INSTRUCTION = re.compile(r"\t(?:@\S+\s+)?[a-z][\w.:]*\s")


def compiled(kernel, *arguments):
    """What `compiler.compiled` finds in a kernel's code, and its "ptx"; None without a compiler."""
    parts, _ = compiling.graph(kernel)
    arguments = tuple(compiling.sample(getattr(each, "device", each)) for each in arguments)
    try:
        found = compiling.ask({"graph": parts, "arguments": arguments, "target": TARGET, "text": True})
    except compiling.NoCompiler as error:
        print(f"not compiled: {error}")
        return None
    if "error" in found:
        print(f"{kernel.py_func.__name__} does not compile: its tests say why")
        return None
    return found


def instructions_for(kernel, *arguments, rounds=1):
    """Instructions of PTX for each multiply-add in the main loop, whose inner one takes so many rounds."""
    found = compiled(kernel, *arguments)
    if found is None:
        return None
    lines = found["ptx"].splitlines()
    starts = {label[1]: number for number, line in enumerate(lines) if (label := LABEL.match(line))}
    jumps = [(starts.get(jump[1]), end) for end, line in enumerate(lines) if (jump := JUMP.search(line))]
    loops = [lines[start:end] for start, end in jumps if start is not None and start < end]
    work, size, main = max((products(loop), len(loop), loop) for loop in loops)
    inner = [loop for loop in loops if products(loop) == work and len(loop) < size]
    again = (rounds - 1) * instructions(inner[0]) if inner else 0
    return (instructions(main) + again) / (work * (rounds if inner else 1))


def products(lines):
    return sum("fma.rn.f32" in line for line in lines)


def instructions(lines):
    return sum(bool(INSTRUCTION.match(line)) for line in lines)
