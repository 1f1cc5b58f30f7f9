"""Folders that people take for checkpoints: each has one sentence, which names the command that helps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workflows.checkpoint import open_checkpoint
from workflows.checkpoint.other_folders import other_folder
from workflows.common.errors import CheckpointError

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 269060552\n"
CONFIG = json.dumps({"model_type": "llama", "architectures": ["LlamaForCausalLM"]}).encode()
PEFT = json.dumps({"peft_type": "LORA", "base_model_name_or_path": "meta-llama/Llama-3.2-1B", "r": 8}).encode()
MLX = json.dumps({"fine_tune_type": "lora", "model": "mlx-community/Qwen3-0.6B", "num_layers": 8}).encode()
COMMIT = "c1899de289a04d12100db370d81485cdf75e47ca"

FOLDERS: dict[str, tuple[dict[str, bytes], str]] = {
    "peft": (
        {"adapter_config.json": PEFT, "adapter_model.safetensors": b"x", "README.md": b""},
        r"is an adapter and not a whole model: give its base .* `joinery build meta-llama/Llama-3\.2-1B --adapter ",
    ),
    "mlx adapter": (
        {"adapter_config.json": MLX, "adapters.safetensors": b"x", "0000100_adapters.safetensors": b"x"},
        r"is an adapter of mlx-lm .* `mlx_lm\.fuse --model mlx-community/Qwen3-0\.6B --adapter-path \S+ --save-path",
    ),
    "mistral": (
        {"params.json": b"{}", "consolidated.safetensors": b"x", "tekken.json": b"{}"},
        r"has Mistral's own form .* by its name on the hub, `joinery build ORG/NAME --out DIR`",
    ),
    "llama": (
        {"params.json": b"{}", "consolidated.00.pth": b"x", "tokenizer.model": b"x"},
        r"has Meta's own form .* by its name on the hub, `joinery build ORG/NAME --out DIR`",
    ),
    "hub": (
        {"refs/main": COMMIT.encode(), f"snapshots/{COMMIT}/config.json": CONFIG, "snapshots/0old/config.json": CONFIG,
         "blobs/aa": b"x"},
        rf"of the hub's cache: give its snapshot, `joinery build \S+snapshots.{COMMIT} --out DIR`",
    ),
    "genai": (
        {"genai_config.json": b"{}", "model.onnx": b"x", "model.onnx.data": b"x", "config.json": CONFIG},
        r"graphs of onnxruntime-genai, which are built already: `joinery import \S+ --out DIR`",
    ),
    "lfs": (
        {"config.json": CONFIG, "model.safetensors": POINTER, "tokenizer.json": POINTER},
        r"holds pointers of Git LFS in the place of 'model\.safetensors' and 1 more: run `git lfs pull`",
    ),
    "lfs config": ({"config.json": POINTER, "model.safetensors": b"x"}, r"in the place of 'config\.json': run"),
}  # fmt: skip


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize("name", FOLDERS)
def test_each_has_a_sentence_with_what_helps(name: str, tmp_path: Path) -> None:
    files, expected = FOLDERS[name]
    with pytest.raises(CheckpointError, match=expected) as refused:
        open_checkpoint(str(write(tmp_path, files)))
    assert str(refused.value).endswith(".") and "\n" not in str(refused.value)


@pytest.mark.parametrize("files", [
    {"config.json": CONFIG, "model.safetensors": b"x", "model.gguf": b"GGUF"},
    {"config.json": CONFIG, "model.safetensors": b"x", "genai_config.json": b"{}"},
    {"config.json": CONFIG, "model.safetensors": b"x", "params.json": b"{}", "consolidated.safetensors": b"x"},
    {"config.json": CONFIG, "pytorch_model.bin": b"x", "model-q4.gguf": b"GGUF"},
    {"config.json": CONFIG, "snapshots/a/b": b"", "refs/main": b"a", "model.safetensors": b"x"},
])  # fmt: skip
def test_a_checkpoint_with_more_beside_it_is_one(files: dict[str, bytes], tmp_path: Path) -> None:
    assert other_folder(write(tmp_path, files)) == ""


@pytest.mark.parametrize("command", [lambda d: ["build", d, "--out", f"{d}-out"], lambda d: ["inspect", d]])
def test_commands_say_it(command: Callable[[Path], list[Any]], tmp_path: Path, cli: Any) -> None:
    code, _, err = cli(*command(write(tmp_path / "models--org--name", FOLDERS["hub"][0])))
    assert code == 2 and f"snapshots/{COMMIT} --out DIR`" in err
