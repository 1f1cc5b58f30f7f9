"""What a model will keep between steps, in a few words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.builder.cache_text import planned_cache, state_layers_text
from tests.fakes.plans import plan_of
from workflows.wire.reports.plan import DecoderFacts


@pytest.mark.parametrize(
    ("layers", "state", "text"), [(4, 3, "in 3 of 4 layers"), (4, 4, "in all 4 layers"), (1, 1, "in its only layer")]
)
def test_layers_with_state(qapp: object, layers: int, state: int, text: str) -> None:
    assert state_layers_text(DecoderFacts(layers, 64, 512, 4096, 0, state)) == text


def test_cache_of_a_plan(qapp: object) -> None:
    """A plan without bytes of keys and values is that of a model with state alone."""
    plan = plan_of("demo:qwen3", {}, encoder=False)
    assert planned_cache(plan) == f"static {plan.chosen.capacity:,}"
    assert planned_cache(replace(plan, estimate=replace(plan.estimate, kv_bytes=0))) == "state of fixed size"
