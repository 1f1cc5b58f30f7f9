"""Merged numbers, by hand: slices of factors, turned weights, norms, and files that cannot be read."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workflows.checkpoint.peft import merging
from workflows.checkpoint.peft.changes import StoredFactor, WeightChange
from workflows.checkpoint.peft.merging import apply_changes
from workflows.common.errors import CheckpointError

RANDOM = np.random.default_rng(3)


def stored(folder: Path, numbers: np.ndarray[Any, Any], dtype: str = "float32", **parts: Any) -> StoredFactor:
    """The numbers in a file, after 12 other bytes."""
    file = folder / f"{len(list(folder.iterdir()))}.data"
    content = numbers.astype(np.float32)
    raw = (content.view(np.uint32) >> 16).astype(np.uint16) if dtype == "bfloat16" else content.astype(dtype)
    file.write_bytes(b"x" * 12 + raw.tobytes())
    return StoredFactor(str(file), 12, dtype, numbers.shape, "some.lora_B.weight", **parts)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_product_is_added_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dtype: str, turned: bool
) -> None:
    monkeypatch.setattr(merging, "_ROWS", 40)
    left, right = RANDOM.integers(-4, 5, (9, 3)), RANDOM.integers(-4, 5, (3, 7))
    change = WeightChange("one", 0.5, stored(tmp_path, left, dtype), stored(tmp_path, right, dtype), turned)
    weight = RANDOM.normal(size=(7, 9) if turned else (9, 7)).astype(np.float32)
    expected = weight + 0.5 * ((left @ right).T if turned else left @ right)
    apply_changes([change], weight)
    assert np.abs(weight - expected).max() < 1e-6


@pytest.mark.parametrize("turned", [False, True])
def test_rows_get_the_norms_of_dora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turned: bool) -> None:
    monkeypatch.setattr(merging, "_ROWS", 20)
    left, right, norms = RANDOM.normal(size=(6, 2)), RANDOM.normal(size=(2, 5)), RANDOM.uniform(1, 2, 6)
    factors = stored(tmp_path, left), stored(tmp_path, right)
    change = WeightChange("one", 2.0, *factors, turned, stored(tmp_path, norms))
    weight = RANDOM.normal(size=(5, 6) if turned else (6, 5)).astype(np.float32)
    direction = (weight.T if turned else weight) + 2 * left @ right
    expected = norms[:, None] * direction / np.linalg.norm(direction, axis=1, keepdims=True)
    apply_changes([change], weight)
    assert np.abs((weight.T if turned else weight) - expected).max() < 1e-5


def test_a_part_of_the_factors_changes_one_matrix_of_a_stack(tmp_path: Path) -> None:
    left, right = RANDOM.normal(size=(8, 6)), RANDOM.normal(size=(6, 4))
    part = stored(tmp_path, left, rows=(2, 1, 5), columns=(1, 3, 2)), stored(tmp_path, right, rows=(2, 1, 2))
    weight = np.zeros((3, 5, 4), np.float32)
    apply_changes([WeightChange("one", 1.0, *part, index=2)], weight)
    assert np.abs(weight[2] - left[2:7, 1::3] @ right[2:4]).max() < 1e-6
    assert not weight[:2].any()


def test_a_bias_is_added(tmp_path: Path) -> None:
    weight = np.ones(4, np.float32)
    apply_changes([WeightChange("one", 3.0, stored(tmp_path, np.arange(4)))], weight)
    assert weight.tolist() == [1, 4, 7, 10]


def test_changes_are_read_as_they_were_written(tmp_path: Path) -> None:
    factor = stored(tmp_path, np.ones((2, 2)), rows=(0, 1, 2))
    for change in (WeightChange("one", 0.5, factor, factor, True, factor, 3), WeightChange("two", 1.0, factor)):
        assert WeightChange.from_dict(asdict(change)) == change


def test_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    weight = np.zeros((2, 2), np.float32)
    good = stored(tmp_path, np.ones((2, 2)))
    nan = stored(tmp_path, np.full((2, 2), np.inf))
    with pytest.raises(CheckpointError, match=r"some.lora_B.weight holds NaN or infinite values"):
        apply_changes([WeightChange("one", 1.0, nan, good)], weight)
    zero = stored(tmp_path, np.zeros((2, 2)))
    with pytest.raises(CheckpointError, match="scales a row of zeros"):
        apply_changes([WeightChange("one", 1.0, zero, zero, False, stored(tmp_path, np.ones(2)))], weight)
    Path(good.file).unlink()
    with pytest.raises(CheckpointError, match="leave the adapter where it is"):
        apply_changes([WeightChange("one", 1.0, good, good)], weight)
