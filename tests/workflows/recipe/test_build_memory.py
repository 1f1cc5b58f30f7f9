"""The memory of a build by the sizes of tensors and layers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workflows.checkpoint import Checkpoint, open_checkpoint
from workflows.checkpoint.weights import TensorInfo
from workflows.recipe import family_for
from workflows.recipe.build_memory import build_bytes, can_stream

MIB = 1 << 20


def checkpoint(**sizes: int) -> Checkpoint:
    """One with tensors of these numbers of elements; `__` stands for a dot."""
    tensors = {
        name.replace("__", "."): TensorInfo("bfloat16", (size,), "model.safetensors", 2 * size)
        for name, size in sizes.items()
    }
    return replace(open_checkpoint("demo:qwen3"), tensors=tensors, parameters=sum(sizes.values()))


def test_a_whole_build_grows_with_all_weights() -> None:
    assert build_bytes(checkpoint(table=25 * MIB), False) == 525 * MIB + 1.08 * 100 * MIB


def test_a_streamed_build_grows_with_the_largest_tensor_and_layer() -> None:
    """All experts of a layer are in it, once; other layers and small tensors count for nothing."""
    sizes = {"model__layers__1__o": MIB} | {
        "model__layers__0__up": MIB,
        "model__layers__1__mlp__experts__0__up": 2 * MIB,
    }
    sizes |= {"model__layers__1__mlp__experts__1__up": 3 * MIB, "table": 10 * MIB, "norm": 8}
    assert build_bytes(checkpoint(**sizes), True) == pytest.approx((525 + 1.35 * 40 + 20 + 2 * 4) * MIB)
    assert build_bytes(checkpoint(table=10 * MIB), True) == pytest.approx((525 + 1.35 * 40) * MIB)


def test_large_plain_decoders_stream() -> None:
    large, small = checkpoint(table=65 * MIB), checkpoint(table=64 * MIB)
    qwen3 = family_for("qwen3", "text-generation")
    assert can_stream(large, qwen3) and not can_stream(small, qwen3)
    for changes in ({"encoder": True}, {"remote_code": True}, {"reads": "tokens"}):
        assert not can_stream(large, replace(qwen3, **changes))
