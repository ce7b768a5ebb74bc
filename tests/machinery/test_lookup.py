"""PyTorch's places: they answer from what was exported, and say where the rest is built."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import course as courses
from autograder import reference

ROOT = Path(__file__).parents[2]
SOLVED = courses.load(ROOT).with_solutions()
TENSOR = """
__all__ = ["Tensor", "tensor", "zeros"]
class Tensor: pass
def tensor(data): return Tensor()
def zeros(*size): return Tensor()
def __getattr__(name):
    if name == "bool":
        return "torch.bool"
    raise AttributeError(name)
"""
LAYERS = "from tinytorch.tensor import Tensor\nclass Linear: pass\ndef linear(): return 1\nclass SequentialBuilder: pass\n"


@pytest.fixture
def built(scratch):
    """The modules tensor and layers, exported, and what the course gives with tensors."""
    shutil.copytree(ROOT / "tinytorch/given/tensor", scratch.root / "tinytorch/given/tensor")
    scratch.write("tinytorch/tensor.py", TENSOR)
    scratch.write("tinytorch/layers.py", LAYERS)
    return scratch


def run(scratch, code: str) -> str:
    """What the code prints, or the last line of its error."""
    done = scratch.python("-c", f"import tinytorch\nimport tinytorch as torch\n{code}")
    return done.stdout.strip() if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("print(torch.nn.Linear.__module__)", "tinytorch.layers"),
        ("print(torch.nn.functional.linear())", "1"),
        ("from tinytorch.nn import Linear; print(Linear.__name__)", "Linear"),
        ("from tinytorch import Tensor, Linear; print(Tensor.__name__, Linear.__name__)", "Tensor Linear"),
        ("import tinytorch.nn as nn; print(nn.functional.linear is torch.linear)", "True"),
        ("print(torch.SequentialBuilder.__name__)", "SequentialBuilder"),
        ("print(torch.bool)", "torch.bool"),
        ("print(torch.utils.data.__name__, torch.optim.lr_scheduler.__name__)", "tinytorch.utils.data tinytorch.optim.lr_scheduler"),
        ("print(torch.layers.__name__)", "tinytorch.layers"),
        ("print(hasattr(torch, 'fft'), hasattr(torch.nn, 'nothing'))", "False False"),
        ("print(torch.nn.modules.linear.Linear is torch.nn.modules.Linear is torch.nn.Linear)", "True"),
        ("from tinytorch.nn.modules.container import Linear; print(Linear is torch.nn.Linear)", "True"),
        ("import tinytorch.nn.parameter as p; print(p.Linear.__name__, p.__name__)", "Linear tinytorch.nn.parameter"),
        ("from tinytorch.nn.modules.utils import _pair, _triple; print(_pair(3), _triple([1, 2, 3]))", "(3, 3) (1, 2, 3)"),
        ("print(torch.nn.modules.utils.__name__, torch.nn.utils.__name__)", "tinytorch.nn.modules.utils tinytorch.nn.utils"),
        ("print(torch.cuda.is_available(), torch.compile(len) is len, torch.__version__ > '2.9')", "False True True"),
        ("print('cuda' in dir(torch), 'compile' in dir(torch), 'Linear' in dir(torch.nn.modules))", "False True True"),
        ("print('Linear' in dir(torch.nn), 'Conv2d' in dir(torch.nn), 'zeros' in dir(torch))", "True False True"),
    ],
)  # fmt: skip
def test_names_are_found_where_pytorch_has_them(built, code, printed):
    assert run(built, code) == printed


@pytest.mark.parametrize(
    "first",
    [
        "pass",
        "import tinytorch.tensor",
        "from tinytorch.tensor import Tensor",
        "torch.zeros(1)",
        "import tinytorch.layers",
    ],
)
def test_tinytorch_tensor_is_the_function_whatever_was_imported_before(built, first):
    code = f"{first}\nprint(type(torch.tensor).__name__, type(torch.tensor(1)).__name__)"
    assert run(built, code) == "function Tensor"
    assert run(built, f"{first}\nfrom tinytorch import tensor; print(tensor.__name__)") == "tensor"
    assert run(built, f"{first}\nfrom tinytorch.tensor import zeros; print(zeros.__name__)") == "zeros"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("torch.nn.Conv2d", "ImportError: tinytorch.nn.Conv2d is built in module 09 (conv)"),
        ("from tinytorch.nn import Conv2d", "ImportError: tinytorch.nn.Conv2d is built in module 09 (conv)"),
        ("torch.no_grad", "ImportError: tinytorch.no_grad is built in module 06 (autograd)"),
        ("torch.Conv2d", "ImportError: tinytorch.Conv2d is built in module 09 (conv)"),
        ("import tinytorch.conv", "ModuleNotFoundError: tinytorch.conv is built in module 09 (conv): make export 9"),
        ("from tinytorch.conv import X", "ModuleNotFoundError: tinytorch.conv is built in module 09 (conv): make export 9"),
        ("torch.autograd.grad", "ModuleNotFoundError: tinytorch.autograd is built in module 06 (autograd): make export 6"),
        ("torch.nothing", "AttributeError: module 'tinytorch' has no attribute 'nothing'"),
        ("torch.nn.nothing", "AttributeError: module 'tinytorch.nn' has no attribute 'nothing'"),
        ("import tinytorch.nothing", "ModuleNotFoundError: No module named 'tinytorch.nothing'"),
        ("torch.nn.Dropout", "AttributeError: module 'tinytorch.layers' has no attribute 'Dropout'"),
        ("torch.nn.modules.conv.Conv2d", "ImportError: tinytorch.nn.Conv2d is built in module 09 (conv)"),
        ("torch.fft.rfft", "AttributeError: module 'tinytorch' has no attribute 'fft': tinytorch leaves out complex numbers"),
        ("import tinytorch.fft", "ModuleNotFoundError: No module named 'tinytorch.fft': tinytorch leaves out complex numbers"),
        ("import tinytorch.utils.tensorboard", "ModuleNotFoundError: No module named 'tinytorch.utils.tensorboard': tinytorch leaves out writing for TensorBoard"),
        ("torch.onnx.export(1)", "NotImplementedError: tinytorch leaves out exporting programs: there is no torch.onnx.export"),
        ("from tinytorch.distributed.fsdp import ShardingStrategy as S; S()", "NotImplementedError: tinytorch leaves out more than one process: there is no torch.distributed.fsdp.ShardingStrategy"),
        ("from tinytorch.func import vmap; vmap(abs)", "NotImplementedError: tinytorch leaves out functions that transform functions: there is no torch.func.vmap"),
        ("from tinytorch.func import nothing", "ImportError: cannot import name 'nothing' from 'tinytorch.func' (unknown location)"),
    ],
)  # fmt: skip
def test_what_is_not_built_says_where_it_will_be(built, code, said):
    assert run(built, code) == said


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
        ("from tinytorch.conv import Conv2d", "ModuleNotFoundError: tinytorch.conv is built in module 09 (conv): make export 9"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("x = = 1", "SyntaxError: invalid syntax"),
        ("raise AttributeError('mine')", "AttributeError: mine"),
    ],
)  # fmt: skip
def test_a_module_that_fails_while_importing_shows_its_own_error(built, source, said):
    built.write("tinytorch/layers.py", source)
    assert run(built, "torch.nn.Linear").partition(". Did you mean")[0] == said


def test_importing_tinytorch_reads_no_module_and_no_library(built):
    built.write("tinytorch/tensor.py", "raise RuntimeError('read')")
    code = "import sys; before = set(sys.modules); import tinytorch; print(*{n.partition('.')[0] for n in sys.modules.keys() - before})"
    done = built.python("-c", code)
    loaded = set(done.stdout.split()) - sys.stdlib_module_names
    assert loaded == {"tinytorch"}, done.stderr


def test_a_name_is_looked_up_once(built):
    assert run(built, "torch.nn.Linear; print('Linear' in vars(torch.nn))") == "True"


def test_a_module_can_be_stood_for_and_nothing_of_it_is_kept(built):
    code = """
import types
torch.nn.Linear, torch.tensor(1), torch.Linear
from tinytorch._lookup import stand_for
live = types.ModuleType("__main__")
for _ in range(2):
    stand_for("layers", live)
live.Linear = 1
print(torch.nn.Linear, torch.Linear, torch.layers is live)
live.Linear = 2
from tinytorch.layers import Linear
print(torch.nn.Linear, torch.Linear, Linear)
core = types.ModuleType("__main__")
stand_for("tensor", core)
core.tensor = lambda x: x + 1
print(torch.tensor(1))
core.tensor = lambda x: x + 2
print(torch.tensor(1))
"""
    assert run(built, code).split("\n") == ["1 1 True", "2 2 2", "2", "3"]


ALIAS = "import sys, tinytorch\nsys.modules['torch'] = tinytorch\n"
IMPORTS = [
    "import torch",
    "import torch.nn",
    "import torch.nn.functional as F",
    "from torch.utils.data import DataLoader",
    "from torch.optim.lr_scheduler import StepLR",
    "from torch.nn import functional as G",
    "import torch.nn as nn, torch.optim as optim",
    "from torch.nn.modules.linear import Linear",
    "from torch import nn as again, optim as second",
    "import torch.backends.cudnn as cudnn",
    "from torch.cuda.amp import GradScaler, autocast",
    "import torch.autograd",
    "from torch.nn.parameter import Parameter",
    "from torch.optim.sgd import SGD",
    "from torch.utils.data.dataloader import default_collate",
]
ONE_MODULE_EACH = """
import importlib
import tinytorch.nn.functional, tinytorch.optim.lr_scheduler, tinytorch.utils.data, tinytorch.backends.cudnn
import tinytorch.nn.modules.linear, tinytorch.nn.parameter
for name in sorted(sys.modules):
    package, _, rest = name.partition(".")
    if package == "torch" and rest:
        ours = importlib.import_module("tinytorch." + rest)
        assert sys.modules[name] is ours and ours.__spec__.name == ours.__name__ == "tinytorch." + rest, name
assert torch.nn is tinytorch.nn and F is G is tinytorch.nn.functional and nn is again is torch.nn
assert Linear is torch.nn.Linear and SGD is torch.optim.SGD and Parameter is torch.nn.Parameter
print(len([name for name in sys.modules if name.startswith("torch.")]))
"""


@pytest.mark.parametrize("start", range(0, len(IMPORTS), 3))
def test_torch_is_tinytorch_where_sys_modules_says_so_in_any_order(start):
    order = IMPORTS[start:] + IMPORTS[:start]
    assert reference_prints(ALIAS + "\n".join([*order, ONE_MODULE_EACH])) == "16"
    assert reference_prints(ALIAS + "\n".join([*order[::-1], ONE_MODULE_EACH])) == "16"


def test_torch_is_tinytorch_after_its_places_were_imported_too():
    before = "import tinytorch.nn.functional, tinytorch.utils.data.dataloader, tinytorch.nn.modules.linear\n"
    assert reference_prints(before + ALIAS + "\n".join([*IMPORTS, ONE_MODULE_EACH])) == "16"


def test_torch_has_no_finder_before_it_is_tinytorch():
    code = """
import sys, tinytorch, tinytorch.nn
count = lambda: [finder.__module__ for finder in sys.meta_path].count("tinytorch._lookup")
before = count()
sys.modules["torch"] = tinytorch
import torch.nn, torch.optim
print(before, count(), torch.nn is tinytorch.nn)
"""
    assert reference_prints(code) == "1 2 True"


def test_another_torch_is_left_alone(built):
    built.write("torch/__init__.py", "name = 'theirs'")
    built.write("torch/nn.py", "name = 'theirs too'")
    assert run(built, "import torch, torch.nn; print(torch.name, torch.nn.name)") == "theirs theirs too"


PROGRAM = """
import sys, helper, torch.nn as nn
from tinytorch.given.acceleration.registry import kernels_of
from tinytorch.activations import Softmax
print(__name__, sys.argv[1:], helper.torch is sys.modules["torch"], nn.__name__, kernels_of(Softmax))
raise SystemExit(3)
"""


@pytest.mark.parametrize("options, kernels", [([], 0), (["--accelerate"], 1)])
def test_a_program_for_pytorch_runs_unchanged(tmp_path, options, kernels):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "helper.py").write_text("import torch")
    command = [sys.executable, "-m", "tinytorch", *options, tmp_path / "program.py", "--lr", "1"]
    done = subprocess.run(command, env=with_reference(), cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == f"__main__ ['--lr', '1'] True tinytorch.nn {kernels}\n", done.stderr
    assert done.returncode == 3


def test_a_program_in_safe_mode_keeps_the_path_as_it_is(tmp_path):
    (tmp_path / "program.py").write_text("import sys; print(*sys.path, sep='\\n')")
    command = [sys.executable, "-P", "-m", "tinytorch", "program.py"]
    done = subprocess.run(command, env=with_reference(), cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines()[0] == with_reference()["PYTHONPATH"], done.stderr


def test_a_program_that_cannot_run_gets_one_line(built):
    built.write("program.py", "import torch")
    for arguments, said in (
        (["missing.py"], "there is no file missing.py"),
        (["--accelerate", "program.py"], "tinytorch.accelerate is built in module 17 (acceleration)"),
    ):
        done = built.python("-m", "tinytorch", *arguments)
        assert done.stderr.splitlines()[1:] == [f"python -m tinytorch: error: {said}"]
        assert done.returncode == 2


def test_a_module_that_is_stood_for_is_so_under_every_name(built):
    code = """
import sys, types
sys.modules["torch"] = torch
import torch.layers
from tinytorch._lookup import stand_for
live = types.ModuleType("__main__")
stand_for("layers", live)
import torch.layers
print(torch.layers is live, sys.modules["torch.layers"] is live)
"""
    assert run(built, code) == "True True"


def test_places_that_repeat_others_know_only_pytorchs_names():
    from tinytorch._namespaces import LEFT_OUT, REPEATED

    course = courses.load(ROOT)
    listed = {name for module in course.modules for names in module.exports.values() for name in names}
    left_out = [name for names in LEFT_OUT.values() for name in names.split()]
    assert len(left_out) == len(set(left_out))
    assert not set(left_out) & (listed | {module.slug for module in course.modules}), "left out, and built"
    for package, names in REPEATED.items():
        folder = ROOT / package.replace(".", "/")
        assert not [
            name for name in names.split() if (folder / name).exists() or (folder / f"{name}.py").exists()
        ]


def with_reference():
    """The environment of a process that has the reference on its path and nothing else."""
    return os.environ | {"PYTHONPATH": str(reference.build(courses.load(ROOT)))}


def reference_prints(code):
    """What a fresh process prints that has the reference on its path and nothing else."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env=with_reference(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("module", SOLVED, ids=[module.slug for module in SOLVED])
def test_every_name_that_the_course_lists_is_there(module):
    code = """
import importlib, sys
for line in sys.stdin:
    place, name = line.split()
    if not hasattr(importlib.import_module(place), name):
        print(place, name)
"""
    listed = "\n".join(f"{place} {name}" for place, names in module.exports.items() for name in names)
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, input=listed, env=with_reference(), capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_no_place_lists_what_it_refuses():
    code = """
import importlib, pkgutil
import tinytorch
from tinytorch._lookup import _course
from tinytorch._namespaces import ANSWERS, REPEATED
places = {"tinytorch", *ANSWERS} | {place for place, _ in _course()[1]}
places |= {f"{package}.{name}" for package, names in REPEATED.items() for name in names.split()}
for module in pkgutil.walk_packages(tinytorch.__path__, "tinytorch."):
    if not module.name.startswith(("tinytorch.given", "tinytorch.notebook")):
        places.add(module.name)
for place in sorted(places):
    module = importlib.import_module(place)
    print(*[f"{place}.{name}" for name in dir(module) if not hasattr(module, name)], end="")
print(len(places) > 60, "airy_ai" in dir(tinytorch), "airy_ai" in dir(tinytorch.special))
"""
    assert reference_prints(code) == "True False True"


def test_a_folder_that_was_left_behind_hides_no_place(built):
    built.write("tinytorch/mps/__pycache__/__init__.cpython-311.pyc", "")
    assert (
        run(built, "import tinytorch.mps as mps; print(mps.is_available(), torch.mps is mps)") == "False True"
    )
