"""Types as onnxruntime names them, and bfloat16, which numpy does not have."""

from __future__ import annotations

import numpy as np
import pytest

from workflows.common.element_types import item_bytes
from workflows.common.errors import GraphError
from workflows.common.tensors import TensorSpec
from workflows.kvcache import KVCache, StateTensor
from workflows.kvcache.geometry import MASK, GroupFacts, StateFacts
from workflows.kvcache.layouts import layout_named


def test_bfloat16_is_the_upper_half_of_float32() -> None:
    spec = TensorSpec("logits", (), "bfloat16")
    numbers = np.array([0, 1, -2.5, 3.140625, -3.3895314e38], np.float32)
    stored = (numbers.view(np.uint32) >> 16).astype(np.uint16)
    assert spec.as_float32(stored).tolist() == numbers.tolist()
    assert spec.as_float32(np.array([spec.lowest])).tolist() == [np.float32(-3.3895314e38)]


@pytest.mark.parametrize(("dtype", "numpy_type"), [("float16", "float16"), ("bfloat16", "uint16")])
def test_a_cache_of_half_precision_stays_half(dtype: str, numpy_type: str) -> None:
    state = [StateTensor(f"past.{r}", f"present.{r}", 0, r, (1, 2, "c", 4), dtype, "host") for r in ("key", "value")]
    drivers = {MASK: TensorSpec(MASK, (1, 1, "s", "t"), dtype)}
    facts = StateFacts("host", (GroupFacts("all", MASK, (0,), None),))
    cache = KVCache(state, layout_named("static"), 100, facts, drivers)
    step = cache.plan([1, 2])
    assert cache.past("past.key").dtype == cache.buffers.fresh("present.key", 2).dtype == np.dtype(numpy_type)
    assert cache.bytes == 2 * 2 * 64 * 4 * 2
    mask = drivers[MASK].as_float32(step.inputs[MASK])[0, 0]
    assert mask[:, :64].max() < -60000  # nothing is cached yet
    assert mask[:, 64:].tolist() == [[0, pytest.approx(mask.min())], [0, 0]]


def test_an_unknown_axis_and_an_unknown_type_are_named() -> None:
    with pytest.raises(GraphError, match="logits has the axis height"):
        TensorSpec("logits", (1, "height"), "float32").resolve({"width": 3})
    with pytest.raises(GraphError, match=r"has the type seq\(tensor\(float\)\)"):
        TensorSpec.of_runtime("x", [1], "seq(tensor(float))")
    with pytest.raises(GraphError, match="string has no fixed size"):
        item_bytes("string")
