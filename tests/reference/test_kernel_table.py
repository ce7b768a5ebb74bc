"""`make kernels`: how loops are found and counted, occupancy and the roofline by hand, and the table against what is compiled."""

import json
import os
import subprocess
import sys

import pytest

from benchmarks import kernels as table
from benchmarks import record
from tinytorch.given.kernels import compiling

A100, H100 = table.DEVICES
compiles = pytest.mark.skipif(
    bool(compiling.missing()), reason=compiling.missing() or "kernels are compiled here"
)
SASS = """
.text.kernel:
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   IADD3 R2, R2, 0x1, RZ ;
.L_x_2:
        /*0020*/                   LDG.E R4, [R2.64] ;
        /*0030*/                   LDS.128 R8, [R5] ;
        /*0040*/                   FFMA R4, R4, R4, R5 ;
        /*0050*/                   FFMA R6, R4, R4, R5 ;
        /*0060*/              @!P1 FFMA R7, R4, R4, R5 ;
        /*0070*/                   NOP ;
        /*0080*/               @P0 BRA `(.L_x_2) ;
        /*0090*/                   FFMA R6, R4, R4, R5 ;
        /*00a0*/               @P1 BRA `(.L_x_1) ;
.L_x_3:
        /*00b0*/                   LDG.E R4, [R2.64] ;
        /*00c0*/                   LDS.128 R8, [R5] ;
        /*00d0*/                   FFMA R4, R4, R4, R5 ;
        /*00e0*/               @P0 BRA `(.L_x_3) ;
.L_x_4:
        /*00f0*/                   BRA `(.L_x_4) ;
"""


def row(threads=256, kinds=("FFMA",), units=1, **others):
    return table.Row("one", threads, kinds, units, **others)


def test_the_hot_loop_holds_no_other_and_is_the_unrolled_one():
    code = table.Code.of_device(SASS)
    assert [len(loop) for loop in code.loops()] == [6, 4]
    ((loop, count),) = code.passes(["FFMA"])
    assert (len(loop), count) == (6, 3)
    assert code.passes(["STG"]) == []


def test_loops_of_ptx_are_found_alike():
    ptx = (
        "$L__BB0_1:\n\tadd.s64 %rd1, %rd1, 1;\n\tld.global.f32 %f1, [%rd1];\n\tfma.rn.f32 %f1, %f1, %f1, %f2;\n"
        "\t@%p1 bra $L__BB0_1;\n\tret;\n"
    )
    ((loop, count),) = table.Code.of_ptx(ptx).passes(["FFMA"])
    assert (len(loop), count) == (4, 1)


@pytest.mark.parametrize(
    "threads, registers, shared, device, wanted",
    [
        (256, 32, 0, A100, 1),  # 65,536 registers are 64 warps of 32 x 32
        (256, 40, 0, A100, 6 / 8),  # a warp takes 1,280: 51 warps are 6 blocks of 8
        (256, 64, 0, H100, 0.5),
        (256, 38, 0, H100, 6 / 8),  # in portions of 256 registers, 38 x 32 is 1,280 too
        (64, 32, 0, A100, 1),  # 32 blocks of 2 warps
        (32, 32, 0, A100, 0.5),  # 32 blocks are the most, of one warp each
        (256, 32, 48 << 10, A100, 3 * 8 / 64),  # 164 KB holds 3 times 49
        (1024, 64, 0, A100, 0.5),
    ],
)
def test_occupancy_by_hand(threads, registers, shared, device, wanted):
    found = table.Compiled(row(threads), device, table.Code((), {}), shared, 0, registers)
    assert found.occupancy == wanted


def test_the_roofline_by_hand():
    code = table.Code.of_device(SASS)  # 6 instructions, 3 multiply-adds, 1 + 1 turns to load and store
    found = table.Compiled(row(), H100, code, 0, 0, 32)
    assert found.instructions == 2
    per_second, bound = found.paper()
    assert bound == "loads and stores"
    assert per_second == pytest.approx(132 * H100.cycles * 3 * 32 / 2)
    wide = {
        "LDG.E.128 R8, [R5]": 4,
        "STG.E.64 [R2.64], R4": 2,
        "LDS.128 R8, [R5]": 1,
        "FFMA R4, R4, R4, R5": 0,
    }
    assert {line: table.turns(line) for line in wide} == wide
    assert H100.cycles == pytest.approx(1.98e9, rel=0.01), "an H100 is sold with 1,980 MHz"
    assert A100.cycles == pytest.approx(1.41e9, rel=0.01), "and an A100 with 1,410"
    slow = table.Compiled(row(bytes=1000.0), H100, code, 0, 0, 32)
    assert slow.paper() == (pytest.approx(3.35e9), "bandwidth")


ASK = """
import json, os
os.environ["NUMBA_ENABLE_CUDASIM"] = "0"
from benchmarks import kernels as table
if {without}:
    table.tool = lambda name: None
found = list(table.every({names}))
print(json.dumps([[one.row.name, one.device.name, one.instructions, one.shared, one.local, one.registers] for one in found]))
"""


def asked(names=(), without=False):
    """What is found of kernels, in a process in which they are a device's."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-P", "-c", ASK.format(names=tuple(names), without=without)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@compiles
def test_what_ptx_says_of_kernels():
    found = {
        (name, device): rest for name, device, *rest in asked(["map", "matmul_tiled", "adamw"], without=True)
    }
    assert len(found) == 6
    for (name, _), (instructions, shared, local, registers) in found.items():
        assert (shared, local, registers) == (2048 if name == "matmul_tiled" else 0, 0, None)
        assert 1 < instructions < 400
    assert found["matmul_tiled", "H100"][0] < 20, "a multiply-add, of which 16 stand one behind the other"


@pytest.mark.skipif(not (table.tool("ptxas") and table.tool("nvdisasm")), reason=f"{table.INSTALL}")
def test_the_table_is_what_is_compiled_now():
    ran = subprocess.run(
        [sys.executable, "-P", "-c", "import os; os.environ['NUMBA_ENABLE_CUDASIM'] = '0'\n"
         "from benchmarks import kernels as k; print(*k.report(list(k.every())), sep='\\n\\n')"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout == (record.FOLDER / "kernels.md").read_text(encoding="utf-8"), "make kernels"
