"""What the compiler makes of the kernels of module 17b, and what that allows on paper: `make kernels`, on any machine.

numba-cuda and NVVM compile each kernel for two devices; ptxas and nvdisasm, where they are installed, say which registers, memory
and instructions that takes. Nothing is run. The table goes to benchmarks/results/kernels.md.

On paper a multiprocessor is busy for as long as the slowest of its parts: it issues an instruction of a warp with each of its
schedulers in a cycle, its load and store units take the addresses of 32 threads, its float32 units as many numbers as there are.
Memory gives what its bandwidth is, each number read or written once. Waiting is not counted, nor what caches add.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import record

ROOT = Path(__file__).parents[1]
INSTALL = "uv pip install --constraint requirements.lock --group kernels"
WARP = 32


@dataclass(frozen=True)
class Device:
    """What a GPU has, from NVIDIA's papers: the architecture's, and the table of compute capabilities of the CUDA programming guide."""

    name: str
    capability: tuple[int, int]
    processors: int  # streaming multiprocessors; of each of them:
    float32_lanes: int
    load_store_units: int
    schedulers: int
    threads: int
    blocks: int
    registers: int
    register_unit: int  # registers are given to a warp in such portions
    shared_bytes: int
    shared_reserved: int  # bytes of shared memory that a block takes beside its own
    shared_unit: int
    flops: float  # float32, without tensor cores; a multiply-add is two
    bandwidth: float  # bytes in a second

    @property
    def cycles(self) -> float:
        """Cycles in a second, at which the float32 units reach what the device is sold with."""
        return self.flops / (2 * self.float32_lanes * self.processors)


# "NVIDIA A100 Tensor Core GPU Architecture" (2020) and the data sheet of the A100 SXM with 80 GB; "NVIDIA H100 Tensor Core GPU
# Architecture" (2022) and the data sheet of the H100 SXM; registers, threads, blocks and shared memory: CUDA C++ Programming Guide,
# "Compute Capabilities", 8.0 and 9.0.
DEVICES = (
    Device("A100", (8, 0), 108, 64, 32, 4, 2048, 32, 65536, 256, 164 << 10, 1 << 10, 128, 19.5e12, 2.039e12),
    Device("H100", (9, 0), 132, 128, 32, 4, 2048, 32, 65536, 256, 228 << 10, 1 << 10, 128, 67e12, 3.35e12),
)


@dataclass(frozen=True)
class Row:
    """A kernel, and what is counted in its loops.

    Every innermost loop with an instruction of `kinds` is a pass over the data; of loops that were unrolled the long one counts.
    """

    name: str  # in tinytorch/given/kernels/signatures.py
    threads: int  # of a block, as launchers have it
    kinds: tuple[
        str, ...
    ]  # global loads "LDG", global stores "STG", multiply-adds "FFMA", exponentials "MUFU"
    units: float  # elements, or multiply-adds, to one of these
    unit: str = "element"
    bytes: float = 0  # from and to memory for a unit, where each number is moved once


def rows(kernels, queries: int) -> list[Row]:
    """The kernels that are listed: those that the lesson's learner writes, and what is made of them."""
    tile = kernels.TILE**2
    found = [
        Row("map", kernels.THREADS, ("STG",), 1, bytes=8),
        Row("zip", kernels.THREADS, ("STG",), 1, bytes=12),
        Row("zip in two dimensions", kernels.THREADS, ("STG",), 1, bytes=12),
        Row("reduce", kernels.THREADS, ("LDG",), 1, bytes=4),
        *(Row(f"matmul_{name}", tile, ("FFMA",), 1, "multiply-add") for name in ("naive", "tiled", "registers")),
        Row("transpose", 256, ("LDG", "STG"), 1, bytes=8),
        Row("softmax", kernels.THREADS, ("LDG",), 1, bytes=8),
        *(
            Row(f"attention, heads of {size}", queries, ("MUFU",), size, "multiply-add")  # two to a key, of 2 x size
            for size in (16, 32, 64)
        ),
        Row("adamw", kernels.THREADS, ("STG",), 1 / 3, bytes=28),
    ]  # fmt: skip
    return found


# An instruction of a device, and the one of PTX that becomes it.
IN_PTX = {
    "LDG": "ld.global",
    "STG": "st.global",
    "FFMA": "fma.rn",
    "MUFU": "ex2.approx",
    "LDS": "ld.shared",
    "STS": "st.shared",
}
MEMORY = ("LDG", "STG", "LDS", "STS", "LDL", "STL", "LD.", "ST.")


@dataclass(frozen=True)
class Code:
    """The instructions of a kernel, and where its labels stand."""

    lines: Sequence[str]
    labels: dict[str, int]

    @classmethod
    def of_device(cls, text: str) -> "Code":
        """What nvdisasm says."""
        return cls.read(text, r"(\.L_\w+):", r"\s+/\*[0-9a-f]+\*/\s+(?:@!?\w+\s+)?(.*?)\s*;")

    @classmethod
    def of_ptx(cls, text: str) -> "Code":
        return cls.read(text, r"(\$L\w+):", r"\t(?:@!?%\w+\s+)?([a-z][^;]*);")

    @classmethod
    def read(cls, text: str, label: str, instruction: str) -> "Code":
        lines, labels = [], {}
        for line in text.splitlines():
            if found := re.match(label, line):
                labels[found[1]] = len(lines)
            elif (found := re.match(instruction, line)) and not found[1].startswith("NOP"):
                lines.append(found[1])
        return cls(lines, labels)

    def loops(self) -> list[Sequence[str]]:
        """The instructions of each loop that holds no other."""
        found = []
        for number, line in enumerate(self.lines):
            jump = re.match(r"(?:BRA|bra).*?([.$]L\w+)", line)
            if jump and self.labels.get(jump[1], number + 1) <= number:
                found.append((self.labels[jump[1]], number + 1))
        inner = [
            one
            for one in found
            if not any(one != other and one[0] <= other[0] and other[1] <= one[1] for other in found)
        ]
        return [self.lines[start:end] for start, end in inner if end - start > 1]

    def passes(self, kinds: Sequence[str]) -> list[tuple[Sequence[str], int]]:
        """The loops that go over the data, each with how many of these instructions it has."""
        names = [*kinds, *(IN_PTX[kind] for kind in kinds)]
        best = {}
        for loop in self.loops():
            count = sum(line.startswith(tuple(names)) for line in loop)
            alike = frozenset(
                name for name in (*IN_PTX, *IN_PTX.values()) if any(line.startswith(name) for line in loop)
            )
            if count and (count, len(loop)) > best.get(alike, ((0, 0),))[0]:
                best[alike] = (count, len(loop)), loop
        return [(loop, count) for (count, _), loop in best.values()]


@dataclass(frozen=True)
class Compiled:
    """A kernel as a device has it; what only ptxas knows is None where there is none."""

    row: Row
    device: Device
    code: Code
    shared: int
    local: int
    registers: int | None = None

    @property
    def instructions(self) -> float:
        """Instructions to a unit."""
        return sum(len(loop) / (count * self.row.units) for loop, count in self.code.passes(self.row.kinds))

    @property
    def occupancy(self) -> float:
        """Warps that are on a multiprocessor together, of those that may be."""
        device, warps = self.device, -(-self.row.threads // WARP)
        portion = up(self.registers * WARP, device.register_unit)
        room = device.shared_bytes // (up(self.shared, device.shared_unit) + device.shared_reserved)
        most = device.threads // WARP
        blocks = min(device.registers // portion // warps, room, device.blocks, most // warps)
        return blocks * warps / most

    def paper(self) -> tuple[float, str]:
        """Units in a second, at most, and what decides that."""
        device, work = self.device, Counter()
        for loop, count in self.code.passes(self.row.kinds):
            units = count * self.row.units * WARP  # in a round of a warp
            work["instructions"] += len(loop) / units / device.schedulers
            work["loads and stores"] += sum(map(turns, loop)) * WARP / units / device.load_store_units
            adds = sum(line.startswith(("FFMA", "FADD", "FMUL")) for line in loop)
            work["arithmetic"] += adds * WARP / units / device.float32_lanes
        most = {part: device.processors * device.cycles / cycles for part, cycles in work.items() if cycles}
        if self.row.bytes:
            most["bandwidth"] = device.bandwidth / self.row.bytes
        bound = min(most, key=most.get)
        return most[bound], bound

    @property
    def share(self) -> float:
        """What that is of the device's bandwidth, or of its arithmetic where the kernel's bytes are not counted."""
        rate, _ = self.paper()
        return (
            rate * self.row.bytes / self.device.bandwidth if self.row.bytes else 2 * rate / self.device.flops
        )


def up(number: int, unit: int) -> int:
    """The next multiple of a unit."""
    return -(-number // unit) * unit


def turns(line: str) -> int:
    """How often the load and store units are asked by an instruction, at least: more than once for wide words of memory.

    Wide words of shared memory may be the same for many lanes, as in a product's tile, and then come at once.
    """
    if not line.startswith(MEMORY):
        return 0
    if line.startswith(("LDS", "STS")):
        return 1
    name = line.split()[0]  # in an address `.64` means something else
    return 4 if ".128" in name else 2 if ".64" in name else 1


def tool(name: str) -> Path | None:
    """A program of NVIDIA's, where its package or CUDA's toolkit is installed."""
    spec = importlib.util.find_spec("nvidia")
    found = [Path(place, "cu13", "bin", name) for place in (spec.submodule_search_locations if spec else ())]
    found += map(Path, filter(None, [shutil.which(name)]))
    return next(filter(Path.exists, found), None)


def compiled(row: Row, device: Device) -> Compiled:
    """Compile a kernel, by ptxas too where there is one."""
    from numba import cuda

    from tinytorch.given.kernels.signatures import SIGNATURES, types_of

    make, letters = SIGNATURES[row.name]
    ptx, _ = cuda.compile_ptx(make().py_func, types_of(letters), cc=device.capability)
    shared, local = (
        sum(map(int, re.findall(rf"\.{place}\b.*?\[(\d+)\]", ptx))) for place in ("shared", "local")
    )
    if not (tool("ptxas") and tool("nvdisasm")):
        return Compiled(row, device, Code.of_ptx(ptx), shared, local)
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx, encoding="utf-8")
        arch = "sm_{}{}".format(*device.capability)
        said = output(tool("ptxas"), "-v", f"-arch={arch}", source, "-o", made)
        code = Code.of_device(output(tool("nvdisasm"), "-c", made))
    registers, frame, spilled = (
        int(re.search(pattern, said)[1])
        for pattern in (r"Used (\d+) registers", r"(\d+) bytes stack frame", r"(\d+) bytes spill stores")
    )
    own = re.search(r"(\d+) bytes smem", said)
    return Compiled(row, device, code, int(own[1]) if own else 0, frame + spilled, registers)


def output(program: Path, *arguments: object) -> str:
    """What a program prints."""
    ran = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    return ran.stdout + ran.stderr


def every(row_names: Sequence[str] = ()) -> Iterator[Compiled]:
    """The kernels for each device, or those of these names."""
    from unittest import mock

    from tinytorch import kernels
    from tinytorch.given.kernels.rows import QUERIES

    for device in DEVICES:
        at_hand = mock.Mock(compute_capability=device.capability)  # for device functions
        with mock.patch("numba.cuda.dispatcher.get_current_device", return_value=at_hand):
            for row in rows(kernels, QUERIES):
                if not row_names or row.name in row_names:
                    yield compiled(row, device)


HEADS = (
    "kernel",
    "threads",
    "registers",
    "shared",
    "local",
    "occupancy",
    "instructions",
    "on paper",
    "decided by",
)


def cells(found: Compiled) -> list[str]:
    """A line of the table."""
    row, begin = found.row, [found.row.name, str(found.row.threads)]
    instructions = f"{found.instructions:.3g} per {row.unit}"
    memory = [f"{found.shared:,} B", f"{found.local:,} B"]
    if found.registers is None:
        return [*begin, *memory, instructions]
    rate, bound = found.paper()
    if row.bytes:
        paper = f"{rate * row.bytes / 1e9:,.0f} GB/s, {found.share:.0%}"
    else:
        paper = f"{2 * rate / 1e12:.1f} Tflop/s, {found.share:.0%}"
    return [*begin, str(found.registers), *memory, f"{found.occupancy:.0%}", instructions, paper, bound]


def table(found: Sequence[Compiled]) -> str:
    """Kernels for one device."""
    complete = all(one.registers is not None for one in found)
    heads = HEADS if complete else (*HEADS[:2], *HEADS[3:5], "PTX instructions")
    return record.table(heads, map(cells, found))


def report(found: Sequence[Compiled]) -> list[str]:
    """The parts of the file of results."""
    parts = [
        "# What the compiler makes of the kernels",
        "Made by `make kernels`, which writes this file and says in benchmarks/kernels.py how it counts.\n"
        "Nothing was run: the last columns are what a device's parts allow on paper, as a share of its bandwidth or "
        "of its float32 arithmetic.",
    ]
    if any(one.registers is None for one in found):
        parts.append(
            f"ptxas and nvdisasm are not installed, so this is PTX alone: `{INSTALL}` installs them."
        )
    for device in DEVICES:
        parts.append("## {}, sm_{}{}".format(device.name, *device.capability))
        parts.append(table([one for one in found if one.device == device]))
    return parts


def main() -> int:
    os.environ["NUMBA_ENABLE_CUDASIM"] = "0"  # kernels are a device's here, and never run
    missing = [name for name in ("numba_cuda", "nvidia") if not importlib.util.find_spec(name)]
    if missing:
        print("kernels are compiled by numba-cuda and nvidia-nvvm, which are not installed here")
        return 2
    parts = report(list(every()))
    if tool("ptxas") and tool("nvdisasm"):  # what PTX alone says does not take the place of more
        record.write("kernels", *parts)
    print(*parts, sep="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
