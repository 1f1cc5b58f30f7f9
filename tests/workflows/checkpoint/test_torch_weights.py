"""pytorch_model.bin: each tensor's data is where the list says, in both forms of the file; no pickle runs anything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from workflows.checkpoint.torch_weights import _tensors, list_tensors
from workflows.checkpoint.weights import read_weights
from workflows.common.errors import CheckpointError

NAME = "pytorch_model.bin"


def content() -> dict[str, torch.Tensor]:
    """Tied, viewed and empty tensors, scalars, whole numbers, and what numpy does not know."""
    torch.manual_seed(0)
    shared = torch.randn(5, 7)
    return {
        "head": shared, "table": shared, "rows": torch.randn(10, 3)[2:6], "half": torch.randn(3).half(),
        "brain": torch.randn(4, 2).bfloat16(), "ids": torch.arange(6), "flag": torch.tensor([True, False]),
        "scalar": torch.tensor(2.5), "none": torch.zeros(0, 3), "double": torch.randn(2).double(),
    }  # fmt: skip


def save(folder: Path, what: object, legacy: bool = False, name: str = NAME) -> Path:
    folder.mkdir(exist_ok=True)
    torch.save(what, folder / name, _use_new_zipfile_serialization=not legacy)
    return folder


def check(folder: Path, name: str = NAME) -> None:
    """The bytes at each place are the tensor's."""
    expected, data = content(), (folder / name).read_bytes()
    listed = {one.name: one for one in list_tensors(folder, [name])[name]}
    assert [*listed] == [*expected]
    for tensor, one in listed.items():
        found = bytearray(data[one.offset : one.offset + one.bytes])
        dtype = getattr(torch, one.dtype)
        values = torch.frombuffer(found, dtype=dtype) if found else torch.zeros(0, dtype=dtype)
        assert torch.equal(values.reshape(one.shape), expected[tensor]), tensor


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
def test_each_tensor_is_where_the_list_says(tmp_path: Path, legacy: bool) -> None:
    check(save(tmp_path, content(), legacy))


class Song:
    """Pickled, it makes a folder when it is opened."""

    def __init__(self, nest: Path) -> None:
        self.nest = nest

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return os.mkdir, (str(self.nest),)


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
def test_a_pickle_that_would_run_something_is_refused_by_its_name(tmp_path: Path, legacy: bool) -> None:
    nest = tmp_path / "sung"
    save(tmp_path, {**content(), "song": Song(nest)}, legacy)
    with pytest.raises(CheckpointError, match=rf"'{NAME}' wants to use (posix|nt)\.mkdir, which no weights need, so"):
        list_tensors(tmp_path, [NAME])
    assert not nest.exists()
    torch.load(tmp_path / NAME, weights_only=False)
    assert nest.exists()  # it does what it is here for


def deflated(folder: Path) -> None:
    """An archive with the same entries, compressed: their data is not in the file as it is."""
    with zipfile.ZipFile(folder / NAME) as old:
        entries = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(folder / NAME, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in entries.items():
            new.writestr(name, data)


def cut(folder: Path) -> None:
    (folder / NAME).write_bytes((folder / NAME).read_bytes()[:-300])


def big_endian(folder: Path) -> None:
    with zipfile.ZipFile(folder / NAME) as old:
        entries = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(folder / NAME, "w") as new:
        for name, data in entries.items():
            new.writestr(name, b"big" if name.endswith("byteorder") else data)


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "compressed": (deflated, "is damaged: .*lies in no stored entry of the archive"),
    "cut": (cut, "is damaged: it is no whole archive"),
    "big-endian": (big_endian, "was saved on a big-endian machine"),
    "empty": (lambda folder: (folder / NAME).write_bytes(b""), "is damaged: torch cannot read it"),
    "no pickle": (lambda folder: (folder / NAME).write_bytes(bytes(range(256)) * 9), "more than tensors|is damaged"),
    "view": (lambda folder: save(folder, {"a": torch.randn(3, 4).t()}), "'a' is not stored row by row"),
    "nested": (lambda folder: save(folder, {"state_dict": content()}), "'state_dict' is no tensor but dict"),
    "list": (lambda folder: save(folder, [torch.zeros(2)]), "holds list and no tensors by name"),
    "quantized": (
        lambda folder: save(folder, {"a": torch.quantize_per_tensor(torch.randn(4), 0.1, 0, torch.qint8)}),
        "'a' is not stored row by row|more than tensors|wants to use",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, name: str) -> None:
    """In this process: the confined one does the same, and is slow to start."""
    change, expected = DAMAGES[name]
    change(save(tmp_path, content()))
    with pytest.raises(CheckpointError, match=expected) as refused:
        _tensors(tmp_path / NAME)
    assert "\n" not in str(refused.value)


def test_shards_and_their_index(tmp_path: Path) -> None:
    shards = {"pytorch_model-00001-of-00002.bin": ["head", "ids"], "pytorch_model-00002-of-00002.bin": ["rows", "half"]}
    for shard, names in shards.items():
        save(tmp_path, {name: content()[name] for name in names}, name=shard)
    table = {name: shard for shard, names in shards.items() for name in names}
    (tmp_path / f"{NAME}.index.json").write_text(json.dumps({"weight_map": table}))
    found = read_weights(tmp_path)
    assert {name: one.file for name, one in found.items()} == table
    (tmp_path / f"{NAME}.index.json").write_text(json.dumps({"weight_map": table | {"rows": "../other.bin"}}))
    with pytest.raises(CheckpointError, match="which is not a bin file inside the folder"):
        read_weights(tmp_path)
    (tmp_path / f"{NAME}.index.json").write_text(json.dumps({"weight_map": table | {"more": next(iter(shards))}}))
    with pytest.raises(CheckpointError, match="lacks the tensor 'more'"):
        read_weights(tmp_path)


_MUTANTS = """
import random, sys
from pathlib import Path
from workflows.checkpoint.torch_weights import _tensors
from workflows.common.errors import CheckpointError
path, good, chances = Path(sys.argv[1]), Path(sys.argv[1]).read_bytes(), random.Random(int(sys.argv[2]))
listed = refused = 0
for number in range(int(sys.argv[3])):
    data = bytearray(good)
    for _ in range(chances.choice((1, 1, 4, 40))):
        data[chances.randrange(len(data))] = chances.randrange(256)
    if chances.random() < 0.2:
        del data[chances.randrange(len(data)):]
    path.write_bytes(data)
    try:
        for one in _tensors(path):
            assert one["offset"] + one["bytes"] <= len(data), (number, one)
        listed += 1
    except CheckpointError as error:
        assert "\\n" not in str(error), number
        refused += 1
print(listed, refused)
"""


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
def test_mutants_are_listed_within_the_file_or_refused(tmp_path: Path, legacy: bool) -> None:
    save(tmp_path, content(), legacy)
    command = [sys.executable, "-c", _MUTANTS, str(tmp_path / NAME), "7", "200"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    listed, refused = map(int, done.stdout.split())
    assert listed > 10 and refused > 50  # data that changed is listed, structure that changed is not
