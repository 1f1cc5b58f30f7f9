"""Experts by the checkpoint's own integers: the numbers of QMoE are those that the integers stand for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from tests.workflows.checkpoint.quantized.making import gptq, write_layer
from tests.workflows.optimize.making import operators, values
from tests.workflows.quantize.test_experts import COUNT, ROWS, expected, model_of, near
from workflows.checkpoint import open_checkpoint
from workflows.checkpoint.peft.changes import StoredFactor, WeightChange
from workflows.graph.described_weights import StoredWeight, WeightRecipe, recipe_of, recipe_tensor
from workflows.quantize import METHODS, run_method
from workflows.recipe import QuantizeSettings

HIDDEN, INNER = 64, 96
EXACT = QuantizeSettings(accuracy_level=0)


def packed(folder: Path, number: int, rows: int, columns: int, **own: Any) -> tuple[StoredWeight, np.ndarray]:
    tensors, weight = gptq(np.random.default_rng(number), rows, columns, group=32, **own)
    settings = {"quant_method": "gptq", "bits": own["bits"], "group_size": 32}
    checkpoint = open_checkpoint(str(write_layer(folder / str(number), settings, "layer", tensors)))
    info = checkpoint.tensors["layer.weight"]
    assert info.packed is not None
    within = info.packed.within(checkpoint.folder)
    return StoredWeight(info.file, 0, info.dtype, info.shape, "layer.weight", packed=within), weight


def experts(folder: Path, **own: Any) -> tuple[ir.Model, dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """A graph whose experts are stored one by one, gate and up apart, which the weight has row by row in turns."""
    model, held = model_of(HIDDEN, INNER)
    first = [packed(folder, number, INNER, HIDDEN, **own) for number in range(2 * COUNT)]
    second = [packed(folder, 100 + number, HIDDEN, INNER, **own) for number in range(COUNT)]
    turns = WeightRecipe(
        tuple(part for part, _ in first), (COUNT, 2 * INNER, HIDDEN), grid=(COUNT, 2), order=(0, 2, 1, 3)
    )
    plain = WeightRecipe.of_grid([part for part, _ in second], (COUNT,), (COUNT, HIDDEN, INNER))
    for name, recipe in (("w1", turns), ("w2", plain)):
        model.graph.initializers[name].const_value = recipe_tensor(recipe, name)
    whole = np.stack([weight for _, weight in first]).reshape(COUNT, 2, INNER, HIDDEN).swapaxes(1, 2)
    return model, held, whole.reshape(COUNT, 2 * INNER, HIDDEN), np.stack([weight for _, weight in second])


def numbers(model: ir.Model, name: str, bits: int, inner: int) -> np.ndarray:
    """[E,N,K] that the graph's integers stand for."""
    integers, scales, zeros = (
        model.graph.initializers[f"{name}.stored{end}"].const_value.numpy() for end in ("", ".scales", ".zeros")
    )
    if bits == 4:
        integers = np.stack([integers & 15, integers >> 4], -1).reshape(*integers.shape[:2], inner)
        zeros = np.stack([zeros & 15, zeros >> 4], -1).reshape(*zeros.shape[:2], -1)[..., : scales.shape[-1]]
    return (integers - zeros.repeat(32, -1).astype(np.float32)) * scales.repeat(32, -1)


@pytest.mark.parametrize("bits", [4, 8])
def test_experts_are_those_of_the_checkpoint(tmp_path: Path, bits: int) -> None:
    model, held, first, second = experts(tmp_path, bits=bits)
    report = run_method(model, METHODS["stored"], EXACT)
    assert report.modified and "QMoE" in operators(model) and not [r for r in report.refused if "8 bits" in r.reason]
    np.testing.assert_array_equal(numbers(model, "w1", bits, HIDDEN), first)
    np.testing.assert_array_equal(numbers(model, "w2", bits, INNER), second)
    x = np.random.default_rng(9).normal(size=(ROWS, HIDDEN)).astype(np.float32)
    truth = expected(x, held, first, second)
    near(values(model, {"x": x})[0], truth, 3e-6 if bits == 4 else 0.02)  # with 8 bits the kernel rounds its inputs


def test_experts_that_an_adapter_changes_are_rounded_with_the_change(tmp_path: Path) -> None:
    model, held, first, second = experts(tmp_path, bits=4)
    left, right = np.full((HIDDEN, 1), 0.5, np.float32), np.linspace(-1, 1, INNER, dtype=np.float32)[None]
    (tmp_path / "factors").write_bytes(left.tobytes() + right.tobytes())
    factors = [
        StoredFactor(str(tmp_path / "factors"), offset, "float32", array.shape, "lora")
        for offset, array in ((0, left), (left.nbytes, right))
    ]
    second_value = model.graph.initializers["w2"]
    recipe = recipe_of(second_value.const_value)  # type: ignore[arg-type]
    assert recipe is not None
    changed = replace(recipe.parts[0], changes=(WeightChange("a", 1.0, *factors),))
    second_value.const_value = recipe_tensor(replace(recipe, parts=(changed, *recipe.parts[1:])), "w2")
    run_method(model, METHODS["stored"], EXACT)
    assert "QMoE" in operators(model) and "w2.stored" not in model.graph.initializers
    x = np.random.default_rng(9).normal(size=(ROWS, HIDDEN)).astype(np.float32)
    merged = second + np.where(np.arange(COUNT)[:, None, None] == 0, left @ right, np.float32(0))
    near(values(model, {"x": x})[0], expected(x, held, first, merged), 0.05)


def test_experts_with_inputs_in_other_orders_are_rounded(tmp_path: Path) -> None:
    model, *_ = experts(tmp_path, bits=4, order="own")
    report = run_method(model, METHODS["stored"], EXACT)
    assert [one.reason for one in report.refused if "rounded to 8" in one.reason] == [
        "experts are rounded to 8 bits, for QMoE takes no such blocks"
    ]
    assert "QMoE" in operators(model) and "w1.stored" not in model.graph.initializers
