"""Stored numbers in float32: those of PyTorch, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from workflows.checkpoint.packed import PackedPart, PackedWeight
from workflows.checkpoint.quantized.parts import Parts, to_floats


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"])
def test_numbers_of_one_byte(dtype: str) -> None:
    codes = np.arange(255 if dtype == "float8_e8m0fnu" else 256, dtype=np.uint8)  # its last is no number
    theirs = torch.from_numpy(codes).view(getattr(torch, dtype)).float().numpy()
    np.testing.assert_array_equal(to_floats(dtype, codes), theirs)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "int8"])
def test_other_numbers(dtype: str) -> None:
    tensor = (torch.arange(-6, 6).reshape(3, 4) * 1.5).to(getattr(torch, dtype))
    content = np.frombuffer(bytes(tensor.view(torch.uint8).flatten().tolist()), np.uint8)
    part = PackedPart("scales", "f", 0, dtype, (3, 4), content.size)
    parts = Parts(PackedWeight((part,), 3, 4, 4, 4, 4), lambda _: content)
    np.testing.assert_array_equal(parts.floats("scales", slice(1, 3)), tensor[1:].float().numpy())
    assert parts.has("scales") and not parts.has("g_idx") and parts.order() is None


def test_the_order_of_groups_is_stable() -> None:
    content = np.array([1, 0, 1, 0, 2], np.int32).view(np.uint8)
    part = PackedPart("g_idx", "f", 0, "int32", (5,), 20)
    order = Parts(PackedWeight((part,), 1, 5, 1, 1, 4), lambda _: content).order()
    assert order is not None and order.tolist() == [1, 3, 0, 2, 4]
