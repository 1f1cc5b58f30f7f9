"""GGUF models as checkpoints: files, folders and parts, the configuration folder, digests, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.workflows.checkpoint.gguf.converting import make_model, metadata_of, tensors_of, write_model
from tests.workflows.checkpoint.gguf.making import F32, Q4_0, Q4_1, Q8_0, Tensor, write_gguf
from tests.workflows.checkpoint.making import files, write
from workflows.checkpoint import open_checkpoint
from workflows.checkpoint.gguf import find_gguf
from workflows.checkpoint.gguf.forms import unpack
from workflows.checkpoint.source import find_checkpoint
from workflows.common.errors import CheckpointError
from workflows.export.checkpoint_tensors import CheckpointTensor


def numbers(path: Path) -> dict[str, torch.Tensor]:
    checkpoint = open_checkpoint(str(path))
    return {name: CheckpointTensor(checkpoint.weights_folder, one).read() for name, one in checkpoint.tensors.items()}


def test_a_file_is_a_checkpoint(tmp_path: Path) -> None:
    path, model = write_model(tmp_path, "qwen3")
    checkpoint = open_checkpoint(str(path))
    assert (checkpoint.model_type, checkpoint.architectures) == ("qwen3", ("Qwen3ForCausalLM",))
    assert checkpoint.root.name == "qwen3" and checkpoint.weights_folder == tmp_path
    assert checkpoint.files == {"qwen3.gguf": tmp_path} and checkpoint.dtype == "float32"
    assert checkpoint.eos_token_ids == (258,) and checkpoint.bos_token_id == 259 and checkpoint.pad_token_id is None
    assert checkpoint.tokenizer is not None and checkpoint.tokenizer.chat_template and checkpoint.tokenizer.fast
    assert checkpoint.parameters == sum(weight.numel() for weight in model.parameters())
    assert find_checkpoint(str(path)).weights_bytes == path.stat().st_size
    wanted = model.state_dict()
    made = numbers(path)
    assert {*made} == {*wanted}
    for name, tensor in made.items():
        torch.testing.assert_close(tensor, wanted[name], rtol=0, atol=0)


def test_tensors_in_blocks(tmp_path: Path) -> None:
    """Each is what its blocks say, with the rows of q and k in transformers' order."""
    model = make_model("llama", intermediate_size=64)
    kinds = {"attn_q": Q4_1, "attn_k": Q8_0, "ffn_down": Q4_0}

    def kind_of(name: str, array: Any) -> int:
        return next((kind for part, kind in kinds.items() if f".{part}.weight" in name), F32)

    stored = {name: (kind, data) for name, _, kind, data in tensors_of("llama", model, kind_of)}
    path = write_gguf(tmp_path / "m.gguf", metadata_of("llama", model.config), tensors_of("llama", model, kind_of))
    made, wanted = numbers(path), model.state_dict()
    for name, label in {"q_proj": "attn_q", "k_proj": "attn_k"}.items():
        full, (kind, data) = f"model.layers.1.self_attn.{name}.weight", stored[f"blk.1.{label}.weight"]
        flat = unpack({Q4_1: "Q4_1", Q8_0: "Q8_0"}[kind], data).values().reshape(-1, 64)
        pairs = np.stack([flat[0::2], flat[1::2]]).reshape(2, -1, 8, 64).swapaxes(0, 1).reshape(-1, 64)
        np.testing.assert_array_equal(made[full].numpy(), pairs)
        assert 0 < float((made[full] - wanted[full]).abs().max()) < 0.05
    assert open_checkpoint(str(path)).tensors["model.layers.0.mlp.down_proj.weight"].dtype == "Q4_0"


def split(folder: Path, counts: tuple[int, ...], **changes: Any) -> list[Path]:
    """The parts of a model of so many tensors each."""
    model = make_model("qwen3")
    tensors, paths = tensors_of("qwen3", model), []
    start = 0
    for number, count in enumerate(counts):
        own: list[Tensor] = tensors[start : start + count] if number < len(counts) - 1 else tensors[start:]
        start += count
        facts = {"split.no": number, "split.count": len(counts), "split.tensors.count": len(tensors), **changes}
        metadata = (metadata_of("qwen3", model.config) if number == 0 else {}) | facts
        paths.append(write_gguf(folder / f"m-{number + 1:05}-of-{len(counts):05}.gguf", metadata, own))
    return paths


def test_parts_are_one_model(tmp_path: Path) -> None:
    paths = split(tmp_path, (3, 5, 0))
    whole, _ = write_model(tmp_path / "whole", "qwen3")
    for place in (tmp_path, paths[0], paths[2]):
        checkpoint = open_checkpoint(str(place))
        assert [*checkpoint.files] == [path.name for path in paths] and checkpoint.root.name == "m"
    made, wanted = numbers(tmp_path), numbers(whole)
    assert {*made} == {*wanted} and all(torch.equal(made[name], wanted[name]) for name in wanted)


def test_parts_that_are_no_model(tmp_path: Path) -> None:
    split(tmp_path / "a", (3, 5))[1].unlink()
    with pytest.raises(CheckpointError, match=r"^The part 'm-00002-of-00002\.gguf' is missing: put all parts"):
        open_checkpoint(str(tmp_path / "a"))
    first, second = split(tmp_path / "b", (3, 5))
    second.write_bytes(first.read_bytes())
    with pytest.raises(CheckpointError, match=r"The tensor '\S+' is in 'm-00001-of-00002\.gguf' and in"):
        open_checkpoint(str(first))
    split(tmp_path / "c", (3, 5), **{"split.no": 1})
    with pytest.raises(CheckpointError, match=r"says that it is part 1 of 2, counted from 0, and its name says 0"):
        open_checkpoint(str(tmp_path / "c"))
    split(tmp_path / "d", (3, 5), **{"split.tensors.count": 99})
    with pytest.raises(CheckpointError, match=r"hold \d+ tensors and should hold 99"):
        open_checkpoint(str(tmp_path / "d"))


def test_folders(tmp_path: Path) -> None:
    path, _ = write_model(tmp_path / "one", "qwen3")
    (path.parent / "mmproj-model.gguf").write_bytes(b"pictures")
    (path.parent / "config.json").write_text('{"model_type": "other"}')
    assert open_checkpoint(str(path.parent)).model_type == "qwen3"
    (path.parent / "another.gguf").write_bytes(path.read_bytes())
    with pytest.raises(CheckpointError, match=r"holds 2 models in GGUF \('another\.gguf', 'qwen3\.gguf'\): give"):
        open_checkpoint(str(path.parent))
    assert open_checkpoint(str(path)).model_type == "qwen3"
    beside = write(tmp_path / "beside", files() | {"m.gguf": b"GGUF"})
    assert open_checkpoint(str(beside)).weight_files == ("model.safetensors",)
    assert find_gguf(tmp_path / "x.onnx") == () and find_gguf(tmp_path) == ()


def test_the_folder_of_a_file_is_made_once_and_anew_for_a_changed_one(tmp_path: Path) -> None:
    path, model = write_model(tmp_path, "qwen3")
    first = open_checkpoint(str(path))
    config = first.folder / "config.json"
    made, digest = config.stat().st_mtime_ns, first.digest
    assert open_checkpoint(str(path)).folder == first.folder and config.stat().st_mtime_ns == made
    metadata = metadata_of("qwen3", model.config) | {"qwen3.rope.freq_base": 30_000.0}
    write_gguf(path, metadata, tensors_of("qwen3", model))
    second = open_checkpoint(str(path))
    assert second.folder != first.folder and second.digest != digest
    assert second.config["rope_parameters"] == {"rope_type": "default", "rope_theta": 30_000.0}


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = write_model(tmp_path, "qwen3")
    (tmp_path / "home").write_text("a file")
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    with pytest.raises(CheckpointError, match=r"^The configuration of 'qwen3' cannot be written to .*JOINERY_HOME"):
        open_checkpoint(str(path))


def test_names_that_are_no_path(tmp_path: Path) -> None:
    path, _ = write_model(tmp_path, "qwen3")
    odd = path.rename(tmp_path / "...gguf")
    assert open_checkpoint(str(odd)).root.name == "model"
