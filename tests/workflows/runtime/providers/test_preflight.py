"""The comparison with the CPU provider fits the cache: of a capacity that is not larger than a chunk, too."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workflows.conftest import Built
from workflows.runtime.providers.preflight import _largest_difference, examine


@pytest.mark.parametrize("layout", ["static", pytest.param("window", marks=pytest.mark.slow)])
def test_a_chunk_as_long_as_the_capacity_leaves_room_for_the_step(layout: str, built: Built) -> None:
    """A static cache was full before the step, and of a window no row was compared."""
    report = examine(built("demo:qwen3", cache=layout, capacity=64, chunk=64), "cpu", {})
    assert report.usable and not report.reason
    (decoder,) = report.components
    for found in (decoder.prefill, decoder.step):
        assert found is not None and (found.logits_max_abs_diff, found.kv_max_abs_diff) == (0.0, 0.0)


def test_no_elements_are_no_agreement() -> None:
    with pytest.raises(AssertionError, match="nothing would be compared"):
        _largest_difference(np.zeros((2, 0)), np.zeros((2, 0)))
