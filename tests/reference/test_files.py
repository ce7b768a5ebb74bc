"""PyTorch's own files: read and written, and refused where there is more in them than data."""

import io
import os
import pickle
import pickletools
import zipfile
from dataclasses import dataclass

import numpy as np
import pytest

import tinytorch as torch
from tests.reference.record_files import RECORDED, content


def structure(file):
    """The pickle in one of PyTorch's files."""
    with zipfile.ZipFile(file) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/data.pkl")]
        return archive.read(name)


def operations(pickled):
    """What a pickle does, step by step; which equal texts it writes only once depends on Python's own sharing."""
    steps, kept = [], {}
    for opcode, argument, _ in pickletools.genops(pickled):
        if "PUT" in opcode.name:
            kept[argument] = len(steps) - 1
        elif "GET" in opcode.name:
            earlier = kept[argument]
            steps.append(steps[earlier] if steps[earlier][0] == "BINUNICODE" else ("again", earlier))
        else:
            steps.append((opcode.name, argument))
    return steps


def forged(path, pickled, memories=(b"\0" * 16,)):
    """A file of PyTorch's kind around any pickle."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("forged/data.pkl", pickled)
        archive.writestr("forged/byteorder", "little")
        for number, memory in enumerate(memories):
            archive.writestr(f"forged/data/{number}", memory)
        archive.writestr("forged/version", "3\n")
    return path


def same(found, wanted):
    """Whether two values are alike, and of the same kinds."""
    if isinstance(wanted, torch.Tensor):
        assert (found.shape, found.stride(), found.dtype) == (wanted.shape, wanted.stride(), wanted.dtype)
        assert (found.requires_grad, type(found)) == (wanted.requires_grad, type(wanted))
        np.testing.assert_array_equal(found.detach().numpy(), wanted.detach().numpy())
    elif isinstance(wanted, dict):
        assert type(found) is type(wanted)
        assert list(found) == list(wanted)
        for key in wanted:
            same(found[key], wanted[key])
    elif isinstance(wanted, list | tuple):
        assert type(found) is type(wanted)
        assert len(found) == len(wanted)
        for pair in zip(found, wanted):
            same(*pair)
    else:
        assert (found, type(found)) == (wanted, type(wanted))


@pytest.mark.parametrize("given", [RECORDED, str(RECORDED)])
def test_a_file_that_pytorch_wrote_is_read(given):
    same(torch.load(given), content(torch))


def test_it_is_read_from_an_open_file_too():
    with open(RECORDED, "rb") as file:
        same(torch.load(file, weights_only=True, map_location="cpu"), content(torch))
    same(torch.load(io.BytesIO(RECORDED.read_bytes())), content(torch))


@pytest.mark.parametrize(
    "name", ["weights.pt", "weights.pth", "pytorch_model.bin", "last.ckpt", "state.pth.tar", "all.pkl"]
)
def test_what_is_written_has_pytorchs_pickle_and_its_memory(tmp_path, name):
    path = tmp_path / name
    torch.save(content(torch), path)
    assert operations(structure(path)) == operations(structure(RECORDED))
    with zipfile.ZipFile(path) as ours, zipfile.ZipFile(RECORDED) as theirs:
        stored = [name for name in theirs.namelist() if "/data/" in name]
        folder = ours.namelist()[0].partition("/")[0]
        for entry in stored:
            assert ours.read(f"{folder}/data/{entry.rpartition('/')[2]}") == theirs.read(entry)
        assert {entry.compress_type for entry in ours.infolist()} == {zipfile.ZIP_STORED}
        assert ours.read(f"{folder}/version") == b"3\n"
    same(torch.load(path), content(torch))
    assert os.listdir(tmp_path) == [name]


def test_an_open_file_is_written_as_its_name_says(tmp_path):
    with open(tmp_path / "model.pt", "wb") as file:
        torch.save({"a": torch.ones(2)}, file)
    assert structure(tmp_path / "model.pt")
    with open(tmp_path / "model", "wb") as file:
        torch.save({"a": torch.ones(2)}, file)
    assert not zipfile.is_zipfile(tmp_path / "model")


def test_shared_memory_is_shared_again(tmp_path):
    for path in (RECORDED, tmp_path / "again.pt"):
        if not path.exists():
            torch.save(content(torch), path)
        found = torch.load(path)
        found["whole"][1, 2] = 99
        assert found["transposed"][2, 1] == found["row"][2] == found["column"][1] == 99
        assert found["tied"][0] is found["tied"][1]


def test_a_checkpoint_of_a_training_comes_back(tmp_path):
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.randn(5, 3)).sum().backward()
    optimizer.step()
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}
    torch.save(state, tmp_path / "run.pt")
    same(torch.load(tmp_path / "run.pt"), state)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)


@dataclass
class Config:
    width: int = 3


def test_a_whole_model_is_written_and_read_only_by_who_asks_for_code(tmp_path):
    model, path = Net(), tmp_path / "model.pt"
    torch.save({"model": model, "config": Config(5)}, path)
    for options in ({}, {"weights_only": True}):
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed.*weights_only=False"):
            torch.load(path, **options)
    found = torch.load(path, weights_only=False)
    x = torch.randn(3, 2)
    assert torch.equal(found["model"](x), model(x))
    assert found["config"] == Config(5)


def test_a_class_that_was_declared_safe_is_read(tmp_path):
    torch.save(Config(4), tmp_path / "config.pt")
    with torch.serialization.safe_globals([Config]):
        assert torch.load(tmp_path / "config.pt") == Config(4)
    with pytest.raises(pickle.UnpicklingError):
        torch.load(tmp_path / "config.pt")


class Program:
    def __reduce__(self):
        return os.system, ("echo run > ran",)


@pytest.mark.parametrize(
    "pickled",
    [
        pickle.dumps(Program(), 2),
        pickle.dumps(Program(), 4),
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"cbuiltins\ngetattr\n.",
        b"cos\nsystem\n(S'echo run > ran'\ntR.",
        b"ctorch._utils\n__builtins__\n.",
        b"ctinytorch.tensor\nnp\n.",
        b"c_codecs\ndecode\n.",
        b"c_codecs\nencode\n(X\x01\x00\x00\x00aX\x05\x00\x00\x00utf-7tR.",
        b"(S'module'\nctorch\nFloatStorage\nS'0'\nS'cpu'\nK\x01tQ.",
        b"(S'storage'\ncbuiltins\nset\nS'0'\nS'cpu'\nK\x01tQ.",
    ],
)
def test_what_is_no_data_is_refused_and_not_run(tmp_path, monkeypatch, pickled):
    monkeypatch.chdir(tmp_path)
    path = forged(tmp_path / "forged.pt", pickled)
    with pytest.raises(pickle.UnpicklingError):
        torch.load(path)
    assert os.listdir(tmp_path) == ["forged.pt"]


STORAGE = b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x04tQ"


@pytest.mark.parametrize(
    ("offset", "size", "stride"), [(1, 4, 1), (0, 5, 1), (0, 2, 4), (200, 1, 1), (0, 100, 0), (3, 2, 1)]
)
def test_a_view_beyond_its_storage_is_refused(tmp_path, offset, size, stride):
    view = (
        b"ctorch._utils\n_rebuild_tensor_v2\n("
        + STORAGE
        + b"K%c(K%ct(K%ct\x89ccollections\nOrderedDict\n)RtR."
    )
    path = forged(tmp_path / "forged.pt", view % (offset, size, stride))
    if stride == 0:
        assert torch.load(path).shape == (size,)  # one number, seen as many
        return
    with pytest.raises(ValueError, match=".+"):
        torch.load(path)


def test_a_damaged_file_is_one_clear_line(tmp_path):
    whole, path = RECORDED.read_bytes(), tmp_path / "damaged.pt"
    for count in (100, 1000, len(whole) - 30):
        path.write_bytes(whole[:count])
        with pytest.raises(RuntimeError, match="damaged.pt .*cut short"):
            torch.load(path)
    short = (
        b"ctorch._utils\n_rebuild_tensor_v2\n("
        + STORAGE
        + b"K\x00(K\x04t(K\x01t\x89ccollections\nOrderedDict\n)RtR."
    )
    with pytest.raises(RuntimeError, match="storage 0 has 2 elements in place of 4"):
        torch.load(forged(path, short, [b"\0" * 8]))
    with pytest.raises(RuntimeError, match="no storage 0"):
        torch.load(forged(path, short, []))


def test_what_cannot_be_pickled_leaves_no_file(tmp_path):
    torch.save([1], tmp_path / "model.pt")
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
        torch.save(lambda: 1, tmp_path / "model.pt")
    assert torch.load(tmp_path / "model.pt") == [1]
    assert os.listdir(tmp_path) == ["model.pt"]


def test_tensors_of_a_gpu_are_brought_where_they_are_asked_for(tmp_path):
    cuda = structure(RECORDED).replace(b"X\x03\x00\x00\x00cpuq\x06", b"X\x04\x00\x00\x00cudaq\x06")
    with zipfile.ZipFile(RECORDED) as archive:
        memories = [
            archive.read(f"written_by_pytorch/data/{n}")
            for n in range(30)
            if f"written_by_pytorch/data/{n}" in archive.namelist()
        ]
    path = forged(tmp_path / "cuda.pt", cuda, memories)
    for place in ("cpu", torch.device("cpu"), {"cuda": "cpu"}, lambda tensor, place: tensor):
        assert torch.load(path, map_location=place)["whole"].device.type == "cpu"
    with pytest.raises(RuntimeError, match="CUDA"):
        torch.load(path)
