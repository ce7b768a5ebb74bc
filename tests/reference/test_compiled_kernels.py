"""Kernels that a test compiles: what is refused, at which line and in which words, and what passes; warp shuffles in the simulator."""

import importlib.util
import inspect
import textwrap

import numpy as np
import pytest

from autograder import testrunner
from tinytorch import kernels
from tinytorch.given.kernels import compiler, compiling, refusals
from tinytorch.given.kernels.simulator import SIMULATED, KernelError, cuda
from tinytorch.given.kernels.trying import Buffer, run, where_kernels_run

compiles = pytest.mark.skipif(
    bool(compiling.missing()), reason=compiling.missing() or "kernels are compiled here"
)
simulated = pytest.mark.skipif(not SIMULATED, reason="the simulator's own checks")

# A kernel's body over (out, x, size), the line that is refused, and words of the sentence.
DO_NOT_COMPILE = {
    "a result that is returned": ("out[0] = x[0]\nreturn out", "return out", "a kernel returns nothing"),
    "np.unravel_index": ("at = np.unravel_index(size, (2, 9))\nout[0] = x[at[0]]", "at = np", "no np.unravel_index"),
    "np.sqrt": ("out[0] = np.sqrt(x[0])", "out[0] = np", "no np.sqrt: `math` has"),
    "np.exp": ("value = x[0]\nout[0] = np.exp(value)", "out[0] = np", "no np.exp: `math` has"),
    "sum of a generator": ("out[0] = sum((x[i] for i in range(size)), np.float32(0))", "out[0] = sum", "no generators"),
    "max of a generator": ("largest = max(x[i] for i in range(size))\nout[0] = largest", "largest =", "no generators"),
    "a list": ("found = []\nfound.append(x[0])\nout[0] = found[0]", "found.append", "no lists"),
    "a list that is written out": ("found = [x[0], x[1]]\nout[0] = found[size - 1]", "found =", "no lists"),
    "None, and then a number": (
        "total = None\nfor i in range(size):\n    total = x[i] if total is None else total + x[i]\nout[0] = total",
        "total = x[i]",
        "a variable keeps its type",
    ),
    "a slice": (
        "mixed = cuda.local.array(4, np.float32)\nfor i in range(4):\n    mixed[i] = x[i]\n"
        "mixed[:size] = mixed[:size] * x[0]\nout[0] = mixed[0]",
        "mixed[:size]",
        "no arithmetic with slices",
    ),
    "a whole array": (
        "mixed = cuda.local.array(4, np.float32)\nfor i in range(4):\n    mixed[i] = x[i]\nmixed *= x[0]\nout[0] = mixed[0]",
        "mixed *=",
        "a thread computes with one number at a time",
    ),
    "a shape that is known when the kernel runs": (
        "shared = cuda.shared.array(cuda.blockDim.x, np.float32)\nshared[0] = x[0]\nout[0] = shared[0]",
        "shared = ",
        "the shape in cuda.shared.array is known before the kernel runs",
    ),
    "an ordinary function": ("out[0] = ordinary(x[0])", "out[0] =", "ordinary is an ordinary function"),
    "new memory": ("found = np.zeros(3, np.float32)\nout[0] = found[0]", "found =", "cannot ask for memory"),
    "a dictionary": ("found = {}\nfound[1] = x[0]\nout[0] = found[1]", "found[1] =", "no dictionaries"),
}  # fmt: skip
FLOAT64 = {
    "math.pow": ("out[0] = math.pow(x[0], 2)", "out[0] ="),
    "max with an integer": ("out[0] = math.sqrt(max(x[0], 0))", "out[0] ="),
    "a float that is cut off": ("place = int(size * 1.0)\nout[0] = x[place - size]", "place ="),
    "a quotient that is cut off": ("place = int(size / 3)\nout[0] = x[place]", "place ="),
    "a half that is cut off": (
        "half = size\nwhile half > 0:\n    out[half] = x[half]\n    half = int(half / 2)\nout[0] = x[0]",
        "half = int",
    ),
    "1.0 in front of a sum": (
        "state = cuda.local.array(2, np.float32)\nstate[1] = x[0]\nfor i in range(size):\n"
        "    state[1] = 1.0 * state[1] * x[0] + x[i]\nout[0] = state[1]",
        "state[1] = 1.0",
    ),
}


def ordinary(x):
    return x


def kernel_of(body, folder):
    """A kernel of this body, in a file of its own, whose lines can be shown."""
    lines = "\n".join(textwrap.indent(body, "    ").splitlines())
    path = folder / "written.py"
    path.write_text(
        f"import math\nimport numpy as np\nfrom numba import cuda\n\ndef ordinary(x):\n    return x\n\n"
        "@cuda.jit(device=True)\ndef fill(mine, x):\n    for i in range(64):\n        mine[i] = x[i]\n\n"
        f"@cuda.jit\ndef kernel(out, x, size):\n{lines}\n"
    )
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def refused(kernel):
    """The sentence with which a kernel is refused, and the line of Python that it is raised from."""
    x = Buffer(np.arange(1, 9, dtype=np.float32), margin=0)
    with pytest.raises(KernelError) as raised:
        refusals.refuse(*compiling.reply(kernel, [x.device, x.device, 5]), local=True)
    frame = raised.traceback[-1]
    return str(raised.value), str(frame.statement).strip() if frame.path.name == "written.py" else ""


@compiles
@pytest.mark.parametrize("body, line, words", DO_NOT_COMPILE.values(), ids=DO_NOT_COMPILE)
def test_what_does_not_compile_is_refused_at_its_line(body, line, words, tmp_path):
    said, where = refused(kernel_of(body, tmp_path))
    assert said.startswith("it does not compile for a device: ")
    assert words in said
    assert where.startswith(line)


@compiles
@pytest.mark.parametrize("body, line", FLOAT64.values(), ids=FLOAT64)
def test_float64_is_refused_at_its_line(body, line, tmp_path):
    said, where = refused(kernel_of(body, tmp_path))
    assert "instructions are in float64 once it is compiled" in said
    assert where.startswith(line)


@compiles
@pytest.mark.parametrize("fills", ["for i in range(size):\n    mine[i] = x[i]", "fill(mine, x)"])
def test_local_memory_is_refused_where_it_is_not_allowed(fills, tmp_path):
    kernel = kernel_of(
        f"mine = cuda.local.array(64, np.float32)\n{fills}\nout[0] = mine[int(x[0])]", tmp_path
    )
    x = Buffer(np.ones(8, np.float32), margin=0)
    reply, functions = compiling.reply(kernel, [x.device, x.device, 5])
    assert reply["local bytes"] == 256
    refusals.refuse(reply, functions, local=True)
    with pytest.raises(KernelError, match="256 bytes of a thread's memory are off the chip") as raised:
        refusals.refuse(reply, functions, local=False)
    assert "mine[" in str(raised.traceback[-1].statement)


@compiles
def test_what_a_mistake_in_a_device_function_costs_is_told_at_its_line(tmp_path):
    path = tmp_path / "written.py"
    path.write_text(
        "import math\nfrom numba import cuda\n\n@cuda.jit(device=True)\ndef squared(x):\n    y = x\n"
        "    return math.pow(y, 2)\n\n@cuda.jit\ndef kernel(out, x, size):\n    out[0] = squared(x[0])\n"
    )
    spec = importlib.util.spec_from_file_location("written", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert refused(module.kernel)[1] == "return math.pow(y, 2)"


@compiles
def test_a_kernel_is_compiled_once(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(compiling, "ask", lambda question: asked.append(question) or {})
    monkeypatch.setattr(compiling, "ROOT", tmp_path)
    (tmp_path / "course.yaml").touch()
    x = Buffer(np.ones(8, np.float32), margin=0).device
    one, other = (
        kernel_of(f"out[0] = x[{place}]", tmp_path / str(place)) for place in made_folders(tmp_path)
    )
    for size in (5, 6):
        compiling.reply(one, [x, x, size])
    assert len(asked) == 1, "the same code and types"
    compiling.reply(one, [x, x, np.float32(5)])
    compiling.reply(other, [x, x, 5])
    assert len(asked) == 3, "another type, and another code"
    monkeypatch.setattr(compiling, "known", {})
    compiling.reply(one, [x, x, 5])
    assert len(asked) == 3, "another process reads what this one has kept"


def made_folders(folder):
    for name in (0, 1):
        (folder / str(name)).mkdir()
    return 0, 1


@simulated
def test_where_there_is_no_compiler_kernels_run_in_the_simulator_and_one_sentence_says_so(monkeypatch):
    monkeypatch.setattr(compiling, "find_spec", lambda name: None)
    x, out = Buffer(np.ones(8, np.float32)), Buffer.empty(8)
    run(kernels.make_map(kernels.UNARY["negative"]), 1, 8, out, x, 8, out.offset, x.offset, compiled=True)
    np.testing.assert_array_equal(out.result(), -np.ones(8))
    assert compiling.remark() == (
        "Kernels ran in the simulator and were not compiled: numba-cuda and nvidia-nvvm are not installed."
    )
    assert testrunner.remark() == compiling.remark()
    assert where_kernels_run().endswith("are not compiled: numba-cuda and nvidia-nvvm are not installed")
    monkeypatch.undo()
    compiling.why.clear()


@compiles
def test_a_compiler_that_has_died_is_started_again(monkeypatch, tmp_path):
    monkeypatch.setenv(compiling.ADDRESS, "nobody")
    monkeypatch.setattr(compiling, "ROOT", tmp_path)
    monkeypatch.setattr(compiling, "known", {})
    x = Buffer(np.ones(8, np.float32), margin=0).device
    reply, _ = compiling.reply(kernel_of("out[0] = x[1]", tmp_path), [x, x, 5])
    assert reply["float64"] == []
    compiling.running.pop().stdin.close()


def test_the_compiler_ends_when_nobody_is_left_who_could_ask():
    program, _ = compiler.start()
    program.stdin.close()
    assert program.wait(timeout=60) == 0


def test_the_sentences_of_numbas_messages_have_places_for_what_is_found():
    for pattern, meaning in refusals.SENTENCES:
        groups = refusals.re.compile(pattern).groups
        assert meaning.format(*"abc"[:groups])


@cuda.jit(device=True)
def plus(x, y):
    return x + y


@cuda.jit
def shuffled(out, x):
    t = cuda.threadIdx.x
    value = x[t]
    out[0, t] = cuda.shfl_sync(0xFFFFFFFF, value, 3)
    out[1, t] = cuda.shfl_up_sync(0xFFFFFFFF, value, 2)
    out[2, t] = cuda.shfl_down_sync(0xFFFFFFFF, value, 5)
    out[3, t] = cuda.shfl_xor_sync(0xFFFFFFFF, value, 7)
    out[4, t] = cuda.ballot_sync(0xFFFFFFFF, value % 3 == 0)
    out[5, t] = cuda.all_sync(0xFFFFFFFF, value >= 0)
    out[6, t] = cuda.any_sync(0xFFFFFFFF, value == 40)


def test_shuffles_and_votes_are_those_of_a_warp():
    x = np.arange(64, dtype=np.int64)
    lane = np.arange(64) % 32
    device = cuda.to_device(np.zeros((7, 64), np.int64))
    shuffled[1, 64](device, cuda.to_device(x))
    found, first = device.copy_to_host(), x - lane
    np.testing.assert_array_equal(found[0], first + 3)
    np.testing.assert_array_equal(found[1], np.where(lane < 2, x, x - 2))
    np.testing.assert_array_equal(found[2], np.where(lane > 26, x, x + 5))
    np.testing.assert_array_equal(found[3], x ^ 7)
    votes = [sum(1 << i for i in range(32) if (warp + i) % 3 == 0) for warp in (0, 32)]
    np.testing.assert_array_equal(found[4].astype(np.uint32), np.repeat(np.array(votes, np.uint32), 32))
    np.testing.assert_array_equal(found[5], 1)
    np.testing.assert_array_equal(found[6], np.repeat([0, 1], 32))


@simulated
class TestWarps:
    def test_a_shuffle_that_some_never_reach_is_an_error(self):
        @cuda.jit
        def kernel(out):
            if cuda.threadIdx.x < 9:
                out[cuda.threadIdx.x] = cuda.shfl_sync(0xFFFFFFFF, 1, 0)
            cuda.syncthreads()

        with pytest.raises(
            KernelError, match=r"9 threads of a warp wait in cuda.shfl_sync, that the others never"
        ) as refused:
            kernel[1, 32](cuda.device_array(32, np.int64))
        line = next(entry for entry in refused.traceback if entry.name == "kernel").statement
        assert "cuda.shfl_sync(0xFFFFFFFF" in str(line)

    def test_a_shuffle_needs_those_alone_that_its_mask_names_and_that_have_not_ended(self):
        @cuda.jit
        def kernel(out, mask):
            if cuda.threadIdx.x < 4:
                out[cuda.threadIdx.x] = cuda.shfl_sync(mask, cuda.threadIdx.x, 2)

        for mask in (0xF, 0xFFFFFFFF):
            out = cuda.to_device(np.zeros(8, np.int64))
            kernel[1, 8](out, mask)
            np.testing.assert_array_equal(out.copy_to_host(), [2, 2, 2, 2, 0, 0, 0, 0])
        with pytest.raises(KernelError, match="whose mask does not name them all"):
            kernel[1, 8](cuda.device_array(8, np.int64), 0x7)

    def test_a_value_from_a_thread_that_is_not_there_is_no_number(self):
        @cuda.jit
        def kernel(out, x):
            t = cuda.threadIdx.x
            out[t] = cuda.shfl_down_sync(0xFFFFFFFF, x[t], 4)

        out = Buffer.empty(8, margin=0)
        run(kernel, 1, 8, out, Buffer(np.arange(8, dtype=np.float32), margin=0))
        np.testing.assert_array_equal(out.result(), [4, 5, 6, 7, *[np.nan] * 4])

    def test_syncwarp_orders_the_memory_of_a_warp_and_of_no_other(self):
        @cuda.jit
        def kernel(out, shift):
            shared = cuda.shared.array(64, np.int64)
            t = cuda.threadIdx.x
            shared[t] = t
            cuda.syncwarp()
            out[t] = shared[(t + shift) % 64]
            cuda.syncwarp()
            shared[t] = 0

        out = cuda.to_device(np.zeros(64, np.int64))
        kernel[1, 32](out, 0)
        with pytest.raises(KernelError, match="a race|nothing was ever written"):
            kernel[1, 64](out, 32)

        @cuda.jit
        def neighbours(out):
            shared = cuda.shared.array(32, np.int64)
            t = cuda.threadIdx.x
            shared[t] = t
            cuda.syncwarp()
            found = shared[t ^ 1] + shared[t ^ 2]
            cuda.syncwarp()
            shared[t] = found
            cuda.syncwarp()
            out[t] = shared[t ^ 1]

        out = cuda.to_device(np.zeros(32, np.int64))
        neighbours[1, 32](out)
        t = np.arange(32)
        np.testing.assert_array_equal(out.copy_to_host(), (t ^ 1 ^ 1) + (t ^ 1 ^ 2))


@simulated
class TestMessages:
    """What a wrong index is told, of arrays whose margins are not their own."""

    def said(self, statement, size=8):
        kernel = cuda.jit(eval(f"lambda x, size: {statement}"))
        with pytest.raises(KernelError) as raised:
            run(kernel, 1, 1, Buffer(np.ones(size, np.float32)), size)
        return str(raised.value).removesuffix(" (thread 0 of block (0, 0, 0))")

    def test_bounds_are_those_of_the_numbers(self):
        assert self.said("x[11]") == "x[11] is out of bounds: its 8 numbers stand at places 3 to 10"
        assert self.said("x[2]") == "x[2] is out of bounds: its 8 numbers stand at places 3 to 10"
        assert self.said("x[8]", 1) == "x[8] is out of bounds: its only number stands at place 3"
        assert self.said("x[3]", 0) == "x[3] is out of bounds: it holds no numbers"
        assert self.said("x[-1]") == "x[-1] is out of bounds: its 8 numbers stand at places 3 to 10"

    def test_a_float_and_a_slice_are_no_index(self):
        assert self.said("x[size / 2]") == (
            "x[4.0]: an index is an integer, and this is a float: integers are divided by `//`"
        )
        assert self.said("x[3:size]") == (
            "x[3:8]: a slice is no index here: a thread reads and writes one number at a time"
        )
        assert self.said("x[::2]").startswith("x[::2]: a slice")
        assert self.said("x[None]") == "x[None]: an index is an integer, and this is of type NoneType"

    def test_an_error_in_a_kernel_is_raised_in_the_module_that_it_belongs_to(self):
        kernel = kernels.make_map(kernels.UNARY["negative"])
        with pytest.raises(KernelError) as raised:
            run(kernel, 1, 8, Buffer.empty(8), Buffer(np.ones(8, np.float32)), 9, 3, 3)
        place = testrunner.describe("test", raised.value, __file__).places[-1]
        assert (place.module, place.function) == ("kernels", "make_map.<locals>.kernel")
        assert place.line in inspect.getsource(kernels.make_map)
