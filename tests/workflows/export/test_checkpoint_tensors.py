"""Tensors of a checkpoint, read from safetensors and from PyTorch's own files alike: a build of either is the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.workflows.conftest import Built
from tests.workflows.families.models import greedy, save_decoder
from workflows.checkpoint.weights import TensorInfo, read_weights
from workflows.common.errors import CheckpointError
from workflows.export.checkpoint_tensors import CheckpointTensor
from workflows.generate import GenerateOptions, open_engine
from workflows.wire.events import GenerationDone

KINDS = {
    "float": torch.randn(3, 5), "half": torch.randn(4).half(), "brain": torch.randn(2, 2).bfloat16(),
    "eight": torch.randn(6).to(torch.float8_e4m3fn), "ids": torch.arange(7), "flag": torch.tensor([True, False]),
    "scalar": torch.tensor(1.5), "none": torch.zeros(0, 4),
}  # fmt: skip


def test_each_dtype_is_read_as_it_was_saved(tmp_path: Path) -> None:
    save_file(KINDS, tmp_path / "model.safetensors")
    torch.save(KINDS, tmp_path / "pytorch_model.bin")
    for name, info in read_weights(tmp_path).items():
        found = CheckpointTensor(tmp_path, info).read()
        assert found.dtype == KINDS[name].dtype and found.shape == KINDS[name].shape
        assert torch.equal(found.to(torch.float64), KINDS[name].to(torch.float64))
        assert torch.equal(CheckpointTensor(tmp_path, info)[...].to(torch.float64), found.to(torch.float64))


def test_a_file_that_was_cut_meanwhile_and_a_dtype_that_torch_lacks(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(8))
    with pytest.raises(CheckpointError, match=r"'a\.bin' ends before the tensor 'w' does"):
        CheckpointTensor(tmp_path, TensorInfo("float32", (3,), "a.bin", 12, 0, "w")).read()
    with pytest.raises(CheckpointError, match="'w' is stored in float6_e2m3fn, which PyTorch does not read"):
        CheckpointTensor(tmp_path, TensorInfo("float6_e2m3fn", (4,), "a.bin", 3, 0, "w")).read()


@pytest.mark.parametrize("legacy", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["zip", "legacy"])
def test_a_build_from_pytorch_s_file_is_that_from_safetensors(legacy: bool, built: Built, tmp_path: Path) -> None:
    """The same weights, bit by bit, with a tied head that the file stores beside its table, and eager's tokens."""
    source = save_decoder("llama", tmp_path / "safetensors", tie_word_embeddings=True)
    pickled = tmp_path / "pickled"
    shutil.copytree(source, pickled)
    weights = load_file(pickled / "model.safetensors")
    (pickled / "model.safetensors").unlink()
    weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
    torch.save(weights, pickled / "pytorch_model.bin", _use_new_zipfile_serialization=not legacy)
    prompt = [5, 9, 30, 41, 7] * 15
    for precision in ("fp32", "int4"):
        one, other = (built(folder, precision=precision) for folder in (source, pickled))
        files = sorted(path.name for path in one.glob("*.data"))
        assert files and all((one / name).read_bytes() == (other / name).read_bytes() for name in files)
        with open_engine(other) as engine:
            *_, done = engine.generate(prompt, GenerateOptions(max_new_tokens=8), eos=())
        assert isinstance(done, GenerationDone)
        assert precision != "fp32" or done.token_ids == greedy(source, prompt, 8)
