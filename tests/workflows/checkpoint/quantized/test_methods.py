"""Quantized checkpoints as a whole: which layers are packed, which stay, what is refused by the method's name."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.workflows.checkpoint.making import files, write
from tests.workflows.checkpoint.quantized.making import (
    checkpoint_of,
    float8,
    gptq,
    gptq_checkpoint,
    write_layer,
)
from workflows.checkpoint import open_checkpoint
from workflows.checkpoint.blocks import Blocks
from workflows.checkpoint.quantized.forms import PACKED_FORMS
from workflows.checkpoint.quantized.layers import block_size, fields, nibbles
from workflows.checkpoint.quantized.methods import METHODS, REFUSED
from workflows.common.errors import CheckpointError, RecipeError
from workflows.inspection.probe.checkpoint_facts import plan_report, probe_report
from workflows.recipe.resolve import resolve_recipe
from workflows.recipe.stored_forms import converted_notice, held_form, holds_all_blocks, stored_notice

GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 64}
LAYER = "model.layers.0.self_attn.q_proj"


@pytest.mark.parametrize("settings", [{"quant_method": "aqlm"}, {}, "vptq", {"quant_method": 3}])
def test_methods_that_are_not_read(tmp_path: Path, settings: Any) -> None:
    name = settings if isinstance(settings, str) else settings.get("quant_method", "by a method without a name")
    tensors, _ = gptq(np.random.default_rng(0), 8, 64)
    path = write_layer(tmp_path, {"quant_method": "gptq"}, LAYER, tensors)
    text = (path / "config.json").read_text("utf-8")
    text = text.replace('{"quant_method": "gptq"}', json.dumps(settings))
    (path / "config.json").write_text(text, "utf-8")
    if settings == {}:
        assert open_checkpoint(str(path)).tensors[f"{LAYER}.qweight"].dtype == "int32"
        return
    with pytest.raises(CheckpointError, match=rf"quantized already \({name}\), .* in one of gptq, awq,"):
        open_checkpoint(str(path))


def test_models_with_transposed_layers(tmp_path: Path) -> None:
    tensors, _ = gptq(np.random.default_rng(0), 8, 64)
    path = write_layer(tmp_path, GPTQ, "h.0.attn.c_attn", tensors)
    text = (path / "config.json").read_text("utf-8").replace('"qwen3"', '"gpt2"')
    (path / "config.json").write_text(text, "utf-8")
    with pytest.raises(CheckpointError, match=r"quantized by GPTQ, and the layers of gpt2 have transposed weights"):
        open_checkpoint(str(path))


def test_layers_that_are_not_quantized_stay(tmp_path: Path) -> None:
    """Whatever the settings say: there are no tensors of a packed layer."""
    tensors, _ = gptq(np.random.default_rng(0), 8, 64)
    path = write_layer(tmp_path / "a", GPTQ | {"modules_in_block_to_quantize": [["mlp.up_proj"]]}, LAYER, tensors)
    assert {*open_checkpoint(str(path)).tensors} == {f"{LAYER}.weight", "model.embed_tokens.weight"}
    plain = write(tmp_path / "b", files(config__json=b'{"model_type": "qwen3", "quantization_config": '
                                        b'{"quant_method": "gptq", "bits": 4}}'))  # fmt: skip
    assert open_checkpoint(str(plain)).dtype == "float32"


def test_a_weight_that_is_there_twice(tmp_path: Path) -> None:
    tensors, _ = gptq(np.random.default_rng(0), 8, 64)
    path = write_layer(tmp_path, GPTQ, LAYER, tensors | {"weight": torch.ones(8, 64)})
    with pytest.raises(CheckpointError, match=rf"the weight '{LAYER}\.weight' quantized and as it is, which is ambig"):
        open_checkpoint(str(path))


def test_a_file_that_is_cut_after_it_was_opened(tmp_path: Path) -> None:
    tensors, _ = gptq(np.random.default_rng(0), 8, 64)
    path = write_layer(tmp_path, GPTQ, LAYER, tensors)
    checkpoint = open_checkpoint(str(path))
    file = path / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-300])
    from workflows.export.checkpoint_tensors import CheckpointTensor

    with pytest.raises(CheckpointError, match=rf"'model\.safetensors' ends before the tensor '{LAYER}\.weight' does"):
        CheckpointTensor(checkpoint.weights_folder, checkpoint.tensors[f"{LAYER}.weight"]).read()


def test_sizes_of_blocks() -> None:
    """The largest power of two that divides a group, and products take from 16 numbers on."""
    assert [block_size(*sizes) for sizes in ((128, 4096), (64, 96), (4864, 4864), (96, 192), (1 << 30, 896))] == [
        (128, True), (32, True), (128, True), (32, True), (128, True),
    ]  # fmt: skip
    assert block_size(8, 64) == (8, False) and block_size(100, 300) == (100, False)


def test_integers_of_words() -> None:
    word = np.array([[0x76543210, -0x12345679]], np.int32)  # 0xEDCBA987
    assert fields(word, 4).tolist() == [[0, 1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 11, 12, 13, 14]]
    assert fields(word, 8).tolist() == [[0x10, 0x32, 0x54, 0x76, 0x87, 0xA9, 0xCB, 0xED]]
    assert nibbles(np.array([0x21], np.uint8)).tolist() == [1, 2]


def test_numbers_of_blocks() -> None:
    integers = np.array([[0, 3], [15, 1]], np.uint8)
    scales = np.array([0.5, -2], np.float32)
    assert Blocks(integers, scales, 8, 4).values().tolist() == [[-4, -2.5], [-14, 14]]
    assert Blocks(integers, scales, np.array([1, 0], np.uint8), 4).values().tolist() == [[-0.5, 1], [-30, -2]]
    levels = np.arange(16, dtype=np.float32) / 4
    assert Blocks(integers, scales, 0, 4, levels=levels).values().tolist() == [[0, 0.375], [-7.5, -0.5]]


def test_every_form_is_of_a_method_and_has_a_name_of_its_own() -> None:
    assert {*METHODS} & {*REFUSED} == set() and len(PACKED_FORMS) == len({form.title for form in PACKED_FORMS.values()})
    assert not any(name.lower() != name and name.startswith(("int", "uint", "bool", "float")) for name in PACKED_FORMS)


def test_the_precision_of_such_a_checkpoint_is_stored(tmp_path: Path) -> None:
    path, _ = gptq_checkpoint(tmp_path, "llama")
    checkpoint = open_checkpoint(str(path))
    assert resolve_recipe(checkpoint, {}).precision == "stored"
    assert resolve_recipe(checkpoint, {"precision": "int4"}).precision == "int4"
    held = {held_form(one) for one in checkpoint.tensors.values()} - {None}
    assert [str(one) for one in held] == ["4-bit integers in blocks of 64 with zero points"]
    name, one = next((name, one) for name, one in checkpoint.tensors.items() if one.packed)
    assert one.packed and holds_all_blocks(checkpoint)
    by_value = {**checkpoint.tensors, name: replace(one, packed=replace(one.packed, held=False))}
    assert not holds_all_blocks(replace(checkpoint, tensors=by_value))
    assert stored_notice(checkpoint) == (
        "The bundle holds the weights as the checkpoint stores them: 14 in GPTQ-4 as 4-bit integers in blocks of 64 "
        "with zero points (0.2 MB for 0.2 MB)."
    )
    assert converted_notice(checkpoint, can_hold=True) == (
        "The checkpoint's quantized weights are read as float32 numbers: 14 in GPTQ-4 (0.2 MB); --precision stored "
        "holds those in integers as they are."
    )
    offers = {one.name: one for one in plan_report(checkpoint, {}).precisions}
    assert offers["stored"].note == stored_notice(checkpoint) and offers["stored"].bytes < offers["fp32"].bytes / 3
    assert probe_report(checkpoint).dtype == "GPTQ-4"


def test_a_checkpoint_that_is_converted_has_no_precision_stored(tmp_path: Path) -> None:
    settings = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    packer = partial(float8, block=(128, 128), suffix="weight_scale_inv")
    path, _ = checkpoint_of(tmp_path, "llama", settings, packer)
    checkpoint = open_checkpoint(str(path))
    assert resolve_recipe(checkpoint, {}).precision == "fp32"
    assert "stored" not in {one.name for one in plan_report(checkpoint, {}).precisions}
    assert converted_notice(checkpoint, can_hold=False) == (
        "The checkpoint's quantized weights are read as float32 numbers: 14 in FP8 (0.3 MB)."
    )
    with pytest.raises(
        RecipeError, match=r"stored in blocks of integers, such as GGUF, and this one stores FP8: choose"
    ):
        resolve_recipe(checkpoint, {"precision": "stored"})


@pytest.mark.parametrize("name", REFUSED)
def test_methods_that_are_known_and_not_read_have_a_reason(tmp_path: Path, name: str) -> None:
    tensors, _ = gptq(np.random.default_rng(0), 8, 64)
    with pytest.raises(CheckpointError, match=rf"\({name}\), in a form that is not read: {REFUSED[name][:20]}"):
        open_checkpoint(str(write_layer(tmp_path, {"quant_method": name}, LAYER, tensors)))
