"""Weights that others packed: a checkpoint of each method of quantization, and an adapter of peft; built for real."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.faults.mutants.edits import change_path
from tests.faults.mutants.lines import line
from tests.workflows.checkpoint.peft.making import make_adapter, make_base
from tests.workflows.checkpoint.quantized import making

_CHECKPOINTS: dict[str, Callable[[Path], object]] = {
    "gptq": partial(making.gptq_checkpoint, architecture="qwen3", order="shared"),
    "awq": partial(making.checkpoint_of, architecture="llama", packer=making.awq,
                   settings={"quant_method": "awq", "bits": 4, "group_size": 64, "version": "gemm",
                             "zero_point": True}),
    "fp8": partial(making.checkpoint_of, architecture="qwen3",
                   packer=partial(making.float8, block=(64, 64), suffix="weight_scale_inv"),
                   settings={"quant_method": "fp8", "weight_block_size": [64, 64]}),
    "bitsandbytes": partial(making.checkpoint_of, architecture="llama", packer=making.bitsandbytes4,
                            settings={"quant_method": "bitsandbytes", "load_in_4bit": True,
                                      "bnb_4bit_quant_type": "nf4"}),
    "torchao": partial(making.checkpoint_of, architecture="qwen3", packer=partial(making.torchao, group=32),
                       settings={"quant_method": "torchao"}),
}  # fmt: skip


def lay_quantized(root: Path) -> None:
    """A checkpoint of each method."""
    for name, make in _CHECKPOINTS.items():
        make(root / name)
    shutil.copytree(root / "gptq", root / "checkpoint")


def change_quantized(root: Path, chances: random.Random) -> str:
    """One of them, of which a part of its settings or of a header is changed, or of its data."""
    name = chances.choice(list(_CHECKPOINTS))
    shutil.rmtree(root / "checkpoint")
    (root / name).rename(root / "checkpoint")
    files = (root / "checkpoint" / "config.json", *sorted((root / "checkpoint").glob("*.safetensors")))
    path = chances.choice(files)
    return f"{name}/{path.name}: {change_path(path, chances)}"


def build_quantized(root: Path) -> list[str]:
    """As its method stores it."""
    said = line("build", root / "checkpoint", "--out", root / "out", "--no-tokenizer", "--set", "capacity=64")
    return said + line("verify", root / "out")


def lay_adapter(root: Path) -> None:
    """A base, and an adapter of it."""
    model = make_base("llama", root / "checkpoint")
    make_adapter(model, root / "adapter", r=4, lora_alpha=8, target_modules=["q_proj", "down_proj"])


def change_adapter(root: Path, chances: random.Random) -> str:
    """Its settings, or its tensors."""
    name = chances.choice(("adapter_config.json", "adapter_model.safetensors"))
    return f"{name}: {change_path(root / 'adapter' / name, chances)}"


def build_adapted(root: Path) -> list[str]:
    """The base with the adapter merged."""
    out = root / "out"
    said = line("build", root / "checkpoint", "--adapter", root / "adapter", "--out", out, "--no-tokenizer",
                "--set", "capacity=64")  # fmt: skip
    return said + line("verify", out)
