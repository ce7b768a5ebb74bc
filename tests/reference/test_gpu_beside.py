"""What is done where there is a GPU, with stand-ins for its driver and, for the device itself, numba's simulator."""

import ctypes
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from autograder import check, gpu
from autograder.course import load
from tinytorch.given.kernels import compiler, compiling, device, measuring, trying
from tinytorch.given.kernels.simulator import SIMULATED, cuda
from tinytorch.given.kernels.trying import Buffer, run, where_kernels_run

pytestmark = pytest.mark.skipif(not SIMULATED, reason="stand-ins, where there is no GPU")


class Driver:
    """As much of libcuda as is asked."""

    def __init__(self, gpus=1, version=13050, starts=True):
        self.gpus, self.version, self.starts = gpus, version, starts

    def cuInit(self, flags):
        return 0 if self.starts else 100

    def cuDeviceGetCount(self, count):
        count._obj.value = self.gpus
        return 0

    def cuDriverGetVersion(self, version):
        version._obj.value = self.version
        return 0


@pytest.fixture
def at_hand(monkeypatch, tmp_path):
    """Let there be a driver, and say what a launch ends with."""
    monkeypatch.delenv("NUMBA_ENABLE_CUDASIM", raising=False)
    monkeypatch.setattr(device, "KEPT", tmp_path / "build" / "device.json")
    launches = []

    def put(driver, ends=""):
        def ran(*command, **options):
            launches.append(options["env"]["NUMBA_ENABLE_CUDASIM"])
            return SimpleNamespace(returncode=int(bool(ends)), stderr=ends)

        monkeypatch.setattr(ctypes, "CDLL", lambda name: driver)
        monkeypatch.setattr(device.subprocess, "run", ran)
        return launches

    return put


def test_a_gpu_is_one_on_which_a_kernel_has_run(at_hand):
    launches = at_hand(Driver())
    assert device.has_device()
    assert (device.driver(), device.failure(), launches) == (13050, "", ["0"])
    assert device.has_device_beside()
    assert launches == ["0"], "what it said is kept"


@pytest.mark.parametrize("driver", [Driver(gpus=0), Driver(starts=False)])
def test_a_driver_without_a_gpu_is_not_asked_to_launch(at_hand, driver):
    launches = at_hand(driver)
    assert (device.has_device(), device.driver(), device.failure(), launches) == (False, 0, "", [])


@pytest.mark.parametrize(
    "ends, why",
    [
        ("cuda.core.CUDAError: CUDA_ERROR_UNSUPPORTED_PTX_VERSION: the provided PTX ...", "its driver is older than the compiler"),
        ("CudaAPIError: [35] Call to cuInit results in CUDA_ERROR_INSUFFICIENT_DRIVER", "its driver is too old"),
        ("nvJitLinkError: ERROR_OUTDATED_LIBRARY (14)\nnvJitLink error log: ... may need newer version of nvJitLink library", "nvJitLink is older than the compiler"),
        ("ModuleNotFoundError: No module named 'numba'", "what compiles kernels is not installed: `make gpu`"),
        ("Traceback ...\nAssertionError: a kernel gave wrong numbers", "AssertionError: a kernel gave wrong numbers"),
    ],
)  # fmt: skip
def test_why_a_gpu_runs_no_kernel_is_told_in_a_sentence_and_the_simulator_goes_on(at_hand, ends, why):
    launches = at_hand(Driver(version=12080), ends)
    assert not device.has_device()
    assert device.failure().startswith(why)
    assert len(launches) == 1
    assert f"the GPU here runs none: {why}" in where_kernels_run()
    compiling.why.clear()
    assert compiling.remark().startswith(f"Kernels ran in the simulator, for the GPU here runs none: {why}")
    assert measuring.on_gpu().startswith(f"There is a GPU here, and no kernel runs on it: {why}")


def test_another_driver_is_tried_anew(at_hand):
    at_hand(Driver(version=12080), "CUDA_ERROR_UNSUPPORTED_PTX_VERSION")
    assert not device.has_device()
    launches = at_hand(Driver(version=13050))
    assert device.has_device()
    assert len(launches) == 2


def test_the_launch_that_is_tried_is_right_and_says_what_is_missing_here(monkeypatch):
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
    subprocess.run([sys.executable, "-P", "-c", device.LAUNCH], env=environment, check=True)
    if not device.driver():
        assert device.launched(), "here it fails, for there is no driver"


def test_the_environment_decides_where_it_says_something(at_hand, monkeypatch):
    at_hand(Driver())
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    assert not device.has_device()
    assert device.has_device_beside(), "a lesson's tests run in the simulator, and on the GPU beside it"
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "0")
    assert device.has_device()
    assert not device.has_device_beside()


@cuda.jit(device=True)
def twice(x):
    return x + x


@cuda.jit
def doubling(out, x, size):
    for i in range(cuda.grid(1), size, cuda.gridsize(1)):
        out[i] = twice(x[i])


LAUNCHED = """
import json, os, pickle, sys
os.environ["NUMBA_ENABLE_CUDASIM"] = "1"  # in place of a device
from tinytorch.given.kernels import compiler
print(json.dumps(compiler.compiled(pickle.load(sys.stdin.buffer))))
"""


def launched_by_stand_in(question):
    """What the compiler's program says, where numba's simulator is its device."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ran = subprocess.run(
        [sys.executable, "-P", "-c", LAUNCHED], input=compiler.pickle.dumps(question), env=environment, capture_output=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr.decode()
    return json.loads(ran.stdout)


def test_a_kernel_runs_on_the_gpu_beside_the_simulator_and_both_give_the_same(at_hand, monkeypatch):
    at_hand(Driver())
    asked = []

    def ask(question):
        asked.append(question)
        return launched_by_stand_in(question) if "launch" in question else {"float64": [], "local bytes": 0}

    monkeypatch.setattr(device, "failure", lambda: "")
    monkeypatch.setattr(device, "driver", lambda: 13050)
    monkeypatch.setattr(compiling, "ask", ask)
    monkeypatch.setattr(compiling, "ROOT", device.KEPT.parent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device.subprocess, "run", REAL)
        x, out = Buffer(np.arange(40, dtype=np.float32), margin=0), Buffer.empty(40, margin=0)
        run(doubling, 2, 8, out, x, 40, compiled=True)
    assert [("launch" in each) for each in asked] == [False, True]
    np.testing.assert_array_equal(out.result(), 2 * np.arange(40))
    before = asked[1]["arguments"][0][:40]  # as it was before the simulator wrote to it
    np.testing.assert_array_equal(before, 99)
    with pytest.raises(
        AssertionError, match="array 0 of the kernel's arguments, on the GPU and in the simulator"
    ):
        trying.compare([np.zeros(41), np.zeros(41)], [out.device, x.device])


REAL = subprocess.run


def test_times_are_shown_beside_what_a_device_is_built_for():
    rows = [("a copy on the device", 1e-3, 2e9, 0), ("matrix product", 1e-3, 1e6, 30e9)]
    lines = measuring.table("A GPU", rows, 4e12, 60e12).splitlines()
    assert lines[0] == "A GPU: 4,000 GB/s and 60.0 Tflop/s on paper"
    assert lines[2].split() == ["a", "copy", "on", "the", "device", "1,000.0", "us", "2,000", "0.00", "50%"]
    assert lines[3].split() == ["matrix", "product", "1,000.0", "us", "1", "30.00", "50%"]


def test_what_a_device_can_do_is_read_from_it():
    h100 = SimpleNamespace(
        compute_capability=(9, 0), CLOCK_RATE=1_980_000, MEMORY_CLOCK_RATE=2_619_000,
        GLOBAL_MEMORY_BUS_WIDTH=5120, MULTIPROCESSOR_COUNT=132,
    )  # fmt: skip
    bandwidth, operations = measuring.peaks(h100)
    assert bandwidth == pytest.approx(3.35e12, rel=0.01), "what NVIDIA's data sheet says"
    assert operations == pytest.approx(67e12, rel=0.01)


@pytest.mark.slow
def test_every_row_of_the_times_launches_what_it_says():
    """In the simulator, whose events take no time that means anything."""
    found = measuring.rows(numbers=256, side=16)
    assert [name for name, *_ in found][:2] == ["a copy on the device", "a launch of nothing"]
    assert len(found) == 15
    assert all(time > 0 for _, time, _, _ in found)


def test_the_lessons_tests_run_in_the_simulator_on_a_machine_with_a_gpu_too(monkeypatch):
    monkeypatch.delenv("NUMBA_ENABLE_CUDASIM", raising=False)
    course = load()
    assert check.simulating(course.find("17b")) == {"NUMBA_ENABLE_CUDASIM": "1"}
    assert check.simulating(course.find("3")) == {}
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "0")
    assert check.simulating(course.find("17b")) == {"NUMBA_ENABLE_CUDASIM": "0"}


def test_without_a_gpu_its_tests_say_so_and_name_a_command_that_is_there(capsys, monkeypatch):
    monkeypatch.delenv("NUMBA_ENABLE_CUDASIM", raising=False)
    assert gpu.run() == 0
    assert capsys.readouterr().out == (
        "There is no GPU here. `make test-module 17b` runs the kernels in numba's simulator, and compiles them.\n"
    )


def test_on_a_gpu_the_tests_run_with_the_device_and_times_follow(monkeypatch):
    ran = []

    def fake(command, env, **options):
        ran.append((command, env.get("NUMBA_ENABLE_CUDASIM")))
        return SimpleNamespace(stdout="13050\n\n", returncode=0)

    monkeypatch.delenv("NUMBA_ENABLE_CUDASIM", raising=False)
    monkeypatch.setattr(gpu.subprocess, "run", fake)
    monkeypatch.setattr(gpu, "framework", lambda module: module.root)
    assert gpu.run() == 0
    (_, first), *others = ran
    assert first is None, "whether there is a GPU is asked without a word of ours"
    assert {asked for _, asked in others} == {"0"}
    assert others[0][0][-1] == "modules/17b_kernels/test_kernels.py"
    assert others[-1][0][-1] == "tinytorch.given.kernels.measuring"
