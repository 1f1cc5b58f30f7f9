"""GPTQ: weights by the formula of its packages, bit by bit; what is refused, by the layer's name."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.workflows.checkpoint.quantized.making import gptq, gptq_checkpoint, numbers, write_layer
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError

ROWS, COLUMNS = 24, 192
LAYER = "model.layers.0.mlp.up_proj"


def layer(folder: Path, settings: dict[str, Any], **own: Any) -> tuple[Path, np.ndarray]:
    """A checkpoint of one layer of GPTQ, and its weight."""
    tensors, weight = gptq(np.random.default_rng(3), ROWS, COLUMNS, **own)
    return write_layer(folder, {"quant_method": "gptq", "bits": 4, "group_size": 64} | settings, LAYER, tensors), weight


@pytest.mark.parametrize("order", ["", "shared"])
@pytest.mark.parametrize(("bits", "group", "version"), [(4, 64, 1), (4, 96, 2), (8, 32, 1), (8, -1, 2), (4, -1, 1)])
def test_a_layer_is_what_its_integers_stand_for(
    tmp_path: Path, bits: int, group: int, version: int, order: str
) -> None:
    settings = {"bits": bits, "group_size": group, "checkpoint_format": "gptq" if version == 1 else "gptq_v2"}
    path, weight = layer(tmp_path, settings, bits=bits, group=group, version=version, order=order)
    (info,) = (one for name, one in open_checkpoint(str(path)).tensors.items() if name == f"{LAYER}.weight")
    assert (info.dtype, info.shape, info.elements) == (f"GPTQ-{bits}", (ROWS, COLUMNS), ROWS * COLUMNS)
    assert info.packed is not None and info.bytes == info.packed.bytes and info.packed.zeros and info.packed.half
    assert (info.packed.part("g_idx") is None) == (order == "" or group == -1) and info.packed.held
    np.testing.assert_array_equal(numbers(path)[f"{LAYER}.weight"].numpy(), weight)


def test_a_whole_model_with_tensors_in_two_files(tmp_path: Path) -> None:
    path, model = gptq_checkpoint(tmp_path, "qwen2", order="own", dtype=torch.bfloat16)
    checkpoint, wanted = open_checkpoint(str(path)), model.state_dict()
    made = numbers(path)
    assert {*made} == {*wanted} - {"lm_head.weight"}
    for name, tensor in made.items():
        torch.testing.assert_close(tensor.float(), wanted[name], rtol=0, atol=0)
    assert len(checkpoint.weight_files) == 2 and checkpoint.dtype == "GPTQ-4"
    assert checkpoint.parameters == sum(one.numel() for one in model.parameters())
    stored = sum(path.stat().st_size for path in path.glob("*.safetensors"))
    assert 0.9 * stored < checkpoint.weights_bytes < stored


def test_settings_in_a_file_of_their_own(tmp_path: Path) -> None:
    path, weight = layer(tmp_path, {})
    text = (path / "config.json").read_text("utf-8")
    (path / "config.json").write_text(text.replace("quantization_config", "others"), "utf-8")
    (path / "quantize_config.json").write_text('{"bits": 4, "group_size": 64, "desc_act": false}', "utf-8")
    np.testing.assert_array_equal(numbers(path)[f"{LAYER}.weight"].numpy(), weight)


def test_groups_of_several_sizes_are_read_by_value_alone(tmp_path: Path) -> None:
    tensors, _ = gptq(np.random.default_rng(3), ROWS, COLUMNS)
    index = np.random.default_rng(4).integers(0, 3, COLUMNS).astype(np.int32)
    old = tensors["g_idx"].numpy()
    tensors["g_idx"] = torch.from_numpy(index)
    path = write_layer(tmp_path, {"quant_method": "gptq", "bits": 4, "group_size": 64}, LAYER, tensors)
    info = open_checkpoint(str(path)).tensors[f"{LAYER}.weight"]
    assert info.packed is not None and not info.packed.held
    scales = tensors["scales"].float().numpy()
    places = np.arange(0, 32, 4, dtype=np.uint32)
    integers = (tensors["qweight"].numpy().view(np.uint32)[:, None] >> places[:, None]) & 15
    integers = integers.reshape(COLUMNS, ROWS).astype(np.int64)
    zeros = ((tensors["qzeros"].numpy().view(np.uint32)[..., None] >> places) & 15).reshape(3, ROWS).astype(
        np.int64
    ) + 1
    wanted = scales[index] * (integers - zeros[index]).astype(np.float32)
    assert (old != index).any()
    np.testing.assert_array_equal(numbers(path)[f"{LAYER}.weight"].numpy(), wanted.T)


def test_zero_points_beyond_their_bits(tmp_path: Path) -> None:
    """GPTQModel adds to whole words, and takes what a zero point of 0 had borrowed from its neighbour."""
    tensors, weight = gptq(np.random.default_rng(3), ROWS, COLUMNS, version=2)
    words = tensors["qzeros"].numpy().view(np.uint32)
    words[0, 0] &= 0xFFFFFF0F  # the zero point of the second row is 0
    weight[1, :64] = 0
    integers = (tensors["qweight"].numpy().view(np.uint32)[:8, 1, None] >> np.arange(0, 32, 4, dtype=np.uint32)) & 15
    weight[1, :64] = tensors["scales"].float().numpy()[0, 1] * integers.reshape(-1).astype(np.float32)
    tensors["qzeros"] = torch.from_numpy((words - np.uint32(0x11111111)).view(np.int32))
    settings = {"quant_method": "gptq", "bits": 4, "group_size": 64}
    with pytest.raises(CheckpointError, match=rf"'{LAYER}' .* holds 15, which stands for the zero"):
        open_checkpoint(str(write_layer(tmp_path / "a", settings, LAYER, tensors)))
    written = settings | {"meta": {"quantizer": ["gptqmodel:2.0.0"]}}
    made = numbers(write_layer(tmp_path / "b", written, LAYER, tensors))
    np.testing.assert_array_equal(made[f"{LAYER}.weight"].numpy(), weight)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"bits": 3}, r"by GPTQ with bits = 3, and 4 and 8 are read"),
        ({"bits": 2}, r"by GPTQ with bits = 2, and 4 and 8 are read"),
        ({"bits": None}, r"by GPTQ with bits = None"),
        ({"checkpoint_format": "marlin"}, r"in the format marlin, and gptq and gptq_v2 are read"),
        ({"is_marlin_format": True}, r"in the format gptq"),
        ({"pack_dtype": "int8"}, r"packed in int8, and packing in int32"),
        (
            {"group_size": 32},
            r"as GPTQ: 'scales' has 3 groups where 192 inputs in groups of 32",
        ),
        ({"group_size": "all"}, r"says group_size = all, which is no such number"),
    ],
)
def test_settings_that_are_not_read(tmp_path: Path, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CheckpointError, match=sentence):
        open_checkpoint(str(layer(tmp_path, settings)[0]))


def changed(tensors: dict[str, torch.Tensor], suffix: str, tensor: torch.Tensor | None) -> dict[str, torch.Tensor]:
    others = {name: one for name, one in tensors.items() if name != suffix}
    return others if tensor is None else others | {suffix: tensor}


@pytest.mark.parametrize(
    ("suffix", "change", "sentence"),
    [
        ("scales", lambda _: None, r"its tensor 'scales' is missing"),
        ("scales", lambda one: one.to(torch.int32), r"'scales' is stored in int32 and not in float16 or"),
        ("scales", lambda one: one[:, :-1], r"'scales' has the shape \[3, 23\] where the others need \[3, 24\]"),
        ("qzeros", lambda one: one[:-1], r"'qzeros' has the shape \[2, 3\] where the others need \[3, 3\]"),
        ("qweight", lambda one: one[:-1], r"'qweight' has another number of inputs than 'g_idx'"),
        ("qweight", lambda one: one[:18], r"'qweight' has 3 bits, and 4 and 8 bits are read"),
        ("qweight", lambda one: one[0], r"'qweight' has the shape \[24\], which has not 2 axes"),
        ("g_idx", lambda one: one + 1, r"'g_idx' names a group that has no scale"),
        ("g_idx", lambda one: one - 1, r"'g_idx' names a group that has no scale"),
    ],
)
def test_tensors_that_do_not_fit(tmp_path: Path, suffix: str, change: Any, sentence: str) -> None:
    tensors, _ = gptq(np.random.default_rng(3), ROWS, COLUMNS, order="shared")
    odd = changed(tensors, suffix, change(tensors[suffix]))
    path = write_layer(tmp_path, {"quant_method": "gptq", "bits": 4, "group_size": 64}, LAYER, odd)
    with pytest.raises(CheckpointError, match=rf"^The weight of '{LAYER}' cannot be read as GPTQ: {sentence}"):
        open_checkpoint(str(path))


def test_a_layer_with_settings_of_its_own(tmp_path: Path) -> None:
    """GPTQModel's `dynamic`: its tensors say what they are."""
    settings = {"quant_method": "gptq", "bits": 4, "group_size": 64, "dynamic": {"+:.*up_proj": {"bits": 8}}}
    tensors, weight = gptq(np.random.default_rng(3), ROWS, COLUMNS, bits=8, group=32)
    path = write_layer(tmp_path, settings, LAYER, tensors)
    np.testing.assert_array_equal(numbers(path)[f"{LAYER}.weight"].numpy(), weight)


def test_packing_is_checked_by_hand() -> None:
    """A layer of 8 inputs: the first integer is in the lowest bits of the word."""
    tensors, weight = partial(gptq, group=8)(np.random.default_rng(0), 8, 8)
    word, zeros = int(tensors["qweight"][0, 5]) & 0xFFFFFFFF, int(tensors["qzeros"][0, 0]) & 0xFFFFFFFF
    first = float(tensors["scales"][0, 5]) * ((word & 15) - ((zeros >> 20 & 15) + 1))
    assert weight[5, 0] == np.float32(first)
